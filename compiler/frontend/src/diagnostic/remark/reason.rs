//! Why something was decided or not possible: the values inside remarks, and their English.

use std::fmt;

macro_rules! reasons {
    ($($(#[$attribute:meta])* $enum:ident { $($name:ident $text:literal,)* })*) => {$(
        $(#[$attribute])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $enum {
            $(#[doc = concat!("… ", $text, ".")] $name,)*
        }

        impl fmt::Display for $enum {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $(Self::$name => $text,)* })
            }
        }
    )*};
}

reasons! {
    /// Why a tile goes through shared memory in each iteration.
    Trip {
        ComputedOperand "it is computed, and a product reads it there",
        OtherThreads "threads need other elements of it than they have",
    }

    /// Why the blocks of a cluster do not share a loop.
    NoSplit {
        NoClusters "the target has no clusters",
        RowsOnCluster "the program's rows are spread over a cluster already",
        Empty "the kernel is empty",
        NoLoop "no loop of the kernel carries accumulators alone",
        EffectsBefore "what stands before the loop has effects",
        Effects "the loop has effects besides its accumulators",
        InlinePtx "inline PTX may ask which block it is in",
    }

    /// Why blocks do not share the last programs.
    NoShare {
        OnCluster "each is on a cluster of blocks",
        SeveralLoops "several loops copy what they read",
        InnerLoop "the loop stands in another loop or in a branch",
        CarriesMore "the loop carries more than accumulators",
        NotZero "the accumulators do not begin at zero",
        Effects "the loop, or what stands before it, has effects",
        OwnLength "how many iterations the loop has may differ from program to program",
    }

    /// Why a load cannot run ahead of its use.
    Wait {
        CacheHints "it has cache hints",
        Unused "nothing uses it",
        Written "the loop writes to what it reads",
        OtherThanZero "elements out of bounds are not 0",
        NoNumbers "its elements are not numbers",
        SmallChunks "a thread's chunks are smaller than 4 bytes",
        Scattered "its elements lie apart, so copies would take as many instructions as loads",
        InBranch "it depends on a branch",
        Computed "it depends on what the loop computes",
        ComputedPlace "where it reads depends on what the loop reads or computes",
    }

    /// Why no load of a loop can run ahead of its use.
    NeverAhead {
        OpenEnd "only an iteration itself knows whether there is another",
    }

    /// Why a kernel has no producer warp.
    NoProducer {
        OpenEndAround "the number of iterations around it is not known before they run",
        CarriedPointers "a tile of pointers goes from iteration to iteration",
        Realigned "all threads realign it",
        MayBeWritten "the kernel may write to what it reads",
        PlaceFromLoop "where it reads depends on a loop",
        PlaceFromKernel "where it reads depends on what the kernel computes",
        PlaceFromTile "where it reads is a tile of a loop or a branch",
        ProgramsFillGaps "without one two programs share a multiprocessor, and one multiplies while the other waits",
        NoRoom "it has too little shared memory or too few registers",
    }

    /// Why a loop is not looked into, and keeps its source order.
    NotScheduled {
        NoProducer "no warp copies for the others",
        OneProduct "it has one product",
        OwnAccumulators "each of its products adds to a sum of its own, and runs on into the next iteration",
        CopiesBehind "its ring also copies what is read behind it",
        Pair "two programs share its copies",
        Written "something in it writes what its products read",
    }
}

impl NeverAhead {
    /// What the author of the kernel could write instead.
    #[must_use]
    pub const fn help(self) -> &'static str {
        match self {
            Self::OpenEnd => {
                "count the iterations before: `for i in range(…)` without `break` or `return`"
            }
        }
    }
}

/// What a program has its warps for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WarpsFor {
    /// `#[warps(…)]`.
    Asked,
    /// A tile of so many elements that is reduced.
    Reduced {
        /// How many.
        elements: u64,
    },
    /// A row of so many bytes that is reduced.
    ReducedRow {
        /// How many.
        bytes: u64,
    },
    /// A tile of so many elements that is sorted.
    Sorted {
        /// How many.
        elements: u64,
    },
    /// A product of so many elements.
    Product {
        /// How many.
        elements: u64,
    },
    /// Products of so many elements in all, of which one reads what another one gives.
    Chained {
        /// How many.
        elements: u64,
    },
    /// Products of 192 rows.
    ThreeWarpgroups,
    /// A load or a store of so many bytes.
    Access {
        /// How many.
        bytes: u64,
    },
}

