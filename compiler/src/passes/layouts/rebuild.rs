//! Rebuilds a function with layouts in its types.

use melior::ir::operation::OperationLike;
use melior::ir::r#type::TypeLike;
use melior::ir::{Attribute, Type, ValueLike};

use super::{Homes, choose, shape_of};
use crate::diagnostic::{Diagnostic, messages};
use crate::dialect::TileOp;
use crate::dialect::ops::{Asm, Atomic, Gather, Histogram, Load, Prefetch, Reshape};
use crate::facts::pointee_bytes;
use crate::ffi::defining_operation;
use crate::ir::{
    Operation, Rebuilder, Rewrite, TileType, Value, attributes, key, name, operands, region_block,
    results,
};
use crate::layout::access::{AffineAccess, GlobalAccess};
use crate::layout::{Conversion, Layout};
use crate::passes::encoding::runs_attribute;
use crate::passes::{element_bits, is_tile};

/// A store stays in the layout of its value if a warp touches at most this many times the sectors
/// that it could. Sums of products stay (PTX ISA, `mma.m16n8k16`: a warp holds parts of eight rows); a
/// transposed tile, of which every lane touches a sector of its own, goes through shared memory.
const SCATTERED: u64 = 4;

/// Elements from one row to the next: so many that rows share no sector.
const FAR: i64 = 1 << 20;

/// The rewrite that puts layouts in place.
pub struct Place<'a, 'b, 'c> {
    homes: Homes<'a, 'b, 'c>,
    /// Layouts in which the terminators of the open regions give their operands.
    targets: Vec<Vec<Option<Layout>>>,
}

impl<'a, 'b, 'c> Place<'a, 'b, 'c> {
    pub(super) fn new(homes: Homes<'a, 'b, 'c>) -> Self {
        Self {
            homes,
            targets: Vec::new(),
        }
    }

