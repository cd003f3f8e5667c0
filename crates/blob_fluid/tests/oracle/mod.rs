//! The oracle: the same equations, written a second time, slowly and plainly: all pairs, in 64
//! bits, without a grid or lanes. Each pass works on the state it is given.

use blob_fluid::{Container, ContainerShape, FluidWorld, MassSplit, ParticleId, Relaxation, Wall};
use glam::DVec2;

/// One particle, in 64 bits.
#[derive(Clone, Copy, Debug)]
pub struct Particle {
    pub id: ParticleId,
    pub class: usize,
    pub position: DVec2,
    pub previous_position: DVec2,
    pub velocity: DVec2,
    pub displacement: DVec2,
}

/// The liquid as the oracle sees it.
#[derive(Clone, Debug)]
pub struct Oracle {
    pub particles: Vec<Particle>,
    /// Seconds of a substep.
    dt: f64,
    settings: blob_fluid::FluidParameters,
    classes: Vec<blob_fluid::DensityClass>,
    containers: Vec<Container>,
    forces: Vec<blob_fluid::Force>,
}

/// What a flat wall at the distance `u` (in radii) adds. The kernel's own test integrates it; the
/// oracle is after what becomes of it.
struct Ghost {
    density: f64,
    near_density: f64,
    push: f64,
    near_push: f64,
}

fn ghost(u: f64) -> Ghost {
    let fitted = blob_fluid::kernel::ghost_wall(u as f32);
    Ghost {
        density: f64::from(fitted.density),
        near_density: f64::from(fitted.near_density),
        push: f64::from(fitted.push),
        near_push: f64::from(fitted.near_push),
    }
}

/// Distance to a container's wall and the normal there, for every wall within `reach`.
fn walls(container: &Container, point: DVec2, reach: f64) -> Vec<(f64, DVec2)> {
    let centre = container.centre().as_dvec2();
    match container.shape() {
        ContainerShape::Circle { radius } => {
            let offset = point - centre;
            let distance = f64::from(radius) - offset.length();
            if distance < reach { vec![(distance, -offset.normalize_or_zero())] } else { vec![] }
        }
        ContainerShape::Rectangle { half_size } => {
            let x = container.rotation().as_dvec2();
            let y = x.perp();
            let half = half_size.as_dvec2();
            let offset = point - centre;
            [(x, half.x), (-x, half.x), (y, half.y), (-y, half.y)]
                .into_iter()
                .map(|(normal, extent)| (extent + offset.dot(normal), normal))
                .filter(|(distance, _)| *distance < reach)
                .collect()
        }
    }
}

impl Oracle {
    /// The same liquid as a world's, about to take substeps of `dt` seconds.
    pub fn of(world: &FluidWorld, dt: f64) -> Self {
        let arrays = world.particles();
        let particles = (0..arrays.len())
            .map(|place| Particle {
                id: arrays.ids()[place],
                class: arrays.classes()[place].index(),
                position: arrays.positions()[place].as_dvec2(),
                previous_position: arrays.previous_positions()[place].as_dvec2(),
                velocity: arrays.velocities()[place].as_dvec2(),
                displacement: arrays.displacements()[place].as_dvec2(),
            })
            .collect();
        Self {
            particles,
            dt,
            settings: *world.parameters(),
            classes: world.classes().iter().cloned().collect(),
            containers: world.containers().to_vec(),
            forces: world.forces().to_vec(),
        }
    }

    /// The interaction radius.
    pub fn radius(&self) -> f64 {
        f64::from(self.settings.interaction_radius())
    }

    fn time_unit(&self) -> f64 {
        (f64::from(self.settings.particle_spacing)
            / f64::from(self.settings.reference_acceleration))
        .sqrt()
    }

    fn speed_unit(&self) -> f64 {
        (f64::from(self.settings.particle_spacing)
            * f64::from(self.settings.reference_acceleration))
        .sqrt()
    }

    fn mass(&self, particle: &Particle) -> f64 {
        f64::from(self.classes[particle.class].mass)
    }

    /// `m_j / (m_i + m_j)`.
    fn share(&self, i: &Particle, j: &Particle) -> f64 {
        self.mass(j) / (self.mass(i) + self.mass(j))
    }

    fn home(&self, point: DVec2) -> Option<&Container> {
        let depth = |container: &&Container| f64::from(container.depth(point.as_vec2()));
        let inside = self.containers.iter().find(|container| depth(container) >= 0.0);
        inside.or_else(|| self.containers.iter().max_by(|a, b| depth(a).total_cmp(&depth(b))))
    }

    /// Unit vector and weight of every pair with a direction.
    fn neighbours(&self, i: usize) -> Vec<(usize, DVec2, f64)> {
        let here = self.particles[i].position;
        let pair = |(j, other): (usize, &Particle)| {
            let offset = other.position - here;
            let q = 1.0 - offset.length() / self.radius();
            (j != i && q > 0.0).then(|| (j, offset.normalize_or_zero(), q))
        };
        self.particles.iter().enumerate().filter_map(pair).collect()
    }

