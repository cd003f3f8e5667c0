//! Densities and pressures (Clavet et al. 2005, Algorithm 2, lines 1-11).

use std::ops::Range;

use fearless_simd::prelude::*;

use crate::Executor;
use crate::boundary::solids::{FreeDisc, FreeDiscs};
use crate::parallel::executor::{CHUNK, PerChunk, chunk_of, slices};
use crate::parallel::instructions::{
    self, Instructions, LANES, LaneCounts, LaneKernel, Lanes, block_width, fast_max, fast_min,
    gather_points, load, positive, positive_lanes, splat, store,
};
use crate::particles::arrays::{Activity, takes_part};
use crate::solver::double_density::chunk_neighbours::{BlockProperties, ChunkNeighbours};
use crate::solver::double_density::coefficients::{Frozen, Pressures};
use crate::solver::double_density::seepage::{SeepageRow, SeepageRows};
use crate::solver::double_density::walls::WallEffect;
use crate::solver::equation_of_state::{
    EquationOfState, StatePressures, granular_pressures, pressures,
};
use crate::solver::neighbours::blocks::{Block, ClassLanes};
use crate::solver::neighbours::grid::Grid;

slices! {
    /// The results of the pass for some particles, and its rows.
    struct ChunkPressures<'a> {
        pressures: &'a mut [Pressures],
        drag_sums: &'a mut [f32],
        relative_density: &'a mut [f32],
        resistance: &'a mut [f32],
        free_discs: &'a mut [FreeDisc],
        seepage_rows: PerChunk<'a, SeepageRows>,
        neighbours: PerChunk<'a, ChunkNeighbours>,
    }
}

/// Computes densities and pressures from the frozen positions, and builds the neighbour lists.
pub(super) fn compute_pressures(
    frozen: Frozen,
    grid: &Grid,
    memory: PressureMemory<&mut [f32]>,
    pressures: &mut Vec<Pressures>,
    drag_sums: &mut Vec<f32>,
    seepage_rows: &mut Vec<SeepageRows>,
    neighbours: &mut Vec<ChunkNeighbours>,
    free_discs: &mut FreeDiscs,
    executor: &dyn Executor,
) {
    let count = frozen.particles.len();
    pressures.resize(count, Pressures::default());
    drag_sums.resize(count, 0.0);
    let (free_discs, compute_free_discs) = free_discs.prepare(count, frozen.solids);
    let PressureMemory { relative_density, resistance } = memory;
    let chunks = ChunkPressures {
        pressures: &mut pressures[..],
        drag_sums: &mut drag_sums[..],
        relative_density,
        resistance,
        free_discs,
        seepage_rows: PerChunk::resized(seepage_rows, count, CHUNK),
        neighbours: PerChunk::resized(neighbours, count, CHUNK),
    };
    executor.for_each_chunk(chunks, CHUNK, |index, chunk| {
        let indices = chunk_of(index, chunk.pressures.len());
        if takes_part(&frozen.particles.activity[indices.clone()], Activity::Pressing) {
            compute_pressures_of_chunk(&frozen, grid, indices, chunk, compute_free_discs);
        } else {
            chunk.free_discs.fill(FreeDisc::UNKNOWN);
            chunk.pressures.fill(Pressures::default());
            chunk.drag_sums.fill(0.0);
            chunk.neighbours.item().clear();
        }
    });
}

