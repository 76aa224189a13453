//! Masks of the elements of a row become bits of words.
//!
//! ```text
//! m0 = i <= p;  m1 = i + 1 <= p;  m2 = i + 8 <= p;  …;  select m0, …;  select m1, …
//!   ⇒  word = as many ones as there are offsets up to p ⊖ i;  select (word & 1) != 0, …;  select (word & 2) != 0, …
//! ```
//!
//! (⊖ stops at the ends of its type.) Two comparisons of each element take four instructions with their selections, of a unit
//! that takes one of a warp every other clock, and a register or an instruction for each position. Bits of a word are moved to
//! seven predicates at once (`R2P`), which `ptxas` makes of tests of one bit each, and masks of two bounds are one `and` of their
//! words.

use std::collections::HashMap;

use indexmap::IndexMap;
use inkwell::IntPredicate;
use inkwell::basic_block::BasicBlock;
use inkwell::builder::{Builder, BuilderError};
use inkwell::intrinsics::Intrinsic;
use inkwell::module::Module;
use inkwell::values::{
    BasicValue, FunctionValue, InstructionOpcode as Op, InstructionValue, IntValue,
};

use super::masks::{DEPTH, int, is_not_negative, truth};

/// Masks of one row from which on a word is worth what it takes to make it, about 15 instructions.
const WORTH: usize = 16;

/// Bits of a word.
const BITS: i64 = 32;

/// Offsets and bounds are less than that, so that a distance that stops at the ends of its type is beyond all of them.
const FARTHEST: i64 = 1 << 24;

/// Makes words in all functions of a module.
pub fn pack(module: &Module<'_>) {
    for function in module.get_functions() {
        let users = Users::of(function);
        for block in function.get_basic_blocks() {
            // The builder fails where it has no place or types differ, and neither happens.
            let packed = Packing::of(module, block, &users).map(|packing| packing.pack(block));
            debug_assert!(!matches!(packed, Some(Err(_))), "{packed:?}");
        }
    }
}

/// Positions along a row are compared with a bound: `first + offset <= bound`. A first position may be a sum of two.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Row<'c> {
    first: (IntValue<'c>, Option<IntValue<'c>>),
    bound: IntValue<'c>,
}

impl Row<'_> {
    /// The same with the sum the other way round.
    fn swapped(self) -> Self {
        let first = match self.first {
            (one, Some(other)) => (other, Some(one)),
            alone => alone,
        };
        Self { first, ..self }
    }
}

/// Offsets from `start` on: as many neighbours as `run`, the same again after `period`, and so on; both are powers of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pattern {
    start: i64,
    run: i64,
    period: i64,
}

impl Pattern {
    /// The densest one that has all of these ascending offsets, if it has not more than twice as many.
    fn of(offsets: &[i64]) -> Option<Self> {
        let (least, last) = (*offsets.first()?, *offsets.last()?);
        let length =
            |pattern: &Self| pattern.number(last) / pattern.run * pattern.run + pattern.run;
        let patterns = (0..FARTHEST.trailing_zeros()).flat_map(|bits| {
            let period = 1 << bits;
            // The first offsets may be missing.
            [least, least - least.rem_euclid(period)].map(|start| {
                let most = offsets.iter().map(|offset| (offset - start) % period).max();
                let run = (most.unwrap_or(0) + 1).cast_unsigned().next_power_of_two();
                let run = run.cast_signed();
                Self { start, run, period }
            })
        });
        let best = patterns.min_by_key(length)?;
        let is_dense = length(&best) <= 2 * offsets.len() as i64;
        let is_near = best.start.abs() < FARTHEST && last.abs() < FARTHEST;
        (is_dense && is_near).then_some(best)
    }

    const fn number(&self, offset: i64) -> i64 {
        let distance = offset - self.start;
        distance / self.period * self.run + distance % self.period
    }

    const fn at(&self, number: i64) -> i64 {
        self.start + number / self.run * self.period + number % self.run
    }
}

/// What uses what an instruction gives.
struct Users<'c>(HashMap<InstructionValue<'c>, Vec<InstructionValue<'c>>>);

