//! Double density relaxation (Clavet et al. 2005, Algorithm 2), as a symmetric gather.
//!
//! The paper moves pairs one after the other; here every particle sums its own displacement from
//! positions and pressures frozen before the pass. That needs no order, and a pair's two
//! displacements stay equal and opposite in force.

use std::ops::Range;

use glam::Vec2;

use crate::coefficients::{ClassCoefficients, Coefficients};
use crate::executor::{Executor, PerChunk};
use crate::grid::{Block, LANES};
use crate::instructions::{self, LaneKernel};
use crate::kernel::positive;
use crate::pass::CHUNK;
use crate::pass::ghost_walls::{WallDensities, WallNear, press_on_colliders, wall_displacement};
use crate::pass::hash::refresh_grid;
use crate::pass::pair::{ClassLanes, Lanes, gather, separation_axis};
use crate::pass::viscosity::{ViscosityRow, ViscosityRows};
use crate::sleep::Activity;
use crate::world::FluidWorld;

/// What the relaxation knows of one particle's pressures.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Pressures {
    /// `m P`, or `P` where masses split displacements.
    pub far: f32,
    /// `m P_near/h`, or `P_near/h` where masses split displacements: times `h - r`.
    pub near: f32,
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
    find_pressures(world, executor);
    let mut displacements = std::mem::take(&mut world.scratch.vectors);
    let mut rows = std::mem::take(&mut world.scratch.viscosity_rows);
    let count = world.particles.len();
    displacements.resize(count, Vec2::ZERO);
    rows.resize_with(count.div_ceil(CHUNK), ViscosityRows::default);
    let found = (&mut displacements[..], PerChunk::new(&mut rows, count, CHUNK));
    let coefficients = &world.coefficients;
    match (coefficients.inverse_mass_split, !coefficients.attractions.is_empty()) {
        (false, false) => displace::<false, false, E>(world, found, executor),
        (false, true) => displace::<false, true, E>(world, found, executor),
        (true, false) => displace::<true, false, E>(world, found, executor),
        (true, true) => displace::<true, true, E>(world, found, executor),
    }
    world.scratch.viscosity_rows = rows;
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
    found: (&mut [Vec2], PerChunk<ViscosityRows>),
    executor: &E,
) {
    executor.for_each_chunk(found, CHUNK, |index, (displacements, rows)| {
        if takes_part(world, chunk_of(index, displacements.len()), Activity::Awake) {
            displace_chunk::<SHARED, COHESIVE>(world, index, displacements, rows.item());
        } else {
            displacements.fill(Vec2::ZERO);
        }
    });
}

/// Densities and pressures from the frozen positions, and who is near whom.
fn find_pressures<E: Executor>(world: &mut FluidWorld, executor: &E) {
    let mut pressures = std::mem::take(&mut world.pressures);
    let mut neighbours = std::mem::take(&mut world.neighbours);
    let mut relative = std::mem::take(&mut world.particles.relative_density);
    let count = world.particles.len();
    pressures.resize(count, Pressures::default());
    neighbours.resize_with(count.div_ceil(CHUNK), Neighbours::default);
    let frozen = &*world;
    let found =
        (&mut pressures[..], &mut relative[..], PerChunk::new(&mut neighbours, count, CHUNK));
    executor.for_each_chunk(found, CHUNK, |index, (pressures, relative, neighbours)| {
        let neighbours = neighbours.item();
        neighbours.clear();
        if takes_part(frozen, chunk_of(index, pressures.len()), Activity::Pressing) {
            find_pressures_of_chunk(frozen, index, pressures, relative, neighbours);
        } else {
            pressures.fill(Pressures::default());
        }
    });
    world.pressures = pressures;
    world.neighbours = neighbours;
    world.particles.relative_density = relative;
}

/// The places of a chunk's particles.
fn chunk_of(index: usize, particles: usize) -> Range<usize> {
    index * CHUNK..index * CHUNK + particles
}

/// What walls add to the densities of a block where there are none.
const NO_WALLS: (Lanes, Lanes) = ([0.0; LANES], [0.0; LANES]);

