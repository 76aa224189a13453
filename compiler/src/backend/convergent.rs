//! Inline assembly that lanes execute together is `convergent` (LLVM Language Reference, "Function Attributes").
//!
//! LLVM does not read the text. Without the attribute it may copy a barrier into both arms of a branch, where each half
//! of a warp waits for the other; MLIR's `llvm.inline_asm` has no way to say it.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::module::Module;
use inkwell::values::CallSiteValue;

use super::ffi::assembly_text;

/// What is in the text of each instruction that lanes of a warp, or threads of a block, execute together: `.sync` of
/// warps' instructions, `bar.` and `barrier.` of blocks and clusters.
const TOGETHER: [&str; 3] = [".sync", "bar.", "barrier."];

/// Marks all such assembly of a module.
pub fn mark(module: &Module<'_>) {
    let kind = Attribute::get_named_enum_kind_id("convergent");
    let convergent = module.get_context().create_enum_attribute(kind, 0);
    for function in module.get_functions() {
        for block in function.get_basic_block_iter() {
            for instruction in block.get_instructions() {
                let is_together = assembly_text(instruction)
                    .is_some_and(|text| TOGETHER.iter().any(|part| text.contains(part)));
                if let (true, Ok(call)) = (is_together, CallSiteValue::try_from(instruction)) {
                    call.add_attribute(AttributeLoc::Function, convergent);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::changed;
    use super::mark;

    #[test]
    fn what_lanes_execute_together_is_convergent() {
        let text = "define void @f(i32 %x) {\n\
                    call void asm sideeffect \"bar.warp.sync 0xffffffff;\", \"~{memory}\"()\n\
                    call void asm sideeffect \"bar.arrive $0, 128;\", \"r\"(i32 %x)\n\
                    %a = call i32 asm \"add.s32 $0, $1, 1;\", \"=r,r\"(i32 %x)\n\
                    ret void\n}\n";
        let text = changed(text, mark);
        let marked: Vec<bool> = text
            .lines()
            .filter(|line| line.contains(" asm "))
            .map(|line| line.contains('#'))
            .collect();
        assert_eq!(marked, [true, true, false], "{text}");
        assert!(text.contains("{ convergent }"), "{text}");
    }
}
