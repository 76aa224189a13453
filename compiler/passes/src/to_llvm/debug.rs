//! `assert`, `print` and `prefetch`.
//!
//! A false `assert` calls `__assertfail`, a `print` calls `vprintf`: both are functions that the driver
//! gives to every kernel (PTX Writer's Guide to Interoperability, "System Calls"). Texts are variables of
//! the module. `vprintf` takes its values in memory, laid out as a C struct: a place in local memory that
//! all prints of a function share.
//!
//! Padding and copies of elements that other threads hold as well neither fail nor print.

use std::cell::RefCell;

use melior::Context;
use melior::ir::{Attribute, Location, Module, Region, ValueLike};

use super::ToLlvm;
use super::threads::{inline_asm, int};
use crate::build::{Builder, Rebuilder};
use crate::dialect::TileOp;
use crate::dialect::ops::{Assert, Prefetch, Print};
use crate::dialect::predicates;
use crate::ir::{Operation, Value, int_attribute};
use crate::{each_operation, element_bytes, is_tile};

/// What the functions of a module use that is declared outside of them.
#[derive(Default)]
pub(super) struct Symbols {
    /// Names and contents.
    texts: RefCell<Vec<(String, String)>>,
    /// Names and types of functions.
    functions: RefCell<Vec<(&'static str, &'static str)>>,
}

const PRINT: (&str, &str) = ("vprintf", "!llvm.func<i32 (ptr, ptr)>");
const FAIL: (&str, &str) = ("__assertfail", "!llvm.func<void (ptr, ptr, i32, ptr, i64)>");

impl Symbols {
    /// The name of the variable that holds a text.
    fn text(&self, function: &str, text: &str) -> String {
        let mut texts = self.texts.borrow_mut();
        let content = format!("{text}\0");
        // No kernel has a `$` in its name.
        let own = format!("{function}$text");
        let known = texts
            .iter()
            .find(|(name, known)| name.starts_with(&own) && *known == content);
        if let Some((name, _)) = known {
            return name.clone();
        }
        let name = format!("{own}{}", texts.len());
        texts.push((name.clone(), content));
        name
    }

    fn function(&self, function: (&'static str, &'static str)) {
        let mut functions = self.functions.borrow_mut();
        if !functions.contains(&function) {
            functions.push(function);
        }
    }

    /// Declares all of it in the module.
    pub(super) fn declare(&self, context: &Context, module: &Module<'_>) {
        let top = crate::ffi::block(module.body());
        let mut builder = Builder::new(context, top, Location::unknown(context));
        for (name, text) in self.texts.borrow().iter() {
            let ty = builder.parse_type(&format!("!llvm.array<{} x i8>", text.len()));
            let attributes = [
                ("sym_name", builder.text(name)),
                ("global_type", builder.type_attribute(ty)),
                ("value", builder.text(text)),
                ("constant", builder.unit()),
                (
                    "linkage",
                    builder.parse_attribute("#llvm.linkage<internal>"),
                ),
                ("addr_space", builder.int32(1)),
            ];
            builder.insert_with_regions(
                "llvm.mlir.global",
                &[],
                &attributes,
                &[],
                vec![Region::new()],
            );
        }
        for (name, ty) in self.functions.borrow().iter() {
            let ty = builder.parse_type(ty);
            let attributes = [
                ("sym_name", builder.text(name)),
                ("function_type", builder.type_attribute(ty)),
            ];
            builder.insert_with_regions("llvm.func", &[], &attributes, &[], vec![Region::new()]);
        }
    }
}

/// Where the values of a print lie: one after the other, each aligned to its size.
fn offsets(sizes: &[u64]) -> (Vec<u64>, u64) {
    let mut end = 0u64;
    let mut list = Vec::new();
    for bytes in sizes {
        let start = end.next_multiple_of(*bytes);
        list.push(start);
        end = start + bytes;
    }
    (list, end)
}

