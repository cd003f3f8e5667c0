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
        .insert_resource(FluidSettings::new(3.5, Vec2::new(0.0, -300.0)))
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
        commands.spawn((
            Text2d::new(["dots", "surface", "all effects"][third]),
            // Letters of four times the size, made smaller, are sharp in large pictures.
            TextFont::from_font_size(FontSize::Px(52.0)),
            Transform::from_translation((MIDDLE - Vec2::Y * 0.44 * SEEN.y).extend(10.0))
                .with_scale(Vec3::splat(0.25)),
            RenderLayers::layer(third + 1),
        ));
    }
    commands.spawn((FluidDots::default(), RenderLayers::layer(1)));
    commands.spawn((FluidSurface::default(), RenderLayers::layer(2)));
    let water = FluidSurfaceLook::WATER;
    let water = FluidSurfaceLook { opacity: 0.72, ..water };
    let heavy = FluidSurfaceLook {
        opacity: 0.9,
        depth_color: Color::srgba(0.55, 0.05, 0.02, 0.8),
        caustics: 0.25,
        ..water
    };
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
    painter.sky(&[(-280.0, rgb(0.56, 0.71, 0.80)), (60.0, rgb(0.92, 0.96, 0.97))]);
    for stripe in -9..=9 {
        let x = 34.0 * f32::from(stripe as i8);
        painter.panel((x, -60.0), (6.0, 800.0), [Color::srgba(1.0, 1.0, 1.0, 0.55); 2]);
    }
    painter.glow((-60.0, 30.0), 260.0, Color::srgba(1.0, 0.97, 0.88, 0.6));
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
    let colors = [[1.0, 0.35, 0.24, 1.0], [0.08, 0.47, 0.78, 1.0], [0.61, 0.91, 0.86, 1.0]];
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
