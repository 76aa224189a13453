//! `.npy` files, the format of `numpy.save` (versions 1 to 3; C and Fortran order; either
//! endianness on reading, little-endian on writing).
//!
//! NumPy has no `bf16` and no 8-bit floats. They are stored as NumPy's `ml_dtypes` saves them, as
//! raw bytes of their width: `bf16` as `<V2`, `f8e4m3` and `f8e5m2` as `|V1`, and read back from
//! these or from unsigned integers of the width (`<u2`, `|u1`) where the element type is named.
//! In Python: `np.load(path).view(ml_dtypes.bfloat16)`.

use std::io::{self, BufReader, Read};
use std::path::Path;

mod header;

use crate::element::ElementType;
use crate::tensor::Tensor;
use crate::{input, output};
use header::Header;

/// Why a `.npy` file cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
#[non_exhaustive]
pub enum NpyError {
    #[error("{path}: cannot be read: {source}")]
    Read { path: String, source: io::Error },
    #[error("{path}: cannot be written: {source}")]
    Write { path: String, source: io::Error },
    #[error("{path}: is no .npy file: {problem}")]
    Header { path: String, problem: String },
    #[error("{path}: holds elements of dtype '{found}', but {expected} is expected{hint}")]
    WrongType {
        path: String,
        found: String,
        expected: ElementType,
        hint: String,
    },
    #[error("{path}: dtype '{found}' is no element type{hint}")]
    UnknownType {
        path: String,
        found: String,
        hint: String,
    },
    #[error("{path}: shape {shape:?} needs {expected} bytes, but the file has {found}")]
    Length {
        path: String,
        shape: Vec<usize>,
        expected: u128,
        found: u64,
    },
}

/// How an element type is written.
const fn descriptor(element: ElementType) -> &'static str {
    match element {
        ElementType::I1 => "|b1",
        ElementType::I8 => "|i1",
        ElementType::I16 => "<i2",
        ElementType::I32 => "<i4",
        ElementType::I64 => "<i8",
        ElementType::U8 => "|u1",
        ElementType::U16 => "<u2",
        ElementType::U32 => "<u4",
        ElementType::U64 => "<u8",
        ElementType::F16 => "<f2",
        ElementType::F32 => "<f4",
        ElementType::F64 => "<f8",
        ElementType::BF16 => "<V2",
        ElementType::F8E4M3 | ElementType::F8E5M2 => "|V1",
    }
}

/// Whether a descriptor (without its byte order) is an element type's.
fn matches(element: ElementType, kind: &str) -> bool {
    let raw = match element {
        ElementType::BF16 => ["bfloat16", "V2", "u2"],
        ElementType::F8E4M3 => ["float8_e4m3fn", "V1", "u1"],
        ElementType::F8E5M2 => ["float8_e5m2", "V1", "u1"],
        _ => [&descriptor(element)[1..]; 3],
    };
    raw.contains(&kind)
}

/// Reads a file whose dtype says what its elements are.
///
/// # Errors
/// If the file cannot be read, is damaged, or has raw bytes (`bf16` and the 8-bit floats, for
/// which [`read_as`] names the type).
pub fn read(path: impl AsRef<Path>) -> Result<Tensor, NpyError> {
    read_elements(path.as_ref(), None)
}

/// Reads a file that must have the given element type.
///
/// # Errors
/// If the file cannot be read, is damaged, or has another dtype.
pub fn read_as(path: impl AsRef<Path>, element: ElementType) -> Result<Tensor, NpyError> {
    read_elements(path.as_ref(), Some(element))
}

/// The element type that a file says it has; `None` for raw bytes and what no kernel knows.
///
/// # Errors
/// If the file cannot be read, or its header is damaged.
pub fn element(path: impl AsRef<Path>) -> Result<Option<ElementType>, NpyError> {
    let path = path.as_ref();
    let name = || path.display().to_string();
    let (file, _) = input::open(path).map_err(|source| NpyError::Read {
        path: name(),
        source,
    })?;
    let header = Header::read(&mut BufReader::new(file)).map_err(|problem| NpyError::Header {
        path: name(),
        problem,
    })?;
    let found = header.descriptor.unwrap_or_default();
    Ok(known(found.trim_start_matches(['<', '>', '|', '='])))
}

