//! Matrix products of warpgroups: `wgmma`, with operands in shared memory (A perhaps in registers).
//!
//! PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions". One piece of inline
//! PTX holds the fence, all instructions of a product and their commit; a second one waits. Both take
//! and give the accumulators in the same registers, so that nothing moves them while the tensor cores
//! write to them: a copy in between would make `ptxas` serialise the instructions.
//!
//! Descriptors are made in the text from one word per operand, which is the same in all threads of a
//! warpgroup: their upper half is constant, and LLVM sees no 64-bit values to keep.

use std::fmt::Write;
use std::ops::Range;

use indexmap::IndexMap;
use melior::ir::{Type, ValueLike};

use super::ToLlvm;
use super::reduce::{Shuffle, shuffle};
use super::threads::{inline_asm, int, pack};
use crate::build::{Builder, Rebuilder};
use crate::dialect::ops::{Dot, DotWait};
use crate::dialect::shared_tile;
use crate::encoding::{PASSES_TURN, WAITS_FOR_TURN, buffer_layout};
use crate::ir::{Operation, TileType, Value, int_attribute, key};
use crate::layout::descriptor::STEP_BYTES;
use crate::layout::{Layout, MatrixOperand, mma};
use crate::{element_bytes, is_positive_zero};

/// The part of an address that a descriptor has: shared memory is a window of 2^18 bytes.
const WINDOW: i64 = 0x3_FFFF;

