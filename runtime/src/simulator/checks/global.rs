//! Who has touched global memory in a launch.

use std::sync::{Mutex, OnceLock, PoisonError};

use super::shadow::{PAGE, Page};

/// Who has touched an allocation. Blocks on several threads touch it at once; each page has a lock.
#[derive(Debug)]
pub struct GlobalShadow {
    pages: Box<[OnceLock<Box<Mutex<Page>>>]>,
}

impl GlobalShadow {
    /// For an allocation of so many bytes, which nobody has touched.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        Self {
            pages: (0..bytes.div_ceil(PAGE)).map(|_| OnceLock::new()).collect(),
        }
    }

    /// Works on the page that has the byte `offset`.
    pub fn with_page<T>(&self, offset: usize, work: impl FnOnce(&mut Page) -> T) -> T {
        let page = self.pages[offset / PAGE].get_or_init(Box::default);
        work(&mut page.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
