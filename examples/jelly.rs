//! Elastic liquids: jelly floats and springs back, putty sinks and keeps its new shape.

use std::f32::consts::TAU;

use bevy::camera::ScalingMode;
use bevy::input::common_conditions::input_just_pressed;
use bevy::prelude::*;
use bevy_blob_fluid::blob_fluid::shape::Polygon;
use bevy_blob_fluid::prelude::*;
use example_support::DefaultPlugins; // Adds a command line. Delete this line in your own game.
use example_support::art::{Hud, Painter, ShadedWalls};

const WATER: FluidClass = FluidClass::new(0);
const JELLY: FluidClass = FluidClass::new(1);
const PUTTY: FluidClass = FluidClass::new(2);

fn main() {
    App::new()
        .add_plugins((
            DefaultPlugins,
            BlobFluidPlugins::default(),
            ShadedWalls { radius: 16.0, ..default() },
        ))
        .insert_resource(ClearColor(Color::srgb(0.86, 0.78, 0.66)))
        .insert_resource(FluidSolidStyle {
            wall: Color::srgba(0.80, 0.90, 0.93, 0.85),
            interior: None,
            ..default()
        })
        .add_systems(PostStartup, scenery)
        .insert_resource(FluidClasses::from(classes()))
        .add_systems(Startup, (setup, fill))
        .add_systems(Update, restart.run_if(input_just_pressed(KeyCode::KeyR)))
        .run();
}

fn classes() -> Vec<DensityClass> {
    let class = |name: &str, mass, elasticity, color| DensityClass {
        name: name.into(),
        mass,
        elasticity,
        color,
        ..default()
    };
    let jelly = FluidElasticity { stiffness: 200.0, ..default() };
    let putty = FluidElasticity { plasticity: 2.0, ..default() };
    vec![
        class("water", 1.0, None, [0.10, 0.56, 0.74, 1.0]),
        class("jelly", 0.6, Some(jelly), [0.95, 0.16, 0.36, 1.0]),
        class("putty", 2.0, Some(putty), [0.96, 0.66, 0.22, 1.0]),
    ]
}

fn setup(mut commands: Commands, mut settings: ResMut<FluidSettings>) {
    settings.parameters.particle_spacing = 6.0;
    let scaling_mode = ScalingMode::AutoMin { min_width: 1000.0, min_height: 750.0 };
    let projection =
        OrthographicProjection { scaling_mode, ..OrthographicProjection::default_2d() };
    commands.spawn((Camera2d, Projection::Orthographic(projection)));
    commands.spawn(FluidContainer::from(Rectangle::new(900.0, 650.0)));
    let water = FluidSurfaceLook { opacity: 0.7, caustics: 0.3, ..FluidSurfaceLook::WATER };
    let jelly = FluidSurfaceLook {
        opacity: 0.75,
        rim_light: 0.9,
        depth_color: Color::srgba(0.45, 0.0, 0.12, 0.85),
        depth: 14.0,
        specular: 1.4,
        refraction: 1.2,
        ..FluidSurfaceLook::SLIME
    };
    let putty = FluidSurfaceLook { opacity: 1.0, specular: 0.6, ..FluidSurfaceLook::SOFT };
    let surface = FluidSurface { smoothing: 3.0, ..water.into() };
    let surface = surface.with_look("jelly", jelly).with_look("putty", putty);
    commands.spawn(surface);
    commands.spawn((
        Hud,
        Text2d::new("R  restart"),
        TextFont::from_font_size(FontSize::Px(28.0)),
        TextColor(Color::srgb(0.90, 0.84, 0.78)),
        Transform::from_xyz(0.0, 353.0, 10.0).with_scale(Vec3::splat(0.5)),
    ));
}

/// Water with jelly above one side and putty above the other.
fn fill(mut commands: Commands) {
    let at = |x, y| Transform::from_xyz(x, y, 0.0);
    let blob = |commands: &mut Commands, blob: FluidBlob, class, transform| {
        commands.spawn((blob, class, transform));
    };
    blob(&mut commands, Rectangle::new(880.0, 200.0).into(), WATER, at(0.0, -220.0));
    let turned =
        |transform: Transform, angle| transform.with_rotation(Quat::from_rotation_z(angle));
    blob(&mut commands, FluidBlob::new(star()), JELLY, turned(at(-250.0, 60.0), 0.5));
    blob(&mut commands, FluidBlob::new(heart()), JELLY, turned(at(40.0, 200.0), 0.3));
    blob(&mut commands, Circle::new(80.0).into(), PUTTY, at(290.0, 60.0));
}

