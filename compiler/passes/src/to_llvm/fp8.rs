//! Conversions between f32 and fp8, whose bits lie in 8-bit integers.
//!
//! From compute capability 8.9 on one instruction does it (PTX ISA, "cvt": `.rn.satfinite` to, by way
//! of f16 from). Older ones do the same with integers:
//!
//! - to fp8: normal results add half a unit less one to the bits, and the bit that decides ties;
//!   subnormal ones are rounded by adding the power of two whose unit is theirs. What is beyond the
//!   largest number is that number;
//! - `e5m2` is the upper half of an f16; `e4m3` is moved into one and multiplied by 2^8, the
//!   difference of the exponents' biases.

use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};

use super::ToLlvm;
use super::threads::inline_asm;
use crate::build::Builder;
use crate::build::from_typed::LARGEST_E5M2;
use crate::dialect::predicates as p;
use crate::ffi::defining_operation;
use crate::ir::{Operation, Value, element_type, name, operand, result};
use tile_runtime::element::ElementType;
use tile_runtime::numeric::{Scalar, from_scalar};

/// The first compute capability with `cvt` from and to fp8.
const CAPABILITY: u32 = 89;

/// A conversion from or to fp8.
#[derive(Clone, Copy)]
pub(super) struct Fp8<'a> {
    name: &'a str,
    format: Format,
    widens: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    E4M3,
    E5M2,
}

impl Format {
    fn of(ty: Type<'_>) -> Option<Self> {
        match ty.to_string().as_str() {
            "f8E4M3FN" => Some(Self::E4M3),
            "f8E5M2" => Some(Self::E5M2),
            _ => None,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::E4M3 => "e4m3",
            Self::E5M2 => "e5m2",
        }
    }

    const fn mantissa_bits(self) -> i64 {
        match self {
            Self::E4M3 => 3,
            Self::E5M2 => 2,
        }
    }

    const fn bias(self) -> i64 {
        match self {
            Self::E4M3 => 7,
            Self::E5M2 => 15,
        }
    }

    /// The bits of the largest finite number.
    const fn largest(self) -> i64 {
        match self {
            Self::E4M3 => 0x7e,
            Self::E5M2 => 0x7b,
        }
    }
}

impl<'a> Fp8<'a> {
    /// The conversion that `name` is between these elements, if it is one with fp8.
    pub(super) fn of(name: &'a str, from: Type<'_>, to: Type<'_>) -> Option<Self> {
        let (format, widens) = match name {
            "arith.extf" | "arith.fptosi" | "arith.fptoui" => (Format::of(from)?, true),
            "arith.truncf" | "arith.sitofp" | "arith.uitofp" => (Format::of(to)?, false),
            _ => return None,
        };
        Some(Self {
            name,
            format,
            widens,
        })
    }
}

/// The number that a conversion to e5m2 takes, without the bounds it was given when it was built: the conversion
/// saturates by itself.
pub(super) fn unbounded(conversion: Operation<'_>) -> Option<Value<'_>> {
    let to = element_type(result(conversion, 0).r#type());
    if name(conversion) != "arith.truncf" || Format::of(to) != Some(Format::E5M2) {
        return None;
    }
    let above = bounded(operand(conversion, 0), "arith.minimumf", LARGEST_E5M2)?;
    bounded(above, "arith.maximumf", -LARGEST_E5M2)
}

/// What an operation of this name gives a bound.
fn bounded<'c>(value: Value<'c>, bounds: &str, bound: f64) -> Option<Value<'c>> {
    let operation = defining_operation(value).filter(|operation| name(*operation) == bounds)?;
    is_splat(operand(operation, 1), bound).then(|| operand(operation, 0))
}

/// Whether a value is this constant, in each element.
fn is_splat(value: Value<'_>, number: f64) -> bool {
    let constant =
        defining_operation(value).filter(|operation| name(*operation) == "arith.constant");
    let Some(text) = constant.and_then(|operation| operation.attribute("value").ok()) else {
        return false;
    };
    let text = text.to_string();
    let text = text.split(" : ").next().unwrap_or_default();
    let text = text.trim_start_matches("dense<").trim_end_matches('>');
    text.parse() == Ok(number)
}

/// The bits of an fp8 constant written in decimal or as bits.
pub(super) fn constant_bits(text: &str, element: Type<'_>) -> i64 {
    if let Some(bits) = text.strip_prefix("0x") {
        return i64::from_str_radix(bits, 16).unwrap_or_default();
    }
    let value: f64 = text.parse().unwrap_or_default();
    let element = match Format::of(element) {
        Some(Format::E5M2) => ElementType::F8E5M2,
        _ => ElementType::F8E4M3,
    };
    from_scalar(element, Scalar::Float(value)) as i64
}

impl<'c> ToLlvm<'_, '_, 'c> {
    /// Converts one number, by way of f32. (Upstream folds `truncf` of `sitofp` to `sitofp` and the
    /// like, so that the other side may be any number.)
    pub(super) fn convert_fp8(
        &self,
        builder: &mut Builder<'c>,
        conversion: Fp8<'c>,
        value: Value<'c>,
        ty: Type<'c>,
    ) -> Value<'c> {
        let Fp8 {
            name,
            format,
            widens,
        } = conversion;
        let native = self.cx.target.capability() >= CAPABILITY;
        let float = Type::float32(builder.context);
        if widens {
            let wide = if native {
                native_widen(builder, format, value)
            } else {
                widen(builder, format, value)
            };
            return match name {
                _ if ty == float => wide,
                "arith.extf" if crate::element_bits(ty) < 32 => {
                    builder.value("arith.truncf", &[wide], &[], ty)
                }
                _ => self.scalar(builder, name, &[wide], &[], ty),
            };
        }
        let wide = match name {
            _ if value.r#type() == float => value,
            "arith.truncf" => builder.value("arith.extf", &[value], &[], float),
            _ => builder.value(name, &[value], &[], float),
        };
        if native {
            native_narrow(builder, format, wide)
        } else {
            narrow(builder, format, wide)
        }
    }
}

