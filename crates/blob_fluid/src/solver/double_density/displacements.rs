//! Displacements from pressures (Clavet et al. 2005, Algorithm 2, lines 12-20), and the one sweep
//! of viscosity that visits the same pairs.

use std::ops::Range;

use glam::Vec2;

use crate::parallel::executor::{CHUNK, Executor, PerChunk, chunk_of};
use crate::parallel::instructions;
use crate::parallel::instructions::{Instructions, LaneKernel};
use crate::parallel::lanes::{Lanes, gather, gather_points, load, positive_lanes, splat};
use crate::particles::arrays::{Activity, DISTURBED, ParticleView, idle, takes_part};
use crate::settings::class::ClassId;
use crate::solver::coefficients::{ClassSet, Coefficients};
use crate::solver::double_density::coefficients::ViscosityCoefficients;
use crate::solver::double_density::grains::{GrainPush, PushLanes, PushesOfBlock};
use crate::solver::double_density::method::{Frozen, Pressures};
use crate::solver::double_density::segregation::{SegregationRow, SegregationRows, UNSORTED};
use crate::solver::double_density::viscosity::{ViscosityRow, ViscosityRows};
use crate::solver::double_density::walls::{NearGhostWall, any_before, wall_displacement};
use crate::solver::neighbours::blocks::{
    Block, BlockLanes, ClassLanes, ClassPresence, coincident_particles,
};
use crate::solver::neighbours::grid::Grid;

/// What the displacements are computed from.
#[derive(Clone, Copy)]
pub(super) struct Inputs<'a> {
    pub frozen: Frozen<'a>,
    /// Viscosity, if the relaxation's sweep is made here.
    pub viscosity: Option<&'a ViscosityCoefficients>,
    pub pressures: &'a [Pressures],
    /// The stresses of grains: one item for each particle; empty if no class is a powder.
    pub stresses: &'a [Vec2],
    /// One item for each chunk.
    pub neighbours: &'a [ChunkNeighbours],
}

/// The rows of a chunk's blocks that only the displacements need.
#[derive(Clone, Debug, Default)]
pub(crate) struct DisplacementRows {
    segregation: SegregationRows,
    attraction: AttractionRows,
}

/// What the displacements are computed into: one item for each particle.
pub(super) struct Outputs<'a> {
    pub displacements: &'a mut Vec<Vec2>,
    /// What grains are pushed by: one list for each chunk, which is empty if it has none.
    pub pushes: &'a mut Vec<Vec<GrainPush>>,
    /// Set to [`DISTURBED`] for particles that would still move to their layer.
    pub rest_time: &'a mut [f32],
}

/// Computes the displacement of every particle from frozen positions, pressures and velocities.
pub(super) fn find_displacements(
    inputs: Inputs,
    outputs: Outputs,
    (rows, displacement_rows): (&mut Vec<ViscosityRows>, &mut Vec<DisplacementRows>),
    executor: &dyn Executor,
) {
    let Outputs { displacements, pushes, rest_time } = outputs;
    let count = inputs.frozen.particles.len();
    displacements.resize(count, Vec2::ZERO);
    pushes.resize_with(count.div_ceil(CHUNK), Vec::new);
    rows.resize_with(count.div_ceil(CHUNK), ViscosityRows::default);
    displacement_rows.resize_with(count.div_ceil(CHUNK), DisplacementRows::default);
    let rows = (PerChunk::new(rows, count, CHUNK), PerChunk::new(displacement_rows, count, CHUNK));
    let pushes = PerChunk::new(pushes, count, CHUNK);
    let into = (&mut displacements[..], rest_time, rows.0, rows.1, pushes);
    if inputs.frozen.pressure.attractions.is_empty() {
        displace::<false>(inputs, into, executor);
    } else {
        displace::<true>(inputs, into, executor);
    }
}

