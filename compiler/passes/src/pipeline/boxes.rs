//! Copies of whole boxes by TMA: which loads can be, and what tensor maps they need.

use std::cell::RefCell;

use serde::{Deserialize, Serialize};
use tile_runtime::manifest::MapDimension;

use crate::dialect::ops::Load;
use crate::dialect::{BOX, DIMENSIONS, kinds};
use crate::facts::FactAnalysis;
use crate::ir::{Operation, TileType, Value, ints_attribute, text_attribute};
use crate::layout::SharedLayout;
use crate::writes::parameter;
use crate::{PassContext, begins_at_pieces};

/// The attribute of a function with its tensor maps: JSON of a list of [`Map`]s.
pub const MAPS: &str = "tile.maps";

/// The most elements of a box along a dimension: PTX ISA, "Tensors".
const LARGEST_BOX: u64 = 256;

/// What an address must be a multiple of, in bytes.
const ADDRESS_BYTES: i64 = 16;

/// A tensor map.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Map {
    /// The function's parameter with the tensor's address.
    pub parameter: usize,
    /// Bytes of the swizzle.
    pub swizzle: u32,
    /// The sizes of the box, outermost first.
    pub tile: Vec<u32>,
    /// The dimensions of what a pointer points to; those of a tensor a launch knows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dimensions: Vec<MapDimension>,
}

impl Map {
    /// All maps as the attribute has them.
    pub fn write(maps: &[Self]) -> String {
        serde_json::to_string(maps).expect("numbers and names have a text")
    }

    /// The maps of a function.
    #[must_use]
    pub fn read(function: Operation<'_>) -> Vec<Self> {
        let text = text_attribute(function, MAPS);
        text.and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_default()
    }
}

/// The dimensions of what an access through a pointer reads or writes; none for one through a tensor.
pub fn dimensions_of(access: Operation<'_>) -> Vec<MapDimension> {
    let text = text_attribute(access, DIMENSIONS);
    text.and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or_default()
}

/// How TMA copies what a load reads.
#[derive(Clone)]
pub struct BoxCopy<'c> {
    /// The number of the map.
    pub map: usize,
    /// Where the box begins, outermost first.
    pub starts: Vec<Value<'c>>,
    /// Instructions: one for each panel of the buffer.
    pub panels: u64,
    /// Elements from panel to panel in the tensor, and bytes in the buffer.
    pub panel: u64,
    pub bytes: u64,
    /// Bytes that arrive in all.
    pub expected: u64,
}

/// How one program of a pair copies its half of what both read.
#[derive(Clone, Copy)]
pub struct Half {
    /// The number of the map.
    pub map: usize,
    /// Instructions.
    pub panels: u64,
    /// Which start moves from one half to the next, by how much, and how many bytes that is in the buffer.
    pub axis: usize,
    pub step: u64,
    pub bytes: u64,
}

/// What a place in shared memory must be a multiple of that TMA copies to, in bytes: PTX ISA, "Tensors".
const PLACE_BYTES: u64 = 128;

/// Rows that a swizzle permutes together.
const PATTERN_ROWS: u32 = 8;

impl<'c> BoxCopy<'c> {
    /// The halves of a box: half of its panels each, or half of the rows. A map for these is added if
    /// need be.
    pub fn half(&self, load: Load<'c>, maps: &RefCell<&mut Vec<Map>>) -> Option<Half> {
        if self.panels.is_multiple_of(2) {
            let panels = self.panels / 2;
            return Some(Half {
                map: self.map,
                panels,
                axis: self.starts.len() - 1,
                step: panels * self.panel,
                bytes: panels * self.bytes,
            });
        }
        if ints_attribute(load.0, BOX).is_some() {
            return None;
        }
        let kinds = ints_attribute(load.0, "kinds")?;
        let axis = kinds.iter().position(|kind| *kind == kinds::RANGE)?;
        let mut maps = maps.borrow_mut();
        let mut map = maps.get(self.map)?.clone();
        let rows = map.tile[axis] / 2;
        if axis + 1 >= kinds.len() || map.tile[axis] % 2 != 0 || rows % PATTERN_ROWS != 0 {
            return None;
        }
        map.tile[axis] = rows;
        let bytes = u64::from(rows) * u64::from(map.swizzle);
        maps.push(map);
        Some(Half {
            map: maps.len() - 1,
            panels: self.panels,
            axis,
            step: rows.into(),
            bytes,
        })
    }

