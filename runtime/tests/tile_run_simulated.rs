//! `tile-run` in the simulator: what it finds, counts and compares, as a user reads it.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;
use tile_runtime::element::ElementType::F32;
use tile_runtime::npy;
use tile_runtime::numeric::Scalar;
use tile_runtime::tensor::Tensor;

const PTX: &str = include_str!("add.ptx");

/// What the kernel `scale` could have been compiled from.
const SOURCE: &str = "\
kernel scale(x: mut ptr<f32>, a: f32, n: i32) {
    let at = program_id(0) * 128 + arange(0, 128);
    store(x + at, load(x + at) * a, mask = at < n);
}
";

/// A folder with `a.ptx`, to run in.
struct Place(TempDir);

/// How a run ended.
struct Ended {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Place {
    fn with(ptx: &str) -> Self {
        let place = Self(tempfile::tempdir().expect("a temporary folder"));
        place.write("a.ptx", ptx);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("written");
    }

    fn tile_run(&self, arguments: &[&str]) -> Ended {
        let Output {
            status,
            stdout,
            stderr,
        } = Command::new(env!("CARGO_BIN_EXE_tile-run"))
            .args(["a.ptx", "--device", "sim"])
            .args(arguments)
            .current_dir(self.0.path())
            .output()
            .expect("tile-run runs");
        let text = |bytes| String::from_utf8(bytes).expect("text");
        Ended {
            code: status.code(),
            stdout: text(stdout),
            stderr: text(stderr),
        }
    }

    /// Runs `scale` on 100 elements, though it is told of 128, and expects this to be said.
    #[track_caller]
    fn finds(&self, says: &str) {
        let ended = self.tile_run(&SCALE);
        assert_eq!(ended.stderr, says);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""));
    }

    /// The profile of a run.
    #[track_caller]
    fn profile(&self, call: &[&str]) -> Value {
        let ended = self.tile_run(&[call, &["--profile=json"]].concat());
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        serde_json::from_str(&ended.stdout).expect("one object")
    }
}

const SCALE: [&str; 7] = [
    "--kernel",
    "scale",
    "x=ones(100)",
    "a=2",
    "n=128",
    "--grid",
    "1",
];

/// `scale` as the compiler would give its lines.
fn with_lines() -> String {
    let load = "    ld.global.f32 %f2, [%d4];";
    assert!(PTX.contains(load));
    let located = PTX.replace(load, &format!("    .loc 1 3 19\n{load}"));
    format!("{located}\n.file 1 \"src/a.tile\"\n")
}

#[test]
fn an_access_out_of_bounds_is_shown_in_the_ptx() {
    Place::with(PTX).finds(
        "\
error[out-of-bounds]: 4 bytes of global memory at 0x100000190 are read, outside the memory of \
parameter `scale_x` of 400 bytes: right behind its end
   --> a.ptx:119:5
    |
119 |     ld.global.f32 %f2, [%d4];
    |     ^^^^^^^^^^^^^^^^^^^^^^^^^ program (0, 0, 0), thread 100: warp 3 lane 4
",
    );
}

#[test]
fn and_in_the_source_where_that_is_at_hand() {
    let place = Place::with(&with_lines());
    place.finds(
        "\
error[out-of-bounds]: 4 bytes of global memory at 0x100000190 are read, outside the memory of \
parameter `scale_x` of 400 bytes: right behind its end
   --> a.ptx:120:5
    |
120 |     ld.global.f32 %f2, [%d4];
    |     ^^^^^^^^^^^^^^^^^^^^^^^^^ program (0, 0, 0), thread 100: warp 3 lane 4
    |
    = note: src/a.tile:3:19, which is not at hand
",
    );
    // Beside the PTX it is found by the last part of its name.
    place.write("a.tile", SOURCE);
    place.finds(
        "\
error[out-of-bounds]: 4 bytes of global memory at 0x100000190 are read, outside the memory of \
parameter `scale_x` of 400 bytes: right behind its end
 --> src/a.tile:3:19
  |
3 |     store(x + at, load(x + at) * a, mask = at < n);
  |                   ^^^^^^^^^^^^ program (0, 0, 0), thread 100: warp 3 lane 4
  |
  = note: PTX line 120: ld.global.f32 %f2, [%d4];
",
    );
}

