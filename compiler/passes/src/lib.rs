//! The passes, in the order a tile travels. The table [`PASSES`] is the pipeline: it drives the
//! compiler, `--emit NAME`, `tilec opt --pass NAME` and the documentation.
//!
//! Between passes the program is an MLIR module that verifies. A pass rebuilds the functions it
//! changes; see [`tile_ir::build::Rewrite`].

use std::cell::RefCell;

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{FunctionType, TypeLike};
use melior::ir::{
    Attribute, Block as OwnedBlock, Location, Module, Region, RegionLike, Type, ValueLike,
};
use melior::pass::PassManager;
use melior::utility::parse_pass_pipeline;

use tile_frontend::{diagnostic, inline_ptx, source, target};
use tile_ir::{build, dialect, facts, ffi, ir, layout};
use tile_runtime::manifest::Assumption;

use crate::build::{Builder, Rebuilder, Rewrite};
use crate::diagnostic::remark::{Remark, RemarkCode, RemarkKind};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::dialect::ops::{Dot, Load, LoadView, Splat};
use crate::ir::{Operation, arguments, name, operations, region_block};
use crate::source::SourceMap;
use crate::target::Target;

mod access;
mod accumulators;
mod affine;
mod atomics;
mod barriers;
mod bounds;
mod conditional_loads;
mod conditions;
mod conversions;
mod counters;
mod descending;
mod divisions;
mod encoding;
mod flat_loads;
mod guards;
mod interleaved;
mod late_reductions;
mod launch;
mod layouts;
mod load_if;
mod masks;
mod moving_tiles;
mod narrow_products;
mod order;
pub mod pipeline;
mod pointer_views;
mod polynomial;
mod ranges;
mod reductions;
mod repeated_loads;
mod reroll;
mod schedule;
pub mod shared_blocks;
mod shared_memory;
mod simplify;
mod sink;
mod specialize;
mod split_k;
mod tensor_cores;
mod to_llvm;
mod unroll;
mod unused;
mod views;
pub mod windows;
mod wrapped;
mod writes;

pub use encoding::{RARE, buffer_layout};
pub use late_reductions::late;
pub use order::{GROUP_AXIS, in_any_order};
pub use schedule::report::{LoopOrder, drawing, summary};
pub use specialize::{ASSUMPTIONS, Blocks, VariantRequest};

/// What a pass may look at besides the module.
pub struct PassContext<'a, 'c> {
    /// The MLIR context.
    pub context: &'c Context,
    /// What is compiled for.
    pub target: &'static Target,
    /// The sources, for spans in diagnostics.
    pub sources: &'a SourceMap,
    /// The variants to make (`specialize`).
    pub variants: &'a [VariantRequest],
    /// Decisions and missed opportunities, with their places.
    pub remarks: RefCell<Vec<Remark>>,
    /// The loops whose order was looked at.
    pub loops: RefCell<Vec<LoopOrder>>,
}

impl<'a, 'c> PassContext<'a, 'c> {
    /// One that nothing is recorded in yet.
    #[must_use]
    pub fn new(
        context: &'c Context,
        target: &'static Target,
        sources: &'a SourceMap,
        variants: &'a [VariantRequest],
    ) -> Self {
        Self {
            context,
            target,
            sources,
            variants,
            remarks: RefCell::new(Vec::new()),
            loops: RefCell::new(Vec::new()),
        }
    }

    /// Records what a pass decided or could not do, once.
    pub fn remark(&self, function: &str, span: Option<Span>, kind: RemarkKind) {
        let remark = Remark {
            function: function.to_owned(),
            span,
            kind,
        };
        let mut remarks = self.remarks.borrow_mut();
        if !remarks.contains(&remark) {
            remarks.push(remark);
        }
    }

    /// Takes back what was said of a place, as that has changed.
    pub fn retract(&self, function: &str, span: Span, code: RemarkCode) {
        let is_it = |remark: &Remark| {
            remark.function == function && remark.span == Some(span) && remark.kind.code() == code
        };
        self.remarks.borrow_mut().retain(|remark| !is_it(remark));
    }

    /// The span of an MLIR location: the place in the source it names.
    #[must_use]
    pub fn span(&self, location: Location<'_>) -> Span {
        span_of(self.sources, location)
    }
}

