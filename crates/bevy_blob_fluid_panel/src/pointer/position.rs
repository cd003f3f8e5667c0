//! Where the pointer is: the mouse, or the first finger.

use bevy::camera::RenderTarget;
use bevy::camera::visibility::RenderLayers;
use bevy::input::touch::Touches;
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_egui::input::EguiWantsInput;

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
pub(crate) fn touched(touches: &Touches) -> Option<Vec2> {
    let mut fingers = touches.iter().filter(|touch| !touches.just_pressed(touch.id()));
    fingers.next().map(|touch| touch.position())
}

/// The camera whose viewport holds the cursor; of several, the one drawn last. Cameras that see no
/// layer, such as a panel's own, are ignored.
pub(crate) fn view_at<'a>(
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
