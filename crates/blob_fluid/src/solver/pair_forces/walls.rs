//! Walls that push like liquid at rest behind them, with the pressure of the pushed particle.

use std::ops::Range;

use glam::Vec2;

use crate::Executor;
use crate::boundary::near::{NearWalls, WallProbe};
use crate::boundary::solid::NearWall;
use crate::boundary::solids::{ExposedParticles, Loads};
use crate::parallel::executor::{CHUNK, PerChunk, chunk_of};
use crate::parallel::instructions::{Lanes, gather};
use crate::particles::arrays::{Activity, takes_part};
use crate::solver::pair_forces::coefficients::{
    Frozen, INTERVALS, Kernels, Pressures, WallIntegral, WallIntegrals,
};

/// The effect of a wall on a particle near it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WallPush {
    pub particle: u32,
    collider: Option<u32>,
    normal: Vec2,
    push: f32,
    near_push: f32,
    /// Gradient of the wall's `fade_in`, per interaction radius, and the integrals that it multiplies.
    weight_gradient: Vec2,
    weight: f32,
    near_weight: f32,
    /// The displacement of the particle, computed after its pressure.
    pub displacement: Vec2,
}

/// Contributions of walls to the densities and near densities of a chunk's particles.
pub(super) struct WallDensities {
    density: [f32; CHUNK],
    near_density: [f32; CHUNK],
}

impl WallDensities {
    /// Finds the walls near a chunk's particles, and their contributions to the densities.
    pub(super) fn find<K: Kernels>(
        frozen: &Frozen,
        indices: Range<usize>,
        wall_pushes: &mut Vec<WallPush>,
    ) -> Self {
        let pairs = frozen.pairs;
        let mut densities = Self { density: [0.0; CHUNK], near_density: [0.0; CHUNK] };
        for_each_wall::<K>(frozen, indices, |offset, particle, wall, integral| {
            let class = frozen.particles.class[particle].index();
            let wall_density = pairs.wall_density_ratio * pairs.classes[class].rest;
            densities.density[offset] += wall.fade_in * wall_density * integral.density;
            densities.near_density[offset] += wall.fade_in * wall_density * integral.near_density;
            wall_pushes.push(WallPush {
                particle: particle as u32,
                collider: wall.collider,
                normal: wall.normal,
                push: wall.fade_in * pairs.wall_density_ratio * integral.push,
                near_push: wall.fade_in * pairs.wall_density_ratio * integral.near_push,
                weight_gradient: wall.weight_gradient * frozen.coefficients.interaction_radius,
                weight: pairs.wall_density_ratio * integral.weight,
                near_weight: pairs.wall_density_ratio * integral.near_density,
                displacement: Vec2::ZERO,
            });
        });
        densities
    }

    /// The densities of a block, given by its range in the chunk.
    #[inline]
    pub(super) fn of_block(&self, block: &Range<usize>) -> (Lanes, Lanes) {
        let lanes = |all: &[f32; CHUNK]| gather(block, all, |density| *density);
        (lanes(&self.density), lanes(&self.near_density))
    }
}

impl WallPush {
    /// The particle, the collider, and the momentum that the wall transfers to the particle.
    pub(super) fn momentum_on_particle(&self, frozen: &Frozen) -> (u32, Option<u32>, Vec2) {
        let Frozen { coefficients, particles, .. } = frozen;
        let class = particles.class[self.particle as usize].index();
        let mass = coefficients.classes[class].mass;
        (self.particle, self.collider, self.displacement * (mass / coefficients.time_step))
    }

    /// Computes the displacement from the particle's pressures. Walls do not attract.
    pub(super) fn compute_displacement(&mut self, frozen: &Frozen, pressures: &[Pressures]) {
        let Frozen { coefficients, particles, .. } = frozen;
        let index = self.particle as usize;
        let pressure = &pressures[index];
        let class = &coefficients.classes[particles.class[index].index()];
        let push =
            (pressure.pressure * self.push + pressure.near_pressure * self.near_push).max(0.0);
        let gradient_force =
            (pressure.pressure * self.weight + pressure.near_pressure * self.near_weight).max(0.0);
        let per_force = pressure.inverse_density * class.inverse_mass;
        let radius = coefficients.interaction_radius;
        self.displacement = self.normal * (push * per_force * radius)
            - self.weight_gradient * (gradient_force * per_force * radius);
    }
}

