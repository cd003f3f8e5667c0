//! What the iterations know of particles and of walls.

use glam::Vec2;

/// What is known of a particle from its position.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct State {
    /// Density over that at rest, less 1; above 0 the part of it that the substep corrects.
    pub excess: f32,
    /// What a pressure of 1 takes from the density, as a fraction of the rest density, inverted; 0
    /// if it takes nothing.
    pub inverse_response: f32,
    /// `1/m`.
    pub inverse_mass: f32,
    /// `1/rest density`.
    pub inverse_rest: f32,
    pub coincides: bool,
}

/// A wall near a particle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NearWall {
    pub particle: u32,
    pub collider: Option<u32>,
    /// The sum of the gradients beyond it, into the liquid.
    pub gradient: Vec2,
    /// `dt` times its velocity.
    pub way: Vec2,
}
