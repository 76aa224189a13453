//! "Did you mean": the name that was probably meant, and lists of names as prose.

/// `` (did you mean `name`?) `` with a leading blank, or nothing if no candidate is close.
#[must_use]
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> String {
    candidates
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
        .filter(|&(distance, candidate)| {
            // One slip in three letters; for one or two letters only a change of case.
            distance <= name.chars().count().max(candidate.chars().count()) / 3
                || name.eq_ignore_ascii_case(candidate)
        })
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| format!(" (did you mean `{candidate}`?)"))
        .unwrap_or_default()
}

/// `` `a`, `b` and `c` ``
#[must_use]
pub fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    match names.as_slice() {
        [] => "none".to_owned(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_close_names_are_suggested() {
        let of = |name| nearest(name, ["out", "weights", "n"].into_iter());
        assert_eq!(of("wieghts"), " (did you mean `weights`?)");
        assert_eq!(of("N"), " (did you mean `n`?)");
        assert_eq!(of("bias"), "");
    }

    #[test]
    fn names_in_prose() {
        assert_eq!(list(["a", "b", "c"].into_iter()), "`a`, `b` and `c`");
        assert_eq!(list(["a"].into_iter()), "`a`");
    }
}
