//! Texts made to take more stack, memory or time than they have characters.

use std::time::{Duration, Instant};

use super::super::{Problem, parse};
use super::{kernel, module};

#[test]
fn deep_brackets_are_refused() {
    let nested = |open: &str, close: &str, depth: usize| {
        format!("{}1{}", open.repeat(depth), close.repeat(depth))
    };
    let deep = 1_000_000;
    for text in [
        kernel(&format!("{}ret;{}", "{".repeat(deep), "}".repeat(deep))),
        kernel(&format!("mov.b32 a, {};", nested("(", ")", deep))),
        module(&format!(".global .b32 a = {};", nested("{", "}", deep))),
        module(&format!(".global .b32 a = {}", "{".repeat(deep))),
    ] {
        let error = parse(&text).expect_err("too deep");
        assert_eq!(error.problem, Problem::TooDeep, "{}", error.column);
    }
}

#[test]
fn brackets_as_deep_as_allowed_are_read() {
    let depth = 190;
    for text in [
        kernel(&format!("{}ret;{}", "{".repeat(depth), "}".repeat(depth))),
        kernel(&format!(
            "mov.b32 a, {}1{};",
            "(".repeat(depth),
            ")".repeat(depth)
        )),
        module(&format!(
            ".global .b32 a = {}1{};",
            "{".repeat(depth),
            "}".repeat(depth)
        )),
    ] {
        parse(&text).expect("this is allowed");
    }
}

/// Nothing here takes longer than its length suggests, nor runs out of stack.
#[test]
fn long_repetitions_are_read_or_refused_at_once() {
    let many = 300_000;
    let texts = [
        kernel(&format!("mov.b32 a, {}1;", "-".repeat(many))),
        kernel(&format!("mov.b32 a, 1{};", " + 1".repeat(many))),
        kernel(&format!("mov.b32 a, {}1;", "1 ? 1 : ".repeat(many))),
        kernel(&format!("mov.b32 {{{}a}}, b;", "a, ".repeat(many))),
        kernel(&format!("{}ret;", "ret;\n".repeat(many))),
        kernel(
            &(0..many / 4)
                .map(|label| format!("L{label}:"))
                .collect::<String>(),
        ),
        kernel(&format!("a{};", ".b".repeat(many))),
        kernel(&format!("mov.b32 a, {};", "1".repeat(many))),
        kernel(&format!("mov.b32 a, 0x{};", "0".repeat(many))),
        kernel(&"{}".repeat(many)),
        kernel(&"{".repeat(150)),
        kernel(&format!("mov.b32 a, {}", "-".repeat(many))),
        kernel(&format!("mov.b32 a, {}", "1 ? 1 : ".repeat(many))),
        kernel(&format!("x{}", " y".repeat(many))),
        module(&"/*".repeat(many)),
        module(&"/**/".repeat(many)),
        module(&"\"".repeat(many + 1)),
        module(&".section x {}".repeat(many)),
        module(&".global .b8 a;".repeat(many)),
        module(&format!(".global .b8 a{};", "[1]".repeat(many))),
        "\n".repeat(many),
        "#".repeat(many),
        "é".repeat(many),
        "a".repeat(many),
        "0".repeat(many),
        "%".repeat(many),
    ];
    for text in texts {
        let start = Instant::now();
        let result = parse(&text);
        let time = start.elapsed();
        let beginning: String = text.chars().take(100).collect();
        assert!(time < Duration::from_secs(5), "{time:?} for {beginning}");
        if let Err(error) = result {
            assert!(error.to_string().len() < 2000, "{beginning}");
        }
    }
}

#[test]
fn a_large_range_of_registers_takes_no_memory() {
    let text = kernel(".reg .b32 %r<2000000000>; .reg .v4 .b64 %q<4294967295>;");
    let module = parse(&text).expect("parses");
    let body = module.functions[0].body.as_ref().expect("a body");
    let counts: Vec<_> = body
        .registers
        .iter()
        .map(|registers| registers.count)
        .collect();
    assert_eq!(counts, [Some(2_000_000_000), Some(4_294_967_295)]);
}
