//! NumPy's rule for two shapes: aligned at the last dimension, sizes are equal or one of them is 1.

/// The common shape, or the position from the end of the first dimension that has none.
pub(super) fn common(left: &[u64], right: &[u64]) -> Result<Vec<u64>, usize> {
    let rank = left.len().max(right.len());
    let mut shape = Vec::with_capacity(rank);
    for from_end in (0..rank).rev() {
        let size = |shape: &[u64]| {
            shape
                .len()
                .checked_sub(from_end + 1)
                .and_then(|at| shape.get(at))
                .copied()
                .unwrap_or(1)
        };
        match (size(left), size(right)) {
            (left, right) if left == right => shape.push(left),
            (1, size) | (size, 1) => shape.push(size),
            _ => return Err(from_end),
        }
    }
    Ok(shape)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ones_and_missing_dimensions_stretch() {
        assert_eq!(common(&[], &[4]), Ok(vec![4]));
        assert_eq!(common(&[4, 1], &[8]), Ok(vec![4, 8]));
        assert_eq!(common(&[4, 1], &[1, 8]), Ok(vec![4, 8]));
        assert_eq!(common(&[2, 4], &[3, 4]), Err(1));
        assert_eq!(common(&[4], &[8]), Err(0));
    }
}
