//! `tilec explain`: what the compiler decided and why, what it costs, and what it could not do.
//!
//! Comes in: typed kernels, and a call if there is one. They are compiled as always; on the way the
//! modules after two passes are looked at: after `layouts`, where every tile has its layout and every
//! access its width, and after `barriers`, where all that goes through shared memory can be seen.
//! `ptxas`, if it is there, says how many registers it took. Goes out: one [`Explanation`], gathered
//! once and shown three times, as [`text`], as [`html`] or, by serde, as JSON.
//!
//! Nothing is run. What depends on data (masks, branches, loops until something is found) is told for
//! the case that all of it is done.
//!
//! | file | what it is about |
//! |---|---|
//! | [`data`] | what an explanation says |
//! | [`call`] | a call whose sizes are known |
//! | [`names`] | what the author calls a value |
//! | [`gather`] | the walk through a function |
//! | [`numbers`], [`strides`], [`access`] | addresses: how far apart, which sectors, why no wider |
//! | [`shared`] | traffic through shared memory |
//! | [`layouts`] | layouts as data and in words |
//! | [`work`] | operations, bytes, roofline |
//! | [`advice`] | lost opportunities and what would help |
//! | [`words`], [`notes`] | its sentences |
//! | [`text`]; [`html`], [`figures`] | two ways to show them |

use std::collections::BTreeMap;

use melior::Context;
use melior::ir::Module;
use tile_runtime::launch::LaunchPlan;
use tile_runtime::manifest::{Argument, Assumption, Variant};
use tile_runtime::occupancy::ProgramUse;

use crate::backend::nvidia::{self, Resources};
use crate::backend::{llvm, manifest};
use crate::build::from_typed::entry_arguments;
use crate::compile;
use crate::diagnostic::remark::{Remark, RemarkCode};
use crate::diagnostic::{Diagnostic, Span};
use crate::dialect;
use crate::passes::LoopOrder;
use crate::passes::functions;
use crate::source::SourceMap;
use crate::target::Target;
use crate::target::card::Card;
use crate::typed::Kernel;

pub mod access;
pub mod advice;
pub mod call;
pub mod data;
pub mod figures;
pub mod gather;
pub mod html;
pub mod layouts;
pub mod names;
pub mod notes;
pub mod numbers;
pub mod precision;
pub mod shared;
pub mod strides;
pub mod text;
mod timeline;
pub mod words;
pub mod work;

use data::{
    CallData, Explanation, KernelData, OccupancyData, Place, RegisterData, RemarkData, SourceText,
    TargetData, VariantData,
};
use gather::{Around, Found};
use names::Names;

/// What went wrong.
#[derive(Debug)]
pub enum ExplainError {
    /// The program cannot be compiled.
    Program(Box<Diagnostic>),
    /// The call does not fit the kernel.
    Call(Box<tile_runtime::Error>),
}

/// A kernel with a call of it, if there is one.
pub struct Request<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// Its call.
    pub call: Option<call::Call>,
    /// What was said of it before it is compiled.
    pub remarks: Vec<Remark>,
}

/// The place of a span; `None` where there is none.
#[must_use]
pub fn place(sources: &SourceMap, span: Span) -> Option<Place> {
    if span.end <= span.start {
        return None;
    }
    let file = sources.get(span.file)?;
    let (start, end) = (file.location(span.start), file.location(span.end));
    Some(Place {
        file: span.file,
        line: start.line,
        column: start.column,
        end_line: end.line,
        end_column: end.column,
        start: span.start,
        end: span.end,
    })
}

