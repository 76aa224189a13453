//! Remarks: what the compiler decided, and which opportunities were lost.
//!
//! Passes say *what* they found, as a value; all the English is here. Each kind has a code and a page, as errors have. The hundreds
//! say which stage it is of:
//!
//! | range | stage |
//! |---|---|
//! | `R01xx` | tensor cores, the order of programs |
//! | `R02xx` | layouts: warps, widths of accesses |
//! | `R03xx` | conversions between layouts |
//! | `R04xx` | split-K |
//! | `R05xx` | loads ahead of their use |
//! | `R06xx` | warp specialisation, persistent kernels, stream-K |
//! | `R07xx` | the order inside an iteration |
//! | `R08xx` | shared memory |
//! | `R09xx` | what is compiled besides, or left out |
//! | `R10xx` | what `tilec explain` finds in the finished kernel |

use std::fmt;

use super::Span;

mod reason;
pub use reason::{
    KeepsOrder, Narrow, NeverAhead, NoOverlap, NoProducer, NoShare, NoSplit, NotScheduled, Percent,
    Trip, Wait, WarpsFor,
};

macro_rules! codes {
    ($($number:literal $name:ident $pass:literal $title:literal;)*) => {
        /// What kind of remark it is.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum RemarkCode {
            $(#[doc = concat!("`", $number, "`: ", $title, ".")] $name,)*
        }

        impl RemarkCode {
            /// Every code, in order of number.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// `R0101`
            #[must_use]
            pub const fn number(self) -> &'static str {
                match self { $(Self::$name => $number,)* }
            }

            /// What the remark is about, in a few words.
            #[must_use]
            pub const fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)* }
            }

            /// The pass that makes it.
            #[must_use]
            pub const fn pass(self) -> &'static str {
                match self { $(Self::$name => $pass,)* }
            }

            /// What it means, what it costs and what to write instead: Markdown, from `docs/remarks`.
            #[must_use]
            pub const fn page(self) -> &'static str {
                match self {
                    $(Self::$name => include_str!(concat!("../../../docs/remarks/", $number, ".md")),)*
                }
            }
        }
    };
}

