//! Launches that are repeated, on a device that only writes down what it is told.
#![allow(unsafe_code)] // the memory is nobody's, and nothing runs

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tile_runtime::Error;
use tile_runtime::backend::{
    Backend, DeviceError, Function, Mark, Memory, Module, Properties, Queue, RawLaunch, Resources,
    Start,
};
use tile_runtime::device::{Device, Stream};
use tile_runtime::element::ElementType::F32;
use tile_runtime::launch::{LaunchError, MAP_BYTES, MapValue};
use tile_runtime::numeric::Scalar;
use tile_runtime::program::{Launcher, RawArgument};

/// y = a * x, with a tensor map of x where it is aligned.
const SCALED: &str = r#"//tile: {"format": 5, "compiler": "written by hand", "target": "sm_80", "source": "scaled.tile", "kernels": [{
//tile:   "name": "scaled",
//tile:   "parameters": [
//tile:     {"kind": "tensor", "name": "x", "element": "f32", "mutable": false, "dimensions": [{"named": "n"}], "strides": ["dense"]},
//tile:     {"kind": "tensor", "name": "y", "element": "f32", "mutable": true, "dimensions": [{"named": "n"}], "strides": ["dense"]},
//tile:     {"kind": "scalar", "name": "a", "element": "f32"},
//tile:     {"kind": "scalar", "name": "first", "element": "i32"}
//tile:   ],
//tile:   "arguments": [
//tile:     {"kind": "address", "of": "x"}, {"kind": "address", "of": "y"}, {"kind": "size", "name": "n"},
//tile:     {"kind": "scalar", "name": "a"}, {"kind": "scalar", "name": "first"}
//tile:   ],
//tile:   "grid": [{"ceil_div": [{"name": "n"}, {"const": 128}]}],
//tile:   "variants": [
//tile:     {"entry": "mapped", "assumptions": [{"kind": "aligned", "of": "x", "bytes": 16}], "threads": 128, "shared_bytes": 0,
//tile:      "maps": [{"of": "x", "tile": [128], "swizzle": 0}]},
//tile:     {"entry": "plain", "assumptions": [], "threads": 128, "shared_bytes": 0}
//tile:   ]
//tile: }]}
"#;

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the device was told.
#[derive(Debug, Default)]
struct Log {
    launches: Vec<(String, u64, RawLaunch)>,
    functions: usize,
    maps: usize,
}

#[derive(Debug)]
struct Recorder {
    log: Arc<Mutex<Log>>,
    properties: Properties,
    queues: Mutex<Vec<Arc<Numbered>>>,
}

impl Recorder {
    fn queue(&self, handle: u64) -> Arc<dyn Queue> {
        let mut queues = locked(&self.queues);
        if let Some(known) = queues.iter().find(|queue| queue.0 == handle) {
            return known.clone();
        }
        let new = Arc::new(Numbered(handle));
        queues.push(new.clone());
        new
    }
}

impl Backend for Recorder {
    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn load(&self, _ptx: &str) -> Result<Arc<dyn Module>, DeviceError> {
        Ok(Arc::new(Loaded(self.log.clone())))
    }

    fn allocate(&self, _bytes: usize) -> Result<Arc<dyn Memory>, DeviceError> {
        Err(DeviceError::Borrowed)
    }

    fn tensor_map(&self, map: &MapValue) -> Result<[u8; MAP_BYTES], DeviceError> {
        locked(&self.log).maps += 1;
        Ok([(map.address >> 12) as u8; MAP_BYTES])
    }

    fn main_queue(&self) -> Arc<dyn Queue> {
        self.queue(0)
    }

    fn new_queue(&self) -> Result<Arc<dyn Queue>, DeviceError> {
        Err(DeviceError::Borrowed)
    }

    fn foreign_queue(&self, handle: u64) -> Result<Arc<dyn Queue>, DeviceError> {
        Ok(self.queue(handle))
    }

    fn synchronize(&self) -> Result<(), DeviceError> {
        Ok(())
    }
}

