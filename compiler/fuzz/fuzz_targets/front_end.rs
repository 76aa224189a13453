//! Any text through the front end: lexed, parsed, checked, and its problems rendered. It must end
//! without a panic, and every place it names must be in the text.
#![no_main]

use std::ffi::{c_char, c_int};

use libfuzzer_sys::fuzz_target;
use tilec::diagnostic::render;
use tilec::sema::{self, Files};
use tilec::source::{FileId, SourceMap};
use tilec::syntax;

fuzz_target!(|text: &str| {
    // Files that an `import` names are not what is tested.
    if text.contains("import") {
        return;
    }
    let mut sources = SourceMap::new();
    let root = sources.add("fuzz.tile", text);
    let parse = |sources: &SourceMap, file: FileId| {
        let text = sources.get(file).map_or("", |file| file.text.as_str());
        syntax::parse(file, text)
    };
    let (files, mut diagnostics) = Files::load(&mut sources, root, &parse);
    if diagnostics.is_empty() {
        diagnostics = sema::check(&files);
    }
    for diagnostic in &diagnostics {
        for label in &diagnostic.labels {
            let place = label.span.start as usize..label.span.end as usize;
            assert!(text.get(place).is_some(), "{diagnostic:?}");
        }
    }
    let _ = render::texts(&diagnostics, &sources, render::Style::default());
});

// The linker takes the first `main` it meets, and MLIR's libraries have one (that of `mlir-opt`) that
// comes before libFuzzer's.
unsafe extern "C" {
    fn LLVMFuzzerRunDriver(count: *mut c_int, list: *mut *mut *mut c_char, each: Input) -> c_int;
    fn LLVMFuzzerTestOneInput(data: *const u8, size: usize) -> c_int;
}

type Input = unsafe extern "C" fn(*const u8, usize) -> c_int;

#[unsafe(no_mangle)]
extern "C" fn main(mut count: c_int, mut list: *mut *mut c_char) -> c_int {
    // SAFETY: the arguments are those that the C library gave.
    unsafe { LLVMFuzzerRunDriver(&raw mut count, &raw mut list, LLVMFuzzerTestOneInput) }
}
