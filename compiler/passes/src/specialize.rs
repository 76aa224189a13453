//! `specialize`: one copy of the kernel per variant, with what its launch promises.
//!
//! ```text
//! func @add(%x, %y, %z, %n)
//!   ⇒  func @add          {tile.divisibility = [16, 16, 16, 16]}
//!      func @add__general {tile.divisibility = [4, 4, 4, 1]}
//! ```
//!
//! Divisibility is in bytes for addresses and in units for sizes, strides and integers. The runtime
//! takes the first variant whose promises the arguments keep. All but the one for every launch may promise more ([`unsigned`],
//! [`counted`]), and ask for less ([`demands`]).

use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationLike, OperationMutLike};
use melior::ir::{Module, ValueLike};
use tile_runtime::manifest::{Assumption, SizeExpr};

use counted::Counted;
use unsigned::Unsigned;

use super::{
    PassContext, functions, internal, rebuild_functions, rebuild_functions_with, simplify,
};
use crate::build::{Builder, Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::dialect::DIVISIBILITY;
use crate::facts::constant_of;
use crate::ir::{Operation, Value, arguments, name, operands, region_block, result};
use crate::wrapped;

mod counted;
mod demands;
mod unsigned;

/// A variant to compile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariantRequest {
    /// The entry point's name.
    pub entry: String,
    /// Per argument of the entry point, a power of two.
    pub divisibility: Vec<i64>,
    /// Per argument the size or the number that a launch knows it by, if it is one. Empty for the variant that takes every launch.
    pub names: Vec<Option<String>>,
    /// The launches with few blocks in a row that it is for alone, if it is.
    pub blocks: Option<Blocks>,
    /// The arguments, by number, that are 1.
    pub ones: Vec<usize>,
    /// Whether it asks for what copies narrow rows of loops ahead, too: those that are little beside tiles.
    pub has_rows: bool,
}

impl VariantRequest {
    /// Whether it is for some of the launches that another one takes as well.
    #[must_use]
    pub const fn is_narrow(&self) -> bool {
        self.blocks.is_some() || !self.ones.is_empty()
    }

    /// What it asks of the launch besides divisors, before any pass asks for more.
    #[must_use]
    pub fn asked(&self) -> Vec<Assumption> {
        let names = self
            .ones
            .iter()
            .filter_map(|one| self.names.get(*one)?.as_ref());
        let ones = names.map(|name| Assumption::Within {
            value: SizeExpr::name(name),
            least: 1,
            most: 1,
        });
        ones.chain(self.blocks.as_ref().map(Blocks::assumption))
            .collect()
    }
}

/// Arguments that are 1.
struct Ones<'c> {
    arguments: Vec<Value<'c>>,
}

impl<'c> Rewrite<'c> for Ones<'c> {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        for argument in self.arguments.drain(..) {
            let one = to.builder.constant_int(1, argument.r#type());
            to.bind(argument, vec![one]);
        }
        // Upstream folds what is computed of numbers, but not tiles of one.
        let is_repeated = matches!(name(operation), "tile.splat" | "arith.extsi");
        let number = operands(operation).first().copied().filter(|_| is_repeated);
        let Some(one) = number.and_then(|old| constant_of(to.one(old))) else {
            return Ok(false);
        };
        let of = result(operation, 0);
        let tile = to.builder.constant_int(one, of.r#type());
        to.bind(of, vec![tile]);
        Ok(true)
    }
}

/// How many blocks the rows have that a variant goes over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocks {
    /// What counts the elements of a row, by the name that a launch knows.
    pub name: String,
    /// Elements of a block.
    pub elements: i64,
    /// The fewest that a row has, at least one.
    pub fewest: i64,
    /// The most.
    pub most: i64,
}

impl Blocks {
    /// What the launch must know.
    #[must_use]
    pub fn assumption(&self) -> Assumption {
        Assumption::Within {
            value: SizeExpr::name(&self.name),
            least: (self.fewest - 1) * self.elements + 1,
            most: self.most * self.elements,
        }
    }
}

/// What a variant asks of a launch besides divisors, as the manifest has it: JSON of a list of
/// [`Assumption`](tile_runtime::manifest::Assumption)s.
pub const ASSUMPTIONS: &str = "tile.assumptions";

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let fresh = Module::new(melior::ir::Location::unknown(cx.context));
    let top = crate::ffi::block(fresh.body());
    let builder = Builder::new(cx.context, top, melior::ir::Location::unknown(cx.context));
    for function in functions(&module) {
        if cx.variants.is_empty() {
            top.append_operation((*function).clone());
        }
        for variant in cx.variants {
            let mut copy = (*function).clone();
            copy.set_attribute("sym_name", builder.text(&variant.entry));
            copy.set_attribute(DIVISIBILITY, builder.ints(&variant.divisibility));
            debug_assert_eq!(copy.region_count(), 1);
            top.append_operation(copy);
        }
    }
    let fresh = match cx.variants.iter().all(|variant| variant.ones.is_empty()) {
        true => fresh,
        false => {
            let mut variants = cx.variants.iter();
            let with_ones = rebuild_functions(cx, &fresh, |function| {
                let ones = variants.next().map_or(&[][..], |variant| &variant.ones);
                let all = region_block(function, 0).map(arguments).unwrap_or_default();
                let arguments = ones.iter().filter_map(|one| all.get(*one).copied());
                Ok(Ones {
                    arguments: arguments.collect(),
                })
            })?;
            // What is multiplied with 1 is seen to be in a row.
            simplify::run(cx, with_ones)?
        }
    };
    let counted: Vec<_> = functions(&fresh)
        .into_iter()
        .zip(cx.variants)
        .map(|(function, variant)| Counted::find(function, variant))
        .collect();
    let mut asked: Vec<Vec<Assumption>> = counted
        .iter()
        .map(|counted| counted.assumptions.clone())
        .collect();
    let fresh = match counted.iter().all(Counted::is_empty) {
        true => fresh,
        false => {
            let mut counted = counted.into_iter();
            rebuild_functions(cx, &fresh, |_| Ok(counted.next().unwrap_or_default()))?
        }
    };
    let mut found = Vec::new();
    for (function, variant) in functions(&fresh).into_iter().zip(cx.variants) {
        let unsigned = Unsigned::find(function, variant);
        let wrapped = wrapped::positions(function, variant);
        let fewer = demands::fewer(function, variant, unsigned.divisions(), &wrapped);
        asked[found.len()].extend(unsigned.assumptions.iter().cloned());
        found.push((unsigned, fewer));
    }
    let is_plain = found.iter().all(|(_, fewer)| fewer.is_none());
    if is_plain && asked.iter().all(Vec::is_empty) {
        return Ok(fresh);
    }
    let mut found = found.into_iter().zip(asked);
    rebuild_functions_with(cx, &fresh, |_| {
        let ((unsigned, fewer), asked) = found.next().unwrap_or_default();
        let mut attributes = Vec::new();
        attributes.extend(fewer.map(|list| (DIVISIBILITY, builder.ints(&list))));
        if !asked.is_empty() {
            let text = serde_json::to_string(&asked)
                .map_err(|error| internal("specialize", &error.to_string()))?;
            attributes.push((ASSUMPTIONS, builder.text(&text)));
        }
        Ok((unsigned, attributes))
    })
}
