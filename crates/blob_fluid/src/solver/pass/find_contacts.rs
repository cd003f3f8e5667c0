//! Finds the contacts of bodies with containers, colliders and each other.
//!
//! A contact is a corner of one side and the face of the other side that it touches, or that it will
//! reach in the next substep. A disc has no corners: it touches with the point that is nearest to the
//! face. Where colliders touch, such as the tiles of a floor, the faces between them are hidden by
//! those that are nearer.

use glam::Vec2;

use crate::boundary::collider_record::ColliderRecord;
use crate::boundary::container::{Container, container_of};
use crate::boundary::held_contact::ContactKey;
use crate::boundary::solid::{Solid, SolidOptions};
use crate::boundary::solids::Solids;
use crate::boundary::wall::NearWall;
use crate::geometry::motion::Motion;
use crate::geometry::shape::{Entry, FluidShape};
use crate::solver::pass::contacts::{Contact, Contacts, Face, awake_body};

/// Largest gap, in particle spacings, at which a contact is found. A body may close it.
const LARGEST_GAP: f32 = 0.1;

/// Largest number of contacts between a disc and one other solid.
const MAX_DISC_CONTACTS: usize = 8;

/// Cosine of the angle between the normals of two contacts of a disc, above which they are one.
const SAME_NORMAL: f32 = 0.9999;

/// Finds the contacts of all bodies that are awake, sorted by their keys.
pub(crate) fn find_contacts(
    solids: &Solids,
    spacing: f32,
    time_step: f32,
    contacts: &mut Contacts,
) {
    let Contacts { found, near } = contacts;
    found.clear();
    let search = Search::new(solids, LARGEST_GAP * spacing, time_step);
    for index in solids.boxes.movers() {
        let record = &solids.colliders[index];
        if awake_body(record).is_some_and(|body| !body.ignore_contacts) {
            let first = found.len();
            search.with_container(index, found);
            search.with_colliders(index, near, found);
            hide(solids, found, first);
        }
    }
    found.sort_unstable_by_key(|contact| contact.key);
}

/// The solid whose faces corners touch.
#[derive(Clone, Copy)]
enum Side<'a> {
    Container(&'a Container),
    Collider(&'a ColliderRecord),
}

impl Side<'_> {
    /// Calls `visit` for the walls within `reach` of a point, and for those that it is beyond.
    fn walls(self, point: Vec2, reach: f32, mut visit: impl FnMut(NearWall)) {
        match self {
            Side::Container(container) => container.near_walls(point, reach, visit),
            Side::Collider(collider) => {
                let near = collider.wall_near(point, reach, f32::INFINITY).wall();
                near.into_iter().for_each(&mut visit);
            }
        }
    }

    /// The wall that a point meets on its way from `start` to `end`, with its distance from the start,
    /// and the point where it does.
    fn met(self, start: Vec2, end: Vec2) -> Option<(NearWall, Vec2)> {
        let pose = match self {
            Side::Container(container) => container.pose,
            Side::Collider(collider) => collider.pose,
        };
        let (from, to) = (pose.to_local(start), pose.to_local(end));
        let Entry { normal, point } = match self {
            Side::Container(container) => container.leaves(from, to),
            Side::Collider(collider) => collider.enters(from, to),
        }?;
        let (distance, normal) = ((from - point).dot(normal), pose.direction(normal));
        let wall = match self {
            Side::Container(container) => container.near(start, normal, distance),
            Side::Collider(collider) => collider.near(start, normal, distance),
        };
        Some((wall, pose.to_world(point)))
    }

    fn velocity_at(self, point: Vec2) -> Vec2 {
        match self {
            Side::Container(container) => container.velocity_at(point, 0.0),
            Side::Collider(collider) => collider.velocity_at(point, 0.0),
        }
    }

    /// Whether [`walls`](Self::walls) finds all walls that a disc around the point touches.
    fn shows_all_walls(self) -> bool {
        match self {
            Side::Container(container) => container.is_convex(),
            Side::Collider(collider) => {
                let concave = collider.options.inside_out
                    && !matches!(collider.shape, FluidShape::Circle { .. });
                !concave && !collider.has_sides()
            }
        }
    }
}

