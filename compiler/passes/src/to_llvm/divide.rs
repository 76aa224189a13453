//! Division by a value that many elements share: a row by its sum, a tile by its scale.
//!
//! `div.rn.f32` spends most of its instructions on the reciprocal of the divisor and on operands at
//! the ends of the range. Where several registers of a thread have the same divisor, the reciprocal
//! `r = 1 / s` is computed once, the range is checked once for all, and an element costs five
//! instructions that give the same bits:
//!
//! ```text
//! q = x r;  twice:  e = s q - x;  q = q - e r          (each line rounded once, by fma)
//! ```
//!
//! After the first round `q` is within one unit in the last place of the quotient and `e` is exact;
//! then the second gives the quotient rounded to nearest, because `r` is the rounded reciprocal
//! (P. Markstein, Computation of elementary functions on the IBM RISC System/6000, 1990). This holds
//! while nothing underflows or overflows: divisors from `2^-24` to `2^24`, and elements that are zero
//! or from `2^-100` to `2^100` in magnitude. A NaN stays one. A thread that holds anything else
//! divides the usual way.
//!
//! Where every use of the quotient rounds it to `bf16` or `f16`, less is enough. `1 / s` lies between the floats below and
//! above `r`, and rounding keeps the order: so the quotient, rounded to f32 and again, lies between the products of `x` with
//! these two, rounded to f32 and again. Mostly those are the same number. This needs nothing of the elements, and of the
//! divisor only that it and its reciprocal are normal numbers. Two elements are rounded by one instruction, and one check
//! decides for eight; a thread goes the longer way one time in 2000 for `bf16`, one in 250 for `f16`. That divides two
//! elements at a time, each by itself: a row that fills the registers stays in them.
//!
//! A reciprocal `1 / s` of a divisor that cannot be so small or large that it matters, as that of a sigmoid (`1 + exp(-|x|)`),
//! needs no check ([`float_range_of`]). With one there is a branch for each element, and `ptxas` computes one after the other:
//! on an H200 the gated layer of 4096 x 4096 x 512 went from 85 us to 63 without. Where nothing is known of the divisors, one
//! check for eight elements was no way out: with the branches between, all divisors are computed first, and sums of 256
//! columns spill.
//!
//! Elsewhere `div.rn.f32` takes its longest way where the element is zero, as those are that a mask left out: on an H200 divisions of zeros took
//! 2.9 times as long as others, and 2.4 where 3 % were zeros. Three more instructions divide another number then: 1.04 for all.

use melior::ir::{Type, ValueLike};

use super::ToLlvm;
use super::threads::inline_asm;
use crate::build::{Builder, Rebuilder};
use crate::dialect::{may_approximate, predicates as p};
use crate::facts::float_range_of;
use crate::ffi::users;
use crate::ir::{Operation, Value, attributes, element_type, name, operand, result, results};
use crate::is_tile;
use crate::layout::Layout;

/// How many quotients must share a divisor before this pays.
const WORTH_SHARING: usize = 4;

const LARGEST_DIVISOR: f64 = (1u64 << 24) as f64;
const LARGEST_ELEMENT: f64 = (1u128 << 100) as f64;

/// Divisors whose reciprocals are normal numbers: from the inverse of this to this.
const LARGEST_INVERTIBLE: f64 = (1u128 << 126) as f64;

/// What is divided instead of zero: no divisor but zero makes it infinite, and the usual ones take the short way.
const INSTEAD_OF_ZERO: f64 = 1.0 / (1u64 << 24) as f64;

/// How many narrow quotients are checked together: one check too many has a thread divide so many the longer way.
const NARROWED_TOGETHER: usize = 8;

/// For how many one branch decides in a block with a producer, where none of them goes the longer way: until then, they and their elements are in
/// registers. Such a block has few warps, and those wait for the latency of each branch (H200, attention, sequences of 1024 and 2048: 0.99 to
/// 1.03 times as fast, a window of 1024 up to 1.03). Others have registers for more warps (softmax of 4096 and more columns: 0.75 to 0.98).
const BRANCHED_TOGETHER: usize = 32;

