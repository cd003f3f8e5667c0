//! Colliders: shapes that the liquid cannot enter.

use glam::Vec2;

use crate::boundary::body::{Attachment, Body};
use crate::boundary::slots::declare_handle;
use crate::boundary::solid::{NearWall, Nearness, Solid, SolidOptions};
use crate::geometry::bounds::FluidBounds;
use crate::geometry::shape::{Entry, FluidShape, Nearest};
use crate::settings::class::ClassFilter;
use crate::settings::range::OutOfRange;
use crate::stored::stored;

/// A shape that the liquid cannot enter. It stands still, moves with a given motion, or is a
/// [body](crate::Body) that the liquid moves.
///
/// Colliders may touch and overlap, like the tiles of a level or the walls of a drum: colliders that
/// touch act as one, and no liquid passes between them. Nor do the seams brake liquid that slides over
/// them: rectangles, polygons and lines act as one up to gaps of 0.05 and steps of 0.025 particle spacings. This
/// holds as well if they move together ([`motion_to`](crate::Solid::motion_to)). Liquid that starts inside several overlapping colliders
/// cannot leave them.
///
/// ```
/// use blob_fluid::{ClassFilter, ClassId, Collider, ColliderOptions};
/// use glam::Vec2;
/// // A bowl that only oil can leave.
/// let classes = ClassFilter::ALL.without(ClassId::LIGHT);
/// let options = ColliderOptions { inside_out: true, classes, ..Default::default() };
/// let bowl = Collider::circle(Vec2::ZERO, 100.0)?.with_options(options)?;
/// assert_eq!(bowl.distance(Vec2::new(0.0, 90.0)), 10.0);
/// # Ok::<(), blob_fluid::OutOfRange>(())
/// ```
pub type Collider = Solid<ColliderOptions>;

declare_handle! {
    /// A handle of one collider of a world. It is valid until that collider is removed, and never
    /// refers to another one.
    ColliderId
}

/// Options of a collider: its solid side, the particles that it stops, and its body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct ColliderOptions {
    /// Whether the outside of the shape is solid, so that the liquid stays inside. Default no.
    pub inside_out: bool,
    /// Whether it is a membrane: liquid inside it may leave and is not pushed out, and liquid
    /// outside may not enter. A [`Polyline`](crate::shape::Polyline) stops liquid that comes from
    /// its left, as seen from its first point, and lets liquid from its right pass. Default no.
    pub one_way: bool,
    /// The classes that it stops. Default all.
    pub classes: ClassFilter,
    /// Whether the world measures the liquid's load on it
    /// ([`Liquid::load_on`](crate::Liquid::load_on)) in every tick. It does so as well for bodies
    /// that are awake. Liquid around it stays awake, and so does a body. Default no.
    pub reports_load: bool,
    /// Its properties as a body that the liquid moves; `None` (default) for a collider that stands
    /// still or moves with its given motion.
    pub body: Option<Body>,
    /// The layers that it is on, one bit for each. Of its `classes` it stops only those that share
    /// a layer with it ([`DensityClass::collision_layers`](crate::DensityClass::collision_layers)).
    /// Default all.
    pub layers: u32,
    /// The [host body](crate::HostBody) that carries it, and its place on it; `None` (default) for a
    /// collider of its own. The world measures the liquid's load on the body, and liquid around the
    /// collider stays awake. A host that lets the body sleep takes the attachment away, and puts it
    /// back when the body wakes. Files do not have it.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub attachment: Option<Attachment>,
}

stored!(ColliderOptions { inside_out, one_way, classes, reports_load, body, layers, attachment });

impl Default for ColliderOptions {
    /// A collider that is solid inside its shape, for all classes.
    fn default() -> Self {
        Self {
            inside_out: false,
            one_way: false,
            classes: ClassFilter::ALL,
            layers: u32::MAX,
            reports_load: false,
            body: None,
            attachment: None,
        }
    }
}

impl SolidOptions for ColliderOptions {
    const NAME: &'static str = "collider";

    fn validate(&self) -> Result<(), OutOfRange> {
        self.body.as_ref().map_or(Ok(()), Body::validate)?;
        self.attachment.as_ref().map_or(Ok(()), Attachment::validate)
    }

    fn is_body(&self) -> bool {
        self.body.is_some()
    }

    fn is_attached(&self) -> bool {
        self.attachment.is_some()
    }
}

