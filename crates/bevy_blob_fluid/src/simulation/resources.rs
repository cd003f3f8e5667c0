//! The resources that a game reads and changes.

use bevy::prelude::*;
use blob_fluid::air::{Air, AirError, AirId, SavedAir};
use blob_fluid::{
    CapacityPolicy, ClassFilter, ClassId, ContainerId, FluidBounds, FluidBudget, FluidParameters,
    FluidRegion, FluidWorld, Force, GivenUp, Governor, Liquid, MovingParticle, OutOfRange, Pairs,
    ParticleId, ParticleSpawn, ParticleTag, Particles, Pool, PoolId, RestoreError, SavedParticles,
    SpawnError,
};
#[cfg(feature = "snapshot")]
use blob_fluid::{FluidChunk, SnapshotError};

use crate::simulation::executor::ComputeExecutor;

/// The liquid and its solver: the [`FluidWorld`] of the crate `blob_fluid` as a resource.
///
/// For reading, this resource dereferences to the [`FluidWorld`], and that to [`Liquid`](blob_fluid::Liquid). The
/// methods of this resource add, change and remove particles. Change settings and classes through [`FluidSettings`] and
/// [`FluidClasses`](crate::FluidClasses), and containers, colliders and forces through their entities.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn rain(mut fluid: ResMut<FluidSimulation>) -> Result {
///     let position = Vec2::new(0.0, 300.0);
///     fluid.spawn(ParticleSpawn { position, class: ClassId::LIGHT, ..default() })?;
///     Ok(())
/// }
/// ```
#[derive(Resource, Reflect, Clone, Debug, Default, Deref)]
#[reflect(opaque, Resource, Default, Debug)]
pub struct FluidSimulation {
    #[deref]
    world: FluidWorld,
    /// Number of times that a game cleared the liquid, or that a container was removed.
    clears: u64,
    /// The total capacity, if particles on a graphics card take a part of it.
    full_capacity: Option<usize>,
}

impl FluidSimulation {
    /// The world, for the systems that simulate it and that copy settings and entities into it.
    pub(crate) fn world_mut(&mut self) -> &mut FluidWorld {
        &mut self.world
    }

    /// Adds a particle, as [`Liquid::spawn`](blob_fluid::Liquid::spawn).
    ///
    /// # Errors
    ///
    /// [`SpawnError`] for a position, velocity or lifetime out of range, an unknown class, or a
    /// full world.
    pub fn spawn(&mut self, spawn: ParticleSpawn) -> Result<ParticleId, SpawnError> {
        self.world.spawn(spawn)
    }

    /// Removes a particle; `false` if the particle was dead already.
    pub fn despawn(&mut self, id: ParticleId) -> bool {
        self.world.despawn(id)
    }

    /// Removes the particles for which `dead` returns true, given position and class. Returns the number of removed
    /// particles.
    pub fn despawn_where(&mut self, dead: impl FnMut(Vec2, ClassId) -> bool) -> usize {
        self.world.despawn_where(dead)
    }

    /// Removes the particles of some classes in a region, and returns their number.
    pub fn despawn_in(&mut self, region: &FluidRegion, classes: ClassFilter) -> usize {
        let dead = |position, class| classes.contains(class) && region.contains(position);
        self.world.despawn_where(dead)
    }

    /// Removes the particles with a tag, and returns their number.
    pub fn despawn_tagged(&mut self, tag: ParticleTag) -> usize {
        self.world.despawn_tagged(tag)
    }

    /// Removes all particles, whose handles become invalid.
    pub fn clear(&mut self) {
        self.world.clear();
        self.clears += 1;
        if let Some(full) = self.full_capacity.take() {
            self.world.set_capacity(full);
        }
    }

    /// Sets the capacity. Particles on the graphics card take `elsewhere` of it until the liquid is cleared.
    #[cfg(feature = "gpu")]
    pub(crate) fn set_capacity_beside(&mut self, capacity: usize, elsewhere: usize) {
        self.world.set_capacity(capacity.saturating_sub(elsewhere));
        self.full_capacity = (elsewhere > 0).then_some(capacity);
    }

    /// Removes the particles of a container that is removed. All particles on a graphics card are removed too, because
    /// liquid with several containers is never there.
    pub(crate) fn despawn_in_container(&mut self, id: ContainerId) {
        self.world.despawn_in_container(id);
        self.clears += 1;
    }

    /// Number of calls of [`clear`](Self::clear) and [`despawn_in_container`](Self::despawn_in_container), which also
    /// remove the particles on a graphics card.
    #[cfg(feature = "gpu")]
    pub(crate) fn clears(&self) -> u64 {
        self.clears
    }

