//! What is in the language but not in the compiler yet: refused by name, never silently wrong.

use super::{Call, Parameter, Signature, builtin, rest};
use crate::diagnostic::messages;
use crate::sema::elaborator::Elaborator;
use crate::sema::operand::Operand;

const ANYTHING: &[Parameter] = &[rest("arguments")];

pub(super) const fn function(name: &'static str) -> Signature {
    builtin(name, ANYTHING, refuse)
}

fn refuse<'a>(this: &mut Elaborator<'a>, call: Call<'a>) -> Operand<'a> {
    this.error(messages::support::not_yet(
        &format!("`{}`", call.name),
        call.span,
    ))
}
