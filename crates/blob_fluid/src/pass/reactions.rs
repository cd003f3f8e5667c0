//! Reactions: classes that turn into others by heat or on contact. Not in the paper.

use crate::class::ClassId;
use crate::coefficients::ReactionCoefficients;
use crate::executor::Executor;
use crate::grid::Block;
use crate::pass::hash::refresh_grid;
use crate::pass::{CHUNK, LONG_CHUNK};
use crate::world::FluidWorld;

/// What becomes of a particle in a substep.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Fate {
    class: ClassId,
    exposure: f32,
    temperature: f32,
}

/// First what temperature does: a particle above or below its class's limit becomes another. Then
/// what contact does: exposure grows by `dt rate min(1, sum q)` over the partners around, at the
/// rate of the nearest of them, and at 1 the particle becomes what that one makes of it.
///
/// All particles decide by what was before the pass, each changes at most once in it, and none
/// depends on the order.
pub fn react<E: Executor>(world: &mut FluidWorld, executor: &E) {
    if !world.coefficients.reacts() {
        return;
    }
    refresh_grid(world, executor);
    let mut fates = std::mem::take(&mut world.scratch.fates);
    fates.clear();
    fates.resize(world.particles.len(), Fate::default());
    let frozen = &*world;
    executor.for_each_chunk(&mut fates[..], CHUNK, |chunk_index, chunk| {
        let start = chunk_index * CHUNK;
        let mut blocks = frozen.grid.blocks(start..start + chunk.len());
        while let Some(block) = blocks.following() {
            for place in block.particles.clone() {
                chunk[place - start] = fate_of(frozen, block, place);
            }
        }
    });
    let particles = &mut world.particles;
    let changed = (&mut particles.exposure[..], &mut particles.temperature[..]);
    executor.for_each_chunk(changed, LONG_CHUNK, |index, (exposures, temperatures)| {
        let fates = &fates[index * LONG_CHUNK..];
        for (fate, (exposure, temperature)) in
            fates.iter().zip(exposures.iter_mut().zip(temperatures))
        {
            *exposure = fate.exposure;
            *temperature = fate.temperature;
        }
    });
    for (place, fate) in fates.iter().enumerate() {
        if fate.class != particles.class[place] {
            particles.change_class(place, fate.class);
        }
    }
    world.scratch.fates = fates;
}

fn fate_of(world: &FluidWorld, block: &Block, place: usize) -> Fate {
    let particles = &world.particles;
    let class = particles.class[place];
    let own = &world.coefficients.classes[class.index()];
    let (temperature, exposure) = (particles.temperature[place], particles.exposure[place]);
    let heated = own.above.filter(|(limit, _)| temperature > *limit);
    let cooled = own.below.filter(|(limit, _)| temperature < *limit);
    if let Some((_, class)) = heated.or(cooled) {
        return Fate { class, exposure: 0.0, temperature };
    }
    let unchanged = Fate { class, exposure, temperature };
    if !own.reacts {
        return unchanged;
    }
    let Some((contact, reaction)) = contact_of(world, block, place) else {
        return unchanged;
    };
    let exposure = exposure + reaction.rate * contact.min(1.0);
    match reaction.becomes {
        Some(class) if exposure >= 1.0 => {
            let temperature = reaction.temperature.unwrap_or(temperature);
            Fate { class, exposure: 0.0, temperature }
        }
        Some(_) => Fate { exposure, ..unchanged },
        None => unchanged,
    }
}

/// `sum q` over the particles that one reacts with, and the reaction with the nearest.
fn contact_of(
    world: &FluidWorld,
    block: &Block,
    place: usize,
) -> Option<(f32, ReactionCoefficients)> {
    let coefficients = &world.coefficients;
    let particles = &world.particles;
    let row = particles.class[place].index() * coefficients.classes.len();
    let mut contact = 0.0;
    let mut nearest = None;
    let mut best = (f32::INFINITY, u32::MAX);
    for other in block.spans().flatten() {
        let reaction = coefficients.reactions[row + particles.class[other].index()];
        let Some(reaction) = reaction.filter(|reaction| reaction.becomes.is_some()) else {
            continue;
        };
        let distance = particles.position[place].distance(particles.position[other]);
        let q = 1.0 - distance * coefficients.inverse_radius;
        if q <= 0.0 {
            continue;
        }
        contact += q;
        let key = (distance, particles.id[other].index());
        if key < best {
            best = key;
            nearest = Some(reaction);
        }
    }
    nearest.map(|reaction| (contact, reaction))
}
