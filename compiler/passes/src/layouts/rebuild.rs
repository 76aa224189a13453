//! Rebuilds a function with layouts in its types.
//!
//! Comes in: the homes of a function's values. Goes out: the function, every tile at its home or built where it is
//! wanted, with a `tile.convert` where neither is so. What accesses memory is in [`memory`], products in [`products`],
//! other operations that work at a home in [`at_home`], loops and branches in [`control`], and what has no home in
//! [`again`].

use melior::ir::operation::OperationLike;
use melior::ir::r#type::TypeLike;
use melior::ir::{Attribute, BlockLike, Type, ValueLike};

use super::Homes;
use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::dialect::{TileOp, is_integer_division};
use crate::ffi::defining_operation;
use crate::ir::{Block, Operation, TileType, Value, name, operands, results};
use crate::is_tile;
use crate::layout::Layout;

mod again;
mod at_home;
mod control;
mod memory;
mod products;

/// The rewrite that puts layouts in place.
pub struct Place<'a, 'b, 'c> {
    homes: Homes<'a, 'b, 'c>,
    /// Layouts in which the terminators of the open regions give their operands.
    targets: Vec<Vec<Option<Layout>>>,
    /// The old blocks of these regions.
    blocks: Vec<Block<'c>>,
}

impl<'a, 'b, 'c> Place<'a, 'b, 'c> {
    pub(super) fn new(homes: Homes<'a, 'b, 'c>) -> Self {
        Self {
            homes,
            targets: Vec::new(),
            blocks: Vec::new(),
        }
    }

    /// The type of a tile in a layout.
    fn typed(&self, value: Value<'c>, layout: &Layout) -> Type<'c> {
        let tile = TileType::of(value).expect("a tile has a layout");
        let encoding = Attribute::parse(self.homes.cx.context, &layout.to_attribute());
        tile.with_encoding(encoding.expect("a layout's text parses"))
            .ty()
    }

    /// The type of a value at its home, if it has one.
    fn type_at_home(&self, value: Value<'c>) -> Type<'c> {
        match self.homes.home(value) {
            Some(home) => self.typed(value, home),
            None => value.r#type(),
        }
    }

    /// The old value in a layout: from home, converted, or built again.
    fn place(
        &mut self,
        to: &mut Rebuilder<'c>,
        old: Value<'c>,
        layout: &Layout,
    ) -> Result<Value<'c>, Diagnostic> {
        if !is_tile(old) {
            return Ok(to.one(old));
        }
        let ty = self.typed(old, layout);
        let memory = (old.to_raw().ptr as usize, ty.to_raw().ptr as usize);
        if let Some(value) = to.builder.recall(memory) {
            return Ok(value);
        }
        let value = match self.homes.home(old) {
            Some(home) if home == layout => to.one(old),
            Some(home) => match self.loops_to(old) {
                0 if self.is_widened(old, home) => self.build_again(to, old, layout, ty)?,
                0 => {
                    let at_home = to.one(old);
                    to.builder.value("tile.convert", &[at_home], &[], ty)
                }
                levels => {
                    return self.further_out(to, levels, |place, to| place.place(to, old, layout));
                }
            },
            None => match self.levels_to_hoist(old) {
                0 => self.build_again(to, old, layout, ty)?,
                levels => {
                    return self.further_out(to, levels, |place, to| place.place(to, old, layout));
                }
            },
        };
        to.builder.remember(memory, value);
        Ok(value)
    }

    /// How many regions further out a value is built: a division, or a load, where it was, as no one may hoist it out of a loop later, which may
    /// have no iterations. What is cheaper is built where it is wanted.
    fn levels_to_hoist(&self, old: Value<'c>) -> usize {
        let stays = |one: &Operation<'c>| {
            is_integer_division(name(*one)) || matches!(TileOp::of(*one), Some(TileOp::Load(_)))
        };
        let own = defining_operation(old).filter(stays);
        own.map_or(0, |own| self.levels_to(own))
    }

