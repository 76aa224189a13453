//! The manifest as comment lines of a PTX file, there and back.

use super::{FORMAT, Kernel, Manifest};
use crate::suggest;

/// What each line of the manifest starts with. Also `//tile:` alone, should an editor have
/// stripped trailing blanks.
const PREFIX: &str = "//tile:";

/// Why a PTX file gives no manifest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
#[non_exhaustive]
pub enum ManifestError {
    #[error(
        "the PTX has no manifest (no line starts with `//tile:`), so its kernels cannot be \
         launched by name: compile it with `tilec build`"
    )]
    Missing,
    #[error("the manifest in the PTX is damaged: {0}")]
    Damaged(String),
    #[error(
        "the manifest has format {found} (written by {compiler}), but this runtime reads format \
         {FORMAT}: use the runtime that came with that compiler, or compile again"
    )]
    Format { found: u64, compiler: String },
    #[error(
        "the manifest does not fit the PTX: the entry point `{entry}` takes {taken}, and would be given {given}"
    )]
    Entry {
        entry: String,
        taken: String,
        given: String,
    },
    #[error("there is no kernel `{name}`{suggestion} in this PTX: it has {kernels}")]
    NoSuchKernel {
        name: String,
        suggestion: String,
        kernels: String,
    },
    #[error("the PTX has several kernels, name one: {0}")]
    SeveralKernels(String),
    #[error("the PTX has no kernels")]
    NoKernels,
}

impl Manifest {
    /// Reads the manifest from the comment lines of a PTX text.
    ///
    /// # Errors
    /// No manifest, one of another [`FORMAT`], or broken JSON.
    pub fn from_ptx(ptx: &str) -> Result<Self, ManifestError> {
        let mut json = String::new();
        for line in ptx.lines().filter_map(|line| line.strip_prefix(PREFIX)) {
            json.push_str(line);
            json.push('\n');
        }
        if json.is_empty() {
            return Err(ManifestError::Missing);
        }
        let damaged = |error: serde_json::Error| ManifestError::Damaged(error.to_string());
        // The format first: another format may not even have the fields that this one needs.
        let value: serde_json::Value = serde_json::from_str(&json).map_err(damaged)?;
        let format = value.get("format").and_then(serde_json::Value::as_u64);
        match format {
            Some(format) if format == u64::from(FORMAT) => {}
            Some(found) => {
                let compiler = value.get("compiler").and_then(serde_json::Value::as_str);
                return Err(ManifestError::Format {
                    found,
                    compiler: compiler.unwrap_or("an unknown compiler").to_owned(),
                });
            }
            None => return Err(ManifestError::Damaged("it has no `format`".to_owned())),
        }
        serde_json::from_value(value).map_err(damaged)
    }

    /// The manifest as comment lines, each ended by a line feed: the top of a PTX file.
    ///
    /// PTX is ASCII (PTX ISA, Source Format), and the driver refuses a file with anything else even
    /// in a comment, so other characters of names and doc comments are escaped as JSON knows it.
    #[must_use]
    pub fn to_comment_lines(&self) -> String {
        // Maps with text keys, numbers and strings only: serialisation cannot fail.
        let json = ascii(&serde_json::to_string_pretty(self).unwrap_or_default());
        json.lines()
            .map(|line| format!("{PREFIX} {line}\n"))
            .collect()
    }

    /// The kernel of that name, or the only kernel if no name is given.
    ///
    /// # Errors
    /// If there is no such kernel, or there are several to choose from.
    pub fn kernel(&self, name: Option<&str>) -> Result<&Kernel, ManifestError> {
        let names = || suggest::list(self.kernels.iter().map(|kernel| kernel.name.as_str()));
        match (name, self.kernels.as_slice()) {
            (_, []) => Err(ManifestError::NoKernels),
            (None, [only]) => Ok(only),
            (None, _) => Err(ManifestError::SeveralKernels(names())),
            (Some(name), kernels) => kernels
                .iter()
                .find(|kernel| kernel.name == name)
                .ok_or_else(|| ManifestError::NoSuchKernel {
                    name: name.to_owned(),
                    suggestion: suggest::nearest(name, kernels.iter().map(|k| k.name.as_str())),
                    kernels: names(),
                }),
        }
    }
}

