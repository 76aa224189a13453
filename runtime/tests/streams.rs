//! What streams do besides launches, in the simulator, and on a GPU where there is one: graphs, and copies of pinned memory.

use tile_runtime::Error;
use tile_runtime::backend::DeviceError;
use tile_runtime::device::{Arg, Device, DeviceTensor, Stream};
use tile_runtime::element::ElementType::F32;
use tile_runtime::pinned::Pinned;
use tile_runtime::program::Kernel;
use tile_runtime::tensor::Tensor;
use tile_runtime::typed;

const ADD: &str = include_str!("add.ptx");

/// Runs a test on each device that there is.
fn on_each_device(test: impl Fn(&Device, &Kernel)) {
    let gpu = match Device::cuda(0) {
        Ok(device) => Some(device),
        Err(DeviceError::NoDriver | DeviceError::NoDevice(_)) => None,
        Err(error) => panic!("{error}"),
    };
    for device in [Some(Device::sim()), gpu].into_iter().flatten() {
        let program = device.load(ADD).expect("loads");
        test(&device, &program.kernel(Some("add")).expect("is there"));
    }
}

fn full(device: &Device, value: f64) -> DeviceTensor {
    let tensor = Tensor::full(F32, &[300], value.into()).expect("small");
    device.upload(&tensor).expect("uploaded")
}

/// z = x + y.
fn add(kernel: &Kernel, stream: &Stream, [x, y, z]: [&DeviceTensor; 3]) -> Result<(), Error> {
    let arguments = [
        ("x", Arg::Tensor(x)),
        ("y", Arg::Tensor(y)),
        ("z", Arg::Mut(z)),
    ];
    kernel.prepare_on(stream, &arguments, None)?.launch()
}

fn value(tensor: &DeviceTensor) -> f64 {
    let all = tensor.download().expect("downloaded").to_f64();
    assert!(all.iter().all(|one| *one == all[0]), "{all:?}");
    all[0]
}

#[test]
fn what_is_captured_runs_when_it_is_launched_and_as_often() {
    on_each_device(|device, kernel| {
        let stream = device.stream();
        let (x, y) = (full(device, 1.0), full(device, 10.0));
        let graph = stream.capture(|| {
            add(kernel, &stream, [&x, &y, &y])?;
            add(kernel, &stream, [&y, &y, &x])
        });
        let graph = graph.expect("captured");
        assert_eq!((value(&x), value(&y)), (1.0, 10.0));
        graph.launch(&stream).expect("launched");
        assert_eq!((value(&x), value(&y)), (22.0, 11.0));
        let other = device.new_stream().expect("a stream");
        graph.launch(&other).expect("launched");
        assert_eq!((value(&x), value(&y)), (66.0, 33.0));
    });
}

#[test]
fn a_graph_keeps_what_it_needs() {
    on_each_device(|device, _| {
        let stream = device.stream();
        let result = full(device, 0.0);
        let graph = {
            let program = device.load(ADD).expect("loads");
            let kernel = program.kernel(Some("add")).expect("is there");
            let (x, y) = (full(device, 1.0), full(device, 2.0));
            let z = device.zeros(F32, &[300]).expect("allocated");
            let captured = stream.capture(|| {
                add(&kernel, &stream, [&x, &y, &z])?;
                Ok(result.copy_from(&z, &stream)?)
            });
            captured.expect("captured")
        };
        // Memory of that size that is free would be found again.
        let others: Vec<_> = (0..8).map(|_| full(device, 100.0)).collect();
        graph.launch(&stream).expect("launched");
        assert_eq!(value(&result), 3.0);
        assert!(others.iter().all(|other| value(other) == 100.0));
    });
}

#[test]
fn typed_launches_are_captured() {
    on_each_device(|device, untyped| {
        let program = device.load(ADD).expect("loads");
        let kernel =
            typed::Kernel::of(&program, untyped.manifest().name.as_str()).expect("is there");
        let tensor =
            |value: f32| typed::Tensor::from_slice(device, [3], &[value; 3]).expect("small");
        let (x, y, mut z) = (tensor(1.0), tensor(2.0), tensor(0.0));
        let stream = device.new_stream().expect("a stream");
        let mut launch = |x: &typed::Tensor<f32, 1>| {
            let arguments = [x.argument(), y.argument(), z.argument_mut()];
            kernel.launch(&stream, &arguments)
        };
        // The second launch finds what the first one decided.
        launch(&x).expect("launched");
        let graph = stream.capture(|| launch(&x)).expect("captured");
        drop(x);
        let others: Vec<_> = (0..8).map(|_| tensor(100.0)).collect();
        z.write(&[0.0; 3]).expect("written");
        graph.launch(&stream).expect("launched");
        assert_eq!(z.to_vec().expect("read"), [3.0; 3]);
        drop(others);
    });
}

#[test]
fn an_update_takes_other_tensors_and_other_launches() {
    on_each_device(|device, kernel| {
        let stream = device.stream();
        let (one, two, z) = (full(device, 1.0), full(device, 2.0), full(device, 0.0));
        let mut graph = stream
            .capture(|| add(kernel, &stream, [&one, &one, &z]))
            .expect("captured");
        let mut after = |work: &dyn Fn() -> Result<(), Error>| {
            graph.update(&stream, work).expect("updated");
            graph.launch(&stream).expect("launched");
            value(&z)
        };
        assert_eq!(after(&|| add(kernel, &stream, [&two, &two, &z])), 4.0);
        let twice = || {
            add(kernel, &stream, [&one, &one, &z])?;
            add(kernel, &stream, [&z, &two, &z])
        };
        assert_eq!(after(&twice), 4.0);
        assert_eq!(after(&|| Ok(z.fill_bytes(0, &stream)?)), 0.0);
    });
}

