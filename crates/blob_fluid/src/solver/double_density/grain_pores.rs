//! Liquid in the pores of powder, which bears a part of the pressure, and the drag between grains and the liquid that seeps
//! through them, by Darcy's law. It is not part of Clavet et al. 2005.

use std::ops::Range;

use fearless_simd::prelude::*;
use glam::Vec2;

use crate::parallel::executor::{CHUNK, Executor, LONG_CHUNK, PerChunk, chunk_of};
use crate::parallel::instructions::{
    self, Instructions, LaneKernel, LaneMask, LaneVector, Lanes, block_width, gather,
    gather_points, load, positive, splat, store,
};
use crate::particles::arrays::{Activity, takes_part};
use crate::particles::optional::{Grain, PoreLiquid};
use crate::solver::double_density::chunk_neighbours::ChunkNeighbours;
use crate::solver::double_density::coefficients::{Frozen, Pressures};
use crate::solver::double_density::seepage::{SeepageRow, SeepageRows, neighbours_at_rest};
use crate::solver::neighbours::blocks::{BlockLanes, ClassLanes};

/// Relative density up to which a grain is exposed to air, and from which on ([`ENCLOSED_DENSITY`])
/// it is enclosed. Exposed grains hold no liquid under pressure, because it would run out. So a few
/// drops do not fill a heap.
const EXPOSED_DENSITY: f32 = 0.75;
const ENCLOSED_DENSITY: f32 = 0.9;

/// Fraction of grains among a grain's neighbours: below 0.2 grains have no contact and no friction, above 0.5 they have
/// full contact.
const GRAIN_CONTACT_FRACTIONS: (f32, f32) = (0.2, 0.5);

/// Contribution of a particle itself to sums of `q²` over its neighbours and itself.
const SELF_WEIGHT: f32 = 1.0;

/// A grain whose pores may contain liquid.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PoreState {
    pub pores: PoreLiquid,
    /// The pressure on the grain and its neighbours, without the part that the liquid in the pores bears, `m P`.
    pub effective_load: f32,
    /// `effective_load` as a fraction of the pressure on the grain; at most 1.
    pub effective_load_ratio: f32,
}

impl PoreState {
    /// A grain without liquid in its pores.
    fn without_liquid(grain: &Grain) -> Self {
        Self { pores: PoreLiquid::default(), effective_load: grain.load, effective_load_ratio: 1.0 }
    }
}