/// Finds the faces that corners touch.
struct Search<'a> {
    solids: &'a Solids,
    gap: f32,
    time_step: f32,
    /// The longest way of any collider in the next substep.
    longest_way: f32,
}

impl<'a> Search<'a> {
    fn new(solids: &'a Solids, gap: f32, time_step: f32) -> Self {
        let mut search = Self { solids, gap, time_step, longest_way: 0.0 };
        let movers = solids.boxes.movers();
        let ways = movers.map(|index| search.way_of(&solids.colliders[index]));
        search.longest_way = ways.fold(0.0, f32::max);
        search
    }

    /// An upper limit of the ways of a solid's points in the next substep.
    fn way_of<Options: SolidOptions>(&self, solid: &Solid<Options>) -> f32 {
        let Motion { velocity, angular_velocity } = solid.motion;
        let turn =
            if angular_velocity == 0.0 { 0.0 } else { angular_velocity.abs() * solid.farthest() };
        (velocity.length() + turn) * self.time_step
    }

    /// Finds the contacts of a body with its container.
    fn with_container(&self, index: usize, found: &mut Vec<Contact>) {
        let record = &self.solids.colliders[index];
        let Some(container) = container_of(&self.solids.containers, record.centre()) else {
            return;
        };
        let around = record.pose.bounds(&record.shape);
        if !container.may_meet(around, self.gap + self.way_of(record) + self.way_of(container)) {
            return;
        }
        let mut last = None;
        self.touch(record, Side::Container(container), |corner, face| {
            let wall = last.map_or(0, |(at, wall)| if at == corner { wall + 1 } else { 0 });
            last = Some((corner, wall));
            let key = ContactKey { body: index, other: 0, is_of_other: false, corner, wall };
            found.push(Contact::of(key, None, &face, friction_of(record)));
        });
    }

    /// Finds the contacts of a body with other colliders. `near` is a buffer.
    fn with_colliders(&self, index: usize, near: &mut Vec<u32>, found: &mut Vec<Contact>) {
        let &Solids { ref colliders, ref boxes, seam_gap, .. } = self.solids;
        let record = &colliders[index];
        let around = record.pose.bounds(&record.shape);
        let way = self.gap + self.way_of(record);
        near.clear();
        boxes.visit(around.inflated(way + self.longest_way), |other| {
            near.push(other);
            false
        });
        for other_index in near.iter().map(|other| *other as usize) {
            let other = &colliders[other_index];
            if other_index == index
                || !other.stops_bodies()
                || !other.may_meet(around, way + self.way_of(other))
            {
                continue;
            }
            let friction = friction_of(record).max(friction_of(other));
            let first = ContactKey {
                body: index,
                other: other_index + 1,
                is_of_other: false,
                corner: 0,
                wall: 0,
            };
            let as_body = awake_body(other).map(|_| other_index);
            self.touch(record, Side::Collider(other), |corner, face| {
                let key = ContactKey { corner, ..first };
                found.push(Contact::of(key, as_body, &face, friction));
            });
            // The corners of another body that is awake are found in its own turn. A disc finds
            // corners as well.
            if as_body.is_none() && disc(record).is_none() {
                self.touch(other, Side::Collider(record), |corner, face| {
                    let velocity = other.velocity_at(face.corner, 0.0);
                    let wall = NearWall { normal: -face.wall.normal, velocity, ..face.wall };
                    // A corner touches with its outside.
                    let outside = face.corner + 2.0 * seam_gap * wall.normal;
                    let touches = face.touches && other.distance(outside) >= seam_gap;
                    if touches && !self.is_corner(record, face.foot) {
                        let key = ContactKey { is_of_other: true, corner, ..first };
                        let face = Face { wall, foot: face.corner, ..face };
                        found.push(Contact::of(key, None, &face, friction));
                    }
                });
            }
        }
    }

