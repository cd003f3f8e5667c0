//! Double density relaxation (Clavet et al. 2005, Algorithm 2), as a symmetric gather.
//!
//! The paper moves pairs one after the other; here every particle sums its own displacement from
//! positions and pressures frozen before the pass. That needs no order, and a pair's two
//! displacements stay equal and opposite in force.

use std::ops::Range;

use glam::Vec2;

use crate::bounds::Bounds;
use crate::class_table::ClassTable;
use crate::coefficients::Coefficients;
use crate::executor::Executor;
use crate::grid::{Block, LANES};
use crate::instructions::{self, LaneKernel};
use crate::kernel::{GhostWall, ghost_wall, positive};
use crate::pass::CHUNK;
use crate::pass::hash::refresh_grid;
use crate::pass::pair::{Lanes, gather, separation_axis};
use crate::pass::viscosity::{Inviscid, OwnViscosity, ViscosityRows};
use crate::sleep::Activity;
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
/// its class is attracted to by `1/2 (dt^2/m_i) sum_j A_ij q (1 - q) r_hat` (not in the paper), away
/// from walls by what the liquid behind them would add, and by `dt` times what viscosity exchanges
/// in the last of its sweeps (see [`apply_viscosity`](crate::pass::apply_viscosity)).
///
/// See [`FluidParameters`](crate::FluidParameters) for the pressures' form. Where particles were
/// added, removed or moved since [`hash_positions`](crate::pass::hash_positions), they are hashed
/// again.
pub fn relax_density<E: Executor>(world: &mut FluidWorld, executor: &E) {
    refresh_grid(world, executor);
    find_densities(world, executor);
    let mut displacements = std::mem::take(&mut world.scratch.vectors);
    displacements.clear();
    displacements.resize(world.particles.len(), Vec2::ZERO);
    let coefficients = &world.coefficients;
    match (coefficients.inverse_mass_split, !coefficients.attractions.is_empty()) {
        (false, false) => displace::<false, false, E>(world, &mut displacements, executor),
        (false, true) => displace::<false, true, E>(world, &mut displacements, executor),
        (true, false) => displace::<true, false, E>(world, &mut displacements, executor),
        (true, true) => displace::<true, true, E>(world, &mut displacements, executor),
    }
    world.particles.displace_all(&displacements, executor);
    world.scratch.vectors = displacements;
    world.grid_is_current = false;
}

/// Every particle's displacement, from frozen positions, pressures and velocities.
fn displace<const SHARED: bool, const COHESIVE: bool, E: Executor>(
    world: &FluidWorld,
    displacements: &mut [Vec2],
    executor: &E,
) {
    let viscous = world.coefficients.is_viscous();
    let uniform = world.coefficients.uniform_viscosity.unwrap_or_default();
    executor.for_each_chunk(displacements, CHUNK, |chunk_index, chunk| {
        let start = chunk_index * CHUNK;
        let mut rows = ViscosityRows::new(&world.coefficients);
        if !takes_part(world, start..start + chunk.len(), Activity::Awake) {
            return;
        }
        let by_walls = may_meet_walls(world, start..start + chunk.len());
        for block in world.grid.blocks(start..start + chunk.len()) {
            if !takes_part(world, block.particles.clone(), Activity::Awake) {
                continue;
            }
            if viscous {
                rows.fill(&world.coefficients, world.particles.classes(), &block, 0);
            }
            let share = &rows.share;
            let sums = match &rows.own {
                _ if !viscous => instructions::run(DisplacementOfBlock::<SHARED, COHESIVE, _> {
                    world,
                    block: &block,
                    share,
                    own: Inviscid,
                }),
                None => instructions::run(DisplacementOfBlock::<SHARED, COHESIVE, _> {
                    world,
                    block: &block,
                    share,
                    own: uniform,
                }),
                Some(own) => instructions::run(DisplacementOfBlock::<SHARED, COHESIVE, _> {
                    world,
                    block: &block,
                    share,
                    own,
                }),
            };
            for (lane, place) in block.particles.clone().enumerate() {
                let pairs = Vec2::new(sums.x[lane], sums.y[lane])
                    + coincident_displacement(world, &block, place, sums.coincident[lane]);
                chunk[place - start] = pairs;
                if by_walls {
                    chunk[place - start] += wall_displacement(world, place);
                }
            }
        }
    });
}

