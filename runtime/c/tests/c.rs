//! A program in C that includes `tile.h`, links the library, and launches a kernel in the simulator.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Says nothing; makes cargo build the library with the test.
use tile as _;

/// The folder that cargo builds libraries to.
fn libraries() -> PathBuf {
    let test = std::env::current_exe().expect("this test");
    test.parent().expect("a folder").to_owned()
}

#[test]
fn a_program_in_c_launches_a_kernel() {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("scale");
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let built = Command::new(compiler)
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-o"])
        .arg(&program)
        .arg(crate_folder.join("tests/scale.c"))
        .arg("-I")
        .arg(crate_folder.join("include"))
        .arg("-L")
        .arg(libraries())
        .arg("-ltile")
        .output()
        .expect("a C compiler");
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{said}");
    let ran = Command::new(&program)
        .arg("sim")
        .arg(crate_folder.join("tests/scale.ptx"))
        .env("LD_LIBRARY_PATH", libraries())
        .output()
        .expect("it starts");
    let printed = String::from_utf8_lossy(&ran.stdout);
    assert_eq!(
        printed,
        "x kind 2 element 11 rank 2 mutable 0\n\
         factor kind 0 element 11 rank 0 mutable 0\n\
         y kind 2 element 11 rank 2 mutable 1\n\
         largest kind 2 element 11 rank 1 mutable 1\n\
         2 -4 6 1 0.5 -8 | 6 1\nrefused: `n` is 3 as size 1 of `x` (shape [2, 3]), but 4 as size 1 of `y` (shape [2, 4])\n\
         refused: kernel `scale` also needs `largest: mut tensor<f32>[m]`\n\
         refused: argument 2: 99 is no element type\n\
         refused: kernel is NULL\n\
         refused: 25 bytes do not fit 24\n\
         refused: freed twice\n"
    );
    assert!(ran.status.success());
}
