//! The solver `classic`: pairs one after the other, in place, in the order of the arrays.
//!
//! The result of a pair depends on all earlier pairs, so errors are propagated. Every particle has
//! a bound for the present error of its position (or velocity), and this bound is passed on, to
//! first order, to all values that are computed from it.

use std::f64::consts::PI;

use blob_fluid::FluidSolver;
use glam::DVec2;

use crate::oracle::{EPSILON, Oracle, Particle, ghost, limited};

/// A neighbour of a particle, from the present positions of both.
struct Neighbour {
    index: usize,
    /// Unit vector towards the neighbour.
    direction: DVec2,
    q: f64,
    /// Error bounds of the weight and of the direction.
    q_error: f64,
    direction_error: f64,
    /// Whether the computation in 32 bits may leave the neighbour out.
    undecided: bool,
}

impl Oracle {
    /// Particles that were closer than the radius when the particles were sorted into cells.
    fn visited(&self, i: usize, hashed: &[DVec2]) -> Vec<Neighbour> {
        let radius = self.radius();
        let here = &self.particles[i];
        let mut found = Vec::new();
        for (index, other) in self.particles.iter().enumerate() {
            // Three operations make a squared distance, one the squared radius, one the radius.
            let beyond = hashed[index].distance(hashed[i]) - radius;
            let undecided = beyond.abs() < 4.0 * EPSILON * radius;
            if index == i || beyond >= 0.0 && !undecided {
                continue;
            }
            let offset = other.position - here.position;
            let distance = offset.length();
            // Both ends may have errors. After them come a difference, a root of a sum of squares,
            // and a product.
            let off = here.errors.position + other.errors.position + 3.0 * EPSILON * distance;
            let together = self.coincide(here, other);
            found.push(Neighbour {
                index,
                direction: if together { DVec2::ZERO } else { offset / distance },
                q: (1.0 - distance / radius).max(0.0),
                q_error: off / radius + 2.0 * EPSILON,
                // The ids of a coincident pair give it a direction, which the oracle does not know.
                direction_error: if together { 1.0 } else { (off / distance).min(2.0) + EPSILON },
                undecided,
            });
        }
        found
    }

    /// Double density relaxation (Algorithm 2).
    pub(super) fn relax_in_place(&mut self) {
        let hashed: Vec<DVec2> = self.particles.iter().map(|particle| particle.position).collect();
        let squared_step = self.dt * self.dt;
        for i in 0..hashed.len() {
            let near = self.visited(i, &hashed);
            let class = self.particles[i].class;
            let (mut density, mut density_error) = (0.0, 0.0);
            let (mut near_density, mut near_error) = (0.0, 0.0);
            for Neighbour { q, q_error, undecided, .. } in &near {
                density += q * q;
                near_density += q * q * q;
                let left_out = if *undecided { 1.0 } else { 0.0 };
                density_error += 2.0 * q * q_error + q_error * q_error + left_out * q * q;
                near_error += 3.0 * q * q * q_error + q_error * q_error + left_out * q * q * q;
            }
            let terms = near.len() as f64 + 3.0;
            density_error += EPSILON * terms * density;
            near_error += EPSILON * terms * near_density;
            let pressures = self.pressures_at(
                class,
                (0.0, 0.0),
                (density, density_error),
                (near_density, near_error),
            );

            let (mut moved, mut moved_error, mut magnitudes) = (DVec2::ZERO, 0.0, 0.0);
            for Neighbour { index: j, direction, q, q_error, direction_error, undecided } in near {
                let size = squared_step * (pressures.far * q + pressures.near * q * q);
                let magnitude = squared_step * (pressures.far.abs() * q + pressures.near * q * q);
                // Error bound of the displacement, from the pressures, the weight and the
                // direction, and from the eight operations that compute it.
                let mut off = squared_step
                    * (pressures.far_error * (q + q_error)
                        + pressures.near_error * (q + q_error) * (q + q_error)
                        + pressures.far.abs() * q_error
                        + pressures.near * (2.0 * q + q_error) * q_error);
                off += magnitude * (direction_error + 8.0 * EPSILON);
                if undecided {
                    off += magnitude;
                }
                let displacement = direction * size;
                let other = self.particles[j].class;
                let (share, other_share) = (self.share(class, other), self.share(other, class));
                self.displace(j, displacement * other_share, off * other_share);
                moved -= displacement * share;
                moved_error += off * share;
                magnitudes += magnitude * share;
            }
            self.displace(i, moved, moved_error + EPSILON * terms * magnitudes);
        }
        let (dt, radius) = (self.dt, self.radius());
        for (particle, before) in self.particles.iter_mut().zip(&hashed) {
            let offset = particle.position - *before;
            let start = Particle { displacement: particle.displacement - offset, ..*particle };
            let excess = limited(&start, offset, dt, radius) - offset;
            particle.position += excess;
            particle.displacement += excess;
        }
    }

