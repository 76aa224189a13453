//! Walks a function after the pass `layouts`, where every tile has its layout and every access its
//! width, and notes what there is to say of each operation.

use std::collections::{BTreeMap, HashSet};

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;

use super::access::TileAccess;
use super::data::{
    AccessData, Amounts, LayoutData, LoopData, Pattern, Place, ProductData, ReductionData,
    RemarkData, Repeat, ValueData,
};
use super::layouts;
use super::names::{Names, spelled, tile_type};
use super::numbers::Numbers;
use super::strides::Strides;
use super::work::Task;
use crate::diagnostic::Span;
use crate::diagnostic::remark::Narrow;
use crate::dialect::TileOp;
use crate::dialect::ops::Load;
use crate::facts::{FactAnalysis, Facts, pointee_bytes};
use crate::ffi::defining_operation;
use crate::ir::{
    Operation, TileType, Value, address, int_attribute, name, operand, operands, operations,
    region_block, results,
};
use crate::layout::Layout;
use crate::passes::windows::Overlaps;
use crate::passes::{RARE, each_operation, late, span_of};
use crate::source::SourceMap;
use crate::target::card::Arithmetic;

/// Operations that are looked at for one access.
const MOST_LOOKED_AT: usize = 256;

/// What is known besides the function.
pub struct Around<'a> {
    /// For places.
    pub sources: &'a SourceMap,
    /// What the author calls things.
    pub names: &'a Names<'a>,
    /// The names of the arguments that addresses come from, by argument.
    pub arguments: &'a [Option<String>],
    /// The values of arguments, if there is a call.
    pub values: &'a [Option<i64>],
}

/// What was found in a function.
#[derive(Default)]
pub struct Found {
    /// Accesses to global memory, each with the place in [`Self::reasons`]' order.
    pub accesses: Vec<AccessData>,
    /// Matrix products.
    pub products: Vec<ProductData>,
    /// Reductions and scans.
    pub reductions: Vec<ReductionData>,
    /// Loops.
    pub loops: Vec<LoopData>,
    /// Tiles.
    pub values: Vec<ValueData>,
    /// Layouts, each once.
    pub layouts: Vec<LayoutData>,
    /// Operations and bytes of each operation.
    pub tasks: Vec<Task>,
    /// What precise arithmetic costs beside products.
    pub precision: Vec<RemarkData>,
}

/// Walks a function.
pub fn function<'c>(around: &Around<'_>, function: Operation<'c>) -> Found {
    let facts = FactAnalysis::new(function);
    let Some(body) = region_block(function, 0) else {
        return Found::default();
    };
    let arguments = crate::ir::arguments(body).into_iter();
    let values = around.values.iter().copied().chain(std::iter::repeat(None));
    let numbers = Numbers::new(arguments.zip(values));
    let mut walk = Walk {
        around,
        facts: &facts,
        numbers: &numbers,
        overlaps: Overlaps::find(function, layout_of),
        late: late(function),
        found: Found::default(),
        inside: Context::default(),
    };
    walk.block(body);
    let mut found = walk.found;
    // The operands of a product are told of as such.
    let values = found.values.clone();
    found.values.retain(|value| {
        let is_operand = |other: &ValueData| {
            other.name.ends_with(OPERAND)
                && (other.place, other.layout) == (value.place, value.layout)
        };
        !value.name.ends_with(ELSEWHERE) || !values.iter().any(is_operand)
    });
    found
}

/// Copies, and the loops that their `of_loop` counts.
pub type Copies = (Vec<AccessData>, Vec<LoopData>);

/// The copies to shared memory that the iterations of loops start ahead of time, after the pass `barriers`,
/// and the loops that there are then.
pub fn copies<'c>(around: &Around<'_>, of: Operation<'c>) -> Copies {
    let found = function(around, of);
    let copies = found.accesses.into_iter().filter(|access| {
        // Those in front of the loop are the same once more.
        access.by.is_some() && access.repeat.of_loop.is_some()
    });
    (copies.collect(), found.loops)
}

