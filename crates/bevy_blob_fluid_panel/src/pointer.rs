//! The pointer and its tools. The pointer follows the mouse or the first finger, handles keys, keeps the selected
//! classes and draws the brush. Tools pour, erase, paint and push along the pointer's path.

use bevy::camera::RenderTarget;
use bevy::camera::visibility::RenderLayers;
use bevy::input::mouse::{AccumulatedMouseScroll, MouseScrollUnit};
use bevy::input::touch::Touches;
use bevy::prelude::*;
use bevy::window::{PrimaryWindow, WindowRef};
use bevy_blob_fluid::blob_fluid::{
    ClassFilter, ClassId, FluidRegion, FluidShape, ParticleId, ParticleSpawn,
};
use bevy_blob_fluid::{
    Fluid, FluidClasses, FluidClock, FluidForce, FluidSimulation, FluidStatistics,
};
use bevy_egui::egui;
use bevy_egui::egui::{Id, Order};
use bevy_egui::input::EguiWantsInput;

use crate::state::FluidPanel;
use crate::style;
use crate::tools::{FluidTool, FluidTools, colour_of};

/// Turns of the wheel in pixels that count as one line, as in `bevy_input`.
const PIXELS_PER_LINE: f32 = 100.0;

// The position of the pointer: the mouse, or the first finger.

/// Time over which the pointer's velocity is smoothed, in seconds.
const SMOOTHING: f32 = 0.04;

/// Position and state of the pointer in the world.
///
/// While the panel is open, its tools act at the pointer's position. In the primary window the pointer follows the
/// first finger on a touch screen, otherwise the mouse. The camera whose viewport contains the pointer determines the
/// pointer's position in the world. Without a window, the app may set this resource.
#[derive(Resource, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq)]
pub struct FluidPointer {
    /// The pointer's position, in world units; `None` outside of all viewports, and over the panel.
    pub position: Option<Vec2>,
    /// The pointer's velocity, in world units/s.
    pub velocity: Vec2,
    /// Whether the left button is held, or a finger is down.
    pub pressed: bool,
}

/// The finger or cursor that the pointer follows in the primary window.
#[derive(Resource, Debug, Default)]
pub(crate) struct Followed {
    /// The id of the finger.
    finger: Option<u64>,
    /// Position of the pointer, in logical pixels, and the camera of its viewport.
    pub place: Option<(Vec2, Entity)>,
}

/// The cameras whose viewports may contain the pointer.
pub(crate) type Views<'w, 's> = Query<
    'w,
    's,
    (
        Entity,
        &'static Camera,
        &'static RenderTarget,
        &'static GlobalTransform,
        Option<&'static RenderLayers>,
    ),
    With<Camera2d>,
>;

/// Follows the first finger, or the mouse.
pub(crate) fn follow_pointer(
    windows: Query<(Entity, &Window), With<PrimaryWindow>>,
    views: Views,
    buttons: Option<Res<ButtonInput<MouseButton>>>,
    touches: Option<Res<Touches>>,
    wants: Option<Res<EguiWantsInput>>,
    time: Option<Res<Time<Real>>>,
    mut follows: Local<bool>,
    mut followed: ResMut<Followed>,
    mut pointer: ResMut<FluidPointer>,
) {
    let Ok((primary, window)) = windows.single() else {
        // A closed window does not report the release of the button.
        if std::mem::take(&mut *follows) {
            *pointer = FluidPointer::default();
            *followed = Followed::default();
        }
        return;
    };
    *follows = true;
    let taken = wants.is_some_and(|wants| wants.wants_any_pointer_input());
    let finger = touches.and_then(|touches| touched(followed.finger, &touches));
    followed.finger = finger.map(|(id, _)| id);
    let finger = finger.map(|(_, place)| place);
    let cursor = finger.or_else(|| window.cursor_position()).filter(|_| !taken);
    let seen = cursor.and_then(|cursor| {
        let (view, camera, _, transform, _) = view_at(cursor, primary, &views)?;
        let position = camera.viewport_to_world_2d(transform, cursor).ok()?;
        Some(((cursor, view), position))
    });
    followed.place = seen.map(|(place, _)| place);
    let position = seen.map(|(_, position)| position);
    let passed = time.map_or(0.0, |time| time.delta_secs());
    let moved = match (pointer.position, position) {
        (Some(before), Some(now)) if passed > 0.0 => (now - before) / passed,
        _ => Vec2::ZERO,
    };
    let share = (passed / SMOOTHING).clamp(0.0, 1.0);
    let velocity = if position.is_some() && pointer.position.is_some() {
        pointer.velocity.lerp(moved, share)
    } else {
        Vec2::ZERO
    };
    // A click may begin and end within a frame.
    let clicked = buttons.is_some_and(|buttons| {
        buttons.pressed(MouseButton::Left) || buttons.just_pressed(MouseButton::Left)
    });
    let pressed = clicked || finger.is_some();
    pointer.set_if_neq(FluidPointer {
        position: position.filter(|position| position.is_finite()),
        velocity: if velocity.is_finite() { velocity } else { Vec2::ZERO },
        pressed: pressed && !taken,
    });
}