/// Computes the liquid in the pores of every grain from neighbouring liquid particles, and from the liquid in the
/// pores of neighbouring grains in the last substep. So liquid enters, and its pressure spreads, from grain to grain.
///
/// `share = sum q² share_j / sum q²`, with 1 for liquid, reduced near air. The pressure is the mean of the neighbours'
/// pressures, extrapolated to the grain's depth: it grows along gravity as in a liquid at rest, by
/// `4 w g/(h (rho_eq + 1))`.
///
/// The load that the grains themselves bear is a small difference of large numbers. Its mean over the neighbours varies
/// less than the value of one grain.
///
/// Grains that are not awake keep their pore liquid.
pub(super) fn compute_pores(
    inputs: PoreInputs,
    grains: &[Grain],
    relative_density: &[f32],
    seepage_rows: &mut [SeepageRows],
    sources: &mut Vec<PoreSource>,
    pore_states: &mut Vec<PoreState>,
    executor: &dyn Executor,
) {
    let PoreInputs { frozen, neighbours, any_liquid, .. } = inputs;
    pore_states.clear();
    if !any_liquid && grains.iter().all(|grain| grain.pores.share == 0.0) {
        return;
    }
    pore_states.resize(grains.len(), PoreState::default());
    sources.resize(grains.len(), PoreSource::default());
    executor.for_each_chunk(&mut sources[..], LONG_CHUNK, |index, sources| {
        for (particle, source) in (index * LONG_CHUNK..).zip(sources) {
            *source = PoreSource::of_particle(&inputs, grains, particle);
        }
    });
    let sources = &*sources;
    let (classes, activity) = (&frozen.pressure.classes, frozen.particles.activity);
    let all_classes = frozen.particles.class;
    let seepage = &frozen.pressure.seepage;
    let seepage_rows = PerChunk::new(seepage_rows, grains.len(), CHUNK);
    executor.for_each_chunk((&mut pore_states[..], seepage_rows), CHUNK, |index, outputs| {
        let (pore_states, seepage_rows) = outputs;
        let chunk = chunk_of(index, pore_states.len());
        let start = chunk.start;
        for (pore_state, grain) in pore_states.iter_mut().zip(&grains[chunk.clone()]) {
            *pore_state = PoreState { pores: grain.pores, ..PoreState::without_liquid(grain) };
        }
        if !takes_part(&activity[chunk], Activity::Awake) {
            return;
        }
        let seepage_rows = seepage_rows.item();
        seepage_rows.prepare(frozen.coefficients.classes.len());
        for (particles, neighbour_indices, near_classes) in
            neighbours[index].moving_grains(start, activity)
        {
            let is_wet = |index: &u32| {
                let index = *index as usize;
                grains[index].pores.share > 0.0
                    || classes[frozen.particles.class[index].index()].fills_pores
            };
            let sums = neighbour_indices.iter().any(is_wet).then(|| {
                let particles = &particles;
                let seepage = if seepage.may_affect(&all_classes[particles.clone()], near_classes) {
                    let own = &ClassLanes::of(block_width(), particles, all_classes);
                    seepage_rows.of_block(own, near_classes, |other| seepage.row(own, other))
                } else {
                    &[]
                };
                instructions::run(PoresOfBlock {
                    frozen: &frozen,
                    seepage,
                    sources,
                    particles,
                    neighbour_indices,
                })
            });
            for (lane, particle) in particles.enumerate() {
                if activity[particle] != Activity::Awake || !frozen.is_grain(particle) {
                    continue;
                }
                let grain = &grains[particle];
                let enclosure = ((relative_density[particle] - EXPOSED_DENSITY)
                    / (ENCLOSED_DENSITY - EXPOSED_DENSITY))
                    .clamp(0.0, 1.0);
                pore_states[particle - start] = match &sums {
                    Some(sums) => sums.pore_state(lane, grain, enclosure),
                    None => PoreState::without_liquid(grain),
                };
            }
        }
    });
}

/// Inputs of [`compute_pores`].
#[derive(Clone, Copy)]
pub(super) struct PoreInputs<'a> {
    pub frozen: Frozen<'a>,
    pub pressures: &'a [Pressures],
    /// One item per chunk.
    pub neighbours: &'a [ChunkNeighbours],
    /// Whether any particle is a liquid that fills pores.
    pub any_liquid: bool,
}

/// Contributions of a particle to the pores of the grains around it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PoreSource {
    /// The liquid; for a grain, the liquid in its pores.
    liquid: PoreLiquid,
    /// Growth of the liquid's pressure along gravity, per distance and acceleration.
    slope: f32,
    /// The load that a grain itself bears; 0 for other particles.
    effective_load: f32,
    /// 1 for a grain, otherwise 0.
    is_grain: f32,
}

impl PoreSource {
    fn of_particle(inputs: &PoreInputs, grains: &[Grain], particle: usize) -> Self {
        let PoreInputs {
            frozen: Frozen { particles, coefficients, pressure, .. }, pressures, ..
        } = *inputs;
        let class = particles.class[particle].index();
        let (state, shared) = (&pressure.classes[class], &coefficients.classes[class]);
        let (grain, radius) = (&grains[particle], coefficients.interaction_radius);
        let liquid = if state.fills_pores {
            let pressure = pressures[particle].mean_pair_pressure(radius);
            PoreLiquid { share: 1.0, pressure, weight: shared.mass * shared.gravity_scale }
        } else {
            grain.pores
        };
        let is_grain = state.grains.is_some();
        Self {
            liquid,
            slope: liquid.weight * 4.0 / (radius * (state.state.equilibrium_density + 1.0)),
            effective_load: if is_grain { grain.load - liquid.borne() } else { 0.0 },
            is_grain: f32::from(u8::from(is_grain)),
        }
    }
}

