//! The names that a launch binds: sizes, named strides and integer arguments.

use std::collections::BTreeMap;

use super::{Bound, LaunchError, TensorFact};
use crate::manifest::{Dimension, Parameter, Stride};
use crate::tensor::dense_strides;

/// Values by name, with where each came from (for the message when two disagree).
#[derive(Default)]
pub(super) struct Sizes(BTreeMap<String, (i64, Bound)>);

impl Sizes {
    pub(super) fn get(&self, name: &str) -> Option<i64> {
        self.0.get(name).map(|(value, _)| *value)
    }

    /// The sizes of these names; those that have none are left out.
    pub(super) fn of_names<'a>(
        &self,
        names: impl Iterator<Item = &'a String>,
    ) -> BTreeMap<String, i64> {
        names
            .filter_map(|name| Some((name.clone(), self.get(name)?)))
            .collect()
    }

    pub(super) fn into_values(self) -> BTreeMap<String, i64> {
        let values = self.0.into_iter();
        values.map(|(name, (value, _))| (name, value)).collect()
    }

    /// Gives a name its value, which must be the value it has if it has one.
    pub(super) fn bind(&mut self, name: &str, value: i64, bound: Bound) -> Result<(), LaunchError> {
        match self.0.get(name) {
            Some((known, first)) if *known != value => Err(LaunchError::Disagree {
                name: name.to_owned(),
                value: *known,
                bound: Box::new(first.clone()),
                other_value: value,
                other: Box::new(bound),
            }),
            Some(_) => Ok(()),
            None => {
                self.0.insert(name.to_owned(), (value, bound));
                Ok(())
            }
        }
    }

    /// Checks rank, sizes and strides of a tensor argument and binds their names. A bare pointer
    /// takes a tensor of any shape.
    pub(super) fn bind_tensor(
        &mut self,
        parameter: &Parameter,
        fact: &TensorFact<'_>,
    ) -> Result<(), LaunchError> {
        let Parameter::Tensor {
            name,
            dimensions,
            strides,
            ..
        } = parameter
        else {
            return Ok(());
        };
        if dimensions.len() != fact.shape.len() {
            return Err(LaunchError::Rank {
                parameter: parameter.to_string(),
                name: name.clone(),
                shape: fact.shape.to_vec(),
            });
        }
        for (dimension, (wanted, &size)) in dimensions.iter().zip(fact.shape).enumerate() {
            let Ok(value) = i32::try_from(size) else {
                return Err(LaunchError::SizeLimit {
                    name: name.clone(),
                    dimension,
                    size,
                });
            };
            match wanted {
                Dimension::Fixed(fixed) if *fixed != size as u64 => {
                    return Err(LaunchError::FixedSize {
                        parameter: parameter.to_string(),
                        name: name.clone(),
                        dimension,
                        shape: fact.shape.to_vec(),
                    });
                }
                Dimension::Fixed(_) => {}
                Dimension::Named(size_name) => {
                    let bound = Bound::Size {
                        of: name.clone(),
                        dimension,
                        shape: fact.shape.to_vec(),
                    };
                    self.bind(size_name, i64::from(value), bound)?;
                }
            }
        }
        self.bind_strides(parameter, name, strides, fact)
    }

    fn bind_strides(
        &mut self,
        parameter: &Parameter,
        name: &str,
        wanted: &[Stride],
        fact: &TensorFact<'_>,
    ) -> Result<(), LaunchError> {
        let expected = dense_strides(fact.shape);
        let empty = fact.shape.contains(&0);
        for (dimension, (wanted, &stride)) in wanted.iter().zip(fact.strides).enumerate() {
            // A stride that is never taken may be anything.
            let taken = fact.shape[dimension] > 1 && !empty;
            match wanted {
                Stride::Dense if taken && stride != expected[dimension] => {
                    return Err(LaunchError::NotDense {
                        parameter: parameter.to_string(),
                        name: name.to_owned(),
                        shape: fact.shape.to_vec(),
                        strides: fact.strides.to_vec(),
                        expected,
                    });
                }
                Stride::Fixed(fixed) if taken && stride != *fixed => {
                    return Err(LaunchError::FixedStride {
                        parameter: parameter.to_string(),
                        name: name.to_owned(),
                        dimension,
                        strides: fact.strides.to_vec(),
                    });
                }
                Stride::Dense | Stride::Fixed(_) | Stride::Free => {}
                Stride::Named(stride_name) => {
                    let bound = Bound::Stride {
                        of: name.to_owned(),
                        dimension,
                        strides: fact.strides.to_vec(),
                    };
                    self.bind(stride_name, stride, bound)?;
                }
            }
        }
        Ok(())
    }
}
