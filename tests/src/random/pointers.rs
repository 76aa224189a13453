//! Random kernels through pointers, as those are written that come from Triton: products and what is computed element by element, of which rows and columns wrap
//! around, stop at the last, are quotients, come from lists or begin anywhere; strides that are parameters; pointers that move; masks of some of the axes; programs
//! that may have nothing to do.
//!
//! Inputs are small whole numbers, so that every sum is exact in whatever order it is computed, and results are compared bit by bit. Buffers are as long as the
//! farthest position asks for, also that of rows and columns that no mask leaves out.

use std::fmt::Write;

use super::Choices;
use super::run::Variants;
use super::written::{Written, indented};

/// Most elements of the sums of a program.
const MOST_SUMS: i64 = 1 << 14;

/// The number in inputs is smaller than this, and not below its negative.
const LARGEST: i64 = 4;

/// An axis of the result: its positions are `at`, of which the first `size` are stored.
struct Axis {
    /// The name of the positions.
    at: &'static str,
    /// The name of the size and the size.
    size: &'static str,
    count: i64,
    block: i64,
}

impl Axis {
    /// One more than the last position of all programs.
    fn end(&self) -> i64 {
        (self.count + self.block - 1) / self.block * self.block
    }
}

/// How the programs find their tiles.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Grid {
    Plane,
    Line,
    Groups,
    Persistent,
    /// Programs share K and add their sums up.
    Split,
}

struct Maker {
    choices: Choices,
    parameters: Vec<String>,
    call: Vec<String>,
    text: String,
    /// Rows, columns and what is summed over.
    axes: [Axis; 3],
    /// Of what is multiplied.
    element: &'static str,
}

/// The kernel of a seed.
#[must_use]
pub fn pointers(seed: u64) -> Written {
    let mut choices = Choices::new(seed);
    let element = choices.pick(&["f16", "bf16", "bf16", "f8e4m3", "i8", "f32"]);
    let bm = choices.pick(&[16, 32, 64, 64, 128]);
    let mut bn = choices.pick(&[16, 32, 64, 64, 128]);
    while bm * bn > MOST_SUMS {
        bn /= 2;
    }
    let bk = choices.pick(&[32, 32, 64, 64, 128]);
    let multiple = choices.pick(&[1, 4, 8, 16, 16]);
    let [m, n, k] = [(bm, 220), (bn, 220), (bk, 260)].map(|(block, most)| {
        let any = choices.between(1, most);
        match choices.chance(25) {
            true => block * choices.between(1, 3),
            false => (any + multiple - 1) / multiple * multiple,
        }
    });
    let axis = |at, size, count, block| Axis {
        at,
        size,
        count,
        block,
    };
    let maker = Maker {
        choices,
        parameters: Vec::new(),
        call: Vec::new(),
        text: String::new(),
        axes: [
            axis("i", "m", m, bm),
            axis("j", "n", n, bn),
            axis("l", "k", k, bk),
        ],
        element,
    };
    maker.make(seed)
}

impl Maker {
    fn line(&mut self, text: &str) {
        self.text += text;
        self.text.push('\n');
    }

    /// A parameter that is a number.
    fn number(&mut self, name: &str, value: i64) -> String {
        self.parameters.push(format!("{name}: i32"));
        self.call.push(format!("{name}={value}"));
        name.to_owned()
    }

    /// A number that the source says, or a parameter.
    fn any_number(&mut self, name: &str, value: i64) -> String {
        match self.choices.chance(70) {
            true => self.number(name, value),
            false => value.to_string(),
        }
    }

    /// A parameter that is a pointer to what is read.
    fn pointer(&mut self, name: &str, of: &str, length: i64) {
        self.parameters.push(format!("{name}: ptr<{of}>"));
        let lowest = 1 - LARGEST;
        self.call
            .push(format!("{name}=randint({lowest},{LARGEST};{length})"));
    }

