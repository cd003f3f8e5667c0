//! Double density relaxation (Clavet et al. 2005, Algorithm 2), as a symmetric gather.
//!
//! The paper moves pairs one after the other; here every particle sums its own displacement from
//! positions and pressures frozen before the pass. That needs no order, and a pair's two
//! displacements stay equal and opposite in force.

use std::ops::Range;

use glam::Vec2;

use crate::class_table::ClassTable;
use crate::coefficients::{ClassCoefficients, Coefficients};
use crate::executor::{Executor, PerChunk};
use crate::grid::{Block, LANES};
use crate::instructions::{self, LaneKernel};
use crate::kernel::positive;
use crate::pass::CHUNK;
use crate::pass::ghost_walls::{
    WallNear, closer_walls, press_on_colliders, wall_densities, wall_displacement, walls_around,
};
use crate::pass::hash::refresh_grid;
use crate::pass::pair::{ClassLanes, Lanes, gather, separation_axis};
use crate::pass::viscosity::{Inviscid, OwnViscosity, ViscosityRows};
use crate::sleep::Activity;
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
    if world.solids.any_feels() {
        press_on_colliders(world, executor);
    }
    world.particles.displace_all(&displacements, executor);
    world.scratch.vectors = displacements;
    world.has_moved();
}

/// Every particle's displacement, from frozen positions, pressures and velocities.
fn displace<const SHARED: bool, const COHESIVE: bool, E: Executor>(
    world: &FluidWorld,
    displacements: &mut [Vec2],
    executor: &E,
) {
    executor.for_each_chunk(displacements, CHUNK, |index, displacements| {
        if takes_part(world, chunk_of(index, displacements.len()), Activity::Awake) {
            displace_chunk::<SHARED, COHESIVE>(world, index, displacements);
        }
    });
}

/// Densities and pressures from the frozen positions, and who is near whom.
fn find_densities<E: Executor>(world: &mut FluidWorld, executor: &E) {
    let mut states = std::mem::take(&mut world.states);
    let mut neighbours = std::mem::take(&mut world.neighbours);
    let mut relative = std::mem::take(&mut world.particles.relative_density);
    let count = world.particles.len();
    states.clear();
    states.resize(count, ParticleState::default());
    neighbours.resize_with(count.div_ceil(CHUNK), Neighbours::default);
    let frozen = &*world;
    let found = (&mut states[..], &mut relative[..], PerChunk::new(&mut neighbours, count, CHUNK));
    executor.for_each_chunk(found, CHUNK, |index, (states, relative, neighbours)| {
        let neighbours = neighbours.item();
        neighbours.clear();
        if takes_part(frozen, chunk_of(index, states.len()), Activity::Pressing) {
            find_densities_of_chunk(frozen, index, states, relative, neighbours);
        }
    });
    world.states = states;
    world.neighbours = neighbours;
    world.particles.relative_density = relative;
}

/// The places of a chunk's particles.
fn chunk_of(index: usize, particles: usize) -> Range<usize> {
    index * CHUNK..index * CHUNK + particles
}

