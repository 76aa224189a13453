//! A launch with its tensors on a device.

use super::HostLaunch;
use crate::arguments::HostArgument;
use crate::device::{Arg, Device, DeviceTensor, Stream};
use crate::element::ElementType;
use crate::error::Error;
use crate::program::PreparedLaunch;

/// What is ready to run.
pub(super) struct Execution<'a> {
    /// The tensors by name, in the order of the arguments.
    pub tensors: Vec<(&'a str, DeviceTensor)>,
    /// The launch.
    pub launch: PreparedLaunch,
    stream: Stream,
}

impl<'a> Execution<'a> {
    /// Loads PTX, copies the arguments and prepares the launch.
    pub fn new(
        device: &Device,
        ptx: &str,
        host: &'a HostLaunch<'_>,
        grid: Option<&[i64]>,
    ) -> Result<Self, Error> {
        let kernel = device.load(ptx)?.kernel(Some(&host.kernel.name))?;
        let tensors = upload(device, host)?;
        let stream = device.stream();
        let launch = kernel.prepare_on(&stream, &arguments(host, &tensors), grid)?;
        Ok(Self {
            tensors,
            launch,
            stream,
        })
    }

    /// A tensor by its parameter's name.
    pub fn tensor(&self, name: &str) -> Option<&DeviceTensor> {
        let found = self.tensors.iter().find(|(tensor, _)| *tensor == name);
        found.map(|(_, tensor)| tensor)
    }

    /// Launches once and waits; milliseconds of device time.
    pub fn elapsed_ms(&self) -> Result<f64, Error> {
        let before = self.stream.record()?;
        self.launch.launch()?;
        Ok(before.elapsed_ms(&self.stream.record()?)?)
    }

    /// Times runs, each after the L2 cache has been overwritten. That also keeps the device busy
    /// until the launch has reached it, so that the host's time to launch is not measured.
    pub fn time(
        &self,
        device: &Device,
        runs: u32,
        progress: &mut dyn FnMut(u32, u32),
    ) -> Result<Vec<f64>, Error> {
        const WARM: u32 = 3;
        let flush = flush(device)?;
        for _ in 0..WARM {
            self.launch.launch()?;
        }
        let mut times = Vec::with_capacity(runs as usize);
        for done in 0..runs {
            flush.fill_bytes(0, &self.stream)?;
            times.push(self.elapsed_ms()?);
            progress(done + 1, runs);
        }
        Ok(times)
    }
}

/// The tensors among the arguments, on a device, in their order.
pub(super) fn upload<'a>(
    device: &Device,
    host: &'a HostLaunch<'_>,
) -> Result<Vec<(&'a str, DeviceTensor)>, Error> {
    let mut tensors = Vec::new();
    for (name, value) in &host.arguments {
        if let HostArgument::Tensor(tensor) = value {
            tensors.push((*name, device.upload_strided(tensor)?));
        }
    }
    Ok(tensors)
}

/// The arguments of a launch with tensors of a device.
pub(super) fn arguments<'t>(
    host: &'t HostLaunch<'_>,
    tensors: &'t [(&str, DeviceTensor)],
) -> Vec<(&'t str, Arg<'t>)> {
    let arguments = host.arguments.iter();
    arguments
        .map(|(name, value)| match value {
            HostArgument::Scalar(value) => (*name, Arg::Scalar(*value)),
            HostArgument::Tensor(_) => {
                let position = tensors.iter().position(|(tensor, _)| tensor == name);
                (*name, Arg::Mut(&tensors[position.unwrap_or_default()].1))
            }
        })
        .collect()
}

/// Memory that takes all of the L2 cache when it is written.
pub(super) fn flush(device: &Device) -> Result<DeviceTensor, Error> {
    let bytes = usize::try_from(device.properties().l2_bytes * 2).unwrap_or(0);
    device.zeros(ElementType::U8, &[bytes])
}