// To add a code, add a line here, its page in `docs/remarks`, and a variant of `RemarkKind`.
codes! {
    "R0101" Dot "tensor-cores" "what computes a `dot`";
    "R0102" GroupedPrograms "tensor-cores" "programs run in groups";
    "R0103" OperandSwap "tensor-cores" "a transposed product";
    "R0104" ProgramsAlongRows "views" "programs run along rows";
    "R0105" HintsLeftOut "tensor-cores" "cache hints of a kernel with products";
    "R0106" OneProgramEach "programs" "iterations of a loop are programs";
    "R0107" NarrowProduct "narrow-products" "a product of f32 whose factors 16 bits hold";
    "R0201" Warps "layouts" "warps per program";
    "R0202" Access "layouts" "a wide access";
    "R0203" NarrowAccess "layouts" "a narrow access";
    "R0204" OverlappingLoad "to-llvm" "a load of what others have loaded";
    "R0205" Interleaved "interleaved" "interleaved accesses that are one";
    "R0206" WrittenOut "reroll" "products that are written out are a loop";
    "R0207" PointerViews "pointer-views" "pointers with rows and columns are a view";
    "R0208" FewBlocks "unroll" "loops over few blocks are written out";
    "R0301" SharedMemoryTrip "conversions" "a tile that goes through shared memory in each iteration";
    "R0302" InHalves "conversions" "a tile larger than shared memory";
    "R0303" ExchangeBetweenWarps "conversions" "elements exchanged between warps";
    "R0401" SplitK "split-k" "blocks of a cluster share a loop";
    "R0402" NoSplitK "split-k" "no split-K";
    "R0501" LoadsAhead "pipeline" "loads that run ahead";
    "R0502" LoadWaits "pipeline" "a load that waits in every iteration";
    "R0503" OneStage "pipeline" "one stage, as asked for";
    "R0504" NoRoomForStages "pipeline" "no shared memory for a second stage";
    "R0505" LoadsAheadInRegisters "pipeline" "loads that run ahead into registers";
    "R0506" LoopWaits "pipeline" "a loop whose loads cannot run ahead";
    "R0507" UnalignedRow "pipeline" "a row that may begin anywhere";
    "R0508" UnalignedRowsLoaded "pipeline" "rows that may begin anywhere are loaded";
    "R0509" UnalignedRowsStored "pipeline" "rows that may begin anywhere are stored";
    "R0510" RowInSharedMemory "pipeline" "a row kept in shared memory";
    "R0511" RowsAhead "pipeline" "rows of later iterations that come to shared memory";
    "R0601" NoProducer "pipeline" "no producer warp";
    "R0602" StationaryOperand "pipeline" "an operand that the producer copies before a loop";
    "R0603" EpilogueLoad "pipeline" "a tile that comes through the stages of the loop before it";
    "R0604" OverlappedEpilogue "pipeline" "an overlapped epilogue";
    "R0605" Cluster "pipeline" "two programs in a cluster";
    "R0606" StreamK "pipeline" "stream-K";
    "R0607" NoStreamK "pipeline" "no stream-K";
    "R0608" MixedLengths "pipeline" "programs of different lengths";
    "R0609" MasksSplitOff "pipeline" "iterations without masks";
    "R0610" PersistentRows "pipeline" "a persistent kernel loads the next program's rows";
    "R0611" PersistentConstants "pipeline" "a persistent kernel copies what all programs read";
    "R0612" MaskedInPlace "pipeline" "an operand that is masked where it was copied to";
    "R0701" Overlapped "schedule" "products that overlap with arithmetic";
    "R0702" SourceOrder "schedule" "a loop that keeps its source order";
    "R0703" NotOverlapped "schedule" "no product overlaps with arithmetic";
    "R0801" SharedMemory "shared-memory" "shared memory of a program";
    "R0802" SharedBlocks "shared-blocks" "programs of few warps share a block";
    "R0901" DebugLeftOut "release" "debug statements are left out";
    "R0902" TunedVariants "tuning" "recorded winners are compiled";
    "R0903" TunedLeftOut "tuning" "a recorded winner is left out";
    "R0904" TunedChosen "tuning" "a recorded winner is taken";
    "R1001" NarrowLanes "access" "lanes that could move more at once";
    "R1002" PartSectors "access" "sectors that move in vain";
    "R1003" OneAddress "access" "atomics on one address";
    "R1004" Padding "product" "a product that multiplies padding";
    "R1005" BankConflicts "shared-memory" "bank conflicts";
    "R1006" Spills "registers" "registers that are spilled";
    "R1007" FewWarps "occupancy" "few warps on a multiprocessor";
    "R1008" Precision "precision" "precise arithmetic that a loop waits for";
}

impl fmt::Display for RemarkCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.number())
    }
}

/// A decision or a lost opportunity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// The function (variant) it is about.
    pub function: String,
    /// Where, when it is about a place.
    pub span: Option<Span>,
    /// What it says.
    pub kind: RemarkKind,
}

/// What runs a `dot`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DotPath {
    /// Tensor cores, by this instruction.
    TensorCores(&'static str),
    /// Fused multiply-adds, to keep the accuracy of these elements.
    MultiplyAdds(String),
}

/// Which of a loop's loads TMA copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ByTma {
    /// None.
    None,
    /// Some.
    Some,
    /// All.
    All,
}

/// Who copies for a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Producer {
    /// The threads that compute.
    None,
    /// One warp, by TMA.
    Warp,
    /// A warpgroup, in pieces.
    Warpgroup,
}

/// How the products of a loop follow one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InFlight {
    /// Nothing is said.
    Plain,
    /// Their fragments are read an iteration ahead.
    FragmentsAhead,
    /// They end in their iteration, as the left operand stays in registers.
    EndInIteration,
    /// They stay in flight into the next iteration.
    IntoNext,
}

