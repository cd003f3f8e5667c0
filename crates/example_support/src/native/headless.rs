//! Runs without drawing.

use std::path::PathBuf;

use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_blob_fluid::FluidSimulation;
use bevy_blob_fluid::blob_fluid::measure::measure;

use super::arguments::PictureSize;
use super::picture::Picture;
use crate::native::picture::exit_with;
use crate::native::progress::Progress;
use crate::wait::wait_for_assets;

/// Simulates as fast as possible, prints a report, and draws a picture on the CPU if one is
/// requested.
pub(crate) struct HeadlessPlugin {
    pub seconds: f64,
    pub picture: Option<(PathBuf, PictureSize)>,
}

#[derive(Resource)]
struct Wanted(Option<(PathBuf, PictureSize)>);

impl Plugin for HeadlessPlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
            .insert_resource(Progress::until(self.seconds))
            .insert_resource(Wanted(self.picture.clone()))
            .add_systems(Update, wait_for_assets)
            .add_systems(Last, finish_in_time);
    }
}

fn finish_in_time(
    fluid: Res<FluidSimulation>,
    progress: Res<Progress>,
    wanted: Res<Wanted>,
    mut exit: MessageWriter<AppExit>,
) {
    if !progress.follow(&fluid) {
        return;
    }
    println!("{}", measure(&fluid));
    if let Some((file, size)) = &wanted.0 {
        let picture = Picture::of(&fluid, size.width, size.height);
        if let Err(error) = picture.save(file) {
            exit_with(&format!("{}: {error}", file.display()));
        }
        println!("drawn by the CPU: {}", file.display());
    }
    exit.write(AppExit::Success);
}
