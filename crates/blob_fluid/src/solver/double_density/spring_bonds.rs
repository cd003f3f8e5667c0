//! New springs between particles that have met.

use std::ops::Range;

use fearless_simd::prelude::*;

use crate::parallel::executor::{CHUNK, PerChunk, chunk_of};
use crate::parallel::instructions::{
    self, Instructions, LANES, LaneCounts, LaneKernel, load, splat, store,
};
use crate::particles::columns::Springs;
use crate::revision::Revision;
use crate::solver::double_density::coefficients::{ElasticCoefficients, SpringInputs};
use crate::solver::neighbours::blocks::{Block, BlockLanes, Blocks, ClassLanes};
use crate::solver::neighbours::grid::Grid;
use crate::{Executor, ParticleId, Spring};

/// The new springs of the particles of a chunk.
pub(crate) type NewSprings = Vec<Spring>;

impl SpringInputs<'_> {
    /// Makes springs between particles that have met, up to the capacity.
    pub(super) fn create_springs(
        &self,
        grid: &Grid,
        springs: &mut Springs,
        graph: &mut SpringGraph,
        new_springs: &mut Vec<NewSprings>,
        executor: &dyn Executor,
    ) {
        let count = self.particles.len();
        new_springs.resize_with(count.div_ceil(CHUNK), NewSprings::new);
        let chunks = (0..count, PerChunk::new(new_springs, count, CHUNK));
        executor.for_each_chunk(chunks, CHUNK, |index, (chunk, new_springs)| {
            let new_springs = new_springs.item();
            new_springs.clear();
            self.create_springs_of_chunk(
                grid.blocks(chunk_of(index, chunk.len())),
                graph,
                new_springs,
            );
        });
        let first = springs.list().len();
        let free_capacity = springs.capacity.saturating_sub(first);
        let requested: usize = new_springs.iter().map(Vec::len).sum();
        crate::settings::range::count_more(
            &mut springs.refused,
            requested.saturating_sub(free_capacity) as u64,
        );
        if requested.min(free_capacity) > 0 {
            springs.list_mut().extend(new_springs.iter().flatten().take(free_capacity));
            graph.add(springs, first, self.particles.slot_count());
        }
    }

    fn create_springs_of_chunk(
        &self,
        mut blocks: Blocks,
        graph: &SpringGraph,
        new_springs: &mut NewSprings,
    ) {
        while let Some(block) = blocks.next() {
            if !block.particles.clone().any(|particle| self.can_connect(particle)) {
                continue;
            }
            let counts = instructions::run(NeighbourCounts { inputs: self, block });
            for (particle, count) in block.particles.clone().zip(counts) {
                // Nearly always all particles that it has met are already connected to it, each by one spring.
                if self.can_connect(particle)
                    && count > self.connected_within_reach(graph, particle)
                {
                    self.create_springs_of_particle(particle, block, graph, new_springs);
                }
            }
        }
    }

    /// Whether a particle can get new springs: its class flows, or the particle is new.
    fn can_connect(&self, index: usize) -> bool {
        let may = |elastic: &ElasticCoefficients| {
            elastic.is_plastic() || self.particles.is_new(self.particles.id[index])
        };
        self.between(index, index).is_some_and(may)
    }

    fn distance(&self, index: usize, other: usize) -> f32 {
        self.particles.position[index].distance(self.particles.position[other])
    }

    /// Number of later particles within the interaction radius that have a spring to a particle.
    fn connected_within_reach(&self, graph: &SpringGraph, index: usize) -> i32 {
        let ends = graph.springs_of(self.particles.id[index]);
        let others = ends.map(|end| self.particles.index_of_slot(end.other));
        let later = others.filter(|other| *other > index);
        let is_in_reach =
            |other: &usize| self.distance(index, *other) < self.coefficients.interaction_radius;
        later.filter(is_in_reach).count() as i32
    }

    /// Makes the springs from a particle to later ones.
    fn create_springs_of_particle(
        &self,
        index: usize,
        block: &Block,
        graph: &SpringGraph,
        new_springs: &mut NewSprings,
    ) {
        let particles = self.particles;
        for other in block.spans().flat_map(|span| span.start.max(index + 1)..span.end) {
            let Some(elastic) = self.between(index, other) else { continue };
            let length = self.distance(index, other);
            let slot = particles.id[other].slot;
            let is_connected =
                || graph.springs_of(particles.id[index]).any(|end| end.other == slot);
            let is_in_reach = length < self.coefficients.interaction_radius;
            if is_in_reach && self.can_connect(other) && !is_connected() {
                let ends = [index, other].map(|end| particles.id[end]);
                let rest_length = length.max(elastic.min_rest_length);
                new_springs.push(Spring { ends, rest_length });
            }
        }
    }
}

