//! Registers that do not fit what is written to them.

use super::decode;
use crate::simulator::arithmetic::Functions;
use crate::simulator::ptx;

/// What is said of an instruction, if it is refused.
fn refused(instruction: &str) -> Option<String> {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry it(.param .u64 p)\n{{\n\
         .reg .b16 %rs<4>;\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n\
         ld.param.b64 %rd1, [p];\n{instruction}\nret;\n}}\n"
    );
    let module = ptx::parse(&text).expect("it parses");
    let refused = decode(&module, &text, Functions::default()).err()?;
    Some(refused.message)
}

#[test]
fn the_registers_of_a_vector_have_one_width() {
    let one_width = Some("the registers of a vector have one width".to_owned());
    for mixed in [
        "ld.global.v2.b32 {%r1, %rd2}, [%rd1];",
        "ld.global.v2.b16 {%r1, %rd2}, [%rd1];",
        "ld.global.v2.b16 {%rs1, %r2}, [%rd1];",
        "st.global.v2.b32 [%rd1], {%r1, %rd2};",
    ] {
        assert_eq!(refused(mixed), one_width, "{mixed}");
    }
    for same in [
        "ld.global.v2.b32 {%rd2, %rd3}, [%rd1];",
        "ld.global.v2.b32 {_, %rd3}, [%rd1];",
        "ld.global.v2.b16 {%rs1, %rs2}, [%rd1];",
        "st.global.v2.b32 [%rd1], {%rd2, %rd3};",
    ] {
        assert_eq!(refused(same), None, "{same}");
    }
}

#[test]
fn only_some_results_may_go_to_wider_registers() {
    for allowed in ["ld.global.b32 %rd2, [%rd1];", "cvt.u32.u16 %rd2, %rs1;"] {
        assert_eq!(refused(allowed), None, "{allowed}");
    }
    for not_allowed in [
        "atom.global.add.u32 %rd2, [%rd1], %r1;",
        "shfl.sync.idx.b32 %rd2, %r1, 0, 31, -1;",
        "vote.sync.ballot.b32 %rd2, 1, -1;",
        "activemask.b32 %rd2;",
    ] {
        let said = refused(not_allowed);
        let said = said.as_deref();
        assert_eq!(
            said,
            Some("`%rd2` has 64 bits, but the result has 32"),
            "{not_allowed}"
        );
    }
}
