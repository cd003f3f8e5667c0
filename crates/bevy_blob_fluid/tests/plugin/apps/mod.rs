//! The plugin in apps without a window or a renderer.

mod air;
#[cfg(feature = "snapshot")]
mod any_order;
mod blasts;
mod bodies;
mod clock;
mod forces;
#[cfg(feature = "picture")]
mod images;
mod materials;
mod plugin;
mod pools;
mod recording;
#[cfg(feature = "ggrs")]
mod rollback;
mod scene_files;
mod sensors;
#[cfg(feature = "snapshot")]
mod snapshots;
mod solids;
mod sources;
#[cfg(feature = "snapshot")]
mod streaming;
mod tiles;
mod wear;
