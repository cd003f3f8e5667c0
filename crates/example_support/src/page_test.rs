//! The app of the hidden tests of the guide's pages.

use bevy::app::Plugins;
use bevy::ecs::system::ScheduleSystem;
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

/// A plugin that an app may have several times.
struct Part<F>(F);

impl<F: Fn(&mut App) + Send + Sync + 'static> Plugin for Part<F> {
    fn build(&self, app: &mut App) {
        (self.0)(app);
    }

    fn is_unique(&self) -> bool {
        false
    }
}

/// A plugin of systems that run once, at the start.
pub fn startup<M: 'static>(
    systems: impl IntoScheduleConfigs<ScheduleSystem, M> + Clone + Send + Sync + 'static,
) -> impl Plugin {
    Part(move |app: &mut App| {
        app.add_systems(Startup, systems.clone());
    })
}

/// A plugin of a container around the origin, with a pool of a depth on its floor.
pub fn pool(size: Vec2, depth: f32) -> impl Plugin {
    startup(move |mut commands: Commands| {
        let place = Transform::from_xyz(0.0, 0.5 * (depth - size.y) + 5.0, 0.0);
        commands.spawn(FluidContainer::from(Rectangle::from_size(size)));
        commands.spawn((FluidBlob::from(Rectangle::new(size.x - 10.0, depth)), place));
    })
}

/// The pointer of `docs/mouse.md`.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub struct Pointer {
    /// The point under it, in world units.
    pub at: Option<Vec2>,
    /// Whether its button is pressed.
    pub held: bool,
}
