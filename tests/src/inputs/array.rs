//! Arrays in files: what is read can be written and read again.

use std::fs;

use tile_runtime::element::ElementType::{self, BF16, F32};
use tile_runtime::npy;
use tile_runtime::tensor::Tensor;

use super::is_said;

/// One of each type and some shapes, as this crate and as NumPy write them.
pub(super) fn corpus() -> Vec<Vec<u8>> {
    let shapes: [&[usize]; 4] = [&[], &[3], &[2, 3], &[1, 0, 2]];
    let each = ElementType::ALL.into_iter().zip(shapes.into_iter().cycle());
    let mut files: Vec<_> = each
        .filter_map(|(element, shape)| written(element, shape))
        .collect();
    for header in [
        "{'descr': '>i4', 'fortran_order': True, 'shape': (2, 1), }",
        "{'descr': [('a', '<f4'), ('b', '<i2', (2,))], 'fortran_order': False, 'shape': (1,), }",
        "{\"descr\": \"bfloat16\", \"shape\": (4,), \"fortran_order\": False}",
    ] {
        let mut file = b"\x93NUMPY\x01\0".to_vec();
        file.extend((header.len() as u16).to_le_bytes());
        file.extend(header.bytes());
        file.extend([1; 8]);
        files.push(file);
    }
    files
}

fn written(element: ElementType, shape: &[usize]) -> Option<Vec<u8>> {
    let folder = tempfile::tempdir().ok()?;
    let path = folder.path().join("x.npy");
    npy::write(&path, &Tensor::arange(element, shape, 0, 1).ok()?).ok()?;
    fs::read(path).ok()
}

/// Reads an array, by its own type and as others.
pub(super) fn examine(input: &[u8]) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let path = folder.path().join("x.npy");
    fs::write(&path, input).map_err(|error| error.to_string())?;
    let read = [
        npy::read(&path),
        npy::read_as(&path, F32),
        npy::read_as(&path, BF16),
    ];
    for read in read {
        let tensor = match read {
            Ok(tensor) => tensor,
            Err(error) => {
                is_said(&error.to_string())?;
                continue;
            }
        };
        let again = folder.path().join("again.npy");
        npy::write(&again, &tensor).map_err(|error| error.to_string())?;
        let again = npy::read_as(&again, tensor.element()).map_err(|error| error.to_string())?;
        if again.shape() != tensor.shape() || again.dense_bytes() != tensor.dense_bytes() {
            return Err(format!("{tensor:?} is written as {again:?}"));
        }
    }
    Ok(())
}
