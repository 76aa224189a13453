//! What the tests of the whole pipeline share: a `.tile` file taken through the stages, calls of its
//! kernels ([`calls`]), and the conformance suite ([`conformance`]).

pub mod calls;
pub mod conformance;
pub mod inputs;
pub mod parallel;
pub mod random;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tilec::diagnostic::{Diagnostic, render};
use tilec::sema::{self, Files};
use tilec::source::{FileId, SourceMap};
use tilec::syntax::{self, ast};
use tilec::typed::Kernel;

/// A source file with everything it imports.
pub struct Program {
    /// All sources.
    pub sources: SourceMap,
    /// The syntax trees.
    pub files: Files,
    /// What parsing had to say.
    pub diagnostics: Vec<Diagnostic>,
}

fn parse(sources: &SourceMap, file: FileId) -> (ast::File, Vec<Diagnostic>) {
    let text = sources.get(file).map_or("", |file| file.text.as_str());
    syntax::parse(file, text)
}

impl Program {
    /// Reads a file; its name in messages is `name`.
    ///
    /// # Panics
    /// If the file cannot be read.
    #[must_use]
    pub fn read(path: &Path, name: &str) -> Self {
        let text = std::fs::read_to_string(path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self::new(name, &text)
    }

    /// A program from text.
    #[must_use]
    pub fn new(name: &str, text: &str) -> Self {
        let mut sources = SourceMap::new();
        let root = sources.add(name, text);
        let (files, diagnostics) = Files::load(&mut sources, root, &parse);
        Self {
            sources,
            files,
            diagnostics,
        }
    }

    /// A file with everything it imports, read from disk.
    ///
    /// # Panics
    /// If the file cannot be read.
    #[must_use]
    pub fn open(path: &Path) -> Self {
        let mut sources = SourceMap::new();
        let root = sources
            .load(path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let (files, diagnostics) = Files::load(&mut sources, root, &parse);
        Self {
            sources,
            files,
            diagnostics,
        }
    }

    /// Everything that is wrong with the program, as text without colours.
    #[must_use]
    pub fn problems(&self) -> String {
        let mut all = self.diagnostics.clone();
        if all.is_empty() {
            all = sema::check(&self.files);
        }
        render::texts(&all, &self.sources, render::Style::default())
    }

    /// A kernel with generics bound (`T=f16`).
    ///
    /// # Panics
    /// If the program is wrong.
    #[must_use]
    pub fn kernel(&self, name: &str, bindings: &[&str]) -> Kernel {
        let bindings: BTreeMap<String, String> = bindings
            .iter()
            .filter_map(|binding| binding.split_once('='))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let (kernel, diagnostics) = sema::elaborate_kernel(&self.files, name, &bindings);
        kernel.unwrap_or_else(|| {
            let style = render::Style::default();
            panic!("{}", render::texts(&diagnostics, &self.sources, style))
        })
    }
}

/// The root of the repository.
#[must_use]
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map(Path::to_path_buf)
        .unwrap_or_default()
}

/// An example and the generics it is compiled with in the tests.
pub struct Example {
    /// The file in `lang-examples`.
    pub file: &'static str,
    /// The kernel.
    pub kernel: &'static str,
    /// Generics for the snapshots of the stages: small, so that they can be read.
    pub small: &'static [&'static str],
    /// Generics for the snapshot of the PTX: what users get by default.
    pub usual: &'static [&'static str],
    /// A call that keeps what the fast variant relies on; the file's own calls do not.
    pub aligned: &'static str,
}

/// All examples.
pub const EXAMPLES: &[Example] = &[
    Example {
        file: "01_vector_add.tile",
        kernel: "add",
        small: &["BLOCK=256"],
        usual: &[],
        aligned: "x=randn(8192) y=randn(8192) z=zeros(8192)",
    },
    Example {
        file: "01_vector_add.tile",
        kernel: "add_pointers",
        small: &["BLOCK=256"],
        usual: &[],
        aligned: "x=randn(8192) y=randn(8192) z=zeros(8192) n=8192",
    },
    Example {
        file: "02_softmax.tile",
        kernel: "softmax",
        small: &["WIDTH=256"],
        usual: &["T=bf16", "WIDTH=4096"],
        aligned: "x=randn(12,1024) y=zeros(12,1024)",
    },
    Example {
        file: "03_matmul.tile",
        kernel: "matmul",
        small: &["BM=32", "BN=32", "BK=16"],
        usual: &[],
        aligned: "a=randn(256,192) b=randn(192,128) c=zeros(256,128)",
    },
];

impl Example {
    /// The program.
    #[must_use]
    pub fn program(&self) -> Program {
        Program::read(&root().join("lang-examples").join(self.file), self.file)
    }
}
