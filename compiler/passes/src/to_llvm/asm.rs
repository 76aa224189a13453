//! Inline PTX: one inline assembly of LLVM per element, or per packed register.
//!
//! Results are marked as early clobbers (`=&r`): the text may write to a result before it has read all
//! arguments, so none may share a register with one.

use melior::ir::{Type, ValueLike};
use tile_runtime::element::ElementType;

use super::ToLlvm;
use super::threads::{inline_asm, int};
use crate::build::{Builder, Rebuilder};
use crate::dialect::ops::Asm;
use crate::inline_ptx::{InlinePtx, Register};
use crate::ir::{Value, results};
use crate::is_tile;

/// What the operation's attributes say.
fn described(asm: Asm<'_>) -> InlinePtx {
    let elements = |names: &str| -> Vec<ElementType> {
        names
            .split_whitespace()
            .filter_map(|name| name.parse().ok())
            .collect()
    };
    InlinePtx {
        text: asm.text().to_owned(),
        results: elements(asm.result_types()),
        arguments: elements(asm.argument_types()),
        pack: u32::try_from(asm.pack()).unwrap_or(1).max(1),
        effects: asm.effects() != 0,
    }
}

impl<'c> ToLlvm<'_, '_, 'c> {
    pub(super) fn asm(&mut self, to: &mut Rebuilder<'c>, operation: Asm<'c>) {
        let asm = described(operation);
        let arguments: Vec<Vec<Value<'c>>> = operation
            .arguments()
            .into_iter()
            .map(|argument| to.many(argument).to_vec())
            .collect();
        let outcomes = results(operation.0);
        let types: Vec<Type<'c>> = outcomes
            .iter()
            .map(|value| self.register_type(value.r#type()))
            .collect();
        let builder = &mut to.builder;
        let first = outcomes[0];
        if !is_tile(first) {
            let group: Vec<_> = arguments.iter().map(|list| vec![list[0]]).collect();
            let values = emit(builder, &asm, &group, &types);
            for (outcome, values) in outcomes.into_iter().zip(values) {
                to.bind(outcome, values);
            }
            return;
        }
        let layout = self.encodings.layout(first);
        let count = layout.register_count();
        let distinct: Vec<usize> = (0..count)
            .filter(|register| layout.register_representative(*register) == *register)
            .collect();
        let owner = if asm.effects {
            self.owner(builder, &layout)
        } else {
            None
        };
        let mut registers: Vec<Vec<Option<Value<'c>>>> = vec![vec![None; count]; outcomes.len()];
        let pack = asm.pack as usize;
        for group in distinct.chunks(pack) {
            // A pack that is not full is filled with one of its elements.
            let members: Vec<usize> = (0..pack).map(|at| group[at.min(group.len() - 1)]).collect();
            let inputs: Vec<Vec<Value<'c>>> = arguments
                .iter()
                .map(|list| members.iter().map(|register| list[*register]).collect())
                .collect();
            let condition = if asm.effects {
                let inside = self.inside(builder, &layout, group[0]);
                self.both(builder, inside, owner)
            } else {
                None
            };
            let values = match condition {
                None => emit(builder, &asm, &inputs, &types),
                Some(condition) => where_true(builder, condition, &types, |builder| {
                    emit(builder, &asm, &inputs, &types)
                }),
            };
            for (list, values) in registers.iter_mut().zip(values) {
                for (register, value) in group.iter().zip(values) {
                    list[*register] = Some(value);
                }
            }
        }
        for (outcome, list) in outcomes.into_iter().zip(registers) {
            let all =
                (0..count).filter_map(|register| list[layout.register_representative(register)]);
            to.bind(outcome, all.collect());
        }
    }
}

/// What `act` gives where the condition holds, else zeros; one element per result.
fn where_true<'c>(
    builder: &mut Builder<'c>,
    condition: Value<'c>,
    types: &[Type<'c>],
    act: impl FnOnce(&mut Builder<'c>) -> Vec<Vec<Value<'c>>>,
) -> Vec<Vec<Value<'c>>> {
    let (then, ()) = builder.region(&[], |builder, _| {
        let values: Vec<_> = act(builder).into_iter().flatten().collect();
        builder.insert("scf.yield", &values, &[], &[]);
    });
    let (otherwise, ()) = builder.region(&[], |builder, _| {
        let zeros: Vec<_> = types.iter().map(|ty| builder.zero(*ty)).collect();
        builder.insert("scf.yield", &zeros, &[], &[]);
    });
    let branch =
        builder.insert_with_regions("scf.if", &[condition], &[], types, vec![then, otherwise]);
    results(branch)
        .into_iter()
        .map(|value| vec![value])
        .collect()
}

/// One inline assembly: per argument its elements, per result its elements.
fn emit<'c>(
    builder: &mut Builder<'c>,
    asm: &InlinePtx,
    arguments: &[Vec<Value<'c>>],
    types: &[Type<'c>],
) -> Vec<Vec<Value<'c>>> {
    let kinds = asm.registers();
    let (results, given) = kinds.split_at(asm.results.len());
    let outputs: Vec<Type<'c>> = results
        .iter()
        .map(|kind| register_type(builder, *kind))
        .collect();
    let inputs: Vec<Value<'c>> = arguments
        .iter()
        .zip(&asm.arguments)
        .zip(given)
        .map(|((elements, element), kind)| into_register(builder, elements, *element, *kind))
        .collect();
    // A predicate cannot leave an inline assembly: it leaves as a number.
    let mut before = String::new();
    let mut after = String::new();
    let predicate = |number: usize| format!("%tile_result{number}");
    let constraints: Vec<String> = results
        .iter()
        .enumerate()
        .map(|(number, kind)| {
            if *kind != Register::Predicate {
                return format!("=&{}", kind.letter());
            }
            let name = predicate(number);
            before.push_str(&format!(".reg .pred {name}; "));
            after.push_str(&format!(" selp.b32 ${number}, 1, 0, {name};"));
            format!("=&{}", Register::Word.letter())
        })
        .chain(given.iter().map(|kind| kind.letter().to_owned()))
        .chain(asm.effects.then(|| "~{memory}".to_owned()))
        .collect();
    let text = asm.with_operands(|number| match results.get(number) {
        Some(Register::Predicate) => predicate(number),
        _ => format!("\u{0}{number}"),
    });
    // LLVM reads `$` as the text of the program does.
    let text = text.replace('$', "$$").replace('\u{0}', "$");
    let text = format!("{{ {before}{text}\n{after} }}");
    let constraints = constraints.join(",");
    let values = inline_asm(builder, &text, &constraints, &inputs, &outputs, asm.effects);
    values
        .into_iter()
        .zip(&asm.results)
        .zip(types)
        .map(|((value, element), ty)| from_register(builder, value, *element, *ty, asm.pack))
        .collect()
}

fn register_type<'c>(builder: &Builder<'c>, kind: Register) -> Type<'c> {
    match kind {
        Register::Half => builder.int_type(16),
        Register::Predicate | Register::Word => builder.int_type(32),
        Register::Long => builder.int_type(64),
        Register::Float => Type::float32(builder.context),
        Register::Double => Type::float64(builder.context),
    }
}