    /// Positions that an operand has for those of an axis, under a name; one more than the farthest.
    fn positions(&mut self, operand: &str, axis: usize) -> (String, i64) {
        let Axis {
            at, size, count, ..
        } = self.axes[axis];
        let end = self.axes[axis].end();
        let name = format!("{at}{operand}");
        let (text, farthest) = match self.choices.below(13) {
            0 | 1 => (format!("{at} % {size}"), count),
            2 => (format!("where({at} < {size}, {at}, 0)"), count),
            3 => (format!("minimum({at}, {size} - 1)"), count),
            4 => {
                let by = self.choices.pick(&[1, 2, 3, 4, 8, 16, 100]);
                let by = self.any_number(&format!("by_{name}"), by);
                (format!("{at} / {by}"), end)
            }
            5 => {
                let from = self.choices.pick(&[0, 1, 3, 8, 64]);
                let number = self.any_number(&format!("from_{name}"), from);
                (format!("{at} + {number}"), end + from)
            }
            6 => {
                let list = format!("list_{name}");
                self.parameters.push(format!("{list}: ptr<i32>"));
                self.call.push(format!("{list}=randint(0,{count};{end})"));
                let mask = self
                    .choices
                    .pick(&["", ", mask = AT < SIZE, other = 0"])
                    .replace("AT", at)
                    .replace("SIZE", size);
                (format!("load({list} + {at}{mask})"), count)
            }
            7 => {
                let other = self.choices.between(1, count);
                let other = self.any_number(&format!("wrap_{name}"), other);
                (format!("{at} % {other}"), end)
            }
            8 => (format!("maximum({size} - 1 - {at}, 0)"), count),
            // A remainder that is written out.
            9 => {
                let by = self.choices.pick(&[4, 8, 24]);
                let by = self.any_number(&format!("rest_{name}"), by);
                (format!("{at} - {at} / {by} * {by}"), end)
            }
            _ => (at.to_owned(), end),
        };
        self.line(&format!("let {name} = {text};"));
        (name, farthest)
    }

    /// What is added to a pointer for an axis of a tile: the positions times the stride, in 32 bits or made longer before or behind.
    fn steps(&mut self, name: &str, stride: &str, is_first: bool) -> String {
        let axis = if is_first { "[:, None]" } else { "[None, :]" };
        let is_long = self.choices.chance(25);
        match (stride, is_long) {
            ("1", false) => format!("{name}{axis}"),
            (_, false) => format!("{name}{axis} * {stride}"),
            _ if self.choices.chance(50) => format!("({name}{axis} * {stride}) as i64"),
            _ => format!("({name} as i64){axis} * {stride} as i64"),
        }
    }

    /// Strides of an operand of so many rows and columns; how long its buffer is.
    fn strides(&mut self, operand: &str, [rows, columns]: [i64; 2]) -> ([String; 2], i64) {
        let is_transposed = self.choices.chance(30);
        let (outer, inner) = if is_transposed {
            (rows, columns)
        } else {
            (columns, rows)
        };
        let aligned = (outer + 15) / 16 * 16;
        let large = self.choices.pick(&[outer, aligned, aligned, aligned + 16]);
        let small = if self.choices.chance(8) { 2 } else { 1 };
        let large = large * small;
        let length = (inner - 1) * large + (outer - 1) * small + 1;
        // The last one is mostly declared last.
        let is_first = self.choices.chance(20);
        let declare = |this: &mut Self| match small == 1 && this.choices.chance(50) {
            true => "1".to_owned(),
            false => this.number(&format!("{operand}_inner"), small),
        };
        let before = is_first.then(|| declare(self));
        let large = self.any_number(&format!("{operand}_outer"), large);
        let small = before.unwrap_or_else(|| declare(self));
        match is_transposed {
            true => ([small, large], length),
            false => ([large, small], length),
        }
    }

