//! Bevy's plugins, chosen by the command line and by the abilities of the machine.

use std::path::Path;

use bevy::app::PluginGroupBuilder;
use bevy::asset::AssetMetaCheck;
#[cfg(feature = "sound")]
use bevy::audio::AudioPlugin;
use bevy::prelude::*;

#[cfg(not(target_arch = "wasm32"))]
use crate::native::chosen_plugins;
#[cfg(target_arch = "wasm32")]
use crate::page::chosen_plugins;

/// Bevy's default plugins, plus the command line of every example ([`Arguments`](crate::Arguments)).
///
/// If a window is requested without a display or graphics adapter, the program simulates without
/// drawing. It prints one line, and saves a picture drawn by the CPU.
#[derive(Clone, Copy, Debug, Default)]
pub struct DefaultPlugins;

impl PluginGroup for DefaultPlugins {
    fn build(self) -> PluginGroupBuilder {
        let (group, scene) = chosen_plugins();
        // The assets have no meta files, and a browser would request one for each asset.
        let meta_check = AssetMetaCheck::Never;
        let assets = AssetPlugin { file_path: assets_folder(), meta_check, ..default() };
        let group = group.set(assets);
        // An example with sound adds the plugin itself. Few have sound, and browsers ask before they let a page play
        // it.
        #[cfg(feature = "sound")]
        let group =
            if group.contains::<AudioPlugin>() { group.disable::<AudioPlugin>() } else { group };
        group.add(move |app: &mut App| {
            app.insert_resource(RequestedScene(scene.clone())).add_systems(Startup, refuse_scene);
        })
    }
}

/// The first scene, from the command line (`--scene NAME`) or the page's address (`?scene=NAME`). An example with
/// several scenes takes it before `Startup`.
#[derive(Resource, Clone, Debug, Default)]
pub struct RequestedScene(pub Option<String>);

/// A request that is left at `Startup` belongs to an example without scenes.
fn refuse_scene(requested: Res<RequestedScene>) {
    if let Some(wanted) = &requested.0 {
        refuse(&format!("there is no scene `{wanted}`; there are none"));
    }
}

/// Ends the program with an error about its command line. A page in a browser continues, and warns in its console.
pub fn refuse(error: &str) {
    if cfg!(target_arch = "wasm32") {
        warn!("{error}");
    } else {
        eprintln!("error: {error}");
        std::process::exit(2);
    }
}

/// The folder of the checkout's assets, independently of the working directory. If the checkout has moved since the
/// program was compiled, it is `assets` in the working directory, or else the folder beside the program.
fn assets_folder() -> String {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets");
    let found = checkout.canonicalize().or_else(|_| Path::new("assets").canonicalize());
    found.map_or("assets".into(), |folder| folder.display().to_string())
}
