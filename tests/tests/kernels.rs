//! The corpus of `tests/kernels`, and the examples: every `//! run:` line compiles to PTX that
//! assembles and hardly spills (the fast variant of an example: not at all), and computes in the simulator, with all
//! checks on, what the interpreter says.
//! `tests/gpu.sh` compares a GPU with the interpreter.

use std::path::PathBuf;

use tile_runtime::tensor::Tensor;
use tile_tests::calls::{Call, MULTIPROCESSORS, compare, simulate};
use tile_tests::conformance::suite::Suite;
use tile_tests::conformance::unit::units;
use tile_tests::parallel::in_parallel;
use tile_tests::{EXAMPLES, Program, root};
use tilec::backend::nvidia;
use tilec::compile::{Compiled, compile};
use tilec::target::{TARGETS, Target};

/// Bytes that a kernel may spill: a few in odd shapes, and no more.
const SPILLED: u32 = 40;

/// The same of variants for odd sizes and pitches, whose loads are of single elements or words: two sums of 128 x 128, all steps written out.
const SPILLED_GENERAL: u32 = 1024;

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
    /// Of the simulator.
    multiprocessors: u32,
}

fn corpus() -> Vec<Subject> {
    let suites = Suite::all(&root().join("tests/kernels")).expect("headers are well formed");
    let kernels = suites.iter().flat_map(subjects);
    kernels
        .chain(examples())
        .chain(further_examples())
        .chain(of_older_targets())
        .collect()
}

/// Kernels that an older target does in another way, for that.
fn of_older_targets() -> Vec<Subject> {
    let target = Target::named("sm_80").expect("it is known");
    let path = root().join("tests/kernels/stream_k.tile");
    let suite = Suite::read(&path).expect("headers are well formed");
    let mut all = subjects(&suite);
    all.retain(|subject| ["product", "fused", "batches"].contains(&subject.kernel.as_str()));
    for subject in &mut all {
        subject.target = target;
    }
    all
}

/// The examples that have no snapshots, for the default target.
fn further_examples() -> Vec<Subject> {
    let suites = Suite::all(&root().join("lang-examples")).expect("headers are well formed");
    let mut all = Vec::new();
    for suite in &suites {
        let name = suite.path.file_name().unwrap_or_default().to_string_lossy();
        if EXAMPLES.iter().any(|example| example.file == name) {
            continue;
        }
        for mut subject in subjects(suite) {
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
        let suite = Suite::read(&path).expect("headers are well formed");
        let of_file = subjects(&suite);
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
                multiprocessors: MULTIPROCESSORS,
            });
        }
    }
    examples
}

fn subjects(suite: &Suite) -> Vec<Subject> {
    let subject = |unit: tile_tests::conformance::unit::Unit<'_>| Subject {
        path: suite.path.clone(),
        kernel: unit.kernel().to_owned(),
        bindings: unit.bindings().to_vec(),
        calls: unit.cases.iter().map(|case| case.words.clone()).collect(),
        target: suite.target,
        tolerance: suite.tolerance(unit.kernel()),
        spilled: SPILLED,
        multiprocessors: suite.multiprocessors,
    };
    units(suite).into_iter().map(subject).collect()
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
            Ok((_, resources)) => {
                let spilling = resources.iter().filter(|entry| {
                    let is_other = entry.entry.contains("__");
                    let most = match (is_other, self.spilled) {
                        (false, spilled) => spilled,
                        (true, 0) => SPILLED,
                        (true, _) => SPILLED_GENERAL,
                    };
                    entry.spill_bytes > most
                });
                problems
                    .extend(spilling.map(|entry| {
                        format!("{} spills {} bytes", entry.entry, entry.spill_bytes)
                    }));
                let serialised = resources.iter().filter(|entry| entry.serialised);
                problems.extend(
                    serialised.map(|entry| format!("{} has serialised wgmma", entry.entry)),
                );
            }
            Err(error) => problems.push(format!("does not assemble: {error}")),
        }
        for words in &self.calls {
            let (tolerance, multiprocessors) = (self.tolerance, self.multiprocessors);
            let compared = Call::parse(words)
                .and_then(|call| compare(&kernel, &compiled, &call, tolerance, multiprocessors));
            if let Err(problem) = compared {
                problems.push(format!("{}: {problem}", words.join(" ")));
            }
        }
        problems
    }
}