/// What a remark says.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum RemarkKind {
    Dot {
        left: String,
        right: String,
        path: DotPath,
        /// Whether `precision = tf32` would bring it to the tensor cores.
        can_be_tf32: bool,
    },
    GroupedPrograms {
        rows: u64,
        axis: u32,
    },
    OperandSwap,
    /// A load had hints for caches, and the kernel has products.
    HintsLeftOut,
    ProgramsAlongRows {
        axis: u32,
    },
    /// A load takes elements from the registers of loads that overlap it.
    OverlappingLoad,
    /// So many accesses each take every so-manieth element, and all are one access.
    Interleaved {
        accesses: usize,
    },
    /// So many products became a loop.
    WrittenOut {
        products: usize,
    },
    /// Each iteration of a loop over programs is a program.
    OneProgramEach,
    /// The factors of a product of `f32` are numbers of a type of 16 bits, which are multiplied.
    NarrowProduct {
        element: String,
    },
    /// A loop over so many blocks of a row, whose loads are kept in registers for others.
    FewBlocks {
        fewest: u64,
        most: u64,
        kept: usize,
    },
    /// An access through pointers is one of a view of so many dimensions.
    PointerView {
        dimensions: usize,
    },
    Warps {
        warps: u32,
        /// Blocks of a cluster that share a program.
        cluster: u32,
        why: WarpsFor,
    },
    Access {
        what: String,
        width: u64,
        bytes: u64,
    },
    NarrowAccess {
        what: String,
        width: u64,
        bytes: u64,
    },
    SharedMemoryTrip {
        tile: String,
        why: Trip,
    },
    InHalves {
        tile: String,
    },
    ExchangeBetweenWarps,
    SplitK {
        blocks: u64,
    },
    NoSplitK {
        why: NoSplit,
    },
    LoadsAhead {
        loads: usize,
        iterations: u64,
        tma: ByTma,
        stages: u64,
        bytes: u64,
        /// The stages that `#[stages]` asks for.
        asked: Option<u64>,
        realigns: bool,
        in_flight: InFlight,
        producer: Producer,
        /// Operands that the producer computes.
        computed: usize,
    },
    LoadWaits {
        why: Wait,
    },
    OneStage,
    NoRoomForStages,
    LoadsAheadInRegisters {
        loads: usize,
        iterations: u64,
        registers: u64,
    },
    /// Loads of a loop come to shared memory so many iterations ahead, each of which takes so many bytes.
    RowsAhead {
        loads: usize,
        iterations: u64,
        bytes: u64,
    },
    LoopWaits {
        why: NeverAhead,
    },
    UnalignedRow,
    UnalignedRowsLoaded,
    UnalignedRowsStored,
    RowInSharedMemory {
        elements: u64,
        bits: u64,
    },
    NoProducer {
        why: NoProducer,
    },
    StationaryOperand {
        buffers: u64,
        /// Whether the program's results go to memory through the same buffer.
        holds_staging: bool,
    },
    EpilogueLoad {
        stages: u64,
    },
    OverlappedEpilogue,
    Cluster {
        axis: u32,
    },
    StreamK,
    NoStreamK {
        why: NoShare,
    },
    MixedLengths,
    MasksSplitOff {
        masks: usize,
    },
    PersistentRows,
    PersistentConstants,
    MaskedInPlace,
    SharedBlocks {
        programs: i64,
    },
    Overlapped {
        products: usize,
        registers: u64,
    },
    SourceOrder {
        why: KeepsOrder,
    },
    NotOverlapped {
        why: NoOverlap,
    },
    SharedMemory {
        bytes: u64,
        buffers: usize,
    },
    DebugLeftOut {
        counts: Vec<(String, usize)>,
    },
    TunedVariants {
        count: usize,
        record: String,
    },
    TunedLeftOut {
        kernel: String,
        problem: String,
    },
    TunedChosen {
        words: String,
    },
    NarrowLanes {
        /// `load`, `store`, …
        access: &'static str,
        bytes: u64,
        /// Bytes of the widest access of a lane.
        possible: u64,
        why: Narrow,
    },
    PartSectors {
        sectors: u64,
        ideal: u64,
        /// Of what moves, what is of use: 0 to 1.
        useful: Percent,
    },
    OneAddress {
        /// Whether a tile has several elements that go there, or programs one each.
        tile: bool,
    },
    Padding {
        /// Sizes of a product, and what each is padded to.
        sizes: Vec<(&'static str, u64, u64)>,
        useful: Percent,
    },
    BankConflicts {
        /// Whether shared memory is written to.
        store: bool,
        wavefronts: u64,
        ideal: u64,
        accesses: u64,
    },
    Spills {
        registers: u32,
        bytes: u64,
    },
    FewWarps {
        warps: u32,
        of: u32,
        /// What allows no more.
        limits: Vec<&'static str>,
    },
    Precision {
        what: &'static str,
        instructions: u32,
        instead: &'static str,
        /// Instructions of that.
        fewer: u32,
    },
}

