//! The default call of a file, from its `//!` header.
//!
//! ```text
//! //! run: softmax x=randn(1823,781) y=zeros(1823,781)
//! ```
//!
//! so that `tilec run softmax.tile` needs no arguments. The command line gives the arguments
//! their meaning; here they are only told apart.

use super::ast::{File, HeaderLine, Item};
use crate::diagnostic::messages::syntax as messages;
use crate::diagnostic::{Diagnostic, Span};

/// What `//! run:` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefaultCall {
    /// The kernel.
    pub kernel: String,
    /// `x=randn(1823,781)` and so on, as written.
    pub arguments: Vec<String>,
}

/// The default call, if the header has a `run:` line.
///
/// # Errors
/// When the line names no kernel of the file, when an argument is not `name=value`, when a bracket
/// in it is not closed, or when there are two such lines.
#[must_use]
#[allow(clippy::result_large_err)] // Once per run.
pub fn default_call(file: &File) -> Option<Result<DefaultCall, Diagnostic>> {
    let mut lines = file
        .header
        .iter()
        .filter_map(|line| Some((line, line.text.strip_prefix("run:")?)));
    let (line, call) = lines.next()?;
    if let Some((second, _)) = lines.next() {
        return Some(Err(messages::second_run_line(second.span, line.span)));
    }
    Some(read(file, line, call))
}

#[allow(clippy::result_large_err)]
fn read(file: &File, line: &HeaderLine, call: &str) -> Result<DefaultCall, Diagnostic> {
    let words =
        words(call).map_err(|at| messages::run_line_bracket(span(line, call, &call[at..=at])))?;
    let Some((&kernel, arguments)) = words.split_first() else {
        return Err(messages::run_line_without_kernel(line.span));
    };
    let kernels: Vec<&str> = file
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Kernel(kernel) => Some(kernel.name.text.as_str()),
            _ => None,
        })
        .collect();
    if !kernels.contains(&kernel) {
        let similar = kernels
            .iter()
            .max_by(|a, b| strsim::jaro(a, kernel).total_cmp(&strsim::jaro(b, kernel)))
            .filter(|name| strsim::jaro(name, kernel) > 0.7);
        return Err(messages::run_line_unknown_kernel(
            kernel,
            span(line, call, kernel),
            similar.copied(),
        ));
    }
    let wrong = arguments.iter().find(|argument| {
        !argument
            .split_once('=')
            .is_some_and(|(name, value)| is_name(name) && !value.is_empty())
    });
    if let Some(wrong) = wrong {
        return Err(messages::run_line_argument(wrong, span(line, call, wrong)));
    }
    Ok(DefaultCall {
        kernel: kernel.to_owned(),
        arguments: arguments
            .iter()
            .map(|&argument| argument.to_owned())
            .collect(),
    })
}

fn is_name(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && text
            .bytes()
            .next()
            .is_some_and(|byte| !byte.is_ascii_digit())
}

/// Words between white space that no bracket or quote holds; an error is where a bracket or quote
/// opens that nothing closes, or closes that nothing opened.
fn words(text: &str) -> Result<Vec<&str>, usize> {
    let mut words = Vec::new();
    let mut start = None;
    let mut open: Vec<(char, usize)> = Vec::new();
    for (at, letter) in text.char_indices() {
        if let Some(&('"', _)) = open.last() {
            if letter == '"' {
                open.pop();
            }
            continue;
        }
        if letter.is_whitespace() && open.is_empty() {
            words.extend(start.take().map(|start: usize| &text[start..at]));
            continue;
        }
        start.get_or_insert(at);
        match letter {
            '(' | '[' | '{' | '"' => open.push((letter, at)),
            ')' | ']' | '}' => {
                let opener = match letter {
                    ')' => '(',
                    ']' => '[',
                    _ => '{',
                };
                if open.pop().is_none_or(|(letter, _)| letter != opener) {
                    return Err(at);
                }
            }
            _ => {}
        }
    }
    if let Some(&(_, at)) = open.first() {
        return Err(at);
    }
    words.extend(start.map(|start| &text[start..]));
    Ok(words)
}

/// Where a part of the call stands in the file: the call is the end of its line.
fn span(line: &HeaderLine, call: &str, part: &str) -> Span {
    let offset = part.as_ptr() as usize - call.as_ptr() as usize;
    let length = |text: usize| u32::try_from(text).unwrap_or(u32::MAX);
    let start = line.span.end - length(call.len()) + length(offset);
    let end = start + length(part.len());
    Span {
        start,
        end,
        ..line.span
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::render::{Style, text};
    use crate::source::SourceMap;

    fn call(header: &str) -> Option<Result<DefaultCall, String>> {
        let mut sources = SourceMap::new();
        let program = format!("{header}\nkernel softmax(x: ptr<f32>) {{}}\n");
        let id = sources.add("a.tile", program.clone());
        let (file, errors) = crate::syntax::parse(id, &program);
        assert_eq!(errors, []);
        Some(default_call(&file)?.map_err(|error| text(&error, &sources, Style::default())))
    }

    #[test]
    fn a_call_is_split_at_spaces_outside_brackets() {
        let call = call("//! Softmax.\n//! run: softmax x=randn(18, 781)  s=\"a b\" n=3")
            .expect("there is a call")
            .expect("it is fine");
        assert_eq!(call.kernel, "softmax");
        assert_eq!(call.arguments, ["x=randn(18, 781)", "s=\"a b\"", "n=3"]);
    }

    #[test]
    fn no_run_line_no_call() {
        assert_eq!(call("//! Softmax."), None);
        assert_eq!(call("// run: softmax"), None);
    }

    #[test]
    fn what_is_wrong_is_shown() {
        let wrong = [
            "//! run: softmaxx x=1",
            "//! run: other",
            "//! run:",
            "//! run: softmax x=randn(3 4",
            "//! run: softmax x=randn)3(",
            "//! run: softmax 17",
            "//! run: softmax\n//! run: softmax",
        ];
        let shown: Vec<String> = wrong
            .iter()
            .map(|header| call(header).expect("a call").expect_err("it is wrong"))
            .collect();
        insta::assert_snapshot!(shown.join("\n"));
    }
}
