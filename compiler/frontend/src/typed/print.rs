//! Readable text of the typed program, for `--emit typed` and for snapshots.
//!
//! ```text
//! kernel add<BLOCK = 1024>(x: ptr<f32>, z: mut ptr<f32>, n: i32) grid(cdiv(n, 1024)) {
//!     let at: tile<i32>[1024] = broadcast(program_id(0) * 1024) + arange(0, 1024)
//!     store(broadcast(z) + at, load(broadcast(x) + at), mask = at < 1024)
//! }
//! ```
//!
//! Every variable has one spelling: its name in the source, followed by `.1`, `.2`, … when several
//! variables share the name. The first assignment of a variable shows its type. Literals carry a
//! suffix unless they are `i32` or `f32`.

use std::collections::{HashMap, HashSet};
use std::fmt::{self, Display, Formatter, Write as _};

use super::{
    Block, Bounds, CacheHints, CacheModifier, Combine, Dimension, Element, Evict, Kernel,
    MultiKind, MultiOperation, Overrides, Parameter, Stmt, StmtKind, Stride, TensorParameter,
    ValueType, VariableId, View, ViewIndex,
};

mod expressions;
mod grid;

impl Display for Element {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(element) => write!(f, "{element}"),
            Self::Pointer {
                pointee,
                mutable: false,
            } => write!(f, "ptr<{pointee}>"),
            Self::Pointer {
                pointee,
                mutable: true,
            } => write!(f, "mut ptr<{pointee}>"),
        }
    }
}

impl Display for ValueType {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.shape.is_empty() {
            write!(f, "{}", self.element)
        } else {
            write!(f, "tile<{}>{}", self.element, shape(&self.shape))
        }
    }
}

impl Display for Kernel {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&Printer::new(self).kernel())
    }
}

/// `[128, 64]`
fn shape(sizes: &[u64]) -> String {
    format!("[{}]", comma(sizes))
}

fn comma<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    items.join(", ")
}

struct Printer<'k> {
    kernel: &'k Kernel,
    /// One spelling per variable.
    names: Vec<String>,
    /// Variables whose type was shown.
    declared: HashSet<VariableId>,
    out: String,
    depth: usize,
}

impl<'k> Printer<'k> {
    fn new(kernel: &'k Kernel) -> Self {
        let mut uses: HashMap<&str, usize> = HashMap::new();
        let names = kernel
            .variables
            .iter()
            .map(|variable| {
                let count = uses.entry(&variable.name).or_default();
                *count += 1;
                match *count {
                    1 => variable.name.clone(),
                    many => format!("{}.{}", variable.name, many - 1),
                }
            })
            .collect();
        Self {
            kernel,
            names,
            declared: HashSet::new(),
            out: String::new(),
            depth: 0,
        }
    }

    fn kernel(mut self) -> String {
        let kernel = self.kernel;
        for line in overrides(kernel.overrides) {
            self.line(&line);
        }
        let generics = comma(
            kernel
                .generics
                .iter()
                .map(|(name, value)| format!("{name} = {value}")),
        );
        let generics = if generics.is_empty() {
            generics
        } else {
            format!("<{generics}>")
        };
        let parameters = comma(
            kernel
                .parameters
                .iter()
                .map(|parameter| self.parameter(parameter)),
        );
        let grid = kernel.grid.as_ref().map_or_else(String::new, |axes| {
            format!(" grid({})", comma(axes.iter().map(grid::size)))
        });
        self.line(&format!(
            "kernel {}{generics}({parameters}){grid} {{",
            kernel.name
        ));
        self.block(&kernel.body);
        self.line("}");
        self.out
    }

    fn parameter(&self, parameter: &Parameter) -> String {
        match parameter {
            Parameter::Scalar { name, variable } | Parameter::Pointer { name, variable } => {
                format!("{name}: {}", self.type_of(*variable))
            }
            Parameter::Tensor(tensor) => self.tensor(tensor),
        }
    }

    fn tensor(&self, tensor: &TensorParameter) -> String {
        let element = match self
            .kernel
            .variables
            .get(tensor.pointer.0 as usize)
            .map(|v| v.ty.element)
        {
            Some(Element::Pointer {
                pointee,
                mutable: true,
            }) => format!("mut tensor<{pointee}>"),
            Some(Element::Pointer {
                pointee,
                mutable: false,
            }) => format!("tensor<{pointee}>"),
            _ => "tensor<?>".to_owned(),
        };
        let dimensions = comma(tensor.dimensions.iter().map(|dimension| {
            match dimension {
                Dimension::Fixed(size) => size.to_string(),
                Dimension::Size(index) => self
                    .kernel
                    .sizes
                    .get(*index)
                    .map_or_else(|| "?".to_owned(), |(name, _)| name.clone()),
            }
        }));
        let dense = tensor.strides.iter().all(|stride| *stride == Stride::Dense);
        let strides = if dense {
            String::new()
        } else {
            let strides = tensor.strides.iter().map(|stride| match stride {
                Stride::Dense => "dense".to_owned(),
                Stride::Fixed(stride) => stride.to_string(),
                Stride::Variable { variable, .. } => self.name(*variable).to_owned(),
            });
            format!(" strides({})", comma(strides))
        };
        format!("{}: {element}[{dimensions}]{strides}", tensor.name)
    }

