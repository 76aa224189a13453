//! Launches: `kernel(arguments)`, `launch(kernel, arguments, grid = (x, y))`, and launches that must
//! fail.

use std::collections::{BTreeMap, HashMap};

use super::arguments::{Given, Placed};
use super::arrays::ArrayView;
use crate::diagnostic::messages::generics::Bound;
use crate::diagnostic::{Diagnostic, Severity, Span, messages};
use crate::sema::elaborator::Elaborator;
use crate::sema::operand::{Located, Operand, scalar};
use crate::sema::types::Annotation;
use crate::sema::{build, suggest};
use crate::source::FileId;
use crate::syntax::ast::{self, ExprKind, Item};
use crate::typed::host::{HostOperation, Launch, LaunchArgument};
use crate::typed::{Element, Expr, Kernel, Parameter, Stride, VariableId};
use tile_runtime::element::ElementType;

/// Operands, results and arguments of a launch in the making.
#[derive(Default)]
struct Operands {
    list: Vec<Expr>,
    results: Vec<VariableId>,
    /// Arrays that are operands already: views of one array share its memory.
    arrays: HashMap<VariableId, usize>,
}

impl<'a> Elaborator<'a> {
    /// `kernel(arguments)`; `grid` is that of [`launch_form`](Self::launch_form).
    pub(super) fn launch(
        &mut self,
        file: FileId,
        kernel: &'a ast::Kernel,
        arguments: &[&'a ast::Argument],
        grid: Option<&'a ast::Expr>,
        span: Span,
    ) -> Operand<'a> {
        let refusal = self.host.as_mut().and_then(|host| host.refusal.take());
        if kernel.grid.is_some()
            && let Some(grid) = grid
        {
            return self.error(messages::host::grid_twice(
                &kernel.name.text,
                grid.span,
                kernel.name.span,
            ));
        }
        if kernel.grid.is_none() && grid.is_none() {
            return self.error(messages::host::grid_missing(
                &kernel.name.text,
                span,
                kernel.name.span,
            ));
        }
        let Some(Placed {
            parameters,
            bindings,
        }) = self.place_arguments(kernel, arguments, span)
        else {
            return Operand::Error;
        };
        let Some(mut index) = self.host_kernel(file, kernel, bindings.clone(), span) else {
            return Operand::Error;
        };
        let Some(typed) = self.host_kernel_at(index) else {
            return Operand::Error;
        };
        let mut operands = Operands::default();
        let mut bound = Vec::new();
        for (parameter, given) in typed.parameters.iter().zip(parameters) {
            bound.push(self.launch_argument(&typed, parameter, given, &mut operands));
        }
        let grid = match grid {
            Some(grid) => self.launch_grid(grid, &mut operands),
            None => Some(Vec::new()),
        };
        let bound: Option<Vec<LaunchArgument>> = bound.into_iter().collect();
        let (Some(arguments), Some(grid)) = (bound, grid) else {
            return Operand::Error;
        };
        if let Some(tuned) = self.tuned_kernel(file, &typed, bindings, &arguments, &operands.list) {
            index = tuned;
        }
        let launch = Launch {
            kernel: index,
            arguments,
            grid,
            refusal,
        };
        self.host_step_with(
            HostOperation::Launch(launch),
            operands.list,
            operands.results,
            span,
        );
        Operand::UNIT
    }

