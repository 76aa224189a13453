//! A change of one place of a kernel, and what it is found as.
//!
//! ```text
//! # Why this is wrong.
//! expect: race
//! says: nothing orders the two
//! at: ld.shared.s32
//! earlier: st.shared.s32
//! line: 14
//! after: the line before the place
//! - a line that goes
//! + a line that comes
//! ```
//!
//! `expect` is the code of the finding. What follows may be left out: a part of what it says, of the
//! instruction that shows it and of the one before that it conflicts with, its line in the source
//! that `.loc` names. The lines that go must be in the kernel once or, if `after` is there, come right
//! after that line, which must be there once. Space at both ends of lines does not count.

use tile_runtime::simulator::checks::Finding;

#[derive(Debug, Default)]
pub struct Edit {
    pub code: String,
    says: Vec<String>,
    at: Option<String>,
    earlier: Option<String>,
    line: Option<u32>,
    after: Option<String>,
    old: Vec<String>,
    new: Vec<String>,
}

impl Edit {
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut edit = Self::default();
        for line in text
            .lines()
            .filter(|line| !line.starts_with('#') && !line.is_empty())
        {
            if let Some(old) = line.strip_prefix('-') {
                if !edit.new.is_empty() {
                    return Err("an edit has one place: lines that go, then lines that come".into());
                }
                edit.old.push(old.trim().to_owned());
            } else if let Some(new) = line.strip_prefix('+') {
                edit.new.push(new.trim().to_owned());
            } else {
                let (key, value) = line
                    .split_once(':')
                    .ok_or_else(|| format!("what is `{line}`?"))?;
                let value = value.trim().to_owned();
                match key {
                    "expect" => edit.code = value,
                    "says" => edit.says.push(value),
                    "at" => edit.at = Some(value),
                    "earlier" => edit.earlier = Some(value),
                    "line" => edit.line = Some(value.parse().map_err(|_| "a line is a number")?),
                    "after" => edit.after = Some(value),
                    _ => return Err(format!("what is `{key}`?")),
                }
            }
        }
        if edit.code.is_empty() || edit.old == edit.new {
            return Err("an edit changes something, and expects a finding".into());
        }
        Ok(edit)
    }

    /// The kernel with the one place changed.
    pub fn apply(&self, good: &str) -> Result<String, String> {
        let lines: Vec<&str> = good.lines().collect();
        let trimmed: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
        let once = |what: &[&str]| {
            let mut places = trimmed.windows(what.len()).enumerate();
            let mut places = places.by_ref().filter(|(_, lines)| *lines == what);
            match (places.next(), places.next()) {
                (Some((place, _)), None) => Ok(place),
                (None, _) => Err(format!("the kernel has no {what:?}")),
                _ => Err(format!("the kernel has {what:?} more than once")),
            }
        };
        let old: Vec<&str> = self.old.iter().map(String::as_str).collect();
        let start = match &self.after {
            Some(after) => once(&[after])? + 1,
            None if old.is_empty() => return Err("lines that come need a place: `after`".into()),
            None => once(&old)?,
        };
        if !trimmed[start..].starts_with(&old) {
            return Err(format!("{old:?} does not follow"));
        }
        let new = self.new.iter().map(String::as_str);
        let before = lines[..start].iter().copied();
        let after = lines[start + old.len()..].iter().copied();
        Ok(before
            .chain(new)
            .chain(after)
            .map(|line| format!("{line}\n"))
            .collect())
    }

    /// Whether the finding is the one that is expected.
    pub fn check(&self, finding: &Finding) -> Result<(), String> {
        let mut wrong = Vec::new();
        if finding.code() != self.code {
            wrong.push(format!("{} is expected", self.code));
        }
        let text = finding.to_string();
        for says in &self.says {
            if !text.contains(says) {
                wrong.push(format!("it does not say `{says}`"));
            }
        }
        let within = |part: &Option<String>, whole: &str| {
            part.as_ref().is_none_or(|part| whole.contains(part))
        };
        if !within(&self.at, &finding.site.instruction) {
            wrong.push(format!("it is not at {:?}", self.at));
        }
        let earlier = finding
            .defect
            .earlier()
            .map(|earlier| earlier.site.instruction.as_str());
        if !within(&self.earlier, earlier.unwrap_or_default()) {
            wrong.push(format!("the one before is not {:?}", self.earlier));
        }
        if self.line.is_some_and(|line| line != finding.site.line) {
            wrong.push(format!("it is in line {}", finding.site.line));
        }
        if wrong.is_empty() {
            return Ok(());
        }
        Err(format!("{}\n{text}", wrong.join("; ")))
    }
}
