//! Arrays between the interpreter's form, a word per element, and that of memory.

use tile_runtime::element::ElementType;
use tile_runtime::tensor::{Seed, Tensor, TensorError};

use super::session::Done;
use crate::diagnostic::{Span, messages};
use crate::interp::value::Tile;
use crate::typed::Element;
use crate::typed::host::{Distribution, Random};

/// An array of random numbers; the same on every machine.
pub(super) fn random(random: &Random, span: Span) -> Done<Tile> {
    let Random {
        distribution,
        seed,
        stream,
        ty,
    } = random;
    let Element::Number(element) = ty.element else {
        return Err(Box::new(messages::testing::malformed("addresses", span)));
    };
    let seed = Seed {
        seed: *seed,
        stream: *stream,
    };
    let shape: Vec<usize> = ty.shape.iter().map(|&size| size as usize).collect();
    let tensor = match *distribution {
        Distribution::Normal => Tensor::randn(element, &shape, seed),
        Distribution::Uniform { low, high } => Tensor::rand(element, &shape, low, high, seed),
        Distribution::Integers { low, high } => Tensor::randint(element, &shape, low, high, seed),
    };
    match tensor {
        Ok(tensor) => Ok(Tile::numbers(element, &ty.shape, tensor.bits().collect())),
        Err(error) => Err(Box::new(messages::testing::array_failed(&error, span))),
    }
}

/// The elements as bytes in memory.
pub(super) fn bytes(element: ElementType, bits: &[u64]) -> Vec<u8> {
    let width = element.bytes() as usize;
    let mut bytes = Vec::with_capacity(bits.len() * width);
    for bits in bits {
        bytes.extend_from_slice(&bits.to_le_bytes()[..width]);
    }
    bytes
}

/// The array that memory holds.
pub(super) fn from_bytes(
    element: ElementType,
    shape: &[u64],
    bytes: Vec<u8>,
) -> Result<Tile, TensorError> {
    let sizes: Vec<usize> = shape.iter().map(|&size| size as usize).collect();
    let tensor = Tensor::from_bytes(element, &sizes, bytes)?;
    // A truth value is true whatever its byte.
    let bits = tensor.bits().map(|bits| match element {
        ElementType::I1 => u64::from(bits != 0),
        _ => bits,
    });
    Ok(Tile::numbers(element, shape, bits.collect()))
}