/// Densities and pressures from the frozen positions.
fn find_densities<E: Executor>(world: &mut FluidWorld, executor: &E) {
    let mut states = std::mem::take(&mut world.states);
    states.clear();
    states.resize(world.particles.len(), ParticleState::default());
    let frozen = &*world;
    executor.for_each_chunk(&mut states[..], CHUNK, |chunk_index, chunk| {
        let start = chunk_index * CHUNK;
        if !takes_part(frozen, start..start + chunk.len(), Activity::Pressing) {
            return;
        }
        let by_walls = may_meet_walls(frozen, start..start + chunk.len());
        for block in frozen.grid.blocks(start..start + chunk.len()) {
            if !takes_part(frozen, block.particles.clone(), Activity::Pressing) {
                continue;
            }
            let (density, near_density) =
                instructions::run(DensityOfBlock { world: frozen, block: &block });
            for (lane, place) in block.particles.enumerate() {
                let (density, near_density) =
                    (positive(density[lane]), positive(near_density[lane]));
                let of_walls = if by_walls { wall_densities(frozen, place) } else { (0.0, 0.0) };
                let densities = (density + of_walls.0, near_density + of_walls.1);
                chunk[place - start] = state_of(frozen, place, densities);
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

/// What the walls add to a particle's density and near density.
fn wall_densities(world: &FluidWorld, place: usize) -> (f32, f32) {
    let class = world.particles.class[place].index();
    let behind = world.coefficients.classes[class].ghost_density;
    let (mut density, mut near_density) = (0.0, 0.0);
    for_each_ghost(world, place, |ghost, _| {
        density += behind * ghost.density;
        near_density += behind * ghost.near_density;
    });
    (density, near_density)
}

/// Derives the pressures from the densities.
fn state_of(
    world: &FluidWorld,
    place: usize,
    (density, near_density): (f32, f32),
) -> ParticleState {
    let coefficients = &world.coefficients;
    let class = world.particles.class[place].index();
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

/// What moves each particle of a block against each other: `-sum_j [(P_i + P_j) q
/// + (Pn_i + Pn_j) q^2 - A_ij q (1 - q)] r_hat`, times its part of it, and viscosity.
struct DisplacementOfBlock<'a, const SHARED: bool, const COHESIVE: bool, Own> {
    world: &'a FluidWorld,
    block: &'a Block,
    /// Of what viscosity exchanges with each class.
    share: &'a [Lanes; ClassTable::MAX_CLASSES],
    own: Own,
}

impl<const SHARED: bool, const COHESIVE: bool, Own: OwnViscosity> LaneKernel
    for DisplacementOfBlock<'_, SHARED, COHESIVE, Own>
{
    type Output = BlockSums;

    #[inline(always)]
    fn run(self) -> BlockSums {
        let Self { world, block, share, own } = self;
        let coefficients = &world.coefficients;
        let time_step = coefficients.time_step;
        let positions = world.particles.positions();
        let velocities = world.particles.velocities();
        let (classes, states) = (world.particles.classes(), &world.states);
        let class_count = coefficients.classes.len();
        let x = gather(block, |i| positions[i].x);
        let y = gather(block, |i| positions[i].y);
        let velocity_x = gather(block, |i| velocities[i].x);
        let velocity_y = gather(block, |i| velocities[i].y);
        let pressure = gather(block, |i| states[i].pressure);
        let near_pressure = gather(block, |i| states[i].near_pressure);
        let per_pair = gather(block, |i| pressure_displacement(coefficients, classes[i].index()));
        let squared_coincidence = coefficients.coincidence * coefficients.coincidence;
        let mut sums = BlockSums { x: [0.0; LANES], y: [0.0; LANES], coincident: [0.0; LANES] };
        for span in block.spans() {
            let others = positions[span.clone()].iter().zip(&states[span.clone()]);
            let others = others.zip(&velocities[span.clone()]).zip(&classes[span]);
            for (((position, state), velocity), class) in others {
                let class = class.index();
                let viscosity_share = &share[class];
                let mass_share = if SHARED {
                    gather(block, |i| {
                        coefficients.inverse_mass_shares[classes[i].index() * class_count + class]
                    })
                } else {
                    [1.0; LANES]
                };
                let attraction = if COHESIVE {
                    gather(block, |i| {
                        coefficients.attractions[classes[i].index() * class_count + class]
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
                    let mut strength = (pressure[lane] + state.pressure)
                        + (near_pressure[lane] + state.near_pressure) * q;
                    if COHESIVE {
                        strength -= attraction[lane] * (1.0 - q);
                    }
                    if SHARED {
                        strength *= mass_share[lane];
                    }
                    strength *= per_pair[lane];
                    if Own::ACTS {
                        let approach = ((velocity_x[lane] - velocity.x) * dx
                            + (velocity_y[lane] - velocity.y) * dy)
                            * inverse;
                        let limit = coefficients.viscosity_limit;
                        let exchanged = own.exchange(lane, class, approach, limit);
                        strength += exchanged * (viscosity_share[lane] * time_step);
                    }
                    let along = strength * (q * inverse);
                    sums.x[lane] -= along * dx;
                    sums.y[lane] -= along * dy;
                }
            }
        }
        sums
    }
}

/// Displacement of a particle by a pressure of 1 against another.
#[inline(always)]
fn pressure_displacement(coefficients: &Coefficients, class: usize) -> f32 {
    let squared_step = coefficients.time_step * coefficients.time_step;
    if coefficients.inverse_mass_split {
        squared_step
    } else {
        squared_step * (0.5 * coefficients.classes[class].inverse_mass)
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
    sum * pressure_displacement(coefficients, class)
}

/// The walls' push.
fn wall_displacement(world: &FluidWorld, place: usize) -> Vec2 {
    let coefficients = &world.coefficients;
    let class = world.particles.class[place].index();
    let squared_step = coefficients.time_step * coefficients.time_step;
    let mut displacement = Vec2::ZERO;
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
    let home = world.particles.previous_position[place];
    let position = world.particles.position[place];
    world.solids.near(home, position, coefficients.interaction_radius, |near| {
        visit(ghost_wall(near.distance * coefficients.inverse_radius), near);
    });
}

/// Whether some of these particles take part in a pass for those who are that active.
#[inline]
fn takes_part(world: &FluidWorld, places: Range<usize>, least: Activity) -> bool {
    world.particles.activity[places].iter().any(|activity| *activity >= least)
}

/// Whether the walls may add anything to some of these particles.
fn may_meet_walls(world: &FluidWorld, places: Range<usize>) -> bool {
    let bounds = Bounds::of(&world.particles.position[places]);
    world.coefficients.has_ghost_walls()
        && world.solids.may_meet(bounds, world.coefficients.interaction_radius, 0.0)
}