/// For each particle of a block, counts the later particles of its own class within the interaction radius.
struct NeighbourCounts<'a> {
    inputs: &'a SpringInputs<'a>,
    block: &'a Block,
}

impl LaneKernel for NeighbourCounts<'_> {
    type Output = [i32; LANES];

    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) -> [i32; LANES] {
        let SpringInputs { particles, coefficients, .. } = *self.inputs;
        let Range { start, .. } = self.block.particles;
        let radius = splat(instructions, coefficients.interaction_radius);
        let number = |class: usize| class as f32;
        let own_classes =
            ClassLanes::of(S::WIDTH, &self.block.particles, &particles.class).map(number);
        let own_classes = load(instructions, &own_classes);
        let indices = LaneCounts::<S>::from_fn(instructions, |lane| (start + lane) as i32);
        let positions = &particles.position[..];
        let classes = &particles.class[..positions.len()];
        let mut counts = LaneCounts::<S>::splat(instructions, 0);
        let lanes = BlockLanes::of(instructions, coefficients, &self.block.particles, positions);
        lanes.for_each(
            self.block.spans().map(|span| span.start.max(start + 1)..span.end),
            #[inline(always)]
            |index, pair| {
                let is_in_reach = pair.distance.simd_lt(radius);
                let class = splat(instructions, number(classes[index].index()));
                let later = LaneCounts::<S>::splat(instructions, index as i32).simd_gt(indices);
                // A true lane holds -1.
                counts -= is_in_reach.to_vector()
                    & own_classes.simd_eq(class).to_vector()
                    & later.to_vector();
            },
        );
        store(counts)
    }
}

// The spring graph: the springs of each particle.

/// The springs of each particle, by slots, which do not change when particles are sorted. It is rebuilt after springs
/// have changed.
#[derive(Clone, Debug, Default)]
pub(crate) struct SpringGraph {
    /// The revisions of the springs, of the particles' lives and classes, and of the settings at the last adjustment.
    pub adjusted_for: Option<[Revision; 3]>,
    /// The rest length of each spring after it has yielded; `None` for springs that must be removed.
    pub rest_lengths: Vec<Option<f32>>,
    /// The springs' revision that the graph was built for.
    built_for: Option<Revision>,
    /// Prefix sum: the start of each slot's springs in `by_slot`, then the end of the last.
    starts: Vec<u32>,
    by_slot: Vec<SpringEnd>,
    cursors: Vec<u32>,
    /// Springs that were added since the graph was built, sorted: a slot, the position among the added ends, and the
    /// spring's end.
    added: Vec<(u32, u32, SpringEnd)>,
}

/// A spring as stored for one of its particles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct SpringEnd {
    /// Slot of the particle at the other end.
    pub other: u32,
    pub rest_length: f32,
}

/// If the fraction of new springs is larger than 1 in this number, rebuilding the graph costs less than adding them.
const REBUILD_RATIO: usize = 16;

