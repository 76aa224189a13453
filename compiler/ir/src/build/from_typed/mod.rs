//! From the typed program to a module of the `tile` dialect.
//!
//! Comes in: a [`Kernel`]. Goes out: a module with one `func.func` whose arguments are those of
//! [`entry_arguments`], in SSA form: variables have become values, loops carry what they change.
//!
//! ```text
//! for k0 in range(0, k, 64) { acc = dot(x, y, acc); }
//!   ⇒  %acc = scf.for %i = %0 to %k step %64 iter_args(%a = %zero) { … scf.yield %d }
//! ```
//!
//! Loops count in 64 bits, whatever the type of their variable, so that `variable + step` cannot
//! wrap past the limit.

use std::collections::{BTreeSet, HashMap};

use melior::Context;
use melior::ir::attribute::{Attribute, TypeAttribute};
use melior::ir::r#type::FunctionType;
use melior::ir::{Block as OwnedBlock, Location, Module, Region, RegionLike, Type};
use tile_runtime::element::ElementType;
use tile_runtime::manifest::{Argument, SizeExpr};

use crate::build::Builder;
use crate::diagnostic::{Diagnostic, Span};
use crate::dialect::{TileOp, pointer_type};
use crate::ffi::defining_operation;
use crate::ir::{Block, TileType, Value, arguments, name, operand, operations};
use crate::source::SourceMap;
use crate::typed::{
    CacheHints, CacheModifier, Element, Evict, Kernel, Parameter, Stmt, StmtKind, Stride,
    ValueType, VariableId, structured,
};

mod asm;
mod atomics;
mod control;
mod conversions;
mod debug;
mod expressions;
mod histogram;
mod movement;
mod operations;
mod reductions;
mod sorting;

pub use conversions::LARGEST_E5M2;

/// The arguments of a kernel's entry point and the variables they arrive in: per parameter its
/// address or value, then sizes that appear for the first time, then strides that are variables.
#[must_use]
pub fn entry_arguments(kernel: &Kernel) -> Vec<(Argument, VariableId)> {
    let mut list = Vec::new();
    let mut seen = BTreeSet::new();
    for parameter in &kernel.parameters {
        match parameter {
            Parameter::Scalar { name, variable } => {
                list.push((Argument::Scalar { name: name.clone() }, *variable));
            }
            Parameter::Pointer { name, variable } => {
                list.push((Argument::Address { of: name.clone() }, *variable));
            }
            Parameter::Tensor(tensor) => {
                list.push((
                    Argument::Address {
                        of: tensor.name.clone(),
                    },
                    tensor.pointer,
                ));
                for dimension in &tensor.dimensions {
                    if let crate::typed::Dimension::Size(index) = dimension
                        && let Some((name, variable)) = kernel.sizes.get(*index)
                        && seen.insert(*variable)
                    {
                        list.push((Argument::Size { name: name.clone() }, *variable));
                    }
                }
                for (dimension, stride) in tensor.strides.iter().enumerate() {
                    if let Stride::Variable { variable, .. } = stride
                        && seen.insert(*variable)
                    {
                        let of = tensor.name.clone();
                        list.push((Argument::Stride { of, dimension }, *variable));
                    }
                }
            }
        }
    }
    list
}

/// What the grid's axes are, as [`crate::dialect::GRID`] says it.
fn grid(kernel: &Kernel, parameters: &[(Argument, VariableId)]) -> Vec<i64> {
    let number = |of: &SizeExpr| {
        let SizeExpr::Name(of) = of else { return None };
        let is_it = |argument: &Argument| matches!(argument, Argument::Size { name } | Argument::Scalar { name } if name == of);
        let mut all = parameters.iter();
        all.position(|(argument, _)| is_it(argument))
    };
    let axes = kernel.grid.iter().flatten();
    let axes = axes.map(|axis| match axis {
        SizeExpr::CeilDiv(of, by) => match (number(of), &**by) {
            (Some(number), SizeExpr::Const(by)) if *by > 0 => [number as i64, *by],
            _ => [-1, 1],
        },
        other => [number(other).map_or(-1, |number| number as i64), 1],
    });
    axes.flatten().collect()
}

/// Whether a function subtracts the number of a program from something, as those do that begin with the last one.
fn subtracts_program(body: Block<'_>) -> bool {
    let is_number = |value| {
        let of = defining_operation(value).and_then(TileOp::of);
        matches!(of, Some(TileOp::ProgramId(_)))
    };
    let mut all = operations(body).into_iter();
    all.any(|of| name(of) == "arith.subi" && is_number(operand(of, 1)))
}