impl<'c> Users<'c> {
    fn of(function: FunctionValue<'c>) -> Self {
        let mut users: HashMap<_, Vec<_>> = HashMap::new();
        let blocks = function.get_basic_blocks();
        for user in blocks.iter().flat_map(|block| block.get_instructions()) {
            for number in 0..user.get_num_operands() {
                if let Some(truth) = truth(user, number) {
                    users.entry(truth).or_default().push(user);
                }
            }
        }
        Self(users)
    }

    /// Whether all that a truth does is to select once, in its own block, perhaps together with others.
    fn only_selects(&self, value: InstructionValue<'c>) -> bool {
        // Of bits that are tested for two places `ptxas` makes no `R2P`.
        let Some([user]) = self.0.get(&value).map(Vec::as_slice) else {
            return false;
        };
        user.get_parent() == value.get_parent()
            && match user.get_opcode() {
                Op::And => self.only_selects(*user),
                // Whether one truth or another holds is not a selection of numbers.
                Op::Select => truth(*user, 1).is_none() && truth(*user, 2).is_none(),
                _ => false,
            }
    }
}

/// A bit of one of the words.
#[derive(Clone, Copy)]
struct Bit {
    word: usize,
    number: i64,
}

/// A comparison: the number of its row, and of its bit in all words of that row.
#[derive(Clone, Copy)]
struct Mask {
    row: usize,
    number: i64,
    is_opposite: bool,
}

struct Packing<'a, 'c> {
    module: &'a Module<'c>,
    builder: Builder<'c>,
    rows: Vec<(Row<'c>, Pattern)>,
    masks: HashMap<InstructionValue<'c>, Mask>,
    words: Vec<IntValue<'c>>,
    /// The words of rows, each before its opposite, by the numbers of both; and words of which both bits must be set.
    of_rows: HashMap<(usize, i64), usize>,
    both: HashMap<(usize, usize), usize>,
}

impl<'a, 'c> Packing<'a, 'c> {
    /// The rows of a block that are worth it.
    fn of(module: &'a Module<'c>, block: BasicBlock<'c>, users: &Users<'c>) -> Option<Self> {
        let mut found: IndexMap<Row<'c>, Vec<_>> = IndexMap::new();
        for instruction in block.get_instructions() {
            if let Some((row, offset, is_opposite)) = compared(instruction)
                && users.only_selects(instruction)
            {
                let swapped = row.swapped();
                let is_known = found.contains_key(&swapped);
                let masks = found
                    .entry(if is_known { swapped } else { row })
                    .or_default();
                masks.push((instruction, offset, is_opposite));
            }
        }
        let (mut rows, mut masks) = (Vec::new(), HashMap::new());
        for (row, found) in found {
            let mut offsets: Vec<i64> = found.iter().map(|(_, offset, _)| *offset).collect();
            offsets.sort_unstable();
            offsets.dedup();
            if offsets.len() < WORTH {
                continue;
            }
            let Some(pattern) = Pattern::of(&offsets) else {
                continue;
            };
            for (instruction, offset, is_opposite) in found {
                let mask = Mask {
                    row: rows.len(),
                    number: pattern.number(offset),
                    is_opposite,
                };
                masks.insert(instruction, mask);
            }
            rows.push((row, pattern));
        }
        (!rows.is_empty()).then(|| Self {
            module,
            builder: module.get_context().create_builder(),
            rows,
            masks,
            words: Vec::new(),
            of_rows: HashMap::new(),
            both: HashMap::new(),
        })
    }

    fn pack(mut self, block: BasicBlock<'c>) -> Result<(), BuilderError> {
        let list: Vec<_> = block.get_instructions().collect();
        for instruction in &list {
            self.builder.position_before(instruction);
            if let Some(mask) = self.masks.get(instruction).copied() {
                // Where its first mask was, as that may be while something else is waited for.
                self.word_of(mask)?;
            }
            if instruction.get_opcode() == Op::Select
                && let Some(condition) = truth(*instruction, 0)
                && let Some(tested) = self.tested(condition)?
            {
                instruction.set_operand(0, tested);
            }
        }
        for instruction in list.iter().rev() {
            let is_mask =
                self.masks.contains_key(instruction) || instruction.get_opcode() == Op::And;
            if is_mask && instruction.get_first_use().is_none() {
                instruction.erase_from_basic_block();
            }
        }
        Ok(())
    }