impl Remark {
    /// Its code.
    #[must_use]
    pub const fn code(&self) -> RemarkCode {
        self.kind.code()
    }

    /// The pass that makes it.
    #[must_use]
    pub const fn pass(&self) -> &'static str {
        self.code().pass()
    }

    /// Whether an opportunity was lost, rather than a decision taken.
    #[must_use]
    pub const fn is_missed(&self) -> bool {
        self.kind.is_missed()
    }

    /// One sentence.
    #[must_use]
    pub fn message(&self) -> String {
        self.kind.to_string()
    }

    /// What the author of the kernel could write instead, where something would help.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        self.kind.help()
    }
}

impl RemarkKind {
    /// Whether an opportunity was lost, rather than a decision taken.
    #[must_use]
    pub const fn is_missed(&self) -> bool {
        matches!(
            self,
            Self::NarrowAccess { .. }
                | Self::SharedMemoryTrip { .. }
                | Self::InHalves { .. }
                | Self::NoSplitK { .. }
                | Self::LoadWaits { .. }
                | Self::NoRoomForStages
                | Self::LoopWaits { .. }
                | Self::NoProducer { .. }
                | Self::NoStreamK { .. }
                | Self::SourceOrder { .. }
                | Self::NotOverlapped { .. }
                | Self::TunedLeftOut { .. }
                | Self::NarrowLanes { .. }
                | Self::PartSectors { .. }
                | Self::OneAddress { .. }
                | Self::Padding { .. }
                | Self::BankConflicts { .. }
                | Self::Spills { .. }
                | Self::FewWarps { .. }
                | Self::Precision { .. }
        )
    }

