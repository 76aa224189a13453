//! What can be said on the command line, and the help that teaches it.

mod help;

use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ColorChoice, Parser, Subcommand};
use tile_runtime::arguments::NamedArgument;
use tile_runtime::run::{RunOptions, SimulatorOptions};

use super::console::MessageFormat;
use super::stage::Stage;
use crate::passes::{PASSES, Pass};
use crate::target::{DEFAULT, TARGETS, Target};
use crate::typed::Kernel;
use help::{BUILD, CHECK, EXAMPLES, EXPLAIN, OPT, RUN, TEST, TUNE};

/// The Tile compiler: GPU kernels written one tile at a time
#[derive(Parser)]
#[command(name = "tilec", version, after_help = EXAMPLES, arg_required_else_help = true)]
pub struct Options {
    #[command(subcommand)]
    pub command: Option<Command>,

    /// Explain the code of an error or a remark, such as E0601 or R0501; without a code, list them all
    #[arg(long, value_name = "CODE", num_args = 0..=1, default_missing_value = "")]
    pub explain: Option<String>,

    /// How problems are printed
    #[arg(
        long,
        global = true,
        value_enum,
        default_value = "text",
        value_name = "FORMAT"
    )]
    pub message_format: MessageFormat,

    /// When to use colours
    #[arg(
        long,
        global = true,
        value_enum,
        default_value = "auto",
        value_name = "WHEN"
    )]
    pub color: ColorChoice,
}

/// What to do.
#[derive(Subcommand)]
pub enum Command {
    /// Compile kernels to PTX, or show any stage on the way
    Build(BuildOptions),
    /// Look for mistakes and compile nothing
    Check(CheckOptions),
    /// Run a kernel on a GPU, in the simulator or in the interpreter
    #[command(visible_alias = "r")]
    Run(RunCommand),
    /// Run the tests of files
    #[command(visible_alias = "t")]
    Test(TestOptions),
    /// Find the fastest values of generics with `tune` clauses, and record them
    Tune(TuneOptions),
    /// Tell what the compiler decided and why, what it costs, and what could be better
    Explain(ExplainOptions),
    /// Run passes on MLIR text
    Opt(OptOptions),
    /// List the GPUs that can be compiled for
    Targets,
    /// List the passes of the compiler, in order
    Passes,
}

/// `tilec build`.
#[derive(Args)]
#[command(after_help = BUILD)]
pub struct BuildOptions {
    /// The source
    pub file: PathBuf,

    /// Where to write; `-` is stdout [default: NAME.ptx here; stdout with --emit]
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,

    /// Compile this kernel alone
    #[arg(long, short, value_name = "NAME")]
    pub kernel: Option<String>,

    #[command(flatten)]
    pub target: TargetOption,

    /// Keep `print` and `assert`, which are left out otherwise
    #[arg(long)]
    pub debug: bool,

    /// Print a stage of the compilation instead
    #[arg(long, value_name = "STAGE", hide_possible_values = true,
        value_parser = PossibleValuesParser::new(Stage::names()).try_map(|name| name.parse::<Stage>()))]
    pub emit: Option<Stage>,

    #[command(flatten)]
    pub defines: Defines,

    #[command(flatten)]
    pub tuned: TunedOption,

    #[command(flatten)]
    pub overrides: Overrides,
}

/// `tilec check`.
#[derive(Args)]
#[command(after_help = CHECK)]
pub struct CheckOptions {
    /// The sources
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

/// `tilec run`.
#[derive(Args)]
#[command(after_help = RUN)]
pub struct RunCommand {
    /// The source
    pub file: PathBuf,

    #[command(flatten)]
    pub run: RunOptions,

    /// Where to run: `auto` (a GPU if there is one), `cuda:N`, `sim` or `interp`
    #[arg(long, default_value = "auto")]
    pub device: DeviceChoice,

    /// Also interpret the kernel, and fail unless every tensor it may write to comes out the same;
    /// `auto` is the simulator here
    #[arg(long)]
    pub check: bool,

    /// Compile for this GPU [default: the one it runs on]
    #[arg(long, value_name = "TARGET", value_parser = target_parser())]
    pub target: Option<&'static Target>,

    #[command(flatten)]
    pub defines: Defines,

    #[command(flatten)]
    pub tuned: TunedOption,

    #[command(flatten)]
    pub overrides: Overrides,

