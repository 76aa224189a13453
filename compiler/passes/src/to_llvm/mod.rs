//! `to-llvm`: the code of one thread.
//!
//! Comes in: tiles with layouts. A tile becomes one scalar per register of its layout, numbered as
//! [`Layout`] numbers them; arithmetic is done register by register, loops carry registers. Goes out:
//! `llvm.func` with NVVM attributes, in the `llvm` and `nvvm` dialects only, ready for translation.
//!
//! ```text
//! %d = arith.subf %x, %b : tensor<1024xf32, 8 registers>   ⇒   8 x llvm.fsub
//! ```
//!
//! | file | operations |
//! |---|---|
//! | `threads` | lanes, warps, coordinates, registers |
//! | `program` | program_id in groups |
//! | `shape` | arange, splat, expand, broadcast, permute, reshape, convert in registers |
//! | `global` | load, store |
//! | `pointers` | pointer_offset, pointer_cast |
//! | `shared` | shared_store, shared_load, shared_gather |
//! | `cluster` | block_rank, cluster_barrier, cluster_sum |
//! | `copies` | shared_stage, async_copy, async_commit, async_wait |
//! | `box_store` | box_store, box_load, box_stores_done |
//! | `kept` | keep, kept |
//! | `parts` | part_store, part_sum, part_arrive |
//! | `realigned` | rows_copy, realign, rows_read, rows_write, rows_store |
//! | `unaligned` | row_copy, row_edge, row_read, row_write, row_store |
//! | `tickets` | ticket, ticket_show, ticket_read |
//! | `exchange` | exchange, shared_put, shared_exchange |
//! | `mbarriers` | producer, mbarrier_init, mbarrier_arrive, mbarrier_expect, mbarrier_wait, mbarrier_end, tensor_prefetch, tensor_copy |
//! | `atomic` | atomic, shared_count |
//! | `asm` | asm |
//! | `debug` | assert, print, prefetch |
//! | `reduce` | reduce |
//! | `map` | map |
//! | `matrices` | shared_load of fragments of matrices |
//! | `cluster` | what blocks of a cluster share |
//! | `divide` | `/` by what many elements share, and of one by what is near it |
//! | `integers` | `/` and `%` of signed integers |
//! | `remainder` | `%` of floats |
//! | `residency` | how many programs should run at once |
//! | `scan` | scan |
//! | `dot` | dot |
//! | `warpgroup` | dot on `wgmma` |
//! | `positions` | sums of positions that are only compared |
//! | `in_turn` | dot_turns, and a dot in its warpgroup's turn |
//! | `fp8` | conversions from and to fp8 |
//! | `math` | functions of the `math` dialect |

use std::collections::{HashMap, HashSet};

use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::TypeLike;
use melior::ir::{Attribute, Location, Module, Type, ValueLike};

