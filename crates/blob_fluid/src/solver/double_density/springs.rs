//! Springs and plasticity (Clavet et al. 2005, Algorithms 3 and 4).

use std::ops::Range;

use fearless_simd::prelude::*;
use glam::Vec2;

use crate::liquid::state::Liquid;
use crate::parallel::executor::{CHUNK, Executor, LONG_CHUNK, PerChunk, chunk_of};
use crate::parallel::instructions;
use crate::parallel::instructions::{Instructions, LaneKernel};
use crate::parallel::lanes::{LANES, LaneCounts, load, splat};
use crate::particles::arrays::{Activity, Particles, idle};
use crate::particles::optional::{Spring, Springs};
use crate::solver::coefficients::Coefficients;
use crate::solver::double_density::coefficients::{ElasticCoefficients, PressureCoefficients};
use crate::solver::double_density::method::DoubleDensity;
use crate::solver::neighbours::blocks::{Block, BlockLanes, Blocks, ClassLanes, separation_axis};
use crate::solver::neighbours::grid::{Grid, Neighbours, refresh};

/// Lets the springs yield, makes new ones as far as there is room, and lets all of them move both ends by
/// half of `D = dt^2 k (1 - L/h) (L - r) r_hat` each, from positions that were frozen before the pass.
///
/// Springs connect particles of the same class, if the class is elastic. In a class that flows, two
/// particles that meet get a spring, whose rest length is their distance at that moment. Its
/// springs yield: with `d = gamma L`, a stretched spring changes by `L += dt alpha (r - L - d)` and
/// a compressed one by `L -= dt alpha (L - d - r)`. A spring is removed when `L > h`, because its
/// particles have parted. (In the paper springs yield only while `r < h`, where `L` can never
/// exceed `h`. Here they also yield beyond.) Springs between two particles that sleep do not yield. In
/// a class that does not flow, only particles that are new in the same substep get springs, and the
/// springs stay.
pub(crate) fn apply_springs(
    liquid: &mut Liquid,
    neighbours: &mut Neighbours,
    work: &mut DoubleDensity,
    coefficients: &Coefficients,
    executor: &dyn Executor,
) {
    let any_elastic = work.pressure.classes.iter().any(|class| class.elastic.is_some());
    if !any_elastic && liquid.springs.list.is_empty() {
        return;
    }
    refresh(liquid, neighbours, coefficients, executor);
    let Liquid { particles, springs, .. } = liquid;
    let DoubleDensity { pressure, springs: graph, bonds, displacements, .. } = work;
    let elastic = Elastic { particles, coefficients, pressure };
    elastic.adjust(springs, graph, executor);
    graph.connect(&springs.list, particles.len());
    let first = springs.list.len();
    elastic.bond(&neighbours.grid, springs, graph, bonds, executor);
    graph.add(&springs.list, first, particles.len());
    if !springs.list.is_empty() {
        elastic.find_displacements(graph, displacements, executor);
        let (most, time_step) = (coefficients.most_displacement, coefficients.time_step);
        particles.displace_all(displacements, most, time_step, executor);
        particles.mark_moved();
    }
    particles.clear_new();
}

/// In place of the ends of a spring that is to be removed.
const REMOVED: [u32; 2] = [u32::MAX; 2];

