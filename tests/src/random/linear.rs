//! Dots, and random numbers.

use tile_runtime::element::ElementType::{self, BF16, F8E4M3, F8E5M2, F16, F32, F64, I8, I32, U32};

use super::generator::Generator;
use super::tree::{Expr, Type, most_exact};

/// Multiplications that a dot may do.
const MOST_PRODUCTS: usize = 16 * 1024;

/// A dot, or random numbers; `None` if the choice does not suit what is wanted.
pub fn expr(this: &mut Generator, wanted: &Type, depth: usize) -> Option<Expr> {
    if wanted.bound.is_none() && matches!(wanted.element, F32 | U32) && this.choices.chance(15) {
        return Some(random(this, wanted, depth));
    }
    let (batch, rows, columns) = match wanted.shape[..] {
        [rows, columns] => (None, rows, columns),
        [batch, rows, columns] if batch <= 4 => (Some(batch), rows, columns),
        _ => return None,
    };
    let kinds: &[(ElementType, ElementType)] = match wanted.element {
        F32 => &[
            (F16, F16),
            (BF16, BF16),
            (F32, F32),
            (F8E4M3, F8E4M3),
            (F8E4M3, F8E5M2),
            (F8E5M2, F8E4M3),
        ],
        F16 => &[(F16, F16), (F8E4M3, F8E5M2)],
        F64 => &[(F64, F64)],
        I32 => &[(I8, I8)],
        _ => return None,
    };
    let (left, right) = this.choices.pick(kinds);
    let inner = this
        .choices
        .pick(&[1, 2, 3, 5, 7, 8, 16, 17, 31, 32, 33, 48, 64]);
    if batch.unwrap_or(1) * rows * columns * inner > MOST_PRODUCTS
        || rows.max(columns) * inner > this.limits.elements * 2
    {
        return None;
    }
    // Half for the products, half for what they are added to.
    let all = match (wanted.bound, wanted.element) {
        (Some(bound), _) => Some(bound / 2),
        (None, I32) => None,
        (None, F64) => Some(1 << 36),
        (None, _) => Some(1 << 23),
    };
    let factor = all.map(|all| (all / inner as u64).isqrt());
    if factor == Some(0) {
        return None;
    }
    let bound = |element: ElementType| factor.map(|factor| factor.min(most_exact(element)));
    let shape = |a: usize, b: usize| batch.into_iter().chain([a, b]).collect::<Vec<_>>();
    let mut operands = vec![
        this.expr(
            &Type::of(left, &shape(rows, inner)).bounded(bound(left)),
            depth,
        ),
        this.expr(
            &Type::of(right, &shape(inner, columns)).bounded(bound(right)),
            depth,
        ),
    ];
    let mut text = "dot($0, $1".to_owned();
    // Without an accumulator f16 would be summed, and given back, as f32.
    if wanted.element == F16 || this.choices.chance(50) {
        let most = all.map(|all| all.min(most_exact(wanted.element)));
        operands.push(this.expr(&wanted.clone().bounded(most), depth));
        text += ", $2";
    }
    // TF32 holds whole numbers up to 2048.
    if left == F32 && bound(F32).is_some_and(|bound| bound <= 2048) && this.choices.chance(50) {
        text += ", precision = tf32";
    }
    text += ")";
    if wanted.element.is_float() {
        text = format!("({text} + 0.0)");
    }
    Some(Expr::form(wanted, text, operands))
}

fn random(this: &mut Generator, wanted: &Type, depth: usize) -> Expr {
    let seed = this
        .choices
        .pick(&[I32, U32, ElementType::I64, ElementType::U64]);
    let offset = this
        .choices
        .pick(&[I32, U32, ElementType::I64, ElementType::U64]);
    let operands = vec![
        this.expr(&Type::scalar(seed), depth),
        this.expr(&wanted.with_shape(&wanted.shape).of_element(offset), depth),
    ];
    let name = if wanted.element == F32 {
        "rand"
    } else {
        "randint"
    };
    Expr::form(wanted, format!("{name}($0, $1)"), operands)
}
