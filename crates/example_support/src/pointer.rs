//! The mouse in the world, as a resource, so that a script can play a game as well.

use bevy::prelude::*;
use bevy::window::PrimaryWindow;

use crate::tap::pointed_at;

/// The mouse, in the world.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq)]
pub struct Pointer {
    /// Its position, in world units; `None` outside of the window.
    pub position: Option<Vec2>,
    /// Whether its left button is held.
    pub pressed: bool,
}

/// Keeps [`Pointer`] up to date while there is a window.
#[derive(Clone, Copy, Debug, Default)]
pub struct PointerPlugin;

impl Plugin for PointerPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Pointer>().add_systems(PreUpdate, follow);
    }
}

fn follow(
    windows: Query<&Window, With<PrimaryWindow>>,
    cameras: Query<(&Camera, &GlobalTransform)>,
    buttons: Option<Res<ButtonInput<MouseButton>>>,
    mut pointer: ResMut<Pointer>,
) {
    if windows.is_empty() {
        return;
    }
    let pressed = buttons.is_some_and(|buttons| buttons.pressed(MouseButton::Left));
    *pointer = Pointer { position: pointed_at(&windows, &cameras), pressed };
}
