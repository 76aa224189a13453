//! Numbers that blocks take from a counter in global memory (PTX ISA, "atom", `.inc`).
//!
//! One thread takes a number and shows it to the others in shared memory; `barriers` sees to it that they wait for it, or mbarriers
//! where it has slots.
//! The atomic operation orders nothing: what a program computes does not depend on which block computes it.

use super::ToLlvm;
use super::threads::{inline_asm, int};
use crate::build::{Builder, Rebuilder};
use crate::dialect::ops::{Ticket, TicketRead, TicketShow};
use crate::ir::{Operation, Value, int_attribute, key, results};

impl<'c> ToLlvm<'_, '_, 'c> {
    pub(super) fn ticket(&mut self, to: &mut Rebuilder<'c>, ticket: Ticket<'c>) {
        let inputs = [to.one(ticket.counter()), to.one(ticket.last())];
        let builder = &mut to.builder;
        let word = builder.int_type(32);
        let speaks = self.speaks(builder, ticket.0);
        let inputs = [inputs[0], inputs[1], speaks];
        let text = "mov.b32 $0, 0;\n@$3 atom.relaxed.gpu.global.inc.u32 $0, [$1], $2;";
        let constraints = "=&r,l,r,b,~{memory}";
        let number = inline_asm(builder, text, constraints, &inputs, &[word], true);
        to.bind(ticket.result(), number);
    }

    pub(super) fn ticket_show(&mut self, to: &mut Rebuilder<'c>, show: TicketShow<'c>) {
        let mut inputs = vec![self.ticket_place(&mut to.builder, show.buffer())];
        inputs.extend(show.values().into_iter().map(|value| to.one(value)));
        let speaks = self.speaks(&mut to.builder, show.0);
        inputs.push(speaks);
        let text = "@$5 st.shared.v4.b32 [$0], {$1, $2, $3, $4};";
        let constraints = "r,r,r,r,r,b,~{memory}";
        inline_asm(&mut to.builder, text, constraints, &inputs, &[], true);
    }

    pub(super) fn ticket_read(&mut self, to: &mut Rebuilder<'c>, read: TicketRead<'c>) {
        let at = self.ticket_place(&mut to.builder, read.buffer());
        let types = [to.builder.int_type(32); 4];
        let text = "ld.shared.v4.b32 {$0, $1, $2, $3}, [$4];";
        let constraints = "=r,=r,=r,=r,r,~{memory}";
        let shown = inline_asm(&mut to.builder, text, constraints, &[at], &types, true);
        for (old, new) in results(read.0).into_iter().zip(shown) {
            to.bind(old, vec![new]);
        }
    }

    /// Whether this thread speaks for the others: the first one, or the only one that is here.
    fn speaks(&self, builder: &mut Builder<'c>, operation: Operation<'c>) -> Value<'c> {
        match int_attribute(operation, "alone") {
            Some(_) => {
                let truth = builder.int_type(1);
                builder.constant_int(1, truth)
            }
            None => self.is_first(builder),
        }
    }

    fn ticket_place(&self, builder: &mut Builder<'c>, buffer: Value<'c>) -> Value<'c> {
        let offset = int(builder, self.buffer_offset(buffer));
        let place = self.address_word(builder, offset);
        match self.stages.get(&key(buffer)) {
            Some(stage) => builder.add(place, *stage),
            None => place,
        }
    }
}