    #[command(flatten)]
    pub simulator: SimulatorOptions,
}

/// `tilec test`.
#[derive(Args)]
#[command(after_help = TEST)]
pub struct TestOptions {
    /// Files, or folders to look for `.tile` files in [default: the current folder]
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,

    /// Run the tests whose names, `FILE::TEST`, contain this; may be repeated
    #[arg(long, short, value_name = "TEXT")]
    pub filter: Vec<String>,

    /// Where kernels run: `auto` (a GPU if there is one), `cuda:N`, `sim` or `interp`
    #[arg(long, default_value = "auto")]
    pub device: DeviceChoice,

    /// Compile for this GPU [default: the one tests run on]
    #[arg(long, value_name = "TARGET", value_parser = target_parser())]
    pub target: Option<&'static Target>,

    /// Print the names of the tests and run none
    #[arg(long)]
    pub list: bool,

    /// Run the tests marked `#[ignore]` too
    #[arg(long)]
    pub ignored: bool,

    #[command(flatten)]
    pub defines: Defines,

    #[command(flatten)]
    pub tuned: TunedOption,
}

/// `tilec tune`.
#[derive(Args)]
#[command(after_help = TUNE)]
pub struct TuneOptions {
    /// The source
    pub file: PathBuf,

    /// Arguments of the kernel, as for `tilec run` [default: the call in the file's header]
    #[arg(value_name = "NAME=VALUE")]
    pub arguments: Vec<NamedArgument>,

    /// The kernel to tune; may be left out if the file has only one
    #[arg(long, short, value_name = "NAME")]
    pub kernel: Option<String>,

    /// How wrong a float may be beside the default's, relative to the largest in its row
    /// [default: 4 units in the last place, 1024 for f32 and f64]
    #[arg(long, value_name = "ERROR")]
    pub tolerance: Option<f64>,

    /// Seed of random tensors
    #[arg(long, default_value_t = 0)]
    pub seed: u64,

    /// Timed runs of each combination that is not dropped
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    pub time: u32,

    /// Where to run: `cuda:N`, or `sim`, which times nothing
    #[arg(long, default_value = "cuda:0")]
    pub device: DeviceChoice,

    /// Compile for this GPU [default: the one it runs on]
    #[arg(long, value_name = "TARGET", value_parser = target_parser())]
    pub target: Option<&'static Target>,

    /// Where the winner is recorded [default: NAME.tuned.json beside the source]
    #[arg(long, value_name = "FILE", conflicts_with = "no_record")]
    pub record: Option<PathBuf>,

    /// Record nothing
    #[arg(long)]
    pub no_record: bool,

    /// How the result is shown
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub format: TuneFormat,

    #[command(flatten)]
    pub defines: Defines,
}

/// How the result of tuning is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum TuneFormat {
    /// A table
    Text,
    /// One JSON object
    Json,
}

/// Whether records of tuning are used.
#[derive(Args, Debug, Clone, Copy, Default)]
pub struct TunedOption {
    /// Use the defaults of generics even where `tilec tune` has recorded what is faster
    #[arg(long)]
    pub no_tuned: bool,
}

/// `tilec explain`.
#[derive(Args)]
#[command(after_help = EXPLAIN)]
pub struct ExplainOptions {
    /// The source
    pub file: PathBuf,

    /// Arguments of a call, as for `tilec run`; only their sizes matter
    #[arg(value_name = "NAME=VALUE")]
    pub arguments: Vec<NamedArgument>,

    /// Explain this kernel alone
    #[arg(long, short, value_name = "NAME")]
    pub kernel: Option<String>,

    /// Show this variant [default: the one that the call takes]
    #[arg(long, value_name = "NAME")]
    pub variant: Option<String>,

    /// Programs along x, y and z, for a kernel that has no `grid` of its own
    #[arg(long, value_name = "X,Y,Z", value_delimiter = ',', num_args = 1)]
    pub grid: Vec<i64>,

    #[command(flatten)]
    pub target: TargetOption,

    /// How it is shown
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub format: ExplainFormat,

    /// Where to write; `-` is stdout [default: stdout]
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,

    #[command(flatten)]
    pub defines: Defines,

    #[command(flatten)]
    pub tuned: TunedOption,

    #[command(flatten)]
    pub overrides: Overrides,
}

/// How an explanation is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ExplainFormat {
    /// For a terminal
    Text,
    /// For machines: all kernels, all variants
    Json,
    /// One page for a browser, with pictures of the layouts
    Html,
}