use super::encoding::{Encodings, runs_of};
use super::pipeline::{COPYING_WARPS, PROGRAMS};
use super::shared_blocks::PROGRAMS_PER_BLOCK;
use super::{PassContext, function_name, functions, rebuild_functions_with, upstream};
use crate::build::{Builder, Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::dialect::{
    AHEAD, NATURAL, SHARED_BYTES, TileOp, is_integer_division, may_approximate, pointee, predicates,
};
use crate::ffi::defining_operation;
use crate::ir::{
    Operation, TileType, Value, ValueKey, address, attributes, int_attribute, ints_attribute, name,
    operands, result, results,
};
use crate::layout::Layout;
use crate::order::{Group, ORDER};
use crate::windows::Overlaps;
use copies::Piece;

mod asm;
mod atomic;
mod bounds;
mod box_store;
mod cluster;
mod copies;
mod debug;
mod divide;
mod dot;
mod exchange;
mod fp8;
mod global;
mod halves;
mod hidden_counters;
mod in_turn;
mod integers;
mod kept;
mod map;
mod math;
mod matrices;
mod mbarriers;
mod pairs;
mod parts;
mod pointers;
mod positions;
mod program;
mod realigned;
mod reduce;
mod remainder;
mod residency;
mod scan;
mod shape;
mod shared;
mod steps;
mod threads;
mod tickets;
mod turned_boxes;
mod unaligned;
mod unless_one;
mod warpgroup;
mod whole;

use cluster::{CLUSTER, Cluster};
use fp8::Fp8;
pub(super) use matrices::reads_matrices;
use pairs::Pairs;
use whole::Whole;

/// The symbol of dynamic shared memory.
const SHARED_SYMBOL: &str = "tile_shared";

/// Alignment of dynamic shared memory, in bytes.
const SHARED_ALIGNMENT: i64 = 128;

/// The same where there are operands of `wgmma`, whose swizzle goes by the address.
const MATRIX_ALIGNMENT: i64 = crate::layout::descriptor::ALIGNMENT as i64;

/// Upstream conversions that finish the job, with line tables for `.loc`.
const FINISH: &str = "builtin.module(\
    convert-scf-to-cf,convert-cf-to-llvm,convert-arith-to-llvm,convert-math-to-llvm,convert-nvvm-to-llvm,convert-func-to-llvm,\
    reconcile-unrealized-casts,\
    ensure-debug-info-scope-on-llvm-func{emission-kind=DebugDirectivesOnly})";

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let encodings = Encodings::default();
    let symbols = debug::Symbols::default();
    let shared = functions(&module)
        .iter()
        .any(|function| int_attribute(*function, SHARED_BYTES).unwrap_or(0) > 0);
    let alignment = if functions(&module)
        .into_iter()
        .any(super::has_warpgroup_products)
    {
        MATRIX_ALIGNMENT
    } else {
        SHARED_ALIGNMENT
    };
    let mut fresh = rebuild_functions_with(cx, &module, |function| {
        let warps = int_attribute(function, "tile.warps").unwrap_or(1);
        let builder = Builder::new(
            cx.context,
            crate::ffi::block(module.body()),
            function.location(),
        );
        let cluster = int_attribute(function, CLUSTER).unwrap_or(1);
        let copying = int_attribute(function, COPYING_WARPS).unwrap_or(0);
        let threads = 32 * (warps / cluster + copying);
        let split = int_attribute(function, crate::dialect::SPLIT).unwrap_or(1);
        let sharing = int_attribute(function, PROGRAMS_PER_BLOCK).unwrap_or(1);
        let mut attributes: Vec<(&'static str, Attribute<'c>)> = vec![
            ("nvvm.kernel", builder.unit()),
            match sharing {
                1 => ("nvvm.reqntid", builder.ints32(&[threads as i32])),
                most => (
                    "nvvm.maxntid",
                    builder.ints32(&[threads as i32, most as i32]),
                ),
            },
        ];
        let blocks = residency::blocks(function, &encodings, cx.target, threads as u64);
        if let Some(programs) = int_attribute(function, PROGRAMS) {
            // `ptxas` must know how many registers there are at the start.
            attributes.push(("nvvm.minctasm", builder.int32(programs)));
        } else if sharing > 1 || blocks.is_some() {
            // Without it `ptxas` takes no more than 128 registers where eight programs may share a block.
            let blocks = blocks.unwrap_or(1) as i64 / sharing;
            attributes.push(("nvvm.minctasm", builder.int32(blocks.max(1))));
        }
        if cluster * split > 1 {
            let blocks = builder.ints32(&[(cluster * split) as i32, 1, 1]);
            attributes.push(("nvvm.cluster_dim", blocks));
        }
        if let Some(list) = mbarriers::map_attributes(&builder, function) {
            attributes.push(("arg_attrs", list));
        }
        Ok((
            ToLlvm {
                cx,
                encodings: &encodings,
                warps: warps as u32,
                bytes_in_block: (sharing > 1)
                    .then(|| int_attribute(function, SHARED_BYTES).unwrap_or(0)),
                has_copying_warps: copying > 0,
                pass: None,
                cluster: Cluster::of(cluster as u32, split as u32),
                symbols: &symbols,
                name: function_name(function),
                printed_bytes: debug::printed_bytes(function),
                printed: None,
                group: Group::of(function),
                order: ints_attribute(function, ORDER),
                stages: HashMap::new(),
                pieces: Vec::new(),
                before: None,
                positions: positions::sums(function),
                overlaps: Overlaps::find(function, |value| {
                    Some((*encodings.layout(value)).clone())
                }),
                hidden_counters: hidden_counters::find(function, &encodings),
            },
            attributes,
        ))
    })?;
    if shared {
        let top = crate::ffi::block(fresh.body());
        let mut builder = Builder::new(cx.context, top, Location::unknown(cx.context));
        let bytes = builder.parse_type("!llvm.array<0 x i8>");
        let attributes = [
            ("sym_name", builder.text(SHARED_SYMBOL)),
            ("global_type", builder.type_attribute(bytes)),
            (
                "linkage",
                builder.parse_attribute("#llvm.linkage<external>"),
            ),
            ("addr_space", builder.int32(3)),
            ("alignment", builder.int(alignment)),
        ];
        builder.insert_with_regions(
            "llvm.mlir.global",
            &[],
            &attributes,
            &[],
            vec![melior::ir::Region::new()],
        );
    }
    symbols.declare(cx.context, &fresh);
    upstream(cx.context, &mut fresh, FINISH)?;
    Ok(fresh)
}

