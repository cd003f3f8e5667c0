//! Support for the repository's examples that a game does not need: a command line, offscreen pictures, and runs
//! without drawing. Machines without a screen or graphics adapter get a fallback. The crate also has an [art kit](art),
//! which a game may copy.
//!
//! An example imports [`DefaultPlugins`] from here, which hides Bevy's own. Without that line it is
//! a program for any project. Without arguments it opens a window; see [`Arguments`] for the
//! options. A program for a browser does not contain the command line.

/// The first steps. Their own test plays them.
#[cfg(test)]
#[expect(dead_code, reason = "`main` opens a window")]
mod start {
    include!(concat!(env!("OUT_DIR"), "/start.rs"));
}

/// Compiles the snippets of the guide and of some references, and runs most of them. The build script adds the lines
/// that the pages hide.
#[cfg(doctest)]
mod guide {
    macro_rules! pages {
        ($($page:ident: $file:literal,)*) => {
            $(#[doc = include_str!(concat!(env!("OUT_DIR"), "/", $file))] struct $page;)*
        };
    }
    pages! {
        Air: "air.md",
        Cameras: "cameras.md",
        CustomLook: "custom_look.md",
        Faults: "faults.md",
        Fires: "fires.md",
        Fog: "fog.md",
        Forces: "forces.md",
        Gate: "gate.md",
        Gpu: "gpu.md",
        Grates: "grates.md",
        Honey: "honey.md",
        Itch: "itch.md",
        Lakes: "lakes.md",
        LavaAndIce: "lava_and_ice.md",
        Levels: "levels.md",
        Materials: "materials.md",
        Mix: "mix.md",
        Mouse: "mouse.md",
        Outlines: "outlines.md",
        OwnMaterial: "own_material.md",
        Paint: "paint.md",
        ParticleSize: "particle_size.md",
        Phones: "phones.md",
        Pictures: "pictures.md",
        Plumbing: "plumbing.md",
        Pour: "pour.md",
        Rendering: "rendering.md",
        Saving: "saving.md",
        Scenes: "scenes.md",
        Scrolling: "scrolling.md",
        Snapshots: "snapshots.md",
        Splashes: "splashes.md",
        Swim: "swim.md",
        Systems: "systems.md",
        Testing: "testing.md",
        Tiles: "tiles.md",
        TopDown: "top_down.md",
        Vehicle: "vehicle.md",
        Waterfall: "waterfall.md",
        WrapAround: "wrap_around.md",
    }

    #[cfg(all(feature = "avian2d", feature = "rapier2d"))]
    pages! { Bodies: "bodies.md", }

    #[cfg(feature = "ggrs")]
    pages! { Match: "match.md", }
}

pub mod art;
#[cfg(not(target_arch = "wasm32"))]
mod native;
#[cfg(any(test, target_arch = "wasm32"))]
mod page;
#[cfg(not(target_arch = "wasm32"))]
mod page_test;
mod run;
#[cfg(target_arch = "wasm32")]
mod still;

#[cfg(not(target_arch = "wasm32"))]
pub use native::{Arguments, Picture, PictureSize};
#[cfg(not(target_arch = "wasm32"))]
pub use page_test::{Pointer, headless, pool, startup};

use std::path::Path;

use bevy::app::PluginGroupBuilder;
use bevy::asset::AssetMetaCheck;
#[cfg(feature = "sound")]
use bevy::audio::AudioPlugin;
use bevy::prelude::*;

#[cfg(not(target_arch = "wasm32"))]
use native::chosen_plugins;
#[cfg(target_arch = "wasm32")]
use page::chosen_plugins;

// Bevy's plugins, chosen by the command line and by the abilities of the machine.

/// Bevy's default plugins, plus the command line of every example ([`Arguments`]).
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
