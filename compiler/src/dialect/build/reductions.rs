//! Reductions: a region that combines two partial results.

use melior::ir::attribute::ArrayAttribute;
use melior::ir::{Attribute, Type, ValueLike};
use tile_runtime::element::ElementType;

use super::{Lowering, number_type};
use crate::diagnostic::{Diagnostic, Span, messages};
use crate::dialect::predicates;
use crate::ir::{TileType, Value, results};
use crate::typed::{Element, ReduceOperation};

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
        self.require_wide_float(element, span)?;
        let Element::Number(kind) = element else {
            return Err(messages::lowering::not_lowered("reducing pointers", span));
        };
        use ReduceOperation as R;
        if matches!(operation, R::ArgMax | R::ArgMin) {
            return self.arg_extreme(operand, kind, axis, operation == R::ArgMax, ty);
        }
        // Narrow floats are combined in f32 and rounded once; extremes are exact as they are.
        let narrow =
            kind.is_float() && kind.bits() < 32 && matches!(operation, R::Sum | R::Product);
        let (value, kind) = if narrow {
            let wide = self.with_element(operand, Element::Number(ElementType::F32));
            (
                self.builder.value("arith.extf", &[operand], &[], wide),
                ElementType::F32,
            )
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
        let reduced = self.reduce_op(&[value], axis, &[identity], &[out], |state, left, right| {
            vec![state.builder.binary(name, left[0], right[0])]
        })[0];
        if narrow {
            return Ok(self.builder.value("arith.truncf", &[reduced], &[], ty));
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
                R::Max => f64::NEG_INFINITY,
                R::Min => f64::INFINITY,
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

    /// Value and index together; of equal values the smaller index wins.
    fn arg_extreme(
        &mut self,
        operand: Value<'c>,
        kind: ElementType,
        axis: usize,
        largest: bool,
        ty: Type<'c>,
    ) -> Result<Value<'c>, Diagnostic> {
        let tile = TileType::of(operand).expect("sema reduces tiles only");
        let shape = tile.shape();
        let narrow = self.builder.int_type(32);
        let row = TileType::new(&[shape[axis]], narrow, None).ty();
        let lo = self.builder.int(0);
        let mut index = self.builder.value("tile.arange", &[], &[("lo", lo)], row);
        for dimension in 0..shape.len() {
            if dimension == axis {
                continue;
            }
            let mut expanded = TileType::of(index).expect("a tile").shape();
            expanded.insert(dimension.min(expanded.len()), 1);
            let expanded = TileType::new(&expanded, narrow, None).ty();
            let axis = self.builder.int(dimension as i64);
            index = self
                .builder
                .value("tile.expand", &[index], &[("axis", axis)], expanded);
        }
        let full = TileType::new(&shape, narrow, None).ty();
        let index = self.broadcast(index, full);
        let operation = if largest {
            ReduceOperation::Max
        } else {
            ReduceOperation::Min
        };
        let worst = self.identity(operation, kind);
        let last = self.builder.parse_attribute("2147483647 : i32");
        let scalar = number_type(&self.builder, kind);
        let values = TileType::from_type(ty).map_or(scalar, |tile| tile.with_element(scalar).ty());
        let reduced = self.reduce_op(
            &[operand, index],
            axis,
            &[worst, last],
            &[values, ty],
            |state, left, right| {
                use predicates as p;
                let (better, equal) = if kind.is_float() {
                    let better = state.compare_float(
                        if largest { p::OGT } else { p::OLT },
                        left[0],
                        right[0],
                    );
                    (better, state.compare_float(p::OEQ, left[0], right[0]))
                } else {
                    let predicate = match (largest, kind.is_signed()) {
                        (true, true) => p::SGT,
                        (true, false) => p::UGT,
                        (false, true) => p::SLT,
                        (false, false) => p::ULT,
                    };
                    let better = state.builder.compare_int(predicate, left[0], right[0]);
                    (better, state.builder.compare_int(p::EQ, left[0], right[0]))
                };
                let earlier = state.builder.compare_int(p::SLT, left[1], right[1]);
                let tie = state.builder.and(equal, earlier);
                let take_left = state.builder.binary("arith.ori", better, tie);
                vec![
                    state.builder.select(take_left, left[0], right[0]),
                    state.builder.select(take_left, left[1], right[1]),
                ]
            },
        );
        Ok(reduced[1])
    }

    fn reduce_op(
        &mut self,
        operands: &[Value<'c>],
        axis: usize,
        identity: &[Attribute<'c>],
        types: &[Type<'c>],
        combine: impl FnOnce(&mut Self, &[Value<'c>], &[Value<'c>]) -> Vec<Value<'c>>,
    ) -> Vec<Value<'c>> {
        let scalars: Vec<_> = operands
            .iter()
            .map(|operand| crate::ir::element_type(operand.r#type()))
            .collect();
        let mut both = scalars.clone();
        both.extend(&scalars);
        let region = self
            .branch_region(&both, |state, given| {
                let (left, right) = given.split_at(scalars.len());
                let values = combine(state, left, right);
                state.builder.insert("gpu.yield", &values, &[], &[]);
                Ok(())
            })
            .expect("combining has no errors");
        let identity = ArrayAttribute::new(self.builder.context, identity).into();
        let attributes = [
            ("axis", self.builder.int(axis as i64)),
            ("identity", identity),
            ("partial", self.builder.int(0)),
        ];
        results(self.builder.insert_with_regions(
            "tile.reduce",
            operands,
            &attributes,
            types,
            vec![region],
        ))
    }
}
