//! `cp.async.bulk`, `cp.reduce.async.bulk` (PTX ISA, "Bulk copy").

use crate::simulator::arithmetic::Kind;
use crate::simulator::program::Class;
use crate::simulator::program::decode::{Decoder, Forms, Result};
use crate::simulator::program::op::asynchronous::{
    Asynchronous, Bulk, Completion, Queue, Wait, reduction,
};
use crate::simulator::program::op::{Atomic, AtomicElement, AtomicOperation, Op, Space};
use crate::simulator::ptx::ast::Operand;
use crate::simulator::registers::Slot;

pub const FORMS: &[Forms] = &[(
    "cp",
    &[
        "cp.async.bulk.shared::{cta,cluster}.global.mbarrier::complete_tx::bytes{.multicast::cluster}{.L2::cache_hint} [dst], [src], size, [mbarrier]{, blocks}{, policy}",
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [dst], [src], size, [mbarrier]",
        "cp.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint} [dst], [src], size{, policy}",
        "cp.async.bulk.prefetch.L2.global{.L2::cache_hint} [src], size{, policy}",
        "cp.async.bulk.commit_group",
        "cp.async.bulk.wait_group{.read} n",
        "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.{add,min,max,inc,dec,and,or,xor}.TYPE [dst], [src], size, [mbarrier]",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}.{add,min,max,inc,dec,and,or,xor}{.noftz}.TYPE [dst], [src], size{, policy}",
    ],
)];

pub const MBARRIER: &str = "mbarrier::complete_tx::bytes";

impl<'a> Decoder<'a> {
    /// What follows `cp.async.bulk`.
    pub fn bulk(&mut self, parts: &[&str]) -> Result<()> {
        match (parts, self.at.operands.as_slice()) {
            (["commit_group"], []) => {
                self.emit_asynchronous(Asynchronous::Commit(Queue::Bulk), &[], &[]);
            }
            (["wait_group", read @ ..], [count]) if matches!(read, [] | ["read"]) => {
                let wait = Wait {
                    queue: Queue::Bulk,
                    pending: Some(self.count(count)?),
                    reads_only: !read.is_empty(),
                };
                self.emit_asynchronous(Asynchronous::Wait(wait), &[], &[]);
            }
            (["prefetch", "L2", "global", ..], [_, _, ..]) => {
                self.emit(Op::Nothing, &[], &[], Class::Asynchronous);
            }
            (["prefetch", "tensor", ..], [_, ..]) => {
                self.emit(Op::Nothing, &[], &[], Class::Asynchronous);
            }
            (["tensor", parts @ ..], _) => self.tensor(parts)?,
            ([to, from, parts @ ..], operands) => {
                let (multicast, parts) = match parts {
                    [MBARRIER, "multicast::cluster", rest @ ..] if *from == "global" => {
                        (true, rest)
                    }
                    [MBARRIER | "bulk_group", rest @ ..] => (false, rest),
                    _ => return Err(self.unknown()),
                };
                if !matches!(parts, [] | ["L2::cache_hint"]) {
                    return Err(self.unknown());
                }
                self.emit_bulk([to, from], multicast, !parts.is_empty(), None, operands)?;
            }
            _ => return Err(self.unknown()),
        }
        Ok(())
    }

    /// What follows `cp.reduce.async.bulk`.
    pub fn bulk_reduction(&mut self, parts: &[&str]) -> Result<()> {
        let [to, from, parts @ ..] = parts else {
            return Err(self.unknown());
        };
        let (in_shared, hint, parts) = match parts {
            [MBARRIER, rest @ ..] => (true, false, rest),
            ["bulk_group", "L2::cache_hint", rest @ ..] => (false, true, rest),
            ["bulk_group", rest @ ..] => (false, false, rest),
            _ => return Err(self.unknown()),
        };
        let (operation, ty) = match parts {
            [operation, "noftz", ty @ ("f16" | "bf16")] => (operation, ty),
            ["add", "f16" | "bf16"] => return Err(self.error("such an addition needs `.noftz`")),
            [operation, ty] => (operation, ty),
            _ => return Err(self.unknown()),
        };
        let known = operation_of(operation).and_then(|operation| typed(operation, ty, in_shared));
        let atomic = known.ok_or_else(|| self.unknown())?;
        // What several programs add up depends on their order.
        self.communicates |= !in_shared;
        let operands = self.at.operands.as_slice();
        self.emit_bulk([to, from], false, hint, Some(atomic), operands)
    }

