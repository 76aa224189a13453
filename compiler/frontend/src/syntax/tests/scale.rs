//! Large inputs take time linear in their size, whatever they hold.

use std::time::{Duration, Instant};

use crate::syntax::parse;

/// Enough for an unoptimised build on a slow machine; quadratic time would take hours.
const PATIENCE: Duration = Duration::from_secs(60);

/// Ten megabytes where that takes seconds, one where nothing is optimised.
const LARGE: usize = if cfg!(debug_assertions) {
    1 << 20
} else {
    10 << 20
};
const MEDIUM: usize = LARGE / 16;

fn parse_repeated(start: &str, unit: &str, end: &str, bytes: usize) -> usize {
    let text = format!("{start}{}{end}", unit.repeat(bytes / unit.len()));
    let before = Instant::now();
    let (_, errors) = parse(0, &text);
    let time = before.elapsed();
    println!("{unit:?}: {time:?}");
    assert!(time < PATIENCE, "{unit:?} takes {time:?}");
    errors.len()
}

#[test]
fn megabytes_of_kernels() {
    let unit = "kernel k(x: ptr<f32>, n: i32) grid(n) {\n    store(x, load(x) + 1.0);\n}\n";
    assert_eq!(parse_repeated("", unit, "", LARGE), 0);
}

#[test]
fn one_long_body() {
    assert_eq!(
        parse_repeated("fn f() {", "x = a[i +: 4] + b;\n", "}", LARGE / 4),
        0
    );
    assert_eq!(
        parse_repeated("fn f() { x = [", "1, ", "]; }", LARGE / 4),
        0
    );
}

#[test]
fn one_long_body_full_of_errors() {
    assert!(parse_repeated("fn f() {", "x = ;\n", "}", LARGE / 4) > 1);
    assert!(parse_repeated("fn f() {", "x y\n", "}", LARGE / 4) > 0);
    assert!(parse_repeated("", "fn f( {} ", "", LARGE / 4) > 1);
}

#[test]
fn garbage() {
    let units = [
        "(",
        ")",
        "{",
        "}",
        "([{",
        ")]}",
        "{(",
        "}{",
        "{ ( } ",
        "$",
        "$ ",
        "'",
        "'\n",
        "\"",
        "\"\n",
        "/*",
        "*/",
        "/",
        "#",
        "# [",
        "\\",
        "\u{0}",
        "ä",
        "\u{1f600}",
        "0",
        "0x",
        "1.",
        "1e",
        "_",
        "-",
        "|",
        "<",
        ">>",
        "ptr<",
        ".",
        ".0",
        "///\n",
        "//!\n",
        "fn ",
        "kernel k",
        "\nkernel k(",
        "\nfn f(){{",
        "import \"\" ",
        "#[a]",
        "const ",
        "if ",
        "else ",
        "else {}",
        "let ",
        ";",
        ",",
        "\n",
        "\n}",
        "\n {",
        "\n    {\n}",
        "tune x in",
        "x\n",
    ];
    for unit in units {
        parse_repeated("", unit, "", MEDIUM);
        parse_repeated("fn f() { ", unit, "", MEDIUM);
    }
}
