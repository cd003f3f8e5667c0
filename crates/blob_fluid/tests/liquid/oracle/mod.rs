//! The oracle: the same equations, implemented a second time in slow and plain code. It visits all
//! pairs, computes in 64 bits without a grid or lanes, and uses only the public fields of the
//! settings.
//!
//! Each pass works on a given state. For every particle it returns a bound for the error of the
//! same sums in 32 bits ([`Errors`]). The bounds are of first order: an operation rounds its result
//! by half an [`EPSILON`], a sum of `n` terms by `n` times that of the sum of their magnitudes, and
//! an error of a density becomes one of a pressure by its derivative. A whole `EPSILON` is counted
//! for every half, which leaves a factor of two for higher orders.

mod density;
mod methods;
mod wall;

use std::collections::HashMap;

use blob_fluid::*;
use glam::DVec2;

use crate::oracle::wall::Solid;

pub use wall::ghost;

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
    pub pressure: f64,
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
    /// In the last substep.
    pub relative_density: f64,
    /// What the solver keeps of the pressure.
    pub pressure: f64,
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

/// The displacement of a particle by pairs, which do not accelerate it beyond four radii per substep.
fn limited(particle: &Particle, displacement: DVec2, dt: f64, radius: f64) -> DVec2 {
    let way = particle.velocity * dt + particle.displacement;
    (way + displacement).clamp_length_max((4.0 * radius).max(way.length())) - way
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
                relative_density: f64::from(arrays.relative_densities()[index]),
                pressure: arrays.kept_pressures().get(index).copied().map_or(0.0, f64::from),
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
            containers: world.containers().map(|(_, container)| Solid::from(container)).collect(),
            colliders: colliders.collect(),
            forces: world.forces().to_vec(),
            fit_errors: 0.0,
            narrow: false,
        }
    }

    /// Runs a pass.
    pub fn run(&mut self, pass: FluidPass) {
        macro_rules! run {
            ($($(#[$doc:meta])* $pass:ident, $name:ident, $label:literal, $formula:literal, $source:literal;)*) => {
                match pass {
                    $(FluidPass::$pass => self.$name(),)*
                }
            };
        }
        for_each_pass!(run);
    }

    /// Puts the particles into another order. The solver `classic` visits them in their order.
    pub fn sort(&mut self, order: &[ParticleId]) {
        let by_id: HashMap<_, _> =
            self.particles.iter().map(|particle| (particle.id, *particle)).collect();
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
            let Some(FluidShape::Circle { radius }) = region else { panic!("knows discs only") };
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
            // Liquid whose bed may be a collider that moves is not compared.
            let home = wall::home(&self.containers, particle.position);
            let bed = home.map_or(DVec2::ZERO, |home| home.motion.velocity.as_dvec2());
            let relative = particle.velocity - bed;
            let speed = relative.length();
            let slowness = if calm_speed > 0.0 { 1.0 - speed / calm_speed } else { 0.0 };
            let calm = f64::from(settling.calm_drag) * slowness.max(0.0) * slowness.max(0.0);
            let drag = (f64::from(settling.drag) + calm) * per_time;
            particle.velocity = bed + relative / (1.0 + drag);
            let drags = (f64::from(settling.drag) + f64::from(settling.calm_drag)) * per_time;
            particle.errors.velocity =
                EPSILON * ((2.0 + 12.0 * drags) * speed + 2.0 * bed.length());
        }
    }

    pub fn advance_positions(&mut self) {
        for particle in &mut self.particles {
            particle.previous_position = particle.position;
            // The solver `sph` moves particles and solids when the forces are known.
            if self.settings.solver != FluidSolver::Sph {
                particle.position += particle.velocity * self.dt;
            }
            particle.displacement = DVec2::ZERO;
            particle.errors.position =
                EPSILON * (particle.position.length() + particle.velocity.length() * self.dt);
        }
        if self.settings.solver != FluidSolver::Sph {
            self.advance_solids();
        }
    }

    fn advance_solids(&mut self) {
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
        if matches!(self.settings.solver, FluidSolver::DoubleDensity | FluidSolver::SharedPressure)
        {
            self.keep_inside(true);
        }
    }

    /// No particle is quarantined in these tests.
    pub fn quarantine(&mut self) {}

    /// Sorting changes only the order.
    pub fn hash_positions(&mut self) {}

    /// `paint.rs` has an oracle of its own.
    pub fn mix_paint(&mut self) {}

    /// These tests have no elastic classes.
    pub fn apply_springs(&mut self) {}

    /// These tests have no bodies.
    pub fn move_bodies(&mut self) {}

    pub fn update_velocities(&mut self) {
        for particle in &mut self.particles {
            let change = particle.displacement / self.dt;
            particle.velocity += change;
            particle.errors.velocity =
                EPSILON * (particle.velocity.length() + 3.0 * change.length());
        }
    }
}