/// Sums over the neighbours of each particle of a block and over itself, with the weight `q²`.
struct PoresOfBlock<'a> {
    frozen: &'a Frozen<'a>,
    /// Seepage between the block's particles and each class near it; empty if none share their space.
    seepage: &'a [SeepageRow],
    /// One item per particle.
    sources: &'a [PoreSource],
    particles: &'a Range<usize>,
    neighbour_indices: &'a [u32],
}

struct PoreSums {
    /// Sum over all particles; `granular`: over grains; `filled`: over liquid and the filled fractions of pores.
    all: Lanes,
    granular: Lanes,
    filled: Lanes,
    /// Over grains: the load that they themselves bear.
    bearing: Lanes,
    /// Over liquid and pores: its pressure at the particle's depth; `weight`: its weight.
    pressure: Lanes,
    weight: Lanes,
}

impl PoreSums {
    /// The wet grain in a lane. `enclosure` is 1 for an enclosed grain, and 0 for an exposed one.
    fn pore_state(&self, lane: usize, grain: &Grain, enclosure: f32) -> PoreState {
        let (all, filled, granular) = (self.all[lane], self.filled[lane], self.granular[lane]);
        if filled <= 0.0 {
            return PoreState::without_liquid(grain);
        }
        let pores = PoreLiquid {
            share: enclosure * (filled / all).min(1.0),
            pressure: positive(self.pressure[lane] / filled),
            weight: self.weight[lane] / filled,
        };
        let grains_among_neighbours =
            (granular - SELF_WEIGHT) / (all - SELF_WEIGHT).max(f32::MIN_POSITIVE);
        let contact_fraction = ((grains_among_neighbours - GRAIN_CONTACT_FRACTIONS.0)
            / (GRAIN_CONTACT_FRACTIONS.1 - GRAIN_CONTACT_FRACTIONS.0))
            .clamp(0.0, 1.0);
        // Without liquid, grains have friction wherever they touch.
        let friction_factor = 1.0 - pores.share * (1.0 - contact_fraction);
        let effective_load = friction_factor * positive(self.bearing[lane] / granular);
        // If a grain has no load, only the liquid presses on it.
        let effective_load_ratio = if grain.load <= 0.0 {
            friction_factor
        } else {
            (effective_load / grain.load).min(1.0)
        };
        PoreState { pores, effective_load, effective_load_ratio }
    }
}

impl LaneKernel for PoresOfBlock<'_> {
    type Output = PoreSums;

    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) -> PoreSums {
        let Self { frozen, seepage, sources, particles, neighbour_indices } = self;
        let Frozen { particles: all, coefficients, pressure, .. } = *frozen;
        let splat = |number: f32| splat(instructions, number);
        let positions = all.position;
        let (classes, sources) = (&all.class[..positions.len()], &sources[..positions.len()]);
        let gravity = coefficients.gravity;
        let (mut sum, mut granular) = (splat(0.0), splat(0.0));
        let (mut filled, mut bearing) = (splat(0.0), splat(0.0));
        let (mut pressure_sum, mut weight) = (splat(0.0), splat(0.0));
        let lanes = BlockLanes::of(instructions, coefficients, particles, positions);
        lanes.for_each(
            [neighbour_indices.iter().map(|index| *index as usize)],
            #[inline(always)]
            |index, pair| {
                let PoreSource { liquid, slope, effective_load: own_load, is_grain } =
                    sources[index];
                let closeness = pair.closeness * pair.closeness;
                sum += closeness;
                granular += closeness * splat(is_grain);
                bearing += closeness * splat(own_load);
                let deeper = splat(-gravity.x) * pair.dx + splat(-gravity.y) * pair.dy;
                let mut part = closeness * splat(liquid.share);
                let class = classes[index].index();
                if !seepage.is_empty() && pressure.classes[class].fills_pores {
                    // Liquid that seeps through a powder presses directly on its grains.
                    part *= load(instructions, &seepage[class].separate);
                }
                filled += part;
                pressure_sum += part * (splat(liquid.pressure) + splat(slope) * deeper);
                weight += part * splat(liquid.weight);
            },
        );
        PoreSums {
            all: store(sum),
            granular: store(granular),
            filled: store(filled),
            bearing: store(bearing),
            pressure: store(pressure_sum),
            weight: store(weight),
        }
    }
}

