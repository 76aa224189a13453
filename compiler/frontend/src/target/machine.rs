//! What instructions take on a multiprocessor, in clocks: the numbers that schedules are judged by.
//!
//! Rates are those of the CUDA programming guide (table of arithmetic instructions) and, for tensor cores, of the data sheets.
//! What no data sheet says was measured on an H200: waits, barriers, and how far the units fall short of their peaks.

use super::Target;

/// A unit of a multiprocessor that instructions take; the names are those of Nsight Compute's pipes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unit {
    /// Tensor cores.
    Tensor,
    /// Exponentials, logarithms, roots, reciprocals.
    Xu,
    /// Fused multiply-adds, additions and products of floats, products of integers.
    Fma,
    /// Comparisons, selections, maxima, logic, additions of integers, conversions.
    Alu,
    /// The places of instructions: a warp scheduler gives one in a clock.
    Issue,
}

impl Unit {
    /// All units, tensor cores first.
    pub const ALL: [Self; 5] = [Self::Tensor, Self::Xu, Self::Fma, Self::Alu, Self::Issue];

    /// Its name in texts and in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tensor => "tensor",
            Self::Xu => "xu",
            Self::Fma => "fma",
            Self::Alu => "alu",
            Self::Issue => "issue",
        }
    }

    /// The unit of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|unit| unit.name() == name)
    }

    /// Clocks that a warp's instruction takes on the quarter of the unit that its warp scheduler has: 32 lanes by the lanes
    /// of a quarter. Tensor cores count by products.
    #[must_use]
    pub const fn clocks_per_instruction(self) -> u32 {
        match self {
            Self::Tensor => 0,
            Self::Xu => 8,
            Self::Alu => 2,
            Self::Fma | Self::Issue => 1,
        }
    }
}

/// What something takes of each unit, for the four warps of a warpgroup, one on each warp scheduler.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Work {
    clocks: [u32; Unit::ALL.len()],
    /// Clocks after its last instruction until its result can be used, where that is more than a few.
    pub latency: u32,
    /// The instructions that its clocks of tensor cores are made of.
    pub tensor_instructions: u32,
}

impl Work {
    /// Nothing.
    pub const NONE: Self = Self {
        clocks: [0; Unit::ALL.len()],
        latency: 0,
        tensor_instructions: 0,
    };

    /// Clocks of a unit, if it is alone on it.
    #[must_use]
    pub const fn of(&self, unit: Unit) -> u32 {
        self.clocks[unit as usize]
    }

    /// The same with clocks of a unit added.
    #[must_use]
    pub const fn with(mut self, unit: Unit, clocks: u32) -> Self {
        self.clocks[unit as usize] = self.clocks[unit as usize].saturating_add(clocks);
        self
    }

    /// So many instructions of each warp on a unit.
    #[must_use]
    pub const fn instructions(unit: Unit, count: u32) -> Self {
        let work = Self {
            clocks: [0; Unit::ALL.len()],
            latency: 0,
            tensor_instructions: 0,
        };
        let clocks = count.saturating_mul(unit.clocks_per_instruction());
        work.with(unit, clocks).with(Unit::Issue, count)
    }

    /// The same with clocks until its result can be used.
    #[must_use]
    pub const fn with_latency(mut self, clocks: u32) -> Self {
        self.latency = clocks;
        self
    }

    /// Both, one after the other.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        for unit in Unit::ALL {
            self = self.with(unit, other.of(unit));
        }
        self.latency = self.latency.max(other.latency);
        self.tensor_instructions = self
            .tensor_instructions
            .saturating_add(other.tensor_instructions);
        self
    }
}

/// What a multiprocessor takes for what programs do beside arithmetic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Machine {
    /// Clocks to issue one asynchronous product.
    pub start: f64,
    /// Asynchronous products that may be issued before the first is done.
    pub queue: f64,
    /// Clocks from the end of an asynchronous product until what waits for it goes on.
    pub wait: f64,
    /// Clocks to see that a copy has arrived, and to say that it was read.
    pub channel: f64,
    /// Clocks to give one warpgroup's turn to the next.
    pub turn: f64,
    /// What the other units reach.
    pub reached: Reached,
    /// The same while tensor cores run: their sums are in the registers that all units read and write.
    pub reached_beside_tensor: Reached,
}

/// The parts of their peaks that units reach.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reached {
    /// [`Unit::Xu`], whose instructions read one register in eight clocks.
    pub xu: f64,
    /// The others.
    pub others: f64,
}

impl Reached {
    /// Of a unit.
    #[must_use]
    pub const fn of(self, unit: Unit) -> f64 {
        match unit {
            Unit::Xu => self.xu,
            _ => self.others,
        }
    }
}

/// H200 and H100. The numbers are fitted to 42 loops of two or three products (attention of 64 to 256 columns and 64 to 192 keys,
/// chains without a maximum, soft caps, slopes; one to three warpgroups, products overlapped or not, in turn or not): 9 % on
/// average, attention within 12 %, retention of 64 columns 30 % at worst (`benches/results/model-h100-2026-11-26.md`). Without
/// the last two, overlapped loops would seem 12 to 25 % faster than they are.
const HOPPER: Machine = Machine {
    start: 22.0,
    queue: 16.0,
    wait: 57.0,
    channel: 52.0,
    turn: 50.0,
    reached: Reached {
        xu: 0.79,
        others: 1.0,
    },
    reached_beside_tensor: Reached {
        xu: 0.53,
        others: 0.33,
    },
};

impl Machine {
    /// The multiprocessor of a target; `None` where nobody measured it.
    #[must_use]
    pub fn of(target: &Target) -> Option<&'static Self> {
        target.has_warpgroup_products.then_some(&HOPPER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_take_their_unit_and_their_places() {
        assert!(Machine::of(Target::named("sm_90a").expect("a target")).is_some());
        let exponentials = Work::instructions(Unit::Xu, 64);
        assert_eq!(exponentials.of(Unit::Xu), 512);
        assert_eq!(exponentials.of(Unit::Issue), 64);
        assert_eq!(Machine::of(Target::named("sm_80").expect("a target")), None);
    }

    #[test]
    fn units_have_the_names_that_texts_use() {
        for unit in Unit::ALL {
            assert_eq!(Unit::named(unit.name()), Some(unit));
        }
        assert_eq!(Unit::named("lsu"), None);
    }
}
