//! The compiler as a function: a typed kernel becomes PTX with its manifest, every stage within reach.

use std::cell::RefCell;

use melior::Context;
use melior::ir::Module;
use tile_runtime::manifest::{Kernel as KernelManifest, Manifest, Pair};

use crate::backend::{llvm, manifest};
use crate::diagnostic::Diagnostic;
use crate::dialect;
use crate::ir::{int_attribute, ints_attribute};
use crate::passes::pipeline::{COPYING_WARPS, Map, PAIR, PAIR_MAPS, PART_BYTES, TURNS};
use crate::passes::{PASSES, PassContext, Remark, VariantRequest, internal};
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
    let requests: Vec<Vec<VariantRequest>> = kernels.iter().map(variants).collect();
    let work: Vec<(&Kernel, &VariantRequest)> = std::iter::zip(kernels, &requests)
        .flat_map(|(kernel, requests)| requests.iter().map(move |request| (kernel, request)))
        .collect();
    // Nothing of a variant depends on another, so each is compiled by a thread of its own.
    let parts: Vec<Result<Part, Diagnostic>> = std::thread::scope(|scope| {
        let threads: Vec<_> = work
            .iter()
            .map(|(kernel, request)| {
                scope.spawn(|| Part::compile(sources, kernel, target, request))
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| {
                let died = |_| Err(internal("llvm", "a thread of the compiler died"));
                thread.join().unwrap_or_else(died)
            })
            .collect()
    });
    let mut parts = parts.into_iter();
    let mut units = Vec::new();
    let mut manifests = Vec::new();
    let mut remarks = Vec::new();
    for (kernel, requests) in std::iter::zip(kernels, &requests) {
        let mut facts = Vec::new();
        let mut own = Vec::new();
        for part in parts.by_ref().take(requests.len()) {
            let part = part?;
            units.push(part.unit);
            facts.extend(part.facts);
            own.extend(part.remarks);
        }
        manifests.push(manifest::kernel(kernel, &facts, &own));
        remarks.extend(own);
    }
    let manifest = manifest::file(target, source, manifests);
    let mut ptx = manifest.to_comment_lines();
    ptx.push_str(llvm::join(&units, target)?.trim_start());
    Ok(Compiled {
        ptx,
        manifest,
        remarks,
    })
}

/// A variant, compiled.
struct Part {
    unit: llvm::Unit,
    facts: Vec<(VariantRequest, manifest::VariantFacts)>,
    remarks: Vec<Remark>,
}

impl Part {
    fn compile(
        sources: &SourceMap,
        kernel: &Kernel,
        target: &'static Target,
        request: &VariantRequest,
    ) -> Result<Self, Diagnostic> {
        let context = dialect::context();
        let request = std::slice::from_ref(request);
        let lowered = lower(&context, sources, kernel, target, request, |_, _| true)?;
        Ok(Self {
            unit: llvm::Unit::compile(&lowered.module, target)?,
            facts: lowered.facts,
            remarks: lowered.remarks,
        })
    }
}

/// A kernel in the llvm dialect, or stopped at a pass.
pub struct Lowered<'c> {
    /// The module after the last pass that ran.
    pub module: Module<'c>,
    /// What the manifest says of each variant; threads and shared memory are right once all passes ran.
    pub facts: Vec<(VariantRequest, manifest::VariantFacts)>,
    /// What the passes decided.
    pub remarks: Vec<Remark>,
}

impl Lowered<'_> {
    /// The manifest of the kernel that it was.
    #[must_use]
    pub fn manifest(&self, kernel: &Kernel) -> KernelManifest {
        manifest::kernel(kernel, &self.facts, &self.remarks)
    }
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
    dialect::verify::module(context, &module).map_err(|problem| internal("tile", &problem))?;
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
    Ok(Lowered {
        module,
        facts,
        remarks: cx.remarks.into_inner(),
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
