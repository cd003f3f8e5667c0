//! Springs and plasticity (Clavet et al. 2005, Algorithms 3 and 4).

use glam::Vec2;

use crate::coefficients::ElasticCoefficients;
use crate::executor::Executor;
use crate::pass::CHUNK;
use crate::pass::hash::refresh_grid;
use crate::pass::pair::separation_axis;
use crate::sleep::idle;
use crate::spring::{Spring, Springs};
use crate::world::FluidWorld;

/// Adjusts the springs, then lets them move their ends:
/// `D = dt^2 k (1 - L/h) (L - r) r_hat`, half of it each, from positions frozen before the pass.
///
/// Springs connect particles of the same class, if it is elastic. A class that flows makes one
/// wherever two of its particles meet, with the rest length they meet at; its springs yield as
/// `d = gamma L`, `L += dt alpha (r - L - d)` where stretched and `L -= dt alpha (L - d - r)` where
/// compressed, and go when `L > h`: the particles have parted. (The paper lets springs yield only
/// while `r < h`, where `L` can never exceed `h`; here they go on yielding beyond.) A class that
/// does not flow makes springs only among particles that are new together, and keeps them.
pub fn apply_springs<E: Executor>(world: &mut FluidWorld, executor: &E) {
    let any_elastic = world.coefficients.classes.iter().any(|class| class.elastic.is_some());
    if !any_elastic && world.springs.list.is_empty() {
        return;
    }
    refresh_grid(world, executor);
    let mut springs = std::mem::take(&mut world.springs);
    locate(world, &mut springs);
    bond(world, &mut springs);
    flow(world, &mut springs);
    springs.connect(world.particles.len());
    world.springs = springs;
    displace(world, executor);
    world.particles.settle_in();
}

/// How the class of both particles is elastic; `None` for different classes.
fn elasticity(world: &FluidWorld, a: usize, b: usize) -> Option<&ElasticCoefficients> {
    let (class, other) = (world.particles.class[a], world.particles.class[b]);
    let elastic = world.coefficients.classes[class.index()].elastic.as_ref();
    elastic.filter(|_| class == other)
}

/// Finds both ends of every spring, and drops those whose ends died or no longer are elastic.
fn locate(world: &FluidWorld, springs: &mut Springs) {
    springs.places.clear();
    let places = &mut springs.places;
    springs.list.retain(|spring| {
        let [a, b] = spring.ends.map(|end| world.particles.place(end));
        let Some((a, b)) = a.zip(b).filter(|(a, b)| elasticity(world, *a, *b).is_some()) else {
            return false;
        };
        places.push([a as u32, b as u32]);
        true
    });
}

/// Makes springs between particles that have met.
fn bond(world: &FluidWorld, springs: &mut Springs) {
    let particles = &world.particles;
    let flows = |elastic: &ElasticCoefficients| elastic.plasticity > 0.0;
    let any_flows =
        world.coefficients.classes.iter().filter_map(|class| class.elastic.as_ref()).any(flows);
    if !any_flows && !particles.any_new() {
        return;
    }
    springs.connect(particles.len());
    let radius = world.coefficients.interaction_radius;
    // `connected_to[other]` is the place whose springs lead to `other`.
    let mut connected_to = std::mem::take(&mut springs.connected_to);
    connected_to.clear();
    connected_to.resize(particles.len(), u32::MAX);
    let mut made = std::mem::take(&mut springs.made);
    made.clear();
    let mut blocks = world.grid.blocks(0..particles.len());
    while let Some(block) = blocks.following() {
        for place in block.particles.clone() {
            for (_, other) in springs.of(place) {
                connected_to[other] = place as u32;
            }
            for other in block.spans().flatten().filter(|other| *other > place) {
                let Some(elastic) = elasticity(world, place, other) else { continue };
                let ends = [particles.id[place], particles.id[other]];
                let new_together = ends.iter().all(|end| particles.is_new(*end));
                if connected_to[other] == place as u32 || !(flows(elastic) || new_together) {
                    continue;
                }
                let length = particles.position[place].distance(particles.position[other]);
                if length < radius {
                    let rest_length = length.max(elastic.least_rest_length);
                    made.push((Spring { ends, rest_length }, [place as u32, other as u32]));
                }
            }
        }
    }
    let room = world.spring_capacity().saturating_sub(springs.list.len());
    springs.refused += made.len().saturating_sub(room) as u64;
    for (spring, places) in made.iter().take(room) {
        springs.list.push(*spring);
        springs.places.push(*places);
    }
    (springs.connected_to, springs.made) = (connected_to, made);
}

/// Lets the springs of flowing classes yield, and drops those of particles that parted.
fn flow(world: &FluidWorld, springs: &mut Springs) {
    let radius = world.coefficients.interaction_radius;
    let position = &world.particles.position;
    let mut kept = 0;
    for index in 0..springs.list.len() {
        let [a, b] = springs.places[index].map(|place| place as usize);
        let spring = &mut springs.list[index];
        let Some(elastic) = elasticity(world, a, b) else { continue };
        if elastic.plasticity > 0.0 {
            let length = position[a].distance(position[b]);
            let rest = spring.rest_length;
            let tolerated = elastic.yield_ratio * rest;
            if length > rest + tolerated {
                spring.rest_length += elastic.plasticity * (length - rest - tolerated);
            } else if length < rest - tolerated {
                spring.rest_length -= elastic.plasticity * (rest - tolerated - length);
            }
            spring.rest_length = spring.rest_length.max(elastic.least_rest_length);
            if spring.rest_length > radius {
                continue;
            }
        }
        springs.list[kept] = springs.list[index];
        springs.places[kept] = springs.places[index];
        kept += 1;
    }
    springs.list.truncate(kept);
    springs.places.truncate(kept);
}

/// Algorithm 3, as a gather.
fn displace<E: Executor>(world: &mut FluidWorld, executor: &E) {
    if world.springs.list.is_empty() {
        return;
    }
    let mut displacements = std::mem::take(&mut world.scratch.vectors);
    displacements.clear();
    displacements.resize(world.particles.len(), Vec2::ZERO);
    let frozen = &*world;
    executor.for_each_chunk(&mut displacements[..], CHUNK, |chunk_index, chunk| {
        let start = chunk_index * CHUNK;
        if idle(&frozen.particles.activity[start..start + chunk.len()]) {
            return;
        }
        for (offset, displacement) in chunk.iter_mut().enumerate() {
            *displacement = displacement_of(frozen, start + offset);
        }
    });
    world.particles.displace_all(&displacements, executor);
    world.scratch.vectors = displacements;
    world.has_moved();
}

/// What a particle's springs move it by. Both ends have the same mass, being of one class.
fn displacement_of(world: &FluidWorld, place: usize) -> Vec2 {
    let coefficients = &world.coefficients;
    let particles = &world.particles;
    let class = particles.class[place].index();
    let Some(elastic) = &coefficients.classes[class].elastic else {
        return Vec2::ZERO;
    };
    let mut sum = Vec2::ZERO;
    for (spring, other) in world.springs.of(place) {
        let offset = particles.position[other] - particles.position[place];
        let length = offset.length();
        let direction = if length < coefficients.coincidence {
            separation_axis(particles.id[place], particles.id[other])
        } else {
            offset / length
        };
        let softness = 1.0 - spring.rest_length * coefficients.inverse_radius;
        sum -= direction * (softness * (spring.rest_length - length));
    }
    sum * (0.5 * elastic.stiffness)
}
