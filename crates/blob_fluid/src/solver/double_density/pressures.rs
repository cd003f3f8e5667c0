//! Densities and pressures (Clavet et al. 2005, Algorithm 2, lines 1-11).

use fearless_simd::prelude::*;

use crate::boundary::solids::{FreeDisc, FreeDiscs};
use crate::parallel::executor::{CHUNK, Executor, PerChunk, chunk_of};
use crate::parallel::instructions::{self, Instructions, LaneKernel};
use crate::parallel::lanes::{
    LANES, LaneCounts, Lanes, fast_max, fast_min, gather_points, positive, positive_lanes, splat,
};
use crate::particles::arrays::{Activity, takes_part};
use crate::solver::double_density::chunk_neighbours::{ChunkNeighbours, Surroundings};
use crate::solver::double_density::coefficients::{Frozen, Pressures};
use crate::solver::double_density::walls::WallDensities;
use crate::solver::equation_of_state::{
    EquationOfState, StatePressures, granular_pressures, pressures,
};
use crate::solver::neighbours::blocks::{Block, ClassLanes};
use crate::solver::neighbours::grid::Grid;

/// Computes densities and pressures from the frozen positions, and builds the neighbour lists.
pub(super) fn find_pressures(
    frozen: Frozen,
    grid: &Grid,
    known: Known<&mut [f32]>,
    pressures: &mut Vec<Pressures>,
    drags: &mut Vec<f32>,
    neighbours: &mut Vec<ChunkNeighbours>,
    free: &mut FreeDiscs,
    executor: &dyn Executor,
) {
    let count = frozen.particles.len();
    pressures.resize(count, Pressures::default());
    drags.resize(count, 0.0);
    neighbours.resize_with(count.div_ceil(CHUNK), ChunkNeighbours::default);
    let (free, find_free) = free.prepare(count, frozen.solids);
    let neighbours = PerChunk::new(neighbours, count, CHUNK);
    let pressures = (&mut pressures[..], &mut drags[..]);
    let found = (pressures, known.relative_density, known.resistance, neighbours, free);
    executor.for_each_chunk(found, CHUNK, |index, found| {
        let ((pressures, drags), relative_density, resistance, neighbours, free) = found;
        let neighbours = neighbours.item();
        neighbours.clear();
        let chunk = chunk_of(index, pressures.len());
        if takes_part(&frozen.particles.activity[chunk], Activity::Pressing) {
            let known = Known { relative_density, resistance };
            find_pressures_of_chunk(
                frozen, grid, index, pressures, drags, known, neighbours, free, find_free,
            );
        } else {
            free.fill(FreeDisc::UNKNOWN);
            pressures.fill(Pressures::default());
            drags.fill(0.0);
        }
    });
}

/// Contributions of walls to the densities of a block without walls nearby.
const NO_WALLS: (Lanes, Lanes) = ([0.0; LANES], [0.0; LANES]);

