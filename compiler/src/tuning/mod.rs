//! Which values of generics with `tune` clauses are the fastest, and what is known of that.
//!
//! Comes in: the configurations of a kernel, compiled, and a [`Bench`] that runs them with the arguments of one call. The
//! results of each are compared with those of the default, which is the first; those that are right are timed. Goes
//! out: an [`Outcome`] for each, and a [`Winner`](record::Winner), which is written to a file beside the source. Later
//! runs and builds look there for the winner of the nearest sizes.
//!
//! A choice is never a matter of correctness: what differs from the default is not recorded, and what is recorded is
//! not used where it does not suit the kernel as it is now.
//!
//! | file | what it is about |
//! |---|---|
//! | [`space`] | the configurations |
//! | [`race`] | times, in rounds |
//! | [`record`] | the file |
//! | [`winners`] | which of the recorded winners suit a kernel, and the nearest |

pub mod race;
pub mod record;
pub mod space;
pub mod winners;

use std::collections::BTreeMap;

use tile_runtime::comparison::{Comparison, UNITS};
use tile_runtime::element::ElementType;
use tile_runtime::tensor::Tensor;

use race::Measured;

/// Generics with what they are bound to, as text.
pub type Values = BTreeMap<String, String>;

/// Runs programs with the same arguments, which are fresh for each run.
pub trait Bench {
    /// What was compiled.
    type Compiled;
    /// A program that is loaded.
    type Program;

    /// Loads a program.
    ///
    /// # Errors
    /// What is wrong with it.
    fn prepare(&mut self, compiled: &Self::Compiled) -> Result<Self::Program, Fault>;

    /// What a run leaves in the tensors that it may write to.
    ///
    /// # Errors
    /// What went wrong.
    fn results(&mut self, program: &Self::Program) -> Result<Vec<(String, Tensor)>, Fault>;

    /// Whether runs can be timed.
    fn has_clock(&self) -> bool;

    /// Milliseconds of a run.
    ///
    /// # Errors
    /// What went wrong.
    fn time_ms(&mut self, program: &Self::Program) -> Result<f64, Fault>;
}

/// What went wrong with a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The device does not run it; others can go on.
    Refused(String),
    /// It does what no program may.
    Wrong(String),
    /// It has taken the device with it: nothing can go on.
    Lost(String),
}

impl Fault {
    /// In words.
    #[must_use]
    pub fn reason(&self) -> &str {
        match self {
            Self::Refused(reason) | Self::Wrong(reason) | Self::Lost(reason) => reason,
        }
    }
}

/// What became of a configuration.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It cannot be compiled or does not run; why.
    Skipped(String),
    /// Its results are not those of the default; how they differ.
    Wrong(String),
    /// Its results are those of the default; nothing was timed.
    Right,
    /// Its results are those of the default, and it took such times.
    Timed(Measured),
}

/// Why there are no outcomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stopped {
    /// The number of the configuration.
    pub configuration: usize,
    /// What went wrong with it.
    pub fault: Fault,
}

/// Steps of a competition, for who waits for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The results of so many configurations are compared.
    Compared(usize),
    /// So many rounds are done.
    Round(u32),
}

/// Runs configurations against one another, the first of which is the default; `Err` is one that was not compiled, with
/// the reason. `tolerance` is that of [`Comparison`]; without one it is [`tolerance_of`] the elements.
///
/// # Errors
/// If the default does not run, or one takes the device with it.
pub fn compete<B: Bench>(
    bench: &mut B,
    configurations: &[Result<B::Compiled, String>],
    rounds: u32,
    tolerance: Option<f64>,
    mut progress: impl FnMut(Step),
) -> Result<Vec<Outcome>, Stopped> {
    let mut outcomes = Vec::new();
    let mut programs = Vec::new();
    let mut expected = None;
    for (configuration, compiled) in configurations.iter().enumerate() {
        let tried = match compiled {
            Err(reason) => Err(Fault::Refused(reason.clone())),
            Ok(compiled) => bench.prepare(compiled).and_then(|program| {
                let results = bench.results(&program)?;
                match &expected {
                    None => expected = Some(results),
                    Some(expected) => compare(expected, &results, tolerance)?,
                }
                Ok(program)
            }),
        };
        let (outcome, program) = match tried {
            Ok(program) => (Outcome::Right, Some(program)),
            Err(fault) if configuration == 0 => {
                return Err(Stopped {
                    configuration,
                    fault,
                });
            }
            Err(Fault::Refused(reason)) => (Outcome::Skipped(reason), None),
            Err(Fault::Wrong(reason)) => (Outcome::Wrong(reason), None),
            Err(fault @ Fault::Lost(_)) => {
                return Err(Stopped {
                    configuration,
                    fault,
                });
            }
        };
        outcomes.push(outcome);
        programs.push(program);
        progress(Step::Compared(configuration + 1));
    }
    if !bench.has_clock() {
        return Ok(outcomes);
    }
    let may: Vec<bool> = programs.iter().map(Option::is_some).collect();
    let lost = |configuration: usize, fault: Fault| Stopped {
        configuration,
        fault,
    };
    let time = |configuration: usize| match programs.get(configuration) {
        Some(Some(program)) => bench
            .time_ms(program)
            .map_err(|fault| lost(configuration, fault)),
        _ => Err(lost(
            configuration,
            Fault::Refused("it is not loaded".to_owned()),
        )),
    };
    let measured = race::race(&may, rounds, time, |round| progress(Step::Round(round)))?;
    for (outcome, measured) in outcomes.iter_mut().zip(measured) {
        if let Some(measured) = measured {
            *outcome = Outcome::Timed(measured);
        }
    }
    Ok(outcomes)
}

