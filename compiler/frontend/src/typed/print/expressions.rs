//! Expressions: operators infix, everything else as a call.

use std::fmt::Write as _;

use tile_runtime::element::ElementType;

use super::{Printer, comma, hints, shape, unchecked};
use crate::typed::{
    BinaryOperation, CompareOperation, Constant, Element, Expr, ExprKind, Precision,
    ReduceOperation, Rounding, Sorted, UnaryOperation, ValueType,
};

impl Printer<'_> {
    pub(super) fn expr(&self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Constant(value) => constant(*value, &expr.ty),
            ExprKind::Variable(variable) => self.name(*variable).to_owned(),
            ExprKind::ProgramId(axis) => format!("program_id({axis})"),
            ExprKind::NumPrograms(axis) => format!("num_programs({axis})"),
            ExprKind::Arange { lo, hi } => format!("arange({lo}, {hi})"),
            ExprKind::Broadcast(operand) => {
                format!(
                    "broadcast({}, {})",
                    self.expr(operand),
                    shape(&expr.ty.shape)
                )
            }
            ExprKind::ExpandDimension { operand, axis } => {
                format!("expand({}, axis = {axis})", self.expr(operand))
            }
            ExprKind::Reshape(operand) => {
                format!("reshape({}, {})", self.expr(operand), shape(&expr.ty.shape))
            }
            ExprKind::Permute {
                operand,
                permutation,
            } => {
                format!("permute({}, [{}])", self.expr(operand), comma(permutation))
            }
            ExprKind::Unary { operation, operand } => self.unary(*operation, operand),
            ExprKind::Binary {
                operation,
                left,
                right,
            } => self.binary(*operation, left, right),
            ExprKind::Compare {
                operation,
                left,
                right,
            } => {
                format!(
                    "{} {} {}",
                    self.operand(left),
                    comparison(*operation),
                    self.operand(right)
                )
            }
            ExprKind::Select {
                condition,
                then,
                otherwise,
            } => {
                format!("where({})", self.list([condition, then, otherwise]))
            }
            ExprKind::FusedMultiplyAdd { operands } => {
                format!("fma({})", self.list(operands.each_ref()))
            }
            ExprKind::Cast { operand, rounding } => {
                let rounding = match rounding {
                    Rounding::NearestEven => "",
                    Rounding::TowardZero => ", round = rtz",
                };
                format!(
                    "cast({}, {}{rounding})",
                    self.expr(operand),
                    expr.ty.element
                )
            }
            ExprKind::Bitcast(operand) => {
                format!("bitcast({}, {})", self.expr(operand), expr.ty.element)
            }
            ExprKind::PointerOffset { pointer, offset } => {
                format!("{} + {}", self.operand(pointer), self.operand(offset))
            }
            ExprKind::Reduce {
                operand,
                axis,
                operation,
            } => {
                format!(
                    "{}({}, axis = {axis})",
                    reduction(*operation),
                    self.expr(operand)
                )
            }
            ExprKind::Gather { operand, indices } => {
                let indices = comma(indices.iter().map(|index| self.expr(index)));
                format!("gather({}, [{indices}])", self.expr(operand))
            }
            ExprKind::Sort {
                operand,
                axis,
                descending,
                gives,
            } => {
                let name = match gives {
                    Sorted::Values => "sort",
                    Sorted::Indices => "argsort",
                };
                let first = expr.ty.shape.get(*axis).copied().unwrap_or(1);
                let order = if *descending { ", descending" } else { "" };
                format!(
                    "{name}({}, axis = {axis}, first = {first}{order})",
                    self.expr(operand)
                )
            }
            ExprKind::Histogram { operand, mask } => {
                let mask = mask.as_ref().map(|mask| self.expr(mask));
                let mask = mask.map_or_else(String::new, |mask| format!(", mask = {mask}"));
                let bins = shape(&expr.ty.shape);
                format!("histogram({}, bins = {bins}{mask})", self.expr(operand))
            }
            ExprKind::Dot {
                left,
                right,
                accumulator,
                precision,
            } => {
                let precision = match precision {
                    Precision::Usual => "",
                    Precision::Full => ", precision = full",
                    Precision::Tf32 => ", precision = tf32",
                };
                format!("dot({}{precision})", self.list([left, right, accumulator]))
            }
            ExprKind::Load {
                pointers,
                mask,
                other,
                cache,
            } => {
                let mut text = format!("load({}", self.expr(pointers));
                if let Some(mask) = mask {
                    let _ = write!(text, ", mask = {}", self.expr(mask));
                }
                if let Some(other) = other {
                    let _ = write!(text, ", other = {}", self.expr(other));
                }
                format!("{text}{})", hints(*cache))
            }
            ExprKind::LoadView {
                view,
                other,
                bounds,
                cache,
            } => {
                let mut text = format!("load({}", self.view(view));
                if let Some(other) = other {
                    let _ = write!(text, ", other = {}", self.expr(other));
                }
                format!("{text}{}{})", unchecked(*bounds), hints(*cache))
            }
        }
    }

    /// An operand of an infix operator: in parentheses if it is infix itself.
    pub(super) fn operand(&self, expr: &Expr) -> String {
        let text = self.expr(expr);
        if is_infix(&expr.kind) {
            format!("({text})")
        } else {
            text
        }
    }

    fn list(&self, operands: [&Expr; 3]) -> String {
        comma(operands.map(|operand| self.expr(operand)))
    }

    fn unary(&self, operation: UnaryOperation, operand: &Expr) -> String {
        let name = match operation {
            UnaryOperation::Negate => return format!("-{}", self.operand(operand)),
            UnaryOperation::Not => return format!("!{}", self.operand(operand)),
            UnaryOperation::Abs => "abs",
            UnaryOperation::Exp => "exp",
            UnaryOperation::Exp2 => "exp2",
            UnaryOperation::Log => "log",
            UnaryOperation::Log2 => "log2",
            UnaryOperation::Sqrt => "sqrt",
            UnaryOperation::Rsqrt => "rsqrt",
            UnaryOperation::Sin => "sin",
            UnaryOperation::Cos => "cos",
            UnaryOperation::Tanh => "tanh",
            UnaryOperation::Erf => "erf",
            UnaryOperation::Floor => "floor",
            UnaryOperation::Ceil => "ceil",
            UnaryOperation::Round => "round",
            UnaryOperation::Sigmoid => "sigmoid",
            UnaryOperation::Asin => "asin",
            UnaryOperation::Acos => "acos",
            UnaryOperation::Atan => "atan",
            UnaryOperation::Tan => "tan",
            UnaryOperation::Sinh => "sinh",
            UnaryOperation::Cosh => "cosh",
            UnaryOperation::Asinh => "asinh",
            UnaryOperation::Acosh => "acosh",
            UnaryOperation::Atanh => "atanh",
            UnaryOperation::Expm1 => "expm1",
            UnaryOperation::Log1p => "log1p",
            UnaryOperation::Log10 => "log10",
            UnaryOperation::Cbrt => "cbrt",
            UnaryOperation::Erfc => "erfc",
            UnaryOperation::Trunc => "trunc",
            UnaryOperation::FastExp => "fast.exp",
            UnaryOperation::FastExp2 => "fast.exp2",
            UnaryOperation::FastLog => "fast.log",
            UnaryOperation::FastLog2 => "fast.log2",
            UnaryOperation::FastSin => "fast.sin",
            UnaryOperation::FastCos => "fast.cos",
            UnaryOperation::FastTanh => "fast.tanh",
            UnaryOperation::FastReciprocal => "fast.reciprocal",
        };
        format!("{name}({})", self.expr(operand))
    }

    fn binary(&self, operation: BinaryOperation, left: &Expr, right: &Expr) -> String {
        match operator(operation) {
            Ok(symbol) => format!("{} {symbol} {}", self.operand(left), self.operand(right)),
            Err(name) => format!("{name}({}, {})", self.expr(left), self.expr(right)),
        }
    }
}

