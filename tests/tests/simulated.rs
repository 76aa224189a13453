//! The corpus of `tests/kernels` in the simulator: compiled PTX computes what the interpreter says.
//!
//! Slow in a debug build, so it is asked for: `cargo test -p tile-tests --test simulated -- --ignored`,
//! with `ONLY=scans-running` for the lines of a kernel.

use clap::Parser;
use tile_runtime::arguments::HostArgument;
use tile_runtime::device::{Arg, Device};
use tile_runtime::run::{HostLaunch, RunOptions};
use tile_runtime::simulator::machine::Options;
use tile_tests::{Program, root};
use tilec::compile::compile;
use tilec::interp::{self, Argument, Arguments};
use tilec::target::{DEFAULT, Target};

#[derive(Parser)]
#[command(no_binary_name = true)]
struct Call {
    #[command(flatten)]
    run: RunOptions,
}

/// Runs one line; what is different.
fn check(program: &Program, name: &str, line: &str, tolerance: f64) -> Result<(), String> {
    let mut words = line.split_whitespace().map(str::to_owned);
    let kernel_name = words.next().unwrap_or_default();
    let (mut bindings, mut call) = (Vec::new(), Vec::new());
    while let Some(word) = words.next() {
        if word == "-D" {
            bindings.extend(words.next());
        } else {
            call.push(word);
        }
    }
    let call = Call::try_parse_from(&call).map_err(|error| error.to_string())?;
    let bindings: Vec<_> = bindings.iter().map(String::as_str).collect();
    let kernel = program.kernel(&kernel_name, &bindings);
    let target = Target::named(DEFAULT).expect("the default target exists");
    let kernels = std::slice::from_ref(&kernel);
    let compiled = compile(&program.sources, kernels, target, name)
        .map_err(|error| format!("{}: {}", error.message, error.notes.join("; ")))?;
    let launch = call.run.prepare(&compiled.manifest);
    let launch = launch.map_err(|error| error.to_string())?;
    let mut arguments = Arguments::new();
    for (name, value) in &launch.arguments {
        match value {
            HostArgument::Scalar(value) => arguments.set(name, Argument::Scalar(*value)),
            HostArgument::Tensor(tensor) => arguments.set_tensor(name, tensor),
        }
    }
    let options = interp::Options::default();
    interp::run(&kernel, launch.plan.grid, &mut arguments, options)
        .map_err(|error| error.to_string())?;

    // Padding of sizes that are no powers of two travels through shared memory unwritten: it means
    // nothing, and is no reason not to look at the results.
    match simulated(&compiled.ptx, &launch, &call, &arguments, tolerance, true) {
        Err(problem) if problem.contains("uninitialised-memory") => {
            simulated(&compiled.ptx, &launch, &call, &arguments, tolerance, false)
        }
        other => other,
    }
}

/// Runs a launch in the simulator and compares what it leaves.
fn simulated(
    ptx: &str,
    launch: &HostLaunch<'_>,
    call: &Call,
    arguments: &Arguments,
    tolerance: f64,
    checks: bool,
) -> Result<(), String> {
    let device = Device::simulated(Options {
        checks,
        ..Options::default()
    });
    let loaded = device.load(ptx).map_err(|e| format!("{e:?}"))?;
    let entry = loaded.kernel(None).map_err(|e| e.to_string())?;
    let mut tensors = Vec::new();
    for (name, value) in &launch.arguments {
        if let HostArgument::Tensor(tensor) = value {
            let uploaded = device.upload_strided(tensor).map_err(|e| e.to_string())?;
            tensors.push((*name, uploaded));
        }
    }
    let given: Vec<_> = launch
        .arguments
        .iter()
        .map(|(name, value)| match value {
            HostArgument::Scalar(value) => (*name, Arg::Scalar(*value)),
            HostArgument::Tensor(_) => {
                let position = tensors.iter().position(|(tensor, _)| tensor == name);
                (*name, Arg::Mut(&tensors[position.unwrap_or_default()].1))
            }
        })
        .collect();
    let stream = device.stream();
    let prepared = entry
        .prepare_on(&stream, &given, call.run.grid())
        .map_err(|e| e.to_string())?;
    prepared.launch().map_err(|e| e.to_string())?;
    stream.synchronize().map_err(|e| e.to_string())?;
    for (name, tensor) in &tensors {
        let found = tensor.download().map_err(|e| e.to_string())?;
        let expected = arguments
            .tensor(name)
            .map_err(|e| e.to_string())?
            .expect("a tensor argument");
        let (want, got) = (expected.to_f64(), found.to_f64());
        let largest = want.iter().copied().filter(|x| x.is_finite());
        let largest = largest.fold(0.0f64, |m, x| m.max(x.abs()));
        for (index, (want, got)) in want.iter().zip(&got).enumerate() {
            let same = want == got
                || want.is_nan() && got.is_nan()
                || (want - got).abs() <= tolerance * largest;
            if !same {
                return Err(format!("{name}[{index}] is {got}, not {want}"));
            }
        }
    }
    Ok(())
}

#[test]
#[ignore = "slow in a debug build"]
fn compiled_kernels_compute_what_the_interpreter_does() {
    let only = std::env::var("ONLY").unwrap_or_default();
    let folder = root().join("tests/kernels");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    let mut failed = Vec::new();
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a source is text");
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let program = Program::new(&stem, &text);
        for line in text
            .lines()
            .filter_map(|line| line.strip_prefix("//! run: "))
        {
            if !format!("{stem}-{line}").starts_with(&only) {
                continue;
            }
            let kernel = line.split_whitespace().next().unwrap_or_default();
            let tolerance = text
                .lines()
                .filter_map(|line| line.strip_prefix("//! tolerance: "))
                .filter_map(|line| line.split_once(' '))
                .find(|(name, _)| *name == kernel)
                .and_then(|(_, number)| number.trim().parse().ok())
                .unwrap_or(1e-6);
            let outcome = std::panic::catch_unwind(|| check(&program, &stem, line, tolerance))
                .unwrap_or_else(|_| Err("panicked".to_owned()));
            match outcome {
                Ok(()) => println!("ok {stem}: {line}"),
                Err(problem) => {
                    println!("WRONG {stem}: {line}: {problem}");
                    failed.push(format!("{stem}: {line}: {problem}"));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
