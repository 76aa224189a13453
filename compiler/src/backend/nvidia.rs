//! NVIDIA's assembler and disassembler: `ptxas` and `nvdisasm`, for `--emit cubin`, `--emit sass` and
//! the tests. Not needed to build PTX.

use std::path::{Path, PathBuf};
use std::process::Command;

use tile_runtime::unfinished::Unfinished;

/// What `ptxas -v` says about an entry point.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Resources {
    /// The entry point.
    pub entry: String,
    /// Registers per thread.
    pub registers: u32,
    /// Bytes of spilled registers stored and loaded.
    pub spill_bytes: u32,
    /// Bytes of static shared memory.
    pub shared_bytes: u32,
    /// Bytes of stack.
    pub stack_bytes: u32,
    /// Whether `ptxas` could not let `wgmma` run asynchronously, and serialised it.
    pub serialised: bool,
}

/// Why a tool did not do its job.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// It is not installed.
    #[error(
        "`{0}` was not found: ./setup.sh installs it into .toolchain/bin, or put it on the PATH, or name its folder in TILE_CUDA_BIN"
    )]
    Missing(&'static str),
    /// It refused.
    #[error("`{tool}` failed:\n{output}")]
    Failed {
        /// Which.
        tool: &'static str,
        /// What it printed.
        output: String,
    },
    /// Files could not be handed over.
    #[error("files for `{tool}`: {error}")]
    Files {
        /// Which.
        tool: &'static str,
        /// The reason.
        error: std::io::Error,
    },
}

/// Where a tool is: in `TILE_CUDA_BIN`, the project's prefix, or on the `PATH`.
fn find(tool: &'static str) -> Result<PathBuf, ToolError> {
    let own = std::env::var_os("TILE_CUDA_BIN").map(PathBuf::from);
    let prefix = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map(|root| root.join(".toolchain/bin"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    own.into_iter()
        .chain(prefix)
        .chain(std::env::split_paths(&path))
        .map(|folder| folder.join(tool))
        .find(|candidate| candidate.is_file())
        .ok_or(ToolError::Missing(tool))
}

/// Assembles PTX; gives the cubin and what each entry point takes.
///
/// # Errors
/// When `ptxas` is missing or refuses the PTX.
pub fn assemble(ptx: &str, target: &str) -> Result<(Vec<u8>, Vec<Resources>), ToolError> {
    const TOOL: &str = "ptxas";
    let files = |error| ToolError::Files { tool: TOOL, error };
    let program = find(TOOL)?;
    let folder = tempfile::tempdir().map_err(files)?;
    let _unfinished = Unfinished::new(folder.path());
    let input = folder.path().join("kernel.ptx");
    let output = folder.path().join("kernel.cubin");
    std::fs::write(&input, ptx).map_err(files)?;
    let run = Command::new(program)
        .arg("-v")
        .arg(format!("-arch={target}"))
        .arg("-o")
        .arg(&output)
        .arg(&input)
        .output()
        .map_err(files)?;
    let text =
        String::from_utf8_lossy(&run.stderr).into_owned() + &String::from_utf8_lossy(&run.stdout);
    if !run.status.success() {
        return Err(ToolError::Failed {
            tool: TOOL,
            output: text,
        });
    }
    Ok((
        std::fs::read(&output).map_err(files)?,
        parse_resources(&text),
    ))
}

fn parse_resources(text: &str) -> Vec<Resources> {
    let number_before = |line: &str, what: &str| -> u32 {
        line.split(what)
            .next()
            .and_then(|before| before.split_whitespace().last())
            .and_then(|word| word.parse().ok())
            .unwrap_or(0)
    };
    // "(C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to …
    // in the function 'NAME'", which comes before all else about it.
    let serialised: Vec<String> = text
        .lines()
        .filter(|line| line.contains("Potential Performance Loss: wgmma"))
        .filter_map(|line| line.split("in the function '").nth(1))
        .filter_map(|rest| rest.split('\'').next())
        .map(str::to_owned)
        .collect();
    let mut list: Vec<Resources> = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.split("Compiling entry function '").nth(1) {
            let entry = rest.split('\'').next().unwrap_or_default().to_owned();
            list.push(Resources {
                entry: entry.clone(),
                registers: 0,
                spill_bytes: 0,
                shared_bytes: 0,
                stack_bytes: 0,
                serialised: serialised.iter().any(|of| of == &entry),
            });
        }
        let Some(last) = list.last_mut() else {
            continue;
        };
        if line.contains("bytes stack frame") {
            last.stack_bytes = number_before(line, " bytes stack frame");
            last.spill_bytes = number_before(line, " bytes spill stores")
                + number_before(line, " bytes spill loads");
        }
        if line.contains("registers") {
            last.registers = number_before(line, " registers");
        }
        if line.contains("bytes smem") {
            last.shared_bytes = number_before(line, " bytes smem");
        }
    }
    list
}

/// The SASS of a cubin.
///
/// # Errors
/// When `nvdisasm` is missing or refuses the cubin.
pub fn disassemble(cubin: &[u8]) -> Result<String, ToolError> {
    const TOOL: &str = "nvdisasm";
    let files = |error| ToolError::Files { tool: TOOL, error };
    let program = find(TOOL)?;
    let folder = tempfile::tempdir().map_err(files)?;
    let _unfinished = Unfinished::new(folder.path());
    let input = folder.path().join("kernel.cubin");
    std::fs::write(&input, cubin).map_err(files)?;
    let run = Command::new(program)
        .arg("-c")
        .arg(&input)
        .output()
        .map_err(files)?;
    if !run.status.success() {
        return Err(ToolError::Failed {
            tool: TOOL,
            output: String::from_utf8_lossy(&run.stderr).into_owned(),
        });
    }
    Ok(String::from_utf8_lossy(&run.stdout).into_owned())
}
