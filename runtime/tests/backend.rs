//! Programs, streams and whole runs on a device that is written in a page: it knows the kernels of
//! `add.ptx` by name and runs them at once on the host. What is tested is everything around the
//! hardware.

use std::any::Any;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tile_runtime::Error;
use tile_runtime::arguments::FileArgument;
use tile_runtime::backend::{
    Backend, DeviceError, Function, Mark, Memory, Module, Properties, Queue, RawLaunch, Resources,
    Start,
};
use tile_runtime::device::{Arg, Device, DeviceTensor};
use tile_runtime::dlpack::{ManagedTensor, Place};
use tile_runtime::element::ElementType::F32;
use tile_runtime::launch::{MAP_BYTES, MapValue};
use tile_runtime::npy;
use tile_runtime::run::{RunOptions, run};
use tile_runtime::tensor::Tensor;

const ADD: &str = include_str!("add.ptx");

/// All memory of the device: blocks are handed out upwards and never reused.
type Heap = Arc<Mutex<Vec<u8>>>;

#[derive(Debug)]
struct Page {
    heap: Heap,
    properties: Properties,
}

fn device(architecture: &str) -> Device {
    Device::from_backend(Arc::new(Page {
        heap: Heap::default(),
        properties: Properties {
            name: "a page".to_owned(),
            architecture: architecture.to_owned(),
            driver: "no driver".to_owned(),
            memory_bytes: 0,
            multiprocessors: 1,
            shared_bytes: 0,
            l2_bytes: 0,
        },
    }))
}

fn with<T>(heap: &Heap, work: impl FnOnce(&mut Vec<u8>) -> T) -> T {
    work(&mut heap.lock().unwrap_or_else(PoisonError::into_inner))
}

impl Backend for Page {
    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn gpu(&self) -> Option<i32> {
        Some(3)
    }

    fn load(&self, _ptx: &str) -> Result<Arc<dyn Module>, DeviceError> {
        Ok(Arc::new(Loaded(self.heap.clone())))
    }

    fn allocate(&self, bytes: usize) -> Result<Arc<dyn Memory>, DeviceError> {
        let start = with(&self.heap, |heap| {
            let start = heap.len().next_multiple_of(256);
            heap.resize(start + bytes, 0xaa);
            start
        });
        Ok(Arc::new(Block {
            heap: self.heap.clone(),
            start,
            bytes,
        }))
    }

    fn tensor_map(&self, _: &MapValue) -> Result<[u8; MAP_BYTES], DeviceError> {
        Ok([0; MAP_BYTES])
    }

    fn main_queue(&self) -> Arc<dyn Queue> {
        Arc::new(AtOnce)
    }

    fn new_queue(&self) -> Result<Arc<dyn Queue>, DeviceError> {
        Ok(Arc::new(AtOnce))
    }

    fn synchronize(&self) -> Result<(), DeviceError> {
        Ok(())
    }
}

#[derive(Debug)]
struct Loaded(Heap);

impl Module for Loaded {
    fn log(&self) -> &str {
        ""
    }

    fn function(
        &self,
        entry: &str,
        _threads: u32,
        _shared_bytes: u32,
    ) -> Result<Arc<dyn Function>, DeviceError> {
        Ok(Arc::new(Named(self.0.clone(), entry.to_owned())))
    }
}

#[derive(Debug)]
struct Named(Heap, String);

impl Function for Named {
    fn resources(&self) -> Resources {
        Resources::default()
    }

