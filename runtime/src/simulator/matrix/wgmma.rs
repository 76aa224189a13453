//! `wgmma.mma_async`: D = A B + D by a warpgroup, four warps, with B and perhaps A in shared memory
//! (PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate").
//!
//! M is 64, 16 rows for each warp; K is 256 bits. When the machine lets the asynchronous work
//! happen is its own affair: [`Wgmma::run`] reads and writes everything at once. What is computed
//! to which accuracy is said in `product`.

use super::descriptor::{Descriptor, DescriptorError, Major, Tile};
use super::fragment::Fragment;
use super::kind::{Family, Kind};
use super::product::{COLUMNS, Line, Step, gather, scatter};
use super::{Operand, opcode};
use crate::simulator::registers::{Registers, Slot};

/// Warps of a warpgroup.
const WARPS: usize = 4;
/// Rows of a warp.
const ROWS: usize = 16;
/// Bits of the operands along K.
const K_BITS: usize = 256;

/// A `wgmma.mma_async` instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wgmma {
    n: usize,
    d: Kind,
    a: Kind,
    b: Kind,
    /// `.satfinite`.
    saturate: bool,
}

/// An immediate after the descriptors and scale-d.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Immediate {
    /// `imm-scale-a`: 1 or -1.
    ScaleA,
    /// `imm-scale-b`: 1 or -1.
    ScaleB,
    /// `imm-trans-a`: 0 or 1.
    TransA,
    /// `imm-trans-b`: 0 or 1.
    TransB,
}

/// What the immediates of an instruction say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Immediates {
    /// A is negated.
    pub negate_a: bool,
    /// B is negated.
    pub negate_b: bool,
    /// How A lies in shared memory.
    pub major_a: Major,
    /// How B lies in shared memory.
    pub major_b: Major,
}