/// Builds the module.
///
/// # Errors
/// Constructs that no lowering exists for yet, with their spans.
pub fn build<'c>(
    context: &'c Context,
    sources: &SourceMap,
    kernel: &Kernel,
) -> Result<Module<'c>, Diagnostic> {
    let kernel = &structured(kernel);
    let module = Module::new(Location::unknown(context));
    let location = location_of(context, sources, kernel.span);
    let parameters = entry_arguments(kernel);
    let top = crate::ffi::block(module.body());
    let outer = Builder::new(context, top, location);
    let types: Vec<Type<'c>> = parameters
        .iter()
        .map(|(_, variable)| value_type(&outer, &kernel.variables[variable.0 as usize].ty))
        .collect();
    let region = Region::new();
    let typed: Vec<_> = types.iter().map(|ty| (*ty, location)).collect();
    let body = crate::ffi::block(region.append_block(OwnedBlock::new(&typed)));
    let mut state = Lowering {
        kernel,
        sources,
        builder: Builder::new(context, body, location),
        values: HashMap::new(),
    };
    for ((_, variable), value) in parameters.iter().zip(arguments(body)) {
        state.values.insert(*variable, value);
    }
    state.block(&kernel.body.statements)?;
    state.builder.insert("func.return", &[], &[], &[]);

    let mut outer = outer;
    let function_type = FunctionType::new(context, &types, &[]);
    let mut attributes: Vec<(&str, Attribute<'c>)> = vec![
        ("sym_name", outer.text(&kernel.name)),
        (
            "function_type",
            TypeAttribute::new(function_type.into()).into(),
        ),
    ];
    let which = |is_it: &dyn Fn(&Argument) -> bool| -> Vec<i64> {
        let all = (0..).zip(&parameters);
        all.filter(|(_, (argument, _))| is_it(argument))
            .map(|(number, _)| number)
            .collect()
    };
    let is_pointer = |name: &String| {
        let mut all = kernel.parameters.iter();
        all.any(|own| matches!(own, Parameter::Pointer { name: own, .. } if own == name))
    };
    let sizes = which(&|argument| matches!(argument, Argument::Size { .. }));
    let pointers =
        which(&|argument| matches!(argument, Argument::Address { of } if is_pointer(of)));
    for (name, list) in [
        (crate::dialect::SIZES, sizes),
        (crate::dialect::POINTERS, pointers),
    ] {
        if !list.is_empty() {
            attributes.push((name, outer.ints(&list)));
        }
    }
    let grid = grid(kernel, &parameters);
    let is_known = grid.chunks_exact(2).any(|axis| axis[0] >= 0);
    if is_known && subtracts_program(body) {
        attributes.push((crate::dialect::GRID, outer.ints(&grid)));
    }
    if let Some(grid) = &kernel.grid {
        attributes.push((crate::dialect::AXES, outer.int(grid.len() as i64)));
    }
    if let Some(warps) = kernel.overrides.warps {
        attributes.push(("tile.warps", outer.int(i64::from(warps))));
    }
    if let Some(stages) = kernel.overrides.stages {
        attributes.push((crate::dialect::STAGES, outer.int(i64::from(stages))));
    }
    if let Some(blocks) = kernel.overrides.split {
        attributes.push((crate::dialect::SPLIT, outer.int(i64::from(blocks))));
    }
    outer.insert_with_regions("func.func", &[], &attributes, &[], vec![region]);
    Ok(module)
}

/// The MLIR location of a span.
fn location_of<'c>(context: &'c Context, sources: &SourceMap, span: Span) -> Location<'c> {
    sources.get(span.file).map_or_else(
        || Location::unknown(context),
        |file| {
            let start = file.location(span.start);
            let end = file.location(span.end);
            Location::file_line_col_range(
                context,
                &file.name,
                start.line as usize,
                start.column as usize,
                end.line as usize,
                end.column as usize,
            )
        },
    )
}

/// The MLIR type of an element.
pub(super) fn number_type<'c>(builder: &Builder<'c>, element: ElementType) -> Type<'c> {
    let context = builder.context;
    match element {
        ElementType::F16 => Type::float16(context),
        ElementType::BF16 => Type::bfloat16(context),
        ElementType::F32 => Type::float32(context),
        ElementType::F64 => Type::float64(context),
        ElementType::F8E4M3 => Type::float8_e4m3fn(context),
        ElementType::F8E5M2 => Type::float8_e5m2(context),
        integer => builder.int_type(integer.bits()),
    }
}

fn element_type<'c>(builder: &Builder<'c>, element: Element) -> Type<'c> {
    match element {
        Element::Number(number) => number_type(builder, number),
        Element::Pointer { pointee, .. } => {
            pointer_type(builder.context, number_type(builder, pointee))
        }
    }
}

