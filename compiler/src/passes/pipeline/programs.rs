//! Programs that take turns on the blocks there are.
//!
//! ```text
//! body(program_id)  ⇒  for n = block; n < programs; n += blocks { body(n) }
//! ```
//!
//! As many blocks are launched as run at once. What is set up once per block (mbarriers) is set up
//! once, and a producer begins the next program's copies while the consumers still store.
//! The numbers of programs along the axes are parameters, as the grid's are those of blocks.
//!
//! Numbers are 32 bits: the runtime takes another variant for 2^31 programs and more.

use crate::ir::{Builder, Value};

/// The attribute of a function whose programs take turns.
pub const TURNS: &str = "tile.turns";

/// The numbers of programs that a function gets as parameters.
#[derive(Clone, Copy)]
pub struct Counts<'c>(pub [Value<'c>; 3]);

impl<'c> Counts<'c> {
    /// First program of a block, the end, and from each of a block's programs to the next.
    pub fn range(self, builder: &mut Builder<'c>) -> [Value<'c>; 3] {
        let word = builder.int_type(32);
        let first = builder.value("nvvm.read.ptx.sreg.ctaid.x", &[], &[], word);
        let blocks = builder.value("nvvm.read.ptx.sreg.nctaid.x", &[], &[], word);
        let [x, y, z] = self.0;
        let plane = builder.multiply(x, y);
        [first, builder.multiply(plane, z), blocks]
    }

    /// The numbers along the axes of the program with this number: axis 0 first, or in groups of `rows`
    /// along axis 0 (see [`order`](crate::passes::tensor_cores::order)).
    pub fn place(
        self,
        builder: &mut Builder<'c>,
        number: Value<'c>,
        rows: Option<i64>,
    ) -> [Value<'c>; 3] {
        let [x, y, _] = self.0;
        let plane = builder.multiply(x, y);
        let third = builder.binary("arith.divui", number, plane);
        let before = builder.multiply(third, plane);
        let number = builder.binary("arith.subi", number, before);
        let (first, number, width) = match rows {
            None => {
                let word = builder.int_type(32);
                (builder.constant_int(0, word), number, x)
            }
            Some(rows) => {
                let word = builder.int_type(32);
                let rows = builder.constant_int(rows, word);
                let in_group = builder.multiply(rows, y);
                let group = builder.binary("arith.divui", number, in_group);
                let before = builder.multiply(group, in_group);
                let place = builder.binary("arith.subi", number, before);
                let first = builder.multiply(group, rows);
                let left = builder.binary("arith.subi", x, first);
                (first, place, builder.binary("arith.minui", left, rows))
            }
        };
        let second = builder.binary("arith.divui", number, width);
        let before = builder.multiply(second, width);
        let inside = builder.binary("arith.subi", number, before);
        [builder.add(first, inside), second, third]
    }
}
