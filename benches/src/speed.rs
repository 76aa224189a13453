//! How fast a kernel is, beside how fast the device can copy as many bytes.
//!
//! Each sample is taken with a cold level-2 cache: writing over it also keeps the device busy until
//! the launch has reached it, so that the host's time is not measured. Kernel and copy take turns,
//! so that what changes on the machine meanwhile changes both.

use serde::{Deserialize, Serialize};
use tile_runtime::Error;
use tile_runtime::device::Stream;
use tile_runtime::program::Kernel;
use tile_runtime::report::Timing;

use crate::check::SAMPLED_ROWS;
use crate::kernels::Subject;
use crate::problem::{Case, Placement, Shape};
use crate::reference::{Numbers, Reference, not_numbers};
use crate::session::Session;
use crate::table::{Column, Table};

/// Runs before the first sample.
const WARM: u32 = 3;

/// One kernel at one shape.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SpeedRow {
    /// File and kernel.
    pub label: String,
    /// The entry point that was chosen.
    pub variant: String,
    /// The shape.
    pub case: String,
    /// What was measured; `None` if the kernel could not be run.
    pub measured: Option<Measured>,
    /// What is wrong; `None` if nothing is.
    pub problem: Option<String>,
}

/// Times and what follows from them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Measured {
    /// Timed runs.
    pub samples: u32,
    /// The middle one, in microseconds.
    pub median_us: f64,
    /// The fastest.
    pub min_us: f64,
    /// The slowest.
    pub max_us: f64,
    /// The fewest bytes that pass through device memory.
    pub bytes: usize,
    /// Multiplications and additions of a matrix product.
    pub operations: Option<f64>,
    /// Median time of a copy that reads and writes as many bytes together; not measured where
    /// arithmetic is the limit.
    pub copy_median_us: Option<f64>,
    /// Registers of a thread.
    pub registers: u32,
    /// Bytes of local memory of a thread: spilled registers, mostly.
    pub local_bytes: u32,
    /// Bytes of shared memory of a program.
    pub shared_bytes: u32,
    /// Programs along x, y, z.
    pub grid: [u32; 3],
    /// Threads of a program.
    pub threads: u32,
}

/// Times a kernel, and checks a sample of its last result.
///
/// # Errors
/// If it cannot be run or fails.
pub fn speed(
    session: &mut Session,
    kernel: &Kernel,
    subject: &Subject,
    shape: Shape,
) -> Result<SpeedRow, Error> {
    let case = Case {
        shape,
        placement: Placement::Dense,
    };
    let host = session.inputs(subject, case, true)?;
    let run = session.prepare(kernel, subject, case, &host, false)?;
    let elements: usize = shape.output().iter().product();
    let element = subject.output.element;
    let inputs: usize = host.iter().map(|tensor| tensor.storage().len()).sum();
    let bytes = inputs + elements * element.bytes() as usize;
    let operations = shape.operations();
    let flush = session.flush()?;
    // Half of the bytes are read and half are written.
    let copies = match operations {
        None => Some(session.copies(bytes / 2)?),
        Some(_) => None,
    };
    let stream = &session.stream;
    let copy = || match &copies {
        Some([from, to]) => Ok(to.copy_from(from, stream)?),
        None => Ok(()),
    };
    for _ in 0..WARM {
        run.launch.launch()?;
        copy()?;
    }
    stream.synchronize()?;
    let (mut times, mut copy_times) = (Vec::new(), Vec::new());
    for _ in 0..session.settings.samples {
        flush.fill_bytes(0, stream)?;
        times.push(elapsed_us(stream, || run.launch.launch())?);
        if copies.is_some() {
            flush.fill_bytes(0, stream)?;
            copy_times.push(elapsed_us(stream, copy)?);
        }
    }
    let timing = Timing::of(times);
    let resources = run.launch.resources();
    let variant = run.launch.variant();
    let measured = timing.map(|timing| Measured {
        samples: timing.runs,
        median_us: timing.median_ms, // the samples are in µs
        min_us: timing.min_ms,
        max_us: timing.max_ms,
        bytes,
        operations,
        copy_median_us: Timing::of(copy_times).map(|copy| copy.median_ms),
        registers: resources.registers,
        local_bytes: resources.local_bytes,
        shared_bytes: variant.shared_bytes + resources.static_shared_bytes,
        grid: run.launch.plan().grid,
        threads: variant.threads,
    });
    let output = run.output.download()?;
    let numbers: Vec<_> = host
        .iter()
        .map(|tensor| Numbers {
            element: tensor.element(),
            bytes: tensor.storage(),
        })
        .collect();
    let results = Numbers {
        element,
        bytes: output.storage(),
    };
    let reference = Reference::new(shape, &numbers);
    let limit = shape.limit(element);
    let difference = reference.compare(results, &reference.choose_rows(SAMPLED_ROWS), limit);
    let problem = if not_numbers(results) > 0 {
        Some("elements of the result were not written or are NaN".to_owned())
    } else if limit.allows(difference.relative) {
        None
    } else {
        let error = difference.relative;
        Some(format!("the error {error:.1e} is above the limit {limit}"))
    };
    Ok(SpeedRow {
        label: subject.label.clone(),
        variant: variant.entry.clone(),
        case: shape.to_string(),
        measured,
        problem,
    })
}

