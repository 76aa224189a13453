//! How a table of instructions is written.
//!
//! A [`Compute`](super::Compute) is a plain function: what an opcode says is decided when the
//! instruction is decoded, and costs nothing when it runs. So each combination of modifiers is a
//! function of its own, compiled from one line of a table:
//!
//! ```text
//! F32 1 "add{.<rnd>}{.ftz}.f32" "T = T T" [R rounding] [FTZ "ftz"] |a: f32, b: f32| …R…FTZ…;
//! │   │  the pattern             operands  the choices              what one lane does
//! │   floating-point operations per lane
//! class
//! ```
//!
//! Each choice gives the rest of the line a name, and compiles it once per alternative:
//! - `[T in U16 U32]` and `[D before S8 S16]`: the type that is the last of the opcode, or the one
//!   before it;
//! - `[T word last]` and `[D word before_last]`: the unsigned integer as wide as that type;
//! - `[R rounding]`: the rounding mode, to nearest if there is none;
//! - `[FTZ "ftz"]`: a constant, whether the modifier is there;
//! - `[C one and=And or=Or]`: a type per modifier, and nothing if none is there;
//! - `[C comparison]` of floats, `[C order]` of integers, `[C equality]` of bits,
//!   `[B combination]` with a predicate, `[I integral]` for rounding to integers: such types;
//! - `[if condition]`: nothing unless the condition holds for the choices before it.
//!
//! `= function` in place of what a lane does is a function of all lanes.
//!
//! Each copy is a loop of its own, made of vector instructions, and takes its time to compile.
//! Where the word `seldom` stands after the operations, lanes are computed one by one instead, in
//! a loop that all such lines share. `uniform` is for shifts and the like: the operands after the
//! first are mostly the same in all lanes, and where they are not, it is as if `seldom`.

/// A table of instructions; see the top of this file.
macro_rules! table {
    ($(
        $class:ident $flops:literal $($how:ident)? $pattern:literal $operands:literal
        $([$($choice:tt)*])*
        $(= $compute:path)? $(|$($argument:ident: $type:ty),+| $body:expr)?;
    )*) => {
        &[$($crate::simulator::arithmetic::pattern::Row {
            pattern: $pattern,
            operands: $operands,
            class: $crate::simulator::arithmetic::Class::$class,
            flops: $flops,
            select: |_parts| $crate::simulator::arithmetic::table::choose!(
                _parts, $([$($choice)*])* { $($how)? }
                $(lanes $compute)? $(lane |$($argument: $type),+| $body)?
            ),
        }),*]
    };
}

