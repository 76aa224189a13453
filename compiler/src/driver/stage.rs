//! What `--emit` can show, in the order of the pipeline.

use std::str::FromStr;

use crate::passes::PASSES;

/// A stage of the compilation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// The words of the file.
    Tokens,
    /// The syntax tree.
    Ast,
    /// What kernels are called with.
    Signatures,
    /// The typed kernels.
    Typed,
    /// The module of the tile dialect (`tile`), or after the pass of that name.
    Mlir(&'static str),
    /// What runs when in an iteration of each loop.
    Schedule,
    /// LLVM IR after its O3.
    Llvm,
    /// PTX with its manifest.
    Ptx,
    /// The manifest.
    Manifest,
    /// A Rust module that launches the kernels.
    Rust,
    /// What the compiler decided and what it could not do.
    Remarks,
    /// What `ptxas` makes of the PTX.
    Cubin,
    /// The cubin disassembled.
    Sass,
}

/// Stages before MLIR.
const FRONT: [(&str, &str, Stage); 4] = [
    ("tokens", "the words of the file", Stage::Tokens),
    ("ast", "the syntax tree", Stage::Ast),
    (
        "signatures",
        "what kernels are called with, before generics are bound, as JSON",
        Stage::Signatures,
    ),
    (
        "typed",
        "kernels with every type known and every function inlined",
        Stage::Typed,
    ),
];

/// The module before the first pass.
const TILE: (&str, &str) = ("tile", "the tile dialect in MLIR, before the first pass");

/// Stages behind MLIR.
const BACK: [(&str, &str, Stage); 8] = [
    (
        "schedule",
        "what an iteration of each loop consists of, and what runs when",
        Stage::Schedule,
    ),
    ("llvm", "LLVM IR, optimised", Stage::Llvm),
    (
        "ptx",
        "PTX with its manifest: what a build writes",
        Stage::Ptx,
    ),
    (
        "manifest",
        "what a launcher knows of the kernels",
        Stage::Manifest,
    ),
    (
        "rust",
        "a Rust module: the PTX, and a function for each kernel (crate tile-runtime)",
        Stage::Rust,
    ),
    (
        "remarks",
        "what the compiler decided and what it could not do",
        Stage::Remarks,
    ),
    ("cubin", "machine code (by ptxas)", Stage::Cubin),
    (
        "sass",
        "machine code as text (by ptxas and nvdisasm)",
        Stage::Sass,
    ),
];

impl Stage {
    /// Name, summary and stage of each, in order.
    pub fn all() -> impl Iterator<Item = (&'static str, &'static str, Self)> {
        let tile = [(TILE.0, TILE.1, Self::Mlir(TILE.0))];
        let passes = PASSES
            .iter()
            .map(|pass| (pass.name, pass.summary, Self::Mlir(pass.name)));
        FRONT.into_iter().chain(tile).chain(passes).chain(BACK)
    }

    /// Their names.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::all().map(|(name, ..)| name)
    }
}

impl FromStr for Stage {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::all()
            .find(|(name, ..)| *name == text)
            .map(|(.., stage)| stage)
            .ok_or("there is no such stage")
    }
}
