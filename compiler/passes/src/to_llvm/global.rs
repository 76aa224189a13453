//! Loads from and stores to global memory, as wide as `layouts` found possible.
//!
//! An access without mask is an LLVM load or store, which LLVM may move and fold addresses into. One
//! with a mask is predicated PTX: LLVM's masked accesses would become branches.

use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};

use super::threads::{elements, inline_asm, int, pack};
use super::{ToLlvm, first_of_run, storage};
use crate::build::{Builder, Rebuilder};
use crate::diagnostic::remark::RemarkKind;
use crate::dialect::ops::{Load, Store};
use crate::dialect::{TileOp, predicates};
use crate::encoding::runs_of;
use crate::ffi::defining_operation;
use crate::ir::{Operation, TileType, Value, int_attribute, name, operand, operands};

/// `.cs`, `.L1::evict_first` and so on. PTX takes one of the two (PTX ISA, "ld"): what is evicted
/// first or last from level 1 says nothing where `cache` does not keep it there.
fn hints(cache: &str, evict: &str) -> String {
    match (cache, evict) {
        ("" | "ca" | "wb", "first") => ".L1::evict_first".to_owned(),
        ("" | "ca" | "wb", "last") => ".L1::evict_last".to_owned(),
        ("", _) => String::new(),
        _ => format!(".{cache}"),
    }
}

/// How `count` elements of `bytes` travel: words of at most 32 bits (64 for 8-byte elements).
pub(super) struct Words {
    pub(super) bits: u64,
    pub(super) count: usize,
}

impl Words {
    pub(super) fn of(count: u64, bytes: u64) -> Self {
        let total = count * bytes * 8;
        let bits = if bytes == 8 { 64 } else { total.min(32) };
        Self {
            bits,
            count: (total / bits) as usize,
        }
    }

    /// The constraint letter of one word. 8-bit values travel in 16-bit registers.
    pub(super) fn letter(&self) -> &'static str {
        match self.bits {
            8 | 16 => "h",
            32 => "r",
            _ => "l",
        }
    }

    fn register_bits(&self) -> u32 {
        self.bits.max(16) as u32
    }

    /// Whether the elements are cut out of the words with shifts: two of `bf16`, the halves of a word,
    /// become f32 by one shift or mask of the word (see `widened`), which LLVM does not see through
    /// vectors.
    fn are_cut(&self, stored: Type<'_>, elements: usize) -> bool {
        self.bits == 32 && elements == 2 * self.count && stored.to_string() == "bf16"
    }

    pub(super) fn vector(&self) -> String {
        if self.count > 1 {
            format!(".v{}", self.count)
        } else {
            String::new()
        }
    }
}