/// Finds the states of a chunk's particles, and the neighbours of its blocks.
fn find_densities_of_chunk(
    world: &FluidWorld,
    index: usize,
    states: &mut [ParticleState],
    relative: &mut [f32],
    neighbours: &mut Neighbours,
) {
    let places = chunk_of(index, states.len());
    let start = places.start;
    let near_walls = walls_around(world, places.clone());
    for block in world.grid.blocks(places) {
        let block = &block;
        if !takes_part(world, block.particles.clone(), Activity::Pressing) {
            neighbours.end_block(0, false);
            continue;
        }
        let near = neighbours.room_for(block.spans().map(|span| span.len()).sum());
        let mut found = instructions::run(DensityOfBlock { world, block, near });
        // Every particle coincides with itself.
        let coincide = found.coincident.iter().any(|count| *count > 1.0);
        neighbours.end_block(found.near, coincide);
        if let Some(walls) = closer_walls(world, &near_walls, block.particles.clone()) {
            for (lane, place) in block.particles.clone().enumerate() {
                let (density, near_density) =
                    wall_densities(world, &walls, place, &mut neighbours.walls);
                found.density[lane] += density;
                found.near_density[lane] += near_density;
            }
        }
        let Densities { density, near_density, .. } = found;
        let pressures = PressuresOfBlock { world, block, density, near_density };
        let (pressure, near_pressure) = instructions::run(pressures);
        for (lane, place) in block.particles.clone().enumerate() {
            states[place - start] = ParticleState {
                density: density[lane],
                near_density: near_density[lane],
                pressure: pressure[lane],
                near_pressure: near_pressure[lane],
            };
            let class = world.particles.class[place].index();
            let at_rest = world.coefficients.classes[class].equilibrium_density;
            relative[place - start] = density[lane] / at_rest;
        }
    }
}

/// Finds the displacements of a chunk's particles.
fn displace_chunk<const SHARED: bool, const COHESIVE: bool>(
    world: &FluidWorld,
    index: usize,
    displacements: &mut [Vec2],
) {
    let places = chunk_of(index, displacements.len());
    let start = places.start;
    let viscous = world.coefficients.is_viscous();
    let uniform = world.coefficients.uniform_viscosity.unwrap_or_default();
    let mut rows = ViscosityRows::new(&world.coefficients);
    let neighbours = &world.neighbours[index];
    let mut walls = neighbours.walls();
    for (number, block) in world.grid.blocks(places).enumerate() {
        let block = &block;
        if !takes_part(world, block.particles.clone(), Activity::Awake) {
            continue;
        }
        if viscous {
            rows.fill(&world.coefficients, world.particles.classes(), block, 0);
        }
        let (near, coincide) = neighbours.of_block(number);
        let pairs = PairsOfBlock { world, block, near, share: &rows.share };
        let (x, y) = match &rows.own {
            _ if !viscous => instructions::run(DisplacementOfBlock::<SHARED, COHESIVE, _> {
                pairs,
                own: Inviscid,
            }),
            None => instructions::run(DisplacementOfBlock::<SHARED, COHESIVE, _> {
                pairs,
                own: uniform,
            }),
            Some(own) => {
                instructions::run(DisplacementOfBlock::<SHARED, COHESIVE, _> { pairs, own })
            }
        };
        for (lane, place) in block.particles.clone().enumerate() {
            let mut displacement = Vec2::new(x[lane], y[lane]);
            if coincide {
                displacement += coincident_displacement(world, near, place);
            }
            displacement += wall_displacement(world, place, &mut walls);
            displacements[place - start] = displacement;
        }
    }
}

/// For each block of a chunk, the places of those that are near some particle of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Neighbours {
    places: Vec<u32>,
    /// Where each block's end, and whether particles coincide with some of the block's.
    ends: Vec<(u32, bool)>,
    used: usize,
    /// In the order of their particles.
    walls: Vec<WallNear>,
}

impl Neighbours {
    fn clear(&mut self) {
        self.ends.clear();
        self.used = 0;
        self.walls.clear();
    }

    /// The walls near the chunk's particles, in the order of these.
    pub(crate) fn walls(&self) -> &[WallNear] {
        &self.walls
    }

    /// Where to write a block's, at most that many.
    fn room_for(&mut self, most: usize) -> &mut [u32] {
        let needed = self.used + most;
        if self.places.len() < needed {
            // More than needed, so that a liquid on the move seldom asks for more.
            self.places.resize((2 * needed).next_power_of_two(), 0);
        }
        &mut self.places[self.used..needed]
    }

    /// Keeps the first of those written.
    fn end_block(&mut self, found: usize, coincide: bool) {
        self.used += found;
        self.ends.push((self.used as u32, coincide));
    }

