//! `views`: accesses through tensor views become pointers and masks.
//!
//! ```text
//! %t = tile.load_view %a, starts(%i, %k0), sizes(%m, %k), strides(%k, 1)  : tensor<128x64xf16>
//!   ⇒  %p = %a + (%i * %k + %k0)                                  one scalar address
//!      %t = tile.load %p + (arange(128) * %k + arange(64)), mask = …, other = 0
//! ```
//!
//! Where the view starts goes into the scalar address; the offsets of the elements from there are the
//! same in every iteration of a loop and leave it.
//!
//! Positions are compared as unsigned numbers: a size is below 2³¹, so one comparison rejects
//! negative positions and sums that wrapped as well. Offsets are computed in 64 bits. A dimension
//! whose positions provably lie inside needs no mask.
//!
//! A masked store of what products give is one of a whole box in most programs, where its mask holds for all elements. Those
//! programs store it as a box, which TMA does for them, the others element by element where they have it.
//!
//! ```text
//! store(o[i +: N, :], x, mask = (i + arange(0, N) < end)[:, None])
//!   ⇒  if i + N <= end { store(o[i +: N, :], x) } else { store(o[i +: N, :], x, mask = …) }
//! ```
//!
//! What elements out of bounds are is chosen behind the load where a loop with products loads a row: copies that run ahead
//! fill with zeros alone.
//!
//! ```text
//! %r = tile.load %p, mask = %m, other = inf  ⇒  %z = tile.load %p, mask = %m
//!                                               %r = select %m, %z, inf
//! ```

use std::collections::{HashMap, HashSet};

use melior::ir::operation::OperationLike;
use melior::ir::{Module, ValueLike};
use tile_runtime::manifest::MapDimension;

use super::{
    PassContext, begins_at_pieces, each_operation, element_bytes, function_name, in_loop,
    is_beside, is_positive_zero, is_tile, multiplies, order, rebuild_functions_with, spread, uses,
    variant,
};
use crate::access::Access;
use crate::build::{Builder, Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::remark::RemarkKind;
use crate::dialect::ops::{Dot, LoadView, Reshape, StoreView};
use crate::dialect::{BOX, DIMENSIONS, POINTERS, TileOp, UNBOUNDED, WINDOW, kinds, predicates};
use crate::encoding::RARE;
use crate::facts::{FactAnalysis, constant_of, is_natural, pointee_bytes};
use crate::ffi::{argument_owner, defining_operation};
use crate::ir::{
    Operation, TileType, Value, ValueKey, ints_attribute, is_loop, key, name, operand, operands,
    operations, region_block, result, results,
};
use crate::launch::Search;
use crate::masks::is_everywhere;
use crate::target::WIDEST_ACCESS;
use crate::writes::{is_unwritten, parameter, written};
use melior::ir::Type;
use melior::ir::r#type::IntegerType;

use windows::Windows;

mod windows;

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    rebuild_functions_with(cx, &module, |function| {
        let facts = FactAnalysis::new(function);
        let masked = masked_loads(function, &facts);
        let views = Views {
            facts,
            has_tensor_copies: cx.target.has_tensor_copies,
            rows: rows_beside_products(function),
            windows: Windows::find(function, |load| !masked.contains_key(&key(load.result()))),
            function,
            products: products(function),
            merged: merged(function, &masked),
            masked,
            pointers: ints_attribute(function, POINTERS).unwrap_or_default(),
            launch: variant(cx, function).map(|variant| Search::of(function, variant)),
        };
        // Which dimension programs go along is seen here: pointers have lost it.
        let mut attributes = Vec::new();
        if let Some(order) = order::along_rows(function) {
            let span = Some(cx.span(function.location()));
            let axis = order[0] as u32;
            let kind = RemarkKind::ProgramsAlongRows { axis };
            cx.remark(function_name(function), span, kind);
            let top = crate::ffi::block(module.body());
            let builder = Builder::new(cx.context, top, function.location());
            attributes.push(match order.as_slice() {
                [1, 0, 2] => (order::GROUP, builder.int(1)),
                axes => {
                    let axes: Vec<_> = axes.iter().map(|axis| *axis as i64).collect();
                    (order::ORDER, builder.ints(&axes))
                }
            });
        }
        Ok((views, attributes))
    })
}