/// Device time of some work, in microseconds.
fn elapsed_us(stream: &Stream, work: impl FnOnce() -> Result<(), Error>) -> Result<f64, Error> {
    let before = stream.record()?;
    work()?;
    Ok(before.elapsed_ms(&stream.record()?)? * 1000.0)
}

impl Measured {
    /// Operations per second in TFLOP/s, or else bytes per second in GB/s, with the unit.
    #[must_use]
    pub fn rate(&self) -> (f64, &'static str) {
        match self.operations {
            Some(operations) => (operations / self.median_us / 1e6, "TFLOP/s"),
            None => (self.bytes as f64 / self.median_us / 1e3, "GB/s"),
        }
    }

    /// How many times as fast as the copy.
    #[must_use]
    pub fn ratio_to_copy(&self) -> Option<f64> {
        self.copy_median_us.map(|copy| copy / self.median_us)
    }
}

impl SpeedRow {
    /// A kernel that could not be run.
    #[must_use]
    pub fn failed(subject: &Subject, shape: Shape, problem: String) -> Self {
        Self {
            label: subject.label.clone(),
            variant: String::new(),
            case: shape.to_string(),
            measured: None,
            problem: Some(problem),
        }
    }

    /// The table of these.
    #[must_use]
    pub fn table(label_width: usize) -> Table {
        Table::new(vec![
            Column::left("kernel", label_width),
            Column::left("shape", 16),
            Column::right("rate", 14),
            Column::right("of copy", 7),
            Column::right("median µs", 10),
            Column::left("min to max µs", 20),
            Column::right("registers", 9),
            Column::right("shared", 7),
            Column::left("grid × threads", 18),
            Column::left("ok", 4),
        ])
    }

    /// The cells of a line.
    #[must_use]
    pub fn cells(&self) -> Vec<String> {
        let mut cells = vec![self.label.clone(), self.case.clone()];
        match &self.measured {
            Some(measured) => {
                let (rate, unit) = measured.rate();
                let ratio = measured.ratio_to_copy();
                let spilled = match measured.local_bytes {
                    0 => String::new(),
                    bytes => format!("+{bytes}B"),
                };
                let grid: Vec<_> = measured.grid.iter().map(ToString::to_string).collect();
                let used = measured.grid.iter().rposition(|&size| size != 1);
                let grid = grid[..used.map_or(1, |last| last + 1)].join("×");
                cells.extend([
                    format!("{rate:.1} {unit}"),
                    ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.3}")),
                    format!("{:.2}", measured.median_us),
                    format!("{:.2} to {:.2}", measured.min_us, measured.max_us),
                    format!("{}{spilled}", measured.registers),
                    measured.shared_bytes.to_string(),
                    format!("{grid} × {}", measured.threads),
                ]);
            }
            None => cells.extend(["-"; 7].map(ToOwned::to_owned)),
        }
        cells.push(if self.problem.is_none() { "ok" } else { "FAIL" }.to_owned());
        cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(operations: Option<f64>, copy_median_us: Option<f64>) -> SpeedRow {
        SpeedRow {
            label: "softmax-bf16-4096".to_owned(),
            variant: "softmax".to_owned(),
            case: "16384×4096".to_owned(),
            measured: Some(Measured {
                samples: 50,
                median_us: 80.0,
                min_us: 79.5,
                max_us: 91.25,
                bytes: 268_435_456,
                operations,
                copy_median_us,
                registers: 40,
                local_bytes: 16,
                shared_bytes: 64,
                grid: [16384, 1, 1],
                threads: 128,
            }),
            problem: None,
        }
    }

    #[test]
    fn a_line_has_rates_ratios_and_resources() {
        let mut text = Vec::new();
        let table = SpeedRow::table(20);
        table.header(&mut text).expect("memory");
        table
            .row(&mut text, &row(None, Some(76.0)).cells())
            .expect("memory");
        table
            .row(&mut text, &row(Some(1.6e10), None).cells())
            .expect("memory");
        let text = String::from_utf8(text).expect("UTF-8");
        let expected = "\
kernel                shape                       rate  of copy   median µs  min to max µs         registers   shared  grid × threads      ok
softmax-bf16-4096     16384×4096           3355.4 GB/s    0.950       80.00  79.50 to 91.25           40+16B       64  16384 × 128         ok
softmax-bf16-4096     16384×4096         200.0 TFLOP/s        -       80.00  79.50 to 91.25           40+16B       64  16384 × 128         ok
";
        assert_eq!(text, expected);
    }
}
