//! What is added to a product becomes what the product adds to, and signs become the product's.
//!
//! ```text
//! %s = %x + tile.dot(%a, %b, 0)   ⇒   %s = tile.dot(%a, %b, %x)
//! %s = %x - tile.dot(%a, %b, 0)   ⇒   %s = tile.dot(%a, %b, %x) {negated}
//!      tile.dot(-%a, %b, %x)      ⇒        tile.dot(%a, %b, %x) {negated}
//! ```
//!
//! `acc += dot(a, b)` is what a loop over K says; kept apart, the product would need registers of its own, additions, and an
//! end in every iteration. That is done for sums that a loop carries, also where they are scaled first, for what a loop with products has added up, as where the last
//! part of K is behind the loop, and for sums of several products. Anything else, a bias say, would be awaited before the product can begin. Products of fp8 are left as
//! they are: tensor cores add them up with fewer bits than `f32` has. If they leave no registers for the accumulators that theirs are added to, they are added in parts,
//! with as many bits (`precision = full`).
//!
//! `wgmma` negates an operand for nothing (PTX ISA, "wgmma.mma_async", `imm-scale-a`); an operand that threads negate would
//! go through shared memory once more.

use std::collections::{HashMap, HashSet};

use melior::ir::operation::OperationLike;
use melior::ir::r#type::TypeLike;
use melior::ir::{Module, ValueLike};

use super::{is_for_fp8, is_for_warpgroups, is_fp8, most_sums};
use crate::accumulators::is_zero;
use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::dialect::ops::Dot;
use crate::dialect::{TileOp, is_pure};
use crate::facts::FactAnalysis;
use crate::ffi::defining_operation;
use crate::ir::{
    Block, Operation, TileType, Value, ValueKey, address, arguments, attributes, element_type, key,
    name, operands, results,
};
use crate::{PassContext, each_operation, functions, is_tile, multiplies, rebuild_functions, uses};

/// The most accumulators of a product for which eight warps have registers twice: its own, and those that they are added to.
const MOST_TWICE: u64 = 128 * 192;

/// Runs before the products' ways are chosen.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let found: Vec<_> = functions(&module)
        .into_iter()
        .map(|function| Sums::find(cx, function))
        .collect();
    if found.iter().all(|sums| sums.chains.is_empty()) {
        return Ok(module);
    }
    let mut found = found.into_iter();
    rebuild_functions(cx, &module, |_| Ok(found.next().unwrap_or_default()))
}

/// A part of a sum.
#[derive(Clone, Copy)]
struct Term<'c> {
    value: Value<'c>,
    is_negated: bool,
}

/// A product as it is computed afterwards.
#[derive(Clone)]
struct Product<'c> {
    dot: Dot<'c>,
    is_negated: bool,
    /// For each operand what led from the tile that is multiplied now to it, the operand first: a negation at the end.
    ways: [Vec<Operation<'c>>; 2],
}

/// A sum as it is computed afterwards.
#[derive(Clone)]
struct Chain<'c> {
    /// What the first product adds to.
    initial: Value<'c>,
    products: Vec<Product<'c>>,
    /// What is added to the last one.
    rest: Vec<Term<'c>>,
    /// How many of the products there are already, and the sum of these.
    begun: usize,
    sum: Option<Value<'c>>,
}

impl<'c> Chain<'c> {
    fn new(initial: Value<'c>, products: Vec<Product<'c>>, rest: Vec<Term<'c>>) -> Self {
        Self {
            initial,
            products,
            rest,
            begun: 0,
            sum: None,
        }
    }

