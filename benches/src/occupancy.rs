//! The occupancy that the runtime computes beside the one that the driver says, for every kernel of a
//! folder and several amounts of shared memory.

use std::path::PathBuf;

use tile_runtime::device::Device;
use tile_runtime::occupancy::{Multiprocessor, ProgramUse};

use crate::kernels;
use crate::table::{Column, Table};

/// Dynamic shared memory to ask for besides what the kernel does: around the grain of 128 bytes, and
/// up to all there is.
const SHARED: [u32; 12] = [
    0, 1, 128, 129, 1_000, 4_096, 16_384, 32_768, 49_152, 75_000, 102_400, 232_448,
];

/// One comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// File and entry point.
    pub label: String,
    /// What a program uses.
    pub uses: ProgramUse,
    /// Programs on a multiprocessor as computed.
    pub computed: u32,
    /// As the driver says.
    pub driver: u32,
}

impl Row {
    /// The columns of [`Self::cells`].
    #[must_use]
    pub fn table(width: usize) -> Table {
        Table::new(vec![
            Column::left("entry", width),
            Column::right("threads", 7),
            Column::right("registers", 9),
            Column::right("shared", 7),
            Column::right("computed", 8),
            Column::right("driver", 6),
        ])
    }

    /// What is printed.
    #[must_use]
    pub fn cells(&self) -> Vec<String> {
        vec![
            self.label.clone(),
            self.uses.threads.to_string(),
            self.uses.registers.to_string(),
            self.uses.shared_bytes.to_string(),
            self.computed.to_string(),
            self.driver.to_string(),
        ]
    }
}

/// Compares all kernels of some PTX files; what cannot be loaded is told in words.
///
/// # Errors
/// If there is no GPU, or one whose multiprocessor is not known.
pub fn compare(files: &[PathBuf]) -> Result<(String, Vec<Row>, Vec<String>), String> {
    let device = Device::cuda(0).map_err(|error| error.to_string())?;
    let properties = device.properties().clone();
    let capability = properties.architecture.trim_start_matches("sm_").parse();
    let multiprocessor = capability
        .ok()
        .and_then(Multiprocessor::of_capability)
        .ok_or_else(|| {
            format!(
                "the multiprocessor of {} is not known",
                properties.architecture
            )
        })?;
    let (mut rows, mut problems) = (Vec::new(), Vec::new());
    for path in files {
        match of_file(&device, &multiprocessor, path) {
            Ok(more) => rows.extend(more),
            Err(problem) => problems.push(format!("{}: {problem}", kernels::label(path))),
        }
    }
    let name = format!(
        "{}, {}, {}",
        properties.name, properties.architecture, properties.driver
    );
    Ok((name, rows, problems))
}

fn of_file(
    device: &Device,
    multiprocessor: &Multiprocessor,
    path: &PathBuf,
) -> Result<Vec<Row>, String> {
    let ptx = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let program = device.load(&ptx).map_err(|error| error.to_string())?;
    let mut rows = Vec::new();
    for kernel in &program.manifest().kernels {
        let loaded = program
            .kernel(Some(&kernel.name))
            .map_err(|error| error.to_string())?;
        for (index, variant) in kernel.variants.iter().enumerate() {
            let mut sizes = SHARED.to_vec();
            sizes.push(variant.shared_bytes);
            for shared in sizes {
                // More than a program may have is refused, and so there is nothing to compare.
                let Ok((resources, driver)) = loaded.occupancy(index, shared) else {
                    continue;
                };
                let uses = ProgramUse {
                    threads: variant.threads,
                    registers: resources.registers,
                    shared_bytes: resources.static_shared_bytes + shared,
                    per_block: variant.programs_per_block,
                };
                rows.push(Row {
                    label: format!("{}: {}", kernels::label(path), variant.entry),
                    uses,
                    computed: multiprocessor.occupancy(uses).programs,
                    driver: driver.ok_or("the driver says nothing")?,
                });
            }
        }
    }
    Ok(rows)
}
