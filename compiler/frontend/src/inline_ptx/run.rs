//! Inline PTX on the CPU: a small kernel in the simulator.

use std::collections::HashMap;
use std::sync::Arc;

use tile_runtime::backend::{Backend, DeviceError, Function, Memory, RawLaunch};
use tile_runtime::element::ElementType;
use tile_runtime::simulator::device::Simulator;
use tile_runtime::simulator::machine::Options;

use super::check::as_written;
use super::kernel::{NAME, kernel};
use super::{InlinePtx, Register};

/// Threads of a program.
const THREADS: u32 = 128;

/// Runs inline PTX; what it has run once is ready to run again.
#[derive(Debug, Default)]
pub struct Runner {
    simulator: Option<Simulator>,
    functions: HashMap<String, Arc<dyn Function>>,
}

impl Runner {
    /// The bits of the results for `count` elements, from the bits of the arguments.
    ///
    /// # Errors
    /// What the simulator says of it.
    pub fn run(
        &mut self,
        asm: &InlinePtx,
        arguments: &[&[u64]],
        count: usize,
    ) -> Result<Vec<Vec<u64>>, String> {
        self.try_run(asm, arguments, count)
            .map_err(|error| as_written(asm, &words(&error)))
    }

    fn try_run(
        &mut self,
        asm: &InlinePtx,
        arguments: &[&[u64]],
        count: usize,
    ) -> Result<Vec<Vec<u64>>, DeviceError> {
        let simulator = self
            .simulator
            .get_or_insert_with(|| Simulator::new(Options::default()));
        let (ptx, _) = kernel(asm);
        let function = match self.functions.get(&ptx) {
            Some(function) => Arc::clone(function),
            None => {
                let function = simulator.load(&ptx)?.function(NAME, THREADS, 0)?;
                self.functions.insert(ptx, Arc::clone(&function));
                function
            }
        };
        let pack = asm.pack.max(1) as usize;
        let registers = count.div_ceil(pack);
        let mut memories: Vec<Arc<dyn Memory>> = Vec::new();
        for _ in &asm.results {
            let memory = simulator.allocate(registers * 8)?;
            memory.write(0, &vec![0; registers * 8])?;
            memories.push(memory);
        }
        for (element, bits) in asm.arguments.iter().zip(arguments) {
            let bytes: Vec<u8> = bits
                .chunks(pack)
                .flat_map(|group| packed(*element, group).to_le_bytes())
                .collect();
            let memory = simulator.allocate(bytes.len())?;
            memory.write(0, &bytes)?;
            memories.push(memory);
        }
        let threads = u32::try_from(registers).unwrap_or(u32::MAX);
        let mut parameters: Vec<u8> = memories
            .iter()
            .flat_map(|memory| memory.address().to_le_bytes())
            .collect();
        parameters.extend(threads.to_le_bytes());
        let launch = RawLaunch {
            offsets: Vec::new(),
            addresses: Vec::new(),
            grid: [threads.div_ceil(THREADS).max(1), 1, 1],
            cluster: None,
            dependent: false,
            threads: THREADS,
            shared_blocks: None,
            shared_bytes: 0,
            parameters,
        };
        function.bind(&simulator.main_queue(), launch)?()?;
        let mut results = Vec::new();
        for (element, memory) in asm.results.iter().zip(&memories) {
            let mut bytes = vec![0; registers * 8];
            memory.read(0, &mut bytes)?;
            let words = bytes.chunks(8).map(|word| {
                let mut wide = [0; 8];
                wide.iter_mut().zip(word).for_each(|(to, from)| *to = *from);
                u64::from_le_bytes(wide)
            });
            let elements = words.flat_map(|word| unpacked(*element, word, pack));
            results.push(elements.take(count).collect());
        }
        Ok(results)
    }
}

/// Elements as they lie in a register.
fn packed(element: ElementType, group: &[u64]) -> u64 {
    match group {
        // Smaller integers than a register holds are extended.
        [one] if Register::of(element, 1) == Register::Word && element.is_signed() => {
            let above = 64 - element.bits();
            ((one << above).cast_signed() >> above).cast_unsigned()
        }
        [one] => *one,
        several => several
            .iter()
            .rev()
            .fold(0, |word, bits| word << element.bits() | bits),
    }
}

/// The elements in a register.
fn unpacked(element: ElementType, word: u64, pack: usize) -> impl Iterator<Item = u64> {
    let bits = element.bits();
    let mask = u64::MAX >> (64 - bits);
    (0..pack).map(move |number| {
        let shift = u32::try_from(number).unwrap_or(0) * bits;
        word.checked_shr(shift).unwrap_or(0) & mask
    })
}

fn words(error: &DeviceError) -> String {
    match error {
        DeviceError::Finding(finding) => {
            format!("{} (at `{}`)", finding.defect, finding.site.instruction)
        }
        other => other.to_string(),
    }
}