struct Views<'a, 'c> {
    facts: FactAnalysis<'c>,
    /// Whether the target copies boxes of tensors: then loads keep where theirs begin.
    has_tensor_copies: bool,
    /// Rows that loops with products load.
    rows: HashSet<ValueKey>,
    /// Loads that overlap.
    windows: Windows<'c>,
    function: Operation<'c>,
    /// The shapes of what products give.
    products: HashSet<Vec<u64>>,
    /// Selections by which loads are masked, if these need not read the rest, by what is loaded.
    masked: HashMap<ValueKey, Operation<'c>>,
    /// What merges the rows of several dimensions of a load, by what is loaded.
    merged: HashMap<ValueKey, Reshape<'c>>,
    /// The parameters that are pointers: a launch knows no sizes of theirs.
    pointers: Vec<i64>,
    /// What a launch knows.
    launch: Option<Search<'a>>,
}

/// Loads of several dimensions that are multiplied as matrices: all but the last dimension are one of rows (`reshape(load(x[i +: 4, j +: 32, c +: 64]), [128, 64])`).
/// They are loaded as matrices.
fn merged<'c>(
    function: Operation<'c>,
    masked: &HashMap<ValueKey, Operation<'c>>,
) -> HashMap<ValueKey, Reshape<'c>> {
    let users = uses(function);
    let mut found = HashMap::new();
    if !multiplies(function) {
        return found;
    }
    each_operation(function, &mut |operation| {
        let Some(reshape) = Reshape::of(operation) else {
            return;
        };
        let loaded = reshape.operand();
        let is_load = defining_operation(loaded).is_some_and(|of| LoadView::of(of).is_some());
        let is_only = users.get(&key(loaded)).is_some_and(|all| all.len() == 1);
        let [from, to] = [loaded, reshape.result()]
            .map(|tile| TileType::of(tile).map(TileType::shape).unwrap_or_default());
        let is_matrix = from.len() > 2 && to.len() == 2 && from.last() == to.last();
        let is_whole = from.iter().all(|size| size.is_power_of_two());
        if is_load && is_only && is_matrix && is_whole && !masked.contains_key(&key(loaded)) {
            found.insert(key(loaded), reshape);
        }
    });
    found
}

/// A tile in the shape of another type.
fn reshaped<'c>(builder: &mut Builder<'c>, tile: Value<'c>, like: Type<'c>) -> Value<'c> {
    let shape = TileType::from_type(like).map(TileType::shape);
    let element = crate::ir::element_type(tile.r#type());
    let ty = TileType::new(&shape.unwrap_or_default(), element, None).ty();
    builder.value("tile.reshape", &[tile], &[], ty)
}