    pub fn apply_gravity(&mut self) {
        let gravity = self.settings.gravity.as_dvec2();
        for particle in &mut self.particles {
            let scale = f64::from(self.classes[particle.class].gravity_scale);
            particle.velocity += gravity * scale * self.dt;
        }
    }

    pub fn apply_forces(&mut self) {
        for force in &self.forces {
            for particle in &mut self.particles {
                let offset = force.position.as_dvec2() - particle.position;
                let ratio = offset.length() / f64::from(force.radius);
                if ratio < 1.0 {
                    let strength = 1.0 - ratio * ratio;
                    let pull = f64::from(force.acceleration) * strength * self.dt;
                    particle.velocity += offset.normalize_or_zero() * pull;
                    particle.velocity /= 1.0 + f64::from(force.drag) * strength * self.dt;
                }
            }
        }
    }

    pub fn apply_damping(&mut self) {
        if self.settings.gravity == glam::Vec2::ZERO {
            return;
        }
        let per_time = self.dt / self.time_unit();
        let settling = self.settings.settling;
        let calm_speed = f64::from(settling.calm_speed) * self.speed_unit();
        let reach = 0.5 * self.radius();
        for index in 0..self.particles.len() {
            let mut particle = self.particles[index];
            let slow = if calm_speed > 0.0 {
                (1.0 - particle.velocity.length() / calm_speed).max(0.0)
            } else {
                0.0
            };
            let drag = f64::from(settling.drag) + f64::from(settling.calm_drag) * slow * slow;
            particle.velocity /= 1.0 + drag * per_time;
            if let Some(home) = self.home(particle.position) {
                for (distance, normal) in walls(home, particle.position, reach) {
                    let close = 1.0 - distance.max(0.0) / reach;
                    let factor = 1.0 / (1.0 + f64::from(settling.wall_friction) * per_time * close);
                    let along = particle.velocity.dot(normal.perp());
                    particle.velocity += normal.perp() * along * (factor - 1.0);
                }
            }
            self.particles[index] = particle;
        }
    }

    pub fn apply_viscosity(&mut self) {
        let viscosity = self.settings.viscosity;
        let per_time = self.dt / self.time_unit();
        let sigma = f64::from(viscosity.approach) * per_time;
        let beta =
            f64::from(viscosity.quadratic) * self.dt / f64::from(self.settings.particle_spacing);
        let limit = f64::from(viscosity.limit);
        let linear = (f64::from(viscosity.linear) * per_time).min(limit);
        let change = |i: usize| {
            let here = &self.particles[i];
            let mut sum = DVec2::ZERO;
            for (j, direction, q) in self.neighbours(i) {
                let other = &self.particles[j];
                let approach = (here.velocity - other.velocity).dot(direction);
                let closing = approach.max(0.0);
                let gated = (sigma + beta * closing).min(limit) * closing;
                let between =
                    if here.class == other.class { 1.0 } else { f64::from(viscosity.cross_class) };
                let impulse = (gated + linear * approach) * q * between;
                sum -= direction * impulse * self.share(here, other);
            }
            sum
        };
        let changes: Vec<DVec2> = (0..self.particles.len()).map(change).collect();
        for (particle, change) in self.particles.iter_mut().zip(changes) {
            particle.velocity += change;
        }
    }

    pub fn advance_positions(&mut self) {
        for particle in &mut self.particles {
            particle.previous_position = particle.position;
            particle.position += particle.velocity * self.dt;
            particle.displacement = DVec2::ZERO;
        }
        if matches!(self.settings.wall, Wall::Ghost { .. }) {
            self.keep_inside();
        }
    }

