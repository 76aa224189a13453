//! The `tile` dialect: programs on whole tiles, as real MLIR.
//!
//! Numbers, comparisons and control flow are upstream operations (`arith`, `math`, `scf`, `func`) on
//! scalars and on `tensor<…>` values; what they lack is declared in [`ops`]. The dialect is defined
//! at run time through IRDL, so MLIR parses, prints and verifies it and unregistered operations stay
//! forbidden.
//!
//! Types:
//!
//! | text | meaning |
//! |---|---|
//! | `tensor<128x64xf32>` | a tile; with an encoding (`{lane = …}`) also who holds which element |
//! | `!tile.ptr<f32>` | an address of an `f32`; tiles of them too |
//! | `!tile.shared<tensor<128x64xf16, {…}>>` | a buffer in shared memory and how it is laid out |
//!
//! `build::from_typed` makes a module from a typed kernel; [`verify`] holds the invariants.

use std::cell::RefCell;

use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::r#type::TypeLike;
use melior::ir::{Attribute, Module, Type};
use melior::utility::{load_irdl_dialects, register_all_llvm_translations};

pub mod ops;
pub mod verify;
mod view;

/// The attribute of a loop, or of a function for all of its loops: how many buffers were asked for.
pub const STAGES: &str = "tile.stages";

/// What each argument of a function is a multiple of: addresses in bytes, integers as they are.
pub const DIVISIBILITY: &str = "tile.divisibility";

/// The attribute of a function: blocks that share the iterations of a program's loop.
pub const SPLIT: &str = "tile.split";

/// The attribute of a function: elements of the row whose blocks its loops were written out for.
pub const ROW: &str = "tile.row";

/// The attribute of a function: elements of all rows that are in registers at once where loops were written out.
pub const KEPT: &str = "tile.kept";

/// Bytes of shared memory of a function's program, its attribute.
pub const SHARED_BYTES: &str = "tile.shared_bytes";

/// Kinds of a dimension of a view: one position, a range, and positions that are a tile.
pub mod kinds {
    /// The tile has no such dimension.
    pub const ONE: i64 = 0;
    /// From a position on.
    pub const RANGE: i64 = 1;
    /// In any order.
    pub const POSITIONS: i64 = 2;
}

/// The attribute of a load that overlaps others of its block: the number of their group. Those of one group differ in their `starts` alone.
pub const WINDOW: &str = "window";

/// The attribute of a load of a matrix whose rows are several dimensions of its tensor: the sizes along all of them.
pub const BOX: &str = "box";

/// The attribute of a division without a sign of numbers below 2³¹, of which the divisor is not 0.
pub const NATURAL: &str = "tile.natural";

/// The attribute of a division that has left a loop, which may have no iteration: its divisor may be 0 then, and nobody reads the result.
pub const AHEAD: &str = "tile.ahead";

/// The attribute of a function that names its arguments which are sizes of tensors.
pub const SIZES: &str = "tile.sizes";

/// The attribute of a function that names its arguments which are pointers: a launch knows where they point to, but no sizes.
pub const POINTERS: &str = "tile.pointers";

/// The size of a dimension of a view through a pointer that no mask bounds: a launch asks that no position is beyond it.
pub const UNBOUNDED: i64 = i32::MAX as i64;

/// The attribute of an access through a pointer to what can be copied as a box: sizes and strides of all dimensions, outermost first, as a launch
/// computes them. JSON of a list of [`MapDimension`](tile_runtime::manifest::MapDimension)s.
pub const DIMENSIONS: &str = "dimensions";

/// The attribute of a function that subtracts a program's number: for each axis of its grid that is the size of a tensor or a
/// scalar, divided by a constant and rounded up, the number of that argument and the constant; for others -1 and 1.
pub const GRID: &str = "tile.grid";

/// The attribute of a function that says how many axes its grid has, if the kernel says.
pub const AXES: &str = "tile.axes";

pub use ops::TileOp;
pub use view::{
    Arity, Effect, OpDefinition, SEVERAL, free_segments, mixed_segments, several_segments,
};

