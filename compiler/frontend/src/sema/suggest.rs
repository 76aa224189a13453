//! The name that was probably meant.

/// The most similar of `names`, if one is similar enough to be a slip.
pub(super) fn nearest<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    // Nobody mistypes a name of this length by hand, and distances take quadratic time.
    if name.len() > 64 {
        return None;
    }
    let length = name.chars().count();
    let limit = (length / 3).max(usize::from(length > 1));
    names
        .into_iter()
        .filter(|candidate| *candidate != name)
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

/// Typing errors to get from one to the other; case alone costs nothing.
fn distance(name: &str, candidate: &str) -> usize {
    if name.eq_ignore_ascii_case(candidate) {
        return 0;
    }
    // A candidate much longer or shorter is never within the limit: skip the quadratic work.
    if name.len().abs_diff(candidate.len()) > name.len() {
        return usize::MAX;
    }
    strsim::damerau_levenshtein(name, candidate)
}

/// What a name of Triton, CUDA or NumPy is called here.
pub(super) fn translation(name: &str) -> Option<&'static str> {
    Some(match name {
        "float16" | "fp16" | "half" => "f16",
        "bfloat16" => "bf16",
        "float32" | "fp32" | "float" => "f32",
        "float64" | "fp64" | "double" => "f64",
        "float8e4nv" | "float8_e4m3fn" | "fp8e4m3" => "f8e4m3",
        "float8e5" | "float8_e5m2" | "fp8e5m2" => "f8e5m2",
        "int1" => "i1",
        "int8" => "i8",
        "int16" => "i16",
        "int32" | "int" => "i32",
        "int64" | "long" => "i64",
        "uint8" => "u8",
        "uint16" => "u16",
        "uint32" => "u32",
        "uint64" => "u64",
        "True" => "true",
        "False" => "false",
        "num_program" => "num_programs",
        "expf" | "__expf" => "exp",
        "sqrtf" => "sqrt",
        "logf" => "log",
        "fmax" | "fmaxf" => "maximum",
        "fmin" | "fminf" => "minimum",
        "amax" => "max",
        "amin" => "min",
        "fabs" | "fabsf" => "abs",
        "clip" => "clamp",
        "power" | "powf" => "pow",
        "select" => "where",
        "pid" | "get_program_id" => "program_id",
        _ => return None,
    })
}

/// What an argument of PyTorch or NumPy is called here.
pub(super) fn argument(name: &str) -> Option<&'static str> {
    Some(match name {
        "dim" | "dims" | "axes" => "axis",
        "keepdim" | "keepdims" | "keep_dims" => "keep",
        "dtype" => "type",
        "combine_fn" | "fn" | "func" => "f",
        "padding" | "default" | "fill" => "other",
        _ => return None,
    })
}
