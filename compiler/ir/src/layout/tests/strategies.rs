//! Random layouts, and the slow and obvious ways to ask about them.

use crate::layout::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Sizes with a fair share of powers of two.
fn size() -> impl Strategy<Value = u64> {
    prop_oneof![prop::sample::select(vec![1u64, 2, 4, 8, 16, 32]), 1u64..=40]
}

pub fn shape() -> impl Strategy<Value = Vec<u64>> {
    prop_oneof![
        prop::collection::vec(size(), 1..=3),
        prop::collection::vec(prop::sample::select(vec![1u64, 2, 3, 4, 8]), 4..=5),
    ]
}

/// A layout of this shape whose bits go anywhere: with replication, repetition and XORed
/// coordinates. `mixing` says how many vectors are XORed into others.
pub fn layout_of(
    shape: Vec<u64>,
    warp_bits: usize,
    mixing: usize,
) -> impl Strategy<Value = Layout> {
    let rank = shape.len();
    let block = shape
        .iter()
        .map(|size| 0..=linear::bits_for(*size).min(4))
        .collect::<Vec<_>>();
    block.prop_flat_map(move |block| {
        let mut bases: Vec<Basis> = Vec::new();
        for (axis, bits) in block.iter().enumerate() {
            for bit in 0..*bits {
                let mut basis = vec![0; rank];
                basis[axis] = 1 << bit;
                bases.push(basis);
            }
        }
        let total = (5 + warp_bits + 1).max(bases.len());
        bases.resize(total, vec![0; rank]);
        let pairs = prop::collection::vec((0..total, 0..total), 0..=mixing);
        let shape = shape.clone();
        (Just(bases).prop_shuffle(), pairs).prop_map(move |(mut bases, pairs)| {
            for (from, into) in pairs {
                if from != into {
                    let source = bases[from].clone();
                    bases[into]
                        .iter_mut()
                        .zip(source)
                        .for_each(|(step, other)| *step ^= other);
                }
            }
            let registers = bases.split_off(5 + warp_bits);
            let warps = bases.split_off(5);
            Layout::new(shape.clone(), registers, bases, warps).expect("mixing keeps the span")
        })
    })
}

pub fn layout() -> impl Strategy<Value = Layout> {
    (shape(), 0usize..=2, 0usize..=3).prop_flat_map(|(shape, warps, mixing)| {
        let layout = layout_of(shape, warps, mixing);
        layout.prop_map(move |layout| match mixing {
            0 => fewer_warps([layout.clone()]).map_or(layout, |[layout]| layout),
            _ => layout,
        })
    })
}

/// The layouts for three warps instead of four, if what the fourth holds is padding or copies in all of them.
pub fn fewer_warps<const COUNT: usize>(layouts: [Layout; COUNT]) -> Option<[Layout; COUNT]> {
    let fewer = layouts.map(|layout| match layout.warp_count() {
        4 => layout.with_warp_count(3),
        _ => Err(LayoutError::Holes),
    });
    let fewer: Result<Vec<_>, _> = fewer.into_iter().collect();
    fewer.ok()?.try_into().ok()
}

pub fn registers(layout: &Layout) -> impl Iterator<Item = usize> + use<> {
    0..layout.register_count()
}

pub fn threads(layout: &Layout) -> impl Iterator<Item = (Lane, Warp)> + use<> {
    let warps = layout.warp_count();
    (0..warps).flat_map(|warp| (0..32).map(move |lane| (Lane(lane), Warp(warp))))
}

/// Every element inside the shape with all its places.
pub fn places(layout: &Layout) -> BTreeMap<Vec<u64>, Vec<(usize, Lane, Warp)>> {
    let mut places: BTreeMap<Vec<u64>, Vec<_>> = BTreeMap::new();
    for (lane, warp) in threads(layout) {
        for register in registers(layout) {
            let coordinates = layout.coordinates(Register(register), lane, warp);
            if is_inside(&coordinates, layout.shape()) {
                places
                    .entry(coordinates)
                    .or_default()
                    .push((register, lane, warp));
            }
        }
    }
    places
}

pub fn is_inside(coordinates: &[u64], shape: &[u64]) -> bool {
    coordinates
        .iter()
        .zip(shape)
        .all(|(coordinate, size)| coordinate < size)
}

/// All layouts' registers by the coordinates of one thread.
pub fn held(layout: &Layout, lane: Lane, warp: Warp) -> Vec<Vec<u64>> {
    registers(layout)
        .map(|register| layout.coordinates(Register(register), lane, warp))
        .collect()
}
