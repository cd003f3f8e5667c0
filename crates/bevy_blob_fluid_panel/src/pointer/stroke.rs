//! The tools of the pointer: its path since the last tick while it pours, erases or paints, and its forces.

use bevy::prelude::*;
use bevy_blob_fluid::blob_fluid::{
    ClassFilter, ClassId, FluidRegion, FluidShape, ParticleId, ParticleSpawn,
};
use bevy_blob_fluid::{Fluid, FluidClock, FluidForce, FluidSimulation, FluidStatistics};

use crate::pointer::FluidPointer;
use crate::state::FluidPanel;
use crate::tools::{FluidTool, FluidTools};

/// Largest number of segments that wait for a tick; beyond that the last one is extended.
const MAX_PIECES: usize = 256;
/// Largest number of positions along a segment at which the brush is applied.
const MAX_PLACES: f32 = 256.0;

/// The pointer's path since the last tick. In slow motion, frames are shorter than ticks: without
/// the path, a short click or a fast stroke between two ticks would have no effect.
#[derive(Resource, Clone, Debug, Default)]
pub(crate) struct FluidStroke {
    /// The tool to which the path belongs.
    pub tool: FluidTool,
    /// Position in the last frame, if pressed.
    last: Option<Vec2>,
    pieces: Vec<[Vec2; 2]>,
}

impl FluidStroke {
    /// Takes the positions along the path at which a brush with a radius is applied. The path is empty
    /// afterwards.
    pub(crate) fn take(&mut self, radius: f32) -> impl Iterator<Item = Vec2> + '_ {
        self.pieces.drain(..).flat_map(move |[from, to]| {
            let count = (2.0 * from.distance(to) / radius).ceil().clamp(1.0, MAX_PLACES);
            (1..=count as u32).map(move |number| from.lerp(to, number as f32 / count))
        })
    }
}

/// Records the pointer's path while it pours, erases or paints.
pub(crate) fn lengthen_stroke(
    pointer: Res<FluidPointer>,
    tools: Res<FluidTools>,
    panel: Res<FluidPanel>,
    mut stroke: ResMut<FluidStroke>,
) {
    let draws = matches!(tools.tool, FluidTool::Pour | FluidTool::Erase | FluidTool::Paint);
    if !panel.open || !draws || stroke.tool != tools.tool {
        (stroke.tool, stroke.last) = (tools.tool, None);
        stroke.pieces.clear();
    }
    let now = pointer.position.filter(|_| panel.open && draws && pointer.pressed);
    if let Some(now) = now {
        let piece = [stroke.last.unwrap_or(now), now];
        let is_full = stroke.pieces.len() >= MAX_PIECES;
        match stroke.pieces.last_mut() {
            Some(before) if *before == piece || is_full => before[1] = now,
            _ => stroke.pieces.push(piece),
        }
    }
    stroke.last = now;
}

/// Whether the fluid is paused, so that no tick pours or erases.
pub(crate) fn is_paused(time: Option<Res<Time<Fluid>>>) -> bool {
    time.is_some_and(|time| time.is_paused())
}

// Tools that are forces: pushing, pulling, stirring and grabbing.

/// Rate at which the velocity of grabbed liquid approaches that of the pointer, in 1/T0.
const GRIP: f32 = 4.0;
/// Inward acceleration of a stirring force, as a fraction of its swirl, so that the liquid does not fly off.
const INWARDS: f32 = 0.5;
/// Marks the entity with the [`FluidForce`] of the tool.
#[derive(Component)]
pub(crate) struct ToolForce;

/// Keeps a force at the pointer while a tool with a force is held.
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

/// The force of the tool; `None` if it is not held or has no force.
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

// Tools that add, remove and paint particles.

/// Smallest distance of poured particles from others, in particle spacings.
const ELBOW_ROOM: f32 = 0.9;

/// Pours, erases and paints along the pointer's path since the last tick, unless the liquid is on a graphics card.
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
        // Only a colour with NaN is refused.
        _ = fluid.paint_in(&disc, ClassFilter::ALL, color, 1.0);
    }
}

/// Finds positions in the brush with room for a particle. They are away from other particles, inside
/// of a container if the world has any, and outside of colliders.
fn find_room(fluid: &FluidSimulation, centre: Vec2, radius: f32, room: &mut Vec<Vec2>) {
    let spacing = fluid.parameters().particle_spacing;
    let disc = FluidShape::Circle { radius };
    // A brush smaller than a particle spacing pours one particle at its centre.
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
