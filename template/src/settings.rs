//! What a player may choose.

use bevy::prelude::*;

/// What a player may choose.
#[derive(Resource, Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// How loud it is, 0 to 10.
    pub volume: u8,
}

impl Default for Settings {
    fn default() -> Self {
        Self { volume: 6 }
    }
}

pub(crate) fn plugin(app: &mut App) {
    app.init_resource::<Settings>().add_systems(Update, change);
}

fn change(keys: Res<ButtonInput<KeyCode>>, mut settings: ResMut<Settings>) {
    if keys.just_pressed(KeyCode::Minus) {
        settings.volume = settings.volume.saturating_sub(1);
    }
    if keys.just_pressed(KeyCode::Equal) {
        settings.volume = (settings.volume + 1).min(10);
    }
}