impl<'c> ToLlvm<'_, '_, 'c> {
    pub(super) fn load(&mut self, to: &mut Rebuilder<'c>, load: Load<'c>) {
        let element = self.register_type(load.result().r#type());
        let pointers = to.many(load.pointers()).to_vec();
        let masks = load.mask().map(|mask| to.many(mask).to_vec());
        let others = load.other().map(|other| to.many(other).to_vec());
        let hints = hints(load.cache(), load.evict());
        let width = int_attribute(load.0, "vector").unwrap_or(1) as usize;
        let late = int_attribute(load.0, "late").is_some();
        if !crate::is_tile(load.result()) {
            let alone = int_attribute(load.0, "alone").map(|_| {
                let lane = self.lane(&mut to.builder);
                let zero = int(&mut to.builder, 0);
                to.builder.compare_int(predicates::EQ, lane, zero)
            });
            let mask = self.both(&mut to.builder, masks.map(|m| m[0]), alone);
            let group = Group {
                late,
                pointer: pointers[0],
                mask,
                others: others.map(|o| vec![o[0]]),
                count: 1,
            };
            let value = self.load_group(&mut to.builder, &group, element, &hints);
            to.bind(load.result(), value);
            return;
        }
        let layout = self.encodings.layout(load.result());
        let mut registers: Vec<Option<Value<'c>>> = vec![None; layout.register_count()];
        let runs = runs_of(load.0);
        let same_as = |register| first_of_run(&layout, runs.as_deref(), register);
        let taken = self.overlaps.taken(load);
        if taken.is_some() {
            let span = Some(self.cx.span(load.0.location()));
            self.cx.remark(self.name, span, RemarkKind::OverlappingLoad);
        }
        for first in (0..layout.register_count()).step_by(width) {
            if same_as(first) != first {
                for offset in 0..width {
                    registers[first + offset] = registers[same_as(first + offset)];
                }
                continue;
            }
            if let Some(taken) = taken.as_ref().filter(|taken| taken[first].is_some()) {
                for register in first..first + width {
                    registers[register] = taken[register].map(|(load, other)| to.many(load)[other]);
                }
                continue;
            }
            let mask = masks.as_ref().map(|masks| masks[first]);
            let inside = self.inside(&mut to.builder, &layout, first);
            let group = Group {
                late,
                pointer: pointers[first],
                mask: self.both(&mut to.builder, mask, inside),
                others: others
                    .as_ref()
                    .map(|others| others[first..first + width].to_vec()),
                count: width as u64,
            };
            let values = self.load_group(&mut to.builder, &group, element, &hints);
            for (offset, value) in values.into_iter().enumerate() {
                registers[first + offset] = Some(value);
            }
        }
        to.bind(load.result(), registers.into_iter().flatten().collect());
    }

    fn load_group(
        &self,
        builder: &mut Builder<'c>,
        group: &Group<'c>,
        element: Type<'c>,
        hints: &str,
    ) -> Vec<Value<'c>> {
        let bytes = crate::element_bytes(element);
        let is_bool = element.to_string() == "i1";
        let stored = if is_bool {
            builder.int_type(8)
        } else {
            storage(builder, element)
        };
        let count = group.count as usize;
        let words = Words::of(group.count, bytes);
        let is_plain = group.mask.is_none() && hints.is_empty() && !group.late;
        let values = if is_plain && words.are_cut(stored, count) {
            let word = builder.int_type(words.bits as u32);
            let loaded = plain_load(builder, group, bytes, word, words.count);
            self.words_to_values(builder, &loaded, count, stored, &words)
        } else if is_plain {
            plain_load(builder, group, bytes, stored, count)
        } else {
            self.predicated_load(builder, group, stored, bytes, hints)
        };
        if !is_bool {
            return values;
        }
        values
            .into_iter()
            .map(|value| {
                let zero = builder.constant_int(0, stored);
                builder.compare_int(predicates::NE, value, zero)
            })
            .collect()
    }

