//! What a run has to say, for people. `{}` prints it plain, `{:#}` with colours.

use std::fmt;

use anstyle::{AnsiColor, Style};

use crate::backend::Resources;
use crate::comparison::Comparison;
use crate::simulator::machine::Stored;
use crate::simulator::profile::Profile;
use crate::tensor::{Digest, Tensor};

/// A finished run.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The device or interpreter it ran on.
    pub device: String,
    /// The kernel's name.
    pub kernel: String,
    /// The entry point that was chosen.
    pub entry: String,
    /// Programs along x, y, z.
    pub grid: [u32; 3],
    /// Threads of a program; 0 where there is no such thing (an interpreter).
    pub threads: u32,
    /// Bytes of dynamic shared memory of a program.
    pub shared_bytes: u32,
    /// Registers and more, where the code was loaded on a device that has them.
    pub resources: Option<Resources>,
    /// What the compiler decided.
    pub decisions: Vec<String>,
    /// How long it took; `None` if nothing ran.
    pub time: Option<Time>,
    /// The tensors that the kernel may write to, and those that were compared, after the run.
    pub outputs: Vec<Output>,
    /// What the simulator counted, if it was asked to.
    pub profile: Option<Profile>,
}

impl Report {
    /// The outputs that are not what they should be.
    pub fn wrong(&self) -> impl Iterator<Item = (&Output, &Verdict)> {
        let judged = |output| Some((output, Output::verdict(output)?));
        let wrong = |(_, verdict): &(&Output, &Verdict)| !verdict.comparison.is_right();
        self.outputs.iter().filter_map(judged).filter(wrong)
    }
}

/// How long it took, and by whose clock, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Time {
    /// Of a GPU.
    Device(Timing),
    /// Of the host, in the simulator: it says nothing about a GPU.
    Simulated(f64),
    /// Of the host, in an interpreter.
    Interpreted(f64),
}

/// Device time of one or more runs, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timing {
    /// How many runs; with 1 it is the first, which is often slower.
    pub runs: u32,
    /// The middle one.
    pub median_ms: f64,
    /// The fastest.
    pub min_ms: f64,
    /// The slowest.
    pub max_ms: f64,
}

impl Timing {
    /// The summary of some runs' times; `None` of none.
    #[must_use]
    pub fn of(mut times_ms: Vec<f64>) -> Option<Self> {
        times_ms.sort_by(f64::total_cmp);
        let (&min_ms, &max_ms) = (times_ms.first()?, times_ms.last()?);
        let middle = times_ms.len() / 2;
        let median_ms = if times_ms.len() % 2 == 1 {
            times_ms[middle]
        } else {
            f64::midpoint(times_ms[middle - 1], times_ms[middle])
        };
        Some(Self {
            runs: u32::try_from(times_ms.len()).unwrap_or(u32::MAX),
            median_ms,
            min_ms,
            max_ms,
        })
    }
}

/// A tensor after the run.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// The parameter.
    pub name: String,
    /// Its contents.
    pub tensor: Tensor,
    /// The same in short.
    pub digest: Digest,
    /// Whether it is what it should be, if that is known.
    pub verdict: Option<Verdict>,
}

/// Whether a tensor is what it should be.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// How it compares with what was expected.
    pub comparison: Comparison,
    /// Who stored the first element that is wrong, if that is known.
    pub stored: Option<Stored>,
}

impl Output {
    /// A tensor after the run.
    #[must_use]
    pub fn new(name: &str, tensor: Tensor, verdict: Option<Verdict>) -> Self {
        Self {
            name: name.to_owned(),
            digest: tensor.digest(),
            tensor,
            verdict,
        }
    }

    const fn verdict(&self) -> Option<&Verdict> {
        self.verdict.as_ref()
    }
}

/// A time with three or four digits that matter, in the unit that suits it.
#[must_use]
pub fn time(ms: f64) -> String {
    if ms >= 1000.0 {
        format!("{:.3} s", ms / 1000.0)
    } else if ms >= 1.0 {
        format!("{ms:.3} ms")
    } else {
        format!("{:.2} µs", ms * 1000.0)
    }
}