#[test]
fn a_misaligned_access_is_found() {
    let place = Place::with(&PTX.replace("%f2, [%d4]", "%f2, [%d4+2]"));
    place.finds(
        "\
error[misaligned]: address 0x100000002 in global memory is not a multiple of 4, as it must be
   --> a.ptx:119:5
    |
119 |     ld.global.f32 %f2, [%d4+2];
    |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^ program (0, 0, 0), thread 0: warp 0 lane 0
",
    );
}

#[test]
fn a_program_that_does_not_end_is_stopped() {
    let spins = PTX.replace(
        "    ld.param.f32 %f1",
        "spin:\n    bra spin;\n    ld.param.f32 %f1",
    );
    let ended = Place::with(&spins).tile_run(&[&SCALE[..], &["--sim-steps", "10000"]].concat());
    assert_eq!(ended.code, Some(1));
    let says = "error[step-limit]: the program has executed 10000 instructions and has not ended";
    assert!(ended.stderr.starts_with(says), "{}", ended.stderr);
}

#[test]
fn a_launch_that_does_not_end_is_stopped() {
    let all = ["--kernel", "scale", "x=ones(100)", "a=2", "n=100"];
    let endless = ["--grid=2147483647", "--sim-steps", "100"];
    let ended = Place::with(PTX).tile_run(&[&all[..], &endless].concat());
    assert_eq!(ended.code, Some(1));
    let says = "error[run-limit]: all programs together have executed 10000 instructions";
    assert!(ended.stderr.starts_with(says), "{}", ended.stderr);
}

#[test]
fn what_a_manifest_says_must_be_true() {
    let edits = [
        (
            "\"mutable\": true",
            "\"mutable\": false",
            "is not `mut`, and is written",
        ),
        (
            "\"threads\": 128",
            "\"threads\": 128, \"cluster\": 17",
            "a cluster has 1 to 16 blocks, not 17",
        ),
        (
            "\"threads\": 128",
            "\"threads\": 2048",
            "a block has 1 to 1024 threads, not 2048",
        ),
        (
            "{\"kind\": \"scalar\", \"name\": \"a\"},",
            "{\"kind\": \"scalar\", \"name\": \"a\"}, {\"kind\": \"scalar\", \"name\": \"a\"},",
            "would be given",
        ),
        (
            ".target sm_",
            ".target sm_1",
            "the simulator knows sm_50 to sm_121",
        ),
        (
            ".version ",
            ".version 9",
            "the simulator knows PTX 1.0 to 9.x",
        ),
    ];
    for (from, to, says) in edits {
        let edited = PTX.replace(from, to);
        assert!(edited != PTX, "{from}");
        let ended = Place::with(&edited).tile_run(&SCALE);
        assert_eq!(ended.code, Some(1), "{says}: {}", ended.stderr);
        assert!(ended.stderr.contains(says), "{says}: {}", ended.stderr);
    }
}

#[test]
fn checks_can_be_turned_off_and_time_is_refused() {
    let place = Place::with(PTX);
    let good = [
        "--kernel",
        "scale",
        "x=ones(100)",
        "a=2",
        "n=100",
        "--grid=1",
    ];
    let ended = place.tile_run(&[&good[..], &["--no-checks"]].concat());
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stdout.contains(", checks off\n"), "{}", ended.stdout);
    let ended = place.tile_run(&[&good[..], &["--time", "5"]].concat());
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert_eq!(
        ended.stderr,
        "error: `--time` needs a GPU: the time of the simulator is the host's and says nothing about \
         one\n"
    );
}

#[test]
fn lanes_side_by_side_touch_four_sectors() {
    let place = Place::with(PTX);
    let call = [
        "--kernel",
        "add",
        "x=ones(1024)",
        "y=ones(1024)",
        "z=zeros(1024)",
    ];
    let profile = place.profile(&call);
    let (total, lines) = (&profile["total"], &profile["lines"]);
    assert_eq!(profile["entry"], "add");
    assert_eq!(profile["grid"], serde_json::json!([8, 1, 1]));
    // 32 warps load two tensors and store one.
    assert_eq!(total["loads"]["requests"], 64);
    assert_eq!(total["loads"]["sectors"], 64 * 4);
    assert_eq!(total["loads"]["least_bytes"], 2 * 4096);
    assert_eq!(total["stores"]["requests"], 32);
    assert_eq!(total["stores"]["moved_bytes"], 4096);
    assert_eq!(total["ideal_sectors"], total["sectors"]);
    assert_eq!(total["bytes"], 3 * 4096);
    // Through shared memory and back, each bank once.
    assert_eq!(total["shared_requests"], 64);
    assert_eq!(total["wavefronts"], total["ideal_wavefronts"]);
    assert_eq!(
        (&total["diverged"], &total["tensor_flops"]),
        (&0.into(), &0.into())
    );
    assert_eq!(total["classes"]["f32"], 32);
    let classes = total["classes"].as_object().expect("an object").values();
    assert_eq!(
        classes.filter_map(Value::as_u64).sum::<u64>(),
        total["warps"]
    );
    assert_eq!(
        lines.as_array().map(Vec::len),
        Some(1),
        "no `.loc`, one line"
    );
}

