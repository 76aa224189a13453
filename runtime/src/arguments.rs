//! Arguments of a kernel as people write them on a command line.
//!
//! ```text
//! n=1000  alpha=0.5  flag=true          a number
//! x=@weights.npy                        a file
//! x=[0,37,74]                           a list: a tensor of one dimension
//! x=zeros(512,512)  x=ones(64)          constants; the element type is the parameter's
//! x=full(512,512, 1.5)                  the last item is the value
//! x=arange(1000)  x=arange(5, 2; 1000)  0, 1, 2, …; or from 5 in steps of 2
//! x=randn(512,512)                      normal: mean 0, deviation 1
//! x=rand(512)  x=rand(-1, 1; 512)       uniform in [0, 1), or in [-1, 1)
//! x=randint(0, 10; 512)                 integers 0 to 9
//! x=randn(64,512).T                     transposed: strides 1 and 512 instead of a copy
//! ```
//!
//! Random tensors depend on the seed and on the argument's name, not on the order of arguments.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use crate::element::ElementType;
use crate::error::Error;
use crate::npy;
use crate::numeric::Scalar;
use crate::suggest;
use crate::tensor::{Seed, Tensor, TensorError, hash_text};

/// Why the text of an argument cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
#[non_exhaustive]
pub enum ArgumentError {
    #[error("`{0}` is no argument: write NAME=VALUE, such as `x=randn(512,512)` or `n=1000`{kernel}", kernel = or_kernel(.0))]
    NoName(String),
    #[error(
        "{name}={value}: this is no number, no `@file.npy`, no list such as `[0,37,74]`, and no call such as `zeros(512)`"
    )]
    Value { name: String, value: String },
    #[error("{name}={value}: a `{element}` is wanted, and `{value}` is an `i1`: write {number}")]
    Truth {
        name: String,
        value: bool,
        element: ElementType,
        number: i32,
    },
    #[error("{name}={function}(…): there is no `{function}`{suggestion}: use {functions}")]
    Function {
        name: String,
        function: String,
        suggestion: String,
        functions: String,
    },
    #[error("{name}={function}(…): write `{usage}`")]
    Usage {
        name: String,
        function: String,
        usage: &'static str,
    },
    #[error("{name}={function}(…): `{text}` is no size")]
    Size {
        name: String,
        function: String,
        text: String,
    },
    #[error("argument `{name}`: {problem}")]
    Tensor { name: String, problem: TensorError },
}

/// A word alone may be the name of a kernel, as it stands in a `//! run:` line.
fn or_kernel(text: &str) -> String {
    let is_word = |text: &str| {
        text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !text.starts_with(|c: char| c.is_ascii_digit())
    };
    match text {
        "" => String::new(),
        text if is_word(text) => format!("; a kernel is chosen by `--kernel {text}`"),
        _ => String::new(),
    }
}

/// `NAME=VALUE`, parsed.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedArgument {
    /// The parameter.
    pub name: String,
    /// What it gets.
    pub value: ArgumentExpr,
}

/// The value of an argument, not yet made.
#[derive(Debug, Clone, PartialEq)]
pub enum ArgumentExpr {
    /// A number.
    Number(Scalar),
    /// `true` or `false`.
    Truth(bool),
    /// A `.npy` file.
    File(PathBuf),
    /// A new tensor.
    New {
        /// What is in it.
        content: Content,
        /// Its sizes (before transposing).
        shape: Vec<usize>,
        /// Whether the argument is its transpose.
        transposed: bool,
    },
}

/// What a new tensor holds.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)] // see the table on top of this module
pub enum Content {
    Full(Scalar),
    List(Vec<Scalar>),
    Arange { start: i64, step: i64 },
    Randn,
    Rand { low: f64, high: f64 },
    Randint { low: i64, high: i64 },
}

/// The value of an argument, on the host.
#[derive(Debug, Clone, PartialEq)]
pub enum HostArgument {
    /// A tensor.
    Tensor(Tensor),
    /// A number.
    Scalar(Scalar),
}

/// The constructors: name and usage.
const FUNCTIONS: [(&str, &str); 7] = [
    ("randn", "randn(SIZE, …)"),
    ("rand", "rand(SIZE, …) or rand(LOW, HIGH; SIZE, …)"),
    ("randint", "randint(LOW, HIGH; SIZE, …)"),
    ("zeros", "zeros(SIZE, …)"),
    ("ones", "ones(SIZE, …)"),
    ("full", "full(SIZE, …, VALUE)"),
    ("arange", "arange(SIZE, …) or arange(START, STEP; SIZE, …)"),
];

