//! A kernel on a device, and its calls.
#![allow(unsafe_code)]

use tile_runtime::Error;
use tile_runtime::device::{Arg, Device, DeviceTensor, Stream};
use tile_runtime::program::{Kernel, Launcher, RawArgument};

use crate::abi::{Any, Place, current_stream};
use crate::arguments::Given;
use crate::failure::Failure;
use crate::host;

/// A kernel that was loaded.
pub struct Loaded {
    device: Device,
    /// Where its arguments have to lie.
    place: Place,
    launcher: Launcher,
}

impl Loaded {
    pub fn new(ptx: &str, name: &str, device: &str) -> Result<Self, Failure> {
        let failed = |error: Error| Failure::of(&error, name);
        let place = match device.strip_prefix("cuda:") {
            Some(number) => Place::Gpu(number.parse().unwrap_or(0)),
            None => Place::Host,
        };
        let device = Device::parse(device).map_err(|error| failed(error.into()))?;
        let program = device.load(ptx).map_err(failed)?;
        let kernel = program.kernel(Some(name)).map_err(failed)?;
        Ok(Self {
            device,
            place,
            launcher: kernel.launcher(),
        })
    }

    /// Launches the kernel with arguments in the order of its parameters.
    pub fn call(&self, given: &[Any]) -> Result<(), Failure> {
        let manifest = self.kernel().manifest();
        let parameters = &manifest.parameters;
        if given.len() != parameters.len() {
            let names: Vec<String> = parameters.iter().map(ToString::to_string).collect();
            return Err(Failure::usage(format!(
                "`{}` takes {} arguments, and {} were given: {}",
                manifest.name,
                parameters.len(),
                given.len(),
                names.join(", ")
            )));
        }
        let each = parameters.iter().zip(given);
        let given = each
            .map(|(parameter, value)| Given::of(parameter, value))
            .collect::<Result<Vec<_>, _>>()?;
        for (parameter, value) in parameters.iter().zip(&given) {
            let name = parameter.name();
            match value.place(name)? {
                Some(place) if place != self.place => {
                    return Err(Failure::usage(format!(
                        "`{name}` lies on {}, and the kernel was loaded for {}",
                        spelled(place),
                        spelled(self.place)
                    )));
                }
                _ => {}
            }
        }
        let launched = match self.place {
            Place::Host => self.simulate(&given),
            Place::Gpu(number) => self.launch(&given, number),
        };
        launched.map_err(|error| Failure::of(&error, &manifest.name))
    }

    /// On copies, in the simulator.
    fn simulate(&self, given: &[Given<'_>]) -> Result<(), Error> {
        let parameters = &self.kernel().manifest().parameters;
        let copied = given
            .iter()
            .map(|value| match value {
                Given::Tensor(array, element) => {
                    let tensor = host::read(array, *element)?;
                    Ok::<_, Error>(Some(self.device.upload(&tensor)?))
                }
                Given::Scalar(_) => Ok(None),
            })
            .collect::<Result<Vec<_>, _>>()?;
        self.kernel().launch(&self.arguments(given, &copied))?;
        for ((parameter, value), copy) in parameters.iter().zip(given).zip(&copied) {
            if let (true, Given::Tensor(array, _), Some(copy)) =
                (parameter.is_mutable(), value, copy)
            {
                host::write(array, &copy.download()?);
            }
        }
        Ok(())
    }

    const fn kernel(&self) -> &Kernel {
        self.launcher.kernel()
    }

    /// Where the tensors lie, on the current stream.
    fn launch(&self, given: &[Given<'_>], number: i32) -> Result<(), Error> {
        let dense: Vec<Vec<i64>> = given.iter().map(Given::dense_strides).collect();
        let arguments: Vec<RawArgument<'_>> = given
            .iter()
            .zip(&dense)
            .map(|(value, dense)| value.raw(dense))
            .collect();
        // SAFETY: it is the stream that is current for that GPU now, of its primary context. DLPack's promise is that a tensor's
        // memory is there while the caller keeps the tensor, and whoever frees it does so in the order of the stream.
        unsafe {
            let stream = Stream::from_raw(&self.device, current_stream(number))?;
            self.launcher.launch(&stream, &arguments)
        }
    }

    fn arguments<'a>(
        &'a self,
        given: &[Given<'_>],
        tensors: &'a [Option<DeviceTensor>],
    ) -> Vec<(&'a str, Arg<'a>)> {
        let parameters = self.kernel().manifest().parameters.iter();
        parameters
            .zip(given.iter().zip(tensors))
            .map(|(parameter, (value, tensor))| {
                let argument = match (value, tensor) {
                    (Given::Scalar(value), _) => Arg::Scalar(*value),
                    (_, Some(tensor)) if parameter.is_mutable() => Arg::Mut(tensor),
                    (_, Some(tensor)) => Arg::Tensor(tensor),
                    (Given::Tensor(..), None) => unreachable!("each tensor was copied or lent"),
                };
                (parameter.name(), argument)
            })
            .collect()
    }
}

/// As Python's libraries write it.
fn spelled(place: Place) -> String {
    match place {
        Place::Host => "the host".to_owned(),
        Place::Gpu(number) => format!("cuda:{number}"),
    }
}
