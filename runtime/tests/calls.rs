//! Calls out of a kernel: `vprintf` tells how many values it printed, `__assertfail` ends the kernel.

use tile_runtime::backend::{Backend, DeviceError, RawLaunch};
use tile_runtime::simulator::device::Simulator;
use tile_runtime::simulator::machine::Options;

const PTX: &str = r#"
.version 7.0
.target sm_80
.address_size 64
.extern .func (.param .b32 result) vprintf (.param .b64 format, .param .b64 values);
.extern .func __assertfail (
    .param .b64 message, .param .b64 file, .param .b32 line, .param .b64 function, .param .b64 size);
.global .align 1 .b8 format[] = {37, 100, 32, 37, 103, 32, 37, 37, 10, 0};
.global .align 1 .b8 message[] = {110, 111, 0};
.global .align 1 .b8 file[] = {97, 46, 99, 117, 0};

.visible .entry prints(.param .u64 out)
{
    .local .align 8 .b8 values[16];
    .reg .b32 %r<3>;
    .reg .b64 %d<5>;
    mov.b32 %r1, 7;
    st.local.b32 [values], %r1;
    mov.b64 %d1, 0d3FE0000000000000;
    st.local.b64 [values+8], %d1;
    mov.b64 %d2, format;
    cvta.global.u64 %d2, %d2;
    mov.b64 %d3, values;
    cvta.local.u64 %d3, %d3;
    {
        .param .b64 param0;
        .param .b64 param1;
        .param .b32 count;
        st.param.b64 [param0], %d2;
        st.param.b64 [param1], %d3;
        call.uni (count), vprintf, (param0, param1);
        ld.param.b32 %r2, [count];
    }
    ld.param.u64 %d4, [out];
    st.global.b32 [%d4], %r2;
    ret;
}

.visible .entry fails(.param .u64 out)
{
    .reg .b32 %r<2>;
    .reg .b64 %d<4>;
    mov.b64 %d1, message;
    cvta.global.u64 %d1, %d1;
    mov.b64 %d2, file;
    cvta.global.u64 %d2, %d2;
    mov.b32 %r1, 12;
    mov.b64 %d3, 1;
    {
        .param .b64 param0;
        .param .b64 param1;
        .param .b32 param2;
        .param .b64 param3;
        .param .b64 param4;
        st.param.b64 [param0], %d1;
        st.param.b64 [param1], %d2;
        st.param.b32 [param2], %r1;
        st.param.b64 [param3], %d1;
        st.param.b64 [param4], %d3;
        call.uni __assertfail, (param0, param1, param2, param3, param4);
    }
    ret;
}
"#;

/// Runs one thread of an entry; gives what it left in memory.
fn run(entry: &str) -> Result<u32, DeviceError> {
    let simulator = Simulator::new(Options::default());
    let function = simulator.load(PTX)?.function(entry, 1, 0)?;
    let memory = simulator.allocate(4)?;
    memory.write(0, &[0xff; 4])?;
    let launch = RawLaunch {
        offsets: Vec::new(),
        addresses: Vec::new(),
        grid: [1; 3],
        cluster: None,
        dependent: false,
        threads: 1,
        shared_blocks: None,
        shared_bytes: 0,
        parameters: memory.address().to_le_bytes().to_vec(),
    };
    function.bind(&simulator.main_queue(), launch)?()?;
    let mut bytes = [0; 4];
    memory.read(0, &mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

#[test]
fn a_print_gives_the_number_of_its_values() {
    assert_eq!(run("prints"), Ok(2));
}

#[test]
fn a_failed_assertion_names_message_file_and_line() {
    let problem = run("fails").expect_err("it fails").to_string();
    assert!(
        problem.contains("assertion failed: no (a.cu:12)"),
        "{problem}"
    );
}
