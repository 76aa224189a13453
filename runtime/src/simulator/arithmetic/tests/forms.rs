//! Which instructions are known.

use std::fmt::Write as _;

use crate::simulator::arithmetic::{Kind, find, rows};

/// Every opcode that the tables match, with its operands, in a line each.
fn all_instructions() -> Vec<(String, Vec<Kind>, Vec<Kind>)> {
    let mut all = Vec::new();
    for row in rows() {
        for modifiers in row.expansions() {
            let mut parts = vec![row.opcode()];
            parts.extend(modifiers);
            for (destinations, sources) in row.operand_counts() {
                let Some(form) = find(&parts, destinations, sources) else {
                    panic!("{} with {destinations} = {sources}", parts.join("."));
                };
                all.push((parts.join("."), form.destinations, form.sources));
            }
        }
    }
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all.dedup_by(|a, b| a == b);
    all
}

#[test]
fn every_instruction_of_the_tables_is_found() {
    let all = all_instructions();
    assert!(all.len() > 3000, "{}", all.len());
    let mut text = String::new();
    for (name, d, s) in &all {
        writeln!(text, "{name} {d:?} {s:?}").ok();
    }
    std::fs::write("/tmp/forms.txt", text).ok();
}
