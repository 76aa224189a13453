//! What right programs become.

use super::{TOUR, check, tree};

/// The tree of one statement in a function.
fn body(statements: &str) -> String {
    let printed = tree(&format!("fn f() {{ {statements} }}"));
    let lines = printed.lines().skip(1).filter(|line| *line != "}");
    lines
        .map(|line| line.strip_prefix("    ").unwrap_or(line))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn the_tour_parses_and_prints() {
    insta::assert_snapshot!(tree(TOUR));
    let (file, _) = check(TOUR);
    assert_eq!(file.items.len(), 9);
}

#[test]
fn the_tour_as_tokens() {
    let mut sources = crate::source::SourceMap::new();
    let id = sources.add("a.tile", "/// Docs.\nfn f(x) { x.0.1 + 1e-3 } // rest\n");
    insta::assert_snapshot!(crate::syntax::print::tokens(&sources, id));
}

#[test]
fn precedence_is_rusts() {
    let cases = [
        ("a + b * c", "(a + (b * c))"),
        ("a * b + c", "((a * b) + c)"),
        ("a - b - c", "((a - b) - c)"),
        ("-a as f32 * b", "(((-a) as f32) * b)"),
        ("-a.b[0](1)", "(-a.b[0](1))"),
        ("!a & b", "((!a) & b)"),
        ("a << b + c", "(a << (b + c))"),
        ("a & b << c", "(a & (b << c))"),
        ("a ^ b & c", "(a ^ (b & c))"),
        ("a | b ^ c", "(a | (b ^ c))"),
        ("a == b | c", "(a == (b | c))"),
        ("a < b && c > d || e", "(((a < b) && (c > d)) || e)"),
        ("a || b && c", "(a || (b && c))"),
        ("a as i32 < b", "((a as i32) < b)"),
        ("a as i32 as f32", "((a as i32) as f32)"),
        ("- -a", "(-(-a))"),
        ("a % b / c", "((a % b) / c)"),
        ("(a + b) * c", "((a + b) * c)"),
        ("|x, y| x + y", "|x, y| (x + y)"),
        ("|| 1", "|| 1"),
        (
            "f(|x: f32| x, |(a, b), _| a)",
            "f(|x: f32| x, |(a, b), _| a)",
        ),
        ("a[i +: 2 * B, :, None, j]", "a[i +: (2 * B), :, None, j]"),
        ("(a,)", "(a,)"),
        ("()", "()"),
        ("x as ptr<f32> + 1", "((x as ptr<f32>) + 1)"),
        ("x as ptr<ptr<f32>> >> 1", "((x as ptr<ptr<f32>>) >> 1)"),
        ("x.T.0.1", "x.T.0.1"),
        ("if a { b } else { c } + d", "((if a { b } else { c }) + d)"),
    ];
    for (source, expected) in cases {
        let printed = body(&format!("let v = {source};"));
        let squeezed = printed.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(squeezed, format!("let v = {expected};"), "of {source}");
    }
}

#[test]
fn words_of_one_place_are_names_elsewhere() {
    let source = "let tile = ptr + tensor * grid; let test = tune(strides); tile = tile < 3;";
    insta::assert_snapshot!(body(source), @r"
    let tile = (ptr + (tensor * grid));
    let test = tune(strides);
    tile = (tile < 3);
    ");
}

#[test]
fn a_statement_that_starts_with_a_brace_ends_at_its_brace() {
    insta::assert_snapshot!(body("if a { b(); } -c; { d } (e)"), @r"
    if a {
        b();
    };
    (-c);
    {
        d
    };
    e
    ");
}

#[test]
fn the_last_if_is_a_value_when_it_has_an_else() {
    let value = crate::syntax::parse(0, "fn f() { if a { b } else { c } }").0;
    let statement = crate::syntax::parse(0, "fn f() { if a { b } else if c { d } }").0;
    let tail = |file: &super::ast::File| match &file.items[0] {
        super::ast::Item::Function(function) => function.body.tail.is_some(),
        _ => false,
    };
    assert!(tail(&value));
    assert!(!tail(&statement));
}

#[test]
fn jumps_may_end_a_block_without_semicolon() {
    insta::assert_snapshot!(body("while true { if a { break } else { continue } } return (a, b)"), @r"
    while true {
        if a {
            break;
        } else {
            continue;
        }
    }
    return (a, b);
    ");
}

#[test]
fn comments_nest_and_documentation_reaches_its_item() {
    let source = "/* a /* b */ c */\n/// One.\n///  Two.\n////////\n#[inline] fn f() {}\n";
    insta::assert_snapshot!(tree(source), @r"
    /// One.
    ///  Two.
    #[inline]
    fn f() {}
    ");
}

#[test]
fn line_breaks_and_marks_of_windows_are_fine() {
    assert_eq!(
        tree("\u{feff}fn f() {\r\n    1\r\n}\r\n"),
        tree("fn f() {\n    1\n}\n")
    );
}

#[test]
fn an_empty_file_is_a_file() {
    for source in ["", "\n", "// only a comment", "/* */", "\u{feff}"] {
        assert_eq!(tree(source), "");
    }
}