impl Elastic<'_> {
    /// Finds both ends of every spring, and lets those of flowing classes yield. It removes springs whose
    /// ends died, are no longer elastic, or have parted.
    fn adjust(&self, springs: &mut Springs, graph: &mut SpringGraph, executor: &dyn Executor) {
        let (list, indices) = (&mut springs.list, &mut graph.indices);
        indices.resize(list.len(), REMOVED);
        let both = (&mut list[..], &mut indices[..]);
        executor.for_each_chunk(both, LONG_CHUNK, |_, (springs, indices)| {
            for (spring, indices) in springs.iter_mut().zip(indices) {
                *indices = self.adjust_one(spring).unwrap_or(REMOVED);
            }
        });
        if indices.contains(&REMOVED) {
            let mut ends = indices.iter();
            list.retain(|_| ends.next().is_some_and(|ends| *ends != REMOVED));
            indices.retain(|ends| *ends != REMOVED);
        }
    }

    /// Lets a spring yield, and returns the indices of its ends; `None` if it is to be removed.
    fn adjust_one(&self, spring: &mut Spring) -> Option<[u32; 2]> {
        let [a, b] = spring.ends.map(|end| self.particles.index_of(end));
        let (a, b) = (a?, b?);
        let elastic = self.between(a, b)?;
        let moves = [a, b].iter().any(|end| self.particles.activity[*end] == Activity::Awake);
        if elastic.flows() && moves {
            let length = self.particles.position[a].distance(self.particles.position[b]);
            let rest = spring.rest_length;
            let tolerated = elastic.yield_ratio * rest;
            if length > rest + tolerated {
                spring.rest_length += elastic.plasticity * (length - rest - tolerated);
            } else if length < rest - tolerated {
                spring.rest_length -= elastic.plasticity * (rest - tolerated - length);
            }
            spring.rest_length = spring.rest_length.max(elastic.min_rest_length);
            if spring.rest_length > self.coefficients.interaction_radius {
                return None;
            }
        }
        Some([a as u32, b as u32])
    }

    /// Algorithm 3: each particle sums over its springs.
    fn find_displacements(
        &self,
        graph: &SpringGraph,
        displacements: &mut Vec<Vec2>,
        executor: &dyn Executor,
    ) {
        displacements.clear();
        displacements.resize(self.particles.len(), Vec2::ZERO);
        executor.for_each_chunk(&mut displacements[..], CHUNK, |chunk_index, chunk| {
            let start = chunk_index * CHUNK;
            if idle(&self.particles.activity[start..start + chunk.len()]) {
                return;
            }
            for (offset, displacement) in chunk.iter_mut().enumerate() {
                *displacement = self.displacement_of(graph, start + offset);
            }
        });
    }

    /// The displacement of a particle by its springs. Both ends of a spring have the same mass,
    /// because they have the same class.
    fn displacement_of(&self, graph: &SpringGraph, index: usize) -> Vec2 {
        let Self { coefficients, particles, pressure } = self;
        let class = particles.class[index].index();
        let Some(elastic) = &pressure.classes[class].elastic else {
            return Vec2::ZERO;
        };
        let mut sum = Vec2::ZERO;
        for SpringEnd { other, rest_length } in graph.of(index) {
            let other = *other as usize;
            let offset = particles.position[other] - particles.position[index];
            let length = offset.length();
            let direction = if length < coefficients.coincidence {
                separation_axis(particles.id[index], particles.id[other])
            } else {
                offset / length
            };
            let softness = 1.0 - rest_length * coefficients.inverse_radius;
            sum -= direction * (softness * (rest_length - length));
        }
        sum * (0.5 * elastic.stiffness)
    }
}

// New springs, between particles that have met.

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

// What springs are made and moved by.

/// The values that springs read, frozen before the pass.
pub(super) struct Elastic<'a> {
    pub particles: &'a Particles,
    pub coefficients: &'a Coefficients,
    pub pressure: &'a PressureCoefficients,
}

impl Elastic<'_> {
    /// The elastic coefficients of the class of both particles; `None` for different classes.
    pub(super) fn between(&self, a: usize, b: usize) -> Option<&ElasticCoefficients> {
        let (class, other) = (self.particles.class[a], self.particles.class[b]);
        let elastic = self.pressure.classes[class.index()].elastic.as_ref();
        elastic.filter(|_| class == other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particles::arrays::Activity::{Asleep, Awake};
    use crate::particles::life::ParticleId;
    use crate::settings::class::{DensityClass, FluidElasticity};
    use crate::{ClassId, ClassTable, FluidPass, FluidWorld, ParticleSpawn, SerialExecutor};

    #[test]
    fn springs_between_sleepers_do_not_yield() {
        let dough =
            FluidElasticity { yield_ratio: 0.05, plasticity: 5.0, ..FluidElasticity::default() };
        let class = DensityClass { elasticity: Some(dough), ..DensityClass::default() };
        let mut world = FluidWorld::default();
        let table = ClassTable::new(vec![class]).expect("valid");
        world.set_classes(table).expect("no particles yet");
        for x in [0.0, 12.0] {
            let position = Vec2::new(x, 0.0);
            let spawn = ParticleSpawn { position, class: ClassId(0), ..Default::default() };
            world.spawn(spawn).expect("valid");
        }
        world.run_pass(FluidPass::ApplySprings, &SerialExecutor);
        let [spring] = world.springs() else { panic!("{:?}", world.springs()) };
        assert_eq!(spring.rest_length, 12.0);
        let after = |activity: [Activity; 2]| {
            let mut world = world.clone();
            let particles = &mut world.liquid_mut().particles;
            // Stretched by half.
            particles.position = vec![Vec2::ZERO, Vec2::new(18.0, 0.0)];
            particles.activity = activity.to_vec();
            particles.mark_moved();
            world.run_pass(FluidPass::ApplySprings, &SerialExecutor);
            world.springs()[0].rest_length
        };
        assert_eq!(after([Asleep, Asleep]), 12.0);
        for activity in [[Asleep, Awake], [Awake, Asleep], [Awake, Awake]] {
            assert!(after(activity) > 12.5, "{activity:?}");
        }
    }

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
