//! Compiles the kernels, to a module for each.

use tile_build::{Build, compile};

fn main() -> Result<(), tile_build::Error> {
    println!("cargo::rerun-if-env-changed=TILE_CANDLE_TARGET");
    let examples = "../../../lang-examples";
    let attention = compile(format!("{examples}/06_attention.tile")).define("T", "bf16");
    let gradients = compile(format!("{examples}/23_attention_backward.tile")).define("T", "bf16");
    let norm = compile(format!("{examples}/12_rms_norm.tile"));
    let loss = compile(format!("{examples}/14_cross_entropy.tile"));
    let routed = compile("kernels/routed.tile");

    // A generic is bound when a kernel is compiled, so what is causal is a module of its own.
    for (module, build) in [
        ("attention", attention.clone()),
        ("causal", attention.define("CAUSAL", true)),
        ("attention_backward", gradients.clone()),
        ("causal_backward", gradients.define("CAUSAL", true)),
        ("rms_norm", norm.define("WIDTH", 4096)),
        ("cross_entropy", loss),
        ("routed", routed),
    ] {
        for_target(build).module(module).write()?;
    }
    Ok(())
}

/// The architecture that the kernels are for; tilec's default without the variable.
fn for_target(build: Build) -> Build {
    match std::env::var("TILE_CANDLE_TARGET") {
        Ok(name) => build.target(&name),
        Err(_) => build,
    }
}
