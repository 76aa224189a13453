//! The table of diagnostic codes.
//!
//! A code is a promise: once published it keeps its meaning. The hundreds say which stage found it:
//!
//! | range | stage |
//! |---|---|
//! | `E00xx` | characters, tokens, syntax |
//! | `E01xx` | names |
//! | `E02xx` | types |
//! | `E03xx` | shapes |
//! | `E04xx` | consts and generics |
//! | `E05xx` | memory and mutability |
//! | `E06xx` | control flow |
//! | `E07xx` | not supported yet |
//! | `E08xx` | limits of the target |
//! | `E09xx` | files and imports |
//! | `E10xx` | running a kernel in the interpreter |
//! | `E11xx` | tests |

use std::fmt;

macro_rules! codes {
    ($($(#[$doc:meta])* $number:literal $name:ident $title:literal;)*) => {
        /// What kind of problem a diagnostic reports.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code {
            $(#[doc = concat!("`", $number, "`: ", $title, ".")] $(#[$doc])* $name,)*
        }

        impl Code {
            /// Every code, in order of number.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// `E0001`
            #[must_use]
            pub const fn number(self) -> &'static str {
                match self { $(Self::$name => $number,)* }
            }

            /// What the code is about, in a few words.
            #[must_use]
            pub const fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)* }
            }

            /// What it means, an example and how to mend it: Markdown, from `docs/errors`.
            #[must_use]
            pub const fn page(self) -> &'static str {
                match self {
                    $(Self::$name => include_str!(concat!("../../../docs/errors/", $number, ".md")),)*
                }
            }
        }
    };
}

// To add a code, add a line here and its page in `docs/errors` (`tests/tests/explanations.rs` checks
// what the page shows). Numbers rise; none is used twice (tested).
codes! {
    "E0001" UnknownCharacter "unknown character";
    "E0002" UnclosedString "string without closing quote";
    "E0003" UnknownEscape "unknown escape in a string";
    "E0004" UnclosedComment "comment without end";
    "E0005" BadNumber "malformed number";
    "E0006" UnclosedBracket "bracket without partner";
    "E0007" NestingTooDeep "nesting too deep";
    "E0008" Unexpected "unexpected token";
    "E0009" MissingSemicolon "missing `;`";
    "E0010" KeywordAsName "keyword used as a name";
    "E0011" AssignmentInCondition "`=` where a value is expected";
    "E0012" ChainedComparison "chained comparison";
    "E0013" LetWithoutValue "`let` without a value";
    "E0014" ForeignOperator "operator of another language";
    "E0015" MisplacedComment "doc comment that documents nothing";
    "E0016" MisplacedAttribute "attribute that belongs to nothing";
    "E0017" BadHeader "malformed `//!` header";
    "E0018" PositionalAfterNamed "positional argument after a named one";
    "E0019" TooManyErrors "too many errors";
    "E0020" DuplicateClause "clause given twice";
    "E0021" CommentForDivision "comment where a division was meant";

    "E0101" UnknownName "unknown name";
    "E0102" DuplicateName "name defined twice";
    "E0103" WrongArguments "arguments that do not fit the function";
    "E0104" UnknownField "unknown field or method";

    "E0201" TypeMismatch "wrong type";
    "E0202" LiteralOutOfRange "literal that does not fit its type";
    "E0203" NoCommonType "operands without a common type";
    "E0204" OperatorUndefined "operator that does not exist for the type";
    "E0205" NotAValue "something that is no value";
    "E0206" NotCallable "something that cannot be called";
    "E0207" InvalidCast "conversion that does not exist";
    "E0208" BadAsm "inline PTX that is wrong";

    "E0301" ShapeMismatch "shapes do not fit";
    "E0302" BadSize "size that a tile or tensor cannot have";
    "E0303" BadAxis "axis that does not exist";
    "E0304" WrongRank "wrong number of dimensions";
    "E0305" NumberOrAxis "number that may be meant as an axis";

    "E0401" NotConst "not known at compile time";
    "E0402" ConstOverflow "compile-time arithmetic without a result";
    "E0403" MissingGeneric "generic without a value";
    "E0404" BadBinding "value that a generic cannot have";
    "E0405" AssertionFailed "`static_assert` that does not hold";
    "E0406" EndlessElaboration "compile-time work that does not end";
    "E0407" ConstCycle "const that needs itself";
    "E0408" BadTune "malformed `tune` clause";
    "E0409" StaticPrint "output of `static_print`";

    "E0501" StoreToImmutable "store to something not `mut`";
    "E0502" AssignToImmutable "assignment to something not `mut`";
    "E0503" BadView "index that makes no view";
    "E0504" BadAccess "malformed load or store";

    "E0601" TileCondition "condition is a tile";
    "E0602" OutsideLoop "jump outside of a loop";
    "E0603" BadLoop "malformed loop";
    "E0604" VariableChangesType "variable that changes its type";
    "E0605" BranchesDiffer "branches of different types";
    "E0606" BadAttribute "malformed attribute";
    "E0607" BadGrid "grid that a launcher cannot compute";
    "E0608" EffectInCombiner "effect inside a reduction";

    "E0701" NotSupportedYet "not supported yet";

    "E0801" TooLargeForTarget "beyond a limit of the target";

    "E0901" FileNotFound "file not found";
    "E0902" FileNotUtf8 "file is not UTF-8";
    "E0903" FileTooLarge "file too large";
    "E0904" FileUnreadable "file cannot be read";
    "E0905" ImportCycle "import cycle";
    "E0906" ImportedNameMissing "imported name does not exist";

    "E1001" AccessOutOfBounds "access out of bounds";
    "E1002" DivisionByZero "division by zero";
    "E1003" BrokenPromise "promise that does not hold";
    "E1004" EndlessLoop "loop without end";
    "E1005" ArgumentMismatch "arguments that do not fit the kernel";
    "E1006" CompilerDefect "defect of the compiler";
    "E1007" FailedAssertion "`assert` that does not hold";
    "E1008" FailedAsm "inline PTX that went wrong";

    "E1101" OnlyInTests "something that exists in tests only";
    "E1102" OnlyInKernels "something that exists in kernels only";
    "E1103" BadLaunch "malformed launch";
    "E1104" TestFailed "test that failed";
    "E1105" LaunchFailed "launch that failed";
}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_rise_and_are_well_formed() {
        for pair in Code::ALL.windows(2) {
            assert!(
                pair[0].number() < pair[1].number(),
                "{} then {}",
                pair[0],
                pair[1]
            );
        }
        for code in Code::ALL {
            let digits = code
                .number()
                .strip_prefix('E')
                .expect("a number starts with E");
            assert_eq!(digits.len(), 4);
            assert!(digits.bytes().all(|byte| byte.is_ascii_digit()));
            assert!(!code.title().is_empty());
        }
    }
}
