//! A liquid as an asset.

use bevy::prelude::*;
use blob_fluid::material::Material;

/// A liquid as an asset: a [`Material`] that comes with the plugin, or one from a `*.fluid.ron`
/// file.
///
/// It is used once an entity has it ([`FluidMadeOf`](crate::FluidMadeOf)) or the game requests it
/// ([`FluidMaterials::request`](crate::FluidMaterials::request)). Its class is then found in [`FluidClasses`](crate::FluidClasses) by its name, and
/// replaces another class of that name. The materials that it turns into are loaded from the files
/// beside its own; those that come with the plugin turn into one another. If Bevy watches files,
/// changes of the file are applied while the game runs. An invalid file is an error with line and
/// column in the log, and the last valid material stays in use.
#[derive(Asset, TypePath, Clone, Debug, PartialEq, Deref)]
pub struct FluidMaterialAsset(pub Material);
