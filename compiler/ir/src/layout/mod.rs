//! Layouts: which thread holds which element of a tile, and where an element lies in shared memory.
//!
//! A tile is a value of a whole program (a thread block); the hardware only knows registers of
//! threads. A [`Layout`] is the bridge: it says which element each (register, lane, warp) holds.
//! Everything the compiler wants to know about data movement follows from it by algebra: how wide
//! a vector access may be, whether a warp's access is coalesced, whether shared memory banks
//! conflict, and what it takes to bring a tile from one layout into another.
//!
//! # The model
//!
//! A *block*, whose sizes are powers of two, is repeated along each dimension until it covers the
//! tile. Inside the block the map is linear over F2: every bit of the register, lane and warp
//! number owns a *basis vector* of coordinates, and the coordinates of a thread's register are the
//! XOR of the vectors of all bits that are set. With 32 lanes, 2 warps and 4 elements a thread, the
//! 256 elements of a one-dimensional tile are
//!
//! ```text
//! register = [[1], [2]]                          4 neighbours in one thread
//! lane     = [[4], [8], [16], [32], [64]]        32 threads side by side
//! warp     = [[128]]                             2 warps side by side
//! repeat   = [1]
//! ```
//!
//! and a tile of 700 elements has the same vectors with `repeat = [3]`: registers 4..8 hold the
//! second block. Coordinates of 700 and more are *padding*: the registers exist, and what they
//! hold means nothing.
//!
//! A zero vector says that the bit does not matter: the same element is held twice. Replication is
//! how a row of 8 elements lives in 32 lanes, how a reduced tile stays where it was reduced, and
//! how both operands of a matrix product meet in every warp that needs them.
//!
//! Three warpgroups are 12 warps, whose numbers have four bits. The last four that these number are not there: a layout may
//! say so ([`Layout::with_warp_count`]) if they would hold padding or copies alone. Those of a product of 192 rows hold rows
//! from 192 on; everything else has copies in the last four or eight warps ([`Layout::of_warps`]).
//!
//! Registers are numbered with the bits of the block lowest, then by repetition, the last dimension
//! fastest.
//!
//! # Map
//!
//! | file | what it is about |
//! |---|---|
//! | [`distributed`] | the type itself: bases, coordinates, padding |
//! | [`replication`] | which copies are redundant, and who owns an element |
//! | [`blocked`] | the everyday layout: a box of elements per thread, threads side by side |
//! | [`transform`] | slices, projections, permutations: layouts of the results of shape operations |
//! | [`reshape`] | row-major reshapes |
//! | [`attribute`] | the text form, an MLIR dictionary |
//! | [`mma`] | fragments of `mma.sync` and `wgmma` |
//! | [`descriptor`] | operands of `wgmma` in shared memory |
//! | [`fma`] | register tiles of a matrix product without tensor cores |
//! | [`shared`] | swizzled shared memory: where an element lies |
//! | [`shared_access`] | the addresses of a thread's registers in shared memory, ready for code generation |
//! | [`banks`] | bank conflicts |
//! | [`warp_boxes`] | boxes of a fragment that a warp hands to TMA |
//! | [`round_trip`] | the shared layout that makes a conversion cheapest |
//! | [`convert`] | from one layout to another: nothing, registers, shuffles or shared memory |
//! | [`exchange`] | who holds the element whose coordinate differs in given bits |
//! | [`shuffle`] | how a conversion inside a warp is made of shuffles and selects |
//! | [`access`] | vectors and coalescing of global memory accesses |
//! | [`copy`] | copies from global to shared memory without registers |
//! | [`linear`] | the little linear algebra over F2 that the rest needs |

pub mod access;
pub mod attribute;
pub mod banks;
pub mod blocked;
pub mod convert;
pub mod copy;
pub mod descriptor;
pub mod distributed;
pub mod exchange;
pub mod fma;
pub mod linear;
pub mod mma;
pub mod replication;
pub mod reshape;
pub mod round_trip;
pub mod shared;
pub mod shared_access;
pub mod shuffle;
pub mod transform;
pub mod warp_boxes;

#[cfg(test)]
mod tests;

pub use access::GlobalAccess;
pub use attribute::LayoutError;
pub use banks::BankConflicts;
pub use convert::Conversion;
pub use descriptor::MatrixOperand;
pub use distributed::{Basis, Lane, Layout, Register, ThreadBit, Warp};
pub use exchange::Partners;
pub use replication::Owners;
pub use shared::{SharedLayout, Swizzle};
pub use shared_access::{SharedAccess, SharedGroup, ThreadTerm};
pub use shuffle::{Exchange, ShufflePlan, ShuffleRound};
