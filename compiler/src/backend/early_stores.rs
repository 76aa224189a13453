//! Stores go out as soon as what they store is there.
//!
//! ```text
//! x = if p { a } else { b };  y = if q { c } else { d };  store x;  store y
//!   ⇒  x = if p { a } else { b };  store x;  y = if q { c } else { d };  store y
//! ```
//!
//! A tile is stored when all of it has been computed. Where that takes branches, each part of it would stay in registers
//! until the last branch is over. A store that begins a block moves up to the block from which all ways lead to its own, if
//! it needs nothing that is computed on the way and nothing on the way has an effect.

use std::collections::{BTreeSet, HashMap};

use inkwell::basic_block::BasicBlock;
use inkwell::builder::Builder;
use inkwell::context::ContextRef;
use inkwell::module::Module;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{
    BasicValue, BasicValueEnum, FunctionValue, InstructionOpcode, InstructionValue, Operand,
};

use super::ffi::{Call, call};
use super::flow::{operands, successors};
use super::schedule::{Kind, is_global};

/// Blocks on the way from one to the other, at most.
const MOST_BLOCKS: usize = 64;

/// Bits of a store that is worth moving: narrow ones free few registers, and each wants its mask (softmax of 4097 columns,
/// stored element by element, 0.71 of the copy for 0.73).
const WIDE: u32 = 128;

/// Instructions that one store takes along, at most.
const MOST_MOVED: usize = 64;

/// Moves the stores of all functions of a module.
pub fn advance(module: &Module<'_>) {
    let context = module.get_context();
    for function in module.get_functions() {
        let flow = Flow::of(function);
        // From the last block on, so that what has moved into a block moves on with it.
        for block in (0..flow.blocks.len()).rev() {
            if let Some(way) = flow.way(block) {
                flow.move_stores(context, block, &way);
            }
        }
    }
}

/// The blocks of a function, in their order, and how they follow each other.
struct Flow<'c> {
    blocks: Vec<BasicBlock<'c>>,
    places: HashMap<BasicBlock<'c>, usize>,
    before: Vec<Vec<usize>>,
    after: Vec<Vec<usize>>,
}

/// All ways that lead to a block.
struct Way {
    /// Where they begin.
    from: usize,
    /// The blocks between.
    between: BTreeSet<usize>,
}

impl<'c> Flow<'c> {
    fn of(function: FunctionValue<'c>) -> Self {
        let blocks = function.get_basic_blocks();
        let places: HashMap<_, _> = blocks.iter().copied().zip(0..).collect();
        let after = successors(&blocks);
        let mut before = vec![Vec::new(); blocks.len()];
        for (block, list) in after.iter().enumerate() {
            for next in list {
                before[*next].push(block);
            }
        }
        Self {
            blocks,
            places,
            before,
            after,
        }
    }

    /// The ways from the last block that all of them share, if nothing on them has an effect and all of them come here.
    fn way(&self, block: usize) -> Option<Way> {
        let mut left: BTreeSet<usize> = self.before[block].iter().copied().collect();
        let mut between = BTreeSet::new();
        let from = loop {
            // Blocks come after those that lead to them, but for loops.
            let last = left.pop_last().filter(|last| *last < block)?;
            if left.is_empty() {
                break last;
            }
            let is_forward = self.before[last].iter().all(|before| *before < last);
            let is_silent = self.blocks[last].get_instructions().all(|instruction| {
                instruction.is_terminator()
                    || instruction.get_opcode() == InstructionOpcode::Phi
                    || Kind::of(instruction) == Kind::Pure
            });
            between.insert(last);
            if !is_forward || !is_silent || between.len() > MOST_BLOCKS {
                return None;
            }
            left.extend(&self.before[last]);
        };
        let comes_here = |place: &usize| {
            let mut next = self.after[*place].iter();
            !self.after[*place].is_empty()
                && next.all(|next| *next == block || between.contains(next))
        };
        let all = between.iter().chain(std::iter::once(&from));
        (all.clone().all(comes_here)).then_some(Way { from, between })
    }

    /// Moves the stores that a block begins with to the beginning of the way.
    fn move_stores(&self, context: ContextRef<'c>, block: usize, way: &Way) {
        let Some(end) = self.blocks[way.from].get_terminator() else {
            return;
        };
        let builder: Builder<'c> = context.create_builder();
        builder.position_before(&end);
        let list: Vec<_> = self.blocks[block].get_instructions().collect();
        for instruction in list {
            match Kind::of(instruction) {
                Kind::Pure => continue,
                _ if instruction.get_opcode() == InstructionOpcode::Phi => continue,
                _ if is_store(instruction) => {}
                _ => return,
            }
            let mut needed = Vec::new();
            if !self.collect(instruction, block, way, &mut needed) {
                return;
            }
            for moved in needed {
                // What another store has taken along is there already.
                if moved.get_parent() == Some(self.blocks[block]) {
                    let name = moved.get_name().map(ToOwned::to_owned);
                    let name = name.as_ref().and_then(|name| name.to_str().ok());
                    moved.remove_from_basic_block();
                    builder.insert_instruction(&moved, name);
                }
            }
        }
    }

