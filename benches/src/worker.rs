//! Runs the measurements in a process that may die.
//!
//! A kernel that faults takes the GPU's memory from its process, and one that hangs never lets go of
//! it. So the files are measured by a worker process that tells of each result as one line of JSON;
//! if it dies or falls silent, the file it was at has failed and a new worker goes on behind it.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tile_runtime::Error;
use tile_runtime::backend::DeviceError;

use crate::check::{CheckRow, check};
use crate::compare::{CompareError, CompareRow, compare};
use crate::kernels::{Subject, label};
use crate::session::{Session, Settings};
use crate::speed::{SpeedRow, speed};

/// Which measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Mode {
    /// Whether results are right.
    Check,
    /// How fast they come.
    Speed,
    /// Whether results are the interpreter's.
    Compare,
}

impl Mode {
    const fn name(self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Speed => "speed",
            Self::Compare => "compare",
        }
    }
}

/// What a worker tells.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// It has opened this device.
    Device {
        /// For people.
        name: String,
        /// Such as `sm_90`.
        architecture: String,
        /// Such as `CUDA 13.0`.
        driver: String,
    },
    /// It has none; it ends.
    NoDevice {
        /// Why.
        message: String,
    },
    /// It comes to the next file.
    Begin,
    /// It leaves a kernel out.
    Skipped {
        /// Which and why.
        message: String,
    },
    /// A file that cannot be loaded, or that ended the worker.
    Broken {
        /// The file.
        label: String,
        /// What happened.
        message: String,
    },
    /// A result of [`check`].
    Check(CheckRow),
    /// A result of [`speed`](fn@speed).
    Speed(SpeedRow),
    /// A result of [`compare`](fn@compare).
    Compare(CompareRow),
}

/// Measures files in this process. Ends early if a kernel takes the device with it.
pub fn work(mode: Mode, settings: &Settings, files: &[PathBuf], tell: &mut dyn FnMut(Event)) {
    let mut session = match Session::open(settings.clone()) {
        Ok(session) => session,
        Err(error) => {
            let message = error.to_string();
            return tell(Event::NoDevice { message });
        }
    };
    let properties = session.device().properties().clone();
    tell(Event::Device {
        name: properties.name,
        architecture: properties.architecture,
        driver: properties.driver,
    });
    for path in files {
        tell(Event::Begin);
        let result = match mode {
            Mode::Compare => call(&session, path, tell),
            Mode::Check | Mode::Speed => file(mode, &mut session, path, tell),
        };
        if let Err(Fault) = result {
            let message = "the rest of this file was not run".to_owned();
            let label = label(path);
            return tell(Event::Broken { label, message });
        }
    }
}

/// A kernel has failed in a way that leaves no device to go on with.
struct Fault;

/// Compares the call of a `.run` file.
fn call(session: &Session, path: &Path, tell: &mut dyn FnMut(Event)) -> Result<(), Fault> {
    let result = compare(session, path, &mut |row| tell(Event::Compare(row)));
    let (message, lost) = match result {
        Ok(()) => return Ok(()),
        Err(CompareError::Files(message)) => (message, false),
        Err(CompareError::Run(error)) => (error.to_string(), is_fault_of(&error)),
    };
    tell(Event::Broken {
        label: label(path),
        message,
    });
    if lost { Err(Fault) } else { Ok(()) }
}

fn file(
    mode: Mode,
    session: &mut Session,
    path: &Path,
    tell: &mut dyn FnMut(Event),
) -> Result<(), Fault> {
    let broken = |message: String| Event::Broken {
        label: label(path),
        message,
    };
    let ptx = match std::fs::read_to_string(path) {
        Ok(ptx) => ptx,
        Err(error) => {
            tell(broken(error.to_string()));
            return Ok(());
        }
    };
    let subjects = match Subject::of_file(path, &ptx) {
        Ok(subjects) => subjects,
        Err(message) => {
            tell(broken(message));
            return Ok(());
        }
    };
    let program = match session.device().load(&ptx) {
        Ok(program) => program,
        Err(error) => {
            tell(broken(error.to_string()));
            return Ok(());
        }
    };
    for subject in subjects {
        let subject = match subject {
            Ok(subject) => subject,
            Err(message) => {
                tell(Event::Skipped { message });
                continue;
            }
        };
        let kernel = match program.kernel(Some(&subject.kernel)) {
            Ok(kernel) => kernel,
            Err(error) => {
                tell(broken(error.to_string()));
                continue;
            }
        };
        let small = session.settings.small;
        match mode {
            Mode::Check => {
                for case in subject.family.check_cases() {
                    if !subject.suits(case) || small && !case.shape.is_small() {
                        continue;
                    }
                    let result = check(session, &kernel, &subject, case);
                    let lost = is_fault(&result);
                    tell(Event::Check(result.unwrap_or_else(|error| {
                        CheckRow::failed(&subject, case, error.to_string())
                    })));
                    if lost {
                        return Err(Fault);
                    }
                }
            }
            Mode::Speed => {
                for shape in subject.family.speed_shapes() {
                    if !subject.suits_well(shape) || small && !shape.is_small() {
                        continue;
                    }
                    let result = speed(session, &kernel, &subject, shape);
                    let lost = is_fault(&result);
                    tell(Event::Speed(result.unwrap_or_else(|error| {
                        SpeedRow::failed(&subject, shape, error.to_string())
                    })));
                    if lost {
                        return Err(Fault);
                    }
                }
            }
            Mode::Compare => {}
        }
    }
    Ok(())
}

