//! Lava meets water: it freezes to stone, and the water boils, rises, and rains again.

use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_blob_fluid::prelude::*;
use example_support::{
    ExamplePlugins, Hud, fit_camera, pointed_at, pour, restart, wait_for_assets,
};

const HELP: &str =
    "left drag  pour lava     right drag  pour water     H  heat at the pointer     R  restart";
/// Position of the mountain's own source of lava, and for how many seconds it flows.
const VENT: Vec2 = Vec2::new(-400.0, 285.0);
const ERUPTION: f64 = 9.0;

fn main() {
    App::new()
        .add_plugins((ExamplePlugins, BlobFluidPlugins::default()))
        .init_resource::<Pouring>()
        .add_systems(Startup, (setup, fill))
        .add_systems(Update, (wait_for_assets, follow_pointer, restart.pipe(fill_again)))
        .add_systems(FluidSchedule, (erupt, pour_by_hand).chain().in_set(FluidTickSystems::Spawn))
        .run();
}

/// The class that is poured by hand, and its position.
#[derive(Resource, Default)]
struct Pouring(Option<(&'static str, Vec2)>);

/// Marks the entity that follows the mouse and has a [`FluidForce`] while it heats.
#[derive(Component)]
struct Pointer;

fn setup(mut commands: Commands, assets: Res<AssetServer>, mut materials: ResMut<FluidMaterials>) {
    commands.spawn(fit_camera(1080.0, 800.0));
    commands.spawn(FluidContainer::from(Rectangle::new(1000.0, 700.0)));
    commands.spawn((Pointer, Transform::default()));
    commands.spawn(Hud::top_left(HELP));
    // The mountain's flank, to which lava sticks a little.
    let rough = FluidWallProperties { friction: Some(0.3), ..default() };
    for (x, y, length, slope) in [(-370.0, 60.0, 330.0, -0.75), (-140.0, -110.0, 260.0, -0.5)] {
        commands.spawn((
            FluidCollider::from(Rectangle::new(length, 26.0)).with_wall(rough),
            Transform::from_xyz(x, y, 0.0).with_rotation(Quat::from_rotation_z(slope)),
        ));
    }
    materials.request(assets.load("materials/lava.fluid.ron"));
}

fn fill(mut commands: Commands, assets: Res<AssetServer>) {
    commands.spawn((
        FluidBlob::from(Rectangle::new(990.0, 150.0)),
        FluidMadeOf(assets.load("materials/water.fluid.ron")),
        Transform::from_xyz(0.0, -270.0, 0.0),
    ));
}

fn erupt(mut fluid: ResMut<FluidSimulation>, classes: Res<FluidClasses>, time: Res<Time>) {
    if fluid.time() < ERUPTION
        && let Some(lava) = classes.find("lava")
    {
        pour(&mut fluid, lava, VENT, 2, time.delta_secs());
    }
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
    let Ok((pointer, mut transform)) = pointers.single_mut() else { return };
    let position = pointed_at(&windows, &cameras);
    if position.is_some() && keys.pressed(KeyCode::KeyH) {
        commands.entity(pointer).insert(FluidForce::heat(60.0, 600.0));
    } else {
        commands.entity(pointer).remove::<FluidForce>();
    }
    let Some(position) = position else { return };
    transform.translation = position.extend(0.0);
    pouring.0 = if buttons.pressed(MouseButton::Left) {
        Some(("lava", position))
    } else if buttons.pressed(MouseButton::Right) {
        Some(("water", position))
    } else {
        None
    };
}

fn pour_by_hand(
    mut fluid: ResMut<FluidSimulation>,
    classes: Res<FluidClasses>,
    pouring: Res<Pouring>,
    time: Res<Time>,
) {
    if let Some((name, nozzle)) = pouring.0
        && let Some(class) = classes.find(name)
    {
        pour(&mut fluid, class, nozzle, 4, time.delta_secs());
    }
}

fn fill_again(In(asked): In<bool>, commands: Commands, assets: Res<AssetServer>) {
    if asked {
        fill(commands, assets);
    }
}
