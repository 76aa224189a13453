//! `tile-run` as a user meets it: messages and exit codes. Nothing here needs a GPU.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tile_runtime::element::ElementType::{F32, F64};
use tile_runtime::npy;
use tile_runtime::tensor::Tensor;

const ADD: [&str; 3] = ["x=randn(1000)", "y=ones(1000)", "z=zeros(1000)"];

fn add_ptx() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/add.ptx")
}

/// Runs it with the devices hidden, so that a GPU machine behaves as one without.
fn tile_run(file: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new(env!("CARGO_BIN_EXE_tile-run"))
        .arg(file)
        .args(arguments)
        .env("CUDA_VISIBLE_DEVICES", "")
        .output()
        .expect("tile-run runs");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (status.code(), text(stdout), text(stderr))
}

/// Expects that it fails with this code and this whole message.
#[track_caller]
fn fails(file: &Path, arguments: &[&str], code: i32, message: &str) {
    let (status, stdout, stderr) = tile_run(file, arguments);
    assert_eq!(stderr.trim_end(), format!("error: {message}"));
    assert_eq!(stdout, "");
    assert_eq!(status, Some(code));
}

/// A file that lives as long as the folder.
fn file(folder: &tempfile::TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).expect("written");
    path
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

#[test]
fn ptx_without_a_manifest() {
    let folder = folder();
    let path = file(&folder, "plain.ptx", b".version 8.0\n.target sm_80\n");
    fails(
        &path,
        &[],
        1,
        "the PTX has no manifest (no line starts with `//tile:`), so its kernels cannot be \
         launched by name: compile it with `tilec build`",
    );
}

#[test]
fn a_file_that_is_no_text_or_not_there() {
    let folder = folder();
    let path = file(&folder, "binary.ptx", b"//tile\xff\xfe");
    let name = path.display();
    fails(
        &path,
        &[],
        1,
        &format!("{name}: no PTX: byte 6 is not UTF-8 text"),
    );
    let path = folder.path().join("none.ptx");
    let name = path.display();
    fails(
        &path,
        &[],
        2,
        &format!("{name}: No such file or directory (os error 2)"),
    );
}

#[test]
fn several_kernels_need_a_name() {
    fails(
        &add_ptx(),
        &ADD,
        2,
        "the PTX has several kernels, name one: `add` and `scale`",
    );
    fails(
        &add_ptx(),
        &["--kernel", "scael"],
        2,
        "there is no kernel `scael` (did you mean `scale`?) in this PTX: it has `add` and `scale`",
    );
}

#[test]
fn arguments_missing_and_unknown() {
    fails(
        &add_ptx(),
        &["--kernel", "add", "x=randn(1000)"],
        2,
        "kernel `add` also needs `y: tensor<f32>[n]` and `z: mut tensor<f32>[n]`",
    );
    fails(
        &add_ptx(),
        &["--kernel", "add", "x=randn(1000)", "bias=ones(3)"],
        2,
        "kernel `add` has no parameter `bias`: it takes `x`, `y` and `z`",
    );
    fails(
        &add_ptx(),
        &[
            "--kernel",
            "add",
            "x=randn(1000)",
            "y=ones(10)",
            "z=zeros(1000)",
        ],
        2,
        "`n` is 1000 as size 0 of `x` (shape [1000]), but 10 as size 0 of `y` (shape [10])",
    );
    fails(
        &add_ptx(),
        &["--kernel", "scale", "x=ones(8)", "a=2", "n=8"],
        2,
        "kernel `scale` has no `grid` of its own, so the launch must give one",
    );
}

#[test]
fn malformed_calls_are_told_by_the_parser() {
    for arguments in [
        ["--kernel", "add", "x=rnadn(4)"],
        ["--kernel", "add", "--seed=x"],
        ["--kernel", "add", "--no-such-option"],
    ] {
        let (status, _, stderr) = tile_run(&add_ptx(), &arguments);
        assert_eq!(status, Some(2), "{stderr}");
    }
}

#[test]
fn a_file_of_another_type() {
    let folder = folder();
    let path = folder.path().join("x.npy");
    npy::write(&path, &Tensor::zeros(F64, &[1000]).expect("small")).expect("written");
    let name = path.display();
    fails(
        &add_ptx(),
        &["--kernel", "add", &format!("x=@{name}"), ADD[1], ADD[2]],
        2,
        &format!(
            "{name}: holds elements of dtype '<f8', but f32 is expected: in Python, save \
             `x.astype(np.float32)`"
        ),
    );
}

#[test]
fn without_a_gpu_the_simulator_runs_and_says_so() {
    let folder = folder();
    let path = folder.path().join("x.npy");
    npy::write(&path, &Tensor::zeros(F32, &[1000]).expect("small")).expect("written");
    let x = format!("x=@{}", path.display());
    let call = ["--kernel", "add", &x, ADD[1], ADD[2]];
    let (status, stdout, stderr) = tile_run(&add_ptx(), &call);
    assert_eq!((status, stderr.as_str()), (Some(0), ""));
    assert!(stdout.starts_with("   device  simulator (no "), "{stdout}");
    assert!(stdout.contains("checks on\n"), "{stdout}");
    assert!(stdout.contains("     time  simulated in "), "{stdout}");
    assert!(stdout.contains("min 1.000000  max 1.000000"), "{stdout}");
    let (status, _, stderr) = tile_run(&add_ptx(), &[&call[..], &["--device", "cuda:0"]].concat());
    let no_driver = "error: no NVIDIA driver is installed here";
    let no_gpu = "error: the NVIDIA driver is installed, but it finds no GPU";
    assert!(
        stderr.starts_with(no_driver) || stderr.starts_with(no_gpu),
        "{stderr}"
    );
    assert_eq!(status, Some(1));
}

#[test]
fn the_environment_names_the_device() {
    let run = |name: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_tile-run"))
            .arg(add_ptx())
            .args(["--kernel", "add", ADD[0], ADD[1], ADD[2]])
            .env("TILE_DEVICE", name)
            .output()
            .expect("tile-run runs");
        let text = |bytes| String::from_utf8(bytes).expect("text");
        (
            output.status.code(),
            text(output.stdout),
            text(output.stderr),
        )
    };
    let (status, stdout, stderr) = run("sim");
    assert_eq!((status, stderr.as_str()), (Some(0), ""));
    // Without the reason why there is no GPU: it was asked for.
    assert!(stdout.starts_with("   device  simulator, "), "{stdout}");
    let (status, _, stderr) = run("gpu");
    assert_eq!(status, Some(2));
    assert!(
        stderr.contains("`TILE_DEVICE=gpu` is no device: use `auto`, `sim`"),
        "{stderr}"
    );
}

#[test]
fn a_device_that_is_none() {
    fails(
        &add_ptx(),
        &[
            "--kernel", "add", "--device", "rocm:0", ADD[0], ADD[1], ADD[2],
        ],
        2,
        "`rocm:0` is no device: use `auto`, `sim` or `cuda:N`, such as `cuda:0`",
    );
}