impl FromStr for NamedArgument {
    type Err = ArgumentError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let identifier = |name: &str| {
            name.chars().all(|c| c.is_alphanumeric() || c == '_')
                && name.starts_with(|c: char| !c.is_ascii_digit())
        };
        let (name, value) = text
            .split_once('=')
            .map(|(name, value)| (name.trim(), value.trim()))
            .filter(|(name, _)| identifier(name))
            .ok_or_else(|| ArgumentError::NoName(text.to_owned()))?;
        Ok(Self {
            name: name.to_owned(),
            value: expression(name, value)?,
        })
    }
}

/// A number as Rust or NumPy writes it.
fn number(text: &str) -> Option<Scalar> {
    let digits = text.replace('_', "");
    let (sign, magnitude) = match digits.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, digits.as_str()),
    };
    if let Some(hex) = magnitude.strip_prefix("0x") {
        // `from_str_radix` would take a second sign.
        let plain = hex.starts_with(|c: char| c.is_ascii_hexdigit());
        let value = i128::from_str_radix(hex, 16).ok().filter(|_| plain)?;
        return Some(Scalar::Int(sign * value));
    }
    if let Ok(value) = digits.parse() {
        return Some(Scalar::Int(value));
    }
    digits.parse().ok().map(Scalar::Float)
}

/// What stands between commas.
fn items(text: &str) -> Vec<String> {
    let items = text.split(',').map(|item| item.trim().to_owned());
    items.filter(|item| !item.is_empty()).collect()
}

fn expression(name: &str, text: &str) -> Result<ArgumentExpr, ArgumentError> {
    if let Some(path) = text.strip_prefix('@') {
        return Ok(ArgumentExpr::File(path.into()));
    }
    if let Ok(value) = text.parse() {
        return Ok(ArgumentExpr::Truth(value));
    }
    if let Some(value) = number(text) {
        return Ok(ArgumentExpr::Number(value));
    }
    let (call, transposed) = match text.strip_suffix(".T") {
        Some(call) => (call, true),
        None => (text, false),
    };
    let malformed = || ArgumentError::Value {
        name: name.to_owned(),
        value: text.to_owned(),
    };
    if let Some(inside) = text.strip_prefix('[') {
        let inside = inside.strip_suffix(']').ok_or_else(malformed)?;
        let list = items(inside).iter().map(|item| number(item)).collect();
        let list: Vec<_> = Option::ok_or_else(list, malformed)?;
        return Ok(ArgumentExpr::New {
            shape: vec![list.len()],
            content: Content::List(list),
            transposed: false,
        });
    }
    let (function, inside) = call
        .strip_suffix(')')
        .and_then(|call| call.split_once('('))
        .map(|(function, inside)| (function.trim(), inside))
        .ok_or_else(malformed)?;
    let usage = FUNCTIONS
        .iter()
        .find(|(known, _)| *known == function)
        .map(|(_, usage)| *usage)
        .ok_or_else(|| ArgumentError::Function {
            name: name.to_owned(),
            function: function.to_owned(),
            suggestion: suggest::nearest(function, FUNCTIONS.iter().map(|(known, _)| *known)),
            functions: suggest::list(FUNCTIONS.iter().map(|(known, _)| *known)),
        })?;
    let wrong = || ArgumentError::Usage {
        name: name.to_owned(),
        function: function.to_owned(),
        usage,
    };
    let (mut parameters, mut sizes) = match inside.split_once(';') {
        Some((parameters, sizes)) => (items(parameters), items(sizes)),
        None => (Vec::new(), items(inside)),
    };
    if function == "full" && parameters.is_empty() {
        parameters.extend(sizes.pop());
    }
    let parameters: Vec<Scalar> = parameters
        .iter()
        .map(|text| number(text).ok_or_else(wrong))
        .collect::<Result<_, _>>()?;
    let content = match (function, parameters.as_slice()) {
        ("zeros", []) => Content::Full(Scalar::Int(0)),
        ("ones", []) => Content::Full(Scalar::Int(1)),
        ("full", &[value]) => Content::Full(value),
        ("arange", []) => Content::Arange { start: 0, step: 1 },
        ("arange", &[Scalar::Int(start), Scalar::Int(step)]) => Content::Arange {
            start: i64::try_from(start).map_err(|_| wrong())?,
            step: i64::try_from(step).map_err(|_| wrong())?,
        },
        ("randn", []) => Content::Randn,
        ("rand", []) => Content::Rand {
            low: 0.0,
            high: 1.0,
        },
        ("rand", &[low, high]) => Content::Rand {
            low: low.as_f64(),
            high: high.as_f64(),
        },
        ("randint", &[Scalar::Int(low), Scalar::Int(high)]) => Content::Randint {
            low: i64::try_from(low).map_err(|_| wrong())?,
            high: i64::try_from(high).map_err(|_| wrong())?,
        },
        _ => return Err(wrong()),
    };
    if sizes.is_empty() {
        return Err(wrong());
    }
    let size = |text: &String| match number(text) {
        Some(Scalar::Int(size)) if size >= 0 => usize::try_from(size).ok(),
        _ => None,
    };
    let shape = sizes
        .iter()
        .map(|text| {
            size(text).ok_or_else(|| ArgumentError::Size {
                name: name.to_owned(),
                function: function.to_owned(),
                text: text.clone(),
            })
        })
        .collect::<Result<_, _>>()?;
    Ok(ArgumentExpr::New {
        content,
        shape,
        transposed,
    })
}

