//! `interleaved`: interleaved accesses, which take turns along a dimension, become one access, and its parts.
//!
//! ```text
//! load(x[i, j + arange(0, 64) * 2])      ⇒  w = reshape(load(x[i, j +: 128]), [64, 2])
//! load(x[i, j + arange(0, 64) * 2 + 1])      w[:, 0], w[:, 1]
//!
//! store(y[i +: 64, 0], a)                ⇒  store(y[i +: 64, 0 +: 2], join(a, b))
//! store(y[i +: 64, 1], b)
//! ```
//!
//! Pairs of numbers (rotations, complex ones), pixels of several channels and windows that move by two read and write all bytes of a line, but each access
//! takes every second one of them. Of one access of all a thread has neighbours, so that its parts are registers ([`layouts`](crate::layouts)).

use std::collections::{BTreeMap, HashMap, HashSet};

use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, Module, Type, ValueLike};
use tile_frontend::typed::MOST_DIMENSIONS;

use super::{
    PassContext, each_operation, function_name, functions, is_number_or_row, is_tile, multiplies,
    rebuild_functions,
};
use crate::access::Access;
use crate::affine::Affine;
use crate::build::{Builder, Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::remark::RemarkKind;
use crate::dialect::ops::{LoadView, StoreView};
use crate::dialect::{TileOp, is_pure, kinds, mixed_segments, predicates};
use crate::facts::constant_of;
use crate::ir::{
    Operation, TileType, Value, ValueKey, address, attributes, key, name, operand, operands,
    operations, region_block,
};
use crate::target::WIDEST_ACCESS;
use crate::writes::{is_unwritten, parameter, written};

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let has_any = |function| !Interleaved::find(function).is_empty();
    if !functions(&module).into_iter().any(has_any) {
        return Ok(module);
    }
    rebuild_functions(cx, &module, |function| {
        let found = Interleaved::find(function);
        for whole in &found.wholes {
            let kind = RemarkKind::Interleaved {
                accesses: whole.accesses,
            };
            let span = Some(cx.span(whole.first.location()));
            // Parts of one access alone are there where it overlaps others.
            if whole.accesses > 1 {
                cx.remark(function_name(function), span, kind);
            }
        }
        Ok(found)
    })
}

/// An access that takes every `factor`-th element along a dimension.
struct Member<'c> {
    access: Access<'c>,
    /// What members of one access have in common.
    common: Common,
    /// Where the first of them begins, besides what they have in common.
    from: i64,
    /// Which of them it is.
    part: u64,
    interleaving: Interleaving<'c>,
}

/// Operands, with nothing for the start that differs, the dimension, the factor, and what that start is computed from.
type Common = (
    Vec<Option<ValueKey>>,
    usize,
    u64,
    HashMap<ValueKey, i64>,
    String,
);

/// How accesses are interleaved.
#[derive(Clone)]
struct Interleaving<'c> {
    /// The dimension of the tensor along which they take turns.
    dimension: usize,
    /// The axis of the parts in a tile of all.
    axis: usize,
    factor: u64,
    /// What the start is a sum of, besides a constant; nothing if the dimension itself has as many elements.
    scalars: Option<Vec<(i64, Value<'c>)>>,
}

