//! `wgmma`, and the registers of warpgroups (PTX ISA, "Asynchronous Warpgroup Level Matrix
//! Instructions", "setmaxnreg").

use crate::simulator::arithmetic::Kind;
use crate::simulator::matrix::wgmma::Wgmma;
use crate::simulator::program::decode::{Decoder, Forms, Result};
use crate::simulator::program::op::asynchronous::{
    Asynchronous, Multiply, Queue, SetRegisters, Wait,
};
use crate::simulator::ptx::ast::Operand;

pub const FORMS: &[Forms] = &[
    (
        "wgmma",
        &[
            "wgmma.fence.sync.aligned",
            "wgmma.mma_async.sync.aligned.m64nNk16.{f16,f32}.f16.f16 d, a, b, scale-d, scale-a, scale-b{, trans-a}, trans-b",
            "wgmma.mma_async.sync.aligned.m64nNk16.f32.bf16.bf16 d, a, b, scale-d, scale-a, scale-b{, trans-a}, trans-b",
            "wgmma.mma_async.sync.aligned.m64nNk8.f32.tf32.tf32 d, a, b, scale-d, scale-a, scale-b",
            "wgmma.mma_async.sync.aligned.m64nNk32.{f16,f32}.{e4m3,e5m2}.{e4m3,e5m2} d, a, b, scale-d, scale-a, scale-b",
            "wgmma.mma_async.sync.aligned.m64nNk32{.satfinite}.s32.{s8,u8}.{s8,u8} d, a, b, scale-d",
            "wgmma.mma_async.sync.aligned.m64nNk256.s32.b1.b1.and.popc d, a, b, scale-d",
            "wgmma.commit_group.sync.aligned",
            "wgmma.wait_group.sync.aligned n",
        ],
    ),
    ("setmaxnreg", &["setmaxnreg.{inc,dec}.sync.aligned.u32 n"]),
];

impl<'a> Decoder<'a> {
    pub fn wgmma(&mut self, parts: &[&str]) -> Result<()> {
        match (parts, self.at.operands.as_slice()) {
            (["fence", "sync", "aligned"], []) => {
                self.emit_asynchronous(Asynchronous::WgmmaFence, &[], &[]);
            }
            (["commit_group", "sync", "aligned"], []) => {
                self.emit_asynchronous(Asynchronous::Commit(Queue::Wgmma), &[], &[]);
            }
            (["wait_group", "sync", "aligned"], [count]) => {
                let wait = Wait {
                    queue: Queue::Wgmma,
                    pending: Some(self.count(count)?),
                    reads_only: false,
                };
                self.emit_asynchronous(Asynchronous::Wait(wait), &[], &[]);
            }
            (["mma_async", ..], [d, a, b, scale, immediates @ ..]) => {
                self.multiply([d, a, b, scale], immediates)?;
            }
            _ => return Err(self.unknown()),
        }
        Ok(())
    }

    fn multiply(
        &mut self,
        [d, a, b, scale]: [&'a Operand<'a>; 4],
        immediates: &'a [Operand<'a>],
    ) -> Result<()> {
        let wgmma = Wgmma::find(&self.at.opcode).ok_or_else(|| self.unknown())?;
        let a_in_registers = matches!(a, Operand::Vector(_));
        let mut values = Vec::new();
        for immediate in immediates {
            match immediate {
                Operand::Integer(value) => values.push(*value),
                _ => return Err(self.error("what follows scale-d must be literals")),
            }
        }
        let immediates = wgmma.decode(a_in_registers, &values).ok_or_else(|| {
            let names = wgmma.immediates(a_in_registers);
            self.error(format!(
                "after scale-d there must be {} literals here: {names:?}, of which scales are 1 \
                 or -1 and the others 0 or 1",
                names.len()
            ))
        })?;
        let multiply = Multiply {
            wgmma,
            immediates,
            a_in_registers,
            reads_d: !matches!(scale, Operand::Integer(0)),
        };
        let mut sources = Vec::new();
        if multiply.reads_d {
            sources.extend(self.fragment(d, wgmma.d(), false)?);
        }
        if a_in_registers {
            sources.extend(self.fragment(a, wgmma.a(), false)?);
        } else {
            sources.push(self.source(a, Kind::B64)?);
        }
        sources.push(self.source(b, Kind::B64)?);
        sources.push(self.source(scale, Kind::Predicate)?);
        let destinations = self.fragment(d, wgmma.d(), true)?;
        self.emit_asynchronous(Asynchronous::Multiply(multiply), &destinations, &sources);
        Ok(())
    }

    pub fn set_registers(&mut self, direction: &str) -> Result<()> {
        let increases = match direction {
            "inc" => true,
            "dec" => false,
            _ => return Err(self.unknown()),
        };
        let [Operand::Integer(count)] = self.at.operands.as_slice() else {
            return Err(self.error("the number of registers must be a literal"));
        };
        let count = u32::try_from(*count).unwrap_or(0);
        if !(24..=256).contains(&count) || count % 8 != 0 {
            return Err(self.error("the number of registers must be a multiple of 8, 24 to 256"));
        }
        let set = SetRegisters { increases, count };
        self.emit_asynchronous(Asynchronous::SetRegisters(set), &[], &[]);
        Ok(())
    }
}
