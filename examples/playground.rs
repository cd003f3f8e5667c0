//! Every scene and every material, with the panel's tools.

use std::path::Path;

use bevy::camera::ScalingMode;
use bevy::prelude::*;
use bevy_blob_fluid::panel::{
    FluidPanelPlugin, FluidPanelScenes, FluidRestartRequested, FluidScenePicked,
};
use bevy_blob_fluid::prelude::*;
use example_support::{ExamplePlugins, assets_folder, fit_camera, picked_scene, wait_for_assets};

/// The scenes in `assets/scenes`.
const SCENES: [&str; 8] = [
    "stratification",
    "lava_meets_water",
    "materials",
    "dam_break",
    "jelly",
    "deep_pool",
    "free_blob",
    "legacy",
];
/// The materials in `assets/materials`, with what they turn into.
const MATERIALS: [&str; 9] =
    ["water", "oil", "honey", "lava", "slime", "jelly", "mud", "mercury", "smoke"];
/// Margins around the scene, as fractions of its width and height; the panel is on the left.
const ROOM: Vec2 = Vec2::new(1.75, 1.1);

fn main() {
    let first = picked_scene(&SCENES);
    let materials_folder = Path::new(&assets_folder()).join("materials");
    let panel = FluidPanelPlugin { materials_folder, ..default() };
    App::new()
        .add_plugins((ExamplePlugins, BlobFluidPlugins::default(), panel))
        .insert_resource(FluidPanelScenes {
            names: SCENES.map(String::from).into(),
            current: Some(first),
        })
        .add_systems(Startup, (setup, show_scene).chain())
        .add_systems(Update, (wait_for_assets, show_scene.run_if(was_asked)))
        .add_observer(look_at_scene)
        .run();
}

fn setup(mut commands: Commands, assets: Res<AssetServer>, mut materials: ResMut<FluidMaterials>) {
    commands.spawn(fit_camera(880.0, 880.0));
    commands.spawn(FluidSurface::default());
    for name in MATERIALS {
        materials.request(assets.load(format!("materials/{name}.fluid.ron")));
    }
}

/// Whether the panel requests another scene or a restart.
fn was_asked(
    mut picked: MessageReader<FluidScenePicked>,
    mut restarts: MessageReader<FluidRestartRequested>,
) -> bool {
    picked.read().count() + restarts.read().count() > 0
}

/// Shows the selected scene instead of the one before.
fn show_scene(
    mut commands: Commands,
    assets: Res<AssetServer>,
    scenes: Res<FluidPanelScenes>,
    roots: Query<Entity, With<FluidSceneRoot>>,
) {
    let Some(name) = scenes.current.and_then(|index| scenes.names.get(index)) else { return };
    roots.iter().for_each(|root| commands.entity(root).despawn());
    commands.spawn(FluidSceneRoot(assets.load(format!("scenes/{name}.scene.ron"))));
}

/// Fits the camera to the scene.
fn look_at_scene(
    _shown: On<FluidSceneShown>,
    fluid: Res<FluidSimulation>,
    mut cameras: Query<(&mut Transform, &mut Projection), With<Camera>>,
) {
    let held = fluid.containers().flat_map(|(_, container)| {
        let bounds = container.shape().bounds();
        let point = |corner: Vec2| container.centre() + container.rotation().rotate(corner);
        [point(bounds.low), point(bounds.high)]
    });
    let corners: Vec<Vec2> = if fluid.containers().len() == 0 {
        fluid.particles().positions().to_vec()
    } else {
        held.collect()
    };
    let bounds = FluidBounds::of(&corners);
    let size = 2.0 * bounds.half_size() * ROOM;
    if !size.is_finite() {
        return;
    }
    for (mut transform, mut projection) in &mut cameras {
        // The scene is to the right of the panel.
        let aside = Vec2::new(0.45 * (1.0 - 1.0 / ROOM.x) * size.x, 0.0);
        transform.translation = (bounds.centre() - aside).extend(transform.translation.z);
        if let Projection::Orthographic(projection) = &mut *projection {
            projection.scaling_mode =
                ScalingMode::AutoMin { min_width: size.x, min_height: size.y };
        }
    }
}
