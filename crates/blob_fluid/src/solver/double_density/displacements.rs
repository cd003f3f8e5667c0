//! Displacements by pressures (Clavet et al. 2005, Algorithm 2, lines 12-20), and the one sweep of viscosity that
//! visits the same pairs.

use std::ops::Range;

use fearless_simd::prelude::*;
use glam::Vec2;

use crate::Executor;
use crate::parallel::executor::{CHUNK, PerChunk, chunk_of, slices};
use crate::parallel::instructions::{
    self, Instructions, LANES, LaneKernel, LaneVector, Lanes, block_width, gather, gather_points,
    load, positive_lanes, splat, store,
};
use crate::particles::arrays::{Activity, DISTURBED, ParticleView, idle, takes_part};
use crate::solver::coefficients::{ClassSet, Coefficients};
use crate::solver::double_density::chunk_neighbours::{
    BlockProperties, ChunkNeighbours, ClassRows,
};
use crate::solver::double_density::coefficients::{
    Frozen, GrainPush, PairViscosity, Pressures, ViscosityCoefficients,
};
use crate::solver::double_density::grains::{PushLanes, PushesOfBlock};
use crate::solver::double_density::seepage::{SeepageRow, SeepageRows};
use crate::solver::double_density::segregation::{SLEEP_DISORDER_LIMIT, SegregationRow};
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
    segregation: ClassRows<SegregationRow>,
    attraction: ClassRows<Lanes>,
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

slices! {
    /// The results of the pass for some particles, and its rows.
    struct ChunkDisplacements<'a> {
        displacements: &'a mut [Vec2],
        rest_time: &'a mut [f32],
        pushes: PerChunk<'a, Vec<GrainPush>>,
        viscosity_rows: PerChunk<'a, ViscosityRows>,
        displacement_rows: PerChunk<'a, DisplacementRows>,
    }
}

/// Computes the displacement of every particle from frozen positions, pressures and velocities.
pub(super) fn compute_displacements(
    inputs: DisplacementInputs,
    outputs: DisplacementOutputs,
    viscosity_rows: &mut Vec<ViscosityRows>,
    displacement_rows: &mut Vec<DisplacementRows>,
    executor: &dyn Executor,
) {
    let count = inputs.frozen.particles.len();
    outputs.displacements.resize(count, Vec2::ZERO);
    let chunks = ChunkDisplacements {
        displacements: &mut outputs.displacements[..],
        rest_time: outputs.rest_time,
        pushes: PerChunk::resized(outputs.pushes, count, CHUNK),
        viscosity_rows: PerChunk::resized(viscosity_rows, count, CHUNK),
        displacement_rows: PerChunk::resized(displacement_rows, count, CHUNK),
    };
    executor.for_each_chunk(chunks, CHUNK, |index, chunk| {
        let activity =
            &inputs.frozen.particles.activity[chunk_of(index, chunk.displacements.len())];
        if takes_part(activity, Activity::Awake) {
            displace_chunk(inputs, index, chunk);
        } else if !idle(activity) {
            chunk.displacements.fill(Vec2::ZERO);
        }
    });
}

