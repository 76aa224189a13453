//! Asynchronous copies from global to shared memory: `cp.async` (PTX ISA, "cp.async").
//!
//! An access of 4, 8 or 16 bytes goes straight to shared memory, without registers. Where the mask does
//! not hold, nothing is read, and zeros are written; what else is wanted there is stored.

use super::bounds::Part;
use super::global::{Words, stored_value};
use super::steps::{Pointer, Steps};
use super::threads::{inline_asm, int};
use super::{ToLlvm, storage};
use melior::ir::ValueLike;

use crate::build::{Builder, Rebuilder};
use crate::dialect::ops::{AsyncCopy, SharedStage};
use crate::encoding::{buffer_layout, stage_bytes};
use crate::ir::{Value, int_attribute, key};
use crate::layout::copy::{copies, own_slots};
use crate::layout::shared_access::SharedGroup;

impl<'c> ToLlvm<'_, '_, 'c> {
    pub(super) fn shared_stage(&mut self, to: &mut Rebuilder<'c>, stage: SharedStage<'c>) {
        let (_, layout) = buffer_layout(self.cx.context, stage.buffer());
        let number = to.one(stage.stage());
        let bytes = int(&mut to.builder, stage_bytes(&layout) as i64);
        let begin = to.builder.multiply(number, bytes);
        self.stages.insert(key(stage.result()), begin);
        to.bind(stage.result(), Vec::new());
    }

    pub(super) fn async_copy(&mut self, to: &mut Rebuilder<'c>, copy: AsyncCopy<'c>) {
        let layout = self.encodings.layout(copy.pointers());
        let (element, shared) = buffer_layout(self.cx.context, copy.buffer());
        let shared = match int_attribute(copy.0, "transposed") {
            Some(_) => shared.transposed(),
            None => shared,
        };
        let bytes = crate::element_bytes(storage(&to.builder, element));
        let vector = copy.vector() as u64;
        let (access, width) = match int_attribute(copy.0, "own") {
            Some(_) => (own_slots(&layout, self.warps, vector), vector),
            None => copies(&layout, &shared, vector).expect("`pipeline` copies what can be copied"),
        };
        let pointers = to.many(copy.pointers()).to_vec();
        let others = copy.other().map(|other| to.many(other).to_vec());
        let condition = copy.condition().map(|condition| to.one(condition));
        let is_beside = int_attribute(copy.0, "beside").is_some();
        let owner = self.owner(&mut to.builder, &layout);
        let builder = &mut to.builder;
        let owner = self.both(builder, owner, condition);
        let size = width * bytes;
        let cache = cache_of(size);
        let terms = self.buffer_terms(builder, &access, copy.buffer());
        let offset = self.buffer_offset(copy.buffer());
        let chunks = |group: &SharedGroup| {
            let chunks = group.registers.chunks(width as usize);
            chunks.map(|chunk| chunk[0]).collect::<Vec<_>>()
        };
        let firsts: Vec<_> = access.groups.iter().flat_map(chunks).collect();
        let is_close = int_attribute(copy.0, "close").is_some();
        let steps = is_close.then(|| Steps::of(copy.pointers())).flatten();
        let pointers = self.stepped(to, &layout, steps.as_ref(), &pointers, &firsts);
        let mut pointers = pointers.into_iter();
        let masks = copy.mask();
        let masks = masks.map(|mask| self.bounded(to, &layout, mask, &firsts, is_close));
        let mut masks = masks.map(Vec::into_iter);
        let mut before = None;
        let builder = &mut to.builder;
        for group in &access.groups {
            let mut start = terms.0;
            if group.xor != 0 {
                let flip = int(builder, group.xor as i64);
                start = builder.binary("arith.xori", start, flip);
            }
            let start = builder.add(start, terms.1);
            let start = self.address_word(builder, start);
            for (part, registers) in group.registers.chunks(width as usize).enumerate() {
                let first = registers[0];
                let pointer = pointers.next().expect("one for each piece");
                let at = offset as u64 + group.add + part as u64 * size;
                let inside = self.inside(builder, &layout, first);
                let mut mask = masks.as_mut().and_then(Iterator::next).unwrap_or_default();
                mask.extend(inside.map(Part::Holds));
                if let (false, Some(others)) = (mask.is_empty(), &others) {
                    let mask = Part::all(builder, &mask).expect("some parts");
                    let pointer = pointer.get(builder, None);
                    let stored = storage(builder, element);
                    let others = registers.iter().map(|register| others[*register]);
                    let others: Vec<_> = others
                        .map(|other| stored_value(builder, other, stored))
                        .collect();
                    let words = Words::of(width, bytes);
                    let filling = self.values_to_words(builder, &others, stored, &words);
                    let (mut inputs, mut constraints) = (vec![start], "r".to_owned());
                    inputs.extend(filling);
                    constraints.push_str(&format!(",{}", words.letter()).repeat(words.count));
                    let names: Vec<_> =
                        (1..=words.count).map(|index| format!("${index}")).collect();
                    let list = match names.as_slice() {
                        [single] => single.clone(),
                        several => format!("{{{}}}", several.join(", ")),
                    };
                    let (vector, bits) = (words.vector(), words.bits);
                    let truth = builder.constant_int(1, mask.r#type());
                    let outside = builder.binary("arith.xori", mask, truth);
                    let outside = owner.map_or(outside, |owner| builder.and(outside, owner));
                    let text = format!(
                        "@${} st.shared{vector}.b{bits} [$0+{at}], {list};",
                        words.count + 1
                    );
                    inputs.push(outside);
                    constraints.push_str(",b,~{memory}");
                    inline_asm(builder, &text, &constraints, &inputs, &[], true);
                    let mask = owner.map_or(mask, |owner| builder.and(mask, owner));
                    let text =
                        format!("@$2 cp.async.{cache}.shared.global [$0+{at}], [$1], {size};");
                    let inputs = [start, pointer, mask];
                    inline_asm(builder, &text, "r,l,b,~{memory}", &inputs, &[], true);
                    continue;
                }
                let piece = Piece {
                    start,
                    at,
                    pointer,
                    mask,
                    owner,
                    size,
                    is_close,
                };
                match is_beside {
                    true => self.pieces.push(piece),
                    false => before = Some(piece.start(builder, before)),
                }
            }
        }
    }
}

/// A piece that a thread copies.
pub(super) struct Piece<'c> {
    /// Where in shared memory, and how many bytes further.
    start: Value<'c>,
    at: u64,
    pointer: Pointer<'c>,
    mask: Vec<Part<'c>>,
    owner: Option<Value<'c>>,
    size: u64,
    /// Whether its mask is computed where it is started: then it says that the source is ignored, and else how much of it
    /// is read.
    is_close: bool,
}

