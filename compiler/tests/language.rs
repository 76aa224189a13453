//! `docs/LANGUAGE.md` and `docs/FROM-TRITON.md`: the generated parts are up to date, and each example does what it
//! says.
//!
//! `UPDATE_LANGUAGE=1 cargo test -p tilec --test language` writes the generated parts anew.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use tilec::sema::reference;

/// How many examples run at once.
const THREADS: usize = 2;

fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/LANGUAGE.md")
}

#[test]
fn generated_parts_are_up_to_date() {
    let text = fs::read_to_string(page()).expect("the page is text");
    let current = reference::regenerate(&text).expect("every builtin is described once");
    if std::env::var_os("UPDATE_LANGUAGE").is_some() {
        fs::write(page(), &current).expect("written");
        return;
    }
    let differs = text.lines().zip(current.lines()).find(|(a, b)| a != b);
    assert!(
        text == current,
        "the page is out of date at {differs:?}: UPDATE_LANGUAGE=1 cargo test -p tilec --test language"
    );
}

/// An example: what stands behind its fence, the line it begins on, and its text.
struct Example {
    info: String,
    line: usize,
    text: String,
}

fn examples_of(page: &str) -> Vec<Example> {
    let mut examples = Vec::new();
    let mut open: Option<Example> = None;
    for (number, line) in page.lines().enumerate() {
        let fence = line.strip_prefix("```");
        match (fence, open.take()) {
            (Some(info), None) => {
                open = Some(Example {
                    info: info.to_owned(),
                    line: number + 1,
                    text: String::new(),
                });
            }
            (Some(_), Some(example)) => examples.push(example),
            (None, Some(mut example)) => {
                example.text.push_str(line);
                example.text.push('\n');
                open = Some(example);
            }
            (None, None) => {}
        }
    }
    examples.retain(|example| example.info.starts_with("tile"));
    examples
}

impl Example {
    /// What is wrong with it.
    fn problem(&self) -> Option<String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("example.tile");
        fs::write(&path, &self.text).expect("written");
        let path = path.to_str().expect("a plain path");
        let code = self.info.strip_prefix("tile,");
        let tests = self.text.lines().any(|line| line.starts_with("test "));
        let call: &[&str] = match code {
            Some(_) => &["check", path],
            None if tests => &["test", path, "--device", "sim"],
            None => &["run", path, "--check"],
        };
        let output = Command::new(env!("CARGO_BIN_EXE_tilec"))
            .args(call)
            .env("CUDA_VISIBLE_DEVICES", "")
            .output()
            .expect("tilec runs");
        let said = String::from_utf8_lossy(&output.stderr);
        let fine = match code {
            Some(code) => said.contains(&format!("[{code}]")),
            None => output.status.success() && !said.contains("warning"),
        };
        let report = String::from_utf8_lossy(&output.stdout);
        (!fine).then(|| format!("line {}: {report}{said}", self.line))
    }
}

/// Each is compiled, runs in the simulator with all checks on, and computes what the interpreter
/// says; those marked with a code have that diagnostic.
#[test]
fn examples_do_what_they_say() {
    let read = |path: PathBuf| fs::read_to_string(path).expect("the page is text");
    let mut examples = examples_of(&read(page()));
    assert!(examples.len() >= 60, "only {} examples", examples.len());
    examples.extend(examples_of(&read(page().with_file_name("FROM-TRITON.md"))));
    let next = AtomicUsize::new(0);
    let problems = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some(example) = examples.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let problem = example.problem();
                    problems.lock().expect("no panic").extend(problem);
                }
            });
        }
    });
    let problems = problems.into_inner().expect("no panic");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