impl<'c> ToLlvm<'_, '_, 'c> {
    /// A divisor, or 1 where all that it divides is padding.
    fn real_divisor(
        &self,
        builder: &mut Builder<'c>,
        layout: &Layout,
        members: &[usize],
        divisor: Value<'c>,
    ) -> Value<'c> {
        let mut any: Option<Value<'c>> = None;
        for member in members {
            let Some(inside) = self.inside(builder, layout, *member) else {
                return divisor;
            };
            any = Some(match any {
                None => inside,
                Some(any) => builder.binary("arith.ori", any, inside),
            });
        }
        let Some(any) = any else { return divisor };
        let one = builder.constant_float(1.0, divisor.r#type());
        builder.select(any, divisor, one)
    }

    /// The registers of a quotient, if several of them have the same divisor.
    pub(super) fn shared_quotients(
        &self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
        layout: &Layout,
        operands: &[Vec<Value<'c>>],
        ty: Type<'c>,
    ) -> Option<Vec<Value<'c>>> {
        let [dividends, divisors] = operands else {
            return None;
        };
        if !is_precise_division(operation) || ty.to_string() != "f32" {
            return None;
        }
        let narrow = narrowed_to(operation);
        let mut groups: Vec<(Value<'c>, Vec<usize>)> = Vec::new();
        for (register, &divisor) in divisors.iter().enumerate() {
            if layout.register_representative(register) != register {
                continue;
            }
            match groups.iter_mut().find(|(of, _)| *of == divisor) {
                Some((_, members)) => members.push(register),
                None => groups.push((divisor, vec![register])),
            }
        }
        let shares = |members: &[usize]| members.len() >= WORTH_SHARING;
        if !groups.iter().all(|(_, members)| shares(members)) {
            return None;
        }
        let mut quotients: Vec<_> = dividends.clone();
        for (divisor, members) in groups {
            let elements: Vec<_> = members
                .iter()
                .map(|member| {
                    self.without_garbage(&mut to.builder, layout, *member, dividends[*member])
                })
                .collect();
            let divisor = self.real_divisor(&mut to.builder, layout, &members, divisor);
            let builder = &mut to.builder;
            let found = match narrow {
                Some(narrow) => elements
                    .chunks(match self.has_copying_warps {
                        true => BRANCHED_TOGETHER,
                        false => NARROWED_TOGETHER,
                    })
                    .flat_map(|part| {
                        let words = narrowed_by_shared_divisor(builder, part, divisor, ty, narrow);
                        let halves = words
                            .into_iter()
                            .map(|word| self.halves(builder, word, narrow));
                        halves.flatten().take(part.len()).collect::<Vec<_>>()
                    })
                    .collect(),
                None => by_shared_divisor(builder, &elements, divisor, ty),
            };
            for (member, quotient) in members.into_iter().zip(found) {
                quotients[member] = quotient;
            }
        }
        let registers = self.per_register(layout, |register| quotients[register]);
        if narrow.is_none() {
            return Some(registers);
        }
        // For the conversions to come there is nothing left to do: narrow numbers take the elements' registers while later
        // ones are divided.
        for user in users(result(operation, 0)) {
            to.bind(result(user, 0), registers.clone());
        }
        Some(dividends.clone())
    }
}

/// Whether an operation divides floats as the language promises it of `/`.
fn is_precise_division(operation: Operation<'_>) -> bool {
    name(operation) == "arith.divf" && !may_approximate(&attributes(operation))
}

/// Whether a division is that of one by normal numbers with normal reciprocals, or NaN, in f32.
pub(super) fn is_usual_reciprocal(division: Operation<'_>) -> bool {
    let is_single = element_type(result(division, 0).r#type()).to_string() == "f32";
    if !is_precise_division(division) || !is_single {
        return false;
    }
    let (low, high) = float_range_of(operand(division, 1));
    float_range_of(operand(division, 0)) == (1.0, 1.0)
        && low >= 1.0 / LARGEST_DIVISOR
        && high <= LARGEST_DIVISOR
}

/// Whether the elements of a tile that are divided, in f32, may be zero, as those that a mask leaves out are.
pub(super) fn may_divide_zero(division: Operation<'_>) -> bool {
    let value = result(division, 0);
    let is_single = element_type(value.r#type()).to_string() == "f32";
    if !is_precise_division(division) || !is_single || !is_tile(value) {
        return false;
    }
    let (low, high) = float_range_of(operand(division, 0));
    low <= 0.0 && high >= 0.0
}

/// `x / s`, f32: `div.rn.f32` takes its longest way where `x` is zero, so another number is divided then.
pub(super) fn unless_zero<'c>(
    builder: &mut Builder<'c>,
    inputs: &[Value<'c>],
    ty: Type<'c>,
) -> Value<'c> {
    let (x, s) = (inputs[0], inputs[1]);
    let [zero, other] = [0.0, INSTEAD_OF_ZERO].map(|number| builder.constant_float(number, ty));
    let is_zero = builder.compare_floats(p::OEQ, x, zero);
    let instead = builder.select(is_zero, other, x);
    let quotient = builder.binary("arith.divf", instead, s);
    // Zero with the signs of both, or NaN where `s` is zero or NaN.
    let none = builder.binary("arith.mulf", x, quotient);
    builder.select(is_zero, none, quotient)
}

/// The narrow type to which every use of a quotient rounds it.
fn narrowed_to(division: Operation<'_>) -> Option<Type<'_>> {
    let mut narrow = None;
    for user in users(result(division, 0)) {
        if name(user) != "arith.truncf" {
            return None;
        }
        let ty = element_type(result(user, 0).r#type());
        let is_half = matches!(ty.to_string().as_str(), "bf16" | "f16");
        if !is_half || narrow.is_some_and(|narrow| narrow != ty) {
            return None;
        }
        narrow = Some(ty);
    }
    narrow
}

/// The quotients of all elements by one divisor, f32.
fn by_shared_divisor<'c>(
    builder: &mut Builder<'c>,
    elements: &[Value<'c>],
    divisor: Value<'c>,
    ty: Type<'c>,
) -> Vec<Value<'c>> {
    let is_usual = range_is_usual(builder, elements, divisor, ty);
    one_of(
        builder,
        is_usual,
        ty,
        |builder| {
            let reciprocal = reciprocal(builder, divisor, ty);
            let quotient = |element| quotient(builder, element, divisor, reciprocal, ty);
            elements.iter().copied().map(quotient).collect()
        },
        |builder| {
            let quotient = |element: &Value<'c>| builder.binary("arith.divf", *element, divisor);
            elements.iter().map(quotient).collect()
        },
    )
}

/// The quotients of elements by one divisor, rounded to a narrow type, two in a word.
fn narrowed_by_shared_divisor<'c>(
    builder: &mut Builder<'c>,
    elements: &[Value<'c>],
    divisor: Value<'c>,
    ty: Type<'c>,
    narrow: Type<'c>,
) -> Vec<Value<'c>> {
    let word = builder.int_type(32);
    let reciprocal = reciprocal(builder, divisor, ty);
    let bits = builder.value("arith.bitcast", &[reciprocal], &[], word);
    let neighbours = [-1, 1].map(|step| {
        let step = builder.constant_int(step, word);
        let bits = builder.add(bits, step);
        builder.value("arith.bitcast", &[bits], &[], ty)
    });
    let magnitude = builder.value("math.absf", &[divisor], &[], ty);
    let low = builder.constant_float(1.0 / LARGEST_INVERTIBLE, ty);
    let high = builder.constant_float(LARGEST_INVERTIBLE, ty);
    let not_low = builder.compare_floats(p::OGE, magnitude, low);
    let not_high = builder.compare_floats(p::OLE, magnitude, high);
    let is_invertible = builder.and(not_low, not_high);
    let parts: Vec<_> = elements.chunks(NARROWED_TOGETHER).collect();
    let found: Vec<_> = parts
        .iter()
        .map(|part| narrowed_by_neighbours(builder, part, neighbours, narrow))
        .collect();
    let zero = builder.constant_int(0, word);
    let any = found.iter().map(|(_, difference)| *difference);
    let any = any.reduce(|all, one| builder.binary("arith.ori", all, one));
    let same = builder.compare_int(p::EQ, any.unwrap_or(zero), zero);
    let are_safe = builder.and(is_invertible, same);
    let quick = |words: &[(Vec<Value<'c>>, Value<'c>)]| -> Vec<Value<'c>> {
        words.iter().flat_map(|(words, _)| words.clone()).collect()
    };
    one_of(
        builder,
        are_safe,
        word,
        |_| quick(&found),
        |builder| {
            let each = parts.iter().zip(&found);
            let words = each.map(|(part, (words, difference))| {
                let same = builder.compare_int(p::EQ, *difference, zero);
                let is_safe = builder.and(is_invertible, same);
                let divided = |builder: &mut Builder<'c>| divided(builder, part, divisor, narrow);
                one_of(builder, is_safe, word, |_| words.clone(), divided)
            });
            words.flatten().collect()
        },
    )
}

/// The products of elements with the floats below and above a reciprocal, rounded to a narrow type: those with the one below, and what is
/// zero where they are those with the one above.
fn narrowed_by_neighbours<'c>(
    builder: &mut Builder<'c>,
    elements: &[Value<'c>],
    neighbours: [Value<'c>; 2],
    narrow: Type<'c>,
) -> (Vec<Value<'c>>, Value<'c>) {
    let [below, above] = neighbours.map(|factor| {
        let products: Vec<_> = elements
            .iter()
            .map(|element| builder.binary("arith.mulf", *element, factor))
            .collect();
        packed(builder, &products, narrow)
    });
    let differences = below.iter().zip(&above);
    let differences: Vec<_> = differences
        .map(|(below, above)| builder.binary("arith.xori", *below, *above))
        .collect();
    let any = differences
        .into_iter()
        .reduce(|all, one| builder.binary("arith.ori", all, one));
    let word = builder.int_type(32);
    let any = any.unwrap_or_else(|| builder.constant_int(0, word));
    (below, any)
}

/// Elements divided by a divisor, each by itself, and rounded to a narrow type.
fn divided<'c>(
    builder: &mut Builder<'c>,
    elements: &[Value<'c>],
    divisor: Value<'c>,
    narrow: Type<'c>,
) -> Vec<Value<'c>> {
    let pairs = elements.chunks(2).flat_map(|pair| {
        let quotients: Vec<_> = pair
            .iter()
            .map(|element| builder.binary("arith.divf", *element, divisor))
            .collect();
        packed(builder, &quotients, narrow)
    });
    pairs.collect()
}

/// Numbers rounded to a narrow type, two in a word.
fn packed<'c>(
    builder: &mut Builder<'c>,
    numbers: &[Value<'c>],
    narrow: Type<'c>,
) -> Vec<Value<'c>> {
    let word = builder.int_type(32);
    let text = format!("cvt.rn.{narrow}x2.f32 $0, $2, $1;");
    let mut pack = |pair: &[Value<'c>]| {
        let inputs = [pair[0], *pair.last().unwrap_or(&pair[0])];
        inline_asm(builder, &text, "=r,f,f", &inputs, &[word], false)[0]
    };
    numbers.chunks(2).map(&mut pack).collect()
}

