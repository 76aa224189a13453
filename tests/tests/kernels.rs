//! The corpus of `tests/kernels`, and the examples: every `//! run:` line compiles to PTX that
//! assembles and hardly spills (an example: not at all), and computes in the simulator, with all
//! checks on, what the interpreter says.
//! `tests/gpu.sh` compares a GPU with the interpreter.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::Parser;
use tile_runtime::arguments::HostArgument;
use tile_runtime::comparison::Comparison;
use tile_runtime::device::{Arg, Device};
use tile_runtime::run::{HostLaunch, RunOptions};
use tile_runtime::tensor::Tensor;
use tile_tests::{EXAMPLES, Program, root};
use tilec::backend::nvidia;
use tilec::compile::{Compiled, compile};
use tilec::interp::{self, Argument, Arguments};
use tilec::target::{DEFAULT, TARGETS, Target};
use tilec::typed::Kernel;

/// Bytes that a kernel may spill: a few in odd shapes, and no more.
const SPILLED: u32 = 32;

/// What results of the examples may be wrong, relative to the largest of their row: sums are added
/// in another order, and `bf16` has 8 bits.
const EXAMPLE_TOLERANCE: f64 = 1.0 / 128.0;

/// How many kernels are tried at once.
const THREADS: usize = 2;

/// A kernel with generics bound, and the calls of it.
struct Subject {
    path: PathBuf,
    kernel: String,
    bindings: Vec<String>,
    calls: Vec<Vec<String>>,
    target: &'static Target,
    /// What `//! tolerance:` allows; `None` for a few units in the last place.
    tolerance: Option<f64>,
    /// Bytes that it may spill.
    spilled: u32,
}

#[derive(Parser)]
#[command(no_binary_name = true)]
struct Call {
    #[command(flatten)]
    run: RunOptions,
}

fn corpus() -> Vec<Subject> {
    let kernels = files("tests/kernels");
    let kernels = kernels.iter().flat_map(|path| subjects(path));
    kernels
        .chain(examples())
        .chain(further_examples())
        .collect()
}

fn files(folder: &str) -> Vec<PathBuf> {
    let mut files: Vec<_> = std::fs::read_dir(root().join(folder))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    files
}

/// The examples that have no snapshots, for the default target.
fn further_examples() -> Vec<Subject> {
    let mut all = Vec::new();
    for path in files("lang-examples") {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if EXAMPLES.iter().any(|example| example.file == name) {
            continue;
        }
        for mut subject in subjects(&path) {
            subject.tolerance = subject.tolerance.or(Some(EXAMPLE_TOLERANCE));
            subject.spilled = 0;
            all.push(subject);
        }
    }
    all
}

/// The first examples, for every target: the PTX of the snapshots, in both variants.
fn examples() -> Vec<Subject> {
    let mut examples = Vec::new();
    for example in EXAMPLES {
        let path = root().join("lang-examples").join(example.file);
        let of_file = subjects(&path);
        let own = of_file
            .iter()
            .filter(|subject| subject.kernel == example.kernel);
        let mut calls: Vec<_> = own.flat_map(|subject| subject.calls.clone()).collect();
        calls.push(
            example
                .aligned
                .split_whitespace()
                .map(str::to_owned)
                .collect(),
        );
        for target in TARGETS {
            examples.push(Subject {
                path: path.clone(),
                kernel: example.kernel.to_owned(),
                bindings: example
                    .usual
                    .iter()
                    .map(|&binding| binding.to_owned())
                    .collect(),
                calls: calls.clone(),
                target,
                tolerance: Some(EXAMPLE_TOLERANCE),
                spilled: 0,
            });
        }
    }
    examples
}

fn subjects(path: &Path) -> Vec<Subject> {
    let text = std::fs::read_to_string(path).expect("a source is text");
    let mut subjects: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for line in text
        .lines()
        .filter_map(|line| line.strip_prefix("//! run: "))
    {
        let mut words = line.split_whitespace().map(str::to_owned);
        let kernel = words.next().expect("a kernel");
        let (mut bindings, mut call) = (Vec::new(), Vec::new());
        while let Some(word) = words.next() {
            if word == "-D" {
                bindings.extend(words.next());
            } else {
                call.push(word);
            }
        }
        let calls = subjects.entry((kernel, bindings)).or_default();
        calls.push(call);
    }
    let tolerance = |kernel: &str| {
        let mut tolerances = text
            .lines()
            .filter_map(|line| line.strip_prefix("//! tolerance: "));
        tolerances.find_map(|line| {
            line.split_once(' ')
                .filter(|(of, _)| *of == kernel)?
                .1
                .parse()
                .ok()
        })
    };
    let subject = |((kernel, bindings), calls): ((String, _), _)| Subject {
        path: path.to_owned(),
        tolerance: tolerance(&kernel),
        kernel,
        bindings,
        calls,
        target: Target::named(DEFAULT).expect("the default target exists"),
        spilled: SPILLED,
    };
    subjects.into_iter().map(subject).collect()
}

