//! Files: liquids (materials) and worlds (scenes) as RON data.

#[cfg(feature = "scene")]
pub mod material;
#[cfg(feature = "scene")]
pub mod scene;