/// Loads and stores of rows that go through shared memory, in pieces as wide as an access can be, and where they are.
pub type Pieces = Vec<(&'static str, Option<Place>)>;

/// Those of a function, after the pass `barriers`.
pub fn pieces<'c>(around: &Around<'_>, function: Operation<'c>) -> Pieces {
    let mut found = Vec::new();
    each_operation(function, &mut |operation| {
        let kind = match TileOp::of(operation) {
            Some(TileOp::RowCopy(_) | TileOp::RowsCopy(_)) => "load",
            Some(TileOp::RowStore(_) | TileOp::RowsStore(_)) => "store",
            _ => return,
        };
        let span = span_of(around.sources, operation.location());
        found.push((kind, super::place(around.sources, span)));
    });
    found
}

/// How the names of values end that are no expression's own.
const OPERAND: &str = " operand";
const ELSEWHERE: &str = ", in another layout";

/// What is around an operation.
#[derive(Debug, Clone, Copy)]
struct Context {
    /// The innermost loop.
    of_loop: Option<usize>,
    /// Times per program, where known.
    times: Option<u64>,
    /// Elements for which a region is computed: those of a map.
    elements: u64,
}

impl Default for Context {
    fn default() -> Self {
        Self {
            of_loop: None,
            times: Some(1),
            elements: 1,
        }
    }
}

struct Walk<'a, 'c> {
    around: &'a Around<'a>,
    facts: &'a FactAnalysis<'c>,
    numbers: &'a Numbers,
    overlaps: Overlaps<'c>,
    /// Reductions that are combined across threads behind their loop, by address.
    late: HashSet<usize>,
    found: Found,
    inside: Context,
}

/// The layout in a tile's type.
#[must_use]
pub fn layout_of(value: Value<'_>) -> Option<Layout> {
    let tile = TileType::of(value)?;
    Layout::from_attribute(&tile.encoding()?.to_string(), &tile.shape()).ok()
}