/// Where two masks hold. What they ask of rows alone, or of columns alone, is asked together before it is repeated: once for each of them
/// instead of once for each element.
fn both<'c>(builder: &mut Builder<'c>, left: Value<'c>, right: Value<'c>) -> Value<'c> {
    let ty = left.r#type();
    let mut parts: Vec<(Option<Type<'c>>, Value<'c>)> = Vec::new();
    let mut left_over = vec![right, left];
    while let Some(mask) = left_over.pop() {
        let operation = defining_operation(mask);
        let (own, part) = match operation.map(|of| (name(of), TileOp::of(of))) {
            Some(("arith.andi", _)) => {
                left_over.extend(operation.map(operands).into_iter().flatten().rev());
                continue;
            }
            Some((_, Some(TileOp::Broadcast(broadcast)))) => {
                let part = broadcast.operand();
                (Some(part.r#type()), part)
            }
            _ => (None, mask),
        };
        match parts.iter_mut().find(|(of, _)| *of == own) {
            Some((_, all)) if key(*all) == key(part) => {}
            Some((_, all)) => *all = builder.and(*all, part),
            None => parts.push((own, part)),
        }
    }
    let mut whole = parts.into_iter().map(|(own, part)| match own {
        Some(_) => builder.value("tile.broadcast", &[part], &[], ty),
        None => part,
    });
    let first = whole.next().unwrap_or(left);
    let rest: Vec<_> = whole.collect();
    rest.into_iter()
        .fold(first, |all, part| builder.and(all, part))
}

/// What is selected of loads, with the number that the loads have outside of their tensors: where others may write to the rest, which must not be
/// read then, and where a load is no wider without the mask.
fn masked_loads<'c>(
    function: Operation<'c>,
    facts: &FactAnalysis<'c>,
) -> HashMap<ValueKey, Operation<'c>> {
    let written = written(function);
    let users = uses(function);
    let multiplies = multiplies(function);
    let mut found = HashMap::new();
    each_operation(function, &mut |operation| {
        if name(operation) != "arith.select" || !is_tile(operand(operation, 0)) {
            return;
        }
        let [mask, loaded, otherwise] = [0, 1, 2].map(|number| operand(operation, number));
        let Some(TileOp::LoadView(load)) = defining_operation(loaded).and_then(TileOp::of) else {
            return;
        };
        let is_only = users.get(&key(loaded)).is_some_and(|all| all.len() == 1);
        if is_beside(load, otherwise) && is_only {
            found.insert(key(loaded), (operation, mask, load));
        }
    });
    found.retain(|_, (_, mask, load)| {
        let is_written = written
            .as_ref()
            .is_none_or(|written| !is_unwritten(load.base(), written));
        let bytes = element_bytes(load.result().r#type());
        let rank = TileType::of(load.result()).map_or(0, |tile| tile.shape().len());
        let is_wide = load.kinds().last() == Some(&1)
            && facts.of(*mask).constancy[rank - 1] * bytes < WIDEST_ACCESS;
        is_written || !(multiplies || is_wide)
    });
    let selections = found.into_iter();
    selections
        .map(|(loaded, (select, ..))| (loaded, select))
        .collect()
}

fn products(function: Operation<'_>) -> HashSet<Vec<u64>> {
    let mut shapes = HashSet::new();
    each_operation(function, &mut |operation| {
        let shape = Dot::of(operation).and_then(|dot| TileType::of(dot.result()));
        shapes.extend(shape.map(TileType::shape));
    });
    shapes
}

/// The rows that loops load which multiply tiles.
fn rows_beside_products(function: Operation<'_>) -> HashSet<ValueKey> {
    let mut rows = HashSet::new();
    each_operation(function, &mut |operation| {
        let body = region_block(operation, 0).filter(|_| is_loop(operation));
        let inside: Vec<_> = body.map(operations).unwrap_or_default();
        let is_product = |operation: &Operation<'_>| Dot::of(*operation).is_some();
        if inside.iter().any(is_product) {
            let all = inside.into_iter().flat_map(results);
            rows.extend(all.filter(|value| is_row(*value)).map(key));
        }
    });
    rows
}

fn is_row(value: Value<'_>) -> bool {
    TileType::of(value).is_some_and(|tile| tile.shape().len() == 1)
}

