//! Contacts of bodies with containers, colliders and each other.

use glam::Vec2;

use crate::boundary::body::Body;
use crate::boundary::collider::Collider;
use crate::boundary::collider_record::ColliderRecord;
use crate::boundary::container::container_of;
use crate::boundary::held_contact::{ContactKey, HeldContact};
use crate::boundary::solids::Solids;
use crate::boundary::wall::NearWall;
use crate::geometry::motion::Motion;

/// Iterations over the contacts in a substep.
const ITERATIONS: usize = 16;

/// Fraction of the penetration depth that is corrected per substep.
const POSITION_CORRECTION: f32 = 0.5;

/// Penetration depth, in particle spacings, at which bodies rest, so that contacts persist and no
/// crack opens into which liquid could get.
const ALLOWED_DEPTH: f32 = 0.02;

/// Largest gap, in particle spacings, at which a contact is found. A body may close it.
const LARGEST_GAP: f32 = 0.1;

/// Largest correction per substep, in particle spacings.
const LARGEST_CORRECTION: f32 = 4.0;

/// How far from a corner, in particle spacings and towards the middle of its solid, the face that it
/// touches is looked for. At the corner itself another face may be as near, such as the side of a
/// crate that lies below.
const LOOK_FROM: f32 = 0.25;

/// A contact point of a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contact {
    key: ContactKey,
    /// Index of the other body; `None` for a container, for a collider that is no body, and for a body
    /// that sleeps.
    other: Option<usize>,
    point: Vec2,
    /// Unit normal, towards the body.
    normal: Vec2,
    /// Distance between both; negative where they overlap.
    distance: f32,
    /// Velocity of the other side at the point, if it is no body; otherwise 0.
    velocity: Vec2,
    friction: f32,
    /// Impulses along the normal and the tangent, of all iterations together.
    pushed: f32,
    rubbed: f32,
    /// As `pushed`, of the correction of positions.
    corrected: f32,
}

/// Finds the contacts of all bodies that are awake.
pub(crate) fn find_contacts(solids: &Solids, spacing: f32, contacts: &mut Vec<Contact>) {
    let (gap, look_from) = (LARGEST_GAP * spacing, LOOK_FROM * spacing);
    contacts.clear();
    for (index, collider) in solids.colliders.iter().enumerate() {
        let Some(body) = awake_body(collider).filter(|body| !body.ignore_contacts) else {
            continue;
        };
        let corners = |index: usize| {
            let collider = &solids.colliders[index];
            let pose = collider.pose;
            collider.corners().iter().map(move |corner| pose.to_world(*corner)).enumerate()
        };
        let first = ContactKey { body: index, other: 0, is_of_other: false, corner: 0, wall: 0 };
        if let Some(container) = container_of(&solids.containers, collider.centre()) {
            for (corner, point) in corners(index) {
                let mut key = ContactKey { corner, ..first };
                container.near_walls(point, gap, |near| {
                    contacts.push(Contact::of(key, None, point, &near, body.friction));
                    key.wall += 1;
                });
            }
        }
        let around = collider.pose.bounds(&collider.shape);
        for (other_index, other) in solids.colliders.iter().enumerate() {
            let other_body = other.options.body;
            if other_index == index
                || other.options.one_way
                || other_body.is_some_and(|other| other.ignore_contacts)
                || !other.may_meet(around, gap)
            {
                continue;
            }
            let friction = body.friction.max(other_body.map_or(0.0, |other| other.friction));
            let first = ContactKey { other: other_index + 1, ..first };
            for (corner, point) in corners(index) {
                if let Some(near) = face_at(point, collider.centre(), other, gap, look_from) {
                    let key = ContactKey { corner, ..first };
                    let as_body = awake_body(other).map(|_| other_index);
                    contacts.push(Contact::of(key, as_body, point, &near, friction));
                }
            }
            // The corners of another body that is awake are found in its own turn.
            if awake_body(other).is_none() {
                for (corner, point) in corners(other_index) {
                    if let Some(near) = face_at(point, other.centre(), collider, gap, look_from) {
                        let velocity = other.velocity_at(point, 0.0);
                        let near = NearWall { normal: -near.normal, velocity, ..near };
                        let key = ContactKey { is_of_other: true, corner, ..first };
                        contacts.push(Contact::of(key, None, point, &near, friction));
                    }
                }
            }
        }
    }
}

