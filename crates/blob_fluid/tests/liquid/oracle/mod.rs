//! The oracle: the same equations, implemented a second time in slow and plain code. It visits all
//! pairs, computes in 64 bits without a grid or lanes, and uses only the public fields of the
//! settings.
//!
//! Each pass works on a given state. For every particle it returns a bound for the error of the
//! same sums in 32 bits ([`Errors`]). The bounds are of first order: an operation rounds its result
//! by half an [`EPSILON`], a sum of `n` terms by `n` times that of the sum of their magnitudes, and
//! an error of a density becomes one of a pressure by its derivative. A whole `EPSILON` is counted
//! for every half, which leaves a factor of two for higher orders.

mod classic;
mod heat;
mod pair_forces;
mod segregation;
mod surfaces;
mod viscosity;
mod wall;

use std::collections::HashMap;

use blob_fluid::{
    ClassPair, DensityClass, FluidParameters, FluidWorld, Force, ParticleId, Pass, Shape, Solver,
};
use glam::DVec2;
use wall::{FIT_ERROR, Near, Solid};
pub use wall::{Ghost, ghost};

/// Distance of neighbouring 32-bit numbers, relative to them.
pub const EPSILON: f64 = f32::EPSILON as f64;

/// Bounds of the difference between 32 bits and the oracle after a pass; 0 for values that the pass
/// does not change.
#[derive(Clone, Copy, Debug, Default)]
pub struct Errors {
    pub position: f64,
    pub displacement: f64,
    pub velocity: f64,
    pub temperature: f64,
    pub exposure: f64,
    /// Whether the particle is so close to a threshold that 32 bits may give another decision.
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
    pub temperature: f64,
    pub exposure: f64,
    pub errors: Errors,
}

/// The state of the liquid in the oracle.
#[derive(Clone, Debug)]
pub struct Oracle {
    pub particles: Vec<Particle>,
    /// Length of a substep, in seconds.
    dt: f64,
    settings: FluidParameters,
    classes: Vec<DensityClass>,
    pairs: Vec<ClassPair>,
    containers: Vec<Solid>,
    colliders: Vec<Solid>,
    forces: Vec<Force>,
    /// Error of the walls' integrals, relative to the error of their fit: 0, but 1 in a copy that
    /// shows the effect of this error.
    fit_errors: f64,
    /// Whether passes that move one pair after the other do so in 32 bits.
    narrow: bool,
}

/// Pressure and near pressure of a particle, and the bounds of their errors in 32 bits.
#[derive(Clone, Copy, Debug)]
struct Pressures {
    far: f64,
    near: f64,
    far_error: f64,
    near_error: f64,
}

/// The displacement of a particle by pairs, which do not accelerate it beyond four radii per substep.
fn limited(particle: &Particle, displacement: DVec2, dt: f64, radius: f64) -> DVec2 {
    let way = particle.velocity * dt + particle.displacement;
    (way + displacement).clamp_length_max((4.0 * radius).max(way.length())) - way
}

