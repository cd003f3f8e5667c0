//! A glass of three sands: turn it by the mouse, and they run through its neck in layers.

use std::f32::consts::{PI, TAU};

use bevy::camera::ScalingMode;
use bevy::prelude::*;
use bevy::sprite::Anchor;
use bevy::window::PrimaryWindow;
use bevy_blob_fluid::blob_fluid::shape::Polygon;
use bevy_blob_fluid::prelude::*;
use example_support::DefaultPlugins; // Adds a command line. Delete this line in your own game.
use example_support::art::{self, Hud, Painter, slab};

/// Size of the view, in world units.
const VIEW: Vec2 = Vec2::new(1000.0, 750.0);
const HELP: &str = "drag  turns the glass     Space  turns it over";
/// Distance of the grains, in world units.
const SPACING: f32 = 5.5;
/// Half the height of the glass, half its width, and half the width of its neck, in world units.
const HEIGHT: f32 = 290.0;
const WIDTH: f32 = 150.0;
const NECK: f32 = 20.0;
/// Fastest turn, in radians/s.
const FASTEST: f32 = 3.0;

fn main() {
    App::new()
        .add_plugins((DefaultPlugins, BlobFluidPlugins::default(), FluidSolidDrawingPlugin))
        .insert_resource(ClearColor(Color::srgb(0.10, 0.07, 0.09)))
        .insert_resource(FluidSolidStyle {
            interior: Some(Color::srgba(0.62, 0.78, 0.86, 0.16)),
            wall: Color::srgba(0.82, 0.93, 0.98, 0.55),
            thickness: 7.0,
            ..default()
        })
        .insert_resource(FluidSettings::new(SPACING, Vec2::new(0.0, -600.0)))
        .insert_resource(FluidClasses::from(sands()))
        .add_systems(Startup, setup)
        .add_systems(PostStartup, scenery)
        .add_systems(Update, (drag, turn_over, turn, count).chain())
        .run();
}

/// Sands of three colours, alike in all else.
fn sands() -> Vec<DensityClass> {
    let powder = Some(FluidPowder { friction_angle: 30.0, ..default() });
    let sand = |name: &str, [red, green, blue]: [f32; 3]| DensityClass {
        name: name.into(),
        mass: 1.6,
        powder,
        color: [red, green, blue, 1.0],
        ..default()
    };
    vec![
        sand("terracotta", [0.80, 0.36, 0.22]),
        sand("ochre", [0.93, 0.70, 0.33]),
        sand("ivory", [0.97, 0.90, 0.76]),
    ]
}

/// The glass, and the angle that it turns to, in radians.
#[derive(Component)]
struct Glass {
    goal: f32,
    angle: f32,
}

/// The angle of the pointer, seen from the middle of the glass, while it drags.
#[derive(Component, Default)]
struct Grip(Option<f32>);

/// Marks the text with the number of grains that are still above.
#[derive(Component)]
struct Score;

/// The outline of the inside: two bulbs, and a neck between them.
fn outline() -> Polygon {
    let side = |number: i16| {
        // From the top to the bottom; the width narrows towards the neck as a wave does.
        let y = HEIGHT * (1.0 - f32::from(number) / 24.0);
        let part = (1.5 * y.abs() / HEIGHT).min(1.0);
        let bulb = 0.5 - 0.5 * (PI * part).cos();
        let corner = 1.0 - ((y.abs() / HEIGHT - 0.86).max(0.0) / 0.14).powi(3) * 0.25;
        Vec2::new((NECK + (WIDTH - NECK) * bulb) * corner, y)
    };
    let right = (0..=48).map(side);
    let left = (0..=48).rev().map(|number| side(number) * Vec2::new(-1.0, 1.0));
    Polygon::new(right.chain(left).rev()).expect("an outline")
}

fn setup(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<ColorMaterial>>,
) {
    let scaling_mode = ScalingMode::AutoMin { min_width: VIEW.x, min_height: VIEW.y };
    let projection =
        OrthographicProjection { scaling_mode, ..OrthographicProjection::default_2d() };
    commands.spawn((Camera2d, Projection::Orthographic(projection)));
    // Grains are seen one by one.
    commands.spawn(FluidDots { radius: 0.62, softness: 0.15, shading: 0.8, ..default() });
    let white = materials.add(Color::WHITE);
    commands
        .spawn((
            FluidContainer::new(FluidShape::Polygon(outline())),
            Glass { goal: 0.0, angle: 0.0 },
            Grip::default(),
            Visibility::default(),
        ))
        .with_children(|glass| {
            // The frame: two boards and two posts.
            let wood = Color::srgb(0.45, 0.26, 0.15);
            for side in [-1.0, 1.0] {
                let post = slab(Vec2::new(18.0, 2.0 * HEIGHT + 20.0), wood.darker(0.05), 0.0);
                let board = slab(Vec2::new(430.0, 34.0), wood, 0.0);
                for (mesh, at) in [
                    (post, Vec3::new(side * (WIDTH + 34.0), 0.0, -15.0)),
                    (board, Vec3::new(0.0, side * (HEIGHT + 24.0), 6.0)),
                ] {
                    let place = Transform::from_translation(at);
                    glass.spawn((Mesh2d(meshes.add(mesh)), MeshMaterial2d(white.clone()), place));
                }
            }
        });
    for (class, y) in [(0, 118.0), (1, 176.0), (2, 234.0)] {
        commands.spawn((
            FluidBlob::from(Rectangle::new(2.0 * WIDTH, 58.0)),
            FluidClass::new(class),
            Transform::from_xyz(0.0, y, 0.0),
        ));
    }
    for (content, corner) in [(HELP, Anchor::BOTTOM_CENTER), ("", Anchor::TOP_CENTER)] {
        let mut text = commands.spawn((
            art::text(
                content,
                14.0,
                Color::srgb(0.93, 0.86, 0.74),
                (corner.as_vec() * (VIEW - 20.0)).extend(10.0),
                corner,
            ),
            Hud,
        ));
        if content.is_empty() {
            text.insert(Score);
        }
    }
}

