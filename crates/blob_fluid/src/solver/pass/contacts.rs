//! Finds the contacts of bodies with containers, colliders and each other.
//!
//! A contact consists of a corner of one solid and a face of the other solid. The corner touches
//! this face, or will reach it in the next substep. A disc has no corners: its contact point is its
//! nearest point to the face. Where colliders touch, such as the tiles of a floor, nearer faces
//! hide the faces between them.

use glam::Vec2;

use crate::boundary::collider_record::{CachedContact, ColliderRecord, ContactKey};
use crate::boundary::container::container_of;
use crate::boundary::solid::NearWall;
use crate::boundary::solids::Solids;
use crate::geometry::shape::Entry;
use crate::{
    Body, Collider, Container, FluidBounds, FluidShape, Motion, Solid, SolidOptions, work,
};

/// Largest gap, in particle spacings, at which a contact is found. The body may close the gap.
const MAX_GAP: f32 = 0.1;

/// Largest number of contacts between a disc and one other solid.
const MAX_DISC_CONTACTS: usize = 8;

/// Cosine between the normals of two contacts above which they count as one.
const SAME_NORMAL_COSINE: f32 = 0.9999;

/// Finds the contacts of all bodies that are awake, sorted by their keys.
pub(crate) fn find_contacts(
    solids: &Solids,
    spacing: f32,
    time_step: f32,
    contacts: &mut Contacts,
) {
    let Contacts { list, nearby } = contacts;
    list.clear();
    let search = Search::new(solids, MAX_GAP * spacing, time_step);
    for index in solids.boxes.movers() {
        let record = &solids.colliders[index];
        if awake_body(record).is_some_and(|body| !body.ignore_contacts) {
            let first = list.len();
            search.find_container_contacts(index, list);
            search.find_collider_contacts(index, nearby, list);
            remove_hidden(solids, list, first);
        }
    }
    list.sort_unstable_by_key(|contact| contact.key);
}

/// The solid whose faces are tested against corners.
#[derive(Clone, Copy)]
enum ContactSide<'a> {
    Container(&'a Container),
    Collider(&'a ColliderRecord),
}

impl ContactSide<'_> {
    /// Calls `visit` for the walls within `reach` of a point, and for those that the point is beyond.
    fn for_each_wall(self, point: Vec2, reach: f32, mut visit: impl FnMut(NearWall)) {
        match self {
            ContactSide::Container(container) => container.for_each_wall_near(point, reach, visit),
            ContactSide::Collider(collider) => {
                let wall = collider.query_wall(point, reach, f32::INFINITY).wall();
                wall.into_iter().for_each(&mut visit);
            }
        }
    }

    /// The wall that a point hits on its path from `start` to `end`, with the distance of `start`
    /// from it, and the point of impact.
    fn cast_point(self, start: Vec2, end: Vec2) -> Option<(NearWall, Vec2)> {
        let pose = match self {
            ContactSide::Container(container) => container.pose,
            ContactSide::Collider(collider) => collider.pose,
        };
        let (from, to) = (pose.to_local(start), pose.to_local(end));
        let Entry { normal, point } = match self {
            ContactSide::Container(container) => container.segment_exit(from, to),
            ContactSide::Collider(collider) => collider.segment_entry(from, to),
        }?;
        let (distance, normal) = ((from - point).dot(normal), pose.to_world_direction(normal));
        let wall = match self {
            ContactSide::Container(container) => container.wall_at(start, normal, distance),
            ContactSide::Collider(collider) => collider.wall_at(start, normal, distance),
        };
        Some((wall, pose.to_world(point)))
    }

    fn velocity_at(self, point: Vec2) -> Vec2 {
        match self {
            ContactSide::Container(container) => container.velocity_at(point, 0.0),
            ContactSide::Collider(collider) => collider.velocity_at(point, 0.0),
        }
    }

    /// Whether [`for_each_wall`](Self::for_each_wall) finds all walls that a disc around the point
    /// touches.
    fn finds_all_walls(self) -> bool {
        match self {
            ContactSide::Container(container) => container.is_convex(),
            ContactSide::Collider(collider) => {
                let concave = collider.options.inside_out
                    && !matches!(collider.shape, FluidShape::Circle { .. });
                !concave && !collider.has_side_test()
            }
        }
    }
}

