//! cuBLASLt, as far as a benchmark needs it: products of dense matrices by each of the algorithms that
//! its heuristics propose. The library is opened at run time.
//!
//! All `unsafe` of this crate is here. Common to all blocks: the functions of `cudarc::cublaslt` need
//! the library, and a [`Cublas`] exists only after it was found; descriptors belong to the value that
//! destroys them; matrices are [`DeviceTensor`]s that were checked to be dense and of the shape that is
//! multiplied, and [`Product`] keeps them, so that their memory is there as long as work may read it.
//! Kernels run in the GPU's address space, in which no Rust object lives.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::fmt;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::Arc;

use cudarc::cublaslt::{result, sys};
use cudarc::driver::sys::CUevent_flags;
use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DevicePtr, DriverError};
use tile_runtime::device::DeviceTensor;
use tile_runtime::element::ElementType;
use tile_runtime::tensor::dense_strides;

/// What the library may use beside the operands: what PyTorch gives it on Hopper.
const WORKSPACE_BYTES: usize = 32 << 20;

/// Algorithms that are asked for.
const MOST_ALGORITHMS: usize = 12;

/// Why the library computes nothing.
#[derive(Debug, Clone)]
pub struct Failure(String);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<DriverError> for Failure {
    fn from(error: DriverError) -> Self {
        Self(format!("the CUDA driver: {error}"))
    }
}

impl From<result::CublasError> for Failure {
    fn from(error: result::CublasError) -> Self {
        Self(format!("cuBLASLt: {:?}", error.0))
    }
}

/// The library on the first GPU, with a stream and a workspace of its own.
pub struct Cublas {
    handle: sys::cublasLtHandle_t,
    stream: Arc<CudaStream>,
    workspace: CudaSlice<u8>,
    /// The scale of both fp8 operands.
    one: CudaSlice<f32>,
    flush: CudaSlice<u8>,
}

impl Cublas {
    /// Opens the library. To be called after a device was opened, which says whether there is a driver.
    ///
    /// # Errors
    /// If there is no such library, or it fails.
    pub fn open(flush_bytes: usize) -> Result<Self, Failure> {
        // SAFETY: opens and closes a system library.
        if !unsafe { sys::is_culib_present() } {
            return Err(Failure(
                "libcublasLt.so is not on the library path".to_owned(),
            ));
        }
        let context = CudaContext::new(0)?;
        let stream = context.new_stream()?;
        let workspace = stream.alloc_zeros(WORKSPACE_BYTES)?;
        let flush = stream.alloc_zeros(flush_bytes.max(1))?;
        let one = stream.clone_htod(&[1.0_f32])?;
        stream.synchronize()?;
        Ok(Self {
            handle: result::create_handle()?,
            stream,
            workspace,
            one,
            flush,
        })
    }

    /// The version of the library, such as 130100.
    #[must_use]
    pub fn version(&self) -> usize {
        // SAFETY: takes nothing and returns a number.
        unsafe { sys::cublasLtGetVersion() }
    }

    /// Microseconds of device time of a product, the level-2 cache being cold.
    ///
    /// # Errors
    /// If the library or the device fails.
    pub fn time(
        &mut self,
        product: &Product,
        algorithm: &sys::cublasLtMatmulAlgo_t,
    ) -> Result<f64, Failure> {
        let event = Some(CUevent_flags::CU_EVENT_DEFAULT);
        // Busy until the launch has reached the device.
        self.stream.memset_zeros(&mut self.flush)?;
        let before = self.stream.record_event(event)?;
        product.run(self, algorithm)?;
        let after = self.stream.record_event(event)?;
        self.stream.synchronize()?;
        Ok(f64::from(before.elapsed_ms(&after)?) * 1000.0)
    }
}

impl Drop for Cublas {
    fn drop(&mut self) {
        // A failure leaves nothing to be done.
        let _ = self.stream.synchronize();
        // SAFETY: the handle was made with this value and is not used after.
        let _ = unsafe { result::destroy_handle(self.handle) };
    }
}

/// How a row-major matrix of the product lies in memory.
#[derive(Debug, Clone)]
pub struct Matrix {
    /// Its elements.
    pub tensor: DeviceTensor,
    /// Whether it lies by its columns: the tensor has the shape of its transpose.
    pub by_columns: bool,
}

