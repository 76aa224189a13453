//! Says how `tilec` is linked. (That LLVM is there is seen to before this runs, by `.cargo/llvm/bin/llvm-config`, which the
//! crates that link LLVM ask for it.)

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        link_for_a_quick_start();
    }
}

/// LLVM's tables hold 300 000 addresses. A program that may be loaded anywhere corrects each of them whenever it starts,
/// and one that uses a shared C++ library looks 20 000 up there: together longer than compiling a small kernel takes.
fn link_for_a_quick_start() {
    println!("cargo::rustc-link-arg-bin=tilec=-no-pie");
    // A folder that has the library as an archive alone, so that the linker takes that.
    if let (Some(archive), Some(folder)) = (cpp_archive(), std::env::var_os("OUT_DIR")) {
        let folder = PathBuf::from(folder);
        if std::fs::copy(&archive, folder.join("libstdc++.a")).is_ok() {
            println!("cargo::rustc-link-search=native={}", folder.display());
        }
    }
}

/// The C++ library as an archive, where the compiler comes with one.
fn cpp_archive() -> Option<PathBuf> {
    let asked = Command::new("c++")
        .arg("-print-file-name=libstdc++.a")
        .output()
        .ok()?;
    let path = String::from_utf8(asked.stdout).ok()?;
    // A compiler that has none gives the name back.
    let path = Path::new(path.trim());
    path.is_absolute().then(|| path.to_owned())
}
