//! What the relaxation reads while it writes displacements.

use crate::boundary::solids::Solids;
use crate::parallel::lanes::positive;
use crate::particles::view::ParticleView;
use crate::solver::coefficients::Coefficients;
use crate::solver::double_density::coefficients::PressureCoefficients;
use crate::solver::neighbours::class_presence::ClassPresence;

/// All values that the relaxation reads, frozen before it runs.
#[derive(Clone, Copy)]
pub(super) struct Frozen<'a> {
    pub particles: ParticleView<'a>,
    pub solids: &'a Solids,
    pub coefficients: &'a Coefficients,
    pub pressure: &'a PressureCoefficients,
    pub presence: &'a ClassPresence,
    /// One item for each particle: its weight; empty if nothing is sorted by weight.
    pub weights: &'a [f32],
}

/// Pressures of one particle, scaled for the relaxation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Pressures {
    /// `m P`.
    pub far: f32,
    /// `m P_near/h`; the passes multiply it by `h - r`.
    pub near: f32,
}

/// Mean closeness of the pairs of a particle, weighted by what they carry: the integrals of `q^2 r^2` and
/// `q r^2` over a plane are as 0.4 to 1.
const MEAN_CLOSENESS: f32 = 0.4;

impl Pressures {
    /// `m (P + 0.4 P_near)`: what the particle's pairs carry where all pressures around it are like its own.
    pub fn carried(&self, interaction_radius: f32) -> f32 {
        positive(self.far + MEAN_CLOSENESS * interaction_radius * self.near)
    }
}
