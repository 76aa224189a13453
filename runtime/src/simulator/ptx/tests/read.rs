//! What is read, statement by statement.

use super::super::ast::Operand;
use super::super::scope::Named;
use super::super::types::Type;
use super::super::{Module, parse};
use super::{kernel, module};

fn printed(statement: &str) -> String {
    let text = kernel(statement);
    let module = parse(&text).unwrap_or_else(|error| panic!("`{statement}`: {error}"));
    let body = module.functions[0].body.as_ref().expect("a body");
    let lines: Vec<_> = body.instructions.iter().map(ToString::to_string).collect();
    lines.join(" ")
}

#[test]
fn instructions_in_all_their_forms() {
    for (written, expected) in [
        ("ret;", "ret;"),
        ("@%p1 bra L;", "@%p1 bra L;"),
        ("@ ! %p1 bra.uni L ;", "@!%p1 bra.uni L;"),
        (
            "ld .global .v2 .b32 {%r1,%r2},[%rd1];",
            "ld.global.v2.b32 {%r1, %r2}, [%rd1];",
        ),
        (
            "ld.weak.shared::cta.b32 %r1, [x+4];",
            "ld.weak.shared::cta.b32 %r1, [x+4];",
        ),
        ("st.b32 [%rd1+-16], 0;", "st.b32 [%rd1+-16], 0;"),
        ("st.b32 [%rd1+0], 0;", "st.b32 [%rd1], 0;"),
        ("st.local.b32 [16], 0;", "st.local.b32 [16], 0;"),
        ("mov.b64 %rd1, x+4;", "mov.b64 %rd1, x+4;"),
        ("mov.b64 {_, %r1}, %rd1;", "mov.b64 {_, %r1}, %rd1;"),
        ("mov.u32 %r1, %tid.x;", "mov.u32 %r1, %tid.x;"),
        ("mov.u32 %r1, %ntid .y;", "mov.u32 %r1, %ntid.y;"),
        ("mov.f32 %f1, v.w;", "mov.f32 %f1, v.w;"),
        ("setp.eq.s32 p|q, a, !b;", "setp.eq.s32 p|q, a, !b;"),
        ("elect.sync _|%p1, -1;", "elect.sync _|%p1, -1;"),
        (
            "tex.2d.f32 {a,b}, [t, s, {x, y}];",
            "tex.2d.f32 {a, b}, [t, s, {x, y}];",
        ),
        (
            "cp.x [a], [d, {x, 0}], [m], {o};",
            "cp.x [a], [d, {x, 0}], [m], {o};",
        ),
        ("call f;", "call f;"),
        ("call.uni f, ();", "call.uni f, ();"),
        ("call (_), %rd1, (1+1, x), P;", "call (_), %rd1, (2, x), P;"),
        ("callee: ret;", "ret;"),
        ("mov.f32 %f1, 0f3f800000;", "mov.f32 %f1, 0f3F800000;"),
        ("mov.f32 %f1, -0F3F800000;", "mov.f32 %f1, 0fBF800000;"),
        (
            "mov.f64 %d1, 0D3FF0000000000000;",
            "mov.f64 %d1, 0d3FF0000000000000;",
        ),
        (
            "mov.f64 %d1, {1.5, .5, 1., 2e1, 1e-1};",
            "mov.f64 %d1, {0d3FF8000000000000, \
          0d3FE0000000000000, 0d3FF0000000000000, 0d4034000000000000, 0d3FB999999999999A};",
        ),
        ("/* a /* b */ ret; // c */", "ret;"),
        (".pragma \"nounroll\"; ret;", "ret;"),
        ("{ { ret; } }", "ret;"),
    ] {
        assert_eq!(printed(written), expected, "{written}");
    }
}

#[test]
fn opcodes_are_split_at_dots_and_nowhere_else() {
    let text = kernel("cp.async.bulk.shared::cluster.L2::128B.mbarrier::complete_tx::bytes;");
    let module = parse(&text).expect("parses");
    let body = module.functions[0].body.as_ref().expect("a body");
    assert_eq!(
        body.instructions[0].opcode,
        [
            "cp",
            "async",
            "bulk",
            "shared::cluster",
            "L2::128B",
            "mbarrier::complete_tx::bytes"
        ]
    );
}

