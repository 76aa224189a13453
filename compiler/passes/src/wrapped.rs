//! `wrapped`: positions that wrap around for rows that nobody stores do not.
//!
//! ```text
//! rows = (i + arange(0, 128)) % m;  acc += dot(load(a + rows[:, None] * k + …), …);  store(c + …, acc, mask = (i + arange(0, 128) < m)[:, None] & …)
//!   ⇒  rows = i + arange(0, 128);  acc += dot(load(a + rows[:, None] * k + …, mask = (rows < m)[:, None]), …);  …
//! ```
//!
//! Kernels wrap rows and columns around at the end of a matrix so that they need no mask for them. The rows beyond are computed like others, and left out where they are stored. A
//! wrapped row is no neighbour of the one before it, so TMA cannot copy such boxes; rows that are beyond the end are zeros to it. Others take the first row there,
//! or the last one: `where(rows < m, rows, 0)`, `minimum(rows, m - 1)`.
//!
//! What is loaded at such positions is followed to all of its uses: through what is computed element by element, through products, of which a row of the left
//! operand gives a row and a column of the right one a column, and through loops, to stores that leave out the same positions. Anything else, and it stays as it is.
//! That the positions are not negative is asked of the launch.

use std::collections::{HashMap, HashSet};

use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, Module, ValueLike};
use tile_runtime::manifest::Assumption;

use super::{
    PassContext, asks_as_well, each_operation, functions, is_tile, multiplies,
    rebuild_functions_with, spread, uses, variant,
};
use crate::access::Access;
use crate::build::{Builder, Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::dialect::ops::Splat;
use crate::dialect::{TileOp, is_integer_division, kinds, predicates};
use crate::facts::constant_of;
use crate::ffi::defining_operation;
use crate::ir::{
    Operation, TileType, Value, ValueKey, address, arguments, int_attribute, key, name, operand,
    operands, region_block, result, results,
};
use crate::launch::{Asked, Search};
use crate::polynomial::{Polynomial, Reader, Term, comparisons};
use crate::specialize::VariantRequest;

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let find = |function| {
        let variant = variant(cx, function);
        variant.map_or_else(Wrapped::default, |variant| Wrapped::find(function, variant))
    };
    let found: Vec<_> = functions(&module).into_iter().map(find).collect();
    if found.iter().all(|one| one.positions.is_empty()) {
        return Ok(module);
    }
    let mut found = found.into_iter();
    rebuild_functions_with(cx, &module, |function| {
        let wrapped = found.next().unwrap_or_default();
        let top = crate::ffi::block(module.body());
        let builder = Builder::new(cx.context, top, function.location());
        let attributes = asks_as_well(&builder, function, &wrapped.assumptions)?;
        Ok((wrapped, attributes))
    })
}

/// What the pass will take for what: positions that wrap, and those that do not.
pub fn positions<'c>(function: Operation<'c>, variant: &VariantRequest) -> Vec<[Value<'c>; 2]> {
    let found = Wrapped::find(function, variant);
    let mut list = Vec::new();
    each_operation(function, &mut |operation| {
        if found.positions.contains(&address(operation)) {
            let parts = Parts::of(operation);
            list.extend(parts.map(|parts| [result(operation, 0), parts.positions]));
        }
    });
    list
}

/// A load at wrapped positions, and the axis of its result along which they are.
struct Load<'c> {
    operation: Operation<'c>,
    axis: usize,
}

#[derive(Default)]
struct Wrapped<'c> {
    /// What gives them, by address.
    positions: HashSet<usize>,
    /// The axis of each load through pointers that has a mask more, and what gives the positions.
    masked: HashMap<usize, Vec<(usize, Operation<'c>)>>,
    assumptions: Vec<Assumption>,
}

impl<'c> Wrapped<'c> {
    fn find(function: Operation<'c>, variant: &VariantRequest) -> Self {
        let mut found = Self::default();
        if variant.names.is_empty() || !multiplies(function) {
            return found;
        }
        let users = uses(function);
        let search = Search::of(function, variant);
        each_operation(function, &mut |operation| {
            let one = Wrapping::of(operation).and_then(|one| {
                let loads = one.loads(&users)?;
                let is_left_out = |load: &Load<'c>| one.is_left_out(load, &users);
                let asked = one.asked(&search)?;
                loads.iter().all(is_left_out).then_some((loads, asked))
            });
            let Some((loads, asked)) = one else {
                return;
            };
            found.positions.insert(address(operation));
            for load in loads {
                if matches!(TileOp::of(load.operation), Some(TileOp::Load(_))) {
                    let all = found.masked.entry(address(load.operation)).or_default();
                    all.push((load.axis, operation));
                }
            }
            found.assumptions.extend(asked);
        });
        found
    }
}

