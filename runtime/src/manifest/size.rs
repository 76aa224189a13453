//! Integer expressions of the manifest: grids.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::numeric::divide_up;

/// An integer expression over size names, scalar integer parameters and constants. 64-bit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
