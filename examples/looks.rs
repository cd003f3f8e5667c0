//! The same liquid three times: as dots, as a surface, and as a surface with all effects.
//!
//! Each look has its own camera, on its own layer, in a third of the picture.

use bevy::camera::visibility::RenderLayers;
use bevy::camera::{ScalingMode, Viewport};
use bevy::input::common_conditions::input_just_pressed;
use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;
use example_support::DefaultPlugins; // Adds a command line. Delete this line in your own game.
use example_support::art::Painter;

/// Size of the tank, in world units.
const SIZE: Vec2 = Vec2::new(560.0, 560.0);
/// Part of the tank that each camera shows, in world units.
const SEEN: Vec2 = Vec2::new(300.0, 270.0);
/// Middle of that part.
const MIDDLE: Vec2 = Vec2::new(0.0, -150.0);
const LOOKS: usize = 3;

fn main() {
    App::new()
        .add_plugins((DefaultPlugins, BlobFluidPlugins::default(), FluidSolidDrawingPlugin))
        .insert_resource(FluidSettings::new(6.0, Vec2::new(0.0, -300.0)))
        .insert_resource(FluidSolidStyle { interior: None, ..default() })
        .add_systems(Startup, (setup, color, spawn_liquid))
        .add_systems(PostStartup, paint_wallpaper)
        .add_systems(Update, (divide, restart.run_if(input_just_pressed(KeyCode::KeyR))))
        .run();
}

/// Index of the third of the picture that a camera has, from the left.
#[derive(Component)]
struct Third(u32);

fn setup(mut commands: Commands) {
    let scaling_mode = ScalingMode::AutoMin { min_width: SEEN.x, min_height: SEEN.y };
    for third in 0..LOOKS {
        let projection =
            OrthographicProjection { scaling_mode, ..OrthographicProjection::default_2d() };
        let camera = Camera { order: third as isize, ..default() };
        let transform = Transform::from_translation(MIDDLE.extend(0.0));
        commands.spawn((
            Camera2d,
            Projection::Orthographic(projection),
            camera,
            transform,
            Third(third as u32),
            RenderLayers::from_layers(&[0, third + 1]),
        ));
    }
    commands.spawn((FluidDots::default(), RenderLayers::layer(1)));
    commands.spawn((FluidSurface::default(), RenderLayers::layer(2)));
    let water = FluidSurfaceLook::WATER;
    let heavy = FluidSurfaceLook { opacity: 0.85, caustics: 0.25, refraction: 0.6, ..water };
    let effects = FluidSurface::from(water).with_look(ClassId::HEAVY, heavy);
    commands.spawn((effects, RenderLayers::layer(3)));

    commands.spawn(FluidContainer::from(Rectangle::from_size(SIZE)));
    // Lines between the pictures.
    for edge in [-0.5, 0.5] {
        let position = (MIDDLE + Vec2::X * edge * SEEN.x).extend(50.0);
        commands.spawn((
            Sprite::from_color(Color::WHITE, Vec2::new(3.0, 2.0 * SEEN.y)),
            Transform::from_translation(position),
        ));
    }
}

/// Striped wallpaper, which is visible through the liquid.
fn paint_wallpaper(mut painter: Painter) {
    let rgb = Color::srgb;
    painter.sky(&[(-280.0, rgb(0.34, 0.20, 0.30)), (100.0, rgb(0.95, 0.66, 0.48))]);
    for stripe in -6..=6 {
        let x = 60.0 * f32::from(stripe as i8);
        painter.panel((x, -60.0), (20.0, 800.0), [Color::srgba(1.0, 0.95, 0.85, 0.20); 2]);
    }
    painter.glow((-60.0, 30.0), 260.0, Color::srgba(1.0, 0.93, 0.72, 0.55));
}

/// Removes all liquid and fills the tank again.
fn restart(
    mut commands: Commands,
    blobs: Query<Entity, With<FluidBlob>>,
    mut fluid: ResMut<FluidSimulation>,
) {
    blobs.iter().for_each(|blob| commands.entity(blob).despawn());
    fluid.clear();
    commands.run_system_cached(spawn_liquid);
}

fn color(mut classes: ResMut<FluidClasses>) {
    let colors = [[0.05, 0.16, 0.42, 1.0], [0.02, 0.46, 0.72, 1.0], [0.18, 0.76, 0.72, 1.0]];
    for (class, color) in classes.iter_mut().zip(colors) {
        class.color = color;
    }
}

/// Spawns two layers, and a block of heavy liquid that falls on them.
fn spawn_liquid(mut commands: Commands) {
    let block = |class, width: f32, height: f32, x: f32, y: f32| {
        let shape = FluidBlob::from(Rectangle::new(width, height));
        (shape, class, Transform::from_xyz(x, y, 0.0))
    };
    commands.spawn(block(FluidClass::MEDIUM, 540.0, 90.0, 0.0, -230.0));
    commands.spawn(block(FluidClass::LIGHT, 540.0, 40.0, 0.0, -160.0));
    commands.spawn(block(FluidClass::HEAVY, 90.0, 110.0, 0.0, 60.0));
}

/// Sets each camera's viewport to its third.
fn divide(mut cameras: Query<(&Third, &mut Camera)>) {
    for (third, mut camera) in &mut cameras {
        let Some(size) = camera.physical_target_size() else { continue };
        let width = size.x / LOOKS as u32;
        let viewport = Viewport {
            physical_position: UVec2::new(width * third.0, 0),
            physical_size: UVec2::new(width, size.y).max(UVec2::ONE),
            ..default()
        };
        if camera.viewport.as_ref().map(|viewport| viewport.physical_size)
            != Some(viewport.physical_size)
        {
            camera.viewport = Some(viewport);
        }
    }
}