/// Finds the faces that corners touch.
struct Search<'a> {
    solids: &'a Solids,
    gap: f32,
    time_step: f32,
    /// Upper bound of the distance that any collider moves in the next substep.
    max_displacement: f32,
}

impl<'a> Search<'a> {
    fn new(solids: &'a Solids, gap: f32, time_step: f32) -> Self {
        let mut search = Self { solids, gap, time_step, max_displacement: 0.0 };
        let movers = solids.boxes.movers();
        let displacements =
            movers.map(|index| search.max_displacement_of(&solids.colliders[index]));
        search.max_displacement = displacements.fold(0.0, f32::max);
        search
    }

    /// Upper bound of the distance that the points of a solid move in the next substep.
    fn max_displacement_of<Options: SolidOptions>(&self, solid: &Solid<Options>) -> f32 {
        let Motion { velocity, angular_velocity } = solid.motion;
        let turn = if angular_velocity == 0.0 {
            0.0
        } else {
            angular_velocity.abs() * solid.bounding_radius()
        };
        (velocity.length() + turn) * self.time_step
    }

    /// Finds the contacts of a body with its container.
    fn find_container_contacts(&self, index: usize, contacts: &mut Vec<Contact>) {
        let record = &self.solids.colliders[index];
        let Some(container) = container_of(&self.solids.containers, record.centre()) else {
            return;
        };
        let bounds = record.pose.bounds(&record.shape);
        if !container.may_touch(
            bounds,
            self.gap + self.max_displacement_of(record) + self.max_displacement_of(container),
        ) {
            return;
        }
        let mut previous = None;
        self.for_each_face(record, ContactSide::Container(container), |corner, face| {
            let wall = previous.map_or(0, |(at, wall)| if at == corner { wall + 1 } else { 0 });
            previous = Some((corner, wall));
            let key = ContactKey { body: index, other: 0, is_corner_of_other: false, corner, wall };
            contacts.push(Contact::from_face(key, None, &face, friction_of(record)));
        });
    }

    /// Finds the contacts of a body with other colliders. `nearby` is a buffer.
    fn find_collider_contacts(
        &self,
        index: usize,
        nearby: &mut Vec<u32>,
        contacts: &mut Vec<Contact>,
    ) {
        let &Solids { ref colliders, ref boxes, seam_gap, .. } = self.solids;
        let record = &colliders[index];
        let bounds = record.pose.bounds(&record.shape);
        let reach = self.gap + self.max_displacement_of(record);
        nearby.clear();
        boxes.visit(bounds.inflated(reach + self.max_displacement), |other| {
            nearby.push(other);
            false
        });
        work::count(nearby.len());
        for other_index in nearby.iter().map(|other| *other as usize) {
            let other = &colliders[other_index];
            if other_index == index
                || !other.stops_bodies()
                || !other.may_touch(bounds, reach + self.max_displacement_of(other))
            {
                continue;
            }
            let friction = friction_of(record).max(friction_of(other));
            let first = ContactKey {
                body: index,
                other: other_index + 1,
                is_corner_of_other: false,
                corner: 0,
                wall: 0,
            };
            let awake_index = awake_body(other).map(|_| other_index);
            self.for_each_face(record, ContactSide::Collider(other), |corner, face| {
                let key = ContactKey { corner, ..first };
                contacts.push(Contact::from_face(key, awake_index, &face, friction));
            });
            // The contacts of the corners of another awake body are found in that body's own turn.
            // A disc finds the contacts with corners itself.
            if awake_index.is_none() && disc_radius(record).is_none() {
                self.for_each_face(other, ContactSide::Collider(record), |corner, face| {
                    let velocity = other.velocity_at(face.corner, 0.0);
                    let wall = NearWall { normal: -face.wall.normal, velocity, ..face.wall };
                    // The point outside of the corner must be free.
                    let outside = face.corner + 2.0 * seam_gap * wall.normal;
                    let touches = face.touches
                        && other.distance(outside) >= seam_gap
                        && !self.is_covered(outside, [index, other_index]);
                    if touches && !self.is_corner(record, face.foot) {
                        let key = ContactKey { is_corner_of_other: true, corner, ..first };
                        let face = Face { wall, foot: face.corner, ..face };
                        contacts.push(Contact::from_face(key, None, &face, friction));
                    }
                });
            }
        }
    }

