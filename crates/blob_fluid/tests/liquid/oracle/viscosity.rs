//! Viscosity in sweeps over all pairs (Algorithm 5).

use blob_fluid::{ClassPair, ClassViscosity, FluidSolver};
use glam::DVec2;

use super::{EPSILON, Oracle};

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