impl NamedArgument {
    /// Makes the value, a tensor with elements of the given type or a number. Files come out
    /// dense, whatever their order.
    ///
    /// # Errors
    /// If a file cannot be read as that element type, or a tensor cannot be made.
    pub fn evaluate(&self, element: ElementType, seed: u64) -> Result<HostArgument, Error> {
        let (content, shape, transposed) = match &self.value {
            ArgumentExpr::Number(value) => return Ok(HostArgument::Scalar(*value)),
            ArgumentExpr::Truth(value) if element == ElementType::I1 => {
                return Ok(HostArgument::Scalar((*value).into()));
            }
            ArgumentExpr::Truth(value) => {
                return Err(ArgumentError::Truth {
                    name: self.name.clone(),
                    value: *value,
                    element,
                    number: i32::from(*value),
                }
                .into());
            }
            ArgumentExpr::File(path) => {
                return Ok(HostArgument::Tensor(
                    npy::read_as(path, element)?.to_dense(),
                ));
            }
            ArgumentExpr::New {
                content,
                shape,
                transposed,
            } => (content, shape, transposed),
        };
        let seed = Seed {
            seed,
            stream: hash_text(&self.name),
        };
        let tensor = match *content {
            Content::List(ref list) => Tensor::list(element, list),
            Content::Full(value) => Tensor::full(element, shape, value),
            Content::Arange { start, step } => Tensor::arange(element, shape, start, step),
            Content::Randn => Tensor::randn(element, shape, seed),
            Content::Rand { low, high } => Tensor::rand(element, shape, low, high, seed),
            Content::Randint { low, high } => Tensor::randint(element, shape, low, high, seed),
        };
        let tensor = tensor.map_err(|problem| ArgumentError::Tensor {
            name: self.name.clone(),
            problem,
        })?;
        Ok(HostArgument::Tensor(if *transposed {
            tensor.transposed()
        } else {
            tensor
        }))
    }
}

/// `NAME=FILE` of an option that saves a tensor or reads one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileArgument {
    /// The parameter.
    pub name: String,
    /// The `.npy` file.
    pub path: PathBuf,
}

impl FromStr for FileArgument {
    type Err = ArgumentError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('=') {
            Some((name, path)) if !name.is_empty() && !path.is_empty() => Ok(Self {
                name: name.to_owned(),
                path: path.into(),
            }),
            _ => Err(ArgumentError::NoName(text.to_owned())),
        }
    }
}

