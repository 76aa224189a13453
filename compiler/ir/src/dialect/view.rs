//! What the table of operations is made of.

use melior::ir::attribute::DenseI32ArrayAttribute;
use melior::ir::operation::OperationLike;

use crate::ir::{Operation, Value, operands};
use crate::typed::{MOST_OPERANDS, MOST_RESULTS};

/// How many values an operand stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arity {
    /// Exactly one.
    One,
    /// None or one.
    Optional,
    /// Any number, all of one type.
    Many,
    /// One up to [`SEVERAL`], of any types.
    Several,
    /// Up to [`MIXED`], of any types.
    Mixed,
    /// Up to [`MOST_OPERANDS`], of any types.
    Free,
}

/// How many tiles a reduction or scan works on together at most.
pub const SEVERAL: usize = 6;

const _: () = assert!(MOST_RESULTS <= SEVERAL);

/// How many values an operand of mixed types can have: one per dimension.
pub const MIXED: usize = 5;

impl Arity {
    /// What it is to IRDL, where an operand of several values has one type: suffixes of the name,
    /// and how many values each stands for.
    fn parts(self) -> Vec<(String, &'static str)> {
        match self {
            Self::One => vec![(String::new(), "")],
            Self::Optional => vec![(String::new(), "optional ")],
            Self::Many => vec![(String::new(), "variadic ")],
            Self::Several => std::iter::once((String::new(), ""))
                .chain((2..=SEVERAL).map(|number| (format!("_{number}"), "optional ")))
                .collect(),
            Self::Mixed => optional(MIXED),
            Self::Free => optional(MOST_OPERANDS),
        }
    }
}

fn optional(most: usize) -> Vec<(String, &'static str)> {
    (1..=most)
        .map(|number| (format!("_{number}"), "optional "))
        .collect()
}

/// The segments of up to [`MOST_OPERANDS`] values.
pub fn free_segments(count: usize) -> impl Iterator<Item = i32> {
    (0..MOST_OPERANDS).map(move |position| i32::from(position < count))
}

/// The segments of an operand of mixed types with `count` values.
pub fn mixed_segments(count: usize) -> impl Iterator<Item = i32> {
    (0..MIXED).map(move |position| i32::from(position < count))
}

/// The segments of one up to [`SEVERAL`] values.
pub fn several_segments(count: usize) -> impl Iterator<Item = i32> {
    (0..SEVERAL).map(move |position| i32::from(position < count))
}

/// What an operation does besides computing results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Nothing: equal ones are one, unused ones are none.
    Pure,
    /// Reads global memory.
    Reads,
    /// Writes global memory, or must stay where it is.
    Writes,
    /// Reserves shared memory.
    Allocates,
    /// Reads shared memory.
    ReadsShared,
    /// Writes shared memory.
    WritesShared,
}

/// An operand in a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperandDefinition {
    /// Its name.
    pub name: &'static str,
    /// How many values.
    pub arity: Arity,
}

/// The declaration of an operation.
#[derive(Debug, Clone, Copy)]
pub struct OpDefinition {
    /// Name without the dialect's.
    pub name: &'static str,
    /// Documentation.
    pub docs: &'static str,
    /// Operands in order.
    pub operands: &'static [OperandDefinition],
    /// Required attributes.
    pub attributes: &'static [&'static str],
    /// Number of results; -1 for one up to [`SEVERAL`].
    pub results: i32,
    /// Number of regions.
    pub regions: usize,
    /// Its effect.
    pub effect: Effect,
}

impl OpDefinition {
    /// Whether operands need `operandSegmentSizes`: more than one of them is not single.
    #[must_use]
    pub fn has_segments(&self) -> bool {
        has_segments(self.operands)
    }

    /// The IRDL text that defines it.
    #[must_use]
    pub fn irdl(&self) -> String {
        use std::fmt::Write;
        let mut text = format!("  irdl.operation @{} {{\n", self.name);
        let mut fresh = 0;
        let mut any = |text: &mut String| {
            let name = format!("%{fresh}");
            fresh += 1;
            let _ = writeln!(text, "    {name} = irdl.any");
            name
        };
        let mut list = Vec::new();
        for operand in self.operands {
            for (suffix, count) in operand.arity.parts() {
                let value = any(&mut text);
                list.push(format!("{}{suffix}: {count}{value}", operand.name));
            }
        }
        if !list.is_empty() {
            let _ = writeln!(text, "    irdl.operands({})", list.join(", "));
        }
        let attributes: Vec<_> = self
            .attributes
            .iter()
            .map(|name| format!("\"{name}\" = {}", any(&mut text)))
            .collect();
        if !attributes.is_empty() {
            let _ = writeln!(text, "    irdl.attributes {{ {} }}", attributes.join(", "));
        }
        match self.results {
            0 => {}
            -1 => {
                let list: Vec<_> = Arity::Several
                    .parts()
                    .into_iter()
                    .map(|(suffix, count)| format!("result{suffix}: {count}{}", any(&mut text)))
                    .collect();
                let _ = writeln!(text, "    irdl.results({})", list.join(", "));
            }
            count => {
                let list: Vec<_> = (0..count)
                    .map(|number| format!("result{number}: {}", any(&mut text)))
                    .collect();
                let _ = writeln!(text, "    irdl.results({})", list.join(", "));
            }
        }
        if self.regions > 0 {
            let _ = writeln!(text, "    %r = irdl.region\n    irdl.regions(body: %r)");
        }
        text.push_str("  }\n");
        text
    }
}

fn has_segments(operands: &[OperandDefinition]) -> bool {
    operands
        .iter()
        .flat_map(|operand| operand.arity.parts())
        .filter(|(_, count)| !count.is_empty())
        .count()
        > 1
}

/// The values of one named operand.
#[must_use]
pub fn segment<'c>(
    operation: Operation<'c>,
    definitions: &[OperandDefinition],
    name: &str,
) -> Vec<Value<'c>> {
    let all = operands(operation);
    let Some(position) = definitions.iter().position(|operand| operand.name == name) else {
        return Vec::new();
    };
    let sizes: Vec<usize> = if has_segments(definitions) {
        operation
            .attribute("operandSegmentSizes")
            .ok()
            .and_then(|attribute| DenseI32ArrayAttribute::try_from(attribute).ok())
            .map(|array| {
                let mut sizes = (0..array.len()).map(|i| array.element(i).unwrap_or(0) as usize);
                definitions
                    .iter()
                    .map(|operand| sizes.by_ref().take(operand.arity.parts().len()).sum())
                    .collect()
            })
            .unwrap_or_default()
    } else {
        // At most one operand is not single: it takes what the others leave.
        let single = definitions
            .iter()
            .filter(|operand| operand.arity == Arity::One)
            .count();
        definitions
            .iter()
            .map(|operand| {
                if operand.arity == Arity::One {
                    1
                } else {
                    all.len() - single
                }
            })
            .collect()
    };
    let start: usize = sizes.iter().take(position).sum();
    let length = sizes.get(position).copied().unwrap_or(0);
    all.get(start..start + length)
        .map(<[_]>::to_vec)
        .unwrap_or_default()
}
