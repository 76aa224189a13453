//! Builds operations at the end of a block, giving equal pure operations one value.
//!
//! Operations of a dialect defined through IRDL carry no side-effect traits, so upstream CSE leaves
//! them alone; numbering them when they are built costs one hash and needs no later pass.

use melior::Context;
use melior::ir::attribute::{
    Attribute, DenseI32ArrayAttribute, DenseI64ArrayAttribute, IntegerAttribute, StringAttribute,
    TypeAttribute,
};
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationBuilder;
use melior::ir::r#type::{IntegerType, TypeLike};
use melior::ir::{
    AttributeLike, Block as OwnedBlock, Identifier, Location, Region, RegionLike, Type, ValueLike,
};
use rustc_hash::FxHashMap;

use crate::dialect;
use crate::ir::{Block, Operation, TileType, Value, attributes, name, result};
use tile_runtime::element::ElementType;
use tile_runtime::numeric::{Scalar, from_scalar};

#[derive(PartialEq, Eq, Hash)]
struct NumberingKey<'c> {
    name: &'c str,
    operands: Vec<usize>,
    attributes: Vec<(&'c str, usize)>,
    result: usize,
}

/// Appends operations to a block.
pub struct Builder<'c> {
    /// The MLIR context.
    pub context: &'c Context,
    block: Block<'c>,
    /// The blocks that this one will be in, outermost first.
    around: Vec<Block<'c>>,
    location: Location<'c>,
    /// One table per open block, innermost last: a value is reused where it dominates.
    numbering: Vec<FxHashMap<NumberingKey<'c>, Value<'c>>>,
    /// What a pass remembered in each open block, see [`Self::remember`].
    remembered: Vec<FxHashMap<(usize, usize), Value<'c>>>,
}

impl<'c> Builder<'c> {
    /// A builder at the end of `block`.
    #[must_use]
    pub fn new(context: &'c Context, block: Block<'c>, location: Location<'c>) -> Self {
        Self {
            context,
            block,
            around: Vec::new(),
            location,
            numbering: vec![FxHashMap::default()],
            remembered: vec![FxHashMap::default()],
        }
    }