/// What stays apart in a `tile.reduce` that is `partial`: what warps have.
pub const WARPS_APART: i64 = 1;
/// What each thread has.
pub const THREADS_APART: i64 = 2;

/// Predicates of `arith.cmpi` and `arith.cmpf` (MLIR's enumeration values).
#[allow(missing_docs)]
pub mod predicates {
    pub const EQ: i64 = 0;
    pub const NE: i64 = 1;
    pub const SLT: i64 = 2;
    pub const SLE: i64 = 3;
    pub const SGT: i64 = 4;
    pub const SGE: i64 = 5;
    pub const ULT: i64 = 6;
    pub const ULE: i64 = 7;
    pub const UGT: i64 = 8;
    pub const UGE: i64 = 9;
    pub const OEQ: i64 = 1;
    pub const OGT: i64 = 2;
    pub const OGE: i64 = 3;
    pub const OLT: i64 = 4;
    pub const OLE: i64 = 5;
    pub const UNE: i64 = 13;
    pub const UNO: i64 = 14;

    /// Of `arith.cmpi`: what holds exactly where a predicate does not.
    pub fn opposite(predicate: i64) -> Option<i64> {
        let pairs = [(EQ, NE), (SLT, SGE), (SLE, SGT), (ULT, UGE), (ULE, UGT)];
        pairs.into_iter().find_map(|(one, other)| match predicate {
            _ if predicate == one => Some(other),
            _ if predicate == other => Some(one),
            _ => None,
        })
    }
}

/// An MLIR context with every dialect the compiler uses, ours included.
///
/// # Panics
/// If MLIR refuses the definition of the dialect, which the tests would show.
#[must_use]
pub fn context() -> Context {
    let registry = DialectRegistry::new();
    crate::ffi::insert_dialects(&registry);
    // One thread: rewrites hold handles that must not move between threads, and kernels are small.
    let context = Context::new_with_registry(&registry, false);
    for dialect in [
        "arith", "math", "scf", "cf", "func", "llvm", "nvvm", "gpu", "irdl", "builtin",
    ] {
        context.get_or_load_dialect(dialect);
    }
    register_all_llvm_translations(&context);
    let module = Module::parse(&context, &irdl()).expect("the dialect's IRDL text parses");
    assert!(
        load_irdl_dialects(&module),
        "MLIR takes the dialect's IRDL definition"
    );
    context
}

/// The IRDL text of the dialect.
#[must_use]
pub fn irdl() -> String {
    let mut text = String::from(
        "irdl.dialect @tile {\n  irdl.type @ptr {\n    %0 = irdl.any\n    irdl.parameters(pointee: %0)\n  }\n  \
         irdl.type @shared {\n    %0 = irdl.any\n    irdl.parameters(tile: %0)\n  }\n",
    );
    for operation in ops::OPERATIONS {
        text.push_str(&operation.irdl());
    }
    text.push_str("}\n");
    text
}

/// Whether operations of this name divide integers, and so have no result where the divisor is 0.
#[must_use]
pub fn is_integer_division(name: &str) -> bool {
    matches!(
        name,
        "arith.divsi"
            | "arith.divui"
            | "arith.remsi"
            | "arith.remui"
            | "arith.ceildivsi"
            | "arith.ceildivui"
            | "arith.floordivsi"
    )
}

