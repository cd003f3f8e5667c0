//! Liquids from files: pick one and pour it. Edit a file in `assets/materials` while it runs.
//!
//! It needs the folder `assets/materials` beside it.

use bevy::camera::{Hdr, ScalingMode};
use bevy::input::common_conditions::input_just_pressed;
use bevy::post_process::bloom::Bloom;
use bevy::prelude::*;
use bevy::sprite::Anchor;
use bevy::window::PrimaryWindow;
use bevy_blob_fluid::prelude::*;
use example_support::DefaultPlugins; // Adds a command line. Delete this line in your own game.
use example_support::art::{Hud, Painter, ShadedWalls};

/// The materials, by the keys that pick them.
const MATERIALS: [&str; 12] = [
    "water", "oil", "honey", "lava", "slime", "jelly", "mud", "mercury", "sand", "gravel", "ice",
    "smoke",
];
const KEYS: [KeyCode; 12] = [
    KeyCode::Digit1,
    KeyCode::Digit2,
    KeyCode::Digit3,
    KeyCode::Digit4,
    KeyCode::Digit5,
    KeyCode::Digit6,
    KeyCode::Digit7,
    KeyCode::Digit8,
    KeyCode::Digit9,
    KeyCode::Digit0,
    KeyCode::Minus,
    KeyCode::Equal,
];
/// What is written for the keys.
const LABELS: [&str; 12] = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "0", "-", "="];
/// Jars in a row.
const COLUMNS: usize = 4;
/// Size of a jar, and distance between the centres of jars.
const JAR: Vec2 = Vec2::new(300.0, 220.0);
const STEP: Vec2 = Vec2::new(335.0, 282.0);
/// Size of the view, in world units.
const VIEW: Vec2 = Vec2::new(1400.0, 920.0);

