//! Loads: the impulses of the liquid on colliders.

use glam::{DVec2, Vec2};

use crate::boundary::collider::Collider;
use crate::boundary::solids::Solids;
use crate::geometry::pose::Motion;
use crate::stored::stored;

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

impl Load {
    /// What of it acts on a body in a substep if it makes neither the body nor its edge, at the
    /// distance `farthest`, faster than `most`. A body that was faster does not get faster.
    pub(crate) fn limited(
        self,
        motion: Motion,
        (inverse_mass, inverse_inertia): (Vec2, f32),
        farthest: f32,
        most: f32,
    ) -> Self {
        let edge = |spin: f32| DVec2::new(f64::from(spin) * f64::from(farthest), 0.0);
        let pushed = (self.impulse * inverse_mass).as_dvec2();
        let push = share_within(motion.velocity.as_dvec2(), pushed, most.into());
        let turned = edge(self.angular_impulse * inverse_inertia);
        let turn = share_within(edge(motion.angular_velocity), turned, most.into());
        Self {
            impulse: (self.impulse.as_dvec2() * push).as_vec2(),
            angular_impulse: (f64::from(self.angular_impulse) * turn) as f32,
        }
    }
}

/// The largest part, at most all, of a change of velocity after which it is at most `most`, or what it was before.
fn share_within(before: DVec2, change: DVec2, most: f64) -> f64 {
    let fastest = most.max(before.length());
    if (before + change).length() <= fastest {
        return 1.0;
    }
    let (squared, along) = (change.length_squared(), before.dot(change));
    let room = (fastest * fastest - before.length_squared()).max(0.0);
    let share = ((along * along + squared * room).sqrt() - along) / squared;
    if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
}

/// The sums of the impulses on a collider or on a host body: impulse and angular impulse.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LoadSums {
    /// Sums of the present substep.
    substep: (DVec2, f64),
    /// Sums of the present or the last tick.
    tick: (DVec2, f64),
}

stored!(LoadSums { substep in Limits::FINITE, tick in Limits::FINITE });

impl LoadSums {
    /// Adds an impulse of the present substep.
    pub(crate) fn add(&mut self, impulse: DVec2, angular_impulse: f64) {
        grow(&mut self.substep, impulse, angular_impulse);
    }

    /// Adds an impulse that is part of the tick's load and has already had its effect.
    pub(crate) fn add_reaction(&mut self, impulse: DVec2, angular_impulse: f64) {
        grow(&mut self.tick, impulse, angular_impulse);
    }

    /// Lets only a part of the present substep's load act.
    pub(crate) fn limit_substep(&mut self, limited: impl FnOnce(Load) -> Load) {
        let Load { impulse, angular_impulse } = limited(rounded(self.substep));
        self.substep = (impulse.as_dvec2(), f64::from(angular_impulse));
    }

    /// Ends the substep and returns the load in it.
    pub(crate) fn end_substep(&mut self) -> Load {
        let (impulse, angular_impulse) = std::mem::take(&mut self.substep);
        grow(&mut self.tick, impulse, angular_impulse);
        rounded((impulse, angular_impulse))
    }

    /// The load of the tick alone, before the first substep of another one.
    pub(crate) fn without_substep(self) -> Self {
        Self { tick: self.tick, ..Self::default() }
    }

    /// The load of the present or the last tick.
    pub(crate) fn load(&self) -> Load {
        rounded(self.tick)
    }
}

/// Adds an impulse to sums, which stay within the numbers of 32 bits. An impulse that is no number adds nothing.
fn grow(sums: &mut (DVec2, f64), impulse: DVec2, angular_impulse: f64) {
    let most = f64::from(f32::MAX);
    let add = |sum: f64, more: f64| {
        if more.is_nan() { sum } else { (sum + more).clamp(-most, most) }
    };
    sums.0 = DVec2::new(add(sums.0.x, impulse.x), add(sums.0.y, impulse.y));
    sums.1 = add(sums.1, angular_impulse);
}

fn rounded((impulse, angular_impulse): (DVec2, f64)) -> Load {
    Load { impulse: impulse.as_vec2(), angular_impulse: angular_impulse as f32 }
}

// The impulses of the liquid on colliders within a pass, gathered by chunks of particles.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_push_is_cut_where_it_makes_faster_than_allowed() {
        let x = DVec2::X;
        // From rest, faster than allowed before and pushed on, turned aside, and braked.
        assert_eq!(share_within(DVec2::ZERO, 100.0 * x, 40.0), 0.4);
        assert_eq!(share_within(50.0 * x, 10.0 * x, 40.0), 0.0);
        let share = share_within(30.0 * x, 80.0 * DVec2::Y, 50.0);
        assert!(((30.0 * x + share * 80.0 * DVec2::Y).length() - 50.0).abs() < 1e-9);
        assert_eq!(share_within(50.0 * x, -60.0 * x, 40.0), 1.0);
        // What is no number does not act.
        assert_eq!(share_within(DVec2::ZERO, f64::NAN * x, 40.0), 0.0);
    }
}
