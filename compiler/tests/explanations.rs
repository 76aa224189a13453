//! The pages of `tilec --explain`: every wrong example has the mistake that its page is about, and
//! no other; every other example has none.
//!
//! An example is a fence: ` ```tile,E0601 ` is wrong, ` ```tile ` is right, and
//! ` ```tile,file=NAME ` is a file beside the examples of its page.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use tilec::diagnostic::Code;

/// Codes that no source causes: what they are about is the launch, or the compiler.
const WITHOUT_SOURCE: &[Code] = &[Code::ArgumentMismatch, Code::CompilerDefect];

struct Fence<'p> {
    info: &'p str,
    text: String,
}

fn fences(page: &str) -> Vec<Fence<'_>> {
    let mut fences: Vec<Fence<'_>> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        match (line.strip_prefix("```"), inside) {
            (Some(info), false) => {
                inside = true;
                let text = String::new();
                fences.push(Fence { info, text });
            }
            (Some(_), true) => inside = false,
            (None, true) => {
                let last = fences.last_mut().expect("a fence is open");
                last.text.push_str(line);
                last.text.push('\n');
            }
            (None, false) => {}
        }
    }
    assert!(!inside, "a fence is open at the end:\n{page}");
    fences
}

/// The codes of everything that `tilec` says of a source, which are those in its messages for people:
/// `error[E0601]: …`.
fn codes(code: Code, file: &Path) -> BTreeSet<String> {
    let path = file.to_str().expect("a plain path");
    let call: &[&str] = match code.number() {
        number if number.starts_with("E08") => &["build", path, "-o", "-"],
        "E0017" => &["run", path, "--device", "interp"],
        number if number.starts_with("E10") => &["run", path, "--device", "interp"],
        "E1104" | "E1105" => &["test", path, "--device", "interp"],
        _ => &["check", path],
    };
    let output = Command::new(env!("CARGO_BIN_EXE_tilec"))
        .args(call)
        .output()
        .expect("tilec runs");
    let mut said = String::from_utf8(output.stdout).expect("results are text");
    said.push_str(&String::from_utf8(output.stderr).expect("messages are text"));
    let kinds = ["error[", "warning["];
    let code = |line: &str| {
        let rest = kinds
            .iter()
            .find_map(|kind| line.trim_start().strip_prefix(kind));
        Some(rest?.split_once(']')?.0.to_owned())
    };
    let failed = output.status.code() != Some(0);
    let codes: BTreeSet<String> = said.lines().filter_map(code).collect();
    // An error without a code is none that a page shows.
    if failed && codes.is_empty() {
        return BTreeSet::from([said]);
    }
    codes
}

/// What the examples may import: no text, and more text than is read.
fn prepare(folder: &Path) {
    fs::write(folder.join("latin1.tile"), b"// \xe4\n").expect("written");
    let large = fs::File::create(folder.join("large.tile")).expect("created");
    let length = tilec::source::MAXIMUM_SIZE + 1;
    large.set_len(length).expect("a file with a hole");
}

#[test]
fn examples_show_what_their_page_is_about() {
    let mut wrong = Vec::new();
    for &code in Code::ALL {
        let folder = tempfile::tempdir().expect("a folder");
        prepare(folder.path());
        let fences = fences(code.page());
        for fence in &fences {
            if let Some(name) = fence.info.strip_prefix("tile,file=") {
                fs::write(folder.path().join(name), &fence.text).expect("written");
            }
        }
        let (mut right_ones, mut wrong_ones) = (0, 0);
        for fence in &fences {
            let mut expected = BTreeSet::new();
            match fence.info {
                "tile" => right_ones += 1,
                info if info.strip_prefix("tile,") == Some(code.number()) => {
                    wrong_ones += 1;
                    expected.insert(code.number().to_owned());
                }
                info if info.starts_with("tile,file=") || info == "console" => continue,
                info => panic!("{code}: a fence of {info:?}"),
            }
            let file = folder.path().join("main.tile");
            fs::write(&file, &fence.text).expect("written");
            let mut found = codes(code, &file);
            // Too many errors are those of other codes.
            if code == Code::TooManyErrors && found.contains(code.number()) {
                found = BTreeSet::from([code.number().to_owned()]);
            }
            if found != expected {
                wrong.push(format!("{code}: {found:?} from\n{}", fence.text));
            }
        }
        if !WITHOUT_SOURCE.contains(&code) {
            assert!(wrong_ones > 0, "{code} has no wrong example");
            assert!(right_ones > 0, "{code} has no right example");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_page_begins_with_its_code_and_title() {
    for code in Code::ALL {
        let first = code.page().lines().next();
        let expected = format!("# {code}: {}", code.title());
        assert_eq!(first, Some(expected.as_str()));
        assert!(code.page().ends_with('\n'));
    }
}