/// The bits of an element as an integer.
fn bits<'c>(builder: &mut Builder<'c>, value: Value<'c>, element: ElementType) -> Value<'c> {
    let ty = builder.int_type(element.bits());
    if value.r#type() == ty {
        value
    } else {
        builder.value("arith.bitcast", &[value], &[], ty)
    }
}

fn into_register<'c>(
    builder: &mut Builder<'c>,
    elements: &[Value<'c>],
    element: ElementType,
    kind: Register,
) -> Value<'c> {
    let one = elements[0];
    match kind {
        Register::Predicate | Register::Float | Register::Long | Register::Double => one,
        Register::Half => {
            let value = bits(builder, one, element);
            builder.int_cast(value, 16, false)
        }
        Register::Word if elements.len() == 1 => builder.int_cast(one, 32, element.is_signed()),
        Register::Word => {
            let mut word: Option<Value<'c>> = None;
            for (number, value) in elements.iter().enumerate() {
                let value = bits(builder, *value, element);
                let value = builder.int_cast(value, 32, false);
                let shift = int(builder, number as i64 * i64::from(element.bits()));
                let value = builder.binary("arith.shli", value, shift);
                word = Some(word.map_or(value, |word| builder.binary("arith.ori", word, value)));
            }
            word.unwrap_or(one)
        }
    }
}

fn from_register<'c>(
    builder: &mut Builder<'c>,
    value: Value<'c>,
    element: ElementType,
    ty: Type<'c>,
    pack: u32,
) -> Vec<Value<'c>> {
    if value.r#type() == ty && pack == 1 {
        return vec![value];
    }
    (0..pack)
        .map(|number| {
            let shift = i64::from(number * element.bits());
            let moved = if shift == 0 {
                value
            } else {
                let shift = int(builder, shift);
                builder.binary("arith.shrui", value, shift)
            };
            let narrow = builder.int_cast(moved, element.bits(), false);
            if narrow.r#type() == ty {
                narrow
            } else {
                builder.value("arith.bitcast", &[narrow], &[], ty)
            }
        })
        .collect()
}
