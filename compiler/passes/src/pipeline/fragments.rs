//! Products of warps that begin an iteration with fragments which the iteration before has read.
//!
//! ```text
//! for k { wait for stage k; barrier; start copies; … dot(stage k) … }
//!   ⇒  wait for stage 0; barrier; f = fragments of step 0 of stage 0
//!      for k { for each step but the last { g = fragments of the next step; products of f; f = g }
//!              wait for stage k + 1; barrier; g = fragments of step 0 of stage k + 1
//!              products of f, and copies to stage k between them; f = g }
//! ```
//!
//! A warp that comes from a barrier and reads what it multiplies next waits for shared memory each iteration, and the others
//! of its block do so at the same time. Here the last products of an iteration run meanwhile. All that an iteration
//! reads of its stage it has read before its barrier: the stage is free from there on, and copies are as many iterations ahead as
//! there are stages.
//!
//! Comes in: a loop with a plan whose threads copy, and whose copies are the operands of its only product. In the last
//! iteration there is no next stage, and its own is read again for nothing.

use std::collections::HashMap;

use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Type, ValueLike};

use super::copies::{position, stage_of};
use super::iterations::{Frame, following};
use super::plan::{Copy, Plan};
use super::stages::OTHER_REGISTERS;
use super::{Pipeline, is_same};
use crate::build::Rebuilder;
use crate::dialect::TileOp;
use crate::dialect::ops::Dot;
use crate::encoding::{buffer_layout, with_layout};
use crate::ir::{Operation, TileType, Value, ValueKey, address, int_attribute, key};
use crate::layout::Layout;
use crate::layout::mma::WORDS;
use crate::to_llvm::reads_matrices;
use crate::{PassContext, barrier, each_operation};

/// The product of a loop, and how its fragments are read.
#[derive(Clone)]
pub struct Fragments<'c> {
    dot: usize,
    /// Of the left operand and the right one.
    sides: [Side<'c>; 2],
    /// Steps along K.
    steps: usize,
}

#[derive(Clone)]
struct Side<'c> {
    /// The number of its copy.
    copy: usize,
    layout: Attribute<'c>,
    shape: [u64; 2],
    /// The axis of K.
    axis: usize,
    /// The type of one step's words.
    words: Type<'c>,
}

