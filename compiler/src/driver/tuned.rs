//! The recorded winners of a file's kernels, for the commands that compile them. A record that cannot be used is a
//! warning, and kernels have their defaults.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tile_runtime::device::Device;

use super::console::Console;
use super::options::Define;
use super::program::Program;
use crate::diagnostic::Severity;
use crate::sema;
use crate::target::Target;
use crate::tuning::record::{self, Record, Winner};
use crate::tuning::space::{in_words, sizes_in_words};
use crate::tuning::{Values, winners};
use crate::typed::Kernel;

/// What is recorded of a file.
pub struct Tuned<'a> {
    console: &'a Console,
    program: &'a Program,
    path: PathBuf,
    record: Record,
    /// What was said, which is said once.
    said: Mutex<BTreeSet<String>>,
}

/// A kernel with recorded values.
pub struct Chosen {
    /// The kernel with these values.
    pub kernel: Kernel,
    /// Which values, and what they were measured with.
    pub words: String,
}

/// A kernel with values that won for some sizes.
pub struct Winning {
    /// The kernel with these values.
    pub kernel: Kernel,
    /// The values.
    pub values: Values,
    /// The sizes that it won for, once per measurement.
    pub sizes: Vec<BTreeMap<String, i64>>,
    /// Whether it is for these alone.
    pub exact: bool,
}

impl<'a> Tuned<'a> {
    /// What is recorded beside a source; nothing if it is to be ignored.
    pub fn of(console: &'a Console, program: &'a Program, source: &Path, ignore: bool) -> Self {
        let path = record::path_of(source);
        let read = if ignore {
            Ok(None)
        } else {
            Record::read(&path)
        };
        let tuned = Self {
            console,
            program,
            record: Record::default(),
            said: Mutex::new(BTreeSet::new()),
            path,
        };
        match read {
            Ok(record) => {
                let record = record.unwrap_or_default();
                let kernels = program.files.kernels();
                for winner in &record.winners {
                    if !kernels.contains(&winner.kernel.as_str()) {
                        tuned.stale(winner, "there is no such kernel any more");
                    }
                }
                Self { record, ..tuned }
            }
            Err(reason) => {
                let name = tuned.name();
                let message = format!("`{name}` is no record of tuning: {reason}");
                console.warning(&message, &["kernels are compiled with their defaults"]);
                tuned
            }
        }
    }

    /// The name of the record without folders.
    pub fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// The kernel with the winner of the nearest sizes; `None` if nothing suits.
    pub fn for_sizes<E>(
        &self,
        usual: &Kernel,
        target: &Target,
        given: &Values,
        device: Option<&Device>,
        sizes: impl FnOnce() -> Result<BTreeMap<String, i64>, E>,
    ) -> Option<Chosen> {
        let suitable = self.suitable(&usual.name, target, given);
        if suitable.is_empty() {
            return None;
        }
        // A call that is wrong is told of where it is made.
        let sizes = sizes().ok()?;
        let device = device.map(|device| device_name(&device.properties().name).to_owned());
        let mut left = suitable;
        // What is for its own sizes alone makes way for the next.
        while let Some(winner) = winners::nearest(&left, &sizes, device.as_deref()) {
            let made = self.with_values(usual, winner, given);
            let made = made.filter(|made| winner.sizes == sizes || !winners::is_exact(usual, made));
            if let Some(kernel) = made {
                return Some(Chosen {
                    kernel,
                    words: self.words(winner),
                });
            }
            left.retain(|other| !std::ptr::eq(*other, winner));
        }
        None
    }

    /// The kernel with the values of each winner that suits, and the sizes for which its own values won.
    pub fn winning(
        &self,
        usual: &Kernel,
        target: &Target,
        defines: &[Define],
    ) -> (Vec<Winning>, Vec<BTreeMap<String, i64>>) {
        let given = values_of(defines);
        let mut by_values: BTreeMap<&Values, Vec<&Winner>> = BTreeMap::new();
        for winner in self.suitable(&usual.name, target, &given) {
            by_values.entry(&winner.values).or_default().push(winner);
        }
        let mut winning = Vec::new();
        let mut own = Vec::new();
        for (values, list) in by_values {
            let sizes = list.iter().map(|winner| winner.sizes.clone()).collect();
            let is_default = values
                .iter()
                .all(|(name, value)| usual.generics.get(name) == Some(value));
            if is_default {
                own = sizes;
            } else if let Some(kernel) = self.with_values(usual, list[0], &given) {
                winning.push(Winning {
                    exact: winners::is_exact(usual, &kernel),
                    kernel,
                    values: values.clone(),
                    sizes,
                });
            }
        }
        (winning, own)
    }

    fn suitable(&self, kernel: &str, target: &Target, given: &Values) -> Vec<&Winner> {
        let choices = |bound: &Values| sema::tune_choices(&self.program.files, kernel, bound);
        let stale = |winner: &Winner, reason: String| self.stale(winner, &reason);
        winners::suitable(&self.record, kernel, target.name, given, choices, stale)
    }

    /// The kernel with the values of a winner, if it can be launched as the kernel is without.
    fn with_values(&self, usual: &Kernel, winner: &Winner, given: &Values) -> Option<Kernel> {
        let mut bindings = winner.values.clone();
        bindings.extend(given.clone());
        let (made, diagnostics) =
            sema::elaborate_kernel(&self.program.files, &usual.name, &bindings);
        let error = diagnostics
            .iter()
            .find(|diagnostic| diagnostic.severity == Severity::Error);
        let reason = match (&made, error) {
            (Some(kernel), _) => winners::takes_the_same(usual, kernel).err(),
            (None, error) => Some(error.map_or("it is refused", |error| error.message.as_str())),
        };
        match reason {
            None => made,
            Some(reason) => {
                self.stale(winner, reason);
                None
            }
        }
    }

    /// `BM = 64, as recorded for m = 512 on NVIDIA H200 (matmul.tuned.json)`
    fn words(&self, winner: &Winner) -> String {
        let values = in_words(winner.values.keys(), &winner.values);
        let sizes = sizes_in_words(&winner.sizes);
        let (device, name) = (&winner.device, self.name());
        format!("{values}, as recorded for {sizes} on {device} ({name})")
    }

    fn stale(&self, winner: &Winner, reason: &str) {
        let words = format!("`{}` with {}", winner.kernel, self.words(winner));
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.insert(words.clone()) {
            left_aside(self.console, &words, reason);
        }
    }
}

/// Says that a record is not used.
pub fn left_aside(console: &Console, words: &str, reason: &str) {
    let message = format!("a record is left aside: {words}: {reason}");
    console.warning(
        &message,
        &["`tilec tune` measures anew, `--no-tuned` ignores records"],
    );
}

/// Definitions by name; the last of a name wins.
pub fn values_of(defines: &[Define]) -> Values {
    let defines = defines.iter();
    defines
        .map(|define| (define.name.clone(), define.value.clone()))
        .collect()
}

/// The name of a device without its number: `NVIDIA H200` of `NVIDIA H200 (cuda:0)`.
pub fn device_name(name: &str) -> &str {
    name.split(" (").next().unwrap_or(name)
}
