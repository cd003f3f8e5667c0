//! Contacts of bodies with containers, colliders and each other.

use glam::Vec2;

use crate::boundary::body::Body;
use crate::boundary::collider::Collider;
use crate::boundary::collider_record::ColliderRecord;
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

/// Largest correction per substep, in particle spacings.
const LARGEST_CORRECTION: f32 = 4.0;

/// The contacts of all bodies, and a buffer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contacts {
    pub found: Vec<Contact>,
    /// Indices of the colliders near a body.
    pub near: Vec<u32>,
}

/// Impulses at a contact, of all iterations together.
#[derive(Clone, Copy, Debug, Default)]
struct Impulses {
    /// Along the normal.
    pushed: f32,
    /// Along the tangent.
    rubbed: f32,
    /// Along the normal, of the correction of positions.
    corrected: f32,
}

impl Impulses {
    fn mean(self, other: Self) -> Self {
        let mean = |a: f32, b: f32| 0.5 * (a + b);
        Self {
            pushed: mean(self.pushed, other.pushed),
            rubbed: mean(self.rubbed, other.rubbed),
            corrected: mean(self.corrected, other.corrected),
        }
    }
}

/// A contact point of a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contact {
    pub key: ContactKey,
    /// Index of the other body; `None` for a container, for a collider that is no body, and for a body
    /// that sleeps.
    pub other: Option<usize>,
    pub point: Vec2,
    /// Unit normal, towards the body.
    pub normal: Vec2,
    /// Distance between both; negative where they overlap.
    pub distance: f32,
    /// Velocity of the other side at the point, if it is no body; otherwise 0.
    velocity: Vec2,
    friction: f32,
    /// Inverse mass and inverse moment of inertia of both sides.
    inertia: [(f32, f32); 2],
    /// Changes of the velocities along the normal and along the tangent by impulses of 1 along them.
    mobility: Vec2,
    /// See [`Face`]. They decide which contacts hide others.
    pub foot: Vec2,
    pub seen: f32,
    pub touches: bool,
    /// Whether the face is covered by a solid that is nearer.
    pub hidden: bool,
    impulses: Impulses,
    /// Impulses before this iteration, and after it in the order of the corners.
    before: Impulses,
    forwards: Impulses,
}

