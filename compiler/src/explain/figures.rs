//! The figures of a page: how full a multiprocessor is, and the roofline.

use std::fmt::Write as _;

use super::data::{OccupancyData, RooflineData};

/// Side of a warp's square, and the distance to the next.
const SQUARE: u32 = 13;

/// Warps in a row.
const COLUMNS: u32 = 16;

/// A square for every place of a warp; those of one program have one colour.
#[must_use]
pub fn occupancy(data: &OccupancyData, warps: u32) -> String {
    let rows = data.of_warps.div_ceil(COLUMNS);
    let mut svg = format!(
        "<figure><figcaption>warps of a multiprocessor: {} of {}</figcaption><svg width=\"{}\" height=\"{}\" role=\"img\">",
        data.warps,
        data.of_warps,
        COLUMNS * SQUARE,
        rows * SQUARE
    );
    for place in 0..data.of_warps {
        let (x, y) = (place % COLUMNS * SQUARE, place / COLUMNS * SQUARE);
        let fill = if place < data.warps {
            // Programs alternate, so that each can be seen.
            let program = place / warps.max(1);
            [
                "var(--accent)",
                "color-mix(in oklab, var(--accent) 60%, var(--card))",
            ][program as usize % 2]
        } else {
            "var(--line)"
        };
        let _ = write!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"11\" height=\"11\" rx=\"2\" style=\"fill: {fill}\"/>"
        );
    }
    svg.push_str("</svg></figure>\n");
    svg
}

/// Width and height of the roofline's area.
const AREA: [f64; 2] = [230.0, 96.0];

/// Operations per byte at the left and right ends.
const RANGE: [f64; 2] = [0.0625, 4096.0];

/// The part of the peak that can be reached at each intensity, both on logarithmic scales, and where
/// the kernel stands.
#[must_use]
pub fn roofline(data: &RooflineData) -> String {
    let [width, height] = AREA;
    let x = |intensity: f64| {
        let part =
            (intensity.clamp(RANGE[0], RANGE[1]) / RANGE[0]).ln() / (RANGE[1] / RANGE[0]).ln();
        30.0 + part * width
    };
    // Three decades below the peak.
    let y = |part: f64| 8.0 - part.clamp(1e-3, 1.0).log10() / 3.0 * height;
    let ridge = data.ridge.max(RANGE[0]);
    let lowest = RANGE[0].max(ridge * 1e-3);
    let part = (data.intensity / ridge).min(1.0);
    let (at_x, at_y) = (x(data.intensity), y(part));
    let bottom = 8.0 + height;
    let kind = data.arithmetic.map_or("arithmetic", |kind| kind.name());
    format!(
        "<figure><figcaption>roofline ({kind}): {:.1} operations per byte</figcaption>\
         <svg width=\"{}\" height=\"{}\" role=\"img\">\
         <path d=\"M30 8V{bottom}H{right}\" style=\"fill: none; stroke: var(--line)\"/>\
         <path d=\"M{:.1} {:.1}L{:.1} 8H{right}\" style=\"fill: none; stroke: var(--soft); stroke-width: 1.5\"/>\
         <path d=\"M{at_x:.1} {at_y:.1}V{bottom}\" style=\"stroke: var(--accent); stroke-dasharray: 2 3\"/>\
         <circle cx=\"{at_x:.1}\" cy=\"{at_y:.1}\" r=\"5\" style=\"fill: var(--accent)\"/>\
         <text x=\"0\" y=\"12\">peak</text><text x=\"30\" y=\"{below}\">{:.2}</text>\
         <text x=\"{:.1}\" y=\"{below}\" text-anchor=\"middle\">{:.0}</text>\
         <text x=\"{right}\" y=\"{below}\" text-anchor=\"end\">{:.0}</text></svg></figure>\n",
        data.intensity,
        width + 40.0,
        height + 26.0,
        x(lowest),
        y(lowest / ridge),
        x(ridge),
        RANGE[0],
        x(ridge),
        data.ridge,
        RANGE[1],
        right = 30.0 + width,
        below = bottom + 14.0,
    )
}