#[test]
fn lanes_far_apart_touch_a_sector_each_and_get_advice() {
    let strided = with_lines().replace("mul.wide.u32 %d3, %r4, 4;", "mul.wide.u32 %d3, %r4, 128;");
    let place = Place::with(&strided);
    place.write("a.tile", SOURCE);
    let call = [
        "--kernel",
        "scale",
        "x=ones(4096)",
        "a=2",
        "n=128",
        "--grid=1",
    ];
    let line = place.profile(&call)["lines"][1].clone();
    assert_eq!(
        (&line["file"], &line["line"]),
        (&"src/a.tile".into(), &3.into())
    );
    // 4 warps load and store.
    assert_eq!(
        (&line["requests"], &line["sectors"]),
        (&8.into(), &256.into())
    );
    assert_eq!(line["ideal_sectors"], 32);
    let text = place.tile_run(&[&call[..], &["--profile"]].concat()).stdout;
    let advice = "src/a.tile:3: each warp touches 32 sectors where 4 would do: neighbouring lanes";
    assert!(text.contains(advice), "{text}");
    assert!(
        text.contains("32.0    12 %  1.0 kB  store(x + at, load(x + at) * a,"),
        "{text}"
    );
    assert!(!text.contains('\u{1b}'), "colours in a pipe");
}

#[test]
fn products_are_counted_in_flops() {
    let place = Place::with(include_str!("ptx/03_matmul_sm_90a.ptx"));
    let profile = place.profile(&["a=rand(200,150)", "b=rand(150,170)", "c=zeros(200,170)"]);
    let total = &profile["total"];
    // Four programs multiply 128 x 64 by 64 x 128, three times each; m16n8k16 at a time.
    let flops = 4 * 3 * 2 * 128 * 128 * 64;
    assert_eq!(total["tensor_flops"], flops);
    assert_eq!(total["tensor_instructions"], flops / (2 * 16 * 8 * 16));
}

#[test]
fn a_wrong_result_is_traced_to_who_stored_it() {
    let place = Place::with(&with_lines());
    place.write("a.tile", SOURCE);
    let mut expected = Tensor::full(F32, &[100], 2.into()).expect("small");
    npy::write(place.path("x.npy"), &expected).expect("written");
    let call = [
        "--kernel",
        "scale",
        "x=ones(100)",
        "a=2",
        "n=100",
        "--grid=1",
        "--expect",
        "x=x.npy",
    ];
    let ended = place.tile_run(&call);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    assert!(
        ended.stdout.ends_with("as expected, bit for bit\n"),
        "{}",
        ended.stdout
    );

    expected.set(&[70], Scalar::Float(2.5));
    expected.set(&[90], Scalar::Float(2.000_000_2));
    npy::write(place.path("x.npy"), &expected).expect("written");
    let ended = place.tile_run(&call);
    assert_eq!(ended.code, Some(1));
    assert!(ended.stdout.contains("1 of 100 wrong"), "{}", ended.stdout);
    assert_eq!(
        ended.stderr,
        "\
error[mismatch]: 1 of 100 elements of `x` differ from what is expected by 2.0e-1 of the \
largest in their row, where 4.8e-7 is allowed
 --> src/a.tile:3:19
  |
3 |     store(x + at, load(x + at) * a, mask = at < n);
  |                   ^^^^^^^^^^^^ `x[70]` is 2e0 (0x40000000) instead of 2.5e0 (0x40200000)
  |
  = note: PTX line 122: st.global.f32 [%d4], %f3;
  = note: stored by program (0, 0, 0), thread 70: warp 2 lane 6
"
    );
    npy::write(
        place.path("x.npy"),
        &Tensor::zeros(F32, &[99]).expect("small"),
    )
    .expect("written");
    let ended = place.tile_run(&call);
    assert_eq!(ended.stderr, "error: the shape is [100], not [99]\n");
    assert_eq!(ended.code, Some(2));
}
