//! The component that shows a scene, and the event that it is there.

use bevy::prelude::*;

use super::asset::FluidSceneAsset;

/// Shows a scene from a file once it has been loaded.
///
/// Its parameters and classes replace those in [`FluidSettings`](crate::FluidSettings) and
/// [`FluidClasses`](crate::FluidClasses), its containers and colliders become children of the
/// entity, and its liquid replaces all liquid. A [`FluidSceneShown`] follows. The scene's settling,
/// duration and tick rate are ignored.
///
/// There is one liquid, hence one scene. Of several roots the one that was inserted last is shown,
/// and the one before it when the last is removed. Removing the entity, or this component, removes
/// its solids and all liquid; settings and classes stay. The entity's [`Transform`] places the
/// scene at the moment when it is shown. A scaled transform is warned about, and the scene is not
/// shown until the scale is 1; what was shown before stays.
///
/// When the file changes, the scene is shown again from its beginning; when only its materials
/// change, these are applied. An impossible scene is warned about, and the last one stays.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands, assets: Res<AssetServer>) {
///     let scene = assets.load("scenes/lava_meets_water.scene.ron");
///     commands.spawn(FluidSceneRoot(scene)).observe(|shown: On<FluidSceneShown>| {
///         info!("{} is there", shown.entity);
///     });
/// }
/// ```
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
#[component(immutable)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform)]
#[cfg_attr(feature = "render", require(Visibility))]
pub struct FluidSceneRoot(pub Handle<FluidSceneAsset>);

/// The scene of a [`FluidSceneRoot`] has been set up, and its first tick is next.
#[derive(EntityEvent, Reflect, Clone, Copy, Debug, PartialEq, Eq)]
#[reflect(Debug, PartialEq)]
pub struct FluidSceneShown {
    /// The entity with the [`FluidSceneRoot`].
    pub entity: Entity,
}
