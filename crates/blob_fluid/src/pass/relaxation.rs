//! Double density relaxation (Clavet et al. 2005, Algorithm 2), as a symmetric gather.
//!
//! The paper moves pairs one after the other; here every particle sums its own displacement from
//! positions and pressures frozen before the pass. That needs no order, and a pair's two
//! displacements stay equal and opposite in force.

use glam::Vec2;

use crate::coefficients::Coefficients;
use crate::executor::Executor;
use crate::grid::{Block, LANES};
use crate::instructions::{self, LaneKernel};
use crate::kernel::{GhostWall, ghost_wall, positive};
use crate::pass::CHUNK;
use crate::pass::hash::refresh_grid;
use crate::pass::pair::{Lanes, gather, separation_axis};
use crate::surface::NearSurface;
use crate::world::FluidWorld;

/// What the relaxation knows of one particle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ParticleState {
    /// `rho = sum q^2`, walls included.
    pub density: f32,
    /// `rho_near = sum q^3`, walls included.
    pub near_density: f32,
    /// `m P`, or `P` where masses split displacements.
    pub pressure: f32,
    /// `m P_near`, or `P_near` where masses split displacements.
    pub near_pressure: f32,
}

/// Moves every particle by
/// `-1/2 (dt^2/m_i) sum_j [(m_i P_i + m_j P_j) q + (m_i Pn_i + m_j Pn_j) q^2] r_hat`, towards what
/// its class is attracted to by `1/2 (dt^2/m_i) sum_j A_ij q (1 - q) r_hat` (not in the paper), and
/// away from walls by what the liquid behind them would add.
///
/// See [`FluidParameters`](crate::FluidParameters) for the pressures' form. Where particles were
/// added, removed or moved since [`hash_positions`](crate::pass::hash_positions), they are hashed
/// again.
pub fn relax_density<E: Executor>(world: &mut FluidWorld, executor: &E) {
    refresh_grid(world);
    find_densities(world, executor);
    let mut displacements = std::mem::take(&mut world.scratch.vectors);
    displacements.clear();
    displacements.resize(world.particles.len(), Vec2::ZERO);
    let frozen = &*world;
    let split = frozen.coefficients.inverse_mass_split;
    let cohesive = !frozen.coefficients.attractions.is_empty();
    executor.for_each_chunk(&mut displacements, CHUNK, |chunk_index, chunk| {
        let start = chunk_index * CHUNK;
        for block in frozen.grid.blocks(start..start + chunk.len()) {
            let sums = match (split, cohesive) {
                (false, false) => instructions::run(DisplacementOfBlock::<false, false> {
                    world: frozen,
                    block: &block,
                }),
                (false, true) => instructions::run(DisplacementOfBlock::<false, true> {
                    world: frozen,
                    block: &block,
                }),
                (true, false) => instructions::run(DisplacementOfBlock::<true, false> {
                    world: frozen,
                    block: &block,
                }),
                (true, true) => instructions::run(DisplacementOfBlock::<true, true> {
                    world: frozen,
                    block: &block,
                }),
            };
            for (lane, place) in block.particles.clone().enumerate() {
                let pairs = Vec2::new(sums.x[lane], sums.y[lane])
                    + coincident_displacement(frozen, &block, place, sums.coincident[lane]);
                chunk[place - start] = total_displacement(frozen, place, pairs);
            }
        }
    });
    for (place, displacement) in displacements.iter().enumerate() {
        world.particles.displace(place, *displacement);
    }
    world.scratch.vectors = displacements;
    world.grid_is_current = false;
}

/// Densities and pressures from the frozen positions.
fn find_densities<E: Executor>(world: &mut FluidWorld, executor: &E) {
    let mut states = std::mem::take(&mut world.states);
    states.clear();
    states.resize(world.particles.len(), ParticleState::default());
    let frozen = &*world;
    executor.for_each_chunk(&mut states, CHUNK, |chunk_index, chunk| {
        let start = chunk_index * CHUNK;
        for block in frozen.grid.blocks(start..start + chunk.len()) {
            let (density, near_density) =
                instructions::run(DensityOfBlock { world: frozen, block: &block });
            for (lane, place) in block.particles.enumerate() {
                chunk[place - start] = state_of(frozen, place, density[lane], near_density[lane]);
            }
        }
    });
    world.states = states;
}

