//! A kernel as a test writes it: the instructions alone.

use std::io::Write as _;
use std::process::Command;

use tile_runtime::backend::{Backend, DeviceError, RawLaunch};
use tile_runtime::simulator::checks::Finding;
use tile_runtime::simulator::device::Simulator;
use tile_runtime::simulator::machine::Options;
use tile_runtime::simulator::matrix::swizzle::Swizzle;
use tile_runtime::simulator::profile::Profile;
use tile_runtime::simulator::tensor_map::{DataType, Fill, TensorMap};

/// A kernel. Buffers are its first parameters; their addresses are in `%rd0`, `%rd1`, … at the
/// start. Shared memory is `smem`, 1024-byte aligned; other registers are `%p`, `%h`, `%r`, `%rd`,
/// `%f` with numbers.
pub struct Kernel {
    pub body: String,
    pub threads: u32,
    pub shared: u32,
    pub cluster: u32,
    pub blocks: u32,
    /// What stands between the parameters and the body, such as `.maxnreg 64`.
    pub directives: &'static str,
    /// Tensor maps, passed by value: the parameters `map0`, `map1`, …, whose generic addresses are
    /// in `%m0`, `%m1`, …
    pub maps: Vec<Map>,
}

/// A tensor map, but for its address, which is that of the buffer of this number.
pub struct Map(pub usize, pub TensorMap);

impl Kernel {
    pub fn new(threads: u32, shared: u32, body: &str) -> Self {
        Self {
            body: body.to_owned(),
            threads,
            shared,
            cluster: 1,
            blocks: 1,
            directives: "",
            maps: Vec::new(),
        }
    }

    pub fn cluster(self, cluster: u32) -> Self {
        Self {
            cluster,
            blocks: cluster,
            ..self
        }
    }

    pub fn maps(self, maps: Vec<Map>) -> Self {
        Self { maps, ..self }
    }

    fn ptx(&self, buffers: usize) -> String {
        let maps = 0..self.maps.len();
        let parameters: Vec<String> = (0..buffers)
            .map(|number| format!(".param .u64 p{number}"))
            .chain(
                maps.clone()
                    .map(|number| format!(".param .align 64 .b8 map{number}[128]")),
            )
            .collect();
        let loads: String = (0..buffers)
            .map(|number| format!("  ld.param.u64 %rd{number}, [p{number}];\n"))
            .chain(maps.map(|number| {
                format!(
                    "  mov.b64 %m{number}, map{number};\n  cvta.param.u64 %m{number}, %m{number};\n"
                )
            }))
            .collect();
        let cluster = match self.cluster {
            1 => String::new(),
            blocks => format!(".explicitcluster\n.reqnctapercluster {blocks}, 1, 1\n"),
        };
        format!(
            ".version 8.6\n.target sm_90a\n.address_size 64\n\
             .visible .entry kernel({})\n.reqntid {}, 1, 1\n{cluster}{}\n{{\n  \
             .reg .pred %p<16>;\n  .reg .b16 %h<16>;\n  .reg .b32 %r<128>;\n  \
             .reg .b64 %rd<64>;\n  .reg .b64 %m<8>;\n  .reg .f32 %f<256>;\n  \
             .shared .align 1024 .b8 smem[{}];\n{loads}{}\n}}\n",
            parameters.join(", "),
            self.threads,
            self.directives,
            self.shared,
            self.body,
        )
    }

    /// Runs it on buffers, and leaves in them what it does.
    pub fn run(&self, buffers: &mut [&mut Vec<u8>]) -> Result<(), DeviceError> {
        let simulator = Simulator::new(Options {
            steps: 1_000_000,
            ..Options::default()
        });
        self.run_on(&simulator, buffers)
    }

    /// Runs it, and gives what was counted.
    pub fn profile(&self, buffers: &mut [&mut Vec<u8>]) -> Profile {
        let simulator = Simulator::new(Options {
            profile: true,
            ..Options::default()
        });
        self.run_on(&simulator, buffers).expect("runs");
        simulator.take_profiles().pop().expect("one launch")
    }

    fn run_on(
        &self,
        simulator: &Simulator,
        buffers: &mut [&mut Vec<u8>],
    ) -> Result<(), DeviceError> {
        let ptx = self.ptx(buffers.len());
        assemble(&ptx);
        let module = simulator.load(&ptx)?;
        let mut memory = Vec::new();
        let mut parameters = Vec::new();
        for buffer in buffers.iter() {
            let own = simulator.allocate(buffer.len())?;
            own.write(0, buffer)?;
            parameters.extend(own.address().to_le_bytes());
            memory.push(own);
        }
        for Map(buffer, map) in &self.maps {
            let address = memory[*buffer].address();
            let map = TensorMap { address, ..*map };
            parameters.resize(parameters.len().next_multiple_of(64), 0);
            parameters.extend(map.encode().expect("a valid map"));
        }
        let function = module.function("kernel", self.threads, 0)?;
        let launch = RawLaunch {
            offsets: Vec::new(),
            addresses: Vec::new(),
            grid: [self.blocks, 1, 1],
            cluster: None,
            dependent: false,
            threads: self.threads,
            shared_blocks: None,
            shared_bytes: 0,
            parameters,
        };
        let outcome = function.bind(&simulator.main_queue(), launch)?();
        for (buffer, own) in buffers.iter_mut().zip(&memory) {
            own.read(0, buffer)?;
        }
        outcome
    }

