//! Friction and stickiness of walls, and containment by containers and colliders.

use blob_fluid::{ClassicSettings, FluidSolver, Motion};
use glam::DVec2;

use super::wall::{Near, Solid, home};
use super::{EPSILON, Oracle, Particle};

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
