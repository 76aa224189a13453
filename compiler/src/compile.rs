//! The compiler as a function: a typed kernel becomes PTX with its manifest, every stage within reach.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use melior::Context;
use melior::ir::Module;
use tile_runtime::manifest::{Kernel as KernelManifest, Manifest, Pair, Tuned, Variant};

use crate::backend::{llvm, manifest};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::remark::{Remark, RemarkKind};
use crate::dialect;
use crate::ir::{int_attribute, ints_attribute};
use crate::passes::pipeline::{
    COPYING_WARPS, Map, NUMBERS_GROUP, PAIR, PAIR_MAPS, PART_BYTES, TICKETS, TURNS,
};
use crate::passes::shared_blocks::PROGRAMS_PER_BLOCK;
use crate::passes::{
    ASSUMPTIONS, GROUP_AXIS, LoopOrder, PASSES, PassContext, VariantRequest, internal,
};
use crate::source::SourceMap;
use crate::stack::{STACK_BYTES, on_deep_stack};
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
    let families: Vec<Family<'_>> = families.into_iter().collect();
    let kernels = families.iter().flat_map(|family| {
        let tuned = family.tuned.iter().map(|one| &one.kernel);
        std::iter::once(family.kernel).chain(tuned)
    });
    let kernels: Vec<_> = kernels.collect();
    let mut compiled = each_by_itself(sources, &kernels, target, variants).into_iter();
    let mut next = || {
        let died = || Err(internal("llvm", "a kernel was not compiled"));
        compiled.next().unwrap_or_else(died)
    };
    let mut units = Vec::new();
    let mut manifests = Vec::new();
    let mut remarks = Vec::new();
    for Family { kernel, tuned, own } in families {
        let mut manifest = next()?.add_to(kernel, &mut units, &mut remarks);
        if !tuned.is_empty() {
            for variant in &mut manifest.variants {
                variant.tuned = Some(Tuned {
                    generics: BTreeMap::new(),
                    grid: Vec::new(),
                    promises: Vec::new(),
                    sizes: own.to_vec(),
                    exact: false,
                });
            }
        }
        for one in tuned {
            match next() {
                Ok(compiled) => {
                    let tuned = compiled.add_to(&one.kernel, &mut units, &mut remarks);
                    manifest.variants.extend(one.variants(tuned));
                }
                Err(problem) => remarks.push(Remark {
                    function: kernel.name.clone(),
                    span: problem.position(),
                    kind: RemarkKind::TunedLeftOut {
                        kernel: one.kernel.name.clone(),
                        problem: problem.message.clone(),
                    },
                }),
            }
        }
        manifests.push(manifest);
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

impl TunedKernel {
    /// The variants of its manifest, as variants of the kernel that it is of.
    fn variants(&self, manifest: KernelManifest) -> impl Iterator<Item = Variant> {
        let tuned = Tuned {
            generics: self.values.clone(),
            grid: manifest.grid.unwrap_or_default(),
            promises: manifest.promises,
            sizes: self.sizes.clone(),
            exact: self.exact,
        };
        manifest.variants.into_iter().map(move |variant| Variant {
            tuned: Some(tuned.clone()),
            ..variant
        })
    }
}

/// Some variants of a kernel, compiled.
#[derive(Default)]
struct Part {
    units: Vec<llvm::Unit>,
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
            units: vec![llvm::Unit::compile(&lowered.module, target)?],
            facts: lowered.facts,
            remarks: lowered.remarks,
        })
    }

    fn extend(&mut self, other: Self) {
        self.units.extend(other.units);
        self.facts.extend(other.facts);
        self.remarks.extend(other.remarks);
    }

    /// Adds all variants of a kernel to a file; gives the kernel's manifest.
    fn add_to(
        self,
        kernel: &Kernel,
        units: &mut Vec<llvm::Unit>,
        remarks: &mut Vec<Remark>,
    ) -> KernelManifest {
        let manifest = manifest::kernel(kernel, &self.facts, &self.remarks);
        units.extend(self.units);
        remarks.extend(self.remarks);
        manifest
    }
}

