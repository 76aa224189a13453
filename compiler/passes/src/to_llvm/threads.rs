//! Lanes, warps and coordinates.

use melior::ir::Type;

use super::ToLlvm;
use crate::build::Builder;
use crate::dialect::ops::Registers;
use crate::dialect::predicates;
use crate::ir::Value;
use crate::layout::Layout;
use crate::layout::mma::WARPGROUP;

impl<'c> ToLlvm<'_, '_, 'c> {
    /// The thread's number in its block, `i32`.
    pub(super) fn thread_of_block(&self, builder: &mut Builder<'c>) -> Value<'c> {
        builder.special_register("tid.x")
    }

    /// The thread's number in its program, `i32`.
    pub(super) fn thread(&self, builder: &mut Builder<'c>) -> Value<'c> {
        let thread = self.thread_of_block(builder);
        if self.cluster.blocks == 1 {
            return thread;
        }
        let rank = self.block_rank(builder);
        let threads = int(builder, i64::from(32 * self.warps / self.cluster.blocks));
        let before = builder.multiply(rank, threads);
        builder.add(before, thread)
    }

    /// The lane's number in its warp, `i32`.
    pub(super) fn lane(&self, builder: &mut Builder<'c>) -> Value<'c> {
        let thread = self.thread_of_block(builder);
        if self.warps == 1 {
            return thread;
        }
        let mask = int(builder, 31);
        builder.and(thread, mask)
    }

    /// Whether a bit of the lane's number is set, `i1`.
    pub(super) fn lane_bit(&self, builder: &mut Builder<'c>, bit: usize) -> Value<'c> {
        let lane = self.lane(builder);
        let mask = int(builder, 1 << bit);
        let masked = builder.and(lane, mask);
        let zero = int(builder, 0);
        builder.compare_int(predicates::NE, masked, zero)
    }

    /// The warp's number in its program, or that of the warp that it copies for, `i32`.
    pub(super) fn warp(&self, builder: &mut Builder<'c>) -> Value<'c> {
        if self.warps == 1 && self.pass.is_none() {
            return int(builder, 0);
        }
        let thread = self.thread(builder);
        let five = int(builder, 5);
        let warp = builder.binary("arith.shrui", thread, five);
        let Some(pass) = self.pass else {
            return warp;
        };
        // Of a warpgroup that comes after others.
        let group = i64::from(WARPGROUP);
        let mask = int(builder, group - 1);
        let own = builder.and(warp, mask);
        let before = int(builder, pass * group);
        builder.add(own, before)
    }

    /// XOR over the set bits of lane and warp of what each contributes, `i32`.
    pub(super) fn linear(
        &self,
        builder: &mut Builder<'c>,
        lanes: &[u32],
        warps: &[u32],
    ) -> Value<'c> {
        let mut sum: Option<Value<'c>> = None;
        let lane = self.lane(builder);
        let warp = self.warp(builder);
        for (source, steps) in [(lane, lanes), (warp, warps)] {
            for (first, length) in runs(steps) {
                // Neighbouring bits with doubling steps are one shifted field.
                let mut field = source;
                if first > 0 {
                    let shift = int(builder, first as i64);
                    field = builder.binary("arith.shrui", field, shift);
                }
                if first + length < steps.len() {
                    let mask = int(builder, (1 << length) - 1);
                    field = builder.and(field, mask);
                }
                let step = steps[first];
                if step > 1 {
                    let factor = int(builder, i64::from(step));
                    field = builder.multiply(field, factor);
                }
                sum = Some(match sum {
                    None => field,
                    Some(sum) => builder.binary("arith.xori", sum, field),
                });
            }
        }
        sum.unwrap_or_else(|| int(builder, 0))
    }

    /// The coordinate of a register's element along `axis`, `i32`.
    pub(super) fn coordinate(
        &self,
        builder: &mut Builder<'c>,
        layout: &Layout,
        axis: usize,
        register: usize,
    ) -> Value<'c> {
        let column = |bases: &[Vec<u32>]| bases.iter().map(|basis| basis[axis]).collect::<Vec<_>>();
        let lanes = column(layout.lane_bases());
        let warps = column(layout.warp_bases());
        let touched = lanes
            .iter()
            .chain(&warps)
            .fold(0u64, |bits, step| bits | u64::from(*step));
        let constant = layout.register_coordinates(register)[axis];
        if touched == 0 {
            return int(builder, constant as i64);
        }
        let thread = self.linear(builder, &lanes, &warps);
        let inside = constant % layout.block()[axis];
        let flipped = inside & touched;
        let mut value = thread;
        if flipped != 0 {
            let flip = int(builder, flipped as i64);
            value = builder.binary("arith.xori", value, flip);
        }
        let rest = constant - flipped;
        if rest != 0 {
            let rest = int(builder, rest as i64);
            value = builder.add(value, rest);
        }
        value
    }

    /// Whether a register's element lies inside the tile rather than in its padding; `None` when it
    /// does in every thread.
    pub(super) fn inside(
        &self,
        builder: &mut Builder<'c>,
        layout: &Layout,
        register: usize,
    ) -> Option<Value<'c>> {
        if !layout.may_be_padding(register) {
            return None;
        }
        let mut all: Option<Value<'c>> = None;
        for (axis, (size, covered)) in layout.shape().iter().zip(layout.covered()).enumerate() {
            if *size == covered {
                continue;
            }
            let coordinate = self.coordinate(builder, layout, axis, register);
            let limit = int(builder, *size as i64);
            let ok = builder.compare_int(predicates::ULT, coordinate, limit);
            all = Some(all.map_or(ok, |all| builder.and(all, ok)));
        }
        all
    }

    /// Whether this thread owns what it holds, so that it is written once; `None` when all do.
    pub(super) fn owner(&self, builder: &mut Builder<'c>, layout: &Layout) -> Option<Value<'c>> {
        let owners = layout.owners();
        if owners.are_all_threads() {
            return None;
        }
        let mut all: Option<Value<'c>> = None;
        let zero = int(builder, 0);
        let lane = self.lane(builder);
        let warp = self.warp(builder);
        for (number, bits) in [
            (lane, owners.redundant_lane_bits),
            (warp, owners.redundant_warp_bits),
        ] {
            if bits == 0 {
                continue;
            }
            let mask = int(builder, i64::from(bits));
            let masked = builder.and(number, mask);
            let ok = builder.compare_int(predicates::EQ, masked, zero);
            all = Some(all.map_or(ok, |all| builder.and(all, ok)));
        }
        all
    }

    /// `a & b` of predicates that may be absent (always true).
    pub(super) fn both(
        &self,
        builder: &mut Builder<'c>,
        a: Option<Value<'c>>,
        b: Option<Value<'c>>,
    ) -> Option<Value<'c>> {
        match (a, b) {
            (Some(a), Some(b)) => Some(builder.and(a, b)),
            (a, b) => a.or(b),
        }
    }
}

/// An `i32` constant.
pub(super) fn int<'c>(builder: &mut Builder<'c>, value: i64) -> Value<'c> {
    let ty = builder.int_type(32);
    builder.constant_int(value, ty)
}