// Drag by Darcy's law.

/// The density of the powder around the liquid particle of each pair.
struct PackingLanes<S: Instructions> {
    is_grain: LaneMask<S>,
    /// For each particle of the block, the sum of `q` times the drag of its partners.
    drag: LaneVector<S>,
    /// The sum of `q` in packed powder.
    neighbours: LaneVector<S>,
}

impl<S: Instructions> PackingLanes<S> {
    #[inline(always)]
    fn of(instructions: S, frozen: &Frozen, drag_sums: &[f32], particles: &Range<usize>) -> Self {
        let Frozen { particles: all, coefficients, pressure, .. } = *frozen;
        let grains = |class: usize| f32::from(u8::from(pressure.classes[class].grains.is_some()));
        let grains = ClassLanes::of(S::WIDTH, particles, all.class).map(grains);
        let ratio = coefficients.interaction_radius / coefficients.particle_spacing;
        Self {
            is_grain: load(instructions, &grains).simd_gt(splat(instructions, 0.0)),
            drag: load(instructions, &gather(particles, drag_sums, |drag| *drag)),
            neighbours: splat(instructions, neighbours_at_rest(ratio)),
        }
    }

    /// The factor `s` of [`apply_darcy_drag`] for each pair; 0 for pairs that do not share their space. The rates are those of the drags that the other particle exerts on the block and vice
    /// versa; `other` is its drag sum.
    #[inline(always)]
    fn packing_factor(
        &self,
        [on_block, by_block]: [LaneVector<S>; 2],
        other: f32,
    ) -> LaneVector<S> {
        let instructions = self.drag.token();
        let (zero, one) = (splat(instructions, 0.0), splat(instructions, 1.0));
        let of_liquid = self.is_grain.select(splat(instructions, other), self.drag);
        let packed = self.is_grain.select(by_block, on_block) * self.neighbours;
        let density = of_liquid / packed;
        let factor = instructions.smaller(splat(instructions, 4.0) * density, one / density);
        packed.simd_gt(zero).select(factor, zero)
    }

    /// 1 plus the exchange of the liquid particle and of the grain of such a pair with all their neighbours.
    #[inline(always)]
    fn exchange_denominator(&self, packed: LaneVector<S>, other: f32) -> LaneVector<S> {
        let other = splat(self.drag.token(), other);
        let of_liquid = self.is_grain.select(other, self.drag);
        let of_grain = self.is_grain.select(self.drag, other);
        splat(self.drag.token(), 1.0) + packed * of_liquid + of_grain
    }
}

/// Inputs of the drag.
#[derive(Clone, Copy)]
pub(super) struct DragInputs<'a> {
    pub frozen: Frozen<'a>,
    /// One item per particle: the sum of `q` times the drag of its partners.
    pub drag_sums: &'a [f32],
    /// One item per chunk.
    pub neighbours: &'a [ChunkNeighbours],
}