/// Whether an approximate instruction is enough for an operation with these attributes.
#[must_use]
pub fn may_approximate(attributes: &[(&str, Attribute<'_>)]) -> bool {
    let mut all = attributes.iter();
    all.any(|(name, value)| *name == "fastmath" && value.to_string().contains("afn"))
}

/// Whether equal operations of this name (operands and attributes alike) always give equal results
/// and unused ones can go.
#[must_use]
pub fn is_pure(name: &str) -> bool {
    if let Some(own) = name.strip_prefix("tile.") {
        return ops::OPERATIONS.iter().any(|operation| {
            operation.name == own && operation.effect == Effect::Pure && operation.regions == 0
        });
    }
    name.starts_with("arith.")
        || name.starts_with("math.")
        || name.starts_with("nvvm.read.ptx.sreg.")
        || matches!(
            name,
            "llvm.getelementptr"
                | "llvm.bitcast"
                | "llvm.insertelement"
                | "llvm.extractelement"
                | "llvm.extractvalue"
                | "llvm.mlir.undef"
                | "llvm.mlir.poison"
                | "llvm.mlir.addressof"
                | "llvm.intr.fptosi.sat"
                | "llvm.intr.fptoui.sat"
                | "llvm.ptrtoint"
                | "llvm.inttoptr"
        )
}

/// `!tile.ptr<pointee>`.
#[must_use]
pub fn pointer_type<'c>(context: &'c Context, pointee: Type<'c>) -> Type<'c> {
    Type::parse(context, &format!("!tile.ptr<{pointee}>")).expect("a pointer type")
}

/// The pointee of `!tile.ptr<…>`, `None` for other types.
#[must_use]
pub fn pointee<'c>(context: &'c Context, ty: Type<'c>) -> Option<Type<'c>> {
    // Most types that are asked about are numbers, and printing takes its time.
    if ty.is_integer() || ty.is_f32() || ty.is_index() {
        return None;
    }
    let text = ty.to_string();
    let inner = text.strip_prefix("!tile.ptr<")?.strip_suffix('>')?;
    Type::parse(context, inner)
}

/// `!tile.shared<tile>`.
#[must_use]
pub fn shared_type<'c>(context: &'c Context, tile: Type<'c>) -> Type<'c> {
    Type::parse(context, &format!("!tile.shared<{tile}>")).expect("a shared type")
}

/// The tile type of `!tile.shared<…>`.
#[must_use]
pub fn shared_tile<'c>(context: &'c Context, ty: Type<'c>) -> Option<Type<'c>> {
    let text = ty.to_string();
    let inner = text.strip_prefix("!tile.shared<")?.strip_suffix('>')?;
    Type::parse(context, inner)
}

/// Reads a module; `name` is that of the file in messages.
///
/// # Errors
/// Why the text is none, with the place.
pub fn parse<'c>(context: &'c Context, name: &str, text: &str) -> Result<Module<'c>, String> {
    // MLIR takes a text that ends with the first NUL, and melior panics where there is one before.
    if let Some(line) = text.lines().position(|line| line.contains('\0')) {
        return Err(format!("{name}:{}: a text has no NUL", line + 1));
    }
    // MLIR keeps a place for each result below the one that a text names.
    if let Some(line) = text.lines().position(names_far_result) {
        return Err(format!(
            "{name}:{}: no operation has more than {FARTHEST_RESULT} results",
            line + 1
        ));
    }
    let problems = RefCell::new(Vec::new());
    let handler = context.attach_diagnostic_handler(|diagnostic| {
        let location = diagnostic.location();
        let place = if location.is_file_line_col_range() {
            let (line, column) = (
                location.file_line_col_range_start_line(),
                location.file_line_col_range_start_column(),
            );
            format!("{name}:{line}:{column}: ")
        } else {
            String::new()
        };
        problems.borrow_mut().push(format!("{place}{diagnostic}"));
        true
    });
    let parsed = Module::parse(context, text);
    context.detach_diagnostic_handler(handler);
    let first = || problems.into_inner().into_iter().next();
    parsed.ok_or_else(|| first().unwrap_or_else(|| format!("{name}: this is no MLIR")))
}

/// Results that a text may name of an operation.
const FARTHEST_RESULT: u64 = 65_536;

/// Whether a line has a number behind `%name#` that no operation has so many results for.
fn names_far_result(line: &str) -> bool {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "_$.-".contains(letter);
    line.match_indices('#').any(|(place, _)| {
        let (before, rest) = (&line[..place], &line[place + 1..]);
        let end = rest.find(|letter: char| !letter.is_ascii_digit());
        let digits = &rest[..end.unwrap_or(rest.len())];
        before.trim_end_matches(is_name).ends_with('%')
            && !digits.is_empty()
            && digits
                .parse()
                .map_or(true, |number: u64| number > FARTHEST_RESULT)
    })
}

/// The module's text as it is printed, generic form for our own operations.
#[must_use]
pub fn print(module: &Module<'_>) -> String {
    module.as_operation().to_string()
}
