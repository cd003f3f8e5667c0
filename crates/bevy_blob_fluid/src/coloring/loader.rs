//! Reads gradients.

use bevy::asset::io::Reader;
use bevy::asset::{AssetLoader, LoadContext};
use bevy::prelude::*;
use thiserror::Error;

use super::gradient::{FluidGradient, FluidGradientError};

/// Reads `*.gradient.ron` files.
#[derive(Default, TypePath)]
pub struct FluidGradientLoader;

/// Why a gradient file could not be loaded.
#[derive(Debug, Error)]
pub enum FluidGradientLoaderError {
    /// The file could not be read.
    #[error("{path}: {error}")]
    Read {
        /// The file.
        path: String,
        /// Error of the asset reader.
        error: std::io::Error,
    },
    /// The file is not a gradient.
    #[error("{path}:{error}")]
    Gradient {
        /// The file.
        path: String,
        /// Error in its text.
        error: FluidGradientError,
    },
}

impl AssetLoader for FluidGradientLoader {
    type Asset = FluidGradient;
    type Settings = ();
    type Error = FluidGradientLoaderError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        _settings: &(),
        context: &mut LoadContext<'_>,
    ) -> Result<FluidGradient, FluidGradientLoaderError> {
        let path = || context.path().to_string();
        let mut bytes = Vec::new();
        let read = reader.read_to_end(&mut bytes).await;
        read.map_err(|error| FluidGradientLoaderError::Read { path: path(), error })?;
        let text = str::from_utf8(&bytes).map_err(|_| FluidGradientError::NotText);
        let gradient = text.and_then(FluidGradient::from_ron);
        gradient.map_err(|error| FluidGradientLoaderError::Gradient { path: path(), error })
    }

    fn extensions(&self) -> &[&str] {
        &["gradient.ron"]
    }
}
