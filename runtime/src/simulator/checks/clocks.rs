//! Who knows of whose accesses: vector clocks of a cluster (Flanagan and Freund, "FastTrack", 2009).
//!
//! An *agent* is a source of accesses: a warp, or something asynchronous that works for one: its
//! groups of `cp.async`, of bulk copies, of `wgmma`, or the copies that complete on an mbarrier. Each
//! has a clock that counts up when others may learn of it. A warp *knows* an agent up to a clock:
//! whatever the agent did until then happened before what the warp does now.
//!
//! A second vector says what of that the asynchronous proxy sees as well: what was written before
//! a `fence.proxy.async` (PTX ISA, 8.7 "Proxies").
//!
//! Threads of a warp share its clock. What they do one after the other is ordered for each thread
//! alone; between lanes it takes something that synchronises the warp, which sets
//! [`WarpClock::synced`].

use std::collections::HashMap;
use std::sync::Arc;

use crate::simulator::program::op::Scope;

/// The number of an agent in its cluster.
pub type Agent = u16;

/// The number of a cluster in its grid.
pub type ClusterNumber = u32;

/// Up to which clock each agent is known; what is missing is 0: nothing is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Vector(Vec<u32>);

impl Vector {
    /// Up to which clock an agent is known.
    #[inline]
    #[must_use]
    pub fn get(&self, agent: Agent) -> u32 {
        self.0.get(usize::from(agent)).copied().unwrap_or(0)
    }

    /// An agent is known up to this clock, or further.
    pub fn raise(&mut self, agent: Agent, clock: u32) {
        let index = usize::from(agent);
        if self.0.len() <= index {
            self.0.resize(index + 1, 0);
        }
        self.0[index] = self.0[index].max(clock);
    }

    /// Learns all that another knows.
    pub fn join(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            *own = (*own).max(*other);
        }
    }
}

/// What is passed on by a barrier, an mbarrier or an atomic.
#[derive(Debug, Clone, Default)]
pub struct Knowledge {
    knows: Vector,
    fenced: Vector,
    /// Of other clusters.
    foreign: Foreign,
}

/// What is known of other clusters.
type Foreign = HashMap<ClusterNumber, Arc<Vector>>;

impl Knowledge {
    /// What was passed on to all clusters, as it is to one of them.
    #[must_use]
    pub fn in_cluster(&self, cluster: ClusterNumber) -> Self {
        let mut foreign = self.foreign.clone();
        let own = foreign.remove(&cluster);
        Self {
            knows: own.map(|own| (*own).clone()).unwrap_or_default(),
            fenced: Vector::default(),
            foreign,
        }
    }

    /// Without what it says of other clusters.
    #[must_use]
    pub fn of_own_cluster(mut self) -> Self {
        self.foreign.clear();
        self
    }

    /// Learns all that another knows.
    pub fn join(&mut self, other: &Self) {
        self.knows.join(&other.knows);
        self.fenced.join(&other.fenced);
        join_foreign(&mut self.foreign, &other.foreign);
    }

    /// An asynchronous agent has completed its work up to a clock. The asynchronous proxy and the
    /// generic one both see it.
    pub fn completes(&mut self, agent: Agent, clock: u32) {
        self.knows.raise(agent, clock);
        self.fenced.raise(agent, clock);
    }
}

fn join_foreign(own: &mut Foreign, other: &Foreign) {
    for (&cluster, vector) in other {
        match own.get_mut(&cluster) {
            Some(known) => Arc::make_mut(known).join(vector),
            None => {
                own.insert(cluster, Arc::clone(vector));
            }
        }
    }
}

/// What a warp knows.
#[derive(Debug, Clone)]
pub struct WarpClock {
    agent: Agent,
    clock: u32,
    synced: u32,
    state: Knowledge,
    /// What relaxed reads have seen, and a fence would make known.
    seen: Knowledge,
    /// The widest fence that came before: relaxed writes of its scope pass on what is known.
    fence: Option<Scope>,
}

impl WarpClock {
    fn new(agent: Agent) -> Self {
        Self {
            agent,
            clock: 1,
            synced: 0,
            state: Knowledge::default(),
            seen: Knowledge::default(),
            fence: None,
        }
    }

    /// Its agent.
    #[must_use]
    pub const fn agent(&self) -> Agent {
        self.agent
    }

    /// The clock of what it does now.
    #[must_use]
    pub const fn clock(&self) -> u32 {
        self.clock
    }

    /// What it did before this clock is ordered between its lanes.
    #[must_use]
    pub const fn synced(&self) -> u32 {
        self.synced
    }

