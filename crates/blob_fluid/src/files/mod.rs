//! Liquids and worlds as files.

#[cfg(feature = "scene")]
pub mod material;
#[cfg(feature = "scene")]
pub mod scene;
