//! Launches: a kernel of the test on the device of the run.

use std::collections::BTreeMap;
use std::rc::Rc;

use tile_runtime::Error;
use tile_runtime::backend::DeviceError;
use tile_runtime::device::{Arg, Device, DeviceTensor};
use tile_runtime::element::ElementType;
use tile_runtime::launch::{self as checked, Fact, TensorFact};
use tile_runtime::numeric::{self, Scalar};
use tile_runtime::problem::Problem;
use tile_runtime::program::Program;
use tile_runtime::simulator::checks::Finding;
use tile_runtime::sources::Sources;
use tile_runtime::tensor::Tensor;

use super::arrays;
use super::session::{Done, Session};
use crate::backend::manifest::{self, VariantFacts};
use crate::diagnostic::{Diagnostic, Span, messages};
use crate::interp::value::Tile;
use crate::interp::{self, Argument, Arguments, Buffer};
use crate::passes::VariantRequest;
use crate::source::Location;
use crate::target::{DEFAULT, Target};
use crate::typed::host::{Launch, LaunchArgument};
use crate::typed::{Kernel, Parameter};

/// A launch with its operands.
struct Call<'a> {
    kernel: &'a Kernel,
    launch: &'a Launch,
    operands: &'a [Rc<Tile>],
    /// Programs along x, y and z, if the host says.
    grid: Option<Vec<i64>>,
    span: Span,
}

/// An argument on its way to the device.
enum Bound<'a> {
    Scalar(Scalar),
    Array {
        operand: usize,
        element: ElementType,
        shape: Vec<usize>,
        strides: &'a [i64],
        offset: usize,
        written: bool,
    },
}

/// Arrays by operand, as a kernel left them.
type Written = BTreeMap<usize, Vec<u8>>;

impl Session<'_> {
    /// Runs a kernel; gives the arrays that it may have written to.
    pub(super) fn launch(
        &mut self,
        launch: &Launch,
        span: Span,
        operands: &[Rc<Tile>],
    ) -> Done<Vec<Tile>> {
        let kernel = self.kernel(launch.kernel, span)?;
        let grid: Result<Vec<i64>, _> = launch
            .grid
            .iter()
            .map(|&axis| operands[axis].integer().map(|size| size as i64))
            .collect();
        let malformed = |_| Box::new(messages::testing::malformed("a grid of no integers", span));
        let grid = grid.map_err(malformed)?;
        let call = Call {
            kernel,
            launch,
            operands,
            grid: (!grid.is_empty()).then_some(grid),
            span,
        };
        let arguments = call.bound()?;
        let ran = match self.setup.device.clone() {
            None => call.interpreted(&arguments),
            // A kernel that fails takes the GPU's memory from this process, and what it says of why goes
            // to the driver's own output. The simulator shows both, and harms nobody.
            Some(device) if launch.refusal.is_some() && device.simulator().is_none() => {
                self.note("`assert_fails` ran in the simulator");
                let device = Device::sim();
                let target = Target::named(DEFAULT).unwrap_or(self.setup.target);
                let compiled = self.compiled(launch.kernel, target, span)?;
                let program = device.load(&compiled.ptx);
                program
                    .and_then(|program| call.on_device(&arguments, &device, &program))
                    .map_err(|error| self.problem(&error, &compiled.ptx, span))
            }
            Some(device) => {
                // A kernel that cannot be compiled is not what `assert_fails` is about.
                let compiled = self.compiled(launch.kernel, self.setup.target, span)?;
                self.loaded(launch.kernel, &device, &compiled.ptx)
                    .and_then(|program| call.on_device(&arguments, &device, &program))
                    .map_err(|error| self.problem(&error, &compiled.ptx, span))
            }
        };
        match (ran, &launch.refusal) {
            (Ok(written), None) => call.results(&arguments, written),
            (Ok(_), Some(_)) => Err(Box::new(messages::testing::launch_succeeded(span))),
            (Err(problem), None) => Err(problem),
            (Err(problem), Some(wanted)) if says(&problem, wanted) => {
                // As a failed launch left them nobody may look at them: they stay what they were.
                call.results(&arguments, Written::new())
            }
            (Err(problem), Some(wanted)) => Err(Box::new(messages::testing::other_failure(
                wanted, &problem, span,
            ))),
        }
    }

    /// What went wrong on a device.
    fn problem(&self, error: &Error, ptx: &str, span: Span) -> Box<Diagnostic> {
        match error {
            Error::Device(DeviceError::Finding(finding)) => self.finding(finding, ptx, span),
            error => Box::new(messages::testing::launch_failed(error, span)),
        }
    }

    /// A finding of the simulator, at its place in the source.
    fn finding(&self, finding: &Finding, ptx: &str, span: Span) -> Box<Diagnostic> {
        let sources = Sources {
            ptx_name: format!("PTX of {}", self.setup.file),
            ptx,
            find: Box::new(|name| {
                let mut files = self.setup.sources.iter();
                let found = files.find(|(_, file)| file.name == name);
                found.map(|(_, file)| file.text.clone())
            }),
        };
        let problem = Problem::of_finding(finding, &sources);
        let mut diagnostic = messages::testing::finding(&problem.code, &problem.message, span);
        for (number, place) in problem.places.iter().enumerate() {
            let at = |column| Location {
                line: place.line,
                column,
            };
            let found = self.setup.sources.span_between(
                &place.file,
                at(place.column),
                at(place.end_column),
            );
            diagnostic = match found {
                Some(found) if number == 0 => diagnostic.label(found, place.text.clone()),
                Some(found) => diagnostic.secondary(found, place.text.clone()),
                None => diagnostic.note(format!(
                    "{} line {}: {}",
                    place.file, place.line, place.text
                )),
            };
        }
        diagnostic.notes.extend(problem.notes);
        Box::new(diagnostic)
    }
}

