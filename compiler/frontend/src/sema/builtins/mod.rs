//! The functions of the language.
//!
//! [`TABLE`] lists all of them: the name, the parameters, and the function that elaborates a call.
//! One file per family, each with its description in `reference/`.

use std::fmt;

use super::elaborator::Elaborator;
use super::operand::Operand;

mod arguments;
mod asm;
mod atomic;
mod create;
mod debug;
mod histogram;
mod host;
mod linear;
mod map;
mod math;
mod memory;
mod movement;
mod prefetch;
mod program;
mod random;
mod reduce;
pub(super) mod reference;
mod scaled;
mod shape;
mod sorting;

pub(super) use arguments::Call;
pub(super) use movement::part;

/// A builtin function.
#[derive(Clone, Copy)]
pub(super) struct Builtin(&'static Signature);

/// How a builtin is called.
pub(super) struct Signature {
    pub name: &'static str,
    pub parameters: &'static [Parameter],
    run: Run,
}

type Run = for<'a> fn(&mut Elaborator<'a>, Call<'a>) -> Operand<'a>;

/// A parameter of a builtin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parameter {
    pub name: &'static str,
    pub kind: Kind,
}

/// How an argument is given.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    Required,
    Optional,
    /// Optional, and only by name.
    Named,
    /// Optional, only by name, and one of these words.
    Choice(&'static [&'static str]),
    /// Any number of further arguments.
    Rest,
}

const fn required(name: &'static str) -> Parameter {
    Parameter {
        name,
        kind: Kind::Required,
    }
}

const fn optional(name: &'static str) -> Parameter {
    Parameter {
        name,
        kind: Kind::Optional,
    }
}

const fn named(name: &'static str) -> Parameter {
    Parameter {
        name,
        kind: Kind::Named,
    }
}