/// The function for the parts of an opcode: takes one choice off the list, and goes on with the
/// rest of it, a single token, for each alternative.
macro_rules! choose {
    ($parts:ident, [$($choice:tt)*] $($rest:tt)*) => {
        $crate::simulator::arithmetic::table::choose!(@ $parts [$($choice)*] { $($rest)* })
    };
    (@ $parts:ident [$T:ident in $($variant:ident)*] $rest:tt) => {
        match $parts.last() {
            $(Some($crate::simulator::arithmetic::pattern::Type::$variant) => {
                type $T = $crate::simulator::arithmetic::table::native::$variant;
                $crate::simulator::arithmetic::table::choose!($parts, $rest)
            })*
            _ => None,
        }
    };
    (@ $parts:ident [$D:ident before $($variant:ident)*] $rest:tt) => {
        match $parts.before_last() {
            $(Some($crate::simulator::arithmetic::pattern::Type::$variant) => {
                type $D = $crate::simulator::arithmetic::table::native::$variant;
                $crate::simulator::arithmetic::table::choose!($parts, $rest)
            })*
            _ => None,
        }
    };
    (@ $parts:ident [$T:ident word $which:ident] $rest:tt) => {
        match $parts.$which().map(|of| of.kind().bits()) {
            Some(8) => {
                type $T = u8;
                $crate::simulator::arithmetic::table::choose!($parts, $rest)
            }
            Some(16) => {
                type $T = u16;
                $crate::simulator::arithmetic::table::choose!($parts, $rest)
            }
            Some(32) => {
                type $T = u32;
                $crate::simulator::arithmetic::table::choose!($parts, $rest)
            }
            Some(64) => {
                type $T = u64;
                $crate::simulator::arithmetic::table::choose!($parts, $rest)
            }
            _ => None,
        }
    };
    (@ $parts:ident [$C:ident comparison] $rest:tt) => {{
        use $crate::simulator::arithmetic::relation::*;
        $crate::simulator::arithmetic::table::choose!(
            @ $parts [$C one eq=Eq ne=Ne lt=Lt le=Le gt=Gt ge=Ge equ=Equ neu=Neu ltu=Ltu leu=Leu
                gtu=Gtu geu=Geu num=Num nan=Nan] $rest
        )
    }};
    (@ $parts:ident [$C:ident order] $rest:tt) => {{
        use $crate::simulator::arithmetic::relation::*;
        $crate::simulator::arithmetic::table::choose!(
            @ $parts [$C one eq=Eq ne=Ne lt=Lt le=Le gt=Gt ge=Ge lo=Lt ls=Le hi=Gt hs=Ge] $rest
        )
    }};
    (@ $parts:ident [$C:ident equality] $rest:tt) => {{
        use $crate::simulator::arithmetic::relation::*;
        $crate::simulator::arithmetic::table::choose!(@ $parts [$C one eq=Eq ne=Ne] $rest)
    }};
    (@ $parts:ident [$B:ident combination] $rest:tt) => {{
        use $crate::simulator::arithmetic::bits::{And, Or, Xor};
        $crate::simulator::arithmetic::table::choose!(
            @ $parts [$B one and=And or=Or xor=Xor] $rest
        )
    }};
    (@ $parts:ident [$I:ident integral] $rest:tt) => {{
        use $crate::simulator::arithmetic::convert::integer::{Ceiling, Even, Floor, Truncate};
        $crate::simulator::arithmetic::table::choose!(
            @ $parts [$I one rni=Even rzi=Truncate rmi=Floor rpi=Ceiling] $rest
        )
    }};
    (@ $parts:ident [$C:ident one $($word:ident=$type:ty)*] $rest:tt) => {{
        $(if $parts.has(stringify!($word)) {
            type $C = $type;
            $crate::simulator::arithmetic::table::choose!($parts, $rest)
        } else)* {
            None
        }
    }};
    (@ $parts:ident [if $condition:expr] $rest:tt) => {
        if $condition {
            $crate::simulator::arithmetic::table::choose!($parts, $rest)
        } else {
            None
        }
    };
    (@ $parts:ident [$R:ident rounding] $rest:tt) => {{
        use $crate::simulator::arithmetic::rounding::{Down, Nearest, Up, Zero};
        if $parts.has("rz") {
            type $R = Zero;
            $crate::simulator::arithmetic::table::choose!($parts, $rest)
        } else if $parts.has("rm") {
            type $R = Down;
            $crate::simulator::arithmetic::table::choose!($parts, $rest)
        } else if $parts.has("rp") {
            type $R = Up;
            $crate::simulator::arithmetic::table::choose!($parts, $rest)
        } else {
            type $R = Nearest;
            $crate::simulator::arithmetic::table::choose!($parts, $rest)
        }
    }};
    (@ $parts:ident [$FLAG:ident $word:literal] $rest:tt) => {
        if $parts.has($word) {
            const $FLAG: bool = true;
            $crate::simulator::arithmetic::table::choose!($parts, $rest)
        } else {
            const $FLAG: bool = false;
            $crate::simulator::arithmetic::table::choose!($parts, $rest)
        }
    };
    ($parts:ident, { $($rest:tt)* }) => {
        $crate::simulator::arithmetic::table::choose!($parts, $($rest)*)
    };
    ($parts:ident, {} lanes $compute:expr) => {{
        let compute: $crate::simulator::arithmetic::Compute = $compute;
        Some(compute)
    }};
    ($parts:ident, {} lane |$a:ident: $A:ty| $body:expr) => {
        $crate::simulator::arithmetic::table::choose!($parts, {} lanes |registers, operands, mask| {
            $crate::simulator::arithmetic::lanes::unary(registers, operands, mask, |$a: $A| $body)
        })
    };
    ($parts:ident, {} lane |$a:ident: $A:ty, $b:ident: $B:ty| $body:expr) => {
        $crate::simulator::arithmetic::table::choose!($parts, {} lanes |registers, operands, mask| {
            let lane = |$a: $A, $b: $B| $body;
            $crate::simulator::arithmetic::lanes::binary(registers, operands, mask, lane)
        })
    };
    ($parts:ident, {} lane |$a:ident: $A:ty, $b:ident: $B:ty, $c:ident: $C:ty| $body:expr) => {
        $crate::simulator::arithmetic::table::choose!($parts, {} lanes |registers, operands, mask| {
            let lane = |$a: $A, $b: $B, $c: $C| $body;
            $crate::simulator::arithmetic::lanes::ternary(registers, operands, mask, lane)
        })
    };
    ($parts:ident, { uniform } lane |$a:ident: $A:ty, $b:ident: $B:ty| $body:expr) => {
        $crate::simulator::arithmetic::table::choose!($parts, {} lanes |registers, operands, mask| {
            let lane = |$a: $A, $b: $B| $body;
            $crate::simulator::arithmetic::lanes::binary_uniform(registers, operands, mask, lane)
        })
    };
    ($parts:ident, { uniform } lane
        |$a:ident: $A:ty, $b:ident: $B:ty, $c:ident: $C:ty| $body:expr) => {
        $crate::simulator::arithmetic::table::choose!($parts, {} lanes |registers, operands, mask| {
            let lane = |$a: $A, $b: $B, $c: $C| $body;
            $crate::simulator::arithmetic::lanes::ternary_uniform(registers, operands, mask, lane)
        })
    };
    ($parts:ident, { seldom } lane |$a:ident: $A:ty| $body:expr) => {
        $crate::simulator::arithmetic::table::choose!($parts, {} lanes |registers, operands, mask| {
            let lane: fn($A) -> _ = |$a| $body;
            $crate::simulator::arithmetic::lanes::unary_seldom(registers, operands, mask, lane)
        })
    };
    ($parts:ident, { seldom } lane |$a:ident: $A:ty, $b:ident: $B:ty| $body:expr) => {
        $crate::simulator::arithmetic::table::choose!($parts, {} lanes |registers, operands, mask| {
            let lane: fn($A, $B) -> _ = |$a, $b| $body;
            $crate::simulator::arithmetic::lanes::binary_seldom(registers, operands, mask, lane)
        })
    };
    ($parts:ident, { seldom } lane
        |$a:ident: $A:ty, $b:ident: $B:ty, $c:ident: $C:ty| $body:expr) => {
        $crate::simulator::arithmetic::table::choose!($parts, {} lanes |registers, operands, mask| {
            let lane: fn($A, $B, $C) -> _ = |$a, $b, $c| $body;
            $crate::simulator::arithmetic::lanes::ternary_seldom(registers, operands, mask, lane)
        })
    };
    ($parts:ident, { seldom } lane
        |$a:ident: $A:ty, $b:ident: $B:ty, $c:ident: $C:ty, $e:ident: $E:ty| $body:expr) => {
        $crate::simulator::arithmetic::table::choose!($parts, {} lanes |registers, operands, mask| {
            let lane: fn($A, $B, $C, $E) -> _ = |$a, $b, $c, $e| $body;
            $crate::simulator::arithmetic::lanes::quaternary_seldom(
                registers, operands, mask, lane,
            )
        })
    };
}

pub(super) use {choose, table};

/// The Rust types of PTX types.
#[allow(dead_code)]
pub(super) mod native {
    use crate::simulator::arithmetic::element::Pair;

    pub type B8 = u8;
    pub type U8 = u8;
    pub type S8 = i8;
    pub type B16 = u16;
    pub type U16 = u16;
    pub type S16 = i16;
    pub type B32 = u32;
    pub type U32 = u32;
    pub type S32 = i32;
    pub type B64 = u64;
    pub type U64 = u64;
    pub type S64 = i64;
    pub type F16 = half::f16;
    pub type F16x2 = Pair<half::f16>;
    pub type BF16 = half::bf16;
    pub type BF16x2 = Pair<half::bf16>;
    pub type U16x2 = Pair<u16>;
    pub type S16x2 = Pair<i16>;
    pub type F32x2 = Pair<f32>;
    pub type F32 = f32;
    pub type F64 = f64;
}
