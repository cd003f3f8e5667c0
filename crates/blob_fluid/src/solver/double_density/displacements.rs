//! Displacements by pressures (Clavet et al. 2005, Algorithm 2, lines 12-20), and the one sweep of viscosity that
//! visits the same pairs.

use std::ops::Range;

use fearless_simd::prelude::*;
use glam::Vec2;

use crate::parallel::executor::{CHUNK, Executor, PerChunk, chunk_of};
use crate::parallel::instructions;
use crate::parallel::instructions::{
    Instructions, LANES, LaneKernel, LaneVector, Lanes, gather, gather_points, load,
    positive_lanes, splat, store,
};
use crate::particles::arrays::{Activity, DISTURBED, ParticleView, idle, takes_part};
use crate::settings::class::ClassId;
use crate::solver::coefficients::{ClassSet, Coefficients};
use crate::solver::double_density::chunk_neighbours::{
    BlockProperties, ChunkNeighbours, ClassRows,
};
use crate::solver::double_density::coefficients::{
    Frozen, GrainPush, PairViscosity, Pressures, ViscosityCoefficients,
};
use crate::solver::double_density::grains::{PushLanes, PushesOfBlock};
use crate::solver::double_density::seepage::{SeepageRow, SeepageRows};
use crate::solver::double_density::segregation::{
    SLEEP_DISORDER_LIMIT, SegregationRow, SegregationRows,
};
use crate::solver::double_density::walls::{has_walls_before, wall_displacement};
use crate::solver::neighbours::blocks::{
    BlockLanes, ClassLanes, ClassPresence, coincident_particles,
};
use crate::solver::neighbours::grid::Grid;

/// Inputs of the displacements.
#[derive(Clone, Copy)]
pub(super) struct DisplacementInputs<'a> {
    pub frozen: Frozen<'a>,
    /// Viscosity, if the sweep is part of the relaxation.
    pub viscosity: Option<&'a ViscosityCoefficients>,
    pub pressures: &'a [Pressures],
    /// The stresses of grains: one item per particle; empty if no particle is a grain.
    pub stresses: &'a [Vec2],
    /// One item per chunk.
    pub neighbours: &'a [ChunkNeighbours],
}

/// The coefficient rows of a chunk that only the displacements need.
#[derive(Clone, Debug, Default)]
pub(crate) struct DisplacementRows {
    segregation: SegregationRows,
    attraction: AttractionRows,
    seepage: SeepageRows,
}

/// Outputs of the displacements: one item per particle.
pub(super) struct DisplacementOutputs<'a> {
    pub displacements: &'a mut Vec<Vec2>,
    /// The pushes on grains: one list per chunk, empty without grains.
    pub pushes: &'a mut Vec<Vec<GrainPush>>,
    /// Set to [`DISTURBED`] for particles in a wrong layer.
    pub rest_time: &'a mut [f32],
}

/// Computes the displacement of every particle from frozen positions, pressures and velocities.
pub(super) fn compute_displacements(
    inputs: DisplacementInputs,
    outputs: DisplacementOutputs,
    viscosity_rows: &mut Vec<ViscosityRows>,
    displacement_rows: &mut Vec<DisplacementRows>,
    executor: &dyn Executor,
) {
    let DisplacementOutputs { displacements, pushes, rest_time } = outputs;
    let count = inputs.frozen.particles.len();
    displacements.resize(count, Vec2::ZERO);
    pushes.resize_with(count.div_ceil(CHUNK), Vec::new);
    viscosity_rows.resize_with(count.div_ceil(CHUNK), ViscosityRows::default);
    displacement_rows.resize_with(count.div_ceil(CHUNK), DisplacementRows::default);
    let into = (
        &mut displacements[..],
        rest_time,
        PerChunk::new(viscosity_rows, count, CHUNK),
        PerChunk::new(displacement_rows, count, CHUNK),
        PerChunk::new(pushes, count, CHUNK),
    );
    if inputs.frozen.pressure.attractions.is_empty() {
        displace_chunks::<false>(inputs, into, executor);
    } else {
        displace_chunks::<true>(inputs, into, executor);
    }
}

fn displace_chunks<const COHESIVE: bool>(
    inputs: DisplacementInputs,
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
    executor.for_each_chunk(into, CHUNK, |index, outputs| {
        let (displacements, rest_time, viscosity_rows, displacement_rows, pushes) = outputs;
        let activity = &activity[chunk_of(index, displacements.len())];
        if takes_part(activity, Activity::Awake) {
            displace_chunk::<COHESIVE>(
                inputs,
                index,
                displacements,
                pushes.item(),
                rest_time,
                viscosity_rows.item(),
                displacement_rows.item(),
            );
        } else if !idle(activity) {
            displacements.fill(Vec2::ZERO);
        }
    });
}

