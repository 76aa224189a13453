//! Copies and kernels at the same time: chunks of an array go to the device on one stream, are computed on a second and come back
//! on a third. Prints when each did what. On a GPU, or small in the simulator, where everything is done one after another.
//!
//! `cargo run --release -p tile-runtime --example overlap`

use std::ops::Range;

use tile_runtime::Error;
use tile_runtime::device::{Device, Event, Stream};
use tile_runtime::pinned::Pinned;
use tile_runtime::typed::Tensor;

// `tilec build sum.tile --emit rust --target sm_80 -o sum.rs`
#[rustfmt::skip]
mod sum;

const CHUNKS: usize = 6;

/// Launches for each chunk, so that computing it takes about as long as copying it.
const LAUNCHES: usize = 10;

/// Memory of a chunk that is under way. Two of them take turns.
struct Place {
    x: Tensor<f32, 1>,
    y: Tensor<f32, 1>,
    /// After the last kernel that reads `x`, and after the last copy of `y`.
    computed: Option<Event>,
    fetched: Option<Event>,
}

/// When each chunk came, was computed and went, in milliseconds from the start.
type Timeline = Vec<[Range<f64>; 3]>;

/// Sums up chunks in as many streams as there are here, of which stage `n` takes number `n`, again from the first.
fn run(
    device: &Device,
    streams: &[Stream],
    (ones, host, results): (&Tensor<f32, 1>, &[Pinned], &mut [Pinned]),
) -> Result<Timeline, Error> {
    let kernels = sum::Kernels::load(device)?;
    let [comes, computes, goes] = [0, 1, 2].map(|stage| &streams[stage % streams.len()]);
    let size = ones.shape();
    let place = || -> Result<Place, Error> {
        Ok(Place {
            x: Tensor::zeros(device, size)?,
            y: Tensor::zeros(device, size)?,
            computed: None,
            fetched: None,
        })
    };
    let mut places = [place()?, place()?];
    let start = comes.record()?;
    let mut events = Vec::new();
    for (chunk, (from, to)) in host.iter().zip(results).enumerate() {
        let Place {
            x,
            y,
            computed,
            fetched,
        } = &mut places[chunk % 2];
        // The chunk before the last one must be done with the place.
        if let Some(computed) = computed {
            comes.wait(computed)?;
        }
        if let Some(fetched) = fetched {
            computes.wait(fetched)?;
        }
        let comes_from = comes.record()?;
        x.copy_from_host(from, comes)?;
        let has_come = comes.record()?;
        computes.wait(&has_come)?;
        let computes_from = computes.record()?;
        for _ in 0..LAUNCHES {
            kernels.sum.launch(computes, x, ones, ones, ones, y)?;
        }
        let is_computed = computes.record()?;
        goes.wait(&is_computed)?;
        let goes_from = goes.record()?;
        y.copy_to_host(to, goes)?;
        let is_gone = goes.record()?;
        (*computed, *fetched) = (Some(is_computed.clone()), Some(is_gone.clone()));
        events.push([
            [comes_from, has_come],
            [computes_from, is_computed],
            [goes_from, is_gone],
        ]);
    }
    let mut timeline = Timeline::new();
    for stages in &events {
        let mut times = [const { 0.0..0.0 }; 3];
        for (time, [from, to]) in times.iter_mut().zip(stages) {
            *time = start.elapsed_ms(from)?..start.elapsed_ms(to)?;
        }
        timeline.push(times);
    }
    Ok(timeline)
}

/// A line for each chunk: `<` while it comes, `=` while it is computed, `>` while it goes.
fn draw(timeline: &Timeline) {
    const WIDTH: f64 = 96.0;
    let end = timeline.iter().flatten().map(|time| time.end);
    let end = end.fold(f64::MIN_POSITIVE, f64::max);
    let column = |time: f64| (time / end * WIDTH) as usize;
    for (chunk, stages) in timeline.iter().enumerate() {
        let mut line = String::new();
        for (stage, mark) in stages.iter().zip(["<", "=", ">"]) {
            line += &" ".repeat(column(stage.start).saturating_sub(line.len()));
            line += &mark.repeat(column(stage.end).saturating_sub(line.len()));
        }
        println!("{chunk} |{line}");
    }
    println!("  {end:.2} ms");
}

fn main() -> Result<(), Error> {
    let device = Device::auto()?;
    println!("{}", device.properties().name);
    let elements = match device.simulator() {
        Some(_) => 1 << 10,
        None => 1 << 24,
    };
    let ones = Tensor::from_slice(&device, [elements], &vec![1.0; elements])?;
    let (mut host, mut results) = (Vec::new(), Vec::new());
    for chunk in 0..CHUNKS {
        host.push(Pinned::from_slice(&device, &vec![chunk as f32; elements])?);
        results.push(Pinned::zeros(&device, 4 * elements)?);
    }
    let three = [device.stream(), device.new_stream()?, device.new_stream()?];
    for (streams, title) in [(&three[..1], "one stream"), (&three[..], "three streams")] {
        // The first time, the driver gets to know the kernels and the memory.
        run(&device, streams, (&ones, &host, &mut results))?;
        let timeline = run(&device, streams, (&ones, &host, &mut results))?;
        println!("\n{title}: < comes, = is computed, > goes");
        draw(&timeline);
        for (chunk, result) in results.iter().enumerate() {
            let expected = chunk as f32 + 3.0;
            assert!(
                result
                    .to_vec::<f32>()?
                    .iter()
                    .all(|value| *value == expected)
            );
        }
    }
    Ok(())
}