/// `out = left · right` as the library sees it, all matrices being its transposes: it counts by columns.
pub struct Product {
    description: sys::cublasLtMatmulDesc_t,
    layouts: [sys::cublasLtMatrixLayout_t; 3],
    tensors: [DeviceTensor; 3],
    integers: bool,
    /// What the heuristics propose, the best first in their opinion.
    pub algorithms: Vec<sys::cublasLtMatmulAlgo_t>,
}

impl Product {
    /// A product of `m` by `k` and `k` by `n`; `fast` lets fp8 be added up as the tensor cores do,
    /// without going to f32 registers in between.
    ///
    /// # Errors
    /// If the library has no algorithm for it.
    pub fn new(
        cublas: &Cublas,
        [m, n, k]: [usize; 3],
        left: &Matrix,
        right: &Matrix,
        out: &DeviceTensor,
        fast: bool,
    ) -> Result<Self, Failure> {
        let shape = |rows, columns, turned| {
            if turned {
                [columns, rows]
            } else {
                [rows, columns]
            }
        };
        for (tensor, shape) in [
            (&left.tensor, shape(m, k, left.by_columns)),
            (&right.tensor, shape(k, n, right.by_columns)),
            (out, [m, n]),
        ] {
            if tensor.shape() != shape || tensor.strides() != dense_strides(&shape) {
                return Err(Failure(format!("{:?} is not {shape:?}", tensor.shape())));
            }
        }
        cublas.stream.context().bind_to_thread()?;
        let integers = out.element() == ElementType::I32;
        let (compute, scale) = if integers {
            (
                sys::cublasComputeType_t::CUBLAS_COMPUTE_32I,
                sys::cudaDataType_t::CUDA_R_32I,
            )
        } else {
            (
                sys::cublasComputeType_t::CUBLAS_COMPUTE_32F,
                sys::cudaDataType_t::CUDA_R_32F,
            )
        };
        // What is made is held by `product` from the start, which destroys it also on an error.
        let mut product = Self {
            description: result::create_matmul_desc(compute, scale)?,
            layouts: [ptr::null_mut(); 3],
            tensors: [right.tensor.clone(), left.tensor.clone(), out.clone()],
            integers,
            algorithms: Vec::new(),
        };
        for (layout, tensor) in product.layouts.iter_mut().zip(&product.tensors) {
            let (rows, columns) = (tensor.shape()[1], tensor.shape()[0]);
            let element = data_type(tensor.element())?;
            let leading = rows as i64;
            *layout = result::create_matrix_layout(element, rows as u64, columns as u64, leading)?;
        }
        use sys::cublasLtMatmulDescAttributes_t as Attribute;
        let turned = |matrix: &Matrix| i32::from(matrix.by_columns);
        product.describe(Attribute::CUBLASLT_MATMUL_DESC_TRANSA, &turned(right))?;
        product.describe(Attribute::CUBLASLT_MATMUL_DESC_TRANSB, &turned(left))?;
        if left.tensor.element().bytes() == 1 && !integers {
            let one = cublas.one.device_ptr(&cublas.stream).0;
            product.describe(Attribute::CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, &one)?;
            product.describe(Attribute::CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, &one)?;
            let fast = i8::from(fast);
            product.describe(Attribute::CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast)?;
        }
        product.algorithms = product.propose(cublas)?;
        Ok(product)
    }

    /// Sets an attribute, which must be of the type that the library documents.
    fn describe<T: Copy>(
        &mut self,
        attribute: sys::cublasLtMatmulDescAttributes_t,
        value: &T,
    ) -> Result<(), Failure> {
        let address: *const T = value;
        // SAFETY: the library copies as many bytes as there are.
        unsafe {
            result::set_matmul_desc_attribute(
                self.description,
                attribute,
                address.cast(),
                size_of::<T>(),
            )
        }?;
        Ok(())
    }

