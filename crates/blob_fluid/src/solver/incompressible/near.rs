//! The neighbours of a chunk's particles and their weights, kept for all iterations of a substep.

use std::ops::Range;

use crate::parallel::lanes::{LANES, Lanes};

/// For each block of a chunk, the indices of the neighbours of its particles, and their weights.
#[derive(Clone, Debug, Default)]
pub(crate) struct NearOfChunk {
    indices: Vec<u32>,
    /// Gradients of the kernel over the distance, for each particle of the block; 0 beyond the
    /// interaction radius.
    weights: Vec<Lanes>,
    /// The index after the last particle of each block, and the end of its neighbours.
    blocks: Vec<(u32, u32)>,
    used: usize,
}

impl NearOfChunk {
    pub(super) fn clear(&mut self) {
        self.blocks.clear();
        self.used = 0;
    }

    /// Space for the neighbours of a block, at most `most`.
    pub(super) fn room_for(&mut self, most: usize) -> (&mut [u32], &mut [Lanes]) {
        let needed = self.used + most;
        if self.indices.len() < needed {
            // Reserves more than needed, so that a moving liquid rarely reallocates.
            let roomy = (2 * needed).next_power_of_two();
            self.indices.resize(roomy, 0);
            self.weights.resize(roomy, [0.0; LANES]);
        }
        (&mut self.indices[self.used..needed], &mut self.weights[self.used..needed])
    }

    /// Keeps the first `found` neighbours of that space for the block that ends before this
    /// particle.
    pub(super) fn end_block(&mut self, end: usize, found: usize) {
        self.used += found;
        self.blocks.push((end as u32, self.used as u32));
    }

    /// The particles, the neighbours and the weights of each block of the chunk that starts at that
    /// index.
    pub(super) fn blocks(
        &self,
        chunk_start: usize,
    ) -> impl Iterator<Item = (Range<usize>, &[u32], &[Lanes])> {
        let (mut first, mut first_near) = (chunk_start, 0);
        self.blocks.iter().map(move |(end, near_end)| {
            let particles = first..*end as usize;
            let near = first_near..*near_end as usize;
            (first, first_near) = (particles.end, near.end);
            (particles, &self.indices[near.clone()], &self.weights[near])
        })
    }
}