/// `sum q^2` and `sum q^3` over the neighbours of each particle in a block.
struct DensityOfBlock<'a> {
    world: &'a FluidWorld,
    block: &'a Block,
}

impl LaneKernel for DensityOfBlock<'_> {
    type Output = (Lanes, Lanes);

    #[inline(always)]
    fn run(self) -> (Lanes, Lanes) {
        let Self { world, block } = self;
        let positions = world.particles.positions();
        let inverse_radius = world.coefficients.inverse_radius;
        let x = gather(block, |i| positions[i].x);
        let y = gather(block, |i| positions[i].y);
        // The sums below count the particle itself, with q = 1.
        let (mut density, mut near_density) = ([-1.0; LANES], [-1.0; LANES]);
        for span in block.spans() {
            for position in &positions[span] {
                for lane in 0..LANES {
                    let (dx, dy) = (position.x - x[lane], position.y - y[lane]);
                    let distance = (dx * dx + dy * dy).sqrt();
                    let q = positive(1.0 - distance * inverse_radius);
                    density[lane] += q * q;
                    near_density[lane] += q * q * q;
                }
            }
        }
        (density, near_density)
    }
}

/// Adds the walls' density to that of the pairs, and derives the pressures.
fn state_of(world: &FluidWorld, place: usize, density: f32, near_density: f32) -> ParticleState {
    let coefficients = &world.coefficients;
    let class = world.particles.class[place].index();
    let (mut density, mut near_density) = (positive(density), positive(near_density));
    for_each_ghost(world, place, |ghost, _| {
        let behind = coefficients.classes[class].ghost_density;
        density += behind * ghost.density;
        near_density += behind * ghost.near_density;
    });
    let (pressure, near_pressure) = coefficients.pressures(density, near_density, class);
    let mass = pressure_mass(coefficients, class);
    ParticleState {
        density,
        near_density,
        pressure: mass * pressure,
        near_pressure: mass * near_pressure,
    }
}

/// What pressures are multiplied by before they are summed over a pair.
fn pressure_mass(coefficients: &Coefficients, class: usize) -> f32 {
    if coefficients.inverse_mass_split { 1.0 } else { coefficients.classes[class].mass }
}

struct BlockSums {
    x: Lanes,
    y: Lanes,
    /// How many candidates lie at the particle's own place, itself included.
    coincident: Lanes,
}

/// `-sum_j [(P_i + P_j) q + (Pn_i + Pn_j) q^2 - A_ij q (1 - q)] r_hat` for each particle of a block,
/// times its share against `j` where masses split displacements.
struct DisplacementOfBlock<'a, const SHARED: bool, const COHESIVE: bool> {
    world: &'a FluidWorld,
    block: &'a Block,
}

