//! What there is to say at places of the source: a sentence or two per operation, and the remarks, those
//! of one place together.

use std::collections::BTreeMap;

use super::data::{
    AccessData, ExchangeData, LayoutData, LoopData, Pattern, Place, ProductData, ReductionData,
    RemarkData, Repeat, TimelineData, VariantData,
};
use super::words::{bytes, count, grouped, line_of, operations};

/// What there is to say at a place.
struct Note {
    /// Where.
    place: Option<Place>,
    /// In a few words.
    title: String,
    /// What stands beside the mark.
    label: Option<String>,
    /// More.
    details: Vec<String>,
}

/// All there is to say at one place.
#[derive(Default)]
pub struct AtPlace<'a> {
    /// In a few words; empty if there are remarks only.
    pub title: String,
    /// What stands beside the mark.
    pub label: String,
    /// More.
    pub details: Vec<String>,
    /// Decisions and lost opportunities.
    pub remarks: Vec<&'a RemarkData>,
    /// What happens in an iteration of the loop.
    pub timelines: Vec<&'a TimelineData>,
}

/// What there is to say of a variant, in the order of the source; what has no place comes last.
#[must_use]
pub fn by_place(variant: &VariantData) -> Vec<(Option<Place>, AtPlace<'_>)> {
    let mut places: BTreeMap<Option<Place>, AtPlace<'_>> = BTreeMap::new();
    let add = |text: &mut String, more: &str| {
        if !text.is_empty() && !more.is_empty() {
            text.push_str("; ");
        }
        text.push_str(more);
    };
    for note in at_places(variant) {
        let at = places.entry(note.place).or_default();
        add(&mut at.title, &note.title);
        add(&mut at.label, note.label.as_deref().unwrap_or_default());
        at.details.extend(note.details);
    }
    for remark in &variant.remarks {
        let remarks = &mut places.entry(remark.place).or_default().remarks;
        if !remarks.contains(&remark) {
            remarks.push(remark);
        }
    }
    for timeline in &variant.timelines {
        places
            .entry(timeline.place)
            .or_default()
            .timelines
            .push(timeline);
    }
    let nowhere = places.remove(&None);
    let last = nowhere.map(|at| (None, at));
    places.into_iter().chain(last).collect()
}

/// What there is to say of each operation, in order.
fn at_places(variant: &VariantData) -> Vec<Note> {
    let loops = &variant.loops;
    let accesses = variant
        .accesses
        .iter()
        .map(|access| of_access(access, loops));
    let products = variant
        .products
        .iter()
        .map(|product| of_product(product, loops));
    let reductions = variant.reductions.iter().map(of_reduction);
    let exchanges = exchanges(&variant.exchanges);
    let timelines = variant.timelines.iter().map(of_timeline);
    let all = accesses
        .chain(products)
        .chain(reductions)
        .chain(exchanges)
        .chain(timelines);
    let mut list: Vec<Note> = all.collect();
    list.sort_by_key(|note| note.place);
    list
}

fn of_timeline(timeline: &TimelineData) -> Note {
    let mut details = vec![timeline.summary.clone()];
    details.extend(timeline.others.iter().cloned());
    Note {
        place: timeline.place,
        title: String::new(),
        label: None,
        details,
    }
}

fn times(repeat: Repeat, loops: &[LoopData]) -> String {
    match (repeat.times, repeat.of_loop) {
        (Some(1), _) | (None, None) => String::new(),
        (Some(times), _) => format!(", {} times per program", grouped(times)),
        (None, Some(index)) => format!(", in each iteration of {}", line_of(loops, index)),
    }
}