impl Call<'_> {
    /// The arguments in the order of the parameters.
    fn bound(&self) -> Done<Vec<(&str, Bound<'_>)>> {
        let malformed = || Box::new(messages::testing::malformed("other arguments", self.span));
        let names = self
            .kernel
            .parameters
            .iter()
            .map(|parameter| match parameter {
                Parameter::Scalar { name, .. } | Parameter::Pointer { name, .. } => name.as_str(),
                Parameter::Tensor(tensor) => tensor.name.as_str(),
            });
        let bound = names.zip(&self.launch.arguments).map(|(name, argument)| {
            let value = match argument {
                LaunchArgument::Scalar { operand } => {
                    let (element, bits) = self.numbers(*operand)?;
                    let bits = *bits.first().ok_or_else(malformed)?;
                    Bound::Scalar(numeric::to_scalar(element, bits))
                }
                LaunchArgument::Array {
                    operand,
                    shape,
                    strides,
                    offset,
                    result,
                } => Bound::Array {
                    operand: *operand,
                    element: self.numbers(*operand)?.0,
                    shape: shape.iter().map(|&size| size as usize).collect(),
                    strides,
                    offset: *offset as usize,
                    written: result.is_some(),
                },
            };
            Ok((name, value))
        });
        bound.collect()
    }

    fn numbers(&self, operand: usize) -> Done<(ElementType, &[u64])> {
        let malformed = || {
            Box::new(messages::testing::malformed(
                "an operand is no array",
                self.span,
            ))
        };
        let tile = self.operands.get(operand).ok_or_else(malformed)?;
        tile.as_numbers().map_err(|_| malformed())
    }

    /// Checks the launch as a device would, and runs it in the interpreter.
    fn interpreted(&self, arguments: &[(&str, Bound<'_>)]) -> Done<Written> {
        let any = VariantRequest {
            entry: self.kernel.name.clone(),
            divisibility: Vec::new(),
            names: Vec::new(),
            blocks: None,
            ones: Vec::new(),
            has_rows: false,
        };
        let nothing = VariantFacts::default();
        let mut manifest = manifest::kernel(self.kernel, &[(any, nothing)], &[]);
        // The interpreter shows a promise that does not hold where it stands.
        manifest.promises.clear();
        let facts: Vec<(&str, Fact<'_>)> = arguments
            .iter()
            .map(|(name, argument)| (*name, fact(argument)))
            .collect();
        let plan = checked::plan(&manifest, &facts, self.grid.as_deref())
            .map_err(|error| Box::new(messages::testing::launch_failed(&error, self.span)))?;
        let mut given = Arguments::new();
        let mut buffers = BTreeMap::new();
        for (name, argument) in arguments {
            let argument = match argument {
                Bound::Scalar(value) => Argument::Scalar(*value),
                Bound::Array {
                    operand,
                    element,
                    shape,
                    strides,
                    offset,
                    ..
                } => {
                    let (_, bits) = self.numbers(*operand)?;
                    let buffer = *buffers.entry(*operand).or_insert_with(|| {
                        given.add_buffer(Buffer {
                            element: *element,
                            bytes: arrays::bytes(*element, bits),
                        })
                    });
                    Argument::Tensor {
                        buffer,
                        offset: *offset as i64,
                        sizes: shape.iter().map(|&size| size as u64).collect(),
                        strides: strides.to_vec(),
                    }
                }
            };
            given.set(name, argument);
        }
        interp::run(self.kernel, plan.grid, &mut given, super::OPTIONS).map_err(|error| {
            let problem = messages::runtime::stopped(&error);
            Box::new(problem.secondary(self.span, "launched here"))
        })?;
        let written = buffers
            .into_iter()
            .map(|(operand, buffer)| (operand, given.buffer(buffer).bytes.clone()));
        Ok(written.collect())
    }

    /// Runs it compiled.
    fn on_device(
        &self,
        arguments: &[(&str, Bound<'_>)],
        device: &Device,
        program: &Program,
    ) -> Result<Written, Error> {
        let mut memory: BTreeMap<usize, DeviceTensor> = BTreeMap::new();
        let mut views: Vec<Option<DeviceTensor>> = Vec::new();
        for (_, argument) in arguments {
            let Bound::Array {
                operand,
                element,
                shape,
                strides,
                offset,
                ..
            } = argument
            else {
                views.push(None);
                continue;
            };
            if !memory.contains_key(operand) {
                let bits = self.operands[*operand]
                    .as_numbers()
                    .map_or(&[][..], |(_, bits)| bits);
                let bytes = arrays::bytes(*element, bits);
                let tensor = Tensor::from_bytes(*element, &[bits.len()], bytes)?;
                memory.insert(*operand, device.upload(&tensor)?);
            }
            views.push(Some(memory[operand].viewed(shape, strides, *offset)?));
        }
        let given: Vec<(&str, Arg<'_>)> = arguments
            .iter()
            .zip(&views)
            .map(|((name, argument), view)| {
                let argument = match (argument, view) {
                    (Bound::Array { written: true, .. }, Some(view)) => Arg::Mut(view),
                    (Bound::Array { .. }, Some(view)) => Arg::Tensor(view),
                    (Bound::Scalar(value), _) => Arg::Scalar(*value),
                    (Bound::Array { .. }, None) => Arg::Scalar(Scalar::Int(0)),
                };
                (*name, argument)
            })
            .collect();
        let kernel = program.kernel(Some(&self.kernel.name))?;
        let launch = kernel.prepare_on(&device.stream(), &given, self.grid.as_deref())?;
        launch.launch()?;
        device.synchronize()?;
        let mut written = Written::new();
        for (operand, tensor) in memory {
            written.insert(operand, tensor.download()?.dense_bytes().into_owned());
        }
        Ok(written)
    }

    /// The results in their order; what was not written is what it was.
    fn results(&self, arguments: &[(&str, Bound<'_>)], mut written: Written) -> Done<Vec<Tile>> {
        let mut results: BTreeMap<usize, Tile> = BTreeMap::new();
        for ((_, bound), argument) in arguments.iter().zip(&self.launch.arguments) {
            if let Bound::Array {
                operand, element, ..
            } = bound
                && let LaunchArgument::Array {
                    result: Some(result),
                    ..
                } = argument
                && !results.contains_key(result)
            {
                let before = &self.operands[*operand];
                let tile = match written.remove(operand) {
                    Some(bytes) => {
                        arrays::from_bytes(*element, &before.shape, bytes).map_err(|error| {
                            Box::new(messages::testing::launch_failed(&error, self.span))
                        })?
                    }
                    None => Tile::clone(before),
                };
                results.insert(*result, tile);
            }
        }
        Ok(results.into_values().collect())
    }
}

/// What the checks of a launch must know, with made-up addresses: arrays far apart, views inside.
fn fact<'a>(argument: &'a Bound<'_>) -> Fact<'a> {
    match argument {
        Bound::Scalar(value) => Fact::Scalar(*value),
        Bound::Array {
            operand,
            element,
            shape,
            strides,
            offset,
            written,
        } => Fact::Tensor(TensorFact {
            element: *element,
            shape,
            strides,
            address: ((*operand as u64 + 1) << 44) + (offset * element.bytes() as usize) as u64,
            writable: *written,
        }),
    }
}

/// Whether a problem is the one that was asked for.
fn says(problem: &Diagnostic, wanted: &str) -> bool {
    let labels = problem.labels.iter().map(|label| label.text.as_str());
    let notes = problem.notes.iter().map(String::as_str);
    std::iter::once(problem.message.as_str())
        .chain(labels)
        .chain(notes)
        .chain([problem.code.number()])
        .any(|text| text.contains(wanted))
}
