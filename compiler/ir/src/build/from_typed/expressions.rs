//! Expressions: values, shapes and memory.

use melior::ir::{Attribute, Type, ValueLike};

use super::Lowering;
use crate::diagnostic::Diagnostic;
use crate::dialect::{mixed_segments, predicates};
use crate::ir::{TileType, Value};
use crate::typed::{
    Bounds, CacheHints, Constant, Dimension, Element, Expr, ExprKind, Parameter, Precision, Stride,
    ValueType, View, ViewIndex,
};

/// The operands of an access through a view.
pub(super) struct Access<'c> {
    pub base: Value<'c>,
    pub kinds: Vec<i64>,
    pub starts: Vec<Value<'c>>,
    pub sizes: Vec<Value<'c>>,
    pub strides: Vec<Value<'c>>,
}

/// The value of an integer constant.
pub(super) fn constant_int(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Constant(Constant::Int(value)) => i64::try_from(*value).ok(),
        ExprKind::Cast { operand, .. } => constant_int(operand),
        _ => None,
    }
}

impl<'c> Lowering<'_, 'c> {
    /// Lowers an expression to the value it has.
    pub(super) fn expr(&mut self, expr: &Expr) -> Result<Value<'c>, Diagnostic> {
        let ty = self.ty(&expr.ty);
        let value = match &expr.kind {
            ExprKind::Constant(constant) => self.constant(*constant, ty),
            ExprKind::Variable(id) => self.values[id],
            ExprKind::ProgramId(axis) => self.axis_query("tile.program_id", *axis, ty),
            ExprKind::NumPrograms(axis) => self.axis_query("tile.num_programs", *axis, ty),
            ExprKind::Arange { lo, .. } => {
                let lo = self.builder.int(*lo);
                self.builder.value("tile.arange", &[], &[("lo", lo)], ty)
            }
            ExprKind::Broadcast(operand) => {
                let operand = self.expr(operand)?;
                self.at(expr.span);
                self.broadcast(operand, ty)
            }
            ExprKind::ExpandDimension { operand, axis } => {
                let operand = self.expr(operand)?;
                let axis = self.builder.int(*axis as i64);
                self.builder
                    .value("tile.expand", &[operand], &[("axis", axis)], ty)
            }
            ExprKind::Reshape(operand) => {
                let operand = self.expr(operand)?;
                self.at(expr.span);
                self.reshape(operand, ty)?
            }
            ExprKind::Gather { operand, indices } => self.gather(operand, indices, ty)?,
            ExprKind::Permute {
                operand,
                permutation,
            } => {
                let operand = self.expr(operand)?;
                let list: Vec<_> = permutation.iter().map(|d| *d as i64).collect();
                let permutation = self.builder.ints(&list);
                self.builder.value(
                    "tile.permute",
                    &[operand],
                    &[("permutation", permutation)],
                    ty,
                )
            }
            ExprKind::Unary { operation, operand } => {
                let element = operand.ty.element;
                let operand = self.expr(operand)?;
                self.at(expr.span);
                self.unary(*operation, operand, element, expr.span)?
            }
            ExprKind::Binary {
                operation,
                left,
                right,
            } => {
                let element = left.ty.element;
                let left = self.expr(left)?;
                let right = self.expr(right)?;
                self.at(expr.span);
                self.binary(*operation, left, right, element, expr.span)?
            }
            ExprKind::Compare {
                operation,
                left,
                right,
            } => {
                let element = left.ty.element;
                let left = self.expr(left)?;
                let right = self.expr(right)?;
                self.at(expr.span);
                self.compare(*operation, left, right, element, expr.span)?
            }
            ExprKind::Select {
                condition,
                then,
                otherwise,
            } => {
                let condition = self.expr(condition)?;
                let then = self.expr(then)?;
                let otherwise = self.expr(otherwise)?;
                self.at(expr.span);
                self.builder.select(condition, then, otherwise)
            }
            ExprKind::FusedMultiplyAdd { operands } => {
                let element = operands[0].ty.element;
                let mut list = Vec::new();
                for operand in operands.iter() {
                    list.push(self.expr(operand)?);
                }
                self.at(expr.span);
                if let Element::Number(narrow) = element
                    && narrow.bits() == 8
                {
                    return Ok(self.fma_of_fp8(&list, narrow));
                }
                self.builder.value("math.fma", &list, &[], ty)
            }
            ExprKind::Cast { operand, rounding } => {
                let from = operand.ty.element;
                let operand = self.expr(operand)?;
                self.at(expr.span);
                self.cast(operand, from, expr.ty.element, *rounding, expr.span)?
            }
            ExprKind::Bitcast(operand) => {
                let operand = self.expr(operand)?;
                let operand_type = operand.r#type();
                if operand_type == ty {
                    return Ok(operand);
                }
                self.at(expr.span);
                let is_address = |ty: Type<'c>| {
                    let element = crate::ir::element_type(ty);
                    crate::dialect::pointee(self.builder.context, element).is_some()
                };
                let name = if is_address(operand_type) || is_address(ty) {
                    "tile.pointer_cast"
                } else {
                    "arith.bitcast"
                };
                self.builder.value(name, &[operand], &[], ty)
            }
            ExprKind::PointerOffset { pointer, offset } => {
                let signed = match offset.ty.element {
                    Element::Number(number) => number.is_signed(),
                    Element::Pointer { .. } => false,
                };
                let pointer = self.expr(pointer)?;
                let mut offset = self.expr(offset)?;
                self.at(expr.span);
                if !signed {
                    // The operation extends by the sign.
                    offset = self.builder.int_cast(offset, 64, false);
                }
                self.builder
                    .value("tile.pointer_offset", &[pointer, offset], &[], ty)
            }
            ExprKind::Reduce {
                operand,
                axis,
                operation,
            } => {
                let element = operand.ty.element;
                let value = self.expr(operand)?;
                self.at(expr.span);
                self.reduce(value, element, *axis, *operation, ty, expr.span)?
            }
            ExprKind::Sort {
                operand,
                axis,
                descending,
                gives,
            } => self.sort(operand, *axis, *descending, *gives, ty, expr.span)?,
            ExprKind::Histogram { operand, mask } => {
                self.histogram(operand, mask.as_deref(), ty, expr.span)?
            }
            ExprKind::Dot {
                left,
                right,
                accumulator,
                precision,
            } => {
                let left = self.expr(left)?;
                let right = self.expr(right)?;
                let accumulator = self.expr(accumulator)?;
                self.at(expr.span);
                let precision = match precision {
                    Precision::Usual => "usual",
                    Precision::Full => "full",
                    Precision::Tf32 => "tf32",
                };
                let attributes = [
                    ("precision", self.builder.text(precision)),
                    ("path", self.builder.text("")),
                ];
                self.builder
                    .value("tile.dot", &[left, right, accumulator], &attributes, ty)
            }
            ExprKind::Load {
                pointers,
                mask,
                other,
                cache,
            } => {
                let pointers = self.expr(pointers)?;
                let mask = mask.as_ref().map(|mask| self.expr(mask)).transpose()?;
                let other = other.as_ref().map(|other| self.expr(other)).transpose()?;
                self.at(expr.span);
                let mut attributes = self.cache_attributes(*cache);
                let sizes = [
                    1,
                    i32::from(mask.is_some()),
                    i32::from(other.is_some()),
                    0,
                    0,
                ];
                attributes.push(("operandSegmentSizes", self.builder.ints32(&sizes)));
                let list: Vec<_> = [Some(pointers), mask, other]
                    .into_iter()
                    .flatten()
                    .collect();
                self.builder.value("tile.load", &list, &attributes, ty)
            }
            ExprKind::LoadView {
                view,
                other,
                bounds,
                cache,
            } => {
                let access = self.view(view)?;
                let other = other.as_ref().map(|other| self.expr(other)).transpose()?;
                self.at(expr.span);
                let (list, attributes) =
                    self.view_operands(&[access.base], &access, &[other], *bounds, *cache);
                self.builder.value("tile.load_view", &list, &attributes, ty)
            }
        };
        Ok(value)
    }

    pub(super) fn axis_query(&mut self, name: &'c str, axis: u8, ty: Type<'c>) -> Value<'c> {
        let axis = self.builder.int(i64::from(axis));
        self.builder.value(name, &[], &[("axis", axis)], ty)
    }

    /// A constant of a scalar or tile type.
    pub(super) fn constant(&mut self, constant: Constant, ty: Type<'c>) -> Value<'c> {
        match constant {
            // Unsigned 64-bit constants keep their bits.
            Constant::Int(value) => self.builder.constant_int(value as i64, ty),
            Constant::Float(value) => self.builder.constant_float(value, ty),
        }
    }

    /// NumPy broadcast to a tile type: splat of a scalar, repetition of dimensions of size 1.
    pub(super) fn broadcast(&mut self, operand: Value<'c>, ty: Type<'c>) -> Value<'c> {
        if operand.r#type() == ty {
            return operand;
        }
        match TileType::of(operand) {
            None => self.builder.value("tile.splat", &[operand], &[], ty),
            Some(tile) => {
                let target = TileType::from_type(ty).map_or(0, |tile| tile.shape().len());
                let mut operand = operand;
                let mut shape = tile.shape();
                while shape.len() < target {
                    shape.insert(0, 1);
                    let expanded = TileType::new(&shape, tile.element(), None).ty();
                    let axis = self.builder.int(0);
                    operand =
                        self.builder
                            .value("tile.expand", &[operand], &[("axis", axis)], expanded);
                }
                if operand.r#type() == ty {
                    return operand;
                }
                self.builder.value("tile.broadcast", &[operand], &[], ty)
            }
        }
    }

    /// The operands of an access through a view.
    pub(super) fn view(&mut self, view: &View) -> Result<Access<'c>, Diagnostic> {
        let kernel = self.kernel;
        let Some(Parameter::Tensor(tensor)) = kernel.parameters.get(view.tensor) else {
            unreachable!("sema makes views of tensor parameters only");
        };
        let mut kinds = Vec::new();
        let mut starts = Vec::new();
        for index in &view.indices {
            let (kind, start) = match index {
                ViewIndex::At(position) => (0, position),
                ViewIndex::Range { start, .. } => (1, start),
                ViewIndex::Gather(positions) => (2, positions),
            };
            kinds.push(kind);
            starts.push(self.expr(start)?);
        }
        self.at(view.span);
        let narrow = self.builder.int_type(32);
        let sizes: Vec<_> = tensor
            .dimensions
            .iter()
            .map(|dimension| match dimension {
                Dimension::Fixed(size) => self.builder.constant_int(*size as i64, narrow),
                Dimension::Size(index) => self.values[&kernel.sizes[*index].1],
            })
            .collect();
        let wide = self.builder.int_type(64);
        let mut strides = Vec::new();
        for (dimension, stride) in tensor.strides.iter().enumerate() {
            strides.push(match stride {
                Stride::Fixed(stride) => self.builder.constant_int(*stride, wide),
                Stride::Variable { variable, .. } => self.values[variable],
                Stride::Dense => {
                    let mut product = self.builder.constant_int(1, wide);
                    for (position, size) in sizes[dimension + 1..].iter().enumerate() {
                        let size = self.builder.int_cast(*size, 64, true);
                        product = if position == 0 {
                            size
                        } else {
                            self.builder.multiply(product, size)
                        };
                    }
                    product
                }
            });
        }
        Ok(Access {
            base: self.values[&tensor.pointer],
            kinds,
            starts,
            sizes,
            strides,
        })
    }

    /// Operands and attributes of an access through a view: `first`, the view, then `last`.
    pub(super) fn view_operands(
        &self,
        first: &[Value<'c>],
        access: &Access<'c>,
        last: &[Option<Value<'c>>],
        bounds: Bounds,
        cache: CacheHints,
    ) -> (Vec<Value<'c>>, Vec<(&'static str, Attribute<'c>)>) {
        let mut list = first.to_vec();
        list.extend(&access.starts);
        list.extend(&access.sizes);
        list.extend(&access.strides);
        list.extend(last.iter().flatten());
        let rank = access.sizes.len();
        let mut sizes = vec![1; first.len()];
        sizes.extend(mixed_segments(rank));
        sizes.extend([rank as i32; 2]);
        sizes.extend(last.iter().map(|value| i32::from(value.is_some())));
        let mut attributes = self.cache_attributes(cache);
        attributes.push(("kinds", self.builder.ints(&access.kinds)));
        attributes.push((
            "checked",
            self.builder.int(i64::from(bounds == Bounds::Checked)),
        ));
        attributes.push(("operandSegmentSizes", self.builder.ints32(&sizes)));
        (list, attributes)
    }

    /// `value != 0` for integers.
    pub(super) fn is_nonzero(&mut self, value: Value<'c>) -> Value<'c> {
        let zero = self.builder.constant_int(0, value.r#type());
        self.builder.compare_int(predicates::NE, value, zero)
    }

    /// The type of a value with another element.
    pub(super) fn with_element(&self, value: Value<'c>, element: Element) -> Type<'c> {
        let shape = TileType::of(value).map(TileType::shape).unwrap_or_default();
        self.ty(&ValueType { element, shape })
    }
}