impl<const SHARED: bool, const COHESIVE: bool> LaneKernel
    for DisplacementOfBlock<'_, SHARED, COHESIVE>
{
    type Output = BlockSums;

    #[inline(always)]
    fn run(self) -> BlockSums {
        let Self { world, block } = self;
        let coefficients = &world.coefficients;
        let positions = world.particles.positions();
        let (classes, states) = (world.particles.classes(), &world.states);
        let class_count = coefficients.classes.len();
        let x = gather(block, |i| positions[i].x);
        let y = gather(block, |i| positions[i].y);
        let pressure = gather(block, |i| states[i].pressure);
        let near_pressure = gather(block, |i| states[i].near_pressure);
        let squared_coincidence = coefficients.coincidence * coefficients.coincidence;
        let mut sums = BlockSums { x: [0.0; LANES], y: [0.0; LANES], coincident: [0.0; LANES] };
        for span in block.spans() {
            let others = positions[span.clone()].iter().zip(&states[span.clone()]);
            for ((position, state), class) in others.zip(&classes[span]) {
                let share = if SHARED {
                    gather(block, |i| {
                        let row = classes[i].index() * class_count;
                        coefficients.inverse_mass_shares[row + class.index()]
                    })
                } else {
                    [1.0; LANES]
                };
                let attraction = if COHESIVE {
                    gather(block, |i| {
                        let row = classes[i].index() * class_count;
                        coefficients.attractions[row + class.index()]
                    })
                } else {
                    [0.0; LANES]
                };
                for lane in 0..LANES {
                    let (dx, dy) = (position.x - x[lane], position.y - y[lane]);
                    let squared = dx * dx + dy * dy;
                    let distance = squared.sqrt();
                    let together = squared < squared_coincidence;
                    let inverse = if together { 0.0 } else { 1.0 / distance };
                    sums.coincident[lane] += if together { 1.0 } else { 0.0 };
                    let q = positive(1.0 - distance * coefficients.inverse_radius);
                    let pressing = (pressure[lane] + state.pressure)
                        + (near_pressure[lane] + state.near_pressure) * q;
                    let strength =
                        if COHESIVE { pressing - attraction[lane] * (1.0 - q) } else { pressing };
                    let along = if SHARED {
                        strength * q * inverse * share[lane]
                    } else {
                        strength * q * inverse
                    };
                    sums.x[lane] -= along * dx;
                    sums.y[lane] -= along * dy;
                }
            }
        }
        sums
    }
}

/// The same sum over the pairs that have no direction of their own.
#[inline]
fn coincident_displacement(
    world: &FluidWorld,
    block: &Block,
    place: usize,
    coincident: f32,
) -> Vec2 {
    // The particle coincides with itself.
    if coincident <= 1.0 {
        return Vec2::ZERO;
    }
    let coefficients = &world.coefficients;
    let particles = &world.particles;
    let squared_coincidence = coefficients.coincidence * coefficients.coincidence;
    let class = particles.class[place].index();
    let state = &world.states[place];
    let mut sum = Vec2::ZERO;
    for other in block.spans().flatten() {
        let offset = particles.position[other] - particles.position[place];
        if other == place || offset.length_squared() >= squared_coincidence {
            continue;
        }
        let q = 1.0 - offset.length() * coefficients.inverse_radius;
        let strength = (state.pressure + world.states[other].pressure)
            + (state.near_pressure + world.states[other].near_pressure) * q;
        let share = if coefficients.inverse_mass_split {
            let row = class * coefficients.classes.len();
            coefficients.inverse_mass_shares[row + particles.class[other].index()]
        } else {
            1.0
        };
        let axis = separation_axis(particles.id[place], particles.id[other]);
        sum -= axis * (strength * q * share);
    }
    sum
}

/// Scales the sum over pairs to a displacement and adds the walls' push.
fn total_displacement(world: &FluidWorld, place: usize, pairs: Vec2) -> Vec2 {
    let coefficients = &world.coefficients;
    let class = world.particles.class[place].index();
    let squared_step = coefficients.time_step * coefficients.time_step;
    let per_pair = if coefficients.inverse_mass_split {
        1.0
    } else {
        0.5 * coefficients.classes[class].inverse_mass
    };
    let mut displacement = pairs * (squared_step * per_pair);
    let state = &world.states[place];
    let per_mass = 1.0 / pressure_mass(coefficients, class);
    for_each_ghost(world, place, |ghost, near| {
        let behind = coefficients.classes[class].ghost_density * 0.5 * per_mass;
        let push = behind * (state.pressure * ghost.push + state.near_pressure * ghost.near_push);
        let held = if push < 0.0 { push * near.surface.wetting } else { push };
        displacement += near.normal * (squared_step * held);
    });
    displacement
}

/// Calls `visit` with what each ghost wall near a particle adds, and the wall.
#[inline]
fn for_each_ghost(world: &FluidWorld, place: usize, mut visit: impl FnMut(GhostWall, NearSurface)) {
    let coefficients = &world.coefficients;
    if !coefficients.has_ghost_walls() {
        return;
    }
    let home = world.particles.previous_position[place];
    let position = world.particles.position[place];
    world.solids.near(home, position, coefficients.interaction_radius, |near| {
        visit(ghost_wall(near.distance * coefficients.inverse_radius), near);
    });
}