impl SpringGraph {
    /// Builds the graph for `slots` slots, unless it is up to date.
    pub(super) fn build(&mut self, springs: &Springs, slots: u32) {
        if self.built_for == Some(springs.revision()) && self.added.is_empty() {
            return;
        }
        let Self { built_for, starts, by_slot, cursors, added, .. } = self;
        *built_for = Some(springs.revision());
        added.clear();
        starts.clear();
        starts.resize(slots as usize + 1, 0);
        for end in springs.list().iter().flat_map(|spring| spring.ends) {
            starts[end.slot as usize + 1] += 1;
        }
        let mut total = 0;
        for start in &mut *starts {
            total += *start;
            *start = total;
        }
        cursors.clear();
        cursors.extend_from_slice(&starts[..slots as usize]);
        by_slot.resize(2 * springs.list().len(), SpringEnd::default());
        for (slot, end) in ends(springs.list()) {
            let cursor = &mut cursors[slot as usize];
            by_slot[*cursor as usize] = end;
            *cursor += 1;
        }
    }

    /// Adds the springs from index `first` on, which are new at the end of the list.
    pub(super) fn add(&mut self, springs: &Springs, first: usize, slots: u32) {
        let new = &springs.list()[first..];
        if new.len() > springs.list().len() / REBUILD_RATIO {
            return self.build(springs, slots);
        }
        self.built_for = Some(springs.revision());
        self.added.extend((0..).zip(ends(new)).map(|(place, (slot, end))| (slot, place, end)));
        self.added.sort_unstable_by_key(|(slot, place, _)| (*slot, *place));
    }

    /// A particle's springs, in the order of the list.
    pub(super) fn springs_of(&self, particle: ParticleId) -> impl Iterator<Item = &SpringEnd> {
        let slot = particle.slot;
        // Slots that are newer than the graph have no springs.
        let start =
            |slot: usize| self.starts.get(slot).map_or(self.by_slot.len(), |start| *start as usize);
        let range = start(slot as usize)..start(slot as usize + 1);
        let from = |slot: u32| self.added.partition_point(|(other, ..)| *other < slot);
        let added = if self.added.is_empty() { 0..0 } else { from(slot)..from(slot + 1) };
        self.by_slot[range].iter().chain(self.added[added].iter().map(|(.., end)| end))
    }
}

/// Both ends of each spring: the slot of a particle, and the spring as stored for it.
fn ends(springs: &[Spring]) -> impl Iterator<Item = (u32, SpringEnd)> {
    springs.iter().flat_map(|Spring { ends: [a, b], rest_length }| {
        let end = |other: &ParticleId| SpringEnd { other: other.slot, rest_length: *rest_length };
        [(a.slot, end(b)), (b.slot, end(a))]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_graph_that_grew_is_the_graph_of_all() {
        let slots = 40;
        let mut numbers = (0..).map(|number: u32| number.wrapping_mul(2_654_435_769) >> 16);
        let mut next = |below: u32| numbers.next().map_or(0, |number| number % below);
        let particle = |slot: u32| ParticleId { slot, generation: 0 };
        let all: Vec<Spring> = (0..600)
            .map(|number| Spring {
                ends: [particle(next(20)), particle(20 + next(20))],
                rest_length: number as f32,
            })
            .collect();
        let of_all = |graph: &SpringGraph| -> Vec<Vec<SpringEnd>> {
            (0..slots).map(|slot| graph.springs_of(particle(slot)).copied().collect()).collect()
        };
        let mut springs = Springs::default();
        springs.list_mut().extend_from_slice(&all);
        let mut whole = SpringGraph::default();
        whole.build(&springs, slots);
        for first in [0, 300, 590, 600] {
            let (mut springs, mut grown) = (Springs::default(), SpringGraph::default());
            springs.list_mut().extend_from_slice(&all[..first]);
            grown.build(&springs, slots);
            springs.list_mut().extend_from_slice(&all[first..]);
            grown.add(&springs, first, slots);
            assert_eq!(of_all(&grown), of_all(&whole), "from {first} on");
            assert_eq!(grown.added.len(), if first == 590 { 20 } else { 0 });
            // The next substep has all springs in one list.
            grown.build(&springs, slots);
            assert_eq!(of_all(&grown), of_all(&whole), "from {first} on");
            assert!(grown.added.is_empty());
        }
    }
}
