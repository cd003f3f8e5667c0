//! Liquids from files: pick one and pour it. Edit a file in `assets/materials` while it runs.
//!
//! It needs the folder `assets/materials` beside it.

use bevy::camera::ScalingMode;
use bevy::input::common_conditions::input_just_pressed;
use bevy::prelude::*;
use bevy::sprite::Anchor;
use bevy::window::PrimaryWindow;
use bevy_blob_fluid::prelude::*;
use example_support::DefaultPlugins; // Adds a command line. Delete this line in your own game.
use example_support::art::{Hud, Painter, ShadedWalls};

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
        .add_plugins((
            DefaultPlugins,
            BlobFluidPlugins::default(),
            ShadedWalls { shadow: 0.3, ..default() },
        ))
        .insert_resource(ClearColor(Color::srgb(0.14, 0.08, 0.06)))
        .insert_resource(FluidSolidStyle {
            wall: Color::srgb(0.72, 0.55, 0.30),
            interior: None,
            ..default()
        })
        .add_systems(PostStartup, scenery)
        .add_systems(Startup, (setup, fill))
        .add_systems(Update, (pick, pour, restart.run_if(input_just_pressed(KeyCode::KeyR))))
        .run();
}

/// Marks the emitter that follows the mouse.
#[derive(Component)]
struct Tap;

/// Marks the text with the name of the selected material.
#[derive(Component)]
struct PickedName;

/// Spawns a jar for each material, three by three, with a slope and a peg.
fn setup(mut commands: Commands, assets: Res<AssetServer>) {
    let scaling_mode = ScalingMode::AutoMin { min_width: 1220.0, min_height: 1010.0 };
    let projection =
        OrthographicProjection { scaling_mode, ..OrthographicProjection::default_2d() };
    commands.spawn((Camera2d, Projection::Orthographic(projection)));
    commands.spawn((
        PickedName,
        Hud,
        Text2d::new(help(0)),
        Anchor::TOP_LEFT,
        text_style(),
        Transform::from_xyz(-545.0, 495.0, 0.0).with_scale(Vec3::splat(0.5)),
    ));
    commands.spawn((
        Tap,
        FluidEmitter::jet(38.0, 300.0).stopped(),
        material(MATERIALS[0], &assets),
        Transform::from_rotation(Quat::from_rotation_z(std::f32::consts::PI)),
    ));
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
            text_style(),
            at(0.0, 0.5 * JAR.y + 24.0).with_scale(Vec3::splat(0.5)),
        ));
    }
}

/// Letters of twice the size, made smaller, are sharp in large windows as well.
fn text_style() -> impl Bundle {
    (TextFont::from_font_size(FontSize::Px(40.0)), TextColor(Color::srgb(0.95, 0.86, 0.68)))
}

fn help(picked: usize) -> String {
    format!("1-9  pick     left button  pour {}     R  restart", MATERIALS[picked])
}

fn material(name: &str, assets: &AssetServer) -> FluidMadeOf {
    FluidMadeOf(assets.load(format!("materials/{name}.fluid.ron")))
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
            material(name, &assets),
            Transform::from_translation(position.extend(0.0)),
        ));
    }
}

/// Lets the number keys pick the material of the tap.
fn pick(
    mut commands: Commands,
    keys: Res<ButtonInput<KeyCode>>,
    assets: Res<AssetServer>,
    tap: Single<Entity, With<Tap>>,
    mut name: Single<&mut Text2d, With<PickedName>>,
) {
    if let Some(index) = KEYS.iter().position(|key| keys.just_pressed(*key)) {
        commands.entity(*tap).insert(material(MATERIALS[index], &assets));
        name.0 = help(index);
    }
}

/// Moves the tap to the mouse, and opens it while the left button is held.
fn pour(
    window: Single<&Window, With<PrimaryWindow>>,
    camera: Single<(&Camera, &GlobalTransform)>,
    buttons: Res<ButtonInput<MouseButton>>,
    tap: Single<(&mut FluidEmitter, &mut Transform), With<Tap>>,
) {
    let (camera, transform) = *camera;
    let (mut emitter, mut place) = tap.into_inner();
    emitter.running = buttons.pressed(MouseButton::Left);
    let cursor = window.cursor_position();
    if let Some(point) = cursor.and_then(|at| camera.viewport_to_world_2d(transform, at).ok()) {
        place.translation = point.extend(0.0);
    }
}

/// Removes all liquid and fills the jars again.
fn restart(
    mut commands: Commands,
    blobs: Query<Entity, With<FluidBlob>>,
    mut fluid: ResMut<FluidSimulation>,
) {
    blobs.iter().for_each(|blob| commands.entity(blob).despawn());
    fluid.clear();
    commands.run_system_cached(fill);
}

/// A cabinet of walnut, with a lamp in each of its vitrines.
fn scenery(mut painter: Painter) {
    let (rgb, rgba) = (Color::srgb, Color::srgba);
    painter.sky(&[
        (-505.0, rgb(0.15, 0.08, 0.06)),
        (0.0, rgb(0.28, 0.16, 0.11)),
        (505.0, rgb(0.20, 0.11, 0.08)),
    ]);
    for number in -30..30 {
        let x = 53.0 * number as f32 + 9.0 * (number % 3) as f32;
        painter.panel((x, 0.0), (2.0, 1300.0), [rgb(0.11, 0.06, 0.04); 2]);
    }
    for index in 0..MATERIALS.len() {
        let centre = jar_centre(index);
        painter.board(centre, JAR + 36.0, rgb(0.34, 0.20, 0.13));
        painter.panel(centre, JAR, [rgb(0.30, 0.38, 0.42), rgb(0.06, 0.08, 0.11)]);
        let lamp = centre + Vec2::new(60.0, 0.5 * JAR.y);
        let light = [rgba(1.0, 0.93, 0.75, 0.5), rgba(1.0, 0.90, 0.70, 0.0)];
        let beam = [(26.0, 0.0), (-26.0, 0.0), (-130.0, -JAR.y), (110.0, -JAR.y)];
        painter.shape(&beam.map(|(x, y)| (lamp.x + x, lamp.y + y)), 0.0, light);
        painter.board(
            centre + Vec2::new(0.0, 0.5 * JAR.y + 24.0),
            Vec2::new(170.0, 30.0),
            rgb(0.22, 0.13, 0.09),
        );
    }
    painter.in_front();
    for index in 0..MATERIALS.len() {
        let centre = jar_centre(index);
        let lamp = centre + Vec2::new(60.0, 0.5 * JAR.y);
        painter.board(lamp - Vec2::new(0.0, 4.0), Vec2::new(60.0, 9.0), rgb(1.0, 0.97, 0.86));
        let shine = [(120.0, 122.0), (70.0, 122.0), (-40.0, -122.0), (10.0, -122.0)];
        let shine = shine.map(|(x, y)| (centre.x + x, centre.y + y));
        painter.shape(&shine, 0.0, [rgba(1.0, 1.0, 1.0, 0.10), rgba(1.0, 1.0, 1.0, 0.02)]);
    }
    painter.vignette(Vec2::new(1220.0, 1010.0), 0.6);
}
