//! The viscosity between the particles of a block and the particles of each class.

use std::ops::Range;

use fearless_simd::prelude::*;

use crate::parallel::instructions::Instructions;
use crate::parallel::lanes::{LANES, LaneVector, Lanes, load, positive_lanes, splat};
use crate::settings::class::ClassId;
use crate::solver::class_set::ClassSet;
use crate::solver::double_density::class_rows::ClassRows;
use crate::solver::double_density::viscosity_coefficients::{PairViscosity, ViscosityCoefficients};

/// The viscosity between a block's particles and every class. It is computed when it is first
/// needed.
pub(crate) type ViscosityRows = ClassRows<ViscosityRow>;

/// The viscosity between a block's particles and one class. Each value is multiplied by the
/// particle's share of the pair's exchange, which is `m_j/(m_i + m_j)` times the factor between the
/// two classes, and by the factor of the pass.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ViscosityRow {
    /// `dt sigma`.
    approach: Lanes,
    /// `dt beta`.
    quadratic: Lanes,
    /// Largest `dt (sigma + beta u)`.
    limit: Lanes,
    /// `dt` times the linear part.
    linear: Lanes,
}

impl ViscosityRows {
    /// The rows for the pairs of a block in one of the sweeps, against the classes that are near. Each
    /// row is multiplied by `per_share` of the particle's own class.
    pub(crate) fn of(
        &mut self,
        coefficients: &ViscosityCoefficients,
        classes: (&[ClassId], ClassSet),
        particles: &Range<usize>,
        sweep: u32,
        per_share: impl Fn(usize) -> f32,
    ) -> &[ViscosityRow] {
        let count = self.classes();
        let in_sweep =
            |pair: PairViscosity| if sweep < pair.sweeps { pair } else { PairViscosity::default() };
        self.of_block(classes, particles, |own_classes, other| {
            let shares = &coefficients.shares;
            let share = own_classes.map(|class| shares[class * count + other] * per_share(class));
            let times_share = |lanes: Lanes| std::array::from_fn(|lane| lanes[lane] * share[lane]);
            let pairs = &coefficients.pairs;
            let pair_lanes = |number: fn(PairViscosity) -> f32| match coefficients.uniform {
                Some(uniform) => [number(in_sweep(uniform)); LANES],
                None => own_classes.map(|class| number(in_sweep(pairs[class * count + other]))),
            };
            ViscosityRow {
                approach: times_share(pair_lanes(|pair| pair.approach)),
                quadratic: times_share(pair_lanes(|pair| pair.quadratic)),
                limit: times_share([coefficients.limit; LANES]),
                linear: times_share(pair_lanes(|pair| pair.linear)),
            }
        })
    }
}

impl ViscosityRow {
    /// Largest part of its velocity that a particle can give to a particle at distance 0.
    #[inline(always)]
    pub(crate) fn largest<S: Instructions>(&self, instructions: S) -> LaneVector<S> {
        let load = |lanes: &Lanes| load(instructions, lanes);
        let zero = splat(instructions, 0.0);
        let grows = (load(&self.approach) + load(&self.quadratic)).simd_gt(zero);
        load(&self.linear) + grows.select(load(&self.limit), zero)
    }

    /// Adds to `strength` what a particle takes from a pair that approaches at the speed `u`,
    /// divided by the weight `q`: `u (min(dt (sigma + beta u), limit) [u > 0] + dt linear)`.
    #[inline(always)]
    pub(crate) fn added_to<S: Instructions>(
        &self,
        strength: LaneVector<S>,
        approach: LaneVector<S>,
    ) -> LaneVector<S> {
        let instructions = strength.simd;
        let load = |lanes: &Lanes| load(instructions, lanes);
        // The order of operations keeps dependency chains short.
        let rate = load(&self.approach) + load(&self.quadratic) * approach;
        let strength = strength + load(&self.linear) * approach;
        strength + instructions.smaller(rate, load(&self.limit)) * positive_lanes(approach)
    }
}
