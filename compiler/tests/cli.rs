//! `tilec` as a user meets it: exit codes, messages and files. Nothing here needs a GPU.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use tile_runtime::element::ElementType::{F16, F32, F64};
use tile_runtime::npy;
use tile_runtime::tensor::Tensor;

mod support;

use support::Ended;

const ADD: &str = "\
//! run: add x=randn(1000) y=randn(1000) z=zeros(1000)
kernel add<T: float = f32, const BLOCK: i32 = 256>(
    x: tensor<T>[n],
    y: tensor<T>[n],
    z: mut tensor<T>[n],
) grid(cdiv(n, BLOCK)) {
    let at = program_id(0) * BLOCK;
    store(z[at +: BLOCK], load(x[at +: BLOCK]) + load(y[at +: BLOCK]));
}
";

const TWO: &str = "\
kernel one<const BLOCK: i32 = 64>(x: mut ptr<f32>) grid(1) {
    store(x + arange(0, BLOCK), zeros([BLOCK], f32));
}
kernel two(x: mut ptr<f32>) grid(1) { store(x, 1.0); }
";

const WRONG: &str = "kernel f(x: mut ptr<f32>) { store(x, y); store(x, z); }\n";

/// A folder to run in.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    /// A folder with one file, `a.tile`.
    fn with(source: impl AsRef<[u8]>) -> Self {
        let place = Self::new();
        fs::write(place.path("a.tile"), source).expect("written");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The names of the files in it.
    fn files(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.0.path())
            .expect("a folder")
            .map(|entry| {
                let name = entry.expect("an entry").file_name();
                name.to_string_lossy().into_owned()
            })
            .collect();
        names.sort();
        names
    }

    fn tilec(&self, arguments: &[&str]) -> Ended {
        support::tilec(self.0.path(), arguments)
    }

    /// Expects that it fails with this code, prints no result, and says all of this.
    #[track_caller]
    fn fails(&self, arguments: &[&str], code: i32, says: &[&str]) {
        let ended = self.tilec(arguments);
        for text in says {
            assert!(
                ended.stderr.contains(text),
                "{text:?} is not in:\n{}",
                ended.stderr
            );
        }
        assert_eq!(ended.stdout, "");
        assert_eq!(ended.code, Some(code), "{}", ended.stderr);
        assert!(!ended.stderr.contains('\u{1b}'), "colours in a pipe");
    }

    /// Expects that it succeeds; gives what it printed.
    #[track_caller]
    fn succeeds(&self, arguments: &[&str]) -> String {
        let ended = self.tilec(arguments);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        ended.stdout
    }
}

#[test]
fn files_that_are_no_programs() {
    let place = Place::with("");
    fs::write(place.path("binary.tile"), b"kernel\n\xff").expect("written");
    fs::create_dir(place.path("folder")).expect("made");
    for command in ["build", "check", "run"] {
        let missing = "error[E0901]: `none.tile` does not exist";
        place.fails(&[command, "none.tile"], 2, &[missing]);
        let folder = "`folder` is a directory, not a file";
        place.fails(&[command, "folder"], 2, &[folder]);
        let binary = "`binary.tile` is not UTF-8: byte 7 (line 2) starts no character";
        place.fails(&[command, "binary.tile"], 1, &[binary]);
    }
    for command in ["build", "run"] {
        let empty = "error: `a.tile` has no kernels";
        place.fails(
            &[command, "a.tile"],
            1,
            &[empty, "help: a kernel begins like this"],
        );
    }
    place.succeeds(&["check", "a.tile"]);
}

#[test]
fn tensors_that_memory_cannot_hold_are_refused_before_it_is_full() {
    let place = Place::with("kernel a(y: mut tensor<f32>[n]) grid(1) { store(y[0], 1.0); }");
    for device in ["sim", "interp"] {
        let call = [
            "run",
            "a.tile",
            "y=zeros(1000000000000)",
            "--device",
            device,
        ];
        place.fails(&call, 2, &["more elements than memory can hold"]);
    }
}

#[test]
fn names_that_do_not_exist_come_with_the_nearest_that_does() {
    let place = Place::with(ADD);
    for (call, says) in [
        ("build a.tile --kernel adds", "did you mean `add`?"),
        (
            "build a.tile --target sm_90",
            "similar value exists: 'sm_90a'",
        ),
        (
            "build a.tile --emit layout",
            "similar value exists: 'layouts'",
        ),
        ("opt a.mlir --pass view", "similar value exists: 'views'"),
        (
            "opt a.mlir --pass view",
            "[possible values: counters, specialize, ",
        ),
        ("biuld a.tile", "similar subcommand exists: 'build'"),
        ("build a.tile -D BLOKC=64", "did you mean `-D BLOCK`?"),
        (
            "run a.tile --device rocm:0",
            "(such as `cuda:0`), `sim` or `interp`",
        ),
        ("run a.tile x=rnadn(4)", "did you mean `randn`?"),
        ("run a.tile xx=ones(4)", "has no parameter `xx`"),
    ] {
        let words: Vec<&str> = call.split(' ').collect();
        place.fails(&words, 2, &[says]);
    }
}

