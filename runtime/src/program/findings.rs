//! What the simulator finds, in words of the kernel's source.

use super::Kernel;
use crate::backend::DeviceError;
use crate::manifest;
use crate::simulator::checks::Defect;

impl Kernel {
    /// A finding names parameters of the kernel, not those of its entry point.
    #[cold]
    pub(super) fn in_words_of_the_source(&self, mut error: DeviceError) -> DeviceError {
        let defect = match &mut error {
            DeviceError::Finding(finding) => &mut finding.defect,
            _ => return error,
        };
        if let Defect::OutOfBounds { of, .. }
        | Defect::UninitialisedMemory { of, .. }
        | Defect::InvalidOperand { what: of } = defect
        {
            for variant in &self.kernel.variants {
                for (number, name) in parameter_names(&self.kernel).iter().enumerate() {
                    let ptx = format!("parameter `{}_param_{number}`", variant.entry);
                    *of = of.replace(&ptx, &format!("parameter `{name}`"));
                }
            }
        }
        if let Defect::OutOfBounds {
            address,
            of,
            memory: Some([start, bytes]),
            element,
            ..
        } = defect
        {
            let is_missed = |parameter: &&manifest::Parameter| {
                of.contains(&format!("parameter `{}`", parameter.name()))
            };
            let missed = self.kernel.parameters.iter().find(is_missed);
            *element = missed.map(|parameter| {
                let (start, end) = (*start as i64, (*start + *bytes) as i64);
                // An access may begin with elements that are there.
                let first = match *address as i64 {
                    address if address < start => address,
                    address => address.max(end),
                };
                let size = i64::from(parameter.element().bytes());
                format!(
                    "element {} of `{}`, which has {} elements",
                    (first - start).div_euclid(size),
                    parameter.name(),
                    (end - start) / size
                )
            });
        }
        error
    }
}

/// What the entry point's parameters are called in the source, in its order.
fn parameter_names(kernel: &manifest::Kernel) -> Vec<String> {
    let name = |argument: &manifest::Argument| match argument {
        manifest::Argument::Address { of } => of.clone(),
        manifest::Argument::Scalar { name } | manifest::Argument::Size { name } => name.clone(),
        manifest::Argument::Stride { .. } => String::new(),
    };
    kernel.arguments.iter().map(name).collect()
}
