//! Statements: control flow, assignments and stores.

use std::rc::Rc;

use tile_runtime::element::ElementType;
use tile_runtime::numeric::Scalar;

use crate::diagnostic::Span;
use crate::typed::{
    AtomicOperation, BinaryOperation, Block, Element, Expr, Label, Stmt, StmtKind, VariableId,
};

use super::arithmetic;
use super::deviation::Deviation;
use super::expr::{masked, only_masked};
use super::fault::{Access, ElementFault, Fault};
use super::memory::LastStore;
use super::program::{Outcome, Program};
use super::value::{Address, Tile, coordinates};

/// How a block ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    /// At its end.
    Next,
    /// With `break`.
    Break,
    /// With `continue`.
    Continue,
    /// With `return`.
    Return,
    /// To behind the block with this label.
    Leave(Label),
}

impl Program<'_, '_> {
    /// Runs the statements in order, until one leaves the block.
    pub(super) fn block(&mut self, block: &Block) -> Outcome<Flow> {
        for statement in &block.statements {
            let flow = self.statement(statement)?;
            if flow != Flow::Next {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    fn statement(&mut self, statement: &Stmt) -> Outcome<Flow> {
        let span = statement.span;
        match &statement.kind {
            StmtKind::Assign { variable, value } => {
                let value = self.evaluate(value)?;
                self.assign(*variable, value, span)?;
            }
            StmtKind::AssignMany {
                variables,
                operation,
            } => self.assign_many(variables, operation, span)?,
            StmtKind::Store {
                pointers,
                value,
                mask,
                cache: _,
            } => {
                let pointers = self.evaluate(pointers)?;
                let value = self.evaluate(value)?;
                let mask = mask.as_ref().map(|mask| self.evaluate(mask)).transpose()?;
                let addresses = masked(&pointers, mask.as_deref());
                let addresses = addresses.map_err(|fault| self.error(span, fault))?;
                self.write_all(&addresses, &value, span)?;
            }
            StmtKind::StoreView {
                view,
                value,
                mask,
                bounds,
                cache: _,
            } => {
                let mut addresses = self.view(view, *bounds, Access::Store)?;
                let value = self.evaluate(value)?;
                let mask = mask.as_ref().map(|mask| self.evaluate(mask)).transpose()?;
                if let Some(mask) = mask {
                    only_masked(&mut addresses, &mask).map_err(|fault| self.error(span, fault))?;
                }
                self.write_all(&addresses, &value, span)?;
            }
            StmtKind::Atomic {
                variable,
                operation,
                pointers,
                compare,
                value,
                mask,
                order: _,
                scope: _,
            } => {
                let pointers = self.evaluate(pointers)?;
                let compare = compare.as_ref().map(|compare| self.evaluate(compare));
                let compare = compare.transpose()?;
                let value = self.evaluate(value)?;
                let mask = mask.as_ref().map(|mask| self.evaluate(mask)).transpose()?;
                let addresses = masked(&pointers, mask.as_deref());
                let addresses = addresses.map_err(|fault| self.error(span, fault))?;
                let old = self.atomic(*operation, &addresses, compare.as_deref(), &value, span)?;
                if let Some(variable) = variable {
                    self.assign(*variable, Rc::new(old), span)?;
                }
            }
            StmtKind::For {
                variable,
                lo,
                hi,
                step,
                overrides: _,
                body,
            } => return self.count(*variable, [lo, hi, step], body, span),
            StmtKind::While {
                condition,
                test,
                body,
            } => loop {
                match self.block(condition)? {
                    Flow::Next if self.condition(test)? => {}
                    flow @ (Flow::Return | Flow::Leave(_)) => return Ok(flow),
                    _ => break,
                }
                self.count_round(span)?;
                match self.block(body)? {
                    Flow::Next | Flow::Continue => {}
                    Flow::Break => break,
                    flow @ (Flow::Return | Flow::Leave(_)) => return Ok(flow),
                }
            },
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                let taken = if self.condition(condition)? {
                    then
                } else {
                    otherwise
                };
                return self.block(taken);
            }
            StmtKind::Host(step) => self.host_step(step, span)?,
            StmtKind::Break => return Ok(Flow::Break),
            StmtKind::Continue => return Ok(Flow::Continue),
            StmtKind::Return => return Ok(Flow::Return),
            StmtKind::Labelled { label, body } => {
                return Ok(match self.block(body)? {
                    Flow::Leave(left) if left == *label => Flow::Next,
                    flow => flow,
                });
            }
            StmtKind::Leave(label) => return Ok(Flow::Leave(*label)),
            StmtKind::Assume(condition) => {
                if !self.condition(condition)? {
                    return Err(self.error(condition.span, Fault::BrokenAssumption));
                }
            }
            StmtKind::Assert { condition, message } => self.assert(condition, message, span)?,
            StmtKind::Print { label, values, hex } => self.print(label, values, *hex, span)?,
            StmtKind::Asm {
                variables,
                asm,
                arguments,
            } => self.asm(variables, asm, arguments, span)?,
            // It reads nothing, so that nothing can be out of bounds.
            StmtKind::Prefetch { pointers, mask, .. } => {
                self.evaluate(pointers)?;
                mask.as_ref().map(|mask| self.evaluate(mask)).transpose()?;
            }
        }
        Ok(Flow::Next)
    }

    /// A `for` loop. It counts in 128 bits, so that it ends even where its type does.
    fn count(
        &mut self,
        variable: VariableId,
        [lo, hi, step]: [&Expr; 3],
        body: &Block,
        span: Span,
    ) -> Outcome<Flow> {
        let Element::Number(element) = lo.ty.element else {
            return Err(self.error(span, Fault::Malformed("a loop over addresses")));
        };
        let mut at = self.integer(lo)?;
        let hi = self.integer(hi)?;
        let by = self.integer(step)?;
        if by == 0 {
            return Err(self.error(step.span, Fault::ZeroStep));
        }
        while if by > 0 { at < hi } else { at > hi } {
            self.count_round(span)?;
            let value = Tile::scalar(element, Scalar::Int(at));
            self.assign(variable, Rc::new(value), span)?;
            match self.block(body)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => break,
                flow @ (Flow::Return | Flow::Leave(_)) => return Ok(flow),
            }
            at += by;
        }
        Ok(Flow::Next)
    }

    /// Reads, combines and writes back every address there is, in row-major order.
    fn atomic(
        &mut self,
        operation: AtomicOperation,
        addresses: &[Option<Address>],
        compare: Option<&Tile>,
        value: &Tile,
        span: Span,
    ) -> Outcome<Tile> {
        let mut access = || -> Result<Tile, ElementFault> {
            let (element, bits) = value.as_numbers()?;
            let expected = compare.map(Tile::as_numbers).transpose()?;
            let mut before = vec![0; bits.len()];
            let mut order: Vec<usize> = (0..bits.len().min(addresses.len())).collect();
            let sums = element.is_float() && operation == AtomicOperation::Add;
            let deviation = self.deviation.filter(|_| sums);
            if deviation.is_some_and(Deviation::is_backward) {
                order.reverse();
            }
            for number in order {
                let (address, new) = (&addresses[number], &bits[number]);
                let Some(address) = address else { continue };
                let old = self.memory.load(*address, element);
                let old = old.map_err(|f| f.at(number))?;
                before[number] = old;
                let matches = match expected {
                    Some((_, expected)) => expected.get(number) == Some(&old),
                    None => true,
                };
                if matches {
                    if let Some(deviation) = deviation {
                        deviation.sums_atomically(element, [old, *new]);
                    }
                    let new = atomic_result(operation, element, old, *new)?;
                    let written = self.memory.store(*address, element, new);
                    written.map_err(|f| f.at(number))?;
                }
            }
            Ok(Tile::numbers(element, &value.shape, before))
        };
        access().map_err(|fault| self.error_in(span, fault, &value.shape))
    }

    /// Writes every address there is, in row-major order.
    fn write_all(
        &mut self,
        addresses: &[Option<Address>],
        value: &Tile,
        span: Span,
    ) -> Outcome<()> {
        let (element, bits) = value
            .as_numbers()
            .map_err(|fault| self.error(span, fault))?;
        if bits.len() != addresses.len() {
            return Err(self.error(span, Fault::Malformed("a store of another shape")));
        }
        for (number, (address, bits)) in addresses.iter().zip(bits).enumerate() {
            if let Some(address) = address {
                self.memory
                    .store(*address, element, *bits)
                    .map_err(|fault| self.error_in(span, fault.at(number), &value.shape))?;
                let program = self.id;
                self.memory.stored(*address, element, || LastStore {
                    span,
                    program,
                    position: coordinates(&value.shape, number),
                });
            }
        }
        Ok(())
    }
}

/// The bits that an atomic access writes.
fn atomic_result(
    operation: AtomicOperation,
    element: ElementType,
    old: u64,
    new: u64,
) -> Result<u64, ElementFault> {
    let operation = match operation {
        AtomicOperation::Add => BinaryOperation::Add,
        AtomicOperation::Max => BinaryOperation::Maximum,
        AtomicOperation::Min => BinaryOperation::Minimum,
        AtomicOperation::And => BinaryOperation::And,
        AtomicOperation::Or => BinaryOperation::Or,
        AtomicOperation::Xor => BinaryOperation::Xor,
        AtomicOperation::Exchange | AtomicOperation::CompareExchange => return Ok(new),
    };
    let scalar = |bits| Tile::numbers(element, &[], vec![bits]);
    let result = arithmetic::binary(operation, &scalar(old), &scalar(new), None)?;
    let (_, bits) = result.as_numbers()?;
    Ok(bits.first().copied().unwrap_or_default())
}
