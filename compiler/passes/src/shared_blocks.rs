//! `shared-blocks`: programs of one or two warps share a block.
//!
//! ```text
//! body(program_id)  ⇒  n = block * (programs of a block) + own; if n < programs { body(place of n) }
//! ```
//!
//! A GPU begins a block each 1.2 ns at best, and a multiprocessor holds 32 of them but 64 warps: where each has one warp, such as
//! one for a row of 128 elements, neither memory nor arithmetic is busy (H200, softmax of 524288 such rows: 634 us, 9.3 times a
//! copy of as many bytes). A launch of more programs than run at once therefore puts several in a block: threads
//! are one of the program along x and a program along y, so that all but the number of the program is as it was. Programs have
//! numbers, and find their places as those of persistent kernels do ([`Counts`]).
//!
//! Programs of a block never wait for each other: a barrier is one of the warp. Two warps that wait for each other keep a block for themselves:
//! together with others they are slower (layer norm of 2048 columns 0.93 of the copy for 0.975).

use melior::ir::operation::OperationLike;
use melior::ir::{Module, Type, ValueLike};

use super::{PassContext, each_operation, function_name, rebuild_functions_with};
use crate::build::{Builder, Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::remark::{RemarkCode, RemarkKind};
use crate::dialect::{AXES, SHARED_BYTES, SPLIT, TileOp, predicates};
use crate::ir::{
    Operation, Value, attributes, int_attribute, name, operations, region_block, results,
};
use crate::order::{Group, ORDER, in_any_order};
use crate::pipeline::{COPYING_WARPS, Counts, NUMBERS_GROUP, PART_BYTES, Place, TURNS};

/// The attribute of a function whose programs may share a block: how many may.
pub const PROGRAMS_PER_BLOCK: &str = "tile.programs_per_block";

/// With so many warps in a block a thread may have all registers that there are for one.
const WARPS: i64 = 8;

/// Programs of more warps are long enough for the time that a block's begin takes.
const MOST_WARPS: i64 = 2;

/// What the shared memory of a program begins at a multiple of, in bytes.
const SHARED_ALIGNMENT: u64 = 128;

/// With more of them not all warps of a multiprocessor would have some.
const MOST_SHARED_BYTES: i64 = 3 << 10;

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let top = crate::ffi::block(module.body());
    rebuild_functions_with(cx, &module, |function| {
        let mut extra = Vec::new();
        let shares = may_share(function);
        let group = Group::of(function);
        if shares {
            let builder = Builder::new(cx.context, top, function.location());
            let most = WARPS / int_attribute(function, "tile.warps").unwrap_or(1).max(1);
            extra.push((PROGRAMS_PER_BLOCK, builder.int(most)));
            let span = cx.span(function.location());
            let kind = RemarkKind::SharedBlocks { programs: most };
            cx.remark(function_name(function), Some(span), kind);
            if function.has_attribute(ORDER) {
                // Their numbers go along axis 0 first.
                let code = RemarkCode::ProgramsAlongRows;
                cx.retract(function_name(function), span, code);
            }
            extra.extend(group.map(|group| (NUMBERS_GROUP, builder.int(group.rows))));
            let bytes = int_attribute(function, SHARED_BYTES).unwrap_or(0) as u64;
            let bytes = bytes.next_multiple_of(SHARED_ALIGNMENT) as i64;
            extra.extend((bytes > 0).then(|| (SHARED_BYTES, builder.int(bytes))));
        }
        let body = region_block(function, 0);
        let blocks = SharedBlocks {
            cx,
            shares,
            body: body.map(operations).unwrap_or_default(),
            group,
            is_row: int_attribute(function, AXES) == Some(1),
            counts: None,
            place: None,
            is_built: false,
        };
        Ok((blocks, extra))
    })
}

