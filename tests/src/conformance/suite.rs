//! A file of the suite: its kernels, and the cases that its header stands for.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tilec::target::Target;

use super::axes::{Axis, expand, split_outside_brackets};
use super::formula::{Formula, parse};
use super::unit;
use crate::calls::MULTIPROCESSORS;

/// What is asked of a kernel with its generics bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// Simulator, interpreter and formula must agree. The suffix of the variant that must be
    /// chosen, if one must.
    Runs(Option<&'static str>),
    /// The launch must be refused, and the message contain this (blanks are `_`).
    Refuses(String),
    /// The interpreter must stop with this code.
    Stops(String),
    /// The compiler must refuse with this code.
    Fails(String),
    /// The PTX must have these properties.
    Ptx,
    /// The line table must name the marked lines.
    Lines,
}

/// One case.
#[derive(Debug, Clone)]
pub struct Case {
    /// The group that it is counted in.
    pub group: String,
    /// The line of the header, from 1.
    pub line: usize,
    /// The kernel.
    pub kernel: String,
    /// Its generics: `T=f16`.
    pub bindings: Vec<String>,
    /// What is asked.
    pub question: Question,
    /// The arguments, or what is asked of the PTX.
    pub words: Vec<String>,
}

/// What a tensor must hold after a run.
#[derive(Debug, Clone)]
pub struct Expectation {
    /// The parameter.
    pub tensor: String,
    /// Allowed error, if it is not the kernel's.
    pub tolerance: Option<f64>,
    /// Its value.
    pub formula: Formula,
}

/// A file of the suite.
#[derive(Debug)]
pub struct Suite {
    /// Where it is.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// The cases, in order.
    pub cases: Vec<Case>,
    /// What it is compiled for.
    pub target: &'static Target,
    /// Multiprocessors of the simulator.
    pub multiprocessors: u32,
    tolerances: BTreeMap<String, f64>,
    expectations: BTreeMap<String, Vec<Expectation>>,
}

impl Suite {
    /// Reads a file.
    ///
    /// # Errors
    /// In words, which line is wrong and why.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        Self::new(path, text)
    }

    /// A file from text.
    ///
    /// # Errors
    /// In words, which line is wrong and why.
    pub fn new(path: &Path, text: String) -> Result<Self, String> {
        let mut suite = Self {
            path: path.to_owned(),
            text: String::new(),
            cases: Vec::new(),
            target: unit::target(),
            multiprocessors: MULTIPROCESSORS,
            tolerances: BTreeMap::new(),
            expectations: BTreeMap::new(),
        };
        let (mut group, mut axes) = (String::new(), Vec::new());
        for (number, line) in text.lines().enumerate() {
            let Some((directive, rest)) = directive(line) else {
                continue;
            };
            let of_line = |problem: String| format!("{}:{}: {problem}", path.display(), number + 1);
            match directive {
                "group" => rest.clone_into(&mut group),
                "axis" => axes.push(Axis::parse(rest).map_err(of_line)?),
                "target" => {
                    let unknown = || of_line(format!("there is no target `{rest}`"));
                    suite.target = Target::named(rest).ok_or_else(unknown)?;
                }
                "multiprocessors" => {
                    let usage = "write `//! multiprocessors: NUMBER`";
                    suite.multiprocessors = rest.parse().map_err(|_| of_line(usage.to_owned()))?;
                }
                "tolerance" => suite.tolerance_line(rest).map_err(of_line)?,
                "expect" => suite.expect_line(rest).map_err(of_line)?,
                // The corpus of kernels, as it stands.
                "run" => {
                    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
                    let case = case(directive, rest, &stem, number + 1).map_err(of_line)?;
                    suite.cases.push(case);
                }
                _ => {
                    if group.is_empty() {
                        return Err(of_line("no `//! group:` stands before it".to_owned()));
                    }
                    for line in expand(rest, &axes).map_err(of_line)? {
                        let case = case(directive, &line, &group, number + 1).map_err(of_line)?;
                        suite.cases.push(case);
                    }
                }
            }
        }
        suite.text = text;
        Ok(suite)
    }

    /// All files of a folder.
    ///
    /// # Errors
    /// What is wrong with the first wrong one.
    pub fn all(folder: &Path) -> Result<Vec<Self>, String> {
        let entries =
            std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|end| end == "tile"));
        paths.sort();
        paths.iter().map(|path| Self::read(path)).collect()
    }

    /// The file's name.
    #[must_use]
    pub fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// What results of a kernel may be wrong.
    #[must_use]
    pub fn tolerance(&self, kernel: &str) -> Option<f64> {
        self.tolerances.get(kernel).copied()
    }

    /// What a kernel must compute.
    #[must_use]
    pub fn expectations(&self, kernel: &str) -> &[Expectation] {
        self.expectations.get(kernel).map_or(&[], Vec::as_slice)
    }

    fn tolerance_line(&mut self, rest: &str) -> Result<(), String> {
        let tolerance = rest
            .split_once(' ')
            .and_then(|(kernel, number)| Some((kernel, number.trim().parse().ok()?)));
        let (kernel, number) = tolerance.ok_or("write `//! tolerance: KERNEL NUMBER`")?;
        self.tolerances.insert(kernel.to_owned(), number);
        Ok(())
    }

    fn expect_line(&mut self, rest: &str) -> Result<(), String> {
        let usage = "write `//! expect: KERNEL TENSOR [within NUMBER] = FORMULA`";
        let (left, formula) = rest.split_once('=').ok_or(usage)?;
        let words: Vec<&str> = left.split_whitespace().collect();
        let (kernel, tensor, tolerance) = match words[..] {
            [kernel, tensor] => (kernel, tensor, None),
            [kernel, tensor, "within", number] => {
                (kernel, tensor, Some(number.parse().map_err(|_| usage)?))
            }
            _ => return Err(usage.to_owned()),
        };
        let of_kernel = self.expectations.entry(kernel.to_owned()).or_default();
        of_kernel.push(Expectation {
            tensor: tensor.to_owned(),
            tolerance,
            formula: parse(formula)?,
        });
        Ok(())
    }
}

