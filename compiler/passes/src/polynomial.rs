//! Offsets of the elements of a tile as sums of products: `128 * row * stride + arange(0, 128)[:, None] * stride + …`.

use std::cmp::Reverse;

use melior::ir::ValueLike;

use crate::dialect::{TileOp, predicates};
use crate::facts::constant_of;
use crate::ffi::defining_operation;
use crate::guards::{counts_from_last, is_where_not_negative};
use crate::ir::{TileType, Value, element_type, int_attribute, key, name, operand};
use crate::is_tile;

/// Terms of a sum at most.
const MOST_TERMS: usize = 32;
/// Operations that a sum is read through.
const MOST_OPERATIONS: usize = 128;

/// A product of a constant, of numbers, and of the positions along an axis where it has one. One of the numbers may be a row along that axis (a tile that is long along no other), whose elements are the positions then.
#[derive(Clone)]
pub struct Term<'c> {
    pub times: i64,
    pub numbers: Vec<Value<'c>>,
    pub axis: Option<usize>,
}

impl<'c> Term<'c> {
    const fn constant(times: i64) -> Self {
        Self {
            times,
            numbers: Vec::new(),
            axis: None,
        }
    }

    /// Of two that both have positions there is no product.
    pub fn times(&self, other: &Self) -> Option<Self> {
        if self.axis.is_some() && other.axis.is_some() {
            return None;
        }
        let mut numbers = self.numbers.clone();
        numbers.extend(&other.numbers);
        Some(Self {
            times: self.times.checked_mul(other.times)?,
            numbers,
            axis: self.axis.or(other.axis),
        })
    }

    /// What it is a multiple of these numbers by.
    pub fn divided(&self, by: &Self) -> Option<Self> {
        let is_multiple = self.times.checked_rem(by.times) == Some(0);
        let rest = Self {
            times: self.times.checked_div(by.times)?,
            numbers: without(&self.numbers, &by.numbers)?,
            axis: self.axis,
        };
        is_multiple.then_some(rest)
    }

    /// The row whose elements are the positions, if they are not those of the axis itself.
    pub fn row(&self) -> Option<Value<'c>> {
        self.numbers.iter().copied().find(|number| is_tile(*number))
    }

    /// The rest of a product without the positions.
    pub fn without_positions(&self) -> Self {
        let numbers = self.numbers.iter().copied();
        Self {
            times: self.times,
            numbers: numbers.filter(|number| !is_tile(*number)).collect(),
            axis: None,
        }
    }

    /// Whether they differ in a constant and in the order of the numbers alone.
    pub fn is_like(&self, other: &Self) -> bool {
        self.axis == other.axis && self.is_like_but_for_axis(other)
    }

    /// The same where positions of both are those of an axis, whichever it is.
    pub fn is_like_but_for_axis(&self, other: &Self) -> bool {
        let rest = without(&self.numbers, &other.numbers);
        self.axis.is_some() == other.axis.is_some() && rest.is_some_and(|rest| rest.is_empty())
    }
}

/// What is left of numbers without others, in the same order.
fn without<'c>(numbers: &[Value<'c>], others: &[Value<'c>]) -> Option<Vec<Value<'c>>> {
    let mut rest = numbers.to_vec();
    for number in others {
        let place = rest.iter().position(|own| key(*own) == key(*number))?;
        rest.remove(place);
    }
    Some(rest)
}

/// A sum of products.
#[derive(Clone, Default)]
pub struct Polynomial<'c> {
    pub terms: Vec<Term<'c>>,
}

impl<'c> Polynomial<'c> {
    fn constant(value: i64) -> Self {
        let mut sum = Self::default();
        sum.add(Term::constant(value));
        sum
    }

    pub fn add(&mut self, term: Term<'c>) {
        match self.terms.iter_mut().find(|own| own.is_like(&term)) {
            Some(own) => own.times = own.times.saturating_add(term.times),
            None => self.terms.push(term),
        }
        self.terms.retain(|term| term.times != 0);
    }

    pub fn plus(mut self, other: &Self, times: i64) -> Option<Self> {
        for term in &other.terms {
            self.add(Term::constant(times).times(term)?);
        }
        Some(self)
    }

    fn times(&self, other: &Self) -> Option<Self> {
        let mut product = Self::default();
        for (left, right) in self
            .terms
            .iter()
            .flat_map(|left| other.terms.iter().map(move |right| (left, right)))
        {
            product.add(left.times(right)?);
        }
        (product.terms.len() <= MOST_TERMS).then_some(product)
    }

    /// Whether two sums are the same.
    pub fn is(&self, other: &Self) -> bool {
        let difference = self.clone().plus(other, -1);
        difference.is_some_and(|rest| rest.terms.is_empty())
    }