    /// All particles, to change their velocities and temperatures, or to displace them between passes.
    /// [`split`](Particles::split) lets you read positions at the same time. Sleeping liquid stays asleep if nothing
    /// changes. A change between two passes wakes all liquid; [`change_velocities_in`](Self::change_velocities_in)
    /// wakes only a region.
    pub fn particles_mut(&mut self) -> &mut Particles {
        self.world.particles_mut()
    }

    /// Changes the velocities of the particles in a box and wakes only the liquid around the changed
    /// particles, as [`Liquid::change_velocities_in`](blob_fluid::Liquid::change_velocities_in).
    /// Returns the number of changed particles.
    pub fn change_velocities_in(
        &mut self,
        bounds: FluidBounds,
        change: impl FnMut(MovingParticle<'_>),
    ) -> usize {
        self.world.change_velocities_in(bounds, change)
    }

    /// Finds all pairs of neighbours, for a game's own passes, as
    /// [`FluidWorld::pairs`](blob_fluid::FluidWorld::pairs).
    pub fn pairs(&mut self) -> Pairs<'_> {
        self.world.pairs(&ComputeExecutor)
    }

    /// Applies a force once, as [`Liquid::apply_impulse`](blob_fluid::Liquid::apply_impulse).
    ///
    /// # Errors
    ///
    /// [`OutOfRange`] when the force is invalid; nothing is changed then.
    pub fn apply_impulse(&mut self, force: &Force) -> Result<(), OutOfRange> {
        self.world.apply_impulse(force)
    }

    /// Paints a particle, as [`Liquid::set_paint`](blob_fluid::Liquid::set_paint).
    ///
    /// # Errors
    ///
    /// [`OutOfRange`] when a number of the colour is not within 0 to 1.
    pub fn set_paint(&mut self, id: ParticleId, color: [f32; 3]) -> Result<bool, OutOfRange> {
        self.world.set_paint(id, color)
    }

    /// Paints the particles of some classes in a region, as
    /// [`Liquid::paint_in`](blob_fluid::Liquid::paint_in), and returns their number.
    ///
    /// # Errors
    ///
    /// [`OutOfRange`] when a number of the colour, or the share, is not within 0 to 1.
    pub fn paint_in(
        &mut self,
        region: &FluidRegion,
        classes: ClassFilter,
        color: [f32; 3],
        share: f32,
    ) -> Result<usize, OutOfRange> {
        self.world.paint_in(region, classes, color, share)
    }

    /// Changes the class of a particle; `false` if the particle is dead.
    ///
    /// # Errors
    ///
    /// [`SpawnError::UnknownClass`] if the class does not exist.
    pub fn set_class(&mut self, id: ParticleId, class: ClassId) -> Result<bool, SpawnError> {
        self.world.set_class(id, class)
    }

    /// Changes the class of the particles for which `chosen` returns true, given position and class.
    /// Returns the number of changed particles.
    ///
    /// # Errors
    ///
    /// [`SpawnError::UnknownClass`] if the class does not exist.
    pub fn set_class_where(
        &mut self,
        class: ClassId,
        chosen: impl FnMut(Vec2, ClassId) -> bool,
    ) -> Result<usize, SpawnError> {
        self.world.set_class_where(class, chosen)
    }

    /// Changes the class of the particles with a tag, and returns the number of changed particles.
    ///
    /// # Errors
    ///
    /// [`SpawnError::UnknownClass`] if the class does not exist.
    pub fn set_class_tagged(
        &mut self,
        tag: ParticleTag,
        class: ClassId,
    ) -> Result<usize, SpawnError> {
        self.world.set_class_tagged(tag, class)
    }

    /// Tags a particle; `false` if it is dead.
    pub fn set_tag(&mut self, id: ParticleId, tag: ParticleTag) -> bool {
        self.world.set_tag(id, tag)
    }

    /// Adds a velocity, in world units/s, to the particles with a tag, and returns their number.
    ///
    /// # Errors
    ///
    /// [`OutOfRange`] for a velocity that is not finite; nothing is changed then.
    pub fn add_velocity_tagged(
        &mut self,
        tag: ParticleTag,
        change: Vec2,
    ) -> Result<usize, OutOfRange> {
        self.world.add_velocity_tagged(tag, change)
    }

    /// Adds saved particles, as
    /// [`Liquid::restore_particles`](blob_fluid::Liquid::restore_particles). The counterpart is
    /// [`Liquid::save_particles`](blob_fluid::Liquid::save_particles).
    ///
    /// # Errors
    ///
    /// [`RestoreError`]; nothing is added then.
    pub fn restore_particles(
        &mut self,
        saved: &SavedParticles,
    ) -> Result<Vec<ParticleId>, RestoreError> {
        self.world.restore_particles(saved)
    }

