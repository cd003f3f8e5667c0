//! What drawing costs, on whatever graphics adapter there is: `cargo bench --workspace --bench drawing`.
//!
//! The liquid is published anew before every frame, as if it moved, or else stands still. Every kind of
//! looks is drawn in turn, round by round, and beside them what a [`FluidSurface`] is held against: for a lake, blobs with four full-screen passes; for two pools
//! with air between them, blobs alone. `-- pools` draws the scenes with that in their names only.

use std::time::Instant;

use bevy::app::PluginsState;
use bevy::asset::RenderAssetUsages;
use bevy::camera::RenderTarget;
use bevy::log::LogPlugin;
use bevy::prelude::*;
use bevy::render::RenderPlugin;
use bevy::render::pipelined_rendering::PipelinedRenderingPlugin;
use bevy::render::render_resource::{PollType, TextureFormat};
use bevy::render::renderer::{RenderAdapterInfo, RenderDevice};
use bevy::window::ExitCondition;
use bevy::winit::WinitPlugin;
use bevy_blob_fluid::prelude::*;
use bevy_blob_fluid::render::raw::{
    FluidGases, FluidInstance, FluidInstances, FluidPalette, FluidWall, FluidWalls,
};
use bevy_blob_fluid::render::{FluidRenderPlugin, FluidSurfaceQuality};

const SIZE: UVec2 = UVec2::new(1920, 1080);
/// How many full-screen passes a surface of a lake may cost more than blobs.
const PASSES: usize = 4;

/// Where liquid is, what it is drawn with, and what that is held against.
struct Scene {
    name: &'static str,
    /// Opposite corners of the pools, as parts of the picture from the lower left.
    pools: &'static [[Vec2; 2]],
    counts: &'static [usize],
    kinds: &'static [Kind],
    /// Index of the kind that counts as 1; the first, an empty frame, counts as 0.
    unit: usize,
}

const SCENES: [Scene; 2] = [
    Scene {
        name: "a lake",
        pools: &[[Vec2::ZERO, Vec2::new(1.0, 0.5)]],
        counts: &[3_000, 10_000, 100_000],
        kinds: &[
            NOTHING,
            BLOBS,
            BLOBS_AND_PASSES,
            SURFACE_LOW,
            SURFACE,
            SURFACE_AT_REST,
            SURFACE_AT_WALLS,
            SURFACE_HIGH,
            SURFACE_WITH_ALL,
        ],
        unit: 2,
    },
    // The box around both is 42 % of the picture, and the liquid 19 %.
    Scene {
        name: "two pools apart",
        pools: &[
            [Vec2::new(0.05, 0.05), Vec2::new(0.25, 0.52)],
            [Vec2::new(0.75, 0.05), Vec2::new(0.95, 0.52)],
        ],
        counts: &[3_000, 10_000],
        kinds: &[
            NOTHING,
            BLOBS,
            SURFACE_LOW,
            SURFACE,
            SURFACE_AT_REST,
            SURFACE_HIGH,
            SURFACE_WITH_ALL,
            GAS,
        ],
        unit: 1,
    },
];

/// What is drawn.
struct Kind {
    name: &'static str,
    spawn: fn(&mut World),
}

/// The kind whose liquid stands still.
const AT_REST: &str = "surface at rest";

const NOTHING: Kind = Kind { name: "nothing", spawn: |_| {} };
const BLOBS: Kind = Kind { name: "blobs", spawn: blobs };
const BLOBS_AND_PASSES: Kind =
    Kind { name: "blobs and 4 full-screen passes", spawn: blobs_and_passes };
