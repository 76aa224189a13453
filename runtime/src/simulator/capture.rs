//! Captures of the simulated streams: what a GPU would record is kept, and what it would refuse is refused.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use crate::backend::{CAPTURE_BROKEN, CAPTURE_UNJOINED, DeviceError};

/// Something that a stream can be given.
pub(super) type Work = Arc<dyn Fn() -> Result<(), DeviceError> + Send + Sync>;

/// A stream, by its number.
pub(super) type Number = u64;

/// The captures that are open.
#[derive(Default)]
pub(super) struct Captures {
    begun: u64,
    open: Vec<Capture>,
}

struct Capture {
    number: u64,
    origin: Number,
    /// Streams that it has taken in by events.
    others: BTreeSet<Number>,
    /// Those with work that the first one does not wait for yet.
    apart: BTreeSet<Number>,
    work: Vec<Work>,
    broken: bool,
}

impl Captures {
    pub(super) fn begin(&mut self, stream: Number) -> Result<(), DeviceError> {
        if self.of(stream).is_some() {
            return Err(DeviceError::Capture("the stream is captured already"));
        }
        self.begun += 1;
        self.open.push(Capture {
            number: self.begun,
            origin: stream,
            others: BTreeSet::new(),
            apart: BTreeSet::new(),
            work: Vec::new(),
            broken: false,
        });
        Ok(())
    }

    /// Ends the capture that began with a stream: its work, in an order that the streams allow.
    pub(super) fn end(&mut self, stream: Number) -> Result<Vec<Work>, DeviceError> {
        let found = self
            .open
            .iter()
            .position(|capture| capture.origin == stream);
        let found = found.ok_or(DeviceError::Capture("none was begun on this stream"))?;
        let capture = self.open.remove(found);
        match capture {
            Capture { broken: true, .. } => Err(DeviceError::Capture(CAPTURE_BROKEN)),
            Capture { ref apart, .. } if !apart.is_empty() => {
                Err(DeviceError::Capture(CAPTURE_UNJOINED))
            }
            Capture { work, .. } => Ok(work),
        }
    }

    /// Takes work that a stream is given, if that is captured.
    pub(super) fn take(&mut self, stream: Number, work: &Work) -> bool {
        let Some(capture) = self.of(stream) else {
            return false;
        };
        capture.work.push(Arc::clone(work));
        capture.is_given(stream);
        true
    }

    /// The number of the capture that a stream is part of.
    pub(super) fn number(&mut self, stream: Number) -> Option<u64> {
        self.of(stream).map(|capture| capture.number)
    }

    /// A stream waits for an event of another one, which was part of a capture when it was recorded.
    pub(super) fn wait(
        &mut self,
        stream: Number,
        (other, number): (Number, Option<u64>),
    ) -> Result<(), DeviceError> {
        let own = self.number(stream);
        let Some(number) = number else {
            return match own {
                None => Ok(()),
                Some(_) => Err(DeviceError::Capture(
                    "the stream cannot wait for an event that is not part of the capture",
                )),
            };
        };
        let mut open = self.open.iter_mut();
        let capture = open.find(|capture| capture.number == number);
        let capture = capture.ok_or(DeviceError::Capture("the event is one of a graph"))?;
        if own.is_some_and(|own| own != number) {
            return Err(DeviceError::Capture("the event is one of another capture"));
        }
        capture.apart.remove(&other);
        if stream != capture.origin {
            capture.others.insert(stream);
        }
        capture.is_given(stream);
        Ok(())
    }

    /// The host waits for a stream, or for all: captures that it is part of come to nothing.
    pub(super) fn host_waits(&mut self, stream: Option<Number>) -> Result<(), DeviceError> {
        let mut is_broken = false;
        for capture in &mut self.open {
            if stream.is_none_or(|stream| capture.has(stream)) {
                capture.broken = true;
                is_broken = true;
            }
        }
        match is_broken {
            true => Err(DeviceError::Capture(CAPTURE_BROKEN)),
            false => Ok(()),
        }
    }

    fn of(&mut self, stream: Number) -> Option<&mut Capture> {
        let mut open = self.open.iter_mut();
        open.find(|capture| capture.has(stream))
    }
}

impl Capture {
    fn has(&self, stream: Number) -> bool {
        self.origin == stream || self.others.contains(&stream)
    }

    /// What a stream is given is apart from the first one's work, until that waits for it.
    fn is_given(&mut self, stream: Number) {
        if stream != self.origin {
            self.apart.insert(stream);
        }
    }
}

impl fmt::Debug for Captures {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{} captures are open", self.open.len())
    }
}
