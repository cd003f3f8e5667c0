//! Forces as entities.

use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;
use blob_fluid::Force;

use super::placement::{Complaints, Placement};
use crate::simulation::FluidSimulation;

/// Attracts or repels the liquid around the entity's [`Transform`].
///
/// The entity's scale does not count; values that are not finite, and a radius not above 0, leave
/// the force out with a warning.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Debug, PartialEq)]
#[require(Transform)]
pub struct FluidForce {
    /// Reach, in world units; > 0.
    pub radius: f32,
    /// Acceleration towards the entity at its centre's surroundings, in world units/s²: positive
    /// attracts, negative repels. Fades to 0 at the radius.
    pub acceleration: f32,
    /// Rate at which velocity decays near the centre, in 1/s; >= 0. Lets attracted liquid settle
    /// instead of orbiting.
    pub drag: f32,
    /// Rate at which the temperature rises near the centre, in degrees/s; negative cools.
    pub heat: f32,
}

impl FluidForce {
    /// Gathers liquid within `radius` world units.
    pub const fn attract(radius: f32, acceleration: f32) -> Self {
        Self { radius, acceleration, drag: 2.0, heat: 0.0 }
    }

    /// Drives liquid within `radius` world units away.
    pub const fn repel(radius: f32, acceleration: f32) -> Self {
        Self { radius, acceleration: -acceleration, drag: 0.0, heat: 0.0 }
    }

    /// Heats liquid within `radius` world units, by up to that many degrees per second.
    pub const fn heat(radius: f32, heat: f32) -> Self {
        Self { radius, acceleration: 0.0, drag: 0.0, heat }
    }
}

/// Copies the forces into the simulation.
pub(crate) fn sync_forces(
    entities: Query<(Entity, &FluidForce)>,
    transforms: TransformHelper,
    mut fluid: ResMut<FluidSimulation>,
    mut complaints: Local<Complaints>,
    mut forces: Local<Vec<(Entity, Force)>>,
    mut plain: Local<Vec<Force>>,
) {
    forces.clear();
    for (entity, &FluidForce { radius, acceleration, drag, heat }) in &entities {
        let placed = Placement::of(entity, &transforms).map_err(|error| error.to_string());
        let force = placed.and_then(|placement| {
            let force = Force { position: placement.position, radius, acceleration, drag, heat };
            force.validate().map(|()| force).map_err(|error| error.to_string())
        });
        match force {
            Ok(force) => {
                complaints.settle(entity);
                forces.push((entity, force));
            }
            Err(error) => complaints.warn(entity, "fluid force", &error),
        }
    }
    // Sums depend on their order in the last bit.
    forces.sort_unstable_by_key(|(entity, _)| *entity);
    plain.clear();
    plain.extend(forces.iter().map(|(_, force)| *force));
    if fluid.forces() != plain.as_slice()
        && let Err(error) = fluid.set_forces(&plain)
    {
        warn_once!("fluid forces refused: {error}");
    }
}
