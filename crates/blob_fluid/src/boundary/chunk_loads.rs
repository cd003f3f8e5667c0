//! The impulses of the liquid on colliders within a pass, gathered by chunks of particles.

use glam::{DVec2, Vec2};

use crate::boundary::collider::Collider;
use crate::boundary::solids::Solids;

/// Impulse on one collider, from one chunk of particles.
#[derive(Clone, Copy, Debug)]
struct Push {
    collider: u32,
    impulse: DVec2,
    angular_impulse: f64,
}

/// Impulses on colliders, from the particles of one chunk.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChunkLoads(Vec<Push>);

impl ChunkLoads {
    /// Adds the reaction to the impulse `given` to the liquid at a `point`, by the `collider` with
    /// this `index`.
    pub(crate) fn add(&mut self, index: u32, collider: &Collider, point: Vec2, given: Vec2) {
        let impulse = -given.as_dvec2();
        let angular_impulse = (point - collider.centre()).as_dvec2().perp_dot(impulse);
        match self.0.iter_mut().find(|push| push.collider == index) {
            Some(push) => {
                push.impulse += impulse;
                push.angular_impulse += angular_impulse;
            }
            None => self.0.push(Push { collider: index, impulse, angular_impulse }),
        }
    }
}

/// The impulses of a pass on all colliders.
#[derive(Clone, Debug, Default)]
pub(crate) struct Loads {
    /// For each chunk of particles, its impulses.
    pub chunks: Vec<ChunkLoads>,
}

impl Loads {
    /// Prepares an empty list for each chunk of a pass.
    pub(crate) fn begin_pass(&mut self, chunks: usize) {
        self.chunks.resize_with(chunks, ChunkLoads::default);
        self.chunks.iter_mut().for_each(|chunk| chunk.0.clear());
    }

    /// Adds the impulses of a pass to the colliders, in the order of the chunks.
    pub(crate) fn end_pass(&self, solids: &mut Solids) {
        for push in self.chunks.iter().flat_map(|chunk| &chunk.0) {
            solids.colliders[push.collider as usize]
                .add_impulse(push.impulse, push.angular_impulse);
        }
    }
}