/// The rewrite of one function.
struct ToLlvm<'a, 'b, 'c> {
    cx: &'a PassContext<'b, 'c>,
    encodings: &'a Encodings,
    warps: u32,
    /// Bytes of shared memory that a program has, where others may be in its block.
    bytes_in_block: Option<i64>,
    /// Whether the block has warps besides, which only copy.
    has_copying_warps: bool,
    /// While what they copy is lowered: for which of the others, a warpgroup after the other.
    pass: Option<i64>,
    cluster: Cluster,
    symbols: &'a debug::Symbols,
    /// The function's.
    name: &'c str,
    /// Bytes that the values of its largest `print` take, and where they are put.
    printed_bytes: u64,
    printed: Option<Value<'c>>,
    /// How programs run in groups, if their order is not the hardware's.
    group: Option<Group>,
    /// The order of the axes, if it is not the hardware's.
    order: Option<Vec<i64>>,
    /// Where buffers that are one of several begin, beyond where the first does: bytes, `i32`.
    stages: HashMap<ValueKey, Value<'c>>,
    /// Copies that are started among the next products.
    pieces: Vec<Piece<'c>>,
    /// Where the last of them copies from.
    before: Option<Value<'c>>,
    /// Sums that do not wrap.
    positions: HashSet<usize>,
    /// What is there of loads that overlap.
    overlaps: Overlaps<'c>,
    /// Counters that LLVM knows nothing of, by the first operation inside of each loop.
    hidden_counters: HashMap<usize, Value<'c>>,
}

impl<'c> ToLlvm<'_, '_, 'c> {
    /// The type of one register of a tile, or of a scalar.
    fn register_type(&self, ty: Type<'c>) -> Type<'c> {
        let element = crate::ir::element_type(ty);
        if element.is_integer() || element.is_f32() {
            return element;
        }
        if pointee(self.cx.context, element).is_some() {
            return Type::parse(self.cx.context, "!llvm.ptr<1>").expect("a pointer type");
        }
        // LLVM has no fp8: its bits.
        if element.to_string().starts_with("f8") {
            return melior::ir::r#type::IntegerType::new(self.cx.context, 8).into();
        }
        element
    }

    /// The registers of a tile, one value for each; registers that hold the same element share it.
    fn per_register(
        &self,
        layout: &Layout,
        compute: impl FnMut(usize) -> Value<'c>,
    ) -> Vec<Value<'c>> {
        self.per_run(layout, None, compute)
    }

