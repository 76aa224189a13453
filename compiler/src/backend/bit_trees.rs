//! Large trees of one bitwise operation are cut for the time that InstCombine runs.
//!
//! ```text
//! ((a ^ b) ^ (c ^ d)) ^ …   of 512 values that are used elsewhere too
//!   ⇒  opaque(… 32 of them …) ^ opaque(…) ^ …        and together again when InstCombine is done
//! ```
//!
//! InstCombine moves each operand with several uses one step towards the root of such a tree (`reassociateForUses`), until
//! all of them stand at its end: steps grow with the square of the operands, and took 27 s for `xor_sum` of a tile
//! that another sum reads.

use std::collections::HashMap;

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::module::Module;
use inkwell::types::IntType;
use inkwell::values::{
    BasicValue, BasicValueEnum, FunctionValue, InstructionOpcode as Op, InstructionValue, IntValue,
    Operand,
};

use super::ffi::callee_name;

/// Operands that a tree may have.
const MOST: usize = 32;

/// What the functions are called that stand between the parts.
const OPAQUE: &str = "tile.opaque.i";

/// Cuts trees of more than [`MOST`] operands.
pub fn cut(module: &Module<'_>) {
    let functions: Vec<_> = module.get_functions().collect();
    for function in functions {
        for block in function.get_basic_block_iter() {
            // Operands of the tree below each operation. Values come before their uses.
            let mut operands: HashMap<InstructionValue<'_>, usize> = HashMap::new();
            let instructions: Vec<_> = block.get_instructions().collect();
            for instruction in instructions {
                let op = instruction.get_opcode();
                if !matches!(op, Op::And | Op::Or | Op::Xor)
                    || !instruction.get_type().is_int_type()
                {
                    continue;
                }
                let below = |index| match instruction.get_operand(index) {
                    Some(Operand::Value(value)) => value
                        .as_instruction_value()
                        .filter(|inner| inner.get_opcode() == op && has_one_use(*inner))
                        .and_then(|inner| operands.get(&inner).copied())
                        .unwrap_or(1),
                    _ => 1,
                };
                let count = below(0) + below(1);
                // The builder fails where it has no place or types differ, and neither happens.
                let is_cut = count > MOST && wrap(module, instruction).is_some();
                operands.insert(instruction, if is_cut { 1 } else { count });
            }
        }
    }
}

fn has_one_use(instruction: InstructionValue<'_>) -> bool {
    let first = instruction.get_first_use();
    first.is_some_and(|first| first.get_next_use().is_none())
}

/// Puts a call between an operation and its uses.
fn wrap<'c>(module: &Module<'c>, instruction: InstructionValue<'c>) -> Option<()> {
    let value = IntValue::try_from(instruction).ok()?;
    let builder = module.get_context().create_builder();
    builder.position_before(&instruction.get_next_instruction()?);
    let opaque = opaque(module, value.get_type());
    // It has the operation for its argument only once the other uses are replaced.
    let argument = value.get_type().get_poison();
    let call = builder.build_call(opaque, &[argument.into()], "").ok()?;
    let call = call.try_as_basic_value().basic()?.as_instruction_value()?;
    instruction.replace_all_uses_with(&call);
    call.set_operand(0, value);
    Some(())
}

/// A function that nothing is known of, but that it may be moved, or left out.
fn opaque<'c>(module: &Module<'c>, ty: IntType<'c>) -> FunctionValue<'c> {
    let name = format!("{OPAQUE}{}", ty.get_bit_width());
    module.get_function(&name).unwrap_or_else(|| {
        let function = module.add_function(&name, ty.fn_type(&[ty.into()], false), None);
        // `memory` with 0 is no memory at all.
        for attribute in ["nounwind", "willreturn", "speculatable", "memory"] {
            let kind = Attribute::get_named_enum_kind_id(attribute);
            let attribute = module.get_context().create_enum_attribute(kind, 0);
            function.add_attribute(AttributeLoc::Function, attribute);
        }
        function
    })
}

/// Puts trees together again.
pub fn join(module: &Module<'_>) {
    for function in module.get_functions() {
        for block in function.get_basic_block_iter() {
            let instructions: Vec<_> = block.get_instructions().collect();
            for instruction in instructions {
                let is_ours = callee_name(instruction).is_some_and(|name| name.starts_with(OPAQUE));
                if let Some(Operand::Value(BasicValueEnum::IntValue(value))) =
                    instruction.get_operand(0)
                    && let Ok(call) = IntValue::try_from(instruction)
                    && is_ours
                {
                    call.replace_all_uses_with(value);
                    instruction.erase_from_basic_block();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::super::changed;
    use super::{OPAQUE, cut, join};

    /// Values, each with another use, and what combines them all.
    fn tree(leaves: usize) -> String {
        let mut text = "define i32 @f(i32 %x, ptr %p) {\n".to_owned();
        for leaf in 0..leaves {
            let _ = writeln!(
                text,
                "%v0_{leaf} = mul i32 %x, {}\nstore i32 %v0_{leaf}, ptr %p",
                leaf + 3
            );
        }
        let (mut level, mut width) = (0, leaves);
        while width > 1 {
            width /= 2;
            for node in 0..width {
                let [left, right] = [2 * node, 2 * node + 1];
                let _ = writeln!(
                    text,
                    "%v{}_{node} = xor i32 %v{level}_{left}, %v{level}_{right}",
                    level + 1
                );
            }
            level += 1;
        }
        text + &format!("ret i32 %v{level}_0\n}}\n")
    }

    #[test]
    fn large_trees_are_cut_and_joined() {
        let small = tree(32);
        assert!(!changed(&small, cut).contains(OPAQUE));
        let large = tree(128);
        let calls = |text: &str| text.matches("= call i32 @tile.opaque.i32(").count();
        // Both halves are too large, and the root is then one of two operands.
        assert_eq!(calls(&changed(&large, cut)), 2);
        let again = changed(&large, |module| {
            cut(module);
            join(module);
        });
        assert_eq!(calls(&again), 0);
        assert_eq!(again.matches(" = xor i32").count(), 127);
    }
}
