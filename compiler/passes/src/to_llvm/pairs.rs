//! Conversions of numbers of 8 bits, two at a time.
//!
//! Threads hold neighbours in pairs, which come from memory in one access and go to the tensor cores, or to shared memory, in
//! one register. One at a time, each conversion of an integer takes a sixteenth of a multiprocessor for a clock
//! (CUDA Programming Guide, "Throughput of Native Arithmetic Instructions"), and has to be packed afterwards.
//! Instead
//!
//! - the bits of an integer `x` become the lowest of a float whose unit is 1, and what that has too much is
//!   subtracted: `1024 + (128 + x)` in `f16`, `2^23 + (128 + x)` in f32, without the 128 where `x` has no sign. The mantissa of `bf16` has one bit too
//!   few: there it is `128 + x mod 128`, less 128, or 256 if `x` is negative, or nothing if it is above 127. Where the least value that `x` can have is
//!   known and the largest is less than 128 above it, it is `128 + (x - least)`, less `128 - least`: unpacked bits are like
//!   that, and need nothing to make them signed first. All of this is exact. Bits that were masked out of two words are
//!   brought into one word first and masked there, together;
//! - fp8 goes by way of `f16`, which holds all of it (PTX ISA, "cvt").

use half::{bf16, f16};
use melior::ir::{Type, ValueLike};

use super::threads::{elements, inline_asm, pack};
use super::{ToLlvm, constant};
use crate::build::Builder;
use crate::ffi::{defining_operation, users};
use crate::ir::{Operation, Value, key, name, operands, result};
use crate::layout::Layout;

/// The first compute capability that subtracts pairs of `bf16`, and the first that converts to fp8.
const CAPABILITY: u32 = 90;
const TO_FP8: u32 = 89;

/// The first that rounds two floats at once.
const TO_PAIRS: u32 = 80;

/// The first register and the lanes of a fragment, and of the transposed one.
const FRAGMENTS: [([u32; 2], [[u32; 2]; 5]); 2] = [
    ([0, 1], [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]),
    ([1, 0], [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]),
];