    /// How many loops further out a value was computed, which is brought elsewhere once then.
    fn loops_to(&self, old: Value<'c>) -> usize {
        let levels = defining_operation(old).map_or(0, |source| self.levels_to(source));
        let inside = self.blocks[self.blocks.len() - levels..].iter().rev();
        let is_of_loop = |block: &&Block<'c>| {
            let around = block.parent_operation().map(crate::ffi::operation);
            around.is_some_and(|around| name(around) == "scf.for")
        };
        inside.take_while(is_of_loop).count()
    }

    /// How many regions further out the operand of a transposition is: it is transposed there, which moves nothing, so that
    /// a product of a loop finds it there.
    fn levels_above(&self, operation: Operation<'c>) -> usize {
        let Some(TileOp::Permute(permute)) = TileOp::of(operation) else {
            return 0;
        };
        defining_operation(permute.operand()).map_or(0, |source| self.levels_to(source))
    }

    /// How many regions further out than what is built now an operation was.
    fn levels_to(&self, operation: Operation<'c>) -> usize {
        let own = operation.block().map(crate::ffi::block);
        let inside = self.blocks.iter().rposition(|block| Some(*block) == own);
        self.blocks.len() - inside.map_or(0, |index| index + 1)
    }

    /// Builds something so many regions further out.
    fn further_out<R>(
        &mut self,
        to: &mut Rebuilder<'c>,
        levels: usize,
        build: impl FnOnce(&mut Self, &mut Rebuilder<'c>) -> R,
    ) -> R {
        let inside = self.blocks.split_off(self.blocks.len() - levels);
        let built = to.in_outer_block(levels, |to| build(self, to));
        self.blocks.extend(inside);
        built
    }

    /// The operands of an operation, all in one layout.
    fn place_operands(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
        layout: &Layout,
    ) -> Result<Vec<Value<'c>>, Diagnostic> {
        let all = operands(operation).into_iter();
        all.map(|operand| self.place(to, operand, layout)).collect()
    }

    /// Whether a value is a narrower one that is at the same home, widened: then that one is converted, which
    /// takes less memory.
    fn is_widened(&self, old: Value<'c>, home: &Layout) -> bool {
        defining_operation(old).is_some_and(|operation| {
            matches!(
                name(operation),
                "arith.extf" | "arith.extsi" | "arith.extui"
            ) && self.homes.home(operands(operation)[0]) == Some(home)
        })
    }
}

impl<'c> Rewrite<'c> for Place<'_, '_, 'c> {
    fn types(&mut self, value: Value<'c>) -> Vec<Type<'c>> {
        vec![self.type_at_home(value)]
    }

    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        match TileOp::of(operation) {
            Some(TileOp::Load(load)) if is_tile(load.result()) => self.load(to, load)?,
            Some(TileOp::Store(store)) if is_tile(store.pointers()) => self.store(to, store)?,
            Some(TileOp::Dot(dot)) => self.dot(to, dot)?,
            Some(TileOp::Reduce(_) | TileOp::Scan(_) | TileOp::Map(_)) => {
                self.reduce(to, operation)?;
            }
            Some(TileOp::Histogram(histogram)) => self.histogram(to, histogram)?,
            Some(TileOp::Gather(gather)) => self.gather(to, gather)?,
            Some(TileOp::Atomic(atomic)) => self.atomic(to, atomic)?,
            Some(TileOp::Prefetch(prefetch)) if is_tile(prefetch.pointers()) => {
                self.prefetch(to, prefetch)?;
            }
            Some(TileOp::Asm(asm)) if is_tile(asm.result()) => self.asm(to, asm)?,
            Some(TileOp::Assert(_) | TileOp::Print(_)) => self.effect(to, operation)?,
            _ if self.structured(to, operation)? => {}
            _ => {
                let list = results(operation);
                let Some(value) = list.first().copied().filter(|value| is_tile(*value)) else {
                    return Ok(false);
                };
                // Without a home it is built where it is wanted.
                if let Some(home) = self.homes.home(value).cloned() {
                    let ty = self.typed(value, &home);
                    let built = match self.levels_above(operation) {
                        0 => self.build_again(to, value, &home, ty)?,
                        levels => self.further_out(to, levels, |place, to| {
                            place.build_again(to, value, &home, ty)
                        })?,
                    };
                    to.bind(value, vec![built]);
                }
            }
        }
        Ok(true)
    }
}
