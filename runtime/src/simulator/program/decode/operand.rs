//! Operands: registers, literals, special registers, names of variables.

use super::super::allocate::Width;
use super::super::op::{Op, Space, Special};
use super::super::{Class, Constant};
use super::{Decoder, Result};
use crate::simulator::arithmetic::{self, Kind};
use crate::simulator::memory::shared;
use crate::simulator::ptx::ast::{self, Operand};
use crate::simulator::ptx::scope::Named;
use crate::simulator::ptx::types::Type;
use crate::simulator::registers::Slot;

/// The elements of a vector, both of a pair, or the operand itself.
pub fn flat<'a>(operand: &'a Operand<'a>) -> Vec<&'a Operand<'a>> {
    match operand {
        Operand::Vector(elements) => elements.iter().collect(),
        Operand::Pair(both) => both.iter().collect(),
        other => vec![other],
    }
}

/// Where the value of a name is.
pub enum Place {
    /// In a register.
    Register(Slot, Width),
    /// It is an address: of this space, in a register that never changes.
    Address(Space, Slot, Width),
}

const fn width_of(kind: Kind) -> Width {
    match kind {
        Kind::Predicate => Width::Predicate,
        Kind::B64 | Kind::F64 => Width::Pair,
        _ => Width::Row,
    }
}

impl<'a> Decoder<'a> {
    /// The register that holds a source operand.
    pub fn source(&mut self, operand: &Operand<'a>, kind: Kind) -> Result<Slot> {
        match operand {
            Operand::Name(name) => self.name(name, kind),
            Operand::Component(name, component) => match special(name, Some(component)) {
                Some(special) => self.special(special, kind),
                None => Err(self.error(format!("`{name}.{component}` is no special register"))),
            },
            Operand::Not(name) => {
                let slot = self.register_of(name, Width::Predicate)?;
                let result = self.fresh(Width::Predicate);
                let not = arithmetic::find(&["not", "pred"], 1, 1);
                let not = not.ok_or_else(|| self.error("predicates cannot be negated here"))?;
                let guard = self.guard.take();
                self.emit(Op::Compute(not.run), &[result], &[slot], Class::Predicate);
                self.guard = guard;
                Ok(result)
            }
            Operand::Offset(name, offset) => match self.place(name)? {
                Place::Address(_, slot, _) => {
                    let found = self.constants.iter().find(|(_, other)| **other == slot);
                    let moved = match found.map(|(constant, _)| *constant) {
                        Some(Constant::Bits32(bits)) => {
                            Constant::Bits64(u64::from(bits).wrapping_add_signed(*offset))
                        }
                        Some(Constant::Global(number, at)) => {
                            Constant::Global(number, at.wrapping_add(*offset))
                        }
                        _ => return Err(self.error(format!("`{name}` is no address"))),
                    };
                    Ok(self.literal_of(moved, kind))
                }
                Place::Register(..) => Err(self.error(format!(
                    "`{name}` is a register: an offset to it needs brackets around it"
                ))),
            },
            Operand::Integer(_) | Operand::Single(_) | Operand::Double(_) => {
                match literal(operand, kind) {
                    Some(constant) => Ok(self.constant(constant)),
                    None => Err(self.error("this literal does not suit the type of the operand")),
                }
            }
            _ => Err(self.error("an operand is not of the kind that the instruction takes")),
        }
    }

    /// The register that a result goes to, and what it holds by its declaration.
    pub fn destination(&mut self, operand: &Operand<'a>, kind: Kind) -> Result<(Slot, Kind)> {
        self.destination_of(operand, kind, false)
    }

    /// The same of a result that a wider register may take, as that of `ld` (PTX ISA, 9.4.1).
    pub fn wide_destination(&mut self, operand: &Operand<'a>, kind: Kind) -> Result<(Slot, Kind)> {
        self.destination_of(operand, kind, true)
    }

    fn destination_of(
        &mut self,
        operand: &Operand<'a>,
        kind: Kind,
        may_be_wide: bool,
    ) -> Result<(Slot, Kind)> {
        match operand {
            Operand::Sink => Ok((self.fresh(width_of(kind)), kind)),
            Operand::Name(name) => {
                let (slot, declared) = self.declared_register(name)?;
                let declared = kind_of(declared);
                let fits = match (width_of(kind), width_of(declared)) {
                    (Width::Row, Width::Row) => declared.bits() >= kind.bits(),
                    (Width::Row, Width::Pair) => may_be_wide,
                    (a, b) => a == b,
                };
                if !fits {
                    return Err(self.error(format!(
                        "`{name}` has {} bits, but the result has {}",
                        declared.bits(),
                        kind.bits()
                    )));
                }
                Ok((slot, declared))
            }
            _ => Err(self.error("the destination is no register")),
        }
    }

