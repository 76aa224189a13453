//! `print`, `assert` and `prefetch`.

use melior::ir::ValueLike;
use tile_runtime::element::ElementType;

use super::Lowering;
use super::operations::number;
use crate::diagnostic::{Diagnostic, Span};
use crate::dialect::{free_segments, predicates};
use crate::ir::Value;
use crate::typed::printing::{self, Promotion};
use crate::typed::{CacheLevel, Expr};

impl<'c> Lowering<'_, 'c> {
    pub(super) fn assert(
        &mut self,
        condition: &Expr,
        message: &str,
        span: Span,
    ) -> Result<(), Diagnostic> {
        let condition = self.expr(condition)?;
        self.at(span);
        let file = self.sources.get(span.file);
        let line = file.map_or(0, |file| file.location(span.start).line);
        let name = file.map_or("", |file| file.name.as_str());
        let attributes = [
            ("message", self.builder.text(message)),
            ("file", self.builder.text(name)),
            ("line", self.builder.int(i64::from(line))),
            ("function", self.builder.text(&self.kernel.name)),
        ];
        self.builder
            .insert("tile.assert", &[condition], &attributes, &[]);
        Ok(())
    }

    pub(super) fn print(
        &mut self,
        label: &str,
        values: &[Expr],
        hex: bool,
        span: Span,
    ) -> Result<(), Diagnostic> {
        self.at(span);
        let word = self.builder.int_type(32);
        let mut list: Vec<_> = (0..3)
            .map(|axis| self.axis_query("tile.program_id", axis, word))
            .collect();
        for value in values {
            let element = number(value.ty.element);
            let value = self.expr(value)?;
            self.at(span);
            list.push(self.promoted(value, element, hex));
        }
        let elements: Vec<ElementType> = values
            .iter()
            .map(|value| number(value.ty.element))
            .collect();
        let rank = values.first().map_or(0, |value| value.ty.shape.len());
        let format = printing::line(label, rank, &elements, hex);
        let segments: Vec<i32> = [1; 3]
            .into_iter()
            .chain(free_segments(values.len()))
            .collect();
        let attributes = [
            ("format", self.builder.text(&format)),
            ("operandSegmentSizes", self.builder.ints32(&segments)),
        ];
        self.builder.insert("tile.print", &list, &attributes, &[]);
        Ok(())
    }

    /// The value as `printf` gets it; see [`printing`].
    fn promoted(&mut self, value: Value<'c>, element: ElementType, hex: bool) -> Value<'c> {
        match printing::promotion(element, hex).0 {
            Promotion::Integer(target) => self.cast_number(value, element, target),
            Promotion::Bits(target) => {
                let bits = if element.is_float() {
                    self.bits_of(value, element)
                } else {
                    value
                };
                self.builder.int_cast(bits, target.bits(), false)
            }
            Promotion::Float => {
                let wide = self.cast_number(value, element, ElementType::F64);
                let is_nan = self.compare_float(predicates::UNO, wide, wide);
                let bits = self.bits_of(wide, ElementType::F64);
                let nan = f64::NAN.to_bits().cast_signed();
                let nan = self.builder.constant_int(nan, bits.r#type());
                // As bits: a float NaN may be replaced by any other.
                self.builder.select(is_nan, nan, bits)
            }
        }
    }

    pub(super) fn prefetch(
        &mut self,
        pointers: &Expr,
        mask: Option<&Expr>,
        level: CacheLevel,
        span: Span,
    ) -> Result<(), Diagnostic> {
        let mut list = vec![self.expr(pointers)?];
        list.extend(mask.map(|mask| self.expr(mask)).transpose()?);
        self.at(span);
        let attributes = [("level", self.builder.text(level.name()))];
        self.builder
            .insert("tile.prefetch", &list, &attributes, &[]);
        Ok(())
    }
}