impl Subject {
    /// Everything that is wrong with it.
    fn problems(&self) -> Vec<String> {
        // With its folder, where its imports are.
        let name = self.path.to_string_lossy();
        let program = Program::read(&self.path, &name);
        let wrong = program.problems();
        if !wrong.is_empty() {
            return vec![wrong];
        }
        let bindings: Vec<_> = self.bindings.iter().map(String::as_str).collect();
        let kernel = program.kernel(&self.kernel, &bindings);
        let kernels = std::slice::from_ref(&kernel);
        let compiled = match compile(&program.sources, kernels, self.target, &name) {
            Ok(compiled) => compiled,
            Err(error) => return vec![format!("{}: {}", error.message, error.notes.join("; "))],
        };
        let mut problems = Vec::new();
        match nvidia::assemble(&compiled.ptx, self.target.name) {
            Ok((_, resources)) => problems.extend(
                resources
                    .iter()
                    .filter(|entry| entry.spill_bytes > self.spilled)
                    .map(|entry| format!("{} spills {} bytes", entry.entry, entry.spill_bytes)),
            ),
            Err(error) => problems.push(format!("does not assemble: {error}")),
        }
        for call in &self.calls {
            if let Err(problem) = self.compare(&kernel, &compiled, call) {
                problems.push(format!("{}: {problem}", call.join(" ")));
            }
        }
        problems
    }

    /// Runs a call in the interpreter and, with all checks on, in the simulator: they must leave
    /// the same.
    fn compare(&self, kernel: &Kernel, compiled: &Compiled, call: &[String]) -> Result<(), String> {
        let call = Call::try_parse_from(call).map_err(|error| error.to_string())?;
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
        interp::run(kernel, launch.plan.grid, &mut arguments, options)
            .map_err(|error| error.to_string())?;
        let found = simulate(&compiled.ptx, &launch, call.run.grid())
            .map_err(|error| format!("in the simulator: {error}"))?;
        for (name, found) in &found {
            let expected = arguments.tensor(name).map_err(|error| error.to_string())?;
            let Some(expected) = expected else { continue };
            let comparison = Comparison::new(&expected, found, self.tolerance);
            let comparison = comparison.map_err(|error| error.to_string())?;
            if comparison.wrong > 0 {
                return Err(format!("`{name}`: {comparison}"));
            }
        }
        Ok(())
    }
}

/// Runs a launch in the simulator; gives all tensors as they are then.
fn simulate(
    ptx: &str,
    launch: &HostLaunch<'_>,
    grid: Option<&[i64]>,
) -> Result<Vec<(String, Tensor)>, tile_runtime::Error> {
    let device = Device::sim();
    let program = device.load(ptx)?;
    let mut tensors = Vec::new();
    for (name, value) in &launch.arguments {
        if let HostArgument::Tensor(tensor) = value {
            tensors.push((*name, device.upload_strided(tensor)?));
        }
    }
    let mut remaining = tensors.iter();
    let arguments: Vec<_> = launch
        .arguments
        .iter()
        .filter_map(|(name, value)| match value {
            HostArgument::Scalar(value) => Some((*name, Arg::Scalar(*value))),
            HostArgument::Tensor(_) => remaining
                .next()
                .map(|(_, tensor)| (*name, Arg::Mut(tensor))),
        })
        .collect();
    let kernel = program.kernel(Some(&launch.kernel.name))?;
    kernel
        .prepare_on(&device.stream(), &arguments, grid)?
        .launch()?;
    tensors
        .iter()
        .map(|(name, tensor)| Ok(((*name).to_owned(), tensor.download()?)))
        .collect()
}

#[test]
fn every_kernel_compiles_assembles_and_runs() {
    let corpus = corpus();
    assert!(
        corpus.len() >= 40,
        "only {} kernels were found",
        corpus.len()
    );
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(Vec::new());
    let work = || {
        while let Some(subject) = corpus.get(next.fetch_add(1, Ordering::Relaxed)) {
            let problems = std::panic::catch_unwind(|| subject.problems())
                .unwrap_or_else(|_| vec!["the compiler panicked".to_owned()]);
            for problem in problems {
                let name = subject.path.display();
                let (kernel, bindings) = (&subject.kernel, subject.bindings.join(" "));
                let text = format!("{name}: {kernel} {bindings}: {problem}");
                failed.lock().expect("no panic holds it").push(text);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(work);
        }
    });
    let failed = failed.into_inner().expect("no panic held it");
    assert!(
        failed.is_empty(),
        "{} failed:\n{}",
        failed.len(),
        failed.join("\n")
    );
}