    /// What the author of the kernel could write instead, where something would help.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Dot {
                can_be_tf32: true, ..
            } => Some(
                "`dot(…, precision = tf32)` runs on the tensor cores; it keeps 10 bits behind the point of each factor"
                    .to_owned(),
            ),
            Self::LoopWaits { why } => Some(why.help().to_owned()),
            Self::Precision { instead, fewer, .. } => Some(format!("{instead} takes {fewer}")),
            Self::Padding { .. } => Some(
                "tensor cores multiply 16 rows, 8 columns and 32 bytes along K: choose multiples"
                    .to_owned(),
            ),
            Self::OneAddress { tile: true } => {
                Some("combine the tile first (`sum`, `max`, …), and add it once".to_owned())
            }
            _ => None,
        }
    }

    /// The code of this kind.
    #[must_use]
    pub const fn code(&self) -> RemarkCode {
        use RemarkCode as Code;
        match self {
            Self::Dot { .. } => Code::Dot,
            Self::GroupedPrograms { .. } => Code::GroupedPrograms,
            Self::OperandSwap => Code::OperandSwap,
            Self::HintsLeftOut => Code::HintsLeftOut,
            Self::ProgramsAlongRows { .. } => Code::ProgramsAlongRows,
            Self::OverlappingLoad => Code::OverlappingLoad,
            Self::Interleaved { .. } => Code::Interleaved,
            Self::WrittenOut { .. } => Code::WrittenOut,
            Self::PointerView { .. } => Code::PointerViews,
            Self::OneProgramEach => Code::OneProgramEach,
            Self::NarrowProduct { .. } => Code::NarrowProduct,
            Self::FewBlocks { .. } => Code::FewBlocks,
            Self::Warps { .. } => Code::Warps,
            Self::Access { .. } => Code::Access,
            Self::NarrowAccess { .. } => Code::NarrowAccess,
            Self::SharedMemoryTrip { .. } => Code::SharedMemoryTrip,
            Self::InHalves { .. } => Code::InHalves,
            Self::ExchangeBetweenWarps => Code::ExchangeBetweenWarps,
            Self::SplitK { .. } => Code::SplitK,
            Self::NoSplitK { .. } => Code::NoSplitK,
            Self::LoadsAhead { .. } => Code::LoadsAhead,
            Self::LoadWaits { .. } => Code::LoadWaits,
            Self::OneStage => Code::OneStage,
            Self::NoRoomForStages => Code::NoRoomForStages,
            Self::RowsAhead { .. } => Code::RowsAhead,
            Self::LoadsAheadInRegisters { .. } => Code::LoadsAheadInRegisters,
            Self::LoopWaits { .. } => Code::LoopWaits,
            Self::UnalignedRow => Code::UnalignedRow,
            Self::UnalignedRowsLoaded => Code::UnalignedRowsLoaded,
            Self::UnalignedRowsStored => Code::UnalignedRowsStored,
            Self::RowInSharedMemory { .. } => Code::RowInSharedMemory,
            Self::NoProducer { .. } => Code::NoProducer,
            Self::StationaryOperand { .. } => Code::StationaryOperand,
            Self::EpilogueLoad { .. } => Code::EpilogueLoad,
            Self::OverlappedEpilogue => Code::OverlappedEpilogue,
            Self::Cluster { .. } => Code::Cluster,
            Self::StreamK => Code::StreamK,
            Self::NoStreamK { .. } => Code::NoStreamK,
            Self::MixedLengths => Code::MixedLengths,
            Self::MasksSplitOff { .. } => Code::MasksSplitOff,
            Self::PersistentRows => Code::PersistentRows,
            Self::SharedBlocks { .. } => Code::SharedBlocks,
            Self::PersistentConstants => Code::PersistentConstants,
            Self::MaskedInPlace => Code::MaskedInPlace,
            Self::Overlapped { .. } => Code::Overlapped,
            Self::SourceOrder { .. } => Code::SourceOrder,
            Self::NotOverlapped { .. } => Code::NotOverlapped,
            Self::SharedMemory { .. } => Code::SharedMemory,
            Self::DebugLeftOut { .. } => Code::DebugLeftOut,
            Self::TunedVariants { .. } => Code::TunedVariants,
            Self::TunedLeftOut { .. } => Code::TunedLeftOut,
            Self::TunedChosen { .. } => Code::TunedChosen,
            Self::NarrowLanes { .. } => Code::NarrowLanes,
            Self::PartSectors { .. } => Code::PartSectors,
            Self::OneAddress { .. } => Code::OneAddress,
            Self::Padding { .. } => Code::Padding,
            Self::BankConflicts { .. } => Code::BankConflicts,
            Self::Spills { .. } => Code::Spills,
            Self::FewWarps { .. } => Code::FewWarps,
            Self::Precision { .. } => Code::Precision,
        }
    }
}

/// `1 load`, `2 loads`
struct Count(u64, &'static str);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = if self.0 == 1 { "" } else { "s" };
        write!(f, "{} {}{s}", self.0, self.1)
    }
}