    /// A mask of some of the axes, each by the positions it has or those of an operand.
    fn mask(&mut self, [first, second]: [String; 2]) -> String {
        let rows = format!("({first})[:, None]");
        let columns = format!("({second})[None, :]");
        let both = format!("{rows} & {columns}");
        let of = self.choices.pick(&[0, 0, 1, 2, 3]);
        let mask = [both, rows, columns][of.min(2)].clone();
        let other = self
            .choices
            .pick(&["", ", other = 0.0", ", other = 0.0", ", other = 1.0"]);
        let other = if self.element == "i8" {
            other.replace(".0", "")
        } else {
            other.to_owned()
        };
        match of {
            3 => String::new(),
            _ => format!(", mask = {mask}{other}"),
        }
    }

    /// Which part of more an axis is, and where it ends; mostly the first of one.
    fn part(&mut self, axis: usize) -> (i64, String) {
        let Axis { size, count, .. } = self.axes[axis];
        if self.choices.chance(75) {
            return (0, size.to_owned());
        }
        let part = self.choices.between(0, 2);
        let whole = part * count + self.choices.between(1, count + 20);
        self.number(&format!("part_{size}"), part);
        self.number(&format!("whole_{size}"), whole);
        self.line(&format!(
            "let end_{size} = min({size}, whole_{size} - part_{size} * {size});"
        ));
        (part, format!("end_{size}"))
    }

    /// What is computed element by element of an operand: small whole numbers again.
    fn changed(&mut self, name: &str) {
        if self.element.starts_with('f') && self.element != "f8e4m3" && self.choices.chance(25) {
            let text = self.choices.pick(&[
                "where(X > 0.0, X, 0.0)",
                "X + 1.0",
                "abs(X)",
                "maximum(X, -1.0) * X",
            ]);
            let text = text.replace('X', name);
            self.line(&format!("let {name} = ({text}) as T;"));
        }
    }

    fn make(mut self, seed: u64) -> Written {
        let grid = self.choices.pick(&[
            Grid::Plane,
            Grid::Plane,
            Grid::Line,
            Grid::Groups,
            Grid::Groups,
            Grid::Persistent,
            Grid::Split,
        ]);
        for axis in 0..3 {
            let (size, count) = (self.axes[axis].size, self.axes[axis].count);
            self.number(size, count);
        }
        let head = self.programs(grid);
        let is_product = self.choices.chance(80);
        // Some programs have nothing to do.
        let is_once = self.choices.chance(10);
        if is_once {
            let some = self.choices.pick(&[
                "where(row == 0, 0, 1)",
                "(row + column) % 2",
                "(row & 1) ^ 1",
            ]);
            self.line(&format!("let some = {some};\nfor _ in range(0, some) {{"));
        }
        match is_product {
            true => self.product(grid),
            false => self.elements(),
        }
        self.store(grid, is_product);
        for _ in 0..i32::from(is_once) + i32::from(grid == Grid::Persistent) {
            self.line("}");
        }
        self.written(seed, &head)
    }

    /// What finds the tile of a program; the grid.
    fn programs(&mut self, grid: Grid) -> String {
        let tiles = "cdiv(m, BM) * cdiv(n, BN)";
        let line = "let (row, column) = (id / cdiv(n, BN), id % cdiv(n, BN));";
        let grid = match grid {
            Grid::Plane => {
                self.line("let (row, column) = (program_id(0), program_id(1));");
                "cdiv(m, BM), cdiv(n, BN)"
            }
            Grid::Line => {
                self.line(&format!("let id = program_id(0);\n{line}"));
                tiles
            }
            Grid::Groups => {
                self.line("let id = program_id(0);\nlet in_group = 2 * cdiv(n, BN);\nlet first = id / in_group * 2;");
                self.line("let size = min(cdiv(m, BM) - first, 2);");
                self.line(
                    "let (row, column) = (first + id % in_group % size, id % in_group / size);",
                );
                tiles
            }
            Grid::Persistent => {
                self.line(&format!(
                    "for id in range(program_id(0), {tiles}, num_programs(0)) {{\n{line}"
                ));
                "4"
            }
            Grid::Split => {
                self.line(&format!("let id = program_id(0);\n{line}"));
                return format!("{tiles}, 2");
            }
        };
        grid.to_owned()
    }

