//! `cp.async.bulk.tensor`, `cp.reduce.async.bulk.tensor` (PTX ISA, "Tensor copy").

use super::bulk::{MBARRIER, operation_of};
use crate::simulator::arithmetic::Kind;
use crate::simulator::program::decode::operand::flat;
use crate::simulator::program::decode::{Decoder, Forms, Result};
use crate::simulator::program::op::Space;
use crate::simulator::program::op::asynchronous::{Asynchronous, Tensor, TensorDirection};
use crate::simulator::ptx::ast::Operand;

pub const FORMS: &[Forms] = &[(
    "cp",
    &[
        "cp.async.bulk.tensor.{1d,2d,3d,4d,5d}.shared::{cta,cluster}.global{.tile}.mbarrier::complete_tx::bytes{.multicast::cluster}{.L2::cache_hint} [dst], [map, {coordinates}], [mbarrier]{, blocks}{, policy}",
        "cp.async.bulk.tensor.{1d,2d,3d,4d,5d}.global.shared::cta{.tile}.bulk_group{.L2::cache_hint} [map, {coordinates}], [src]{, policy}",
        "cp.async.bulk.prefetch.tensor.{1d,2d,3d,4d,5d}.L2.global{.tile}{.L2::cache_hint} [map, {coordinates}]{, policy}",
        "cp.reduce.async.bulk.tensor.{1d,2d,3d,4d,5d}.global.shared::cta.{add,min,max,inc,dec,and,or,xor}{.tile}.bulk_group{.L2::cache_hint} [map, {coordinates}], [src]{, policy}",
    ],
)];

impl<'a> Decoder<'a> {
    /// What follows `cp.async.bulk.tensor`.
    pub fn tensor(&mut self, parts: &[&str]) -> Result<()> {
        let (rank, parts) = self.rank(parts)?;
        match (without_tile(parts).as_slice(), self.at.operands.as_slice()) {
            (
                [
                    "shared::cluster" | "shared::cta",
                    "global",
                    MBARRIER,
                    hints @ ..,
                ],
                [shared, at, rest @ ..],
            ) => {
                let (multicast, hints) = match hints {
                    ["multicast::cluster", hints @ ..] => (true, hints),
                    hints => (false, hints),
                };
                let (map, coordinates) = self.map_and_coordinates(at, rank)?;
                let (map_slot, map) = self.pointer(map, Space::Generic)?;
                let (shared_slot, shared) = self.pointer(shared, Space::Shared)?;
                let mut sources = vec![map_slot, shared_slot];
                for coordinate in coordinates {
                    sources.push(self.source(coordinate, Kind::B32)?);
                }
                let (completion, rest) = self.completion(rest, multicast, &mut sources)?;
                self.only_policy(hints, rest)?;
                let tensor = Tensor {
                    map,
                    shared,
                    rank,
                    direction: TensorDirection::Load(completion),
                };
                self.emit_asynchronous(Asynchronous::Tensor(tensor), &[], &sources);
                Ok(())
            }
            (["global", "shared::cta", "bulk_group", hints @ ..], [at, shared, rest @ ..]) => {
                self.only_policy(hints, rest)?;
                self.tensor_store(rank, at, shared, TensorDirection::Store)
            }
            _ => Err(self.unknown()),
        }
    }

    /// What follows `cp.reduce.async.bulk.tensor`.
    pub fn tensor_reduction(&mut self, parts: &[&str]) -> Result<()> {
        let (rank, parts) = self.rank(parts)?;
        match (without_tile(parts).as_slice(), self.at.operands.as_slice()) {
            (
                ["global", "shared::cta", operation, "bulk_group", hints @ ..],
                [at, shared, rest @ ..],
            ) => {
                self.only_policy(hints, rest)?;
                let operation = operation_of(operation).ok_or_else(|| self.unknown())?;
                // What several programs add up depends on their order.
                self.communicates = true;
                self.tensor_store(rank, at, shared, TensorDirection::Reduce(operation))
            }
            _ => Err(self.unknown()),
        }
    }

    fn tensor_store(
        &mut self,
        rank: usize,
        at: &'a Operand<'a>,
        shared: &'a Operand<'a>,
        direction: TensorDirection,
    ) -> Result<()> {
        let (map, coordinates) = self.map_and_coordinates(at, rank)?;
        let (map_slot, map) = self.pointer(map, Space::Generic)?;
        let (shared_slot, shared) = self.pointer(shared, Space::Shared)?;
        let mut sources = vec![map_slot, shared_slot];
        for coordinate in coordinates {
            sources.push(self.source(coordinate, Kind::B32)?);
        }
        let tensor = Tensor {
            map,
            shared,
            rank,
            direction,
        };
        self.emit_asynchronous(Asynchronous::Tensor(tensor), &[], &sources);
        Ok(())
    }

    fn rank<'p>(&self, parts: &'p [&'p str]) -> Result<(usize, &'p [&'p str])> {
        let (rank, parts) = parts.split_first().ok_or_else(|| self.unknown())?;
        let ranks = ["1d", "2d", "3d", "4d", "5d"];
        let rank = ranks.iter().position(|name| name == rank);
        Ok((rank.ok_or_else(|| self.unknown())? + 1, parts))
    }

    /// `[map, {coordinates}]`
    fn map_and_coordinates(
        &self,
        operand: &'a Operand<'a>,
        rank: usize,
    ) -> Result<(&'a Operand<'a>, Vec<&'a Operand<'a>>)> {
        let Operand::Tensor(parts) = operand else {
            return Err(self.error("a tensor is given as `[map, {coordinates}]`"));
        };
        let [map, coordinates] = parts.as_slice() else {
            return Err(self.error("a tensor is given as `[map, {coordinates}]`"));
        };
        let coordinates = flat(coordinates);
        if coordinates.len() != rank {
            return Err(self.error(format!(
                "{} coordinates are given for a tensor of {rank} dimensions",
                coordinates.len()
            )));
        }
        Ok((map, coordinates))
    }

    /// Behind everything else comes a cache policy, if the opcode says so.
    fn only_policy(&self, hints: &[&str], rest: &[Operand<'a>]) -> Result<()> {
        match (hints, rest) {
            ([], []) | (["L2::cache_hint"], [_]) => Ok(()),
            _ => Err(self.unknown()),
        }
    }
}

/// `.tile` is how tensors are read if nothing is said.
fn without_tile<'p>(parts: &[&'p str]) -> Vec<&'p str> {
    let parts = parts.iter().copied();
    parts.filter(|part| *part != "tile").collect()
}