/// A particle's straight way through a substep, in the frame of a collider.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub start: Vec2,
    pub end: Vec2,
}

impl Way {
    /// The way's length and direction.
    fn step(self) -> Vec2 {
        self.end - self.start
    }

    /// Fraction of the way before a point on it.
    pub(crate) fn fraction(self, point: Vec2) -> f32 {
        let squared = self.step().length_squared();
        if squared > 0.0 { (point - self.start).dot(self.step()) / squared } else { 0.0 }
    }

    /// Where the way crosses the line between two points, which is longer by the `slack` at both ends.
    pub(crate) fn crosses(self, one: Vec2, other: Vec2, slack: f32) -> Option<Entry> {
        let line = other - one;
        let across = line.try_normalize()?.perp();
        let normal = if self.step().dot(across) < 0.0 { across } else { -across };
        let (height, end_height) = ((self.start - one).dot(normal), (self.end - one).dot(normal));
        if height < 0.0 || end_height >= 0.0 {
            return None;
        }
        let point = self.start + self.step() * (height / (height - end_height));
        let along = (point - one).dot(line) / line.length();
        (-slack..=line.length() + slack).contains(&along).then_some(Entry { normal, point })
    }
}

/// Largest cosine of the angle between the normals of two faces of a shape that both press: a right angle,
/// within rounding. The liquid behind faces at a wider corner is much the same, and which of two is the
/// nearer would matter.
const ACROSS: f32 = 1e-2;

/// How far in front of a face a point of it may seem to be by rounding, as a part of the distance to it.
const IN_FACE: f32 = 1e-3;

impl Collider {
    /// The same collider with these options.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Body::validate`], if it is a body, and of [`Attachment::validate`], if
    /// a host body carries it.
    pub fn with_options(self, options: ColliderOptions) -> Result<Self, OutOfRange> {
        options.validate()?;
        Ok(Self { options, ..self })
    }

    /// Whether it is a [body](Body) that sleeps: it is at rest and is not simulated until something
    /// [wakes](crate::FluidSleeping) it.
    ///
    /// ```
    /// use blob_fluid::{Body, Collider, ColliderOptions, Container, FluidWorld, SerialExecutor};
    /// use glam::Vec2;
    /// let mut world = FluidWorld::default();
    /// world.insert_container(Container::rectangle(Vec2::ZERO, Vec2::splat(50.0))?);
    /// let ball = Collider::circle(Vec2::new(0.0, -30.0), 15.0)?;
    /// let body = Body::of_density(2.0, ball.shape(), world.parameters().particle_spacing)?;
    /// let options = ColliderOptions { body: Some(body), ..Default::default() };
    /// let ball = world.insert_collider(ball.with_options(options)?);
    /// assert!(!world.collider(ball).expect("there").is_sleeping());
    /// // It falls, and after a while it lies on the floor and sleeps.
    /// for _ in 0..240 {
    ///     world.step(1.0 / 60.0, &SerialExecutor).expect("valid");
    /// }
    /// assert!(world.collider(ball).expect("there").is_sleeping());
    /// # Ok::<(), blob_fluid::OutOfRange>(())
    /// ```
    pub fn is_sleeping(&self) -> bool {
        self.is_body() && self.rest.asleep
    }

    /// Whether the world measures the liquid's load on it.
    pub(crate) fn bears_load(&self) -> bool {
        let ColliderOptions { reports_load, body, attachment, .. } = &self.options;
        *reports_load || body.is_some() || attachment.is_some()
    }

    /// Whether the world measures its load in this tick. A sleeping body keeps its last load.
    pub(crate) fn bears_load_now(&self) -> bool {
        self.bears_load() && !self.is_sleeping()
    }

    /// The collider's options.
    pub fn options(&self) -> ColliderOptions {
        self.options
    }

    /// Distance to the edge, in world units; positive where liquid may be, and negative where the
    /// collider is solid.
    ///
    /// ```
    /// use blob_fluid::Collider;
    /// use glam::Vec2;
    /// let post = Collider::circle(Vec2::ZERO, 40.0)?;
    /// assert_eq!(post.distance(Vec2::new(50.0, 0.0)), 10.0);
    /// assert_eq!(post.distance(Vec2::new(0.0, 39.0)), -1.0);
    /// # Ok::<(), blob_fluid::OutOfRange>(())
    /// ```
    pub fn distance(&self, point: Vec2) -> f32 {
        self.sign() * self.shape.distance(self.pose.to_local(point))
    }

