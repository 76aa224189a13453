//! Accesses to memory, in the layout that is best for their addresses or the one that their value has, in vectors as
//! wide as facts allow there.

use melior::ir::Type;
use melior::ir::operation::OperationLike;

use super::super::shape_of;
use super::Place;
use crate::build::Rebuilder;
use crate::conversions;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::remark::RemarkKind;
use crate::dialect::ops::{Atomic, Load, Prefetch, Store};
use crate::encoding::{RARE, runs_attribute};
use crate::facts::pointee_bytes;
use crate::ir::{Operation, Value, attributes, int_attribute, name, result, results};
use crate::layout::Layout;
use crate::layout::access::{AffineAccess, GlobalAccess};

/// Where each of as many lanes touches a line of its own the tile goes through shared memory: it is transposed, or a lane
/// holds many neighbours, as it does of prefix sums (H100, rows of 4096 in f32: 337 us, where a copy takes 181).
const LANES: u64 = 32;

/// Bytes of a line.
const LINE: u64 = 128;

/// Elements from one row to the next: so many that rows share no sector.
const FAR: i64 = 1 << 20;

impl<'c> Place<'_, '_, 'c> {
    /// The vector width of an access through `pointers` in a layout.
    fn width(&self, pointers: Value<'c>, mask: Option<Value<'c>>, layout: &Layout) -> u64 {
        self.width_of(pointers, mask, |axis| layout.contiguous(axis))
    }

    /// The widest vectors in any layout.
    fn widest(&self, pointers: Value<'c>, mask: Option<Value<'c>>) -> u64 {
        self.width_of(pointers, mask, |_| u64::MAX)
    }

    /// The vector width of an access through `pointers` where a thread has so many neighbours along an axis.
    fn width_of(
        &self,
        pointers: Value<'c>,
        mask: Option<Value<'c>>,
        neighbours: impl Fn(usize) -> u64,
    ) -> u64 {
        let facts = self.homes.facts.of(pointers);
        let mask = mask.map(|mask| self.homes.facts.of(mask));
        let (shape, bytes) = (shape_of(pointers), pointee_bytes(pointers));
        let axes = 0..shape.len();
        axes.map(|axis| {
            let most = neighbours(axis).min(16 / bytes.clamp(1, 16));
            crate::facts::access_width(&shape, bytes, &facts, mask.as_ref(), axis, most)
        })
        .max()
        .unwrap_or(1)
    }

    /// Sectors and lines that a warp touches at once in vectors of `width` elements, where pointers count up.
    fn touched(&self, pointers: Value<'c>, width: u64, layout: &Layout) -> (u64, u64) {
        let facts = self.homes.facts.of(pointers);
        let fastest = (0..layout.rank()).max_by_key(|axis| facts.contiguity[*axis]);
        let Some(fastest) = fastest.filter(|axis| facts.contiguity[*axis] > 1) else {
            // Nothing is known to be next to anything.
            return (0, 0);
        };
        let element_bytes = pointee_bytes(pointers);
        let mut strides = vec![FAR; layout.rank()];
        strides[fastest] = 1;
        let access = AffineAccess {
            strides,
            element_bytes,
            alignment_bytes: width * element_bytes,
        };
        let found = GlobalAccess::analyse(layout, &access);
        (found.sectors, found.lines)
    }

    pub(super) fn load(
        &mut self,
        to: &mut Rebuilder<'c>,
        load: Load<'c>,
    ) -> Result<(), Diagnostic> {
        // Without a home it is loaded where it is wanted.
        if let Some(layout) = self.homes.home(load.result()).cloned() {
            let value = self.load_in(to, load, &layout)?;
            to.bind(load.result(), vec![value]);
        }
        Ok(())
    }

