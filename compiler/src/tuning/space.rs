//! What there is to choose from: the product of the `tune` lists of generics that are not given.

use std::collections::BTreeMap;

use super::Values;
use crate::sema::Choices;

/// More configurations than anyone waits for.
pub const MOST: usize = 4096;

/// Configurations of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Space {
    /// The generics to choose, in the order in which they are declared.
    pub names: Vec<String>,
    /// What all generics are bound to that are not among them.
    pub fixed: Values,
    /// A value for each of the names; the first is the default.
    pub configurations: Vec<Values>,
}

/// Why there is no space.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpaceError {
    /// No generic is left to choose.
    #[error("nothing is left to choose")]
    Empty,
    /// There are more than [`MOST`].
    #[error("there are more than {MOST} configurations")]
    TooLarge,
}

impl Space {
    /// The space of a kernel whose generics are bound as `given` says; `choices` tells what there is when more of them
    /// are bound, since the values of a list may depend on earlier generics.
    ///
    /// # Errors
    /// If nothing is left to choose, or too much.
    pub fn of(
        given: &Values,
        choices: impl Fn(&Values) -> Option<Choices>,
    ) -> Result<Self, SpaceError> {
        let first = choices(given).ok_or(SpaceError::Empty)?;
        let tunes = first.tunes.iter();
        let names: Vec<String> = tunes
            .map(|(name, _)| name.clone())
            .filter(|name| !given.contains_key(name))
            .collect();
        if names.is_empty() {
            return Err(SpaceError::Empty);
        }
        let mut configurations = vec![Values::new()];
        for name in &names {
            let mut longer = Vec::new();
            for configuration in &configurations {
                let mut bound = given.clone();
                bound.extend(configuration.clone());
                let Some(choices) = choices(&bound) else {
                    continue;
                };
                let own = choices.tunes.into_iter().find(|(tuned, _)| tuned == name);
                for value in own.map(|(_, values)| values).unwrap_or_default() {
                    let mut with = configuration.clone();
                    with.insert(name.clone(), value);
                    longer.push(with);
                }
                if longer.len() > MOST {
                    return Err(SpaceError::TooLarge);
                }
            }
            configurations = longer;
        }
        if configurations.is_empty() {
            return Err(SpaceError::Empty);
        }
        let fixed = first.generics.into_iter();
        Ok(Self {
            fixed: fixed.filter(|(name, _)| !names.contains(name)).collect(),
            names,
            configurations,
        })
    }
}

/// `BM = 128, BN = 64`, in the order of the names.
#[must_use]
pub fn in_words<'a>(names: impl IntoIterator<Item = &'a String>, values: &Values) -> String {
    let pairs = names
        .into_iter()
        .filter_map(|name| Some(format!("{name} = {}", values.get(name)?)));
    pairs.collect::<Vec<_>>().join(", ")
}

/// `m = 4096, n = 64`
#[must_use]
pub fn sizes_in_words(sizes: &BTreeMap<String, i64>) -> String {
    let pairs = sizes.iter().map(|(name, size)| format!("{name} = {size}"));
    pairs.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(list: &[(&str, &str)]) -> Values {
        let list = list.iter();
        list.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    /// `tune BM in [128, 64] tune BN in [BM, 32]`, and `T = f16`.
    fn choices(bound: &Values) -> Option<Choices> {
        let of = |name: &str, default: &str| {
            let bound = bound.get(name);
            bound.map_or(default, String::as_str).to_owned()
        };
        let rows = of("BM", "128");
        let generics = values(&[
            ("T", &of("T", "f16")),
            ("BM", &rows),
            ("BN", &of("BN", &rows)),
        ]);
        let list = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
        let tunes = vec![
            ("BM".to_owned(), list(&["128", "64"])),
            ("BN".to_owned(), list(&[&rows, "32"])),
        ];
        Some(Choices { generics, tunes })
    }

    #[test]
    fn the_space_is_the_product_and_begins_with_the_default() {
        let space = Space::of(&Values::new(), choices).expect("a space");
        assert_eq!(space.names, ["BM", "BN"]);
        assert_eq!(space.fixed, values(&[("T", "f16")]));
        let words = space.configurations.iter();
        let words: Vec<String> = words.map(|values| in_words(&space.names, values)).collect();
        assert_eq!(
            words,
            [
                "BM = 128, BN = 128",
                "BM = 128, BN = 32",
                "BM = 64, BN = 64",
                "BM = 64, BN = 32"
            ]
        );
    }

    #[test]
    fn what_is_given_is_not_chosen() {
        let space = Space::of(&values(&[("BM", "64")]), choices).expect("a space");
        assert_eq!(space.names, ["BN"]);
        assert_eq!(space.fixed, values(&[("BM", "64"), ("T", "f16")]));
        assert_eq!(space.configurations.len(), 2);
        let both = values(&[("BM", "64"), ("BN", "8")]);
        assert_eq!(Space::of(&both, choices), Err(SpaceError::Empty));
    }

    #[test]
    fn a_space_that_is_too_large_is_refused() {
        let many = |_: &Values| {
            let values: Vec<String> = (0..100).map(|value| value.to_string()).collect();
            let tunes = ["A", "B"].map(|name| (name.to_owned(), values.clone()));
            Some(Choices {
                generics: Values::new(),
                tunes: tunes.to_vec(),
            })
        };
        assert_eq!(Space::of(&Values::new(), many), Err(SpaceError::TooLarge));
    }
}