fn is_infix(kind: &ExprKind) -> bool {
    match kind {
        ExprKind::Compare { .. } | ExprKind::PointerOffset { .. } => true,
        ExprKind::Binary { operation, .. } => operator(*operation).is_ok(),
        ExprKind::Unary { operation, .. } => {
            matches!(operation, UnaryOperation::Negate | UnaryOperation::Not)
        }
        _ => false,
    }
}

/// The operator's symbol, or the function's name.
const fn operator(operation: BinaryOperation) -> Result<&'static str, &'static str> {
    match operation {
        BinaryOperation::Add => Ok("+"),
        BinaryOperation::Subtract => Ok("-"),
        BinaryOperation::Multiply => Ok("*"),
        BinaryOperation::Divide => Ok("/"),
        BinaryOperation::CeilDivide => Err("cdiv"),
        BinaryOperation::Remainder => Ok("%"),
        BinaryOperation::And => Ok("&"),
        BinaryOperation::Or => Ok("|"),
        BinaryOperation::Xor => Ok("^"),
        BinaryOperation::ShiftLeft => Ok("<<"),
        BinaryOperation::ShiftRight => Ok(">>"),
        BinaryOperation::Minimum => Err("min"),
        BinaryOperation::Maximum => Err("max"),
        BinaryOperation::MultiplyHigh => Err("umulhi"),
        BinaryOperation::Power => Err("pow"),
        BinaryOperation::Atan2 => Err("atan2"),
        BinaryOperation::Hypot => Err("hypot"),
        BinaryOperation::CopySign => Err("copysign"),
    }
}

const fn comparison(operation: CompareOperation) -> &'static str {
    match operation {
        CompareOperation::Equal => "==",
        CompareOperation::NotEqual => "!=",
        CompareOperation::Less => "<",
        CompareOperation::LessEqual => "<=",
        CompareOperation::Greater => ">",
        CompareOperation::GreaterEqual => ">=",
    }
}

const fn reduction(operation: ReduceOperation) -> &'static str {
    match operation {
        ReduceOperation::Sum => "sum",
        ReduceOperation::Product => "prod",
        ReduceOperation::Max => "max",
        ReduceOperation::Min => "min",
        ReduceOperation::And => "all",
        ReduceOperation::Or => "any",
        ReduceOperation::Xor => "xor_sum",
        ReduceOperation::ArgMax => "argmax",
        ReduceOperation::ArgMin => "argmin",
    }
}

/// `1`, `1.5f16`, `full([64], 0.0)`.
fn constant(value: Constant, ty: &ValueType) -> String {
    let number = match (value, ty.element) {
        (Constant::Int(value), Element::Number(ElementType::I1)) => (value != 0).to_string(),
        (Constant::Int(value), Element::Number(ElementType::I32)) => value.to_string(),
        // As `f32` prints it: the shortest number that rounds to it.
        #[allow(clippy::cast_possible_truncation)]
        (Constant::Float(value), Element::Number(ElementType::F32)) => {
            format!("{:?}", value as f32)
        }
        (Constant::Int(value), element) => format!("{value}{element}"),
        (Constant::Float(value), element) => format!("{value:?}{element}"),
    };
    if ty.shape.is_empty() {
        number
    } else {
        format!("full({}, {number})", shape(&ty.shape))
    }
}