/// `a, b and c`
#[must_use]
pub fn and(list: &[&str]) -> String {
    match list {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

impl fmt::Display for RemarkKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dot {
                left, right, path, ..
            } => match path {
                DotPath::TensorCores(instruction) => write!(
                    f,
                    "{left} times {right} runs on the tensor cores: {instruction}"
                ),
                DotPath::MultiplyAdds(element) => write!(
                    f,
                    "{left} times {right} runs as fused multiply-adds, to keep {element} accuracy"
                ),
            },
            Self::GroupedPrograms { rows, axis } => write!(
                f,
                "programs run in groups of {rows} along axis {axis} (grouped rasterisation), to share operands in L2"
            ),
            Self::ProgramsAlongRows { axis } => write!(
                f,
                "programs run along axis {axis} first: it goes along rows, so that those that run together access neighbouring memory"
            ),
            Self::OverlappingLoad => f.write_str(
                "overlaps loads before it: each thread takes the elements that it has of those from registers",
            ),
            Self::Interleaved { accesses } => write!(
                f,
                "{accesses} interleaved accesses are one, whose parts are in registers of a thread"
            ),
            Self::WrittenOut { products } => write!(
                f,
                "{products} products that are written out are a loop: what they multiply has no room in shared memory at once"
            ),
            Self::NarrowProduct { element } => write!(
                f,
                "{element} holds each factor of this product of f32: those are multiplied, and their products are exact"
            ),
            Self::OneProgramEach => f.write_str(
                "each iteration of this loop is a program of its own, as they do not depend on each other",
            ),
            Self::FewBlocks { fewest, most, kept } => {
                match (fewest == most, most) {
                    (true, 1) => f.write_str("this loop has one iteration")?,
                    (true, _) => write!(f, "this loop has {most} iterations, which are written out")?,
                    (false, _) => write!(
                        f,
                        "this loop has {fewest} to {most} iterations, which are written out"
                    )?,
                }
                match kept {
                    0 => Ok(()),
                    1 => f.write_str("; what it loads stays in registers for other loops"),
                    _ => write!(f, "; {kept} of its loads stay in registers for other loops"),
                }
            }
            Self::PointerView { dimensions } => write!(
                f,
                "these pointers are a view of {dimensions} dimensions: what the mask says are its bounds"
            ),
            Self::HintsLeftOut => f.write_str(
                "its cache hint is left out: it is copied to shared memory while products run",
            ),
            Self::OperandSwap => f.write_str(
                "the right operand is computed: the transposed product is computed instead, so that it stays in registers",
            ),
            Self::Warps {
                warps,
                cluster,
                why,
            } => {
                write!(f, "{} per program", Count((*warps).into(), "warp"))?;
                if *cluster > 1 {
                    write!(f, " on a cluster of {cluster} blocks")?;
                }
                write!(f, ", {why}")
            }
            Self::Access { what, width, bytes } => {
                write!(f, "{what} in vectors of {width} x {bytes} bytes per thread")
            }
            Self::NarrowAccess { what, width, bytes } => write!(
                f,
                "{what} in vectors of {width} x {bytes} bytes per thread: contiguity, alignment or the mask allow no wider ones"
            ),
            Self::SharedMemoryTrip { tile, why } => write!(
                f,
                "{tile} goes through shared memory in each iteration, between barriers: {why}"
            ),
            Self::InHalves { tile } => {
                write!(f, "{tile} is larger than shared memory: it goes through it in halves")
            }
            Self::ExchangeBetweenWarps => {
                f.write_str("elements are exchanged between warps, through shared memory")
            }
            Self::SplitK { blocks } => write!(
                f,
                "split-K: {blocks} blocks of a cluster share the iterations of the loop, and the first one adds their \
                 accumulators"
            ),
            Self::NoSplitK { why } => write!(f, "no split-K: {why}"),
            Self::LoadsAhead {
                loads,
                iterations,
                tma,
                stages,
                bytes,
                asked,
                realigns,
                in_flight,
                producer,
                computed,
            } => {
                let run = if *loads == 1 { "runs" } else { "run" };
                write!(
                    f,
                    "{} of this loop {run} {} ahead{}, in {} of {bytes} bytes",
                    Count(*loads as u64, "load"),
                    Count(*iterations, "iteration"),
                    match tma {
                        ByTma::None => "",
                        ByTma::Some => ", some by TMA",
                        ByTma::All => " by TMA",
                    },
                    Count(*stages, "stage"),
                )?;
                match asked {
                    Some(asked) if asked > stages => {
                        write!(f, " ({asked} were asked for, but do not fit)")?;
                    }
                    Some(_) => f.write_str(" (as asked for)")?,
                    None => {}
                }
                if *realigns {
                    f.write_str(
                        "; unaligned rows are copied as they are, and realigned in each iteration",
                    )?;
                }
                f.write_str(match in_flight {
                    InFlight::Plain => "",
                    InFlight::FragmentsAhead => {
                        "; fragments are read one iteration before their products"
                    }
                    InFlight::EndInIteration => {
                        "; the left operand stays in registers, so each product ends in its iteration"
                    }
                    InFlight::IntoNext => "; products stay in flight into the next iteration",
                })?;
                f.write_str(match producer {
                    Producer::None => "",
                    Producer::Warp => "; a producer warp issues the copies",
                    Producer::Warpgroup => "; a producer warpgroup issues the copies",
                })?;
                match computed {
                    0 => Ok(()),
                    count => write!(f, ", and computes {} from its loads", Count(*count as u64, "operand")),
                }
            }
            Self::LoadWaits { why } => write!(f, "this load waits in every iteration: {why}"),
            Self::OneStage => f.write_str("loads wait in every iteration, as asked for"),
            Self::NoRoomForStages => f.write_str(
                "loads wait in every iteration: there is no shared memory for a second stage",
            ),
            Self::RowsAhead {
                loads,
                iterations,
                bytes,
            } => {
                let run = if *loads == 1 { "runs" } else { "run" };
                write!(
                    f,
                    "{} of this loop {run} {} ahead, {bytes} bytes of shared memory each, where threads copy what they read",
                    Count(*loads as u64, "load"),
                    Count(*iterations, "iteration")
                )
            }
            Self::LoadsAheadInRegisters {
                loads,
                iterations,
                registers,
            } => {
                let run = if *loads == 1 { "runs" } else { "run" };
                write!(
                    f,
                    "{} of this loop {run} {} ahead, in {registers} registers",
                    Count(*loads as u64, "load"),
                    Count(*iterations, "iteration")
                )
            }
            Self::LoopWaits { why } => {
                write!(f, "loads of this loop wait in every iteration: {why}")
            }
            Self::UnalignedRow => f.write_str(
                "this row may be unaligned: it comes to shared memory in chunks of 16 bytes, and its ends element by element",
            ),
            Self::UnalignedRowsLoaded => f.write_str(
                "rows may be unaligned: they are copied to shared memory as they are, in chunks of 16 bytes, and read from there",
            ),
            Self::UnalignedRowsStored => f.write_str(
                "rows may be unaligned: they are stored in chunks of 16 bytes, through shared memory",
            ),
            Self::RowInSharedMemory { elements, bits } => write!(
                f,
                "this row of {elements} elements of {bits} bits stays in shared memory, and is read from there as often as it is \
                 needed"
            ),
            Self::NoProducer { why } => write!(f, "this kernel has no producer warp: {why}"),
            Self::StationaryOperand {
                buffers,
                holds_staging,
            } => {
                f.write_str("the producer copies this operand by TMA, while the program before ends")?;
                if *buffers > 1 {
                    f.write_str(", to the other of two buffers")?;
                }
                if *holds_staging {
                    f.write_str("; results are stored through its buffer, as there is room for no other")?;
                }
                Ok(())
            }
            Self::EpilogueLoad { stages } => write!(
                f,
                "the producer copies this tile of the epilogue through {} of the loop before it, while that still runs",
                Count(*stages, "stage")
            ),
            Self::OverlappedEpilogue => f.write_str(
                "overlapped epilogue: a program's results are stored while the first products of the next one run",
            ),
            Self::Cluster { axis } => write!(
                f,
                "two programs along axis {axis} form a cluster where there are very many, or where rows do not begin with lines of \
                 the cache: what both read is copied once (multicast)"
            ),
            Self::StreamK => f.write_str(
                "stream-K: where there are blocks to spare, several share the iterations of a program, and the last one adds \
                 their accumulators",
            ),
            Self::NoStreamK { why } => write!(
                f,
                "no stream-K: each program of a last wave that fills only some of the device has one block: {why}"
            ),
            Self::MixedLengths => f.write_str(
                "programs differ in length: the tile scheduler gives a block its next one when it asks",
            ),
            Self::MasksSplitOff { masks: 1 } => f.write_str(
                "a mask of this loop holds in most iterations: those have a loop without it",
            ),
            Self::MasksSplitOff { masks } => write!(
                f,
                "{masks} masks of this loop hold in most iterations: those have a loop without them"
            ),
            Self::PersistentRows => f.write_str(
                "persistent kernel: the rows of the next program come to shared memory while one is computed",
            ),
            Self::SharedBlocks { programs } => write!(
                f,
                "up to {programs} programs share a block, where a launch has more than run at once"
            ),
            Self::MaskedInPlace => f.write_str(
                "it is copied without its mask: where that does not hold, threads mask the tile in shared memory",
            ),
            Self::PersistentConstants => f.write_str(
                "persistent kernel: what all programs read is copied to shared memory once",
            ),
            Self::Overlapped {
                products,
                registers,
            } => write!(
                f,
                "{} of this loop overlap with its arithmetic: those that need results of their own iteration run in the next; tiles \
                 take {registers} registers of a thread",
                Count(*products as u64, "product")
            ),
            Self::SourceOrder { why } => write!(f, "this loop keeps its source order: {why}"),
            Self::NotOverlapped { why } => write!(
                f,
                "no product of this loop overlaps with the arithmetic of the next iteration: {why}"
            ),
            Self::SharedMemory { bytes, buffers } => write!(
                f,
                "{bytes} bytes of shared memory for {}",
                Count(*buffers as u64, "buffer")
            ),
            Self::DebugLeftOut { counts } => {
                for (number, (function, count)) in counts.iter().enumerate() {
                    let and = if number == 0 { "" } else { " and " };
                    write!(f, "{and}{count} `{function}`")?;
                }
                f.write_str(" are left out: `--debug` keeps them")
            }
            Self::TunedVariants { count, record } => {
                let are = if *count == 1 { "is" } else { "are" };
                write!(
                    f,
                    "{} {are} compiled besides the default: a launch takes the nearest of those in {record}",
                    Count(*count as u64, "recorded winner")
                )
            }
            Self::TunedLeftOut { kernel, problem } => {
                write!(f, "`{kernel}` is left out: {problem}")
            },
            Self::TunedChosen { words } => f.write_str(words),
            Self::NarrowLanes {
                access,
                bytes,
                possible,
                why,
            } => write!(
                f,
                "this {access} takes {bytes} bytes per lane where {possible} are possible, so {} times the instructions: {why}",
                possible / bytes.max(&1)
            ),
            Self::PartSectors {
                sectors,
                ideal,
                useful,
            } => write!(
                f,
                "each request touches {sectors} sectors of 32 bytes where {ideal} would hold what is used: {useful} of what moves is \
                 of use"
            ),
            Self::OneAddress { tile: true } => {
                f.write_str("all elements go to one address, one after the other")
            }
            Self::OneAddress { tile: false } => {
                f.write_str("programs that come to the same address wait for each other")
            }
            Self::Padding { sizes, useful } => {
                for (number, (name, size, padded)) in sizes.iter().enumerate() {
                    let comma = if number == 0 { "" } else { ", " };
                    write!(f, "{comma}{name} = {size} is padded to {padded}")?;
                }
                write!(f, ": {useful} of the products are of use")
            }
            Self::BankConflicts {
                store,
                wavefronts,
                ideal,
                accesses,
            } => {
                let verb = if *store { "written to" } else { "read from" };
                write!(
                    f,
                    "the tile is {verb} shared memory with bank conflicts: {wavefronts} passes where {ideal} would do, {accesses} times"
                )
            }
            Self::Spills { registers, bytes } => write!(
                f,
                "{registers} registers per thread are not enough: {bytes} bytes of instructions spill them to memory and bring \
                 them back"
            ),
            Self::FewWarps { warps, of, limits } => write!(
                f,
                "{warps} of {of} warps of a multiprocessor are in use, limited by {}: few to hide the latency of memory",
                and(limits)
            ),
            Self::Precision {
                what, instructions, ..
            } => write!(
                f,
                "{what} takes {instructions} instructions for each element, in a loop that waits for them"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RemarkCode;

    #[test]
    fn numbers_rise_and_pages_begin_with_the_title() {
        let numbers: Vec<_> = RemarkCode::ALL.iter().map(|code| code.number()).collect();
        assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
        for code in RemarkCode::ALL {
            let first = format!("# {code}: {}\n", code.title());
            assert!(code.page().starts_with(&first), "{first}");
        }
    }
}
