//! The resources a game talks to.

use bevy::prelude::*;
use blob_fluid::{
    Bounds, Budget, CapacityPolicy, ClassFilter, ClassId, ClassPair, ClassTable, DensityClass,
    FluidParameters, FluidWorld, Force, GivenUp, Governor, Liquid, MovingParticle, OutOfRange,
    Pairs, ParticleId, ParticleSpawn, ParticleTag, Particles, Region, SpawnError,
};

use super::executor::ComputeExecutor;

/// The liquid itself: all particles, in arrays, and everything a step needs.
///
/// It dereferences to the core's [`FluidWorld`], and through it to [`Liquid`](blob_fluid::Liquid), to be
/// read. What may be changed has a method here: particles are yours to add, change and remove. Settings
/// and classes are changed by [`FluidSettings`] and [`FluidClasses`], and containers, colliders and
/// forces by their entities.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn rain(mut fluid: ResMut<FluidSimulation>) -> Result {
///     let position = Vec2::new(0.0, 300.0);
///     fluid.spawn(FluidParticleSpawn { position, class: FluidClassId::LIGHT, ..default() })?;
///     Ok(())
/// }
/// ```
#[derive(Resource, Reflect, Clone, Debug, Default, Deref)]
#[reflect(opaque, Resource, Default, Debug)]
pub struct FluidSimulation(FluidWorld);

impl FluidSimulation {
    /// Everything, for what copies settings and entities into it and for what steps it.
    pub(crate) fn world_mut(&mut self) -> &mut FluidWorld {
        &mut self.0
    }

    /// Adds a particle, as [`Liquid::spawn`](blob_fluid::Liquid::spawn).
    ///
    /// # Errors
    ///
    /// [`SpawnError`] for a position, velocity or lifetime out of range, an unknown class, or a full
    /// world.
    pub fn spawn(&mut self, spawn: ParticleSpawn) -> Result<ParticleId, SpawnError> {
        self.0.spawn(spawn)
    }

    /// Removes a particle; `false` if it was dead already.
    pub fn despawn(&mut self, id: ParticleId) -> bool {
        self.0.despawn(id)
    }

    /// Removes the particles for which `dead` holds (given position and class), and says how many.
    pub fn despawn_where(&mut self, dead: impl FnMut(Vec2, ClassId) -> bool) -> usize {
        self.0.despawn_where(dead)
    }

    /// Removes the particles in a region, of some classes, and says how many.
    pub fn despawn_in(&mut self, region: &Region, classes: ClassFilter) -> usize {
        let dead = |position, class| classes.contains(class) && region.contains(position);
        self.0.despawn_where(dead)
    }

    /// Removes the particles of a tag, and says how many.
    pub fn despawn_tagged(&mut self, tag: ParticleTag) -> usize {
        self.0.despawn_tagged(tag)
    }

    /// Removes all particles. Their handles become invalid.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// All particles, to change velocities and temperatures or to displace them between passes.
    /// Between two ticks this costs sleeping liquid nothing unless something changes; between two passes it
    /// wakes all, and
    /// [`change_velocities_in`](Self::change_velocities_in) only a region.
    pub fn particles_mut(&mut self) -> &mut Particles {
        self.0.particles_mut()
    }

    /// Changes the velocities of the particles in a box and wakes only these, as
    /// [`Liquid::change_velocities_in`](blob_fluid::Liquid::change_velocities_in). Returns how many it
    /// changed.
    pub fn change_velocities_in(
        &mut self,
        bounds: Bounds,
        change: impl FnMut(MovingParticle<'_>),
    ) -> usize {
        self.0.change_velocities_in(bounds, change)
    }

    /// All pairs of neighbours, for passes of a game's own, as
    /// [`FluidWorld::pairs`](blob_fluid::FluidWorld::pairs).
    pub fn pairs(&mut self) -> Pairs<'_> {
        self.0.pairs(&ComputeExecutor)
    }

    /// Lets a force act once, as [`Liquid::apply_impulse`](blob_fluid::Liquid::apply_impulse).
    ///
    /// # Errors
    ///
    /// [`OutOfRange`] when the force is invalid; nothing is changed then.
    pub fn apply_impulse(&mut self, force: &Force) -> Result<(), OutOfRange> {
        self.0.apply_impulse(force)
    }

    /// Makes a particle another class's; `false` if it is dead.
    ///
    /// # Errors
    ///
    /// [`SpawnError::UnknownClass`] when there is no such class.
    pub fn set_class(&mut self, id: ParticleId, class: ClassId) -> Result<bool, SpawnError> {
        self.0.set_class(id, class)
    }

    /// Makes the particles for which `chosen` holds (given position and class) another class's, and
    /// says how many.
    ///
    /// # Errors
    ///
    /// [`SpawnError::UnknownClass`] when there is no such class.
    pub fn set_class_where(
        &mut self,
        class: ClassId,
        chosen: impl FnMut(Vec2, ClassId) -> bool,
    ) -> Result<usize, SpawnError> {
        self.0.set_class_where(class, chosen)
    }

    /// Makes the particles of a tag another class's, and says how many were not yet.
    ///
    /// # Errors
    ///
    /// [`SpawnError::UnknownClass`] when there is no such class.
    pub fn set_class_tagged(
        &mut self,
        tag: ParticleTag,
        class: ClassId,
    ) -> Result<usize, SpawnError> {
        self.0.set_class_tagged(tag, class)
    }

    /// Tags a particle; `false` if it is dead.
    pub fn set_tag(&mut self, id: ParticleId, tag: ParticleTag) -> bool {
        self.0.set_tag(id, tag)
    }

