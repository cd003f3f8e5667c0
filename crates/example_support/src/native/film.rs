//! Pictures of a span of simulated time, drawn offscreen by the real renderer, from which other programs make films.

use std::path::PathBuf;

use bevy::prelude::*;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use bevy_blob_fluid::FluidSimulation;

use super::arguments::PictureSize;
use super::picture::{Target, TargetPlugin, ensure_writable};
use super::progress::Progress;
use crate::wait::has_come_to;

/// Pictures in a second of simulated time: one after every second tick of the default clock.
const PICTURES_PER_SECOND: f64 = 32.0;

/// Saves 32 pictures in each simulated second, as `0000.png`, `0001.png`, ...
pub(crate) struct FilmPlugin {
    pub folder: PathBuf,
    /// Simulated times of the first picture and of the end, in seconds.
    pub begin: f64,
    pub end: f64,
    pub size: PictureSize,
}

#[derive(Resource)]
struct Film {
    folder: PathBuf,
    begin: f64,
    end: f64,
    /// Number of requested pictures, and of saved ones.
    taken: u32,
    saved: u32,
}

impl Film {
    fn file(&self, number: u32) -> PathBuf {
        self.folder.join(format!("{number:04}.png"))
    }

    /// The simulated time at which the next picture is due.
    fn due(&self) -> f64 {
        self.begin + f64::from(self.taken) / PICTURES_PER_SECOND
    }
}

impl Plugin for FilmPlugin {
    fn build(&self, app: &mut App) {
        let film = Film {
            folder: self.folder.clone(),
            begin: self.begin,
            end: self.end,
            taken: 0,
            saved: 0,
        };
        ensure_writable(&film.file(0));
        app.add_plugins(TargetPlugin { size: self.size })
            .insert_resource(Progress::until(self.end))
            .insert_resource(film)
            .add_systems(Last, advance);
    }
}

fn advance(
    mut commands: Commands,
    fluid: Res<FluidSimulation>,
    progress: Res<Progress>,
    mut film: ResMut<Film>,
    mut target: ResMut<Target>,
    mut cameras: Query<&mut Camera>,
    mut exit: MessageWriter<AppExit>,
) {
    let over = progress.follow(&fluid);
    if !target.drawing() {
        // The first picture is requested only after a frame has been drawn.
        if has_come_to(&fluid, film.begin) {
            target.open_eyes(&mut cameras);
        }
    } else if has_come_to(&fluid, film.due()) && film.due() < film.end {
        let number = film.taken;
        let image = target.image.clone();
        commands.spawn(Screenshot::image(image)).observe(
            move |captured: On<ScreenshotCaptured>, target: Res<Target>, mut film: ResMut<Film>| {
                target.save(&captured.image, &film.file(number));
                film.saved += 1;
            },
        );
        film.taken += 1;
    } else if over && film.saved == film.taken {
        exit.write(AppExit::Success);
    }
}
