//! What is said about wrong programs. One snapshot per family shows every text.

use super::errors;

/// Each program and what is said about it.
fn report(programs: &[&str]) -> String {
    let mut out = String::new();
    for program in programs {
        let said = errors(program);
        assert!(!said.is_empty(), "nothing is said about {program}");
        out.push_str(&format!("──── {program}\n{said}\n"));
    }
    out
}

/// Statements, each in a function of its own.
fn report_bodies(bodies: &[&str]) -> String {
    let programs: Vec<String> = bodies
        .iter()
        .map(|body| format!("fn f() {{ {body} }}"))
        .collect();
    report(&programs.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn characters() {
    insta::assert_snapshot!(report_bodies(&[
        "let a = 1 $ 2;",
        "let a = b ? c : d;",
        "let a = 'x';",
        "let a = 'x;",
        "let a = \u{201c}text\u{201d};",
        "let a = b × 2 − 1;",
        "let a = b ≤ c;",
        "let a\u{a0}= 1;",
        "let größe = 1;",
        "let a = \u{1}\u{2};",
        "# as in Python\n",
        "let a = x @ y;",
        "let a = ~x;",
    ]));
}

#[test]
fn literals() {
    insta::assert_snapshot!(report_bodies(&[
        "let a = 0x;",
        "let a = 0b12;",
        "let a = 12px;",
        "let a = 1i64;",
        "let a = 1.5f32;",
        "let a = 1.5f;",
        "let a = 1e999;",
        "let a = 007;",
        "let a = 340282366920938463463374607431768211456;",
        "let a = t.0x1;",
        "let a = \"\\q\";",
    ]));
    insta::assert_snapshot!(
        "strings_and_comments",
        report(&[
            "fn f() { print(\"abc); }",
            "/* never closed /* */\nfn f() {}",
            "fn f() {}\n/// Nothing follows.",
            "fn f() { /// Not an item.\n let x = 1; }",
            "fn f() {}\n//! Too late.",
        ])
    );
}

#[test]
fn operators_of_other_languages() {
    insta::assert_snapshot!(report_bodies(&[
        "let a = b ** 2;",
        "for i in 0..4 { }",
        "i++;",
        "let a = tl::load(p);",
        "let a = b === c;",
        "let a = b !== c;",
        "let a = b <> c;",
        "a := 1;",
        "let g = (x) => x;",
        "a &&= b;",
        "let a = b and c;",
        "let a = not b;",
        "if a { } elif b { }",
        "let a = lambda x: x;",
        "int n = 3;",
        "if a: return;",
        "let a = x[0:4];",
        "let a = b // 2;\n let c = 1;",
        "let a = +1;",
        "let a = *p;",
    ]));
}

#[test]
fn brackets() {
    insta::assert_snapshot!(report(&[
        "fn f() { let x = g(a, h(b); }",
        "fn f() { let x = [1, 2; let y = 3; }",
        "fn f() { g(a]; }",
        "fn f() { let x = [1, (2], 3]; }",
        "fn f() { g(a)); }",
        "fn f() {\n    for i in range(0, 3) {\n        x = 1;\n\n    y = 2;\n}\n\nfn g() {}",
        "fn f() {\n    x = 1;\n\nkernel g() {}",
        "fn f() { x = 1; ",
        "fn f() { x = 1; } }",
        "kernel f(a: ptr<f32> {\n    let x = 1;\n}",
        "fn f() { for i in range(0, n { let x = ; } }",
    ]));
}

#[test]
fn statements() {
    insta::assert_snapshot!(report_bodies(&[
        "let a = 1\n let b = 2;",
        "a = 1",
        "f(a)\n g(b);",
        "let a;",
        "let a: i32;",
        "let mut a = ;",
        "let = 3;",
        "let in = 3;",
        "let for = 3;",
        "let a = in + 1;",
        "if a = b { }",
        "while a = b { }",
        "let a = b = c;",
        "let a = b < c < d;",
        "let a = b == c < d;",
        "f(a b);",
        "f(a = 1, b);",
        "let a = b +;",
        "let a = b + ;\n let c = * d;\n let e = (1, 2;",
        "const N: i32 = 3;",
        "fn g() { }",
        "for i range(0, 3) { let a = ; }",
        "for in range(0, 3) { }",
        "else { }",
        "if a { } b; else { }",
        "; ;",
        "#[stages(3)] let a = 1;",
        "let a: ptr<f32>= b;",
        "let a: tile<f32> = b;",
        "let a = if b { 1 } else 2;",
    ]));
}

#[test]
fn items() {
    insta::assert_snapshot!(report(&[
        "let a = 1;",
        "def f(x): return x",
        "__global__ void f(float* x) { }",
        "pub fn f() {}",
        "struct S { }",
        "kernel f { }",
        "kernel (x: f32) { }",
        "kernel f(x) { }",
        "kernel f(x: f32, y f32) { let a = ; }",
        "kernel f(x: tensor<f32>) { }",
        "kernel f() grid(1) grid(2) { }",
        "kernel f() tune N in 3 { }",
        "kernel f<const N>() { }",
        "fn f(x: ) { }",
        "fn f(x) -> { }",
        "const N: i32;",
        "const N = 3\nfn f() { let = 1; }",
        "import \"a.tile\" { x y };",
        "import a { x };",
        "import \"a.tile\" { x }\nfn f() {}",
        "#[warps(8)]",
        "test { }",
        "kernel f(in: ptr<f32>) { store(in, 1); }",
        "fn",
    ]));
}

#[test]
fn nesting() {
    let deep = |open: &str, close: &str, count: usize| {
        errors(&format!(
            "fn f() {{ x = {}1{}; }}",
            open.repeat(count),
            close.repeat(count)
        ))
    };
    let cases = [
        deep("(", ")", 100_000),
        deep("- ", "", 100_000),
        deep("!", "", 100_000),
        deep("1 + ", "", 10_000),
        deep("|a| ", "", 1000),
        deep("", ".T", 1000),
        deep("", "(1)", 1000),
        deep("if ", "", 1000),
        deep("if a { b } else ", "", 1000),
        errors(&format!("fn f(x: {}f32) {{}}", "ptr<".repeat(1000))),
    ];
    for said in cases {
        assert!(said.contains("error[E0007]"), "{said}");
        assert!(said.len() < 3000, "{} bytes", said.len());
    }
    insta::assert_snapshot!(deep("(", ")", 201));
    insta::assert_snapshot!("chain", deep("1 + ", "", 501));
    assert_eq!(deep("(", ")", 150), "");
    assert_eq!(deep("1 + ", "", 450), "");
    // Long is not deep.
    assert_eq!(
        errors(&format!(
            "fn f() {{ {} }}",
            "if a { b } else { c }\n".repeat(3000)
        )),
        ""
    );
    assert_eq!(
        errors(&format!("fn f() {{ x = [{}]; }}", "1 + 1, ".repeat(3000))),
        ""
    );
}

#[test]
fn a_file_of_errors_ends() {
    let said = errors(&"fn f() { let = 1; }\n".repeat(300));
    assert_eq!(said.matches("error[E0008]").count(), 100);
    assert_eq!(said.matches("error[E0019]").count(), 1);
    let said = errors(&"$ a ".repeat(300));
    assert_eq!(said.matches("error[E0019]").count(), 1);
}

#[test]
fn one_mistake_one_message() {
    let program = "\
kernel k(x: ptr<f32>, y ptr<f32>) grid(1) {
    let a = ;
    let b = f(1, 2;
    for i {
        let c = 3
        d = 4;
    }
    if a { b = ) 3; } else { c(; }
    let e = $;
}

fn g(x) { x + }

fn h(x) { x }
";
    let (file, errors) = crate::syntax::parse(0, program);
    let lines: Vec<usize> = errors
        .iter()
        .filter_map(|error| error.position())
        .map(|span| program[..span.start as usize].matches('\n').count() + 1)
        .collect();
    assert_eq!(
        lines,
        [1, 2, 3, 4, 5, 8, 8, 9, 12],
        "{}",
        super::errors(program)
    );
    assert_eq!(file.items.len(), 2);
}
