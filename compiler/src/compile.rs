//! The compiler as a function: a typed kernel becomes PTX with its manifest, every stage within reach.

use std::cell::RefCell;
use std::collections::BTreeMap;

use melior::Context;
use melior::ir::Module;
use melior::ir::block::BlockLike;
use tile_runtime::manifest::{Kernel as KernelManifest, Manifest, Pair, Tuned, Variant};

use crate::backend::{llvm, manifest};
use crate::diagnostic::Diagnostic;
use crate::dialect;
use crate::ir::{int_attribute, ints_attribute};
use crate::passes::pipeline::{COPYING_WARPS, Map, PAIR, PAIR_MAPS, PART_BYTES, TURNS};
use crate::passes::{PASSES, PassContext, Remark, VariantRequest};
use crate::source::SourceMap;
use crate::target::Target;
use crate::typed::Kernel;

/// A compiled file.
#[derive(Debug, Clone)]
pub struct Compiled {
    /// PTX with the manifest in front.
    pub ptx: String,
    /// The manifest.
    pub manifest: Manifest,
    /// Decisions and missed opportunities.
    pub remarks: Vec<Remark>,
}

/// Compiles kernels to one PTX file.
///
/// # Errors
/// What the user must know; the first kernel that fails ends it.
pub fn compile(
    sources: &SourceMap,
    kernels: &[Kernel],
    target: &'static Target,
    source: &str,
) -> Result<Compiled, Diagnostic> {
    compile_variants(sources, kernels, target, source, manifest::default_variants)
}

/// Compiles kernels to one PTX file that has the variants which `variants` gives for each.
///
/// # Errors
/// What the user must know; the first kernel that fails ends it.
pub fn compile_variants(
    sources: &SourceMap,
    kernels: &[Kernel],
    target: &'static Target,
    source: &str,
    variants: impl Fn(&Kernel) -> Vec<VariantRequest>,
) -> Result<Compiled, Diagnostic> {
    let families = kernels.iter().map(|kernel| Family {
        kernel,
        tuned: &[],
        own: &[],
    });
    compile_families(sources, families, target, source, variants)
}

/// A kernel, and what it is with values of its generics that are faster for some sizes.
#[derive(Clone, Copy)]
pub struct Family<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// With other values.
    pub tuned: &'a [TunedKernel],
    /// The sizes for which its own values are the fastest.
    pub own: &'a [BTreeMap<String, i64>],
}

/// A kernel with values of its generics that are faster for some sizes.
#[derive(Debug, Clone, PartialEq)]
pub struct TunedKernel {
    /// The kernel, by a name of its own: that of its entry point.
    pub kernel: Kernel,
    /// The values.
    pub values: BTreeMap<String, String>,
    /// The sizes.
    pub sizes: Vec<BTreeMap<String, i64>>,
    /// Whether they are for these sizes alone.
    pub exact: bool,
}

/// Compiles kernels, and each with the values that are faster for some sizes: those are variants of it. One of them that
/// cannot be compiled is left out, and a remark says so.
///
/// # Errors
/// What the user must know; the first kernel that fails ends it.
pub fn compile_families<'a>(
    sources: &SourceMap,
    families: impl IntoIterator<Item = Family<'a>>,
    target: &'static Target,
    source: &str,
    variants: impl Fn(&Kernel) -> Vec<VariantRequest>,
) -> Result<Compiled, Diagnostic> {
    let context = dialect::context();
    let mut modules = Vec::new();
    let mut manifests = Vec::new();
    let mut remarks = Vec::new();
    let compiled = |kernel: &Kernel| {
        let variants = variants(kernel);
        lower(&context, sources, kernel, target, &variants, |_, _| true)
    };
    for Family { kernel, tuned, own } in families {
        let lowered = compiled(kernel)?;
        modules.push(lowered.module);
        remarks.extend(lowered.remarks);
        let mut own_manifest = lowered.manifest;
        if !tuned.is_empty() {
            for variant in &mut own_manifest.variants {
                variant.tuned = Some(Tuned {
                    generics: BTreeMap::new(),
                    grid: Vec::new(),
                    sizes: own.to_vec(),
                    exact: false,
                });
            }
        }
        for one in tuned {
            match compiled(&one.kernel) {
                Ok(lowered) => {
                    modules.push(lowered.module);
                    remarks.extend(lowered.remarks);
                    own_manifest.variants.extend(one.variants(lowered.manifest));
                }
                Err(problem) => remarks.push(Remark {
                    pass: "tuning",
                    function: kernel.name.clone(),
                    span: problem.position(),
                    message: format!("`{}` is left out: {}", one.kernel.name, problem.message),
                    missed: true,
                    help: None,
                }),
            }
        }
        manifests.push(own_manifest);
    }
    let manifest = manifest::file(target, source, manifests);
    let mut ptx = manifest.to_comment_lines();
    if let Some(module) = link(modules) {
        ptx.push_str(llvm::compile(&module, target, false)?.ptx.trim_start());
    }
    Ok(Compiled {
        ptx,
        manifest,
        remarks,
    })
}