    fn sign(&self) -> f32 {
        if self.options.inside_out { -1.0 } else { 1.0 }
    }

    /// Whether the wall may be within `reach` of a point in a box, or whether such a point may be
    /// beyond the wall or have passed through it in this substep. `false` is certain.
    pub(crate) fn may_meet(&self, bounds: FluidBounds, reach: f32) -> bool {
        let meets = |local: FluidBounds, reach: f32| {
            if self.options.inside_out {
                self.shape.may_meet_from_inside(local, reach)
            } else {
                self.shape.may_meet(local, reach)
            }
        };
        let local = self.pose.to_local_bounds(bounds);
        if self.previous_pose == self.pose {
            return meets(local, reach);
        }
        // Relative to a moving collider the particles' paths are longer.
        meets(local.union(self.previous_pose.to_local_bounds(bounds)), reach)
    }

    /// The wall, if it is within `reach` of a point, or if the point is beyond it. Then it acts if
    /// the point is not deeper than `max_depth`.
    #[inline]
    pub(crate) fn wall_near(&self, point: Vec2, reach: f32, max_depth: f32) -> Nearness {
        let local = self.pose.to_local(point);
        let (searched, sign) =
            if self.options.inside_out { (f32::INFINITY, -1.0) } else { (reach, 1.0) };
        let Some(Nearest { normal, distance }) = self.shape.nearest(local, searched) else {
            return Nearness::Far;
        };
        let (normal, distance) = (normal * sign, distance * sign);
        if distance >= reach {
            return Nearness::Far;
        }
        if distance < -max_depth || self.options.one_way && self.is_behind(local, normal, distance)
        {
            return Nearness::NotActing;
        }
        Nearness::Near(self.near(point, self.pose.to_world_direction(normal), distance))
    }

    /// Calls `visit` for the other faces within `reach` of a point in the liquid, beside the `nearest` wall,
    /// that form a concave corner of at most a right angle with it.
    pub(crate) fn for_each_other_face(
        &self,
        point: Vec2,
        reach: f32,
        nearest: &NearWall,
        mut visit: impl FnMut(NearWall),
    ) {
        if self.options.one_way || nearest.distance < 0.0 {
            return;
        }
        let local = self.pose.to_local(point);
        self.shape.for_each_face(local, reach, self.options.inside_out, |face| {
            let wall = self.near(point, self.pose.to_world_direction(face.normal), face.distance);
            let across = nearest.foot(point) - wall.foot(point);
            // The foot of each lies in front of the other. That of the same face lies in it.
            if wall.normal.dot(nearest.normal) < ACROSS
                && across.dot(wall.normal) > IN_FACE * nearest.distance
                && across.dot(nearest.normal) < -IN_FACE * nearest.distance
            {
                visit(NearWall { among_faces: true, ..wall });
            }
        });
    }

    /// How much the normal of the `wall` near a point turns, in radians per world unit, while the
    /// point goes a `step` along the wall.
    pub(crate) fn bend(&self, point: Vec2, wall: &NearWall, step: f32) -> f32 {
        let along = self.pose.to_local_direction(wall.normal).perp();
        // Far from the origin only the difference from the collider's centre is exact enough.
        let local = self.pose.to_local(point) + along * step;
        let (reach, sign) = if self.options.inside_out {
            (f32::INFINITY, -1.0)
        } else {
            (wall.distance.max(0.0) + 2.0 * step, 1.0)
        };
        let there = self.shape.nearest(local, reach);
        there.map_or(0.0, |there| sign * there.normal.dot(along) / step)
    }

    /// Whether `position`, as seen from a `point` in the liquid, lies behind the wall or on it, or
    /// is closer to it than `seam_gap`.
    pub(crate) fn hides(&self, point: Vec2, position: Vec2, seam_gap: f32) -> bool {
        let (start, end) = (self.pose.to_local(point), self.pose.to_local(position));
        if self.options.inside_out {
            return self.shape.distance(end) >= -seam_gap;
        }
        self.shape.nearest(end, seam_gap).is_some()
            || self.shape.entry(start, end, self.slack(), self.options.one_way).is_some()
    }

    /// Whether a point is where a membrane does not act: inside it, or to the right of a line.
    fn is_behind(&self, local: Vec2, normal: Vec2, distance: f32) -> bool {
        match &self.shape {
            FluidShape::Polyline(line) => line.faces_right(local, normal),
            _ => distance < 0.0,
        }
    }