impl<'c> Member<'c> {
    fn of(operation: Operation<'c>) -> Option<Self> {
        let access = Access::of(operation)?;
        let (starts, kinds) = (&access.starts, &access.kinds);
        let tile = TileType::of(access.tile)?;
        let shape = tile.shape();
        // What others may write meanwhile is read each time.
        let load = LoadView::of(operation);
        let is_volatile = load.is_some_and(|load| load.cache() == "cv");
        if is_volatile || shape.len() >= MOST_DIMENSIONS || !starts.iter().all(is_number_or_row) {
            return None;
        }
        let dimension = access
            .strides
            .iter()
            .position(|stride| constant_of(*stride) == Some(1))?;
        let before = kinds[..dimension].iter();
        let axis = before.filter(|kind| **kind != kinds::ONE).count();
        let start = starts[dimension];
        let mut of_scalars = HashMap::new();
        let (factor, from, part, scalars) = match kinds[dimension] {
            kinds::POSITIONS => {
                let sum = Affine::of(start)?;
                let factor = u64::try_from(sum.step).ok()?;
                let part = sum.constant.rem_euclid(sum.step.max(1));
                of_scalars = sum.of_scalars();
                (factor, sum.constant - part, part, Some(sum.scalars))
            }
            kinds::ONE => {
                let factor = u64::try_from(constant_of(access.sizes[dimension])?).ok()?;
                let part = constant_of(start)?;
                (factor, 0, part, None)
            }
            _ => return None,
        };
        let part = u64::try_from(part).ok().filter(|part| *part < factor)?;
        let bytes = crate::element_bytes(access.tile.r#type());
        let is_short = factor > 1 && factor.is_power_of_two() && factor * bytes <= WIDEST_ACCESS;
        let is_whole = shape.iter().all(|size| size.is_power_of_two());
        if !is_short || !is_whole {
            return None;
        }
        let list = operands(operation).into_iter().enumerate();
        let is_own = |number: usize| {
            number == access.first_start() + dimension || access.is_store && number == 1
        };
        let keys = list.map(|(number, value)| (!is_own(number)).then(|| key(value)));
        // A tile of anything else for what is out of bounds belongs to one of them.
        let other = load.and_then(|load| load.other());
        if other.is_some_and(is_tile) {
            return None;
        }
        Some(Self {
            common: (
                keys.collect(),
                dimension,
                factor,
                of_scalars,
                format!("{} {:?}", name(operation), attributes_of(operation)),
            ),
            access,
            from,
            part,
            interleaving: Interleaving {
                dimension,
                axis: axis + usize::from(scalars.is_some()),
                factor,
                scalars,
            },
        })
    }
}

/// All that an access says besides its operands, and the type of its tile.
fn attributes_of(operation: Operation<'_>) -> Vec<String> {
    let all = attributes(operation).into_iter();
    let texts = all.map(|(name, value)| format!("{name}={value}"));
    let tile = Access::of(operation).map(|access| access.tile.r#type().to_string());
    texts.chain(tile).collect()
}

/// An access of all members.
struct Whole<'c> {
    first: Operation<'c>,
    accesses: usize,
    interleaving: Interleaving<'c>,
    from: i64,
    /// What is stored, by parts.
    values: Vec<Value<'c>>,
}

/// What accesses of a function become.
#[derive(Default)]
struct Interleaved<'c> {
    wholes: Vec<Whole<'c>>,
    /// The number of the whole access of which a load is a part, and of which.
    parts: HashMap<usize, (usize, u64)>,
    /// The number of the whole access that the last store of all parts becomes.
    stores: HashMap<usize, usize>,
    /// The stores before these.
    gone: HashSet<usize>,
    /// Tiles of whole loads that are built, with an axis of parts.
    built: HashMap<usize, Value<'c>>,
}

