//! Formulas: what a tensor must hold after a run, computed in `f64` from the arguments.
//!
//! ```text
//! //! expect: centred y = x - expand(mean(x, 1), 1) * N
//! ```
//!
//! Names are arguments (as they were before the run) and generics of the case: numbers, or types for
//! `cast`. Operators are those of the language on numbers, except that `/` divides reals; functions
//! are those in this file. Reductions take `x` or `x, axis` and drop the axis, which `expand(x, axis)`
//! puts back.

use std::collections::BTreeMap;

use tile_runtime::element::ElementType;

use super::array::{self, Array, number, zip};
use super::{random, rounding};

/// A formula, parsed.
#[derive(Debug, Clone, PartialEq)]
pub enum Formula {
    /// A number.
    Number(f64),
    /// An argument or a generic.
    Name(String),
    /// A function of others; operators are functions named like them.
    Call(String, Vec<Formula>),
}

/// What names stand for.
#[derive(Debug, Default)]
pub struct Scope {
    /// Arguments and numbers.
    pub values: BTreeMap<String, Array>,
    /// Generics that are types.
    pub types: BTreeMap<String, ElementType>,
}

/// Reads a formula.
///
/// # Errors
/// In words, what is wrong with it.
pub fn parse(text: &str) -> Result<Formula, String> {
    let mut parser = Parser {
        tokens: tokens(text)?,
        at: 0,
    };
    let formula = parser.binary(0)?;
    match parser.peek() {
        None => Ok(formula),
        Some(token) => Err(format!("`{token}` was not expected in `{}`", text.trim())),
    }
}

fn tokens(text: &str) -> Result<Vec<String>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if first.is_ascii_digit() {
            // The sign behind an exponent belongs to the number.
            let mut before = ' ';
            let end = rest.find(|c: char| {
                let inside = c.is_ascii_alphanumeric() || c == '.' || c == '_';
                let sign = (c == '-' || c == '+') && before == 'e' && !rest.starts_with("0x");
                before = c;
                !(inside || sign)
            });
            end.unwrap_or(rest.len())
        } else if first.is_ascii_alphabetic() || first == '_' {
            rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .unwrap_or(rest.len())
        } else if ["<=", ">=", "==", "!="]
            .iter()
            .any(|two| rest.starts_with(two))
        {
            2
        } else if "+-*/%()<>,".contains(first) {
            1
        } else {
            return Err(format!("`{first}` has no meaning in a formula"));
        };
        let (token, behind) = rest.split_at(length);
        tokens.push(token.to_owned());
        rest = behind.trim_start();
    }
    Ok(tokens)
}

struct Parser {
    tokens: Vec<String>,
    at: usize,
}