/// JSON with everything that is not ASCII, which can only be in strings, as `\uXXXX`.
fn ascii(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for character in json.chars() {
        if character.is_ascii() {
            text.push(character);
        } else {
            for unit in character.encode_utf16(&mut [0; 2]) {
                text.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::ElementType;
    use crate::manifest::{
        Argument, Assumption, Comparison, Dimension, Pair, Parameter, Promise, SizeExpr, Stride,
        Tuned, Variant,
    };
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn name() -> impl Strategy<Value = String> {
        "[a-z_][a-zA-Z0-9_]{0,6}"
    }

    fn size_expr() -> impl Strategy<Value = SizeExpr> {
        let leaf = prop_oneof![
            any::<i64>().prop_map(SizeExpr::Const),
            name().prop_map(SizeExpr::Name)
        ];
        leaf.prop_recursive(3, 12, 2, |inner| {
            (inner.clone(), inner, 0..8usize).prop_map(|(left, right, which)| {
                let make = [
                    SizeExpr::add,
                    SizeExpr::sub,
                    SizeExpr::mul,
                    SizeExpr::div,
                    SizeExpr::rem,
                    SizeExpr::cdiv,
                    SizeExpr::min,
                    SizeExpr::max,
                ];
                make[which](left, right)
            })
        })
    }

    fn promise() -> impl Strategy<Value = Promise> {
        let comparison = proptest::sample::select(vec![
            Comparison::Equal,
            Comparison::NotEqual,
            Comparison::Less,
            Comparison::LessEqual,
            Comparison::Greater,
            Comparison::GreaterEqual,
        ]);
        (size_expr(), comparison, size_expr()).prop_map(|(left, comparison, right)| Promise {
            left,
            comparison,
            right,
        })
    }

    fn element() -> impl Strategy<Value = ElementType> {
        proptest::sample::select(ElementType::ALL.to_vec())
    }

    fn parameter() -> impl Strategy<Value = Parameter> {
        let dimension = prop_oneof![
            any::<u64>().prop_map(Dimension::Fixed),
            name().prop_map(Dimension::Named)
        ];
        let stride = prop_oneof![
            Just(Stride::Dense),
            Just(Stride::Free),
            any::<i64>().prop_map(Stride::Fixed),
            name().prop_map(Stride::Named)
        ];
        let tensor = (
            name(),
            element(),
            any::<bool>(),
            prop::collection::vec((dimension, stride), 1..5),
        );
        prop_oneof![
            (name(), element()).prop_map(|(name, element)| Parameter::Scalar { name, element }),
            (name(), element(), any::<bool>()).prop_map(|(name, element, mutable)| {
                Parameter::Pointer {
                    name,
                    element,
                    mutable,
                }
            }),
            tensor.prop_map(|(name, element, mutable, sizes)| {
                let (dimensions, strides) = sizes.into_iter().unzip();
                Parameter::Tensor {
                    name,
                    element,
                    mutable,
                    dimensions,
                    strides,
                }
            })
        ]
    }

    fn kernel() -> impl Strategy<Value = Kernel> {
        let assumption = prop_oneof![
            (name(), any::<u64>()).prop_map(|(of, bytes)| Assumption::Aligned { of, bytes }),
            (name(), any::<u64>()).prop_map(|(name, by)| Assumption::Divisible { name, by }),
            (name(), 0..5usize, any::<i64>()).prop_map(|(of, dimension, stride)| {
                Assumption::StrideEquals {
                    of,
                    dimension,
                    stride,
                }
            }),
            (size_expr(), any::<i64>(), any::<i64>())
                .prop_map(|(value, least, most)| Assumption::Within { value, least, most }),
        ];
        let variant = (
            name(),
            prop::collection::vec(assumption, 0..3),
            any::<u32>(),
            prop::collection::vec(any::<String>(), 0..2),
        )
            .prop_map(|(entry, assumptions, threads, decisions)| Variant {
                narrow: threads % 2 == 1,
                entry,
                assumptions,
                threads,
                cluster: 1,
                turns: threads % 2 == 0,
                programs_per_block: 1 + threads % 8,
                group: threads / 5,
                group_axis: threads % 2,
                pair: threads.checked_sub(1 << 31).map(|axis| Pair {
                    axis,
                    maps: vec![threads, 0],
                }),
                part_bytes: threads / 3,
                tickets: threads % 2 == 1,
                dependent: threads % 2 == 0,
                shared_bytes: threads,
                maps: Vec::new(),
                tuned: (threads % 3 == 0).then(|| Tuned {
                    generics: BTreeMap::from([("BM".to_owned(), threads.to_string())]),
                    grid: vec![SizeExpr::Const(i64::from(threads))],
                    promises: Vec::new(),
                    sizes: vec![BTreeMap::from([("m".to_owned(), i64::from(threads))])],
                    exact: threads % 2 == 0,
                }),
                decisions,
            });
        let argument = prop_oneof![
            name().prop_map(|of| Argument::Address { of }),
            name().prop_map(|name| Argument::Size { name }),
            (name(), 0..5usize).prop_map(|(of, dimension)| Argument::Stride { of, dimension }),
            name().prop_map(|name| Argument::Scalar { name }),
        ];
        (
            name(),
            any::<String>(),
            prop::collection::btree_map(name(), any::<String>(), 0..3),
            prop::collection::vec(parameter(), 0..4),
            prop::collection::vec(argument, 0..4),
            prop::option::of(prop::collection::vec(size_expr(), 1..4)),
            prop::collection::vec(promise(), 0..3),
            prop::collection::vec(variant, 0..3),
        )
            .prop_map(
                |(name, docs, generics, parameters, arguments, grid, promises, variants)| Kernel {
                    name,
                    docs,
                    generics,
                    parameters,
                    arguments,
                    grid,
                    promises,
                    variants,
                },
            )
    }

    proptest! {
        #[test]
        fn a_manifest_survives_the_ptx(
            kernels in prop::collection::vec(kernel(), 0..3),
            source in any::<String>(),
        ) {
            let manifest = Manifest {
                format: FORMAT,
                compiler: "tilec 0.1.0".to_owned(),
                target: "sm_90a".to_owned(),
                source,
                kernels,
            };
            let ptx = format!("{}.version 8.6\n// a comment\n", manifest.to_comment_lines());
            prop_assert_eq!(Manifest::from_ptx(&ptx), Ok(manifest));
        }

        #[test]
        fn any_text_is_a_manifest_or_an_error(text in any::<String>()) {
            let _ = Manifest::from_ptx(&format!("//tile: {text}"));
        }
    }

    #[test]
    fn errors_say_what_to_do() {
        let text = |ptx: &str| Manifest::from_ptx(ptx).expect_err("broken").to_string();
        assert_eq!(
            text(".version 8.6\n"),
            "the PTX has no manifest (no line starts with `//tile:`), so its kernels cannot be \
             launched by name: compile it with `tilec build`"
        );
        assert_eq!(
            text("//tile: {\"format\": 7, \"compiler\": \"tilec 9.0.0\"}\n"),
            format!(
                "the manifest has format 7 (written by tilec 9.0.0), but this runtime reads format \
                 {FORMAT}: use the runtime that came with that compiler, or compile again"
            )
        );
        assert_eq!(
            text("//tile: {\n//tile: \"format\" 1}\n"),
            "the manifest in the PTX is damaged: expected `:` at line 2 column 11"
        );
        assert_eq!(
            text(&format!("//tile: {{\"format\": {FORMAT}}}\n")),
            "the manifest in the PTX is damaged: missing field `compiler`"
        );
    }

    #[test]
    fn ptx_stays_ascii() {
        let mut manifest = Manifest {
            format: FORMAT,
            compiler: "tilec".to_owned(),
            target: "sm_90a".to_owned(),
            source: "größe.tile".to_owned(),
            kernels: Vec::new(),
        };
        manifest.source.push('𝕏');
        let text = manifest.to_comment_lines();
        assert!(text.is_ascii(), "{text}");
        assert_eq!(Manifest::from_ptx(&text), Ok(manifest));
    }
}