    /// Moves a particle by an offset with an error bound; in 32 bits if the oracle is a narrow one.
    fn displace(&mut self, index: usize, offset: DVec2, off: f64) {
        let narrow = self.narrow;
        let particle = &mut self.particles[index];
        particle.position += offset;
        particle.displacement += offset;
        if narrow {
            particle.position = particle.position.as_vec2().as_dvec2();
        }
        particle.errors.position += off + EPSILON * particle.position.length();
        particle.errors.displacement += off + EPSILON * particle.displacement.length();
    }

    /// Viscosity (Algorithm 5).
    pub(super) fn exchange_in_place(&mut self) {
        let viscosity = self.settings.viscosity;
        let per_time = self.dt / self.time_unit();
        let limit = f64::from(viscosity.limit);
        let sigma = f64::from(viscosity.approach) * per_time;
        let beta =
            f64::from(viscosity.quadratic) * self.dt / f64::from(self.settings.particle_spacing);
        let linear = (f64::from(viscosity.linear) * per_time).min(limit);
        let positions: Vec<DVec2> =
            self.particles.iter().map(|particle| particle.position).collect();
        for i in 0..positions.len() {
            let later = self.visited(i, &positions).into_iter().filter(|pair| pair.index > i);
            for Neighbour { index: j, direction, q, q_error, direction_error, .. } in later {
                let (here, other) = (self.particles[i], self.particles[j]);
                let difference = here.velocity - other.velocity;
                let approach = difference.dot(direction);
                let gated = if approach > 0.0 { (sigma + beta * approach).min(limit) } else { 0.0 };
                let across =
                    if here.class == other.class { 1.0 } else { f64::from(viscosity.cross_class) };
                let impulse = q * approach * (gated + linear) * across;
                let turned = difference.length() * (direction_error + 4.0 * EPSILON);
                let unsure = here.errors.velocity + other.errors.velocity + turned;
                // Largest derivative of the impulse by the approach speed. The quadratic part grows
                // up to the limit.
                let largest = approach + unsure;
                let steepest = if largest > 0.0 {
                    (sigma + 2.0 * beta * largest).min(2.0 * limit)
                } else {
                    0.0
                };
                let steepest = q.max(q_error) * across * (steepest + linear);
                assert!(steepest <= 1.0, "pairs draw together");
                let rounded = steepest * turned
                    + q_error * across * (limit + linear) * approach.abs()
                    + impulse.abs() * (direction_error + 8.0 * EPSILON);
                for (index, share, other_error) in [
                    (i, -self.share(here.class, other.class), other.errors.velocity),
                    (j, self.share(other.class, here.class), here.errors.velocity),
                ] {
                    // A particle gives away a part of its own error, and receives the same part of
                    // the other's.
                    let off = steepest * other_error + rounded;
                    let narrow = self.narrow;
                    let particle = &mut self.particles[index];
                    particle.velocity += direction * (impulse * share);
                    if narrow {
                        particle.velocity = particle.velocity.as_vec2().as_dvec2();
                    }
                    particle.errors.velocity +=
                        off * share.abs() + EPSILON * particle.velocity.length();
                }
            }
        }
    }
}

// The solvers with forces between pairs, in world units, as the literature writes them.

/// Largest errors of the tables of integrals beyond walls, relative to liquid at rest: of densities
/// and of pushes.
const TABLE_ERROR: (f64, f64) = (2e-4, 6e-4);

/// `(c dt/h)^2` of the stiffest liquid.
const STIFFEST: f64 = 0.2;

/// What liquid beyond a wall near a particle adds.
struct Beyond {
    normal: DVec2,
    /// To the densities, and to the sums of slopes along the normal.
    sums: [f64; 4],
    /// The part of the wall that presses, and the slope of that part with its error bound.
    fade_in: f64,
    slope: (DVec2, f64),
    /// What the whole wall adds to the sums of the kernels of both pressures.
    weights: [f64; 2],
}

