//! Tiles in variables of a thread: its registers of the tile in words, of which LLVM makes registers again.

use melior::ir::{Type, ValueLike};

use super::ToLlvm;
use super::threads::{elements, pack};
use crate::build::{Builder, Rebuilder};
use crate::dialect::ops::{Keep, Kept};
use crate::element_bytes;
use crate::ir::Value;

/// Bytes of a word.
const WORD_BYTES: u64 = 4;

impl<'c> ToLlvm<'_, '_, 'c> {
    pub(super) fn keep(&mut self, to: &mut Rebuilder<'c>, keep: Keep<'c>) {
        let values = to.many(keep.value()).to_vec();
        let variable = to.one(keep.variable());
        let each = (WORD_BYTES / element_bytes(keep.value().r#type())) as usize;
        let builder = &mut to.builder;
        let word = builder.int_type(32);
        for (number, group) in values.chunks(each).enumerate() {
            let whole = match group {
                [single] => *single,
                several => pack(builder, several, several[0].r#type()),
            };
            let whole = match whole.r#type() == word {
                true => whole,
                false => builder.value("llvm.bitcast", &[whole], &[], word),
            };
            let place = word_place(builder, variable, number);
            builder.insert("llvm.store", &[whole, place], &[], &[]);
        }
    }

    pub(super) fn kept(&mut self, to: &mut Rebuilder<'c>, kept: Kept<'c>) {
        let ty = kept.result().r#type();
        let count = self.encodings.of_type(ty).register_count();
        let element = self.register_type(ty);
        let each = (WORD_BYTES / element_bytes(ty)) as usize;
        let variable = to.one(kept.variable());
        let builder = &mut to.builder;
        let word = builder.int_type(32);
        let mut registers = Vec::with_capacity(count);
        for number in 0..count / each {
            let place = word_place(builder, variable, number);
            let whole = builder.value("llvm.load", &[place], &[], word);
            match each {
                1 if element == word => registers.push(whole),
                1 => registers.push(builder.value("llvm.bitcast", &[whole], &[], element)),
                _ => {
                    let vector = Type::vector(&[each as u64], element);
                    let vector = builder.value("llvm.bitcast", &[whole], &[], vector);
                    registers.extend(elements(builder, vector, each, element));
                }
            }
        }
        to.bind(kept.result(), registers);
    }
}

/// Where a word of a variable lies.
fn word_place<'c>(builder: &mut Builder<'c>, variable: Value<'c>, number: usize) -> Value<'c> {
    let word = builder.int_type(32);
    let list = [
        ("elem_type", builder.type_attribute(word)),
        ("rawConstantIndices", builder.ints32(&[number as i32])),
    ];
    let pointer = builder.parse_type("!llvm.ptr");
    builder.value("llvm.getelementptr", &[variable], &list, pointer)
}