/// Returns the walls of particle `index`. `remaining` contains the remaining walls in the order of their particles,
/// which `particle_of` returns; the walls up to this particle are removed from it.
pub(crate) fn take_walls_of<'a, W>(
    index: usize,
    remaining: &mut &'a [W],
    particle_of: impl Fn(&W) -> u32,
) -> &'a [W] {
    // The skipped walls belong to particles that do not move.
    let particle = |wall: &W| particle_of(wall) as usize;
    let first = remaining.iter().take_while(|wall| particle(wall) < index).count();
    let count = remaining[first..].iter().take_while(|wall| particle(wall) == index).count();
    let (walls, rest) = remaining[first..].split_at(count);
    *remaining = rest;
    walls
}

/// Calls `visit` for every wall within the interaction radius of the pressing particles of a chunk. Its arguments are
/// the particle's offset in the chunk, its index, and the integrals over the liquid behind the wall.
pub(crate) fn for_each_wall<K: Kernels>(
    frozen: &Frozen,
    indices: Range<usize>,
    mut visit: impl FnMut(usize, usize, &NearWall, WallIntegral),
) {
    let Frozen { coefficients, particles, solids, .. } = *frozen;
    let (start, positions) = (indices.start, &particles.position[indices]);
    let radius = coefficients.interaction_radius;
    let (mut buffer, integrals) = (NearWalls::NONE, K::wall_integrals());
    solids.for_each_group_at(positions, ExposedParticles::ALL, radius, |group, candidates| {
        for offset in group {
            let index = start + offset;
            if particles.activity[index] < Activity::Pressing {
                continue;
            }
            let previous_position = particles.previous_position[index];
            let (point, class) = (positions[offset], particles.class[index]);
            let probe = WallProbe { container_point: previous_position, point, class };
            solids.for_each_pressure_wall(candidates, probe, radius, &mut buffer, |wall| {
                let integral = integrals.at(wall.distance * coefficients.inverse_radius);
                visit(offset, index, wall, integral);
            });
        }
    });
}

/// Adds the pressure on colliders that report their load. `momentum_of` returns the particle of a
/// wall, the wall's collider, and the momentum that the wall transfers to the particle. The caller
/// ends the pass of the loads.
pub(crate) fn apply_collider_loads<W: Sync>(
    frozen: Frozen,
    walls: &[Vec<W>],
    loads: &mut Loads,
    momentum_of: impl Fn(&W) -> (u32, Option<u32>, Vec2) + Sync,
    executor: &dyn Executor,
) {
    let Frozen { particles, solids, .. } = frozen;
    let count = particles.len();
    loads.begin_pass(count.div_ceil(CHUNK));
    let chunks = PerChunk::new(&mut loads.chunks, count, CHUNK);
    executor.for_each_chunk((0..count, chunks), CHUNK, |index, (indices, loads)| {
        let loads = loads.item();
        let chunk = chunk_of(index, indices.len());
        if !takes_part(&particles.activity[chunk], Activity::Awake) {
            return;
        }
        for wall in &walls[index] {
            let (particle, collider, momentum_of) = momentum_of(wall);
            let Some((index, collider)) = solids.measured_collider(collider) else { continue };
            loads.add(index, collider, particles.position[particle as usize], momentum_of);
        }
    });
}

// Integrals of a solver's kernels over the half plane behind a straight wall.

