//! The `tilec` command.

/// Of LLVM and MLIR too, which make and free small objects all the time, on several threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    tile_runtime::unfinished::remove_on_signals();
    tilec::driver::main()
}
