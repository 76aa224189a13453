//! The crate as it is published, and a crate of somebody else on top of it: built and tested without the compiler.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Cargo as it runs this test, without the network.
fn cargo(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command
        .current_dir(folder)
        .env_remove("CARGO_ENCODED_RUSTFLAGS");
    command
}

fn run(command: &mut Command) {
    let ended = command.output().expect("it starts");
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        ended.status.success(),
        "{command:?}\n{}{}",
        text(&ended.stdout),
        text(&ended.stderr)
    );
}

/// The folder of all builds, which has what the runtime depends on.
fn target() -> PathBuf {
    let own = std::env::current_exe().expect("this program");
    let target = own.ancestors().nth(3);
    target.expect("target/debug/deps/package").to_path_buf()
}

#[test]
fn a_crate_that_ships_kernels_builds_on_the_published_runtime() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = target();
    let packages = target.join("package");
    run(cargo(here)
        .args([
            "package",
            "--no-verify",
            "--allow-dirty",
            "--offline",
            "--quiet",
        ])
        .arg("--target-dir")
        .arg(&target));
    let name = concat!("tile-runtime-", env!("CARGO_PKG_VERSION"));
    // Always the same folder, so that only what has changed is built anew.
    let folder = packages.join("user");
    fs::create_dir_all(&folder).expect("a folder");
    let archive = packages.join(format!("{name}.crate"));
    // All files of a package have the same time: Cargo would not see that they are others.
    let known = folder.join("unpacked.crate");
    if fs::read(&known).ok() != fs::read(&archive).ok() {
        run(Command::new("tar")
            .arg("xzmf")
            .arg(&archive)
            .current_dir(&folder));
        fs::copy(&archive, &known).expect("a copy");
    }
    let example = folder.join("normalise");
    let source = here.join("examples/normalise");
    for part in ["src", "tests"] {
        fs::create_dir_all(example.join(part)).expect("a folder");
    }
    for file in [
        "Cargo.lock",
        "src/lib.rs",
        "src/kernels.rs",
        "tests/rows.rs",
    ] {
        fs::copy(source.join(file), example.join(file)).expect(file);
    }
    let manifest = fs::read_to_string(source.join("Cargo.toml")).expect("the manifest");
    let own = "path = \"../..\"";
    assert_eq!(manifest.matches(own).count(), 2, "{manifest}");
    let published = format!("path = \"../{name}\"");
    fs::write(
        example.join("Cargo.toml"),
        manifest.replace(own, &published),
    )
    .expect("written");
    run(cargo(&example)
        .args(["test", "--locked", "--offline", "--quiet"])
        .arg("--target-dir")
        .arg(&target)
        .env("TILE_DEVICE", "sim"));
    let tree = cargo(&example)
        .args([
            "tree",
            "--locked",
            "--offline",
            "--edges",
            "normal,build",
            "--prefix",
            "none",
        ])
        .output()
        .expect("it starts");
    let tree = String::from_utf8_lossy(&tree.stdout).into_owned();
    assert!(tree.contains("cudarc"), "{tree}");
    for heavy in ["llvm", "mlir", "melior", "inkwell", "lalrpop"] {
        assert!(!tree.contains(heavy), "{heavy} in\n{tree}");
    }
}
