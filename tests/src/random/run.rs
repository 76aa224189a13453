//! Runs a program through everything: checked, compiled, interpreted, simulated, compared.

use std::cell::RefCell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::{Deserialize, Serialize};
use tile_runtime::arguments::HostArgument;
use tile_runtime::device::Device;
use tile_runtime::manifest::Manifest;
use tile_runtime::run::{self, HostLaunch, RunOptions, run_prepared};
use tile_runtime::simulator::machine::Options as Machine;
use tile_runtime::tensor::Tensor;
use tilec::backend::manifest::{self, VariantFacts};
use tilec::backend::nvidia;
use tilec::compile::{Compiled, compile_variants};
use tilec::diagnostic::render;
use tilec::interp::{self, Argument, Arguments};
use tilec::passes::VariantRequest;
use tilec::sema;
use tilec::target::Target;
use tilec::typed::Kernel;

use super::tree::Program;

/// A kernel and one call of it.
pub trait Subject {
    /// The kernel's name.
    fn name(&self) -> &str;

    /// The source.
    fn text(&self) -> String;

    /// The words of the call, after the kernel's name.
    fn call(&self) -> Vec<String>;

    /// The tolerance of its results; `None` for some units in the last place.
    fn tolerance(&self) -> Option<f64>;

    /// What it is compiled for.
    fn target(&self) -> &'static str;

    /// Which variants it is run with.
    fn variants(&self) -> Variants {
        Variants::Called
    }

    /// Multiprocessors of the simulator.
    fn multiprocessors(&self) -> u32 {
        Machine::default().multiprocessors
    }
}

impl Subject for Program {
    fn name(&self) -> &str {
        &self.name
    }

    fn text(&self) -> String {
        Self::text(self)
    }

    fn call(&self) -> Vec<String> {
        Self::call(self)
    }

    fn tolerance(&self) -> Option<f64> {
        if self.approximate { None } else { Some(0.0) }
    }

    fn target(&self) -> &'static str {
        self.target
    }
}

/// Rounds of loops that a program may take: none makes more than a few hundred.
const ROUNDS: u64 = 100_000;

/// What went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Failure {
    /// The compiler reports an error.
    Refused,
    /// The compiler, the interpreter or the simulator panics.
    Panicked,
    /// The interpreter reports an error: the program is not what it should be.
    NotInterpreted,
    /// `ptxas` does not take the PTX.
    NotAssembled,
    /// The simulator reports a defect.
    Defect,
    /// The results differ.
    Different,
    /// What is said is not what must be said.
    Answer,
    /// It takes too long.
    OutOfTime,
    /// The process ends: LLVM does that where it cannot go on.
    Ended,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Refused => "refused by the compiler",
            Self::Panicked => "a panic",
            Self::NotInterpreted => "refused by the interpreter",
            Self::NotAssembled => "not assembled",
            Self::Defect => "a defect found by the simulator",
            Self::Different => "different results",
            Self::Answer => "a wrong answer",
            Self::OutOfTime => "out of time",
            Self::Ended => "the end of the process",
        })
    }
}

/// A program that did not do what it should.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What kind of failure it is.
    pub failure: Failure,
    /// What is said about it.
    pub text: String,
}

impl Finding {
    /// A failure and what is said about it.
    pub fn new(failure: Failure, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { failure, text }
    }

    /// Whether the other is, as far as can be told, the same defect: the kind and the first line
    /// without numbers and names.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        let words = |text: &str| -> String {
            let line = text.lines().next().unwrap_or_default();
            let line: String = line.chars().filter(|c| !c.is_ascii_digit()).collect();
            line.chars().take(50).collect()
        };
        self.failure == other.failure
            && (self.failure == Failure::Different || words(&self.text) == words(&other.text))
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.failure, self.text)
    }
}

/// What a program compiled to and must compute.
#[derive(Debug)]
pub struct Expected {
    /// The PTX and its manifest.
    pub compiled: Compiled,
    /// Each tensor after the run, as the interpreter says.
    pub tensors: Vec<(String, Tensor)>,
}

/// How programs are run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Whether `ptxas` must take the PTX.
    pub assemble: bool,
    /// Whether only the front end is asked.
    pub check: bool,
    /// The GPU that runs them instead of the simulator.
    pub gpu: Option<u32>,
}

