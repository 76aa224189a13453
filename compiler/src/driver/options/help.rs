//! The help behind the options of each command, which teaches with examples.

pub(super) const EXAMPLES: &str = "\
Examples:
  tilec run lang-examples/03_matmul.tile         run a kernel with the call in its file
  tilec check *.tile                             look for mistakes
  tilec test                                     run the tests of all files from here down
  tilec tune matmul.tile                         find the fastest tile sizes, and record them
  tilec build softmax.tile                       write softmax.ptx
  tilec build softmax.tile --emit layouts        look inside: any stage can be shown
  tilec explain softmax.tile                     what was decided, what it costs, what could be better
  tilec run --help                               how to make arguments
  tilec --explain E0601                          what an error means, and how to mend it
  tilec --explain R0501                          what a remark means, and what it costs

Exit codes: 0 done, 1 the program is wrong or its run failed, 2 the call is wrong.";

pub(super) const BUILD: &str = "\
Examples:
  tilec build softmax.tile                       write softmax.ptx, all kernels in it
  tilec build softmax.tile -D T=bf16 -o bf16.ptx    choose the element type
  tilec build matmul.tile --target sm_80         compile for another GPU (see `tilec targets`)
  tilec build matmul.tile --emit layouts         the program after the pass `layouts`
  tilec build matmul.tile --emit remarks         what the compiler decided, and why
  tilec build matmul.tile --emit sass | less     machine code (needs ptxas and nvdisasm)

Stages, in order: tokens, ast, signatures, typed; tile and the passes (see `tilec passes`); llvm, ptx,
manifest, cubin, sass. `-o -` writes to stdout.

`print` and `assert` are left out, and a remark says how many: `--debug` keeps them. `tilec run`
always does.";

pub(super) const CHECK: &str = "\
Every kernel is checked with the defaults of its generics, and every file is read to its end: all
mistakes are told at once.

Examples:
  tilec check softmax.tile
  tilec check *.tile --message-format json       one problem per line, for editors";

pub(super) const RUN: &str = "\
Values:
  n=1000  alpha=0.5  flag=true           a number
  x=@weights.npy                         a NumPy file of the parameter's element type
  x=[0,37,74]                            a list: a tensor of one dimension
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

How far an element may be off with `--check` comes from the program: the reference runs twice more,
with every function moved within its documented error and every sum added in another order. An
element may be off by four times what that changes. A program in which it changes nothing is
compared bit for bit. `--tolerance` says otherwise.

Examples:
  tilec run softmax.tile                         the call in the file
  tilec run softmax.tile 'x=randn(64,1000)' 'y=zeros(64,1000)' -D T=bf16
  tilec run softmax.tile x=@x.npy 'y=zeros(64,1000)' --save y=y.npy
  tilec run softmax.tile --device cuda:0 --time 100
  tilec run softmax.tile --check                 compare the compiled code with the reference
  tilec run softmax.tile --check --device cuda:0 the same on a GPU
  tilec run softmax.tile --device sim --profile  what each line costs: coalescing, conflicts, …
  tilec run softmax.tile --device sim --profile=json | jq .total.loads";

pub(super) const TEST: &str = "\
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

pub(super) const EXPLAIN: &str = "\
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

pub(super) const TUNE: &str = "\
A kernel says what may be tried; the first value of each list is the default:

  kernel matmul<const BM: i32, const BN: i32>(…) grid(cdiv(m, BM), cdiv(n, BN))
  tune BM in [128, 64]
  tune BN in [128, 256, 64] { … }

Every combination is compiled and run with the arguments of one call, which are made as for
`tilec run`. Results must be those of the default, sums in another order aside. Those that are right
take turns on the GPU, each time with fresh arguments and a cold L2 cache; who cannot win any more is
dropped. Combinations that do not compile or do not fit the GPU are skipped, and it is said why.

The winner goes to a file beside the source, `matmul.tuned.json` for `matmul.tile`: one entry per
kernel, target, GPU, other generics and sizes. Commit it with the source. From then on `tilec run`,
`explain` and `test` take the entry of the nearest sizes, and `build` compiles all of them, of which
each launch takes the nearest. `-D` wins over it, and `--no-tuned` ignores it.

`--device sim` checks that all combinations give the same, and times none.

Examples:
  tilec tune matmul.tile                         for the call in the file's header
  tilec tune matmul.tile 'a=randn(4096,4096)' 'b=randn(4096,4096)' 'c=zeros(4096,4096)'
  tilec tune matmul.tile -D T=bf16 -D BM=128     other types; only BN is left to choose
  tilec tune matmul.tile --no-record --format json | jq .winner
  tilec tune matmul.tile --device sim            without a GPU: are all combinations right?";

pub(super) const OPT: &str = "\
Examples:
  tilec build matmul.tile --emit tile | tilec opt --pass specialize,simplify,views -
  tilec opt kernel.mlir                          parse, verify, print

A pass sees what is in the file alone: `specialize`, which copies a kernel for the promises of its
launches, keeps it as it is.";