/// A star with five round arms.
fn star() -> FluidShape {
    outline(|angle| (100.0 + 32.0 * (5.0 * angle).cos()) * Vec2::from_angle(angle))
}

fn heart() -> FluidShape {
    outline(|angle| {
        let cosines = [1.0, 2.0, 3.0, 4.0].map(|times| (times * angle).cos());
        let y = 13.0 * cosines[0] - 5.0 * cosines[1] - 2.0 * cosines[2] - cosines[3];
        7.0 * Vec2::new(-16.0 * angle.sin().powi(3), y)
    })
}

/// The shape whose corners are at 60 angles.
fn outline(corner: impl Fn(f32) -> Vec2) -> FluidShape {
    let corners = (0..60_u8).map(|number| corner(TAU * f32::from(number) / 60.0));
    FluidShape::Polygon(Polygon::new(corners).expect("an outline"))
}

/// Removes all liquid and fills the tank again.
fn restart(
    mut commands: Commands,
    blobs: Query<Entity, With<FluidBlob>>,
    mut fluid: ResMut<FluidSimulation>,
) {
    blobs.iter().for_each(|blob| commands.entity(blob).despawn());
    fluid.clear();
    commands.run_system_cached(fill);
}

/// A kitchen table in front of tiles, with a shelf.
fn scenery(mut painter: Painter) {
    let (rgb, rgba) = (Color::srgb, Color::srgba);
    painter.sky(&[(-375.0, rgb(0.12, 0.13, 0.20)), (375.0, rgb(0.16, 0.18, 0.28))]);
    for (column, row) in (-12..12).flat_map(|column| (-4..5).map(move |row| (column, row))) {
        let at = Vec2::new(column as f32 + 0.5, row as f32) * 96.0;
        let tint = 0.02 * ((column * 7 + row * 5) % 3) as f32;
        painter.board(at, Vec2::splat(92.0), rgb(0.20 - tint, 0.23 - tint, 0.34 - tint));
    }
    painter.glow((-330.0, 260.0), 620.0, rgba(1.0, 0.86, 0.64, 0.5));
    // A shelf with jars.
    painter.board((150.0, 40.0), (520.0, 18.0), rgb(0.36, 0.25, 0.22));
    let jars = [
        (rgb(0.86, 0.30, 0.28), 110.0),
        (rgb(0.93, 0.70, 0.25), 80.0),
        (rgb(0.52, 0.36, 0.58), 120.0),
        (rgb(0.45, 0.60, 0.35), 90.0),
        (rgb(0.90, 0.52, 0.30), 105.0),
    ];
    for (number, (color, height)) in jars.into_iter().enumerate() {
        let (x, glass) = (102.0 * number as f32 - 60.0, rgb(0.18, 0.20, 0.31));
        painter.board((x, 49.0 + 0.5 * height), (72.0, height), color.mix(&glass, 0.7));
        painter.panel(
            (x - 24.0, 49.0 + 0.5 * height),
            (8.0, height - 16.0),
            [rgba(1.0, 1.0, 1.0, 0.25), rgba(1.0, 1.0, 1.0, 0.05)],
        );
        painter.board((x, 54.0 + height), (60.0, 18.0), rgb(0.30, 0.24, 0.26));
    }
    // The table.
    painter.panel((0.0, -370.0), (3200.0, 150.0), [rgb(0.68, 0.44, 0.27), rgb(0.42, 0.25, 0.15)]);
    painter.board((0.0, -352.0), (3200.0, 30.0), rgb(0.62, 0.40, 0.24));
    painter.panel(
        Vec2::ZERO,
        (900.0, 650.0),
        [rgba(0.75, 0.92, 1.0, 0.10), rgba(0.45, 0.70, 0.85, 0.34)],
    );
    // The tank's glass reflects the window.
    painter.in_front();
    for (x, width) in [(-330.0, 90.0), (-230.0, 26.0)] {
        let shine = [(width, 318.0), (0.0, 318.0), (-180.0, -200.0), (width - 180.0, -200.0)];
        let fading = [rgba(1.0, 1.0, 1.0, 0.22), rgba(1.0, 1.0, 1.0, 0.0)];
        painter.shape(&shine.map(|(right, y)| (x + right, y)), 0.0, fading);
    }
    painter.vignette(Vec2::new(1000.0, 750.0), 0.35);
}
