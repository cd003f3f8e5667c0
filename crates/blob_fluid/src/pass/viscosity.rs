//! Viscosity (Clavet et al. 2005, Algorithm 5).

use std::ops::Range;

use glam::Vec2;

use crate::class::ClassId;
use crate::coefficients::{Coefficients, PairViscosity};
use crate::executor::{Executor, PerChunk};
use crate::grid::{Block, LANES};
use crate::instructions::{self, LaneKernel};
use crate::kernel::{least, positive};
use crate::pass::CHUNK;
use crate::pass::hash::refresh_grid;
use crate::pass::pair::{ClassLanes, Lanes, gather};
use crate::sleep::Activity;
use crate::world::FluidWorld;

/// Exchanges velocity along each pair: `v_i -= I m_j/(m_i + m_j) r_hat`, with
/// `u = (v_i - v_j) . r_hat` and `I = q u (min(dt (sigma + beta u), limit) [u > 0] + dt linear)`.
///
/// One sweep over the pairs is left to [`relax_density`](crate::pass::relax_density), which visits
/// them anyway: it moves particles by `dt` times what they exchange, from which their velocities
/// follow. Liquids of which one sweep would not be stable go through more, each with its part of
/// `dt`, and these are made here.
///
/// Reads velocities frozen before each sweep, and a grid that is valid for the positions it reads:
/// where the last substep moved particles after hashing, they are hashed again. Coincident pairs
/// have no direction and exchange nothing.
pub fn apply_viscosity<E: Executor>(world: &mut FluidWorld, executor: &E) {
    let sweeps = world.coefficients.viscosity_sweeps();
    if sweeps < 2 {
        return;
    }
    refresh_grid(world, executor);
    for number in 1..sweeps {
        sweep(world, number, executor);
    }
}

fn sweep<E: Executor>(world: &mut FluidWorld, number: u32, executor: &E) {
    let mut after = std::mem::take(&mut world.scratch.vectors);
    let mut rows = std::mem::take(&mut world.scratch.viscosity_rows);
    after.clear();
    after.extend_from_slice(&world.particles.velocity);
    rows.resize_with(after.len().div_ceil(CHUNK), ViscosityRows::default);
    let frozen = &*world;
    let of_chunks = PerChunk::new(&mut rows, after.len(), CHUNK);
    executor.for_each_chunk((&mut after[..], of_chunks), CHUNK, |chunk_index, (chunk, rows)| {
        let start = chunk_index * CHUNK;
        let rows = rows.item();
        rows.prepare(&frozen.coefficients);
        let mut blocks = frozen.grid.blocks(start..start + chunk.len());
        while let Some(block) = blocks.following() {
            let classes: &[ClassId] = frozen.particles.classes();
            let takes_part = |place: usize| {
                frozen.particles.activity[place] == Activity::Awake
                    && number < frozen.coefficients.classes[classes[place].index()].viscosity_sweeps
            };
            if !block.particles.clone().any(takes_part) {
                continue;
            }
            let rows = rows.of(&frozen.coefficients, classes, &block.particles, number, |_| 1.0);
            let (x, y) = instructions::run(ViscosityOfBlock { world: frozen, block, rows });
            for (lane, place) in block.particles.clone().enumerate() {
                chunk[place - start] -= Vec2::new(x[lane], y[lane]);
            }
        }
    });
    world.scratch.viscosity_rows = rows;
    world.scratch.vectors = std::mem::replace(&mut world.particles.velocity, after);
}

/// The viscosity of a block's particles against every class, found when it is asked for.
#[derive(Debug, Default)]
pub(crate) struct ViscosityRows {
    /// One for each class.
    rows: Vec<ViscosityRow>,
    /// Of which class all particles are that they were filled for, if it is one.
    filled_for: Option<usize>,
}

impl Clone for ViscosityRows {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// The viscosity of a block's particles against one class, each times what the particle takes of
/// what the pair exchanges: `m_j/(m_i + m_j)`, times the factor between the two classes and what the
/// pass multiplies it by.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ViscosityRow {
    /// `dt sigma`.
    approach: Lanes,
    /// `dt beta`.
    quadratic: Lanes,
    /// Of `dt (sigma + beta u)`.
    limit: Lanes,
    /// `dt` times the linear part.
    linear: Lanes,
}

impl ViscosityRows {
    /// For the blocks to come, of one sweep.
    pub(crate) fn prepare(&mut self, coefficients: &Coefficients) {
        self.filled_for = None;
        self.rows.resize(coefficients.classes.len(), ViscosityRow::default());
    }

