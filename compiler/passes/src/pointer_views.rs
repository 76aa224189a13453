//! `pointer-views`: pointers with rows and columns are views.
//!
//! ```text
//! load(a + (rows[:, None] * stride + columns[None, :]), mask = (rows < m)[:, None] & (columns < k)[None, :])
//!   ⇒  load(a[i +: 128, j +: 64]) of a tensor of [m, k] whose rows are `stride` apart
//! ```
//!
//! The offsets are a sum of products ([`Polynomial`]). Each axis of the tile is a dimension whose stride is what its positions, a range or a quotient of one, are
//! multiplied with; of what else is added, that is where the dimension begins which is a multiple of the stride, or which the mask compares with the
//! positions. Other products are dimensions of one position each: `batch * stride_batch`. What the mask compares with is the size
//! of a dimension, and one without a mask has no end.
//!
//! A view computes in 64 bits, and no position before the first is in it. That the kernel's own sums fit into 32 bits and that
//! its positions are not negative is asked of the launch ([`Assumption::Within`]); others take the general variant, as it is written.

use melior::ir::operation::OperationLike;
use melior::ir::{Module, ValueLike};
use tile_runtime::manifest::Assumption;

use super::{
    PassContext, asks_as_well, constant_text, each_operation, function_name, functions,
    is_positive_zero, rebuild_functions_with, variant,
};
use crate::build::{Builder, Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::remark::RemarkKind;
use crate::dialect::ops::Splat;
use crate::dialect::{NATURAL, TileOp, UNBOUNDED, kinds};
use crate::facts::{constant_of, greatest_common_divisor};
use crate::ffi::{argument_owner, defining_operation};
use crate::ir::{
    Operation, TileType, Value, address, attributes, element_type, key, name, operand, operands,
    result,
};
use crate::launch::{Asked, Search};
use crate::polynomial::{Polynomial, Reader, Term, comparisons};
use crate::specialize::VariantRequest;

/// The most dimensions of a view: as many as a box has that is copied.
const MOST_DIMENSIONS: usize = 5;

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let of = |function| {
        let variant = variant(cx, function);
        let found = variant.map(|variant| PointerViews::find(function, variant));
        found.unwrap_or_default()
    };
    let found: Vec<_> = functions(&module).into_iter().map(of).collect();
    if found.iter().all(|one| one.views.is_empty()) {
        return Ok(module);
    }
    let mut found = found.into_iter();
    let builder = Builder::new(
        cx.context,
        crate::ffi::block(module.body()),
        melior::ir::Location::unknown(cx.context),
    );
    rebuild_functions_with(cx, &module, |function| {
        let views = found.next().unwrap_or_default();
        for (operation, view) in &views.views {
            let span = Some(cx.span(operation.location()));
            let dimensions = view.dimensions.len();
            if dimensions > 1 {
                let kind = RemarkKind::PointerView { dimensions };
                cx.remark(function_name(function), span, kind);
            }
        }
        let attributes = asks_as_well(&builder, function, &views.assumptions)?;
        Ok((views, attributes))
    })
}

/// A dimension of a view.
struct Dimension<'c> {
    /// The axis of the tile; none for one position.
    axis: Option<usize>,
    /// The positions along it, if they do not follow each other.
    row: Option<Value<'c>>,
    /// Where it begins.
    start: Polynomial<'c>,
    /// `None`: it has no end that is known.
    size: Option<Polynomial<'c>>,
    stride: Term<'c>,
    /// Whether the mask says that positions are not negative.
    is_natural: bool,
}

/// An access through pointers as one of a view.
struct View<'c> {
    base: Value<'c>,
    /// Outermost first.
    dimensions: Vec<Dimension<'c>>,
}

#[derive(Default)]
struct PointerViews<'c> {
    views: Vec<(Operation<'c>, View<'c>)>,
    assumptions: Vec<Assumption>,
}

