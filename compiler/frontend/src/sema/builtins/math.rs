//! Elementwise functions.

use tile_runtime::element::ElementType;

use super::Call;
use crate::diagnostic::messages;
use crate::sema::elaborator::Elaborator;
use crate::sema::operand::{Located, Number, Operand, tile};
use crate::sema::{build, numbers};
use crate::typed::{
    BinaryOperation, CompareOperation, Constant, Element, Expr, ExprKind, Rounding, UnaryOperation,
};

/// Functions of one float: `float_functions! { exp = Exp, f64::exp; }`. The last part is how they
/// are computed on consts, if they are.
macro_rules! float_functions {
    ($($name:ident = $operation:ident, $known:expr;)*) => {
        $(pub(super) fn $name<'a>(this: &mut Elaborator<'a>, call: Call<'a>) -> Operand<'a> {
            float_function(this, call, UnaryOperation::$operation, $known)
        })*
    };
}

float_functions! {
    exp = Exp, Some(f64::exp);
    exp2 = Exp2, Some(f64::exp2);
    log = Log, Some(f64::ln);
    log2 = Log2, Some(f64::log2);
    sqrt = Sqrt, Some(f64::sqrt);
    rsqrt = Rsqrt, Some(|x| 1.0 / x.sqrt());
    sin = Sin, Some(f64::sin);
    cos = Cos, Some(f64::cos);
    tanh = Tanh, Some(f64::tanh);
    erf = Erf, None;
    floor = Floor, Some(f64::floor);
    ceil = Ceil, Some(f64::ceil);
    round = Round, Some(f64::round_ties_even);
    sigmoid = Sigmoid, None;
    asin = Asin, Some(f64::asin);
    acos = Acos, Some(f64::acos);
    atan = Atan, Some(f64::atan);
    tan = Tan, Some(f64::tan);
    sinh = Sinh, Some(f64::sinh);
    cosh = Cosh, Some(f64::cosh);
    // Those of `std` call the host's `hypot`, for which a wheel would need a newer glibc.
    asinh = Asinh, Some(libm::asinh);
    acosh = Acosh, Some(libm::acosh);
    atanh = Atanh, Some(libm::atanh);
    expm1 = Expm1, Some(f64::exp_m1);
    log1p = Log1p, Some(f64::ln_1p);
    log10 = Log10, Some(f64::log10);
    cbrt = Cbrt, Some(f64::cbrt);
    erfc = Erfc, None;
    trunc = Trunc, Some(f64::trunc);
    fast_exp = FastExp, None;
    fast_exp2 = FastExp2, None;
    fast_log = FastLog, None;
    fast_log2 = FastLog2, None;
    fast_sin = FastSin, None;
    fast_cos = FastCos, None;
    fast_tanh = FastTanh, None;
    fast_reciprocal = FastReciprocal, None;
}

fn float_function<'a>(
    this: &mut Elaborator<'a>,
    mut call: Call<'a>,
    operation: UnaryOperation,
    known: Option<fn(f64) -> f64>,
) -> Operand<'a> {
    let Some(x) = call.take("x") else {
        return Operand::Error;
    };
    let found = match (&x.operand, x.operand.number()) {
        (_, Some(number)) => number.element,
        _ => match this.number_value(&x) {
            Some((_, element)) => element,
            None => return Operand::Error,
        },
    };
    // `exp(1)` of a literal is fine; of a run-time integer it hides a conversion.
    let literal = matches!(x.operand, Operand::Int(_));
    if !found.is_float() && !literal {
        return this.error(messages::types::float_function(call.name, &x));
    }
    if let (Some(function), Some(number)) = (known, x.operand.number()) {
        let result = function(numbers::to_float(number.value));
        if matches!(x.operand, Operand::Int(_) | Operand::Float(_)) {
            return Operand::Float(result);
        }
        let value = numbers::cast(Constant::Float(result), number.element);
        return Operand::Number(Number { value, ..number });
    }
    let element = if found.is_float() {
        found
    } else {
        ElementType::F32
    };
    match this.value_as(&x, element) {
        Some(value) => Operand::value(build::unary(operation, value, call.span)),
        None => Operand::Error,
    }
}

