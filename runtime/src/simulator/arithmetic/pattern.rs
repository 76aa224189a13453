//! How the tables write an instruction, and how an opcode is matched against it.
//!
//! A [`Row`] is a line of a table: `add{.<rnd>}{.ftz}{.sat}.f32` with operands `T = T T`. In the
//! pattern `{…}` may be missing and `<…|…>` is one of several words, where a set that many rows
//! share has a name. In the operands, destinations stand left of the `=`, and each operand is a
//! type: `T` is the last type of the opcode, `D` the one before it, `W` is twice as wide as `T`,
//! `pred` a predicate; `CC` at the end is the carry flag. Where the operands may be of several
//! numbers, `or` stands between.

use super::{Class, Compute, Form, Kind};

/// A line of a table.
pub(super) struct Row {
    /// The opcode and its modifiers.
    pub pattern: &'static str,
    /// The types of its operands.
    pub operands: &'static str,
    /// What it counts as.
    pub class: Class,
    /// Floating-point operations per lane.
    pub flops: u32,
    /// The function that computes it, for the modifiers of an opcode that matches.
    pub select: fn(&Parts) -> Option<Compute>,
}

/// Words that patterns name together.
const SETS: [(&str, &str); 8] = [
    ("rnd", "rn|rz|rm|rp"),
    ("irnd", "rni|rzi|rmi|rpi"),
    ("bool", "and|or|xor"),
    ("int", "u16|u32|u64|s16|s32|s64"),
    ("bits", "b16|b32|b64"),
    ("type", "b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64"),
    ("integer", "u8|u16|u32|u64|s8|s16|s32|s64"),
    ("cmp", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"),
];

/// One part of a pattern: which words it may be, and whether it may be missing.
struct Place {
    optional: bool,
    alternatives: &'static str,
}

impl Place {
    /// The words, sets resolved.
    fn words(&self) -> impl Iterator<Item = &'static str> {
        self.alternatives.split('|').flat_map(|word| {
            let set = SETS.iter().find(|(name, _)| *name == word);
            set.map_or(word, |(_, words)| words).split('|')
        })
    }
}

/// The first part of a pattern, which is its opcode, and the places after it.
fn parse(pattern: &'static str) -> (&'static str, Vec<Place>) {
    let end = pattern.find(['.', '{']).unwrap_or(pattern.len());
    let (opcode, mut rest) = pattern.split_at(end);
    let mut places = Vec::new();
    while !rest.is_empty() {
        let optional = rest.starts_with('{');
        let body = rest.trim_start_matches(['{', '.']);
        let end = body.find(['.', '{', '}']).unwrap_or(body.len());
        let (word, after) = body.split_at(end);
        places.push(Place {
            optional,
            alternatives: word.trim_matches(['<', '>']),
        });
        rest = after.strip_prefix('}').unwrap_or(after);
    }
    (opcode, places)
}

impl Row {
    /// The first word of the pattern.
    pub fn opcode(&self) -> &'static str {
        parse(self.pattern).0
    }

    /// Whether the modifiers of an opcode are those of the pattern, in its order.
    pub fn matches(&self, modifiers: &[&str]) -> bool {
        let mut rest = modifiers;
        for place in parse(self.pattern).1 {
            match rest.split_first() {
                Some((first, after)) if place.words().any(|word| word == *first) => rest = after,
                _ if place.optional => {}
                _ => return false,
            }
        }
        rest.is_empty()
    }

    /// What a matching opcode is, if it has so many operands.
    pub fn form(&self, parts: &Parts, destinations: usize, sources: usize) -> Option<Form> {
        let resolve = |side: &str| -> Option<Vec<Type>> {
            side.split_whitespace()
                .map(|word| match word {
                    "T" => parts.last(),
                    "D" => parts.before_last(),
                    "W" => parts.last()?.wide(),
                    word => Type::parse(word),
                })
                .collect()
        };
        let kinds = |types: &[Type]| types.iter().map(|of| of.kind()).collect();
        self.operands.split(" or ").find_map(|operands| {
            let carry = operands.ends_with(" CC");
            let (left, right) = operands.trim_end_matches(" CC").split_once('=')?;
            let (left, right) = (resolve(left)?, resolve(right)?);
            if (left.len(), right.len()) != (destinations, sources) {
                return None;
            }
            Some(Form {
                run: (self.select)(parts)?,
                destinations: kinds(&left),
                sources: kinds(&right),
                carry,
                signed: left.first().is_some_and(|of| of.is_signed()),
                class: self.class,
                flops: self.flops * parts.last().map_or(1, Type::elements),
            })
        })
    }

    /// The forms it lists, one for each choice of operands.
    pub fn listing(&self) -> impl Iterator<Item = String> {
        let operands = self.operands.split(" or ");
        operands.map(|operands| format!("{} {}", self.syntax(), self.operand_names(operands)))
    }

    /// The pattern with its sets resolved.
    fn syntax(&self) -> String {
        let (opcode, places) = parse(self.pattern);
        let mut syntax = opcode.to_owned();
        for place in places {
            let words: Vec<_> = place.words().collect();
            let words = match words.as_slice() {
                [word] => (*word).to_owned(),
                words => format!("<{}>", words.join("|")),
            };
            syntax += &if place.optional {
                format!("{{.{words}}}")
            } else {
                format!(".{words}")
            };
        }
        syntax
    }

    /// The operands as the manual names them: destinations from `d`, `p` if they are predicates,
    /// sources from `a`, where several values of one operand are a vector.
    fn operand_names(&self, operands: &str) -> String {
        let operands = operands.trim_end_matches(" CC");
        let (left, right) = operands.split_once('=').unwrap_or((operands, ""));
        let left: Vec<_> = left.split_whitespace().collect();
        let right: Vec<_> = right.split_whitespace().collect();
        let destination = match left.as_slice() {
            ["pred"] => "p".to_owned(),
            ["pred", "pred"] => "p|q".to_owned(),
            [_, "pred"] => "d|p".to_owned(),
            [_] => "d".to_owned(),
            several => vector('d', several.len()),
        };
        if self.opcode() == "mov" && right.len() > 1 {
            return format!("{destination}, {}", vector('a', right.len()));
        }
        let sources = ('a'..).take(right.len()).map(String::from);
        std::iter::once(destination)
            .chain(sources)
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// How many destinations and sources it may have.
    #[cfg(test)]
    pub fn operand_counts(&self) -> Vec<(usize, usize)> {
        let count = |side: &str| side.trim_end_matches(" CC").split_whitespace().count();
        let operands = self.operands.split(" or ");
        operands
            .filter_map(|operands| operands.split_once('='))
            .map(|(left, right)| (count(left), count(right)))
            .collect()
    }

    /// Every opcode that the pattern matches, as its modifiers.
    #[cfg(test)]
    pub fn expansions(&self) -> Vec<Vec<&'static str>> {
        let mut all = vec![Vec::new()];
        for place in parse(self.pattern).1 {
            all = all
                .into_iter()
                .flat_map(|start| {
                    let without = place.optional.then(|| start.clone());
                    let with = place.words().map(move |word| {
                        let mut parts = start.clone();
                        parts.push(word);
                        parts
                    });
                    without.into_iter().chain(with).collect::<Vec<_>>()
                })
                .collect();
        }
        all
    }
}

