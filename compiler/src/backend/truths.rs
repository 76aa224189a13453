//! Numbers made of `i1`: `sitofp i1 %x` becomes `select i1 %x, -1.0, 0.0`, `uitofp` likewise.
//!
//! LLVM makes such conversions of sign extensions. The NVPTX backend of LLVM 22 converts to `bf16` as if they
//! were unsigned, so that -1 becomes 1, unless the `i1` is a comparison in the same block; and a selection is one
//! instruction where a conversion takes two.

use inkwell::module::Module;
use inkwell::values::{BasicValue, BasicValueEnum, InstructionOpcode, InstructionValue, Operand};

/// Replaces all conversions of `i1` to floats in a module.
pub fn select(module: &Module<'_>) {
    for function in module.get_functions() {
        for block in function.get_basic_block_iter() {
            let instructions: Vec<_> = block.get_instructions().collect();
            for instruction in instructions {
                replace(module, instruction);
            }
        }
    }
}

/// Replaces the instruction if it is one; `None` if it is not.
fn replace<'c>(module: &Module<'c>, conversion: InstructionValue<'c>) -> Option<()> {
    let number = match conversion.get_opcode() {
        InstructionOpcode::SIToFP => -1.0,
        InstructionOpcode::UIToFP => 1.0,
        _ => return None,
    };
    let Some(Operand::Value(BasicValueEnum::IntValue(truth))) = conversion.get_operand(0) else {
        return None;
    };
    if truth.get_type().get_bit_width() != 1 {
        return None;
    }
    let ty = conversion.get_type().into_float_type();
    let builder = module.get_context().create_builder();
    builder.position_before(&conversion);
    let (number, zero) = (ty.const_float(number), ty.const_zero());
    let selected = builder.build_select(truth, number, zero, "").ok()?;
    let selected = selected.as_instruction_value()?;
    conversion.replace_all_uses_with(&selected);
    conversion.erase_from_basic_block();
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::changed;
    use super::select;

    #[test]
    fn truths_become_numbers_by_selection() {
        let text = "define bfloat @f(i1 %x, i32 %y) {\n\
                    %a = sitofp i1 %x to bfloat\n\
                    %b = uitofp i1 %x to bfloat\n\
                    %c = sitofp i32 %y to bfloat\n\
                    %d = fadd bfloat %a, %b\n\
                    %e = fadd bfloat %c, %d\n\
                    ret bfloat %e\n}\n";
        let text = changed(text, select);
        let lines = [
            "select i1 %x, bfloat 0xRBF80, bfloat 0xR0000",
            "select i1 %x, bfloat 0xR3F80, bfloat 0xR0000",
            "sitofp i32 %y to bfloat",
        ];
        for line in lines {
            assert!(text.contains(line), "no {line} in {text}");
        }
        assert!(!text.contains("tofp i1"), "{text}");
    }
}
