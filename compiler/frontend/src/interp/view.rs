//! Views: which elements of a tensor a region covers, and where they lie in memory.

use crate::typed::{Bounds, View, ViewIndex};

use super::fault::{Access, ElementFault, Fault};
use super::memory::Region;
use super::program::{Outcome, Program};
use super::value::Address;

/// Where an element of a view lies.
#[derive(Clone, Copy)]
enum Place {
    /// This far from the start of the tensor, in elements.
    Inside(i64),
    /// Out of bounds.
    Outside { dimension: usize, position: i64 },
}

impl Program<'_, '_> {
    /// The address of every element of a view, in row-major order; `None` where it is out of bounds.
    pub(super) fn view(
        &mut self,
        view: &View,
        bounds: Bounds,
        access: Access,
    ) -> Outcome<Vec<Option<Address>>> {
        let mut positions = Vec::new();
        for index in &view.indices {
            positions.push(match index {
                ViewIndex::At(position) => vec![self.integer(position)?],
                ViewIndex::Range { start, width } => {
                    let start = self.integer(start)?;
                    (0..i128::from(*width))
                        .map(|number| start + number)
                        .collect()
                }
                ViewIndex::Gather(positions) => {
                    let tile = self.evaluate(positions)?;
                    tile.integers()
                        .map_err(|fault| self.error(positions.span, fault))?
                }
            });
        }
        let region = self.memory.region(view.tensor);
        region
            .map_err(ElementFault::from)
            .and_then(|region| addresses(region, view.tensor, &positions, bounds, access))
            .map_err(|fault| self.error_in(view.span, fault, &view.shape()))
    }
}

/// The cross product of the positions along each dimension.
fn addresses(
    region: &Region,
    parameter: usize,
    positions: &[Vec<i128>],
    bounds: Bounds,
    access: Access,
) -> Result<Vec<Option<Address>>, ElementFault> {
    if positions.len() != region.sizes.len() {
        return Err(Fault::Malformed("a view of another rank than its tensor").into());
    }
    let mut places = vec![Place::Inside(0)];
    for (dimension, positions) in positions.iter().enumerate() {
        let (size, stride) = (region.sizes[dimension], region.strides[dimension]);
        let step = |place, position: i128| match place {
            Place::Inside(offset) if (0..i128::from(size)).contains(&position) => {
                // Wraps only where the strides reach outside any buffer.
                Place::Inside(offset.wrapping_add((position as i64).wrapping_mul(stride)))
            }
            // An i64 start plus a width leaves i64 only at its very end.
            Place::Inside(_) => Place::Outside {
                dimension,
                position: i64::try_from(position).unwrap_or(i64::MAX),
            },
            Place::Outside { .. } => place,
        };
        places = places
            .into_iter()
            .flat_map(|place| positions.iter().map(move |position| step(place, *position)))
            .collect();
    }
    let resolve = |(number, place)| match place {
        Place::Inside(offset) => Ok(Some(Address {
            parameter: Some(parameter),
            offset: offset.wrapping_mul(i64::from(region.element.bytes())),
        })),
        Place::Outside { .. } if bounds == Bounds::Checked => Ok(None),
        Place::Outside {
            dimension,
            position,
        } => Err(Fault::BrokenBounds {
            access,
            tensor: region.name.clone(),
            dimension,
            position,
            size: region.sizes[dimension],
        }
        .at(number)),
    };
    places.into_iter().enumerate().map(resolve).collect()
}
