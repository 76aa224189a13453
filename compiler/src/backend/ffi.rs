//! All `unsafe` code of the crate, each use with its argument: what inkwell does not have of LLVM.
#![allow(unsafe_code)]

use super::fatal;

/// A module in the llvm dialect as one of LLVM's, `None` if MLIR cannot translate it.
pub fn translate<'c>(
    module: &melior::ir::Module<'_>,
    context: &'c inkwell::context::Context,
) -> Option<inkwell::module::Module<'c>> {
    use inkwell::context::AsContextRef;
    // SAFETY: mlir-sys and llvm-sys declare the same C types of one LLVM, so the casts between their pointer
    // types change nothing; MLIR gives a new module of that context, which nobody else owns.
    unsafe {
        let translated = mlir_sys::mlirTranslateModuleToLLVMIR(
            module.as_operation().to_raw(),
            context.as_ctx_ref().cast(),
        );
        (!translated.is_null()).then(|| inkwell::module::Module::new(translated.cast()))
    }
}

/// Sets options of LLVM that no other interface has, for the whole process. Only the first call does.
pub fn set_llvm_options(options: &[&std::ffi::CStr]) {
    static SET: std::sync::Once = std::sync::Once::new();
    let mut list = vec![c"tilec".as_ptr()];
    list.extend(options.iter().map(|option| option.as_ptr()));
    // SAFETY: the texts live during the call, and LLVM copies what it keeps.
    SET.call_once(|| unsafe {
        inkwell::llvm_sys::support::LLVMParseCommandLineOptions(
            list.len() as std::ffi::c_int,
            list.as_ptr(),
            std::ptr::null(),
        );
    });
}

/// Has LLVM tell [`fatal`] of an error before it ends the process for it. Only once: LLVM
/// has one handler per process.
pub fn install_fatal_error_handler() {
    extern "C" fn told(reason: *const std::ffi::c_char) {
        // SAFETY: LLVM passes a text that ends with a zero and lives during the call.
        let said = unsafe { std::ffi::CStr::from_ptr(reason) };
        fatal::happened(&said.to_string_lossy());
    }
    static INSTALLED: std::sync::Once = std::sync::Once::new();
    // SAFETY: the function is there as long as the process, and keeps nothing that it is given.
    INSTALLED.call_once(|| unsafe {
        inkwell::llvm_sys::error_handling::LLVMInstallFatalErrorHandler(Some(told));
    });
}

type Witness<'a> = dyn Fn(&str) -> fatal::Defect + 'a;

thread_local! {
    static LENT: std::cell::Cell<Option<&'static Witness<'static>>> = const { std::cell::Cell::new(None) };
}

