//! `tile-bench matmul`: compiled products beside cuBLASLt, in one process and taking turns.
//!
//! In: a folder of PTX files, each with one kernel that multiplies `a` and `b` to `c`; the manifest says
//! of which types and layouts. Out: for each kind and each of its shapes, the fastest of our files beside
//! the fastest algorithm that cuBLASLt's heuristics propose, medians of samples that were taken in turns,
//! and how far both are from float64.

pub mod measure;
pub mod reference;
pub mod shapes;
pub mod subject;
pub mod triton;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;
use tile_runtime::device::Device;

use crate::ffi::Cublas;
use crate::kernels;
use crate::table::{Column, Table, scientific};
use measure::{Bench, Loaded, Row};
use shapes::Sizes;
use subject::{Kind, Subject};
use triton::Peers;

/// What the command line says.
#[derive(Debug, Clone, clap::Args)]
pub struct Options {
    /// Where the PTX files are: what benches/matmul.sh --compile-only makes
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,

    /// Only files whose names start like this; may be repeated
    #[arg(long, value_name = "START")]
    pub only: Vec<String>,

    /// Sizes instead of those of the kinds: MxNxK, or one for all three; may be repeated
    #[arg(long, value_name = "SIZES")]
    pub sizes: Vec<Sizes>,

    /// Timed runs of each of the two
    #[arg(long, default_value_t = 25, value_name = "N", value_parser = clap::value_parser!(u32).range(3..))]
    pub samples: u32,

    /// Seed of the random inputs
    #[arg(long, default_value_t = 0)]
    pub seed: u64,

    /// What benches/matmul.py wrote: its ratios to Triton are printed beside ours
    #[arg(long, value_name = "FILE")]
    pub triton: Option<PathBuf>,

    /// Where to run: `cuda`, or `sim` to see results and no times that mean anything
    #[arg(long, default_value = "cuda")]
    pub device: String,

    /// Write the results as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,

    /// Today's date, for the JSON file
    #[arg(long, requires = "json", value_name = "DATE")]
    pub date: Option<String>,
}

/// All results, as they are written to the JSON file.
#[derive(Serialize)]
struct Results<'a> {
    device: &'a str,
    driver: &'a str,
    cublaslt: Option<usize>,
    date: Option<&'a str>,
    rows: &'a [Row],
    broken: &'a [String],
}

/// Runs the command; whether all results are right.
///
/// # Errors
/// If nothing can be run, in words.
pub fn run(options: &Options) -> Result<bool, String> {
    let device = Device::parse(&options.device)
        .map_err(|error| format!("products are measured on a GPU, and there is none: {error}"))?;
    let peers = match &options.triton {
        Some(path) => Peers::read(path)?,
        None => Peers::default(),
    };
    let mut broken = Vec::new();
    let kinds = subjects(&options.directory, &options.only, &mut broken)?;
    let properties = device.properties().clone();
    let flush = usize::try_from(properties.l2_bytes * 2).unwrap_or(0);
    let is_gpu = device.simulator().is_none();
    let opened = is_gpu.then(|| Cublas::open(flush)).transpose();
    let cublas = opened.unwrap_or_else(|failure| {
        println!("(cuBLASLt is left out: {failure})");
        None
    });
    let version = cublas.as_ref().map(Cublas::version);
    println!(
        "{}, {}, cuBLASLt {version:?}\n",
        properties.name, properties.driver
    );
    let mut bench = Bench::new(device, cublas, flush, options.samples, options.seed);
    let table = table();
    let mut rows: Vec<Row> = Vec::new();
    let print = |row: &Row| {
        let mut output = std::io::stdout().lock();
        let written = table.row(&mut output, &cells(row));
        written.map_err(|error| format!("the results cannot be printed: {error}"))
    };
    let header = table.header(&mut std::io::stdout().lock());
    header.map_err(|error| format!("the results cannot be printed: {error}"))?;
    'all: for (kind, files) in &kinds {
        let loaded = bench.load(files, &mut broken);
        let sizes = match options.sizes.as_slice() {
            [] => shapes::of(kind),
            given => given,
        };
        for &sizes in sizes {
            match bench.row(kind, sizes, &loaded) {
                Ok(mut row) => {
                    row.of_triton = peers.ratio(kind, sizes);
                    print(&row)?;
                    rows.push(row);
                }
                Err(failure) => {
                    println!("{kind}  {sizes}  FAIL: {failure}");
                    broken.push(format!("{kind} {sizes}: {failure}"));
                    if failure.is_fatal() {
                        break 'all;
                    }
                }
            }
        }
    }
    for problem in &broken {
        println!("FAIL {problem}");
    }
    if let Some(path) = &options.json {
        let results = Results {
            device: &properties.name,
            driver: &properties.driver,
            cublaslt: version,
            date: options.date.as_deref(),
            rows: &rows,
            broken: &broken,
        };
        write_json(path, &results)?;
    }
    let wrong = rows.iter().filter(|row| !row.errors.right).count();
    println!(
        "\n{} measured, {wrong} wrong, {} failed",
        rows.len(),
        broken.len()
    );
    Ok(wrong == 0 && broken.is_empty() && !rows.is_empty())
}

