//! What an explanation says: plain data, which JSON shows as it is.
//!
//! Lines and columns count from 1. Everything optional is `null` where it is not known.

use std::collections::BTreeMap;

use serde::Serialize;
use tile_runtime::occupancy::Limit;

use crate::diagnostic::remark::{Narrow, RemarkKind};
use crate::target::card::Arithmetic;

/// The version of the format.
pub const FORMAT: u32 = 1;

/// All kernels that were asked for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// [`FORMAT`].
    pub format: u32,
    /// Name and version.
    pub compiler: String,
    /// What was compiled for.
    pub target: TargetData,
    /// The sources that places name.
    pub files: Vec<SourceText>,
    /// In the order of the file.
    pub kernels: Vec<KernelData>,
}

/// What was compiled for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TargetData {
    /// As in `--target`.
    pub name: String,
    /// The GPUs.
    pub gpus: String,
    /// The card whose numbers the rooflines use.
    pub card: Option<String>,
    /// Its multiprocessors.
    pub multiprocessors: Option<u32>,
}

/// A source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SourceText {
    /// As the user named it.
    pub name: String,
    /// All of it.
    pub text: String,
}

/// A piece of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[allow(missing_docs)]
pub struct Place {
    /// An index into [`Explanation::files`].
    pub file: u32,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
    /// Byte offsets.
    pub start: u32,
    pub end: u32,
}

/// A kernel.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KernelData {
    /// Its name.
    pub name: String,
    /// Where the name stands.
    pub place: Option<Place>,
    /// Generics as bound.
    pub generics: BTreeMap<String, String>,
    /// The call whose sizes were used.
    pub call: Option<CallData>,
    /// The variant that the call takes; without a call the first.
    pub chosen: usize,
    /// Its compiled variants, the most special first.
    pub variants: Vec<VariantData>,
}

/// A call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CallData {
    /// Each argument: `x = f32[1823, 781]`.
    pub arguments: Vec<String>,
    /// Programs along x, y, z.
    pub grid: [u32; 3],
    /// All of them.
    pub programs: u64,
    /// Bytes of the tensors that are arguments.
    pub tensor_bytes: u64,
    /// What the most special variant relies on and the call does not keep.
    pub broken: Vec<String>,
    /// Whether it stands in the header of the file.
    pub from_header: bool,
}

/// A compiled variant of a kernel.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VariantData {
    /// The PTX entry point.
    pub entry: String,
    /// What it relies on, in words.
    pub assumptions: Vec<String>,
    /// Whether it is for some launches of those that another one takes.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub narrow: bool,
    /// Warps per program.
    pub warps: u32,
    /// Why so many, in the words of the compiler.
    pub warps_reason: Option<String>,
    /// What `ptxas` says.
    pub registers: Option<RegisterData>,
    /// Why that is not known.
    pub registers_unknown: Option<String>,
    /// Bytes of shared memory per program.
    pub shared_bytes: u32,
    /// Loops whose products overlap, with what an iteration takes.
    pub timelines: Vec<TimelineData>,
    /// Barriers in the text of the program (one in a loop counts once).
    pub barriers: u32,
    /// How full a multiprocessor gets.
    pub occupancy: Option<OccupancyData>,
    /// Arithmetic and traffic.
    pub work: WorkData,
    /// The loops, outer ones first.
    pub loops: Vec<LoopData>,
    /// Accesses to global memory.
    pub accesses: Vec<AccessData>,
    /// Matrix products.
    pub products: Vec<ProductData>,
    /// Reductions.
    pub reductions: Vec<ReductionData>,
    /// What goes through shared memory.
    pub exchanges: Vec<ExchangeData>,
    /// Tiles in registers.
    pub values: Vec<ValueData>,
    /// Their layouts.
    pub layouts: Vec<LayoutData>,
    /// Decisions and lost opportunities.
    pub remarks: Vec<RemarkData>,
}

/// What `ptxas` makes of a variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RegisterData {
    /// 32-bit registers of a thread.
    pub per_thread: u32,
    /// Bytes of instructions that spill to memory and bring back.
    pub spill_bytes: u32,
    /// Bytes of stack.
    pub stack_bytes: u32,
}

/// How full a multiprocessor gets.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OccupancyData {
    /// Programs at once.
    pub programs: u32,
    /// Their warps.
    pub warps: u32,
    /// Of so many.
    pub of_warps: u32,
    /// What allows no more.
    pub limited_by: Vec<Limit>,
    /// Programs that each resource would allow.
    pub limits: Vec<(Limit, u32)>,
}

/// Operations and bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Amounts {
    /// Operations by kind.
    pub operations: BTreeMap<Arithmetic, u64>,
    /// Bytes read from global memory, masks aside.
    pub loaded_bytes: u64,
    /// Bytes written, masks aside.
    pub stored_bytes: u64,
}