    /// Those of a block, and whether some coincide.
    fn of_block(&self, index: usize) -> (&[u32], bool) {
        let start = if index == 0 { 0 } else { self.ends[index - 1].0 };
        let (end, coincide) = self.ends[index];
        (&self.places[start as usize..end as usize], coincide)
    }
}

/// Finds the densities of the particles in a block, and who is near any of them.
struct DensityOfBlock<'a> {
    world: &'a FluidWorld,
    block: &'a Block,
    /// The places of these.
    near: &'a mut [u32],
}

struct Densities {
    /// `sum q^2`.
    density: Lanes,
    /// `sum q^3`.
    near_density: Lanes,
    /// How many candidates lie at the particle's own place, itself included.
    coincident: Lanes,
    /// How many are near any.
    near: usize,
}

impl LaneKernel for DensityOfBlock<'_> {
    type Output = Densities;

    #[inline(always)]
    fn run(self) -> Densities {
        let Self { world, block, near } = self;
        let positions = world.particles.positions();
        let coefficients = &world.coefficients;
        let inverse_radius = coefficients.inverse_radius;
        let squared_coincidence = coefficients.coincidence * coefficients.coincidence;
        let x = gather(block, positions, |own| own.x);
        let y = gather(block, positions, |own| own.y);
        // The sums below count the particle itself, with q = 1.
        let (mut density, mut near_density) = ([-1.0; LANES], [-1.0; LANES]);
        let mut coincident = [0.0; LANES];
        let mut found = 0;
        for span in block.spans() {
            for (place, position) in span.clone().zip(&positions[span]) {
                // The bits of 0 are 0, and those of what is more are not.
                let mut any = 0;
                for lane in 0..LANES {
                    let (dx, dy) = (position.x - x[lane], position.y - y[lane]);
                    let squared = dx * dx + dy * dy;
                    let q = positive(1.0 - squared.sqrt() * inverse_radius);
                    density[lane] += q * q;
                    near_density[lane] += q * q * q;
                    coincident[lane] += if squared < squared_coincidence { 1.0 } else { 0.0 };
                    any |= q.to_bits();
                }
                near[found] = place as u32;
                found += usize::from(any != 0);
            }
        }
        Densities {
            density: density.map(positive),
            near_density: near_density.map(positive),
            coincident,
            near: found,
        }
    }
}

/// Derives the pressures of a block's particles from their densities, times their masses where
/// these are not in the pairs' shares.
struct PressuresOfBlock<'a> {
    world: &'a FluidWorld,
    block: &'a Block,
    density: Lanes,
    near_density: Lanes,
}

impl LaneKernel for PressuresOfBlock<'_> {
    type Output = (Lanes, Lanes);

    #[inline(always)]
    fn run(self) -> (Lanes, Lanes) {
        let Self { world, block, density, near_density } = self;
        let coefficients = &world.coefficients;
        let classes = ClassLanes::of(block, world.particles.classes());
        let own = |class: usize| &coefficients.classes[class];
        let stiffness = classes.map(|class| own(class).stiffness);
        let near_stiffness = classes.map(|class| own(class).near_stiffness);
        let rest_density = classes.map(|class| own(class).rest_density);
        let equilibrium_density = classes.map(|class| own(class).equilibrium_density);
        let mass = classes.map(|class| pressure_mass(coefficients, own(class)));
        let (mut pressure, mut near_pressure) = ([0.0; LANES], [0.0; LANES]);
        for lane in 0..LANES {
            let (far, near) = coefficients.pressures(
                density[lane],
                near_density[lane],
                (stiffness[lane], near_stiffness[lane]),
                (rest_density[lane], equilibrium_density[lane]),
            );
            pressure[lane] = mass[lane] * far;
            near_pressure[lane] = mass[lane] * near;
        }
        (pressure, near_pressure)
    }
}

/// What pressures are multiplied by before they are summed over a pair.
#[inline(always)]
pub(super) fn pressure_mass(coefficients: &Coefficients, class: &ClassCoefficients) -> f32 {
    if coefficients.inverse_mass_split { 1.0 } else { class.mass }
}

