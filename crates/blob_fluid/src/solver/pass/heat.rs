//! Heat: conduction between particles, heat from walls, and exchange with the surroundings. Not in
//! the paper.

use crate::boundary::near::{NearWalls, WallProbe};
use crate::boundary::solids::{ExposedParticles, Solids};
use crate::liquid::state::heat_moved;
use crate::parallel::executor::{CHUNK, LONG_CHUNK};
use crate::parallel::instructions::{
    self, Instructions, LANES, LaneKernel, Lanes, block_width, gather, load, positive, splat, store,
};
use crate::solver::coefficients::{ClassCoefficients, Coefficients};
use crate::solver::neighbours::blocks::{Block, BlockLanes, ClassLanes};
use crate::solver::neighbours::hash::{Neighbours, refresh};
use crate::{ClassId, ClassTable, Executor, Liquid, Particles};

/// A wall conducts as much heat to a particle that touches it as this many particles at distance 0.
const WALL_CONDUCTION_WEIGHT: f32 = 6.0;

/// Applies conduction, `T_i += dt sum_j kappa_ij m_j/(m_i + m_j) q (T_j - T_i)`, which conserves
/// `sum m T`. Then applies the heat of walls within half an interaction radius, and
/// `dT/dt = cooling (T_ambient - T)`, both implicitly.
///
/// `kappa_ij` is the harmonic mean of the conductivities of both classes, limited to a value that
/// is stable for the lighter class. In liquid so dense that this limit is not enough, a particle
/// takes the mean temperature of its neighbours, which does not conserve the sum. So no particle
/// gets hotter than its hottest neighbour.
pub(crate) fn exchange_heat(
    liquid: &mut Liquid,
    neighbours: &mut Neighbours,
    previous: &mut Vec<f32>,
    coefficients: &Coefficients,
    executor: &dyn Executor,
) {
    let conducts = !coefficients.conductivities.is_empty();
    if !conducts && coefficients.classes.iter().all(|class| class.cooling == 0.0) {
        return;
    }
    let present = liquid.particles.present_classes();
    let any_present_class = |has: fn(&ClassCoefficients) -> bool| {
        ClassId::all()
            .zip(&coefficients.classes)
            .any(|(id, class)| present.contains(id) && has(class))
    };
    let cools = any_present_class(|class| class.cooling > 0.0);
    let conducts = conducts && any_present_class(|class| class.conductivity > 0.0);
    if !conducts && !cools {
        return;
    }
    if !conducts {
        previous.clone_from(&liquid.particles.temperature);
    } else {
        refresh(liquid, neighbours, coefficients, executor);
        conduct(&mut liquid.particles, neighbours, previous, coefficients, executor);
        if liquid.boundary.any_wall_has_temperature() {
            apply_wall_heat(&mut liquid.particles, &liquid.boundary, coefficients, executor);
        }
    }
    if cools {
        let ambient = coefficients.ambient_temperature;
        let classes = &liquid.particles.class;
        let temperatures = &mut liquid.particles.temperature[..];
        executor.for_each_chunk(temperatures, LONG_CHUNK, |index, temperatures| {
            let classes = &classes[index * LONG_CHUNK..];
            for (temperature, class) in temperatures.iter_mut().zip(classes) {
                let rate = coefficients.classes[class.index()].cooling;
                *temperature += (ambient - *temperature) * (rate / (1.0 + rate));
            }
        });
    }
    liquid.sleep.heat_rests &= !any_changed(previous, &liquid.particles.temperature, executor);
}

/// Whether any temperature changed noticeably.
fn any_changed(before: &[f32], after: &[f32], executor: &dyn Executor) -> bool {
    executor.any_chunk(0..after.len(), LONG_CHUNK, |_, indices| {
        let both = before[indices.clone()].iter().zip(&after[indices]);
        both.fold(false, |any, (before, after)| any | heat_moved(*before, *after))
    })
}

