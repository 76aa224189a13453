//! The measurement: each file and each of cuBLASLt's algorithms is run a few times, and the fastest of
//! either side are then timed in turns.
//!
//! Before each timed run a buffer of twice the level-2 cache is written, which also keeps the device busy
//! until the launch has reached it. Inputs are normally distributed (integers are uniform); large ones
//! repeat a block of a prime number of elements, so that no two rows are equal.

use std::fmt;

use serde::Serialize;
use tile_runtime::Error;
use tile_runtime::backend::DeviceError;
use tile_runtime::device::{Arg, Device, DeviceTensor, Stream};
use tile_runtime::element::ElementType;
use tile_runtime::program::{PreparedLaunch, Program};
use tile_runtime::tensor::{Seed, Tensor, TensorError};

use super::reference::{Errors, Matrix, Reference};
use super::shapes::Sizes;
use super::subject::{Fused, Kind, Subject};
use crate::ffi::{self, Cublas, Product};

/// Random elements that large inputs repeat: a prime below 2^20.
const REPEATED: usize = 1_048_573;

/// Runs before the best are chosen.
const TRIALS: u32 = 3;

/// NaN of every float type: what is not written shows.
const POISON: u8 = 0xff;

/// The error above which a peer has computed something else.
const PEER_LIMIT: f64 = 0.05;

/// A file as text.
pub struct Loaded {
    /// What it computes.
    pub subject: Subject,
    /// Its text.
    pub ptx: String,
}

/// Times of one contender.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Times {
    /// The middle one, in microseconds.
    pub median_us: f64,
    /// A quarter is faster.
    pub low_us: f64,
    /// A quarter is slower.
    pub high_us: f64,
}

impl Times {
    fn of(mut samples: Vec<f64>) -> Self {
        samples.sort_by(f64::total_cmp);
        let at = |part: f64| {
            let index = (samples.len().saturating_sub(1)) as f64 * part;
            samples.get(index.round() as usize).copied()
        };
        let [low_us, median_us, high_us] =
            [0.25, 0.5, 0.75].map(|part| at(part).unwrap_or(f64::NAN));
        Self {
            median_us,
            low_us,
            high_us,
        }
    }

    /// The middle half, of the median.
    #[must_use]
    pub fn spread(&self) -> f64 {
        (self.high_us - self.low_us) / self.median_us
    }
}

/// What cuBLASLt did.
#[derive(Debug, Clone, Serialize)]
pub struct Peer {
    /// Its times.
    pub times: Times,
    /// ‖out − ref‖ / ‖ref‖.
    pub error: f64,
    /// Algorithms that were tried.
    pub algorithms: usize,
    /// Whether fp8 was added up without going to f32 registers.
    pub fast_sums: bool,
    /// Its best median where that was not allowed, roughly.
    pub exact_sums_us: Option<f64>,
}

/// One kind at one shape.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// Types and layouts.
    pub kind: String,
    /// The sizes.
    pub sizes: Sizes,
    /// Multiplications and additions.
    pub operations: f64,
    /// The fastest file.
    pub file: String,
    /// The entry point that was chosen.
    pub entry: String,
    /// Its times.
    pub ours: Times,
    /// Of all files that were tried: rough times in microseconds.
    pub tried: Vec<(String, f64)>,
    /// cuBLASLt, if it has such a product.
    pub peer: Option<Peer>,
    /// How many times as fast as cuBLASLt.
    pub of_cublaslt: Option<f64>,
    /// How many times as fast as Triton, as benches/matmul.py says.
    pub of_triton: Option<f64>,
    /// How far the result is off.
    pub errors: Errors,
}

/// Why a row could not be measured.
#[derive(Debug)]
pub enum Failure {
    /// The runtime or the device.
    Runtime(Error),
    /// cuBLASLt.
    Cublas(ffi::Failure),
    /// No file can be run at that shape.
    NoFile,
}

