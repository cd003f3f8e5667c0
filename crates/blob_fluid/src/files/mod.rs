//! Files: liquids (materials) and worlds (scenes) as RON data.

#[cfg(feature = "scene")]
pub mod material;
#[cfg(feature = "scene")]
pub mod scene;
#[cfg(feature = "scene")]
mod scene_airs;
#[cfg(feature = "scene")]
mod scene_solids;
