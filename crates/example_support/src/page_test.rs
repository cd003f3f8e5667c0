//! The app of the hidden tests of the guide's pages.

use bevy::app::Plugins;
use bevy::input::InputPlugin;
use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;

/// An app without a window, for the hidden test of a page: Bevy's smallest plugins, the liquid's, and those of the page.
/// An update is a tick. The materials that the page uses have been loaded.
pub fn headless<M>(page: impl Plugins<M>) -> App {
    let plugins = (MinimalPlugins, AssetPlugin::default(), TransformPlugin, InputPlugin);
    let mut app = bevy_blob_fluid::testing::headless((plugins, BlobFluidPlugins::default(), page));
    while app.world().resource::<FluidMaterials>().are_loading() {
        app.update();
    }
    app
}
