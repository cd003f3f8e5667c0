//! Methods for groups of particles with the same tag.

use glam::Vec2;

use crate::geometry::bounds::FluidBounds;
use crate::geometry::region::FluidRegion;
use crate::liquid::state::Liquid;
use crate::particles::arrays::Activity;
use crate::particles::life::{ParticleId, ParticleTag, SpawnError};
use crate::settings::class::{ClassFilter, ClassId, check_paint};
use crate::settings::range::{Check, OutOfRange};

/// Methods for groups of particles with the same tag.
impl Liquid {
    /// The particles with a tag, in the order of their slots.
    ///
    /// ```
    /// use blob_fluid::{FluidWorld, ParticleSpawn, ParticleTag};
    /// let mut world = FluidWorld::default();
    /// let tag = ParticleTag(7);
    /// let marked = world.spawn(ParticleSpawn { tag, ..Default::default() })?;
    /// world.spawn(ParticleSpawn::default())?;
    /// assert!(world.tagged(tag).eq([marked]));
    /// # Ok::<(), blob_fluid::SpawnError>(())
    /// ```
    pub fn tagged(&self, tag: ParticleTag) -> impl Iterator<Item = ParticleId> + '_ {
        let particles = &self.particles;
        let marked = move |index: &usize| particles.tag_at(*index) == tag;
        particles.indices_by_slot().filter(marked).map(|index| particles.id[index])
    }

    /// Changes the tag of a particle; returns `false` if it is dead.
    pub fn set_tag(&mut self, id: ParticleId, tag: ParticleTag) -> bool {
        self.particles.set_tag(id, tag)
    }

    /// Removes the particles with a tag, and returns their number.
    pub fn despawn_tagged(&mut self, tag: ParticleTag) -> usize {
        self.remove_where(|all, index| all.tag_at(index) == tag)
    }

    /// Changes the class of all particles with a tag, and returns the number of particles that
    /// changed.
    ///
    /// # Errors
    ///
    /// Returns [`SpawnError::UnknownClass`] if the table lacks the class.
    pub fn set_class_tagged(
        &mut self,
        tag: ParticleTag,
        class: ClassId,
    ) -> Result<usize, SpawnError> {
        self.change_classes(class, |all, index| all.tag_at(index) == tag)
    }

    /// Adds a velocity, in world units/s, to all particles with a tag, and returns their number.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for a velocity that is not finite. Then no particle is changed.
    pub fn add_velocity_tagged(
        &mut self,
        tag: ParticleTag,
        change: Vec2,
    ) -> Result<usize, OutOfRange> {
        Check("velocity").finite("change", &change.to_array())?;
        let mut pushed = 0;
        for index in 0..self.particles.len() {
            if self.particles.tag_at(index) == tag {
                self.sleep.disturb(self.particles.position[index]);
                self.particles.velocity[index] += change;
                self.particles.unchecked = true;
                pushed += 1;
            }
        }
        Ok(pushed)
    }
}

// Changing velocities in a box.

/// A particle whose velocity may be changed.
#[derive(Debug)]
pub struct MovingParticle<'a> {
    /// Index in the [arrays](crate::Particles), until the next sort.
    pub index: usize,
    /// Its handle.
    pub id: ParticleId,
    /// Its position, in world units.
    pub position: Vec2,
    /// Its class.
    pub class: ClassId,
    /// Its velocity, in world units/s. A particle whose velocity is not finite is quarantined.
    pub velocity: &'a mut Vec2,
}

/// Changing velocities in a box.
impl Liquid {
    /// Calls `change` for every particle in a box, and wakes the surroundings of each particle
    /// whose velocity it changed. Liquid elsewhere sleeps on. Returns the number of changed
    /// velocities. It may be called between two ticks and between two passes.
    ///
    /// ```
    /// use blob_fluid::{FluidBounds, FluidWorld, ParticleSpawn};
    /// use glam::Vec2;
    /// let mut world = FluidWorld::default();
    /// for x in [0.0, 100.0] {
    ///     world.spawn(ParticleSpawn { position: Vec2::new(x, 0.0), ..Default::default() })?;
    /// }
    /// let gust = FluidBounds { low: Vec2::splat(-10.0), high: Vec2::splat(10.0) };
    /// let blown = world.change_velocities_in(gust, |particle| particle.velocity.x += 50.0);
    /// assert_eq!(blown, 1);
    /// assert_eq!(world.particles().velocities()[1], Vec2::ZERO);
    /// # Ok::<(), blob_fluid::SpawnError>(())
    /// ```
    pub fn change_velocities_in(
        &mut self,
        bounds: FluidBounds,
        mut change: impl FnMut(MovingParticle<'_>),
    ) -> usize {
        let Self { particles, sleep, .. } = self;
        let mut runs = Vec::new();
        particles.index().visit(|around| around.intersects(bounds), |run| runs.push(run));
        let (mut changed, mut around) = (0, FluidBounds::NONE);
        for index in runs.into_iter().flatten() {
            let position = particles.position[index];
            if !bounds.contains(position) {
                continue;
            }
            let before = particles.velocity[index];
            change(MovingParticle {
                index,
                id: particles.id[index],
                position,
                class: particles.class[index],
                velocity: &mut particles.velocity[index],
            });
            if particles.velocity[index] == before {
                continue;
            }
            changed += 1;
            particles.unchecked = true;
            around = around.union(FluidBounds { low: position, high: position });
            let activity = &mut particles.activity[index];
            if sleep.in_tick && *activity < Activity::Awake {
                // Otherwise a particle that does not take part in the tick would lose its velocity
                // at the end of the tick.
                *activity = Activity::Awake;
                particles.order.renew();
                sleep.asleep = sleep.asleep.saturating_sub(1);
            }
        }
        if changed > 0 {
            // One box for all changed particles.
            sleep.disturb_around(around);
        }
        changed
    }
}

// Methods for paint.

/// Methods that paint particles. They paint only particles of classes that take
/// [paint](crate::FluidPaint). Colours are red, green and blue, linear, 0 to 1. Sleeping liquid
/// sleeps on, and exchanges its new paint.
impl Liquid {
    /// Whether paint stays constant until something moves or is painted. It is `true` if no class takes paint.
    pub fn paint_rests(&self) -> bool {
        !self.particles.paints.goes_on()
    }