/// Fails if results differ by more than they may.
fn compare(
    expected: &[(String, Tensor)],
    found: &[(String, Tensor)],
    tolerance: Option<f64>,
) -> Result<(), Fault> {
    for ((name, expected), (_, found)) in expected.iter().zip(found) {
        if expected.storage() == found.storage() && expected.element() == found.element() {
            continue;
        }
        let tolerance = tolerance.or_else(|| tolerance_of(expected.element()));
        let comparison = Comparison::new(expected, found, tolerance)
            .map_err(|error| Fault::Wrong(format!("`{name}`: {error}")))?;
        if !comparison.is_right() {
            return Err(Fault::Wrong(format!("`{name}`: {comparison}")));
        }
    }
    Ok(())
}

/// By how much sums of thousands of terms may differ that were added in another order, relative to the largest magnitude
/// of a row. Types that are rounded from wider sums have the usual tolerance.
#[must_use]
pub const fn tolerance_of(element: ElementType) -> Option<f64> {
    /// Of what is allowed where the order is the same.
    const OTHER_ORDER: f64 = 256.0;
    match element {
        ElementType::F32 => Some(OTHER_ORDER * UNITS * f32::EPSILON as f64),
        ElementType::F64 => Some(OTHER_ORDER * UNITS * f64::EPSILON),
        _ => None,
    }
}

/// The number of the winner among outcomes.
#[must_use]
pub fn winner(outcomes: &[Outcome]) -> Option<usize> {
    let measured: Vec<Option<Measured>> = outcomes
        .iter()
        .map(|outcome| match outcome {
            Outcome::Timed(measured) => Some(*measured),
            _ => None,
        })
        .collect();
    race::winner(&measured)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program that gives a number and takes so many milliseconds.
    type Program = (f32, f64);

    struct Fake {
        clock: bool,
        runs: usize,
    }

    impl Bench for Fake {
        type Compiled = Result<Program, Fault>;
        type Program = Program;

        fn prepare(&mut self, compiled: &Self::Compiled) -> Result<Program, Fault> {
            compiled.clone()
        }

        fn results(&mut self, program: &Program) -> Result<Vec<(String, Tensor)>, Fault> {
            let tensor = Tensor::from_vec(&[2], &[1.0f32, program.0]).expect("two");
            Ok(vec![("y".to_owned(), tensor)])
        }

        fn has_clock(&self) -> bool {
            self.clock
        }

        fn time_ms(&mut self, program: &Program) -> Result<f64, Fault> {
            self.runs += 1;
            Ok(program.1)
        }
    }

    fn compete(
        clock: bool,
        list: &[Result<Result<Program, Fault>, String>],
    ) -> Result<Vec<Outcome>, Stopped> {
        let mut bench = Fake { clock, runs: 0 };
        super::compete(&mut bench, list, 10, None, |_| {})
    }

    #[test]
    fn what_is_wrong_or_does_not_run_cannot_win() {
        let refused = Fault::Refused("too much shared memory".to_owned());
        let outcomes = compete(
            true,
            &[
                Ok(Ok((2.0, 5.0))),
                Err("E0703".to_owned()),
                Ok(Err(refused)),
                Ok(Ok((3.0, 1.0))),
                Ok(Ok((2.000_01, 4.0))),
            ],
        )
        .expect("the default runs");
        assert_eq!(outcomes[1], Outcome::Skipped("E0703".to_owned()));
        assert_eq!(
            outcomes[2],
            Outcome::Skipped("too much shared memory".to_owned())
        );
        let wrong = "`y`: 1 of 2 wrong, error 3.3e-1 of 1e-4; [1] is 3e0 (0x40400000) instead of \
                     2e0 (0x40000000)";
        let Outcome::Wrong(reason) = &outcomes[3] else {
            panic!("{outcomes:?}");
        };
        assert!(
            reason.starts_with("`y`: 1 of 2 wrong"),
            "{reason} / {wrong}"
        );
        assert_eq!(winner(&outcomes), Some(4));
    }

    #[test]
    fn without_a_clock_results_are_compared() {
        let outcomes = compete(false, &[Ok(Ok((2.0, 5.0))), Ok(Ok((2.0, 1.0)))]);
        let outcomes = outcomes.expect("the default runs");
        assert_eq!(outcomes, [Outcome::Right, Outcome::Right]);
        assert_eq!(winner(&outcomes), None);
    }

    #[test]
    fn a_default_that_fails_ends_it_and_so_does_a_lost_device() {
        let refused = Fault::Refused("no".to_owned());
        let stopped = compete(true, &[Ok(Err(refused.clone()))]).expect_err("it fails");
        assert_eq!((stopped.configuration, stopped.fault), (0, refused));
        let lost = Fault::Lost("an illegal address".to_owned());
        let stopped = compete(true, &[Ok(Ok((1.0, 1.0))), Ok(Err(lost.clone()))]);
        let stopped = stopped.expect_err("the device is lost");
        assert_eq!((stopped.configuration, stopped.fault), (1, lost));
    }
}
