//! Random loops of several products: what a product gives goes through the threads into the next one, or is carried into the
//! next iteration, with masks, gathered rows, keys in an order that is loaded, states, and none to a few iterations.
//!
//! Inputs are small whole numbers, and what goes into a product is limited to a few of them, so every sum is exact in
//! whatever order it is computed: results are compared bit by bit.

use std::fmt::Write;

use super::Choices;
use super::run::Variants;
use super::written::{Written, indented};

/// The largest number in an input.
const LARGEST: i64 = 4;

/// Most bytes of an iteration's operands: they have to fit the smallest shared memory.
const MOST_BYTES: i64 = 40 << 10;

/// How products depend on each other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// One product, whose elements are added up.
    One,
    /// The second takes what the threads make of the first.
    Chain,
    /// The same, where the program starts the first product of the next iteration before the second one.
    Rotated,
    /// Two that need nothing of each other before a third.
    Fork,
    /// Three, one after the other; the last one's right operand is the same in all iterations.
    Triple,
    /// Two sums of what the threads make of one product.
    Split,
    /// The first takes what the last one of the iteration before gave.
    Recurrence,
    /// The second one is only in some iterations.
    Branch,
}

const FORMS: &[Form] = &[
    Form::One,
    Form::Chain,
    Form::Chain,
    Form::Chain,
    Form::Rotated,
    Form::Fork,
    Form::Triple,
    Form::Split,
    Form::Recurrence,
    Form::Branch,
];

/// A loop being made.
struct Maker {
    choices: Choices,
    parameters: Vec<String>,
    call: Vec<String>,
    /// Declarations in front of the loop.
    before: String,
    /// The element type of operands.
    of: &'static str,
    m: i64,
    n: i64,
    /// Whether rows have a largest element so far.
    has_best: bool,
    /// Whether an iteration's rows are those that a list names.
    is_picked: bool,
    /// What is multiplied instead of rows of a matrix, `{}`, from the key `{at}` on.
    computed: Vec<(&'static str, String)>,
}

/// The loop of a seed.
#[must_use]
pub fn looped(seed: u64) -> Written {
    let mut choices = Choices::new(seed);
    let of = choices.pick(&["f16", "f16", "bf16"]);
    let bm = choices.pick(&[16, 64, 64, 128, 128, 192]);
    let bn = choices.pick(&[16, 32, 64, 64, 128]);
    let [mut d, mut e] = [(); 2].map(|()| choices.pick(&[16, 32, 64, 64, 128]));
    while 2 * bn * (d + 2 * e) > MOST_BYTES {
        (d, e) = ((d / 2).max(16), (e / 2).max(16));
    }
    let form = choices.pick(FORMS);
    if form == Form::Recurrence {
        e = d;
    }
    let multiple = choices.pick(&[1, 8, 8, 16, bn]);
    let mut size = |most: i64| {
        let any = choices.between(0, most) + multiple - 1;
        any / multiple * multiple
    };
    let (mut m, n) = (size(300).max(1), size(4 * bn));
    // So that a block has many programs.
    if choices.chance(10) {
        m += choices.between(8, 20) * bm;
    }
    let maker = Maker {
        choices,
        parameters: Vec::new(),
        call: Vec::new(),
        before: String::new(),
        of,
        m,
        n,
        has_best: false,
        is_picked: false,
        computed: Vec::new(),
    };
    maker.make(seed, form, [bm, bn, d, e])
}

impl Maker {
    /// Declares an array of small whole numbers, or of zeros if it is written.
    fn array(&mut self, name: &str, of: &str, sizes: &str, values: &str, is_output: bool) {
        let mutable = if is_output { "mut " } else { "" };
        self.parameters
            .push(format!("{name}: {mutable}tensor<{of}>[{sizes}]"));
        self.call.push(match is_output {
            true => format!("{name}=zeros({values})"),
            false => format!("{name}=randint(-{LARGEST},{LARGEST};{values})"),
        });
    }

