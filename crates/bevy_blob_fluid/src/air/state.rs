//! The air of an entity in the simulation.

use bevy::prelude::*;
use blob_fluid::air::AirId;

/// The air of an entity in the simulation.
#[derive(Component, Clone, Copy, Debug, Default)]
pub(crate) struct FluidAirState {
    pub id: Option<AirId>,
    /// The size, in world units, and the cell size that were asked for when it was created.
    pub size: Vec2,
    pub cell_size: f32,
}