/// A conversion of pairs.
#[derive(Clone, Copy)]
pub(super) enum Pairs {
    /// Integers, to two numbers in a word, by this PTX with this constant.
    Halves(&'static str, i64),
    /// Integers from this one on, to two numbers in a word: by this PTX, with this number that has bits for what they are above it,
    /// and this one that is as much above 0.
    Above(i64, &'static str, [u16; 2]),
    /// Integers, to two words, by this PTX.
    Words(&'static str),
    /// From fp8 of this name.
    Fp8(&'static str),
    /// To fp8 of this name.
    ToFp8(&'static str),
    /// From f32 to two numbers in a word.
    Rounded,
}

const TO_F16: &str = "{\n.reg .b32 word;\n\
    prmt.b32 word, $1, 0, 0x4140;\n\
    xor.b32 word, word, $2;\n\
    sub.rn.f16x2 $0, word, $2;\n}";

/// 1024 + 128, twice, for integers with a sign, and 1024 for others.
const ABOVE_F16: i64 = 0x6480_6480;
const UNIT_F16: i64 = 0x6400_6400;

const TO_BF16: &str = "{\n.reg .b32 word, low, above;\n\
    prmt.b32 word, $1, 0, 0x4140;\n\
    lop3.b32 low, word, 0x007f007f, $2, 0xea;\n\
    lop3.b32 above, word, 0x00800080, $2, 0xea;\n\
    sub.rn.bf16x2 $0, low, above;\n}";

/// The lowest seven bits of `x` make `128 + x mod 128`. The eighth makes 256, or 128 without it, less 256: so 0 or -128.
const TO_BF16_WITHOUT_SIGN: &str = "{\n.reg .b32 word, low, above, twice;\n\
    prmt.b32 word, $1, 0, 0x4140;\n\
    lop3.b32 low, word, 0x007f007f, $2, 0xea;\n\
    lop3.b32 above, word, 0x00800080, $2, 0xea;\n\
    mov.b32 twice, 0x43804380;\n\
    sub.rn.bf16x2 above, above, twice;\n\
    add.rn.bf16x2 $0, low, above;\n}";

/// 128, twice.
const UNIT_BF16: i64 = 0x4300_4300;

const TO_F32: &str = "{\n.reg .b32 word, low, high;\n\
    xor.b32 word, $2, 0x8080;\n\
    prmt.b32 low, word, 0x4b000000, 0x7440;\n\
    prmt.b32 high, word, 0x4b000000, 0x7441;\n\
    sub.rn.f32 $0, low, 0f4B000080;\n\
    sub.rn.f32 $1, high, 0f4B000080;\n}";

const TO_F32_WITHOUT_SIGN: &str = "{\n.reg .b32 low, high;\n\
    prmt.b32 low, $2, 0x4b000000, 0x7440;\n\
    prmt.b32 high, $2, 0x4b000000, 0x7441;\n\
    sub.rn.f32 $0, low, 0f4B000000;\n\
    sub.rn.f32 $1, high, 0f4B000000;\n}";

impl Pairs {
    /// Whether a conversion is done in pairs in this layout, and how.
    pub(super) fn of(
        capability: u32,
        name: &str,
        layout: &Layout,
        from: Type<'_>,
        to: Type<'_>,
        range: Option<(i128, i128)>,
    ) -> Option<Self> {
        let is_fragment = FRAGMENTS.iter().any(|(pair, lanes)| {
            layout
                .register_bases()
                .first()
                .is_some_and(|first| first == pair)
                && layout.lane_bases().iter().eq(lanes.iter())
        });
        // Beside padding, which nobody writes, a number would seem to depend on it.
        let is_whole = layout.covered() == layout.shape();
        if name == "arith.truncf" && is_whole && capability >= TO_FP8 {
            return match to.to_string().as_str() {
                "f8E4M3FN" => Some(Self::ToFp8("e4m3")),
                "f8E5M2" => Some(Self::ToFp8("e5m2")),
                _ => None,
            };
        }
        let is_in_pairs = !layout.register_bases().is_empty();
        if !is_in_pairs || !is_whole || capability < CAPABILITY {
            return None;
        }
        let (from, to) = (from.to_string(), to.to_string());
        let has_sign = name == "arith.sitofp";
        // Without a sign, numbers from 128 on have a range of others.
        let few = range
            .filter(|(least, most)| most - least < 128 && (has_sign || *least >= 0 && *most < 128));
        let least = few.and_then(|(least, _)| i8::try_from(least).ok());
        match (name, from.as_str(), to.as_str(), least) {
            ("arith.sitofp" | "arith.uitofp", "i8", "f16", Some(least)) => {
                let bits = |number| f16::from_f32(number).to_bits();
                Some(Self::above(least, 1024.0, bits, "sub.rn.f16x2 $0, $1, $2;"))
            }
            ("arith.sitofp" | "arith.uitofp", "i8", "bf16", Some(least)) => {
                let bits = |number| bf16::from_f32(number).to_bits();
                Some(Self::above(least, 128.0, bits, "sub.rn.bf16x2 $0, $1, $2;"))
            }
            ("arith.sitofp", "i8", "f16", _) => Some(Self::Halves(TO_F16, ABOVE_F16)),
            ("arith.sitofp", "i8", "bf16", _) => Some(Self::Halves(TO_BF16, UNIT_BF16)),
            ("arith.uitofp", "i8", "f16", _) => Some(Self::Halves(TO_F16, UNIT_F16)),
            ("arith.uitofp", "i8", "bf16", _) => {
                Some(Self::Halves(TO_BF16_WITHOUT_SIGN, UNIT_BF16))
            }
            // Others are not packed afterwards, and one at a time is as fast.
            ("arith.sitofp", "i8", "f32", _) if is_fragment => Some(Self::Words(TO_F32)),
            ("arith.uitofp", "i8", "f32", _) if is_fragment => {
                Some(Self::Words(TO_F32_WITHOUT_SIGN))
            }
            ("arith.extf", "f8E4M3FN", ..) => Some(Self::Fp8("e4m3")),
            ("arith.extf", "f8E5M2", ..) => Some(Self::Fp8("e5m2")),
            _ => None,
        }
    }

    /// The same for floats of 16 bits that are widened again, as what they are short of is to be known: one at a time, LLVM would
    /// round each apart, by the unit that has few.
    pub(super) fn read_back(
        capability: u32,
        operation: Operation<'_>,
        layout: &Layout,
        from: Type<'_>,
    ) -> Option<Self> {
        let is_rounded = name(operation) == "arith.truncf" && from.to_string() == "f32";
        let element = crate::ir::element_type(result(operation, 0).r#type()).to_string();
        let is_half = matches!(element.as_str(), "bf16" | "f16");
        let is_pair = !layout.register_bases().is_empty() && layout.covered() == layout.shape();
        let users = users(result(operation, 0));
        (is_rounded && is_half && is_pair && capability >= TO_PAIRS)
            .then(|| users.into_iter().any(|user| name(user) == "arith.extf"))?
            .then_some(Self::Rounded)
    }

    /// Integers from `least` on, by way of floats from `first` on, whose unit is 1.
    fn above(least: i8, first: f32, bits: impl Fn(f32) -> u16, text: &'static str) -> Self {
        let numbers = [bits(first), bits(first - f32::from(least))];
        Self::Above(least.into(), text, numbers)
    }
}

impl<'c> ToLlvm<'_, '_, 'c> {
    /// The registers of a tile, converted to this type.
    pub(super) fn convert_pairs(
        &self,
        builder: &mut Builder<'c>,
        pairs: Pairs,
        registers: &[Value<'c>],
        ty: Type<'c>,
    ) -> Vec<Value<'c>> {
        let [byte, half, word] = [8, 16, 32].map(|bits| builder.int_type(bits));
        let mut done = Vec::with_capacity(registers.len());
        for pair in registers.chunks(2) {
            let packed = |builder: &mut Builder<'c>| {
                let both = pack(builder, pair, byte);
                builder.value("llvm.bitcast", &[both], &[], half)
            };
            match pairs {
                Pairs::Above(least, text, numbers) => {
                    let two = above(builder, pair, least, text, numbers);
                    done.extend(self.halves(builder, two, ty));
                }
                Pairs::Halves(text, constant) => {
                    let both = packed(builder);
                    let both = builder.int_cast(both, 32, false);
                    let inputs = [both, builder.constant_int(constant, word)];
                    let two = inline_asm(builder, text, "=r,r,r", &inputs, &[word], false)[0];
                    done.extend(self.halves(builder, two, ty));
                }
                Pairs::Rounded => {
                    let float = Type::float32(builder.context);
                    let both = pack(builder, pair, float);
                    let rounded = Type::vector(&[2], ty);
                    let both = builder.value("arith.truncf", &[both], &[], rounded);
                    done.extend(elements(builder, both, 2, ty));
                }
                Pairs::Words(text) => {
                    let both = packed(builder);
                    let both = builder.int_cast(both, 32, false);
                    let two = inline_asm(builder, text, "=f,=f,r", &[both], &[ty; 2], false);
                    done.extend(two);
                }
                Pairs::ToFp8(name) => {
                    let float = Type::float32(builder.context);
                    let wide = |value: &Value<'c>| match value.r#type() == float {
                        true => *value,
                        false => builder.value("arith.extf", &[*value], &[], float),
                    };
                    let mut inputs: Vec<_> = pair.iter().map(wide).collect();
                    if inputs.len() == 1 {
                        inputs.push(builder.constant_float(0.0, float));
                    }
                    // The first operand is the upper byte.
                    inputs.reverse();
                    let text = format!("cvt.rn.satfinite.{name}x2.f32 $0, $1, $2;");
                    let two = inline_asm(builder, &text, "=h,f,f", &inputs, &[half], false)[0];
                    let vector = Type::vector(&[2], byte);
                    let two = builder.value("llvm.bitcast", &[two], &[], vector);
                    done.extend(elements(builder, two, pair.len(), byte));
                }
                Pairs::Fp8(name) => {
                    let both = packed(builder);
                    let text = format!("cvt.rn.f16x2.{name}x2 $0, $1;");
                    let two = inline_asm(builder, &text, "=r,h", &[both], &[word], false)[0];
                    let f16 = Type::float16(builder.context);
                    let two = self.halves(builder, two, f16);
                    done.extend(two.into_iter().map(|value| from_f16(builder, value, ty)));
                }
            }
        }
        done
    }
}

/// A pair of integers that are at least `least`, as two floats in a word.
fn above<'c>(
    builder: &mut Builder<'c>,
    pair: &[Value<'c>],
    least: i64,
    text: &str,
    numbers: [u16; 2],
) -> Value<'c> {
    let word = builder.int_type(32);
    let twice = |number: u16| i64::from(number) << 16 | i64::from(number);
    let above = match pair {
        [low, high] => fields(builder, [*low, *high], least),
        _ => None,
    };
    let above = above.unwrap_or_else(|| halves_above(builder, pair, least));
    let first = builder.constant_int(twice(numbers[0]), word);
    let both = builder.value("arith.ori", &[above, first], &[], word);
    let inputs = [both, builder.constant_int(twice(numbers[1]), word)];
    inline_asm(builder, text, "=r,r,r", &inputs, &[word], false)[0]
}

/// What two numbers are above `least`, each in a half of a word.
fn halves_above<'c>(builder: &mut Builder<'c>, pair: &[Value<'c>], least: i64) -> Value<'c> {
    let [byte, word] = [8, 32].map(|bits| builder.int_type(bits));
    let least = builder.constant_int(least, byte);
    let mut both = builder.constant_int(0, word);
    for (place, value) in pair.iter().enumerate() {
        // LLVM takes away what the program has subtracted.
        let above = builder.value("arith.subi", &[*value, least], &[], byte);
        let mut wide = builder.int_cast(above, 32, false);
        if place == 1 {
            let half = builder.constant_int(16, word);
            wide = builder.value("arith.shli", &[wide, half], &[], word);
        }
        both = builder.value("arith.ori", &[both, wide], &[], word);
    }
    both
}

/// The lowest bits of a number.
struct Field<'c> {
    of: Value<'c>,
    mask: i64,
}

impl<'c> Field<'c> {
    /// What a number is above `least`, if that is the lowest bits of another one.
    fn above(value: Value<'c>, least: i64) -> Option<Self> {
        let mut value = value;
        if least != 0 {
            let operation = defining_operation(value)?;
            let [of, by] = operands(operation)[..] else {
                return None;
            };
            let subtracted = match name(operation) {
                "arith.subi" => constant(by)?,
                "arith.addi" => -constant(by)?,
                _ => return None,
            };
            if subtracted != -least {
                return None;
            }
            value = of;
        }
        // A mask of fewer bits than these holds in any width.
        while let Some(operation) = defining_operation(value)
            && matches!(name(operation), "arith.trunci" | "arith.extui")
            && bits(operands(operation)[0]) >= 8
        {
            value = operands(operation)[0];
        }
        let operation = defining_operation(value)?;
        let [of, by] = operands(operation)[..] else {
            return None;
        };
        match name(operation) {
            "arith.andi" => {
                let mask = constant(by)?;
                let is_lowest = (1..128).contains(&mask) && mask & (mask + 1) == 0;
                is_lowest.then_some(Self { of, mask })
            }
            // The upper bits of a byte are all that is left of it.
            "arith.shrui" if bits(of) == 8 => {
                let shift = constant(by).filter(|shift| (1..8).contains(shift))?;
                Some(Self {
                    of: value,
                    mask: 0xff >> shift,
                })
            }
            _ => None,
        }
    }

    /// The byte of which these are the upper four bits, if they are.
    fn upper_of_byte(&self) -> Option<Value<'c>> {
        let operation = defining_operation(self.of)?;
        let [of, by] = operands(operation)[..] else {
            return None;
        };
        let is_half = name(operation) == "arith.shrui" && bits(of) == 8 && constant(by) == Some(4);
        is_half.then_some(of)
    }
}

/// What two numbers are above `least`, each in a half of a word, if both are the lowest bits of others: these are brought together
/// and masked at once.
fn fields<'c>(builder: &mut Builder<'c>, pair: [Value<'c>; 2], least: i64) -> Option<Value<'c>> {
    let word = builder.int_type(32);
    let [low, high] = pair.map(|value| Field::above(value, least));
    let (low, high) = (low?, high?);
    if low.mask != high.mask {
        return None;
    }
    // LLVM would mask each apart if it saw what this does.
    let both = match high.upper_of_byte() {
        // The upper half of a byte goes up by 12 bits, and what is between is masked.
        Some(byte) if low.mask == 15 && key(byte) == key(low.of) => {
            let inputs = [builder.int_cast(byte, 32, false)];
            let text = "mul.lo.u32 $0, $1, 0x1001;";
            inline_asm(builder, text, "=r,r", &inputs, &[word], false)[0]
        }
        _ => {
            let inputs = [low.of, high.of].map(|value| builder.int_cast(value, 32, false));
            let text = "prmt.b32 $0, $1, $2, 0x5410;";
            inline_asm(builder, text, "=r,r,r", &inputs, &[word], false)[0]
        }
    };
    let mask = builder.constant_int(low.mask << 16 | low.mask, word);
    Some(builder.value("arith.andi", &[both, mask], &[], word))
}

/// The bits of an integer.
fn bits(value: Value<'_>) -> u64 {
    crate::element_bits(value.r#type())
}

/// An fp8 number as `f16`, in the type that is wanted.
fn from_f16<'c>(builder: &mut Builder<'c>, value: Value<'c>, ty: Type<'c>) -> Value<'c> {
    if ty == value.r#type() {
        return value;
    }
    let float = Type::float32(builder.context);
    let wide = builder.value("arith.extf", &[value], &[], float);
    match ty {
        _ if ty == float => wide,
        _ if crate::element_bits(ty) < 32 => builder.value("arith.truncf", &[wide], &[], ty),
        _ => builder.value("arith.extf", &[wide], &[], ty),
    }
}
