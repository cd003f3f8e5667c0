//! New springs, between particles that have met.

use std::ops::Range;

use fearless_simd::prelude::*;

use crate::parallel::chunks::{CHUNK, chunk_of};
use crate::parallel::executor::Executor;
use crate::parallel::instructions::{self, Instructions, LaneKernel};
use crate::parallel::lanes::{LANES, LaneCounts, load, splat};
use crate::parallel::slices::PerChunk;
use crate::particles::spring::{Spring, Springs};
use crate::solver::double_density::coefficients::ElasticCoefficients;
use crate::solver::double_density::elastic::Elastic;
use crate::solver::double_density::spring_graph::SpringGraph;
use crate::solver::neighbours::blocks::{Block, Blocks};
use crate::solver::neighbours::class_lanes::ClassLanes;
use crate::solver::neighbours::grid::Grid;
use crate::solver::neighbours::pair_lanes::BlockLanes;

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
        let mut elastic = self.pressure.classes.iter().filter_map(|class| class.elastic.as_ref());
        if !elastic.any(ElasticCoefficients::flows) && !self.particles.any_new() {
            return;
        }
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
        crate::counting::count_more(&mut springs.refused, wanted.saturating_sub(room) as u64);
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