/// The MLIR type of a value: a tensor, or the element itself for rank 0.
fn value_type<'c>(builder: &Builder<'c>, ty: &ValueType) -> Type<'c> {
    let element = element_type(builder, ty.element);
    if ty.shape.is_empty() {
        return element;
    }
    TileType::new(&ty.shape, element, None).ty()
}

/// The state of lowering one kernel.
struct Lowering<'a, 'c> {
    kernel: &'a Kernel,
    sources: &'a SourceMap,
    builder: Builder<'c>,
    /// The current value of each variable.
    values: HashMap<VariableId, Value<'c>>,
}

impl<'c> Lowering<'_, 'c> {
    fn at(&mut self, span: Span) {
        let location = location_of(self.builder.context, self.sources, span);
        self.builder.set_location(location);
    }

    fn ty(&self, ty: &ValueType) -> Type<'c> {
        value_type(&self.builder, ty)
    }

    fn block(&mut self, statements: &[Stmt]) -> Result<(), Diagnostic> {
        for statement in statements {
            self.at(statement.span);
            self.statement(statement)?;
        }
        Ok(())
    }

    fn statement(&mut self, statement: &Stmt) -> Result<(), Diagnostic> {
        match &statement.kind {
            StmtKind::Assign { variable, value } => {
                let value = self.expr(value)?;
                self.values.insert(*variable, value);
            }
            StmtKind::AssignMany {
                variables,
                operation,
            } => self.combined(variables, operation, statement.span)?,
            StmtKind::Atomic { .. } => self.atomic(statement)?,
            StmtKind::Store {
                pointers,
                value,
                mask,
                cache,
            } => {
                let pointers = self.expr(pointers)?;
                let value = self.expr(value)?;
                let mask = mask.as_ref().map(|mask| self.expr(mask)).transpose()?;
                self.at(statement.span);
                let mut list = vec![pointers, value];
                list.extend(mask);
                let segments = [1, 1, i32::from(mask.is_some()), 0, 0];
                let mut attributes = self.cache_attributes(*cache).to_vec();
                attributes.push(("operandSegmentSizes", self.builder.ints32(&segments)));
                self.builder.insert("tile.store", &list, &attributes, &[]);
            }
            StmtKind::StoreView {
                view,
                value,
                mask,
                bounds,
                cache,
            } => {
                let access = self.view(view)?;
                let value = self.expr(value)?;
                let mask = mask.as_ref().map(|mask| self.expr(mask)).transpose()?;
                self.at(statement.span);
                let first = [access.base, value];
                let (list, attributes) =
                    self.view_operands(&first, &access, &[mask], *bounds, *cache);
                self.builder
                    .insert("tile.store_view", &list, &attributes, &[]);
            }
            StmtKind::For {
                variable,
                lo,
                hi,
                step,
                overrides,
                body,
            } => {
                let range = [lo, hi, step];
                self.counted_loop(*variable, range, overrides.stages, body, statement.span)?;
            }
            StmtKind::While {
                condition,
                test,
                body,
            } => self.while_loop(condition, test, body)?,
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                self.conditional(condition, then, otherwise)?;
            }
            StmtKind::Assume(condition) => {
                let condition = self.expr(condition)?;
                self.builder.insert("tile.assume", &[condition], &[], &[]);
            }
            StmtKind::Assert { condition, message } => {
                self.assert(condition, message, statement.span)?;
            }
            StmtKind::Print { label, values, hex } => {
                self.print(label, values, *hex, statement.span)?;
            }
            StmtKind::Asm {
                variables,
                asm,
                arguments,
            } => self.asm(variables, asm, arguments, statement.span)?,
            StmtKind::Prefetch {
                pointers,
                mask,
                level,
            } => self.prefetch(pointers, mask.as_ref(), *level, statement.span)?,
            StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return
            | StmtKind::Labelled { .. }
            | StmtKind::Leave(_) => {
                unreachable!("`structured` left no jumps")
            }
            StmtKind::Host(_) => unreachable!("the host's steps are in tests, which are not built"),
        }
        Ok(())
    }

    fn cache_attributes(&self, hints: CacheHints) -> Vec<(&'static str, Attribute<'c>)> {
        let cache = match hints.modifier {
            CacheModifier::Default => "",
            CacheModifier::Ca => "ca",
            CacheModifier::Cg => "cg",
            CacheModifier::Cs => "cs",
            CacheModifier::Cv => "cv",
            CacheModifier::Wb => "wb",
            CacheModifier::Wt => "wt",
        };
        let evict = match hints.evict {
            Evict::Normal => "",
            Evict::First => "first",
            Evict::Last => "last",
        };
        vec![
            ("cache", self.builder.text(cache)),
            ("evict", self.builder.text(evict)),
        ]
    }
}
