//! Inputs that are almost right: those of this repository with changes.

use crate::random::Choices;

/// Numbers that are at an end of something.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "31",
    "32",
    "65535",
    "2147483648",
    "4294967295",
    "9223372036854775808",
];

/// What a byte is part of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    Blank,
    Sign,
}

fn kind(byte: u8) -> Kind {
    match byte {
        b if b.is_ascii_alphanumeric() || b == b'_' || !b.is_ascii() => Kind::Word,
        b if b.is_ascii_whitespace() => Kind::Blank,
        _ => Kind::Sign,
    }
}

/// Words, numbers, signs and blanks of an input, in order; together they are the input.
fn tokens(input: &[u8]) -> Vec<&[u8]> {
    input
        .chunk_by(|a, b| kind(*a) == kind(*b) && kind(*a) != Kind::Sign)
        .collect()
}

/// What a token is, and whether it is a number.
fn kinds(token: &[u8]) -> Option<(Kind, bool)> {
    token
        .first()
        .map(|first| (kind(*first), first.is_ascii_digit()))
}

/// How inputs are changed.
pub(super) struct Ways {
    /// Words that mean something somewhere.
    pub words: &'static [&'static str],
    /// Tokens of an input that are taken, at most.
    pub most: usize,
    /// Changes of an input, at most.
    pub changes: usize,
    /// How many percent of them put another word or number in the place of one, so that more than the grammar is tried.
    pub alike: usize,
}

/// One of the inputs with a few changes, or a part of it beside a part of another.
pub(super) fn changed(corpus: &[Vec<u8>], ways: &Ways, choices: &mut Choices) -> Vec<u8> {
    let &Ways { words, most, .. } = ways;
    let pick = |choices: &mut Choices| -> Vec<&[u8]> {
        let input = corpus.get(choices.below(corpus.len()));
        tokens(input.map_or(&[], Vec::as_slice))
    };
    let word = |choices: &mut Choices| choices.pick(words).as_bytes();
    let mut input = pick(choices);
    if input.len() > most {
        let start = choices.below(input.len() - most * 3 / 4);
        let whole = |at: &usize| matches!(input[*at], b"kernel" | b"fn" | b"const");
        let start = (0..=start).rev().find(whole).unwrap_or(0);
        let end = (start + most).min(input.len());
        input = input[start..end].to_vec();
    }
    if !choices.chance(ways.alike) && choices.chance(20) {
        let other = pick(choices);
        let (from, to) = (choices.below(input.len()), choices.below(other.len()));
        let end = (to + 60).min(other.len());
        input.splice(from..from, other[to..end].iter().copied());
    }
    for _ in 0..=choices.below(ways.changes) {
        let at = choices.below(input.len());
        if input.is_empty() {
            break;
        }
        if choices.chance(ways.alike) {
            let number = choices.chance(50);
            let like = |at: &usize| kinds(input[*at]) == Some((Kind::Word, number));
            let places: Vec<_> = (0..input.len()).filter(like).collect();
            if places.is_empty() {
                continue;
            }
            input[choices.pick(&places)] = match number && choices.chance(30) {
                true => choices.pick(NUMBERS).as_bytes(),
                false => input[choices.pick(&places)],
            };
            continue;
        }
        match choices.below(7) {
            0 => drop(input.remove(at)),
            1 => input.insert(at, word(choices)),
            2 => input[at] = word(choices),
            3 => {
                let other = choices.below(input.len());
                input.swap(at, other);
            }
            4 => {
                // One of the words near it again.
                let near = (at + choices.below(12)).min(input.len() - 1);
                input.insert(at, input[near]);
            }
            5 => {
                let end = (at + choices.below(20)).min(input.len());
                let part = input[at..end].to_vec();
                input.splice(at..at, part);
            }
            _ => {
                let end = (at + choices.below(20)).min(input.len());
                input.drain(at..end);
            }
        }
    }
    input.concat()
}
