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
        LavaAndIce: "lava_and_ice.md",
        Levels: "levels.md",
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
mod gpu;
mod hud;
#[cfg(not(target_arch = "wasm32"))]
mod native;
#[cfg(any(test, target_arch = "wasm32"))]
mod page;
#[cfg(not(target_arch = "wasm32"))]
mod page_test;
mod plugins;
#[cfg(target_arch = "wasm32")]
mod still;
mod wait;

#[cfg(not(target_arch = "wasm32"))]
pub use native::{Arguments, Picture, PictureSize};
#[cfg(not(target_arch = "wasm32"))]
pub use page_test::{Pointer, headless, pool, startup};
pub use plugins::{DefaultPlugins, RequestedScene, refuse};
