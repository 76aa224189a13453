//! Elements in other places.

use super::generator::Generator;
use super::tree::{Expr, Type};
use tile_runtime::element::ElementType::{I8, I16, I32, I64, U8, U32};

/// A tile made of moved elements; `None` if the choice does not suit what is wanted.
pub fn expr(this: &mut Generator, wanted: &Type, depth: usize) -> Option<Expr> {
    let shape = wanted.shape.clone();
    let rank = shape.len();
    let axis = this.choices.below(rank);
    let form = |this: &mut Generator, source: &[usize], text: String| {
        let value = this.expr(&wanted.with_shape(source), depth);
        Some(Expr::form(wanted, text, vec![value]))
    };
    match this.choices.below(12) {
        0 => {
            let source = factors(this, wanted.elements());
            let mut sizes: Vec<_> = shape.iter().map(|&size| size as i64).collect();
            if this.choices.chance(20) {
                sizes[axis] = -1;
            }
            form(this, &source, format!("reshape($0, {sizes:?})"))
        }
        1 if rank == 2 => form(this, &[shape[1], shape[0]], "$0.T".to_owned()),
        1 | 2 => {
            let order = permutation(this, rank);
            let mut source = vec![0; rank];
            for (&from, &size) in order.iter().zip(&shape) {
                source[from] = size;
            }
            form(this, &source, format!("permute($0, {order:?})"))
        }
        3 => form(this, &shape, format!("flip($0, axis = {axis})")),
        4 => {
            let at = shape.iter().position(|&size| size == 1)?;
            let mut source = shape.clone();
            source.remove(at);
            if source.is_empty() || this.choices.chance(30) {
                return form(this, &source, format!("expand_dims($0, {at})"));
            }
            let indices: Vec<_> = (0..rank)
                .map(|dimension| if dimension == at { "None" } else { ":" })
                .collect();
            form(this, &source, format!("$0[{}]", indices.join(", ")))
        }
        5 => {
            let source = this.narrowed(&shape);
            form(this, &source, format!("broadcast($0, {shape:?})"))
        }
        6 if shape[axis] > 1 => {
            let (mut first, mut second) = (shape.clone(), shape.clone());
            first[axis] = this.choices.between(1, shape[axis] as i64 - 1) as usize;
            second[axis] = shape[axis] - first[axis];
            let operands = vec![
                this.expr(&wanted.with_shape(&first), depth),
                this.expr(&wanted.with_shape(&second), depth),
            ];
            Some(Expr::form(
                wanted,
                format!("cat($0, $1, axis = {axis})"),
                operands,
            ))
        }
        7 if rank < 5 && shape[rank - 1].is_multiple_of(2) => {
            let mut half = shape.clone();
            half[rank - 1] /= 2;
            let joined = shape[rank - 1] == 2 && this.choices.chance(60);
            if joined {
                half.pop();
            }
            let operands = vec![
                this.expr(&wanted.with_shape(&half), depth),
                this.expr(&wanted.with_shape(&half), depth),
            ];
            let text = if joined {
                "join($0, $1)"
            } else {
                "interleave($0, $1)"
            };
            Some(Expr::form(wanted, text, operands))
        }
        8 if rank < 4 && wanted.elements() <= this.limits.elements / 2 => {
            let mut source = shape;
            source.push(2);
            let half = this.choices.below(2);
            form(this, &source, format!("split($0).{half}"))
        }
        9 | 10 => {
            let mut source = shape.clone();
            let mut indices = Vec::new();
            for size in &mut source {
                let before = this.choices.pick(&[0, 0, 1, 3, 8]);
                let after = this.choices.pick(&[0, 0, 1, 2, 5]);
                indices.push(if before + after == 0 {
                    ":".to_owned()
                } else {
                    format!("{before} +: {size}")
                });
                *size += before + after;
            }
            if rank < 4 && this.choices.chance(30) {
                let size = this.choices.between(1, 5) as usize;
                source.insert(axis, size);
                indices.insert(axis, this.choices.below(size).to_string());
            }
            if source.iter().product::<usize>() > this.limits.elements {
                return None;
            }
            form(this, &source, format!("$0[{}]", indices.join(", ")))
        }
        _ => {
            let mut source = shape.clone();
            source[axis] = this.choices.between(1, 20) as usize;
            if source.iter().product::<usize>() > this.limits.elements {
                return None;
            }
            let last = source[axis] - 1;
            let element = this.choices.pick(&[I32, I32, I32, I8, I16, I64, U8, U32]);
            let operands = vec![
                this.expr(&wanted.with_shape(&source), depth),
                this.expr(&Type::of(element, &shape), depth),
            ];
            let text = format!("gather($0, clamp($1, 0, {last}), axis = {axis})");
            Some(Expr::form(wanted, text, operands))
        }
    }
}

/// A random order of so many.
fn permutation(this: &mut Generator, rank: usize) -> Vec<usize> {
    let mut order: Vec<_> = (0..rank).collect();
    for at in (1..rank).rev() {
        let other = this.choices.below(at + 1);
        order.swap(at, other);
    }
    order
}

/// A shape with so many elements.
pub fn factors(this: &mut Generator, elements: usize) -> Vec<usize> {
    let mut shape = vec![elements];
    for _ in 0..this.choices.below(4) {
        let at = this.choices.below(shape.len());
        let size = shape[at];
        let divisors: Vec<_> = (1..=size).filter(|by| size.is_multiple_of(*by)).collect();
        let by = this.choices.pick(&divisors);
        shape[at] = by;
        shape.insert(at + 1, size / by);
    }
    shape
}
