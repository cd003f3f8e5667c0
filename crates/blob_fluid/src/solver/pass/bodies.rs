//! Bodies: colliders that the liquid, gravity and contacts move (Clavet et al. 2005, Algorithm 6).

use glam::Vec2;

use crate::boundary::body::Body;
use crate::boundary::collider::Collider;
use crate::boundary::container::container_of;
use crate::boundary::load::Loads;
use crate::boundary::solids::Solids;
use crate::boundary::wall::NearWall;
use crate::geometry::motion::Motion;
use crate::solver::coefficients::Coefficients;

/// Iterations over the contacts in a substep.
const ITERATIONS: u32 = 6;

/// Fraction of the penetration depth that is corrected per substep.
const POSITION_CORRECTION: f32 = 0.5;

/// Penetration depth, in particle spacings, that is allowed, so that contacts persist.
const ALLOWED_DEPTH: f32 = 0.02;

/// `V += J/M + dt g` and `w += T/I` from the impulse and the angular impulse of the liquid in this
/// substep, for bodies and for host bodies. Then containers, colliders and other bodies push the bodies back. The bodies move in
/// the next [`Pass::AdvancePositions`](crate::Pass::AdvancePositions).
pub(crate) fn move_bodies(
    solids: &mut Solids,
    loads: &mut Loads,
    contacts: &mut Vec<Contact>,
    coefficients: &Coefficients,
) {
    let count = solids.colliders.len();
    if !solids.any_bears_load() {
        return;
    }
    let &Coefficients { time_step, gravity, particle_spacing: spacing, .. } = coefficients;
    for index in 0..count {
        let load = loads.end_substep(index);
        let collider = &mut solids.colliders[index];
        if let Some(attachment) = &collider.options.attachment
            && let Some(carrier) = solids.host_bodies.index_of(attachment.body)
        {
            solids.host_bodies[carrier].add(collider.centre(), load);
        }
        let Some(body) = collider.options.body else { continue };
        let decay = 1.0 / (1.0 + body.drag * time_step);
        let farthest = collider.farthest();
        let motion = &mut collider.motion;
        let fall = if body.pinned { Vec2::ZERO } else { gravity * body.gravity_scale * time_step };
        let before = *motion;
        motion.velocity += load.impulse * body.inverse_mass() + fall;
        motion.velocity *= decay;
        motion.angular_velocity += load.angular_impulse * body.inverse_inertia();
        motion.angular_velocity *= decay;
        limit_change(motion, before, coefficients.most_impulse, farthest);
        if motion.validate().is_err() {
            *motion = Motion::STILL;
        }
    }
    for body in solids.host_bodies.iter_mut() {
        body.end_substep(time_step, coefficients.most_impulse);
    }
    find_contacts(solids, ALLOWED_DEPTH * spacing, contacts);
    for _ in 0..ITERATIONS {
        for contact in &*contacts {
            contact.push_back(&mut solids.colliders);
        }
    }
    correct_positions(contacts, &mut solids.colliders, ALLOWED_DEPTH * spacing);
    for collider in solids.colliders.iter_mut() {
        if collider.motion.validate().is_err() || !collider.shift.is_finite() {
            (collider.motion, collider.shift) = (Motion::STILL, Vec2::ZERO);
        }
    }
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

/// A contact point of a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contact {
    body: usize,
    /// Index of the other body; `None` for a container or a collider that is no body.
    other: Option<usize>,
    point: Vec2,
    /// Unit normal, towards the body.
    normal: Vec2,
    depth: f32,
    /// Velocity of the other side at the point, if it is no body.
    velocity: Vec2,
    friction: f32,
}

fn find_contacts(solids: &Solids, allowed: f32, contacts: &mut Vec<Contact>) {
    contacts.clear();
    for (index, collider) in solids.colliders.iter().enumerate() {
        let Some(body) = collider.options.body.filter(|body| !body.ignore_contacts) else {
            continue;
        };
        let corners = || solids.corners(index).iter().map(|corner| collider.pose.to_world(*corner));
        if let Some(container) = container_of(&solids.containers, collider.centre()) {
            for point in corners() {
                container.near_walls(point, allowed, |near| {
                    let friction = body.friction;
                    contacts.push(Contact::of(index, None, point, &near, friction));
                });
            }
        }
        let around = collider.pose.bounds(&collider.shape);
        for (other_index, other) in solids.colliders.iter().enumerate() {
            let of_other = other.options.body;
            if other_index == index
                || other.options.one_way
                || of_other.is_some_and(|other| other.ignore_contacts)
                || !other.may_meet(around, allowed)
            {
                continue;
            }
            let friction = body.friction.max(of_other.map_or(0.0, |other| other.friction));
            for point in corners() {
                if let Some(near) = other.wall_near(point, allowed, f32::INFINITY).wall() {
                    let as_body = of_other.map(|_| other_index);
                    contacts.push(Contact::of(index, as_body, point, &near, friction));
                }
            }
            // The other body's corners are found in its own turn.
            if of_other.is_none() {
                for corner in solids.corners(other_index) {
                    let point = other.pose.to_world(*corner);
                    if let Some(near) = collider.wall_near(point, allowed, f32::INFINITY).wall() {
                        let velocity = other.velocity_at(point, 0.0);
                        let near = NearWall { normal: -near.normal, velocity, ..near };
                        contacts.push(Contact::of(index, None, point, &near, friction));
                    }
                }
            }
        }
    }
}

