//! Colliders: shapes that the liquid cannot enter.

use glam::Vec2;

use crate::boundary::slots::declare_handle;
use crate::boundary::solid::{NearWall, WallQueryResult};
use crate::geometry::shape::{Entry, Nearest};
use crate::stored::stored;
use crate::{
    Attachment, Body, ClassFilter, FluidBounds, FluidShape, OutOfRange, Solid, SolidOptions,
};

/// A shape that the liquid cannot enter. A collider stands still, moves with a given motion, or is a
/// [body](crate::Body) that the liquid moves.
///
/// Colliders may touch and overlap, like the tiles of a level or the walls of a drum. Colliders
/// that touch act as one: liquid neither passes between them nor loses speed at their seams.
/// Rectangles, polygons and lines act as one collider across gaps of up to 0.05 and steps of up to
/// 0.025 particle spacings. This also holds while they move together
/// ([`motion_to`](crate::Solid::motion_to)). Liquid that starts inside several overlapping
/// colliders can leave them only if they stand still.
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
    /// A handle of one collider of a world, valid until that collider is removed, and never reused.
    ColliderId
}

/// Options of a collider: the solid side, the particles that it stops, and its body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct ColliderOptions {
    /// Whether the outside of the shape is solid, so that the liquid stays inside. Defaults to `false`.
    pub inside_out: bool,
    /// Whether the collider is a membrane: liquid outside cannot enter, and liquid inside can leave and is not pushed
    /// out. A [`Polyline`](crate::shape::Polyline) stops liquid that comes from its left, as seen from its first point,
    /// and lets liquid from its right pass. Defaults to `false`.
    pub one_way: bool,
    /// The classes that the collider stops. Defaults to all.
    pub classes: ClassFilter,
    /// Whether the world measures the liquid's load on the collider in every tick
    /// ([`Liquid::load_on`](crate::Liquid::load_on)). If so, the collider's body and the liquid around it stay awake.
    /// Loads on awake bodies and attached colliders are always measured. Defaults to `false`.
    pub reports_load: bool,
    /// Properties of the collider as a body that the liquid moves; `None` (default) for a collider that stands still or
    /// moves with a given motion.
    pub body: Option<Body>,
    /// The collision layers, one bit for each. The collider stops those of its `classes` that share
    /// a layer with it ([`DensityClass::collision_layers`](crate::DensityClass::collision_layers)).
    /// Defaults to all.
    pub layers: u32,
    /// The [host body](crate::HostBody) that carries the collider, and the collider's pose on the body; `None`
    /// (default) for a collider without a host body. The world measures the liquid's load on the body, and keeps liquid
    /// around the collider awake. If your physics engine puts the body to sleep, remove the attachment, and restore it
    /// when the body wakes. Files do not contain the attachment.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub attachment: Option<Attachment>,
}

stored!(ColliderOptions { inside_out, one_way, classes, reports_load, body, layers, attachment });

impl Default for ColliderOptions {
    /// Returns the options of a collider that is solid inside its shape and stops all classes.
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

/// The straight path of a particle in a substep, in the frame of a collider.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RelativePath {
    pub start: Vec2,
    pub end: Vec2,
}

impl RelativePath {
    /// The vector from the start to the end.
    fn displacement(self) -> Vec2 {
        self.end - self.start
    }

    /// Fraction of the path before a point on it.
    pub(crate) fn fraction(self, point: Vec2) -> f32 {
        let squared = self.displacement().length_squared();
        if squared > 0.0 { (point - self.start).dot(self.displacement()) / squared } else { 0.0 }
    }

    /// Where the path crosses the line between two points, extended by `slack` at both ends.
    pub(crate) fn line_crossing(self, one: Vec2, other: Vec2, slack: f32) -> Option<Entry> {
        let line = other - one;
        let normal_direction = line.try_normalize()?.perp();
        let normal = if self.displacement().dot(normal_direction) < 0.0 {
            normal_direction
        } else {
            -normal_direction
        };
        let (height, end_height) = ((self.start - one).dot(normal), (self.end - one).dot(normal));
        if height < 0.0 || end_height >= 0.0 {
            return None;
        }
        let point = self.start + self.displacement() * (height / (height - end_height));
        let along = (point - one).dot(line) / line.length();
        (-slack..=line.length() + slack).contains(&along).then_some(Entry { normal, point })
    }
}

