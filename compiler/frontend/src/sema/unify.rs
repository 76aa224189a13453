//! Bringing numbers together: one element by promotion, one shape by broadcasting.

use tile_runtime::element::ElementType;

use super::elaborator::Elaborator;
use super::operand::{Located, Operand, scalar};
use super::promotion::{promote, promote_literal};
use super::{broadcast, build, numbers};
use crate::diagnostic::messages;
use crate::typed::{Element, Expr};

impl<'a> Elaborator<'a> {
    /// Brings numbers to their common type and shape.
    pub fn common(
        &mut self,
        operands: &[&Located<'a>],
        division: bool,
        what: &str,
    ) -> Option<Vec<Expr>> {
        let element = self.common_element(operands, division, what)?;
        let values: Option<Vec<Expr>> = operands
            .iter()
            .map(|operand| self.value_as(operand, element))
            .collect();
        self.common_shape(values?, operands, what)
    }

    /// Brings values to their common shape.
    pub fn common_shape(
        &mut self,
        values: Vec<Expr>,
        operands: &[&Located<'a>],
        what: &str,
    ) -> Option<Vec<Expr>> {
        let mut shape: Vec<u64> = Vec::new();
        for (index, value) in values.iter().enumerate() {
            match broadcast::common(&shape, &value.ty.shape) {
                Ok(common) => shape = common,
                Err(dimension) => {
                    let earlier = operands.get(..index).unwrap_or_default();
                    let other = earlier.iter().zip(&values).rev().find(|(_, earlier)| {
                        broadcast::common(&earlier.ty.shape, &value.ty.shape).is_err()
                    });
                    let (span, ty) = other.map_or((value.span, &value.ty), |(located, value)| {
                        (located.span, &value.ty)
                    });
                    let here = operands
                        .get(index)
                        .map_or(value.span, |located| located.span);
                    self.report(messages::shapes::no_broadcast(
                        what,
                        (ty, span),
                        (&value.ty, here),
                        dimension,
                    ));
                    return None;
                }
            }
        }
        if let Some(located) = operands.first()
            && !self.check_elements(&shape, located.span)
        {
            return None;
        }
        Some(
            values
                .into_iter()
                .map(|value| build::broadcast(value, &shape))
                .collect(),
        )
    }

    pub fn common_element(
        &mut self,
        operands: &[&Located<'a>],
        division: bool,
        what: &str,
    ) -> Option<ElementType> {
        let mut firm: Option<(ElementType, &Located<'a>)> = None;
        let mut flexible: Option<(ElementType, &Located<'a>)> = None;
        for &located in operands {
            let (element, slot) = match (&located.operand, located.operand.number()) {
                (operand, _) if operand.is_poison() => return None,
                (_, Some(number)) if number.flexible => (number.element, &mut flexible),
                (_, Some(number)) => (number.element, &mut firm),
                (Operand::Value(expr), None) => match expr.ty.element {
                    Element::Number(element) => (element, &mut firm),
                    Element::Pointer { .. } => {
                        self.report(messages::types::pointer_in_arithmetic(what, located));
                        return None;
                    }
                },
                _ => {
                    self.report(messages::types::expected_number(located));
                    return None;
                }
            };
            // Division rounds once, at the end: 16-bit floats go to f32 below.
            *slot = Some(match *slot {
                None => (element, located),
                Some((other, earlier)) => match promote(other, element, division) {
                    Ok(common) => (common, located),
                    Err(problem) => {
                        self.report(messages::types::no_common_type(
                            what, earlier, located, problem,
                        ));
                        return None;
                    }
                },
            });
        }
        match (firm, flexible) {
            (Some((value, at)), Some((literal, literal_at))) => {
                match promote_literal(value, literal, division) {
                    Ok(element) => Some(element),
                    Err(problem) => {
                        self.report(messages::types::no_common_type(
                            what, at, literal_at, problem,
                        ));
                        None
                    }
                }
            }
            (Some((element, _)), None) | (None, Some((element, _))) => Some(element),
            (None, None) => None,
        }
    }

    /// The operand as a number of the element type: literals must fit, values are converted.
    pub fn value_as(&mut self, located: &Located<'a>, element: ElementType) -> Option<Expr> {
        match &located.operand {
            Operand::Value(expr) => Some(build::cast((**expr).clone(), element)),
            operand => {
                let number = operand.number()?;
                let value = if number.flexible {
                    self.fit(number.value, element, located.span)?
                } else {
                    numbers::cast(number.value, element)
                };
                Some(build::constant(value, scalar(element), located.span))
            }
        }
    }
}
