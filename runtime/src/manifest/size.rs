//! Integer expressions of the manifest: grids.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::numeric::divide_up;

/// An integer expression over size names, scalar integer parameters and constants. 64-bit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SizeExpr {
    /// A constant.
    Const(i64),
    /// A size bound by a tensor, or a scalar integer parameter.
    Name(String),
    /// `a + b`
    Add(Box<SizeExpr>, Box<SizeExpr>),
    /// `a - b`
    Sub(Box<SizeExpr>, Box<SizeExpr>),
    /// `a * b`
    Mul(Box<SizeExpr>, Box<SizeExpr>),
    /// `a / b`, rounded to zero.
    Div(Box<SizeExpr>, Box<SizeExpr>),
    /// `a % b`, of the sign of `a`.
    Rem(Box<SizeExpr>, Box<SizeExpr>),
    /// `a / b`, rounded up.
    CeilDiv(Box<SizeExpr>, Box<SizeExpr>),
    /// The smaller.
    Min(Box<SizeExpr>, Box<SizeExpr>),
    /// The larger.
    Max(Box<SizeExpr>, Box<SizeExpr>),
}

/// Why a [`SizeExpr`] has no value. The messages quote the expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SizeError {
    /// A name that the lookup does not know.
    #[error("`{name}` in `{expression}` has no value")]
    UnknownName {
        /// The name.
        name: String,
        /// The whole expression.
        expression: String,
    },
    /// The value does not fit 64 bits.
    #[error("`{part}` overflows 64 bits in `{expression}`")]
    Overflow {
        /// The operation that overflows.
        part: String,
        /// The whole expression.
        expression: String,
    },
    /// Division or remainder by zero.
    #[error("`{part}` divides by zero in `{expression}`")]
    DivisionByZero {
        /// The division.
        part: String,
        /// The whole expression.
        expression: String,
    },
}

macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident => $variant:ident;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $name(left: Self, right: Self) -> Self {
            Self::$variant(Box::new(left), Box::new(right))
        }
    )*};
}

// `add` and its like take two expressions and no `self`, so they cannot be mistaken for the
// operator traits.
#[allow(clippy::should_implement_trait)]
impl SizeExpr {
    /// A size bound by a tensor, or a scalar integer parameter.
    #[must_use]
    pub fn name(name: impl Into<String>) -> Self {
        Self::Name(name.into())
    }

    binary! {
        /// `left + right`
        add => Add;
        /// `left - right`
        sub => Sub;
        /// `left * right`
        mul => Mul;
        /// `left / right`, rounded to zero.
        div => Div;
        /// `left % right`, of the sign of `left`.
        rem => Rem;
        /// `left / right`, rounded up.
        cdiv => CeilDiv;
        /// The smaller.
        min => Min;
        /// The larger.
        max => Max;
    }

    /// The value of the expression, with names looked up by `lookup`.
    ///
    /// # Errors
    /// An unknown name, an overflow of 64 bits, a division by zero; each names the expression.
    pub fn evaluate(&self, lookup: &impl Fn(&str) -> Option<i64>) -> Result<i64, SizeError> {
        self.part(lookup, self)
    }

    fn part(&self, lookup: &impl Fn(&str) -> Option<i64>, whole: &Self) -> Result<i64, SizeError> {
        let overflow = || SizeError::Overflow {
            part: self.to_string(),
            expression: whole.to_string(),
        };
        let operands =
            |left: &Self, right: &Self| Ok((left.part(lookup, whole)?, right.part(lookup, whole)?));
        let divided = |left: &Self, right: &Self, divide: fn(i64, i64) -> Option<i64>| {
            let (left, right) = operands(left, right)?;
            if right == 0 {
                return Err(SizeError::DivisionByZero {
                    part: self.to_string(),
                    expression: whole.to_string(),
                });
            }
            divide(left, right).ok_or_else(overflow)
        };
        match self {
            Self::Const(value) => Ok(*value),
            Self::Name(name) => lookup(name).ok_or_else(|| SizeError::UnknownName {
                name: name.clone(),
                expression: whole.to_string(),
            }),
            Self::Add(left, right) => {
                let (left, right) = operands(left, right)?;
                left.checked_add(right).ok_or_else(overflow)
            }
            Self::Sub(left, right) => {
                let (left, right) = operands(left, right)?;
                left.checked_sub(right).ok_or_else(overflow)
            }
            Self::Mul(left, right) => {
                let (left, right) = operands(left, right)?;
                left.checked_mul(right).ok_or_else(overflow)
            }
            Self::Div(left, right) => divided(left, right, i64::checked_div),
            Self::Rem(left, right) => divided(left, right, i64::checked_rem),
            Self::CeilDiv(left, right) => divided(left, right, |left, right| {
                i64::try_from(divide_up(left.into(), right.into())?).ok()
            }),
            Self::Min(left, right) => operands(left, right).map(|(left, right)| left.min(right)),
            Self::Max(left, right) => operands(left, right).map(|(left, right)| left.max(right)),
        }
    }

