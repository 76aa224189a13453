//! Matrix products of warps: `mma.sync` on fragments, or fused multiply-adds on operands in shared memory.

use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, Type, ValueLike};

use super::ToLlvm;
use super::matrices::{Instruction as LoadMatrices, Matrices};
use super::threads::{int, pack, unpack};
use super::warpgroup::is_turned;
use crate::build::{Builder, Rebuilder};
use crate::diagnostic::Diagnostic;
use crate::dialect::ops::{Dot, DotStep, FragmentLoad};
use crate::dialect::{predicates, shared_tile};
use crate::encoding::buffer_layout;
use crate::ir::{Operation, TileType, Value, int_attribute};
use crate::layout::mma::WORDS;
use crate::layout::shared_access::SharedAccess;
use crate::layout::{Layout, SharedLayout};

/// Steps along K per iteration of the FMA loop, at most.
const FMA_STEPS: u64 = 8;

impl<'c> ToLlvm<'_, '_, 'c> {
    pub(super) fn dot(&mut self, to: &mut Rebuilder<'c>, dot: Dot<'c>) -> Result<(), Diagnostic> {
        match dot.path() {
            "mma" => self.mma(to, dot),
            "wgmma" => self.wgmma(to, dot),
            _ => self.fma(to, dot),
        }
        Ok(())
    }

    /// One `mma.sync` per 16 x 8 tile of the accumulator and step along K. PTX ISA, "Matrix fragments
    /// for mma.m16n8k8" (tf32), "mma.m16n8k16 with floating point type" and "mma.m16n8k32".
    fn mma(&mut self, to: &mut Rebuilder<'c>, dot: Dot<'c>) {
        let c_layout = self.encodings.layout(dot.result());
        let mut a = self.fragments(to, dot.left(), dot.0, "left_layout");
        let mut b = self.fragments(to, dot.right(), dot.0, "right_layout");
        let mut c = to.many(dot.accumulator()).to_vec();
        let builder = &mut to.builder;
        let instruction = Instruction::of(builder, a.element);
        let [_, columns] = tiles(&c_layout);
        let [rows, steps] = tiles(&a.layout);
        // Along K outermost: fragments of one step are live at a time, and an accumulator is not
        // needed again at once.
        for step in 0..steps {
            let b_words: Vec<_> = (0..columns)
                .map(|column| {
                    let first = b.layout.tile_register(step, column, 0);
                    b.words(self, builder, first, WORDS[1])
                })
                .collect();
            for row in 0..rows {
                let first = a.layout.tile_register(row, step, 0);
                let a_words = a.words(self, builder, first, WORDS[0]);
                for (column, b_words) in b_words.iter().enumerate() {
                    let at = c_layout.tile_register(row, column, 0);
                    instruction.product(builder, &a_words, b_words, &mut c[at..at + 4]);
                }
            }
        }
        to.bind(dot.result(), c);
    }

    /// All words of a step of an operand, in the order in which [`dot_step`](Self::dot_step) takes them.
    pub(super) fn fragment_load(&self, to: &mut Rebuilder<'c>, load: FragmentLoad<'c>) {
        let text = load.fragment().map(|layout| layout.to_string());
        let shape: Vec<_> = load.shape().iter().map(|size| *size as u64).collect();
        let layout = Layout::from_attribute(&text.unwrap_or_default(), &shape);
        let layout = layout.expect("`pipeline` gave the operand's layout");
        let axis = load.axis() as usize;
        let step = load.step() as usize;
        let (_, shared) = buffer_layout(self.cx.context, load.buffer());
        let mut fragments = self.buffer_fragments(to, load.buffer(), &shared, layout, axis);
        let packed = fragments.packed();
        let count = WORDS[1 - axis];
        let across = tiles(&fragments.layout)[1 - axis];
        let builder = &mut to.builder;
        let mut words = Vec::with_capacity(across * count);
        for at in 0..across {
            let (row, column) = if axis == 1 { (at, step) } else { (step, at) };
            let first = fragments.layout.tile_register(row, column, 0);
            for number in 0..count {
                words.push(fragments.word(self, builder, first + number * packed));
            }
        }
        to.bind(load.result(), words);
    }

