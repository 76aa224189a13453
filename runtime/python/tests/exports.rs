//! What tvm-ffi finds in the library by name. (The package itself is tested from Python: `runtime/python/test.sh`.)

use std::path::PathBuf;

fn library() -> PathBuf {
    let test = std::env::current_exe().expect("a test is a file");
    let deps = test.parent().expect("a file is in a folder");
    deps.join("libtile_ffi.so")
}

#[test]
fn the_library_exports_what_python_loads() {
    let library = std::fs::read(library()).expect("it is built with its tests");
    for name in [&b"__tvm_ffi_load\0"[..], b"__tvm_ffi_version\0"] {
        let found = library.windows(name.len()).any(|bytes| bytes == name);
        assert!(found, "{}", String::from_utf8_lossy(name));
    }
}