    /// A truth as a test of a bit, or with tests in it.
    fn tested(
        &mut self,
        value: InstructionValue<'c>,
    ) -> Result<Option<IntValue<'c>>, BuilderError> {
        if let Some(bit) = self.bit(value)? {
            let word = self.words[bit.word];
            // LLVM would shift the bit to the end of the word first.
            let one = self.asm(
                &format!("and.b32 $0, $1, {:#x};", 1_u32 << bit.number),
                word,
            )?;
            let zero = word.get_type().const_zero();
            let test = self
                .builder
                .build_int_compare(IntPredicate::NE, one, zero, "")?;
            return Ok(Some(test));
        }
        if value.get_opcode() != Op::And {
            return Ok(None);
        }
        let mut sides = [None; 2];
        for (number, side) in (0..).zip(&mut sides) {
            if let Some(value) = truth(value, number) {
                *side = self.tested(value)?;
            }
        }
        if sides == [None; 2] {
            return Ok(None);
        }
        let [Some(one), Some(other)] =
            [0, 1].map(|number| sides[number].or_else(|| int(value, number as u32)))
        else {
            return Ok(None);
        };
        self.builder.build_and(one, other, "").map(Some)
    }

    /// The bit that a truth is.
    fn bit(&mut self, value: InstructionValue<'c>) -> Result<Option<Bit>, BuilderError> {
        if let Some(mask) = self.masks.get(&value).copied() {
            let word = self.word_of(mask)?;
            let number = mask.number % BITS;
            return Ok(Some(Bit { word, number }));
        }
        if value.get_opcode() != Op::And {
            return Ok(None);
        }
        let (Some(one), Some(other)) = (truth(value, 0), truth(value, 1)) else {
            return Ok(None);
        };
        let (Some(one), Some(other)) = (self.bit(one)?, self.bit(other)?) else {
            return Ok(None);
        };
        if one.number != other.number {
            return Ok(None);
        }
        let words = (one.word, other.word);
        let word = match self.both.get(&words) {
            Some(word) => *word,
            None => {
                let both = self
                    .builder
                    .build_and(self.words[words.0], self.words[words.1], "")?;
                self.words.push(both);
                self.both.insert(words, self.words.len() - 1);
                self.words.len() - 1
            }
        };
        let number = one.number;
        Ok(Some(Bit { word, number }))
    }

    fn word_of(&mut self, mask: Mask) -> Result<usize, BuilderError> {
        let of = (mask.row, mask.number / BITS);
        let word = match self.of_rows.get(&of) {
            Some(word) => *word,
            None => {
                let above = self.above(of)?;
                self.words.push(self.builder.build_not(above, "")?);
                self.words.push(above);
                self.words.len() - 2
            }
        };
        self.of_rows.insert(of, word);
        Ok(word + usize::from(mask.is_opposite))
    }

