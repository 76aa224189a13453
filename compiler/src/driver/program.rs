//! From a path to typed kernels.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::console::{Console, Exit, list};
use super::options::Define;
use crate::diagnostic::{Code, Diagnostic, Severity, messages};
use crate::sema::{self, Files};
use crate::source::{FileId, LoadError, SourceMap};
use crate::syntax::{self, ast};
use crate::typed::Kernel;

/// A file and what it imports, parsed without errors.
pub struct Program {
    /// The texts.
    pub sources: SourceMap,
    /// The file that was named.
    pub root: FileId,
    /// Its syntax tree.
    pub tree: ast::File,
    /// All trees.
    pub files: Files,
}

impl Program {
    /// Reads and parses a file and its imports; problems are printed.
    pub fn load(console: &Console, path: &Path) -> Result<Self, Exit> {
        let (mut sources, root) = open(console, path)?;
        let tree = RefCell::new(None);
        let (files, diagnostics) = Files::load(&mut sources, root, &|sources, id| {
            let text = sources.get(id).map_or("", |file| &file.text);
            let (parsed, diagnostics) = syntax::parse(id, text);
            if id == root {
                tree.replace(Some(parsed.clone()));
            }
            (parsed, diagnostics)
        });
        console.stop_on_errors(&diagnostics, &sources, Exit::Program)?;
        let tree = tree.take().unwrap_or(ast::File {
            header: Vec::new(),
            items: Vec::new(),
        });
        Ok(Self {
            sources,
            root,
            tree,
            files,
        })
    }

    /// The name of the file that was named, without folders.
    pub fn file_name(&self) -> &str {
        let name = self.sources.get(self.root).map_or("", |file| &file.name);
        name.rsplit(['/', '\\']).next().unwrap_or(name)
    }

    /// The kernel of this name, or all of them.
    pub fn choose(&self, console: &Console, name: Option<&str>) -> Result<Vec<&str>, Exit> {
        let kernels = self.files.kernels();
        match name {
            Some(name) => match kernels.iter().find(|kernel| **kernel == name) {
                Some(kernel) => Ok(vec![*kernel]),
                None => {
                    let (_, diagnostics) =
                        sema::elaborate_kernel(&self.files, name, &BTreeMap::new());
                    console.diagnostics(&diagnostics, &self.sources);
                    Err(Exit::Call)
                }
            },
            None if kernels.is_empty() => {
                let file = self.file_name();
                console.error(
                    &format!("`{file}` has no kernels"),
                    &["a kernel begins like this: `kernel add(x: tensor<f32>[n], y: mut tensor<f32>[n]) grid(cdiv(n, 1024)) {`"],
                );
                Err(Exit::Program)
            }
            None => Ok(kernels),
        }
    }

    /// Elaborates kernels. A definition is for those among them that have the generic, and at least
    /// one must.
    pub fn kernels(
        &self,
        console: &Console,
        names: &[&str],
        defines: &[Define],
    ) -> Result<Vec<Kernel>, Exit> {
        self.check_defines(console, names, defines)?;
        let mut kernels = Vec::with_capacity(names.len());
        let mut failed = None;
        for name in names {
            let generics = self.generics(name);
            let bindings = defines
                .iter()
                .filter(|define| names.len() == 1 || generics.contains(define.name.as_str()))
                .map(|define| (define.name.clone(), define.value.clone()))
                .collect();
            let (kernel, diagnostics) = sema::elaborate_kernel(&self.files, name, &bindings);
            console.diagnostics(&diagnostics, &self.sources);
            match kernel {
                Some(kernel) => kernels.push(kernel),
                None if failed == Some(Exit::Program) => {}
                None => failed = Some(self.blame(name, defines, &diagnostics)),
            }
        }
        failed.map_or(Ok(kernels), Err)
    }