/// The place in the sources that an MLIR location names.
#[must_use]
pub fn span_of(sources: &SourceMap, location: Location<'_>) -> Span {
    if !location.is_file_line_col_range() {
        return Span::default();
    }
    let file = location.file_line_col_range_filename();
    let file = file.as_string_ref();
    let name = file.as_str().unwrap_or_default();
    let place = |line: usize, column: usize| crate::source::Location {
        line: line as u32,
        column: column as u32,
    };
    let start = place(
        location.file_line_col_range_start_line(),
        location.file_line_col_range_start_column(),
    );
    let end = place(
        location.file_line_col_range_end_line(),
        location.file_line_col_range_end_column(),
    );
    sources.span_between(name, start, end).unwrap_or_default()
}

type PassFunction = for<'c> fn(&PassContext<'_, 'c>, Module<'c>) -> Result<Module<'c>, Diagnostic>;

/// A pass.
pub struct Pass {
    /// Its name, as in `--emit` and `--pass`.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    run: PassFunction,
}

/// The pipeline.
pub const PASSES: &[Pass] = &[
    Pass {
        name: "counters",
        summary: "what counts as a loop does, from another number on, is the loop's counter and a number",
        run: counters::run,
    },
    Pass {
        name: "specialize",
        summary: "one copy of the kernel per variant, with what its launch promises",
        run: specialize::run,
    },
    Pass {
        name: "simplify",
        summary: "upstream canonicalisation, CSE, invariants out of loops",
        run: simplify::run,
    },
    Pass {
        name: "atomics",
        summary: "atomic accesses that no program sees anything of order nothing else",
        run: atomics::run,
    },
    Pass {
        name: "narrow-products",
        summary: "products of f32 whose factors 16 bits hold are products of those",
        run: narrow_products::run,
    },
    Pass {
        name: "conditions",
        summary: "loops with products choose masks without a branch, and do before them what their first iterations alone do",
        run: conditions::run,
    },
    Pass {
        name: "moving-tiles",
        summary: "of a tile of integers that a loop only moves by a number, the number is carried",
        run: moving_tiles::run,
    },
    Pass {
        name: "descending",
        summary: "what a loop counts down is counted up from where it ends",
        run: descending::run,
    },
    Pass {
        name: "flat-loads",
        summary: "loads of tiles with one long axis are loads of rows",
        run: flat_loads::run,
    },
    Pass {
        name: "wrapped",
        summary: "positions that wrap around for rows that nobody stores do not",
        run: wrapped::run,
    },
    Pass {
        name: "pointer-views",
        summary: "pointers with rows and columns are views",
        run: pointer_views::run,
    },
    Pass {
        name: "repeated-loads",
        summary: "of elements that lie in one place the first is loaded, and repeated",
        run: repeated_loads::run,
    },
    Pass {
        name: "ranges",
        summary: "positions that follow each other are a range",
        run: ranges::run,
    },
    Pass {
        name: "bounds",
        summary: "masks that say no more than the bounds of a tensor do are dropped",
        run: bounds::run,
    },
    Pass {
        name: "unroll",
        summary: "loops over the few blocks of a row are written out, and blocks that several load stay in registers",
        run: unroll::run,
    },
    Pass {
        name: "interleaved",
        summary: "interleaved accesses along a dimension become one access, and its parts",
        run: interleaved::run,
    },
    Pass {
        name: "reroll",
        summary: "products that follow each other, of tiles that begin a constant apart, become a loop",
        run: reroll::run,
    },
    Pass {
        name: "conditional-loads",
        summary: "what a product under a condition multiplies is loaded before the condition",
        run: conditional_loads::run,
    },
    Pass {
        name: "views",
        summary: "accesses through tensor views become pointers and masks",
        run: views::run,
    },
    Pass {
        name: "simplify-views",
        summary: "the same simplification on what views became",
        run: simplify::run,
    },
    Pass {
        name: "tensor-cores",
        summary: "how each dot is computed: wgmma, mma.sync or FMA",
        run: tensor_cores::run,
    },
    Pass {
        name: "layouts",
        summary: "warps per program, a layout for every tile, conversions between them",
        run: layouts::run,
    },
    Pass {
        name: "late-reductions",
        summary: "what a loop combines of reductions is combined across threads behind it",
        run: late_reductions::run,
    },
    Pass {
        name: "reductions",
        summary: "reductions across warps become one inside and one among warps",
        run: reductions::run,
    },
    Pass {
        name: "conversions",
        summary: "layout conversions become register moves or shared memory",
        run: conversions::run,
    },
    Pass {
        name: "split-k",
        summary: "the blocks of a cluster share the iterations of a loop of accumulators, where that was asked for",
        run: split_k::run,
    },
    Pass {
        name: "pipeline",
        summary: "loops load what their next iterations need while they compute",
        run: pipeline::run,
    },
    Pass {
        name: "shared-memory",
        summary: "places buffers in shared memory by liveness",
        run: shared_memory::run,
    },
    Pass {
        name: "barriers",
        summary: "the fewest barriers that order accesses to shared memory",
        run: barriers::run,
    },
    Pass {
        name: "sink",
        summary: "conversions to wider types move to where they are used",
        run: sink::run,
    },
    Pass {
        name: "shared-blocks",
        summary: "programs of few warps share a block",
        run: shared_blocks::run,
    },
    Pass {
        name: "to-llvm",
        summary: "code of one thread in the llvm dialect",
        run: to_llvm::run,
    },
];

