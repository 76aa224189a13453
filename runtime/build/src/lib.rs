//! Compiles Tile kernels in a build script, to a Rust module with a function for each.
//!
//! ```no_run
//! // build.rs
//! fn main() -> Result<(), tile_build::Error> {
//!     tile_build::compile("kernels/softmax.tile").define("BLOCK", 1024).write()?;
//!     Ok(())
//! }
//! ```
//!
//! ```ignore
//! // src/main.rs, with tile-runtime among the dependencies
//! mod softmax {
//!     include!(concat!(env!("OUT_DIR"), "/softmax.rs"));
//! }
//! let kernels = softmax::Kernels::load(&Device::auto()?)?;
//! kernels.softmax.launch(&stream, &x, &mut y)?;
//! ```
//!
//! The work is `tilec`'s, which must be installed (or named by the environment variable `TILEC`); this crate depends on nothing.
//! A crate whose users should not need a compiler ships the module instead: `tilec build softmax.tile --emit rust -o
//! src/softmax.rs` writes the same file, with the PTX in it, and no build script is needed.

use std::env;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The environment variable that names the compiler.
const COMPILER: &str = "TILEC";

/// A file of kernels to compile: see [`compile`].
#[derive(Debug, Clone)]
#[must_use = "`write` compiles it"]
pub struct Build {
    file: PathBuf,
    options: Vec<OsString>,
    module: Option<String>,
    folder: Option<PathBuf>,
}

/// A file of kernels, relative to the crate's folder.
pub fn compile(file: impl Into<PathBuf>) -> Build {
    Build {
        file: file.into(),
        options: Vec::new(),
        module: None,
        folder: None,
    }
}

impl Build {
    /// Binds a generic: a number, `true`, or an element type such as `bf16`.
    pub fn define(mut self, name: &str, value: impl fmt::Display) -> Self {
        self.options.push("-D".into());
        self.options.push(format!("{name}={value}").into());
        self
    }

    /// Compiles this kernel of the file alone.
    pub fn kernel(mut self, name: &str) -> Self {
        self.options.push("--kernel".into());
        self.options.push(name.into());
        self
    }

    /// Compiles for another target than the default one, such as `sm_80`.
    pub fn target(mut self, name: &str) -> Self {
        self.options.push("--target".into());
        self.options.push(name.into());
        self
    }

    /// Names the module's file; without this it is `softmax.rs` for `softmax.tile`. Two bindings of a file's generics need two
    /// names.
    pub fn module(mut self, name: &str) -> Self {
        self.module = Some(name.to_owned());
        self
    }

    /// Writes to another folder than cargo's `OUT_DIR`.
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Compiles, and tells cargo to do so again when something in the file's folder changes. Gives the path of the module.
    ///
    /// # Errors
    /// If there is no compiler, or it refuses the file: the error has all that it says, with the places in the source.
    pub fn write(self) -> Result<PathBuf, Error> {
        let compiler = env::var_os(COMPILER).unwrap_or_else(|| "tilec".into());
        self.write_with(Path::new(&compiler))
    }

    /// The same with the compiler at this path.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub fn write_with(self, compiler: &Path) -> Result<PathBuf, Error> {
        // Imports are found beside the file.
        let watched = match self.file.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => &self.file,
        };
        println!("cargo::rerun-if-changed={}", watched.display());
        println!("cargo::rerun-if-env-changed={COMPILER}");
        let folder = match self.folder {
            Some(folder) => folder,
            None => env::var_os("OUT_DIR").ok_or(Error::NoFolder)?.into(),
        };
        let stem = self.file.file_stem().unwrap_or_default().to_string_lossy();
        let name = self.module.unwrap_or_else(|| stem.into_owned());
        let module = folder.join(format!("{name}.rs"));
        let mut command = Command::new(compiler);
        command.arg("build").arg(&self.file).args(&self.options);
        command.args(["--emit", "rust", "-o"]).arg(&module);
        let ended = command.output().map_err(|error| Error::Compiler {
            compiler: compiler.to_owned(),
            error,
        })?;
        match ended.status.success() {
            true => Ok(module),
            false => Err(Error::Refused {
                file: self.file,
                said: String::from_utf8_lossy(&ended.stderr).trim_end().to_owned(),
            }),
        }
    }
}

/// Why there is no module. A build script whose `main` returns it shows the text: `{:?}` is the same as `{}`.
#[non_exhaustive]
pub enum Error {
    /// The compiler cannot be started.
    Compiler {
        /// Its path or name.
        compiler: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The compiler refuses the file.
    Refused {
        /// The file.
        file: PathBuf,
        /// What it says.
        said: String,
    },
    /// `OUT_DIR` is not set: this is no build script.
    NoFolder,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compiler { compiler, error } => write!(
                f,
                "`{}` cannot be started: {error}\n  install tilec, name it by the environment variable {COMPILER}, or ship what \
                 `tilec build FILE --emit rust` writes",
                compiler.display()
            ),
            Self::Refused { file, said } => {
                write!(f, "{} does not compile:\n{said}", file.display())
            }
            Self::NoFolder => f.write_str(
                "the environment variable OUT_DIR is not set: call this in a build script, or name a folder",
            ),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Compiler { error, .. } => Some(error),
            _ => None,
        }
    }
}
