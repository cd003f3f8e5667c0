//! The neighbour lists of a chunk. They are built with the densities and used again for the displacements.

use std::ops::Range;

use glam::Vec2;

use crate::particles::arrays::{Activity, takes_part};
use crate::solver::coefficients::ClassSet;
use crate::solver::kernel::GhostWall;
use crate::solver::neighbours::blocks::Block;

/// The blocks of a chunk, and for each block the indices of the neighbours of its particles.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChunkNeighbours {
    indices: Vec<u32>,
    blocks: Vec<BlockEnd>,
    used: usize,
    /// Walls near the chunk's particles, in the order of the particles.
    pub walls: Vec<NearGhostWall>,
}

/// The end of a block's data, which begins at the end of the previous block's data.
#[derive(Clone, Copy, Debug)]
struct BlockEnd {
    /// The index after its last particle.
    particles: u32,
    /// End index of its neighbours.
    indices: u32,
    around: Surroundings,
}

/// Properties of a block and of its neighbours.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Surroundings {
    /// The classes near the block.
    pub classes: ClassSet,
    /// Whether any of the block's particles is coincident with another particle.
    pub coincide: bool,
    /// Whether some particles may be sorted by weight against others.
    pub sorted: bool,
    /// Whether any particle of the block is a grain of powder.
    pub granular: bool,
    /// Whether some particles may share their space with others, like a liquid that seeps through powder.
    pub porous: bool,
}

impl ChunkNeighbours {
    pub(super) fn clear(&mut self) {
        self.blocks.clear();
        self.used = 0;
        self.walls.clear();
    }

    /// The walls near the chunk's particles, in the order of the particles.
    pub(crate) fn walls(&self) -> &[NearGhostWall] {
        &self.walls
    }

    /// Returns space for up to `most` neighbours of a block.
    pub(super) fn room_for(&mut self, most: usize) -> &mut [u32] {
        let needed = self.used + most;
        if self.indices.len() < needed {
            // Doubles the size, so that a moving liquid rarely reallocates.
            self.indices.resize((2 * needed).next_power_of_two(), 0);
        }
        &mut self.indices[self.used..needed]
    }

    /// Keeps the first `found` entries of that space.
    pub(super) fn end_block(&mut self, block: &Block, found: usize, around: Surroundings) {
        self.used += found;
        self.blocks.push(BlockEnd {
            particles: block.particles.end as u32,
            indices: self.used as u32,
            around,
        });
    }

    /// The particles, neighbours and surroundings of each block of the chunk that starts at index
    /// `chunk_start`.
    pub(super) fn blocks(
        &self,
        chunk_start: usize,
    ) -> impl Iterator<Item = (Range<usize>, &[u32], Surroundings)> {
        let (mut first, mut first_index) = (chunk_start, 0);
        self.blocks.iter().map(move |block| {
            let particles = first..block.particles as usize;
            let indices = first_index..block.indices as usize;
            (first, first_index) = (particles.end, indices.end);
            (particles, &self.indices[indices], block.around)
        })
    }
    /// The particles and neighbours of the blocks that contain grains and awake particles.
    pub(super) fn moving_grains(
        &self,
        chunk_start: usize,
        activity: &[Activity],
    ) -> impl Iterator<Item = (Range<usize>, &[u32])> {
        self.blocks(chunk_start)
            .filter(|(particles, _, around)| {
                around.granular && takes_part(&activity[particles.clone()], Activity::Awake)
            })
            .map(|(particles, near, _)| (particles, near))
    }
}

// A wall near a particle, as the relaxation stores it.

/// A wall near a particle, found with the densities and used again for the displacements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NearGhostWall {
    pub particle: u32,
    pub ghost: GhostWall,
    pub normal: Vec2,
    pub wetting: f32,
    /// The wall's own friction ([`WallProperties`](crate::WallProperties)).
    pub friction: Option<f32>,
    /// Velocity of the wall near the particle, in world units/s.
    pub velocity: Vec2,
    pub fade_in: f32,
    /// Gradient of `fade_in`, per interaction radius.
    pub slope: Vec2,
    pub collider: Option<u32>,
}
