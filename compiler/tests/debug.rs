//! `print`, `assert` and inline PTX as a user of `tilec` meets them. Nothing here needs a GPU.

use std::fs;

use tempfile::TempDir;

mod support;

use support::Ended;

impl Ended {
    /// The lines that the kernel printed, in order of their text.
    fn printed(&self) -> Vec<&str> {
        let lines = self.stdout.lines();
        let mut lines: Vec<&str> = lines.filter(|line| line.contains(" (pid ")).collect();
        lines.sort_unstable();
        lines
    }

    #[track_caller]
    fn says(&self, text: &str) {
        assert!(
            self.stderr.contains(text),
            "{text:?} is not in:\n{}",
            self.stderr
        );
    }
}

/// Runs `tilec` in a folder with `source` as `a.tile`.
fn tilec(source: &str, arguments: &[&str]) -> Ended {
    let folder = TempDir::new().expect("a temporary folder");
    fs::write(folder.path().join("a.tile"), source).expect("written");
    support::tilec(folder.path(), arguments)
}

const DEVICES: [&str; 2] = ["interp", "sim"];

/// Prints on every device: the same lines, which are given back.
#[track_caller]
fn printed(source: &str, call: &[&str]) -> Vec<String> {
    let [first, second] = DEVICES.map(|device| {
        let mut arguments = vec!["run", "a.tile", "--device", device];
        arguments.extend(call);
        let ended = tilec(source, &arguments);
        assert_eq!(ended.code, Some(0), "{device}: {}", ended.stderr);
        let lines = ended.printed();
        lines.into_iter().map(str::to_owned).collect::<Vec<_>>()
    });
    assert_eq!(first, second, "the interpreter and the simulator");
    first
}

