//! A gallery of liquids: the arrow keys turn the page.

use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_blob_fluid::prelude::*;
use bevy_blob_fluid_panel::FluidPanelScenes;
use example_support::DefaultPlugins; // Adds a command line. Delete this line in your own game.
use example_support::art::{Painted, Painter, ShadedWalls, Silhouette};

use gallery::scenes;
use gallery::stage::{OnStage, Stage};

/// The scenes, and their building blocks.
mod gallery {
    pub mod scenes;
    pub mod stage;
}

/// Every scene by its name.
const SCENES: [(&str, fn(&mut Stage)); 12] = [
    ("bowl", scenes::bowl),
    ("dam", scenes::dam),
    ("lava", scenes::lava),
    ("honey", scenes::honey),
    ("mercury", scenes::mercury),
    ("ink", scenes::ink),
    ("fountain", scenes::fountain),
    ("convection", scenes::convection),
    ("marble", scenes::marble),
    ("letters", scenes::letters),
    ("collision", scenes::collision),
    ("smoke", scenes::smoke),
];

fn main() {
    let names = SCENES.map(|(name, _)| name.into()).into();
    App::new()
        .add_plugins((DefaultPlugins, BlobFluidPlugins::default(), ShadedWalls::default()))
        // There is no panel, but this list has what the gallery needs.
        .insert_resource(FluidPanelScenes { names, current: Some(0) })
        .add_systems(Startup, show_scene)
        .add_systems(Update, turn_page)
        .run();
}

/// Shows another scene when an arrow key is pressed, and restarts it when R is.
fn turn_page(
    mut commands: Commands,
    keys: Res<ButtonInput<KeyCode>>,
    mut scenes: ResMut<FluidPanelScenes>,
    mut fluid: ResMut<FluidSimulation>,
    scenery: Query<Entity, Or<(With<OnStage>, With<Painted>)>>,
) {
    let step = if keys.just_pressed(KeyCode::ArrowRight) {
        1
    } else if keys.just_pressed(KeyCode::ArrowLeft) {
        SCENES.len() - 1
    } else if keys.just_pressed(KeyCode::KeyR) {
        0
    } else {
        return;
    };
    scenes.current = scenes.current.map(|current| (current + step) % SCENES.len());
    scenery.iter().for_each(|entity| commands.entity(entity).despawn());
    fluid.clear();
    fluid.reset_clock();
    commands.run_system_cached(show_scene);
}

fn show_scene(
    mut stage: Stage,
    scenes: Res<FluidPanelScenes>,
    mut windows: Query<&mut Window, With<PrimaryWindow>>,
) {
    let (name, show) = SCENES[scenes.current.unwrap_or(0)];
    stage.clear();
    show(&mut stage);
    for mut window in &mut windows {
        window.title = format!("{name}  (arrow keys turn the page, R starts again)");
    }
}
