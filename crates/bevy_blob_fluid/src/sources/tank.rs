//! Tanks as entities, and what drains into them and is emitted from them.

use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::ecs::world::DeferredWorld;
use bevy::prelude::*;
use blob_fluid::{ClassId, Tank};

use crate::hooks;
use crate::order::FluidOrder;
use crate::schedule::{FluidSchedule, FluidTickSystems};
use crate::simulation::{FluidClasses, FluidSettings, RestartApp};

/// Adds this file to the app.
pub(super) fn add_to(app: &mut App, _: InternedScheduleLabel) {
    app.register_type::<FluidTank>()
        .register_type::<FluidTankContents>()
        .register_type::<FluidTankLink>()
        .add_systems(FluidSchedule, set_capacities.in_set(FluidTickSystems::Sources))
        .begins_anew::<FluidTank>();
}

/// Liquid that is stored as amounts instead of particles: [`FluidTankContents`]. A
/// [`FluidDrain`](crate::FluidDrain) with a [`FluidTankLink`] to it pours into it, and a
/// [`FluidEmitter`](crate::FluidEmitter) with one draws from it. Nothing is lost on the way: the
/// particles of the simulation and the amounts of all tanks together stay the same.
///
/// It has no place: give the entity a `Transform` and a sprite to show one.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands) {
///     let tank = commands.spawn(FluidTank::with_capacity(500).holding(ClassId::LIGHT, 100)).id();
///     commands.spawn((
///         FluidDrain::from(Circle::new(40.0)),
///         FluidTankLink(tank),
///         Transform::from_xyz(0.0, -200.0, 0.0),
///     ));
///     commands.spawn((
///         FluidEmitter::jet(30.0, 150.0),
///         FluidTankLink(tank),
///         Transform::from_xyz(0.0, 200.0, 0.0).with_rotation(Quat::from_rotation_z(std::f32::consts::PI)),
///     ));
/// }
///
/// fn show(tanks: Query<&FluidTankContents>) {
///     for tank in &tanks {
///         info!("{} of {:?} particles", tank.total(), tank.capacity());
///     }
/// }
/// # let _ = (setup, show);
/// ```
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(FluidOrder)]
#[component(on_insert = begin, on_remove = hooks::remove::<FluidTankContents>)]
pub struct FluidTank {
    /// The largest number of particles that it takes; `None`, the default, for any. What it holds
    /// beyond that stays.
    pub capacity: Option<u64>,
    /// What it holds to begin with: classes and their numbers of particles. Default nothing.
    pub holds_at_first: Vec<(ClassId, u64)>,
}

impl FluidTank {
    /// An empty tank for at most so many particles.
    pub const fn with_capacity(capacity: u64) -> Self {
        Self { capacity: Some(capacity), holds_at_first: Vec::new() }
    }

    /// The same tank, which also holds so many particles of a class to begin with, at the temperature of
    /// new liquid.
    #[must_use]
    pub fn holding(mut self, class: ClassId, amount: u64) -> Self {
        self.holds_at_first.push((class, amount));
        self
    }
}

/// What a [`FluidTank`] holds. A game may add and take; inserting the tank again puts back what it
/// holds at first.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Deref, DerefMut)]
#[reflect(opaque, Component, Default, Debug, PartialEq)]
pub struct FluidTankContents(pub Tank);

/// The tank that a [`FluidDrain`](crate::FluidDrain) pours into, or that a
/// [`FluidEmitter`](crate::FluidEmitter) draws from. While the tank is full the drain stops, and while it
/// is empty the emitter pauses. They do so as well, with a warning, while the entity is no tank.
///
/// An emitter emits what the tank holds, each class as often as its share of the tank says; with a
/// [`FluidClass`](crate::FluidClass) or a [`FluidMadeOf`](crate::FluidMadeOf) it emits that class only,
/// and with a [mix](crate::FluidEmitter::with_mix) those of the mix.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Eq)]
#[reflect(Component, Debug, PartialEq)]
pub struct FluidTankLink(#[entities] pub Entity);

fn begin(mut world: DeferredWorld, context: HookContext) {
    let Some(tank) = world.get::<FluidTank>(context.entity) else { return };
    let mut contents = Tank::new();
    contents.set_capacity(tank.capacity);
    for (class, amount) in &tank.holds_at_first {
        let new = temperature_of_new(&world, *class).filter(|temperature| temperature.is_finite());
        // A temperature that is finite is valid.
        let _ = contents.add(*class, *amount, new.unwrap_or_default());
    }
    world.commands().entity(context.entity).try_insert(FluidTankContents(contents));
}

/// The temperature of new liquid of a class, as the settings say, which the simulation follows in its next run.
fn temperature_of_new(world: &DeferredWorld, class: ClassId) -> Option<f32> {
    let classes = world.get_resource::<FluidClasses>()?;
    let of_class = classes.get(class).and_then(|class| class.thermal.temperature);
    of_class.or(Some(world.get_resource::<FluidSettings>()?.parameters.ambient_temperature))
}

/// Gives the contents of changed tanks their capacities.
pub(super) fn set_capacities(
    mut tanks: Query<(&FluidTank, &mut FluidTankContents), Changed<FluidTank>>,
) {
    for (tank, mut contents) in &mut tanks {
        if contents.capacity() != tank.capacity {
            contents.set_capacity(tank.capacity);
        }
    }
}

/// What warnings say of a link that leads to no tank.
pub(super) const NO_TANK: &str = "the entity of its FluidTankLink is no FluidTank";
