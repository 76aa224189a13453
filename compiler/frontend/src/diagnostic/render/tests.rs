//! Awkward sources, shown as they are printed.

use super::*;
use crate::diagnostic::Code;

fn span(file: u32, start: usize, end: usize) -> Span {
    let small = |at: usize| u32::try_from(at).expect("a small file");
    Span {
        file,
        start: small(start),
        end: small(end),
    }
}

/// A diagnostic at the first place where `marked` stands in `source`.
fn shown(source: &str, marked: &str) -> String {
    let mut sources = SourceMap::new();
    let file = sources.add("a.tile", source);
    let start = source.find(marked).expect("the text is there");
    let diagnostic = Diagnostic::error(Code::Unexpected, "a message")
        .label(span(file, start, start + marked.len()), "here");
    text(&diagnostic, &sources, Style::default())
}

#[test]
fn tabs_and_wide_characters_keep_columns_aligned() {
    insta::assert_snapshot!(shown("\tx\t= y;", "y"), @r"
    error[E0008]: a message
     --> a.tile:1:6
      |
    1 |     x    = y;
      |            ^ here
    ");
    insta::assert_snapshot!(shown("let 漢字 = ü + y;", "y"), @r"
    error[E0008]: a message
     --> a.tile:1:14
      |
    1 | let 漢字 = ü + y;
      |                ^ here
    ");
    insta::assert_snapshot!(shown("print(\"😀\", y);", "y"), @r#"
    error[E0008]: a message
     --> a.tile:1:12
      |
    1 | print("😀", y);
      |             ^ here
    "#);
}

#[test]
fn line_breaks_of_windows() {
    insta::assert_snapshot!(shown("a\r\nbad\r\nc\r\n", "bad"), @r"
    error[E0008]: a message
     --> a.tile:2:1
      |
    2 | bad
      | ^^^ here
    ");
}

#[test]
fn several_lines() {
    insta::assert_snapshot!(shown("kernel k(\n  a,\n  b,\n  c,\n  d,\n  e,\n)", "(\n  a,\n  b,\n  c,\n  d,\n  e,\n)"), @r"
    error[E0008]: a message
     --> a.tile:1:9
      |
    1 |   kernel k(
      |  _________^
    2 | |   a,
    3 | |   b,
    4 | |   c,
    5 | |   d,
    6 | |   e,
    7 | | )
      | |_^ here
    ");
}

#[test]
fn the_end_of_a_file_and_an_empty_file() {
    let mut sources = SourceMap::new();
    let short = sources.add("short.tile", "fn f() {");
    let line = sources.add("line.tile", "fn f() {\n");
    let empty = sources.add("empty.tile", "");
    let at = |file, offset| {
        let diagnostic = Diagnostic::error(Code::Unexpected, "the file ends")
            .label(span(file, offset, offset), "here");
        text(&diagnostic, &sources, Style::default())
    };
    insta::assert_snapshot!([at(short, 8), at(line, 9), at(empty, 0)].join("\n"), @r"
    error[E0008]: the file ends
     --> short.tile:1:9
      |
    1 | fn f() {
      |         ^ here

    error[E0008]: the file ends
     --> line.tile:2:1
      |
    2 |
      | ^ here

    error[E0008]: the file ends
     --> empty.tile:1:1
      |
    1 |
      | ^ here
    ");
    // Spans that are wrong are shown as well as they can be.
    assert!(at(short, 99).contains("short.tile:1:9"));
    assert!(at(7, 0).starts_with("error[E0008]"));
}

#[test]
fn several_files_and_no_file() {
    let mut sources = SourceMap::new();
    let first = sources.add("a.tile", "import \"b.tile\" { f };\n");
    let second = sources.add("b.tile", "fn g() {}\nfn h() {}\n");
    let diagnostic = Diagnostic::warning(Code::ImportedNameMissing, "no `f`")
        .secondary(span(second, 3, 4), "perhaps this")
        .label(span(first, 18, 19), "not there")
        .note("a fact")
        .help("an advice")
        .suggest(span(first, 18, 19), "g", "a similar name exists");
    insta::assert_snapshot!(text(&diagnostic, &sources, Style::default()), @r#"
    warning[E0906]: no `f`
     --> a.tile:1:19
      |
    1 | import "b.tile" { f };
      |                   ^ not there
      |
     ::: b.tile:1:4
      |
    1 | fn g() {}
      |    - perhaps this
      |
      = note: a fact
      = help: an advice
    help: a similar name exists
      |
    1 - import "b.tile" { f };
    1 + import "b.tile" { g };
      |
    "#);
    let nowhere = Diagnostic::error(Code::FileNotFound, "`x.tile` does not exist");
    insta::assert_snapshot!(text(&nowhere, &sources, Style::default()), @"error[E0901]: `x.tile` does not exist");
    assert!(
        text(
            &diagnostic,
            &sources,
            Style {
                color: true,
                width: None
            }
        )
        .contains("\u{1b}[")
    );
}

#[test]
fn json_has_all_keys() {
    let mut sources = SourceMap::new();
    let file = sources.add("ä.tile", "let ü = 1\nlet y = 2;");
    let diagnostic = Diagnostic::error(Code::MissingSemicolon, "a `;` is \"missing\"")
        .label(span(file, 10, 10), "expected `;`")
        .note("a fact")
        .suggest(span(file, 10, 10), ";", "add `;`");
    insta::assert_snapshot!(json(&diagnostic, &sources), @r#"{"code":"E0009","severity":"error","message":"a `;` is \"missing\"","file":"ä.tile","line":1,"column":10,"labels":[{"file":"ä.tile","start":10,"end":10,"line":1,"column":10,"end_line":1,"end_column":10,"text":"expected `;`","primary":true}],"notes":["a fact"],"helps":[],"suggestion":{"file":"ä.tile","start":10,"end":10,"line":1,"column":10,"end_line":1,"end_column":10,"text":"add `;`","replacement":";"}}"#);
    let nowhere = Diagnostic::error(Code::FileNotFound, "gone");
    insta::assert_snapshot!(json(&nowhere, &sources), @r#"{"code":"E0901","severity":"error","message":"gone","file":null,"line":null,"column":null,"labels":[],"notes":[],"helps":[],"suggestion":null}"#);
}

#[test]
fn long_lines_and_long_spans_are_cut() {
    let source = format!("{} y {}", "x ".repeat(100_000), "z ".repeat(100_000));
    let cut = shown(&source, "y");
    assert!(cut.len() < 1000, "{cut}");
    let source = "x\n".repeat(100_000);
    assert!(shown(&source, &source).len() < 1000);
    let mut sources = SourceMap::new();
    let file = sources.add("a.tile", source.as_str());
    let far = Diagnostic::error(Code::Unexpected, "far")
        .label(span(file, 0, 1), "one end")
        .secondary(span(file, 199_998, 199_999), "the other");
    insta::assert_snapshot!(text(&far, &sources, Style::default()), @r"
    error[E0008]: far
          --> a.tile:1:1
           |
         1 | x
           | ^ one end
           |
          ::: a.tile:100000:1
           |
    100000 | x
           | - the other
    ");
}
