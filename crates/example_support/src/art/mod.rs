//! An art kit for small games, to copy: skies, silhouettes, lamps, a vignette, and walls with light and shadow.
//! Everything is a mesh with a colour at each corner, without images and shaders.
//!
//! ```no_run
//! use bevy::prelude::*;
//! use bevy_blob_fluid::prelude::*;
//! use example_support::art::{Painter, ShadedWalls, Silhouette};
//!
//! App::new()
//!     .add_plugins((DefaultPlugins, BlobFluidPlugins::default(), ShadedWalls::default()))
//!     .add_systems(PostStartup, |mut painter: Painter| {
//!         let (night, dusk) = (Color::srgb(0.1, 0.1, 0.3), Color::srgb(0.9, 0.5, 0.4));
//!         painter.sky(&[(-100.0, dusk), (400.0, night)]);
//!         painter.ridge(Silhouette::Hills, [-400.0, 300.0], [night, dusk]);
//!         painter.vignette(Vec2::new(1000.0, 750.0), 0.5);
//!     })
//!     .run();
//! ```

mod hud;
mod painter;
mod walls;

pub use hud::Hud;
pub use painter::{Painted, Painter, Silhouette, slab};
pub use walls::ShadedWalls;
