//! Where the pointer is: the mouse, or the first finger.

use bevy::camera::RenderTarget;
use bevy::camera::visibility::RenderLayers;
use bevy::input::touch::Touches;
use bevy::prelude::*;
use bevy::window::{PrimaryWindow, WindowRef};
use bevy_egui::input::EguiWantsInput;

/// Time over which the pointer's velocity is smoothed, in seconds.
const SMOOTHING: f32 = 0.04;

/// Position and state of the pointer in the world.
///
/// The panel's tools act there while the panel is open. It follows the first finger on a touch screen,
/// otherwise the mouse, in the primary window and through the camera whose viewport it is in; without a window
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

/// What the pointer follows in the primary window.
#[derive(Resource, Debug, Default)]
pub(crate) struct Followed {
    /// The finger.
    finger: Option<u64>,
    /// The place of the pointer, in logical pixels, and the camera that it is seen through.
    pub place: Option<(Vec2, Entity)>,
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
        // No window is left to report the button's release.
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

/// The number of the first finger, and where it is, in logical pixels. It counts from its second frame on, when egui knows
/// whether it is on the panel. Once it is lifted nothing is followed for a frame, which ends what it began.
fn touched(followed: Option<u64>, touches: &Touches) -> Option<(u64, Vec2)> {
    let fingers = touches.iter().filter(|touch| !touches.just_pressed(touch.id()));
    let first = match followed {
        Some(id) => touches.get_pressed(id),
        None => fingers.min_by_key(|touch| touch.id()),
    };
    first.map(|touch| (touch.id(), touch.position()))
}

/// The camera of the primary window whose viewport holds the cursor; of several, the one drawn last. Cameras that see no
/// layer, such as a panel's own, are ignored.
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