/// The id of the first finger, and its position in logical pixels. A finger counts from its second frame on, when egui
/// knows whether the finger is on the panel. In the frame after its release no finger is followed, which ends the
/// action.
fn touched(followed: Option<u64>, touches: &Touches) -> Option<(u64, Vec2)> {
    let fingers = touches.iter().filter(|touch| !touches.just_pressed(touch.id()));
    let first = match followed {
        Some(id) => touches.get_pressed(id),
        None => fingers.min_by_key(|touch| touch.id()),
    };
    first.map(|touch| (touch.id(), touch.position()))
}

/// The camera of the primary window whose viewport contains the cursor. If several do, it is the one drawn last.
/// Cameras without render layers, such as a panel's own, are ignored.
fn view_at<'a>(
    cursor: Vec2,
    primary: Entity,
    views: &'a Views,
) -> Option<(Entity, &'a Camera, &'a RenderTarget, &'a GlobalTransform, Option<&'a RenderLayers>)> {
    let holds = |camera: &Camera| {
        let viewport = camera.logical_viewport_rect();
        camera.is_active && viewport.is_some_and(|viewport| viewport.contains(cursor))
    };
    let nothing = RenderLayers::none();
    views
        .iter()
        .filter(|(_, camera, target, _, layers)| {
            let is_primary = match target {
                RenderTarget::Window(WindowRef::Primary) => true,
                RenderTarget::Window(WindowRef::Entity(window)) => *window == primary,
                _ => false,
            };
            is_primary && *layers != Some(&nothing) && holds(camera)
        })
        .max_by_key(|(entity, camera, ..)| (camera.order, *entity))
}

// Keys and the wheel.

/// F1 opens and closes the panel. While it is open, the wheel changes the brush and keys choose classes.
///
/// If no tool is chosen, the panel uses only F1.
pub(crate) fn read_keys(
    keys: Option<Res<ButtonInput<KeyCode>>>,
    wheel: Option<Res<AccumulatedMouseScroll>>,
    wants: Option<Res<EguiWantsInput>>,
    classes: Res<FluidClasses>,
    pointer: Res<FluidPointer>,
    mut tools: ResMut<FluidTools>,
    mut panel: ResMut<FluidPanel>,
) {
    let typing = wants.is_some_and(|wants| wants.wants_any_keyboard_input());
    if let Some(keys) = keys.filter(|_| !typing) {
        if keys.just_pressed(KeyCode::F1) {
            panel.open = !panel.open;
        }
        let pressed = DIGITS.into_iter().position(|digit| keys.just_pressed(digit));
        let held = panel.open && tools.tool != FluidTool::None;
        if let Some(index) = pressed.filter(|index| held && *index < classes.len()) {
            tools.class = ClassId(index as u8);
            tools.tool = FluidTool::Pour;
        }
    }
    // Over the panel the wheel scrolls its page.
    let turned = wheel.map_or(0.0, |wheel| match wheel.unit {
        MouseScrollUnit::Line => wheel.delta.y,
        MouseScrollUnit::Pixel => wheel.delta.y / PIXELS_PER_LINE,
    });
    let held = panel.open && tools.tool != FluidTool::None;
    if turned != 0.0 && pointer.position.is_some() && held {
        let (least, most) = FluidTools::RADII;
        let factor = 1.0 + 0.1 * turned.clamp(-3.0, 3.0);
        // Rounded to tenths, for display.
        let radius = (10.0 * tools.radius * factor).round() / 10.0;
        tools.radius = radius.clamp(least, most);
    }
}

const DIGITS: [KeyCode; 9] = [
    KeyCode::Digit1,
    KeyCode::Digit2,
    KeyCode::Digit3,
    KeyCode::Digit4,
    KeyCode::Digit5,
    KeyCode::Digit6,
    KeyCode::Digit7,
    KeyCode::Digit8,
    KeyCode::Digit9,
];

// Keeps the selected classes when the class table changes.

/// The selected classes, and the class names at that time.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Seen {
    names: Vec<String>,
    tool: ClassId,
    look: Option<ClassId>,
}