    fn name(&mut self, name: &'a str, kind: Kind) -> Result<Slot> {
        if let Some(special) = special(name, None) {
            return self.special(special, kind);
        }
        match self.place(name)? {
            Place::Register(slot, width) if width == width_of(kind) => Ok(slot),
            // A wide register's low bits, as `st` and `cvt` allow (PTX ISA, 9.4.1).
            Place::Register(slot, Width::Pair) if width_of(kind) == Width::Row => Ok(slot),
            Place::Register(..) => Err(self.error(format!(
                "the register `{name}` is narrower than the {} bits that the instruction reads, \
                 or is a predicate",
                kind.bits()
            ))),
            Place::Address(_, slot, width) => {
                if width == width_of(kind) {
                    return Ok(slot);
                }
                let found = self.constants.iter().find(|(_, other)| **other == slot);
                match found.map(|(constant, _)| *constant) {
                    Some(Constant::Bits32(bits)) => {
                        Ok(self.literal_of(Constant::Bits64(bits.into()), kind))
                    }
                    _ => Err(self.error(format!("the address of `{name}` needs 64 bits"))),
                }
            }
        }
    }

    fn literal_of(&mut self, constant: Constant, kind: Kind) -> Slot {
        #[allow(clippy::cast_possible_truncation)] // the instruction asks for that
        let constant = match (constant, width_of(kind)) {
            (Constant::Bits64(bits), Width::Row) => Constant::Bits32(bits as u32),
            (other, _) => other,
        };
        self.constant(constant)
    }

    /// What a name means where the instruction stands.
    pub fn place(&mut self, name: &str) -> Result<Place> {
        match self.body.resolve(self.at.scope, name) {
            Some(Named::Register { .. }) => {
                let (slot, ty) = self.declared_register(name)?;
                Ok(Place::Register(slot, width_of(kind_of(ty))))
            }
            Some(Named::Parameter(_)) => match self.variables.parameter(name) {
                Some(offset) => {
                    let slot = self.constant(Constant::Bits32(offset));
                    Ok(Place::Address(Space::Parameter, slot, Width::Row))
                }
                None => Err(self.error(format!("`{name}` is no parameter"))),
            },
            Some(Named::Variable(index)) => self.variable_of_body(index, name),
            Some(_) => Err(self.error(format!("`{name}` is no register and no variable"))),
            None => self.variable_of_module(name),
        }
    }

    fn variable_of_body(&mut self, index: usize, name: &str) -> Result<Place> {
        if let Some(&offset) = self.variables.local.get(&index) {
            let slot = self.constant(Constant::Bits32(offset));
            return Ok(Place::Address(Space::Local, slot, Width::Row));
        }
        if let Some(&offset) = self.variables.body_shared.get(&index) {
            let slot = self.constant(Constant::Bits32(shared::START + offset));
            return Ok(Place::Address(Space::Shared, slot, Width::Row));
        }
        Err(self.error(format!(
            "`{name}` is in a state space that is not known here"
        )))
    }

    fn variable_of_module(&mut self, name: &str) -> Result<Place> {
        if let Some(&offset) = self.variables.shared.get(name) {
            let slot = self.constant(Constant::Bits32(shared::START + offset));
            return Ok(Place::Address(Space::Shared, slot, Width::Row));
        }
        if let Some(number) = self.variables.global(name) {
            let slot = self.constant(Constant::Global(number, 0));
            return Ok(Place::Address(Space::Global, slot, Width::Pair));
        }
        let mut error = self.error(format!("`{name}` is declared nowhere"));
        let declared = self.body.registers.iter().map(|register| register.name);
        error.help.extend(
            declared
                .filter(|declared| name.starts_with(declared))
                .map(|name| format!(".reg {name}")),
        );
        Err(error)
    }

    /// A declared register of that width.
    pub fn register_of(&mut self, name: &str, width: Width) -> Result<Slot> {
        let (slot, ty) = self.declared_register(name)?;
        if width_of(kind_of(ty)) == width {
            return Ok(slot);
        }
        Err(self.error(format!("`{name}` is a register of type `.{}`", ty.name())))
    }

    /// A declared register and its type.
    pub fn declared_register(&mut self, name: &str) -> Result<(Slot, Type)> {
        let Some(Named::Register { declaration, index }) = self.body.resolve(self.at.scope, name)
        else {
            return match self.place_is_no_register(name) {
                true => Err(self.error(format!("`{name}` is no register"))),
                false => Err(self
                    .variable_of_module(name)
                    .err()
                    .unwrap_or_else(|| self.error(format!("`{name}` is no register")))),
            };
        };
        let registers: &ast::Registers<'a> = &self.body.registers[declaration];
        let ty = registers.ty;
        if registers.vector != 1 || ty.bits() > 64 {
            let message =
                format!("registers such as `{name}`, wider than 64 bits, are not known here");
            return Err(self.error(message));
        }
        if let Some(&slot) = self.declared.get(&(declaration, index)) {
            return Ok((slot, ty));
        }
        let slot = self.add(name.to_owned(), width_of(kind_of(ty)));
        self.declared.insert((declaration, index), slot);
        Ok((slot, ty))
    }

    fn place_is_no_register(&self, name: &str) -> bool {
        self.body.resolve(self.at.scope, name).is_some()
    }