#[test]
fn a_line_per_element_and_one_per_program_for_scalars() {
    let source = "\
kernel f(x: tensor<i32>[n, 3], y: mut tensor<i32>[n, 3]) grid(2) {
    let p = program_id(0);
    let v = load(x[p +: 1, :]);
    print(\"100% of v\", v, p, arange(0, 3) * 2);
    print(\"n\", n, -0.25);
    print(\"here\");
    store(y[p +: 1, :], v);
}
";
    let lines = printed(source, &["x=arange(2,3)", "y=zeros(2,3)"]);
    let expected = [
        "100% of v (pid 0, 0, 0) [0, 0]: 0, 0, 0",
        "100% of v (pid 0, 0, 0) [0, 1]: 1, 0, 2",
        "100% of v (pid 0, 0, 0) [0, 2]: 2, 0, 4",
        "100% of v (pid 1, 0, 0) [0, 0]: 3, 1, 0",
        "100% of v (pid 1, 0, 0) [0, 1]: 4, 1, 2",
        "100% of v (pid 1, 0, 0) [0, 2]: 5, 1, 4",
        "here (pid 0, 0, 0)",
        "here (pid 1, 0, 0)",
        "n (pid 0, 0, 0): 2, -0.25",
        "n (pid 1, 0, 0): 2, -0.25",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn a_program_is_named_by_its_numbers_whichever_block_runs_it() {
    let source = "\
kernel f(a: tensor<f16>[m, k], b: tensor<f16>[k, n], c: mut tensor<f32>[m, n]) grid(cdiv(m, 64), cdiv(n, 64)) {
    let i = program_id(0) * 64;
    let j = program_id(1) * 64;
    let mut acc = zeros([64, 64], f32);
    for k0 in range(0, k, 64) {
        acc = dot(load(a[i +: 64, k0 +: 64]), load(b[k0 +: 64, j +: 64]), acc);
    }
    print(\"p\", program_id(0), program_id(1));
    store(c[i +: 64, j +: 64], acc);
}
";
    let call = ["a=randn(192,128)", "b=randn(128,128)", "c=zeros(192,128)"];
    let numbers = (0..3).flat_map(|x| (0..2).map(move |y| (x, y)));
    let expected: Vec<_> = numbers
        .map(|(x, y)| format!("p (pid {x}, {y}, 0): {x}, {y}"))
        .collect();
    for target in ["sm_90a", "sm_80"] {
        let on = ["--target", target, "--multiprocessors", "2"];
        let ended = tilec(
            source,
            &[&["run", "a.tile", "--device", "sim"], &call[..], &on[..]].concat(),
        );
        assert_eq!(ended.code, Some(0), "{target}: {}", ended.stderr);
        assert_eq!(ended.printed(), expected, "{target}");
    }
}

#[test]
fn every_type_is_printed_alike() {
    let source = "\
kernel f(x: tensor<f32>[n], y: mut tensor<f32>[n]) grid(1) {
    let v = load(x[0 +: 8]) * 70000.0;
    print(\"floats\", v, v as f64 / 3.0, v as f16, v as bf16, v as f8e4m3, v as f8e5m2);
    print(\"special\", v / 0.0, sqrt(v), -v * 0.0);
    print(\"signed\", v as i8, v as i16, v as i32, v as i64 * 1000000007);
    print(\"unsigned\", v as u8, v as u16, v as u32, v as u64 * 1000000007, v > 0.0);
    print(\"bits\", v, v as f64, v as f16, v as f8e5m2, v as i8, v as i16, v as u64, v > 0.0, hex = true);
    store(y[0 +: 8], v);
}
";
    let lines = printed(source, &["x=randn(8)", "y=zeros(8)"]);
    assert_eq!(lines.len(), 40);
    assert!(lines.iter().any(|line| line.contains("nan")), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("-inf")), "{lines:?}");
}

#[test]
fn padding_and_copies_are_not_printed() {
    let source = "\
kernel f(x: tensor<f32>[n, m], y: mut tensor<f32>[n]) grid(1) {
    let v = load(x[0 +: 5, 0 +: 7]);
    let s = sum(v, axis = 1);
    print(\"v\", v);
    print(\"s\", s);
    print(\"i\", arange(0, 3));
    store(y[0 +: 5], s);
}
";
    let lines = printed(source, &["x=randn(5,7)", "y=zeros(5)"]);
    let count = |label: &str| lines.iter().filter(|line| line.starts_with(label)).count();
    assert_eq!((count("v"), count("s"), count("i")), (35, 5, 3));
}

#[test]
fn prints_stay_where_they_are() {
    let source = "\
kernel f(n: i32, y: mut tensor<i32>[1]) grid(1) {
    let mut sum = 0;
    for i in range(0, n) {
        if i == 3 { break; }
        if i % 2 == 0 { print(\"even\", i, sum); }
        sum = sum + i;
    }
    print(\"end\", sum);
    store(y[0], sum);
}
";
    let ended = tilec(
        source,
        &["run", "a.tile", "n=9", "y=zeros(1)", "--device", "sim"],
    );
    let lines: Vec<&str> = ended.stdout.lines().take(3).collect();
    assert_eq!(
        lines,
        [
            "even (pid 0, 0, 0): 0, 0",
            "even (pid 0, 0, 0): 2, 1",
            "end (pid 0, 0, 0): 3"
        ]
    );
    let lines = printed(source, &["n=9", "y=zeros(1)"]);
    assert_eq!(lines.len(), 3);
    let released = tilec(source, &["build", "a.tile", "-o", "-"]);
    assert_eq!(released.code, Some(0), "{}", released.stderr);
    assert!(!released.stdout.contains("vprintf"));
    // The reference computes as well, but does not print.
    let checked = tilec(source, &["run", "a.tile", "n=9", "y=zeros(1)", "--check"]);
    assert_eq!(checked.code, Some(0), "{}", checked.stderr);
    assert_eq!(checked.printed(), lines);
}

const ASSERTS: &str = "\
kernel f(x: tensor<i32>[n], y: mut tensor<i32>[n]) grid(cdiv(n, 20)) {
    let i = program_id(0) * 20;
    let v = load(x[i +: 20], other = -1);
    assert(v < 50, \"small\");
    print(\"v\", v[0 +: 1]);
    store(y[i +: 20], v);
}
";

#[test]
fn an_assertion_that_fails_names_its_place() {
    for (device, says) in [
        (
            "interp",
            [
                "error[E1007]: assertion failed: small",
                "--> a.tile:4:5",
                "in program (2, 0, 0), for element [10] of the tile",
            ],
        ),
        (
            "sim",
            [
                "error[trap]: assertion failed: small (a.tile:4)",
                "--> a.tile:4:5",
                "program (2, 0, 0), thread ",
            ],
        ),
    ] {
        let call = ["run", "a.tile", "x=arange(60)", "y=zeros(60)", "--device"];
        let ended = tilec(ASSERTS, &[&call[..], &[device]].concat());
        assert_eq!(ended.code, Some(1));
        for text in says {
            ended.says(text);
        }
        // 50 does not fit; padding, which holds 0 or anything, is not asked.
        let call = ["run", "a.tile", "x=arange(45)", "y=zeros(45)", "--device"];
        let ended = tilec(ASSERTS, &[&call[..], &[device]].concat());
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    }
}

#[test]
fn a_build_leaves_debug_statements_out_unless_asked() {
    let ended = tilec(ASSERTS, &["build", "a.tile", "-o", "a.ptx"]);
    ended.says("in `f`, 1 `assert` and 1 `print` are left out: `--debug` keeps them");
    let remarks = tilec(ASSERTS, &["build", "a.tile", "--emit", "remarks"]);
    let said = "a.tile:4:5: release[R0901]: 1 `assert` and 1 `print` are left out";
    assert!(remarks.stdout.contains(said), "{}", remarks.stdout);
    let ptx = |options: &[&str]| {
        let ended = tilec(
            ASSERTS,
            &[&["build", "a.tile", "-o", "-"], options].concat(),
        );
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        let calls = ["vprintf", "__assertfail"];
        calls.map(|call| ended.stdout.contains(call))
    };
    assert_eq!(ptx(&[]), [false, false]);
    assert_eq!(ptx(&["--debug"]), [true, true]);
    let kept = tilec(ASSERTS, &["build", "a.tile", "--debug", "-o", "a.ptx"]);
    assert!(!kept.stderr.contains("left out"), "{}", kept.stderr);
}

#[test]
fn inline_ptx_without_effects_goes_where_nobody_uses_it() {
    let source = "\
kernel f(x: tensor<i32>[n], y: mut tensor<i32>[n]) grid(1) {
    let v = load(x[0 +: 32]);
    let unused = asm(\"popc.b32 $0, $1;\", v, type = i32);
    let kept = asm(\"clz.b32 $0, $1;\", v, type = i32, pure = false);
    store(y[0 +: 32], v);
}
";
    let ended = tilec(source, &["build", "a.tile", "-o", "-"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(!ended.stdout.contains("popc.b32"));
    assert!(ended.stdout.contains("clz.b32"));
}

#[test]
fn inline_ptx_that_goes_wrong_is_reported_at_its_place() {
    let source = "\
kernel f(x: tensor<i64>[n], y: mut tensor<i32>[n]) grid(1) {
    let v = load(x[0 +: 32]);
    store(y[0 +: 32], asm(\"ld.global.b32 $0, [$1];\", v, type = i32, pure = false));
}
";
    let call = ["run", "a.tile", "x=arange(32)", "y=zeros(32)", "--device"];
    let ended = tilec(source, &[&call[..], &["interp"]].concat());
    assert_eq!(ended.code, Some(1));
    ended.says("error[E1008]: inline PTX: ");
    ended.says("--> a.tile:3:");
    let ended = tilec(source, &[&call[..], &["sim"]].concat());
    assert_eq!(ended.code, Some(1));
    ended.says("--> a.tile:3:");
}