/// A branch on `condition` that gives the values of one of two sides.
fn one_of<'c>(
    builder: &mut Builder<'c>,
    condition: Value<'c>,
    ty: Type<'c>,
    yes: impl FnOnce(&mut Builder<'c>) -> Vec<Value<'c>>,
    no: impl FnOnce(&mut Builder<'c>) -> Vec<Value<'c>>,
) -> Vec<Value<'c>> {
    let (yes, count) = builder.region(&[], |builder, _| {
        let values = yes(builder);
        builder.insert("scf.yield", &values, &[], &[]);
        values.len()
    });
    let (no, ()) = builder.region(&[], |builder, _| {
        let values = no(builder);
        builder.insert("scf.yield", &values, &[], &[]);
    });
    let types = vec![ty; count];
    let branch = builder.insert_with_regions("scf.if", &[condition], &[], &types, vec![yes, no]);
    results(branch)
}

fn reciprocal<'c>(builder: &mut Builder<'c>, divisor: Value<'c>, ty: Type<'c>) -> Value<'c> {
    let one = builder.constant_float(1.0, ty);
    builder.binary("arith.divf", one, divisor)
}

/// `x / s` with the rounded reciprocal of `s`, in the range that the module names.
pub(super) fn quotient<'c>(
    builder: &mut Builder<'c>,
    x: Value<'c>,
    s: Value<'c>,
    r: Value<'c>,
    ty: Type<'c>,
) -> Value<'c> {
    let mut q = builder.binary("arith.mulf", x, r);
    // The signs are chosen so that a zero keeps its own.
    let negative_x = builder.value("arith.negf", &[x], &[], ty);
    for _ in 0..2 {
        let e = builder.value("math.fma", &[s, q, negative_x], &[], ty);
        let negative_e = builder.value("arith.negf", &[e], &[], ty);
        q = builder.value("math.fma", &[negative_e, r, q], &[], ty);
    }
    q
}

