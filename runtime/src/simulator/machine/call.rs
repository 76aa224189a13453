//! Calls out of the kernel: printing and assertions.

use std::io::Write;

use super::communicate::each;
use super::memory::little_endian;
use super::step::{Checked, Machine};
use super::warp::Warp;
use crate::printf;
use crate::simulator::checks::Defect;
use crate::simulator::memory::LOCAL;
use crate::simulator::program::op::Call;
use crate::simulator::registers::Mask;

/// The longest text that a kernel may print at once.
const LONGEST: usize = 1 << 16;

impl Machine<'_> {
    pub fn call(&mut self, warp: &mut Warp, pc: u32, call: &Call, active: Mask) -> Checked<()> {
        for lane in each(active) {
            match call {
                Call::Print {
                    arguments: [format, values],
                    result,
                } => {
                    let format = self.local_number(warp, lane, *format, 8);
                    let values = self.local_number(warp, lane, *values, 8);
                    let Some(format) = self.text(format) else {
                        let what = "the format of a print is no text that ends".to_owned();
                        return Err(self.finding(warp, pc, lane, Defect::InvalidOperand { what }));
                    };
                    let (line, count) = self.formatted(warp, lane, &format, values);
                    // Nobody may be left to read it, which is no business of the kernel.
                    let _ = std::io::stdout().write_all(line.as_bytes());
                    if let Some(result) = result {
                        // How many values were printed, not how many characters as in C (CUDA C++
                        // Programming Guide, "Formatted Output").
                        self.set_local(warp, lane, *result, count);
                    }
                }
                Call::Assert {
                    arguments: [message, file, line, _],
                } => {
                    let [message, file] = [message, file].map(|&at| {
                        let address = self.local_number(warp, lane, at, 8);
                        self.text(address).unwrap_or_default()
                    });
                    let line = self.local_number(warp, lane, *line, 4);
                    let what = format!("assertion failed: {message} ({file}:{line})");
                    return Err(self.finding(warp, pc, lane, Defect::Trap { what }));
                }
            }
        }
        Ok(())
    }

    fn local_bytes<'w>(
        &self,
        warp: &'w Warp,
        lane: usize,
        place: u64,
        bytes: usize,
    ) -> Option<&'w [u8]> {
        let size = self.launch.entry.local_bytes as usize;
        let place = usize::try_from(place & u64::from(u32::MAX)).ok()?;
        warp.local
            .get(lane * size..(lane + 1) * size)?
            .get(place..place + bytes)
    }

    fn local_number(&self, warp: &Warp, lane: usize, place: u32, bytes: usize) -> u64 {
        self.local_bytes(warp, lane, place.into(), bytes)
            .map_or(0, little_endian)
    }

    fn set_local(&self, warp: &mut Warp, lane: usize, place: u32, value: u32) {
        let start = lane * self.launch.entry.local_bytes as usize + place as usize;
        if let Some(bytes) = warp.local.get_mut(start..start + 4) {
            bytes.copy_from_slice(&value.to_le_bytes());
        }
    }

    /// The bytes at an address up to a zero.
    fn text(&self, address: u64) -> Option<String> {
        let memory = self.launch.memory.find(address)?;
        let start = usize::try_from(address - memory.address()).ok()?;
        let mut bytes = Vec::new();
        for at in (start..memory.bytes()).take(LONGEST) {
            #[allow(clippy::cast_possible_truncation)] // one byte
            match memory.load(at, 1) as u8 {
                0 => return Some(String::from_utf8_lossy(&bytes).into_owned()),
                byte => bytes.push(byte),
            }
        }
        None
    }

    /// A format with its values put in, and how many these are. They lie in local memory, each
    /// aligned to its size, integers as wide as C's `...` makes them.
    fn formatted(&self, warp: &Warp, lane: usize, format: &str, values: u64) -> (String, u32) {
        let mut at = values;
        let mut count = 0;
        let text = printf::format(format, |conversion| {
            let bytes = conversion.bytes();
            at = at.next_multiple_of(bytes);
            let bits = match (at >> 32) as u32 {
                LOCAL => self
                    .local_bytes(warp, lane, at, bytes as usize)
                    .map_or(0, little_endian),
                _ => 0,
            };
            at += bytes;
            count += 1;
            if conversion.is_text() {
                conversion.text(&self.text(bits).unwrap_or_default())
            } else {
                conversion.number(bits)
            }
        });
        (text, count)
    }
}
