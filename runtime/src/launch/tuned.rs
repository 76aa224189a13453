//! Variants that were measured to be the fastest for some sizes: which are to be tried first.
//!
//! What a launch computes does not depend on it: all variants compute the same.

use std::collections::BTreeMap;

use super::sizes::Sizes;
use crate::manifest::{Kernel, Tuned};

/// How far apart two problems are: the sum over all sizes of `|ln(one / other)|`, in which numbers below 1 count as 1.
/// Infinite if their sizes have other names.
#[must_use]
pub fn distance(one: &BTreeMap<String, i64>, other: &BTreeMap<String, i64>) -> f64 {
    if !one.keys().eq(other.keys()) {
        return f64::INFINITY;
    }
    let logarithm = |size: &i64| (*size.max(&1) as f64).ln();
    let pairs = one.values().zip(other.values());
    pairs
        .map(|(one, other)| (logarithm(one) - logarithm(other)).abs())
        .sum()
}

/// The variants in the order in which they are tried: by the nearest sizes that each was measured with, those that
/// were not measured last; of equals those that are for few launches first, else in the order of the manifest.
pub(super) fn order(kernel: &Kernel, sizes: &Sizes) -> Vec<usize> {
    let of = |tuned: &Tuned| {
        let measured = tuned.sizes.iter().filter(|known| {
            let same = |(name, size): (&String, &i64)| sizes.get(name) == Some(*size);
            !tuned.exact || known.iter().all(same)
        });
        measured
            .map(|known| distance(known, &sizes.of_names(known.keys())))
            .fold(f64::INFINITY, f64::min)
    };
    let variants = kernel.variants.iter().enumerate();
    let mut order: Vec<(f64, bool, usize)> = variants
        .filter_map(|(index, variant)| match &variant.tuned {
            None => Some((f64::INFINITY, !variant.narrow, index)),
            Some(tuned) => Some((of(tuned), !variant.narrow, index))
                // What is compiled for the defaults is right for all sizes.
                .filter(|(distance, ..)| distance.is_finite() || tuned.generics.is_empty()),
        })
        .collect();
    order.sort_by(|one, other| {
        let rest = |of: &(f64, bool, usize)| (of.1, of.2);
        one.0.total_cmp(&other.0).then(rest(one).cmp(&rest(other)))
    });
    order.into_iter().map(|(.., index)| index).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(list: &[(&str, i64)]) -> BTreeMap<String, i64> {
        let list = list.iter();
        list.map(|(name, size)| ((*name).to_owned(), *size))
            .collect()
    }

    #[test]
    fn problems_are_as_far_apart_as_their_sizes_are_times_each_other() {
        let square = sizes(&[("m", 1024), ("n", 1024)]);
        let near = |list: &[(&str, i64)]| distance(&square, &sizes(list));
        assert_eq!(near(&[("m", 1024), ("n", 1024)]), 0.0);
        assert_eq!(
            near(&[("m", 512), ("n", 1024)]),
            near(&[("m", 1024), ("n", 2048)])
        );
        assert!(near(&[("m", 512), ("n", 2048)]) > near(&[("m", 1024), ("n", 2100)]));
        assert!(near(&[("m", 0), ("n", -5)]).is_finite());
        assert_eq!(near(&[("m", 1024)]), f64::INFINITY);
        assert_eq!(near(&[("m", 1024), ("k", 1024)]), f64::INFINITY);
    }
}
