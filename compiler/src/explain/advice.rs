//! Opportunities that were lost, why, and what the author could write instead.
//!
//! What passes remark while they work is only what they see. This looks at the finished variant.

use tile_runtime::occupancy::Limit;

use super::data::{AccessData, ExchangeData, Pattern, ProductData, RemarkData, VariantData};
use crate::diagnostic::remark::{Narrow, Percent, RemarkKind, and};

/// Bytes of the widest access of a lane.
const WIDEST: u64 = 16;

/// A part of the warps of a multiprocessor below which latencies show.
const FEW_WARPS: f64 = 0.25;

/// What is to be said of a variant. `special` is the most special variant of the kernel, if this is
/// another one.
#[must_use]
pub fn of(variant: &VariantData, special: Option<&VariantData>) -> Vec<RemarkData> {
    let mut list = Vec::new();
    for access in &variant.accesses {
        list.extend(narrow(access, variant, special));
        list.extend(scattered(access));
        list.extend(serial(access));
    }
    for product in &variant.products {
        list.extend(padded(product));
    }
    list.extend(variant.exchanges.iter().filter_map(conflicting));
    list.extend(spilled(variant));
    list.extend(empty(variant));
    list
}

/// Accesses that could be wider.
fn narrow(
    access: &AccessData,
    variant: &VariantData,
    special: Option<&VariantData>,
) -> Option<RemarkData> {
    let reason = access.narrow?;
    // Lanes that hold one element each may still share whole sectors; what is lost is told as such.
    if reason == Narrow::FewElements || access.pattern == Pattern::Uniform || access.overlapping {
        return None;
    }
    let element_bytes = access.vector_bytes / access.vector.max(1);
    let wide = WIDEST / element_bytes.clamp(1, WIDEST);
    let kind = RemarkKind::NarrowLanes {
        access: access.kind,
        bytes: access.vector_bytes,
        possible: WIDEST,
        why: reason,
    };
    let mut remark = RemarkData::new(access.place, &kind);
    let better = special.and_then(|special| {
        let same = special.accesses.iter().find(|other| {
            (other.place, other.kind) == (access.place, access.kind)
                && (other.vector > access.vector || other.pattern == Pattern::Boxes)
        })?;
        let takes = match same.pattern {
            Pattern::Boxes => "has TMA copy it".to_owned(),
            _ => format!("takes {} bytes", same.vector_bytes),
        };
        let lacking = special
            .assumptions
            .iter()
            .filter(|assumption| !variant.assumptions.contains(assumption));
        // Memory is aligned as it comes from an allocator: sizes are what an author can change.
        let (sizes, addresses): (Vec<&str>, Vec<&str>) = lacking
            .map(String::as_str)
            .partition(|assumption| assumption.contains("multiple of"));
        let pad = if sizes.is_empty() {
            ""
        } else {
            ": pad rows to that"
        };
        Some(format!(
            "`{}` {takes}; a launch gets it where {}{pad}",
            special.entry,
            and(if sizes.is_empty() { &addresses } else { &sizes })
        ))
    });
    let aligned = matches!(reason, Narrow::Alignment { .. } | Narrow::Mask);
    let promise = (reason == Narrow::Wrapped).then(|| {
        "promise that it is not: `assume(x >= 0)` right behind `let x = …`, the number that positions are counted from".to_owned()
    });
    remark.help = better.or(promise).or_else(|| {
        (special.is_none() && aligned).then(|| {
            format!(
                "begin at a multiple of {wide} elements; where the compiler cannot see that it is one, promise it: `assume(start % {wide} == 0)`"
            )
        })
    });
    Some(remark)
}

/// Accesses of which much is moved in vain.
fn scattered(access: &AccessData) -> Option<RemarkData> {
    let worse = access.sectors >= 2 * access.ideal_sectors;
    if !worse
        || access.overlapping
        || !matches!(access.pattern, Pattern::Strided | Pattern::Scattered)
    {
        return None;
    }
    let kind = RemarkKind::PartSectors {
        sectors: access.sectors,
        ideal: access.ideal_sectors,
        useful: Percent::of(access.efficiency),
    };
    let mut remark = RemarkData::new(access.place, &kind);
    let tensor = access.tensor.as_deref().unwrap_or("the tensor");
    remark.help = match access.pattern {
        // A sector for every lane or two: lanes go across rows.
        Pattern::Strided if access.kind == "load" && access.sectors >= 16 => Some(format!(
            "go along the dimension in which `{tensor}` has neighbours, and turn the tile: `load(…).T` goes through shared memory"
        )),
        _ => None,
    };
    Some(remark)
}