impl fmt::Display for FileArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name, self.path.display())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &str) -> Result<ArgumentExpr, String> {
        let parsed: Result<NamedArgument, _> = text.parse();
        parsed
            .map(|named| named.value)
            .map_err(|error| error.to_string())
    }

    fn make(text: &str, element: ElementType) -> Tensor {
        let named: NamedArgument = text.parse().expect("well formed");
        match named.evaluate(element, 0).expect("can be made") {
            HostArgument::Tensor(tensor) => tensor,
            HostArgument::Scalar(value) => panic!("the number {value}"),
        }
    }

    #[test]
    fn numbers() {
        let of = |text: &str| parse(&format!("n={text}"));
        let int = |value| Ok(ArgumentExpr::Number(Scalar::Int(value)));
        assert_eq!(of("1_000"), int(1000));
        assert_eq!(of("-0x10"), int(-16));
        assert_eq!(of("true"), Ok(ArgumentExpr::Truth(true)));
        assert_eq!(of("18446744073709551615"), int(u64::MAX.into()));
        assert_eq!(of("1e3"), Ok(ArgumentExpr::Number(Scalar::Float(1000.0))));
        assert_eq!(
            of("-inf"),
            Ok(ArgumentExpr::Number(Scalar::Float(f64::NEG_INFINITY)))
        );
    }

    #[test]
    fn truth_values_are_no_numbers() {
        let of = |element| {
            let named: NamedArgument = "flag=true".parse().expect("well formed");
            named
                .evaluate(element, 0)
                .map_err(|error| error.to_string())
        };
        assert_eq!(
            of(ElementType::I1),
            Ok(HostArgument::Scalar(Scalar::Int(1)))
        );
        let refused = of(ElementType::F32).expect_err("an f32 is no truth value");
        assert!(refused.contains("write 1"), "{refused}");
    }

    #[test]
    fn tensors() {
        assert_eq!(
            make("x=full(2, 2, 1.5)", ElementType::F16).to_f64(),
            [1.5; 4]
        );
        assert_eq!(
            make("x=full(1.5; 2, 2)", ElementType::F16).to_f64(),
            [1.5; 4]
        );
        assert_eq!(
            make("x=arange(2,3)", ElementType::I32).to_i64(),
            [0, 1, 2, 3, 4, 5]
        );
        assert_eq!(
            make("x=arange(5, -2; 3)", ElementType::F32).to_f64(),
            [5.0, 3.0, 1.0]
        );
        let transposed = make("x=arange(2,3).T", ElementType::I32);
        assert_eq!(
            (transposed.shape(), transposed.strides()),
            (&[3, 2][..], &[1, 3][..])
        );
        assert!(
            make("x=randint(-2, 3; 100)", ElementType::I8)
                .to_i64()
                .iter()
                .all(|x| x.abs() < 3)
        );
        assert_eq!(make("x=ones(0)", ElementType::F32).len(), 0);
        let list = make("x=[0, 37,-5]", ElementType::I64);
        assert_eq!((list.shape(), list.to_i64()), (&[3][..], vec![0, 37, -5]));
        assert_eq!(make("x=[]", ElementType::F32).len(), 0);
        assert_ne!(
            make("x=randn(8)", ElementType::F32),
            make("y=randn(8)", ElementType::F32)
        );
    }

    #[test]
    fn errors_teach() {
        let text = |text: &str| parse(text).expect_err("malformed");
        assert_eq!(
            text("randn(4)"),
            "`randn(4)` is no argument: write NAME=VALUE, such as `x=randn(512,512)` or `n=1000`"
        );
        assert_eq!(
            text("x=rnadn(4)"),
            "x=rnadn(…): there is no `rnadn` (did you mean `randn`?): use `randn`, `rand`, \
             `randint`, `zeros`, `ones`, `full` and `arange`"
        );
        assert_eq!(
            text("x=randint(4)"),
            "x=randint(…): write `randint(LOW, HIGH; SIZE, …)`"
        );
        assert_eq!(text("x=zeros()"), "x=zeros(…): write `zeros(SIZE, …)`");
        assert_eq!(text("x=zeros(4, n)"), "x=zeros(…): `n` is no size");
        assert_eq!(text("x=zeros(-4)"), "x=zeros(…): `-4` is no size");
        assert_eq!(
            text("x=zeros(4"),
            "x=zeros(4: this is no number, no `@file.npy`, no list such as `[0,37,74]`, and no call such as `zeros(512)`"
        );
        assert!(text("x=[1,2").starts_with("x=[1,2: this is no number"));
        assert!(text("x=[1,a]").starts_with("x=[1,a]: this is no number"));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[a-z]=[-a-z0-9()\\[\\].;,_x@T ]{0,20}") {
            let _ = text.parse::<NamedArgument>();
        }
    }
}
