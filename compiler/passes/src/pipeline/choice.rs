//! What the pass does with a function: each choice sees those before it.
//!
//! Comes in: a function with its layouts. Goes out: which loads run ahead, who copies them, what TMA stores, and
//! which programs share copies or work; with that, the attributes that tell later passes and the launch.

use melior::ir::Attribute;
use melior::ir::operation::OperationLike;

use super::WARPGROUP;
use super::balance::{self, Longest};
use super::boxes::{MAPS, Map};
use super::epilogue_loads::{self, EpilogueLoad};
use super::pairs::{self, PAIR, PAIR_MAPS, Pairing};
use super::plan::{self, CopiedBy, Plans};
use super::programs::{NUMBERS_GROUP, TURNS};
use super::rings::Share;
use super::roles::{self, Roles};
use super::split::{self, COPYING_WARPS, PROGRAMS};
use super::stationary::{self, Stationary};
use super::stores::{self, BoxStore};
use super::stream_k::{self, PART_BYTES, StreamK};
use super::tickets::TICKETS;
use crate::build::Builder;
use crate::diagnostic::remark::RemarkKind;
use crate::encoding::Encodings;
use crate::ir::{Operation, address};
use crate::order::Group;
use crate::{PassContext, function_name, in_any_order};

/// What was chosen for a function.
pub struct Choice<'c> {
    pub plans: Plans<'c>,
    /// The tensor maps that its copies and stores need.
    pub maps: Vec<Map>,
    pub epilogue_loads: Vec<EpilogueLoad<'c>>,
    pub stationary: Vec<Stationary<'c>>,
    pub stores: Vec<BoxStore<'c>>,
    /// What a warp that only copies does, and what it shares with the others, if there is one.
    pub split: Option<(Roles, Share)>,
    /// Whether the kernel is persistent.
    pub takes_turns: bool,
    pub pair: Option<Pairing>,
    /// How programs run in groups.
    pub group: Option<Group>,
    pub stream_k: Option<StreamK<'c>>,
    /// Which programs are the longest, where they differ and that is known.
    pub longest: Option<Longest>,
    /// Whether blocks take the numbers of their programs from a counter.
    pub takes_tickets: bool,
}

impl<'c> Choice<'c> {
    pub fn find(cx: &PassContext<'_, 'c>, encodings: &Encodings, function: Operation<'c>) -> Self {
        let (mut plans, mut maps) = plan::find(cx, encodings, function, CopiedBy::PerhapsProducer);
        let of_loads = maps.len();
        let epilogue_loads = epilogue_loads::find(cx, encodings, function, &plans, &mut maps);
        let stores = stores::find(cx, encodings, function, &mut maps);
        let mut split = split::roles(cx, function, &mut plans, &stores, &epilogue_loads, &maps);
        let (mut pair, mut stream_k) = (None, None);
        // Epilogue loads and stores are of rings, of which there are none then.
        if split.is_none() {
            maps.truncate(of_loads);
            let is_for_producer =
                |plan: &plan::Plan<'c>| plan.distance == 0 || plan.computed().next().is_some();
            if plans.values().any(is_for_producer) {
                (plans, maps) = plan::find(cx, encodings, function, CopiedBy::Threads);
            }
        }
        let any_order = in_any_order(function);
        let staging_operand = split.as_ref().and_then(|(_, share)| share.staging_operand);
        // What is stored through an operand's buffer is stored by the block that has it.
        if any_order && !plans.is_empty() && staging_operand.is_none() {
            // In a loop of several products in an order of its own a pair would wait for its neighbour in the middle of it. A loop of one
            // waits where its iteration ends.
            let mut all = plans.values();
            let has_order = all.any(|plan| plan.products > 1 && plan.may_be_scheduled());
            if split.as_ref().is_some_and(|(_, share)| !share.has_pieces) && !has_order {
                pair = pairs::find(function, &mut plans, &stores, &mut maps);
            }
            stream_k = stream_k::find(cx, encodings, function, &plans);
        }
        // A pair waits for both its blocks.
        let mut stationary = Vec::new();
        if let (Some((roles, _)), None) = (&mut split, &pair) {
            stationary = stationary::find(cx, function, &plans, &mut maps);
            // Behind the loop that blocks share, only one of them goes on.
            if let Some(stream_k) = &stream_k {
                stationary.retain(|one| one.last == address(stream_k.of));
            }
            if let Some(number) = staging_operand {
                stationary[number].holds_staging = true;
            }
            roles::reach(function, &plans, roles, &stationary);
        }
        if let Some(pair) = &pair {
            split::say_pair(cx, function, pair.axis);
        }
        let takes_turns = any_order && split.is_some();
        let group = Group::of(function);
        // A pair or what blocks share has its own order; and in groups neighbours along an axis are together, whichever are the longest.
        let is_plain = takes_turns && pair.is_none() && stream_k.is_none();
        let longest = balance::longest(function, &plans).filter(|_| is_plain && group.is_none());
        let is_loaded = is_plain && balance::depends_on_loads(function, &plans);
        let takes_tickets = longest.is_some() || is_loaded;
        if takes_tickets {
            let span = Some(cx.span(function.location()));
            cx.remark(function_name(function), span, RemarkKind::MixedLengths);
        }
        Self {
            plans,
            maps,
            epilogue_loads,
            stationary,
            stores,
            pair,
            group,
            takes_turns,
            split,
            stream_k,
            longest,
            takes_tickets,
        }
    }

    /// Whether blocks are in a row, and find the place of their programs by its number: programs take turns, or blocks share
    /// some.
    pub const fn is_numbered(&self) -> bool {
        self.takes_turns || self.stream_k.is_some()
    }

    /// What the function says of it.
    pub fn attributes(&self, builder: &Builder<'c>) -> Vec<(&'static str, Attribute<'c>)> {
        let mut list = Vec::new();
        if !self.maps.is_empty() {
            list.push((MAPS, builder.text(&Map::write(&self.maps))));
        }
        if let Some((_, share)) = &self.split {
            list.push((COPYING_WARPS, builder.int(WARPGROUP)));
            list.push((PROGRAMS, builder.int(share.programs as i64)));
        }
        if self.takes_turns {
            list.push((TURNS, builder.int(1)));
        }
        if self.takes_tickets {
            list.push((TICKETS, builder.int(1)));
        }
        if self.is_numbered() {
            let rows = self.group.map(|group| group.rows);
            list.extend(rows.map(|rows| (NUMBERS_GROUP, builder.int(rows))));
        }
        if let Some(pair) = &self.pair {
            list.push((PAIR, builder.int(pair.axis.into())));
            list.push((PAIR_MAPS, builder.ints(&pair.maps)));
        }
        if let Some(stream_k) = &self.stream_k {
            list.push((PART_BYTES, builder.int(stream_k.part_bytes() as i64)));
        }
        list
    }
}