    /// The block it appends to.
    #[must_use]
    pub fn block(&self) -> Block<'c> {
        self.block
    }

    /// The source location given to new operations.
    #[must_use]
    pub fn location(&self) -> Location<'c> {
        self.location
    }

    /// Sets the source location of the operations that follow.
    pub fn set_location(&mut self, location: Location<'c>) {
        self.location = location;
    }

    /// Appends an operation; a pure one that was built before in a dominating place is not built again.
    pub fn insert(
        &mut self,
        name: &str,
        operands: &[Value<'c>],
        attributes: &[(&str, Attribute<'c>)],
        results: &[Type<'c>],
    ) -> Operation<'c> {
        self.insert_with_regions(name, operands, attributes, results, Vec::new())
    }

    /// Appends an operation with regions (never numbered).
    pub fn insert_with_regions(
        &mut self,
        name: &str,
        operands: &[Value<'c>],
        attributes: &[(&str, Attribute<'c>)],
        results: &[Type<'c>],
        regions: Vec<Region<'c>>,
    ) -> Operation<'c> {
        let named: Vec<_> = attributes
            .iter()
            .map(|(name, attribute)| (Identifier::new(self.context, name), *attribute))
            .collect();
        let operation = OperationBuilder::new(name, self.location)
            .add_operands(operands)
            .add_attributes(&named)
            .add_results(results)
            .add_regions_vec(regions)
            .build()
            .unwrap_or_else(|error| panic!("building {name}: {error}"));
        crate::ffi::operation(self.block.append_operation(operation))
    }

    /// Inserts an operation with the name and the attributes of another.
    pub fn insert_like(
        &mut self,
        of: Operation<'c>,
        operands: &[Value<'c>],
        results: &[Type<'c>],
        regions: Vec<Region<'c>>,
    ) -> Operation<'c> {
        let all = attributes(of);
        self.insert_with_regions(name(of), operands, &all, results, regions)
    }

    /// Appends an operation with one result and gives that.
    pub fn value(
        &mut self,
        name: &'c str,
        operands: &[Value<'c>],
        attributes: &[(&'c str, Attribute<'c>)],
        ty: Type<'c>,
    ) -> Value<'c> {
        if !dialect::is_pure(name) {
            return result(self.insert(name, operands, attributes, &[ty]), 0);
        }
        let mut sorted: Vec<_> = attributes
            .iter()
            .map(|(name, attribute)| (*name, attribute.to_raw().ptr as usize))
            .collect();
        sorted.sort_unstable();
        let key = NumberingKey {
            name,
            operands: operands
                .iter()
                .map(|operand| operand.to_raw().ptr as usize)
                .collect(),
            attributes: sorted,
            result: ty.to_raw().ptr as usize,
        };
        if let Some(value) = self
            .numbering
            .iter()
            .rev()
            .find_map(|table| table.get(&key))
        {
            return *value;
        }
        let value = result(self.insert(name, operands, attributes, &[ty]), 0);
        if let Some(table) = self.numbering.last_mut() {
            table.insert(key, value);
        }
        value
    }

    /// Remembers a value under a pass's own key while the current block is open.
    pub fn remember(&mut self, key: (usize, usize), value: Value<'c>) {
        if let Some(table) = self.remembered.last_mut() {
            table.insert(key, value);
        }
    }

    /// What was remembered under a key in a block that dominates this place.
    #[must_use]
    pub fn recall(&self, key: (usize, usize)) -> Option<Value<'c>> {
        self.remembered
            .iter()
            .rev()
            .find_map(|table| table.get(&key))
            .copied()
    }

    /// Builds a region of one block with the given argument types; `fill` appends to it.
    pub fn region<R>(
        &mut self,
        arguments: &[Type<'c>],
        fill: impl FnOnce(&mut Self, &[Value<'c>]) -> R,
    ) -> (Region<'c>, R) {
        let region = Region::new();
        let typed: Vec<_> = arguments.iter().map(|ty| (*ty, self.location)).collect();
        let block = crate::ffi::block(region.append_block(OwnedBlock::new(&typed)));
        let location = self.location;
        self.around.push(self.block);
        self.block = block;
        self.numbering.push(FxHashMap::default());
        self.remembered.push(FxHashMap::default());
        let given = crate::ir::arguments(block);
        let filled = fill(self, &given);
        self.numbering.pop();
        self.remembered.pop();
        if let Some(outer) = self.around.pop() {
            self.block = outer;
        }
        self.location = location;
        (region, filled)
    }

    /// Appends to the block so many levels further out instead, in front of what is being built there.
    pub fn in_outer_block<R>(&mut self, levels: usize, act: impl FnOnce(&mut Self) -> R) -> R {
        let own = self.block;
        let at = self.around.len() - levels;
        let around = self.around.split_off(at);
        let numbering = self.numbering.split_off(self.numbering.len() - levels);
        let remembered = self.remembered.split_off(self.remembered.len() - levels);
        self.block = around.first().copied().unwrap_or(own);
        let outcome = act(self);
        self.block = own;
        self.around.extend(around);
        self.numbering.extend(numbering);
        self.remembered.extend(remembered);
        outcome
    }

    // Types.

    /// `iN`.
    #[must_use]
    pub fn int_type(&self, bits: u32) -> Type<'c> {
        IntegerType::new(self.context, bits).into()
    }

    /// `index`.
    #[must_use]
    pub fn index_type(&self) -> Type<'c> {
        Type::index(self.context)
    }

    /// A type from its text.
    ///
    /// # Panics
    /// If the text is no type: only texts written in this compiler are passed.
    #[must_use]
    pub fn parse_type(&self, text: &str) -> Type<'c> {
        Type::parse(self.context, text).unwrap_or_else(|| panic!("no type: {text}"))
    }

    // Attributes.

    /// An attribute from its text.
    ///
    /// # Panics
    /// If the text is no attribute: only texts written in this compiler are passed.
    #[must_use]
    pub fn parse_attribute(&self, text: &str) -> Attribute<'c> {
        Attribute::parse(self.context, text).unwrap_or_else(|| panic!("no attribute: {text}"))
    }

    /// `value : i64`.
    #[must_use]
    pub fn int(&self, value: i64) -> Attribute<'c> {
        IntegerAttribute::new(self.int_type(64), value).into()
    }

    /// `value : i32`.
    #[must_use]
    pub fn int32(&self, value: i64) -> Attribute<'c> {
        IntegerAttribute::new(self.int_type(32), value).into()
    }

    /// `"text"`.
    #[must_use]
    pub fn text(&self, text: &str) -> Attribute<'c> {
        StringAttribute::new(self.context, text).into()
    }

    /// `array<i64: …>`.
    #[must_use]
    pub fn ints(&self, values: &[i64]) -> Attribute<'c> {
        DenseI64ArrayAttribute::new(self.context, values).into()
    }

    /// `array<i32: …>`.
    #[must_use]
    pub fn ints32(&self, values: &[i32]) -> Attribute<'c> {
        DenseI32ArrayAttribute::new(self.context, values).into()
    }

    /// A float of a float type, rounded to it.
    #[must_use]
    pub fn float(&self, value: f64, ty: Type<'c>) -> Attribute<'c> {
        self.parse_attribute(&format!("{} : {ty}", float_text(value, ty)))
    }

    /// A type as an attribute.
    #[must_use]
    pub fn type_attribute(&self, ty: Type<'c>) -> Attribute<'c> {
        TypeAttribute::new(ty).into()
    }

    /// `unit`.
    #[must_use]
    pub fn unit(&self) -> Attribute<'c> {
        Attribute::unit(self.context)
    }

    // Scalars and splats in the arith dialect.

    /// An integer constant of an integer or `index` type, or the same in every element of a tile.
    pub fn constant_int(&mut self, value: i64, ty: Type<'c>) -> Value<'c> {
        let attribute = match TileType::from_type(ty) {
            Some(tile) => self.splat_attribute(tile, &int_text(value, tile.element())),
            None => IntegerAttribute::new(ty, value).into(),
        };
        self.value("arith.constant", &[], &[("value", attribute)], ty)
    }

    /// A float constant (rounded to the type), or the same in every element of a tile.
    pub fn constant_float(&mut self, value: f64, ty: Type<'c>) -> Value<'c> {
        let attribute = match TileType::from_type(ty) {
            Some(tile) => self.splat_attribute(tile, &float_text(value, tile.element())),
            None => self.float(value, ty),
        };
        self.value("arith.constant", &[], &[("value", attribute)], ty)
    }

    /// Zero, or a tile of zeros.
    pub fn zero(&mut self, ty: Type<'c>) -> Value<'c> {
        let element = crate::ir::element_type(ty);
        match element.is_integer() || element.is_index() {
            true => self.constant_int(0, ty),
            false => self.constant_float(0.0, ty),
        }
    }

    fn splat_attribute(&self, tile: TileType<'c>, text: &str) -> Attribute<'c> {
        self.parse_attribute(&format!("dense<{text}> : {}", tile.ty()))
    }

    /// What a special register of the GPU holds, such as `ctaid.x` (PTX ISA, "Special Registers"), as `i32`.
    pub fn special_register(&mut self, register: &str) -> Value<'c> {
        let name = format!("nvvm.read.ptx.sreg.{register}");
        let ty = self.int_type(32);
        self.value(crate::ffi::interned(self.context, &name), &[], &[], ty)
    }

    /// A binary operation whose result has the type of its operands.
    pub fn binary(&mut self, name: &'c str, left: Value<'c>, right: Value<'c>) -> Value<'c> {
        self.value(name, &[left, right], &[], left.r#type())
    }

    /// `arith.addi`.
    pub fn add(&mut self, left: Value<'c>, right: Value<'c>) -> Value<'c> {
        self.binary("arith.addi", left, right)
    }

    /// `arith.muli`.
    pub fn multiply(&mut self, left: Value<'c>, right: Value<'c>) -> Value<'c> {
        self.binary("arith.muli", left, right)
    }

    /// `arith.andi`.
    pub fn and(&mut self, left: Value<'c>, right: Value<'c>) -> Value<'c> {
        self.binary("arith.andi", left, right)
    }

    /// `arith.cmpi` with a predicate of [`int_predicate`](crate::dialect::predicates).
    pub fn compare_int(&mut self, predicate: i64, left: Value<'c>, right: Value<'c>) -> Value<'c> {
        let i1 = self.int_type(1);
        let ty = TileType::of(left).map_or(i1, |tile| tile.with_element(i1).ty());
        self.value(
            "arith.cmpi",
            &[left, right],
            &[("predicate", self.int(predicate))],
            ty,
        )
    }

    /// `arith.cmpf` with a predicate of [`predicates`](crate::dialect::predicates).
    pub fn compare_floats(
        &mut self,
        predicate: i64,
        left: Value<'c>,
        right: Value<'c>,
    ) -> Value<'c> {
        let i1 = self.int_type(1);
        let ty = TileType::of(left).map_or(i1, |tile| tile.with_element(i1).ty());
        let attributes = [("predicate", self.int(predicate))];
        self.value("arith.cmpf", &[left, right], &attributes, ty)
    }

    /// Whether a float is NaN.
    pub fn compare_unordered(&mut self, value: Value<'c>) -> Value<'c> {
        self.compare_floats(dialect::predicates::UNO, value, value)
    }

    /// `arith.select`.
    pub fn select(
        &mut self,
        condition: Value<'c>,
        then: Value<'c>,
        otherwise: Value<'c>,
    ) -> Value<'c> {
        self.value(
            "arith.select",
            &[condition, then, otherwise],
            &[],
            then.r#type(),
        )
    }

    /// Converts a signed integer (scalar or tile) to another width.
    pub fn int_cast(&mut self, value: Value<'c>, bits: u32, signed: bool) -> Value<'c> {
        let from = crate::ir::element_type(value.r#type());
        let to = self.int_type(bits);
        if from == to {
            return value;
        }
        let from_bits = IntegerType::try_from(from).map_or(64, |ty| ty.width());
        let ty = TileType::of(value).map_or(to, |tile| tile.with_element(to).ty());
        let name = match (from_bits < bits, signed) {
            (true, true) => "arith.extsi",
            (true, false) => "arith.extui",
            (false, _) => "arith.trunci",
        };
        self.value(name, &[value], &[], ty)
    }
}

fn int_text(value: i64, element: Type<'_>) -> String {
    if element.to_string() == "i1" {
        return (value != 0).to_string();
    }
    value.to_string()
}

/// A float as MLIR text: exact bits in hexadecimal, so that nothing is lost.
fn float_text(value: f64, element: Type<'_>) -> String {
    use half::{bf16, f16};
    let fp8 = |element| from_scalar(element, Scalar::Float(value));
    match element.to_string().as_str() {
        "f16" => format!("0x{:04X}", f16::from_f64(value).to_bits()),
        "bf16" => format!("0x{:04X}", bf16::from_f64(value).to_bits()),
        "f32" => format!("0x{:08X}", (value as f32).to_bits()),
        "f8E4M3FN" => format!("0x{:02X}", fp8(ElementType::F8E4M3)),
        "f8E5M2" => format!("0x{:02X}", fp8(ElementType::F8E5M2)),
        _ => format!("0x{:016X}", value.to_bits()),
    }
}