fn displace<const COHESIVE: bool>(
    inputs: Inputs,
    into: (
        &mut [Vec2],
        &mut [f32],
        PerChunk<ViscosityRows>,
        PerChunk<DisplacementRows>,
        PerChunk<Vec<GrainPush>>,
    ),
    executor: &dyn Executor,
) {
    let activity = inputs.frozen.particles.activity;
    executor.for_each_chunk(into, CHUNK, |index, found| {
        let (displacements, rest_time, rows, own_rows, pushes) = found;
        let activity = &activity[chunk_of(index, displacements.len())];
        if takes_part(activity, Activity::Awake) {
            let rows = (rows.item(), own_rows.item());
            let found = (displacements, pushes.item(), rest_time);
            displace_chunk::<COHESIVE>(inputs, index, found, rows);
        } else if !idle(activity) {
            displacements.fill(Vec2::ZERO);
        }
    });
}

/// Computes the displacements of the particles in a chunk.
fn displace_chunk<const COHESIVE: bool>(
    inputs: Inputs,
    index: usize,
    (displacements, pushes, rest_time): (&mut [Vec2], &mut Vec<GrainPush>, &mut [f32]),
    (rows, displacement_rows): (&mut ViscosityRows, &mut DisplacementRows),
) {
    let Inputs { frozen, viscosity, pressures, stresses, neighbours } = inputs;
    let start = chunk_of(index, displacements.len()).start;
    let any_grains = !stresses.is_empty();
    pushes.resize(if any_grains { displacements.len() } else { 0 }, GrainPush::default());
    let Frozen { coefficients, particles: all, .. } = frozen;
    let viscosity = viscosity.filter(|viscosity| viscosity.is_viscous());
    if viscosity.is_some() {
        rows.prepare(coefficients.classes.len());
    }
    let segregation = &frozen.pressure.segregation;
    let DisplacementRows { segregation: sorting, attraction: attracting } = displacement_rows;
    if segregation.acts() {
        sorting.prepare(coefficients.classes.len());
    }
    if COHESIVE {
        attracting.prepare(coefficients.classes.len());
    }
    let per_share = |class| coefficients.time_step / pressure_displacement(coefficients, class);
    let neighbours = &neighbours[index];
    let mut walls = neighbours.walls();
    for (particles, near, around) in neighbours.blocks(start) {
        let Surroundings { classes, coincide, sorted, granular } = around;
        let classes = (all.class, classes);
        let displacements = &mut displacements[particles.start - start..particles.end - start];
        if !takes_part(&all.activity[particles.clone()], Activity::Awake) {
            displacements.fill(Vec2::ZERO);
            continue;
        }
        let rows = match viscosity {
            Some(viscosity) => rows.of(viscosity, classes, &particles, 0, per_share),
            None => &[],
        };
        let sorting = if sorted { sorting.of(segregation, classes, &particles) } else { &[] };
        let attracting = if COHESIVE {
            attracting.of(&frozen.pressure.attractions, classes, &particles)
        } else {
            &[]
        };
        let pairs = &PairsOfBlock {
            frozen: &frozen,
            pressures,
            stresses,
            particles: particles.clone(),
            near,
            viscosity: rows,
            segregation: sorting,
            attraction: attracting,
        };
        let sums = match (viscosity.is_some(), sorted) {
            (true, true) => pairs.sum::<COHESIVE, true, true>(granular),
            (true, false) => pairs.sum::<COHESIVE, true, false>(granular),
            (false, true) => pairs.sum::<COHESIVE, false, true>(granular),
            (false, false) => pairs.sum::<COHESIVE, false, false>(granular),
        };
        let ((x, y, disorder), pushed) = sums;
        if let Some(pushed) = pushed {
            let pushes = &mut pushes[particles.start - start..particles.end - start];
            for (lane, push) in pushes.iter_mut().enumerate() {
                *push = pushed.of(lane);
            }
        }
        for (lane, displacement) in displacements.iter_mut().enumerate() {
            *displacement = Vec2::new(x[lane], y[lane]);
        }
        if sorted {
            let rest_time = &mut rest_time[particles.start - start..particles.end - start];
            let lanes = rest_time.iter_mut().zip(&all.activity[particles.clone()]).zip(disorder);
            for ((rest_time, activity), disorder) in lanes {
                // A sleeper beside others sleeps on, however many there are in a block.
                let moves = *activity == Activity::Awake;
                if moves && disorder * coefficients.inverse_radius > UNSORTED {
                    *rest_time = DISTURBED;
                }
            }
        }
        if coincide {
            for (particle, displacement) in particles.clone().zip(&mut *displacements) {
                *displacement += coincident_displacement(&frozen, pressures, near, particle);
            }
        }
        if any_before(particles.end, walls) {
            for (particle, displacement) in particles.zip(displacements) {
                *displacement += wall_displacement(&frozen, pressures, particle, &mut walls);
            }
        }
    }
}