/// Finds the pressures of a chunk's particles, and the neighbours of its blocks.
fn find_pressures_of_chunk(
    world: &FluidWorld,
    index: usize,
    pressures: &mut [Pressures],
    relative: &mut [f32],
    neighbours: &mut Neighbours,
) {
    let places = chunk_of(index, pressures.len());
    let start = places.start;
    let walls = WallDensities::of_chunk(world, places.clone(), &mut neighbours.walls);
    let mut blocks = world.grid.blocks(places);
    while let Some(block) = blocks.following() {
        let of_block = block.particles.start - start..block.particles.end - start;
        let pressures = &mut pressures[of_block.clone()];
        if !takes_part(world, block.particles.clone(), Activity::Pressing) {
            pressures.fill(Pressures::default());
            neighbours.end_block(block, 0, false);
            continue;
        }
        let behind_walls = walls.as_ref().map_or(NO_WALLS, |walls| walls.of_block(&of_block));
        let near = neighbours.room_for(block.spans().map(|span| span.len()).sum());
        let behind_walls = &behind_walls;
        let found = instructions::run(PressuresOfBlock { world, block, behind_walls, near });
        // Every particle coincides with itself.
        let coincide = found.coincident.iter().any(|count| *count > 1);
        neighbours.end_block(block, found.near, coincide);
        let relative = &mut relative[of_block];
        for (lane, (pressures, relative)) in pressures.iter_mut().zip(relative).enumerate() {
            *pressures = Pressures { far: found.pressure[lane], near: found.near_pressure[lane] };
            *relative = found.relative_density[lane];
        }
    }
}

/// Finds the displacements of a chunk's particles.
fn displace_chunk<const SHARED: bool, const COHESIVE: bool>(
    world: &FluidWorld,
    index: usize,
    displacements: &mut [Vec2],
    rows: &mut ViscosityRows,
) {
    let start = chunk_of(index, displacements.len()).start;
    let coefficients = &world.coefficients;
    let viscous = coefficients.is_viscous();
    if viscous {
        rows.prepare(coefficients);
    }
    let per_share = |own| coefficients.time_step / pressure_displacement(coefficients, own);
    let neighbours = &world.neighbours[index];
    let mut walls = neighbours.walls();
    for (particles, near, coincide) in neighbours.blocks(start) {
        let of_block = &mut displacements[particles.start - start..particles.end - start];
        if !takes_part(world, particles.clone(), Activity::Awake) {
            of_block.fill(Vec2::ZERO);
            continue;
        }
        let viscosity = if viscous {
            rows.of(coefficients, world.particles.classes(), &particles, 0, per_share)
        } else {
            &[]
        };
        let pairs = PairsOfBlock { world, particles: particles.clone(), near, viscosity };
        let (x, y) = if viscous {
            instructions::run(DisplacementOfBlock::<SHARED, COHESIVE, true>(pairs))
        } else {
            instructions::run(DisplacementOfBlock::<SHARED, COHESIVE, false>(pairs))
        };
        for (lane, displacement) in of_block.iter_mut().enumerate() {
            *displacement = Vec2::new(x[lane], y[lane]);
        }
        if coincide {
            for (place, displacement) in particles.clone().zip(&mut *of_block) {
                *displacement += coincident_displacement(world, near, place);
            }
        }
        if !walls.is_empty() {
            for (place, displacement) in particles.zip(of_block) {
                *displacement += wall_displacement(world, place, &mut walls);
            }
        }
    }
}

/// The blocks of a chunk, and for each the places of those that are near some particle of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Neighbours {
    places: Vec<u32>,
    blocks: Vec<BlockEnd>,
    used: usize,
    /// In the order of their particles.
    walls: Vec<WallNear>,
}

/// Where a block's part ends; it begins where the one before it ends.
#[derive(Clone, Copy, Debug)]
struct BlockEnd {
    /// The place after its last particle.
    particles: u32,
    /// Of its neighbours.
    places: u32,
    /// Whether particles coincide with some of the block's.
    coincide: bool,
}

impl Neighbours {
    fn clear(&mut self) {
        self.blocks.clear();
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
    fn end_block(&mut self, block: &Block, found: usize, coincide: bool) {
        self.used += found;
        self.blocks.push(BlockEnd {
            particles: block.particles.end as u32,
            places: self.used as u32,
            coincide,
        });
    }

    /// Particles and neighbours of each block of the chunk that starts at that place, and whether some
    /// coincide.
    fn blocks(&self, chunk_start: usize) -> impl Iterator<Item = (Range<usize>, &[u32], bool)> {
        let (mut first, mut first_place) = (chunk_start, 0);
        self.blocks.iter().map(move |block| {
            let particles = first..block.particles as usize;
            let places = first_place..block.places as usize;
            (first, first_place) = (particles.end, places.end);
            (particles, &self.places[places], block.coincide)
        })
    }
}

/// Finds the densities of the particles in a block, who is near any of them, and their pressures.
struct PressuresOfBlock<'a> {
    world: &'a FluidWorld,
    block: &'a Block,
    /// What the liquid behind walls adds to the density and the near density.
    behind_walls: &'a (Lanes, Lanes),
    /// The places of those near.
    near: &'a mut [u32],
}

