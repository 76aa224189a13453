//! `mma.sync`: D = A B + C by one warp (PTX ISA, "Warp-level Matrix Multiply-Accumulate").
//!
//! All lanes take part, always. What is computed to which accuracy is said in `product`.

use super::fragment::{Fragment, Position};
use super::kind::{Family, Kind};
use super::product::{COLUMNS, Line, Step, gather, scatter};
use super::{Operand, opcode, volta};
use crate::simulator::registers::{FULL, Lanes64, Registers, Slot};

/// Most pieces of A (16 x 64 of 4 bits) and most rows of B.
const MOST_ROWS: usize = 16;
const MOST_K: usize = 64;

/// An `mma.sync` instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mma {
    /// Rows of A, C and D.
    m: usize,
    /// Columns of A and rows of B, in elements.
    k: usize,
    d: Kind,
    a: Kind,
    b: Kind,
    c: Kind,
    /// `.satfinite`.
    saturate: bool,
    step: Step,
    /// The layouts of A and B where the instruction is the `m8n8k4` of Volta.
    volta: Option<volta::Layouts>,
}

impl Mma {
    /// The instruction of an opcode's dotted parts, `["mma", "sync", "aligned", "m16n8k16", ...]`.
    #[must_use]
    pub fn find(parts: &[&str]) -> Option<Self> {
        let [m, _, k] = parts.iter().find_map(|part| opcode::shape(part))?;
        let [d, a, b, c] = opcode::kinds(parts).try_into().ok()?;
        let family = Family::find(d, a, b)?;
        let layouts = volta::Layouts::find(parts);
        let volta = (m == 8 && a == Kind::F16).then_some(layouts).flatten();
        let known = match volta {
            Some(_) => k == volta::K && (c == d || c == Kind::F16),
            None => family.shapes.contains(&(m, k)) && c == d,
        };
        let mma = Self {
            m,
            k,
            d,
            a,
            b,
            c,
            saturate: parts.contains(&"satfinite"),
            step: match (a, parts.contains(&"and")) {
                (Kind::F64, _) => Step::Fused,
                (Kind::B1, true) => Step::And,
                (Kind::B1, false) => Step::Xor,
                _ => Step::Multiply,
            },
            volta,
        };
        // Whatever has been overlooked so far makes a difference here.
        (known && opcode::same(parts, &mma.opcode())).then_some(mma)
    }

    /// Every opcode that [`find`](Self::find) knows, each in the order of the PTX ISA.
    #[must_use]
    pub fn forms() -> Vec<String> {
        let mut forms = Vec::new();
        for family in Family::ALL {
            for (d, a, b) in family.types() {
                for &(m, k) in family.shapes {
                    let name = |before: &str, after: &str| {
                        name(["row", "col"], (m, k), before, [d, a, b, d], after)
                    };
                    match a {
                        Kind::B1 => forms.extend([name("", ".xor.popc"), name("", ".and.popc")]),
                        _ => forms.push(name("", "")),
                    }
                    if d == Kind::S32 && a != Kind::B1 {
                        forms.push(name(".satfinite", ""));
                    }
                }
            }
        }
        for layouts in volta::Layouts::ALL {
            for (d, c) in [
                (Kind::F16, Kind::F16),
                (Kind::F32, Kind::F16),
                (Kind::F32, Kind::F32),
            ] {
                let kinds = [d, Kind::F16, Kind::F16, c];
                forms.push(name(
                    layouts.names(),
                    (volta::ROWS, volta::K),
                    "",
                    kinds,
                    "",
                ));
            }
        }
        forms
    }

    fn opcode(&self) -> String {
        let layouts = self.volta.map_or(["row", "col"], volta::Layouts::names);
        let before = if self.saturate && self.d == Kind::S32 && self.a != Kind::B1 {
            ".satfinite"
        } else {
            ""
        };
        let after = match self.step {
            Step::And => ".and.popc",
            Step::Xor => ".xor.popc",
            Step::Multiply | Step::Fused => "",
        };
        let kinds = [self.d, self.a, self.b, self.c];
        name(layouts, (self.m, self.k), before, kinds, after)
    }

    /// Multiplications and additions it stands for.
    #[must_use]
    pub const fn flops(&self) -> u64 {
        // Volta's form is four products, one for each quarter of the warp.
        let products = if self.volta.is_some() {
            volta::MATRICES
        } else {
            1
        };
        (2 * products * self.m * COLUMNS * self.k) as u64
    }

    /// The registers of D.
    #[must_use]
    pub fn d(&self) -> Operand {
        self.operand(self.d, self.m, COLUMNS)
    }

    /// The registers of A.
    #[must_use]
    pub fn a(&self) -> Operand {
        self.operand(self.a, self.m, self.k)
    }

    /// The registers of B.
    #[must_use]
    pub fn b(&self) -> Operand {
        self.operand(self.b, COLUMNS, self.k)
    }

    /// The registers of C.
    #[must_use]
    pub fn c(&self) -> Operand {
        self.operand(self.c, self.m, COLUMNS)
    }

    /// The registers of each lane, when the lanes share a matrix evenly.
    fn operand(&self, kind: Kind, rows: usize, columns: usize) -> Operand {
        let matrices = if self.volta.is_some() {
            volta::MATRICES
        } else {
            1
        };
        let bits = kind.register_bits();
        Operand {
            count: matrices * rows * columns * kind.bits() / (32 * bits as usize),
            bits,
        }
    }