/// The files of a folder by what they compute.
fn subjects(
    directory: &Path,
    only: &[String],
    broken: &mut Vec<String>,
) -> Result<BTreeMap<Kind, Vec<Loaded>>, String> {
    let mut kinds: BTreeMap<Kind, Vec<Loaded>> = BTreeMap::new();
    for path in kernels::files(directory, "ptx", only)? {
        let ptx = std::fs::read_to_string(&path)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        match Subject::of_file(&path, &ptx) {
            Ok(subject) => {
                let kind = subject.kind.clone();
                kinds.entry(kind).or_default().push(Loaded { subject, ptx });
            }
            Err(problem) => broken.push(problem),
        }
    }
    if kinds.is_empty() {
        return Err(format!("{} has no products", directory.display()));
    }
    Ok(kinds)
}

fn write_json(path: &Path, results: &Results<'_>) -> Result<(), String> {
    let text = serde_json::to_string_pretty(results).map_err(|error| error.to_string())?;
    std::fs::write(path, text + "\n").map_err(|error| format!("{}: {error}", path.display()))
}

fn table() -> Table {
    Table::new(vec![
        Column::left("kind", 20),
        Column::left("sizes", 16),
        Column::right("TFLOP/s", 7),
        Column::right("µs", 9),
        Column::right("spread", 6),
        Column::right("cuBLASLt", 8),
        Column::right("spread", 6),
        Column::right("of cuBLASLt", 11),
        Column::right("of Triton", 9),
        Column::left("file", 28),
        Column::right("error", 7),
        Column::right("its error", 9),
        Column::left("ok", 5),
    ])
}

fn cells(row: &Row) -> Vec<String> {
    let or_dash = |value: Option<f64>, digits| {
        value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
    };
    let percent = |value: Option<f64>| {
        value.map_or_else(|| "-".to_owned(), |value| format!("{:.1}%", value * 100.0))
    };
    let peer = row.peer.as_ref();
    let general = if row.entry.ends_with("__general") {
        " general"
    } else {
        ""
    };
    vec![
        row.kind.clone(),
        row.sizes.to_string(),
        format!("{:.0}", row.operations / row.ours.median_us / 1e6),
        format!("{:.1}", row.ours.median_us),
        percent(Some(row.ours.spread())),
        or_dash(peer.map(|peer| peer.times.median_us), 1),
        percent(peer.map(|peer| peer.times.spread())),
        or_dash(row.of_cublaslt, 3),
        or_dash(row.of_triton, 3),
        format!("{}{general}", row.file),
        scientific(Some(row.errors.relative)),
        scientific(peer.map(|peer| peer.error)),
        if row.errors.right { "ok" } else { "WRONG" }.to_owned(),
    ]
}
