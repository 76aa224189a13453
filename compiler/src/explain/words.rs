//! The sentences of an explanation's heading, for people: text and HTML say the same. What is said at
//! places is in [`super::notes`].

use super::data::{Amounts, Bound, CallData, Explanation, KernelData, LoopData, VariantData};
use crate::diagnostic::remark::and;

/// `1 warp`, `2 warps`
#[must_use]
pub fn count(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {what}{plural}", grouped(number))
}

/// `1 234 567`
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) && digits.len() > 4 {
            text.push('\u{a0}');
        }
        text.push(digit);
    }
    text
}

/// `4096 bytes`, `1.5 MB`
pub(super) fn bytes(number: u64) -> String {
    scaled(number as f64, number, &["bytes", "kB", "MB", "GB", "TB"])
}

/// `3072 operations`, `2.1 million operations`
pub(super) fn operations(number: u64) -> String {
    scaled(
        number as f64,
        number,
        &["operations", "kFLOP", "MFLOP", "GFLOP", "TFLOP"],
    )
}

fn scaled(mut value: f64, number: u64, units: &[&str]) -> String {
    if number < 10_000 {
        return format!("{number} {}", units[0]);
    }
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    format!("{value:.1} {}", units[unit])
}

/// Names and sentences of the heading.
#[must_use]
pub fn heading(
    explanation: &Explanation,
    kernel: &KernelData,
    variant: &VariantData,
) -> Vec<(&'static str, String)> {
    let mut list = vec![("variant", relies(kernel, variant))];
    if let Some(call) = &kernel.call {
        list.push(("call", of_call(call, explanation)));
    }
    let plural = count(variant.warps.into(), "warp");
    let warps = variant.warps_reason.clone();
    list.push((
        "warps",
        warps.unwrap_or_else(|| format!("{plural} per program")),
    ));
    list.push(("registers", registers(variant)));
    list.push(("shared", shared(variant)));
    if let Some(occupancy) = occupancy(variant) {
        list.push(("occupancy", occupancy));
    }
    list.extend(work(variant).map(|work| ("work", work)));
    list.extend(bound(explanation, variant).map(|bound| ("bound", bound)));
    list
}

fn relies(kernel: &KernelData, variant: &VariantData) -> String {
    let assumptions: Vec<&str> = variant.assumptions.iter().map(String::as_str).collect();
    let mut text = if assumptions.is_empty() {
        format!("`{}`, which relies on nothing", variant.entry)
    } else {
        format!(
            "`{}`, which relies on: {}",
            variant.entry,
            and(&assumptions)
        )
    };
    let taken = kernel.variants.get(kernel.chosen);
    let first = kernel.variants.first();
    let is_broken = kernel
        .call
        .as_ref()
        .is_some_and(|call| !call.broken.is_empty());
    if is_broken && taken == Some(variant) && first != Some(variant) {
        let first = first.map_or("", |first| first.entry.as_str());
        let broken: Vec<&str> = kernel
            .call
            .iter()
            .flat_map(|call| &call.broken)
            .map(String::as_str)
            .collect();
        text.push_str(&format!(
            "\nthis call does not take `{first}`, which relies on: {}",
            and(&broken)
        ));
    }
    text
}

fn of_call(call: &CallData, explanation: &Explanation) -> String {
    let from = if call.from_header {
        ", from the file's header"
    } else {
        ""
    };
    let mut text = format!(
        "{}: {}{from}",
        call.arguments.join(", "),
        count(call.programs, "program"),
    );
    if let Some(multiprocessors) = explanation.target.multiprocessors
        && !call.from_header
        && call.programs < multiprocessors.into()
    {
        text.push_str(&format!(
            "\nfewer than the {multiprocessors} multiprocessors of an {}",
            explanation.target.card.as_deref().unwrap_or("card")
        ));
    }
    text
}

fn registers(variant: &VariantData) -> String {
    match (&variant.registers, &variant.registers_unknown) {
        (Some(registers), _) => {
            let spilled = match registers.spill_bytes {
                0 => "nothing is spilled".to_owned(),
                bytes => format!("{bytes} bytes of spills"),
            };
            let stack = match registers.stack_bytes {
                0 => String::new(),
                bytes => format!(", {bytes} bytes of stack"),
            };
            format!("{} per thread, {spilled}{stack}", registers.per_thread)
        }
        (None, Some(reason)) => {
            let first = reason.lines().next().unwrap_or_default();
            format!("not known, and so no occupancy: {first}")
        }
        (None, None) => "not known".to_owned(),
    }
}

