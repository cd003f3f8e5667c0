//! Everything to play with: every scene, every material.

use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_blob_fluid::prelude::*;
use example_support::{
    DefaultPlugins, Hud, fit_camera, picked_scene, pointed_at, pour, wait_for_materials,
};

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
/// The materials in `assets/materials` that can be poured.
const MATERIALS: [&str; 9] =
    ["water", "oil", "honey", "lava", "slime", "jelly", "mud", "mercury", "smoke"];
const KEYS: [KeyCode; 9] = [
    KeyCode::Digit1,
    KeyCode::Digit2,
    KeyCode::Digit3,
    KeyCode::Digit4,
    KeyCode::Digit5,
    KeyCode::Digit6,
    KeyCode::Digit7,
    KeyCode::Digit8,
    KeyCode::Digit9,
];
const HELP: &str = "left drag   attract
right drag  stir
1-9         pour a material
arrow keys  another scene
R           restart";
/// Room around what the camera shows, as a part of it.
const MARGIN: f32 = 0.08;

fn main() {
    let first = picked_scene(&SCENES);
    App::new()
        .add_plugins((DefaultPlugins, BlobFluidPlugins::default()))
        .insert_resource(Picked(first))
        .init_resource::<Pouring>()
        .add_systems(Startup, (setup, show_scene).chain())
        .add_systems(Update, (wait_for_materials, (pick.pipe(show_if), follow_pointer).chain()))
        .add_systems(FluidSchedule, pour_picked.in_set(FluidTickSystems::Spawn))
        .add_observer(look_at_scene)
        .run();
}

/// Which scene is shown.
#[derive(Resource)]
struct Picked(usize);

/// What is being poured, and where.
#[derive(Resource, Default)]
struct Pouring(Option<(&'static str, Vec2)>);

/// Follows the mouse; has a [`FluidForce`] while a button is held.
#[derive(Component)]
struct Pointer;

fn setup(mut commands: Commands, assets: Res<AssetServer>, mut materials: ResMut<FluidMaterials>) {
    commands.spawn(fit_camera(880.0, 880.0));
    commands.spawn((Pointer, Transform::default()));
    commands.spawn(Hud::top_left(HELP));
    for name in MATERIALS {
        materials.request(assets.load(format!("materials/{name}.fluid.ron")));
    }
}

/// Shows the picked scene in place of the one before.
fn show_scene(
    mut commands: Commands,
    assets: Res<AssetServer>,
    picked: Res<Picked>,
    roots: Query<Entity, With<FluidSceneRoot>>,
) {
    roots.iter().for_each(|root| commands.entity(root).despawn());
    let scene = assets.load(format!("scenes/{}.scene.ron", SCENES[picked.0]));
    commands.spawn(FluidSceneRoot(scene));
}

/// Another scene at an arrow key, the same again at R.
fn pick(keys: Res<ButtonInput<KeyCode>>, mut picked: ResMut<Picked>) -> bool {
    let step = if keys.just_pressed(KeyCode::ArrowRight) {
        1
    } else if keys.just_pressed(KeyCode::ArrowLeft) {
        SCENES.len() - 1
    } else if keys.just_pressed(KeyCode::KeyR) {
        0
    } else {
        return false;
    };
    picked.0 = (picked.0 + step) % SCENES.len();
    true
}

fn show_if(
    In(asked): In<bool>,
    commands: Commands,
    assets: Res<AssetServer>,
    picked: Res<Picked>,
    roots: Query<Entity, With<FluidSceneRoot>>,
) {
    if asked {
        show_scene(commands, assets, picked, roots);
    }
}

/// Turns the camera to where the scene is.
fn look_at_scene(
    _shown: On<FluidSceneShown>,
    fluid: Res<FluidSimulation>,
    mut cameras: Query<(&mut Transform, &mut Projection), With<Camera>>,
) {
    let held = fluid.containers().iter().flat_map(|container| {
        let bounds = container.shape().bounds();
        let place = |corner: Vec2| container.centre() + container.rotation().rotate(corner);
        [place(bounds.low), place(bounds.high)]
    });
    let free = fluid.particles().positions().iter().copied();
    let (least, most) = if fluid.containers().is_empty() { corners(free) } else { corners(held) };
    let size = (1.0 + MARGIN) * (most - least);
    for (mut transform, mut projection) in &mut cameras {
        transform.translation = (0.5 * (least + most)).extend(transform.translation.z);
        if let Projection::Orthographic(projection) = &mut *projection {
            projection.scaling_mode = bevy::camera::ScalingMode::AutoMin {
                min_width: size.x.max(100.0),
                min_height: size.y.max(100.0),
            };
        }
    }
}

/// The lower left and the upper right corner around points.
fn corners(points: impl Iterator<Item = Vec2>) -> (Vec2, Vec2) {
    let none = (Vec2::splat(-100.0), Vec2::splat(100.0));
    points
        .map(|point| (point, point))
        .reduce(|(least, most), (point, _)| (least.min(point), most.max(point)))
        .unwrap_or(none)
}

fn follow_pointer(
    mut commands: Commands,
    buttons: Res<ButtonInput<MouseButton>>,
    keys: Res<ButtonInput<KeyCode>>,
    windows: Query<&Window, With<PrimaryWindow>>,
    cameras: Query<(&Camera, &GlobalTransform)>,
    mut pointers: Query<(Entity, &mut Transform), With<Pointer>>,
    mut pouring: ResMut<Pouring>,
) {
    pouring.0 = None;
    let Ok((pointer, mut place)) = pointers.single_mut() else { return };
    let position = pointed_at(&windows, &cameras);
    let force = match position {
        Some(_) if buttons.pressed(MouseButton::Left) => Some(FluidForce::attract(160.0, 1200.0)),
        Some(_) if buttons.pressed(MouseButton::Right) => Some(FluidForce::vortex(160.0, 900.0)),
        _ => None,
    };
    match force {
        Some(force) => commands.entity(pointer).insert(force),
        None => commands.entity(pointer).remove::<FluidForce>(),
    };
    let Some(position) = position else { return };
    place.translation = position.extend(0.0);
    let pressed = KEYS.iter().position(|key| keys.pressed(*key));
    pouring.0 = pressed.map(|index| (MATERIALS[index], position));
}

fn pour_picked(
    mut fluid: ResMut<FluidSimulation>,
    classes: Res<FluidClasses>,
    pouring: Res<Pouring>,
    time: Res<Time>,
) {
    if let Some((name, nozzle)) = pouring.0
        && let Some(class) = classes.find(name)
    {
        pour(&mut fluid, class, nozzle, 5, time.delta_secs());
    }
}
