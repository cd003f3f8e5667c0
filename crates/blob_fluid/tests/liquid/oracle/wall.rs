//! Containers and colliders of the oracle: distances, crossings, and exact integrals of the kernel
//! behind walls.

use blob_fluid::{ClassicSettings, FluidShape, FluidSolver, Motion, SolidOptions, WallProperties};
use glam::DVec2;

use crate::oracle::{EPSILON, Oracle, Particle};

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
        let before = solid.previous_pose();
        Self {
            outline,
            centre: solid.centre().as_dvec2(),
            rotation: solid.rotation().as_dvec2(),
            before: (before.translation.as_dvec2(), before.rotation.as_dvec2()),
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

// Friction and stickiness of walls, and containment by containers and colliders.

impl Oracle {
    /// The walls within `reach` of a point: those of the container that `home` belongs to, then
    /// those of colliders. Each has the error bound of its distance in 32 bits.
    pub(super) fn surfaces(&self, from: DVec2, point: DVec2, reach: f64) -> Vec<(Near, f64)> {
        let rounding = |solid: &Solid| 4.0 * EPSILON * (point.length() + solid.extent());
        let mut found = Vec::new();
        if let Some(home) = home(&self.containers, from) {
            found.extend(home.walls(point, reach).into_iter().map(|near| (near, rounding(home))));
        }
        for collider in &self.colliders {
            let near = collider.wall_near(point);
            // A particle that is farther inside is moving out, and the wall does not act on it.
            if near.distance < reach && near.distance >= -0.1 * self.radius() {
                found.push((near, rounding(collider)));
            }
        }
        found
    }

    /// The walls whose missing liquid presses at a point: of each, the part that no nearer one shares,
    /// which is less where both face the same way. No test has colliders that hide each other.
    pub(super) fn pressing(&self, from: DVec2, point: DVec2, reach: f64) -> Vec<Near> {
        let walls = self.surfaces(from, point, reach);
        let least = 0.5 * f64::from(self.settings.particle_spacing);
        // A container's walls come first. They neither bend nor share with each other.
        let solids: Vec<&Solid> = self
            .colliders
            .iter()
            .filter(|solid| {
                let near = solid.wall_near(point);
                near.distance < reach && near.distance >= -0.1 * self.radius()
            })
            .collect();
        let container_walls = walls.len() - solids.len();
        let bend = |index: usize| match index.checked_sub(container_walls) {
            Some(index) => solids[index].bend(point, least),
            None => (0.0, 0.0),
        };
        let share = |index: usize| {
            let mut wall = walls[index].0;
            let facing = |other: usize| {
                let only_containers = index.max(other) < container_walls;
                let is_nearer = walls[other].0.distance < wall.distance;
                let facing = wall.normal.dot(walls[other].0.normal);
                if other != index && is_nearer && !only_containers { facing.max(0.0) } else { 0.0 }
            };
            let left = |skipped: Option<usize>| {
                let others = (0..walls.len()).filter(|other| Some(*other) != skipped);
                others.map(|other| 1.0 - facing(other)).product::<f64>()
            };
            let (mut slope, mut error) = (DVec2::ZERO, 0.0);
            for other in (0..walls.len()).filter(|other| facing(*other) > 0.0) {
                let normals = [wall.normal, walls[other].0.normal];
                for (number, (turned, wrong)) in [bend(index), bend(other)].into_iter().enumerate()
                {
                    let along = normals[number].perp();
                    slope -= along * (turned * along.dot(normals[1 - number]) * left(Some(other)));
                    error += wrong;
                }
            }
            wall.slope = (slope * wall.fade_in, error + 8.0 * EPSILON * slope.length());
            wall.fade_in *= left(None);
            wall
        };
        (0..walls.len()).map(share).collect()
    }

    /// Number of containers that a particle is inside.
    pub fn holders(&self, particle: &Particle) -> usize {
        let holds = |container: &&Solid| container.walls(particle.position, 0.0).is_empty();
        self.containers.iter().filter(holds).count()
    }

    /// Whether 32 bits may find a particle, or one within `reach` of it, in another container: the
    /// particle lies on a wall, where particles beyond it are put, and in another container.
    pub fn home_is_undecided(&self, particle: &Particle, reach: f64) -> bool {
        let distances = |container: &Solid, point: DVec2| {
            let rounding = 8.0 * EPSILON * (point.length() + container.extent());
            let walls = container.walls(point, rounding);
            let deepest = walls.iter().map(|wall| wall.distance).fold(f64::INFINITY, f64::min);
            (deepest.abs() < rounding, deepest > -rounding)
        };
        let undecided = |point: DVec2| {
            let holds = |container: &&Solid| distances(container, point).1;
            let on_a_wall = self.containers.iter().any(|container| distances(container, point).0);
            on_a_wall && self.containers.iter().filter(holds).count() > 1
        };
        let near = |other: &&Particle| other.position.distance(particle.position) <= reach;
        let mut near = self.particles.iter().filter(near);
        near.any(|other| undecided(other.position) || undecided(other.previous_position))
    }

    /// Whether the bed of a particle may be a collider that moves, because one is in its column or in the next ones. The
    /// oracle does not know columns: their beds are tested by `carried` and by the agreement of the card.
    pub fn bed_is_undecided(&self, particle: &Particle) -> bool {
        let across = self.settings.gravity.as_dvec2().perp().normalize_or_zero();
        self.colliders.iter().filter(|collider| collider.motion != Motion::STILL).any(|collider| {
            let apart = (collider.centre - particle.position).dot(across).abs();
            apart < collider.extent() + 2.0 * self.radius()
        })
    }

    /// Computes friction and stickiness.
    pub fn apply_wall_friction(&mut self) {
        let per_time = self.dt / self.time_unit();
        let settles = self.settings.gravity != glam::Vec2::ZERO;
        let pool_friction =
            if settles { f64::from(self.settings.settling.wall_friction) } else { 0.0 };
        let radius = self.radius();
        for index in 0..self.particles.len() {
            let mut particle = self.particles[index];
            for (near, rounding) in self.surfaces(particle.position, particle.position, radius) {
                let spacing = f64::from(self.settings.particle_spacing);
                let reach = if near.properties.friction.is_some() { spacing } else { 0.5 * radius };
                let close = (1.0 - near.distance.max(0.0) / reach).max(0.0);
                let rate = match near.properties.friction {
                    None => pool_friction * per_time * close,
                    Some(mu) if mu < 1.0 => f64::from(mu / (1.0 - mu)) * per_time * close,
                    Some(_) if close > 0.0 => f64::INFINITY,
                    Some(_) => 0.0,
                };
                let tangent = DVec2::new(-near.normal.y, near.normal.x);
                let sliding = (particle.velocity - near.velocity).dot(tangent);
                let lost = 1.0 - 1.0 / (1.0 + rate);
                particle.velocity -= tangent * sliding * lost;
                let stick_distance = f64::from(near.properties.stick_distance)
                    * f64::from(self.settings.particle_spacing);
                let part = near.distance / stick_distance.min(radius);
                let stickiness = f64::from(near.properties.stickiness) * per_time * per_time;
                let pull = stickiness.min(0.25) / self.dt;
                if part > 0.0 && part < 1.0 {
                    particle.velocity -= near.normal * (pull * near.distance * (1.0 - part));
                }
                // Friction 1 stops the particle within a spacing, and has no effect beyond.
                particle.errors.undecided |=
                    rate.is_infinite() && (near.distance - reach).abs() < rounding;
                // The rate has the error of the distance, and the lost velocity has the error of
                // the rate. The normal depends on the position, which matters near the centre of a
                // round wall.
                let speeds = particle.velocity.length() + near.velocity.length();
                let steepness = if rate.is_finite() { rate.min(1.0) + per_time } else { 0.0 };
                particle.errors.velocity += EPSILON * 8.0 * speeds
                    + speeds * (steepness * 4.0 * rounding / reach + 2.0 * rounding / radius)
                    + 4.0 * pull * rounding
                    + 8.0 * EPSILON * pull * near.distance.abs();
            }
            self.particles[index] = particle;
        }
    }

    pub fn contain(&mut self) {
        let ClassicSettings { restitution, dead_zone, unsticking } = match self.settings.solver {
            FluidSolver::DoubleDensity
            | FluidSolver::SharedPressure
            | FluidSolver::Incompressible => {
                return self.keep_inside(true);
            }
            FluidSolver::Classic => self.settings.classic,
            FluidSolver::Sph => ClassicSettings {
                restitution: self.settings.sph.restitution,
                dead_zone: 0.0,
                unsticking: 0.0,
            },
        };
        let dead_zone = f64::from(dead_zone) * f64::from(self.settings.particle_spacing);
        let unsticking = f64::from(unsticking) * self.speed_unit();
        self.keep_inside(false);
        for index in 0..self.particles.len() {
            let mut particle = self.particles[index];
            let Some(home) = home(&self.containers, particle.previous_position) else { continue };
            let rounding = 8.0 * EPSILON * (particle.position.length() + home.extent());
            for Near { distance, normal, velocity, properties, .. } in
                home.walls(particle.position, 0.0)
            {
                particle.errors.undecided |= (distance + dead_zone).abs() < rounding;
                if distance >= -dead_zone {
                    continue;
                }
                let travel = (particle.velocity - velocity) * self.dt + particle.displacement;
                let outward = (-travel.dot(normal)).max(0.0);
                let sliding = travel - normal * travel.dot(normal);
                particle.position += normal * (0.4 * dead_zone - distance);
                let turned = (1.0 + f64::from(restitution)) * outward + unsticking * self.dt;
                particle.displacement += normal * turned;
                let friction = f64::from(properties.friction.unwrap_or(0.0));
                let ejection = self.speed_unit() * self.dt;
                let (lost, lost_growth) = lost_on_impact(friction, outward / ejection);
                particle.displacement -= sliding * lost;
                let travel_error = 32.0 * EPSILON * (travel.length() + turned);
                particle.errors.position += 2.0 * rounding;
                particle.errors.displacement += travel_error
                    + sliding.length() * lost_growth / ejection
                        * (particle.errors.displacement + travel_error);
            }
            self.particles[index] = particle;
        }
    }

    /// Puts particles that are beyond a wall onto it: walls of colliders, and of containers if
    /// `walls` is true. If a particle ends up beyond another wall again and again, moving colliders
    /// are ignored. If this does not help either, the particle keeps its previous position.
    pub(super) fn keep_inside(&mut self, walls: bool) {
        for index in 0..self.particles.len() {
            let rounds = if self.colliders.is_empty() { 1 } else { 4 };
            let tolerated = 1e-4 * self.radius();
            let mut deepest = f64::INFINITY;
            for round in 0..if rounds > 1 { 2 * rounds } else { 1 } {
                if deepest > tolerated {
                    deepest = self.keep_out(index, round < rounds);
                    if walls {
                        deepest = deepest.max(self.stay(index));
                    }
                    let margin = (deepest - tolerated).abs();
                    self.particles[index].errors.undecided |=
                        rounds > 1 && margin < 1e-2 * tolerated;
                }
            }
            if rounds > 1 && deepest > tolerated {
                let particle = &mut self.particles[index];
                particle.position = particle.previous_position;
                particle.displacement = -particle.velocity * self.dt;
                particle.errors.displacement += 4.0 * EPSILON * particle.displacement.length();
                if walls {
                    self.stay(index);
                }
            }
        }
    }

    /// Puts a particle beyond the walls of its container onto them; returns its distance beyond
    /// them.
    fn stay(&mut self, index: usize) -> f64 {
        let particle = self.particles[index];
        let Some(home) = home(&self.containers, particle.previous_position).copied() else {
            return 0.0;
        };
        let rounding = 8.0 * EPSILON * (particle.position.length() + home.extent());
        let mut deepest = 0.0_f64;
        for near in home.walls(particle.position, rounding) {
            if near.distance < 0.0 {
                let particle = &mut self.particles[index];
                particle.position -= near.normal * near.distance;
                self.meet(index, &near, rounding);
                deepest = deepest.max(-near.distance);
            } else {
                self.brush(index, rounding);
            }
        }
        deepest
    }

    /// Puts a particle that is inside colliders, or that passed through one, onto their walls;
    /// returns its distance beyond them. It considers resting colliders, and also moving ones if
    /// `moving` is true. A particle that was inside from the start moves out at the speed unit.
    fn keep_out(&mut self, index: usize, moving: bool) -> f64 {
        let mut deepest = 0.0_f64;
        let ejection = self.speed_unit() * self.dt;
        for collider in self.colliders.clone() {
            if collider.motion != Motion::STILL && !moving {
                continue;
            }
            let Particle { previous_position, position, .. } = self.particles[index];
            let rounding = 16.0 * EPSILON * (position.length() + collider.extent());
            let skin = 0.001 * f64::from(self.settings.particle_spacing);
            let (stop, margin) = collider.stop(previous_position, position, ejection, skin);
            self.particles[index].errors.undecided |= margin < rounding;
            match stop {
                Some(stop) => {
                    self.particles[index].position = stop.point;
                    self.meet(index, &stop.near, rounding);
                    if stop.near.distance != -ejection {
                        deepest = deepest.max(-stop.near.distance);
                    }
                }
                None if collider.wall_near(position).distance < rounding => {
                    self.brush(index, rounding);
                }
                None => {}
            }
        }
        deepest
    }

    /// Changes the velocity of a particle that was put onto a wall: it cancels the motion into the
    /// wall, and adds at most the speed unit beyond that. Friction takes a fraction of the motion
    /// along the wall.
    fn meet(&mut self, index: usize, near: &Near, rounding: f64) {
        let unsticking = self.unsticking();
        let speed_unit = self.speed_unit();
        let unsticking = f64::from(unsticking) * speed_unit * self.dt;
        let dt = self.dt;
        let particle = &mut self.particles[index];
        let travel = (particle.velocity - near.velocity) * dt + particle.displacement;
        let way_in = (-travel.dot(near.normal)).max(0.0);
        let ejection = speed_unit * dt;
        let out = ejection - travel.dot(near.normal);
        let follows = (-near.distance).min(out.max(0.0));
        particle.displacement += near.normal * (follows + unsticking);
        let friction = f64::from(near.properties.friction.unwrap_or(0.0));
        let sliding = travel - near.normal * travel.dot(near.normal);
        let (lost, lost_growth) = lost_on_impact(friction, way_in / ejection);
        if way_in > 0.0 {
            // Friction takes the same fraction as was taken from the normal speed.
            particle.displacement -= sliding * (lost * (follows / way_in).min(1.0));
        }
        // Rounding may decide whether it entered, and whether it is beyond the wall.
        let travel_error = 4.0 * EPSILON * travel.length() + particle.errors.displacement;
        particle.errors.undecided |=
            friction > 0.0 && travel.dot(near.normal).abs() < travel_error + rounding;
        particle.errors.undecided |=
            (friction > 0.0 || unsticking > 0.0) && -near.distance < rounding;
        let turned = rounding / near.distance.abs().max(rounding);
        let speeds = travel.length() + near.velocity.length() * dt;
        particle.errors.position += 2.0 * rounding;
        particle.errors.displacement += 2.0 * rounding
            + (travel.length() * turned).min(2.0 * near.distance.abs())
            + friction * (travel_error + travel.length() * (rounding + turned))
            + travel.length() * lost_growth / ejection
                * (travel_error + travel.length() * turned + rounding)
            + unsticking * turned
            + 4.0 * EPSILON * (speeds + ejection);
    }

    fn unsticking(&self) -> f32 {
        match self.settings.solver {
            FluidSolver::DoubleDensity => self.settings.ghost_walls.unsticking,
            FluidSolver::Classic => self.settings.classic.unsticking,
            _ => 0.0,
        }
    }

    /// Whether a particle is so close to a wall that 32 bits may find it beyond.
    fn brush(&mut self, index: usize, rounding: f64) {
        let unsticking = self.unsticking();
        let particle = &mut self.particles[index];
        particle.errors.undecided |= unsticking > 0.0;
        particle.errors.position += rounding;
        particle.errors.displacement += rounding;
    }
}

/// Fraction of its tangential speed that a particle loses that hits a wall with a speed of `hit` V0, and how fast that
/// grows with `hit`.
fn lost_on_impact(friction: f64, hit: f64) -> (f64, f64) {
    if friction >= 1.0 {
        return (1.0, 0.0);
    }
    let drag = friction * hit.min(1.0);
    let rest = 1.0 - friction + drag;
    (drag / rest, friction * (1.0 - friction) / (rest * rest))
}
