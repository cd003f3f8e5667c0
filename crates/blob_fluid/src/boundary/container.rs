//! Containers: closed shapes that hold the liquid.

use glam::Vec2;

use crate::boundary::slots::declare_handle;
use crate::boundary::solid::NearWall;
use crate::geometry::shape::{Entry, Nearest};
use crate::stored::stored;
use crate::{FluidBounds, FluidShape, Solid, SolidOptions};

/// A closed container: particles inside it stay inside.
///
/// With several containers, a particle belongs to the first one that contains it, or otherwise to
/// the nearest one. So liquid can move from a container that was inserted later into an earlier
/// container that overlaps it, but not back.
pub type Container = Solid<ContainerOptions>;

declare_handle! {
    /// A handle of one container of a world, valid until that container is removed, and never
    /// reused.
    ContainerId
}

/// Options of a container. A container has no options.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContainerOptions;

stored!(ContainerOptions {});

impl SolidOptions for ContainerOptions {
    const NAME: &'static str = "container";
}

impl Container {
    /// Signed distance to the nearest wall, in world units; positive inside and negative outside.
    ///
    /// ```
    /// use blob_fluid::Container;
    /// use glam::Vec2;
    /// let round = Container::circle(Vec2::ZERO, 400.0)?;
    /// assert_eq!(round.depth(Vec2::new(300.0, 0.0)), 100.0);
    /// assert_eq!(round.depth(Vec2::new(0.0, 401.0)), -1.0);
    /// # Ok::<(), blob_fluid::OutOfRange>(())
    /// ```
    pub fn depth(&self, point: Vec2) -> f32 {
        -self.shape.distance(self.pose.to_local(point))
    }

    /// The point inside the container that is nearest to `point`: `point` itself if it lies inside.
    pub fn project(&self, point: Vec2) -> Vec2 {
        let local = self.pose.to_local(point);
        match self.shape {
            FluidShape::Circle { radius } => {
                let distance = local.length();
                if distance <= radius {
                    return point;
                }
                self.centre() + (point - self.centre()) * (radius / distance)
            }
            FluidShape::Rectangle { half_size } => {
                let inside = local.clamp(-half_size, half_size);
                if inside == local { point } else { self.pose.to_world(inside) }
            }
            _ => match self.shape.nearest(local, f32::INFINITY) {
                Some(Nearest { normal, distance }) if distance > 0.0 => {
                    self.pose.to_world(local - normal * distance)
                }
                _ => point,
            },
        }
    }

    /// Whether a point in a box may be within `reach` of a wall, or beyond a wall. `false` is
    /// certain.
    #[inline]
    pub(crate) fn may_touch(&self, bounds: FluidBounds, reach: f32) -> bool {
        let mut local = self.pose.to_local_bounds(bounds);
        if self.previous_pose != self.pose {
            // The paths of particles are longer relative to a moving container.
            local = local.union(self.previous_pose.to_local_bounds(bounds));
        }
        self.shape.may_touch_from_inside(local, reach)
    }

    /// Calls `visit` for every wall within `reach` of a point, and for every wall that it is beyond.
    #[inline]
    pub(crate) fn for_each_wall_near(
        &self,
        point: Vec2,
        reach: f32,
        mut visit: impl FnMut(NearWall),
    ) {
        let local = self.pose.to_local(point);
        match self.shape {
            FluidShape::Circle { radius } => {
                // Far from the wall, where nearly all particles are, no square root is needed.
                let inner = radius - reach;
                let squared = local.length_squared();
                if inner > 0.0 && squared < inner * inner {
                    return;
                }
                let distance = squared.sqrt();
                if distance > 1e-6 * radius {
                    let normal = (self.centre() - point) / distance;
                    visit(self.wall_at(point, normal, radius - distance));
                }
            }
            FluidShape::Rectangle { half_size } => {
                let (x, y) = (self.rotation(), self.rotation().perp());
                let walls = [
                    (x, half_size.x + local.x),
                    (-x, half_size.x - local.x),
                    (y, half_size.y + local.y),
                    (-y, half_size.y - local.y),
                ];
                for (normal, distance) in walls {
                    if distance < reach {
                        visit(self.wall_at(point, normal, distance));
                    }
                }
            }
            _ => {
                if let Some(Nearest { normal, distance }) = self.shape.nearest(local, f32::INFINITY)
                    && -distance < reach
                {
                    visit(self.wall_at(point, self.pose.to_world_direction(-normal), -distance));
                }
            }
        }
    }

