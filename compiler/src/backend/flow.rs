//! Where the blocks of a function lead.

use std::collections::HashMap;

use inkwell::basic_block::BasicBlock;
use inkwell::values::{InstructionValue, Operand};

/// The operands of an instruction: values and blocks.
pub fn operands<'c>(instruction: InstructionValue<'c>) -> impl Iterator<Item = Operand<'c>> {
    (0..instruction.get_num_operands()).filter_map(move |number| instruction.get_operand(number))
}

/// The blocks that may come after each, by their numbers.
pub fn successors(blocks: &[BasicBlock<'_>]) -> Vec<Vec<usize>> {
    let places: HashMap<_, _> = blocks.iter().copied().zip(0..).collect();
    let of = |block: &BasicBlock<'_>| {
        let end = block.get_terminator().into_iter().flat_map(operands);
        let next = end.filter_map(|operand| match operand {
            Operand::Block(next) => places.get(&next).copied(),
            Operand::Value(_) => None,
        });
        next.collect()
    };
    blocks.iter().map(of).collect()
}
