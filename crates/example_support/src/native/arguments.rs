//! The command line of every example, and the progress that it shows.

use std::io::{IsTerminal, stderr};
use std::path::PathBuf;
use std::str::FromStr;

use bevy::prelude::*;
use bevy_blob_fluid::FluidSimulation;
use clap::Parser;

use crate::run::has_come_to;

/// The command line of every example.
#[derive(Parser, Clone, Debug, PartialEq)]
#[command(about = "An example of bevy_blob_fluid. Without options it opens a window.")]
pub struct Arguments {
    /// Draws offscreen, without a display, and saves a picture.
    #[arg(long, value_name = "FILE.png")]
    pub shot: Option<PathBuf>,
    /// Draws offscreen, from the time `--at` on for `--seconds`, and saves twenty pictures of each second in a folder.
    #[arg(long, value_name = "FOLDER", conflicts_with = "shot")]
    pub film: Option<PathBuf>,
    /// Simulated time of the picture, or of a film's first, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds)]
    pub at: f64,
    /// Size of the picture or the window, in pixels.
    #[arg(long, value_name = "WxH", default_value = "1280x960")]
    pub size: PictureSize,
    /// Part of the world that a picture shows: the position of its middle and its width, in world units.
    #[arg(long, value_name = "X,Y,WIDTH", allow_hyphen_values = true)]
    pub view: Option<PictureView>,
    /// Factor of the particle spacing in a picture: smaller particles show finer drops, without effect on the game.
    #[arg(long, value_name = "FACTOR", default_value = "1", value_parser = fineness)]
    pub fine: f32,
    /// Keys that are held all the time if there is no window, such as ArrowRight,Space.
    #[arg(long, value_name = "KEY,..", value_delimiter = ',', value_parser = key)]
    pub hold: Vec<KeyCode>,
    /// Scene to begin with, in examples that have several.
    #[arg(long, value_name = "NAME")]
    pub scene: Option<String>,
    /// Simulates on the graphics card.
    #[arg(long, conflicts_with = "headless")]
    pub gpu: bool,
    /// Draws nothing; prints a report of the liquid at the end.
    #[arg(long, conflicts_with_all = ["shot", "film"])]
    pub headless: bool,
    /// Simulated time without drawing, or length of a film, in seconds.
    #[arg(long, value_name = "N", default_value = "60", value_parser = seconds)]
    pub seconds: f64,
    /// Words that an example reads by itself, such as `left 7000 192.168.0.7:7000` for `duel`.
    #[arg(value_name = "WORD")]
    pub words: Vec<String>,
}

/// Width and height of a picture, in pixels; each 1 to 8192.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureSize {
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

impl FromStr for PictureSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = text.split_once('x').and_then(|(width, height)| {
            Some(Self { width: width.parse().ok()?, height: height.parse().ok()? })
        });
        let valid =
            |size: &Self| (1..=8192).contains(&size.width) && (1..=8192).contains(&size.height);
        parsed.filter(valid).ok_or_else(|| "expected WIDTHxHEIGHT, each 1 to 8192".into())
    }
}

/// The part of the world that a picture shows, in world units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PictureView {
    /// Position of its middle.
    pub middle: Vec2,
    /// Width; above 0.
    pub width: f32,
}

impl FromStr for PictureView {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers =
            text.split(',').map(|number| number.parse().ok().filter(|n: &f32| n.is_finite()));
        match numbers.collect::<Option<Vec<f32>>>().as_deref() {
            Some([x, y, width]) if *width > 0.0 => {
                Ok(Self { middle: Vec2::new(*x, *y), width: *width })
            }
            _ => Err("expected X,Y,WIDTH with a width above 0".into()),
        }
    }
}

fn fineness(text: &str) -> Result<f32, String> {
    let parsed = text.parse().ok().filter(|factor| (0.2..=5.0).contains(factor));
    parsed.ok_or_else(|| "expected a factor between 0.2 and 5".into())
}

fn seconds(text: &str) -> Result<f64, String> {
    let parsed = text.parse().ok().filter(|seconds| (0.0..=1e6).contains(seconds));
    parsed.ok_or_else(|| "expected a number of seconds between 0 and 1000000".into())
}

/// The keys that games use, by their names in Bevy.
fn key(name: &str) -> Result<KeyCode, String> {
    let keys = [
        KeyCode::ArrowDown,
        KeyCode::ArrowLeft,
        KeyCode::ArrowRight,
        KeyCode::ArrowUp,
        KeyCode::KeyB,
        KeyCode::KeyF,
        KeyCode::KeyP,
        KeyCode::KeyS,
        KeyCode::KeyV,
        KeyCode::Space,
    ];
    let named = keys.into_iter().find(|key| format!("{key:?}") == name);
    named.ok_or_else(|| format!("expected one of {keys:?}"))
}

/// The name of the running example.
pub(crate) fn example_name() -> String {
    let path = std::env::args_os().next().map(PathBuf::from).unwrap_or_default();
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("example");
    stem.to_owned()
}

// Progress of a run on a terminal.

/// A line that shows the liquid's simulated time.
#[derive(Resource)]
pub(crate) struct Progress {
    seconds: f64,
    is_shown: bool,
}

impl Progress {
    /// A progress line up to a simulated time, hidden without a terminal.
    pub(crate) fn until(seconds: f64) -> Self {
        Self { seconds, is_shown: stderr().is_terminal() }
    }

    /// Updates the line. Returns whether the end is reached.
    pub(crate) fn follow(&self, fluid: &FluidSimulation) -> bool {
        let done = has_come_to(fluid, self.seconds);
        if self.is_shown && done {
            // Erases the line.
            eprint!("\r\x1b[K");
        } else if self.is_shown {
            eprint!("\r{:.1} of {:.1} s", fluid.time(), self.seconds);
        }
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Arguments, clap::Error> {
        Arguments::try_parse_from([&["example"], arguments].concat())
    }

    #[test]
    fn the_contract_of_the_command_line_holds() {
        let shot = parse(&["--shot", "a.png", "--at", "2.5", "--size", "640x480"]).expect("valid");
        assert_eq!(shot.shot, Some("a.png".into()));
        assert_eq!((shot.at, shot.size), (2.5, PictureSize { width: 640, height: 480 }));
        let view =
            parse(&["--shot", "a.png", "--view", "-60,20.5,900", "--fine", "0.6"]).expect("valid");
        let middle = Vec2::new(-60.0, 20.5);
        assert_eq!((view.view, view.fine), (Some(PictureView { middle, width: 900.0 }), 0.6));
        let held = parse(&["--shot", "a.png", "--hold", "ArrowUp,Space"]).expect("valid").hold;
        assert_eq!(held, [KeyCode::ArrowUp, KeyCode::Space]);
        let headless = parse(&["--headless", "--seconds", "3"]).expect("valid");
        assert!(headless.headless && headless.seconds == 3.0 && headless.shot.is_none());
    }

    #[test]
    fn nonsense_is_refused() {
        for bad in [
            &["--size", "0x480"][..],
            &["--size", "640"],
            &["--size", "9000x10"],
            &["--at", "nan"],
            &["--view", "1,2"],
            &["--view", "1,2,0"],
            &["--fine", "0"],
            &["--seconds", "-1"],
            &["--shot"],
            &["--headless", "--shot", "a.png"],
            &["--headless", "--film", "a"],
            &["--film", "a", "--shot", "a.png"],
            &["--headless", "--gpu"],
            &["--unknown"],
            &["--hold", "Any"],
        ] {
            assert!(parse(bad).is_err(), "{bad:?}");
        }
    }
}