impl<'c> Access<'c> {
    /// The sizes of the tensor and the pitch of its rows, where it is a box of rows that need not begin at multiples of
    /// [`WIDEST_ACCESS`].
    fn extents(&self, facts: &FactAnalysis<'c>) -> Option<Vec<Value<'c>>> {
        let ranges = self
            .kinds
            .iter()
            .filter(|kind| **kind == kinds::RANGE)
            .count();
        let rows = self.kinds.iter().position(|kind| *kind == kinds::RANGE)?;
        if !self.checked || !self.is_box() || ranges != 2 {
            return None;
        }
        let bytes = pointee_bytes(self.base);
        let first = *self.starts.last()?;
        let elements = self
            .strides
            .iter()
            .take(self.strides.len() - 1)
            .chain([&first]);
        let divisor = elements
            .map(|value| facts.of(*value).divisor_at(0, 1) * bytes)
            .chain([facts.of(self.base).byte_divisor_at(0, 1, bytes)])
            .min()?;
        (divisor < WIDEST_ACCESS).then(|| {
            let sizes = self.sizes.iter().copied();
            sizes.chain([self.strides[rows]]).collect()
        })
    }

    /// Whether it is a box in memory that a tensor map can describe: ranges and single positions of a
    /// parameter, neighbours along the last dimension.
    fn is_box(&self) -> bool {
        let narrow = |start: &Value<'_>| start.r#type().to_string() == "i32";
        let is_parameter = argument_owner(self.base).is_some_and(|of| name(of) == "func.func");
        is_parameter
            && self.kinds.len() <= 5
            && self.kinds.iter().all(|kind| *kind != 2)
            && self.kinds.last() == Some(&1)
            && self.starts.iter().all(narrow)
            && self.strides.last().and_then(|stride| constant_of(*stride)) == Some(1)
    }
}

impl<'c> Rewrite<'c> for Views<'_, 'c> {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        if let Some(together) = self.windows.take(operation) {
            for one in together {
                to.operation(self, one)?;
            }
            return Ok(true);
        }
        let is_built = |value: Option<&Value<'c>>| value.is_some_and(|value| to.is_bound(*value));
        if self.windows.is_moved(operation) && is_built(results(operation).first()) {
            return Ok(true);
        }
        match TileOp::of(operation) {
            None if name(operation) == "arith.select"
                && self.masked.contains_key(&key(operand(operation, 1))) =>
            {
                let loaded = to.one(operand(operation, 1));
                to.bind(result(operation, 0), vec![loaded]);
                Ok(true)
            }
            Some(TileOp::LoadView(load)) => {
                let access = Access::of(operation).expect("an access of a view is one");
                let mut ty = load.result().r#type();
                let shape = TileType::from_type(ty)
                    .map(TileType::shape)
                    .unwrap_or_default();
                let (mut pointers, mut mask) = self.addresses(to, &access, &shape);
                let merged = self.merged.get(&key(load.result()));
                if let Some(reshape) = merged {
                    ty = reshape.result().r#type();
                    pointers = reshaped(&mut to.builder, pointers, ty);
                    mask = mask.map(|mask| reshaped(&mut to.builder, mask, ty));
                }
                let selection = self.masked.get(&key(load.result())).copied();
                let own = selection.map(|select| operand(select, 0));
                if let Some(own) = own.filter(|own| to.is_bound(*own)) {
                    let own = to.one(own);
                    mask = Some(match mask {
                        Some(inside) => both(&mut to.builder, inside, own),
                        None => own,
                    });
                } else {
                    self.masked.remove(&key(load.result()));
                }
                let other = load.other().map(|other| to.one(other));
                let builder = &mut to.builder;
                let mut list = vec![pointers];
                list.extend(mask);
                // Without a mask nothing is ever out of bounds and `other` is not needed.
                let other = other.filter(|_| mask.is_some());
                let builder_other = other.map(|other| {
                    if other.r#type() == ty {
                        other
                    } else {
                        builder.value("tile.splat", &[other], &[], ty)
                    }
                });
                let is_row = self.rows.contains(&key(load.result()));
                let chosen = builder_other.filter(|other| is_row && !is_positive_zero(*other));
                let builder_other = builder_other.filter(|_| chosen.is_none());
                list.extend(builder_other);
                // A box has no mask of its own.
                let is_whole = !self.masked.contains_key(&key(load.result()));
                let has_rows = is_whole && merged.is_none();
                let extents = match has_rows {
                    true => self.extents(&access),
                    false => Vec::new(),
                };
                let boxed = self.boxed(&access).filter(|_| is_whole);
                let starts: Vec<_> = match boxed.is_some() || !extents.is_empty() {
                    true => access.starts.iter().map(|start| to.one(*start)).collect(),
                    false => Vec::new(),
                };
                let extents: Vec<_> = extents.into_iter().map(|extent| to.one(extent)).collect();
                let builder = &mut to.builder;
                list.extend(&starts);
                list.extend(
                    extents
                        .iter()
                        .map(|extent| builder.int_cast(*extent, 64, true)),
                );
                let segments = builder.ints32(&[
                    1,
                    i32::from(mask.is_some()),
                    i32::from(builder_other.is_some()),
                    starts.len() as i32,
                    extents.len() as i32,
                ]);
                let mut attributes = vec![
                    ("cache", builder.text(load.cache())),
                    ("evict", builder.text(load.evict())),
                    ("operandSegmentSizes", segments),
                ];
                if let Some(text) = boxed.flatten() {
                    attributes.push((DIMENSIONS, builder.text(&text)));
                }
                if merged.is_some() {
                    let sizes: Vec<_> = shape.iter().map(|size| *size as i64).collect();
                    attributes.push((BOX, builder.ints(&sizes)));
                }
                let group = self.windows.group(load);
                if let Some(group) = group.filter(|_| !starts.is_empty() || !in_loop(operation)) {
                    attributes.push((WINDOW, builder.ints(group)));
                }
                if !starts.is_empty() {
                    attributes.push(("kinds", builder.ints(&access.kinds)));
                    let rows = access.strides.iter().rev().nth(1);
                    if let Some(pitch) = rows.and_then(|stride| constant_of(*stride)) {
                        attributes.push(("pitch", builder.int(pitch)));
                    }
                }
                let mut value = builder.value("tile.load", &list, &attributes, ty);
                if let (Some(mask), Some(other)) = (mask, chosen) {
                    value = builder.select(mask, value, other);
                }
                to.bind(load.result(), vec![value]);
                Ok(true)
            }
            Some(TileOp::Reshape(reshape)) if self.merged.contains_key(&key(reshape.operand())) => {
                let matrix = to.one(reshape.operand());
                to.bind(reshape.result(), vec![matrix]);
                Ok(true)
            }
            Some(TileOp::Load(load)) if self.rows.contains(&key(load.result())) => {
                let (Some(mask), Some(other)) = (load.mask(), load.other()) else {
                    return Ok(false);
                };
                if is_positive_zero(other) {
                    return Ok(false);
                }
                let [pointers, mask, other] =
                    [load.pointers(), mask, other].map(|value| to.one(value));
                let builder = &mut to.builder;
                let attributes = [
                    ("cache", builder.text(load.cache())),
                    ("evict", builder.text(load.evict())),
                    ("operandSegmentSizes", builder.ints32(&[1, 1, 0, 0, 0])),
                ];
                let ty = load.result().r#type();
                let value = builder.value("tile.load", &[pointers, mask], &attributes, ty);
                let value = builder.select(mask, value, other);
                to.bind(load.result(), vec![value]);
                Ok(true)
            }
            Some(TileOp::StoreView(store)) => {
                let access = Access::of(operation).expect("an access of a view is one");
                let value = to.one(store.value());
                let shape = TileType::of(value).map(TileType::shape).unwrap_or_default();
                let (pointers, inside) = self.addresses(to, &access, &shape);
                let whole = self.is_whole(to, store, &access);
                let stored = Stored {
                    store,
                    access,
                    pointers,
                    value,
                    inside,
                };
                match (store.mask(), whole) {
                    (None, _) => self.store_view(to, &stored),
                    (Some(mask), None) => stored.masked(to, mask, false),
                    (Some(mask), Some(whole)) => {
                        let then = to.region(&[], |to, _| {
                            self.store_view(to, &stored);
                            to.builder.insert("scf.yield", &[], &[], &[]);
                            Ok(())
                        })?;
                        let otherwise = to.region(&[], |to, _| {
                            stored.masked(to, mask, true);
                            to.builder.insert("scf.yield", &[], &[], &[]);
                            Ok(())
                        })?;
                        let regions = vec![then, otherwise];
                        to.builder
                            .insert_with_regions("scf.if", &[whole], &[], &[], regions);
                    }
                }
                Ok(true)
            }
            _ => Ok(false),
        }
    }
}

