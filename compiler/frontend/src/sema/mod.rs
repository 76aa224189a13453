//! Meaning: from the syntax tree and a choice of generics to the [typed program](crate::typed).
//!
//! What comes in is a file and its imports ([`Files`]), the name of a kernel and the bindings of its
//! generics. What goes out is a [`typed::Kernel`], or problems, as many as can be found at once.
//!
//! It is an *elaborator*: it runs the program as far as the program is known and writes down the
//! rest. An expression elaborates to an [`Operand`](operand::Operand), which is either known (a
//! number, a text, a function, a tuple, …) or a typed expression of the running kernel. Functions
//! and closures are inlined at each call, `static for` is unrolled, an `if` on something known takes
//! one branch.
//!
//! ```text
//! fn relu(x) { max(x, 0.0) }
//! let y = relu(load(x + at)) * SCALE;         (const SCALE: f32 = 0.5)
//!   ⇒  let x.1: tile<f32>[64] = load(broadcast(x, [64]) + at)
//!      let y: tile<f32>[64] = max(x.1, full([64], 0.0)) * full([64], 0.5)
//! ```
//!
//! | what | where |
//! |---|---|
//! | files and imports | [`files`] |
//! | operands, names in scope, state | [`operand`], [`environment`], [`elaborator`], [`order`] |
//! | kernels: parameters, generics, grid | [`kernel`], [`generics`], [`grid`], [`constants`] |
//! | statements | [`statements`], [`patterns`], [`conditionals`], [`loops`], [`returns`] |
//! | expressions | [`expressions`], [`arithmetic`], [`known`], [`logical`], [`pointers`], [`views`], [`functions`], [`builtins`] |
//! | types and numbers | [`types`], [`values`], [`unify`], [`promotion`], [`broadcast`], [`numbers`] |
//! | typed expressions | [`build`] |
//! | tests | [`host`] |
//! | code that is not elaborated | [`resolve`] |
//! | slips of the pen | [`suggest`] |
//! | what the language reference takes from the tables | [`reference`] |

use std::collections::BTreeMap;

use crate::diagnostic::{Diagnostic, Diagnostics, messages};
use crate::stack::on_deep_stack;
use crate::syntax::ast::Item;
use crate::typed;

mod arithmetic;
mod broadcast;
mod build;
mod builtins;
mod conditionals;
mod constants;
mod elaborator;
mod environment;
mod expressions;
mod files;
mod functions;
mod generics;
mod grid;
mod host;
mod kernel;
mod known;
mod leaving;
mod logical;
mod loops;
mod numbers;
mod operand;
mod order;
mod patterns;
mod pointers;
mod promises;
mod promotion;
pub mod reference;
mod resolve;
mod returns;
mod statements;
mod suggest;
mod types;
mod unify;
mod values;
mod view_pointers;
mod views;

use view_pointers::view_pointers;

use elaborator::Elaborator;
pub use files::{Files, Parse};

/// Elaborates a kernel of the root file with its generics bound to texts (`T` to `f16`).
///
/// The kernel is there exactly if none of the diagnostics is an error.
#[must_use]
pub fn elaborate_kernel(
    files: &Files,
    kernel: &str,
    bindings: &BTreeMap<String, String>,
) -> (Option<typed::Kernel>, Vec<Diagnostic>) {
    elaborating(|| {
        let Some(found) = files.root_kernels().find(|found| found.name.text == kernel) else {
            let names = files.kernels();
            let similar = suggest::nearest(kernel, names.iter().copied());
            return (
                None,
                vec![messages::names::unknown_kernel(kernel, similar, &names)],
            );
        };
        let mut elaborator = Elaborator::new(files, files.root());
        elaborator.diagnostics = files.check_names();
        let result = elaborator.kernel(found, bindings);
        let diagnostics = Diagnostics::from(elaborator.diagnostics);
        (result, diagnostics.into_sorted())
    })
}

/// What a tuner may choose for a kernel whose generics are bound to texts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Choices {
    /// What all generics are bound to, as text.
    pub generics: BTreeMap<String, String>,
    /// The generics with `tune` clauses in the order in which they are declared, with their values as text.
    pub tunes: Vec<(String, Vec<String>)>,
}