/// Maximal runs of steps that double: (first bit, number of bits), without zero steps.
fn runs(steps: &[u32]) -> Vec<(usize, usize)> {
    let mut list: Vec<(usize, usize)> = Vec::new();
    for (bit, step) in steps.iter().enumerate() {
        if *step == 0 {
            continue;
        }
        match list.last_mut() {
            Some((first, length))
                if *first + *length == bit
                    && u64::from(steps[*first]) << *length == u64::from(*step) =>
            {
                *length += 1;
            }
            _ => list.push((bit, 1)),
        }
    }
    list
}

/// Inline PTX whose own registers have names that begin with `%`, and labels such that begin with `$`: one that has the name
/// of a kernel makes `ptxas` crash.
fn own_names(text: &str) -> String {
    let declared: Vec<&str> = text
        .split(".reg")
        .skip(1)
        .filter_map(|rest| rest.split(';').next())
        .filter_map(|list| list.trim_start().split_once(' '))
        .flat_map(|(_, names)| names.split(','))
        .map(|name| name.split('<').next().unwrap_or(name).trim())
        .filter(|name| name.starts_with(|first: char| first.is_ascii_alphabetic()))
        .collect();
    let labels: Vec<&str> = text
        .lines()
        .filter_map(|line| line.trim().strip_suffix(':'))
        .collect();
    let is_part = |char: char| char.is_ascii_alphanumeric() || "_.%$".contains(char);
    let mut own = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_part) {
        let (before, word) = rest.split_at(start);
        let (word, after) = word.split_at(word.find(|char| !is_part(char)).unwrap_or(word.len()));
        own.push_str(before);
        // A register of several with a number.
        let name = word.trim_end_matches(|char: char| char.is_ascii_digit());
        if declared.contains(&word) || declared.contains(&name) {
            own.push('%');
        } else if labels.contains(&word) {
            // Twice, as it stands for operands in the text that LLVM takes.
            own.push_str("$$");
        }
        own.push_str(word);
        rest = after;
    }
    own.push_str(rest);
    own
}

