//! How values relate: what all comparisons are made of.

use std::marker::PhantomData;

use half::{bf16, f16};

use super::element::{Element, Packed};
use super::float::flushed;
use super::half::Half;
use super::lanes::test;
use crate::simulator::registers::{Mask, Registers, Slot};

/// What has an order.
pub(super) trait Ordered: Copy {
    type As: PartialOrd;
    /// Whether two values may be in no order.
    const NAN: bool;

    /// The same number of a type that the CPU compares.
    fn ordered<const FTZ: bool>(self) -> Self::As;
}

macro_rules! ordered {
    ($($type:ty as $as:ty, $nan:literal: $value:ident => $ordered:expr;)*) => {$(
        impl Ordered for $type {
            type As = $as;
            const NAN: bool = $nan;

            #[inline(always)]
            fn ordered<const FTZ: bool>(self) -> $as {
                let $value = self;
                $ordered
            }
        }
    )*};
}
ordered! {
    u16 as u16, false: value => value;
    u32 as u32, false: value => value;
    u64 as u64, false: value => value;
    i16 as i16, false: value => value;
    i32 as i32, false: value => value;
    i64 as i64, false: value => value;
    f16 as f32, true: value => flushed::<FTZ, f16>(value).wide();
    bf16 as f32, true: value => value.wide();
    f32 as f32, true: value => flushed::<FTZ, f32>(value);
    f64 as f64, true: value => value;
}

/// What can be compared in a register: its value, or one of two values.
pub(super) trait Comparable {
    type Of: Ordered;
    type In: Element;

    fn pick(value: Self::In) -> Self::Of;
}

impl<T: Element + Ordered> Comparable for T {
    type Of = T;
    type In = T;

    #[inline(always)]
    fn pick(value: T) -> T {
        value
    }
}

/// The low half of a pair.
pub(super) struct Low<P>(PhantomData<P>);

/// The high half of a pair.
pub(super) struct High<P>(PhantomData<P>);

impl<P: Packed<Of: Ordered>> Comparable for Low<P> {
    type Of = P::Of;
    type In = P;

    #[inline(always)]
    fn pick(value: P) -> P::Of {
        value.halves()[0]
    }
}

impl<P: Packed<Of: Ordered>> Comparable for High<P> {
    type Of = P::Of;
    type In = P;

    #[inline(always)]
    fn pick(value: P) -> P::Of {
        value.halves()[1]
    }
}

/// How two registers relate, lane by lane. All comparisons are made of four loops per type.
pub(super) struct Relations<'r, T, const FTZ: bool> {
    registers: &'r Registers,
    a: Slot,
    b: Slot,
    of: PhantomData<T>,
}

impl<'r, T: Comparable, const FTZ: bool> Relations<'r, T, FTZ> {
    pub fn new(registers: &'r Registers, a: Slot, b: Slot) -> Self {
        Self {
            registers,
            a,
            b,
            of: PhantomData,
        }
    }

    #[inline(always)]
    fn lanes(
        &self,
        slots: [Slot; 2],
        holds: impl Fn(<T::Of as Ordered>::As, <T::Of as Ordered>::As) -> bool,
    ) -> Mask {
        test(self.registers, slots, |a: T::In, b: T::In| {
            holds(T::pick(a).ordered::<FTZ>(), T::pick(b).ordered::<FTZ>())
        })
    }

    #[inline(never)]
    fn less_of(&self, slots: [Slot; 2]) -> Mask {
        self.lanes(slots, |a, b| a < b)
    }

    #[inline(never)]
    fn at_most_of(&self, slots: [Slot; 2]) -> Mask {
        self.lanes(slots, |a, b| a <= b)
    }

    fn less(&self) -> Mask {
        self.less_of([self.a, self.b])
    }

    fn greater(&self) -> Mask {
        self.less_of([self.b, self.a])
    }

    fn at_most(&self) -> Mask {
        if T::Of::NAN {
            self.at_most_of([self.a, self.b])
        } else {
            !self.greater()
        }
    }

    fn at_least(&self) -> Mask {
        if T::Of::NAN {
            self.at_most_of([self.b, self.a])
        } else {
            !self.less()
        }
    }

    #[inline(never)]
    fn equal(&self) -> Mask {
        self.lanes([self.a, self.b], |a, b| a == b)
    }

    #[inline(never)]
    fn unordered(&self) -> Mask {
        #[allow(clippy::eq_op)] // a number equals itself, a NaN does not
        self.lanes([self.a, self.b], |a, b| a != a || b != b)
    }
}

/// A comparison.
pub(super) trait Comparison {
    fn holds<T: Comparable, const FTZ: bool>(of: &Relations<T, FTZ>) -> Mask;
}

macro_rules! comparisons {
    ($($name:ident: $of:ident => $holds:expr;)*) => {$(
        pub(super) struct $name;

        impl Comparison for $name {
            fn holds<T: Comparable, const FTZ: bool>($of: &Relations<T, FTZ>) -> Mask {
                $holds
            }
        }
    )*};
}
comparisons! {
    Eq: of => of.equal();
    Ne: of => if T::Of::NAN { !of.equal() & !of.unordered() } else { !of.equal() };
    Lt: of => of.less();
    Le: of => of.at_most();
    Gt: of => of.greater();
    Ge: of => of.at_least();
    Equ: of => of.equal() | of.unordered();
    Neu: of => !of.equal();
    Ltu: of => !of.at_least();
    Leu: of => !of.greater();
    Gtu: of => !of.at_most();
    Geu: of => !of.less();
    Num: of => !of.unordered();
    Nan: of => of.unordered();
}
