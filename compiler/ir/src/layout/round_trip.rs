//! The shared memory layout that makes a conversion through shared memory cheapest.
//!
//! There are few enough sensible layouts to try them all: which dimension lies side by side, which
//! swizzle, or else which padding of the rows. Swizzles that permute more than 128 bytes are not
//! tried, because the banks repeat every 128 bytes.

use super::distributed::Layout;
use super::shared::{SharedLayout, Swizzle};

impl SharedLayout {
    /// The layout through which a tile in layout `from` gets into layout `to` in the fewest issue
    /// slots and wavefronts; among equals the smallest, then the one without a swizzle.
    ///
    /// It stores the padding of both, so that neither needs predicates.
    ///
    /// # Panics
    /// If the tiles have different shapes, or an element is not 1, 2, 4, 8 or 16 bytes.
    pub fn for_round_trip(from: &Layout, to: &Layout, element_bytes: u64) -> SharedLayout {
        assert!(from.shape() == to.shape(), "a conversion keeps the shape");
        let shape: Vec<u64> = from
            .covered()
            .iter()
            .zip(to.covered())
            .map(|(a, b)| (*a).max(b))
            .collect();
        // Bits combined by XOR need strides that are powers of two; rounding up is always possible.
        let rounded: Vec<u64> = shape.iter().map(|size| size.next_power_of_two()).collect();
        let best = |shape: &[u64]| {
            let usable = candidates(shape, element_bytes).filter_map(|shared| {
                let cost = shared.bank_conflicts(from)?.cost() + shared.bank_conflicts(to)?.cost();
                Some((
                    cost,
                    shared.size_bytes(),
                    shared.swizzle().max_phase,
                    shared,
                ))
            });
            usable.min().map(|(.., shared)| shared)
        };
        best(&shape)
            .or_else(|| best(&rounded))
            .expect("a layout whose strides are powers of two can be accessed")
    }
}

/// The layouts worth trying for a tile of this shape.
fn candidates(shape: &[u64], element_bytes: u64) -> impl Iterator<Item = SharedLayout> {
    let widest = (16 / element_bytes).trailing_zeros();
    orders(shape).into_iter().flat_map(move |order| {
        let row = order.first().map_or(1, |axis| shape[*axis]);
        let plain = SharedLayout::new(shape, &order, element_bytes, Swizzle::NONE);
        let padded = (0..=widest).map(|bits| plain.clone().with_row_padding(1 << bits));
        // Chunks wider than an access pay off too: four lanes of a fragment fill 32 bytes of a row.
        let swizzled = (0..=widest + 2).flat_map(|bits| {
            let vector = 1u64 << bits;
            let phases = 128 / (vector * element_bytes);
            let sizes = (1..=phases.trailing_zeros()).map(|bits| 1u64 << bits);
            sizes
                .take_while(move |phases| vector * phases < 2 * row)
                .flat_map(move |max_phase| {
                    (0..=3).map(move |bits| Swizzle {
                        vector,
                        per_phase: 1 << bits,
                        max_phase,
                    })
                })
        });
        let pitch = match shape.iter().product::<u64>() == row {
            // All banks once.
            true => (128 / element_bytes).min(row),
            false => row,
        };
        let swizzled = swizzled.map(|swizzle| {
            let layout = SharedLayout::new(shape, &order, element_bytes, swizzle);
            match pitch < row && row.is_multiple_of(pitch) {
                true => layout.with_row_pitch(pitch),
                false => layout,
            }
        });
        std::iter::once(plain.clone())
            .chain(padded)
            .chain(swizzled)
            .collect::<Vec<_>>()
    })
}

/// Each dimension in turn side by side, the others after it from last to first.
fn orders(shape: &[u64]) -> Vec<Vec<usize>> {
    let axes = || (0..shape.len()).rev();
    let wide = axes().filter(|axis| shape[*axis] > 1);
    let mut orders: Vec<Vec<usize>> = wide
        .map(|fast| {
            std::iter::once(fast)
                .chain(axes().filter(|axis| *axis != fast))
                .collect()
        })
        .collect();
    if orders.is_empty() {
        orders.push(axes().collect());
    }
    orders
}