impl Failure {
    /// Whether the device is lost with it.
    #[must_use]
    pub fn is_fatal(&self) -> bool {
        match self {
            Self::Runtime(Error::Device(error)) => {
                matches!(
                    error,
                    DeviceError::KernelFault { .. } | DeviceError::AssertionFailed { .. }
                )
            }
            _ => false,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Runtime(error) => error.fmt(f),
            Self::Cublas(failure) => failure.fmt(f),
            Self::NoFile => f.write_str("no file can be run"),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Runtime(error)
    }
}

impl From<DeviceError> for Failure {
    fn from(error: DeviceError) -> Self {
        Self::Runtime(error.into())
    }
}

impl From<TensorError> for Failure {
    fn from(error: TensorError) -> Self {
        Self::Runtime(error.into())
    }
}

impl From<ffi::Failure> for Failure {
    fn from(failure: ffi::Failure) -> Self {
        Self::Cublas(failure)
    }
}

/// Some launches take 0.9 us longer than others of the same kernel, and which do depends on how many launches there were
/// before: where two kernels and a fill before each take turns it can be every second one of the one kernel and none of the
/// other (an H200 with driver 580.159). So the number of fills goes round: triangular numbers have all remainders of a power
/// of two, and medians are those of usual launches.
const LAUNCH_PLACES: u32 = 8;

/// A device, and what is kept between rows.
pub struct Bench {
    device: Device,
    stream: Stream,
    cublas: Option<Cublas>,
    flush_bytes: usize,
    flush: Option<DeviceTensor>,
    samples: u32,
    seed: u64,
}

/// Operands on the host and on the device.
struct Operands {
    host: Vec<Tensor>,
    device: Vec<DeviceTensor>,
    out: DeviceTensor,
}

impl Bench {
    /// On a device; without cuBLASLt there is nothing to compare with.
    #[must_use]
    pub fn new(
        device: Device,
        cublas: Option<Cublas>,
        flush_bytes: usize,
        samples: u32,
        seed: u64,
    ) -> Self {
        Self {
            stream: device.stream(),
            device,
            cublas,
            flush_bytes,
            flush: None,
            samples,
            seed,
        }
    }

