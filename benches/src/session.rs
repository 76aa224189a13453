//! A kernel on a device, with random inputs, guards around tensors and poisoned outputs.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use tile_runtime::Error;
use tile_runtime::backend::DeviceError;
use tile_runtime::device::{Arg, Device, DeviceTensor, Stream};
use tile_runtime::element::ElementType;
use tile_runtime::numeric::Scalar;
use tile_runtime::program::{Kernel, PreparedLaunch, Program};
use tile_runtime::tensor::{Seed, Tensor, TensorError, dense_strides};

use crate::kernels::Subject;
use crate::problem::{Case, Placement};

/// Bytes before and after each tensor.
const GUARD_BYTES: usize = 1 << 16;

/// A guard of an output: what is written beside it shows.
pub(crate) const GUARD: u8 = 0xa5;

/// NaN of every float type. An output element with it was not written; as a guard of an input it
/// spoils every result that is made of it.
const POISON: u8 = 0xff;

/// Random elements that large inputs repeat: making more takes longer than all runs.
const REPEATED: usize = 1 << 20;

/// Integers of random inputs.
const INTEGERS: Range<i64> = 0..128;

/// What the command line says of both measurements.
#[derive(Debug, Clone, Serialize, Deserialize, clap::Args)]
pub struct Settings {
    /// Leave out the shapes that take long under a tool that watches every access
    #[arg(long)]
    pub small: bool,

    /// Timed runs of each kernel
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub samples: u32,

    /// Seed of the random inputs
    #[arg(long, default_value_t = 0)]
    pub seed: u64,

    /// With `compare`: also run each call on the simulator and compare bit by bit
    #[arg(long)]
    pub beside_simulator: bool,

    /// Where to run: `auto` (the first GPU; without one that is an error), `cuda:N` or `sim`
    #[arg(long, default_value = "auto")]
    pub device: String,
}

/// A device, and what is kept between runs.
pub struct Session {
    pub(crate) device: Device,
    pub(crate) stream: Stream,
    pub(crate) settings: Settings,
    inputs: HashMap<(Case, Vec<ElementType>, bool), Vec<Tensor>>,
    copies: Option<(usize, [DeviceTensor; 2])>,
    flush: Option<DeviceTensor>,
    /// The program that was loaded last, and its text.
    loaded: RefCell<Option<(String, Program)>>,
}

/// A kernel bound to tensors.
pub(crate) struct Run {
    pub(crate) launch: PreparedLaunch,
    pub(crate) inputs: Vec<DeviceTensor>,
    pub(crate) output: DeviceTensor,
}

impl Session {
    /// Opens the device.
    ///
    /// # Errors
    /// If there is none.
    pub fn open(settings: Settings) -> Result<Self, DeviceError> {
        // Without a GPU `auto` is an error here: the simulator's times would be taken for a GPU's.
        let device = match settings.device.as_str() {
            "auto" => Device::cuda(0)?,
            name => Device::parse(name)?,
        };
        Ok(Self {
            stream: device.stream(),
            device,
            settings,
            inputs: HashMap::new(),
            copies: None,
            flush: None,
            loaded: RefCell::new(None),
        })
    }

    /// Loads a program, unless it is the one that was loaded last: calls of one kernel follow each
    /// other.
    ///
    /// # Errors
    /// If it cannot be loaded.
    pub fn program(&self, ptx: &str) -> Result<Program, Error> {
        let mut loaded = self.loaded.borrow_mut();
        if let Some((text, program)) = &*loaded
            && text == ptx
        {
            return Ok(program.clone());
        }
        let program = self.device.load(ptx)?;
        *loaded = Some((ptx.to_owned(), program.clone()));
        Ok(program)
    }

    /// The device.
    #[must_use]
    pub const fn device(&self) -> &Device {
        &self.device
    }