    fn propose(&self, cublas: &Cublas) -> Result<Vec<sys::cublasLtMatmulAlgo_t>, Failure> {
        use sys::cublasLtMatmulPreferenceAttributes_t as Preference;
        let preference = result::create_matmul_pref()?;
        let mut found =
            [MaybeUninit::<sys::cublasLtMatmulHeuristicResult_t>::zeroed(); MOST_ALGORITHMS];
        let mut count = 0;
        let [a, b, c] = self.layouts;
        let bytes: *const usize = &WORKSPACE_BYTES;
        // SAFETY: the preference is destroyed once; the library copies the number and writes at most
        // as many results as it is told that there is room for.
        let status = unsafe {
            let set = result::set_matmul_pref_attribute(
                preference,
                Preference::CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                bytes.cast(),
                size_of::<usize>(),
            );
            let status = sys::cublasLtMatmulAlgoGetHeuristic(
                cublas.handle,
                self.description,
                a,
                b,
                c,
                c,
                preference,
                MOST_ALGORITHMS as i32,
                found.as_mut_ptr().cast(),
                &raw mut count,
            );
            let destroyed = result::destroy_matmul_pref(preference);
            set.and(destroyed).and(status.result())
        };
        status?;
        let count = usize::try_from(count).unwrap_or(0).min(MOST_ALGORITHMS);
        let found = found[..count].iter().map(|found| {
            // SAFETY: the library wrote the first `count` of them, and the rest are zeros, which is
            // a value of each of their fields.
            unsafe { found.assume_init() }
        });
        let success = sys::cublasStatus_t::CUBLAS_STATUS_SUCCESS;
        Ok(found
            .filter(|found| found.state == success && found.workspaceSize <= WORKSPACE_BYTES)
            .map(|found| found.algo)
            .collect())
    }

    /// Starts it on the library's stream.
    fn run(&self, cublas: &Cublas, algorithm: &sys::cublasLtMatmulAlgo_t) -> Result<(), Failure> {
        cublas.stream.context().bind_to_thread()?;
        let address = |index: usize| {
            ptr::without_provenance_mut::<c_void>(self.tensors[index].address() as usize)
        };
        let workspace = cublas.workspace.device_ptr(&cublas.stream).0;
        let (ones, zeros) = ([1.0_f32, 0.0], [1_i32, 0]);
        let (alpha, beta): (*const c_void, *const c_void) = if self.integers {
            ((&raw const zeros[0]).cast(), (&raw const zeros[1]).cast())
        } else {
            ((&raw const ones[0]).cast(), (&raw const ones[1]).cast())
        };
        let [a, b, c] = self.layouts;
        // SAFETY: descriptors and matrices are those of the heuristics; the library reads both factors
        // before it returns.
        unsafe {
            result::matmul(
                cublas.handle,
                self.description,
                alpha,
                beta,
                address(0),
                a,
                address(1),
                b,
                address(2),
                c,
                address(2),
                c,
                algorithm,
                ptr::without_provenance_mut(workspace as usize),
                WORKSPACE_BYTES,
                cublas.stream.cu_stream().cast(),
            )
        }?;
        Ok(())
    }
}

impl Drop for Product {
    fn drop(&mut self) {
        // SAFETY: each was made with this value and is not used after; those that were not made are
        // null. A failure leaves nothing to be done.
        unsafe {
            let _ = result::destroy_matmul_desc(self.description);
            for layout in self.layouts.into_iter().filter(|layout| !layout.is_null()) {
                let _ = result::destroy_matrix_layout(layout);
            }
        }
    }
}

fn data_type(element: ElementType) -> Result<sys::cudaDataType, Failure> {
    Ok(match element {
        ElementType::F16 => sys::cudaDataType_t::CUDA_R_16F,
        ElementType::BF16 => sys::cudaDataType_t::CUDA_R_16BF,
        ElementType::F32 => sys::cudaDataType_t::CUDA_R_32F,
        ElementType::F8E4M3 => sys::cudaDataType_t::CUDA_R_8F_E4M3,
        ElementType::F8E5M2 => sys::cudaDataType_t::CUDA_R_8F_E5M2,
        ElementType::I8 => sys::cudaDataType_t::CUDA_R_8I,
        ElementType::I32 => sys::cudaDataType_t::CUDA_R_32I,
        other => return Err(Failure(format!("it has no {other}"))),
    })
}