/// Keeps the selected classes of the tool and of the looks by name.
pub(crate) fn follow_classes(
    classes: Res<FluidClasses>,
    mut tools: ResMut<FluidTools>,
    mut panel: ResMut<FluidPanel>,
    mut seen: Local<Seen>,
) {
    let changed = classes.is_changed()
        && !seen.names.is_empty()
        && !seen.names.iter().eq(classes.iter().map(|class| &class.name));
    if changed {
        let names: Vec<&str> = classes.iter().map(|class| class.name.as_str()).collect();
        let follow = |class: ClassId| index_of(class.index(), &seen.names, &names);
        // A class that was selected in the same frame as the table changed belongs to the new table.
        if tools.class == seen.tool {
            tools.class = follow(seen.tool);
        }
        if panel.look_class == seen.look
            && let Some(class) = panel.look_class
        {
            panel.look_class = Some(follow(class));
        }
    }
    if seen.names.is_empty() || classes.is_changed() {
        seen.names = classes.iter().map(|class| class.name.clone()).collect();
    }
    (seen.tool, seen.look) = (tools.class, panel.look_class);
}

/// Present id of the class that had an index in the old table; 0 if it was removed.
fn index_of(index: usize, before: &[String], now: &[&str]) -> ClassId {
    let same = |name: &String| now.iter().position(|known| known == name);
    let found = before.get(index).and_then(same);
    let found = found.or_else(|| is_renamed(index, before, now).then_some(index));
    found.and_then(|index| u8::try_from(index).ok()).map_or(ClassId(0), ClassId)
}

/// Whether only the name of this class has changed.
fn is_renamed(index: usize, before: &[String], now: &[&str]) -> bool {
    let mut pairs = before.iter().zip(now).enumerate();
    before.len() == now.len()
        && index < now.len()
        && pairs.all(|(place, (before, now))| (before == now) != (place == index))
}

// The outline of the brush.

/// Draws the outline of the brush at the pointer.
pub(crate) fn outline_brush(context: &egui::Context, world: &mut World) {
    let Some(outline) = outline(world) else { return };
    let zoom = context.zoom_factor();
    let centre = egui::pos2(outline.centre.x / zoom, outline.centre.y / zoom);
    let tool = world.resource::<FluidTools>();
    let classes = world.resource::<FluidClasses>();
    let colour = match (tool.tool, classes.get(tool.class)) {
        (FluidTool::Pour, Some(class)) => colour_of(class),
        (FluidTool::Erase, _) => style::ERROR,
        (FluidTool::Paint, _) => {
            let Srgba { red, green, blue, .. } = tool.paint.to_srgba();
            let [red, green, blue] = [red, green, blue].map(|value| (255.0 * value) as u8);
            egui::Color32::from_rgb(red, green, blue)
        }
        _ => style::BRIGHT,
    };
    let painter = context.layer_painter(egui::LayerId::new(Order::Background, Id::new("brush")));
    let radius = outline.radius / zoom;
    painter.circle_filled(centre, radius, colour.gamma_multiply(0.06));
    painter.circle_stroke(centre, radius, egui::Stroke::new(1.5, colour.gamma_multiply(0.9)));
}

/// The outline of the brush in a camera's viewport, in logical pixels.
struct Outline {
    /// Logical pixels.
    centre: Vec2,
    /// Logical pixels.
    radius: f32,
}

/// The brush's outline at the pointer; `None` while no tool acts there.
fn outline(world: &mut World) -> Option<Outline> {
    let tools = *world.resource::<FluidTools>();
    let position = world.resource::<FluidPointer>().position?;
    let is_open = world.get_resource::<FluidPanel>().is_some_and(|panel| panel.open);
    if tools.tool == FluidTool::None || !is_open {
        return None;
    }
    let spacing = world.resource::<FluidSimulation>().parameters().particle_spacing;
    let edge = position + tools.reach(spacing) * Vec2::X;
    let (_, view) = world.resource::<Followed>().place?;
    let (camera, transform) = (world.get::<Camera>(view)?, world.get::<GlobalTransform>(view)?);
    let edge = camera.world_to_viewport(transform, edge.extend(0.0)).ok()?;
    let centre = camera.world_to_viewport(transform, position.extend(0.0)).ok()?;
    Some(Outline { centre, radius: centre.distance(edge) })
}

// The tools of the pointer: its path since the last tick while it pours, erases or paints, and its forces.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_followed_by_its_name() {
        let before = ["heavy", "medium", "light"].map(String::from);
        let found = |index, now: &[&str]| index_of(index, &before, now).index();
        assert_eq!(found(2, &["light", "heavy"]), 0);
        assert_eq!(found(1, &["light", "heavy", "water", "medium"]), 3);
        // Renamed at the same index.
        assert_eq!(found(1, &["heavy", "m", "light"]), 1);
        // Removed.
        assert_eq!(found(2, &["tar", "water", "air"]), 0);
        assert_eq!(found(2, &["heavy", "medium"]), 0);
        assert_eq!(found(200, &["heavy", "m", "light"]), 0);
    }
}