    /// Random inputs, the same for the same case and seed. Large ones may `repeat` a shorter
    /// sequence. The host keeps them, so that variants of a kernel get the same.
    pub(crate) fn inputs(
        &mut self,
        subject: &Subject,
        case: Case,
        repeat: bool,
    ) -> Result<Vec<Tensor>, TensorError> {
        let elements: Vec<_> = subject.inputs.iter().map(|input| input.element).collect();
        let key = (case, elements.clone(), repeat);
        if let Some(inputs) = self.inputs.get(&key) {
            return Ok(inputs.clone());
        }
        let mut inputs = Vec::new();
        for (number, (element, mut shape)) in
            elements.into_iter().zip(case.shape.inputs()).enumerate()
        {
            let transposed = case.placement.transposed() == Some(number);
            if transposed {
                shape.reverse();
            }
            let seed = Seed {
                seed: self.settings.seed,
                stream: number as u64,
            };
            let tensor = if repeat {
                repeated(element, &shape, REPEATED, INTEGERS, seed)?
            } else {
                Tensor::randn(element, &shape, seed)?
            };
            inputs.push(if transposed {
                tensor.transposed()
            } else {
                tensor
            });
        }
        self.inputs.insert(key, inputs.clone());
        Ok(inputs)
    }

    /// Puts the inputs and a poisoned output on the device and binds the kernel to them. With
    /// guards, each tensor lies inside a larger block.
    pub(crate) fn prepare(
        &self,
        kernel: &Kernel,
        subject: &Subject,
        case: Case,
        inputs: &[Tensor],
        guards: bool,
    ) -> Result<Run, Error> {
        let shift = usize::from(case.placement == Placement::Shifted);
        let shape = case.shape.output();
        let element = subject.output.element;
        let upload = |tensor: &Tensor, guard| {
            if guards {
                let guarded = guarded(tensor, guard, shift)?;
                return Ok::<_, Error>(self.device.upload_strided(&guarded)?);
            }
            Ok(self.device.upload_strided(tensor)?)
        };
        let output = if guards {
            let bytes = shape.iter().product::<usize>() * element.bytes() as usize;
            let poisoned = Tensor::from_bytes(element, &shape, vec![POISON; bytes])?;
            upload(&poisoned, GUARD)?
        } else {
            let output = self.device.zeros(element, &shape)?;
            output.fill_bytes(POISON, &self.stream)?;
            output
        };
        let inputs: Vec<_> = inputs
            .iter()
            .map(|tensor| upload(tensor, POISON))
            .collect::<Result<_, _>>()?;
        let mut arguments: Vec<_> = subject
            .inputs
            .iter()
            .zip(&inputs)
            .map(|(operand, tensor)| (operand.name.as_str(), Arg::Tensor(tensor)))
            .collect();
        arguments.push((&subject.output.name, Arg::Mut(&output)));
        if let Some(size) = &subject.size {
            let elements: usize = shape.iter().product();
            arguments.push((size, Arg::Scalar(Scalar::Int(elements as i128))));
        }
        let launch = kernel.prepare_on(&self.stream, &arguments, None)?;
        Ok(Run {
            launch,
            inputs,
            output,
        })
    }

    /// Two blocks of random bytes, to copy one to the other.
    pub(crate) fn copies(&mut self, bytes: usize) -> Result<[DeviceTensor; 2], Error> {
        if let Some((size, copies)) = &self.copies
            && *size == bytes
        {
            return Ok(copies.clone());
        }
        self.copies = None;
        let random = repeated(
            ElementType::U8,
            &[bytes],
            REPEATED,
            INTEGERS,
            self.settings.seed.into(),
        )?;
        let copies = [
            self.device.upload(&random)?,
            self.device.zeros(ElementType::U8, &[bytes])?,
        ];
        self.copies = Some((bytes, copies.clone()));
        Ok(copies)
    }

    /// Twice as many bytes as the level-2 cache has: once they are written, it holds nothing else.
    pub(crate) fn flush(&mut self) -> Result<DeviceTensor, Error> {
        if let Some(flush) = &self.flush {
            return Ok(flush.clone());
        }
        let bytes = usize::try_from(self.device.properties().l2_bytes * 2).unwrap_or(0);
        let flush = self.device.zeros(ElementType::U8, &[bytes])?;
        self.flush = Some(flush.clone());
        Ok(flush)
    }
}

