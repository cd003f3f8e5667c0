//! What the relaxation reads while it writes displacements.

use crate::boundary::solids::Solids;
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
