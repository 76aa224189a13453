//! Launches that are repeated: what a launch decides is kept, and found again by what it depends on.
//!
//! A launch checks names, types, sizes and strides, chooses a variant, and makes tensor maps. All of that depends on
//! shapes, strides, the alignment of addresses and whole numbers, which in a training loop are the same each time. A
//! [`Launcher`] keeps the result for each of those it has seen, and on a hit writes the addresses and the numbers with a
//! fraction into parameters that are ready: no name is looked up, and nothing is allocated.

use std::sync::{Arc, Mutex, PoisonError, RwLock};

use super::{Kernel, PreparedLaunch, Raw};
use crate::backend::{Backend, Function, Memory, Queue, RawLaunch};
use crate::device::{Arg, DeviceTensor, Stream};
use crate::element::ElementType;
use crate::error::Error;
use crate::graph;
use crate::launch::{self, ArgumentValue, MAP_BYTES, MapValue};
use crate::manifest::Argument;
use crate::numeric::Scalar;
use crate::tensor::is_dense;

/// An argument by its place. Sizes and strides are in elements, the address is that of the first element.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub enum RawArgument<'a> {
    /// A tensor, or what a pointer points to.
    Tensor {
        element: ElementType,
        address: u64,
        shape: &'a [i64],
        strides: &'a [i64],
    },
    /// A number.
    Scalar(Scalar),
}

/// A kernel with what its launches have decided so far.
#[derive(Debug)]
pub struct Launcher {
    kernel: Kernel,
    /// Whether launches may need a workspace.
    has_workspaces: bool,
    /// The latest last.
    entries: RwLock<Vec<Arc<Entry>>>,
}

/// Launches that are kept at most; then the oldest are forgotten.
const MOST_ENTRIES: usize = 64;

/// Alignments of addresses beyond this make no difference.
const MOST_ALIGNMENT: u64 = 256;

/// What a launch depends on, besides addresses and numbers with a fraction.
type Key = [i64];

/// Words of a key that need no allocation.
const MOST_WORDS: usize = 96;

/// A launch that was decided.
#[derive(Debug)]
struct Entry {
    hash: u64,
    key: Box<Key>,
    queue: Arc<dyn Queue>,
    function: Arc<dyn Function>,
    /// Its parameters are written in place.
    launch: Mutex<RawLaunch>,
    /// Whether there is a program at all.
    is_empty: bool,
    /// Arguments that are addresses, with the places of their parameters.
    addresses: Vec<(usize, usize)>,
    /// The same of numbers with a fraction.
    floats: Vec<(usize, usize, ElementType)>,
    maps: Vec<Map>,
    /// Dense tensors, with their bytes and whether they are written: none may overlap another in part.
    ranges: Vec<(usize, u64, bool)>,
    /// Kept for as long as the entry.
    workspace: Option<Arc<dyn Memory>>,
}

/// A tensor map among the parameters.
#[derive(Debug)]
struct Map {
    argument: usize,
    place: usize,
    value: MapValue,
    /// Those that were made last, by their addresses.
    made: Mutex<Vec<(u64, [u8; MAP_BYTES])>>,
}

/// Maps of one argument that are kept: tensors of a training loop come round after some steps.
const MOST_MAPS: usize = 32;

impl Launcher {
    pub(super) fn new(kernel: Kernel) -> Self {
        let mut variants = kernel.kernel.variants.iter();
        Self {
            has_workspaces: variants.any(|variant| variant.part_bytes > 0 || variant.tickets),
            kernel,
            entries: RwLock::default(),
        }
    }