    /// Whether a point lies in or on a collider that is not an awake body, except for two
    /// colliders. A corner there is within a seam, such as the end of one of the lines of a floor.
    fn is_covered(&self, point: Vec2, except: [usize; 2]) -> bool {
        let &Solids { ref colliders, ref boxes, seam_gap, .. } = self.solids;
        let bounds = FluidBounds { low: point, high: point }.inflated(seam_gap);
        let mut covered = false;
        boxes.visit(bounds, |index| {
            let (index, collider) = (index as usize, &colliders[index as usize]);
            covered = !except.contains(&index)
                && collider.stops_bodies()
                && awake_body(collider).is_none()
                && collider.distance(point) <= seam_gap;
            covered
        });
        covered
    }

    /// Whether a point is a corner of a solid. The search from that corner finds the contact there.
    fn is_corner(&self, solid: &ColliderRecord, point: Vec2) -> bool {
        let local = solid.pose.to_local(point);
        solid.corners().iter().any(|corner| corner.distance(local) < self.solids.skin)
    }

    /// Calls `visit` with the number of each corner of a solid and each face near the corner.
    fn for_each_face(
        &self,
        solid: &ColliderRecord,
        side: ContactSide<'_>,
        mut visit: impl FnMut(usize, Face),
    ) {
        if let Some(radius) = disc_radius(solid) {
            self.for_each_disc_face(solid, radius, side, visit);
            return;
        }
        for (number, local) in solid.corners().iter().enumerate() {
            let corner = solid.pose.to_world(*local);
            let query_point = solid.pose.to_world(solid.core_point(*local, self.solids.core_depth));
            let corner_to_query = query_point - corner;
            let mut touches = false;
            side.for_each_wall(query_point, self.gap + corner_to_query.length(), |wall| {
                let distance = wall.distance - corner_to_query.dot(wall.normal);
                touches |= distance < self.gap;
                visit(number, self.make_face(corner, distance, side, &wall, query_point));
            });
            let displacement = self.relative_displacement(solid, side, corner);
            if !touches
                && let Some(displacement) = displacement
                && let Some((wall, foot)) = side.cast_point(query_point, corner + displacement)
            {
                let distance = wall.distance - corner_to_query.dot(wall.normal);
                let query_distance = wall.distance;
                let wall = NearWall { distance, ..wall };
                visit(number, Face { corner, wall, foot, query_distance, touches: true });
            }
        }
    }

