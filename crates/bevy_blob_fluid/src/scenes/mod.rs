//! Scenes as assets: whole worlds described in `*.scene.ron` files, each shown by an entity.

mod show;

use std::collections::VecDeque;

use bevy::asset::io::Reader;
use bevy::asset::{AssetLoader, AssetPath, LoadContext, LoadDirectError, ParseAssetPathError};
use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleLabel};
use bevy::prelude::*;
use blob_fluid::material::Material;
use blob_fluid::scene::{Scene, SceneError};
use thiserror::Error;

use crate::materials::FluidMaterialAsset;
use crate::schedule::{FluidEntitySystems, FluidSystems};
use crate::simulation::RestartApp;

#[cfg(feature = "snapshot")]
pub(crate) use show::SolidMotion;
pub use show::{FluidSceneAsset, FluidSceneRoot, FluidSceneShown};

/// Loads scenes and shows them. This plugin needs Bevy's asset plugin and the plugins
/// [`FluidMaterialPlugin`](crate::FluidMaterialPlugin), [`FluidSolidsPlugin`](crate::FluidSolidsPlugin) and
/// [`FluidAirPlugin`](crate::FluidAirPlugin). In an app without assets, this plugin does nothing.
#[derive(Clone, Debug)]
pub struct FluidSceneFilePlugin {
    schedule: InternedScheduleLabel,
}

impl FluidSceneFilePlugin {
    /// The plugin for a fluid that is simulated in the given schedule.
    pub fn new(schedule: impl ScheduleLabel) -> Self {
        Self { schedule: schedule.intern() }
    }
}

impl Default for FluidSceneFilePlugin {
    fn default() -> Self {
        Self::new(FixedPostUpdate)
    }
}

impl Plugin for FluidSceneFilePlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<show::SceneRoots>()
            .register_type::<FluidSceneRoot>()
            .register_type::<FluidSceneShown>()
            .add_observer(show::add_root)
            .add_observer(show::remove_root)
            .on_restart(show::start_over);
    }

    /// Runs in `finish`, after all plugins are added.
    fn finish(&self, app: &mut App) {
        if !app.world().contains_resource::<AssetServer>() {
            return;
        }
        app.init_asset::<FluidSceneAsset>()
            .init_asset_loader::<FluidSceneLoader>()
            .register_type::<Handle<FluidSceneAsset>>()
            .add_systems(
                self.schedule,
                (
                    (show::show_scene, show::move_solids)
                        .chain()
                        .in_set(FluidEntitySystems::Scenes),
                    // By then the solids of the scene are in the simulation.
                    show::fill_scene
                        .in_set(FluidSystems::SyncEntities)
                        .in_set(SceneBlocks)
                        .after(FluidEntitySystems::Pools)
                        .before(FluidEntitySystems::Blobs),
                ),
            );
    }
}

/// Fills the blocks of scenes.
#[derive(SystemSet, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SceneBlocks;

// Reads scenes.

/// Reads `*.scene.ron` files.
#[derive(Default, TypePath)]
pub struct FluidSceneLoader;

/// The error of loading a scene file.
#[derive(Debug, Error)]
pub enum FluidSceneLoaderError {
    /// The file could not be read.
    #[error("{path}: {error}")]
    Read {
        /// The file.
        path: String,
        /// Error of the asset reader.
        error: std::io::Error,
    },
    /// The file is not UTF-8.
    #[error("{path}: {error}")]
    NotText {
        /// The file.
        path: String,
        /// Position of the first invalid byte.
        error: std::str::Utf8Error,
    },
    /// The file is not a scene; the error names line and column.
    #[error("{path}: {error}")]
    Scene {
        /// The file.
        path: String,
        /// Error in its text.
        error: SceneError,
    },
    /// The name of a material is not valid in a path.
    #[error("{path}: material `{name}`: {error}")]
    Name {
        /// The file.
        path: String,
        /// The name.
        name: String,
        /// Error in the name.
        error: ParseAssetPathError,
    },
    /// A material could not be loaded.
    #[error("{path}: material `{name}`: {error}")]
    Material {
        /// The file.
        path: String,
        /// The material.
        name: String,
        /// The error.
        error: Box<LoadDirectError>,
    },
}

impl AssetLoader for FluidSceneLoader {
    type Asset = FluidSceneAsset;
    type Settings = ();
    type Error = FluidSceneLoaderError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        _settings: &(),
        context: &mut LoadContext<'_>,
    ) -> Result<FluidSceneAsset, FluidSceneLoaderError> {
        let scene_path = context.path().clone();
        let path = || scene_path.to_string();
        let mut bytes = Vec::new();
        let read = reader.read_to_end(&mut bytes).await;
        read.map_err(|error| FluidSceneLoaderError::Read { path: path(), error })?;
        let text = std::str::from_utf8(&bytes)
            .map_err(|error| FluidSceneLoaderError::NotText { path: path(), error })?;
        let mut scene = Scene::from_ron(text)
            .map_err(|error| FluidSceneLoaderError::Scene { path: path(), error })?;
        scene.material_contents = load_materials(&scene_path, &scene.materials, context).await?;
        Ok(FluidSceneAsset(scene))
    }

    fn extensions(&self) -> &[&str] {
        &["scene.ron"]
    }
}

/// Loads the materials with these names and all materials into which they turn, in the same order as
/// [`read_materials`](blob_fluid::material::read_materials).
async fn load_materials(
    scene_path: &AssetPath<'static>,
    names: &[String],
    context: &mut LoadContext<'_>,
) -> Result<Vec<Material>, FluidSceneLoaderError> {
    let mut materials: Vec<Material> = Vec::new();
    let mut wanted: VecDeque<String> = names.iter().cloned().collect();
    while let Some(name) = wanted.pop_front() {
        if materials.iter().any(|material| material.class.name == name) {
            continue;
        }
        let path = scene_path.to_string();
        let file = match scene_path.resolve_embed_str(&format!("../materials/{name}.fluid.ron")) {
            Ok(file) => file,
            Err(error) => return Err(FluidSceneLoaderError::Name { path, name, error }),
        };
        match context.load_builder().load_value::<FluidMaterialAsset>(file).await {
            Ok(loaded) => {
                let FluidMaterialAsset(material) = loaded.take();
                wanted.extend(material.products(materials.iter()).map(str::to_owned));
                materials.push(material);
            }
            Err(error) => {
                let error = Box::new(error);
                return Err(FluidSceneLoaderError::Material { path, name, error });
            }
        }
    }
    Ok(materials)
}