#[derive(Debug)]
struct Loaded(Arc<Mutex<Log>>);

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
        locked(&self.0).functions += 1;
        Ok(Arc::new(Named(self.0.clone(), entry.to_owned())))
    }
}

#[derive(Debug)]
struct Named(Arc<Mutex<Log>>, String);

impl Function for Named {
    fn resources(&self) -> Resources {
        Resources::default()
    }

    fn bind(&self, queue: &Arc<dyn Queue>, launch: RawLaunch) -> Result<Start, DeviceError> {
        let (log, entry, queue) = (self.0.clone(), self.1.clone(), queue.clone());
        Ok(Box::new(move || {
            let handle = (queue.as_ref() as &dyn std::any::Any).downcast_ref::<Numbered>();
            let handle = handle.expect("a queue of this device").0;
            let mut log = locked(&log);
            log.launches.push((entry.clone(), handle, launch.clone()));
            Ok(())
        }))
    }
}

#[derive(Debug)]
struct Numbered(u64);

impl Queue for Numbered {
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

struct Setup {
    device: Device,
    log: Arc<Mutex<Log>>,
    launcher: Launcher,
}

fn setup() -> Setup {
    let log = Arc::<Mutex<Log>>::default();
    let device = Device::from_backend(Arc::new(Recorder {
        log: log.clone(),
        properties: Properties {
            name: "a recorder".to_owned(),
            architecture: "sm_90".to_owned(),
            driver: "none".to_owned(),
            memory_bytes: 0,
            multiprocessors: 1,
            shared_bytes: 0,
            l2_bytes: 0,
        },
        queues: Mutex::default(),
    }));
    let program = device.load(SCALED).expect("the manifest reads");
    let launcher = program.kernel(None).expect("it has one kernel").launcher();
    Setup {
        device,
        log,
        launcher,
    }
}

impl Setup {
    fn launch(
        &self,
        stream: u64,
        [x, y]: [u64; 2],
        n: i64,
        a: f64,
        first: i64,
    ) -> Result<(), Error> {
        let shape = [n];
        let tensor = |address| RawArgument::Tensor {
            element: F32,
            address,
            shape: &shape,
            strides: &[1],
        };
        let arguments = [
            tensor(x),
            tensor(y),
            RawArgument::Scalar(Scalar::from(a)),
            RawArgument::Scalar(Scalar::from(first)),
        ];
        // SAFETY: nothing runs.
        unsafe {
            let stream = Stream::from_raw(&self.device, stream).expect("it has streams");
            self.launcher.launch(&stream, &arguments)
        }
    }

    fn counts(&self) -> [usize; 3] {
        let log = locked(&self.log);
        [log.launches.len(), log.functions, log.maps]
    }