struct PressuresFound {
    /// `m P`, or `P` where masses split displacements.
    pressure: Lanes,
    /// `m P_near/h`, or `P_near/h` where masses split displacements.
    near_pressure: Lanes,
    relative_density: Lanes,
    /// How many candidates lie at the particle's own place, itself included.
    coincident: [i32; LANES],
    /// How many are near any.
    near: usize,
}

impl LaneKernel for PressuresOfBlock<'_> {
    type Output = PressuresFound;

    #[inline(always)]
    fn run(self) -> PressuresFound {
        let Self { world, block, behind_walls, near } = self;
        let positions = world.particles.positions();
        let coefficients = &world.coefficients;
        let radius = coefficients.interaction_radius;
        let squared_coincidence = coefficients.coincidence * coefficients.coincidence;
        let x = gather(&block.particles, positions, |own| own.x);
        let y = gather(&block.particles, positions, |own| own.y);
        // Sums of `w^2` and `w^3`, where `w = h - r` spares a multiplication for each candidate. They
        // count the particle itself, with `w = h`.
        let squared_radius = radius * radius;
        let (mut sum, mut near_sum) = ([-squared_radius; LANES], [-squared_radius * radius; LANES]);
        let mut coincident = [0; LANES];
        let mut found = 0;
        for span in block.spans() {
            for (place, position) in span.clone().zip(&positions[span]) {
                // The bits of 0 are 0, and those of what is more are not.
                let mut any = 0;
                for lane in 0..LANES {
                    let (dx, dy) = (position.x - x[lane], position.y - y[lane]);
                    let squared = dx * dx + dy * dy;
                    let closeness = positive(radius - squared.sqrt());
                    let squared_closeness = closeness * closeness;
                    sum[lane] += squared_closeness;
                    near_sum[lane] += squared_closeness * closeness;
                    coincident[lane] += i32::from(squared < squared_coincidence);
                    any |= closeness.to_bits();
                }
                near[found] = place as u32;
                found += usize::from(any != 0);
            }
        }

        let classes = ClassLanes::of(&block.particles, world.particles.classes());
        let own = |class: usize| &coefficients.classes[class];
        let stiffness = classes.map(|class| own(class).stiffness);
        let near_stiffness = classes.map(|class| own(class).near_stiffness);
        let rest_density = classes.map(|class| own(class).rest_density);
        let equilibrium_density = classes.map(|class| own(class).equilibrium_density);
        let mass = classes.map(|class| pressure_mass(coefficients, own(class)));
        let inverse = coefficients.inverse_radius;
        let (per_square, per_cube) = (inverse * inverse, inverse * inverse * inverse);
        let (mut pressure, mut near_pressure) = ([0.0; LANES], [0.0; LANES]);
        let mut relative_density = [0.0; LANES];
        for lane in 0..LANES {
            let density = positive(sum[lane] * per_square) + behind_walls.0[lane];
            let near_density = positive(near_sum[lane] * per_cube) + behind_walls.1[lane];
            let (far, near) = coefficients.pressures(
                density,
                near_density,
                (stiffness[lane], near_stiffness[lane]),
                (rest_density[lane], equilibrium_density[lane]),
            );
            pressure[lane] = mass[lane] * far;
            near_pressure[lane] = mass[lane] * near * inverse;
            relative_density[lane] = density / equilibrium_density[lane];
        }
        PressuresFound { pressure, near_pressure, relative_density, coincident, near: found }
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
    particles: Range<usize>,
    /// Places of those near some particle of the block.
    near: &'a [u32],
    /// With each class, as a pressure; none where nothing is viscous.
    viscosity: &'a [ViscosityRow],
}

/// What moves each particle of a block: `-sum_j [(P_i + P_j) q + (Pn_i + Pn_j) q^2
/// - A_ij q (1 - q)] r_hat`, times its part of it, and viscosity.
struct DisplacementOfBlock<'a, const SHARED: bool, const COHESIVE: bool, const VISCOUS: bool>(
    PairsOfBlock<'a>,
);

