//! What is asserted of compiled kernels: texts in the PTX, and resources.

use super::session::{Done, Session};
use crate::backend::nvidia::{self, ToolError};
use crate::diagnostic::{Span, messages};
use crate::target::Target;
use crate::typed::host::{Limit, PtxProperties, Resource};

/// Threads of a warp.
const LANES: u32 = 32;

impl Session<'_> {
    /// `contains` and `count` look at the code for aligned data, `lacks` at all variants.
    pub(super) fn assert_ptx(&mut self, properties: &PtxProperties, span: Span) -> Done<()> {
        let target = properties.target.as_deref().and_then(Target::named);
        let target = target.unwrap_or(self.setup.target);
        let compiled = self.compiled(properties.kernel, target, span)?;
        let name = &self.kernel(properties.kernel, span)?.name;
        let code: String = compiled
            .ptx
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .flat_map(|line| [line, "\n"])
            .collect();
        let main = entry(&code, name);
        for text in &properties.contains {
            let found = main.matches(text.as_str()).count() as u64;
            match properties.count {
                Some(wanted) if found != wanted => {
                    return Err(Box::new(messages::testing::ptx_count(
                        name,
                        text,
                        target.name,
                        (found, wanted),
                        span,
                    )));
                }
                None if found == 0 => {
                    let problem = messages::testing::ptx_lacks(name, text, target.name, span);
                    return Err(Box::new(problem));
                }
                _ => {}
            }
        }
        for text in &properties.lacks {
            if let Some(line) = code.lines().find(|line| line.contains(text.as_str())) {
                let line = line.trim();
                let problem = messages::testing::ptx_contains(name, text, target.name, line, span);
                return Err(Box::new(problem));
            }
        }
        Ok(())
    }

    /// Every variant must keep the limits.
    pub(super) fn assert_resources(
        &mut self,
        kernel: usize,
        limits: &[Limit],
        span: Span,
    ) -> Done<()> {
        let target = self.setup.target;
        let compiled = self.compiled(kernel, target, span)?;
        let name = &self.kernel(kernel, span)?.name;
        let assembled = match nvidia::assemble(&compiled.ptx, target.name) {
            Ok((_, resources)) => resources,
            Err(error @ ToolError::Missing(_)) => {
                self.notes
                    .push(format!("assert_resources was skipped: {error}"));
                return Ok(());
            }
            Err(error) => return Err(Box::new(messages::testing::not_assembled(error, span))),
        };
        let variants = compiled
            .manifest
            .kernels
            .iter()
            .flat_map(|kernel| &kernel.variants);
        for variant in variants {
            let Some(found) = assembled.iter().find(|found| found.entry == variant.entry) else {
                let missing = format!("ptxas says nothing about `{}`", variant.entry);
                return Err(Box::new(messages::testing::not_assembled(missing, span)));
            };
            for limit in limits {
                let value = u64::from(match limit.resource {
                    Resource::Registers => found.registers,
                    Resource::Spills => found.spill_bytes,
                    Resource::Shared => found.shared_bytes + variant.shared_bytes,
                    Resource::Stack => found.stack_bytes,
                    Resource::Warps => variant.threads / LANES,
                });
                if !limit.relation.holds(value, limit.value) {
                    return Err(Box::new(messages::testing::resource(
                        name,
                        &variant.entry,
                        *limit,
                        value,
                        target.name,
                        span,
                    )));
                }
            }
        }
        Ok(())
    }
}

/// The code of an entry point.
fn entry<'a>(code: &'a str, name: &str) -> &'a str {
    const START: &str = ".visible .entry ";
    let head = format!("{START}{name}(");
    let Some(start) = code.find(&head) else {
        return code;
    };
    let rest = &code[start..];
    match rest[head.len()..].find(START) {
        Some(end) => &rest[..head.len() + end],
        None => rest,
    }
}
