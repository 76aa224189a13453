//! Rounding modes (PTX ISA, 9.7.3 and 9.7.9, `.rnd`).

/// How a number that a format does not have becomes one that it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// To the nearest, ties to even: `.rn`.
    Nearest,
    /// To the nearest, ties away from zero: `.rna`.
    NearestAway,
    /// Towards zero: `.rz`.
    Zero,
    /// Towards negative infinity: `.rm`.
    Down,
    /// Towards positive infinity: `.rp`.
    Up,
}

/// A rounding mode as a type, for functions that are compiled once per mode.
pub(super) trait Rounding {
    const MODE: Mode;
    const NEAREST: bool = matches!(Self::MODE, Mode::Nearest);
}

macro_rules! modes {
    ($($name:ident)*) => {$(
        pub(super) struct $name;

        impl Rounding for $name {
            const MODE: Mode = Mode::$name;
        }
    )*};
}
modes!(Nearest Zero Down Up);
