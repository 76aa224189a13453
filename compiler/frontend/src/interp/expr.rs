//! Expressions: from a typed expression to the tile it stands for.

use std::rc::Rc;

use tile_runtime::element::ElementType;
use tile_runtime::numeric::Scalar;

use crate::typed::{BinaryOperation, Bounds, CacheHints, Constant, Element, Expr, ExprKind, View};

use super::fault::{Access, ElementFault, Fault};
use super::program::{Outcome, Program};
use super::value::{Address, Content, Tile, row_major};
use super::{arithmetic, cast, dot, math, reduce, sort};

impl Program<'_, '_> {
    /// The values of expressions, from the first to the last.
    pub(super) fn evaluate_all(&mut self, list: &[Expr]) -> Outcome<Vec<Rc<Tile>>> {
        list.iter().map(|expr| self.evaluate(expr)).collect()
    }

    /// The value of an expression. Operands are evaluated from left to right.
    pub(super) fn evaluate(&mut self, expr: &Expr) -> Outcome<Rc<Tile>> {
        if let ExprKind::Variable(variable) = expr.kind {
            return self.read(variable, expr.span);
        }
        let tile = match &expr.kind {
            ExprKind::Load {
                pointers,
                mask,
                other,
                cache: CacheHints { .. },
            } => self.load(expr, pointers, mask.as_deref(), other.as_deref())?,
            ExprKind::LoadView {
                view,
                other,
                bounds,
                cache: CacheHints { .. },
            } => self.load_view(expr, view, other.as_deref(), *bounds)?,
            _ => {
                let operands = expr.children().into_iter();
                let tiles: Outcome<Vec<_>> =
                    operands.map(|operand| self.evaluate(operand)).collect();
                self.compute(expr, &tiles?)
                    .map_err(|fault| self.error_in(expr.span, fault, &expr.ty.shape))?
            }
        };
        Ok(Rc::new(tile))
    }