/// Positions of a row that are others from a number on.
struct Wrapping<'c> {
    operation: Operation<'c>,
    positions: Polynomial<'c>,
    /// The number.
    bound: Value<'c>,
    end: Polynomial<'c>,
}

/// Positions, and the number from which on they are others.
struct Parts<'c> {
    positions: Value<'c>,
    number: Value<'c>,
    /// Whether they are others only after it.
    is_last: bool,
}

impl<'c> Parts<'c> {
    /// Of `positions % number`, `where(positions < number, positions, …)` and `minimum(positions, number)`.
    fn of(operation: Operation<'c>) -> Option<Self> {
        let sides = |operation| [0, 1].map(|number| operand(operation, number));
        let ([positions, number], is_last) = match name(operation) {
            "arith.remsi" | "arith.remui" => (sides(operation), false),
            "arith.minsi" => {
                let mut sides = sides(operation);
                let is_number = |side| defining_operation(side).and_then(Splat::of).is_some();
                if is_number(sides[0]) {
                    sides.reverse();
                }
                (sides, true)
            }
            "arith.select" => {
                let is_less = |of: &Operation<'_>| {
                    name(*of) == "arith.cmpi"
                        && int_attribute(*of, "predicate") == Some(predicates::SLT)
                };
                let comparison = defining_operation(operand(operation, 0)).filter(is_less)?;
                let is_it = key(operand(comparison, 0)) == key(operand(operation, 1));
                (is_it.then(|| sides(comparison))?, false)
            }
            _ => return None,
        };
        Some(Self {
            positions,
            number,
            is_last,
        })
    }

    /// The number of positions that are what they were.
    fn bound(&self) -> Option<Value<'c>> {
        let number = Splat::of(defining_operation(self.number)?)?.scalar();
        if !self.is_last {
            return Some(number);
        }
        let less = defining_operation(number)?;
        let by = constant_of(operand(less, 1))?;
        let is_one_less = matches!((name(less), by), ("arith.subi", 1) | ("arith.addi", -1));
        is_one_less.then(|| operand(less, 0))
    }
}

impl<'c> Wrapping<'c> {
    fn of(operation: Operation<'c>) -> Option<Self> {
        let parts = Parts::of(operation)?;
        let (positions, bound) = (parts.positions, parts.bound()?);
        let shape = TileType::of(positions)?.shape();
        let mut reader = Reader::default();
        let positions = reader.read(positions, &[0])?;
        let end = reader.read(bound, &[])?;
        let own = positions.of_axis(0)?;
        let is_range = own.times == 1 && own.numbers.is_empty();
        let is_plain = reader.widened.is_empty() && shape.len() == 1;
        (is_range && is_plain).then_some(Self {
            operation,
            positions,
            bound,
            end,
        })
    }

    /// What the launch must know: that the positions are not negative.
    fn asked(&self, search: &Search<'_>) -> Option<Vec<Assumption>> {
        let mut asked = Asked {
            search,
            shape: TileType::of(result(self.operation, 0))?.shape(),
            all: Vec::new(),
        };
        if self.positions.terms.iter().any(|term| term.times < 0) {
            return None;
        }
        asked.natural(&self.positions)?;
        asked.bounded(&self.positions, 0)?;
        Some(asked.all)
    }

    /// The loads at these positions, if they are used for nothing else.
    fn loads(&self, users: &HashMap<ValueKey, Vec<Operation<'c>>>) -> Option<Vec<Load<'c>>> {
        let mut loads = Vec::new();
        let mut open = vec![(result(self.operation, 0), 0)];
        while let Some((value, axis)) = open.pop() {
            for user in users.get(&key(value)).into_iter().flatten() {
                let is = |number: usize| key(operand(*user, number)) == key(value);
                match (name(*user), TileOp::of(*user)) {
                    (_, Some(TileOp::Expand(expand))) => {
                        let more = usize::from(expand.axis() as usize <= axis);
                        open.push((result(*user, 0), axis + more));
                    }
                    // Whatever an address is computed as, an element that is left out is not loaded.
                    (_, Some(TileOp::Broadcast(_)))
                    | (
                        "arith.muli"
                        | "arith.addi"
                        | "arith.subi"
                        | "arith.extsi"
                        | "arith.divsi"
                        | "arith.divui"
                        | "arith.shrsi"
                        | "tile.pointer_offset",
                        _,
                    ) if !is_integer_division(name(*user)) || !is(1) => {
                        open.push((result(*user, 0), axis));
                    }
                    (_, Some(TileOp::Load(load))) => {
                        let others = [load.mask(), load.other()].into_iter().flatten();
                        let is_address =
                            is(0) && others.into_iter().all(|one| key(one) != key(value));
                        loads.push(Load {
                            operation: is_address.then_some(*user)?,
                            axis,
                        });
                    }
                    (_, Some(TileOp::LoadView(_))) => loads.push(self.view(*user, value)?),
                    _ => return None,
                }
            }
        }
        (!loads.is_empty()).then_some(loads)
    }

    /// A load from a view at these positions: beyond the number it is beyond the tensor, and reads zeros.
    fn view(&self, operation: Operation<'c>, value: Value<'c>) -> Option<Load<'c>> {
        let access = Access::of(operation)?;
        let all = access.starts.iter().zip(&access.kinds).enumerate();
        let mut own = all.filter(|(_, (start, _))| key(**start) == key(value));
        let (dimension, (_, kind)) = own.next()?;
        let before = access.kinds[..dimension].iter();
        let axis = before.filter(|kind| **kind != kinds::ONE).count();
        let is_size = key(access.sizes[dimension]) == key(self.bound);
        let is_rank_one = access
            .starts
            .iter()
            .all(|start| TileType::of(*start).is_none_or(|tile| tile.shape().len() == 1));
        let is_it = *kind == kinds::POSITIONS && is_size && access.checked && is_rank_one;
        (is_it && own.next().is_none()).then_some(Load { operation, axis })
    }