impl<'c> Interleaved<'c> {
    fn find(function: Operation<'c>) -> Self {
        let mut interleaved = Self::default();
        // What is multiplied is copied ahead as it is.
        let Some(written) = written(function).filter(|_| !multiplies(function)) else {
            return interleaved;
        };
        let mut add = |operation: Operation<'c>| {
            for index in 0..operation.region_count() {
                let body = region_block(operation, index).map(operations);
                interleaved.block(&body.unwrap_or_default(), &written);
            }
        };
        add(function);
        each_operation(function, &mut add);
        interleaved
    }

    fn is_empty(&self) -> bool {
        self.wholes.is_empty()
    }

    fn block(&mut self, block: &[Operation<'c>], written: &HashSet<usize>) {
        let mut groups: Vec<Vec<(usize, Member<'c>)>> = Vec::new();
        for (place, operation) in block.iter().enumerate() {
            let Some(member) = Member::of(*operation) else {
                continue;
            };
            let found = groups.iter_mut().find(|group| {
                let (first, one) = &group[0];
                let places: Vec<_> = group.iter().map(|(place, _)| *place).collect();
                let mut between = (first + 1..place).filter(|place| !places.contains(place));
                one.common == member.common
                    && between.all(|place| may_pass(block[place], &member.access, written))
            });
            match found {
                Some(group) => group.push((place, member)),
                None => groups.push(vec![(place, member)]),
            }
        }
        for group in groups {
            let members: Vec<_> = group.into_iter().map(|(_, member)| member).collect();
            match members.as_slice() {
                [] | [_] => {}
                [first, ..] if first.access.is_store => self.add_store(members),
                all => self.add_loads(all),
            }
        }
    }

    /// Stores of all parts, each once.
    fn add_store(&mut self, mut members: Vec<Member<'c>>) {
        let all: Vec<_> = members
            .iter()
            .map(|member| address(member.access.operation))
            .collect();
        members.sort_by_key(|member| member.part);
        let (interleaving, from) = (members[0].interleaving.clone(), members[0].from);
        let each = (0..).zip(&members);
        let is_complete = members.len() as u64 == interleaving.factor
            && each
                .into_iter()
                .all(|(part, member)| (member.part, member.from) == (part, from));
        if let Some((last, before)) = all.split_last().filter(|_| is_complete) {
            self.stores.insert(*last, self.wholes.len());
            self.gone.extend(before);
            self.wholes.push(Whole {
                first: members[0].access.operation,
                accesses: members.len(),
                interleaving,
                from,
                values: members.iter().map(|member| member.access.tile).collect(),
            });
        }
    }

    /// Loads of several parts of one place, and those that overlap it.
    fn add_loads(&mut self, members: &[Member<'c>]) {
        let mut parts: BTreeMap<i64, HashSet<u64>> = BTreeMap::new();
        for member in members {
            parts.entry(member.from).or_default().insert(member.part);
        }
        let mut numbers: HashMap<i64, usize> = HashMap::new();
        for member in members {
            let (interleaving, from) = (&member.interleaving, member.from);
            let overlaps = |(other, parts): (&i64, &HashSet<u64>)| {
                parts.len() > 1 && from.abs_diff(*other) < interleaving.length(member.access.tile)
            };
            if !parts.iter().any(overlaps) {
                continue;
            }
            let number = *numbers.entry(from).or_insert_with(|| {
                self.wholes.push(Whole {
                    first: member.access.operation,
                    accesses: 0,
                    interleaving: interleaving.clone(),
                    from,
                    values: Vec::new(),
                });
                self.wholes.len() - 1
            });
            self.wholes[number].accesses += 1;
            let operation = address(member.access.operation);
            self.parts.insert(operation, (number, member.part));
        }
    }
}

/// Whether an access may move from behind an operation to before it, or a store the other way.
fn may_pass(operation: Operation<'_>, access: &Access<'_>, written: &HashSet<usize>) -> bool {
    let is_load = matches!(
        TileOp::of(operation),
        Some(TileOp::LoadView(_) | TileOp::Load(_))
    );
    if is_pure(name(operation)) && operation.region_count() == 0 {
        return true;
    }
    if !access.is_store {
        return is_load || is_unwritten(access.base, written);
    }
    let is_access = is_load
        || matches!(
            TileOp::of(operation),
            Some(TileOp::StoreView(_) | TileOp::Store(_))
        );
    let own = parameter(access.base);
    let other = parameter(operand(operation, 0));
    is_access && own.is_some() && other.is_some() && own != other
}

impl<'c> Interleaving<'c> {
    /// The elements from the first to behind the last one of all members along the dimension.
    fn length(&self, tile: Value<'c>) -> u64 {
        let shape = TileType::of(tile).map(TileType::shape).unwrap_or_default();
        match self.scalars {
            Some(_) => self.factor * shape[self.axis - 1],
            None => self.factor,
        }
    }

    /// The shape of a tile of all members, with an axis of parts and as it is accessed.
    fn shapes(&self, tile: Value<'c>) -> [Vec<u64>; 2] {
        let mut apart = TileType::of(tile).map(TileType::shape).unwrap_or_default();
        let mut whole = apart.clone();
        apart.insert(self.axis, self.factor);
        match self.scalars {
            Some(_) => whole[self.axis - 1] *= self.factor,
            None => whole.clone_from(&apart),
        }
        [apart, whole]
    }

    /// The operands and attributes of the access to all members.
    fn access(
        &self,
        to: &mut Rebuilder<'c>,
        access: &Access<'c>,
        from: i64,
    ) -> (Vec<Value<'c>>, Vec<(&'c str, Attribute<'c>)>) {
        let mut list: Vec<_> = operands(access.operation)
            .into_iter()
            .map(|old| to.one(old))
            .collect();
        let begin = Affine {
            step: 1,
            constant: from,
            scalars: self.scalars.clone().unwrap_or_default(),
        };
        list[access.first_start() + self.dimension] = begin.begin(to);
        let mut kinds = access.kinds.clone();
        kinds[self.dimension] = kinds::RANGE;
        (list, access.attributes_with(&to.builder, &kinds))
    }

    /// A part of a tile of all.
    fn part(
        &self,
        builder: &mut Builder<'c>,
        all: Value<'c>,
        part: u64,
        ty: Type<'c>,
    ) -> Value<'c> {
        let tile = TileType::of(all).expect("a load gives a tile");
        let mut shape = tile.shape();
        shape[self.axis] = 1;
        let mut list = vec![all];
        let narrow = builder.int_type(32);
        for axis in 0..shape.len() {
            list.push(match axis == self.axis {
                true => {
                    let positions = TileType::new(&shape, narrow, None).ty();
                    builder.constant_int(part as i64, positions)
                }
                false => coordinate(builder, &shape, axis),
            });
        }
        let mut segments = vec![1];
        segments.extend(mixed_segments(shape.len()));
        let segments = [("operandSegmentSizes", builder.ints32(&segments))];
        let one = TileType::new(&shape, tile.element(), None).ty();
        let value = builder.value("tile.gather", &list, &segments, one);
        builder.value("tile.reshape", &[value], &[], ty)
    }

    /// A tile of all parts as it is stored; of one part, what it is for all of them.
    fn join(&self, builder: &mut Builder<'c>, parts: &[Value<'c>]) -> Option<Value<'c>> {
        let (first, rest) = parts.split_first()?;
        let tile = TileType::of(*first)?;
        let typed = |shape: &[u64]| TileType::new(shape, tile.element(), None).ty();
        let [apart, whole] = self.shapes(*first);
        let mut row = apart.clone();
        row[self.axis] = 1;
        let axis = [("axis", builder.int(self.axis as i64))];
        let spread = |builder: &mut Builder<'c>, part: Value<'c>| {
            let part = builder.value("tile.expand", &[part], &axis, typed(&row));
            builder.value("tile.broadcast", &[part], &[], typed(&apart))
        };
        let mut joined = spread(builder, *first);
        for (number, part) in (1..).zip(rest) {
            let of_part = coordinate(builder, &apart, self.axis);
            let number = builder.constant_int(number, of_part.r#type());
            let is_it = builder.compare_int(predicates::EQ, of_part, number);
            let part = spread(builder, *part);
            joined = builder.select(is_it, part, joined);
        }
        Some(match apart == whole {
            true => joined,
            false => builder.value("tile.reshape", &[joined], &[], typed(&whole)),
        })
    }
}