/// `tilec opt`.
#[derive(Args)]
#[command(after_help = OPT)]
pub struct OptOptions {
    /// MLIR text; `-` is stdin
    pub file: PathBuf,

    /// The passes to run, in this order
    #[arg(long, short, value_name = "PASS", value_delimiter = ',',
        value_parser = PossibleValuesParser::new(PASSES.iter().map(|pass| pass.name))
            .try_map(|name| Pass::named(&name).ok_or("no such pass")))]
    pub pass: Vec<&'static Pass>,

    /// Where to write; `-` is stdout
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,

    #[command(flatten)]
    pub target: TargetOption,
}

/// `--target`, with a default.
#[derive(Args)]
pub struct TargetOption {
    /// The GPU to compile for, see `tilec targets`
    #[arg(long, value_name = "TARGET", default_value = DEFAULT, hide_possible_values = true, value_parser = target_parser())]
    pub target: &'static Target,
}

fn target_parser() -> impl TypedValueParser<Value = &'static Target> {
    PossibleValuesParser::new(TARGETS.iter().map(|target| target.name))
        .try_map(|name| Target::named(&name).ok_or("no such target"))
}

/// `-D NAME=VALUE`, any number of times; the last of a name wins.
#[derive(Args, Debug, Clone, Default)]
pub struct Defines {
    /// Set a generic: a type or a number
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    pub define: Vec<Define>,
}

/// Decisions taken from the compiler, as by attributes of kernels, which they overrule.
#[derive(Args, Debug, Clone, Copy, Default)]
#[command(next_help_heading = "Instead of the compiler's own decisions")]
pub struct Overrides {
    /// Warps per program: 12 or a power of two from 1 to 32
    #[arg(long, value_name = "N", value_parser = number_of_warps)]
    pub warps: Option<u32>,

    /// Buffers of loops that load ahead, 1 to 16; loops with a `#[stages]` of their own keep it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=16))]
    pub stages: Option<u32>,

    /// Blocks that share each program's sums: a power of two from 1 to 8
    #[arg(long, value_name = "N", value_parser = power_of_two::<8>)]
    pub split: Option<u32>,
}

impl Overrides {
    /// Sets them in kernels.
    pub fn apply(self, kernels: &mut [Kernel]) {
        for kernel in kernels {
            let own = &mut kernel.overrides;
            own.warps = self.warps.or(own.warps);
            own.stages = self.stages.or(own.stages);
            own.split = self.split.or(own.split);
        }
    }
}

fn number_of_warps(text: &str) -> Result<u32, String> {
    let number = text.parse::<u32>().ok();
    number
        .filter(|number| crate::typed::is_number_of_warps(*number))
        .ok_or_else(|| "neither 12 nor a power of two from 1 to 32".to_owned())
}

fn power_of_two<const MOST: u32>(text: &str) -> Result<u32, String> {
    let number = text.parse::<u32>().ok();
    number
        .filter(|number| number.is_power_of_two() && *number <= MOST)
        .ok_or_else(|| format!("not a power of two from 1 to {MOST}"))
}

/// `NAME=VALUE`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Define {
    pub name: String,
    pub value: String,
}

impl FromStr for Define {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text
            .split_once('=')
            .map(|(name, value)| (name.trim(), value.trim()))
        {
            Some((name, value)) if !name.is_empty() && !value.is_empty() => Ok(Self {
                name: name.to_owned(),
                value: value.to_owned(),
            }),
            _ => Err("write NAME=VALUE, such as `-D T=bf16` or `-D BLOCK=256`".to_owned()),
        }
    }
}

/// Where to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeviceChoice {
    /// A GPU if there is one, else the simulator, or for what cannot be compiled the interpreter.
    Auto,
    /// The interpreter.
    Interpreter,
    /// `sim`, `cuda:N`
    Named(String),
}

impl FromStr for DeviceChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match (text, text.strip_prefix("cuda:")) {
            ("auto", _) => Ok(Self::Auto),
            ("interp", _) => Ok(Self::Interpreter),
            ("sim" | "cuda", _) => Ok(Self::Named(text.to_owned())),
            (_, Some(index)) if index.parse::<u32>().is_ok() => Ok(Self::Named(text.to_owned())),
            _ => Err("use `auto`, `cuda:N` (such as `cuda:0`), `sim` or `interp`".to_owned()),
        }
    }
}