pub(super) fn abs<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let Some(x) = call.take("x") else {
        return Operand::Error;
    };
    match &x.operand {
        Operand::Int(value) => return Operand::Int(value.saturating_abs()),
        Operand::Float(value) => return Operand::Float(value.abs()),
        Operand::Number(number) => {
            let value = match number.value {
                Constant::Int(value) => Constant::Int(value.abs()),
                Constant::Float(value) => Constant::Float(value.abs()),
            };
            return match this.fit(value, number.element, x.span) {
                Some(value) => Operand::Number(Number { value, ..*number }),
                None => Operand::Error,
            };
        }
        _ => {}
    }
    let Some((value, element)) = this.number_value(&x) else {
        return Operand::Error;
    };
    if element.is_integer() && !element.is_signed() {
        return Operand::value(value);
    }
    Operand::value(build::unary(UnaryOperation::Abs, value, call.span))
}

/// `max(x, 0)`
pub(super) fn relu<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let Some(x) = call.take("x") else {
        return Operand::Error;
    };
    let zero = Operand::Int(0).at(call.span);
    extreme(this, x, zero, BinaryOperation::Maximum, &call)
}

pub(super) fn maximum<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    match (call.take("x"), call.take("y")) {
        (Some(x), Some(y)) => extreme(this, x, y, BinaryOperation::Maximum, &call),
        _ => Operand::Error,
    }
}

pub(super) fn minimum<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    match (call.take("x"), call.take("y")) {
        (Some(x), Some(y)) => extreme(this, x, y, BinaryOperation::Minimum, &call),
        _ => Operand::Error,
    }
}

/// The larger or smaller of two.
pub(super) fn extreme<'a>(
    this: &mut Elaborator<'a>,
    x: Located<'a>,
    y: Located<'a>,
    operation: BinaryOperation,
    call: &Call<'a>,
) -> Operand<'a> {
    if let (Some(left), Some(right)) = (x.operand.number(), y.operand.number()) {
        let left_wins = wins(operation, left.value, right.value);
        let (winner, loser) = if left_wins { (x, right) } else { (y, left) };
        return known_extreme(this, winner, loser, call);
    }
    two(this, &x, &y, operation, call)
}

/// Whether the left of two known numbers is the one that is asked for.
fn wins(operation: BinaryOperation, left: Constant, right: Constant) -> bool {
    let larger = operation == BinaryOperation::Maximum;
    match (left, right) {
        (Constant::Int(left), Constant::Int(right)) => larger == (left >= right),
        _ => {
            let (left, right) = (numbers::to_float(left), numbers::to_float(right));
            right.is_nan() || larger == (left >= right)
        }
    }
}

/// The winner in the type that both have together: that a literal is larger does not take the type
/// from `max(x as i16, 3)`.
fn known_extreme<'a>(
    this: &mut Elaborator<'a>,
    winner: Located<'a>,
    loser: Number,
    call: &Call<'a>,
) -> Operand<'a> {
    let Some(number) = winner.operand.number() else {
        return Operand::Error;
    };
    let takes_any = loser.flexible || !number.flexible;
    match winner.operand {
        Operand::Int(value) if loser.flexible && loser.element.is_float() => {
            return Operand::Float(numbers::to_float(Constant::Int(value)));
        }
        _ if takes_any && number.element == loser.element => return winner.operand,
        _ => {}
    }
    let other = Operand::Number(loser).at(call.span);
    let values = this.common(&[&winner, &other], false, call.name);
    match values.and_then(|values| values.into_iter().next()) {
        Some(Expr {
            kind: ExprKind::Constant(value),
            ty,
            ..
        }) => match ty.element {
            Element::Number(element) => Operand::Number(Number {
                element,
                value,
                flexible: number.flexible && loser.flexible,
            }),
            Element::Pointer { .. } => Operand::Error,
        },
        _ => Operand::Error,
    }
}

pub(super) fn umulhi<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let (Some(x), Some(y)) = (call.take("x"), call.take("y")) else {
        return Operand::Error;
    };
    for operand in [&x, &y] {
        // A literal has no type before it meets the other side.
        let element = match operand.operand.number() {
            Some(number) => Some(number.element),
            None => this.number_value(operand).map(|(_, element)| element),
        };
        match element {
            Some(element) if element.is_float() || element == ElementType::I1 => {
                return this.error(messages::types::expected(operand, "an integer"));
            }
            Some(_) => {}
            None => return Operand::Error,
        }
    }
    two(this, &x, &y, BinaryOperation::MultiplyHigh, &call)
}

