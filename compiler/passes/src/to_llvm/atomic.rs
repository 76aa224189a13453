//! Atomic accesses to global memory, and counts in shared memory: one instruction per element (PTX ISA, "atom").
//!
//! `atom.add.f32` on global memory flushes subnormal numbers to zero. The largest of two floats is
//! that of their bits as signed integers, if the new one has no sign, and the smallest of their bits
//! as unsigned integers otherwise; NaN is replaced by the infinity that never wins.
//!
//! 16-bit elements have `cas` alone (`add.f16` and, from sm_90 on, `add.bf16` aside): what else is asked of
//! them is tried until nobody came between.
//!
//! Neighbours that a thread holds are added by one instruction, where there is one (PTX ISA, "red": vectors of floats
//! in global memory, from sm_90 on): each element is atomic, the vector is not. The level-2 cache works by sectors
//! of 32 bytes, so an instruction per element takes it as long as one per vector.
//!
//! What is ordered by an access to a tile is ordered by fences around all of it, and its elements by nothing: a fence for
//! each would have each wait for the one before (PTX ISA, "Release and Acquire Patterns"). Where nothing uses the result,
//! none comes back.

use melior::ir::{Type, ValueLike};

use super::ToLlvm;
use super::threads::{inline_asm, int};
use crate::build::{Builder, Rebuilder};
use crate::dialect::ops::{Atomic, SharedCount};
use crate::dialect::predicates;
use crate::encoding::buffer_layout;
use crate::ir::{Value, element_type, int_attribute};

/// The first compute capability that adds `bf16` to memory atomically, and vectors of floats.
const BF16_ADD: u32 = 90;

/// One `atom` instruction of an access: its operation with type, and when it is done.
struct Instruction<'c> {
    text: String,
    mask: Option<Value<'c>>,
}

impl<'c> ToLlvm<'_, '_, 'c> {
    pub(super) fn atomic(&mut self, to: &mut Rebuilder<'c>, atomic: Atomic<'c>) {
        let layout = self.encodings.layout(atomic.result());
        let element = self.register_type(atomic.value().r#type());
        // What LLVM calls an integer may be fp8 or signed: the language's element decides.
        let kind = element_type(atomic.value().r#type()).to_string();
        let has_instruction = match (atomic.operation(), kind.as_str()) {
            ("cas", _) | ("add", "f16") => true,
            ("add", "bf16") => self.cx.target.capability() >= BF16_ADD,
            _ => crate::element_bits(element) > 16,
        };
        let pointers = to.many(atomic.pointers()).to_vec();
        let values = to.many(atomic.value()).to_vec();
        let compares = atomic.compare().map(|value| to.many(value).to_vec());
        let masks = atomic.mask().map(|mask| to.many(mask).to_vec());
        let owner = self.owner(&mut to.builder, &layout);
        let access = Access::new(atomic, layout.register_count());
        access.fence(&mut to.builder, &["release", "acq_rel"]);
        let width = int_attribute(atomic.0, "vector").unwrap_or(1) as usize;
        if width > 1 && self.adds_vectors(atomic) {
            let mut registers: Vec<Value<'c>> = Vec::with_capacity(layout.register_count());
            for first in (0..layout.register_count()).step_by(width) {
                let representative = layout.register_representative(first);
                if representative != first {
                    let copies = registers[representative..representative + width].to_vec();
                    registers.extend(copies);
                    continue;
                }
                let builder = &mut to.builder;
                let inside = self.inside(builder, &layout, first);
                let mask = self.both(builder, masks.as_ref().map(|masks| masks[first]), inside);
                let mask = self.both(builder, mask, owner);
                let group = &values[first..first + width];
                registers.extend(add_vector(builder, access, pointers[first], group, mask));
            }
            access.fence(&mut to.builder, &["acquire", "acq_rel"]);
            to.bind(atomic.result(), registers);
            return;
        }
        let registers = self.per_register(&layout, |register| {
            let builder = &mut to.builder;
            let inside = self.inside(builder, &layout, register);
            let mask = masks.as_ref().map(|masks| masks[register]);
            let mask = self.both(builder, mask, inside);
            let mask = self.both(builder, mask, owner);
            let compare = compares.as_ref().map(|values| values[register]);
            if !has_instruction {
                return tried(
                    builder,
                    access,
                    element,
                    pointers[register],
                    values[register],
                    mask,
                );
            }
            one(
                builder,
                access,
                element,
                pointers[register],
                compare,
                values[register],
                mask,
            )
        });
        access.fence(&mut to.builder, &["acquire", "acq_rel"]);
        to.bind(atomic.result(), registers);
    }
}

/// An access, and how it is ordered.
#[derive(Clone, Copy)]
struct Access<'c> {
    atomic: Atomic<'c>,
    /// The order of each instruction.
    order: &'c str,
    /// Whether fences order all of them.
    is_fenced: bool,
    /// Whether anything uses the result.
    returns: bool,
}

impl<'c> Access<'c> {
    fn new(atomic: Atomic<'c>, registers: usize) -> Self {
        let order = atomic.order();
        let is_fenced = order != "relaxed" && registers > 1;
        Self {
            atomic,
            order: if is_fenced { "relaxed" } else { order },
            is_fenced,
            returns: int_attribute(atomic.0, "returns") != Some(0),
        }
    }

