//! The `tilec` command line.
//!
//! Each command is a file of its own: [`build`], [`check`], [`run`], [`test`], [`tune`], [`account`] for `explain`, [`opt`],
//! [`explain`] for `--explain CODE`, and [`tables`] for `targets` and `passes`. They share [`options`] (what can be said
//! on the command line),
//! [`program`] (from a path to typed kernels), [`header`] (the call written in a file), [`stage`]
//! (what `--emit` shows), [`tuned`] (what is recorded of a file), [`schedule`] (work on several threads), [`output`] (files written whole or not at all) and [`console`] (what is
//! printed, for people or machines).
//!
//! # Exit codes
//!
//! | code | meaning |
//! |---|---|
//! | 0 | done; warnings may have been printed |
//! | 1 | the program is wrong, or its run failed |
//! | 2 | the call is wrong: an unknown file, option, argument, kernel, target or generic |
//! | 101 | a defect of the compiler: it panicked, or LLVM gave up, and says so without a stack trace |
//!
//! Results go to stdout, everything said about them to stderr.

mod account;
mod build;
mod check;
mod console;
mod explain;
mod header;
mod interpret;
mod opt;
mod options;
mod output;
mod program;
mod run;
mod rust;
mod schedule;
mod signatures;
mod stage;
mod tables;
mod test;
mod tune;
mod tuned;

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{ColorChoice, CommandFactory, FromArgMatches};

use crate::backend::fatal::{self, Defect};
use crate::stack::{STACK_BYTES, on_deep_stack};
use console::{Console, Exit, MessageFormat};
use options::{Command, Options};

/// The exit code of a defect, the one that Rust programs have when they panic.
const DEFECT: u8 = 101;

/// Runs the command that the process was started with.
#[must_use]
pub fn main() -> ExitCode {
    let (format, color) = before_parsing();
    choose_color(color);
    report_panics(format);
    report_fatal_errors(format);
    match catch_unwind(|| on_deep_stack(|| command(format, color))) {
        Ok(Ok(code)) => code,
        // The hook has told it.
        Err(_) => ExitCode::from(DEFECT),
        Ok(Err(error)) => {
            let stack = STACK_BYTES >> 20;
            let message = format!(
                "the system gives no thread with a stack of {stack} MiB to work on: {error}"
            );
            let help = "what is not touched of it takes no memory: raise the limit of address space (`ulimit -v`)";
            Console::new(format).error(&message, &[help]);
            ExitCode::FAILURE
        }
    }
}

fn command(format: MessageFormat, color: ColorChoice) -> ExitCode {
    let console = Console::new(format);
    let parsed = Options::command()
        .color(color)
        .try_get_matches()
        .and_then(|matches| Options::from_arg_matches(&matches));
    let options = match parsed {
        Ok(options) => options,
        Err(error) => return wrong_call(&console, &error),
    };
    if let Some(code) = &options.explain {
        return ended(explain::explain(&console, code));
    }
    let Some(command) = &options.command else {
        let error = Options::command().color(color).error(
            ErrorKind::MissingSubcommand,
            "what to do is missing: a command such as `build`, `check` or `run`",
        );
        return wrong_call(&console, &error);
    };
    let done = match command {
        Command::Build(options) => build::build(&console, options),
        Command::Check(options) => check::check(&console, options),
        Command::Run(options) => run::run(&console, options),
        Command::Test(options) => test::test(&console, options),
        Command::Tune(options) => tune::tune(&console, options),
        Command::Explain(options) => account::account(&console, options),
        Command::Opt(options) => opt::opt(&console, options),
        Command::Targets => tables::targets(&console),
        Command::Passes => tables::passes(&console),
    };
    console.tell_of_explanations();
    ended(done)
}

fn ended(done: Result<(), Exit>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(exit) => exit.into(),
    }
}

/// Prints help that was asked for, or what is wrong with the command line.
fn wrong_call(console: &Console, error: &clap::Error) -> ExitCode {
    // `tilec` alone asks for help as `tilec --help` does.
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
        && std::env::args_os().len() < 2
    {
        return match Options::command().print_help() {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => Exit::Program.into(),
        };
    }
    if console.format == MessageFormat::Json && error.use_stderr() {
        let text = error.render().to_string();
        let (message, helps) = text.split_once("\n\n").unwrap_or((&text, ""));
        let helps: Vec<&str> = helps
            .split("\n\n")
            .map(|help| help.trim().trim_start_matches("tip: "))
            .filter(|help| !help.is_empty() && !help.starts_with("For more information"))
            .collect();
        console.error(message.trim_start_matches("error: ").trim(), &helps);
    } else if error.print().is_err() {
        return Exit::Program.into();
    }
    if error.use_stderr() {
        Exit::Call.into()
    } else {
        ExitCode::SUCCESS
    }
}

