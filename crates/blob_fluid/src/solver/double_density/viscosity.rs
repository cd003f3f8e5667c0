//! Viscosity (Clavet et al. 2005, Algorithm 5): all sweeps except the one that the relaxation
//! makes.

use std::ops::Range;

use fearless_simd::prelude::*;
use glam::Vec2;

use crate::liquid::state::Liquid;
use crate::parallel::executor::{CHUNK, Executor};
use crate::parallel::instructions;
use crate::parallel::instructions::{Instructions, LaneKernel};
use crate::parallel::lanes::{
    LANES, LaneVector, Lanes, gather, gather_points, load, positive_lanes, splat,
};
use crate::particles::arrays::{Activity, ParticleView, takes_part};
use crate::settings::class::ClassId;
use crate::solver::coefficients::{ClassSet, Coefficients};
use crate::solver::double_density::coefficients::{
    PairViscosity, STABLE_EXCHANGE, ViscosityCoefficients,
};
use crate::solver::double_density::displacements::{ClassRows, Sweep};
use crate::solver::double_density::method::DoubleDensity;
use crate::solver::neighbours::blocks::{Block, BlockLanes};
use crate::solver::neighbours::grid::{Neighbours, refresh};

/// Exchanges velocity along each pair: `v_i -= I m_j/(m_i + m_j) r_hat`, with
/// `u = (v_i - v_j) . r_hat` and `I = q u (min(dt (sigma + beta u), limit) [u > 0] + dt linear)`.
///
/// One sweep over the pairs belongs to [`FluidPass::RelaxDensity`](crate::FluidPass::RelaxDensity), which
/// visits the pairs anyway: it moves particles by `dt` times the velocity that they exchange, and
/// the velocities follow from the displacements. A liquid for which one sweep would not be stable
/// needs more sweeps, each for a part of `dt`. This pass makes those.
///
/// Every sweep reads velocities that were frozen before it. The grid must be valid for the
/// positions that it reads, so if the last substep moved particles after hashing, they are hashed
/// again. Coincident pairs have no direction and exchange nothing. Where particles are crowded,
/// pairs exchange less: see [`Crowding`].
pub(crate) fn apply_viscosity(
    liquid: &mut Liquid,
    neighbours: &mut Neighbours,
    work: &mut DoubleDensity,
    coefficients: &Coefficients,
    executor: &dyn Executor,
) {
    let sweeps = work.viscosity.sweeps();
    if sweeps < 2 {
        return;
    }
    refresh(liquid, neighbours, coefficients, executor);
    let DoubleDensity { viscosity, rows, velocities: after, crowding, .. } = work;
    let particles = &mut liquid.particles;
    let (grid, presence) = neighbours.with_presence(particles, coefficients.classes.len());
    for number in 1..sweeps {
        after.clear();
        after.extend_from_slice(&particles.velocity);
        let (view, ..) = particles.view_and_computed();
        let sweep = Sweep { particles: view, grid, presence, viscosity, coefficients, number };
        if number == 1 {
            sweep.find_crowding(crowding, rows, executor);
        }
        sweep.exchange(after, rows, crowding, 1.0, executor);
        std::mem::swap(&mut particles.velocity, after);
    }
}

impl Sweep<'_> {
    /// Subtracts the velocity that each particle loses, times `factor`, from its item of `from`.
    pub(super) fn exchange(
        self,
        from: &mut [Vec2],
        rows: &mut Vec<ViscosityRows>,
        crowding: &Crowding,
        factor: f32,
        executor: &dyn Executor,
    ) {
        let Self { particles, coefficients, .. } = self;
        let calm = crowding.calm();
        let find = |block: &Block, rows: &[ViscosityRow]| {
            let viscosity = ViscosityOfBlock { particles, coefficients, block, rows, calm };
            if calm.is_empty() {
                instructions::run(WithCrowds::<false>(viscosity))
            } else {
                instructions::run(WithCrowds::<true>(viscosity))
            }
        };
        self.for_each_block(from, rows, executor, find, |item, lane, (x, y)| {
            *item -= Vec2::new(x[lane], y[lane]) * factor;
        });
    }
}

/// Velocity that each particle of a block loses.
struct ViscosityOfBlock<'a> {
    particles: ParticleView<'a>,
    coefficients: &'a Coefficients,
    block: &'a Block,
    /// One row for each class, of which those of the classes that are near are valid.
    rows: &'a [ViscosityRow],
    /// See [`Crowding::calm`].
    calm: &'a [f32],
}

/// With or without crowds that exchange less.
struct WithCrowds<'a, const CROWDS: bool>(ViscosityOfBlock<'a>);

impl<const CROWDS: bool> LaneKernel for WithCrowds<'_, CROWDS> {
    type Output = (Lanes, Lanes);

    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) -> (Lanes, Lanes) {
        let Self(ViscosityOfBlock { particles, coefficients, block, rows, calm }) = self;
        let splat = |number: f32| splat(instructions, number);
        let (indices, positions) = (&block.particles, particles.position);
        let velocities = &particles.velocity[..positions.len()];
        let classes = &particles.class[..positions.len()];
        let velocity = gather_points(instructions, indices, velocities);
        let own_calm = if CROWDS {
            load(instructions, &gather(indices, calm, |factor| *factor))
        } else {
            splat(1.0)
        };
        let lanes = BlockLanes::of(instructions, coefficients, indices, positions);
        let (mut sum_x, mut sum_y) = (splat(0.0), splat(0.0));
        lanes.for_each(
            block.spans(),
            #[inline(always)]
            |index, pair| {
                let inverse = pair.coincide.select(splat(0.0), splat(1.0) / pair.distance);
                let approach = pair.approach(velocity, velocities[index]) * inverse;
                let row = &rows[classes[index].index()];
                let mut along = row.added_to(splat(0.0), approach) * (pair.closeness * inverse);
                if CROWDS {
                    along *= instructions.smaller(splat(calm[index]), own_calm);
                }
                sum_x += along * pair.dx;
                sum_y += along * pair.dy;
            },
        );
        (sum_x.into(), sum_y.into())
    }
}

// The viscosity between the particles of a block and the particles of each class.

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

// Crowded particles: where viscosity must exchange less to be stable.

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