const SURFACE_LOW: Kind = Kind {
    name: "surface, low quality",
    spawn: |world| {
        world.spawn(FluidSurface { quality: FluidSurfaceQuality::Low, ..default() });
    },
};
const SURFACE: Kind = Kind {
    name: "surface",
    spawn: |world| {
        world.spawn(FluidSurface::default());
    },
};
const SURFACE_AT_REST: Kind = Kind { name: AT_REST, spawn: SURFACE.spawn };
const GAS: Kind = Kind {
    name: "gas",
    spawn: |world| {
        world.spawn(FluidSurface::default());
        world.insert_resource(FluidGases(vec![0, 1, 2]));
    },
};
const SURFACE_AT_WALLS: Kind = Kind {
    name: "surface at walls",
    spawn: |world| {
        world.spawn(FluidSurface::default());
        world.resource_mut::<FluidWalls>().set(walls());
    },
};
const SURFACE_HIGH: Kind = Kind {
    name: "surface, high quality",
    spawn: |world| {
        world.spawn(FluidSurface { quality: FluidSurfaceQuality::High, ..default() });
    },
};
const SURFACE_WITH_ALL: Kind = Kind {
    name: "surface with all effects",
    spawn: |world| {
        world.spawn(FluidSurface::from(FluidSurfaceLook::WATER));
    },
};

/// The walls of a tank, and a grid of a thousand boxes in it, half of them in the liquid.
fn walls() -> impl Iterator<Item = FluidWall> {
    let corners = [Vec2::NEG_ONE, Vec2::new(1.0, -1.0), Vec2::ONE, Vec2::new(-1.0, 1.0)];
    let ring = move |centre: Vec2, half_size: Vec2, inside: bool| {
        (0..4).map(move |index| {
            let [a, b] = [index, (index + 1) % 4].map(|index| centre + corners[index] * half_size);
            if inside {
                FluidWall::face(a, b, [true; 2])
            } else {
                FluidWall::face(b, a, [false; 2])
            }
        })
    };
    let boxes = (0..1000).flat_map(move |index| {
        let place = Vec2::new((index % 40) as f32 + 0.5, (index / 40) as f32 + 0.5);
        let place = (place / Vec2::new(40.0, 25.0) - 0.5) * SIZE.as_vec2();
        ring(place, Vec2::splat(8.0), false)
    });
    ring(Vec2::ZERO, 0.5 * SIZE.as_vec2(), true).chain(boxes)
}

fn blobs(world: &mut World) {
    world.spawn(FluidDots::default());
}

fn blobs_and_passes(world: &mut World) {
    blobs(world);
    let mut image = Image::new_target_texture(SIZE.x, SIZE.y, TextureFormat::Rgba8UnormSrgb, None);
    image.asset_usage = RenderAssetUsages::all();
    let image = world.resource_mut::<Assets<Image>>().add(image);
    for pass in 0..PASSES {
        let color = Color::srgba(1.0, 1.0, 1.0, 0.1);
        let sprite = Sprite { color, ..Sprite::from_image(image.clone()) };
        world.spawn((sprite, Transform::from_xyz(0.0, 0.0, 10.0 + pass as f32)));
    }
}