impl<const SHARED: bool, const COHESIVE: bool, const VISCOUS: bool> LaneKernel
    for DisplacementOfBlock<'_, SHARED, COHESIVE, VISCOUS>
{
    type Output = (Lanes, Lanes);

    #[inline(always)]
    fn run(self) -> (Lanes, Lanes) {
        let Self(PairsOfBlock { world, particles, near, viscosity }) = self;
        let particles = &particles;
        let coefficients = &world.coefficients;
        let (radius, inverse_radius) =
            (coefficients.interaction_radius, coefficients.inverse_radius);
        let positions = world.particles.positions();
        let velocities = world.particles.velocities();
        // Of the length of the others, so that one comparison tells that a place is in all.
        let velocities = &velocities[..positions.len()];
        let classes = &world.particles.classes()[..positions.len()];
        let pressures = &world.pressures[..positions.len()];
        let class_count = coefficients.classes.len();
        let x = gather(particles, positions, |own| own.x);
        let y = gather(particles, positions, |own| own.y);
        let velocity_x = gather(particles, velocities, |own| own.x);
        let velocity_y = gather(particles, velocities, |own| own.y);
        let pressure = gather(particles, pressures, |own| own.far);
        let near_pressure = gather(particles, pressures, |own| own.near);
        let own_classes = ClassLanes::of(particles, classes);
        let squared_coincidence = coefficients.coincidence * coefficients.coincidence;
        let (mut sum_x, mut sum_y) = ([0.0; LANES], [0.0; LANES]);
        for place in near {
            let place = *place as usize;
            let (position, velocity) = (&positions[place], &velocities[place]);
            let other = &pressures[place];
            let class = classes[place].index();
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
            let viscosity = if VISCOUS { Some(&viscosity[class]) } else { None };
            for lane in 0..LANES {
                let (dx, dy) = (position.x - x[lane], position.y - y[lane]);
                let squared = dx * dx + dy * dy;
                let distance = squared.sqrt();
                let together = squared < squared_coincidence;
                // Does not wait for the root, as a division by it would.
                let inverse = if together { 0.0 } else { distance * (1.0 / squared) };
                // `h q`; what it is too much by is taken out of the sums.
                let closeness = positive(radius - distance);
                let mut strength =
                    (pressure[lane] + other.far) + (near_pressure[lane] + other.near) * closeness;
                if COHESIVE {
                    strength -= attraction[lane] * (1.0 - closeness * inverse_radius);
                }
                if SHARED {
                    strength *= mass_share[lane];
                }
                if let Some(viscosity) = viscosity {
                    let approach = ((velocity_x[lane] - velocity.x) * dx
                        + (velocity_y[lane] - velocity.y) * dy)
                        * inverse;
                    strength = viscosity.added_to(strength, lane, approach);
                }
                let along = strength * (closeness * inverse);
                sum_x[lane] -= along * dx;
                sum_y[lane] -= along * dy;
            }
        }
        let per_sum =
            own_classes.map(|own| pressure_displacement(coefficients, own) * inverse_radius);
        for lane in 0..LANES {
            sum_x[lane] *= per_sum[lane];
            sum_y[lane] *= per_sum[lane];
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
    let own = &world.pressures[place];
    let mut sum = Vec2::ZERO;
    for other in near.iter().map(|other| *other as usize) {
        let offset = particles.position[other] - particles.position[place];
        if other == place || offset.length_squared() >= squared_coincidence {
            continue;
        }
        let closeness = coefficients.interaction_radius - offset.length();
        let of_other = &world.pressures[other];
        let strength = (own.far + of_other.far) + (own.near + of_other.near) * closeness;
        let share = if coefficients.inverse_mass_split {
            let row = class * coefficients.classes.len();
            coefficients.inverse_mass_shares[row + particles.class[other].index()]
        } else {
            1.0
        };
        let axis = separation_axis(particles.id[place], particles.id[other]);
        sum -= axis * (strength * closeness * share);
    }
    sum * (pressure_displacement(coefficients, class) * coefficients.inverse_radius)
}

/// Whether some of these particles take part in a pass for those who are that active.
#[inline]
pub(super) fn takes_part(world: &FluidWorld, places: Range<usize>, least: Activity) -> bool {
    world.particles.activity[places].iter().any(|activity| *activity >= least)
}
