//! Reductions, scans and maps: operations with a region that works on elements.

use melior::ir::attribute::ArrayAttribute;
use melior::ir::{Attribute, Region, Type, ValueLike};
use tile_runtime::element::ElementType;

use super::operations::number;
use super::{Lowering, number_type};
use crate::diagnostic::{Diagnostic, Span, messages};
use crate::dialect::{mixed_segments, predicates, several_segments};
use crate::ir::{TileType, Value, results};
use crate::typed::{Combine, Element, MultiKind, MultiOperation, ReduceOperation, VariableId};

impl<'c> Lowering<'_, 'c> {
    pub(super) fn reduce(
        &mut self,
        operand: Value<'c>,
        element: Element,
        axis: usize,
        operation: ReduceOperation,
        ty: Type<'c>,
        span: Span,
    ) -> Result<Value<'c>, Diagnostic> {
        let Element::Number(kind) = element else {
            return Err(messages::lowering::not_lowered("reducing pointers", span));
        };
        use ReduceOperation as R;
        if matches!(operation, R::ArgMax | R::ArgMin) {
            let (operand, kind) = if kind.is_float() && kind.bits() == 8 {
                (self.widened(operand, element), ElementType::F32)
            } else {
                (operand, kind)
            };
            return self.arg_extreme(operand, kind, axis, operation == R::ArgMax, ty, span);
        }
        // Narrow floats are combined in f32 and rounded once; extremes are exact as they are.
        let narrow = kind.is_float() && kind.bits() < 32;
        let narrow = narrow && (kind.bits() == 8 || matches!(operation, R::Sum | R::Product));
        let (value, kind) = if narrow {
            (self.widened(operand, element), ElementType::F32)
        } else {
            (operand, kind)
        };
        let float = kind.is_float();
        let name = match operation {
            R::Sum if float => "arith.addf",
            R::Sum => "arith.addi",
            R::Product if float => "arith.mulf",
            R::Product => "arith.muli",
            R::Max if float => "arith.maxnumf",
            R::Max if kind.is_signed() => "arith.maxsi",
            R::Max => "arith.maxui",
            R::Min if float => "arith.minnumf",
            R::Min if kind.is_signed() => "arith.minsi",
            R::Min => "arith.minui",
            R::And => "arith.andi",
            R::Or => "arith.ori",
            R::Xor => "arith.xori",
            R::ArgMax | R::ArgMin => unreachable!("handled above"),
        };
        let identity = self.identity(operation, kind);
        let scalar = number_type(&self.builder, kind);
        let out = TileType::from_type(ty).map_or(scalar, |tile| tile.with_element(scalar).ty());
        let reduced =
            self.reduce_op(&[value], axis, &[identity], &[out], |state, left, right| {
                Ok(vec![state.builder.binary(name, left[0], right[0])])
            })?[0];
        if narrow {
            return Ok(self.cast_number(reduced, ElementType::F32, number(element)));
        }
        Ok(reduced)
    }

    /// The scalar that changes nothing.
    fn identity(&self, operation: ReduceOperation, kind: ElementType) -> Attribute<'c> {
        let ty = number_type(&self.builder, kind);
        use ReduceOperation as R;
        if kind.is_float() {
            let value = match operation {
                R::Product => 1.0,
                // A NaN loses against a number, so it is what changes nothing: an infinity would
                // win over a row of NaN alone.
                R::Max | R::Min => f64::NAN,
                _ => -0.0,
            };
            return self.builder.float(value, ty);
        }
        let bits = kind.bits();
        let value: i128 = match (operation, kind.is_signed()) {
            (R::Product, _) => 1,
            (R::Max, true) => -(1i128 << (bits - 1)),
            (R::Min, true) => (1i128 << (bits - 1)) - 1,
            (R::Min | R::And, false) => -1,
            (R::And, true) => -1,
            _ => 0,
        };
        let text = if bits == 1 {
            (value != 0).to_string()
        } else {
            format!("{value} : {ty}")
        };
        self.builder.parse_attribute(&text)
    }

    /// The extreme first, then the first index of what equals it: four instructions for an element, where value and
    /// index together take a dozen, as NaN must lose and of equal values the first must win. A program that asks for
    /// both the extreme and its index computes the extreme once.
    fn arg_extreme(
        &mut self,
        operand: Value<'c>,
        kind: ElementType,
        axis: usize,
        largest: bool,
        ty: Type<'c>,
        span: Span,
    ) -> Result<Value<'c>, Diagnostic> {
        let tile = TileType::of(operand).expect("sema reduces tiles only");
        let shape = tile.shape();
        let scalar = number_type(&self.builder, kind);
        let out = TileType::from_type(ty).map_or(scalar, |tile| tile.with_element(scalar).ty());
        let operation = if largest {
            ReduceOperation::Max
        } else {
            ReduceOperation::Min
        };
        let mut extreme =
            self.reduce(operand, Element::Number(kind), axis, operation, out, span)?;
        if TileType::of(extreme).is_some() {
            let mut sizes = shape.clone();
            sizes[axis] = 1;
            let column = TileType::new(&sizes, scalar, None).ty();
            let axis = self.builder.int(axis as i64);
            extreme = self
                .builder
                .value("tile.expand", &[extreme], &[("axis", axis)], column);
        }
        let extreme = self.broadcast(extreme, tile.ty());
        let equal = if kind.is_float() {
            self.compare_float(predicates::OEQ, operand, extreme)
        } else {
            self.builder.compare_int(predicates::EQ, operand, extreme)
        };
        let index = self.coordinate(&shape, axis);
        let none = self
            .builder
            .constant_int(i64::from(i32::MAX), index.r#type());
        let candidates = self.builder.select(equal, index, none);
        let last = self.builder.parse_attribute("2147483647 : i32");
        let found = self.reduce_op(&[candidates], axis, &[last], &[ty], |state, left, right| {
            Ok(vec![state.builder.binary("arith.minsi", left[0], right[0])])
        })?[0];
        if !kind.is_float() {
            return Ok(found);
        }
        // Of NaN alone, which equals nothing, the first.
        let none = self.builder.constant_int(i64::from(i32::MAX), ty);
        let first = self.builder.constant_int(0, ty);
        let is_none = self.builder.compare_int(predicates::EQ, found, none);
        Ok(self.builder.select(is_none, first, found))
    }

    /// A reduction, scan or map with a function of the program's own.
    pub(super) fn combined(
        &mut self,
        variables: &[VariableId],
        operation: &MultiOperation,
        span: Span,
    ) -> Result<(), Diagnostic> {
        let MultiOperation {
            kind,
            inputs,
            axis,
            combine,
        } = operation;
        let mut operands = Vec::new();
        for input in inputs {
            operands.push(self.expr(input)?);
        }
        self.at(span);
        let mut types: Vec<_> = variables
            .iter()
            .map(|id| self.ty(&self.kernel.variables[id.0 as usize].ty))
            .collect();
        let mut identity: Vec<_> = operands
            .iter()
            .map(|operand| {
                let zero = crate::ir::element_type(operand.r#type()).to_string();
                let text = match zero.as_str() {
                    "i1" => "false".to_owned(),
                    integer if integer.starts_with('i') => format!("0 : {integer}"),
                    float => format!("0.0 : {float}"),
                };
                self.builder.parse_attribute(&text)
            })
            .collect();
        let count = operands.len();
        let results = match kind {
            MultiKind::Map => {
                let region = self.element_region(&operands, 1, |state, given| {
                    state.inlined(combine, given, &[])
                })?;
                let attributes = [
                    ("operandSegmentSizes", self.segments(count)),
                    ("resultSegmentSizes", self.segments(types.len())),
                ];
                results(self.builder.insert_with_regions(
                    "tile.map",
                    &operands,
                    &attributes,
                    &types,
                    vec![region],
                ))
            }
            // Padding comes last and is combined with nothing that is kept.
            MultiKind::Scan { reverse } => {
                let region = self.combiner(&operands, |state, left, right| {
                    state.inlined(combine, left, right)
                })?;
                let attributes = [
                    ("axis", self.builder.int(*axis as i64)),
                    ("reverse", self.builder.int(i64::from(*reverse))),
                    (
                        "operandSegmentSizes",
                        self.builder.ints32(
                            &several_segments(count)
                                .chain(mixed_segments(0))
                                .collect::<Vec<_>>(),
                        ),
                    ),
                    ("resultSegmentSizes", self.segments(count)),
                ];
                results(self.builder.insert_with_regions(
                    "tile.scan",
                    &operands,
                    &attributes,
                    &types,
                    vec![region],
                ))
            }
            MultiKind::Reduce => {
                let size = TileType::of(operands[0]).map_or(1, |tile| tile.shape()[*axis]);
                let padded = !size.is_power_of_two();
                if padded {
                    // Nothing is known to change nothing: whether there is a value travels along.
                    let bit = self.builder.int_type(1);
                    let first = TileType::of(operands[0]).expect("sema reduces tiles only");
                    let present = first.with_element(bit).ty();
                    operands.push(self.builder.constant_int(1, present));
                    identity.push(self.builder.parse_attribute("false"));
                    let shape = TileType::from_type(types[0]).map(TileType::shape);
                    types.push(shape.map_or(bit, |shape| TileType::new(&shape, bit, None).ty()));
                }
                self.reduce_op(&operands, *axis, &identity, &types, |state, left, right| {
                    if !padded {
                        return state.inlined(combine, left, right);
                    }
                    let (has_left, has_right) = (left[count], right[count]);
                    let both = state.builder.and(has_left, has_right);
                    let combined = state.inlined(combine, &left[..count], &right[..count])?;
                    let mut results = Vec::new();
                    for (index, combined) in combined.into_iter().enumerate() {
                        let (left, right) = (left[index], right[index]);
                        let one = state.builder.select(has_left, left, right);
                        results.push(state.builder.select(both, combined, one));
                    }
                    results.push(state.builder.binary("arith.ori", has_left, has_right));
                    Ok(results)
                })?
            }
        };
        for (id, value) in variables.iter().zip(results) {
            self.values.insert(*id, value);
        }
        Ok(())
    }

    /// The combiner's results for two partial results.
    fn inlined(
        &mut self,
        combine: &Combine,
        left: &[Value<'c>],
        right: &[Value<'c>],
    ) -> Result<Vec<Value<'c>>, Diagnostic> {
        for (id, value) in combine.left.iter().zip(left) {
            self.values.insert(*id, *value);
        }
        for (id, value) in combine.right.iter().zip(right) {
            self.values.insert(*id, *value);
        }
        self.block(&combine.body.statements)?;
        let results = combine.results.iter();
        results.map(|result| self.expr(result)).collect()
    }

    fn segments(&self, count: usize) -> Attribute<'c> {
        let sizes: Vec<_> = several_segments(count).collect();
        self.builder.ints32(&sizes)
    }

    /// The region of a combiner of elements of `operands`.
    fn combiner(
        &mut self,
        operands: &[Value<'c>],
        combine: impl FnOnce(
            &mut Self,
            &[Value<'c>],
            &[Value<'c>],
        ) -> Result<Vec<Value<'c>>, Diagnostic>,
    ) -> Result<Region<'c>, Diagnostic> {
        self.element_region(operands, 2, |state, given| {
            let (left, right) = given.split_at(operands.len());
            combine(state, left, right)
        })
    }

    /// A region that is given elements of `operands`, that many times, and yields what it computes.
    fn element_region(
        &mut self,
        operands: &[Value<'c>],
        times: usize,
        compute: impl FnOnce(&mut Self, &[Value<'c>]) -> Result<Vec<Value<'c>>, Diagnostic>,
    ) -> Result<Region<'c>, Diagnostic> {
        let scalars: Vec<_> = operands
            .iter()
            .map(|operand| crate::ir::element_type(operand.r#type()))
            .collect();
        self.branch_region(&scalars.repeat(times), |state, given| {
            let values = compute(state, given)?;
            state.builder.insert("gpu.yield", &values, &[], &[]);
            Ok(())
        })
    }

    fn reduce_op(
        &mut self,
        operands: &[Value<'c>],
        axis: usize,
        identity: &[Attribute<'c>],
        types: &[Type<'c>],
        combine: impl FnOnce(
            &mut Self,
            &[Value<'c>],
            &[Value<'c>],
        ) -> Result<Vec<Value<'c>>, Diagnostic>,
    ) -> Result<Vec<Value<'c>>, Diagnostic> {
        let region = self.combiner(operands, combine)?;
        let identity = ArrayAttribute::new(self.builder.context, identity).into();
        let attributes = [
            ("axis", self.builder.int(axis as i64)),
            ("identity", identity),
            ("partial", self.builder.int(0)),
            ("operandSegmentSizes", self.segments(operands.len())),
            ("resultSegmentSizes", self.segments(operands.len())),
        ];
        Ok(results(self.builder.insert_with_regions(
            "tile.reduce",
            operands,
            &attributes,
            types,
            vec![region],
        )))
    }

    /// The only element of a tile.
    pub(super) fn single(&mut self, mut tile: Value<'c>) -> Result<Value<'c>, Diagnostic> {
        while let Some(ty) = TileType::of(tile) {
            let mut shape = ty.shape();
            shape.pop();
            let element = ty.element();
            let reduced = if shape.is_empty() {
                element
            } else {
                TileType::new(&shape, element, None).ty()
            };
            // There is one element: nothing is combined, and nothing is padding.
            let left = |_: &mut Self, left: &[Value<'c>], _: &[Value<'c>]| Ok(left.to_vec());
            tile = self.reduce_op(&[tile], shape.len(), &[], &[reduced], left)?[0];
        }
        Ok(tile)
    }
}
