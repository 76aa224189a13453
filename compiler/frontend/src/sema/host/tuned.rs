//! Launches of kernels for which values of generics are recorded.

use std::collections::BTreeMap;

use crate::sema::elaborator::Elaborator;
use crate::source::FileId;
use crate::typed::host::LaunchArgument;
use crate::typed::{Constant, Dimension, Expr, ExprKind, Kernel, Parameter, Stride};

impl Elaborator<'_> {
    /// The kernel with the values that are recorded for the sizes of a launch; its place in the test.
    pub(super) fn tuned_kernel(
        &mut self,
        file: FileId,
        kernel: &Kernel,
        bindings: BTreeMap<String, String>,
        arguments: &[LaunchArgument],
        operands: &[Expr],
    ) -> Option<usize> {
        let tuned = self.tuned.filter(|_| file == self.files.root())?;
        let sizes = sizes(kernel, arguments, operands);
        let (kernel, words) = tuned(kernel, &bindings, &sizes)?;
        let host = self.host.as_mut()?;
        let note = format!("{}: {words}", kernel.name);
        if !host.notes.contains(&note) {
            host.notes.push(note);
        }
        let key = (file, kernel.name.clone(), kernel.generics.clone());
        let known = host.keys.iter().position(|old| *old == key);
        Some(known.unwrap_or_else(|| {
            host.kernels.push(kernel);
            host.keys.push(key);
            host.kernels.len() - 1
        }))
    }
}

/// The names that a launch binds, as far as they are known before it.
fn sizes(
    kernel: &Kernel,
    arguments: &[LaunchArgument],
    operands: &[Expr],
) -> BTreeMap<String, i64> {
    let mut sizes = BTreeMap::new();
    for (parameter, argument) in kernel.parameters.iter().zip(arguments) {
        match (parameter, argument) {
            (Parameter::Tensor(tensor), LaunchArgument::Array { shape, strides, .. }) => {
                for (dimension, size) in tensor.dimensions.iter().zip(shape) {
                    if let Dimension::Size(index) = dimension
                        && let Some((name, _)) = kernel.sizes.get(*index)
                    {
                        sizes.insert(name.clone(), *size as i64);
                    }
                }
                for (wanted, stride) in tensor.strides.iter().zip(strides) {
                    if let Stride::Variable {
                        variable,
                        named: true,
                    } = wanted
                    {
                        let name = &kernel.variables[variable.0 as usize].name;
                        sizes.insert(name.clone(), *stride);
                    }
                }
            }
            (Parameter::Scalar { name, .. }, LaunchArgument::Scalar { operand }) => {
                let value = operands.get(*operand).map(|operand| &operand.kind);
                if let Some(ExprKind::Constant(Constant::Int(value))) = value
                    && let Ok(value) = i64::try_from(*value)
                {
                    sizes.insert(name.clone(), value);
                }
            }
            _ => {}
        }
    }
    sizes
}