impl<'c> PointerViews<'c> {
    fn find(function: Operation<'c>, variant: &VariantRequest) -> Self {
        let mut found = Self::default();
        if variant.names.is_empty() {
            return found;
        }
        let search = Search::of(function, variant);
        each_operation(function, &mut |operation| {
            let (pointers, mask) = match TileOp::of(operation) {
                Some(TileOp::Load(load)) => (load.pointers(), load.mask()),
                Some(TileOp::Store(store)) => (store.pointers(), store.mask()),
                _ => return,
            };
            let Some((view, asked)) = View::of(&search, pointers, mask) else {
                return;
            };
            found.views.push((operation, view));
            found.assumptions.extend(asked);
        });
        found
    }
}

/// Whether a number is an argument of the function.
fn is_argument(number: Value<'_>) -> bool {
    argument_owner(number).is_some_and(|owner| name(owner) == "func.func")
}

impl<'c> View<'c> {
    fn of(
        search: &Search<'_>,
        pointers: Value<'c>,
        mask: Option<Value<'c>>,
    ) -> Option<(Self, Vec<Assumption>)> {
        let shape = TileType::of(pointers)?.shape();
        let axes: Vec<_> = (0..shape.len()).collect();
        let mut reader = Reader::default();
        let offset = reader.read(pointers, &axes)?;
        let base = reader.base.filter(|base| is_argument(*base))?;
        let mut asked = Asked {
            search,
            shape,
            all: Vec::new(),
        };
        asked.natural(&offset)?;
        for sum in std::mem::take(&mut reader.widened) {
            asked.natural(&sum)?;
            asked.bounded(&sum, i32::MIN.into())?;
        }
        let mut dimensions = Vec::new();
        for axis in &axes {
            let own = offset.of_axis(*axis)?;
            let stride = own.without_positions();
            if stride.times < 1 {
                return None;
            }
            dimensions.push(Dimension {
                axis: Some(*axis),
                row: own.row(),
                start: Polynomial::default(),
                size: None,
                stride,
                is_natural: false,
            });
        }
        let mut rest = offset.without_axes();
        let mut all = Vec::new();
        if let Some(mask) = mask {
            comparisons(&mut reader, mask, &axes, &mut all)?;
        }
        for one in &all {
            for side in [&one.less, &one.than] {
                asked.natural(side)?;
                asked.bounded(side, i32::MIN.into())?;
            }
        }
        for sum in std::mem::take(&mut reader.widened) {
            asked.bounded(&sum, i32::MIN.into())?;
        }
        let (mut scalar, mut bounds) = (Vec::new(), vec![Vec::new(); axes.len()]);
        let (upper, lower): (Vec<_>, Vec<_>) = all.into_iter().partition(|one| one.is_strict);
        for comparison in upper {
            let difference = comparison.less.plus(&comparison.than, -1)?;
            let mut along = axes.iter().filter(|axis| {
                let mut terms = difference.terms.iter();
                terms.any(|term| term.axis == Some(**axis))
            });
            let Some(axis) = along.next() else {
                scalar.push(difference);
                continue;
            };
            if along.next().is_some() {
                return None;
            }
            let own = difference.of_axis(*axis)?;
            let is_it = own.row().map(key) == dimensions[*axis].row.map(key)
                && own.times == 1
                && own.without_positions().numbers.is_empty();
            if !is_it {
                return None;
            }
            bounds[*axis].push(difference);
        }
        for (dimension, bounds) in dimensions.iter_mut().zip(bounds) {
            let Some(bound) = outermost(bounds, &dimension.stride, &rest, &mut asked)? else {
                continue;
            };
            let (start, size) = apart(&bound, &dimension.stride, &mut rest)?;
            dimension.start = start;
            dimension.size = Some(size);
        }
        // Of a stride that is a number of the launch it is clear what belongs to it.
        dimensions.sort_by_key(|dimension| dimension.stride.numbers.is_empty());
        for dimension in dimensions.iter_mut().filter(|one| one.size.is_none()) {
            let is_plain = dimension.stride.numbers.is_empty();
            let mut others = Vec::new();
            for term in rest {
                let is_of_launch = term.numbers.iter().any(|number| is_argument(*number));
                match term.divided(&dimension.stride) {
                    Some(part) if !(is_plain && is_of_launch) => dimension.start.add(part),
                    _ => others.push(term),
                }
            }
            rest = others;
        }
        let sizes = dimensions.iter().filter_map(|one| one.size.as_ref());
        let sizes = sizes.flat_map(|size| &size.terms);
        let strides = dimensions.iter().map(|one| &one.stride);
        let known: Vec<_> = sizes
            .chain(strides)
            .flat_map(|term| &term.numbers)
            .map(|number| key(*number))
            .collect();
        let is_size = |number| known.contains(&key(number));
        let mut all = Vec::new();
        for term in &rest {
            let dimension = Dimension::of_one(term, &rest)?;
            // A distance that is neither a size nor a stride may be negative.
            let mut own = dimension.stride.numbers.iter();
            if dimension.start.is_constant() && !own.all(|number| is_size(*number)) {
                return None;
            }
            let is_it = |other: &&mut Dimension<'c>| {
                other.stride.is_like(&dimension.stride)
                    && other.stride.times == dimension.stride.times
            };
            match all.iter_mut().find(is_it) {
                Some(known) => {
                    known.start = known.start.clone().plus(&dimension.start, 1)?;
                }
                None => all.push(dimension),
            }
        }
        for difference in scalar {
            let mut places = all.iter_mut().filter(|one| one.size.is_none());
            let found = places.find_map(|one| {
                let size = difference.clone().plus(&one.start, -1)?;
                let has = |term: &Term<'c>| difference.terms.iter().any(|own| own.is_like(term));
                let is_it = one.start.terms.iter().all(has) && !one.start.terms.is_empty();
                is_it.then_some((one, size))
            });
            let (dimension, size) = found?;
            dimension.size = Polynomial::default().plus(&size, -1);
        }
        // Neighbours come last.
        dimensions.sort_by_key(|dimension| (dimension.is_dense(), dimension.axis));
        let is_dense = dimensions.last().is_some_and(Dimension::is_dense);
        all.extend(dimensions);
        for comparison in lower {
            let from = comparison.than.plus(&comparison.less, -1)?;
            let mut dimensions = all.iter_mut();
            dimensions.find(|one| one.begins_at(&from))?.is_natural = true;
        }
        for dimension in &all {
            let size = dimension.size.as_ref();
            // A launch knows the ends of all numbers, but not that one is less than another.
            let mut parts = size.into_iter().flat_map(|size| &size.terms);
            let mut starts = dimension.start.terms.iter();
            let is_natural = dimension.is_natural || starts.all(|term| term.times > 0);
            if !is_natural || parts.any(|term| term.times < 0 && !term.numbers.is_empty()) {
                return None;
            }
            if let Some(size) = size {
                asked.natural(size)?;
                asked.bounded(size, 0)?;
            }
            let mut start = dimension.start.clone();
            start.terms.extend(dimension.positions());
            let least = if dimension.is_natural {
                i32::MIN.into()
            } else {
                0
            };
            asked.bounded(&start, least)?;
        }
        let view = Self {
            base,
            dimensions: all,
        };
        let fits = view.dimensions.len() <= MOST_DIMENSIONS;
        (fits && is_dense).then_some((view, asked.all))
    }
}

