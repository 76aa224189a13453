//! Random products with an operand that the loop unpacks: codes of few bits in bytes or words, numbers of a table, scales of rows,
//! of groups and along K, on either side.
//!
//! Inputs are small whole numbers, so that every sum is exact in whatever order it is computed, and results are compared bit
//! by bit.

use std::fmt::Write;

use super::Choices;
use super::run::Variants;
use super::written::{Written, indented};

/// The largest number in an input that is not packed.
const LARGEST: i64 = 4;

/// How codes lie in memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Codes {
    /// Two of four bits in a byte, neighbours along K.
    Bytes,
    /// One of each of two tensors in turn.
    Apart,
    /// So many along K in 32 bits.
    Words(i64),
    /// A byte for each.
    Whole,
}

const CODES: &[Codes] = &[
    Codes::Bytes,
    Codes::Bytes,
    Codes::Apart,
    Codes::Words(8),
    Codes::Words(8),
    Codes::Words(16),
    Codes::Words(4),
    Codes::Whole,
];

struct Maker {
    choices: Choices,
    parameters: Vec<String>,
    call: Vec<String>,
    /// Declarations in front of the loop.
    before: String,
    /// The element type of the product.
    of: &'static str,
    /// The dimension that the packed operand has besides K, and where a program's part of it begins.
    side: (&'static str, &'static str, &'static str),
    /// Whether K is the first dimension of the packed tensor.
    is_turned: bool,
}

/// The product of a seed.
#[must_use]
pub fn packed(seed: u64) -> Written {
    let mut choices = Choices::new(seed);
    let of = choices.pick(&["f16", "bf16"]);
    let [bm, bn] = [(); 2].map(|()| choices.pick(&[16, 64, 64, 64, 128, 128]));
    let bk = choices.pick(&[32, 64, 64, 128]);
    let multiple = choices.pick(&[1, 2, 8, 16, 64]);
    let mut size = |most: i64| {
        let any = choices.between(1, most);
        (any + multiple - 1) / multiple * multiple
    };
    let [m, n] = [size(200), size(200)];
    // Whole words of every kind.
    let k = (size(300) + 15) / 16 * 16;
    let side = match choices.chance(60) {
        true => ("n", "j", "BN"),
        false => ("m", "i", "BM"),
    };
    let maker = Maker {
        is_turned: choices.chance(40),
        choices,
        parameters: Vec::new(),
        call: Vec::new(),
        before: String::new(),
        of,
        side,
    };
    maker.make(seed, [bm, bn, bk], [m, n, k])
}

impl Maker {
    /// Declares a tensor of whole numbers from `low` to below `high`, or of zeros if it is written.
    fn tensor(&mut self, name: &str, of: &str, sizes: &str, values: &str, range: Option<[i64; 2]>) {
        let mutable = if range.is_none() { "mut " } else { "" };
        self.parameters
            .push(format!("{name}: {mutable}tensor<{of}>[{sizes}]"));
        self.call.push(match range {
            None => format!("{name}=zeros({values})"),
            Some([low, high]) => format!("{name}=randint({low},{high};{values})"),
        });
    }

    /// A tensor that is packed along K, as `[side, K]` or `[K, side]`, and the load of a part of it.
    fn packed_tensor(
        &mut self,
        name: &str,
        of: &str,
        [rows, k, width]: [i64; 3],
        high: [i64; 2],
    ) -> String {
        let (size, start, tile) = self.side;
        let columns = format!("{name}_k");
        let at = format!("AT / PER +: {width}");
        match self.is_turned {
            true => {
                self.tensor(
                    name,
                    of,
                    &format!("{columns}, {size}"),
                    &format!("{k},{rows}"),
                    Some(high),
                );
                format!("load({name}[{at}, {start} +: {tile}])")
            }
            false => {
                self.tensor(
                    name,
                    of,
                    &format!("{size}, {columns}"),
                    &format!("{rows},{k}"),
                    Some(high),
                );
                format!("load({name}[{start} +: {tile}, {at}])")
            }
        }
    }