fn main() {
    App::new()
        .add_plugins((
            DefaultPlugins,
            BlobFluidPlugins::default(),
            ShadedWalls { shadow: 0.3, ..default() },
        ))
        .insert_resource(FluidSettings {
            capacity: 20_000,
            ..FluidSettings::new(4.5, Vec2::new(0.0, -300.0))
        })
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

/// Marks what fills the jars: a restart replaces it.
#[derive(Component)]
struct Contents;

/// Marks the text with the name of the selected material.
#[derive(Component)]
struct PickedName;

/// Spawns a jar for each material.
fn setup(mut commands: Commands, assets: Res<AssetServer>) {
    let scaling_mode = ScalingMode::AutoMin { min_width: VIEW.x, min_height: VIEW.y };
    let projection =
        OrthographicProjection { scaling_mode, ..OrthographicProjection::default_2d() };
    commands.spawn((Camera2d, Hdr, Bloom::NATURAL, Projection::Orthographic(projection)));
    commands.spawn((
        PickedName,
        Hud,
        Text2d::new(help(0)),
        Anchor::TOP_LEFT,
        text_style(),
        Transform::from_xyz(-640.0, 452.0, 0.0).with_scale(Vec3::splat(0.5)),
    ));
    commands.spawn((
        Tap,
        FluidEmitter::jet(24.0, 250.0).stopped(),
        material(MATERIALS[0], &assets),
        Transform::from_rotation(Quat::from_rotation_z(std::f32::consts::PI)),
    ));
    for (index, name) in MATERIALS.iter().enumerate() {
        let centre = jar_centre(index);
        commands.spawn((
            FluidContainer::from(Rectangle::from_size(JAR)),
            Transform::from_translation(centre.extend(0.0)),
        ));
        commands.spawn((
            Text2d::new(format!("{}  {name}", LABELS[index])),
            text_style(),
            Transform::from_translation((centre + vec2(0.0, 0.5 * JAR.y + 24.0)).extend(0.0))
                .with_scale(Vec3::splat(0.5)),
        ));
    }
}

/// Letters of twice the size, made smaller, are sharp in large windows as well.
fn text_style() -> impl Bundle {
    (TextFont::from_font_size(FontSize::Px(40.0)), TextColor(Color::srgb(0.95, 0.86, 0.68)))
}

fn help(picked: usize) -> String {
    format!("1-9 0 - =  pick     left button  pour {}     R  restart", MATERIALS[picked])
}

fn material(name: &str, assets: &AssetServer) -> FluidMadeOf {
    FluidMadeOf(assets.load(format!("materials/{name}.fluid.ron")))
}

fn jar_centre(index: usize) -> Vec2 {
    let (column, row) = (index % COLUMNS, index / COLUMNS);
    vec2(column as f32 - 1.5, 1.0 - row as f32) * STEP - vec2(0.0, 18.0)
}

/// Fills each jar so that its material shows what it is like.
fn fill(mut commands: Commands, assets: Res<AssetServer>) {
    for (index, name) in MATERIALS.iter().enumerate() {
        let mut put = |name: &str, source: FluidSource, x: f32, y: f32, degrees: f32| {
            let place = (jar_centre(index) + vec2(x, y)).extend(0.0);
            let turn = Quat::from_rotation_z(degrees.to_radians());
            let made_of = material(name, &assets);
            let mut entity = commands.spawn((
                Contents,
                made_of,
                Transform::from_translation(place).with_rotation(turn),
            ));
            match source {
                FluidSource::Block(width, height) => {
                    entity.insert(FluidBlob::from(Rectangle::new(width, height)))
                }
                FluidSource::Spout(emitter) => entity.insert(emitter),
            };
        };
        let pool = |height: f32| FluidSource::Block(JAR.x - 4.0, height);
        let floor = -0.5 * JAR.y;
        match *name {
            "jelly" => {
                put(name, FluidSource::Block(124.0, 84.0), -10.0, floor + 50.0, 0.0);
                put(name, FluidSource::Block(58.0, 54.0), -14.0, floor + 140.0, 30.0);
            }
            "ice" => {
                put("water", pool(84.0), 0.0, floor + 44.0, 0.0);
                put(name, FluidSource::Block(74.0, 46.0), -60.0, floor + 118.0, 12.0);
                put(name, FluidSource::Block(52.0, 44.0), 62.0, floor + 122.0, -20.0);
            }
            "smoke" => {
                let spout = FluidEmitter::jet(22.0, 130.0).with_limit(1100);
                put(name, FluidSource::Spout(spout), -50.0, floor + 14.0, -10.0);
            }
            "sand" | "gravel" => {
                let spout = FluidEmitter::jet(18.0, 150.0).with_limit(1500);
                put(name, FluidSource::Spout(spout), 20.0, -floor - 8.0, 180.0);
                put(name, FluidSource::Block(150.0, 22.0), 0.0, floor + 13.0, 0.0);
            }
            "oil" => {
                put("water", pool(48.0), 0.0, floor + 26.0, 0.0);
                put(name, pool(34.0), 0.0, floor + 70.0, 0.0);
                let spout = FluidEmitter::jet(14.0, 90.0).with_limit(900);
                put(name, FluidSource::Spout(spout), -136.0, 40.0, -80.0);
            }
            _ => {
                put(name, pool(52.0), 0.0, floor + 28.0, 0.0);
                let speed = if *name == "water" { 260.0 } else { 150.0 };
                let spout = FluidEmitter::jet(20.0, speed).with_limit(900);
                put(name, FluidSource::Spout(spout), -136.0, 62.0, -80.0);
            }
        }
    }
}

/// Where liquid comes from: a block of a width and a height, or a spout.
enum FluidSource {
    Block(f32, f32),
    Spout(FluidEmitter),
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
    contents: Query<Entity, With<Contents>>,
    mut fluid: ResMut<FluidSimulation>,
) {
    contents.iter().for_each(|entity| commands.entity(entity).despawn());
    fluid.clear();
    commands.run_system_cached(fill);
}

/// A cabinet of walnut, with a lamp in each of its vitrines.
fn scenery(mut painter: Painter) {
    let (rgb, rgba) = (Color::srgb, Color::srgba);
    let edge = 0.5 * VIEW.y;
    painter.sky(&[
        (-edge, rgb(0.15, 0.08, 0.06)),
        (0.0, rgb(0.28, 0.16, 0.11)),
        (edge, rgb(0.20, 0.11, 0.08)),
    ]);
    for number in -30..30 {
        let x = 53.0 * number as f32 + 9.0 * (number % 3) as f32;
        painter.panel((x, 0.0), (2.0, 1300.0), [rgb(0.11, 0.06, 0.04); 2]);
    }
    for (index, material) in MATERIALS.into_iter().enumerate() {
        let centre = jar_centre(index);
        painter.board(centre, JAR + 34.0, rgb(0.34, 0.20, 0.13));
        // Tiles behind, so that clear liquids are seen to be clear, and dark ones behind smoke.
        let light = if material == "smoke" { 0.22 } else { 1.0 };
        let grey = |red: f32, green: f32, blue: f32| rgb(light * red, light * green, light * blue);
        painter.panel(centre, JAR, [grey(0.62, 0.64, 0.62), grey(0.30, 0.33, 0.36)]);
        for row in 0..4 {
            for column in 0..6 {
                let at = vec2(50.0 * column as f32 - 125.0, 55.0 * row as f32 - 82.5);
                let shade = 0.012 * ((column * 7 + row * 5) % 4) as f32 + 0.010 * row as f32;
                let tile = grey(0.36 + shade, 0.40 + shade, 0.43 + shade);
                painter.panel(centre + at, (46.5, 51.5), [tile.lighter(0.05), tile]);
            }
        }
        painter.glow(centre + vec2(0.0, 0.5 * JAR.y - 10.0), 150.0, rgba(1.0, 0.93, 0.75, 0.35));
        painter.board(
            centre + vec2(0.0, 0.5 * JAR.y + 24.0),
            vec2(170.0, 30.0),
            rgb(0.22, 0.13, 0.09),
        );
    }
    painter.in_front();
    for (index, material) in MATERIALS.into_iter().enumerate() {
        let centre = jar_centre(index);
        let lamp = centre + vec2(0.0, 0.5 * JAR.y - 4.0);
        painter.board(lamp, vec2(90.0, 7.0), rgb(1.0, 0.97, 0.86));
        // The mouth of the pipe from which it flows.
        let (mouth, width) = match material {
            "jelly" | "ice" | "smoke" | "sand" | "gravel" => continue,
            "oil" => (vec2(-141.0, 40.0), 24.0),
            _ => (vec2(-141.0, 62.0), 32.0),
        };
        painter.board(centre + mouth, vec2(18.0, width), rgb(0.70, 0.52, 0.30));
        painter.board(
            centre + mouth + vec2(9.0, 0.0),
            vec2(7.0, width + 9.0),
            rgb(0.80, 0.61, 0.36),
        );
    }
    painter.vignette(VIEW, 0.5);
}
