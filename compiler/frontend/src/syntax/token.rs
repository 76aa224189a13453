//! The words of the language.

use logos::Logos;

macro_rules! tokens {
    (
        keywords { $($keyword:ident $keyword_text:tt)* }
        contextual { $($contextual:ident $contextual_text:tt)* }
        punctuation { $($mark:ident $mark_text:tt)* }
    ) => {
        /// A word of the language, without its text: that is in the source, at the token's span.
        #[derive(Logos, Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[logos(skip r"[ \t\r\n\f\u{feff}]+")]
        pub enum Token {
            $(#[doc = concat!("`", $keyword_text, "`")] #[token($keyword_text)] $keyword,)*
            $(#[doc = concat!("`", $contextual_text, "`, also a name")] #[token($contextual_text)] $contextual,)*
            $(#[doc = concat!("`", $mark_text, "`")] #[token($mark_text)] $mark,)*

            /// `BLOCK_M`. Names are ASCII; others are reported by the lexer and stay names.
            #[regex(r"[\p{XID_Start}_]\p{XID_Continue}*", priority = 1)]
            Name,
            /// `42`, `0xff`, `1_000`, and digits with a wrong tail such as `12px`.
            #[regex(r"[0-9]\p{XID_Continue}*")]
            Int,
            /// `1.5`, `1e-5`, and the same with a wrong tail such as `1.5f`. `1.` is an integer and
            /// a point, so that `t.0` and `1.max` stay what they look like.
            #[regex(r"[0-9][0-9_]*\.[0-9]\p{XID_Continue}*", priority = 20)]
            #[regex(r"[0-9][0-9_]*\.[0-9][0-9_]*[eE][+-][0-9]\p{XID_Continue}*", priority = 21)]
            #[regex(r"[0-9][0-9_]*[eE][0-9]\p{XID_Continue}*", priority = 22)]
            #[regex(r"[0-9][0-9_]*[eE][+-][0-9]\p{XID_Continue}*", priority = 23)]
            Float,
            /// `"text"`, on one line; the closing quote may be missing.
            #[regex(r#""([^"\\\n]|\\[^\n])*"?"#)]
            Str,

            /// An operator of another language; reported by the lexer, which knows what to put
            /// in its place.
            #[regex(r"\*\*=?|\.\.[.=]?|\+\+|=>|::|===|!==|<>|:=|&&=|\|\|=")]
            Foreign,
            /// `// …`, `/// …`, `//! …`. Never leaves the lexer.
            #[regex(r"//[^\n]*", priority = 30, allow_greedy = true)]
            LineComment,
            /// `/*`; the lexer finds its end. Never leaves the lexer.
            #[token("/*")]
            BlockComment,

            /// Text that is no token; already reported.
            Unknown,
            /// Stands for a statement that did not parse; already reported.
            BrokenStatement,
            /// Stands for what comes before the body of an item and did not parse; already reported.
            BrokenHeading,
        }

        impl Token {
            /// How it is written, if always the same.
            #[must_use]
            pub const fn text(self) -> Option<&'static str> {
                Some(match self {
                    $(Self::$keyword => $keyword_text,)*
                    $(Self::$contextual => $contextual_text,)*
                    $(Self::$mark => $mark_text,)*
                    _ => return None,
                })
            }

            /// The reserved words.
            pub const KEYWORDS: &'static [&'static str] = &[$($keyword_text,)*];

            /// Whether it is reserved: no name can be spelled so.
            #[must_use]
            pub const fn is_keyword(self) -> bool {
                matches!(self, $(Self::$keyword)|*)
            }

            /// Whether it can be a name: a plain one, or a word that is special only in its place.
            #[must_use]
            pub const fn is_name(self) -> bool {
                matches!(self, Self::Name $(| Self::$contextual)*)
            }
        }
    };
}

tokens! {
    keywords {
        As "as"
        Break "break"
        Const "const"
        Continue "continue"
        Else "else"
        False "false"
        Fn "fn"
        For "for"
        If "if"
        Import "import"
        In "in"
        Kernel "kernel"
        Let "let"
        Mut "mut"
        Return "return"
        Static "static"
        True "true"
        While "while"
        Underscore "_"
    }
    contextual {
        Grid "grid"
        Pointer "ptr"
        Strides "strides"
        Tensor "tensor"
        Test "test"
        Tile "tile"
        Tune "tune"
    }
    punctuation {
        OpenParen "("
        CloseParen ")"
        OpenBracket "["
        CloseBracket "]"
        OpenBrace "{"
        CloseBrace "}"
        Comma ","
        Semicolon ";"
        Colon ":"
        PlusColon "+:"
        Dot "."
        Hash "#"
        Arrow "->"
        Assign "="
        PlusAssign "+="
        MinusAssign "-="
        StarAssign "*="
        SlashAssign "/="
        PercentAssign "%="
        AndAssign "&="
        OrAssign "|="
        CaretAssign "^="
        ShiftLeftAssign "<<="
        ShiftRightAssign ">>="
        Plus "+"
        Minus "-"
        Star "*"
        Slash "/"
        Percent "%"
        And "&"
        Or "|"
        Caret "^"
        ShiftLeft "<<"
        ShiftRight ">>"
        AndAnd "&&"
        OrOr "||"
        Bang "!"
        EqualEqual "=="
        NotEqual "!="
        Less "<"
        LessEqual "<="
        Greater ">"
        GreaterEqual ">="
    }
}

impl Token {
    /// For "expected X, found Y": keywords and marks as written, the rest in words.
    #[must_use]
    pub fn describe(self, text: &str) -> String {
        match self {
            Self::Name => format!("`{}`", shorten(text)),
            Self::Int | Self::Float => format!("the number `{}`", shorten(text)),
            Self::Str => "a string".to_owned(),
            Self::Underscore => "`_`".to_owned(),
            _ if self.is_keyword() => format!("the keyword `{text}`"),
            _ => self.text().map_or_else(
                || "something unreadable".to_owned(),
                |text| format!("`{text}`"),
            ),
        }
    }

    /// The bracket that closes this one.
    #[must_use]
    pub const fn closer(self) -> Option<Self> {
        Some(match self {
            Self::OpenParen => Self::CloseParen,
            Self::OpenBracket => Self::CloseBracket,
            Self::OpenBrace => Self::CloseBrace,
            _ => return None,
        })
    }

    /// Whether it closes a bracket.
    #[must_use]
    pub const fn is_closer(self) -> bool {
        matches!(
            self,
            Self::CloseParen | Self::CloseBracket | Self::CloseBrace
        )
    }

    /// Whether it compares: such operators do not chain.
    #[must_use]
    pub const fn is_comparison(self) -> bool {
        matches!(
            self,
            Self::EqualEqual
                | Self::NotEqual
                | Self::Less
                | Self::LessEqual
                | Self::Greater
                | Self::GreaterEqual
        )
    }

    /// Whether a statement can start so and nothing else in a body can.
    #[must_use]
    pub const fn starts_statement(self) -> bool {
        matches!(
            self,
            Self::Let
                | Self::For
                | Self::While
                | Self::Static
                | Self::Return
                | Self::Break
                | Self::Continue
                | Self::Hash
        )
    }
}

fn shorten(text: &str) -> String {
    const LONGEST: usize = 40;
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    text.chars().take(LONGEST).chain(['…']).collect()
}

/// A token and where it stands. Tokens that the parser inserts to get on have an empty span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spanned {
    /// Which.
    pub token: Token,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Spanned {
    /// Whether it was inserted by the parser.
    #[must_use]
    pub const fn is_virtual(self) -> bool {
        self.start == self.end
    }
}