/// How to speak, for whatever is wrong with the command line itself; read without complaint, since
/// the parser will complain.
fn before_parsing() -> (MessageFormat, ColorChoice) {
    let words: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|word| word.to_string_lossy().into_owned())
        .take_while(|word| word != "--")
        .collect();
    let value = |flag: &str| {
        words
            .iter()
            .enumerate()
            .rev()
            .find_map(|(index, word)| match word.strip_prefix(flag) {
                Some("") => words.get(index + 1).map(String::as_str),
                Some(rest) => rest.strip_prefix('='),
                None => None,
            })
    };
    let format = if value("--message-format") == Some("json") {
        MessageFormat::Json
    } else {
        MessageFormat::Text
    };
    let color = match value("--color") {
        Some("always") => ColorChoice::Always,
        Some("never") => ColorChoice::Never,
        _ => ColorChoice::Auto,
    };
    (format, color)
}

/// Colours on terminals only, unless asked for otherwise.
fn choose_color(color: ColorChoice) {
    match color {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    }
    .write_global();
}

thread_local! {
    /// What a panic says, where one is caught.
    static CAUGHT: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Does what may panic on input that nobody has checked, and gives what it panics with.
fn caught<R>(work: impl FnOnce() -> R) -> Result<R, String> {
    CAUGHT.set(Some(String::new()));
    let done = catch_unwind(AssertUnwindSafe(work));
    let said = CAUGHT.take().unwrap_or_default();
    done.map_err(|_| said)
}

/// A panic is a defect of the compiler, whatever the input. Say so, and where, but show no stack
/// trace to somebody who cannot use it (`RUST_BACKTRACE=1` asks for it).
fn report_panics(format: MessageFormat) {
    std::panic::set_hook(Box::new(move |panic| {
        let payload = panic.payload();
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let what = text
            .or_else(|| payload.downcast_ref::<&str>().copied())
            .unwrap_or("it panicked");
        let is_caught = CAUGHT
            .with_borrow_mut(|caught| caught.as_mut().map(|text| what.clone_into(text)).is_some());
        if is_caught {
            return;
        }
        let place = panic
            .location()
            .map(|place| format!(" ({}:{})", place.file(), place.line()))
            .unwrap_or_default();
        let help = please_report("the file and the command line");
        Console::new(format).error(&format!("the compiler failed: {what}{place}"), &[&help]);
        if std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0") {
            Console::new(format).say(&std::backtrace::Backtrace::force_capture().to_string());
        }
    }));
}

/// LLVM ends the process when it cannot go on, which is a defect of the compiler as well.
fn report_fatal_errors(format: MessageFormat) {
    fatal::on_defect(move |defect| {
        let (message, help) = fatal_error(defect);
        Console::new(format).error(&message, &[&help]);
        std::process::exit(DEFECT.into());
    });
}

/// What is said of a fatal error of LLVM.
fn fatal_error(defect: &Defect) -> (String, String) {
    let entry = defect.entry.as_ref();
    let of_entry = entry.map(|entry| format!(" for `{entry}`"));
    let message = format!(
        "LLVM could not make PTX{}: {}",
        of_entry.unwrap_or_default(),
        defect.said
    );
    let kept = defect.kept.as_ref();
    let kept = kept.map(|path| format!(", and with {}, which is what LLVM got", path.display()));
    let with = format!("the file and the command line{}", kept.unwrap_or_default());
    (message, please_report(&with))
}

fn please_report(with: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "this is a defect of tilec {version}, not of your program: please report it with {with}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fatal_error_names_the_kernel_and_the_file_that_was_kept() {
        let mut defect = Defect {
            entry: Some("softmax".to_owned()),
            said: "Cannot select: t1".to_owned(),
            kept: Some("kept.bc".into()),
        };
        let (message, help) = fatal_error(&defect);
        assert_eq!(
            message,
            "LLVM could not make PTX for `softmax`: Cannot select: t1"
        );
        assert!(
            help.contains("the command line, and with kept.bc, which"),
            "{help}"
        );
        (defect.entry, defect.kept) = (None, None);
        let (message, help) = fatal_error(&defect);
        assert_eq!(message, "LLVM could not make PTX: Cannot select: t1");
        assert!(help.ends_with("the file and the command line"), "{help}");
    }
}