#[test]
fn constant_expressions_are_computed() {
    for (written, expected) in [
        ("0", 0),
        ("017", 15),
        ("0b101", 5),
        ("0xFFU", 255),
        ("0xFFFFFFFFFFFFFFFF", -1),
        ("18446744073709551615", -1),
        ("9223372036854775807 + 1", i64::MIN),
        ("-9223372036854775808", i64::MIN),
        ("- - 3", 3),
        ("~0", -1),
        ("!5", 0),
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("10 - 4 - 3", 3),
        ("1 << 2 + 1", 8),
        ("-7 / 2", -3),
        ("-7 % 4", -3),
        ("-1 / 2U", i64::MAX),
        ("-8 >> 1", -4),
        ("~0 >> 63", 1),
        ("1 << 64", 0),
        ("-1 >> 100", -1),
        ("-1 < 0", 1),
        ("-1 < 0U", 0),
        ("6 & 3 | 8 ^ 1", 11),
        ("1 == 1 && 2 != 2 || 0", 0),
        ("5 > 3 ? 7 : 8", 7),
        ("0 ? 7 : 1 >= 2 ? 8 : 9", 9),
        ("WARP_SZ * 2", 64),
        ("(.s64) 2.75", 2),
        ("(.u64) -1 > 0", 1),
        ("1.5 < 2", 1),
    ] {
        assert_eq!(
            printed(&format!("mov.b64 x, {written};")),
            format!("mov.b64 x, {expected};")
        );
    }
    assert_eq!(
        printed("mov.f64 x, 1 + 0.5;"),
        "mov.f64 x, 0d3FF8000000000000;"
    );
    assert_eq!(printed("ld.b32 x, [y+4*2+-1];"), "ld.b32 x, [y+7];");
}

fn resolved(statements: &str, name: &str) -> Option<Named> {
    let text = kernel(statements);
    let module = parse(&text).unwrap_or_else(|error| panic!("`{statements}`: {error}"));
    module.functions[0]
        .body
        .as_ref()
        .expect("a body")
        .resolve(Default::default(), name)
}

#[test]
fn registers_of_ranges_are_found_by_number() {
    let register = |declaration, index| Some(Named::Register { declaration, index });
    let declared = ".reg .b32 %r<12>, %x; .reg .b64 %r1<3>;";
    assert_eq!(resolved(declared, "%r0"), register(0, 0));
    // As ptxas has it: zeros in front are nothing, and the longer number wins.
    assert_eq!(resolved(declared, "%r01"), register(0, 1));
    assert_eq!(resolved(declared, "%r11"), register(0, 11));
    assert_eq!(resolved(declared, "%r12"), register(2, 2));
    assert_eq!(resolved(declared, "%r13"), None);
    assert_eq!(resolved(declared, "%x"), register(1, 0));
    assert_eq!(resolved(declared, "%r"), None);
    assert_eq!(resolved(declared, "%q1"), None);
    assert_eq!(
        resolved(".reg .b32 %r<2000000000>;", "%r1999999999"),
        register(0, 1_999_999_999)
    );
    assert_eq!(
        resolved(".reg .b32 %r<4294967295>;", "%r99999999999999999999"),
        None
    );
}

#[test]
fn labels_parameters_and_variables_are_found() {
    assert_eq!(resolved("ret; L: M: ret;", "M"), Some(Named::Label(1)));
    assert_eq!(resolved("ret; L:", "L"), Some(Named::Label(1)));
    assert_eq!(resolved("{ L: ret; }", "L"), None);
    assert_eq!(resolved("", "p"), Some(Named::Parameter(0)));
    assert_eq!(
        resolved(".local .b8 a[4], b;", "b"),
        Some(Named::Variable(1))
    );
    assert_eq!(
        resolved("T: .branchtargets A, B;", "T"),
        Some(Named::BranchTargets(0))
    );
    assert_eq!(
        resolved("T: .calltargets f, g;", "T"),
        Some(Named::CallTargets(0))
    );
    assert_eq!(
        resolved("P: .callprototype _;", "P"),
        Some(Named::Prototype(0))
    );
}

#[test]
fn registers_as_parameters_are_registers() {
    let text = module(".func (.reg .b32 r, .param .f32 s) f (.reg .b64 x, .param .b32 y) { ret; }");
    let module = parse(&text).expect("parses");
    let body = module.functions[0].body.as_ref().expect("a body");
    let found = |name| body.resolve(Default::default(), name);
    assert_eq!(
        found("r"),
        Some(Named::Register {
            declaration: 0,
            index: 0
        })
    );
    assert_eq!(
        found("x"),
        Some(Named::Register {
            declaration: 1,
            index: 0
        })
    );
    assert_eq!(found("s"), Some(Named::Result(1)));
    assert_eq!(found("y"), Some(Named::Parameter(1)));
    assert_eq!(body.registers[1].ty, Type::B64);
}

#[test]
fn an_alias_stands_for_its_function() {
    let text = module(".func f() { ret; } .func g(); .alias g, f;");
    let module = parse(&text).expect("parses");
    assert_eq!(
        module.function("g").map(|function| function.name),
        Some("f")
    );
}

#[test]
fn addresses_have_32_bits_where_nothing_is_said() {
    let text = module("");
    let module = parse(&text).expect("parses");
    assert_eq!(
        module,
        Module {
            version: (8, 0),
            targets: vec!["sm_90a"],
            address_size: 32,
            ..Module::default()
        }
    );
}

#[test]
fn an_address_is_no_sum_outside_brackets() {
    let text = kernel("x [a], a+4, [4];");
    let module = parse(&text).expect("parses");
    let body = module.functions[0].body.as_ref().expect("a body");
    assert_eq!(
        body.instructions[0].operands,
        [
            Operand::Address {
                base: Some("a"),
                offset: 0
            },
            Operand::Offset("a", 4),
            Operand::Address {
                base: None,
                offset: 4
            },
        ]
    );
}