/// The element type of a descriptor without its byte order; raw bytes are none.
fn known(kind: &str) -> Option<ElementType> {
    ElementType::ALL
        .into_iter()
        .find(|element| &descriptor(*element)[1..] == kind)
        .filter(|_| !is_raw(kind))
}

fn is_raw(kind: &str) -> bool {
    ["V1", "V2"].contains(&kind)
}

fn read_elements(path: &Path, expected: Option<ElementType>) -> Result<Tensor, NpyError> {
    let name = || path.display().to_string();
    let unreadable = |source| NpyError::Read {
        path: name(),
        source,
    };
    let (file, size) = input::open(path).map_err(unreadable)?;
    let mut reader = BufReader::new(file);
    let damaged = |problem: String| NpyError::Header {
        path: name(),
        problem,
    };
    let header = Header::read(&mut reader).map_err(damaged)?;
    let Some(found) = &header.descriptor else {
        return Err(NpyError::UnknownType {
            path: name(),
            found: "of records".to_owned(),
            hint: ": its elements are no numbers".to_owned(),
        });
    };
    let (big_endian, kind) = match found.split_at_checked(1) {
        Some((">", kind)) => (true, kind),
        Some(("<" | "|" | "=", kind)) => (false, kind),
        _ => (false, found.as_str()),
    };
    let element = match expected {
        Some(expected) if matches(expected, kind) => expected,
        Some(expected) => {
            return Err(NpyError::WrongType {
                path: name(),
                found: found.clone(),
                expected,
                hint: conversion_hint(expected),
            });
        }
        None => known(kind).ok_or_else(|| NpyError::UnknownType {
            path: name(),
            found: found.clone(),
            hint: match is_raw(kind) {
                true => ": it is raw bytes, name their type".to_owned(),
                false => String::new(),
            },
        })?,
    };
    let width = element.bytes() as usize;
    let expected_bytes = header.shape.iter().try_fold(width as u128, |bytes, &size| {
        bytes.checked_mul(size as u128)
    });
    let length = |found| NpyError::Length {
        path: name(),
        shape: header.shape.clone(),
        expected: expected_bytes.unwrap_or(u128::MAX),
        found,
    };
    // The file's size bounds what a damaged header can make us allocate.
    if expected_bytes.is_none_or(|bytes| bytes > u128::from(size)) {
        return Err(length(size));
    }
    let mut bytes = Vec::new();
    let mut reader = reader.take(size);
    reader.read_to_end(&mut bytes).map_err(unreadable)?;
    if expected_bytes != Some(bytes.len() as u128) {
        return Err(length(bytes.len() as u64));
    }
    if big_endian {
        for element in bytes.chunks_exact_mut(width) {
            element.reverse();
        }
    }
    let mut shape = header.shape;
    if header.is_fortran {
        shape.reverse();
    }
    let tensor =
        Tensor::from_bytes(element, &shape, bytes).map_err(|error| damaged(error.to_string()))?;
    Ok(match header.is_fortran {
        false => tensor,
        // Column-major is row-major of the reversed shape.
        true => tensor.transposed(),
    })
}

/// How to make the file in NumPy.
fn conversion_hint(expected: ElementType) -> String {
    let dtype = match expected {
        ElementType::I1 => "np.bool_",
        ElementType::I8 => "np.int8",
        ElementType::I16 => "np.int16",
        ElementType::I32 => "np.int32",
        ElementType::I64 => "np.int64",
        ElementType::U8 => "np.uint8",
        ElementType::U16 => "np.uint16",
        ElementType::U32 => "np.uint32",
        ElementType::U64 => "np.uint64",
        ElementType::F16 => "np.float16",
        ElementType::F32 => "np.float32",
        ElementType::F64 => "np.float64",
        ElementType::BF16 => "ml_dtypes.bfloat16",
        ElementType::F8E4M3 => "ml_dtypes.float8_e4m3fn",
        ElementType::F8E5M2 => "ml_dtypes.float8_e5m2",
    };
    format!(": in Python, save `x.astype({dtype})`")
}

