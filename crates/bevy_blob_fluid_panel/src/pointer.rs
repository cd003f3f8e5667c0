//! The pointer's action on the liquid.

use bevy::camera::RenderTarget;
use bevy::camera::visibility::RenderLayers;
use bevy::input::mouse::AccumulatedMouseScroll;
use bevy::input::touch::Touches;
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_blob_fluid::blob_fluid::shape::Shape;
use bevy_blob_fluid::blob_fluid::{ClassFilter, ClassId, ParticleId, ParticleSpawn, Region};
use bevy_egui::input::EguiWantsInput;

use crate::FluidPanel;
use crate::stroke::FluidStroke;
use crate::tools::{FluidTool, FluidTools};
use bevy_blob_fluid::FluidForce;
use bevy_blob_fluid::{FluidClasses, FluidSimulation};

/// Smallest distance of poured particles from others, in spacings.
const ELBOW_ROOM: f32 = 0.9;
/// Rate at which grabbed liquid takes on the pointer's velocity, in 1/T0.
const GRIP: f32 = 4.0;
/// Inward part of a stirring force, so that the liquid does not fly off.
const INWARDS: f32 = 0.5;
/// Time over which the pointer's velocity is smoothed, in seconds.
const SMOOTHING: f32 = 0.04;

/// Position and state of the pointer in the world.
///
/// The panel's tools act there while the panel is open. It follows the first finger on a touch screen,
/// otherwise the mouse, while there is a window, through the camera whose viewport it is in; without one
/// the app may set it.
#[derive(Resource, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq)]
pub struct FluidPointer {
    /// Its position, in world units; `None` outside of all viewports, and over the panel.
    pub position: Option<Vec2>,
    /// Its velocity, in world units/s.
    pub velocity: Vec2,
    /// Whether its left button is held, or a finger is down.
    pub pressed: bool,
}

/// A camera whose viewport may hold the pointer.
type Views<'w, 's> = Query<
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
    windows: Query<&Window, With<PrimaryWindow>>,
    views: Views,
    buttons: Option<Res<ButtonInput<MouseButton>>>,
    touches: Option<Res<Touches>>,
    wants: Option<Res<EguiWantsInput>>,
    time: Option<Res<Time<Real>>>,
    mut follows: Local<bool>,
    mut pointer: ResMut<FluidPointer>,
) {
    let Ok(window) = windows.single() else {
        // No window is left to report the button's release.
        if std::mem::take(&mut *follows) {
            *pointer = FluidPointer::default();
        }
        return;
    };
    *follows = true;
    let taken = wants.is_some_and(|wants| wants.wants_any_pointer_input());
    let finger = touches.and_then(|touches| touched(&touches));
    let cursor = finger.or_else(|| window.cursor_position()).filter(|_| !taken);
    let position = cursor.and_then(|cursor| {
        let (_, camera, _, transform, _) = view_at(cursor, &views)?;
        camera.viewport_to_world_2d(transform, cursor).ok()
    });
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

/// Where the first finger is, in logical pixels. It counts from its second frame on, when egui knows whether it
/// is on the panel.
fn touched(touches: &Touches) -> Option<Vec2> {
    let mut fingers = touches.iter().filter(|touch| !touches.just_pressed(touch.id()));
    fingers.next().map(|touch| touch.position())
}

/// The camera whose viewport holds the cursor; of several, the one drawn last. Cameras that see no
/// layer, such as a panel's own, are ignored.
fn view_at<'a>(
    cursor: Vec2,
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
            matches!(target, RenderTarget::Window(_)) && *layers != Some(&nothing) && holds(camera)
        })
        .max_by_key(|(entity, camera, ..)| (camera.order, *entity))
}

/// F1 opens the panel; while it is open, the wheel changes the brush and keys choose classes.
///
/// If no tool is chosen, the panel uses F1 only.
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
    let turned = wheel.map_or(0.0, |wheel| wheel.delta.y);
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
        FluidTool::None | FluidTool::Pour | FluidTool::Erase => None,
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

/// Pours and erases along the pointer's path since the last tick.
pub(crate) fn pour_and_erase(
    pointer: Res<FluidPointer>,
    tools: Res<FluidTools>,
    panel: Res<FluidPanel>,
    mut stroke: ResMut<FluidStroke>,
    mut fluid: ResMut<FluidSimulation>,
    mut room: Local<Vec<Vec2>>,
    mut erased: Local<Vec<ParticleId>>,
) {
    if !panel.open || stroke.tool != tools.tool {
        return;
    }
    let radius = tools.reach(fluid.parameters().particle_spacing);
    let mut use_at = |point| match tools.tool {
        FluidTool::Pour => pour(&mut fluid, tools.class, point, radius, &mut room),
        FluidTool::Erase => erase(&mut fluid, point, radius, &mut erased),
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
    if let Ok(disc) = Region::circle(point, radius) {
        let ids = fluid.particles().ids();
        fluid.for_each_in(&disc, ClassFilter::ALL, |index| erased.push(ids[index]));
    }
    for id in erased.drain(..) {
        fluid.despawn(id);
    }
}

/// Positions in the brush where a particle has room: away from others, inside of a container if
/// there is one, and in no collider.
fn find_room(fluid: &FluidSimulation, centre: Vec2, radius: f32, room: &mut Vec<Vec2>) {
    let spacing = fluid.parameters().particle_spacing;
    let disc = Shape::Circle { radius };
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

/// The outline of the brush in a camera's viewport.
pub(crate) struct Outline {
    /// Logical pixels.
    pub centre: Vec2,
    /// Logical pixels.
    pub radius: f32,
}

/// The brush's outline where the pointer is.
pub(crate) fn outline(world: &mut World) -> Option<Outline> {
    let tools = *world.resource::<FluidTools>();
    let position = world.resource::<FluidPointer>().position?;
    let is_open = world.get_resource::<FluidPanel>().is_some_and(|panel| panel.open);
    if tools.tool == FluidTool::None || !is_open {
        return None;
    }
    let spacing = world.resource::<FluidSimulation>().parameters().particle_spacing;
    let edge = position + tools.reach(spacing) * Vec2::X;
    let mut windows = world.query_filtered::<&Window, With<PrimaryWindow>>();
    let mouse = windows.single(world).ok()?.cursor_position();
    let cursor = world.get_resource::<Touches>().and_then(touched).or(mouse)?;
    let mut state = bevy::ecs::system::SystemState::<Views>::new(world);
    let views = state.get(world).ok()?;
    let (_, camera, _, transform, _) = view_at(cursor, &views)?;
    let edge = camera.world_to_viewport(transform, edge.extend(0.0)).ok()?;
    let centre = camera.world_to_viewport(transform, position.extend(0.0)).ok()?;
    Some(Outline { centre, radius: centre.distance(edge) })
}