/// `{d0,d1}`.
fn vector(letter: char, length: usize) -> String {
    let elements: Vec<_> = (0..length)
        .map(|index| format!("{letter}{index}"))
        .collect();
    format!("{{{}}}", elements.join(","))
}

/// The modifiers of an opcode, types among them.
pub(super) struct Parts<'a> {
    modifiers: &'a [&'a str],
    types: Vec<Type>,
}

impl<'a> Parts<'a> {
    /// The parts after the first.
    pub fn new(modifiers: &'a [&'a str]) -> Self {
        Self {
            modifiers,
            types: modifiers
                .iter()
                .filter_map(|word| Type::parse(word))
                .collect(),
        }
    }

    /// Whether a modifier is there.
    pub fn has(&self, modifier: &str) -> bool {
        self.modifiers.contains(&modifier)
    }

    /// The last type.
    pub fn last(&self) -> Option<Type> {
        self.types.last().copied()
    }

    /// The type before the last, which is that of the destination where an opcode has two.
    pub fn before_last(&self) -> Option<Type> {
        self.types.iter().rev().nth(1).copied()
    }
}

macro_rules! types {
    ($($name:ident $word:literal $kind:ident)*) => {
        /// The type of an operand.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(missing_docs)] // their names are those of PTX
        pub(super) enum Type { $($name),* }

        impl Type {
            /// The type that PTX calls so.
            pub fn parse(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$name),)* _ => None }
            }

            /// What an operand of this type is.
            pub const fn kind(self) -> Kind {
                match self { $(Self::$name => Kind::$kind),* }
            }
        }
    };
}

types! {
    Pred "pred" Predicate
    B8 "b8" B8  U8 "u8" B8  S8 "s8" B8
    B16 "b16" B16  U16 "u16" B16  S16 "s16" B16  F16 "f16" B16  BF16 "bf16" B16
    B32 "b32" B32  U32 "u32" B32  S32 "s32" B32  F32 "f32" F32
    B64 "b64" B64  U64 "u64" B64  S64 "s64" B64  F64 "f64" F64
    U16x2 "u16x2" B32  S16x2 "s16x2" B32  F16x2 "f16x2" B32  BF16x2 "bf16x2" B32
    F32x2 "f32x2" B64  TF32 "tf32" B32
    E4M3x2 "e4m3x2" B16  E5M2x2 "e5m2x2" B16  E3M2x2 "e3m2x2" B16  E2M3x2 "e2m3x2" B16
    E2M1x2 "e2m1x2" B8
}

impl Type {
    /// Whether a wider register gets the sign of a value.
    const fn is_signed(self) -> bool {
        matches!(self, Self::S8 | Self::S16 | Self::S32 | Self::S64)
    }

    /// How many values an operand holds.
    const fn elements(self) -> u32 {
        match self {
            Self::U16x2 | Self::S16x2 | Self::F16x2 | Self::BF16x2 | Self::F32x2 => 2,
            _ => 1,
        }
    }

    /// The integer twice as wide.
    const fn wide(self) -> Option<Self> {
        match self {
            Self::U16 => Some(Self::U32),
            Self::S16 => Some(Self::S32),
            Self::U32 => Some(Self::U64),
            Self::S32 => Some(Self::S64),
            _ => None,
        }
    }
}
