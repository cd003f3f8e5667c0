//! Taking the liquid of a region out of a world.

use crate::chunk::surroundings::{Surroundings, rim_of};
use crate::chunk::taken::FluidChunk;
use crate::geometry::region::FluidRegion;
use crate::liquid::state::Liquid;
use crate::particles::activity::Activity;
use crate::particles::id::ParticleId;
use crate::particles::spring::Spring;
use crate::settings::class_filter::ClassFilter;
use crate::stored::error::SnapshotError;
use crate::world::FluidWorld;

/// Methods that take liquid out of the world and put it back.
impl FluidWorld {
    /// Takes the liquid of a region out of the world: for a level of which only what is near the player is simulated.
    ///
    /// The chunk holds all that the particles are: velocities, classes, heat, kept pressures, what grains of powder
    /// remember, paint, ages, lifetimes and tags, whether they sleep, and the springs between them. Springs to what
    /// stays are cut, and [counted](FluidChunk::cut_springs). Handles of what is taken die.
    ///
    /// Liquid that stays and touched what is taken wakes with the next tick, and flows into the hole unless a
    /// collider is there. If the chunk is put back before that tick, it sleeps on. Solids, forces, air and sources stay
    /// as they are. A particle with a number that is not finite is left to be quarantined.
    ///
    /// ```
    /// use blob_fluid::{FluidRegion, FluidWorld, ParticleSpawn, SnapshotFile};
    /// use glam::Vec2;
    /// let mut world = FluidWorld::default();
    /// for x in 0..10 {
    ///     let position = Vec2::new(15.0 * x as f32, 0.0);
    ///     world.spawn(ParticleSpawn { position, ..Default::default() })?;
    /// }
    /// let left = FluidRegion::rectangle(Vec2::ZERO, Vec2::splat(50.0))?;
    /// let mut file = SnapshotFile::default();
    /// file.insert("left", &world.take_chunk(&left)?)?;
    /// assert_eq!(world.particles().len(), 6);
    ///
    /// let file = SnapshotFile::from_bytes(&file.to_bytes())?;
    /// let handles = world.put_chunk(&file.get("left")?)?;
    /// assert_eq!((handles.len(), world.particles().len()), (4, 10));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`SnapshotError::WithinTick`] if a tick has begun and not ended.
    pub fn take_chunk(&mut self, region: &FluidRegion) -> Result<FluidChunk, SnapshotError> {
        let liquid = self.liquid_mut();
        if liquid.sleep.in_tick {
            return Err(SnapshotError::WithinTick);
        }
        let mut indices = liquid.indices_in(region, ClassFilter::ALL);
        indices.retain(|index| liquid.particles.is_sound(*index) && liquid.keeps(*index));
        let particles = liquid.particles.copy_of(&indices);
        let taken: Vec<ParticleId> =
            indices.iter().map(|index| liquid.particles.id[*index]).collect();
        let (springs, cut_springs) = take_springs(liquid, &taken, particles.ids());
        remove(liquid, &indices);
        let rim = rim_of(liquid, &particles);
        let surroundings = Surroundings::of(liquid, &particles, &rim);
        let Liquid { particles: left, sleep, classes, .. } = liquid;
        rim.iter().for_each(|index| sleep.disturb(left.position[*index]));
        Ok(FluidChunk {
            classes: classes.iter().map(|class| class.name.clone()).collect(),
            particles,
            springs,
            cut_springs,
            surroundings,
            heat_rests: sleep.heat_rests,
        })
    }
}

/// Removes the springs of particles that are taken. Returns those between two of them, with the handles that these
/// have in the chunk, and the number of the others.
fn take_springs(
    liquid: &mut Liquid,
    taken: &[ParticleId],
    in_chunk: &[ParticleId],
) -> (Vec<Spring>, usize) {
    if liquid.springs.list.is_empty() {
        return (Vec::new(), 0);
    }
    let mut found: Vec<(ParticleId, ParticleId)> =
        taken.iter().copied().zip(in_chunk.iter().copied()).collect();
    found.sort_unstable();
    let in_chunk = |end: ParticleId| {
        let place = found.binary_search_by_key(&end, |(known, _)| *known).ok()?;
        Some(found[place].1)
    };
    let (mut springs, mut cut) = (Vec::new(), 0);
    liquid.springs.list.retain(|spring| {
        let ends = spring.ends.map(in_chunk);
        if let [Some(one), Some(other)] = ends {
            springs.push(Spring { ends: [one, other], ..*spring });
        }
        cut += usize::from(ends[0].is_some() != ends[1].is_some());
        ends == [None, None]
    });
    (springs, cut)
}

/// Removes the particles at these indices, which ascend. What rests without them rests on.
fn remove(liquid: &mut Liquid, indices: &[usize]) {
    let Liquid { particles, sleep, .. } = liquid;
    let paint_rests = particles.paints.rests;
    let asleep = indices.iter().filter(|index| particles.activity[**index] < Activity::Awake);
    sleep.asleep = sleep.asleep.saturating_sub(asleep.count());
    indices.iter().rev().for_each(|index| particles.swap_remove(*index));
    particles.paints.rests = paint_rests;
}
