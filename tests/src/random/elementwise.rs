//! Operators and functions of one element at a time.

use tile_runtime::element::ElementType::{
    self, BF16, F16, F32, I1, I8, I16, I32, I64, U8, U16, U32, U64,
};

use super::generator::Generator;
use super::memory;
use super::tree::{Expr, Type, most_exact};

/// An elementwise expression; `None` if the choice does not suit what is wanted.
pub fn expr(this: &mut Generator, wanted: &Type, depth: usize) -> Option<Expr> {
    match this.choices.below(10) {
        0 => Some(select(this, wanted, depth)),
        1 | 2 => Some(cast(this, wanted, depth)),
        3 => function(this, wanted, depth),
        _ if wanted.element == I1 => Some(truth(this, wanted, depth)),
        _ if wanted.bound.is_some() => bounded(this, wanted, depth),
        4 => bitcast(this, wanted, depth),
        5 => promoted(this, wanted, depth),
        6 if wanted.element.is_float() => Some(float_function(this, wanted, depth)),
        _ => Some(operator(this, wanted, depth)),
    }
}

/// Two operands of which one may be stretched, in either order.
fn pair(this: &mut Generator, wanted: &Type, depth: usize) -> Vec<Expr> {
    let narrow = this.narrowed(&wanted.shape);
    let mut pair = vec![
        this.expr(wanted, depth),
        this.expr(&wanted.with_shape(&narrow), depth),
    ];
    if this.choices.chance(50) {
        pair.reverse();
    }
    pair
}

/// Values of the type `found` can become `wanted` by a cast: whole numbers within the bound.
pub fn can_cast(found: &Type, wanted: &Type) -> bool {
    if wanted.element == I1 || wanted.bound.is_none() {
        return true;
    }
    let bound = if found.element == I1 {
        Some(1)
    } else {
        found.bound
    };
    let wraps =
        found.element.is_signed() && !wanted.element.is_signed() && !wanted.element.is_float();
    !wraps && bound.is_some() && bound <= wanted.bound
}

/// Something that can become what is wanted by a cast.
fn cast_source(this: &mut Generator, wanted: &Type) -> Type {
    let mut source = wanted.clone();
    for _ in 0..4 {
        source.element = this.element();
        source.bound = wanted
            .bound
            .filter(|_| wanted.element != I1)
            .map(|bound| bound.min(most_exact(source.element)));
        if can_cast(&source, wanted) {
            return source;
        }
    }
    wanted.clone()
}

/// Whether a cast may be to a float that is too small for what the compiler knows, and is refused then.
pub fn overflows_known(this: &Generator, value: &Expr, wanted: &Type) -> bool {
    let most = most_exact(wanted.element);
    let small = wanted.element.is_float() && most <= most_exact(F16) && wanted.element != BF16;
    small && value.ty.bound.is_none_or(|bound| bound > most) && this.may_be_known(value)
}

fn cast(this: &mut Generator, wanted: &Type, depth: usize) -> Expr {
    let source = cast_source(this, wanted);
    let value = this.expr(&source, depth);
    if overflows_known(this, &value, wanted) {
        return memory::load(this, wanted, 0);
    }
    let element = wanted.element;
    let wide = matches!(source.element, I64 | U64);
    let rounded = element.is_float() && element != ElementType::F8E4M3 && !wide;
    let text = if rounded && this.choices.chance(15) {
        format!("cast($0, {element}, round = rtz)")
    } else {
        format!("($0 as {element})")
    };
    Expr::form(wanted, text, vec![value])
}

