//! Linear algebra over F2, on vectors packed into the bits of a `u64`.

/// A subspace of F2^64, given by the vectors inserted so far, which remembers how each of its
/// elements is made of them.
///
/// Vectors inserted earlier are preferred: an element is expressed by the first vectors that span
/// it, and a vector that its predecessors already span is never used.
#[derive(Clone, Debug, Default)]
pub struct Span {
    /// Vectors with pairwise different leading bits, highest first, each with the set of inserted
    /// vectors (bit i: the i-th) whose XOR it is.
    rows: Vec<(u64, u64)>,
    inserted: u32,
}

impl Span {
    /// The span of `vectors`, of which there are at most 64.
    pub fn of(vectors: impl IntoIterator<Item = u64>) -> Span {
        let mut span = Span::default();
        for vector in vectors {
            span.insert(vector);
        }
        span
    }

    /// Adds a vector; false when the span had it already.
    pub fn insert(&mut self, vector: u64) -> bool {
        assert!(self.inserted < 64, "a span remembers at most 64 vectors");
        let (rest, combination) = self.reduce(vector);
        let own = 1u64 << self.inserted;
        self.inserted += 1;
        if rest == 0 {
            return false;
        }
        let position = self.rows.partition_point(|(row, _)| *row > rest);
        self.rows.insert(position, (rest, combination ^ own));
        true
    }

    /// The number of independent vectors.
    pub fn dimension(&self) -> usize {
        self.rows.len()
    }

    /// Whether the vector is an XOR of inserted ones.
    pub fn contains(&self, vector: u64) -> bool {
        self.reduce(vector).0 == 0
    }

    /// The inserted vectors (bit i: the i-th) whose XOR is `vector`, or `None` if there are none.
    pub fn express(&self, vector: u64) -> Option<u64> {
        let (rest, combination) = self.reduce(vector);
        (rest == 0).then_some(combination)
    }

    /// The largest value of `offset ^ v` for `v` in the span.
    pub fn largest(&self, offset: u64) -> u64 {
        self.rows
            .iter()
            .fold(offset, |value, (row, _)| value.max(value ^ row))
    }

    /// The smallest value of `offset ^ v` for `v` in the span.
    pub fn smallest(&self, offset: u64) -> u64 {
        self.reduce(offset).0
    }

    /// What is left of the vector when all leading bits of the rows are cleared, and the inserted
    /// vectors that were XORed into it on the way.
    fn reduce(&self, vector: u64) -> (u64, u64) {
        self.rows
            .iter()
            .fold((vector, 0), |(value, used), (row, combination)| {
                if value ^ row < value {
                    (value ^ row, used ^ combination)
                } else {
                    (value, used)
                }
            })
    }
}

/// The value at `input` of the linear map whose value at bit i is `columns[i]`.
pub fn apply(columns: &[u64], input: u64) -> u64 {
    columns
        .iter()
        .enumerate()
        .filter(|(bit, _)| input >> bit & 1 == 1)
        .fold(0, |value, (_, column)| value ^ column)
}

/// How many bits it takes to number `count` things: the logarithm of `count`, rounded up.
pub fn bits_for(count: u64) -> u32 {
    count.next_power_of_two().trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_expresses_its_elements_by_the_first_vectors_that_reach_them() {
        let span = Span::of([0b011, 0b110, 0b101, 0b1000]);
        assert_eq!(span.dimension(), 3);
        assert_eq!(span.express(0b101), Some(0b0011));
        assert_eq!(span.express(0b1011), Some(0b1001));
        assert_eq!(span.express(0b001), None);
        assert_eq!(span.largest(0), 0b1110);
        assert_eq!(span.smallest(0b1111), 0b001);
    }

    #[test]
    fn numbering_one_thing_takes_no_bit() {
        assert_eq!([1, 2, 3, 4, 5].map(bits_for), [0, 1, 2, 2, 3]);
    }
}