    /// The products of one step, and perhaps between them the copies that wait for a place: so they take no time of their own.
    pub(super) fn dot_step(&mut self, to: &mut Rebuilder<'c>, dot: DotStep<'c>) {
        let c_layout = self.encodings.layout(dot.result());
        let element = to.builder.parse_type(dot.element());
        let mut c = to.many(dot.accumulator()).to_vec();
        let sides = [dot.left(), dot.right()].map(|side| to.many(side).to_vec());
        let builder = &mut to.builder;
        let [a, b] = sides.map(|words| {
            let each = words.into_iter();
            each.map(|word| as_operand(builder, word, element))
                .collect::<Vec<_>>()
        });
        let instruction = Instruction::of(builder, element);
        let (products, pieces, mut done) = (c.len() / 4, self.pieces.len(), 0);
        for (row, a_words) in a.chunks(WORDS[0]).enumerate() {
            for (column, b_words) in b.chunks(WORDS[1]).enumerate() {
                let at = c_layout.tile_register(row, column, 0);
                instruction.product(builder, a_words, b_words, &mut c[at..at + 4]);
                done += 1;
                if dot.copies() == 1 {
                    self.start_pieces(builder, pieces - pieces * done / products);
                }
            }
        }
        to.bind(dot.result(), c);
    }

    /// Zeros in place of what lies beyond K: instructions have no smaller steps.
    fn zeros_beyond_k(
        &self,
        builder: &mut Builder<'c>,
        layout: &Layout,
        axis: usize,
        registers: &mut [Value<'c>],
    ) {
        let (size, covered) = (layout.shape()[axis], layout.covered()[axis]);
        if size == covered {
            return;
        }
        for (register, value) in registers.iter_mut().enumerate() {
            let at = self.coordinate(builder, layout, axis, register);
            let limit = int(builder, size as i64);
            let inside = builder.compare_int(predicates::ULT, at, limit);
            let ty = value.r#type();
            let zero = builder.zero(ty);
            *value = builder.select(inside, *value, zero);
        }
    }

    /// An operand of `mma.sync`: registers, or a buffer read as they are needed.
    fn fragments(
        &self,
        to: &mut Rebuilder<'c>,
        operand: Value<'c>,
        dot: Operation<'c>,
        name: &str,
    ) -> Fragments<'c> {
        let along_k = usize::from(name == "left_layout");
        let Some(tile) =
            shared_tile(self.cx.context, operand.r#type()).and_then(TileType::from_type)
        else {
            let mut registers = to.many(operand).to_vec();
            let layout = (*self.encodings.layout(operand)).clone();
            self.zeros_beyond_k(&mut to.builder, &layout, along_k, &mut registers);
            return Fragments {
                layout,
                element: TileType::of(operand).expect("a tile").element(),
                words: vec![None; registers.len()],
                registers,
                source: None,
            };
        };
        let text = dot
            .attribute(name)
            .map(|layout| layout.to_string())
            .unwrap_or_default();
        let shape = match TileType::of(crate::ir::result(dot, 0))
            .map(TileType::shape)
            .as_deref()
        {
            // The buffer covers padding too, the fragments do not.
            Some([m, n]) => {
                if name == "left_layout" {
                    vec![*m, depth(dot)]
                } else {
                    vec![depth(dot), *n]
                }
            }
            _ => tile.shape(),
        };
        let layout = Layout::from_attribute(&text, &shape).expect("conversions gave the layout");
        let (_, mut shared) = buffer_layout(self.cx.context, operand);
        if is_turned(dot, ["right_turned", "left_turned"][along_k]) {
            shared = shared.transposed();
        }
        self.buffer_fragments(to, operand, &shared, layout, along_k)
    }

    /// An operand that is read in this layout from a buffer whose bytes lie so, as it is needed where that can be.
    fn buffer_fragments(
        &self,
        to: &mut Rebuilder<'c>,
        buffer: Value<'c>,
        shared: &SharedLayout,
        layout: Layout,
        along_k: usize,
    ) -> Fragments<'c> {
        let (element, _) = buffer_layout(self.cx.context, buffer);
        let words = vec![None; layout.register_count()];
        let is_padded = layout.shape()[along_k] != layout.covered()[along_k];
        let matrices = if is_padded {
            None
        } else {
            self.matrices(&mut to.builder, &layout, shared, buffer)
        };
        match matrices {
            Some(source) => Fragments {
                layout,
                element,
                registers: Vec::new(),
                words,
                source: Some(source),
            },
            None => {
                let mut registers = self.read_buffer(&mut to.builder, buffer, shared, &layout);
                self.zeros_beyond_k(&mut to.builder, &layout, along_k, &mut registers);
                Fragments {
                    registers,
                    layout,
                    element,
                    words,
                    source: None,
                }
            }
        }
    }

