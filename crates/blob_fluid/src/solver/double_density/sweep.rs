//! A sweep of viscosity over the pairs.

use crate::parallel::chunks::CHUNK;
use crate::parallel::executor::Executor;
use crate::parallel::slices::PerChunk;
use crate::particles::activity::Activity;
use crate::particles::view::ParticleView;
use crate::solver::coefficients::Coefficients;
use crate::solver::double_density::viscosity_coefficients::ViscosityCoefficients;
use crate::solver::double_density::viscosity_rows::{ViscosityRow, ViscosityRows};
use crate::solver::neighbours::blocks::Block;
use crate::solver::neighbours::class_presence::ClassPresence;
use crate::solver::neighbours::grid::Grid;

/// One sweep over the pairs, and the velocities that were frozen before it.
#[derive(Clone, Copy)]
pub(super) struct Sweep<'a> {
    pub particles: ParticleView<'a>,
    pub grid: &'a Grid,
    pub presence: &'a ClassPresence,
    pub viscosity: &'a ViscosityCoefficients,
    pub coefficients: &'a Coefficients,
    pub number: u32,
}

impl Sweep<'_> {
    /// Calls `find` for every block with a particle that is awake and may have a partner near in this sweep,
    /// with its rows, and `change` for the item of each of its particles that is awake, with its lane of
    /// what was found. A sleeper beside others keeps its item, however many there are in a block.
    pub(super) fn for_each_block<T: Send, F>(
        self,
        items: &mut [T],
        rows: &mut Vec<ViscosityRows>,
        executor: &dyn Executor,
        find: impl Fn(&Block, &[ViscosityRow]) -> F + Sync,
        change: impl Fn(&mut T, usize, &F) + Sync,
    ) {
        let Self { particles, grid, presence, viscosity, coefficients, number } = self;
        rows.resize_with(items.len().div_ceil(CHUNK), ViscosityRows::default);
        let chunk_rows = PerChunk::new(rows, items.len(), CHUNK);
        executor.for_each_chunk((items, chunk_rows), CHUNK, |chunk_index, (chunk, rows)| {
            let start = chunk_index * CHUNK;
            let rows = rows.item();
            rows.prepare(coefficients.classes.len());
            let mut blocks = grid.blocks(start..start + chunk.len());
            while let Some(block) = blocks.next() {
                let near = presence.of(block.spans());
                let is_awake = |index: usize| particles.activity[index] == Activity::Awake;
                let takes_part = |index: usize| {
                    is_awake(index)
                        && viscosity.partners(particles.class[index], number).intersects(near)
                };
                if !block.particles.clone().any(takes_part) {
                    continue;
                }
                let rows =
                    rows.of(viscosity, (particles.class, near), &block.particles, number, |_| 1.0);
                let found = find(block, rows);
                for (lane, index) in block.particles.clone().enumerate() {
                    if is_awake(index) {
                        change(&mut chunk[index - start], lane, &found);
                    }
                }
            }
        });
    }
}