/// Adds the drag between grains and the liquid that seeps through them to the displacements of a substep:
/// `sum_j k_ij (u_j - u_i)`, where `u` is the total displacement of a particle in the substep and
///
/// `k_ij = q D_ij s/(1 + s sum q D + sum q D)`
///
/// with the sums of the liquid and of the grain. `s` is the smaller of `4 phi` and `1/phi`, where `phi` is the relative
/// density of the powder around the liquid: 1/2 at the surface of packed powder and beside walls. So the drag is the same
/// everywhere in a bed, and decreases within a spacing or two outside of it: thin beds follow the law too, no liquid runs
/// along walls, and a single grain hardly holds liquid back. The scheme is implicit: no drag, however large, reverses a
/// particle's motion, because `s` is at most `s phi + 1`. `m_i k_ij = m_j k_ji` conserves momentum.
pub(super) fn apply_darcy_drag(
    inputs: DragInputs,
    seepage_rows: &mut [SeepageRows],
    total_displacements: &mut Vec<Vec2>,
    displacements: &mut [Vec2],
    executor: &dyn Executor,
) {
    let DragInputs { frozen, neighbours, .. } = inputs;
    let all = frozen.particles;
    let time_step = frozen.coefficients.time_step;
    total_displacements.resize(all.len(), Vec2::ZERO);
    executor.for_each_chunk(
        &mut total_displacements[..],
        LONG_CHUNK,
        |index, total_displacements| {
            let start = index * LONG_CHUNK;
            let moved = all.velocity[start..].iter().zip(&all.displacement[start..]);
            let moved = moved.zip(&displacements[start..]).zip(&all.activity[start..]);
            for (total, (((velocity, before), offset), activity)) in
                total_displacements.iter_mut().zip(moved)
            {
                let moves = *activity == Activity::Awake;
                *total = if moves { *velocity * time_step + *before + *offset } else { Vec2::ZERO };
            }
        },
    );
    let total_displacements = &total_displacements[..];
    let seepage = &frozen.pressure.seepage;
    let seepage_rows = PerChunk::new(seepage_rows, all.len(), CHUNK);
    executor.for_each_chunk((displacements, seepage_rows), CHUNK, |index, outputs| {
        let (displacements, seepage_rows) = outputs;
        let chunk = chunk_of(index, displacements.len());
        let start = chunk.start;
        if !takes_part(&all.activity[chunk], Activity::Awake) {
            return;
        }
        let seepage_rows = seepage_rows.item();
        seepage_rows.prepare(frozen.coefficients.classes.len());
        for (particles, neighbour_indices, properties) in neighbours[index].lists.blocks(start) {
            if !properties.has_seepage
                || !takes_part(&all.activity[particles.clone()], Activity::Awake)
            {
                continue;
            }
            let own = &ClassLanes::of(block_width(), &particles, all.class);
            let block = DragOfBlock {
                inputs: &inputs,
                seepage: seepage_rows
                    .of_block(own, properties.classes, |other| seepage.row(own, other)),
                total_displacements,
                particles: &particles,
                neighbour_indices,
            };
            let (x, y) = instructions::run(block);
            for (lane, particle) in particles.enumerate() {
                if all.activity[particle] == Activity::Awake {
                    displacements[particle - start] += Vec2::new(x[lane], y[lane]);
                }
            }
        }
    });
}

/// Computes the change of the displacement of each particle of a block.
struct DragOfBlock<'a> {
    inputs: &'a DragInputs<'a>,
    /// Seepage between the block's particles and each class near it.
    seepage: &'a [SeepageRow],
    total_displacements: &'a [Vec2],
    particles: &'a Range<usize>,
    neighbour_indices: &'a [u32],
}

impl LaneKernel for DragOfBlock<'_> {
    type Output = (Lanes, Lanes);

    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) -> (Lanes, Lanes) {
        let Self {
            inputs: DragInputs { frozen, drag_sums, .. },
            seepage,
            total_displacements,
            particles,
            neighbour_indices,
        } = self;
        let Frozen { particles: all, coefficients, .. } = *frozen;
        let splat = |number: f32| splat(instructions, number);
        let positions = all.position;
        let classes = &all.class[..positions.len()];
        let (total_displacements, drag_sums) =
            (&total_displacements[..positions.len()], &drag_sums[..positions.len()]);
        let packing = PackingLanes::of(instructions, frozen, drag_sums, particles);
        let (own_x, own_y) = gather_points(instructions, particles, total_displacements);
        let (mut sum_x, mut sum_y) = (splat(0.0), splat(0.0));
        let lanes = BlockLanes::of(instructions, coefficients, particles, positions);
        lanes.for_each(
            [neighbour_indices.iter().map(|index| *index as usize)],
            #[inline(always)]
            |index, pair| {
                let rates = &seepage[classes[index].index()].drag_rates;
                let [on_block, by_block] =
                    [&rates.on_block, &rates.by_block].map(|lanes| load(instructions, lanes));
                let packed = packing.packing_factor([on_block, by_block], drag_sums[index]);
                let denominator = packing.exchange_denominator(packed, drag_sums[index]);
                let drag = pair.closeness * on_block * (packed / denominator);
                let displacement = total_displacements[index];
                sum_x += drag * (splat(displacement.x) - own_x);
                sum_y += drag * (splat(displacement.y) - own_y);
            },
        );
        (store(sum_x), store(sum_y))
    }
}