fn of_access(access: &AccessData, loops: &[LoopData]) -> Note {
    let tensor = access.tensor.as_deref();
    let of = match (access.kind, tensor) {
        ("store", Some(tensor)) => format!(" to `{tensor}`"),
        ("atomic", Some(tensor)) => format!(" on `{tensor}`"),
        (_, Some(tensor)) => format!(" of `{tensor}`"),
        (_, None) => String::new(),
    };
    let kind = access.kind;
    if access.pattern == Pattern::Single {
        let note = format!("{kind}{of}: a single {}", access.element);
        return Note {
            place: access.place,
            title: note + &times(access.repeat, loops),
            label: None,
            details: Vec::new(),
        };
    }
    if access.pattern == Pattern::Boxes {
        let sectors = count(access.sectors, "sector");
        return Note {
            place: access.place,
            title: format!("{kind}{of}: by TMA, in boxes, to shared memory"),
            label: Some(format!(
                "{} of {sectors}",
                count(access.requests, "copy").replace("copys", "copies")
            )),
            details: vec![format!(
                "{}{}",
                bytes(access.bytes),
                times(access.repeat, loops)
            )],
        };
    }
    let pattern = match access.pattern {
        Pattern::Single | Pattern::Boxes | Pattern::Uniform => "all lanes the same",
        Pattern::Coalesced => "coalesced",
        Pattern::Strided => "strided",
        Pattern::Scattered => "scattered",
    };
    let masked = if access.masked { ", masked" } else { "" };
    let hints = match access.hints.as_str() {
        "" => String::new(),
        hints => format!(", {hints}"),
    };
    let by = access
        .by
        .map_or_else(String::new, |by| format!(", by {by} to shared memory"));
    let at_most = if access.sectors_at_most > access.sectors {
        format!(
            " (up to {} where rows begin inside of one)",
            access.sectors_at_most
        )
    } else {
        String::new()
    };
    let vector = match access.vector {
        1 => format!("{} bytes", access.vector_bytes),
        vector => format!(
            "{} bytes ({vector} × {})",
            access.vector_bytes, access.element
        ),
    };
    let label = format!(
        "{} of {}{at_most}, {:.0} % of use",
        count(access.requests, "request"),
        count(access.sectors, "sector"),
        100.0 * access.efficiency,
    );
    Note {
        place: access.place,
        title: format!("{kind}{of}: {vector} per lane, {pattern}{masked}{hints}{by}"),
        label: Some(label),
        details: match times(access.repeat, loops).as_str() {
            "" => vec![format!("{} per program", bytes(access.bytes))],
            often => vec![format!("{}{often}", bytes(access.bytes))],
        },
    }
}

fn of_product(product: &ProductData, loops: &[LoopData]) -> Note {
    let ProductData { m, n, k, .. } = product;
    Note {
        place: product.place,
        title: format!(
            "product {m} × {n} × {k} of {}, sums in {}",
            product.factor, product.sum
        ),
        label: Some(operations(product.operations) + &times(product.repeat, loops)),
        details: Vec::new(),
    }
}

fn of_reduction(reduction: &ReductionData) -> Note {
    let mut steps = Vec::new();
    if reduction.in_registers > 1 {
        steps.push(format!(
            "{} elements in each thread",
            reduction.in_registers
        ));
    }
    let mut across = Vec::new();
    if reduction.shuffles > 0 {
        across.push(count(reduction.shuffles.into(), "shuffle"));
    }
    if reduction.warps > 1 {
        across.push(format!("{} warps through shared memory", reduction.warps));
    }
    if let Some(first) = across.first_mut().filter(|_| reduction.behind_loop) {
        first.insert_str(0, "behind the loop ");
    }
    steps.extend(across);
    let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    let sizes: Vec<String> = reduction.shape.iter().map(u64::to_string).collect();
    Note {
        place: reduction.place,
        title: format!(
            "combines [{}] along dimension {}: {}",
            sizes.join(", "),
            reduction.axis,
            if steps.is_empty() {
                "one element".to_owned()
            } else {
                steps.join(", then ")
            }
        ),
        label: None,
        details: Vec::new(),
    }
}

/// Tiles that go through shared memory, those of one place together.
fn exchanges(list: &[ExchangeData]) -> Vec<Note> {
    let mut notes: Vec<Note> = Vec::new();
    for exchange in list {
        let sizes: Vec<String> = exchange.shape.iter().map(u64::to_string).collect();
        let verb = if exchange.kind == "store" {
            "written to"
        } else {
            "read from"
        };
        let conflicts = if exchange.wavefronts > exchange.ideal_wavefronts {
            format!(
                "{} passes each instead of {}",
                exchange.wavefronts, exchange.ideal_wavefronts
            )
        } else {
            "without bank conflicts".to_owned()
        };
        let details = format!(
            "a tile of [{}] {} is {verb} shared memory: {} per warp, {conflicts}",
            sizes.join(", "),
            exchange.element,
            count(exchange.accesses, "access").replace("accesss", "accesses"),
        );
        match notes.last_mut() {
            Some(note) if note.place == exchange.place => note.details.push(details),
            _ => notes.push(Note {
                place: exchange.place,
                title: "goes through shared memory".to_owned(),
                label: None,
                details: vec![details],
            }),
        }
    }
    for note in &mut notes {
        note.details.dedup();
    }
    notes
}

/// A layout in words.
#[must_use]
pub fn layout(layout: &LayoutData) -> String {
    let dimensions: Vec<String> = match layout.words.as_slice() {
        [only] => vec![only.clone()],
        several => several
            .iter()
            .enumerate()
            .rev()
            .map(|(axis, words)| format!("dimension {axis}: {words}"))
            .collect(),
    };
    let copies = match layout.copies {
        1 => String::new(),
        copies => format!("; each in {copies} threads"),
    };
    format!("{}{copies}", dimensions.join("; "))
}