/// The pairs of a block's particles and their neighbours.
struct PairsOfBlock<'a> {
    frozen: &'a Frozen<'a>,
    pressures: &'a [Pressures],
    stresses: &'a [Vec2],
    particles: Range<usize>,
    /// Indices of all neighbours of the block's particles.
    near: &'a [u32],
    /// Viscosity between the block's particles and each class that is near, as a pressure; empty if nothing is
    /// viscous.
    viscosity: &'a [ViscosityRow],
    /// Segregation between the block's particles and each class that is near; empty if nothing is sorted.
    segregation: &'a [SegregationRow],
    /// Attraction between the block's particles and each class that is near; empty if nothing attracts.
    attraction: &'a [Lanes],
}

impl PairsOfBlock<'_> {
    /// The displacements, what is not sorted, and what grains are pushed by if there are some.
    #[inline]
    fn sum<const COHESIVE: bool, const VISCOUS: bool, const SORTED: bool>(
        &self,
        granular: bool,
    ) -> ((Lanes, Lanes, Lanes), Option<PushesOfBlock>) {
        let mut pushes = PushesOfBlock::default();
        if granular {
            let kernel = DisplacementOfBlock::<COHESIVE, VISCOUS, SORTED, true>(self, &mut pushes);
            (instructions::run(kernel), Some(pushes))
        } else {
            let kernel = DisplacementOfBlock::<COHESIVE, VISCOUS, SORTED, false>(self, &mut pushes);
            (instructions::run(kernel), None)
        }
    }
}

/// Computes the displacement of each particle of a block:
/// `-sum_j [(P_i + P_j) q + (Pn_i + Pn_j) q^2 - A_ij q (1 - q)] r_hat`, times the particle's share,
/// the displacement by viscosity, and the one by segregation. In the same loop it sums up what pushes the
/// grains.
struct DisplacementOfBlock<
    'a,
    const COHESIVE: bool,
    const VISCOUS: bool,
    const SORTED: bool,
    const GRANULAR: bool,