    /// Which element of A a lane holds; none for the `m8n8k4` of Volta, which is four products.
    #[must_use]
    pub fn fragment_a(&self) -> Option<Fragment> {
        self.volta.is_none().then(|| Fragment::a(self.m, self.a))
    }

    /// Which element of B a lane holds; none for the `m8n8k4` of Volta.
    #[must_use]
    pub fn fragment_b(&self) -> Option<Fragment> {
        self.volta.is_none().then(|| Fragment::b(self.b))
    }

    /// Which element of C and D a lane holds; none for the `m8n8k4` of Volta.
    #[must_use]
    pub fn fragment_d(&self) -> Option<Fragment> {
        self.volta.is_none().then(|| Fragment::accumulator(self.m))
    }

    /// Of what it computes, which elements depend on something that is not known: in `bits`, slot by
    /// slot as in the registers, bits are set where values are not known.
    pub fn spread_unknown(
        &self,
        bits: &mut Registers,
        d: &[Slot],
        a: &[Slot],
        b: &[Slot],
        c: &[Slot],
    ) {
        let fragments = (self.fragment_a(), self.fragment_b(), self.fragment_d());
        let (mut rows, mut columns) = ([false; 16], [false; 8]);
        if let (Some(of_a), Some(of_b), Some(_)) = fragments {
            each_unknown(bits, of_a, self.a(), self.a.packed(), a, |at| {
                rows[at.row % 16] = true
            });
            each_unknown(bits, of_b, self.b(), self.b.packed(), b, |at| {
                columns[at.column % 8] = true
            });
        } else {
            (rows, columns) = ([true; 16], [true; 8]);
        }
        let fragment = fragments.2.unwrap_or_else(|| Fragment::accumulator(self.m));
        let packed = if self.d().bits == 64 {
            1
        } else {
            self.d.packed()
        };
        let mut unknown = std::collections::HashSet::new();
        each_unknown(bits, fragment, self.c(), packed, c, |at| {
            unknown.insert(at);
        });
        let width = self.d().bits as usize / packed;
        for (number, &slot) in d.iter().enumerate() {
            let marks: Lanes64 = std::array::from_fn(|lane| {
                (0..packed).fold(0, |marks, part| {
                    let at = fragment.position(lane, number * packed + part);
                    let depends =
                        rows[at.row % 16] || columns[at.column % 8] || unknown.contains(&at);
                    let element = u64::MAX >> (64 - width) << (part * width);
                    marks | if depends { element } else { 0 }
                })
            });
            if self.d().bits == 64 {
                bits.set64(slot, FULL, marks);
            } else {
                #[allow(clippy::cast_possible_truncation)] // rows of 32 bits
                bits.set32(slot, FULL, marks.map(|marks| marks as u32));
            }
        }
    }

    /// Runs it for all 32 lanes. The slots are as many as the operands' counts; D may be C.
    pub fn run(&self, registers: &mut Registers, d: &[Slot], a: &[Slot], b: &[Slot], c: &[Slot]) {
        if let Some(layouts) = self.volta {
            return layouts.run(registers, (d, self.d), a, b, (c, self.c));
        }
        let k = self.k * self.a.bits() / self.a.piece_bits();
        let mut dense_a = [0.0; MOST_ROWS * MOST_K];
        let mut dense_b = [[0.0; COLUMNS]; MOST_K];
        let mut sums = [[0.0; COLUMNS]; MOST_ROWS];
        let dense_a = &mut dense_a[..self.m * k];
        let dense_b = &mut dense_b[..k];
        let sums: &mut [Line] = &mut sums[..self.m];
        let rows = Fragment::accumulator(self.m);

        gather(
            registers,
            a,
            (Fragment::a(self.m, self.a), self.a),
            dense_a,
            k,
        );
        let dense = dense_b.as_flattened_mut();
        gather(registers, b, (Fragment::b(self.b), self.b), dense, COLUMNS);
        gather(
            registers,
            c,
            (rows, self.c),
            sums.as_flattened_mut(),
            COLUMNS,
        );
        self.step.accumulate(dense_a, dense_b, sums);
        scatter(
            registers,
            d,
            (rows, self.d),
            sums.as_flattened(),
            self.saturate,
        );
    }
}

fn name(
    [row, col]: [&str; 2],
    (m, k): (usize, usize),
    before: &str,
    kinds: [Kind; 4],
    after: &str,
) -> String {
    let [d, a, b, c] = kinds.map(Kind::name);
    format!("mma.sync.aligned.m{m}n8k{k}.{row}.{col}{before}.{d}.{a}.{b}.{c}{after}")
}
/// Tells of each element of an operand that is not known.
fn each_unknown(
    bits: &Registers,
    fragment: Fragment,
    operand: Operand,
    packed: usize,
    slots: &[Slot],
    mut tell: impl FnMut(Position),
) {
    let width = operand.bits as usize / packed;
    for (number, &slot) in slots.iter().enumerate() {
        let marks = if operand.bits == 64 {
            bits.get64(slot)
        } else {
            bits.get32(slot).map(u64::from)
        };
        for (lane, marks) in marks
            .into_iter()
            .enumerate()
            .filter(|(_, marks)| *marks != 0)
        {
            for part in 0..packed {
                if marks >> (part * width) & (u64::MAX >> (64 - width)) != 0 {
                    tell(fragment.position(lane, number * packed + part));
                }
            }
        }
    }
}