    /// Whether a point is a corner of a solid. What a corner of another solid is beside there, the
    /// corner finds itself.
    fn is_corner(&self, solid: &ColliderRecord, point: Vec2) -> bool {
        let local = solid.pose.to_local(point);
        solid.corners().iter().any(|corner| corner.distance(local) < self.solids.skin)
    }

    /// Calls `visit` with the number of a corner of a solid and a face near it, for all of them.
    fn touch(&self, solid: &ColliderRecord, side: Side<'_>, mut visit: impl FnMut(usize, Face)) {
        if let Some(radius) = disc(solid) {
            self.touch_with_disc(solid, radius, side, visit);
            return;
        }
        for (number, local) in solid.corners().iter().enumerate() {
            let corner = solid.pose.to_world(*local);
            let eye = solid.pose.to_world(solid.below(*local, self.solids.core_depth));
            let inwards = eye - corner;
            let mut touches = false;
            side.walls(eye, self.gap + inwards.length(), |wall| {
                let distance = wall.distance - inwards.dot(wall.normal);
                touches |= distance < self.gap;
                visit(number, self.face(corner, distance, side, &wall, eye));
            });
            let way = self.way_at(solid, side, corner);
            if !touches
                && let Some(way) = way
                && let Some((wall, foot)) = side.met(eye, corner + way)
            {
                let distance = wall.distance - inwards.dot(wall.normal);
                let seen = wall.distance;
                let wall = NearWall { distance, ..wall };
                visit(number, Face { corner, wall, foot, seen, touches: true });
            }
        }
    }

    /// [`touch`](Self::touch) for a disc.
    fn touch_with_disc(
        &self,
        solid: &ColliderRecord,
        radius: f32,
        side: Side<'_>,
        mut visit: impl FnMut(usize, Face),
    ) {
        let centre = solid.centre();
        let (mut normals, mut count) = ([Vec2::ZERO; MAX_DISC_CONTACTS], 0);
        let mut add = |face: Face| {
            let normal = face.wall.normal;
            let is_known = |known: &Vec2| known.dot(normal) > SAME_NORMAL;
            if count < MAX_DISC_CONTACTS && !normals[..count].iter().any(is_known) {
                normals[count] = normal;
                visit(count, face);
                count += 1;
            }
        };
        let nearest_along = |normal: Vec2| centre - normal * radius;
        side.walls(centre, radius + self.gap, |wall| {
            let corner = nearest_along(wall.normal);
            add(self.face(corner, wall.distance - radius, side, &wall, centre));
        });
        let depth = self.solids.core_depth.min(0.5 * radius);
        let corners = || solid.corners().iter().map(|corner| solid.pose.to_world(*corner));
        if !side.shows_all_walls() {
            for corner in corners() {
                let eye = centre + (corner - centre) * (1.0 - depth / radius);
                side.walls(eye, self.gap + depth, |wall| {
                    let foot = eye - wall.normal * wall.distance;
                    for normal in [wall.normal, (centre - foot).normalize_or(wall.normal)] {
                        let eye = centre - normal * (radius - depth);
                        side.walls(eye, self.gap + depth, |wall| {
                            // The wall's nearest point must be below the centre as well.
                            let foot = eye - wall.normal * wall.distance;
                            let (away, distance) = (centre - foot, centre.distance(foot));
                            if wall.normal.dot(normal) > SAME_NORMAL
                                && away.dot(normal) > SAME_NORMAL * distance
                            {
                                let wall = NearWall { distance, ..wall };
                                let corner = nearest_along(wall.normal);
                                add(self.face(corner, distance - radius, side, &wall, centre));
                            }
                        });
                    }
                });
            }
        }
        let Some(way) = self.way_at(solid, side, centre) else { return };
        let until_met = |corner: Vec2| {
            let met = side.met(corner, corner + way);
            met.map_or(f32::INFINITY, |(_, foot)| (foot - corner).dot(way) / way.length_squared())
        };
        let fraction = corners().map(until_met).fold(f32::INFINITY, f32::min);
        if fraction <= 1.0 {
            let eye = centre + way * fraction.max(0.0);
            side.walls(eye, radius + self.gap, |wall| {
                let foot = eye - wall.normal * wall.distance;
                let corner = nearest_along(wall.normal);
                let distance = (corner - foot).dot(wall.normal);
                let face = self.face(corner, distance, side, &wall, eye);
                add(Face { seen: centre.distance(foot), touches: true, ..face });
            });
        }
    }

