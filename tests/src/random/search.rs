//! Many seeds, in processes of their own: what ends a process ends one program.
//!
//! A process is given a range of seeds, and prints a [`Line`] when it starts and when it finishes each
//! ([`work`]). [`Search`] starts the processes and reads them: the seed at which one ends, or at which
//! it takes too long, is a finding like any other, and another process goes on after it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, Write};
use std::ops::Range;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use serde::{Deserialize, Serialize};

use super::run::{Failure, Finding};
use crate::parallel::in_parallel;

/// What a process says, as a line of JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Line {
    /// A seed is tried now.
    Started(u64),
    /// A seed was tried.
    Finished(u64, Option<Finding>),
}

/// Tries seeds in this process and prints a line before and after each.
///
/// # Errors
/// If nobody reads what is printed.
pub fn work(seeds: Range<u64>, run: impl Fn(u64) -> Result<(), Finding>) -> io::Result<()> {
    let say = |line: &Line| {
        let mut output = io::stdout().lock();
        serde_json::to_writer(&mut output, line)?;
        writeln!(output)?;
        output.flush()
    };
    for seed in seeds {
        say(&Line::Started(seed))?;
        say(&Line::Finished(seed, run(seed).err()))?;
    }
    Ok(())
}

/// Seeds on the command line: FIRST..END, or one.
///
/// # Errors
/// If a number is none.
pub fn seeds(text: &str) -> Result<Range<u64>, String> {
    let number = |text: &str| text.parse::<u64>().map_err(|error| error.to_string());
    match text.split_once("..") {
        Some((first, end)) => Ok(number(first)?..number(end)?),
        None => number(text).map(|seed| seed..seed + 1),
    }
}

/// Shows how far it is.
#[must_use]
pub fn progress(seeds: u64) -> ProgressBar {
    let bar = ProgressBar::new(seeds);
    if let Ok(style) =
        ProgressStyle::with_template("{bar:30} {pos}/{len} seeds  {per_sec}  {eta} left  {msg}")
    {
        bar.set_style(style);
    }
    bar
}

/// How seeds are tried.
pub struct Search<'a> {
    /// The process that tries a range of seeds with [`work`].
    pub command: &'a (dyn Fn(Range<u64>) -> Command + Sync),
    /// Processes at once.
    pub threads: usize,
    /// Seeds of a process.
    pub chunk: u64,
    /// What one seed may take.
    pub limit: Duration,
}

/// How a process ended.
enum End {
    /// It did what it was to do.
    Done,
    /// At a seed.
    At(u64, Finding),
}

impl Search<'_> {
    /// Tries seeds; calls `each` after every one. Gives what failed.
    ///
    /// # Errors
    /// If processes cannot be started.
    pub fn run(
        &self,
        seeds: Range<u64>,
        each: impl Fn() + Sync,
    ) -> io::Result<BTreeMap<u64, Finding>> {
        let chunk = self.chunk.max(1);
        let starts = seeds.clone().step_by(chunk as usize);
        let chunks = starts.map(|start| start..seeds.end.min(start.saturating_add(chunk)));
        in_parallel(self.threads, chunks, |chunk| self.chunk(chunk, &each))
            .into_iter()
            .try_fold(BTreeMap::new(), |mut all, found| {
                all.extend(found?);
                Ok(all)
            })
    }

    fn chunk(&self, mut seeds: Range<u64>, each: &dyn Fn()) -> io::Result<Vec<(u64, Finding)>> {
        let mut findings = Vec::new();
        while !seeds.is_empty() {
            match self.process(seeds.clone(), &mut findings, each)? {
                End::Done => break,
                End::At(seed, finding) => {
                    findings.push((seed, finding));
                    each();
                    seeds.start = seed.saturating_add(1);
                }
            }
        }
        Ok(findings)
    }

    fn process(
        &self,
        seeds: Range<u64>,
        findings: &mut Vec<(u64, Finding)>,
        each: &dyn Fn(),
    ) -> io::Result<End> {
        let mut errors = tempfile::tempfile()?;
        let mut process = (self.command)(seeds.clone())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(errors.try_clone()?)
            .spawn()?;
        let lines = process.stdout.take().map(lines);
        // What ends a process before its first line is told at its first seed.
        let mut at = seeds.start;
        let mut finished = false;
        loop {
            let next = match &lines {
                Some(lines) => lines.recv_timeout(self.limit),
                None => Err(RecvTimeoutError::Disconnected),
            };
            match next {
                Ok(Line::Started(seed)) => at = seed,
                Ok(Line::Finished(seed, finding)) => {
                    findings.extend(finding.map(|finding| (seed, finding)));
                    finished = seed.saturating_add(1) == seeds.end;
                    at = seed.saturating_add(1);
                    each();
                }
                Err(RecvTimeoutError::Timeout) => {
                    process.kill()?;
                    process.wait()?;
                    if finished {
                        return Ok(End::Done);
                    }
                    let text = format!("more than {:?}", self.limit);
                    return Ok(End::At(at, Finding::new(Failure::OutOfTime, text)));
                }
                Err(RecvTimeoutError::Disconnected) if finished => {
                    process.wait()?;
                    return Ok(End::Done);
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let text = last_words(&mut process, &mut errors)?;
                    return Ok(End::At(at, Finding::new(Failure::Ended, text)));
                }
            }
        }
    }
}