    /// A bit for each offset that is above the bound.
    fn above(&self, (row, word): (usize, i64)) -> Result<IntValue<'c>, BuilderError> {
        let (row, pattern) = self.rows[row];
        let builder = &self.builder;
        let ty = row.bound.get_type();
        let number = |value: i64| ty.const_int(value.cast_unsigned(), true);
        let first = match row.first {
            (first, None) => first,
            (one, Some(other)) => builder.build_int_add(one, other, "")?,
        };
        // As many ones as there are offsets up to the distance: below the first one are none, and all up to the last one.
        let (start, last) = (pattern.at(word * BITS), pattern.at((word + 1) * BITS - 1));
        let [least, most] = [start - 1, last].map(number);
        let distance = self.call("llvm.ssub.sat", row.bound, first)?;
        let distance = self.call("llvm.smax", distance, least)?;
        let distance = self.call("llvm.smin", distance, most)?;
        let distance = builder.build_int_sub(distance, least, "")?;
        let ones = if pattern.run == pattern.period {
            distance
        } else {
            let shifts =
                [pattern.period, pattern.run].map(|power| number(power.trailing_zeros().into()));
            let whole = builder.build_right_shift(distance, shifts[0], false, "")?;
            let whole = builder.build_left_shift(whole, shifts[1], "")?;
            let part = builder.build_and(distance, number(pattern.period - 1), "")?;
            let part = self.call("llvm.smin", part, number(pattern.run))?;
            builder.build_int_add(whole, part, "")?
        };
        // `shl` of PTX leaves nothing from 32 on, and LLVM's is undefined there (PTX ISA, "shl").
        self.asm("shl.b32 $0, -1, $1;", ones)
    }

    fn call(
        &self,
        name: &str,
        one: IntValue<'c>,
        other: IntValue<'c>,
    ) -> Result<IntValue<'c>, BuilderError> {
        let ty = one.get_type();
        let function = Intrinsic::find(name)
            .and_then(|found| found.get_declaration(self.module, &[ty.into()]))
            .expect("an intrinsic of LLVM's");
        let call = self
            .builder
            .build_call(function, &[one.into(), other.into()], "")?;
        Ok(call.try_as_basic_value().unwrap_basic().into_int_value())
    }

    fn asm(&self, text: &str, of: IntValue<'c>) -> Result<IntValue<'c>, BuilderError> {
        let ty = of.get_type();
        let function = ty.fn_type(&[ty.into()], false);
        let asm = self.module.get_context().create_inline_asm(
            function,
            text.to_owned(),
            "=r,r".to_owned(),
            false,
            false,
            None,
            false,
        );
        let call = self
            .builder
            .build_indirect_call(function, asm, &[of.into()], "")?;
        Ok(call.try_as_basic_value().unwrap_basic().into_int_value())
    }
}

/// The row and the offset that a comparison is about, and whether what it says is the opposite: as signed numbers,
/// `first + offset` is at most the bound, or is not.
fn compared(instruction: InstructionValue<'_>) -> Option<(Row<'_>, i64, bool)> {
    let predicate = instruction.get_icmp_predicate()?;
    let (position, bound) = (int(instruction, 0)?, int(instruction, 1)?);
    let is_row = !position.is_const() && !bound.is_const();
    if !is_row || position.get_type().get_bit_width() != 32 {
        return None;
    }
    let (first, offset) = split(position);
    // Less than a bound is one more at most.
    let (more, is_opposite) = match predicate {
        IntPredicate::SLE => (0, false),
        IntPredicate::SLT => (1, false),
        IntPredicate::SGT => (0, true),
        IntPredicate::SGE => (1, true),
        _ => return None,
    };
    Some((Row { first, bound }, offset + more, is_opposite))
}

/// A number as one or two others and a constant, of which no sum wraps.
fn split(value: IntValue<'_>) -> ((IntValue<'_>, Option<IntValue<'_>>), i64) {
    let Some((one, other)) = summands(value) else {
        return ((value, None), 0);
    };
    if let Some(offset) = other.get_sign_extended_constant() {
        return match summands(one) {
            Some((first, second)) if !second.is_const() => ((first, Some(second)), offset),
            _ => ((one, None), offset),
        };
    }
    // With an offset that is not negative a sum wraps if it does without.
    for (outer, inner) in [(one, other), (other, one)] {
        if let Some((first, offset)) = summands(inner)
            && is_not_negative(first, DEPTH)
            && let Some(offset @ 0..) = offset.get_sign_extended_constant()
        {
            return ((outer, Some(first)), offset);
        }
    }
    ((one, Some(other)), 0)
}