    /// The least and the most that the expression, computed in 32 bits, is where its names lie between what `lookup` says:
    /// perhaps wider than need be. `None` if a name is not known, a part may not fit an `i32`, or may divide by zero.
    #[must_use]
    pub fn range(&self, lookup: &impl Fn(&str) -> Option<(i64, i64)>) -> Option<(i64, i64)> {
        let both = |left: &Self, right: &Self| Some((left.range(lookup)?, right.range(lookup)?));
        // What grows or falls steadily with either operand is largest and least at the ends.
        let ends = |left: &Self, right: &Self, act: fn(i64, i64) -> Option<i64>| {
            let ((a, b), (c, d)) = both(left, right)?;
            let corners = [act(a, c)?, act(a, d)?, act(b, c)?, act(b, d)?];
            Some((*corners.iter().min()?, *corners.iter().max()?))
        };
        let divided = |left: &Self, right: &Self, divide: fn(i64, i64) -> Option<i64>| {
            let (least, most) = right.range(lookup)?;
            let is_apart_from_zero = least > 0 || most < 0;
            is_apart_from_zero.then(|| ends(left, right, divide))?
        };
        let (least, most) = match self {
            Self::Const(value) => (*value, *value),
            Self::Name(name) => lookup(name)?,
            Self::Add(left, right) => ends(left, right, i64::checked_add)?,
            Self::Sub(left, right) => ends(left, right, i64::checked_sub)?,
            Self::Mul(left, right) => ends(left, right, i64::checked_mul)?,
            Self::Div(left, right) => divided(left, right, i64::checked_div)?,
            Self::CeilDiv(left, right) => divided(left, right, |left, right| {
                i64::try_from(divide_up(left.into(), right.into())?).ok()
            })?,
            Self::Rem(left, right) => {
                let ((least, most), (from, to)) = both(left, right)?;
                // What is smaller than the divisor stays; the sign is that of what is divided.
                let divisor = match (from > 0, to < 0) {
                    (true, _) => (from, to),
                    (_, true) => (-to, -from),
                    _ => return None,
                };
                match -divisor.0 < least && most < divisor.0 {
                    true => (least, most),
                    false => (least.clamp(1 - divisor.1, 0), most.clamp(0, divisor.1 - 1)),
                }
            }
            Self::Min(left, right) => ends(left, right, |left, right| Some(left.min(right)))?,
            Self::Max(left, right) => ends(left, right, |left, right| Some(left.max(right)))?,
        };
        let fits = i64::from(i32::MIN) <= least && most <= i64::from(i32::MAX);
        fits.then_some((least, most))
    }

    /// Adds the names in it that are not in the list yet, from left to right.
    pub(super) fn add_names<'a>(&'a self, list: &mut Vec<&'a str>) {
        match self {
            Self::Const(_) => {}
            Self::Name(name) if list.contains(&name.as_str()) => {}
            Self::Name(name) => list.push(name),
            Self::Add(left, right)
            | Self::Sub(left, right)
            | Self::Mul(left, right)
            | Self::Div(left, right)
            | Self::Rem(left, right)
            | Self::CeilDiv(left, right)
            | Self::Min(left, right)
            | Self::Max(left, right) => {
                left.add_names(list);
                right.add_names(list);
            }
        }
    }

    /// How tightly the outermost operator binds: sums 1, products 2, the rest 3.
    const fn precedence(&self) -> u8 {
        match self {
            Self::Add(..) | Self::Sub(..) => 1,
            Self::Mul(..) | Self::Div(..) | Self::Rem(..) => 2,
            _ => 3,
        }
    }
}