    /// Adds the next product.
    fn add_product(&mut self, to: &mut Rebuilder<'c>) {
        let Some(Product {
            dot,
            is_negated,
            ways,
        }) = self.products.get(self.begun)
        else {
            return;
        };
        let sum = self.sum.unwrap_or_else(|| to.one(self.initial));
        to.builder.set_location(dot.0.location());
        let mut all = attributes(dot.0);
        if is_fp8(dot.left()) {
            all.retain(|(name, _)| *name != "precision");
            all.push(("precision", to.builder.text("full")));
        }
        if *is_negated {
            all.push(("negated", to.builder.int(1)));
        }
        let [left, right] = [(dot.left(), &ways[0]), (dot.right(), &ways[1])]
            .map(|(old, way)| operand(to, old, way));
        let list = [left, right, sum];
        let ty = dot.result().r#type();
        self.sum = Some(to.builder.value("tile.dot", &list, &all, ty));
        self.begun += 1;
    }
}

/// The sums of a function that change.
#[derive(Default)]
struct Sums<'c> {
    /// By the operation that gives the sum.
    chains: HashMap<usize, Chain<'c>>,
    /// The sum that a product is of.
    sum_of: HashMap<usize, usize>,
    /// What these alone needed.
    unused: HashSet<usize>,
}

impl<'c> Sums<'c> {
    fn find(cx: &PassContext<'_, 'c>, function: Operation<'c>) -> Self {
        let search = Search {
            users: uses(function),
            most_sums: most_sums(cx, function),
            facts: FactAnalysis::new(function),
        };
        let (mut sums, mut dots) = (Self::default(), Vec::new());
        each_operation(function, &mut |operation| {
            if let Some(TileOp::Dot(dot)) = TileOp::of(operation) {
                dots.push(dot);
            } else if let Some((chain, inner)) = search.chain(operation) {
                let dots = chain.products.iter().map(|product| address(product.dot.0));
                sums.sum_of
                    .extend(dots.map(|dot| (dot, address(operation))));
                sums.unused.extend(inner.into_iter().map(address));
                sums.chains.insert(address(operation), chain);
            }
        });
        for dot in dots {
            let product = search.product(dot, false);
            let is_negated = product.ways.iter().any(|way| !way.is_empty());
            if is_negated && !sums.unused.contains(&address(dot.0)) {
                let chain = Chain::new(dot.accumulator(), vec![product], Vec::new());
                sums.chains.insert(address(dot.0), chain);
            }
        }
        let products = sums.chains.values().flat_map(|chain| &chain.products);
        let steps = products.flat_map(|product| product.ways.iter().flatten());
        let alone = steps.filter(|step| search.user(**step).is_some());
        sums.unused.extend(alone.map(|step| address(*step)));
        sums
    }
}

struct Search<'c> {
    users: HashMap<ValueKey, Vec<Operation<'c>>>,
    /// Of a product on `wgmma`.
    most_sums: u64,
    facts: FactAnalysis<'c>,
}

