//! A small game to begin with: catch the water of a swinging tap before too much of it is lost.

mod level;
mod screens;
mod settings;
#[cfg(feature = "sound")]
mod sound;

use bevy::asset::AssetMetaCheck;
use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;

/// What is shown.
#[derive(States, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum Screen {
    #[default]
    Title,
    Level,
}

/// How a level goes.
#[derive(SubStates, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[source(Screen = Screen::Level)]
enum Play {
    #[default]
    Running,
    Paused,
    Won,
    Lost,
}

fn main() {
    let window = Window {
        title: "Catch".into(),
        // In a browser: as large as the page.
        fit_canvas_to_parent: true,
        ..default()
    };
    let plugins = DefaultPlugins
        .set(WindowPlugin { primary_window: Some(window), ..default() })
        .set(AssetPlugin { meta_check: AssetMetaCheck::Never, ..default() });
    let mut app = App::new();
    app.add_plugins((plugins, BlobFluidPlugins::default(), FluidSolidDrawingPlugin)).add_plugins((
        rules,
        settings::plugin,
        screens::plugin,
    ));
    #[cfg(feature = "sound")]
    app.add_plugins(sound::plugin);
    app.run();
}

/// The game without window, texts and sounds. Tests play it.
fn rules(app: &mut App) {
    app.init_state::<Screen>().add_sub_state::<Play>().add_plugins(level::plugin);
}

#[cfg(test)]
mod tests {
    use bevy::input::InputPlugin;
    use bevy::state::app::StatesPlugin;
    use bevy_blob_fluid::testing::headless;

    use super::*;
    use crate::level::Bucket;

    fn start() -> App {
        let plugins = (MinimalPlugins, TransformPlugin, InputPlugin, StatesPlugin);
        let mut app = headless((plugins, BlobFluidPlugins::default(), rules));
        app.world_mut().resource_mut::<NextState<Screen>>().set(Screen::Level);
        app.update();
        app
    }

    fn play(app: &App) -> Play {
        *app.world().resource::<State<Play>>().get()
    }

    /// How far the water that falls next to the bucket's height is from the bucket.
    fn way_to_water(world: &mut World) -> f32 {
        let fluid = world.resource::<FluidSimulation>();
        let falling =
            fluid.particles().positions().iter().filter(|at| (-160.0..0.0).contains(&at.y));
        let lowest = falling.min_by(|one, other| one.y.total_cmp(&other.y)).map_or(0.0, |at| at.x);
        let mut bucket = world.query_filtered::<&Transform, With<Bucket>>();
        lowest - bucket.single(world).expect("a bucket").translation.x
    }

    /// Presses a key in each frame, until the level ends or a minute is over.
    fn hold(app: &mut App, key: impl Fn(f32) -> Option<KeyCode>) {
        for _ in 0..60 * 64 {
            let world = app.world_mut();
            let way = way_to_water(world);
            let mut keys = world.resource_mut::<ButtonInput<KeyCode>>();
            keys.reset_all();
            if let Some(key) = key(way) {
                keys.press(key);
            }
            app.update();
            if play(app) != Play::Running {
                return;
            }
        }
    }

    #[test]
    fn who_follows_the_water_wins() {
        let mut app = start();
        hold(&mut app, |way| match way {
            way if way > 5.0 => Some(KeyCode::ArrowRight),
            way if way < -5.0 => Some(KeyCode::ArrowLeft),
            _ => None,
        });
        assert_eq!(play(&app), Play::Won);
    }

    #[test]
    fn who_stands_in_a_corner_loses() {
        let mut app = start();
        hold(&mut app, |_| Some(KeyCode::ArrowLeft));
        assert_eq!(play(&app), Play::Lost);
    }

    #[test]
    fn a_level_can_be_played_again() {
        let mut app = start();
        (0..100).for_each(|_| app.update());
        app.world_mut().resource_mut::<NextState<Screen>>().set(Screen::Title);
        app.update();
        app.update();
        assert_eq!(app.world().resource::<FluidSimulation>().particles().len(), 0);
        app.world_mut().resource_mut::<NextState<Screen>>().set(Screen::Level);
        (0..100).for_each(|_| app.update());
        assert!(app.world().resource::<FluidSimulation>().particles().len() > 20);
    }
}