/// What a tuner may choose for a kernel of the root file whose generics are bound to texts; `None` if there is no such
/// kernel or its generics cannot be bound so.
#[must_use]
pub fn tune_choices(
    files: &Files,
    kernel: &str,
    bindings: &BTreeMap<String, String>,
) -> Option<Choices> {
    elaborating(|| {
        let found = files
            .root_kernels()
            .find(|found| found.name.text == kernel)?;
        let mut elaborator = Elaborator::new(files, files.root());
        let generics = elaborator.bind_kernel_generics(found, bindings)?;
        let tunes = elaborator.tune_choices(found);
        Some(Choices { generics, tunes })
    })
}

/// Gives a kernel of the root file with other values of its generics, and says why, in words: in go the kernel, what the
/// test has bound of its generics, and the names that a launch binds.
pub type Tuned<'a> = &'a (
        dyn Fn(
    &typed::Kernel,
    &BTreeMap<String, String>,
    &BTreeMap<String, i64>,
) -> Option<(typed::Kernel, String)>
            + Sync
    );

/// Elaborates a test of the root file. `defines` bind generics, for the kernels that have them and
/// where the test leaves them open; launches then ask `tuned`.
///
/// The test is there exactly if none of the diagnostics is an error.
#[must_use]
pub fn elaborate_test(
    files: &Files,
    test: &str,
    defines: &BTreeMap<String, String>,
    tuned: Option<Tuned<'_>>,
) -> (Option<typed::host::Test>, Vec<Diagnostic>) {
    elaborating(|| {
        let Some(found) = files.root_tests().find(|found| found.name.text == test) else {
            return (None, Vec::new());
        };
        let mut elaborator = Elaborator::new(files, files.root());
        elaborator.diagnostics = files.check_names();
        elaborator.tuned = tuned;
        let result = elaborator.test(found, defines);
        let diagnostics = Diagnostics::from(elaborator.diagnostics);
        (result, diagnostics.into_sorted())
    })
}

/// Checks all files: every kernel with its defaults (a type without one stands for its class:
/// `f32` for `float`), every const, and the names in functions.
#[must_use]
pub fn check(files: &Files) -> Vec<Diagnostic> {
    elaborating(|| {
        let mut diagnostics = Diagnostics::from(files.check_names());
        let ids = files.ids();
        // One elaborator for all consts: each is computed, and each problem reported, once.
        let mut consts = Elaborator::new(files, files.root());
        for declaration in ids.iter().flat_map(|file| files.items(*file)) {
            if let Item::Const(constant) = declaration.item {
                consts.constant(declaration, constant, constant.name.span);
            }
        }
        diagnostics.extend(consts.diagnostics);
        for declaration in ids.iter().flat_map(|file| files.items(*file)) {
            let mut elaborator = Elaborator::new(files, declaration.file);
            match declaration.item {
                Item::Kernel(kernel) => match generics::defaults_suffice(kernel) {
                    Some(bindings) => {
                        elaborator.kernel(kernel, &bindings);
                    }
                    None => elaborator.check_kernel_names(kernel),
                },
                Item::Function(function) => elaborator.check_function_names(function),
                Item::Const(_) | Item::Import(_) | Item::Test(_) => {}
            }
            diagnostics.extend(elaborator.diagnostics);
        }
        for declaration in ids.iter().flat_map(|file| files.items(*file)) {
            let Item::Test(test) = declaration.item else {
                continue;
            };
            let mut elaborator = Elaborator::new(files, declaration.file);
            elaborator.test(test, &BTreeMap::new());
            diagnostics.extend(elaborator.diagnostics);
        }
        diagnostics.into_sorted()
    })
}

/// Elaboration recurses as deep as the program nests, calls inlined.
fn elaborating<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    on_deep_stack(work).unwrap_or_else(|error| panic!("no thread for semantic analysis: {error}"))
}

#[cfg(test)]
mod tests;