/// A program for the GPU that is here, whatever it was made for.
pub struct OnGpu(pub Box<dyn Subject>);

impl Subject for OnGpu {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn text(&self) -> String {
        self.0.text()
    }

    fn call(&self) -> Vec<String> {
        self.0.call()
    }

    fn tolerance(&self) -> Option<f64> {
        self.0.tolerance()
    }

    fn target(&self) -> &'static str {
        "sm_90a"
    }

    fn variants(&self) -> Variants {
        self.0.variants()
    }
}

/// Which variants of a kernel are compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variants {
    /// All that users get.
    All,
    /// The one that the call takes: the others would take as long to compile, and not be run.
    Called,
    /// That one, and the one for all calls: passes may ask more of the first than the call has.
    CalledOrGeneral,
}

/// Has the front end make a kernel of a program.
///
/// # Errors
/// What it says.
pub fn elaborate(program: &dyn Subject) -> Result<(crate::Program, Kernel), Finding> {
    let source = crate::Program::new(&file_name(program), &program.text());
    let mut diagnostics = source.diagnostics.clone();
    let mut kernel = None;
    if diagnostics.is_empty() {
        (kernel, diagnostics) =
            sema::elaborate_kernel(&source.files, program.name(), &Default::default());
    }
    match kernel {
        Some(kernel) => Ok((source, kernel)),
        None => {
            let text = render::texts(&diagnostics, &source.sources, render::Style::default());
            Err(Finding::new(Failure::Refused, text))
        }
    }
}

fn file_name(program: &dyn Subject) -> String {
    format!("{}.tile", program.name())
}

/// The variant that the call takes, which is known before anything is compiled.
fn called_variant(
    options: &RunOptions,
    kernel: &Kernel,
    target: &Target,
) -> Result<VariantRequest, Finding> {
    let variants = manifest::default_variants(kernel);
    let unknown = VariantFacts::default();
    let facts: Vec<_> = variants
        .iter()
        .map(|request| (request.clone(), unknown.clone()))
        .collect();
    let kernels = vec![manifest::kernel(kernel, &facts, &[])];
    let manifest = manifest::file(target, "", kernels);
    let plan = prepare(options, &manifest)?.plan;
    variants
        .into_iter()
        .nth(plan.variant)
        .ok_or_else(|| Finding::new(Failure::Refused, "no variant fits the call"))
}

/// Compiles and interprets.
///
/// # Errors
/// What the compiler or the interpreter says.
pub fn expect(program: &dyn Subject, variants: Variants) -> Result<Expected, Finding> {
    let (source, kernel) = elaborate(program)?;
    let target = Target::named(program.target())
        .ok_or_else(|| Finding::new(Failure::Refused, "there is no such target"))?;
    let requests = match variants {
        Variants::All => manifest::default_variants(&kernel),
        Variants::Called => vec![called_variant(&options(program)?, &kernel, target)?],
        Variants::CalledOrGeneral => {
            let called = called_variant(&options(program)?, &kernel, target)?;
            let general = manifest::default_variants(&kernel).pop();
            let general = general.filter(|general| *general != called);
            std::iter::once(called).chain(general).collect()
        }
    };
    let kernels = std::slice::from_ref(&kernel);
    let name = file_name(program);
    let compiled = compile_variants(&source.sources, kernels, target, &name, |_| {
        requests.clone()
    })
    .map_err(|diagnostic| {
        let text = render::texts(&[diagnostic], &source.sources, render::Style::default());
        Finding::new(Failure::Refused, text)
    })?;
    let tensors = interpret(program, &kernel, &compiled)?;
    Ok(Expected { compiled, tensors })
}

/// The options of the call.
fn options(program: &dyn Subject) -> Result<RunOptions, Finding> {
    let refused = |error: tile_runtime::arguments::ArgumentError| {
        Finding::new(Failure::Refused, error.to_string())
    };
    Ok(RunOptions {
        arguments: program
            .call()
            .iter()
            .map(|word| word.parse().map_err(refused))
            .collect::<Result<_, _>>()?,
        tolerance: program.tolerance(),
        ..RunOptions::default()
    })
}

fn prepare<'a>(options: &'a RunOptions, manifest: &'a Manifest) -> Result<HostLaunch<'a>, Finding> {
    options
        .prepare(manifest)
        .map_err(|error| Finding::new(Failure::Refused, error.to_string()))
}