/// Integrates the kernels in double precision by Simpson's rule. It uses only operations with bit-identical results on
/// all platforms.
pub(crate) fn integrate<K: Kernels>() -> WallIntegrals {
    let density = |w| f64::from(K::DENSITY_FACTOR) * K::density(w);
    let near_density = |w| f64::from(K::NEAR_DENSITY_FACTOR) * K::near_density(w);
    let pressure = |w| f64::from(K::PRESSURE_FACTOR) * K::pressure(w);
    let beyond = |distance: f64| WallIntegral {
        density: half_plane(distance, density) as f32,
        near_density: half_plane(distance, near_density) as f32,
        weight: half_plane(distance, pressure) as f32,
        push: line(distance, pressure) as f32,
        near_push: line(distance, near_density) as f32,
    };
    WallIntegrals(std::array::from_fn(|index| beyond(index as f64 / INTERVALS as f64)))
}

/// The integral of a kernel along a line at this distance.
fn line(distance: f64, kernel: impl Fn(f64) -> f64) -> f64 {
    let half = (1.0 - distance * distance).max(0.0).sqrt();
    let along = |y: f64| {
        let radius = (distance * distance + y * y).sqrt();
        kernel((1.0 - radius).max(0.0))
    };
    2.0 * simpson(0.0, half, along)
}

/// The integral of a kernel over the half plane that begins at this distance.
fn half_plane(distance: f64, kernel: impl Fn(f64) -> f64) -> f64 {
    simpson(distance, 1.0, |x| line(x, &kernel))
}

fn simpson(from: f64, to: f64, value: impl Fn(f64) -> f64) -> f64 {
    const PARTS: usize = 48;
    let step = (to - from) / PARTS as f64;
    let weight = |index: usize| match index {
        0 | PARTS => 1.0,
        odd if odd % 2 == 1 => 4.0,
        _ => 2.0,
    };
    let sum: f64 = (0..=PARTS).map(|index| weight(index) * value(from + index as f64 * step)).sum();
    sum * step / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::shared_pressure::SharedPressureKernels;
    use crate::solver::sph::SphKernels;

    /// The same integrals as a sum over small squares of the half plane.
    fn by_squares<K: Kernels>(distance: f64) -> [f64; 5] {
        const SIDE: f64 = 1.0 / 400.0;
        let mut sums = [0.0; 5];
        for column in 0..400 {
            for row in -400..400 {
                let x = distance + (f64::from(column) + 0.5) * SIDE;
                let y = (f64::from(row) + 0.5) * SIDE;
                let q = (x * x + y * y).sqrt();
                if q < 1.0 {
                    let w = 1.0 - q;
                    sums[0] += f64::from(K::DENSITY_FACTOR) * K::density(w);
                    sums[1] += f64::from(K::NEAR_DENSITY_FACTOR) * K::near_density(w);
                    sums[2] += f64::from(K::PRESSURE_FACTOR) * K::pressure(w);
                    sums[3] += f64::from(K::SLOPE_FACTOR) * K::slope(w) * x / q;
                    sums[4] += f64::from(K::NEAR_SLOPE_FACTOR) * K::near_slope(w) * x / q;
                }
            }
        }
        sums.map(|sum| sum * SIDE * SIDE)
    }

    fn agrees<K: Kernels>() {
        for step in 0..10 {
            let distance = 0.1013 * f64::from(step);
            let found = K::wall_integrals().at(distance as f32);
            let WallIntegral { density, near_density, weight, push, near_push } = found;
            let found = [density, near_density, weight, push, near_push];
            for (found, expected) in found.into_iter().zip(by_squares::<K>(distance)) {
                assert!((f64::from(found) - expected).abs() < 2e-3, "{found} {expected}");
            }
        }
        let at = |distance| K::wall_integrals().at(distance);
        assert_eq!(at(-0.3), at(0.0), "beyond the wall it is as at the wall");
        assert!((at(0.0).density - 0.5).abs() < 1e-3, "a half-plane holds half of a kernel");
        assert_eq!(at(1.0), WallIntegral::default());
        assert_eq!(at(f32::NAN), at(0.0));
    }

    #[test]
    fn walls_add_what_liquid_beyond_them_would() {
        agrees::<SphKernels>();
        agrees::<SharedPressureKernels>();
    }
}
