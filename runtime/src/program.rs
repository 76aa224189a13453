//! Loaded programs: kernels by name, checked launches, and launches prepared once.

#[cfg(feature = "simulator")]
mod findings;
mod launcher;

use std::sync::Arc;

use crate::backend::{
    DeviceError, Function, Memory, Module, RawLaunch, Resources, SharedBlocks, Start,
};
use crate::device::{Arg, Device, DeviceTensor, Stream};
use crate::error::Error;
use crate::graph;
use crate::launch::persistent::{Persistent, most_per_block};
use crate::launch::{self, Fact, LaunchPlan};
use crate::manifest::{self, Manifest, Variant};

pub use launcher::{Launcher, RawArgument};

/// PTX with its manifest, loaded on a device.
#[derive(Debug, Clone)]
pub struct Program {
    device: Device,
    manifest: Arc<Manifest>,
    module: Arc<dyn Module>,
}

impl Program {
    pub(crate) fn load(device: &Device, ptx: &str) -> Result<Self, Error> {
        let manifest = Manifest::from_ptx(ptx)?;
        manifest.check(ptx)?;
        let properties = device.properties();
        if !runs_on(&manifest.target, &properties.architecture) {
            return Err(DeviceError::Target {
                target: manifest.target,
                device: properties.name.clone(),
                architecture: properties.architecture.clone(),
            }
            .into());
        }
        Ok(Self {
            module: device.backend().load(ptx)?,
            device: device.clone(),
            manifest: Arc::new(manifest),
        })
    }

    /// What the compiler says of the file.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// What the device's compiler said while loading; often empty.
    #[must_use]
    pub fn log(&self) -> &str {
        self.module.log()
    }

    /// The kernel of that name, or the only one if no name is given.
    ///
    /// # Errors
    /// If there is none, or several to choose from.
    pub fn kernel(&self, name: Option<&str>) -> Result<Kernel, Error> {
        let kernel = self.manifest.kernel(name)?.clone();
        Ok(Kernel {
            program: self.clone(),
            kernel,
        })
    }
}

/// Whether PTX for `target` runs on a device of `architecture`: `sm_90` on `sm_90` and later,
/// `sm_90a` on `sm_90` alone (PTX ISA, "architecture-specific features"), `sm_100f` on its family.
/// A target that is not understood is left to the driver to judge.
fn runs_on(target: &str, architecture: &str) -> bool {
    let number = |name: &str| {
        let digits = name.strip_prefix("sm_")?;
        let end = digits.find(|c: char| !c.is_ascii_digit());
        let (digits, suffix) = digits.split_at(end.unwrap_or(digits.len()));
        Some((digits.parse::<u32>().ok()?, suffix.to_owned()))
    };
    match (number(target), number(architecture)) {
        (Some((wanted, suffix)), Some((found, _))) => match suffix.as_str() {
            "" => found >= wanted,
            "a" => found == wanted,
            "f" => found / 10 == wanted / 10 && found >= wanted,
            _ => true,
        },
        _ => true,
    }
}

/// A kernel of a loaded program.
#[derive(Debug, Clone)]
pub struct Kernel {
    program: Program,
    kernel: manifest::Kernel,
}

impl Kernel {
    /// What the compiler says of the kernel.
    #[must_use]
    pub const fn manifest(&self) -> &manifest::Kernel {
        &self.kernel
    }

    /// What a variant uses, and how many of its programs the driver says that a multiprocessor holds
    /// at once when each has so much dynamic shared memory; that is `None` where there is no driver.
    ///
    /// # Errors
    /// If there is no such variant, or the device refuses.
    pub fn occupancy(
        &self,
        variant: usize,
        shared_bytes: u32,
    ) -> Result<(Resources, Option<u32>), Error> {
        let missing = || DeviceError::NoEntry(format!("variant {variant} of {}", self.kernel.name));
        let variant = self.kernel.variants.get(variant).ok_or_else(missing)?;
        let module = &self.program.module;
        let function = module.function(&variant.entry, variant.threads, shared_bytes)?;
        let resident = |count| {
            function.programs_per_multiprocessor(variant.threads * count, shared_bytes * count)
        };
        let together = most_per_block(variant.programs_per_block, resident)?;
        let blocks = resident(together)?;
        Ok((function.resources(), blocks.map(|count| count * together)))
    }