impl Pass {
    /// The pass of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        PASSES.iter().find(|pass| pass.name == name)
    }

    /// Runs the pass and verifies what it made.
    ///
    /// # Errors
    /// What the user must know, or an internal error when the result does not verify.
    pub fn run<'c>(
        &self,
        cx: &PassContext<'_, 'c>,
        module: Module<'c>,
    ) -> Result<Module<'c>, Diagnostic> {
        let module = (self.run)(cx, module)?;
        crate::dialect::verify::module(cx.context, &module)
            .map_err(|problem| internal(self.name, &problem))?;
        Ok(module)
    }
}

/// A defect of the compiler, reported rather than panicked.
#[must_use]
pub fn internal(stage: &str, problem: &str) -> Diagnostic {
    Diagnostic::error(
        Code::CompilerDefect,
        format!("the compiler made invalid code in `{stage}`"),
    )
    .note(problem.to_owned())
    .note("this is a defect of the compiler, not of your program; please report it")
}

/// Registers the upstream passes that the pipeline has, each by itself: among all of MLIR's some bring code generators for
/// other machines.
fn register() {
    use melior::pass::{conversion, llvm, transform};
    transform::register_canonicalizer();
    transform::register_cse();
    transform::register_loop_invariant_code_motion();
    conversion::register_scf_to_control_flow();
    conversion::register_arith_to_llvm();
    conversion::register_math_to_llvm();
    conversion::register_control_flow_to_llvm();
    conversion::register_func_to_llvm();
    conversion::register_nvvm_to_llvm();
    conversion::register_reconcile_unrealized_casts();
    llvm::register_di_scope_for_llvm_func_op_pass();
}

/// Runs an upstream pipeline on a module.
fn upstream(context: &Context, module: &mut Module<'_>, pipeline: &str) -> Result<(), Diagnostic> {
    static REGISTER: std::sync::Once = std::sync::Once::new();
    REGISTER.call_once(register);
    let manager = PassManager::new(context);
    manager.enable_verifier(false);
    parse_pass_pipeline(manager.as_operation_pass_manager(), pipeline)
        .map_err(|error| internal(pipeline, &error.to_string()))?;
    let (outcome, messages) = crate::ir::listen(context, || manager.run(module));
    outcome.map_err(|error| internal(pipeline, &format!("{error}\n{messages}")))
}

/// The functions of a module.
pub fn functions<'c>(module: &Module<'c>) -> Vec<Operation<'c>> {
    operations(crate::ffi::block(module.body()))
        .into_iter()
        .filter(|operation| name(*operation) == "func.func")
        .collect()
}

/// The name of a function.
fn function_name<'c>(function: Operation<'c>) -> &'c str {
    crate::ir::text_attribute(function, "sym_name").unwrap_or_default()
}

/// The variant that a function is.
fn variant<'a>(cx: &PassContext<'a, '_>, function: Operation<'_>) -> Option<&'a VariantRequest> {
    let mut all = cx.variants.iter();
    all.find(|variant| variant.entry == function_name(function))
}

