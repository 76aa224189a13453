//! The order of instructions inside a block, for few registers.
//!
//! A pass works on whole tiles: all elements are subtracted, then all squared, then all added, and
//! between two steps every element is in a register. Here each instruction without effect moves down
//! to where its result is first needed, so that an element is subtracted, squared and added before the
//! next one is begun, as a person would write the loop. `ptxas` keeps to the order it is given much
//! more than one would think.
//!
//! ```text
//! a0 a1 a2 a3  b0 b1 b2 b3  s01 s23 s        ⇒  a0 b0 a1 b1 s01  a2 b2 a3 b3 s23  s
//! ```
//!
//! What has effects (accesses to memory, barriers, shuffles) keeps its order. What stands before a
//! barrier or a load stays before it if its operands take more registers than its result: products of
//! fragments are not put off until all fragments are loaded.

use std::collections::{HashMap, HashSet};

use inkwell::builder::Builder;
use inkwell::context::ContextRef;
use inkwell::module::Module;
use inkwell::values::{BasicValue, InstructionOpcode, InstructionValue, Operand};

use crate::ffi::{Call, call};

/// Orders the instructions of all functions of a module.
pub fn order(module: &Module<'_>) {
    let context = module.get_context();
    for function in module.get_functions() {
        for block in function.get_basic_block_iter() {
            let list: Vec<_> = block.get_instructions().collect();
            order_block(context, &list);
        }
    }
}

fn order_block<'c>(context: ContextRef<'c>, list: &[InstructionValue<'c>]) {
    let kinds: Vec<Kind> = list
        .iter()
        .map(|instruction| Kind::of(*instruction))
        .collect();
    let mut block = Block {
        list,
        kinds: &kinds,
        places: list.iter().copied().zip(0..).collect(),
        placed: vec![false; list.len()],
        order: Vec::with_capacity(list.len()),
    };
    // Before this, what saves registers is placed.
    let mut settled = 0;
    for (index, kind) in kinds.iter().enumerate() {
        match kind {
            Kind::Pure => continue,
            Kind::Effect => {}
            Kind::Load => {
                for earlier in (settled..index).filter(|earlier| saves_registers(list[*earlier])) {
                    block.place(earlier);
                }
                settled = index;
            }
            Kind::End => {
                // What only other blocks or the next round use, with all that it needs.
                let used: HashSet<usize> = (0..=index)
                    .filter(|user| list[*user].get_opcode() != InstructionOpcode::Phi)
                    .flat_map(|user| block.needed(user))
                    .collect();
                for earlier in (0..index).filter(|earlier| !used.contains(earlier)) {
                    block.place(earlier);
                }
            }
        }
        block.place(index);
    }
    let order = block.order;
    debug_assert_eq!(order.len(), list.len(), "every instruction has a place");
    let first_moved = order
        .iter()
        .zip(0..)
        .position(|(place, index)| *place != index);
    let (Some(first_moved), Some(parent)) = (first_moved, list[0].get_parent()) else {
        return;
    };
    let builder: Builder<'c> = context.create_builder();
    // Inserting takes the name away.
    let names: Vec<Option<String>> = order[first_moved..]
        .iter()
        .map(|place| Some(list[*place].get_name()?.to_str().ok()?.to_owned()))
        .collect();
    for place in &order[first_moved..] {
        list[*place].remove_from_basic_block();
    }
    builder.position_at_end(parent);
    for (place, name) in order[first_moved..].iter().zip(&names) {
        builder.insert_instruction(&list[*place], name.as_deref());
    }
}

/// Whether the result of an instruction takes fewer registers than its operands. The parts of a word
/// (elements, halves) do not: they are registers of their own.
fn saves_registers(instruction: InstructionValue<'_>) -> bool {
    use InstructionOpcode as Op;
    if matches!(instruction.get_opcode(), Op::Trunc | Op::FPTrunc) {
        return false;
    }
    let operands = (0..instruction.get_num_operands()).filter(|number| {
        matches!(instruction.get_operand(*number), Some(Operand::Value(value))
            if value.as_instruction_value().is_some())
    });
    operands.count() > 1
}

/// What may be done with an instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Its result is all it gives: it may move down.
    Pure,
    /// It keeps its place among those with effects.
    Effect,
    /// As an effect; what saves registers stays before it. A load, or a barrier.
    Load,
    /// Nothing moves out of a block.
    End,
}

impl Kind {
    fn of(instruction: InstructionValue<'_>) -> Self {
        use InstructionOpcode as Op;
        if instruction.is_terminator() {
            return Self::End;
        }
        match instruction.get_opcode() {
            Op::Load => Self::Load,
            Op::Call => match call(instruction) {
                Call::Pure => Self::Pure,
                Call::Barrier | Call::Load => Self::Load,
                Call::Effect => Self::Effect,
            },
            // Divisions trap in LLVM's rules, and stay where they are.
            Op::Add
            | Op::Sub
            | Op::Mul
            | Op::Shl
            | Op::LShr
            | Op::AShr
            | Op::And
            | Op::Or
            | Op::Xor
            | Op::FAdd
            | Op::FSub
            | Op::FMul
            | Op::FDiv
            | Op::FRem
            | Op::FNeg
            | Op::Trunc
            | Op::ZExt
            | Op::SExt
            | Op::FPToUI
            | Op::FPToSI
            | Op::UIToFP
            | Op::SIToFP
            | Op::FPTrunc
            | Op::FPExt
            | Op::PtrToInt
            | Op::IntToPtr
            | Op::BitCast
            | Op::AddrSpaceCast
            | Op::ICmp
            | Op::FCmp
            | Op::Select
            | Op::GetElementPtr
            | Op::ExtractElement
            | Op::InsertElement
            | Op::ShuffleVector
            | Op::ExtractValue
            | Op::InsertValue
            | Op::Freeze => Self::Pure,
            _ => Self::Effect,
        }
    }
}