    /// The entry, the stream, and the parameters of the last launch.
    fn last(&self) -> (String, u64, u64, u64, u32, f32, i32) {
        let log = locked(&self.log);
        let (entry, stream, launch) = log.launches.last().expect("a launch");
        let bytes = |index: usize, width: usize| {
            let at = launch.offsets[index];
            let mut word = [0; 8];
            word[..width].copy_from_slice(&launch.parameters[at..at + width]);
            u64::from_le_bytes(word)
        };
        if entry == "mapped" {
            let at = launch.offsets[5];
            assert_eq!(
                launch.parameters[at],
                (bytes(0, 8) >> 12) as u8,
                "the map is of x"
            );
        }
        (
            entry.clone(),
            *stream,
            bytes(0, 8),
            bytes(1, 8),
            bytes(2, 4) as u32,
            f32::from_bits(bytes(3, 4) as u32),
            bytes(4, 4) as i32,
        )
    }
}

#[test]
fn a_launch_that_was_decided_is_only_filled_in() {
    let setup = setup();
    setup
        .launch(7, [0x1000, 0x9000], 1000, 0.5, 3)
        .expect("it is launched");
    assert_eq!(
        setup.last(),
        ("mapped".into(), 7, 0x1000, 0x9000, 1000, 0.5, 3)
    );
    let first = setup.counts();
    setup
        .launch(7, [0x2000, 0xa000], 1000, -2.0, 3)
        .expect("it is launched");
    assert_eq!(
        setup.last(),
        ("mapped".into(), 7, 0x2000, 0xa000, 1000, -2.0, 3)
    );
    // One map for another address; nothing was asked for again.
    assert_eq!(setup.counts(), [first[0] + 1, first[1], first[2] + 1]);
    setup
        .launch(7, [0x1000, 0xa000], 1000, 1.0, 3)
        .expect("it is launched");
    setup
        .launch(7, [0x2000, 0x9000], 1000, 1.0, 3)
        .expect("it is launched");
    assert_eq!(setup.counts()[1..], [first[1], first[2] + 1]);
}

#[test]
fn what_a_launch_depends_on_decides_it_anew() {
    let setup = setup();
    let launch = |stream, x, n, first| {
        setup
            .launch(stream, [x, 0x90000], n, 1.0, first)
            .expect("it is launched");
        let (entry, on, address, _, size, _, number) = setup.last();
        assert_eq!(
            (on, address, size, number),
            (stream, x, n as u32, first as i32)
        );
        (entry, setup.counts()[1])
    };
    let decided = launch(1, 0x1000, 500, 0).1;
    assert_eq!(launch(2, 0x1000, 500, 0), ("mapped".into(), decided + 1));
    assert_eq!(launch(1, 0x1000, 501, 0), ("mapped".into(), decided + 2));
    assert_eq!(launch(1, 0x1004, 500, 0), ("plain".into(), decided + 3));
    assert_eq!(launch(1, 0x1000, 500, 9), ("mapped".into(), decided + 4));
    assert_eq!(launch(1, 0, 500, 0), ("plain".into(), decided + 5));
    // All of them are known now.
    for (stream, x, n, first) in [
        (1, 0x1000, 500, 0),
        (2, 0x1000, 500, 0),
        (1, 0x1004, 500, 0),
    ] {
        assert_eq!(launch(stream, x, n, first).1, decided + 5);
    }
}

#[test]
fn checks_are_those_of_every_launch() {
    let setup = setup();
    setup
        .launch(0, [0x1000, 0x9000], 1000, 1.0, 0)
        .expect("it is launched");
    let before = setup.counts()[0];
    let refused = setup.launch(0, [0x1000, 0x1010], 1000, 1.0, 0);
    assert!(
        matches!(refused, Err(Error::Launch(LaunchError::Overlap { .. }))),
        "{refused:?}"
    );
    let refused = setup.launch(0, [0x1000, 0x9000], 1000, 1e300, 0);
    assert!(
        matches!(refused, Err(Error::Launch(LaunchError::OutOfRange { .. }))),
        "{refused:?}"
    );
    assert_eq!(setup.counts()[0], before);
    // In place, and without a program.
    setup
        .launch(0, [0x1000, 0x1000], 1000, 1.0, 0)
        .expect("it is launched");
    setup
        .launch(0, [0x1000, 0x9000], 0, 1.0, 0)
        .expect("it is launched");
    setup
        .launch(0, [0x1000, 0x9000], 0, 1.0, 0)
        .expect("it is launched");
    assert_eq!(setup.counts()[0], before + 1);
}

#[test]
fn threads_and_streams_share_a_launcher() {
    let setup = setup();
    std::thread::scope(|scope| {
        for thread in 0..8u64 {
            let setup = &setup;
            scope.spawn(move || {
                for turn in 0..500u64 {
                    let x = 0x10_0000 + (thread * 500 + turn) * 0x1000;
                    setup
                        .launch(thread, [x, 0x9000_0000 + thread * 0x10_0000], 1000, 1.0, 0)
                        .expect("it is launched");
                }
            });
        }
    });
    let log = locked(&setup.log);
    assert_eq!(log.launches.len(), 4000);
    for (_, stream, launch) in &log.launches {
        let at = launch.offsets[0];
        let x = u64::from_le_bytes(
            launch.parameters[at..at + 8]
                .try_into()
                .expect("eight bytes"),
        );
        assert_eq!((x - 0x10_0000) / 0x1000 / 500, *stream);
        let map = launch.offsets[5];
        assert_eq!(launch.parameters[map], (x >> 12) as u8);
    }
}
