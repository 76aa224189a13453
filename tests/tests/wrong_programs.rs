//! Wrong programs and what the compiler says about them: every `tests/ui/**/*.tile` with its exact
//! diagnostics in a snapshot of the same path.
//!
//! Two folders are special. In `imports` each case is a folder, and `main.tile` is what is compiled.
//! Programs in `running` are right as far as `check` sees; they fail when they are compiled, or when
//! the interpreter does what their `//! run:` line says.

use clap::Parser;
use tile_runtime::arguments::HostArgument;
use tile_runtime::run::RunOptions;
use tile_tests::{Program, root};
use tilec::compile::compile;
use tilec::diagnostic::{messages, render};
use tilec::interp::{self, Argument, Arguments};
use tilec::target::{DEFAULT, Target};

#[test]
fn wrong_programs_are_explained() {
    let folder = root().join("tests/ui");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(root().join("tests/ui/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_input_file(&folder);
    settings.bind(|| {
        let mut count = 0;
        insta::glob!("../ui", "**/*.tile", |path| {
            let name = path
                .strip_prefix(&folder)
                .map(|path| path.display().to_string())
                .expect("a path inside the folder");
            let text = std::fs::read_to_string(path).expect("a test file is text");
            let imported = name.starts_with("imports") && !name.ends_with("main.tile");
            if imported {
                return;
            }
            let program = Program::open(path);
            let problems = if name.starts_with("running") {
                run(&program, &text)
            } else {
                program.problems()
            };
            // Names of files are paths; what they are relative to differs from machine to machine.
            let problems = problems.replace(&format!("{}/", folder.display()), "");
            assert!(!problems.is_empty(), "{name} is not wrong");
            insta::assert_snapshot!(format!("{text}\n----\n{problems}"));
            count += 1;
        });
        assert!(count >= 200, "only {count} wrong programs were found");
    });
}

#[derive(Parser)]
#[command(no_binary_name = true)]
struct Call {
    #[command(flatten)]
    run: RunOptions,
}

/// What is said when the program is compiled, or interpreted as its header says.
fn run(program: &Program, text: &str) -> String {
    let told = |diagnostic| render::text(&diagnostic, &program.sources, render::Style::default());
    let call = text
        .lines()
        .find_map(|line| line.strip_prefix("//! run: "))
        .expect("a call");
    let mut words = call.split_whitespace();
    let kernel = program.kernel(words.next().expect("a kernel"), &[]);
    let target = Target::named(DEFAULT).expect("the default target exists");
    let kernels = std::slice::from_ref(&kernel);
    let compiled = match compile(&program.sources, kernels, target, "running") {
        Ok(compiled) => compiled,
        Err(diagnostic) => return told(diagnostic),
    };
    let call = Call::try_parse_from(words).expect("a call");
    let manifest = compiled.manifest.without_promises();
    let launch = call.run.prepare(&manifest).expect("fits");
    let mut arguments = Arguments::new();
    for (name, value) in &launch.arguments {
        match value {
            HostArgument::Scalar(value) => arguments.set(name, Argument::Scalar(*value)),
            HostArgument::Tensor(tensor) => arguments.set_tensor(name, tensor),
        }
    }
    let options = interp::Options::default();
    match interp::run(&kernel, launch.plan.grid, &mut arguments, options) {
        Ok(()) => String::new(),
        Err(error) => told(messages::runtime::stopped(&error)),
    }
}