    /// What is found wrong with it.
    pub fn finding(&self, buffers: &mut [&mut Vec<u8>]) -> Finding {
        match self.run(buffers) {
            Err(DeviceError::Finding(finding)) => *finding,
            other => panic!("a finding was expected, not {other:?}"),
        }
    }
}

/// A map of a tensor that lies in memory without gaps, read in boxes.
pub fn map_of(
    data_type: DataType,
    sizes: &[u64],
    box_sizes: &[u32],
    swizzle: Swizzle,
) -> TensorMap {
    let mut map = TensorMap {
        data_type,
        rank: sizes.len(),
        address: 0,
        sizes: [1; 5],
        strides: [0; 4],
        box_sizes: [1; 5],
        element_strides: [1; 5],
        interleave: 0,
        swizzle,
        promotion: 0,
        fill: Fill::Zeros,
    };
    map.sizes[..sizes.len()].copy_from_slice(sizes);
    map.box_sizes[..sizes.len()].copy_from_slice(box_sizes);
    let mut stride = u64::from(data_type.bytes());
    for (axis, &size) in sizes[..sizes.len() - 1].iter().enumerate() {
        stride *= size;
        map.strides[axis] = stride;
    }
    map
}

/// Instructions by which the block, of 32 threads, copies so many bytes of shared memory to where a
/// register points.
pub fn dump(bytes: u32, to: &str) -> String {
    format!(
        "
    mov.u32 %r90, %tid.x;
    shl.b32 %r90, %r90, 4;
    mov.u32 %r92, smem;
    DUMP:
    setp.ge.u32 %p15, %r90, {bytes};
    @%p15 bra DUMPED;
    add.u32 %r91, %r90, %r92;
    ld.shared.v4.b32 {{%r93, %r94, %r95, %r96}}, [%r91];
    cvt.u64.u32 %rd60, %r90;
    add.u64 %rd60, %rd60, {to};
    st.global.v4.b32 [%rd60], {{%r93, %r94, %r95, %r96}};
    add.u32 %r90, %r90, 512;
    bra DUMP;
    DUMPED:
    ret;"
    )
}

/// Lets NVIDIA's assembler have a look, if it is there.
fn assemble(ptx: &str) {
    let Some(ptxas) = std::env::var_os("TILE_PTXAS") else {
        return;
    };
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(ptx.as_bytes()).expect("written");
    let output = Command::new(ptxas)
        .args(["-arch=sm_90a", "-o", "/dev/null"])
        .arg(file.path())
        .output()
        .expect("the assembler runs");
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{log}\n{ptx}");
}

/// `f32` as bytes.
pub fn floats(values: impl IntoIterator<Item = f32>) -> Vec<u8> {
    values.into_iter().flat_map(f32::to_le_bytes).collect()
}

/// `f16` as bytes.
pub fn halves(values: impl IntoIterator<Item = f32>) -> Vec<u8> {
    let halves = values.into_iter().map(half::f16::from_f32);
    halves.flat_map(half::f16::to_le_bytes).collect()
}

/// Bytes as `f32`.
pub fn to_floats(bytes: &[u8]) -> Vec<f32> {
    bytes
        .as_chunks()
        .0
        .iter()
        .map(|bytes| f32::from_le_bytes(*bytes))
        .collect()
}

/// Bytes as `u32`.
pub fn to_words(bytes: &[u8]) -> Vec<u32> {
    bytes
        .as_chunks()
        .0
        .iter()
        .map(|bytes| u32::from_le_bytes(*bytes))
        .collect()
}

/// Small whole numbers that do not repeat soon: sums of products of them are exact.
pub fn number(index: usize) -> f32 {
    [1.0, -2.0, 3.0, 0.0, 2.0, -1.0, 4.0][index * 5 % 7] + [0.0, 1.0, -1.0][index / 7 % 3]
}

/// A B^T of row-major A (M x K) and B (N x K).
pub fn product(a: &[f32], b: &[f32], k: usize) -> Vec<f32> {
    let dot = |a: &[f32], b: &[f32]| -> f32 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let rows = a.chunks(k);
    rows.flat_map(|row| b.chunks(k).map(move |column| dot(row, column)))
        .collect()
}
