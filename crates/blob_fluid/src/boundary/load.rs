//! Loads: the impulses of the liquid on colliders.

use glam::{DVec2, Vec2};

use crate::boundary::collider::Collider;

/// Impulse of the liquid on a collider in a tick. It is opposite to the impulse of the collider on
/// the liquid.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct Load {
    /// Impulse, in masses times world units/s, where a particle of the medium class has mass 1.
    pub impulse: Vec2,
    /// Angular impulse about the collider's centre, in masses times square world units/s.
    pub angular_impulse: f32,
}

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
    /// Adds the reaction to the impulse `given` to the liquid at a `point`, by the collider with
    /// this index.
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

/// Loads on all colliders.
#[derive(Clone, Debug, Default)]
pub(crate) struct Loads {
    /// For each chunk of particles, the impulses of the present pass.
    pub chunks: Vec<ChunkLoads>,
    /// For each collider, the sums of the present substep.
    substep: Vec<(DVec2, f64)>,
    /// For each collider, the sums of the present or the last tick.
    tick: Vec<(DVec2, f64)>,
}

impl Loads {
    /// Sets the loads of all colliders to 0 before a tick, except those of sleeping bodies.
    pub(crate) fn begin_tick(&mut self, colliders: &[Collider]) {
        let none = (DVec2::ZERO, 0.0);
        self.substep.clear();
        self.substep.resize(colliders.len(), none);
        self.tick.resize(colliders.len(), none);
        for (sums, collider) in self.tick.iter_mut().zip(colliders) {
            if !collider.is_sleeping() {
                *sums = none;
            }
        }
    }

    /// Removes the sums of a collider. The indices of all colliders after it decrease by 1.
    pub(crate) fn remove(&mut self, collider: usize) {
        for sums in [&mut self.substep, &mut self.tick] {
            // A collider that was inserted within the tick has no sums yet.
            if collider < sums.len() {
                sums.remove(collider);
            }
        }
    }

    /// Removes the sums of all colliders.
    pub(crate) fn clear(&mut self) {
        self.substep.clear();
        self.tick.clear();
    }

    /// Prepares an empty list for each chunk of a pass.
    pub(crate) fn begin_pass(&mut self, chunks: usize) {
        self.chunks.resize_with(chunks, ChunkLoads::default);
        self.chunks.iter_mut().for_each(|chunk| chunk.0.clear());
    }

    /// Adds the impulses of a pass to the sums, in the order of the chunks.
    pub(crate) fn end_pass(&mut self) {
        for push in self.chunks.iter().flat_map(|chunk| &chunk.0) {
            // A collider that was inserted within the tick has no sums before the next tick.
            if let Some((impulse, angular_impulse)) = self.substep.get_mut(push.collider as usize) {
                *impulse += push.impulse;
                *angular_impulse += push.angular_impulse;
            }
        }
    }

    /// Ends the substep for a collider and returns its load in that substep.
    pub(crate) fn end_substep(&mut self, collider: usize) -> Load {
        let Some(sums) = self.substep.get_mut(collider) else {
            return Load::default();
        };
        let (impulse, angular_impulse) = std::mem::take(sums);
        self.tick[collider].0 += impulse;
        self.tick[collider].1 += angular_impulse;
        Load { impulse: impulse.as_vec2(), angular_impulse: angular_impulse as f32 }
    }

    /// The load on a collider in the last tick.
    pub(crate) fn of(&self, collider: usize) -> Option<Load> {
        self.tick.get(collider).map(|(impulse, angular_impulse)| Load {
            impulse: impulse.as_vec2(),
            angular_impulse: *angular_impulse as f32,
        })
    }
}