impl fmt::Display for WarpsFor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Asked => f.write_str("as asked for"),
            Self::Reduced { elements } => write!(f, "for {elements} elements to reduce"),
            Self::ReducedRow { bytes } => write!(f, "for {bytes} bytes to reduce"),
            Self::Sorted { elements } => write!(f, "for {elements} elements to sort"),
            Self::Product { elements } => write!(f, "for a product of {elements} elements"),
            Self::Chained { elements } => {
                write!(
                    f,
                    "for products of {elements} elements, one of which waits for another"
                )
            }
            Self::ThreeWarpgroups => f.write_str("64 rows of each product for each warpgroup"),
            Self::Access { bytes } => write!(f, "for {bytes} bytes per access"),
        }
    }
}

/// Why a loop keeps its source order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeepsOrder {
    /// It is not looked into.
    NotScheduled(NotScheduled),
    /// Of the registers of a thread, another order needs more than there are.
    Registers {
        /// Those for tiles.
        needed: u64,
        /// Those that tiles may take.
        available: u64,
    },
}

impl fmt::Display for KeepsOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotScheduled(why) => why.fmt(f),
            Self::Registers { needed, available } => write!(
                f,
                "started early, its products would need {needed} registers of a thread for tiles, and it has {available}"
            ),
        }
    }
}

/// Why the operations of a loop run in their own iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NoOverlap {
    /// No asynchronous operation needs what its iteration computes.
    NothingToStagger,
    /// What would start early needs what runs late.
    Recurrence,
    /// What would run late accesses memory in order.
    Order,
    /// What runs late reads registers that the next iteration would write meanwhile.
    Held,
    /// Too few registers of a thread.
    Registers {
        /// Those for tiles.
        needed: u64,
        /// Those that tiles may take.
        available: u64,
    },
}

impl fmt::Display for NoOverlap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NothingToStagger => "none of them needs what its own iteration computes",
            Self::Recurrence => {
                "what starts first in an iteration needs what ends last in the one before"
            }
            Self::Order => "what would run an iteration later accesses memory in order",
            Self::Held => {
                "what would run an iteration later reads registers that are written meanwhile"
            }
            Self::Registers { needed, available } => {
                return write!(
                    f,
                    "a thread would need {needed} registers for tiles, and has {available}"
                );
            }
        })
    }
}

/// Why an access of a lane is narrower than 16 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Narrow {
    /// No dimension has neighbours in memory.
    Apart,
    /// The same, as positions wrap around that may be negative.
    Wrapped,
    /// Threads have no more elements.
    FewElements,
    /// The tile's size is no multiple of the vector.
    Shape {
        /// The size.
        size: u64,
    },
    /// Addresses are multiples of no more than this.
    Alignment {
        /// In bytes.
        bytes: u64,
    },
    /// The mask may differ between neighbours.
    Mask,
    /// Neighbours are in different threads, where another operation wants them.
    Layout,
}

impl fmt::Display for Narrow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Apart => "neighbouring elements are not known to be neighbours in memory",
            Self::Wrapped => {
                "neighbouring elements are not known to be neighbours in memory, as what `%` divides may be negative"
            }
            Self::FewElements => "each thread has no more elements of this tile",
            Self::Shape { size } => return write!(f, "a dimension of {size} has no wider vectors"),
            Self::Alignment { bytes } => {
                return write!(
                    f,
                    "addresses are known to be multiples of {bytes} bytes, of no more"
                );
            }
            Self::Mask => "the mask may differ between neighbouring elements",
            Self::Layout => "the elements stay in the threads where another operation wants them",
        })
    }
}

impl serde::Serialize for Narrow {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A part of a whole, in whole percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Percent {
    whole: u8,
}

impl Percent {
    /// Of 0 to 1.
    #[must_use]
    pub fn of(part: f64) -> Self {
        let whole = (100.0 * part.clamp(0.0, 1.0)).round();
        Self { whole: whole as u8 }
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} %", self.whole)
    }
}
