//! Buffers, and access to them through the parameters of a kernel.

use tile_runtime::element::ElementType;
use tile_runtime::numeric::{self, Scalar};

use super::fault::{Access, Fault};
use super::value::Address;
use crate::diagnostic::Span;

/// Memory that parameters can point to: elements of one type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Buffer {
    /// The type of its elements.
    pub element: ElementType,
    /// Little-endian, [`ElementType::bytes`] per element.
    pub bytes: Vec<u8>,
}

/// A buffer among the [`Arguments`](super::Arguments).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BufferId(pub usize);

impl Buffer {
    /// Converts numbers to elements.
    pub fn new(element: ElementType, values: impl IntoIterator<Item = impl Into<Scalar>>) -> Self {
        let width = element.bytes() as usize;
        let bytes = values
            .into_iter()
            .flat_map(|value| {
                let bits = numeric::from_scalar(element, value.into());
                bits.to_le_bytes().into_iter().take(width)
            })
            .collect();
        Self { element, bytes }
    }

    /// How many elements it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.len() / self.element.bytes() as usize
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements as numbers.
    pub fn values(&self) -> impl Iterator<Item = Scalar> {
        (0..self.len()).map(|index| numeric::to_scalar(self.element, self.bits(index)))
    }

    /// The bits of an element inside.
    fn bits(&self, index: usize) -> u64 {
        self.bits_at(index * self.element.bytes() as usize, self.element)
    }

    /// The bits of an element of any type, from a byte on.
    fn bits_at(&self, byte: usize, element: ElementType) -> u64 {
        let width = element.bytes() as usize;
        let mut wide = [0; 8];
        wide[..width].copy_from_slice(&self.bytes[byte..][..width]);
        let bits = u64::from_le_bytes(wide);
        match element {
            // Any byte but 0 is true.
            ElementType::I1 => u64::from(bits != 0),
            _ => bits,
        }
    }

    /// Overwrites an element of any type, from a byte on.
    fn set_bits_at(&mut self, byte: usize, element: ElementType, bits: u64) {
        let width = element.bytes() as usize;
        self.bytes[byte..][..width].copy_from_slice(&bits.to_le_bytes()[..width]);
    }
}

/// The address of the first byte of a buffer. Buffers lie far apart, so that what is outside of one is
/// in no other.
pub(super) fn start(buffer: BufferId) -> u64 {
    (buffer.0 as u64 + 1) << SPACING
}

/// The distance between two buffers is two to the power of this, in bytes.
const SPACING: u32 = 40;

/// What a pointer or tensor parameter is bound to.
#[derive(Debug)]
pub(super) struct Region {
    /// The parameter.
    pub name: String,
    /// What it points to.
    pub element: ElementType,
    /// Whether it may be written.
    pub mutable: bool,
    /// The memory.
    pub buffer: BufferId,
    /// The element of the buffer it points to.
    pub base: i64,
    /// Sizes of a tensor; empty for a pointer.
    pub sizes: Vec<u64>,
    /// Strides of a tensor, in elements.
    pub strides: Vec<i64>,
}

/// An element whose stores are remembered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Watch {
    /// Where it is.
    pub buffer: BufferId,
    /// Which of the buffer's elements.
    pub element: usize,
    /// Who stored there last.
    pub last: Option<LastStore>,
}

/// A store to the watched element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastStore {
    /// The statement.
    pub span: Span,
    /// The program: x, y, z.
    pub program: [u32; 3],
    /// Which element of the stored tile it was, outermost first; empty for a single value.
    pub position: Vec<u64>,
}

/// All memory a kernel can reach.
pub(super) struct Memory<'a> {
    /// The buffers.
    pub buffers: &'a mut [Buffer],
    /// One per parameter; `None` for scalars.
    pub regions: Vec<Option<Region>>,
    /// What is watched.
    pub watch: Option<&'a mut Watch>,
}