/// Computes the displacements of the particles in a chunk.
fn displace_chunk<const COHESIVE: bool>(
    inputs: DisplacementInputs,
    index: usize,
    displacements: &mut [Vec2],
    pushes: &mut Vec<GrainPush>,
    rest_time: &mut [f32],
    viscosity_rows: &mut ViscosityRows,
    displacement_rows: &mut DisplacementRows,
) {
    let DisplacementInputs { frozen, viscosity, pressures, stresses, neighbours } = inputs;
    let start = chunk_of(index, displacements.len()).start;
    let any_grains = !stresses.is_empty();
    pushes.resize(if any_grains { displacements.len() } else { 0 }, GrainPush::default());
    let Frozen { coefficients, particles: all, .. } = frozen;
    let viscosity = viscosity.filter(|viscosity| viscosity.is_viscous());
    if viscosity.is_some() {
        viscosity_rows.prepare(coefficients.classes.len());
    }
    let segregation = &frozen.pressure.segregation;
    let DisplacementRows { segregation: sorting, attraction: attracting, seepage: seeping } =
        displacement_rows;
    let seepage = &frozen.pressure.seepage;
    if seepage.is_active() {
        seeping.prepare(coefficients.classes.len());
    }
    if segregation.is_active() {
        sorting.prepare(coefficients.classes.len());
    }
    if COHESIVE {
        attracting.prepare(coefficients.classes.len());
    }
    let per_share = |class| coefficients.time_step / pressure_displacement(coefficients, class);
    let neighbours = &neighbours[index];
    let mut walls = neighbours.walls();
    for (particles, neighbour_indices, properties) in neighbours.blocks(start) {
        let BlockProperties {
            classes: near_classes,
            has_coincident,
            has_segregation,
            has_grains,
            has_seepage,
        } = properties;
        let class = all.class;
        let displacements = &mut displacements[particles.start - start..particles.end - start];
        if !takes_part(&all.activity[particles.clone()], Activity::Awake) {
            displacements.fill(Vec2::ZERO);
            if any_grains {
                pushes[particles.start - start..particles.end - start].fill(GrainPush::default());
            }
            continue;
        }
        let rows = match viscosity {
            Some(viscosity) => {
                viscosity_rows.of(viscosity, class, near_classes, &particles, 0, per_share)
            }
            None => &[],
        };
        let sorting = if has_segregation {
            sorting.of(segregation, class, near_classes, &particles)
        } else {
            &[]
        };
        let attracting = if COHESIVE {
            attracting.of(&frozen.pressure.attractions, class, near_classes, &particles)
        } else {
            &[]
        };
        let seeping =
            if has_seepage { seeping.of(seepage, class, near_classes, &particles) } else { &[] };
        let pairs = &PairsOfBlock {
            frozen: &frozen,
            pressures,
            stresses,
            particles: particles.clone(),
            seepage: seeping,
            neighbour_indices,
            viscosity: rows,
            segregation: sorting,
            attraction: attracting,
        };
        let sums = match (viscosity.is_some(), has_segregation) {
            (true, true) => pairs.sum::<COHESIVE, true, true>(has_grains || has_seepage),
            (true, false) => pairs.sum::<COHESIVE, true, false>(has_grains || has_seepage),
            (false, true) => pairs.sum::<COHESIVE, false, true>(has_grains || has_seepage),
            (false, false) => pairs.sum::<COHESIVE, false, false>(has_grains || has_seepage),
        };
        let ((x, y, disorder), pushed) = sums;
        let block_range = particles.start - start..particles.end - start;
        if let Some(pushed) = pushed {
            for (lane, push) in pushes[block_range].iter_mut().enumerate() {
                *push = pushed.of(lane);
            }
        } else if any_grains {
            pushes[block_range].fill(GrainPush::default());
        }
        for (lane, displacement) in displacements.iter_mut().enumerate() {
            *displacement = Vec2::new(x[lane], y[lane]);
        }
        if has_segregation {
            let rest_time = &mut rest_time[particles.start - start..particles.end - start];
            let lanes = rest_time.iter_mut().zip(&all.activity[particles.clone()]).zip(disorder);
            for ((rest_time, activity), disorder) in lanes {
                // Sleeping particles stay asleep, whatever the width of the block.
                let moves = *activity == Activity::Awake;
                if moves && disorder * coefficients.inverse_radius > SLEEP_DISORDER_LIMIT {
                    *rest_time = DISTURBED;
                }
            }
        }
        if has_coincident {
            for (particle, displacement) in particles.clone().zip(&mut *displacements) {
                *displacement +=
                    coincident_displacement(&frozen, pressures, neighbour_indices, particle);
            }
        }
        if has_walls_before(particles.end, walls) {
            let pushes = pushes.get(particles.start - start..particles.end - start);
            for (lane, (particle, displacement)) in particles.zip(displacements).enumerate() {
                let liquid = pushes.map_or(0.0, |pushes| pushes[lane].liquid_pressure);
                *displacement +=
                    wall_displacement(&frozen, &pressures[particle], liquid, particle, &mut walls);
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
    /// Seepage between the block's particles and each class near it; empty if none share their space.
    seepage: &'a [SeepageRow],
    /// Indices of all neighbours of the block's particles.
    neighbour_indices: &'a [u32],
    /// Viscosity between the block's particles and each class near it, as a pressure; empty without viscosity.
    viscosity: &'a [ViscosityRow],
    /// Segregation between the block's particles and each class near it; empty if the block is not sorted.
    segregation: &'a [SegregationRow],
    /// Attraction between the block's particles and each class near it; empty without attraction.
    attraction: &'a [Lanes],
}

impl PairsOfBlock<'_> {
    /// Returns the displacements, the disorder sums, and the pushes on grains if the block is granular.
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
/// `-sum_j [(P_i + P_j) q + (Pn_i + Pn_j) q^2 - A_ij q (1 - q)] r_hat`, times the particle's share, plus the
/// displacements by viscosity and by segregation. A pair of a grain and a liquid that seeps through it has
/// `-c (P + 0.4 Pn) x (1 - x²) r_hat`, with the pressures of the liquid. The same loop sums the pushes on grains.
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
        let PairsOfBlock { frozen, pressures, particles, seepage, neighbour_indices, .. } = self.0;
        let PairsOfBlock { viscosity, segregation, attraction, .. } = self.0;
        let Frozen { particles: all, coefficients, pressure: table, .. } = **frozen;
        let has_seepage = !seepage.is_empty();
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
        let own_pressure =
            load(&gather(particles, pressures, |own_pressure| own_pressure.pressure));
        let own_near_pressure =
            load(&gather(particles, pressures, |own_pressure| own_pressure.near_pressure));
        let weight = if SORTED {
            load(&gather(particles, frozen.weights, |weight| *weight))
        } else {
            splat(0.0)
        };
        let mean_pair_pressure = |own_pressure: &Pressures| {
            own_pressure.mean_pair_pressure(coefficients.interaction_radius)
        };
        let mean_pair_pressure = load(&gather(particles, pressures, mean_pair_pressure));
        let own_classes = ClassLanes::of(S::WIDTH, particles, classes);
        let (mut sum_x, mut sum_y) = (splat(0.0), splat(0.0));
        let (mut lift, mut disorder) = (splat(0.0), splat(0.0));
        let (mut liquid_pressure, mut weight_sum) = (splat(0.0), splat(0.0));
        let mut pushes = if GRANULAR {
            Some(PushLanes::of(instructions, particles, &self.0.stresses[..positions.len()]))
        } else {
            None
        };
        let gravity_direction = table.segregation.weighted_gravity_direction;
        let per_squared_speed = splat(table.segregation.per_squared_speed);
        let lanes = BlockLanes::of(instructions, coefficients, particles, positions);
        lanes.for_each(
            [neighbour_indices.iter().map(|index| *index as usize)],
            #[inline(always)]
            |index, pair| {
                let (other, class) = (&pressures[index], classes[index].index());
                // This is `h q`. The extra factor `h` is divided out of the sums below.
                let closeness = positive_lanes::<S>(radius - pair.distance);
                let (mut pair_pressure, mut pair_near_pressure) =
                    (splat(other.pressure), splat(other.near_pressure));
                pair_pressure += own_pressure;
                pair_near_pressure += own_near_pressure;
                if GRANULAR && has_seepage {
                    let SeepageRow { separate, fractions, .. } = &seepage[class];
                    // Between particles that share their space only the pressure of the liquid acts.
                    let apart = load(separate);
                    (pair_pressure, pair_near_pressure) =
                        (pair_pressure * apart, pair_near_pressure * apart);
                    let other = splat(other.mean_pair_pressure(coefficients.interaction_radius));
                    let pressing = load(&fractions.by_block) * other;
                    let strength = load(&fractions.on_block) * mean_pair_pressure + pressing;
                    liquid_pressure += pressing * pair.closeness;
                    weight_sum += pair.closeness;
                    let wide = positive_lanes::<S>(
                        splat(1.0) - pair.squared * (inverse_radius * inverse_radius),
                    );
                    sum_x -= strength * wide * pair.dx;
                    sum_y -= strength * wide * pair.dy;
                }
                let mut strength = pair_pressure + pair_near_pressure * closeness;
                if COHESIVE {
                    let drop = splat(1.0) - closeness * inverse_radius;
                    strength -= load(&attraction[class]) * drop;
                }
                if VISCOUS {
                    let approach =
                        pair.approach(velocity, velocities[index]) * pair.inverse_distance;
                    strength = viscosity[class].add_to::<S>(strength, approach);
                }
                if let Some(pushes) = &mut pushes
                    && table.classes[class].grains.is_some()
                {
                    pushes.add(
                        &pair,
                        self.0.stresses[index],
                        pair_pressure,
                        pair_near_pressure,
                        radius,
                    );
                }
                let along = strength * (closeness * pair.inverse_distance);
                sum_x -= along * pair.dx;
                sum_y -= along * pair.dy;
                if SORTED && segregation[class].is_active {
                    let below =
                        pair.dx * splat(gravity_direction.x) + pair.dy * splat(gravity_direction.y);
                    let other = velocities[index];
                    let (vx, vy) = (velocity.0 - splat(other.x), velocity.1 - splat(other.y));
                    let rest_factor =
                        positive_lanes::<S>(splat(1.0) - (vx * vx + vy * vy) * per_squared_speed);
                    segregation[class].add_to::<S>(
                        &mut lift,
                        &mut disorder,
                        weight,
                        frozen.weights[index],
                        closeness,
                        below * pair.inverse_distance,
                        rest_factor,
                    );
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
            let liquid_pressure = liquid_pressure * splat(LIQUID_GHOST_PRESSURE_RATIO);
            let min_weight = splat(f32::MIN_POSITIVE);
            let liquid_pressure = liquid_pressure / instructions.larger(weight_sum, min_weight);
            *self.1 = pushes.sums(liquid_pressure);
        }
        (store(sum_x), store(sum_y), store(disorder))
    }
}

/// Pressure with which a wall pushes a grain as much as the missing liquid behind the wall would,
/// relative to the mean pressure of liquid on the grain. 0.86 is the push of a grain-liquid pair
/// relative to that of other pairs, half a spacing from a wall; 1.5 is the factor for the wall's
/// rigidity in the ghost density.
const LIQUID_GHOST_PRESSURE_RATIO: f32 = 0.86 / 1.5;

/// Displacement of a particle by a unit pressure in a pair.
#[inline(always)]
fn pressure_displacement(coefficients: &Coefficients, class: usize) -> f32 {
    let squared_step = coefficients.time_step * coefficients.time_step;
    squared_step * (0.5 * coefficients.classes[class].inverse_mass)
}

/// The sum over coincident pairs, whose direction comes from their ids.
fn coincident_displacement(
    frozen: &Frozen,
    pressures: &[Pressures],
    neighbour_indices: &[u32],
    index: usize,
) -> Vec2 {
    let Frozen { coefficients, particles, .. } = *frozen;
    let class = particles.class[index].index();
    let pressure = &pressures[index];
    let mut sum = Vec2::ZERO;
    let others = neighbour_indices.iter().map(|other| *other as usize);
    for (other, axis) in coincident_particles(particles, coefficients, index, others) {
        let distance = particles.position[other].distance(particles.position[index]);
        let closeness = coefficients.interaction_radius - distance;
        if frozen.pressure.seepage.share_space(class, particles.class[other].index()) {
            continue;
        }
        let other_pressure = &pressures[other];
        let strength = (pressure.pressure + other_pressure.pressure)
            + (pressure.near_pressure + other_pressure.near_pressure) * closeness;
        sum -= axis * (strength * closeness);
    }
    sum * (pressure_displacement(coefficients, class) * coefficients.inverse_radius)
}

// A sweep of viscosity over the pairs.

/// One sweep over the pairs, with velocities that were frozen before it.
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
    /// Whether any of these particles is awake and may have a partner of a class in `near_classes`
    /// in this sweep.
    pub(super) fn has_partners(self, particles: &Range<usize>, near_classes: ClassSet) -> bool {
        let Self { particles: all, viscosity, number, .. } = self;
        let partners = |index: usize| viscosity.partners(all.class[index], number);
        particles
            .clone()
            .any(|index| self.is_awake(index) && partners(index).intersects(near_classes))
    }

    pub(super) fn is_awake(self, index: usize) -> bool {
        self.particles.activity[index] == Activity::Awake
    }
}

// Attraction between the particles of a block and the particles of each class.

/// Attraction between a block's particles and every class.
pub(crate) type AttractionRows = ClassRows<Lanes>;

impl AttractionRows {
    /// The rows of a block, from the attraction `[i * classes + j]` of each pair of classes.
    pub(super) fn of(
        &mut self,
        attractions: &[f32],
        classes: &[ClassId],
        near_classes: ClassSet,
        particles: &Range<usize>,
    ) -> &[Lanes] {
        let count = self.classes();
        self.of_block(classes, near_classes, particles, |own_classes, other| {
            own_classes.map(|class| attractions[class * count + other])
        })
    }
}

// Viscosity between the particles of a block and the particles of each class.

/// Viscosity between a block's particles and every class, computed on first use.
pub(crate) type ViscosityRows = ClassRows<ViscosityRow>;

/// Viscosity between a block's particles and one class. Each value is multiplied by the particle's share of the
/// exchange, which is `m_j/(m_i + m_j)` times the factor between the two classes, and by `per_share`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ViscosityRow {
    /// `dt sigma`.
    approach: Lanes,
    /// `dt beta`.
    quadratic: Lanes,
    /// Largest `dt (sigma + beta u)`.
    limit: Lanes,
    /// `dt` times the linear part.
    linear: Lanes,
}

impl ViscosityRows {
    /// The rows of a block in a sweep, against the classes in `near_classes`. Each row is
    /// multiplied by `per_share` of the particle's own class.
    pub(crate) fn of(
        &mut self,
        coefficients: &ViscosityCoefficients,
        classes: &[ClassId],
        near_classes: ClassSet,
        particles: &Range<usize>,
        sweep: u32,
        per_share: impl Fn(usize) -> f32,
    ) -> &[ViscosityRow] {
        let count = self.classes();
        let in_sweep =
            |pair: PairViscosity| if sweep < pair.sweeps { pair } else { PairViscosity::default() };
        self.of_block(classes, near_classes, particles, |own_classes, other| {
            let shares = &coefficients.shares;
            let share = own_classes.map(|class| shares[class * count + other] * per_share(class));
            let times_share = |lanes: Lanes| std::array::from_fn(|lane| lanes[lane] * share[lane]);
            let pairs = &coefficients.pairs;
            let pair_lanes = |number: fn(PairViscosity) -> f32| match coefficients.uniform {
                Some(uniform) => [number(in_sweep(uniform)); LANES],
                None => own_classes.map(|class| number(in_sweep(pairs[class * count + other]))),
            };
            ViscosityRow {
                approach: times_share(pair_lanes(|pair| pair.approach)),
                quadratic: times_share(pair_lanes(|pair| pair.quadratic)),
                limit: times_share([coefficients.limit; LANES]),
                linear: times_share(pair_lanes(|pair| pair.linear)),
            }
        })
    }
}

impl ViscosityRow {
    /// Largest fraction of its velocity that a particle can transfer to a particle at distance 0.
    #[inline(always)]
    pub(crate) fn max_exchange<S: Instructions>(&self, instructions: S) -> LaneVector<S> {
        let load = |lanes: &Lanes| load(instructions, lanes);
        let zero = splat(instructions, 0.0);
        let grows = (load(&self.approach) + load(&self.quadratic)).simd_gt(zero);
        load(&self.linear) + grows.select(load(&self.limit), zero)
    }

    /// Adds to `strength` the exchange of a pair with the approach speed `u`, divided by the weight `q`:
    /// `u (min(dt (sigma + beta u), limit) [u > 0] + dt linear)`.
    #[inline(always)]
    pub(crate) fn add_to<S: Instructions>(
        &self,
        strength: LaneVector<S>,
        approach: LaneVector<S>,
    ) -> LaneVector<S> {
        let instructions = strength.token();
        let load = |lanes: &Lanes| load(instructions, lanes);
        // This order of operations keeps dependency chains short.
        let rate = load(&self.approach) + load(&self.quadratic) * approach;
        let strength = strength + load(&self.linear) * approach;
        strength + instructions.smaller(rate, load(&self.limit)) * positive_lanes::<S>(approach)
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec2;

    use crate::particles::arrays::{Activity, DISTURBED};
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
}
