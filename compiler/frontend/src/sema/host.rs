//! `test` blocks: programs of the host.
//!
//! The body is elaborated as that of a kernel, by the same code: a tile is a whole array here, of any
//! size, and everything that exists for tiles exists for arrays. On top come kernels, which can be
//! called, and the functions of [`TABLE`](super::builtins::HOST), which make arrays and assert.
//!
//! ```text
//! let z = zeros([1000], f32);        v1 : f32[1000] = 0.0
//! relu(x, z);                    ⇒   (v1) = host launch(v0, v1)
//! assert_equal(z, max(x, 0.0));      () = host assert_equal(v1, max(v0, 0.0))
//! ```
//!
//! | what | where |
//! |---|---|
//! | launches: arguments, generics, grid | [`launch`], [`arguments`] |
//! | values of generics that are recorded | [`tuned`] |
//! | arrays and views of them | [`arrays`] |
//! | new arrays | [`create`] |
//! | assertions on values | [`assertions`] |
//! | assertions on compiled kernels | [`properties`] |

use std::collections::BTreeMap;

use super::builtins::Builtin;
use super::elaborator::Elaborator;
use super::operand::Operand;
use super::suggest;
use crate::diagnostic::{Severity, Span, messages};
use crate::source::FileId;
use crate::syntax::ast::{self, ExprKind, Item};
use crate::typed::host::{HostOperation, HostStep, Test};
use crate::typed::{self, Expr, Overrides, StmtKind, VariableId};

mod arguments;
mod arrays;
pub(super) mod assertions;
pub(super) mod create;
mod launch;
mod properties;
mod tuned;

/// Forms that look like calls and are not: an argument names a kernel or is a launch.
const FORMS: [&str; 4] = ["launch", "assert_fails", "assert_ptx", "assert_resources"];

/// What the elaboration of a test knows beside that of a kernel.
#[derive(Debug, Default)]
pub(super) struct Host {
    /// The kernels used so far.
    kernels: Vec<typed::Kernel>,
    /// Where each came from, in the same order.
    keys: Vec<KernelKey>,
    /// `-D` of the command line: for generics that the test leaves open.
    defines: BTreeMap<String, String>,
    /// Random arrays made so far without a seed.
    unseeded: u64,
    /// What was said of other values, once each.
    notes: Vec<String>,
    /// The launch being elaborated must fail, with a message that contains this.
    refusal: Option<String>,
}

/// File, name and generics of a kernel.
type KernelKey = (FileId, String, BTreeMap<String, String>);

impl<'a> Elaborator<'a> {
    /// Elaborates a test. `None` when a problem was reported.
    pub fn test(
        &mut self,
        test: &'a ast::TestBlock,
        defines: &BTreeMap<String, String>,
    ) -> Option<Test> {
        self.host = Some(Host {
            defines: defines.clone(),
            ..Host::default()
        });
        self.test_attributes(&test.attributes);
        let body = self.nested(|this| this.block(&test.body, None)).1;
        let host = self.host.take()?;
        let failed = self
            .diagnostics
            .iter()
            .any(|found| found.severity == Severity::Error);
        if failed {
            return None;
        }
        let program = typed::Kernel {
            name: test.name.text.clone(),
            docs: test.docs.join("\n"),
            span: test.name.span,
            generics: BTreeMap::new(),
            parameters: Vec::new(),
            sizes: Vec::new(),
            grid: None,
            spread: None,
            promises: Vec::new(),
            overrides: Overrides::default(),
            variables: std::mem::take(&mut self.variables),
            body,
        };
        Some(Test {
            name: test.name.text.clone(),
            span: test.name.span,
            program,
            kernels: host.kernels,
            notes: host.notes,
        })
    }

    /// `#[ignore]` is all there is; the driver looks for it.
    fn test_attributes(&mut self, attributes: &[ast::Attribute]) {
        for attribute in attributes {
            let name = &attribute.name;
            if name.text != "ignore" {
                let similar = suggest::nearest(&name.text, ["ignore"]);
                self.report(messages::host::unknown_attribute(
                    &name.text, name.span, similar,
                ));
            } else if let Some(argument) = attribute.arguments.first() {
                self.report(messages::host::ignore_argument(argument.span));
            }
        }
    }

    /// A call that means something in tests alone; `None` if it is one like any other.
    pub fn host_call(
        &mut self,
        callee: &'a ast::Expr,
        arguments: &'a [ast::Argument],
        span: Span,
    ) -> Option<Operand<'a>> {
        let ExprKind::Name(name) = &callee.kind else {
            return None;
        };
        if self.scopes.find(self.environment, name).is_some() {
            return None;
        }
        if let Some(declaration) = self.files.find(self.file, name) {
            return match declaration.item {
                Item::Kernel(kernel) if self.host.is_some() => {
                    let arguments: Vec<&'a ast::Argument> = arguments.iter().collect();
                    Some(self.launch(declaration.file, kernel, &arguments, None, span))
                }
                _ => None,
            };
        }
        if self.host.is_none() {
            // What kernels have too under this name is theirs.
            let only_in_tests = is_of_tests(name) && Builtin::find(name).is_none();
            return only_in_tests
                .then(|| self.error(messages::host::only_in_tests(name, callee.span)));
        }
        match name.as_str() {
            "launch" => Some(self.launch_form(arguments, span)),
            "assert_fails" => Some(self.assert_fails(arguments, span)),
            "assert_ptx" => Some(self.assert_ptx(arguments, span)),
            "assert_resources" => Some(self.assert_resources(arguments, span)),
            "program_id" | "num_programs" => {
                Some(self.error(messages::host::only_in_kernels(name, callee.span)))
            }
            _ => {
                let builtin = Builtin::of_host(name)?;
                let values = self.pass(arguments);
                // `rand(seed, offset)` is that of kernels: it makes numbers of a tile of offsets.
                let of_kernels = Builtin::find(name)
                    .filter(|_| matches!(name.as_str(), "rand" | "randn" | "randint"))
                    .filter(|_| values.len() > 1 && !create::has_shape(&values));
                let builtin = of_kernels.unwrap_or(builtin);
                Some(match self.bind_passed(builtin.signature(), values, span) {
                    Some(call) => builtin.run(self, call),
                    None => Operand::Error,
                })
            }
        }
    }

    /// Emits a step that gives nothing.
    fn host_step(&mut self, operation: HostOperation, operands: Vec<Expr>, span: Span) {
        self.host_step_with(operation, operands, Vec::new(), span);
    }

    fn host_step_with(
        &mut self,
        operation: HostOperation,
        operands: Vec<Expr>,
        results: Vec<VariableId>,
        span: Span,
    ) {
        if self.combiner.is_some() {
            let what = format!("`{}`", operation.name());
            self.report(messages::control::effect_in_combiner(&what, span));
            return;
        }
        let step = HostStep {
            operation,
            operands,
            results,
        };
        self.emit(StmtKind::Host(Box::new(step)), span);
    }
}

/// Whether a name is a function of tests.
pub(super) fn is_of_tests(name: &str) -> bool {
    FORMS.contains(&name) || Builtin::of_host(name).is_some()
}

/// The functions of tests.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    FORMS.into_iter().chain(Builtin::host_names())
}
