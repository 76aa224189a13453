//! `tilec tune`, and what other commands do with what it recorded. Nothing here needs a GPU.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use tempfile::TempDir;

mod support;

use support::Ended;

/// 12 configurations, of which those of `SCALE = 3` are wrong and those of 4096 elements are refused.
const SCALED: &str = "\
//! run: scaled x=randn(1000) y=zeros(1000)
kernel scaled<T: float = f32, const BLOCK: i32, const SCALE: i32>(x: tensor<T>[n], y: mut tensor<T>[n])
grid(cdiv(n, BLOCK))
tune BLOCK in [256, 128, 4096]
tune SCALE in [2, 3] {
    static_assert(BLOCK < 4096, \"too large\");
    let at = program_id(0) * BLOCK;
    store(y[at +: BLOCK], load(x[at +: BLOCK]) * (SCALE as T));
}
";

/// Values are right for all sizes.
const COPY: &str = "\
//! run: copy x=randn(1000) y=zeros(1000)
kernel copy<T: float = f32, const BLOCK: i32>(x: tensor<T>[n], y: mut tensor<T>[n])
grid(cdiv(n, BLOCK))
tune BLOCK in [256, 128, 512] {
    let at = program_id(0) * BLOCK;
    store(y[at +: BLOCK], load(x[at +: BLOCK]));
}

test copies {
    let x = randn([300], f32);
    let y = zeros([300], f32);
    copy(x, y);
    assert_equal(x, y);
}
";

/// A folder with `a.tile`.
struct Place(TempDir);

impl Place {
    fn with(source: &str) -> Self {
        let place = Self(tempfile::tempdir().expect("a temporary folder"));
        fs::write(place.path("a.tile"), source).expect("written");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn tilec(&self, arguments: &[&str]) -> Ended {
        support::tilec(self.0.path(), arguments)
    }

    /// Writes a record of `copy`: what is the fastest for which `n`.
    fn record(&self, winners: &[(i64, &str)]) {
        let winners: Vec<Value> = winners
            .iter()
            .map(|(n, block)| {
                json!({
                    "kernel": "copy", "target": "sm_90a", "device": "NVIDIA H200",
                    "generics": {"T": "f32"}, "sizes": {"n": n}, "values": {"BLOCK": block},
                    "time_us": 2.5, "ratio": 0.9, "compiler": "tilec 0.1.0",
                })
            })
            .collect();
        let record = json!({"format": 1, "winners": winners});
        fs::write(self.path("a.tuned.json"), record.to_string()).expect("written");
    }

    /// Expects that it fails with this code and says all of this.
    #[track_caller]
    fn fails(&self, arguments: &[&str], code: i32, says: &[&str]) {
        let ended = self.tilec(arguments);
        for text in says {
            let said = &ended.stderr;
            assert!(said.contains(text), "{text:?} is not in:\n{said}");
        }
        assert_eq!(ended.code, Some(code), "{}", ended.stderr);
    }

    /// Expects that it succeeds.
    #[track_caller]
    fn succeeds(&self, arguments: &[&str]) -> Ended {
        let ended = self.tilec(arguments);
        assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
        ended
    }
}

#[test]
fn without_a_gpu_combinations_are_checked_and_not_timed() {
    let place = Place::with(SCALED);
    let ended = place.tilec(&["tune", "a.tile", "--device", "sim"]);
    assert_eq!(ended.code, Some(1), "some are wrong: {}", ended.stderr);
    let lines: Vec<&str> = ended.stdout.lines().skip(1).collect();
    assert_eq!(
        lines[0],
        "   kernel  scaled for sm_90a, with T = f32, n = 1000"
    );
    assert_eq!(lines[2].trim_end(), "BLOCK  SCALE");
    assert_eq!(lines[3], "  256      2  right  default");
    assert!(
        lines[4].starts_with("  256      3  WRONG: `y`: "),
        "{}",
        lines[4]
    );
    assert_eq!(lines[5], "  128      2  right");
    assert!(
        lines[7].starts_with(" 4096      2  skipped: E"),
        "{}",
        lines[7]
    );
    assert!(lines[7].ends_with("too large"), "{}", lines[7]);
    assert_eq!(
        lines[10],
        " recorded  nothing: the simulator has no clock that says anything about a GPU"
    );
    assert!(!place.path("a.tuned.json").exists());
    // What is given is not chosen.
    let right = place.succeeds(&["tune", "a.tile", "--device", "sim", "-D", "SCALE=3"]);
    assert!(right.stdout.contains("with SCALE = 3, T = f32, n = 1000"));
    assert_eq!(right.stdout.matches("right").count(), 2, "{}", right.stdout);
}

#[test]
fn the_result_is_for_machines_too() {
    let place = Place::with(SCALED);
    let arguments = ["tune", "a.tile", "--device", "sim", "--format", "json"];
    let ended = place.tilec(&arguments);
    assert_eq!(ended.code, Some(1));
    let result: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!(result["kernel"], "scaled");
    assert_eq!(result["sizes"], json!({"n": 1000}));
    assert_eq!(
        (&result["winner"], &result["record"]),
        (&Value::Null, &Value::Null)
    );
    let list = result["configurations"].as_array().expect("a list").iter();
    let short: Vec<String> = list
        .map(|own| format!("{} {}", own["values"]["BLOCK"], own["outcome"]))
        .collect();
    let expected = [
        "256 right",
        "256 wrong",
        "128 right",
        "128 wrong",
        "4096 skipped",
        "4096 skipped",
    ];
    let short: Vec<String> = short.iter().map(|own| own.replace('"', "")).collect();
    assert_eq!(short, expected);
}

#[test]
fn a_call_that_cannot_be_tuned_says_why() {
    let place = Place::with(COPY);
    let no_gpu = ["tune", "a.tile"];
    place.fails(
        &no_gpu,
        1,
        &["tuning needs a GPU; `--device sim` checks all"],
    );
    place.fails(
        &["tune", "a.tile", "--device", "interp"],
        2,
        &["the interpreter runs no compiled code"],
    );
    let given = ["tune", "a.tile", "--device", "sim", "-D", "BLOCK=64"];
    place.fails(
        &given,
        2,
        &["nothing is left to choose for `copy`: `-D` gives all that it tunes"],
    );
    let both = ["tune", "a.tile", "--record", "b.json", "--no-record"];
    place.fails(&both, 2, &["cannot be used with"]);
    place.fails(
        &["tune", "a.tile", "--record", "a.tile", "--device", "sim"],
        2,
        &["is an input of this command"],
    );
    fs::write(place.path("a.tuned.json"), "{").expect("written");
    let damaged = ["tune", "a.tile", "--device", "sim"];
    let says = [
        "error: `a.tuned.json` is no record of tuning: EOF",
        "help: remove it, or record elsewhere: `--record FILE`",
    ];
    place.fails(&damaged, 2, &says);
    place.succeeds(&["tune", "a.tile", "--device", "sim", "--no-record"]);
    let plain =
        Place::with("kernel f(y: mut tensor<f32>[n]) grid(n) { store(y[program_id(0)], 1.0); }");
    plain.fails(
        &["tune", "a.tile", "y=zeros(4)", "--device", "sim"],
        2,
        &[
            "`f` has no `tune` clauses",
            "help: what may be tried is listed behind the grid",
        ],
    );
    let host = Place::with(
        "kernel f<const N: i32>(y: mut ptr<f32>) tune N in [4, 8] { store(y + arange(0, N), zeros([N], f32)); }",
    );
    host.fails(
        &["tune", "a.tile", "y=zeros(8)", "--device", "sim"],
        2,
        &["`f` leaves its grid to the host, which does not know the values"],
    );
}

#[test]
fn a_default_that_fails_is_the_error() {
    let place = Place::with(&SCALED.replace("[256, 128, 4096]", "[4096, 256]"));
    place.fails(&["tune", "a.tile", "--device", "sim"], 1, &["too large"]);
    let outside = Place::with(
        "kernel f<const N: i32>(y: mut ptr<f32>) grid(1) tune N in [8, 4] { store(y + arange(0, N), zeros([N], f32)); }",
    );
    outside.fails(
        &["tune", "a.tile", "y=zeros(4)", "--device", "sim"],
        1,
        &["error: with the default, N = 8: ", "out-of-bounds"],
    );
}

#[test]
fn a_run_takes_the_winner_of_the_nearest_sizes() {
    let place = Place::with(COPY);
    let usual = place.succeeds(&["run", "a.tile", "--device", "sim"]);
    assert!(!usual.stdout.contains("recorded"), "{}", usual.stdout);
    place.record(&[(500, "128"), (100_000, "512"), (1_000_000, "256")]);
    let near = place.succeeds(&["run", "a.tile", "--check"]);
    assert_eq!(near.stderr, "");
    let words = "decisions  BLOCK = 128, as recorded for n = 500 on NVIDIA H200 (a.tuned.json)\n";
    assert!(near.stdout.contains(words), "{}", near.stdout);
    assert!(near.stdout.contains("grid  8 × 1 × 1 = 8 programs"));
    let run = |more: &[&str]| {
        let arguments = [&["run", "a.tile", "--device", "interp"], more].concat();
        let ended = place.succeeds(&arguments);
        assert_eq!(ended.stderr, "");
        let grid = ended.stdout.lines().find(|line| line.contains(" grid "));
        grid.expect("a grid").trim().to_owned()
    };
    assert_eq!(
        run(&["x=randn(30000)", "y=zeros(30000)"]),
        "grid  59 × 1 × 1 = 59 programs"
    );
    assert_eq!(run(&["-D", "BLOCK=256"]), "grid  4 × 1 × 1 = 4 programs");
    assert_eq!(run(&["-D", "T=f16"]), "grid  4 × 1 × 1 = 4 programs");
    assert_eq!(run(&["--target", "sm_80"]), "grid  4 × 1 × 1 = 4 programs");
    assert_eq!(run(&["--no-tuned"]), "grid  4 × 1 × 1 = 4 programs");
}

#[test]
fn a_record_that_is_stale_or_damaged_is_left_aside() {
    let place = Place::with(COPY);
    let usual = |says: &[&str]| {
        let ended = place.succeeds(&["run", "a.tile", "--device", "sim"]);
        for text in says {
            assert!(ended.stderr.contains(text), "{text:?}: {}", ended.stderr);
        }
        assert!(ended.stdout.contains("= 4 programs"), "{}", ended.stdout);
    };
    place.record(&[(1000, "64")]);
    usual(&[
        "warning: a record is left aside: `copy` with BLOCK = 64, as recorded for n = 1000 on NVIDIA \
         H200 (a.tuned.json): `BLOCK = 64` is not in a `tune` list any more",
        "help: `tilec tune` measures anew, `--no-tuned` ignores records",
    ]);
    fs::write(place.path("a.tuned.json"), "nonsense").expect("written");
    usual(&[
        "warning: `a.tuned.json` is no record of tuning: expected",
        "help: kernels are compiled with their defaults",
    ]);
    fs::write(
        place.path("a.tile"),
        COPY.replace("copy", "other").replace("BLOCK", "WIDTH"),
    )
    .expect("written");
    place.record(&[(1000, "128")]);
    usual(&["there is no such kernel any more"]);
}

#[test]
fn values_that_promises_depend_on_are_for_their_own_sizes() {
    let place = Place::with(
        "kernel copy<T: float = f32, const BLOCK: i32>(x: tensor<T>[n], y: mut tensor<T>[n])\n\
         grid(1) tune BLOCK in [256, 128] {\n\
         assume(n <= BLOCK);\n\
         store(y[0 +: BLOCK], load(x[0 +: BLOCK]));\n}\n",
    );
    place.record(&[(100, "128")]);
    let run = |n: usize| {
        let (x, y) = (format!("x=randn({n})"), format!("y=zeros({n})"));
        let ended = place.succeeds(&["run", "a.tile", &x, &y, "--check"]);
        ended
            .stdout
            .contains("BLOCK = 128, as recorded for n = 100")
    };
    assert!(run(100));
    assert!(!run(200));
    let built = place.succeeds(&["build", "a.tile", "--emit", "manifest"]);
    assert_eq!(built.stdout.matches("\"exact\": true").count(), 2);
}

#[test]
fn explain_and_tests_take_it_too() {
    let place = Place::with(COPY);
    place.record(&[(300, "128")]);
    let ended = place.succeeds(&["explain", "a.tile"]);
    assert!(
        ended.stdout.contains("(BLOCK = 128, T = f32)"),
        "{}",
        ended.stdout
    );
    let note = "BLOCK = 128, as recorded for n = 300 on NVIDIA H200 (a.tuned.json)";
    assert!(ended.stdout.contains(note), "{}", ended.stdout);
    let ended = place.succeeds(&["explain", "a.tile", "--no-tuned"]);
    assert!(
        ended.stdout.contains("(BLOCK = 256, T = f32)"),
        "{}",
        ended.stdout
    );
    let ended = place.succeeds(&["test", "a.tile", "--device", "sim"]);
    let line = format!("test a.tile::copies ... ok (copy: {note})");
    assert!(ended.stdout.contains(&line), "{}", ended.stdout);
    let ended = place.succeeds(&["test", "a.tile", "--device", "interp", "--no-tuned"]);
    assert!(ended.stdout.contains("copies ... ok\n"), "{}", ended.stdout);
}

#[test]
fn a_build_has_all_winners_and_a_launch_takes_the_nearest() {
    let place = Place::with(COPY);
    let usual = place.succeeds(&["build", "a.tile", "-o", "usual.ptx"]);
    place.record(&[(500, "128"), (100_000, "512"), (1_000_000, "256")]);
    let ended = place.succeeds(&["build", "a.tile"]);
    let note = "in `copy`, 2 recorded winners are compiled besides the default: a launch takes the \
                nearest of those in a.tuned.json";
    assert!(ended.stderr.contains(note), "{}", ended.stderr);
    assert!(!usual.stderr.contains("Note"), "{}", usual.stderr);
    let ptx = fs::read_to_string(place.path("a.ptx")).expect("written");
    for entry in [
        "copy",
        "copy__general",
        "copy__BLOCK128",
        "copy__BLOCK512__general",
    ] {
        let head = format!(".visible .entry {entry}(");
        assert_eq!(ptx.matches(&head).count(), 1, "{entry}");
    }
    let manifest = tile_runtime::manifest::Manifest::from_ptx(&ptx).expect("a manifest");
    let device = tile_runtime::device::Device::sim();
    let program = device.load(&ptx).expect("it loads");
    let kernel = program.kernel(Some("copy")).expect("it is there");
    let launched = |n: usize| {
        use tile_runtime::device::Arg;
        use tile_runtime::element::ElementType::F32;
        use tile_runtime::tensor::Tensor;
        let x = Tensor::randn(F32, &[n], 0).expect("made");
        let (from, to) = (device.upload(&x).expect("copied"), device.zeros(F32, &[n]));
        let to = to.expect("made");
        let launch = kernel.prepare(&[("x", Arg::Tensor(&from)), ("y", Arg::Mut(&to))]);
        let launch = launch.expect("it fits");
        launch.launch().expect("it runs");
        assert_eq!(
            to.download().expect("copied").dense_bytes(),
            x.dense_bytes()
        );
        (launch.variant().entry.clone(), launch.plan().grid[0])
    };
    let entry = |entry: &str, programs: u32| (entry.to_owned(), programs);
    assert_eq!(launched(1000), entry("copy__BLOCK128", 8));
    assert_eq!(launched(1001), entry("copy__BLOCK128__general", 8));
    assert_eq!(launched(40_000), entry("copy__BLOCK512", 79));
    assert_eq!(launched(400_000), entry("copy", 1563));
    assert_eq!(manifest.kernels.len(), 1);
    // Without the record it is what it was.
    place.succeeds(&["build", "a.tile", "--no-tuned", "-o", "again.ptx"]);
    let read = |name: &str| fs::read_to_string(place.path(name)).expect("written");
    assert_eq!(read("again.ptx"), read("usual.ptx"));
}

#[test]
fn remarks_name_the_record() {
    let place = Place::with(COPY);
    place.record(&[(500, "128")]);
    let ended = place.succeeds(&["build", "a.tile", "--emit", "remarks"]);
    let remark = "tuning[R0902]: 1 recorded winner is compiled besides the default";
    assert!(ended.stdout.contains(remark), "{}", ended.stdout);
    // A winner that is the default leaves the build as it is.
    place.record(&[(500, "256")]);
    let ended = place.succeeds(&["build", "a.tile", "--emit", "manifest"]);
    assert!(!ended.stdout.contains("tuned"), "{}", ended.stdout);
}

#[test]
fn the_help_teaches() {
    let place = Place::with(COPY);
    let help = place.succeeds(&["tune", "--help"]).stdout;
    for text in [
        "tune BM in [128, 64]",
        "matmul.tuned.json",
        "--no-record",
        "Examples:",
    ] {
        assert!(help.contains(text), "{text:?} is not in:\n{help}");
    }
}
