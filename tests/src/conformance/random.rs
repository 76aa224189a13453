//! Philox 4x32 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011), from the paper.

/// The first two of the four words for the counter `offset` and the key `seed`.
#[must_use]
pub fn philox(seed: u64, offset: u64, rounds: u32) -> [u32; 2] {
    let mut key = [seed as u32, (seed >> 32) as u32];
    let mut words = [offset as u32, (offset >> 32) as u32, 0, 0];
    for _ in 0..rounds {
        let product = |factor: u32, word: u32| u64::from(factor) * u64::from(word);
        let (first, third) = (
            product(0xD251_1F53, words[0]),
            product(0xCD9E_8D57, words[2]),
        );
        let high = |product: u64| (product >> 32) as u32;
        words = [
            high(third) ^ words[1] ^ key[0],
            third as u32,
            high(first) ^ words[3] ^ key[1],
            first as u32,
        ];
        key = [
            key[0].wrapping_add(0x9E37_79B9),
            key[1].wrapping_add(0xBB67_AE85),
        ];
    }
    [words[0], words[1]]
}

/// A number from 0 to below 1: the word as a signed one, complemented if it is negative, over 2³¹,
/// in `f32`.
#[must_use]
pub fn uniform(word: u32) -> f32 {
    let signed = word as i32;
    let positive = if signed < 0 { !signed } else { signed };
    positive as f32 * 4.656_612_7e-10
}

/// A number of the normal distribution (Box and Muller).
#[must_use]
pub fn normal([first, second]: [u32; 2]) -> f64 {
    let radius = (-2.0 * f64::from(uniform(first).max(1e-7)).ln()).sqrt();
    radius * (std::f64::consts::TAU * f64::from(uniform(second))).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_known_answers_of_the_authors() {
        assert_eq!(philox(0, 0, 10), [0x6627_e8d5, 0xe169_c58d]);
    }
}