/// What a program does, and what a card would say to it.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct WorkData {
    /// All of a program, where every trip count is known.
    pub program: Option<Amounts>,
    /// Outside of loops whose trip count is not known.
    pub once: Amounts,
    /// One iteration of each loop whose trip count is not known, without the loops inside it.
    pub rounds: Vec<RoundData>,
    /// The position on the roofline.
    pub roofline: Option<RooflineData>,
}

/// One iteration of a loop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RoundData {
    /// An index into [`VariantData::loops`].
    pub of_loop: usize,
    /// What it does.
    pub amounts: Amounts,
}

/// A loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LoopData {
    /// Where.
    pub place: Option<Place>,
    /// The loop around it: an index into [`VariantData::loops`].
    pub inside: Option<usize>,
    /// Iterations, where known.
    pub trips: Option<u64>,
}

/// What an iteration of a loop takes whose products overlap, by a model of one multiprocessor.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TimelineData {
    /// The loop.
    pub place: Option<Place>,
    /// In a sentence.
    pub summary: String,
    /// Clocks of an iteration of all warpgroups.
    pub clocks: u32,
    /// The warpgroups that compute, of all programs on a multiprocessor.
    pub warpgroups: u32,
    /// Those that compute operands for them: their numbers follow.
    pub producers: u32,
    /// Clocks that they need of each unit, all together: the one that takes longest is the bound.
    pub busy: Vec<UnitData>,
    /// The other orders: the best of them, and those that are not possible with the limit that says so.
    pub others: Vec<String>,
    /// What happens in an iteration.
    pub spans: Vec<SpanData>,
    /// The same in letters: a heading, a line for tensor cores and one for each warpgroup.
    pub drawn: Vec<String>,
}

/// Clocks of a unit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnitData {
    /// As Nsight Compute calls it: `tensor`, `xu`, `fma`, `alu`, `issue`.
    pub unit: &'static str,
    /// In an iteration of all warpgroups.
    pub clocks: u32,
}

/// What is busy from one clock to another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SpanData {
    /// The warpgroup.
    pub warpgroup: u32,
    /// `tensor`: tensor cores run a product of it; it is in `start`, `wait` or `work`.
    pub what: &'static str,
    /// The product.
    pub product: Option<Place>,
    /// From the begin of the iteration on.
    pub begin: u32,
    /// The clock after its last.
    pub end: u32,
}

/// The position on a roofline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RooflineData {
    /// The loop of which one iteration is meant; all of a program where there is none.
    pub of_loop: Option<usize>,
    /// Operations per byte that programs load and store.
    pub intensity: f64,
    /// The arithmetic that takes longest.
    pub arithmetic: Option<Arithmetic>,
    /// Operations per byte above which the card computes longer than it waits for memory.
    pub ridge: f64,
    /// `memory` or `compute`.
    pub bound: Bound,
    /// The same for the whole call, where it is known.
    pub call: Option<CallRoofline>,
}

/// What limits a kernel that does all else right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// Bytes per second.
    Memory,
    /// Operations per second.
    Compute,
}

/// A call on a roofline.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CallRoofline {
    /// Operations of all programs.
    pub operations: u64,
    /// Bytes that programs move; what several read may come from caches.
    pub moved_bytes: u64,
    /// Bytes of the arguments: what memory must move at least if all of them is used once.
    pub least_bytes: u64,
    /// Microseconds that the arithmetic takes at the peak.
    pub compute_us: f64,
    /// Microseconds that the least bytes take.
    pub memory_us: f64,
    /// What is the longer.
    pub bound: Bound,
}

/// How often something is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Repeat {
    /// The innermost loop around it.
    pub of_loop: Option<usize>,
    /// Times per program, where every trip count is known.
    pub times: Option<u64>,
}

/// How the lanes of a warp access memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// A single element, which is no tile.
    Single,
    /// All lanes the same.
    Uniform,
    /// No sector that is not needed.
    Coalesced,
    /// Several times as many sectors as needed.
    Strided,
    /// Addresses that follow no rule the compiler knows.
    Scattered,
    /// Whole boxes of a tensor, by TMA.
    Boxes,
}

