//! Assertions on compiled kernels: `assert_ptx`, `assert_resources`.

use std::collections::BTreeMap;

use crate::diagnostic::{Span, messages};
use crate::sema::elaborator::Elaborator;
use crate::sema::operand::Operand;
use crate::sema::suggest;
use crate::syntax::ast::{self, BinaryOperator, ExprKind};
use crate::target::{TARGETS, Target};
use crate::typed::host::{HostOperation, Limit, PtxProperties, Relation, Resource};

impl<'a> Elaborator<'a> {
    /// `assert_ptx(kernel, contains = "wgmma", count = 4, lacks = "st.local", target = "sm_90a",
    /// generics…)`
    pub(super) fn assert_ptx(&mut self, arguments: &'a [ast::Argument], span: Span) -> Operand<'a> {
        const FORM: &str = "assert_ptx";
        let Some((first, rest)) = arguments.split_first() else {
            return self.error(messages::host::kernel_expected(FORM, span));
        };
        let Some((file, kernel)) = self.named_kernel(FORM, first) else {
            return Operand::Error;
        };
        let (mut contains, mut lacks) = (Vec::new(), Vec::new());
        let (mut count, mut target) = (None, None);
        let mut bindings = BTreeMap::new();
        let mut good = true;
        for argument in rest {
            let Some(name) = &argument.name else {
                self.report(messages::host::property_expected(FORM, argument.value.span));
                good = false;
                continue;
            };
            match name.text.as_str() {
                "contains" | "lacks" => match self.texts(&argument.value) {
                    Some(texts) if name.text == "contains" => contains.extend(texts),
                    Some(texts) => lacks.extend(texts),
                    None => good = false,
                },
                "count" => match self.limit_value(&argument.value) {
                    Some(value) => count = Some(value),
                    None => good = false,
                },
                "target" => match self.target_name(&argument.value) {
                    Some(found) => target = Some(found.to_owned()),
                    None => good = false,
                },
                _ => good &= self.generic_argument(kernel, name, &argument.value, &mut bindings),
            }
        }
        if good && contains.is_empty() && lacks.is_empty() {
            return self.error(messages::host::nothing_asserted(FORM, span));
        }
        if good && count.is_some() && contains.len() != 1 {
            return self.error(messages::host::count_of_what(span));
        }
        if !good {
            return Operand::Error;
        }
        self.add_defines(kernel, &mut bindings);
        if let Some(index) = self.host_kernel(file, kernel, bindings, span) {
            let properties = PtxProperties {
                kernel: index,
                contains,
                count,
                lacks,
                target,
            };
            self.host_step(HostOperation::AssertPtx(properties), Vec::new(), span);
        }
        Operand::UNIT
    }

    /// `assert_resources(kernel, registers <= 168, spills == 0, generics…)`; `spills = 0` is
    /// understood too.
    pub(super) fn assert_resources(
        &mut self,
        arguments: &'a [ast::Argument],
        span: Span,
    ) -> Operand<'a> {
        const FORM: &str = "assert_resources";
        let Some((first, rest)) = arguments.split_first() else {
            return self.error(messages::host::kernel_expected(FORM, span));
        };
        let Some((file, kernel)) = self.named_kernel(FORM, first) else {
            return Operand::Error;
        };
        let mut limits = Vec::new();
        let mut bindings = BTreeMap::new();
        let mut good = true;
        for argument in rest {
            let limit = match &argument.name {
                Some(name) => match resource(&name.text) {
                    Some(resource) => Some((resource, Relation::Equal, &argument.value)),
                    None => {
                        good &= self.generic_argument(kernel, name, &argument.value, &mut bindings);
                        continue;
                    }
                },
                None => self.comparison_of_resource(FORM, &argument.value),
            };
            let limit = limit.and_then(|(resource, relation, value)| {
                let value = self.limit_value(value)?;
                Some(Limit {
                    resource,
                    relation,
                    value,
                })
            });
            good &= limit.is_some();
            limits.extend(limit);
        }
        if good && limits.is_empty() {
            return self.error(messages::host::nothing_asserted(FORM, span));
        }
        if !good {
            return Operand::Error;
        }
        self.add_defines(kernel, &mut bindings);
        if let Some(index) = self.host_kernel(file, kernel, bindings, span) {
            let operation = HostOperation::AssertResources {
                kernel: index,
                limits,
            };
            self.host_step(operation, Vec::new(), span);
        }
        Operand::UNIT
    }

    /// `registers <= 168`
    fn comparison_of_resource(
        &mut self,
        form: &str,
        expr: &'a ast::Expr,
    ) -> Option<(Resource, Relation, &'a ast::Expr)> {
        if let ExprKind::Binary {
            operator,
            left,
            right,
        } = &expr.kind
            && let ExprKind::Name(name) = &left.kind
            && let Some(relation) = relation(*operator)
        {
            if let Some(resource) = resource(name) {
                return Some((resource, relation, right));
            }
            let names = Resource::ALL.map(Resource::name);
            let similar = suggest::nearest(name, names);
            self.report(messages::host::unknown_resource(
                name, left.span, similar, &names,
            ));
            return None;
        }
        self.report(messages::host::property_expected(form, expr.span));
        None
    }

    fn limit_value(&mut self, expr: &'a ast::Expr) -> Option<u64> {
        let located = self.located(expr);
        let value = self.known_integer(&located, "a limit")?;
        match u64::try_from(value) {
            Ok(value) => Some(value),
            Err(_) => {
                self.report(messages::types::expected(
                    &located,
                    "a number that is not negative",
                ));
                None
            }
        }
    }

    /// A text or a list of texts.
    fn texts(&mut self, expr: &'a ast::Expr) -> Option<Vec<String>> {
        let located = self.located(expr);
        let items = match located.operand {
            Operand::List(items) => items,
            operand => vec![operand.at(expr.span)],
        };
        let mut texts = Vec::new();
        for item in items {
            match &item.operand {
                Operand::Str(text) if !text.is_empty() => texts.push(text.clone()),
                operand if operand.is_poison() => return None,
                _ => {
                    self.report(messages::types::expected(&item, "a text"));
                    return None;
                }
            }
        }
        Some(texts)
    }

    fn target_name(&mut self, expr: &'a ast::Expr) -> Option<&'static str> {
        let located = self.located(expr);
        let Operand::Str(text) = &located.operand else {
            if !located.operand.is_poison() {
                self.report(messages::types::expected(&located, "the name of a target"));
            }
            return None;
        };
        let found = Target::named(text).map(|target| target.name);
        if found.is_none() {
            let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
            self.report(messages::host::unknown_target(text, expr.span, &names));
        }
        found
    }
}

fn resource(name: &str) -> Option<Resource> {
    Resource::ALL
        .into_iter()
        .find(|resource| resource.name() == name)
}

const fn relation(operator: BinaryOperator) -> Option<Relation> {
    Some(match operator {
        BinaryOperator::Equal => Relation::Equal,
        BinaryOperator::Less => Relation::Less,
        BinaryOperator::LessEqual => Relation::LessEqual,
        BinaryOperator::Greater => Relation::Greater,
        BinaryOperator::GreaterEqual => Relation::GreaterEqual,
        _ => return None,
    })
}