/// Changes the motions of bodies by the impulses at their contacts in the last substep.
pub(crate) fn start_contacts(contacts: &mut [Contact], solids: &mut Solids) {
    let Solids { colliders, held_contacts, .. } = solids;
    for contact in contacts {
        contact.prepare(colliders);
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
    let same_pair =
        |a: &Contact, b: &Contact| (a.key.body, a.key.other) == (b.key.body, b.key.other);
    for iteration in 0..ITERATIONS {
        let mut pairs = contacts.chunk_by_mut(same_pair);
        // There and back, so that stacks of bodies converge sooner.
        while let Some(pair) = if iteration % 2 == 0 { pairs.next() } else { pairs.next_back() } {
            solve_pair(pair, colliders, spacing, time_step);
        }
    }
    held_contacts.clear();
    let held = contacts.iter().map(|contact| {
        let Contact { key, impulses: Impulses { pushed, rubbed, .. }, .. } = *contact;
        HeldContact { key, pushed, rubbed }
    });
    // Solids at the limits of numbers push each other with what is none.
    held_contacts.extend(held.filter(HeldContact::is_finite));
}

/// One iteration over the contacts between the same two solids: the mean of one in the order of the
/// corners and one in the opposite order. So bodies that touch alike on both sides do not turn.
fn solve_pair(
    pair: &mut [Contact],
    colliders: &mut [ColliderRecord],
    spacing: f32,
    time_step: f32,
) {
    if let [only] = pair {
        only.solve(colliders, spacing, time_step);
        return;
    }
    let bodies = [Some(pair[0].key.body), pair[0].other];
    let before = motions(bodies, colliders);
    for contact in pair.iter_mut() {
        contact.before = contact.impulses;
        contact.solve(colliders, spacing, time_step);
        contact.forwards = contact.impulses;
    }
    let forwards = motions(bodies, colliders);
    set_motions(bodies, colliders, before);
    pair.iter_mut().for_each(|contact| contact.impulses = contact.before);
    for contact in pair.iter_mut().rev() {
        contact.solve(colliders, spacing, time_step);
        contact.impulses = contact.impulses.mean(contact.forwards);
    }
    let backwards = motions(bodies, colliders);
    let mean = |a: Motion, b: Motion| Motion {
        velocity: 0.5 * (a.velocity + b.velocity),
        angular_velocity: 0.5 * (a.angular_velocity + b.angular_velocity),
    };
    let both = |side: usize| {
        let ([motion, shift], [other_motion, other_shift]) = (forwards[side], backwards[side]);
        [mean(motion, other_motion), mean(shift, other_shift)]
    };
    set_motions(bodies, colliders, [both(0), both(1)]);
}

/// Motions of two bodies, and their additional motions in the next advance.
type Motions = [[Motion; 2]; 2];

fn motions(bodies: [Option<usize>; 2], colliders: &[ColliderRecord]) -> Motions {
    let of = |index: usize| [colliders[index].motion, colliders[index].shift];
    bodies.map(|body| body.map_or([Motion::STILL; 2], of))
}

fn set_motions(bodies: [Option<usize>; 2], colliders: &mut [ColliderRecord], motions: Motions) {
    for (body, [motion, shift]) in bodies.into_iter().zip(motions) {
        if let Some(collider) = body.map(|index| &mut colliders[index]) {
            *collider.motion_mut() = motion;
            *collider.shift_mut() = shift;
        }
    }
}

/// The body of a collider, unless it sleeps. Then it is as immovable as the ground.
pub(super) fn awake_body(collider: &Collider) -> Option<&Body> {
    collider.options.body.as_ref().filter(|_| !collider.is_sleeping())
}

/// Inverse mass and inverse moment of inertia of a collider.
fn inertia(collider: &Collider) -> (f32, f32) {
    let body = awake_body(collider);
    (body.map_or(0.0, Body::inverse_mass), body.map_or(0.0, Body::inverse_inertia))
}

/// What impulses change: the motion of a collider, or its additional motion in the next advance.
type Change = fn(&mut ColliderRecord) -> &mut Motion;

/// A face that a corner touches, or will reach.
#[derive(Clone, Copy)]
pub(super) struct Face {
    /// The corner, or the point of a disc that is nearest to the face.
    pub corner: Vec2,
    /// The wall, with its distance from the corner and its velocity there.
    pub wall: NearWall,
    /// The point of the wall that was found.
    pub foot: Vec2,
    /// Distance of the wall from the point inside the solid from which it was looked for.
    pub seen: f32,
    /// Whether the corner touches it or reaches it in the next substep. Otherwise it only hides others.
    pub touches: bool,
}

impl Contact {
    /// A contact of a body with a face of this solid. `other` is its index if it is a body that is
    /// awake.
    pub(super) fn of(key: ContactKey, other: Option<usize>, face: &Face, friction: f32) -> Self {
        let Face { corner, wall: NearWall { normal, distance, velocity, .. }, foot, seen, touches } =
            *face;
        let velocity = if other.is_some() { Vec2::ZERO } else { velocity };
        let none = Impulses::default();
        Self {
            key,
            other,
            point: corner,
            normal,
            distance,
            velocity,
            friction,
            inertia: [(0.0, 0.0); 2],
            mobility: Vec2::ZERO,
            foot,
            seen,
            touches,
            hidden: false,
            impulses: none,
            before: none,
            forwards: none,
        }
    }

    fn solve(&mut self, colliders: &mut [ColliderRecord], spacing: f32, time_step: f32) {
        self.push_back(colliders, spacing, time_step);
        self.correct_position(colliders, spacing);
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

    /// Finds how much impulses change the velocity.
    fn prepare(&mut self, colliders: &[ColliderRecord]) {
        let sides = [Some(self.key.body), self.other];
        self.inertia =
            sides.map(|side| side.map_or((0.0, 0.0), |index| inertia(&colliders[index])));
        let along = |axis: Vec2| {
            let of = |side: usize| {
                let (inverse_mass, inverse_inertia) = self.inertia[side];
                let offset = sides[side].map_or(Vec2::ZERO, |i| self.point - colliders[i].centre());
                let lever = offset.perp_dot(axis);
                inverse_mass + inverse_inertia * lever * lever
            };
            of(0) + of(1)
        };
        self.mobility = Vec2::new(along(self.normal), along(self.normal.perp()));
    }

    fn apply(&self, colliders: &mut [ColliderRecord], impulse: Vec2, change: Change) {
        let [own, others] = self.inertia;
        let mut add = |index: usize, impulse: Vec2, inertia: (f32, f32)| {
            let (inverse_mass, inverse_inertia) = inertia;
            let collider = &mut colliders[index];
            let turn = (self.point - collider.centre()).perp_dot(impulse) * inverse_inertia;
            let motion = change(collider);
            motion.velocity += impulse * inverse_mass;
            motion.angular_velocity += turn;
        };
        add(self.key.body, impulse, own);
        if let Some(other) = self.other {
            add(other, -impulse, others);
        }
    }

    /// Starts with the impulses of the last substep.
    fn start_with(&mut self, held: &HeldContact, colliders: &mut [ColliderRecord]) {
        let HeldContact { pushed, rubbed, .. } = *held;
        self.impulses = Impulses { pushed, rubbed, ..self.impulses };
        let impulse = self.normal * pushed + self.normal.perp() * rubbed;
        self.apply(colliders, impulse, ColliderRecord::motion_mut);
    }

    /// Removes the approach speed, except that of closing a gap, and tangential speed by friction.
    /// What earlier iterations pushed too much is taken back, so that all contacts of a body find
    /// their share.
    fn push_back(&mut self, colliders: &mut [ColliderRecord], spacing: f32, time_step: f32) {
        let (normal, tangent) = (self.normal, self.normal.perp());
        let Vec2 { x: along_normal, y: along_tangent } = self.mobility;
        if along_normal <= 0.0 {
            return;
        }
        let velocity = self.velocity(colliders, ColliderRecord::motion_mut) - self.velocity;
        let gap = (self.distance + ALLOWED_DEPTH * spacing).max(0.0);
        let closing = velocity.dot(normal) + gap / time_step;
        let Impulses { pushed: had_pushed, rubbed: had_rubbed, .. } = self.impulses;
        let pushed = (had_pushed - closing / along_normal).max(0.0);
        if !pushed.is_finite() {
            return;
        }
        let most = self.friction * pushed;
        // A pinned body does not move towards its axle.
        let rubbed = if along_tangent > 0.0 {
            (had_rubbed - velocity.dot(tangent) / along_tangent).clamp(-most, most)
        } else {
            0.0
        };
        let impulse = normal * (pushed - had_pushed) + tangent * (rubbed - had_rubbed);
        self.impulses = Impulses { pushed, rubbed, ..self.impulses };
        self.apply(colliders, impulse, ColliderRecord::motion_mut);
    }

    /// Moves bodies that overlap apart, and lets this not close other gaps.
    fn correct_position(&mut self, colliders: &mut [ColliderRecord], spacing: f32) {
        let along_normal = self.mobility.x;
        if along_normal <= 0.0 {
            return;
        }
        let beyond = -self.distance - ALLOWED_DEPTH * spacing;
        let wanted = beyond.min(POSITION_CORRECTION * beyond).min(LARGEST_CORRECTION * spacing);
        let way = self.velocity(colliders, ColliderRecord::shift_mut).dot(self.normal);
        let had_corrected = self.impulses.corrected;
        let corrected = (had_corrected + (wanted - way) / along_normal).max(0.0);
        if corrected.is_finite() && corrected != had_corrected {
            let impulse = self.normal * (corrected - had_corrected);
            self.impulses.corrected = corrected;
            self.apply(colliders, impulse, ColliderRecord::shift_mut);
        }
    }
}