    pub(super) fn load_in(
        &mut self,
        to: &mut Rebuilder<'c>,
        load: Load<'c>,
        layout: &Layout,
    ) -> Result<Value<'c>, Diagnostic> {
        let width = self.width(load.pointers(), load.mask(), layout);
        let ty = self.typed(load.result(), layout);
        let new = self.access(to, load.0, width, layout, &[ty])?;
        // Of a row without home each thread loads what it needs.
        if self.homes.home(load.result()).is_some() {
            let widest = self.widest(load.pointers(), load.mask());
            self.remark_access(
                load.0,
                "load",
                [width, widest],
                pointee_bytes(load.pointers()),
            );
        }
        Ok(result(new, 0))
    }

    pub(super) fn store(
        &mut self,
        to: &mut Rebuilder<'c>,
        store: Store<'c>,
    ) -> Result<(), Diagnostic> {
        let wanted = self.homes.access(store.pointers(), store.mask());
        let bytes = pointee_bytes(store.pointers());
        let best = self.width(store.pointers(), store.mask(), &wanted);
        // At home if that is as wide and not more scattered, or as wide as can be, or if the way from there is too narrow.
        let layout = match self.homes.home(store.value()) {
            Some(home)
                if int_attribute(store.0, RARE).is_some() && home.owners().are_all_threads() =>
            {
                home.clone()
            }
            Some(home) => {
                let width = self.width(store.pointers(), store.mask(), home);
                let [(here, own_lines), (there, lines)] =
                    [home, &wanted].map(|layout| self.touched(store.pointers(), width, layout));
                let is_lane_by_lane = own_lines >= LANES && lines < own_lines;
                let is_owned = home.owners().are_all_threads() || self.homes.rows_stay;
                // Accumulators do not stay where rows begin anywhere (PTX ISA, `mma.m16n8k16`: a warp holds parts of eight rows).
                let good = width == best && is_owned && here <= there;
                // Whole lines, in twice as many instructions, which no one waits for. Rows of bytes take 1.06 times as long so.
                let most = (LANES * width * bytes / LINE).max(1);
                let is_coarse = bytes > 1 && 2 * width >= best;
                let is_whole = is_owned && is_coarse && (1..=most).contains(&own_lines);
                let stays = !is_lane_by_lane && (good || is_whole || width * bytes >= 16);
                if stays || !self.fits_shared(home, &wanted, bytes) {
                    home.clone()
                } else {
                    wanted
                }
            }
            None => wanted,
        };
        let width = self.width(store.pointers(), store.mask(), &layout);
        self.access(to, store.0, width, &layout, &[])?;
        let widest = self.widest(store.pointers(), store.mask());
        self.remark_access(store.0, "store", [width, widest], bytes);
        Ok(())
    }

    /// Whether a tile with elements of so many bytes can go from one layout to another as a whole.
    fn fits_shared(&self, from: &Layout, wanted: &Layout, bytes: u64) -> bool {
        let covered: u64 = wanted.covered().iter().product();
        covered * bytes <= self.homes.cx.target.shared_bytes_per_program
            || conversions::inside_warps(from, wanted).is_some()
    }

    pub(super) fn atomic(
        &mut self,
        to: &mut Rebuilder<'c>,
        atomic: Atomic<'c>,
    ) -> Result<(), Diagnostic> {
        let home = self.homes.home_or_neutral(atomic.result());
        let width = self.width(atomic.pointers(), atomic.mask(), &home);
        let ty = self.typed(atomic.result(), &home);
        let new = self.access(to, atomic.0, width, &home, &[ty])?;
        to.bind(atomic.result(), results(new));
        Ok(())
    }

    pub(super) fn prefetch(
        &mut self,
        to: &mut Rebuilder<'c>,
        prefetch: Prefetch<'c>,
    ) -> Result<(), Diagnostic> {
        let layout = self.homes.access(prefetch.pointers(), prefetch.mask());
        let width = self.width(prefetch.pointers(), prefetch.mask(), &layout);
        self.access(to, prefetch.0, width, &layout, &[])?;
        Ok(())
    }

    /// The access in a layout, in vectors of `width` elements.
    fn access(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
        width: u64,
        layout: &Layout,
        types: &[Type<'c>],
    ) -> Result<Operation<'c>, Diagnostic> {
        let list = self.place_operands(to, operation, layout)?;
        let mut all = attributes(operation);
        all.push(("vector", to.builder.int(width as i64)));
        // What several elements have in one place is loaded once for a thread.
        if let Some(load) = Load::of(operation) {
            let constancy = self.homes.facts.of(load.result()).constancy;
            all.extend(runs_attribute(&to.builder, &constancy));
        }
        Ok(to.builder.insert(name(operation), &list, &all, types))
    }

    /// Says in vectors of how many elements an access is, and whether it could not be in wider ones: where they are narrower
    /// than they could be a row has no more than one element for each thread, or a product wants them so.
    fn remark_access(
        &self,
        operation: Operation<'c>,
        what: &str,
        [width, widest]: [u64; 2],
        bytes: u64,
    ) {
        let cx = self.homes.cx;
        let span = cx.span(operation.location());
        let function = &self.homes.function;
        let what = what.to_owned();
        let is_wide = width * bytes >= 16 || width * bytes >= 4 && bytes >= 4 && width > 1;
        let kind = match is_wide || width < widest {
            true => RemarkKind::Access { what, width, bytes },
            false => RemarkKind::NarrowAccess { what, width, bytes },
        };
        cx.remark(function, Some(span), kind);
    }
}