/// Computes the pressures of a chunk's particles, and builds the neighbour lists of its blocks.
fn compute_pressures_of_chunk(
    frozen: &Frozen,
    grid: &Grid,
    indices: Range<usize>,
    chunk: ChunkPressures,
    compute_free_discs: bool,
) {
    let ChunkPressures { pressures, drag_sums, relative_density, resistance, .. } = chunk;
    let (neighbours, seepage_rows) = (chunk.neighbours.item(), chunk.seepage_rows.item());
    neighbours.clear();
    let start = indices.start;
    let mut walls = WallEffect::NONE;
    let any_walls = walls.find(
        frozen,
        indices.clone(),
        &mut neighbours.walls,
        chunk.free_discs,
        compute_free_discs,
    );
    let seepage = &frozen.pressure.seepage;
    if seepage.is_active() {
        seepage_rows.prepare(frozen.coefficients.classes.len());
    }
    let mut blocks = grid.blocks(indices);
    while let Some(block) = blocks.next() {
        let offsets = block.particles.start - start..block.particles.end - start;
        let pressures = &mut pressures[offsets.clone()];
        if !takes_part(&frozen.particles.activity[block.particles.clone()], Activity::Pressing) {
            pressures.fill(Pressures::default());
            drag_sums[offsets].fill(0.0);
            neighbours.lists.end_block(block, 0, BlockProperties::default());
            continue;
        }
        let walls = if any_walls { walls.of_block(&offsets) } else { WallEffect::NONE };
        let neighbour_indices = neighbours.lists.reserve(block);
        let relative = &mut relative_density[offsets.clone()];
        let resistance = &mut resistance[offsets.clone()];
        let previous =
            PressureMemory { relative_density: lanes(relative), resistance: lanes(resistance) };
        let has_grains =
            frozen.granular && block.particles.clone().any(|particle| frozen.is_grain(particle));
        let classes = frozen.presence.in_ranges(block.spans());
        let own_classes = &frozen.particles.class[block.particles.clone()];
        let has_seepage = seepage.may_affect(own_classes, classes);
        let seepage = if has_seepage {
            let own = &ClassLanes::of(block_width(), &block.particles, frozen.particles.class);
            seepage_rows.of_block(own, classes, |other| seepage.row(own, other))
        } else {
            &[]
        };
        let block_inputs =
            BlockInputs { frozen, block, walls: &walls, previous, seepage, neighbour_indices };
        let results = if has_grains || has_seepage {
            instructions::run(PressuresOfBlock::<true>(block_inputs))
        } else {
            instructions::run(PressuresOfBlock::<false>(block_inputs))
        };
        for (drag_sum, drag) in drag_sums[offsets].iter_mut().zip(results.drag) {
            *drag_sum = drag;
        }
        // Every particle is coincident with itself.
        let has_coincident = results.coincident.iter().any(|count| *count > 1);
        let has_segregation = frozen.pressure.segregation.is_active_for(own_classes, classes);
        neighbours.lists.end_block(
            block,
            results.neighbour_count,
            BlockProperties { classes, has_coincident, has_segregation, has_grains, has_seepage },
        );
        let all = pressures.iter_mut().zip(relative).zip(resistance);
        for (lane, ((pressures, relative), resistance)) in all.enumerate() {
            *pressures = Pressures {
                pressure: results.pressure[lane],
                near_pressure: results.near_pressure[lane],
            };
            // Particles that do not press keep their values, whatever the width of the block.
            if frozen.particles.activity[block.particles.start + lane] >= Activity::Pressing {
                *relative = results.next.relative_density[lane];
                *resistance = results.next.resistance[lane];
            }
        }
    }
}

/// Contribution of a grain to the near density of a liquid that seeps through it, relative to its contribution to the
/// density. This is the ratio of the integrals of `q³` and `q²` over the plane.
const NEAR_DENSITY_RATIO: f32 = 0.6;

/// Values that a substep keeps for the next one.
#[derive(Clone, Copy)]
pub(super) struct PressureMemory<T> {
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

/// A block, and the inputs of its pressures.
struct BlockInputs<'a> {
    frozen: &'a Frozen<'a>,
    block: &'a Block,
    walls: &'a WallEffect<Lanes>,
    /// The values of the last substep.
    previous: PressureMemory<Lanes>,
    /// Seepage between the block's particles and each class near it; empty if none share their space.
    seepage: &'a [SeepageRow],
    /// Indices of the block's neighbours.
    neighbour_indices: &'a mut [u32],
}

/// Computes the densities and pressures of a block's particles, and finds their neighbours. `GRANULAR` is whether the
/// block is `has_seepage` or any of its particles is a grain of powder.
struct PressuresOfBlock<'a, const GRANULAR: bool>(BlockInputs<'a>);

struct BlockPressures {
    /// `m P`.
    pressure: Lanes,
    /// `m P_near/h`.
    near_pressure: Lanes,
    next: PressureMemory<Lanes>,
    /// The sum of `q` times the drag of the particles that share its space.
    drag: Lanes,
    /// Number of candidates that are coincident with the particle, including itself.
    coincident: [i32; LANES],
    /// Number of neighbours.
    neighbour_count: usize,
}