impl<'c> Search<'c> {
    /// The only user of an operation's only result.
    fn user(&self, operation: Operation<'c>) -> Option<Operation<'c>> {
        let [result] = results(operation)[..] else {
            return None;
        };
        match self.users.get(&key(result)).map(Vec::as_slice) {
            Some([user]) => Some(*user),
            _ => None,
        }
    }

    /// Whether an operation is computed for a sum in the same block and nothing else.
    fn is_inner(&self, operation: Operation<'c>) -> bool {
        let user = self.user(operation);
        user.is_some_and(|user| is_sum(user) && user.block() == operation.block())
    }

    /// How a whole sum is computed, if that changes, and what else is not needed then.
    fn chain(&self, sum: Operation<'c>) -> Option<(Chain<'c>, Vec<Operation<'c>>)> {
        if !is_sum(sum) || self.is_inner(sum) {
            return None;
        }
        let (terms, mut inner) = self.terms(sum);
        let (mut products, mut rest) = (Vec::new(), Vec::new());
        for term in terms {
            match self.product_of(term, sum) {
                Some(product) => products.push(product),
                None => rest.push(term),
            }
        }
        let body = sum.block().map(crate::ffi::block)?;
        let carried = rest.iter().position(|term| {
            let is_there = is_carried(term.value, body) || self.is_sum_of_loop(term.value);
            !term.is_negated && is_there
        });
        let initial = match carried {
            Some(at) if !products.is_empty() => rest.remove(at).value,
            _ if products.len() > 1 => products[0].dot.accumulator(),
            _ => return None,
        };
        inner.extend(products.iter().map(|product| product.dot.0));
        Some((Chain::new(initial, products, rest), inner))
    }

    /// Whether a tile is what a loop with products has added up, for this sum alone: it is in registers, and needed no more.
    fn is_sum_of_loop(&self, value: Value<'c>) -> bool {
        let is_alone = self
            .users
            .get(&key(value))
            .is_some_and(|users| users.len() == 1);
        let of = defining_operation(value).filter(|of| name(*of) == "scf.for");
        is_alone && of.is_some_and(multiplies)
    }

    /// What a sum is made of, in order, and the sums in it.
    fn terms(&self, sum: Operation<'c>) -> (Vec<Term<'c>>, Vec<Operation<'c>>) {
        let (mut terms, mut inner) = (Vec::new(), Vec::new());
        let mut open = parts(sum, false);
        while let Some(term) = open.pop() {
            match defining_operation(term.value) {
                Some(part) if is_sum(part) && self.is_inner(part) => {
                    inner.push(part);
                    open.extend(parts(part, term.is_negated));
                }
                _ => terms.push(term),
            }
        }
        (terms, inner)
    }

    /// The product that a term is, if it may be computed on top of the others.
    fn product_of(&self, term: Term<'c>, sum: Operation<'c>) -> Option<Product<'c>> {
        let dot = Dot::of(defining_operation(term.value)?)?;
        let total = element_type(dot.result().r#type()).to_string();
        let is_alone = self.is_inner(dot.0) && dot.0.block() == sum.block();
        let keeps_bits = total != "f16" && (!is_fp8(dot.left()) || self.is_large(dot));
        let is_added = is_alone && keeps_bits && is_zero(dot.accumulator());
        (is_added && (!term.is_negated || self.may_negate(dot)))
            .then(|| self.product(dot, term.is_negated))
    }

    /// Whether a product of fp8 on `wgmma` leaves no registers for the accumulators that its own are added to.
    fn is_large(&self, dot: Dot<'c>) -> bool {
        let shape = TileType::of(dot.result()).map(TileType::shape);
        let elements: u64 = shape.unwrap_or_default().iter().product();
        elements > MOST_TWICE
            && is_for_fp8(dot, &self.facts)
            && is_for_warpgroups(dot, self.most_sums, 1)
    }

    /// A product whose operands' signs are its own.
    fn product(&self, dot: Dot<'c>, is_negated: bool) -> Product<'c> {
        let ways = match self.may_negate(dot) {
            true => [dot.left(), dot.right()].map(|operand| negation(operand).unwrap_or_default()),
            false => [Vec::new(), Vec::new()],
        };
        let signs = ways.iter().filter(|way| !way.is_empty()).count();
        Product {
            dot,
            is_negated: is_negated ^ (signs == 1),
            ways,
        }
    }

    /// Whether the instructions of a product negate.
    fn may_negate(&self, dot: Dot<'c>) -> bool {
        let element = element_type(dot.left().r#type()).to_string();
        let bytes = match element.as_str() {
            "f32" if dot.precision() == "tf32" => 4,
            "f16" | "bf16" => 2,
            _ => return false,
        };
        is_for_warpgroups(dot, self.most_sums, bytes)
    }
}

/// Whether an operation adds or subtracts tiles.
fn is_sum(operation: Operation<'_>) -> bool {
    let is_one = matches!(
        name(operation),
        "arith.addf" | "arith.subf" | "arith.addi" | "arith.subi"
    );
    is_one && results(operation).first().copied().is_some_and(is_tile)
}

/// The two parts of a sum, the first one last.
fn parts<'c>(sum: Operation<'c>, is_negated: bool) -> Vec<Term<'c>> {
    let subtracts = name(sum).starts_with("arith.sub");
    let both = operands(sum).into_iter().enumerate().rev();
    both.map(|(number, value)| Term {
        value,
        is_negated: is_negated ^ (subtracts && number == 1),
    })
    .collect()
}

/// Whether a tile is computed element by element from one that the loop around carries.
fn is_carried<'c>(value: Value<'c>, body: Block<'c>) -> bool {
    let given: HashSet<_> = arguments(body).into_iter().map(key).collect();
    let (mut open, mut seen) = (vec![value], HashSet::new());
    while let Some(value) = open.pop() {
        if given.contains(&key(value)) {
            return true;
        }
        if let Some(operation) = defining_operation(value)
            && operation.block().map(crate::ffi::block) == Some(body)
            && TileOp::of(operation).is_none()
            && is_pure(name(operation))
            && seen.insert(address(operation))
        {
            open.extend(
                operands(operation)
                    .into_iter()
                    .filter(|operand| is_tile(*operand)),
            );
        }
    }
    false
}