    fn predicated_load(
        &self,
        builder: &mut Builder<'c>,
        group: &Group<'c>,
        stored: Type<'c>,
        bytes: u64,
        hints: &str,
    ) -> Vec<Value<'c>> {
        let words = Words::of(group.count, bytes);
        let word = builder.int_type(words.register_bits());
        let count = group.count as usize;
        // What the registers hold before the load, and after it where the mask is false.
        let before: Vec<Value<'c>> = match &group.others {
            None => vec![builder.constant_int(0, word); words.count],
            Some(others) => {
                let others: Vec<_> = others
                    .iter()
                    .map(|other| stored_value(builder, *other, stored))
                    .collect();
                self.values_to_words(builder, &others, stored, &words)
            }
        };
        let outputs: Vec<_> = (0..words.count).map(|index| format!("${index}")).collect();
        let list = if words.count == 1 {
            outputs[0].clone()
        } else {
            format!("{{{}}}", outputs.join(", "))
        };
        let address = words.count;
        let mut constraints: Vec<String> = vec![format!("={}", words.letter()); words.count];
        constraints.push("l".to_owned());
        let mut inputs = vec![group.pointer];
        let mut text = format!(
            "ld.global{hints}{}.b{} {list}, [${address}];",
            words.vector(),
            words.bits
        );
        if let Some(mask) = group.mask {
            text = format!("@${} {text}", address + 1);
            constraints.push("b".to_owned());
            inputs.push(mask);
            constraints.extend((0..words.count).map(|index| index.to_string()));
            inputs.extend(&before);
        }
        let loaded = inline_asm(
            builder,
            &text,
            &constraints.join(","),
            &inputs,
            &vec![word; words.count],
            !group.late,
        );
        self.words_to_values(builder, &loaded, count, stored, &words)
    }

    /// Scalars as machine words.
    pub(super) fn values_to_words(
        &self,
        builder: &mut Builder<'c>,
        values: &[Value<'c>],
        stored: Type<'c>,
        words: &Words,
    ) -> Vec<Value<'c>> {
        let per_word = values.len() / words.count;
        let word = builder.int_type(words.register_bits());
        values
            .chunks(per_word)
            .map(|chunk| {
                if words.bits == 8 {
                    // An 8-bit element in a 16-bit register.
                    return builder.value("arith.extui", &[chunk[0]], &[], word);
                }
                let value = if chunk.len() == 1 {
                    chunk[0]
                } else {
                    pack(builder, chunk, stored)
                };
                if value.r#type() == word {
                    value
                } else {
                    builder.value("llvm.bitcast", &[value], &[], word)
                }
            })
            .collect()
    }

    pub(super) fn words_to_values(
        &self,
        builder: &mut Builder<'c>,
        loaded: &[Value<'c>],
        count: usize,
        stored: Type<'c>,
        words: &Words,
    ) -> Vec<Value<'c>> {
        let per_word = count / words.count;
        let mut list = Vec::with_capacity(count);
        for word in loaded {
            if words.bits == 8 {
                list.push(builder.value("arith.trunci", &[*word], &[], stored));
            } else if per_word == 1 {
                list.push(if word.r#type() == stored {
                    *word
                } else {
                    builder.value("llvm.bitcast", &[*word], &[], stored)
                });
            } else if words.are_cut(stored, count) {
                list.extend(halves(builder, *word, stored));
            } else {
                let vector = Type::vector(&[per_word as u64], stored);
                let cast = builder.value("llvm.bitcast", &[*word], &[], vector);
                list.extend(elements(builder, cast, per_word, stored));
            }
        }
        list
    }

    pub(super) fn store(&mut self, to: &mut Rebuilder<'c>, store: Store<'c>) {
        let element = self.register_type(store.value().r#type());
        let pointers = to.many(store.pointers()).to_vec();
        let values = to.many(store.value()).to_vec();
        let masks = store.mask().map(|mask| to.many(mask).to_vec());
        let hints = hints(store.cache(), store.evict());
        // Empty for an LLVM store.
        let qualifiers = match hints.as_str() {
            // Two threads may store to one place, in no order. That is a race, but not among relaxed stores (PTX ISA, 8.7.1).
            "" if may_repeat(store.pointers()) => ".relaxed.cta.global".to_owned(),
            "" => String::new(),
            hints => format!(".global{hints}"),
        };
        let width = int_attribute(store.0, "vector").unwrap_or(1) as usize;
        if !crate::is_tile(store.value()) {
            let thread = self.thread(&mut to.builder);
            let zero = int(&mut to.builder, 0);
            let first = to.builder.compare_int(predicates::EQ, thread, zero);
            let mask = self.both(&mut to.builder, masks.map(|m| m[0]), Some(first));
            self.store_group(
                &mut to.builder,
                pointers[0],
                &values,
                mask,
                element,
                &qualifiers,
            );
            return;
        }
        let layout = self.encodings.layout(store.value());
        let owner = self.owner(&mut to.builder, &layout);
        for first in (0..layout.register_count()).step_by(width) {
            if layout.register_representative(first) != first {
                continue;
            }
            let inside = self.inside(&mut to.builder, &layout, first);
            let mask = masks.as_ref().map(|masks| masks[first]);
            let mask = self.both(&mut to.builder, mask, inside);
            let mask = self.both(&mut to.builder, mask, owner);
            self.store_group(
                &mut to.builder,
                pointers[first],
                &values[first..first + width],
                mask,
                element,
                &qualifiers,
            );
        }
    }

    fn store_group(
        &self,
        builder: &mut Builder<'c>,
        pointer: Value<'c>,
        values: &[Value<'c>],
        mask: Option<Value<'c>>,
        element: Type<'c>,
        qualifiers: &str,
    ) {
        let bytes = crate::element_bytes(element);
        let stored = if element.to_string() == "i1" {
            builder.int_type(8)
        } else {
            storage(builder, element)
        };
        let values: Vec<_> = values
            .iter()
            .map(|value| stored_value(builder, *value, stored))
            .collect();
        if mask.is_none() && qualifiers.is_empty() {
            let value = if values.len() == 1 {
                values[0]
            } else {
                pack(builder, &values, stored)
            };
            let alignment = builder.int((values.len() as u64 * bytes) as i64);
            builder.insert(
                "llvm.store",
                &[value, pointer],
                &[("alignment", alignment)],
                &[],
            );
            return;
        }
        let qualifiers = if qualifiers.is_empty() {
            ".global"
        } else {
            qualifiers
        };
        let words = Words::of(values.len() as u64, bytes);
        let mut inputs = vec![pointer];
        inputs.extend(self.values_to_words(builder, &values, stored, &words));
        let names: Vec<_> = (1..=words.count).map(|index| format!("${index}")).collect();
        let list = if words.count == 1 {
            names[0].clone()
        } else {
            format!("{{{}}}", names.join(", "))
        };
        let mut constraints = vec!["l".to_owned()];
        constraints.extend(vec![words.letter().to_owned(); words.count]);
        let mut text = format!(
            "st{qualifiers}{}.b{} [$0], {list};",
            words.vector(),
            words.bits
        );
        if let Some(mask) = mask {
            text = format!("@${} {text}", words.count + 1);
            constraints.push("b".to_owned());
            inputs.push(mask);
        }
        inline_asm(builder, &text, &constraints.join(","), &inputs, &[], true);
    }
}

/// Whether several elements of a tile may point to one place, as far as can be seen: positions that are loaded or computed by more
/// than sums and products, and those that do not change along an axis.
fn may_repeat(pointers: Value<'_>) -> bool {
    match changes(pointers) {
        None => true,
        Some(axes) => {
            let shape = shape_of(pointers);
            let mut each = shape.iter().zip(axes);
            each.any(|(size, changes)| *size > 1 && !changes)
        }
    }
}

/// The sizes of a tile.
fn shape_of(tile: Value<'_>) -> Vec<u64> {
    TileType::of(tile).map_or_else(Vec::new, TileType::shape)
}

/// Along which axes the elements of a tile differ; `None` where that cannot be said, as they are loaded or divided.
fn changes(value: Value<'_>) -> Option<Vec<bool>> {
    let rank = shape_of(value).len();
    let Some(operation) = defining_operation(value) else {
        return Some(vec![true; rank]);
    };
    let inner = || changes(operand(operation, 0));
    match TileOp::of(operation) {
        Some(TileOp::Splat(_)) => Some(vec![false; rank]),
        Some(TileOp::Arange(_)) => Some(vec![true; rank]),
        Some(TileOp::Expand(expand)) => {
            let mut axes = inner()?;
            let axis = usize::try_from(expand.axis()).unwrap_or(0);
            axes.insert(axis.min(axes.len()), false);
            Some(axes)
        }
        Some(TileOp::Reshape(_) | TileOp::Permute(_)) => {
            let any = inner()?.contains(&true);
            Some(vec![any; rank])
        }
        Some(TileOp::Broadcast(_) | TileOp::Convert(_) | TileOp::PointerCast(_)) => inner(),
        Some(TileOp::PointerOffset(_)) => either(operation, rank),
        Some(_) => None,
        None => match name(operation) {
            "arith.constant" => Some(vec![false; rank]),
            "arith.addi" | "arith.subi" | "arith.muli" | "arith.extsi" | "arith.extui"
            | "arith.trunci" => either(operation, rank),
            _ => None,
        },
    }
}

/// Along which axes one of the operands changes.
fn either(operation: Operation<'_>, rank: usize) -> Option<Vec<bool>> {
    let tiles = operands(operation)
        .into_iter()
        .filter(|value| crate::is_tile(*value));
    tiles.map(changes).try_fold(vec![false; rank], |all, axes| {
        Some(all.iter().zip(axes?).map(|(a, b)| *a || b).collect())
    })
}

/// An unmasked load of `count` neighbours.
fn plain_load<'c>(
    builder: &mut Builder<'c>,
    group: &Group<'c>,
    element_bytes: u64,
    ty: Type<'c>,
    count: usize,
) -> Vec<Value<'c>> {
    let all = if count == 1 {
        ty
    } else {
        Type::vector(&[count as u64], ty)
    };
    let alignment = builder.int((group.count * element_bytes) as i64);
    let attributes = [("alignment", alignment)];
    let load = builder.insert("llvm.load", &[group.pointer], &attributes, &[all]);
    let loaded = crate::ir::result(load, 0);
    if count == 1 {
        vec![loaded]
    } else {
        elements(builder, loaded, count, ty)
    }
}

/// The lower and the upper half of a word of 32 bits.
pub(super) fn halves<'c>(
    builder: &mut Builder<'c>,
    word: Value<'c>,
    ty: Type<'c>,
) -> [Value<'c>; 2] {
    let half = builder.int_type(16);
    let places = builder.constant_int(16, builder.int_type(32));
    let shifted = builder.binary("arith.shrui", word, places);
    [word, shifted].map(|bits| {
        let bits = builder.value("arith.trunci", &[bits], &[], half);
        builder.value("arith.bitcast", &[bits], &[], ty)
    })
}

/// A scalar as it lies in memory: an `i1` is a byte.
pub(super) fn stored_value<'c>(
    builder: &mut Builder<'c>,
    value: Value<'c>,
    stored: Type<'c>,
) -> Value<'c> {
    if value.r#type().to_string() == "i1" {
        builder.value("arith.extui", &[value], &[], stored)
    } else {
        value
    }
}

/// Neighbouring elements that one access moves.
struct Group<'c> {
    /// Whether the load may move: nothing changes what it reads.
    late: bool,
    pointer: Value<'c>,
    mask: Option<Value<'c>>,
    others: Option<Vec<Value<'c>>>,
    count: u64,
}
