//! What a caller gave, as arguments of a kernel.

use std::borrow::Cow;

use tile_runtime::dlpack::{DlTensor, Place};
use tile_runtime::element::ElementType;
use tile_runtime::manifest::Parameter;
use tile_runtime::numeric::Scalar;
use tile_runtime::program::RawArgument;

use crate::abi::{Any, tag};
use crate::failure::Failure;

/// An argument.
pub enum Given<'a> {
    Tensor(&'a DlTensor, ElementType),
    Scalar(Scalar),
}

impl<'a> Given<'a> {
    pub fn of(parameter: &Parameter, value: &'a Any) -> Result<Self, Failure> {
        let name = parameter.name();
        if let Some(tensor) = value.tensor() {
            let element = tensor.element().ok_or_else(|| {
                let (code, bits, lanes) = tensor.data_type();
                Failure::usage(format!(
                    "`{name}`: kernels know no such element type (DLPack code {code}, {bits} bits, {lanes} lanes)"
                ))
            })?;
            if tensor.address() == 0 && !tensor.sizes().contains(&0) {
                return Err(Failure::usage(format!(
                    "`{name}` has no memory: a kernel cannot run on a tensor that only stands for one (while a program is traced, call \
                     it as an operator of tile.torch_op)"
                )));
            }
            return Ok(Self::Tensor(tensor, element));
        }
        match value.tag {
            tag::INT => Ok(Self::Scalar(Scalar::from(value.bits as i64))),
            tag::BOOL => Ok(Self::Scalar(Scalar::from(value.bits != 0))),
            tag::FLOAT => Ok(Self::Scalar(Scalar::from(f64::from_bits(value.bits)))),
            tag::NONE => Err(Failure::usage(format!(
                "`{name}` is None: give {parameter}"
            ))),
            _ => Err(Failure::usage(format!(
                "`{name}` is neither an array nor a number: give {parameter}"
            ))),
        }
    }

    /// The strides of a tensor.
    pub fn strides(&self) -> Cow<'a, [i64]> {
        match *self {
            Self::Tensor(tensor, _) => tensor.strides(),
            Self::Scalar(_) => Cow::default(),
        }
    }

    /// As a launch takes it, with its strides.
    pub fn raw<'b>(&self, strides: &'b [i64]) -> RawArgument<'b>
    where
        'a: 'b,
    {
        match *self {
            Self::Scalar(value) => RawArgument::Scalar(value),
            Self::Tensor(tensor, element) => RawArgument::Tensor {
                element,
                address: tensor.address(),
                shape: tensor.sizes(),
                strides,
            },
        }
    }

    /// Where it lies, if it is a tensor.
    pub fn place(&self, name: &str) -> Result<Option<Place>, Failure> {
        match self {
            Self::Scalar(_) => Ok(None),
            Self::Tensor(tensor, _) => tensor.place().map(Some).map_err(|kind| {
                Failure::usage(format!(
                    "`{name}` is on a device of kind {kind} (DLDeviceType): kernels run on CUDA devices, and in the simulator on arrays of the host"
                ))
            }),
        }
    }
}
