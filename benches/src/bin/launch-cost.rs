//! What a launch costs the host, in nanoseconds: a typed one of five tensors, one by name, one that was prepared, which is
//! a call of the driver and nothing else, the same by cudarc's own launcher, and one of many in a graph. Needs a GPU.
//!
//! `cargo run --release -p tile-benches --bin launch-cost`; `benches/host.py --rust` runs it beside Python and Triton.

use std::time::Instant;

use cudarc::driver::{CudaContext, DriverError, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;

use tile_runtime::Error;
use tile_runtime::device::{Arg, Device};
use tile_runtime::typed::Tensor;

// `tilec build sum.tile --emit rust --target sm_80 -o sum.rs`
#[path = "../../../runtime/examples/overlap/sum.rs"]
#[rustfmt::skip]
mod sum;

/// Launches in a row, and how often the ways take turns.
const LAUNCHES: u32 = 200;
const TURNS: usize = 101;

/// Launches of a graph.
const IN_GRAPH: u32 = 20;

/// Nanoseconds of one of many launches.
fn each(device: &Device, mut launch: impl FnMut() -> Result<(), Error>) -> Result<f64, Error> {
    device.synchronize()?;
    let start = Instant::now();
    for _ in 0..LAUNCHES {
        launch()?;
    }
    let taken = start.elapsed().as_nanos() as f64 / f64::from(LAUNCHES);
    device.synchronize()?;
    Ok(taken)
}

/// Launches a kernel by cudarc. It takes the size behind the first vector.
#[allow(unsafe_code)]
fn launcher_of_cudarc() -> Result<impl FnMut() -> Result<(), DriverError>, DriverError> {
    let context = CudaContext::new(0)?;
    let module = context.load_module(Ptx::from_src(sum::PTX))?;
    let function = module.load_function("sum")?;
    let stream = context.new_stream()?;
    let [a, b, c, d] = [(); 4].map(|()| stream.alloc_zeros::<f32>(256));
    let (a, b, c, d) = (a?, b?, c?, d?);
    let mut y = stream.alloc_zeros::<f32>(256)?;
    let config = LaunchConfig {
        grid_dim: (1, 1, 1),
        block_dim: (32, 1, 1),
        shared_mem_bytes: 0,
    };
    Ok(move || {
        let mut launch = stream.launch_builder(&function);
        launch
            .arg(&a)
            .arg(&256i32)
            .arg(&b)
            .arg(&c)
            .arg(&d)
            .arg(&mut y);
        // SAFETY: the parameters are those of the entry point, and 256 elements are what one program of it sums up.
        unsafe { launch.launch(config) }.map(drop)
    })
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() -> Result<(), Error> {
    let device = Device::cuda(0)?;
    let kernels = sum::Kernels::load(&device)?;
    let stream = device.stream();
    let [a, b, c, d] =
        [1.0, 2.0, 3.0, 4.0].map(|value| Tensor::from_slice(&device, [256], &[value; 256]));
    let (a, b, c, d) = (a?, b?, c?, d?);
    let mut y = Tensor::<f32, 1>::zeros(&device, [256])?;
    let other = device.zeros(tile_runtime::element::ElementType::F32, &[256])?;
    let named = [
        ("a", Arg::Tensor(a.untyped())),
        ("b", Arg::Tensor(b.untyped())),
        ("c", Arg::Tensor(c.untyped())),
        ("d", Arg::Tensor(d.untyped())),
        ("y", Arg::Mut(&other)),
    ];
    let prepared = kernels.sum.untyped().prepare(&named)?;
    let many = || (0..IN_GRAPH).try_for_each(|_| prepared.launch());
    let mut graph = stream.capture(many)?;
    let mut times = [const { Vec::new() }; 6];
    let mut cudarc = launcher_of_cudarc().expect("the driver is there");
    for _ in 0..TURNS {
        times[0].push(each(&device, || prepared.launch())?);
        times[1].push(each(&device, || {
            kernels.sum.launch(&stream, &a, &b, &c, &d, &mut y)
        })?);
        times[2].push(each(&device, || kernels.sum.untyped().launch(&named))?);
        times[5].push(each(&device, || {
            cudarc().expect("the launch is right");
            Ok(())
        })?);
    }
    for _ in 0..TURNS {
        let of_one = |of_graph: f64| of_graph / f64::from(IN_GRAPH);
        times[3].push(of_one(each(&device, || graph.launch(&stream))?));
        times[4].push(of_one(each(&device, || graph.update(&stream, many))?));
    }
    assert_eq!(y.to_vec()?, [10.0; 256]);
    let [bare, typed, by_name, in_graph, in_update, by_cudarc] = times.map(median);
    println!("{}", device.properties().name);
    println!("prepared (a call of the driver) {bare:6.0}");
    println!(
        "typed                           {typed:6.0}   over the call {:6.0}",
        typed - bare
    );
    println!(
        "cudarc's launch_builder         {by_cudarc:6.0}   over the call {:6.0}",
        by_cudarc - bare
    );
    println!(
        "by name                         {by_name:6.0}   over the call {:6.0}",
        by_name - bare
    );
    println!("one of {IN_GRAPH} in a graph               {in_graph:6.0}");
    println!("one of {IN_GRAPH} in its update            {in_update:6.0}");
    Ok(())
}
