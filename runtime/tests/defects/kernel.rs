//! How a kernel is launched, which its first comment lines say, and what comes out.
//!
//! ```text
//! // launch: grid=4 threads=128 shared=4096 dependent=1
//! // param: in f32[512] = i % 7
//! // param: out f32[4]
//! // param: n u32 = 512
//! // expect: out = sum(k < 128: in[i * 128 + k])
//! ```
//!
//! Parameters are in the order of the entry point's. A buffer with no rule holds nothing yet. All
//! numbers are whole.

use std::sync::Arc;

use half::f16;
use tile_runtime::backend::{Backend, DeviceError, Memory, RawLaunch};
use tile_runtime::simulator::checks::Finding;
use tile_runtime::simulator::device::Simulator;
use tile_runtime::simulator::machine::Options;

use crate::expression::{Names, evaluate};

/// Warp instructions that a block may execute: enough for all kernels here.
const STEPS: u64 = 200_000;

/// Why there are no results.
#[derive(Debug)]
pub enum Failure {
    Finding(Box<Finding>),
    Other(String),
}

impl From<DeviceError> for Failure {
    fn from(error: DeviceError) -> Self {
        match error {
            DeviceError::Finding(finding) => Self::Finding(finding),
            other => Self::Other(other.to_string()),
        }
    }
}

impl From<Failure> for String {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Finding(finding) => finding.to_string(),
            Failure::Other(problem) => problem,
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Element {
    F16,
    F32,
    Integer,
}

impl Element {
    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "f16" => Self::F16,
            "f32" => Self::F32,
            "s32" | "u32" => Self::Integer,
            _ => return None,
        })
    }

    const fn bytes(self) -> usize {
        match self {
            Self::F16 => 2,
            Self::F32 | Self::Integer => 4,
        }
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)] // small whole numbers
    fn encode(self, value: i64) -> Vec<u8> {
        match self {
            Self::F16 => f16::from_f32(value as f32).to_le_bytes().to_vec(),
            Self::F32 => (value as f32).to_le_bytes().to_vec(),
            Self::Integer => (value as i32).to_le_bytes().to_vec(),
        }
    }
}

#[derive(Debug)]
enum Parameter {
    Number(i64),
    Buffer {
        element: Element,
        count: usize,
        values: Option<Vec<i64>>,
    },
}

/// What the header says.
#[derive(Debug, Default)]
pub struct Kernel {
    grid: u32,
    threads: u32,
    shared_bytes: u32,
    dependent: bool,
    parameters: Vec<(String, Parameter)>,
    names: Names,
    /// Buffers and rules for their elements.
    expected: Vec<(String, String)>,
}

/// Bytes of a buffer after the kernel.
type Results = Vec<(String, Vec<u8>)>;

