//! Containers and colliders of the oracle: distances, crossings, and exact integrals of the kernel
//! behind walls.

use blob_fluid::{FluidShape, Motion, SolidOptions, WallProperties};
use glam::DVec2;

/// Error bounds of the crate's fit of the integrals, for densities and for pushes, as documented in
/// `blob_fluid::kernel::ghost_wall`.
pub const FIT_ERROR: (f64, f64) = (5e-5, 3e-4);

/// Contribution of a half plane of liquid behind a wall at the distance `u` (in radii) to a
/// particle, per particle in `h^2`.
#[derive(Clone, Copy, Debug)]
pub struct Ghost {
    pub density: f64,
    pub near_density: f64,
    pub push: f64,
    pub near_push: f64,
}

/// The integrals of `q^2`, `q^3` and of `q`, `q^2` along the normal over the half plane, in closed
/// form.
///
/// The half plane covers the angle `2 acos(u/r)` of a ring of radius `r`, over which the normal
/// component integrates to `2 sqrt(1 - (u/r)^2)`. Moments of `1/sqrt(r^2 - u^2)` remain, for the
/// densities after integration by parts.
pub fn ghost(u: f64) -> Ghost {
    let u = u.clamp(0.0, 1.0);
    let s = (1.0 - u * u).sqrt();
    // The limits at u = 0 are finite: every logarithm is multiplied by u^2.
    let log = if u > 0.0 { ((1.0 + s) / u).ln() } else { 0.0 };
    let u2 = u * u;
    // Integrals of r^n / sqrt(r^2 - u^2) from u to 1.
    let m1 = s;
    let m2 = 0.5 * (s + u2 * log);
    let m3 = s * s * s / 3.0 + u2 * s;
    let m4 = 0.25 * s + 0.75 * u2 * m2;
    // Integrals of r^n sqrt(r^2 - u^2).
    let n0 = 0.5 * (s - u2 * log);
    let n1 = s * s * s / 3.0;
    let n2 = (2.0 - u2) * s / 8.0 - u2 * u2 * log / 8.0;
    let angle = u.acos();
    Ghost {
        density: angle / 6.0 - 2.0 * u * (m1 / 2.0 - 2.0 * m2 / 3.0 + m3 / 4.0),
        near_density: angle / 10.0 - 2.0 * u * (m1 / 2.0 - m2 + 0.75 * m3 - m4 / 5.0),
        push: 2.0 * (n0 - n1),
        near_push: 2.0 * (n0 - 2.0 * n1 + n2),
    }
}

/// The shape of a container or a collider.
#[derive(Clone, Copy, Debug)]
pub enum Outline {
    Circle(f64),
    Rectangle(DVec2),
}

/// A container or a collider, in 64 bits.
#[derive(Clone, Copy, Debug)]
pub struct Solid {
    outline: Outline,
    centre: DVec2,
    rotation: DVec2,
    /// Centre and rotation at the beginning of the substep.
    before: (DVec2, DVec2),
    pub fade_in: f64,
    pub motion: Motion,
    pub properties: WallProperties,
}

/// A wall near a point. The distance is negative beyond the wall, and the normal points to the
/// liquid.
#[derive(Clone, Copy, Debug)]
pub struct Near {
    pub distance: f64,
    pub normal: DVec2,
    pub velocity: DVec2,
    pub properties: WallProperties,
    /// Fraction of the liquid's pressure that it bears, 0 to 1.
    pub fade_in: f64,
    /// Slope of `fade_in` where the point moves, and the error bound of the slope in 32 bits.
    pub slope: (DVec2, f64),
}

/// Where a particle met a collider.
#[derive(Clone, Copy, Debug)]
pub struct Stop {
    /// Position to which the particle is moved.
    pub point: DVec2,
    pub near: Near,
}

impl<Options: SolidOptions> From<&blob_fluid::Solid<Options>> for Solid {
    fn from(solid: &blob_fluid::Solid<Options>) -> Self {
        let outline = match solid.shape() {
            FluidShape::Circle { radius } => Outline::Circle(f64::from(*radius)),
            FluidShape::Rectangle { half_size } => Outline::Rectangle(half_size.as_dvec2()),
            other => panic!("the oracle knows no {other:?}"),
        };
        Self::of(solid, outline)
    }
}

impl Solid {
    fn of<FluidShape: SolidOptions>(
        solid: &blob_fluid::Solid<FluidShape>,
        outline: Outline,
    ) -> Self {
        let (before, turned_before) = solid.previous_pose();
        Self {
            outline,
            centre: solid.centre().as_dvec2(),
            rotation: solid.rotation().as_dvec2(),
            before: (before.as_dvec2(), turned_before.as_dvec2()),
            fade_in: 1.0,
            motion: solid.motion(),
            properties: solid.wall(),
        }
    }