    fn bind(&self, queue: &Arc<dyn Queue>, launch: RawLaunch) -> Result<Start, DeviceError> {
        if !(queue.as_ref() as &dyn Any).is::<AtOnce>() {
            return Err(DeviceError::OtherDevice("the stream"));
        }
        let (heap, entry) = (self.0.clone(), self.1.clone());
        Ok(Box::new(move || {
            let parameters = &launch.parameters;
            let word = |at: usize| {
                u32::from_le_bytes(parameters[at..at + 4].try_into().expect("four bytes"))
            };
            with(&heap, |heap| {
                let f32_at = |heap: &[u8], at: usize| {
                    f32::from_le_bytes(heap[at..at + 4].try_into().expect("four bytes"))
                };
                let (x, y) = (word(0) as usize, word(8) as usize);
                let (count, to) = match entry.as_str() {
                    "add" => (word(24), word(16) as usize),
                    _ => (word(12), x),
                };
                for at in (0..count as usize * 4).step_by(4) {
                    let value = match entry.as_str() {
                        "add" => f32_at(heap, x + at) + f32_at(heap, y + at),
                        _ => f32_at(heap, x + at) * f32::from_bits(word(8)),
                    };
                    heap[to + at..to + at + 4].copy_from_slice(&value.to_le_bytes());
                }
            });
            Ok(())
        }))
    }
}

#[derive(Debug)]
struct Block {
    heap: Heap,
    start: usize,
    bytes: usize,
}

impl Memory for Block {
    fn address(&self) -> u64 {
        self.start as u64
    }

    fn write(&self, offset: usize, bytes: &[u8]) -> Result<(), DeviceError> {
        let at = self.start + offset;
        with(&self.heap, |heap| {
            heap[at..at + bytes.len()].copy_from_slice(bytes)
        });
        Ok(())
    }

    fn read(&self, offset: usize, bytes: &mut [u8]) -> Result<(), DeviceError> {
        let at = self.start + offset;
        with(&self.heap, |heap| {
            bytes.copy_from_slice(&heap[at..at + bytes.len()])
        });
        Ok(())
    }

    fn fill(&self, value: u8, _queue: &Arc<dyn Queue>) -> Result<(), DeviceError> {
        with(&self.heap, |heap| {
            heap[self.start..self.start + self.bytes].fill(value)
        });
        Ok(())
    }
}

#[derive(Debug)]
struct AtOnce;

