//! The app that tests of the scene run in.

use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_blob_fluid::prelude::*;

/// An app without window or renderer in which every update is one fixed step, with these settings.
pub fn headless(settings: FluidSettings) -> App {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, BlobFluidPlugins::default()))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .insert_resource(settings);
    app.finish();
    app.cleanup();
    // The first update only starts the clocks.
    app.update();
    app
}

/// The liquid.
pub fn fluid(app: &App) -> &FluidSimulation {
    app.world().resource::<FluidSimulation>()
}
