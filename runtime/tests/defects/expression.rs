//! Whole numbers that a header gives by a rule: what buffers hold, and what comes out.
//!
//! ```text
//! i * 7 % 16                             the element with index i
//! sum(k < 256: in[i * 256 + k])          over k from 0 on
//! ```
//!
//! Operators are those of Rust: `+ - * / %`, with brackets.

use std::collections::BTreeMap;

/// What names mean.
#[derive(Debug, Default, Clone)]
pub struct Names {
    pub numbers: BTreeMap<String, i64>,
    pub buffers: BTreeMap<String, Vec<i64>>,
}

/// The value of an expression.
pub fn evaluate(text: &str, names: &Names) -> Result<i64, String> {
    let mut reader = Reader {
        rest: text,
        names: names.clone(),
    };
    let value = reader.terms();
    match value {
        Ok(value) if reader.rest.trim().is_empty() => Ok(value),
        Ok(_) => Err(format!("`{}` is left of `{text}`", reader.rest)),
        Err(problem) => Err(format!("{problem} in `{text}`")),
    }
}

struct Reader<'a> {
    rest: &'a str,
    names: Names,
}

impl Reader<'_> {
    /// Takes a character if it comes next.
    fn takes(&mut self, wanted: char) -> bool {
        match self.rest.trim_start().strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn must_take(&mut self, wanted: char) -> Result<(), String> {
        let took = self.takes(wanted);
        took.then_some(()).ok_or_else(|| format!("no `{wanted}`"))
    }

    fn word(&mut self) -> &str {
        let rest = self.rest.trim_start();
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
        let (word, rest) = rest.split_at(end.unwrap_or(rest.len()));
        self.rest = rest;
        word
    }

    fn terms(&mut self) -> Result<i64, String> {
        let mut value = self.factors()?;
        loop {
            if self.takes('+') {
                value += self.factors()?;
            } else if self.takes('-') {
                value -= self.factors()?;
            } else {
                return Ok(value);
            }
        }
    }

    fn factors(&mut self) -> Result<i64, String> {
        let mut value = self.factor()?;
        let zero = || "a division by zero".to_owned();
        loop {
            if self.takes('*') {
                value *= self.factor()?;
            } else if self.takes('/') {
                value = value.checked_div(self.factor()?).ok_or_else(zero)?;
            } else if self.takes('%') {
                value = value.checked_rem(self.factor()?).ok_or_else(zero)?;
            } else {
                return Ok(value);
            }
        }
    }

    fn factor(&mut self) -> Result<i64, String> {
        if self.takes('-') {
            return Ok(-self.factor()?);
        }
        if self.takes('(') {
            let value = self.terms()?;
            self.must_take(')')?;
            return Ok(value);
        }
        let word = self.word().to_owned();
        if let Ok(number) = word.parse() {
            return Ok(number);
        }
        if word == "sum" {
            return self.sum();
        }
        if self.takes('[') {
            let index = self.terms()?;
            self.must_take(']')?;
            let buffer = self.names.buffers.get(&word);
            let buffer = buffer.ok_or_else(|| format!("no buffer `{word}`"))?;
            let value = usize::try_from(index)
                .ok()
                .and_then(|index| buffer.get(index));
            return value.copied().ok_or_else(|| format!("no {word}[{index}]"));
        }
        let number = self.names.numbers.get(&word);
        number.copied().ok_or_else(|| format!("no number `{word}`"))
    }

    /// `(k < 256: expression)`, after `sum`.
    fn sum(&mut self) -> Result<i64, String> {
        self.must_take('(')?;
        let name = self.word().to_owned();
        self.must_take('<')?;
        let count = self.terms()?;
        self.must_take(':')?;
        let body = self.rest;
        let mut sum = 0;
        for number in 0..count {
            self.rest = body;
            self.names.numbers.insert(name.clone(), number);
            sum += self.terms()?;
        }
        self.names.numbers.remove(&name);
        self.must_take(')')?;
        Ok(sum)
    }
}

#[test]
fn expressions_have_the_values_that_they_say() {
    let mut names = Names::default();
    names.numbers.insert("i".to_owned(), 5);
    names.buffers.insert("a".to_owned(), vec![10, 20, 30]);
    assert_eq!(evaluate("1 + i * 7 % 16 / (1 - -1)", &names), Ok(2));
    assert_eq!(evaluate("sum(k < 3: a[k] * (k + 1)) - 1", &names), Ok(139));
    assert!(evaluate("a[3]", &names).is_err());
    assert!(evaluate("1 2", &names).is_err());
}
