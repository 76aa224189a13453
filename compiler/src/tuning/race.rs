//! Which of several programs is the fastest.
//!
//! Programs take turns, so that what changes on the machine meanwhile changes all alike. Those that cannot win any more
//! are dropped on the way: their fastest run is slower than the typical one of the best by more than runs differ.

use tile_runtime::report::Timing;

/// Runs of each program that are not counted.
const WARM: u32 = 2;

/// After so many rounds programs are dropped whose fastest run took more than so many times the best median.
const DROPS: [(u32, f64); 3] = [(3, 1.5), (8, 1.15), (20, 1.05)];

/// As good as the best is who takes no longer than so many times its time: among those the first wins, which is the
/// default if it is one of them.
const AS_GOOD: f64 = 1.005;

/// What was measured of a program.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// Its times.
    pub timing: Timing,
    /// Whether it was dropped before the last round.
    pub dropped: bool,
}

/// Times programs in rounds; `None` is one that must not run. The first that may run is kept to the end. `time` gives the
/// milliseconds of one run of a program.
///
/// # Errors
/// The first error of `time`.
pub fn race<E>(
    programs: &[bool],
    rounds: u32,
    mut time: impl FnMut(usize) -> Result<f64, E>,
    mut progress: impl FnMut(u32),
) -> Result<Vec<Option<Measured>>, E> {
    let mut running = programs.to_vec();
    let kept = running.iter().position(|runs| *runs);
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); running.len()];
    for (program, _) in running.iter().enumerate().filter(|(_, runs)| **runs) {
        for _ in 0..WARM {
            time(program)?;
        }
    }
    for round in 1..=rounds {
        for program in 0..running.len() {
            if running[program] {
                times[program].push(time(program)?);
            }
        }
        progress(round);
        let Some((_, slack)) = DROPS.iter().find(|(after, _)| *after == round) else {
            continue;
        };
        let timings: Vec<Option<Timing>> = times.iter().cloned().map(Timing::of).collect();
        let medians = timings.iter().flatten().map(|timing| timing.median_ms);
        let best = medians.fold(f64::INFINITY, f64::min);
        for (program, timing) in timings.iter().enumerate() {
            let hopeless = timing.is_some_and(|timing| timing.min_ms > best * slack);
            if hopeless && Some(program) != kept && round < rounds {
                running[program] = false;
            }
        }
    }
    let results = times.into_iter().zip(&running);
    Ok(results
        .map(|(times, running)| {
            Some(Measured {
                timing: Timing::of(times)?,
                dropped: !running,
            })
        })
        .collect())
}

/// The number of the winner: the first of those that are as good as the fastest.
#[must_use]
pub fn winner(measured: &[Option<Measured>]) -> Option<usize> {
    let median = |measured: &Option<Measured>| {
        let measured = measured.as_ref().filter(|measured| !measured.dropped);
        measured.map(|measured| measured.timing.median_ms)
    };
    let best = measured.iter().filter_map(median).reduce(f64::min)?;
    let good =
        |measured: &Option<Measured>| median(measured).is_some_and(|ms| ms <= best * AS_GOOD);
    measured.iter().position(good)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Programs that take such milliseconds, on a machine that gets slower from run to run.
    fn measured(programs: &[Option<f64>], rounds: u32) -> (Vec<Option<Measured>>, Vec<u32>) {
        let mut runs = vec![0; programs.len()];
        let mut all = 0;
        let time = |program: usize| {
            runs[program] += 1;
            all += 1;
            Ok::<_, ()>(programs[program].unwrap_or(0.0) * (1.0 + f64::from(all) * 1e-4))
        };
        let may: Vec<bool> = programs.iter().map(Option::is_some).collect();
        let measured = race(&may, rounds, time, |_| {}).expect("no run fails");
        (measured, runs)
    }

    #[test]
    fn the_hopeless_are_dropped_early_and_the_default_never() {
        let (measured, runs) = measured(&[Some(9.0), None, Some(1.0), Some(2.0), Some(1.1)], 30);
        assert_eq!(runs, [32, 0, 32, 5, 22]);
        let dropped = |program: usize| measured[program].map(|measured| measured.dropped);
        assert_eq!(dropped(0), Some(false));
        assert_eq!(dropped(1), None);
        assert_eq!(dropped(3), Some(true));
        assert_eq!(winner(&measured), Some(2));
    }

    #[test]
    fn of_those_that_are_as_good_the_first_wins() {
        let (close, _) = measured(&[Some(1.002), Some(1.0)], 10);
        assert_eq!(winner(&close), Some(0));
        let (apart, _) = measured(&[Some(1.02), Some(1.0)], 10);
        assert_eq!(winner(&apart), Some(1));
        assert_eq!(winner(&[]), None);
    }

    #[test]
    fn an_error_ends_it() {
        let fails = |program| if program == 1 { Err("lost") } else { Ok(1.0) };
        assert_eq!(race(&[true, true], 3, fails, |_| {}), Err("lost"));
    }
}
