//! What the liquid does to colliders.

use glam::{DVec2, Vec2};

use crate::boundary::collider::Collider;

/// What the liquid did to a collider in a tick: the opposite of what that did to the liquid.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct Load {
    /// Impulse, in masses times world units/s, where a particle of the medium class has mass 1.
    pub impulse: Vec2,
    /// Angular impulse about its centre, in masses times square world units/s.
    pub angular_impulse: f32,
}

/// Of one collider, in one chunk of particles.
#[derive(Clone, Copy, Debug)]
struct Push {
    collider: u32,
    impulse: DVec2,
    angular_impulse: f64,
}

/// What the particles of a chunk did to colliders.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChunkLoads(Vec<Push>);

impl ChunkLoads {
    /// Adds an impulse that a collider of that index gave to liquid at a place.
    pub(crate) fn add(&mut self, collider: u32, own: &Collider, point: Vec2, given: Vec2) {
        let impulse = -given.as_dvec2();
        let angular_impulse = (point - own.centre()).as_dvec2().perp_dot(impulse);
        match self.0.iter_mut().find(|push| push.collider == collider) {
            Some(push) => {
                push.impulse += impulse;
                push.angular_impulse += angular_impulse;
            }
            None => self.0.push(Push { collider, impulse, angular_impulse }),
        }
    }
}

/// What the liquid did to all colliders.
#[derive(Clone, Debug, Default)]
pub(crate) struct Loads {
    /// By chunk of particles, in the present pass.
    pub chunks: Vec<ChunkLoads>,
    /// By collider, in the present substep.
    substep: Vec<(DVec2, f64)>,
    /// By collider, in the present or the last tick.
    tick: Vec<(DVec2, f64)>,
}

impl Loads {
    /// Forgets the last tick, before one with so many colliders.
    pub(crate) fn begin_tick(&mut self, colliders: usize) {
        for sums in [&mut self.substep, &mut self.tick] {
            sums.clear();
            sums.resize(colliders, (DVec2::ZERO, 0.0));
        }
    }

    /// Forgets a collider that is removed; the indices of those after it are one less from now on.
    pub(crate) fn remove(&mut self, collider: usize) {
        for sums in [&mut self.substep, &mut self.tick] {
            // One that was inserted within the tick is not there yet.
            if collider < sums.len() {
                sums.remove(collider);
            }
        }
    }

    /// Forgets all colliders.
    pub(crate) fn clear(&mut self) {
        self.substep.clear();
        self.tick.clear();
    }

    /// Makes room for a pass.
    pub(crate) fn begin_pass(&mut self, chunks: usize) {
        self.chunks.resize_with(chunks, ChunkLoads::default);
        self.chunks.iter_mut().for_each(|chunk| chunk.0.clear());
    }

    /// Adds up a pass, in the order of the chunks.
    pub(crate) fn end_pass(&mut self) {
        for push in self.chunks.iter().flat_map(|chunk| &chunk.0) {
            // One that was inserted within the tick has no sums before the next.
            if let Some((impulse, angular_impulse)) = self.substep.get_mut(push.collider as usize) {
                *impulse += push.impulse;
                *angular_impulse += push.angular_impulse;
            }
        }
    }

    /// What was done to a collider in the substep that ends.
    pub(crate) fn end_substep(&mut self, collider: usize) -> Load {
        let Some(sums) = self.substep.get_mut(collider) else {
            return Load::default();
        };
        let (impulse, angular_impulse) = std::mem::take(sums);
        self.tick[collider].0 += impulse;
        self.tick[collider].1 += angular_impulse;
        Load { impulse: impulse.as_vec2(), angular_impulse: angular_impulse as f32 }
    }

    /// What was done to a collider in the last tick.
    pub(crate) fn of(&self, collider: usize) -> Option<Load> {
        self.tick.get(collider).map(|(impulse, angular_impulse)| Load {
            impulse: impulse.as_vec2(),
            angular_impulse: *angular_impulse as f32,
        })
    }
}
