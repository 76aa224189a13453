//! Generates the parser from its grammar.

use std::process::ExitCode;

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/syntax");
    match lalrpop::process_src() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("cargo::error=the grammar in src/syntax could not be processed: {error}");
            ExitCode::FAILURE
        }
    }
}
