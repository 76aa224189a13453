//! Loads, stores, atomics (PTX ISA, 9.7.9 and 9.7.13).

use super::super::Class;
use super::super::allocate::Width;
use super::super::op::{Access, Atomic, AtomicElement, AtomicOperation, Op, Order, Scope, Space};
use super::address::space;
use super::operand::{Place, flat, kind_of};
use super::{Decoder, Forms, Result};
use crate::simulator::arithmetic::Kind;
use crate::simulator::ptx::ast::Operand;
use crate::simulator::ptx::types::Type;
use crate::simulator::registers::Slot;

pub const FORMS: &[Forms] = &[
    (
        "ld",
        &[
            "ld{.weak}{.global,.shared{::cta,::cluster},.local,.param,.const}{.ca,.cg,.cs,.lu,.cv,.nc}{.L1::…}{.L2::…}{.v2,.v4,.v8}.TYPE d, [a]",
            "ld.{volatile,relaxed.SCOPE,acquire.SCOPE,mmio.relaxed.sys}{.SPACE}{.v2,.v4,.v8}.TYPE d, [a]",
        ],
    ),
    ("ldu", &["ldu{.global}{.v2,.v4}.TYPE d, [a]"]),
    (
        "st",
        &[
            "st{.weak}{.global,.shared{::cta,::cluster},.local,.param}{.wb,.cg,.cs,.wt}{.L1::…}{.L2::…}{.v2,.v4,.v8}.TYPE [a], b",
            "st.{volatile,relaxed.SCOPE,release.SCOPE,mmio.relaxed.sys}{.SPACE}{.v2,.v4,.v8}.TYPE [a], b",
        ],
    ),
    (
        "atom",
        &[
            "atom{.relaxed,.acquire,.release,.acq_rel}{.SCOPE}{.global,.shared{::cta,::cluster}}.{and,or,xor,exch,cas}.{b32,b64} d, [a], b{, c}",
            "atom{.SEM}{.SCOPE}{.SPACE}.{add,min,max}.{u32,s32,u64,s64} d, [a], b",
            "atom{.SEM}{.SCOPE}{.SPACE}.{inc,dec}.u32 d, [a], b",
            "atom{.SEM}{.SCOPE}{.SPACE}.{add,min,max}{.noftz}{.v2,.v4,.v8}.{f16,f16x2,bf16,bf16x2,f32,f64} d, [a], b",
            "atom{.SEM}{.SCOPE}{.SPACE}.cas.b16 d, [a], b, c",
        ],
    ),
    (
        "red",
        &[
            "red{.relaxed,.release}{.SCOPE}{.global,.shared{::cta,::cluster}}.{and,or,xor}.{b32,b64} [a], b",
            "red{.SEM}{.SCOPE}{.SPACE}.{add,min,max}.{u32,s32,u64,s64} [a], b",
            "red{.SEM}{.SCOPE}{.SPACE}.{inc,dec}.u32 [a], b",
            "red{.SEM}{.SCOPE}{.SPACE}.{add,min,max}{.noftz}{.v2,.v4,.v8}.{f16,f16x2,bf16,bf16x2,f32,f64} [a], b",
        ],
    ),
];

/// What the parts of an opcode say.
struct Parts {
    space: Space,
    order: Order,
    scope: Scope,
    count: u32,
    ty: Type,
    operation: Option<AtomicOperation>,
}

/// A place in memory, as an operand gives it.
pub struct Base {
    pub slot: Slot,
    pub wide: bool,
    pub offset: i64,
    /// What a name of a variable implies.
    pub space: Option<Space>,
}

/// A scope by its name.
pub fn scope_of(name: &str) -> Option<Scope> {
    match name {
        "cta" => Some(Scope::Block),
        "cluster" => Some(Scope::Cluster),
        "gpu" | "sys" => Some(Scope::Device),
        _ => None,
    }
}

