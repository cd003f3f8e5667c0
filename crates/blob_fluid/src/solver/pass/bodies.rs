//! Bodies: colliders that the liquid, gravity and contacts move (Clavet et al. 2005, Algorithm 6).

use glam::Vec2;

use crate::boundary::collider_record::ColliderRecord;
use crate::boundary::host_body::{CarriedBody, HostBodyId};
use crate::boundary::slots::Slots;
use crate::boundary::solids::Solids;
use crate::geometry::motion::Motion;
use crate::solver::coefficients::Coefficients;
use crate::solver::pass::contacts::{Contacts, solve_contacts, start_contacts};
use crate::solver::pass::find_contacts::find_contacts;

/// What bodies need of the coefficients of a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyCoefficients {
    pub time_step: f32,
    pub gravity: Vec2,
    pub particle_spacing: f32,
    /// See [`Coefficients::most_impulse`].
    pub most_impulse: f32,
    /// See [`Coefficients::most_push`].
    pub most_push: f32,
}

impl From<&Coefficients> for BodyCoefficients {
    fn from(coefficients: &Coefficients) -> Self {
        let &Coefficients { time_step, gravity, particle_spacing, most_impulse, most_push, .. } =
            coefficients;
        Self { time_step, gravity, particle_spacing, most_impulse, most_push }
    }
}

/// `V += J/M + dt g` and `w += T/I` from the impulse and the angular impulse of the liquid in this
/// substep, for bodies and for host bodies. Then containers, colliders and other bodies push the bodies back. The bodies move in
/// the next [`FluidPass::AdvancePositions`](crate::FluidPass::AdvancePositions).
///
/// `share` lets the liquid take its part of the change: see [`AddedMass`](super::added_mass::AddedMass).
pub(crate) fn move_bodies(
    solids: &mut Solids,
    contacts: &mut Contacts,
    coefficients: BodyCoefficients,
    share: impl FnOnce(&mut Solids),
) {
    if !solids.any_bears_load() {
        return;
    }
    let BodyCoefficients { time_step, gravity, particle_spacing: spacing, most_push, .. } =
        coefficients;
    let Solids { colliders, host_bodies, .. } = &mut *solids;
    for collider in colliders.iter_mut().filter(|collider| !collider.is_sleeping()) {
        let load = collider.end_substep();
        if let Some(attachment) = &collider.options.attachment
            && let Some(carrier) = host_bodies.index_of(attachment.body)
        {
            host_bodies[carrier].add(collider.centre(), load);
        }
        let Some(body) = collider.options.body else { continue };
        let decay = 1.0 / (1.0 + body.drag * time_step);
        let farthest = collider.farthest();
        let motion = collider.motion_mut();
        let fall = if body.pinned { Vec2::ZERO } else { gravity * body.gravity_scale * time_step };
        let before = *motion;
        let load = if most_push < f32::INFINITY {
            let inverse = (Vec2::splat(body.inverse_mass()), body.inverse_inertia());
            load.limited(before, inverse, farthest, most_push)
        } else {
            load
        };
        motion.velocity += load.impulse * body.inverse_mass() + fall;
        motion.velocity *= decay;
        motion.angular_velocity += load.angular_impulse * body.inverse_inertia();
        motion.angular_velocity *= decay;
        limit_change(motion, before, coefficients.most_impulse, farthest);
        if motion.validate().is_err() {
            *motion = Motion::STILL;
        }
    }
    if most_push < f32::INFINITY {
        for index in 0..host_bodies.len() {
            let reach = reach_of(index, host_bodies, colliders);
            host_bodies[index].limit_load(reach, most_push);
        }
    }
    for body in host_bodies.iter_mut() {
        body.end_substep(time_step, coefficients.most_impulse);
    }
    find_contacts(solids, spacing, time_step, contacts);
    start_contacts(&mut contacts.found, solids);
    share(solids);
    solve_contacts(&mut contacts.found, solids, spacing, time_step);
    for collider in solids.colliders.iter_mut() {
        if collider.motion.validate().is_err() || collider.shift.validate().is_err() {
            *collider.motion_mut() = Motion::STILL;
            *collider.shift_mut() = Motion::STILL;
        }
    }
}

/// The distance of the farthest edge of a host body's colliders from its centre of mass.
fn reach_of(
    index: usize,
    host_bodies: &Slots<HostBodyId, CarriedBody>,
    colliders: &[ColliderRecord],
) -> f32 {
    let centre = host_bodies[index].body.centre;
    let is_carried = |collider: &&ColliderRecord| {
        let attachment = collider.options.attachment.as_ref();
        attachment.and_then(|attachment| host_bodies.index_of(attachment.body)) == Some(index)
    };
    let reach =
        |collider: &ColliderRecord| collider.centre().distance(centre) + collider.farthest();
    // A half plane has no farthest edge.
    colliders.iter().filter(is_carried).map(reach).fold(0.0, f32::max).min(1e18)
}

/// Limits what liquid and gravity do to a body in a substep: neither makes it, or its edge at the
/// distance `farthest`, faster than `most`, the limit for particles. A body that was faster does not
/// get faster.
fn limit_change(motion: &mut Motion, before: Motion, most: f32, farthest: f32) {
    let fastest = most.max(before.velocity.length());
    if motion.velocity.length() > fastest {
        // The liquid may push a body without mass to infinity.
        let finite = motion.velocity.clamp(Vec2::splat(-1e18), Vec2::splat(1e18));
        motion.velocity = finite.clamp_length_max(fastest);
    }
    let fastest = (most / farthest).max(before.angular_velocity.abs());
    motion.angular_velocity = motion.angular_velocity.clamp(-fastest, fastest);
}