    /// Whether something another agent did happened before what this warp does now.
    #[inline]
    #[must_use]
    pub fn knows(&self, agent: Agent, clock: u32) -> bool {
        clock <= self.state.knows.get(agent)
    }

    /// Whether the asynchronous proxy sees it, when this warp lets it do something.
    #[inline]
    #[must_use]
    pub fn fenced(&self, agent: Agent, clock: u32) -> bool {
        clock <= self.state.fenced.get(agent)
    }

    /// Whether something that an agent of another cluster did happened before.
    #[must_use]
    pub fn knows_foreign(&self, cluster: ClusterNumber, agent: Agent, clock: u32) -> bool {
        let known = self.state.foreign.get(&cluster);
        known.is_some_and(|known| clock <= known.get(agent))
    }

    /// Passes on what it knows and did, within its cluster.
    pub fn release(&mut self, to: &mut Knowledge) {
        self.state.knows.raise(self.agent, self.clock);
        to.join(&self.state);
        self.clock += 1;
    }

    /// Passes on what it knows and did to all clusters. Agents have numbers of their own in each, so what its own cluster
    /// did goes under the number of that one.
    pub fn release_to_all(&mut self, to: &mut Knowledge, cluster: ClusterNumber) {
        self.state.knows.raise(self.agent, self.clock);
        join_foreign(&mut to.foreign, &self.state.foreign);
        let own = to.foreign.entry(cluster).or_default();
        Arc::make_mut(own).join(&self.state.knows);
        self.clock += 1;
    }

    /// Learns what was passed on.
    pub fn acquire(&mut self, from: &Knowledge) {
        self.state.join(from);
    }

    /// All its lanes have synchronised.
    pub const fn sync(&mut self) {
        self.clock += 1;
        self.synced = self.clock;
    }

    /// `fence.proxy.async`: the asynchronous proxy sees what it knows and did.
    pub fn fence_proxy(&mut self) {
        self.state.knows.raise(self.agent, self.clock);
        let Knowledge { knows, fenced, .. } = &mut self.state;
        fenced.join(knows);
        self.clock += 1;
    }

    /// `membar`, `fence`: relaxed accesses before and after order like acquire and release
    /// (PTX ISA, 8.8 "release and acquire patterns"). One among the threads of a block, or of a cluster, makes nothing of
    /// other clusters known.
    pub fn fence_memory(&mut self, scope: Scope) {
        self.fence = self.fence.max(Some(scope));
        if scope == Scope::Device {
            let seen = std::mem::take(&mut self.seen);
            self.state.join(&seen);
        } else {
            self.state.knows.join(&self.seen.knows);
            self.state.fenced.join(&self.seen.fenced);
        }
    }

    /// A relaxed read, or a relaxed atomic, has seen what was passed on there.
    pub fn see(&mut self, from: &Knowledge) {
        self.seen.join(from);
    }

    /// The widest fence that came before.
    #[must_use]
    pub const fn fence(&self) -> Option<Scope> {
        self.fence
    }

    /// An asynchronous agent has completed its work up to a clock.
    pub fn learn(&mut self, agent: Agent, clock: u32) {
        self.state.completes(agent, clock);
    }
}

/// What an agent is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// A warp: rank of its block, number.
    Warp(u32, u32),
    /// Its copies with `cp.async`.
    Copies(u32, u32),
    /// Its bulk copies out of shared memory.
    BulkCopies(u32, u32),
    /// What its bulk copies write, which is over later than what they read.
    BulkWrites(u32, u32),
    /// Its `wgmma`.
    Wgmma(u32, u32),
    /// Copies that complete on an mbarrier: rank of its block, place in shared memory.
    Mbarrier(u32, u32),
}

impl Role {
    /// The rank of the block that it works for.
    #[must_use]
    pub const fn rank(self) -> u32 {
        match self {
            Self::Warp(rank, _)
            | Self::Copies(rank, _)
            | Self::BulkCopies(rank, _)
            | Self::BulkWrites(rank, _)
            | Self::Wgmma(rank, _)
            | Self::Mbarrier(rank, _) => rank,
        }
    }
}

/// The agents of a cluster and what its warps know.
#[derive(Debug)]
pub struct Clocks {
    cluster: ClusterNumber,
    warps_per_block: u32,
    warps: Vec<WarpClock>,
    roles: Vec<Role>,
    agents: HashMap<Role, Agent>,
}

