//! Generates the simulator's PTX parser from its grammar.

use std::process::ExitCode;

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=build.rs");
    parser()
}

#[cfg(feature = "simulator")]
fn parser() -> ExitCode {
    println!("cargo::rerun-if-changed=src/simulator/ptx/grammar.lalrpop");
    match lalrpop::process_src() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("cargo::error=the grammar of PTX could not be processed: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(not(feature = "simulator"))]
fn parser() -> ExitCode {
    ExitCode::SUCCESS
}