    /// A fence where the access has one of these orders.
    fn fence(self, builder: &mut Builder<'c>, orders: &[&str]) {
        if self.is_fenced && orders.contains(&self.atomic.order()) {
            let text = format!("fence.acq_rel.{};", self.atomic.scope());
            inline_asm(builder, &text, "~{memory}", &[], &[], true);
        }
    }

    /// An instruction up to its operands, if there is one without result: a reduction reads nothing that could be acquired.
    fn reduction(self, operation: &str) -> Option<String> {
        let order = match self.order {
            "relaxed" => "relaxed",
            "release" | "acq_rel" => "release",
            _ => return None,
        };
        let is_known = !matches!(self.atomic.operation(), "xchg" | "cas");
        let scope = self.atomic.scope();
        (is_known && !self.returns).then(|| format!("red.{order}.{scope}.global.{operation}"))
    }
}

impl<'c> ToLlvm<'_, '_, 'c> {
    /// Whether one instruction adds several neighbours.
    fn adds_vectors(&self, atomic: Atomic<'c>) -> bool {
        let element = element_type(atomic.value().r#type()).to_string();
        atomic.operation() == "add"
            && matches!(element.as_str(), "f32" | "f16" | "bf16")
            && self.cx.target.capability() >= BF16_ADD
    }

    /// Each element counts once: in the thread that owns it, and only if it is no padding.
    pub(super) fn shared_count(&mut self, to: &mut Rebuilder<'c>, count: SharedCount<'c>) {
        let layout = self.encodings.layout(count.operand());
        let positions = to.many(count.operand()).to_vec();
        let masks = to.many(count.mask()).to_vec();
        let (_, shared) = buffer_layout(self.cx.context, count.buffer());
        let offset = self.buffer_offset(count.buffer());
        let builder = &mut to.builder;
        let owner = self.owner(builder, &layout);
        let bytes = int(builder, shared.element_bytes() as i64);
        let one = int(builder, 1);
        for register in layout.distinct_registers() {
            let inside = self.inside(builder, &layout, register);
            let mask = self.both(builder, Some(masks[register]), inside);
            let Some(mask) = self.both(builder, mask, owner) else {
                continue;
            };
            let at = builder.multiply(positions[register], bytes);
            let address = self.shared_address(builder, at, offset);
            let text = "@$2 red.relaxed.cta.shared.add.u32 [$0], $1;";
            let inputs = [address, one, mask];
            inline_asm(builder, text, "l,r,b,~{memory}", &inputs, &[], true);
        }
    }
}

/// Adds neighbouring floats; gives what was there, or 0.
fn add_vector<'c>(
    builder: &mut Builder<'c>,
    access: Access<'c>,
    pointer: Value<'c>,
    values: &[Value<'c>],
    mask: Option<Value<'c>>,
) -> Vec<Value<'c>> {
    let element = values[0].r#type();
    let bits = crate::element_bits(element) as u32;
    let word = builder.int_type(bits);
    let letter = if bits == 16 { "h" } else { "r" };
    let rounding = if bits == 16 { ".noftz" } else { "" };
    let count = values.len();
    let list = |first: usize| {
        let names: Vec<_> = (first..first + count).map(|n| format!("${n}")).collect();
        format!("{{{}}}", names.join(", "))
    };
    let mut inputs = vec![pointer];
    inputs.extend(values.iter().map(|value| cast(builder, *value, word)));
    let operation = format!("add{rounding}.v{count}.{element}");
    if let Some(instruction) = access.reduction(&operation) {
        let text = format!("{instruction} [$0], {};", list(1));
        reduce(builder, &text, letter, inputs, mask);
        let nothing = builder.zero(element);
        return vec![nothing; count];
    }
    let mut constraints = vec![format!("={letter}"); count];
    constraints.push("l".to_owned());
    constraints.extend(vec![letter.to_owned(); count]);
    let (order, scope) = (access.order, access.atomic.scope());
    let mut text = format!(
        "atom.{order}.{scope}.global.{operation} {}, [${count}], {};",
        list(0),
        list(count + 1)
    );
    if let Some(mask) = mask {
        text = format!("@${} {text}", 2 * count + 1);
        constraints.push("b".to_owned());
        inputs.push(mask);
    }
    let zero = builder.constant_int(0, word);
    inputs.extend(vec![zero; count]);
    constraints.extend((0..count).map(|number| number.to_string()));
    constraints.push("~{memory}".to_owned());
    let outputs = vec![word; count];
    let old = inline_asm(
        builder,
        &text,
        &constraints.join(","),
        &inputs,
        &outputs,
        true,
    );
    old.into_iter()
        .map(|old| cast(builder, old, element))
        .collect()
}

/// An instruction without result, of an address and values.
fn reduce<'c>(
    builder: &mut Builder<'c>,
    text: &str,
    letter: &str,
    mut inputs: Vec<Value<'c>>,
    mask: Option<Value<'c>>,
) {
    let mut constraints = format!("l{}", format!(",{letter}").repeat(inputs.len() - 1));
    let mut text = text.to_owned();
    if let Some(mask) = mask {
        text = format!("@${} {text}", inputs.len());
        constraints.push_str(",b");
        inputs.push(mask);
    }
    constraints.push_str(",~{memory}");
    inline_asm(builder, &text, &constraints, &inputs, &[], true);
}