/// Of what the positions of a dimension are less than by these differences, that which is the end of the dimension. Where there are several, positions lie in a
/// part of it, as in a chunk of a sequence: then the launch is asked that no tile goes beyond its part.
fn outermost<'c>(
    bounds: Vec<Polynomial<'c>>,
    stride: &Term<'c>,
    rest: &[Term<'c>],
    asked: &mut Asked<'_, '_>,
) -> Option<Option<Polynomial<'c>>> {
    if bounds.len() < 2 {
        return Some(bounds.into_iter().next());
    }
    let starts = bounds.iter().map(|bound| {
        let (start, _) = apart(bound, stride, &mut rest.to_vec())?;
        Some(start.terms.len())
    });
    let starts: Vec<_> = starts.collect::<Option<_>>()?;
    let most = *starts.iter().max()?;
    let mut last = None;
    for (bound, start) in bounds.into_iter().zip(starts) {
        match start == most {
            true if last.is_none() => last = Some(bound),
            true => return None,
            false => asked.negative(&bound)?,
        }
    }
    Some(last)
}

/// Where a dimension begins and how long it is, by what its positions less its size are: what the offset has as well, times the stride,
/// belongs to the positions. It is taken out of the offset.
fn apart<'c>(
    difference: &Polynomial<'c>,
    stride: &Term<'c>,
    rest: &mut Vec<Term<'c>>,
) -> Option<(Polynomial<'c>, Polynomial<'c>)> {
    let [mut start, mut size] = [Polynomial::default(), Polynomial::default()];
    for term in difference.terms.iter().filter(|term| term.axis.is_none()) {
        let offset = term.times(stride)?;
        let is_it = |own: &Term<'c>| own.is_like(&offset) && own.times == offset.times;
        match rest.iter().position(is_it) {
            Some(place) => {
                rest.remove(place);
                start.add(term.clone());
            }
            None => size.add(Term {
                times: term.times.checked_neg()?,
                ..term.clone()
            }),
        }
    }
    Some((start, size))
}