/// Largest cosine between the normals of two faces of a shape that both exert pressure: a right
/// angle, within rounding. Behind faces at a wider corner lies nearly the same liquid, and the
/// result would depend on which of them is nearer.
const MAX_CORNER_COSINE: f32 = 1e-2;

/// Largest distance of a point of a face from that face by rounding, relative to the distance of the face.
const COPLANAR_TOLERANCE: f32 = 1e-3;

impl Collider {
    /// Returns the collider with these options.
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

    /// Signed distance to the edge, in world units; positive where liquid may be, and negative
    /// where the collider is solid.
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

    /// Whether a point in a box may be within `reach` of the wall, be beyond it, or have passed
    /// through it in this substep. `false` is certain.
    pub(crate) fn may_touch(&self, bounds: FluidBounds, reach: f32) -> bool {
        let may_touch_shape = |local: FluidBounds, reach: f32| {
            if self.options.inside_out {
                self.shape.may_touch_from_inside(local, reach)
            } else {
                self.shape.may_touch(local, reach)
            }
        };
        let local = self.pose.to_local_bounds(bounds);
        if self.previous_pose == self.pose {
            return may_touch_shape(local, reach);
        }
        // The paths of particles are longer relative to a moving collider.
        may_touch_shape(local.union(self.previous_pose.to_local_bounds(bounds)), reach)
    }

    /// The wall, if it is within `reach` of a point or if the point is beyond it. It does not act
    /// on a point deeper than `max_depth`, nor on a point behind a membrane.
    #[inline]
    pub(crate) fn query_wall(&self, point: Vec2, reach: f32, max_depth: f32) -> WallQueryResult {
        let local = self.pose.to_local(point);
        let (searched, sign) =
            if self.options.inside_out { (f32::INFINITY, -1.0) } else { (reach, 1.0) };
        let Some(Nearest { normal, distance }) = self.shape.nearest(local, searched) else {
            return WallQueryResult::OutOfReach;
        };
        let (normal, distance) = (normal * sign, distance * sign);
        if distance >= reach {
            return WallQueryResult::OutOfReach;
        }
        if distance < -max_depth
            || self.options.one_way && self.is_behind_membrane(local, normal, distance)
        {
            return WallQueryResult::Inactive;
        }
        WallQueryResult::Active(self.wall_at(point, self.pose.to_world_direction(normal), distance))
    }

