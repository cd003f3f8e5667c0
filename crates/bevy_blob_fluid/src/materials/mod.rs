//! Materials as assets: built-in liquids, and liquids from `*.fluid.ron` files, which are loaded and
//! reloaded while the game runs.

mod in_use;

use std::marker::PhantomData;

use bevy::asset::io::Reader;
use bevy::asset::uuid::Uuid;
use bevy::asset::{AssetLoader, LoadContext};
use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleLabel};
use bevy::prelude::*;
use blob_fluid::material::{Material, MaterialError};
use thiserror::Error;

use crate::schedule::FluidSystems;
use crate::simulation::{RestartApp, sync_classes};

pub(crate) use in_use::FilteredClasses;
pub use in_use::{FluidClassFilter, FluidMadeOf, FluidMaterialAsset, FluidMaterials};

/// Adds the built-in materials to the assets, loads other materials from files, and adds the materials in use to the
/// classes. The plugin does nothing without Bevy's asset plugin.
#[derive(Clone, Debug)]
pub struct FluidMaterialPlugin {
    schedule: InternedScheduleLabel,
}

impl FluidMaterialPlugin {
    /// The plugin for a fluid that is simulated in the given schedule.
    pub fn new(schedule: impl ScheduleLabel) -> Self {
        Self { schedule: schedule.intern() }
    }
}

impl Default for FluidMaterialPlugin {
    fn default() -> Self {
        Self::new(FixedPostUpdate)
    }
}

impl Plugin for FluidMaterialPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<FluidMaterials>()
            .register_type::<FluidMaterials>()
            .register_type::<FluidMadeOf>()
            .add_observer(in_use::request_material)
            .on_restart(in_use::start_over);
    }

    /// Runs in `finish`, after all plugins are added.
    fn finish(&self, app: &mut App) {
        if !app.world().contains_resource::<AssetServer>() {
            return;
        }
        app.init_asset::<FluidMaterialAsset>();
        if let Err(error) = add_all(&mut app.world_mut().resource_mut()) {
            error!("fluid materials: {error}");
        }
        app.init_asset_loader::<FluidMaterialLoader>()
            .register_type::<Handle<FluidMaterialAsset>>()
            .add_systems(
                self.schedule,
                in_use::sync_materials.in_set(FluidSystems::SyncSettings).before(sync_classes),
            );
    }
}

// Reads materials.

/// Reads `*.fluid.ron` files.
#[derive(Default, TypePath)]
pub struct FluidMaterialLoader;

/// The error of loading a material file.
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

// Built-in materials, from the files in `built_in/`. `assets/materials` of the repository contains the
// same files for the examples, to be copied and changed.

macro_rules! text {
    ($name:literal) => {
        include_str!(concat!("built_in/", $name, ".fluid.ron"))
    };
}

/// Names and texts. The number of a material is its index.
const ALL: [(&str, &str); 19] = [
    ("ash", text!("ash")),
    ("coal", text!("coal")),
    ("glass", text!("glass")),
    ("gravel", text!("gravel")),
    ("honey", text!("honey")),
    ("ice", text!("ice")),
    ("jelly", text!("jelly")),
    ("lava", text!("lava")),
    ("mercury", text!("mercury")),
    ("mud", text!("mud")),
    ("oil", text!("oil")),
    ("sand", text!("sand")),
    ("slime", text!("slime")),
    ("smoke", text!("smoke")),
    ("snow", text!("snow")),
    ("steam", text!("steam")),
    ("stone", text!("stone")),
    ("water", text!("water")),
    ("wood", text!("wood")),
];

/// The identifier of the first material, a random number. The next ones follow it.
const FIRST_ID: u128 = 0x5c1f_0b8e_7d3a_4c66_9a41_e2d7_38b0_f500;