/// A store through a view.
struct Stored<'c> {
    store: StoreView<'c>,
    access: Access<'c>,
    pointers: Value<'c>,
    value: Value<'c>,
    /// Which elements are inside of the tensor, if not all are.
    inside: Option<Value<'c>>,
}

impl<'c> Stored<'c> {
    fn insert(
        &self,
        to: &mut Rebuilder<'c>,
        mask: Option<Value<'c>>,
        (starts, extents, dimensions): (&[Value<'c>], &[Value<'c>], Option<String>),
        is_rare: bool,
    ) {
        let mut list = vec![self.pointers, self.value];
        list.extend(mask);
        list.extend(starts);
        list.extend(extents);
        let counts = [starts.len() as i32, extents.len() as i32];
        let segments = [1, 1, i32::from(mask.is_some()), counts[0], counts[1]];
        let mut attributes = vec![
            ("cache", to.builder.text(self.store.cache())),
            ("evict", to.builder.text(self.store.evict())),
            ("operandSegmentSizes", to.builder.ints32(&segments)),
        ];
        if !starts.is_empty() {
            attributes.push(("kinds", to.builder.ints(&self.access.kinds)));
        }
        if let Some(text) = dimensions {
            attributes.push((DIMENSIONS, to.builder.text(&text)));
        }
        if is_rare {
            attributes.push((RARE, to.builder.int(1)));
        }
        to.builder.insert("tile.store", &list, &attributes, &[]);
    }

