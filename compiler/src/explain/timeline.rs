//! What happens in an iteration of a loop whose products overlap: as data, and as a picture.

use std::fmt::Write as _;

use super::data::{SpanData, TimelineData, UnitData};
use super::place;
use super::words::grouped;
use crate::passes::{LoopOrder, drawing, summary};
use crate::source::SourceMap;
use crate::target::machine::Unit;

/// Of a loop, if it has an estimate.
pub fn of(sources: &SourceMap, order: &LoopOrder) -> Option<TimelineData> {
    let candidates = order.candidates();
    let estimate = order.chosen(&candidates)?;
    let busy = Unit::ALL.into_iter().zip(estimate.busy);
    let spans = estimate.spans.iter().map(|span| {
        let (what, node) = span.activity.named();
        let product = node.and_then(|node| order.operations.get(node));
        SpanData {
            warpgroup: span.warpgroup as u32,
            what,
            product: product.and_then(|(_, span)| place(sources, *span)),
            begin: span.begin.round() as u32,
            end: span.end.round() as u32,
        }
    });
    Some(TimelineData {
        place: place(sources, order.span),
        summary: summary(estimate),
        clocks: estimate.clocks,
        warpgroups: estimate.resident.count() as u32,
        producers: estimate.resident.producers() as u32,
        busy: busy
            .map(|(unit, clocks)| UnitData {
                unit: unit.name(),
                clocks,
            })
            .collect(),
        others: order.others(&candidates, sources),
        spans: spans.collect(),
        drawn: drawing(estimate),
    })
}

impl TimelineData {
    /// As a picture.
    #[must_use]
    pub fn picture(&self) -> String {
        const WIDTH: f64 = 560.0;
        const LEFT: f64 = 92.0;
        const LINE: f64 = 20.0;
        let x = |clock: u32| LEFT + f64::from(clock) / f64::from(self.clocks.max(1)) * WIDTH;
        let lines = 1 + self.warpgroups + self.producers;
        let height = f64::from(lines) * LINE;
        let mut svg = format!(
            "<figure><figcaption>{}</figcaption><svg width=\"{}\" height=\"{}\" role=\"img\">",
            self.summary,
            LEFT + WIDTH + 8.0,
            height + 18.0
        );
        let products: Vec<_> = {
            let mut all: Vec<_> = self.spans.iter().filter_map(|span| span.product).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        for line in 0..lines {
            let name = match line {
                0 => "tensor cores".to_owned(),
                line if line > self.warpgroups => "producer".to_owned(),
                line => format!("warpgroup {}", line - 1),
            };
            let y = f64::from(line) * LINE + 13.0;
            let _ = write!(svg, "<text x=\"0\" y=\"{y}\">{name}</text>");
        }
        for span in &self.spans {
            let number = products
                .iter()
                .position(|product| Some(*product) == span.product);
            // Products differ in shade, those of tensor cores from what warpgroups do in colour.
            let fill = match (span.what, number.unwrap_or(0) % 2) {
                ("tensor", 0) => "var(--accent)",
                ("tensor", _) => "color-mix(in oklab, var(--accent) 60%, var(--card))",
                ("work", _) => "var(--soft)",
                ("start", _) => "color-mix(in oklab, var(--accent) 35%, var(--card))",
                _ => "var(--line)",
            };
            let line = if span.what == "tensor" {
                0
            } else {
                1 + span.warpgroup
            };
            let title = match span.product {
                Some(product) => format!("{} of the product in line {}", span.what, product.line),
                None => span.what.to_owned(),
            };
            let _ = write!(
                svg,
                "<rect x=\"{:.1}\" y=\"{}\" width=\"{:.1}\" height=\"14\" style=\"fill: {fill}\"><title>warpgroup {}: {title}, clocks {} to {}</title></rect>",
                x(span.begin),
                f64::from(line) * LINE + 2.0,
                (x(span.end) - x(span.begin)).max(0.5),
                span.warpgroup,
                span.begin,
                span.end
            );
        }
        let _ = writeln!(
            svg,
            "<text x=\"{LEFT}\" y=\"{y}\">0</text><text x=\"{}\" y=\"{y}\" text-anchor=\"end\">{} clocks</text></svg></figure>",
            LEFT + WIDTH,
            grouped(self.clocks.into()),
            y = height + 14.0
        );
        svg
    }
}
