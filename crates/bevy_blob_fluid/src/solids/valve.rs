//! Valves as entities.

use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::prelude::*;
use blob_fluid::Valve;

use super::collider::FluidCollider;
use crate::schedule::FluidEntitySystems;
use crate::warnings::Warnings;

/// Adds this file to the app.
pub(super) fn add_to(app: &mut App, schedule: InternedScheduleLabel) {
    app.register_type::<FluidValve>()
        .add_systems(schedule, shape_valves.in_set(FluidEntitySystems::Shapes));
}

/// A gate that lets a share of a stream through: two leaves along the entity's X axis that leave a gap
/// in the middle, placed by the entity's [`Transform`]. Liquid passes along its Y axis.
///
/// Its `opening` is a number from 0, closed, to 1. The leaves are the shape of the entity's
/// [`FluidCollider`], which the plugin adds and shapes. Values out of range are refused with a warning,
/// and the last valid ones stay in use.
///
/// [`FluidPipe::valve_at`](crate::FluidPipe::valve_at) makes one that fits a pipe:
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands) {
///     // The gate of a sluice 60 units wide, a third open.
///     commands.spawn((FluidValve::new(60.0, 12.0).opened(0.33), Transform::from_xyz(0.0, 40.0, 0.0)));
/// }
/// # let _ = setup;
/// ```
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Deref, DerefMut)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform, FluidCollider)]
pub struct FluidValve(pub Valve);

impl Default for FluidValve {
    /// Has no valid width: give it one before use.
    fn default() -> Self {
        Self::new(0.0, 0.0)
    }
}

impl FluidValve {
    /// A closed valve for a passage of an inner width, with leaves of a thickness, which reach half of
    /// it into the walls; in the entity's own units.
    pub const fn new(width: f32, thickness: f32) -> Self {
        Self(Valve { width, thickness, seat: 0.5 * thickness, opening: 0.0 })
    }

    /// The same valve with leaves that reach so far into the walls, in the entity's own units.
    #[must_use]
    pub const fn with_seat(mut self, seat: f32) -> Self {
        self.0.seat = seat;
        self
    }

    /// The same valve, open to a share of its width, 0 to 1.
    #[must_use]
    pub const fn opened(mut self, opening: f32) -> Self {
        self.0.opening = opening;
        self
    }
}

/// Gives the colliders of changed valves their shapes.
pub(super) fn shape_valves(
    mut valves: Query<(Entity, &FluidValve, &mut FluidCollider), Changed<FluidValve>>,
    all: Query<(), With<FluidValve>>,
    mut refused: Warnings,
) {
    refused.retain(|entity| all.contains(entity));
    for (entity, valve, mut collider) in &mut valves {
        let shape = refused.check(entity, "a change of fluid valve", valve.shape());
        if let Some(shape) = shape.filter(|shape| collider.shape != *shape) {
            collider.shape = shape;
        }
    }
}
