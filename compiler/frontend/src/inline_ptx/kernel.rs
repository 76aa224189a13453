//! A small kernel around inline PTX: each thread takes its arguments from memory, 8 bytes each, and
//! puts its results there.

use std::fmt::Write as _;

use super::{InlinePtx, Register};

/// The name of the kernel.
pub(super) const NAME: &str = "inline";

/// What the register of an operand is called.
pub(super) fn register(number: usize) -> String {
    format!("%tile_{number}")
}

/// The PTX, and the line that the text begins in.
pub(super) fn kernel(asm: &InlinePtx) -> (String, u32) {
    let registers = asm.registers();
    let mut ptx =
        format!(".version 8.7\n.target sm_100a\n.address_size 64\n\n.visible .entry {NAME}(\n");
    for number in 0..registers.len() {
        let _ = writeln!(ptx, "    .param .u64 memory_{number},");
    }
    ptx.push_str(
        "    .param .u32 count\n)\n{\n    .reg .pred %tile_past;\n    .reg .b32 %tile_at<4>;\n    \
         .reg .b64 %tile_address<2>;\n    .reg .b32 %tile_truth;\n",
    );
    for (number, kind) in registers.iter().enumerate() {
        let _ = writeln!(ptx, "    .reg .{} {};", kind.ptx(), register(number));
    }
    ptx.push_str(
        "    mov.u32 %tile_at0, %ctaid.x;\n    mov.u32 %tile_at1, %ntid.x;\n    \
         mov.u32 %tile_at2, %tid.x;\n    \
         mad.lo.s32 %tile_at0, %tile_at0, %tile_at1, %tile_at2;\n    \
         ld.param.u32 %tile_at3, [count];\n    \
         setp.ge.u32 %tile_past, %tile_at0, %tile_at3;\n    @%tile_past ret;\n    \
         mul.wide.u32 %tile_address1, %tile_at0, 8;\n",
    );
    for (number, kind) in registers.iter().enumerate().skip(asm.results.len()) {
        address(&mut ptx, number);
        let name = register(number);
        let _ = match kind {
            Register::Predicate => writeln!(
                ptx,
                "    ld.global.b32 %tile_truth, [%tile_address0];\n    \
                 setp.ne.b32 {name}, %tile_truth, 0;"
            ),
            kind => writeln!(
                ptx,
                "    ld.global.{} {name}, [%tile_address0];",
                kind.ptx()
            ),
        };
    }
    ptx.push_str("    {\n");
    let first = u32::try_from(ptx.lines().count()).unwrap_or(u32::MAX - 1) + 1;
    ptx.push_str(&asm.with_operands(register));
    ptx.push_str("\n    }\n");
    for (number, kind) in registers.iter().enumerate().take(asm.results.len()) {
        address(&mut ptx, number);
        let name = register(number);
        let _ = match kind {
            Register::Predicate => writeln!(
                ptx,
                "    selp.b32 %tile_truth, 1, 0, {name};\n    \
                 st.global.b32 [%tile_address0], %tile_truth;"
            ),
            kind => writeln!(
                ptx,
                "    st.global.{} [%tile_address0], {name};",
                kind.ptx()
            ),
        };
    }
    ptx.push_str("    ret;\n}\n");
    (ptx, first)
}

/// The address of the thread's element of an operand.
fn address(ptx: &mut String, number: usize) {
    let _ = writeln!(
        ptx,
        "    ld.param.u64 %tile_address0, [memory_{number}];\n    \
         add.s64 %tile_address0, %tile_address0, %tile_address1;"
    );
}
