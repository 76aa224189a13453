//! What can be said on the command line, and the help that teaches it.

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

const EXAMPLES: &str = "\
Examples:
  tilec run lang-examples/03_matmul.tile         run a kernel with the call in its file
  tilec check *.tile                             look for mistakes
  tilec test                                     run the tests of all files from here down
  tilec build softmax.tile                       write softmax.ptx
  tilec build softmax.tile --emit layouts        look inside: any stage can be shown
  tilec explain softmax.tile                     what was decided, what it costs, what could be better
  tilec run --help                               how to make arguments
  tilec --explain E0601                          what an error means, and how to mend it

Exit codes: 0 done, 1 the program is wrong or its run failed, 2 the call is wrong.";

const BUILD: &str = "\
Examples:
  tilec build softmax.tile                       write softmax.ptx, all kernels in it
  tilec build softmax.tile -D T=bf16 -o bf16.ptx    choose the element type
  tilec build matmul.tile --target sm_80         compile for another GPU (see `tilec targets`)
  tilec build matmul.tile --emit layouts         the program after the pass `layouts`
  tilec build matmul.tile --emit remarks         what the compiler decided, and why
  tilec build matmul.tile --emit sass | less     machine code (needs ptxas and nvdisasm)

Stages, in order: tokens, ast, typed; tile and the passes (see `tilec passes`); llvm, ptx,
manifest, cubin, sass. `-o -` writes to stdout.

`print` and `assert` are left out, and a remark says how many: `--debug` keeps them. `tilec run`
always does.";

const CHECK: &str = "\
Every kernel is checked with the defaults of its generics, and every file is read to its end: all
mistakes are told at once.

Examples:
  tilec check softmax.tile
  tilec check *.tile --message-format json       one problem per line, for editors";

const RUN: &str = "\
Values:
  n=1000  alpha=0.5  flag=true           a number
  x=@weights.npy                         a NumPy file of the parameter's element type
  x=zeros(512,512)  x=ones(64)           constants
  x=full(512,512, 1.5)                   the last item is the value
  x=arange(1000)  x=arange(5, 2; 1000)   0, 1, 2, …; or from 5 in steps of 2
  x=randn(512,512)                       normal: mean 0, deviation 1
  x=rand(512)  x=rand(-1, 1; 512)        uniform in [0, 1), or in [-1, 1)
  x=randint(0, 10; 512)                  integers 0 to 9
  x=randn(64,512).T                      transposed: strides 1 and 512

Without arguments the call in the file's header is taken:
  //! run: softmax x=randn(1823,781) y=zeros(1823,781)

Devices:
  cuda:0                                 a GPU
  sim                                    the simulator: the compiled PTX on the CPU, exactly as a
                                         GPU would, some thousand times slower, with checks
  interp                                 the reference: what the source means, not compiled
  auto                                   a GPU; where there is none the simulator; what cannot be
                                         compiled is interpreted

What the kernel prints goes to stdout, the same lines on every device, though not in the same
order; `--check` prints those of the device. A GPU keeps the last megabyte of them. A kernel that
prints takes its time: `--time` of it says little.

Examples:
  tilec run softmax.tile                         the call in the file
  tilec run softmax.tile 'x=randn(64,1000)' 'y=zeros(64,1000)' -D T=bf16
  tilec run softmax.tile x=@x.npy 'y=zeros(64,1000)' --save y=y.npy
  tilec run softmax.tile --device cuda:0 --time 100
  tilec run softmax.tile --check                 compare the compiled code with the reference
  tilec run softmax.tile --check --device cuda:0 the same on a GPU
  tilec run softmax.tile --device sim --profile  what each line costs: coalescing, conflicts, …
  tilec run softmax.tile --device sim --profile=json | jq .total.loads";

const TEST: &str = "\
A test is a block beside the kernels it is about. It is a program of the host, in the language of
kernels; its values are whole arrays:

  test ragged {
      let x = randn([1000], f32, seed = 1);
      let z = zeros([1000], f32);
      relu(x, z);                                launch a kernel of the file
      assert_close(z, maximum(x, 0.0));
  }

Beside what kernels have there are
  randn rand randint ones eye                    arrays: randint(0, 10, [64, 64], i32, seed = 1)
  kernel(x, z, BM = 64)                          a launch: arguments, then generics by name
  launch(kernel, x, z, grid = (64, 2))           a launch of a kernel without a grid of its own
  assert(cond, \"message\")                      a condition
  assert_close(x, y, rtol = 1e-3, atol = 0)      numbers; without tolerances those of the type
  assert_equal(x, y)                             bits
  assert_fails(kernel(x, y), \"text\")           the launch must be refused, or stop
  assert_ptx(kernel, contains = \"wgmma\")       also lacks, count, target
  assert_resources(kernel, registers <= 168)     also spills, shared, stack, warps; needs ptxas

Devices are those of `tilec run`; `auto` is a GPU, or the simulator where there is none.

Examples:
  tilec test                                     all tests of all files from here down
  tilec test softmax.tile --device interp        what the source means, not compiled
  tilec test softmax.tile --filter ragged        tests whose names contain `ragged`
  tilec test --device cuda:0                     on a GPU
  tilec test lang-examples --message-format json one object per test, for machines";

const EXPLAIN: &str = "\
What is told, per kernel: warps, registers, shared memory, how many programs a multiprocessor holds
and what allows no more, and whether memory or arithmetic will be the limit. Per line: how wide lanes
access memory and how many sectors a warp touches, what goes through shared memory, which product
runs on tensor cores; what was missed, why, and what to write instead. Per value: which thread holds
which element. Nothing is run: `tilec run --device sim --profile` counts what a run does.

Sizes make trip counts, bytes and the variant known. They come from arguments, of which only the
shape matters, or from the call in the file's header.

Registers need `ptxas`; without it, or for a target whose multiprocessor is not known, the rest is
told.

Examples:
  tilec explain softmax.tile                     the call in the file's header
  tilec explain softmax.tile 'x=zeros(16384,4096)' 'y=zeros(16384,4096)' -D WIDTH=4096
  tilec explain softmax.tile --variant general   what happens to rows of odd length
  tilec explain matmul.tile --target sm_80       another GPU
  tilec explain matmul.tile --format html -o matmul.html
                                                 a page with pictures of the layouts
  tilec explain matmul.tile --format json | jq '.kernels[].variants[].occupancy'";

const OPT: &str = "\
Examples:
  tilec build matmul.tile --emit tile | tilec opt --pass specialize,simplify,views -
  tilec opt kernel.mlir                          parse, verify, print

A pass sees what is in the file alone: `specialize`, which copies a kernel for the promises of its
launches, keeps it as it is.";

/// The Tile compiler: GPU kernels written one tile at a time
#[derive(Parser)]
#[command(name = "tilec", version, after_help = EXAMPLES, arg_required_else_help = true)]
pub struct Options {
    #[command(subcommand)]
    pub command: Option<Command>,

    /// Explain an error code, such as E0601; without a code, list them all
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
    /// Warps per program: a power of two from 1 to 32
    #[arg(long, value_name = "N", value_parser = power_of_two::<32>)]
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
