//! Assertions on values: `assert`, `assert_close`, `assert_equal`.

use tile_runtime::element::ElementType;

use crate::diagnostic::messages;
use crate::sema::build;
use crate::sema::builtins::Call;
use crate::sema::elaborator::Elaborator;
use crate::sema::operand::{Located, Operand};
use crate::typed::host::HostOperation;
use crate::typed::{Element, Expr, ExprKind};

/// `assert(cond, "message")`
pub(in crate::sema) fn assert<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let Some(condition) = call.take("cond") else {
        return Operand::Error;
    };
    let message = match call.message() {
        Ok(message) => message,
        Err(other) => return this.error(messages::types::expected(&other, "a text")),
    };
    let value = match &condition.operand {
        // A condition for each element: all must hold.
        Operand::Value(value) if value.ty.element == Element::Number(ElementType::I1) => {
            Some((**value).clone())
        }
        _ => this.condition(&condition, "assert"),
    };
    let Some(value) = value else {
        return Operand::Error;
    };
    // A comparison is told with its two sides.
    let sides = match &value.kind {
        ExprKind::Compare { left, right, .. } => vec![(**left).clone(), (**right).clone()],
        _ => Vec::new(),
    };
    let operands = std::iter::once(value).chain(sides).collect();
    this.host_step(HostOperation::Assert { message }, operands, call.span);
    Operand::UNIT
}

/// `assert_close(actual, expected, rtol = …, atol = …)`
pub(in crate::sema) fn assert_close<'a>(
    this: &mut Elaborator<'a>,
    mut call: Call<'a>,
) -> Operand<'a> {
    let mut tolerance = |name: &str| -> Option<Option<f64>> {
        let Some(located) = call.take(name) else {
            return Some(None);
        };
        let value = this.known_number(&located, &format!("`{name}` of `assert_close`"))?;
        if value >= 0.0 {
            return Some(Some(value));
        }
        this.report(messages::host::bad_tolerance(name, value, located.span));
        None
    };
    let (rtol, atol) = (tolerance("rtol"), tolerance("atol"));
    let (Some(rtol), Some(atol), Some([actual, expected])) = (rtol, atol, sides(this, &mut call))
    else {
        return Operand::Error;
    };
    let operation = HostOperation::AssertClose { rtol, atol };
    this.host_step(operation, vec![actual, expected], call.span);
    Operand::UNIT
}

/// `assert_equal(actual, expected)`
pub(in crate::sema) fn assert_equal<'a>(
    this: &mut Elaborator<'a>,
    mut call: Call<'a>,
) -> Operand<'a> {
    let Some([actual, expected]) = sides(this, &mut call) else {
        return Operand::Error;
    };
    if actual.ty.element != expected.ty.element {
        return this.error(messages::host::sides_of_other_elements(
            &actual.ty,
            &expected.ty,
            actual.span,
            expected.span,
        ));
    }
    let operation = HostOperation::AssertEqual;
    this.host_step(operation, vec![actual, expected], call.span);
    Operand::UNIT
}

/// The two sides: literals take the type of the other side, one number is meant for all elements.
fn sides<'a>(this: &mut Elaborator<'a>, call: &mut Call<'a>) -> Option<[Expr; 2]> {
    let (actual, expected) = (call.take("actual")?, call.take("expected")?);
    let elements = (actual.operand.own_element(), expected.operand.own_element());
    let mut side = |located: &Located<'a>, other: Option<ElementType>| match other {
        Some(other)
            if located
                .operand
                .number()
                .is_some_and(|number| number.flexible) =>
        {
            this.value_as(located, other)
        }
        _ => this.number_value(located).map(|(value, _)| value),
    };
    let left = side(&actual, elements.1);
    let right = side(&expected, elements.0);
    let (left, right) = (left?, right?);
    if left.ty.shape == right.ty.shape {
        return Some([left, right]);
    }
    if right.ty.shape.is_empty() {
        let right = build::broadcast(right, &left.ty.shape);
        return Some([left, right]);
    }
    this.report(messages::host::sides_of_other_shapes(
        &left.ty,
        &right.ty,
        actual.span,
        expected.span,
    ));
    None
}