    fn emit_bulk(
        &mut self,
        spaces: [&str; 2],
        multicast: bool,
        hint: bool,
        reduction: Option<Atomic>,
        operands: &'a [Operand<'a>],
    ) -> Result<()> {
        let told_to_mbarrier = self.at.opcode.contains(&MBARRIER);
        let (to, from) = match (spaces, told_to_mbarrier) {
            (["shared::cluster" | "shared::cta", "global"], true) if reduction.is_none() => {
                (Space::Shared, Space::Global)
            }
            (["shared::cluster", "shared::cta"], true) => (Space::Shared, Space::Shared),
            (["global", "shared::cta"], false) => (Space::Global, Space::Shared),
            _ => return Err(self.unknown()),
        };
        let [a, b, size, rest @ ..] = operands else {
            return Err(self.unknown());
        };
        let (to_slot, to) = self.pointer(a, to)?;
        let (from_slot, from) = self.pointer(b, from)?;
        let mut sources = vec![to_slot, from_slot, self.source(size, Kind::B32)?];
        let (completion, rest) = if told_to_mbarrier {
            self.completion(rest, multicast, &mut sources)?
        } else {
            (Completion::Group, rest)
        };
        if rest.len() != usize::from(hint) {
            return Err(self.unknown());
        }
        let bulk = Bulk {
            to,
            from,
            completion,
            reduction,
        };
        self.emit_asynchronous(Asynchronous::Bulk(bulk), &[], &sources);
        Ok(())
    }

    /// An mbarrier, and if there are several receivers their mask. Gives what operands are left.
    pub fn completion(
        &mut self,
        operands: &'a [Operand<'a>],
        multicast: bool,
        sources: &mut Vec<Slot>,
    ) -> Result<(Completion, &'a [Operand<'a>])> {
        let Some((mbarrier, mut rest)) = operands.split_first() else {
            return Err(self.unknown());
        };
        let (slot, at) = self.pointer(mbarrier, Space::Shared)?;
        sources.push(slot);
        if multicast {
            let Some((mask, others)) = rest.split_first() else {
                return Err(self.unknown());
            };
            sources.push(self.source(mask, Kind::B16)?);
            rest = others;
        }
        Ok((Completion::Mbarrier { at, multicast }, rest))
    }
}

/// What the name of a reduction means.
pub fn operation_of(name: &str) -> Option<AtomicOperation> {
    Some(match name {
        "add" => AtomicOperation::Add,
        "min" => AtomicOperation::Min,
        "max" => AtomicOperation::Max,
        "inc" => AtomicOperation::Increment,
        "dec" => AtomicOperation::Decrement,
        "and" => AtomicOperation::And,
        "or" => AtomicOperation::Or,
        "xor" => AtomicOperation::Xor,
        _ => return None,
    })
}

/// A reduction of elements of a type, where PTX has it (PTX ISA, "cp.reduce.async.bulk").
pub fn typed(operation: AtomicOperation, ty: &str, in_shared: bool) -> Option<Atomic> {
    use AtomicElement as E;
    use AtomicOperation as O;
    let (element, bytes) = match ty {
        "u32" => (E::Unsigned, 4),
        "s32" => (E::Signed, 4),
        "u64" => (E::Unsigned, 8),
        "s64" => (E::Signed, 8),
        "b32" => (E::Bits, 4),
        "b64" => (E::Bits, 8),
        "f16" => (E::F16, 2),
        "bf16" => (E::Bf16, 2),
        "f32" => (E::F32, 4),
        "f64" => (E::F64, 8),
        _ => return None,
    };
    let float = matches!(element, E::F16 | E::Bf16 | E::F32 | E::F64);
    let known = match operation {
        O::Add if in_shared => matches!(ty, "u32" | "s32" | "u64"),
        O::Add => matches!(ty, "u32" | "s32" | "u64") || float,
        O::Min | O::Max if in_shared => matches!(ty, "u32" | "s32"),
        O::Min | O::Max => !matches!(ty, "b32" | "b64" | "f32" | "f64"),
        O::Increment | O::Decrement => ty == "u32",
        O::And | O::Or | O::Xor if in_shared => ty == "b32",
        O::And | O::Or | O::Xor => element == E::Bits,
        O::Exchange | O::CompareAndSwap => false,
    };
    known.then(|| reduction(operation, element, bytes))
}
