//! The descriptions of all builtins, in the order of the language reference.
//!
//! One Markdown file per family: a `## Title`, then a `### name, name` for each function or group of
//! functions that are described together. What is written there is prose and examples; how they are
//! called is put in from [`TABLE`](super::TABLE), so that it cannot be out of date.

use super::{Signature, TABLE, host::HOST};

const FAMILIES: &[&str] = &[
    include_str!("reference/program.md"),
    include_str!("reference/create.md"),
    include_str!("reference/memory.md"),
    include_str!("reference/atomics.md"),
    include_str!("reference/linear.md"),
    include_str!("reference/math.md"),
    include_str!("reference/reduce.md"),
    include_str!("reference/sorting.md"),
    include_str!("reference/movement.md"),
    include_str!("reference/random.md"),
    include_str!("reference/debug.md"),
];

/// The reference of all functions, headings one level lower than in the files.
///
/// # Errors
/// A function that is described twice or not at all, or a description of none: in words.
pub(in crate::sema) fn text() -> Result<String, String> {
    let mut described: Vec<&str> = Vec::new();
    let mut index = String::from("| | |\n|---|---|\n");
    let mut text = String::new();
    for family in FAMILIES {
        let mut inside = false;
        let mut links = Vec::new();
        let mut title = "";
        for line in family.lines() {
            inside ^= line.starts_with("```");
            if let Some(names) = line.strip_prefix("### ").filter(|_| !inside) {
                let names: Vec<&str> = names.split(", ").collect();
                text.push_str(&heading(&names)?);
                links.extend(names.iter().map(|name| link(name, &names)));
                described.extend(names);
            } else if let Some(name) = line.strip_prefix("## ").filter(|_| !inside) {
                title = name;
                text.push_str(&format!("\n### {title}\n"));
            } else {
                text.push_str(line);
                text.push('\n');
            }
        }
        index.push_str(&format!("| {title} | {} |\n", links.join(" ")));
    }
    for signature in TABLE {
        let times = described.iter().filter(|name| **name == signature.name);
        match times.count() {
            0 => return Err(format!("`{}` is not described", signature.name)),
            1 => {}
            _ => return Err(format!("`{}` is described twice", signature.name)),
        }
    }
    Ok(format!("{index}{text}"))
}

/// How the functions of tests are called.
pub(in crate::sema) fn host() -> String {
    let usages: Vec<String> = HOST.iter().map(Signature::usage).collect();
    format!("```text\n{}\n```\n", usages.join("\n"))
}

/// The heading of a group, and how each of its functions is called.
fn heading(names: &[&str]) -> Result<String, String> {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let mut text = format!("#### {}\n\n```text\n", quoted.join(", "));
    for name in names {
        let mut signatures = TABLE.iter();
        let signature = signatures
            .find(|signature| signature.name == *name)
            .ok_or_else(|| format!("`{name}` is described, but there is no such function"))?;
        text.push_str(&Signature::usage(signature));
        text.push('\n');
    }
    text.push_str("```\n");
    Ok(text)
}

/// A link to the heading of a group, by the rules of the usual renderers.
fn link(name: &str, group: &[&str]) -> String {
    let anchor = group.join(" ").replace('.', "").replace(' ', "-");
    format!("[`{name}`](#{anchor})")
}
