//! Launches of several programs with the same arguments, to compare what they give and how long they take.

use super::execution::{arguments, flush, upload};
use super::{HostLaunch, parameter};
use crate::device::{Device, DeviceTensor, Stream};
use crate::error::Error;
use crate::manifest::Parameter;
use crate::program::PreparedLaunch;
use crate::tensor::Tensor;

/// Arguments on a device. Each launch finds them as they were made, whatever those before it have written.
pub struct Trials<'a> {
    host: &'a HostLaunch<'a>,
    device: Device,
    stream: Stream,
    tensors: Vec<(&'a str, DeviceTensor)>,
    /// Copies of what kernels may write to, by the number of the tensor.
    fresh: Vec<(usize, DeviceTensor)>,
    /// What is overwritten before a launch is timed; `None` in a simulator.
    flush: Option<DeviceTensor>,
}

impl<'a> Trials<'a> {
    /// Copies the arguments of a launch to a device.
    ///
    /// # Errors
    /// If its memory is short or it fails.
    pub fn new(device: &Device, host: &'a HostLaunch<'a>) -> Result<Self, Error> {
        let tensors = upload(device, host)?;
        let stream = device.stream();
        let mut fresh = Vec::new();
        for (index, (name, tensor)) in tensors.iter().enumerate() {
            if parameter(host.kernel, name).is_some_and(Parameter::is_mutable) {
                let bytes = tensor.storage_bytes();
                let copy = device.zeros(crate::element::ElementType::U8, &[bytes])?;
                copy.copy_from(tensor, &stream)?;
                fresh.push((index, copy));
            }
        }
        let flush = match device.simulator() {
            Some(_) => None,
            None => Some(flush(device)?),
        };
        Ok(Self {
            host,
            device: device.clone(),
            stream,
            tensors,
            fresh,
            flush,
        })
    }

    /// Loads a program that has the kernel, and checks the arguments against it.
    ///
    /// # Errors
    /// If the device refuses the program, or the arguments do not suit it.
    pub fn prepare(&self, ptx: &str) -> Result<PreparedLaunch, Error> {
        let kernel = self
            .device
            .load(ptx)?
            .kernel(Some(&self.host.kernel.name))?;
        kernel.prepare_on(&self.stream, &arguments(self.host, &self.tensors), None)
    }

    /// Launches once; what the kernel may write to is as the launch left it.
    ///
    /// # Errors
    /// If the device fails.
    pub fn results(&self, launch: &PreparedLaunch) -> Result<Vec<(&'a str, Tensor)>, Error> {
        self.refresh()?;
        launch.launch()?;
        self.device.synchronize()?;
        let written = self.fresh.iter().map(|(index, _)| {
            let (name, tensor) = &self.tensors[*index];
            Ok((*name, tensor.download()?))
        });
        written.collect()
    }

    /// Launches once, after the L2 cache has been overwritten; milliseconds of device time.
    ///
    /// # Errors
    /// If the device fails.
    pub fn time_ms(&self, launch: &PreparedLaunch) -> Result<f64, Error> {
        self.refresh()?;
        if let Some(flush) = &self.flush {
            flush.fill_bytes(0, &self.stream)?;
        }
        let before = self.stream.record()?;
        launch.launch()?;
        Ok(before.elapsed_ms(&self.stream.record()?)?)
    }

    /// Whether the device still works: one whose kernel went wrong may be lost to this process.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        self.device.synchronize().is_ok()
    }

    fn refresh(&self) -> Result<(), Error> {
        for (index, copy) in &self.fresh {
            self.tensors[*index].1.copy_from(copy, &self.stream)?;
        }
        Ok(())
    }
}
