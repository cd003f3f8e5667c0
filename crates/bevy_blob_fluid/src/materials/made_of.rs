//! The component that says what liquid is made of.

use bevy::prelude::*;

use super::asset::FluidMaterialAsset;

/// The material of a [`FluidBlob`](crate::FluidBlob) or a [`FluidEmitter`](crate::FluidEmitter).
///
/// The constants are materials that come with the plugin and need no file. A blob of a material
/// from a file is filled when the material has been loaded.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands, assets: Res<AssetServer>) {
///     commands.spawn((FluidBlob::from(Circle::new(150.0)), FluidMadeOf::HONEY));
///     commands.spawn((
///         FluidEmitter::jet(40.0, 300.0),
///         FluidMadeOf(assets.load("materials/sap.fluid.ron")),
///     ));
/// }
/// ```
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
#[component(immutable)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct FluidMadeOf(pub Handle<FluidMaterialAsset>);
