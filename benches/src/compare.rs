//! Whether kernels compute on the GPU what the interpreter says they do.
//!
//! A folder holds, for each call, `NAME.ptx`, `NAME.run` and, for each tensor that the kernel writes,
//! `NAME.PARAMETER.npy` with what is expected. `NAME.run` says `tolerance NUMBER` (or `tolerance
//! default`) in its first line, and may say `ptx FILE` in the next, if several calls share a file;
//! each further line is a word of the call as `tile-run` takes it.
//!
//! Each call is run twice: with all tensors aligned, and with each beginning one element after an
//! aligned address, which only variants take that rely on nothing.

use std::path::Path;

use clap::Parser;
use serde::{Deserialize, Serialize};
use tile_runtime::Error;
use tile_runtime::arguments::HostArgument;
use tile_runtime::comparison::Comparison;
use tile_runtime::device::{Arg, Device};
use tile_runtime::manifest::{Manifest, Parameter};
use tile_runtime::npy;
use tile_runtime::numeric;
use tile_runtime::program::Program;
use tile_runtime::run::{HostLaunch, RunOptions};
use tile_runtime::tensor::Tensor;

use crate::kernels::label;
use crate::session::{GUARD, Session, changed_guards, guarded};

/// One call, run once.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CompareRow {
    /// The file's name.
    pub label: String,
    /// The entry point that was chosen.
    pub variant: String,
    /// Whether tensors began at aligned addresses.
    pub aligned: bool,
    /// How far the simulator agrees, if that is asked for.
    pub agreement: Option<Agreement>,
    /// What is wrong; `None` if nothing is.
    pub problem: Option<String>,
}

/// A `.run` file, read.
#[derive(Debug)]
struct Call {
    /// Allowed error relative to the largest magnitude; `None` for what [`Comparison`] allows.
    tolerance: Option<f64>,
    /// The file with the kernel, if it is not named like the call.
    ptx: Option<String>,
    options: RunOptions,
}

#[derive(Parser)]
#[command(no_binary_name = true)]
struct Words {
    #[command(flatten)]
    run: RunOptions,
}

impl Call {
    fn parse(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().peekable();
        let tolerance = match lines
            .next()
            .and_then(|line| line.strip_prefix("tolerance "))
        {
            Some("default") => None,
            Some(number) => Some(
                number
                    .parse()
                    .map_err(|_| format!("`{number}` is no tolerance"))?,
            ),
            None => return Err("the first line must say `tolerance`".to_owned()),
        };
        let ptx = lines.next_if(|line| line.starts_with("ptx "));
        let ptx = ptx.map(|line| line["ptx ".len()..].to_owned());
        let words = Words::try_parse_from(lines).map_err(|error| error.to_string())?;
        Ok(Self {
            tolerance,
            ptx,
            options: words.run,
        })
    }
}

/// Runs the call of a `.run` file, once for each alignment.
///
/// # Errors
/// If it cannot be run or fails.
pub fn compare(
    session: &Session,
    path: &Path,
    tell: &mut dyn FnMut(CompareRow),
) -> Result<(), CompareError> {
    let text = read(path)?;
    let call = Call::parse(&text).map_err(CompareError::Files)?;
    let ptx = match &call.ptx {
        Some(file) => path.with_file_name(file),
        None => path.with_extension("ptx"),
    };
    let ptx = read(&ptx)?;
    let program = session.program(&ptx)?;
    let manifest = Manifest::from_ptx(&ptx)?;
    let host = call.options.prepare(&manifest)?;
    for aligned in [true, false] {
        let shift = usize::from(!aligned);
        let device = session.device();
        let (variant, outputs) = run(device, &program, &host, call.options.grid(), shift)?;
        let mut problems = Vec::new();
        for (name, before, after) in &outputs {
            let outside = changed_guards(after, before.storage().len(), shift);
            if outside > 0 {
                problems.push(format!("{outside} bytes beside `{name}` were written"));
            }
            if !is_written(&host, name) {
                if after.dense_bytes() != before.dense_bytes() {
                    problems.push(format!("the input `{name}` was changed"));
                }
                continue;
            }
            let file = path.with_extension(format!("{name}.npy"));
            let expected = npy::read_as(&file, after.element())?;
            if let Some(difference) = difference(&expected, after, call.tolerance) {
                problems.push(format!("`{name}`: {difference}"));
            }
        }
        let mut agreement = None;
        if session.settings.beside_simulator {
            let simulator = Device::sim();
            let program = simulator.load(&ptx)?;
            let (_, simulated) = run(&simulator, &program, &host, call.options.grid(), shift)?;
            let mut both = Agreement::new(&ptx, &variant);
            for ((name, _, device), (_, _, simulator)) in outputs.iter().zip(&simulated) {
                let different = both.add(device, simulator);
                if different > 0 && (both.exact || !is_float(device)) {
                    problems.push(format!("`{name}` differs from what the simulator computes"));
                } else if let Some(difference) = difference(simulator, device, call.tolerance) {
                    problems.push(format!("`{name}`, beside the simulator: {difference}"));
                }
            }
            agreement = Some(both);
        }
        tell(CompareRow {
            label: label(path),
            variant,
            aligned,
            agreement,
            problem: (!problems.is_empty()).then(|| problems.join("\n")),
        });
    }
    Ok(())
}

