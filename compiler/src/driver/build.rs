//! `tilec build`: kernels to PTX, or any stage on the way.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::console::{Console, Exit, count};
use super::options::{BuildOptions, Define};
use super::output::{Output, keep_inputs, sources};
use super::program::{self, Program};
use super::rust;
use super::signatures::signatures;
use super::stage::Stage;
use super::tuned::{self, Tuned};
use crate::backend::{llvm, manifest, nvidia};
use crate::compile::{self, Compiled, Family, Lowered, TunedKernel};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::remark::{Remark, RemarkCode, RemarkKind};
use crate::dialect;
use crate::passes::VariantRequest;
use crate::source::SourceMap;
use crate::syntax::{self, lexer};
use crate::target::Target;
use crate::typed::{Kernel, release};

/// Builds or prints what the options ask for.
pub fn build(console: &Console, options: &BuildOptions) -> Result<(), Exit> {
    let start = Instant::now();
    let output = match (&options.output, options.emit) {
        (Some(path), _) => Output::named(path),
        (None, Some(_)) => Output::Stdout,
        (None, None) => Output::File(default_output(&options.file)),
    };
    keep_inputs(console, &output, [options.file.as_path()])?;
    match options.emit.unwrap_or(Stage::Ptx) {
        Stage::Tokens => output.text(console, &tokens(console, &options.file)?),
        Stage::Ast => output.text(console, &tree(console, &options.file)?),
        Stage::Signatures => {
            let program = Program::load(console, &options.file)?;
            keep_inputs(console, &output, sources(&program))?;
            output.text(console, &signatures(&program))
        }
        stage => {
            let program = Program::load(console, &options.file)?;
            keep_inputs(console, &output, sources(&program))?;
            let mut kernels = elaborate(
                console,
                &program,
                options.kernel.as_deref(),
                &options.defines.define,
            )?;
            options.overrides.apply(&mut kernels);
            let (kernels, left_out) = if options.debug {
                (kernels, Vec::new())
            } else {
                without_debug(&kernels)
            };
            let tuned = Tuned::of(console, &program, &options.file, options.tuned.no_tuned);
            let families = families(options, &program, &tuned, &kernels);
            let mut said: Vec<Remark> = families
                .iter()
                .filter_map(|own| own.remark(&tuned))
                .collect();
            said.extend(left_out);
            let job = Job {
                console,
                program: &program,
                families: &families,
                said: &said,
                target: options.target.target,
            };
            job.emit(stage, &output)?;
            if let (Output::File(path), None) = (&output, options.emit) {
                let ms = start.elapsed().as_secs_f64() * 1e3;
                let what = count(kernels.len(), "kernel");
                console.status(
                    "Compiled",
                    &format!(
                        "{what} for {} into {} ({ms:.0} ms)",
                        job.target.name,
                        path.display()
                    ),
                );
                for remark in &said {
                    console.status(
                        "Note",
                        &format!("in `{}`, {}", remark.function, remark.message()),
                    );
                }
            }
            Ok(())
        }
    }
}

/// `softmax.ptx` in the current folder.
fn default_output(source: &Path) -> PathBuf {
    let mut name = source.file_stem().unwrap_or_default().to_owned();
    name.push(".ptx");
    name.into()
}

fn elaborate(
    console: &Console,
    program: &Program,
    kernel: Option<&str>,
    defines: &[Define],
) -> Result<Vec<Kernel>, Exit> {
    let names = program.choose(console, kernel)?;
    program.kernels(console, &names, defines)
}

/// The kernels without `print` and `assert`, and what is to be said of that.
pub(super) fn without_debug(kernels: &[Kernel]) -> (Vec<Kernel>, Vec<Remark>) {
    let mut remarks = Vec::new();
    let without = |kernel: &Kernel| {
        let (short, left_out) = release(kernel);
        if left_out.first.is_some() {
            let counts = left_out.counts.iter();
            let counts = counts.map(|(function, count)| (function.to_string(), *count));
            remarks.push(Remark {
                function: kernel.name.clone(),
                span: left_out.first,
                kind: RemarkKind::DebugLeftOut {
                    counts: counts.collect(),
                },
            });
        }
        short
    };
    (kernels.iter().map(without).collect(), remarks)
}

/// A kernel with those that are recorded to be faster for some sizes.
struct Own {
    kernel: Kernel,
    tuned: Vec<TunedKernel>,
    /// The sizes for which its own values are recorded.
    sizes: Vec<BTreeMap<String, i64>>,
}