impl Memory<'_> {
    /// The region of a pointer or tensor parameter.
    pub fn region(&self, parameter: usize) -> Result<&Region, Fault> {
        match self.regions.get(parameter) {
            Some(Some(region)) => Ok(region),
            _ => Err(Fault::Malformed(
                "an address that comes from no pointer or tensor",
            )),
        }
    }

    /// The address as a number.
    pub fn absolute(&self, address: Address) -> Result<u64, Fault> {
        let Some(parameter) = address.parameter else {
            return Ok(address.offset as u64);
        };
        let region = self.region(parameter)?;
        let first = start(region.buffer).wrapping_add(region.base_in_bytes() as u64);
        Ok(first.wrapping_add(address.offset as u64))
    }

    /// Reads the bits of an element at an address.
    pub fn load(&self, address: Address, element: ElementType) -> Result<u64, Fault> {
        let (buffer, byte) = self.locate(address, element, Access::Load)?;
        Ok(self.buffers[buffer.0].bits_at(byte, element))
    }

    /// Writes the bits of an element at an address.
    pub fn store(
        &mut self,
        address: Address,
        element: ElementType,
        bits: u64,
    ) -> Result<(), Fault> {
        let (buffer, byte) = match address.parameter {
            // What is not `mut` is said first.
            Some(parameter) => {
                let region = self.region(parameter)?;
                if !region.mutable {
                    return Err(Fault::Immutable {
                        parameter: region.name.clone(),
                    });
                }
                self.locate(address, element, Access::Store)?
            }
            None => {
                let place = self.locate(address, element, Access::Store)?;
                let regions = self.regions.iter().flatten();
                let mut regions = regions.filter(|region| region.buffer == place.0).peekable();
                if let Some(first) = regions.peek().map(|region| region.name.clone())
                    && !regions.any(|region| region.mutable)
                {
                    return Err(Fault::Immutable { parameter: first });
                }
                place
            }
        };
        self.buffers[buffer.0].set_bits_at(byte, element, bits);
        Ok(())
    }

    /// Remembers a store, if it was to the watched element.
    pub fn stored(
        &mut self,
        address: Address,
        element: ElementType,
        by: impl FnOnce() -> LastStore,
    ) {
        let Some(watch) = &self.watch else { return };
        let width = self.buffers[watch.buffer.0].element.bytes() as usize;
        let watched = watch.element * width..(watch.element + 1) * width;
        if let Ok((buffer, byte)) = self.locate(address, element, Access::Store)
            && buffer == watch.buffer
            && byte < watched.end
            && watched.start < byte + element.bytes() as usize
            && let Some(watch) = &mut self.watch
        {
            watch.last = Some(by());
        }
    }

    /// The buffer an address is in, and at which of its bytes.
    fn locate(
        &self,
        address: Address,
        element: ElementType,
        access: Access,
    ) -> Result<(BufferId, usize), Fault> {
        let width = element.bytes();
        let Some(parameter) = address.parameter else {
            return self.locate_number(address.offset as u64, element, access);
        };
        let region = self.region(parameter)?;
        let byte = region.base_in_bytes().saturating_add(address.offset);
        let length = self.buffers[region.buffer.0].bytes.len() as u64;
        if byte.rem_euclid(i64::from(width)) != 0 {
            return Err(misaligned(element, access));
        }
        match u64::try_from(byte) {
            Ok(byte) if byte + u64::from(width) <= length => Ok((region.buffer, byte as usize)),
            _ => Err(Fault::OutOfBounds {
                access,
                parameter: region.name.clone(),
                offset: byte.div_euclid(i64::from(width)),
                length: length / u64::from(width),
            }),
        }
    }

    /// The same for an address made from an integer.
    fn locate_number(
        &self,
        address: u64,
        element: ElementType,
        access: Access,
    ) -> Result<(BufferId, usize), Fault> {
        let width = u64::from(element.bytes());
        let number = (address >> SPACING)
            .checked_sub(1)
            .map(|number| number as usize);
        let byte = address & ((1 << SPACING) - 1);
        match number.and_then(|number| Some((number, self.buffers.get(number)?))) {
            Some((number, buffer)) if byte + width <= buffer.bytes.len() as u64 => {
                if !byte.is_multiple_of(width) {
                    return Err(misaligned(element, access));
                }
                Ok((BufferId(number), byte as usize))
            }
            _ => Err(Fault::NoBuffer { access, address }),
        }
    }
}

impl Region {
    /// The byte of the buffer it points to.
    fn base_in_bytes(&self) -> i64 {
        self.base.saturating_mul(i64::from(self.element.bytes()))
    }
}

fn misaligned(element: ElementType, access: Access) -> Fault {
    Fault::Misaligned {
        access,
        element,
        bytes: element.bytes(),
    }
}