/// Where A comes from.
#[derive(Debug, Clone, Copy)]
pub enum Left<'a> {
    /// Registers of the four warps.
    Registers(&'a [Slot]),
    /// Shared memory.
    Shared(&'a Tile),
}

impl Wgmma {
    /// The instruction of an opcode's dotted parts, `["wgmma", "mma_async", "sync", "aligned", ...]`.
    #[must_use]
    pub fn find(parts: &[&str]) -> Option<Self> {
        let [_, n, _] = parts.iter().find_map(|part| opcode::shape(part))?;
        let [d, a, b] = opcode::kinds(parts).try_into().ok()?;
        let wgmma = Self {
            n,
            d,
            a,
            b,
            saturate: parts.contains(&"satfinite"),
        };
        let known = Family::find(d, a, b).is_some_and(|family| family.warpgroup)
            && columns(d).any(|known| known == n)
            && (!wgmma.saturate || wgmma.can_saturate());
        (known && opcode::same(parts, &wgmma.opcode())).then_some(wgmma)
    }

    /// Every opcode that [`find`](Self::find) knows, each in the order of the PTX ISA.
    #[must_use]
    pub fn forms() -> Vec<String> {
        let families = Family::ALL.iter().filter(|family| family.warpgroup);
        let mut forms = Vec::new();
        for (d, a, b) in families.flat_map(Family::types) {
            for n in columns(d) {
                for saturate in [false, true] {
                    let form = Self {
                        n,
                        d,
                        a,
                        b,
                        saturate,
                    };
                    if !saturate || form.can_saturate() {
                        forms.push(form.opcode());
                    }
                }
            }
        }
        forms
    }

    fn can_saturate(&self) -> bool {
        self.d == Kind::S32 && self.a != Kind::B1
    }

    fn opcode(&self) -> String {
        let [d, a, b] = [self.d, self.a, self.b].map(Kind::name);
        let k = K_BITS / self.a.bits();
        let saturate = if self.saturate { ".satfinite" } else { "" };
        let after = if self.a == Kind::B1 { ".and.popc" } else { "" };
        let n = self.n;
        format!("wgmma.mma_async.sync.aligned.m64n{n}k{k}{saturate}.{d}.{a}.{b}{after}")
    }

    /// M, N and K.
    #[must_use]
    pub fn shape(&self) -> [usize; 3] {
        let k = K_BITS / self.a.bits();
        [WARPS * ROWS, self.n, k]
    }

    /// Multiplications and additions of one of the four warps.
    #[must_use]
    pub fn flops(&self) -> u64 {
        let [m, n, k] = self.shape();
        (2 * m * n * k / WARPS) as u64
    }

    /// N.
    #[must_use]
    pub fn n(&self) -> usize {
        self.n
    }

    /// The accumulator registers, D.
    #[must_use]
    pub fn d(&self) -> Operand {
        Operand {
            count: self.n / COLUMNS * self.registers_of_block(),
            bits: 32,
        }
    }

    /// Accumulator registers of 16 x 8.
    fn registers_of_block(&self) -> usize {
        4 / self.d.packed()
    }

    /// The registers of A where it is not given by a descriptor.
    #[must_use]
    pub fn a(&self) -> Operand {
        Operand { count: 4, bits: 32 }
    }

    /// Which element of a warp's 16 rows of A a lane holds, if A is in registers.
    #[must_use]
    pub fn fragment_a(&self) -> Fragment {
        Fragment::a(ROWS, self.a)
    }

    /// Which element of a warp's 16 rows of D a lane holds.
    #[must_use]
    pub fn fragment_d(&self) -> Fragment {
        Fragment::accumulator(ROWS)
    }

    /// The immediates that follow scale-d, in order.
    #[must_use]
    pub fn immediates(&self, a_in_registers: bool) -> &'static [Immediate] {
        use Immediate::{ScaleA, ScaleB, TransA, TransB};
        match self.a {
            Kind::S8 | Kind::U8 | Kind::B1 => &[],
            Kind::F16 | Kind::Bf16 if a_in_registers => &[ScaleA, ScaleB, TransB],
            Kind::F16 | Kind::Bf16 => &[ScaleA, ScaleB, TransA, TransB],
            _ => &[ScaleA, ScaleB],
        }
    }

    /// The meaning of the immediates' values; `None` if there are more or fewer than
    /// [`immediates`](Self::immediates), or if a value is not one that is allowed.
    #[must_use]
    pub fn decode(&self, a_in_registers: bool, values: &[i64]) -> Option<Immediates> {
        let names = self.immediates(a_in_registers);
        let mut immediates = Immediates {
            negate_a: false,
            negate_b: false,
            major_a: Major::K,
            major_b: Major::K,
        };
        for (name, value) in names.iter().zip(values) {
            let negate = || match value {
                1 => Some(false),
                -1 => Some(true),
                _ => None,
            };
            let major = || match value {
                0 => Some(Major::K),
                1 => Some(Major::MN),
                _ => None,
            };
            match name {
                Immediate::ScaleA => immediates.negate_a = negate()?,
                Immediate::ScaleB => immediates.negate_b = negate()?,
                Immediate::TransA => immediates.major_a = major()?,
                Immediate::TransB => immediates.major_b = major()?,
            }
        }
        (names.len() == values.len()).then_some(immediates)
    }

    /// The chunks of A that the instruction reads, if A is in shared memory.
    ///
    /// # Errors
    /// If the descriptor does not fit the operand.
    pub fn tile_a(&self, descriptor: Descriptor, major: Major) -> Result<Tile, DescriptorError> {
        descriptor.tile(WARPS * ROWS, major)
    }

    /// The chunks of B that the instruction reads.
    ///
    /// # Errors
    /// If the descriptor does not fit the operand.
    pub fn tile_b(&self, descriptor: Descriptor, major: Major) -> Result<Tile, DescriptorError> {
        descriptor.tile(self.n, major)
    }

    /// Runs it for a warpgroup. `accumulate` is scale-d; without it D is not read. `read` fetches
    /// 16 bytes of shared memory; each chunk of the tiles is asked for once.
    ///
    /// # Errors
    /// Those of `read`; the registers are then as they were.
    pub fn run<E>(
        &self,
        warps: [&mut Registers; 4],
        immediates: Immediates,
        accumulate: bool,
        (d, a, b): (&[Slot], Left<'_>, &Tile),
        mut read: impl FnMut(u32, &mut [u8; 16]) -> Result<(), E>,
    ) -> Result<(), E> {
        let k = K_BITS / self.a.piece_bits();
        // Both are kept in blocks of 8 rows of A, or columns of B; an element of a block is at
        // `(k, column)` of B, and at `(row, k)` of A.
        let mut dense_a = vec![0.0; WARPS * ROWS * k];
        let mut dense_b = vec![[0.0; COLUMNS]; self.n / COLUMNS * k];
        if let Left::Shared(tile) = a {
            fetch(tile, self.a, k, &mut read, |row, column, value| {
                set(&mut dense_a, row * k + column, value);
            })?;
        }
        let flat = dense_b.as_flattened_mut();
        fetch(b, self.b, k, &mut read, |column, row, value| {
            let block = column / COLUMNS * k;
            set(flat, (block + row) * COLUMNS + column % COLUMNS, value);
        })?;

        let step = if self.a == Kind::B1 {
            Step::And
        } else {
            Step::Multiply
        };
        let fragment = self.fragment_d();
        for (registers, dense_a) in warps.into_iter().zip(dense_a.chunks_exact_mut(ROWS * k)) {
            if let Left::Registers(slots) = a {
                gather(registers, slots, (self.fragment_a(), self.a), dense_a, k);
            }
            if immediates.negate_a != immediates.negate_b {
                dense_a.iter_mut().for_each(|element| *element = -*element);
            }
            let blocks = d.chunks_exact(self.registers_of_block());
            for (d, dense_b) in blocks.zip(dense_b.chunks_exact(k)) {
                let mut sums: [Line; ROWS] = [[0.0; COLUMNS]; ROWS];
                if accumulate {
                    let dense = sums.as_flattened_mut();
                    gather(registers, d, (fragment, self.d), dense, COLUMNS);
                }
                step.accumulate(dense_a, dense_b, &mut sums);
                scatter(
                    registers,
                    d,
                    (fragment, self.d),
                    sums.as_flattened(),
                    self.saturate,
                );
            }
        }
        Ok(())
    }
}

/// The values of N for sums of a type.
fn columns(d: Kind) -> impl Iterator<Item = usize> {
    let all = (8..=256).step_by(8);
    all.filter(move |n| d != Kind::S32 || *n <= 32 || n % 16 == 0)
}

/// Reads a tile and gives its pieces: (row of A or column of B, number along K, value).
fn fetch<E>(
    tile: &Tile,
    kind: Kind,
    k: usize,
    read: &mut impl FnMut(u32, &mut [u8; 16]) -> Result<(), E>,
    mut give: impl FnMut(usize, usize, f64),
) -> Result<(), E> {
    for (index, address) in tile.chunks().iter().enumerate() {
        let mut bytes = [0; 16];
        read(*address, &mut bytes)?;
        let mut words = [0; 4];
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        for place in 0..kind.packed() {
            for (word, value) in kind.unpack(&words, place).into_iter().enumerate() {
                let element = word * kind.packed() + place;
                match tile.major {
                    Major::K => give(index / 2, index % 2 * (k / 2) + element, value),
                    Major::MN => {
                        let pieces = tile.rows / 8;
                        give(index % pieces * 8 + element, index / pieces, value);
                    }
                }
            }
        }
    }
    Ok(())
}

fn set(dense: &mut [f64], place: usize, value: f64) {
    if let Some(element) = dense.get_mut(place) {
        *element = value;
    }
}
