//! A falling-sand toy: every material, a brush, and a landscape to begin with.

use bevy::camera::{Hdr, ScalingMode};
use bevy::input::common_conditions::input_just_pressed;
use bevy::post_process::bloom::Bloom;
use bevy::prelude::*;
use bevy::sprite::Anchor;
use bevy_blob_fluid::prelude::*;
use example_support::DefaultPlugins; // Adds a command line. Delete this line in your own game.
use example_support::art::{self, Hud, Painter, Silhouette, slab};

/// The parts of the toy, one file each.
mod sandbox {
    pub mod brush;
    pub mod landscape;
    pub mod shelf;
    pub mod tiles;
}

use sandbox::{brush, landscape, shelf, tiles};

/// Size of the view, in world units.
const VIEW: Vec2 = Vec2::new(1280.0, 720.0);
/// Middle and size of the box, in world units.
const BOX: Rect = Rect { min: Vec2::new(-620.0, -262.0), max: Vec2::new(620.0, 348.0) };
/// Distance of the particles, in world units, and how many the box holds.
const SPACING: f32 = 4.0;
const CAPACITY: usize = 30_000;
const HELP: &str = "left mouse  pours     right mouse  erases     wheel  size     R  clears, and again: the \
                    landscape     Space  pauses";

fn main() {
    App::new()
        .add_plugins((DefaultPlugins, BlobFluidPlugins::default()))
        .insert_resource(ClearColor(Color::srgb(0.16, 0.10, 0.07)))
        .insert_resource(FluidSettings {
            capacity: CAPACITY,
            ..FluidSettings::new(SPACING, Vec2::new(0.0, -300.0))
        })
        .add_systems(Startup, (setup, tiles::spawn, shelf::spawn, landscape::pour, brush::spawn))
        .add_systems(PostStartup, scenery)
        .add_systems(Update, shelf::color.run_if(resource_changed::<FluidClasses>))
        .add_systems(
            Update,
            (
                brush::choose,
                brush::resize,
                brush::work,
                tiles::build,
                tiles::paint,
                clear.run_if(input_just_pressed(KeyCode::KeyR)),
                pause.run_if(input_just_pressed(KeyCode::Space)),
                count,
            )
                .chain(),
        )
        .run();
}

/// Marks the text with the number of particles.
#[derive(Component)]
struct Count;

fn setup(mut commands: Commands, mut materials: ResMut<FluidMaterials>) {
    let scaling_mode = ScalingMode::AutoMin { min_width: VIEW.x, min_height: VIEW.y };
    let projection =
        OrthographicProjection { scaling_mode, ..OrthographicProjection::default_2d() };
    commands.spawn((Camera2d, Hdr, Bloom::NATURAL, Projection::Orthographic(projection)));
    commands.spawn((
        FluidContainer::from(Rectangle::from_size(BOX.size())),
        Transform::from_translation(BOX.center().extend(0.0)),
    ));
    // Fire, smoke, steam and wind.
    let mut air = FluidAir::new(BOX.width(), BOX.height()).with_cell_size(10.0).with_open_top();
    air.settings.condensation_rate = 0.5;
    air.settings.smoke_dissipation = 0.4;
    air.settings.fire = AirFire { burn_rate: 3.0, soot: 0.2, ..default() };
    let smoke = Color::srgb(0.75, 0.73, 0.76);
    commands.spawn((
        air,
        FluidAirLook { smoke, vapour: 5.0, ..default() },
        Transform::from_translation(BOX.center().extend(1.0)),
    ));
    // All classes exist from the start, so that nothing waits for a class.
    for (name, ..) in shelf::CHIPS {
        if let Some(material) = FluidMadeOf::built_in(name) {
            materials.request(material.0);
        }
    }
    for (content, corner) in [(HELP, Anchor::TOP_LEFT), ("", Anchor::TOP_RIGHT)] {
        let at = Vec2::new(corner.as_vec().x * (VIEW.x - 70.0), BOX.max.y - 14.0);
        let mut text = commands.spawn((
            art::text(content, 13.0, Color::srgb(0.22, 0.14, 0.16), at.extend(10.0), corner),
            Hud,
        ));
        if content.is_empty() {
            text.insert(Count);
        }
    }
}

/// Empties the box, or pours the landscape into an empty one.
fn clear(
    mut commands: Commands,
    mut fluid: ResMut<FluidSimulation>,
    parts: Query<Entity, With<landscape::Part>>,
    mut walls: Single<&mut FluidTiles>,
) {
    let was_empty = fluid.particles().is_empty();
    parts.iter().for_each(|part| commands.entity(part).despawn());
    fluid.clear();
    **walls = tiles::grid(|middle| was_empty && landscape::is_rock(middle));
    if was_empty {
        commands.run_system_cached(landscape::pour);
    }
}

