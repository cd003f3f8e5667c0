//! Springs and plasticity (Clavet et al. 2005, Algorithms 3 and 4).

use glam::Vec2;

use crate::liquid::state::Liquid;
use crate::parallel::chunks::CHUNK;
use crate::parallel::executor::Executor;
use crate::particles::activity::idle;
use crate::particles::arrays::Particles;
use crate::particles::spring::{Spring, Springs};
use crate::solver::coefficients::Coefficients;
use crate::solver::double_density::coefficients::{ElasticCoefficients, PressureCoefficients};
use crate::solver::double_density::spring_graph::{Bonds, SpringGraph};
use crate::solver::double_density::workspace::DoubleDensity;
use crate::solver::neighbours::grid::Grid;
use crate::solver::neighbours::hash::Neighbours;
use crate::solver::neighbours::refresh::refresh;
use crate::solver::neighbours::separation::separation_axis;

/// Adjusts the springs, then lets them move both ends by half of
/// `D = dt^2 k (1 - L/h) (L - r) r_hat` each, from positions that were frozen before the pass.
///
/// Springs connect particles of the same class, if the class is elastic. In a class that flows, two
/// particles that meet get a spring, whose rest length is their distance at that moment. Its
/// springs yield: with `d = gamma L`, a stretched spring changes by `L += dt alpha (r - L - d)` and
/// a compressed one by `L -= dt alpha (L - d - r)`. A spring is removed when `L > h`, because its
/// particles have parted. (In the paper springs yield only while `r < h`, where `L` can never
/// exceed `h`. Here they also yield beyond.) In a class that does not flow, only particles that are
/// new in the same substep get springs, and the springs stay.
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
    elastic.locate(springs, graph);
    elastic.bond(&neighbours.grid, springs, graph, bonds);
    elastic.flow(springs, graph);
    graph.connect(particles.len());
    if !springs.list.is_empty() {
        elastic.find_displacements(springs, graph, displacements, executor);
        let (most, time_step) = (coefficients.most_displacement, coefficients.time_step);
        particles.displace_all(displacements, most, time_step, executor);
        particles.mark_moved();
    }
    particles.clear_new();
}

/// The values that springs read, frozen before the pass.
struct Elastic<'a> {
    particles: &'a Particles,
    coefficients: &'a Coefficients,
    pressure: &'a PressureCoefficients,
}

impl Elastic<'_> {
    /// The elastic coefficients of the class of both particles; `None` for different classes.
    fn between(&self, a: usize, b: usize) -> Option<&ElasticCoefficients> {
        let (class, other) = (self.particles.class[a], self.particles.class[b]);
        let elastic = self.pressure.classes[class.index()].elastic.as_ref();
        elastic.filter(|_| class == other)
    }

    /// Finds both ends of every spring, and removes springs whose ends died or are no longer
    /// elastic.
    fn locate(&self, springs: &mut Springs, graph: &mut SpringGraph) {
        graph.indices.clear();
        let indices = &mut graph.indices;
        springs.list.retain(|spring| {
            let [a, b] = spring.ends.map(|end| self.particles.index_of(end));
            let Some((a, b)) = a.zip(b).filter(|(a, b)| self.between(*a, *b).is_some()) else {
                return false;
            };
            indices.push([a as u32, b as u32]);
            true
        });
    }

    /// Makes springs between particles that have met.
    fn bond(&self, grid: &Grid, springs: &mut Springs, graph: &mut SpringGraph, bonds: &mut Bonds) {
        let particles = self.particles;
        let flows = |elastic: &ElasticCoefficients| elastic.plasticity > 0.0;
        let any_flows =
            self.pressure.classes.iter().filter_map(|class| class.elastic.as_ref()).any(flows);
        if !any_flows && !particles.any_new() {
            return;
        }
        graph.connect(particles.len());
        let radius = self.coefficients.interaction_radius;
        // `connected_to[other]` is the index whose springs lead to `other`.
        let Bonds { connected_to, made } = bonds;
        connected_to.clear();
        connected_to.resize(particles.len(), u32::MAX);
        made.clear();
        let mut blocks = grid.blocks(0..particles.len());
        while let Some(block) = blocks.next() {
            for index in block.particles.clone() {
                for (_, other) in graph.of(springs, index) {
                    connected_to[other] = index as u32;
                }
                for other in block.spans().flatten().filter(|other| *other > index) {
                    let Some(elastic) = self.between(index, other) else { continue };
                    let ends = [particles.id[index], particles.id[other]];
                    let new_together = ends.iter().all(|end| particles.is_new(*end));
                    if connected_to[other] == index as u32 || !(flows(elastic) || new_together) {
                        continue;
                    }
                    let length = particles.position[index].distance(particles.position[other]);
                    if length < radius {
                        let rest_length = length.max(elastic.min_rest_length);
                        made.push((Spring { ends, rest_length }, [index as u32, other as u32]));
                    }
                }
            }
        }
        let room = springs.capacity.saturating_sub(springs.list.len());
        springs.refused += made.len().saturating_sub(room) as u64;
        for (spring, indices) in made.iter().take(room) {
            springs.list.push(*spring);
            graph.indices.push(*indices);
        }
    }

    /// Lets the springs of flowing classes yield, and removes those of particles that parted.
    fn flow(&self, springs: &mut Springs, graph: &mut SpringGraph) {
        let radius = self.coefficients.interaction_radius;
        let position = &self.particles.position;
        let mut kept = 0;
        for index in 0..springs.list.len() {
            let [a, b] = graph.indices[index].map(|particle| particle as usize);
            let spring = &mut springs.list[index];
            let Some(elastic) = self.between(a, b) else { continue };
            if elastic.plasticity > 0.0 {
                let length = position[a].distance(position[b]);
                let rest = spring.rest_length;
                let tolerated = elastic.yield_ratio * rest;
                if length > rest + tolerated {
                    spring.rest_length += elastic.plasticity * (length - rest - tolerated);
                } else if length < rest - tolerated {
                    spring.rest_length -= elastic.plasticity * (rest - tolerated - length);
                }
                spring.rest_length = spring.rest_length.max(elastic.min_rest_length);
                if spring.rest_length > radius {
                    continue;
                }
            }
            springs.list[kept] = springs.list[index];
            graph.indices[kept] = graph.indices[index];
            kept += 1;
        }
        springs.list.truncate(kept);
        graph.indices.truncate(kept);
    }

    /// Algorithm 3: each particle sums over its springs.
    fn find_displacements(
        &self,
        springs: &Springs,
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
                *displacement = self.displacement_of(springs, graph, start + offset);
            }
        });
    }

    /// The displacement of a particle by its springs. Both ends of a spring have the same mass,
    /// because they have the same class.
    fn displacement_of(&self, springs: &Springs, graph: &SpringGraph, index: usize) -> Vec2 {
        let Self { coefficients, particles, pressure } = self;
        let class = particles.class[index].index();
        let Some(elastic) = &pressure.classes[class].elastic else {
            return Vec2::ZERO;
        };
        let mut sum = Vec2::ZERO;
        for (spring, other) in graph.of(springs, index) {
            let offset = particles.position[other] - particles.position[index];
            let length = offset.length();
            let direction = if length < coefficients.coincidence {
                separation_axis(particles.id[index], particles.id[other])
            } else {
                offset / length
            };
            let softness = 1.0 - spring.rest_length * coefficients.inverse_radius;
            sum -= direction * (softness * (spring.rest_length - length));
        }
        sum * (0.5 * elastic.stiffness)
    }
}