    /// A loop along K in which each thread reads the rows of A and columns of B of its part of the
    /// accumulator from shared memory.
    fn fma(&mut self, to: &mut Rebuilder<'c>, dot: Dot<'c>) {
        let layout = self.encodings.layout(dot.result());
        let (element, a_shared) = buffer_layout(self.cx.context, dot.left());
        let (_, b_shared) = buffer_layout(self.cx.context, dot.right());
        let depth = depth(dot.0);
        let steps = (1 << depth.trailing_zeros()).min(FMA_STEPS);
        let a_layout = layout.fma_operand_a(steps);
        let b_layout = layout.fma_operand_b(steps);
        let a_access = a_shared
            .access(&a_layout)
            .expect("an unswizzled buffer takes any layout");
        let b_access = b_shared
            .access(&b_layout)
            .expect("an unswizzled buffer takes any layout");
        let initial = to.many(dot.accumulator()).to_vec();
        let distinct = layout.distinct_registers();
        let carried: Vec<_> = distinct.iter().map(|register| initial[*register]).collect();

        let builder = &mut to.builder;
        let wide = builder.int_type(32);
        let lo = int(builder, 0);
        let hi = int(builder, depth as i64);
        let step = int(builder, steps as i64);
        let mut types = vec![wide];
        types.extend(carried.iter().map(ValueLike::r#type));
        let (region, ()) = builder.region(&types, |builder, given| {
            let k = given[0];
            let a = self.operand_at(
                builder,
                &a_access,
                &a_layout,
                dot.left(),
                k,
                a_shared.strides_bytes()[1],
                element,
            );
            let b = self.operand_at(
                builder,
                &b_access,
                &b_layout,
                dot.right(),
                k,
                b_shared.strides_bytes()[0],
                element,
            );
            let mut sums = given[1..].to_vec();
            for at in 0..steps {
                for (sum, register) in sums.iter_mut().zip(&distinct) {
                    let coordinates = layout.register_coordinates(*register);
                    let left = a_layout
                        .register_with_coordinates(&[coordinates[0], at])
                        .expect("all of K");
                    let right = b_layout
                        .register_with_coordinates(&[at, coordinates[1]])
                        .expect("all of K");
                    let ty = sum.r#type();
                    *sum = builder.value("math.fma", &[a[left], b[right], *sum], &[], ty);
                }
            }
            builder.insert("scf.yield", &sums, &[], &[]);
        });
        let mut list = vec![lo, hi, step];
        list.extend(&carried);
        let done = builder.insert_with_regions("scf.for", &list, &[], &types[1..], vec![region]);
        let sums = crate::ir::results(done);
        let all = (0..layout.register_count())
            .map(|register| {
                let first = layout.register_representative(register);
                let position = distinct
                    .binary_search(&first)
                    .expect("representatives are distinct");
                sums[position]
            })
            .collect();
        to.bind(dot.result(), all);
    }

    /// The registers of an operand from position `k` on.
    #[allow(clippy::too_many_arguments)]
    fn operand_at(
        &self,
        builder: &mut Builder<'c>,
        access: &SharedAccess,
        layout: &Layout,
        buffer: Value<'c>,
        k: Value<'c>,
        stride: u64,
        element: Type<'c>,
    ) -> Vec<Value<'c>> {
        let stride = int(builder, stride as i64);
        let moved = builder.multiply(k, stride);
        let (xor, add) = self.buffer_terms(builder, access, buffer);
        let terms = (xor, builder.add(add, moved));
        let base = self.buffer_offset(buffer);
        // Rows begin at multiples of 16 bytes, and K moves by whole steps of the vector.
        self.read_groups(builder, access, layout, terms, base, element)
    }
}

/// How many instructions a layout repeats along each dimension.
fn tiles(layout: &Layout) -> [usize; 2] {
    [layout.repeat()[0] as usize, layout.repeat()[1] as usize]
}

/// A machine word as the intrinsic wants it: `<2 x half>` for f16, `i32` for the rest.
fn as_operand<'c>(builder: &mut Builder<'c>, word: Value<'c>, element: Type<'c>) -> Value<'c> {
    if element.to_string() != "f16" {
        return word;
    }
    let pair = Type::vector(&[2], element);
    builder.value("llvm.bitcast", &[word], &[], pair)
}