    /// The way of a particle from `before` to `after` in this substep, relative to the moving
    /// collider. Returns `None` if it passes by the collider's box by more than `slack`.
    pub(crate) fn way(&self, before: Vec2, after: Vec2, slack: f32) -> Option<Way> {
        let way = self.way_of(before, after);
        let bounds = self.shape.bounds();
        let passes_by = !self.options.inside_out
            && (way.start.min(way.end).cmpgt(bounds.high + slack).any()
                || way.start.max(way.end).cmplt(bounds.low - slack).any());
        (!passes_by).then_some(way)
    }

    /// As [`way`](Self::way), wherever it leads.
    pub(crate) fn way_of(&self, before: Vec2, after: Vec2) -> Way {
        Way { start: self.previous_pose.to_local(before), end: self.pose.to_local(after) }
    }

    /// Where a way enters the collider. Within `slack` of an edge, in world units, rounding may hide
    /// the side that a particle is on.
    pub(crate) fn entry(&self, way: Way, slack: f32) -> Option<Entry> {
        let Way { start, end } = way;
        if self.options.inside_out {
            self.shape.exit(start, end, slack)
        } else {
            self.shape.entry(start, end, slack, self.options.one_way)
        }
    }

    /// Returns the position to which a particle must be moved that went from `before` to `after` in
    /// this substep and met the wall, relative to the moving collider; and the wall there.
    ///
    /// Returns `None` if the particle did not meet the wall. A particle that starts inside leaves by
    /// the shortest path, by at most `ejection` world units per call. Otherwise all the liquid inside
    /// a collider would burst out.
    pub(crate) fn stop(
        &self,
        before: Vec2,
        after: Vec2,
        ejection: f32,
        slack: f32,
    ) -> Option<(Vec2, NearWall)> {
        let way = self.way(before, after, slack)?;
        match self.entry(way, slack) {
            Some(entry) => Some(self.stop_at(entry, way, slack)),
            None => self.eject(way.end, ejection, slack),
        }
    }

    /// The position to which a particle must be moved that entered the collider on its way, and the
    /// wall there. It slides along the face through which it entered.
    pub(crate) fn stop_at(&self, entry: Entry, way: Way, slack: f32) -> (Vec2, NearWall) {
        let Entry { normal, point } = entry;
        let beyond = (way.end - point).dot(normal);
        let distance = beyond.max(way.step().dot(normal)).min(0.0);
        let near =
            self.near(self.pose.to_world(way.end), self.pose.to_world_direction(normal), distance);
        let stopped = way.end - normal * (beyond - self.margin(slack));
        (self.pose.to_world(stopped), near)
    }

    /// As [`stop`](Self::stop) for a particle at `end`, in the collider's frame, that did not enter.
    pub(crate) fn eject(&self, end: Vec2, ejection: f32, slack: f32) -> Option<(Vec2, NearWall)> {
        if self.options.one_way {
            return None;
        }
        // The distance is needed only for particles beyond the wall.
        let reach = if self.options.inside_out { f32::INFINITY } else { 0.0 };
        let Nearest { normal, distance } = self.shape.nearest(end, reach)?;
        let (normal, distance) = (normal * self.sign(), distance * self.sign());
        if distance >= 0.0 {
            return None;
        }
        let margin = if distance < -ejection { 0.0 } else { self.margin(slack) };
        let distance = distance.max(-ejection);
        let near =
            self.near(self.pose.to_world(end), self.pose.to_world_direction(normal), distance);
        Some((self.pose.to_world(end - normal * (distance - margin)), near))
    }

    /// Where a segment, in coordinates of the shape, enters the solid side.
    pub(crate) fn enters(&self, start: Vec2, end: Vec2) -> Option<Entry> {
        self.entry(Way { start, end }, self.slack())
    }

    /// Whether a position before the substep was inside the collider.
    pub(crate) fn was_inside(&self, before: Vec2) -> bool {
        let start = self.previous_pose.to_local(before);
        if self.options.inside_out {
            return self.shape.distance(start) > 0.0;
        }
        self.shape.nearest(start, 0.0).is_some()
    }

