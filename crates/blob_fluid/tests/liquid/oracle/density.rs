//! Densities, pressures, and the displacements of the relaxation.

use blob_fluid::{ClassPair, FluidSolver};
use glam::DVec2;

use crate::oracle::wall::{FIT_ERROR, Ghost, Near};
use crate::oracle::{EPSILON, Oracle, Particle, limited, wall};

/// Pressure and near pressure of a particle, and the bounds of their errors in 32 bits.
#[derive(Clone, Copy, Debug)]
pub struct Pressures {
    pub far: f64,
    pub near: f64,
    pub far_error: f64,
    pub near_error: f64,
    /// What resists compression, and its error bound.
    pub resisting: (f64, f64),
    pub relative_density: f64,
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
    /// Contribution of the walls to a particle, times the number of particles per `h^2` behind
    /// them.
    pub(super) fn ghosts(&self, particle: &Particle) -> Vec<(Ghost, Near)> {
        let behind = self.behind(particle.class);
        let (density_error, push_error) =
            (self.fit_errors * FIT_ERROR.0, self.fit_errors * FIT_ERROR.1);
        self.pressing(particle.previous_position, particle.position, self.radius())
            .into_iter()
            .filter(|_| behind > 0.0)
            .map(|near| {
                let exact = wall::ghost(near.distance / self.radius());
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
    pub(super) fn behind(&self, class: usize) -> f64 {
        f64::from(self.settings.ghost_walls.density) * 1.5 * 6.0 * self.equilibrium_density(class)
            / std::f64::consts::PI
    }

    /// The stiffness `k`, as an acceleration.
    pub(super) fn stiffness(&self) -> f64 {
        f64::from(self.settings.stiffness) * f64::from(self.settings.reference_acceleration)
    }

    /// `P = k (rho - rho0) + (1 - s) C` and `P_near = k_near rho_near + 3/2 s C`, each at most
    /// `(h/dt^2)/rho`, and the tension at most a quarter of that, with
    /// `C = max(0, kept + (1 - 0.43 s) (h/dt^2) (c - c_eq)/c^2)` and `c = (1 - s) rho + s rho_near`.
    pub(super) fn pressures(&self, i: usize) -> Pressures {
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
        let kept = self.kept(here, (density, density_error));
        self.pressures_at(here.class, kept, (density, density_error), (near_density, near_error))
    }

    /// What a particle keeps of what resisted compression in the last substep, and its error bound:
    /// `w C max(0, 1 - |change of rho/rho_eq|/0.3)`.
    fn kept(&self, particle: &Particle, (density, error): (f64, f64)) -> (f64, f64) {
        let share = self.kept_share();
        let equilibrium = self.equilibrium_density(particle.class);
        let before = particle.pressure / self.mass(particle.class);
        let change = density / equilibrium - particle.relative_density;
        let change_error = error / equilibrium + 4.0 * EPSILON * density / equilibrium;
        // The share has a rounding error of a few in the last place of what it is a difference of.
        let rounding = (8.0 * share + 32.0) * EPSILON;
        let kept = share * (1.0 - change.abs() / 0.3).max(0.0) * before;
        (kept, before * (share * change_error / 0.3 + rounding))
    }

    /// The part of it that is kept: `w`, or as much as is stable.
    fn kept_share(&self) -> f64 {
        if self.settings.solver != FluidSolver::DoubleDensity {
            return 0.0;
        }
        let stiffest =
            self.classes.iter().map(|class| f64::from(class.stiffness)).fold(0.0, f64::max);
        f64::from(self.settings.pressure_memory)
            .min(1.25 * (f64::from(self.settings.radius_ratio) - 2.4))
            .min(0.55 - 0.05 * stiffest * f64::from(self.settings.stiffness))
            .max(0.0)
    }

    /// Pressures of a class at two densities, each with its error bound.
    pub(super) fn pressures_at(
        &self,
        class: usize,
        (kept, kept_error): (f64, f64),
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
            FluidSolver::Classic => (0.0, 0.0, 0.0),
            FluidSolver::DoubleDensity => {
                let share = f64::from(self.settings.near_share);
                let blend = |density: f64, near: f64| (1.0 - share) * density + share * near;
                let packing = blend(density, near_density);
                let error = blend(density_error, near_error) + 4.0 * EPSILON * packing;
                let at_rest = blend(equilibrium, (0.6 * equilibrium - 0.3).max(0.0));
                let floor = packing.max(1e-3);
                let stiff = (1.0 - 0.43 * share) * scale / (floor * floor);
                // The derivative of (c - c_eq)/c^2 is (2 c_eq/c - 1)/c^2.
                let steepness = 3.0_f64.max(1.0 + 2.0 * at_rest / floor);
                let wrong =
                    kept_error + stiff * (steepness * error + 8.0 * EPSILON * (packing + at_rest));
                let resisting = kept + stiff * (packing - at_rest);
                let wrong = if resisting + wrong > 0.0 { wrong } else { 0.0 };
                (share, resisting.max(0.0), wrong)
            }
            _ => unreachable!("they have their own pressures"),
        };
        // Below its onset there is no attraction, and all of it from three times that on.
        let onset = f64::from(self.settings.cohesion_onset);
        let (attracting, attracting_error) = if onset > 0.0 && density < rest {
            let grown = (density / equilibrium - onset) / (2.0 * onset);
            let wrong = (density_error + 4.0 * EPSILON * density) / equilibrium + EPSILON * onset;
            (grown.clamp(0.0, 1.0), wrong / (2.0 * onset) + 4.0 * EPSILON)
        } else {
            (1.0, 0.0)
        };
        let far = k * (density - rest) * attracting + (1.0 - share) * resisting;
        let far_error = k * density_error
            + k * (density - rest).abs() * attracting_error
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
        let resisting = (resisting, wrong);
        Pressures {
            far: -far,
            far_error,
            near: near.0,
            near_error: near.1,
            resisting,
            relative_density: density / equilibrium,
        }
    }

    /// Strength of a pair's repulsion on `i`, as a displacement away from `j`, and its error bound.
    pub(super) fn repulsion(
        &self,
        i: usize,
        j: usize,
        q: f64,
        pressures: &[Pressures],
    ) -> (f64, f64) {
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
    pub(super) fn attraction(&self, i: usize, j: usize, q: f64) -> f64 {
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
            FluidSolver::DoubleDensity => {}
            FluidSolver::Classic => return self.relax_in_place(),
            FluidSolver::Sph | FluidSolver::SharedPressure => return self.apply_forces_of_pairs(),
            FluidSolver::Incompressible => unreachable!("it has a test of its own"),
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
                let pressure = &pressures[i];
                let push = pressure.far * ghost.push + pressure.near * ghost.near_push;
                // The attraction of a wall is proportional to its wetting.
                let wetting = f64::from(near.properties.wetting);
                let (into, wetting) =
                    if push < 0.0 { (&mut attraction, wetting) } else { (&mut sum, 1.0) };
                *into += near.normal * (0.5 * squared_step * push * wetting);
                let whole = wall::ghost(near.distance / self.radius());
                let swell =
                    pressure.far * whole.density / 2.0 + pressure.near * whole.near_density / 3.0;
                sum -= near.slope.0 * (0.5 * squared_step * swell.max(0.0));
                let swell_error = pressure.far_error
                    + pressure.near_error
                    + (pressure.far.abs() + pressure.near) * (FIT_ERROR.0 + 32.0 * EPSILON);
                error += 0.5
                    * squared_step
                    * (near.slope.1 * swell.abs() + near.slope.0.length() * swell_error);
                let behind = self.behind(here.class);
                error += 0.5
                    * squared_step
                    * ((pressure.far.abs() + pressure.near)
                        * (behind * FIT_ERROR.1 + 32.0 * EPSILON * (ghost.push + ghost.near_push))
                        + pressure.far_error * ghost.push
                        + pressure.near_error * ghost.near_push);
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
        let both = both.map(|(pressed, viscous)| (pressed.0 + viscous.0, pressed.1 + viscous.1));
        let (dt, radius) = (self.dt, self.radius());
        let masses: Vec<f64> = (0..self.classes.len()).map(|class| self.mass(class)).collect();
        let keeps = self.settings.solver == FluidSolver::DoubleDensity;
        let moved = self.particles.iter_mut().zip(both).zip(pressures);
        for ((particle, (displacement, error)), pressures) in moved {
            let (mass, (resisting, wrong)) = (masses[particle.class], pressures.resisting);
            particle.relative_density = pressures.relative_density;
            if keeps {
                particle.pressure = mass * resisting;
                particle.errors.pressure = mass * (wrong + 2.0 * EPSILON * resisting);
            }
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
}

// Segregation: the force that sorts neighbours of different weight.

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
