//! Instructions whose work goes on after them, and those that wait for it: one file per family.

pub mod bulk;
pub mod copy;
pub mod hint;
pub mod mbarrier;
pub mod store;
pub mod tensor;
pub mod wgmma;

use super::super::Class;
use super::super::allocate::Width;
use super::super::op::asynchronous::{Asynchronous, Pointer};
use super::super::op::{Address, Op, Space};
use super::{Decoder, Forms, Result};
use crate::simulator::ptx::ast::Operand;
use crate::simulator::registers::Slot;

/// The forms of each family.
pub const FAMILIES: [&[Forms]; 7] = [
    copy::FORMS,
    bulk::FORMS,
    tensor::FORMS,
    store::FORMS,
    mbarrier::FORMS,
    wgmma::FORMS,
    hint::FORMS,
];

/// Whether it is an opcode of these families.
pub fn knows(opcode: &[&str]) -> bool {
    match opcode {
        ["st" | "red", second, ..] => *second == "async",
        [first, ..] => {
            let mut forms = FAMILIES.iter().flat_map(|family| family.iter());
            forms.any(|(name, _)| name == first)
        }
        [] => false,
    }
}

impl<'a> Decoder<'a> {
    pub fn asynchronous(&mut self, opcode: &str) -> Result<()> {
        let at = self.at;
        match (opcode, &at.opcode[1..]) {
            ("cp", ["async", "bulk", parts @ ..]) => self.bulk(parts),
            ("cp", ["async", parts @ ..]) => self.copy(parts),
            ("cp", ["reduce", "async", "bulk", "tensor", parts @ ..]) => {
                self.tensor_reduction(parts)
            }
            ("cp", ["reduce", "async", "bulk", parts @ ..]) => self.bulk_reduction(parts),
            ("st" | "red", ["async", parts @ ..]) => self.store_asynchronously(opcode, parts),
            ("createpolicy", _) => self.policy(),
            ("griddepcontrol", [what]) => self.dependents(what),
            ("mbarrier", [operation, parts @ ..]) => self.mbarrier(operation, parts),
            ("wgmma", parts) => self.wgmma(parts),
            ("setmaxnreg", [direction, "sync", "aligned", "u32"]) => self.set_registers(direction),
            _ => Err(self.unknown()),
        }
    }

    fn emit_asynchronous(
        &mut self,
        operation: Asynchronous,
        destinations: &[Slot],
        sources: &[Slot],
    ) {
        let op = Op::Asynchronous(Box::new(operation));
        self.emit(op, destinations, sources, Class::Asynchronous);
    }

    /// An operand between brackets: an address in a state space.
    fn pointer(&mut self, operand: &Operand<'a>, space: Space) -> Result<(Slot, Pointer)> {
        // Brackets around several operands leave them bare.
        let bare = match operand {
            Operand::Name(name) => Operand::Address {
                base: Some(name),
                offset: 0,
            },
            Operand::Offset(name, offset) => Operand::Address {
                base: Some(name),
                offset: *offset,
            },
            other => other.clone(),
        };
        let base = self.base(&bare)?;
        if space == Space::Generic && !base.wide {
            return Err(self.error("a generic address has 64 bits"));
        }
        let address = Address {
            wide: base.wide,
            offset: base.offset,
        };
        Ok((base.slot, Pointer { space, address }))
    }

    /// Whether an operand is a predicate register.
    fn is_predicate(&mut self, operand: &Operand<'a>) -> bool {
        match operand {
            Operand::Not(_) => true,
            Operand::Name(name) => self.register_of(name, Width::Predicate).is_ok(),
            _ => false,
        }
    }
}