    /// [`for_each_face`](Self::for_each_face) for a disc.
    fn for_each_disc_face(
        &self,
        solid: &ColliderRecord,
        radius: f32,
        side: ContactSide<'_>,
        mut visit: impl FnMut(usize, Face),
    ) {
        let centre = solid.centre();
        let (mut normals, mut count) = ([Vec2::ZERO; MAX_DISC_CONTACTS], 0);
        let mut add = |face: Face| {
            let normal = face.wall.normal;
            let is_duplicate = |other: &Vec2| other.dot(normal) > SAME_NORMAL_COSINE;
            if count < MAX_DISC_CONTACTS && !normals[..count].iter().any(is_duplicate) {
                normals[count] = normal;
                visit(count, face);
                count += 1;
            }
        };
        let nearest_along = |normal: Vec2| centre - normal * radius;
        side.for_each_wall(centre, radius + self.gap, |wall| {
            let corner = nearest_along(wall.normal);
            add(self.make_face(corner, wall.distance - radius, side, &wall, centre));
        });
        let depth = self.solids.core_depth.min(0.5 * radius);
        let corners = || solid.corners().iter().map(|corner| solid.pose.to_world(*corner));
        if !side.finds_all_walls() {
            for corner in corners() {
                let query_point = centre + (corner - centre) * (1.0 - depth / radius);
                side.for_each_wall(query_point, self.gap + depth, |wall| {
                    let foot = query_point - wall.normal * wall.distance;
                    for normal in [wall.normal, (centre - foot).normalize_or(wall.normal)] {
                        let query_point = centre - normal * (radius - depth);
                        side.for_each_wall(query_point, self.gap + depth, |wall| {
                            // Seen from the centre, the wall's nearest point must lie opposite to the normal.
                            let foot = query_point - wall.normal * wall.distance;
                            let (away, distance) = (centre - foot, centre.distance(foot));
                            if wall.normal.dot(normal) > SAME_NORMAL_COSINE
                                && away.dot(normal) > SAME_NORMAL_COSINE * distance
                            {
                                let wall = NearWall { distance, ..wall };
                                let corner = nearest_along(wall.normal);
                                add(self.make_face(corner, distance - radius, side, &wall, centre));
                            }
                        });
                    }
                });
            }
        }
        let Some(displacement) = self.relative_displacement(solid, side, centre) else { return };
        let fraction_until_hit = |corner: Vec2| {
            let hit = side.cast_point(corner, corner + displacement);
            hit.map_or(f32::INFINITY, |(_, foot)| {
                (foot - corner).dot(displacement) / displacement.length_squared()
            })
        };
        let fraction = corners().map(fraction_until_hit).fold(f32::INFINITY, f32::min);
        if fraction <= 1.0 {
            let query_point = centre + displacement * fraction.max(0.0);
            side.for_each_wall(query_point, radius + self.gap, |wall| {
                let foot = query_point - wall.normal * wall.distance;
                let corner = nearest_along(wall.normal);
                let distance = (corner - foot).dot(wall.normal);
                let face = self.make_face(corner, distance, side, &wall, query_point);
                add(Face { query_distance: centre.distance(foot), touches: true, ..face });
            });
        }
    }

    /// Creates the face of a wall that was found from a `query_point`, at this distance from a
    /// corner.
    fn make_face(
        &self,
        corner: Vec2,
        distance: f32,
        side: ContactSide<'_>,
        wall: &NearWall,
        query_point: Vec2,
    ) -> Face {
        let foot = query_point - wall.normal * wall.distance;
        let query_distance = wall.distance;
        let wall = NearWall { distance, velocity: side.velocity_at(corner), ..*wall };
        Face { corner, wall, foot, query_distance, touches: distance < self.gap }
    }

    /// The displacement of a point of a solid in the next substep, relative to the other side, if
    /// it is longer than the largest gap.
    fn relative_displacement(
        &self,
        solid: &ColliderRecord,
        side: ContactSide<'_>,
        point: Vec2,
    ) -> Option<Vec2> {
        let displacement =
            (solid.velocity_at(point, 0.0) - side.velocity_at(point)) * self.time_step;
        (displacement.length_squared() > self.gap * self.gap).then_some(displacement)
    }
}

/// The radius of a solid that is a disc.
fn disc_radius(solid: &ColliderRecord) -> Option<f32> {
    match solid.shape {
        FluidShape::Circle { radius } if !solid.options.inside_out => Some(radius),
        _ => None,
    }
}

fn friction_of(solid: &ColliderRecord) -> f32 {
    solid.options.body.map_or(0.0, |body| body.friction)
}