#[test]
fn every_kernel_compiles_assembles_and_runs() {
    let corpus = corpus();
    assert!(
        corpus.len() >= 40,
        "only {} kernels were found",
        corpus.len()
    );
    let told = |subject: &Subject| -> Vec<String> {
        let problems = std::panic::catch_unwind(|| subject.problems())
            .unwrap_or_else(|_| vec!["the compiler panicked".to_owned()]);
        let name = subject.path.display();
        let (kernel, bindings) = (&subject.kernel, subject.bindings.join(" "));
        let text = |problem| format!("{name}: {kernel} {bindings}: {problem}");
        problems.into_iter().map(text).collect()
    };
    let failed = in_parallel(THREADS, &corpus, told).concat();
    assert!(
        failed.is_empty(),
        "{} failed:\n{}",
        failed.len(),
        failed.join("\n")
    );
}

/// What a kernel leaves in its last tensor, after so many launches.
fn left(compiled: &Compiled, call: &str, multiprocessors: u32, launches: usize) -> Tensor {
    let words: Vec<_> = call.split_whitespace().map(str::to_owned).collect();
    let call = Call::parse(&words).expect("a call");
    let launch = call.prepare(&compiled.manifest).expect("arguments fit");
    let on = (multiprocessors, launches);
    let found = simulate(&compiled.ptx, &launch, None, on).expect("nothing is wrong");
    found.into_iter().next_back().expect("a result").1
}

fn stream_k(kernel: &str, target: &'static Target) -> Compiled {
    compiled("stream_k.tile", kernel, target)
}

fn compiled(file: &str, kernel: &str, target: &'static Target) -> Compiled {
    let path = root().join("tests/kernels").join(file);
    let program = Program::read(&path, file);
    let kernel = program.kernel(kernel, &[]);
    let kernels = std::slice::from_ref(&kernel);
    compile(&program.sources, kernels, target, file).expect("it compiles")
}

#[test]
fn the_counter_of_the_tile_scheduler_is_zero_after_each_launch() {
    let target = Target::named("sm_90a").expect("it is known");
    let compiled = compiled("tile_scheduler.tile", "listed", target);
    assert!(compiled.manifest.kernels[0].variants[0].tickets);
    let call = "x=ones(40,64) rows=randint(0,40;9,100) w=ones(9,64,64) counts=arange(0,12;9) y=zeros(9,64)";
    // Blocks have four or five programs each, or one; a program that is left out or done twice would show.
    for multiprocessors in [2, 9] {
        let sums = left(&compiled, call, multiprocessors, 3);
        let counts = (0..9).map(|list| 3.0 * 64.0 * 12.0 * f64::from(list));
        let expected: Vec<f64> = counts.flat_map(|sum| [sum; 64]).collect();
        assert_eq!(sums.to_f64(), expected);
    }
}

#[test]
fn blocks_that_share_a_program_leave_the_workspace_for_the_next_launch() {
    // Programs take turns on the one, and have a block each on the other.
    for name in ["sm_90a", "sm_80"] {
        let compiled = stream_k("product", Target::named(name).expect("it is known"));
        // Two programs are left over, with four blocks each; what a counter kept would show in the second launch.
        let call = "a=randn(300,1160) b=randn(1160,128) c=ones(300,128)";
        let once = left(&compiled, call, 8, 1);
        assert_eq!(left(&compiled, call, 8, 3), once, "{name}");
        // In how many parts the sums are added shows in how they are rounded: they are shared.
        assert_ne!(left(&compiled, call, 2, 1), once, "{name}");
    }
}

#[test]
fn sums_that_are_asked_to_stay_whole_are_the_same_on_every_device() {
    for name in ["sm_90a", "sm_80"] {
        let compiled = stream_k("whole", Target::named(name).expect("it is known"));
        let call = "a=randn(64,1160) b=randn(1160,64) c=ones(64,64)";
        let on = |multiprocessors| left(&compiled, call, multiprocessors, 1);
        assert_eq!(on(8), on(1), "{name}");
    }
}
