//! What is known of the particles before forces between pairs are computed.

use crate::boundary::solids::Solids;
use crate::particles::view::ParticleView;
use crate::solver::coefficients::Coefficients;
use crate::solver::pair_forces::coefficients::PairCoefficients;

/// The pressures of one particle, and its density.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Pressures {
    /// `m (delta - delta_0)`, times the stiffness.
    pub far: f32,
    /// `m delta_near`, times the near stiffness.
    pub near: f32,
    /// `1/delta`.
    pub inverse_density: f32,
    /// Whether other particles are at the same point.
    pub coincides: bool,
}

/// All that is read while displacements are computed.
#[derive(Clone, Copy)]
pub(crate) struct Frozen<'a> {
    pub particles: ParticleView<'a>,
    pub solids: &'a Solids,
    pub coefficients: &'a Coefficients,
    pub pairs: &'a PairCoefficients,
}
