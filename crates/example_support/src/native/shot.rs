//! Pictures drawn offscreen by the real renderer.

use std::path::PathBuf;

use bevy::prelude::*;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use bevy::time::TimeUpdateStrategy;
use bevy_blob_fluid::{Fluid, FluidSimulation};

use super::arguments::PictureSize;
use super::progress::Progress;
use super::target::{Target, TargetPlugin, ensure_writable};
use crate::wait::stop_time;

/// Frames drawn before the picture is taken, so that text is laid out and assets are loaded.
const FRAMES_TO_SETTLE: u32 = 8;

/// Simulates, lets all cameras draw into an image, and saves the image.
pub(crate) struct ShotPlugin {
    pub file: PathBuf,
    pub at: f64,
    pub size: PictureSize,
}

#[derive(Resource)]
struct Shot {
    file: PathBuf,
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
        ensure_writable(&self.file);
        app.add_plugins(TargetPlugin { size: self.size })
            .insert_resource(Progress::until(self.at))
            .insert_resource(Shot { file: self.file.clone(), stage: Stage::Simulating })
            .add_systems(Last, advance);
    }
}

fn advance(
    mut commands: Commands,
    fluid: Res<FluidSimulation>,
    progress: Res<Progress>,
    mut time: ResMut<Time<Fluid>>,
    mut strategy: ResMut<TimeUpdateStrategy>,
    mut shot: ResMut<Shot>,
    mut target: ResMut<Target>,
    mut cameras: Query<&mut Camera>,
) {
    match shot.stage {
        Stage::Simulating if progress.follow(&fluid) => {
            stop_time(&mut time, &mut strategy);
            target.open_eyes(&mut cameras);
            shot.stage = Stage::Settling(FRAMES_TO_SETTLE);
        }
        Stage::Settling(0) => {
            commands.spawn(Screenshot::image(target.image.clone())).observe(save_picture);
            shot.stage = Stage::Captured;
        }
        Stage::Settling(frames) => shot.stage = Stage::Settling(frames - 1),
        Stage::Simulating | Stage::Captured => {}
    }
}

fn save_picture(
    captured: On<ScreenshotCaptured>,
    shot: Res<Shot>,
    target: Res<Target>,
    mut exit: MessageWriter<AppExit>,
) {
    target.save(&captured.image, &shot.file);
    exit.write(AppExit::Success);
}