/// The sizes of what a print gives to `vprintf`: the program, the position, the values.
fn sizes(print: Print<'_>) -> Vec<u64> {
    let values = print.values();
    let rank = values
        .first()
        .and_then(|value| crate::ir::TileType::of(*value))
        .map_or(0, |tile| tile.shape().len());
    let mut sizes = vec![4; 3 + rank];
    sizes.extend(values.iter().map(|value| element_bytes(value.r#type())));
    sizes
}

/// Bytes that the largest print of a function needs.
pub(super) fn printed_bytes(function: Operation<'_>) -> u64 {
    let mut most = 0;
    each_operation(function, &mut |operation| {
        if let Some(TileOp::Print(print)) = TileOp::of(operation) {
            most = most.max(offsets(&sizes(print)).1);
        }
    });
    most
}

/// Reserves local memory.
pub(super) fn reserve<'c>(builder: &mut Builder<'c>, bytes: u64) -> Value<'c> {
    let one = int(builder, 1);
    let ty = builder.parse_type(&format!("!llvm.array<{bytes} x i8>"));
    let attributes = [
        ("elem_type", builder.type_attribute(ty)),
        ("alignment", builder.int(8)),
    ];
    let pointer = builder.parse_type("!llvm.ptr");
    builder.value("llvm.alloca", &[one], &attributes, pointer)
}

/// What is done in threads where `condition` holds; in all of them if there is none.
fn where_true<'c>(
    builder: &mut Builder<'c>,
    condition: Option<Value<'c>>,
    act: impl FnOnce(&mut Builder<'c>),
) {
    let Some(condition) = condition else {
        act(builder);
        return;
    };
    let (then, ()) = builder.region(&[], |builder, _| {
        act(builder);
        builder.insert("scf.yield", &[], &[], &[]);
    });
    builder.insert_with_regions("scf.if", &[condition], &[], &[], vec![then, Region::new()]);
}

fn call<'c>(
    builder: &mut Builder<'c>,
    name: &str,
    arguments: &[Value<'c>],
    results: &[melior::ir::Type<'c>],
) {
    let attributes: [(&str, Attribute<'c>); 3] = [
        ("callee", builder.parse_attribute(&format!("@{name}"))),
        (
            "operandSegmentSizes",
            builder.ints32(&[arguments.len() as i32, 0]),
        ),
        ("op_bundle_sizes", builder.ints32(&[])),
    ];
    builder.insert("llvm.call", arguments, &attributes, results);
}

impl<'c> ToLlvm<'_, '_, 'c> {
    /// The address of a text.
    fn text(&self, builder: &mut Builder<'c>, text: &str) -> Value<'c> {
        let name = self.symbols.text(self.name, text);
        let global = builder.parse_type("!llvm.ptr<1>");
        let generic = builder.parse_type("!llvm.ptr");
        let symbol = builder.parse_attribute(&format!("@\"{name}\""));
        let address = builder.value(
            "llvm.mlir.addressof",
            &[],
            &[("global_name", symbol)],
            global,
        );
        builder.value("llvm.addrspacecast", &[address], &[], generic)
    }

    /// Whether this is the program's first thread.
    pub(super) fn is_first(&self, builder: &mut Builder<'c>) -> Value<'c> {
        let thread = self.thread(builder);
        let zero = int(builder, 0);
        builder.compare_int(predicates::EQ, thread, zero)
    }

    pub(super) fn assert(&mut self, to: &mut Rebuilder<'c>, assert: Assert<'c>) {
        let conditions = to.many(assert.condition()).to_vec();
        let builder = &mut to.builder;
        let bit = builder.int_type(1);
        let mut all: Option<Value<'c>> = None;
        let mine;
        if is_tile(assert.condition()) {
            let layout = self.encodings.layout(assert.condition());
            mine = self.owner(builder, &layout);
            for (register, condition) in conditions.into_iter().enumerate() {
                if layout.register_representative(register) != register {
                    continue;
                }
                let holds = match self.inside(builder, &layout, register) {
                    None => condition,
                    Some(inside) => {
                        let yes = builder.constant_int(1, bit);
                        let padding = builder.binary("arith.xori", inside, yes);
                        builder.binary("arith.ori", condition, padding)
                    }
                };
                all = self.both(builder, all, Some(holds));
            }
        } else {
            mine = Some(self.is_first(builder));
            all = conditions.first().copied();
        }
        let Some(all) = all else { return };
        let yes = builder.constant_int(1, bit);
        let fails = builder.binary("arith.xori", all, yes);
        let fails = self.both(builder, Some(fails), mine);
        where_true(builder, fails, |builder| {
            self.symbols.function(FAIL);
            let message = match assert.message() {
                "" => "assert",
                message => message,
            };
            let message = self.text(builder, message);
            let file = self.text(builder, assert.file());
            let line = int(builder, assert.line());
            let function = self.text(builder, assert.function());
            let wide = builder.int_type(64);
            let one = builder.constant_int(1, wide);
            call(builder, FAIL.0, &[message, file, line, function, one], &[]);
        });
    }

    pub(super) fn print(&mut self, to: &mut Rebuilder<'c>, print: Print<'c>) {
        let Some(place) = self.printed else { return };
        let values: Vec<Vec<Value<'c>>> = print
            .values()
            .into_iter()
            .map(|value| to.many(value).to_vec())
            .collect();
        let program = [print.x(), print.y(), print.z()];
        let mut numbers: Vec<Value<'c>> = program.map(|number| to.one(number)).to_vec();
        let builder = &mut to.builder;
        let (offsets, _) = offsets(&sizes(print));
        self.symbols.function(PRINT);
        let format = self.text(builder, print.format());
        let word = builder.int_type(32);
        let line = |builder: &mut Builder<'c>, numbers: &[Value<'c>]| {
            for (number, offset) in numbers.iter().zip(&offsets) {
                store(builder, *number, place, *offset);
            }
            call(builder, PRINT.0, &[format, place], &[word]);
        };
        let tile = print
            .values()
            .first()
            .copied()
            .filter(|value| is_tile(*value));
        let Some(tile) = tile else {
            numbers.extend(values.iter().filter_map(|registers| registers.first()));
            let first = self.is_first(builder);
            where_true(builder, Some(first), |builder| line(builder, &numbers));
            return;
        };
        let layout = self.encodings.layout(tile);
        let owner = self.owner(builder, &layout);
        for register in 0..layout.register_count() {
            if layout.register_representative(register) != register {
                continue;
            }
            let inside = self.inside(builder, &layout, register);
            let mine = self.both(builder, inside, owner);
            where_true(builder, mine, |builder| {
                let mut numbers = numbers.clone();
                for axis in 0..layout.rank() {
                    numbers.push(self.coordinate(builder, &layout, axis, register));
                }
                numbers.extend(values.iter().map(|registers| registers[register]));
                line(builder, &numbers);
            });
        }
    }

    /// One instruction for all that lies within one vector: a cache line is longer (PTX ISA,
    /// "prefetch").
    pub(super) fn prefetch(&mut self, to: &mut Rebuilder<'c>, prefetch: Prefetch<'c>) {
        let pointers = to.many(prefetch.pointers()).to_vec();
        let masks = prefetch.mask().map(|mask| to.many(mask).to_vec());
        let level = prefetch.level();
        let builder = &mut to.builder;
        if !is_tile(prefetch.pointers()) {
            let first = self.is_first(builder);
            let mask = self.both(builder, masks.map(|masks| masks[0]), Some(first));
            prefetch_one(builder, level, pointers[0], mask);
            return;
        }
        let layout = self.encodings.layout(prefetch.pointers());
        let owner = self.owner(builder, &layout);
        let width = int_attribute(prefetch.0, "vector").unwrap_or(1) as usize;
        for first in (0..layout.register_count()).step_by(width) {
            if layout.register_representative(first) != first {
                continue;
            }
            let inside = self.inside(builder, &layout, first);
            let mask = masks.as_ref().map(|masks| masks[first]);
            let mask = self.both(builder, mask, inside);
            let mask = self.both(builder, mask, owner);
            prefetch_one(builder, level, pointers[first], mask);
        }
    }
}

fn prefetch_one<'c>(
    builder: &mut Builder<'c>,
    level: &str,
    pointer: Value<'c>,
    mask: Option<Value<'c>>,
) {
    let text = format!("prefetch.global.{level} [$0];");
    match mask {
        None => inline_asm(builder, &text, "l", &[pointer], &[], true),
        Some(mask) => {
            let text = format!("@$1 {text}");
            inline_asm(builder, &text, "l,b", &[pointer, mask], &[], true)
        }
    };
}

/// Stores a number at an offset in bytes.
fn store<'c>(builder: &mut Builder<'c>, value: Value<'c>, place: Value<'c>, offset: u64) {
    let byte = builder.int_type(8);
    let pointer = builder.parse_type("!llvm.ptr");
    let attributes = [
        ("elem_type", builder.type_attribute(byte)),
        ("rawConstantIndices", builder.ints32(&[offset as i32])),
    ];
    let address = builder.value("llvm.getelementptr", &[place], &attributes, pointer);
    let bytes = element_bytes(value.r#type());
    let alignment = builder.int(bytes as i64);
    builder.insert(
        "llvm.store",
        &[value, address],
        &[("alignment", alignment)],
        &[],
    );
}