impl<'a> Decoder<'a> {
    pub fn load_store(&mut self, opcode: &str) -> Result<()> {
        let at = self.at;
        let parts = self.parts(opcode)?;
        self.orders(parts.order, parts.space, parts.scope);
        match (opcode, at.operands.as_slice()) {
            ("ld" | "ldu", [d, a, ..]) => {
                let base = self.base(a)?;
                let mut access = self.access(&parts, &base);
                let kind = kind_of(parts.ty);
                let destinations = flat(d);
                self.same_count(destinations.len(), parts.count)?;
                let named = destinations
                    .iter()
                    .find(|one| !matches!(one, Operand::Sink));
                let kind = match named {
                    Some(named) => self.wide_destination(named, kind)?.1,
                    None => kind,
                };
                let mut slots = Vec::new();
                for destination in destinations {
                    // A vector has registers of one type (PTX ISA, 6.4.3).
                    let (slot, other) = self.wide_destination(destination, kind)?;
                    self.same_width(kind, other)?;
                    slots.push(slot);
                }
                access.wide_registers = kind == Kind::B64;
                access.narrow_registers = kind == Kind::B16;
                self.emit(Op::Load(access), &slots, &[base.slot], Class::Memory);
            }
            ("st", [a, b, ..]) => {
                let base = self.base(a)?;
                let mut access = self.access(&parts, &base);
                let mut slots = vec![base.slot];
                let values = flat(b);
                self.same_count(values.len(), parts.count)?;
                for (index, value) in values.into_iter().enumerate() {
                    let (slot, wide) = self.stored(value, parts.ty)?;
                    if index > 0 {
                        self.same_width(access.wide_registers, wide)?;
                    }
                    access.wide_registers = wide;
                    slots.push(slot);
                }
                self.emit(Op::Store(access), &[], &slots, Class::Memory);
            }
            ("atom" | "red", operands) => self.atomic(opcode == "atom", &parts, operands)?,
            _ => return Err(self.unknown()),
        }
        Ok(())
    }

