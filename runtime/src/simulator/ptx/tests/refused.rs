//! What is refused, and what is said about it.

use super::super::parse;
use super::{kernel, module};

/// Line, column and message.
fn refusal(text: &str) -> (u32, u32, String) {
    match parse(text) {
        Ok(_) => panic!("this parses:\n{text}"),
        Err(error) => (error.line, error.column, error.problem.to_string()),
    }
}

#[test]
fn statements() {
    for (statement, column, message) in [
        ("add.s32 a, b c;", 14, "expected `,` or `;`, found `c`"),
        (
            "add.s32 a, b, c",
            16,
            "expected `,` or `;`, found `}` in line 7",
        ),
        ("add.s32 a,, b;", 11, "expected an operand, found `,`"),
        ("add.s32 a, b, #3;", 15, "`#` means nothing in PTX"),
        ("add.s32 a, b, é;", 15, "`é` means nothing in PTX"),
        ("ld.b32 a, [b;", 13, "expected `]` or `,`, found `;`"),
        ("ld.b32 a, [b-4];", 13, "expected `]` or `,`, found `-`"),
        ("ld.b32 a, [b+];", 14, "expected a number, found `]`"),
        (
            "ld.b32 a, [b+1.5];",
            14,
            "expected an integer, found a floating-point number",
        ),
        (
            "ld.b32 a, [b+4 << 2];",
            14,
            "only a number can be added to an address or subtracted from it",
        ),
        (
            "ld.b32 a, [!b];",
            11,
            "expected an address: a register, a variable or a number",
        ),
        (
            "ld.b32 a, [];",
            12,
            "expected a register or a number, found `]`",
        ),
        (
            "mov.b64 {a, {b}}, c;",
            13,
            "expected a register or a number, found `{`",
        ),
        ("mov.b64 {a b}, c;", 12, "expected `}` or `,`, found `b`"),
        ("shfl.b32 a|, b;", 12, "expected a name, found `,`"),
        (
            "selp.b32 a, !;",
            14,
            "expected a name or a number, found `;`",
        ),
        ("mov.b32 a, 1 + ;", 16, "expected a number, found `;`"),
        ("mov.b32 a, (1 + 2;", 18, "expected `)`, found `;`"),
        (
            "mov.b32 a, 1 / 0;",
            12,
            "division by zero in a constant expression",
        ),
        (
            "mov.b32 a, 1.0 % 2;",
            12,
            "expected an integer, found a floating-point number",
        ),
        (
            "mov.b32 a, 0f3F800000 + 1;",
            12,
            "a single-precision constant (`0f…`) takes no part in expressions",
        ),
        ("mov.b32 a, (.b32) 1;", 12, "expected `.s64` or `.u64`"),
        (
            "mov.b32 a, 0x;",
            12,
            "`0x` is no number: digits are missing",
        ),
        (
            "mov.b32 a, 08;",
            12,
            "`08` is no number: `8` is no octal digit",
        ),
        (
            "mov.b32 a, 0x1u;",
            12,
            "`0x1u` is no number: `u` is no hexadecimal digit",
        ),
        (
            "mov.b32 a, 0b12;",
            12,
            "`0b12` is no number: `2` is no binary digit",
        ),
        (
            "mov.b32 a, 0f3F80;",
            12,
            "`0f3F80` is no number: `0f` takes 8 hexadecimal digits",
        ),
        (
            "mov.b32 a, 0d3F80;",
            12,
            "`0d3F80` is no number: `0d` takes 16 hexadecimal digits",
        ),
        (
            "mov.b32 a, 99999999999999999999;",
            12,
            "`99999999999999999999` is too large: integers have 64 bits",
        ),
        ("call (a, f;", 11, "expected `)` or `,`, found `;`"),
        ("call f, 16;", 9, "expected a name, found `16`"),
        ("@p;", 3, "expected an instruction, found `;`"),
        ("@p { ret; }", 4, "expected an instruction, found `{`"),
        (
            "ret;;",
            5,
            "expected an instruction, a label, a directive or `}`, found `;`",
        ),
        (
            "];",
            1,
            "expected an instruction, a label, a directive or `}`, found `]`",
        ),
        (
            "\"text\";",
            1,
            "expected an instruction, a label, a directive or `}`, found `\"text\"`",
        ),
        ("T: .branchtargets ;", 19, "expected a name, found `;`"),
        (".loc 1 2;", 9, "expected an integer, found `;`"),
        (
            ".pragma nounroll;",
            9,
            "expected a string, found `nounroll`",
        ),
        (
            ".pragma \"nounroll;",
            9,
            "the string is never closed: `\"` is missing",
        ),
        (
            "ret; /* the end",
            6,
            "the comment is never closed: `*/` is missing",
        ),
    ] {
        let (line, at, text) = refusal(&kernel(statement));
        assert_eq!(
            (line, at, text.as_str()),
            (6, column, message),
            "{statement}"
        );
    }
}