    pub fn relax_density(&mut self) {
        let h = self.radius();
        let rest = f64::from(self.settings.effective_rest_density());
        let stiffness =
            f64::from(self.settings.stiffness) * f64::from(self.settings.reference_acceleration);
        let near_stiffness = stiffness * f64::from(self.settings.near_stiffness_ratio);
        let capped = self.settings.relaxation == Relaxation::Capped;
        let weighted = self.settings.mass_split == MassSplit::PressurePerMass;
        let ghost_walls = match self.settings.wall {
            Wall::Ghost { density, .. } => Some(f64::from(density)),
            Wall::Reflect { .. } => None,
        };
        let rest_of = |particle: &Particle| {
            rest * f64::from(self.classes[particle.class].relative_rest_density)
        };
        let equilibrium_of =
            |particle: &Particle| rest_of(particle) * f64::from(self.settings.equilibrium_ratio);
        let ghosts = |particle: &Particle| -> Vec<(Ghost, DVec2)> {
            let Some(density) = ghost_walls else { return vec![] };
            let Some(home) = self.home(particle.previous_position) else { return vec![] };
            // A plane of n particles per h^2 has the density n pi/6.
            let behind = density * 1.5 * equilibrium_of(particle) * 6.0 / std::f64::consts::PI;
            walls(home, particle.position, h)
                .into_iter()
                .map(|(distance, normal)| {
                    let mut ghost = ghost(distance / h);
                    ghost.density *= behind;
                    ghost.near_density *= behind;
                    ghost.push *= behind;
                    ghost.near_push *= behind;
                    (ghost, normal)
                })
                .collect()
        };
        let pressures: Vec<(f64, f64)> = (0..self.particles.len())
            .map(|i| {
                let here = &self.particles[i];
                let pairs = self.neighbours(i);
                let mut density: f64 = pairs.iter().map(|(_, _, q)| q * q).sum();
                let mut near: f64 = pairs.iter().map(|(_, _, q)| q * q * q).sum();
                for (ghost, _) in ghosts(here) {
                    density += ghost.density;
                    near += ghost.near_density;
                }
                let mut pressure = stiffness * (density - rest_of(here));
                let scale = h / (self.dt * self.dt);
                if capped && density > equilibrium_of(here) {
                    pressure += scale * (density - equilibrium_of(here)) / (density * density);
                }
                let bound = scale / density.max(1e-3);
                (pressure.min(bound), (near_stiffness * near).min(bound))
            })
            .collect();
        let displacement = |i: usize| {
            let here = &self.particles[i];
            let (pressure, near_pressure) = pressures[i];
            let mut sum = DVec2::ZERO;
            for (j, direction, q) in self.neighbours(i) {
                let other = &self.particles[j];
                let (other_pressure, other_near) = pressures[j];
                sum -= direction
                    * if weighted {
                        let (mi, mj) = (self.mass(here), self.mass(other));
                        let far = (mi * pressure + mj * other_pressure) * q;
                        let near = (mi * near_pressure + mj * other_near) * q * q;
                        0.5 / mi * (far + near)
                    } else {
                        let far = (pressure + other_pressure) * q;
                        let near = (near_pressure + other_near) * q * q;
                        self.share(here, other) * (far + near)
                    };
            }
            for (ghost, normal) in ghosts(here) {
                sum += normal * 0.5 * (pressure * ghost.push + near_pressure * ghost.near_push);
            }
            sum * self.dt * self.dt
        };
        let displacements: Vec<DVec2> = (0..self.particles.len()).map(displacement).collect();
        for (particle, displacement) in self.particles.iter_mut().zip(displacements) {
            particle.position += displacement;
            particle.displacement += displacement;
        }
    }

    pub fn contain(&mut self) {
        let Wall::Reflect { restitution, dead_zone, unsticking } = self.settings.wall else {
            return self.keep_inside();
        };
        let dead_zone = f64::from(dead_zone) * f64::from(self.settings.particle_spacing);
        let unsticking = f64::from(unsticking) * self.speed_unit();
        for index in 0..self.particles.len() {
            let mut particle = self.particles[index];
            let Some(home) = self.home(particle.previous_position) else { continue };
            for (distance, normal) in walls(home, particle.position, 0.0) {
                if distance >= -dead_zone {
                    continue;
                }
                let velocity = particle.velocity + particle.displacement / self.dt;
                let outward = (-velocity.dot(normal)).max(0.0);
                particle.position += normal * (0.4 * dead_zone - distance);
                let turned = (1.0 + f64::from(restitution)) * outward + unsticking;
                particle.displacement += normal * turned * self.dt;
            }
            self.particles[index] = particle;
        }
    }

    pub fn update_velocities(&mut self) {
        for particle in &mut self.particles {
            particle.velocity += particle.displacement / self.dt;
        }
    }

    /// Particles beyond a wall are put onto it; their velocity follows by what cancels the way out,
    /// and at most by the speed unit beyond that.
    fn keep_inside(&mut self) {
        let unsticking = match self.settings.wall {
            Wall::Ghost { unsticking, .. } | Wall::Reflect { unsticking, .. } => {
                f64::from(unsticking) * self.speed_unit()
            }
        };
        for index in 0..self.particles.len() {
            let mut particle = self.particles[index];
            let Some(home) = self.home(particle.previous_position) else { continue };
            let mut inside = particle.position;
            // Once per wall; a corner is beyond two.
            for (distance, normal) in walls(home, particle.position, 0.0) {
                inside -= normal * distance;
            }
            let offset = inside - particle.position;
            if offset == DVec2::ZERO {
                continue;
            }
            let inward = offset.normalize();
            let way_out = -(particle.velocity * self.dt + particle.displacement).dot(inward);
            let follows = offset.length().min(way_out.max(0.0) + self.speed_unit() * self.dt);
            particle.displacement += inward * (follows + unsticking * self.dt);
            particle.position = inside;
            self.particles[index] = particle;
        }
    }
}