// Heat, and changes of class by temperature and by contact.

impl Oracle {
    /// Computes conduction between particles, then from walls, then to the surroundings.
    pub fn exchange_heat(&mut self) {
        let per_time = self.dt / self.time_unit();
        let thermal = |class: usize| &self.classes[class].thermal;
        let conductivity = |class: usize| f64::from(thermal(class).conductivity);
        let change = |i: usize| {
            let here = &self.particles[i];
            let (mut weights, mut gain, mut magnitude) = (0.0, 0.0, 0.0);
            for (j, other) in self.particles.iter().enumerate() {
                let q = 1.0 - here.position.distance(other.position) / self.radius();
                if j == i || q <= 0.0 {
                    continue;
                }
                let (a, b) = (conductivity(here.class), conductivity(other.class));
                let mean = if a + b > 0.0 { 2.0 * a * b / (a + b) } else { 0.0 };
                let share = self.share(here.class, other.class);
                let most = 0.06 / f64::max(share, self.share(other.class, here.class));
                let rate = (mean * per_time).min(most) * share;
                weights += rate * q;
                gain += rate * q * (other.temperature - here.temperature);
                magnitude += rate * (other.temperature.abs() + here.temperature.abs());
            }
            let bounded = f64::max(weights, 1.0);
            (gain / bounded, EPSILON * (40.0 + 16.0 * weights) * magnitude / bounded)
        };
        let changes: Vec<_> = (0..self.particles.len()).map(change).collect();
        let reach = 0.5 * self.radius();
        for (index, (change, error)) in changes.into_iter().enumerate() {
            let mut particle = self.particles[index];
            particle.temperature += change;
            particle.errors.temperature = error + EPSILON * particle.temperature.abs();
            let mut approach = |temperature: f64, rate: f64| {
                // Implicit: T' = (T + rate T_other)/(1 + rate).
                let magnitude = temperature.abs() + particle.temperature.abs();
                particle.temperature = (particle.temperature + rate * temperature) / (1.0 + rate);
                particle.errors.temperature += 8.0 * EPSILON * magnitude;
            };
            for (near, _) in self.surfaces(particle.position, particle.position, reach) {
                if let Some(temperature) = near.properties.temperature {
                    let closeness = 1.0 - near.distance.max(0.0) / reach;
                    let rate = 6.0 * conductivity(particle.class) * per_time * closeness;
                    approach(f64::from(temperature), rate);
                }
            }
            let cooling = f64::from(self.classes[particle.class].thermal.cooling) * per_time;
            if cooling > 0.0 {
                approach(f64::from(self.settings.ambient_temperature), cooling);
            }
            self.particles[index] = particle;
        }
    }

    /// Returns the class that `a` becomes next to class `b`, the rate, and the temperature.
    fn reaction(&self, a: usize, b: usize) -> Option<(usize, f64, Option<f32>)> {
        let names = [&self.classes[a].name, &self.classes[b].name];
        self.pairs.iter().find_map(|pair| {
            let side = (0..2).find(|side| {
                pair.classes[*side] == *names[0] && pair.classes[1 - *side] == *names[1]
            })?;
            let reaction = pair.reaction.as_ref()?;
            let becomes = self.class_called(reaction.becomes[side].as_ref()?);
            Some((becomes, f64::from(reaction.rate), reaction.temperature))
        })
    }

    fn class_called(&self, name: &str) -> usize {
        self.classes.iter().position(|class| class.name == name).expect("a class of the table")
    }