/// Operators by how strongly they bind, weakest first.
const LEVELS: [&[&str]; 3] = [
    &["<", "<=", ">", ">=", "==", "!="],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Parser {
    fn peek(&self) -> Option<&str> {
        self.tokens.get(self.at).map(String::as_str)
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.peek() == Some(token);
        self.at += usize::from(found);
        found
    }

    fn binary(&mut self, level: usize) -> Result<Formula, String> {
        let Some(operators) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = self.peek().filter(|token| operators.contains(token)) {
            let operator = operator.to_owned();
            self.at += 1;
            left = Formula::Call(operator, vec![left, self.binary(level + 1)?]);
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Formula, String> {
        if self.take("-") {
            return Ok(Formula::Call("neg".to_owned(), vec![self.unary()?]));
        }
        let token = self.peek().ok_or("the formula ends too early")?.to_owned();
        self.at += 1;
        if token == "(" {
            let inside = self.binary(0)?;
            return if self.take(")") {
                Ok(inside)
            } else {
                Err("`)` is missing".to_owned())
            };
        }
        if token.starts_with(|c: char| c.is_ascii_digit()) {
            return Ok(Formula::Number(literal(&token)?));
        }
        if !token.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return Err(format!("`{token}` is no value"));
        }
        if !self.take("(") {
            return Ok(match token.as_str() {
                "inf" => Formula::Number(f64::INFINITY),
                "nan" => Formula::Number(f64::NAN),
                _ => Formula::Name(token),
            });
        }
        let mut arguments = Vec::new();
        while !self.take(")") {
            if !arguments.is_empty() && !self.take(",") {
                return Err("`,` or `)` is missing".to_owned());
            }
            arguments.push(self.binary(0)?);
        }
        Ok(Formula::Call(token, arguments))
    }
}

fn literal(token: &str) -> Result<f64, String> {
    let digits = token.replace('_', "");
    let value = match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok().map(|value| value as f64),
        None => digits.parse().ok(),
    };
    value.ok_or_else(|| format!("`{token}` is no number"))
}

impl Formula {
    /// Its value.
    ///
    /// # Errors
    /// In words, what has no meaning.
    pub fn value(&self, scope: &Scope) -> Result<Array, String> {
        match self {
            Self::Number(value) => Ok(number(*value)),
            Self::Name(name) => {
                let known = scope.values.get(name);
                known.cloned().ok_or_else(|| format!("`{name}` is unknown"))
            }
            Self::Call(name, arguments) => call(name, arguments, scope),
        }
    }

    fn integer(&self, scope: &Scope) -> Result<i64, String> {
        let value = self.value(scope)?;
        match value.iter().next() {
            Some(value) if value.fract() == 0.0 => Ok(*value as i64),
            _ => Err("a whole number was expected".to_owned()),
        }
    }

    fn size(&self, scope: &Scope) -> Result<usize, String> {
        usize::try_from(self.integer(scope)?).map_err(|error| error.to_string())
    }

    fn element(&self, scope: &Scope) -> Result<ElementType, String> {
        let Self::Name(name) = self else {
            return Err("a type was expected".to_owned());
        };
        match scope.types.get(name) {
            Some(element) => Ok(*element),
            None => name.parse().map_err(|_| format!("`{name}` is no type")),
        }
    }
}

/// A function of one number.
fn unary(name: &str) -> Option<fn(f64) -> f64> {
    Some(match name {
        "neg" => |x| -x,
        "abs" => f64::abs,
        "exp" => f64::exp,
        "exp2" => f64::exp2,
        "log" => f64::ln,
        "log2" => f64::log2,
        "sqrt" => f64::sqrt,
        "rsqrt" => |x| 1.0 / x.sqrt(),
        "sin" => f64::sin,
        "cos" => f64::cos,
        "tanh" => f64::tanh,
        "asinh" => libm::asinh,
        "acosh" => libm::acosh,
        "atanh" => libm::atanh,
        "erf" => libm::erf,
        "floor" => f64::floor,
        "ceil" => f64::ceil,
        "trunc" => f64::trunc,
        "round" => f64::round_ties_even,
        "sigmoid" => |x| 1.0 / (1.0 + (-x).exp()),
        "relu" => |x| x.max(0.0),
        "not" => |x| f64::from(x == 0.0),
        "isnan" => |x| f64::from(x.is_nan()),
        _ => return None,
    })
}

/// A function of two numbers.
fn binary(name: &str) -> Option<fn(f64, f64) -> f64> {
    Some(match name {
        "+" => |a, b| a + b,
        "-" => |a, b| a - b,
        "*" => |a, b| a * b,
        "/" => |a, b| a / b,
        "%" => |a, b| a % b,
        "<" => |a, b| f64::from(a < b),
        "<=" => |a, b| f64::from(a <= b),
        ">" => |a, b| f64::from(a > b),
        ">=" => |a, b| f64::from(a >= b),
        "==" => |a, b| f64::from(a == b),
        "!=" => |a, b| f64::from(a != b),
        "max" => f64::max,
        "min" => f64::min,
        "idiv" => |a, b| (a / b).trunc(),
        "and" => |a, b| (a as i64 & b as i64) as f64,
        "or" => |a, b| (a as i64 | b as i64) as f64,
        "xor" => |a, b| (a as i64 ^ b as i64) as f64,
        // Of integers, as exact as `f64` is.
        "shl" => |a, b| a * b.exp2(),
        "shr" => |a, b| (a / b.exp2()).floor(),
        _ => return None,
    })
}

/// A function of a line.
fn reduction(name: &str) -> Option<fn(&[f64]) -> f64> {
    fn first(line: &[f64], better: fn(f64, f64) -> bool) -> f64 {
        let mut best: Option<usize> = None;
        for (at, value) in line.iter().enumerate().filter(|(_, value)| !value.is_nan()) {
            if best.is_none_or(|best| better(*value, line[best])) {
                best = Some(at);
            }
        }
        best.unwrap_or(0) as f64
    }
    Some(match name {
        "sum" => |line| line.iter().sum(),
        "prod" => |line| line.iter().product(),
        "mean" => |line| line.iter().sum::<f64>() / line.len() as f64,
        "amax" => |line| line.iter().copied().fold(f64::NAN, f64::max),
        "amin" => |line| line.iter().copied().fold(f64::NAN, f64::min),
        "any" => |line| f64::from(line.iter().any(|value| *value != 0.0)),
        "all" => |line| f64::from(line.iter().all(|value| *value != 0.0)),
        "argmax" => |line| first(line, |a, b| a > b),
        "argmin" => |line| first(line, |a, b| a < b),
        "xor_sum" => |line| line.iter().fold(0, |all, value| all ^ *value as i64) as f64,
        _ => return None,
    })
}

/// A function of a line that gives a line.
fn scan(name: &str) -> Option<fn(&mut Vec<f64>)> {
    fn running(line: &mut [f64], f: fn(f64, f64) -> f64) {
        for at in 1..line.len() {
            line[at] = f(line[at - 1], line[at]);
        }
    }
    Some(match name {
        "cumsum" => |line| running(line, |a, b| a + b),
        "cumprod" => |line| running(line, |a, b| a * b),
        "cummax" => |line| running(line, f64::max),
        "last_seen" => |line| running(line, |a, b| if b == 0.0 { a } else { b }),
        "sort" => |line| line.sort_by(f64::total_cmp),
        _ => return None,
    })
}

/// The functions of formulas.
fn call(name: &str, arguments: &[Formula], scope: &Scope) -> Result<Array, String> {
    let value = |formula: &Formula| formula.value(scope);
    if let (Some(function), [x]) = (unary(name), arguments) {
        return Ok(value(x)?.mapv(function));
    }
    if let (Some(function), [x, y]) = (binary(name), arguments) {
        return zip(&value(x)?, &value(y)?, function);
    }
    match (reduction(name), arguments) {
        (Some(function), [x]) => return array::reduce(&value(x)?, None, function),
        (Some(function), [x, axis]) => {
            return array::reduce(&value(x)?, Some(axis.size(scope)?), function);
        }
        _ => {}
    }
    if let (Some(function), [x, axis]) = (scan(name), arguments) {
        return array::along(&value(x)?, axis.size(scope)?, function);
    }
    let sizes = |formulas: &[Formula]| -> Result<Vec<usize>, String> {
        formulas.iter().map(|formula| formula.size(scope)).collect()
    };
    match (name, arguments) {
        ("where", [condition, x, y]) => {
            let (condition, x, y) = (value(condition)?, value(x)?, value(y)?);
            // Not by multiplication: the branch that is not taken may be infinite.
            let shape = zip(&zip(&condition, &x, |_, b| b)?, &y, |_, b| b)?;
            let wide = |array: &Array| array::stretch(array, shape.shape());
            let (condition, x, y) = (wide(&condition)?, wide(&x)?, wide(&y)?);
            let chosen = ndarray::Zip::from(&condition).and(&x).and(&y);
            Ok(chosen.map_collect(|c, x, y| if *c == 0.0 { *y } else { *x }))
        }
        ("cast" | "rtz", [x, ty]) => {
            let element = ty.element(scope)?;
            Ok(value(x)?.mapv(|value| rounding::cast(element, value, name == "rtz")))
        }
        ("wrap", [x, ty]) => {
            let element = ty.element(scope)?;
            Ok(value(x)?.mapv(|value| rounding::wrap(element, value)))
        }
        ("randint" | "rand" | "randn", [seed, offset, rounds @ ..]) => {
            let seed = seed.integer(scope)? as u64;
            let rounds = rounds
                .first()
                .map_or(Ok(10), |rounds| rounds.integer(scope))?;
            let rounds = u32::try_from(rounds).map_err(|error| error.to_string())?;
            Ok(value(offset)?.mapv(|offset| {
                let words = random::philox(seed, offset as u64, rounds);
                match name {
                    "randint" => f64::from(words[0]),
                    "rand" => f64::from(random::uniform(words[0])),
                    _ => random::normal(words),
                }
            }))
        }
        ("dot", [x, y]) => array::dot(&value(x)?, &value(y)?),
        ("t", [x]) => Ok(value(x)?.t().as_standard_layout().into_owned()),
        ("permute", [x, order @ ..]) => array::permute(&value(x)?, &sizes(order)?),
        ("reshape", [x, shape @ ..]) => array::reshape(&value(x)?, &sizes(shape)?),
        ("stretch", [x, shape @ ..]) => array::stretch(&value(x)?, &sizes(shape)?),
        ("expand", [x, axis]) => {
            let (x, axis) = (value(x)?, axis.size(scope)?);
            let mut shape = x.shape().to_vec();
            if axis > shape.len() {
                return Err(format!("no axis {axis} can be put into {shape:?}"));
            }
            shape.insert(axis, 1);
            array::reshape(&x, &shape)
        }
        ("flip", [x, axis]) => array::flip(&value(x)?, axis.size(scope)?),
        ("cat", [x, y, axis]) => array::cat(&value(x)?, &value(y)?, axis.size(scope)?),
        ("part", [x, axis, start, length]) => {
            let (start, length) = (start.integer(scope)?, length.size(scope)?);
            array::part(&value(x)?, axis.size(scope)?, start, length, 0.0)
        }
        ("part", [x, axis, start, length, fill]) => {
            let (start, length) = (start.integer(scope)?, length.size(scope)?);
            let fill = value(fill)?.iter().next().copied().unwrap_or(0.0);
            array::part(&value(x)?, axis.size(scope)?, start, length, fill)
        }
        ("gather", [x, positions, axis]) => {
            array::gather(&value(x)?, &value(positions)?, axis.size(scope)?, 0.0)
        }
        ("gather", [x, positions, axis, fill]) => {
            let fill = value(fill)?.iter().next().copied().unwrap_or(0.0);
            array::gather(&value(x)?, &value(positions)?, axis.size(scope)?, fill)
        }
        ("arange", [count]) => {
            let values = (0..count.size(scope)?).map(|value| value as f64).collect();
            Ok(ndarray::Array1::from_vec(values).into_dyn())
        }
        ("size", [x, axis]) => {
            let (x, axis) = (value(x)?, axis.size(scope)?);
            let size = x.shape().get(axis).ok_or("there is no such axis")?;
            Ok(number(*size as f64))
        }
        _ => Err(format!(
            "there is no `{name}` of {} arguments",
            arguments.len()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Array {
        let mut scope = Scope::default();
        let x = ndarray::arr2(&[[1.0, -2.0, 3.0], [0.0, 5.0, f64::NAN]]).into_dyn();
        scope.values.insert("x".to_owned(), x);
        scope.types.insert("T".to_owned(), ElementType::I8);
        let formula = parse(text).expect("it is a formula");
        formula.value(&scope).expect("it has a value")
    }

    #[test]
    fn operators_bind_as_they_do_elsewhere() {
        assert_eq!(of("2 + 3 * 4 - -1"), number(15.0));
        assert_eq!(of("(2 + 3) * 4 % 7 < 7"), number(1.0));
        assert_eq!(of("1e-3 * 0x10"), number(0.016));
    }

    #[test]
    fn functions_take_arrays() {
        assert_eq!(of("argmax(x, 1)"), ndarray::arr1(&[2.0, 1.0]).into_dyn());
        assert_eq!(of("amin(x)"), number(-2.0));
        let running = of("cumsum(where(isnan(x), 0, x), 1)");
        assert_eq!(
            running,
            ndarray::arr2(&[[1.0, -1.0, 2.0], [0.0, 5.0, 5.0]]).into_dyn()
        );
        assert_eq!(of("size(t(x), 0)"), number(3.0));
    }

    #[test]
    fn casts_round_and_wraps_wrap() {
        assert_eq!(of("cast(300.7, T)"), number(127.0));
        assert_eq!(of("wrap(300, T)"), number(44.0));
        assert_eq!(of("cast(1 / 3, f16)"), number(0.333_251_953_125));
    }

    #[test]
    fn mistakes_are_told() {
        let wrong = |text: &str| parse(text).expect_err("it is wrong");
        assert_eq!(wrong("1 +"), "the formula ends too early");
        assert_eq!(wrong("f(1 2)"), "`,` or `)` is missing");
        assert_eq!(wrong("1 ! 2"), "`!` has no meaning in a formula");
        let scope = Scope::default();
        let value = |text: &str| parse(text).expect("it is a formula").value(&scope);
        assert_eq!(value("y"), Err("`y` is unknown".to_owned()));
        assert_eq!(
            value("f(1)"),
            Err("there is no `f` of 1 arguments".to_owned())
        );
    }
}
