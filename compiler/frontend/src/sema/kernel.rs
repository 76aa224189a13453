//! A kernel: its parameters, its grid, its body.

use std::collections::BTreeMap;

use super::elaborator::Elaborator;
use super::operand::{Operand, scalar};
use super::suggest;
use crate::diagnostic::{Span, messages};
use crate::syntax::ast::{self, Attribute, ExprKind, Item, StrideExpr, TypeExpr, TypeExprKind};
use crate::typed::{
    Dimension, Element, Kernel, MOST_DIMENSIONS, Overrides, Parameter, Stride, TensorParameter,
    ValueType, VariableId, is_number_of_warps, programs,
};
use tile_runtime::element::ElementType;

/// Bytes that the parameters of an entry point have at most (CUDA C++ Programming Guide, "Function Parameters").
const PARAMETER_BYTES: usize = 32_764;

/// The attributes of kernels and loops.
pub(super) const ATTRIBUTES: [&str; 3] = ["warps", "stages", "split"];

impl<'a> Elaborator<'a> {
    /// Elaborates a kernel with its generics bound. `None` when a problem was reported.
    pub fn kernel(
        &mut self,
        kernel: &'a ast::Kernel,
        bindings: &BTreeMap<String, String>,
    ) -> Option<Kernel> {
        let generics = self.bind_kernel_generics(kernel, bindings);
        // After the generics: `#[warps(W)]` may name one, so that a tuner can choose it.
        let overrides = self.overrides(&kernel.attributes);
        let (mut bytes, mut sizes) = (0, 0);
        for parameter in &kernel.parameters {
            bytes += self.parameter_bytes(parameter);
            if bytes > PARAMETER_BYTES {
                self.report(messages::lowering::too_many_parameters(
                    PARAMETER_BYTES,
                    parameter.name.span,
                ));
                return None;
            }
            self.parameter(parameter);
            bytes += 4 * std::mem::replace(&mut sizes, self.sizes.len()).abs_diff(self.sizes.len());
        }
        let grid = kernel.grid.as_ref().map(|grid| self.grid(grid));
        self.statements.clear();
        let body = self.nested(|this| this.block(&kernel.body, None)).1;
        let failed = self
            .diagnostics
            .iter()
            .any(|found| found.severity == crate::diagnostic::Severity::Error);
        if failed {
            return None;
        }
        let promises = self.promises(&body.statements);
        Some(programs::one_for_each(Kernel {
            name: kernel.name.text.clone(),
            docs: kernel.docs.join("\n"),
            span: kernel.name.span,
            generics: generics?,
            parameters: std::mem::take(&mut self.parameters),
            sizes: std::mem::take(&mut self.sizes),
            grid: match grid {
                None => None,
                Some(grid) => Some(grid?),
            },
            spread: None,
            promises,
            overrides,
            variables: std::mem::take(&mut self.variables),
            body,
        }))
    }

    /// `#[warps(8)]`, `#[stages(4)]`, `#[split(2)]`.
    pub fn overrides(&mut self, attributes: &'a [Attribute]) -> Overrides {
        let mut overrides = Overrides::default();
        for attribute in attributes {
            let name = attribute.name.text.as_str();
            if !ATTRIBUTES.contains(&name) {
                let similar = suggest::nearest(name, ATTRIBUTES);
                self.report(messages::control::unknown_attribute(
                    name,
                    attribute.name.span,
                    similar,
                ));
                continue;
            }
            let [argument] = &attribute.arguments[..] else {
                self.report(messages::control::attribute_arguments(name, attribute.span));
                continue;
            };
            let located = self.located(argument);
            let Some(value) = self.known_integer(&located, &format!("the argument of `{name}`"))
            else {
                continue;
            };
            match (name, u32::try_from(value)) {
                ("warps", Ok(warps)) if is_number_of_warps(warps) => {
                    overrides.warps = Some(warps);
                }
                ("stages", Ok(stages)) if (1..=16).contains(&stages) => {
                    overrides.stages = Some(stages)
                }
                ("split", Ok(0)) => overrides.split = None,
                ("split", Ok(blocks)) if blocks.is_power_of_two() && blocks <= 8 => {
                    overrides.split = Some(blocks);
                }
                _ => self.report(messages::control::attribute_value(
                    name,
                    value,
                    located.span,
                )),
            }
        }
        overrides
    }