/// From an operand to what it is the negative of: conversions and transposition keep a sign.
fn negation(operand: Value<'_>) -> Option<Vec<Operation<'_>>> {
    let mut way = Vec::new();
    let mut value = operand;
    loop {
        let operation = defining_operation(value)?;
        way.push(operation);
        match (name(operation), TileOp::of(operation)) {
            ("arith.negf", _) => return Some(way),
            ("arith.truncf" | "arith.extf", _) | (_, Some(TileOp::Permute(_))) => {
                value = operands(operation)[0];
            }
            _ => return None,
        }
    }
}

/// What is multiplied in place of an operand.
fn operand<'c>(to: &mut Rebuilder<'c>, old: Value<'c>, way: &[Operation<'c>]) -> Value<'c> {
    let Some((negation, rest)) = way.split_last() else {
        return to.one(old);
    };
    let value = to.one(operands(*negation)[0]);
    rest.iter().rev().fold(value, |value, step| {
        let ty = results(*step)[0].r#type();
        match defining_operation(value) {
            // `-(x as f32) as bf16` of a `bf16` is `x` again.
            Some(wider) if name(wider) == "arith.extf" && operands(wider)[0].r#type() == ty => {
                operands(wider)[0]
            }
            _ => to
                .builder
                .value(name(*step), &[value], &attributes(*step), ty),
        }
    })
}

impl<'c> Rewrite<'c> for Sums<'c> {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        let place = address(operation);
        if let Some(chain) = self
            .sum_of
            .get(&place)
            .and_then(|sum| self.chains.get_mut(sum))
        {
            // Not later than it was: what the others multiply need not be in registers yet.
            let next = chain.products.get(chain.begun);
            let is_next = next.is_some_and(|product| address(product.dot.0) == place);
            if is_next && (chain.sum.is_some() || to.is_bound(chain.initial)) {
                chain.add_product(to);
            }
        }
        if self.unused.contains(&place) {
            return Ok(true);
        }
        let Some(chain) = self.chains.get_mut(&place) else {
            return Ok(false);
        };
        while chain.begun < chain.products.len() {
            chain.add_product(to);
        }
        let result = results(operation)[0];
        let ty = result.r#type();
        let mut sum = chain.sum.unwrap_or_else(|| to.one(chain.initial));
        to.builder.set_location(operation.location());
        let kind = match element_type(ty).is_integer() {
            true => ["arith.addi", "arith.subi"],
            false => ["arith.addf", "arith.subf"],
        };
        for term in &chain.rest {
            let value = to.one(term.value);
            sum = to
                .builder
                .binary(kind[usize::from(term.is_negated)], sum, value);
        }
        to.bind(result, vec![sum]);
        Ok(true)
    }
}
