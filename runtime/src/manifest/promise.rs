//! What a kernel promises itself of the numbers that a launch knows: `assume(columns <= 4096)`.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Manifest, SizeError, SizeExpr};

/// A comparison that holds for every launch that runs a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Promise {
    /// What is on the left.
    pub left: SizeExpr,
    /// How both compare.
    pub comparison: Comparison,
    /// What is on the right.
    pub right: SizeExpr,
}

/// How two numbers compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Promise {
    /// Whether it holds, with names looked up by `lookup`.
    ///
    /// # Errors
    /// As [`SizeExpr::evaluate`].
    pub fn holds(&self, lookup: &impl Fn(&str) -> Option<i64>) -> Result<bool, SizeError> {
        let (left, right) = (self.left.evaluate(lookup)?, self.right.evaluate(lookup)?);
        Ok(match self.comparison {
            Comparison::Equal => left == right,
            Comparison::NotEqual => left != right,
            Comparison::Less => left < right,
            Comparison::LessEqual => left <= right,
            Comparison::Greater => left > right,
            Comparison::GreaterEqual => left >= right,
        })
    }

    /// The names in it, each once, from left to right.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        let mut list = Vec::new();
        self.left.add_names(&mut list);
        self.right.add_names(&mut list);
        list
    }
}

impl Manifest {
    /// The same for the interpreter, which shows a promise that does not hold where it stands: a launch does not look.
    #[must_use]
    pub fn without_promises(mut self) -> Self {
        for kernel in &mut self.kernels {
            kernel.promises.clear();
        }
        self
    }
}

impl fmt::Display for Promise {
    /// As in the source: `n % 128 == 0`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.comparison {
            Comparison::Equal => "==",
            Comparison::NotEqual => "!=",
            Comparison::Less => "<",
            Comparison::LessEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterEqual => ">=",
        };
        write!(f, "{} {sign} {}", self.left, self.right)
    }
}
