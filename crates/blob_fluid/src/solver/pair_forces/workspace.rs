//! The workspace of a solver with forces between pairs.

use std::marker::PhantomData;

use glam::Vec2;

use crate::solver::pair_forces::coefficients::PairCoefficients;
use crate::solver::pair_forces::frozen::Pressures;
use crate::solver::pair_forces::walls::WallPush;

/// The workspace of a solver with these kernels. Nothing in it outlives a tick.
#[derive(Clone, Debug, Default)]
pub(crate) struct PairForces<K> {
    pub pairs: PairCoefficients,
    /// One item for each particle.
    pub pressures: Vec<Pressures>,
    /// One item for each chunk: the pushes of the walls near its particles, in their order.
    pub walls: Vec<Vec<WallPush>>,
    /// One item for each particle.
    pub displacements: Vec<Vec2>,
    kernels: PhantomData<K>,
}