/// The attribute of a function that asks the launch for more than it has so far.
fn asks_as_well<'c>(
    builder: &Builder<'c>,
    function: Operation<'c>,
    more: &[Assumption],
) -> Result<Vec<(&'static str, Attribute<'c>)>, Diagnostic> {
    if more.is_empty() {
        return Ok(Vec::new());
    }
    let mut all: Vec<Assumption> = ir::text_attribute(function, ASSUMPTIONS)
        .and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or_default();
    for one in more {
        launch::ask(&mut all, one.clone());
    }
    let text =
        serde_json::to_string(&all).map_err(|error| internal("passes", &error.to_string()))?;
    Ok(vec![(ASSUMPTIONS, builder.text(&text))])
}

/// A tile along some dimensions of a shape, repeated along the others.
fn spread<'c>(
    builder: &mut Builder<'c>,
    tile: ir::Value<'c>,
    own: &std::ops::Range<usize>,
    shape: &[u64],
) -> ir::Value<'c> {
    let typed = |sizes: &[u64]| {
        let element = ir::element_type(tile.r#type());
        ir::TileType::new(sizes, element, None).ty()
    };
    let mut value = tile;
    for other in (0..shape.len()).filter(|other| !own.contains(other)) {
        let tile = ir::TileType::of(value);
        let mut sizes = tile.map(ir::TileType::shape).unwrap_or_default();
        sizes.insert(other, 1);
        let axis = builder.int(other as i64);
        value = builder.value("tile.expand", &[value], &[("axis", axis)], typed(&sizes));
    }
    let full = typed(shape);
    match value.r#type() == full {
        true => value,
        false => builder.value("tile.broadcast", &[value], &[], full),
    }
}

/// Rebuilds every function of a module with the rewrite that `make` gives for it; `attributes` may
/// change those of the function.
fn rebuild_functions<'c, R: Rewrite<'c>>(
    cx: &PassContext<'_, 'c>,
    module: &Module<'c>,
    mut make: impl FnMut(Operation<'c>) -> Result<R, Diagnostic>,
) -> Result<Module<'c>, Diagnostic> {
    rebuild_functions_with(cx, module, |function| Ok((make(function)?, Vec::new())))
}

/// As [`rebuild_functions`], with attributes to set on the new function.
fn rebuild_functions_with<'c, R: Rewrite<'c>>(
    cx: &PassContext<'_, 'c>,
    module: &Module<'c>,
    mut make: impl FnMut(Operation<'c>) -> Result<(R, Vec<(&'static str, Attribute<'c>)>), Diagnostic>,
) -> Result<Module<'c>, Diagnostic> {
    let context = cx.context;
    let fresh = Module::new(Location::unknown(context));
    let top = crate::ffi::block(fresh.body());
    for old in functions(module) {
        let (mut rewrite, extra) = make(old)?;
        let Some(body) = region_block(old, 0) else {
            continue;
        };
        let old_arguments = arguments(body);
        let types: Vec<Vec<Type<'c>>> = old_arguments
            .iter()
            .map(|value| rewrite.types(*value))
            .collect();
        let mut flat: Vec<_> = types.iter().flatten().copied().collect();
        flat.extend(rewrite.added());
        let region = Region::new();
        let typed: Vec<_> = flat.iter().map(|ty| (*ty, old.location())).collect();
        let block = crate::ffi::block(region.append_block(OwnedBlock::new(&typed)));
        let mut to = Rebuilder::new(context, block);
        let mut given = arguments(block).into_iter();
        for (value, types) in old_arguments.iter().zip(&types) {
            to.bind(*value, given.by_ref().take(types.len()).collect());
        }
        rewrite.receive(given.collect());
        to.block(&mut rewrite, body)?;
        let mut builder = Builder::new(context, top, old.location());
        let mut attributes = crate::ir::attributes(old);
        attributes.retain(|(name, _)| {
            *name != "function_type" && !extra.iter().any(|(new, _)| new == name)
        });
        let function_type: Type<'c> = FunctionType::new(context, &flat, &[]).into();
        attributes.push(("function_type", builder.type_attribute(function_type)));
        attributes.extend(extra);
        builder.insert_with_regions("func.func", &[], &attributes, &[], vec![region]);
    }
    Ok(fresh)
}

/// The type of a tile in the language's spelling, for messages.
fn spelled(ty: Type<'_>) -> String {
    let Some(tile) = crate::ir::TileType::from_type(ty) else {
        return ty.to_string();
    };
    let element = tile.element().to_string();
    let sizes: Vec<_> = tile.shape().iter().map(u64::to_string).collect();
    format!("tile<{element}>[{}]", sizes.join(", "))
}