struct Block<'a, 'c> {
    list: &'a [InstructionValue<'c>],
    kinds: &'a [Kind],
    places: HashMap<InstructionValue<'c>, usize>,
    placed: Vec<bool>,
    order: Vec<usize>,
}

impl Block<'_, '_> {
    /// Places an instruction after what it needs, depth first.
    fn place(&mut self, index: usize) {
        // Whether the operands of the instruction are pushed already.
        let mut stack = vec![(index, false)];
        while let Some((index, ready)) = stack.pop() {
            if self.placed[index] {
                continue;
            }
            if ready {
                self.placed[index] = true;
                self.order.push(index);
                continue;
            }
            stack.push((index, true));
            if self.list[index].get_opcode() == InstructionOpcode::Phi {
                continue;
            }
            let needed: Vec<usize> = self.needed(index).collect();
            stack.extend(needed.into_iter().rev().map(|needed| (needed, false)));
        }
    }

    /// The operands that are instructions of this block and may still have to be placed.
    fn needed(&self, index: usize) -> impl Iterator<Item = usize> {
        let instruction = self.list[index];
        (0..instruction.get_num_operands())
            .filter_map(move |number| match instruction.get_operand(number) {
                Some(Operand::Value(value)) => value.as_instruction_value(),
                _ => None,
            })
            .filter_map(|operand| self.places.get(&operand).copied())
            .filter(|place| self.kinds[*place] == Kind::Pure)
    }
}

#[cfg(test)]
mod tests {
    use inkwell::context::Context;
    use inkwell::memory_buffer::MemoryBuffer;

    use super::order;

    /// The names of the results of a function's instructions, in their order after `order`.
    fn ordered(body: &str) -> String {
        let text = format!(
            "declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)\n\
             define float @f(ptr %p, float %a, float %b, float %c, float %d) {{\n{body}}}\n"
        );
        let context = Context::create();
        let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "test");
        let module = context
            .create_module_from_ir(buffer)
            .expect("the text parses");
        order(&module);
        module.verify().expect("the order is a valid one");
        let function = module.get_function("f").expect("the function");
        let names = function.get_basic_block_iter().flat_map(|block| {
            block.get_instructions().filter_map(|instruction| {
                let name = instruction.get_name()?.to_string_lossy().into_owned();
                (!name.is_empty()).then_some(name)
            })
        });
        names.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_tree_of_sums_is_built_depth_first() {
        let order = ordered(
            "%a2 = fmul float %a, %a\n%b2 = fmul float %b, %b\n\
             %c2 = fmul float %c, %c\n%d2 = fmul float %d, %d\n\
             %ab = fadd float %a2, %b2\n%cd = fadd float %c2, %d2\n\
             %abcd = fadd float %ab, %cd\nret float %abcd\n",
        );
        assert_eq!(order, "a2 b2 ab c2 d2 cd abcd");
    }

    #[test]
    fn what_is_stored_is_computed_just_before() {
        let order = ordered(
            "%x = fadd float %a, %b\n%y = fadd float %c, %d\n%z = fmul float %x, %y\n\
             %q = getelementptr float, ptr %p, i32 1\n\
             store float %y, ptr %q\nstore float %z, ptr %p\nret float %x\n",
        );
        assert_eq!(order, "y q x z");
    }

    #[test]
    fn what_the_next_round_needs_is_computed_in_this_one() {
        let order = ordered(
            "entry:\nbr label %l\nl:\n%i = phi float [ %a, %entry ], [ %j, %l ]\n\
             %s = phi float [ %b, %entry ], [ %t, %l ]\n%x = fmul float %i, %c\n\
             %j = fadd float %i, %d\n%t = fadd float %s, %x\n%q = fcmp olt float %j, %d\n\
             br i1 %q, label %l, label %e\ne:\nret float %s\n",
        );
        assert_eq!(order, "i s x t j q");
    }

    #[test]
    fn products_are_not_put_off_until_all_is_loaded() {
        let order = ordered(
            "%l = load float, ptr %p\n%k = fmul float %l, %a\n%s = fadd float %k, %l\n\
             %m = load float, ptr %p\n%t = fadd float %m, %s\nret float %t\n",
        );
        assert_eq!(order, "l k s m t");
    }

    #[test]
    fn words_are_cut_after_a_barrier_and_sums_made_before_it() {
        let order = ordered(
            "%w = load i32, ptr %p\n%h = lshr i32 %w, 16\n%u = load float, ptr %p\n\
             %v = load float, ptr %p\n%s = fadd float %u, %v\n\
             call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n\
             %x = load float, ptr %p\n%i = uitofp i32 %h to float\n\
             %y = fadd float %i, %s\n%z = fadd float %x, %y\nret float %z\n",
        );
        assert_eq!(order, "w u v s x h i y z");
    }
}