    /// For the pairs of a block, in one of the sweeps; times what `per_share` says of the particle's
    /// own class.
    pub(crate) fn of(
        &mut self,
        coefficients: &Coefficients,
        classes: &[ClassId],
        particles: &Range<usize>,
        sweep: u32,
        per_share: impl Fn(usize) -> f32,
    ) -> &[ViscosityRow] {
        let count = coefficients.classes.len();
        let own_classes = ClassLanes::of(particles, classes);
        let only = own_classes.only();
        if only.is_some() && self.filled_for == only {
            return &self.rows;
        }
        self.filled_for = only;
        let in_sweep =
            |pair: PairViscosity| if sweep < pair.sweeps { pair } else { PairViscosity::default() };
        for (other, row) in self.rows.iter_mut().enumerate() {
            let shares = &coefficients.viscosity_shares;
            let share = own_classes.map(|own| shares[own * count + other] * per_share(own));
            let times_share = |lanes: Lanes| std::array::from_fn(|lane| lanes[lane] * share[lane]);
            let pairs = &coefficients.pair_viscosities;
            let of_pair = |number: fn(PairViscosity) -> f32| match coefficients.uniform_viscosity {
                Some(uniform) => [number(in_sweep(uniform)); LANES],
                None => own_classes.map(|own| number(in_sweep(pairs[own * count + other]))),
            };
            *row = ViscosityRow {
                approach: times_share(of_pair(|pair| pair.approach)),
                quadratic: times_share(of_pair(|pair| pair.quadratic)),
                limit: times_share([coefficients.viscosity_limit; LANES]),
                linear: times_share(of_pair(|pair| pair.linear)),
            };
        }
        &self.rows
    }
}

impl ViscosityRow {
    /// `strength` and what a particle takes from a pair that approaches with a speed `u`, per `q` of
    /// its closeness: `u (min(dt (sigma + beta u), limit) [u > 0] + dt linear)`.
    #[inline(always)]
    pub(crate) fn added_to(&self, strength: f32, lane: usize, approach: f32) -> f32 {
        // In an order in which little waits for what comes before.
        let rate = self.approach[lane] + self.quadratic[lane] * approach;
        let strength = strength + self.linear[lane] * approach;
        strength + least(rate, self.limit[lane]) * positive(approach)
    }
}

/// What each particle of a block loses.
struct ViscosityOfBlock<'a> {
    world: &'a FluidWorld,
    block: &'a Block,
    /// One for each class.
    rows: &'a [ViscosityRow],
}

impl LaneKernel for ViscosityOfBlock<'_> {
    type Output = (Lanes, Lanes);

    #[inline(always)]
    fn run(self) -> (Lanes, Lanes) {
        let Self { world, block, rows } = self;
        let coefficients = &world.coefficients;
        let (positions, velocities) = (world.particles.positions(), world.particles.velocities());
        let classes: &[ClassId] = world.particles.classes();
        let x = gather(&block.particles, positions, |own| own.x);
        let y = gather(&block.particles, positions, |own| own.y);
        let velocity_x = gather(&block.particles, velocities, |own| own.x);
        let velocity_y = gather(&block.particles, velocities, |own| own.y);
        let squared_coincidence = coefficients.coincidence * coefficients.coincidence;
        let (mut sum_x, mut sum_y) = ([0.0; LANES], [0.0; LANES]);
        for span in block.spans() {
            let others = positions[span.clone()].iter().zip(&velocities[span.clone()]);
            for ((position, velocity), class) in others.zip(&classes[span]) {
                let row = &rows[class.index()];
                for lane in 0..LANES {
                    let (dx, dy) = (position.x - x[lane], position.y - y[lane]);
                    let squared = dx * dx + dy * dy;
                    let distance = squared.sqrt();
                    let inverse = if squared < squared_coincidence { 0.0 } else { 1.0 / distance };
                    let q = positive(1.0 - distance * coefficients.inverse_radius);
                    let approach = ((velocity_x[lane] - velocity.x) * dx
                        + (velocity_y[lane] - velocity.y) * dy)
                        * inverse;
                    let along = row.added_to(0.0, lane, approach) * (q * inverse);
                    sum_x[lane] += along * dx;
                    sum_y[lane] += along * dy;
                }
            }
        }
        (sum_x, sum_y)
    }
}