fn shared(variant: &VariantData) -> String {
    let memory = match variant.shared_bytes {
        0 => "none".to_owned(),
        shared => format!("{} per program", bytes(shared.into())),
    };
    match variant.barriers {
        0 => format!("{memory}, no barriers"),
        barriers => format!("{memory}, {}", count(barriers.into(), "barrier")),
    }
}

fn occupancy(variant: &VariantData) -> Option<String> {
    let occupancy = variant.occupancy.as_ref()?;
    if occupancy.programs == 0 {
        return Some("not a single program fits a multiprocessor".to_owned());
    }
    let names: Vec<&str> = occupancy
        .limited_by
        .iter()
        .map(|limit| limit.name())
        .collect();
    let mut limits = occupancy.limits.clone();
    limits.sort_by_key(|(_, programs)| *programs);
    let limits: Vec<String> = limits
        .iter()
        .map(|(limit, programs)| format!("{} {programs}", limit.name()))
        .collect();
    Some(format!(
        "{} on a multiprocessor, {} of {} warps ({:.0} %), limited by {}\nprograms that would fit: {}",
        count(occupancy.programs.into(), "program"),
        occupancy.warps,
        occupancy.of_warps,
        100.0 * f64::from(occupancy.warps) / f64::from(occupancy.of_warps.max(1)),
        and(&names),
        limits.join(", ")
    ))
}

fn amounts(amounts: &Amounts) -> String {
    let all = amounts.all_operations();
    let mut parts: Vec<String> = (all > 0).then(|| operations(all)).into_iter().collect();
    for (moved, how) in [
        (amounts.loaded_bytes, "loaded"),
        (amounts.stored_bytes, "stored"),
    ] {
        if moved > 0 {
            parts.push(format!("{} {how}", bytes(moved)));
        }
    }
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    and(&parts)
}

pub(super) fn line_of(loops: &[LoopData], index: usize) -> String {
    let place = loops.get(index).and_then(|data| data.place);
    place.map_or_else(
        || "a loop".to_owned(),
        |place| format!("the loop in line {}", place.line),
    )
}

fn work(variant: &VariantData) -> Option<String> {
    let work = &variant.work;
    if let Some(program) = &work.program {
        return Some(format!("{} per program", amounts(program)));
    }
    let mut lines: Vec<String> = work
        .rounds
        .iter()
        .map(|round| {
            let of_loop = line_of(&variant.loops, round.of_loop);
            format!("{} per iteration of {of_loop}", amounts(&round.amounts))
        })
        .collect();
    if work.once != Amounts::default() {
        lines.push(format!("{} per program besides", amounts(&work.once)));
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// What limits a kernel that does all else right: of the whole call, where it is known.
fn bound(explanation: &Explanation, variant: &VariantData) -> Option<String> {
    let roofline = variant.work.roofline.as_ref()?;
    let card = explanation.target.card.as_deref()?;
    let arithmetic = roofline.arithmetic.map_or("", |kind| kind.name());
    let by = |bound| match bound {
        Bound::Memory => "by memory".to_owned(),
        Bound::Compute => format!("by arithmetic ({arithmetic})"),
    };
    let what = match roofline.of_loop {
        Some(index) => format!("an iteration of {}", line_of(&variant.loops, index)),
        None => "a program".to_owned(),
    };
    let position = match roofline.arithmetic {
        Some(_) => format!(
            "{what} does {:.1} operations per byte; an {card} does {:.1} ({arithmetic}) while it moves one",
            roofline.intensity, roofline.ridge
        ),
        None => format!("{what} only moves bytes"),
    };
    let Some(call) = &roofline.call else {
        return Some(format!("{}: {position}", by(roofline.bound)));
    };
    let arithmetic = match call.operations {
        0 => String::new(),
        all => format!("{} for ", operations(all)),
    };
    let mut text = format!(
        "{}: {arithmetic}{} of tensors, at least {:.2} µs on an {card}\n{position}",
        by(call.bound),
        bytes(call.least_bytes),
        call.memory_us.max(call.compute_us),
    );
    if call.moved_bytes > 2 * call.least_bytes {
        text.push_str(&format!(
            "\nprograms ask for {} together: caches must give what several of them read",
            bytes(call.moved_bytes)
        ));
    }
    Some(text)
}
