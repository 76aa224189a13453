//! Work on many things at once.

use std::sync::{Mutex, PoisonError};
use std::thread;

/// Does something with every item on some threads (at least one); gives all results, in the order in
/// which they came. A panic of `work` is passed on when the others have ended.
pub fn in_parallel<T, R: Send>(
    threads: usize,
    items: impl IntoIterator<Item = T, IntoIter: Send>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let items = Mutex::new(items.into_iter());
    let results = Mutex::new(Vec::new());
    let worker = || {
        loop {
            let next = items.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(item) = next else { break };
            let result = work(item);
            results
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(result);
        }
    };
    thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(worker);
        }
    });
    results.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_done_once() {
        for threads in [0, 1, 3] {
            let mut results = in_parallel(threads, 0..100, |number| number * 2);
            results.sort_unstable();
            let expected: Vec<i32> = (0..100).map(|number| number * 2).collect();
            assert_eq!(results, expected);
        }
    }
}
