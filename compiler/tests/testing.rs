//! `tilec test` as a user meets it: what it prints, and its exit codes.

use std::fs;

use tempfile::TempDir;

mod support;

const ADD_ONE: &str = "\
kernel add_one<const BLOCK: i32 = 32>(x: mut tensor<f32>[n]) grid(cdiv(n, BLOCK)) {
    let at = program_id(0) * BLOCK;
    store(x[at +: BLOCK], load(x[at +: BLOCK]) + 1.0);
}
test good { let x = zeros([50]); add_one(x); assert_equal(x, 1.0); }
test bad { let x = zeros([50]); add_one(x); assert_equal(x, 2.0); }
#[ignore]
test slow { assert(false); }
";

/// A folder with files to test.
struct Place(TempDir);

impl Place {
    fn with(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, text).expect("written");
        }
        Self(folder)
    }

    /// Exit code, stdout without times, stderr.
    fn test(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let ended = support::tilec(self.0.path(), &[&["test"], arguments].concat());
        let stdout = ended.stdout;
        let stdout = match stdout.split_once("; finished in ") {
            Some((before, time)) => {
                assert!(time.trim_end().ends_with('s'), "{time}");
                format!("{before}\n")
            }
            None => stdout,
        };
        (ended.code, stdout, ended.stderr)
    }
}

#[test]
fn results_are_told_as_cargo_does() {
    let place = Place::with(&[("a.tile", ADD_ONE)]);
    let (code, stdout, stderr) = place.test(&["a.tile", "--device", "interp", "-f", "good"]);
    assert_eq!(stderr, "");
    assert_eq!(
        stdout,
        "\nrunning 1 test\ntest a.tile::good ... ok\n\n\
         test result: ok. 1 passed; 0 failed; 0 ignored; 2 filtered out\n"
    );
    assert_eq!(code, Some(0));
}

#[test]
fn a_failure_is_shown_and_is_exit_code_1() {
    let place = Place::with(&[("a.tile", ADD_ONE)]);
    let (code, stdout, _) = place.test(&["--device", "interp"]);
    assert_eq!(code, Some(1));
    for text in [
        "running 3 tests\n",
        "test a.tile::bad ... FAILED\n",
        "test a.tile::slow ... ignored\n",
        "\nfailures:\n\n---- a.tile::bad ----\nerror[E1104]: 50 of 50 elements are not equal",
        " --> a.tile:6:45\n",
        "\nfailures:\n    a.tile::bad\n",
        "test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 filtered out",
    ] {
        assert!(stdout.contains(text), "{text:?} is not in:\n{stdout}");
    }
    assert!(!stdout.contains('\u{1b}'), "colours in a pipe");
    let (_, stdout, _) = place.test(&["--device", "interp", "--ignored"]);
    assert!(
        stdout.contains("test a.tile::slow ... FAILED\n"),
        "{stdout}"
    );
}

#[test]
fn folders_are_searched_and_files_without_tests_are_fine() {
    let place = Place::with(&[
        ("a.tile", "kernel nothing() grid(1) { }\n"),
        ("inner/b.tile", "test two { assert(1 + 1 == 2); }\n"),
        ("target/c.tile", "test no { assert(false); }\n"),
    ]);
    let (code, stdout, _) = place.test(&["--device", "interp"]);
    assert!(
        stdout.contains("running 1 test\ntest inner/b.tile::two ... ok\n"),
        "{stdout}"
    );
    assert_eq!(code, Some(0));
    let (code, stdout, _) = place.test(&["a.tile"]);
    assert!(stdout.contains("running 0 tests\n"), "{stdout}");
    assert_eq!(code, Some(0));
    let (code, stdout, _) = place.test(&["--list"]);
    assert_eq!(stdout, "inner/b.tile::two: test\n\n1 test\n");
    assert_eq!(code, Some(0));
}

#[test]
fn wrong_calls_are_exit_code_2() {
    let place = Place::with(&[("a.tile", ADD_ONE)]);
    let wrong: [(&[&str], &str); 4] = [
        (&["none.tile"], "error[E0901]: `none.tile` does not exist"),
        (
            &["-D", "BLOK=16"],
            "`-D BLOK` names no generic of any kernel",
        ),
        (&["--device", "tpu"], "use `auto`, `cuda:N`"),
        (&["--target", "sm_1"], "sm_90a"),
    ];
    for (arguments, says) in wrong {
        let (code, _, stderr) = place.test(arguments);
        assert!(stderr.contains(says), "{says:?} is not in:\n{stderr}");
        assert_eq!(code, Some(2), "{stderr}");
    }
}

#[test]
fn files_that_are_wrong_do_not_hide_the_tests_of_others() {
    let place = Place::with(&[
        ("a.tile", "test broken { let x = ; }\n"),
        (
            "b.tile",
            "test fine { assert(true); }\ntest unknown { asert(true); }\n",
        ),
    ]);
    let (code, stdout, stderr) = place.test(&["--device", "interp"]);
    assert!(stderr.contains("a.tile:1:"), "{stderr}");
    assert!(stdout.contains("test b.tile::fine ... ok\n"), "{stdout}");
    assert!(stdout.contains("no `asert` is known here"), "{stdout}");
    assert_eq!(code, Some(1));
}

#[test]
fn machines_get_an_object_per_test() {
    let place = Place::with(&[("a.tile", ADD_ONE)]);
    let (code, stdout, stderr) = place.test(&["--device", "interp", "--message-format", "json"]);
    assert_eq!((code, stderr.as_str()), (Some(1), ""));
    let lines: Vec<serde_json::Value> = stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let outcomes: Vec<_> = lines.iter().map(|line| line["outcome"].as_str()).collect();
    assert_eq!(
        outcomes,
        [Some("ok"), Some("failed"), Some("ignored"), None]
    );
    assert_eq!(lines[1]["name"], "a.tile::bad");
    assert_eq!(lines[1]["problems"][0]["line"], 6);
    assert_eq!(lines[3]["event"], "summary");
    assert_eq!(lines[3]["failed"], 1);
}

#[test]
fn the_simulator_runs_what_was_compiled() {
    let place = Place::with(&[("a.tile", ADD_ONE)]);
    let (code, stdout, _) = place.test(&["--device", "sim", "--filter", "good", "-D", "BLOCK=16"]);
    assert!(stdout.contains("test a.tile::good ... ok\n"), "{stdout}");
    assert_eq!(code, Some(0));
}
