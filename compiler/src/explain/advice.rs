//! Opportunities that were lost, why, and what the author could write instead.
//!
//! What passes remark while they work is only what they see. This looks at the finished variant.

use tile_runtime::occupancy::Limit;

use super::access::Narrow;
use super::data::{AccessData, ExchangeData, Pattern, ProductData, RemarkData, VariantData};

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

fn missed(from: &str, place: Option<super::data::Place>, message: String) -> RemarkData {
    RemarkData {
        code: None,
        from: from.to_owned(),
        place,
        message,
        missed: true,
        help: None,
    }
}

/// Accesses that could be wider.
fn narrow(
    access: &AccessData,
    variant: &VariantData,
    special: Option<&VariantData>,
) -> Option<RemarkData> {
    let reason = access.narrow?;
    // Lanes that hold one element each may still share whole sectors; what is lost is told as such.
    if reason == Narrow::FewElements || access.pattern == Pattern::Uniform {
        return None;
    }
    let element_bytes = access.vector_bytes / access.vector.max(1);
    let wide = WIDEST / element_bytes.clamp(1, WIDEST);
    let message = format!(
        "this {} takes {} bytes per lane where {WIDEST} are possible, so {} times the instructions: {}",
        access.kind,
        access.vector_bytes,
        WIDEST / access.vector_bytes.max(1),
        reason.words(),
    );
    let mut remark = missed("access", access.place, message);
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
    remark.help = better.or_else(|| {
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
    if !worse || !matches!(access.pattern, Pattern::Strided | Pattern::Scattered) {
        return None;
    }
    let message = format!(
        "each request touches {} sectors of 32 bytes where {} would hold what is used: {:.0} % of what moves is of use",
        access.sectors,
        access.ideal_sectors,
        100.0 * access.efficiency
    );
    let mut remark = missed("access", access.place, message);
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
    let several = access.shape.iter().product::<u64>() > 1;
    let message = if several {
        "all elements go to one address, one after the other"
    } else {
        "programs that come to the same address wait for each other"
    };
    let mut remark = missed("access", access.place, message.to_owned());
    remark.help =
        several.then(|| "combine the tile first (`sum`, `max`, …), and add it once".to_owned());
    Some(remark)
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
    let cut: Vec<String> = steps
        .iter()
        .filter(|(_, size, step)| size % step != 0)
        .map(|(name, size, step)| {
            format!(
                "{name} = {size} is padded to {}",
                size.next_multiple_of(*step)
            )
        })
        .collect();
    if cut.is_empty() {
        return None;
    }
    let padded: u64 = steps
        .iter()
        .map(|(_, size, step)| size.next_multiple_of(*step))
        .product();
    let useful = (product.m * product.n * product.k) as f64 / padded.max(1) as f64;
    let message = format!(
        "{}: {:.0} % of the products are of use",
        cut.join(", "),
        100.0 * useful
    );
    let mut remark = missed("product", product.place, message);
    remark.help = Some(
        "tensor cores multiply 16 rows, 8 columns and 32 bytes along K: choose multiples"
            .to_owned(),
    );
    Some(remark)
}

/// Accesses to shared memory that meet in banks.
fn conflicting(exchange: &ExchangeData) -> Option<RemarkData> {
    if exchange.wavefronts <= exchange.ideal_wavefronts {
        return None;
    }
    let verb = if exchange.kind == "store" {
        "written to"
    } else {
        "read from"
    };
    let message = format!(
        "the tile is {verb} shared memory with bank conflicts: {} passes where {} would do, {} times",
        exchange.wavefronts, exchange.ideal_wavefronts, exchange.accesses
    );
    Some(missed("shared-memory", exchange.place, message))
}

fn spilled(variant: &VariantData) -> Option<RemarkData> {
    let registers = variant
        .registers
        .filter(|registers| registers.spill_bytes > 0)?;
    let message = format!(
        "{} registers per thread are not enough: {} bytes of instructions spill them to memory and bring them back",
        registers.per_thread, registers.spill_bytes
    );
    let mut remark = missed("registers", None, message);
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
    let names: Vec<&str> = occupancy
        .limited_by
        .iter()
        .map(|limit| limit.name())
        .collect();
    let message = format!(
        "{} of {} warps of a multiprocessor are in use, limited by {}: few to hide the latency of memory",
        occupancy.warps,
        occupancy.of_warps,
        and(&names)
    );
    let mut remark = missed("occupancy", None, message);
    remark.help = match occupancy.limited_by.first() {
        Some(Limit::Programs) => {
            Some("give programs larger tiles, so that they have more warps".to_owned())
        }
        Some(Limit::SharedMemory | Limit::Registers) => Some("make tiles smaller".to_owned()),
        _ => None,
    };
    Some(remark)
}

/// `a, b and c`
#[must_use]
pub fn and(list: &[&str]) -> String {
    match list {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
