//! What drawing costs, on whatever graphics adapter there is: `cargo bench --workspace --bench drawing`.
//!
//! The liquid stands still. Every kind of looks is drawn in turn, round by round, and beside them what
//! a [`FluidSurface`] is held against: blobs with four full-screen passes.

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
use bevy_blob_fluid::render::{
    FluidInstance, FluidInstances, FluidPalette, FluidRenderPlugin, FluidSurfaceQuality, FluidWall,
    FluidWalls,
};

const SIZE: UVec2 = UVec2::new(1920, 1080);
/// Part of the picture's height that liquid takes up.
const FILLED: f32 = 0.5;
/// How many full-screen passes a surface may cost more than blobs.
const PASSES: usize = 4;

/// What is drawn.
struct Kind {
    name: &'static str,
    spawn: fn(&mut World),
}

const KINDS: [Kind; 8] = [
    Kind { name: "nothing", spawn: |_| {} },
    Kind { name: "blobs", spawn: blobs },
    Kind { name: "blobs and 4 full-screen passes", spawn: blobs_and_passes },
    Kind {
        name: "surface, low quality",
        spawn: |world| {
            world.spawn(FluidSurface { quality: FluidSurfaceQuality::Low, ..default() });
        },
    },
    Kind {
        name: "surface",
        spawn: |world| {
            world.spawn(FluidSurface::default());
        },
    },
    Kind {
        name: "surface at walls",
        spawn: |world| {
            world.spawn(FluidSurface::default());
            world.resource_mut::<FluidWalls>().set(walls());
        },
    },
    Kind {
        name: "surface, high quality",
        spawn: |world| {
            world.spawn(FluidSurface { quality: FluidSurfaceQuality::High, ..default() });
        },
    },
    Kind {
        name: "surface with all effects",
        spawn: |world| {
            world.spawn(FluidSurface::from(FluidSurfaceLook::WATER));
        },
    },
];

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

fn app(kind: &Kind, particles: usize) -> App {
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

    // Three layers in a hexagonal lattice.
    let area = SIZE.as_vec2() * Vec2::new(1.0, FILLED);
    let spacing = (area.x * area.y / particles as f32 / 0.75_f32.sqrt()).sqrt();
    let columns = (area.x / spacing) as usize;
    let rows = particles.div_ceil(columns);
    let points = (0..particles).map(|index| {
        let (row, column) = (index / columns, index % columns);
        let shift = 0.5 * (row & 1) as f32;
        let position = Vec2::new(column as f32 + shift, row as f32 * 0.75_f32.sqrt()) * spacing
            - 0.5 * SIZE.as_vec2();
        FluidInstance::new(position, position, (3 * row / rows) as u8, index as u8)
    });
    world.resource_mut::<FluidInstances>().set(points, spacing);
    for _ in 0..5 {
        frame(&mut app);
    }
    app
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
    let (counts, rounds) = if brief { (vec![1000], 1) } else { (vec![3_000, 10_000, 100_000], 7) };
    for count in counts {
        let mut apps = KINDS.map(|kind| (kind.name, app(&kind, count), Vec::new()));
        for _ in 0..rounds {
            for (_, app, times) in &mut apps {
                times.push(frame(app));
            }
        }
        let adapter = apps[0].1.world().resource::<RenderAdapterInfo>().name.clone();
        println!("\n{count} particles, {} x {}, {adapter}", SIZE.x, SIZE.y);
        let medians = apps.map(|(name, _, mut times)| {
            times.sort_by(f64::total_cmp);
            (name, times[times.len() / 2])
        });
        let (nothing, bar) = (medians[0].1, medians[2].1);
        println!("{:32} {:>10} {:>16}", "", "ms/frame", "of the bar");
        for (name, median) in medians {
            println!("{name:32} {median:10.2} {:16.2}", (median - nothing) / (bar - nothing));
        }
    }
}
