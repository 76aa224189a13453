//! From operands to values: materialising, converting and checking against a type.

use tile_runtime::element::ElementType;

use super::elaborator::Elaborator;
use super::operand::{Located, Number, Operand, scalar};
use super::types::Annotation;
use super::{build, numbers};
use crate::diagnostic::{Span, messages};
use crate::typed::{
    BinaryOperation, Constant, Element, Expr, MOST_DIMENSIONS, Rounding, ValueType,
};

impl<'a> Elaborator<'a> {
    /// The operand as a value of the running program; literals get their own type.
    pub fn value(&mut self, located: &Located<'a>) -> Option<Expr> {
        match &located.operand {
            Operand::Value(expr) => Some((**expr).clone()),
            operand if operand.is_poison() => None,
            operand => match operand.number() {
                Some(number) => {
                    let value = self.fit(number.value, number.element, located.span)?;
                    Some(build::constant(value, scalar(number.element), located.span))
                }
                None => {
                    self.report(messages::types::expected_value(located));
                    None
                }
            },
        }
    }

    /// A value of numbers, not addresses, and its element.
    pub fn number_value(&mut self, located: &Located<'a>) -> Option<(Expr, ElementType)> {
        let value = self.value(located)?;
        match value.ty.element {
            Element::Number(element) => Some((value, element)),
            Element::Pointer { .. } => {
                self.report(messages::types::expected_number(located));
                None
            }
        }
    }

    /// A scalar `i1`. `what` is the construct that asks for it.
    pub fn condition(&mut self, located: &Located<'a>, what: &str) -> Option<Expr> {
        let value = match &located.operand {
            Operand::Value(_) | Operand::Bool(_) => self.value(located)?,
            operand if operand.is_poison() => return None,
            _ => {
                self.report(messages::control::condition_type(what, located));
                return None;
            }
        };
        if value.ty == scalar(ElementType::I1) {
            return Some(value);
        }
        self.report(if value.ty.shape.is_empty() {
            messages::control::condition_type(what, located)
        } else {
            messages::control::tile_condition(what, &value.ty, located.span)
        });
        None
    }

    /// A number of exactly this element: only literals are converted. `what` says who asks.
    pub fn exactly(
        &mut self,
        located: &Located<'a>,
        element: ElementType,
        what: &str,
    ) -> Option<Expr> {
        let (value, found) = match located.operand.number() {
            Some(number) if number.flexible => {
                let integer_for_float =
                    number.element == ElementType::I1 && element != ElementType::I1;
                if !integer_for_float {
                    return self.value_as(located, element);
                }
                self.number_value(located)?
            }
            _ => self.number_value(located)?,
        };
        if found == element {
            return Some(value);
        }
        self.report(messages::types::element_mismatch(
            what,
            element,
            &value.ty,
            located.span,
        ));
        None
    }

    /// An integer scalar of 32 or 64 bits, as positions, limits and axes of the running program are.
    pub fn index(&mut self, located: &Located<'a>, what: &str) -> Option<Expr> {
        let (value, element) = self.number_value(located)?;
        let wanted = match element {
            ElementType::I32 | ElementType::I64 => element,
            ElementType::I8 | ElementType::I16 | ElementType::U8 | ElementType::U16 => {
                ElementType::I32
            }
            ElementType::U32 | ElementType::U64 => ElementType::I64,
            _ => {
                self.report(messages::types::expected_index(what, located));
                return None;
            }
        };
        if !value.ty.shape.is_empty() {
            self.report(messages::types::expected_index(what, located));
            return None;
        }
        // What is too large for `i64` stays larger than every size, where a cast would make it negative.
        let value = match element {
            ElementType::U64 => {
                let most = build::integer(i64::MAX.into(), element, located.span);
                build::binary(BinaryOperation::Minimum, value, most, located.span)
            }
            _ => value,
        };
        Some(build::cast(value, wanted))
    }

