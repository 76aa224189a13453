//! All `unsafe` code of the crate, each use with its argument.
#![allow(unsafe_code)]

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, BlockRef, OperationRef, RegionLike, ValueLike};

use crate::ir::{Block, Operation, Value};

// SAFETY (the six functions below): an MLIR handle is a raw pointer whose real lifetime is that of the
// module that owns the object. melior shortens it to a borrow of the parent handle. Every pass keeps
// the module it reads and the module it writes alive until it returns, never erases operations while
// handles to them are in use, and handles don't leave the pass; the context outlives both.

/// A value with the lifetime of the context.
pub fn value<'c>(value: melior::ir::Value<'c, '_>) -> Value<'c> {
    unsafe { melior::ir::Value::from_raw(value.to_raw()) }
}

/// An operation with the lifetime of the context.
pub fn operation<'c>(operation: OperationRef<'c, '_>) -> Operation<'c> {
    unsafe { OperationRef::from_raw(operation.to_raw()) }
}

/// A block with the lifetime of the context.
pub fn block<'c>(block: BlockRef<'c, '_>) -> Block<'c> {
    unsafe { BlockRef::from_raw(block.to_raw()) }
}

/// The first operation of a block.
pub fn first_operation(block: Block<'_>) -> Option<Operation<'_>> {
    unsafe { OperationRef::from_option_raw(mlir_sys::mlirBlockGetFirstOperation(block.to_raw())) }
}

/// The operation after this one in its block.
pub fn next_operation(operation: Operation<'_>) -> Option<Operation<'_>> {
    unsafe {
        OperationRef::from_option_raw(mlir_sys::mlirOperationGetNextInBlock(operation.to_raw()))
    }
}

/// The first block of a region of an operation.
pub fn region_block<'c>(operation: Operation<'c>, index: usize) -> Option<Block<'c>> {
    let region = operation.region(index).ok()?;
    let first = region.first_block()?;
    unsafe { BlockRef::from_option_raw(first.to_raw()) }
}

/// The arguments of a block.
pub fn block_arguments<'c>(block: Block<'c>) -> Vec<Value<'c>> {
    (0..block.argument_count())
        .filter_map(|index| block.argument(index).ok())
        .map(|argument| value(argument.into()))
        .collect()
}

/// The operation that defines a value, `None` for block arguments.
pub fn defining_operation(of: Value<'_>) -> Option<Operation<'_>> {
    // SAFETY: as above; for a block argument MLIR would assert, so it is asked first.
    unsafe {
        if !mlir_sys::mlirValueIsAOpResult(of.to_raw()) {
            return None;
        }
        OperationRef::from_option_raw(mlir_sys::mlirOpResultGetOwner(of.to_raw()))
    }
}

/// Which result of its operation a value is.
pub fn result_number(of: Value<'_>) -> usize {
    // SAFETY: asked only of operation results, see `defining_operation`.
    unsafe {
        if mlir_sys::mlirValueIsAOpResult(of.to_raw()) {
            mlir_sys::mlirOpResultGetResultNumber(of.to_raw()) as usize
        } else {
            mlir_sys::mlirBlockArgumentGetArgNumber(of.to_raw()) as usize
        }
    }
}

/// The operations that use a value, once per use.
pub fn users(of: Value<'_>) -> Vec<Operation<'_>> {
    let mut list = Vec::new();
    // SAFETY: as above; the list of uses is not changed while it is walked.
    unsafe {
        let mut each = mlir_sys::mlirValueGetFirstUse(of.to_raw());
        while !mlir_sys::mlirOpOperandIsNull(each) {
            list.extend(OperationRef::from_option_raw(
                mlir_sys::mlirOpOperandGetOwner(each),
            ));
            each = mlir_sys::mlirOpOperandGetNextUse(each);
        }
    }
    list
}

/// The operation whose region a block argument belongs to.
pub fn argument_owner(of: Value<'_>) -> Option<Operation<'_>> {
    // SAFETY: as above; asked only of block arguments.
    unsafe {
        if mlir_sys::mlirValueIsAOpResult(of.to_raw()) {
            return None;
        }
        let block = mlir_sys::mlirBlockArgumentGetOwner(of.to_raw());
        OperationRef::from_option_raw(mlir_sys::mlirBlockGetParentOperation(block))
    }
}

/// The name of an operation; the text lives as long as the context.
pub fn operation_name<'c>(operation: Operation<'c>) -> &'c str {
    // SAFETY: as above; operations have names.
    unsafe { identifier(mlir_sys::mlirOperationGetName(operation.to_raw())) }
}

/// The attributes of an operation with their names; those texts live as long as the context. (melior's own iterator
/// counts them again for each, which makes them anew where MLIR keeps them as properties.)
pub fn attributes<'c>(operation: Operation<'c>) -> Vec<(&'c str, Attribute<'c>)> {
    let raw = operation.to_raw();
    // SAFETY: as above; only attributes that are there are asked for.
    unsafe {
        (0..mlir_sys::mlirOperationGetNumAttributes(raw))
            .map(|index| {
                let named = mlir_sys::mlirOperationGetAttribute(raw, index);
                (identifier(named.name), Attribute::from_raw(named.attribute))
            })
            .collect()
    }
}

