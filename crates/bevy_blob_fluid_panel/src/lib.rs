//! A panel for [`bevy_blob_fluid`]: every setting, pouring, graphs, and a doctor.
//!
//! Add [`FluidPanelPlugin`] beside [`BlobFluidPlugins`](bevy_blob_fluid::BlobFluidPlugins), after Bevy's own plugins.
//! F1 opens and closes the panel.
//!
//! ```no_run
//! use bevy::prelude::*;
//! use bevy_blob_fluid::prelude::*;
//! use bevy_blob_fluid_panel::FluidPanelPlugin;
//!
//! App::new()
//!     .add_plugins((DefaultPlugins, BlobFluidPlugins::default(), FluidPanelPlugin::default()))
//!     .run();
//! ```
//!
//! | for | use |
//! |---|---|
//! | opening and hiding the panel, its corner, its page, its size | [`FluidPanel`] |
//! | the tools of the pointer | [`FluidTools`], [`FluidPointer`] |
//! | offering scenes, and starting over | [`FluidPanelScenes`], [`FluidScenePicked`], [`FluidRestartRequested`] |
//! | drawing the panel into your own egui context, without a window | [`show`] |
//!
//! The panel uses only the public interface of the plugin, so it may serve as a model for your own tools.
//!
//! | file or folder | contents |
//! |---|---|
//! | `plugin.rs` | the panel as a whole: header, time, tools and tabs |
//! | `form.rs`, `style.rs` | rows of controls, and their style |
//! | `time.rs`, `tools.rs` | the controls that are always visible |
//! | `state.rs` | the state of the panel, stepping back, and recordings |
//! | `tabs` | the pages |
//! | `pointer.rs` | the pointer, and the effects of its tools on the liquid |
//!
//! # Features
//!
//! - `debug`: switches for the layers of the debug drawing, in an app with
//!   `FluidDebugPlugin`.

mod form;
mod plugin;
pub(crate) mod pointer;
mod state;
mod style;
mod tabs;
mod time;
mod tools;

pub use plugin::{FluidPanelPlugin, show};
pub use pointer::FluidPointer;
pub use state::{FluidPanel, FluidPanelCorner, FluidPanelTab};
pub use time::{FluidPanelScenes, FluidRestartRequested, FluidScenePicked};
pub use tools::{FluidTool, FluidTools};
