//! Progress of a run on a terminal.

use std::io::{IsTerminal, stderr};

use bevy::prelude::*;
use bevy_blob_fluid::FluidSimulation;

use crate::wait::has_come_to;

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
