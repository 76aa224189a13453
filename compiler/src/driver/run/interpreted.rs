//! A kernel run by the reference interpreter.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use tile_runtime::manifest::Manifest;
use tile_runtime::report::Report;
use tile_runtime::run::{HostLaunch, RunOptions};

use super::Job;
use super::told::Told;
use crate::backend::manifest::{self, VariantFacts};
use crate::compile;
use crate::diagnostic::{Severity, messages};
use crate::dialect;
use crate::driver::console::Exit;
use crate::driver::interpret::{self, Stopped};
use crate::passes::VariantRequest;
use crate::target::{DEFAULT, TARGETS, Target};

impl Job<'_> {
    /// Interprets and reports; `why` says why nobody else runs it.
    pub fn interpreted(&self, why: &str, manifest: &Manifest) -> Result<(), Exit> {
        if self.options.time.is_some() {
            self.console.warning(
                "`--time` needs a GPU: the interpreter's time says nothing about one",
                &[],
            );
        }
        let host = self
            .options
            .prepare(manifest)
            .map_err(|error| self.failed(&error))?;
        let report = self.interpret(why, &host, self.options, true)?;
        let told = Told::new(self, "");
        told.report(&report)?;
        let mut good = Ok(());
        for (output, verdict) in report.wrong() {
            let first = verdict.comparison.first.as_ref();
            let stored = first.and_then(|first| {
                interpret::last_store(self.kernel, &host, &output.name, &first.index)
            });
            told.mismatch(output, verdict, stored.as_ref());
            good = Err(Exit::Program);
        }
        good
    }

    /// Interprets a launch; `prints` says whether `print` does.
    pub fn interpret(
        &self,
        why: &str,
        host: &HostLaunch<'_>,
        options: &RunOptions,
        prints: bool,
    ) -> Result<Report, Exit> {
        let programs: u64 = host
            .plan
            .grid
            .iter()
            .map(|&count| u64::from(count))
            .product();
        let spinner = ProgressBar::new_spinner()
            .with_style(ProgressStyle::default_spinner())
            .with_message(format!(
                "interpreting {programs} programs of `{}`",
                self.kernel.name
            ));
        spinner.enable_steady_tick(Duration::from_millis(100));
        let result = interpret::run(self.kernel, host, options, prints);
        spinner.finish_and_clear();
        match result {
            Ok(report) => Ok(self.with_recorded(Report {
                device: format!("interpreter{why}"),
                ..report
            })),
            Err(Stopped::Kernel(error)) => {
                self.console
                    .diagnostics(&[messages::runtime::stopped(&error)], &self.program.sources);
                Err(Exit::Program)
            }
            Err(Stopped::Launch(error)) => Err(self.failed(&error)),
        }
    }

    /// The manifest with what the compiler decided. What cannot be compiled can still be
    /// interpreted: then the manifest knows the parameters and nothing else.
    pub fn manifest_for_interpreter(&self) -> Manifest {
        let target = self
            .command
            .target
            .or_else(|| Target::named(DEFAULT))
            .unwrap_or(&TARGETS[0]);
        let variants = manifest::default_variants(self.kernel);
        let context = dialect::context();
        let lowered = compile::lower(
            &context,
            &self.program.sources,
            self.kernel,
            target,
            &variants,
            |_, _| true,
        );
        let kernel = lowered
            .map(|lowered| lowered.manifest(self.kernel))
            .unwrap_or_else(|mut problem| {
                problem.severity = Severity::Warning;
                problem = problem.note("the interpreter runs it all the same");
                // It suggests what is being done.
                problem
                    .notes
                    .retain(|note| !note.contains("--device interp"));
                self.console.diagnostics(&[problem], &self.program.sources);
                let any = VariantRequest {
                    entry: self.kernel.name.clone(),
                    divisibility: Vec::new(),
                    names: Vec::new(),
                    blocks: None,
                    ones: Vec::new(),
                    has_rows: false,
                };
                let nothing = VariantFacts::default();
                manifest::kernel(self.kernel, &[(any, nothing)], &[])
            });
        manifest::file(target, self.program.file_name(), vec![kernel]).without_promises()
    }
}