/// Computes the pressures of a chunk's particles, and builds the neighbour lists of its blocks.
fn find_pressures_of_chunk(
    frozen: Frozen,
    grid: &Grid,
    index: usize,
    pressures: &mut [Pressures],
    drags: &mut [f32],
    known: Known<&mut [f32]>,
    neighbours: &mut ChunkNeighbours,
    free: &mut [FreeDisc],
    find_free: bool,
) {
    let indices = chunk_of(index, pressures.len());
    let start = indices.start;
    let mut walls = WallDensities::NONE;
    let any_walls = walls.find(&frozen, indices.clone(), &mut neighbours.walls, free, find_free);
    let mut blocks = grid.blocks(indices);
    while let Some(block) = blocks.next() {
        let offsets = block.particles.start - start..block.particles.end - start;
        let pressures = &mut pressures[offsets.clone()];
        if !takes_part(&frozen.particles.activity[block.particles.clone()], Activity::Pressing) {
            pressures.fill(Pressures::default());
            drags[offsets].fill(0.0);
            neighbours.end_block(block, 0, Surroundings::default());
            continue;
        }
        let behind_walls = if any_walls { walls.of_block(&offsets) } else { NO_WALLS };
        let near = neighbours.room_for(block.spans().map(|span| span.len()).sum());
        let behind_walls = &behind_walls;
        let frozen = &frozen;
        let relative = &mut known.relative_density[offsets.clone()];
        let resistance = &mut known.resistance[offsets.clone()];
        let before = Known { relative_density: lanes(relative), resistance: lanes(resistance) };
        let is_grain = |particle: usize| {
            let class = frozen.particles.class[particle].index();
            frozen.pressure.classes[class].grains.is_some()
        };
        let granular = frozen.granular && block.particles.clone().any(is_grain);
        let classes = frozen.presence.in_ranges(block.spans());
        let own_classes = &frozen.particles.class[block.particles.clone()];
        let porous = frozen.pressure.seepage.may_act(own_classes, classes);
        let found = if granular || porous {
            instructions::run(PressuresOfBlock::<true> {
                frozen,
                block,
                behind_walls,
                before,
                porous,
                near,
            })
        } else {
            instructions::run(PressuresOfBlock::<false> {
                frozen,
                block,
                behind_walls,
                before,
                porous,
                near,
            })
        };
        for (drag, found) in drags[offsets].iter_mut().zip(found.drag) {
            *drag = found;
        }
        // Every particle is coincident with itself.
        let coincide = found.coincident.iter().any(|count| *count > 1);
        let sorted = frozen.pressure.segregation.sorts(own_classes, classes);
        neighbours.end_block(
            block,
            found.near,
            Surroundings { classes, coincide, sorted, granular, porous },
        );
        let all = pressures.iter_mut().zip(relative).zip(resistance);
        for (lane, ((pressures, relative), resistance)) in all.enumerate() {
            *pressures = Pressures { far: found.pressure[lane], near: found.near_pressure[lane] };
            // Particles that do not press keep their values, whatever the width of the block.
            if frozen.particles.activity[block.particles.start + lane] >= Activity::Pressing {
                *relative = found.now.relative_density[lane];
                *resistance = found.now.resistance[lane];
            }
        }
    }
}

/// Contribution of a grain to the near density of a liquid that seeps through it, relative to its contribution to the
/// density: the ratio of the integrals of `q³` and `q²` over the plane.
const NEAR_SHARE_OF_BELL: f32 = 0.6;

/// Values that a substep keeps for the next one.
#[derive(Clone, Copy)]
pub(super) struct Known<T> {
    pub relative_density: T,
    /// `m C`: the resistance to compression.
    pub resistance: T,
}

/// The numbers of a block, and 0 in the lanes after its end.
fn lanes(numbers: &[f32]) -> Lanes {
    let mut lanes = [0.0; LANES];
    lanes[..numbers.len()].copy_from_slice(numbers);
    lanes
}

/// Computes the densities and pressures of a block's particles, and finds their neighbours. `GRANULAR` is whether the
/// block is `porous` or any of its particles is a grain of powder.
struct PressuresOfBlock<'a, const GRANULAR: bool> {
    frozen: &'a Frozen<'a>,
    block: &'a Block,
    /// Contributions of the missing liquid behind walls to the density and the near density.
    behind_walls: &'a (Lanes, Lanes),
    /// The values of the last substep.
    before: Known<Lanes>,
    /// Whether some particles may share their space with others.
    porous: bool,
    /// Indices of the block's neighbours.
    near: &'a mut [u32],
}

struct PressuresFound {
    /// `m P`.
    pressure: Lanes,
    /// `m P_near/h`.
    near_pressure: Lanes,
    now: Known<Lanes>,
    /// The sum of `q` times the drag of the particles that share its space.
    drag: Lanes,
    /// Number of candidates that are coincident with the particle, including itself.
    coincident: [i32; LANES],
    /// Number of neighbours.
    near: usize,
}