impl<'c> Dimension<'c> {
    /// That of a product which is the same for all elements: what a program counts is the position, and what a launch knows the stride. A factor that all products
    /// with these numbers of the launch have is one of the stride, which is a multiple of more then.
    fn of_one(term: &Term<'c>, all: &[Term<'c>]) -> Option<Self> {
        let (arguments, counted) = apart_from_arguments(term);
        let stride = match arguments.as_slice() {
            [] => term.times,
            own => {
                let of_these = |other: &&Term<'c>| {
                    let (others, _) = apart_from_arguments(other);
                    others.len() == own.len()
                        && own
                            .iter()
                            .all(|number| others.iter().any(|other| key(*other) == key(*number)))
                };
                let times = all
                    .iter()
                    .filter(of_these)
                    .map(|other| other.times.unsigned_abs());
                times.fold(0, greatest_common_divisor).try_into().ok()?
            }
        };
        let start = term.times / stride;
        let is_apart = stride > 1 || !arguments.is_empty();
        if !is_apart || start < 1 {
            return None;
        }
        let mut sum = Polynomial::default();
        sum.add(Term {
            times: start,
            numbers: counted,
            axis: None,
        });
        Some(Self {
            axis: None,
            row: None,
            start: sum,
            size: None,
            stride: Term {
                times: stride,
                numbers: arguments,
                axis: None,
            },
            is_natural: false,
        })
    }

    fn is_dense(&self) -> bool {
        self.stride.times == 1 && self.stride.numbers.is_empty()
    }

    /// The positions along its axis, besides where it begins.
    fn positions(&self) -> Option<Term<'c>> {
        Some(Term {
            times: 1,
            numbers: self.row.into_iter().collect(),
            axis: Some(self.axis?),
        })
    }

    /// Whether these are its positions.
    fn begins_at(&self, positions: &Polynomial<'c>) -> bool {
        let own = positions.clone().plus(&self.start, -1);
        own.is_some_and(|rest| match (self.positions(), rest.terms.as_slice()) {
            (Some(own), [term]) => term.is_like(&own) && term.times == 1,
            (None, []) => true,
            _ => false,
        })
    }

    /// Where it begins, or its positions.
    fn start(&self, to: &mut Rebuilder<'c>) -> Value<'c> {
        let start = sum(to, &self.start, 32);
        let Some(row) = self.row else {
            return start;
        };
        let row = flattened(to, row);
        if self.start.terms.is_empty() {
            return row;
        }
        let start = to.builder.value("tile.splat", &[start], &[], row.r#type());
        to.builder.add(row, start)
    }

    fn size(&self, to: &mut Rebuilder<'c>) -> Value<'c> {
        match &self.size {
            Some(size) => sum(to, size, 32),
            None => {
                let narrow = to.builder.int_type(32);
                to.builder.constant_int(UNBOUNDED, narrow)
            }
        }
    }

    fn stride(&self, to: &mut Rebuilder<'c>) -> Value<'c> {
        product(to, &self.stride, 64)
    }
}

/// The arguments of the function that a product has, and its other numbers.
fn apart_from_arguments<'c>(term: &Term<'c>) -> (Vec<Value<'c>>, Vec<Value<'c>>) {
    let numbers = term.numbers.iter().copied();
    numbers.partition(|number| is_argument(*number))
}

/// Whether a row is computed from a range: of such a quotient a launch knows no more than its ends, and was asked that nothing in it is negative.
fn has_range(row: Value<'_>) -> bool {
    let Some(operation) = defining_operation(row) else {
        return false;
    };
    match TileOp::of(operation) {
        Some(TileOp::Arange(_)) => true,
        Some(TileOp::Expand(expand)) => has_range(expand.operand()),
        None if name(operation).starts_with("arith.") => {
            operands(operation).into_iter().any(has_range)
        }
        _ => false,
    }
}

/// A row as a tile of one dimension.
fn flattened<'c>(to: &mut Rebuilder<'c>, row: Value<'c>) -> Value<'c> {
    let shape = TileType::of(row).map(TileType::shape).unwrap_or_default();
    let division = defining_operation(row).and_then(|of| match name(of) {
        "arith.divsi" => Some((of, "arith.divui")),
        "arith.remsi" => Some((of, "arith.remui")),
        _ => None,
    });
    let division = division.filter(|(of, _)| has_range(operand(*of, 0)));
    if shape.len() < 2 && division.is_none() {
        return to.one(row);
    }
    let long = shape
        .iter()
        .copied()
        .filter(|size| *size > 1)
        .collect::<Vec<_>>();
    let element = element_type(row.r#type());
    let ty = TileType::new(&long, element, None).ty();
    if let Some(constant) = constant_of(row) {
        let number = to.builder.constant_int(constant, element);
        return to.builder.value("tile.splat", &[number], &[], ty);
    }
    // What is divided was asked not to be negative, and the divisor to be more than 0.
    if let Some((of, without_sign)) = division {
        let inputs: Vec<_> = operands(of)
            .into_iter()
            .map(|of| flattened(to, of))
            .collect();
        let natural = [(NATURAL, to.builder.int(1))];
        return to.builder.value(without_sign, &inputs, &natural, ty);
    }
    let operation = defining_operation(row);
    match operation.map(|of| (of, TileOp::of(of))) {
        Some((_, Some(TileOp::Splat(splat)))) => {
            let scalar = to.one(splat.scalar());
            to.builder.value("tile.splat", &[scalar], &[], ty)
        }
        Some((_, Some(TileOp::Expand(expand)))) => flattened(to, expand.operand()),
        Some((of, None)) if name(of).starts_with("arith.") => {
            let inputs: Vec<_> = operands(of)
                .into_iter()
                .map(|of| flattened(to, of))
                .collect();
            to.builder.value(name(of), &inputs, &attributes(of), ty)
        }
        _ => {
            let row = to.one(row);
            to.builder.value("tile.reshape", &[row], &[], ty)
        }
    }
}

/// Builds a sum.
fn sum<'c>(to: &mut Rebuilder<'c>, of: &Polynomial<'c>, bits: u32) -> Value<'c> {
    let mut whole = None;
    for term in &of.terms {
        let product = product(to, term, bits);
        whole = Some(match whole {
            Some(whole) => to.builder.add(whole, product),
            None => product,
        });
    }
    whole.unwrap_or_else(|| {
        let ty = to.builder.int_type(bits);
        to.builder.constant_int(0, ty)
    })
}

/// Builds a product.
fn product<'c>(to: &mut Rebuilder<'c>, term: &Term<'c>, bits: u32) -> Value<'c> {
    let ty = to.builder.int_type(bits);
    let mut whole = (term.times != 1 || term.numbers.is_empty())
        .then(|| to.builder.constant_int(term.times, ty));
    for number in &term.numbers {
        let number = to.one(*number);
        let number = to.builder.int_cast(number, bits, true);
        whole = Some(match whole {
            Some(whole) => to.builder.multiply(number, whole),
            None => number,
        });
    }
    whole.expect("a product has a factor")
}

impl<'c> Rewrite<'c> for PointerViews<'c> {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        let mut views = self.views.iter();
        let Some((_, view)) = views.find(|(of, _)| address(*of) == address(operation)) else {
            return Ok(false);
        };
        let axes: Vec<_> = view.dimensions.iter().filter_map(|one| one.axis).collect();
        let is_turned = !axes.is_sorted();
        let (tile, first, cache, evict, mask, other) = match TileOp::of(operation) {
            Some(TileOp::Load(load)) => {
                let (cache, evict) = (load.cache(), load.evict());
                (load.result(), None, cache, evict, load.mask(), load.other())
            }
            Some(TileOp::Store(store)) => {
                let (cache, evict) = (store.cache(), store.evict());
                (store.value(), Some(store.value()), cache, evict, None, None)
            }
            _ => return Ok(false),
        };
        let ty = TileType::of(tile).expect("an access of a tile");
        let shape = ty.shape();
        let element = element_type(tile.r#type());
        let own: Vec<_> = axes.iter().map(|axis| shape[*axis]).collect();
        let own = TileType::new(&own, element, None).ty();
        let mut list = vec![to.one(view.base)];
        if let Some(value) = first {
            let value = to.one(value);
            list.push(match is_turned {
                true => permuted(&mut to.builder, value, &axes, own),
                false => value,
            });
        }
        let count = list.len();
        for dimension in &view.dimensions {
            let start = dimension.start(to);
            list.push(start);
        }
        for dimension in &view.dimensions {
            let size = dimension.size(to);
            list.push(size);
        }
        for dimension in &view.dimensions {
            let stride = dimension.stride(to);
            list.push(stride);
        }
        let otherwise = other.filter(|other| !is_positive_zero(*other));
        let beside = otherwise.and_then(|other| repeated(to, other));
        list.extend(beside);
        let rank = view.dimensions.len();
        let is_checked = view.dimensions.iter().any(|one| one.size.is_some());
        let kinds: Vec<_> = view
            .dimensions
            .iter()
            .map(|one| match (one.axis, one.row) {
                (None, _) => kinds::ONE,
                (_, None) => kinds::RANGE,
                (_, Some(_)) => kinds::POSITIONS,
            })
            .collect();
        let mut segments = vec![1; count];
        segments.extend(crate::dialect::mixed_segments(rank));
        segments.extend([rank as i32, rank as i32, i32::from(beside.is_some())]);
        let builder = &mut to.builder;
        let attributes = [
            ("cache", builder.text(cache)),
            ("evict", builder.text(evict)),
            ("kinds", builder.ints(&kinds)),
            ("checked", builder.int(is_checked.into())),
            ("operandSegmentSizes", builder.ints32(&segments)),
        ];
        if first.is_some() {
            builder.insert("tile.store_view", &list, &attributes, &[]);
            return Ok(true);
        }
        let mut value = builder.value("tile.load_view", &list, &attributes, own);
        if is_turned {
            let back: Vec<_> = (0..axes.len())
                .filter_map(|axis| axes.iter().position(|own| *own == axis))
                .collect();
            value = permuted(builder, value, &back, tile.r#type());
        }
        if let (Some(mask), Some(other), None) = (mask, otherwise, beside) {
            let [mask, other] = [mask, other].map(|of| to.one(of));
            value = to.builder.select(mask, value, other);
        }
        to.bind(result(operation, 0), vec![value]);
        Ok(true)
    }
}

/// The number that all elements of a tile are, if there is one.
fn repeated<'c>(to: &mut Rebuilder<'c>, tile: Value<'c>) -> Option<Value<'c>> {
    let of = defining_operation(tile)?;
    if let Some(splat) = Splat::of(of) {
        return Some(to.one(splat.scalar()));
    }
    let (text, ty) = (constant_text(of)?, element_type(tile.r#type()));
    // Truth values have no type in their text.
    if text.starts_with(char::is_alphabetic) {
        return None;
    }
    let number = to.builder.parse_attribute(&format!("{text} : {ty}"));
    Some(
        to.builder
            .value("arith.constant", &[], &[("value", number)], ty),
    )
}

/// A tile with its axes in another order.
fn permuted<'c>(
    builder: &mut Builder<'c>,
    tile: Value<'c>,
    axes: &[usize],
    ty: melior::ir::Type<'c>,
) -> Value<'c> {
    let order: Vec<_> = axes.iter().map(|axis| *axis as i64).collect();
    let attributes = [("permutation", builder.ints(&order))];
    builder.value("tile.permute", &[tile], &attributes, ty)
}