/// Functions of two floats.
macro_rules! functions_of_two {
    ($($name:ident = $operation:ident($left:literal, $right:literal);)*) => {
        $(pub(super) fn $name<'a>(this: &mut Elaborator<'a>, call: Call<'a>) -> Operand<'a> {
            float_function_of_two(this, call, BinaryOperation::$operation, [$left, $right])
        })*
    };
}

functions_of_two! {
    power = Power("x", "y");
    atan2 = Atan2("y", "x");
    hypot = Hypot("x", "y");
    copysign = CopySign("x", "y");
    remainder = Remainder("x", "y");
}

fn float_function_of_two<'a>(
    this: &mut Elaborator<'a>,
    mut call: Call<'a>,
    operation: BinaryOperation,
    [left, right]: [&str; 2],
) -> Operand<'a> {
    let (Some(x), Some(y)) = (call.take(left), call.take(right)) else {
        return Operand::Error;
    };
    let Some(element) = this.common_element(&[&x, &y], false, call.name) else {
        return Operand::Error;
    };
    // As with functions of one float: literals become what is wanted, run-time integers do not.
    let literals = [&x, &y]
        .iter()
        .all(|operand| matches!(operand.operand, Operand::Int(_)));
    if !element.is_float() && !literals {
        return this.error(messages::types::float_function(call.name, &x));
    }
    let element = if literals { ElementType::F32 } else { element };
    let (Some(left), Some(right)) = (this.value_as(&x, element), this.value_as(&y, element)) else {
        return Operand::Error;
    };
    let values = this.common_shape(vec![left, right], &[&x, &y], call.name);
    match values.map(<[Expr; 2]>::try_from) {
        Some(Ok([left, right])) => Operand::value(build::binary(operation, left, right, call.span)),
        _ => Operand::Error,
    }
}

/// `x != x`
pub(super) fn is_nan<'a>(this: &mut Elaborator<'a>, call: Call<'a>) -> Operand<'a> {
    classified(this, call, |_, x| {
        build::compare(CompareOperation::NotEqual, x.clone(), x.clone(), x.span)
    })
}

/// `abs(x) == inf`
pub(super) fn is_infinite<'a>(this: &mut Elaborator<'a>, call: Call<'a>) -> Operand<'a> {
    classified(this, call, |infinity, x| {
        let size = build::unary(UnaryOperation::Abs, x.clone(), x.span);
        build::compare(CompareOperation::Equal, size, infinity, x.span)
    })
}

/// `abs(x) < inf`
pub(super) fn is_finite<'a>(this: &mut Elaborator<'a>, call: Call<'a>) -> Operand<'a> {
    classified(this, call, |infinity, x| {
        let size = build::unary(UnaryOperation::Abs, x.clone(), x.span);
        build::compare(CompareOperation::Less, size, infinity, x.span)
    })
}

/// A question about one float; it is also given infinity in every element.
fn classified<'a>(
    this: &mut Elaborator<'a>,
    mut call: Call<'a>,
    ask: impl FnOnce(Expr, &Expr) -> Expr,
) -> Operand<'a> {
    let Some(x) = call.take("x") else {
        return Operand::Error;
    };
    let Some((value, element)) = this.number_value(&x) else {
        return Operand::Error;
    };
    if !element.is_float() {
        return this.error(messages::types::float_function(call.name, &x));
    }
    // Not all fp8 has infinity.
    let element = if element.bits() == 8 {
        ElementType::F32
    } else {
        element
    };
    let value = this.once(build::cast(value, element), None);
    let infinity = build::constant(Constant::Float(f64::INFINITY), value.ty.clone(), call.span);
    let mut answer = ask(infinity, &value);
    answer.span = call.span;
    Operand::value(answer)
}

fn two<'a>(
    this: &mut Elaborator<'a>,
    x: &Located<'a>,
    y: &Located<'a>,
    operation: BinaryOperation,
    call: &Call<'a>,
) -> Operand<'a> {
    let values = this.common(&[x, y], false, call.name);
    match values.map(<[Expr; 2]>::try_from) {
        Some(Ok([left, right])) => Operand::value(build::binary(operation, left, right, call.span)),
        _ => Operand::Error,
    }
}

pub(super) fn fma<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let (Some(a), Some(b), Some(c)) = (call.take("a"), call.take("b"), call.take("c")) else {
        return Operand::Error;
    };
    let values = this.common(&[&a, &b, &c], false, "fma");
    let Some(Ok(operands)) = values.map(<[Expr; 3]>::try_from) else {
        return Operand::Error;
    };
    let ty = operands[0].ty.clone();
    if !matches!(ty.element, Element::Number(element) if element.is_float()) {
        return this.error(messages::types::float_function("fma", &a));
    }
    let kind = ExprKind::FusedMultiplyAdd {
        operands: Box::new(operands),
    };
    Operand::value(Expr {
        kind,
        ty,
        span: call.span,
    })
}

