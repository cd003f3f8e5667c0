//! What a peer is: something that takes frames of a scene and tells where its particles are.

use std::error::Error;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What may go wrong in a peer: anything it says.
pub type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A solver with a scene loaded.
pub trait Peer {
    /// Takes that many frames and says how long they took.
    fn frames(&mut self, count: u32) -> Result<Duration>;

    /// Where the particles are now.
    fn state(&mut self) -> Result<State>;
}

/// Particles at one moment, in spacings and seconds.
#[derive(Clone, Debug, Deserialize)]
pub struct State {
    /// How far particles of this solver see each other.
    pub interaction_radius: f32,
    /// Where they are.
    pub positions: Vec<[f32; 2]>,
    /// How fast they move.
    pub velocities: Vec<[f32; 2]>,
    /// What the solver's own measure says of its density; only ours has one.
    #[serde(default)]
    pub own_density: Option<OwnDensity>,
}

/// Density relative to rest, as `blob_fluid::measure` tells it.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct OwnDensity {
    /// Mean over all particles.
    pub mean: f64,
    /// What one particle in a hundred exceeds.
    pub p99: f64,
    /// Above the floor, over below the surface.
    pub bottom_top: f64,
}
