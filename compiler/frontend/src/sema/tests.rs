//! Elaborated programs as text. Each file in `tests/` is a program that works; its snapshot is what
//! it means. Programs that do not work are in the UI tests.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Files, check, elaborate_kernel};
use crate::diagnostic::{Diagnostic, render};
use crate::source::SourceMap;
use crate::syntax::parse;

/// Files by name, the first one the root.
fn load(texts: &[(&str, &str)]) -> (SourceMap, Files, Vec<Diagnostic>) {
    let mut sources = SourceMap::new();
    for (name, text) in texts {
        sources.add(*name, *text);
    }
    let (files, diagnostics) = Files::load(&mut sources, 0, &|sources, id| {
        parse(id, &sources.get(id).expect("a file that was added").text)
    });
    (sources, files, diagnostics)
}

fn rendered(sources: &SourceMap, diagnostics: &[Diagnostic]) -> String {
    render::texts(diagnostics, sources, render::Style::default())
}

/// The typed text of a kernel, or what is wrong with it.
fn elaborated(texts: &[(&str, &str)], kernel: &str, bindings: &[(&str, &str)]) -> String {
    let (sources, files, diagnostics) = load(texts);
    if !diagnostics.is_empty() {
        return rendered(&sources, &diagnostics);
    }
    let bindings: BTreeMap<String, String> = bindings
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    let (kernel, diagnostics) = elaborate_kernel(&files, kernel, &bindings);
    let mut text = rendered(&sources, &diagnostics);
    if let Some(kernel) = kernel {
        let _ = write!(text, "{kernel}");
    }
    text
}

fn checked(texts: &[(&str, &str)]) -> String {
    let (sources, files, mut diagnostics) = load(texts);
    diagnostics.extend(check(&files));
    rendered(&sources, &diagnostics)
}

#[test]
fn programs() {
    insta::glob!("tests/*.tile", |path| {
        let text = std::fs::read_to_string(path).expect("a readable file");
        let (sources, files, diagnostics) = load(&[("program.tile", &text)]);
        assert!(
            diagnostics.is_empty(),
            "{}",
            rendered(&sources, &diagnostics)
        );
        assert_eq!(rendered(&sources, &check(&files)), "");
        let kernels: Vec<String> = files
            .kernels()
            .iter()
            .map(|kernel| elaborated(&[("program.tile", &text)], kernel, &[]))
            .collect();
        insta::assert_snapshot!(format!("{text}\n// means\n\n{}", kernels.join("\n")));
    });
}

const FILL: &str = "\
kernel fill<T: float, const N: i32, const MODE: str = \"zero\", const ON: bool = true>(y: mut tensor<T>[n])
    grid(cdiv(n, N)) tune N in [64, 128]
{
    let value = if MODE == \"zero\" { 0.0 } else { 1.0 };
    if ON { store(y[program_id(0) * N +: N], full([N], value, T)); }
}
";

fn fill(bindings: &[(&str, &str)]) -> String {
    elaborated(&[("fill.tile", FILL)], "fill", bindings)
}

#[test]
fn generics_come_from_the_command_line_tune_and_defaults() {
    insta::assert_snapshot!(fill(&[("T", "f16"), ("MODE", "one")]));
    insta::assert_snapshot!(fill(&[("T", "f8e4m3"), ("N", "0x20"), ("ON", "false")]));
}

#[test]
fn bindings_that_do_not_fit_are_refused() {
    insta::assert_snapshot!(fill(&[]));
    insta::assert_snapshot!(fill(&[("T", "float16"), ("M", "3"), ("N", "1.5")]));
    insta::assert_snapshot!(fill(&[("T", "i32"), ("N", "99999999999"), ("ON", "yes")]));
}

#[test]
fn generics_without_a_value_are_named() {
    let text = "kernel f<T: int, const N: i32, const MODE: str>(y: mut tensor<T>[n]) {}";
    insta::assert_snapshot!(elaborated(&[("f.tile", text)], "f", &[]));
}

#[test]
fn unknown_kernels_list_those_there_are() {
    insta::assert_snapshot!(elaborated(&[("fill.tile", FILL)], "fil", &[]));
    insta::assert_snapshot!(elaborated(&[("fill.tile", FILL)], "softmax", &[]));
}

