//! Layouts in types: between [`Layout`] and the encoding of a tile, [`SharedLayout`] and that of a
//! buffer.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use melior::Context;
use melior::ir::attribute::{ArrayAttribute, Attribute, DictionaryAttribute, IntegerAttribute};
use melior::ir::r#type::TypeLike;
use melior::ir::{Type, ValueLike};

use crate::build::Builder;
use crate::dialect::ops::{Load, SharedAlloc};
use crate::dialect::{TileOp, shared_tile, shared_type};
use crate::ffi::defining_operation;
use crate::ir::{Operation, TileType, Value, int_attribute, ints_attribute};
use crate::layout::descriptor::ALIGNMENT;
use crate::layout::{Layout, SharedLayout, Swizzle};
use crate::{element_bits, is_tile};

/// The attribute of a store that few programs do: others store the same tile as a box.
pub const RARE: &str = "tile.rare";

/// What a warpgroup does around a product that it issues in turn with the others (`in_turn` of `dot`): it waits for its turn,
/// and it passes the turn on.
pub const WAITS_FOR_TURN: i64 = 1;
pub const PASSES_TURN: i64 = 2;

/// Layouts read from types, each parsed once.
#[derive(Default)]
pub struct Encodings {
    layouts: RefCell<HashMap<usize, Rc<Layout>>>,
}