    /// Moves it by `time` seconds.
    pub fn advance(&mut self, time: f64) {
        self.before = (self.centre, self.rotation);
        self.centre += self.motion.velocity.as_dvec2() * time;
        let angle = f64::from(self.motion.angular_velocity) * time;
        self.rotation = DVec2::from_angle(angle).rotate(self.rotation);
    }

    /// The largest coordinate in computations with it, to which rounding errors are relative.
    pub fn extent(&self) -> f64 {
        let size = match self.outline {
            Outline::Circle(radius) => radius,
            Outline::Rectangle(half) => half.length(),
        };
        self.centre.length() + size
    }

    fn velocity(&self, point: DVec2) -> DVec2 {
        let turning = f64::from(self.motion.angular_velocity) * (point - self.centre).perp();
        self.motion.velocity.as_dvec2() + turning
    }

    fn near(&self, point: DVec2, distance: f64, normal: DVec2) -> Near {
        Near {
            distance,
            normal,
            velocity: self.velocity(point),
            properties: self.properties,
            fade_in: self.fade_in,
            slope: (DVec2::ZERO, 0.0),
        }
    }

    /// For a collider: how fast the normal of its wall turns while a point goes along the wall, seen
    /// from a fiftieth of the distance on; and the error bound in 32 bits. It is limited as if the
    /// distance were `least` at least.
    pub fn bend(&self, point: DVec2, least: f64) -> (f64, f64) {
        let near = self.wall_near(point);
        let radius = near.distance.max(least);
        let (along, step) = (near.normal.perp(), 0.02 * radius);
        let turned = self.wall_near(point + along * step).normal.dot(along) / step;
        let error = 16.0 * f64::from(f32::EPSILON) * ((point - self.centre).length() / step + 1.0);
        (turned.clamp(0.0, 1.0 / radius), error / radius)
    }

    /// The four sides of a rectangle: outward normal, and distance from the centre.
    fn sides(&self, half: DVec2) -> [(DVec2, f64); 4] {
        let x = self.rotation;
        let y = DVec2::new(-x.y, x.x);
        [(x, half.x), (-x, half.x), (y, half.y), (-y, half.y)]
    }

    /// For a container: every wall within `reach` of a point, and every wall that the point is
    /// beyond.
    pub fn walls(&self, point: DVec2, reach: f64) -> Vec<Near> {
        let offset = point - self.centre;
        let walls = match self.outline {
            Outline::Circle(radius) => {
                vec![(radius - offset.length(), -offset.normalize_or_zero())]
            }
            Outline::Rectangle(half) => {
                let wall = |(normal, extent): (DVec2, f64)| (extent - offset.dot(normal), -normal);
                self.sides(half).map(wall).to_vec()
            }
        };
        let within = walls.into_iter().filter(|(distance, _)| *distance < reach);
        within.map(|(distance, normal)| self.near(point, distance, normal)).collect()
    }

    /// For a collider: its wall near a point.
    pub fn wall_near(&self, point: DVec2) -> Near {
        let offset = point - self.centre;
        let (distance, normal) = match self.outline {
            Outline::Circle(radius) => {
                let normal = offset.try_normalize().unwrap_or(DVec2::Y);
                (offset.length() - radius, normal)
            }
            Outline::Rectangle(half) => {
                let sides = self.sides(half);
                let beyond = |(normal, extent): &(DVec2, f64)| offset.dot(*normal) - extent;
                let outside: Vec<_> = sides.iter().filter(|side| beyond(side) > 0.0).collect();
                // Beyond a corner the normals are at right angles, and both distances contribute.
                let away: DVec2 = outside.iter().map(|side| beyond(side) * side.0).sum();
                if outside.is_empty() {
                    let nearest = sides.iter().max_by(|a, b| beyond(a).total_cmp(&beyond(b)));
                    let nearest = nearest.expect("four sides");
                    (beyond(nearest), nearest.0)
                } else {
                    (away.length(), away.normalize())
                }
            }
        };
        self.near(point, distance, normal)
    }