/// Does something on this thread, during which [`lent`] has this function.
pub fn lend<R>(witness: &Witness<'_>, work: impl FnOnce() -> R) -> R {
    struct Return;
    impl Drop for Return {
        fn drop(&mut self) {
            LENT.set(None);
        }
    }
    // SAFETY: the function outlives this call, and nobody has it afterwards: it is taken back even if `work`
    // panics, and `lent` gives it to nobody who could keep it.
    let witness =
        unsafe { std::mem::transmute::<&Witness<'_>, &'static Witness<'static>>(witness) };
    LENT.set(Some(witness));
    let _return = Return;
    work()
}

/// Uses what was lent to this thread. Who fails while it is used finds nothing lent.
pub fn lent<R>(with: impl FnOnce(Option<&Witness<'_>>) -> R) -> R {
    with(LENT.take())
}

/// Does something with a context and gives, with its result, the errors that LLVM reported to the
/// context meanwhile. Where nobody listens, LLVM ends the process at the first of them.
pub fn with_errors<R>(
    context: &inkwell::context::Context,
    work: impl FnOnce() -> R,
) -> (R, Vec<String>) {
    use inkwell::context::AsContextRef;
    use inkwell::llvm_sys::LLVMDiagnosticSeverity::LLVMDSError;
    use inkwell::llvm_sys::core::{
        LLVMContextSetDiagnosticHandler, LLVMDisposeMessage, LLVMGetDiagInfoDescription,
        LLVMGetDiagInfoSeverity,
    };
    use inkwell::llvm_sys::prelude::LLVMDiagnosticInfoRef;
    use std::cell::RefCell;

    extern "C" fn told(of: LLVMDiagnosticInfoRef, errors: *mut std::ffi::c_void) {
        // SAFETY: LLVM passes a description that lives during the call, and the pointer that was
        // registered below, on the thread that uses the context: `errors` is borrowed by nobody else.
        unsafe {
            if LLVMGetDiagInfoSeverity(of) != LLVMDSError {
                return;
            }
            let text = LLVMGetDiagInfoDescription(of);
            let owned = std::ffi::CStr::from_ptr(text)
                .to_string_lossy()
                .into_owned();
            LLVMDisposeMessage(text);
            (*errors.cast::<RefCell<Vec<String>>>())
                .borrow_mut()
                .push(owned);
        }
    }
    let errors = RefCell::new(Vec::new());
    let pointer = (&raw const errors).cast_mut().cast();
    // SAFETY: `errors` outlives the registration, which ends below; `work` does not end early, as a
    // panic would leave a handler behind that nothing calls: the caller's context goes with it.
    let result = unsafe {
        LLVMContextSetDiagnosticHandler(context.as_ctx_ref(), Some(told), pointer);
        let result = work();
        LLVMContextSetDiagnosticHandler(context.as_ctx_ref(), None, std::ptr::null_mut());
        result
    };
    (result, errors.into_inner())
}

/// What a call of LLVM IR does besides giving a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// Nothing.
    Pure,
    /// The threads of a program wait for each other.
    Barrier,
    /// It has an effect and a result, as loads have.
    Load,
    /// A load from global memory.
    GlobalLoad,
    /// A load from memory that nothing changes: its result is all it gives.
    PureLoad,
    /// A store of four words to global memory.
    WideStore,
    /// An effect only, or a value of another lane.
    Effect,
}

/// The text of a piece of inline assembly.
///
/// # Safety
/// The value is inline assembly of a living module.
unsafe fn assembly(callee: inkwell::llvm_sys::prelude::LLVMValueRef) -> String {
    let mut length = 0;
    // SAFETY: the text belongs to the module, and is copied.
    unsafe {
        let start = inkwell::llvm_sys::core::LLVMGetInlineAsmAsmString(callee, &raw mut length);
        let text = std::slice::from_raw_parts(start.cast::<u8>(), length);
        String::from_utf8_lossy(text).into_owned()
    }
}

/// The text of the inline assembly that an instruction is, if it is one.
pub fn assembly_text(instruction: inkwell::values::InstructionValue<'_>) -> Option<String> {
    use inkwell::llvm_sys::core;
    use inkwell::values::AsValueRef;
    if instruction.get_opcode() != inkwell::values::InstructionOpcode::Call {
        return None;
    }
    // SAFETY: the instruction is a call of a living module; the text is copied.
    unsafe {
        let callee = core::LLVMGetCalledValue(instruction.as_value_ref());
        (!core::LLVMIsAInlineAsm(callee).is_null()).then(|| assembly(callee))
    }
}

/// The name of the function that an instruction calls, if it is a call of one.
pub fn callee_name(instruction: inkwell::values::InstructionValue<'_>) -> Option<String> {
    use inkwell::llvm_sys::core;
    use inkwell::values::AsValueRef;
    if instruction.get_opcode() != inkwell::values::InstructionOpcode::Call {
        return None;
    }
    // SAFETY: the instruction is a call of a living module; the name is copied.
    unsafe { function_name(core::LLVMGetCalledValue(instruction.as_value_ref())) }
}

/// The name of a value that is a function.
///
/// # Safety
/// The value is one of a living module.
unsafe fn function_name(value: inkwell::llvm_sys::prelude::LLVMValueRef) -> Option<String> {
    use inkwell::llvm_sys::core;
    // SAFETY: a function has a name, which is copied.
    unsafe {
        if core::LLVMIsAFunction(value).is_null() {
            return None;
        }
        let mut length = 0;
        let start = core::LLVMGetValueName2(value, &raw mut length);
        let name = std::slice::from_raw_parts(start.cast::<u8>(), length);
        Some(String::from_utf8_lossy(name).into_owned())
    }
}

/// What an instruction that is a call does.
pub fn call(instruction: inkwell::values::InstructionValue<'_>) -> Call {
    use inkwell::llvm_sys::{LLVMTypeKind, core};
    use inkwell::values::AsValueRef;
    const MEMORY: &str = "memory";
    const CONVERGENT: &str = "convergent";
    // SAFETY: the instruction is a call of a living module, whose called value is its last operand;
    // names are not kept longer than the module.
    unsafe {
        let callee = core::LLVMGetCalledValue(instruction.as_value_ref());
        let ty = core::LLVMTypeOf(instruction.as_value_ref());
        let with_effect = match core::LLVMGetTypeKind(ty) {
            LLVMTypeKind::LLVMVoidTypeKind => Call::Effect,
            _ => Call::Load,
        };
        if !core::LLVMIsAInlineAsm(callee).is_null() {
            let text = assembly(callee);
            let loads = text.contains("ld.global");
            let reads = loads || text.contains("ld.shared");
            let is_store = text.contains("st.global") && text.contains(".v4.b32");
            return match core::LLVMGetInlineAsmHasSideEffects(callee) == 0 {
                true if reads => Call::PureLoad,
                true => Call::Pure,
                false if loads => Call::GlobalLoad,
                false if is_store => Call::WideStore,
                // It waits for nothing.
                false if text.starts_with("mov.") => Call::Effect,
                false => with_effect,
            };
        }
        let Some(name) = function_name(callee) else {
            return with_effect;
        };
        if name.starts_with("llvm.nvvm.barrier") {
            return Call::Barrier;
        }
        if name.starts_with("llvm.nvvm.shfl") {
            return Call::Effect;
        }
        let attribute = |name: &str| {
            let kind = core::LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            let function = inkwell::llvm_sys::LLVMAttributeFunctionIndex;
            core::LLVMGetEnumAttributeAtIndex(callee, function, kind)
        };
        let memory = attribute(MEMORY);
        let touches_no_memory = !memory.is_null() && core::LLVMGetEnumAttributeValue(memory) == 0;
        // What is assumed here may not hold elsewhere.
        let is_assumption = name == "llvm.assume";
        if touches_no_memory && attribute(CONVERGENT).is_null() && !is_assumption {
            Call::Pure
        } else {
            with_effect
        }
    }
}
