//! The corpus of `tests/kernels`: every `//! run:` line compiles to PTX that assembles and
//! hardly spills, and runs in the interpreter. `tests/gpu.sh` compares the two.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::Parser;
use tile_runtime::arguments::HostArgument;
use tile_runtime::manifest::Manifest;
use tile_runtime::run::RunOptions;
use tile_tests::{Program, root};
use tilec::backend::nvidia;
use tilec::compile::compile;
use tilec::interp::{self, Argument, Arguments};
use tilec::target::{DEFAULT, Target};
use tilec::typed::{Kernel, structured};

/// Bytes that a kernel may spill: a few in odd shapes, and no more.
const SPILLED: u32 = 32;

/// How many kernels are tried at once.
const THREADS: usize = 2;

/// A kernel with generics bound, and the calls of it.
struct Subject {
    path: PathBuf,
    kernel: String,
    bindings: Vec<String>,
    calls: Vec<Vec<String>>,
}

#[derive(Parser)]
#[command(no_binary_name = true)]
struct Call {
    #[command(flatten)]
    run: RunOptions,
}

fn corpus() -> Vec<Subject> {
    let folder = root().join("tests/kernels");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    files.iter().flat_map(|path| subjects(path)).collect()
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
    let subject = |((kernel, bindings), calls)| Subject {
        path: path.to_owned(),
        kernel,
        bindings,
        calls,
    };
    subjects.into_iter().map(subject).collect()
}

impl Subject {
    /// Everything that is wrong with it.
    fn problems(&self) -> Vec<String> {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let program = Program::read(&self.path, &name);
        let wrong = program.problems();
        if !wrong.is_empty() {
            return vec![wrong];
        }
        let bindings: Vec<_> = self.bindings.iter().map(String::as_str).collect();
        let kernel = program.kernel(&self.kernel, &bindings);
        let target = Target::named(DEFAULT).expect("the default target exists");
        let kernels = std::slice::from_ref(&kernel);
        let compiled = match compile(&program.sources, kernels, target, &name) {
            Ok(compiled) => compiled,
            Err(error) => return vec![format!("{}: {}", error.message, error.notes.join("; "))],
        };
        let mut problems = Vec::new();
        match nvidia::assemble(&compiled.ptx, DEFAULT) {
            Ok((_, resources)) => problems.extend(
                resources
                    .iter()
                    .filter(|entry| entry.spill_bytes > SPILLED)
                    .map(|entry| format!("{} spills {} bytes", entry.entry, entry.spill_bytes)),
            ),
            Err(error) => problems.push(format!("does not assemble: {error}")),
        }
        for call in &self.calls {
            if let Err(problem) = interpret(&kernel, &compiled.manifest, call) {
                problems.push(format!("{}: {problem}", call.join(" ")));
            }
        }
        problems
    }
}

fn interpret(kernel: &Kernel, manifest: &Manifest, call: &[String]) -> Result<(), String> {
    let call = Call::try_parse_from(call).map_err(|error| error.to_string())?;
    let launch = call.run.prepare(manifest);
    let launch = launch.map_err(|error| error.to_string())?;
    let mut results = Vec::new();
    for kernel in [kernel, &structured(kernel)] {
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
        results.push(arguments);
    }
    // What is compiled is the program without jumps: it must mean the same.
    match results.as_slice() {
        [one, other] if one == other => Ok(()),
        _ => Err("means something else without jumps".to_owned()),
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
