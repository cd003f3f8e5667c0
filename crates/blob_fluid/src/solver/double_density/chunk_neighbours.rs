//! Who is near the particles of a chunk, found with the densities and needed again for the
//! displacements.

use std::ops::Range;

use crate::solver::double_density::near_ghost_wall::NearGhostWall;
use crate::solver::neighbours::grid::Block;

/// The blocks of a chunk, and for each the indices of those that are near some particle of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChunkNeighbours {
    indices: Vec<u32>,
    blocks: Vec<BlockEnd>,
    used: usize,
    /// Walls near the chunk's particles, in the order of the particles.
    pub walls: Vec<NearGhostWall>,
}

/// End of a block's data; it begins at the previous block's end.
#[derive(Clone, Copy, Debug)]
struct BlockEnd {
    /// The index after its last particle.
    particles: u32,
    /// End index of its neighbours.
    indices: u32,
    /// Whether particles coincide with some of the block's.
    coincide: bool,
}

impl ChunkNeighbours {
    pub(super) fn clear(&mut self) {
        self.blocks.clear();
        self.used = 0;
        self.walls.clear();
    }

    /// The walls near the chunk's particles, in the order of these.
    pub(crate) fn walls(&self) -> &[NearGhostWall] {
        &self.walls
    }

    /// Space for a block's neighbours, at most `most`.
    pub(super) fn room_for(&mut self, most: usize) -> &mut [u32] {
        let needed = self.used + most;
        if self.indices.len() < needed {
            // Reserves more than needed, so that a moving liquid rarely reallocates.
            self.indices.resize((2 * needed).next_power_of_two(), 0);
        }
        &mut self.indices[self.used..needed]
    }

    /// Keeps the first `found` entries of that space.
    pub(super) fn end_block(&mut self, block: &Block, found: usize, coincide: bool) {
        self.used += found;
        self.blocks.push(BlockEnd {
            particles: block.particles.end as u32,
            indices: self.used as u32,
            coincide,
        });
    }

    /// Particles and neighbours of each block of the chunk that starts at that index, and whether some
    /// coincide.
    pub(super) fn blocks(
        &self,
        chunk_start: usize,
    ) -> impl Iterator<Item = (Range<usize>, &[u32], bool)> {
        let (mut first, mut first_index) = (chunk_start, 0);
        self.blocks.iter().map(move |block| {
            let particles = first..block.particles as usize;
            let indices = first_index..block.indices as usize;
            (first, first_index) = (particles.end, indices.end);
            (particles, &self.indices[indices], block.coincide)
        })
    }
}