    /// Where a mask holds as well.
    fn masked(&self, to: &mut Rebuilder<'c>, mask: Value<'c>, is_rare: bool) {
        let mask = to.one(mask);
        let mask = match self.inside {
            Some(inside) => to.builder.and(inside, mask),
            None => mask,
        };
        self.insert(to, Some(mask), (&[], &[], None), is_rare);
    }
}

impl<'c> Views<'_, 'c> {
    /// Whether an access is through a pointer.
    fn is_of_pointer(&self, base: Value<'c>) -> bool {
        parameter(base).is_some_and(|number| self.pointers.contains(&(number as i64)))
    }

    /// What a launch must know of a box besides its parameter, as [`DIMENSIONS`] has it: nothing of a tensor's, and all dimensions of
    /// a pointer's, whose strides TMA can take. `None` for what is no box.
    fn boxed(&self, access: &Access<'c>) -> Option<Option<String>> {
        if !self.has_tensor_copies || !access.is_box() {
            return None;
        }
        if !self.is_of_pointer(access.base) {
            return Some(None);
        }
        let launch = self.launch.as_ref()?;
        let bytes = pointee_bytes(access.base);
        let mut dimensions = Vec::new();
        for (number, (size, stride)) in access.sizes.iter().zip(&access.strides).enumerate() {
            let pitch = self.facts.of(*stride).divisor_at(0, 1) * bytes;
            if number + 1 < access.sizes.len() && pitch < WIDEST_ACCESS {
                return None;
            }
            dimensions.push(MapDimension {
                size: launch.number(*size)?,
                stride: launch.number(*stride)?,
            });
        }
        serde_json::to_string(&dimensions).ok().map(Some)
    }

    /// The sizes of the tensor and the pitch of its rows, see [`Access::extents`].
    fn extents(&self, access: &Access<'c>) -> Vec<Value<'c>> {
        // What is beside the elements of a pointer's may not be there.
        let extents = access.extents(&self.facts);
        let extents = extents.filter(|_| !self.is_of_pointer(access.base));
        extents.unwrap_or_default()
    }

    /// A store of all that is inside of its tensor.
    fn store_view(&self, to: &mut Rebuilder<'c>, stored: &Stored<'c>) {
        let access = &stored.access;
        let extents = self.extents(access);
        let boxed = self.boxed(access);
        let mut starts: Vec<_> = match boxed.is_some() || !extents.is_empty() {
            true => access.starts.iter().map(|start| to.one(*start)).collect(),
            false => Vec::new(),
        };
        if stored.store.mask().is_some() {
            // It is known here, but not to others.
            for (new, old) in starts.iter_mut().zip(&access.starts) {
                if !is_natural(self.function, *old) {
                    let zero = to.builder.constant_int(0, new.r#type());
                    *new = to.builder.binary("arith.maxsi", *new, zero);
                }
            }
        }
        let extents: Vec<_> = extents.into_iter().map(|extent| to.one(extent)).collect();
        let builder = &mut to.builder;
        let extents: Vec<_> = extents
            .iter()
            .map(|extent| builder.int_cast(*extent, 64, true))
            .collect();
        let dimensions = boxed.flatten();
        stored.insert(to, stored.inside, (&starts, &extents, dimensions), false);
    }

    /// Whether a masked store is one of a whole box, which TMA could do, where that is likely and scalars decide it: the mask holds for all
    /// elements, and the box does not begin before its tensor.
    fn is_whole(
        &self,
        to: &mut Rebuilder<'c>,
        store: StoreView<'c>,
        access: &Access<'c>,
    ) -> Option<Value<'c>> {
        let mask = store.mask()?;
        let bytes = pointee_bytes(access.base);
        let aligned = ints_attribute(self.function, crate::dialect::DIVISIBILITY)?;
        let shape = TileType::of(store.value())?.shape();
        let could_be_box = access.checked
            && self.boxed(access).is_some()
            && self.products.contains(&shape)
            && *aligned.get(parameter(access.base)?)? >= WIDEST_ACCESS as i64
            && begins_at_pieces(&self.facts, &access.starts, bytes)
            && !in_loop(store.0);
        if !could_be_box {
            return None;
        }
        let mut whole = is_everywhere(to, mask, true)?;
        for start in &access.starts {
            if !is_natural(self.function, *start) {
                let start = to.one(*start);
                let zero = to.builder.constant_int(0, start.r#type());
                let is_inside = to.builder.compare_int(predicates::SGE, start, zero);
                whole = to.builder.and(whole, is_inside);
            }
        }
        Some(whole)
    }

    /// The pointers of all elements and the mask of those inside, `None` where all are.
    fn addresses(
        &self,
        to: &mut Rebuilder<'c>,
        access: &Access<'c>,
        shape: &[u64],
    ) -> (Value<'c>, Option<Value<'c>>) {
        let wide = to.builder.int_type(64);
        let mut scalar_offset: Option<Value<'c>> = None;
        let mut tile_offset: Option<Value<'c>> = None;
        let mut scalar_mask: Option<Value<'c>> = None;
        let mut tile_mask: Option<Value<'c>> = None;
        let mut dimension = 0;
        for (position, kind) in access.kinds.iter().enumerate() {
            let old_start = access.starts[position];
            let start = to.one(old_start);
            let old_size = access.sizes[position];
            let size = to.one(old_size);
            let stride = to.one(access.strides[position]);
            let is_unbounded =
                self.is_of_pointer(access.base) && constant_of(old_size) == Some(UNBOUNDED);
            let inside = !access.checked
                || is_unbounded
                || self.is_inside(old_start, old_size, *kind, shape.get(dimension).copied());
            let bits = crate::ir::element_type(start.r#type());
            let bits = IntegerType::try_from(bits).map_or(64, |ty| ty.width());
            let builder = &mut to.builder;
            if *kind == kinds::ONE {
                if !inside {
                    let size = builder.int_cast(size, bits, true);
                    let ok = builder.compare_int(predicates::ULT, start, size);
                    scalar_mask = Some(scalar_mask.map_or(ok, |mask| builder.and(mask, ok)));
                }
                let start = builder.int_cast(start, 64, true);
                let offset = builder.multiply(start, stride);
                scalar_offset = Some(scalar_offset.map_or(offset, |sum| builder.add(sum, offset)));
                continue;
            }
            // A tile of positions may have several dimensions, which are neighbours in the view.
            let rank = TileType::of(start).map_or(1, |tile| tile.shape().len());
            let own = dimension..dimension + rank;
            let lengths = &shape[own.clone()];
            let int = builder.int_type(bits);
            let row = TileType::new(lengths, int, None).ty();
            let mut steps = None;
            let positions = if *kind == kinds::RANGE {
                let narrow = builder.int_type(32);
                let arange_type = TileType::new(lengths, narrow, None).ty();
                let lo = builder.int(0);
                let counted = builder.value("tile.arange", &[], &[("lo", lo)], arange_type);
                steps = Some(counted);
                let counted = builder.int_cast(counted, bits, true);
                let first = builder.value("tile.splat", &[start], &[], row);
                builder.add(first, counted)
            } else {
                start
            };
            let mut ok = (!inside).then(|| {
                let size = builder.int_cast(size, bits, true);
                let limit = builder.value("tile.splat", &[size], &[], row);
                builder.compare_int(predicates::ULT, positions, limit)
            });
            let (mut distance, unit) = match *kind {
                1 => {
                    let from = builder.int_cast(start, 64, true);
                    let from = if constant_of(stride) == Some(1) {
                        from
                    } else {
                        builder.multiply(from, stride)
                    };
                    scalar_offset = Some(scalar_offset.map_or(from, |sum| builder.add(sum, from)));
                    (steps.unwrap_or(positions), constant_of(stride) == Some(1))
                }
                _ => (positions, constant_of(stride) == Some(1)),
            };
            distance = builder.int_cast(distance, 64, true);
            if !unit {
                let wide_row = TileType::new(lengths, wide, None).ty();
                let stride = builder.value("tile.splat", &[stride], &[], wide_row);
                distance = builder.multiply(distance, stride);
            }
            let offset = spread(builder, distance, &own, shape);
            tile_offset = Some(tile_offset.map_or(offset, |sum| builder.add(sum, offset)));
            if let Some(row_ok) = ok.take() {
                let row_ok = spread(builder, row_ok, &own, shape);
                tile_mask = Some(tile_mask.map_or(row_ok, |mask| builder.and(mask, row_ok)));
            }
            dimension += rank;
        }
        let mut base = to.one(access.base);
        let builder = &mut to.builder;
        if let Some(offset) = scalar_offset {
            base = builder.value("tile.pointer_offset", &[base, offset], &[], base.r#type());
        }
        let Some(offset) = tile_offset else {
            return (base, scalar_mask);
        };
        let pointers = TileType::new(shape, base.r#type(), None).ty();
        let bases = builder.value("tile.splat", &[base], &[], pointers);
        let pointers = builder.value("tile.pointer_offset", &[bases, offset], &[], pointers);
        let mask = match (scalar_mask, tile_mask) {
            (Some(scalar), tile) => {
                let i1 = builder.int_type(1);
                let splat = TileType::new(shape, i1, None).ty();
                let scalar = builder.value("tile.splat", &[scalar], &[], splat);
                Some(tile.map_or(scalar, |tile| builder.and(scalar, tile)))
            }
            (None, tile) => tile,
        };
        (pointers, mask)
    }

    /// Whether all positions along a dimension provably lie in `0..size`.
    fn is_inside(&self, start: Value<'c>, size: Value<'c>, kind: i64, length: Option<u64>) -> bool {
        let last = match (kind, length) {
            // Of a tile of positions all are in its range.
            (0 | 2, _) => 0,
            (1, Some(length)) => i128::from(length) - 1,
            _ => return false,
        };
        let Some((lo, hi)) = self.facts.range(start) else {
            return false;
        };
        let Some((least, _)) = self.facts.range(size) else {
            return false;
        };
        lo >= 0 && hi + last < least
    }
}