fn is_float(tensor: &Tensor) -> bool {
    tensor.element().is_float()
}

/// Tensors by name, before and after a run, with the entry point that was chosen.
type Outputs<'a> = (String, Vec<(&'a str, &'a Tensor, Tensor)>);

/// Runs a call with guards around all tensors, which begin `shift` elements after an aligned
/// address.
fn run<'a>(
    device: &Device,
    program: &Program,
    host: &'a HostLaunch<'a>,
    grid: Option<&[i64]>,
    shift: usize,
) -> Result<Outputs<'a>, CompareError> {
    let kernel = program.kernel(Some(&host.kernel.name))?;
    let mut tensors = Vec::new();
    for (name, value) in &host.arguments {
        if let HostArgument::Tensor(tensor) = value {
            let guarded = guarded(tensor, GUARD, shift)?;
            tensors.push((*name, tensor, device.upload_strided(&guarded)?));
        }
    }
    let mut remaining = tensors.iter();
    let arguments: Vec<_> = host
        .arguments
        .iter()
        .filter_map(|(name, value)| match value {
            HostArgument::Scalar(value) => Some((*name, Arg::Scalar(*value))),
            HostArgument::Tensor(_) => remaining
                .next()
                .map(|(_, _, tensor)| (*name, Arg::Mut(tensor))),
        })
        .collect();
    let launch = kernel.prepare_on(&device.stream(), &arguments, grid)?;
    launch.launch()?;
    let mut outputs = Vec::new();
    for (name, before, tensor) in &tensors {
        outputs.push((*name, *before, tensor.download()?));
    }
    Ok((launch.variant().entry.clone(), outputs))
}

/// How far the device and the simulator agree.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Agreement {
    /// Whether every instruction of the entry point has one right result: no approximation, no
    /// tensor core.
    pub exact: bool,
    /// Elements compared.
    pub elements: u64,
    /// Of them, those that are not the same bits. NaNs are all the same.
    pub different: u64,
}

impl Agreement {
    fn new(ptx: &str, entry: &str) -> Self {
        let start = ptx.find(&format!(".entry {entry}(")).unwrap_or(0);
        let body = &ptx[start..];
        let body = &body[..body.find("\n}").unwrap_or(body.len())];
        let inexact = [".approx", "mma.", "wgmma", "atom", "red."];
        Self {
            exact: !inexact.iter().any(|word| body.contains(word)),
            elements: 0,
            different: 0,
        }
    }

    /// Adds a tensor; gives how many of its elements differ.
    fn add(&mut self, device: &Tensor, simulator: &Tensor) -> u64 {
        let mut different = 0;
        let element = device.element();
        let nan = |bits: u64| match numeric::to_scalar(element, bits) {
            numeric::Scalar::Float(value) => value.is_nan(),
            numeric::Scalar::Int(_) => false,
        };
        for (device, simulator) in device.bits().zip(simulator.bits()) {
            self.elements += 1;
            let same = device == simulator || nan(device) && nan(simulator);
            different += u64::from(!same);
        }
        self.different += different;
        different
    }
}

/// Why a call could not be compared.
#[derive(Debug)]
pub enum CompareError {
    /// The files are not what they should be.
    Files(String),
    /// The call or the device failed.
    Run(Error),
}

impl<E: Into<Error>> From<E> for CompareError {
    fn from(error: E) -> Self {
        Self::Run(error.into())
    }
}

fn read(path: &Path) -> Result<String, CompareError> {
    std::fs::read_to_string(path)
        .map_err(|error| CompareError::Files(format!("{}: {error}", path.display())))
}

fn is_written(host: &HostLaunch<'_>, name: &str) -> bool {
    let parameter = |parameter: &&Parameter| parameter.name() == name;
    host.kernel
        .parameters
        .iter()
        .find(parameter)
        .is_some_and(Parameter::is_mutable)
}

/// In words, how a result differs from what is expected; `None` if it is right.
fn difference(expected: &Tensor, found: &Tensor, tolerance: Option<f64>) -> Option<String> {
    match Comparison::new(expected, found, tolerance) {
        Ok(comparison) if comparison.is_right() => None,
        Ok(comparison) => Some(comparison.to_string()),
        Err(error) => Some(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_a_tolerance_and_words() {
        let call = Call::parse("tolerance 1e-5\n--kernel\nf\nx=rand(-1, 1; 8)\n--grid\n2,3\n");
        let call = call.expect("a call");
        assert_eq!(call.tolerance, Some(1e-5));
        assert_eq!(call.options.arguments.len(), 1);
        assert_eq!(call.options.grid, [2, 3]);
        assert_eq!(call.ptx, None);
        let call = Call::parse("tolerance default\nptx g.ptx\n--kernel\ng\n").expect("a call");
        assert_eq!(call.ptx.as_deref(), Some("g.ptx"));
        assert!(Call::parse("--kernel\nf\n").is_err());
    }
}
