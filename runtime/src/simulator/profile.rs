#![doc = include_str!("../../docs/profile.md")]

pub mod table;

use std::collections::BTreeMap;

use serde::Serialize;

use super::counters::{Count, Counters};
use super::machine::Launch;
use super::program::Class;

/// Counts of one launch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Profile {
    /// The entry point.
    pub entry: String,
    /// Programs along x, y, z.
    pub grid: [u32; 3],
    /// Threads of a program.
    pub threads: u32,
    /// All lines together.
    pub total: Total,
    /// By line, in the order of the file; instructions of no line come first.
    pub lines: Vec<Line>,
}

/// Counts of the whole launch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Total {
    /// What all instructions did together.
    #[serde(flatten)]
    pub count: Count,
    /// Warp instructions of each class.
    pub classes: BTreeMap<Class, u64>,
    /// What was read of global memory.
    pub loads: Traffic,
    /// What was written to global memory; atomics are carried out there and count here.
    pub stores: Traffic,
}

/// Traffic of global memory in one direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Traffic {
    /// Memory instructions, per warp.
    pub requests: u64,
    /// Sectors they touched: each request counts each sector once.
    pub sectors: u64,
    /// Bytes of these sectors: what would be moved without a cache.
    pub moved_bytes: u64,
    /// Bytes of the different sectors that the launch touched: what must be moved at least once,
    /// however large the caches.
    pub least_bytes: u64,
}

/// Counts of one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Line {
    /// The source; `None` if the PTX does not say.
    pub file: Option<String>,
    /// From 1; 0 if the PTX does not say.
    pub line: u32,
    /// What its instructions did together.
    #[serde(flatten)]
    pub count: Count,
}

impl Profile {
    /// Adds up the counters of instructions by line.
    #[must_use]
    pub fn new(launch: &Launch<'_>, counters: &Counters) -> Self {
        let mut lines = BTreeMap::<(u32, u32), Count>::new();
        let mut total = Total {
            count: Count::default(),
            classes: BTreeMap::new(),
            loads: Traffic::default(),
            stores: Traffic::default(),
        };
        for (instruction, count) in launch.entry.code.iter().zip(&counters.counts) {
            let mut count = *count;
            let flops = instruction.op.tensor_flops();
            if flops > 0 {
                count.tensor_instructions = count.warps;
                count.tensor_flops = count.warps * flops;
            }
            if count.warps > 0 {
                *total.classes.entry(instruction.class).or_default() += count.warps;
            }
            let traffic = if instruction.op.writes_global() {
                &mut total.stores
            } else {
                &mut total.loads
            };
            traffic.requests += count.requests;
            traffic.sectors += count.sectors;
            total.count.add(&count);
            let (file, line, _) = instruction.location.unwrap_or_default();
            lines.entry((file, line)).or_default().add(&count);
        }
        for (traffic, touched) in [
            (&mut total.loads, &counters.read),
            (&mut total.stores, &counters.written),
        ] {
            traffic.moved_bytes = traffic.sectors * 32;
            traffic.least_bytes = touched.count() * 32;
        }
        let name = |file: u32| {
            let found = launch
                .program
                .files
                .iter()
                .find(|(number, _)| *number == file);
            found.map(|(_, name)| name.clone())
        };
        Self {
            entry: launch.entry.name.clone(),
            grid: launch.grid,
            threads: launch.block_threads(),
            total,
            lines: lines
                .into_iter()
                .filter(|(_, count)| count.warps > 0)
                .map(|((file, line), count)| Line {
                    file: name(file).filter(|_| line != 0),
                    line,
                    count,
                })
                .collect(),
        }
    }
}

/// Ratios that people ask for.
impl Count {
    /// Of the lanes of the warps that came by, how many acted; 1 is all.
    #[must_use]
    pub fn lane_efficiency(&self) -> Option<f64> {
        ratio(self.active, self.warps * 32)
    }

    /// Sectors of global memory per request.
    #[must_use]
    pub fn sectors_per_request(&self) -> Option<f64> {
        ratio(self.sectors, self.requests)
    }

    /// Of the sectors touched, how many would do; 1 is perfect.
    #[must_use]
    pub fn sector_efficiency(&self) -> Option<f64> {
        ratio(self.ideal_sectors, self.sectors)
    }

    /// Passes through shared memory per request.
    #[must_use]
    pub fn wavefronts_per_request(&self) -> Option<f64> {
        ratio(self.wavefronts, self.shared_requests)
    }

    /// Passes through shared memory beyond those that are needed.
    #[must_use]
    pub const fn conflicts(&self) -> u64 {
        self.wavefronts.saturating_sub(self.ideal_wavefronts)
    }

    /// What is worst about it, with advice, if it is bad enough to say so.
    #[must_use]
    pub fn advice(&self) -> Option<String> {
        let per = |count: u64, requests: u64| ratio(count, requests).map(short);
        if self.sector_efficiency().is_some_and(|share| share < 0.5) {
            let found = per(self.sectors, self.requests)?;
            let enough = per(self.ideal_sectors, self.requests)?;
            return Some(format!(
                "each warp touches {found} sectors where {enough} would do: neighbouring lanes \
                 should access neighbouring addresses"
            ));
        }
        if self.wavefronts > 2 * self.ideal_wavefronts {
            let found = per(self.wavefronts, self.shared_requests)?;
            let enough = per(self.ideal_wavefronts, self.shared_requests)?;
            return Some(format!(
                "each access to shared memory takes {found} passes where {enough} would do: lanes \
                 of a warp want different words of one bank"
            ));
        }
        None
    }
}

#[allow(clippy::cast_precision_loss)] // for people
fn ratio(part: u64, of: u64) -> Option<f64> {
    (of > 0).then(|| part as f64 / of as f64)
}

/// With one digit after the point, unless it is 0.
fn short(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_of_the_json_is_explained() {
        let profile = Profile {
            entry: "f".to_owned(),
            grid: [1; 3],
            threads: 32,
            total: Total {
                count: Count::default(),
                classes: BTreeMap::from([(Class::Integer, 1)]),
                loads: Traffic::default(),
                stores: Traffic::default(),
            },
            lines: vec![Line {
                file: None,
                line: 0,
                count: Count::default(),
            }],
        };
        let text = include_str!("../../docs/profile.md");
        let json = serde_json::to_value(&profile).expect("serialises");
        let mut keys = Vec::new();
        let parts = [
            &json,
            &json["total"],
            &json["total"]["loads"],
            &json["lines"][0],
        ];
        for part in parts {
            keys.extend(part.as_object().expect("an object").keys().cloned());
        }
        for key in keys {
            assert!(
                text.contains(&format!("`{key}`")),
                "`{key}` is not explained"
            );
        }
    }

    #[test]
    fn the_worst_is_told() {
        let strided = Count {
            requests: 2,
            sectors: 64,
            ideal_sectors: 8,
            ..Count::default()
        };
        assert_eq!(
            strided.advice().as_deref(),
            Some(
                "each warp touches 32 sectors where 4 would do: neighbouring lanes should access \
                 neighbouring addresses"
            )
        );
        let conflicts = Count {
            shared_requests: 2,
            wavefronts: 5,
            ideal_wavefronts: 2,
            ..Count::default()
        };
        let advice = conflicts.advice().expect("conflicts");
        assert!(
            advice.contains("takes 2.5 passes where 1 would do"),
            "{advice}"
        );
        assert_eq!(Count::default().advice(), None);
    }
}