#[test]
fn declarations() {
    for (statement, column, message) in [
        (
            ".reg .b33 r;",
            6,
            "unknown type `.b33` (did you mean `b32`?)",
        ),
        (".reg b32 r;", 10, "expected `,` or `;`, found `r`"),
        (".reg r;", 6, "this declaration has no type, such as `.b32`"),
        (".reg .b32 .b32 r;", 11, "this declaration has two types"),
        (
            ".reg .b32 r[4];",
            11,
            "expected a register, which is no array and has no initial value",
        ),
        (
            ".reg .b32 r<5000000000>;",
            13,
            "expected a number from 0 to 4294967295, found `5000000000`",
        ),
        (
            ".reg .b32 r<2>, r<3>;",
            17,
            "`r<2>` is declared twice in this scope, first in line 6",
        ),
        (
            ".reg .b32 r<2>, r1;",
            17,
            "`r1` is declared twice in this scope, first in line 6",
        ),
        (
            "L: ret; L:",
            9,
            "`L` is declared twice in this scope, first in line 6",
        ),
        (
            ".local .v2 .v4 .b32 a;",
            12,
            "this declaration has two vector sizes",
        ),
        (".local .align 3 .b8 a;", 15, "expected a power of two"),
        (
            ".local .align 4 .align 8 .b8 a;",
            24,
            "this declaration has two alignments",
        ),
        (
            ".local .shared .b8 a;",
            8,
            "this declaration has two state spaces",
        ),
        (
            ".local .b8 a<4>;",
            12,
            "expected a name without a range: only registers have ranges",
        ),
        (
            ".local .b8 a[-1];",
            14,
            "expected a number from 0 to 9223372036854775807, found `-1`",
        ),
        (
            ".local .b8 a[1.5];",
            14,
            "expected an integer, found a floating-point number",
        ),
    ] {
        let (line, at, text) = refusal(&kernel(statement));
        assert_eq!(
            (line, at, text.as_str()),
            (6, column, message),
            "{statement}"
        );
    }
}