    /// The codes as a tile along K and the side, as the tensor lies; statements before it, and the largest code.
    fn codes(&mut self, rows: i64, [k, bk]: [i64; 2]) -> (String, String, i64) {
        let mut codes = self.choices.pick(CODES);
        // `interleave` is along the last dimension.
        if self.is_turned && matches!(codes, Codes::Bytes | Codes::Apart) {
            codes = Codes::Words(8);
        }
        match codes {
            Codes::Bytes => {
                let load = self.packed_tensor("p", "u8", [rows, k / 2, bk / 2], [0, 256]);
                let text = format!("let pair = {};\n", load.replace("PER", "2"));
                let halves = self
                    .choices
                    .pick(&["(pair & 15), (pair >> 4)", "(pair >> 4), (pair & 15)"]);
                (text, format!("interleave({halves})"), 15)
            }
            Codes::Apart => {
                let [a, b] = ["p", "q"]
                    .map(|name| self.packed_tensor(name, "u8", [rows, k / 2, bk / 2], [0, 16]));
                let text = format!(
                    "let (even, odd) = ({}, {});\n",
                    a.replace("PER", "2"),
                    b.replace("PER", "2")
                );
                (text, "interleave(even, odd)".to_owned(), 15)
            }
            Codes::Words(count) => {
                let load = self.packed_tensor(
                    "p",
                    "i32",
                    [rows, k / count, bk / count],
                    [i64::from(i32::MIN), i64::from(i32::MAX)],
                );
                let bits = 32 / count;
                let mask = (1 << bits.min(4)) - 1;
                let (_, _, tile) = self.side;
                let (word, shift, shape) = match self.is_turned {
                    true => (
                        "word[:, None, :]",
                        "[None, :, None]",
                        format!("[{bk}, {tile}]"),
                    ),
                    false => (
                        "word[:, :, None]",
                        "[None, None, :]",
                        format!("[{tile}, {bk}]"),
                    ),
                };
                // The same by quotients of positions, of which `count` are one.
                if self.choices.below(3) == 0 {
                    let range = format!("AT / PER +: {}", bk / count);
                    let divided = self.choices.pick(&[
                        "(AT + arange(0, BK)) / PER",
                        "AT / PER + arange(0, BK) / PER",
                    ]);
                    let load = load.replace(&range, divided).replace("BK", &bk.to_string());
                    let text = format!("let word = {};\n", load.replace("PER", &count.to_string()));
                    let axes = if self.is_turned {
                        "[:, None]"
                    } else {
                        "[None, :]"
                    };
                    let shift = format!("(arange(0, {bk}) % {count} * {bits}){axes}");
                    return (text, format!("((word >> {shift} & {mask}) as u8)"), mask);
                }
                let text = format!(
                    "let word = {};\nlet shift = {bits} * arange(0, {count});\n",
                    load.replace("PER", &count.to_string())
                );
                let code = format!("(reshape(({word} >> shift{shift}) & {mask}, {shape}) as u8)");
                (text, code, mask)
            }
            Codes::Whole => {
                let load = self.packed_tensor("p", "u8", [rows, k, bk], [0, 16]);
                let text = format!("let code = {};\n", load.replace("PER", "1"));
                (text, "code".to_owned(), 15)
            }
        }
    }

    /// What is made of codes: numbers of the product's type, at most 32 or so.
    fn numbers(&mut self, code: String, most: i64) -> String {
        let of = self.of;
        match self.choices.below(5) {
            0 => {
                self.tensor("table", of, "16", "16", Some([-LARGEST, LARGEST]));
                format!("load(table[{code}])")
            }
            1 => {
                // Some codes have no number.
                self.tensor("table", of, "known", "11", Some([-LARGEST, LARGEST]));
                format!("load(table[{code}])")
            }
            2 => format!("({code} as i8 as {of})"),
            _ => {
                let least = self.choices.pick(&[8, most, 1, -3]);
                format!("((({code}) as i8 - {least}) as {of})")
            }
        }
    }

