//! The files of a program: the root and what it imports, with every import resolved.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::suggest;
use crate::diagnostic::{Diagnostic, Span, messages};
use crate::source::{FileId, LoadError, SourceMap};
use crate::syntax::ast::{self, Item};

/// Turns the text of a file into its syntax tree and the problems found on the way.
pub type Parse<'p> = &'p dyn Fn(&SourceMap, FileId) -> (ast::File, Vec<Diagnostic>);

/// A parsed program: the root file first in importance, not in number.
#[derive(Debug, Default)]
pub struct Files {
    files: HashMap<FileId, File>,
    root: FileId,
}

#[derive(Debug)]
struct File {
    ast: ast::File,
    /// For each item that is an import: the file it names, if that could be loaded.
    imports: HashMap<usize, FileId>,
}

/// A declaration, where it is, and its place among the items of its file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Declaration<'a> {
    pub file: FileId,
    pub index: usize,
    pub item: &'a Item,
}

impl Files {
    /// Parses a file that is in `sources` already, and everything it imports. Paths are relative to
    /// the importing file.
    pub fn load(
        sources: &mut SourceMap,
        root: FileId,
        parse: Parse<'_>,
    ) -> (Self, Vec<Diagnostic>) {
        let mut loader = Loader {
            sources,
            parse,
            files: HashMap::new(),
            stack: Vec::new(),
            diagnostics: Vec::new(),
        };
        loader.file(root);
        let files = Self {
            files: loader.files,
            root,
        };
        (files, loader.diagnostics)
    }

    /// The names of the kernels of the root file, in order.
    #[must_use]
    pub fn kernels(&self) -> Vec<&str> {
        self.root_kernels()
            .map(|kernel| kernel.name.text.as_str())
            .collect()
    }

    /// The kernels of the root file, in order.
    pub(super) fn root_kernels(&self) -> impl Iterator<Item = &ast::Kernel> {
        self.items(self.root)
            .filter_map(|declaration| match declaration.item {
                Item::Kernel(kernel) => Some(kernel),
                _ => None,
            })
    }

    /// Whether a place is before the body of a kernel: among generics, parameters and sizes.
    pub(super) fn is_in_heading(&self, span: Span) -> bool {
        self.root_kernels().any(|kernel| {
            kernel.span.file == span.file
                && (kernel.span.start..kernel.body.span.start).contains(&span.start)
        })
    }

    pub(super) const fn root(&self) -> FileId {
        self.root
    }

    /// All files, the numbers rising.
    pub(super) fn ids(&self) -> Vec<FileId> {
        let mut ids: Vec<FileId> = self.files.keys().copied().collect();
        ids.sort_unstable();
        ids
    }

    pub(super) fn items(&self, file: FileId) -> impl Iterator<Item = Declaration<'_>> {
        let items = self
            .files
            .get(&file)
            .map_or(&[][..], |file| &file.ast.items);
        items
            .iter()
            .enumerate()
            .map(move |(index, item)| Declaration { file, index, item })
    }

    /// What a name means in a file: its own declaration, or that of the file it is imported from.
    pub(super) fn find(&self, file: FileId, name: &str) -> Option<Declaration<'_>> {
        self.find_through(file, name, self.files.len())
    }

    /// `hops` bounds chains of imports, which may be circular when reported as such.
    fn find_through(&self, file: FileId, name: &str, hops: usize) -> Option<Declaration<'_>> {
        for declaration in self.items(file) {
            match declaration.item {
                Item::Import(import) if import.names.iter().any(|taken| taken.text == name) => {
                    let from = *self.files.get(&file)?.imports.get(&declaration.index)?;
                    return self.find_through(from, name, hops.checked_sub(1)?);
                }
                item if declared(item).is_some_and(|declared| declared.text == name) => {
                    return Some(declaration);
                }
                _ => {}
            }
        }
        None
    }

    /// Whether the name is imported, even if from a file that could not be loaded.
    pub(super) fn imports(&self, file: FileId, name: &str) -> bool {
        self.items(file).any(|declaration| match declaration.item {
            Item::Import(import) => import.names.iter().any(|taken| taken.text == name),
            _ => false,
        })
    }

    /// The kernels that a file has or imports.
    pub(super) fn kernel_names(&self, file: FileId) -> impl Iterator<Item = &str> {
        self.names(file).filter(move |name| {
            let found = self.find(file, name);
            found.is_some_and(|found| matches!(found.item, Item::Kernel(_)))
        })
    }

    /// The names of the tests of the root file, in order.
    #[must_use]
    pub fn tests(&self) -> Vec<&str> {
        self.root_tests()
            .map(|test| test.name.text.as_str())
            .collect()
    }

    /// The generics of all kernels of all files.
    pub fn generics(&self) -> impl Iterator<Item = &str> {
        self.ids()
            .into_iter()
            .flat_map(|file| self.items(file))
            .filter_map(|declaration| match declaration.item {
                Item::Kernel(kernel) => Some(&kernel.generics),
                _ => None,
            })
            .flatten()
            .map(|generic| generic.name.text.as_str())
    }

    /// The tests of the root file, in order.
    pub(super) fn root_tests(&self) -> impl Iterator<Item = &ast::TestBlock> {
        self.items(self.root)
            .filter_map(|declaration| match declaration.item {
                Item::Test(test) => Some(test),
                _ => None,
            })
    }

    /// Everything that can be written at file level of a file.
    pub(super) fn names(&self, file: FileId) -> impl Iterator<Item = &str> {
        self.items(file)
            .flat_map(|declaration| match declaration.item {
                Item::Import(import) => {
                    import.names.iter().map(|name| name.text.as_str()).collect()
                }
                item => declared(item)
                    .map(|name| name.text.as_str())
                    .into_iter()
                    .collect::<Vec<_>>(),
            })
    }

    /// Names defined twice and imported names that do not exist.
    pub(super) fn check_names(&self) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        for file in self.ids() {
            let mut seen: HashMap<&str, Span> = HashMap::new();
            for declaration in self.items(file) {
                let names = match declaration.item {
                    Item::Import(import) => import.names.iter().collect(),
                    item => declared(item).into_iter().collect::<Vec<_>>(),
                };
                for name in names {
                    if let Some(first) = seen.insert(&name.text, name.span) {
                        diagnostics.push(messages::names::duplicate(&name.text, name.span, first));
                    }
                }
                if let Item::Import(import) = declaration.item {
                    self.check_import(file, declaration.index, import, &mut diagnostics);
                }
            }
        }
        diagnostics
    }

    fn check_import(
        &self,
        file: FileId,
        index: usize,
        import: &ast::Import,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let Some(from) = self
            .files
            .get(&file)
            .and_then(|file| file.imports.get(&index))
        else {
            return;
        };
        for name in &import.names {
            if self.find(*from, &name.text).is_some() || self.imports(*from, &name.text) {
                continue;
            }
            let similar = suggest::nearest(&name.text, self.names(*from));
            diagnostics.push(messages::files::imported_name_missing(
                &name.text,
                &import.path,
                name.span,
                similar,
            ));
        }
    }
}

