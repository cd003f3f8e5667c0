//! Impulses as entities.

use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;
use blob_fluid::Force;

use super::force::FluidForce;
use crate::order::{FluidOrder, Ranks};
use crate::placing::{FluidOutline, Scaled};
use crate::schedule::{FluidSchedule, FluidTickSystems};
#[cfg(feature = "gpu")]
use crate::simulation::DeviceLiquid;
use crate::simulation::FluidSimulation;
use crate::warnings::Warnings;

/// Adds this file to the app.
pub(super) fn add_to(app: &mut App, _: InternedScheduleLabel) {
    app.register_type::<FluidImpulse>().add_systems(
        FluidSchedule,
        apply_impulses.after(FluidTickSystems::Spawn).before(FluidTickSystems::Move),
    );
}

/// A [`FluidForce`] that acts once, as strongly as in a whole second: its accelerations are added
/// to the velocities.
///
/// It acts at the beginning of the next tick, after particles were added
/// ([`FluidTickSystems::Spawn`](crate::FluidTickSystems::Spawn)), at the transform that its entity
/// has then, and is removed from the entity. Insert it again for another impulse. While the fluid
/// is paused it waits. An impulse with invalid values or an invalid transform waits as well, with a
/// warning.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn explode(mut commands: Commands) {
///     let place = Transform::from_xyz(30.0, -20.0, 0.0);
///     commands.spawn((FluidImpulse::explosion(80.0, 400.0), place));
/// }
/// ```
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Deref, DerefMut)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform, FluidOrder)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct FluidImpulse(pub FluidForce);

impl FluidImpulse {
    /// Pushes liquid within `radius` world units away from the entity, at up to `speed` world
    /// units/s.
    pub fn explosion(radius: f32, speed: f32) -> Self {
        Self(FluidForce::repel(radius, speed))
    }

    /// Adds a velocity, in world units/s, to all liquid in a shape.
    pub fn push(shape: &impl FluidOutline, velocity: Vec2) -> Self {
        Self(FluidForce::uniform(shape, velocity))
    }
}

/// Applies the impulses, and removes them.
pub(crate) fn apply_impulses(
    mut commands: Commands,
    entities: Query<(Entity, &FluidImpulse)>,
    transforms: TransformHelper,
    ranks: Ranks,
    mut fluid: ResMut<FluidSimulation>,
    #[cfg(feature = "gpu")] mut on_device: Option<ResMut<DeviceLiquid>>,
    mut warnings: Warnings,
) {
    warnings.retain(|entity| entities.contains(entity));
    let mut apply = |force: &Force| {
        #[cfg(feature = "gpu")]
        if let Some(on_device) = &mut on_device {
            return on_device.liquid.apply_impulse(force).map_err(|error| error.to_string());
        }
        fluid.apply_impulse(force).map_err(|error| error.to_string())
    };
    let mut waiting: Vec<_> = entities.iter().collect();
    waiting.sort_unstable_by_key(|(entity, _)| ranks.of(*entity));
    for (entity, impulse) in waiting {
        let applied = impulse
            .placed(entity, &transforms, &mut Scaled::default())
            .and_then(|force| apply(&force));
        if warnings.check(entity, "fluid impulse", applied).is_some() {
            commands.entity(entity).try_remove::<FluidImpulse>();
        }
    }
}