    /// Loads files at once: the driver's compiler takes seconds for each.
    pub fn load<'a>(
        &self,
        files: &'a [Loaded],
        broken: &mut Vec<String>,
    ) -> Vec<(&'a Subject, Program)> {
        let device = &self.device;
        let load = |file: &Loaded| device.load(&file.ptx);
        let results: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = files
                .iter()
                .map(|file| scope.spawn(move || load(file)))
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().ok())
                .collect()
        });
        let mut loaded = Vec::new();
        for (file, result) in files.iter().zip(results) {
            match result {
                Some(Ok(program)) => loaded.push((&file.subject, program)),
                Some(Err(error)) => broken.push(format!("{}: {error}", file.subject.label)),
                None => broken.push(format!("{}: loading it failed", file.subject.label)),
            }
        }
        loaded
    }

    /// Measures a kind at a shape.
    ///
    /// # Errors
    /// If a file fails, or none can be run.
    pub fn row(
        &mut self,
        kind: &Kind,
        sizes: Sizes,
        files: &[(&Subject, Program)],
    ) -> Result<Row, Failure> {
        let elements = files.first().map(|(subject, _)| subject.elements.clone());
        let operands = self.operands(kind, sizes, &elements.unwrap_or_default())?;
        let reference = reference(kind, sizes, &operands.host);

        // Ours: each file a few times; the fastest remains.
        let mut tried = Vec::new();
        let mut best: Option<(f64, &Subject, PreparedLaunch)> = None;
        for (subject, program) in files {
            let launch = self.prepare(subject, program, &operands)?;
            launch.launch()?;
            self.stream.synchronize()?;
            let mut times = Vec::new();
            for round in 0..TRIALS {
                self.shift(round)?;
                times.push(self.time(&launch)?);
            }
            let time = Times::of(times).median_us;
            tried.push((subject.label.clone(), time));
            if best.as_ref().is_none_or(|(fastest, ..)| time < *fastest) {
                best = Some((time, subject, launch));
            }
        }
        let (_, subject, launch) = best.ok_or(Failure::NoFile)?;
        operands.out.fill_bytes(POISON, &self.stream)?;
        launch.launch()?;
        self.stream.synchronize()?;
        let found = operands.out.download()?;
        let errors = reference.compare(kind.out, found.storage());
        drop(found);

        let mut peer = self.peer(kind, sizes, &operands)?;
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for round in 0..self.samples {
            self.shift(round)?;
            ours.push(self.time(&launch)?);
            if let (Some(cublas), Some(peer)) = (&mut self.cublas, &peer) {
                theirs.push(cublas.time(&peer.product, &peer.product.algorithms[peer.chosen])?);
            }
        }
        let ours = Times::of(ours);
        let is_same = kind.left == kind.right && kind.products() == 1;
        let peer = match &mut peer {
            Some(peer) => {
                let found = peer.out.download()?;
                // Only a plain product is what cuBLASLt computes.
                let plain = Kind {
                    fused: Vec::new(),
                    ..kind.clone()
                };
                let error = if !is_same {
                    f64::NAN // of other operands
                } else if kind.fused.is_empty() {
                    reference.compare(kind.out, found.storage()).relative
                } else {
                    let [left, right] = [0, 1].map(|index| operands.host[index].clone());
                    let reference = super::measure::reference(&plain, sizes, &[left, right]);
                    reference.compare(kind.out, found.storage()).relative
                };
                Some(Peer {
                    times: Times::of(theirs),
                    error,
                    algorithms: peer.tried,
                    fast_sums: peer.fast,
                    exact_sums_us: peer.exact_sums_us,
                })
            }
            None => None,
        };
        let of_cublaslt = peer
            .as_ref()
            .filter(|peer| peer.error <= PEER_LIMIT || !is_same)
            .map(|peer| peer.times.median_us / ours.median_us);
        Ok(Row {
            kind: kind.to_string(),
            sizes,
            operations: sizes.operations() * kind.products() as f64,
            file: subject.label.clone(),
            entry: launch.variant().entry.clone(),
            ours,
            tried,
            peer,
            of_cublaslt,
            of_triton: None,
            errors,
        })
    }

    /// Random operands, and a result that nothing was written to.
    fn operands(
        &self,
        kind: &Kind,
        Sizes { m, n, k }: Sizes,
        elements: &[ElementType],
    ) -> Result<Operands, Failure> {
        let shape = |rows, columns, turned| {
            if turned {
                vec![columns, rows]
            } else {
                vec![rows, columns]
            }
        };
        let mut wanted = vec![
            (kind.left, shape(m, k, kind.left_by_columns)),
            (kind.right, shape(k, n, kind.right_by_columns)),
        ];
        for (fused, element) in kind.fused.iter().zip(elements) {
            wanted.push((*element, fused.shape(m, n, &wanted[1].1)));
        }
        let mut host = Vec::new();
        for (number, (element, shape)) in wanted.iter().enumerate() {
            let seed = Seed {
                seed: self.seed,
                stream: number as u64,
            };
            host.push(random(*element, shape, seed)?);
        }
        for (fused, tensor) in kind.fused.iter().zip(&mut host[2..]) {
            if matches!(fused, Fused::RowScale | Fused::ColumnScale) {
                *tensor = scales(tensor, k)?;
            }
        }
        let device = host.iter().map(|tensor| self.device.upload_strided(tensor));
        let device = device.collect::<Result<_, _>>()?;
        let out = self.device.zeros(kind.out, &[m, n])?;
        out.fill_bytes(POISON, &self.stream)?;
        Ok(Operands { host, device, out })
    }

    fn prepare(
        &self,
        subject: &Subject,
        program: &Program,
        operands: &Operands,
    ) -> Result<PreparedLaunch, Failure> {
        let [a, b, c] = &subject.names;
        let mut arguments = vec![
            (a.as_str(), Arg::Tensor(&operands.device[0])),
            (b.as_str(), Arg::Tensor(&operands.device[1])),
            (c.as_str(), Arg::Mut(&operands.out)),
        ];
        for (fused, tensor) in subject.kind.fused.iter().zip(&operands.device[2..]) {
            arguments.push((fused.name(), Arg::Tensor(tensor)));
        }
        let kernel = program.kernel(Some(&subject.kernel))?;
        Ok(kernel.prepare_on(&self.stream, &arguments, None)?)
    }

    /// Fills the level-2 cache with something else.
    fn flush(&mut self) -> Result<(), Failure> {
        let flush = match &self.flush {
            Some(flush) => flush,
            None => self
                .flush
                .insert(self.device.zeros(ElementType::U8, &[self.flush_bytes])?),
        };
        flush.fill_bytes(0, &self.stream)?;
        Ok(())
    }

    /// Fills it some more times, another number in each round (see [`LAUNCH_PLACES`]).
    fn shift(&mut self, round: u32) -> Result<(), Failure> {
        (0..round % LAUNCH_PLACES).try_for_each(|_| self.flush())
    }

    /// Microseconds of device time, the level-2 cache being cold.
    fn time(&mut self, launch: &PreparedLaunch) -> Result<f64, Failure> {
        self.flush()?;
        let before = self.stream.record()?;
        launch.launch()?;
        let after = self.stream.record()?;
        self.stream.synchronize()?;
        Ok(before.elapsed_ms(&after)? * 1000.0)
    }

    /// The fastest of cuBLASLt's algorithms; `None` if it has none.
    fn peer(
        &mut self,
        kind: &Kind,
        Sizes { m, n, k }: Sizes,
        operands: &Operands,
    ) -> Result<Option<Contender>, Failure> {
        if self.cublas.is_none() {
            return Ok(None);
        }
        // It multiplies no mixed types: the product that one would fall back to is of the wider.
        let wide = [kind.left, kind.right]
            .into_iter()
            .max_by_key(|element| element.bytes())
            .unwrap_or(kind.left);
        // Several products with one left operand are one with all the columns.
        let n = n * kind.products();
        let matrix = |index: usize, by_columns: bool, shape: [usize; 2]| {
            let mut tensor = operands.device[index].clone();
            let [rows, columns] = shape;
            let shape = if by_columns {
                [columns, rows]
            } else {
                [rows, columns]
            };
            if tensor.element() != wide || tensor.shape() != shape {
                let seed = Seed {
                    seed: self.seed,
                    stream: index as u64,
                };
                let host = random(wide, &shape, seed)?;
                tensor = self.device.upload_strided(&host)?;
            }
            Ok::<_, Failure>(ffi::Matrix { tensor, by_columns })
        };
        let left = matrix(0, kind.left_by_columns, [m, k])?;
        let right = matrix(1, kind.right_by_columns, [k, n])?;
        let out = self.device.zeros(kind.out, &[m, n])?;
        let Some(cublas) = &mut self.cublas else {
            return Ok(None);
        };
        let mut best: Option<Contender> = None;
        let (mut tried, mut exact_sums_us) = (0, None::<f64>);
        let narrow = wide.is_float() && wide.bytes() == 1;
        for fast in if narrow {
            &[true, false][..]
        } else {
            &[false][..]
        } {
            let Ok(product) = Product::new(cublas, [m, n, k], &left, &right, &out, *fast) else {
                continue;
            };
            let mut fastest: Option<(f64, usize)> = None;
            for (number, algorithm) in product.algorithms.iter().enumerate() {
                let mut times = Vec::new();
                for _ in 0..=TRIALS {
                    // An algorithm that does not run is none.
                    match cublas.time(&product, algorithm) {
                        Ok(time) => times.push(time),
                        Err(_) => break,
                    }
                }
                if times.len() <= TRIALS as usize {
                    continue;
                }
                tried += 1;
                let time = Times::of(times.split_off(1)).median_us;
                if fastest.is_none_or(|(least, _)| time < least) {
                    fastest = Some((time, number));
                }
            }
            let Some((time, chosen)) = fastest else {
                continue;
            };
            if narrow && !fast {
                exact_sums_us = Some(time);
            }
            if best.as_ref().is_none_or(|best| time < best.rough_us) {
                best = Some(Contender {
                    product,
                    chosen,
                    out: out.clone(),
                    rough_us: time,
                    fast: *fast,
                    tried: 0,
                    exact_sums_us: None,
                });
            }
        }
        if let Some(best) = &mut best {
            (best.tried, best.exact_sums_us) = (tried, exact_sums_us);
        }
        Ok(best)
    }
}