#[test]
fn definitions_that_do_not_fit() {
    let place = Place::with(ADD);
    for (define, says) in [
        ("BLOCK", "write NAME=VALUE"),
        ("BLOCK=many", "`many` is no `i32`"),
        ("T=i32", "`i32` is not of the class `float`"),
    ] {
        place.fails(&["build", "a.tile", "-D", define], 2, &[says]);
    }
    let two = Place::with(TWO);
    two.fails(
        &["build", "a.tile", "-D", "BLOKC=64"],
        2,
        &["kernels in `a.tile`", "did you mean `-D BLOCK`?"],
    );
    // For the kernel that has it; the other one does without.
    two.succeeds(&["build", "a.tile", "-D", "BLOCK=128"]);
    let needs = Place::with("kernel f<const N: i32>(x: mut ptr<f32>) grid(N) { store(x, 1.0); }\n");
    needs.fails(
        &["build", "a.tile"],
        2,
        &["the const `N` has no value", "`-D N=64`"],
    );
}

#[test]
fn several_kernels_need_a_name_to_run() {
    let place = Place::with(TWO);
    place.fails(
        &["run", "a.tile", "x=zeros(64)"],
        2,
        &[
            "several kernels: `one` and `two`",
            "name one: `--kernel one`",
        ],
    );
    place.succeeds(&["run", "a.tile", "x=zeros(64)", "--kernel", "two"]);
}

#[test]
fn arguments_that_do_not_fit() {
    let place = Place::with(ADD);
    place.fails(
        &["run", "a.tile", "x=randn(8)"],
        2,
        &[
            "kernel `add` also needs `y: tensor<f32>[n]` and `z: mut tensor<f32>[n]`",
            "for example: tilec run a.tile 'x=randn(256)' 'y=randn(256)' 'z=zeros(256)'",
        ],
    );
    place.fails(
        &["run", "a.tile", "x=randn(8)", "y=randn(9)", "z=zeros(8)"],
        2,
        &["`n` is 8 as size 0 of `x`"],
    );
    let doubles = Tensor::zeros(F64, &[8]).expect("small");
    npy::write(place.path("x.npy"), &doubles).expect("written");
    let singles = Tensor::zeros(F32, &[8]).expect("small");
    npy::write(place.path("y.npy"), &singles).expect("written");
    place.fails(
        &["run", "a.tile", "x=@x.npy", "y=@y.npy", "z=zeros(8)"],
        2,
        &["y.npy: holds elements of dtype '<f4', but f64 is expected"],
    );
}

#[test]
fn the_elements_of_a_file_bind_a_generic() {
    let place = Place::with(
        "kernel double<T: float = f32>(x: tensor<T>[n], y: mut tensor<T>[n]) grid(1) {\n    \
         store(y[0 +: 8], load(x[0 +: 8]) * 2.0);\n}\n",
    );
    let halves = Tensor::arange(F16, &[8], 0, 1).expect("small");
    npy::write(place.path("x.npy"), &halves).expect("written");
    let call = ["run", "a.tile", "x=@x.npy", "y=zeros(8)"];
    assert!(place.succeeds(&call).contains("f16[8]"));
    place.fails(
        &[&call[..], &["-D", "T=f64"]].concat(),
        2,
        &["x.npy: holds elements of dtype '<f2', but f64 is expected"],
    );
}

#[test]
fn a_wrong_program_shows_all_its_mistakes_and_writes_nothing() {
    let place = Place::with(WRONG);
    place.fails(
        &["check", "a.tile"],
        1,
        &[
            "no `y` is known here",
            "no `z` is known here",
            "--> a.tile:1:38",
        ],
    );
    place.fails(&["build", "a.tile", "-o", "out.ptx"], 1, &["error[E0101]"]);
    place.fails(&["run", "a.tile", "x=zeros(8)"], 1, &["error[E0101]"]);
    assert_eq!(place.files(), ["a.tile"]);
    place.fails(
        &["check", "a.tile", "none.tile"],
        1,
        &["error[E0101]", "error[E0901]", "2 of 2 files failed"],
    );
}

#[test]
fn an_old_result_survives_an_error() {
    let place = Place::with(WRONG);
    fs::write(place.path("a.ptx"), "old").expect("written");
    place.fails(&["build", "a.tile"], 1, &[]);
    let kept = fs::read_to_string(place.path("a.ptx")).expect("still there");
    assert_eq!(kept, "old");
    place.fails(
        &["build", "a.tile", "-o", "a.tile"],
        2,
        &["`a.tile` is an input of this command"],
    );
    let good = Place::with(ADD);
    good.fails(
        &["build", "a.tile", "-o", "none/a.ptx"],
        2,
        &["cannot write `none/a.ptx`: No such file or directory"],
    );
    assert_eq!(good.files(), ["a.tile"]);
}

