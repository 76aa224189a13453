//! What is in the language but not in the compiler yet: refused by name, never silently wrong.

use super::{Call, Kind, Parameter, Signature, builtin, rest};
use crate::diagnostic::messages;
use crate::sema::elaborator::Elaborator;
use crate::sema::operand::Operand;

const ANYTHING: &[Parameter] = &[rest("arguments")];

pub(super) const fn function(name: &'static str) -> Signature {
    builtin(name, ANYTHING, refuse)
}

/// Whether the function is one of these.
pub(super) fn is_refused(signature: &Signature) -> bool {
    matches!(
        signature.parameters,
        [Parameter {
            kind: Kind::Rest,
            name: "arguments"
        }]
    )
}

fn refuse<'a>(this: &mut Elaborator<'a>, call: Call<'a>) -> Operand<'a> {
    this.error(messages::support::not_yet(
        &format!("`{}`", call.name),
        call.span,
    ))
}