/// A time of the host, which is good for a rough idea.
fn coarse(ms: f64) -> String {
    if ms < 1000.0 {
        format!("{ms:.0} ms")
    } else {
        format!("{:.1} s", ms / 1e3)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let style = if f.alternate() {
            Style::new().bold().fg_color(Some(AnsiColor::Cyan.into()))
        } else {
            Style::new()
        };
        let line = |f: &mut fmt::Formatter<'_>, label: &str, text: &str| {
            writeln!(f, "{style}{label:>9}{style:#}  {text}")
        };
        line(f, "device", &self.device)?;
        if self.entry == self.kernel {
            line(f, "kernel", &self.kernel)?;
        } else {
            line(f, "kernel", &format!("{} ({})", self.kernel, self.entry))?;
        }
        let [x, y, z] = self.grid;
        let programs: u128 = self.grid.iter().map(|&count| u128::from(count)).product();
        let nothing = if programs == 0 {
            ": nothing to run"
        } else {
            ""
        };
        let plural = if programs == 1 { "program" } else { "programs" };
        line(
            f,
            "grid",
            &format!("{x} × {y} × {z} = {programs} {plural}{nothing}"),
        )?;
        if self.threads > 0 {
            line(f, "threads", &format!("{} per program", self.threads))?;
            let fixed = self
                .resources
                .map_or(0, |resources| resources.static_shared_bytes);
            line(
                f,
                "shared",
                &format!("{} bytes per program", self.shared_bytes + fixed),
            )?;
        }
        if let Some(resources) = self.resources.filter(|found| found.registers > 0) {
            let spilled = match resources.local_bytes {
                0 => String::new(),
                bytes => format!(", {bytes} bytes of local memory"),
            };
            line(
                f,
                "registers",
                &format!("{} per thread{spilled}", resources.registers),
            )?;
        }
        for (index, decision) in self.decisions.iter().enumerate() {
            line(f, if index == 0 { "decisions" } else { "" }, decision)?;
        }
        match self.time {
            Some(Time::Simulated(ms)) => {
                line(f, "time", &format!("simulated in {}", coarse(ms)))?;
            }
            Some(Time::Interpreted(ms)) => {
                let text = format!("{} in the interpreter, on the CPU", coarse(ms));
                line(f, "time", &text)?;
            }
            Some(Time::Device(timing)) if timing.runs == 1 => {
                line(
                    f,
                    "time",
                    &format!("{} (first run)", time(timing.median_ms)),
                )?;
            }
            Some(Time::Device(timing)) => {
                let (median, min, max) = (timing.median_ms, timing.min_ms, timing.max_ms);
                let text = format!(
                    "{} median of {}, {} to {} (cold L2)",
                    time(median),
                    timing.runs,
                    time(min),
                    time(max)
                );
                line(f, "time", &text)?;
            }
            None => {}
        }
        for output in &self.outputs {
            let (element, shape) = (output.tensor.element(), output.tensor.shape());
            let text = format!("{element}{shape:?}  {}", output.digest);
            line(f, &output.name, &text)?;
            if let Some(verdict) = &output.verdict {
                line(f, "", &verdict.comparison.to_string())?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::Tensor;

    #[test]
    fn reads_as_a_table() {
        let tensor = Tensor::from_vec(&[2, 2], &[1.0f32, 2.0, 3.0, 4.0]).expect("four");
        let report = Report {
            device: "NVIDIA H200 (cuda:0), sm_90, CUDA 13.0".to_owned(),
            kernel: "add".to_owned(),
            entry: "add_16".to_owned(),
            grid: [5, 1, 1],
            threads: 128,
            shared_bytes: 0,
            resources: Some(Resources {
                registers: 16,
                local_bytes: 8,
                static_shared_bytes: 1024,
                max_threads: 1024,
            }),
            decisions: vec!["4 warps".to_owned(), "loads of 16 bytes".to_owned()],
            time: Timing::of(vec![0.004, 0.001, 0.002, 1.5]).map(Time::Device),
            outputs: vec![Output::new("z", tensor.clone(), None)],
            profile: None,
        };
        let text = report.to_string();
        let expected = "   device  NVIDIA H200 (cuda:0), sm_90, CUDA 13.0
   kernel  add (add_16)
     grid  5 × 1 × 1 = 5 programs
  threads  128 per program
   shared  1024 bytes per program
registers  16 per thread, 8 bytes of local memory
decisions  4 warps
           loads of 16 bytes
     time  3.00 µs median of 4, 1.00 µs to 1.500 ms (cold L2)
        z  f32[2, 2]  HASH  min 1.000000  max 4.000000  mean 2.500000
";
        let hash = format!("{:016x}", tensor.digest().hash);
        assert_eq!(text.replace(&hash, "HASH"), expected);
        assert!(!text.contains('\u{1b}'));
        assert!(format!("{report:#}").contains('\u{1b}'));
    }
}