#[test]
fn problems_as_json_are_one_object_per_line() {
    let problems = |place: &Place, call: &[&str]| -> (Option<i32>, Vec<serde_json::Value>) {
        let ended = place.tilec(call);
        let parse = |line| serde_json::from_str(line).expect("an object");
        (ended.code, ended.stderr.lines().map(parse).collect())
    };
    let keys = |problem: &serde_json::Value| -> Vec<String> {
        let object = problem.as_object().expect("an object");
        let mut keys: Vec<String> = object.keys().cloned().collect();
        keys.sort();
        keys
    };
    let place = Place::with(WRONG);
    let (code, of_program) = problems(&place, &["build", "a.tile", "--message-format", "json"]);
    assert_eq!((code, of_program.len()), (Some(1), 2));
    assert_eq!(of_program[0]["code"], "E0101");
    assert_eq!(of_program[0]["line"], 1);
    // Problems of the call have the same keys.
    for call in [
        &["build", "none.tile", "--message-format=json"][..],
        &[
            "--message-format=json",
            "build",
            "a.tile",
            "--target",
            "sm_1",
        ],
        &["run", "a.tile", "--message-format", "json", "--nonsense"],
        &["--message-format=json"],
    ] {
        let (code, of_call) = problems(&place, call);
        assert_eq!((code, of_call.len()), (Some(2), 1), "{call:?}");
        assert_eq!(of_call[0]["severity"], "error");
        assert_eq!(keys(&of_call[0]), keys(&of_program[0]), "{call:?}");
    }
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let place = Place::with(ADD);
    place.succeeds(&["build", "a.tile"]);
    place.succeeds(&["build", "a.tile", "-o", "b.ptx"]);
    let read = |name: &str| fs::read_to_string(place.path(name)).expect("written");
    let ptx = read("a.ptx");
    assert_eq!(ptx, read("b.ptx"));
    assert_eq!(ptx, place.succeeds(&["build", "a.tile", "-o", "-"]));
    assert_eq!(ptx, place.succeeds(&["build", "a.tile", "--emit", "ptx"]));
    assert!(ptx.starts_with("//tile: {"), "{ptx}");
    assert!(ptx.contains(".entry add("), "{ptx}");
    assert_eq!(place.files(), ["a.ptx", "a.tile", "b.ptx"]);
}

#[test]
fn every_stage_can_be_shown() {
    let place = Place::with(ADD);
    let table = place.succeeds(&["passes"]);
    let stages: Vec<&str> = table
        .lines()
        .map_while(|line| line.split_whitespace().next())
        .collect();
    assert!(stages.contains(&"tile") && stages.contains(&"to-llvm"));
    // Machine code needs NVIDIA's assembler, which is not everywhere.
    let everywhere = |stage: &&&str| !["cubin", "sass"].contains(*stage);
    for stage in stages.iter().filter(everywhere) {
        let text = place.succeeds(&["build", "a.tile", "--emit", stage]);
        assert!(!text.is_empty(), "{stage}");
    }
    let typed = place.succeeds(&["build", "a.tile", "--emit", "typed"]);
    assert!(typed.starts_with("kernel add<BLOCK = 256, T = f32>"));
    assert_eq!(place.files(), ["a.tile"]);
}

#[test]
fn a_schedule_is_shown_to_people_and_to_machines() {
    let place = Place::with(ADD);
    let none = place.succeeds(&["build", "a.tile", "--emit", "schedule"]);
    assert!(none.starts_with("no loop of `add` has copies"), "{none}");
    let attention =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../lang-examples/06_attention.tile");
    fs::copy(attention, place.path("a.tile")).expect("an example");
    let wide = [
        "build", "a.tile", "--emit", "schedule", "-D", "BM=128", "-D", "BN=128",
    ];
    let text = place.succeeds(&wide);
    assert!(text.contains("start 2    tile.dot at 47:22"), "{text}");
    let json = place.succeeds(&[&wide[..], &["--message-format", "json"]].concat());
    let object: serde_json::Value = serde_json::from_str(&json).expect("an object");
    assert_eq!(object["nodes"][2]["operation"], "tile.dot");
    assert_eq!(object["nodes"][2]["asynchronous"], true);
    assert!(object["schedule"]["epilogue"].is_array());
}

#[test]
fn passes_run_on_text() {
    let place = Place::with(ADD);
    let tile = place.succeeds(&["build", "a.tile", "--emit", "tile"]);
    fs::write(place.path("a.mlir"), &tile).expect("written");
    assert_eq!(place.succeeds(&["opt", "a.mlir"]), tile);
    let views = place.succeeds(&["opt", "a.mlir", "--pass", "simplify,views"]);
    assert!(views.contains("tile.pointer_offset"), "{views}");
    fs::write(place.path("b.mlir"), "module {\n  oops\n}\n").expect("written");
    place.fails(&["opt", "b.mlir"], 1, &["b.mlir:2:"]);
}

