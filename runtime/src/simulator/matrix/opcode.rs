//! Opcodes in parts. `ptxas` takes the qualifiers of an opcode in any order, and compilers make use
//! of that; only among types, and among layouts, does the order mean something.

use super::kind::Kind;

/// The sizes of `m16n8k16`.
pub(super) fn shape(part: &str) -> Option<[usize; 3]> {
    let (m, rest) = part.strip_prefix('m')?.split_once('n')?;
    let (n, k) = rest.split_once('k')?;
    Some([m.parse().ok()?, n.parse().ok()?, k.parse().ok()?])
}

/// The types among the parts, in order.
pub(super) fn kinds(parts: &[&str]) -> Vec<Kind> {
    parts.iter().filter_map(|part| Kind::find(part)).collect()
}

/// Whether the parts are those of the opcode `canonical`, in this or an equivalent order.
pub(super) fn same(parts: &[&str], canonical: &str) -> bool {
    let known: Vec<&str> = canonical.split('.').collect();
    let ordered = |parts: &[&str]| -> Vec<String> {
        let matters = |part: &&str| ["row", "col"].contains(part) || Kind::find(part).is_some();
        let parts = parts.iter().copied();
        parts.filter(matters).map(str::to_owned).collect()
    };
    let sorted = |parts: &[&str]| -> Vec<String> {
        let mut parts: Vec<_> = parts.iter().map(|part| (*part).to_owned()).collect();
        parts.sort_unstable();
        parts
    };
    parts.first() == known.first()
        && ordered(parts) == ordered(&known)
        && sorted(parts) == sorted(&known)
}
