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
            rows.fill(&frozen.coefficients, classes, &block.particles, number, |_| 1.0);
            let share = &rows.share;
            let (x, y) = match frozen.coefficients.uniform_viscosity {
                Some(own) => {
                    instructions::run(ViscosityOfBlock { world: frozen, block, share, own })
                }
                None => {
                    let own = &rows.own;
                    instructions::run(ViscosityOfBlock { world: frozen, block, share, own })
                }
            };
            for (lane, place) in block.particles.clone().enumerate() {
                chunk[place - start] -= Vec2::new(x[lane], y[lane]);
            }
        }
    });
    world.scratch.viscosity_rows = rows;
    world.scratch.vectors = std::mem::replace(&mut world.particles.velocity, after);
}

/// What a block's particles need to know of every class they may meet.
#[derive(Clone, Debug, Default)]
pub(crate) struct ViscosityRows {
    /// `m_j/(m_i + m_j)`, times what classes have less of between them.
    pub share: Vec<Lanes>,
    /// Where viscosity is not uniform.
    pub own: OwnRows,
    /// Of which class all particles are that they were filled for, if it is one.
    filled_for: Option<usize>,
}

/// Viscosity of a block's particles against every class, a sweep's part of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnRows {
    approach: Vec<Lanes>,
    quadratic: Vec<Lanes>,
    linear: Vec<Lanes>,
}

impl ViscosityRows {
    /// For the blocks to come, of one sweep.
    pub(crate) fn prepare(&mut self, coefficients: &Coefficients) {
        let count = coefficients.classes.len();
        self.filled_for = None;
        self.share.resize(count, [0.0; LANES]);
        if coefficients.uniform_viscosity.is_none() {
            let OwnRows { approach, quadratic, linear } = &mut self.own;
            for rows in [approach, quadratic, linear] {
                rows.resize(count, [0.0; LANES]);
            }
        }
    }

    /// For the pairs of a block, in one of the sweeps. Shares are multiplied by what `per_share` says
    /// of the particle's own class.
    pub(crate) fn fill(
        &mut self,
        coefficients: &Coefficients,
        classes: &[ClassId],
        particles: &Range<usize>,
        sweep: u32,
        per_share: impl Fn(usize) -> f32,
    ) {
        let count = coefficients.classes.len();
        let own_classes = ClassLanes::of(particles, classes);
        let only = own_classes.only();
        if only.is_some() && self.filled_for == only {
            return;
        }
        self.filled_for = only;
        for (other, share) in self.share.iter_mut().enumerate() {
            *share = own_classes
                .map(|own| coefficients.viscosity_shares[own * count + other] * per_share(own));
        }
        if coefficients.uniform_viscosity.is_some() {
            return;
        }
        for other in 0..count {
            let pair = |own: usize| {
                let pair = coefficients.pair_viscosities[own * count + other];
                if sweep < pair.sweeps { pair } else { PairViscosity::default() }
            };
            self.own.approach[other] = own_classes.map(|own| pair(own).approach);
            self.own.quadratic[other] = own_classes.map(|own| pair(own).quadratic);
            self.own.linear[other] = own_classes.map(|own| pair(own).linear);
        }
    }
}

/// Viscosity of a particle against one of a class.
pub(crate) trait OwnViscosity: Copy {
    /// Whether there is any.
    const ACTS: bool = true;

    /// `dt sigma`, `dt beta`, and `dt` times the linear part.
    fn of(self, lane: usize, other: usize) -> (f32, f32, f32);

    /// What a pair that approaches with a speed `u` exchanges, per `q` of its closeness:
    /// `u (min(dt (sigma + beta u), limit) [u > 0] + dt linear)`.
    #[inline(always)]
    fn exchange(self, lane: usize, other: usize, approach: f32, limit: f32) -> f32 {
        let (sigma, beta, linear) = self.of(lane, other);
        let closing = positive(approach);
        let rate = sigma + beta * closing;
        least(rate, limit) * closing + linear * approach
    }
}

impl OwnViscosity for PairViscosity {
    #[inline(always)]
    fn of(self, _: usize, _: usize) -> (f32, f32, f32) {
        (self.approach, self.quadratic, self.linear)
    }
}

impl OwnViscosity for &OwnRows {
    #[inline(always)]
    fn of(self, lane: usize, other: usize) -> (f32, f32, f32) {
        (self.approach[other][lane], self.quadratic[other][lane], self.linear[other][lane])
    }
}

/// Of a liquid that has none.
#[derive(Clone, Copy)]
pub(crate) struct Inviscid;

impl OwnViscosity for Inviscid {
    const ACTS: bool = false;

    #[inline(always)]
    fn of(self, _: usize, _: usize) -> (f32, f32, f32) {
        (0.0, 0.0, 0.0)
    }
}

/// What each particle of a block loses.
struct ViscosityOfBlock<'a, Own> {
    world: &'a FluidWorld,
    block: &'a Block,
    share: &'a [Lanes],
    own: Own,
}

impl<Own: OwnViscosity> LaneKernel for ViscosityOfBlock<'_, Own> {
    type Output = (Lanes, Lanes);

    #[inline(always)]
    fn run(self) -> (Lanes, Lanes) {
        let Self { world, block, share, own } = self;
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
                let class = class.index();
                let share = &share[class];
                for lane in 0..LANES {
                    let (dx, dy) = (position.x - x[lane], position.y - y[lane]);
                    let squared = dx * dx + dy * dy;
                    let distance = squared.sqrt();
                    let inverse = if squared < squared_coincidence { 0.0 } else { 1.0 / distance };
                    let q = positive(1.0 - distance * coefficients.inverse_radius);
                    let approach = ((velocity_x[lane] - velocity.x) * dx
                        + (velocity_y[lane] - velocity.y) * dy)
                        * inverse;
                    let impulse =
                        own.exchange(lane, class, approach, coefficients.viscosity_limit) * q;
                    let along = impulse * share[lane] * inverse;
                    sum_x[lane] += along * dx;
                    sum_y[lane] += along * dy;
                }
            }
        }
        (sum_x, sum_y)
    }
}