/// Inverse mass and inverse moment of inertia of a collider.
fn inertia(collider: &Collider) -> (f32, f32) {
    let body = collider.options.body.as_ref();
    (body.map_or(0.0, Body::inverse_mass), body.map_or(0.0, Body::inverse_inertia))
}

impl Contact {
    fn of(body: usize, other: Option<usize>, point: Vec2, near: &NearWall, friction: f32) -> Self {
        let NearWall { normal, distance, velocity, .. } = *near;
        Self { body, other, point, normal, depth: -distance, velocity, friction }
    }

    /// Removes the approach speed, and tangential speed by friction.
    fn push_back(&self, colliders: &mut [Collider]) {
        let (normal, tangent) = (self.normal, self.normal.perp());
        let offset = self.point - colliders[self.body].centre();
        let (inverse_mass, inverse_inertia) = inertia(&colliders[self.body]);
        let mut velocity = colliders[self.body].motion.at(offset);
        let mobility = |axis: Vec2| {
            let lever = offset.perp_dot(axis);
            inverse_mass + inverse_inertia * lever * lever
        };
        let (mut along_normal, mut along_tangent) = (mobility(normal), mobility(tangent));
        match self.other {
            None => velocity -= self.velocity,
            Some(other) => {
                let other = &colliders[other];
                let offset = self.point - other.centre();
                velocity -= other.motion.at(offset);
                let (inverse_mass, inverse_inertia) = inertia(other);
                for (axis, sum) in [(normal, &mut along_normal), (tangent, &mut along_tangent)] {
                    let lever = offset.perp_dot(axis);
                    *sum += inverse_mass + inverse_inertia * lever * lever;
                }
            }
        }
        let approach = -velocity.dot(normal);
        if approach <= 0.0 || along_normal <= 0.0 {
            return;
        }
        let pushed = approach / along_normal;
        if !pushed.is_finite() {
            return;
        }
        let most = self.friction * pushed;
        // A pinned body does not move towards its axle.
        let rubbed = if along_tangent > 0.0 {
            (-velocity.dot(tangent) / along_tangent).clamp(-most, most)
        } else {
            0.0
        };
        let impulse = normal * pushed + tangent * rubbed;
        apply(&mut colliders[self.body], self.point, impulse);
        if let Some(other) = self.other {
            apply(&mut colliders[other], self.point, -impulse);
        }
    }
}

fn apply(collider: &mut Collider, point: Vec2, impulse: Vec2) {
    let offset = point - collider.centre();
    let (inverse_mass, inverse_inertia) = inertia(collider);
    collider.motion.velocity += impulse * inverse_mass;
    collider.motion.angular_velocity += offset.perp_dot(impulse) * inverse_inertia;
}

/// Moves bodies apart, each by its deepest contact.
fn correct_positions(contacts: &[Contact], colliders: &mut [Collider], allowed: f32) {
    let mut first = 0;
    while let Some(contact) = contacts.get(first) {
        let body = contact.body;
        let own = contacts[first..].iter().take_while(|contact| contact.body == body);
        let count = own.clone().count();
        let deepest = own.max_by(|a, b| a.depth.total_cmp(&b.depth));
        if let Some(deepest) = deepest.filter(|deepest| deepest.depth > allowed) {
            let (inverse_mass, _) = inertia(&colliders[body]);
            let of_other = deepest.other.map_or(0.0, |other| inertia(&colliders[other]).0);
            let total = inverse_mass + of_other;
            if total > 0.0 {
                let way =
                    deepest.normal * (POSITION_CORRECTION * (deepest.depth - allowed) / total);
                colliders[body].shift += way * inverse_mass;
                if let Some(other) = deepest.other {
                    colliders[other].shift -= way * of_other;
                }
            }
        }
        first += count;
    }
}
