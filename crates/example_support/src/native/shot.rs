//! Pictures drawn offscreen by the real renderer.

use std::path::PathBuf;

use bevy::asset::RenderAssetUsages;
use bevy::camera::RenderTarget;
use bevy::prelude::*;
use bevy::render::render_resource::TextureFormat;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use bevy::time::TimeUpdateStrategy;
use bevy_blob_fluid::{Fluid, FluidSimulation};

use super::arguments::PictureSize;
use super::png_file::{exit_with, save};
use super::progress::Progress;
use crate::hud::hide_hud;
use crate::wait::{stop_time, wait_for_assets};

/// Frames drawn before the picture is taken, so that text is laid out and assets are loaded.
const FRAMES_TO_SETTLE: u32 = 8;

/// Lets all cameras draw into an image, simulates, and saves the image.
pub(crate) struct ShotPlugin {
    pub file: PathBuf,
    pub at: f64,
    pub size: PictureSize,
}

#[derive(Resource)]
struct Shot {
    file: PathBuf,
    image: Handle<Image>,
    size: PictureSize,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq)]
enum Stage {
    Simulating,
    Settling(u32),
    Captured,
}

impl Plugin for ShotPlugin {
    fn build(&self, app: &mut App) {
        // This fails before a long simulation rather than after it.
        if let Err(error) = save(&self.file, 1, 1, &[0, 0, 0]) {
            exit_with(&format!("{}: {error}", self.file.display()));
        }
        let PictureSize { width, height } = self.size;
        let mut image =
            Image::new_target_texture(width, height, TextureFormat::Rgba8UnormSrgb, None);
        image.asset_usage = RenderAssetUsages::all();
        let image = app.world_mut().resource_mut::<Assets<Image>>().add(image);
        app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
            .insert_resource(Progress::until(self.at))
            .insert_resource(Shot {
                file: self.file.clone(),
                image,
                size: self.size,
                stage: Stage::Simulating,
            })
            .add_observer(redirect)
            .add_systems(Update, (wait_for_assets, hide_hud))
            .add_systems(Last, advance);
    }
}

/// Lets a camera draw into the image, and disables it until the picture is due.
fn redirect(
    added: On<Add, Camera>,
    shot: Res<Shot>,
    mut cameras: Query<&mut Camera>,
    mut commands: Commands,
) {
    commands.entity(added.entity).insert(RenderTarget::Image(shot.image.clone().into()));
    if let Ok(mut camera) = cameras.get_mut(added.entity) {
        camera.is_active = shot.stage != Stage::Simulating;
    }
}

fn advance(
    mut commands: Commands,
    fluid: Res<FluidSimulation>,
    progress: Res<Progress>,
    mut time: ResMut<Time<Fluid>>,
    mut strategy: ResMut<TimeUpdateStrategy>,
    mut shot: ResMut<Shot>,
    mut cameras: Query<&mut Camera>,
) {
    match shot.stage {
        Stage::Simulating if progress.follow(&fluid) => {
            stop_time(&mut time, &mut strategy);
            cameras.iter_mut().for_each(|mut camera| camera.is_active = true);
            shot.stage = Stage::Settling(FRAMES_TO_SETTLE);
        }
        Stage::Settling(0) => {
            commands.spawn(Screenshot::image(shot.image.clone())).observe(save_picture);
            shot.stage = Stage::Captured;
        }
        Stage::Settling(frames) => shot.stage = Stage::Settling(frames - 1),
        Stage::Simulating | Stage::Captured => {}
    }
}

fn save_picture(
    captured: On<ScreenshotCaptured>,
    shot: Res<Shot>,
    mut exit: MessageWriter<AppExit>,
) {
    let pixels = captured.image.data.as_deref().unwrap_or_default();
    let rgb: Vec<u8> =
        pixels.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    if let Err(error) = save(&shot.file, shot.size.width, shot.size.height, &rgb) {
        exit_with(&format!("{}: {error}", shot.file.display()));
    }
    exit.write(AppExit::Success);
}
