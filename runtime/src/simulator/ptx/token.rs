//! The words of PTX (PTX ISA 4.3 "Statements" to 4.5 "Constants").
//!
//! A dotted word is one token, not one per part: most of a file is opcodes, and parsing time is
//! counted in tokens.

use logos::Logos;

use super::literal::{self, Number, NumberProblem};

/// A place in the text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Position {
    /// In bytes.
    pub offset: u32,
    /// From 1.
    pub line: u32,
}

/// Why a piece of text is no token.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LexError {
    /// Nothing starts so.
    #[default]
    Unknown,
    /// It starts as a number.
    Number(NumberProblem),
}

impl From<NumberProblem> for LexError {
    fn from(problem: NumberProblem) -> Self {
        Self::Number(problem)
    }
}

/// A word.
#[derive(Logos, Debug, Clone, Copy, PartialEq)]
#[logos(error = LexError)]
#[logos(skip r"[ \t\r\f]+")]
#[allow(
    missing_docs,
    reason = "directives and marks are named as they are written"
)]
pub enum Token<'text> {
    #[token(".version")]
    Version,
    #[token(".target")]
    Target,
    #[token(".address_size")]
    AddressSize,
    #[token(".file")]
    File,
    #[token(".loc")]
    Loc,
    #[token(".pragma")]
    Pragma,
    #[token(".alias")]
    Alias,
    #[token(".extern")]
    Extern,
    #[token(".visible")]
    Visible,
    #[token(".weak")]
    Weak,
    #[token(".common")]
    Common,
    #[token(".entry")]
    Entry,
    #[token(".func")]
    Func,
    #[token(".reg")]
    Reg,
    #[token(".param")]
    Param,
    #[token(".local")]
    Local,
    #[token(".shared")]
    Shared,
    #[token(".global")]
    Global,
    #[token(".const")]
    Const,
    #[token(".align")]
    Align,
    #[token(".ptr")]
    Ptr,
    #[token(".attribute")]
    Attribute,
    #[token(".branchtargets")]
    BranchTargets,
    #[token(".calltargets")]
    CallTargets,
    #[token(".callprototype")]
    CallPrototype,

    #[token("(")]
    OpenParen,
    #[token(")")]
    CloseParen,
    #[token("[")]
    OpenBracket,
    #[token("]")]
    CloseBracket,
    #[token("{")]
    OpenBrace,
    #[token("}")]
    CloseBrace,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token(":")]
    Colon,
    #[token("@")]
    At,
    #[token("=")]
    Assign,
    #[token("?")]
    Question,
    #[token("_")]
    Underscore,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("!")]
    Not,
    #[token("~")]
    Complement,
    #[token("|")]
    Bar,
    #[token("<")]
    Less,
    #[token(">")]
    Greater,
    /// An operator of constant expressions that has no other use.
    #[token("*", |_| Operator::Multiply)]
    #[token("/", |_| Operator::Divide)]
    #[token("%", |_| Operator::Remainder)]
    #[token("<<", |_| Operator::ShiftLeft)]
    #[token(">>", |_| Operator::ShiftRight)]
    #[token("<=", |_| Operator::LessEqual)]
    #[token(">=", |_| Operator::GreaterEqual)]
    #[token("==", |_| Operator::Equal)]
    #[token("!=", |_| Operator::NotEqual)]
    #[token("&", |_| Operator::And)]
    #[token("^", |_| Operator::ExclusiveOr)]
    #[token("&&", |_| Operator::LogicalAnd)]
    #[token("||", |_| Operator::LogicalOr)]
    Operator(Operator),

    /// `%r1`, `$L__BB0_1`, `ret`
    #[regex(r"[a-zA-Z][a-zA-Z0-9_$]*", priority = 3)]
    #[regex(r"[_$%][a-zA-Z0-9_$]+", priority = 3)]
    Name(&'text str),
    /// `ld.global.b32`, `cp.async.bulk.shared::cluster.global`: an opcode, or a component of a
    /// vector whose name starts with a letter.
    #[regex(
        r"[a-zA-Z][a-zA-Z0-9_$]*(\.[a-zA-Z0-9_]+(::[a-zA-Z0-9_]+)*)+",
        priority = 3
    )]
    Dotted(&'text str),
    /// `%tid.x`
    #[regex(r"[_$%][a-zA-Z0-9_$]+\.[a-zA-Z0-9_]+", priority = 3)]
    Component(&'text str),
    /// `call.uni`: its operands have a form of their own.
    #[regex(r"call(\.[a-zA-Z0-9_]+(::[a-zA-Z0-9_]+)*)*", priority = 20)]
    Call(&'text str),
    /// `.b32`, `.maxntid`, `.L2::128B`: other words with a dot in front.
    #[regex(r"\.[a-zA-Z0-9_]+(::[a-zA-Z0-9_]+)*", priority = 3)]
    DotWord(&'text str),
    /// `42`, `0xFFU`, `0f3F800000`
    #[regex(r"[0-9][a-zA-Z0-9_]*", |lexer| literal::number(lexer.slice()), priority = 3)]
    #[token("WARP_SZ", |_| Number::WARP_SIZE)]
    Number(Number),
    /// `1.5`, `.5`, `1e-5`
    #[regex(r"[0-9]+\.[0-9]*([eE][+-]?[0-9]+)?", priority = 20)]
    #[regex(r"[0-9]+[eE][+-]?[0-9]+", priority = 20)]
    #[regex(r"\.[0-9]+([eE][+-]?[0-9]+)?", priority = 20)]
    Decimal(&'text str),
    /// With its quotes. A backslash is nothing special.
    #[regex(r#""[^"\n]*""#)]
    Text(&'text str),

    /// Lines are counted by the lexer. Never leaves it.
    #[token("\n")]
    NewLine,
    /// `// …`. Never leaves the lexer.
    #[regex(r"//[^\n]*", priority = 30, allow_greedy = true)]
    LineComment,
    /// `/*`; the lexer finds its end. Never leaves it.
    #[token("/*")]
    BlockComment,
    /// `.section`; the lexer skips all of it. Never leaves it.
    #[token(".section")]
    Section,
    /// `"` and what stands behind on the line. Never leaves the lexer.
    #[regex(r#""[^"\n]*"#, priority = 1)]
    UnclosedText,
}

/// Between two constants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "C's")]
pub enum Operator {
    Multiply,
    Divide,
    Remainder,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    ExclusiveOr,
    Or,
    LogicalAnd,
    LogicalOr,
}