/// Where an operand comes from.
enum Source<'c> {
    /// Shared memory: the descriptor's low word for the warpgroup's first row and K = 0.
    Shared(MatrixOperand, Value<'c>),
    /// Registers, as 32-bit words: four for each row tile and step along K.
    Registers(Vec<Value<'c>>),
}

/// Registers of a thread that sums and those of a part that is made apart may take together: `ptxas`
/// needs the rest for addresses, and 255 is all.
const SUMS_AND_PART: usize = 200;

/// The instructions of a product, the same in every warpgroup.
struct Shape {
    /// Instructions along M, and rows from one to the next.
    row_tiles: u64,
    row_step: u64,
    /// Instructions along N, and columns of each.
    column_tiles: u64,
    columns: u64,
    /// Steps along K, and elements of each.
    steps: u64,
    step: u64,
}

impl Shape {
    /// 32-bit sums of a thread in one instruction.
    const fn registers(&self) -> usize {
        (self.columns / 2) as usize
    }

    fn all(&self) -> Part {
        Part {
            rows: 0..self.row_tiles,
            columns: 0..self.column_tiles,
            steps: 0..self.steps,
        }
    }

    /// The parts of a product whose sums of at most `depth` products are made apart, one instruction tile
    /// at a time.
    fn parts(&self, depth: u64) -> Vec<Part> {
        let deep = (depth / self.step).max(1);
        let mut parts = Vec::new();
        for block in 0..self.steps.div_ceil(deep) {
            for row in 0..self.row_tiles {
                for column in 0..self.column_tiles {
                    parts.push(Part {
                        rows: row..row + 1,
                        columns: column..column + 1,
                        steps: block * deep..((block + 1) * deep).min(self.steps),
                    });
                }
            }
        }
        parts
    }
}

/// Some of a product's instructions: ranges of its tiles along M and N, and of steps along K.
struct Part {
    rows: Range<u64>,
    columns: Range<u64>,
    steps: Range<u64>,
}

impl<'c> ToLlvm<'_, '_, 'c> {
    pub(super) fn wgmma(&mut self, to: &mut Rebuilder<'c>, dot: Dot<'c>) {
        let layout = self.encodings.layout(dot.result());
        let (element, _) = buffer_layout(self.cx.context, dot.right());
        let step = STEP_BYTES / element_bytes(element);
        let row_tiles = layout.repeat()[0];
        let own_columns = 2 * layout.register_count() as u64 / row_tiles;
        let is_integer = element.to_string() == "i8";
        let accumulators = to.many(dot.accumulator()).to_vec();
        let apart = int_attribute(dot.0, "apart");
        // Where the sums of a part are made apart, both must fit.
        let most = match apart {
            Some(_) => 2 * SUMS_AND_PART.saturating_sub(accumulators.len()) as u64,
            None => own_columns,
        };
        let columns = mma::warpgroup_columns_within(own_columns, is_integer, most)
            .or_else(|| mma::warpgroup_columns(own_columns, is_integer))
            .expect("`tensor-cores` chose products that have an instruction");
        let shape = Shape {
            row_tiles,
            row_step: layout.block()[0],
            column_tiles: own_columns / columns,
            columns,
            steps: super::dot::depth(dot.0) / step,
            step,
        };
        let left = self.left_source(to, dot, &layout, &shape);
        let right = Source::Shared(
            self.operand(dot.right(), 0, is_turned(dot.0, "right_turned")),
            self.descriptor_word(&mut to.builder, dot, 0, &layout),
        );
        let left_element = shared_tile(self.cx.context, dot.left().r#type())
            .unwrap_or_else(|| dot.left().r#type());
        let product = Product {
            shape,
            kinds: [crate::ir::element_type(left_element), element].map(kind),
            sum: accumulators[0].r#type(),
            sources: [left, right],
            is_negated: int_attribute(dot.0, "negated").is_some(),
        };
        if let Some(depth) = apart {
            let done = product.apart(&mut to.builder, accumulators, depth as u64);
            return to.bind(dot.result(), done);
        }
        let initial = (!is_positive_zero(dot.accumulator())).then_some(accumulators);
        let running = int_attribute(dot.0, "running");
        let turn = int_attribute(dot.0, "in_turn").unwrap_or(0);
        if turn & WAITS_FOR_TURN != 0 {
            self.wait_for_turn(&mut to.builder);
        }
        let issued = product.issue(&mut to.builder, &product.shape.all(), initial);
        if turn & PASSES_TURN != 0 {
            self.pass_turn(&mut to.builder);
        }
        let done = match running {
            None => wait(&mut to.builder, &issued, &[], 0, false),
            // The next iteration adds to the same registers, and whoever reads them waits first. What was
            // issued in iterations before is done, and the memory it read can be written again.
            Some(running) if running < 0 => issued,
            Some(running) => {
                wait_until(&mut to.builder, running);
                issued
            }
        };
        to.bind(dot.result(), done);
    }

    pub(super) fn dot_wait(&mut self, to: &mut Rebuilder<'c>, of: DotWait<'c>) {
        let sums = to.many(of.sums()).to_vec();
        let held = match of.held() {
            Some(held) => self.words(to, held),
            None => Vec::new(),
        };
        let pending = int_attribute(of.0, "pending").unwrap_or(0);
        let moved = int_attribute(of.0, "moved").is_some();
        let done = wait(&mut to.builder, &sums, &held, pending, moved);
        to.bind(of.result(), done);
    }

    fn left_source(
        &self,
        to: &mut Rebuilder<'c>,
        dot: Dot<'c>,
        accumulator: &Layout,
        shape: &Shape,
    ) -> Source<'c> {
        if shared_tile(self.cx.context, dot.left().r#type()).is_some() {
            return Source::Shared(
                self.operand(dot.left(), 1, is_turned(dot.0, "left_turned")),
                self.descriptor_word(&mut to.builder, dot, 1, accumulator),
            );
        }
        let layout = self.encodings.layout(dot.left());
        let registers = to.many(dot.left()).to_vec();
        let element = self.register_type(TileType::of(dot.left()).expect("a tile").element());
        let packed = (4 / element_bytes(element)) as usize;
        let mut words = Vec::new();
        for row in 0..shape.row_tiles as usize {
            for step in 0..shape.steps as usize {
                let first = layout.tile_register(row, step, 0);
                for chunk in registers[first..first + 4 * packed].chunks(packed) {
                    words.push(word_of(&mut to.builder, chunk, element));
                }
            }
        }
        Source::Registers(words)
    }

    /// An operand in a buffer, which may hold the transposed tile.
    fn operand(&self, buffer: Value<'c>, k_axis: usize, is_turned: bool) -> MatrixOperand {
        let (_, layout) = buffer_layout(self.cx.context, buffer);
        match is_turned {
            true => MatrixOperand::of(&layout.transposed(), k_axis),
            false => MatrixOperand::of(&layout, k_axis),
        }
    }

    /// The low word of the descriptor of a warpgroup's part of an operand: the left one, whose K is dimension 1, or the right one.
    fn descriptor_word(
        &self,
        builder: &mut Builder<'c>,
        dot: Dot<'c>,
        k_axis: usize,
        accumulator: &Layout,
    ) -> Value<'c> {
        let (buffer, turned) = match k_axis {
            1 => (dot.left(), "left_turned"),
            _ => (dot.right(), "right_turned"),
        };
        let operand = self.operand(buffer, k_axis, is_turned(dot.0, turned));
        let offset = int(builder, self.buffer_offset(buffer));
        let mut address = self.address_word(builder, offset);
        if let Some(stage) = self.stages.get(&key(buffer)) {
            address = builder.add(address, *stage);
        }
        // Warp bits above the two of a warpgroup say which rows or columns are its own.
        for (bit, basis) in accumulator.warp_bases().iter().enumerate().skip(2) {
            let own = operand.part_bytes(u64::from(basis[1 - k_axis]), 0);
            if basis[1 - k_axis] == 0 {
                continue;
            }
            let warp = self.uniform_warp(builder);
            let shift = int(builder, bit as i64);
            let one = int(builder, 1);
            let is_set = builder.binary("arith.shrui", warp, shift);
            let is_set = builder.and(is_set, one);
            let own = int(builder, own as i64);
            let own = builder.multiply(is_set, own);
            address = builder.add(address, own);
        }
        let window = int(builder, WINDOW);
        let inside = builder.and(address, window);
        let four = int(builder, 4);
        let start = builder.binary("arith.shrui", inside, four);
        let leading = int(builder, i64::from(operand.leading()));
        builder.binary("arith.ori", start, leading)
    }

    /// The warp's number in a register that `ptxas` knows to be the same in the whole warp.
    fn uniform_warp(&self, builder: &mut Builder<'c>) -> Value<'c> {
        let warp = self.warp(builder);
        let zero = int(builder, 0);
        shuffle(builder, warp, Shuffle::Index(zero))
    }
}

/// Whether a product reads the transposed tile of what a buffer holds.
pub(super) fn is_turned(dot: Operation<'_>, attribute: &str) -> bool {
    int_attribute(dot, attribute).is_some()
}

/// Waits until no more than so many groups are in flight.
fn wait_until(builder: &mut Builder<'_>, groups: i64) {
    let text = format!("wgmma.wait_group.sync.aligned {groups};");
    inline_asm(builder, &text, "~{memory}", &[], &[], true);
}

/// Waits until no more than so many groups are in flight, or for nothing if that is negative; gives the sums of one that is
/// done then. Nothing writes to the registers of `held` before. What is in several registers is one operand: a constant
/// that fills a tile costs LLVM no hundred of them. Sums that are `moved` are in other registers behind the wait.
fn wait<'c>(
    builder: &mut Builder<'c>,
    accumulators: &[Value<'c>],
    held: &[Value<'c>],
    pending: i64,
    moved: bool,
) -> Vec<Value<'c>> {
    let distinct: IndexMap<_, _> = accumulators.iter().map(|sum| (key(*sum), *sum)).collect();
    let mut inputs: Vec<_> = distinct.values().copied().collect();
    let ty = accumulators[0].r#type();
    let letter = if ty.to_string() == "i32" { "r" } else { "f" };
    let outputs = vec![ty; inputs.len()];
    let count = inputs.len();
    let mut constraints = match moved {
        true => vec![format!("=&{letter}"); count],
        false => vec![format!("={letter}"); count],
    };
    constraints.extend((0..count).map(|index| match moved {
        true => letter.to_owned(),
        false => index.to_string(),
    }));
    constraints.extend(vec!["r".to_owned(); held.len()]);
    constraints.push("~{memory}".to_owned());
    inputs.extend(held);
    let mut text = match pending {
        ..0 => String::new(),
        _ => format!("wgmma.wait_group.sync.aligned {pending};"),
    };
    if moved {
        for sum in 0..count {
            text += &format!(" mov.b32 ${sum}, ${};", count + sum);
        }
    }
    let done = inline_asm(
        builder,
        &text,
        &constraints.join(","),
        &inputs,
        &outputs,
        true,
    );
    let place = |sum: &Value<'c>| distinct.get_index_of(&key(*sum)).unwrap_or_default();
    accumulators.iter().map(|sum| done[place(sum)]).collect()
}

/// A word of neighbouring elements.
fn word_of<'c>(builder: &mut Builder<'c>, elements: &[Value<'c>], element: Type<'c>) -> Value<'c> {
    let all = match elements {
        [single] => *single,
        several => pack(builder, several, element),
    };
    let word = builder.int_type(32);
    builder.value("llvm.bitcast", &[all], &[], word)
}

/// The name of an operand's type in the instruction.
fn kind(element: Type<'_>) -> &'static str {
    match element.to_string().as_str() {
        "f32" => "tf32",
        "i8" => "s8",
        "f8E4M3FN" => "e4m3",
        "f8E5M2" => "e5m2",
        "bf16" => "bf16",
        _ => "f16",
    }
}

/// A product with what it is made of.
struct Product<'c> {
    shape: Shape,
    /// Names of the operands' types.
    kinds: [&'static str; 2],
    sum: Type<'c>,
    sources: [Source<'c>; 2],
    /// Whether it is subtracted.
    is_negated: bool,
}

impl<'c> Product<'c> {
    /// Issues the instructions of a part as one group, adding to `initial` or to nothing; gives the sums,
    /// which are done when the group is.
    fn issue(
        &self,
        builder: &mut Builder<'c>,
        part: &Part,
        initial: Option<Vec<Value<'c>>>,
    ) -> Vec<Value<'c>> {
        let tiles = part.rows.clone().count() * part.columns.clone().count();
        let count = self.shape.registers() * tiles;
        let text = self.text(part, initial.is_none());
        let letter = match self.sum.to_string().as_str() {
            "i32" => "r",
            _ => "f",
        };
        let mut inputs = initial.unwrap_or_default();
        let mut constraints = vec![format!("=&{letter}"); count];
        constraints.extend((0..inputs.len()).map(|index| index.to_string()));
        for source in &self.sources {
            match source {
                Source::Shared(_, word) => inputs.push(*word),
                Source::Registers(words) => inputs.extend(self.words(part, words)),
            }
        }
        constraints.extend(vec![
            "r".to_owned();
            inputs.len() + count - constraints.len()
        ]);
        constraints.push("~{memory}".to_owned());
        inline_asm(
            builder,
            &text,
            &constraints.join(","),
            &inputs,
            &vec![self.sum; count],
            true,
        )
    }

    /// The registers of the left operand that a part takes.
    fn words(&self, part: &Part, words: &[Value<'c>]) -> Vec<Value<'c>> {
        let mut list = Vec::new();
        for row in part.rows.clone() {
            for step in part.steps.clone() {
                let first = 4 * (row * self.shape.steps + step) as usize;
                list.extend(&words[first..first + 4]);
            }
        }
        list
    }

    /// Makes the sums of at most `depth` products in registers of their own and adds them to the rest, a
    /// part at a time: while this warpgroup adds, the tensor cores work for another.
    fn apart(
        &self,
        builder: &mut Builder<'c>,
        mut sums: Vec<Value<'c>>,
        depth: u64,
    ) -> Vec<Value<'c>> {
        for part in self.shape.parts(depth) {
            let issued = self.issue(builder, &part, None);
            let done = wait(builder, &issued, &[], 0, false);
            let tile = part.rows.start * self.shape.column_tiles + part.columns.start;
            let first = self.shape.registers() * tile as usize;
            for (sum, more) in sums[first..].iter_mut().zip(done) {
                *sum = builder.binary("arith.addf", *sum, more);
            }
        }
        sums
    }

    /// The PTX of the instructions of a part.
    fn text(&self, part: &Part, starts_at_zero: bool) -> String {
        let (shape, kinds) = (&self.shape, self.kinds);
        let [left, right] = &self.sources;
        let sum = if self.sum.to_string() == "i32" {
            "s32"
        } else {
            "f32"
        };
        let registers = shape.registers();
        let columns = part.columns.clone().count();
        let sums = registers * part.rows.clone().count() * columns;
        let first_input = sums * if starts_at_zero { 1 } else { 2 };
        let opcode = format!(
            "wgmma.mma_async.sync.aligned.m64n{}k{}.{sum}.{}.{}",
            shape.columns, shape.step, kinds[0], kinds[1]
        );
        let steps = part.steps.clone().count();
        let (mut text, right_input) = match left {
            Source::Shared(..) => (".reg .b64 a, b;\n".to_owned(), first_input + 1),
            Source::Registers(_) => {
                let words = 4 * part.rows.clone().count() * steps;
                (".reg .b64 b;\n".to_owned(), first_input + words)
            }
        };
        text.insert_str(0, "{\n.reg .b32 low, high;\n");
        text.push_str("wgmma.fence.sync.aligned;\n");
        let flags = flags(kinds[0], self.is_negated, left, right);
        // Along K outermost: neighbouring instructions add to different accumulators.
        for step in part.steps.clone() {
            let k = step * shape.step;
            for (index, row) in part.rows.clone().enumerate() {
                let a = match left {
                    Source::Shared(operand, _) => {
                        let place = operand.part_bytes(row * shape.row_step, k);
                        descriptor(&mut text, "a", operand, first_input, place);
                        "a".to_owned()
                    }
                    Source::Registers(_) => {
                        let place = index * steps + (step - part.steps.start) as usize;
                        let words: Vec<_> = (4 * place..4 * place + 4)
                            .map(|word| format!("${}", first_input + word))
                            .collect();
                        format!("{{{}}}", words.join(", "))
                    }
                };
                for (place, column) in part.columns.clone().enumerate() {
                    if let Source::Shared(operand, _) = right {
                        let bytes = operand.part_bytes(column * shape.columns, k);
                        descriptor(&mut text, "b", operand, right_input, bytes);
                    }
                    let first = registers * (index * columns + place);
                    let list: Vec<_> = (first..first + registers)
                        .map(|register| format!("${register}"))
                        .collect();
                    let accumulates = u8::from(!(starts_at_zero && step == part.steps.start));
                    let list = list.join(", ");
                    let _ = writeln!(text, "{opcode} {{{list}}}, {a}, b, {accumulates}{flags};");
                }
            }
        }
        text.push_str("wgmma.commit_group.sync.aligned;\n}");
        text
    }
}

/// Makes the descriptor of what begins `part` bytes into an operand, of the low word in `$input`.
fn descriptor(text: &mut String, name: &str, operand: &MatrixOperand, input: usize, part: u64) {
    let high = operand.high_word();
    let _ = writeln!(text, "add.s32 low, ${input}, {};", part / 16);
    let _ = writeln!(
        text,
        "mov.b32 high, {high:#x};\nmov.b64 {name}, {{low, high}};"
    );
}

/// What follows the operands: signs of both, the left one that of the product, and for 16-bit types how those in shared memory lie.
fn flags(kind: &str, is_negated: bool, left: &Source<'_>, right: &Source<'_>) -> String {
    let sign = if is_negated { -1 } else { 1 };
    let transposed = |source: &Source<'_>| match source {
        Source::Shared(operand, _) => Some(u8::from(!operand.is_k_major())),
        Source::Registers(_) => None,
    };
    match (kind, transposed(left)) {
        ("s8", _) => String::new(),
        ("f16" | "bf16", None) => format!(", {sign}, 1, {}", transposed(right).unwrap_or(0)),
        ("f16" | "bf16", Some(left)) => {
            format!(", {sign}, 1, {left}, {}", transposed(right).unwrap_or(0))
        }
        _ => format!(", {sign}, 1"),
    }
}
