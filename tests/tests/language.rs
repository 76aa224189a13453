//! `test` blocks: those of the examples and of `tests/language` pass, in the interpreter and in the
//! simulator; those of `tests/failing` fail, as their snapshots say.

use std::path::{Path, PathBuf};

use tile_runtime::device::Device;
use tile_tests::parallel::in_parallel;
use tile_tests::{Program, root};
use tilec::diagnostic::{Diagnostic, render};
use tilec::sema;
use tilec::target::{DEFAULT, Target};
use tilec::testing::{self, Setup};

/// How many tests run at once.
const THREADS: usize = 2;

/// The `.tile` files of a folder, by name.
fn files(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(folder)).expect("a folder");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "tile")
        })
        .collect();
    files.sort();
    files
}

fn name(path: &Path) -> String {
    let name = path.file_name().expect("a name");
    name.to_string_lossy().into_owned()
}

/// Runs a test; gives what is wrong.
fn run(program: &Program, file: &str, test: &str, device: Option<Device>) -> Vec<Diagnostic> {
    let (elaborated, problems) =
        sema::elaborate_test(&program.files, test, &Default::default(), None);
    let Some(elaborated) = elaborated else {
        return problems;
    };
    let setup = Setup {
        sources: &program.sources,
        file,
        device,
        target: Target::named(DEFAULT).expect("the default target exists"),
    };
    match testing::run(&elaborated, &setup) {
        Ok(_) => Vec::new(),
        Err(problem) => vec![*problem],
    }
}

fn text(problems: &[Diagnostic], program: &Program) -> String {
    render::texts(problems, &program.sources, render::Style::default())
}

#[test]
fn tests_pass_interpreted_and_simulated() {
    let paths = [files("lang-examples"), files("tests/language")].concat();
    let programs: Vec<(String, Program)> = paths
        .iter()
        // With its folder, where its imports are.
        .map(|path| (name(path), Program::read(path, &path.to_string_lossy())))
        .collect();
    let mut cases = Vec::new();
    for (file, program) in &programs {
        assert_eq!(program.problems(), "", "{file}");
        for test in program.files.tests() {
            cases.push((file, program, test, None));
            cases.push((file, program, test, Some(Device::sim())));
        }
    }
    assert!(cases.len() >= 50, "only {} tests were found", cases.len());
    let told = |(file, program, test, device): &(&String, &Program, &str, Option<Device>)| {
        let problems = run(program, file, test, device.clone());
        let place = if device.is_some() {
            "simulator"
        } else {
            "interpreter"
        };
        let told = || format!("{file}::{test} ({place}):\n{}", text(&problems, program));
        (!problems.is_empty()).then(told)
    };
    let failed: Vec<String> = in_parallel(THREADS, &cases, told)
        .into_iter()
        .flatten()
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn failures_are_told() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(root().join("tests/failing/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for path in files("tests/failing") {
            let file = name(&path);
            let program = Program::read(&path, &file);
            assert_eq!(program.problems(), "", "{file}");
            let mut all = Vec::new();
            for test in program.files.tests() {
                for (place, device) in [("interp", None), ("sim", Some(Device::sim()))] {
                    let problems = run(&program, &file, test, device);
                    assert!(!problems.is_empty(), "{file}::{test} passes ({place})");
                    // Which line of the PTX it is changes with every pass.
                    let text = text(&problems, &program);
                    let lines = text.lines().filter(|line| !line.contains("note: PTX line"));
                    let text: String = lines.flat_map(|line| [line, "\n"]).collect();
                    let told = format!("---- {test} ----\n{text}");
                    match all.last() {
                        // Most failures are the same wherever the test runs.
                        Some(last) if *last == told => {}
                        _ => all.push(told),
                    }
                }
            }
            insta::assert_snapshot!(file.trim_end_matches(".tile"), all.join("\n"));
        }
    });
}