    /// A matrix with a row for each key, which is multiplied as it is, or as something that is computed of it.
    fn keyed(&mut self, name: &'static str, columns: i64) {
        let (mut of, n, multiplied) = (self.of, self.n, self.of);
        let row = format!("of_{name}");
        let computed = match self.choices.below(12) {
            0 => {
                of = self.choices.pick(&["i8", "f8e4m3", "f32"]);
                format!("({{}} as {multiplied})")
            }
            1 => {
                self.array(&row, of, "n", &n.to_string(), false);
                format!("(min(max({{}} * load({row}[{{at}} +: BN])[:, None], -3.0), 3.0))")
            }
            2 => {
                self.array(&row, "i32", "n", &n.to_string(), false);
                format!("where(load({row}[{{at}} +: BN])[:, None] > 0, {{}}, 1.0)")
            }
            3 => "max({}, 0.0)".to_owned(),
            4 | 5 => self.masked(name, "({at} + arange(0, BN))", n),
            _ => String::new(),
        };
        if !computed.is_empty() {
            self.computed.push((name, computed));
        }
        self.array(
            name,
            of,
            &format!("n, {columns}"),
            &format!("{n},{columns}"),
            false,
        );
    }

    /// A part of a matrix's rows, and a number instead of the others.
    fn masked(&mut self, name: &str, row: &str, count: i64) -> String {
        let other = self.choices.pick(&["0.0", "0.0", "1.0"]);
        let mut masks = vec![("until", "<")];
        if self.choices.chance(50) {
            masks.push(("from", ">="));
        }
        let masks = masks.into_iter().map(|(bound, compared)| {
            let value = self.choices.between(-5, count + 5);
            self.parameters.push(format!("{bound}_{name}: i32"));
            self.call.push(format!("{bound}_{name}={value}"));
            format!("({row} {compared} {bound}_{name})")
        });
        let mask = masks.collect::<Vec<_>>().join(" & ");
        format!("where(({mask})[:, None], {{}}, {other})")
    }