/// `minimum(maximum(x, low), high)`
pub(super) fn clamp<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let (Some(x), Some(low), Some(high)) = (call.take("x"), call.take("low"), call.take("high"))
    else {
        return Operand::Error;
    };
    let raised = extreme(this, x, low, BinaryOperation::Maximum, &call).at(call.span);
    if raised.operand.is_poison() {
        return Operand::Error;
    }
    extreme(this, raised, high, BinaryOperation::Minimum, &call)
}

pub(super) fn select<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let (Some(cond), Some(x), Some(y)) = (call.take("cond"), call.take("x"), call.take("y")) else {
        return Operand::Error;
    };
    let Some(condition) = this.value(&cond) else {
        return Operand::Error;
    };
    if condition.ty.element != Element::Number(ElementType::I1) {
        return this.error(messages::types::where_condition(&cond));
    }
    let values = match (&x.operand, &y.operand) {
        // Addresses are chosen as they are.
        (Operand::Value(left), Operand::Value(right))
            if left.ty.element == right.ty.element
                && matches!(left.ty.element, Element::Pointer { .. }) =>
        {
            Some(vec![(**left).clone(), (**right).clone()])
        }
        // One of the two may not be written through: nor may the chosen one.
        (Operand::Value(left), Operand::Value(right)) if same_pointee(left, right) => {
            let immutable = |pointer: &Expr| match pointer.ty.element {
                Element::Pointer {
                    pointee,
                    mutable: true,
                } => {
                    let mutable = false;
                    let element = Element::Pointer { pointee, mutable };
                    build::bitcast_to(pointer.clone(), element, pointer.span)
                }
                _ => pointer.clone(),
            };
            Some(vec![immutable(left), immutable(right)])
        }
        _ => this
            .common_element(&[&x, &y], false, "where")
            .and_then(|element| {
                Some(vec![
                    this.value_as(&x, element)?,
                    this.value_as(&y, element)?,
                ])
            }),
    };
    let Some(mut values) = values else {
        return Operand::Error;
    };
    values.insert(0, condition);
    let values = this.common_shape(values, &[&cond, &x, &y], "where");
    match values.map(<[Expr; 3]>::try_from) {
        Some(Ok([condition, then, otherwise])) => {
            Operand::value(build::select(condition, then, otherwise, call.span))
        }
        _ => Operand::Error,
    }
}

/// Whether both are addresses of the same type of number.
fn same_pointee(left: &Expr, right: &Expr) -> bool {
    let pointee = |expr: &Expr| match expr.ty.element {
        Element::Pointer { pointee, .. } => Some(pointee),
        Element::Number(_) => None,
    };
    pointee(left).is_some() && pointee(left) == pointee(right)
}

pub(super) fn cast<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let (Some(x), Some(ty)) = (call.take("x"), call.take("type")) else {
        return Operand::Error;
    };
    let rounding = match call.word("round") {
        Some((word, _)) if word == "rtz" => Rounding::TowardZero,
        _ => Rounding::NearestEven,
    };
    let Some(element) = this.type_operand(&ty) else {
        return Operand::Error;
    };
    if rounding == Rounding::TowardZero && x.operand.number().is_some() {
        // Compile-time numbers are rounded when they are used: make it a run-time value first.
        let Some(value) = this.value(&x) else {
            return Operand::Error;
        };
        return this.cast_rounding(
            &Operand::value(value).at(x.span),
            element,
            rounding,
            call.span,
        );
    }
    this.cast_rounding(&x, element, rounding, call.span)
}

pub(super) fn bitcast<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let (Some(x), Some(ty)) = (call.take("x"), call.take("type")) else {
        return Operand::Error;
    };
    let (Some(element), Some((value, from))) = (this.type_operand(&ty), this.number_value(&x))
    else {
        return Operand::Error;
    };
    if from.bits() != element.bits() {
        return this.error(messages::types::bitcast_width(from, element, call.span));
    }
    if from == element {
        return Operand::value(value);
    }
    let ty = tile(element, value.ty.shape.clone());
    Operand::value(Expr {
        kind: ExprKind::Bitcast(Box::new(value)),
        ty,
        span: call.span,
    })
}
