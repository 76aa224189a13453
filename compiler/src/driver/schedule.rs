//! Work in parallel, results in order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// Does `work` for each item on several threads, and hands the results to `tell` in the order of
/// the items, each as soon as those before it are told. Stops when `tell` fails.
pub fn in_order<I: Sync, R: Send, E>(
    items: &[I],
    workers: usize,
    work: impl Fn(&I) -> R + Sync,
    mut tell: impl FnMut(usize, R) -> Result<(), E>,
) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..workers.min(items.len()) {
            let sender = sender.clone();
            let (next, work) = (&next, &work);
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(number) else { break };
                    if sender.send((number, work(item))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut told = 0;
        for (number, result) in receiver {
            waiting.insert(number, result);
            while let Some(result) = waiting.remove(&told) {
                if let Err(error) = tell(told, result) {
                    // Nobody listens any more: no further item is begun.
                    next.store(items.len(), Ordering::Relaxed);
                    return Err(error);
                }
                told += 1;
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_told_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..20).collect();
        let mut told = Vec::new();
        let slow_first = |item: &u64| {
            thread::sleep(std::time::Duration::from_millis(20 - item));
            item * 10
        };
        let done: Result<(), ()> = in_order(&items, 4, slow_first, |number, result| {
            told.push((number, result));
            Ok(())
        });
        assert_eq!(done, Ok(()));
        let expected: Vec<(usize, u64)> = (0..20).map(|item| (item as usize, item * 10)).collect();
        assert_eq!(told, expected);
    }

    #[test]
    fn nothing_is_told_after_telling_failed() {
        let items = [0; 100];
        let mut told = 0;
        let done = in_order(
            &items,
            2,
            |_| (),
            |number, ()| {
                told += 1;
                if number == 3 { Err("full") } else { Ok(()) }
            },
        );
        assert_eq!((done, told), (Err("full"), 4));
    }
}
