//! From the arguments of a call to the parameters of a builtin.

use crate::diagnostic::{Span, messages};
use crate::sema::elaborator::Elaborator;
use crate::sema::functions::Passed;
use crate::sema::operand::{Located, Operand};
use crate::sema::suggest;
use crate::syntax::ast::{self, ExprKind};

use super::{Kind, Signature};

/// A call of a builtin with its arguments in place.
pub(in crate::sema) struct Call<'a> {
    pub name: &'static str,
    pub span: Span,
    arguments: Vec<(&'static str, Located<'a>)>,
}

impl<'a> Call<'a> {
    /// Takes an argument out, if it was given.
    pub fn take(&mut self, parameter: &str) -> Option<Located<'a>> {
        let position = self
            .arguments
            .iter()
            .position(|(name, _)| *name == parameter)?;
        Some(self.arguments.remove(position).1)
    }

    /// The text given as `msg`, if there is one.
    ///
    /// # Errors
    /// What was given is no text: it is given back.
    pub fn message(&mut self) -> Result<Option<String>, Located<'a>> {
        match self.take("msg") {
            None => Ok(None),
            Some(Located {
                operand: Operand::Str(text),
                ..
            }) => Ok(Some(text)),
            Some(other) => Err(other),
        }
    }

    /// The word given for a [`Kind::Choice`] and where.
    pub fn word(&mut self, parameter: &str) -> Option<(String, Span)> {
        let located = self.take(parameter)?;
        match located.operand {
            Operand::Str(word) => Some((word, located.span)),
            _ => None,
        }
    }

    /// Everything that is left.
    pub fn rest(self) -> Vec<Located<'a>> {
        self.arguments
            .into_iter()
            .map(|(_, located)| located)
            .collect()
    }
}

impl<'a> Elaborator<'a> {
    /// Elaborates the arguments and finds their parameters.
    pub fn bind_arguments(
        &mut self,
        signature: &Signature,
        arguments: &'a [ast::Argument],
        span: Span,
    ) -> Option<Call<'a>> {
        let mut good = true;
        let mut values: Vec<Located<'a>> = Vec::new();
        for argument in arguments {
            let parameter = argument.name.as_ref().and_then(|name| {
                signature
                    .parameters
                    .iter()
                    .find(|parameter| parameter.name == name.text)
            });
            let at = argument.value.span;
            let operand = match parameter.map(|parameter| (parameter.name, parameter.kind)) {
                Some((name, Kind::Choice(words))) => {
                    self.word(signature, name, words, &argument.value)
                }
                _ => {
                    let mark = self.statements.len();
                    let operand = self.expr(&argument.value);
                    self.protect(&mut values, mark);
                    operand
                }
            };
            good &= !operand.is_poison();
            values.push(operand.at(at));
        }
        let passed = arguments
            .iter()
            .zip(values)
            .map(|(argument, value)| Passed {
                name: argument.name.as_ref(),
                value,
            })
            .collect();
        let call = self.bind_passed(signature, passed, span);
        if good { call } else { None }
    }

    /// Finds the parameters of elaborated arguments.
    pub fn bind_passed(
        &mut self,
        signature: &Signature,
        passed: Vec<Passed<'a>>,
        span: Span,
    ) -> Option<Call<'a>> {
        let mut bound: Vec<(&'static str, Located<'a>)> = Vec::new();
        let mut good = true;
        let positional = || {
            let by_position = |kind| matches!(kind, Kind::Required | Kind::Optional | Kind::Rest);
            signature
                .parameters
                .iter()
                .filter(move |parameter| by_position(parameter.kind))
        };
        for (index, argument) in passed.into_iter().enumerate() {
            let found = match argument.name {
                Some(name) => signature
                    .parameters
                    .iter()
                    .find(|parameter| parameter.name == name.text),
                None => positional().nth(index).or_else(|| {
                    positional()
                        .next_back()
                        .filter(|last| matches!(last.kind, Kind::Rest))
                }),
            };
            let at = argument.value.span;
            match (found, argument.name) {
                (Some(parameter), name) => {
                    let again = bound.iter().any(|(given, _)| *given == parameter.name);
                    if again && !matches!(parameter.kind, Kind::Rest) {
                        let at = name.map_or(at, |name| name.span);
                        self.report(messages::names::argument_twice(
                            signature.name,
                            parameter.name,
                            at,
                        ));
                        good = false;
                    }
                    bound.push((parameter.name, argument.value));
                }
                (None, Some(name)) => {
                    let names = signature.parameters.iter().map(|parameter| parameter.name);
                    let translated = suggest::argument(&name.text)
                        .filter(|translated| names.clone().any(|name| name == *translated));
                    let similar = translated.or_else(|| suggest::nearest(&name.text, names));
                    let usage = signature.usage();
                    self.report(messages::names::unknown_builtin_argument(
                        signature.name,
                        &name.text,
                        name.span,
                        similar,
                        &usage,
                    ));
                    good = false;
                }
                (None, None) => {
                    let most = positional().count();
                    self.report(
                        messages::names::too_many_arguments(signature.name, most, at, None)
                            .help(format!("it is called as `{}`", signature.usage())),
                    );
                    return None;
                }
            }
        }
        for parameter in signature.parameters {
            let given = bound.iter().any(|(name, _)| *name == parameter.name);
            if matches!(parameter.kind, Kind::Required) && !given {
                self.report(
                    messages::names::missing_argument(signature.name, parameter.name, span, None)
                        .help(format!("it is called as `{}`", signature.usage())),
                );
                good = false;
            }
        }
        good.then_some(Call {
            name: signature.name,
            span,
            arguments: bound,
        })
    }

    /// `cache = cg`: a word, not a name.
    fn word(
        &mut self,
        signature: &Signature,
        parameter: &str,
        words: &[&'static str],
        value: &'a ast::Expr,
    ) -> Operand<'a> {
        let word = match &value.kind {
            ExprKind::Name(name) => Some(name.clone()),
            ExprKind::Str(text) => Some(text.clone()),
            ExprKind::Error => return Operand::Error,
            _ => None,
        };
        match word {
            Some(word) if words.contains(&word.as_str()) => Operand::Str(word),
            // A const or a parameter that holds the word.
            Some(word) if self.scopes.find(self.environment, &word).is_some() => {
                match self.expr(value) {
                    Operand::Str(text) if words.contains(&text.as_str()) => Operand::Str(text),
                    operand if operand.is_poison() => Operand::Error,
                    _ => self.error(messages::memory::bad_word(
                        signature.name,
                        parameter,
                        words,
                        value.span,
                    )),
                }
            }
            _ => self.error(messages::memory::bad_word(
                signature.name,
                parameter,
                words,
                value.span,
            )),
        }
    }
}

/// A `bool` known at compile time, `default` when it is not given.
pub(super) fn known_bool<'a>(
    this: &mut Elaborator<'a>,
    call: &mut Call<'a>,
    parameter: &str,
    default: bool,
) -> Option<bool> {
    match call.take(parameter) {
        None => Some(default),
        Some(Located {
            operand: Operand::Bool(keep),
            ..
        }) => Some(keep),
        Some(other) => {
            this.report(messages::types::expected(
                &other,
                "`true` or `false` known at compile time",
            ));
            None
        }
    }
}
