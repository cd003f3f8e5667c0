//! A wall near a particle, as the relaxation stores it.

use glam::Vec2;

use crate::solver::kernel::GhostWall;

/// A wall near a particle, found with the densities and needed again for the displacements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NearGhostWall {
    pub particle: u32,
    pub ghost: GhostWall,
    pub normal: Vec2,
    pub wetting: f32,
    /// Friction of the wall's own ([`WallProperties`](crate::WallProperties)).
    pub friction: Option<f32>,
    /// Velocity of the wall there, in world units/s.
    pub velocity: Vec2,
    pub fade_in: f32,
    /// Slope of `fade_in`, per interaction radius.
    pub slope: Vec2,
    pub collider: Option<u32>,
}