#[test]
fn an_update_that_fails_leaves_the_graph_as_it_was() {
    on_each_device(|device, kernel| {
        let stream = device.stream();
        let (x, z) = (full(device, 1.0), full(device, 0.0));
        let short = device.zeros(F32, &[7]).expect("allocated");
        let mut graph = stream
            .capture(|| add(kernel, &stream, [&x, &x, &z]))
            .expect("captured");
        let failed = graph.update(&stream, || add(kernel, &stream, [&x, &short, &z]));
        let message = failed.expect_err("refused").to_string();
        assert!(message.contains('7'), "{message}");
        graph.launch(&stream).expect("launched");
        assert_eq!(value(&z), 2.0);
    });
}

#[test]
fn a_capture_ends_with_an_error_or_a_panic() {
    on_each_device(|device, kernel| {
        let stream = device.stream();
        let x = full(device, 1.0);
        let failed = stream.capture(|| add(kernel, &stream, [&x, &x, &device.zeros(F32, &[])?]));
        failed.expect_err("refused");
        let unwound = std::panic::AssertUnwindSafe(|| stream.capture(|| panic!("on purpose")));
        assert!(std::panic::catch_unwind(unwound).is_err());
        // The stream runs what it is given, as before.
        add(kernel, &stream, [&x, &x, &x]).expect("launched");
        assert_eq!(value(&x), 2.0);
    });
}

#[test]
fn the_host_cannot_look_at_what_is_captured() {
    on_each_device(|device, kernel| {
        let stream = device.stream();
        let x = full(device, 1.0);
        let waits = stream.capture(|| {
            add(kernel, &stream, [&x, &x, &x])?;
            let refused = stream.synchronize();
            assert!(refused.is_err());
            Ok(())
        });
        let message = waits.expect_err("refused").to_string();
        assert!(
            message.contains("while capturing a graph: the host waited"),
            "{message}"
        );
        let reads = stream.capture(|| {
            add(kernel, &stream, [&x, &x, &x])?;
            x.download().map(|_| ())
        });
        reads.expect_err("refused");
        let nested = stream.capture(|| stream.capture(|| Ok(())).map(|_| ()));
        nested.expect_err("refused");
        assert_eq!(value(&x), 1.0);
    });
}

#[test]
fn events_take_other_streams_in() {
    on_each_device(|device, kernel| {
        let (first, second) = (device.stream(), device.new_stream().expect("a stream"));
        let (x, y, z) = (full(device, 1.0), full(device, 5.0), full(device, 0.0));
        let graph = first.capture(|| {
            second.wait(&first.record()?)?;
            add(kernel, &first, [&x, &x, &x])?;
            add(kernel, &second, [&y, &y, &y])?;
            first.wait(&second.record()?)?;
            add(kernel, &first, [&x, &y, &z])
        });
        let graph = graph.expect("captured");
        assert_eq!(value(&z), 0.0);
        graph.launch(&second).expect("launched");
        assert_eq!(value(&z), 12.0);
        let unjoined = first.capture(|| {
            second.wait(&first.record()?)?;
            add(kernel, &second, [&y, &y, &y])
        });
        let message = unjoined.expect_err("refused").to_string();
        assert!(message.contains("is not joined"), "{message}");
    });
}

#[test]
fn pinned_memory_is_copied_in_the_order_of_the_stream() {
    on_each_device(|device, kernel| {
        let stream = device.new_stream().expect("a stream");
        let (x, z) = (full(device, 0.0), full(device, 0.0));
        let mut host = Pinned::from_slice(device, &[1.5f32; 300]).expect("allocated");
        for _ in 0..20 {
            x.copy_from_host(&host, &stream).expect("copied");
            add(kernel, &stream, [&x, &x, &z]).expect("launched");
            z.copy_to_host(&mut host, &stream).expect("copied");
        }
        let expected = 1.5 * 2f32.powi(20);
        assert_eq!(host.to_vec::<f32>().expect("read"), [expected; 300]);
        // What is read next is not what comes after.
        x.copy_from_host(&host, &stream).expect("copied");
        host.write(&[0.0f32; 300]).expect("written");
        stream.synchronize().expect("done");
        assert_eq!(value(&x), f64::from(expected));
    });
}

#[test]
fn pinned_memory_waits_for_its_copies_before_it_goes() {
    on_each_device(|device, _| {
        let stream = device.new_stream().expect("a stream");
        let size = 1 << 20;
        let x = device.zeros(F32, &[size]).expect("allocated");
        for round in 0..8u16 {
            let host = Pinned::from_slice(device, &vec![f32::from(round); size]);
            x.copy_from_host(&host.expect("allocated"), &stream)
                .expect("copied");
        }
        stream.synchronize().expect("done");
        assert_eq!(value(&x), 7.0);
    });
}

#[test]
fn what_pinned_memory_cannot_do_is_refused() {
    on_each_device(|device, _| {
        let stream = device.stream();
        let x = full(device, 3.0);
        let mut host = Pinned::from_slice(device, &[1.0f32; 299]).expect("allocated");
        let short = x.copy_from_host(&host, &stream).expect_err("too short");
        assert!(short.to_string().contains("1196"), "{short}");
        host.write(&[1.0f32; 300]).expect_err("too long");
        let mut host = Pinned::zeros(device, 1200).expect("allocated");
        stream
            .capture(|| x.copy_to_host(&mut host, &stream))
            .expect_err("captured");
        x.copy_to_host(&mut host, &stream).expect("copied");
        assert_eq!(host.to_vec::<f32>().expect("read"), [3.0; 300]);
        assert_eq!(host.as_bytes_mut().expect("read").len(), 1200);
    });
}