    /// Takes the liquid of a region out, as [`FluidWorld::take_chunk`](blob_fluid::FluidWorld::take_chunk) does, for
    /// large levels that are simulated only near the player.
    ///
    /// # Errors
    ///
    /// [`SnapshotError::WithinTick`] within a tick.
    #[cfg(feature = "snapshot")]
    pub fn take_chunk(&mut self, region: &FluidRegion) -> Result<FluidChunk, SnapshotError> {
        self.world.take_chunk(region)
    }

    /// Puts a chunk back, as [`FluidWorld::put_chunk`](blob_fluid::FluidWorld::put_chunk) does.
    ///
    /// # Errors
    ///
    /// [`RestoreError`]; nothing is added then.
    #[cfg(feature = "snapshot")]
    pub fn put_chunk(&mut self, chunk: &FluidChunk) -> Result<Vec<ParticleId>, RestoreError> {
        self.world.put_chunk(chunk)
    }

    /// Air, to fill its channels or to set its velocities; `None` if the air was removed. The handle is
    /// [`FluidAirState::id`](crate::FluidAirState::id). Do not change settings, sides, sources and solids here: before
    /// every tick the plugin sets these from the entities.
    pub fn air_mut(&mut self, id: AirId) -> Option<&mut Air> {
        self.world.air_mut(id)
    }

    /// Replaces the state of air by a saved state, as [`FluidWorld::restore_air`](blob_fluid::FluidWorld::restore_air).
    /// The counterpart is [`FluidWorld::save_air`](blob_fluid::FluidWorld::save_air).
    ///
    /// # Errors
    ///
    /// [`AirError`]; nothing is changed then.
    pub fn restore_air(&mut self, id: AirId, saved: &SavedAir) -> Result<bool, AirError> {
        self.world.restore_air(id, saved)
    }

    /// A pool, to change its water; `None` if the pool was removed. The handle is
    /// [`FluidPoolState::id`](crate::FluidPoolState::id). Do not change settings and origin here: before every tick the
    /// plugin sets these from the entity.
    pub fn pool_mut(&mut self, id: PoolId) -> Option<&mut Pool> {
        self.world.pool_mut(id)
    }

    /// Resets the simulated time and the number of ticks to 0.
    pub fn reset_clock(&mut self) {
        self.world.reset_clock();
    }

    /// Sets the largest number of springs; see
    /// [`Liquid::set_spring_capacity`](blob_fluid::Liquid::set_spring_capacity).
    pub fn set_spring_capacity(&mut self, capacity: usize) {
        self.world.set_spring_capacity(capacity);
    }
}

/// Settings of the liquid, which you can change at any time; changes take effect in the next tick.
///
/// A value outside its range is refused with a warning that names the value, and the last valid settings stay in use.
#[doc = guide!("parts")]
#[derive(Resource, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct FluidSettings {
    /// Solver, scale, gravity, stiffness, viscosity and more.
    pub parameters: FluidParameters,
    /// Largest number of particles. Default 1,000,000.
    pub capacity: usize,
    /// Behaviour when the world is full. By default, blobs that do not fit are filled only partly,
    /// with a warning, and emitters stop.
    pub when_full: CapacityPolicy,
    /// A box, in world units; particles outside of this box are removed. `None`, the default, removes no particles.
    pub kill_bounds: Option<FluidBounds>,
    /// Processor that simulates the liquid. Default the CPU.
    pub backend: FluidBackend,
    /// Particle spacing, in world units, that replaces
    /// [`parameters.particle_spacing`](FluidParameters::particle_spacing) if the liquid cannot move to the graphics
    /// card. The same shapes then hold fewer, larger particles. The spacing is replaced only before there is liquid,
    /// and then stays. `None`, the default, changes nothing.
    pub fallback_spacing: Option<f32>,
    /// Time limit of a tick, and the quality that may be reduced to keep the limit. `None`, the default, sets no limit.
    /// [`FluidStatistics`] and [`FluidDiagnosticsPlugin`](crate::FluidDiagnosticsPlugin) report the reductions.
    ///
    /// With a budget the liquid depends on the speed of the machine, so it is not bit-identical
    /// between two runs.
    pub budget: Option<FluidBudget>,
}