/// What an iteration has besides the stages that it reads.
#[derive(Clone)]
pub struct Begun<'c> {
    pub fragments: Fragments<'c>,
    /// The words of its first step, and when its products are built those of the next iteration's.
    pub words: [Value<'c>; 2],
    /// The buffers that the next iteration reads.
    next: [Value<'c>; 2],
}

impl<'c> Fragments<'c> {
    /// `None` if an iteration of the loop reads anything else of its stage than what its product does by `ldmatrix`.
    pub fn find(
        cx: &PassContext<'_, 'c>,
        function: Operation<'c>,
        users: &HashMap<ValueKey, Vec<Operation<'c>>>,
        operation: Operation<'c>,
        plan: &Plan<'c>,
    ) -> Option<Self> {
        let mut dots = Vec::new();
        each_operation(operation, &mut |inner| dots.extend(Dot::of(inner)));
        let [dot] = *dots.as_slice() else {
            return None;
        };
        let in_place = |copy: &Copy<'c>| copy.boxes.is_none() && copy.realigned.is_none();
        let parent = dot.0.parent_operation().map(crate::ffi::operation);
        if dot.path() != "mma"
            || plan.copies.len() != 2
            || plan.stages < 2
            || !plan.copies.iter().all(in_place)
            || parent.map(address) != Some(address(operation))
        {
            return None;
        }
        let warps = int_attribute(function, "tile.warps").unwrap_or(1) as u32;
        let depth = int_attribute(dot.0, "depth")? as u64;
        let sums = TileType::of(dot.result())?.shape();
        let side = |index: usize| {
            let (operand, name, shape) = match index {
                0 => (dot.left(), "left_layout", [sums[0], depth]),
                _ => (dot.right(), "right_layout", [depth, sums[1]]),
            };
            let copy = plan.copies.iter().position(|copy| {
                let buffer = copy.alloc.map(|alloc| crate::ir::result(alloc, 0));
                buffer.is_some_and(|buffer| is_same(buffer, operand))
            })?;
            let is_alone = users.get(&key(operand))?.iter().all(|user| {
                address(*user) == address(dot.0)
                    || matches!(TileOp::of(*user), Some(TileOp::SharedStore(_)))
            });
            let axis = 1 - index;
            let layout = dot.0.attribute(name).ok()?;
            let read = Layout::from_attribute(&layout.to_string(), &shape).ok()?;
            let (_, shared) = buffer_layout(cx.context, operand);
            if !is_alone
                || read.shape()[axis] != read.covered()[axis]
                || !reads_matrices(&read, &shared)
            {
                return None;
            }
            let count = WORDS[index] as u64 * read.repeat()[index];
            let word = IntegerType::new(cx.context, 32).into();
            let side = Side {
                copy,
                layout,
                shape,
                axis,
                words: with_layout(cx.context, word, &Layout::machine_words(count, warps)),
            };
            Some((side, read.repeat()[axis], count))
        };
        let ((left, steps, left_words), (right, right_steps, right_words)) = (side(0)?, side(1)?);
        let threads = 32 * u64::from(warps);
        let sums = sums.iter().product::<u64>() / threads;
        let registers = sums + 2 * (left_words + right_words) + OTHER_REGISTERS;
        let available = cx.target.registers_per_program / threads;
        let fits = registers <= available.min(cx.target.registers_per_thread);
        (fits && steps == right_steps && left.copy != right.copy).then(|| Self {
            dot: address(dot.0),
            sides: [left, right],
            steps: steps as usize,
        })
    }

    /// Reads the words of a step from the buffers of a stage.
    fn load(&self, to: &mut Rebuilder<'c>, buffers: [Value<'c>; 2], step: usize) -> [Value<'c>; 2] {
        [0, 1].map(|index| {
            let side = &self.sides[index];
            let shape = side.shape.map(|size| size as i64);
            let attributes = [
                ("fragment", side.layout),
                ("shape", to.builder.ints(&shape)),
                ("axis", to.builder.int(side.axis as i64)),
                ("step", to.builder.int(step as i64)),
            ];
            let list = [buffers[index]];
            to.builder
                .value("tile.fragment_load", &list, &attributes, side.words)
        })
    }

    /// The buffers of the two operands in a stage.
    fn buffers(
        &self,
        to: &mut Rebuilder<'c>,
        frame: &Frame<'c>,
        stage: Value<'c>,
    ) -> [Value<'c>; 2] {
        [0, 1].map(|index| {
            let number = self.sides[index].copy;
            stage_of(to, frame.buffers[number], stage, &frame.plan.copies[number])
        })
    }

    /// Waits for the first stage, and reads the fragments that the first iteration begins with.
    pub fn first(&self, to: &mut Rebuilder<'c>, frame: &Frame<'c>) -> [Value<'c>; 2] {
        wait(to, frame.plan.distance - 1);
        let word = to.builder.int_type(32);
        let stage = to.builder.constant_int(0, word);
        let buffers = self.buffers(to, frame, stage);
        self.load(to, buffers, 0)
    }

    /// What the iteration that begins at `counter` has, which reads the stage `read`.
    pub fn begin(
        &self,
        to: &mut Rebuilder<'c>,
        frame: &Frame<'c>,
        words: [Value<'c>; 2],
        (counter, read): (Value<'c>, Value<'c>),
    ) -> Begun<'c> {
        let (_, exists) = position(to, counter, frame.end, frame.step, 1);
        let (next, _) = following(to, read, frame.plan.stages);
        let next = to.builder.select(exists, next, read);
        Begun {
            fragments: self.clone(),
            words,
            next: self.buffers(to, frame, next),
        }
    }
}

impl<'c> Pipeline<'_, '_, 'c> {
    /// The loop's product in an iteration that has begun; whether it is that.
    pub(super) fn begun_product(&mut self, to: &mut Rebuilder<'c>, dot: Dot<'c>) -> bool {
        let Some(now) = &mut self.now else {
            return false;
        };
        let is_own = |begun: &&mut Begun<'c>| begun.fragments.dot == address(dot.0);
        let Some(begun) = now.begun.as_mut().filter(is_own) else {
            return false;
        };
        let fragments = begun.fragments.clone();
        let stage = [0, 1].map(|index| now.stages[fragments.sides[index].copy]);
        let element = buffer_layout(self.cx.context, dot.left()).0.to_string();
        let (mut words, mut sums) = (begun.words, to.one(dot.accumulator()));
        for step in 0..fragments.steps {
            let is_last = step + 1 == fragments.steps;
            let next = match is_last {
                false => fragments.load(to, stage, step + 1),
                true => {
                    // Of the iterations that are copied this one's and the next one's have come.
                    wait(to, now.plan.distance - 2);
                    fragments.load(to, begun.next, 0)
                }
            };
            let attributes = [
                ("element", to.builder.text(&element)),
                ("copies", to.builder.int(is_last.into())),
            ];
            let list = [words[0], words[1], sums];
            let ty = sums.r#type();
            sums = to.builder.value("tile.dot_step", &list, &attributes, ty);
            words = next;
        }
        to.builder.insert("tile.async_commit", &[], &[], &[]);
        begun.words = words;
        to.bind(dot.result(), vec![sums]);
        true
    }
}

/// Waits until the copies of at most so many iterations are under way, those of all threads.
fn wait(to: &mut Rebuilder<'_>, pending: u64) {
    let pending = to.builder.int(pending as i64);
    to.builder
        .insert("tile.async_wait", &[], &[("pending", pending)], &[]);
    barrier(&mut to.builder, false);
}