fn app(kind: &Kind, pools: &[[Vec2; 2]], particles: usize) -> App {
    let mut app = App::new();
    app.add_plugins((
        DefaultPlugins
            .set(RenderPlugin { synchronous_pipeline_compilation: true, ..default() })
            .set(WindowPlugin {
                primary_window: None,
                exit_condition: ExitCondition::DontExit,
                ..default()
            })
            .disable::<WinitPlugin>()
            .disable::<PipelinedRenderingPlugin>()
            .disable::<LogPlugin>(),
        FluidRenderPlugin { spawn_surface: false, ..default() },
    ));
    while app.plugins_state() == PluginsState::Adding {
        bevy::tasks::tick_global_task_pools_on_main_thread();
    }
    app.finish();
    app.cleanup();
    let world = app.world_mut();
    let mut image = Image::new_target_texture(SIZE.x, SIZE.y, TextureFormat::Rgba8UnormSrgb, None);
    image.asset_usage = RenderAssetUsages::RENDER_WORLD;
    let image = world.resource_mut::<Assets<Image>>().add(image);
    world.spawn((Camera2d, RenderTarget::Image(image.into())));
    world.resource_mut::<FluidPalette>().set([
        Color::srgb(0.9, 0.3, 0.2),
        Color::srgb(0.1, 0.6, 0.7),
        Color::srgb(0.7, 0.6, 0.9),
    ]);
    (kind.spawn)(world);

    // Three layers in a hexagonal lattice, in each pool. All pools are of one size.
    let [low, high] = pools[0];
    let area = SIZE.as_vec2() * (high - low);
    let own = particles / pools.len();
    let spacing = (area.x * area.y / own as f32 / 0.75_f32.sqrt()).sqrt();
    let columns = (area.x / spacing) as usize;
    let rows = own.div_ceil(columns);
    let points = pools.iter().flat_map(|[low, _]| {
        (0..own).map(move |index| {
            let (row, column) = (index / columns, index % columns);
            let shift = 0.5 * (row & 1) as f32;
            let position = Vec2::new(column as f32 + shift, row as f32 * 0.75_f32.sqrt()) * spacing
                + (*low - 0.5) * SIZE.as_vec2();
            FluidInstance::new(position, position, (3 * row / rows) as u8, index as u8)
        })
    });
    world.resource_mut::<FluidInstances>().set(points, spacing);
    for _ in 0..5 {
        frame(&mut app);
    }
    app
}

/// Publishes the particles anew, one of them changed.
fn publish(app: &mut App) {
    let mut instances = app.world_mut().resource_mut::<FluidInstances>();
    let mut particles = instances.as_slice().to_vec();
    if let Some(first) = particles.first_mut() {
        let opacity = if *first == first.with_opacity(1.0) { 0.99 } else { 1.0 };
        *first = first.with_opacity(opacity);
    }
    let spacing = instances.particle_spacing();
    instances.set(particles, spacing);
}

/// Milliseconds of a frame, the graphics adapter's part included.
fn frame(app: &mut App) -> f64 {
    let begin = Instant::now();
    app.update();
    let device = app.world().resource::<RenderDevice>();
    if let Err(error) = device.poll(PollType::wait_indefinitely()) {
        panic!("the graphics adapter does not answer: {error}");
    }
    1e3 * begin.elapsed().as_secs_f64()
}

fn main() {
    // `cargo test --benches` and `cargo bench -- --test` only see whether it runs.
    let brief = std::env::args().any(|argument| argument == "--test");
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let wanted = wanted.unwrap_or_default();
    for scene in SCENES.iter().filter(|scene| scene.name.contains(&wanted)) {
        let (counts, rounds) = if brief { (&[1000][..], 1) } else { (scene.counts, 7) };
        for count in counts {
            measure(scene, *count, rounds);
        }
    }
}

/// Draws a scene with each of its kinds in turn, and reports what they cost.
fn measure(scene: &Scene, particles: usize, rounds: usize) {
    let mut apps: Vec<_> = scene
        .kinds
        .iter()
        .map(|kind| (kind.name, app(kind, scene.pools, particles), Vec::new()))
        .collect();
    for _ in 0..rounds {
        for (name, app, times) in &mut apps {
            if *name != AT_REST {
                publish(app);
            }
            times.push(frame(app));
        }
    }
    let adapter = apps[0].1.world().resource::<RenderAdapterInfo>().name.clone();
    println!("\n{}: {particles} particles, {} x {}, {adapter}", scene.name, SIZE.x, SIZE.y);
    let medians: Vec<_> = apps
        .into_iter()
        .map(|(name, _, mut times)| {
            times.sort_by(f64::total_cmp);
            (name, times[times.len() / 2])
        })
        .collect();
    let (nothing, (unit_name, unit)) = (medians[0].1, medians[scene.unit]);
    println!("{:32} {:>10}   of that of {unit_name}", "", "ms/frame");
    for (name, median) in medians {
        println!("{name:32} {median:10.2} {:16.2}", (median - nothing) / (unit - nothing));
    }
}
