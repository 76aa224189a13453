//! Reductions and scans.

use tile_runtime::element::ElementType::{self, F64, I1, I8, I16, I32, U8, U16, U32};

use super::generator::Generator;
use super::movement::factors;
use super::tree::{Expr, Type, most_exact};

/// A reduction or a scan; `None` if the choice does not suit what is wanted.
pub fn expr(this: &mut Generator, wanted: &Type, depth: usize) -> Option<Expr> {
    if !wanted.shape.is_empty() && this.choices.chance(35) {
        return scan(this, wanted, depth);
    }
    // What is reduced, and how that is written: one axis, one axis that stays, or all.
    let shape = &wanted.shape;
    let ones = shape.iter().all(|&size| size == 1);
    let (source, arguments, count) = if ones && (shape.is_empty() || this.choices.chance(30)) {
        let elements = this.shape_of_rank(1)[0];
        let mut source = factors(this, elements);
        if !shape.is_empty() {
            source = this.shape_of_rank(shape.len());
        }
        let keep = if shape.is_empty() {
            ""
        } else {
            ", keep = true"
        };
        let count = source.iter().product();
        (source, keep.to_owned(), count)
    } else {
        let axis = this.choices.below(shape.len() + 1);
        let mut source = shape.clone();
        let mut size = this
            .size()
            .min(this.limits.elements / wanted.elements().max(1));
        size = size.max(1);
        let keep = shape.get(axis) == Some(&1) && this.choices.chance(60);
        if keep {
            source[axis] = size;
        } else {
            source.insert(axis, size);
        }
        if source.len() > 5 {
            return None;
        }
        let mut arguments = if this.choices.chance(20) {
            format!(", axis = {}", axis as i64 - source.len() as i64)
        } else {
            format!(", axis = {axis}")
        };
        if keep {
            arguments += ", keep = true";
        }
        (source, arguments, size)
    };
    if this.choices.chance(25) && arguments.contains("axis") {
        return own(this, wanted, &source, &arguments, count, depth);
    }
    named(this, wanted, &source, &arguments, count, depth)
}

/// Elements whose sum or product has this type.
fn summed(element: ElementType) -> &'static [ElementType] {
    match element {
        I32 => &[I32, I32, I16, I8, I1],
        U32 => &[U32, U32, U16, U8],
        ElementType::I64 => &[ElementType::I64],
        ElementType::U64 => &[ElementType::U64],
        ElementType::F16 => &[ElementType::F16],
        ElementType::BF16 => &[ElementType::BF16],
        ElementType::F32 => &[ElementType::F32],
        F64 => &[F64],
        ElementType::F8E4M3 => &[ElementType::F8E4M3],
        ElementType::F8E5M2 => &[ElementType::F8E5M2],
        _ => &[],
    }
}

/// What may be summed so often that all partial sums are exact.
fn summand(wanted: &Type, element: ElementType, count: usize, partial: u64) -> Option<Type> {
    let count = count.max(1) as u64;
    let source = Type::of(element, &wanted.shape);
    match wanted.bound {
        Some(bound) => Some(bound / count),
        None if element.is_float() => Some(partial / count),
        None => return Some(source),
    }
    .map(|bound| bound.min(most_exact(element)))
    .filter(|bound| *bound > 0)
    .map(|bound| source.bounded(Some(bound)))
}

/// Sums of narrow floats are computed in f32.
fn partial_sums(element: ElementType) -> u64 {
    match element {
        F64 => most_exact(F64),
        _ => most_exact(ElementType::F32),
    }
}

fn named(
    this: &mut Generator,
    wanted: &Type,
    source: &[usize],
    arguments: &str,
    count: usize,
    depth: usize,
) -> Option<Expr> {
    let element = wanted.element;
    let same = wanted.with_shape(source);
    let (operand, name) = match this.choices.below(9) {
        0 | 1 => (same, "max"),
        2 => (same, "min"),
        3 if element == I1 => (same, this.choices.pick(&["any", "all", "xor_sum"])),
        3 if wanted.bound.is_none() && element.is_integer() => (same, "xor_sum"),
        4 if element == I32 && wanted.bound.is_none_or(|bound| bound >= count as u64) => {
            let any = Type::of(this.element(), source);
            (any, this.choices.pick(&["argmax", "argmin"]))
        }
        5 if wanted.bound.is_none() && element.is_integer() => {
            let elements = summed(element);
            if elements.is_empty() {
                return None;
            }
            (Type::of(this.choices.pick(elements), source), "prod")
        }
        6 if wanted.bound.is_none() && element.is_float() => {
            let bound = most_exact(element).min(partial_sums(element) / count.max(1) as u64);
            (Type::of(element, source).bounded(Some(bound)), "mean")
        }
        _ => {
            let elements = summed(element);
            if elements.is_empty() {
                return None;
            }
            let from = this.choices.pick(elements);
            let summand = summand(wanted, from, count, partial_sums(element))?;
            (summand.with_shape(source), "sum")
        }
    };
    let value = this.expr(&operand, depth);
    let mut text = format!("{name}($0{arguments})");
    if matches!(name, "sum" | "mean") {
        text = finished(element, text);
    }
    Some(Expr::form(wanted, text, vec![value]))
}

/// A sum of zeros has a sign that depends on the order.
fn finished(element: ElementType, text: String) -> String {
    if element.is_float() {
        format!("({text} + 0.0)")
    } else {
        text
    }
}

