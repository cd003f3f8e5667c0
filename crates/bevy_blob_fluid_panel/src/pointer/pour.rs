//! Tools that add, remove and paint particles.

use bevy::prelude::*;
use bevy_blob_fluid::blob_fluid::shape::FluidShape;
use bevy_blob_fluid::blob_fluid::{ClassFilter, ClassId, FluidRegion, ParticleId, ParticleSpawn};
use bevy_blob_fluid::{FluidSimulation, FluidStatistics};

use crate::pointer::position::FluidPointer;
use crate::pointer::stroke::FluidStroke;
use crate::state::FluidPanel;
use crate::tools::{FluidTool, FluidTools};

/// Smallest distance of poured particles from others, in spacings.
const ELBOW_ROOM: f32 = 0.9;

/// Pours, erases and paints along the pointer's path since the last tick, where the particles are the processor's.
pub(crate) fn pour_and_erase(
    pointer: Res<FluidPointer>,
    tools: Res<FluidTools>,
    panel: Res<FluidPanel>,
    statistics: Res<FluidStatistics>,
    mut stroke: ResMut<FluidStroke>,
    mut fluid: ResMut<FluidSimulation>,
    mut room: Local<Vec<Vec2>>,
    mut erased: Local<Vec<ParticleId>>,
) {
    if !panel.open || stroke.tool != tools.tool || statistics.is_on_device() {
        return;
    }
    let radius = tools.reach(fluid.parameters().particle_spacing);
    let mut use_at = |point| match tools.tool {
        FluidTool::Pour => pour(&mut fluid, tools.class, point, radius, &mut room),
        FluidTool::Erase => erase(&mut fluid, point, radius, &mut erased),
        FluidTool::Paint => paint(&mut fluid, tools.paint, point, radius),
        _ => {}
    };
    let mut moved = false;
    for point in stroke.take(radius) {
        moved = true;
        use_at(point);
    }
    // Only the first of several ticks in a frame has a path.
    if let Some(point) = pointer.position.filter(|_| pointer.pressed && !moved) {
        use_at(point);
    }
}

fn pour(
    fluid: &mut FluidSimulation,
    class: ClassId,
    point: Vec2,
    radius: f32,
    room: &mut Vec<Vec2>,
) {
    find_room(fluid, point, radius, room);
    for position in room.drain(..) {
        let spawn = ParticleSpawn { position, class, ..default() };
        // A full world accepts no more particles.
        if fluid.spawn(spawn).is_err() {
            break;
        }
    }
}

fn erase(fluid: &mut FluidSimulation, point: Vec2, radius: f32, erased: &mut Vec<ParticleId>) {
    if let Ok(disc) = FluidRegion::circle(point, radius) {
        let ids = fluid.particles().ids();
        fluid.for_each_in(&disc, ClassFilter::ALL, |index| erased.push(ids[index]));
    }
    for id in erased.drain(..) {
        fluid.despawn(id);
    }
}

fn paint(fluid: &mut FluidSimulation, color: Color, point: Vec2, radius: f32) {
    let LinearRgba { red, green, blue, .. } = color.to_linear();
    let color = [red, green, blue].map(|value| value.clamp(0.0, 1.0));
    if let Ok(disc) = FluidRegion::circle(point, radius) {
        // Only a colour of NaN is refused.
        _ = fluid.paint_in(&disc, ClassFilter::ALL, color, 1.0);
    }
}

/// Positions in the brush where a particle has room: away from others, inside of a container if
/// there is one, and in no collider.
fn find_room(fluid: &FluidSimulation, centre: Vec2, radius: f32, room: &mut Vec<Vec2>) {
    let spacing = fluid.parameters().particle_spacing;
    let disc = FluidShape::Circle { radius };
    // A brush smaller than a spacing still pours.
    let points = disc.fill(centre, 1.03 * spacing);
    room.clear();
    room.extend(points);
    if room.is_empty() {
        room.push(centre);
    }
    room.retain(|point| {
        let mut containers = fluid.containers();
        let inside = containers.len() == 0
            || containers.any(|(_, container)| container.depth(*point) > 0.3 * spacing);
        let solid =
            fluid.colliders().any(|(_, collider)| collider.distance(*point) < 0.3 * spacing);
        inside && !solid && fluid.nearest(*point, ELBOW_ROOM * spacing, ClassFilter::ALL).is_none()
    });
}
