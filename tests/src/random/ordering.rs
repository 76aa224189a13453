//! Tiles in order, counts of elements, and functions with a control flow of their own.

use tile_runtime::element::ElementType::{I1, I8, I32, I64, U8, U32};

use super::generator::Generator;
use super::tree::{Expr, Type};

/// Elements that are sorted, at most.
const SORTED: usize = 130;

/// A sorted tile, a histogram or a map; `None` if the choice does not suit what is wanted.
pub fn expr(this: &mut Generator, wanted: &Type, depth: usize) -> Option<Expr> {
    if wanted.shape.is_empty() {
        return None;
    }
    if this.choices.chance(30) {
        return Some(map(this, wanted, depth));
    }
    if wanted.elements() > SORTED {
        return None;
    }
    let axis = this.choices.below(wanted.shape.len());
    let descending = this.choices.pick(&["", "", ", descending = true"]);
    let unbounded = wanted.bound.is_none() && wanted.element == I32;
    match this.choices.below(4) {
        0 if unbounded && wanted.shape.len() == 1 => {
            let elements = this.choices.between(1, 200) as usize;
            let ty = Type::of(this.choices.pick(&[I8, I32, I64, U8, U32]), &[elements]);
            let value = this.expr(&ty, depth);
            let text = format!("histogram($0, {})", wanted.shape[0]);
            Some(Expr::form(wanted, text, vec![value]))
        }
        1 if unbounded => {
            let ty = Type::of(this.element(), &wanted.shape);
            let value = this.expr(&ty, depth);
            let text = format!("argsort($0, axis = {axis}{descending})");
            Some(Expr::form(wanted, text, vec![value]))
        }
        2 => {
            let mut source = wanted.clone();
            source.shape[axis] += this.choices.between(0, 9) as usize;
            let (size, largest) = (wanted.shape[axis], this.choices.pick(&["true", "false"]));
            let value = this.expr(&source, depth);
            let text = format!("topk($0, {size}, axis = {axis}, largest = {largest}).0");
            Some(Expr::form(wanted, text, vec![value]))
        }
        3 => {
            let keys = Type::of(this.element(), &wanted.shape);
            let operands = vec![this.expr(&keys, depth), this.expr(wanted, depth)];
            let text = format!("sort(($0, $1), axis = {axis}{descending}).1");
            Some(Expr::form(wanted, text, operands))
        }
        _ => {
            let value = this.expr(wanted, depth);
            let text = format!("sort($0, axis = {axis}{descending})");
            Some(Expr::form(wanted, text, vec![value]))
        }
    }
}

fn map(this: &mut Generator, wanted: &Type, depth: usize) -> Expr {
    let mut functions = vec![
        "|a, b| if a == b { b } else { a }",
        "|a, b| { if a != b { return b; } a }",
    ];
    if wanted.element != I1 {
        functions.push("|a, b| { let mut n = a; if a < b { n = b; } n }");
    }
    if wanted.element.is_integer() && wanted.element != I1 && wanted.bound.is_none() {
        functions.push(
            "|a, b| { let mut n = a; let mut k = 0; while k < 3 && n > b { n = n / 2; k += 1; } n }",
        );
    }
    let function = this.choices.pick(&functions);
    let narrow = this.narrowed(&wanted.shape);
    let operands = vec![
        this.expr(wanted, depth),
        this.expr(&wanted.with_shape(&narrow), depth),
    ];
    Expr::form(wanted, format!("map({function}, $0, $1)"), operands)
}
