//! `st.async`, `red.async` (PTX ISA, "st.async", "red.async").

use super::bulk::{MBARRIER, operation_of, typed};
use crate::simulator::arithmetic::Kind;
use crate::simulator::program::decode::operand::flat;
use crate::simulator::program::decode::{Decoder, Forms, Result};
use crate::simulator::program::op::Space;
use crate::simulator::program::op::asynchronous::{Asynchronous, Store};

pub const FORMS: &[Forms] = &[
    (
        "st",
        &[
            "st.async{.weak}{.shared::cluster}.mbarrier::complete_tx::bytes{.v2,.v4}.{b32,b64,u32,u64,s32,s64,f32,f64} [a], b, [mbarrier]",
        ],
    ),
    (
        "red",
        &[
            "red.async{.relaxed}{.cluster}{.shared::cluster}.mbarrier::complete_tx::bytes.{add,min,max,inc,dec,and,or,xor}.TYPE [a], b, [mbarrier]",
        ],
    ),
];

impl<'a> Decoder<'a> {
    /// What follows `st.async` or `red.async`.
    pub fn store_asynchronously(&mut self, opcode: &str, parts: &[&str]) -> Result<()> {
        let [address, values, mbarrier] = self.at.operands.as_slice() else {
            return Err(self.unknown());
        };
        let Some((&ty, parts)) = parts.split_last() else {
            return Err(self.unknown());
        };
        let (kind, bytes) = match ty {
            "b32" | "u32" | "s32" => (Kind::B32, 4),
            "f32" if opcode == "st" => (Kind::F32, 4),
            "b64" | "u64" | "s64" => (Kind::B64, 8),
            "f64" if opcode == "st" => (Kind::F64, 8),
            _ => return Err(self.unknown()),
        };
        let mut space = Space::Generic;
        let mut count = 1;
        let mut operation = None;
        let mut told = false;
        for &part in parts {
            match part {
                "weak" | "relaxed" | "cluster" => {}
                "shared::cluster" => space = Space::Shared,
                MBARRIER => told = true,
                "v2" if opcode == "st" => count = 2,
                "v4" if opcode == "st" => count = 4,
                name => {
                    let known = operation_of(name).filter(|_| opcode == "red");
                    operation = Some(known.ok_or_else(|| self.unknown())?);
                }
            }
        }
        if !told || (opcode == "red") != operation.is_some() {
            return Err(self.unknown());
        }
        let reduction = match operation {
            Some(operation) => Some(typed(operation, ty, true).ok_or_else(|| self.unknown())?),
            None => None,
        };
        let (to_slot, to) = self.pointer(address, space)?;
        let (mbarrier_slot, mbarrier) = self.pointer(mbarrier, space)?;
        let mut sources = vec![to_slot, mbarrier_slot];
        let values = flat(values);
        if values.len() != count {
            return Err(self.error(format!(
                "{count} elements are stored, but {} registers are given",
                values.len()
            )));
        }
        for value in values {
            sources.push(self.source(value, kind)?);
        }
        let store = Store {
            to,
            mbarrier,
            bytes,
            reduction,
        };
        self.emit_asynchronous(Asynchronous::Store(store), &[], &sources);
        Ok(())
    }
}