    fn name(&self, variable: VariableId) -> &str {
        self.names
            .get(variable.0 as usize)
            .map_or("?", String::as_str)
    }

    fn names(&self, variables: &[VariableId]) -> String {
        comma(variables.iter().map(|variable| self.name(*variable)))
    }

    fn type_of(&self, variable: VariableId) -> String {
        match self.kernel.variables.get(variable.0 as usize) {
            Some(variable) => variable.ty.to_string(),
            None => "?".to_owned(),
        }
    }

    /// `let x: f32` the first time, `x` later.
    fn target(&mut self, variable: VariableId) -> String {
        if self.declared.insert(variable) {
            format!("let {}: {}", self.name(variable), self.type_of(variable))
        } else {
            self.name(variable).to_owned()
        }
    }

    fn line(&mut self, text: &str) {
        let width = self.depth * 4;
        let _ = writeln!(self.out, "{:width$}{text}", "");
    }

    fn block(&mut self, block: &Block) {
        self.depth += 1;
        for statement in &block.statements {
            self.statement(statement);
        }
        self.depth -= 1;
    }

    fn statement(&mut self, statement: &Stmt) {
        match &statement.kind {
            StmtKind::Assign { variable, value } => {
                let value = self.expr(value);
                let target = self.target(*variable);
                self.line(&format!("{target} = {value}"));
            }
            StmtKind::AssignMany {
                variables,
                operation,
            } => self.assign_many(variables, operation),
            StmtKind::Store {
                pointers,
                value,
                mask,
                cache,
            } => {
                let mut text = format!("store({}, {}", self.expr(pointers), self.expr(value));
                if let Some(mask) = mask {
                    let _ = write!(text, ", mask = {}", self.expr(mask));
                }
                self.line(&format!("{text}{})", hints(*cache)));
            }
            StmtKind::StoreView {
                view,
                value,
                mask,
                bounds,
                cache,
            } => {
                let mut text = format!("store({}, {}", self.view(view), self.expr(value));
                if let Some(mask) = mask {
                    let _ = write!(text, ", mask = {}", self.expr(mask));
                }
                self.line(&format!("{text}{}{})", unchecked(*bounds), hints(*cache)));
            }
            StmtKind::Atomic {
                variable,
                operation,
                pointers,
                compare,
                value,
                mask,
                order,
                scope,
            } => {
                let mut list = vec![self.expr(pointers)];
                list.extend(compare.as_ref().map(|compare| self.expr(compare)));
                list.push(self.expr(value));
                list.extend(
                    mask.as_ref()
                        .map(|mask| format!("mask = {}", self.expr(mask))),
                );
                let order = order.name();
                let scope = scope.name();
                let call = format!(
                    "atomic_{}({}, order = {order}, scope = {scope})",
                    operation.name(),
                    comma(list)
                );
                let target = variable.map(|variable| self.target(variable));
                self.line(&target.map_or(call.clone(), |target| format!("{target} = {call}")));
            }
            StmtKind::For {
                variable,
                lo,
                hi,
                step,
                overrides: marks,
                body,
            } => {
                for line in overrides(*marks) {
                    self.line(&line);
                }
                let range = comma([self.expr(lo), self.expr(hi), self.expr(step)]);
                self.declared.insert(*variable);
                let (name, ty) = (self.name(*variable).to_owned(), self.type_of(*variable));
                self.line(&format!("for {name}: {ty} in range({range}) {{"));
                self.block(body);
                self.line("}");
            }
            StmtKind::While {
                condition,
                test,
                body,
            } => {
                if condition.statements.is_empty() {
                    let test = self.expr(test);
                    self.line(&format!("while {test} {{"));
                } else {
                    self.line("while {");
                    self.block(condition);
                    let test = self.expr(test);
                    self.line(&format!("}} then {test} {{"));
                }
                self.block(body);
                self.line("}");
            }
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                let condition = self.expr(condition);
                self.line(&format!("if {condition} {{"));
                self.block(then);
                if !otherwise.statements.is_empty() {
                    self.line("} else {");
                    self.block(otherwise);
                }
                self.line("}");
            }
            StmtKind::Break => self.line("break"),
            StmtKind::Continue => self.line("continue"),
            StmtKind::Return => self.line("return"),
            StmtKind::Labelled { label, body } => {
                self.line(&format!("'l{}: {{", label.0));
                self.block(body);
                self.line("}");
            }
            StmtKind::Leave(label) => self.line(&format!("leave 'l{}", label.0)),
            StmtKind::Assume(condition) => {
                let condition = self.expr(condition);
                self.line(&format!("assume({condition})"));
            }
            StmtKind::Assert { condition, message } => {
                let condition = self.expr(condition);
                self.line(&format!("assert({condition}, {message:?})"));
            }
            StmtKind::Print { label, values, hex } => {
                let mut list = vec![format!("{label:?}")];
                list.extend(values.iter().map(|value| self.expr(value)));
                list.extend(hex.then(|| "hex = true".to_owned()));
                self.line(&format!("print({})", comma(list)));
            }
            StmtKind::Asm {
                variables,
                asm,
                arguments,
            } => {
                let mut list = vec![format!("{:?}", asm.text)];
                list.extend(arguments.iter().map(|value| self.expr(value)));
                list.push(format!("type = ({})", comma(&asm.results)));
                list.extend((asm.pack > 1).then(|| format!("pack = {}", asm.pack)));
                list.extend(asm.effects.then(|| "pure = false".to_owned()));
                let targets: Vec<String> = variables
                    .iter()
                    .map(|variable| self.target(*variable))
                    .collect();
                self.line(&format!("({}) = asm({})", comma(targets), comma(list)));
            }
            StmtKind::Prefetch {
                pointers,
                mask,
                level,
            } => {
                let mut list = vec![self.expr(pointers)];
                list.extend(
                    mask.iter()
                        .map(|mask| format!("mask = {}", self.expr(mask))),
                );
                list.push(format!("level = {}", level.name()));
                self.line(&format!("prefetch({})", comma(list)));
            }
            StmtKind::Host(step) => {
                let operands = comma(step.operands.iter().map(|operand| self.expr(operand)));
                let results = comma(step.results.iter().map(|result| self.target(*result)));
                let name = step.operation.name();
                self.line(&format!("({results}) = host {name}({operands})"));
            }
        }
    }

    fn assign_many(&mut self, variables: &[VariableId], operation: &MultiOperation) {
        let targets: Vec<String> = variables
            .iter()
            .map(|variable| self.target(*variable))
            .collect();
        let MultiOperation {
            kind,
            inputs,
            axis,
            combine,
        } = operation;
        let name = match kind {
            MultiKind::Reduce => "reduce",
            MultiKind::Scan { reverse: false } => "scan",
            MultiKind::Scan { reverse: true } => "scan_reverse",
            MultiKind::Map => "map",
        };
        let inputs = comma(inputs.iter().map(|input| self.expr(input)));
        let Combine {
            left,
            right,
            body,
            results,
        } = combine;
        let (along, header) = match kind {
            MultiKind::Map => (String::new(), self.names(left)),
            _ => (
                format!(", axis = {axis}"),
                format!("({}), ({})", self.names(left), self.names(right)),
            ),
        };
        self.declared.extend(left.iter().chain(right));
        self.line(&format!(
            "({}) = {name}(({inputs}){along}, |{header}| {{",
            comma(targets)
        ));
        self.block(body);
        self.depth += 1;
        let results = comma(results.iter().map(|result| self.expr(result)));
        self.line(&format!("({results})"));
        self.depth -= 1;
        self.line("})");
    }

    fn view(&self, view: &View) -> String {
        let name = match self.kernel.parameters.get(view.tensor) {
            Some(Parameter::Tensor(tensor)) => tensor.name.as_str(),
            _ => "?",
        };
        let indices = comma(view.indices.iter().map(|index| match index {
            ViewIndex::At(position) => self.expr(position),
            ViewIndex::Range { start, width } => format!("{} +: {width}", self.operand(start)),
            ViewIndex::Gather(positions) => format!("gather {}", self.expr(positions)),
        }));
        format!("{name}[{indices}]")
    }
}

fn overrides(overrides: Overrides) -> Vec<String> {
    let Overrides {
        warps,
        stages,
        split,
    } = overrides;
    [("warps", warps), ("stages", stages), ("split", split)]
        .into_iter()
        .filter_map(|(name, value)| value.map(|value| format!("#[{name}({value})]")))
        .collect()
}

fn unchecked(bounds: Bounds) -> &'static str {
    match bounds {
        Bounds::Checked => "",
        Bounds::Unchecked => ", bounds = unchecked",
    }
}

fn hints(hints: CacheHints) -> String {
    let modifier = match hints.modifier {
        CacheModifier::Default => "",
        CacheModifier::Ca => ", cache = ca",
        CacheModifier::Cg => ", cache = cg",
        CacheModifier::Cs => ", cache = cs",
        CacheModifier::Cv => ", cache = cv",
        CacheModifier::Wb => ", cache = wb",
        CacheModifier::Wt => ", cache = wt",
    };
    let evict = match hints.evict {
        Evict::Normal => "",
        Evict::First => ", evict = first",
        Evict::Last => ", evict = last",
    };
    format!("{modifier}{evict}")
}