fn is_fault<T>(result: &Result<T, Error>) -> bool {
    result.as_ref().err().is_some_and(is_fault_of)
}

const fn is_fault_of(error: &Error) -> bool {
    matches!(
        error,
        Error::Device(DeviceError::KernelFault { .. } | DeviceError::Driver { .. })
    )
}

/// Measures files in worker processes of this program, which must call [`work`] and print what it
/// tells when its arguments are `worker`, the mode, the settings as JSON and the files. `silence` is
/// how long a worker may be at one shape.
pub fn supervise(
    mode: Mode,
    settings: &Settings,
    mut files: &[PathBuf],
    silence: Duration,
    tell: &mut dyn FnMut(Event),
) {
    while !files.is_empty() {
        let mut begun = 0;
        let mut opened = false;
        let mut told = |event: Event| {
            begun += usize::from(matches!(event, Event::Begin));
            opened |= matches!(event, Event::Device { .. });
            tell(event);
        };
        let failure = one_worker(mode, settings, files, silence, &mut told).err();
        if let Some(message) = failure {
            let label = match begun {
                0 => "worker".to_owned(),
                begun => label(&files[begun - 1]),
            };
            tell(Event::Broken { label, message });
        }
        if !opened || begun == 0 {
            return;
        }
        files = &files[begun.min(files.len())..];
    }
}

/// As [`supervise`], by several workers at once: the driver compiles what they load, and takes longer for it than all else
/// does. Each has files that follow one another, so that calls of one kernel find it loaded.
pub fn supervise_several(
    mode: Mode,
    settings: &Settings,
    files: &[PathBuf],
    silence: Duration,
    workers: usize,
    tell: &mut dyn FnMut(Event),
) {
    let share = files.len().div_ceil(workers.max(1)).max(1);
    let (sender, events) = mpsc::channel();
    std::thread::scope(|scope| {
        for files in files.chunks(share) {
            let sender = sender.clone();
            scope.spawn(move || {
                // If nobody listens any more, there is nobody to tell.
                let mut tell = |event| drop(sender.send(event));
                supervise(mode, settings, files, silence, &mut tell);
            });
        }
        drop(sender);
        events.into_iter().for_each(tell);
    });
}

fn one_worker(
    mode: Mode,
    settings: &Settings,
    files: &[PathBuf],
    silence: Duration,
    tell: &mut dyn FnMut(Event),
) -> Result<(), String> {
    let settings = serde_json::to_string(settings).map_err(|error| error.to_string())?;
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut worker = Command::new(program)
        .args(["worker", mode.name(), &settings])
        .args(files)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("no worker could be started: {error}"))?;
    let (sender, lines) = mpsc::channel();
    if let Some(output) = worker.stdout.take() {
        // Ends when the worker does, or with the receiver.
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
    }
    loop {
        match lines.recv_timeout(silence) {
            Ok(line) => match serde_json::from_str(&line) {
                Ok(event) => tell(event),
                Err(_) => eprintln!("{line}"),
            },
            Err(RecvTimeoutError::Timeout) => {
                stop(&mut worker);
                let seconds = silence.as_secs();
                return Err(format!(
                    "nothing for {seconds} s: the kernel may hang; stopped"
                ));
            }
            Err(RecvTimeoutError::Disconnected) => {
                let status = worker.wait().map_err(|error| error.to_string())?;
                return if status.success() {
                    Ok(())
                } else {
                    Err(format!("the process that ran it died: {status}"))
                };
            }
        }
    }
}

/// Ends a worker that hangs. Its GPU work may keep it for a while, which is not waited for.
fn stop(worker: &mut Child) {
    if worker.kill().is_ok() {
        for _ in 0..50 {
            if !matches!(worker.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

/// Prints an event for [`supervise`] to read.
pub fn print(event: &Event) {
    if let Ok(line) = serde_json::to_string(event) {
        let mut output = std::io::stdout().lock();
        // If nobody reads any more, there is nobody to tell.
        let _ = writeln!(output, "{line}").and_then(|()| output.flush());
    }
}
