//! What is asserted of compiled kernels: texts in the PTX, and resources.

use super::session::{Done, Session};
use crate::backend::nvidia::{self, ToolError};
use crate::diagnostic::{Span, messages};
use crate::target::Target;
use crate::typed::host::{Limit, PtxProperties, Resource};

/// Threads of a warp.
const LANES: u32 = 32;

impl Session<'_> {
    /// `contains` and `count` look at the code for aligned data, `lacks` at all variants. Only what
    /// is between the parentheses and the end of an entry point counts, and names of parameters are
    /// without the kernel's: a kernel called `add` does not contain `add` by that.
    pub(super) fn assert_ptx(&mut self, properties: &PtxProperties, span: Span) -> Done<()> {
        let target = properties.target.as_deref().and_then(Target::named);
        let target = target.unwrap_or(self.setup.target);
        let compiled = self.compiled(properties.kernel, target, span)?;
        let name = &self.kernel(properties.kernel, span)?.name;
        let variants: Vec<String> = compiled
            .manifest
            .kernels
            .iter()
            .flat_map(|kernel| &kernel.variants)
            .map(|variant| code(&compiled.ptx, &variant.entry))
            .collect();
        let Some(main) = variants.first() else {
            let missing = format!("there is no entry point for `{name}`");
            return Err(Box::new(messages::testing::not_assembled(missing, span)));
        };
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
            let mut lines = variants.iter().flat_map(|code| code.lines());
            if let Some(line) = lines.find(|line| line.contains(text.as_str())) {
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

/// The code of an entry point: parameters and body, without comments.
fn code(ptx: &str, entry: &str) -> String {
    const START: &str = ".visible .entry ";
    let head = format!("{START}{entry}(");
    let rest = ptx.split_once(&head).map_or("", |(_, rest)| rest);
    let code = rest.split(START).next().unwrap_or_default();
    let lines = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let text: String = lines.flat_map(|line| [line, "\n"]).collect();
    text.replace(&format!("{entry}_param_"), "param_")
}

#[cfg(test)]
mod tests {
    use super::code;

    #[test]
    fn the_code_of_an_entry_is_without_its_name_and_comments() {
        let ptx = ".address_size 64\n.visible .entry add(\n.param .u64 add_param_0\n)\n{\n\
                   // add here\nret;\n}\n.visible .entry add__general(\n)\n{\nadd.s32;\n}\n";
        assert_eq!(code(ptx, "add"), "\n.param .u64 param_0\n)\n{\nret;\n}\n");
        assert_eq!(code(ptx, "add__general"), "\n)\n{\nadd.s32;\n}\n");
        assert_eq!(code(ptx, "sub"), "");
    }
}
