//! Random kernels over rows: rows of one tile, long ones too; rows in blocks, gone over in several loops; and programs that go over rows and carry sums of all of
//! them. What is loaded, reduced and stored comes in any order, also in place and for nobody.
//!
//! Inputs are small whole numbers and sums are taken modulo a power of two, so that all is exact in whatever order it is computed, and results are compared bit by bit.

use std::fmt::Write;

use super::Choices;
use super::run::Variants;
use super::written::{Written, indented};

/// Statements of a body at most, besides those that store its results.
const MOST_STATEMENTS: i64 = 10;

struct Maker {
    choices: Choices,
    text: String,
    /// Names of tiles as long as a block, and of numbers.
    tiles: Vec<String>,
    numbers: Vec<String>,
    /// The next name.
    next: usize,
    /// Where a block begins.
    at: &'static str,
}

/// The kernel of a seed.
#[must_use]
pub fn rows(seed: u64) -> Written {
    let mut choices = Choices::new(seed);
    let form = choices.below(3);
    let block = match form {
        0 => choices.pick(&[512, 2048, 4096, 8192, 16384]),
        1 => choices.pick(&[64, 128, 256, 1024]),
        _ => choices.pick(&[128, 256, 1024]),
    };
    let most = if form == 1 { 5 } else { 1 };
    let blocks = choices.between(1, most);
    let less = choices.pick(&[0, 0, 8, 3, block / 2, 100]);
    let columns = (blocks * block - less).max(1);
    let count = if form == 2 { choices.between(1, 12) } else { 2 };
    let maker = Maker {
        choices,
        text: String::new(),
        tiles: Vec::new(),
        numbers: Vec::new(),
        next: 0,
        at: if form == 1 { "j" } else { "0" },
    };
    maker.make(seed, form, block, [count, columns])
}

impl Maker {
    fn name(&mut self) -> String {
        self.next += 1;
        format!("v{}", self.next)
    }

    fn line(&mut self, text: &str) {
        self.text += text;
        self.text.push('\n');
    }

    fn tile(&mut self) -> String {
        let number = self.choices.below(self.tiles.len());
        self.tiles[number].clone()
    }

    fn number(&mut self) -> String {
        match self.numbers.is_empty() {
            true => "2.0".to_owned(),
            false => {
                let number = self.choices.below(self.numbers.len());
                self.numbers[number].clone()
            }
        }
    }

    fn load(&mut self) {
        let place = match self.choices.below(3) {
            0 => "x[row, AT +: B]",
            1 => "y[row, AT +: B]",
            _ => "w[AT +: B]",
        };
        let name = self.name();
        let place = place.replace("AT", self.at);
        self.line(&format!("let {name} = load({place}) as f32;"));
        self.tiles.push(name);
    }

    fn reduce(&mut self) {
        let tile = self.tile();
        let name = self.name();
        let text = match self.choices.below(3) {
            0 => format!("max({tile}, axis = 0)"),
            1 => format!("min({tile}, axis = 0)"),
            _ => format!("small(sum({tile}, axis = 0))"),
        };
        self.line(&format!("let {name} = {text};"));
        self.numbers.push(name);
    }

    fn mix(&mut self) {
        let [one, other] = [self.tile(), self.tile()];
        let number = self.number();
        let text = match self.choices.below(5) {
            0 => format!("maximum({one} - {number}, {other})"),
            1 => format!("where({one} > {number}, {one}, {other})"),
            2 => format!("minimum({one}, {number})"),
            3 => format!("small({one} + {other})"),
            _ => format!("abs({one}) - {number}"),
        };
        let name = self.name();
        self.line(&format!("let {name} = {text};"));
        self.tiles.push(name);
    }

    fn store(&mut self) {
        let to = self.choices.pick(&["x", "y", "z", "z"]);
        let (tile, at) = (self.tile(), self.at);
        self.line(&format!("store({to}[row, {at} +: B], small({tile}) as T);"));
    }

    /// Some statements, of which the first loads.
    fn some(&mut self, most: i64) {
        self.load();
        for _ in 0..self.choices.between(1, most) {
            match self.choices.below(6) {
                0 | 1 => self.load(),
                2 => self.reduce(),
                3 | 4 => self.mix(),
                _ => self.store(),
            }
        }
    }

    /// Statements in a loop, whose names end with it; what is before it stays.
    fn inside(&mut self, head: &str, tail: impl FnOnce(&mut Self)) {
        let (tiles, numbers) = (self.tiles.len(), self.numbers.len());
        self.line(&format!("{head} {{"));
        self.some(MOST_STATEMENTS / 2);
        tail(self);
        self.line("}");
        self.tiles.truncate(tiles);
        self.numbers.truncate(numbers);
    }

