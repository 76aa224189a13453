//! `const` items of file level: computed once, when first used.

use super::elaborator::{Elaborator, Frame, FrameKind};
use super::environment::Environment;
use super::files::Declaration;
use super::functions::is_known;
use super::operand::{Number, Operand};
use super::types::Annotation;
use crate::diagnostic::{Span, messages};
use crate::syntax::ast::{ConstItem, TypeExprKind};

impl<'a> Elaborator<'a> {
    /// The value of a const.
    pub fn constant(
        &mut self,
        declaration: Declaration<'a>,
        item: &'a ConstItem,
        span: Span,
    ) -> Operand<'a> {
        let key = (declaration.file, declaration.index);
        match self.consts.get(&key) {
            Some(Some(value)) => return value.clone(),
            Some(None) => {
                let name = &item.name;
                self.consts.insert(key, Some(Operand::Error));
                return self.error(messages::consts::cycle(&name.text, name.span, span));
            }
            None => {}
        }
        self.consts.insert(key, None);
        let caller = (self.environment, self.file, self.combiner.take());
        (self.environment, self.file) = (Environment::default(), declaration.file);
        self.frames.push(Frame::new(FrameKind::Function));
        let (value, _) = self.nested(|this| this.constant_value(item));
        self.frames.pop();
        (self.environment, self.file, self.combiner) = caller;
        self.consts.insert(key, Some(value.clone()));
        value
    }

    fn constant_value(&mut self, item: &'a ConstItem) -> Operand<'a> {
        let located = self.located(&item.value);
        if located.operand.is_poison() {
            return Operand::Error;
        }
        let what = format!("the const `{}`", item.name.text);
        if !is_known(&located.operand) {
            return self.error(messages::consts::not_known(&what, &located));
        }
        let annotation = match &item.ty {
            None => Annotation::Any,
            // `const T: type = f16` has no spelling: the type of a type is left out.
            Some(ty) if matches!(&ty.kind, TypeExprKind::Named(name) if name == "type") => {
                Annotation::Any
            }
            Some(ty) => self.annotation(ty),
        };
        let value = self.conform(located, &annotation).at(item.value.span);
        match self.settle(value) {
            // A const adapts to what it meets, as a literal does.
            Operand::Number(number) => Operand::Number(Number {
                flexible: true,
                ..number
            }),
            other => other,
        }
    }
}
