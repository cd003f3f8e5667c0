//! Segregation: the force that sorts neighbours of different weight.

use blob_fluid::ClassPair;
use glam::DVec2;

use super::{EPSILON, Oracle};

impl Oracle {
    /// What gravity weighs of a particle, and its error bound.
    fn weight(&self, i: usize) -> (f64, f64) {
        let here = &self.particles[i];
        let class = &self.classes[here.class];
        let ambient = f64::from(self.settings.ambient_temperature);
        let expansion = f64::from(class.thermal.expansion);
        let lost = (expansion * (here.temperature - ambient)).clamp(-2.0, 2.0);
        let whole = self.mass(here.class) * f64::from(class.gravity_scale);
        let degrees = expansion.abs() * (here.temperature.abs() + ambient.abs());
        (whole * (1.0 - lost), EPSILON * whole.abs() * (5.0 + 2.0 * degrees))
    }

    /// `kappa` between two classes.
    fn segregation(&self, a: usize, b: usize) -> f64 {
        let names = [&self.classes[a].name, &self.classes[b].name];
        let paired = |pair: &&ClassPair| pair.classes.iter().all(|name| names.contains(&name));
        let elastic = |class: usize| self.classes[class].elasticity.is_some();
        let common = if elastic(a) || elastic(b) { 0.0 } else { self.settings.segregation };
        let pair_factor = self
            .pairs
            .iter()
            .find(paired)
            .and_then(|pair| pair.segregation.or((pair.cohesion > 0.0).then_some(0.0)));
        f64::from(if a == b { 0.0 } else { pair_factor.unwrap_or(common) })
    }

    /// Displacement of `i` by its segregation from `j`, which lies in the given direction with the
    /// weight `q`, and its error bound.
    pub(super) fn sorted(&self, i: usize, j: usize, direction: DVec2, q: f64) -> (DVec2, f64) {
        let (a, b) = (self.particles[i].class, self.particles[j].class);
        let kappa = self.segregation(a, b);
        let gravity = self.settings.gravity.as_dvec2();
        if kappa == 0.0 || gravity == DVec2::ZERO {
            return (DVec2::ZERO, 0.0);
        }
        let ((mine, my_error), (other, other_error)) = (self.weight(i), self.weight(j));
        let weights_error = my_error + other_error;
        let limit = 2.0 * self.mass(a).min(self.mass(b));
        let contrast = (mine - other).clamp(-limit, limit);
        // The direction from the heavier to the lighter particle.
        let down = contrast.signum() * direction.dot(gravity.normalize());
        let scale = kappa / 15.0 * self.dt * self.dt / self.mass(a);
        let order = contrast * (1.0 + 0.5 * down);
        let wrong = 1.5 * (weights_error * q + contrast.abs() * EPSILON * (6.0 + 12.0 * q));
        let (unlocked, unlocked_wrongly) = self.unlocked(i, j, contrast, weights_error, down);
        // As above, the errors of the direction and of q.
        let wrong = wrong + unlocked_wrongly * q + unlocked.abs() * EPSILON * (6.0 + 12.0 * q);
        (gravity * (scale * (order + unlocked) * q), gravity.length() * scale * wrong)
    }

    /// What a pair of a weak contrast that stands still gets in addition to its contrast, and its
    /// error bound.
    fn unlocked(
        &self,
        i: usize,
        j: usize,
        contrast: f64,
        contrast_error: f64,
        down: f64,
    ) -> (f64, f64) {
        let (here, there) = (&self.particles[i], &self.particles[j]);
        let limit = 2.0 * self.mass(here.class).min(self.mass(there.class));
        let passing = (here.velocity - there.velocity).length() / (0.5 * self.speed_unit());
        let calm = (1.0 - passing * passing).max(0.0);
        // Beyond the speed at which it ends, both are exactly 0.
        let calm_error = if passing < 1.001 { 16.0 * EPSILON } else { 0.0 };
        let missing = (limit - 4.0 * contrast.abs()).max(0.0);
        let missing_error = if 4.0 * (contrast.abs() - contrast_error) < 1.001 * limit {
            4.0 * contrast_error + 8.0 * EPSILON * limit
        } else {
            0.0
        };
        // Below a fiftieth of the limit, the order of the two matters less and less.
        let ramp = 0.02 * limit;
        let sign = (contrast / ramp).clamp(-1.0, 1.0);
        let sign_error = contrast_error / ramp + 4.0 * EPSILON;
        let side = 1.0 + sign.abs() * down;
        let side_error = sign_error * down.abs() + 16.0 * EPSILON;
        let product = sign * missing * calm * side;
        let error = sign_error * missing * calm * side
            + sign.abs() * missing_error * calm * side
            + sign.abs() * missing * calm_error * side
            + sign.abs() * missing * calm * side_error;
        (product, error)
    }
}
