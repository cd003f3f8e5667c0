//! What the repository's examples have and a game has not: a command line, offscreen pictures, runs
//! without drawing, and a fallback for machines without a screen or graphics adapter. And an [art kit](art),
//! which a game may copy.
//!
//! An example imports [`DefaultPlugins`] from here, which hides Bevy's own. Without that line it is
//! a program for any project. Started without arguments it opens a window; see [`Arguments`] for
//! the rest. In a browser there is no command line, and nothing of it is in the program.

/// The first steps are played by their own test.
#[cfg(test)]
#[expect(dead_code, reason = "`main` opens a window")]
mod start {
    include!(concat!(env!("OUT_DIR"), "/start.rs"));
}

/// The recipes compile.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/games.md")]
struct Games;

/// So does the page about saved games.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/saving.md")]
struct Saving;

/// The circuit runs.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/plumbing.md")]
struct Plumbing;

/// So does the page about physics engines.
#[cfg(all(doctest, feature = "avian2d", feature = "rapier2d"))]
#[doc = include_str!("../../../docs/bodies.md")]
struct Bodies;

pub mod art;
mod gpu;
mod hud;
#[cfg(not(target_arch = "wasm32"))]
mod native;
#[cfg(any(test, target_arch = "wasm32"))]
mod page;
mod plugins;
#[cfg(target_arch = "wasm32")]
mod still;
mod wait;

#[cfg(not(target_arch = "wasm32"))]
pub use native::{Arguments, Picture, PictureSize};
pub use plugins::{DefaultPlugins, RequestedScene, refuse};