    fn special(&mut self, special: Special, kind: Kind) -> Result<Slot> {
        let wide = width_of(kind) == Width::Pair;
        if !matches!(special, Special::Clock | Special::GlobalTimer) {
            return Ok(self.constant(Constant::Special(special, wide)));
        }
        let now = self.fresh(Width::Pair);
        self.emit(Op::Read(special), &[now], &[], Class::Move);
        if wide {
            return Ok(now);
        }
        let low = self.fresh(Width::Row);
        let narrow = arithmetic::find(&["cvt", "u32", "u64"], 1, 1);
        let narrow = narrow.ok_or_else(|| self.error("a clock of 32 bits is not known here"))?;
        self.emit(Op::Compute(narrow.run), &[low], &[now], Class::Move);
        Ok(low)
    }

    /// A register that never changes.
    pub fn constant(&mut self, constant: Constant) -> Slot {
        if let Some(&slot) = self.constants.get(&constant) {
            return slot;
        }
        let width = match constant {
            Constant::Bits32(_) | Constant::Special(_, false) => Width::Row,
            Constant::Bits64(_) | Constant::Global(..) | Constant::Special(_, true) => Width::Pair,
            Constant::Predicate(_) | Constant::Carry => Width::Predicate,
        };
        let slot = self.add(String::new(), width);
        self.constants.insert(constant, slot);
        slot
    }

    /// A register that no name refers to.
    pub fn fresh(&mut self, width: Width) -> Slot {
        self.add(String::new(), width)
    }

    fn add(&mut self, name: String, width: Width) -> Slot {
        let slot = Slot(u32::try_from(self.registers.len()).unwrap_or(u32::MAX));
        self.registers.push((name, width));
        slot
    }
}

/// What a register holds.
pub fn kind_of(ty: Type) -> Kind {
    match ty.bits() {
        1 => Kind::Predicate,
        8 => Kind::B8,
        16 => Kind::B16,
        32 => Kind::B32,
        _ => Kind::B64,
    }
}

/// A literal in the place of an operand.
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)] // as the type asks for
fn literal(operand: &Operand<'_>, kind: Kind) -> Option<Constant> {
    let narrow = |bits: u64| match kind {
        Kind::B8 => Constant::Bits32(bits as u8 as u32),
        Kind::B16 => Constant::Bits32(bits as u16 as u32),
        Kind::B64 | Kind::F64 => Constant::Bits64(bits),
        _ => Constant::Bits32(bits as u32),
    };
    Some(match (operand, kind) {
        (Operand::Integer(value), Kind::Predicate) => Constant::Predicate(*value != 0),
        (Operand::Integer(value), Kind::F32) => Constant::Bits32((*value as f32).to_bits()),
        (Operand::Integer(value), Kind::F64) => Constant::Bits64((*value as f64).to_bits()),
        (Operand::Integer(value), _) => narrow(value.cast_unsigned()),
        (Operand::Single(bits), Kind::F64 | Kind::B64) => {
            Constant::Bits64(f64::from(f32::from_bits(*bits)).to_bits())
        }
        (Operand::Single(bits), Kind::F32 | Kind::B32) => Constant::Bits32(*bits),
        (Operand::Double(bits), Kind::F64 | Kind::B64) => Constant::Bits64(*bits),
        (Operand::Double(bits), Kind::F32 | Kind::B32) => {
            Constant::Bits32((f64::from_bits(*bits) as f32).to_bits())
        }
        _ => return None,
    })
}

/// A special register by its name (PTX ISA, chapter 10).
fn special(name: &str, component: Option<&str>) -> Option<Special> {
    let name = name.strip_prefix('%')?;
    let axis = match component {
        Some("x") => 0,
        Some("y") => 1,
        Some("z") => 2,
        Some(_) => return None,
        None => {
            return Some(match name {
                "laneid" => Special::LaneId,
                "warpid" => Special::WarpId,
                "nwarpid" => Special::NwarpId,
                "smid" => Special::SmId,
                "nsmid" => Special::NsmId,
                "gridid" => Special::GridId,
                "lanemask_eq" => Special::LaneMaskEq,
                "lanemask_le" => Special::LaneMaskLe,
                "lanemask_lt" => Special::LaneMaskLt,
                "lanemask_ge" => Special::LaneMaskGe,
                "lanemask_gt" => Special::LaneMaskGt,
                "cluster_ctarank" => Special::ClusterCtaRank,
                "cluster_nctarank" => Special::ClusterNctaRank,
                "is_explicit_cluster" => Special::IsExplicitCluster,
                "dynamic_smem_size" => Special::DynamicSharedBytes,
                "total_smem_size" | "aggr_smem_size" => Special::TotalSharedBytes,
                "clock" | "clock64" => Special::Clock,
                "globaltimer" | "globaltimer_lo" => Special::GlobalTimer,
                _ => return None,
            });
        }
    };
    Some(match name {
        "tid" => Special::Tid(axis),
        "ntid" => Special::Ntid(axis),
        "ctaid" => Special::CtaId(axis),
        "nctaid" => Special::NctaId(axis),
        "clusterid" => Special::ClusterId(axis),
        "nclusterid" => Special::NclusterId(axis),
        "cluster_ctaid" => Special::ClusterCtaId(axis),
        "cluster_nctaid" => Special::ClusterNctaId(axis),
        _ => return None,
    })
}