/// The same bits. Which NaN a result is, is not specified: none may be seen.
fn bitcast(this: &mut Generator, wanted: &Type, depth: usize) -> Option<Expr> {
    let element = wanted.element;
    let alike: Vec<_> = ElementType::ALL
        .into_iter()
        .filter(|other| other.bits() == element.bits() && *other != element)
        .collect();
    if alike.is_empty() {
        return None;
    }
    let source = this.choices.pick(&alike);
    let value = this.expr(&Type::of(source, &wanted.shape), depth);
    let text = if source.is_float() {
        format!("bitcast(number($0), {element})")
    } else {
        format!("bitcast($0, {element})")
    };
    Some(Expr::form(wanted, text, vec![value]))
}

fn select(this: &mut Generator, wanted: &Type, depth: usize) -> Expr {
    if this.choices.chance(25) {
        let condition = this.expr(&Type::scalar(I1), depth);
        let operands = vec![
            condition,
            this.expr(wanted, depth),
            this.expr(wanted, depth),
        ];
        let text = this.choices.pick(&[
            "(if $0 { $1 } else { $2 })",
            "choose($0, $1, $2)",
            "early($0, $1, $2)",
        ]);
        return Expr::form(wanted, text, operands);
    }
    let narrow = this.narrowed(&wanted.shape);
    let condition = this.expr(&Type::of(I1, &narrow), depth);
    let mut operands = vec![condition];
    operands.extend(pair(this, wanted, depth));
    Expr::form(wanted, "where($0, $1, $2)", operands)
}

/// Calls of the program's own functions and closures.
fn function(this: &mut Generator, wanted: &Type, depth: usize) -> Option<Expr> {
    let element = wanted.element;
    let number = wanted.bound.is_none() && element != I1;
    let mut forms = vec!["apply(|t| max(t, $1), $0)", "both($1, $0).0"];
    if element != I1 && number {
        forms.extend(["apply(|t| t + $1, $0)", "twice(|t| t * $1, $0)"]);
        if wanted.shape.len() == 1 || wanted.shape.is_empty() {
            forms.push("apply(|t| { let u = t - $1; u * t }, $0)");
        }
    }
    // Its `i32` is counted up.
    let counts = matches!(
        element,
        I32 | I64 | U32 | U64 | F16 | F32 | ElementType::F64
    );
    if number && counts && this.choices.chance(20) {
        let value = this.expr(wanted, depth);
        return match this.may_be_known(&value) {
            true => Some(value),
            false => Some(Expr::form(wanted, "rising($0, 3)", vec![value])),
        };
    }
    if element == I1 {
        forms = vec!["apply(|t| t & $1, $0)", "both($1, $0).0"];
    }
    let operands = vec![this.expr(wanted, depth), this.expr(wanted, depth)];
    if operands.iter().any(|operand| this.may_be_known(operand)) {
        // What the compiler computes must fit.
        forms.truncate(2);
    }
    let text = this.choices.pick(&forms);
    Some(Expr::form(wanted, text, operands))
}

/// Comparisons and what is made of them.
fn truth(this: &mut Generator, wanted: &Type, depth: usize) -> Expr {
    let mut texts = vec!["($0 & $1)", "($0 | $1)", "($0 ^ $1)"];
    if wanted.shape.is_empty() {
        texts.extend(["($0 && $1)", "($0 || $1)"]);
    }
    match this.choices.below(8) {
        0 => Expr::form(wanted, "(!$0)", vec![this.expr(wanted, depth)]),
        1 => {
            let text = this.choices.pick(&texts);
            let operands = if text.contains("&&") || text.contains("||") {
                vec![this.expr(wanted, depth), this.expr(wanted, depth)]
            } else {
                pair(this, wanted, depth)
            };
            Expr::form(wanted, text, operands)
        }
        _ => {
            let mut operand = wanted.clone();
            operand.bound = None;
            operand.element = this.element();
            let operator = this.choices.pick(&["==", "!=", "<", "<=", ">", ">="]);
            let text = format!("($0 {operator} $1)");
            Expr::form(wanted, text, pair(this, &operand, depth))
        }
    }
}