    /// The kernel.
    #[must_use]
    pub const fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Launches the kernel with arguments in the order of its parameters.
    ///
    /// # Safety
    /// Each tensor's memory is the device's, holds all elements of the view, and lives until the launch has run; if a graph is
    /// captured, until it has run for the last time.
    ///
    /// # Errors
    /// As [`Kernel::launch`].
    #[allow(unsafe_code)] // the caller's promise, see above
    pub unsafe fn launch(
        &self,
        stream: &Stream,
        arguments: &[RawArgument<'_>],
    ) -> Result<(), Error> {
        graph::keep(|| Arc::clone(&self.kernel.program.module));
        let mut room = [0; MOST_WORDS];
        let key = self.key(stream, arguments, &mut room);
        let Some(key) = key else {
            // SAFETY: the caller's promise.
            return unsafe { self.decide(stream, arguments, None) };
        };
        let hash = hashed(key);
        let found = {
            let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
            let mut latest = entries.iter().rev();
            latest
                .find(|entry| entry.hash == hash && *entry.key == *key)
                .cloned()
        };
        match found {
            Some(entry) if entry.is_apart(arguments) => entry.launch(&self.kernel, arguments),
            // What overlaps is refused there.
            _ => {
                // SAFETY: the caller's promise.
                unsafe { self.decide(stream, arguments, Some((hash, key))) }
            }
        }
    }

    /// Checks arguments in the order of the parameters and prepares a launch, which says what was decided for it.
    ///
    /// # Safety
    /// As [`Self::launch`], for as long as the prepared launch is used.
    ///
    /// # Errors
    /// As [`Kernel::launch`].
    #[allow(unsafe_code)] // the caller's promise, see above
    pub unsafe fn prepare(
        &self,
        stream: &Stream,
        arguments: &[RawArgument<'_>],
    ) -> Result<PreparedLaunch, Error> {
        // SAFETY: the caller's promise.
        let tensors = unsafe { borrowed(arguments)? };
        self.kernel
            .prepare_on(stream, &self.named(arguments, &tensors), None)
    }

    /// The arguments with the names of their parameters.
    fn named<'a>(
        &'a self,
        arguments: &[RawArgument<'_>],
        tensors: &'a [DeviceTensor],
    ) -> Vec<(&'a str, Arg<'a>)> {
        let mut tensors = tensors.iter();
        let given = arguments.iter().filter_map(|argument| match argument {
            RawArgument::Scalar(value) => Some(Arg::Scalar(*value)),
            RawArgument::Tensor { .. } => tensors.next().map(Arg::Tensor),
        });
        self.kernel.named(given)
    }

    /// What the launch depends on; `None` if that is more than there is room for, or not as many arguments as parameters.
    fn key<'a>(
        &self,
        stream: &Stream,
        arguments: &[RawArgument<'_>],
        room: &'a mut [i64; MOST_WORDS],
    ) -> Option<&'a Key> {
        let parameters = &self.kernel.kernel.parameters;
        if arguments.len() != parameters.len() {
            return None;
        }
        let mut count = 0;
        let mut push = |word: i64| -> Option<()> {
            *room.get_mut(count)? = word;
            count += 1;
            Some(())
        };
        push(Arc::as_ptr(&stream.queue).cast::<u8>() as i64)?;
        // A graph has a workspace of its own.
        if self.has_workspaces {
            push(
                stream
                    .queue
                    .capture()
                    .ok()?
                    .map_or(-1, |capture| capture as i64),
            )?;
        }
        for argument in arguments {
            match argument {
                RawArgument::Tensor {
                    element,
                    address,
                    shape,
                    strides,
                } => {
                    // A pointer to nothing has no map.
                    let alignment = match address {
                        0 => u8::MAX.into(),
                        _ => (address | MOST_ALIGNMENT).trailing_zeros(),
                    };
                    push(*element as i64 | i64::from(alignment) << 8 | (shape.len() as i64) << 16)?;
                    for word in shape.iter().chain(*strides) {
                        push(*word)?;
                    }
                }
                RawArgument::Scalar(Scalar::Int(value)) => {
                    push(-1)?;
                    push(i64::try_from(*value).ok()?)?;
                }
                // Checked and written on each launch.
                RawArgument::Scalar(Scalar::Float(_)) => push(-2)?,
            }
        }
        Some(&room[..count])
    }

    /// Decides a launch, starts it, and keeps it under a key, if there is one.
    #[cold]
    #[allow(unsafe_code)]
    unsafe fn decide(
        &self,
        stream: &Stream,
        arguments: &[RawArgument<'_>],
        key: Option<(u64, &Key)>,
    ) -> Result<(), Error> {
        // SAFETY: the caller's promise.
        let tensors = unsafe { borrowed(arguments)? };
        let named = self.named(arguments, &tensors);
        let raw = self.kernel.raw(stream, &named, None)?;
        let entry = Entry::new(&self.kernel, stream, arguments, raw, key);
        entry.launch(&self.kernel, arguments)?;
        if key.is_some() {
            let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
            if entries.len() >= MOST_ENTRIES {
                entries.remove(0);
            }
            entries.push(Arc::new(entry));
        }
        Ok(())
    }
}

/// The tensors among the arguments.
///
/// # Safety
/// As [`DeviceTensor::borrowed`].
#[allow(unsafe_code)]
unsafe fn borrowed(arguments: &[RawArgument<'_>]) -> Result<Vec<DeviceTensor>, Error> {
    let each = arguments.iter().filter_map(|argument| match *argument {
        RawArgument::Tensor {
            element,
            address,
            shape,
            strides,
        } => {
            let sizes = shape.iter().map(|size| usize::try_from(*size).unwrap_or(0));
            let sizes: Vec<usize> = sizes.collect();
            // SAFETY: the caller's promise.
            Some(unsafe { DeviceTensor::borrowed(element, address, &sizes, strides) })
        }
        RawArgument::Scalar(_) => None,
    });
    Ok(each.collect::<Result<Vec<_>, _>>()?)
}

impl Entry {
    fn new(
        kernel: &Kernel,
        stream: &Stream,
        arguments: &[RawArgument<'_>],
        raw: Raw,
        key: Option<(u64, &Key)>,
    ) -> Self {
        let parameters = &kernel.kernel.parameters;
        let number = |name: &str| parameters.iter().position(|one| one.name() == name);
        let (mut addresses, mut floats) = (Vec::new(), Vec::new());
        let values = raw.plan.arguments.iter().zip(&kernel.kernel.arguments);
        for ((value, argument), place) in values.zip(&raw.launch.offsets) {
            match (value, argument) {
                (ArgumentValue::Address { of, .. }, _) => {
                    addresses.extend(number(of).map(|number| (number, *place)));
                }
                (ArgumentValue::Scalar { element, .. }, Argument::Scalar { name }) => {
                    let index = number(name);
                    let is_float = |index: &usize| {
                        matches!(arguments[*index], RawArgument::Scalar(Scalar::Float(_)))
                    };
                    floats.extend(
                        index
                            .filter(is_float)
                            .map(|index| (index, *place, *element)),
                    );
                }
                _ => {}
            }
        }
        let first = raw.launch.offsets.len().saturating_sub(raw.plan.maps.len());
        let wanted = kernel.kernel.variants[raw.plan.variant].maps.iter();
        let maps = wanted
            .zip(&raw.plan.maps)
            .zip(raw.launch.offsets.iter().skip(first));
        let maps = maps.filter_map(|((wanted, value), place)| {
            Some(Map {
                argument: number(&wanted.of)?,
                place: *place,
                value: value.clone(),
                made: Mutex::default(),
            })
        });
        let ranges = arguments.iter().zip(parameters).enumerate();
        let ranges = ranges.filter_map(|(index, (argument, parameter))| match argument {
            RawArgument::Tensor {
                element,
                shape,
                strides,
                ..
            } => {
                let sizes: Vec<usize> = shape.iter().map(|size| *size as usize).collect();
                let elements: usize = sizes.iter().product();
                let bytes = elements as u64 * u64::from(element.bytes());
                is_dense(&sizes, strides).then_some((index, bytes, parameter.is_mutable()))
            }
            RawArgument::Scalar(_) => None,
        });
        Self {
            hash: key.map_or(0, |(hash, _)| hash),
            key: key.map_or_else(Box::default, |(_, key)| key.into()),
            queue: Arc::clone(&stream.queue),
            is_empty: raw.plan.is_empty(),
            addresses,
            floats,
            maps: maps.collect(),
            ranges: ranges.collect(),
            function: raw.function,
            launch: Mutex::new(raw.launch),
            workspace: raw.workspace,
        }
    }

    /// Whether no dense tensor that is written overlaps another in part.
    fn is_apart(&self, arguments: &[RawArgument<'_>]) -> bool {
        let address = |index: usize| match arguments[index] {
            RawArgument::Tensor { address, .. } => address,
            RawArgument::Scalar(_) => 0,
        };
        self.ranges
            .iter()
            .enumerate()
            .all(|(at, &(one, bytes, written))| {
                let start = address(one);
                self.ranges[at + 1..].iter().all(|&(other, others, also)| {
                    let begin = address(other);
                    let is_same = start == begin && bytes == others;
                    let is_apart = start.saturating_add(bytes) <= begin
                        || begin.saturating_add(others) <= start;
                    is_same || is_apart || !(written || also)
                })
            })
    }

    fn launch(&self, kernel: &Kernel, arguments: &[RawArgument<'_>]) -> Result<(), Error> {
        if self.is_empty {
            return Ok(());
        }
        graph::keep(|| self.workspace.clone());
        let mut launch = self.launch.lock().unwrap_or_else(PoisonError::into_inner);
        let mut write = |place: usize, bytes: &[u8]| {
            launch.parameters[place..place + bytes.len()].copy_from_slice(bytes);
        };
        for &(index, place) in &self.addresses {
            if let RawArgument::Tensor { address, .. } = arguments[index] {
                write(place, &address.to_le_bytes());
            }
        }
        for &(index, place, element) in &self.floats {
            if let RawArgument::Scalar(value) = arguments[index] {
                let bits = launch::scalar(&kernel.kernel.parameters[index], element, value)?;
                write(place, &bits.to_le_bytes()[..element.bytes() as usize]);
            }
        }
        for map in &self.maps {
            if let RawArgument::Tensor { address, .. } = arguments[map.argument] {
                write(
                    map.place,
                    &map.at(address, &**kernel.program.device.backend())?,
                );
            }
        }
        let started = self.function.start(&self.queue, &launch);
        started.map_err(|error| kernel.in_words_of_the_source(error).into())
    }
}

impl Map {
    /// The map of a tensor at an address.
    fn at(&self, address: u64, backend: &dyn Backend) -> Result<[u8; MAP_BYTES], Error> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, bytes)) = made.iter().find(|(known, _)| *known == address) {
            return Ok(*bytes);
        }
        let value = MapValue {
            address,
            ..self.value.clone()
        };
        let bytes = backend.tensor_map(&value)?;
        if made.len() >= MOST_MAPS {
            made.remove(0);
        }
        made.push((address, bytes));
        Ok(bytes)
    }
}

/// A hash of few instructions: keys are compared as well.
fn hashed(key: &Key) -> u64 {
    key.iter().fold(0, |hash: u64, word| {
        (hash.rotate_left(5) ^ *word as u64).wrapping_mul(0x517c_c1b7_2722_0a95)
    })
}
