//! The oracle: the same equations, written a second time, slowly and plainly: all pairs, in 64
//! bits, without a grid or lanes, from the public fields of the settings alone.
//!
//! Each pass works on the state it is given, and says of every particle how wrong the same sums may
//! come out in 32 bits ([`Errors`]). The bounds are first-order: an operation rounds its result by
//! half an [`EPSILON`], a sum of `n` terms by `n` times that of the sum of their magnitudes, and an
//! error in a density becomes one in a pressure by its derivative. Counting an `EPSILON` for every
//! half leaves a factor of two for the orders left out.

mod wall;

use blob_fluid::{
    Container, DensityClass, FluidParameters, FluidWorld, Force, MassSplit, ParticleId, Relaxation,
    Wall,
};
use glam::DVec2;
use wall::{FIT_ERROR, extent, home, walls};
pub use wall::{Ghost, ghost};

/// Distance of neighbouring 32-bit numbers, relative to them.
pub const EPSILON: f64 = f32::EPSILON as f64;

/// How far 32 bits may be from the oracle after a pass; 0 for what the pass has no business with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Errors {
    pub position: f64,
    pub displacement: f64,
    pub velocity: f64,
    /// Whether the particle lies so close to a threshold that 32 bits may decide otherwise.
    pub undecided: bool,
}

/// One particle, in 64 bits.
#[derive(Clone, Copy, Debug)]
pub struct Particle {
    pub id: ParticleId,
    pub class: usize,
    pub position: DVec2,
    pub previous_position: DVec2,
    pub velocity: DVec2,
    pub displacement: DVec2,
    pub errors: Errors,
}

/// The liquid as the oracle sees it.
#[derive(Clone, Debug)]
pub struct Oracle {
    pub particles: Vec<Particle>,
    /// Seconds of a substep.
    dt: f64,
    settings: FluidParameters,
    classes: Vec<DensityClass>,
    containers: Vec<Container>,
    forces: Vec<Force>,
    /// How many times the fit's error the walls' integrals are off by: 0, but 1 in a copy that
    /// shows what becomes of it.
    fit_errors: f64,
}

/// Pressure and near pressure of a particle, and how wrong they may be in 32 bits.
#[derive(Clone, Copy, Debug)]
struct Pressures {
    far: f64,
    near: f64,
    far_error: f64,
    near_error: f64,
}