>(&'a PairsOfBlock<'a>, &'a mut PushesOfBlock);

impl<const COHESIVE: bool, const VISCOUS: bool, const SORTED: bool, const GRANULAR: bool> LaneKernel
    for DisplacementOfBlock<'_, COHESIVE, VISCOUS, SORTED, GRANULAR>
{
    type Output = (Lanes, Lanes, Lanes);

    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) -> (Lanes, Lanes, Lanes) {
        let PairsOfBlock { frozen, pressures, particles, near, .. } = self.0;
        let PairsOfBlock { viscosity, segregation, attraction, .. } = self.0;
        let Frozen { particles: all, coefficients, pressure: table, .. } = **frozen;
        let splat = |number: f32| splat(instructions, number);
        let load = |lanes: &Lanes| load(instructions, lanes);
        let radius = splat(coefficients.interaction_radius);
        let inverse_radius = splat(coefficients.inverse_radius);
        let positions = all.position;
        // All slices get the same length, so that one comparison checks an index for all of them.
        let velocities = &all.velocity[..positions.len()];
        let classes = &all.class[..positions.len()];
        let pressures = &pressures[..positions.len()];
        let velocity = gather_points(instructions, particles, velocities);
        let pressure = load(&gather(particles, pressures, |pressure| pressure.far));
        let near_pressure = load(&gather(particles, pressures, |pressure| pressure.near));
        let weight = if SORTED {
            load(&gather(particles, frozen.weights, |weight| *weight))
        } else {
            splat(0.0)
        };
        let own_classes = ClassLanes::of(particles, classes);
        let (mut sum_x, mut sum_y) = (splat(0.0), splat(0.0));
        let (mut lift, mut disorder) = (splat(0.0), splat(0.0));
        let mut pushes = if GRANULAR {
            Some(PushLanes::of(instructions, particles, &self.0.stresses[..positions.len()]))
        } else {
            None
        };
        let preference = table.segregation.preference;
        let per_squared_speed = splat(table.segregation.per_squared_speed);
        let lanes = BlockLanes::of(instructions, coefficients, particles, positions);
        lanes.for_each(
            [near.iter().map(|index| *index as usize)],
            #[inline(always)]
            |index, pair| {
                let (other, class) = (&pressures[index], classes[index].index());
                // This is `h q`; the extra factor `h` is divided out of the sums below.
                let closeness = positive_lanes(radius - pair.distance);
                let far = pressure + splat(other.far);
                let near = near_pressure + splat(other.near);
                let mut strength = far + near * closeness;
                if COHESIVE {
                    let drop = splat(1.0) - closeness * inverse_radius;
                    strength -= load(&attraction[class]) * drop;
                }
                if VISCOUS {
                    let approach = pair.approach(velocity, velocities[index]) * pair.inverse;
                    strength = viscosity[class].added_to(strength, approach);
                }
                if let Some(pushes) = &mut pushes
                    && table.classes[class].grains.is_some()
                {
                    pushes.add(&pair, self.0.stresses[index], (far, near), radius);
                }
                let along = strength * (closeness * pair.inverse);
                sum_x -= along * pair.dx;
                sum_y -= along * pair.dy;
                if SORTED && segregation[class].acts {
                    let below = pair.dx * splat(preference.x) + pair.dy * splat(preference.y);
                    let other = velocities[index];
                    let (vx, vy) = (velocity.0 - splat(other.x), velocity.1 - splat(other.y));
                    let calm = positive_lanes(splat(1.0) - (vx * vx + vy * vy) * per_squared_speed);
                    let (sums, place) = ((&mut lift, &mut disorder), (below * pair.inverse, calm));
                    let contrast = (weight, frozen.weights[index]);
                    segregation[class].add_to(sums, contrast, closeness, place);
                }
            },
        );
        let per_sum = load(&own_classes.map(|class| pressure_displacement(coefficients, class)));
        let per_sum = per_sum * inverse_radius;
        sum_x *= per_sum;
        sum_y *= per_sum;
        if SORTED {
            let squared_step = coefficients.time_step * coefficients.time_step;
            let per_lift =
                own_classes.map(|class| squared_step * coefficients.classes[class].inverse_mass);
            let lift = lift * (load(&per_lift) * inverse_radius);
            sum_x += splat(coefficients.gravity.x) * lift;
            sum_y += splat(coefficients.gravity.y) * lift;
        }
        if let Some(pushes) = pushes {
            *self.1 = pushes.sums();
        }
        (sum_x.into(), sum_y.into(), disorder.into())
    }
}

/// Displacement of a particle that has a pressure of 1 against another.
#[inline(always)]
fn pressure_displacement(coefficients: &Coefficients, class: usize) -> f32 {
    let squared_step = coefficients.time_step * coefficients.time_step;
    squared_step * (0.5 * coefficients.classes[class].inverse_mass)
}