impl Default for FluidSettings {
    fn default() -> Self {
        Self {
            parameters: FluidParameters::default(),
            capacity: Liquid::DEFAULT_CAPACITY,
            when_full: CapacityPolicy::default(),
            kill_bounds: None,
            backend: FluidBackend::default(),
            fallback_spacing: None,
            budget: None,
        }
    }
}

impl FluidSettings {
    /// Settings for a particle spacing in world units and gravity in world units/s².
    pub fn new(particle_spacing: f32, gravity: Vec2) -> Self {
        let parameters = FluidParameters::new(particle_spacing, gravity);
        Self { parameters, ..Self::default() }
    }
}

/// Keeps ticks within the budget; `None` without a budget.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub(crate) struct FluidGovernor(pub Option<Governor>);

/// Times and counts of the simulation.
#[derive(Resource, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq)]
pub struct FluidStatistics {
    /// Real time of the last tick, in milliseconds.
    pub tick_milliseconds: f32,
    /// Number of ticks that ran in the present frame.
    pub ticks_this_frame: u32,
    /// Number of ticks ever dropped because too many were due in a frame. The fluid is behind the
    /// app's clock by these ticks.
    pub ticks_dropped: u64,
    /// Real time of the last tick's passes, in milliseconds: the time that a
    /// [budget](FluidSettings::budget) limits.
    pub passes_milliseconds: f32,
    /// Real time of the last tick's [air](crate::FluidAir), in milliseconds.
    pub air_milliseconds: f32,
    /// Number of substeps of the last tick; 0 while all liquid sleeps.
    pub substeps: u32,
    /// Quality that the last tick gave up to stay within its [budget](FluidSettings::budget).
    pub given_up: GivenUp,
    /// Number of particles on the graphics card ([`FluidBackend::Gpu`]).
    pub on_device: usize,
    /// Number of particles that slept in the last tick.
    pub asleep: usize,
    /// Number of particles that did not interact with others in the last tick, because too many particles are at one
    /// place ([`StepReport::waiting`](blob_fluid::StepReport::waiting)).
    pub waiting: usize,
    /// Number of particles ever removed (quarantined) because a value was not finite or the position was out of the
    /// world.
    pub quarantined: u64,
    /// Number of particles ever removed because they were outside of the [kill
    /// bounds](FluidSettings::kill_bounds).
    pub out_of_bounds: u64,
    /// Number of particles ever removed to make room for others ([`FluidSettings::when_full`]).
    pub recycled: u64,
}

impl FluidStatistics {
    /// Whether particles are on the graphics card ([`on_device`](Self::on_device)).
    pub fn is_on_device(&self) -> bool {
        self.on_device > 0
    }
}

// The processor that simulates the liquid.

/// The processor that simulates the liquid.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn choose(mut settings: ResMut<FluidSettings>) {
///     settings.backend = FluidBackend::Gpu;
/// }
/// ```
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Default, Debug, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub enum FluidBackend {
    /// On the CPU, with all features. The same ticks give the same bits on all tested machines
    /// (`docs/reliability.md` lists them).
    #[default]
    Cpu,
    /// On the graphics card, for a hundred thousand particles and more. This backend needs the feature `gpu`.
    ///
    /// All liquid moves to the card before the next tick. New liquid of blobs and emitters moves there too. When the
    /// setting is [`Cpu`](Self::Cpu) again, the liquid returns. The return delays one frame; in a browser the liquid
    /// returns some frames later.
    ///
    /// While liquid is on the card, [`FluidSimulation`](crate::FluidSimulation) contains no particles for queries, air,
    /// pumps, drains with tanks and snapshots. [`FluidStatistics::on_device`](crate::FluidStatistics::on_device) counts
    /// the particles on the card. The liquid carries bodies. [`FluidLoad`](crate::FluidLoad)s and
    /// [`FluidSensor`](crate::FluidSensor)s are one or two ticks late.
    ///
    /// `docs/gpu.md` lists the features that are missing on the card. There is one warning for each missing feature
    /// that the settings request.
    ///
    /// The liquid stays on the CPU, with a warning, if the card has no compute shaders or does not support the
    /// solver. [`FluidSettings::fallback_spacing`](crate::FluidSettings::fallback_spacing) then reduces the number of
    /// particles. Liquid beyond the capacity of the card waits on the CPU, with a warning. If the device is lost,
    /// the liquid on it is lost too, and the CPU simulates the liquid that is added later.
    Gpu,
}

/// Number of particles that the card has ever removed. The core counts those that the CPU removes.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub(crate) struct RemovedOnDevice {
    /// Particles outside of the kill bounds.
    pub out_of_bounds: u64,
    /// Particles that made room for others.
    pub recycled: u64,
}
