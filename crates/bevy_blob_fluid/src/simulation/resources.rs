//! The resources a game talks to.

use bevy::prelude::*;
use blob_fluid::{
    Bounds, Budget, CapacityPolicy, ClassId, ClassPair, ClassTable, DensityClass, FluidParameters,
    FluidWorld, GivenUp, Governor,
};

/// The liquid itself: all particles, in arrays, and everything a step needs.
///
/// Dereferences to [`FluidWorld`]. Settings, classes, containers, colliders and forces are overwritten from
/// [`FluidSettings`], [`FluidClasses`] and the scene's entities; particles are yours to add and
/// remove.
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
#[derive(Resource, Reflect, Clone, Debug, Default, Deref, DerefMut)]
#[reflect(opaque, Resource, Default, Debug)]
pub struct FluidSimulation(FluidWorld);

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
            capacity: FluidWorld::DEFAULT_CAPACITY,
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
/// let class = |name: &str, mass| DensityClass { name: name.into(), mass, ..default() };
/// App::new().insert_resource(FluidClasses {
///     classes: vec![class("water", 1.0), class("oil", 0.7)],
///     // Oil beads in water.
///     pairs: vec![ClassPair { cohesion: -0.5, ..ClassPair::new("water", "oil") }],
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