    /// Whether an instruction can be where the way begins; with what it needs besides, in order.
    fn collect(
        &self,
        instruction: InstructionValue<'c>,
        block: usize,
        way: &Way,
        needed: &mut Vec<InstructionValue<'c>>,
    ) -> bool {
        if needed.contains(&instruction) {
            return true;
        }
        let values = operands(instruction).filter_map(|operand| match operand {
            Operand::Value(value) => value.as_instruction_value(),
            Operand::Block(_) => None,
        });
        for value in values {
            let Some(place) = value.get_parent().and_then(|of| self.places.get(&of)) else {
                return false;
            };
            let is_here = *place == block;
            let can_move = Kind::of(value) == Kind::Pure;
            if way.between.contains(place)
                || (is_here && !(can_move && self.collect(value, block, way, needed)))
            {
                return false;
            }
        }
        needed.push(instruction);
        needed.len() <= MOST_MOVED
    }
}

/// Whether an instruction does nothing but store a wide vector to global memory.
fn is_store(instruction: InstructionValue<'_>) -> bool {
    let is_wide = || match instruction.get_operand(0) {
        Some(Operand::Value(BasicValueEnum::VectorValue(vector))) => {
            let ty = vector.get_type();
            let bits = match ty.get_element_type() {
                BasicTypeEnum::IntType(element) => element.get_bit_width(),
                BasicTypeEnum::FloatType(element) => element.get_bit_width(),
                _ => 0,
            };
            ty.get_size() * bits >= WIDE
        }
        _ => false,
    };
    match instruction.get_opcode() {
        InstructionOpcode::Store => {
            is_global(instruction) && !instruction.get_volatile().unwrap_or(true) && is_wide()
        }
        InstructionOpcode::Call => call(instruction) == Call::WideStore,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::changed;
    use super::advance;

    /// The text of a function after `advance`.
    fn advanced(body: &str) -> String {
        let text = format!(
            "define void @f(ptr addrspace(1) %p, ptr addrspace(1) %q, <4 x float> %a, <4 x float> %b, i1 %c) {{\n{body}}}\n"
        );
        changed(&text, advance)
    }

    /// Whether the first text comes before the second.
    fn in_order(text: &str, first: &str, second: &str) -> bool {
        match (text.find(first), text.find(second)) {
            (Some(first), Some(second)) => first < second,
            _ => panic!("both are in\n{text}"),
        }
    }

    const TWO_BRANCHES: [&str; 2] = [
        "entry:\nbr i1 %c, label %one, label %two\n\
         one:\n%m = fmul <4 x float> %a, %b\nbr label %two\n\
         two:\n%x = phi <4 x float> [ %a, %entry ], [ %m, %one ]\nbr i1 %c, label %three, label %four\n\
         three:\n%n = fadd <4 x float> %a, %b\n",
        "br label %four\n\
         four:\n%y = phi <4 x float> [ %b, %two ], [ %n, %three ]\n\
         %r = getelementptr <4 x float>, ptr addrspace(1) %q, i32 1\n\
         store <4 x float> %x, ptr addrspace(1) %r\nstore <4 x float> %y, ptr addrspace(1) %p\nret void\n",
    ];

    #[test]
    fn a_store_goes_out_before_a_branch_that_it_does_not_need() {
        let text = advanced(&TWO_BRANCHES.concat());
        assert!(
            in_order(&text, "store <4 x float> %x", "br i1 %c, label %three"),
            "{text}"
        );
        assert!(
            in_order(&text, "%y = phi", "store <4 x float> %y"),
            "{text}"
        );
    }

    #[test]
    fn no_store_passes_an_effect() {
        let text = advanced(&TWO_BRANCHES.join("store <4 x float> %a, ptr addrspace(1) %p\n"));
        assert!(
            in_order(&text, "%y = phi", "store <4 x float> %x"),
            "{text}"
        );
    }

    #[test]
    fn no_store_leaves_a_block_that_may_not_be_reached() {
        let text = advanced(
            "entry:\nbr i1 %c, label %one, label %two\none:\nret void\n\
             two:\nbr label %three\nthree:\nstore <4 x float> %a, ptr addrspace(1) %p\nret void\n",
        );
        assert!(in_order(&text, "two:", "store <4 x float> %a"), "{text}");
    }

    #[test]
    fn no_store_leaves_a_loop() {
        let text = advanced(
            "entry:\nbr label %round\n\
             round:\n%x = phi <4 x float> [ %a, %entry ], [ %y, %round ]\nstore <4 x float> %a, ptr addrspace(1) %p\n\
             %y = fadd <4 x float> %x, %b\n%less = fcmp olt <4 x float> %y, %b\n%more = extractelement <4 x i1> %less, i32 0\nbr i1 %more, label %round, label %end\n\
             end:\nstore <4 x float> %b, ptr addrspace(1) %q\nret void\n",
        );
        assert!(in_order(&text, "round:", "store <4 x float> %a"), "{text}");
        assert!(in_order(&text, "end:", "store <4 x float> %b"), "{text}");
    }
}
