//! New springs, between particles that have met.

use std::ops::Range;

use fearless_simd::prelude::*;

use crate::parallel::executor::{CHUNK, Executor, PerChunk, chunk_of};
use crate::parallel::instructions;
use crate::parallel::instructions::{Instructions, LaneKernel};
use crate::parallel::lanes::{LANES, LaneCounts, load, splat};
use crate::particles::columns::{Spring, Springs};
use crate::solver::double_density::coefficients::{Elastic, ElasticCoefficients};
use crate::solver::neighbours::blocks::{Block, BlockLanes, Blocks, ClassLanes};
use crate::solver::neighbours::grid::Grid;

/// The springs that the particles of a chunk get: the springs, and the indices of both ends.
pub(crate) type Bonds = Vec<(Spring, [u32; 2])>;

impl Elastic<'_> {
    /// Makes springs between particles that have met, up to the capacity.
    pub(super) fn bond(
        &self,
        grid: &Grid,
        springs: &mut Springs,
        graph: &mut SpringGraph,
        bonds: &mut Vec<Bonds>,
        executor: &dyn Executor,
    ) {
        let count = self.particles.len();
        bonds.resize_with(count.div_ceil(CHUNK), Bonds::new);
        let chunks = (0..count, PerChunk::new(bonds, count, CHUNK));
        executor.for_each_chunk(chunks, CHUNK, |index, (chunk, bonds)| {
            let bonds = bonds.item();
            bonds.clear();
            self.bond_chunk(grid.blocks(chunk_of(index, chunk.len())), graph, bonds);
        });
        let room = springs.capacity.saturating_sub(springs.list.len());
        let wanted: usize = bonds.iter().map(Vec::len).sum();
        crate::settings::range::count_more(
            &mut springs.refused,
            wanted.saturating_sub(room) as u64,
        );
        for (spring, ends) in bonds.iter().flatten().take(room) {
            springs.list.push(*spring);
            graph.indices.push(*ends);
        }
    }

    fn bond_chunk(&self, mut blocks: Blocks, graph: &SpringGraph, bonds: &mut Bonds) {
        while let Some(block) = blocks.next() {
            if !block.particles.clone().any(|particle| self.may_bond(particle)) {
                continue;
            }
            let met = instructions::run(MeetingsOfBlock { elastic: self, block });
            for (particle, met) in block.particles.clone().zip(met) {
                // Nearly always all that it has met are connected to it, each by one spring.
                if self.may_bond(particle) && met > self.connected_within_reach(graph, particle) {
                    self.bond_particle(particle, block, graph, bonds);
                }
            }
        }
    }

    /// Whether a particle gets springs to any particle that it meets, or to new ones.
    fn may_bond(&self, index: usize) -> bool {
        let may = |elastic: &ElasticCoefficients| {
            elastic.flows() || self.particles.is_new(self.particles.id[index])
        };
        self.between(index, index).is_some_and(may)
    }

    fn distance(&self, index: usize, other: usize) -> f32 {
        self.particles.position[index].distance(self.particles.position[other])
    }

    /// How many later particles within reach have a spring to a particle.
    fn connected_within_reach(&self, graph: &SpringGraph, index: usize) -> i32 {
        let later = graph.of(index).map(|end| end.other as usize).filter(|end| *end > index);
        let near =
            |other: &usize| self.distance(index, *other) < self.coefficients.interaction_radius;
        later.filter(near).count() as i32
    }

    /// Makes the springs of a particle to later ones.
    fn bond_particle(&self, index: usize, block: &Block, graph: &SpringGraph, bonds: &mut Bonds) {
        let particles = self.particles;
        for other in block.spans().flat_map(|span| span.start.max(index + 1)..span.end) {
            let Some(elastic) = self.between(index, other) else { continue };
            let length = self.distance(index, other);
            let is_connected = || graph.of(index).any(|end| end.other as usize == other);
            let reached = length < self.coefficients.interaction_radius;
            if reached && self.may_bond(other) && !is_connected() {
                let ends = [index, other].map(|end| particles.id[end]);
                let rest_length = length.max(elastic.min_rest_length);
                bonds.push((Spring { ends, rest_length }, [index as u32, other as u32]));
            }
        }
    }
}

/// Counts the later particles of its own class that each particle of a block reaches.
struct MeetingsOfBlock<'a> {
    elastic: &'a Elastic<'a>,
    block: &'a Block,
}

impl LaneKernel for MeetingsOfBlock<'_> {
    type Output = [i32; LANES];

    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) -> [i32; LANES] {
        let Elastic { particles, coefficients, .. } = *self.elastic;
        let Range { start, .. } = self.block.particles;
        let radius = splat(instructions, coefficients.interaction_radius);
        let number = |class: usize| class as f32;
        let own_classes = ClassLanes::of(&self.block.particles, &particles.class).map(number);
        let own_classes = load(instructions, &own_classes);
        let indices = std::array::from_fn::<i32, LANES, _>(|lane| (start + lane) as i32);
        let indices = LaneCounts::from_slice(instructions, &indices);
        let positions = &particles.position[..];
        let classes = &particles.class[..positions.len()];
        let mut met = LaneCounts::splat(instructions, 0);
        let lanes = BlockLanes::of(instructions, coefficients, &self.block.particles, positions);
        lanes.for_each(
            self.block.spans().map(|span| span.start.max(start + 1)..span.end),
            #[inline(always)]
            |index, pair| {
                let reached = pair.distance.simd_lt(radius);
                let class = splat(instructions, number(classes[index].index()));
                let later = LaneCounts::splat(instructions, index as i32).simd_gt(indices);
                // A true lane holds -1.
                met -= reached.to_vector()
                    & own_classes.simd_eq(class).to_vector()
                    & later.to_vector();
            },
        );
        met.into()
    }
}

