//! Stores of the low bits of a floating-point number.
//!
//! ```text
//! add.f32 %r2, %r1, %r1;  st.global.b8 [%rd1], %r2
//!   ⇒  add.f32 %r2, %r1, %r1;  { .reg .b32 %low0;  mov.b32 %low0, %r2;  st.global.b8 [%rd1], %low0; }
//! ```
//!
//! A store takes a register that is wider than its type and keeps the low bits (PTX ISA, "Operand Size Exceeding
//! Instruction-Type Size"), and LLVM writes a truncation that way. ptxas of CUDA 12.9 and 13.0 (13.3 no more), at all levels, converts the
//! *value* to an integer instead where an instruction of a floating-point type wrote the register. Behind a `mov` of plain bits it
//! does not, and from `-O1` on the `mov` costs nothing. LLVM does not keep a copy apart from what it copies, so this
//! is done in the text.

use std::collections::HashSet;
use std::fmt::Write;

/// Copies what such stores write, in each function of the text.
pub fn copy(ptx: &str) -> String {
    let mut copied = String::with_capacity(ptx.len());
    let mut function: Vec<&str> = Vec::new();
    for line in ptx.lines() {
        // Each function numbers its registers anew.
        if line.contains(".entry ") || line.contains(".func ") {
            finish(&function, &mut copied);
            function.clear();
        }
        function.push(line);
    }
    finish(&function, &mut copied);
    copied
}

fn finish(function: &[&str], copied: &mut String) {
    let floats: HashSet<&str> = function.iter().flat_map(|line| floats_of(line)).collect();
    for line in function {
        match Store::parse(line) {
            Some(store) if store.values().any(|value| store.chops(value, &floats)) => {
                store.copy(&floats, copied);
            }
            _ => {
                copied.push_str(line);
                copied.push('\n');
            }
        }
    }
}

/// An instruction's opcode and what follows it; neither its guard nor what ends it.
fn instruction(line: &str) -> Option<(&str, &str)> {
    let line = line.trim().strip_suffix(';')?;
    let line = match line.strip_prefix('@') {
        Some(guarded) => guarded.split_once(char::is_whitespace)?.1.trim_start(),
        None => line,
    };
    let (opcode, operands) = line.split_once(char::is_whitespace)?;
    Some((opcode, operands.trim()))
}

/// The registers that a line writes as floating-point numbers.
fn floats_of(line: &str) -> impl Iterator<Item = &str> {
    let written = instruction(line).filter(|(opcode, _)| is_float(opcode));
    let written = written.map_or("", |(_, operands)| match operands.split_once('}') {
        Some((several, _)) if operands.starts_with('{') => several,
        _ => operands.split(',').next().unwrap_or_default(),
    });
    written
        .split(|mark: char| !(mark.is_ascii_alphanumeric() || mark == '%' || mark == '_'))
        .filter(|name| name.starts_with('%'))
}

/// Whether an instruction may have a floating-point result: all that name such a type, as a copy too many does no harm.
fn is_float(opcode: &str) -> bool {
    let types = [
        "f", "bf", "tf", "e4m3", "e5m2", "e2m1", "e3m2", "e2m3", "ue8m0",
    ];
    opcode.split('.').skip(1).any(|suffix| {
        types.iter().any(|start| {
            let rest = suffix.strip_prefix(start);
            rest.is_some_and(|rest| {
                rest.chars()
                    .all(|mark| mark.is_ascii_digit() || mark == 'x')
            })
        })
    })
}

/// A line that stores registers.
struct Store<'a> {
    line: &'a str,
    /// Bits of each of them in memory.
    bits: usize,
    /// Where in the line the registers begin.
    at: usize,
}

