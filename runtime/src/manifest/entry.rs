//! Whether a manifest fits the code below it: a launch passes what the manifest says, and code that reads more than that
//! reads what is not its own.

use super::{Argument, Kernel, Manifest, ManifestError, Parameter, Variant};
use crate::launch::MAP_BYTES;

/// The most blocks of a cluster (CUDA C++ Programming Guide, "Thread Block Clusters").
const MOST_BLOCKS: u32 = 16;

/// The most threads of a block.
const MOST_THREADS: u32 = 1024;

impl Manifest {
    /// Checks that the manifest can be true, and that the entry points take what it says.
    pub(crate) fn check(&self, ptx: &str) -> Result<(), ManifestError> {
        for kernel in &self.kernels {
            for variant in &kernel.variants {
                let damaged = |problem: String| {
                    ManifestError::Damaged(format!("variant `{}`: {problem}", variant.entry))
                };
                let limits = [
                    ("block", "threads", variant.threads, MOST_THREADS),
                    ("cluster", "blocks", variant.cluster, MOST_BLOCKS),
                    (
                        "block",
                        "programs",
                        variant.programs_per_block,
                        MOST_THREADS / variant.threads.clamp(1, MOST_THREADS),
                    ),
                ];
                for (what, of, count, most) in limits {
                    if !(1..=most).contains(&count) {
                        return Err(damaged(format!(
                            "a {what} has 1 to {most} {of}, not {count}"
                        )));
                    }
                }
                if variant.dependent && !waits_for_launch(ptx, &variant.entry) {
                    return Err(damaged(
                        "it is `dependent`, and has no `griddepcontrol.wait`".to_owned(),
                    ));
                }
                let given = kernel.parameter_bytes(variant).map_err(damaged)?;
                let taken = entry_parameters(ptx, &variant.entry);
                if let Some(taken) = taken.filter(|taken| *taken != given) {
                    return Err(ManifestError::Entry {
                        entry: variant.entry.clone(),
                        taken: described(&taken),
                        given: described(&given),
                    });
                }
            }
        }
        Ok(())
    }
}

impl Kernel {
    /// How many bytes each parameter of the entry point has, in order.
    fn parameter_bytes(&self, variant: &Variant) -> Result<Vec<usize>, String> {
        let mut list = Vec::with_capacity(self.arguments.len() + variant.maps.len());
        for argument in &self.arguments {
            list.push(match argument {
                Argument::Address { .. } | Argument::Stride { .. } => 8,
                Argument::Size { .. } => 4,
                Argument::Scalar { name } => {
                    let element = self
                        .parameters
                        .iter()
                        .find_map(|parameter| match parameter {
                            Parameter::Scalar {
                                name: found,
                                element,
                            } if found == name => Some(*element),
                            _ => None,
                        });
                    let element =
                        element.ok_or(format!("there is no scalar parameter `{name}`"))?;
                    element.bytes() as usize
                }
            });
        }
        if variant.is_numbered() {
            // Programs along three axes, and three divisors of two words.
            list.extend([4; 9]);
        }
        if variant.part_bytes > 0 {
            list.extend([4; 4]);
        }
        if variant.part_bytes > 0 || variant.tickets {
            list.push(8);
        }
        list.extend(vec![MAP_BYTES; variant.maps.len()]);
        Ok(list)
    }
}

/// Whether an entry point waits for the launch before it.
fn waits_for_launch(ptx: &str, entry: &str) -> bool {
    let mut bodies = ptx.split(".entry").skip(1);
    let body = bodies.find(|body| {
        let rest = body.trim_start().strip_prefix(entry);
        rest.is_some_and(|rest| !is_part_of_name(rest))
    });
    body.is_some_and(|body| body.contains("griddepcontrol.wait"))
}

/// Whether a text goes on with what a name in PTX may have.
fn is_part_of_name(rest: &str) -> bool {
    rest.starts_with(|c: char| c.is_ascii_alphanumeric() || "_$".contains(c))
}

/// How many bytes each parameter of an entry point has, as the PTX declares them (PTX ISA, 5.2 and 11.1.1); `None` if there is
/// no such entry point, or its parameters cannot be read: loading says what is wrong.
fn entry_parameters(ptx: &str, entry: &str) -> Option<Vec<usize>> {
    let mut lines = ptx
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default());
    let rest = lines.find_map(|line| {
        let (_, rest) = line.split_once(".entry")?;
        let rest = rest.trim_start().strip_prefix(entry)?;
        (!is_part_of_name(rest)).then(|| rest.to_owned())
    })?;
    let mut text = rest;
    for line in lines {
        if text.contains([')', '{']) {
            break;
        }
        text.push(' ');
        text.push_str(line);
    }
    let Some((_, list)) = text.split_once('(') else {
        return Some(Vec::new());
    };
    let list = list.split_once(')')?.0;
    let declarations = list.split(',').map(str::trim);
    declarations
        .filter(|declaration| !declaration.is_empty())
        .map(|declaration| {
            let words = declaration.split_whitespace();
            let bits = words.into_iter().find_map(|word| {
                let digits = word.strip_prefix('.')?.strip_prefix(['b', 'u', 's', 'f'])?;
                digits.parse::<usize>().ok()
            })?;
            let count = match declaration.split_once('[') {
                Some((_, count)) => count.split(']').next()?.trim().parse().ok()?,
                None => 1,
            };
            (bits / 8).checked_mul(count)
        })
        .collect()
}

/// "3 parameters of 8, 4 and 8 bytes".
fn described(bytes: &[usize]) -> String {
    let numbers: Vec<String> = bytes.iter().map(usize::to_string).collect();
    match numbers.as_slice() {
        [] => "no parameters".to_owned(),
        [only] => format!("1 parameter of {only} bytes"),
        [first @ .., last] => format!(
            "{} parameters of {} and {last} bytes",
            bytes.len(),
            first.join(", ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_as_declared() {
        let ptx = ".visible .entry k__words(.param .u32 p) { ret; }\n\
                   .visible .entry k(\n\
                   \t.param .u64 .ptr .global .align 16 k_param_0, // (a comment)\n\
                   \t.param .f32 k_param_1,\n\
                   \t.param .align 64 .b8 k_param_2[128]\n\
                   )\n.reqntid 32\n{ ret; }\n\
                   .visible .entry none { ret; }\n";
        assert_eq!(entry_parameters(ptx, "k"), Some(vec![8, 4, 128]));
        assert_eq!(entry_parameters(ptx, "k__words"), Some(vec![4]));
        assert_eq!(entry_parameters(ptx, "none"), Some(vec![]));
        assert_eq!(entry_parameters(ptx, "other"), None);
    }

    #[test]
    fn it_is_seen_who_waits_for_the_launch_before() {
        let ptx = ".visible .entry k__words() { ret; }\n\
                   .visible .entry k()\n{ griddepcontrol.wait; ret; }\n\
                   .visible .entry other() { ret; }\n";
        let waits = ["k", "k__words", "other", "none"].map(|entry| waits_for_launch(ptx, entry));
        assert_eq!(waits, [true, false, false, false]);
    }

    #[test]
    fn parameters_are_told() {
        assert_eq!(described(&[]), "no parameters");
        assert_eq!(described(&[8]), "1 parameter of 8 bytes");
        assert_eq!(described(&[8, 4, 8]), "3 parameters of 8, 4 and 8 bytes");
    }
}