    /// As [`Self::per_register`], for a tile whose elements are known to be the same along runs.
    fn per_run(
        &self,
        layout: &Layout,
        runs: Option<&[u64]>,
        mut compute: impl FnMut(usize) -> Value<'c>,
    ) -> Vec<Value<'c>> {
        let mut list: Vec<Value<'c>> = Vec::with_capacity(layout.register_count());
        for register in 0..layout.register_count() {
            let first = first_of_run(layout, runs, register);
            let value = if first == register {
                compute(register)
            } else {
                list[first]
            };
            list.push(value);
        }
        list
    }

    /// What enough elements of natural numbers are divided by, if all are by one.
    fn natural_divisor(
        &self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
        layout: &Layout,
        operands: &[Vec<Value<'c>>],
    ) -> Option<integers::Divisor<'c>> {
        int_attribute(operation, NATURAL)?;
        let [_, divisors] = operands else {
            return None;
        };
        let divisor = *divisors.first()?;
        let is_one = divisors.iter().all(|other| *other == divisor);
        let is_word = crate::element_bits(divisor.r#type()) == 32;
        let pays = layout.distinct_registers().len() >= integers::Divisor::WORTH;
        (is_one && is_word && pays && crate::facts::constant_of(divisor).is_none())
            .then(|| integers::Divisor::new(&mut to.builder, divisor))
    }

    /// An operation on tiles, done register by register.
    fn elementwise(&mut self, to: &mut Rebuilder<'c>, operation: Operation<'c>) {
        let value = result(operation, 0);
        if to.is_bound(value) {
            return;
        }
        let layout = self.encodings.layout(value);
        let ty = self.register_type(value.r#type());
        let whole = Whole::of(operation);
        let inputs = match (fp8::unbounded(operation), &whole) {
            (Some(input), _) => vec![input],
            (None, Some(whole)) => vec![whole.input],
            (None, None) => operands(operation),
        };
        let list: Vec<Vec<Value<'c>>> = inputs
            .into_iter()
            .map(|operand| to.many(operand).to_vec())
            .collect();
        let mut attributes = attributes(operation);
        let name = name(operation);
        if self.positions.contains(&address(operation)) {
            let flags = to.builder.parse_attribute("#arith.overflow<nsw, nuw>");
            attributes.retain(|(name, _)| *name != "overflowFlags");
            attributes.push(("overflowFlags", flags));
        }
        let from = operands(operation)
            .first()
            .map_or(ty, |operand| crate::ir::element_type(operand.r#type()));
        let to_element = crate::ir::element_type(value.r#type());
        let is_usual_reciprocal = divide::is_usual_reciprocal(operation);
        if !is_usual_reciprocal
            && let Some(registers) = self.shared_quotients(to, operation, &layout, &list, ty)
        {
            to.bind(value, registers);
            return;
        }
        if let Some(registers) = self.unless_one(to, &attributes, &layout, &list, ty) {
            to.bind(value, registers);
            return;
        }
        let capability = self.cx.target.capability();
        let range = matches!(name, "arith.sitofp" | "arith.uitofp")
            .then(|| crate::facts::range_of(operands(operation)[0]))
            .flatten();
        let pairs = Pairs::of(capability, name, &layout, from, to_element, range);
        let pairs = pairs.or_else(|| Pairs::read_back(capability, operation, &layout, from));
        if let Some(pairs) = pairs {
            let registers = self.convert_pairs(&mut to.builder, pairs, &list[0], ty);
            to.bind(value, registers);
            return;
        }
        let described = (name, attributes.as_slice());
        if let Some(registers) = self.two_at_a_time(&mut to.builder, described, &layout, &list, ty)
        {
            to.bind(value, registers);
            return;
        }
        let natural = self.natural_divisor(to, operation, &layout, &list);
        let may_divide_zero = divide::may_divide_zero(operation);
        let conversion = Fp8::of(name, from, to_element);
        let branches = may_branch(name, ty);
        let runs = runs_of(operation);
        let registers = self.per_run(&layout, runs.as_deref(), |register| {
            // A scalar operand (the condition of a select) is the same for all.
            let mut inputs: Vec<_> = list
                .iter()
                .map(|values| {
                    if values.len() == 1 {
                        values[0]
                    } else {
                        values[register]
                    }
                })
                .collect();
            if branches {
                for input in &mut inputs {
                    *input = self.without_garbage(&mut to.builder, &layout, register, *input);
                }
            }
            if let Some(whole) = &whole {
                return whole.convert(&mut to.builder, inputs[0], ty);
            }
            if let Some(divisor) = &natural {
                return divisor.divide(&mut to.builder, inputs[0], name == "arith.remui");
            }
            match conversion {
                Some(conversion) => self.convert_fp8(&mut to.builder, conversion, inputs[0], ty),
                None if is_usual_reciprocal => math::reciprocal(&mut to.builder, inputs[1]),
                None if may_divide_zero => divide::unless_zero(&mut to.builder, &inputs, ty),
                None => self.scalar(&mut to.builder, name, &inputs, &attributes, ty),
            }
        });
        to.bind(value, registers);
    }

    /// A number, or 1 where the register is padding, which may never have been written: no branch
    /// must depend on it, and no other block must read it.
    fn without_garbage(
        &self,
        builder: &mut Builder<'c>,
        layout: &Layout,
        register: usize,
        value: Value<'c>,
    ) -> Value<'c> {
        match self.inside(builder, layout, register) {
            None => value,
            Some(inside) => {
                let ty = value.r#type();
                let one = match ty.to_string().as_str() {
                    "!llvm.ptr<1>" => return value,
                    text if text.starts_with('i') => builder.constant_int(1, ty),
                    _ => builder.constant_float(1.0, ty),
                };
                builder.select(inside, value, one)
            }
        }
    }

    /// One operation on scalars: math functions and saturating conversions are expanded.
    fn scalar(
        &self,
        builder: &mut Builder<'c>,
        name: &'c str,
        inputs: &[Value<'c>],
        named: &[(&'c str, Attribute<'c>)],
        ty: Type<'c>,
    ) -> Value<'c> {
        if let Some(function) = name.strip_prefix("math.")
            && let Some(value) = math::expand(builder, function, inputs, named, ty)
        {
            return value;
        }
        if named.iter().any(|(name, _)| *name == AHEAD) {
            let [number, divisor] = [inputs[0], inputs[1]];
            let named: Vec<_> = named
                .iter()
                .filter(|(name, _)| *name != AHEAD)
                .copied()
                .collect();
            let divisor = match crate::facts::constant_of(divisor) {
                Some(1..) => divisor,
                _ => {
                    let one = builder.constant_int(1, ty);
                    builder.binary("arith.maxui", divisor, one)
                }
            };
            return self.scalar(builder, name, &[number, divisor], &named, ty);
        }
        match name {
            "arith.divf" if may_approximate(named) => {
                math::fast_quotient(builder, inputs[0], inputs[1])
            }
            // fp8 is its bits already.
            "arith.bitcast" if inputs[0].r#type() == ty => inputs[0],
            "arith.bitcast" if matches!(ty.to_string().as_str(), "f16" | "bf16") => {
                opaque_bits(builder, inputs[0], ty)
            }
            "arith.extf" if is_bf16(inputs[0].r#type()) && ty.to_string() == "f32" => {
                widened(builder, inputs[0], ty)
            }
            "arith.divsi" | "arith.remsi" => integers::divide(builder, name, inputs, ty),
            "arith.ceildivsi" | "arith.ceildivui" => integers::divide_up(builder, name, inputs, ty),
            // LLVM's own is not exact.
            "arith.remf" => remainder::remainder(builder, inputs[0], inputs[1], ty),
            // MLIR's and LLVM's plain conversions are undefined out of range.
            "arith.fptosi" => saturating(builder, "llvm.fptosi.sat", inputs, ty),
            "arith.fptoui" => saturating(builder, "llvm.fptoui.sat", inputs, ty),
            // Where two tiles are joined, each register is known to be of one of them.
            "arith.cmpi" => match known_comparison(inputs, named) {
                Some(truth) => builder.constant_int(i64::from(truth), ty),
                None => builder.value(name, inputs, named, ty),
            },
            "arith.select" => match constant(inputs[0]) {
                Some(0) => inputs[2],
                Some(_) => inputs[1],
                None => builder.value(name, inputs, named, ty),
            },
            _ => builder.value(name, inputs, named, ty),
        }
    }

    fn constant(&mut self, to: &mut Rebuilder<'c>, operation: Operation<'c>) {
        let value = result(operation, 0);
        let tile = TileType::of(value).expect("called for tiles");
        let layout = self.encodings.layout(value);
        let text = operation
            .attribute("value")
            .map(|value| value.to_string())
            .unwrap_or_default();
        let splat = text
            .strip_prefix("dense<")
            .and_then(|rest| rest.split('>').next())
            .unwrap_or("0");
        let element = tile.element();
        let register = self.register_type(element);
        if register != element {
            let bits = fp8::constant_bits(splat, element);
            let scalar = to.builder.constant_int(bits, register);
            to.bind(value, vec![scalar; layout.register_count()]);
            return;
        }
        let attribute = if splat == "true" || splat == "false" {
            to.builder.parse_attribute(splat)
        } else {
            to.builder.parse_attribute(&format!("{splat} : {element}"))
        };
        let scalar = to
            .builder
            .value("arith.constant", &[], &[("value", attribute)], element);
        to.bind(value, vec![scalar; layout.register_count()]);
    }
}

impl<'c> Rewrite<'c> for ToLlvm<'_, '_, 'c> {
    fn types(&mut self, value: Value<'c>) -> Vec<Type<'c>> {
        let ty = value.r#type();
        let register = self.register_type(ty);
        if !ty.is_ranked_tensor() {
            return vec![register];
        }
        vec![register; self.encodings.of_type(ty).register_count()]
    }

    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        if self.printed_bytes > 0 && self.printed.is_none() {
            // The function's first operation: what is reserved inside a loop grows with its iterations.
            self.printed = Some(debug::reserve(&mut to.builder, self.printed_bytes));
        }
        if let Some(counter) = self.hidden_counters.remove(&address(operation)) {
            hidden_counters::hide(to, counter);
        }
        self.cluster.enter(to, operation);
        self.pass = int_attribute(operation, "pass");
        match TileOp::of(operation) {
            Some(own) => self.own(to, own, operation)?,
            None => {
                let list = results(operation);
                let tile = list
                    .first()
                    .is_some_and(|value| TileType::of(*value).is_some());
                let computes =
                    name(operation).starts_with("arith.") || name(operation).starts_with("math.");
                if !computes {
                    return Ok(false);
                }
                if tile && name(operation) == "arith.constant" {
                    self.constant(to, operation);
                } else if tile {
                    self.elementwise(to, operation);
                } else if list.len() == 1 && name(operation) == "arith.constant" && {
                    let ty = list[0].r#type();
                    self.register_type(ty) != ty
                } {
                    let text = operation.attribute("value").map(|value| value.to_string());
                    let text = text.unwrap_or_default();
                    let number = text.split(' ').next().unwrap_or_default();
                    let bits = fp8::constant_bits(number, list[0].r#type());
                    let ty = self.register_type(list[0].r#type());
                    let value = to.builder.constant_int(bits, ty);
                    to.bind(list[0], vec![value]);
                } else if list.len() == 1 {
                    let inputs: Vec<_> = operands(operation)
                        .into_iter()
                        .map(|operand| to.one(operand))
                        .collect();
                    let attributes = attributes(operation);
                    let ty = self.register_type(list[0].r#type());
                    let from = operands(operation)
                        .first()
                        .map_or(ty, |operand| operand.r#type());
                    if let Some(conversion) = Fp8::of(name(operation), from, list[0].r#type()) {
                        let builder = &mut to.builder;
                        let value = self.convert_fp8(builder, conversion, inputs[0], ty);
                        to.bind(list[0], vec![value]);
                        return Ok(true);
                    }
                    let value =
                        self.scalar(&mut to.builder, name(operation), &inputs, &attributes, ty);
                    to.bind(list[0], vec![value]);
                } else {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

impl<'c> ToLlvm<'_, '_, 'c> {
    fn own(
        &mut self,
        to: &mut Rebuilder<'c>,
        own: TileOp<'c>,
        operation: Operation<'c>,
    ) -> Result<(), Diagnostic> {
        match own {
            TileOp::ProgramId(query) => match (query.number(), self.group, query.axis()) {
                (Some(number), _, axis) => {
                    let number = to.one(number);
                    let number = program::bounded(&mut to.builder, axis, number);
                    to.bind(query.result(), vec![number]);
                }
                (None, Some(group), axis @ (0 | 1)) => {
                    let registers = [self.cluster.program_id(), self.cluster.program_count()];
                    let number = program::in_groups(&mut to.builder, group, axis, registers);
                    to.bind(query.result(), vec![number]);
                }
                (None, None, axis) if self.order.is_some() => {
                    let registers = [self.cluster.program_id(), self.cluster.program_count()];
                    let order = self.order.as_deref().unwrap_or_default();
                    let number = program::in_order(&mut to.builder, order, axis, registers);
                    to.bind(query.result(), vec![number]);
                }
                _ => {
                    let register = self.cluster.program_id();
                    self.axis_register(to, register, query.axis(), query.result());
                }
            },
            TileOp::NumPrograms(query) => {
                let register = self.cluster.program_count();
                self.axis_register(to, register, query.axis(), query.result());
            }
            TileOp::Arange(arange) => self.arange(to, arange),
            TileOp::Splat(splat) => {
                let scalar = to.one(splat.scalar());
                let count = self.encodings.layout(splat.result()).register_count();
                to.bind(splat.result(), vec![scalar; count]);
            }
            TileOp::Expand(expand) => self.expand(to, expand),
            TileOp::Broadcast(broadcast) => self.broadcast(to, broadcast),
            TileOp::Permute(permute) => self.permute(to, permute),
            TileOp::Part(part) => self.part(to, part),
            TileOp::Reshape(reshape) => self.reshape(to, reshape),
            TileOp::Convert(convert) => self.convert(to, convert),
            TileOp::ExchangePairs(exchange) => self.exchange_pairs(to, exchange),
            TileOp::PointerOffset(offset) => self.pointer_offset(to, offset),
            TileOp::PointerCast(cast) => self.pointer_cast(to, cast),
            TileOp::Load(load) => self.load(to, load),
            TileOp::Store(store) => self.store(to, store),
            TileOp::SharedAlloc(alloc) => to.bind(alloc.result(), Vec::new()),
            TileOp::SharedStore(store) => self.shared_store(to, store),
            TileOp::SharedFill(fill) => self.shared_fill(to, fill),
            TileOp::SharedLoad(load) => self.shared_load(to, load),
            TileOp::FragmentLoad(load) => self.fragment_load(to, load),
            TileOp::DotStep(dot) => self.dot_step(to, dot),
            TileOp::Barrier(barrier) => {
                if int_attribute(barrier.0, "proxy").is_some() {
                    threads::fence_proxy(&mut to.builder);
                }
                if int_attribute(barrier.0, "cluster").is_some() {
                    cluster::meet(&mut to.builder);
                } else {
                    let is_whole = int_attribute(barrier.0, "block").is_some();
                    self.barrier(&mut to.builder, is_whole);
                }
            }
            TileOp::BlockRank(rank) => {
                let number = self.block_rank(&mut to.builder);
                to.bind(rank.result(), vec![number]);
            }
            TileOp::ClusterBarrier(_) => cluster::barrier(&mut to.builder),
            TileOp::DotTurns(_) => self.begin_turns(&mut to.builder),
            TileOp::WarpSync(_) => threads::warp_sync(&mut to.builder),
            TileOp::ClusterSum(sum) => self.cluster_sum(to, sum),
            TileOp::SharedStage(stage) => self.shared_stage(to, stage),
            TileOp::AsyncCopy(copy) => self.async_copy(to, copy),
            TileOp::RowsCopy(copy) => self.rows_copy(to, copy),
            TileOp::Realign(realign) => self.realign(to, realign),
            TileOp::RowsRead(read) => self.rows_read(to, read),
            TileOp::RowsWrite(write) => self.rows_write(to, write),
            TileOp::RowsStore(store) => self.rows_store(to, store),
            TileOp::AsyncCommit(_) => self.async_commit(to),
            TileOp::AsyncArrive(arrive) => self.async_arrive(to, arrive),
            TileOp::ProxyFence(_) => threads::fence_proxy(&mut to.builder),
            TileOp::AsyncWait(wait) => copies::wait(&mut to.builder, wait.pending()),
            TileOp::DotWait(wait) => self.dot_wait(to, wait),
            TileOp::FirstThread(first) => self.first_thread(to, first),
            TileOp::FirstWarpgroup(first) => self.first_warpgroup(to, first),
            TileOp::FirstLane(of) => {
                let value = to.one(of.value());
                let zero = threads::int(&mut to.builder, 0);
                let from = reduce::Shuffle::Index(zero);
                let told = reduce::shuffle(&mut to.builder, value, from);
                to.bind(of.result(), vec![told]);
            }
            TileOp::Producer(producer) => self.producer(to, producer),
            TileOp::Registers(registers) => threads::registers(&mut to.builder, registers),
            TileOp::ClusterStore(store) => self.cluster_store(to, store),
            TileOp::MbarrierArrive(arrive) => self.mbarrier_arrive(to, arrive),
            TileOp::MbarrierInit(init) => self.mbarrier_init(to, init),
            TileOp::MbarrierExpect(expect) => self.mbarrier_expect(to, expect),
            TileOp::MbarrierWait(wait) => self.mbarrier_wait(to, wait),
            TileOp::MbarrierEnd(end) => self.mbarrier_end(to, end),
            TileOp::TensorPrefetch(prefetch) => self.tensor_prefetch(to, prefetch),
            TileOp::TensorCopy(copy) => self.tensor_copy(to, copy),
            TileOp::BoxStore(store) => self.box_store(to, store),
            TileOp::BoxLoad(load) => self.box_load(to, load),
            TileOp::Keep(keep) => self.keep(to, keep),
            TileOp::Settle(settle) => self.settle(to, settle),
            TileOp::Kept(kept) => self.kept(to, kept),
            TileOp::BoxStoresDone(_) => box_store::done(&mut to.builder),
            TileOp::PartStore(store) => self.part_store(to, store),
            TileOp::PartSum(sum) => self.part_sum(to, sum)?,
            TileOp::PartArrive(arrive) => self.part_arrive(to, arrive),
            TileOp::RowCopy(copy) => self.row_copy(to, copy),
            TileOp::RowEdge(edge) => self.row_edge(to, edge),
            TileOp::RowRead(read) => self.row_read(to, read),
            TileOp::RowWrite(write) => self.row_write(to, write),
            TileOp::RowStore(store) => self.row_store(to, store),
            TileOp::Ticket(ticket) => self.ticket(to, ticket),
            TileOp::TicketShow(show) => self.ticket_show(to, show),
            TileOp::TicketRead(read) => self.ticket_read(to, read),
            TileOp::SharedGather(gather) => self.shared_gather(to, gather),
            TileOp::Exchange(exchange) => self.exchange(to, exchange),
            TileOp::SharedPut(put) => self.shared_put(to, put),
            TileOp::SharedCount(count) => self.shared_count(to, count),
            TileOp::Map(map) => self.map(to, map)?,
            TileOp::SharedExchange(exchange) => self.shared_exchange(to, exchange),
            TileOp::Atomic(atomic) => self.atomic(to, atomic),
            TileOp::Reduce(reduce) => self.reduce(to, reduce)?,
            TileOp::Scan(scan) => self.scan(to, scan)?,
            TileOp::Dot(dot) => self.dot(to, dot)?,
            TileOp::Asm(asm) => self.asm(to, asm),
            TileOp::Assert(assert) => self.assert(to, assert),
            TileOp::Print(print) => self.print(to, print),
            TileOp::Prefetch(prefetch) => self.prefetch(to, prefetch),
            TileOp::Assume(assume) => {
                let condition = to.one(assume.condition());
                let sizes = to.builder.ints32(&[]);
                to.builder.insert(
                    "llvm.intr.assume",
                    &[condition],
                    &[("op_bundle_sizes", sizes)],
                    &[],
                );
            }
            TileOp::LoadView(_)
            | TileOp::StoreView(_)
            | TileOp::Gather(_)
            | TileOp::Histogram(_) => {
                return Err(super::internal(
                    "to-llvm",
                    &format!("an operation of earlier passes is left: {operation}"),
                ));
            }
        }
        Ok(())
    }

    fn axis_register(
        &mut self,
        to: &mut Rebuilder<'c>,
        register: &str,
        axis: i64,
        value: Value<'c>,
    ) {
        let axis = ["x", "y", "z"].get(axis as usize).copied().unwrap_or("x");
        let read = to.builder.special_register(&format!("{register}.{axis}"));
        to.bind(value, vec![read]);
    }
}

/// The register of which another one is known to have the value: where neighbours in `runs` have one, or registers have one element.
fn first_of_run(layout: &Layout, runs: Option<&[u64]>, register: usize) -> usize {
    match runs {
        Some(runs) => layout.run_representative(register, runs),
        None => layout.register_representative(register),
    }
}

/// The value of an integer constant.
fn constant(value: Value<'_>) -> Option<i64> {
    let operation = defining_operation(value).filter(|of| name(*of) == "arith.constant")?;
    int_attribute(operation, "value")
}

/// Whether two constants are equal, where a comparison asks for that.
fn known_comparison(inputs: &[Value<'_>], attributes: &[(&str, Attribute<'_>)]) -> Option<bool> {
    let (left, right) = (constant(inputs[0])?, constant(inputs[1])?);
    let (_, predicate) = attributes.iter().find(|(name, _)| *name == "predicate")?;
    match IntegerAttribute::try_from(*predicate).ok()?.value() {
        predicates::EQ => Some(left == right),
        predicates::NE => Some(left != right),
        _ => None,
    }
}

/// A conversion to an integer that saturates. MLIR's own operation for it cannot be translated: it
/// leaves the overload open.
fn saturating<'c>(
    builder: &mut Builder<'c>,
    intrinsic: &str,
    inputs: &[Value<'c>],
    ty: Type<'c>,
) -> Value<'c> {
    let attributes = [
        ("intrin", builder.text(intrinsic)),
        ("op_bundle_sizes", builder.ints32(&[])),
        ("operandSegmentSizes", builder.ints32(&[1, 0])),
    ];
    builder.value("llvm.call_intrinsic", inputs, &attributes, ty)
}

/// The type a number has in memory and LLVM: fp8 is a byte.
fn storage<'c>(builder: &Builder<'c>, ty: Type<'c>) -> Type<'c> {
    if ty.to_string().starts_with("f8") {
        builder.int_type(8)
    } else {
        ty
    }
}

/// 16 bits as a float, through a move that LLVM cannot see through: instruction selection merges the
/// bits of `bf16` and `f16` into an operation that does not exist, and gives up.
fn opaque_bits<'c>(builder: &mut Builder<'c>, value: Value<'c>, ty: Type<'c>) -> Value<'c> {
    let word = builder.int_type(16);
    let bits = if value.r#type() == word {
        value
    } else {
        builder.value("arith.bitcast", &[value], &[], word)
    };
    let moved = threads::inline_asm(builder, "mov.b16 $0, $1;", "=h,h", &[bits], &[word], false)[0];
    builder.value("arith.bitcast", &[moved], &[], ty)
}

fn is_bf16(ty: Type<'_>) -> bool {
    ty.to_string() == "bf16"
}

/// A `bf16` as f32: its bits are the upper half. Written so, the conversion of half a word is one
/// instruction (a shift or a mask of the word), where `cvt.f32.bf16` needs the half in a register first.
fn widened<'c>(builder: &mut Builder<'c>, value: Value<'c>, ty: Type<'c>) -> Value<'c> {
    let (half, word) = (builder.int_type(16), builder.int_type(32));
    let bits = builder.value("arith.bitcast", &[value], &[], half);
    let bits = builder.value("arith.extui", &[bits], &[], word);
    let places = builder.constant_int(16, word);
    let bits = builder.binary("arith.shli", bits, places);
    builder.value("arith.bitcast", &[bits], &[], ty)
}

/// Whether an operation may become branches or loops on the value of its operands.
fn may_branch(name: &str, ty: Type<'_>) -> bool {
    let is_double = ty.to_string() == "f64";
    match name {
        // 64 bits: LLVM divides by 32 where the upper halves are zero.
        _ if is_integer_division(name) => ty.to_string() == "i64",
        "arith.remf" | "math.sin" | "math.cos" | "math.tan" => true,
        "math.fma" | "math.absf" | "math.sqrt" => false,
        _ => is_double && name.starts_with("math."),
    }
}