impl<'a> Store<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let (opcode, _) = instruction(line)?;
        let bits = match opcode.strip_prefix("st.")?.rsplit('.').next()? {
            "b8" | "u8" | "s8" => 8,
            "b16" | "u16" | "s16" => 16,
            "b32" | "u32" | "s32" => 32,
            _ => return None,
        };
        let at = line.find(']')? + 1;
        Some(Self { line, bits, at })
    }

    fn values(&self) -> impl Iterator<Item = &'a str> {
        let marks = [',', ' ', '\t', '{', '}', ';'];
        self.line[self.at..]
            .split(marks)
            .filter(|value| !value.is_empty())
    }

    fn chops(&self, value: &str, floats: &HashSet<&str>) -> bool {
        floats.contains(value) && width(value).is_some_and(|bits| bits > self.bits)
    }

    fn copy(&self, floats: &HashSet<&str>, copied: &mut String) {
        let (address, registers) = self.line.split_at(self.at);
        let mut registers = registers.to_owned();
        copied.push_str("\t{\n");
        for (at, value) in self.values().enumerate() {
            if !self.chops(value, floats) {
                continue;
            }
            let bits = width(value).unwrap_or_default();
            let low = format!("%low{at}");
            let _ = writeln!(
                copied,
                "\t.reg .b{bits} \t{low};\n\tmov.b{bits} \t{low}, {value};"
            );
            for end in [',', '}', ';'] {
                registers = registers.replace(&format!("{value}{end}"), &format!("{low}{end}"));
            }
        }
        let _ = writeln!(copied, "{address}{registers}\n\t}}");
    }
}

/// Bits of a register, as LLVM names those of each width.
fn width(register: &str) -> Option<usize> {
    let number = register.trim_end_matches(|mark: char| mark.is_ascii_digit());
    match number {
        "%rs" => Some(16),
        "%r" => Some(32),
        "%rd" => Some(64),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::copy;

    #[test]
    fn low_bits_of_numbers_are_copied_before_they_are_stored() {
        let ptx = "\
.visible .entry a()
{
\tadd.rn.f32 \t%r2, %r1, %r1;
\tst.shared.b8 \t[%rd1+128], %r2;
\t@%p1 st.global.v2.b16 \t[%rd1], {%r2, %r1};
\tst.global.b32 \t[%rd1], %r2;
\tst.global.b8 \t[%rd1], %r1;
\tadd.rn.f16 \t%rs1, %rs2, %rs2;
\tst.global.b8 \t[%rd1], %rs1;
\tst.global.b16 \t[%rd1], %rs1;
\tmma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%r4, %r5}, {%r6}, {%r7}, {%r8, %r9};
\tst.shared.b8 \t[%rd1], %r5;
\tst.shared.b8 \t[%rd1], %r6;
}
.visible .entry b()
{
\tst.shared.b8 \t[%rd1], %r2;
}
";
        let copy_of = |bits: usize, value: &str| {
            format!("\t{{\n\t.reg .b{bits} \t%low0;\n\tmov.b{bits} \t%low0, {value};\n")
        };
        let expected = ptx
            .replacen(
                "\tst.shared.b8 \t[%rd1+128], %r2;\n",
                &format!(
                    "{}\tst.shared.b8 \t[%rd1+128], %low0;\n\t}}\n",
                    copy_of(32, "%r2")
                ),
                1,
            )
            .replace(
                "\t@%p1 st.global.v2.b16 \t[%rd1], {%r2, %r1};\n",
                &format!(
                    "{}\t@%p1 st.global.v2.b16 \t[%rd1], {{%low0, %r1}};\n\t}}\n",
                    copy_of(32, "%r2")
                ),
            )
            .replace(
                "\tst.global.b8 \t[%rd1], %rs1;\n",
                &format!(
                    "{}\tst.global.b8 \t[%rd1], %low0;\n\t}}\n",
                    copy_of(16, "%rs1")
                ),
            )
            .replace(
                "\tst.shared.b8 \t[%rd1], %r5;\n",
                &format!(
                    "{}\tst.shared.b8 \t[%rd1], %low0;\n\t}}\n",
                    copy_of(32, "%r5")
                ),
            );
        assert_eq!(copy(ptx), expected);
    }
}