/// Removes the contacts of a body, from index `first` on, that do not touch or are hidden, for
/// example by seams between tiles.
fn remove_hidden(solids: &Solids, contacts: &mut Vec<Contact>, first: usize) {
    let of_body = &mut contacts[first..];
    of_body.sort_unstable_by(|a, b| {
        a.query_distance.total_cmp(&b.query_distance).then(a.key.cmp(&b.key))
    });
    for rank in 1..of_body.len() {
        let (nearer, others) = of_body.split_at_mut(rank);
        let contact = &mut others[0];
        contact.hidden = nearer.iter().any(|nearer| hides(solids, nearer, contact));
    }
    let mut visible_end = first;
    for index in first..contacts.len() {
        if contacts[index].touches && !contacts[index].hidden {
            contacts.swap(visible_end, index);
            visible_end += 1;
        }
    }
    contacts.truncate(visible_end);
}

/// Whether the solid of a `nearer` contact covers the face of another contact.
fn hides(solids: &Solids, nearer: &Contact, contact: &Contact) -> bool {
    let (key, other) = (&contact.key, &nearer.key);
    // Bodies that are awake may move away.
    let both_static = contact.other.is_none() && nearer.other.is_none();
    if key.other == other.other || !both_static {
        return false;
    }
    let may_hide = if key.is_corner_of_other {
        // One of two corners at the same place stays, as where two planks of a gable meet.
        let same_normal = nearer.normal.dot(contact.normal) > SAME_NORMAL_COSINE;
        nearer.touches && !(nearer.hidden && same_normal)
    } else {
        let same_corner =
            key.corner == other.corner || disc_radius(&solids.colliders[key.body]).is_some();
        !other.is_corner_of_other && same_corner
    };
    if !may_hide {
        return false;
    }
    match other.other.checked_sub(1) {
        Some(index) => {
            let is_in_box = solids.boxes[index].inflated(solids.seam_gap).contains(contact.foot);
            is_in_box && solids.colliders[index].distance(contact.foot) <= solids.seam_gap
        }
        None => {
            let container = container_of(&solids.containers, solids.colliders[key.body].centre());
            container.is_some_and(|container| container.depth(contact.foot) <= solids.seam_gap)
        }
    }
}

// Contacts of bodies with containers, colliders and each other.

/// Iterations over the contacts in a substep.
const ITERATIONS: usize = 16;

/// Fraction of the penetration depth that is corrected per substep.
const POSITION_CORRECTION: f32 = 0.5;

/// Penetration depth, in particle spacings, at which bodies rest, so that contacts persist and no
/// gap opens for liquid.
const ALLOWED_PENETRATION: f32 = 0.02;

/// Largest correction per substep, in particle spacings.
const MAX_CORRECTION: f32 = 4.0;

/// The contacts of all bodies, and a buffer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contacts {
    pub list: Vec<Contact>,
    /// A buffer: the indices of the colliders near a body.
    pub nearby: Vec<u32>,
}

/// Accumulated impulses at a contact, over all iterations.
#[derive(Clone, Copy, Debug, Default)]
struct Impulses {
    /// Along the normal.
    normal: f32,
    /// Along the tangent.
    tangent: f32,
    /// Along the normal, for the position correction.
    correction: f32,
}

impl Impulses {
    fn mean(self, other: Self) -> Self {
        let mean = |a: f32, b: f32| 0.5 * (a + b);
        Self {
            normal: mean(self.normal, other.normal),
            tangent: mean(self.tangent, other.tangent),
            correction: mean(self.correction, other.correction),
        }
    }
}

/// A contact point of a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contact {
    pub key: ContactKey,
    /// Index of the other body; `None` for a container, for a collider that is not a body, and for
    /// a sleeping body.
    pub other: Option<usize>,
    pub point: Vec2,
    /// Unit normal, towards the body.
    pub normal: Vec2,
    /// Signed distance between both sides; negative where they overlap.
    pub distance: f32,
    /// Velocity of the other side at the point, if it is not an awake body; otherwise 0.
    velocity: Vec2,
    friction: f32,
    /// Inverse mass and inverse moment of inertia of both sides.
    inertia: [(f32, f32); 2],
    /// Changes of the relative velocity along the normal and the tangent, for unit impulses along them.
    inverse_effective_mass: Vec2,
    /// See [`Face`]. They determine which contacts hide others.
    pub foot: Vec2,
    pub query_distance: f32,
    pub touches: bool,
    /// Whether the face is covered by a solid that is nearer.
    pub hidden: bool,
    impulses: Impulses,
    /// Impulses before this iteration, and after its first sweep.
    previous_impulses: Impulses,
    forward_impulses: Impulses,
}

