//! The command line, as far as it goes without a GPU.

use std::path::Path;
use std::process::Command;

use tile_runtime::element::ElementType;
use tile_runtime::npy;
use tile_runtime::numeric::Scalar;
use tile_runtime::tensor::Tensor;

/// Exit code and standard error of a call.
fn tile_bench(arguments: &[&str], folder: &Path) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_tile-bench"))
        .args(arguments)
        .arg(folder)
        .output()
        .expect("it was built");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), error)
}

#[test]
fn without_the_device_nothing_is_run_and_the_reason_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let ptx = include_str!("../../runtime/tests/add.ptx");
    std::fs::write(folder.path().join("add.ptx"), ptx).expect("a file");
    // No machine has that many.
    let device = ["--device", "cuda:999"];
    for command in [&[][..], &["check"], &["speed"], &["check", "--in-process"]] {
        let arguments = [command, &device].concat();
        let (code, error) = tile_bench(&arguments, folder.path());
        assert_eq!(code, Some(2), "{arguments:?}: {error}");
        let says = ["no NVIDIA driver", "no device cuda:999", "finds no GPU"];
        assert!(says.iter().any(|say| error.contains(say)), "{error}");
    }
}

#[test]
fn a_folder_without_ptx_is_an_error_of_the_call() {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, error) = tile_bench(&["check"], folder.path());
    assert_eq!(code, Some(2));
    assert!(error.contains("has no such PTX files"), "{error}");
}

#[test]
fn products_are_measured_on_a_gpu_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, error) = tile_bench(&["matmul", "--device", "cuda:999"], folder.path());
    assert_eq!(code, Some(2), "{error}");
    let says = "products are measured on a GPU, and there is none";
    assert!(error.contains(says), "{error}");
    let (code, error) = tile_bench(&["matmul", "--device", "sim"], folder.path());
    assert_eq!(code, Some(2), "{error}");
    assert!(error.contains("has no products"), "{error}");
}

#[test]
fn calls_are_compared_by_several_processes() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("a file");
    };
    write("add.ptx", include_str!("../../runtime/tests/add.ptx"));
    for (name, sum) in [("first", 2.0), ("second", 3.0), ("third", 2.0)] {
        let call =
            "tolerance default\nptx add.ptx\n--kernel\nadd\nx=ones(8)\ny=ones(8)\nz=zeros(8)\n";
        write(&format!("{name}.run"), call);
        let sum = Tensor::full(ElementType::F32, &[8], Scalar::Float(sum)).expect("a tensor");
        npy::write(folder.path().join(format!("{name}.z.npy")), &sum).expect("a file");
    }
    for jobs in ["1", "2", "9"] {
        let output = Command::new(env!("CARGO_BIN_EXE_tile-bench"))
            .args(["compare", "--device", "sim", "--jobs", jobs])
            .arg(folder.path())
            .output()
            .expect("it was built");
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{text}");
        // Aligned, and one element off.
        assert!(text.ends_with("3 calls, 6 runs, 2 failed\n"), "{text}");
        assert_eq!(text.matches("FAIL second").count(), 2, "{text}");
        assert_eq!(text.matches("simulator").count(), 1, "{text}");
    }
}