/// Whether the divisor and all elements are where the short form is exact.
fn range_is_usual<'c>(
    builder: &mut Builder<'c>,
    elements: &[Value<'c>],
    divisor: Value<'c>,
    ty: Type<'c>,
) -> Value<'c> {
    let word = builder.int_type(32);
    let one = builder.constant_int(1, word);
    // Twice the bits leave the sign out; less one, zero becomes the largest number of all.
    let rank = |builder: &mut Builder<'c>, bits: Value<'c>| {
        let doubled = builder.add(bits, bits);
        builder.binary("arith.subi", doubled, one)
    };
    let mut smallest = None;
    let mut largest = None;
    for element in elements {
        let bits = builder.value("arith.bitcast", &[*element], &[], word);
        let rank = rank(builder, bits);
        smallest = Some(match smallest {
            None => rank,
            Some(smallest) => builder.binary("arith.minui", smallest, rank),
        });
        let magnitude = builder.value("math.absf", &[*element], &[], ty);
        largest = Some(match largest {
            None => magnitude,
            // A NaN loses.
            Some(largest) => builder.binary("arith.maxnumf", largest, magnitude),
        });
    }
    let low = builder.constant_float(1.0 / LARGEST_DIVISOR, ty);
    let high = builder.constant_float(LARGEST_DIVISOR, ty);
    let not_low = builder.compare_floats(p::OGE, divisor, low);
    let not_high = builder.compare_floats(p::OLE, divisor, high);
    let mut is_usual = builder.and(not_low, not_high);
    if let Some(smallest) = smallest {
        let limit = (1.0 / LARGEST_ELEMENT) as f32;
        let limit = builder.constant_int(2 * i64::from(limit.to_bits()) - 1, word);
        let fits = builder.compare_int(p::UGE, smallest, limit);
        is_usual = builder.and(is_usual, fits);
    }
    if let Some(largest) = largest {
        let limit = builder.constant_float(LARGEST_ELEMENT, ty);
        let exceeds = builder.compare_floats(p::OGT, largest, limit);
        let i1 = builder.int_type(1);
        let yes = builder.constant_int(1, i1);
        let fits = builder.binary("arith.xori", exceeds, yes);
        is_usual = builder.and(is_usual, fits);
    }
    is_usual
}