    /// The number that it is, if it is one.
    pub fn number(&self) -> Option<i64> {
        let number = || self.terms.iter().map(|term| term.times).sum();
        self.is_constant().then(number)
    }

    pub fn is_constant(&self) -> bool {
        self.terms
            .iter()
            .all(|term| term.axis.is_none() && term.numbers.is_empty())
    }

    /// Whether nothing is computed: a number, or positions, as they are.
    fn is_one_value(&self) -> bool {
        let is_plain = |term: &Term<'c>| {
            let values = term.numbers.len() + usize::from(term.axis.is_some());
            term.times == 1 && values == 1
        };
        match self.terms.as_slice() {
            [] => true,
            [term] => is_plain(term) || self.is_constant(),
            _ => false,
        }
    }

    /// The only term with positions along an axis.
    pub fn of_axis(&self, axis: usize) -> Option<&Term<'c>> {
        let mut own = self.terms.iter().filter(|term| term.axis == Some(axis));
        own.next().filter(|_| own.next().is_none())
    }

    /// The terms without positions, those with the most numbers first.
    pub fn without_axes(&self) -> Vec<Term<'c>> {
        let rest = self.terms.iter().filter(|term| term.axis.is_none());
        let mut rest: Vec<_> = rest.cloned().collect();
        rest.sort_by_key(|term| Reverse(term.numbers.len()));
        rest
    }
}

/// Reads what tiles of integers and of pointers are computed from.
#[derive(Default)]
pub struct Reader<'c> {
    seen: usize,
    /// Sums that go on in another width: they are what they seem where they fit into 32 bits.
    pub widened: Vec<Polynomial<'c>>,
    /// The pointer.
    pub base: Option<Value<'c>>,
}