impl<const GRANULAR: bool> LaneKernel for PressuresOfBlock<'_, GRANULAR> {
    type Output = BlockPressures;

    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) -> BlockPressures {
        let BlockInputs { frozen, block, walls, previous, seepage, neighbour_indices } = self.0;
        let Frozen { particles, coefficients, pressure, .. } = *frozen;
        let has_seepage = !seepage.is_empty();
        let load = |lanes: &Lanes| load(instructions, lanes);
        let classes = ClassLanes::of(S::WIDTH, &block.particles, particles.class);
        let positions = particles.position;
        let splat = |number: f32| splat(instructions, number);
        let radius = coefficients.interaction_radius;
        let squared_coincidence =
            splat(coefficients.coincidence_distance * coefficients.coincidence_distance);
        let (x, y) = gather_points(instructions, &block.particles, positions);
        // These are sums of `w^2` and `w^3` with `w = h - r`, which saves a multiplication per candidate. The loop also
        // visits the particle itself, with `w = h`; the initial values subtract that.
        let squared_radius = radius * radius;
        let (mut sum, mut near_sum) = (splat(-squared_radius), splat(-squared_radius * radius));
        // The sum over all particles with full weight, also those that share their space.
        let (mut sum_of_all, mut drag) = (splat(-squared_radius), splat(0.0));
        let mut coincident = LaneCounts::<S>::splat(instructions, 0);
        let mut neighbour_count = 0;
        for span in block.spans() {
            for (index, position) in span.clone().zip(&positions[span]) {
                let (dx, dy) = (splat(position.x) - x, splat(position.y) - y);
                let squared = dx * dx + dy * dy;
                let inside = splat(radius) - squared.sqrt();
                let (closeness, any_in_radius) = instructions.positive_and_any(inside);
                let mut squared_closeness = closeness * closeness;
                if GRANULAR && has_seepage {
                    let row = &seepage[particles.class[index].index()];
                    sum_of_all += squared_closeness;
                    squared_closeness *= load(&row.separate);
                    let weight = positive_lanes::<S>(splat(squared_radius) - squared);
                    let kernel = weight * weight * splat(0.5 / squared_radius);
                    let kernel = kernel * load(&row.fractions.on_block);
                    sum += kernel;
                    near_sum += kernel * splat(NEAR_DENSITY_RATIO * radius);
                    drag += closeness * load(&row.drag_rates.on_block);
                }
                sum += squared_closeness;
                near_sum += squared_closeness * closeness;
                // A true lane holds -1.
                coincident -= squared.simd_lt(squared_coincidence).to_vector();
                neighbour_indices[neighbour_count] = index as u32;
                neighbour_count += usize::from(any_in_radius);
            }
        }
        let (sum, near_sum): (Lanes, Lanes) = (store(sum), store(near_sum));
        let sum_of_all: Lanes = store(sum_of_all);

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
        let mut next = previous;
        for lane in 0..S::WIDTH {
            let density = positive(sum[lane] * per_square) + walls.density[lane];
            let near_density = positive(near_sum[lane] * per_cube) + walls.near_density[lane];
            let relative_density = density / equilibrium_density[lane];
            let change = relative_density - previous.relative_density[lane];
            let kept_resistance = previous.resistance[lane] * inverse_mass[lane];
            let state = EquationOfState {
                stiffness: stiffness[lane],
                near_stiffness: near_stiffness[lane],
                rest_density: rest_density[lane],
                equilibrium_density: equilibrium_density[lane],
                equilibrium_packing: equilibrium_packing[lane],
            };
            let resistance = pressure.resistance.with_memory_loss(walls.memory_loss[lane]);
            let StatePressures {
                pressure: pressure_of_state,
                near_pressure: near_pressure_of_state,
                resistance: new_resistance,
            } = if GRANULAR && is_grain[lane] {
                granular_pressures(&state, resistance, density, near_density)
            } else {
                let kept_resistance = resistance.decayed_resistance(kept_resistance, change);
                pressures(&state, resistance, kept_resistance, density, near_density)
            };
            // A grain in liquid is covered by grains and liquid. The coverage raises its relative density to at most 1.
            let relative_density = if GRANULAR && has_seepage && is_grain[lane] {
                let covered = positive(sum_of_all[lane] * per_square) + walls.density[lane];
                fast_max(relative_density, fast_min(covered / equilibrium_density[lane], 1.0))
            } else {
                relative_density
            };
            far_pressure[lane] = mass[lane] * pressure_of_state;
            near_pressure[lane] = mass[lane] * near_pressure_of_state * inverse;
            next.relative_density[lane] = relative_density;
            next.resistance[lane] = mass[lane] * new_resistance;
        }
        BlockPressures {
            pressure: far_pressure,
            near_pressure,
            next,
            drag: store(drag * splat(inverse)),
            coincident: store(coincident),
            neighbour_count,
        }
    }
}