impl<const GRANULAR: bool> LaneKernel for PressuresOfBlock<'_, GRANULAR> {
    type Output = PressuresFound;

    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) -> PressuresFound {
        let Frozen { particles, coefficients, pressure, .. } = *self.frozen;
        let Self { block, behind_walls, before, porous, near, .. } = self;
        let seepage = &pressure.seepage;
        let classes = ClassLanes::of(&block.particles, particles.class);
        let positions = particles.position;
        let all = |number: f32| splat(instructions, number);
        let radius = coefficients.interaction_radius;
        let squared_coincidence =
            all(coefficients.coincidence_distance * coefficients.coincidence_distance);
        let (x, y) = gather_points(instructions, &block.particles, positions);
        // These are sums of `w^2` and `w^3` with `w = h - r`, which saves a multiplication per candidate. The loop also
        // visits the particle itself, with `w = h`; the initial values subtract that.
        let squared_radius = radius * radius;
        let (mut sum, mut near_sum) = (all(-squared_radius), all(-squared_radius * radius));
        // The sum over all particles with full weight, also those that share their space.
        let (mut sum_of_all, mut drag) = (all(-squared_radius), all(0.0));
        let mut coincident = LaneCounts::splat(instructions, 0);
        let mut found = 0;
        for span in block.spans() {
            for (index, position) in span.clone().zip(&positions[span]) {
                let (dx, dy) = (all(position.x) - x, all(position.y) - y);
                let squared = dx * dx + dy * dy;
                let inside = all(radius) - squared.sqrt();
                let (closeness, any_near) = instructions.positive_and_any(inside);
                let mut squared_closeness = closeness * closeness;
                if GRANULAR && porous {
                    let class = particles.class[index].index();
                    sum_of_all += squared_closeness;
                    squared_closeness *= seepage.apart(instructions, &classes, class);
                    let wide = positive_lanes(all(squared_radius) - squared);
                    let bell = wide * wide * all(0.5 / squared_radius);
                    let bell = bell * seepage.shared(instructions, &classes, class).on_block;
                    sum += bell;
                    near_sum += bell * all(NEAR_SHARE_OF_BELL * radius);
                    drag += closeness * seepage.drags(instructions, &classes, class).on_block;
                }
                sum += squared_closeness;
                near_sum += squared_closeness * closeness;
                // A true lane holds -1.
                coincident -= squared.simd_lt(squared_coincidence).to_vector();
                near[found] = index as u32;
                found += usize::from(any_near);
            }
        }
        let (sum, near_sum): (Lanes, Lanes) = (sum.into(), near_sum.into());
        let sum_of_all: Lanes = sum_of_all.into();

        let state = |class: usize| &pressure.classes[class].state;
        let stiffness = classes.map(|class| state(class).stiffness);
        let near_stiffness = classes.map(|class| state(class).near_stiffness);
        let rest_density = classes.map(|class| state(class).rest_density);
        let equilibrium_density = classes.map(|class| state(class).equilibrium_density);
        let equilibrium_packing = classes.map(|class| state(class).equilibrium_packing);
        let mass = classes.map(|class| coefficients.classes[class].mass);
        let inverse_mass = classes.map(|class| coefficients.classes[class].inverse_mass);
        let is_grain = if GRANULAR {
            let grains =
                |class: usize| f32::from(u8::from(pressure.classes[class].grains.is_some()));
            classes.map(grains).map(|grain| grain > 0.0)
        } else {
            [false; LANES]
        };
        let inverse = coefficients.inverse_radius;
        let (per_square, per_cube) = (inverse * inverse, inverse * inverse * inverse);
        let (mut far_pressure, mut near_pressure) = ([0.0; LANES], [0.0; LANES]);
        let mut now = before;
        for lane in 0..LANES {
            let density = positive(sum[lane] * per_square) + behind_walls.0[lane];
            let near_density = positive(near_sum[lane] * per_cube) + behind_walls.1[lane];
            let relative_density = density / equilibrium_density[lane];
            let change = relative_density - before.relative_density[lane];
            let kept = before.resistance[lane] * inverse_mass[lane];
            let state = EquationOfState {
                stiffness: stiffness[lane],
                near_stiffness: near_stiffness[lane],
                rest_density: rest_density[lane],
                equilibrium_density: equilibrium_density[lane],
                equilibrium_packing: equilibrium_packing[lane],
            };
            let resistance = pressure.resistance;
            let StatePressures { pressure: far, near_pressure: near, resistance: resisting } =
                if GRANULAR && is_grain[lane] {
                    granular_pressures(&state, resistance, density, near_density)
                } else {
                    let kept = resistance.decayed_resistance(kept, change);
                    pressures(&state, resistance, kept, density, near_density)
                };
            // A grain in liquid is covered by grains and liquid. The coverage raises its relative density to at most 1.
            let relative_density = if GRANULAR && porous && is_grain[lane] {
                let covered = positive(sum_of_all[lane] * per_square) + behind_walls.0[lane];
                fast_max(relative_density, fast_min(covered / equilibrium_density[lane], 1.0))
            } else {
                relative_density
            };
            far_pressure[lane] = mass[lane] * far;
            near_pressure[lane] = mass[lane] * near * inverse;
            now.relative_density[lane] = relative_density;
            now.resistance[lane] = mass[lane] * resisting;
        }
        PressuresFound {
            pressure: far_pressure,
            near_pressure,
            now,
            drag: (drag * all(inverse)).into(),
            coincident: coincident.into(),
            near: found,
        }
    }
}
