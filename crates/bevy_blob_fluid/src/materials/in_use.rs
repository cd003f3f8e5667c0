//! The materials that are in use, and their classes.

use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use blob_fluid::{ClassId, ClassPair, DensityClass};

use super::asset::FluidMaterialAsset;
use crate::simulation::FluidClasses;

/// The materials in use.
#[derive(Resource, Reflect, Clone, Debug, Default)]
#[reflect(opaque, Resource, Default, Debug)]
pub struct FluidMaterials {
    /// Assets in the order of their requests.
    pub(super) handles: Vec<Handle<FluidMaterialAsset>>,
    /// Names of the classes of the materials in use.
    pub(super) names: HashMap<AssetId<FluidMaterialAsset>, String>,
    /// What the materials have brought into the classes.
    pub(super) brought: Brought,
    pub(super) loading: bool,
}

/// The classes and pairs of materials.
#[derive(Clone, Debug, Default)]
pub(super) struct Brought {
    pub classes: Vec<DensityClass>,
    pub pairs: Vec<ClassPair>,
}

impl FluidMaterials {
    /// Requests a material. Its class is added when the material and all that it turns into are
    /// loaded.
    ///
    /// ```
    /// use bevy::prelude::*;
    /// use bevy_blob_fluid::prelude::*;
    ///
    /// fn setup(assets: Res<AssetServer>, mut materials: ResMut<FluidMaterials>) {
    ///     materials.request(FluidMadeOf::LAVA.0);
    ///     materials.request(assets.load("materials/sap.fluid.ron"));
    /// }
    /// ```
    pub fn request(&mut self, material: Handle<FluidMaterialAsset>) {
        if !self.handles.contains(&material) {
            self.handles.push(material);
            self.loading = true;
        }
    }

    /// Whether a requested material is still being loaded.
    ///
    /// While it is true, no class of a new material is added.
    pub fn are_loading(&self) -> bool {
        self.loading
    }

    /// The assets that a class of a name came from, in the order of their requests: none for a class
    /// that no material brought.
    ///
    /// ```
    /// use bevy::prelude::*;
    /// use bevy_blob_fluid::prelude::*;
    ///
    /// /// Whether a class follows a file, so that edits of it belong into the asset.
    /// fn has_a_file(class: &str, materials: &FluidMaterials) -> bool {
    ///     materials.assets_of(class).next().is_some()
    /// }
    ///
    /// assert!(!has_a_file("water", &FluidMaterials::default()));
    /// ```
    pub fn assets_of<'a>(
        &'a self,
        class: &'a str,
    ) -> impl Iterator<Item = AssetId<FluidMaterialAsset>> + 'a {
        let ids = self.handles.iter().map(Handle::id);
        ids.filter(move |id| self.names.get(id).is_some_and(|name| name == class))
    }

    /// The class of a material, once the material is in use.
    pub fn class(
        &self,
        material: &Handle<FluidMaterialAsset>,
        classes: &FluidClasses,
    ) -> Option<ClassId> {
        classes.find(self.names.get(&material.id())?)
    }
}