/// What one particle's forces follow from, each with its error bound.
#[derive(Clone, Copy)]
struct State {
    density: f64,
    density_error: f64,
    /// The density for the exchange of velocity: at least half of that at rest.
    viscous_density: f64,
    pressure: f64,
    pressure_error: f64,
    near_pressure: f64,
    near_error: f64,
}

impl Oracle {
    fn is_sph(&self) -> bool {
        self.settings.solver == FluidSolver::Sph
    }

    /// The kernel of the density: Poly6, or the square of the closeness.
    fn density_kernel(&self, r: f64) -> f64 {
        let h = self.radius();
        if r >= h {
            0.0
        } else if self.is_sph() {
            4.0 / (PI * h.powi(8)) * (h * h - r * r).powi(3)
        } else {
            6.0 / (PI * h.powi(4)) * (h - r).powi(2)
        }
    }

    /// The kernel of the near density.
    fn near_kernel(&self, r: f64) -> f64 {
        let h = self.radius();
        if self.is_sph() || r >= h { 0.0 } else { 10.0 / (PI * h.powi(5)) * (h - r).powi(3) }
    }

    /// The slopes `-dW/dr` by which pressure and near pressure act.
    fn slopes(&self, r: f64) -> (f64, f64) {
        let h = self.radius();
        if r >= h {
            (0.0, 0.0)
        } else if self.is_sph() {
            (30.0 / (PI * h.powi(5)) * (h - r).powi(2), 0.0)
        } else {
            (12.0 / (PI * h.powi(4)) * (h - r), 30.0 / (PI * h.powi(5)) * (h - r).powi(2))
        }
    }

    /// Number density and near density of a triangular lattice with one particle per square of the
    /// spacing, and the sums of `r` times the slopes.
    fn at_rest(&self) -> (f64, f64, f64, f64) {
        let d = f64::from(self.settings.particle_spacing);
        let apart = d * (2.0 / 3.0_f64.sqrt()).sqrt();
        let (one, other) = (DVec2::new(apart, 0.0), DVec2::from_angle(PI / 3.0) * apart);
        let (mut density, mut near, mut virial, mut near_virial) = (0.0, 0.0, 0.0, 0.0);
        for i in -20..=20 {
            for j in -20..=20 {
                let r = (one * f64::from(i) + other * f64::from(j)).length();
                density += self.density_kernel(r);
                near += self.near_kernel(r);
                virial += r * self.slopes(r).0;
                near_virial += r * self.slopes(r).1;
            }
        }
        (density, near, virial, near_virial)
    }

    /// `c^2` of the pressure, `c^2` of the near pressure, and the cohesion.
    fn sound(&self) -> (f64, f64, f64) {
        let most = STIFFEST * (self.radius() / self.dt).powi(2);
        if self.is_sph() {
            return (most * f64::from(self.settings.sph.stiffness), 0.0, 0.0);
        }
        let settings = self.settings.shared_pressure;
        let far = most * f64::from(settings.stiffness);
        (far, far * f64::from(settings.near_stiffness_ratio), f64::from(settings.cohesion))
    }

    /// What liquid beyond the walls near a particle adds.
    fn beyond_walls(&self, i: usize) -> Vec<Beyond> {
        let here = &self.particles[i];
        let h = self.radius();
        let behind = f64::from(self.settings.ghost_walls.density);
        let walls = self.pressing(here.previous_position, here.position, h);
        let beyond = walls.into_iter().map(|near| {
            let u = (near.distance / h).clamp(0.0, 1.0);
            let closed = ghost(u);
            let near_weight = 10.0 / PI * closed.near_density;
            let (sums, weights) = if self.is_sph() {
                // The integral of (1 - x^2 - y^2)^3 over y is 32/35 (1 - x^2)^(7/2).
                let parts = 4000;
                let step = (1.0 - u) / f64::from(parts);
                let row = |index: i32| {
                    let x = u + (f64::from(index) + 0.5) * step;
                    let square = (1.0 - x * x).max(0.0);
                    square.powi(3) * square.sqrt() * step
                };
                let density = 4.0 / PI * 32.0 / 35.0 * (0..parts).map(row).sum::<f64>();
                let sums = [density, 0.0, 30.0 / PI * closed.near_push / h, 0.0];
                // Spiky is the other solver's near kernel.
                (sums, [near_weight, 0.0])
            } else {
                let weight = 6.0 / PI * closed.density;
                let slopes = [12.0 / PI * closed.push / h, 30.0 / PI * closed.near_push / h];
                ([weight, near_weight, slopes[0], slopes[1]], [weight, near_weight])
            };
            Beyond {
                normal: near.normal,
                sums: sums.map(|sum| sum * behind * near.fade_in),
                fade_in: near.fade_in,
                slope: near.slope,
                weights: weights.map(|weight| weight * behind),
            }
        });
        beyond.collect()
    }