impl FluidMadeOf {
    /// Ash: light, floats on water, and lies in low heaps.
    pub const ASH: Self = Self::numbered(0);
    /// Coal: heaps up, burns where it gets hot, and leaves ash.
    pub const COAL: Self = Self::numbered(1);
    /// Glass: sand that lava has touched. Holds together, and sinks in water.
    pub const GLASS: Self = Self::numbered(2);
    /// Gravel: heavier than sand, and piles up more steeply.
    pub const GRAVEL: Self = Self::numbered(3);
    /// Honey: sinks in water, and flows slowly.
    pub const HONEY: Self = Self::numbered(4);
    /// Ice: keeps its shape, floats on water, and melts above 0 degrees.
    pub const ICE: Self = Self::numbered(5);
    /// Jelly: wobbles, and keeps its shape.
    pub const JELLY: Self = Self::numbered(6);
    /// Lava: thick, a thousand degrees hot. Turns to stone as it cools, and turns water to steam and sand to glass.
    pub const LAVA: Self = Self::numbered(7);
    /// Mercury: heavier than all other materials, forms beads, and flows more easily than all others.
    pub const MERCURY: Self = Self::numbered(8);
    /// Mud: heavy, slumps, and piles up where it is thrown.
    pub const MUD: Self = Self::numbered(9);
    /// Oil: floats on water and beads in it. Burns where it meets lava or fire.
    pub const OIL: Self = Self::numbered(10);
    /// Sand: piles up, runs through an hourglass, and sinks in water.
    pub const SAND: Self = Self::numbered(11);
    /// Slime: stretches, creeps, and draws itself together.
    pub const SLIME: Self = Self::numbered(12);
    /// Smoke: rises, curls, and spreads under the lid.
    pub const SMOKE: Self = Self::numbered(13);
    /// Snow: light, holds together, and melts to water above 0 degrees.
    pub const SNOW: Self = Self::numbered(14);
    /// Steam: rises, spreads, and rains when it has cooled.
    pub const STEAM: Self = Self::numbered(15);
    /// Stone: lava that has cooled. Holds together, and melts again at 900 degrees.
    pub const STONE: Self = Self::numbered(16);
    /// Water: the reference for all other materials. Boils at 100 degrees, with latent heat, and puts out fire.
    pub const WATER: Self = Self::numbered(17);
    /// Wood: keeps its shape, floats on water, burns where it gets hot, and leaves ash.
    pub const WOOD: Self = Self::numbered(18);

    /// Names of the built-in materials.
    pub const BUILT_IN: [&str; ALL.len()] = {
        let mut names = [""; ALL.len()];
        let mut index = 0;
        while index < ALL.len() {
            names[index] = ALL[index].0;
            index += 1;
        }
        names
    };

    /// A built-in material by its name ([`BUILT_IN`](Self::BUILT_IN)); `None` for any other name.
    ///
    /// ```
    /// use bevy_blob_fluid::prelude::*;
    /// assert_eq!(FluidMadeOf::built_in("lava"), Some(FluidMadeOf::LAVA));
    /// assert_eq!(FluidMadeOf::built_in("tar"), None);
    /// ```
    pub fn built_in(name: &str) -> Option<Self> {
        Self::BUILT_IN.iter().position(|built_in| *built_in == name).map(Self::numbered)
    }

    const fn numbered(index: usize) -> Self {
        Self(Handle::Uuid(Uuid::from_u128(FIRST_ID + index as u128), PhantomData))
    }

    /// Whether a handle is that of a built-in material.
    pub(super) fn is_built_in(handle: &Handle<FluidMaterialAsset>) -> bool {
        (0..ALL.len()).any(|index| Self::numbered(index).0 == *handle)
    }
}

/// Adds the built-in materials to the app's assets.
pub(super) fn add_all(assets: &mut Assets<FluidMaterialAsset>) -> Result {
    for (index, (_, text)) in ALL.into_iter().enumerate() {
        let material = FluidMaterialAsset(Material::from_ron(text)?);
        assets.insert(&FluidMadeOf::numbered(index).0, material)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_material_has_the_name_of_its_class() {
        for (name, text) in ALL {
            assert_eq!(Material::from_ron(text).expect(name).class.name, name);
        }
    }

    #[test]
    fn the_constants_have_the_names_of_their_materials() {
        let constants = [
            FluidMadeOf::ASH,
            FluidMadeOf::COAL,
            FluidMadeOf::GLASS,
            FluidMadeOf::GRAVEL,
            FluidMadeOf::HONEY,
            FluidMadeOf::ICE,
            FluidMadeOf::JELLY,
            FluidMadeOf::LAVA,
            FluidMadeOf::MERCURY,
            FluidMadeOf::MUD,
            FluidMadeOf::OIL,
            FluidMadeOf::SAND,
            FluidMadeOf::SLIME,
            FluidMadeOf::SMOKE,
            FluidMadeOf::SNOW,
            FluidMadeOf::STEAM,
            FluidMadeOf::STONE,
            FluidMadeOf::WATER,
            FluidMadeOf::WOOD,
        ];
        assert_eq!(FluidMadeOf::BUILT_IN.map(FluidMadeOf::built_in), constants.map(Some));
    }
}