    /// Bytes that a parameter takes of those of the entry point, at least: sizes that several share are not counted.
    fn parameter_bytes(&self, parameter: &ast::Parameter) -> usize {
        match &parameter.ty.kind {
            TypeExprKind::Named(name) => name
                .parse::<ElementType>()
                .map_or(1, |element| element.bytes() as usize),
            _ => 8,
        }
    }

    fn parameter(&mut self, parameter: &'a ast::Parameter) {
        let name = &parameter.name;
        if let Some(earlier) = self.scopes.find(self.environment, &name.text) {
            let first = earlier.span;
            self.report(messages::names::duplicate(&name.text, name.span, first));
        }
        let element = match &parameter.ty.kind {
            TypeExprKind::Pointer { element, .. } | TypeExprKind::Tensor { element, .. } => element,
            _ => &parameter.ty,
        };
        let operand = match &parameter.ty.kind {
            // Whoever calls a kernel is asked for its generics.
            _ if matches!(element.kind, TypeExprKind::Field { .. }) => {
                self.error(messages::types::element_type_of_parameter(element.span))
            }
            TypeExprKind::Named(text) if text == "str" => self.error(
                messages::types::parameter_type(&name.text, "str", parameter.ty.span),
            ),
            TypeExprKind::Named(_) | TypeExprKind::Field { .. } => {
                match self.element_type(&parameter.ty) {
                    Some(element) => {
                        let variable = self.variable(&name.text, scalar(element), name.span, false);
                        self.parameters.push(Parameter::Scalar {
                            name: name.text.clone(),
                            variable,
                        });
                        Operand::value(self.read(variable, name.span))
                    }
                    None => Operand::Error,
                }
            }
            TypeExprKind::Pointer { mutable, element } => match self.element_type(element) {
                Some(pointee) => {
                    let variable = self.pointer(&name.text, pointee, *mutable, name.span);
                    self.parameters.push(Parameter::Pointer {
                        name: name.text.clone(),
                        variable,
                    });
                    Operand::value(self.read(variable, name.span))
                }
                None => Operand::Error,
            },
            TypeExprKind::Tensor {
                mutable,
                element,
                dimensions,
                strides,
            } => {
                match self.tensor_parameter(
                    parameter,
                    *mutable,
                    element,
                    dimensions,
                    strides.as_deref(),
                ) {
                    Some(tensor) => {
                        self.parameters.push(Parameter::Tensor(tensor));
                        Operand::Tensor(self.parameters.len() - 1)
                    }
                    None => Operand::Error,
                }
            }
            TypeExprKind::Tile { .. } => self.error(messages::types::parameter_type(
                &name.text,
                "a tile",
                parameter.ty.span,
            )),
            TypeExprKind::Tuple(_) => self.error(messages::types::parameter_type(
                &name.text,
                "a tuple",
                parameter.ty.span,
            )),
        };
        self.bind(&name.text, operand, false, name.span);
    }

    fn pointer(
        &mut self,
        name: &str,
        pointee: ElementType,
        mutable: bool,
        span: Span,
    ) -> VariableId {
        let element = Element::Pointer { pointee, mutable };
        self.variable(
            name,
            ValueType {
                element,
                shape: Vec::new(),
            },
            span,
            false,
        )
    }

    fn tensor_parameter(
        &mut self,
        parameter: &'a ast::Parameter,
        mutable: bool,
        element: &'a TypeExpr,
        dimensions: &'a [ast::Expr],
        strides: Option<&'a [StrideExpr]>,
    ) -> Option<TensorParameter> {
        let name = &parameter.name;
        let pointee = self.element_type(element);
        if dimensions.is_empty() || dimensions.len() > MOST_DIMENSIONS {
            self.report(messages::shapes::tensor_rank(
                dimensions.len(),
                parameter.ty.span,
            ));
            return None;
        }
        let pointer = self.pointer(
            &name.text,
            pointee.unwrap_or(ElementType::F32),
            mutable,
            name.span,
        );
        let mut good = pointee.is_some();
        let mut sizes = Vec::new();
        for dimension in dimensions {
            match self.dimension(dimension) {
                Some(size) => sizes.push(size),
                None => good = false,
            }
        }
        let strides = match strides {
            None => vec![Stride::Dense; dimensions.len()],
            Some(strides) if strides.len() != dimensions.len() => {
                self.report(messages::shapes::stride_count(
                    &name.text,
                    dimensions.len(),
                    strides.len(),
                    parameter.ty.span,
                ));
                return None;
            }
            Some(strides) => {
                let mut found = Vec::new();
                for (axis, stride) in strides.iter().enumerate() {
                    match self.stride(&name.text, axis, stride) {
                        Some(stride) => found.push(stride),
                        None => good = false,
                    }
                }
                found
            }
        };
        good.then(|| TensorParameter {
            name: name.text.clone(),
            span: name.span,
            pointer,
            dimensions: sizes,
            strides,
        })
    }