    /// The numbers with a scale, if they get one: of rows, of groups, or along K.
    fn scaled(&mut self, mut text: String, rows: i64, [k, bk]: [i64; 2]) -> (String, String) {
        let (of, (size, start, tile)) = (self.of, self.side);
        let along = |name: &str| match self.is_turned {
            true => format!("{name}[None, :]"),
            false => format!("{name}[:, None]"),
        };
        let mut inside = String::new();
        let few = Some([0, 3]);
        match self.choices.below(6) {
            0 => {
                self.before += &format!("let scale = load(scales[{start} +: {tile}]);\n");
                text = format!("({text} * {})", along("scale"));
                self.tensor("scales", of, size, &rows.to_string(), few);
            }
            1 => {
                inside += &format!("let scale = load(scales[AT / {bk}, {start} +: {tile}]);\n");
                text = format!("({text} * {})", along("scale"));
                let groups = (k + bk - 1) / bk;
                self.tensor(
                    "scales",
                    of,
                    &format!("groups, {size}"),
                    &format!("{groups},{rows}"),
                    few,
                );
            }
            2 if !self.is_turned => {
                // A group for each 16 along K.
                inside += &format!(
                    "let scale = load(scales[{start} +: {tile}, AT / 16 +: {}]);\n",
                    bk / 16
                );
                inside += &format!(
                    "let scale = reshape(scale[:, :, None] + zeros([1, 1, 16], {of}), [{tile}, {bk}]);\n"
                );
                text = format!("({text} * scale)");
                self.tensor(
                    "scales",
                    of,
                    &format!("{size}, groups"),
                    &format!("{rows},{}", (k + 15) / 16),
                    few,
                );
            }
            3 => {
                inside += &format!("let scale = load(scales[AT +: {bk}]);\n");
                let across = match self.is_turned {
                    true => "scale[:, None]",
                    false => "scale[None, :]",
                };
                text = format!("({text} * {across})");
                self.tensor("scales", of, "k", &k.to_string(), few);
            }
            4 => text = format!("max({text}, 0.0 as {of})"),
            _ => {}
        }
        (inside, text)
    }

    /// The numbers in other places, or with what is computed of their rows: each of these keeps the shape, and whole numbers small.
    fn moved(&mut self, mut text: String, bk: i64) -> String {
        let (_, _, tile) = self.side;
        let of = self.of;
        // The last dimension, and which one K is.
        let (last, shape, along_k) = match self.is_turned {
            true => (tile.to_owned(), format!("[{bk}, {tile}]"), 0),
            false => (bk.to_string(), format!("[{tile}, {bk}]"), 1),
        };
        for _ in 0..self.choices.pick(&[0, 0, 1, 1, 2]) {
            text = match self.choices.below(10) {
                0 => format!("reshape(reshape({text}, [-1, 4, {last} / 2]), {shape})"),
                1 => format!(
                    "reshape(permute(reshape({text}, [-1, {last} / 2, 2]), [0, 2, 1]), {shape})"
                ),
                2 => format!(
                    "reshape(permute(reshape({text}, [2, -1, {last}]), [1, 0, 2]), {shape})"
                ),
                3 => {
                    let axis = self.choices.below(2);
                    format!("flip({text}, axis = {axis})")
                }
                4 => {
                    let axis = self.choices.below(2);
                    format!(
                        "maximum({text}, max({text}, axis = {axis}, keep = true) - 2.0 as {of})"
                    )
                }
                5 => format!(
                    "where(arange(0, {bk}){} % 3 != 0, {text}, 0.0 as {of})",
                    match along_k {
                        0 => "[:, None]",
                        _ => "[None, :]",
                    }
                ),
                6 => format!(
                    "{{ let (a, b) = split(reshape({text}, [-1, {last} / 2, 2])); interleave(b, a) }}"
                ),
                7 => format!("{text}.T.T"),
                8 => format!(
                    "cat({{ {text} }}[:, 0 +: {last} / 2], ({text})[:, {last} / 2 +: {last} / 2], axis = 1)"
                ),
                _ => format!("minimum({text}, 5.0 as {of})"),
            };
        }
        text
    }