/// The two parts of a signed sum that never wraps, such as that of disjoint bits.
fn summands(value: IntValue<'_>) -> Option<(IntValue<'_>, IntValue<'_>)> {
    let sum = value.as_instruction_value()?;
    let is_sum = match sum.get_opcode() {
        Op::Or => sum.get_disjoint_flag() == Ok(true),
        Op::Add => sum.get_no_signed_wrap_flag() == Ok(true),
        _ => false,
    };
    is_sum.then_some((int(sum, 0)?, int(sum, 1)?))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::super::changed;
    use super::{Pattern, pack};

    /// The text of a function that selects by comparisons of positions, as many as there are offsets, after `pack`.
    fn packed(offsets: &[i64], compared: impl Fn(&str, i64) -> String) -> String {
        let mut body = String::new();
        for (number, offset) in offsets.iter().enumerate() {
            let mask = compared(&format!("%m{number}"), *offset);
            let _ = writeln!(
                body,
                "{mask}\n%s{number} = select i1 %m{number}, float %x, float 0.0\ncall void @use(float %s{number})"
            );
        }
        let text = format!(
            "declare void @use(float)\n\
             define void @f(i32 %t, i32 %p, i32 %q, float %x) {{\nentry:\n\
             %i = and i32 %t, 1073741696\n{body}ret void\n}}\n"
        );
        let text = changed(&text, pack);
        text[text.find("define").expect("a function")..].to_owned()
    }

    fn at_most(name: &str, offset: i64) -> String {
        format!("{name}p = or disjoint i32 %i, {offset}\n{name} = icmp sle i32 {name}p, %p")
    }

    /// Columns of a thread of `wgmma`.
    fn columns() -> Vec<i64> {
        (0..32).map(|number| number / 2 * 8 + number % 2).collect()
    }

    #[test]
    fn masks_are_bits_of_one_word() {
        let text = packed(&columns(), at_most);
        assert_eq!(text.matches("shl.b32").count(), 1, "{text}");
        assert_eq!(text.matches("and.b32").count(), 32, "{text}");
        assert!(!text.contains("icmp sle"), "{text}");
        assert!(
            text.contains("@llvm.ssub.sat.i32(i32 %p, i32 %i)"),
            "{text}"
        );
        // Positions up to 121, of which two of eight are there.
        assert!(text.contains("i32 121)"), "{text}");
        assert!(
            text.contains("lshr i32 %") && text.contains(", 3\n"),
            "{text}"
        );
    }

    #[test]
    fn masks_of_two_bounds_are_one_word() {
        let text = packed(&columns(), |name, offset| {
            let first = at_most(&format!("{name}a"), offset);
            format!(
                "{first}\n{name}b = icmp sgt i32 {name}ap, %q\n{name} = and i1 {name}a, {name}b"
            )
        });
        assert_eq!(text.matches("shl.b32").count(), 2, "{text}");
        assert_eq!(text.matches("and.b32").count(), 32, "{text}");
        assert_eq!(text.matches("= and i32 ").count() - 1, 3, "{text}");
        assert!(!text.contains("icmp sgt"), "{text}");
    }

    #[test]
    fn another_condition_stays_beside_the_bit() {
        let text = packed(&columns(), |name, offset| {
            let first = at_most(&format!("{name}a"), offset);
            format!("{first}\n{name}b = icmp eq i32 %t, {offset}\n{name} = and i1 {name}a, {name}b")
        });
        assert!(!text.contains("icmp sle"), "{text}");
        assert_eq!(text.matches("icmp eq i32 %t").count(), 32, "{text}");
    }

    #[test]
    fn positions_that_may_wrap_stay() {
        let text = packed(&columns(), |name, offset| {
            format!("{name}p = add nuw i32 %i, {offset}\n{name} = icmp sle i32 {name}p, %p")
        });
        assert!(!text.contains("shl.b32"), "{text}");
    }

    #[test]
    fn few_masks_and_masks_of_other_things_stay() {
        let text = packed(&columns()[..8], at_most);
        assert!(!text.contains("shl.b32"), "{text}");
        let text = packed(&columns(), |name, offset| {
            let used =
                format!("{name}f = uitofp i1 {name} to float\ncall void @use(float {name}f)");
            format!("{}\n{used}", at_most(name, offset))
        });
        assert!(!text.contains("shl.b32"), "{text}");
    }

    /// Also where the first offset is missing, or another one.
    #[test]
    fn patterns_have_all_offsets() {
        let without = |offset: i64| columns().into_iter().filter(move |one| *one != offset);
        let strides: Vec<i64> = (0..40).map(|number| 128 * number).collect();
        let neighbours: Vec<i64> = (1..41).collect();
        for offsets in [
            columns(),
            without(0).collect(),
            without(1).collect(),
            strides,
            neighbours,
        ] {
            let pattern = Pattern::of(&offsets).expect("a pattern");
            for offset in offsets {
                assert_eq!(pattern.at(pattern.number(offset)), offset, "{pattern:?}");
            }
        }
        assert_eq!(Pattern::of(&[0, 1, 100, 1000, 5000]), None);
    }
}