/// An algorithm of cuBLASLt.
struct Contender {
    product: Product,
    chosen: usize,
    out: DeviceTensor,
    rough_us: f64,
    fast: bool,
    tried: usize,
    exact_sums_us: Option<f64>,
}

fn reference(kind: &Kind, sizes: Sizes, host: &[Tensor]) -> Reference {
    let matrix = |index: usize, by_columns| {
        let tensor: &Tensor = &host[index];
        Matrix {
            element: tensor.element(),
            bytes: tensor.storage(),
            pitch: tensor.shape().last().copied().unwrap_or(1),
            by_columns,
        }
    };
    let turned =
        |index: usize| kind.fused.get(index - 2) == Some(&Fused::Gate) && kind.right_by_columns;
    let fused: Vec<_> = (2..host.len())
        .map(|index| matrix(index, turned(index)))
        .collect();
    let left = matrix(0, kind.left_by_columns);
    let right = matrix(1, kind.right_by_columns);
    Reference::new(kind, sizes, left, right, &fused)
}

/// A random tensor; a long one repeats itself.
fn random(element: ElementType, shape: &[usize], seed: Seed) -> Result<Tensor, TensorError> {
    crate::session::repeated(element, shape, REPEATED, -128..128, seed)
}

/// Factors for sums of `k` terms, which would not fit `f16` without: each a random number by the size of such a sum.
fn scales(random: &Tensor, k: usize) -> Result<Tensor, TensorError> {
    let size = (k.max(1) as f64).sqrt();
    let values = random.to_f64().into_iter().map(|value| value / size);
    let values: Vec<f64> = values.collect();
    Ok(Tensor::from_vec(random.shape(), &values)?.convert(random.element()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_any_length_have_one_size_when_scaled() {
        let random = Tensor::from_vec(&[3], &[1.0_f32, -2.0, 0.5]).expect("a tensor");
        let scaled = scales(&random, 16).expect("a tensor");
        assert_eq!(scaled.element(), random.element());
        assert_eq!(scaled.to_f64(), [0.25, -0.5, 0.125]);
    }

    #[test]
    fn quarters_of_the_samples_are_the_spread() {
        let times = Times::of(vec![5.0, 1.0, 3.0, 2.0, 4.0]);
        assert_eq!(
            (times.low_us, times.median_us, times.high_us),
            (2.0, 3.0, 4.0)
        );
        assert!((times.spread() - 2.0 / 3.0).abs() < 1e-12);
    }
}