/// The smaller of two numbers, each with its error bound.
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
    /// Copies the liquid of a world, for substeps of `dt` seconds.
    pub fn of(world: &FluidWorld, dt: f64) -> Self {
        let arrays = world.particles();
        let particles = (0..arrays.len())
            .map(|index| Particle {
                id: arrays.ids()[index],
                class: arrays.classes()[index].index(),
                position: arrays.positions()[index].as_dvec2(),
                previous_position: arrays.previous_positions()[index].as_dvec2(),
                velocity: arrays.velocities()[index].as_dvec2(),
                displacement: arrays.displacements()[index].as_dvec2(),
                temperature: f64::from(arrays.temperatures()[index]),
                exposure: f64::from(arrays.exposures()[index]),
                errors: Errors::default(),
            })
            .collect();
        let colliders = world.colliders().map(|(id, collider)| {
            let mut solid = Solid::from(collider);
            solid.fade_in = f64::from(world.collider_fade_in(id).expect("there"));
            solid
        });
        Self {
            particles,
            dt,
            settings: *world.parameters(),
            classes: world.classes().iter().cloned().collect(),
            pairs: world.classes().pairs().to_vec(),
            containers: world.containers().map(|(_, own)| Solid::from(own)).collect(),
            colliders: colliders.collect(),
            forces: world.forces().to_vec(),
            fit_errors: 0.0,
            narrow: false,
        }
    }

    /// Runs a pass.
    pub fn run(&mut self, pass: Pass) {
        macro_rules! run {
            ($($(#[$doc:meta])* $pass:ident, $name:ident, $label:literal, $formula:literal, $source:literal;)*) => {
                match pass {
                    $(Pass::$pass => self.$name(),)*
                }
            };
        }
        blob_fluid::for_each_pass!(run);
    }

    /// Puts the particles into another order. The solver `classic` visits them in their order.
    pub fn sort(&mut self, order: &[ParticleId]) {
        let by_id: HashMap<_, _> = self.particles.iter().map(|own| (own.id, *own)).collect();
        self.particles = order.iter().map(|id| by_id[id]).collect();
    }

    /// A copy whose walls have the largest error of their fit, and whose passes that change one
    /// pair after the other compute in 32 bits.
    pub fn with_errors(mut self) -> Self {
        self.fit_errors = 1.0;
        self.narrow = true;
        self
    }

    /// Rounds positions and velocities to 32 bits.
    pub fn round(&mut self) {
        for particle in &mut self.particles {
            particle.position = particle.position.as_vec2().as_dvec2();
            particle.velocity = particle.velocity.as_vec2().as_dvec2();
        }
    }

    /// The interaction radius `h`.
    pub fn radius(&self) -> f64 {
        f64::from(self.settings.particle_spacing) * f64::from(self.settings.radius_ratio)
    }

    /// The time unit `T0 = sqrt(d/a0)`.
    fn time_unit(&self) -> f64 {
        let (d, a0) = (self.settings.particle_spacing, self.settings.reference_acceleration);
        (f64::from(d) / f64::from(a0)).sqrt()
    }

    /// The speed unit `V0 = sqrt(d a0)`.
    fn speed_unit(&self) -> f64 {
        let (d, a0) = (self.settings.particle_spacing, self.settings.reference_acceleration);
        (f64::from(d) * f64::from(a0)).sqrt()
    }

    /// The rest density `rho0` for a ratio `r` of the stiffnesses: `rho_eq (1 + 0.24 r) - 0.16 r`,
    /// where `rho_eq = (pi/6)(h/d)^2 - 1`.
    fn rest_density_for(&self, r: f64) -> f64 {
        let ratio = f64::from(self.settings.radius_ratio);
        let equilibrium = std::f64::consts::PI / 6.0 * ratio * ratio - 1.0;
        equilibrium * (1.0 + 0.24 * r) - 0.16 * r
    }

    /// The rest density `rho0` of a class.
    fn rest_density(&self, class: usize) -> f64 {
        let class = &self.classes[class];
        let mut r = f64::from(self.settings.near_stiffness_ratio);
        if class.stiffness > 0.0 {
            r *= f64::from(class.near_stiffness) / f64::from(class.stiffness);
        }
        let rest = self.settings.rest_density.map_or(self.rest_density_for(r), f64::from);
        rest * f64::from(class.relative_rest_density)
    }

    /// The equilibrium density `rho_eq` of a class.
    fn equilibrium_density(&self, class: usize) -> f64 {
        let derived = self.rest_density_for(f64::from(self.settings.near_stiffness_ratio));
        let rest = self.settings.rest_density.map_or(derived, f64::from);
        f64::from(self.settings.equilibrium_ratio)
            * rest
            * f64::from(self.classes[class].relative_rest_density)
    }

    pub fn mass(&self, class: usize) -> f64 {
        f64::from(self.classes[class].mass)
    }

    /// Share of a particle of class `i` in a pair's displacement, `m_j / (m_i + m_j)`.
    fn share(&self, i: usize, j: usize) -> f64 {
        self.mass(j) / (self.mass(i) + self.mass(j))
    }

    /// Whether two particles are so close that their ids give them a direction.
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
        let ambient = f64::from(self.settings.ambient_temperature);
        for particle in &mut self.particles {
            let class = &self.classes[particle.class];
            let impulse = gravity * f64::from(class.gravity_scale) * self.dt;
            let expansion = f64::from(class.thermal.expansion);
            let lost = (expansion * (particle.temperature - ambient)).clamp(-2.0, 2.0);
            particle.velocity += impulse * (1.0 - lost);
            // Three products and a sum; four more with a difference of temperatures.
            let degrees = expansion.abs() * (particle.temperature.abs() + ambient.abs());
            particle.errors.velocity = EPSILON
                * (2.0 * particle.velocity.length()
                    + impulse.length() * (3.0 + 4.0 * degrees + 4.0 * lost.abs()));
        }
    }

    pub fn apply_forces(&mut self) {
        for force in &self.forces {
            let region = force.region.as_ref().map(|region| region.shape());
            let Some(Shape::Circle { radius }) = region else { panic!("knows discs only") };
            let most = f64::from(force.attraction) * self.dt;
            let drag = f64::from(force.drag) * self.dt;
            for particle in &mut self.particles {
                let offset = force.centre.as_dvec2() - particle.position;
                let ratio = offset.length() / f64::from(*radius);
                if ratio < 1.0 {
                    let strength = 1.0 - ratio * ratio;
                    particle.velocity += offset.normalize_or_zero() * (strength * most);
                    particle.velocity /= 1.0 + drag * strength;
                    particle.temperature += f64::from(force.heat) * strength * self.dt;
                }
                particle.errors.temperature += EPSILON
                    * (particle.temperature.abs() + 9.0 * f64::from(force.heat).abs() * self.dt);
                // Seven operations compute the strength and four the direction. A drag has the
                // error of its strength and divides the velocity.
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
        for particle in &mut self.particles {
            let speed = particle.velocity.length();
            let slowness = if calm_speed > 0.0 { 1.0 - speed / calm_speed } else { 0.0 };
            let calm = f64::from(settling.calm_drag) * slowness.max(0.0) * slowness.max(0.0);
            let drag = (f64::from(settling.drag) + calm) * per_time;
            particle.velocity /= 1.0 + drag;
            let drags = (f64::from(settling.drag) + f64::from(settling.calm_drag)) * per_time;
            particle.errors.velocity = EPSILON * (2.0 + 12.0 * drags) * speed;
        }
    }

    pub fn advance_positions(&mut self) {
        for particle in &mut self.particles {
            particle.previous_position = particle.position;
            // The solver `sph` moves particles when their forces are known.
            if self.settings.solver != Solver::Sph {
                particle.position += particle.velocity * self.dt;
            }
            particle.displacement = DVec2::ZERO;
            particle.errors.position =
                EPSILON * (particle.position.length() + particle.velocity.length() * self.dt);
        }
        for solid in self.containers.iter_mut().chain(&mut self.colliders) {
            solid.advance(self.dt);
        }
        // A collider that has jumped into liquid bears the full pressure after 3 T0.
        let share = self.dt / (3.0 * self.time_unit());
        for collider in &mut self.colliders {
            collider.fade_in = (collider.fade_in + share).min(1.0);
        }
    }

    /// The predicted positions are put inside the container too.
    pub fn contain_prediction(&mut self) {
        if matches!(self.settings.solver, Solver::DoubleDensity | Solver::SharedPressure) {
            self.keep_inside(true);
        }
    }

    /// No particle is quarantined in these tests.
    pub fn quarantine(&mut self) {}

    /// Sorting changes only the order.
    pub fn hash_positions(&mut self) {}

    /// These tests have no elastic classes.
    pub fn apply_springs(&mut self) {}

    /// These tests have no bodies.
    pub fn move_bodies(&mut self) {}

    /// Contribution of the walls to a particle, times the number of particles per `h^2` behind
    /// them.
    fn ghosts(&self, particle: &Particle) -> Vec<(Ghost, Near)> {
        let behind = self.behind(particle.class);
        let (density_error, push_error) =
            (self.fit_errors * FIT_ERROR.0, self.fit_errors * FIT_ERROR.1);
        self.pressing(particle.previous_position, particle.position, self.radius())
            .into_iter()
            .filter(|_| behind > 0.0)
            .map(|near| {
                let exact = ghost(near.distance / self.radius());
                let (slope, slope_error) = near.slope;
                // What the pressures of the whole wall make of the slope of its part.
                let scale = behind * self.radius();
                let near = Near { slope: (slope * scale, slope_error * scale), ..near };
                let behind = behind * near.fade_in;
                let ghost = Ghost {
                    density: behind * (exact.density + density_error),
                    near_density: behind * (exact.near_density + density_error),
                    push: behind * (exact.push + push_error),
                    near_push: behind * (exact.near_push + push_error),
                };
                (ghost, near)
            })
            .collect()
    }

    /// Number of particles per `h^2` behind a wall: `n = 1.5 (6 rho_eq / pi)`.
    fn behind(&self, class: usize) -> f64 {
        f64::from(self.settings.ghost_walls.density) * 1.5 * 6.0 * self.equilibrium_density(class)
            / std::f64::consts::PI
    }

    /// The stiffness `k`, as an acceleration.
    fn stiffness(&self) -> f64 {
        f64::from(self.settings.stiffness) * f64::from(self.settings.reference_acceleration)
    }

    /// `P = k (rho - rho0) + (1 - s) C` and `P_near = k_near rho_near + 3/2 s C`, each at most
    /// `(h/dt^2)/rho`, and the tension at most a quarter of that, with `C = (1 - 0.43 s) (h/dt^2) max(0, c - c_eq)/c^2` and
    /// `c = (1 - s) rho + s rho_near`.
    fn pressures(&self, i: usize) -> Pressures {
        let here = &self.particles[i];
        let weights: Vec<f64> = self.neighbours(i).into_iter().map(|(_, _, q)| q).collect();
        let sum = |power: i32| weights.iter().map(|q| q.powi(power)).sum::<f64>();
        let (mut density, mut near_density) = (sum(2), sum(3));
        // Six operations compute a weight, and three a product of weights. Both sums begin at -1
        // and include the particle itself.
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
        self.pressures_at(here.class, (density, density_error), (near_density, near_error))
    }

    /// Pressures of a class at two densities, each with its error bound.
    fn pressures_at(
        &self,
        class: usize,
        (density, density_error): (f64, f64),
        (near_density, near_error): (f64, f64),
    ) -> Pressures {
        let scale = self.radius() / (self.dt * self.dt);
        let (rest, equilibrium) = (self.rest_density(class), self.equilibrium_density(class));
        let class = &self.classes[class];
        let k = self.stiffness() * f64::from(class.stiffness);
        let k_near = self.stiffness()
            * f64::from(self.settings.near_stiffness_ratio)
            * f64::from(class.near_stiffness);
        let floor = density.max(1e-3);
        let bound = (scale / floor, scale / floor * (density_error / floor + 4.0 * EPSILON));
        let (share, resisting, wrong) = match self.settings.solver {
            Solver::Classic => (0.0, 0.0, 0.0),
            Solver::DoubleDensity => {
                let share = f64::from(self.settings.near_share);
                let blend = |density: f64, near: f64| (1.0 - share) * density + share * near;
                let packing = blend(density, near_density);
                let error = blend(density_error, near_error) + 4.0 * EPSILON * packing;
                let at_rest = blend(equilibrium, (0.6 * equilibrium - 0.3).max(0.0));
                let floor = packing.max(1e-3);
                let stiff = (1.0 - 0.43 * share) * scale / (floor * floor);
                // The derivative of (c - c_eq)/c^2 is at most 3/c^2 in magnitude.
                let wrong = stiff * (3.0 * error + 8.0 * EPSILON * (packing + at_rest));
                let wrong = if packing + error > at_rest { wrong } else { 0.0 };
                (share, stiff * (packing - at_rest).max(0.0), wrong)
            }
            _ => unreachable!("they have their own pressures"),
        };
        let far = k * (density - rest) + (1.0 - share) * resisting;
        let far_error = k * density_error
            + (1.0 - share) * wrong
            + 8.0 * EPSILON * (k * (density + rest) + (1.0 - share) * resisting);
        let near = k_near * near_density + 1.5 * share * resisting;
        let near_wrong = k_near * near_error + 1.5 * share * wrong + 8.0 * EPSILON * near;
        let far = least((far, far_error), bound);
        // The tension is at most a quarter of that, and does not grow below a density of 1.
        let dense = density.max(1.0);
        let tension = 0.25 * scale / dense;
        let (far, far_error) =
            least((-far.0, far.1), (tension, tension * (density_error / dense + 4.0 * EPSILON)));
        let near = least((near, near_wrong), bound);
        Pressures { far: -far, far_error, near: near.0, near_error: near.1 }
    }

    /// Strength of a pair's repulsion on `i`, as a displacement away from `j`, and its error bound.
    fn repulsion(&self, i: usize, j: usize, q: f64, pressures: &[Pressures]) -> (f64, f64) {
        let (a, b) = (self.particles[i].class, self.particles[j].class);
        let (mine, other) = (&pressures[i], &pressures[j]);
        let (factor, ma, mb) = (0.5 / self.mass(a), self.mass(a), self.mass(b));
        let far = ma * mine.far + mb * other.far;
        let near = ma * mine.near + mb * other.near;
        let magnitude = ma * (mine.far.abs() + mine.near) + mb * (other.far.abs() + other.near);
        let error = (ma * mine.far_error + mb * other.far_error) * q
            + (ma * mine.near_error + mb * other.near_error) * q * q
            + 6.0 * EPSILON * magnitude;
        let scale = factor * self.dt * self.dt;
        (scale * (far * q + near * q * q), scale * error)
    }

    /// Strength of a pair's attraction on `i`, as a displacement towards `j`.
    fn attraction(&self, i: usize, j: usize, q: f64) -> f64 {
        let (a, b) = (self.particles[i].class, self.particles[j].class);
        let names = [&self.classes[a].name, &self.classes[b].name];
        let strength = if a == b {
            self.classes[a].surface_tension
        } else {
            let paired = |pair: &&ClassPair| pair.classes.iter().all(|name| names.contains(&name));
            self.pairs.iter().find(paired).map_or(0.0, |pair| pair.cohesion)
        };
        let factor = 0.5 / self.mass(a);
        let unit = f64::from(self.settings.reference_acceleration);
        let most = 0.2 * self.mass(a).min(self.mass(b)) * self.radius() / (self.dt * self.dt);
        let strength = (f64::from(strength) * unit).clamp(-most, most);
        factor * strength * q * (1.0 - q) * self.dt * self.dt
    }

    pub fn relax_density(&mut self) {
        match self.settings.solver {
            Solver::DoubleDensity => {}
            Solver::Classic => return self.relax_in_place(),
            Solver::Sph | Solver::SharedPressure => return self.apply_forces_of_pairs(),
            Solver::Incompressible => unreachable!("it has a test of its own"),
        }
        let pressures: Vec<_> = (0..self.particles.len()).map(|i| self.pressures(i)).collect();
        let displacement = |i: usize| {
            let here = &self.particles[i];
            let (mut sum, mut error, mut magnitudes) = (DVec2::ZERO, 0.0, 0.0);
            let neighbours = self.neighbours(i);
            for (j, direction, q) in &neighbours {
                let (repulsion, wrong) = self.repulsion(i, *j, *q, &pressures);
                let attraction = self.attraction(i, *j, *q);
                let (sorted, sorted_wrongly) = self.sorted(i, *j, *direction, *q);
                sum += sorted - *direction * (repulsion - attraction);
                error += wrong + sorted_wrongly + 8.0 * EPSILON * attraction.abs();
                magnitudes += repulsion.abs() + attraction.abs() + sorted.length();
            }
            let terms = neighbours.len() as f64 + 8.0;
            let squared_step = self.dt * self.dt;
            let mut attraction = DVec2::ZERO;
            for (ghost, near) in self.ghosts(here) {
                let own = &pressures[i];
                let push = own.far * ghost.push + own.near * ghost.near_push;
                // The attraction of a wall is proportional to its wetting.
                let wetting = f64::from(near.properties.wetting);
                let (into, wetting) =
                    if push < 0.0 { (&mut attraction, wetting) } else { (&mut sum, 1.0) };
                *into += near.normal * (0.5 * squared_step * push * wetting);
                let whole = wall::ghost(near.distance / self.radius());
                let swell = own.far * whole.density / 2.0 + own.near * whole.near_density / 3.0;
                sum -= near.slope.0 * (0.5 * squared_step * swell.max(0.0));
                let swell_error = own.far_error
                    + own.near_error
                    + (own.far.abs() + own.near) * (FIT_ERROR.0 + 32.0 * EPSILON);
                error += 0.5
                    * squared_step
                    * (near.slope.1 * swell.abs() + near.slope.0.length() * swell_error);
                let behind = self.behind(here.class);
                error += 0.5
                    * squared_step
                    * ((own.far.abs() + own.near)
                        * (behind * FIT_ERROR.1 + 32.0 * EPSILON * (ghost.push + ghost.near_push))
                        + own.far_error * ghost.push
                        + own.near_error * ghost.near_push);
            }
            // All walls together attract a particle by at most 0.8 of its weight, if it has any.
            let weight = self.settings.gravity.as_dvec2()
                * f64::from(self.classes[here.class].gravity_scale);
            let most = 0.8 * squared_step * weight.length();
            sum += if most > 0.0 { attraction.clamp_length_max(most) } else { attraction };
            error += 8.0 * EPSILON * most;
            (sum, error + EPSILON * (terms * magnitudes + sum.length()))
        };
        let displacements: Vec<_> = (0..self.particles.len()).map(displacement).collect();
        let viscous =
            self.exchanged(0).into_iter().map(|(v, error)| (v * self.dt, error * self.dt));
        let both = displacements.into_iter().zip(viscous.collect::<Vec<_>>());
        let both = both.map(|(own, viscous)| (own.0 + viscous.0, own.1 + viscous.1));
        let (dt, radius) = (self.dt, self.radius());
        for (particle, (displacement, error)) in self.particles.iter_mut().zip(both) {
            let displacement = limited(particle, displacement, dt, radius);
            particle.position += displacement;
            particle.displacement += displacement;
            particle.errors.displacement = error + EPSILON * particle.displacement.length();
            particle.errors.position = error + EPSILON * particle.position.length();
        }
    }

    /// Distance, and its error bound, by which the relaxation moves `i` away from a coincident `j`.
    /// It must be called before [`relax_density`](Self::relax_density).
    pub fn separation(&self, i: usize, j: usize) -> (f64, f64) {
        let pressures: Vec<_> = (0..self.particles.len()).map(|i| self.pressures(i)).collect();
        let distance = self.particles[i].position.distance(self.particles[j].position);
        self.repulsion(i, j, 1.0 - distance / self.radius(), &pressures)
    }

    pub fn update_velocities(&mut self) {
        for particle in &mut self.particles {
            let change = particle.displacement / self.dt;
            particle.velocity += change;
            particle.errors.velocity =
                EPSILON * (particle.velocity.length() + 3.0 * change.length());
        }
    }
}
