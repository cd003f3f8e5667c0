//! The app that tests of assets run in.

use std::path::Path;

use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_blob_fluid::prelude::*;

/// An app without window or renderer that loads from this folder, to be finished by the test.
pub fn app_with_assets(folder: &Path) -> App {
    let mut app = App::new();
    let assets = AssetPlugin {
        file_path: folder.display().to_string(),
        watch_for_changes_override: Some(false),
        ..default()
    };
    app.add_plugins((MinimalPlugins, TransformPlugin, assets, BlobFluidPlugins::default()))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    app
}
