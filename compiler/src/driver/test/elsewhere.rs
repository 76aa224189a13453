//! A test in a process of its own.
//!
//! A kernel that fails on a GPU takes the device from its process: whatever comes after gets the same
//! error. So the tests after it are run by this program anew, one each, which tells of them in JSON.

use std::process::{Command, Stdio};

use serde_json::Value;

use super::{Case, Outcome};
use crate::driver::options::{DeviceChoice, TestOptions};

/// What another process told of a test.
pub struct Told {
    /// `ok`, `failed` or `ignored`.
    pub outcome: String,
    /// What was not looked at, and why.
    pub notes: Vec<String>,
    /// What is wrong, as JSON.
    pub problems: Vec<Value>,
    /// What is wrong, as text.
    pub rendered: String,
}

/// Runs a test in another process.
pub fn run(case: &Case<'_>, options: &TestOptions) -> Outcome {
    let told = match std::env::current_exe() {
        Ok(program) => told(command(program.as_os_str(), case, options), &case.full_name),
        Err(error) => Err(format!("this program cannot be started again: {error}")),
    };
    Outcome::Elsewhere(told.unwrap_or_else(|reason| Told {
        outcome: "failed".to_owned(),
        notes: Vec::new(),
        problems: Vec::new(),
        rendered: format!("error: {reason}\n"),
    }))
}

/// The same call for one test.
fn command(program: &std::ffi::OsStr, case: &Case<'_>, options: &TestOptions) -> Command {
    let mut command = Command::new(program);
    command.args(["test", "--message-format", "json"]);
    command.args(["--filter", &case.full_name]);
    let device = match &options.device {
        DeviceChoice::Auto => "auto",
        DeviceChoice::Interpreter => "interp",
        DeviceChoice::Named(name) => name,
    };
    command.args(["--device", device]);
    if let Some(target) = options.target {
        command.args(["--target", target.name]);
    }
    if options.tuned.no_tuned {
        command.arg("--no-tuned");
    }
    if options.ignored {
        command.arg("--ignored");
    }
    for define in &options.defines.define {
        command.arg(format!("-D{}={}", define.name, define.value));
    }
    command.args(["--", &case.suite.name]);
    command
}

/// What the process tells of the test of that name.
fn told(mut command: Command, name: &str) -> Result<Told, String> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("no process for this test: {error}"))?;
    // What kernels print comes between.
    let lines = String::from_utf8_lossy(&output.stdout);
    let event = lines
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .find(|line| line["event"] == "test" && line["name"] == name);
    let Some(event) = event else {
        return Err(format!(
            "the process that ran this test said nothing of it ({})",
            output.status
        ));
    };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let array = |key: &str| event[key].as_array().cloned().unwrap_or_default();
    Ok(Told {
        outcome: text(&event["outcome"]),
        notes: array("notes").iter().map(text).collect(),
        problems: array("problems"),
        rendered: text(&event["rendered"]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn the_event_of_the_test_is_found_among_what_kernels_print() {
        let told = told(
            shell(
                "echo v: 3; echo '{\"event\":\"test\",\"name\":\"a::b\",\"outcome\":\"ok\"}'; \
                 echo '{\"event\":\"test\",\"name\":\"a\",\"outcome\":\"failed\",\"notes\":[\"n\"],\
                 \"rendered\":\"error: no\",\"problems\":[{}]}'",
            ),
            "a",
        );
        let told = told.expect("an event");
        assert_eq!(
            (told.outcome.as_str(), told.rendered.as_str()),
            ("failed", "error: no")
        );
        assert_eq!((told.notes, told.problems.len()), (vec!["n".to_owned()], 1));
    }

    #[test]
    fn a_process_that_ends_early_is_told() {
        let problem = told(shell("exit 3"), "a").err().expect("nothing was said");
        assert!(problem.contains("exit status: 3"), "{problem}");
    }
}
