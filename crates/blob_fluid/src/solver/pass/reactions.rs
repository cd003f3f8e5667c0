//! Reactions: particles change their class by temperature or on contact. Not in the paper.

use crate::geometry::shape::scatter_in_tick;
use crate::parallel::executor::{CHUNK, LONG_CHUNK};
use crate::solver::coefficients::{ClassSet, Coefficients, ReactionCoefficients};
use crate::solver::neighbours::blocks::Block;
use crate::solver::neighbours::hash::{Neighbours, refresh};
use crate::{ClassId, Executor, Liquid, Particles};

/// Result of the reactions for one particle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ReactionOutcome {
    class: ClassId,
    exposure: f32,
    temperature: f32,
}

/// Applies reactions by temperature, then by contact. A particle above or below the limit of its
/// class changes its class. If the change above the limit takes latent heat, the probability of the
/// change is the heat beyond the limit, relative to the latent heat. The particle loses the heat
/// beyond the limit in any case. On contact, the exposure of a particle grows by
/// `dt rate min(1, sum q)` over its reaction partners, at the rate of the nearest one. At exposure
/// 1, the particle gets the class of the reaction with that partner.
///
/// All particles read the state before the pass, and each particle changes at most once, so the
/// result does not depend on the order. Returns whether any particle has changed its class.
pub(crate) fn react(
    liquid: &mut Liquid,
    neighbours: &mut Neighbours,
    outcomes: &mut Vec<ReactionOutcome>,
    coefficients: &Coefficients,
    executor: &dyn Executor,
) -> bool {
    if !liquid.classes.react() {
        return false;
    }
    refresh(liquid, neighbours, coefficients, executor);
    let particles = &mut liquid.particles;
    outcomes.clear();
    outcomes.resize(particles.len(), ReactionOutcome::default());
    let frozen = &*particles;
    let tick = liquid.clock.ticks as u32;
    let (grid, presence) = neighbours.with_presence(frozen, coefficients.classes.len());
    executor.for_each_chunk(&mut outcomes[..], CHUNK, |chunk_index, chunk| {
        let start = chunk_index * CHUNK;
        let mut blocks = grid.blocks(start..start + chunk.len());
        while let Some(block) = blocks.next() {
            let near_classes = presence.in_ranges(block.spans());
            for particle in block.particles.clone() {
                let outcome = outcome_of(frozen, coefficients, block, near_classes, tick, particle);
                chunk[particle - start] = outcome;
            }
        }
    });
    let changed = (&mut particles.exposure[..], &mut particles.temperature[..]);
    executor.for_each_chunk(changed, LONG_CHUNK, |index, (exposures, temperatures)| {
        let outcomes = &outcomes[index * LONG_CHUNK..];
        for (outcome, (exposure, temperature)) in
            outcomes.iter().zip(exposures.iter_mut().zip(temperatures))
        {
            *exposure = outcome.exposure;
            *temperature = outcome.temperature;
        }
    });
    let mut any_changed = false;
    for (particle, outcome) in outcomes.iter().enumerate() {
        if outcome.class != particles.class[particle] {
            particles.change_class(particle, outcome.class);
            any_changed = true;
        }
    }
    any_changed
}

fn outcome_of(
    particles: &Particles,
    coefficients: &Coefficients,
    block: &Block,
    near_classes: ClassSet,
    tick: u32,
    index: usize,
) -> ReactionOutcome {
    let class = particles.class[index];
    let class_coefficients = &coefficients.classes[class.index()];
    let (mut temperature, exposure) = (particles.temperature[index], particles.exposure[index]);
    let mut transition_above = class_coefficients.above.filter(|(limit, _)| temperature > *limit);
    // The next tick quarantines a particle that is not finite.
    let takes_heat = class_coefficients.latent_heat > 0.0 && temperature.is_finite();
    if let Some((limit, _)) = transition_above.filter(|_| takes_heat) {
        let chance = (temperature - limit) / class_coefficients.latent_heat;
        // The temperature in the seed makes the substeps of a tick differ, since it is hardly ever the same.
        let seed = particles.id[index].slot() ^ temperature.to_bits();
        transition_above =
            transition_above.filter(|_| 0.5 + 0.5 * scatter_in_tick(seed, tick).x < chance);
        temperature = limit;
    }
    let transition_below = class_coefficients.below.filter(|(limit, _)| temperature < *limit);
    if let Some((_, class)) = transition_above.or(transition_below) {
        return ReactionOutcome { class, exposure: 0.0, temperature };
    }
    let unchanged = ReactionOutcome { class, exposure, temperature };
    if !class_coefficients.reaction_partners.intersects(near_classes) {
        return unchanged;
    }
    let Some((contact, reaction)) = partner_contact(particles, coefficients, block, index) else {
        return unchanged;
    };
    let exposure = exposure + reaction.rate * contact.min(1.0);
    match reaction.becomes {
        Some(class) if exposure >= 1.0 => {
            let temperature = reaction.temperature.unwrap_or(temperature);
            ReactionOutcome { class, exposure: 0.0, temperature }
        }
        Some(_) => ReactionOutcome { exposure, ..unchanged },
        None => unchanged,
    }
}

/// `sum q` over the reaction partners of a particle, and the reaction with the nearest partner.
fn partner_contact(
    particles: &Particles,
    coefficients: &Coefficients,
    block: &Block,
    index: usize,
) -> Option<(f32, ReactionCoefficients)> {
    let row = particles.class[index].index() * coefficients.classes.len();
    let mut contact = 0.0;
    let mut nearest = None;
    let mut nearest_key = (f32::INFINITY, u32::MAX);
    for other in block.spans().flatten() {
        let reaction = coefficients.reactions[row + particles.class[other].index()];
        let Some(reaction) = reaction.filter(|reaction| reaction.becomes.is_some()) else {
            continue;
        };
        let distance = particles.position[index].distance(particles.position[other]);
        let q = 1.0 - distance * coefficients.inverse_radius;
        if q <= 0.0 {
            continue;
        }
        contact += q;
        let key = (distance, particles.id[other].slot());
        if key < nearest_key {
            nearest_key = key;
            nearest = Some(reaction);
        }
    }
    nearest.map(|reaction| (contact, reaction))
}
