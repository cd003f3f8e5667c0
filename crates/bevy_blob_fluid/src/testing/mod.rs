//! Support for a game's tests: an app without a window, fixed ticks, and pictures.
//!
//! `docs/testing.md` in the repository names the plugins of Bevy that such an app needs.

use bevy::app::{Plugins, PluginsState};
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;

#[cfg(feature = "render")]
mod picture;

#[cfg(feature = "render")]
pub use picture::{PictureError, picture};

/// Builds and starts an app with `plugins`. Every update is one fixed step and so one tick of the liquid: 1/64 s,
/// unless the game sets `Time<Fixed>`. The speed of the machine has no influence.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
/// use bevy_blob_fluid::testing::headless;
///
/// fn game(app: &mut App) {
///     app.add_systems(Startup, |mut commands: Commands| {
///         commands.spawn(FluidContainer::from(Circle::new(100.0)));
///         commands.spawn(FluidBlob::from(Circle::new(40.0)));
///     });
/// }
///
/// let mut app = headless((MinimalPlugins, TransformPlugin, BlobFluidPlugins::default(), game));
/// for _ in 0..64 {
///     app.update();
/// }
/// let fluid = app.world().resource::<FluidSimulation>();
/// assert_eq!(fluid.time(), 1.0);
/// let lowest = fluid.particles().positions().iter().map(|position| position.y).reduce(f32::min);
/// assert!(lowest.is_some_and(|lowest| lowest < -90.0), "it has fallen to the bottom");
/// ```
pub fn headless<M>(plugins: impl Plugins<M>) -> App {
    let mut app = App::new();
    app.add_plugins(plugins).insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    // Meanwhile, the renderer requests its adapter.
    while app.plugins_state() == PluginsState::Adding {
        bevy::tasks::tick_global_task_pools_on_main_thread();
    }
    app.finish();
    app.cleanup();
    // The first update only starts the clocks.
    app.update();
    app
}