/// Explains kernels.
///
/// # Errors
/// What is wrong with the program or the call.
pub fn explain(
    sources: &SourceMap,
    requests: &[Request<'_>],
    target: &'static Target,
) -> Result<Explanation, ExplainError> {
    let card = Card::of(target);
    let mut kernels = Vec::new();
    for request in requests {
        kernels.push(kernel(sources, request, target, card.as_ref())?);
    }
    let files = sources.iter().map(|(_, file)| SourceText {
        name: file.name.clone(),
        text: file.text.clone(),
    });
    Ok(Explanation {
        format: data::FORMAT,
        compiler: format!("tilec {}", env!("CARGO_PKG_VERSION")),
        target: TargetData {
            name: target.name.to_owned(),
            gpus: target.summary.to_owned(),
            card: card.map(|card| card.name.to_owned()),
            multiprocessors: card.map(|card| card.multiprocessors),
        },
        files: files.collect(),
        kernels,
    })
}

/// Whether a call fits a kernel.
///
/// # Errors
/// What is wrong with the call.
pub fn check_call(kernel: &Kernel, call: &call::Call) -> Result<(), tile_runtime::Error> {
    call::plan(&outline(kernel), call).map(|_| ())
}

/// The names that a call of a kernel binds, with their values.
///
/// # Errors
/// What is wrong with the call.
pub fn sizes(
    kernel: &Kernel,
    call: &call::Call,
) -> Result<BTreeMap<String, i64>, tile_runtime::Error> {
    call::plan(&outline(kernel), call).map(|(plan, _)| plan.sizes)
}

/// The manifest before anything is compiled: which variant a call takes is asked of it.
fn outline(kernel: &Kernel) -> tile_runtime::manifest::Kernel {
    let requests = manifest::default_variants(kernel).into_iter();
    let nothing = manifest::VariantFacts::default();
    let variants: Vec<_> = requests.map(|request| (request, nothing.clone())).collect();
    manifest::kernel(kernel, &variants, &[])
}

/// What two passes left behind, by function.
#[derive(Default)]
struct Seen {
    found: Vec<(String, Found)>,
    copies: Vec<(String, gather::Copies)>,
    shared: Vec<(String, (Vec<data::ExchangeData>, u32))>,
    pieces: Vec<(String, gather::Pieces)>,
}

fn kernel(
    sources: &SourceMap,
    request: &Request<'_>,
    target: &'static Target,
    card: Option<&Card>,
) -> Result<KernelData, ExplainError> {
    let kernel = request.kernel;
    let program = |error| ExplainError::Program(Box::new(error));
    let requests = manifest::default_variants(kernel);
    let plan = |of: &tile_runtime::manifest::Kernel| {
        let plan = request.call.as_ref().map(|call| call::plan(of, call));
        plan.transpose()
            .map_err(|error| ExplainError::Call(Box::new(error)))
    };
    let values = plan(&outline(kernel))?.map(|(plan, _)| call::values(&plan));

    let names = Names::of(sources, kernel);
    let arguments = arguments(kernel);
    let around = Around {
        sources,
        names: &names,
        arguments: &arguments,
        values: values.as_deref().unwrap_or_default(),
    };
    let context = dialect::context();
    let mut seen = Seen::default();
    let after = |pass: &str, module: &Module<'_>| {
        look(&context, &around, pass, module, &mut seen);
        true
    };
    let mut lowered =
        compile::lower(&context, sources, kernel, target, &requests, after).map_err(program)?;
    let ptx = llvm::compile(&lowered.module, target, false).map_err(program)?;
    let assembled = nvidia::assemble(ptx.ptx.trim_start(), target.name);

    let manifest = lowered.manifest(kernel);
    // Variants may ask for more or less than was known of them before.
    let planned = plan(&manifest)?;
    let call = planned.as_ref().map(|(_, call)| call);
    let orders = std::mem::take(&mut lowered.loops);
    let mut remarks = request.remarks.clone();
    remarks.extend(lowered.remarks);
    let mut variants = Vec::new();
    for variant in &manifest.variants {
        let parts = Parts {
            variant,
            target,
            card,
            call,
            kernel,
            resources: assembled.as_ref().map(|(_, list)| list.as_slice()),
            remarks: &remarks,
            orders: &orders,
        };
        variants.push(parts.put_together(sources, &mut seen));
    }
    for index in 0..variants.len() {
        let special = (index > 0).then(|| &variants[0]);
        let advice = advice::of(&variants[index], special);
        variants[index].remarks.extend(advice);
        variants[index].remarks.sort_by_key(|remark| remark.place);
    }
    Ok(KernelData {
        name: kernel.name.clone(),
        place: place(sources, kernel.span),
        generics: kernel.generics.clone(),
        chosen: planned
            .as_ref()
            .map_or(0, |(plan, _): &(LaunchPlan, CallData)| plan.variant),
        call: call.cloned(),
        variants,
    })
}

/// The names of the parameters that are addresses, by the number of the argument.
fn arguments(kernel: &Kernel) -> Vec<Option<String>> {
    let list = entry_arguments(kernel).into_iter();
    list.map(|(argument, _)| match argument {
        Argument::Address { of } => Some(of),
        _ => None,
    })
    .collect()
}

