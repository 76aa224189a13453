//! What a launch that was decided before costs the host: nothing of the heap, and few instructions.
#![allow(unsafe_code)] // the memory is nobody's, and nothing runs; and an allocator that counts

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::process::Command;
use std::sync::Arc;

use tile_runtime::backend::{
    Backend, DeviceError, Function, Mark, Memory, Module, Properties, Queue, RawLaunch, Resources,
    Start,
};
use tile_runtime::device::{Device, Stream};
use tile_runtime::element::ElementType::F32;
use tile_runtime::launch::{MAP_BYTES, MapValue};
use tile_runtime::numeric::Scalar;
use tile_runtime::program::RawArgument;

/// Instructions that a launch of five tensors and a number may take, where all of them lie elsewhere than the time before: 1460
/// are counted where overflow is checked, as in tests, with those of the test itself.
const INSTRUCTIONS: u64 = 1_600;

/// Five tensors and a number, as a normalisation has.
const KERNEL: &str = r#"//tile: {"format": 5, "compiler": "written by hand", "target": "sm_80", "source": "five.tile", "kernels": [{
//tile:   "name": "five",
//tile:   "parameters": [
//tile:     {"kind": "tensor", "name": "a", "element": "f32", "mutable": false, "dimensions": [{"named": "n"}], "strides": ["dense"]},
//tile:     {"kind": "tensor", "name": "b", "element": "f32", "mutable": false, "dimensions": [{"named": "n"}], "strides": ["dense"]},
//tile:     {"kind": "tensor", "name": "c", "element": "f32", "mutable": false, "dimensions": [{"named": "n"}], "strides": ["dense"]},
//tile:     {"kind": "tensor", "name": "d", "element": "f32", "mutable": true, "dimensions": [{"named": "n"}], "strides": ["dense"]},
//tile:     {"kind": "tensor", "name": "e", "element": "f32", "mutable": true, "dimensions": [{"named": "n"}], "strides": ["dense"]},
//tile:     {"kind": "scalar", "name": "eps", "element": "f32"}
//tile:   ],
//tile:   "arguments": [
//tile:     {"kind": "address", "of": "a"}, {"kind": "address", "of": "b"}, {"kind": "address", "of": "c"},
//tile:     {"kind": "address", "of": "d"}, {"kind": "address", "of": "e"}, {"kind": "size", "name": "n"},
//tile:     {"kind": "scalar", "name": "eps"}
//tile:   ],
//tile:   "grid": [{"ceil_div": [{"name": "n"}, {"const": 128}]}],
//tile:   "variants": [
//tile:     {"entry": "aligned", "assumptions": [{"kind": "aligned", "of": "a", "bytes": 16}], "threads": 128, "shared_bytes": 0},
//tile:     {"entry": "plain", "assumptions": [], "threads": 128, "shared_bytes": 0}
//tile:   ]
//tile: }]}
"#;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// Counts what this thread asks for.
struct Counting;

// SAFETY: the system's does all the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A device that does nothing with what it is told.
#[derive(Debug)]
struct Nothing(Properties);

impl Backend for Nothing {
    fn properties(&self) -> &Properties {
        &self.0
    }

    fn load(&self, _ptx: &str) -> Result<Arc<dyn Module>, DeviceError> {
        Ok(Arc::new(Loaded))
    }

    fn allocate(&self, _bytes: usize) -> Result<Arc<dyn Memory>, DeviceError> {
        Err(DeviceError::Borrowed)
    }

    fn tensor_map(&self, _map: &MapValue) -> Result<[u8; MAP_BYTES], DeviceError> {
        Err(DeviceError::Borrowed)
    }

    fn main_queue(&self) -> Arc<dyn Queue> {
        Arc::new(Ahead)
    }

    fn new_queue(&self) -> Result<Arc<dyn Queue>, DeviceError> {
        Ok(Arc::new(Ahead))
    }

    fn foreign_queue(&self, _handle: u64) -> Result<Arc<dyn Queue>, DeviceError> {
        Ok(Arc::new(Ahead))
    }