/// The face of a collider that a corner of another solid with this centre touches, within `gap`.
fn face_at(
    corner: Vec2,
    centre: Vec2,
    collider: &Collider,
    gap: f32,
    look_from: f32,
) -> Option<NearWall> {
    let way = (centre - corner).clamp_length_max(look_from);
    let near = collider.wall_near(corner + way, gap + look_from, f32::INFINITY).wall()?;
    let distance = near.distance - way.dot(near.normal);
    let velocity = collider.velocity_at(corner, 0.0);
    (distance < gap).then_some(NearWall { distance, velocity, ..near })
}

/// Changes the motions of bodies by the impulses at their contacts in the last substep.
pub(crate) fn start_contacts(contacts: &mut [Contact], solids: &mut Solids) {
    let Solids { colliders, held_contacts, .. } = solids;
    for contact in contacts {
        if let Ok(held) = held_contacts.binary_search_by_key(&contact.key, |held| held.key) {
            contact.start_with(&held_contacts[held], colliders);
        }
    }
}

/// Changes the motions of bodies by the impulses at their contacts, and moves bodies that overlap
/// apart in the next advance.
pub(crate) fn solve_contacts(
    contacts: &mut [Contact],
    solids: &mut Solids,
    spacing: f32,
    time_step: f32,
) {
    let Solids { colliders, held_contacts, .. } = solids;
    let colliders = &mut **colliders;
    let count = contacts.len();
    for iteration in 0..ITERATIONS {
        for rank in 0..count {
            // There and back, so that stacks of bodies converge sooner.
            let rank = if iteration % 2 == 0 { rank } else { count - 1 - rank };
            contacts[rank].push_back(colliders, spacing, time_step);
            contacts[rank].correct_position(colliders, spacing);
        }
    }
    held_contacts.clear();
    held_contacts.extend(contacts.iter().map(|contact| {
        let Contact { key, pushed, rubbed, .. } = *contact;
        HeldContact { key, pushed, rubbed }
    }));
}

/// The body of a collider, unless it sleeps. Then it is as immovable as the ground.
fn awake_body(collider: &Collider) -> Option<&Body> {
    collider.options.body.as_ref().filter(|_| !collider.is_sleeping())
}

/// Inverse mass and inverse moment of inertia of a collider.
fn inertia(collider: &Collider) -> (f32, f32) {
    let body = awake_body(collider);
    (body.map_or(0.0, Body::inverse_mass), body.map_or(0.0, Body::inverse_inertia))
}

/// What impulses change: the motion of a collider, or its additional motion in the next advance.
type Change = fn(&mut ColliderRecord) -> &mut Motion;

impl Contact {
    fn of(
        key: ContactKey,
        other: Option<usize>,
        point: Vec2,
        near: &NearWall,
        friction: f32,
    ) -> Self {
        let NearWall { normal, distance, velocity, .. } = *near;
        let velocity = if other.is_some() { Vec2::ZERO } else { velocity };
        let (pushed, rubbed, corrected) = (0.0, 0.0, 0.0);
        Self { key, other, point, normal, distance, velocity, friction, pushed, rubbed, corrected }
    }

    /// Velocity of the body at the point relative to the other side, if the other side stands still
    /// or is a body.
    fn velocity(&self, colliders: &mut [ColliderRecord], change: Change) -> Vec2 {
        let mut at = |index: usize| {
            let offset = self.point - colliders[index].centre();
            change(&mut colliders[index]).at(offset)
        };
        at(self.key.body) - self.other.map_or(Vec2::ZERO, at)
    }