/// Applies conduction, and leaves the temperatures before it in `buffer`.
fn conduct(
    particles: &mut Particles,
    neighbours: &mut Neighbours,
    buffer: &mut Vec<f32>,
    coefficients: &Coefficients,
    executor: &dyn Executor,
) {
    buffer.clear();
    buffer.extend_from_slice(&particles.temperature);
    let frozen = &*particles;
    let (grid, presence) = neighbours.with_presence(frozen, coefficients.classes.len());
    executor.for_each_chunk(&mut buffer[..], CHUNK, |chunk_index, chunk| {
        let start = chunk_index * CHUNK;
        let mut rates = [[0.0; LANES]; ClassTable::MAX_CLASSES];
        let mut blocks = grid.blocks(start..start + chunk.len());
        while let Some(block) = blocks.next() {
            let classes = ClassLanes::of(block_width(), &block.particles, frozen.classes());
            let near_classes = presence.in_ranges(block.spans());
            let rows = &mut rates[..coefficients.classes.len()];
            classes.fill(rows, near_classes, &coefficients.conductivities);
            let gains = GainsOfBlock { particles: frozen, coefficients, block, rates: &rates };
            let (weights, gains) = instructions::run(gains);
            for (lane, index) in block.particles.clone().enumerate() {
                chunk[index - start] += gains[lane] / weights[lane].max(1.0);
            }
        }
    });
    std::mem::swap(&mut particles.temperature, buffer);
}

/// Computes the sums of the pair weights and of the exchanged heat, for each particle of a block.
struct GainsOfBlock<'a> {
    particles: &'a Particles,
    coefficients: &'a Coefficients,
    block: &'a Block,
    /// For each class that is near, the rates against the block's particles.
    rates: &'a [Lanes; ClassTable::MAX_CLASSES],
}

impl LaneKernel for GainsOfBlock<'_> {
    type Output = (Lanes, Lanes);

    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) -> (Lanes, Lanes) {
        let Self { particles, coefficients, block, rates } = self;
        let splat = |number: f32| splat(instructions, number);
        let load = |lanes: &Lanes| load(instructions, lanes);
        let positions = particles.positions();
        let temperatures = particles.temperatures();
        let classes: &[ClassId] = particles.classes();
        let class_count = coefficients.classes.len();
        let block_temperatures =
            load(&gather(&block.particles, temperatures, |temperature| *temperature));
        // A particle is its own neighbour; it exchanges no heat with itself.
        let own_classes = ClassLanes::of(S::WIDTH, &block.particles, classes);
        let self_weights =
            own_classes.map(|class| coefficients.conductivities[class * (class_count + 1)]);
        let (mut weights, mut gains) = (-load(&self_weights), splat(0.0));
        let lanes = BlockLanes::of(instructions, coefficients, &block.particles, positions);
        for span in block.spans() {
            let others = positions[span.clone()].iter().zip(&temperatures[span.clone()]);
            for ((position, temperature), class) in others.zip(&classes[span]) {
                let closeness = lanes.pairs_with(*position).closeness;
                let weight = closeness * load(&rates[class.index()]);
                weights += weight;
                gains += weight * (splat(*temperature) - block_temperatures);
            }
        }
        (store(weights), store(gains))
    }
}

fn apply_wall_heat(
    particles: &mut Particles,
    solids: &Solids,
    coefficients: &Coefficients,
    executor: &dyn Executor,
) {
    let reach = 0.5 * coefficients.interaction_radius;
    let (positions, classes) = (&particles.position, &particles.class);
    executor.for_each_chunk(&mut particles.temperature[..], CHUNK, |index, temperatures| {
        let start = index * CHUNK;
        let positions = &positions[start..start + temperatures.len()];
        let mut buffer = NearWalls::NONE;
        solids.for_each_group_at(positions, ExposedParticles::ALL, reach, |group, candidates| {
            for offset in group {
                let (position, class) = (positions[offset], classes[start + offset]);
                let conductivity = coefficients.classes[class.index()].conductivity;
                let probe = WallProbe { container_point: position, point: position, class };
                solids.for_each_wall(candidates, probe, reach, &mut buffer, |wall| {
                    if let Some(wall_temperature) = wall.properties.temperature {
                        let closeness = 1.0 - positive(wall.distance) / reach;
                        let rate = WALL_CONDUCTION_WEIGHT * conductivity * closeness;
                        temperatures[offset] +=
                            (wall_temperature - temperatures[offset]) * (rate / (1.0 + rate));
                    }
                });
            }
        });
    });
}
