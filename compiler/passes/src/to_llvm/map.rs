//! Maps: the region once per element, inlined.
//!
//! Control flow in it is that of a thread: lanes part where their elements do. Padding is left out where
//! computing with it could do harm, as a loop that never ends or a division by zero.

use melior::ir::ValueLike;

use super::ToLlvm;
use crate::build::Rebuilder;
use crate::diagnostic::Diagnostic;
use crate::dialect::ops::Map;
use crate::ir::{Block, Value, name, operations, region_block, results};

impl<'c> ToLlvm<'_, '_, 'c> {
    pub(super) fn map(&mut self, to: &mut Rebuilder<'c>, map: Map<'c>) -> Result<(), Diagnostic> {
        let layout = self.encodings.layout(map.result());
        let body = region_block(map.0, 0).expect("verified region");
        let inputs: Vec<Vec<Value<'c>>> = map
            .operands()
            .iter()
            .map(|operand| to.many(*operand).to_vec())
            .collect();
        let types: Vec<_> = results(map.0)
            .iter()
            .map(|result| self.register_type(result.r#type()))
            .collect();
        let harmful = may_harm(body);
        let mut computed: Vec<Vec<Value<'c>>> = Vec::with_capacity(layout.register_count());
        for register in 0..layout.register_count() {
            let first = layout.register_representative(register);
            if first != register {
                computed.push(computed[first].clone());
                continue;
            }
            let elements: Vec<_> = inputs.iter().map(|values| values[register]).collect();
            let inside = match harmful {
                true => self.inside(&mut to.builder, &layout, register),
                false => None,
            };
            let values = match inside {
                None => self.combine(to, body, &elements, &[])?,
                Some(inside) => {
                    let then = to.region(&[], |to, _| {
                        let values = self.combine(to, body, &elements, &[])?;
                        to.builder.insert("scf.yield", &values, &[], &[]);
                        Ok(())
                    })?;
                    let (otherwise, ()) = to.builder.region(&[], |builder, _| {
                        let zeros: Vec<_> = types.iter().map(|ty| builder.zero(*ty)).collect();
                        builder.insert("scf.yield", &zeros, &[], &[]);
                    });
                    let regions = vec![then, otherwise];
                    let chosen =
                        to.builder
                            .insert_with_regions("scf.if", &[inside], &[], &types, regions);
                    results(chosen)
                }
            };
            computed.push(values);
        }
        for (index, result) in results(map.0).into_iter().enumerate() {
            let registers = computed.iter().map(|values| values[index]).collect();
            to.bind(result, registers);
        }
        Ok(())
    }
}

/// Whether computing with any value at all may not end, or is undefined.
pub(super) fn may_harm(body: Block<'_>) -> bool {
    operations(body).into_iter().any(|operation| {
        let divides = ["divsi", "divui", "remsi", "remui"];
        let divides = divides
            .iter()
            .any(|division| name(operation) == format!("arith.{division}"));
        divides || region_block(operation, 0).is_some()
    })
}
