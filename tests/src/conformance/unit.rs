//! A kernel with its generics bound, and all cases of it: it is compiled once.

use std::collections::BTreeMap;

use ndarray::{ArrayD, IxDyn};
use tile_runtime::arguments::HostArgument;
use tile_runtime::comparison::Comparison;
use tile_runtime::element::ElementType;
use tile_runtime::numeric::{self, Scalar};
use tile_runtime::run::HostLaunch;
use tile_runtime::tensor::Tensor;
use tilec::compile::{Compiled, compile};
use tilec::diagnostic::{Diagnostic, messages};
use tilec::interp::Arguments;
use tilec::sema;
use tilec::target::{DEFAULT, TARGETS, Target};
use tilec::typed::Kernel;

use super::array::{number, stretch};
use super::formula::Scope;
use super::suite::{Case, Expectation, Question, Suite};
use super::{blame, listing, rounding};
use crate::Program;
use crate::calls::{Call, compare, interpret};

/// A kernel with its generics bound.
#[derive(Debug)]
pub struct Unit<'a> {
    /// Where it is from.
    pub suite: &'a Suite,
    /// Its cases.
    pub cases: Vec<&'a Case>,
}

/// How far cases are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// To the typed program: what must be refused there is, all else is not.
    FrontEnd,
    /// To results.
    Results,
}

/// A case that was tried.
#[derive(Debug)]
pub struct Outcome<'a> {
    /// Which.
    pub case: &'a Case,
    /// What is wrong.
    pub problem: Option<String>,
}

/// All units of a file.
#[must_use]
pub fn units(suite: &Suite) -> Vec<Unit<'_>> {
    let mut units: BTreeMap<_, Unit<'_>> = BTreeMap::new();
    for case in &suite.cases {
        let key = (&case.kernel, &case.bindings);
        let unit = units.entry(key).or_insert_with(|| Unit {
            suite,
            cases: Vec::new(),
        });
        unit.cases.push(case);
    }
    units.into_values().collect()
}

/// What is compiled for where a file does not say.
#[must_use]
pub fn target() -> &'static Target {
    Target::named(DEFAULT).unwrap_or(&TARGETS[0])
}

impl<'a> Unit<'a> {
    /// The kernel, or why there is none.
    ///
    /// # Errors
    /// The problems of the program.
    pub fn elaborate(&self, program: &Program) -> Result<Kernel, Vec<Diagnostic>> {
        let bindings = self.bindings().iter();
        let bindings: BTreeMap<String, String> = bindings
            .filter_map(|binding| binding.split_once('='))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let (kernel, diagnostics) =
            sema::elaborate_kernel(&program.files, self.kernel(), &bindings);
        kernel.ok_or(diagnostics)
    }

    /// The kernel's name.
    #[must_use]
    pub fn kernel(&self) -> &'a str {
        self.cases.first().map_or("", |case| &case.kernel)
    }

    /// Its generics: `T=f16`.
    #[must_use]
    pub fn bindings(&self) -> &'a [String] {
        self.cases.first().map_or(&[], |case| &case.bindings)
    }

    /// Compiles a kernel of the unit.
    ///
    /// # Errors
    /// What the compiler refuses.
    pub fn compile(
        &self,
        program: &Program,
        kernel: &Kernel,
        target: &'static Target,
    ) -> Result<Compiled, Diagnostic> {
        let kernels = std::slice::from_ref(kernel);
        compile(&program.sources, kernels, target, &self.suite.name())
    }

    /// Tries all cases.
    #[must_use]
    pub fn run(&self, program: &Program, depth: Depth) -> Vec<Outcome<'a>> {
        let tried = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            self.try_all(program, depth)
        }));
        tried.unwrap_or_else(|_| self.all(|_| Some("the compiler panicked".to_owned())))
    }

    fn all(&self, problem: impl Fn(&Case) -> Option<String>) -> Vec<Outcome<'a>> {
        let outcome = |case: &&'a Case| Outcome {
            case,
            problem: problem(case),
        };
        self.cases.iter().map(outcome).collect()
    }

    fn try_all(&self, program: &Program, depth: Depth) -> Vec<Outcome<'a>> {
        let shown = |problems: &[Diagnostic]| blame::told(problems, &program.sources);
        let refused = |problems: &[Diagnostic]| {
            self.all(|case| match &case.question {
                Question::Fails(code) => blame::problem(code, problems, &program.sources),
                _ => Some(shown(problems)),
            })
        };
        if !program.diagnostics.is_empty() {
            return self.all(|_| Some(shown(&program.diagnostics)));
        }
        let kernel = match self.elaborate(program) {
            Ok(kernel) => kernel,
            Err(problems) => return refused(&problems),
        };
        if depth == Depth::FrontEnd {
            // Limits of the target are found later.
            return self.all(|case| match &case.question {
                Question::Fails(code) if !code.starts_with("E08") && code != "E0701" => {
                    blame::problem(code, &[], &program.sources)
                }
                _ => None,
            });
        }
        let compiled = match self.compile(program, &kernel, self.suite.target) {
            Ok(compiled) => compiled,
            Err(problem) => return refused(&[problem]),
        };
        self.all(|case| self.answer(case, program, &kernel, &compiled).err())
    }

    fn answer(
        &self,
        case: &Case,
        program: &Program,
        kernel: &Kernel,
        compiled: &Compiled,
    ) -> Result<(), String> {
        match &case.question {
            Question::Fails(code) => {
                blame::problem(code, &[], &program.sources).map_or(Ok(()), Err)
            }
            Question::Ptx => none(listing::problems(&compiled.ptx, &case.kernel, &case.words)?),
            Question::Lines => {
                let (ptx, source) = (&compiled.ptx, &self.suite.text);
                none(listing::unnamed_lines(ptx, &case.kernel, source))
            }
            Question::Refuses(text) => {
                let call = Call::parse(&case.words)?;
                let words = text.replace('_', " ");
                match call.prepare(&compiled.manifest) {
                    Ok(_) => Err("the launch was not refused".to_owned()),
                    Err(problem) if problem.contains(&words) => Ok(()),
                    Err(problem) => Err(format!("refused, but without `{words}`: {problem}")),
                }
            }
            Question::Stops(code) => {
                let call = Call::parse(&case.words)?;
                let manifest = compiled.manifest.clone().without_promises();
                let launch = call.prepare(&manifest)?;
                let stopped = interpret(kernel, &launch).err();
                let stopped = stopped.map(|error| messages::runtime::stopped(&error));
                let diagnostics: Vec<Diagnostic> = stopped.into_iter().collect();
                blame::problem(code, &diagnostics, &program.sources).map_or(Ok(()), Err)
            }
            Question::Runs(variant) => {
                let call = Call::parse(&case.words)?;
                let launch = call.prepare(&compiled.manifest)?;
                if let Some(suffix) = variant {
                    let chosen = launch.kernel.variants.get(launch.plan.variant);
                    let entry = chosen.map_or("", |variant| &variant.entry);
                    if entry != format!("{}{suffix}", case.kernel) {
                        return Err(format!("the variant `{entry}` was chosen"));
                    }
                }
                let tolerance = self.suite.tolerance(&case.kernel);
                let multiprocessors = self.suite.multiprocessors;
                let arguments = compare(kernel, compiled, &call, tolerance, multiprocessors)?;
                let expectations = self.suite.expectations(&case.kernel);
                let scope = scope(&launch, &case.bindings);
                for expectation in expectations {
                    judge(expectation, &scope, &arguments, tolerance)
                        .map_err(|problem| format!("the formula of {problem}"))?;
                }
                Ok(())
            }
        }
    }
}

