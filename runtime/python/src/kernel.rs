//! A kernel on a device, and its calls.
#![allow(unsafe_code)]

use tile_runtime::Error;
use tile_runtime::backend::DeviceError;
use tile_runtime::device::{Arg, Device, DeviceTensor, Stream};
use tile_runtime::dlpack::{DlTensor, Place};
use tile_runtime::element::ElementType;
use tile_runtime::program::{Kernel, Launcher, RawArgument};

use crate::abi::{Any, current_stream};
use crate::arguments::Given;
use crate::failure::Failure;
use crate::host;

/// A kernel that was loaded.
pub struct Loaded {
    device: Device,
    /// Where its arguments have to lie.
    place: Place,
    launcher: Launcher,
    /// For each parameter the number of its argument; `None` if they are in order.
    order: Option<Vec<usize>>,
}

impl Loaded {
    pub fn new(ptx: &str, name: &str, device: &str, order: Option<&str>) -> Result<Self, Failure> {
        let failed = |error: Error| Failure::of(&error, name);
        let place = match device.strip_prefix("cuda:") {
            Some(number) => Place::Gpu(number.parse().unwrap_or(0)),
            None => Place::Host,
        };
        let device = Device::parse(device).map_err(|error| failed(error.into()))?;
        let program = device.load(ptx).map_err(failed)?;
        let kernel = program.kernel(Some(name)).map_err(failed)?;
        let count = kernel.manifest().parameters.len();
        Ok(Self {
            device,
            place,
            launcher: kernel.launcher(),
            order: order.map(|order| places(order, count)).transpose()?,
        })
    }

    /// Launches the kernel with arguments in the order it was loaded with.
    pub fn call(&self, given: &[Any]) -> Result<(), Failure> {
        match &self.order {
            Some(order) if order.len() == given.len() => {
                let ordered: Vec<Any> = order.iter().map(|&number| given[number]).collect();
                self.call_in_order(&ordered)
            }
            _ => self.call_in_order(given),
        }
    }

    fn call_in_order(&self, given: &[Any]) -> Result<(), Failure> {
        let given = self.given(given)?;
        let launched = match self.place {
            Place::Host => self.simulate(&given),
            Place::Gpu(number) => self.launch(&given, number),
        };
        launched.map_err(|error| self.failure(&error))
    }

    /// What a launch with these arguments would be, as JSON.
    pub fn plan(&self, given: &[Any]) -> Result<String, Failure> {
        let given = self.given(given)?;
        let prepared = match self.place {
            Place::Host => self.copies(&given).and_then(|copies| {
                let arguments = self.arguments(&given, &copies);
                self.kernel().prepare(&arguments)
            }),
            Place::Gpu(number) => self.with_raw(&given, number, |stream, arguments| {
                // SAFETY: it is not launched; see `launch`.
                unsafe { self.launcher.prepare(stream, arguments) }
            }),
        };
        let told = prepared.and_then(|launch| {
            let (variant, plan) = (launch.variant(), launch.plan());
            let json = serde_json::json!({
                "entry": variant.entry,
                "grid": plan.grid,
                "threads": variant.threads,
                "shared_bytes": variant.shared_bytes,
                "programs_at_once": launch.programs_at_once()?,
            });
            Ok(json.to_string())
        });
        told.map_err(|error| self.failure(&error))
    }

    /// What the simulator finds in a launch, as JSON: `null` if nothing. Arrays stay as they are.
    pub fn check(&self, given: &[Any]) -> Result<String, Failure> {
        let given = self.given(given)?;
        if self.place != Place::Host {
            return Err(Failure::usage("only the simulator checks".to_owned()));
        }
        let launched = self
            .copies(&given)
            .and_then(|copies| self.kernel().launch(&self.arguments(&given, &copies)));
        match launched {
            Ok(()) => Ok("null".to_owned()),
            Err(Error::Device(DeviceError::Finding(finding))) => {
                let mut json = serde_json::json!(finding);
                json["message"] = finding.to_string().into();
                Ok(json.to_string())
            }
            Err(error) => Err(self.failure(&error)),
        }
    }

    #[cold]
    fn failure(&self, error: &Error) -> Failure {
        Failure::of(error, &self.kernel().manifest().name)
    }

    /// The arguments, each of its kind and where the kernel is.
    fn given<'a>(&self, given: &'a [Any]) -> Result<Vec<Given<'a>>, Failure> {
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
        Ok(given)
    }

    /// On copies, in the simulator.
    fn simulate(&self, given: &[Given<'_>]) -> Result<(), Error> {
        let parameters = &self.kernel().manifest().parameters;
        let copies = self.copies(given)?;
        self.kernel().launch(&self.arguments(given, &copies))?;
        let mut copies = copies.iter();
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

    fn copies(&self, given: &[Given<'_>]) -> Result<Vec<DeviceTensor>, Error> {
        let each = given.iter().filter_map(|value| match value {
            Given::Tensor(array, element) => Some(self.copied(array, *element)),
            Given::Scalar(_) => None,
        });
        each.collect()
    }

    /// The arguments of a launch on copies.
    fn arguments<'a>(
        &'a self,
        given: &[Given<'_>],
        copies: &'a [DeviceTensor],
    ) -> Vec<(&'a str, Arg<'a>)> {
        let mut copies = copies.iter();
        let arguments = given.iter().filter_map(|value| match value {
            Given::Tensor(..) => copies.next().map(Arg::Tensor),
            Given::Scalar(value) => Some(Arg::Scalar(*value)),
        });
        self.kernel().named(arguments)
    }

    fn copied(&self, array: &DlTensor, element: ElementType) -> Result<DeviceTensor, Error> {
        Ok(self.device.upload(&host::read(array, element)?)?)
    }

    const fn kernel(&self) -> &Kernel {
        self.launcher.kernel()
    }

    /// Where the tensors lie, on the current stream.
    fn launch(&self, given: &[Given<'_>], number: i32) -> Result<(), Error> {
        self.with_raw(given, number, |stream, arguments| {
            // SAFETY: DLPack's promise is that a tensor's memory is there while the caller keeps the tensor, and whoever frees it
            // does so in the order of the stream.
            unsafe { self.launcher.launch(stream, arguments) }
        })
    }

    fn with_raw<R>(
        &self,
        given: &[Given<'_>],
        number: i32,
        act: impl FnOnce(&Stream, &[RawArgument<'_>]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let strides: Vec<_> = given.iter().map(Given::strides).collect();
        let each = given.iter().zip(&strides);
        let arguments: Vec<_> = each.map(|(value, strides)| value.raw(strides)).collect();
        // SAFETY: it is the stream that is current for that GPU now, of its primary context.
        let stream = unsafe { Stream::from_raw(&self.device, current_stream(number))? };
        act(&stream, &arguments)
    }
}

/// For each parameter the number of its argument, from the number of the parameter of each argument.
fn places(order: &str, count: usize) -> Result<Vec<usize>, Failure> {
    let wrong = || Failure::usage(format!("`{order}` is no order of {count} arguments"));
    let mut places = vec![usize::MAX; count];
    for (number, parameter) in order.split(',').enumerate() {
        let parameter = parameter.parse::<usize>().map_err(|_| wrong())?;
        *places.get_mut(parameter).ok_or_else(wrong)? = number;
    }
    match places.iter().all(|number| *number < count) {
        true => Ok(places),
        false => Err(wrong()),
    }
}

/// As Python's libraries write it.
fn spelled(place: Place) -> String {
    match place {
        Place::Host => "the host".to_owned(),
        Place::Gpu(number) => format!("cuda:{number}"),
    }
}