    /// How to copy a load to a buffer of this layout; `None` where TMA cannot. That the tensor suits TMA
    /// is checked at launch: another variant runs if it does not.
    pub fn find(
        cx: &PassContext<'_, 'c>,
        function: Operation<'c>,
        facts: &FactAnalysis<'c>,
        load: Load<'c>,
        layout: &SharedLayout,
        maps: &RefCell<Vec<Map>>,
    ) -> Option<Self> {
        let starts = load.starts();
        let kinds = ints_attribute(load.0, "kinds")?;
        let bytes = layout.element_bytes();
        if !cx.target.has_tensor_copies
            || starts.len() != kinds.len()
            || !begins_at_pieces(facts, &starts, bytes)
        {
            return None;
        }
        let parameter = parameter(load.pointers())?;
        let aligned = ints_attribute(function, crate::dialect::DIVISIBILITY)?;
        if *aligned.get(parameter)? < ADDRESS_BYTES {
            return None;
        }
        let shape = TileType::of(load.result())?.shape();
        let panels = match *shape.as_slice() {
            // TMA copies a row as it lies, which a buffer that threads write to need not have.
            [columns] if layout.is_in_a_row() => Panels::of_row(facts, load, columns, bytes)?,
            [rows, columns] => Panels::of_rows(layout, rows, columns)?,
            _ => return None,
        };
        let mut sizes = panels.sizes.clone();
        if let Some(of_box) = ints_attribute(load.0, BOX) {
            // The rows of a panel are those of several dimensions, one after the other.
            let columns = sizes.last().copied().unwrap_or(1);
            let rows = of_box.split_last().map_or(&[][..], |(_, rows)| rows);
            sizes = rows.iter().map(|size| *size as u64).collect();
            sizes.push(columns);
        }
        let mut sizes = sizes.into_iter();
        let tile = kinds.iter().map(|kind| match *kind {
            kinds::RANGE => sizes.next().map(|size| size as u32),
            _ => Some(1),
        });
        let map = Map {
            parameter,
            swizzle: panels.swizzle as u32,
            tile: tile.collect::<Option<_>>()?,
            dimensions: dimensions_of(load.0),
        };
        let mut maps = maps.borrow_mut();
        let known = maps.iter().position(|other| *other == map);
        let number = known.unwrap_or_else(|| {
            maps.push(map);
            maps.len() - 1
        });
        Some(Self {
            map: number,
            starts,
            panels: panels.count,
            panel: panels.sizes.last().copied().unwrap_or(1),
            bytes: panels.bytes,
            expected: panels.arriving(bytes),
        })
    }
}

/// The boxes that a tile is copied in, side by side.
struct Panels {
    count: u64,
    /// Of one, outermost first: rows and columns, or columns alone.
    sizes: Vec<u64>,
    /// Bytes of the swizzle.
    swizzle: u64,
    /// Bytes from one to the next in shared memory.
    bytes: u64,
}

impl Panels {
    fn of_rows(layout: &SharedLayout, rows: u64, columns: u64) -> Option<Self> {
        let row_bytes = layout.swizzled_row_bytes()?;
        if layout.order() != [1, 0] || rows > LARGEST_BOX {
            return None;
        }
        let panel = row_bytes / layout.element_bytes();
        let count = columns.div_ceil(panel);
        // TMA swizzles by the address: a panel behind another begins with a whole pattern.
        if count > 1 && !rows.is_multiple_of(PATTERN_ROWS.into()) {
            return None;
        }
        Some(Self {
            count,
            sizes: vec![rows, panel],
            swizzle: row_bytes,
            bytes: layout.panel_bytes().unwrap_or(0),
        })
    }

    /// One row lies as it is. That it begins at a multiple of 16 bytes must be known: of matrices a launch may ask for it, as
    /// without it nothing is fast, but for a row threads copy what they need of it.
    fn of_row<'c>(
        facts: &FactAnalysis<'c>,
        load: Load<'c>,
        columns: u64,
        bytes: u64,
    ) -> Option<Self> {
        let first = facts.of(load.pointers()).byte_divisor_at(0, columns, bytes);
        let panel = columns.min(LARGEST_BOX);
        let is_whole = columns.is_multiple_of(panel) && (panel * bytes).is_multiple_of(PLACE_BYTES);
        (is_whole && first >= ADDRESS_BYTES as u64).then(|| Self {
            count: columns / panel,
            sizes: vec![panel],
            swizzle: 0,
            bytes: panel * bytes,
        })
    }

    /// Bytes that arrive.
    fn arriving(&self, element_bytes: u64) -> u64 {
        self.count * self.sizes.iter().product::<u64>() * element_bytes
    }
}