/// The coordinate along an axis of every element of a shape.
fn coordinate<'c>(builder: &mut Builder<'c>, shape: &[u64], axis: usize) -> Value<'c> {
    let narrow = builder.int_type(32);
    let row = TileType::new(&[shape[axis]], narrow, None).ty();
    let lo = builder.int(0);
    let mut count = builder.value("tile.arange", &[], &[("lo", lo)], row);
    let mut sizes = vec![shape[axis]];
    for other in (0..shape.len()).filter(|other| *other != axis) {
        let at = if other < axis { 0 } else { sizes.len() };
        sizes.insert(at, 1);
        let expanded = TileType::new(&sizes, narrow, None).ty();
        let at = builder.int(at as i64);
        count = builder.value("tile.expand", &[count], &[("axis", at)], expanded);
    }
    let full = TileType::new(shape, narrow, None).ty();
    builder.value("tile.broadcast", &[count], &[], full)
}

impl<'c> Rewrite<'c> for Interleaved<'c> {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        let place = address(operation);
        if self.gone.contains(&place) {
            return Ok(true);
        }
        let access = Access::of(operation);
        let Some((access, tile)) = access.and_then(|access| {
            let tile = TileType::of(access.tile)?;
            Some((access, tile))
        }) else {
            return Ok(false);
        };
        let typed = |shape: &[u64]| TileType::new(shape, tile.element(), None).ty();
        if let Some((number, part)) = self.parts.get(&place).copied() {
            let Whole {
                interleaving, from, ..
            } = &self.wholes[number];
            let [apart, whole] = interleaving.shapes(access.tile);
            let all = match self.built.get(&number) {
                Some(all) => *all,
                None => {
                    let (list, all) = interleaving.access(to, &access, *from);
                    let builder = &mut to.builder;
                    let value = builder.value("tile.load_view", &list, &all, typed(&whole));
                    let value = match apart == whole {
                        true => value,
                        false => builder.value("tile.reshape", &[value], &[], typed(&apart)),
                    };
                    self.built.insert(number, value);
                    value
                }
            };
            let value = interleaving.part(&mut to.builder, all, part, access.tile.r#type());
            to.bind(access.tile, vec![value]);
            return Ok(true);
        }
        let Some(number) = self.stores.get(&place).copied() else {
            return Ok(false);
        };
        let Whole {
            interleaving,
            from,
            values,
            ..
        } = &self.wholes[number];
        let values: Vec<_> = values.iter().map(|value| to.one(*value)).collect();
        let (mut list, all) = interleaving.access(to, &access, *from);
        if StoreView::of(operation).is_some_and(|store| store.mask().is_some()) {
            let mask = list.pop();
            list.extend(mask.and_then(|mask| interleaving.join(&mut to.builder, &[mask])));
        }
        list[1] = interleaving
            .join(&mut to.builder, &values)
            .expect("stores have values");
        to.builder.insert("tile.store_view", &list, &all, &[]);
        Ok(true)
    }
}