/// The access of one element; gives what was there, or 0.
fn one<'c>(
    builder: &mut Builder<'c>,
    access: Access<'c>,
    element: Type<'c>,
    pointer: Value<'c>,
    compare: Option<Value<'c>>,
    value: Value<'c>,
    mask: Option<Value<'c>>,
) -> Value<'c> {
    let bits = crate::element_bits(element);
    let word = builder.int_type(bits as u32);
    let name = element.to_string();
    let is_float = !name.starts_with('i');
    let atomic = access.atomic;
    let operation = atomic.operation();
    let is_extreme = matches!(operation, "max" | "min");
    let value = if is_float && is_extreme {
        let nan = builder.compare_unordered(value);
        let never = if operation == "max" {
            f64::NEG_INFINITY
        } else {
            f64::INFINITY
        };
        let never = builder.constant_float(never, element);
        builder.select(nan, never, value)
    } else {
        value
    };
    let as_word = |builder: &mut Builder<'c>, value: Value<'c>| {
        if value.r#type() == word {
            value
        } else {
            builder.value("arith.bitcast", &[value], &[], word)
        }
    };
    let value = as_word(builder, value);
    let compare = compare.map(|compare| as_word(builder, compare));
    let signed = |yes: bool| if yes { "s" } else { "u" };
    let mut instructions = Vec::new();
    if is_float && is_extreme {
        let zero = builder.constant_int(0, word);
        let positive = builder.compare_int(predicates::SGE, value, zero);
        let negative = builder.compare_int(predicates::SLT, value, zero);
        let other = if operation == "max" { "min" } else { "max" };
        for (condition, operation, ty) in [(positive, operation, "s"), (negative, other, "u")] {
            instructions.push(Instruction {
                text: format!("{operation}.{ty}{bits}"),
                mask: Some(mask.map_or(condition, |mask| builder.and(mask, condition))),
            });
        }
    } else {
        let text = match operation {
            "add" if matches!(name.as_str(), "f16" | "bf16") => format!("add.noftz.{name}"),
            "add" if is_float => format!("add.{name}"),
            "add" => format!("add.u{bits}"),
            "xchg" => format!("exch.b{bits}"),
            "max" | "min" => format!("{operation}.{}{bits}", signed(atomic.signed() != 0)),
            _ => format!("{operation}.b{bits}"),
        };
        instructions.push(Instruction { text, mask });
    }
    let letter = match bits {
        16 => "h",
        32 => "r",
        _ => "l",
    };
    let mut old = builder.constant_int(0, word);
    for Instruction { text, mask } in instructions {
        if let Some(instruction) = access.reduction(&text) {
            let text = format!("{instruction} [$0], $1;");
            reduce(builder, &text, letter, vec![pointer, value], mask);
            continue;
        }
        let (order, scope) = (access.order, atomic.scope());
        let mut inputs = vec![pointer];
        let mut constraints = vec![format!("={letter}"), "l".to_owned()];
        let mut list = String::new();
        for given in compare.into_iter().chain([value]) {
            inputs.push(given);
            constraints.push(letter.to_owned());
            list.push_str(&format!(", ${}", inputs.len()));
        }
        let mut text = format!("atom.{order}.{scope}.global.{text} $0, [$1]{list};");
        if let Some(mask) = mask {
            inputs.push(mask);
            constraints.push("b".to_owned());
            text = format!("@${} {text}", inputs.len());
        }
        inputs.push(old);
        constraints.push("0".to_owned());
        constraints.push("~{memory}".to_owned());
        let constraints = constraints.join(",");
        old = inline_asm(builder, &text, &constraints, &inputs, &[word], true)[0];
    }
    if element == word {
        old
    } else {
        builder.value("arith.bitcast", &[old], &[], element)
    }
}

