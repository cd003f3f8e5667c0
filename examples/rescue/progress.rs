//! How far a player has come, kept from one day to the next: in a file natively, by the browser on a page.

use bevy::prelude::*;
use bevy_settings::{ReflectSettingsGroup, SaveSettingsDeferred, SettingsGroup, SettingsPlugin};

/// How far a player has come.
#[derive(Resource, Reflect, Default)]
#[reflect(Resource, SettingsGroup, Default)]
pub struct Progress {
    /// Number of levels that have been won.
    pub levels: usize,
}

impl SettingsGroup for Progress {
    fn settings_group_name() -> &'static str {
        "progress"
    }

    fn settings_key_name() -> Option<&'static str> {
        None
    }

    fn settings_source() -> Option<&'static str> {
        None
    }
}

pub(crate) fn plugin(app: &mut App) {
    app.register_type::<Progress>()
        .add_plugins(SettingsPlugin::new("bevy_blob_fluid.rescue"))
        .add_systems(Update, keep);
}

fn keep(mut commands: Commands, progress: Res<Progress>) {
    if progress.is_changed() && !progress.is_added() {
        commands.queue(SaveSettingsDeferred::default());
    }
}