impl Encodings {
    /// The layout of a tile value.
    ///
    /// # Panics
    /// If it has none: the pass runs after `layouts`, which gives every tile one.
    #[must_use]
    pub fn layout(&self, value: Value<'_>) -> Rc<Layout> {
        self.of_type(value.r#type())
    }

    /// Registers of 32 bits that a thread has for a value.
    ///
    /// # Panics
    /// As [`Self::layout`].
    #[must_use]
    pub fn registers(&self, value: Value<'_>) -> u64 {
        let count = match TileType::of(value) {
            Some(_) => self.layout(value).register_count() as u64,
            None => 1,
        };
        (count * element_bits(value.r#type())).div_ceil(32)
    }

    /// The same of what a load of so many elements at a time gives: what is narrower than a register is in one alone.
    ///
    /// # Panics
    /// As [`Self::layout`].
    #[must_use]
    pub fn loaded_registers(&self, load: Load<'_>) -> u64 {
        let loaded = load.result();
        let vector = int_attribute(load.0, "vector").unwrap_or(1) as u64;
        match is_tile(loaded) && vector * element_bits(loaded.r#type()) < 32 {
            true => self.layout(loaded).register_count() as u64,
            false => self.registers(loaded),
        }
    }

    /// The layout of a tile type.
    ///
    /// # Panics
    /// As [`Self::layout`].
    #[must_use]
    pub fn of_type(&self, ty: Type<'_>) -> Rc<Layout> {
        let address = ty.to_raw().ptr as usize;
        if let Some(layout) = self.layouts.borrow().get(&address) {
            return Rc::clone(layout);
        }
        let tile = TileType::from_type(ty).unwrap_or_else(|| panic!("{ty} is no tile"));
        let text = tile
            .encoding()
            .map(|encoding| encoding.to_string())
            .unwrap_or_default();
        let layout = Layout::from_attribute(&text, &tile.shape())
            .unwrap_or_else(|error| panic!("{ty} has no layout: {error}"));
        let layout = Rc::new(layout);
        self.layouts
            .borrow_mut()
            .insert(address, Rc::clone(&layout));
        layout
    }
}

/// How often a tile may be repeated along a new axis where it is.
pub const MOST_COPIES: u64 = 8;

/// The attribute of a product that a warp leaves out where all its factors are 1.
pub const UNLESS_ONE: &str = "tile.unless_one";

/// The attribute of an operation whose result is known to hold one value along runs of so many
/// positions in each dimension, powers of two. `layouts` sets it, where facts are at hand.
const RUNS: &str = "tile.runs";

/// The attribute for a result with this constancy, if that is more than nothing.
pub fn runs_attribute<'c>(
    builder: &Builder<'c>,
    constancy: &[u64],
) -> Option<(&'static str, Attribute<'c>)> {
    let runs: Vec<i64> = constancy
        .iter()
        .map(|run| {
            if *run == 0 {
                1
            } else {
                1 << run.trailing_zeros()
            }
        })
        .collect();
    let says_something = runs.iter().any(|run| *run > 1);
    says_something.then(|| (RUNS, builder.ints(&runs)))
}

/// The runs that [`runs_attribute`] noted.
pub fn runs_of(operation: Operation<'_>) -> Option<Vec<u64>> {
    let runs = ints_attribute(operation, RUNS)?;
    runs.into_iter().map(|run| run.try_into().ok()).collect()
}

/// A tile type with a layout.
#[must_use]
pub fn with_layout<'c>(context: &'c Context, ty: Type<'c>, layout: &Layout) -> Type<'c> {
    let element = crate::ir::element_type(ty);
    let encoding =
        Attribute::parse(context, &layout.to_attribute()).expect("a layout's text parses");
    TileType::new(layout.shape(), element, Some(encoding)).ty()
}

/// The type of a buffer for elements of `element` laid out so.
#[must_use]
pub fn buffer_type<'c>(context: &'c Context, element: Type<'c>, layout: &SharedLayout) -> Type<'c> {
    let swizzle = layout.swizzle();
    let text = format!(
        "{{max_phase = {}, order = {:?}, per_phase = {}, pitch = {}, vector = {}}}",
        swizzle.max_phase,
        layout.order(),
        swizzle.per_phase,
        layout.row_pitch(),
        swizzle.vector
    );
    let encoding = Attribute::parse(context, &text).expect("a shared layout's text parses");
    shared_type(
        context,
        TileType::new(layout.shape(), element, Some(encoding)).ty(),
    )
}

/// The operation's value that allocated a buffer, or the buffers that it is one of.
#[must_use]
pub fn allocation(buffer: Value<'_>) -> Value<'_> {
    match defining_operation(buffer).and_then(TileOp::of) {
        Some(TileOp::SharedStage(stage)) => stage.buffer(),
        _ => buffer,
    }
}

/// What a row in shared memory begins at a multiple of, as TMA asks (CUDA driver API, "cuTensorMapEncodeTiled").
pub const ROW_ALIGNMENT: u64 = 128;

/// How many buffers an allocation has.
#[must_use]
pub fn stages(allocation: SharedAlloc<'_>) -> u64 {
    int_attribute(allocation.0, "stages").map_or(1, |stages| stages as u64)
}

/// Bytes from one buffer of an allocation to the next: each begins as aligned as the first. Rows are no operands of a product.
#[must_use]
pub fn stage_bytes(layout: &SharedLayout) -> u64 {
    let alignment = match layout.shape() {
        [_] => ROW_ALIGNMENT,
        _ => ALIGNMENT,
    };
    layout.size_bytes().next_multiple_of(alignment)
}

/// The element type and layout of a buffer.
///
/// # Panics
/// If the value is no buffer.
#[must_use]
pub fn buffer_layout<'c>(context: &'c Context, buffer: Value<'c>) -> (Type<'c>, SharedLayout) {
    let tile = shared_tile(context, buffer.r#type())
        .and_then(TileType::from_type)
        .expect("a buffer");
    let encoding = tile
        .encoding()
        .and_then(|encoding| DictionaryAttribute::try_from(encoding).ok())
        .expect("a shared layout");
    let number = |name: &str| {
        encoding
            .element_by_name(name)
            .and_then(|attribute| IntegerAttribute::try_from(attribute).ok())
            .map_or(1, |attribute| attribute.value() as u64)
    };
    let order: Vec<usize> = encoding
        .element_by_name("order")
        .and_then(|attribute| ArrayAttribute::try_from(attribute).ok())
        .map(|array| {
            (0..array.len())
                .filter_map(|index| array.element(index).ok())
                .filter_map(|element| IntegerAttribute::try_from(element).ok())
                .map(|element| element.value() as usize)
                .collect()
        })
        .unwrap_or_default();
    let swizzle = Swizzle {
        vector: number("vector"),
        per_phase: number("per_phase"),
        max_phase: number("max_phase"),
    };
    let bytes = super::element_bytes(tile.element());
    let layout = SharedLayout::new(&tile.shape(), &order, bytes, swizzle);
    let layout = match encoding.element_by_name("pitch") {
        Some(_) => layout.with_row_pitch(number("pitch")),
        None => layout,
    };
    (tile.element(), layout)
}
