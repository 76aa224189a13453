//! Graphs: launches that are captured once and replayed with one call of the driver.
//!
//! ```no_run
//! use tile_runtime::device::{Arg, Device};
//! use tile_runtime::element::ElementType::F32;
//!
//! # fn main() -> Result<(), tile_runtime::Error> {
//! let device = Device::auto()?;
//! let program = device.load(include_str!("../tests/add.ptx"))?;
//! let add = program.kernel(Some("add"))?;
//! let (x, y, z) = (device.zeros(F32, &[1000])?, device.zeros(F32, &[1000])?, device.zeros(F32, &[1000])?);
//! let stream = device.stream();
//! let mut graph = stream.capture(|| {
//!     add.launch(&[("x", Arg::Tensor(&x)), ("y", Arg::Tensor(&x)), ("z", Arg::Mut(&y))])?;
//!     add.launch(&[("x", Arg::Tensor(&y)), ("y", Arg::Tensor(&y)), ("z", Arg::Mut(&z))])
//! })?;
//! for _ in 0..100 {
//!     graph.launch(&stream)?;
//! }
//! // The same launches of other tensors and numbers: cheaper than a new graph.
//! graph.update(&stream, || {
//!     add.launch(&[("x", Arg::Tensor(&y)), ("y", Arg::Tensor(&y)), ("z", Arg::Mut(&x))])?;
//!     add.launch(&[("x", Arg::Tensor(&x)), ("y", Arg::Tensor(&x)), ("z", Arg::Mut(&z))])
//! })?;
//! # Ok(())
//! # }
//! ```
//!
//! A capture takes what the stream is given: launches, fills, copies between tensors, and events, by which it takes in other
//! streams as well. The thread that captures can neither wait for the device nor copy to or from it in the meantime, so tensors
//! are made before. Other threads can: they wait until it is done.

use std::any::Any;
use std::cell::RefCell;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::backend::{self, CAPTURE_BROKEN, DeviceError};
use crate::device::Stream;
use crate::error::Error;

/// What captured work needs for as long as it may be replayed: tensors' memory, loaded code, workspaces.
type Kept = Vec<Arc<dyn Any + Send + Sync>>;

thread_local! {
    /// That of the captures of this thread, the innermost last.
    static CAPTURES: RefCell<Vec<Kept>> = const { RefCell::new(Vec::new()) };
}

/// Whether this thread captures a stream.
pub(crate) fn is_capturing() -> bool {
    // A thread that ends captures nothing.
    CAPTURES
        .try_with(|captures| !captures.borrow().is_empty())
        .unwrap_or(false)
}

/// Keeps something for the graphs that this thread captures, if it captures any.
pub(crate) fn keep<T: Any + Send + Sync>(what: impl FnOnce() -> T) {
    if is_capturing() {
        let what: Arc<dyn Any + Send + Sync> = Arc::new(what());
        CAPTURES.with_borrow_mut(|captures| {
            for kept in captures {
                kept.push(Arc::clone(&what));
            }
        });
    }
}

/// Threads that capture, and those whose host waits for a device: a driver that is asked to wait ends all captures of the
/// device, so the two take turns.
#[derive(Default)]
struct Turns {
    captures: usize,
    waits: usize,
}

static TURNS: Mutex<Turns> = Mutex::new(Turns {
    captures: 0,
    waits: 0,
});
static TURN_ENDS: Condvar = Condvar::new();

/// How long the host waits for the captures of other threads.
const PATIENCE: Duration = Duration::from_secs(10);

fn turns() -> MutexGuard<'static, Turns> {
    TURNS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does what waits for a device, while nothing is captured.
///
/// # Errors
/// If this thread captures a stream, or another one does for very long.
pub(crate) fn host_waits<R>(act: impl FnOnce() -> R) -> Result<R, DeviceError> {
    if is_capturing() {
        return Err(DeviceError::Capture(CAPTURE_BROKEN));
    }
    let is_captured = |turns: &mut Turns| turns.captures > 0;
    let waited = TURN_ENDS.wait_timeout_while(turns(), PATIENCE, is_captured);
    let (mut all, _) = waited.unwrap_or_else(PoisonError::into_inner);
    if all.captures > 0 {
        let forever = "another thread has captured a stream for ten seconds, and the host has to wait for the device";
        return Err(DeviceError::Capture(forever));
    }
    all.waits += 1;
    drop(all);
    let _turn = Turn(|turns| turns.waits -= 1);
    Ok(act())
}

/// What is done when a turn ends.
struct Turn(fn(&mut Turns));

impl Drop for Turn {
    fn drop(&mut self) {
        (self.0)(&mut turns());
        TURN_ENDS.notify_all();
    }
}

/// The turn of a thread that captures: begins when no host waits for a device.
fn turn_of_capture() -> Turn {
    let waited = TURN_ENDS.wait_while(turns(), |turns| turns.waits > 0);
    waited.unwrap_or_else(PoisonError::into_inner).captures += 1;
    Turn(|turns| turns.captures -= 1)
}

/// A capture that ends when this is dropped, whatever happens in it.
struct Capture<'a> {
    stream: &'a Stream,
    is_open: bool,
    /// `None` within another capture of this thread.
    turn: Option<Turn>,
}