    /// Whether all that is computed from a load's elements at positions that wrap is left out where it is stored.
    fn is_left_out(&self, load: &Load<'c>, users: &HashMap<ValueKey, Vec<Operation<'c>>>) -> bool {
        let mut seen = HashSet::new();
        let mut open = vec![(result(load.operation, 0), load.axis)];
        while let Some((value, axis)) = open.pop() {
            if !seen.insert((key(value), axis)) {
                continue;
            }
            for user in users.get(&key(value)).into_iter().flatten() {
                match self.goes_on(*user, value, axis) {
                    Some(more) => open.extend(more),
                    None => return false,
                }
            }
        }
        true
    }

    /// Where the elements of a value at these positions go in one of its users; `None` where they meet others, or are seen.
    fn goes_on(
        &self,
        user: Operation<'c>,
        value: Value<'c>,
        axis: usize,
    ) -> Option<Vec<(Value<'c>, usize)>> {
        let places: Vec<_> = operands(user)
            .into_iter()
            .enumerate()
            .filter(|(_, operand)| key(*operand) == key(value))
            .map(|(number, _)| number)
            .collect();
        match (name(user), TileOp::of(user)) {
            (_, Some(TileOp::Dot(dot))) => {
                let of_operand = |number: &usize| match (number, axis) {
                    (0, 0) | (1, 1) | (2, _) => Some((dot.result(), axis)),
                    // Along K all elements meet.
                    _ => None,
                };
                places.iter().map(of_operand).collect()
            }
            (_, Some(TileOp::Expand(expand))) => {
                let more = usize::from(expand.axis() as usize <= axis);
                Some(vec![(result(user, 0), axis + more)])
            }
            (_, Some(TileOp::Broadcast(_))) => Some(vec![(result(user, 0), axis)]),
            (_, Some(TileOp::Permute(permute))) => {
                let order = permute.permutation();
                let axis = order.iter().position(|own| *own == axis as i64)?;
                Some(vec![(permute.result(), axis)])
            }
            (_, Some(TileOp::Store(store))) => {
                let is_it = key(store.value()) == key(value) && places == [1];
                self.leaves_out(store.mask().filter(|_| is_it)?, axis)
            }
            // What is there before it is not asked for.
            (_, Some(TileOp::Atomic(atomic))) if atomic.compare().is_none() => {
                let is_it = key(atomic.value()) == key(value) && places == [1];
                self.leaves_out(atomic.mask().filter(|_| is_it)?, axis)
            }
            (_, Some(TileOp::StoreView(_))) => {
                let access = Access::of(user)?;
                let mut long =
                    (0..access.kinds.len()).filter(|own| access.kinds[*own] != kinds::ONE);
                let dimension = long.nth(axis)?;
                let mut reader = Reader::default();
                let mut start = reader.read(access.starts[dimension], &[0])?;
                if access.kinds[dimension] == kinds::RANGE {
                    start.add(Term {
                        times: 1,
                        numbers: Vec::new(),
                        axis: Some(0),
                    });
                }
                let size = reader.read(access.sizes[dimension], &[])?;
                let is_it = start.is(&self.positions) && size.is(&self.end);
                let is_left_out = access.checked && places == [1] && is_it;
                (is_left_out && reader.widened.is_empty()).then(Vec::new)
            }
            ("scf.yield", _) => {
                let parent = user
                    .block()?
                    .parent_operation()
                    .map(crate::ffi::operation)?;
                let carried = |number: usize| -> Option<Vec<Value<'c>>> {
                    let mut list = vec![*results(parent).get(number)?];
                    match name(parent) {
                        "scf.for" => {
                            list.push(*arguments(region_block(parent, 0)?).get(1 + number)?)
                        }
                        "scf.if" => {}
                        _ => return None,
                    }
                    Some(list)
                };
                let all = places
                    .into_iter()
                    .map(carried)
                    .collect::<Option<Vec<_>>>()?;
                Some(
                    all.into_iter()
                        .flatten()
                        .map(|value| (value, axis))
                        .collect(),
                )
            }
            ("scf.for", _) => {
                let body = region_block(user, 0).map(arguments)?;
                let given = |number: usize| {
                    let number = number.checked_sub(super::LOOP_RANGE)?;
                    Some([
                        (*body.get(1 + number)?, axis),
                        (results(user)[number], axis),
                    ])
                };
                let all = places.into_iter().map(given).collect::<Option<Vec<_>>>()?;
                Some(all.into_iter().flatten().collect())
            }
            // Element by element; by a row of zeros nothing may be divided that is none.
            (of, None)
                if (of.starts_with("arith.") || of.starts_with("math."))
                    && !is_integer_division(of) =>
            {
                let of = result(user, 0);
                is_tile(of).then(|| vec![(of, axis)])
            }
            _ => None,
        }
    }

    /// Whether a mask leaves the positions out along an axis.
    fn leaves_out(&self, mask: Value<'c>, axis: usize) -> Option<Vec<(Value<'c>, usize)>> {
        let rank = TileType::of(mask)?.shape().len();
        let (mut reader, mut all) = (Reader::default(), Vec::new());
        let axes: Vec<_> = (0..rank).collect();
        comparisons(&mut reader, mask, &axes, &mut all)?;
        let own = self.along(axis);
        let left_out = all.into_iter().any(|one| {
            let is_it = one.is_strict && one.less.is(&own) && one.than.is(&self.end);
            is_it && one.widened.iter().all(|sum| self.is_part(sum))
        });
        left_out.then(Vec::new)
    }

    /// Whether a sum is a part of the positions along any axis: of these the launch knows that nothing in them is negative and that they fit into 32 bits.
    fn is_part(&self, sum: &Polynomial<'c>) -> bool {
        let is_own = |term: &Term<'c>| {
            let mut own = self.positions.terms.iter();
            own.any(|own| own.is_like_but_for_axis(term) && (0..=own.times).contains(&term.times))
        };
        sum.terms.iter().all(is_own)
    }

    /// The positions along an axis.
    fn along(&self, axis: usize) -> Polynomial<'c> {
        let mut sum = Polynomial::default();
        for term in &self.positions.terms {
            let axis = term.axis.map(|_| axis);
            sum.add(Term {
                axis,
                ..term.clone()
            });
        }
        sum
    }
}

