//! Masks of long tiles are made where they are used.
//!
//! ```text
//! m0 = i < n;  m1 = i + 128 < n;  …;  barrier;  … m0 … m1 …
//!   ⇒  r = n ⊖ i;  m0 = 0 < r;  m1 = 128 < r;  …;  barrier;  r' = n ⊖ i;  … 0 < r' … 128 < r' …      (⊖ stops at 0)
//! ```
//!
//! A thread has seven predicates. Where its part of a tile has more masks, `ptxas` keeps them as bits of registers, which
//! takes three instructions to write and read each, or keeps what they were compared from: a register for each. What is
//! left until the end of a row makes any of its masks in one comparison with a constant. Softmax of 4097 columns of `bf16`
//! went from 96 registers to 56, from 0.73 of the copy to 0.82 on an H200, layer norm from 88 to 63 registers, 0.65 to 0.76.
//!
//! `ptxas` would find that it knows the masks made after a barrier, and keep them: so a zero that it cannot see through
//! is added to what is left, the number of the lane without its five bits.

use std::collections::{BTreeSet, HashMap};

use inkwell::IntPredicate;
use inkwell::builder::{Builder, BuilderError};
use inkwell::context::ContextRef;
use inkwell::module::Module;
use inkwell::values::{
    BasicValue, BasicValueEnum, FunctionValue, InstructionOpcode as Op, InstructionValue, IntValue,
    Operand,
};

use super::ffi::{Call, call, callee_name};
use super::flow::successors;

/// Masks of one row from which on they are made again. PTX has any number of predicates, the machine seven.
const WORTH: usize = 8;

/// Masks of one row from which on they are made again after shuffles too: where one warp reduces a row there are no barriers.
const WORTH_IN_A_WARP: usize = 16;

/// How far back it is looked what a mask is made of, and whether a number is negative.
pub(super) const DEPTH: usize = 6;

/// Makes the masks of all functions of a module where they are used.
pub fn remake(module: &Module<'_>) {
    for function in module.get_functions() {
        let masks = Masks::of(function);
        if !masks.rows.is_empty() {
            // The builder fails where it has no place or types differ, and neither happens.
            let made = masks.remake(module.get_context(), function);
            debug_assert!(made.is_ok(), "{made:?}");
        }
    }
}

/// Positions along a row are compared with its end: `first + offset < end`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Row<'c> {
    first: IntValue<'c>,
    end: IntValue<'c>,
    predicate: IntPredicate,
}

/// Where an instruction is: its block, and how many barriers and shuffles came before it in the order of the blocks.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Place {
    block: usize,
    phase: u32,
}

struct Masks<'c> {
    /// The comparisons of rows that have many.
    rows: HashMap<InstructionValue<'c>, (Row<'c>, u64)>,
    /// Blocks of loops, as the first and the last.
    loops: Vec<(usize, usize)>,
    /// Whether masks are made again after shuffles as well as after barriers.
    after_shuffles: bool,
}

