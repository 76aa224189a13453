//! Whether inline PTX is right: read as the simulator reads it, with what is elementwise by nature.

use tile_runtime::simulator::arithmetic::Functions;
use tile_runtime::simulator::program::decode::decode;
use tile_runtime::simulator::ptx::{self, ast};

use super::kernel::{kernel, register};
use super::{InlinePtx, Piece, pieces};

/// What is wrong with inline PTX.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The line of the text, from 1.
    pub line: u32,
    /// What stands there.
    pub text: String,
    /// What is wrong with it.
    pub message: String,
    /// Forms that are known.
    pub known: Vec<String>,
}

/// Instructions that threads do together, or that tell other threads something.
const COLLECTIVE: &[&str] = &[
    "bar",
    "barrier",
    "shfl",
    "vote",
    "match",
    "redux",
    "activemask",
    "elect",
    "mma",
    "wgmma",
    "ldmatrix",
    "stmatrix",
    "movmatrix",
    "cp",
    "mbarrier",
    "tcgen05",
    "setmaxnreg",
    "griddepcontrol",
    "multimem",
    "clusterlaunchcontrol",
];

/// Instructions that end the thread or lead elsewhere.
const LEAVING: &[&str] = &["ret", "exit", "call"];

/// Instructions without a result, which are there for what else they do.
const ACTIONS: &[&str] = &[
    "st",
    "red",
    "trap",
    "brkpt",
    "membar",
    "fence",
    "nanosleep",
    "prefetch",
    "prefetchu",
    "discard",
    "applypriority",
    "pmevent",
];

/// Instructions without a result that only lead elsewhere.
const BRANCHES: &[&str] = &["bra", "brx"];

/// Instructions with a result that is not made of their operands alone.
const READS: &[&str] = &["ld", "ldu", "atom"];

/// Reads inline PTX.
///
/// # Errors
/// The first mistake.
pub fn check(asm: &InlinePtx) -> Result<(), Mistake> {
    let operands = asm.results.len() + asm.arguments.len();
    let mut line = 1;
    for piece in pieces(&asm.text) {
        let message = match piece {
            Piece::Text(text) => {
                line += u32::try_from(text.matches('\n').count()).unwrap_or(0);
                continue;
            }
            Piece::Operand(number) if number < operands => continue,
            Piece::Operand(number) => {
                format!(
                    "there is no operand `${number}`: the last is `${}`",
                    operands - 1
                )
            }
            Piece::Stray => {
                "`$` is followed by the number of an operand; a plain `$` is written `$$`"
                    .to_owned()
            }
        };
        return Err(mistake(asm, line, message));
    }
    if let Some(line) = closes_too_much(&asm.text) {
        let message = "this `}` closes what the text did not open".to_owned();
        return Err(mistake(asm, line, message));
    }
    let (ptx, first) = kernel(asm);
    let here = |line: u32| line.saturating_sub(first - 1).max(1);
    let tree = ptx::parse(&ptx).map_err(|error| {
        mistake(
            asm,
            here(error.line),
            as_written(asm, &error.problem.to_string()),
        )
    })?;
    let last = first + u32::try_from(asm.text.matches('\n').count()).unwrap_or(0);
    let bodies = tree
        .functions
        .iter()
        .filter_map(|entry| entry.body.as_ref());
    let own = bodies
        .flat_map(|body| &body.instructions)
        .filter(|instruction| (first..=last).contains(&instruction.line));
    let mut written = vec![false; asm.results.len()];
    for instruction in own {
        let wrong = |message: String| Mistake {
            text: as_written(asm, &instruction.to_string()),
            ..mistake(asm, here(instruction.line), message)
        };
        let opcode = instruction.opcode.first().copied().unwrap_or_default();
        if LEAVING.contains(&opcode) {
            return Err(wrong(format!(
                "`{opcode}` leaves the kernel, or this place in it"
            )));
        }
        if COLLECTIVE.contains(&opcode) {
            return Err(wrong(format!(
                "`{opcode}` is about more than one thread; inline PTX is done for each element alone"
            )));
        }
        let is_own = instruction.opcode.contains(&"local");
        let more = ACTIONS.contains(&opcode) || READS.contains(&opcode);
        if more && !is_own && !asm.effects {
            return Err(wrong(format!(
                "`{opcode}` does more than to compute a result: say `pure = false`"
            )));
        }
        for name in destinations(instruction) {
            for number in 0..operands {
                if name != register(number) {
                    continue;
                }
                match written.get_mut(number) {
                    Some(written) => *written = true,
                    None => {
                        let message = format!("this writes to the argument `${number}`");
                        return Err(wrong(message));
                    }
                }
            }
        }
    }
    decode(&tree, &ptx, Functions::Exact).map_err(|error| Mistake {
        line: here(error.line),
        text: as_written(asm, &error.text),
        message: as_written(asm, &error.message),
        known: error.help,
    })?;
    match written.iter().position(|written| !written) {
        None => Ok(()),
        Some(number) => {
            let message = format!("nothing writes to the result `${number}`");
            Err(mistake(asm, 1, message))
        }
    }
}

/// The line of a `}` that would end the scope around the text.
fn closes_too_much(text: &str) -> Option<u32> {
    let mut depth = 0;
    for (line, text) in (1..).zip(text.lines()) {
        let code = text.split("//").next().unwrap_or_default();
        for letter in code.chars() {
            match letter {
                '{' => depth += 1,
                '}' if depth == 0 => return Some(line),
                '}' => depth -= 1,
                _ => {}
            }
        }
    }
    None
}

fn mistake(asm: &InlinePtx, line: u32, message: String) -> Mistake {
    Mistake {
        line,
        text: line_of(asm, line),
        message,
        known: Vec::new(),
    }
}

fn line_of(asm: &InlinePtx, line: u32) -> String {
    let text = asm.text.lines().nth(line as usize - 1).unwrap_or_default();
    text.trim().to_owned()
}

/// A message with operands as the text has them.
pub(super) fn as_written(asm: &InlinePtx, message: &str) -> String {
    let operands = asm.results.len() + asm.arguments.len();
    // The highest first: `%tile_1` is part of `%tile_12`.
    (0..operands)
        .rev()
        .fold(message.to_owned(), |text, number| {
            text.replace(&register(number), &format!("${number}"))
        })
}

/// The registers that an instruction writes.
fn destinations<'text>(instruction: &ast::Instruction<'text>) -> Vec<&'text str> {
    let opcode = instruction.opcode.first().copied().unwrap_or_default();
    if ACTIONS.contains(&opcode) || BRANCHES.contains(&opcode) {
        return Vec::new();
    }
    instruction.operands.first().map(names).unwrap_or_default()
}

fn names<'text>(operand: &ast::Operand<'text>) -> Vec<&'text str> {
    match operand {
        ast::Operand::Name(name) => vec![name],
        ast::Operand::Vector(list) => list.iter().flat_map(names).collect(),
        ast::Operand::Pair(pair) => pair.iter().flat_map(names).collect(),
        _ => Vec::new(),
    }
}
