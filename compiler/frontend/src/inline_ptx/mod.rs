//! `asm("…", …)`: PTX written by hand, done for each element.
//!
//! ```text
//! asm("mul.hi.s32 $0, $1, $2;", x, y, type = i32)
//! ```
//!
//! `$0`, `$1`, … are the results, then the arguments; `$$` is a plain `$`. The text stands in a scope of
//! its own (`{ … }`), so it may declare registers and labels. Each operand is a register, of a kind that
//! follows from its type ([`Register`]); an argument is only read. With `pack = 2` or `4` a register of 32
//! bits holds as many neighbouring elements, the first in the lowest bits.
//!
//! The text is read by the simulator's parser while the program is checked ([`check`]), and the
//! interpreter, which knows nothing of PTX, lets the simulator do it ([`Runner`]): both put it into a
//! small kernel ([`kernel`]). In a compiled kernel it is an inline assembly of LLVM with the same numbers.

use tile_runtime::element::ElementType;

mod check;
mod kernel;
mod run;

pub use check::{Mistake, check};
pub use run::Runner;

/// Inline PTX with its operands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InlinePtx {
    /// As in the program.
    pub text: String,
    /// The types of the results.
    pub results: Vec<ElementType>,
    /// The types of the arguments.
    pub arguments: Vec<ElementType>,
    /// Elements in one register.
    pub pack: u32,
    /// Whether it does more than to compute its results: it stays where it is and is done once per
    /// element, also if nobody uses the results.
    pub effects: bool,
}

/// The kind of register that an operand is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Register {
    /// A predicate: `i1`.
    Predicate,
    /// 16 bits: `i16`, `u16`, `f16`, `bf16`, and fp8 in the lower half.
    Half,
    /// 32 bits: `i32`, `u32`; `i8` and `u8`, extended by the sign or zeros; what is packed.
    Word,
    /// 32 bits: `f32`.
    Float,
    /// 64 bits: `i64`, `u64`.
    Long,
    /// 64 bits: `f64`.
    Double,
}

impl Register {
    /// For elements of a type.
    #[must_use]
    pub const fn of(element: ElementType, pack: u32) -> Self {
        match element {
            _ if pack > 1 => Self::Word,
            ElementType::I1 => Self::Predicate,
            ElementType::I8 | ElementType::U8 | ElementType::I32 | ElementType::U32 => Self::Word,
            ElementType::F32 => Self::Float,
            ElementType::I64 | ElementType::U64 => Self::Long,
            ElementType::F64 => Self::Double,
            _ => Self::Half,
        }
    }

    /// LLVM's letter for it in constraints.
    #[must_use]
    pub const fn letter(self) -> &'static str {
        match self {
            Self::Predicate => "b",
            Self::Half => "h",
            Self::Word => "r",
            Self::Float => "f",
            Self::Long => "l",
            Self::Double => "d",
        }
    }

    /// Its type in PTX.
    const fn ptx(self) -> &'static str {
        match self {
            Self::Predicate => "pred",
            Self::Half => "b16",
            Self::Word | Self::Float => "b32",
            Self::Long | Self::Double => "b64",
        }
    }
}

/// Elements of fewer bits in one register of 32.
#[must_use]
pub const fn fits(element: ElementType, pack: u32) -> bool {
    pack == 1 || !matches!(element, ElementType::I1) && element.bits() * pack <= 32
}

/// A piece of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece<'a> {
    Text(&'a str),
    /// `$3`
    Operand(usize),
    /// A `$` that is followed by neither a digit nor a `$`.
    Stray,
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('$') {
        pieces.push(Piece::Text(&rest[..start]));
        let after = &rest[start + 1..];
        let digits = after
            .find(|letter: char| !letter.is_ascii_digit())
            .unwrap_or(after.len());
        if let Some(after) = after.strip_prefix('$') {
            pieces.push(Piece::Text("$"));
            rest = after;
        } else if digits > 0 {
            let number = after[..digits].parse().unwrap_or(usize::MAX);
            pieces.push(Piece::Operand(number));
            rest = &after[digits..];
        } else {
            pieces.push(Piece::Stray);
            rest = after;
        }
    }
    pieces.push(Piece::Text(rest));
    pieces
}

