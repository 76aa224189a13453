//! Threads with a stack for deep programs.
//!
//! Every stage recurses as deep as a program nests. How deep its text nests is limited
//! ([`MAXIMUM_DEPTH`](crate::syntax::MAXIMUM_DEPTH)), and so are calls, which are inlined, but not to what fits
//! the few MiB that a thread gets otherwise, with the large frames of a debug build least of all. So:
//!
//! - the command runs on one such thread as a whole, for the stages that recurse where they are called (parsing,
//!   formatting, explaining);
//! - elaboration, the interpreter and tests, which a library may be asked for from any thread, start their own
//!   ([`on_deep_stack`]);
//! - kernels and configurations that are compiled side by side have one each.

use std::cell::Cell;
use std::io;
use std::panic::resume_unwind;
use std::thread;

/// Bytes of such a stack. Only what is touched of it becomes memory, so it may be larger than any program needs.
pub const STACK_BYTES: usize = 512 << 20;

thread_local! {
    static IS_DEEP: Cell<bool> = const { Cell::new(false) };
}

/// Does some work on a thread with such a stack: on this one, if it is one, else on a new one, for which it waits; a panic
/// goes on in the caller.
///
/// # Errors
/// The system gives no thread.
pub fn on_deep_stack<R: Send>(work: impl FnOnce() -> R + Send) -> io::Result<R> {
    if IS_DEEP.get() {
        return Ok(work());
    }
    thread::scope(|scope| {
        let spawned = thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, || {
                IS_DEEP.set(true);
                work()
            })?;
        Ok(spawned.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}