    /// Change of the velocity along an axis by an impulse of 1 along it.
    fn mobility(&self, colliders: &[ColliderRecord], axis: Vec2) -> f32 {
        let of = |index: usize| {
            let (inverse_mass, inverse_inertia) = inertia(&colliders[index]);
            let lever = (self.point - colliders[index].centre()).perp_dot(axis);
            inverse_mass + inverse_inertia * lever * lever
        };
        of(self.key.body) + self.other.map_or(0.0, of)
    }

    fn apply(&self, colliders: &mut [ColliderRecord], impulse: Vec2, change: Change) {
        let mut add = |index: usize, impulse: Vec2| {
            let collider = &mut colliders[index];
            let (inverse_mass, inverse_inertia) = inertia(collider);
            let turn = (self.point - collider.centre()).perp_dot(impulse) * inverse_inertia;
            let motion = change(collider);
            motion.velocity += impulse * inverse_mass;
            motion.angular_velocity += turn;
        };
        add(self.key.body, impulse);
        if let Some(other) = self.other {
            add(other, -impulse);
        }
    }

    /// Starts with the impulses of the last substep.
    fn start_with(&mut self, held: &HeldContact, colliders: &mut [ColliderRecord]) {
        (self.pushed, self.rubbed) = (held.pushed, held.rubbed);
        let impulse = self.normal * self.pushed + self.normal.perp() * self.rubbed;
        self.apply(colliders, impulse, ColliderRecord::motion_mut);
    }

    /// Removes the approach speed, except that of closing a gap, and tangential speed by friction.
    /// What earlier iterations pushed too much is taken back, so that all contacts of a body find
    /// their share.
    fn push_back(&mut self, colliders: &mut [ColliderRecord], spacing: f32, time_step: f32) {
        let (normal, tangent) = (self.normal, self.normal.perp());
        let along_normal = self.mobility(colliders, normal);
        if along_normal <= 0.0 {
            return;
        }
        let velocity = self.velocity(colliders, ColliderRecord::motion_mut) - self.velocity;
        let gap = (self.distance + ALLOWED_DEPTH * spacing).max(0.0);
        let closing = velocity.dot(normal) + gap / time_step;
        let pushed = (self.pushed - closing / along_normal).max(0.0);
        if !pushed.is_finite() {
            return;
        }
        let most = self.friction * pushed;
        let along_tangent = self.mobility(colliders, tangent);
        // A pinned body does not move towards its axle.
        let rubbed = if along_tangent > 0.0 {
            (self.rubbed - velocity.dot(tangent) / along_tangent).clamp(-most, most)
        } else {
            0.0
        };
        let impulse = normal * (pushed - self.pushed) + tangent * (rubbed - self.rubbed);
        (self.pushed, self.rubbed) = (pushed, rubbed);
        self.apply(colliders, impulse, ColliderRecord::motion_mut);
    }

    /// Moves bodies that overlap apart, and lets this not close other gaps.
    fn correct_position(&mut self, colliders: &mut [ColliderRecord], spacing: f32) {
        let along_normal = self.mobility(colliders, self.normal);
        if along_normal <= 0.0 {
            return;
        }
        let beyond = -self.distance - ALLOWED_DEPTH * spacing;
        let wanted = beyond.min(POSITION_CORRECTION * beyond).min(LARGEST_CORRECTION * spacing);
        let way = self.velocity(colliders, ColliderRecord::shift_mut).dot(self.normal);
        let corrected = (self.corrected + (wanted - way) / along_normal).max(0.0);
        if corrected.is_finite() && corrected != self.corrected {
            let impulse = self.normal * (corrected - self.corrected);
            self.corrected = corrected;
            self.apply(colliders, impulse, ColliderRecord::shift_mut);
        }
    }
}