/// Whole numbers that stay within the bound.
fn bounded(this: &mut Generator, wanted: &Type, depth: usize) -> Option<Expr> {
    let bound = wanted.bound?;
    let element = wanted.element;
    let signed = element.is_signed() || element.is_float();
    let half = wanted.clone().bounded(Some(bound / 2));
    let root = wanted.clone().bounded(Some(bound.isqrt()));
    Some(match this.choices.below(9) {
        0 if bound > 1 => Expr::form(wanted, "($0 + $1)", pair(this, &half, depth)),
        1 if bound > 1 && signed => Expr::form(wanted, "($0 - $1)", pair(this, &half, depth)),
        2 => Expr::form(wanted, "($0 * $1)", pair(this, &root, depth)),
        3 if signed => {
            let text = this.choices.pick(&["(-$0)", "abs($0)"]);
            Expr::form(wanted, text, vec![this.expr(wanted, depth)])
        }
        4 => {
            let text = this
                .choices
                .pick(&["max($0, $1)", "min($0, $1)", "maximum($0, $1)"]);
            Expr::form(wanted, text, pair(this, wanted, depth))
        }
        5 if element.is_float() => {
            let text = this
                .choices
                .pick(&["floor($0)", "ceil($0)", "round($0)", "relu($0)"]);
            Expr::form(wanted, text, vec![this.expr(wanted, depth)])
        }
        6 if element.is_float() && bound > 2 => {
            let root = root.bounded(Some((bound / 2).isqrt()));
            let operands = vec![
                this.expr(&root, depth),
                this.expr(&root, depth),
                this.expr(&half, depth),
            ];
            Expr::form(wanted, "fma($0, $1, $2)", operands)
        }
        _ => {
            // A part of any integer's bits.
            let mask = if bound > 1 && this.choices.chance(60) {
                (bound + 1).next_power_of_two() / 2 - 1
            } else {
                1
            };
            let from = this.choices.pick(&[I8, I16, I32, I64, U8, U16, U32, U64]);
            let value = this.expr(&Type::of(from, &wanted.shape), depth);
            let mask = mask.min(127);
            Expr::form(wanted, format!("(($0 & {mask}) as {element})"), vec![value])
        }
    })
}

/// A known number in the type it has. The variable of a `static for` would take that of what it meets,
/// as a literal does.
fn firm(this: &Generator, value: Expr) -> Expr {
    if !this.may_be_known(&value) {
        return value;
    }
    let text = format!("($0 as {})", value.ty.element);
    Expr::form(&value.ty.clone(), text, vec![value])
}

/// Operands of two types.
fn promoted(this: &mut Generator, wanted: &Type, depth: usize) -> Option<Expr> {
    let narrower: &[ElementType] = match wanted.element {
        I16 => &[I8, U8],
        I32 => &[I8, I16, U8, U16],
        I64 => &[I8, I16, I32, U8, U16, U32],
        U16 => &[U8, I8, I16],
        U32 => &[U8, U16, I8, I16, I32],
        U64 => &[U8, U16, U32, I64, I32, I8],
        F16 => &[I8, I32, U8, BF16, I1],
        F32 => &[I8, I32, I64, U8, U64, BF16, F16, I1],
        ElementType::F64 => &[F32, F16, BF16, I32, U64, I1],
        _ => return None,
    };
    let other = this.choices.pick(narrower);
    let narrow = this.narrowed(&wanted.shape);
    let value = this.expr(wanted, depth);
    let other = this.expr(&Type::of(other, &narrow), depth);
    if this.may_be_known(&value) && this.may_be_known(&other) {
        // What the compiler computes must fit.
        return None;
    }
    let operands = vec![firm(this, value), firm(this, other)];
    let text = this
        .choices
        .pick(&["($0 + $1)", "($1 - $0)", "($0 * $1)", "max($0, $1)"]);
    Some(Expr::form(wanted, text, operands))
}

