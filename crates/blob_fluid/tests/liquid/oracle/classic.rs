//! The solver `classic`: pairs one after the other, in place, in the order of the arrays.
//!
//! The result of a pair depends on all earlier pairs, so errors are propagated. Every particle has
//! a bound for the present error of its position (or velocity), and this bound is passed on, to
//! first order, to all values that are computed from it.

use glam::DVec2;

use super::{EPSILON, Oracle, Particle, limited};

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