impl TunedKernel {
    /// The variants of its manifest, as variants of the kernel that it is of.
    fn variants(&self, manifest: KernelManifest) -> impl Iterator<Item = Variant> {
        let tuned = Tuned {
            generics: self.values.clone(),
            grid: manifest.grid.unwrap_or_default(),
            sizes: self.sizes.clone(),
            exact: self.exact,
        };
        manifest.variants.into_iter().map(move |variant| Variant {
            tuned: Some(tuned.clone()),
            ..variant
        })
    }
}

/// One module with the contents of all; what several declare (shared memory) stands in it once.
fn link<'c>(modules: Vec<Module<'c>>) -> Option<Module<'c>> {
    let mut modules = modules.into_iter();
    let first = modules.next()?;
    let top = crate::ffi::block(first.body());
    let name = |operation| crate::ir::text_attribute(operation, "sym_name");
    for module in modules {
        for operation in crate::ir::operations(crate::ffi::block(module.body())) {
            let known = crate::ir::operations(top)
                .into_iter()
                .any(|other| name(other) == name(operation));
            if !known {
                top.append_operation((*operation).clone());
            }
        }
    }
    Some(first)
}

/// A kernel in the llvm dialect, or stopped at a pass.
pub struct Lowered<'c> {
    /// The module after the last pass that ran.
    pub module: Module<'c>,
    /// The manifest; its threads and shared memory are right once all passes ran.
    pub manifest: KernelManifest,
    /// What the passes decided.
    pub remarks: Vec<Remark>,
}

/// Runs the passes on a kernel; `after` sees the module after each (the first call is for the stage
/// `tile`, before any) and stops by returning `false`.
///
/// # Errors
/// What the user must know.
pub fn lower<'c>(
    context: &'c Context,
    sources: &SourceMap,
    kernel: &Kernel,
    target: &'static Target,
    variants: &[VariantRequest],
    mut after: impl FnMut(&str, &Module<'c>) -> bool,
) -> Result<Lowered<'c>, Diagnostic> {
    let cx = PassContext {
        context,
        target,
        sources,
        variants,
        remarks: RefCell::new(Vec::new()),
    };
    let mut module = dialect::build::build(context, sources, kernel)?;
    dialect::verify::module(context, &module)
        .map_err(|problem| crate::passes::internal("tile", &problem))?;
    let mut facts = Vec::new();
    if after("tile", &module) {
        for pass in PASSES {
            // The last pass turns functions into LLVM's: what the manifest needs is read before.
            facts = variant_facts(&module, variants);
            module = pass.run(&cx, module)?;
            if !after(pass.name, &module) {
                break;
            }
        }
    }
    let remarks = cx.remarks.into_inner();
    let manifest = manifest::kernel(kernel, &facts, &remarks);
    Ok(Lowered {
        module,
        manifest,
        remarks,
    })
}

fn variant_facts(
    module: &Module<'_>,
    variants: &[VariantRequest],
) -> Vec<(VariantRequest, manifest::VariantFacts)> {
    let functions = crate::ir::operations(crate::ffi::block(module.body()));
    variants
        .iter()
        .map(|request| {
            let function = functions.iter().find(|function| {
                crate::ir::text_attribute(**function, "sym_name") == Some(request.entry.as_str())
            });
            let number = |name: &str| {
                function
                    .and_then(|function| int_attribute(*function, name))
                    .unwrap_or(0)
            };
            let facts = manifest::VariantFacts {
                warps: number("tile.warps").max(1) as u32,
                copying_warps: number(COPYING_WARPS) as u32,
                turns: number(TURNS) > 0,
                pair: function.and_then(|function| {
                    let maps = ints_attribute(*function, PAIR_MAPS).unwrap_or_default();
                    Some(Pair {
                        axis: int_attribute(*function, PAIR)? as u32,
                        maps: maps.into_iter().map(|map| map as u32).collect(),
                    })
                }),
                part_bytes: number(PART_BYTES) as u32,
                cluster: number("tile.cluster").max(1) as u32,
                split: number(crate::passes::SPLIT).max(1) as u32,
                shared_bytes: number("tile.shared_bytes") as u32,
                maps: function.map(|of| Map::read(*of)).unwrap_or_default(),
            };
            (request.clone(), facts)
        })
        .collect()
}
