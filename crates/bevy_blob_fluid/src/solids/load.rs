//! What the liquid does to a collider.

use bevy::ecs::entity::EntityHashSet;
use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::prelude::*;

/// Adds this file to the app.
pub(super) fn add_to(app: &mut App, _: InternedScheduleLabel) {
    app.init_resource::<LoadedHosts>().register_type::<FluidLoad>();
}

/// The bodies of physics engines, which bear loads by other entities' colliders.
#[derive(Resource, Default)]
pub(crate) struct LoadedHosts(pub EntityHashSet);

/// Force and torque of the liquid on the entity's [`FluidCollider`](crate::FluidCollider), whether or not it is a
/// [`FluidBuoyant`](crate::FluidBuoyant). Pass them on to a physics engine to couple it to the liquid. Add the
/// component, and the plugin updates it after every tick; without a collider it is 0.
///
/// Masses are those of [`FluidCollider::body`](crate::FluidCollider::body): a particle of a class with mass 1 has mass 1. Liquid
/// around the collider does not sleep, and a body does not either.
///
/// A collider that a game moves by itself floats with a few lines: forces of liquid and gravity
/// change its velocity, and the velocity its position.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// #[derive(Component)]
/// struct Boat {
///     mass: f32,
///     velocity: Vec2,
/// }
///
/// fn launch(mut commands: Commands, settings: Res<FluidSettings>) -> Result {
///     let hull = FluidCollider::from(Rectangle::new(80.0, 40.0));
///     let mass = hull.body(0.5, Vec2::ONE, &settings)?.mass;
///     let boat = Boat { mass, velocity: Vec2::ZERO };
///     commands.spawn((hull, FluidLoad::default(), boat, Transform::from_xyz(0.0, 100.0, 0.0)));
///     Ok(())
/// }
///
/// /// Runs in `FixedUpdate`: the liquid ticks after it.
/// fn sail(
///     mut boats: Query<(&mut Boat, &FluidLoad, &mut Transform)>,
///     settings: Res<FluidSettings>,
///     time: Res<Time>,
/// ) {
///     let tick = time.delta_secs();
///     for (mut boat, load, mut transform) in &mut boats {
///         let acceleration = load.force / boat.mass + settings.parameters.gravity;
///         boat.velocity += acceleration * tick;
///         transform.translation += (boat.velocity * tick).extend(0.0);
///     }
/// }
/// # App::new().add_systems(Startup, launch).add_systems(FixedUpdate, sail);
/// ```
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct FluidLoad {
    /// Force over the last tick, in masses times world units/s^2.
    pub force: Vec2,
    /// Torque about the centre over the last tick, counter-clockwise, in masses times square world
    /// units/s^2.
    pub torque: f32,
}
