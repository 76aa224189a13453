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
        let width = self.element.bytes() as usize;
        let mut wide = [0; 8];
        wide[..width].copy_from_slice(&self.bytes[index * width..][..width]);
        let bits = u64::from_le_bytes(wide);
        match self.element {
            // Any byte but 0 is true.
            ElementType::I1 => u64::from(bits != 0),
            _ => bits,
        }
    }

    /// Overwrites an element inside.
    fn set_bits(&mut self, index: usize, bits: u64) {
        let width = self.element.bytes() as usize;
        self.bytes[index * width..][..width].copy_from_slice(&bits.to_le_bytes()[..width]);
    }
}

/// What a pointer or tensor parameter is bound to.
#[derive(Debug)]
pub(super) struct Region {
    /// The parameter.
    pub name: String,
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

    /// Reads the bits at an address.
    pub fn load(&self, address: Address) -> Result<u64, Fault> {
        let (buffer, index) = self.locate(address, Access::Load)?;
        Ok(self.buffers[buffer.0].bits(index))
    }

    /// Writes the bits at an address.
    pub fn store(&mut self, address: Address, bits: u64) -> Result<(), Fault> {
        let region = self.region(address.parameter)?;
        if !region.mutable {
            return Err(Fault::Immutable {
                parameter: region.name.clone(),
            });
        }
        let (buffer, index) = self.locate(address, Access::Store)?;
        self.buffers[buffer.0].set_bits(index, bits);
        Ok(())
    }

    /// Remembers a store, if it was to the watched element.
    pub fn stored(&mut self, address: Address, by: impl FnOnce() -> LastStore) {
        let Some(watch) = &self.watch else { return };
        let place = (watch.buffer, watch.element);
        if self
            .locate(address, Access::Store)
            .is_ok_and(|found| found == place)
            && let Some(watch) = &mut self.watch
        {
            watch.last = Some(by());
        }
    }

    /// The place of an address inside its buffer.
    fn locate(&self, address: Address, access: Access) -> Result<(BufferId, usize), Fault> {
        let region = self.region(address.parameter)?;
        let offset = region.base.saturating_add(address.offset);
        let length = self.buffers[region.buffer.0].len();
        match usize::try_from(offset) {
            Ok(index) if index < length => Ok((region.buffer, index)),
            _ => Err(Fault::OutOfBounds {
                access,
                parameter: region.name.clone(),
                offset,
                length: length as u64,
            }),
        }
    }
}
