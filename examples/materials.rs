//! Liquids from files: pick one and pour it. Edit a file in `assets/materials` while it runs.

use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_blob_fluid::prelude::*;
use example_support::{
    ExamplePlugins, Hud, fit_camera, pointed_at, pour, restart, wait_for_assets,
};

/// The materials, by the key that picks them.
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
/// Size of a jar, and distance between the centres of jars.
const JAR: Vec2 = Vec2::new(340.0, 250.0);
const STEP: Vec2 = Vec2::new(375.0, 310.0);

fn main() {
    App::new()
        .add_plugins((ExamplePlugins, BlobFluidPlugins::default()))
        .init_resource::<Picked>()
        .add_systems(Startup, (setup, fill))
        .add_systems(Update, (wait_for_assets, pick, restart.pipe(fill_again)))
        .add_systems(FluidSchedule, pour_picked.in_set(FluidTickSystems::Spawn))
        .run();
}

/// The selected material, and the position where it is poured.
#[derive(Resource, Default)]
struct Picked {
    index: usize,
    pouring: Option<Vec2>,
}

/// Marks the text with the name of the selected material.
#[derive(Component)]
struct PickedName;

/// Spawns a jar for each material, three by three, with a slope and a peg.
fn setup(mut commands: Commands) {
    commands.spawn(fit_camera(1220.0, 1010.0));
    commands.spawn((PickedName, Hud::top_left("")));
    for (index, name) in MATERIALS.iter().enumerate() {
        let centre = jar_centre(index);
        let at = |x: f32, y: f32| Transform::from_translation((centre + vec2(x, y)).extend(0.0));
        commands.spawn((FluidContainer::from(Rectangle::from_size(JAR)), at(0.0, 0.0)));
        commands.spawn((
            FluidCollider::from(Rectangle::new(190.0, 8.0)),
            at(-70.0, 10.0).with_rotation(Quat::from_rotation_z(-0.35)),
        ));
        commands.spawn((FluidCollider::from(Circle::new(13.0)), at(80.0, -62.0)));
        commands.spawn((
            Text2d::new(format!("{}  {name}", index + 1)),
            TextFont::from_font_size(FontSize::Px(19.0)),
            TextColor(Color::srgb(0.72, 0.77, 0.88)),
            at(0.0, 0.5 * JAR.y + 24.0),
        ));
    }
}

fn jar_centre(index: usize) -> Vec2 {
    let (column, row) = (index % 3, index / 3);
    vec2(column as f32 - 1.0, 1.0 - row as f32) * STEP - vec2(0.0, 14.0)
}

/// Spawns a blob of each material above its slope.
fn fill(mut commands: Commands, assets: Res<AssetServer>) {
    for (index, name) in MATERIALS.iter().enumerate() {
        let position = jar_centre(index) + vec2(-92.0, 84.0);
        commands.spawn((
            FluidBlob::from(Rectangle::new(136.0, 76.0)),
            FluidMadeOf(assets.load(format!("materials/{name}.fluid.ron"))),
            Transform::from_translation(position.extend(0.0)),
        ));
    }
}

fn pick(
    keys: Res<ButtonInput<KeyCode>>,
    buttons: Res<ButtonInput<MouseButton>>,
    windows: Query<&Window, With<PrimaryWindow>>,
    cameras: Query<(&Camera, &GlobalTransform)>,
    mut picked: ResMut<Picked>,
    mut names: Query<&mut Text2d, With<PickedName>>,
) {
    if let Some(index) = KEYS.iter().position(|key| keys.just_pressed(*key)) {
        picked.index = index;
    }
    let pressed = buttons.pressed(MouseButton::Left);
    picked.pouring = pointed_at(&windows, &cameras).filter(|_| pressed);
    for mut text in &mut names {
        let name = MATERIALS[picked.index];
        let line = format!("1-9  pick     left button  pour {name}     R  restart");
        if text.0 != line {
            text.0 = line;
        }
    }
}

fn pour_picked(
    mut fluid: ResMut<FluidSimulation>,
    classes: Res<FluidClasses>,
    picked: Res<Picked>,
    time: Res<Time>,
) {
    if let (Some(nozzle), Some(class)) = (picked.pouring, classes.find(MATERIALS[picked.index])) {
        pour(&mut fluid, class, nozzle, 4, time.delta_secs());
    }
}

fn fill_again(In(asked): In<bool>, commands: Commands, assets: Res<AssetServer>) {
    if asked {
        fill(commands, assets);
    }
}
