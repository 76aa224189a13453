//! Wrong programs and what the compiler says about them: every `tests/ui/**/*.tile` with its exact
//! diagnostics in a snapshot of the same path.

use tile_tests::{Program, root};

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
            let problems = Program::new(&name, &text).problems();
            assert!(!problems.is_empty(), "{name} is not wrong");
            insta::assert_snapshot!(format!("{text}\n----\n{problems}"));
            count += 1;
        });
        assert!(count >= 60, "only {count} wrong programs were found");
    });
}