    /// Where a particle that went from `before` to `after` met the collider, in the collider's
    /// coordinates; `None` if it did not. The other value is the distance to the nearest case with
    /// another result.
    ///
    /// The particle slides along the side through which it entered. A particle that was already
    /// inside leaves by the shortest path. A particle counts as outside up to a depth of a
    /// thousandth of the size, because rounding leaves resting particles there. Rectangles stop
    /// particles at the distance of the rounding error or, if they move, of `skin`.
    pub fn stop(
        &self,
        before: DVec2,
        after: DVec2,
        ejection: f64,
        skin: f64,
    ) -> (Option<Stop>, f64) {
        let (centre, rotation) = self.before;
        let turned = DVec2::new(rotation.x, -rotation.y).rotate(self.rotation);
        let start = self.centre + turned.rotate(before - centre);
        let (offset, way) = (start - self.centre, after - start);
        let rests = self.before == (self.centre, self.rotation);
        let skin = if rests { 0.0 } else { skin };
        let slack = skin.max(32.0 * f64::from(f32::EPSILON) * self.extent());
        let skin = |size: f64| 1e-3 * size + slack;
        let mut margin = f64::INFINITY;
        let mut entries = Vec::new();
        match self.outline {
            Outline::Circle(radius) => {
                // The closest approach to the centre decides. The entry is half a chord before it.
                let along = if way == DVec2::ZERO { DVec2::X } else { way.normalize() };
                let closest = -offset.dot(along);
                let miss = (offset + along * closest).length();
                let chord = (radius * radius - miss * miss).max(0.0).sqrt();
                let length = (closest - chord).max(0.0);
                let depth = radius - offset.length();
                for edge in [miss - radius, length - way.length(), depth - skin(radius)] {
                    margin = margin.min(edge.abs());
                }
                let enters = miss < radius && closest > 0.0 && length <= way.length();
                if enters && depth <= skin(radius) {
                    entries.push(((offset + along * length).normalize(), radius));
                }
            }
            Outline::Rectangle(half) => {
                for (normal, extent) in self.sides(half) {
                    let begin = offset.dot(normal) - extent;
                    let end = (offset + way).dot(normal) - extent;
                    margin = margin.min((begin + skin(extent)).abs());
                    if begin < -skin(extent) || end >= 0.0 || end >= begin {
                        continue;
                    }
                    let point = offset + way * (begin.max(0.0) / (begin - end));
                    let across = DVec2::new(-normal.y, normal.x);
                    let along_x = normal.dot(self.rotation).abs() > 0.5;
                    let beyond = point.dot(across).abs() - if along_x { half.y } else { half.x };
                    // Within the slack of an edge, another side may stop it.
                    margin = margin.min((beyond.abs() - slack).max(0.0));
                    if begin < slack && beyond > begin {
                        margin = 0.0;
                    }
                    if beyond < 0.0 {
                        entries.push((normal, extent));
                    }
                }
                if entries.len() > 1 {
                    margin = 0.0;
                }
            }
        }
        let to = self.wall_near(after);
        let gap = if matches!(self.outline, Outline::Rectangle(_)) { slack } else { 0.0 };
        match entries.first() {
            Some((normal, extent)) => {
                let distance = (after - self.centre).dot(*normal) - extent;
                let point = after - normal * (distance - gap);
                (Some(Stop { point, near: self.near(after, distance, *normal) }), margin)
            }
            None if to.distance < 0.0 => {
                let near = Near { distance: to.distance.max(-ejection), ..to };
                let gap = if to.distance < -ejection { 0.0 } else { gap };
                let point = after - near.normal * (near.distance - gap);
                let margin = margin.min((to.distance + ejection).abs());
                (Some(Stop { point, near }), margin.min(self.ambiguity(after)))
            }
            None => (None, margin),
        }
    }

    /// Distance of a point inside from having another nearest side.
    fn ambiguity(&self, point: DVec2) -> f64 {
        let offset = point - self.centre;
        match self.outline {
            Outline::Circle(_) => offset.length(),
            Outline::Rectangle(half) => {
                let mut depths =
                    self.sides(half).map(|(normal, extent)| extent - offset.dot(normal));
                depths.sort_by(f64::total_cmp);
                depths[1] - depths[0]
            }
        }
    }
}

/// The container that a point belongs to: the first one that it is inside, or else the nearest one.
pub fn home(containers: &[Solid], point: DVec2) -> Option<&Solid> {
    // Distance of a point outside: from one wall, or from a corner if it is beyond two walls.
    let outside = |container: &&Solid| {
        let beyond = container.walls(point, 0.0);
        beyond.iter().map(|wall| wall.distance * wall.distance).sum::<f64>()
    };
    let inside = containers.iter().find(|container| outside(container) == 0.0);
    inside.or_else(|| containers.iter().min_by(|a, b| outside(a).total_cmp(&outside(b))))
}
