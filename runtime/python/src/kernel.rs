//! A kernel on a device, and its calls.
#![allow(unsafe_code)]

use tile_runtime::Error;
use tile_runtime::device::{Arg, Device, DeviceTensor, Stream};
use tile_runtime::element::ElementType;
use tile_runtime::program::{Kernel, Launcher};

use crate::abi::{Any, DlTensor, Place, current_stream};
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
        let copied = given.iter().filter_map(|value| match value {
            Given::Tensor(array, element) => Some(self.copied(array, *element)),
            Given::Scalar(_) => None,
        });
        let copied = copied.collect::<Result<Vec<_>, _>>()?;
        let mut copies = copied.iter();
        let arguments = given.iter().filter_map(|value| match value {
            Given::Tensor(..) => copies.next().map(Arg::Tensor),
            Given::Scalar(value) => Some(Arg::Scalar(*value)),
        });
        let arguments = self.kernel().named(arguments);
        self.kernel().launch(&arguments)?;
        let mut copies = copied.iter();
        for (parameter, value) in parameters.iter().zip(given) {
            if let Given::Tensor(array, _) = value
                && let Some(copy) = copies.next()
                && parameter.is_mutable()
            {
                host::write(array, &copy.download()?);
            }
        }
        Ok(())
    }

    fn copied(&self, array: &DlTensor, element: ElementType) -> Result<DeviceTensor, Error> {
        Ok(self.device.upload(&host::read(array, element)?)?)
    }

    const fn kernel(&self) -> &Kernel {
        self.launcher.kernel()
    }

    /// Where the tensors lie, on the current stream.
    fn launch(&self, given: &[Given<'_>], number: i32) -> Result<(), Error> {
        let strides: Vec<_> = given.iter().map(Given::strides).collect();
        let each = given.iter().zip(&strides);
        let arguments: Vec<_> = each.map(|(value, strides)| value.raw(strides)).collect();
        // SAFETY: it is the stream that is current for that GPU now, of its primary context. DLPack's promise is that a tensor's
        // memory is there while the caller keeps the tensor, and whoever frees it does so in the order of the stream.
        unsafe {
            let stream = Stream::from_raw(&self.device, current_stream(number))?;
            self.launcher.launch(&stream, &arguments)
        }
    }
}

/// As Python's libraries write it.
fn spelled(place: Place) -> String {
    match place {
        Place::Host => "the host".to_owned(),
        Place::Gpu(number) => format!("cuda:{number}"),
    }
}
