//! Folders of files, and apps that load assets from them.
#![allow(dead_code, reason = "each program uses its own part")]

use std::fs;
use std::path::{Path, PathBuf};

use bevy::asset::{Asset, AssetLoadFailedEvent};

use crate::app::*;

/// The workspace's assets.
pub const ASSETS: &str = "../../assets";

/// A folder of its own for a test's files, removed when dropped.
pub struct Folder(pub PathBuf);

impl Folder {
    /// An empty folder; `test` differs from that of other tests.
    pub fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("blob_fluid_{test}_{}", std::process::id()));
        fs::create_dir_all(&path).expect("a temporary folder");
        Self(path)
    }

    /// Writes a file, in a folder within it as its name says.
    pub fn write(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a temporary folder");
        fs::write(path, text).expect("writable");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Errors of a loader, as the asset server reports them.
#[derive(Resource, Default)]
pub struct Errors(pub Vec<String>);

/// An app without window or renderer that loads from this folder, to be finished by the test. It
/// keeps the errors of loading `A`.
pub fn app_with_assets<A: Asset>(folder: &Path) -> App {
    let assets = AssetPlugin {
        file_path: folder.display().to_string(),
        watch_for_changes_override: Some(false),
        ..default()
    };
    let mut app = app_of((assets, BlobFluidPlugins::default()));
    app.init_resource::<Errors>().add_systems(
        Last,
        |mut failed: MessageReader<AssetLoadFailedEvent<A>>, mut errors: ResMut<Errors>| {
            errors.0.extend(failed.read().map(|event| event.error.to_string()));
        },
    );
    app
}