fn interpret(
    program: &dyn Subject,
    kernel: &Kernel,
    compiled: &Compiled,
) -> Result<Vec<(String, Tensor)>, Finding> {
    let options = options(program)?;
    let launch = prepare(&options, &compiled.manifest)?;
    let wrong = |error: &dyn fmt::Display| Finding::new(Failure::NotInterpreted, error.to_string());
    let mut arguments = Arguments::new();
    for (name, value) in &launch.arguments {
        match value {
            HostArgument::Scalar(value) => arguments.set(name, Argument::Scalar(*value)),
            HostArgument::Tensor(tensor) => arguments.set_tensor(name, tensor),
        }
    }
    let limits = interp::Options {
        max_rounds: ROUNDS,
        ..interp::Options::default()
    };
    interp::run(kernel, launch.plan.grid, &mut arguments, limits).map_err(|error| wrong(&error))?;
    let mut tensors = Vec::new();
    for (name, _) in &launch.arguments {
        if let Some(tensor) = arguments.tensor(name).map_err(|error| wrong(&error))? {
            tensors.push(((*name).to_owned(), tensor));
        }
    }
    Ok(tensors)
}

/// Runs a program in the simulator and compares.
///
/// # Errors
/// What is wrong with it.
fn compare(program: &dyn Subject, expected: Expected, gpu: Option<u32>) -> Result<(), Finding> {
    let options = options(program)?;
    let mut launch = prepare(&options, &expected.compiled.manifest)?;
    let tensors = expected.tensors.into_iter();
    launch.expected = tensors
        .map(|(name, tensor)| run::Expected {
            name,
            tensor,
            allowed: None,
        })
        .collect();
    let device = match gpu {
        Some(number) => self::gpu(number)?,
        None => Device::simulated(Machine {
            multiprocessors: program.multiprocessors(),
            ..Machine::default()
        }),
    };
    let ptx = &expected.compiled.ptx;
    let report = run_prepared(ptx, &options, &launch, &device, &mut |_, _| {});
    let report = report.map_err(|error| {
        if gpu.is_some() && matches!(error, tile_runtime::Error::Device(_)) {
            // An access that failed fails all that follow it in this process: others are started.
            eprintln!("{}: {error}", program.name());
            std::process::exit(70);
        }
        Finding::new(Failure::Defect, error.to_string())
    })?;
    for output in &report.outputs {
        if let Some(verdict) = &output.verdict
            && !verdict.comparison.is_right()
        {
            let text = format!("`{}`: {}", output.name, verdict.comparison);
            return Err(Finding::new(Failure::Different, text));
        }
    }
    Ok(())
}

/// The GPU of this number, opened once.
fn gpu(number: u32) -> Result<Device, Finding> {
    thread_local! {
        static OPEN: RefCell<Option<(u32, Device)>> = const { RefCell::new(None) };
    }
    OPEN.with_borrow_mut(|open| match open {
        Some((known, device)) if *known == number => Ok(device.clone()),
        _ => {
            let device = Device::parse(&format!("cuda:{number}"))
                .map_err(|error| Finding::new(Failure::Defect, error.to_string()))?;
            Ok(open.insert((number, device)).1.clone())
        }
    })
}

/// Runs a program through everything.
///
/// # Errors
/// What went wrong first.
pub fn run(program: &dyn Subject, options: Options) -> Result<(), Finding> {
    let all = || {
        if options.check {
            return elaborate(program).map(|_| ());
        }
        let expected = expect(program, program.variants())?;
        if options.assemble {
            nvidia::assemble(&expected.compiled.ptx, program.target())
                .map_err(|error| Finding::new(Failure::NotAssembled, error.to_string()))?;
        }
        compare(program, expected, options.gpu)
    };
    caught(all)
}

/// Does what may panic: that is a finding as well.
///
/// # Errors
/// What it finds, or what it panics with.
pub fn caught(work: impl FnOnce() -> Result<(), Finding>) -> Result<(), Finding> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        let text = payload
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| payload.downcast_ref::<&str>().map(|&text| text.to_owned()));
        Err(Finding::new(Failure::Panicked, text.unwrap_or_default()))
    })
}