    /// Paints a particle; returns `false` if it is dead, or if its class takes no paint.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for a number that is not within 0 to 1.
    pub fn set_paint(&mut self, id: ParticleId, color: [f32; 3]) -> Result<bool, OutOfRange> {
        check_paint("particle", color)?;
        let Some(index) = self.particles.index_of(id) else { return Ok(false) };
        Ok(self.mix_in_at([index].into_iter(), color, 1.0) > 0)
    }

    /// Paints all particles for which `chosen(position, class)` returns `true`, and returns the
    /// number of painted particles.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for a number that is not within 0 to 1.
    pub fn paint_where(
        &mut self,
        color: [f32; 3],
        mut chosen: impl FnMut(Vec2, ClassId) -> bool,
    ) -> Result<usize, OutOfRange> {
        check_paint("particle", color)?;
        let particles = &self.particles;
        let indices: Vec<usize> = (0..particles.len())
            .filter(|index| chosen(particles.position[*index], particles.class[*index]))
            .collect();
        Ok(self.mix_in_at(indices.into_iter(), color, 1.0))
    }

    /// Paints all particles with a tag, and returns the number of painted particles.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for a number that is not within 0 to 1.
    pub fn paint_tagged(&mut self, tag: ParticleTag, color: [f32; 3]) -> Result<usize, OutOfRange> {
        check_paint("particle", color)?;
        let particles = &self.particles;
        let indices: Vec<usize> =
            (0..particles.len()).filter(|index| particles.tag_at(*index) == tag).collect();
        Ok(self.mix_in_at(indices.into_iter(), color, 1.0))
    }

    /// Paints the particles of some classes in a region, and returns their number. A share of 1
    /// replaces their paint. A smaller share mixes that fraction of the colour into it, as a brush
    /// does.
    ///
    /// ```
    /// use blob_fluid::{
    ///     ClassFilter, ClassTable, DensityClass, FluidPaint, FluidRegion, FluidWorld, ParticleSpawn, ClassId,
    /// };
    /// use glam::Vec2;
    /// let mut world = FluidWorld::default();
    /// let paint = Some(FluidPaint::default());
    /// let class = DensityClass { name: "paint".into(), paint, ..Default::default() };
    /// world.set_classes(ClassTable::new(vec![class])?)?;
    /// for x in [0.0, 100.0] {
    ///     let position = Vec2::new(x, 0.0);
    ///     world.spawn(ParticleSpawn { position, class: ClassId(0), ..Default::default() })?;
    /// }
    /// let here = FluidRegion::circle(Vec2::ZERO, 20.0)?;
    /// assert_eq!(world.paint_in(&here, ClassFilter::ALL, [0.0, 0.0, 1.0], 1.0)?, 1);
    /// assert_eq!(world.mean_paint(&here, ClassFilter::ALL), Some([0.0, 0.0, 1.0]));
    /// assert_eq!(world.particles().paint(1), Some([1.0; 3]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for a number, or a share, that is not within 0 to 1.
    pub fn paint_in(
        &mut self,
        region: &FluidRegion,
        classes: ClassFilter,
        color: [f32; 3],
        share: f32,
    ) -> Result<usize, OutOfRange> {
        check_paint("particle", color)?;
        Check("particle").that((0.0..=1.0).contains(&share), "share", share, "0 to 1")?;
        let mut indices = Vec::new();
        self.for_each_in(region, classes, |index| indices.push(index));
        Ok(self.mix_in_at(indices.into_iter(), color, share))
    }

    /// Mixes a share of a colour into the particles whose class takes paint, and returns their number.
    fn mix_in_at(
        &mut self,
        indices: impl Iterator<Item = usize>,
        color: [f32; 3],
        share: f32,
    ) -> usize {
        let Self { particles, classes, .. } = self;
        let mut painted = 0;
        for index in indices {
            let class = classes.get(particles.class[index]);
            if class.is_some_and(|class| class.paint.is_some()) {
                particles.paints.mix_in(index, color, share);
                painted += 1;
            }
        }
        painted
    }
}