/// Functions of the program's own that may be applied in any order.
fn combiners(wanted: &Type, scan: bool) -> Vec<&'static str> {
    let mut functions = vec![
        "max(a, b)",
        "min(a, b)",
        "if a > b { a } else { max(a, b) }",
    ];
    if wanted.element.is_integer() {
        if wanted.bound.is_none() || wanted.element == I1 {
            functions.extend(["a & b", "a | b", "a ^ b"]);
            if wanted.element != I1 {
                functions.extend(["a + b", "a * b"]);
            }
        }
        if scan {
            functions.extend(["if b == 0 { a } else { b }", "b"]);
        }
    }
    if wanted.element == I1 {
        functions.retain(|function| !function.contains("max") && !function.contains("min"));
    }
    functions
}

/// Functions of pairs: of an integer and anything of the type wanted.
fn pair_combiner(
    this: &mut Generator,
    wanted: &Type,
    other: ElementType,
    scan: bool,
) -> (String, bool) {
    if scan
        && wanted.element == other
        && wanted.element.is_integer()
        && wanted.bound.is_none()
        && other != I1
        && this.choices.chance(60)
    {
        return ("|p, q| (p.0 * q.0, p.1 * q.0 + q.1)".to_owned(), true);
    }
    let function = match other {
        I1 => "a.0 ^ b.0",
        _ => this
            .choices
            .pick(&["a.0 + b.0", "max(a.0, b.0)", "a.0 & b.0"]),
    };
    let functions = combiners(wanted, scan);
    let text = this.choices.pick(&functions);
    let of_pairs: String = text
        .split_inclusive(|c: char| !c.is_alphanumeric())
        .map(|word| match word.strip_prefix(['a', 'b']) {
            Some(rest) if !rest.starts_with(|c: char| c.is_alphanumeric()) => {
                format!("{}.1{rest}", &word[..1])
            }
            _ => word.to_owned(),
        })
        .collect();
    (format!("|a, b| ({function}, {of_pairs})"), false)
}

fn own(
    this: &mut Generator,
    wanted: &Type,
    source: &[usize],
    arguments: &str,
    count: usize,
    depth: usize,
) -> Option<Expr> {
    let element = wanted.element;
    if element.is_float() && this.choices.chance(40) {
        // Narrow floats are combined in f32 and rounded once.
        let summand = summand(wanted, element, count, partial_sums(element))?;
        let value = this.expr(&summand.with_shape(source), depth);
        let text = finished(element, format!("reduce($0{arguments}, f = |a, b| a + b)"));
        return Some(Expr::form(wanted, text, vec![value]));
    }
    let same = wanted.with_shape(source);
    if this.choices.chance(40) {
        let other = this
            .choices
            .pick(&[I1, I8, I32, U32, ElementType::I64, U16]);
        let (function, _) = pair_combiner(this, wanted, other, false);
        let operands = vec![
            this.expr(&Type::of(other, source), depth),
            this.expr(&same, depth),
        ];
        let text = format!("reduce(($0, $1){arguments}, f = {function}).1");
        return Some(Expr::form(wanted, text, operands));
    }
    let function = this.choices.pick(&combiners(wanted, false));
    let value = this.expr(&same, depth);
    let text = format!("reduce($0{arguments}, f = |a, b| {function})");
    Some(Expr::form(wanted, text, vec![value]))
}

fn scan(this: &mut Generator, wanted: &Type, depth: usize) -> Option<Expr> {
    let element = wanted.element;
    let axis = this.choices.below(wanted.shape.len());
    let size = wanted.shape[axis];
    let reverse = if this.choices.chance(30) {
        ", reverse = true"
    } else {
        ""
    };
    match this.choices.below(6) {
        0..=2 => {
            let elements = summed(element);
            if elements.is_empty() {
                return None;
            }
            let from = this.choices.pick(elements);
            let product = element.is_integer() && wanted.bound.is_none() && this.choices.chance(25);
            let name = if product { "cumprod" } else { "cumsum" };
            let operand = summand(wanted, from, size, partial_sums(element))?;
            let value = this.expr(&operand, depth);
            let text = finished(element, format!("{name}($0, axis = {axis}{reverse})"));
            Some(Expr::form(wanted, text, vec![value]))
        }
        3 => {
            let other = this
                .choices
                .pick(&[element, I8, I32, U32, ElementType::I64]);
            let other = if other.is_float() { I32 } else { other };
            let (function, _) = pair_combiner(this, wanted, other, true);
            let operands = vec![
                this.expr(&Type::of(other, &wanted.shape), depth),
                this.expr(wanted, depth),
            ];
            let text = format!("scan(($0, $1), {axis}, {function}{reverse}).1");
            Some(Expr::form(wanted, text, operands))
        }
        4 if element.is_float() => {
            let operand = summand(wanted, element, size, partial_sums(element))?;
            let value = this.expr(&operand, depth);
            let function = this.choices.pick(&[
                "scan($0, $axis, |a, b| a + b$reverse)",
                "scan(($0, $0), $axis, |(a, b), (c, d)| (max(a, c), b + d)$reverse).1",
            ]);
            let text = function
                .replace("$axis", &axis.to_string())
                .replace("$reverse", reverse);
            Some(Expr::form(wanted, finished(element, text), vec![value]))
        }
        _ => {
            let function = this.choices.pick(&combiners(wanted, true));
            let value = this.expr(wanted, depth);
            let text = format!("scan($0, {axis}, |a, b| {function}{reverse})");
            Some(Expr::form(wanted, text, vec![value]))
        }
    }
}