/// Computes the displacements of the particles in a chunk.
fn displace_chunk(inputs: DisplacementInputs, index: usize, chunk: ChunkDisplacements) {
    let DisplacementInputs { frozen, viscosity, pressures, stresses, neighbours } = inputs;
    let Frozen { coefficients, particles: all, pressure: table, .. } = frozen;
    let ChunkDisplacements { displacements, rest_time, .. } = chunk;
    let start = index * CHUNK;
    let any_grains = !stresses.is_empty();
    let pushes = chunk.pushes.item();
    pushes.resize(if any_grains { displacements.len() } else { 0 }, GrainPush::default());
    let classes = coefficients.classes.len();
    let viscosity = viscosity.filter(|viscosity| viscosity.is_viscous());
    let viscosity_rows = chunk.viscosity_rows.item();
    let DisplacementRows { segregation, attraction, seepage } = chunk.displacement_rows.item();
    if viscosity.is_some() {
        viscosity_rows.prepare(classes);
    }
    if table.seepage.is_active() {
        seepage.prepare(classes);
    }
    if table.segregation.is_active() {
        segregation.prepare(classes);
    }
    let attractions = &table.attractions[..];
    if !attractions.is_empty() {
        attraction.prepare(classes);
    }
    let per_share = |class| coefficients.time_step / pressure_displacement(coefficients, class);
    let neighbours = &neighbours[index];
    let mut walls = &neighbours.walls[..];
    for (particles, neighbour_indices, properties) in neighbours.lists.blocks(start) {
        let BlockProperties { has_coincident, has_segregation, has_seepage, .. } = properties;
        let block_range = particles.start - start..particles.end - start;
        let displacements = &mut displacements[block_range.clone()];
        if !takes_part(&all.activity[particles.clone()], Activity::Awake) {
            displacements.fill(Vec2::ZERO);
            if any_grains {
                pushes[block_range].fill(GrainPush::default());
            }
            continue;
        }
        let (near, own) =
            (properties.classes, &ClassLanes::of(block_width(), &particles, all.class));
        let pairs = PairsOfBlock {
            inputs: &inputs,
            particles: particles.clone(),
            neighbour_indices,
            seepage: if has_seepage {
                seepage.of_block(own, near, |other| table.seepage.row(own, other))
            } else {
                &[]
            },
            viscosity: match viscosity {
                Some(viscosity) => viscosity_rows
                    .of_block(own, near, |other| viscosity.row(own, other, 0, per_share)),
                None => &[],
            },
            segregation: if has_segregation {
                segregation.of_block(own, near, |other| table.segregation.row(own, other))
            } else {
                &[]
            },
            attraction: if attractions.is_empty() {
                &[]
            } else {
                attraction.of_block(own, near, |other| {
                    own.map(|class| attractions[class * classes + other])
                })
            },
        };
        let granular = properties.has_grains || has_seepage;
        let ((x, y, disorder), pushed) = pairs.sum(viscosity.is_some(), has_segregation, granular);
        if let Some(pushed) = pushed {
            for (lane, push) in pushes[block_range.clone()].iter_mut().enumerate() {
                *push = pushed.of(lane);
            }
        } else if any_grains {
            pushes[block_range.clone()].fill(GrainPush::default());
        }
        for (lane, displacement) in displacements.iter_mut().enumerate() {
            *displacement = Vec2::new(x[lane], y[lane]);
        }
        if has_segregation {
            let rest_time = &mut rest_time[block_range.clone()];
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
            let pushes = pushes.get(block_range);
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
    inputs: &'a DisplacementInputs<'a>,
    particles: Range<usize>,
    /// Indices of all neighbours of the block's particles.
    neighbour_indices: &'a [u32],
    /// Seepage between the block's particles and each class near it; empty if none share their space.
    seepage: &'a [SeepageRow],
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
    fn sum(
        &self,
        viscous: bool,
        sorted: bool,
        granular: bool,
    ) -> ((Lanes, Lanes, Lanes), Option<PushesOfBlock>) {
        match (!self.attraction.is_empty(), viscous, sorted) {
            (true, true, true) => self.sum_of::<true, true, true>(granular),
            (true, true, false) => self.sum_of::<true, true, false>(granular),
            (true, false, true) => self.sum_of::<true, false, true>(granular),
            (true, false, false) => self.sum_of::<true, false, false>(granular),
            (false, true, true) => self.sum_of::<false, true, true>(granular),
            (false, true, false) => self.sum_of::<false, true, false>(granular),
            (false, false, true) => self.sum_of::<false, false, true>(granular),
            (false, false, false) => self.sum_of::<false, false, false>(granular),
        }
    }

    /// As [`sum`](Self::sum), with the kernel for these forces.
    #[inline]
    fn sum_of<const COHESIVE: bool, const VISCOUS: bool, const SORTED: bool>(
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
        let PairsOfBlock { particles, neighbour_indices, seepage, viscosity, segregation, .. } =
            self.0;
        let DisplacementInputs { frozen, pressures, stresses, .. } = *self.0.inputs;
        let Frozen { particles: all, coefficients, pressure: table, .. } = frozen;
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
            Some(PushLanes::of(instructions, particles, &stresses[..positions.len()]))
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
                    strength -= load(&self.0.attraction[class]) * drop;
                }
                if VISCOUS {
                    let approach =
                        pair.approach(velocity, velocities[index]) * pair.inverse_distance;
                    strength = viscosity[class].add_to::<S>(strength, approach);
                }
                if let Some(pushes) = &mut pushes
                    && table.classes[class].grains.is_some()
                {
                    pushes.add(&pair, stresses[index], pair_pressure, pair_near_pressure, radius);
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

/// Pressure with which a wall pushes a grain as much as the missing liquid behind the wall would.
/// It is relative to the mean pressure of liquid on the grain. Half a spacing from a wall, a
/// grain-liquid pair pushes 0.86 times as much as other pairs. 1.5 is the factor for the wall's
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

impl ViscosityCoefficients {
    /// The viscosity between a block's particles and the particles of a class in a sweep, multiplied by `per_share` of
    /// the particle's own class.
    pub(super) fn row(
        &self,
        own_classes: &ClassLanes,
        other: usize,
        sweep: u32,
        per_share: impl Fn(usize) -> f32,
    ) -> ViscosityRow {
        let count = self.crowding_density.len();
        let in_sweep =
            |pair: PairViscosity| if sweep < pair.sweeps { pair } else { PairViscosity::default() };
        let share = own_classes.map(|class| self.shares[class * count + other] * per_share(class));
        let times_share = |lanes: Lanes| std::array::from_fn(|lane| lanes[lane] * share[lane]);
        let pair_lanes = |number: fn(PairViscosity) -> f32| match self.uniform {
            Some(uniform) => [number(in_sweep(uniform)); LANES],
            None => own_classes.map(|class| number(in_sweep(self.pairs[class * count + other]))),
        };
        ViscosityRow {
            approach: times_share(pair_lanes(|pair| pair.approach)),
            quadratic: times_share(pair_lanes(|pair| pair.quadratic)),
            limit: times_share([self.limit; LANES]),
            linear: times_share(pair_lanes(|pair| pair.linear)),
        }
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
