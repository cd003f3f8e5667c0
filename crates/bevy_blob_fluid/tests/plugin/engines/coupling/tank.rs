//! Apps with an engine, and the tank that most scenes take place in.

use std::time::Duration;

use bevy::app::{PluginGroupBuilder, TaskPoolThreadAssignmentPolicy};
use bevy::time::TimeUpdateStrategy;

use super::engine::{Kind, TICK, TestEngine};
use crate::app::*;

/// The environment variable with the number of threads of a child.
pub const THREADS: &str = "COUPLING_THREADS";

/// The pools that a child has, with so many compute threads beside the main one.
fn pools() -> Option<TaskPoolPlugin> {
    let threads: usize = std::env::var(THREADS).ok()?.parse().ok()?;
    let only = |threads| TaskPoolThreadAssignmentPolicy {
        min_threads: threads,
        max_threads: threads,
        percent: 1.0,
        on_thread_spawn: None,
        on_thread_destroy: None,
    };
    let task_pool_options = TaskPoolOptions {
        min_total_threads: threads + 2,
        max_total_threads: threads + 2,
        io: only(1),
        async_compute: only(1),
        compute: only(threads),
    };
    Some(TaskPoolPlugin { task_pool_options })
}

/// An app with an engine and no gravity of its own beyond the liquid's.
pub fn app<E: TestEngine>(settings: FluidSettings) -> App {
    app_with::<E>(settings, BlobFluidPlugins::default().build())
}

/// An app with other plugins of the liquid.
pub fn app_with<E: TestEngine>(settings: FluidSettings, plugins: PluginGroupBuilder) -> App {
    let mut app = App::new();
    let pools = pools().unwrap_or_default();
    app.add_plugins((MinimalPlugins.set(pools), AssetPlugin::default(), TransformPlugin));
    E::add_to(&mut app, settings.parameters.gravity);
    app.add_plugins(plugins).insert_resource(settings);
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f32(TICK)));
    app.finish_plugins();
    app
}

/// Spawns a body with a collider of this density that meets the liquid.
pub fn spawn_coupled<E: TestEngine>(
    app: &mut App,
    kind: Kind,
    collider: E::Collider,
    density: f32,
    at: Transform,
) -> Entity {
    let body = E::spawn(app.world_mut(), kind, collider, density, at);
    app.insert(body, FluidCoupled::default());
    body
}

/// A tank of the engine's static walls, its floor at -150, with liquid that is about 130 deep.
pub fn tank<E: TestEngine>(width: f32, class: FluidClass) -> App {
    let mut app = app::<E>(default());
    let (wide, high) = (Vec2::new(width + 80.0, 40.0), Vec2::new(40.0, 400.0));
    let side = 0.5 * width + 20.0;
    for (size, x, y) in [(wide, 0.0, -170.0), (high, -side, 0.0), (high, side, 0.0)] {
        let at = xy(x, y);
        spawn_coupled::<E>(&mut app, Kind::Static, E::rectangle(size), 1.0, at);
    }
    app.spawn((FluidBlob::from(Rectangle::new(width - 10.0, 130.0)), class, xy(0.0, -84.0)));
    app
}

/// A box of 60 by 40 and a density of 0.5 on a tank's liquid.
pub fn floating_box<E: TestEngine>(app: &mut App, x: f32) -> Entity {
    let shape = E::rectangle(Vec2::new(60.0, 40.0));
    let at = xy(x, -10.0);
    spawn_coupled::<E>(app, Kind::Dynamic, shape, 0.5, at)
}

/// Runs an app for some seconds.
pub fn run(app: &mut App, seconds: f32) {
    app.updates((seconds / TICK) as u32);
}

/// Position of an entity.
pub fn position_of(app: &App, entity: Entity) -> Vec2 {
    app.component::<Transform>(entity).translation.truncate()
}
