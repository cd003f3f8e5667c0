//! Draws the entities around the liquid.

use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;
use blob_fluid::{FluidNozzle, Force};

use super::gizmos::FluidGizmos;
use super::pen;
use crate::placing::Placement;
use crate::sensing::{FluidSensor, FluidSensorReading};
use crate::simulation::FluidSimulation;
use crate::sources::{FluidDrain, FluidEmitter, FluidPump};

/// Draws containers and colliders at their poses in the simulation.
pub(super) fn draw_solids(fluid: Res<FluidSimulation>, mut gizmos: Gizmos<FluidGizmos>) {
    let FluidGizmos { containers, colliders, colors, .. } = gizmos.config_ext;
    if *containers {
        for (_, container) in fluid.containers() {
            let pose = (container.centre(), container.rotation());
            pen::outline(&mut gizmos, container.shape(), pose, colors.container);
        }
    }
    if *colliders {
        for (_, collider) in fluid.colliders() {
            let pose = (collider.centre(), collider.rotation());
            pen::outline(&mut gizmos, collider.shape(), pose, colors.collider);
        }
    }
}

/// Draws the regions and directions of forces.
pub(super) fn draw_forces(fluid: Res<FluidSimulation>, mut gizmos: Gizmos<FluidGizmos>) {
    let FluidGizmos { forces, colors, .. } = gizmos.config_ext;
    if !*forces {
        return;
    }
    let radius = fluid.parameters().interaction_radius();
    for force in fluid.forces() {
        // A force without a region acts everywhere.
        let size = match &force.region {
            None => radius,
            Some(region) => {
                pen::outline_of(&mut gizmos, region, colors.force);
                region.shape().max_depth().min(4.0 * radius)
            }
        };
        draw_ways(&mut gizmos, force, 0.8 * size, colors.force);
    }
}

/// Draws arrows of a length for the part of a force that acts around its centre.
fn draw_ways(gizmos: &mut Gizmos<FluidGizmos>, force: &Force, length: f32, color: Color) {
    let centre = force.centre;
    for push in [force.acceleration, force.wind, force.conveyor] {
        pen::arrow(gizmos, centre, push.normalize_or_zero() * length, color);
    }
    for outwards in [Vec2::X, Vec2::Y, Vec2::NEG_X, Vec2::NEG_Y] {
        let (near, far) = (centre + 0.3 * length * outwards, centre + length * outwards);
        if force.attraction > 0.0 {
            pen::arrow(gizmos, far, near - far, color);
        } else if force.attraction < 0.0 {
            pen::arrow(gizmos, near, far - near, color);
        }
        if force.swirl != 0.0 {
            let along = outwards.perp() * (0.5 * length).copysign(force.swirl);
            pen::arrow(gizmos, centre + 0.7 * length * outwards, along, color);
        }
    }
}

/// Draws sensors, emitters, drains and pumps where their entities are. One without a valid transform or
/// shape is left out, as in the simulation.
pub(super) fn draw_regions(
    fluid: Res<FluidSimulation>,
    sensors: Query<(Entity, &FluidSensor, &FluidSensorReading)>,
    emitters: Query<(Entity, &FluidEmitter)>,
    drains: Query<(Entity, &FluidDrain)>,
    pumps: Query<(Entity, &FluidPump)>,
    transforms: TransformHelper,
    mut gizmos: Gizmos<FluidGizmos>,
) {
    let layers = gizmos.config_ext;
    let colors = &layers.colors;
    let radius = fluid.parameters().interaction_radius();
    if layers.sensors {
        for (entity, sensor, reading) in &sensors {
            let Ok(placement) = Placement::of(entity, &transforms) else { continue };
            // An empty sensor is drawn fainter.
            let alpha = 0.4 + 0.6 * reading.fill.clamp(0.0, 1.0);
            outline_at(&mut gizmos, &sensor.shape, placement, colors.sensor.with_alpha(alpha));
        }
    }
    if layers.drains {
        for (entity, drain) in &drains {
            let Ok(placement) = Placement::of(entity, &transforms) else { continue };
            outline_at(&mut gizmos, &drain.shape, placement, colors.drain);
            pen::cross(&mut gizmos, placement.position, 0.25 * radius, colors.drain);
        }
    }
    for (entity, pump) in &pumps {
        let Ok(placement) = Placement::of(entity, &transforms) else { continue };
        let way = placement.rotation.rotate(pump.to * placement.scale);
        if layers.drains {
            outline_at(&mut gizmos, &pump.inlet, placement, colors.drain);
            pen::arrow(&mut gizmos, placement.position, way, colors.drain);
        }
        if layers.emitters {
            let position = placement.position + way;
            let there = Placement { position, ..placement };
            outline_at(&mut gizmos, &pump.outlet, there, colors.emitter);
        }
    }
    if layers.emitters {
        for (entity, emitter) in &emitters {
            let Ok(placement) = Placement::of(entity, &transforms) else { continue };
            match &emitter.nozzle {
                FluidNozzle::Slot { width } => {
                    let (along, centre) = (placement.rotation, placement.position);
                    let half = 0.5 * width * placement.scale.x.abs() * along;
                    gizmos.line_2d(centre - half, centre + half, colors.emitter);
                    pen::arrow(&mut gizmos, centre, along.perp() * radius, colors.emitter);
                }
                FluidNozzle::Area(shape) => {
                    outline_at(&mut gizmos, shape, placement, colors.emitter)
                }
            }
        }
    }
}

/// Draws the outline of an entity's shape, if that is valid.
fn outline_at(
    gizmos: &mut Gizmos<FluidGizmos>,
    shape: &blob_fluid::FluidShape,
    placement: Placement,
    color: Color,
) {
    let shape = shape.scaled(placement.scale);
    if shape.validate().is_ok() {
        pen::outline(gizmos, &shape, (placement.position, placement.rotation), color);
    }
}
