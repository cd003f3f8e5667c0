//! Reads materials.

use bevy::asset::io::Reader;
use bevy::asset::{AssetLoader, LoadContext};
use bevy::prelude::*;
use blob_fluid::material::{Material, MaterialError};
use thiserror::Error;

use super::asset::FluidMaterialAsset;

/// Reads `*.fluid.ron` files.
#[derive(Default, TypePath)]
pub struct FluidMaterialLoader;

/// Why a material file could not be loaded.
#[derive(Debug, Error)]
pub enum FluidMaterialLoaderError {
    /// The file could not be read.
    #[error("{path}: {error}")]
    Read {
        /// The file.
        path: String,
        /// Error of the asset reader.
        error: std::io::Error,
    },
    /// The file is not a material; the error begins with line and column.
    #[error("{path}:{error}")]
    Material {
        /// The file.
        path: String,
        /// Error in its text.
        error: MaterialError,
    },
}

impl AssetLoader for FluidMaterialLoader {
    type Asset = FluidMaterialAsset;
    type Settings = ();
    type Error = FluidMaterialLoaderError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        _settings: &(),
        context: &mut LoadContext<'_>,
    ) -> Result<FluidMaterialAsset, FluidMaterialLoaderError> {
        let path = || context.path().to_string();
        let mut bytes = Vec::new();
        let read = reader.read_to_end(&mut bytes).await;
        read.map_err(|error| FluidMaterialLoaderError::Read { path: path(), error })?;
        let material = Material::from_bytes(&bytes);
        let material =
            material.map_err(|error| FluidMaterialLoaderError::Material { path: path(), error })?;
        Ok(FluidMaterialAsset(material))
    }

    fn extensions(&self) -> &[&str] {
        &["fluid.ron"]
    }
}