/// Atomics on one address.
fn serial(access: &AccessData) -> Option<RemarkData> {
    if access.kind != "atomic" || !matches!(access.pattern, Pattern::Single | Pattern::Uniform) {
        return None;
    }
    let tile = access.shape.iter().product::<u64>() > 1;
    Some(RemarkData::new(
        access.place,
        &RemarkKind::OneAddress { tile },
    ))
}

/// Products that multiply padding.
fn padded(product: &ProductData) -> Option<RemarkData> {
    if product.path == "fma" {
        return None;
    }
    // PTX ISA, `mma.sync`: 16 rows, 8 columns, and 32 bytes of a row of factors at once.
    let bits = match product.factor.as_str() {
        "f32" => 32,
        "i8" => 8,
        _ => 16,
    };
    let steps = [
        ("M", product.m, 16),
        ("N", product.n, 8),
        ("K", product.k, 256 / bits),
    ];
    let sizes: Vec<(&'static str, u64, u64)> = steps
        .iter()
        .filter(|(_, size, step)| size % step != 0)
        .map(|(name, size, step)| (*name, *size, size.next_multiple_of(*step)))
        .collect();
    if sizes.is_empty() {
        return None;
    }
    let padded: u64 = steps
        .iter()
        .map(|(_, size, step)| size.next_multiple_of(*step))
        .product();
    let useful = (product.m * product.n * product.k) as f64 / padded.max(1) as f64;
    let useful = Percent::of(useful);
    Some(RemarkData::new(
        product.place,
        &RemarkKind::Padding { sizes, useful },
    ))
}

/// Accesses to shared memory that meet in banks.
fn conflicting(exchange: &ExchangeData) -> Option<RemarkData> {
    if exchange.wavefronts <= exchange.ideal_wavefronts {
        return None;
    }
    let kind = RemarkKind::BankConflicts {
        store: exchange.kind == "store",
        wavefronts: exchange.wavefronts,
        ideal: exchange.ideal_wavefronts,
        accesses: exchange.accesses,
    };
    Some(RemarkData::new(exchange.place, &kind))
}

fn spilled(variant: &VariantData) -> Option<RemarkData> {
    let registers = variant
        .registers
        .filter(|registers| registers.spill_bytes > 0)?;
    let kind = RemarkKind::Spills {
        registers: registers.per_thread,
        bytes: registers.spill_bytes.into(),
    };
    let mut remark = RemarkData::new(None, &kind);
    let more = (variant.warps * 2).min(32);
    remark.help = Some(if more > variant.warps {
        format!("make tiles smaller, or share them among more threads: `#[warps({more})]`")
    } else {
        "make tiles smaller".to_owned()
    });
    Some(remark)
}

/// Multiprocessors that hold few warps.
fn empty(variant: &VariantData) -> Option<RemarkData> {
    let occupancy = variant.occupancy.as_ref()?;
    let part = f64::from(occupancy.warps) / f64::from(occupancy.of_warps.max(1));
    // Tensor cores are busy with few warps.
    if part >= FEW_WARPS || variant.products.iter().any(|product| product.path != "fma") {
        return None;
    }
    let kind = RemarkKind::FewWarps {
        warps: occupancy.warps,
        of: occupancy.of_warps,
        limits: occupancy
            .limited_by
            .iter()
            .map(|limit| limit.name())
            .collect(),
    };
    let mut remark = RemarkData::new(None, &kind);
    remark.help = match occupancy.limited_by.first() {
        Some(Limit::Programs) => {
            Some("give programs larger tiles, so that they have more warps".to_owned())
        }
        Some(Limit::SharedMemory | Limit::Registers) => Some("make tiles smaller".to_owned()),
        _ => None,
    };
    Some(remark)
}