impl<'c> Masks<'c> {
    fn of(function: FunctionValue<'c>) -> Self {
        let mut found: HashMap<_, (Row<'c>, u64)> = HashMap::new();
        let mut offsets: HashMap<Row<'c>, BTreeSet<u64>> = HashMap::new();
        let blocks = function.get_basic_blocks();
        for instruction in blocks.iter().flat_map(|block| block.get_instructions()) {
            if let Some((row, offset)) = compared(instruction) {
                found.insert(instruction, (row, offset));
                offsets.entry(row).or_default().insert(offset);
            }
        }
        found.retain(|_, (row, _)| offsets[row].len() >= WORTH);
        let ends = successors(&blocks).into_iter().zip(0..);
        let back = ends.flat_map(|(next, last)| {
            let back = next.into_iter().filter(move |first| *first <= last);
            back.map(move |first| (first, last))
        });
        let most = offsets.values().map(BTreeSet::len).max();
        Self {
            rows: found,
            loops: back.collect(),
            after_shuffles: most.is_some_and(|most| most >= WORTH_IN_A_WARP),
        }
    }

    /// Whether threads wait for each other here, in a block or in a warp, so that what comes after is far from what came before.
    fn is_far_after(&self, instruction: InstructionValue<'c>) -> bool {
        let is_shuffle =
            || callee_name(instruction).is_some_and(|name| name.starts_with("llvm.nvvm.shfl."));
        call(instruction) == Call::Barrier || self.after_shuffles && is_shuffle()
    }

    /// Whether what is computed in one block may be computed in another as well without being computed more often.
    fn is_as_often(&self, made: usize, used: usize) -> bool {
        self.loops.iter().all(|(first, last)| {
            let is_in = |block: usize| *first <= block && block <= *last;
            is_in(made) || !is_in(used)
        })
    }

    fn remake(
        mut self,
        context: ContextRef<'c>,
        function: FunctionValue<'c>,
    ) -> Result<(), BuilderError> {
        let builder = context.create_builder();
        let mut places = HashMap::new();
        let mut left = HashMap::new();
        let mut phase = 0;
        for (number, block) in function.get_basic_blocks().into_iter().enumerate() {
            let list: Vec<_> = block.get_instructions().collect();
            for instruction in list {
                let place = Place {
                    block: number,
                    phase,
                };
                if instruction.get_opcode() == Op::Phi {
                    places.insert(instruction, place);
                    continue;
                }
                builder.position_before(&instruction);
                let mut maker = Maker {
                    context,
                    builder: &builder,
                    place,
                    rows: &self.rows,
                    left: &mut left,
                };
                if let Some((row, offset)) = self.rows.get(&instruction).copied() {
                    let mask = maker.mask(row, offset)?;
                    if let Some(mask) = mask.as_instruction_value() {
                        instruction.replace_all_uses_with(&mask);
                        self.rows.remove(&instruction);
                        self.rows.insert(mask, (row, offset));
                        places.insert(mask, place);
                        instruction.erase_from_basic_block();
                    }
                    continue;
                }
                for operand in 0..instruction.get_num_operands() {
                    let Some(value) = truth(instruction, operand) else {
                        continue;
                    };
                    let Some(made) = places.get(&value).copied().filter(|made| *made != place)
                    else {
                        continue;
                    };
                    let is_made_of_rows = is_mask(value, &self.rows, DEPTH);
                    if is_made_of_rows && self.is_as_often(made.block, number) {
                        let again = maker.again(value, DEPTH)?;
                        instruction.set_operand(operand, again);
                    }
                }
                places.insert(instruction, place);
                if instruction.get_opcode() == Op::Call && self.is_far_after(instruction) {
                    phase += 1;
                }
            }
        }
        Ok(())
    }
}

/// Makes masks before an instruction.
struct Maker<'a, 'c> {
    context: ContextRef<'c>,
    builder: &'a Builder<'c>,
    place: Place,
    rows: &'a HashMap<InstructionValue<'c>, (Row<'c>, u64)>,
    /// What is left of rows, where it has been computed.
    left: &'a mut HashMap<(Row<'c>, Place), IntValue<'c>>,
}

impl<'c> Maker<'_, 'c> {
    /// Whether an offset is less than what is left of a row.
    fn mask(&mut self, row: Row<'c>, offset: u64) -> Result<IntValue<'c>, BuilderError> {
        let left = match self.left.get(&(row, self.place)) {
            Some(left) => *left,
            None => self.left_of(row)?,
        };
        let offset = left.get_type().const_int(offset, false);
        self.builder
            .build_int_compare(row.predicate, offset, left, "")
    }

    fn left_of(&mut self, row: Row<'c>) -> Result<IntValue<'c>, BuilderError> {
        let builder = self.builder;
        // Compared as the positions are: signed ones begin at zero or later.
        let is_over = builder.build_int_compare(row.predicate, row.end, row.first, "")?;
        let end = builder.build_select(is_over, row.first, row.end, "")?;
        let mut left = builder.build_int_sub(end.into_int_value(), row.first, "")?;
        if self.place.phase > 0 {
            let ty = left.get_type();
            let text = "mov.u32 $0, %laneid;".to_owned();
            let lane = self.context.create_inline_asm(
                ty.fn_type(&[], false),
                text,
                "=r".to_owned(),
                false,
                false,
                None,
                false,
            );
            let lane = builder.build_indirect_call(ty.fn_type(&[], false), lane, &[], "")?;
            if let Some(lane) = lane.try_as_basic_value().basic() {
                // A shift of its own in each phase, for the same reason.
                let bits = ty.const_int(u64::from((4 + self.place.phase).min(31)), false);
                let zero = builder.build_right_shift(lane.into_int_value(), bits, false, "")?;
                left = builder.build_int_add(left, zero, "")?;
            }
        }
        self.left.insert((row, self.place), left);
        Ok(left)
    }

    /// A mask once more.
    fn again(
        &mut self,
        mask: InstructionValue<'c>,
        depth: usize,
    ) -> Result<IntValue<'c>, BuilderError> {
        if let Some((row, offset)) = self.rows.get(&mask).copied() {
            return self.mask(row, offset);
        }
        let mut side = |number| match truth(mask, number) {
            Some(term) if is_mask(term, self.rows, depth - 1) => self.again(term, depth - 1),
            _ => Ok(int(mask, number).unwrap_or_else(|| self.context.bool_type().const_zero())),
        };
        let (one, other) = (side(0)?, side(1)?);
        match mask.get_opcode() {
            Op::Or => self.builder.build_or(one, other, ""),
            _ => self.builder.build_and(one, other, ""),
        }
    }
}

/// Whether a truth is made of comparisons of rows, and perhaps others, by `and` and `or`.
fn is_mask<'c>(
    value: InstructionValue<'c>,
    rows: &HashMap<InstructionValue<'c>, (Row<'c>, u64)>,
    depth: usize,
) -> bool {
    let is_made_of =
        |number| truth(value, number).is_some_and(|side| is_mask(side, rows, depth - 1));
    let is_joined = depth > 0 && matches!(value.get_opcode(), Op::And | Op::Or);
    rows.contains_key(&value) || is_joined && (is_made_of(0) || is_made_of(1))
}

