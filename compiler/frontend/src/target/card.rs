//! What a card can do in a second: the lines of a roofline.
//!
//! Numbers are NVIDIA's data sheets' for one card of an architecture, dense (not sparse) products, at
//! boost clock. They are what nothing goes beyond, not what a kernel reaches.

use super::Target;

/// A kind of arithmetic with a peak of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Arithmetic {
    /// Products of `f16` and `bf16` on tensor cores.
    TensorHalf,
    /// Products of `tf32` on tensor cores.
    TensorTf32,
    /// Products of `i8` on tensor cores.
    TensorInt8,
    /// All other arithmetic in `f32` and less; a fused multiply-add counts twice.
    Single,
    /// Arithmetic in `f64`, without tensor cores.
    Double,
}

impl Arithmetic {
    /// In words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::TensorHalf => "tensor cores, f16",
            Self::TensorTf32 => "tensor cores, tf32",
            Self::TensorInt8 => "tensor cores, i8",
            Self::Single => "f32",
            Self::Double => "f64",
        }
    }
}

/// A card.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Card {
    /// Its name.
    pub name: &'static str,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Bytes per second from memory.
    pub bytes_per_second: f64,
    /// Operations per second.
    peaks: [f64; 5],
}

impl Card {
    /// Operations per second of a kind.
    #[must_use]
    pub const fn peak(&self, arithmetic: Arithmetic) -> f64 {
        self.peaks[arithmetic as usize]
    }

    /// The card whose numbers stand for a target; `None` where no one card does.
    #[must_use]
    pub fn of(target: &Target) -> Option<Self> {
        let card = |name, multiprocessors, gigabytes: f64, peaks: [f64; 5]| Self {
            name,
            multiprocessors,
            bytes_per_second: gigabytes * 1e9,
            peaks: peaks.map(|tera| tera * 1e12),
        };
        match target.capability() {
            80 => Some(card(
                "A100 SXM 80 GB",
                108,
                2039.0,
                [312.0, 156.0, 624.0, 19.5, 9.7],
            )),
            90 => Some(card(
                "H200 SXM",
                132,
                4800.0,
                [989.5, 494.7, 1979.0, 66.9, 33.5],
            )),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tensor_cores_are_the_faster_the_fewer_bits_they_multiply() {
        for name in ["sm_80", "sm_90a"] {
            let card = Card::of(Target::named(name).expect(name)).expect(name);
            let [half, tf32, int8, single] = [
                Arithmetic::TensorHalf,
                Arithmetic::TensorTf32,
                Arithmetic::TensorInt8,
                Arithmetic::Single,
            ]
            .map(|kind| card.peak(kind));
            assert!(int8 > half && half > tf32 && tf32 > single, "{name}");
        }
        let unknown = Target::named("sm_120").expect("a target");
        assert_eq!(Card::of(unknown), None);
    }
}