    /// A size in the brackets: a name to bind, or something known.
    fn dimension(&mut self, dimension: &'a ast::Expr) -> Option<Dimension> {
        if let ExprKind::Name(name) = &dimension.kind {
            if let Some(index) = self.sizes.iter().position(|(known, _)| known == name) {
                return Some(Dimension::Size(index));
            }
            let bound = self.scopes.find(self.environment, name);
            if bound.is_none() && !self.names_const(name) {
                let variable = self.variable(name, scalar(ElementType::I32), dimension.span, false);
                let value = Operand::value(self.read(variable, dimension.span));
                self.bind(name, value, false, dimension.span);
                self.sizes.push((name.clone(), variable));
                return Some(Dimension::Size(self.sizes.len() - 1));
            }
            if let Some(binding) = bound
                && matches!(binding.operand, Operand::Value(_) | Operand::Tensor(_))
            {
                let first = binding.span;
                self.report(messages::names::size_is_parameter(
                    name,
                    dimension.span,
                    first,
                ));
                return None;
            }
        }
        let located = self.located(dimension);
        let value = self.known_integer(&located, "a size of a tensor")?;
        match u64::try_from(value) {
            Ok(size) if (1..=i32::MAX as u64).contains(&size) => Some(Dimension::Fixed(size)),
            _ => {
                self.report(messages::shapes::bad_size(
                    "a size of a tensor",
                    value,
                    1,
                    located.span,
                ));
                None
            }
        }
    }

    /// Whether a name is that of a `const` of the file, or of one that it imports. Whatever else has a name does not keep it from
    /// binding a size or a stride.
    fn names_const(&self, name: &str) -> bool {
        let found = self.files.find(self.file, name);
        found.is_some_and(|declaration| matches!(declaration.item, Item::Const(_)))
    }

    fn stride(&mut self, tensor: &str, axis: usize, stride: &'a StrideExpr) -> Option<Stride> {
        let expr = match stride {
            StrideExpr::Free(span) => {
                let name = format!("{tensor}.stride{axis}");
                let variable = self.variable(&name, scalar(ElementType::I64), *span, false);
                return Some(Stride::Variable {
                    variable,
                    named: false,
                });
            }
            StrideExpr::Value(expr) => expr,
        };
        if let ExprKind::Name(name) = &expr.kind {
            if self.sizes.iter().any(|(known, _)| known == name) {
                self.report(messages::names::stride_is_size(name, expr.span));
                return None;
            }
            match self
                .scopes
                .find(self.environment, name)
                .map(|binding| binding.operand.clone())
            {
                Some(Operand::Value(known)) => {
                    if let (crate::typed::ExprKind::Variable(variable), true) =
                        (&known.kind, known.ty == scalar(ElementType::I64))
                        && !self.is_scalar_parameter(*variable)
                    {
                        return Some(Stride::Variable {
                            variable: *variable,
                            named: true,
                        });
                    }
                    self.report(messages::names::stride_is_parameter(name, expr.span));
                    return None;
                }
                None if !self.names_const(name) => {
                    let variable = self.variable(name, scalar(ElementType::I64), expr.span, false);
                    let value = Operand::value(self.read(variable, expr.span));
                    self.bind(name, value, false, expr.span);
                    return Some(Stride::Variable {
                        variable,
                        named: true,
                    });
                }
                _ => {}
            }
        }
        let located = self.located(expr);
        let value = self.known_integer(&located, "a stride")?;
        match i64::try_from(value) {
            Ok(stride) => Some(Stride::Fixed(stride)),
            Err(_) => {
                self.report(messages::consts::literal_too_large(located.span));
                None
            }
        }
    }

    fn is_scalar_parameter(&self, wanted: VariableId) -> bool {
        self.parameters.iter().any(|parameter| {
            matches!(parameter, Parameter::Scalar { variable, .. } if *variable == wanted)
        })
    }
}
