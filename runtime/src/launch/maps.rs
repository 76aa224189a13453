//! Tensor maps: what a launch makes of the wishes in a manifest and of its arguments.
//!
//! The rules are those of `cuTensorMapEncodeTiled`. A tensor that breaks one has no map, and a variant
//! that needs the map is not chosen.

use std::collections::BTreeMap;

use super::TensorFact;
use super::sizes::Sizes;
use crate::element::ElementType;
use crate::manifest::{SizeExpr, TensorMap, Variant};

/// Bytes of a map in a parameter buffer, and what their place is a multiple of.
pub const MAP_BYTES: usize = 128;
/// See [`MAP_BYTES`].
pub const MAP_ALIGNMENT: usize = 64;

/// The most elements of a box along a dimension.
const LARGEST_BOX: u32 = 256;
/// What strides are less than, in bytes.
const STRIDE_LIMIT: u64 = 1 << 40;
/// What addresses and strides are multiples of, in bytes.
const PITCH: u64 = 16;

/// All that a device must know to encode a map.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MapValue {
    /// The type of an element.
    pub element: ElementType,
    /// The address of the first element.
    pub address: u64,
    /// Sizes in elements, innermost first.
    pub sizes: Vec<u64>,
    /// Strides in bytes of all dimensions but the innermost, innermost first.
    pub strides: Vec<u64>,
    /// Sizes of a box, innermost first.
    pub tile: Vec<u32>,
    /// Bytes of the swizzle: 0, 32, 64 or 128.
    pub swizzle: u32,
}

impl MapValue {
    /// The map of an argument, or why there is none.
    pub(super) fn new(
        map: &TensorMap,
        fact: &TensorFact<'_>,
        known: &Sizes,
    ) -> Result<Self, String> {
        let number = |of: &SizeExpr| {
            let value = of.evaluate(&|name| known.get(name));
            value.map_err(|error| error.to_string())
        };
        let each = map.dimensions.iter();
        let sizes: Vec<_> = each
            .clone()
            .map(|one| number(&one.size))
            .collect::<Result<_, _>>()?;
        let strides: Vec<_> = each
            .map(|one| number(&one.stride))
            .collect::<Result<_, _>>()?;
        // What is not there has no box either.
        let sizes: Vec<_> = sizes
            .into_iter()
            .map(|size| usize::try_from(size).unwrap_or(0))
            .collect();
        let fact = match map.dimensions.is_empty() {
            true => *fact,
            false => TensorFact {
                shape: &sizes,
                strides: &strides,
                ..*fact
            },
        };
        let rank = fact.shape.len();
        if rank != map.tile.len() || !(1..=5).contains(&rank) {
            return Err(format!("it has rank {rank}"));
        }
        let bytes = u64::from(fact.element.bytes());
        // A pointer may be to nothing, where the kernel does not look at it.
        if fact.address == 0 || !fact.address.is_multiple_of(PITCH) {
            return Err(format!("its address is {:#x}", fact.address));
        }
        if let Some(dimension) = fact.shape.iter().position(|size| *size == 0) {
            return Err(format!("its size in dimension {dimension} is 0"));
        }
        if fact.strides[rank - 1] != 1 {
            return Err(format!("its last stride is {}", fact.strides[rank - 1]));
        }
        let mut strides = Vec::with_capacity(rank - 1);
        for (dimension, stride) in fact.strides[..rank - 1].iter().enumerate().rev() {
            let pitch = u64::try_from(*stride)
                .ok()
                .and_then(|s| s.checked_mul(bytes));
            match pitch {
                Some(pitch) if pitch.is_multiple_of(PITCH) && pitch < STRIDE_LIMIT => {
                    strides.push(pitch);
                }
                _ => return Err(format!("its stride in dimension {dimension} is {stride}")),
            }
        }
        if map
            .tile
            .iter()
            .any(|size| !(1..=LARGEST_BOX).contains(size))
        {
            return Err("the box is too large".to_owned());
        }
        Ok(Self {
            element: fact.element,
            address: fact.address,
            sizes: fact.shape.iter().rev().map(|size| *size as u64).collect(),
            strides,
            tile: map.tile.iter().rev().copied().collect(),
            swizzle: map.swizzle,
        })
    }
}

/// The maps of a variant, or what it relies on in words and what was found instead.
pub(super) fn of(
    variant: &Variant,
    tensors: &BTreeMap<&str, TensorFact<'_>>,
    sizes: &Sizes,
) -> Result<Vec<MapValue>, (String, String)> {
    let one = |map: &TensorMap| {
        let failed = |found| (format!("`{}` can be copied in boxes by TMA", map.of), found);
        let Some(fact) = tensors.get(map.of.as_str()) else {
            return Err(failed("it is not an argument".to_owned()));
        };
        MapValue::new(map, fact, sizes).map_err(failed)
    };
    variant.maps.iter().map(one).collect()
}
