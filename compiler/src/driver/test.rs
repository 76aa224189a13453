//! `tilec test`: runs the `test` blocks of files, and tells of them as `cargo test` does.
//!
//! Tests run in parallel and are told in the order of the files; a test fails alone: after one that
//! has taken the GPU from this process, each runs in a process of its own ([`elsewhere`]). With
//! `--message-format json` there is one object per line on stdout, whose `event` is `test` or
//! `summary`; what is wrong with files is on stderr as for other commands.

mod elsewhere;
mod files;
mod told;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use tile_runtime::device::Device;

use super::console::{Console, Exit};
use super::options::{DeviceChoice, TestOptions};
use super::program::Program;
use super::schedule;
use super::tuned::Tuned;
use crate::diagnostic::Diagnostic;
use crate::sema;
use crate::syntax::ast::Item;
use crate::target::{DEFAULT, TARGETS, Target};
use crate::testing::{self, Passed, Setup};
use crate::typed::Kernel;

/// A file with tests.
struct Suite {
    /// As in the names of its tests.
    name: String,
    path: PathBuf,
    program: Program,
}

/// A test of a file.
struct Case<'a> {
    suite: &'a Suite,
    /// What is recorded of its kernels.
    tuned: &'a Tuned<'a>,
    /// `folder/file.tile::name`
    full_name: String,
    name: String,
    ignored: bool,
}

/// How a test came out.
enum Outcome {
    Passed(Passed),
    Failed(Vec<Diagnostic>),
    Ignored,
    /// As another process told it.
    Elsewhere(elsewhere::Told),
}

/// Where all tests run.
struct Place {
    device: Option<Device>,
    target: &'static Target,
    /// Whether each test gets a simulator of its own.
    simulated: bool,
    /// Whether a kernel that failed has taken the GPU from this process: others go on.
    lost: AtomicBool,
}

/// Runs the tests that the options choose.
pub fn test(console: &Console, options: &TestOptions) -> Result<(), Exit> {
    let start = Instant::now();
    let paths = files::find(console, &options.paths)?;
    let mut wrong = None;
    let mut suites = Vec::new();
    for path in &paths {
        match Program::load(console, path) {
            Ok(program) => suites.push(Suite {
                path: path.clone(),
                name: path.display().to_string(),
                program,
            }),
            Err(exit) => wrong = Some(exit),
        }
    }
    let tuned: Vec<Tuned<'_>> = suites
        .iter()
        .map(|suite| Tuned::of(console, &suite.program, &suite.path, options.tuned.no_tuned))
        .collect();
    let both = suites.iter().zip(&tuned);
    let all: Vec<Case<'_>> = both
        .flat_map(|(suite, tuned)| cases(suite, tuned))
        .collect();
    let found = all.len();
    let chosen: Vec<Case<'_>> = all
        .into_iter()
        .filter(|case| options.chooses(&case.full_name))
        .collect();
    let filtered = found - chosen.len();
    if options.list {
        told::list(console, &chosen)?;
        return wrong.map_or(Ok(()), Err);
    }
    check_defines(console, &suites, options)?;
    let place = Place::open(console, options)?;
    let defines: BTreeMap<String, String> = options
        .defines
        .define
        .iter()
        .map(|define| (define.name.clone(), define.value.clone()))
        .collect();
    let mut told = told::Told::new(console, &chosen, filtered)?;
    let workers = if place.simulated || place.device.is_none() {
        std::thread::available_parallelism().map_or(1, usize::from)
    } else {
        // One GPU is asked for one thing at a time.
        1
    };
    schedule::in_order(
        &chosen,
        workers,
        |case| {
            let start = Instant::now();
            let outcome = match place.lost.load(Ordering::Relaxed) {
                true => elsewhere::run(case, options),
                false => place.run(case, &defines, options.ignored),
            };
            (outcome, start.elapsed())
        },
        |number, (outcome, time)| told.outcome(number, outcome, time),
    )?;
    let failed = told.summary(start.elapsed())?;
    match (failed, wrong) {
        (0, None) => Ok(()),
        (0, Some(exit)) => Err(exit),
        _ => Err(Exit::Program),
    }
}