impl<'c> Rewrite<'c> for Wrapped<'c> {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        if self.positions.contains(&address(operation)) {
            let parts = Parts::of(operation).expect("it wraps");
            let positions = to.one(parts.positions);
            to.bind(result(operation, 0), vec![positions]);
            return Ok(true);
        }
        let Some(more) = self.masked.get(&address(operation)) else {
            return Ok(false);
        };
        let Some(TileOp::Load(load)) = TileOp::of(operation) else {
            return Ok(false);
        };
        let shape = TileType::of(load.result())
            .map(TileType::shape)
            .unwrap_or_default();
        let mut mask = load.mask().map(|mask| to.one(mask));
        for (axis, wrapping) in more {
            let parts = Parts::of(*wrapping).expect("it wraps");
            let [positions, number] = [parts.positions, parts.number].map(|part| to.one(part));
            let builder = &mut to.builder;
            let is_inside = match parts.is_last {
                true => predicates::SLE,
                false => predicates::SLT,
            };
            let inside = builder.compare_int(is_inside, positions, number);
            let inside = spread(builder, inside, &(*axis..*axis + 1), &shape);
            mask = Some(match mask {
                Some(mask) => builder.and(mask, inside),
                None => inside,
            });
        }
        let mut list = vec![to.one(load.pointers())];
        list.extend(mask);
        let other = load.other().map(|other| to.one(other));
        list.extend(other);
        let segments = to.builder.ints32(&[1, 1, i32::from(other.is_some()), 0, 0]);
        let attributes = [
            ("cache", to.builder.text(load.cache())),
            ("evict", to.builder.text(load.evict())),
            ("operandSegmentSizes", segments),
        ];
        let ty = load.result().r#type();
        let value = to.builder.value("tile.load", &list, &attributes, ty);
        to.bind(load.result(), vec![value]);
        Ok(true)
    }
}
