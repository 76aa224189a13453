//! `print` and `assert`.

use std::io::Write as _;
use std::rc::Rc;

use tile_runtime::element::ElementType;
use tile_runtime::printf;

use super::fault::Fault;
use super::program::{Outcome, Program};
use super::value::{Tile, coordinates};
use crate::diagnostic::Span;
use crate::typed::{Expr, printing};

impl Program<'_, '_> {
    /// All elements must be true; the first that is not is blamed.
    pub(super) fn assert(&mut self, condition: &Expr, message: &str, span: Span) -> Outcome<()> {
        let tile = self.evaluate(condition)?;
        let first = tile
            .conditions()
            .map(|mut all| all.position(|holds| !holds));
        match first.map_err(|fault| self.error(span, fault))? {
            None => Ok(()),
            Some(number) => {
                let message = message.to_owned();
                let fault = Fault::AssertionFailed { message }.at(number);
                Err(self.error_in(span, fault, &tile.shape))
            }
        }
    }

    /// A line per element, in row-major order.
    pub(super) fn print(
        &mut self,
        label: &str,
        values: &[Expr],
        hex: bool,
        span: Span,
    ) -> Outcome<()> {
        let tiles = self.evaluate_all(values)?;
        if !self.prints {
            return Ok(());
        }
        let text = lines(label, self.id, &tiles, hex).map_err(|fault| self.error(span, fault))?;
        // Nobody may be left to read it, which is no business of the kernel.
        let _ = std::io::stdout().write_all(text.as_bytes());
        Ok(())
    }
}

fn lines(label: &str, id: [u32; 3], tiles: &[Rc<Tile>], hex: bool) -> Result<String, Fault> {
    let columns: Result<Vec<(ElementType, &[u64])>, Fault> =
        tiles.iter().map(|tile| tile.as_numbers()).collect();
    let columns = columns?;
    let shape = tiles.first().map_or(&[][..], |tile| &tile.shape);
    let elements: Vec<ElementType> = columns.iter().map(|(element, _)| *element).collect();
    let format = printing::line(label, shape.len(), &elements, hex);
    let mut text = String::new();
    for number in 0..shape.iter().product::<u64>() as usize {
        let place = coordinates(shape, number);
        let mut values =
            id.iter()
                .map(|axis| u64::from(*axis))
                .chain(place)
                .chain(columns.iter().map(|(element, bits)| {
                    printing::promoted(*element, bits.get(number).copied().unwrap_or(0), hex)
                }));
        text += &printf::format(&format, |conversion| {
            conversion.number(values.next().unwrap_or(0))
        });
    }
    Ok(text)
}