    fn product(&mut self, grid: Grid) {
        self.line("let i = row * BM + arange(0, BM);\nlet j = column * BN + arange(0, BN);");
        let (rows, most_rows) = self.positions("a", 0);
        let (columns, most_columns) = self.positions("b", 1);
        // The rows, or what is summed over, are a part of more, whose last part may be shorter.
        let [(part_m, row_end), (part_k, k_end)] = [0, 2].map(|axis| self.part(axis));
        let most_rows = most_rows + part_m * self.axes[0].count;
        let depth = self.axes[2].end() + self.axes[2].block + part_k * self.axes[2].count;
        // Blocks of K are counted, or go from one position to the next.
        let is_counted = grid == Grid::Split || self.choices.chance(50);
        let is_moving = is_counted && grid != Grid::Split && self.choices.chance(60);
        let ([ai, al], a_length) = self.strides("a", [most_rows, depth]);
        let ([bl, bj], b_length) = self.strides("b", [depth, most_columns]);
        self.pointer("a", "T", a_length);
        // Each tile of rows has its own right operand.
        let has_experts = self.choices.chance(20);
        let experts = if has_experts { 3 } else { 1 };
        self.pointer("b", "T", b_length * experts);
        let mut b = "b".to_owned();
        if has_experts {
            let tiles = self.axes[0].end() / self.axes[0].block;
            self.parameters.push("experts: ptr<i32>".to_owned());
            self.call
                .push(format!("experts=randint(0,{experts};{tiles})"));
            let by = self.number("b_expert", b_length);
            b = format!("b + load(experts + row) * {by}");
        }
        let l = if is_moving { "arange(0, BK)" } else { "l" };
        let mut a = "a".to_owned();
        if part_m > 0 {
            a += &format!(" + part_m * m * {ai}");
        }
        if part_k > 0 {
            a += &format!(" + part_k * k * {al}");
            b += &format!(" + part_k * k * {bl}");
        }
        let (of_rows, along) = (self.steps(&rows, &ai, true), self.steps(l, &al, false));
        let a_at = format!("{a} + {of_rows} + {along}");
        let (along, of_columns) = (self.steps(l, &bl, true), self.steps(&columns, &bj, false));
        let b_at = format!("{b} + {along} + {of_columns}");
        let has_scales = self.choices.chance(20);
        if has_scales {
            self.pointer("s", "f32", most_rows);
        }
        // Blocks of K are a ring, which programs begin in different places.
        let is_ring = is_moving && self.choices.chance(25);
        if is_moving {
            self.line(&format!("let mut a_at = {a_at};\nlet mut b_at = {b_at};"));
        }
        if is_ring {
            self.line(&format!(
                "let blocks = max(cdiv({k_end}, BK), 1);\nlet mut block = row % blocks;\na_at += block * BK * {al};\nb_at += block * BK * {bl};"
            ));
        }
        let sums = if self.element == "i8" { "i32" } else { "f32" };
        self.line(&format!("let mut acc = zeros([BM, BN], {sums});"));
        let head = match (grid, is_counted) {
            (Grid::Split, _) => format!("for q in range(program_id(1), cdiv({k_end}, BK), 2)"),
            (_, true) => format!("for q in range(0, cdiv({k_end}, BK))"),
            _ => match self.choices.below(5) {
                0 => {
                    let from = self.choices.pick(&[0, 0, 3, 16, 32]);
                    let from = self.any_number("start", from);
                    format!("for at in range({from}, {k_end}, BK)")
                }
                1 => {
                    let tiles = self.axes[0].end() / self.axes[0].block;
                    let most = self.axes[2].count + 1;
                    self.parameters.push("ends: ptr<i32>".to_owned());
                    self.call.push(format!("ends=randint(0,{most};{tiles})"));
                    self.line("let end = load(ends + row);");
                    "for at in range(0, end, BK)".to_owned()
                }
                // From the last block on.
                2 if !is_moving => {
                    format!("for at in range(cdiv({k_end}, BK) * BK - BK, -BK, -BK)")
                }
                _ => format!("for at in range(0, {k_end}, BK)"),
            },
        };
        match is_ring {
            true => self.line(&format!("{} {{\nlet q = block;", head.replace('q', "_"))),
            false => self.line(&format!("{head} {{")),
        }
        let l = match is_counted {
            true => "let l = q * BK + arange(0, BK);",
            false => "let l = at + arange(0, BK);",
        };
        self.line(l);
        let inside = if is_counted && self.choices.chance(50) {
            format!("arange(0, BK) < {k_end} - q * BK")
        } else {
            format!("l < {k_end}")
        };
        let row_inside = self
            .choices
            .pick(&[
                "i < END",
                "IA < END",
                "(i as i64) < END as i64",
                "(i < END) & (i >= max(first, 1))",
            ])
            .replace("END", &row_end)
            .replace("IA", &rows);
        if row_inside.contains("first") {
            let first = self.choices.between(0, 9);
            self.number("first", first);
        }
        let column_inside = self
            .choices
            .pick(&["j < n", "JB < n"])
            .replace("JB", &columns);
        let x_mask = self.mask([row_inside, inside.clone()]);
        let y_mask = self.mask([inside, column_inside]);
        let (a_at, b_at) = if is_moving {
            ("a_at", "b_at")
        } else {
            (&*a_at, &*b_at)
        };
        self.line(&format!("let x = load({a_at}{x_mask});"));
        self.line(&format!("let y = load({b_at}{y_mask});"));
        self.changed("x");
        self.changed("y");
        let sum = match has_scales {
            true => {
                self.line(&format!("let scale = load(s + {rows});"));
                match sums {
                    "i32" => "acc += dot(x, y) * (scale as i32)[:, None];",
                    _ => "acc += dot(x, y) * scale[:, None];",
                }
            }
            false => self
                .choices
                .pick(&["acc = dot(x, y, acc);", "acc += dot(x, y);"]),
        };
        self.line(sum);
        if is_moving {
            let by = |stride: &str| match stride {
                "1" => "BK".to_owned(),
                _ => format!("BK * {stride}"),
            };
            let next = format!("a_at += {};\nb_at += {};", by(&al), by(&bl));
            let back = |stride| format!("(blocks - 1) * {}", by(stride));
            match is_ring {
                true => self.line(&format!(
                    "block += 1;\nif block >= blocks {{ block = 0; a_at -= {}; b_at -= {}; }} else {{ {next} }}",
                    back(&al),
                    back(&bl)
                )),
                false => self.line(&next),
            }
        }
        self.line("}");
    }

