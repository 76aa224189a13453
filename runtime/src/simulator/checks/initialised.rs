//! Which bytes of memory have a value.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

/// For each byte of an allocation: whether it has been written. Blocks on several threads write at
/// once.
#[derive(Debug, Default)]
pub struct Initialised {
    all: AtomicBool,
    bytes: usize,
    /// One bit per byte; made when the first part is written.
    bits: OnceLock<Box<[AtomicU32]>>,
}

impl Initialised {
    /// None of so many bytes.
    #[must_use]
    pub const fn none(bytes: usize) -> Self {
        Self {
            all: AtomicBool::new(bytes == 0),
            bytes,
            bits: OnceLock::new(),
        }
    }

    /// Whether all bytes have a value.
    #[inline]
    #[must_use]
    pub fn all(&self) -> bool {
        self.all.load(Relaxed)
    }

    /// Bytes have a value from now on; they are inside.
    pub fn set(&self, start: usize, bytes: usize) {
        if bytes == self.bytes {
            self.all.store(true, Relaxed);
        }
        if self.all() {
            return;
        }
        let bits = self
            .bits
            .get_or_init(|| bytemuck::zeroed_slice_box(self.bytes.div_ceil(32)));
        let mut at = start;
        while at < start + bytes {
            let (word, bit) = (at / 32, at % 32);
            let count = (32 - bit).min(start + bytes - at);
            let mask = (u32::MAX >> (32 - count)) << bit;
            if bits[word].load(Relaxed) & mask != mask {
                bits[word].fetch_or(mask, Relaxed);
            }
            at += count;
        }
    }

    /// Whether up to 32 bytes, which do not cross a multiple of 32, have a value.
    #[inline]
    #[must_use]
    pub fn has(&self, start: usize, bytes: usize) -> bool {
        if self.all() {
            return true;
        }
        let Some(bits) = self.bits.get() else {
            return false;
        };
        let mask = (u32::MAX >> (32 - bytes)) << (start % 32);
        bits[start / 32].load(Relaxed) & mask == mask
    }
}

/// For each byte of a block's shared memory: whether it has been written.
#[derive(Debug, Default)]
pub struct SharedInitialised(Vec<u64>);

impl SharedInitialised {
    /// None of so many bytes.
    #[must_use]
    pub fn none(bytes: usize) -> Self {
        Self(vec![0; bytes.div_ceil(64)])
    }

    /// Bytes have a value from now on; they are inside.
    pub fn set(&mut self, start: usize, bytes: usize) {
        let mut at = start;
        while at < start + bytes {
            let (word, bit) = (at / 64, at % 64);
            let count = (64 - bit).min(start + bytes - at);
            self.0[word] |= (u64::MAX >> (64 - count)) << bit;
            at += count;
        }
    }

    /// A byte has no value that is known.
    pub fn unset(&mut self, byte: usize) {
        self.0[byte / 64] &= !(1 << (byte % 64));
    }

    /// Whether the bytes have a value.
    #[inline]
    #[must_use]
    pub fn has(&self, start: usize, bytes: usize) -> bool {
        let mut at = start;
        while at < start + bytes {
            let (word, bit) = (at / 64, at % 64);
            let count = (64 - bit).min(start + bytes - at);
            let mask = (u64::MAX >> (64 - count)) << bit;
            if self.0[word] & mask != mask {
                return false;
            }
            at += count;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_a_value_once_written() {
        let all = Initialised::none(100);
        assert!(!all.has(0, 1));
        all.set(30, 8);
        assert!(all.has(32, 4) && all.has(30, 2) && !all.has(28, 4) && !all.has(36, 4));
        all.set(0, 100);
        assert!(all.all() && all.has(96, 4));
        let mut shared = SharedInitialised::none(200);
        shared.set(60, 70);
        assert!(shared.has(60, 70) && !shared.has(59, 2) && !shared.has(128, 4));
    }
}