const fn choice(name: &'static str, words: &'static [&'static str]) -> Parameter {
    Parameter {
        name,
        kind: Kind::Choice(words),
    }
}

const fn rest(name: &'static str) -> Parameter {
    Parameter {
        name,
        kind: Kind::Rest,
    }
}

const fn builtin(name: &'static str, parameters: &'static [Parameter], run: Run) -> Signature {
    Signature {
        name,
        parameters,
        run,
    }
}

const EVICT: Parameter = choice("evict", &["first", "last", "normal"]);
const LOAD_CACHE: Parameter = choice("cache", &["ca", "cg", "cs", "cv"]);
const STORE_CACHE: Parameter = choice("cache", &["wb", "cg", "cs", "wt"]);
const BOUNDS: Parameter = choice("bounds", &["checked", "unchecked"]);

const ORDER: Parameter = choice("order", &["relaxed", "acquire", "release", "acq_rel"]);
const SCOPE: Parameter = choice("scope", &["cta", "gpu", "sys"]);
const ATOMIC: &[Parameter] = &[
    required("to"),
    required("value"),
    optional("mask"),
    ORDER,
    SCOPE,
];

const X: &[Parameter] = &[required("x")];
const X_Y: &[Parameter] = &[required("x"), required("y")];
const A_B: &[Parameter] = &[required("a"), required("b")];
const RUNNING: &[Parameter] = &[required("x"), optional("axis"), named("reverse")];
const RANDOM: &[Parameter] = &[required("seed"), required("offset"), optional("rounds")];
const SORT: &[Parameter] = &[required("x"), optional("axis"), optional("descending")];
const REDUCE: &[Parameter] = &[required("x"), optional("axis"), named("keep")];
const REDUCE_OR_TWO: &[Parameter] = &[required("x"), optional("y"), named("axis"), named("keep")];

/// `range(lo, hi, step)` of a `for`; no function.
pub(super) static RANGE: Signature = builtin(
    "range",
    &[required("lo"), required("hi"), optional("step")],
    program::range,
);
/// `range(hi)`.
pub(super) static RANGE_TO: Signature = builtin("range", &[required("hi")], program::range);

/// Every function of the language, by family.
static TABLE: &[Signature] = &[
    builtin("program_id", &[required("axis")], program::program_id),
    builtin("num_programs", &[required("axis")], program::num_programs),
    builtin("cdiv", X_Y, program::cdiv),
    builtin(
        "range",
        &[required("lo"), required("hi"), optional("step")],
        program::range,
    ),
    builtin("assume", &[required("cond")], program::assume),
    builtin(
        "static_assert",
        &[required("cond"), optional("msg")],
        program::static_assert,
    ),
    builtin("static_print", &[rest("values")], program::static_print),
    //
    builtin(
        "print",
        &[required("label"), rest("values"), named("hex")],
        debug::print,
    ),
    builtin(
        "assert",
        &[required("cond"), optional("message")],
        debug::assert,
    ),
    builtin(
        "asm",
        &[
            required("text"),
            rest("arguments"),
            named("type"),
            named("pure"),
            named("pack"),
        ],
        asm::asm,
    ),
    //
    builtin("arange", &[required("lo"), optional("hi")], create::arange),
    builtin(
        "zeros",
        &[required("shape"), optional("type")],
        create::zeros,
    ),
    builtin(
        "full",
        &[required("shape"), required("value"), optional("type")],
        create::full,
    ),
    builtin("zeros_like", X, create::zeros_like),
    builtin(
        "full_like",
        &[required("x"), required("value")],
        create::full_like,
    ),
    //
    builtin(
        "load",
        &[
            required("from"),
            optional("mask"),
            optional("other"),
            LOAD_CACHE,
            EVICT,
            BOUNDS,
        ],
        memory::load,
    ),
    builtin(
        "store",
        &[
            required("to"),
            required("value"),
            optional("mask"),
            STORE_CACHE,
            EVICT,
            BOUNDS,
        ],
        memory::store,
    ),
    builtin(
        "prefetch",
        &[
            required("from"),
            optional("mask"),
            choice("level", &["L1", "L2"]),
        ],
        prefetch::prefetch,
    ),
    //
    builtin("atomic_add", ATOMIC, atomic::add),
    builtin("atomic_max", ATOMIC, atomic::max),
    builtin("atomic_min", ATOMIC, atomic::min),
    builtin("atomic_and", ATOMIC, atomic::and),
    builtin("atomic_or", ATOMIC, atomic::or),
    builtin("atomic_xor", ATOMIC, atomic::xor),
    builtin("atomic_xchg", ATOMIC, atomic::exchange),
    builtin(
        "atomic_cas",
        &[
            required("to"),
            required("compare"),
            required("value"),
            optional("mask"),
            ORDER,
            SCOPE,
        ],
        atomic::compare_exchange,
    ),
    //
    builtin(
        "dot",
        &[
            required("a"),
            required("b"),
            optional("acc"),
            choice("precision", &["full", "tf32"]),
        ],
        linear::dot,
    ),
    builtin(
        "dot_scaled",
        &[
            required("a"),
            required("a_scale"),
            required("b"),
            required("b_scale"),
            optional("acc"),
            choice("a_format", scaled::FORMATS),
            choice("b_format", scaled::FORMATS),
        ],
        scaled::dot_scaled,
    ),
    //
    builtin("abs", X, math::abs),
    builtin("exp", X, math::exp),
    builtin("exp2", X, math::exp2),
    builtin("log", X, math::log),
    builtin("log2", X, math::log2),
    builtin("sqrt", X, math::sqrt),
    builtin("rsqrt", X, math::rsqrt),
    builtin("sin", X, math::sin),
    builtin("cos", X, math::cos),
    builtin("tanh", X, math::tanh),
    builtin("erf", X, math::erf),
    builtin("floor", X, math::floor),
    builtin("ceil", X, math::ceil),
    builtin("round", X, math::round),
    builtin("sigmoid", X, math::sigmoid),
    builtin("relu", X, math::relu),
    builtin("asin", X, math::asin),
    builtin("acos", X, math::acos),
    builtin("atan", X, math::atan),
    builtin("atan2", &[required("y"), required("x")], math::atan2),
    builtin("tan", X, math::tan),
    builtin("sinh", X, math::sinh),
    builtin("cosh", X, math::cosh),
    builtin("asinh", X, math::asinh),
    builtin("acosh", X, math::acosh),
    builtin("atanh", X, math::atanh),
    builtin("expm1", X, math::expm1),
    builtin("log1p", X, math::log1p),
    builtin("log10", X, math::log10),
    builtin("pow", X_Y, math::power),
    builtin("cbrt", X, math::cbrt),
    builtin("hypot", X_Y, math::hypot),
    builtin("erfc", X, math::erfc),
    builtin("trunc", X, math::trunc),
    builtin("rint", X, math::round),
    builtin("copysign", X_Y, math::copysign),
    builtin("fmod", X_Y, math::remainder),
    builtin("isnan", X, math::is_nan),
    builtin("isinf", X, math::is_infinite),
    builtin("isfinite", X, math::is_finite),
    builtin("fast.exp", X, math::fast_exp),
    builtin("fast.exp2", X, math::fast_exp2),
    builtin("fast.log", X, math::fast_log),
    builtin("fast.log2", X, math::fast_log2),
    builtin("fast.sin", X, math::fast_sin),
    builtin("fast.cos", X, math::fast_cos),
    builtin("fast.tanh", X, math::fast_tanh),
    builtin("fast.reciprocal", X, math::fast_reciprocal),
    builtin("maximum", X_Y, math::maximum),
    builtin("minimum", X_Y, math::minimum),
    builtin("umulhi", X_Y, math::umulhi),
    builtin(
        "fma",
        &[required("a"), required("b"), required("c")],
        math::fma,
    ),
    builtin(
        "clamp",
        &[required("x"), required("low"), required("high")],
        math::clamp,
    ),
    builtin(
        "where",
        &[required("cond"), required("x"), required("y")],
        math::select,
    ),
    builtin(
        "cast",
        &[
            required("x"),
            required("type"),
            choice("round", &["rtne", "rtz"]),
        ],
        math::cast,
    ),
    builtin("bitcast", &[required("x"), required("type")], math::bitcast),
    //
    builtin("max", REDUCE_OR_TWO, reduce::max),
    builtin("min", REDUCE_OR_TWO, reduce::min),
    builtin("sum", REDUCE, reduce::sum),
    builtin("prod", REDUCE, reduce::prod),
    builtin("mean", REDUCE, reduce::mean),
    builtin("argmax", REDUCE, reduce::argmax),
    builtin("argmin", REDUCE, reduce::argmin),
    builtin("any", REDUCE, reduce::any),
    builtin("all", REDUCE, reduce::all),
    builtin("xor_sum", REDUCE, reduce::xor_sum),
    builtin(
        "reduce",
        &[
            required("x"),
            required("axis"),
            required("f"),
            named("keep"),
        ],
        reduce::reduce,
    ),
    //
    builtin(
        "scan",
        &[
            required("x"),
            required("axis"),
            required("f"),
            named("reverse"),
        ],
        reduce::scan,
    ),
    builtin("map", &[required("f"), rest("x")], map::map),
    builtin(
        "histogram",
        &[required("x"), required("bins"), optional("mask")],
        histogram::histogram,
    ),
    builtin("cumsum", RUNNING, reduce::cumsum),
    builtin("cumprod", RUNNING, reduce::cumprod),
    //
    builtin("rand", RANDOM, random::rand),
    builtin("randn", RANDOM, random::randn),
    builtin("randint", RANDOM, random::randint),
    builtin("rand4x", RANDOM, random::rand4x),
    builtin("randn4x", RANDOM, random::randn4x),
    builtin("randint4x", RANDOM, random::randint4x),
    //
    builtin(
        "gather",
        &[required("x"), required("index"), optional("axis")],
        movement::gather,
    ),
    builtin("sort", SORT, sorting::sort),
    builtin("argsort", SORT, sorting::argsort),
    builtin(
        "topk",
        &[
            required("x"),
            required("k"),
            optional("axis"),
            optional("largest"),
        ],
        sorting::topk,
    ),
    builtin("flip", &[required("x"), optional("axis")], movement::flip),
    builtin(
        "cat",
        &[required("a"), required("b"), optional("axis")],
        movement::cat,
    ),
    builtin("join", A_B, movement::join),
    builtin("interleave", A_B, movement::interleave),
    builtin("split", X, movement::split),
    builtin(
        "reshape",
        &[required("x"), required("shape")],
        shape::reshape,
    ),
    builtin(
        "permute",
        &[required("x"), required("order")],
        shape::permute,
    ),
    builtin(
        "broadcast",
        &[required("x"), required("shape")],
        shape::broadcast,
    ),
    builtin(
        "expand_dims",
        &[required("x"), required("axis")],
        shape::expand_dims,
    ),
    //
];

impl Builtin {
    pub fn find(name: &str) -> Option<Self> {
        TABLE
            .iter()
            .find(|signature| signature.name == name)
            .map(Self)
    }

    /// A function of tests.
    pub fn of_host(name: &str) -> Option<Self> {
        host::HOST
            .iter()
            .find(|signature| signature.name == name)
            .map(Self)
    }

    /// The names of the functions of tests.
    pub fn host_names() -> impl Iterator<Item = &'static str> {
        host::HOST.iter().map(|signature| signature.name)
    }

    pub const fn name(self) -> &'static str {
        self.0.name
    }

    pub const fn signature(self) -> &'static Signature {
        self.0
    }

    /// Elaborates a call.
    pub fn run<'a>(self, elaborator: &mut Elaborator<'a>, call: Call<'a>) -> Operand<'a> {
        (self.0.run)(elaborator, call)
    }
}

impl fmt::Debug for Builtin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}

impl Signature {
    /// The names of all builtins.
    pub fn names() -> impl Iterator<Item = &'static str> {
        TABLE.iter().map(|signature| signature.name)
    }

    /// `load(from, mask, other, cache = …)`, for messages.
    pub fn usage(&self) -> String {
        let parameters: Vec<String> = self
            .parameters
            .iter()
            .map(|parameter| match parameter.kind {
                Kind::Required => parameter.name.to_owned(),
                Kind::Optional => format!("{}?", parameter.name),
                Kind::Named => format!("{} = …", parameter.name),
                Kind::Choice(words) => format!("{} = {}", parameter.name, words.join("|")),
                Kind::Rest => format!("{}…", parameter.name),
            })
            .collect();
        format!("{}({})", self.name, parameters.join(", "))
    }
}
