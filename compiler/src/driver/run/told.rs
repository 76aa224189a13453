//! What is printed of a run: the report, a profile, and what is wrong.
//!
//! With `--message-format json` the report is one object on stdout. Times in it are in
//! milliseconds: `time` of a GPU, `simulated_ms` and `interpreter_ms` of the host; those that do not
//! apply are `null`, as is `profile` unless it was asked for. What is wrong is one object per line on
//! stderr with the keys of every other problem; a finding of the simulator has one more, `finding`,
//! which says it all.

use serde_json::{Value, json};
use tile_runtime::problem::{Place, Problem};
use tile_runtime::report::{Output, Report, Time, Verdict};
use tile_runtime::run::ProfileFormat;
use tile_runtime::simulator::checks::Finding;
use tile_runtime::sources::Sources;

use super::Job;
use crate::driver::console::Exit;
use crate::interp::LastStore;
use crate::source::Location;

/// Prints what is told of a run of some PTX, or of nothing compiled.
pub struct Told<'a> {
    job: &'a Job<'a>,
    sources: Sources<'a>,
}

impl<'a> Told<'a> {
    pub fn new(job: &'a Job<'a>, ptx: &'a str) -> Self {
        let find = |name: &str| {
            let mut files = job.program.sources.iter();
            let found = files.find(|(_, file)| file.name == name);
            found.map(|(_, file)| file.text.clone())
        };
        let sources = Sources {
            ptx_name: format!("PTX of {}", job.program.file_name()),
            ptx,
            find: Box::new(find),
        };
        Self { job, sources }
    }

    /// The report, with a profile if there is one.
    pub fn report(&self, report: &Report) -> Result<(), Exit> {
        let console = self.job.console;
        if !console.is_text() {
            return console.print(&format!("{}\n", self::report(report)));
        }
        match (&report.profile, self.job.command.simulator.profile) {
            (Some(profile), Some(ProfileFormat::Json)) => {
                console.say(format!("{report:#}").trim_end());
                // Strings and numbers always serialise.
                let profile = serde_json::to_string(profile).unwrap_or_default();
                console.print(&format!("{profile}\n"))
            }
            (Some(profile), _) => {
                let table = profile.table(&self.sources, true);
                console.print(&format!("{report:#}\n{table}"))
            }
            (None, _) => console.print(&format!("{report:#}")),
        }
    }

    /// What the simulator found.
    pub fn finding(&self, finding: &Finding) {
        let problem = Problem::of_finding(finding, &self.sources);
        // Strings and numbers always serialise.
        let finding = serde_json::to_value(finding).unwrap_or_default();
        self.problem(&problem, Some(finding));
    }

    /// A result that is not what it should be; `reference` is who stores it if all goes well.
    pub fn mismatch(&self, output: &Output, verdict: &Verdict, reference: Option<&LastStore>) {
        let Some(first) = &verdict.comparison.first else {
            return;
        };
        let mut problem = Problem::of_mismatch(&output.name, verdict, first, &self.sources);
        if let Some(LastStore {
            span,
            program: [x, y, z],
            position,
        }) = reference
        {
            let place = self.job.program.sources.describe(*span);
            let element = match position.as_slice() {
                [] => String::new(),
                position => format!(" as element {position:?} of the tile"),
            };
            problem.notes.push(format!(
                "in the reference it is stored{element} by program ({x}, {y}, {z}) at {place}"
            ));
        }
        self.problem(&problem, None);
    }

    fn problem(&self, problem: &Problem, finding: Option<Value>) {
        let console = self.job.console;
        if console.is_text() {
            console.say(&problem.render(true));
            console.say("");
            return;
        }
        let first = problem.places.first();
        let labels = problem.places.iter().zip(0..);
        let labels: Vec<Value> = labels
            .map(|(place, number)| self.label(place, number == 0))
            .collect();
        let empty: [&str; 0] = [];
        let mut object = json!({
            "code": problem.code, "severity": "error", "message": problem.message,
            "file": first.map(|place| &place.file), "line": first.map(|place| place.line),
            "column": first.map(|place| place.column), "labels": labels, "notes": problem.notes,
            "helps": empty, "suggestion": null,
        });
        if let (Some(finding), Some(keys)) = (finding, object.as_object_mut()) {
            keys.insert("finding".to_owned(), finding);
        }
        console.say(&object.to_string());
    }

    /// A place as in a diagnostic; byte offsets are those of a source, `null` in PTX.
    fn label(&self, place: &Place, primary: bool) -> Value {
        let at = |column| Location {
            line: place.line,
            column,
        };
        let sources = &self.job.program.sources;
        let span = sources.span_between(&place.file, at(place.column), at(place.end_column));
        json!({
            "file": place.file, "start": span.map(|span| span.start), "end": span.map(|span| span.end),
            "line": place.line, "column": place.column, "end_line": place.line,
            "end_column": place.end_column, "text": place.text, "primary": primary,
        })
    }
}

/// The report as one object, for machines.
fn report(report: &Report) -> Value {
    let outputs = report.outputs.iter().map(output);
    let (mut device, mut simulated, mut interpreted) = (None, None, None);
    match report.time {
        Some(Time::Device(time)) => {
            device = Some(json!({
                "runs": time.runs, "median_ms": time.median_ms, "min_ms": time.min_ms, "max_ms": time.max_ms,
            }));
        }
        Some(Time::Simulated(ms)) => simulated = Some(ms),
        Some(Time::Interpreted(ms)) => interpreted = Some(ms),
        None => {}
    }
    json!({
        "device": report.device, "kernel": report.kernel, "entry": report.entry, "grid": report.grid,
        "threads": report.threads, "shared_bytes": report.shared_bytes,
        "registers": report.resources.map(|resources| resources.registers),
        "local_bytes": report.resources.map(|resources| resources.local_bytes),
        "decisions": report.decisions,
        "time": device, "simulated_ms": simulated, "interpreter_ms": interpreted,
        "outputs": outputs.collect::<Vec<_>>(),
        "profile": report.profile,
    })
}

fn output(output: &Output) -> Value {
    let digest = &output.digest;
    let comparison = output.verdict.as_ref().map(|verdict| {
        let comparison = &verdict.comparison;
        let first = comparison.first.as_ref().map(|first| {
            json!({
                "index": first.index, "values": first.values(), "ulps": first.ulps(), "stored": verdict.stored,
            })
        });
        json!({
            "elements": comparison.elements, "different": comparison.different, "wrong": comparison.wrong,
            "largest": comparison.largest, "tolerance": comparison.tolerance, "first": first,
        })
    });
    json!({
        "name": output.name, "element": output.tensor.element().name(), "shape": output.tensor.shape(),
        "hash": format!("{:016x}", digest.hash), "min": digest.min, "max": digest.max, "mean": digest.mean,
        "nan": digest.nan, "elements": digest.elements, "comparison": comparison,
    })
}