/// The same sum over coincident pairs, whose direction comes from their ids.
fn coincident_displacement(
    frozen: &Frozen,
    pressures: &[Pressures],
    near: &[u32],
    index: usize,
) -> Vec2 {
    let Frozen { coefficients, particles, .. } = *frozen;
    let class = particles.class[index].index();
    let pressure = &pressures[index];
    let mut sum = Vec2::ZERO;
    let near = near.iter().map(|other| *other as usize);
    for (other, axis) in coincident_particles(particles, coefficients, index, near) {
        let distance = particles.position[other].distance(particles.position[index]);
        let closeness = coefficients.interaction_radius - distance;
        let other_pressure = &pressures[other];
        let strength =
            (pressure.far + other_pressure.far) + (pressure.near + other_pressure.near) * closeness;
        sum -= axis * (strength * closeness);
    }
    sum * (pressure_displacement(coefficients, class) * coefficients.inverse_radius)
}

// A sweep of viscosity over the pairs.

/// One sweep over the pairs, and the velocities that were frozen before it.
#[derive(Clone, Copy)]
pub(super) struct Sweep<'a> {
    pub particles: ParticleView<'a>,
    pub grid: &'a Grid,
    pub presence: &'a ClassPresence,
    pub viscosity: &'a ViscosityCoefficients,
    pub coefficients: &'a Coefficients,
    pub number: u32,
}

impl Sweep<'_> {
    /// Calls `find` for every block with a particle that is awake and may have a partner near in this sweep,
    /// with its rows, and `change` for the item of each of its particles that is awake, with its lane of
    /// what was found. A sleeper beside others keeps its item, however many there are in a block.
    pub(super) fn for_each_block<T: Send, F>(
        self,
        items: &mut [T],
        rows: &mut Vec<ViscosityRows>,
        executor: &dyn Executor,
        find: impl Fn(&Block, &[ViscosityRow]) -> F + Sync,
        change: impl Fn(&mut T, usize, &F) + Sync,
    ) {
        let Self { particles, grid, presence, viscosity, coefficients, number } = self;
        rows.resize_with(items.len().div_ceil(CHUNK), ViscosityRows::default);
        let chunk_rows = PerChunk::new(rows, items.len(), CHUNK);
        executor.for_each_chunk((items, chunk_rows), CHUNK, |chunk_index, (chunk, rows)| {
            let start = chunk_index * CHUNK;
            let rows = rows.item();
            rows.prepare(coefficients.classes.len());
            let mut blocks = grid.blocks(start..start + chunk.len());
            while let Some(block) = blocks.next() {
                let near = presence.of(block.spans());
                let is_awake = |index: usize| particles.activity[index] == Activity::Awake;
                let takes_part = |index: usize| {
                    is_awake(index)
                        && viscosity.partners(particles.class[index], number).intersects(near)
                };
                if !block.particles.clone().any(takes_part) {
                    continue;
                }
                let rows =
                    rows.of(viscosity, (particles.class, near), &block.particles, number, |_| 1.0);
                let found = find(block, rows);
                for (lane, index) in block.particles.clone().enumerate() {
                    if is_awake(index) {
                        change(&mut chunk[index - start], lane, &found);
                    }
                }
            }
        });
    }
}

// Rows of coefficients between the particles of a block and the particles of each class.

/// One row for each class, computed only where the classes of the block's particles change, or another
/// class comes near.
#[derive(Debug, Default)]
pub(crate) struct ClassRows<Row> {
    rows: Vec<Row>,
    /// The class of all particles that rows were filled for, if they have the same class.
    filled_for: Option<usize>,
    /// The classes whose rows were filled for it.
    filled: ClassSet,
}

/// A copy is empty: the rows are computed again.
impl<Row: Default> Clone for ClassRows<Row> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<Row: Clone + Default> ClassRows<Row> {
    /// Prepares for the blocks of one sweep.
    pub(crate) fn prepare(&mut self, classes: usize) {
        self.filled_for = None;
        self.rows.resize(classes, Row::default());
    }

    /// Number of classes.
    pub(super) fn classes(&self) -> usize {
        self.rows.len()
    }

