//! What is printed of tests.

use std::time::Duration;

use anstyle::{AnsiColor, Style};
use serde_json::{Value, json};

use super::{Case, Outcome};
use crate::diagnostic::render;
use crate::driver::console::{Console, Exit, count};

/// Tells how tests come out.
pub struct Told<'a> {
    console: &'a Console,
    cases: &'a [Case<'a>],
    /// The failures, for the end.
    failures: Vec<(usize, String)>,
    passed: usize,
    ignored: usize,
    filtered: usize,
}

/// `--list`: one name per line.
pub fn list(console: &Console, cases: &[Case<'_>]) -> Result<(), Exit> {
    for case in cases {
        if console.is_text() {
            console.print(&format!("{}: test\n", case.full_name))?;
        } else {
            let object = json!({
                "event": "listed", "name": case.full_name, "file": case.suite.name,
                "test": case.name, "ignored": case.ignored,
            });
            console.print(&format!("{object}\n"))?;
        }
    }
    if console.is_text() {
        console.print(&format!("\n{}\n", count(cases.len(), "test")))?;
    }
    Ok(())
}

impl<'a> Told<'a> {
    /// Says how many tests will run.
    pub fn new(console: &'a Console, cases: &'a [Case<'a>], filtered: usize) -> Result<Self, Exit> {
        if console.is_text() {
            console.print(&format!("\nrunning {}\n", count(cases.len(), "test")))?;
        }
        Ok(Self {
            console,
            cases,
            failures: Vec::new(),
            passed: 0,
            ignored: 0,
            filtered,
        })
    }

    /// Tells of a test that is done.
    pub fn outcome(&mut self, number: usize, outcome: Outcome, time: Duration) -> Result<(), Exit> {
        let Some(case) = self.cases.get(number) else {
            return Ok(());
        };
        let sources = &case.suite.program.sources;
        let plain = render::Style::default();
        let (word, notes, problems, rendered) = match outcome {
            Outcome::Passed(passed) => ("ok", passed.notes, Vec::new(), Vec::new()),
            Outcome::Ignored => ("ignored", Vec::new(), Vec::new(), Vec::new()),
            Outcome::Failed(problems) => {
                // Where stdout is no terminal the stream takes the colours out again.
                let style = match self.console.is_text() {
                    true => render::Style {
                        color: true,
                        width: None,
                    },
                    false => plain,
                };
                let rendered = problems
                    .iter()
                    .map(|problem| render::text(problem, sources, style))
                    .collect();
                // What the renderer makes is JSON.
                let json = |problem| serde_json::from_str(&render::json(problem, sources));
                let told: Vec<Value> = problems
                    .iter()
                    .map(|problem| json(problem).unwrap_or_default())
                    .collect();
                ("FAILED", Vec::new(), told, rendered)
            }
            Outcome::Elsewhere(told) => {
                let word = match told.outcome.as_str() {
                    "ok" => "ok",
                    "ignored" => "ignored",
                    _ => "FAILED",
                };
                (word, told.notes, told.problems, vec![told.rendered])
            }
        };
        let color = match word {
            "ok" => AnsiColor::Green,
            "ignored" => AnsiColor::Yellow,
            _ => AnsiColor::Red,
        };
        match word {
            "ok" => self.passed += 1,
            "ignored" => self.ignored += 1,
            _ => {}
        }
        if self.console.is_text() {
            let style = Style::new().fg_color(Some(color.into()));
            let notes: String = notes.iter().map(|note| format!(" ({note})")).collect();
            let name = &case.full_name;
            let line = format!("test {name} ... {style}{word}{style:#}{notes}\n");
            self.console.print(&line)?;
        } else {
            let object = json!({
                "event": "test", "name": case.full_name, "file": case.suite.name, "test": case.name,
                "outcome": word.to_lowercase(), "ms": time.as_secs_f64() * 1e3, "notes": notes,
                "problems": problems, "rendered": rendered.concat(),
            });
            self.console.print(&format!("{object}\n"))?;
        }
        if word == "FAILED" {
            self.failures.push((number, rendered.concat()));
        }
        Ok(())
    }

    /// Tells of the failures and the numbers; gives how many failed.
    pub fn summary(self, time: Duration) -> Result<usize, Exit> {
        let failed = self.failures.len();
        let (passed, ignored, filtered) = (self.passed, self.ignored, self.filtered);
        if !self.console.is_text() {
            let object = json!({
                "event": "summary", "passed": passed, "failed": failed, "ignored": ignored,
                "filtered": filtered, "ms": time.as_secs_f64() * 1e3,
            });
            self.console.print(&format!("{object}\n"))?;
            return Ok(failed);
        }
        let mut text = String::new();
        if failed > 0 {
            text.push_str("\nfailures:\n");
        }
        for (number, rendered) in &self.failures {
            let Some(case) = self.cases.get(*number) else {
                continue;
            };
            text.push_str(&format!("\n---- {} ----\n", case.full_name));
            text.push_str(rendered);
        }
        if failed > 0 {
            text.push_str("\nfailures:\n");
            for (number, _) in &self.failures {
                if let Some(case) = self.cases.get(*number) {
                    text.push_str(&format!("    {}\n", case.full_name));
                }
            }
        }
        let (word, color) = if failed == 0 {
            ("ok", AnsiColor::Green)
        } else {
            ("FAILED", AnsiColor::Red)
        };
        let style = Style::new().fg_color(Some(color.into()));
        text.push_str(&format!(
            "\ntest result: {style}{word}{style:#}. {passed} passed; {failed} failed; {ignored} \
             ignored; {filtered} filtered out; finished in {:.2}s\n\n",
            time.as_secs_f64()
        ));
        self.console.print(&text)?;
        Ok(failed)
    }
}