/// Kernels with what is recorded of them.
fn families(
    options: &BuildOptions,
    program: &Program,
    tuned: &Tuned<'_>,
    kernels: &[Kernel],
) -> Vec<Own> {
    let mut names: BTreeSet<String> = kernels.iter().map(|own| own.name.clone()).collect();
    let mut families = Vec::new();
    for kernel in kernels {
        let generics = program.generics(&kernel.name);
        let given = options.defines.define.iter();
        let given: Vec<Define> = given
            .filter(|define| kernels.len() == 1 || generics.contains(define.name.as_str()))
            .cloned()
            .collect();
        let (winning, sizes) = tuned.winning(kernel, options.target.target, &given);
        let mut own: Vec<TunedKernel> = winning
            .into_iter()
            .map(|winning| {
                let mut own = vec![winning.kernel];
                options.overrides.apply(&mut own);
                if !options.debug {
                    own = without_debug(&own).0;
                }
                let mut own = own.swap_remove(0);
                own.name = entry(&kernel.name, &winning.values, &mut names);
                TunedKernel {
                    kernel: own,
                    values: winning.values,
                    sizes: winning.sizes,
                    exact: winning.exact,
                }
            })
            .collect();
        own.sort_by(|one, other| one.kernel.name.cmp(&other.kernel.name));
        families.push(Own {
            kernel: kernel.clone(),
            tuned: own,
            sizes,
        });
    }
    families
}

/// `matmul__BM128_BN64`: a name that no other entry point has.
fn entry(kernel: &str, values: &BTreeMap<String, String>, names: &mut BTreeSet<String>) -> String {
    let values: Vec<String> = values
        .iter()
        .map(|(name, value)| format!("{name}{value}"))
        .collect();
    let letter = |letter: char| match letter {
        'a'..='z' | 'A'..='Z' | '0'..='9' => letter,
        _ => '_',
    };
    let values: String = values.join("_").chars().map(letter).collect();
    let mut name = format!("{kernel}__{values}");
    while !names.insert(name.clone()) {
        name.push('_');
    }
    name
}

impl Own {
    fn family(&self) -> Family<'_> {
        Family {
            kernel: &self.kernel,
            tuned: &self.tuned,
            own: &self.sizes,
        }
    }

    /// What is said of the record.
    fn remark(&self, tuned: &Tuned<'_>) -> Option<Remark> {
        let count = self.tuned.len();
        (count > 0).then(|| Remark {
            function: self.kernel.name.clone(),
            span: None,
            kind: RemarkKind::TunedVariants {
                count,
                record: tuned.name().to_string(),
            },
        })
    }
}

/// `12:5  Name  acc`
fn tokens(console: &Console, path: &Path) -> Result<String, Exit> {
    let (sources, root) = program::open(console, path)?;
    let Some(file) = sources.get(root) else {
        return Ok(String::new());
    };
    let lexed = lexer::lex(root, &file.text);
    console.stop_on_errors(&lexed.errors, &sources, Exit::Program)?;
    Ok(syntax::print::tokens(&sources, root))
}

fn tree(console: &Console, path: &Path) -> Result<String, Exit> {
    let (sources, root) = program::open(console, path)?;
    let text = sources.get(root).map_or("", |file| &file.text);
    let (tree, diagnostics) = syntax::parse(root, text);
    console.stop_on_errors(&diagnostics, &sources, Exit::Program)?;
    Ok(syntax::print::ast(&tree))
}

/// Kernels to compile.
struct Job<'a> {
    console: &'a Console,
    program: &'a Program,
    families: &'a [Own],
    /// Of records that are used, and of debug statements that are not in the kernels any more.
    said: &'a [Remark],
    target: &'static Target,
}

