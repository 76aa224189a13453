//! What the pass does with a function: each choice sees those before it.
//!
//! Comes in: a function with its layouts. Goes out: which loads run ahead, who copies them, what TMA stores, and
//! which programs share copies or work; with that, the attributes that tell later passes and the launch.

use melior::ir::Attribute;

use super::WARPGROUP;
use super::boxes::{MAPS, Map};
use super::leftovers::{self, Leftovers, PART_BYTES};
use super::pairs::{self, PAIR, PAIR_MAPS, Pairing};
use super::plan::{self, Plans};
use super::programs::{TURNS, TURNS_GROUP};
use super::rings::Share;
use super::roles::Roles;
use super::split::{self, COPYING_WARPS, PROGRAMS};
use super::stores::{self, BoxStore};
use super::tails::{self, Tail};
use crate::ir::{Builder, Operation, int_attribute};
use crate::passes::encoding::Encodings;
use crate::passes::{GROUP, PassContext};

/// What was chosen for a function.
pub struct Choice<'c> {
    pub plans: Plans<'c>,
    /// The tensor maps that its copies and stores need.
    pub maps: Vec<Map>,
    pub tails: Vec<Tail<'c>>,
    pub stores: Vec<BoxStore<'c>>,
    /// What a warp that only copies does, and what it shares with the others, if there is one.
    pub split: Option<(Roles, Share)>,
    pub pair: Option<Pairing>,
    /// Rows of programs in a group.
    pub group: Option<i64>,
    pub leftovers: Option<Leftovers<'c>>,
}

impl<'c> Choice<'c> {
    pub fn find(cx: &PassContext<'_, 'c>, encodings: &Encodings, function: Operation<'c>) -> Self {
        let (mut plans, mut maps) = plan::find(cx, encodings, function);
        let of_loads = maps.len();
        let tails = tails::find(cx, encodings, function, &plans, &mut maps);
        let stores = stores::find(cx, encodings, function, &mut maps);
        let split = split::roles(cx, function, &mut plans, &stores, &tails);
        let (mut pair, mut leftovers) = (None, None);
        match &split {
            // Tails and stores are of rings, of which there are none then.
            None => maps.truncate(of_loads),
            Some((roles, share)) if roles.any_order => {
                if !share.has_pieces {
                    pair = pairs::find(function, &mut plans, &stores, &mut maps);
                }
                leftovers = leftovers::find(cx, encodings, function, &plans);
            }
            Some(_) => {}
        }
        if let Some(pair) = &pair {
            split::say_pair(cx, function, pair.axis);
        }
        Self {
            plans,
            maps,
            tails,
            stores,
            split,
            pair,
            group: int_attribute(function, GROUP),
            leftovers,
        }
    }

    /// What the function says of it.
    pub fn attributes(&self, builder: &Builder<'c>) -> Vec<(&'static str, Attribute<'c>)> {
        let mut list = Vec::new();
        if !self.maps.is_empty() {
            list.push((MAPS, builder.ints(&Map::write(&self.maps))));
        }
        let Some((roles, share)) = &self.split else {
            return list;
        };
        list.push((COPYING_WARPS, builder.int(WARPGROUP)));
        list.push((PROGRAMS, builder.int(share.programs as i64)));
        if roles.any_order {
            list.push((TURNS, builder.int(1)));
            list.extend(self.group.map(|rows| (TURNS_GROUP, builder.int(rows))));
        }
        if let Some(pair) = &self.pair {
            list.push((PAIR, builder.int(pair.axis.into())));
            list.push((PAIR_MAPS, builder.ints(&pair.maps)));
        }
        if let Some(leftovers) = &self.leftovers {
            list.push((PART_BYTES, builder.int(leftovers.part_bytes() as i64)));
        }
        list
    }
}
