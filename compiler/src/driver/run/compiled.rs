//! A kernel compiled and run on a device; with `--check` compared with what the source means.

use indicatif::ProgressBar;
use tile_runtime::Error;
use tile_runtime::backend::DeviceError;
use tile_runtime::device::Device;
use tile_runtime::report::Report;
use tile_runtime::run::{HostLaunch, RunOptions, run_prepared};

use super::Job;
use super::told::Told;
use crate::compile::{self, Compiled};
use crate::driver::console::Exit;
use crate::driver::interpret;
use crate::driver::options::DeviceChoice;
use crate::driver::tuned;
use crate::target::Target;

impl Job<'_> {
    pub fn compiled(&self, device: &Device, target: &'static Target) -> Result<(), Exit> {
        let compiled = compile::compile(
            &self.program.sources,
            std::slice::from_ref(self.kernel),
            target,
            self.program.file_name(),
        );
        let compiled = match compiled {
            Ok(compiled) => compiled,
            Err(diagnostic) => {
                if let Some((words, usual)) = self.recorded {
                    tuned::left_aside(self.console, words, &diagnostic.message);
                    let usual = Job {
                        kernel: usual,
                        recorded: None,
                        ..*self
                    };
                    return usual.compiled(device, target);
                }
                if self.may_interpret(device) {
                    let name = &device.properties().name;
                    let why = name.strip_prefix("simulator").unwrap_or_default();
                    return self.interpreted(why, &self.manifest_for_interpreter());
                }
                self.console
                    .diagnostics(&[diagnostic], &self.program.sources);
                return Err(Exit::Program);
            }
        };
        let mut host = self
            .options
            .prepare(&compiled.manifest)
            .map_err(|error| self.failed(&error))?;
        if self.command.check {
            // What is saved is what was compiled.
            let options = RunOptions {
                save: Vec::new(),
                ..self.options.clone()
            };
            // What it prints is printed by what was compiled.
            let reference = self.interpret("", &host, &options, false)?;
            let expected = match self.options.tolerance {
                Some(_) => interpret::given(reference.outputs).collect(),
                None => interpret::expected(self.kernel, &host, reference.outputs)
                    .map_err(|error| self.failed(&error))?,
            };
            host.expected.extend(expected);
        }
        match self.launch(&compiled, &host, device) {
            Ok(report) => self.tell_compiled(&report, &compiled, &host),
            Err(Error::Device(DeviceError::Finding(finding))) => {
                let told = Told::new(self, &compiled.ptx);
                told.finding(&finding);
                Err(Exit::Program)
            }
            Err(error) => Err(self.failed(&error)),
        }
    }

    /// Where nobody chose, a kernel that cannot be compiled is interpreted.
    fn may_interpret(&self, device: &Device) -> bool {
        let command = self.command;
        command.device == DeviceChoice::Auto
            && device.simulator().is_some()
            && !command.check
            && command.simulator.given().is_none()
    }

    fn launch(
        &self,
        compiled: &Compiled,
        host: &HostLaunch<'_>,
        device: &Device,
    ) -> Result<Report, Error> {
        // Hidden by itself when stderr is no terminal.
        let bar = ProgressBar::no_length().with_message("timing");
        let mut progress = |done: u32, of: u32| {
            bar.set_length(of.into());
            bar.set_position(done.into());
        };
        let result = run_prepared(&compiled.ptx, self.options, host, device, &mut progress);
        bar.finish_and_clear();
        result.map(|report| self.with_recorded(report))
    }

    /// Prints the report; for what is wrong in it, the source that the reference blames.
    fn tell_compiled(
        &self,
        report: &Report,
        compiled: &Compiled,
        host: &HostLaunch<'_>,
    ) -> Result<(), Exit> {
        let told = Told::new(self, &compiled.ptx);
        told.report(report)?;
        let mut good = Ok(());
        for (output, verdict) in report.wrong() {
            let first = verdict.comparison.first.as_ref();
            let reference = first.filter(|_| self.command.check).and_then(|first| {
                interpret::last_store(self.kernel, host, &output.name, &first.index)
            });
            told.mismatch(output, verdict, reference.as_ref());
            good = Err(Exit::Program);
        }
        good
    }
}
