//! Keys, mouse, touch and gamepad, and what a player wants by them.

use bevy::prelude::*;
use bevy::window::PrimaryWindow;

use super::super::Game;
use super::levels::Lever;

/// How far from the middle of a wheel a click still means it, in world units.
const REACH: f32 = 50.0;

/// What a player wants, whatever it was said by.
#[derive(Event, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wish {
    /// Works the wheel of this number, from 1; on the title, begins the level of this number.
    Wheel(usize),
    /// Begins where the last game ended.
    Begin,
    /// Begins the level again.
    Again,
    /// Goes to the next level.
    Next,
    /// Goes back to the title.
    Title,
}

pub(crate) fn plugin(app: &mut App) {
    app.add_systems(Update, point);
    #[cfg(feature = "gamepad")]
    app.add_systems(Update, press_buttons);
}

pub(crate) fn press_keys(mut commands: Commands, keys: Res<ButtonInput<KeyCode>>) {
    const KEYS: [(KeyCode, Wish); 8] = [
        (KeyCode::Digit1, Wish::Wheel(1)),
        (KeyCode::Digit2, Wish::Wheel(2)),
        (KeyCode::Digit3, Wish::Wheel(3)),
        (KeyCode::Digit4, Wish::Wheel(4)),
        (KeyCode::Enter, Wish::Begin),
        (KeyCode::KeyR, Wish::Again),
        (KeyCode::KeyN, Wish::Next),
        (KeyCode::Escape, Wish::Title),
    ];
    for (_, wish) in KEYS.iter().filter(|(key, _)| keys.just_pressed(*key)) {
        commands.trigger(*wish);
    }
}

#[cfg(feature = "gamepad")]
fn press_buttons(mut commands: Commands, gamepads: Query<&Gamepad>) {
    const BUTTONS: [(GamepadButton, Wish); 7] = [
        (GamepadButton::South, Wish::Wheel(1)),
        (GamepadButton::East, Wish::Wheel(2)),
        (GamepadButton::West, Wish::Wheel(3)),
        (GamepadButton::Start, Wish::Begin),
        (GamepadButton::North, Wish::Again),
        (GamepadButton::RightTrigger, Wish::Next),
        (GamepadButton::Select, Wish::Title),
    ];
    for gamepad in &gamepads {
        for (_, wish) in BUTTONS.iter().filter(|(button, _)| gamepad.just_pressed(*button)) {
            commands.trigger(*wish);
        }
    }
}

/// A click or a touch begins, and works the wheel that is there.
fn point(
    mut commands: Commands,
    buttons: Res<ButtonInput<MouseButton>>,
    touches: Res<Touches>,
    window: Single<&Window, With<PrimaryWindow>>,
    camera: Single<(&Camera, &GlobalTransform)>,
    game: Res<Game>,
    levers: Query<(&Lever, &GlobalTransform)>,
) {
    let clicked = window.cursor_position().filter(|_| buttons.just_pressed(MouseButton::Left));
    let touched = touches.iter_just_pressed().next().map(|touch| touch.position());
    let Some(at) = clicked.or(touched) else { return };
    if !game.is_played || game.is_won() {
        commands.trigger(Wish::Begin);
        return;
    }
    let (camera, view) = *camera;
    let Ok(at) = camera.viewport_to_world_2d(view, at) else { return };
    let nearest = levers
        .iter()
        .map(|(lever, place)| (place.translation().truncate().distance(at), lever.number))
        .filter(|(distance, _)| *distance < REACH)
        .min_by(|(one, _), (other, _)| one.total_cmp(other));
    if let Some((_, number)) = nearest {
        commands.trigger(Wish::Wheel(number));
    }
}