    fn synchronize(&self) -> Result<(), DeviceError> {
        Ok(())
    }
}

#[derive(Debug)]
struct Loaded;

impl Module for Loaded {
    fn log(&self) -> &str {
        ""
    }

    fn function(
        &self,
        _entry: &str,
        _threads: u32,
        _shared_bytes: u32,
    ) -> Result<Arc<dyn Function>, DeviceError> {
        Ok(Arc::new(Loaded))
    }
}

impl Function for Loaded {
    fn resources(&self) -> Resources {
        Resources::default()
    }

    fn bind(&self, _queue: &Arc<dyn Queue>, _launch: RawLaunch) -> Result<Start, DeviceError> {
        Ok(Box::new(|| Ok(())))
    }

    fn start(&self, _queue: &Arc<dyn Queue>, launch: &RawLaunch) -> Result<(), DeviceError> {
        std::hint::black_box(launch);
        Ok(())
    }
}

#[derive(Debug)]
struct Ahead;

impl Queue for Ahead {
    fn synchronize(&self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn mark(&self) -> Result<Arc<dyn Mark>, DeviceError> {
        Err(DeviceError::Borrowed)
    }

    fn wait(&self, _mark: &Arc<dyn Mark>) -> Result<(), DeviceError> {
        Ok(())
    }
}

/// Launches so often after the first time; gives how often the heap was asked.
fn launch(hits: u64) -> u64 {
    let device = Device::from_backend(Arc::new(Nothing(Properties {
        name: "nothing".to_owned(),
        architecture: "sm_90".to_owned(),
        driver: "none".to_owned(),
        memory_bytes: 0,
        multiprocessors: 1,
        shared_bytes: 0,
        l2_bytes: 0,
    })));
    let program = device.load(KERNEL).expect("the manifest reads");
    let launcher = program.kernel(None).expect("it has one kernel").launcher();
    // SAFETY: no stream is asked for anything.
    let stream = unsafe { Stream::from_raw(&device, 7) }.expect("it has streams");
    let shape = [1000];
    let go = |round: u64| {
        let tensor = |number: u64| RawArgument::Tensor {
            element: F32,
            address: (number << 40) + (round % 64) * 256,
            shape: &shape,
            strides: &[1],
        };
        let arguments = [
            tensor(1),
            tensor(2),
            tensor(3),
            tensor(4),
            tensor(5),
            RawArgument::Scalar(Scalar::from(1e-6)),
        ];
        // SAFETY: nothing runs.
        unsafe { launcher.launch(&stream, &arguments) }.expect("it is launched");
    };
    go(0);
    let before = ALLOCATIONS.get();
    for round in 1..=hits {
        go(round);
    }
    ALLOCATIONS.get() - before
}

#[test]
fn a_hit_asks_the_heap_for_nothing() {
    assert_eq!(launch(1000), 0);
}

/// How often the test below launches; run by it alone.
const HITS: &str = "TILE_TEST_HITS";

#[test]
#[ignore = "what `a_hit_takes_few_instructions` counts"]
fn so_many_hits() {
    if let Some(hits) = std::env::var(HITS).ok().and_then(|text| text.parse().ok()) {
        launch(hits);
    }
}

/// Instructions of a process that launches so often, by valgrind; `None` where there is none.
fn instructions(hits: u64) -> Option<u64> {
    let this = std::env::current_exe().expect("a path");
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(this)
        .args(["--exact", "so_many_hits", "--ignored", "--test-threads=1"])
        .env(HITS, hits.to_string())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stderr);
    let collected = text
        .lines()
        .find_map(|line| line.split("Collected : ").nth(1));
    Some(collected?.trim().parse().expect("a number"))
}

#[test]
fn a_hit_takes_few_instructions() {
    let (few, many) = (1_000, 11_000);
    let (Some(before), Some(after)) = (instructions(few), instructions(many)) else {
        eprintln!("skipped: there is no valgrind here");
        return;
    };
    let each = (after - before) / (many - few);
    eprintln!("{each} instructions for each launch");
    assert!((1..=INSTRUCTIONS).contains(&each), "{each} instructions");
}