#[test]
fn the_simulator_runs_what_the_file_says() {
    let place = Place::with(ADD);
    let report = place.succeeds(&["run", "a.tile"]);
    for line in [
        "simulator (no ",
        "checks on",
        "kernel  add",
        "grid  4 × 1 × 1 = 4 programs",
        "z  f32[1000]",
        "time  simulated in ",
    ] {
        assert!(report.contains(line), "{line:?} is not in:\n{report}");
    }
    assert!(!report.contains('\u{1b}'), "colours in a pipe");
    let report = place.succeeds(&["run", "a.tile", "--no-checks"]);
    assert!(report.contains("checks off"), "{report}");
}

#[test]
fn what_would_do_nothing_is_refused() {
    let place = Place::with(
        "kernel f(x: mut ptr<f32>, n: i32) grid(1) { store(x + arange(0, 8), zeros([8], f32), mask = arange(0, 8) < n); }\n",
    );
    let run = |more: &[&str], says: &str| {
        place.fails(
            &[&["run", "a.tile", "x=zeros(8)", "n=8"], more].concat(),
            2,
            &[says],
        );
    };
    run(&["--save", "n=n.npy"], "`--save n=…`: `n` is a number");
    run(&["--expect", "n=n.npy"], "`--expect n=…`: `n` is a number");
    run(
        &["--time", "3"],
        "`--time` needs a GPU: the time of the simulator",
    );
    run(
        &["--time", "3", "--device", "interp"],
        "the time of the interpreter",
    );
    for wrong in ["nan", "inf", "-1", "x"] {
        run(&[&format!("--tolerance={wrong}")], "invalid value");
    }
    assert_eq!(place.files(), ["a.tile"]);
}

#[test]
fn no_output_is_an_input_and_none_is_written_twice() {
    let place = Place::with(
        "import \"b.tile\" { twice };\nkernel f(x: mut ptr<f32>, y: mut ptr<f32>) grid(1) { store(x, twice(1.0)); store(y, 2.0); }\n",
    );
    fs::write(place.path("b.tile"), "fn twice(x) { x * 2.0 }\n").expect("written");
    fs::hard_link(place.path("b.tile"), place.path("hard")).expect("linked");
    let read = || ["a.tile", "b.tile"].map(|name| fs::read(place.path(name)).expect("read"));
    let before = read();
    for name in ["a.tile", "b.tile", "hard", "./b.tile"] {
        let says = format!("`{name}` is an input of this command");
        place.fails(&["build", "a.tile", "-o", name], 2, &[&says]);
        let save = format!("x={name}");
        let call = ["run", "a.tile", "x=zeros(1)", "y=zeros(1)", "--save", &save];
        place.fails(&call, 2, &[&says]);
        place.fails(&[&call[..], &["--device", "interp"]].concat(), 2, &[&says]);
    }
    let call = [
        "run",
        "a.tile",
        "x=zeros(1)",
        "y=zeros(1)",
        "--save",
        "x=z.npy",
        "--save",
        "y=./z.npy",
    ];
    place.fails(&call, 2, &["`z.npy` and `./z.npy` are one file"]);
    assert_eq!(read(), before);
    place.succeeds(&[
        "run",
        "a.tile",
        "x=zeros(1)",
        "y=zeros(1)",
        "--save",
        "x=/dev/null",
        "--save",
        "y=/dev/null",
    ]);
    assert!(!fs::metadata("/dev/null").expect("there").is_file());
}

#[test]
fn a_full_disk_is_told_and_pipes_are_no_programs() {
    let place = Place::with(ADD);
    place.fails(
        &["build", "a.tile", "-o", "/dev/full"],
        2,
        &["cannot write `/dev/full`: No space left"],
    );
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .expect("it is there");
    let ended = std::process::Command::new(env!("CARGO_BIN_EXE_tilec"))
        .args(["build", "a.tile", "-o", "-"])
        .current_dir(place.0.path())
        .stdout(full)
        .output()
        .expect("tilec runs");
    let stderr = String::from_utf8_lossy(&ended.stderr);
    assert!(
        stderr.contains("the result cannot be written: No space left"),
        "{stderr}"
    );
    assert_eq!(ended.status.code(), Some(1));
    let made = std::process::Command::new("mkfifo")
        .arg(place.path("pipe.tile"))
        .status();
    assert!(made.expect("mkfifo runs").success());
    for file in ["pipe.tile", "/dev/zero"] {
        place.fails(&["check", file], 2, &["it is a pipe or a device"]);
    }
}

