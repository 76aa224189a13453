//! Calls out of the kernel: printing and assertions.

use super::communicate::each;
use super::memory::little_endian;
use super::step::{Checked, Machine};
use super::warp::Warp;
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
                    let line = self.formatted(warp, lane, &format, values);
                    print!("{line}");
                    if let Some(result) = result {
                        self.set_local(warp, lane, *result, 0);
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

    /// A format with its values put in, as C's `printf` does with the conversions that CUDA's has.
    fn formatted(&self, warp: &Warp, lane: usize, format: &str, values: u64) -> String {
        let mut result = String::new();
        let mut at = values;
        let mut rest = format;
        while let Some((text, conversion)) = rest.split_once('%') {
            result.push_str(text);
            let end = conversion
                .find(|c: char| c.is_ascii_alphabetic() && !"lhz".contains(c) || c == '%');
            let Some(end) = end else {
                rest = conversion;
                continue;
            };
            let (options, tail) = conversion.split_at(end);
            let (kind, tail) = tail.split_at(1);
            rest = tail;
            if kind == "%" {
                result.push('%');
                continue;
            }
            let wide = options.contains('l') || "fFeEgGaAps".contains(kind);
            let bytes: u64 = if wide { 8 } else { 4 };
            at = at.next_multiple_of(bytes);
            let bits = match (at >> 32) as u32 {
                LOCAL => self
                    .local_bytes(warp, lane, at, bytes as usize)
                    .map_or(0, little_endian),
                _ => 0,
            };
            at += bytes;
            let options = options.trim_end_matches(['l', 'h', 'z']);
            result.push_str(&self.conversion(options, kind, bits, wide));
        }
        result + rest
    }

    #[allow(clippy::cast_possible_truncation)] // numbers of 32 bits
    fn conversion(&self, options: &str, kind: &str, bits: u64, wide: bool) -> String {
        let (width, precision) = options.split_once('.').unwrap_or((options, ""));
        let left = width.contains('-');
        let zeros = width
            .trim_start_matches(['-', '+', ' ', '#'])
            .starts_with('0');
        let plus = width.contains('+');
        let width: usize = width
            .trim_start_matches(['-', '+', ' ', '#', '0'])
            .parse()
            .unwrap_or(0);
        let digits: Option<usize> = precision.parse().ok();
        let signed = if wide {
            bits.cast_signed()
        } else {
            i64::from((bits as u32).cast_signed())
        };
        let number = f64::from_bits(bits);
        let text = match kind {
            "d" | "i" if plus => format!("{signed:+}"),
            "d" | "i" => signed.to_string(),
            "u" => bits.to_string(),
            "x" => format!("{bits:x}"),
            "X" => format!("{bits:X}"),
            "o" => format!("{bits:o}"),
            "c" => char::from(bits as u8).to_string(),
            "p" => format!("{bits:#x}"),
            "s" => self.text(bits).unwrap_or_default(),
            "e" | "E" => format!("{number:.*e}", digits.unwrap_or(6)),
            "g" | "G" => number.to_string(),
            _ => format!("{number:.*}", digits.unwrap_or(6)),
        };
        match (left, zeros) {
            (true, _) => format!("{text:<width$}"),
            (false, true) if !text.starts_with('-') => format!("{text:0>width$}"),
            (false, _) => format!("{text:>width$}"),
        }
    }
}