/// An instruction `mma.sync`.
struct Instruction<'c> {
    attributes: [(&'static str, Attribute<'c>); 3],
    sum: Type<'c>,
    sums: Type<'c>,
}

impl<'c> Instruction<'c> {
    /// The one for elements of this type.
    fn of(builder: &Builder<'c>, element: Type<'c>) -> Self {
        let (name, sum) = match element.to_string().as_str() {
            "f16" => ("llvm.nvvm.mma.m16n8k16.row.col.f32.f32", "f32"),
            "bf16" => ("llvm.nvvm.mma.m16n8k16.row.col.bf16", "f32"),
            "f32" => ("llvm.nvvm.mma.m16n8k8.row.col.tf32", "f32"),
            _ => ("llvm.nvvm.mma.m16n8k32.row.col.s8", "i32"),
        };
        Self {
            attributes: [
                ("intrin", builder.text(name)),
                ("op_bundle_sizes", builder.ints32(&[])),
                ("operandSegmentSizes", builder.ints32(&[10, 0])),
            ],
            sum: builder.parse_type(sum),
            sums: builder.parse_type(&format!("!llvm.struct<({sum}, {sum}, {sum}, {sum})>")),
        }
    }

    /// Adds a product to four sums.
    fn product(
        &self,
        builder: &mut Builder<'c>,
        a: &[Value<'c>],
        b: &[Value<'c>],
        sums: &mut [Value<'c>],
    ) {
        let list: Vec<_> = a.iter().chain(b).chain(&*sums).copied().collect();
        let product = builder.insert("llvm.call_intrinsic", &list, &self.attributes, &[self.sums]);
        let parts = unpack(builder, crate::ir::result(product, 0), &[self.sum; 4]);
        sums.copy_from_slice(&parts);
    }
}

/// K of a dot whose operands are in shared memory.
pub(super) fn depth(dot: Operation<'_>) -> u64 {
    int_attribute(dot, "depth").map_or(0, |depth| depth as u64)
}

/// An operand of `mma.sync`.
struct Fragments<'c> {
    layout: Layout,
    element: Type<'c>,
    /// Its registers, if it was a tile.
    registers: Vec<Value<'c>>,
    /// Its machine words by their first register, as far as they are made.
    words: Vec<Option<Value<'c>>>,
    /// Where words that are not there yet are read from, if it was a buffer.
    source: Option<(Matrices<'c>, Vec<LoadMatrices>)>,
}

impl<'c> Fragments<'c> {
    /// `count` machine words from register `first` on, as the intrinsic wants them.
    fn words(
        &mut self,
        to_llvm: &ToLlvm<'_, '_, 'c>,
        builder: &mut Builder<'c>,
        first: usize,
        count: usize,
    ) -> Vec<Value<'c>> {
        let packed = self.packed();
        (0..count)
            .map(|number| {
                let word = self.word(to_llvm, builder, first + number * packed);
                as_operand(builder, word, self.element)
            })
            .collect()
    }

    /// Elements in a machine word.
    fn packed(&self) -> usize {
        (32 / crate::element_bits(self.element)) as usize
    }

    /// The word of a register and those that share it, `i32`.
    fn word(
        &mut self,
        to_llvm: &ToLlvm<'_, '_, 'c>,
        builder: &mut Builder<'c>,
        register: usize,
    ) -> Value<'c> {
        if let Some(word) = self.words[register] {
            return word;
        }
        match &self.source {
            Some((matrices, instructions)) => {
                let instruction = instructions
                    .iter()
                    .find(|one| one.firsts.contains(&register))
                    .expect("every pair of registers is one matrix's");
                for (first, word) in to_llvm.load_matrices(builder, matrices, instruction) {
                    self.words[first] = Some(word);
                }
            }
            None => {
                let packed = self.packed();
                let registers = &self.registers[register..register + packed];
                let all = if packed == 1 {
                    registers[0]
                } else {
                    pack(builder, registers, self.element)
                };
                let word = builder.int_type(32);
                let word = builder.value("llvm.bitcast", &[all], &[], word);
                self.words[register] = Some(word);
            }
        }
        self.words[register].expect("just made")
    }
}