/// Whether programs have few warps, nothing in them is of a whole block, and none waits for another: of those that do a device would
/// hold more than it says.
fn may_share(function: Operation<'_>) -> bool {
    let of = |name| int_attribute(function, name).unwrap_or(0);
    let is_one_block = of("tile.cluster").max(of(SPLIT)) <= 1;
    let has_numbers = [TURNS, PART_BYTES, COPYING_WARPS]
        .into_iter()
        .any(|name| of(name) > 0);
    let warps = of("tile.warps");
    let most_shared_bytes = if warps == 1 { MOST_SHARED_BYTES } else { 0 };
    let is_small =
        (1..=MOST_WARPS).contains(&warps) && of(SHARED_BYTES) <= most_shared_bytes && is_one_block;
    let mut may = is_small && !has_numbers && in_any_order(function);
    each_operation(function, &mut |operation| {
        let of = TileOp::of(operation);
        may &= warps == 1 || !matches!(of, Some(TileOp::Barrier(_)));
        may &= !matches!(
            of,
            Some(
                // PTX may ask which block it is in.
                TileOp::Asm(_)
                    | TileOp::Print(_)
                    | TileOp::Assert(_)
                    | TileOp::MbarrierInit(_)
                    | TileOp::BoxStore(_)
                    | TileOp::TensorCopy(_)
            )
        );
    });
    may
}

/// The rewrite of a function, whose programs may share a block.
struct SharedBlocks<'a, 'b, 'c> {
    cx: &'a PassContext<'b, 'c>,
    shares: bool,
    body: Vec<Operation<'c>>,
    group: Option<Group>,
    /// Whether the grid has one axis, along which numbers go.
    is_row: bool,
    counts: Option<Counts<'c>>,
    place: Option<Place<'c>>,
    is_built: bool,
}

impl<'c> SharedBlocks<'_, '_, 'c> {
    /// The body, of the warps that have a program.
    fn build(&mut self, to: &mut Rebuilder<'c>, counts: Counts<'c>) -> Result<(), Diagnostic> {
        let builder = &mut to.builder;
        let [block, programs, own] =
            ["ctaid.x", "ntid.y", "tid.y"].map(|register| builder.special_register(register));
        let before = builder.multiply(block, programs);
        let number = builder.add(before, own);
        let [x, y, z] = counts.counts;
        let all = match self.is_row {
            true => x,
            false => {
                let plane = builder.multiply(x, y);
                builder.multiply(plane, z)
            }
        };
        let exists = builder.compare_int(predicates::ULT, number, all);
        let body = std::mem::take(&mut self.body);
        let then = to.region(&[], |to, _| {
            self.place = Some(match self.is_row {
                true => Place::in_row(&mut to.builder, number),
                false => counts.place(&mut to.builder, number),
            });
            for operation in body {
                if name(operation) != "func.return" {
                    to.operation(self, operation)?;
                }
            }
            to.builder.insert("scf.yield", &[], &[], &[]);
            Ok(())
        })?;
        let regions = vec![then, melior::ir::Region::new()];
        to.builder
            .insert_with_regions("scf.if", &[exists], &[], &[], regions);
        Ok(())
    }
}

impl<'c> Rewrite<'c> for SharedBlocks<'_, '_, 'c> {
    fn added(&self) -> Vec<Type<'c>> {
        let word = Type::parse(self.cx.context, "i32").filter(|_| self.shares);
        word.map(Counts::types).unwrap_or_default()
    }

    fn receive(&mut self, added: Vec<Value<'c>>) {
        self.counts = Counts::receive(&mut added.into_iter(), None, self.group);
    }

    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        let Some(counts) = self.counts else {
            return Ok(false);
        };
        if self.place.is_none() {
            self.build(to, counts)?;
            self.is_built = true;
        }
        if self.is_built {
            return Ok(name(operation) != "func.return");
        }
        Ok(match (TileOp::of(operation), self.place) {
            (Some(TileOp::ProgramId(query)), Some(place)) => {
                let number = place.numbers[query.axis() as usize];
                let ty = query.result().r#type();
                let attributes = attributes(operation);
                let id = to
                    .builder
                    .insert("tile.program_id", &[number], &attributes, &[ty]);
                to.bind(query.result(), results(id));
                true
            }
            (Some(TileOp::NumPrograms(query)), _) => {
                to.bind(query.result(), vec![counts.counts[query.axis() as usize]]);
                true
            }
            _ => false,
        })
    }
}