    fn typed(&self, to: &Rebuilder<'c>, value: Value<'c>, layout: &Layout) -> Type<'c> {
        let tile = TileType::of(value).expect("a tile has a layout");
        tile.with_encoding(to.builder.parse_attribute(&layout.to_attribute()))
            .ty()
    }

    /// The old value in a layout: from home, converted, or built again.
    fn place(
        &mut self,
        to: &mut Rebuilder<'c>,
        old: Value<'c>,
        layout: &Layout,
    ) -> Result<Value<'c>, Diagnostic> {
        if !is_tile(old) {
            return Ok(to.one(old));
        }
        let ty = self.typed(to, old, layout);
        let memory = (old.to_raw().ptr as usize, ty.to_raw().ptr as usize);
        if let Some(value) = to.builder.recall(memory) {
            return Ok(value);
        }
        let value = match self.homes.home(old) {
            Some(home) if home == layout => to.one(old),
            Some(home) if self.is_widened(old, home) => self.build_again(to, old, layout, ty)?,
            Some(_) => {
                let at_home = to.one(old);
                to.builder.value("tile.convert", &[at_home], &[], ty)
            }
            None => self.build_again(to, old, layout, ty)?,
        };
        to.builder.remember(memory, value);
        Ok(value)
    }

    /// Whether a value is a narrower one that is at the same home, widened: then that one is converted, which
    /// takes less memory.
    fn is_widened(&self, old: Value<'c>, home: &Layout) -> bool {
        defining_operation(old).is_some_and(|operation| {
            matches!(
                name(operation),
                "arith.extf" | "arith.extsi" | "arith.extui"
            ) && self.homes.home(operands(operation)[0]) == Some(home)
        })
    }

    /// Builds a value without home in the layout it is wanted in, or from one that is brought there.
    fn build_again(
        &mut self,
        to: &mut Rebuilder<'c>,
        old: Value<'c>,
        layout: &Layout,
        ty: Type<'c>,
    ) -> Result<Value<'c>, Diagnostic> {
        let operation = defining_operation(old).expect("block arguments have homes");
        if let Some(TileOp::Load(load)) = TileOp::of(operation) {
            return self.load_in(to, load, layout);
        }
        let list = attributes(operation);
        let mut named: Vec<(&str, Attribute<'c>)> =
            list.iter().map(|(n, a)| (n.as_str(), *a)).collect();
        // Index arithmetic and masks: once for elements that are known to be the same.
        if name(operation).starts_with("arith.") && is_integer(old) {
            let constancy = self.homes.facts.of(old).constancy;
            named.extend(runs_attribute(&to.builder, &constancy));
        }
        let operand_layout = match TileOp::of(operation) {
            Some(TileOp::Expand(expand)) => layout.remove_dimension(expand.axis() as usize),
            Some(TileOp::Broadcast(broadcast)) => {
                let from = shape_of(broadcast.operand());
                let mut projected = layout.clone();
                for (axis, (small, large)) in from.iter().zip(layout.shape()).enumerate() {
                    if small != large {
                        projected = projected.project(axis);
                    }
                }
                projected
            }
            Some(TileOp::Permute(permute)) => {
                let list = permute.permutation();
                let mut inverse = vec![0; list.len()];
                for (position, d) in list.iter().enumerate() {
                    inverse[*d as usize] = position;
                }
                layout.permute(&inverse)
            }
            Some(TileOp::Reshape(reshape)) => {
                let shape = shape_of(reshape.operand());
                match layout.reshape(&shape) {
                    Some(layout) => layout,
                    None => return self.reshape_elsewhere(to, reshape, ty),
                }
            }
            _ if name(operation) == "arith.constant" => {
                let value = operation.attribute("value").ok();
                let text = value.map(|value| value.to_string()).unwrap_or_default();
                let splat = text.split(" : ").next().unwrap_or_default();
                let attribute = to.builder.parse_attribute(&format!("{splat} : {ty}"));
                return Ok(to
                    .builder
                    .value("arith.constant", &[], &[("value", attribute)], ty));
            }
            _ => layout.clone(),
        };
        let mut new = Vec::new();
        for operand in operands(operation) {
            new.push(self.place(to, operand, &operand_layout)?);
        }
        Ok(to.builder.value(name(operation), &new, &named, ty))
    }

    /// Reshapes in a layout that the operand could have, where the one wanted is none of its: a tile
    /// in it may have copies where the operand would have padding.
    fn reshape_elsewhere(
        &mut self,
        to: &mut Rebuilder<'c>,
        reshape: Reshape<'c>,
        ty: Type<'c>,
    ) -> Result<Value<'c>, Diagnostic> {
        let from = self.homes.home_or_neutral(reshape.operand());
        let Some(reshaped) = from.reshape(&shape_of(reshape.result())) else {
            let span = self.homes.cx.span(reshape.0.location());
            return Err(messages::lowering::not_lowered("this reshape", span));
        };
        let operand = self.place(to, reshape.operand(), &from)?;
        let there = self.typed(to, reshape.result(), &reshaped);
        let value = to.builder.value("tile.reshape", &[operand], &[], there);
        Ok(if there == ty {
            value
        } else {
            to.builder.value("tile.convert", &[value], &[], ty)
        })
    }

    /// The vector width of an access through `pointers` in a layout.
    fn width(&self, pointers: Value<'c>, mask: Option<Value<'c>>, layout: &Layout) -> u64 {
        let facts = self.homes.facts.of(pointers);
        let mask = mask.map(|mask| self.homes.facts.of(mask));
        let bytes = pointee_bytes(pointers);
        (0..layout.rank())
            .map(|axis| {
                let most = layout.contiguous(axis).min(16 / bytes.clamp(1, 16));
                choose::access_width(layout.shape(), bytes, &facts, mask.as_ref(), axis, most)
            })
            .max()
            .unwrap_or(1)
    }

    /// Sectors that a warp touches at once in vectors of `width` elements, where pointers count up.
    fn sectors(&self, pointers: Value<'c>, width: u64, layout: &Layout) -> u64 {
        let facts = self.homes.facts.of(pointers);
        let fastest = (0..layout.rank()).max_by_key(|axis| facts.contiguity[*axis]);
        let Some(fastest) = fastest.filter(|axis| facts.contiguity[*axis] > 1) else {
            // Nothing is known to be next to anything.
            return 0;
        };
        let element_bytes = pointee_bytes(pointers);
        let mut strides = vec![FAR; layout.rank()];
        strides[fastest] = 1;
        let access = AffineAccess {
            strides,
            element_bytes,
            alignment_bytes: width * element_bytes,
        };
        GlobalAccess::analyse(layout, &access).sectors
    }

    fn load(&mut self, to: &mut Rebuilder<'c>, operation: Operation<'c>) -> Result<(), Diagnostic> {
        let load = crate::dialect::ops::Load(operation);
        // Without a home it is loaded where it is wanted.
        if let Some(layout) = self.homes.home(load.result()).cloned() {
            let value = self.load_in(to, load, &layout)?;
            to.bind(load.result(), vec![value]);
        }
        Ok(())
    }

    fn load_in(
        &mut self,
        to: &mut Rebuilder<'c>,
        load: Load<'c>,
        layout: &Layout,
    ) -> Result<Value<'c>, Diagnostic> {
        let operation = load.0;
        let mut list = Vec::new();
        for operand in operands(operation) {
            list.push(self.place(to, operand, layout)?);
        }
        let width = self.width(load.pointers(), load.mask(), layout);
        self.remark_access(operation, "load", width, pointee_bytes(load.pointers()));
        let mut all = attributes(operation);
        all.push(("vector".to_owned(), to.builder.int(width as i64)));
        let named: Vec<_> = all.iter().map(|(n, a)| (n.as_str(), *a)).collect();
        let ty = self.typed(to, load.result(), layout);
        Ok(to.builder.value("tile.load", &list, &named, ty))
    }

    fn store(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<(), Diagnostic> {
        let store = crate::dialect::ops::Store(operation);
        let wanted = self.homes.access(store.pointers(), store.mask());
        let bytes = pointee_bytes(store.pointers());
        let best = self.width(store.pointers(), store.mask(), &wanted);
        // At home if that is as wide and not much more scattered, or wide enough for whole sectors.
        let layout = match self.homes.home(store.value()) {
            Some(home) => {
                let width = self.width(store.pointers(), store.mask(), home);
                let touched = |layout| self.sectors(store.pointers(), width, layout);
                let good = width == best
                    && home.owners().are_all_threads()
                    && touched(home) <= SCATTERED * touched(&wanted);
                if good || width * bytes >= 16 {
                    home.clone()
                } else {
                    wanted
                }
            }
            None => wanted,
        };
        let mut list = Vec::new();
        for operand in operands(operation) {
            list.push(self.place(to, operand, &layout)?);
        }
        let width = self.width(store.pointers(), store.mask(), &layout);
        self.remark_access(operation, "store", width, bytes);
        let mut all = attributes(operation);
        all.push(("vector".to_owned(), to.builder.int(width as i64)));
        let named: Vec<_> = all.iter().map(|(n, a)| (n.as_str(), *a)).collect();
        to.builder.insert("tile.store", &list, &named, &[]);
        Ok(())
    }

    fn remark_access(&self, operation: Operation<'c>, what: &str, width: u64, bytes: u64) {
        let cx = self.homes.cx;
        let span = cx.span(operation.location());
        let function = &self.homes.function;
        let message = format!("{what} in vectors of {width} x {bytes} bytes per thread");
        if width * bytes >= 16 || width * bytes >= 4 && bytes >= 4 && width > 1 {
            cx.decided("layouts", function, Some(span), message);
        } else {
            cx.missed(
                "layouts",
                function,
                Some(span),
                format!("{message}: contiguity, alignment or the mask allow no wider ones"),
            );
        }
    }

    /// An operand of a product, in a layout: what comes from shared memory is not computed with before.
    fn operand(
        &mut self,
        to: &mut Rebuilder<'c>,
        old: Value<'c>,
        layout: &Layout,
    ) -> Result<Value<'c>, Diagnostic> {
        match self.homes.home(old) {
            Some(home) if home != layout => {
                let ty = self.typed(to, old, layout);
                let at_home = to.one(old);
                Ok(to.builder.value("tile.convert", &[at_home], &[], ty))
            }
            _ => self.place(to, old, layout),
        }
    }

    fn dot(&mut self, to: &mut Rebuilder<'c>, operation: Operation<'c>) -> Result<(), Diagnostic> {
        let dot = crate::dialect::ops::Dot(operation);
        let home = self
            .homes
            .home(dot.result())
            .cloned()
            .expect("a dot is at home");
        let (left, right) = if dot.path() == "mma" {
            let bits = element_bits(dot.left().r#type()) as u32;
            let (m, n) = (shape_of(dot.left()), shape_of(dot.right()));
            let grid = choose::warp_grid([m[0], n[1]], self.homes.warps);
            (
                Layout::mma_operand_a([m[0], m[1]], grid, bits),
                Layout::mma_operand_b([n[0], n[1]], grid, bits),
            )
        } else if dot.path() == "wgmma" {
            // Both come from shared memory, to which they are written from where they are, unless A is
            // in the right registers already, as the result of another product is.
            let left = self.homes.home_or_neutral(dot.left());
            let (m, n) = (shape_of(dot.left()), shape_of(dot.right()));
            let bits = element_bits(dot.left().r#type()) as u32;
            let fragment = Layout::wgmma_operand_a([m[0], m[1]], n[1], self.homes.warps, bits);
            let stays = matches!(
                Conversion::plan(&left, &fragment),
                Conversion::Identity | Conversion::Registers(_)
            );
            let left = if stays { fragment } else { left };
            (left, self.homes.home_or_neutral(dot.right()))
        } else {
            (
                self.homes.home_or_neutral(dot.left()),
                self.homes.home_or_neutral(dot.right()),
            )
        };
        let list = [
            self.operand(to, dot.left(), &left)?,
            self.operand(to, dot.right(), &right)?,
            self.place(to, dot.accumulator(), &home)?,
        ];
        let all = attributes(operation);
        let named: Vec<_> = all.iter().map(|(n, a)| (n.as_str(), *a)).collect();
        let ty = self.typed(to, dot.result(), &home);
        let value = to.builder.value("tile.dot", &list, &named, ty);
        to.bind(dot.result(), vec![value]);
        Ok(())
    }

    fn reduce(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<(), Diagnostic> {
        let layout = self.homes.working[&key(results(operation)[0])].clone();
        let mut list = Vec::new();
        for operand in operands(operation) {
            list.push(self.place(to, operand, &layout)?);
        }
        let regions = to.regions(self, operation)?;
        let types: Vec<_> = results(operation)
            .into_iter()
            .map(|value| {
                self.homes
                    .home(value)
                    .cloned()
                    .map_or_else(|| value.r#type(), |home| self.typed(to, value, &home))
            })
            .collect();
        let all = attributes(operation);
        let named: Vec<_> = all.iter().map(|(n, a)| (n.as_str(), *a)).collect();
        let new = to
            .builder
            .insert_with_regions(name(operation), &list, &named, &types, regions);
        for (old, new) in results(operation).into_iter().zip(results(new)) {
            to.bind(old, vec![new]);
        }
        Ok(())
    }

    /// Indices where the result is; the operand wherever it is.
    fn gather(&mut self, to: &mut Rebuilder<'c>, gather: Gather<'c>) -> Result<(), Diagnostic> {
        let home = self.homes.home_or_neutral(gather.result());
        let from = self.homes.home_or_neutral(gather.operand());
        let mut list = vec![self.place(to, gather.operand(), &from)?];
        for index in gather.indices() {
            list.push(self.place(to, index, &home)?);
        }
        let all = attributes(gather.0);
        let named: Vec<_> = all.iter().map(|(n, a)| (n.as_str(), *a)).collect();
        let ty = self.typed(to, gather.result(), &home);
        let value = to.builder.value("tile.gather", &list, &named, ty);
        to.bind(gather.result(), vec![value]);
        Ok(())
    }

    /// Values and mask where the values are.
    fn histogram(
        &mut self,
        to: &mut Rebuilder<'c>,
        histogram: Histogram<'c>,
    ) -> Result<(), Diagnostic> {
        let from = self.homes.home_or_neutral(histogram.operand());
        let list = [
            self.place(to, histogram.operand(), &from)?,
            self.place(to, histogram.mask(), &from)?,
        ];
        let home = self.homes.home_or_neutral(histogram.result());
        let ty = self.typed(to, histogram.result(), &home);
        let value = to.builder.value("tile.histogram", &list, &[], ty);
        to.bind(histogram.result(), vec![value]);
        Ok(())
    }

    fn atomic(&mut self, to: &mut Rebuilder<'c>, atomic: Atomic<'c>) -> Result<(), Diagnostic> {
        let home = self.homes.home_or_neutral(atomic.result());
        let mut list = Vec::new();
        for operand in operands(atomic.0) {
            list.push(self.place(to, operand, &home)?);
        }
        let width = self.width(atomic.pointers(), atomic.mask(), &home);
        let mut all = attributes(atomic.0);
        all.push(("vector".to_owned(), to.builder.int(width as i64)));
        let named: Vec<_> = all.iter().map(|(n, a)| (n.as_str(), *a)).collect();
        let ty = self.typed(to, atomic.result(), &home);
        let new = to.builder.insert("tile.atomic", &list, &named, &[ty]);
        to.bind(atomic.result(), results(new));
        Ok(())
    }

    fn asm(&mut self, to: &mut Rebuilder<'c>, asm: Asm<'c>) -> Result<(), Diagnostic> {
        let home = self.homes.home_or_neutral(asm.result());
        let mut list = Vec::new();
        for operand in operands(asm.0) {
            list.push(self.place(to, operand, &home)?);
        }
        let all = attributes(asm.0);
        let named: Vec<_> = all.iter().map(|(n, a)| (n.as_str(), *a)).collect();
        let types: Vec<_> = results(asm.0)
            .into_iter()
            .map(|value| self.typed(to, value, &home))
            .collect();
        let new = to.builder.insert("tile.asm", &list, &named, &types);
        for (old, new) in results(asm.0).into_iter().zip(results(new)) {
            to.bind(old, vec![new]);
        }
        Ok(())
    }

    fn prefetch(
        &mut self,
        to: &mut Rebuilder<'c>,
        prefetch: Prefetch<'c>,
    ) -> Result<(), Diagnostic> {
        let layout = self.homes.access(prefetch.pointers(), prefetch.mask());
        let mut list = Vec::new();
        for operand in operands(prefetch.0) {
            list.push(self.place(to, operand, &layout)?);
        }
        let width = self.width(prefetch.pointers(), prefetch.mask(), &layout);
        let mut all = attributes(prefetch.0);
        all.push(("vector".to_owned(), to.builder.int(width as i64)));
        let named: Vec<_> = all.iter().map(|(n, a)| (n.as_str(), *a)).collect();
        to.builder.insert("tile.prefetch", &list, &named, &[]);
        Ok(())
    }

    /// What is done for every element, wherever it is: all operands where one of them is at home.
    fn effect(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<(), Diagnostic> {
        let old = operands(operation);
        let mut list = Vec::new();
        if let Some(first) = old.first().filter(|first| is_tile(**first)) {
            let at_home = old
                .iter()
                .find_map(|value| self.homes.home(*value).cloned());
            // One element per thread: neighbours are done by neighbours.
            let layout =
                at_home.unwrap_or_else(|| choose::neutral(&shape_of(*first), 16, self.homes.warps));
            for operand in old {
                list.push(self.place(to, operand, &layout)?);
            }
        } else {
            list.extend(old.into_iter().map(|operand| to.one(operand)));
        }
        let all = attributes(operation);
        let named: Vec<_> = all.iter().map(|(n, a)| (n.as_str(), *a)).collect();
        to.builder.insert(name(operation), &list, &named, &[]);
        Ok(())
    }

    /// Rebuilds structured control flow: operands go to the homes of what they initialise, and each
    /// region's terminator gives values at the homes in `targets`.
    fn control(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
        operand_targets: &[Option<Layout>],
        region_targets: Vec<Vec<Option<Layout>>>,
    ) -> Result<(), Diagnostic> {
        let mut list = Vec::new();
        for (operand, target) in operands(operation).into_iter().zip(operand_targets) {
            list.push(match target {
                Some(layout) => self.place(to, operand, layout)?,
                None => to.one(operand),
            });
        }
        let mut regions = Vec::new();
        for (index, targets) in region_targets.into_iter().enumerate() {
            let Some(block) = region_block(operation, index) else {
                regions.push(melior::ir::Region::new());
                continue;
            };
            self.targets.push(targets);
            regions.push(to.region_of(self, block)?);
            self.targets.pop();
        }
        let types: Vec<_> = results(operation)
            .into_iter()
            .flat_map(|value| self.types_in(to, value))
            .collect();
        let all = attributes(operation);
        let named: Vec<_> = all.iter().map(|(n, a)| (n.as_str(), *a)).collect();
        let new = to
            .builder
            .insert_with_regions(name(operation), &list, &named, &types, regions);
        for (old, new) in results(operation).into_iter().zip(results(new)) {
            to.bind(old, vec![new]);
        }
        Ok(())
    }

    fn types_in(&self, to: &Rebuilder<'c>, value: Value<'c>) -> Vec<Type<'c>> {
        match self.homes.home(value) {
            Some(home) => vec![self.typed(to, value, home)],
            None => vec![value.r#type()],
        }
    }

    fn homes_of(&self, values: &[Value<'c>]) -> Vec<Option<Layout>> {
        values
            .iter()
            .map(|value| self.homes.home(*value).cloned())
            .collect()
    }
}

impl<'c> Rewrite<'c> for Place<'_, '_, 'c> {
    fn types(&mut self, value: Value<'c>) -> Vec<Type<'c>> {
        match self.homes.home(value) {
            Some(home) => {
                let text = home.to_attribute();
                let encoding =
                    Attribute::parse(self.homes.cx.context, &text).expect("a layout's text parses");
                vec![
                    TileType::of(value)
                        .expect("a tile")
                        .with_encoding(encoding)
                        .ty(),
                ]
            }
            None => vec![value.r#type()],
        }
    }

    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        match TileOp::of(operation) {
            Some(TileOp::Load(load)) if is_tile(load.result()) => self.load(to, operation)?,
            Some(TileOp::Store(store)) if is_tile(store.pointers()) => self.store(to, operation)?,
            Some(TileOp::Dot(_)) => self.dot(to, operation)?,
            Some(TileOp::Reduce(_) | TileOp::Scan(_) | TileOp::Map(_)) => {
                self.reduce(to, operation)?;
            }
            Some(TileOp::Histogram(histogram)) => self.histogram(to, histogram)?,
            Some(TileOp::Gather(gather)) => self.gather(to, gather)?,
            Some(TileOp::Atomic(atomic)) => self.atomic(to, atomic)?,
            Some(TileOp::Prefetch(prefetch)) if is_tile(prefetch.pointers()) => {
                self.prefetch(to, prefetch)?;
            }
            Some(TileOp::Asm(asm)) if is_tile(asm.result()) => self.asm(to, asm)?,
            Some(TileOp::Assert(_) | TileOp::Print(_)) => self.effect(to, operation)?,
            _ => match name(operation) {
                "scf.for" => {
                    let carried: Vec<_> = region_block(operation, 0)
                        .map(crate::ir::arguments)
                        .unwrap_or_default()
                        .into_iter()
                        .skip(1)
                        .collect();
                    let homes = self.homes_of(&carried);
                    let mut list = vec![None; 3];
                    list.extend(homes.iter().cloned());
                    self.control(to, operation, &list, vec![homes])?;
                }
                "scf.if" => {
                    let homes = self.homes_of(&results(operation));
                    let count = operation.region_count();
                    self.control(to, operation, &[None], vec![homes; count])?;
                }
                "scf.while" => {
                    let before = region_block(operation, 0)
                        .map(crate::ir::arguments)
                        .unwrap_or_default();
                    let before = self.homes_of(&before);
                    let mut condition = vec![None];
                    condition.extend(self.homes_of(&results(operation)));
                    self.control(to, operation, &before.clone(), vec![condition, before])?;
                }
                "scf.yield" | "scf.condition" => {
                    let targets = self.targets.last().cloned().unwrap_or_default();
                    let mut list = Vec::new();
                    for (operand, target) in operands(operation).into_iter().zip(targets) {
                        list.push(match target {
                            Some(layout) => self.place(to, operand, &layout)?,
                            None => to.one(operand),
                        });
                    }
                    to.builder.insert(name(operation), &list, &[], &[]);
                }
                _ => {
                    let list = results(operation);
                    let Some(value) = list.first().copied().filter(|value| is_tile(*value)) else {
                        return Ok(false);
                    };
                    // Without a home it is built where it is wanted.
                    if let Some(home) = self.homes.home(value).cloned() {
                        let ty = self.typed(to, value, &home);
                        let built = self.build_again(to, value, &home, ty)?;
                        to.bind(value, vec![built]);
                    }
                }
            },
        }
        Ok(true)
    }
}

/// Whether the elements are integers, which facts are about.
fn is_integer(value: Value<'_>) -> bool {
    crate::ir::element_type(value.r#type()).is_integer()
}