    /// What is no product: two operands of as many rows and columns.
    fn elements(&mut self) {
        self.line("let i = row * BM + arange(0, BM);\nlet j = column * BN + arange(0, BN);");
        for operand in ["a", "b"] {
            let (rows, most_rows) = self.positions(operand, 0);
            let (columns, most_columns) = self.positions(operand, 1);
            let ([by_row, by_column], length) = self.strides(operand, [most_rows, most_columns]);
            self.pointer(operand, "T", length);
            let row = self.choices.pick(&["i < m", "IA < m"]).replace("IA", &rows);
            let column = self
                .choices
                .pick(&["j < n", "JB < n"])
                .replace("JB", &columns);
            let mask = self.mask([row, column]);
            let (of_rows, of_columns) = (
                self.steps(&rows, &by_row, true),
                self.steps(&columns, &by_column, false),
            );
            let at = format!("{operand} + {of_rows} + {of_columns}");
            self.line(&format!("let {operand}_tile = load({at}{mask});"));
        }
        let sums = if self.element == "i8" { "i32" } else { "f32" };
        let text = self.choices.pick(&[
            "X - Y",
            "maximum(X, Y)",
            "X * Y",
            "X - max(Y, axis = 0)[None, :]",
            "X + sum(Y, axis = 1)[:, None]",
        ]);
        let text = text
            .replace('X', &format!("(a_tile as {sums})"))
            .replace('Y', &format!("(b_tile as {sums})"));
        self.line(&format!("let acc = {text};"));
    }