/// `//! cases: f …` as `cases` and `f …`; lines that say something else are prose.
fn directive(line: &str) -> Option<(&str, &str)> {
    const NAMES: [&str; 15] = [
        "group:",
        "axis",
        "target:",
        "multiprocessors:",
        "tolerance:",
        "expect:",
        "cases:",
        "run:",
        "aligned:",
        "general:",
        "stops:",
        "fails:",
        "ptx:",
        "lines:",
        "refuses:",
    ];
    let (word, rest) = line.strip_prefix("//! ")?.split_once(' ')?;
    let known = NAMES.contains(&word) && (word != "axis" || rest.contains('='));
    known.then(|| (word.trim_end_matches(':'), rest.trim()))
}

fn case(directive: &str, line: &str, group: &str, number: usize) -> Result<Case, String> {
    let mut all = words(line).into_iter();
    let question = match directive {
        "cases" | "run" => Question::Runs(None),
        "aligned" => Question::Runs(Some("")),
        "general" => Question::Runs(Some("__general")),
        "refuses" => Question::Refuses(all.next().ok_or("a part of the message is missing")?),
        "stops" => Question::Stops(all.next().ok_or("a code is missing")?),
        "fails" => Question::Fails(all.next().ok_or("a code is missing")?),
        "ptx" => Question::Ptx,
        _ => Question::Lines,
    };
    let kernel = all.next().ok_or("a kernel is missing")?;
    let (mut bindings, mut words) = (Vec::new(), Vec::new());
    while let Some(word) = all.next() {
        if word == "-D" {
            bindings.push(all.next().ok_or("`-D` needs NAME=VALUE")?);
        } else {
            words.push(word);
        }
    }
    Ok(Case {
        group: group.to_owned(),
        line: number,
        kernel,
        bindings,
        question,
        words,
    })
}

/// Words between blanks; blanks inside round brackets belong to a word: `rand(-1, 1; 512)`.
fn words(text: &str) -> Vec<String> {
    let mut words = split_outside_brackets(text, char::is_whitespace);
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suite(text: &str) -> Result<Suite, String> {
        Suite::new(Path::new("a.tile"), text.to_owned())
    }

    #[test]
    fn a_header_is_groups_axes_and_cases() {
        let suite = suite(
            "//! About axis and cases.\n//! group: 4 masks\n//! axis N = 1 7\n\
             //! tolerance: f 1e-5\n//! expect: f y within 0.5 = x + 1\n\
             //! cases: f x=rand(-1, 1; $N) y=zeros($N) -D T={f16,f32}\n//! fails: E0203 g -D T=i8\n",
        );
        let suite = suite.expect("it is fine");
        assert_eq!(suite.cases.len(), 5);
        let case = &suite.cases[3];
        assert_eq!((case.group.as_str(), case.line), ("4 masks", 6));
        assert_eq!(case.words, ["x=rand(-1, 1; 7)", "y=zeros(7)"]);
        assert_eq!(case.bindings, ["T=f32"]);
        assert_eq!(suite.cases[4].question, Question::Fails("E0203".to_owned()));
        assert_eq!(suite.tolerance("f"), Some(1e-5));
        assert_eq!(suite.expectations("f")[0].tolerance, Some(0.5));
    }

    #[test]
    fn a_wrong_line_is_named() {
        let wrong = |text: &str| suite(text).expect_err("it is wrong");
        assert_eq!(
            wrong("//! cases: f"),
            "a.tile:1: no `//! group:` stands before it"
        );
        assert_eq!(
            wrong("//! group: a\n//! cases: $N"),
            "a.tile:2: `$N` is no axis"
        );
        assert_eq!(
            wrong("//! tolerance: f x"),
            "a.tile:1: write `//! tolerance: KERNEL NUMBER`"
        );
    }
}