impl InlinePtx {
    /// The registers of results and arguments, in order of their numbers.
    #[must_use]
    pub fn registers(&self) -> Vec<Register> {
        let elements = self.results.iter().chain(&self.arguments);
        elements
            .map(|element| Register::of(*element, self.pack))
            .collect()
    }

    /// The text with each operand spelled by `name`.
    #[must_use]
    pub fn with_operands(&self, name: impl Fn(usize) -> String) -> String {
        let pieces = pieces(&self.text).into_iter();
        pieces
            .map(|piece| match piece {
                Piece::Text(text) => text.to_owned(),
                Piece::Operand(number) => name(number),
                Piece::Stray => "$".to_owned(),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ElementType as E;

    fn ptx(text: &str, results: &[E], arguments: &[E]) -> InlinePtx {
        InlinePtx {
            text: text.to_owned(),
            results: results.to_vec(),
            arguments: arguments.to_vec(),
            pack: 1,
            effects: false,
        }
    }

    #[test]
    fn operands_are_numbers_behind_a_dollar() {
        let asm = ptx("add $0, $12, $$L$1;", &[E::I32], &[E::I32]);
        let text = asm.with_operands(|number| format!("<{number}>"));
        assert_eq!(text, "add <0>, <12>, $L<1>;");
    }

    #[track_caller]
    fn says(asm: &InlinePtx, expected: &str) {
        let mistake = check(asm).expect_err("it is wrong");
        assert!(
            mistake.message.contains(expected),
            "{expected:?} is not in {mistake:?}"
        );
    }

    #[test]
    fn right_text_passes() {
        let good = [
            ptx("add.s32 $0, $1, $2;", &[E::I32], &[E::I32, E::I32]),
            ptx(
                "{ .reg .b32 t; add.s32 t, $1, 1; mov.b32 $0, t; }",
                &[E::I32],
                &[E::I32],
            ),
            ptx(
                ".reg .pred p;\nsetp.gt.f32 p, $2, 0f00000000;\n@p bra over;\nmov.b32 $0, 1;\nover: @p mov.b32 $0, 2; cvt.s64.s32 $1, $0;",
                &[E::I32, E::I64],
                &[E::F32],
            ),
            ptx(
                "selp.f32 $0, $2, 0f00000000, $1;",
                &[E::F32],
                &[E::I1, E::F32],
            ),
            ptx("mov.u32 $0, %smid;", &[E::I32], &[]),
        ];
        for asm in good {
            check(&asm).expect(&asm.text);
        }
    }

    #[test]
    fn wrong_text_is_explained() {
        let one = |text: &str| ptx(text, &[E::I32], &[E::I32]);
        says(&one("add.s32 $0, $1, $2;"), "there is no operand `$2`");
        says(&one("add.s32 $0, $x;"), "`$` is followed by the number");
        says(&one("add.s32 $0, $1 1;"), "expected `,` or `;`, found `1`");
        says(&one("ad.s32 $0, $1, 1;"), "`ad` is no instruction");
        says(
            &one("add.q32 $0, $1, 1;"),
            "this form of `add` is not known here",
        );
        says(&one("mov.b32 $0, t;"), "`t`");
        says(
            &one("add.s32 $1, $1, 1; mov.b32 $0, $1;"),
            "writes to the argument `$1`",
        );
        says(&one("mov.b32 $0, $1; ret;"), "`ret` leaves the kernel");
        says(
            &one("shfl.sync.idx.b32 $0, $1, 0, 31, -1;"),
            "`shfl` is about more than one thread",
        );
        says(&one("{ mov.b32 $0, $1;"), "opened");
        says(
            &one("mov.b32 $0, $1; }"),
            "closes what the text did not open",
        );
        says(
            &one("mov.b32 $0, $1; } {"),
            "closes what the text did not open",
        );
        let unset = ptx("mov.b32 $0, 1;", &[E::I32, E::I32], &[]);
        says(&unset, "nothing writes to the result `$1`");
    }

    #[test]
    fn mistakes_name_operands_and_lines_as_written() {
        let mistake = check(&ptx(
            "mov.b32 $0, $1;\nad.s32 $0, $1;",
            &[E::I32],
            &[E::I32],
        ));
        let mistake = mistake.expect_err("it is wrong");
        assert_eq!(mistake.line, 2);
        assert_eq!(mistake.text, "ad.s32 $0, $1;");
    }

    fn run(asm: &InlinePtx, arguments: &[&[u64]], count: usize) -> Vec<Vec<u64>> {
        let mut runner = Runner::default();
        let first = runner.run(asm, arguments, count).expect("it runs");
        assert_eq!(runner.run(asm, arguments, count).as_ref(), Ok(&first));
        first
    }

    #[test]
    fn every_element_is_computed() {
        let asm = ptx("mad.lo.s32 $0, $1, $1, 1;", &[E::I32], &[E::I32]);
        let values: Vec<u64> = (0..300).collect();
        let expected: Vec<u64> = values.iter().map(|value| value * value + 1).collect();
        assert_eq!(run(&asm, &[&values], 300), [expected]);
    }

    #[test]
    fn narrow_elements_travel_in_wider_registers() {
        let signed = ptx("add.s32 $0, $1, 0;", &[E::I32], &[E::I8]);
        assert_eq!(run(&signed, &[&[0xff]], 1), [[0xffff_ffff]]);
        let unsigned = ptx("add.s32 $0, $1, 0;", &[E::I32], &[E::U8]);
        assert_eq!(run(&unsigned, &[&[0xff]], 1), [[0xff]]);
        let narrow = ptx("add.s32 $0, $1, 1;", &[E::I8], &[E::I8]);
        assert_eq!(run(&narrow, &[&[0xff]], 1), [[0]]);
        let half = ptx("neg.f16 $0, $1;", &[E::F16], &[E::F16]);
        assert_eq!(run(&half, &[&[0x3c00]], 1), [[0xbc00]]);
        let truth = ptx("not.pred $0, $1;", &[E::I1], &[E::I1]);
        assert_eq!(run(&truth, &[&[0, 1]], 2), [[1, 0]]);
        let double = ptx("add.f64 $0, $1, $1;", &[E::F64], &[E::F64]);
        let (one, two) = (1f64.to_bits(), 2f64.to_bits());
        assert_eq!(run(&double, &[&[one]], 1), [[two]]);
    }

    #[test]
    fn packed_elements_share_a_register() {
        let mut asm = ptx("add.rn.f16x2 $0, $1, $1;", &[E::F16], &[E::F16]);
        asm.pack = 2;
        check(&asm).expect("it is right");
        assert_eq!(
            run(&asm, &[&[0x3c00, 0x4000, 0x0000]], 3),
            [[0x4000, 0x4400, 0x0000]]
        );
        let mut bytes = ptx("prmt.b32 $0, $1, 0, 0x0123;", &[E::U8], &[E::U8]);
        bytes.pack = 4;
        assert_eq!(run(&bytes, &[&[1, 2, 3, 4]], 4), [[4, 3, 2, 1]]);
    }

    #[test]
    fn what_goes_wrong_while_it_runs_is_said() {
        let mut asm = ptx("ld.global.b32 $0, [$1];", &[E::I32], &[E::I64]);
        says(&asm, "say `pure = false`");
        asm.effects = true;
        check(&asm).expect("it is right");
        let problem = Runner::default().run(&asm, &[&[16]], 1);
        assert!(problem.is_err(), "{problem:?}");
    }
}