/// The element of a value, as the language spells it.
#[must_use]
pub fn element_of(value: Value<'_>) -> String {
    spelled(&crate::ir::element_type(value.r#type()).to_string())
}

/// The element that a pointer (or a tile of them) points to.
fn pointee(pointer: Value<'_>) -> String {
    let text = crate::ir::element_type(pointer.r#type()).to_string();
    let inner = text
        .strip_prefix("!tile.ptr<")
        .and_then(|rest| rest.strip_suffix('>'));
    spelled(inner.unwrap_or(&text))
}

fn count(shape: &[u64]) -> u64 {
    shape.iter().product()
}

impl<'c> Walk<'_, 'c> {
    fn span(&self, operation: Operation<'c>) -> Span {
        span_of(self.around.sources, operation.location())
    }

    fn place(&self, operation: Operation<'c>) -> Option<Place> {
        super::place(self.around.sources, self.span(operation))
    }

    fn repeat(&self) -> Repeat {
        Repeat {
            of_loop: self.inside.of_loop,
            times: self.inside.times,
        }
    }

    fn block(&mut self, block: crate::ir::Block<'c>) {
        for operation in operations(block) {
            self.operation(operation);
            self.regions(operation);
        }
    }

    fn regions(&mut self, operation: Operation<'c>) {
        let outside = self.inside;
        match name(operation) {
            "scf.for" => self.enter_loop(operation, self.numbers.trips(operation)),
            "scf.while" => self.enter_loop(operation, None),
            // Perhaps, perhaps not: as often as what is around it, at most.
            "tile.map" => {
                let shape = results(operation).first().copied().and_then(TileType::of);
                self.inside.elements = shape.map_or(1, |tile| count(&tile.shape()));
            }
            // Combiners are counted as a whole.
            "tile.reduce" | "tile.scan" => return,
            _ => {}
        }
        for index in 0..operation.region_count() {
            if let Some(block) = region_block(operation, index) {
                self.block(block);
            }
        }
        self.inside = outside;
    }

    fn enter_loop(&mut self, operation: Operation<'c>, trips: Option<u64>) {
        self.found.loops.push(LoopData {
            place: self.place(operation),
            inside: self.inside.of_loop,
            trips,
        });
        self.inside.of_loop = Some(self.found.loops.len() - 1);
        let times = self.inside.times.zip(trips);
        self.inside.times = times.map(|(times, trips)| times.saturating_mul(trips));
    }

    fn operation(&mut self, operation: Operation<'c>) {
        match TileOp::of(operation) {
            Some(TileOp::Load(load)) => {
                self.access(operation, "load", load.pointers(), load.mask(), false);
                self.hints(load.cache(), load.evict());
            }
            // The others store the same tile as a whole.
            Some(TileOp::Store(store)) if int_attribute(store.0, RARE).is_some() => {}
            Some(TileOp::Store(store)) => {
                self.access(operation, "store", store.pointers(), store.mask(), true);
                self.hints(store.cache(), store.evict());
            }
            Some(TileOp::Atomic(atomic)) => {
                self.access(operation, "atomic", atomic.pointers(), atomic.mask(), true);
            }
            Some(TileOp::Prefetch(prefetch)) => {
                let mask = prefetch.mask();
                self.access(operation, "prefetch", prefetch.pointers(), mask, false);
            }
            Some(TileOp::AsyncCopy(copy)) => {
                self.access(operation, "load", copy.pointers(), copy.mask(), false);
                self.copied_by("cp.async");
            }
            Some(TileOp::TensorCopy(copy)) => self.boxes(copy),
            Some(TileOp::Dot(dot)) => self.product(dot),
            Some(TileOp::Reduce(reduce)) => {
                self.reduction(operation, reduce.operands(), reduce.axis() as usize);
            }
            Some(TileOp::Scan(scan)) => {
                self.reduction(operation, scan.operands(), scan.axis() as usize);
            }
            Some(TileOp::Convert(convert)) => self.converted(convert),
            Some(_) => {}
            None => self.arithmetic(operation),
        }
        self.values(operation);
    }

    fn copied_by(&mut self, by: &'static str) {
        if let Some(access) = self.found.accesses.last_mut() {
            access.by = Some(by);
        }
    }

    /// A box of a tensor: one thread starts it, and no lanes are involved.
    fn boxes(&mut self, copy: crate::dialect::ops::TensorCopy<'c>) {
        // Where the launch may make two programs a pair, the copy of a half stands beside that of the whole.
        if int_attribute(copy.0, "half").is_some() {
            return;
        }
        let panels = copy.panels().max(1) as u64;
        let bytes = copy.bytes().max(0) as u64;
        let sectors = bytes.div_ceil(32);
        self.found.accesses.push(AccessData {
            kind: "load",
            place: self.place(copy.0),
            tensor: None,
            element: String::new(),
            shape: Vec::new(),
            pattern: Pattern::Boxes,
            vector: 0,
            vector_bytes: 0,
            requests: panels,
            sectors,
            sectors_at_most: sectors,
            ideal_sectors: sectors,
            efficiency: 1.0,
            by: Some("TMA"),
            masked: false,
            hints: String::new(),
            bytes: panels * bytes,
            repeat: self.repeat(),
            narrow: None,
            overlapping: false,
        });
    }

    /// `.cs` and the like, of the access that was noted last.
    fn hints(&mut self, cache: &str, evict: &str) {
        let Some(access) = self.found.accesses.last_mut() else {
            return;
        };
        let mut words = Vec::new();
        if !cache.is_empty() {
            words.push(format!(".{cache}"));
        }
        if !evict.is_empty() {
            words.push(format!("evict_{evict}"));
        }
        access.hints = words.join(" ");
    }

    /// Whether positions that pointers are computed from are what is left of others that may be negative.
    fn wraps(&self, pointers: Value<'c>) -> bool {
        let mut open = vec![pointers];
        let mut left = MOST_LOOKED_AT;
        while let Some(value) = open.pop() {
            let Some(operation) =
                defining_operation(value).filter(|_| TileType::of(value).is_some())
            else {
                continue;
            };
            let may_be_negative = || {
                let range = self.facts.range(operand(operation, 0));
                range.is_none_or(|(least, _)| least < 0)
            };
            if name(operation) == "arith.remsi" && may_be_negative() {
                return true;
            }
            left -= 1;
            if left == 0 {
                return false;
            }
            open.extend(operands(operation));
        }
        false
    }

    fn access(
        &mut self,
        operation: Operation<'c>,
        kind: &'static str,
        pointers: Value<'c>,
        mask: Option<Value<'c>>,
        by_owners: bool,
    ) {
        let strides = Strides {
            facts: self.facts,
            numbers: self.numbers,
        };
        let element_bytes = pointee_bytes(pointers);
        let tensor = strides
            .base(pointers)
            .and_then(|number| self.around.arguments.get(number)?.clone());
        let mut data = AccessData {
            kind,
            place: self.place(operation),
            tensor,
            element: pointee(pointers),
            shape: Vec::new(),
            pattern: Pattern::Single,
            vector: 1,
            vector_bytes: element_bytes,
            requests: 1,
            sectors: 1,
            sectors_at_most: 1,
            ideal_sectors: 1,
            efficiency: element_bytes as f64 / 32.0,
            by: None,
            masked: mask.is_some(),
            hints: String::new(),
            bytes: element_bytes,
            repeat: self.repeat(),
            narrow: None,
            overlapping: false,
        };
        if let Some(layout) = layout_of(pointers) {
            // Atomics take one element at a time.
            let vector = int_attribute(operation, "vector").map_or(1, |width| width.max(1) as u64);
            let mask: Option<Facts> = mask.map(|mask| self.facts.of(mask));
            let addresses = strides.of(pointers);
            let access = TileAccess {
                layout: &layout,
                addresses: &addresses,
                facts: &self.facts.of(pointers),
                mask: mask.as_ref(),
                element_bytes,
                vector,
                by_owners,
            };
            let cost = access.cost();
            data.shape = layout.shape().to_vec();
            data.vector = vector;
            data.vector_bytes = vector * element_bytes;
            data.bytes = count(layout.shape()) * element_bytes;
            data.pattern = cost.pattern;
            data.requests = cost.requests;
            data.sectors = cost.sectors;
            data.sectors_at_most = cost.at_most;
            data.ideal_sectors = cost.ideal;
            data.efficiency = cost.ideal as f64 / cost.sectors.max(1) as f64;
            if kind != "atomic" {
                data.narrow = match access.narrow() {
                    Some(Narrow::Apart) if self.wraps(pointers) => Some(Narrow::Wrapped),
                    narrow => narrow,
                };
            }
        }
        if let Some(taken) = Load::of(operation).and_then(|load| self.overlaps.taken(load)) {
            let loaded = taken.iter().filter(|from| from.is_none()).count() as u64;
            let part = |of: u64| of * loaded / taken.len() as u64;
            (data.bytes, data.requests) = (part(data.bytes), part(data.requests));
            data.overlapping = true;
        }
        if kind != "prefetch" {
            let (loaded, stored) = match kind {
                "load" => (data.bytes, 0),
                "store" => (0, data.bytes),
                _ => (data.bytes, data.bytes),
            };
            self.task(None, loaded, stored);
        }
        self.found.accesses.push(data);
    }

    fn task(&mut self, operations: Option<(Arithmetic, u64)>, loaded: u64, stored: u64) {
        self.found.tasks.push(Task {
            repeat: self.repeat(),
            amounts: Amounts {
                operations: operations.into_iter().collect::<BTreeMap<_, _>>(),
                loaded_bytes: loaded,
                stored_bytes: stored,
            },
        });
    }

    fn product(&mut self, dot: crate::dialect::ops::Dot<'c>) {
        let shape = |value| TileType::of(value).map(TileType::shape).unwrap_or_default();
        let (left, result) = (shape(dot.left()), shape(dot.result()));
        let ([m, k], [.., n]) = (left.as_slice(), result.as_slice()) else {
            return;
        };
        let factor = element_of(dot.left());
        let operations = 2 * m * n * k;
        let arithmetic = match (dot.path(), factor.as_str()) {
            ("fma", "f64") => Arithmetic::Double,
            ("fma", _) => Arithmetic::Single,
            (_, "f32") => Arithmetic::TensorTf32,
            (_, "i8") => Arithmetic::TensorInt8,
            _ => Arithmetic::TensorHalf,
        };
        self.found.products.push(ProductData {
            place: self.place(dot.0),
            path: dot.path().to_owned(),
            m: *m,
            n: *n,
            k: *k,
            factor,
            sum: element_of(dot.result()),
            operations,
            repeat: self.repeat(),
        });
        self.task(Some((arithmetic, operations)), 0, 0);
        // Warpgroups read their operands from shared memory.
        if dot.path() == "wgmma" {
            return;
        }
        for (value, role) in [(dot.left(), "left"), (dot.right(), "right")] {
            let source = defining_operation(value);
            let source = match source.and_then(TileOp::of) {
                Some(TileOp::Convert(convert)) => defining_operation(convert.operand()),
                _ => source,
            };
            let name = source.map(|source| self.around.names.name_at(self.span(source)));
            let name = name.unwrap_or_else(|| "a value".to_owned());
            self.value(value, format!("{name}, {role}{OPERAND}"), self.place(dot.0));
        }
    }

    fn reduction(&mut self, operation: Operation<'c>, list: Vec<Value<'c>>, axis: usize) {
        let Some(layout) = list.first().copied().and_then(layout_of) else {
            return;
        };
        let along =
            |bases: &[Vec<u32>]| bases.iter().filter(|basis| basis[axis] != 0).count() as u32;
        let registers = 1u64 << along(layout.register_bases());
        self.found.reductions.push(ReductionData {
            place: self.place(operation),
            shape: layout.shape().to_vec(),
            axis,
            in_registers: registers * layout.repeat()[axis],
            shuffles: along(layout.lane_bases()),
            warps: 1 << along(layout.warp_bases()),
            behind_loop: self.late.contains(&address(operation)),
        });
        for operand in list {
            let element = element_of(operand);
            if let Some(arithmetic) = arithmetic_of(&element) {
                self.task(Some((arithmetic, count(layout.shape()))), 0, 0);
            }
        }
    }

    /// One operation per element, for what a roofline counts: arithmetic of floats.
    fn arithmetic(&mut self, operation: Operation<'c>) {
        let counted = match name(operation) {
            "arith.addf" | "arith.subf" | "arith.mulf" | "arith.divf" | "arith.remf"
            | "arith.negf" | "arith.maxnumf" | "arith.minnumf" | "arith.maximumf"
            | "arith.minimumf" => 1,
            "math.fma" => 2,
            other if other.starts_with("math.") => 1,
            _ => return,
        };
        let Some(value) = results(operation).first().copied() else {
            return;
        };
        let elements = match TileType::of(value) {
            Some(tile) => count(&tile.shape()),
            // A scalar is every thread's; only those of a map are an element's each.
            None if self.inside.elements > 1 => self.inside.elements,
            None => return,
        };
        if let Some(arithmetic) = arithmetic_of(&element_of(value)) {
            self.task(Some((arithmetic, counted * elements)), 0, 0);
        }
    }

    fn converted(&mut self, convert: crate::dialect::ops::Convert<'c>) {
        // Operands of a product are told of there.
        let source = defining_operation(convert.operand());
        let is_number = arithmetic_of(&element_of(convert.result())).is_some()
            || element_of(convert.result()).starts_with('i');
        let (Some(source), true) = (source, is_number) else {
            return;
        };
        let from = self.span(source);
        let shape = layout_of(convert.result()).map(|layout| layout.shape().to_vec());
        let element = crate::ir::element_type(convert.result().r#type()).to_string();
        let known =
            shape.is_some_and(|shape| self.around.names.type_at(from, &shape, &element).is_some());
        if known {
            let name = self.around.names.name_at(from) + ELSEWHERE;
            self.value(convert.result(), name, self.place(convert.0));
        }
    }

    /// Tiles that an expression of the source stands for.
    fn values(&mut self, operation: Operation<'c>) {
        if matches!(TileOp::of(operation), Some(TileOp::Convert(_))) {
            return;
        }
        let span = self.span(operation);
        for value in results(operation) {
            let Some(tile) = TileType::of(value) else {
                continue;
            };
            let element = tile.element().to_string();
            if self
                .around
                .names
                .type_at(span, &tile.shape(), &element)
                .is_some()
            {
                self.value(
                    value,
                    self.around.names.name_at(span),
                    self.place(operation),
                );
            }
        }
    }

    fn value(&mut self, value: Value<'c>, name: String, place: Option<Place>) {
        let Some(layout) = layout_of(value) else {
            return;
        };
        let layout = layouts::data(&layout);
        let known = self.found.layouts.iter().position(|other| *other == layout);
        let number = known.unwrap_or_else(|| {
            self.found.layouts.push(layout.clone());
            self.found.layouts.len() - 1
        });
        let data = ValueData {
            name,
            place,
            ty: tile_type(&element_of(value), &layout.shape),
            layout: number,
        };
        if !self.found.values.contains(&data) {
            self.found.values.push(data);
        }
    }
}

/// What arithmetic of an element is counted as; `None` for integers.
fn arithmetic_of(element: &str) -> Option<Arithmetic> {
    match element {
        "f64" => Some(Arithmetic::Double),
        _ if element.starts_with('f') || element == "bf16" => Some(Arithmetic::Single),
        _ => None,
    }
}