    fn state(&self, i: usize) -> State {
        let here = &self.particles[i];
        let h = self.radius();
        let (c2, near_c2, cohesion) = self.sound();
        let (rest, near_rest, virial, near_virial) = self.at_rest();
        let class = &self.classes[here.class];
        let (mass, relative) = (f64::from(class.mass), f64::from(class.relative_rest_density));
        let (mut density, mut near, mut terms) = (0.0, 0.0, 2.0);
        for other in &self.particles {
            let r = other.position.distance(here.position);
            density += self.density_kernel(r);
            near += self.near_kernel(r);
            terms += f64::from(u8::from(r < h));
        }
        // `1 - r/h` is off by a few roundings of 1, and the kernels have slopes of up to 6/h^2.
        let mut density_error = EPSILON * (terms * density + 24.0 * terms / (h * h));
        let mut near_error = EPSILON * (terms * near + 24.0 * terms / (h * h));
        for Beyond { sums: [more, near_more, ..], fade_in, .. } in self.beyond_walls(i) {
            density += rest * relative * more;
            near += rest * relative * near_more;
            let wrong = rest * relative * fade_in * (TABLE_ERROR.0 + 16.0 * EPSILON);
            density_error += wrong;
            near_error += wrong;
        }
        let less = near_c2 / c2 * near_rest * near_virial / virial * relative;
        let zero = rest * relative + less;
        let tension = less + cohesion * rest * relative;
        let excess = (density - zero).max(-tension);
        State {
            density,
            density_error,
            viscous_density: density.max(0.5 * rest * relative),
            pressure: mass * c2 * excess,
            pressure_error: mass * c2 * (density_error + 32.0 * EPSILON * (density + zero)),
            near_pressure: mass * near_c2 * near,
            near_error: mass * near_c2 * (near_error + 16.0 * EPSILON * near),
        }
    }

    /// `mu` between two classes, without the masses, times the rest density: the part of it that acts
    /// along the line between two particles, and the part that acts on their whole relative velocity.
    ///
    /// Together they are the kinematic viscosity that the linear impulses of double density relaxation
    /// have, and the damping of sound within a class. At most half of a particle's velocity relative to
    /// its neighbours is taken in a substep. The first part takes twice as much as the second does
    /// for the same viscosity, and damping has no more than the first part can give.
    fn kinematic_viscosities(&self, a: usize, b: usize) -> (f64, f64) {
        let (h, viscosity) = (self.radius(), self.settings.viscosity);
        let d = f64::from(self.settings.particle_spacing);
        let factor = if a == b { 1.0 } else { f64::from(viscosity.cross_class) };
        let linear = factor * f64::from(viscosity.linear) / self.time_unit() * PI * h.powi(4)
            / (320.0 * d * d);
        let damping = factor * if self.is_sph() { 0.02 } else { 0.004 } * self.sound().0.sqrt() * h;
        let lighter = self.mass(a).min(self.mass(b)) / (self.mass(a) + self.mass(b));
        let half = if self.is_sph() { 0.5 * 3.0 / 40.0 } else { 0.5 / 20.0 };
        let most = half * h * h / self.dt / (2.0 * (1.0 - lighter));
        let all = (linear + damping.min((0.5 * most - linear).max(0.0))).min(most);
        let whole = (2.0 * all - most).max(0.0);
        (all - whole, whole)
    }

    /// The weight of the viscosity: a kernel's Laplacian, or what has the same second moment.
    fn viscosity_kernel(&self, r: f64) -> f64 {
        let h = self.radius();
        if r >= h {
            0.0
        } else if self.is_sph() {
            40.0 / (PI * h.powi(5)) * (h - r)
        } else {
            20.0 / (h * h) * 4.0 / (PI * h.powi(8)) * (h * h - r * r).powi(3)
        }
    }