impl Queue for AtOnce {
    fn synchronize(&self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn mark(&self) -> Result<Arc<dyn Mark>, DeviceError> {
        Ok(Arc::new(AtOnce))
    }

    fn wait(&self, _mark: &Arc<dyn Mark>) -> Result<(), DeviceError> {
        Ok(())
    }
}

impl Mark for AtOnce {
    fn synchronize(&self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn elapsed_ms(&self, _later: &Arc<dyn Mark>) -> Result<f64, DeviceError> {
        Ok(0.25)
    }
}

fn options(kernel: &str, arguments: &[&str]) -> RunOptions {
    RunOptions {
        kernel: Some(kernel.to_owned()),
        arguments: arguments
            .iter()
            .map(|text| text.parse().expect("well formed"))
            .collect(),
        ..RunOptions::default()
    }
}

#[test]
fn a_program_launches_and_reads_back() {
    let device = device("sm_90");
    let kernel = device
        .load(ADD)
        .expect("loads")
        .kernel(Some("add"))
        .expect("is there");
    let x = device
        .upload(&Tensor::arange(F32, &[5], 0, 1).expect("small"))
        .expect("uploaded");
    let z = device.zeros(F32, &[5]).expect("allocated");
    kernel
        .launch(&[
            ("z", Arg::Mut(&z)),
            ("x", Arg::Tensor(&x)),
            ("y", Arg::Tensor(&x)),
        ])
        .expect("launched");
    assert_eq!(
        z.download().expect("read").to_f64(),
        [0.0, 2.0, 4.0, 6.0, 8.0]
    );
    z.write(&Tensor::full(F32, &[5], 7.into()).expect("small"))
        .expect("same shape");
    assert_eq!(z.download().expect("read").to_f64(), [7.0; 5]);
    let other = Tensor::full(F32, &[4], 7.into()).expect("small");
    assert!(z.write(&other).is_err());
    let error = kernel
        .launch(&[
            ("x", Arg::Tensor(&x)),
            ("y", Arg::Tensor(&x)),
            ("z", Arg::Tensor(&z)),
        ])
        .expect_err("read-only");
    assert!(error.is_usage());
}

#[test]
fn ptx_for_another_target_is_refused() {
    let error = device("sm_75").load(ADD).expect_err("too old");
    assert_eq!(
        error.to_string(),
        "the PTX was compiled for sm_80, but a page is sm_75: compile with `--target sm_75`"
    );
    assert!(!error.is_usage());
}

#[test]
fn a_whole_run_reports_and_saves() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("z.npy");
    let mut options = options(
        "add",
        &["x=arange(300)", "y=full(300, 0.5)", "z=zeros(300)"],
    );
    options.save = vec![FileArgument {
        name: "z".to_owned(),
        path: path.clone(),
    }];
    options.time = Some(3);
    let mut steps = Vec::new();
    let report = run(ADD, &options, || Ok(device("sm_90")), &mut |done, of| {
        steps.push((done, of));
    })
    .expect("runs");
    assert_eq!(steps, [(1, 3), (2, 3), (3, 3)]);
    let saved = npy::read(&path).expect("saved");
    assert_eq!(saved.to_f64()[299], 299.5);
    let text = report.to_string();
    let hash = format!("{:016x}", saved.digest().hash);
    assert_eq!(
        text.replace(&hash, "HASH"),
        "   device  a page, sm_90, no driver
   kernel  add
     grid  3 × 1 × 1 = 3 programs
  threads  128 per program
   shared  65536 bytes per program
decisions  one element per thread
     time  250.00 µs median of 3, 250.00 µs to 250.00 µs (cold L2)
        z  f32[300]  HASH  min 0.500000  max 299.500000  mean 150.000000
"
    );
}

#[test]
fn the_digest_is_of_one_run_however_many_are_timed() {
    let mut options = options("scale", &["x=ones(4)", "a=2", "n=4"]);
    options.grid = vec![1];
    let digest = |options: &RunOptions| {
        let report = run(ADD, options, || Ok(device("sm_90")), &mut |_, _| {});
        report.expect("runs").outputs[0].digest.clone()
    };
    let once = digest(&options);
    options.time = Some(5);
    assert_eq!(digest(&options), once);
    assert_eq!(once.mean, 2.0);
}

#[test]
fn the_device_is_opened_only_for_a_good_call() {
    let mut options = options("add", &["x=arange(300)", "y=ones(3)", "z=zeros(300)"]);
    let closed = || -> Result<Device, DeviceError> { panic!("opened") };
    assert!(run(ADD, &options, closed, &mut |_, _| {}).is_err());
    options.save = vec!["q=q.npy".parse().expect("well formed")];
    let error: Error = run(ADD, &options, closed, &mut |_, _| {}).expect_err("no `q`");
    assert_eq!(
        error.to_string(),
        "kernel `add` has no parameter `q`: it takes `x`, `y` and `z`"
    );
}

/// `DLManagedTensor`, as another library has it.
#[repr(C)]
struct Foreign {
    data: u64,
    device: [i32; 2],
    rank: i32,
    data_type: (u8, u8, u16),
    shape: *const i64,
    strides: *const i64,
    byte_offset: u64,
    context: *const AtomicU32,
    deleter: Option<unsafe extern "C" fn(*mut Foreign)>,
}

/// Counts how often tensors are given back.
#[allow(unsafe_code)] // the deleter of `foreign`
unsafe extern "C" fn gone(tensor: *mut Foreign) {
    // SAFETY: the test keeps both.
    unsafe { (*(*tensor).context).fetch_add(1, Ordering::Relaxed) };
}

/// A matrix of 2 x 3 in f32 on a GPU.
fn foreign(gpu: i32, shape: &[i64; 2], strides: *const i64, gone_times: &AtomicU32) -> Foreign {
    Foreign {
        data: 0x1000,
        device: [2, gpu],
        rank: 2,
        data_type: (2, 32, 1),
        shape: shape.as_ptr(),
        strides,
        byte_offset: 16,
        context: gone_times,
        deleter: Some(gone),
    }
}

#[allow(unsafe_code)] // what `foreign` makes is a tensor, and lives long enough
fn taken(device: &Device, tensor: &mut Foreign) -> Result<DeviceTensor, Error> {
    let tensor: *mut c_void = (&raw mut *tensor).cast();
    // SAFETY: as above.
    unsafe { DeviceTensor::from_dlpack(device, tensor.cast()) }
}

#[test]
fn a_tensor_of_another_library_is_given_back_with_the_last_view() {
    let device = device("sm_90");
    let (shape, strides, gone_times) = ([2, 3], [1, 2], AtomicU32::new(0));
    let mut dense = foreign(3, &shape, std::ptr::null(), &gone_times);
    let tensor = taken(&device, &mut dense).expect("it is on this device");
    assert_eq!((tensor.element(), tensor.address()), (F32, 0x1010));
    assert_eq!(
        (tensor.shape(), tensor.strides()),
        (&[2, 3][..], &[3, 1][..])
    );
    let view = tensor.transposed();
    drop(tensor);
    assert_eq!(gone_times.load(Ordering::Relaxed), 0);
    drop(view);
    assert_eq!(gone_times.load(Ordering::Relaxed), 1);
    let mut strided = foreign(3, &shape, strides.as_ptr(), &gone_times);
    let tensor = taken(&device, &mut strided).expect("it is on this device");
    assert_eq!(tensor.strides(), [1, 2]);
}

#[test]
fn a_tensor_of_another_library_that_is_refused_stays_its_own() {
    let device = device("sm_90");
    let (shape, gone_times) = ([2, 3], AtomicU32::new(0));
    let refused = |change: fn(&mut Foreign)| {
        let mut tensor = foreign(3, &shape, std::ptr::null(), &gone_times);
        change(&mut tensor);
        let refusal = taken(&device, &mut tensor).expect_err("it is refused");
        refusal.to_string()
    };
    let found = [
        refused(|tensor| tensor.device = [2, 0]),
        refused(|tensor| tensor.device = [1, 0]),
        refused(|tensor| tensor.device = [7, 0]),
        refused(|tensor| tensor.data_type = (2, 32, 4)),
        refused(|tensor| tensor.shape = std::ptr::null()),
    ];
    let whole = "the DLPack tensor cannot be taken or given: ";
    let expected = [
        "it is on cuda:0, not on a page",
        "it is in memory of the host, not on a page",
        "it is on a device of kind 7 (DLDeviceType), not on a page",
        "kernels know no such element type (code 2, 32 bits, 4 lanes)",
        "it has no sizes",
    ];
    assert_eq!(found, expected.map(|text| format!("{whole}{text}")));
    assert_eq!(gone_times.load(Ordering::Relaxed), 0);
}

#[test]
#[allow(unsafe_code)] // it is the other library
fn a_tensor_goes_to_another_library_and_back() {
    let device = device("sm_90");
    let tensor = device.zeros(F32, &[4, 5]).expect("allocated").transposed();
    let address = tensor.address();
    let given: *mut ManagedTensor = tensor.to_dlpack().expect("it is the device's");
    drop(tensor);
    // SAFETY: it was handed out, and is alive until it is given back.
    let own = unsafe { &(*given).tensor };
    assert_eq!(own.place(), Ok(Place::Gpu(3)));
    assert_eq!((own.element(), own.address()), (Some(F32), address));
    assert_eq!((own.sizes(), &*own.strides()), (&[5, 4][..], &[1, 5][..]));
    // SAFETY: as above; nobody else has it.
    let back = unsafe { DeviceTensor::from_dlpack(&device, given) }.expect("it is the device's");
    assert_eq!((back.shape(), back.address()), (&[5, 4][..], address));
    let borrowed = back.to_dlpack().expect("it has a device");
    // SAFETY: as above.
    drop(unsafe { DeviceTensor::from_dlpack(&device, borrowed) });
    let simulated = Device::sim().zeros(F32, &[2]).expect("allocated");
    let refusal = simulated.to_dlpack().expect_err("nobody else can read it");
    assert!(
        refusal.to_string().contains("has no memory for others"),
        "{refusal}"
    );
}