/// An access to global memory.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AccessData {
    /// `load`, `store`, `atomic` or `prefetch`.
    pub kind: &'static str,
    /// Where.
    pub place: Option<Place>,
    /// The argument that the addresses come from.
    pub tensor: Option<String>,
    /// Of an element.
    pub element: String,
    /// Of the tile.
    pub shape: Vec<u64>,
    /// How lanes access it.
    pub pattern: Pattern,
    /// Elements of one instruction of one lane.
    pub vector: u64,
    /// Bytes of them.
    pub vector_bytes: u64,
    /// Instructions of all warps of a program, each time.
    pub requests: u64,
    /// Sectors of 32 bytes that a request touches when tiles begin at the beginning of one.
    pub sectors: u64,
    /// The most, wherever tiles begin.
    pub sectors_at_most: u64,
    /// Sectors that would hold the bytes that are used.
    pub ideal_sectors: u64,
    /// Bytes used of those moved, from 0 to 1.
    pub efficiency: f64,
    /// What copies it to shared memory by itself, while threads go on: `cp.async` or `TMA`.
    pub by: Option<&'static str>,
    /// Whether a mask decides.
    pub masked: bool,
    /// Cache operator and eviction as in PTX; empty for none.
    pub hints: String,
    /// Bytes of the tile, each time.
    pub bytes: u64,
    /// How often.
    pub repeat: Repeat,
    /// Why vectors are no wider, if they could be.
    pub narrow: Option<Narrow>,
    /// Whether threads have the rest of its tile from loads that overlap it.
    pub overlapping: bool,
}

impl AccessData {
    /// Makes it one in chunks of 16 bytes, which lie at multiples of that; the ends besides, element by element, are not
    /// counted.
    pub fn take_pieces(&mut self) {
        const PIECE: u64 = 16;
        const SECTOR: u64 = 32;
        const LANES: u64 = 32;
        let element = self.vector_bytes / self.vector.max(1);
        self.pattern = Pattern::Coalesced;
        self.vector = PIECE / element.clamp(1, PIECE);
        self.vector_bytes = PIECE;
        self.requests = self.bytes.div_ceil(PIECE * LANES);
        self.sectors = (PIECE * LANES).min(self.bytes).div_ceil(SECTOR);
        self.sectors_at_most = self.sectors + 1;
        self.ideal_sectors = self.sectors;
        self.efficiency = 1.0;
        self.narrow = None;
    }
}

/// A matrix product.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct ProductData {
    pub place: Option<Place>,
    /// `mma`, `fma` or another path.
    pub path: String,
    pub m: u64,
    pub n: u64,
    pub k: u64,
    /// Elements that are multiplied, and that are summed.
    pub factor: String,
    pub sum: String,
    /// Two per product of numbers.
    pub operations: u64,
    pub repeat: Repeat,
}

/// A reduction or scan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct ReductionData {
    pub place: Option<Place>,
    pub shape: Vec<u64>,
    pub axis: usize,
    /// Elements of each thread that are combined in its registers.
    pub in_registers: u64,
    /// Steps between lanes.
    pub shuffles: u32,
    /// Warps that combine their results through shared memory.
    pub warps: u32,
    /// Whether lanes and warps do that once, behind the loop.
    pub behind_loop: bool,
}

/// A tile that is written to or read from shared memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct ExchangeData {
    pub place: Option<Place>,
    /// `store` or `load`.
    pub kind: &'static str,
    pub element: String,
    pub shape: Vec<u64>,
    /// Instructions of a warp.
    pub accesses: u64,
    /// Passes over the banks that each takes, and that it would take without conflicts.
    pub wavefronts: u64,
    pub ideal_wavefronts: u64,
}

/// A tile in registers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct ValueData {
    /// The variable, or the text of the expression.
    pub name: String,
    pub place: Option<Place>,
    /// As in the language: `tile<f32>[64, 64]`.
    pub ty: String,
    /// An index into [`VariantData::layouts`].
    pub layout: usize,
}

/// Who holds which element; see [`crate::layout`] for what the vectors mean.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LayoutData {
    /// Of the tile.
    pub shape: Vec<u64>,
    /// The sizes of what all threads hold in one repetition.
    pub block: Vec<u64>,
    /// How often that is repeated.
    pub repeat: Vec<u64>,
    /// Basis vectors of the bits of a register's number.
    pub registers: Vec<Vec<u32>>,
    /// Of a lane's.
    pub lanes: Vec<Vec<u32>>,
    /// Of a warp's.
    pub warps: Vec<Vec<u32>>,
    /// Registers of each thread.
    pub register_count: u64,
    /// Threads that hold each element.
    pub copies: u64,
    /// In words, a piece per dimension.
    pub words: Vec<String>,
}

/// A decision or a lost opportunity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct RemarkData {
    /// `tilec --explain R0501` says more.
    pub code: &'static str,
    /// Who says it: a pass, or what was looked at.
    pub from: &'static str,
    pub place: Option<Place>,
    pub message: String,
    /// Whether an opportunity was lost.
    pub missed: bool,
    /// What could be written instead.
    pub help: Option<String>,
}

impl RemarkData {
    /// What this kind says at a place.
    #[must_use]
    pub fn new(place: Option<Place>, kind: &RemarkKind) -> Self {
        Self {
            code: kind.code().number(),
            from: kind.code().pass(),
            place,
            message: kind.to_string(),
            missed: kind.is_missed(),
            help: kind.help(),
        }
    }
}