    pub(super) fn apply_forces_of_pairs(&mut self) {
        let h = self.radius();
        let rest = self.at_rest().0;
        let states: Vec<State> = (0..self.particles.len()).map(|i| self.state(i)).collect();
        let forced = |i: usize| {
            let (here, state) = (&self.particles[i], &states[i]);
            let mass = self.mass(here.class);
            let (mut force, mut error) = (DVec2::ZERO, 0.0);
            let mut terms = 16.0;
            for (j, direction, _) in self.neighbours(i) {
                let (other, its) = (&self.particles[j], &states[j]);
                let r = other.position.distance(here.position);
                let (slope, near_slope) = self.slopes(r);
                let per_pair = 1.0 / (state.density * its.density);
                let half = 0.5 * per_pair;
                let push = (state.pressure + its.pressure) * slope
                    + (state.near_pressure + its.near_pressure) * near_slope;
                force -= direction * (half * push);
                let magnitude = (state.pressure.abs() + its.pressure.abs())
                    * (slope + 40.0 / h.powi(3))
                    + (state.near_pressure + its.near_pressure) * (near_slope + 60.0 / h.powi(3));
                let relative =
                    state.density_error / state.density + its.density_error / its.density;
                error += half
                    * ((state.pressure_error + its.pressure_error) * slope
                        + (state.near_error + its.near_error) * near_slope
                        + push.abs() * relative
                        + 24.0 * EPSILON * magnitude);
                let (central, whole) = self.kinematic_viscosities(here.class, other.class);
                let reduced = 2.0 * mass * self.mass(other.class) / (mass + self.mass(other.class));
                let weight = rest * reduced / (state.viscous_density * its.viscous_density);
                // Along the line between them, over all directions a quarter is left of a shear.
                let passing = other.velocity - here.velocity;
                let drag = direction * (4.0 * central * passing.dot(direction)) + passing * whole;
                let drag = drag * self.viscosity_kernel(r);
                force += drag * weight;
                let speeds =
                    (4.0 * central + whole) * (here.velocity.length() + other.velocity.length());
                let kernel = self.viscosity_kernel(r) + 100.0 / h.powi(4);
                error += weight * (relative * drag.length() + 24.0 * EPSILON * speeds * kernel);
                terms += 1.0;
            }
            for wall in self.beyond_walls(i) {
                let Beyond { normal, sums: [_, _, slopes, near_slopes], fade_in, .. } = wall;
                let (slope, slope_error) = wall.slope;
                let swell =
                    state.pressure * wall.weights[0] + state.near_pressure * wall.weights[1];
                force -= slope * (swell.max(0.0) / state.density);
                let swell_error = state.pressure_error * wall.weights[0]
                    + state.near_error * wall.weights[1]
                    + (state.pressure.abs() + state.near_pressure)
                        * (TABLE_ERROR.0 + 32.0 * EPSILON)
                    + swell.abs() * state.density_error / state.density;
                error += (slope.length() * swell_error + slope_error * swell.abs()) / state.density;
                let push = state.pressure * slopes + state.near_pressure * near_slopes;
                force += normal * (push.max(0.0) / state.density);
                let wrong = fade_in * TABLE_ERROR.1 / h;
                error += ((state.pressure.abs() + state.near_pressure)
                    * (wrong + 32.0 * EPSILON / h)
                    + state.pressure_error * slopes
                    + state.near_error * near_slopes
                    + push.abs() * state.density_error / state.density)
                    / state.density;
            }
            let scale = self.dt * self.dt / mass;
            (force * scale, scale * error, terms)
        };
        let forces: Vec<_> = (0..self.particles.len()).map(forced).collect();
        let (dt, moves) = (self.dt, self.is_sph());
        for (particle, (displacement, error, terms)) in self.particles.iter_mut().zip(forces) {
            let displacement = limited(particle, displacement, dt, h);
            let error = error + EPSILON * terms * displacement.length();
            particle.displacement += displacement;
            particle.position += displacement;
            if moves {
                particle.position += particle.velocity * dt;
            }
            particle.errors.displacement = error + EPSILON * particle.displacement.length();
            particle.errors.position = error
                + EPSILON * (2.0 * particle.position.length() + particle.velocity.length() * dt);
        }
        if moves {
            self.advance_solids();
        }
    }
}
