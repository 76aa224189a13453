//! Asynchronous copies from global to shared memory: `cp.async` (PTX ISA, "cp.async").
//!
//! An access of 4, 8 or 16 bytes goes straight to shared memory, without registers. Where the mask does
//! not hold, the size of the source is 0: nothing is read, and zeros are written; what else is wanted there is
//! stored.

use super::global::{Words, stored_value};
use super::shared::address_word;
use super::threads::{inline_asm, int};
use super::{ToLlvm, storage};
use melior::ir::ValueLike;

use crate::dialect::ops::{AsyncCopy, SharedStage};
use crate::ir::{Builder, Rebuilder, int_attribute, key};
use crate::layout::copy::{copies, own_slots};
use crate::passes::encoding::{buffer_layout, stage_bytes};

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
        let bytes = crate::passes::element_bytes(storage(&to.builder, element));
        let vector = copy.vector() as u64;
        let (access, width) = match int_attribute(copy.0, "own") {
            Some(_) => (own_slots(&layout, self.warps, vector), vector),
            None => copies(&layout, &shared, vector).expect("`pipeline` copies what can be copied"),
        };
        let pointers = to.many(copy.pointers()).to_vec();
        let masks = copy.mask().map(|mask| to.many(mask).to_vec());
        let others = copy.other().map(|other| to.many(other).to_vec());
        let condition = copy.condition().map(|condition| to.one(condition));
        let owner = self.owner(&mut to.builder, &layout);
        let builder = &mut to.builder;
        let owner = self.both(builder, owner, condition);
        let size = width * bytes;
        let cache = if size == 16 { "cg" } else { "ca" };
        let terms = self.buffer_terms(builder, &access, copy.buffer());
        let offset = self.buffer_offset(copy.buffer());
        for group in &access.groups {
            let mut start = terms.0;
            if group.xor != 0 {
                let flip = int(builder, group.xor as i64);
                start = builder.binary("arith.xori", start, flip);
            }
            let start = builder.add(start, terms.1);
            let start = address_word(builder, start);
            for (part, registers) in group.registers.chunks(width as usize).enumerate() {
                let first = registers[0];
                let at = offset as u64 + group.add + part as u64 * size;
                let inside = self.inside(builder, &layout, first);
                let mask = masks.as_ref().map(|masks| masks[first]);
                let mask = self.both(builder, mask, inside);
                if let (Some(mask), Some(others)) = (mask, &others) {
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
                    let inputs = [start, pointers[first], mask];
                    inline_asm(builder, &text, "r,l,b,~{memory}", &inputs, &[], true);
                    continue;
                }
                let mut inputs = vec![start, pointers[first]];
                let mut constraints = "r,l".to_owned();
                let mut text = format!("cp.async.{cache}.shared.global [$0+{at}], [$1], {size}");
                if let Some(mask) = mask {
                    let (all, none) = (int(builder, size as i64), int(builder, 0));
                    inputs.push(builder.select(mask, all, none));
                    constraints.push_str(",r");
                    text.push_str(", $2");
                }
                text.push(';');
                if let Some(owner) = owner {
                    text = format!("@${} {text}", inputs.len());
                    inputs.push(owner);
                    constraints.push_str(",b");
                }
                constraints.push_str(",~{memory}");
                inline_asm(builder, &text, &constraints, &inputs, &[], true);
            }
        }
    }
}

/// Makes a group of this thread's copies.
pub(super) fn commit(builder: &mut Builder<'_>) {
    let text = "cp.async.commit_group;";
    inline_asm(builder, text, "~{memory}", &[], &[], true);
}

/// Waits until at most `pending` groups are not done.
pub(super) fn wait(builder: &mut Builder<'_>, pending: i64) {
    let text = format!("cp.async.wait_group {pending};");
    inline_asm(builder, &text, "~{memory}", &[], &[], true);
}