/// Which caches a piece of so many bytes goes through.
fn cache_of(size: u64) -> &'static str {
    if size == 16 { "cg" } else { "ca" }
}

impl<'c> Piece<'c> {
    /// Starts the copy, after that from `before`; gives where it copies from.
    fn start(self, builder: &mut Builder<'c>, before: Option<Value<'c>>) -> Value<'c> {
        let (at, size) = (self.at, self.size);
        let cache = cache_of(size);
        let pointer = self.pointer.get(builder, before);
        let mut inputs = vec![self.start, pointer];
        let mut constraints = "r,l".to_owned();
        let mut text = format!("cp.async.{cache}.shared.global [$0+{at}], [$1], {size}");
        if let Some(mask) = Part::all(builder, &self.mask) {
            let (input, letter) = match self.is_close {
                true => {
                    let truth = builder.constant_int(1, mask.r#type());
                    (builder.binary("arith.xori", mask, truth), "b")
                }
                false => {
                    let (all, none) = (int(builder, size as i64), int(builder, 0));
                    (builder.select(mask, all, none), "r")
                }
            };
            inputs.push(input);
            constraints.push_str(&format!(",{letter}"));
            text.push_str(", $2");
        }
        text.push(';');
        if let Some(owner) = self.owner {
            text = format!("@${} {text}", inputs.len());
            inputs.push(owner);
            constraints.push_str(",b");
        }
        constraints.push_str(",~{memory}");
        inline_asm(builder, &text, &constraints, &inputs, &[], true);
        pointer
    }
}

impl<'c> ToLlvm<'_, '_, 'c> {
    /// Starts the copies that wait for a place among products, but for so many.
    pub(super) fn start_pieces(&mut self, builder: &mut Builder<'c>, left: usize) {
        let count = self.pieces.len().saturating_sub(left);
        for piece in self.pieces.drain(..count) {
            self.before = Some(piece.start(builder, self.before));
        }
    }

    /// Makes a group of this thread's copies.
    pub(super) fn async_commit(&mut self, to: &mut Rebuilder<'c>) {
        self.start_pieces(&mut to.builder, 0);
        let text = "cp.async.commit_group;";
        inline_asm(&mut to.builder, text, "~{memory}", &[], &[], true);
    }
}

/// Waits until at most `pending` groups are not done.
pub(super) fn wait(builder: &mut Builder<'_>, pending: i64) {
    let text = format!("cp.async.wait_group {pending};");
    inline_asm(builder, &text, "~{memory}", &[], &[], true);
}
