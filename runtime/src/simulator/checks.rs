//! Who wrote what, who knows of it, what was never written.
//!
//! The machine tells of every access to memory, and of everything that orders accesses; what comes
//! out is the first [`Finding`]: a race, a missing wait, a missing fence, memory that was never
//! written. Nothing here knows of instructions.

pub mod clocks;
pub mod defect;
pub mod finding;
pub mod global;
pub mod initialised;
pub mod shadow;

pub use defect::{Asynchronous, Defect, Space, WgmmaProblem};
pub use finding::{Finding, Party, Site, Thread, Waiting};
