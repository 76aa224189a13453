//! State spaces and types of what is declared (PTX ISA 5.1, 5.2).

/// Where a variable lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Space {
    /// `.reg`
    Register,
    /// `.param`
    Parameter,
    /// `.local`
    Local,
    /// `.shared`
    Shared,
    /// `.global`
    Global,
    /// `.const`
    Constant,
}

impl Space {
    /// As PTX writes it, without the dot.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Space::Register => "reg",
            Space::Parameter => "param",
            Space::Local => "local",
            Space::Shared => "shared",
            Space::Global => "global",
            Space::Constant => "const",
        }
    }
}

/// Defines the types with their names and sizes, so that each stands in one line.
macro_rules! types {
    ($($variant:ident $name:literal $bits:literal,)*) => {
        /// The type of one element.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "the names are PTX's")]
        pub enum Type { $($variant,)* }

        impl Type {
            /// All of them.
            pub const ALL: &[Type] = &[$(Type::$variant,)*];

            /// As PTX writes it, without the dot.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Type::$variant => $name,)* }
            }

            /// Of a name without the dot.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Type> {
                match name { $($name => Some(Type::$variant),)* _ => None }
            }

            /// Its width; 1 of a predicate.
            #[must_use]
            pub fn bits(self) -> u32 {
                match self { $(Type::$variant => $bits,)* }
            }
        }
    };
}

types! {
    Pred "pred" 1,
    B8 "b8" 8,
    B16 "b16" 16,
    B32 "b32" 32,
    B64 "b64" 64,
    B128 "b128" 128,
    U8 "u8" 8,
    U16 "u16" 16,
    U32 "u32" 32,
    U64 "u64" 64,
    S8 "s8" 8,
    S16 "s16" 16,
    S32 "s32" 32,
    S64 "s64" 64,
    F16 "f16" 16,
    F16x2 "f16x2" 32,
    Bf16 "bf16" 16,
    Bf16x2 "bf16x2" 32,
    F32 "f32" 32,
    F64 "f64" 64,
}

impl Type {
    /// Bytes in memory; a predicate has none.
    #[must_use]
    pub fn bytes(self) -> u64 {
        u64::from(self.bits() / 8)
    }
}
