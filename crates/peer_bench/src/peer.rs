//! A peer: a solver that simulates frames of a scene and returns its particles.

use std::error::Error;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Any error of a peer.
pub type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A solver with a scene loaded.
pub trait Peer {
    /// Simulates a number of frames and returns how long they took.
    fn frames(&mut self, count: u32) -> Result<Duration>;

    /// Present positions and velocities of the particles.
    fn state(&mut self) -> Result<State>;
}

/// Particles at one moment, in spacings and seconds.
#[derive(Clone, Debug, Deserialize)]
pub struct State {
    /// Interaction radius of this solver.
    pub interaction_radius: f32,
    /// Positions.
    pub positions: Vec<[f32; 2]>,
    /// Velocities.
    pub velocities: Vec<[f32; 2]>,
    /// Density by the solver's own measure; only ours has one.
    #[serde(default)]
    pub own_density: Option<OwnDensity>,
}

/// Density relative to that at rest, from `blob_fluid::measure`.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct OwnDensity {
    /// Mean over all particles.
    pub mean: f64,
    /// The 99th percentile.
    pub p99: f64,
    /// Density above the floor divided by that below the surface.
    pub bottom_top: f64,
}
