//! Any text through the front end: lexed, parsed, checked, and its problems rendered. It must end
//! without a panic, and every place it names must be in the text.
#![no_main]

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
