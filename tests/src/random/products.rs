//! Random products: loops around dots as users write them, in tiles that run on tensor cores, with what may stand
//! before, inside of and behind them.
//!
//! Inputs are small whole numbers, so that every sum is exact in whatever order it is computed, and results are
//! compared bit by bit. Sizes fit tiles, are multiples of a few elements, or are odd, so that every variant is run; there
//! are few multiprocessors, so that programs take turns.

use std::fmt::Write;

use super::Choices;
use super::run::Variants;
use super::written::{Written, indented};

/// What is multiplied, how sums are kept and stored, and what may be widened to it: weights of few bits.
const TYPES: &[(&str, &str, &[&str], &[&str])] = &[
    (
        "f16",
        "f32",
        &["f16", "f32"],
        &["i8", "u8", "f8e4m3", "f8e5m2"],
    ),
    ("bf16", "f32", &["bf16", "f32"], &["i8", "f8e4m3"]),
    ("f8e4m3", "f32", &["bf16", "f16", "f32"], &[]),
    ("f8e5m2", "f32", &["f16", "f32"], &[]),
    ("i8", "i32", &["i32", "f16"], &[]),
    ("f32", "f32", &["f32"], &["f16"]),
];

/// Most elements of the sums of a program.
const MOST_SUMS: i64 = 1 << 15;

/// Most bytes of a round's operands: they have to fit the smallest shared memory.
const MOST_BYTES: i64 = 48 << 10;

/// The largest number in an input: every type has all whole numbers up to it.
const LARGEST: i64 = 4;

/// How the loop over K is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Loop {
    Steps,
    Rounds,
    While,
    Halves,
    Nested,
    Branch,
    Break,
    Largest,
    /// None: the first block of K alone.
    Once,
    /// None: the first two blocks.
    Twice,
}

/// How a loop adds a product to its sum.
const SUMS: &[&str] = &[
    "acc = dot(x, RIGHT, acc)",
    "acc = dot(x, RIGHT, acc)",
    "acc = dot(x, RIGHT, acc)",
    "acc += dot(x, RIGHT)",
    "acc -= dot(x, RIGHT)",
];

const LOOPS: &[Loop] = &[
    Loop::Steps,
    Loop::Steps,
    Loop::Steps,
    Loop::Rounds,
    Loop::While,
    Loop::Halves,
    Loop::Nested,
    Loop::Branch,
    Loop::Break,
    Loop::Largest,
    Loop::Once,
    Loop::Twice,
];