/// The smaller of two numbers, each with how wrong it may be.
fn least(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    if a.0 + a.1 < b.0 - b.1 {
        a
    } else if b.0 + b.1 < a.0 - a.1 {
        b
    } else {
        (a.0.min(b.0), a.1.max(b.1))
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
                errors: Errors::default(),
            })
            .collect();
        Self {
            particles,
            dt,
            settings: *world.parameters(),
            classes: world.classes().iter().cloned().collect(),
            containers: world.containers().to_vec(),
            forces: world.forces().to_vec(),
            fit_errors: 0.0,
        }
    }

    /// A substep in the order of the paper's Algorithm 1.
    pub fn substep(&mut self) {
        self.apply_gravity();
        self.apply_forces();
        self.apply_damping();
        self.apply_viscosity();
        self.advance_positions();
        self.relax_density();
        self.contain();
        self.update_velocities();
    }

    /// The same liquid, but with walls as wrong as their fit may be.
    pub fn with_fitted_walls(mut self) -> Self {
        self.fit_errors = 1.0;
        self
    }

    /// Rounds positions and velocities to 32 bits.
    pub fn round(&mut self) {
        for particle in &mut self.particles {
            particle.position = particle.position.as_vec2().as_dvec2();
            particle.velocity = particle.velocity.as_vec2().as_dvec2();
        }
    }

    /// `h`.
    pub fn radius(&self) -> f64 {
        f64::from(self.settings.particle_spacing) * f64::from(self.settings.radius_ratio)
    }

    /// `T0 = sqrt(d/a0)`.
    fn time_unit(&self) -> f64 {
        let (d, a0) = (self.settings.particle_spacing, self.settings.reference_acceleration);
        (f64::from(d) / f64::from(a0)).sqrt()
    }

    /// `V0 = sqrt(d a0)`.
    fn speed_unit(&self) -> f64 {
        let (d, a0) = (self.settings.particle_spacing, self.settings.reference_acceleration);
        (f64::from(d) * f64::from(a0)).sqrt()
    }

    /// `rho0` of a class: `rho_eq (1 + 0.24 r) - 0.16 r`, where `rho_eq = (pi/6)(h/d)^2 - 1`.
    fn rest_density(&self, class: usize) -> f64 {
        let ratio = f64::from(self.settings.radius_ratio);
        let r = f64::from(self.settings.near_stiffness_ratio);
        let equilibrium = std::f64::consts::PI / 6.0 * ratio * ratio - 1.0;
        let derived = equilibrium * (1.0 + 0.24 * r) - 0.16 * r;
        let rest = self.settings.rest_density.map_or(derived, f64::from);
        rest * f64::from(self.classes[class].relative_rest_density)
    }

    /// `rho_eq` of a class.
    fn equilibrium_density(&self, class: usize) -> f64 {
        f64::from(self.settings.equilibrium_ratio) * self.rest_density(class)
    }

    pub fn mass(&self, class: usize) -> f64 {
        f64::from(self.classes[class].mass)
    }

    /// `m_j / (m_i + m_j)`.
    fn share(&self, i: usize, j: usize) -> f64 {
        self.mass(j) / (self.mass(i) + self.mass(j))
    }

    /// Particles so close together that their direction comes from their ids.
    pub fn coincide(&self, a: &Particle, b: &Particle) -> bool {
        a.id != b.id && a.position.distance(b.position) < 1e-4 * self.radius() * (1.0 + 1e-3)
    }

    /// Unit vector and weight of every pair; coincident ones have no direction.
    fn neighbours(&self, i: usize) -> Vec<(usize, DVec2, f64)> {
        let here = &self.particles[i];
        let pair = |(j, other): (usize, &Particle)| {
            let offset = other.position - here.position;
            let q = 1.0 - offset.length() / self.radius();
            let together = self.coincide(here, other);
            let direction = if together { DVec2::ZERO } else { offset.normalize_or_zero() };
            (j != i && q > 0.0).then_some((j, direction, q))
        };
        self.particles.iter().enumerate().filter_map(pair).collect()
    }

    pub fn apply_gravity(&mut self) {
        let gravity = self.settings.gravity.as_dvec2();
        for particle in &mut self.particles {
            let impulse = gravity * f64::from(self.classes[particle.class].gravity_scale) * self.dt;
            particle.velocity += impulse;
            // Three products and a sum.
            particle.errors.velocity =
                EPSILON * (particle.velocity.length() + 3.0 * impulse.length());
        }
    }

    pub fn apply_forces(&mut self) {
        for force in &self.forces {
            let most = f64::from(force.acceleration) * self.dt;
            let drag = f64::from(force.drag) * self.dt;
            for particle in &mut self.particles {
                let offset = force.position.as_dvec2() - particle.position;
                let ratio = offset.length() / f64::from(force.radius);
                if ratio < 1.0 {
                    let strength = 1.0 - ratio * ratio;
                    particle.velocity += offset.normalize_or_zero() * (strength * most);
                    particle.velocity /= 1.0 + drag * strength;
                }
                // Seven operations make the strength and four the direction; a drag as wrong as its
                // strength divides what is there.
                let speed = particle.velocity.length() + most.abs();
                particle.errors.velocity +=
                    EPSILON * (12.0 * most.abs() + speed * (3.0 + 8.0 * drag));
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
        let friction = f64::from(settling.wall_friction) * per_time;
        let reach = 0.5 * self.radius();
        for index in 0..self.particles.len() {
            let mut particle = self.particles[index];
            let speed = particle.velocity.length();
            let slowness = if calm_speed > 0.0 { 1.0 - speed / calm_speed } else { 0.0 };
            let calm = f64::from(settling.calm_drag) * slowness.max(0.0) * slowness.max(0.0);
            let drag = (f64::from(settling.drag) + calm) * per_time;
            particle.velocity /= 1.0 + drag;
            let drags = (f64::from(settling.drag) + f64::from(settling.calm_drag)) * per_time;
            let mut operations = 2.0 + 12.0 * drags;
            if let Some(home) = home(&self.containers, particle.position) {
                let distances = (particle.position.length() + extent(home)) / reach;
                for (distance, normal) in walls(home, particle.position, reach) {
                    let close = 1.0 - distance.max(0.0) / reach;
                    let factor = 1.0 / (1.0 + friction * close);
                    let tangent = DVec2::new(-normal.y, normal.x);
                    let along = particle.velocity.dot(tangent);
                    particle.velocity += tangent * along * (factor - 1.0);
                    // The wall's distance is the difference of two long ones.
                    operations += 2.0 + friction * (16.0 + 4.0 * distances);
                }
            }
            particle.errors.velocity = EPSILON * operations * speed;
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
            let (mut sum, mut magnitudes) = (DVec2::ZERO, 0.0);
            let neighbours = self.neighbours(i);
            for (j, direction, q) in &neighbours {
                let other = &self.particles[*j];
                let approach = (here.velocity - other.velocity).dot(*direction);
                let gated = if approach > 0.0 { (sigma + beta * approach).min(limit) } else { 0.0 };
                let across = if here.class == other.class { 1.0 } else { viscosity.cross_class };
                let share = self.share(here.class, other.class) * f64::from(across);
                sum -= *direction * ((gated + linear) * approach * q * share);
                // The rate's slope in the approach is at most twice the limit; what is exchanged is
                // as wrong as the difference of the velocities, and q as a whole.
                magnitudes +=
                    share * (2.0 * limit + linear) * (here.velocity - other.velocity).length();
            }
            (sum, magnitudes * (neighbours.len() as f64 + 16.0))
        };
        let changes: Vec<_> = (0..self.particles.len()).map(change).collect();
        for (particle, (change, magnitudes)) in self.particles.iter_mut().zip(changes) {
            particle.velocity += change;
            particle.errors.velocity = EPSILON * (particle.velocity.length() + magnitudes);
        }
    }

    pub fn advance_positions(&mut self) {
        for particle in &mut self.particles {
            particle.previous_position = particle.position;
            particle.position += particle.velocity * self.dt;
            particle.displacement = DVec2::ZERO;
            particle.errors.position =
                EPSILON * (particle.position.length() + particle.velocity.length() * self.dt);
        }
        if matches!(self.settings.wall, Wall::Ghost { .. }) {
            self.keep_inside();
        }
    }

    /// What the walls add to a particle, times the particles per `h^2` behind them, with their
    /// normals.
    fn ghosts(&self, particle: &Particle) -> Vec<(Ghost, DVec2)> {
        let Some(home) = home(&self.containers, particle.previous_position) else { return vec![] };
        let behind = self.behind(particle.class);
        let (density_error, push_error) =
            (self.fit_errors * FIT_ERROR.0, self.fit_errors * FIT_ERROR.1);
        walls(home, particle.position, self.radius())
            .into_iter()
            .filter(|_| behind > 0.0)
            .map(|(distance, normal)| {
                let exact = ghost(distance / self.radius());
                let ghost = Ghost {
                    density: behind * (exact.density + density_error),
                    near_density: behind * (exact.near_density + density_error),
                    push: behind * (exact.push + push_error),
                    near_push: behind * (exact.near_push + push_error),
                };
                (ghost, normal)
            })
            .collect()
    }

    /// Particles per `h^2` behind a wall: `n = 1.5 (6 rho_eq / pi)`.
    fn behind(&self, class: usize) -> f64 {
        let Wall::Ghost { density, .. } = self.settings.wall else { return 0.0 };
        f64::from(density) * 1.5 * 6.0 * self.equilibrium_density(class) / std::f64::consts::PI
    }

    /// `k`, in accelerations.
    fn stiffness(&self) -> f64 {
        f64::from(self.settings.stiffness) * f64::from(self.settings.reference_acceleration)
    }

    /// `P = k (rho - rho0) + (h/dt^2) max(0, rho - rho_eq)/rho^2` and `P_near = k_near rho_near`,
    /// each at most `(h/dt^2)/rho`.
    fn pressures(&self, i: usize) -> Pressures {
        let here = &self.particles[i];
        let weights: Vec<f64> = self.neighbours(i).into_iter().map(|(_, _, q)| q).collect();
        let sum = |power: i32| weights.iter().map(|q| q.powi(power)).sum::<f64>();
        let (mut density, mut near_density) = (sum(2), sum(3));
        // Six operations make a weight, three a product of them; both sums begin at -1 and count
        // the particle itself.
        let terms = weights.len() as f64 + 2.0;
        let mut density_error = EPSILON * (5.0 * sum(1) + (terms + 1.0) * (density + 1.0));
        let mut near_error = EPSILON * (7.5 * sum(2) + (terms + 2.0) * (near_density + 1.0));
        for (ghost, _) in self.ghosts(here) {
            density += ghost.density;
            near_density += ghost.near_density;
            let wrong = self.behind(here.class) * FIT_ERROR.0;
            density_error += wrong + 16.0 * EPSILON * density;
            near_error += wrong + 16.0 * EPSILON * near_density;
        }
        let scale = self.radius() / (self.dt * self.dt);
        let (rest, equilibrium) =
            (self.rest_density(here.class), self.equilibrium_density(here.class));
        let k = self.stiffness();
        let k_near = k * f64::from(self.settings.near_stiffness_ratio);
        let floor = density.max(1e-3);
        let mut far = k * (density - rest);
        let mut slope = k;
        let mut magnitude = k * (density + rest);
        if self.settings.relaxation == Relaxation::Capped {
            far += scale * (density - equilibrium).max(0.0) / (floor * floor);
            if density + density_error > equilibrium {
                // The derivative of (rho - rho_eq)/rho^2 is at most 3/rho^2 in magnitude.
                slope += 3.0 * scale / (floor * floor);
                magnitude += scale * (density + equilibrium) / (floor * floor);
            }
        }
        let bound = (scale / floor, scale / floor * (density_error / floor + 4.0 * EPSILON));
        let far = least((far, slope * density_error + 8.0 * EPSILON * magnitude), bound);
        let near = (k_near * near_density, k_near * (near_error + 4.0 * EPSILON * near_density));
        let near = least(near, bound);
        Pressures { far: far.0, far_error: far.1, near: near.0, near_error: near.1 }
    }

    /// Strength of a pair's repulsion on `i`, as a displacement away from `j`, and how wrong it may
    /// be.
    fn repulsion(&self, i: usize, j: usize, q: f64, pressures: &[Pressures]) -> (f64, f64) {
        let (a, b) = (self.particles[i].class, self.particles[j].class);
        let (mine, other) = (&pressures[i], &pressures[j]);
        let (factor, ma, mb) = match self.settings.mass_split {
            MassSplit::PressurePerMass => (0.5 / self.mass(a), self.mass(a), self.mass(b)),
            MassSplit::InverseMass => (self.share(a, b), 1.0, 1.0),
        };
        let far = ma * mine.far + mb * other.far;
        let near = ma * mine.near + mb * other.near;
        let magnitude = ma * (mine.far.abs() + mine.near) + mb * (other.far.abs() + other.near);
        let error = (ma * mine.far_error + mb * other.far_error) * q
            + (ma * mine.near_error + mb * other.near_error) * q * q
            + 6.0 * EPSILON * magnitude;
        let scale = factor * self.dt * self.dt;
        (scale * (far * q + near * q * q), scale * error)
    }

    pub fn relax_density(&mut self) {
        let pressures: Vec<_> = (0..self.particles.len()).map(|i| self.pressures(i)).collect();
        let displacement = |i: usize| {
            let here = &self.particles[i];
            let (mut sum, mut error, mut magnitudes) = (DVec2::ZERO, 0.0, 0.0);
            let neighbours = self.neighbours(i);
            for (j, direction, q) in &neighbours {
                let (strength, wrong) = self.repulsion(i, *j, *q, &pressures);
                sum -= *direction * strength;
                error += wrong;
                magnitudes += strength.abs();
            }
            let terms = neighbours.len() as f64 + 8.0;
            let squared_step = self.dt * self.dt;
            for (ghost, normal) in self.ghosts(here) {
                let own = &pressures[i];
                sum += normal
                    * (0.5 * squared_step * (own.far * ghost.push + own.near * ghost.near_push));
                let behind = self.behind(here.class);
                error += 0.5
                    * squared_step
                    * ((own.far.abs() + own.near)
                        * (behind * FIT_ERROR.1 + 32.0 * EPSILON * (ghost.push + ghost.near_push))
                        + own.far_error * ghost.push
                        + own.near_error * ghost.near_push);
            }
            (sum, error + EPSILON * (terms * magnitudes + sum.length()))
        };
        let displacements: Vec<_> = (0..self.particles.len()).map(displacement).collect();
        for (particle, (displacement, error)) in self.particles.iter_mut().zip(displacements) {
            particle.position += displacement;
            particle.displacement += displacement;
            particle.errors.displacement = error + EPSILON * particle.displacement.length();
            particle.errors.position = error + EPSILON * particle.position.length();
        }
    }

    /// How far apart, and how wrong, the relaxation moves `i` away from a `j` that coincides with
    /// it; for before [`relax_density`](Self::relax_density).
    pub fn separation(&self, i: usize, j: usize) -> (f64, f64) {
        let pressures: Vec<_> = (0..self.particles.len()).map(|i| self.pressures(i)).collect();
        let distance = self.particles[i].position.distance(self.particles[j].position);
        self.repulsion(i, j, 1.0 - distance / self.radius(), &pressures)
    }

    pub fn contain(&mut self) {
        let Wall::Reflect { restitution, dead_zone, unsticking } = self.settings.wall else {
            return self.keep_inside();
        };
        let dead_zone = f64::from(dead_zone) * f64::from(self.settings.particle_spacing);
        let unsticking = f64::from(unsticking) * self.speed_unit();
        for index in 0..self.particles.len() {
            let mut particle = self.particles[index];
            let Some(home) = home(&self.containers, particle.previous_position) else { continue };
            let rounding = 8.0 * EPSILON * (particle.position.length() + extent(home));
            for (distance, normal) in walls(home, particle.position, 0.0) {
                particle.errors.undecided |= (distance + dead_zone).abs() < rounding;
                if distance >= -dead_zone {
                    continue;
                }
                let travel = particle.velocity * self.dt + particle.displacement;
                let outward = (-travel.dot(normal)).max(0.0);
                particle.position += normal * (0.4 * dead_zone - distance);
                let turned = (1.0 + f64::from(restitution)) * outward + unsticking * self.dt;
                particle.displacement += normal * turned;
                particle.errors.position += 2.0 * rounding;
                particle.errors.displacement += 32.0 * EPSILON * (travel.length() + turned);
            }
            self.particles[index] = particle;
        }
    }

    pub fn update_velocities(&mut self) {
        for particle in &mut self.particles {
            let change = particle.displacement / self.dt;
            particle.velocity += change;
            particle.errors.velocity =
                EPSILON * (particle.velocity.length() + 3.0 * change.length());
        }
    }

    /// Particles beyond a wall are put onto it; their velocity follows by what cancels the way out,
    /// and at most by the speed unit beyond that.
    fn keep_inside(&mut self) {
        let (Wall::Ghost { unsticking, .. } | Wall::Reflect { unsticking, .. }) =
            self.settings.wall;
        let unsticking = f64::from(unsticking) * self.speed_unit() * self.dt;
        for index in 0..self.particles.len() {
            let mut particle = self.particles[index];
            let Some(home) = home(&self.containers, particle.previous_position) else { continue };
            let rounding = 8.0 * EPSILON * (particle.position.length() + extent(home));
            let beyond = walls(home, particle.position, 0.0);
            // Once per wall; a corner is beyond two.
            let offset: DVec2 = beyond.iter().map(|(distance, normal)| -*distance * *normal).sum();
            let distance = offset.length();
            particle.errors.undecided |= unsticking > 0.0
                && walls(home, particle.position, rounding).iter().any(|(d, _)| *d > -rounding);
            if distance == 0.0 {
                // Or found beyond the wall by a rounding, and brought back by one.
                if !walls(home, particle.position, rounding).is_empty() {
                    particle.errors.position += rounding;
                    particle.errors.displacement += rounding;
                }
                self.particles[index] = particle;
                continue;
            }
            let inward = offset / distance;
            let travel = particle.velocity * self.dt + particle.displacement;
            let way_out = (-travel.dot(inward)).max(0.0);
            let ejection = self.speed_unit() * self.dt;
            let follows = distance.min(way_out + ejection);
            particle.displacement += inward * (follows + unsticking);
            particle.position += offset;
            // The direction is as wrong as the rounded place relative to the way back; no more than
            // that way is at stake.
            let turned = rounding / distance;
            particle.errors.position += 2.0 * rounding;
            particle.errors.displacement += 2.0 * rounding
                + (travel.length() * turned).min(2.0 * distance)
                + unsticking * turned
                + 4.0 * EPSILON * (travel.length() + ejection);
            self.particles[index] = particle;
        }
    }
}