/// A definition that no kernel can use is a slip.
fn check_defines(console: &Console, suites: &[Suite], options: &TestOptions) -> Result<(), Exit> {
    for define in &options.defines.define {
        let used = suites.iter().any(|suite| {
            suite
                .program
                .files
                .generics()
                .any(|name| name == define.name)
        });
        if !used && !suites.is_empty() {
            let name = &define.name;
            return Err(console.wrong_call(format!("`-D {name}` names no generic of any kernel")));
        }
    }
    Ok(())
}

fn cases<'a>(suite: &'a Suite, tuned: &'a Tuned<'a>) -> Vec<Case<'a>> {
    let tests = suite
        .program
        .tree
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Test(test) => Some(test),
            _ => None,
        });
    tests
        .map(|test| Case {
            suite,
            tuned,
            full_name: format!("{}::{}", suite.name, test.name.text),
            name: test.name.text.clone(),
            ignored: test
                .attributes
                .iter()
                .any(|attribute| attribute.name.text == "ignore"),
        })
        .collect()
}

impl TestOptions {
    fn chooses(&self, name: &str) -> bool {
        self.filter.is_empty() || self.filter.iter().any(|text| name.contains(text.as_str()))
    }
}

impl Place {
    fn open(console: &Console, options: &TestOptions) -> Result<Self, Exit> {
        let default = || Target::named(DEFAULT).unwrap_or(&TARGETS[0]);
        let name = match &options.device {
            DeviceChoice::Interpreter => {
                return Ok(Self {
                    device: None,
                    target: options.target.unwrap_or_else(default),
                    simulated: false,
                    lost: AtomicBool::new(false),
                });
            }
            DeviceChoice::Auto => "auto",
            DeviceChoice::Named(name) => name,
        };
        let device = Device::parse(name).map_err(|error| {
            console.error(&error.to_string(), &[]);
            Exit::Call
        })?;
        let simulated = device.simulator().is_some();
        let architecture = &device.properties().architecture;
        let own = || {
            if simulated {
                return Ok(default());
            }
            Target::of_architecture(architecture).ok_or_else(|| {
                console.wrong_call(format!(
                    "this GPU is {architecture}, older than what Tile compiles for"
                ))
            })
        };
        let target = options.target.map_or_else(own, Ok)?;
        Ok(Self {
            device: Some(device),
            target,
            simulated,
            lost: AtomicBool::new(false),
        })
    }

    /// Runs a test.
    fn run(&self, case: &Case<'_>, defines: &BTreeMap<String, String>, ignored: bool) -> Outcome {
        if case.ignored && !ignored {
            return Outcome::Ignored;
        }
        let program = &case.suite.program;
        let device = self.device.as_ref();
        let recorded = |kernel: &Kernel,
                        bindings: &BTreeMap<String, String>,
                        sizes: &BTreeMap<String, i64>| {
            let sizes = || Ok::<_, Infallible>(sizes.clone());
            let chosen = case
                .tuned
                .for_sizes(kernel, self.target, bindings, device, sizes)?;
            Some((chosen.kernel, chosen.words))
        };
        let (test, diagnostics) =
            sema::elaborate_test(&program.files, &case.name, defines, Some(&recorded));
        let Some(test) = test else {
            return Outcome::Failed(diagnostics);
        };
        let device = if self.simulated {
            Some(Device::sim())
        } else {
            self.device.clone()
        };
        let setup = Setup {
            sources: &program.sources,
            file: program.file_name(),
            device,
            target: self.target,
        };
        match testing::run(&test, &setup) {
            Ok(passed) => Outcome::Passed(passed),
            Err(problem) => {
                // The driver gives the error of a kernel to every call that follows.
                let device = self.device.as_ref().filter(|_| !self.simulated);
                if device.is_some_and(|device| device.synchronize().is_err()) {
                    self.lost.store(true, Ordering::Relaxed);
                }
                Outcome::Failed(vec![*problem])
            }
        }
    }
}
