//! The plugin in apps without a window or a renderer.

mod air;
#[cfg(feature = "snapshot")]
mod any_order;
mod blobs;
mod bodies;
mod churn;
mod clock;
mod diagnostics;
mod forces;
#[cfg(feature = "picture")]
mod images;
mod materials;
mod paint;
mod plugin;
mod plumbing;
mod readme;
mod recording;
mod refused;
mod restart;
#[cfg(feature = "ggrs")]
mod rollback;
mod scene_files;
mod sensors;
#[cfg(feature = "snapshot")]
mod snapshots;
#[cfg(feature = "render")]
mod solid_drawing;
mod solids;
mod sources;
#[cfg(feature = "text")]
mod text;
mod tiles;
mod transforms;