/// The threads of a warp wait for each other, and see what each other stored. An intrinsic, which LLVM moves into no branch that some threads
/// take, as it may do with the text of an instruction.
pub(super) fn warp_sync(builder: &mut Builder<'_>) {
    let all = int(builder, -1);
    builder.insert("nvvm.bar.warp.sync", &[all], &[], &[]);
}

/// Inserts `llvm.inline_asm` and gives its results.
pub(super) fn inline_asm<'c>(
    builder: &mut Builder<'c>,
    text: &str,
    constraints: &str,
    inputs: &[Value<'c>],
    outputs: &[Type<'c>],
    effects: bool,
) -> Vec<Value<'c>> {
    let mut attributes = vec![
        ("asm_string", builder.text(&own_names(text))),
        ("constraints", builder.text(constraints)),
        ("asm_dialect", builder.int(0)),
    ];
    if effects {
        attributes.push(("has_side_effects", builder.unit()));
    }
    match outputs {
        [] => {
            builder.insert("llvm.inline_asm", inputs, &attributes, &[]);
            Vec::new()
        }
        [single] => vec![crate::ir::result(
            builder.insert("llvm.inline_asm", inputs, &attributes, &[*single]),
            0,
        )],
        several => {
            let members: Vec<_> = several.iter().map(ToString::to_string).collect();
            let ty = builder.parse_type(&format!("!llvm.struct<({})>", members.join(", ")));
            let both = crate::ir::result(
                builder.insert("llvm.inline_asm", inputs, &attributes, &[ty]),
                0,
            );
            unpack(builder, both, several)
        }
    }
}

/// Passes registers on (PTX ISA, "setmaxnreg").
pub(super) fn registers<'c>(builder: &mut Builder<'c>, of: Registers<'c>) {
    let way = if of.takes() == 1 { "inc" } else { "dec" };
    let text = format!("setmaxnreg.{way}.sync.aligned.u32 {};", of.count());
    inline_asm(builder, &text, "~{memory}", &[], &[], true);
}

/// Makes this thread's writes to shared memory visible to tensor cores and TMA after the next barrier
/// (PTX ISA, "Async proxy").
pub(super) fn fence_proxy(builder: &mut Builder<'_>) {
    let text = "fence.proxy.async.shared::cta;";
    inline_asm(builder, text, "~{memory}", &[], &[], true);
}

/// The members of a struct value.
pub(super) fn unpack<'c>(
    builder: &mut Builder<'c>,
    value: Value<'c>,
    members: &[Type<'c>],
) -> Vec<Value<'c>> {
    members
        .iter()
        .enumerate()
        .map(|(index, ty)| {
            let position = builder.ints(&[index as i64]);
            builder.value(
                "llvm.extractvalue",
                &[value],
                &[("position", position)],
                *ty,
            )
        })
        .collect()
}

/// A vector of scalars of one type.
pub(super) fn pack<'c>(
    builder: &mut Builder<'c>,
    values: &[Value<'c>],
    element: Type<'c>,
) -> Value<'c> {
    let ty = Type::vector(&[values.len() as u64], element);
    let mut vector = builder.value("llvm.mlir.poison", &[], &[], ty);
    for (index, value) in values.iter().enumerate() {
        let index = int(builder, index as i64);
        vector = builder.value("llvm.insertelement", &[vector, *value, index], &[], ty);
    }
    vector
}

/// The elements of a vector.
pub(super) fn elements<'c>(
    builder: &mut Builder<'c>,
    vector: Value<'c>,
    count: usize,
    element: Type<'c>,
) -> Vec<Value<'c>> {
    (0..count)
        .map(|index| {
            let index = int(builder, index as i64);
            builder.value("llvm.extractelement", &[vector, index], &[], element)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::own_names;

    #[test]
    fn registers_of_inline_ptx_have_names_that_no_kernel_has() {
        let text = "{\n.reg .b32 low, word<4>;\n.reg .pred p;\nmov.b32 low, $1;\nprmt.b32 word0, word1, low, $2;\n\
            @p mad.lo.s32 $0, word3, low, 7;\n}";
        let expected = "{\n.reg .b32 %low, %word<4>;\n.reg .pred %p;\nmov.b32 %low, $1;\nprmt.b32 %word0, %word1, %low, \
            $2;\n@%p mad.lo.s32 $0, %word3, %low, 7;\n}";
        assert_eq!(own_names(text), expected);
        let text = "{\n@$0 bra done;\ndone:\nmbarrier.init.shared::cta.b64 [$1], 1;\n}";
        let expected = text.replace("done", "$$done");
        assert_eq!(own_names(text), expected);
        let none = "wgmma.wait_group.sync.aligned 0;";
        assert_eq!(own_names(none), none);
    }
}