    fn atomic(&mut self, returns: bool, parts: &Parts, operands: &'a [Operand<'a>]) -> Result<()> {
        self.communicates |= parts.space != Space::Shared;
        let operation = parts.operation.ok_or_else(|| self.unknown())?;
        let (result, operands) = match (returns, operands) {
            (true, [result, rest @ ..]) => (Some(result), rest),
            (true, []) => return Err(self.unknown()),
            (false, rest) => (None, rest),
        };
        let (a, values) = operands.split_first().ok_or_else(|| self.unknown())?;
        let base = self.base(a)?;
        let mut access = self.access(parts, &base);
        access.wide_registers = parts.ty.bits() == 64;
        access.narrow_registers = parts.ty.bits() == 16;
        if parts.order == Order::Weak {
            access.order = Order::Relaxed; // PTX ISA, "atom": the default
        }
        let (float, signed) = (
            parts.ty.name().contains('f'),
            parts.ty.name().starts_with('s'),
        );
        let element = match parts.ty {
            Type::F16 => AtomicElement::F16,
            Type::F16x2 => AtomicElement::F16x2,
            Type::Bf16 => AtomicElement::Bf16,
            Type::Bf16x2 => AtomicElement::Bf16x2,
            Type::F32 => AtomicElement::F32,
            Type::F64 => AtomicElement::F64,
            _ if signed => AtomicElement::Signed,
            ty if ty.name().starts_with('b') => AtomicElement::Bits,
            _ => AtomicElement::Unsigned,
        };
        use AtomicOperation as O;
        let known = match operation {
            O::Add | O::Min | O::Max => element != AtomicElement::Bits,
            O::Increment | O::Decrement => parts.ty == Type::U32,
            _ => !float,
        };
        let wanted = if operation == O::CompareAndSwap { 2 } else { 1 };
        // A cache policy may follow.
        if !known || values.len() < wanted {
            return Err(self.unknown());
        }
        let kind = kind_of(parts.ty);
        let mut sources = vec![base.slot];
        for value in &values[..wanted] {
            let elements = flat(value);
            self.same_count(elements.len(), parts.count)?;
            for element in elements {
                let kind = if kind == Kind::B32 && float && parts.ty == Type::F32 {
                    Kind::F32
                } else {
                    kind
                };
                sources.push(self.source(element, kind)?);
            }
        }
        let mut destinations = Vec::new();
        if let Some(result) = result {
            let elements = match result {
                Operand::Sink => vec![result; parts.count as usize],
                other => flat(other),
            };
            self.same_count(elements.len(), parts.count)?;
            for element in elements {
                destinations.push(self.destination(element, kind)?.0);
            }
        }
        let atomic = Atomic {
            access,
            operation,
            element,
            returns,
        };
        self.emit(Op::Atomic(atomic), &destinations, &sources, Class::Atomic);
        Ok(())
    }

    fn parts(&self, opcode: &str) -> Result<Parts> {
        let middle = &self.at.opcode[1..];
        let Some((ty, middle)) = middle.split_last() else {
            return Err(self.unknown());
        };
        let ty = Type::from_name(ty).ok_or_else(|| self.unknown())?;
        if !(8..=64).contains(&ty.bits()) {
            return Err(self.unknown());
        }
        let mut parts = Parts {
            space: Space::Generic,
            order: Order::Weak,
            scope: Scope::Device,
            count: 1,
            ty,
            operation: None,
        };
        let atomic = matches!(opcode, "atom" | "red");
        for &part in middle {
            match part {
                "weak" => {}
                "cta" | "cluster" | "gpu" | "sys" => {
                    parts.scope = scope_of(part).unwrap_or_default();
                }
                "ca" | "cg" | "cs" | "lu" | "cv" | "nc" | "wb" | "wt" if !atomic => {}
                "noftz" if atomic => {}
                "relaxed" | "volatile" | "mmio" => parts.order = Order::Relaxed,
                "acquire" if opcode != "st" => parts.order = Order::Acquire,
                "release" if opcode != "ld" => parts.order = Order::Release,
                "acq_rel" if atomic => parts.order = Order::AcquireRelease,
                "v2" => parts.count = 2,
                "v4" => parts.count = 4,
                "v8" => parts.count = 8,
                "add" if atomic => parts.operation = Some(AtomicOperation::Add),
                "min" if atomic => parts.operation = Some(AtomicOperation::Min),
                "max" if atomic => parts.operation = Some(AtomicOperation::Max),
                "and" if atomic => parts.operation = Some(AtomicOperation::And),
                "or" if atomic => parts.operation = Some(AtomicOperation::Or),
                "xor" if atomic => parts.operation = Some(AtomicOperation::Xor),
                "exch" if atomic => parts.operation = Some(AtomicOperation::Exchange),
                "cas" if atomic => parts.operation = Some(AtomicOperation::CompareAndSwap),
                "inc" if atomic => parts.operation = Some(AtomicOperation::Increment),
                "dec" if atomic => parts.operation = Some(AtomicOperation::Decrement),
                _ if part.starts_with("L1::") || part.starts_with("L2::") => {}
                _ => match space(part) {
                    Some(space) => parts.space = space,
                    None => return Err(self.unknown()),
                },
            }
        }
        if parts.count * ty.bits() / 8 > 32 {
            return Err(self.unknown());
        }
        Ok(parts)
    }

    fn access(&self, parts: &Parts, base: &Base) -> Access {
        let local = base.space == Some(Space::Local) && parts.space == Space::Parameter;
        Access {
            // Arguments of calls are kept in local memory.
            space: if local { Space::Local } else { parts.space },
            offset: base.offset,
            wide_base: base.wide,
            bytes: parts.ty.bits() / 8,
            count: parts.count,
            signed: parts.ty.name().starts_with('s'),
            wide_registers: parts.ty.bits() == 64,
            narrow_registers: false,
            order: parts.order,
            scope: parts.scope,
        }
    }

    fn same_count(&self, found: usize, wanted: u32) -> Result<()> {
        if found == wanted as usize {
            return Ok(());
        }
        Err(self.error(format!(
            "the instruction moves {wanted} elements, but {found} registers are given"
        )))
    }

    fn same_width<T: PartialEq>(&self, one: T, other: T) -> Result<()> {
        if one == other {
            return Ok(());
        }
        Err(self.error("the registers of a vector have one width"))
    }

    /// A value that is stored: its register may be wider than what is stored of it.
    fn stored(&mut self, operand: &Operand<'a>, ty: Type) -> Result<(Slot, bool)> {
        if let Operand::Name(name) = operand
            && let Ok(Place::Register(slot, width)) = self.place(name)
        {
            let bits = self.declared_register(name)?.1.bits();
            if width == Width::Predicate || bits < ty.bits() {
                return Err(self.error(format!("`{name}` is narrower than what is stored")));
            }
            return Ok((slot, width == Width::Pair));
        }
        let kind = match ty {
            Type::F32 => Kind::F32,
            Type::F64 => Kind::F64,
            other => kind_of(other),
        };
        Ok((self.source(operand, kind)?, ty.bits() == 64))
    }

    /// What stands between brackets.
    pub fn base(&mut self, operand: &Operand<'a>) -> Result<Base> {
        let Operand::Address { base, offset } = operand else {
            return Err(self.error("the address needs brackets: `[register+bytes]`"));
        };
        let Some(name) = base else {
            let slot = self.constant(super::Constant::Bits64(0));
            return Ok(Base {
                slot,
                wide: true,
                offset: *offset,
                space: None,
            });
        };
        match self.place(name)? {
            Place::Register(_, Width::Predicate) => {
                Err(self.error(format!("`{name}` is a predicate and holds no address")))
            }
            Place::Register(slot, width) => Ok(Base {
                slot,
                wide: width == Width::Pair,
                offset: *offset,
                space: None,
            }),
            Place::Address(space, slot, width) => Ok(Base {
                slot,
                wide: width == Width::Pair,
                offset: *offset,
                space: Some(space),
            }),
        }
    }
}