/// An evening in a study: a wall with a window's light on it, shelves of books, and a desk.
fn scenery(mut painter: Painter) {
    let rgb = Color::srgb;
    painter.sky(&[(-375.0, rgb(0.20, 0.12, 0.13)), (375.0, rgb(0.34, 0.20, 0.19))]);
    painter.glow((-330.0, 220.0), 620.0, Color::srgba(1.0, 0.72, 0.42, 0.55));
    for (row, y) in [160.0, -60.0].into_iter().enumerate() {
        for side in [-1.0, 1.0] {
            let mut x = 262.0;
            for book in 0..9_u8 {
                let number = f32::from(book) + 9.0 * row as f32 + 5.0 * side;
                let part = |k: f32| 0.5 + 0.5 * (number * k).sin();
                let size = Vec2::new(17.0 + 11.0 * part(2.3), 92.0 + 46.0 * part(1.7));
                let cover = rgb(0.34, 0.16, 0.14).mix(&rgb(0.20, 0.26, 0.30), part(3.1));
                let at = Vec2::new(side * (x + 0.5 * size.x), y + 9.0 + 0.5 * size.y);
                painter.board(at, size, cover);
                x += size.x + 2.0;
            }
            painter.board((side * 400.0, y), (300.0, 18.0), rgb(0.36, 0.21, 0.13));
        }
    }
    painter.panel((0.0, -362.0), (3200.0, 44.0), [rgb(0.36, 0.20, 0.12), rgb(0.18, 0.09, 0.07)]);
    painter.board((0.0, -340.0), (3200.0, 12.0), rgb(0.50, 0.30, 0.18));
    painter.glow((0.0, -336.0), 360.0, Color::srgba(0.05, 0.02, 0.02, 0.6));
    painter.vignette(VIEW, 0.55);
}

/// Turns the glass with the pointer around its middle.
fn drag(
    window: Single<&Window, With<PrimaryWindow>>,
    camera: Single<(&Camera, &GlobalTransform)>,
    buttons: Res<ButtonInput<MouseButton>>,
    glass: Single<(&mut Glass, &mut Grip)>,
) {
    let (camera, transform) = *camera;
    let (mut glass, mut grip) = glass.into_inner();
    let cursor = window.cursor_position().filter(|_| buttons.pressed(MouseButton::Left));
    let point = cursor.and_then(|cursor| camera.viewport_to_world_2d(transform, cursor).ok());
    let angle = point.filter(|point| point.length() > 20.0).map(Vec2::to_angle);
    if let (Some(angle), Some(before)) = (angle, grip.0) {
        glass.goal += (angle - before + PI).rem_euclid(TAU) - PI;
    }
    grip.0 = angle;
}

/// Turns the glass over, to the next of its two upright positions.
fn turn_over(keys: Res<ButtonInput<KeyCode>>, mut glass: Single<&mut Glass>) {
    if keys.just_pressed(KeyCode::Space) {
        glass.goal = ((glass.goal / PI).round() + 1.0) * PI;
    }
}

/// Turns the glass towards its goal; it carries its sand along.
fn turn(time: Res<Time>, glass: Single<(&mut Glass, &mut Transform)>) {
    let (mut glass, mut transform) = glass.into_inner();
    let most = FASTEST * time.delta_secs();
    let step = (glass.goal - glass.angle).clamp(-most, most);
    if step != 0.0 {
        glass.angle += step;
        transform.rotation = Quat::from_rotation_z(glass.angle);
    }
}

fn count(fluid: Res<FluidSimulation>, mut texts: Query<&mut Text2d, With<Score>>) {
    let positions = fluid.particles().positions();
    let above = positions.iter().filter(|position| position.y > 0.0).count();
    let text = format!("{above} of {} grains above", positions.len());
    for mut shown in &mut texts {
        if shown.0 != text {
            shown.0.clone_from(&text);
        }
    }
}
