//! Arrays of the host: copied to the simulator, and back what a kernel writes.
#![allow(unsafe_code)]

use tile_runtime::dlpack::DlTensor;
use tile_runtime::element::ElementType;
use tile_runtime::tensor::{Tensor, TensorError, is_dense};

/// A copy of an array.
pub fn read(array: &DlTensor, element: ElementType) -> Result<Tensor, TensorError> {
    let (shape, width) = (array.shape(), element.bytes() as usize);
    let mut bytes = Vec::new();
    each_run(array, width, |address, run| {
        // SAFETY: an element or a row of elements of an array that the caller keeps alive, and which nobody writes meanwhile.
        bytes.extend_from_slice(unsafe { std::slice::from_raw_parts(address, run) });
    });
    Tensor::from_bytes(element, &shape, bytes)
}

/// Copies a tensor of the same shape to an array.
pub fn write(array: &DlTensor, tensor: &Tensor) {
    let width = tensor.element().bytes() as usize;
    let bytes = tensor.dense_bytes();
    let mut from = 0;
    each_run(array, width, |address, run| {
        // SAFETY: as above, and the caller gave the array to be written.
        let target = unsafe { std::slice::from_raw_parts_mut(address, run) };
        target.copy_from_slice(&bytes[from..from + run]);
        from += run;
    });
}

/// The bytes of an array in logical order, as runs that lie together.
fn each_run(array: &DlTensor, width: usize, mut act: impl FnMut(*mut u8, usize)) {
    let (shape, strides) = (array.shape(), array.strides());
    let count: usize = shape.iter().product();
    let start = array.address() as *mut u8;
    if count == 0 {
        return;
    }
    if is_dense(&shape, &strides) {
        act(start, count * width);
        return;
    }
    let mut index = vec![0usize; shape.len()];
    for _ in 0..count {
        let steps = index.iter().zip(strides.iter());
        let elements: isize = steps
            .map(|(at, stride)| *at as isize * *stride as isize)
            .sum();
        act(start.wrapping_offset(elements * width as isize), width);
        for axis in (0..shape.len()).rev() {
            index[axis] += 1;
            if index[axis] < shape[axis] {
                break;
            }
            index[axis] = 0;
        }
    }
}