#[test]
fn the_interpreter_runs_it_too() {
    let place = Place::with(ADD);
    let options = ["-D", "T=bf16", "-D", "BLOCK=512", "--device", "interp"];
    let report = place.succeeds(&[&["run", "a.tile"], &options[..]].concat());
    assert!(report.starts_with("   device  interpreter\n"), "{report}");
    assert!(report.contains("z  bf16[1000]"), "{report}");
    assert!(report.contains("= 2 programs"), "{report}");
    assert!(
        report.contains("ms in the interpreter, on the CPU"),
        "{report}"
    );
    place.fails(
        &["run", "a.tile", "--device", "interp", "--profile"],
        2,
        &[
            "`--profile` is an option of the simulator",
            "`--device sim`",
        ],
    );
    place.fails(
        &["run", "a.tile", "--device", "interp", "--check"],
        2,
        &["`--check` compares with the interpreter"],
    );
}

#[test]
fn what_cannot_be_compiled_is_interpreted_unless_a_device_was_chosen() {
    // Beyond the registers of any target.
    let place = Place::with(ADD.replace("BLOCK: i32 = 256", "BLOCK: i32 = 1048576"));
    let ended = place.tilec(&["run", "a.tile"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(
        ended.stderr.starts_with("warning[E0801]"),
        "{}",
        ended.stderr
    );
    assert!(
        ended.stdout.contains("interpreter (no "),
        "{}",
        ended.stdout
    );
    place.fails(&["run", "a.tile", "--device", "sim"], 1, &["error[E0801]"]);
    place.fails(&["run", "a.tile", "--check"], 1, &["error[E0801]"]);
}

#[test]
fn compiled_code_is_checked_against_the_reference() {
    let place = Place::with(ADD);
    let report = place.succeeds(&["run", "a.tile", "--check"]);
    assert!(report.contains("device  simulator, "), "{report}");
    assert!(report.contains("as expected, bit for bit"), "{report}");
    // The compiled `exp` is not the correctly rounded one.
    let place = Place::with(ADD.replace("load(x[at +: BLOCK]) +", "exp(load(x[at +: BLOCK])) +"));
    let report = place.succeeds(&["run", "a.tile", "--check", "--message-format=json"]);
    let report: serde_json::Value = serde_json::from_str(&report).expect("an object");
    let comparison = &report["outputs"][0]["comparison"];
    assert_eq!(
        (&comparison["elements"], &comparison["wrong"]),
        (&1000.into(), &0.into())
    );
    assert!(report["simulated_ms"].is_number() && report["interpreter_ms"].is_null());
    let ended = place.tilec(&["run", "a.tile", "--check", "--tolerance", "0"]);
    assert_eq!(ended.code, Some(1));
    for text in [
        "error[mismatch]: ",
        " of 1000 elements of `z` differ from what is expected by ",
        " of the largest in their row, where 0.0e0 is allowed",
        " --> a.tile:8:5",
        "8 |     store(z[at +: BLOCK], exp(load(x[at +: BLOCK])) + load(y[at +: BLOCK]));",
        "unit in the last place apart",
        "note: stored by program (0, 0, 0), thread ",
        "note: in the reference it is stored as element [",
        "of the tile by program (0, 0, 0) at a.tile:8:5",
    ] {
        assert!(
            ended.stderr.contains(text),
            "{text:?} is not in:\n{}",
            ended.stderr
        );
    }
    assert!(
        ended.stdout.contains(" of 1000 wrong, error "),
        "{}",
        ended.stdout
    );
}

/// What fails on a GPU where the tolerance is a constant, seen without one.
#[test]
fn a_simulated_gpu_errs_as_far_as_one_does() {
    let place = Place::with(ADD.replace(
        "load(x[at +: BLOCK]) +",
        "sin(50.0 * fast.exp2(load(x[at +: BLOCK]))) +",
    ));
    let call = ["run", "a.tile", "--check", "--device=sim"];
    let errs = ["--gpu-errors", "--tolerance=5e-7"];
    place.succeeds(&[&call[..], &errs[1..]].concat());
    let ended = place.tilec(&[&call[..], &errs].concat());
    assert_eq!(ended.code, Some(1), "{}", ended.stdout);
    let report = place.succeeds(&[&call[..], &errs[..1]].concat());
    assert!(report.contains("as expected: "), "{report}");
}

#[test]
fn a_profile_goes_by_source_line() {
    let place = Place::with(ADD);
    let table = place.succeeds(&["run", "a.tile", "--device", "sim", "--profile"]);
    for text in [
        "global memory",
        "store(z[at +: BLOCK], load(x",
        "100 % of the sectors are needed",
    ] {
        assert!(table.contains(text), "{text:?} is not in:\n{table}");
    }
    let ended = place.tilec(&["run", "a.tile", "--device", "sim", "--profile=json"]);
    let profile: serde_json::Value = serde_json::from_str(&ended.stdout).expect("one object");
    // 1000 elements of 4 bytes are 125 sectors; nothing is read twice.
    let total = &profile["total"];
    assert_eq!(total["loads"]["least_bytes"], 2 * 125 * 32);
    assert_eq!(total["loads"]["moved_bytes"], 2 * 125 * 32);
    assert_eq!(total["stores"]["sectors"], 125);
    assert!(
        ended.stderr.contains("kernel  add"),
        "the report is not lost"
    );
}

#[test]
fn results_are_saved() {
    let place = Place::with(ADD);
    let arguments = ["x=arange(100)", "y=ones(100)", "z=zeros(100)"];
    place.succeeds(&[&["run", "a.tile", "--save", "z=z.npy"], &arguments[..]].concat());
    let saved = npy::read_as(place.path("z.npy"), F32).expect("a tensor");
    let expected: Vec<f64> = (1..=100).map(f64::from).collect();
    assert_eq!(saved.to_f64(), expected);
}

#[test]
fn a_report_for_machines() {
    let place = Place::with(ADD);
    let report = place.succeeds(&["run", "a.tile", "--message-format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&report).expect("an object");
    assert_eq!(report["kernel"], "add");
    assert_eq!(report["grid"], serde_json::json!([4, 1, 1]));
    assert_eq!(report["outputs"][0]["shape"], serde_json::json!([1000]));
}

#[test]
fn a_kernel_that_goes_out_of_bounds_is_told_where() {
    let place = Place::with(
        "kernel f(x: mut ptr<f32>) grid(1) {\n    store(x + arange(0, 64), zeros([64], f32));\n}\n",
    );
    place.fails(
        &["run", "a.tile", "x=zeros(60)", "--device", "interp"],
        1,
        &["error[E1001]", "element 60 of `x`", "a.tile:2:5"],
    );
    place.fails(
        &["run", "a.tile", "x=zeros(60)"],
        1,
        &[
            "error[out-of-bounds]: element 60 of `x`, which has 60 elements, is written: 8 bytes of global \
             memory at 0x1000000f0\n --> a.tile:2:5\n",
            "2 |     store(x + arange(0, 64), zeros([64], f32));\n",
            "^^^^^ program (0, 0, 0), thread 30: warp 0 lane 30\n",
            "= note: PTX line ",
        ],
    );
    let ended = place.tilec(&["run", "a.tile", "x=zeros(60)", "--message-format=json"]);
    let problem: serde_json::Value = serde_json::from_str(&ended.stderr).expect("an object");
    assert_eq!(
        (&problem["code"], &problem["line"]),
        (&"out-of-bounds".into(), &2.into())
    );
    assert_eq!(problem["labels"][0]["end_column"], 47);
    assert_eq!(problem["finding"]["thread"]["linear"], 30);
    assert_eq!(problem["finding"]["site"]["file"], "a.tile");
}

#[test]
fn a_header_that_is_no_call() {
    let place = Place::with(
        "//! run: f x=rnadn(3)\nkernel f(x: mut ptr<f32>) grid(1) { store(x, 1.0); }\n",
    );
    place.fails(
        &["run", "a.tile"],
        1,
        &["error[E0017]", "did you mean `randn`?", "a.tile:1:1"],
    );
    // The kernel is as good as ever.
    place.succeeds(&["build", "a.tile"]);
    place.succeeds(&["run", "a.tile", "x=zeros(1)"]);
}

#[test]
fn ten_megabytes_are_read() {
    let comment = format!("// {}\n", "x".repeat(10_000_000));
    Place::with(format!("{comment}{ADD}")).succeeds(&["check", "a.tile"]);
    let garbage = "@ # kernel ) x ".repeat(700_000);
    let ended = Place::with(garbage).tilec(&["check", "a.tile"]);
    assert_eq!(ended.code, Some(1));
    let length = ended.stderr.len();
    assert!(length < 1_000_000, "too much to read: {length} bytes");
}

#[test]
fn deep_nesting_is_no_crash() {
    for (open, close) in [("(", ")"), ("-", ""), ("if true { ", " } else { 1 }")] {
        for depth in [100, 10_000] {
            let deep = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            let place = Place::with(format!(
                "kernel f(x: mut ptr<i32>) grid(1) {{ store(x, {deep}); }}\n"
            ));
            for call in [
                &["check", "a.tile"][..],
                &["build", "a.tile"],
                &["run", "a.tile", "x=zeros(1)"],
            ] {
                let Ended { code, stderr, .. } = place.tilec(call);
                let fine = matches!(code, Some(0 | 1));
                assert!(fine, "{depth} of {open}: {code:?} {stderr}");
            }
        }
    }
}

#[test]
fn help_is_printed_when_asked_for() {
    let place = Place::new();
    assert_eq!(place.succeeds(&[]), place.succeeds(&["-h"]));
    for command in ["build", "check", "run", "opt"] {
        let help = place.succeeds(&[command, "--help"]);
        assert!(help.contains("Examples:"), "{command}");
    }
    assert!(place.succeeds(&["targets"]).contains("sm_90a"));
    let colored = place.succeeds(&["--color=always", "--help"]);
    assert!(colored.contains('\u{1b}'), "{colored}");
}

#[test]
fn codes_are_explained() {
    let place = Place::with(WRONG);
    let page = place.succeeds(&["--explain", "E0601"]);
    assert!(page.starts_with("# E0601: condition is a tile\n"), "{page}");
    assert_eq!(place.succeeds(&["--explain", "601"]), page);
    let list = place.succeeds(&["--explain"]);
    assert!(list.contains("E0601  condition is a tile\n"), "{list}");
    assert!(list.contains("R0501  loads that run ahead\n"), "{list}");
    let nearest = ["no error or remark has the code `E0610`", "help: E0608: "];
    place.fails(&["--explain", "E0610"], 2, &nearest);
    let page = place.succeeds(&["--explain", "R0501"]);
    assert!(
        page.starts_with("# R0501: loads that run ahead\n"),
        "{page}"
    );

    let told = place.tilec(&["check", "a.tile"]).stderr;
    let last = told.lines().last().unwrap_or_default();
    assert_eq!(last, "for more: `tilec --explain E0101`");
    assert_eq!(told.matches("--explain").count(), 1, "{told}");

    place.fails(&["--color", "never"], 2, &["what to do is missing"]);
}

#[test]
fn the_examples_do_what_their_headers_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lang-examples");
    let place = Place::new();
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .expect("examples")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "tile"))
        .collect();
    paths.sort();
    assert!(paths.len() >= 3);
    for path in paths {
        let path = path.to_str().expect("a plain name");
        place.succeeds(&["check", path]);
        place.succeeds(&["build", path]);
        let report = place.succeeds(&["run", path]);
        assert!(report.contains("mean"), "{report}");
        assert!(!report.contains("NaN"), "{report}");
    }
}

/// Of LLVM's code generators the compiler has one: the others would double its size.
#[test]
fn the_compiler_holds_no_code_generator_for_other_machines() {
    let binary = std::fs::read(env!("CARGO_BIN_EXE_tilec")).expect("it was built");
    let holds = |text: &str| memchr::memmem::find(&binary, text.as_bytes()).is_some();
    // What LLVM's targets say of themselves.
    assert!(holds("NVIDIA PTX 64-bit"));
    for other in [
        "64-bit X86: EM64T and AMD64",
        "AMD GCN GPUs",
        "AArch64 (little endian)",
        "64-bit RISC-V",
        "SPIR-V 64-bit",
    ] {
        assert!(!holds(other), "{other}");
    }
}

/// What hosts that compile on first use read.
#[test]
fn signatures_say_what_kernels_are_called_with() {
    let place = Place::with(ADD);
    let ended = place.tilec(&["build", "a.tile", "--emit", "signatures"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let read: serde_json::Value = serde_json::from_str(&ended.stdout).expect("JSON");
    let add = &read["kernels"][0];
    assert_eq!(add["name"], "add");
    assert_eq!(add["line"], 2);
    assert_eq!(
        add["generics"][0],
        serde_json::json!({"name": "T", "kind": "type", "of": "float", "default": "f32"})
    );
    assert_eq!(
        add["parameters"][2],
        serde_json::json!({
            "name": "z", "kind": "tensor", "element": "T", "mutable": true, "sizes": ["n"], "text": "mut tensor<T>[n]",
        })
    );
    let sources = read["sources"].as_array().expect("a list");
    assert_eq!(sources.len(), 1);
}

/// Passes rely on what those before them make, which text need not have.
#[test]
fn a_pass_refuses_what_it_cannot_take() {
    let place = Place::new();
    let text = "func.func @f(%x: !tile.ptr<f32>) {\n  %at = \"tile.arange\"() {lo = 0 : i64} : () -> tensor<8xi32>\n  \
                %p = \"tile.splat\"(%x) : (!tile.ptr<f32>) -> tensor<8x!tile.ptr<f32>>\n  \
                %q = \"tile.pointer_offset\"(%p, %at) : (tensor<8x!tile.ptr<f32>>, tensor<8xi32>) -> tensor<8x!tile.ptr<f32>>\n  \
                %a = \"tile.load\"(%q) {cache = \"\", evict = \"\", operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>} : \
                (tensor<8x!tile.ptr<f32>>) -> tensor<8xf32>\n  func.return\n}\n";
    fs::write(place.path("a.mlir"), text).expect("written");
    for pass in ["barriers", "to-llvm"] {
        let cannot = format!("the pass `{pass}` cannot take this");
        place.fails(
            &["opt", "--pass", pass, "a.mlir"],
            1,
            &["a.mlir", &cannot, "has no layout"],
        );
    }
}

/// Of address space the compiler takes what it needs, and says what is missing.
#[cfg(target_os = "linux")]
#[test]
fn little_address_space_is_enough_or_is_said() {
    let place = Place::with(ADD);
    let limited = |kilobytes: u32| {
        let command = format!("ulimit -v {kilobytes}; exec \"$0\" check a.tile");
        let output = std::process::Command::new("sh")
            .args(["-c", &command, env!("CARGO_BIN_EXE_tilec")])
            .current_dir(place.path(""))
            .output()
            .expect("a shell");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), said)
    };
    let (code, said) = limited(2_000_000);
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = limited(600_000);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("no thread with a stack of 512 MiB"), "{said}");
}