    /// Several loops over the blocks of a row: each has a sum, or stores.
    fn blocks(&mut self) {
        for _ in 0..self.choices.between(2, 4) {
            let head = self
                .choices
                .pick(&["for j in range(0, n, B)", "for b in range(0, cdiv(n, B))"]);
            let is_counted = head.starts_with("for b");
            let total = self.name();
            self.line(&format!("let mut {total} = 0.0;"));
            let head = match is_counted {
                true => format!("{head} {{\nlet j = b * B;\nif true"),
                false => head.to_owned(),
            };
            self.inside(&head, |this| {
                let tile = this.tile();
                match this.choices.chance(60) {
                    true => {
                        let sum = format!("small({total} + sum({tile}, axis = 0))");
                        this.line(&format!("{total} = {sum};"));
                    }
                    false => this.store(),
                }
            });
            if is_counted {
                self.line("}");
            }
            self.numbers.push(total);
        }
        let number = self.number();
        self.line(&format!("store(q[row], {number});"));
    }

    /// A loop over rows, which carries a tile and a number.
    fn over_rows(&mut self) {
        self.line("let mut sums = zeros([B], f32);\nlet mut total = 0.0;");
        let head = self.choices.pick(&[
            "for row in range(id * per, min((id + 1) * per, m))",
            "for row in range(id, m, num_programs(0))",
        ]);
        self.inside(head, |this| {
            let tile = this.tile();
            this.line(&format!("sums = small(sums + {tile});"));
            let number = this.number();
            this.line(&format!("total = small(total + {number});"));
        });
        self.line("store(s[id, 0 +: B], sums);\nstore(q[id], total);");
    }

    fn make(mut self, seed: u64, form: usize, block: i64, [count, columns]: [i64; 2]) -> Written {
        match form {
            0 => {
                self.some(MOST_STATEMENTS);
                self.store();
                let number = self.number();
                self.line(&format!("store(q[row], {number});"));
            }
            1 => self.blocks(),
            _ => self.over_rows(),
        }
        if form != 2 && self.choices.chance(10) {
            // Some programs have nothing to do.
            let some = self
                .choices
                .pick(&["where(row == 0, 0, 1)", "row % 2", "(row & 1) ^ 1"]);
            self.text = format!(
                "let some = {some};\nfor _ in range(0, some) {{\n{}}}\n",
                self.text
            );
        }
        let element = self.choices.pick(&["bf16", "f16", "f32", "f32"]);
        let name = format!("rows_{seed}");
        let mut text = String::from(
            "/// As a small whole number.\nfn small(v) {\nv - 16.0 * floor(v / 16.0)\n}\n\n",
        );
        if self.choices.chance(20) {
            // A long row does not fit into the registers of few.
            let warps = match block {
                ..4096 => self.choices.pick(&[1, 2, 4, 8, 16]),
                _ => self.choices.pick(&[8, 16]),
            };
            let _ = writeln!(text, "#[warps({warps})]");
        }
        let _ = writeln!(
            text,
            "kernel {name}<T: float = {element}, const B: i32 = {block}>("
        );
        for parameter in ["x: mut tensor<T>[m, n]", "y: mut tensor<T>[m, n]"] {
            let _ = writeln!(text, "{parameter},");
        }
        let _ = writeln!(text, "w: tensor<T>[n],\nz: mut tensor<T>[m, n],");
        let whole = |name: &str, sizes: &str| format!("{name}=randint(-4,4;{sizes})");
        let row = format!("{count},{columns}");
        let mut call = vec![
            whole("x", &row),
            whole("y", &row),
            whole("w", &columns.to_string()),
            format!("z=zeros({row})"),
        ];
        let head = match form {
            2 => {
                let programs = self.choices.between(1, 4);
                let per = (count + programs - 1) / programs;
                call.extend([
                    format!("q=zeros({programs})"),
                    format!("s=zeros({programs},{block})"),
                    format!("per={per}"),
                ]);
                "q: mut tensor<f32>[k],\ns: mut tensor<f32>[k, B],\nper: i32,\n) grid(k) {\nlet id = program_id(0);"
            }
            _ => {
                call.push(format!("q=zeros({count})"));
                "q: mut tensor<f32>[m],\n) grid(m) {\nlet row = program_id(0);"
            }
        };
        let _ = writeln!(text, "{head}\n{}}}", self.text);
        Written {
            name,
            text: indented(&text),
            call,
            target: self.choices.pick(&["sm_90a", "sm_90a", "sm_90a", "sm_80"]),
            multiprocessors: self.choices.pick(&[1, 2, 132]),
            variants: Variants::Called,
        }
    }
}
