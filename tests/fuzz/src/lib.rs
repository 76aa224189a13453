//! What the targets share: one of them is a file for a reader, and its answer.

pub use libfuzzer_sys;
pub use tile_tests::inputs::Input;

/// A target of libFuzzer.
#[macro_export]
macro_rules! target {
    ($input:expr) => {
        $crate::libfuzzer_sys::fuzz_target!(
            // libFuzzer's hook ends the process at each panic, and passes may panic where `tilec opt` says what is wrong.
            // A panic that nobody catches still ends it.
            init: std::panic::set_hook(Box::new(|_| {})),
            |data: &[u8]| $input.examine(data).expect("a right answer")
        );

        // The linker takes the first `main` it meets, and MLIR's libraries have one (that of `mlir-opt`) that comes before
        // libFuzzer's.
        type Each = unsafe extern "C" fn(*const u8, usize) -> std::ffi::c_int;

        unsafe extern "C" {
            fn LLVMFuzzerRunDriver(
                count: *mut std::ffi::c_int,
                list: *mut *mut *mut std::ffi::c_char,
                each: Each,
            ) -> std::ffi::c_int;
            fn LLVMFuzzerTestOneInput(data: *const u8, size: usize) -> std::ffi::c_int;
        }

        #[unsafe(no_mangle)]
        extern "C" fn main(
            mut count: std::ffi::c_int,
            mut list: *mut *mut std::ffi::c_char,
        ) -> std::ffi::c_int {
            // SAFETY: the arguments are those that the C library gave.
            unsafe { LLVMFuzzerRunDriver(&raw mut count, &raw mut list, LLVMFuzzerTestOneInput) }
        }
    };
}
