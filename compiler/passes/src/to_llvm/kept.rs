//! Tiles as words of a thread, of which LLVM makes registers again: in variables, and where they must have been computed.

use melior::ir::{Type, ValueLike};

use super::ToLlvm;
use super::threads::{elements, inline_asm, pack};
use crate::build::{Builder, Rebuilder};
use crate::dialect::ops::{Keep, Kept, Settle};
use crate::element_bytes;
use crate::ir::Value;

/// Bytes of a word.
const WORD_BYTES: u64 = 4;

impl<'c> ToLlvm<'_, '_, 'c> {
    pub(super) fn keep(&mut self, to: &mut Rebuilder<'c>, keep: Keep<'c>) {
        let variable = to.one(keep.variable());
        for (number, whole) in self.words(to, keep.value()).into_iter().enumerate() {
            let place = word_place(&mut to.builder, variable, number);
            to.builder.insert("llvm.store", &[whole, place], &[], &[]);
        }
    }

    pub(super) fn settle(&mut self, to: &mut Rebuilder<'c>, settle: Settle<'c>) {
        let words = self.words(to, settle.value());
        let types: Vec<_> = words.iter().map(ValueLike::r#type).collect();
        let outputs = vec!["=r"; words.len()].join(",");
        let inputs: String = (0..words.len())
            .map(|number| format!(",{number}"))
            .collect();
        let done = inline_asm(
            &mut to.builder,
            "",
            &(outputs + &inputs),
            &words,
            &types,
            true,
        );
        let registers = self.of_words(&mut to.builder, settle.result().r#type(), &done);
        to.bind(settle.result(), registers);
    }

    /// The registers of a tile in words, in order.
    pub(super) fn words(&self, to: &mut Rebuilder<'c>, value: Value<'c>) -> Vec<Value<'c>> {
        let values = to.many(value).to_vec();
        let each = (WORD_BYTES / element_bytes(value.r#type())) as usize;
        let builder = &mut to.builder;
        let word = builder.int_type(32);
        let groups = values.chunks(each);
        let words = groups.map(|group| {
            let whole = match group {
                [single] => *single,
                several => pack(builder, several, several[0].r#type()),
            };
            match whole.r#type() == word {
                true => whole,
                false => builder.value("llvm.bitcast", &[whole], &[], word),
            }
        });
        words.collect()
    }

    /// The registers of a tile of this type that are in words.
    fn of_words(
        &self,
        builder: &mut Builder<'c>,
        ty: Type<'c>,
        words: &[Value<'c>],
    ) -> Vec<Value<'c>> {
        let element = self.register_type(ty);
        let each = (WORD_BYTES / element_bytes(ty)) as usize;
        let mut registers = Vec::with_capacity(words.len() * each);
        for whole in words {
            match each {
                1 if element == whole.r#type() => registers.push(*whole),
                1 => registers.push(builder.value("llvm.bitcast", &[*whole], &[], element)),
                _ => {
                    let vector = Type::vector(&[each as u64], element);
                    let vector = builder.value("llvm.bitcast", &[*whole], &[], vector);
                    registers.extend(elements(builder, vector, each, element));
                }
            }
        }
        registers
    }

    pub(super) fn kept(&mut self, to: &mut Rebuilder<'c>, kept: Kept<'c>) {
        let ty = kept.result().r#type();
        let count = self.encodings.of_type(ty).register_count();
        let each = (WORD_BYTES / element_bytes(ty)) as usize;
        let variable = to.one(kept.variable());
        let builder = &mut to.builder;
        let word = builder.int_type(32);
        let words: Vec<_> = (0..count / each)
            .map(|number| {
                let place = word_place(builder, variable, number);
                builder.value("llvm.load", &[place], &[], word)
            })
            .collect();
        let registers = self.of_words(builder, ty, &words);
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
