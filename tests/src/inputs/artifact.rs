//! Compiled files: loaded into the simulator, and every kernel launched with arguments that its manifest asks for.

use std::fs;

use tile_runtime::Error;
use tile_runtime::device::{Arg, Device};
use tile_runtime::element::ElementType;
use tile_runtime::manifest::{Dimension, Parameter};
use tile_runtime::numeric::Scalar;
use tile_runtime::program::Kernel;
use tile_runtime::simulator::machine::Options;

use super::is_said;
use crate::random::products::product;
use crate::random::run::{Subject, Variants, expect};
use crate::random::{Limits, program};
use crate::root;

/// Steps of a block: enough for the files to begin with.
const STEPS: u64 = 20_000;

/// What a size is bound to that has a name, and what numbers are.
const SIZE: usize = 40;

/// Elements of an argument, at most.
const MOST: usize = 1 << 20;

/// Random programs and products, compiled, and a kernel with comments of all kinds.
pub(super) fn corpus() -> Vec<Vec<u8>> {
    let compiled = |subject: &dyn Subject| {
        let expected = expect(subject, Variants::Called).ok()?;
        Some(expected.compiled.ptx.into_bytes())
    };
    let limits = Limits::default().halved();
    let programs = (0..8).filter_map(|seed| compiled(&program(seed, limits)));
    let products = (0..4).filter_map(|seed| compiled(&product(seed)));
    let add = fs::read(root().join("runtime/tests/add.ptx")).ok();
    programs.chain(products).chain(add).collect()
}

/// Loads and launches.
pub(super) fn examine(text: &str) -> Result<(), String> {
    let device = Device::simulated(Options {
        steps: STEPS,
        multiprocessors: 2,
        ..Options::default()
    });
    let program = match device.load(text) {
        Ok(program) => program,
        Err(error) => return is_said(&error.to_string()),
    };
    for kernel in program.manifest().kernels.iter().take(4) {
        let launched = program
            .kernel(Some(&kernel.name))
            .and_then(|kernel| launch(&device, &kernel));
        if let Err(error) = launched {
            is_said(&error.to_string())?;
        }
    }
    Ok(())
}

fn launch(device: &Device, kernel: &Kernel) -> Result<(), Error> {
    let manifest = kernel.manifest();
    let mut tensors = Vec::new();
    for parameter in &manifest.parameters {
        let shape: Vec<usize> = match parameter {
            Parameter::Scalar { .. } => continue,
            Parameter::Pointer { .. } => vec![SIZE * SIZE],
            Parameter::Tensor { dimensions, .. } => dimensions.iter().map(size).collect(),
        };
        let elements = shape
            .iter()
            .try_fold(1_usize, |all, &size| all.checked_mul(size));
        // No argument of a larger size is made: the launch is refused for another.
        let shape = elements
            .filter(|&elements| elements <= MOST)
            .map_or(vec![1], |_| shape);
        tensors.push(device.zeros(parameter.element(), &shape)?);
    }
    let mut tensors = tensors.iter();
    let arguments = manifest
        .parameters
        .iter()
        .filter_map(|parameter| match parameter {
            Parameter::Scalar { element, .. } => Some(Arg::Scalar(number(*element))),
            _ => tensors.next().map(Arg::Tensor),
        });
    let arguments = kernel.named(arguments);
    let grid = manifest.grid.is_none().then_some([2_i64]);
    let grid = grid.as_ref().map(<[i64; 1]>::as_slice);
    kernel
        .prepare_on(&device.stream(), &arguments, grid)?
        .launch()?;
    device.synchronize()?;
    Ok(())
}

fn size(dimension: &Dimension) -> usize {
    match dimension {
        Dimension::Fixed(size) => usize::try_from(*size).unwrap_or(usize::MAX),
        Dimension::Named(_) => SIZE,
    }
}

fn number(element: ElementType) -> Scalar {
    match element.is_float() {
        true => Scalar::Float(1.0),
        false => Scalar::Int(SIZE as i128 * i128::from(element != ElementType::I1)),
    }
}
