//! Grid expressions in the user's spelling.

use tile_runtime::manifest::SizeExpr;

/// `cdiv(n, 128) * m`
pub(super) fn size(expression: &SizeExpr) -> String {
    let infix = |left: &SizeExpr, symbol: &str, right: &SizeExpr| {
        format!("{} {symbol} {}", operand(left), operand(right))
    };
    let call = |name: &str, left: &SizeExpr, right: &SizeExpr| {
        format!("{name}({}, {})", size(left), size(right))
    };
    match expression {
        SizeExpr::Const(value) => value.to_string(),
        SizeExpr::Name(name) => name.clone(),
        SizeExpr::Add(left, right) => infix(left, "+", right),
        SizeExpr::Sub(left, right) => infix(left, "-", right),
        SizeExpr::Mul(left, right) => infix(left, "*", right),
        SizeExpr::Div(left, right) => infix(left, "/", right),
        SizeExpr::Rem(left, right) => infix(left, "%", right),
        SizeExpr::CeilDiv(left, right) => call("cdiv", left, right),
        SizeExpr::Min(left, right) => call("min", left, right),
        SizeExpr::Max(left, right) => call("max", left, right),
    }
}

fn operand(expression: &SizeExpr) -> String {
    let text = size(expression);
    match expression {
        SizeExpr::Add(..)
        | SizeExpr::Sub(..)
        | SizeExpr::Mul(..)
        | SizeExpr::Div(..)
        | SizeExpr::Rem(..) => format!("({text})"),
        _ => text,
    }
}