/// The pairs between the particles of a block and those near them.
struct PairsOfBlock<'a> {
    world: &'a FluidWorld,
    block: &'a Block,
    /// Places of those near some particle of the block.
    near: &'a [u32],
    /// Of what viscosity exchanges with each class.
    share: &'a [Lanes; ClassTable::MAX_CLASSES],
}

/// What moves each particle of a block: `-sum_j [(P_i + P_j) q + (Pn_i + Pn_j) q^2
/// - A_ij q (1 - q)] r_hat`, times its part of it, and viscosity.
struct DisplacementOfBlock<'a, const SHARED: bool, const COHESIVE: bool, Own> {
    pairs: PairsOfBlock<'a>,
    own: Own,
}

impl<const SHARED: bool, const COHESIVE: bool, Own: OwnViscosity> LaneKernel
    for DisplacementOfBlock<'_, SHARED, COHESIVE, Own>
{
    type Output = (Lanes, Lanes);

    #[inline(always)]
    fn run(self) -> (Lanes, Lanes) {
        let Self { pairs: PairsOfBlock { world, block, near, share }, own } = self;
        let coefficients = &world.coefficients;
        let time_step = coefficients.time_step;
        let positions = world.particles.positions();
        let velocities = world.particles.velocities();
        // Of the length of the others, so that one comparison tells that a place is in all.
        let velocities = &velocities[..positions.len()];
        let classes = &world.particles.classes()[..positions.len()];
        let states = &world.states[..positions.len()];
        let class_count = coefficients.classes.len();
        let x = gather(block, positions, |own| own.x);
        let y = gather(block, positions, |own| own.y);
        let velocity_x = gather(block, velocities, |own| own.x);
        let velocity_y = gather(block, velocities, |own| own.y);
        let pressure = gather(block, states, |own| own.pressure);
        let near_pressure = gather(block, states, |own| own.near_pressure);
        let own_classes = ClassLanes::of(block, classes);
        let per_pair = own_classes.map(|own| pressure_displacement(coefficients, own));
        let squared_coincidence = coefficients.coincidence * coefficients.coincidence;
        let (mut sum_x, mut sum_y) = ([0.0; LANES], [0.0; LANES]);
        for place in near {
            let place = *place as usize;
            let (position, velocity) = (&positions[place], &velocities[place]);
            let state = &states[place];
            let class = classes[place].index();
            let viscosity_share = &share[class];
            let mass_share = if SHARED {
                own_classes.map(|own| coefficients.inverse_mass_shares[own * class_count + class])
            } else {
                [1.0; LANES]
            };
            let attraction = if COHESIVE {
                own_classes.map(|own| coefficients.attractions[own * class_count + class])
            } else {
                [0.0; LANES]
            };
            for lane in 0..LANES {
                let (dx, dy) = (position.x - x[lane], position.y - y[lane]);
                let squared = dx * dx + dy * dy;
                let distance = squared.sqrt();
                let together = squared < squared_coincidence;
                let inverse = if together { 0.0 } else { 1.0 / distance };
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
                sum_x[lane] -= along * dx;
                sum_y[lane] -= along * dy;
            }
        }
        (sum_x, sum_y)
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
fn coincident_displacement(world: &FluidWorld, near: &[u32], place: usize) -> Vec2 {
    let coefficients = &world.coefficients;
    let particles = &world.particles;
    let squared_coincidence = coefficients.coincidence * coefficients.coincidence;
    let class = particles.class[place].index();
    let state = &world.states[place];
    let mut sum = Vec2::ZERO;
    for other in near.iter().map(|other| *other as usize) {
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

/// Whether some of these particles take part in a pass for those who are that active.
#[inline]
pub(super) fn takes_part(world: &FluidWorld, places: Range<usize>, least: Activity) -> bool {
    world.particles.activity[places].iter().any(|activity| *activity >= least)
}
