//! What only a GPU can show. Without one, each test says so and passes.

use std::time::Instant;

use tile_runtime::Error;
use tile_runtime::backend::DeviceError;
use tile_runtime::device::{Arg, Device};
use tile_runtime::element::ElementType::F32;
use tile_runtime::tensor::Tensor;

const ADD: &str = include_str!("add.ptx");

/// The GPU, or `None` with a printed reason. An error that is not about absence is a failure.
fn gpu() -> Option<Device> {
    match Device::cuda(0) {
        Ok(device) => Some(device),
        Err(reason @ (DeviceError::NoDriver | DeviceError::NoDevice(_))) => {
            println!("skipped: {reason}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn counted(size: usize) -> Tensor {
    Tensor::arange(F32, &[size], 0, 1).expect("small")
}

#[test]
fn adds_vectors_of_any_size() {
    let Some(device) = gpu() else { return };
    let program = device.load(ADD).expect("loads");
    let kernel = program.kernel(Some("add")).expect("is there");
    for size in [0, 1, 127, 128, 129, 100_000] {
        let x = device.upload(&counted(size)).expect("uploaded");
        let y = device
            .upload(&Tensor::full(F32, &[size], 0.5.into()).expect("small"))
            .expect("uploaded");
        let z = device.zeros(F32, &[size]).expect("allocated");
        let arguments = [
            ("x", Arg::Tensor(&x)),
            ("y", Arg::Tensor(&y)),
            ("z", Arg::Mut(&z)),
        ];
        let launch = kernel.prepare(&arguments).expect("suits");
        assert!(launch.resources().registers > 0);
        launch.launch().expect("launched");
        let expected: Vec<f64> = (0..size).map(|at| at as f64 + 0.5).collect();
        assert_eq!(
            z.download().expect("downloaded").to_f64(),
            expected,
            "size {size}"
        );
    }
}

#[test]
fn the_current_context_is_a_device() {
    let Some(device) = gpu() else {
        let none = Device::current().expect_err("there is no GPU");
        assert!(
            matches!(none, DeviceError::NoDriver | DeviceError::NoCurrent(_)),
            "{none}"
        );
        return;
    };
    // Its memory is that of the device that made it current.
    let x = device.upload(&counted(8)).expect("uploaded");
    let current = Device::current().expect("one is current");
    assert_eq!(current.properties(), device.properties());
    let program = current.load(ADD).expect("loads");
    let add = program.kernel(Some("add")).expect("is there");
    let z = current.zeros(F32, &[8]).expect("allocated");
    let arguments = [
        ("x", Arg::Tensor(&x)),
        ("y", Arg::Tensor(&x)),
        ("z", Arg::Mut(&z)),
    ];
    add.launch(&arguments).expect("launched");
    let twice: Vec<f64> = (0..8).map(|at| f64::from(at) * 2.0).collect();
    assert_eq!(z.download().expect("downloaded").to_f64(), twice);
}

#[test]
fn a_host_grid_scalars_and_two_streams() {
    let Some(device) = gpu() else { return };
    let program = device.load(ADD).expect("loads");
    let scale = program.kernel(Some("scale")).expect("is there");
    let x = device.upload(&counted(1000)).expect("uploaded");
    let arguments = [
        ("x", Arg::Mut(&x)),
        ("a", Arg::scalar(3.0f32)),
        ("n", Arg::scalar(1000)),
    ];
    let (first, second) = (device.stream(), device.new_stream().expect("a stream"));
    let one = scale
        .prepare_on(&first, &arguments, Some(&[8]))
        .expect("suits");
    let two = scale
        .prepare_on(&second, &arguments, Some(&[8]))
        .expect("suits");
    one.launch().expect("launched");
    second
        .wait(&first.record().expect("recorded"))
        .expect("waits");
    two.launch().expect("launched");
    second.synchronize().expect("done");
    let expected: Vec<f64> = (0..1000).map(|at| f64::from(at) * 9.0).collect();
    assert_eq!(x.download().expect("downloaded").to_f64(), expected);
    assert_eq!(
        scale.launch(&arguments).expect_err("no grid").to_string(),
        "kernel `scale` has no `grid` of its own, so the launch must give one"
    );
}

#[test]
fn a_launch_right_after_an_upload_finds_it_and_keeps_its_results() {
    // What is uploaded may still be on its way when the driver's call returns: more often where
    // several processes share the GPU, so this one starts some.
    const ROUNDS: usize = 500;
    if std::env::var_os("TILE_TEST_UPLOADS").is_none() {
        let test = std::env::current_exe().expect("this test");
        let start = |_| {
            let mut command = std::process::Command::new(&test);
            command.args([
                "--exact",
                "a_launch_right_after_an_upload_finds_it_and_keeps_its_results",
                "--nocapture",
            ]);
            let command = command.env("TILE_TEST_UPLOADS", "1");
            command.stderr(std::process::Stdio::piped());
            command.spawn().expect("runs")
        };
        let processes: Vec<_> = (0..4).map(start).collect();
        for process in processes {
            let output = process.wait_with_output().expect("ends");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{said}");
        }
        return;
    }
    let Some(device) = gpu() else { return };
    let program = device.load(ADD).expect("loads");
    let scale = program.kernel(Some("scale")).expect("is there");
    for round in 0..ROUNDS {
        let size = [40, 1000, 16_384, 100_000][round % 4];
        let before = counted(size);
        let x = device.upload(&before).expect("uploaded");
        let arguments = [
            ("x", Arg::Mut(&x)),
            ("a", Arg::scalar(3.0f32)),
            ("n", Arg::scalar(size as i32)),
        ];
        let grid = [size.div_ceil(128) as i64];
        let launch = scale
            .prepare_on(&device.stream(), &arguments, Some(&grid))
            .expect("suits");
        launch.launch().expect("launched");
        let expected: Vec<f64> = (0..size).map(|at| at as f64 * 3.0).collect();
        let found = x.download().expect("downloaded").to_f64();
        assert!(found == expected, "round {round}, {size} elements");
    }
}

#[test]
fn strided_tensors_keep_their_strides() {
    let Some(device) = gpu() else { return };
    let matrix = Tensor::arange(F32, &[4, 6], 0, 1).expect("small");
    let view = matrix.transposed().sliced(0, 1, 3).expect("in range");
    let strided = device.upload_strided(&view).expect("uploaded");
    assert_eq!(strided.strides(), [1, 6]);
    assert_eq!(strided.download().expect("downloaded"), view);
    let dense = device.upload(&view).expect("uploaded");
    assert_eq!(dense.strides(), [4, 1]);
    assert_eq!(dense.download().expect("downloaded"), view);
}

#[test]
fn refused_ptx_comes_with_the_drivers_words() {
    let Some(device) = gpu() else { return };
    let broken = ADD.replace(
        "add.rn.f32 %f3, %f1, %f2;",
        "add.rn.f32 %f3, %f1, %nowhere;",
    );
    match device.load(&broken) {
        Err(Error::Device(DeviceError::Refused { log, .. })) => {
            assert!(log.contains("nowhere"), "{log}");
            println!("the log:\n{log}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_the_device_cannot_do_is_refused_before_the_launch() {
    let Some(device) = gpu() else { return };
    let x = device.zeros(F32, &[8]).expect("allocated");
    let arguments = [
        ("x", Arg::Tensor(&x)),
        ("y", Arg::Tensor(&x)),
        ("z", Arg::Mut(&x)),
    ];
    let refusal = |from: &str, to: &str| {
        let program = device.load(&ADD.replace(from, to)).expect("loads");
        let kernel = program.kernel(Some("add")).expect("is there");
        kernel
            .prepare(&arguments)
            .err()
            .expect("refused")
            .to_string()
    };
    let limit = device.properties().shared_bytes;
    assert_eq!(
        refusal("\"shared_bytes\": 65536", "\"shared_bytes\": 1000000"),
        format!(
            "`add` needs 1000000 bytes of shared memory per program, but the device gives at most \
             {limit}"
        )
    );
    let few_threads = refusal(")\n{", ")\n.maxntid 64, 1, 1\n{");
    assert!(
        few_threads.starts_with("`add` has programs of 128"),
        "{few_threads}"
    );
    assert_eq!(
        refusal("\"entry\": \"add\"", "\"entry\": \"sub\""),
        "the PTX has no entry point `sub`, though its manifest names it"
    );
    let other = ADD.replace("\"target\": \"sm_80\"", "\"target\": \"sm_999\"");
    assert!(matches!(
        device.load(&other),
        Err(Error::Device(DeviceError::Target { .. }))
    ));
}

/// The kernel, as it need not wait for the one before it: it does so by itself.
fn dependent() -> String {
    let ptx = ADD.replace("\"target\": \"sm_80\"", "\"target\": \"sm_90\"");
    let ptx = ptx
        .replace(".target sm_80", ".target sm_90")
        .replace(".version 7.0", ".version 8.0");
    let ptx = ptx.replace(
        "\"shared_bytes\": 65536",
        "\"shared_bytes\": 65536, \"dependent\": true",
    );
    let wait = "griddepcontrol.launch_dependents;\n griddepcontrol.wait;\n ld.param.u64";
    ptx.replacen("ld.param.u64", wait, 1)
}

#[test]
fn a_launch_that_begins_early_sees_what_the_one_before_wrote() {
    let Some(device) = gpu() else { return };
    let program = device.load(&dependent()).expect("loads");
    let add = program.kernel(Some("add")).expect("is there");
    let stream = device.stream();
    // From a part of a wave of blocks to many waves.
    for size in [1, 10_000, 300_000, 5_000_000] {
        let full = |value: f64| {
            let tensor = Tensor::full(F32, &[size], value.into()).expect("small");
            device.upload(&tensor).expect("uploaded")
        };
        let (one, x, y) = (full(1.0), full(0.0), full(0.0));
        let prepared = |from, to| {
            let arguments = [
                ("x", Arg::Tensor(from)),
                ("y", Arg::Tensor(&one)),
                ("z", Arg::Mut(to)),
            ];
            add.prepare(&arguments).expect("suits")
        };
        let (there, back) = (prepared(&x, &y), prepared(&y, &x));
        let fifty = || {
            for _ in 0..50 {
                there.launch()?;
                back.launch()?;
            }
            Ok(())
        };
        let graph = stream.capture(fifty).expect("captured");
        fifty().expect("launched");
        graph.launch(&stream).expect("launched");
        let found = x.download().expect("downloaded").to_f64();
        assert!(found.iter().all(|value| *value == 200.0), "size {size}");
    }
}

#[test]
fn a_kernel_out_of_bounds_is_an_error_and_no_crash() {
    // A fault poisons the context of the whole process, so the fault is another process's.
    if std::env::var_os("TILE_TEST_FAULT").is_none() {
        let test = std::env::current_exe().expect("this test");
        let output = std::process::Command::new(test)
            .args([
                "--exact",
                "a_kernel_out_of_bounds_is_an_error_and_no_crash",
                "--nocapture",
            ])
            .env("TILE_TEST_FAULT", "1")
            .output()
            .expect("runs");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        return;
    }
    let Some(device) = gpu() else { return };
    let program = device.load(ADD).expect("loads");
    let scale = program.kernel(Some("scale")).expect("is there");
    let x = device.zeros(F32, &[1]).expect("allocated");
    let arguments = [
        ("x", Arg::Mut(&x)),
        ("a", Arg::scalar(1)),
        ("n", Arg::scalar(i32::MAX)),
    ];
    let launch = scale
        .prepare_on(&device.stream(), &arguments, Some(&[1 << 24]))
        .expect("suits");
    launch.launch().expect("launched");
    let error = device.synchronize().expect_err("out of bounds").to_string();
    assert_eq!(
        error,
        "a kernel failed: an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS); \
         the GPU's memory is lost to this process"
    );
    assert!(launch.launch().is_err());
}

#[test]
fn events_measure_and_a_prepared_launch_is_cheap() {
    const LAUNCHES: u32 = 2000;
    let Some(device) = gpu() else { return };
    let program = device.load(ADD).expect("loads");
    let kernel = program.kernel(Some("add")).expect("is there");
    let (x, z) = (
        device.zeros(F32, &[128]).expect("allocated"),
        device.zeros(F32, &[128]).expect("allocated"),
    );
    let arguments = [
        ("x", Arg::Tensor(&x)),
        ("y", Arg::Tensor(&x)),
        ("z", Arg::Mut(&z)),
    ];
    let launch = kernel.prepare(&arguments).expect("suits");
    let stream = device.stream();
    // Few enough launches at a time that the driver's queue never makes the host wait.
    let mut host = std::time::Duration::ZERO;
    let before = stream.record().expect("recorded");
    for _ in 0..LAUNCHES / 100 {
        let start = Instant::now();
        for _ in 0..100 {
            launch.launch().expect("launched");
        }
        host += start.elapsed();
        stream.synchronize().expect("done");
    }
    let after = stream.record().expect("recorded");
    let ms = before.elapsed_ms(&after).expect("measured");
    assert!(ms > 0.0 && ms < 10_000.0, "{ms}");
    let start = Instant::now();
    for _ in 0..100 {
        kernel.launch(&arguments).expect("launched");
    }
    let checked = start.elapsed() / 100;
    println!(
        "host time per launch: {:?} prepared, {checked:?} with all checks; {ms:.3} ms of device time",
        host / LAUNCHES
    );
}