fn pause(mut time: ResMut<Time<Fluid>>) {
    if time.is_paused() { time.unpause() } else { time.pause() }
}

fn count(
    fluid: Res<FluidSimulation>,
    time: Res<Time<Fluid>>,
    mut text: Single<&mut Text2d, With<Count>>,
) {
    let paused = if time.is_paused() { ", paused" } else { "" };
    let shown = format!("{} of {CAPACITY}{paused}", fluid.particles().len());
    if text.0 != shown {
        text.0 = shown;
    }
}

/// A morning behind the glass of a box of wood.
fn scenery(mut painter: Painter) {
    use Silhouette::{Firs, Hills};
    let (rgb, rgba) = (Color::srgb, Color::srgba);
    painter.sky(&[
        (-200.0, rgb(1.0, 0.83, 0.62)),
        (40.0, rgb(0.98, 0.76, 0.68)),
        (200.0, rgb(0.66, 0.72, 0.84)),
        (360.0, rgb(0.36, 0.55, 0.78)),
    ]);
    painter.glow((-60.0, 30.0), 420.0, rgba(1.0, 0.93, 0.70, 0.85));
    painter.disc((-60.0, 30.0), 40.0, rgb(1.0, 0.97, 0.86));
    for (x, y, width) in [(-330.0, 270.0, 210.0), (120.0, 120.0, 170.0), (330.0, 290.0, 240.0)] {
        for part in 0..9_u8 {
            let shift = f32::from(part) / 4.0 - 1.0;
            let at = Vec2::new(x + 0.5 * width * shift, y + 9.0 * (3.0 * shift).cos());
            let radius = width * (0.34 - 0.17 * shift.abs());
            painter.glow(at, radius, rgba(1.0, 0.97, 0.94, 0.22));
        }
    }
    painter.ridge(Hills, [-262.0, 30.0], [rgb(0.62, 0.60, 0.74), rgb(0.96, 0.80, 0.72)]);
    painter.ridge(Hills, [-262.0, -60.0], [rgb(0.44, 0.50, 0.62), rgb(0.86, 0.74, 0.68)]);
    painter.ridge(Firs, [-262.0, -110.0], [rgb(0.24, 0.36, 0.42), rgb(0.60, 0.60, 0.58)]);
    for [middle, half] in landscape::CAVES {
        let ring = (0..24_u8).map(|part| {
            let way = Vec2::from_angle(std::f32::consts::TAU * f32::from(part) / 24.0);
            (middle + 1.1 * way * half).into()
        });
        let ring: Vec<(f32, f32)> = ring.collect();
        painter.shape(&ring, 0.0, [rgb(0.16, 0.12, 0.15), rgb(0.30, 0.22, 0.24)]);
    }
    // The box: posts, lid, and the shelf below. Beyond the posts is the wall of the room.
    painter.in_front();
    let room = [rgb(0.30, 0.20, 0.15), rgb(0.20, 0.12, 0.09)];
    for side in [-1.0, 1.0] {
        painter.panel((side * 1140.0, 0.0), (1040.0, 2000.0), room);
        painter.board((side * 630.0, 42.0), (20.0, 650.0), rgb(0.50, 0.31, 0.19));
    }
    painter.panel((0.0, 860.0), (3200.0, 1024.0), room);
    painter.board((0.0, 356.0), (1290.0, 16.0), rgb(0.56, 0.35, 0.21));
    painter.panel((0.0, -880.0), (3200.0, 1100.0), room);
    painter.panel((0.0, -312.0), (1290.0, 100.0), [rgb(0.43, 0.26, 0.16), rgb(0.27, 0.16, 0.10)]);
    painter.board((0.0, -268.0), (1290.0, 12.0), rgb(0.60, 0.38, 0.23));
    for (x, width) in [(-430.0, 34.0), (-370.0, 12.0)] {
        let shine =
            [(x, 348.0), (x + width, 348.0), (x + width - 260.0, -262.0), (x - 260.0, -262.0)];
        painter.shape(&shine, 0.0, [rgba(1.0, 1.0, 1.0, 0.09), rgba(1.0, 1.0, 1.0, 0.02)]);
    }
    painter.vignette(VIEW, 0.25);
}

/// The name of a chip on the shelf, under the pile of its material.
fn label(content: &str, size: f32, color: Color) -> impl Bundle {
    (Text2d::new(content), TextFont::from_font_size(FontSize::Px(2.0 * size)), TextColor(color))
}

/// A small board for the shelf, for a material of its own colour.
fn chip_mesh(size: Vec2) -> Mesh {
    slab(size, Color::WHITE, 0.0)
}