impl Clocks {
    /// So many blocks of so many warps, which know nothing of each other.
    #[must_use]
    pub fn new(cluster: ClusterNumber, blocks: u32, warps: u32) -> Self {
        let roles: Vec<Role> = (0..blocks)
            .flat_map(|rank| (0..warps).map(move |warp| Role::Warp(rank, warp)))
            .collect();
        let agents: HashMap<Role, Agent> = roles.iter().copied().zip(0..).collect();
        Self {
            cluster,
            warps_per_block: warps,
            warps: (0..)
                .zip(&roles)
                .map(|(agent, _)| WarpClock::new(agent))
                .collect(),
            roles,
            agents,
        }
    }

    /// The number of the cluster.
    #[must_use]
    pub const fn cluster(&self) -> ClusterNumber {
        self.cluster
    }

    /// What a warp knows.
    #[inline]
    #[must_use]
    pub fn warp(&self, rank: u32, warp: u32) -> &WarpClock {
        &self.warps[(rank * self.warps_per_block + warp) as usize]
    }

    /// What a warp knows.
    #[inline]
    pub fn warp_mut(&mut self, rank: u32, warp: u32) -> &mut WarpClock {
        &mut self.warps[(rank * self.warps_per_block + warp) as usize]
    }

    /// The agent of a role; a new one if it is the first time.
    pub fn agent(&mut self, role: Role) -> Agent {
        let next = Agent::try_from(self.roles.len()).unwrap_or(Agent::MAX);
        *self.agents.entry(role).or_insert_with(|| {
            self.roles.push(role);
            next
        })
    }

    /// What an agent is.
    #[must_use]
    pub fn role(&self, agent: Agent) -> Option<Role> {
        self.roles.get(usize::from(agent)).copied()
    }

    /// A warp passes on what it knows, within the cluster.
    pub fn release(&mut self, rank: u32, warp: u32, to: &mut Knowledge) {
        self.warp_mut(rank, warp).release(to);
    }

    /// A warp passes on what it knows, to all clusters.
    pub fn release_to_all(&mut self, rank: u32, warp: u32, to: &mut Knowledge) {
        let cluster = self.cluster;
        self.warp_mut(rank, warp).release_to_all(to, cluster);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_after_a_release_is_not_passed_on() {
        let mut clocks = Clocks::new(0, 1, 2);
        let mut passed = Knowledge::default();
        let before = clocks.warp(0, 0).clock();
        clocks.release(0, 0, &mut passed);
        let after = clocks.warp(0, 0).clock();
        clocks.warp_mut(0, 1).acquire(&passed);
        assert!(clocks.warp(0, 1).knows(0, before));
        assert!(!clocks.warp(0, 1).knows(0, after));
        assert!(!clocks.warp(0, 0).knows(1, 1));
    }

    #[test]
    fn the_asynchronous_proxy_needs_its_fence() {
        let mut clocks = Clocks::new(0, 1, 2);
        let written = clocks.warp(0, 0).clock();
        assert!(!clocks.warp(0, 0).fenced(0, written));
        clocks.warp_mut(0, 0).fence_proxy();
        assert!(clocks.warp(0, 0).fenced(0, written));
        assert!(!clocks.warp(0, 0).fenced(0, clocks.warp(0, 0).clock()));
        // It travels with the rest.
        let mut passed = Knowledge::default();
        clocks.release(0, 0, &mut passed);
        clocks.warp_mut(0, 1).acquire(&passed);
        assert!(clocks.warp(0, 1).fenced(0, written));
    }

    #[test]
    fn relaxed_reads_count_once_there_is_a_fence() {
        let mut clocks = Clocks::new(0, 1, 2);
        let mut passed = Knowledge::default();
        clocks.release(0, 0, &mut passed);
        clocks.warp_mut(0, 1).see(&passed);
        assert!(!clocks.warp(0, 1).knows(0, 1));
        clocks.warp_mut(0, 1).fence_memory(Scope::Block);
        assert!(clocks.warp(0, 1).knows(0, 1));
    }

    #[test]
    fn clusters_know_of_each_other_through_what_they_pass_on() {
        let (mut first, mut second) = (Clocks::new(7, 1, 1), Clocks::new(8, 1, 1));
        let mut passed = Knowledge::default();
        first.release_to_all(0, 0, &mut passed);
        assert!(!second.warp(0, 0).knows_foreign(7, 0, 1));
        second.warp_mut(0, 0).acquire(&passed.in_cluster(8));
        assert!(second.warp(0, 0).knows_foreign(7, 0, 1));
        assert!(!second.warp(0, 0).knows_foreign(7, 0, 2));
        // Agents of one cluster are not those of the other.
        assert!(!second.warp(0, 0).knows(0, 1));
    }
}
