//! Tensor-core instructions of one warp.

use super::super::Class;
use super::super::op::{Address, Op};
use super::load_store::Base;
use super::operand::flat;
use super::{Decoder, Result};
use crate::simulator::arithmetic::Kind;
use crate::simulator::matrix::Operand as Registers;
use crate::simulator::matrix::mma::Mma;
use crate::simulator::matrix::movement::{LoadMatrix, MoveMatrix, StoreMatrix};
use crate::simulator::ptx::ast::Operand;
use crate::simulator::registers::Slot;

pub const OPCODES: [&str; 4] = ["mma", "ldmatrix", "stmatrix", "movmatrix"];

/// The known forms of an opcode.
pub fn forms(opcode: &str) -> Vec<String> {
    match opcode {
        "mma" => Mma::forms(),
        "ldmatrix" => LoadMatrix::forms(),
        "stmatrix" => StoreMatrix::forms(),
        "movmatrix" => vec!["movmatrix.sync.aligned.m8n8.trans.b16 d, a".to_owned()],
        _ => Vec::new(),
    }
}

impl<'a> Decoder<'a> {
    pub fn matrix(&mut self, opcode: &str) -> Result<()> {
        let at = self.at;
        match (opcode, at.operands.as_slice()) {
            ("mma", [d, a, b, c]) => {
                let mma = Mma::find(&at.opcode).ok_or_else(|| self.unknown())?;
                let mut sources = Vec::new();
                for (operand, registers) in [(a, mma.a()), (b, mma.b()), (c, mma.c())] {
                    sources.extend(self.fragment(operand, registers, false)?);
                }
                let destinations = self.fragment(d, mma.d(), true)?;
                self.emit(
                    Op::Mma(Box::new(mma)),
                    &destinations,
                    &sources,
                    Class::Matrix,
                );
            }
            ("ldmatrix", [d, a]) => {
                let load = LoadMatrix::find(&at.opcode).ok_or_else(|| self.unknown())?;
                let base = self.base(a)?;
                let address = self.matrix_address(&base, load.generic())?;
                let registers = Registers {
                    count: load.registers(),
                    bits: 32,
                };
                let destinations = self.fragment(d, registers, true)?;
                let op = Op::MatrixLoad(Box::new(load), address);
                self.emit(op, &destinations, &[base.slot], Class::Matrix);
            }
            ("stmatrix", [a, b]) => {
                let store = StoreMatrix::find(&at.opcode).ok_or_else(|| self.unknown())?;
                let base = self.base(a)?;
                let address = self.matrix_address(&base, store.generic())?;
                let registers = Registers {
                    count: store.registers(),
                    bits: 32,
                };
                let mut sources = vec![base.slot];
                sources.extend(self.fragment(b, registers, false)?);
                let op = Op::MatrixStore(Box::new(store), address);
                self.emit(op, &[], &sources, Class::Matrix);
            }
            ("movmatrix", [d, a]) => {
                MoveMatrix::find(&at.opcode).ok_or_else(|| self.unknown())?;
                let a = self.source(a, Kind::B32)?;
                let (d, _) = self.destination(d, Kind::B32)?;
                self.emit(Op::MatrixMove, &[d], &[a], Class::Matrix);
            }
            _ => return Err(self.unknown()),
        }
        Ok(())
    }

    /// The registers of a matrix operand.
    pub fn fragment(
        &mut self,
        operand: &'a Operand<'a>,
        registers: Registers,
        written: bool,
    ) -> Result<Vec<Slot>> {
        let elements = flat(operand);
        if elements.len() != registers.count {
            return Err(self.error(format!(
                "this operand takes {} registers of {} bits, but {} are given",
                registers.count,
                registers.bits,
                elements.len()
            )));
        }
        let kind = if registers.bits == 64 {
            Kind::F64
        } else {
            Kind::F32
        };
        let mut slots = Vec::with_capacity(elements.len());
        for element in elements {
            slots.push(if written {
                self.destination(element, kind)?.0
            } else {
                self.source(element, kind)?
            });
        }
        Ok(slots)
    }

    fn matrix_address(&self, base: &Base, generic: bool) -> Result<Address> {
        if generic && !base.wide {
            return Err(self.error("a generic address has 64 bits"));
        }
        Ok(Address {
            wide: base.wide,
            offset: base.offset,
        })
    }
}