    /// Checks the arguments and starts the kernel on the device's default stream.
    ///
    /// # Errors
    /// If the arguments do not suit the kernel, or the device refuses.
    pub fn launch(&self, arguments: &[(&str, Arg<'_>)]) -> Result<(), Error> {
        self.prepare(arguments)?.launch()
    }

    /// Checks the arguments and prepares a launch on the device's default stream.
    ///
    /// # Errors
    /// If the arguments do not suit the kernel, or the device cannot run it.
    pub fn prepare(&self, arguments: &[(&str, Arg<'_>)]) -> Result<PreparedLaunch, Error> {
        self.prepare_on(&self.program.device.stream(), arguments, None)
    }

    /// Checks the arguments and prepares a launch. `grid` (1 to 3 numbers) is for kernels that do
    /// not compute their own.
    ///
    /// # Errors
    /// If the arguments do not suit the kernel, or the device cannot run it.
    pub fn prepare_on(
        &self,
        stream: &Stream,
        arguments: &[(&str, Arg<'_>)],
        grid: Option<&[i64]>,
    ) -> Result<PreparedLaunch, Error> {
        let raw = self.raw(stream, arguments, grid)?;
        let start = match raw.plan.is_empty() {
            true => None,
            false => Some(raw.function.bind(&stream.queue, raw.launch)?),
        };
        let memory = arguments.iter().filter_map(|(_, argument)| match argument {
            Arg::Tensor(tensor) | Arg::Mut(tensor) => Some(Arc::clone(tensor.memory())),
            Arg::Scalar(_) => None,
        });
        Ok(PreparedLaunch {
            memory: memory.chain(raw.workspace).collect(),
            resources: raw.function.resources(),
            variant: self.kernel.variants[raw.plan.variant].clone(),
            plan: raw.plan,
            kernel: self.clone(),
            start,
        })
    }

    /// The kernel with what its launches decide, for launches that are repeated with other memory.
    #[must_use]
    pub fn launcher(&self) -> Launcher {
        Launcher::new(self.clone())
    }

    /// Arguments in the order of the parameters, with their names: tensors that the kernel writes are given for writing.
    pub fn named<'a>(
        &'a self,
        given: impl IntoIterator<Item = Arg<'a>>,
    ) -> Vec<(&'a str, Arg<'a>)> {
        let parameters = self.kernel.parameters.iter();
        let each = parameters.zip(given).map(|(parameter, argument)| {
            let argument = match argument {
                Arg::Tensor(tensor) if parameter.is_mutable() => Arg::Mut(tensor),
                other => other,
            };
            (parameter.name(), argument)
        });
        each.collect()
    }

    /// Checks that a tensor is in the memory of this kernel's device.
    pub(crate) fn check_device(&self, tensor: &DeviceTensor) -> Result<(), DeviceError> {
        match tensor.device() {
            Some(device) if !device.is_same(&self.program.device) => {
                Err(DeviceError::OtherDevice("a tensor of this launch"))
            }
            _ => Ok(()),
        }
    }

    /// What a launch is, for the device.
    fn raw(
        &self,
        stream: &Stream,
        arguments: &[(&str, Arg<'_>)],
        grid: Option<&[i64]>,
    ) -> Result<Raw, Error> {
        for (_, argument) in arguments {
            if let Arg::Tensor(tensor) | Arg::Mut(tensor) = argument {
                self.check_device(tensor)?;
            }
        }
        let facts: Vec<(&str, Fact<'_>)> = arguments
            .iter()
            .map(|(name, argument)| (*name, argument.fact()))
            .collect();
        let plan = launch::plan(&self.kernel, &facts, grid)?;
        let variant = &self.kernel.variants[plan.variant];
        let function =
            self.program
                .module
                .function(&variant.entry, variant.threads, variant.shared_bytes)?;
        let mut workspace = None;
        let mut launch = RawLaunch {
            grid: plan.grid,
            cluster: plan.pair.map(|_| 2),
            dependent: variant.dependent,
            threads: variant.threads,
            shared_blocks: None,
            shared_bytes: variant.shared_bytes,
            parameters: Vec::new(),
            offsets: Vec::new(),
            addresses: Vec::new(),
        };
        if !plan.is_empty() {
            let backend = self.program.device.backend();
            let maps = plan.maps.iter().map(|map| backend.tensor_map(map));
            let maps = maps.collect::<Result<Vec<_>, _>>()?;
            let mut given = Vec::new();
            if plan.numbered {
                let (threads, bytes) = (variant.threads, variant.shared_bytes);
                let resident =
                    |count| function.programs_per_multiprocessor(threads * count, bytes * count);
                let most = most_per_block(variant.programs_per_block, resident)?;
                let multiprocessors = backend.properties().multiprocessors;
                let persistent = Persistent::of(
                    variant,
                    launch.grid,
                    plan.pair,
                    (resident(1)?.unwrap_or(1), multiprocessors),
                    most,
                );
                if variant.programs_per_block > 1 {
                    launch.shared_bytes *= persistent.programs_per_block;
                    launch.shared_blocks = Some(SharedBlocks {
                        programs_per_block: persistent.programs_per_block,
                        warps: variant.threads.div_ceil(32).max(1),
                        programs: launch.grid,
                        group: variant.group,
                        group_axis: variant.group_axis,
                    });
                }
                launch.grid = [persistent.blocks, 1, 1];
                let bytes = persistent.workspace_bytes(variant);
                if bytes > 0 {
                    workspace = Some(backend.workspace(&stream.queue, bytes)?);
                }
                let address = workspace.as_ref().map_or(0, |memory| memory.address());
                given = persistent.given(variant, address);
            }
            launch.grid[0] = launch::blocks(launch.grid[0], variant.cluster)?;
            (launch.parameters, launch.offsets) = plan.parameters(&maps, &given);
            launch.addresses = self.addresses();
        }
        Ok(Raw {
            plan,
            function,
            launch,
            workspace,
        })
    }

    /// Which arguments of the entry point are addresses, and whether the kernel may write there.
    fn addresses(&self) -> Vec<(usize, bool)> {
        let mutable = |name: &str| {
            let mut parameters = self.kernel.parameters.iter();
            parameters.any(|parameter| parameter.name() == name && parameter.is_mutable())
        };
        let arguments = self.kernel.arguments.iter().enumerate();
        arguments
            .filter_map(|(number, argument)| match argument {
                manifest::Argument::Address { of } => Some((number, mutable(of))),
                _ => None,
            })
            .collect()
    }
}

#[cfg(not(feature = "simulator"))]
impl Kernel {
    /// What no simulator found stays as it is.
    fn in_words_of_the_source(&self, error: DeviceError) -> DeviceError {
        error
    }
}

/// A launch as the device takes it.
struct Raw {
    plan: LaunchPlan,
    function: Arc<dyn Function>,
    launch: RawLaunch,
    workspace: Option<Arc<dyn Memory>>,
}

/// A launch whose checks are done: starting it is one call of the driver.
///
/// It keeps the memory of its tensors alive. All launches run in the order of the stream it was
/// prepared on.
pub struct PreparedLaunch {
    plan: LaunchPlan,
    variant: Variant,
    resources: Resources,
    /// For messages.
    kernel: Kernel,
    /// `None` if the grid is empty.
    start: Option<Start>,
    memory: Vec<Arc<dyn Memory>>,
}

impl PreparedLaunch {
    /// Starts the kernel; returns before it is done. With an empty grid this does nothing.
    ///
    /// # Errors
    /// If the device refuses, or earlier work failed.
    #[inline]
    pub fn launch(&self) -> Result<(), Error> {
        graph::keep(|| (self.memory.clone(), Arc::clone(&self.kernel.program.module)));
        match &self.start {
            Some(start) => Ok(start().map_err(|error| self.kernel.in_words_of_the_source(error))?),
            None => Ok(()),
        }
    }

    /// Grid, entry-point arguments and sizes.
    #[must_use]
    pub const fn plan(&self) -> &LaunchPlan {
        &self.plan
    }

    /// The chosen variant.
    #[must_use]
    pub const fn variant(&self) -> &Variant {
        &self.variant
    }

    /// Registers and memory of the loaded code.
    #[must_use]
    pub const fn resources(&self) -> Resources {
        self.resources
    }

    /// How many programs of the chosen variant the device runs at once.
    ///
    /// # Errors
    /// If the device refuses.
    pub fn programs_at_once(&self) -> Result<u32, Error> {
        let (_, programs) = self
            .kernel
            .occupancy(self.plan.variant, self.variant.shared_bytes)?;
        let device = self.kernel.program.device.properties();
        let blocks = programs.unwrap_or(1).max(1) / self.variant.cluster.max(1);
        Ok(blocks.max(1) * device.multiprocessors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_run_where_ptx_says() {
        assert!(runs_on("sm_80", "sm_90"));
        assert!(!runs_on("sm_90", "sm_80"));
        assert!(runs_on("sm_90a", "sm_90"));
        assert!(!runs_on("sm_90a", "sm_100"));
        assert!(runs_on("sm_100f", "sm_103"));
        assert!(!runs_on("sm_100f", "sm_120"));
        assert!(runs_on("sm_70", "sm_120"));
    }
}
