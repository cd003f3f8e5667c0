//! How far a player has come, kept from one day to the next: in a file natively, by the browser on a page.

use bevy::prelude::*;
use bevy_settings::{ReflectSettingsGroup, SaveSettingsDeferred, SettingsGroup, SettingsPlugin};

/// How many levels have been won.
#[derive(Resource, SettingsGroup, Reflect, Default)]
#[reflect(Resource, SettingsGroup, Default)]
pub(crate) struct Progress {
    pub levels: usize,
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