fn look<'c>(
    context: &'c Context,
    around: &Around<'_>,
    pass: &str,
    module: &Module<'c>,
    seen: &mut Seen,
) {
    for function in functions(module) {
        let name = crate::ir::text_attribute(function, "sym_name").unwrap_or_default();
        match pass {
            "layouts" => {
                let mut found = gather::function(around, function);
                found.precision = precision::of(around.sources, function);
                seen.found.push((name.to_owned(), found));
            }
            "barriers" => {
                let shared = shared::function(context, around.sources, function);
                seen.shared.push((name.to_owned(), shared));
                let copies = gather::copies(around, function);
                seen.copies.push((name.to_owned(), copies));
                let pieces = gather::pieces(around, function);
                seen.pieces.push((name.to_owned(), pieces));
            }
            _ => {}
        }
    }
}

/// What a variant is put together from.
struct Parts<'a> {
    variant: &'a Variant,
    target: &'static Target,
    card: Option<&'a Card>,
    call: Option<&'a CallData>,
    kernel: &'a Kernel,
    resources: Result<&'a [Resources], &'a nvidia::ToolError>,
    remarks: &'a [Remark],
    orders: &'a [LoopOrder],
}

/// A load that the pass `pipeline` made a copy to shared memory: it is done by other threads, in other
/// pieces. Pieces have pointers, which tell the tensor; boxes are in the order of the loop's other loads, without those of
/// which `pipeline` says that they wait. Outside of loops the place tells.
fn becomes(
    accesses: &mut [data::AccessData],
    copy: data::AccessData,
    waits: impl Fn(Option<Place>) -> bool,
) {
    let loaded = accesses.iter_mut().find(|access| {
        access.kind == "load"
            && access.by.is_none()
            && access.pattern != data::Pattern::Single
            && access.repeat.of_loop == copy.repeat.of_loop
            && (copy.repeat.of_loop.is_some() || access.place == copy.place)
            && (copy.tensor.is_none() || access.tensor == copy.tensor)
            && !waits(access.place)
    });
    if let Some(access) = loaded {
        let sectors = match copy.pattern {
            // A box is cut into copies of one size.
            data::Pattern::Boxes => access.bytes.div_ceil(32 * copy.requests),
            _ => copy.sectors,
        };
        *access = data::AccessData {
            sectors,
            kind: access.kind,
            place: access.place,
            shape: access.shape.clone(),
            bytes: access.bytes,
            repeat: access.repeat,
            tensor: access.tensor.clone(),
            element: access.element.clone(),
            masked: access.masked,
            ..copy
        };
    }
}

/// Which of the loops that were is one of those that are `now`. Passes keep their order as long as there are
/// as many; where a loop over programs came around them, or one for those who copy, the place tells.
fn same_loop(before: &[data::LoopData], now: &[data::LoopData], at: usize) -> Option<usize> {
    if before.len() == now.len() {
        return Some(at);
    }
    let place = now.get(at)?.place;
    let mut same = (0..before.len()).filter(|index| before[*index].place == place);
    same.next().filter(|_| same.next().is_none())
}

/// Takes what was found for a function.
fn take<T: Default>(list: &mut [(String, T)], entry: &str) -> T {
    let found = list.iter_mut().find(|(name, _)| name == entry);
    found
        .map(|(_, value)| std::mem::take(value))
        .unwrap_or_default()
}