// The spring graph: which particles the springs connect.

/// Which particles the springs connect. It is built again in every substep.
#[derive(Clone, Debug, Default)]
pub(crate) struct SpringGraph {
    /// Indices of both ends of each spring, valid until particles are sorted again.
    pub indices: Vec<[u32; 2]>,
    /// Where each particle's springs begin in `by_particle`; then the end of the last.
    starts: Vec<u32>,
    by_particle: Vec<SpringEnd>,
    cursors: Vec<u32>,
    /// Springs that were added since: a particle, the spring's place among them, and what it is for the
    /// particle. They are sorted.
    added: Vec<(u32, u32, SpringEnd)>,
}

/// A spring as one of its particles sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct SpringEnd {
    /// Index of the particle at the other end.
    pub other: u32,
    pub rest_length: f32,
}

/// If more than one in so many springs is new, all are connected again, which then costs less.
const FEW: usize = 16;

impl SpringGraph {
    /// Finds the springs of each of so many particles from the indices of their ends.
    pub(super) fn connect(&mut self, springs: &[Spring], particles: usize) {
        let Self { indices, starts, by_particle, cursors, added } = self;
        added.clear();
        starts.clear();
        starts.resize(particles + 1, 0);
        for index in indices.iter().flatten() {
            starts[*index as usize + 1] += 1;
        }
        let mut total = 0;
        for start in &mut *starts {
            total += *start;
            *start = total;
        }
        cursors.clear();
        cursors.extend_from_slice(&starts[..particles]);
        by_particle.resize(2 * indices.len(), SpringEnd::default());
        for (index, end) in ends(springs, indices) {
            let cursor = &mut cursors[index as usize];
            by_particle[*cursor as usize] = end;
            *cursor += 1;
        }
    }

    /// Adds the springs from index `first` on, which are new at the end of the list and of `indices`.
    pub(super) fn add(&mut self, springs: &[Spring], first: usize, particles: usize) {
        if springs.len() - first > springs.len() / FEW {
            return self.connect(springs, particles);
        }
        let ends = ends(&springs[first..], &self.indices[first..]);
        self.added.extend((0..).zip(ends).map(|(place, (index, end))| (index, place, end)));
        self.added.sort_unstable_by_key(|(index, place, _)| (*index, *place));
    }

    /// A particle's springs, in the order of their list.
    pub(super) fn of(&self, index: usize) -> impl Iterator<Item = &SpringEnd> {
        let range = self.starts[index] as usize..self.starts[index + 1] as usize;
        let from =
            |index: usize| self.added.partition_point(|(other, ..)| (*other as usize) < index);
        let added = if self.added.is_empty() { 0..0 } else { from(index)..from(index + 1) };
        self.by_particle[range].iter().chain(self.added[added].iter().map(|(.., end)| end))
    }
}

/// Both ends of each spring: the index of a particle, and what the spring is for it.
fn ends<'a>(
    springs: &'a [Spring],
    indices: &'a [[u32; 2]],
) -> impl Iterator<Item = (u32, SpringEnd)> {
    springs.iter().zip(indices).flat_map(|(Spring { rest_length, .. }, [a, b])| {
        let end = |other| SpringEnd { other, rest_length: *rest_length };
        [(*a, end(*b)), (*b, end(*a))]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particles::life::ParticleId;

    #[test]
    fn a_graph_that_grew_is_the_graph_of_all() {
        let particles = 40;
        let mut numbers = (0..).map(|number: u32| number.wrapping_mul(2_654_435_769) >> 16);
        let mut next = |below: u32| numbers.next().map_or(0, |number| number % below);
        let indices: Vec<[u32; 2]> = (0..600).map(|_| [next(20), 20 + next(20)]).collect();
        let springs: Vec<Spring> = (0..600)
            .map(|number| Spring {
                ends: [ParticleId { slot: 0, generation: 0 }; 2],
                rest_length: number as f32,
            })
            .collect();
        let of_all = |graph: &SpringGraph| -> Vec<Vec<SpringEnd>> {
            (0..particles).map(|index| graph.of(index).copied().collect()).collect()
        };
        let mut whole = SpringGraph { indices: indices.clone(), ..SpringGraph::default() };
        whole.connect(&springs, particles);
        for first in [0, 300, 590, 600] {
            let mut grown = SpringGraph::default();
            grown.indices.extend_from_slice(&indices[..first]);
            grown.connect(&springs[..first], particles);
            grown.indices.extend_from_slice(&indices[first..]);
            grown.add(&springs, first, particles);
            assert_eq!(of_all(&grown), of_all(&whole), "from {first} on");
            assert_eq!(grown.added.len(), if first == 590 { 20 } else { 0 });
        }
    }
}
