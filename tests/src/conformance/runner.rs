//! All files of the suite, tried on several threads.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::suite::Suite;
pub use super::unit::Outcome;
use super::unit::{Depth, Unit, units};
use crate::Program;
use crate::parallel::in_parallel;

/// Files and their programs.
pub struct Library {
    files: Vec<(Suite, Program)>,
}

/// How many cases there are, and how many of them are as they should be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    /// Tried.
    pub cases: usize,
    /// Wrong.
    pub wrong: usize,
}

impl Library {
    /// Reads the files of a folder whose names start like this.
    ///
    /// # Errors
    /// What is wrong with the first wrong file.
    pub fn read(folder: &Path, start: &str) -> Result<Self, String> {
        let mut suites = Suite::all(folder)?;
        suites.retain(|suite| suite.name().starts_with(start));
        let with_program = |suite: Suite| {
            let program = Program::new(&suite.name(), &suite.text);
            (suite, program)
        };
        Ok(Self {
            files: suites.into_iter().map(with_program).collect(),
        })
    }

    /// All units, with the programs that they are of.
    #[must_use]
    pub fn units(&self) -> Vec<(Unit<'_>, &Program)> {
        let of_file = |(suite, program)| units(suite).into_iter().map(move |unit| (unit, program));
        self.files
            .iter()
            .flat_map(|(suite, program)| of_file((suite, program)))
            .collect()
    }

    /// A part of the units that is the same every time: one of `every`, and at least one of each
    /// kernel, with at most `cases` cases of each.
    #[must_use]
    pub fn sample(&self, every: u64, cases: usize) -> Vec<(Unit<'_>, &Program)> {
        let mut units = self.units();
        let key = |unit: &Unit<'_>| {
            let text = format!(
                "{} {} {:?}",
                unit.suite.name(),
                unit.kernel(),
                unit.bindings()
            );
            hash(&text)
        };
        // Those that are taken for their number come first, so that they count for their kernels.
        units.sort_by_key(|(unit, _)| (key(unit) % every != 0, key(unit)));
        let mut taken = Vec::new();
        let mut seen = BTreeSet::new();
        for (mut unit, program) in units {
            let is_new = seen.insert((unit.suite.name(), unit.kernel()));
            if is_new || key(&unit) % every == 0 {
                unit.cases.sort_by_key(|case| hash(&case.words.join(" ")));
                unit.cases.truncate(cases);
                taken.push((unit, program));
            }
        }
        taken
    }
}

/// Tries units on some threads; `tell` hears of each.
pub fn run<'a>(
    units: &[(Unit<'a>, &Program)],
    depth: Depth,
    threads: usize,
    tell: impl Fn(&[Outcome<'a>]) + Sync,
) -> Vec<Outcome<'a>> {
    let all = in_parallel(threads, units, |(unit, program)| {
        let outcomes = unit.run(program, depth);
        tell(&outcomes);
        outcomes
    });
    all.into_iter().flatten().collect()
}

/// How cases went, by group.
#[must_use]
pub fn by_group(outcomes: &[Outcome<'_>]) -> Vec<(String, Count)> {
    let mut groups: BTreeMap<(u32, &str), Count> = BTreeMap::new();
    for outcome in outcomes {
        let group = outcome.case.group.as_str();
        let number = group
            .split(' ')
            .next()
            .and_then(|number| number.parse().ok());
        let count = groups
            .entry((number.unwrap_or(u32::MAX), group))
            .or_default();
        count.cases += 1;
        count.wrong += usize::from(outcome.problem.is_some());
    }
    groups
        .into_iter()
        .map(|((_, group), count)| (group.to_owned(), count))
        .collect()
}

/// What is wrong with a case, in one text.
#[must_use]
pub fn told(outcome: &Outcome<'_>) -> Option<String> {
    let problem = outcome.problem.as_ref()?;
    let case = outcome.case;
    let (bindings, words) = (case.bindings.join(" -D "), case.words.join(" "));
    let kernel = &case.kernel;
    let bindings = if bindings.is_empty() {
        bindings
    } else {
        format!(" -D {bindings}")
    };
    Some(format!(
        "line {}: {kernel} {words}{bindings}: {problem}",
        case.line
    ))
}

/// FNV-1a: the same on every machine.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