    /// Whether an expression is what a reduction gives, as far as a run that does something otherwise knows.
    fn is_reduced(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Reduce { .. } => true,
            ExprKind::Variable(variable) => self.reduced.contains(variable),
            _ => false,
        }
    }

    /// An operation that touches no memory, on the values of its [`children`](Expr::children).
    fn compute(&self, expr: &Expr, tiles: &[Rc<Tile>]) -> Result<Tile, ElementFault> {
        let shape = &expr.ty.shape[..];
        let tile = match (&expr.kind, tiles) {
            (ExprKind::Constant(constant), []) => {
                let value = match *constant {
                    Constant::Int(value) => Scalar::Int(value),
                    Constant::Float(value) => Scalar::Float(value),
                };
                Tile::scalar(number(expr)?, value).broadcast(shape)?
            }
            (ExprKind::ProgramId(axis), []) => along(self.id, *axis)?,
            (ExprKind::NumPrograms(axis), []) => along(self.grid, *axis)?,
            (ExprKind::Arange { lo, hi }, []) => {
                Tile::from_integers(number(expr)?, shape, (*lo..*hi).map(i128::from))
            }
            (ExprKind::Broadcast(_), [operand]) => operand.broadcast(shape)?,
            (ExprKind::ExpandDimension { .. } | ExprKind::Reshape(_), [operand]) => {
                operand.reshaped(shape)?
            }
            (ExprKind::Permute { permutation, .. }, [operand]) => operand.permuted(permutation)?,
            (ExprKind::Unary { operation, .. }, [operand]) => {
                math::unary(*operation, operand, self.deviation)?
            }
            (
                ExprKind::Binary {
                    operation,
                    left: one,
                    right: other,
                },
                [left, right],
            ) => {
                let result = arithmetic::binary(*operation, left, right, self.deviation)?;
                let is_sum = *operation == BinaryOperation::Add
                    && [one, other].into_iter().any(|of| self.is_reduced(of));
                match self.deviation.filter(|_| is_sum) {
                    Some(deviation) => deviation.added([left, right], result)?,
                    None => result,
                }
            }
            (ExprKind::Compare { operation, .. }, [left, right]) => {
                arithmetic::compare(*operation, left, right)?
            }
            (ExprKind::Select { .. }, [condition, then, otherwise]) => {
                select(condition, then, otherwise)?
            }
            (ExprKind::FusedMultiplyAdd { .. }, [a, b, c]) => {
                arithmetic::fused_multiply_add([a, b, c])?
            }
            (ExprKind::Cast { rounding, .. }, [operand]) => {
                let to = number(expr)?;
                let cast = cast::cast(operand, to, *rounding)?;
                match (self.deviation, operand.as_numbers()) {
                    (Some(deviation), Ok((from, _))) => deviation.converted(from, cast)?,
                    _ => cast,
                }
            }
            (ExprKind::Bitcast(_), [operand]) => self.bitcast(expr, operand)?,
            (ExprKind::PointerOffset { .. }, [pointer, offset]) => {
                let Element::Pointer { pointee, .. } = expr.ty.element else {
                    return Err(Fault::Malformed("a number moved as an address").into());
                };
                offset_by(pointer, offset, pointee)?
            }
            (
                ExprKind::Reduce {
                    axis, operation, ..
                },
                [operand],
            ) => reduce::reduce(*operation, operand, *axis, self.deviation)?,
            (
                ExprKind::Sort {
                    axis,
                    descending,
                    gives,
                    ..
                },
                [operand],
            ) => sort::sort(operand, *axis, *descending, *gives, shape)?,
            (ExprKind::Histogram { .. }, [operand, mask @ ..]) => {
                reduce::histogram(operand, mask.first().map(Rc::as_ref), shape)?
            }
            (ExprKind::Gather { .. }, [operand, indices @ ..]) => gather(operand, indices, shape)?,
            (ExprKind::Dot { precision, .. }, [left, right, accumulator]) => {
                dot::dot(left, right, accumulator, *precision, self.deviation)?
            }
            _ => return Err(Fault::Malformed("an operation with other operands").into()),
        };
        Ok(tile)
    }

    /// The same bits as another element. Pointers keep their parameter until they are numbers.
    fn bitcast(&self, expr: &Expr, operand: &Tile) -> Result<Tile, Fault> {
        match (&operand.content, expr.ty.element) {
            (Content::Numbers { .. }, Element::Number(to)) => cast::bitcast(operand, to),
            (Content::Numbers { bits, .. }, Element::Pointer { .. }) => {
                let address = |&bits: &u64| Address {
                    parameter: None,
                    offset: bits as i64,
                };
                let addresses = bits.iter().map(address).collect();
                Ok(Tile::addresses(&operand.shape, addresses))
            }
            (Content::Addresses(_), Element::Pointer { .. }) => Ok(operand.clone()),
            (Content::Addresses(addresses), Element::Number(to)) => {
                let bits = addresses.iter();
                let bits = bits.map(|address| self.memory.absolute(*address));
                let bits = bits.collect::<Result<_, _>>()?;
                Ok(Tile::numbers(to, &operand.shape, bits))
            }
        }
    }

    /// Reads through pointers where the mask allows it.
    fn load(
        &mut self,
        expr: &Expr,
        pointers: &Expr,
        mask: Option<&Expr>,
        other: Option<&Expr>,
    ) -> Outcome<Tile> {
        let pointers = self.evaluate(pointers)?;
        let mask = mask.map(|mask| self.evaluate(mask)).transpose()?;
        let other = other.map(|other| self.evaluate(other)).transpose()?;
        let addresses = masked(&pointers, mask.as_deref());
        let addresses = addresses.map_err(|fault| self.error(expr.span, fault))?;
        self.read_all(expr, &addresses, other.as_deref())
    }

    /// Reads a view where it is inside the tensor.
    fn load_view(
        &mut self,
        expr: &Expr,
        view: &View,
        other: Option<&Expr>,
        bounds: Bounds,
    ) -> Outcome<Tile> {
        let addresses = self.view(view, bounds, Access::Load)?;
        let other = other.map(|other| self.evaluate(other)).transpose()?;
        self.read_all(expr, &addresses, other.as_deref())
    }

    /// Reads every address there is; the rest is `other` or 0.
    fn read_all(
        &self,
        expr: &Expr,
        addresses: &[Option<Address>],
        other: Option<&Tile>,
    ) -> Outcome<Tile> {
        let shape = &expr.ty.shape;
        let read = || {
            let element = number(expr)?;
            let zero = Tile::scalar(element, Scalar::Int(0));
            let other = other.unwrap_or(&zero).broadcast(shape)?;
            let (_, others) = other.as_numbers()?;
            if others.len() != addresses.len() {
                return Err(Fault::Malformed("a load of another shape than its result").into());
            }
            let bits = addresses.iter().zip(others).enumerate();
            let bits = bits.map(|(number, (address, other))| match address {
                Some(address) => {
                    let loaded = self.memory.load(*address, element);
                    loaded.map_err(|fault| fault.at(number))
                }
                None => Ok(*other),
            });
            let bits: Result<_, ElementFault> = bits.collect();
            Ok(Tile::numbers(element, shape, bits?))
        };
        read().map_err(|fault| self.error_in(expr.span, fault, shape))
    }
}

