//! The conformance suite: `tests/conformance/*.tile`, what the language promises, case by case.
//!
//! A file holds kernels and, in its `//!` header, cases of them:
//!
//! ```text
//! //! group: 7 reductions                        the group of the lines below
//! //! axis N = 1 7 96                            a named axis
//! //! axis T LO = i8 -9 | u8 0                   a linked one: values that go together
//! //! target: sm_89                              of the file; sm_90a without it
//! //! tolerance: f 1e-5                          for a kernel; without it a few units in the last place
//! //! expect: f y = sum(x, 1) * 2                what `y` must be, computed in f64 by the harness
//! //! cases: f x=randint($LO,9;$N,4) y=zeros($N) -D T=$T -D W={1,4}
//! //! aligned: f x=ones(16) y=zeros(16)          a case that must take the variant `f`
//! //! general: f x=ones(15) y=zeros(15)          … and `f__general`
//! //! refuses: is_missing f x=ones(16)           the launch must be refused, with these words
//! //! stops: E1002 f x=zeros(4) y=zeros(4)       the interpreter must stop it
//! //! fails: E0203 g -D T=i32                    the compiler must refuse it
//! //! ptx: f -D T=f32 has=ld.global.v4 lacks=bar.sync count=ex2:4 most=ld.global:2
//! //! lines: f -D T=f32                          lines marked `//=` have code that names them
//! ```
//!
//! A case is compiled, run in the simulator with all checks on, compared with the interpreter, and
//! with the formula if there is one. A line that is refused or stopped is marked `//~ E0203 a + b`:
//! the diagnostic must blame that text on that line, and be the only one.
//!
//! | what | where |
//! |---|---|
//! | axes and how a line becomes cases | [`axes`] |
//! | a file | [`suite`] |
//! | formulas | [`formula`], [`array`](mod@array), [`rounding`], [`random`] |
//! | running | [`unit`], [`blame`], [`listing`], [`runner`] |
//! | files for a GPU | [`emit`] |

pub mod array;
pub mod axes;
pub mod blame;
pub mod emit;
pub mod formula;
pub mod listing;
pub mod random;
pub mod rounding;
pub mod runner;
pub mod suite;
pub mod unit;
