//! Loads that are only for some iterations: as there may be nothing to load in the others, nothing is.

use melior::ir::{Attribute, ValueLike};

use crate::build::Rebuilder;
use crate::dialect::WINDOW;
use crate::dialect::ops::Load;
use crate::ir::{TileType, Value, attributes};

/// Builds a load that reads only where `exists` holds. `more` are attributes besides its own.
pub fn load_if<'c>(
    to: &mut Rebuilder<'c>,
    load: Load<'c>,
    exists: Value<'c>,
    more: &[(&'c str, Attribute<'c>)],
) -> Value<'c> {
    let pointers = to.one(load.pointers());
    let exists = match TileType::of(pointers) {
        Some(tile) => {
            let ty = tile.with_element(exists.r#type()).ty();
            to.builder.value("tile.splat", &[exists], &[], ty)
        }
        None => exists,
    };
    let mask = match load.mask() {
        Some(mask) => {
            let mask = to.one(mask);
            to.builder.and(mask, exists)
        }
        None => exists,
    };
    let mut list = vec![pointers, mask];
    list.extend(load.other().map(|other| to.one(other)));
    // Where a tensor's box starts is for copies by TMA only.
    let segments = [1, 1, i32::from(load.other().is_some()), 0, 0];
    let mut all = attributes(load.0);
    // Without places it is not known which others it overlaps.
    all.retain(|(name, _)| !["operandSegmentSizes", "kinds", WINDOW].contains(name));
    all.push(("operandSegmentSizes", to.builder.ints32(&segments)));
    all.extend(more);
    let ty = load.result().r#type();
    to.builder.value("tile.load", &list, &all, ty)
}