/// Writes a file, in C order, as [`output::replace`] does.
///
/// # Errors
/// If the file cannot be written.
pub fn write(path: impl AsRef<Path>, tensor: &Tensor) -> Result<(), NpyError> {
    let path = path.as_ref();
    write_file(path, tensor).map_err(|source| NpyError::Write {
        path: path.display().to_string(),
        source,
    })
}

fn write_file(path: &Path, tensor: &Tensor) -> io::Result<()> {
    let header = Header {
        descriptor: Some(descriptor(tensor.element()).to_owned()),
        is_fortran: false,
        shape: tensor.shape().to_vec(),
    };
    output::replace(path, &[&header.bytes(), &tensor.dense_bytes()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a temporary folder")
    }

    /// A file with the given header dictionary and data, as Python writes it.
    fn python(dictionary: &str, data: &[u8]) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        let text = format!("{dictionary}\n");
        bytes.extend((text.len() as u16).to_le_bytes());
        bytes.extend(text.bytes());
        bytes.extend(data);
        bytes
    }

    proptest! {
        #[test]
        fn every_type_and_shape_survives(
            element in proptest::sample::select(ElementType::ALL.to_vec()),
            shape in prop::collection::vec(0..4usize, 0..4),
            seed in any::<u64>(),
        ) {
            let folder = folder();
            let path = folder.path().join("x.npy");
            let tensor = Tensor::randint(element, &shape, 0, 2, seed).expect("small");
            write(&path, &tensor).expect("written");
            prop_assert_eq!(read_as(&path, element).expect("read"), tensor.clone());
            write(&path, &tensor.transposed()).expect("written over");
            prop_assert_eq!(read_as(&path, element).expect("read"), tensor.transposed());
            let raw = matches!(
                element,
                ElementType::BF16 | ElementType::F8E4M3 | ElementType::F8E5M2
            );
            prop_assert_eq!(read(&path).is_err(), raw);
            // Nothing but the file itself is left.
            prop_assert_eq!(std::fs::read_dir(folder.path()).expect("folder").count(), 1);
        }

        #[test]
        fn any_bytes_are_a_tensor_or_an_error(
            dictionary in ".{0,60}",
            data in prop::collection::vec(any::<u8>(), 0..20),
        ) {
            let folder = folder();
            let path = folder.path().join("x.npy");
            std::fs::write(&path, python(&dictionary, &data)).expect("written");
            let _ = read(&path);
        }
    }

    #[test]
    fn order_and_endianness_are_honoured() {
        let folder = folder();
        let path = folder.path().join("x.npy");
        let header = "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }";
        let data: Vec<u8> = (0..6i16).flat_map(i16::to_be_bytes).collect();
        std::fs::write(&path, python(header, &data)).expect("written");
        let tensor = read(&path).expect("read");
        assert_eq!(tensor.shape(), [2, 3]);
        assert_eq!(tensor.to_i64(), [0, 2, 4, 1, 3, 5]);
    }

    #[test]
    fn errors_name_the_file_and_both_types() {
        let folder = folder();
        let path = folder.path().join("x.npy");
        let text = |result: Result<Tensor, NpyError>| {
            let text = result.expect_err("refused").to_string();
            text.replace(&path.display().to_string(), "x.npy")
        };
        assert_eq!(
            text(read(&path)),
            "x.npy: cannot be read: No such file or directory (os error 2)"
        );
        write(&path, &Tensor::from_vec(&[2], &[1.0f64, 2.0]).expect("two")).expect("written");
        assert_eq!(
            text(read_as(&path, ElementType::F16)),
            "x.npy: holds elements of dtype '<f8', but f16 is expected: in Python, save \
             `x.astype(np.float16)`"
        );
        let huge = "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000, 9), }";
        std::fs::write(&path, python(huge, &[0; 8])).expect("written");
        assert!(text(read(&path)).starts_with(
            "x.npy: shape [1000000000000, 9] needs 36000000000000 bytes, but the file has"
        ));
        std::fs::write(&path, "no array").expect("written");
        assert!(text(read(&path)).starts_with("x.npy: is no .npy file: "));
    }
}