impl<'a> Capture<'a> {
    fn begin(stream: &'a Stream) -> Result<Self, Error> {
        let turn = (!is_capturing()).then(turn_of_capture);
        stream.queue.begin_capture()?;
        CAPTURES.with_borrow_mut(|captures| captures.push(Kept::new()));
        Ok(Self {
            stream,
            is_open: true,
            turn,
        })
    }

    fn end(
        mut self,
        last: Option<Box<dyn backend::Graph>>,
    ) -> Result<(Box<dyn backend::Graph>, Kept), Error> {
        let (graph, kept) = self.close(last);
        Ok((graph?, kept))
    }

    /// Ends the capture. Memory that goes meanwhile, such as that of the last graph, is kept as what goes before: freeing it waits
    /// for the device, and so for the turn of this thread to end.
    fn close(
        &mut self,
        last: Option<Box<dyn backend::Graph>>,
    ) -> (Result<Box<dyn backend::Graph>, DeviceError>, Kept) {
        self.is_open = false;
        let graph = self.stream.queue.end_capture(last);
        let kept = CAPTURES.with_borrow_mut(Vec::pop).unwrap_or_default();
        self.turn = None;
        (graph, kept)
    }
}

impl Drop for Capture<'_> {
    fn drop(&mut self) {
        if self.is_open {
            // What was captured is dropped; what ended it is told already.
            drop(self.close(None));
        }
    }
}

impl Stream {
    /// Captures what `work` gives to this stream, which does not run: [`Graph::launch`] runs it.
    ///
    /// # Errors
    /// What `work` returns; if it waited for the device, copied to or from the host, or left another stream that it took in
    /// unjoined; if this stream is being captured already; if the device has no graphs.
    pub fn capture(&self, work: impl FnOnce() -> Result<(), Error>) -> Result<Graph, Error> {
        let capture = Capture::begin(self)?;
        work()?;
        let (graph, kept) = capture.end(None)?;
        Ok(Graph {
            graph: Some(graph),
            kept,
        })
    }
}

/// Captured work. It keeps the tensors and the kernels that it needs.
///
/// Replays of one graph run one after another, on whatever streams; each is ordered with the other work of its stream.
#[derive(Debug)]
pub struct Graph {
    /// `None` after an update that failed. Dropped before what it needs.
    graph: Option<Box<dyn backend::Graph>>,
    kept: Kept,
}

impl Graph {
    /// Runs the work in the order of a stream; returns before it is done.
    ///
    /// # Errors
    /// If the device refuses, earlier work failed, or the stream is of another device.
    pub fn launch(&self, stream: &Stream) -> Result<(), Error> {
        let graph = self.graph.as_ref();
        let graph = graph.ok_or(DeviceError::NoGraph)?;
        Ok(graph.start(&stream.queue)?)
    }

    /// Captures `work` anew, in place of what the graph had. If it is the same launches, of other tensors and numbers, that
    /// costs the driver less than a new graph. Replays that were started before run as they were.
    ///
    /// # Errors
    /// As [`Stream::capture`]. The graph is as before if `work` fails; if the device does, it is empty, and a launch says so.
    pub fn update(
        &mut self,
        stream: &Stream,
        work: impl FnOnce() -> Result<(), Error>,
    ) -> Result<(), Error> {
        let capture = Capture::begin(stream)?;
        work()?;
        let (graph, kept) = capture.end(self.graph.take())?;
        self.graph = Some(graph);
        self.kept = kept;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::backend::{Mark, Queue};

    /// What waits for the device when it goes, as memory does.
    #[derive(Debug)]
    struct Waits;

    impl Drop for Waits {
        fn drop(&mut self) {
            if is_capturing() {
                return keep(|| Self);
            }
            host_waits(|| ()).expect("no capture is in the way");
        }
    }

    impl backend::Graph for Waits {
        fn start(&self, _: &Arc<dyn Queue>) -> Result<(), DeviceError> {
            Ok(())
        }
    }

    /// A queue that lets the last graph go while it ends a capture.
    #[derive(Debug)]
    struct Forgets;

    impl Queue for Forgets {
        fn begin_capture(&self) -> Result<(), DeviceError> {
            Ok(())
        }

        fn end_capture(
            &self,
            last: Option<Box<dyn backend::Graph>>,
        ) -> Result<Box<dyn backend::Graph>, DeviceError> {
            drop(last);
            Ok(Box::new(Waits))
        }

        fn synchronize(&self) -> Result<(), DeviceError> {
            Ok(())
        }

        fn mark(&self) -> Result<Arc<dyn Mark>, DeviceError> {
            Err(DeviceError::NoGraphs)
        }

        fn wait(&self, _: &Arc<dyn Mark>) -> Result<(), DeviceError> {
            Ok(())
        }
    }

    #[test]
    fn what_goes_while_a_capture_ends_waits_for_nothing() {
        let stream = Stream {
            queue: Arc::new(Forgets),
        };
        let begin = Instant::now();
        let mut graph = stream.capture(|| Ok(())).expect("captured");
        graph.update(&stream, || Ok(())).expect("updated");
        let failed = graph.update(&stream, || Err(DeviceError::NoGraph.into()));
        failed.expect_err("it fails");
        drop(graph);
        assert!(begin.elapsed() < PATIENCE);
    }
}
