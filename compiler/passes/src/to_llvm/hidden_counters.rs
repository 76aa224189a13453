//! Loops with so many addresses that LLVM should keep no pointer for each.
//!
//! Its loop strength reduction has a pointer for each address that moves with a counter, and moves it on. Mostly that takes fewer instructions, but a pointer is two registers:
//! where there are more pointers than a thread has room for, `ptxas` gave it 32 registers, and 4 kB of memory (H200, a product by a vector whose scales lie apart, 128
//! for each thread: 14350 us, and 850 without). It knows nothing of a counter that comes out of assembly.
//!
//! Loops with products keep their pointers: they have fewer than it seems, as those of an operand are constants apart (one of fp8 spilled 816 bytes for 296 without them).

use std::collections::{HashMap, HashSet};

use melior::ir::ValueLike;

use super::threads::inline_asm;
use crate::build::Rebuilder;
use crate::dialect::TileOp;
use crate::encoding::Encodings;
use crate::ir::{
    Operation, Value, address, arguments, int_attribute, key, name, operations, region_block,
};
use crate::{each_operation, is_tile, multiplies};

/// Registers for pointers from which on there is no room beside them for what they load, of 255.
const MANY_REGISTERS: u64 = 224;

/// The counters of such loops of a function, by the address of the first operation inside each.
pub(super) fn find<'c>(
    function: Operation<'c>,
    encodings: &Encodings,
) -> HashMap<usize, Value<'c>> {
    let mut found = HashMap::new();
    each_operation(function, &mut |operation| {
        let Some(body) = region_block(operation, 0).filter(|_| name(operation) == "scf.for") else {
            return;
        };
        let inside = operations(body);
        if let Some(first) = inside.first()
            && !multiplies(operation)
            && pointers(operation, encodings) >= MANY_REGISTERS
        {
            found.insert(address(*first), arguments(body)[0]);
        }
    });
    found
}

/// Registers for pointers to what a loop loads element by element.
fn pointers(of: Operation<'_>, encodings: &Encodings) -> u64 {
    let (mut registers, mut seen) = (0, HashSet::new());
    each_operation(of, &mut |inner| {
        if let Some(TileOp::Load(load)) = TileOp::of(inner)
            && is_tile(load.result())
            && int_attribute(inner, "vector").unwrap_or(1) == 1
            && seen.insert(key(load.pointers()))
        {
            registers += encodings.registers(load.pointers());
        }
    });
    registers
}

/// The counter, as a number of which nothing is known.
pub(super) fn hide<'c>(to: &mut Rebuilder<'c>, counter: Value<'c>) {
    let own = to.one(counter);
    let ty = own.r#type();
    let (text, constraints) = match &*ty.to_string() {
        "i64" => ("mov.b64 $0, $1;", "=l,l"),
        _ => ("mov.b32 $0, $1;", "=r,r"),
    };
    let value = inline_asm(&mut to.builder, text, constraints, &[own], &[ty], false)[0];
    to.bind(counter, vec![value]);
}