/// Prepares the contacts and applies the impulses of the last substep to the bodies (warm starting).
pub(crate) fn warm_start(contacts: &mut [Contact], solids: &mut Solids) {
    let Solids { colliders, cached_contacts, .. } = solids;
    for contact in contacts {
        contact.compute_effective_mass(colliders);
        if let Ok(cached) = cached_contacts.binary_search_by_key(&contact.key, |cached| cached.key)
        {
            contact.apply_cached_impulse(&cached_contacts[cached], colliders);
        }
    }
}

/// Solves the contacts with sequential impulses on the motions of the bodies. Overlapping bodies
/// move apart in the next advance.
pub(crate) fn solve_contacts(
    contacts: &mut [Contact],
    colliders: &mut [ColliderRecord],
    spacing: f32,
    time_step: f32,
) {
    let same_pair =
        |a: &Contact, b: &Contact| (a.key.body, a.key.other) == (b.key.body, b.key.other);
    for iteration in 0..ITERATIONS {
        let mut pairs = contacts.chunk_by_mut(same_pair);
        // Alternating directions make stacks of bodies converge sooner.
        while let Some(pair) = if iteration % 2 == 0 { pairs.next() } else { pairs.next_back() } {
            solve_pair(pair, colliders, spacing, time_step);
        }
    }
}

/// Stores the impulses at contacts for the next substep.
pub(crate) fn cache_impulses(contacts: &[Contact], cached_contacts: &mut Vec<CachedContact>) {
    cached_contacts.clear();
    let cached = contacts.iter().map(|contact| {
        let Contact {
            key,
            impulses: Impulses { normal: normal_impulse, tangent: tangent_impulse, .. },
            ..
        } = *contact;
        CachedContact { key, normal_impulse, tangent_impulse }
    });
    // Solids with extreme values may exchange impulses that are not finite.
    cached_contacts.extend(cached.filter(CachedContact::is_finite));
}