/// The access of one 16-bit element: computes what to write from what is there, and writes it if that is
/// still there, until it was.
fn tried<'c>(
    builder: &mut Builder<'c>,
    access: Access<'c>,
    element: Type<'c>,
    pointer: Value<'c>,
    value: Value<'c>,
    mask: Option<Value<'c>>,
) -> Value<'c> {
    let word = builder.int_type(16);
    let zero = builder.constant_int(0, word);
    let attempt = |builder: &mut Builder<'c>| {
        let (before, ()) = builder.region(&[word], |builder, given| {
            let expected = given[0];
            let old = cast(builder, expected, element);
            let new = combined(builder, access.atomic, old, value);
            let new = cast(builder, new, word);
            let (order, scope) = (access.order, access.atomic.scope());
            let text = format!("atom.{order}.{scope}.global.cas.b16 $0, [$1], $2, $3;");
            let inputs = [pointer, expected, new];
            let found = inline_asm(builder, &text, "=h,l,h,h,~{memory}", &inputs, &[word], true)[0];
            let again = builder.compare_int(predicates::NE, found, expected);
            builder.insert("scf.condition", &[again, found], &[], &[]);
        });
        let (after, ()) = builder.region(&[word], |builder, given| {
            builder.insert("scf.yield", given, &[], &[]);
        });
        // The first guess is 0, which costs an iteration where it is wrong and no load.
        let regions = vec![before, after];
        let attempts = builder.insert_with_regions("scf.while", &[zero], &[], &[word], regions);
        crate::ir::result(attempts, 0)
    };
    let old = match mask {
        None => attempt(builder),
        Some(mask) => {
            let (then, ()) = builder.region(&[], |builder, _| {
                let old = attempt(builder);
                builder.insert("scf.yield", &[old], &[], &[]);
            });
            let (otherwise, ()) = builder.region(&[], |builder, _| {
                builder.insert("scf.yield", &[zero], &[], &[]);
            });
            let regions = vec![then, otherwise];
            let branch = builder.insert_with_regions("scf.if", &[mask], &[], &[word], regions);
            crate::ir::result(branch, 0)
        }
    };
    cast(builder, old, element)
}

fn cast<'c>(builder: &mut Builder<'c>, value: Value<'c>, ty: Type<'c>) -> Value<'c> {
    if value.r#type() == ty {
        return value;
    }
    builder.value("arith.bitcast", &[value], &[], ty)
}

/// What an access writes.
fn combined<'c>(
    builder: &mut Builder<'c>,
    atomic: Atomic<'c>,
    old: Value<'c>,
    new: Value<'c>,
) -> Value<'c> {
    let is_float = !old.r#type().to_string().starts_with('i');
    let operation = atomic.operation();
    if !is_float {
        let name = match (operation, atomic.signed() != 0) {
            ("add", _) => "arith.addi",
            ("and", _) => "arith.andi",
            ("or", _) => "arith.ori",
            ("xor", _) => "arith.xori",
            ("max", true) => "arith.maxsi",
            ("max", false) => "arith.maxui",
            ("min", true) => "arith.minsi",
            ("min", false) => "arith.minui",
            _ => return new,
        };
        return builder.binary(name, old, new);
    }
    // Computed in f32 and rounded again, which for sums changes nothing (24 bits are more than twice as
    // many), and for the larger of two nothing either.
    let name = match operation {
        "add" => "arith.addf",
        "max" => "arith.maxnumf",
        "min" => "arith.minnumf",
        _ => return new,
    };
    let float = builder.parse_type("f32");
    let wide = |builder: &mut Builder<'c>, value| builder.value("arith.extf", &[value], &[], float);
    let (left, right) = (wide(builder, old), wide(builder, new));
    let result = builder.binary(name, left, right);
    builder.value("arith.truncf", &[result], &[], old.r#type())
}