/// A random tensor; one longer than `length` repeats itself. Integers are uniform over `integers`.
pub(crate) fn repeated(
    element: ElementType,
    shape: &[usize],
    length: usize,
    integers: Range<i64>,
    seed: Seed,
) -> Result<Tensor, TensorError> {
    let elements: usize = shape.iter().product();
    let length = [elements.min(length)];
    let block = if element.is_float() {
        Tensor::randn(element, &length, seed)?
    } else {
        Tensor::randint(element, &length, integers.start, integers.end, seed)?
    };
    let wanted = elements * element.bytes() as usize;
    let mut bytes = Vec::with_capacity(wanted);
    while bytes.len() < wanted {
        let rest = block.storage().len().min(wanted - bytes.len());
        bytes.extend_from_slice(&block.storage()[..rest]);
    }
    Tensor::from_bytes(element, shape, bytes)
}

/// The same tensor as a view of a larger block, `shift` elements behind the front guard.
pub(crate) fn guarded(tensor: &Tensor, guard: u8, shift: usize) -> Result<Tensor, TensorError> {
    let width = tensor.element().bytes() as usize;
    let front = GUARD_BYTES + shift * width;
    let mut bytes = vec![guard; front];
    bytes.extend_from_slice(tensor.storage());
    bytes.resize(bytes.len() + GUARD_BYTES, guard);
    let offset = tensor.offset() + front / width;
    Tensor::from_storage(
        tensor.element(),
        tensor.shape(),
        tensor.strides(),
        offset,
        bytes,
    )
}

/// How many bytes of the guards around a dense tensor have changed.
pub(crate) fn broken_guards(tensor: &Tensor) -> usize {
    let width = tensor.element().bytes() as usize;
    debug_assert_eq!(tensor.strides(), dense_strides(tensor.shape()));
    let shift = tensor.offset() - GUARD_BYTES / width;
    changed_guards(tensor, tensor.len() * width, shift)
}

/// How many bytes of the guards have changed that [`guarded`] put around the `inside` bytes of a
/// tensor, `shift` elements behind the front guard.
pub(crate) fn changed_guards(tensor: &Tensor, inside: usize, shift: usize) -> usize {
    let start = GUARD_BYTES + shift * tensor.element().bytes() as usize;
    let (front, rest) = tensor.storage().split_at(start);
    let back = &rest[inside..];
    let changed = |guard: &[u8]| guard.iter().filter(|&&byte| byte != GUARD).count();
    changed(front) + changed(back)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guards_surround_the_elements_and_show_what_was_written() {
        let tensor = Tensor::from_vec(&[2, 2], &[1.0f32, 2.0, 3.0, 4.0]).expect("four");
        let view = guarded(&tensor, GUARD, 1).expect("it fits");
        assert_eq!(view.to_f64(), tensor.to_f64());
        assert_eq!(view.offset() % 64, 1);
        assert_eq!(view.storage().len(), 2 * GUARD_BYTES + 4 + 16);
        assert_eq!(broken_guards(&view), 0);
        for at in [0, view.offset() * 4 - 1, view.offset() * 4 + 16] {
            let mut bytes = view.storage().to_vec();
            bytes[at] = 0;
            let damaged =
                Tensor::from_storage(ElementType::F32, &[2, 2], &[2, 1], view.offset(), bytes);
            assert_eq!(broken_guards(&damaged.expect("it fits")), 1);
        }
        let transposed = guarded(&tensor.transposed(), POISON, 0).expect("it fits");
        assert_eq!(transposed.to_f64(), [1.0, 3.0, 2.0, 4.0]);
    }

    #[test]
    fn long_inputs_repeat_themselves() {
        let random = |length: usize, seed: u64| {
            repeated(
                ElementType::BF16,
                &[length],
                REPEATED,
                INTEGERS,
                seed.into(),
            )
            .expect("it fits")
        };
        let tensor = random(REPEATED + 3, 1);
        let (bytes, width) = (tensor.storage(), 2);
        assert_eq!(bytes[REPEATED * width..], bytes[..3 * width]);
        let other = random(8, 2);
        assert_ne!(bytes[..16], *other.storage());
    }
}