impl Job<'_> {
    fn emit(&self, stage: Stage, output: &Output) -> Result<(), Exit> {
        let text = match stage {
            // Handled before a program is needed.
            Stage::Tokens | Stage::Ast | Stage::Signatures => String::new(),
            Stage::Typed => self.each("//", |kernel| Ok(kernel.to_string()))?,
            Stage::Mlir(name) => self.each("//", |kernel| self.mlir(kernel, name))?,
            Stage::Schedule => self.each("//", |kernel| self.loops(kernel))?,
            Stage::Llvm => self.each(";", |kernel| self.llvm(kernel))?,
            Stage::Ptx => self.compile()?.ptx,
            Stage::Manifest => {
                serde_json::to_string_pretty(&self.compile()?.manifest).unwrap_or_default() + "\n"
            }
            Stage::Rust => {
                let compiled = self.compile()?;
                rust::module(&compiled.ptx, &compiled.manifest)
            }
            Stage::Remarks => remarks(
                self.console,
                &self.program.sources,
                &self.compile()?.remarks,
            ),
            Stage::Cubin => return output.bytes(self.console, &self.cubin()?),
            Stage::Sass => {
                nvidia::disassemble(&self.cubin()?).map_err(|error| self.tool(&error))?
            }
        };
        output.text(self.console, &text)
    }

    fn compile(&self) -> Result<Compiled, Exit> {
        let program = self.program;
        let mut compiled = self.said(compile::compile_families(
            &program.sources,
            self.families.iter().map(Own::family),
            self.target,
            program.file_name(),
            manifest::default_variants,
        ))?;
        for remark in compiled
            .remarks
            .iter()
            .filter(|own| own.code() == RemarkCode::TunedLeftOut)
        {
            let of = format!("of `{}`", remark.function);
            tuned::left_aside(self.console, &of, &remark.message());
        }
        compiled.remarks.splice(0..0, self.said.iter().cloned());
        Ok(compiled)
    }

    fn cubin(&self) -> Result<Vec<u8>, Exit> {
        let ptx = self.compile()?.ptx;
        let (cubin, _) =
            nvidia::assemble(&ptx, self.target.name).map_err(|error| self.tool(&error))?;
        Ok(cubin)
    }

    /// The module of a kernel at the stage of this name.
    fn mlir(&self, kernel: &Kernel, stage: &str) -> Result<String, Exit> {
        let context = dialect::context();
        let mut text = String::new();
        let after = |name: &str, module: &melior::ir::Module<'_>| {
            let found = name == stage;
            if found {
                text = dialect::print(module);
            }
            !found
        };
        self.lower(&context, kernel, after)?;
        Ok(text)
    }

    /// The loops of a kernel in their order; for machines one JSON object a line.
    fn loops(&self, kernel: &Kernel) -> Result<String, Exit> {
        let context = dialect::context();
        let loops = self.lower(&context, kernel, |_, _| true)?.loops;
        let sources = &self.program.sources;
        let each = loops.iter().map(|order| match self.console.is_text() {
            true => order.text(sources),
            false => format!("{}\n", order.json(sources)),
        });
        if loops.is_empty() && self.console.is_text() {
            return Ok(format!(
                "no loop of `{}` has copies that run ahead and products of warpgroups: each keeps its source order\n",
                kernel.name
            ));
        }
        let between = if self.console.is_text() { "\n" } else { "" };
        Ok(each.collect::<Vec<_>>().join(between))
    }

    fn llvm(&self, kernel: &Kernel) -> Result<String, Exit> {
        let context = dialect::context();
        let lowered = self.lower(&context, kernel, |_, _| true)?;
        Ok(self
            .said(llvm::compile(&lowered.module, self.target, true))?
            .llvm)
    }

    fn lower<'c>(
        &self,
        context: &'c melior::Context,
        kernel: &Kernel,
        after: impl FnMut(&str, &melior::ir::Module<'c>) -> bool,
    ) -> Result<Lowered<'c>, Exit> {
        let variants: Vec<VariantRequest> = manifest::default_variants(kernel);
        self.said(compile::lower(
            context,
            &self.program.sources,
            kernel,
            self.target,
            &variants,
            after,
        ))
    }

    /// The texts of all kernels, told apart by a comment when there are several.
    fn each(
        &self,
        comment: &str,
        text: impl Fn(&Kernel) -> Result<String, Exit>,
    ) -> Result<String, Exit> {
        let mut all = String::new();
        let families = self.families.iter();
        let kernels: Vec<&Kernel> = families
            .flat_map(|own| {
                let tuned = own.tuned.iter().map(|tuned| &tuned.kernel);
                std::iter::once(&own.kernel).chain(tuned)
            })
            .collect();
        for (index, kernel) in kernels.iter().enumerate() {
            if kernels.len() > 1 {
                let before = if index == 0 { "" } else { "\n" };
                all.push_str(&format!("{before}{comment} kernel {}\n", kernel.name));
            }
            all.push_str(text(kernel)?.trim_end());
            all.push('\n');
        }
        Ok(all)
    }

    fn said<T>(&self, result: Result<T, Diagnostic>) -> Result<T, Exit> {
        result.map_err(|diagnostic| {
            self.console
                .diagnostics(&[diagnostic], &self.program.sources);
            Exit::Program
        })
    }

    fn tool(&self, error: &nvidia::ToolError) -> Exit {
        self.console.error(&error.to_string(), &[]);
        match error {
            nvidia::ToolError::Missing(_) => Exit::Call,
            _ => Exit::Program,
        }
    }
}

/// `softmax.tile:12:9: layouts[R0201]: 4 warps per program, … (in softmax)`; for machines one JSON object a line.
fn remarks(console: &Console, sources: &SourceMap, remarks: &[Remark]) -> String {
    let mut text = String::new();
    for remark in remarks {
        let place = remark.span.map(|span| sources.describe(span));
        let (code, pass, function) = (remark.code(), remark.pass(), &remark.function);
        let (message, help) = (remark.message(), remark.help());
        if console.is_text() {
            let place = place.map(|place| format!("{place}: ")).unwrap_or_default();
            let missed = if remark.is_missed() { "missed: " } else { "" };
            text.push_str(&format!(
                "{place}{pass}[{code}]: {missed}{message} (in {function})\n"
            ));
            if let Some(help) = help {
                text.push_str(&format!("    help: {help}\n"));
            }
        } else {
            let object = serde_json::json!({
                "code": code.number(), "pass": pass, "function": function, "place": place, "message": message,
                "missed": remark.is_missed(), "help": help,
            });
            text.push_str(&format!("{object}\n"));
        }
    }
    text
}