/// Every program waits for the last one.
const WAITS: &str = "\
kernel waits(flags: mut tensor<i32>[1], y: mut tensor<f32>[n]) grid(n) {
    let i = program_id(0);
    if i == num_programs(0) - 1 { atomic_xchg(flags[0], 1); }
    let mut seen = 0;
    while seen == 0 { seen = atomic_add(flags[0], 0); }
    store(y[i], 1.0);
}
";

#[test]
fn programs_that_wait_for_one_that_cannot_start() {
    let place = Place::with(WAITS);
    let call = ["run", "a.tile", "flags=zeros(1)", "--multiprocessors", "1"];
    let held = [&call[..], &["y=zeros(32)"]].concat();
    assert_eq!(place.tilec(&held).code, Some(0));
    let too_many = [&call[..], &["y=zeros(33)"]].concat();
    let says = "error[not-resident]: the 32 programs that the device holds at once wait for others, and program (32, 0, 0) cannot \
                start";
    place.fails(&too_many, 1, &[says]);
}

/// A program that adds zeros changes nothing, and asks for nothing: it waits for no other.
#[test]
fn programs_that_add_nothing_do_not_wait() {
    let place = Place::with(
        "kernel adds_nothing(y: mut tensor<f32>[4096]) grid(200) {
    for i in range(0, 4) { atomic_add(y[0 +: 4096], zeros([4096], f32)); }
}
",
    );
    let call = ["run", "a.tile", "y=zeros(4096)", "--multiprocessors", "1"];
    assert_eq!(place.tilec(&call).code, Some(0));
}