/// An operand that is an integer.
pub(super) fn int<'c>(instruction: InstructionValue<'c>, number: u32) -> Option<IntValue<'c>> {
    match instruction.get_operand(number)? {
        Operand::Value(BasicValueEnum::IntValue(value)) => Some(value),
        _ => None,
    }
}

/// The instruction that gives an operand of one bit.
pub(super) fn truth<'c>(
    instruction: InstructionValue<'c>,
    number: u32,
) -> Option<InstructionValue<'c>> {
    let value = int(instruction, number)?;
    let is_truth = value.get_type().get_bit_width() == 1;
    value.as_instruction_value().filter(|_| is_truth)
}

/// The row and the offset that a comparison is about.
fn compared(instruction: InstructionValue<'_>) -> Option<(Row<'_>, u64)> {
    let predicate = instruction.get_icmp_predicate()?;
    let is_signed = match predicate {
        IntPredicate::ULT => false,
        IntPredicate::SLT => true,
        _ => return None,
    };
    let (position, end) = (int(instruction, 0)?, int(instruction, 1)?);
    if position.get_type().get_bit_width() != 32 || end.is_const() {
        return None;
    }
    let (first, offset) = sum(position).unwrap_or((position, 0));
    // What is left is right as an unsigned number where the sum does not wrap, as a signed one where nothing is negative.
    let fits = !is_signed
        || (offset < 1 << 31 && is_not_negative(first, DEPTH) && is_not_negative(position, DEPTH));
    let row = Row {
        first,
        end,
        predicate,
    };
    (!first.is_const() && fits).then_some((row, offset))
}

/// A number and a constant, if an unsigned sum of them does not wrap.
fn sum(value: IntValue<'_>) -> Option<(IntValue<'_>, u64)> {
    let sum = value.as_instruction_value()?;
    let is_sum = match sum.get_opcode() {
        Op::Add => sum.get_no_unsigned_wrap_flag() == Ok(true),
        Op::Or => sum.get_disjoint_flag() == Ok(true),
        _ => false,
    };
    let offset = int(sum, 1)
        .filter(|_| is_sum)?
        .get_zero_extended_constant()?;
    Some((int(sum, 0)?, offset))
}

