//! A gallery of liquids: `--scene NAME` picks one, and the arrow keys show the others.

use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_blob_fluid::prelude::*;
use example_support::{ExamplePlugins, picked_scene, wait_for_assets};

use gallery::stage::{OnStage, Stage, find_looks};

/// The scenes, one file each.
mod gallery {
    pub mod bowl;
    pub mod convection;
    pub mod dam;
    pub mod fountain;
    pub mod honey;
    pub mod ink;
    pub mod lava;
    pub mod letters;
    pub mod marble;
    pub mod mercury;
    pub mod stage;
}

/// Every scene by its name.
const SCENES: [(&str, fn(&mut Stage)); 10] = [
    ("bowl", gallery::bowl::show),
    ("dam", gallery::dam::show),
    ("lava", gallery::lava::show),
    ("honey", gallery::honey::show),
    ("mercury", gallery::mercury::show),
    ("ink", gallery::ink::show),
    ("fountain", gallery::fountain::show),
    ("convection", gallery::convection::show),
    ("marble", gallery::marble::show),
    ("letters", gallery::letters::show),
];

fn main() {
    let first = picked_scene(&SCENES.map(|(name, _)| name));
    App::new()
        .add_plugins((ExamplePlugins, BlobFluidPlugins::default()))
        .insert_resource(Page(first))
        .add_systems(Startup, show_page)
        .add_systems(Update, (wait_for_assets, turn_page.pipe(show_if), find_looks).chain())
        .run();
}

/// Index of the scene that is shown.
#[derive(Resource)]
struct Page(usize);

/// Shows another scene when an arrow key is pressed, and removes a scene that is to be restarted.
fn turn_page(
    mut commands: Commands,
    keys: Res<ButtonInput<KeyCode>>,
    mut page: ResMut<Page>,
    mut fluid: ResMut<FluidSimulation>,
    scenery: Query<Entity, With<OnStage>>,
) -> bool {
    let step = if keys.just_pressed(KeyCode::ArrowRight) {
        1
    } else if keys.just_pressed(KeyCode::ArrowLeft) {
        SCENES.len() - 1
    } else if keys.just_pressed(KeyCode::KeyR) {
        0
    } else {
        return false;
    };
    page.0 = (page.0 + step) % SCENES.len();
    scenery.iter().for_each(|entity| commands.entity(entity).despawn());
    fluid.clear();
    fluid.reset_clock();
    true
}

fn show_if(
    In(asked): In<bool>,
    stage: Stage,
    page: Res<Page>,
    windows: Query<&mut Window, With<PrimaryWindow>>,
) {
    if asked {
        show_page(stage, page, windows);
    }
}

fn show_page(
    mut stage: Stage,
    page: Res<Page>,
    mut windows: Query<&mut Window, With<PrimaryWindow>>,
) {
    let (name, show) = SCENES[page.0];
    stage.clear();
    show(&mut stage);
    for mut window in &mut windows {
        window.title = format!("{name}  (arrow keys turn the page, R starts again)");
    }
}
