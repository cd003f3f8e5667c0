//! A scene as an asset.

use bevy::prelude::*;
use blob_fluid::scene::Scene;

/// A scene as an asset: a [`Scene`] from a `*.scene.ron` file, with the materials that it names and
/// all materials that these turn into, from the folder `materials` beside the scene's own folder.
#[derive(Asset, TypePath, Clone, Debug, PartialEq, Deref)]
pub struct FluidSceneAsset(pub Scene);