/// Whether a number is known to be 0 or more as a signed one.
pub(super) fn is_not_negative(value: IntValue<'_>, depth: usize) -> bool {
    if let Some(constant) = value.get_sign_extended_constant() {
        return constant >= 0;
    }
    let Some(made) = value.as_instruction_value().filter(|_| depth > 0) else {
        return false;
    };
    let side = |number| int(made, number).is_some_and(|side| is_not_negative(side, depth - 1));
    match made.get_opcode() {
        Op::Add | Op::Mul | Op::Shl => {
            made.get_no_signed_wrap_flag() == Ok(true)
                && side(0)
                && (made.get_opcode() == Op::Shl || side(1))
        }
        Op::Or | Op::Xor => side(0) && side(1),
        Op::And => side(0) || side(1),
        Op::LShr => {
            int(made, 1)
                .and_then(IntValue::get_zero_extended_constant)
                .is_some_and(|bits| bits > 0)
                || side(0)
        }
        Op::ZExt => true,
        // Numbers of threads and blocks.
        Op::Call => callee_name(made).is_some_and(|name| {
            name.starts_with("llvm.nvvm.read.ptx.sreg.")
                && [".tid.", ".ctaid.", ".laneid", ".ntid.", ".nctaid."]
                    .iter()
                    .any(|of| name.contains(of))
        }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::changed;
    use super::{WORTH, WORTH_IN_A_WARP, remake};

    const SHUFFLE: &str =
        "%s = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %t, i32 1, i32 31)\n";
    const BARRIER: &str = "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n";

    /// The text of a function after `remake`.
    fn remade(body: &str) -> String {
        let text = format!(
            "declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)\n\
             declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\ndeclare void @use(i1)\n\
             declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)\n\
             define void @f(i32 %n, i1 %c, i32 %i) {{\nentry:\n\
             %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n{body}ret void\n}}\n"
        );
        let text = changed(&text, remake);
        text[text.find("define").expect("a function")..].to_owned()
    }

    /// As many masks of positions from `first` on, all by one kind of comparison.
    fn masks(first: &str, flags: &str, predicate: &str) -> String {
        so_many_masks(WORTH, first, flags, predicate)
    }

    fn so_many_masks(count: usize, first: &str, flags: &str, predicate: &str) -> String {
        let mask = |number| {
            format!(
                "%p{number} = add {flags} i32 {first}, {}\n%m{number} = icmp {predicate} i32 %p{number}, %n\n\
                 call void @use(i1 %m{number})\n",
                128 * (number + 1)
            )
        };
        (0..count).map(mask).collect()
    }

    #[test]
    fn masks_are_compared_with_what_is_left_of_a_row() {
        let text = remade(&masks("%t", "nuw", "ult"));
        assert!(text.contains("icmp ult i32 256, %"), "{text}");
        assert_eq!(text.matches(" = sub i32 ").count(), 1, "{text}");
        assert!(!text.contains("laneid"), "{text}");
    }

    #[test]
    fn after_a_barrier_they_are_made_again() {
        let text = remade(&(masks("%t", "nuw", "ult") + BARRIER + "call void @use(i1 %m1)\n"));
        let after = &text[text.find("@llvm.nvvm.barrier").expect("a barrier")..];
        for made in ["laneid", "lshr i32 %", "icmp ult i32 256, %"] {
            assert!(after.contains(made), "no {made} in {after}");
        }
    }

    #[test]
    fn after_a_shuffle_many_are_made_again() {
        for (count, is_again) in [(WORTH_IN_A_WARP, true), (WORTH, false)] {
            let masks = so_many_masks(count, "%t", "nuw", "ult");
            let text = remade(&(masks + SHUFFLE + "call void @use(i1 %m1)\n"));
            let after = &text[text.find("%s = call").expect("a shuffle")..];
            assert_eq!(after.contains("icmp ult i32 256, %"), is_again, "{after}");
        }
    }

    #[test]
    fn what_is_joined_with_another_condition_is_made_again_with_it() {
        let both = "%b = and i1 %c, %m1\n";
        let text =
            remade(&(masks("%t", "nuw", "ult") + both + BARRIER + "call void @use(i1 %b)\n"));
        let after = &text[text.find("@llvm.nvvm.barrier").expect("a barrier")..];
        assert!(after.contains("and i1 %c, %"), "{after}");
    }

    #[test]
    fn signed_positions_must_not_be_negative() {
        let text = remade(&masks("%t", "nuw nsw", "slt"));
        assert!(text.contains("icmp slt i32 256, %"), "{text}");
        for (first, flags) in [("%i", "nuw nsw"), ("%t", "nuw")] {
            let text = remade(&masks(first, flags, "slt"));
            assert!(text.contains("icmp slt i32 %p1, %n"), "{text}");
        }
    }

    #[test]
    fn positions_that_may_wrap_are_left_alone() {
        let text = remade(&masks("%i", "nsw", "ult"));
        assert!(text.contains("icmp ult i32 %p1, %n"), "{text}");
    }

    #[test]
    fn few_masks_are_left_alone() {
        let text =
            remade("%p = add nuw i32 %t, 128\n%m = icmp ult i32 %p, %n\ncall void @use(i1 %m)\n");
        assert!(text.contains("icmp ult i32 %p, %n"), "{text}");
    }

    #[test]
    fn no_mask_is_made_in_every_round_of_a_loop() {
        let round = "br label %round\nround:\n%k = phi i32 [ 0, %entry ], [ %l, %round ]\n\
                     call void @use(i1 %m1)\n%l = add i32 %k, 1\n%more = icmp ult i32 %l, %i\n\
                     br i1 %more, label %round, label %end\nend:\n";
        let text = remade(&(masks("%t", "nuw", "ult") + round));
        let inside =
            &text[text.find("round:").expect("a loop")..text.find("end:").expect("its end")];
        assert!(!inside.contains("icmp ult i32 256"), "{inside}");
    }
}