    /// Changes classes by temperature, or otherwise by contact.
    pub fn react(&mut self) {
        let per_time = self.dt / self.time_unit();
        let before = self.clone();
        for particle in &mut self.particles {
            let thermal = &before.classes[particle.class].thermal;
            let heated =
                thermal.above.iter().filter(|t| particle.temperature > f64::from(t.temperature));
            let cooled =
                thermal.below.iter().filter(|t| particle.temperature < f64::from(t.temperature));
            if let Some(transition) = heated.chain(cooled).next() {
                particle.class = before.class_called(&transition.becomes);
                particle.exposure = 0.0;
                continue;
            }
            // Reaction partners, by distance.
            let mut partners: Vec<(f64, _)> = before
                .particles
                .iter()
                .filter_map(|other| {
                    let distance = particle.position.distance(other.position);
                    let reaction = before.reaction(particle.class, other.class)?;
                    (distance < before.radius()).then_some((distance, reaction))
                })
                .collect();
            partners.sort_by(|a, b| a.0.total_cmp(&b.0));
            let Some((nearest, (becomes, rate, temperature))) = partners.first().copied() else {
                continue;
            };
            let contact: f64 = partners.iter().map(|(r, _)| 1.0 - r / before.radius()).sum();
            particle.exposure += rate * per_time * contact.min(1.0);
            let rounding = EPSILON * (8.0 + 8.0 * partners.len() as f64);
            particle.errors.exposure = rounding * (particle.exposure + rate * per_time);
            let tie = partners.get(1).is_some_and(|(r, other)| {
                r - nearest < 1e-5 * before.radius() && (other.0, other.1) != (becomes, rate)
            });
            particle.errors.undecided |=
                tie || (particle.exposure - 1.0).abs() <= particle.errors.exposure;
            if particle.exposure >= 1.0 {
                particle.class = becomes;
                particle.exposure = 0.0;
                particle.temperature = temperature.map_or(particle.temperature, f64::from);
            }
        }
    }
}

// Viscosity in sweeps over all pairs (Algorithm 5).

/// What a pair exchanges in a sweep of viscosity: `dt sigma`, `dt beta`, `dt` times the linear
/// part, the limit of the first two, and the share of the first particle.
#[derive(Clone, Copy, Debug)]
struct Exchange {
    sigma: f64,
    beta: f64,
    linear: f64,
    limit: f64,
    share: f64,
}

impl Exchange {
    /// Largest part of its velocity that the first particle gives to the second at distance 0.
    fn largest(&self) -> f64 {
        self.share * (self.linear + if self.sigma + self.beta > 0.0 { self.limit } else { 0.0 })
    }
}

impl Oracle {
    /// Viscosity between two classes, per substep: the two parts that depend on the speed and are
    /// limited, and the linear part.
    fn viscosity(&self, a: usize, b: usize) -> ClassViscosity {
        let common = self.settings.viscosity;
        let liquid_viscosity = ClassViscosity {
            approach: common.approach,
            quadratic: common.quadratic,
            linear: common.linear,
        };
        let class_viscosity =
            |class: usize| self.classes[class].viscosity.unwrap_or(liquid_viscosity);
        let names = [&self.classes[a].name, &self.classes[b].name];
        let paired = |pair: &&ClassPair| {
            pair.classes.iter().all(|name| names.contains(&name)) && names[0] != names[1]
        };
        let pair_viscosity = self.pairs.iter().find(paired).and_then(|pair| pair.viscosity);
        pair_viscosity.unwrap_or_else(|| {
            let (mine, other) = (class_viscosity(a), class_viscosity(b));
            let factor = 0.5 * if a == b { 1.0 } else { common.cross_class };
            ClassViscosity {
                approach: factor * (mine.approach + other.approach),
                quadratic: factor * (mine.quadratic + other.quadratic),
                linear: factor * (mine.linear + other.linear),
            }
        })
    }