#[test]
fn delays_find_a_wait_that_is_missing() {
    // The second program is right if the first has come to its end.
    let place = Place::with(
        "kernel hopes(flag: mut tensor<i32>[1], y: mut tensor<i32>[2]) grid(2) {
    let i = program_id(0);
    if i == 0 { atomic_xchg(flag[0], 7); }
    store(y[i], atomic_add(flag[0], 0));
}
",
    );
    let call = ["run", "a.tile", "flag=zeros(1)", "y=zeros(2)", "--check"];
    assert_eq!(place.tilec(&call).code, Some(0));
    let wrong = (0..8).filter(|seed| {
        let seed = seed.to_string();
        let delayed = [&call[..], &["--delays", &seed]].concat();
        place.tilec(&delayed).code == Some(1)
    });
    let count = wrong.count();
    assert!((1..8).contains(&count), "{count} of 8");
}

/// Programs of a kind that took time or memory without an end.
#[test]
fn what_doubles_or_repeats_ends() {
    let mut loops = String::from("let mut a = load(x[0]);\n");
    for depth in 0..24 {
        loops += &format!("while a < {} {{ a += 1;\n", depth + 10);
    }
    loops += &"}".repeat(24);
    let kernel = |body: &str| {
        format!("kernel f(x: mut tensor<i32>[1]) grid(1) {{\n{body}\nstore(x[0], 1);\n}}\n")
    };
    let place = Place::with(kernel(&loops));
    assert_eq!(place.tilec(&["build", "a.tile"]).code, Some(0));

    let mut tuples = String::from("let x0 = load(x[0]);\n");
    for number in 0..30 {
        tuples += &format!("let x{} = (x{number}, x{number});\n", number + 1);
    }
    let place = Place::with(kernel(&tuples));
    let says = "error[E0406]: this tuple has more than 4096 values";
    place.fails(&["check", "a.tile"], 1, &[says]);

    let parameters: Vec<String> = (0..9000).map(|number| format!("p{number}: i32")).collect();
    let place = Place::with(format!(
        "kernel f({}, x: mut tensor<i32>[1]) grid(1) {{ store(x[0], p0); }}\n",
        parameters.join(", ")
    ));
    let says = "error[E0801]: the parameters of this kernel need more than the 32764 bytes";
    place.fails(&["check", "a.tile"], 1, &[says]);

    let place = Place::with("fn f() { 1 }\n".repeat(1000));
    place.fails(
        &["check", "a.tile"],
        1,
        &["879 more problems are not shown"],
    );
}