/// A product being made.
struct Maker {
    choices: Choices,
    parameters: Vec<String>,
    call: Vec<String>,
    /// Names of sizes, and their values.
    sizes: [(&'static str, i64); 3],
    /// Whether tensors have a dimension of batches.
    is_batched: bool,
}

/// The product of a seed.
#[must_use]
pub fn product(seed: u64) -> Written {
    let mut choices = Choices::new(seed);
    let (multiplied, sums, stored, narrow) = choices.pick(TYPES);
    let [bm, bn, bk] = tile(&mut choices, multiplied);
    let multiple = choices.pick(&[1, 2, 4, 8, 16, 16]);
    let [m, n, k] = [(bm, 350), (bn, 350), (bk, 400)].map(|(tile, most)| {
        let any = choices.between(0, most);
        match choices.chance(25) {
            true => tile * choices.between(0, 3),
            false => (any + multiple - 1) / multiple * multiple,
        }
    });
    let is_batched = choices.chance(15);
    let maker = Maker {
        choices,
        parameters: Vec::new(),
        call: Vec::new(),
        sizes: [("m", m.max(1)), ("n", n.max(1)), ("k", k)],
        is_batched,
    };
    maker.make(seed, [bm, bn, bk], (multiplied, sums), stored, narrow)
}

fn tile(choices: &mut Choices, multiplied: &str) -> [i64; 3] {
    let bytes = match multiplied {
        "f32" => 4,
        "f16" | "bf16" => 2,
        _ => 1,
    };
    let bm = choices.pick(&[16, 32, 64, 64, 128, 128, 256]);
    let mut bn = choices.pick(&[16, 32, 64, 64, 128, 128, 192, 256]);
    while bm * bn > MOST_SUMS {
        bn /= 2;
    }
    let mut bk =
        choices.pick(&[32, 32, 64, 64, 128]) / if bytes == 2 { choices.pick(&[1, 2]) } else { 1 };
    while (bm + bn) * bk * bytes > MOST_BYTES {
        bk /= 2;
    }
    let mut sides = [bm, bn, bk];
    // A side of any size has padding, which tensor cores and threads compute with and nobody asks for.
    if choices.chance(25) {
        for side in &mut sides {
            if choices.chance(60) {
                *side = choices.between(3, 100);
            }
        }
    }
    let fits =
        |[bm, bn, bk]: [i64; 3]| bm * bn <= MOST_SUMS && (bm + bn) * bk * bytes <= MOST_BYTES;
    while !fits(sides) {
        sides = sides.map(|side| (side / 2).max(1));
    }
    sides
}

impl Maker {
    /// Declares a tensor with an argument of small whole numbers, or zeros if it is written.
    fn tensor(&mut self, name: &str, of: &str, dimensions: [&'static str; 2], is_output: bool) {
        let value = |of: &str| {
            let found = self.sizes.iter().find(|(name, _)| *name == of);
            found.map_or(0, |(_, value)| *value)
        };
        let [rows, columns] = dimensions.map(value);
        let (batches, batch) = match self.is_batched {
            true => ("2,", "batches, "),
            false => ("", ""),
        };
        let [first, second] = dimensions;
        // Strides are free only where rows and columns are all there is.
        let is_turned = !self.is_batched && !is_output && self.choices.chance(10);
        let strides = if is_turned { " strides(_, _)" } else { "" };
        let mutable = if is_output { "mut " } else { "" };
        self.parameters.push(format!(
            "{name}: {mutable}tensor<{of}>[{batch}{first}, {second}]{strides}"
        ));
        let lowest = if of.starts_with('u') { 0 } else { -LARGEST };
        self.call.push(match (is_output, is_turned) {
            (true, _) => format!("{name}=zeros({batches}{rows},{columns})"),
            (false, true) => {
                format!("{name}=randint({lowest},{LARGEST};{columns},{rows}).T")
            }
            (false, false) => {
                format!("{name}=randint({lowest},{LARGEST};{batches}{rows},{columns})")
            }
        });
    }

    /// A vector along a dimension.
    fn vector(&mut self, name: &str, of: &str, dimension: usize) {
        let (size, value) = self.sizes[dimension];
        self.parameters
            .push(format!("{name}: tensor<{of}>[{size}]"));
        self.call
            .push(format!("{name}=randint(-{LARGEST},{LARGEST};{value})"));
    }

    fn make(
        mut self,
        seed: u64,
        [bm, bn, bk]: [i64; 3],
        (multiplied, sums): (&str, &str),
        stored: &[&'static str],
        narrow: &[&'static str],
    ) -> Written {
        let batch = if self.is_batched {
            "program_id(2), "
        } else {
            ""
        };
        // Either operand may be widened.
        let widened = match !narrow.is_empty() && self.choices.chance(25) {
            true => Some((self.choices.below(2), self.choices.pick(narrow))),
            false => None,
        };
        let of = |side| {
            widened
                .filter(|(wide, _)| *wide == side)
                .map_or(multiplied, |(_, of)| of)
        };
        let cast = |side, text: String| match of(side) == multiplied {
            true => text,
            false => format!("({text} as {multiplied})"),
        };
        let mut left = match self.choices.chance(30) {
            true => {
                self.tensor("a", of(0), ["k", "m"], false);
                format!("load(a[{batch}K0 +: BK, i +: BM]).T")
            }
            false => {
                self.tensor("a", of(0), ["m", "k"], false);
                format!("load(a[{batch}i +: BM, K0 +: BK])")
            }
        };
        let mut right = match self.choices.chance(50) {
            true => {
                self.tensor("b", of(1), ["n", "k"], false);
                format!("load(b[{batch}j +: BN, K0 +: BK]).T")
            }
            false => {
                self.tensor("b", of(1), ["k", "n"], false);
                format!("load(b[{batch}K0 +: BK, j +: BN])")
            }
        };
        (left, right) = (cast(0, left), cast(1, right));
        if matches!(multiplied, "f16" | "bf16" | "f32") {
            match self.choices.below(12) {
                0 => left = format!("max({left}, 0.0 as {multiplied})"),
                1 => left = format!("({left} * (2.0 as {multiplied}))"),
                2 => right = format!("({right} + (1.0 as {multiplied}))"),
                3 => {
                    self.vector("scale", multiplied, 2);
                    left = format!("({left} * load(scale[K0 +: BK])[None, :])");
                }
                _ => {}
            }
        }
        let is_double = bm * bn <= MOST_SUMS / 2 && self.choices.chance(15);
        if is_double {
            self.tensor("g", multiplied, ["k", "n"], false);
        }
        let mut way = self.choices.pick(SUMS).to_owned();
        // The same products of the same numbers.
        if sums == "f32" && multiplied != "f32" && self.choices.chance(15) {
            way = way.replace("dot(x, RIGHT", "dot(x as f32, (RIGHT) as f32");
        }
        let round = |at: &str| {
            let [left, right] = [&left, &right].map(|text| text.replace("K0", at));
            let sum = way.replace("RIGHT", &right);
            let mut text = format!("let x = {left};\n{sum};\n");
            if is_double {
                text += &format!("more = dot(x, load(g[{batch}{at} +: BK, j +: BN]), more);\n");
            }
            text
        };
        let (zero, one) = if sums == "f32" {
            ("0.0", "1.5")
        } else {
            ("0", "3")
        };
        let first = if self.choices.chance(20) { one } else { zero };
        let mut body = format!("let mut acc = full([BM, BN], {first}, {sums});\n");
        if is_double {
            body += &format!("let mut more = zeros([BM, BN], {sums});\n");
        }
        let form = self.choices.pick(LOOPS);
        body += &match form {
            Loop::Steps => format!("for k0 in range(0, k, BK) {{\n{}}}\n", round("k0")),
            Loop::Once => round("0"),
            Loop::Twice => round("0") + &round("BK"),
            Loop::Rounds => format!("for t in range(cdiv(k, BK)) {{\n{}}}\n", round("(t * BK)")),
            Loop::While => format!(
                "let mut at = 0;\nwhile at < k {{\n{}at = at + BK;\n}}\n",
                round("at")
            ),
            Loop::Halves => format!(
                "let half = cdiv(k, 2 * BK) * BK;\nfor k0 in range(0, half, BK) {{\n{0}}}\n\
                 for k0 in range(half, k, BK) {{\n{0}}}\n",
                round("k0")
            ),
            Loop::Nested => format!(
                "for h in range(2) {{\nfor k0 in range(h * BK, k, 2 * BK) {{\n{}}}\n}}\n",
                round("k0")
            ),
            Loop::Branch => format!(
                "for k0 in range(0, k, BK) {{\nif k0 % (2 * BK) == 0 {{\n{}}}\n}}\n",
                round("k0")
            ),
            Loop::Break => format!(
                "for k0 in range(0, k, BK) {{\nif k0 > 3 * BK {{ break; }}\n{}}}\n",
                round("k0")
            ),
            Loop::Largest => format!(
                "let mut best = full([BM], {zero}, {sums});\nfor k0 in range(0, k, BK) {{\n{}\
                 best = max(best, max(acc, axis = 1));\n}}\n",
                round("k0")
            ),
        };
        let mut result = match (is_double, form) {
            (true, _) => self
                .choices
                .pick(&["(acc + more)", "(acc - more)", "max(acc, more)"]),
            (false, Loop::Largest) => "(acc - best[:, None])",
            (false, _) => "acc",
        }
        .to_owned();
        match self.choices.below(7) {
            0 => {
                self.vector("bias", sums, 1);
                result = format!("({result} + load(bias[j +: BN])[None, :])");
            }
            1 => {
                self.vector("rows", sums, 0);
                result = format!("({result} * load(rows[i +: BM])[:, None])");
            }
            2 => {
                let of = self.choices.pick(stored);
                self.tensor("r", of, ["m", "n"], false);
                result = format!("({result} + (load(r[{batch}i +: BM, j +: BN]) as {sums}))");
            }
            _ => {}
        }
        if self.choices.chance(20) {
            result = format!("max({result}, {zero})");
        }
        let of = self.choices.pick(stored);
        body += &format!("let result = {result};\n");
        match self.choices.below(8) {
            0 => {
                self.tensor("y", of, ["n", "m"], true);
                body += &format!("store(y[{batch}j +: BN, i +: BM], (result as {of}).T);\n");
            }
            1 => {
                self.tensor("y", of, ["m", "n"], true);
                self.tensor("y_sums", sums, ["m", "n"], true);
                body += &format!(
                    "store(y[{batch}i +: BM, j +: BN], result as {of});\nstore(y_sums[{batch}i +: BM, j +: BN], result);\n"
                );
            }
            _ => {
                self.tensor("y", of, ["m", "n"], true);
                body += &format!("store(y[{batch}i +: BM, j +: BN], result as {of});\n");
            }
        }
        self.finish(seed, &body, [bm, bn, bk])
    }

    /// The kernel around its body: a program for each tile, or a few for all.
    fn finish(mut self, seed: u64, body: &str, [bm, bn, bk]: [i64; 3]) -> Written {
        let name = format!("product_{seed}");
        let mut text = String::new();
        let mut attribute = |choices: &mut Choices, percent, name: &str, values: &[i64]| {
            if choices.chance(percent) {
                let value = choices.pick(values);
                let _ = writeln!(text, "#[{name}({value})]");
            }
        };
        attribute(&mut self.choices, 15, "split", &[0, 2, 4, 8]);
        attribute(&mut self.choices, 10, "stages", &[1, 2, 3]);
        attribute(&mut self.choices, 10, "warps", &[8, 12, 16]);
        let _ = writeln!(
            text,
            "kernel {name}<const BM: i32 = {bm}, const BN: i32 = {bn}, const BK: i32 = {bk}>("
        );
        for parameter in &self.parameters {
            let _ = writeln!(text, "{parameter},");
        }
        if !self.is_batched && self.choices.chance(20) {
            let programs = self.choices.pick(&[1, 2, 3, 5]);
            let _ = write!(
                text,
                ") grid({programs}) {{\nlet across = cdiv(n, BN);\n\
                 for tile in range(program_id(0), cdiv(m, BM) * across, num_programs(0)) {{\n\
                 let i = tile / across * BM;\nlet j = tile % across * BN;\n{body}}}\n}}\n"
            );
        } else {
            let batches = if self.is_batched { ", batches" } else { "" };
            let (grid, [i, j]) = match self.choices.chance(30) {
                true => ("cdiv(n, BN), cdiv(m, BM)", [1, 0]),
                false => ("cdiv(m, BM), cdiv(n, BN)", [0, 1]),
            };
            let _ = write!(
                text,
                ") grid({grid}{batches}) {{\nlet i = program_id({i}) * BM;\nlet j = program_id({j}) * BN;\n{body}}}\n"
            );
        }
        Written {
            name,
            text: indented(&text),
            call: self.call,
            target: self.choices.pick(&[
                "sm_90a", "sm_90a", "sm_90a", "sm_80", "sm_89", "sm_100a", "sm_120",
            ]),
            multiprocessors: self.choices.pick(&[1, 2, 3, 4, 7, 132]),
            // Whether empty tensors can be copied by TMA, which they cannot, is known when a variant is compiled.
            variants: match self.sizes.iter().any(|(_, size)| *size == 0) {
                true => Variants::All,
                false => Variants::Called,
            },
        }
    }
}
