//! What can go wrong while a kernel runs, and where it did.

use std::fmt;

use tile_runtime::element::ElementType;

use crate::diagnostic::Span;

/// A program instance did something that is not allowed, or could not start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InterpError {
    /// What happened.
    pub fault: Fault,
    /// The expression or statement.
    pub span: Span,
    /// The program instance; `None` when the launch itself is wrong.
    pub program_id: Option<[u32; 3]>,
    /// The element of the tile, if one is to blame and the tile is no scalar.
    pub position: Option<Vec<u64>>,
}

impl fmt::Display for InterpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fault.fmt(f)?;
        if let Some([x, y, z]) = self.program_id {
            write!(f, " (program {x}, {y}, {z}")?;
            if let Some(position) = &self.position {
                write!(f, "; element {position:?} of the tile")?;
            }
            write!(f, ")")?;
        }
        Ok(())
    }
}

impl std::error::Error for InterpError {}

/// Reading or writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// `load`
    Load,
    /// `store`
    Store,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Load => "`load` reads",
            Self::Store => "`store` writes",
        })
    }
}

/// What can go wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// An access through a pointer outside the buffer.
    #[error("{access} element {offset} of `{parameter}`, which has {length} elements")]
    OutOfBounds {
        /// Which.
        access: Access,
        /// The parameter the pointer came from.
        parameter: String,
        /// From the start of the buffer, in elements.
        offset: i64,
        /// Elements of the buffer.
        length: u64,
    },
    /// An access through an address made from an integer that is in no buffer.
    #[error("{access} the address {address:#x}, which is in no buffer")]
    NoBuffer {
        /// Which.
        access: Access,
        /// As made.
        address: u64,
    },
    /// An access at an address that is no multiple of the element's size.
    #[error("{access} `{element}` at an address that is no multiple of its {bytes} bytes")]
    Misaligned {
        /// Which.
        access: Access,
        /// What the pointer points to.
        element: ElementType,
        /// Of an element.
        bytes: u32,
    },
    /// `bounds = unchecked` was a wrong promise.
    #[error(
        "{access} `{tensor}` at {position} in dimension {dimension}, which has size {size}, but \
         promises `bounds = unchecked`"
    )]
    BrokenBounds {
        /// Which.
        access: Access,
        /// The tensor.
        tensor: String,
        /// Of the tensor.
        dimension: usize,
        /// Along that dimension.
        position: i64,
        /// Of that dimension.
        size: u64,
    },
    /// A position given to `gather`.
    #[error("position {position} in dimension {dimension} of a tile, which has size {size}")]
    OutsideTile {
        /// As given.
        position: i128,
        /// Of the tile.
        dimension: usize,
        /// Of that dimension.
        size: u64,
    },
    /// A store through a parameter that is not `mut`.
    #[error("`store` writes to `{parameter}`, which is not `mut`")]
    Immutable {
        /// The parameter.
        parameter: String,
    },
    /// Integer `/` or `%`.
    #[error("division by zero: {dividend} {operator} 0")]
    DivisionByZero {
        /// The left operand.
        dividend: i128,
        /// `/` or `%`.
        operator: char,
    },
    /// `assume` was a wrong promise.
    #[error("the condition of `assume` is false")]
    BrokenAssumption,
    /// `assert` of something false.
    #[error("assertion failed{}{message}", if message.is_empty() { "" } else { ": " })]
    AssertionFailed {
        /// What the program says of it; may be empty.
        message: String,
    },
    /// Inline PTX that does what is not allowed.
    #[error("inline PTX: {problem}")]
    Asm {
        /// As the simulator says it.
        problem: String,
    },
    /// `range(lo, hi, 0)`.
    #[error("the step of this loop is 0")]
    ZeroStep,
    /// More iterations than allowed.
    #[error("the program is still in its loops after {rounds} iterations")]
    EndlessLoop {
        /// The limit.
        rounds: u64,
    },
    /// An argument is missing or does not fit its parameter.
    #[error("{0}")]
    Launch(String),
    /// A step of the host failed, which knows why.
    #[error("the host stopped the program")]
    Host,
    /// The typed program breaks its own contract: a defect of the compiler.
    #[error("the compiler made a program that makes no sense here: {0}")]
    Malformed(&'static str),
}

/// A [`Fault`] and the row-major number of the element to blame, before anybody knows where in the
/// source that is.
#[derive(Debug)]
pub(super) struct ElementFault {
    /// What happened.
    pub fault: Fault,
    /// Which element of the tile.
    pub element: Option<usize>,
}

impl From<Fault> for ElementFault {
    fn from(fault: Fault) -> Self {
        Self {
            fault,
            element: None,
        }
    }
}

impl Fault {
    /// Blames an element of the tile.
    pub(super) fn at(self, element: usize) -> ElementFault {
        ElementFault {
            fault: self,
            element: Some(element),
        }
    }
}