/// Functions of floats that are rounded once.
fn float_function(this: &mut Generator, wanted: &Type, depth: usize) -> Expr {
    match this.choices.below(6) {
        0 | 1 => {
            let mut operands = pair(this, wanted, depth);
            let narrow = this.narrowed(&wanted.shape);
            operands.push(this.expr(&wanted.with_shape(&narrow), depth));
            let text = this.choices.pick(&["fma($0, $1, $2)", "clamp($0, $1, $2)"]);
            Expr::form(wanted, text, operands)
        }
        _ => {
            let text = this.choices.pick(&[
                "sqrt($0)",
                "sqrt(abs($0))",
                "floor($0)",
                "ceil($0)",
                "round($0)",
                "relu($0)",
                "abs($0)",
                "(-$0)",
                "number($0)",
            ]);
            Expr::form(wanted, text, vec![this.expr(wanted, depth)])
        }
    }
}

fn operator(this: &mut Generator, wanted: &Type, depth: usize) -> Expr {
    let element = wanted.element;
    let mut operands = pair(this, wanted, depth);
    let known = operands.iter().all(|operand| this.may_be_known(operand));
    if known && wanted.shape.is_empty() {
        // What the compiler computes must fit, and these always do.
        let text = match element.is_float() {
            true => this.choices.pick(&["max($0, $1)", "min($0, $1)"]),
            false => this.choices.pick(&[
                "max($0, $1)",
                "min($0, $1)",
                "($0 & $1)",
                "($0 | $1)",
                "($0 ^ $1)",
                "($0 << 3)",
                "($0 >> ($1 & 7))",
            ]),
        };
        if !text.contains("$1") {
            operands.truncate(1);
        }
        return Expr::form(wanted, text, operands);
    }
    let text = if element.is_float() {
        // The division of narrow floats gives f32.
        let text = this.choices.pick(&[
            "($0 + $1)",
            "($0 - $1)",
            "($0 * $1)",
            "($0 / $1)",
            "($0 % $1)",
            "max($0, $1)",
            "min($0, $1)",
            "($0 + 1.5)",
            "(2 * $0)",
        ]);
        if !text.contains("$1") && this.may_be_known(&operands[0]) {
            "max($0, $1)".to_owned()
        } else if matches!(element, F16 | BF16) && (text.contains('/') || text.contains('%')) {
            format!("({text} as {element})")
        } else {
            text.to_owned()
        }
    } else {
        // What the compiler computes must fit: the smallest number has no opposite.
        let unary: &[&str] = if element.is_signed() && !this.may_be_known(&operands[0]) {
            &["(-$0)", "abs($0)", "(!$0)"]
        } else {
            &["(!$0)"]
        };
        if this.choices.chance(15) {
            this.choices.pick(unary).to_owned()
        } else {
            this.choices
                .pick(&[
                    "($0 + $1)",
                    "($0 - $1)",
                    "($0 * $1)",
                    "($0 & $1)",
                    "($0 | $1)",
                    "($0 ^ $1)",
                    "($0 << $1)",
                    "($0 >> $1)",
                    "($0 << 3)",
                    "($0 >> 2)",
                    "($0 / nonzero($1))",
                    "($0 % nonzero($1))",
                    "($0 / 3)",
                    "($0 % 5)",
                    "($0 / 8)",
                    "($0 % 16)",
                    "max($0, $1)",
                    "min($0, $1)",
                    "umulhi($0, $1)",
                    "clamp($0, 3, 90)",
                ])
                .to_owned()
        }
    };
    let mut text = text;
    if this.may_be_known(&operands[1]) {
        // A known number of places must not be negative.
        text = text
            .replace("<< $1", "<< ($1 & 7)")
            .replace(">> $1", ">> ($1 & 7)");
    }
    if !text.contains("$1") {
        // A single operand must have the full shape.
        operands.retain(|operand| operand.ty.shape == wanted.shape);
        operands.truncate(1);
    }
    Expr::form(wanted, text, operands)
}