    /// Calls `visit` for the other faces within `reach` of a point in the liquid. Only faces that form a
    /// concave corner of at most a right angle with the `nearest` wall count.
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
            let wall =
                self.wall_at(point, self.pose.to_world_direction(face.normal), face.distance);
            let across = nearest.foot(point) - wall.foot(point);
            // The foot on each face lies in front of the other face. Two feet on one face do not.
            if wall.normal.dot(nearest.normal) < MAX_CORNER_COSINE
                && across.dot(wall.normal) > COPLANAR_TOLERANCE * nearest.distance
                && across.dot(nearest.normal) < -COPLANAR_TOLERANCE * nearest.distance
            {
                visit(NearWall { is_one_of_several_faces: true, ..wall });
            }
        });
    }

    /// Curvature of the `wall` near a point, in radians per world unit: the rotation of its normal
    /// while the point moves by `step` along it.
    pub(crate) fn curvature(&self, point: Vec2, wall: &NearWall, step: f32) -> f32 {
        let along = self.pose.to_local_direction(wall.normal).perp();
        // The step is added to local coordinates, which are more precise far from the origin.
        let local = self.pose.to_local(point) + along * step;
        let (reach, sign) = if self.options.inside_out {
            (f32::INFINITY, -1.0)
        } else {
            (wall.distance.max(0.0) + 2.0 * step, 1.0)
        };
        let nearest = self.shape.nearest(local, reach);
        nearest.map_or(0.0, |nearest| sign * nearest.normal.dot(along) / step)
    }

    /// Whether a `position`, as seen from a `point` in the liquid, lies on the wall, behind it, or
    /// within `seam_gap` of it.
    pub(crate) fn hides(&self, point: Vec2, position: Vec2, seam_gap: f32) -> bool {
        let (start, end) = (self.pose.to_local(point), self.pose.to_local(position));
        if self.options.inside_out {
            return self.shape.distance(end) >= -seam_gap;
        }
        self.shape.nearest(end, seam_gap).is_some()
            || self.shape.entry(start, end, self.slack(), self.options.one_way).is_some()
    }

    /// Whether a point is where a membrane does not act: inside it, or to the right of a line.
    fn is_behind_membrane(&self, local: Vec2, normal: Vec2, distance: f32) -> bool {
        match &self.shape {
            FluidShape::Polyline(line) => line.faces_right(local, normal),
            _ => distance < 0.0,
        }
    }

    /// The path of a particle from `before` to `after` in this substep, relative to the moving
    /// collider. Returns `None` if it misses the collider's box by more than `slack`.
    pub(crate) fn relative_path_near(
        &self,
        before: Vec2,
        after: Vec2,
        slack: f32,
    ) -> Option<RelativePath> {
        let path = self.relative_path(before, after);
        let bounds = self.shape.bounds();
        let passes_by = !self.options.inside_out
            && (path.start.min(path.end).cmpgt(bounds.high + slack).any()
                || path.start.max(path.end).cmplt(bounds.low - slack).any());
        (!passes_by).then_some(path)
    }

    /// As [`relative_path_near`](Self::relative_path_near), without the test of the box.
    pub(crate) fn relative_path(&self, before: Vec2, after: Vec2) -> RelativePath {
        RelativePath { start: self.previous_pose.to_local(before), end: self.pose.to_local(after) }
    }

    /// Where a path enters the collider. Within `slack` world units of an edge, rounding makes it
    /// uncertain on which side a particle is.
    pub(crate) fn path_entry(&self, path: RelativePath, slack: f32) -> Option<Entry> {
        let RelativePath { start, end } = path;
        if self.options.inside_out {
            self.shape.exit(start, end, slack)
        } else {
            self.shape.entry(start, end, slack, self.options.one_way)
        }
    }

    /// Returns the new position of a particle that moved from `before` to `after` in this substep
    /// and hit the wall, and the wall there. The path is relative to the moving collider.
    ///
    /// Returns `None` if the particle did not hit the wall. A particle that starts inside leaves by the
    /// shortest path, by at most `ejection` world units per call. Otherwise the liquid inside a collider would
    /// burst out.
    pub(crate) fn resolve(
        &self,
        before: Vec2,
        after: Vec2,
        ejection: f32,
        slack: f32,
    ) -> Option<(Vec2, NearWall)> {
        let path = self.relative_path_near(before, after, slack)?;
        match self.path_entry(path, slack) {
            Some(entry) => Some(self.resolve_entry(entry, path, slack)),
            None => self.push_out(path.end, ejection, slack),
        }
    }

    /// The new position of a particle that entered the collider on its path, and the wall there.
    /// The particle slides along the face through which it entered.
    pub(crate) fn resolve_entry(
        &self,
        entry: Entry,
        path: RelativePath,
        slack: f32,
    ) -> (Vec2, NearWall) {
        let Entry { normal, point } = entry;
        let depth = (path.end - point).dot(normal);
        let distance = depth.max(path.displacement().dot(normal)).min(0.0);
        let wall = self.wall_at(
            self.pose.to_world(path.end),
            self.pose.to_world_direction(normal),
            distance,
        );
        let stopped = path.end - normal * (depth - self.contact_margin(slack));
        (self.pose.to_world(stopped), wall)
    }

    /// As [`resolve`](Self::resolve), for a particle at the local position `end` that did not
    /// enter.
    pub(crate) fn push_out(
        &self,
        end: Vec2,
        ejection: f32,
        slack: f32,
    ) -> Option<(Vec2, NearWall)> {
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
        let margin = if distance < -ejection { 0.0 } else { self.contact_margin(slack) };
        let distance = distance.max(-ejection);
        let wall =
            self.wall_at(self.pose.to_world(end), self.pose.to_world_direction(normal), distance);
        Some((self.pose.to_world(end - normal * (distance - margin)), wall))
    }

    /// Where a segment, in the shape's coordinates, enters the solid side.
    pub(crate) fn segment_entry(&self, start: Vec2, end: Vec2) -> Option<Entry> {
        self.path_entry(RelativePath { start, end }, self.slack())
    }

    /// Whether a position before the substep was inside the collider.
    pub(crate) fn was_inside(&self, before: Vec2) -> bool {
        let start = self.previous_pose.to_local(before);
        if self.options.inside_out {
            return self.shape.distance(start) > 0.0;
        }
        self.shape.nearest(start, 0.0).is_some()
    }

    /// Distance from the edge at which a stopped particle is placed, so that rounding does not put
    /// it inside. Shapes that test on which side a particle is need this. Rectangles need it
    /// because they may touch others.
    fn contact_margin(&self, slack: f32) -> f32 {
        match self.shape {
            FluidShape::Polygon(_) | FluidShape::Polyline(_) | FluidShape::Field(_) => 2.0 * slack,
            FluidShape::Rectangle { .. } => slack,
            _ => 0.0,
        }
    }

    /// Whether the shape tests on which side a particle is, so that the smallest step through the
    /// edge matters.
    pub(crate) fn has_side_test(&self) -> bool {
        matches!(
            self.shape,
            FluidShape::Polygon(_) | FluidShape::Polyline(_) | FluidShape::Field(_)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Motion;

    const SLACK: f32 = 1e-3;

    fn close(a: Vec2, b: Vec2) -> bool {
        (a - b).length() < 1e-4
    }

    /// Whether a position is at a point of a collider's face, at the collider's margin from it.
    fn touches(collider: &Collider, position: Vec2, point: Vec2, normal: Vec2) -> bool {
        close(position, point + normal * collider.contact_margin(SLACK))
    }

    #[test]
    fn entering_particles_slide_along_the_face_of_entry() {
        let floor = Collider::rectangle(Vec2::ZERO, Vec2::new(50.0, 10.0)).expect("valid");
        let (point, wall) =
            floor.resolve(Vec2::new(0.0, 12.0), Vec2::new(6.0, 4.0), 100.0, SLACK).expect("met");
        assert!(touches(&floor, point, Vec2::new(6.0, 10.0), wall.normal), "{point}");
        assert!(close(wall.normal, Vec2::Y));
        assert!((wall.distance + 6.0).abs() < 1e-4);
    }

    #[test]
    fn particles_that_passed_through_are_moved_back() {
        let wall = Collider::rectangle(Vec2::ZERO, Vec2::new(1.0, 50.0)).expect("valid");
        let (point, hit) =
            wall.resolve(Vec2::new(-30.0, 0.0), Vec2::new(40.0, 7.0), 100.0, SLACK).expect("met");
        assert!(touches(&wall, point, Vec2::new(-1.0, 7.0), hit.normal), "{point}");
        assert!(close(hit.normal, Vec2::NEG_X));
        let post = Collider::circle(Vec2::ZERO, 1.0).expect("valid");
        let (point, hit) =
            post.resolve(Vec2::new(-30.0, 0.0), Vec2::new(40.0, 0.0), 100.0, SLACK).expect("met");
        assert!(close(point, Vec2::new(-1.0, 0.0)) && close(hit.normal, Vec2::NEG_X), "{point}");
        assert!(post.resolve(Vec2::new(-30.0, 2.0), Vec2::new(40.0, 2.0), 100.0, SLACK).is_none());
    }

    #[test]
    fn a_moving_collider_pushes_particles_in_its_path() {
        let mut bat = Collider::rectangle(Vec2::ZERO, Vec2::new(1.0, 50.0)).expect("valid");
        bat = bat
            .with_motion(Motion { velocity: Vec2::new(1000.0, 0.0), ..Motion::STILL })
            .expect("valid");
        let resting = Vec2::new(20.0, 3.0);
        bat.advance(0.1);
        let (point, wall) = bat.resolve(resting, resting, 100.0, SLACK).expect("met");
        assert!(touches(&bat, point, Vec2::new(101.0, 3.0), wall.normal), "{point}");
        assert!(close(wall.velocity, Vec2::new(1000.0, 0.0)));
    }

    #[test]
    fn particles_that_start_inside_leave_by_the_shortest_path() {
        let stone = Collider::circle(Vec2::splat(5.0), 10.0).expect("valid");
        let inside = Vec2::new(5.0, 12.0);
        let (point, _) = stone.resolve(inside, inside, 100.0, SLACK).expect("inside");
        assert!(close(point, Vec2::new(5.0, 15.0)), "{point}");
        let centre = Vec2::splat(5.0);
        assert!(stone.resolve(centre, centre, 100.0, SLACK).is_some());
        assert!(stone.resolve(Vec2::new(5.0, 15.0), Vec2::new(8.0, 16.0), 100.0, SLACK).is_none());
    }

    #[test]
    fn impossible_colliders_are_refused() {
        let error = Collider::circle(Vec2::ZERO, -1.0).expect_err("refused");
        assert_eq!((error.subject, error.field), ("collider", "radius"));
        assert!(Collider::rectangle(Vec2::ZERO, Vec2::new(1.0, f32::NAN)).is_err());
    }
}
