//! Viscosity (Clavet et al. 2005, Algorithm 5): all sweeps except the one that the relaxation
//! makes.

use glam::Vec2;

use crate::liquid::state::Liquid;
use crate::parallel::chunks::CHUNK;
use crate::parallel::executor::{Executor, PerChunk};
use crate::parallel::instructions::{self, LaneKernel};
use crate::parallel::lanes::{LANES, Lanes, gather, positive};
use crate::particles::activity::Activity;
use crate::particles::arrays::Particles;
use crate::settings::class::ClassId;
use crate::solver::coefficients::Coefficients;
use crate::solver::double_density::viscosity_rows::{ViscosityRow, ViscosityRows};
use crate::solver::double_density::workspace::DoubleDensity;
use crate::solver::neighbours::grid::{Block, Grid};
use crate::solver::neighbours::hash::Neighbours;
use crate::solver::neighbours::refresh::refresh;

/// Exchanges velocity along each pair: `v_i -= I m_j/(m_i + m_j) r_hat`, with
/// `u = (v_i - v_j) . r_hat` and `I = q u (min(dt (sigma + beta u), limit) [u > 0] + dt linear)`.
///
/// One sweep over the pairs belongs to [`Pass::RelaxDensity`](crate::Pass::RelaxDensity), which
/// visits the pairs anyway: it moves particles by `dt` times the velocity that they exchange, and
/// the velocities follow from the displacements. A liquid for which one sweep would not be stable
/// needs more sweeps, each for a part of `dt`. This pass makes those.
///
/// Every sweep reads velocities that were frozen before it. The grid must be valid for the
/// positions that it reads, so if the last substep moved particles after hashing, they are hashed
/// again. Coincident pairs have no direction and exchange nothing.
pub(crate) fn apply_viscosity<E: Executor>(
    liquid: &mut Liquid,
    neighbours: &mut Neighbours,
    work: &mut DoubleDensity,
    coefficients: &Coefficients,
    executor: &E,
) {
    let sweeps = work.viscosity.sweeps();
    if sweeps < 2 {
        return;
    }
    refresh(liquid, neighbours, coefficients, executor);
    for number in 1..sweeps {
        sweep(&mut liquid.particles, &neighbours.grid, work, coefficients, number, executor);
    }
}

fn sweep<E: Executor>(
    particles: &mut Particles,
    grid: &Grid,
    work: &mut DoubleDensity,
    coefficients: &Coefficients,
    number: u32,
    executor: &E,
) {
    let DoubleDensity { viscosity, rows, velocities: after, .. } = work;
    after.clear();
    after.extend_from_slice(&particles.velocity);
    rows.resize_with(after.len().div_ceil(CHUNK), ViscosityRows::default);
    let (frozen, viscosity) = (&*particles, &*viscosity);
    let of_chunks = PerChunk::new(rows, after.len(), CHUNK);
    executor.for_each_chunk((&mut after[..], of_chunks), CHUNK, |chunk_index, (chunk, rows)| {
        let start = chunk_index * CHUNK;
        let rows = rows.item();
        rows.prepare(coefficients.classes.len());
        let mut blocks = grid.blocks(start..start + chunk.len());
        while let Some(block) = blocks.next() {
            let classes: &[ClassId] = frozen.classes();
            let takes_part = |index: usize| {
                frozen.activity[index] == Activity::Awake
                    && number < viscosity.class_sweeps[classes[index].index()]
            };
            if !block.particles.clone().any(takes_part) {
                continue;
            }
            let rows = rows.of(viscosity, classes, &block.particles, number, |_| 1.0);
            let of_block = ViscosityOfBlock { particles: frozen, coefficients, block, rows };
            let (x, y) = instructions::run(of_block);
            for (lane, index) in block.particles.clone().enumerate() {
                chunk[index - start] -= Vec2::new(x[lane], y[lane]);
            }
        }
    });
    std::mem::swap(&mut particles.velocity, after);
}

/// Velocity that each particle of a block loses.
struct ViscosityOfBlock<'a> {
    particles: &'a Particles,
    coefficients: &'a Coefficients,
    block: &'a Block,
    /// One row for each class.
    rows: &'a [ViscosityRow],
}

impl LaneKernel for ViscosityOfBlock<'_> {
    type Output = (Lanes, Lanes);

    #[inline(always)]
    fn run(self) -> (Lanes, Lanes) {
        let Self { particles, coefficients, block, rows } = self;
        let (positions, velocities) = (particles.positions(), particles.velocities());
        let classes: &[ClassId] = particles.classes();
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
