//! New arrays: random ones, ones, the identity.

use tile_runtime::element::ElementType;

use crate::diagnostic::messages;
use crate::sema::build;
use crate::sema::builtins::Call;
use crate::sema::elaborator::Elaborator;
use crate::sema::functions::Passed;
use crate::sema::operand::{Operand, tile};
use crate::typed::host::{Distribution, HostOperation, Random};
use crate::typed::{CompareOperation, Constant};

/// Whether the arguments of `rand` and its like have a shape: those of kernels have none.
pub(super) fn has_shape(passed: &[Passed<'_>]) -> bool {
    passed.iter().any(|argument| {
        let named = argument
            .name
            .is_some_and(|name| matches!(name.text.as_str(), "shape" | "type" | "low" | "high"));
        named || matches!(argument.value.operand, Operand::List(_) | Operand::Tuple(_))
    })
}

/// `randn(shape, T, seed = …)`
pub(in crate::sema) fn randn<'a>(this: &mut Elaborator<'a>, call: Call<'a>) -> Operand<'a> {
    random(this, call, ElementType::F32, |_, _| {
        Some(Distribution::Normal)
    })
}

/// `rand(shape, T, low = …, high = …, seed = …)`
pub(in crate::sema) fn rand<'a>(this: &mut Elaborator<'a>, call: Call<'a>) -> Operand<'a> {
    random(this, call, ElementType::F32, |this, call| {
        let mut number = |name, default| match call.take(name) {
            Some(located) => this.known_number(&located, &format!("`{name}` of `rand`")),
            None => Some(default),
        };
        let (low, high) = (number("low", 0.0)?, number("high", 1.0)?);
        if low < high {
            Some(Distribution::Uniform { low, high })
        } else {
            this.report(messages::host::empty_range(low, high, call.span));
            None
        }
    })
}

/// `randint(low, high, shape, T, seed = …)`
pub(in crate::sema) fn randint<'a>(this: &mut Elaborator<'a>, call: Call<'a>) -> Operand<'a> {
    random(this, call, ElementType::I32, |this, call| {
        let mut number = |name| {
            let located = call.take(name)?;
            let value = this.known_integer(&located, &format!("`{name}` of `randint`"))?;
            match i64::try_from(value) {
                Ok(value) => Some(value),
                Err(_) => {
                    this.report(messages::consts::literal_too_large(located.span));
                    None
                }
            }
        };
        let (low, high) = (number("low")?, number("high")?);
        if low < high {
            Some(Distribution::Integers { low, high })
        } else {
            this.report(messages::host::empty_range(low, high, call.span));
            None
        }
    })
}

fn random<'a>(
    this: &mut Elaborator<'a>,
    mut call: Call<'a>,
    default: ElementType,
    distribution: impl FnOnce(&mut Elaborator<'a>, &mut Call<'a>) -> Option<Distribution>,
) -> Operand<'a> {
    let Some(shape) = call.take("shape") else {
        return Operand::Error;
    };
    let shape = this.shape(&shape);
    let element = element(this, &mut call, default);
    let seed = seed(this, &mut call);
    let distribution = distribution(this, &mut call);
    let (Some(shape), Some(element), Some((seed, stream)), Some(distribution)) =
        (shape, element, seed, distribution)
    else {
        return Operand::Error;
    };
    if let Distribution::Integers { low, high } = distribution {
        for end in [low, high - 1] {
            let end = Constant::Int(end.into());
            if this.fit(end, element, call.span).is_none() {
                return Operand::Error;
            }
        }
    }
    let ty = tile(element, shape);
    let variable = this.temporary(ty.clone(), call.span);
    let random = Random {
        distribution,
        seed,
        stream,
        ty,
    };
    let operation = HostOperation::Random(random);
    this.host_step_with(operation, Vec::new(), vec![variable], call.span);
    Operand::value(this.read(variable, call.span))
}

/// Without a seed each array has its own stream.
fn seed<'a>(this: &mut Elaborator<'a>, call: &mut Call<'a>) -> Option<(u64, u64)> {
    match call.take("seed") {
        Some(located) => {
            let seed = this.known_integer(&located, "a seed")?;
            match u64::try_from(seed) {
                Ok(seed) => Some((seed, 0)),
                Err(_) => {
                    this.report(messages::host::bad_seed(seed, located.span));
                    None
                }
            }
        }
        None => {
            let host = this.host.as_mut()?;
            host.unseeded += 1;
            Some((0, host.unseeded))
        }
    }
}

fn element<'a>(
    this: &mut Elaborator<'a>,
    call: &mut Call<'a>,
    default: ElementType,
) -> Option<ElementType> {
    match call.take("type") {
        Some(ty) => this.type_operand(&ty),
        None => Some(default),
    }
}

/// `ones(shape, T)`
pub(in crate::sema) fn ones<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let Some(shape) = call.take("shape") else {
        return Operand::Error;
    };
    let element = element(this, &mut call, ElementType::F32);
    match (this.shape(&shape), element) {
        (Some(shape), Some(element)) => {
            let one = if element.is_float() {
                Constant::Float(1.0)
            } else {
                Constant::Int(1)
            };
            Operand::value(build::constant(one, tile(element, shape), call.span))
        }
        _ => Operand::Error,
    }
}

/// `eye(n, T)`: ones on the diagonal of a square.
pub(in crate::sema) fn eye<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let Some(size) = call.take("n") else {
        return Operand::Error;
    };
    let element = element(this, &mut call, ElementType::F32);
    let (Some(size), Some(element)) = (this.array_size(&size, "the size of `eye`"), element) else {
        return Operand::Error;
    };
    let shape = vec![size, size];
    if !this.check_elements(&shape, call.span) {
        return Operand::Error;
    }
    let [row, column] = [0, 1].map(|axis| build::coordinate(&shape, axis, call.span));
    let diagonal = build::compare(CompareOperation::Equal, row, column, call.span);
    Operand::value(build::cast(diagonal, element))
}