/// A text that lives as long as the context.
pub fn interned<'c>(context: &'c melior::Context, text: &str) -> &'c str {
    // SAFETY: `'c` is how long the context is borrowed.
    unsafe { identifier(melior::ir::Identifier::new(context, text).to_raw()) }
}

/// The text of a name.
///
/// # Safety
/// The name is of a context that outlives `'c`: it is interned there.
unsafe fn identifier<'c>(name: mlir_sys::MlirIdentifier) -> &'c str {
    // SAFETY: the text is there for as long as the context, and no name is empty.
    unsafe {
        let text = mlir_sys::mlirIdentifierStr(name);
        let bytes = std::slice::from_raw_parts(text.data.cast::<u8>(), text.length);
        std::str::from_utf8(bytes).unwrap_or("")
    }
}

/// The text of a string attribute. (melior's own accessor makes a slice from the null pointer that
/// MLIR gives for an empty string.)
pub fn text<'c>(attribute: melior::ir::attribute::StringAttribute<'c>) -> &'c str {
    use melior::ir::AttributeLike;
    // SAFETY: the text is interned in the context, which outlives `'c`.
    unsafe {
        let text = mlir_sys::mlirStringAttrGetValue(attribute.to_raw());
        if text.data.is_null() || text.length == 0 {
            return "";
        }
        std::str::from_utf8(std::slice::from_raw_parts(
            text.data.cast::<u8>(),
            text.length,
        ))
        .unwrap_or("")
    }
}

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

/// Has LLVM tell [`crate::backend::fatal`] of an error before it ends the process for it. Only once: LLVM
/// has one handler per process.
pub fn install_fatal_error_handler() {
    extern "C" fn told(reason: *const std::ffi::c_char) {
        // SAFETY: LLVM passes a text that ends with a zero and lives during the call.
        let said = unsafe { std::ffi::CStr::from_ptr(reason) };
        crate::backend::fatal::happened(&said.to_string_lossy());
    }
    static INSTALLED: std::sync::Once = std::sync::Once::new();
    // SAFETY: the function is there as long as the process, and keeps nothing that it is given.
    INSTALLED.call_once(|| unsafe {
        inkwell::llvm_sys::error_handling::LLVMInstallFatalErrorHandler(Some(told));
    });
}

type Witness<'a> = dyn Fn(&str) -> crate::backend::fatal::Defect + 'a;

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

/// The dialects that the compiler uses, by name: those alone, since some of MLIR's others bring code generators of their own.
pub fn insert_dialects(registry: &melior::dialect::DialectRegistry) {
    // SAFETY: the functions give handles to tables that live as long as the program.
    let handles = unsafe {
        [
            mlir_sys::mlirGetDialectHandle__arith__(),
            mlir_sys::mlirGetDialectHandle__math__(),
            mlir_sys::mlirGetDialectHandle__scf__(),
            mlir_sys::mlirGetDialectHandle__cf__(),
            mlir_sys::mlirGetDialectHandle__func__(),
            mlir_sys::mlirGetDialectHandle__llvm__(),
            mlir_sys::mlirGetDialectHandle__nvvm__(),
            mlir_sys::mlirGetDialectHandle__gpu__(),
            mlir_sys::mlirGetDialectHandle__irdl__(),
        ]
        .map(|handle| melior::dialect::DialectHandle::from_raw(handle))
    };
    for handle in handles {
        handle.insert_dialect(registry);
    }
}
