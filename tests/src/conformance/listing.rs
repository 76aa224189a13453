//! Questions about the PTX of a kernel: what it contains, how often, and which lines it names.
//!
//! ```text
//! has=TEXT lacks=TEXT count=TEXT:N most=TEXT:N least=TEXT:N work=TEXT:N entry=general
//! ```
//!
//! `work` is at most N instructions in all threads of a program together.
//!
//! They are asked of the entry point named like the kernel, which relies on aligned sizes, or of
//! another with `entry=SUFFIX`. What is counted are instructions that begin with the text, a
//! predicate in front of them aside.

/// What is wrong with the answers.
///
/// # Errors
/// If a question is none.
pub fn problems(ptx: &str, kernel: &str, words: &[String]) -> Result<Vec<String>, String> {
    let suffix = words.iter().find_map(|word| word.strip_prefix("entry="));
    let entry = match suffix {
        Some(suffix) => format!("{kernel}__{suffix}"),
        None => kernel.to_owned(),
    };
    let body = body(ptx, &entry).ok_or_else(|| format!("there is no entry point `{entry}`"))?;
    let mut problems = Vec::new();
    for word in words {
        let (question, text) = word
            .split_once('=')
            .ok_or_else(|| format!("`{word}` asks nothing"))?;
        let counted = || -> Result<(usize, usize, &str), String> {
            let parts = text.rsplit_once(':');
            let parts = parts.and_then(|(text, number)| Some((text, number.parse().ok()?)));
            let (text, number) = parts.ok_or_else(|| format!("`{word}` needs `:NUMBER`"))?;
            Ok((count(body, text), number, text))
        };
        let problem = match question {
            "entry" => None,
            "has" => (!body.contains(text)).then(|| format!("`{text}` is missing")),
            "lacks" => body.contains(text).then(|| format!("there is `{text}`")),
            "count" | "most" | "least" | "work" => {
                let (mut found, wanted, text) = counted()?;
                if question == "work" {
                    found *= threads(body);
                }
                let right = match question {
                    "count" => found == wanted,
                    "most" | "work" => found <= wanted,
                    _ => found >= wanted,
                };
                (!right).then(|| format!("{found} times `{text}`, {question} {wanted} was wanted"))
            }
            _ => return Err(format!("`{question}` is no question")),
        };
        problems.extend(problem);
    }
    Ok(problems)
}

/// What is wrong with the line table: each line of the source that ends with `//=`, if it lies in
/// the kernel, must be named, and no line outside of the source.
#[must_use]
pub fn unnamed_lines(ptx: &str, kernel: &str, source: &str) -> Vec<String> {
    let named: Vec<usize> = ptx
        .lines()
        .filter_map(|line| line.trim().strip_prefix(".loc"))
        .filter_map(|rest| rest.split_whitespace().nth(1)?.parse().ok())
        .collect();
    let mut problems = Vec::new();
    if named.is_empty() {
        problems.push("no line is named".to_owned());
    }
    let count = source.lines().count();
    if let Some(line) = named.iter().find(|line| **line > count) {
        problems.push(format!("line {line} is named, the source has {count}"));
    }
    let head = format!("kernel {kernel}");
    let mut inside = false;
    for (number, line) in source.lines().enumerate() {
        let is_head = line.strip_prefix(&head);
        if line.starts_with("kernel ") {
            inside = is_head.is_some_and(|rest| rest.starts_with(['(', '<']));
        }
        if inside && line.ends_with("//=") && !named.contains(&(number + 1)) {
            problems.push(format!("line {} is not named", number + 1));
        }
    }
    problems
}

/// The text of an entry point.
fn body<'a>(ptx: &'a str, entry: &str) -> Option<&'a str> {
    let start = ptx.find(&format!(".entry {entry}("))?;
    let rest = &ptx[start..];
    Some(&rest[..rest.find("\n}").unwrap_or(rest.len())])
}

/// How many threads a program has.
fn threads(body: &str) -> usize {
    let number = body.split_once(".reqntid ").and_then(|(_, rest)| {
        let end = rest.find(|c: char| !c.is_ascii_digit())?;
        rest[..end].parse().ok()
    });
    number.unwrap_or(1)
}

/// How many instructions begin with the text.
fn count(body: &str, text: &str) -> usize {
    let instruction = |line: &&str| {
        let line = line.trim_start();
        let line = match line.strip_prefix('@') {
            Some(predicated) => predicated
                .split_once(char::is_whitespace)
                .map_or("", |parts| parts.1),
            None => line,
        };
        line.trim_start().starts_with(text)
    };
    body.lines().filter(instruction).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = ".visible .entry f(\n)\n.reqntid 64, 1, 1\n{\n\t.loc\t1 3 5\n\tld.global.v4.b32 a;\n\t@%p1 ld.global.b32 b;\n}\n\
                       .visible .entry f__general(\n)\n{\n\tbar.sync 0;\n}\n";

    fn asked(words: &[&str]) -> Vec<String> {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        problems(PTX, "f", &words).expect("these are questions")
    }

    #[test]
    fn instructions_are_counted_in_one_entry_point() {
        assert!(asked(&["has=v4", "lacks=bar.sync", "count=ld.global:2", "most=st:0"]).is_empty());
        assert!(asked(&["work=ld.global:128"]).is_empty());
        assert_eq!(asked(&["work=ld.global:127"]).len(), 1);
        assert!(asked(&["entry=general", "has=bar.sync"]).is_empty());
        assert_eq!(asked(&["has=v2"]), ["`v2` is missing"]);
        assert_eq!(asked(&["lacks=v4"]), ["there is `v4`"]);
        assert_eq!(asked(&["least=ld:3"]), ["2 times `ld`, least 3 was wanted"]);
    }

    #[test]
    fn marked_lines_must_be_named() {
        let source = "kernel f(x: i32) {\n\n    a //=\n}\nkernel g(x: i32) {\n    b //=\n}\n";
        assert!(unnamed_lines(PTX, "f", source).is_empty());
        assert_eq!(unnamed_lines(PTX, "g", source), ["line 6 is not named"]);
        assert_eq!(unnamed_lines("", "f", ""), ["no line is named"]);
    }
}