impl<'c> Reader<'c> {
    /// The sum that a number or a tile is, whose axes belong to these dimensions. Of pointers it is the distance from [`Reader::base`], in elements.
    pub fn read(&mut self, value: Value<'c>, axes: &[usize]) -> Option<Polynomial<'c>> {
        self.seen += 1;
        if self.seen > MOST_OPERATIONS {
            return None;
        }
        if let Some(constant) = constant_of(value) {
            return Some(Polynomial::constant(constant));
        }
        let Some(operation) = defining_operation(value) else {
            return self.leaf(value, axes);
        };
        let is = |number| operand(operation, number);
        match (name(operation), TileOp::of(operation)) {
            (_, Some(TileOp::Arange(range))) => {
                let mut sum = Polynomial::constant(range.lo());
                sum.add(Term {
                    axis: Some(*axes.first()?),
                    ..Term::constant(1)
                });
                Some(sum)
            }
            (_, Some(TileOp::Splat(splat))) => self.read(splat.scalar(), &[]),
            (_, Some(TileOp::Broadcast(broadcast))) => self.read(broadcast.operand(), axes),
            (_, Some(TileOp::Expand(expand))) => {
                let mut rest = axes.to_vec();
                rest.remove(expand.axis() as usize);
                self.read(expand.operand(), &rest)
            }
            (_, Some(TileOp::PointerOffset(_))) => {
                let pointer = self.read(is(0), axes)?;
                let offset = self.read(is(1), axes)?;
                if element_type(is(1).r#type()).to_string() == "i32" {
                    self.widened.push(offset.clone());
                }
                pointer.plus(&offset, 1)
            }
            // Known as a whole, and natural, where its programs run.
            ("arith.subi", _)
                if !is_tile(value)
                    && (is_where_not_negative(operation) || counts_from_last(operation)) =>
            {
                self.leaf(value, axes)
            }
            ("arith.addi" | "arith.subi", _) => {
                let times = if name(operation) == "arith.addi" {
                    1
                } else {
                    -1
                };
                let left = self.read(is(0), axes)?;
                left.plus(&self.read(is(1), axes)?, times)
            }
            ("arith.muli", _) => {
                let left = self.read(is(0), axes)?;
                left.times(&self.read(is(1), axes)?)
            }
            ("arith.extsi", _) if element_type(is(0).r#type()).to_string() == "i32" => {
                let sum = self.read(is(0), axes)?;
                if !sum.is_one_value() {
                    self.widened.push(sum.clone());
                }
                Some(sum)
            }
            ("arith.trunci", _) if element_type(value.r#type()).to_string() == "i32" => {
                let sum = self.read(is(0), axes)?;
                self.widened.push(sum.clone());
                Some(sum)
            }
            _ => self.leaf(value, axes),
        }
    }

    fn leaf(&mut self, value: Value<'c>, axes: &[usize]) -> Option<Polynomial<'c>> {
        if is_tile(value) {
            let is_word = element_type(value.r#type()).to_string() == "i32";
            let shape = TileType::of(value)?.shape();
            let mut long = shape.iter().zip(axes).filter(|(size, _)| **size > 1);
            let axis = long.next().filter(|_| is_word && long.next().is_none());
            let axis = *axis?.1;
            let mut sum = Polynomial::default();
            sum.add(Term {
                numbers: vec![value],
                axis: Some(axis),
                ..Term::constant(1)
            });
            return Some(sum);
        }
        match &*value.r#type().to_string() {
            "i32" | "i64" => {
                let mut sum = Polynomial::default();
                sum.add(Term {
                    numbers: vec![value],
                    ..Term::constant(1)
                });
                Some(sum)
            }
            _ => {
                self.base = Some(value);
                Some(Polynomial::default())
            }
        }
    }
}

/// A comparison of a mask: `less < than`, or `less <= than`.
pub struct Comparison<'c> {
    pub less: Polynomial<'c>,
    pub than: Polynomial<'c>,
    pub is_strict: bool,
    /// Of the [`Reader::widened`] sums those that it has.
    pub widened: Vec<Polynomial<'c>>,
}

impl<'c> Comparison<'c> {
    /// What is less than the smaller of two numbers is less than both, and so on: two comparisons, if it is so.
    fn parts(&self, reader: &mut Reader<'c>) -> Option<Option<[Self; 2]>> {
        let sides = [
            (&self.less, "arith.maxsi", "arith.minsi"),
            (&self.than, "arith.minsi", "arith.maxsi"),
        ];
        let found = sides
            .into_iter()
            .enumerate()
            .find_map(|(side, (sum, plus, minus))| {
                sum.terms.iter().find_map(|term| {
                    let &[number] = term.numbers.as_slice() else {
                        return None;
                    };
                    let operation = defining_operation(number).filter(|_| term.axis.is_none())?;
                    let wanted = if term.times > 0 { plus } else { minus };
                    (name(operation) == wanted).then(|| (side, term.clone(), operation))
                })
            });
        let Some((side, term, operation)) = found else {
            return Some(None);
        };
        let mut part = |number| {
            let instead = reader.read(operand(operation, number), &[])?;
            let mut sums = [self.less.clone(), self.than.clone()];
            let mut sum = std::mem::take(&mut sums[side]);
            sum.add(Term {
                times: term.times.checked_neg()?,
                ..term.clone()
            });
            sums[side] = sum.plus(&instead, term.times)?;
            let [less, than] = sums;
            Some(Self {
                less,
                than,
                is_strict: self.is_strict,
                widened: self.widened.clone(),
            })
        };
        Some(Some([part(0)?, part(1)?]))
    }
}

/// The comparisons all of which a mask asks for.
pub fn comparisons<'c>(
    reader: &mut Reader<'c>,
    mask: Value<'c>,
    axes: &[usize],
    list: &mut Vec<Comparison<'c>>,
) -> Option<()> {
    let operation = defining_operation(mask)?;
    let is = |number| operand(operation, number);
    match (name(operation), TileOp::of(operation)) {
        (_, Some(TileOp::Broadcast(broadcast))) => {
            comparisons(reader, broadcast.operand(), axes, list)
        }
        (_, Some(TileOp::Expand(expand))) => {
            let mut rest = axes.to_vec();
            rest.remove(expand.axis() as usize);
            comparisons(reader, expand.operand(), &rest, list)
        }
        (_, Some(TileOp::Splat(splat))) => comparisons(reader, splat.scalar(), &[], list),
        ("arith.andi", _) => {
            comparisons(reader, is(0), axes, list)?;
            comparisons(reader, is(1), axes, list)
        }
        ("arith.cmpi", _) => {
            let (less, than, is_strict) = match int_attribute(operation, "predicate")? {
                predicates::SLT => (0, 1, true),
                predicates::SGT => (1, 0, true),
                predicates::SLE => (0, 1, false),
                predicates::SGE => (1, 0, false),
                _ => return None,
            };
            let before = reader.widened.len();
            let [less, than] = [less, than].map(|number| reader.read(is(number), axes));
            let mut open = vec![Comparison {
                less: less?,
                than: than?,
                is_strict,
                widened: reader.widened[before..].to_vec(),
            }];
            while let Some(one) = open.pop() {
                match one.parts(reader)? {
                    Some(parts) => open.extend(parts),
                    None => list.push(one),
                }
            }
            (list.len() <= MOST_TERMS).then_some(())
        }
        _ => None,
    }
}