    fn make(mut self, seed: u64, [bm, bn, bk]: [i64; 3], [m, n, k]: [i64; 3]) -> Written {
        let of = self.of;
        let is_right = self.side.0 == "n";
        let rows = if is_right { n } else { m };
        let (unpack, code, most) = self.codes(rows, [k, bk]);
        let numbers = self.numbers(code, most);
        let numbers = self.moved(numbers, bk);
        let (scale, numbers) = self.scaled(numbers, rows, [k, bk]);
        let plain = match (is_right, self.choices.chance(40)) {
            (true, true) => {
                self.tensor(
                    "x",
                    of,
                    "k, m",
                    &format!("{k},{m}"),
                    Some([-LARGEST, LARGEST]),
                );
                "load(x[AT +: BK, i +: BM]).T"
            }
            (true, false) => {
                self.tensor(
                    "x",
                    of,
                    "m, k",
                    &format!("{m},{k}"),
                    Some([-LARGEST, LARGEST]),
                );
                "load(x[i +: BM, AT +: BK])"
            }
            (false, true) => {
                self.tensor(
                    "x",
                    of,
                    "n, k",
                    &format!("{n},{k}"),
                    Some([-LARGEST, LARGEST]),
                );
                "load(x[j +: BN, AT +: BK]).T"
            }
            (false, false) => {
                self.tensor(
                    "x",
                    of,
                    "k, n",
                    &format!("{k},{n}"),
                    Some([-LARGEST, LARGEST]),
                );
                "load(x[AT +: BK, j +: BN])"
            }
        };
        // Left operands are rows by K, right ones K by columns.
        let turn = if is_right == self.is_turned { "" } else { ".T" };
        let product = match is_right {
            true => format!("acc = dot({plain}, weights{turn}, acc);\n"),
            false => format!("acc = dot(weights{turn}, {plain}, acc);\n"),
        };
        let round = format!("{unpack}{scale}let weights = {numbers};\n{product}");
        let at = |name: &str| round.replace("AT", name);
        let mut body = self.before.clone();
        body += "let mut acc = zeros([BM, BN], f32);\n";
        body += &match self.choices.below(5) {
            0 => format!(
                "let half = cdiv(k, 2 * BK) * BK;\nfor k0 in range(0, half, BK) {{\n{0}}}\nfor k0 in range(half, k, BK) {{\n{0}}}\n",
                at("k0")
            ),
            1 => format!(
                "for t in range(cdiv(k, BK)) {{\nlet k0 = t * BK;\n{}}}\n",
                at("k0")
            ),
            _ => format!("for k0 in range(0, k, BK) {{\n{}}}\n", at("k0")),
        };
        self.tensor("y", "f32", "m, n", &format!("{m},{n}"), None);
        body += "store(y[i +: BM, j +: BN], acc);\n";
        let name = format!("packed_{seed}");
        let mut text = String::new();
        for (percent, attribute, values) in [
            (10, "split", [0, 2, 4]),
            (10, "stages", [1, 2, 3]),
            (10, "warps", [8, 12, 16]),
        ] {
            if self.choices.chance(percent) {
                let value = self.choices.pick(&values);
                let _ = writeln!(text, "#[{attribute}({value})]");
            }
        }
        let _ = writeln!(
            text,
            "kernel {name}<const BM: i32 = {bm}, const BN: i32 = {bn}, const BK: i32 = {bk}>("
        );
        for parameter in &self.parameters {
            let _ = writeln!(text, "{parameter},");
        }
        let _ = write!(
            text,
            ") grid(cdiv(m, BM), cdiv(n, BN)) {{\nlet i = program_id(0) * BM;\nlet j = program_id(1) * BN;\n{body}}}\n"
        );
        Written {
            name,
            text: indented(&text),
            call: self.call,
            target: self
                .choices
                .pick(&["sm_90a", "sm_90a", "sm_90a", "sm_90a", "sm_80", "sm_100a"]),
            multiprocessors: self.choices.pick(&[1, 2, 3, 7, 132]),
            variants: Variants::Called,
        }
    }
}