    /// The rows of a block, of which those of the classes that are `near` are valid. `fill` is given the
    /// classes of the block's particles and the class of a row.
    pub(super) fn of_block(
        &mut self,
        (classes, near): (&[ClassId], ClassSet),
        particles: &Range<usize>,
        fill: impl Fn(&ClassLanes, usize) -> Row,
    ) -> &[Row] {
        let own_classes = ClassLanes::of(particles, classes);
        let only = own_classes.only();
        if only.is_none() || self.filled_for != only {
            self.filled_for = only;
            self.filled = ClassSet::NONE;
        }
        let missing = near.without(self.filled);
        if missing != ClassSet::NONE {
            self.filled = self.filled.union(near);
            for (class, row) in ClassId::all().zip(&mut self.rows) {
                if missing.contains(class) {
                    *row = fill(&own_classes, class.index());
                }
            }
        }
        &self.rows
    }
}

// The attraction between the particles of a block and the particles of each class.

/// The attraction between a block's particles and every class.
pub(crate) type AttractionRows = ClassRows<Lanes>;

impl AttractionRows {
    /// The rows of a block, from the attraction `[i * classes + j]` of each pair of classes.
    pub(super) fn of(
        &mut self,
        attractions: &[f32],
        classes: (&[ClassId], ClassSet),
        particles: &Range<usize>,
    ) -> &[Lanes] {
        let count = self.classes();
        self.of_block(classes, particles, |own_classes, other| {
            own_classes.map(|class| attractions[class * count + other])
        })
    }
}

// The neighbours of the particles in a chunk. The pass finds them with the densities, and uses
// them again for the displacements.

/// The blocks of a chunk, and for each block the indices of the neighbours of its particles.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChunkNeighbours {
    indices: Vec<u32>,
    blocks: Vec<BlockEnd>,
    used: usize,
    /// Walls near the chunk's particles, in the order of the particles.
    pub walls: Vec<NearGhostWall>,
}

/// Where a block's data ends; it begins at the end of the previous block's data.
#[derive(Clone, Copy, Debug)]
struct BlockEnd {
    /// The index after its last particle.
    particles: u32,
    /// End index of its neighbours.
    indices: u32,
    around: Surroundings,
}

/// What is known of a block's neighbours.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Surroundings {
    /// The classes that are near.
    pub classes: ClassSet,
    /// Whether other particles coincide with some of the block's particles.
    pub coincide: bool,
    /// Whether some may be sorted by weight against others.
    pub sorted: bool,
    /// Whether any particle of the block is a grain of powder.
    pub granular: bool,
}

impl ChunkNeighbours {
    pub(super) fn clear(&mut self) {
        self.blocks.clear();
        self.used = 0;
        self.walls.clear();
    }

    /// The walls near the chunk's particles, in the order of the particles.
    pub(crate) fn walls(&self) -> &[NearGhostWall] {
        &self.walls
    }

    /// Space for a block's neighbours, at most `most`.
    pub(super) fn room_for(&mut self, most: usize) -> &mut [u32] {
        let needed = self.used + most;
        if self.indices.len() < needed {
            // Reserves more than needed, so that a moving liquid rarely reallocates.
            self.indices.resize((2 * needed).next_power_of_two(), 0);
        }
        &mut self.indices[self.used..needed]
    }

    /// Keeps the first `found` entries of that space.
    pub(super) fn end_block(&mut self, block: &Block, found: usize, around: Surroundings) {
        self.used += found;
        self.blocks.push(BlockEnd {
            particles: block.particles.end as u32,
            indices: self.used as u32,
            around,
        });
    }