/// One iteration over the contacts between two solids: the mean of a sweep in the order of the
/// corners and a sweep in reverse order. So a body with symmetric contacts does not rotate.
fn solve_pair(
    pair: &mut [Contact],
    colliders: &mut [ColliderRecord],
    spacing: f32,
    time_step: f32,
) {
    if let [contact] = pair {
        contact.solve(colliders, spacing, time_step);
        return;
    }
    let bodies = [Some(pair[0].key.body), pair[0].other];
    let initial = motions(bodies, colliders);
    for contact in pair.iter_mut() {
        contact.previous_impulses = contact.impulses;
        contact.solve(colliders, spacing, time_step);
        contact.forward_impulses = contact.impulses;
    }
    let forwards = motions(bodies, colliders);
    set_motions(bodies, colliders, initial);
    pair.iter_mut().for_each(|contact| contact.impulses = contact.previous_impulses);
    for contact in pair.iter_mut().rev() {
        contact.solve(colliders, spacing, time_step);
        contact.impulses = contact.impulses.mean(contact.forward_impulses);
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

/// For each of two bodies, its motion and its additional motion in the next advance.
type Motions = [[Motion; 2]; 2];

fn motions(bodies: [Option<usize>; 2], colliders: &[ColliderRecord]) -> Motions {
    let motions_of = |index: usize| [colliders[index].motion, colliders[index].shift];
    bodies.map(|body| body.map_or([Motion::STILL; 2], motions_of))
}

fn set_motions(bodies: [Option<usize>; 2], colliders: &mut [ColliderRecord], motions: Motions) {
    for (body, [motion, shift]) in bodies.into_iter().zip(motions) {
        if let Some(collider) = body.map(|index| &mut colliders[index]) {
            *collider.motion_mut() = motion;
            *collider.shift_mut() = shift;
        }
    }
}

/// The body of a collider, unless it sleeps. A sleeping body is immovable.
pub(super) fn awake_body(collider: &Collider) -> Option<&Body> {
    collider.options.body.as_ref().filter(|_| !collider.is_sleeping())
}

/// Inverse mass and inverse moment of inertia of a collider; 0 if it is immovable.
fn inertia(collider: &Collider) -> (f32, f32) {
    let body = awake_body(collider);
    (body.map_or(0.0, Body::inverse_mass), body.map_or(0.0, Body::inverse_inertia))
}

/// Selects the motion of a collider that impulses change: its motion, or its additional motion.
type MotionSelector = fn(&mut ColliderRecord) -> &mut Motion;

/// A face that a corner touches, or will reach.
#[derive(Clone, Copy)]
pub(super) struct Face {
    /// The corner, or the point of a disc that is nearest to the face.
    pub corner: Vec2,
    /// The wall, with its distance from the corner and its velocity there.
    pub wall: NearWall,
    /// The point of the wall that the search found.
    pub foot: Vec2,
    /// Distance of the wall from the point inside the solid at which the search started.
    pub query_distance: f32,
    /// Whether the corner touches this face, or reaches it in the next substep. If not, the face makes no contact, but it
    /// hides the faces behind it.
    pub touches: bool,
}

impl Contact {
    /// Creates a contact of a body with a face of another solid. `other` is the index of that solid
    /// if it is an awake body.
    pub(super) fn from_face(
        key: ContactKey,
        other: Option<usize>,
        face: &Face,
        friction: f32,
    ) -> Self {
        let Face {
            corner,
            wall: NearWall { normal, distance, velocity, .. },
            foot,
            query_distance,
            touches,
        } = *face;
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
            inverse_effective_mass: Vec2::ZERO,
            foot,
            query_distance,
            touches,
            hidden: false,
            impulses: none,
            previous_impulses: none,
            forward_impulses: none,
        }
    }

    fn solve(&mut self, colliders: &mut [ColliderRecord], spacing: f32, time_step: f32) {
        self.solve_velocity(colliders, spacing, time_step);
        self.solve_position(colliders, spacing);
    }

    /// Velocity of the body at the point, relative to the other side if that is an awake body.
    fn velocity(&self, colliders: &mut [ColliderRecord], select: MotionSelector) -> Vec2 {
        let mut at = |index: usize| {
            let offset = self.point - colliders[index].centre();
            select(&mut colliders[index]).at(offset)
        };
        at(self.key.body) - self.other.map_or(Vec2::ZERO, at)
    }

    /// Computes the inertia of both sides and the changes of velocity per impulse.
    pub(crate) fn compute_effective_mass(&mut self, colliders: &[ColliderRecord]) {
        let sides = [Some(self.key.body), self.other];
        self.inertia =
            sides.map(|side| side.map_or((0.0, 0.0), |index| inertia(&colliders[index])));
        let along = |axis: Vec2| {
            let side_term = |side: usize| {
                let (inverse_mass, inverse_inertia) = self.inertia[side];
                let offset = sides[side].map_or(Vec2::ZERO, |i| self.point - colliders[i].centre());
                let lever = offset.perp_dot(axis);
                inverse_mass + inverse_inertia * lever * lever
            };
            side_term(0) + side_term(1)
        };
        self.inverse_effective_mass = Vec2::new(along(self.normal), along(self.normal.perp()));
    }

    fn apply_impulse(
        &self,
        colliders: &mut [ColliderRecord],
        impulse: Vec2,
        select: MotionSelector,
    ) {
        let [body_inertia, other_inertia] = self.inertia;
        let mut add = |index: usize, impulse: Vec2, inertia: (f32, f32)| {
            let (inverse_mass, inverse_inertia) = inertia;
            let collider = &mut colliders[index];
            let spin = (self.point - collider.centre()).perp_dot(impulse) * inverse_inertia;
            let motion = select(collider);
            motion.velocity += impulse * inverse_mass;
            motion.angular_velocity += spin;
        };
        add(self.key.body, impulse, body_inertia);
        if let Some(other) = self.other {
            add(other, -impulse, other_inertia);
        }
    }

    /// Starts with the impulses of the last substep.
    fn apply_cached_impulse(&mut self, cached: &CachedContact, colliders: &mut [ColliderRecord]) {
        let CachedContact { normal_impulse, tangent_impulse, .. } = *cached;
        self.impulses =
            Impulses { normal: normal_impulse, tangent: tangent_impulse, ..self.impulses };
        let impulse = self.normal * normal_impulse + self.normal.perp() * tangent_impulse;
        self.apply_impulse(colliders, impulse, ColliderRecord::motion_mut);
    }

    /// Penetration depth at which the corner rests. A thin body rests above the wall, because its points below the
    /// corner must not reach the wall: its path would end there.
    fn allowed_penetration(&self, spacing: f32) -> f32 {
        let allowed = ALLOWED_PENETRATION * spacing;
        if self.key.is_corner_of_other {
            return allowed;
        }
        allowed.min(self.query_distance - self.distance - allowed)
    }

    /// Removes tangential speed by friction, and the approach speed beyond the speed that closes
    /// the gap in this substep. The accumulated impulse is clamped, so a later iteration can reduce
    /// the impulse of an earlier one. This distributes the impulses over all contacts of a body.
    fn solve_velocity(&mut self, colliders: &mut [ColliderRecord], spacing: f32, time_step: f32) {
        let (normal, tangent) = (self.normal, self.normal.perp());
        let Vec2 { x: along_normal, y: along_tangent } = self.inverse_effective_mass;
        if along_normal <= 0.0 {
            return;
        }
        let velocity = self.velocity(colliders, ColliderRecord::motion_mut) - self.velocity;
        let gap = (self.distance + self.allowed_penetration(spacing)).max(0.0);
        let separating_speed = velocity.dot(normal) + gap / time_step;
        let Impulses { normal: old_normal, tangent: old_tangent, .. } = self.impulses;
        let normal_impulse = (old_normal - separating_speed / along_normal).max(0.0);
        if !normal_impulse.is_finite() {
            return;
        }
        let max_friction = self.friction * normal_impulse;
        // A pinned body cannot move towards its axle.
        let tangent_impulse = if along_tangent > 0.0 {
            (old_tangent - velocity.dot(tangent) / along_tangent).clamp(-max_friction, max_friction)
        } else {
            0.0
        };
        let impulse =
            normal * (normal_impulse - old_normal) + tangent * (tangent_impulse - old_tangent);
        self.impulses =
            Impulses { normal: normal_impulse, tangent: tangent_impulse, ..self.impulses };
        self.apply_impulse(colliders, impulse, ColliderRecord::motion_mut);
    }

    /// Moves overlapping bodies apart. This must not close the gaps of other contacts.
    fn solve_position(&mut self, colliders: &mut [ColliderRecord], spacing: f32) {
        let along_normal = self.inverse_effective_mass.x;
        if along_normal <= 0.0 {
            return;
        }
        let depth = -self.distance - self.allowed_penetration(spacing);
        let target = depth.min(POSITION_CORRECTION * depth).min(MAX_CORRECTION * spacing);
        let displacement = self.velocity(colliders, ColliderRecord::shift_mut).dot(self.normal);
        let old_correction = self.impulses.correction;
        let correction = (old_correction + (target - displacement) / along_normal).max(0.0);
        if correction.is_finite() && correction != old_correction {
            let impulse = self.normal * (correction - old_correction);
            self.impulses.correction = correction;
            self.apply_impulse(colliders, impulse, ColliderRecord::shift_mut);
        }
    }
}