/// The uses of each value in a function, for passes that look ahead.
pub fn uses<'c>(
    function: Operation<'c>,
) -> std::collections::HashMap<crate::ir::ValueKey, Vec<Operation<'c>>> {
    let mut map: std::collections::HashMap<_, Vec<Operation<'c>>> =
        std::collections::HashMap::new();
    each_operation(function, &mut |operation| {
        for operand in crate::ir::operands(operation) {
            map.entry(crate::ir::key(operand))
                .or_default()
                .push(operation);
        }
    });
    map
}

/// Calls `visit` for every operation inside another, outermost first.
pub fn each_operation<'c>(of: Operation<'c>, visit: &mut impl FnMut(Operation<'c>)) {
    for index in 0..of.region_count() {
        let Some(block) = region_block(of, index) else {
            continue;
        };
        for operation in operations(block) {
            visit(operation);
            each_operation(operation, visit);
        }
    }
}

/// Inserts a barrier; with `proxy` tensor cores and TMA see what was written before it, too.
fn barrier(builder: &mut Builder<'_>, proxy: bool) {
    let one = builder.int(1);
    let attributes: &[_] = if proxy { &[("proxy", one)] } else { &[] };
    builder.insert("tile.barrier", &[], attributes, &[]);
}

/// Whether a function has products that warpgroups compute together.
fn has_warpgroup_products(function: Operation<'_>) -> bool {
    let mut found = false;
    each_operation(function, &mut |operation| {
        if let Some(crate::dialect::TileOp::Dot(dot)) = crate::dialect::TileOp::of(operation) {
            found |= dot.path() == "wgmma";
        }
    });
    found
}

/// Bits of an element of a tile or a scalar (pointers have 64).
fn element_bits(ty: Type<'_>) -> u64 {
    let text = crate::ir::element_type(ty).to_string();
    match text.as_str() {
        "bf16" => 16,
        "index" => 64,
        _ if text.starts_with("f8") => 8,
        _ if text.starts_with("!tile.ptr") => 64,
        _ => text
            .trim_start_matches(char::is_alphabetic)
            .parse()
            .unwrap_or(64),
    }
}

/// Bytes of an element in memory.
fn element_bytes(ty: Type<'_>) -> u64 {
    element_bits(ty).div_ceil(8)
}