    /// The particles and the neighbours of each block of the chunk that starts at that index, and
    /// what is known of them.
    pub(super) fn blocks(
        &self,
        chunk_start: usize,
    ) -> impl Iterator<Item = (Range<usize>, &[u32], Surroundings)> {
        let (mut first, mut first_index) = (chunk_start, 0);
        self.blocks.iter().map(move |block| {
            let particles = first..block.particles as usize;
            let indices = first_index..block.indices as usize;
            (first, first_index) = (particles.end, indices.end);
            (particles, &self.indices[indices], block.around)
        })
    }
    /// The same of the blocks that have grains and particles that move.
    pub(super) fn moving_grains(
        &self,
        chunk_start: usize,
        activity: &[Activity],
    ) -> impl Iterator<Item = (Range<usize>, &[u32])> {
        self.blocks(chunk_start)
            .filter(|(particles, _, around)| {
                around.granular && takes_part(&activity[particles.clone()], Activity::Awake)
            })
            .map(|(particles, near, _)| (particles, near))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::parallel::lanes::LANES;
    use crate::{ClassId, FluidPass, FluidWorld, ParticleSpawn, SerialExecutor};

    #[test]
    fn particles_in_a_wrong_layer_stay_awake_and_those_that_sleep_beside_them_sleep_on() {
        let mut world = FluidWorld::default();
        // Light particles under three rows of heavy ones.
        for number in 0..16_u8 {
            let (column, row) = (f32::from(number % 4), f32::from(number / 4));
            let (height, class) = match number / 4 {
                0 => (0.0, ClassId::LIGHT),
                _ => (4.0 + 4.0 * row, ClassId::HEAVY),
            };
            let position = Vec2::new(4.0 * column, height);
            world.spawn(ParticleSpawn { position, class, ..Default::default() }).expect("valid");
        }
        let particles = &mut world.liquid_mut().particles;
        particles.rest_time.fill(1.0);
        for (number, activity) in particles.activity.iter_mut().enumerate() {
            if (number + number / 4) % 2 == 1 {
                *activity = Activity::Asleep;
            }
        }
        world.run_pass(FluidPass::RelaxDensity, &SerialExecutor);
        let particles = world.particles();
        for index in (0..particles.len()).filter(|index| particles.class[*index] == ClassId::LIGHT)
        {
            let wakes = particles.activity[index] == Activity::Awake;
            let expected = if wakes { DISTURBED } else { 1.0 };
            assert_eq!(particles.rest_time[index], expected, "{}", particles.position[index]);
        }
    }

    const CLASSES: usize = 60;

    #[test]
    fn rows_are_those_of_the_block_and_filled_only_where_its_classes_change_or_another_comes_near()
    {
        let [a, b] = [ClassId(0), ClassId(1)];
        // A block of one class, one of the other, and one of both.
        let blocks: [[ClassId; LANES]; 3] =
            [[a; LANES], [b; LANES], std::array::from_fn(|lane| [a, b][lane % 2])];
        let particles = blocks.concat();
        let sets = |classes: &[ClassId]| classes.iter().copied().collect::<ClassSet>();
        let [near_a, near_both] = [sets(&[a]), sets(&[a, b])];
        let mut rows = ClassRows::<(Lanes, usize)>::default();
        rows.prepare(CLASSES);
        assert_eq!(rows.classes(), CLASSES);
        // Each block with what is near, and how many rows it has to fill.
        for (number, (block, near, fills)) in [
            (0, near_a, 1),
            (0, near_a, 0),
            (0, near_both, 1),
            (0, near_a, 0),
            (1, near_both, 2),
            (2, near_both, 2),
            (2, near_both, 2),
            (0, near_a, 1),
            (0, ClassSet::ALL, CLASSES - 1),
            (0, near_both, 0),
        ]
        .into_iter()
        .enumerate()
        {
            let filled = Cell::new(0);
            let range = block * LANES..(block + 1) * LANES;
            let found = rows.of_block((&particles, near), &range, |own, class| {
                filled.set(filled.get() + 1);
                (own.map(|index| index as f32), class)
            });
            assert_eq!(filled.get(), fills, "block {number}");
            let own = blocks[block].map(|class| f32::from(class.0));
            for class in ClassId::all().take(CLASSES).filter(|class| near.contains(*class)) {
                assert_eq!(found[class.index()], (own, class.index()), "block {number}");
            }
        }
        rows.prepare(CLASSES);
        let filled = Cell::new(0);
        rows.of_block((&particles, near_a), &(0..LANES), |_, class| {
            filled.set(filled.get() + 1);
            ([0.0; LANES], class)
        });
        assert_eq!(filled.get(), 1, "another sweep has other coefficients");
    }
}