/// Kernels with all their variants. Nothing of a variant depends on another, so threads share them out.
fn each_by_itself(
    sources: &SourceMap,
    kernels: &[&Kernel],
    target: &'static Target,
    variants: impl Fn(&Kernel) -> Vec<VariantRequest>,
) -> Vec<Result<Part, Diagnostic>> {
    let mut work: Vec<(usize, VariantRequest)> = Vec::new();
    for (index, kernel) in kernels.iter().enumerate() {
        work.extend(variants(kernel).into_iter().map(|request| (index, request)));
    }
    let done: Vec<OnceLock<Result<Part, Diagnostic>>> =
        work.iter().map(|_| OnceLock::new()).collect();
    // The last variants of a kernel promise the least and take the longest, so they come first.
    let left = AtomicUsize::new(work.len());
    let one_less = |left: usize| left.checked_sub(1);
    let compile_some = || {
        while let Ok(left) = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less) {
            let (index, request) = &work[left - 1];
            let compiled = Part::compile(sources, kernels[*index], target, request);
            let _ = done[left - 1].set(compiled);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        // This thread works as well. What one leaves that dies is seen below, and so is what there was no thread for.
        let started: Vec<_> = (1..threads.min(work.len()))
            .map(|_| {
                let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
                thread.spawn_scoped(scope, compile_some)
            })
            .collect();
        let _ = catch_unwind(AssertUnwindSafe(|| on_deep_stack(compile_some)));
        for thread in started.into_iter().flatten() {
            let _ = thread.join();
        }
    });
    let mut parts: Vec<Result<Part, Diagnostic>> =
        kernels.iter().map(|_| Ok(Part::default())).collect();
    for ((index, _), done) in std::iter::zip(work, done) {
        let died = || {
            Err(internal(
                "llvm",
                "a thread of the compiler could not finish",
            ))
        };
        let one = done.into_inner().unwrap_or_else(died);
        if let Ok(part) = &mut parts[index] {
            match one {
                Ok(one) => part.extend(one),
                Err(problem) => parts[index] = Err(problem),
            }
        }
    }
    parts
}

/// A kernel in the llvm dialect, or stopped at a pass.
pub struct Lowered<'c> {
    /// The module after the last pass that ran.
    pub module: Module<'c>,
    /// What the manifest says of each variant; threads and shared memory are right once all passes ran.
    pub facts: Vec<(VariantRequest, manifest::VariantFacts)>,
    /// What the passes decided.
    pub remarks: Vec<Remark>,
    /// The loops whose order was looked at.
    pub loops: Vec<LoopOrder>,
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
    let cx = PassContext::new(context, target, sources, variants);
    if kernel.spread.is_some() {
        for variant in variants {
            cx.remark(&variant.entry, kernel.spread, RemarkKind::OneProgramEach);
        }
    }
    let mut module = crate::build::from_typed::build(context, sources, kernel)?;
    dialect::verify::module(context, &module).map_err(|problem| internal("tile", &problem))?;
    let mut facts = Vec::new();
    if after("tile", &module) {
        for pass in PASSES {
            // The last pass turns functions into LLVM's: what the manifest needs is read before.
            facts = variant_facts(&module, target, variants);
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
        loops: cx.loops.into_inner(),
    })
}

fn variant_facts(
    module: &Module<'_>,
    target: &Target,
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
                programs_per_block: number(PROGRAMS_PER_BLOCK).max(1) as u32,
                group: number(NUMBERS_GROUP) as u32,
                group_axis: match number(NUMBERS_GROUP) {
                    0 => 0,
                    _ => number(GROUP_AXIS) as u32,
                },
                tickets: number(TICKETS) > 0,
                dependent: target.has_dependent_launches,
                pair: function.and_then(|function| {
                    let maps = ints_attribute(*function, PAIR_MAPS).unwrap_or_default();
                    Some(Pair {
                        axis: int_attribute(*function, PAIR)? as u32,
                        maps: maps.into_iter().map(|map| map as u32).collect(),
                    })
                }),
                part_bytes: number(PART_BYTES) as u32,
                cluster: number("tile.cluster").max(1) as u32,
                split: number(crate::dialect::SPLIT).max(1) as u32,
                shared_bytes: number(crate::dialect::SHARED_BYTES) as u32,
                maps: function.map(|of| Map::read(*of)).unwrap_or_default(),
                assumptions: function
                    .and_then(|of| {
                        serde_json::from_str(crate::ir::text_attribute(*of, ASSUMPTIONS)?).ok()
                    })
                    .unwrap_or_default(),
            };
            // It may ask for less.
            let list = function.and_then(|of| ints_attribute(*of, crate::dialect::DIVISIBILITY));
            let request = VariantRequest {
                divisibility: list.unwrap_or_else(|| request.divisibility.clone()),
                ..request.clone()
            };
            (request, facts)
        })
        .collect()
}