/// Bytes of a tile; none of a number.
fn tile_bytes(value: ir::Value<'_>) -> u64 {
    let elements = ir::TileType::of(value).map_or(0, |tile| tile.shape().iter().product());
    elements * element_bytes(value.r#type())
}

/// Whether a box may begin there for TMA, outermost first, for elements of so many bytes: along the last dimension at a multiple of 16 bytes. That
/// is in no manual: an H200 says that the instruction is illegal.
fn begins_at_pieces<'c>(
    facts: &facts::FactAnalysis<'c>,
    starts: &[ir::Value<'c>],
    bytes: u64,
) -> bool {
    let divides = |start: &ir::Value<'c>| facts.of(*start).divisor_at(0, 1) * bytes;
    starts
        .last()
        .is_some_and(|start| divides(start) >= target::WIDEST_ACCESS)
}

/// Whether an operation is done more than once.
fn in_loop(operation: Operation<'_>) -> bool {
    loop_around(operation).is_some()
}

/// The innermost loop that an operation is in.
fn loop_around(operation: Operation<'_>) -> Option<Operation<'_>> {
    let mut current = operation;
    while let Some(parent) = current.parent_operation() {
        current = ffi::operation(parent);
        if ir::is_loop(current) {
            return Some(current);
        }
    }
    None
}

/// Whether an operation is in a region of another one.
fn is_within(operation: Operation<'_>, of: Operation<'_>) -> bool {
    let mut inner = operation;
    while let Some(parent) = inner.parent_operation() {
        inner = ffi::operation(parent);
        if inner == of {
            return true;
        }
    }
    false
}

/// Whether a value is of an iteration of a loop: computed there, or carried.
fn is_of_iteration(value: ir::Value<'_>, of: Operation<'_>) -> bool {
    match ffi::defining_operation(value) {
        Some(operation) => is_within(operation, of),
        None => ffi::argument_owner(value).is_some_and(|owner| owner == of || is_within(owner, of)),
    }
}

/// Operands of `scf.for` before those that it carries: its range.
const LOOP_RANGE: usize = 3;

/// What a number was before it was widened: loops count in 64 bits.
fn before_widened(value: ir::Value<'_>) -> ir::Value<'_> {
    match ffi::defining_operation(value) {
        Some(of) if name(of) == "arith.extsi" => ir::operand(of, 0),
        _ => value,
    }
}

/// Whether an operation does no harm where its result is not used.
fn may_be_idle(operation: Operation<'_>) -> bool {
    let divides = || facts::constant_of(ir::operand(operation, 1)).is_some_and(|by| by > 0);
    !dialect::is_integer_division(ir::name(operation)) || divides()
}

/// Whether an operation, such as a function or a loop, has products in it.
fn multiplies(of: Operation<'_>) -> bool {
    let mut found = false;
    each_operation(of, &mut |operation| {
        found |= Dot::of(operation).is_some();
    });
    found
}

/// Whether the start of a dimension of a view is a number, or a row of positions: then an axis of its tile is that dimension.
fn is_number_or_row(start: &ir::Value<'_>) -> bool {
    ir::TileType::of(*start).is_none_or(|positions| positions.shape().len() == 1)
}

/// What of a function's values somebody sees: those that something with an effect is computed from. What is loaded for others is for nobody.
fn seen(function: ir::Operation<'_>) -> std::collections::HashSet<ir::ValueKey> {
    let mut all = Vec::new();
    each_operation(function, &mut |operation| all.push(operation));
    let mut seen = std::collections::HashSet::new();
    for operation in all.into_iter().rev() {
        let is_for_its_results = dialect::is_pure(name(operation)) || Load::of(operation).is_some();
        let mut results = ir::results(operation).into_iter();
        if !is_for_its_results || results.any(|value| seen.contains(&ir::key(value))) {
            seen.extend(ir::operands(operation).into_iter().map(ir::key));
        }
    }
    seen
}

/// Whether a value is the constant 0, not negative, in all its elements.
fn is_positive_zero(value: crate::ir::Value<'_>) -> bool {
    match ffi::defining_operation(value).and_then(Splat::of) {
        Some(splat) => is_positive_zero(splat.scalar()),
        _ => crate::facts::constant_number(value)
            .is_some_and(|number| number == 0.0 && number.is_sign_positive()),
    }
}

/// Whether a tile has what a load has for elements beside its tensor.
fn is_beside(load: LoadView<'_>, tile: ir::Value<'_>) -> bool {
    match load.other() {
        Some(other) => is_repeated(other, tile),
        None => is_positive_zero(tile),
    }
}

/// Whether all elements of a tile are this value.
fn is_repeated(value: ir::Value<'_>, tile: ir::Value<'_>) -> bool {
    let Some(operation) = ffi::defining_operation(tile) else {
        return false;
    };
    if let Some(splat) = Splat::of(operation) {
        return ir::key(splat.scalar()) == ir::key(value) || is_repeated(value, splat.scalar());
    }
    let own = ffi::defining_operation(value).and_then(constant_text);
    own.is_some() && own == constant_text(operation)
}

/// The number that a constant is in all its elements, as attributes have it: those that are not finite as their bits.
fn constant_text(of: ir::Operation<'_>) -> Option<String> {
    if ir::name(of) != "arith.constant" {
        return None;
    }
    let attribute = of.attribute("value").ok()?.to_string();
    let text = attribute.trim_start_matches("dense<");
    text.split(['>', ' ']).next().map(str::to_owned)
}

/// Whether a value is computed from the result of a product.
fn reads_product(value: crate::ir::Value<'_>) -> bool {
    let (mut left, mut seen) = (vec![value], std::collections::HashSet::new());
    while let Some(value) = left.pop() {
        let Some(operation) = ffi::defining_operation(value) else {
            continue;
        };
        match dialect::TileOp::of(operation) {
            Some(dialect::TileOp::Dot(_)) => return true,
            Some(dialect::TileOp::Load(_)) => {}
            _ if seen.insert(ir::key(value)) => left.extend(ir::operands(operation)),
            _ => {}
        }
    }
    false
}

/// Whether a value is a tile.
fn is_tile(value: crate::ir::Value<'_>) -> bool {
    value.r#type().is_ranked_tensor()
}