    /// `launch(kernel, arguments, grid = (x, y))`, for kernels that leave their grid to the host.
    pub(super) fn launch_form(
        &mut self,
        arguments: &'a [ast::Argument],
        span: Span,
    ) -> Operand<'a> {
        let Some((first, rest)) = arguments.split_first() else {
            return self.error(messages::host::kernel_expected("launch", span));
        };
        let Some((file, kernel)) = self.named_kernel("launch", first) else {
            return Operand::Error;
        };
        let is_grid = |argument: &&ast::Argument| {
            let named = argument.name.as_ref();
            named.is_some_and(|name| name.text == "grid")
        };
        let (grids, rest): (Vec<_>, Vec<_>) = rest.iter().partition(is_grid);
        match grids.as_slice() {
            [] => self.launch(file, kernel, &rest, None, span),
            [grid] => self.launch(file, kernel, &rest, Some(&grid.value), span),
            [_, again, ..] => {
                let at = again.value.span;
                self.error(messages::names::argument_twice("launch", "grid", at))
            }
        }
    }

    /// `assert_fails(kernel(arguments), "text")`: the launch must be refused or stop with an error.
    pub(super) fn assert_fails(
        &mut self,
        arguments: &'a [ast::Argument],
        span: Span,
    ) -> Operand<'a> {
        let (launch, text) = match arguments {
            [launch] => (launch, None),
            [launch, text] => (launch, Some(text)),
            _ => return self.error(messages::host::launch_expected(span)),
        };
        let text = match text.map(|text| self.located(&text.value)) {
            None => String::new(),
            Some(Located {
                operand: Operand::Str(text),
                ..
            }) => text,
            Some(other) if other.operand.is_poison() => return Operand::Error,
            Some(other) => return self.error(messages::types::expected(&other, "a text")),
        };
        if let Some(host) = &mut self.host {
            host.refusal = Some(text);
        }
        let result = self.expr(&launch.value);
        let unused = self.host.as_mut().and_then(|host| host.refusal.take());
        if unused.is_some() && !result.is_poison() {
            return self.error(messages::host::launch_expected(launch.value.span));
        }
        Operand::UNIT
    }

    /// The kernel that an argument names.
    pub(super) fn named_kernel(
        &mut self,
        form: &str,
        argument: &'a ast::Argument,
    ) -> Option<(FileId, &'a ast::Kernel)> {
        let expr = &argument.value;
        let (ExprKind::Name(name), None) = (&expr.kind, &argument.name) else {
            if !matches!(expr.kind, ExprKind::Error) {
                self.report(messages::host::kernel_expected(form, expr.span));
            }
            return None;
        };
        if self.scopes.find(self.environment, name).is_some() {
            self.report(messages::host::kernel_expected(form, expr.span));
            return None;
        }
        match self.files.find(self.file, name) {
            Some(found) => match found.item {
                Item::Kernel(kernel) => Some((found.file, kernel)),
                _ => {
                    self.report(messages::host::kernel_expected(form, expr.span));
                    None
                }
            },
            None if self.files.imports(self.file, name) => None,
            None => {
                let kernels = self.files.kernel_names(self.file);
                let similar = suggest::nearest(name, kernels);
                self.report(messages::names::unknown(name, expr.span, similar));
                None
            }
        }
    }

    /// Elaborates a kernel with its generics bound, once; gives its place in the test.
    pub(super) fn host_kernel(
        &mut self,
        file: FileId,
        kernel: &'a ast::Kernel,
        bindings: BTreeMap<String, String>,
        span: Span,
    ) -> Option<usize> {
        let key = (file, kernel.name.text.clone(), bindings);
        let known = self.host.as_ref()?.keys.iter().position(|old| *old == key);
        if known.is_some() {
            return known;
        }
        let mut inner = Elaborator::new(self.files, file);
        inner.bound = Bound::Launch;
        let elaborated = inner.kernel(kernel, &key.2);
        for diagnostic in inner.diagnostics {
            if diagnostic.severity == Severity::Error {
                let diagnostic = launched_here(diagnostic, &key.2, span);
                self.report(diagnostic);
            }
        }
        let host = self.host.as_mut()?;
        host.kernels.push(elaborated?);
        host.keys.push(key);
        Some(host.kernels.len() - 1)
    }

    fn host_kernel_at(&self, index: usize) -> Option<Kernel> {
        self.host.as_ref()?.kernels.get(index).cloned()
    }

    fn launch_argument(
        &mut self,
        kernel: &Kernel,
        parameter: &Parameter,
        given: Given<'a>,
        operands: &mut Operands,
    ) -> Option<LaunchArgument> {
        let (name, variable, strides): (&str, VariableId, &[Stride]) = match parameter {
            Parameter::Scalar { name, variable } | Parameter::Pointer { name, variable } => {
                (name, *variable, &[])
            }
            Parameter::Tensor(tensor) => (&tensor.name, tensor.pointer, &tensor.strides),
        };
        let of = format!("`{name}` of `{}`", kernel.name);
        let wanted = kernel.variables.get(variable.0 as usize)?.ty.element;
        match wanted {
            Element::Number(element) => {
                let located = match given {
                    Given::Value(located) => located,
                    Given::View(view, expr) => {
                        self.report(messages::host::number_expected(&of, &view.ty(), expr.span));
                        return None;
                    }
                };
                let wanted = Annotation::Value(scalar(element));
                let span = located.span;
                let operand = self.conform(located, &wanted);
                let value = self.value(&operand.at(span))?;
                operands.list.push(value);
                Some(LaunchArgument::Scalar {
                    operand: operands.list.len() - 1,
                })
            }
            Element::Pointer { pointee, mutable } => {
                self.array_argument(&of, given, pointee, mutable, strides, operands)
            }
        }
    }

    fn array_argument(
        &mut self,
        of: &str,
        given: Given<'a>,
        pointee: ElementType,
        mutable: bool,
        strides: &[Stride],
        operands: &mut Operands,
    ) -> Option<LaunchArgument> {
        let value = match given {
            Given::View(view, expr) => {
                if view.element != pointee {
                    let found = view.ty();
                    let wrong = messages::types::element_mismatch(of, pointee, &found, expr.span);
                    self.report(wrong);
                    return None;
                }
                if view.suits(strides) {
                    return Some(self.view_argument(view, mutable, expr.span, operands));
                }
                if mutable {
                    self.report(messages::host::strides_of_written(of, expr.span));
                    return None;
                }
                // What is only read may be a copy.
                self.located(expr)
            }
            Given::Value(located) => located,
        };
        let (expr, element) = self.number_value(&value)?;
        if expr.ty.shape.is_empty() {
            self.report(messages::host::array_expected(of, &expr.ty, value.span));
            return None;
        }
        if element != pointee {
            self.report(messages::types::element_mismatch(
                of, pointee, &expr.ty, value.span,
            ));
            return None;
        }
        if mutable {
            self.report(messages::host::written_value(of, value.span));
            return None;
        }
        let view = ArrayView::whole(VariableId(u32::MAX), element, &expr.ty.shape);
        operands.list.push(expr);
        Some(LaunchArgument::Array {
            operand: operands.list.len() - 1,
            shape: view.shape,
            strides: view.strides,
            offset: 0,
            result: None,
        })
    }

    fn view_argument(
        &self,
        view: ArrayView,
        mutable: bool,
        span: Span,
        operands: &mut Operands,
    ) -> LaunchArgument {
        let operand = *operands.arrays.entry(view.variable).or_insert_with(|| {
            operands.list.push(self.read(view.variable, span));
            operands.list.len() - 1
        });
        let result = mutable.then(|| {
            let known = operands
                .results
                .iter()
                .position(|result| *result == view.variable);
            known.unwrap_or_else(|| {
                operands.results.push(view.variable);
                operands.results.len() - 1
            })
        });
        LaunchArgument::Array {
            operand,
            shape: view.shape,
            strides: view.strides,
            offset: view.offset,
            result,
        }
    }

    /// One to three integers.
    fn launch_grid(&mut self, grid: &'a ast::Expr, operands: &mut Operands) -> Option<Vec<usize>> {
        let located = self.located(grid);
        let axes: Vec<Located<'a>> = match located.operand {
            Operand::Tuple(items) => items.into_iter().map(|item| item.at(grid.span)).collect(),
            Operand::List(items) => items,
            operand => vec![operand.at(grid.span)],
        };
        if axes.is_empty() || axes.len() > 3 {
            self.report(messages::control::grid_axes(axes.len(), grid.span));
            return None;
        }
        let mut places = Vec::new();
        for axis in &axes {
            let value = self.index(axis, "a size of the grid")?;
            operands.list.push(build::cast(value, ElementType::I64));
            places.push(operands.list.len() - 1);
        }
        Some(places)
    }
}

/// Says which launch a problem in a kernel comes from.
fn launched_here(
    diagnostic: Diagnostic,
    bindings: &BTreeMap<String, String>,
    span: Span,
) -> Diagnostic {
    let generics: Vec<String> = bindings
        .iter()
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    let text = if generics.is_empty() {
        "used here".to_owned()
    } else {
        format!("used here with `{}`", generics.join(", "))
    };
    diagnostic.secondary(span, text)
}
