//! Crowded particles: where viscosity must exchange less to be stable.

use fearless_simd::prelude::*;

use crate::parallel::executor::{CHUNK, Executor};
use crate::parallel::instructions::{self, Instructions, LaneKernel};
use crate::parallel::lanes::{Lanes, splat};
use crate::particles::arrays::{Activity, ParticleView, takes_part};
use crate::solver::coefficients::Coefficients;
use crate::solver::double_density::coefficients::{STABLE_EXCHANGE, ViscosityCoefficients};
use crate::solver::double_density::displacements::{Sweep, ViscosityRow, ViscosityRows};
use crate::solver::neighbours::blocks::{Block, BlockLanes};

/// How much less crowded particles exchange in a sweep of viscosity.
///
/// A sweep reads frozen velocities. With `w_ij` the largest part of its velocity that particle `i`
/// gives to `j`, and `W = sum_j w_ij q r_hat r_hat^T`, it makes differences of velocity grow where
/// the largest eigenvalue of `W` is above 2. That happens where particles are several times too
/// dense, or with a large [limit](crate::Viscosity::limit). There a particle's factor is 2 divided
/// by this eigenvalue, and a pair takes the smaller factor of its two particles. So its exchange
/// stays antisymmetric.
#[derive(Clone, Debug, Default)]
pub(crate) struct Crowding {
    factors: Vec<f32>,
    any: bool,
}

impl Crowding {
    /// A factor for each particle, at most 1; empty if all are 1.
    pub(super) fn calm(&self) -> &[f32] {
        if self.any { &self.factors } else { &[] }
    }

    /// Whether any particle is so dense that the factors must be found. `relative_density` belongs
    /// to the present positions.
    pub(super) fn is_likely(
        particles: ParticleView,
        relative_density: &[f32],
        viscosity: &ViscosityCoefficients,
    ) -> bool {
        let classes = particles.class.chunks(CHUNK).zip(relative_density.chunks(CHUNK));
        particles.activity.chunks(CHUNK).zip(classes).any(|(activity, (classes, densities))| {
            let mut chunk = activity.iter().zip(classes).zip(densities);
            takes_part(activity, Activity::Awake)
                && chunk.any(|((activity, class), density)| {
                    *density > viscosity.crowded_from[class.index()] && *activity == Activity::Awake
                })
        })
    }
}

impl Sweep<'_> {
    /// Finds the factors of all particles: 1 for those that sleep or have no partner near.
    pub(super) fn find_crowding(
        self,
        crowding: &mut Crowding,
        rows: &mut Vec<ViscosityRows>,
        executor: &dyn Executor,
    ) {
        let Self { particles, coefficients, .. } = self;
        let Crowding { factors, any } = crowding;
        factors.clear();
        factors.resize(particles.len(), 1.0);
        let find = |block: &Block, rows: &[ViscosityRow]| {
            instructions::run(CrowdingOfBlock { particles, coefficients, block, rows })
        };
        self.for_each_block(factors, rows, executor, find, |factor, lane, largest| {
            *factor = STABLE_EXCHANGE / largest[lane].max(STABLE_EXCHANGE);
        });
        *any = factors.iter().any(|factor| *factor < 1.0);
    }
}

/// Computes the largest eigenvalue of each particle of a block.
struct CrowdingOfBlock<'a> {
    particles: ParticleView<'a>,
    coefficients: &'a Coefficients,
    block: &'a Block,
    rows: &'a [ViscosityRow],
}

impl LaneKernel for CrowdingOfBlock<'_> {
    type Output = Lanes;

    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) -> Lanes {
        let Self { particles, coefficients, block, rows } = self;
        let splat = |number: f32| splat(instructions, number);
        let smallest = splat(coefficients.coincidence * coefficients.coincidence);
        // The sum of the weights, and the parts of the matrix that have a direction.
        let mut sum = splat(0.0);
        let (mut along_x, mut across) = (splat(0.0), splat(0.0));
        let (positions, classes) = (particles.position, particles.class);
        let lanes = BlockLanes::of(instructions, coefficients, &block.particles, positions);
        for span in block.spans() {
            for (position, class) in positions[span.clone()].iter().zip(&classes[span]) {
                let pair = lanes.pairs_with(*position);
                let weight = pair.closeness * rows[class.index()].largest(instructions);
                // Coincident particles, and the particle itself, count in all directions.
                let turned = weight / instructions.larger(smallest, pair.squared);
                sum += weight;
                along_x += turned * (pair.dx * pair.dx - pair.dy * pair.dy);
                across += turned * (splat(2.0) * pair.dx * pair.dy);
            }
        }
        let split = (along_x * along_x + across * across).sqrt();
        (splat(0.5) * (sum + split)).into()
    }
}
