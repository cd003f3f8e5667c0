//! The app that tests draw pictures with, from whatever graphics adapter there is, a software one
//! included.

use std::sync::{Arc, Mutex};

use bevy::app::PluginsState;
use bevy::asset::RenderAssetUsages;
use bevy::camera::RenderTarget;
use bevy::log::LogPlugin;
use bevy::prelude::*;
use bevy::render::RenderPlugin;
use bevy::render::pipelined_rendering::PipelinedRenderingPlugin;
use bevy::render::render_resource::TextureFormat;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use bevy::time::TimeUpdateStrategy;
use bevy::window::ExitCondition;
use bevy::winit::WinitPlugin;
use bevy_blob_fluid::prelude::*;

/// Whether a picture can be drawn here; says so where it cannot. With `BLOB_FLUID_REQUIRE_GPU=1`
/// that is a failure.
pub fn adapter_found() -> bool {
    let instance = wgpu::Instance::default();
    let request = instance.request_adapter(&wgpu::RequestAdapterOptions::default());
    if bevy::tasks::block_on(request).is_ok() {
        return true;
    }
    let required = std::env::var("BLOB_FLUID_REQUIRE_GPU").is_ok_and(|value| value == "1");
    assert!(!required, "BLOB_FLUID_REQUIRE_GPU is set, but there is no graphics adapter");
    println!("skipped: no graphics adapter (a software one: apt-get install mesa-vulkan-drivers)");
    false
}

/// An app with the renderer, without a window, in which every update is one fixed step, with these
/// settings, particles that look so, and what `add` adds.
pub fn offscreen(
    settings: FluidSettings,
    material: FluidMaterial,
    add: impl FnOnce(&mut App),
) -> App {
    let mut app = App::new();
    app.add_plugins(
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
    )
    .add_plugins(BlobFluidPlugins::default())
    .insert_resource(ClearColor(Color::BLACK))
    .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
    .insert_resource(settings);
    app.world_mut().spawn(material);
    add(&mut app);
    while app.plugins_state() == PluginsState::Adding {
        bevy::tasks::tick_global_task_pools_on_main_thread();
    }
    app.finish();
    app.cleanup();
    // The first update only starts the clocks.
    app.update();
    app
}

/// A camera that draws to a square picture of its own, a world unit to the pixel.
pub fn spawn_camera(app: &mut App, size: u32) -> (Entity, Handle<Image>) {
    let mut image = Image::new_target_texture(size, size, TextureFormat::Rgba8UnormSrgb, None);
    image.asset_usage = RenderAssetUsages::all();
    let image = app.world_mut().resource_mut::<Assets<Image>>().add(image);
    let target = RenderTarget::Image(image.clone().into());
    let camera = app.world_mut().spawn((Camera2d, target)).id();
    (camera, image)
}

/// What the camera of a picture sees now. Where `BLOB_FLUID_PICTURES` names a folder it is saved
/// there by that name, to be looked at.
pub fn shoot(app: &mut App, target: &Handle<Image>, name: &str) -> Image {
    let shot = Arc::new(Mutex::new(None));
    let place = shot.clone();
    // A frame for what was spawned to be seen.
    app.update();
    app.world_mut().spawn(Screenshot::image(target.clone())).observe(
        move |captured: On<ScreenshotCaptured>| {
            *place.lock().expect("no panic elsewhere") = Some(captured.image.clone());
        },
    );
    for _ in 0..200 {
        app.update();
        if let Some(image) = shot.lock().expect("no panic elsewhere").take() {
            save(&image, name);
            return image;
        }
    }
    panic!("no screenshot after 200 frames");
}

fn save(image: &Image, name: &str) {
    let Ok(folder) = std::env::var("BLOB_FLUID_PICTURES") else { return };
    let picture = image.clone().try_into_dynamic().expect("an RGBA picture");
    let path = std::path::Path::new(&folder).join(format!("{name}.png"));
    picture.to_rgb8().save(path).expect("a folder to write to");
}