    /// An integer known at compile time. `what` is what it is for, as in "the width of a range".
    pub fn known_integer(&mut self, located: &Located<'a>, what: &str) -> Option<i128> {
        if located.operand.is_poison() {
            return None;
        }
        let known = located.operand.integer();
        if known.is_none() {
            self.report(messages::consts::not_known(what, located));
        }
        known
    }

    /// A number known at compile time, as `f64`.
    pub fn known_number(&mut self, located: &Located<'a>, what: &str) -> Option<f64> {
        match located.operand.number().map(|number| number.value) {
            _ if located.operand.is_poison() => None,
            Some(Constant::Float(value)) => Some(value),
            Some(Constant::Int(value)) => Some(value as f64),
            None => {
                self.report(messages::consts::not_known(what, located));
                None
            }
        }
    }

    /// A size of a tile: known, positive, not absurd.
    pub fn size(&mut self, located: &Located<'a>, what: &str) -> Option<u64> {
        self.size_from(1, located, what)
    }

    /// A size of an array, which has no elements at all in some tests, or of a tile.
    pub fn array_size(&mut self, located: &Located<'a>, what: &str) -> Option<u64> {
        let least = u64::from(self.host.is_none());
        self.size_from(least, located, what)
    }

    fn size_from(&mut self, least: u64, located: &Located<'a>, what: &str) -> Option<u64> {
        let value = self.known_integer(located, what)?;
        match u64::try_from(value) {
            Ok(size) if (least..=self.maximum_elements()).contains(&size) => Some(size),
            _ => {
                let problem = messages::shapes::bad_size(what, value, least, located.span);
                self.report(problem);
                None
            }
        }
    }