    /// Computes all sweeps except the first, which belongs to the relaxation.
    pub fn apply_viscosity(&mut self) {
        match self.settings.solver {
            FluidSolver::DoubleDensity => {}
            FluidSolver::Classic => return self.exchange_in_place(),
            // Their forces between pairs contain viscosity.
            FluidSolver::Sph | FluidSolver::SharedPressure | FluidSolver::Incompressible => return,
        }
        for number in 1..32 {
            let changes = self.exchanged(number);
            for (particle, (change, error)) in self.particles.iter_mut().zip(changes) {
                particle.velocity += change;
                particle.errors.velocity += EPSILON * particle.velocity.length() + error;
            }
        }
    }

    /// What two classes exchange in a sweep. A pair takes part in as many sweeps as it needs to
    /// keep its linear part below the limit in each, at most 32.
    fn exchange(&self, a: usize, b: usize, number: u32) -> Option<Exchange> {
        let per_time = self.dt / self.time_unit();
        let per_distance = self.dt / f64::from(self.settings.particle_spacing);
        let limit = f64::from(self.settings.viscosity.limit);
        // If no class or pair has its own viscosity, the limit is applied before the factor between
        // classes, unless that is above 1.
        let cross = f64::from(self.settings.viscosity.cross_class);
        let uniform = cross <= 1.0
            && self.classes.iter().all(|class| class.viscosity.is_none())
            && self.pairs.iter().all(|pair| pair.viscosity.is_none());
        let (viscosity, across) = match (uniform, a == b) {
            (true, true) => (self.viscosity(a, a), 1.0),
            (true, false) => (self.viscosity(a, a), cross),
            (false, _) => (self.viscosity(a, b), 1.0),
        };
        let sweeps = (f64::from(viscosity.linear) * per_time / limit).ceil().clamp(1.0, 32.0);
        (f64::from(number) < sweeps).then(|| Exchange {
            sigma: f64::from(viscosity.approach) * per_time / sweeps,
            beta: f64::from(viscosity.quadratic) * per_distance / sweeps,
            linear: (f64::from(viscosity.linear) * per_time / sweeps).min(limit),
            limit,
            share: self.share(a, b) * across,
        })
    }

    /// Factor on what a particle exchanges in a sweep: 2 over the largest eigenvalue of `sum w q
    /// r_hat r_hat^T`, where `w` is the largest part of its velocity that it gives away. The
    /// particle itself and those that coincide with it count in all directions.
    fn calm(&self, i: usize, number: u32) -> f64 {
        let here = &self.particles[i];
        let weight = |class: usize| {
            self.exchange(here.class, class, number.min(1))
                .map_or(0.0, |exchange| exchange.largest())
        };
        let (mut sum, mut split) = (weight(here.class), DVec2::ZERO);
        for (j, direction, q) in self.neighbours(i) {
            let weight = q * weight(self.particles[j].class);
            sum += weight;
            // A direction turned twice as far.
            split += weight * direction.rotate(direction);
        }
        2.0 / (0.5 * (sum + split.length())).max(2.0)
    }

    /// Change of each particle's velocity in one sweep, and its error bound.
    pub(super) fn exchanged(&self, number: u32) -> Vec<(DVec2, f64)> {
        let calm: Vec<f64> = (0..self.particles.len()).map(|i| self.calm(i, number)).collect();
        let change = |i: usize| {
            let here = &self.particles[i];
            let (mut sum, mut magnitudes) = (DVec2::ZERO, 0.0);
            let neighbours = self.neighbours(i);
            for (j, direction, q) in &neighbours {
                let other = &self.particles[*j];
                let approach = (here.velocity - other.velocity).dot(*direction);
                let Some(exchange) = self.exchange(here.class, other.class, number) else {
                    continue;
                };
                let Exchange { sigma, beta, linear, limit, share } = exchange;
                let gated = if approach > 0.0 { (sigma + beta * approach).min(limit) } else { 0.0 };
                let share = share * calm[i].min(calm[*j]);
                sum -= *direction * ((gated + linear) * approach * q * share);
                // The derivative of the rate by the approach speed is at most twice the limit. The
                // impulse has the errors of the difference of the velocities and of q.
                let off = EPSILON * (here.velocity - other.velocity).length()
                    + here.errors.velocity
                    + other.errors.velocity;
                magnitudes += share * (2.0 * limit + linear) * off;
            }
            (sum, magnitudes * (neighbours.len() as f64 + 16.0))
        };
        (0..self.particles.len()).map(change).collect()
    }
}