impl fmt::Display for SizeExpr {
    /// As in the source, with the fewest parentheses: `cdiv(m, 128) * (n + 1)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let infix = |f: &mut fmt::Formatter<'_>, left: &Self, sign: &str, right: &Self| {
            // Left-associative: the right operand needs parentheses at equal precedence.
            let inner = |f: &mut fmt::Formatter<'_>, operand: &Self, least: u8| {
                if operand.precedence() < least {
                    write!(f, "({operand})")
                } else {
                    write!(f, "{operand}")
                }
            };
            inner(f, left, self.precedence())?;
            write!(f, " {sign} ")?;
            inner(f, right, self.precedence() + 1)
        };
        match self {
            Self::Const(value) => write!(f, "{value}"),
            Self::Name(name) => f.write_str(name),
            Self::Add(left, right) => infix(f, left, "+", right),
            Self::Sub(left, right) => infix(f, left, "-", right),
            Self::Mul(left, right) => infix(f, left, "*", right),
            Self::Div(left, right) => infix(f, left, "/", right),
            Self::Rem(left, right) => infix(f, left, "%", right),
            Self::CeilDiv(left, right) => write!(f, "cdiv({left}, {right})"),
            Self::Min(left, right) => write!(f, "min({left}, {right})"),
            Self::Max(left, right) => write!(f, "max({left}, {right})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use SizeExpr as S;
    use proptest::prelude::*;

    fn evaluate(expression: &S) -> Result<i64, String> {
        let lookup = |name: &str| match name {
            "m" => Some(1000),
            "big" => Some(i64::MAX),
            "none" => Some(0),
            _ => None,
        };
        expression
            .evaluate(&lookup)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn prints_as_source_text() {
        let sum = S::add(S::name("m"), S::Const(1));
        let text = S::sub(
            S::mul(S::cdiv(S::name("m"), S::Const(128)), sum.clone()),
            S::sub(S::name("k"), sum),
        );
        assert_eq!(text.to_string(), "cdiv(m, 128) * (m + 1) - (k - (m + 1))");
    }

    /// Triton's order of programs in groups, whose last group may be smaller: no column is negative. Computed with bounds
    /// of what names have, not with numbers, nothing would be known of the size of the last group.
    #[test]
    fn ranges_prove_that_grouped_programs_are_not_negative() {
        let (m, n) = (
            S::cdiv(S::name("m"), S::Const(128)),
            S::cdiv(S::name("n"), S::Const(256)),
        );
        let pid = || S::name("program_id(0)");
        let group = S::mul(n, S::Const(8));
        let first = S::mul(S::div(pid(), group.clone()), S::Const(8));
        let size = S::min(S::sub(m, first), S::Const(8));
        let column = S::mul(S::div(S::rem(pid(), group), size.clone()), S::Const(256));
        let range = |of: &S, m: i64, n: i64, programs: i64| {
            of.range(&|name| match name {
                "m" => Some((m, m)),
                "n" => Some((n, n)),
                "program_id(0)" => Some((0, programs - 1)),
                _ => None,
            })
        };
        assert_eq!(range(&size, 1000, 512, 16), Some((8, 8)));
        assert_eq!(range(&size, 1200, 512, 20), Some((2, 8)));
        assert_eq!(range(&column, 1200, 512, 20), Some((0, 15 / 2 * 256)));
        // More programs than there are places: the last group would be empty.
        assert_eq!(range(&column, 1200, 512, 40), None);
        assert_eq!(range(&column, 1200, 1 << 40, 20), None);
        assert_eq!(range(&S::name("k"), 1, 1, 1), None);
    }

    proptest! {
        /// Whatever the names are, the value is in the range.
        #[test]
        fn values_are_in_the_range(a in -9i64..9, b in -9i64..9, wide in 0i64..5, kind in 0usize..8) {
            let (x, y) = (S::name("a"), S::name("b"));
            let of = [S::add, S::sub, S::mul, S::div, S::rem, S::cdiv, S::min, S::max][kind](x, y);
            let range = of.range(&|name| Some(if name == "a" { (a, a + wide) } else { (b, b + wide) }));
            for (i, j) in (a..=a + wide).flat_map(|i| (b..=b + wide).map(move |j| (i, j))) {
                let value = of.evaluate(&|name| Some(if name == "a" { i } else { j }));
                match range {
                    Some((least, most)) => {
                        prop_assert!(value.is_ok_and(|value| (least..=most).contains(&value)));
                    }
                    None => prop_assert!(kind > 2 && kind < 6 && b <= 0 && 0 <= b + wide),
                }
            }
        }
    }

    #[test]
    fn rounds_as_the_language_does() {
        for (left, right, quotient, rest, up) in [
            (7, 2, 3, 1, 4),
            (-7, 2, -3, -1, -3),
            (7, -2, -3, 1, -3),
            (-7, -2, 3, -1, 4),
            (8, 2, 4, 0, 4),
            (0, 5, 0, 0, 0),
        ] {
            let (left, right) = (S::Const(left), S::Const(right));
            assert_eq!(evaluate(&S::div(left.clone(), right.clone())), Ok(quotient));
            assert_eq!(evaluate(&S::rem(left.clone(), right.clone())), Ok(rest));
            assert_eq!(evaluate(&S::cdiv(left, right)), Ok(up));
        }
    }

    #[test]
    fn errors_quote_the_expression() {
        let grid = S::mul(S::cdiv(S::name("m"), S::name("none")), S::Const(2));
        assert_eq!(
            evaluate(&grid),
            Err("`cdiv(m, none)` divides by zero in `cdiv(m, none) * 2`".to_owned())
        );
        assert_eq!(
            evaluate(&S::add(S::name("big"), S::Const(1))),
            Err("`big + 1` overflows 64 bits in `big + 1`".to_owned())
        );
        assert_eq!(
            evaluate(&S::min(S::name("q"), S::Const(1))),
            Err("`q` in `min(q, 1)` has no value".to_owned())
        );
        let lowest = S::sub(S::sub(S::Const(0), S::name("big")), S::Const(1));
        assert_eq!(
            evaluate(&S::div(lowest, S::Const(-1))),
            Err("`(0 - big - 1) / -1` overflows 64 bits in `(0 - big - 1) / -1`".to_owned())
        );
    }
}
