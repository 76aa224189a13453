//! How long compiling takes: in this process from source text to PTX, and as a whole `tilec build`.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use criterion::{Criterion, criterion_group, criterion_main};
use tilec::backend::manifest::default_variants;
use tilec::compile::Compiled;
use tilec::source::{FileId, SourceMap};
use tilec::target::Target;

/// As `tilec` has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

struct Kernel {
    title: &'static str,
    file: &'static str,
    kernel: &'static str,
    defines: &'static [(&'static str, &'static str)],
}

const KERNELS: [Kernel; 4] = [
    Kernel {
        title: "vector add",
        file: "01_vector_add.tile",
        kernel: "add",
        defines: &[],
    },
    Kernel {
        title: "softmax 4096",
        file: "02_softmax.tile",
        kernel: "softmax",
        defines: &[("WIDTH", "4096")],
    },
    Kernel {
        title: "matmul 128x128x64",
        file: "03_matmul.tile",
        kernel: "matmul",
        defines: &[("BM", "128"), ("BN", "128"), ("BK", "64")],
    },
    Kernel {
        title: "product 128x256x64",
        file: "../benches/kernels/products.tile",
        kernel: "product",
        defines: &[("BM", "128"), ("BN", "256"), ("BK", "64")],
    },
];

const TARGET: &str = "sm_90a";

impl Kernel {
    fn path(&self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../lang-examples")
            .join(self.file)
    }

    /// From source text to PTX; of so many of its variants, the one for aligned data first.
    fn compile(&self, text: &str, variants: usize) -> Result<Compiled, String> {
        let mut sources = SourceMap::new();
        let parse = |sources: &SourceMap, file: FileId| {
            let text = sources.get(file).map_or("", |file| &file.text);
            tilec::syntax::parse(file, text)
        };
        let root = sources.add(self.file, text);
        let (files, problems) = tilec::sema::Files::load(&mut sources, root, &parse);
        if let Some(problem) = problems.first() {
            return Err(format!("{problem:?}"));
        }
        let bindings: BTreeMap<_, _> = self
            .defines
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let (kernel, problems) = tilec::sema::elaborate_kernel(&files, self.kernel, &bindings);
        let kernel = kernel.ok_or_else(|| format!("{problems:?}"))?;
        let target = Target::named(TARGET).ok_or("no such target")?;
        let wanted = |kernel: &_| {
            let mut list = default_variants(kernel);
            list.truncate(variants);
            list
        };
        tilec::compile::compile_variants(&sources, &[kernel], target, self.file, wanted)
            .map_err(|problem| format!("{problem:?}"))
    }

    /// The command line that compiles the same.
    fn command(&self, tilec: &Path, output: &Path) -> Command {
        let mut command = Command::new(tilec);
        command
            .arg("build")
            .arg(self.path())
            .args(["--kernel", self.kernel, "--target", TARGET])
            .arg("-o")
            .arg(output)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        for (name, value) in self.defines {
            command.args(["-D", &format!("{name}={value}")]);
        }
        command
    }
}

fn in_process(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("source to PTX");
    group.sample_size(20);
    for kernel in KERNELS {
        let text = match std::fs::read_to_string(kernel.path()) {
            Ok(text) => text,
            Err(error) => {
                eprintln!("{}: {error}", kernel.path().display());
                continue;
            }
        };
        if let Err(problem) = kernel.compile(&text, usize::MAX) {
            eprintln!("{} does not compile: {problem}", kernel.title);
            continue;
        }
        group.bench_function(kernel.title, |bencher| {
            bencher.iter(|| kernel.compile(black_box(&text), usize::MAX));
        });
        group.bench_function(format!("{}, for aligned data", kernel.title), |bencher| {
            bencher.iter(|| kernel.compile(black_box(&text), 1));
        });
    }
    group.finish();
}

/// `TILEC`, or what `cargo build --release --bin tilec` makes beside this.
fn tilec() -> Option<PathBuf> {
    let given = std::env::var_os("TILEC").map(PathBuf::from);
    let beside = || {
        let this = std::env::current_exe().ok()?;
        Some(this.parent()?.parent()?.join("tilec"))
    };
    given.or_else(beside).filter(|path| path.is_file())
}

fn whole_process(criterion: &mut Criterion) {
    let Some(tilec) = tilec() else {
        eprintln!("no tilec: run `cargo build --release --bin tilec` first, or set TILEC");
        return;
    };
    let output = match tempfile::NamedTempFile::with_suffix(".ptx") {
        Ok(file) => file,
        Err(error) => {
            eprintln!("no temporary file: {error}");
            return;
        }
    };
    let mut group = criterion.benchmark_group("tilec build");
    group.sample_size(20);
    for kernel in KERNELS {
        let runs = kernel.command(&tilec, output.path()).status();
        if !runs.is_ok_and(|status| status.success()) {
            eprintln!("tilec cannot compile {}", kernel.title);
            continue;
        }
        group.bench_function(kernel.title, |bencher| {
            bencher.iter(|| kernel.command(&tilec, output.path()).status());
        });
    }
    group.finish();
}

criterion_group!(benches, in_process, whole_process);
criterion_main!(benches);