    /// A wall that was found from an `eye`, as a face at this distance from a corner.
    fn face(
        &self,
        corner: Vec2,
        distance: f32,
        side: Side<'_>,
        wall: &NearWall,
        eye: Vec2,
    ) -> Face {
        let foot = eye - wall.normal * wall.distance;
        let seen = wall.distance;
        let wall = NearWall { distance, velocity: side.velocity_at(corner), ..*wall };
        Face { corner, wall, foot, seen, touches: distance < self.gap }
    }

    /// The way of a point of a solid in the next substep, relative to the other side, if it is longer
    /// than the largest gap.
    fn way_at(&self, solid: &ColliderRecord, side: Side<'_>, point: Vec2) -> Option<Vec2> {
        let way = (solid.velocity_at(point, 0.0) - side.velocity_at(point)) * self.time_step;
        (way.length_squared() > self.gap * self.gap).then_some(way)
    }
}

/// The radius of a disc.
fn disc(solid: &ColliderRecord) -> Option<f32> {
    match solid.shape {
        FluidShape::Circle { radius } if !solid.options.inside_out => Some(radius),
        _ => None,
    }
}

fn friction_of(solid: &ColliderRecord) -> f32 {
    solid.options.body.map_or(0.0, |body| body.friction)
}

/// Removes the contacts of a body, from index `first` on, that are hidden. Such are those with faces
/// in the seams between tiles.
fn hide(solids: &Solids, found: &mut Vec<Contact>, first: usize) {
    let contacts = &mut found[first..];
    contacts.sort_unstable_by(|a, b| a.seen.total_cmp(&b.seen).then(a.key.cmp(&b.key)));
    for rank in 1..contacts.len() {
        let (nearer, others) = contacts.split_at_mut(rank);
        let contact = &mut others[0];
        contact.hidden = nearer.iter().any(|nearer| hides(solids, nearer, contact));
    }
    let mut shown = first;
    for index in first..found.len() {
        if found[index].touches && !found[index].hidden {
            found.swap(shown, index);
            shown += 1;
        }
    }
    found.truncate(shown);
}

/// Whether a contact is with a solid that covers the face of another contact, which is farther.
fn hides(solids: &Solids, nearer: &Contact, contact: &Contact) -> bool {
    let (key, other) = (&contact.key, &nearer.key);
    // Bodies that are awake may give way.
    let stand = contact.other.is_none() && nearer.other.is_none();
    if key.other == other.other || !stand {
        return false;
    }
    let may_hide = if key.is_of_other {
        // Of two corners in the same place one stays, such as those of the planks of a gable.
        let alike = nearer.normal.dot(contact.normal) > SAME_NORMAL;
        nearer.touches && !(nearer.hidden && alike)
    } else {
        let same_corner = key.corner == other.corner || disc(&solids.colliders[key.body]).is_some();
        !other.is_of_other && same_corner
    };
    if !may_hide {
        return false;
    }
    match other.other.checked_sub(1) {
        Some(index) => {
            let reached = solids.boxes[index].inflated(solids.seam_gap).contains(contact.foot);
            reached && solids.colliders[index].distance(contact.foot) <= solids.seam_gap
        }
        None => {
            let container = container_of(&solids.containers, solids.colliders[key.body].centre());
            container.is_some_and(|container| container.depth(contact.foot) <= solids.seam_gap)
        }
    }
}