/// The addresses, `None` where the mask is false.
pub(super) fn masked(pointers: &Tile, mask: Option<&Tile>) -> Result<Vec<Option<Address>>, Fault> {
    let addresses = pointers.as_addresses()?.iter();
    match mask {
        None => Ok(addresses.map(|address| Some(*address)).collect()),
        Some(mask) if mask.shape == pointers.shape => Ok(addresses
            .zip(mask.conditions()?)
            .map(|(address, allowed)| allowed.then_some(*address))
            .collect()),
        Some(_) => Err(Fault::Malformed(
            "a mask of another shape than the pointers",
        )),
    }
}

/// Leaves out those addresses for which a mask does not hold.
pub(super) fn only_masked(addresses: &mut [Option<Address>], mask: &Tile) -> Result<(), Fault> {
    for (address, allowed) in addresses.iter_mut().zip(mask.conditions()?) {
        *address = address.filter(|_| allowed);
    }
    Ok(())
}

/// One axis of the grid or of a place in it.
fn along(of: [u32; 3], axis: u8) -> Result<Tile, Fault> {
    match of.get(usize::from(axis)) {
        Some(value) => Ok(Tile::scalar(ElementType::I32, Scalar::Int((*value).into()))),
        None => Err(Fault::Malformed("an axis that is not 0, 1 or 2")),
    }
}

/// The number type of the result.
fn number(expr: &Expr) -> Result<ElementType, Fault> {
    match expr.ty.element {
        Element::Number(element) => Ok(element),
        Element::Pointer { .. } => Err(Fault::Malformed("a number of pointer type")),
    }
}

/// `condition ? then : otherwise`, on the bits.
fn select(condition: &Tile, then: &Tile, otherwise: &Tile) -> Result<Tile, Fault> {
    fn pick<T: Copy>(
        conditions: impl Iterator<Item = bool>,
        then: &[T],
        otherwise: &[T],
    ) -> Vec<T> {
        conditions
            .zip(then.iter().zip(otherwise))
            .map(|(condition, (then, otherwise))| if condition { *then } else { *otherwise })
            .collect()
    }
    if condition.shape != then.shape || then.shape != otherwise.shape {
        return Err(Fault::Malformed("operands of different types"));
    }
    let conditions = condition.conditions()?;
    match (&then.content, &otherwise.content) {
        (
            Content::Numbers { element, bits },
            Content::Numbers {
                element: other,
                bits: otherwise,
            },
        ) if element == other => {
            let bits = pick(conditions, bits, otherwise);
            Ok(Tile::numbers(*element, &then.shape, bits))
        }
        (Content::Addresses(addresses), Content::Addresses(otherwise)) => {
            let addresses = pick(conditions, addresses, otherwise);
            Ok(Tile::addresses(&then.shape, addresses))
        }
        _ => Err(Fault::Malformed("operands of different types")),
    }
}

/// The operand's elements at these positions.
fn gather(operand: &Tile, indices: &[Rc<Tile>], shape: &[u64]) -> Result<Tile, ElementFault> {
    let count = shape.iter().product::<u64>() as usize;
    let mut sources = vec![0; count];
    let strides = row_major(&operand.shape);
    if indices.len() != strides.len() {
        return Err(Fault::Malformed("a gather with other dimensions").into());
    }
    for (dimension, index) in indices.iter().enumerate() {
        let (size, stride) = (operand.shape[dimension], strides[dimension]);
        for (number, position) in index.integers()?.into_iter().enumerate() {
            let inside = u64::try_from(position).ok().filter(|at| *at < size);
            let Some(at) = inside else {
                let fault = Fault::OutsideTile {
                    position,
                    dimension,
                    size,
                };
                return Err(fault.at(number));
            };
            sources[number] += (at * stride) as usize;
        }
    }
    Ok(operand.gathered(shape, &sources))
}

/// Moves pointers by elements.
fn offset_by(pointer: &Tile, offset: &Tile, pointee: ElementType) -> Result<Tile, Fault> {
    if pointer.shape != offset.shape {
        return Err(Fault::Malformed("operands of different types"));
    }
    let moved = pointer.as_addresses()?.iter().zip(offset.integers()?);
    let bytes = i64::from(pointee.bytes());
    let moved = moved.map(|(address, offset)| Address {
        // Addresses wrap at 64 bits as they do on the GPU, so that going there and back works.
        offset: address
            .offset
            .wrapping_add((offset as i64).wrapping_mul(bytes)),
        ..*address
    });
    Ok(Tile::addresses(&pointer.shape, moved.collect()))
}