    /// A shape: a list of sizes.
    pub fn shape(&mut self, located: &Located<'a>) -> Option<Vec<u64>> {
        let items: Vec<Located<'a>> = match &located.operand {
            operand if operand.is_poison() => return None,
            Operand::List(items) => items.clone(),
            Operand::Tuple(items) => items
                .iter()
                .map(|item| item.clone().at(located.span))
                .collect(),
            _ => {
                self.report(messages::shapes::expected_shape(located));
                return None;
            }
        };
        let mut shape = Vec::new();
        for item in &items {
            shape.push(self.array_size(item, "a size of a tile")?);
        }
        if shape.len() > MOST_DIMENSIONS {
            self.report(messages::shapes::rank_too_high(shape.len(), located.span));
            return None;
        }
        self.check_elements(&shape, located.span).then_some(shape)
    }

    /// Whether a tile of this shape is small enough to exist.
    pub fn check_elements(&mut self, shape: &[u64], span: Span) -> bool {
        let fits = self.fits(shape);
        if !fits {
            let most = self.maximum_elements();
            self.report(messages::shapes::too_many_elements(shape, most, span));
        }
        fits
    }

    /// The same, without a report.
    pub fn fits(&self, shape: &[u64]) -> bool {
        let elements = shape
            .iter()
            // Strides of what has no elements stay in range too.
            .try_fold(1_u64, |product, size| product.checked_mul((*size).max(1)));
        elements.is_some_and(|elements| elements <= self.maximum_elements())
    }

    /// `value as element`.
    pub fn cast_operand(
        &mut self,
        located: Located<'a>,
        element: ElementType,
        span: Span,
    ) -> Operand<'a> {
        self.cast_rounding(&located, element, Rounding::NearestEven, span)
    }

    pub fn cast_rounding(
        &mut self,
        located: &Located<'a>,
        element: ElementType,
        rounding: Rounding,
        span: Span,
    ) -> Operand<'a> {
        match &located.operand {
            operand if operand.is_poison() => Operand::Error,
            Operand::Value(expr) => match expr.ty.element {
                Element::Number(_) => {
                    let mut cast = build::cast_rounding((**expr).clone(), element, rounding);
                    cast.span = span;
                    Operand::value(cast)
                }
                Element::Pointer { .. } => self.pointer_as_number(located, element, span),
            },
            operand => match operand.number() {
                // Known truths are `true` and `false` wherever they come from.
                Some(number) if element == ElementType::I1 => {
                    let zero = Constant::Int(0);
                    Operand::Bool(numbers::cast(number.value, element) != zero)
                }
                // A literal takes the type: it must fit, as in `let x: u8 = 300`.
                Some(number) if matches!(operand, Operand::Int(_) | Operand::Float(_)) => {
                    let cast = if number.element.is_float() && element.is_integer() {
                        Some(numbers::cast(number.value, element))
                    } else {
                        self.fit(number.value, element, located.span)
                    };
                    match cast {
                        Some(value) => Operand::Number(Number {
                            element,
                            value,
                            flexible: false,
                        }),
                        None => Operand::Error,
                    }
                }
                Some(number) => {
                    let value = numbers::cast(number.value, element);
                    Operand::Number(Number {
                        element,
                        value,
                        flexible: false,
                    })
                }
                None => self.error(messages::types::cannot_cast(located, element)),
            },
        }
    }

    /// Checks an operand against the type it was declared with; literals take it.
    pub fn conform(&mut self, located: Located<'a>, wanted: &Annotation) -> Operand<'a> {
        match (located.operand, wanted) {
            (operand, Annotation::Any) => operand,
            (operand, _) if operand.is_poison() => Operand::Error,
            (Operand::Str(text), Annotation::Str) => Operand::Str(text),
            (Operand::Bool(value), Annotation::Value(ty)) if *ty == scalar(ElementType::I1) => {
                Operand::Bool(value)
            }
            (Operand::Tuple(items), Annotation::Tuple(types)) if items.len() == types.len() => {
                let items = items
                    .into_iter()
                    .zip(types)
                    .map(|(item, ty)| self.conform(item.at(located.span), ty))
                    .collect();
                Operand::Tuple(items)
            }
            (operand, Annotation::Value(wanted)) => {
                self.conform_value(operand.at(located.span), wanted)
            }
            (operand, wanted) => {
                let located = operand.at(located.span);
                self.error(messages::types::mismatch(&wanted.to_string(), &located))
            }
        }
    }

    fn conform_value(&mut self, located: Located<'a>, wanted: &ValueType) -> Operand<'a> {
        if let Operand::Value(expr) = &located.operand
            && (expr.ty == *wanted || immutable_view(&expr.ty, wanted))
        {
            return located.operand;
        }
        if let (Some(number), Element::Number(element), true) = (
            located.operand.number(),
            wanted.element,
            wanted.shape.is_empty(),
        ) {
            // Literals and consts take the type; truth values are no numbers.
            let adapts = number.flexible && number.element != ElementType::I1;
            if adapts || number.element == element {
                let flexible = false;
                return match self.fit(number.value, element, located.span) {
                    Some(value) => Operand::Number(Number {
                        element,
                        value,
                        flexible,
                    }),
                    None => Operand::Error,
                };
            }
        }
        self.error(messages::types::mismatch(&wanted.to_string(), &located))
    }

    /// A constant of compile time that a `let` or a parameter may keep without a variable.
    pub fn settle(&mut self, located: Located<'a>) -> Operand<'a> {
        match located.operand {
            Operand::Int(_) | Operand::Float(_) => {
                let Some(number) = located.operand.number() else {
                    return Operand::Error;
                };
                match self.fit(number.value, number.element, located.span) {
                    Some(value) => Operand::Number(Number { value, ..number }),
                    None => Operand::Error,
                }
            }
            other => other,
        }
    }
}

/// A `mut ptr` is accepted where a `ptr` is asked for.
fn immutable_view(found: &ValueType, wanted: &ValueType) -> bool {
    match (found.element, wanted.element) {
        (
            Element::Pointer {
                pointee: found_pointee,
                ..
            },
            Element::Pointer {
                pointee: wanted_pointee,
                mutable: false,
            },
        ) => found_pointee == wanted_pointee && found.shape == wanted.shape,
        _ => false,
    }
}

/// `true` as the compile-time integer 1, for consts of type `bool`.
pub(super) const fn truth(value: Constant) -> bool {
    !matches!(value, Constant::Int(0))
}