/// The name an item declares; imports declare those they list.
const fn declared(item: &Item) -> Option<&ast::Name> {
    match item {
        Item::Kernel(kernel) => Some(&kernel.name),
        Item::Function(function) => Some(&function.name),
        Item::Const(constant) => Some(&constant.name),
        Item::Test(test) => Some(&test.name),
        Item::Import(_) => None,
    }
}

struct Loader<'s, 'p> {
    sources: &'s mut SourceMap,
    parse: Parse<'p>,
    files: HashMap<FileId, File>,
    /// The imports that lead to the file being read.
    stack: Vec<FileId>,
    diagnostics: Vec<Diagnostic>,
}

/// Chains of imports longer than this are refused rather than followed.
const MAXIMUM_DEPTH: usize = 64;

impl Loader<'_, '_> {
    fn file(&mut self, id: FileId) {
        if self.files.contains_key(&id) {
            return;
        }
        let (ast, diagnostics) = (self.parse)(self.sources, id);
        self.diagnostics.extend(diagnostics);
        let wanted: Vec<(usize, ast::Import)> = ast
            .items
            .iter()
            .enumerate()
            .filter_map(|(index, item)| match item {
                Item::Import(import) => Some((index, import.clone())),
                _ => None,
            })
            .collect();
        self.files.insert(
            id,
            File {
                ast,
                imports: HashMap::new(),
            },
        );
        self.stack.push(id);
        for (index, import) in wanted {
            if let Some(target) = self.import(id, &import)
                && let Some(file) = self.files.get_mut(&id)
            {
                file.imports.insert(index, target);
            }
        }
        self.stack.pop();
    }

    fn import(&mut self, from: FileId, import: &ast::Import) -> Option<FileId> {
        let path = self.resolve(from, &import.path);
        let target = match self.open(&path) {
            Ok(target) => target,
            Err(error) => {
                self.diagnostics
                    .push(messages::files::not_loaded(&error, Some(import.path_span)));
                return None;
            }
        };
        if let Some(start) = self.stack.iter().position(|&open| open == target) {
            let cycle = self.stack.iter().skip(start).copied().chain([target]);
            let names: Vec<String> = cycle.map(|id| self.name(id)).collect();
            self.diagnostics
                .push(messages::files::import_cycle(&names, import.path_span));
            return None;
        }
        if self.stack.len() >= MAXIMUM_DEPTH {
            self.diagnostics.push(messages::files::imports_too_deep(
                MAXIMUM_DEPTH,
                import.path_span,
            ));
            return None;
        }
        self.file(target);
        Some(target)
    }

    /// The imported path seen from where the importing file is, without `.` and `..` where possible.
    fn resolve(&self, from: FileId, path: &str) -> PathBuf {
        let source = self.sources.get(from);
        let importing = source
            .and_then(|source| source.path.clone())
            .or_else(|| source.map(|source| PathBuf::from(&source.name)))
            .unwrap_or_default();
        let folder = importing.parent().unwrap_or_else(|| Path::new(""));
        let mut resolved = PathBuf::new();
        for part in folder.join(path).components() {
            match part {
                std::path::Component::CurDir => {}
                std::path::Component::ParentDir if resolved.file_name().is_some() => {
                    resolved.pop();
                }
                part => resolved.push(part),
            }
        }
        resolved
    }

    /// Text given under the name, else the file on disk.
    fn open(&mut self, path: &Path) -> Result<FileId, LoadError> {
        let name = path.display().to_string();
        let known = self
            .sources
            .iter()
            .find(|(_, source)| source.path.is_none() && source.name == name);
        match known {
            Some((id, _)) => Ok(id),
            None => self.sources.load(path),
        }
    }

    fn name(&self, id: FileId) -> String {
        self.sources
            .get(id)
            .map_or_else(String::new, |source| source.name.clone())
    }
}