fn none(problems: Vec<String>) -> Result<(), String> {
    if problems.is_empty() {
        Ok(())
    } else {
        Err(problems.join("; "))
    }
}

/// What names in formulas stand for.
fn scope(launch: &HostLaunch<'_>, bindings: &[String]) -> Scope {
    let mut scope = Scope::default();
    for binding in bindings {
        let Some((name, value)) = binding.split_once('=') else {
            continue;
        };
        let flag = value.parse::<bool>().ok().map(f64::from);
        if let Some(value) = value.parse().ok().or(flag) {
            scope.values.insert(name.to_owned(), number(value));
        } else if let Ok(element) = value.parse::<ElementType>() {
            scope.types.insert(name.to_owned(), element);
        }
    }
    for (name, value) in &launch.arguments {
        let value = match value {
            HostArgument::Scalar(value) => number(value.as_f64()),
            HostArgument::Tensor(tensor) => {
                let (shape, values) = (IxDyn(tensor.shape()), tensor.to_f64());
                ArrayD::from_shape_vec(shape, values).unwrap_or_else(|_| number(f64::NAN))
            }
        };
        scope.values.insert((*name).to_owned(), value);
    }
    scope
}

/// Compares what the interpreter left with a formula.
fn judge(
    expectation: &Expectation,
    scope: &Scope,
    arguments: &Arguments,
    tolerance: Option<f64>,
) -> Result<(), String> {
    let name = &expectation.tensor;
    let of = |problem: String| format!("`{name}`: {problem}");
    let found = arguments
        .tensor(name)
        .map_err(|error| of(error.to_string()))?;
    let found = found.ok_or_else(|| of("there is no such tensor".to_owned()))?;
    let value = expectation.formula.value(scope).map_err(of)?;
    let value = stretch(&value, found.shape()).map_err(of)?;
    let element = found.element();
    let mut bytes = Vec::new();
    for value in &value {
        let bits = match element {
            // Rounded here, so that the conversion to bits has nothing to decide.
            _ if element.is_float() => Scalar::Float(rounding::cast(element, *value, false)),
            _ if value.fract() == 0.0 && value.abs() <= 2_f64.powi(53) => {
                Scalar::Int(*value as i128)
            }
            _ => return Err(of(format!("{value} is no integer that f64 holds"))),
        };
        let bits = numeric::from_scalar(element, bits).to_le_bytes();
        bytes.extend(bits.iter().take(element.bytes() as usize));
    }
    let expected = Tensor::from_bytes(element, found.shape(), bytes);
    let expected = expected.map_err(|error| of(error.to_string()))?;
    let tolerance = expectation.tolerance.or(tolerance);
    let comparison = Comparison::new(&expected, &found, tolerance);
    let comparison = comparison.map_err(|error| of(error.to_string()))?;
    if comparison.is_right() {
        Ok(())
    } else {
        Err(of(comparison.to_string()))
    }
}