    fn store(&mut self, grid: Grid, is_product: bool) {
        let sums = if self.element == "i8" { "i32" } else { "f32" };
        let is_shared = grid == Grid::Split;
        if !is_shared && self.choices.chance(25) {
            let (columns, most) = self.positions("w", 1);
            self.pointer("w", sums, most);
            let mask = self.choices.pick(&["", ", mask = j < n"]);
            self.line(&format!(
                "let acc = acc + load(w + {columns}{mask})[None, :];"
            ));
        }
        let rows = [self.axes[0].end(), self.axes[1].end()];
        if !is_shared && self.choices.chance(12) {
            // One of the axes is left.
            let axis = self.choices.below(2);
            let (at, size, tiles) = match axis {
                0 => ("j", "n", rows[0] / self.axes[0].block),
                _ => ("i", "m", rows[1] / self.axes[1].block),
            };
            let tile = if axis == 0 { "row" } else { "column" };
            let by = rows[1 - axis];
            let mask = self
                .choices
                .pick(&["", ", mask = AT < SIZE"])
                .replace("AT", at)
                .replace("SIZE", size);
            let kind = if is_product && self.choices.chance(50) {
                "max"
            } else {
                "sum"
            };
            self.parameters.push(format!("c: mut ptr<{sums}>"));
            self.call.push(format!("c=zeros({})", tiles * by));
            self.line(&format!(
                "store(c + {tile} * {by} + {at}, {kind}(acc, axis = {axis}){mask});"
            ));
            return;
        }
        let ([ci, cj], length) = self.strides("c", rows);
        let of = if is_shared || self.choices.chance(60) {
            sums
        } else if sums == "i32" {
            "i32"
        } else {
            "f16"
        };
        self.parameters.push(format!("c: mut ptr<{of}>"));
        self.call.push(format!("c=zeros({length})"));
        let (of_rows, of_columns) = (self.steps("i", &ci, true), self.steps("j", &cj, false));
        let at = format!("c + {of_rows} + {of_columns}");
        let mask = self.choices.pick(&[
            ", mask = (i < m)[:, None] & (j < n)[None, :]",
            ", mask = (i < m)[:, None] & (j < n)[None, :]",
            ", mask = (i < m)[:, None]",
            ", mask = (j < n)[None, :]",
            "",
        ]);
        let text = match is_shared {
            true => format!("atomic_add({at}, acc{mask});"),
            false => format!("store({at}, acc as {of}{mask});"),
        };
        self.line(&text);
    }

    fn written(mut self, seed: u64, grid: &str) -> Written {
        let name = format!("pointers_{seed}");
        let element = self.element;
        let [bm, bn, bk] = [0, 1, 2].map(|axis| self.axes[axis].block);
        let bound = match element {
            "i8" => "int",
            _ => "float",
        };
        let mut text = String::new();
        if self.choices.chance(20) {
            let warps = self.choices.pick(&[4, 4, 8]);
            let _ = writeln!(text, "#[warps({warps})]");
        }
        let _ = writeln!(
            text,
            "kernel {name}<T: {bound} = {element}, const BM: i32 = {bm}, const BN: i32 = {bn}, const BK: i32 = {bk}>("
        );
        for parameter in &self.parameters {
            let _ = writeln!(text, "{parameter},");
        }
        let _ = writeln!(text, ") grid({grid}) {{\n{}}}", self.text);
        Written {
            name,
            text: indented(&text),
            call: self.call,
            target: self.choices.pick(&["sm_90a", "sm_90a", "sm_90a", "sm_80"]),
            multiprocessors: self.choices.pick(&[1, 2, 132]),
            variants: Variants::CalledOrGeneral,
        }
    }
}