fn native_narrow<'c>(builder: &mut Builder<'c>, format: Format, value: Value<'c>) -> Value<'c> {
    let half = builder.int_type(16);
    let float = Type::float32(builder.context);
    let zero = builder.constant_float(0.0, float);
    let text = format!("cvt.rn.satfinite.{}x2.f32 $0, $1, $2;", format.name());
    let pair = inline_asm(builder, &text, "=h,f,f", &[zero, value], &[half], false)[0];
    builder.int_cast(pair, 8, false)
}

fn native_widen<'c>(builder: &mut Builder<'c>, format: Format, value: Value<'c>) -> Value<'c> {
    let word = builder.int_type(32);
    let half = Type::float16(builder.context);
    let wide = builder.int_cast(value, 16, false);
    let text = format!("cvt.rn.f16x2.{}x2 $0, $1;", format.name());
    let pair = inline_asm(builder, &text, "=r,h", &[wide], &[word], false)[0];
    let low = builder.int_cast(pair, 16, false);
    let low = builder.value("arith.bitcast", &[low], &[], half);
    let float = Type::float32(builder.context);
    builder.value("arith.extf", &[low], &[], float)
}

fn narrow<'c>(builder: &mut Builder<'c>, format: Format, value: Value<'c>) -> Value<'c> {
    let word = builder.int_type(32);
    let float = Type::float32(builder.context);
    let dropped = 23 - format.mantissa_bits();
    let smallest_normal = 1 - format.bias();
    let int = |builder: &mut Builder<'c>, value: i64| builder.constant_int(value, word);
    let bits = builder.value("arith.bitcast", &[value], &[], word);
    let mask = int(builder, 0x7fff_ffff);
    let magnitude = builder.and(bits, mask);
    let places = int(builder, 24);
    let sign = builder.binary("arith.shrui", bits, places);
    let mask = int(builder, 0x80);
    let sign = builder.and(sign, mask);

    let places = int(builder, dropped);
    let last = builder.binary("arith.shrui", magnitude, places);
    let one = int(builder, 1);
    let last = builder.and(last, one);
    let half = int(builder, (1 << (dropped - 1)) - 1);
    let rounded = builder.add(magnitude, half);
    let rounded = builder.add(rounded, last);
    let shifted = builder.binary("arith.shrui", rounded, places);
    let bias = int(builder, (127 - format.bias()) << format.mantissa_bits());
    let normal = builder.binary("arith.subi", shifted, bias);

    // The unit of this power of two is that of the subnormal numbers.
    let power = smallest_normal - format.mantissa_bits() + 23;
    let power = builder.constant_float(2f64.powi(power as i32), float);
    let positive = builder.value("arith.bitcast", &[magnitude], &[], float);
    let moved = builder.binary("arith.addf", positive, power);
    let moved = builder.value("arith.bitcast", &[moved], &[], word);
    let base = builder.value("arith.bitcast", &[power], &[], word);
    let subnormal = builder.binary("arith.subi", moved, base);

    let first_normal = int(builder, (127 + smallest_normal) << 23);
    let is_subnormal = builder.compare_int(p::ULT, magnitude, first_normal);
    let result = builder.select(is_subnormal, subnormal, normal);
    let largest = int(builder, format.largest());
    let result = builder.binary("arith.minui", result, largest);
    let infinity = int(builder, 0x7f80_0000);
    let is_nan = builder.compare_int(p::UGT, magnitude, infinity);
    let nan = int(builder, 0x7f);
    let result = builder.select(is_nan, nan, result);
    let result = builder.binary("arith.ori", result, sign);
    builder.int_cast(result, 8, false)
}

fn widen<'c>(builder: &mut Builder<'c>, format: Format, value: Value<'c>) -> Value<'c> {
    let half_bits = builder.int_type(16);
    let half = Type::float16(builder.context);
    let float = Type::float32(builder.context);
    let int = |builder: &mut Builder<'c>, value: i64| builder.constant_int(value, half_bits);
    let wide = builder.int_cast(value, 16, false);
    let eight = int(builder, 8);
    let upper = builder.binary("arith.shli", wide, eight);
    if format == Format::E5M2 {
        let value = builder.value("arith.bitcast", &[upper], &[], half);
        return builder.value("arith.extf", &[value], &[], float);
    }
    let mask = int(builder, -0x8000);
    let sign = builder.and(upper, mask);
    let mask = int(builder, 0x7f);
    let magnitude = builder.and(wide, mask);
    let seven = int(builder, 7);
    let moved = builder.binary("arith.shli", magnitude, seven);
    let moved = builder.binary("arith.ori", moved, sign);
    let moved = builder.value("arith.bitcast", &[moved], &[], half);
    let moved = builder.value("arith.extf", &[moved], &[], float);
    let scale = builder.constant_float(256.0, float);
    let number = builder.binary("arith.mulf", moved, scale);
    let nan_bits = int(builder, 0x7f);
    let is_nan = builder.compare_int(p::EQ, magnitude, nan_bits);
    let nan = builder.constant_float(f64::NAN, float);
    builder.select(is_nan, nan, number)
}
