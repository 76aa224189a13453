//! Kernels that are right, and one edit each that makes them wrong.
//!
//! `NAME.ptx` is a kernel with no defect; its first comment lines say how it is launched and what
//! comes out. `NAME/WHAT.edit` changes one place of it and says what the simulator must find. So
//! each edit shows two things: that the defect is found, and that nothing else was.

mod edit;
mod expression;
mod kernel;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use edit::Edit;
use kernel::Kernel;

/// Files of a folder with an extension, in order.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("the folder can be listed").path())
        .filter(|path| path.extension() == Some(OsStr::new(extension)))
        .collect();
    files.sort();
    files
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn kernels() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/defects");
    files(&folder, "ptx")
}

/// All edits, each with the kernel that it changes.
fn edits() -> Vec<(PathBuf, PathBuf)> {
    kernels()
        .into_iter()
        .flat_map(|kernel| {
            let edits = files(&kernel.with_extension(""), "edit");
            edits.into_iter().map(move |edit| (kernel.clone(), edit))
        })
        .collect()
}

/// `transpose/barrier_removed`
fn name(path: &Path) -> String {
    let parent = path.parent().and_then(Path::file_name).unwrap_or_default();
    let stem = path.file_stem().unwrap_or_default();
    format!("{}/{}", parent.to_string_lossy(), stem.to_string_lossy())
}

fn fail_if_any(problems: &[String], of: usize) {
    assert!(
        problems.is_empty(),
        "{} of {of}:\n\n{}",
        problems.len(),
        problems.join("\n\n")
    );
}

#[test]
fn right_kernels_are_silent_and_give_what_they_should() {
    let kernels = kernels();
    let problems: Vec<String> = kernels
        .iter()
        .filter_map(|path| {
            let text = read(path);
            let outcome = Kernel::parse(&text).and_then(|kernel| {
                let results = kernel.run(&text)?;
                kernel.check(&results)
            });
            outcome
                .err()
                .map(|problem| format!("{}: {problem}", name(path)))
        })
        .collect();
    fail_if_any(&problems, kernels.len());
}

#[test]
fn each_edit_is_found_as_what_it_is() {
    let edits = edits();
    let problems: Vec<String> = edits
        .iter()
        .filter_map(|(kernel, edit)| {
            let outcome = check_edit(&read(kernel), &read(edit));
            outcome
                .err()
                .map(|problem| format!("{}: {problem}", name(edit)))
        })
        .collect();
    fail_if_any(&problems, edits.len());
}

fn check_edit(good: &str, edit: &str) -> Result<(), String> {
    let edit = Edit::parse(edit)?;
    let broken = edit.apply(good)?;
    // Launched as the kernel that it was made from.
    let outcome = Kernel::parse(&broken)?.run(&broken);
    match outcome {
        Err(kernel::Failure::Finding(finding)) => edit.check(&finding),
        Err(kernel::Failure::Other(problem)) => Err(problem),
        Ok(_) => Err(format!("nothing is found, but {} should be", edit.code)),
    }
}

#[test]
fn there_are_edits_of_many_kinds() {
    let edits = edits();
    assert!(edits.len() >= 45, "only {} edits", edits.len());
    let codes: BTreeSet<String> = edits
        .iter()
        .map(|(_, edit)| Edit::parse(&read(edit)).expect("an edit").code)
        .collect();
    assert!(codes.len() >= 12, "only {codes:?}");
}