/// The lines of a process, as they come. What is no line of ours is passed over.
fn lines(output: ChildStdout) -> Receiver<Line> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if let Ok(line) = serde_json::from_str(&line)
                && sender.send(line).is_err()
            {
                break;
            }
        }
    });
    receiver
}

/// What a process said before it ended, and how it did.
fn last_words(process: &mut Child, errors: &mut File) -> io::Result<String> {
    let status = process.wait()?;
    let mut said = Vec::new();
    errors.rewind()?;
    errors.read_to_end(&mut said)?;
    let said = String::from_utf8_lossy(&said);
    let lines: Vec<_> = said.lines().filter(|line| !line.is_empty()).collect();
    let first = lines.iter().position(|line| line.contains("LLVM ERROR"));
    let first = first.unwrap_or(lines.len().saturating_sub(3));
    let words: Vec<_> = lines[first..].iter().take(3).copied().collect();
    Ok(format!("{} ({status})", words.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Processes of a shell that do this with `$1`, each seed in turn.
    fn shell(each: &'static str) -> impl Fn(Range<u64>) -> Command + Sync {
        move |seeds| {
            let mut command = Command::new("sh");
            let script = format!(
                "for seed in $(seq {} {}); do echo \"{{\\\"started\\\":$seed}}\"; {each}; \
                 echo \"{{\\\"finished\\\":[$seed,null]}}\"; done",
                seeds.start,
                seeds.end.saturating_sub(1)
            );
            command.args(["-c", &script]);
            command
        }
    }

    fn search(each: &'static str) -> Vec<(u64, Failure, String)> {
        let command = shell(each);
        let search = Search {
            command: &command,
            threads: 2,
            chunk: 4,
            limit: Duration::from_secs(1),
        };
        let count = std::sync::atomic::AtomicU64::new(0);
        let counted = || {
            count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        };
        let found = search.run(3..12, counted).expect("it runs");
        assert_eq!(count.into_inner(), 9);
        found
            .into_iter()
            .map(|(seed, finding)| (seed, finding.failure, finding.text))
            .collect()
    }

    #[test]
    fn nothing_is_found_where_nothing_fails() {
        assert_eq!(search(":"), []);
    }

    #[test]
    fn what_ends_a_process_is_told_and_the_others_go_on() {
        let found = search("[ $seed = 5 ] && echo LLVM ERROR: no >&2 && exit 3");
        let text = "LLVM ERROR: no (exit status: 3)".to_owned();
        assert_eq!(found, [(5, Failure::Ended, text)]);
        let found = search("[ $seed = 6 ] && kill -6 $$");
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].0, found[0].1), (6, Failure::Ended));
    }

    #[test]
    fn what_takes_too_long_is_told_and_the_others_go_on() {
        let found = search("[ $seed = 7 ] && exec sleep 60");
        assert_eq!(found, [(7, Failure::OutOfTime, "more than 1s".to_owned())]);
    }

    #[test]
    fn lines_are_read_as_they_are_written() {
        let finding = Finding::new(Failure::Different, "`y`");
        for line in [Line::Started(3), Line::Finished(3, Some(finding))] {
            let text = serde_json::to_string(&line).expect("text");
            assert_eq!(serde_json::from_str::<Line>(&text).expect("a line"), line);
        }
    }
}
