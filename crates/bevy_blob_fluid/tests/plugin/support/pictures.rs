//! Pictures from whatever graphics adapter there is, a software one included.
//!
//! Without an adapter tests of pictures say so and pass; with `BLOB_FLUID_REQUIRE_GPU=1` they fail.
//! `BLOB_FLUID_PICTURES` may name a folder to save the pictures to, to be looked at.
#![allow(dead_code, reason = "each program uses its own part")]

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;

use bevy::app::{PluginGroupBuilder, Plugins, PluginsState};
use bevy::asset::RenderAssetUsages;
use bevy::camera::RenderTarget;
use bevy::log::LogPlugin;
use bevy::render::pipelined_rendering::PipelinedRenderingPlugin;
use bevy::render::render_resource::{PipelineCache, TextureFormat};
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use bevy::render::{RenderApp, RenderPlugin};
use bevy::time::TimeUpdateStrategy;
use bevy::window::ExitCondition;
use bevy::winit::WinitPlugin;

use crate::app::*;

/// Whether a picture can be drawn here.
pub fn adapter_found() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let instance = wgpu::Instance::default();
        let request = instance.request_adapter(&wgpu::RequestAdapterOptions::default());
        let found = bevy::tasks::block_on(request).is_ok();
        let required = std::env::var("BLOB_FLUID_REQUIRE_GPU").is_ok_and(|value| value == "1");
        assert!(found || !required, "BLOB_FLUID_REQUIRE_GPU is set, but there is no adapter");
        if !found {
            println!("skipped: no graphics adapter (one: apt-get install mesa-vulkan-drivers)");
        }
        found
    })
}

/// Bevy's plugins, without a window.
pub fn drawing_plugins() -> PluginGroupBuilder {
    DefaultPlugins
        .set(RenderPlugin { synchronous_pipeline_compilation: true, ..default() })
        .set(WindowPlugin {
            primary_window: None,
            exit_condition: ExitCondition::DontExit,
            ..default()
        })
        .disable::<WinitPlugin>()
        .disable::<PipelinedRenderingPlugin>()
        .disable::<LogPlugin>()
}

/// An app with Bevy's plugins and then these, or `None` without an adapter.
pub fn drawing<M>(plugins: impl Plugins<M>) -> Option<App> {
    drawing_with(|_| {}, |app| _ = app.add_plugins(plugins))
}

/// An app with Bevy's plugins between what `before` and `after` add, or `None` without an adapter.
pub fn drawing_with(before: impl FnOnce(&mut App), after: impl FnOnce(&mut App)) -> Option<App> {
    if !adapter_found() {
        return None;
    }
    let mut app = App::new();
    before(&mut app);
    app.add_plugins(drawing_plugins())
        .insert_resource(ClearColor(Color::BLACK))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    after(&mut app);
    while app.plugins_state() == PluginsState::Adding {
        bevy::tasks::tick_global_task_pools_on_main_thread();
    }
    app.finish_plugins();
    Some(app)
}

/// An app that simulates and draws, with these settings, particles that look so, and what `add`
/// adds.
pub fn offscreen(
    settings: FluidSettings,
    dots: FluidDots,
    add: impl FnOnce(&mut App),
) -> Option<App> {
    let mut app = drawing_with(
        |_| {},
        |app| {
            app.add_plugins(BlobFluidPlugins::default()).insert_resource(settings);
            app.spawn(dots);
            add(app);
        },
    )?;
    // The first update only starts the clocks.
    app.update();
    Some(app)
}

/// A camera that draws to a picture of its own.
pub fn spawn_camera(app: &mut App, size: u32) -> (Entity, Handle<Image>) {
    let mut image = Image::new_target_texture(size, size, TextureFormat::Rgba8UnormSrgb, None);
    image.asset_usage = RenderAssetUsages::all();
    let image = app.world_mut().resource_mut::<Assets<Image>>().add(image);
    let target = RenderTarget::Image(image.clone().into());
    let camera = app.world_mut().spawn((Camera2d, target)).id();
    (camera, image)
}

/// What the camera of a picture sees now.
pub fn shoot(app: &mut App, target: &Handle<Image>) -> Image {
    let shot = Arc::new(Mutex::new(None));
    let slot = shot.clone();
    // A frame for what was spawned to be seen, and more where shaders are still being read, on a busy machine.
    app.update();
    for _ in 0..200 {
        if !lacks_shaders(app) {
            break;
        }
        app.update();
    }
    app.world_mut().spawn(Screenshot::image(target.clone())).observe(
        move |captured: On<ScreenshotCaptured>| {
            *slot.lock().expect("no panic elsewhere") = Some(captured.image.clone());
        },
    );
    for _ in 0..200 {
        app.update();
        if let Some(image) = shot.lock().expect("no panic elsewhere").take() {
            save(&image);
            return image;
        }
    }
    panic!("no screenshot after 200 frames");
}

/// Whether anything is not drawn yet because its shaders are not there.
fn lacks_shaders(app: &App) -> bool {
    let pipelines = app.sub_app(RenderApp).world().resource::<PipelineCache>();
    pipelines.waiting_pipelines().next().is_some()
}

fn save(image: &Image) {
    static SAVED: AtomicUsize = AtomicUsize::new(0);
    let Ok(folder) = std::env::var("BLOB_FLUID_PICTURES") else { return };
    let (thread, number) = (thread::current(), SAVED.fetch_add(1, Ordering::Relaxed));
    let name = format!("{}_{number:03}.png", thread.name().unwrap_or_default());
    let picture = image.clone().try_into_dynamic().expect("an RGBA picture");
    picture.to_rgb8().save(Path::new(&folder).join(name)).expect("a folder to write to");
}

/// The colour at a place in world units.
pub fn at(image: &Image, x: f32, y: f32) -> [u8; 3] {
    let half = 0.5 * image.width() as f32;
    let color =
        image.get_color_at((half + x) as u32, (half - y) as u32).expect("inside").to_srgba();
    [color.red, color.green, color.blue].map(|channel| (channel * 255.0).round() as u8)
}

/// The linear red, green and blue at a place in world units.
pub fn light(image: &Image, x: f32, y: f32) -> Vec3 {
    let [red, green, blue] = at(image, x, y);
    Color::srgb_u8(red, green, blue).to_linear().to_vec3()
}
