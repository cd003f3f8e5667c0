//! Progress of a run on a terminal.

use bevy::prelude::*;
use bevy_blob_fluid::FluidSimulation;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;

use crate::wait::has_come_to;

/// A bar that follows the fluid's simulated time.
#[derive(Resource)]
pub(crate) struct Progress {
    bar: ProgressBar,
    seconds: f64,
}

impl Progress {
    /// A bar that is full after a simulated time; hidden if there is no terminal.
    pub(crate) fn until(seconds: f64) -> Self {
        let target = if std::io::stderr().is_terminal() {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let style = ProgressStyle::with_template("{bar:40} {msg} s, {eta} left")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        let length = (seconds * 1e3) as u64;
        let bar = ProgressBar::with_draw_target(Some(length), target).with_style(style);
        Self { bar, seconds }
    }

    /// Follows the fluid; returns whether the time is up.
    pub(crate) fn follow(&self, fluid: &FluidSimulation) -> bool {
        self.bar.set_position((fluid.time() * 1e3) as u64);
        self.bar.set_message(format!("{:.1}/{:.1}", fluid.time(), self.seconds));
        let done = has_come_to(fluid, self.seconds);
        if done {
            self.bar.finish_and_clear();
        }
        done
    }
}
