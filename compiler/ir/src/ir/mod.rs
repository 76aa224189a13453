//! A thin floor over melior: handles without borrow gymnastics.
//!
//! melior ties each handle to a borrow of its parent. A pass reads one module and writes another, and
//! both outlive it, so the aliases here give every handle the lifetime of the context; the one unsafe
//! step is in [`crate::ffi`].

use melior::ir::attribute::{Attribute, DenseI64ArrayAttribute, IntegerAttribute, StringAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{DimSize, RankedTensorType, ShapedTypeLike, TypeLike};
use melior::ir::{BlockRef, OperationRef, Type, ValueLike};

pub mod ffi;

/// An SSA value.
pub type Value<'c> = melior::ir::Value<'c, 'c>;
/// An operation in a module.
pub type Operation<'c> = OperationRef<'c, 'c>;
/// A block in a region.
pub type Block<'c> = BlockRef<'c, 'c>;

/// An identity for a value that can be hashed; valid while its module lives. It has no order: what is written must not depend on where
/// values are in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ValueKey(usize);

/// The identity of a value.
#[must_use]
pub fn key(value: Value<'_>) -> ValueKey {
    ValueKey(value.to_raw().ptr as usize)
}

/// The identity of an operation.
#[must_use]
pub fn address(operation: Operation<'_>) -> usize {
    operation.to_raw().ptr as usize
}

/// The operands of an operation.
#[must_use]
pub fn operands<'c>(operation: Operation<'c>) -> Vec<Value<'c>> {
    operation.operands().map(crate::ffi::value).collect()
}

/// The operand at `index`.
///
/// # Panics
/// If there is none: the verifier has run before.
#[must_use]
pub fn operand<'c>(operation: Operation<'c>, index: usize) -> Value<'c> {
    crate::ffi::value(operation.operand(index).expect("verified operand count"))
}

/// The results of an operation.
#[must_use]
pub fn results<'c>(operation: Operation<'c>) -> Vec<Value<'c>> {
    operation
        .results()
        .map(|result| crate::ffi::value(result.into()))
        .collect()
}

/// The result at `index`.
///
/// # Panics
/// If there is none: the verifier has run before.
#[must_use]
pub fn result<'c>(operation: Operation<'c>, index: usize) -> Value<'c> {
    crate::ffi::value(
        operation
            .result(index)
            .expect("verified result count")
            .into(),
    )
}

/// The operations of a block, in order.
#[must_use]
pub fn operations(block: Block<'_>) -> Vec<Operation<'_>> {
    let mut all = Vec::new();
    let mut next = crate::ffi::first_operation(block);
    while let Some(operation) = next {
        all.push(operation);
        next = crate::ffi::next_operation(operation);
    }
    all
}

/// Whether an operation is a loop.
#[must_use]
pub fn is_loop(operation: Operation<'_>) -> bool {
    matches!(name(operation), "scf.for" | "scf.while")
}

/// What a block of structured control flow gives at its end.
#[must_use]
pub fn yielded<'c>(block: Block<'c>) -> Vec<Value<'c>> {
    let last = operations(block).last().copied();
    last.map(operands).unwrap_or_default()
}

/// The first (and in this compiler's structured code only) block of the region at `index`.
#[must_use]
pub fn region_block<'c>(operation: Operation<'c>, index: usize) -> Option<Block<'c>> {
    crate::ffi::region_block(operation, index)
}

/// The arguments of a block.
#[must_use]
pub fn arguments<'c>(block: Block<'c>) -> Vec<Value<'c>> {
    crate::ffi::block_arguments(block)
}

/// Runs something and gives what MLIR had to say meanwhile, which it would print to stderr.
pub fn listen<R>(context: &melior::Context, run: impl FnOnce() -> R) -> (R, String) {
    let messages = std::cell::RefCell::new(Vec::new());
    let handler = context.attach_diagnostic_handler(|diagnostic| {
        messages.borrow_mut().push(diagnostic.to_string());
        true
    });
    let value = run();
    context.detach_diagnostic_handler(handler);
    (value, messages.into_inner().join("\n"))
}

/// The name of an operation, such as `arith.addi`.
#[must_use]
pub fn name<'c>(operation: Operation<'c>) -> &'c str {
    crate::ffi::operation_name(operation)
}

/// An integer attribute.
#[must_use]
pub fn int_attribute(operation: Operation<'_>, name: &str) -> Option<i64> {
    let attribute = operation.attribute(name).ok()?;
    // MLIR's accessor wants a signless type; every integer we write is signless.
    IntegerAttribute::try_from(attribute)
        .ok()
        .map(|integer| integer.value())
}

/// A string attribute.
#[must_use]
pub fn text_attribute<'c>(operation: Operation<'c>, name: &str) -> Option<&'c str> {
    let attribute = operation.attribute(name).ok()?;
    StringAttribute::try_from(attribute)
        .ok()
        .map(crate::ffi::text)
}

/// An `array<i64: …>` attribute.
#[must_use]
pub fn ints_attribute(operation: Operation<'_>, name: &str) -> Option<Vec<i64>> {
    let attribute = operation.attribute(name).ok()?;
    let array = DenseI64ArrayAttribute::try_from(attribute).ok()?;
    (0..array.len())
        .map(|index| array.element(index).ok())
        .collect()
}

/// All attributes, named.
#[must_use]
pub fn attributes<'c>(operation: Operation<'c>) -> Vec<(&'c str, Attribute<'c>)> {
    crate::ffi::attributes(operation)
}

/// A tile type taken apart: shape, element type and encoding.
#[derive(Clone, Copy)]
pub struct TileType<'c>(RankedTensorType<'c>);

impl<'c> TileType<'c> {
    /// The tile type of a value, `None` for scalars.
    #[must_use]
    pub fn of(value: Value<'c>) -> Option<Self> {
        Self::from_type(value.r#type())
    }

    /// A type as a tile type.
    #[must_use]
    pub fn from_type(ty: Type<'c>) -> Option<Self> {
        if !ty.is_ranked_tensor() {
            return None;
        }
        RankedTensorType::try_from(ty).ok().map(Self)
    }

    /// A new one.
    #[must_use]
    pub fn new(shape: &[u64], element: Type<'c>, encoding: Option<Attribute<'c>>) -> Self {
        Self(RankedTensorType::new(shape, element, encoding))
    }

    /// Sizes, outermost first.
    #[must_use]
    pub fn shape(self) -> Vec<u64> {
        (0..self.0.rank())
            .map(|d| match self.0.dim_size(d) {
                Ok(DimSize::Static(size)) => size,
                _ => 0,
            })
            .collect()
    }

    /// Its element.
    #[must_use]
    pub fn element(self) -> Type<'c> {
        self.0.element()
    }

    /// Its encoding: the layout, once chosen.
    #[must_use]
    pub fn encoding(self) -> Option<Attribute<'c>> {
        self.0.encoding()
    }

    /// As a type.
    #[must_use]
    pub fn ty(self) -> Type<'c> {
        self.0.into()
    }

    /// Same shape and encoding, other element.
    #[must_use]
    pub fn with_element(self, element: Type<'c>) -> Self {
        Self::new(&self.shape(), element, self.encoding())
    }

    /// Same shape and element, other encoding.
    #[must_use]
    pub fn with_encoding(self, encoding: Attribute<'c>) -> Self {
        Self::new(&self.shape(), self.element(), Some(encoding))
    }
}

/// The element type of a tile or the type itself for a scalar.
#[must_use]
pub fn element_type(ty: Type<'_>) -> Type<'_> {
    TileType::from_type(ty).map_or(ty, TileType::element)
}