#[test]
fn outside_functions() {
    for (item, column, message) in [
        (
            "ret;",
            1,
            "expected a directive such as `.entry` or `.global`, found `ret`",
        ),
        (
            "}",
            1,
            "expected a directive such as `.entry` or `.global`, found `}`",
        ),
        (
            ".visible f",
            10,
            "expected `.entry`, `.func`, `.global`, `.const` or `.shared`, found `f`",
        ),
        (".entry", 7, "expected a name, found the end of the text"),
        (".entry f (", 11, "the `(` opened in line 3 is never closed"),
        (
            ".entry f (.u64 x) {}",
            11,
            "expected a parameter, which starts with `.param` or `)`, found `.u64`",
        ),
        (
            ".entry f (.param .u64 x .param .u64 y) {}",
            25,
            "expected `)` or `,`, found `.param`",
        ),
        (
            ".entry f () .maxntd 3 {}",
            13,
            "unknown directive `.maxntd` (did you mean `maxntid`?)",
        ),
        (
            ".entry f () .maxntid 3 3 {}",
            24,
            "expected a directive such as `.maxntid`, `{`, `,` or `;`, found `3`",
        ),
        (
            ".entry f () { ret;",
            19,
            "the `{` opened in line 3 is never closed",
        ),
        (
            ".entry f (.param .u32 x, .param .u32 x) { ret; }",
            1,
            "`x` is declared twice in this scope, first in line 3",
        ),
        (
            ".extern .func f () { ret; }",
            20,
            "expected `;`: a function that is `.extern` has no body",
        ),
        (
            ".global .b32 x",
            15,
            "expected `,` or `;`, found the end of the text",
        ),
        (
            ".global .b32 x = ;",
            18,
            "expected a name, a number or `{`, found `;`",
        ),
        (
            ".global .b32 x[2] = {1, 2",
            26,
            "the `{` opened in line 3 is never closed",
        ),
        (".global .u64 x = specific(y);", 18, "expected `generic`"),
        (
            ".local .b32 x;",
            1,
            "expected a directive such as `.entry` or `.global`, found `.local`",
        ),
        (
            ".section .debug_info {",
            23,
            "the section opened in line 3 is never closed",
        ),
        (".target 80", 9, "expected a name, found `80`"),
        (
            ".version 8",
            10,
            "expected a version such as `8.0`, found `8`",
        ),
        (".version 8.5e3", 10, "expected a version, such as `8.0`"),
    ] {
        let (line, at, text) = refusal(&module(item));
        assert!(
            line == 3 || (line == 4 && at == 1),
            "{item}: line {line}, column {at}"
        );
        let at = if line == 4 { column } else { at };
        assert_eq!((at, text.as_str()), (column, message), "{item}");
    }
}

#[test]
fn text_that_is_no_ptx() {
    for (text, message) in [
        (
            "",
            "the text has no `.version`: it is no PTX, or its head is cut off",
        ),
        (
            "// nothing",
            "the text has no `.version`: it is no PTX, or its head is cut off",
        ),
        (
            ".version 8.0",
            "the text has no `.target`: it is no PTX, or its head is cut off",
        ),
        (
            "__global__ void f() {",
            "expected a directive such as `.entry` or `.global`, found `__global__`",
        ),
        ("\u{7f}ELF\u{2}", "`\u{7f}` means nothing in PTX"),
    ] {
        let (line, column, found) = refusal(text);
        assert_eq!((line, column, found.as_str()), (1, 1, message), "{text:?}");
    }
}

#[test]
fn an_error_shows_its_line_with_a_mark() {
    let error = parse(&kernel("\tadd.s32 \t%r1, %r2 %r3;")).expect_err("a comma is missing");
    assert_eq!(
        error.to_string(),
        "\
line 6, column 20: expected `,` or `;`, found `%r3`
  6 |  add.s32  %r1, %r2 %r3;
    |                    ^^^"
    );
    // What is missing at the end of a line is shown there.
    let error = parse(&kernel("bra L\nret;")).expect_err("a semicolon is missing");
    assert_eq!(
        error.to_string(),
        "\
line 6, column 6: expected `,` or `;`, found `ret` in line 7
  6 | bra L
    |      ^"
    );
}

#[test]
fn of_a_long_line_a_piece_is_shown() {
    let long = format!("add.s32 {}%x y;", "%r1, ".repeat(1000));
    let error = parse(&kernel(&long))
        .expect_err("a comma is missing")
        .to_string();
    assert!(error.contains("%r1, %x y;\n"), "{error}");
    assert!(error.len() < 500, "{error}");
    let lines: Vec<_> = error.lines().collect();
    assert_eq!(lines[1].find("y;"), lines[2].find('^'), "{error}");
}
