//! All `unsafe` code of the crate, each use with its argument: handles of MLIR that live as long as their context.
#![allow(unsafe_code)]

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, BlockRef, OperationRef, RegionLike, ValueLike};

use super::{Block, Operation, Value};

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
    // melior's error for a region that is not there has the whole operation printed in it, which took a sixth of all compile time.
    if index >= operation.region_count() {
        return None;
    }
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