    /// Statements that make a tile of scores `s` another one.
    fn changes(&mut self) -> String {
        let mut text = String::new();
        let mut used = Vec::new();
        for _ in 0..self.choices.below(4) {
            let kind = self.choices.below(22);
            if used.contains(&kind) {
                continue;
            }
            used.push(kind);
            text += match kind {
                0 => "let s = s * 2.0;\n",
                1 => "let s = where(key[None, :] < n, s, -50.0);\n",
                2 => "let s = where(key[None, :] <= row[:, None], s, -50.0);\n",
                3 => "let s = where(row[:, None] - key[None, :] < 40, s, 1.0);\n",
                4 => "let s = max(s, 0.0);\n",
                5 => {
                    let n = self.n;
                    self.array("bias", "f32", "n", &format!("{n}"), false);
                    "let s = s + load(bias[at +: BN])[None, :];\n"
                }
                6 => {
                    let n = self.n;
                    self.array("weights", "f32", "9", "9", false);
                    self.parameters.push("index: tensor<i32>[n]".to_owned());
                    self.call.push(format!("index=randint(0,9;{n})"));
                    "let s = s * load(weights[load(index[at +: BN])])[None, :];\n"
                }
                7 => "let s = abs(s) - 3.0;\n",
                8 => {
                    let (m, n) = (self.m, self.n);
                    self.array("mine", "f32", "m", &format!("{m}"), false);
                    self.array("theirs", "f32", "n", &format!("{n}"), false);
                    self.before += "let own = load(mine[i +: BM]);\n";
                    self.choices.pick(&[
                        "let s = s * max(own[:, None] - load(theirs[at +: BN])[None, :], 0.0);\n",
                        "let s = where(own[:, None] > load(theirs[at +: BN])[None, :], s, -s);\n",
                        "let far = own[:, None] * load(theirs[at +: BN])[None, :];\nlet s = s + abs(far) * 2.0;\n",
                    ])
                }
                9 => {
                    let (m, n) = (self.m, self.n);
                    self.array("both", "f32", "m, n", &format!("{m},{n}"), false);
                    "let s = s + load(both[i +: BM, at +: BN]);\n"
                }
                10 => "let s = s - max(s, axis = 0)[None, :];\n",
                11 => "let s = flip(s, axis = 1);\n",
                12 => {
                    "let (u, v) = split(reshape(s, [BM, BN / 2, 2]));\nlet s = interleave(v, u - 1.0);\n"
                }
                13 => {
                    "let s = reshape(permute(reshape(s, [BM, 2, BN / 2]), [0, 2, 1]), [BM, BN]);\n"
                }
                14 => "let s = cat(s[:, BN / 2 +: BN / 2], s[:, 0 +: BN / 2], axis = 1);\n",
                15 => self.choices.pick(&[
                    "let s = cumsum(where(s > 1.0, 1.0, -1.0), axis = 1, reverse = true);\n",
                    "let s = scan(s, 1, |a, b| where(b > 2.0, b, a));\n",
                ]),
                16 => {
                    "let s = reshape(permute(reshape(s, [2, BM / 2, BN]), [1, 0, 2]), [BM, BN]);\n"
                }
                17 => {
                    let (m, n) = (self.m, self.n);
                    let of = self.choices.pick(&["i8", "i32", "u8"]);
                    self.parameters.push(format!("shown: tensor<{of}>[m, n]"));
                    self.call.push(format!("shown=randint(0,2;{m},{n})"));
                    "let s = where(load(shown[i +: BM, at +: BN]) > 0, s, -50.0);\n"
                }
                18 => {
                    let m = self.m;
                    self.parameters.push("whose: tensor<i32>[m]".to_owned());
                    self.call.push(format!("whose=randint(-2,{};{m})", m + 2));
                    self.array("scales", "f32", "m, 5", &format!("{m},5"), false);
                    self.before += "let named = load(whose[i +: BM], other = -1);\n";
                    "let s = s * load(scales[named, at / BN])[:, None];\n"
                }
                19 => self.choices.pick(&[
                    "let s = where((key < 40)[None, :] | (key[None, :] <= row[:, None]), s, -50.0);\n",
                    "let s = where((key[None, :] < row[:, None]) & ((key < 30) | (key >= 64))[None, :], -50.0, s);\n",
                    "let s = where(((key[None, :] > row[:, None] - 50) | (key < 2)[None, :]) & (key < n)[None, :], s, -50.0);\n",
                ]),
                20 => self.choices.pick(&[
                    "let s = if at + BN > i { where(key[None, :] <= row[:, None], s, -50.0) } else { s };\n",
                    "let s = if at < i { s } else { where(key[None, :] > row[:, None], 1.0, s) };\n",
                    "let s = if at / BN % 2 == 0 { where(key[None, :] < n, s * 2.0, s) } else { s };\n",
                    "let s = if at > i && at < n { s * 2.0 } else { where(s > 1.0, s, -1.0) };\n",
                ]),
                _ => {
                    self.has_best = true;
                    self.before += "let mut best = full([BM], -100.0, f32);\n";
                    "let new = maximum(best, max(s, axis = 1));\nlet s = s - new[:, None];\n"
                }
            };
        }
        text
    }

    /// Statements that say which rows an iteration reads instead of its own: from a list, from a table of pages, from what was loaded
    /// or divided before the loop, or from a division.
    fn picked(&mut self, changes: &mut String) -> &'static str {
        let n = self.n;
        self.is_picked = true;
        self.parameters.push("list: tensor<i32>[n]".to_owned());
        self.call.push(format!("list=randint(-2,{};{n})", n + 2));
        if self.choices.chance(50) {
            *changes += "let p = where((pick >= 0)[None, :], p, 2.0);\n";
        }
        let kind = self.choices.below(6);
        if kind > 3 {
            self.parameters.push("by: i32".to_owned());
            self.call
                .push(format!("by={}", self.choices.pick(&[1, 3, 7])));
        }
        match kind {
            0 | 1 => "let pick = load(list[at +: BN], other = -1);\n",
            2 => "let pick = load(list[key / 8], other = -9) * 8 + key % 8;\n",
            3 => {
                self.before += "let base = load(list[0 +: BN], other = -1);\n";
                "let pick = base + at;\n"
            }
            4 => {
                self.before += "let part = arange(0, BN) / by % 5;\n";
                "let pick = at + part * by - 1;\n"
            }
            _ => "let pick = key / by * by % 64;\n",
        }
    }