#[test]
fn imports_bring_functions_and_consts() {
    let root = "import \"math/all.tile\" { relu, SCALE };\nkernel f(y: mut ptr<f32>) { store(y, relu(load(y)) * SCALE); }";
    let all =
        "import \"relu.tile\" { relu };\nconst SCALE: f32 = BASE * 2.0;\nconst BASE: f32 = 0.25;";
    let relu = "fn relu(x) { maximum(x, 0.0) }";
    let files = [
        ("f.tile", root),
        ("math/all.tile", all),
        ("math/relu.tile", relu),
    ];
    insta::assert_snapshot!(elaborated(&files, "f", &[]));
}

#[test]
fn imports_that_lead_nowhere_are_reported() {
    let missing =
        "import \"none.tile\" { relu };\nkernel f(y: mut ptr<f32>) { store(y, relu(load(y))); }";
    insta::assert_snapshot!(checked(&[("f.tile", missing)]));
    let root = "import \"math.tile\" { rleu, gelu };\nimport \"math.tile\" { gelu };";
    let math = "fn relu(x) { x }\nfn gelu(x) { x }";
    insta::assert_snapshot!(checked(&[("f.tile", root), ("math.tile", math)]));
    let (a, b) = (
        "import \"b.tile\" { f };\nfn g(x) { f(x) }",
        "import \"./a.tile\" { g };\nfn f(x) { g(x) }",
    );
    insta::assert_snapshot!(checked(&[("a.tile", a), ("b.tile", b)]));
}

#[test]
fn problems_inside_functions_show_the_call() {
    let text = "\
fn inner(x) { x & 1 }
fn outer(x) { inner(x * 2.0) }
kernel f(y: mut ptr<f32>) {
    store(y, outer(load(y)));
}
";
    insta::assert_snapshot!(checked(&[("f.tile", text)]));
}

#[test]
fn deep_expressions_become_shallow() {
    let sum = vec!["x"; 200].join(" + ");
    let text = format!("kernel f(y: mut ptr<f32>, x: f32) {{ store(y, {sum}); }}");
    let typed = elaborated(&[("f.tile", &text)], "f", &[]);
    assert!(typed.contains("let %"), "{typed}");
    let longest = typed.lines().map(|line| line.matches('+').count()).max();
    assert!(longest < Some(70), "{typed}");
}

#[test]
fn promises_that_a_launch_can_check() {
    let text = "\
fn fits(n, width) { assume(n <= width); }
kernel rows<const WIDTH: i32 = 64>(x: tensor<f32>[m, n], y: mut tensor<f32>[m], start: u32, share: f32) grid(m) {
    let twice = n * 2;
    let mut low = start;
    low += 1;
    fits(n, WIDTH);
    assume(twice % 4 == 0 && start > 0);
    assume(start as i64 <= n as i64);
    // Only the kernel knows these.
    assume(share > 0.0);
    assume(low < 7);
    assume(start - 1 < 5);
    assume(n < 5 || m < 5);
    assume(program_id(0) < n);
    if m == 1 { assume(n == 1); }
    store(y[program_id(0)], sum(load(x[program_id(0), 0 +: WIDTH])));
    assume(m != 3);
    if program_id(0) == 3 { return; }
    assume(m > 4);
}
";
    let (_, files, _) = load(&[("rows.tile", text)]);
    let (kernel, problems) = elaborate_kernel(&files, "rows", &BTreeMap::new());
    let kernel = kernel.unwrap_or_else(|| panic!("{problems:?}"));
    let promises: Vec<String> = kernel.promises.iter().map(ToString::to_string).collect();
    assert_eq!(
        promises,
        [
            "n <= 64",
            "n * 2 % 4 == 0",
            "start > 0",
            "start <= n",
            "m != 3"
        ]
    );
}

#[test]
fn a_promise_that_doubles_with_each_variable_is_left_alone() {
    let doubled: String = (0..40)
        .map(|number| format!("let a{} = a{number} + a{number};\n", number + 1))
        .collect();
    let text = format!(
        "kernel f(x: mut tensor<i32>[n], m: i32) grid(1) {{\nlet a0 = m;\n{doubled}assume(a40 < 5);\nassume(a3 < 5);\nstore(x[0], 1);\n}}"
    );
    let (_, files, _) = load(&[("f.tile", &text)]);
    let (kernel, problems) = elaborate_kernel(&files, "f", &BTreeMap::new());
    let kernel = kernel.unwrap_or_else(|| panic!("{problems:?}"));
    assert_eq!(kernel.promises.len(), 1);
}
