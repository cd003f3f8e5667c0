//! Putting back what was taken out of a world.

use glam::Vec2;

use crate::chunk::surroundings::{Surroundings, rim_of};
use crate::chunk::taken::FluidChunk;
use crate::liquid::saved::RestoreError;
use crate::liquid::sleep::Sleep;
use crate::liquid::state::Liquid;
use crate::particles::activity::Activity;
use crate::particles::id::ParticleId;
use crate::particles::spawn::SpawnError;
use crate::particles::spring::Spring;
use crate::world::FluidWorld;

impl FluidWorld {
    /// Puts a chunk back where it was taken, into this world or into another one with the same classes, and returns the
    /// handles of its particles, in the order of [`FluidChunk::particles`]. They are new ones, and the particles count
    /// as the youngest where the oldest are recycled; all else is as it was.
    ///
    /// What slept sleeps on if everything around it is as it was: liquid within an interaction radius, solids that
    /// reach it, containers, classes and parameters. Otherwise all of it wakes, and what touches it. Nothing keeps it
    /// from a place that is taken. Springs beyond the capacity are [refused](crate::Liquid::springs_refused).
    ///
    /// # Errors
    ///
    /// Returns [`RestoreError`] for a class that the class table lacks, for a particle beyond the world's
    /// [reach](crate::Liquid::reach), if there are more particles than the world has room for, whatever its
    /// [policy](crate::CapacityPolicy), and within a tick. Nothing is changed then.
    pub fn put_chunk(&mut self, chunk: &FluidChunk) -> Result<Vec<ParticleId>, RestoreError> {
        let liquid = self.liquid_mut();
        if liquid.sleep.in_tick {
            return Err(RestoreError::WithinTick);
        }
        let classes = liquid.classes_of(&chunk.classes)?;
        check_room(liquid, chunk)?;
        let rim = rim_of(liquid, &chunk.particles);
        let now = Surroundings::of(liquid, &chunk.particles, &rim);
        let is_same = now == chunk.surroundings;
        let Liquid { particles, sleep, springs, parameters, classes: table, .. } = liquid;
        if is_same {
            rim.iter().for_each(|index| sleep.forget(particles.position[*index]));
        } else if !chunk.is_empty() {
            // Together with what touches it.
            sleep.disturb_all_in(chunk.bounds());
        }
        let paint_rests = particles.paints.rests && chunk.particles.paints.rests && is_same;
        let settling_time = parameters.sleeping.after * parameters.time_unit();
        let first = particles.len();
        for index in 0..chunk.len() {
            let class = classes[chunk.particles.class[index].index()];
            let paint = chunk.particles.paint(index).unwrap_or(table.paint_of_new(class));
            particles.add(&chunk.particles, index, class, table.take_paint().then_some(paint));
        }
        particles.paints.rests = paint_rests;
        settle(sleep, chunk, settling_time);
        sleep.heat_rests &= chunk.heat_rests && is_same;
        let ids = particles.id[first..].to_vec();
        let room = springs.make_room(chunk.springs.len(), particles);
        let id = |end: ParticleId| chunk.particles.index_of(end).map(|index| ids[index]);
        springs.list.extend(chunk.springs.iter().take(room).filter_map(|spring| {
            let [one, other] = spring.ends.map(id);
            Some(Spring { ends: [one?, other?], ..*spring })
        }));
        Ok(ids)
    }
}

fn check_room(liquid: &Liquid, chunk: &FluidChunk) -> Result<(), RestoreError> {
    let capacity = liquid.population.capacity;
    let room = capacity.saturating_sub(liquid.particles.len());
    if chunk.len() > room {
        let reason = SpawnError::Full { capacity };
        return Err(RestoreError::Particle { particle: room, reason });
    }
    let limit = liquid.reach();
    for (particle, position) in chunk.particles.positions().iter().enumerate() {
        if !liquid.has_within(*position) {
            let Vec2 { x, y } = *position;
            let value = if x.abs() > limit { x } else { y };
            let reason = SpawnError::OutOfRange { field: "position", value, limit };
            return Err(RestoreError::Particle { particle, reason });
        }
    }
    Ok(())
}

/// Counts what sleeps in the chunk. If anything in it has not settled, not all has.
fn settle(sleep: &mut Sleep, chunk: &FluidChunk, settling_time: f32) {
    let (activity, rest_time) = (&chunk.particles.activity, &chunk.particles.rest_time);
    let asleep = activity.iter().filter(|activity| **activity < Activity::Awake).count();
    sleep.asleep = sleep.asleep.saturating_add(asleep);
    sleep.all_settled &=
        asleep == chunk.len() && rest_time.iter().all(|time| *time >= settling_time);
}
