//! Held keys without a window, so that pictures show games in play.

use bevy::input::InputSystems;
use bevy::prelude::*;

/// Holds these keys down in every frame.
pub(crate) struct HeldKeysPlugin(pub Vec<KeyCode>);

impl Plugin for HeldKeysPlugin {
    fn build(&self, app: &mut App) {
        let held = self.0.clone();
        let hold = move |mut keys: ResMut<ButtonInput<KeyCode>>| {
            held.iter().for_each(|key| keys.press(*key));
        };
        app.add_systems(PreUpdate, hold.after(InputSystems));
    }
}