    /// What a carried sum is multiplied by.
    fn factor(&mut self) -> &'static str {
        match self.choices.below(6) {
            5 => {
                self.parameters.push("step: tensor<f32>[steps]".to_owned());
                let steps = self.n / 16 + 1;
                self.call.push(format!("step=randint(-1,2;{steps})"));
                " * load(step[at / BN])"
            }
            0 if self.has_best => " * where(new > best, -1.0, 1.0)[:, None]",
            1 => {
                self.parameters.push("decay: tensor<f32>[m]".to_owned());
                self.call.push(format!("decay=randint(-1,1;{})", self.m));
                " * load(decay[i +: BM])[:, None]"
            }
            2 => " * (1.0 - 2.0 * ((at / BN % 2) as f32))",
            3 => "",
            _ if self.has_best => " * where(new > best, 0.0, 1.0)[:, None]",
            _ => "",
        }
    }

    /// An iteration of which all that is computed is under a condition.
    fn only_sometimes(&mut self, body: &str, bn: i64) -> String {
        let condition = match self.choices.below(4) {
            0 => "at / BN % 3 != 1",
            1 => "at < m",
            _ => {
                self.parameters.push("seen: tensor<i32>[blocks]".to_owned());
                let blocks = (self.n + bn - 1) / bn;
                self.call.push(format!("seen=randint(0,2;{blocks})"));
                "load(seen[at / BN]) > 0"
            }
        };
        format!("if {condition} {{\n{body}}}\n")
    }

    fn make(mut self, seed: u64, form: Form, [bm, bn, d, e]: [i64; 4]) -> Written {
        let (of, m) = (self.of, self.m);
        self.array("x", of, &format!("m, {d}"), &format!("{m},{d}"), false);
        self.keyed("y", d);
        let is_recurrent = form == Form::Recurrence;
        let mutable = if is_recurrent { "mut " } else { "" };
        let rows = match self.choices.chance(15) {
            true => self.masked("x", "(i + arange(0, BM))", m),
            false => "{}".to_owned(),
        };
        let rows = rows.replace("{}", "load(x[i +: BM, :])");
        self.before += &format!("let {mutable}a = {rows};\n");
        // Keys that are the values as well.
        let is_latent =
            d == e && !matches!(form, Form::One | Form::Rotated) && self.choices.chance(40);
        if form != Form::One {
            if !is_latent {
                self.keyed("z", e);
            }
            self.before += &format!("let mut acc = zeros([BM, {e}], f32);\n");
        }
        let has_total = form == Form::One || self.choices.chance(50);
        if has_total {
            self.before += "let mut total = zeros([BM], f32);\n";
        }
        let mut changes = self.changes();
        changes += match self.choices.chance(70) {
            true => "let p = min(max(s, -3.0), 3.0);\n",
            false => "let p = where(s > 0.0, 1.0, -1.0);\n",
        };
        let picked = match form != Form::Rotated && self.choices.chance(15) {
            true => self.picked(&mut changes),
            false => "",
        };
        let factor = self.factor();
        let first = "let s = dot(a, load(y[at +: BN, :]).T);\n";
        let values = if is_latent { "y" } else { "z" };
        let right = format!("load({values}[at +: BN, :])");
        let second = match self.choices.chance(70) {
            true => format!("acc = dot(p as {of}, {right}, acc{factor});\n"),
            false if self.choices.chance(50) => {
                format!("acc = acc{factor} + dot(p as {of}, {right});\n")
            }
            false => format!("acc = acc{factor} - dot(-p as {of}, {right});\n"),
        };
        let mut results = vec![("out", "acc", e)];
        let mut body = match form {
            Form::One => {
                results.clear();
                format!("{first}{changes}")
            }
            Form::Chain | Form::Rotated => format!("{first}{changes}{second}"),
            Form::Fork => {
                self.keyed("w", d);
                let other = match self.choices.chance(50) {
                    true => "let s = dot(a, load(w[at +: BN, :]).T, s);\n",
                    false => "let other = dot(a, load(w[at +: BN, :]).T);\nlet s = s - other;\n",
                };
                format!("{first}{other}{changes}{second}")
            }
            Form::Triple => {
                self.array("u", of, &format!("{e}, {d}"), &format!("{e},{d}"), false);
                self.before += "let matrix = load(u[:, :]);\n";
                self.before += &format!("let mut more = zeros([BM, {d}], f32);\n");
                results = vec![("out", "more", d)];
                let third =
                    format!("more = dot(min(max(acc, -2.0), 2.0) as {of}, matrix, more);\n");
                format!("{first}{changes}{second}{third}")
            }
            Form::Split => {
                self.keyed("w", e);
                self.before += &format!("let mut more = zeros([BM, {e}], f32);\n");
                results.push(("out_more", "more", e));
                format!(
                    "{first}{changes}{second}more = dot((p * 2.0 - 1.0) as {of}, load(w[at +: BN, :]), more);\n"
                )
            }
            Form::Recurrence => {
                format!("{first}{changes}{second}a = min(max(acc, -2.0), 2.0) as {of};\n")
            }
            Form::Branch => format!("{first}{changes}if at / BN % 2 == 0 {{\n{second}}}\n"),
        };
        if !matches!(form, Form::One | Form::Rotated) && self.choices.chance(15) {
            self.array(
                "state",
                of,
                &format!("{d}, {e}"),
                &format!("{d},{e}"),
                false,
            );
            let once = "{\nacc = dot(a, load(state[:, :]), acc);\n}";
            body = match self.choices.chance(70) {
                true => format!("if at == 0 {once}\n{body}"),
                false => format!("{body}if at != 0 {{ }} else {once}\n"),
            };
        }
        if has_total {
            body += "total = total + sum(p, axis = 1);\n";
        }
        if self.has_best {
            body += "best = new;\n";
        }
        if form != Form::Rotated && self.choices.chance(15) {
            body = self.only_sometimes(&body, bn);
        }
        let end = self.choices.pick(&[
            "n",
            "n",
            "min(n, i + BM)",
            "max(n - i, 0)",
            "min(n, load(bound[0]))",
        ]);
        if end.contains("bound") {
            self.parameters.push("bound: tensor<i32>[one]".to_owned());
            self.call.push(format!("bound=randint(0,{};1)", self.n + 1));
        }
        let keys = format!("let key = at + arange(0, BN);\n{picked}");
        let body = match (form, self.choices.below(8)) {
            (Form::Rotated, _) => {
                rotated(of, &keys, &changes, factor, (has_total, self.has_best), end)
            }
            (_, 0) => format!(
                "for turn in range(cdiv({end}, BN)) {{\nlet at = turn * BN;\n{keys}{body}}}\n"
            ),
            (_, 1) => {
                format!("let mut at = 0;\nwhile at < {end} {{\n{keys}{body}at = at + BN;\n}}\n")
            }
            // The blocks of keys in an order that is loaded, through a tensor or a pointer, which has no bounds.
            (_, 2) => {
                let blocks = (self.n + bn - 1) / bn;
                let [ty, place] = self.choices.pick(&[
                    ["tensor<i32>[blocks]", "pages[turn]"],
                    ["ptr<i32>", "pages + turn"],
                ]);
                self.parameters.push(format!("pages: {ty}"));
                let values = format!("pages=randint(0,{};{blocks})", blocks.max(1));
                self.call.push(values);
                format!(
                    "for turn in range(cdiv({end}, BN)) {{\nlet at = load({place}) * BN;\n{keys}{body}}}\n"
                )
            }
            // From the last block on.
            (_, 3) => {
                format!("for at in range(cdiv({end}, BN) * BN - BN, -BN, -BN) {{\n{keys}{body}}}\n")
            }
            (_, 4) => format!(
                "let turns = cdiv({end}, BN);\nfor turn in range(turns) {{\nlet at = (turns - 1 - turn) * BN;\n{keys}{body}}}\n"
            ),
            _ => format!("for at in range(0, {end}, BN) {{\n{keys}{body}}}\n"),
        };
        let mut after = String::new();
        for (name, value, columns) in results {
            self.array(
                name,
                "f32",
                &format!("m, {columns}"),
                &format!("{m},{columns}"),
                true,
            );
            // Added to zeros, once.
            let how = if self.choices.chance(15) {
                "atomic_add"
            } else {
                "store"
            };
            let _ = writeln!(after, "{how}({name}[i +: BM, :], {value});");
        }
        if has_total {
            self.array("totals", "f32", "m", &format!("{m}"), true);
            after += "store(totals[i +: BM], total);\n";
        }
        self.finish(seed, &format!("{body}{after}"), [bm, bn])
    }

    /// The kernel around its body.
    fn finish(mut self, seed: u64, body: &str, [bm, bn]: [i64; 2]) -> Written {
        let mut body = body.to_owned();
        for (name, computed) in &self.computed {
            for at in ["at", "at - BN", "last"] {
                let loaded = format!("load({name}[{at} +: BN, :])");
                let computed = computed.replace("{}", &loaded).replace("{at}", at);
                body = body.replace(&loaded, &computed);
            }
        }
        if self.is_picked {
            body = body.replace("[at +: BN, :]", "[pick, :]");
        }
        let name = format!("loop_{seed}");
        let mut text = String::new();
        if self.choices.chance(15) {
            let _ = writeln!(text, "#[stages({})]", self.choices.pick(&[1, 2, 3]));
        }
        if self.choices.chance(10) {
            let _ = writeln!(text, "#[warps({})]", self.choices.pick(&[4, 8, 12]));
        }
        let _ = writeln!(
            text,
            "kernel {name}<const BM: i32 = {bm}, const BN: i32 = {bn}>("
        );
        for parameter in &self.parameters {
            let _ = writeln!(text, "{parameter},");
        }
        let place = "let row = i + arange(0, BM);\n";
        let before = &self.before;
        let _ = match self.choices.chance(20) {
            true => write!(
                text,
                ") grid(2) {{\nfor tile in range(program_id(0), cdiv(m, BM), num_programs(0)) {{\n\
                 let i = tile * BM;\n{place}{before}{body}}}\n}}\n"
            ),
            false => write!(
                text,
                ") grid(cdiv(m, BM)) {{\nlet i = program_id(0) * BM;\n{place}{before}{body}}}\n"
            ),
        };
        Written {
            name,
            text: indented(&text),
            call: self.call,
            target: self.choices.pick(&[
                "sm_90a", "sm_90a", "sm_90a", "sm_90a", "sm_90a", "sm_80", "sm_100a", "sm_120",
            ]),
            multiprocessors: self.choices.pick(&[1, 2, 3, 132]),
            // Whether empty tensors can be copied by TMA, which they cannot, is known when a variant is compiled.
            variants: match self.n == 0 {
                true => Variants::All,
                false => Variants::Called,
            },
        }
    }
}

/// A loop whose second product is of the block before; what is left of the last one stands behind it.
fn rotated(
    of: &str,
    keys: &str,
    changes: &str,
    factor: &str,
    (has_total, has_best): (bool, bool),
    end: &str,
) -> String {
    let total = if has_total {
        "total = total + sum(p, axis = 1);\n"
    } else {
        ""
    };
    let best = if has_best { "best = new;\n" } else { "" };
    // In the first iteration there is no block before: its keys are out of bounds, so they are zeros.
    format!(
        "let mut held = zeros([BM, BN], {of});\nfor at in range(0, {end}, BN) {{\n{keys}\
         let s = dot(a, load(y[at +: BN, :]).T);\n\
         acc = dot(held, load(z[at - BN +: BN, :]), acc);\n{changes}acc = acc{factor};\n{total}held = p as {of};\n{best}}}\n\
         let last = (cdiv({end}, BN) - 1) * BN;\nacc = dot(held, load(z[last +: BN, :]), acc);\n"
    )
}
