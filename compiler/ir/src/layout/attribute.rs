//! The text form of a layout: an MLIR dictionary attribute, the encoding of a tile's tensor type.
//!
//! ```text
//! {lane = [[4], [8], [16], [32], [64]], reg = [[1], [2]], repeat = [1], warp = [[128]]}
//! ```
//!
//! Keys are sorted, as MLIR sorts them, so the text that goes in is the text that comes out. The
//! shape is not in it: the tensor type has it. `warps = [12]` follows where the warps are no power of two.

use super::distributed::{Basis, Layout};
use std::fmt;

/// Why something is no layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LayoutError {
    /// A dimension of the shape has size 0.
    EmptyDimension {
        /// Which one.
        axis: usize,
    },
    /// A number of lane bits other than five.
    LaneBits {
        /// How many there are.
        found: usize,
    },
    /// A basis vector whose length is not the rank.
    Rank {
        /// The rank of the shape.
        expected: usize,
        /// The length of the vector.
        found: usize,
    },
    /// More than 2^63 elements in a block.
    TooLarge,
    /// More warps than the bits number, or so few that there need not be so many bits.
    WarpCount {
        /// Bits of a warp's number.
        bits: usize,
        /// How many warps there are said to be.
        found: u32,
    },
    /// Elements of the block that no thread holds.
    Holes,
    /// A `repeat` that is not the one that covers the shape.
    Repeat {
        /// How often the block has to be repeated.
        expected: Vec<u64>,
        /// What the attribute says.
        found: Vec<u64>,
    },
    /// Text that is not of the form above.
    Syntax {
        /// The byte at which it stops making sense.
        at: usize,
        /// What should be there.
        expected: &'static str,
    },
}

impl fmt::Display for LayoutError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LayoutError::EmptyDimension { axis } => {
                write!(out, "dimension {axis} of the shape has size 0")
            }
            LayoutError::LaneBits { found } => write!(out, "a warp has 5 lane bits, not {found}"),
            LayoutError::Rank { expected, found } => {
                write!(
                    out,
                    "a basis vector has {found} coordinates, but the rank is {expected}"
                )
            }
            LayoutError::TooLarge => write!(out, "the block has more than 2^63 elements"),
            LayoutError::WarpCount { bits, found } => {
                write!(out, "{bits} bits do not number {found} warps")
            }
            LayoutError::Holes => write!(out, "some elements of the block are held by no thread"),
            LayoutError::Repeat { expected, found } => {
                write!(
                    out,
                    "the block has to be repeated {expected:?} times to cover the shape, not {found:?}"
                )
            }
            LayoutError::Syntax { at, expected } => {
                write!(out, "expected {expected} at byte {at} of the layout")
            }
        }
    }
}

impl std::error::Error for LayoutError {}

impl Layout {
    /// The layout as an MLIR dictionary attribute.
    pub fn to_attribute(&self) -> String {
        let warps = match self.warp_count() {
            count if count.is_power_of_two() => String::new(),
            count => format!(", warps = [{count}]"),
        };
        format!(
            "{{lane = {:?}, reg = {:?}, repeat = {:?}, warp = {:?}{warps}}}",
            self.lane_bases(),
            self.register_bases(),
            self.repeat(),
            self.warp_bases()
        )
    }

    /// Reads the attribute of a tile of this shape.
    ///
    /// # Errors
    /// When the text has another form, or says something that is no layout of the shape.
    pub fn from_attribute(text: &str, shape: &[u64]) -> Result<Layout, LayoutError> {
        let mut reader = Reader { text, at: 0 };
        reader.expect("{", "`{`")?;
        reader.key("lane")?;
        let lanes = reader.list(|reader| reader.list(Reader::number))?;
        reader.expect(",", "`,`")?;
        reader.key("reg")?;
        let registers = reader.list(|reader| reader.list(Reader::number))?;
        reader.expect(",", "`,`")?;
        reader.key("repeat")?;
        let repeat: Vec<u64> = reader.list(Reader::number)?;
        reader.expect(",", "`,`")?;
        reader.key("warp")?;
        let warps: Vec<Basis> = reader.list(|reader| reader.list(Reader::number))?;
        let mut count = 1u32.checked_shl(warps.len() as u32).unwrap_or(0);
        if reader.expect(",", "`,`").is_ok() {
            reader.key("warps")?;
            let [only] = reader.list(Reader::number)?[..] else {
                return Err(reader.error("one number of warps"));
            };
            count = only;
        }
        reader.expect("}", "`}`")?;
        reader.skip_space();
        if reader.at != text.len() {
            return Err(reader.error("nothing more"));
        }
        let layout =
            Layout::new(shape.to_vec(), registers, lanes, warps)?.with_warp_count(count)?;
        if layout.repeat() != repeat {
            return Err(LayoutError::Repeat {
                expected: layout.repeat().to_vec(),
                found: repeat,
            });
        }
        Ok(layout)
    }
}

/// Reads the attribute from left to right.
struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn error(&self, expected: &'static str) -> LayoutError {
        LayoutError::Syntax {
            at: self.at,
            expected,
        }
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn take(&mut self, token: &str) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn expect(&mut self, token: &str, expected: &'static str) -> Result<(), LayoutError> {
        if self.take(token) {
            Ok(())
        } else {
            Err(self.error(expected))
        }
    }

    fn key(&mut self, key: &'static str) -> Result<(), LayoutError> {
        self.expect(key, key)?;
        self.expect("=", "`=`")
    }

    fn number<T: std::str::FromStr>(&mut self) -> Result<T, LayoutError> {
        self.skip_space();
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        let number = self
            .rest()
            .get(..digits)
            .and_then(|digits| digits.parse().ok());
        let number = number.ok_or_else(|| self.error("a number"))?;
        self.at += digits;
        Ok(number)
    }

    fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T, LayoutError>,
    ) -> Result<Vec<T>, LayoutError> {
        self.expect("[", "`[`")?;
        let mut items = Vec::new();
        while !self.take("]") {
            if !items.is_empty() {
                self.expect(",", "`,` or `]`")?;
            }
            items.push(item(self)?);
        }
        Ok(items)
    }
}