    /// Distance from the edge at which a stopped particle is put, so that rounding leaves it
    /// outside. Shapes that test on which side a particle is need this, and so do rectangles,
    /// because they may stand on others.
    fn margin(&self, slack: f32) -> f32 {
        match self.shape {
            FluidShape::Polygon(_) | FluidShape::Polyline(_) | FluidShape::Field(_) => 2.0 * slack,
            FluidShape::Rectangle { .. } => slack,
            _ => 0.0,
        }
    }

    /// Whether the smallest step through the edge counts, because the shape tests on which side a
    /// particle is.
    pub(crate) fn has_sides(&self) -> bool {
        matches!(
            self.shape,
            FluidShape::Polygon(_) | FluidShape::Polyline(_) | FluidShape::Field(_)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::pose::Motion;

    const SLACK: f32 = 1e-3;

    fn close(a: Vec2, b: Vec2) -> bool {
        (a - b).length() < 1e-4
    }

    /// Whether a position lies at a point of a collider's face, at the collider's margin from it.
    fn touches(collider: &Collider, position: Vec2, point: Vec2, normal: Vec2) -> bool {
        close(position, point + normal * collider.margin(SLACK))
    }

    #[test]
    fn what_comes_in_slides_along_the_face_it_came_through() {
        let floor = Collider::rectangle(Vec2::ZERO, Vec2::new(50.0, 10.0)).expect("valid");
        let (point, near) =
            floor.stop(Vec2::new(0.0, 12.0), Vec2::new(6.0, 4.0), 100.0, SLACK).expect("met");
        assert!(touches(&floor, point, Vec2::new(6.0, 10.0), near.normal), "{point}");
        assert!(close(near.normal, Vec2::Y));
        assert!((near.distance + 6.0).abs() < 1e-4);
    }

    #[test]
    fn what_passed_through_is_brought_back() {
        let wall = Collider::rectangle(Vec2::ZERO, Vec2::new(1.0, 50.0)).expect("valid");
        let (point, near) =
            wall.stop(Vec2::new(-30.0, 0.0), Vec2::new(40.0, 7.0), 100.0, SLACK).expect("met");
        assert!(touches(&wall, point, Vec2::new(-1.0, 7.0), near.normal), "{point}");
        assert!(close(near.normal, Vec2::NEG_X));
        let post = Collider::circle(Vec2::ZERO, 1.0).expect("valid");
        let (point, near) =
            post.stop(Vec2::new(-30.0, 0.0), Vec2::new(40.0, 0.0), 100.0, SLACK).expect("met");
        assert!(close(point, Vec2::new(-1.0, 0.0)) && close(near.normal, Vec2::NEG_X), "{point}");
        assert!(post.stop(Vec2::new(-30.0, 2.0), Vec2::new(40.0, 2.0), 100.0, SLACK).is_none());
    }

    #[test]
    fn a_collider_sweeps_up_what_it_passes() {
        let mut bat = Collider::rectangle(Vec2::ZERO, Vec2::new(1.0, 50.0)).expect("valid");
        bat = bat
            .with_motion(Motion { velocity: Vec2::new(1000.0, 0.0), ..Motion::STILL })
            .expect("valid");
        let resting = Vec2::new(20.0, 3.0);
        bat.advance(0.1);
        let (point, near) = bat.stop(resting, resting, 100.0, SLACK).expect("met");
        assert!(touches(&bat, point, Vec2::new(101.0, 3.0), near.normal), "{point}");
        assert!(close(near.velocity, Vec2::new(1000.0, 0.0)));
    }

    #[test]
    fn what_is_inside_from_the_start_comes_out_the_nearest_way() {
        let stone = Collider::circle(Vec2::splat(5.0), 10.0).expect("valid");
        let inside = Vec2::new(5.0, 12.0);
        let (point, _) = stone.stop(inside, inside, 100.0, SLACK).expect("inside");
        assert!(close(point, Vec2::new(5.0, 15.0)), "{point}");
        let centre = Vec2::splat(5.0);
        assert!(stone.stop(centre, centre, 100.0, SLACK).is_some());
        assert!(stone.stop(Vec2::new(5.0, 15.0), Vec2::new(8.0, 16.0), 100.0, SLACK).is_none());
    }

    #[test]
    fn impossible_colliders_are_refused() {
        let error = Collider::circle(Vec2::ZERO, -1.0).expect_err("refused");
        assert_eq!((error.subject, error.field), ("collider", "radius"));
        assert!(Collider::rectangle(Vec2::ZERO, Vec2::new(1.0, f32::NAN)).is_err());
    }
}