    /// Lower bound of the distance to the walls that
    /// [`for_each_wall_near`](Self::for_each_wall_near) leaves out even within reach: it finds no
    /// wall at the centre of a disc.
    pub(crate) fn min_unvisited_distance(&self, point: Vec2) -> f32 {
        match self.shape {
            FluidShape::Circle { .. } => self.depth(point),
            _ => f32::INFINITY,
        }
    }

    /// Whether the walls near a particle are enough to put it back inside. Other shapes also need
    /// the particle's previous position.
    pub(crate) fn is_convex(&self) -> bool {
        !matches!(
            self.shape,
            FluidShape::Polygon(_) | FluidShape::Polyline(_) | FluidShape::Field(_)
        )
    }

    /// Where a segment, in the shape's coordinates, leaves the shape.
    pub(crate) fn segment_exit(&self, start: Vec2, end: Vec2) -> Option<Entry> {
        self.shape.exit(start, end, self.slack())
    }

    /// Returns the new position of a particle that moved from `before` to `after` in this substep
    /// and hit a wall, and the wall there. The path is relative to the moving container. Returns
    /// `None` if the particle did not hit a wall.
    pub(crate) fn resolve(&self, before: Vec2, after: Vec2) -> Option<(Vec2, NearWall)> {
        let (start, end) = (self.previous_pose.to_local(before), self.pose.to_local(after));
        let slack = self.slack();
        let (normal, depth) = match self.shape.exit(start, end, slack) {
            Some(Entry { normal, point }) => (normal, (end - point).dot(normal)),
            None => {
                let Nearest { normal, distance } = self.shape.nearest(end, f32::INFINITY)?;
                if distance <= 0.0 {
                    return None;
                }
                (-normal, -distance)
            }
        };
        let wall = self.wall_at(after, self.pose.to_world_direction(normal), depth.min(0.0));
        Some((self.pose.to_world(end - normal * (depth - 2.0 * slack)), wall))
    }
}

/// The container that a point belongs to: the first one that it is inside, or else the nearest one.
#[inline]
pub(crate) fn container_of(containers: &[Container], point: Vec2) -> Option<&Container> {
    if let [only] = containers {
        return Some(only);
    }
    let mut nearest = None;
    let mut best = f32::NEG_INFINITY;
    for container in containers {
        let depth = container.depth(point);
        if depth >= 0.0 {
            return Some(container);
        }
        if depth > best {
            best = depth;
            nearest = Some(container);
        }
    }
    nearest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_containers_are_refused() {
        for radius in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e-40] {
            let error = Container::circle(Vec2::ZERO, radius).expect_err("refused");
            assert_eq!(error.field, "radius");
        }
        let flat = Container::rectangle(Vec2::ZERO, Vec2::new(10.0, 0.0));
        assert_eq!(flat.expect_err("refused").field, "half_size");
        let nowhere = Container::circle(Vec2::new(f32::NAN, 0.0), 1.0);
        assert_eq!(nowhere.expect_err("refused").field, "centre");
        let shape = FluidShape::Circle { radius: 1.0 };
        let sheared = Container::new(shape, Vec2::ZERO, Vec2::ZERO);
        assert_eq!(sheared.expect_err("refused").field, "rotation");
    }

    #[test]
    fn a_turned_rectangle_measures_along_its_own_axes() {
        let shape = FluidShape::Rectangle { half_size: Vec2::new(10.0, 2.0) };
        let upright = Container::new(shape, Vec2::new(1.0, 1.0), Vec2::Y).expect("valid");
        assert!((upright.depth(Vec2::new(1.0, 10.0)) - 1.0).abs() < 1e-5);
        assert!((upright.depth(Vec2::new(4.0, 1.0)) + 1.0).abs() < 1e-5);
        let inside = upright.project(Vec2::new(9.0, 20.0));
        assert!((inside - Vec2::new(3.0, 11.0)).length() < 1e-4, "{inside}");
        let mut walls = 0;
        upright.for_each_wall_near(Vec2::new(2.5, 1.0), 1.0, |wall| {
            walls += 1;
            assert!((wall.distance - 0.5).abs() < 1e-5);
            assert!((wall.normal - Vec2::NEG_X).length() < 1e-5);
        });
        assert_eq!(walls, 1);
    }

    #[test]
    fn particles_belong_to_the_container_they_are_in_or_else_the_nearest() {
        let left = Container::circle(Vec2::new(-10.0, 0.0), 5.0).expect("valid");
        let right = Container::circle(Vec2::new(10.0, 0.0), 5.0).expect("valid");
        let both = [left.clone(), right.clone()];
        assert_eq!(container_of(&both, Vec2::new(8.0, 1.0)), Some(&right));
        assert_eq!(container_of(&both, Vec2::new(-100.0, 0.0)), Some(&left));
        assert_eq!(container_of(&[], Vec2::ZERO), None);
    }
}
