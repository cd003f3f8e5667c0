//! Every scene and every material, with the panel's tools.
//!
//! It needs the folders `assets/scenes` and `assets/materials` beside it.

use bevy::camera::ScalingMode;
use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;
use bevy_blob_fluid_panel::{
    FluidPanelPlugin, FluidPanelScenes, FluidRestartRequested, FluidScenePicked,
};
use example_support::DefaultPlugins; // Adds a command line. Delete this line in your own game.
use example_support::art::Painter;

/// The scenes in `assets/scenes`.
const SCENES: [&str; 14] = [
    "stratification",
    "lava_meets_water",
    "materials",
    "dam_break",
    "jelly",
    "deep_pool",
    "free_blob",
    "legacy",
    "wind_tunnel",
    "campfire",
    "spray",
    "heap",
    "hourglass",
    "filter",
];
/// The materials to pour, those for the number keys first.
const MATERIALS: [FluidMadeOf; 19] = [
    FluidMadeOf::WATER,
    FluidMadeOf::OIL,
    FluidMadeOf::HONEY,
    FluidMadeOf::LAVA,
    FluidMadeOf::SLIME,
    FluidMadeOf::JELLY,
    FluidMadeOf::MUD,
    FluidMadeOf::MERCURY,
    FluidMadeOf::SMOKE,
    FluidMadeOf::STEAM,
    FluidMadeOf::SAND,
    FluidMadeOf::GRAVEL,
    FluidMadeOf::SNOW,
    FluidMadeOf::ICE,
    FluidMadeOf::WOOD,
    FluidMadeOf::COAL,
    FluidMadeOf::ASH,
    FluidMadeOf::STONE,
    FluidMadeOf::GLASS,
];
/// Margins around the scene, as fractions of its width and height; the panel is on the left.
const ROOM: Vec2 = Vec2::new(1.75, 1.1);

fn main() {
    let names = SCENES.map(String::from).into();
    App::new()
        .add_plugins((
            DefaultPlugins,
            BlobFluidPlugins::default(),
            FluidSolidDrawingPlugin,
            FluidPanelPlugin::default(),
        ))
        .insert_resource(ClearColor(Color::srgb(0.035, 0.043, 0.086)))
        .insert_resource(FluidSolidStyle {
            interior: Some(Color::srgba(0.02, 0.03, 0.07, 0.45)),
            ..default()
        })
        .insert_resource(FluidPanelScenes { names, current: Some(0) })
        .add_systems(Startup, (setup, show_scene).chain())
        .add_systems(PostStartup, scenery)
        .add_systems(Update, show_scene.run_if(was_asked))
        .add_observer(look_at_scene)
        .run();
}

/// A wall in dim light, whatever the size of the scene.
fn scenery(mut painter: Painter) {
    let rgb = Color::srgb;
    painter.sky(&[
        (-420.0, rgb(0.07, 0.09, 0.15)),
        (0.0, rgb(0.16, 0.20, 0.30)),
        (420.0, rgb(0.10, 0.12, 0.20)),
    ]);
    painter.glow((160.0, 240.0), 900.0, Color::srgba(0.55, 0.68, 0.90, 0.28));
}

fn setup(mut commands: Commands, mut materials: ResMut<FluidMaterials>) {
    commands.spawn(Camera2d);
    commands.spawn(FluidSurface::default());
    for FluidMadeOf(material) in MATERIALS {
        materials.request(material);
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
    airs: Query<(&FluidAir, &Transform), Without<Camera>>,
    mut cameras: Query<(&mut Transform, &mut Projection), With<Camera>>,
) {
    let corners_of = |(air, transform): (&FluidAir, &Transform)| {
        let centre = transform.translation.truncate();
        [centre - 0.5 * air.size, centre + 0.5 * air.size]
    };
    let air = airs.iter().flat_map(corners_of);
    let held = fluid.containers().flat_map(|(_, container)| {
        let bounds = container.shape().bounds();
        let point = |corner: Vec2| container.centre() + container.rotation().rotate(corner);
        [point(bounds.low), point(bounds.high)]
    });
    let mut corners: Vec<Vec2> = held.chain(air).collect();
    if corners.is_empty() {
        corners.extend(fluid.particles().positions());
    }
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
