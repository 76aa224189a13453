//! What `--emit rust` writes is Rust, and launches kernels with arguments that the Rust compiler checks.

use std::fs;
use std::path::Path;

use tile_runtime::device::{Device, DeviceTensor};
use tile_runtime::element::ElementType::F32;
use tile_runtime::element::{bf16, f16};
use tile_runtime::tensor::{F8E4M3, F8E5M2};
use tile_runtime::typed::Tensor;

#[rustfmt::skip]
#[path = "typed/kernels.rs"]
mod kernels;
mod support;

use kernels::Kernels;

#[test]
fn the_modules_are_what_the_compiler_writes() {
    for (folder, source) in [
        ("tests/typed", "kernels.tile"),
        ("../runtime/examples/normalise/src", "rms_norm.tile"),
    ] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let command = ["build", source, "--emit", "rust", "--target", "sm_80"];
        let ended = support::tilec(&folder, &command);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        let path = folder.join("kernels.rs");
        if std::env::var_os("UPDATE_TYPED").is_some() {
            fs::write(&path, &ended.stdout).expect("written");
        }
        let known = fs::read_to_string(&path).expect("the module");
        assert!(
            known == ended.stdout,
            "{source}: UPDATE_TYPED=1 writes it again"
        );
    }
}

#[test]
fn a_build_script_writes_it_or_says_what_the_compiler_says() {
    let compiler = Path::new(env!("CARGO_BIN_EXE_tilec"));
    let folder = tempfile::tempdir().expect("a folder");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/typed/kernels.tile");
    let build = || tile_build::compile(&file).folder(folder.path());
    let build = || build().target("sm_80").kernel("shift_first");
    let written = build()
        .define("BLOCK", 64)
        .module("wide")
        .write_with(compiler);
    let path = written.expect("it compiles");
    assert_eq!(path, folder.path().join("wide.rs"));
    let text = fs::read_to_string(path).expect("written");
    assert!(text.contains("`BLOCK = 64`") && !text.contains("pub struct Scale"));

    let refused = build().define("BLOCKS", 64).write_with(compiler);
    let text = format!("{:?}", refused.expect_err("no such generic"));
    assert!(text.contains("kernels.tile does not compile:"), "{text}");
    assert!(text.contains("names no generic of the kernel"), "{text}");
    let missing = build().write_with(Path::new("/no/tilec"));
    let text = missing.expect_err("no compiler").to_string();
    assert!(text.contains("install tilec"), "{text}");
}

#[test]
fn kernels_are_functions() {
    let device = Device::sim();
    let kernels = Kernels::load(&device).expect("loads");
    let stream = device.stream();
    let x = Tensor::from_slice(&device, [2, 3], &[1.0f32, -2.0, 3.0, 0.5, 0.25, -4.0]).expect("x");
    let mut y = Tensor::zeros(&device, [2, 3]).expect("y");
    let mut largest = Tensor::zeros(&device, [2]).expect("largest");
    for _ in 0..2 {
        kernels
            .scale
            .launch(&stream, &x, 2.0, &mut y, &mut largest)
            .expect("runs");
    }
    assert_eq!(y.to_vec().expect("y"), [2.0, -4.0, 6.0, 1.0, 0.5, -8.0]);
    assert_eq!(largest.to_vec().expect("largest"), [6.0, 1.0]);
}

#[test]
fn numbers_have_all_types() {
    let device = Device::sim();
    let kernels = Kernels::load(&device).expect("loads");
    let mut y = Tensor::zeros(&device, [1]).expect("y");
    let (half, brain) = (f16::from_f32(0.5), bf16::from_f32(0.25));
    // 1.5 and -0.75 by their bits.
    let (narrow, wide) = (F8E4M3(0x3c), F8E5M2(0xba));
    let stream = device.stream();
    let launched = kernels.numbers.launch(
        &stream, true, -2, 3, -4, 5, 6, 7, 8, 9, half, brain, 0.125, 100.0, narrow, wide, &mut y,
    );
    launched.expect("runs");
    assert_eq!(y.to_vec().expect("y"), [33.0 + 100.0 + 0.875 + 0.75]);
}

#[test]
fn a_kernel_without_a_grid_is_given_one() {
    let device = Device::sim();
    let kernels = Kernels::load(&device).expect("loads");
    let numbers: Vec<i32> = (0..70).collect();
    let mut p = Tensor::from_slice(&device, [70], &numbers).expect("p");
    let launched = kernels
        .shift_first
        .launch(&device.stream(), &[3], &mut p, 65, 100);
    launched.expect("runs");
    let expected: Vec<i32> = (0..70)
        .map(|at| if at < 65 { at + 100 } else { at })
        .collect();
    assert_eq!(p.to_vec().expect("p"), expected);
}

#[test]
fn what_types_do_not_say_is_checked_before_the_launch() {
    let device = Device::sim();
    let kernels = Kernels::load(&device).expect("loads");
    let x = Tensor::<f32, 2>::zeros(&device, [2, 3]).expect("x");
    let mut y = Tensor::zeros(&device, [2, 4]).expect("y");
    let mut largest = Tensor::zeros(&device, [2]).expect("largest");
    let mut said = |x: &Tensor<f32, 2>, device: &Device| {
        let launched = kernels
            .scale
            .launch(&device.stream(), x, 2.0, &mut y, &mut largest);
        launched.expect_err("it does not fit").to_string()
    };
    let text = said(&x, &device);
    assert!(text.contains("`n` is 3 as size 1 of `x`"), "{text}");
    let other = Device::sim();
    let foreign = Tensor::<f32, 2>::zeros(&other, [2, 4]).expect("x");
    let text = said(&foreign, &device);
    assert!(text.contains("belongs to another device"), "{text}");
}

#[test]
fn tensors_take_types_that_they_have() {
    let device = Device::sim();
    let plain: DeviceTensor = device.zeros(F32, &[4, 5]).expect("plain");
    let text = Tensor::<i32, 2>::try_from(plain.clone())
        .expect_err("i32")
        .to_string();
    assert!(text.contains("the elements are f32, not i32"), "{text}");
    let text = Tensor::<f32, 1>::try_from(plain.clone())
        .expect_err("1")
        .to_string();
    assert!(text.contains("there are 2 dimensions, not 1"), "{text}");
    let typed = Tensor::<f32, 2>::try_from(plain).expect("it fits");
    assert_eq!(typed.transposed().shape(), [5, 4]);
    let mut short = Tensor::<f32, 1>::zeros(&device, [3]).expect("short");
    short.write(&[1.0, 2.0]).expect_err("one is missing");
    short.write(&[1.0, 2.0, 3.0]).expect("as many");
    assert_eq!(short.to_vec().expect("read"), [1.0, 2.0, 3.0]);
}