impl Kernel {
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut kernel = Self::default();
        for line in text.lines().filter_map(|line| line.strip_prefix("// ")) {
            match line.split_once(": ") {
                Some(("launch", words)) => kernel.parse_launch(words)?,
                Some(("param", rest)) => kernel.parse_parameter(rest)?,
                Some(("expect", rest)) => {
                    let (name, rule) = rest.split_once('=').ok_or("an expectation has a `=`")?;
                    let (name, rule) = (name.trim().to_owned(), rule.trim().to_owned());
                    kernel.expected.push((name, rule));
                }
                _ => {}
            }
        }
        if kernel.grid == 0 || kernel.threads == 0 || kernel.expected.is_empty() {
            return Err("the header says too little".to_owned());
        }
        Ok(kernel)
    }

    fn parse_launch(&mut self, words: &str) -> Result<(), String> {
        for word in words.split_whitespace() {
            let (name, value) = word.split_once('=').ok_or("a launch has `name=number`")?;
            let value = value
                .parse()
                .map_err(|_| format!("`{value}` is no number"))?;
            match name {
                "grid" => self.grid = value,
                "threads" => self.threads = value,
                "shared" => self.shared_bytes = value,
                "dependent" => self.dependent = value != 0,
                _ => return Err(format!("what is `{name}`?")),
            }
        }
        Ok(())
    }

    fn parse_parameter(&mut self, text: &str) -> Result<(), String> {
        let (declaration, rule) = match text.split_once('=') {
            Some((declaration, rule)) => (declaration, Some(rule)),
            None => (text, None),
        };
        let (name, kind) = declaration.trim().split_once(' ').ok_or("name and type")?;
        let unknown = || format!("what is `{kind}`?");
        let parameter = match kind.strip_suffix(']').and_then(|kind| kind.split_once('[')) {
            None if kind == "u32" => {
                let value = evaluate(rule.ok_or("a number has a value")?, &self.names)?;
                self.names.numbers.insert(name.to_owned(), value);
                Parameter::Number(value)
            }
            None => return Err(unknown()),
            Some((element, count)) => {
                let element = Element::parse(element).ok_or_else(unknown)?;
                let count = count.parse().map_err(|_| unknown())?;
                let values = rule.map(|rule| self.elements(rule, count)).transpose()?;
                if let Some(values) = &values {
                    self.names.buffers.insert(name.to_owned(), values.clone());
                }
                Parameter::Buffer {
                    element,
                    count,
                    values,
                }
            }
        };
        self.parameters.push((name.to_owned(), parameter));
        Ok(())
    }

    fn elements(&self, rule: &str, count: usize) -> Result<Vec<i64>, String> {
        let mut names = self.names.clone();
        (0..)
            .take(count)
            .map(|index| {
                names.numbers.insert("i".to_owned(), index);
                evaluate(rule, &names)
            })
            .collect()
    }

    /// Runs the first entry point of the text in the simulator.
    pub fn run(&self, text: &str) -> Result<Results, Failure> {
        let device = Simulator::new(Options {
            steps: STEPS,
            ..Options::default()
        });
        let entry = text
            .split_once(".entry ")
            .and_then(|(_, rest)| rest.split('(').next());
        let entry = entry
            .ok_or(Failure::Other("there is no .entry".to_owned()))?
            .trim();
        let function = device
            .load(text)?
            .function(entry, self.threads, self.shared_bytes)?;
        let mut parameters = Vec::new();
        let mut buffers: Vec<(&str, Arc<dyn Memory>)> = Vec::new();
        for (name, parameter) in &self.parameters {
            let bytes = match parameter {
                Parameter::Number(value) => Element::Integer.encode(*value),
                Parameter::Buffer {
                    element,
                    count,
                    values,
                } => {
                    let memory = device.allocate(count * element.bytes())?;
                    if let Some(values) = values {
                        let encoded = values.iter().flat_map(|&value| element.encode(value));
                        memory.write(0, &encoded.collect::<Vec<u8>>())?;
                    }
                    let address = memory.address();
                    buffers.push((name, memory));
                    address.to_le_bytes().to_vec()
                }
            };
            parameters.resize(parameters.len().next_multiple_of(bytes.len()), 0);
            parameters.extend(bytes);
        }
        let launch = RawLaunch {
            offsets: Vec::new(),
            addresses: Vec::new(),
            grid: [self.grid, 1, 1],
            cluster: None,
            dependent: self.dependent,
            threads: self.threads,
            shared_blocks: None,
            shared_bytes: self.shared_bytes,
            parameters,
        };
        function.bind(&device.main_queue(), launch)?()?;
        let mut results = Results::new();
        for (name, memory) in &buffers {
            let size = self
                .parameters
                .iter()
                .find_map(|(other, parameter)| match parameter {
                    Parameter::Buffer { element, count, .. } if name == other => {
                        Some(element.bytes() * count)
                    }
                    _ => None,
                });
            let mut bytes = vec![0; size.unwrap_or_default()];
            memory.read(0, &mut bytes)?;
            results.push(((*name).to_owned(), bytes));
        }
        Ok(results)
    }

    /// Whether buffers hold what they should.
    pub fn check(&self, results: &Results) -> Result<(), String> {
        for (name, rule) in &self.expected {
            let (_, parameter) = self
                .parameters
                .iter()
                .find(|(other, _)| other == name)
                .ok_or_else(|| format!("no buffer `{name}`"))?;
            let Parameter::Buffer { element, count, .. } = parameter else {
                return Err(format!("`{name}` is no buffer"));
            };
            let expected = self.elements(rule, *count)?;
            let (_, bytes) = results
                .iter()
                .find(|(other, _)| other == name)
                .ok_or_else(|| format!("no buffer `{name}`"))?;
            for (index, (&value, bytes)) in expected
                .iter()
                .zip(bytes.chunks(element.bytes()))
                .enumerate()
            {
                if element.encode(value) != bytes {
                    let bytes = format!("{bytes:02x?}");
                    return Err(format!("{name}[{index}] is {bytes}, not {value}"));
                }
            }
        }
        Ok(())
    }
}