impl Parts<'_> {
    fn put_together(&self, sources: &SourceMap, seen: &mut Seen) -> VariantData {
        let entry = self.variant.entry.as_str();
        let mut found = take(&mut seen.found, entry);
        let (exchanges, barriers) = take(&mut seen.shared, entry);
        let waits = |place: Option<Place>| {
            self.remarks.iter().any(|remark| {
                (remark.pass(), remark.is_missed()) == ("pipeline", true)
                    && remark.function == entry
                    && remark.span.and_then(|span| self::place(sources, span)) == place
            })
        };
        let (mut copies, loops) = take(&mut seen.copies, entry);
        copies.sort_by_key(|copy| copy.tensor.is_none());
        for mut copy in copies {
            let inside = copy.repeat.of_loop;
            copy.repeat.of_loop = inside.and_then(|inside| same_loop(&found.loops, &loops, inside));
            becomes(&mut found.accesses, copy, waits);
        }
        let pieces = take(&mut seen.pieces, entry);
        for access in &mut found.accesses {
            if pieces.contains(&(access.kind, access.place)) {
                access.take_pieces();
            }
        }
        // What is copied to shared memory is in registers only where it is loaded from there.
        let copied = |place| {
            let mut accesses = found.accesses.iter();
            accesses.any(|access| {
                let loaded = exchanges.iter().any(|exchange| {
                    exchange.kind == "load"
                        && exchange.shape == access.shape
                        && exchange.element == access.element
                });
                access.by.is_some() && access.place == place && !loaded
            })
        };
        found.values.retain(|value| !copied(value.place));
        let own = match self.resources {
            Ok(list) => list.iter().find(|resources| resources.entry == entry),
            Err(_) => None,
        };
        let registers = own.map(|own| RegisterData {
            per_thread: own.registers,
            spill_bytes: own.spill_bytes,
            stack_bytes: own.stack_bytes,
        });
        let unknown = match (self.resources, own) {
            (Err(nvidia::ToolError::Missing(_)), _) => Some("ptxas is not installed".to_owned()),
            (Err(error), _) => Some(error.to_string()),
            (Ok(_), None) => Some("ptxas says nothing of it".to_owned()),
            (Ok(_), Some(_)) => None,
        };
        let shared_bytes = self.variant.shared_bytes + own.map_or(0, |own| own.shared_bytes);
        let work = work::work(&found.tasks, &found.loops, self.card, self.call);
        let heading = |remark: &&Remark| {
            remark.function == entry && remark.span == Some(self.kernel.span) && !remark.is_missed()
        };
        let reason = self
            .remarks
            .iter()
            .filter(heading)
            .find(|remark| remark.code() == RemarkCode::Warps);
        VariantData {
            narrow: self.variant.narrow,
            entry: entry.to_owned(),
            assumptions: Assumption::in_words(&self.variant.assumptions),
            warps: self.variant.threads / 32,
            warps_reason: reason.map(Remark::message),
            registers,
            registers_unknown: unknown,
            shared_bytes,
            timelines: self.timelines(sources),
            barriers,
            occupancy: self.occupancy(registers, shared_bytes),
            work,
            remarks: self.remarks(sources, &found),
            loops: found.loops,
            accesses: found.accesses,
            products: found.products,
            reductions: found.reductions,
            exchanges,
            values: found.values,
            layouts: found.layouts,
        }
    }

    /// What iterations take whose products have an order of their own.
    fn timelines(&self, sources: &SourceMap) -> Vec<data::TimelineData> {
        let own = self.orders.iter();
        let own = own.filter(|order| order.function == self.variant.entry);
        own.filter_map(|order| timeline::of(sources, order))
            .collect()
    }

    /// Without registers nothing is said: they are what limits most.
    fn occupancy(
        &self,
        registers: Option<RegisterData>,
        shared_bytes: u32,
    ) -> Option<OccupancyData> {
        let multiprocessor = self.target.multiprocessor()?;
        let occupancy = multiprocessor.occupancy(ProgramUse {
            threads: self.variant.threads,
            registers: registers?.per_thread,
            shared_bytes,
            per_block: self.variant.programs_per_block,
        });
        Some(OccupancyData {
            programs: occupancy.programs,
            warps: occupancy.warps,
            of_warps: occupancy.of_warps,
            limited_by: occupancy.limited_by(),
            limits: occupancy.limits.to_vec(),
        })
    }

    /// What the passes said of this variant at places; what they said of accesses is told of those, and
    /// in more detail.
    fn remarks(&self, sources: &SourceMap, found: &Found) -> Vec<RemarkData> {
        let own = self.remarks.iter().filter(|remark| {
            remark.function == self.variant.entry
                || remark.function == self.kernel.name
                    && matches!(remark.pass(), "release" | "tuning")
        });
        let data = own.filter_map(|remark| {
            let place = remark.span.and_then(|span| place(sources, span));
            let of_access = remark.pass() == "layouts"
                && found.accesses.iter().any(|access| access.place == place);
            let heading = remark.span == Some(self.kernel.span);
            (!of_access && !heading).then(|| RemarkData::new(place, &remark.kind))
        });
        data.chain(found.precision.iter().cloned()).collect()
    }
}
