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
    blocks: Vec<BlockRecord>,
    len: usize,
    /// Walls near the chunk's particles, in the order of the particles.
    pub walls: Vec<NearGhostWall>,
}

/// The end of a block's data, which begins at the end of the previous block's data.
#[derive(Clone, Copy, Debug)]
struct BlockRecord {
    /// The index after its last particle.
    particles: u32,
    /// End index of its neighbours.
    indices: u32,
    properties: BlockProperties,
}

/// Properties of a block and of its neighbours.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BlockProperties {
    /// The classes near the block.
    pub classes: ClassSet,
    /// Whether any of the block's particles is coincident with another particle.
    pub has_coincident: bool,
    /// Whether some particles may be sorted by weight against others.
    pub has_segregation: bool,
    /// Whether any particle of the block is a grain of powder.
    pub has_grains: bool,
    /// Whether some particles may share their space with others, like a liquid that seeps through powder.
    pub has_seepage: bool,
}

impl ChunkNeighbours {
    pub(super) fn clear(&mut self) {
        self.blocks.clear();
        self.len = 0;
        self.walls.clear();
    }

    /// The walls near the chunk's particles, in the order of the particles.
    pub(crate) fn walls(&self) -> &[NearGhostWall] {
        &self.walls
    }

    /// Returns space for up to `max_count` neighbours of a block.
    pub(super) fn reserve(&mut self, max_count: usize) -> &mut [u32] {
        let needed = self.len + max_count;
        if self.indices.len() < needed {
            // Doubles the size, so that a moving liquid rarely reallocates.
            self.indices.resize((2 * needed).next_power_of_two(), 0);
        }
        &mut self.indices[self.len..needed]
    }

    /// Keeps the first `count` entries of that space.
    pub(super) fn end_block(&mut self, block: &Block, count: usize, properties: BlockProperties) {
        self.len += count;
        self.blocks.push(BlockRecord {
            particles: block.particles.end as u32,
            indices: self.len as u32,
            properties,
        });
    }

    /// The particles, neighbours and properties of each block of the chunk that starts at index
    /// `chunk_start`.
    pub(super) fn blocks(
        &self,
        chunk_start: usize,
    ) -> impl Iterator<Item = (Range<usize>, &[u32], BlockProperties)> {
        let (mut first, mut first_index) = (chunk_start, 0);
        self.blocks.iter().map(move |block| {
            let particles = first..block.particles as usize;
            let indices = first_index..block.indices as usize;
            (first, first_index) = (particles.end, indices.end);
            (particles, &self.indices[indices], block.properties)
        })
    }

    /// The particles, neighbours and near classes of the blocks that contain grains and awake particles.
    pub(super) fn moving_grains(
        &self,
        chunk_start: usize,
        activity: &[Activity],
    ) -> impl Iterator<Item = (Range<usize>, &[u32], ClassSet)> {
        self.blocks(chunk_start)
            .filter(|(particles, _, properties)| {
                properties.has_grains && takes_part(&activity[particles.clone()], Activity::Awake)
            })
            .map(|(particles, indices, properties)| (particles, indices, properties.classes))
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
    pub weight_gradient: Vec2,
    pub collider: Option<u32>,
}
