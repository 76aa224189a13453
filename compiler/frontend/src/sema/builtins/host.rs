//! The functions of `test` blocks that are called as others are.

use super::{Signature, builtin, named, optional, required};
use crate::sema::host::{assertions, create};

/// Found before those of kernels when a test is elaborated.
pub(in crate::sema) static HOST: &[Signature] = &[
    builtin(
        "randn",
        &[required("shape"), optional("type"), named("seed")],
        create::randn,
    ),
    builtin(
        "rand",
        &[
            required("shape"),
            optional("type"),
            named("low"),
            named("high"),
            named("seed"),
        ],
        create::rand,
    ),
    builtin(
        "randint",
        &[
            required("low"),
            required("high"),
            required("shape"),
            optional("type"),
            named("seed"),
        ],
        create::randint,
    ),
    builtin("ones", &[required("shape"), optional("type")], create::ones),
    builtin("eye", &[required("n"), optional("type")], create::eye),
    //
    builtin(
        "assert",
        &[required("cond"), optional("msg")],
        assertions::assert,
    ),
    builtin(
        "assert_close",
        &[
            required("actual"),
            required("expected"),
            named("rtol"),
            named("atol"),
        ],
        assertions::assert_close,
    ),
    builtin(
        "assert_equal",
        &[required("actual"), required("expected")],
        assertions::assert_equal,
    ),
];