    /// Pushes the particles of a tag by a change of velocity, in world units/s, and says how many.
    ///
    /// # Errors
    ///
    /// [`OutOfRange`] for a change that is not finite; nothing is pushed then.
    pub fn add_velocity_tagged(
        &mut self,
        tag: ParticleTag,
        change: Vec2,
    ) -> Result<usize, OutOfRange> {
        self.0.add_velocity_tagged(tag, change)
    }

    /// Lets the simulated time and the ticks count from 0 again.
    pub fn reset_clock(&mut self) {
        self.0.reset_clock();
    }

    /// Most springs there may be; see
    /// [`Liquid::set_spring_capacity`](blob_fluid::Liquid::set_spring_capacity).
    pub fn set_spring_capacity(&mut self, capacity: usize) {
        self.0.set_spring_capacity(capacity);
    }
}

/// Settings of the liquid. Change them at any time; they count from the next tick on.
///
/// A value outside its range is refused with a warning that names it, and the last valid settings
/// stay in force.
#[derive(Resource, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq)]
pub struct FluidSettings {
    /// Scale, gravity, stiffness, viscosity and the rest.
    pub parameters: FluidParameters,
    /// Most particles there may be.
    pub capacity: usize,
    /// What happens when there are as many and more are to come: by default blobs that do not fit
    /// are cut short with a warning, and emitters emit no more.
    pub when_full: CapacityPolicy,
    /// A box, in world units, outside of which particles are removed; `None`, the default, lets
    /// them go where they want.
    pub kill_bounds: Option<Bounds>,
    /// How long a tick may take, and what may be given up to that end; `None`, the default, gives up
    /// nothing. [`FluidStatistics`] and [`FluidDiagnosticsPlugin`](crate::FluidDiagnosticsPlugin)
    /// say what was given up.
    ///
    /// With a budget the liquid depends on how fast the machine is: the same ticks no longer give
    /// the same bits.
    pub budget: Option<Budget>,
}

impl Default for FluidSettings {
    fn default() -> Self {
        Self {
            parameters: FluidParameters::default(),
            capacity: Liquid::DEFAULT_CAPACITY,
            when_full: CapacityPolicy::default(),
            kill_bounds: None,
            budget: None,
        }
    }
}

impl FluidSettings {
    /// Settings for a particle spacing (world units) and gravity (world units/s²).
    pub fn new(particle_spacing: f32, gravity: Vec2) -> Self {
        let parameters = FluidParameters::new(particle_spacing, gravity);
        Self { parameters, ..Self::default() }
    }
}

/// Keeps ticks within the budget, if there is one.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub(crate) struct FluidGovernor(pub Option<Governor>);

/// The density classes, in the order [`FluidClass`](crate::FluidClass) counts them; heavy, medium
/// and light unless changed. Materials add theirs behind them
/// ([`FluidMadeOf`](crate::FluidMadeOf)).
///
/// A value outside its range, or the removal of a class that living particles belong to, is refused
/// with a warning, and the last valid classes stay in force.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// let class = |name: &str, mass| FluidDensityClass { name: name.into(), mass, ..default() };
/// App::new().insert_resource(FluidClasses {
///     classes: vec![class("water", 1.0), class("oil", 0.7)],
///     // Oil beads in water.
///     pairs: vec![FluidClassPair { cohesion: -0.5, ..FluidClassPair::new("water", "oil") }],
/// });
/// ```
#[derive(Resource, Reflect, Clone, Debug, PartialEq, Deref, DerefMut)]
#[reflect(Resource, Default, Debug, PartialEq)]
pub struct FluidClasses {
    /// Every class.
    #[deref]
    pub classes: Vec<DensityClass>,
    /// How pairs of them meet.
    pub pairs: Vec<ClassPair>,
}

impl Default for FluidClasses {
    fn default() -> Self {
        ClassTable::default().iter().cloned().collect::<Vec<_>>().into()
    }
}

impl From<Vec<DensityClass>> for FluidClasses {
    /// Classes that take no notice of each other.
    fn from(classes: Vec<DensityClass>) -> Self {
        Self { classes, pairs: Vec::new() }
    }
}

impl FluidClasses {
    /// The class of that name; the first of several.
    pub fn find(&self, name: &str) -> Option<ClassId> {
        let index = self.classes.iter().position(|class| class.name == name)?;
        u8::try_from(index).ok().map(ClassId)
    }
}

/// What the simulation did lately.
#[derive(Resource, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq)]
pub struct FluidStatistics {
    /// Real time that the last tick took, in milliseconds.
    pub tick_milliseconds: f32,
    /// How many ticks ran in the present frame.
    pub ticks_this_frame: u32,
    /// How many ticks were ever left out because a frame had too many of them: time the fluid fell
    /// behind the clock.
    pub ticks_dropped: u64,
    /// Real time that the last tick's passes took, in milliseconds: what a
    /// [budget](FluidSettings::budget) is held against.
    pub passes_milliseconds: f32,
    /// How many substeps the last tick took; 0 while everything sleeps.
    pub substeps: u32,
    /// What the last tick left out to stay within its [budget](FluidSettings::budget).
    pub given_up: GivenUp,
    /// How many particles slept in the last tick.
    pub asleep: usize,
    /// How many particles were ever quarantined because they were not finite or out of the world.
    pub quarantined: u64,
    /// How many particles were ever removed because they were outside of the
    /// [kill bounds](FluidSettings::kill_bounds).
    pub out_of_bounds: u64,
    /// How many particles ever died to make room for others
    /// ([`FluidSettings::when_full`]).
    pub recycled: u64,
}
