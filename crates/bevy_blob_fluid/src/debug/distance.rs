//! Distances to walls, drawn as lines.

use bevy::prelude::*;
use blob_fluid::shape::iso_lines;
use blob_fluid::{FluidBounds, FluidWorld};

use super::gizmos::FluidGizmos;
use super::pen;
use crate::simulation::FluidSimulation;

/// Number of lines on the liquid's side of a wall.
const LEVELS: usize = 5;

/// Largest number of squares along a side of the grid on which the distance is sampled.
const MAX_STEPS: f32 = 144.0;

/// Draws lines of equal distance to the nearest wall, around all bounded containers and colliders;
/// around the liquid if there are none.
pub(super) fn draw_distances(fluid: Res<FluidSimulation>, mut gizmos: Gizmos<FluidGizmos>) {
    let FluidGizmos { distances, colors, .. } = gizmos.config_ext;
    if !*distances || fluid.containers().len() + fluid.colliders().len() == 0 {
        return;
    }
    let radius = fluid.parameters().interaction_radius();
    let around = around_solids(&fluid).inflated(1.5 * radius);
    let step = ((around.high - around.low).max_element() / MAX_STEPS).max(0.125 * radius);
    // The level inside the wall comes first.
    let values: [f32; LEVELS + 1] = std::array::from_fn(|level| (level as f32 - 1.0) * radius);
    iso_lines(
        around,
        step,
        &values,
        |point| distance(&fluid, point),
        |value, [start, end]| {
            let color = if value < 0.0 {
                colors.collider
            } else {
                let far = colors.container.with_alpha(0.25);
                pen::mixed(colors.container, far, value / (radius * LEVELS as f32))
            };
            gizmos.line_2d(start, end, color);
        },
    );
}

/// Distance to the nearest wall, positive where liquid may be.
fn distance(fluid: &FluidWorld, point: Vec2) -> f32 {
    let colliders = fluid.colliders().map(|(_, collider)| collider.distance(point));
    // A point inside any container counts as inside.
    let depth = fluid.containers().map(|(_, container)| container.depth(point)).reduce(f32::max);
    colliders.chain(depth).fold(f32::INFINITY, f32::min)
}

/// A box around all bounded solids, or around the liquid if there are none.
fn around_solids(fluid: &FluidWorld) -> FluidBounds {
    let containers = fluid.containers().map(|(_, solid)| (solid.shape(), solid.centre()));
    let colliders = fluid.colliders().map(|(_, solid)| (solid.shape(), solid.centre()));
    let bounds = containers.chain(colliders).filter_map(|(shape, centre)| {
        // A box for every rotation.
        let FluidBounds { low, high } = shape.bounds();
        let farthest = low.abs().max(high.abs()).length();
        farthest.is_finite().then(|| FluidBounds { low: centre, high: centre }.inflated(farthest))
    });
    bounds
        .reduce(FluidBounds::union)
        .unwrap_or_else(|| FluidBounds::of(fluid.particles().positions()))
}
