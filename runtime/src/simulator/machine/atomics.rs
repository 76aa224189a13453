//! What atomics do to a value (PTX ISA, "atom").

use half::{bf16, f16};

use crate::simulator::program::op::{Atomic, AtomicElement, AtomicOperation};

impl Atomic {
    /// The value afterwards. `second` is the new value of a compare-and-swap.
    #[must_use]
    #[allow(clippy::cast_possible_truncation)] // values are as wide as the element
    pub fn apply(&self, old: u64, value: u64, second: u64) -> u64 {
        use AtomicElement as E;
        use AtomicOperation as O;
        let bits = self.access.bytes * 8;
        let all = u64::MAX >> (64 - bits);
        let signed = |value: u64| (value << (64 - bits)).cast_signed() >> (64 - bits);
        let result = match (self.operation, self.element) {
            (O::And, _) => old & value,
            (O::Or, _) => old | value,
            (O::Xor, _) => old ^ value,
            (O::Exchange, _) => value,
            (O::CompareAndSwap, _) if old == value & all => second,
            (O::CompareAndSwap, _) => old,
            (O::Increment, _) if old >= value & all => 0,
            (O::Increment, _) => old + 1,
            (O::Decrement, _) if old == 0 || old > value & all => value,
            (O::Decrement, _) => old - 1,
            (operation, E::Unsigned | E::Bits) => match operation {
                O::Min => old.min(value & all),
                O::Max => old.max(value & all),
                _ => old.wrapping_add(value),
            },
            (operation, E::Signed) => match operation {
                O::Min => signed(old).min(signed(value)).cast_unsigned(),
                O::Max => signed(old).max(signed(value)).cast_unsigned(),
                _ => old.wrapping_add(value),
            },
            (operation, E::F32) => {
                let [a, b] = [old, value].map(|bits| f32::from_bits(bits as u32));
                u64::from(
                    float(operation, a.into(), b.into(), f64::from(a + b))
                        .1
                        .to_bits(),
                )
            }
            (operation, E::F64) => {
                let [a, b] = [old, value].map(f64::from_bits);
                float(operation, a, b, a + b).0.to_bits()
            }
            (operation, E::F16 | E::F16x2) => halves(old, value, bits, |a, b| {
                let [a, b] = [a, b].map(|bits| f16::from_bits(bits).to_f64());
                f16::from_f64(float(operation, a, b, a + b).0).to_bits()
            }),
            (operation, E::Bf16 | E::Bf16x2) => halves(old, value, bits, |a, b| {
                let [a, b] = [a, b].map(|bits| bf16::from_bits(bits).to_f64());
                bf16::from_f64(float(operation, a, b, a + b).0).to_bits()
            }),
        };
        result & all
    }
}

/// Sum, minimum or maximum; as f64 and as f32. NaN gives way to numbers.
#[allow(clippy::cast_possible_truncation)] // what an f32 can hold
fn float(operation: AtomicOperation, a: f64, b: f64, sum: f64) -> (f64, f32) {
    let result = match operation {
        AtomicOperation::Min => a.min(b),
        AtomicOperation::Max => a.max(b),
        _ => sum,
    };
    (result, result as f32)
}

/// Applies a function to one or two values of 16 bits.
#[allow(clippy::cast_possible_truncation)] // the halves
fn halves(a: u64, b: u64, bits: u32, f: impl Fn(u16, u16) -> u16) -> u64 {
    let low = f(a as u16, b as u16);
    let high = if bits == 32 {
        f((a >> 16) as u16, (b >> 16) as u16)
    } else {
        0
    };
    u64::from(high) << 16 | u64::from(low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulator::program::op::{Access, Order, Space};

    fn atomic(operation: AtomicOperation, element: AtomicElement, bytes: u32) -> Atomic {
        Atomic {
            access: Access {
                space: Space::Global,
                offset: 0,
                wide_base: true,
                bytes,
                count: 1,
                signed: false,
                wide_registers: bytes == 8,
                narrow_registers: bytes == 2,
                order: Order::Relaxed,
                scope: crate::simulator::program::op::Scope::Device,
            },
            operation,
            element,
            returns: true,
        }
    }

    #[test]
    fn values_stay_within_their_width() {
        use AtomicElement::{F16x2, F32, Signed, Unsigned};
        use AtomicOperation::{Add, CompareAndSwap, Decrement, Increment, Min};
        assert_eq!(atomic(Add, Unsigned, 4).apply(0xffff_ffff, 2, 0), 1);
        assert_eq!(atomic(Min, Signed, 4).apply(5, 0xffff_ffff, 0), 0xffff_ffff);
        assert_eq!(atomic(Min, Unsigned, 4).apply(5, 0xffff_ffff, 0), 5);
        assert_eq!(atomic(Increment, Unsigned, 4).apply(7, 7, 0), 0);
        assert_eq!(atomic(Decrement, Unsigned, 4).apply(0, 7, 0), 7);
        assert_eq!(atomic(CompareAndSwap, Unsigned, 4).apply(3, 3, 9), 9);
        assert_eq!(atomic(CompareAndSwap, Unsigned, 4).apply(4, 3, 9), 4);
        let f = |x: f32| u64::from(x.to_bits());
        assert_eq!(atomic(Add, F32, 4).apply(f(1.5), f(2.0), 0), f(3.5));
        assert_eq!(
            atomic(Add, F16x2, 4).apply(0x3c00_4000, 0x4000_3c00, 0),
            0x4200_4200
        );
    }
}
