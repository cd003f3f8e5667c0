//! Tools that are forces: pushing, pulling, stirring and grabbing.

use bevy::prelude::*;
use bevy_blob_fluid::{FluidForce, FluidSimulation};

use crate::pointer::position::FluidPointer;
use crate::state::FluidPanel;
use crate::tools::{FluidTool, FluidTools};

/// Rate at which grabbed liquid takes on the pointer's velocity, in 1/T0.
const GRIP: f32 = 4.0;
/// Inward part of a stirring force, so that the liquid does not fly off.
const INWARDS: f32 = 0.5;
/// Marks the entity that has the [`FluidForce`] of the tool.
#[derive(Component)]
pub(crate) struct ToolForce;

/// Keeps a force at the pointer while a tool that has one is held.
pub(crate) fn hold_force(
    mut commands: Commands,
    pointer: Res<FluidPointer>,
    tools: Res<FluidTools>,
    fluid: Res<FluidSimulation>,
    panel: Res<FluidPanel>,
    mut held: Query<(Entity, &mut FluidForce, &mut Transform), With<ToolForce>>,
) {
    let wanted = force_of(&tools, &pointer, &fluid).filter(|_| panel.open);
    let translation = pointer.position.unwrap_or_default().extend(0.0);
    let mut held = held.iter_mut();
    match (wanted, held.next()) {
        (Some(wanted), Some((_, mut force, mut transform))) => {
            force.set_if_neq(wanted);
            transform.translation = translation;
        }
        (Some(wanted), None) => {
            let name = Name::new("Fluid tool");
            commands.spawn((name, ToolForce, wanted, Transform::from_translation(translation)));
        }
        (None, Some((entity, ..))) => commands.entity(entity).despawn(),
        (None, None) => {}
    }
}

/// The force of the tool; `None` if it is not held.
fn force_of(
    tools: &FluidTools,
    pointer: &FluidPointer,
    fluid: &FluidSimulation,
) -> Option<FluidForce> {
    pointer.position.filter(|_| pointer.pressed)?;
    let parameters = fluid.parameters();
    let radius = tools.reach(parameters.particle_spacing);
    let strength = if tools.strength.is_finite() { tools.strength.clamp(0.0, 100.0) } else { 0.0 };
    let acceleration = strength * parameters.reference_acceleration;
    match tools.tool {
        FluidTool::None | FluidTool::Pour | FluidTool::Erase | FluidTool::Paint => None,
        FluidTool::Push => Some(FluidForce::repel(radius, acceleration)),
        FluidTool::Pull => Some(FluidForce::attract(radius, acceleration)),
        FluidTool::Stir => {
            let vortex = FluidForce::vortex(radius, acceleration);
            Some(FluidForce { attraction: INWARDS * acceleration, ..vortex })
        }
        FluidTool::Grab => Some(FluidForce {
            wind: pointer.velocity,
            drag: GRIP / parameters.time_unit(),
            // Grabbed liquid is weightless.
            acceleration: -parameters.gravity,
            ..FluidForce::attract(radius, 0.0)
        }),
    }
}