    /// Whether the call or the program is wrong: generics without a value or with a wrong one are
    /// the call's business.
    fn blame(&self, kernel: &str, defines: &[Define], diagnostics: &[Diagnostic]) -> Exit {
        let heading = self
            .kernel(kernel)
            .map(|kernel| kernel.span.start..kernel.body.span.start);
        let of_call = |diagnostic: &Diagnostic| {
            let in_heading = diagnostic.position().is_some_and(|span| {
                span.file == self.root
                    && heading
                        .as_ref()
                        .is_some_and(|heading| heading.contains(&span.start))
            });
            match diagnostic.code {
                Code::MissingGeneric => in_heading,
                Code::BadBinding => in_heading && !defines.is_empty(),
                _ => false,
            }
        };
        let mut errors = diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity == Severity::Error);
        if errors.all(of_call) {
            Exit::Call
        } else {
            Exit::Program
        }
    }

    /// With several kernels, a definition that none of them can use.
    pub fn check_defines(
        &self,
        console: &Console,
        names: &[&str],
        defines: &[Define],
    ) -> Result<(), Exit> {
        if names.len() < 2 {
            return Ok(());
        }
        let generics: BTreeSet<&str> = names.iter().flat_map(|name| self.generics(name)).collect();
        let Some(unknown) = defines
            .iter()
            .find(|define| !generics.contains(define.name.as_str()))
        else {
            return Ok(());
        };
        let name = &unknown.name;
        let similar = generics
            .iter()
            .map(|generic| {
                (
                    strsim::damerau_levenshtein(&name.to_lowercase(), &generic.to_lowercase()),
                    generic,
                )
            })
            .filter(|(distance, _)| *distance <= name.chars().count() / 3)
            .min();
        let help = match similar {
            Some((_, similar)) => format!("did you mean `-D {similar}`?"),
            None if generics.is_empty() => "they have no generics".to_owned(),
            None => format!("their generics are {}", list(generics)),
        };
        console.error(
            &format!(
                "`-D {name}` names no generic of the kernels in `{}`",
                self.file_name()
            ),
            &[&help],
        );
        Err(Exit::Call)
    }

    fn kernel(&self, name: &str) -> Option<&ast::Kernel> {
        self.tree.items.iter().find_map(|item| match item {
            ast::Item::Kernel(kernel) if kernel.name.text == name => Some(kernel),
            _ => None,
        })
    }

    /// The parameters of a kernel whose elements are of a generic type, with that generic.
    pub fn element_generics(&self, kernel: &str) -> Vec<(&str, &str)> {
        let Some(kernel) = self.kernel(kernel) else {
            return Vec::new();
        };
        let types = kernel
            .generics
            .iter()
            .filter(|generic| matches!(generic.kind, ast::GenericKind::Type { .. }));
        let types: Vec<&str> = types.map(|generic| generic.name.text.as_str()).collect();
        let each = kernel.parameters.iter().filter_map(|parameter| {
            let element = match &parameter.ty.kind {
                ast::TypeExprKind::Tensor { element, .. }
                | ast::TypeExprKind::Pointer { element, .. } => element,
                _ => return None,
            };
            let name = self.sources.text(element.span);
            types
                .contains(&name)
                .then_some((parameter.name.text.as_str(), name))
        });
        each.collect()
    }

    /// The names of a kernel's generics.
    pub fn generics(&self, kernel: &str) -> BTreeSet<&str> {
        self.kernel(kernel)
            .into_iter()
            .flat_map(|kernel| &kernel.generics)
            .map(|generic| generic.name.text.as_str())
            .collect()
    }
}

/// Reads a file. One that is not there is a mistake of the call; one that is no text is wrong.
pub fn open(console: &Console, path: &Path) -> Result<(SourceMap, FileId), Exit> {
    let mut sources = SourceMap::new();
    match sources.load(path) {
        Ok(root) => Ok((sources, root)),
        Err(error) => {
            console.diagnostics(&[messages::files::not_loaded(&error, None)], &sources);
            Err(match error {
                LoadError::NotUtf8 { .. } | LoadError::TooLarge { .. } => Exit::Program,
                _ => Exit::Call,
            })
        }
    }
}
