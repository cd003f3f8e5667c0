//! Coefficients of double density relaxation, derived from the settings: in world units and seconds, for one substep.

use glam::Vec2;

use crate::boundary::solids::Solids;
use crate::parallel::instructions::positive;
use crate::particles::arrays::ParticleView;
use crate::solver::coefficients::{ClassSet, Coefficients, GrainCoefficients};
use crate::solver::double_density::seepage::Seepage;
use crate::solver::double_density::segregation::Segregation;
use crate::solver::equation_of_state::{EquationOfState, Resistance};
use crate::solver::kernel::GHOST_DENSITY_PER_EQUILIBRIUM;
use crate::solver::neighbours::blocks::ClassPresence;
use crate::{
    ClassFilter, ClassId, ClassPair, ClassTable, ClassViscosity, DensityClass, FluidParameters,
    Particles, Viscosity,
};

/// Coefficients of one class in a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClassPressure {
    pub state: EquationOfState,
    /// Number density of the ghost liquid behind a wall, in particles per `h^2`.
    pub ghost_density: f32,
    pub elastic: Option<ElasticCoefficients>,
    pub grains: Option<GrainCoefficients>,
    /// Whether the class is a liquid, not a powder or a gas, that fills the pores of a powder because it cannot seep
    /// through.
    pub fills_pores: bool,
}

/// Coefficients of an elastic class in a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ElasticCoefficients {
    /// `dt^2 k_spring`, at most [`STABLE_SPRING`].
    pub stiffness: f32,
    pub yield_ratio: f32,
    /// `dt alpha`, at most 1, so that a rest length does not overshoot.
    pub plasticity: f32,
    /// Smallest rest length, in world units.
    pub min_rest_length: f32,
}

impl ElasticCoefficients {
    /// Whether springs yield, and particles that meet get new springs.
    pub(super) fn is_plastic(&self) -> bool {
        self.plasticity > 0.0
    }
}

/// Largest `dt^2 k_spring` in the spring pass, with a safety margin: the measured stability limit is 0.28 with 37
/// springs per particle.
pub(crate) const STABLE_SPRING: f32 = 0.25;

/// Largest attraction of two particles of mass 1, in units of `h/dt^2`. With it, a particle with 45 neighbours, all on
/// one side, moves by at most `h`, because `q (1 - q)` is at most 1/4.
const STABLE_ATTRACTION: f32 = 0.2;

/// Coefficients of one substep.
#[derive(Clone, Debug, Default)]
pub(crate) struct PressureCoefficients {
    pub resistance: Resistance,
    pub classes: Vec<ClassPressure>,
    /// `[i * classes + j]`: attraction between two classes, in world units/s², within the stability limit; empty if
    /// there is none.
    pub attractions: Vec<f32>,
    pub segregation: Segregation,
    pub seepage: Seepage,
}

impl PressureCoefficients {
    /// The coefficients of the classes in a set.
    fn members(&self, set: ClassFilter) -> impl Iterator<Item = &ClassPressure> {
        ClassId::all()
            .zip(&self.classes)
            .filter(move |(id, _)| set.contains(*id))
            .map(|(_, class)| class)
    }

    /// Whether any class in a set is a powder.
    pub(super) fn any_grains(&self, set: ClassFilter) -> bool {
        self.members(set).any(|class| class.grains.is_some())
    }

    /// The elastic coefficients of the elastic classes in a set.
    pub(super) fn elastic(&self, set: ClassFilter) -> impl Iterator<Item = &ElasticCoefficients> {
        self.members(set).filter_map(|class| class.elastic.as_ref())
    }

    /// Whether any class in a set fills the pores of powder.
    pub(super) fn any_fills_pores(&self, set: ClassFilter) -> bool {
        self.members(set).any(|class| class.fills_pores)
    }

    /// Derives all coefficients from valid settings, for a liquid with particles of the `present` classes. Reuses its
    /// allocations.
    pub(super) fn derive(
        &mut self,
        parameters: &FluidParameters,
        classes: &ClassTable,
        present: ClassFilter,
        resistance: Resistance,
        shared: &Coefficients,
    ) {
        let per_time_unit = shared.per_time_unit;
        let radius = shared.interaction_radius;
        self.resistance = resistance;
        self.seepage.derive(parameters, classes, shared);
        let seepage = &self.seepage;
        let fills_pores = |index: usize, class: &DensityClass| {
            let mut powders =
                classes.iter().enumerate().filter(|(_, class)| class.powder.is_some());
            class.is_liquid() && powders.any(|(powder, _)| !seepage.share_space(index, powder))
        };
        let per_class = |(index, class): (usize, &DensityClass)| ClassPressure {
            state: EquationOfState::of(parameters, class),
            ghost_density: parameters.ghost_walls.density
                * GHOST_DENSITY_PER_EQUILIBRIUM
                * parameters.equilibrium_density()
                * class.relative_rest_density,
            elastic: class.elasticity.map(|elasticity| ElasticCoefficients {
                stiffness: (elasticity.stiffness * per_time_unit * per_time_unit)
                    .min(STABLE_SPRING),
                yield_ratio: elasticity.yield_ratio,
                plasticity: (elasticity.plasticity * per_time_unit).min(1.0),
                min_rest_length: elasticity.min_rest_length * radius,
            }),
            fills_pores: fills_pores(index, class),
            grains: class.powder.map(|powder| {
                let acceleration = parameters.reference_acceleration;
                let inverse_radius = shared.inverse_radius;
                GrainCoefficients::of(&powder, class.mass, resistance, acceleration, inverse_radius)
            }),
        };
        self.classes.clear();
        self.classes.extend(classes.iter().enumerate().map(per_class));
        self.derive_attractions(parameters, classes, present, shared);
        self.segregation.derive(parameters, classes, shared, &self.seepage);
    }

    fn derive_attractions(
        &mut self,
        parameters: &FluidParameters,
        classes: &ClassTable,
        present: ClassFilter,
        shared: &Coefficients,
    ) {
        self.attractions.clear();
        let both_present = |pair: &ClassPair| {
            let ids = pair.classes.each_ref().map(|name| classes.find(name));
            ids.iter().all(|id| id.is_some_and(|id| present.contains(id)))
        };
        let any = classes.members(present).any(|class| class.surface_tension != 0.0)
            || classes.pairs().iter().any(|pair| pair.cohesion != 0.0 && both_present(pair));
        if !any {
            return;
        }
        let count = classes.len();
        let unit = parameters.reference_acceleration;
        let stable = STABLE_ATTRACTION * self.resistance.limit;
        let between = |i: usize, j: usize, attraction: f32| {
            let limit = stable * shared.classes[i].mass.min(shared.classes[j].mass);
            (attraction * unit).clamp(-limit, limit)
        };
        self.attractions.resize(count * count, 0.0);
        for (i, class) in classes.iter().enumerate() {
            self.attractions[i * count + i] = between(i, i, class.surface_tension);
        }
        for pair in classes.pairs() {
            if let Some((i, j)) = classes.indices_of(&pair.classes) {
                self.attractions[i * count + j] = between(i, j, pair.cohesion);
                self.attractions[j * count + i] = between(j, i, pair.cohesion);
            }
        }
    }
}

// Viscosity coefficients of the sweeps over the pairs: in world units and seconds, for one substep.

/// Largest sum of the fractions of its velocity that a particle may exchange with its neighbours in one sweep, in any
/// direction. A larger sum would reverse velocity differences and amplify them.
pub(super) const STABLE_EXCHANGE: f32 = 2.0;

/// Largest number of viscosity sweeps in a substep.
const MAX_SWEEPS: f32 = 32.0;

/// The viscosity between two classes in one sweep: `dt sigma`, `dt beta` and `dt` times the linear part, where `dt` is
/// the sweep's fraction of the substep.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PairViscosity {
    /// Number of sweeps of the pair, counted from the first sweep.
    pub sweeps: u32,
    /// Number of additional sweeps that the pair needs but the [effort](crate::Effort) does not allow.
    pub given_up: u32,
    pub approach: f32,
    pub quadratic: f32,
    pub linear: f32,
}

/// The viscosity of all pairs of classes during a substep.
#[derive(Clone, Debug, Default)]
pub(crate) struct ViscosityCoefficients {
    /// Viscosity of all pairs, if it is the same except for the factors in `shares`.
    pub uniform: Option<PairViscosity>,
    /// `[i * classes + j]`: viscosity between two classes, if it is not uniform.
    pub pairs: Vec<PairViscosity>,
    /// Largest `dt (sigma + beta u)`.
    pub limit: f32,
    /// `[i * classes + j]`: the share of a particle of class `i` in the exchange with a particle of class `j`,
    /// `m_j / (m_i + m_j)`. With a uniform viscosity, this share is multiplied by the factor of the two classes,
    /// which is then at most 1.
    pub shares: Vec<f32>,
    /// For each class, the relative density from which a sweep may be unstable.
    pub crowding_density: Vec<f32>,
    /// The largest number of sweeps among pairs of classes with particles.
    sweeps: u32,
    /// The largest number of additional sweeps that such a pair needs but the effort does not allow.
    given_up: u32,
    /// Whether any such pair exchanges velocity.
    is_viscous: bool,
    /// `[i * sweeps + s]`: the classes with which class `i` exchanges velocity in sweep `s`.
    partners: Vec<ClassSet>,
}

impl PairViscosity {
    /// Whether the pair exchanges velocity.
    fn is_active(&self) -> bool {
        self.approach + self.quadratic + self.linear > 0.0
    }

    /// Largest fraction of its velocity that a particle of the pair can exchange in a sweep.
    fn max_exchange(&self, limit: f32) -> f32 {
        self.linear + if self.approach + self.quadratic > 0.0 { limit } else { 0.0 }
    }
}

impl ViscosityCoefficients {
    /// Derives the coefficients from valid settings, for a liquid with particles of the `present` classes. Reuses its
    /// allocations.
    pub(super) fn derive(
        &mut self,
        parameters: &FluidParameters,
        classes: &ClassTable,
        present: ClassFilter,
        shared: &Coefficients,
        seepage: &Seepage,
        max_sweeps: u32,
    ) {
        let viscosity = &parameters.viscosity;
        let &Viscosity { approach, quadratic, linear, .. } = viscosity;
        let liquid_viscosity = ClassViscosity { approach, quadratic, linear };
        // Grains have friction instead. With an additional linear part, a heap is too steep and creeps.
        let grain_viscosity = ClassViscosity { approach: 0.0, linear: 0.0, ..liquid_viscosity };
        let count = classes.len();
        self.limit = viscosity.limit;
        let (per_time_unit, time_step) = (shared.per_time_unit, shared.time_step);
        let per_sweep = |settings: ClassViscosity| {
            let needed_sweeps = settings.linear * per_time_unit / viscosity.limit;
            let needed_sweeps = needed_sweeps.ceil().clamp(1.0, MAX_SWEEPS);
            let sweeps = needed_sweeps.min(max_sweeps.max(1) as f32);
            PairViscosity {
                sweeps: sweeps as u32,
                given_up: (needed_sweeps - sweeps) as u32,
                approach: settings.approach * per_time_unit / sweeps,
                quadratic: settings.quadratic * time_step / parameters.particle_spacing / sweeps,
                linear: (settings.linear * per_time_unit / sweeps).min(viscosity.limit),
            }
        };
        self.pairs.clear();
        self.shares.clear();
        // With a factor above 1, pairs of different classes need more sweeps.
        let is_uniform = viscosity.cross_class <= 1.0
            && classes.iter().all(|class| class.viscosity.is_none() && class.powder.is_none())
            && classes.pairs().iter().all(|pair| pair.viscosity.is_none());
        self.uniform = is_uniform.then(|| per_sweep(liquid_viscosity));
        if is_uniform {
            let shares = shared.mass_shares.iter().enumerate().map(|(index, share)| {
                let same = index / count == index % count;
                share * if same { 1.0 } else { viscosity.cross_class }
            });
            self.shares.extend(shares);
            self.derive_partners(count, present);
            self.derive_crowding(parameters, classes, present);
            return;
        }
        self.shares.extend_from_slice(&shared.mass_shares);
        let of_class = |class: &DensityClass| {
            let default = if class.powder.is_some() { grain_viscosity } else { liquid_viscosity };
            class.viscosity.unwrap_or(default)
        };
        for (i, class_i) in classes.iter().enumerate() {
            for (j, class_j) in classes.iter().enumerate() {
                let (viscosity_i, viscosity_j) = (of_class(class_i), of_class(class_j));
                // A liquid and the powder that it seeps through exchange drag instead.
                let cross_class =
                    if seepage.share_space(i, j) { 0.0 } else { viscosity.cross_class };
                let factor = 0.5 * if i == j { 1.0 } else { cross_class };
                self.pairs.push(per_sweep(ClassViscosity {
                    approach: factor * (viscosity_i.approach + viscosity_j.approach),
                    quadratic: factor * (viscosity_i.quadratic + viscosity_j.quadratic),
                    linear: factor * (viscosity_i.linear + viscosity_j.linear),
                }));
            }
        }
        for pair in classes.pairs() {
            if let (Some((i, j)), Some(settings)) =
                (classes.indices_of(&pair.classes), pair.viscosity)
            {
                self.pairs[i * count + j] = per_sweep(settings);
                self.pairs[j * count + i] = per_sweep(settings);
            }
        }
        self.derive_partners(count, present);
        self.derive_crowding(parameters, classes, present);
    }

    /// The viscosity between two classes of `count`, without the share.
    fn pair(&self, i: usize, j: usize, count: usize) -> PairViscosity {
        self.uniform.unwrap_or_else(|| self.pairs[i * count + j])
    }

    fn derive_partners(&mut self, count: usize, present: ClassFilter) {
        (self.sweeps, self.given_up, self.is_viscous) = (0, 0, false);
        let with_particles = || ClassId::all().take(count).filter(|class| present.contains(*class));
        for class in with_particles() {
            for other in with_particles() {
                let pair = self.pair(class.index(), other.index(), count);
                self.sweeps = self.sweeps.max(pair.sweeps);
                self.given_up = self.given_up.max(pair.given_up);
                self.is_viscous |= pair.is_active();
            }
        }
        let sweeps = self.sweeps as usize;
        self.partners.clear();
        self.partners.resize(count * sweeps, ClassSet::NONE);
        for i in 0..count {
            for other in ClassId::all().take(count) {
                let pair = self.pair(i, other.index(), count);
                let acting =
                    if pair.is_active() { pair.sweeps.min(self.sweeps) as usize } else { 0 };
                for partners in &mut self.partners[i * sweeps..][..acting] {
                    *partners = partners.union(ClassSet::of(other));
                }
            }
        }
    }

    /// The classes with which a class exchanges velocity in a sweep.
    pub(super) fn partners(&self, class: ClassId, sweep: u32) -> ClassSet {
        self.partners[class.index() * self.sweeps as usize + sweep as usize]
    }

    /// Derives the relative densities from which [`Crowding`](super::crowding) must be computed. In liquid of uniform
    /// density, the sum of `q r_hat r_hat^T` is the density; in a line of particles it is 3/2 of the density.
    fn derive_crowding(
        &mut self,
        parameters: &FluidParameters,
        classes: &ClassTable,
        present: ClassFilter,
    ) {
        let count = classes.len();
        self.crowding_density.clear();
        for (i, class) in classes.iter().enumerate() {
            let to = |other: ClassId| {
                let j = other.index();
                let pair = self.pair(i, j, count);
                pair.max_exchange(self.limit) * self.shares[i * count + j]
            };
            let others = ClassId::all().take(count).filter(|other| present.contains(*other));
            let max_exchange = others.map(to).fold(f32::MIN_POSITIVE, f32::max);
            let equilibrium = parameters.equilibrium_density() * class.relative_rest_density;
            self.crowding_density.push(STABLE_EXCHANGE / (1.5 * max_exchange * equilibrium));
        }
    }

    /// Number of viscosity sweeps in a substep.
    pub(crate) fn sweeps(&self) -> u32 {
        self.sweeps
    }

    /// Number of additional sweeps that the most viscous pair needs but the effort does not allow.
    pub(crate) fn sweeps_given_up(&self) -> u32 {
        self.given_up
    }

    /// Whether any viscosity is above 0.
    pub(crate) fn is_viscous(&self) -> bool {
        self.is_viscous
    }
}

// Inputs of the springs.

/// All values that the spring pass reads, frozen before it.
pub(super) struct SpringInputs<'a> {
    pub particles: &'a Particles,
    pub coefficients: &'a Coefficients,
    pub pressure: &'a PressureCoefficients,
}

impl SpringInputs<'_> {
    /// The elastic coefficients of the class of both particles; `None` for different classes.
    pub(super) fn between(&self, a: usize, b: usize) -> Option<&ElasticCoefficients> {
        let (class, other) = (self.particles.class[a], self.particles.class[b]);
        let elastic = self.pressure.classes[class.index()].elastic.as_ref();
        elastic.filter(|_| class == other)
    }
}

// Inputs of the relaxation.

/// All values that the relaxation reads, frozen before it.
#[derive(Clone, Copy)]
pub(super) struct Frozen<'a> {
    pub particles: ParticleView<'a>,
    pub solids: &'a Solids,
    pub coefficients: &'a Coefficients,
    pub pressure: &'a PressureCoefficients,
    /// Whether any particle is a grain of powder.
    pub granular: bool,
    pub presence: &'a ClassPresence,
    /// One item per particle: its gravitational mass; empty if no classes are sorted by weight.
    pub weights: &'a [f32],
}

impl Frozen<'_> {
    /// Whether a particle is a grain of powder.
    pub(super) fn is_grain(&self, particle: usize) -> bool {
        self.pressure.classes[self.particles.class[particle].index()].grains.is_some()
    }
}

/// Sums over the pairs of a grain: the push by their stresses, and their load.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GrainPush {
    /// `sum q { 2 z (r_hat S r_hat) r_hat + (1 - z) S r_hat }`, where `S` is the sum of the stress tensors of the two
    /// grains, and `z` is [`CENTRAL_SHEAR_FRACTION`](super::grains::CENTRAL_SHEAR_FRACTION).
    pub push: Vec2,
    /// The weighted sum of `[P_i + P_j + (Pn_i + Pn_j) q]/2` with the weights `q r`; `load_weight`:
    /// the sum of the weights.
    pub load: f32,
    pub load_weight: f32,
    /// The pressure that pushes the grain away from walls in place of the missing liquid behind
    /// them.
    pub liquid_pressure: f32,
}

/// Pressures of one particle, scaled for the relaxation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Pressures {
    /// Mass times pressure.
    pub pressure: f32,
    /// Mass times near pressure, over the interaction radius. A pass multiplies it by `h - r`, where `r` is the
    /// distance of a pair.
    pub near_pressure: f32,
}

/// Mean weight `q` of a particle's pairs, averaged with their stress. The ratio of the integrals of `q^2 r^2` and
/// `q r^2` over the plane is 0.4.
const MEAN_CLOSENESS: f32 = 0.4;

impl Pressures {
    /// `m (P + 0.4 P_near)`: the pressure that the particle's pairs carry if all neighbours have its pressures.
    pub fn mean_pair_pressure(&self, interaction_radius: f32) -> f32 {
        positive(self.pressure + MEAN_CLOSENESS * interaction_radius * self.near_pressure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUBSTEP: f32 = 1.0 / 60.0;

    fn derived(viscosity: Viscosity, classes: Vec<DensityClass>) -> ViscosityCoefficients {
        let parameters = FluidParameters { viscosity, ..FluidParameters::default() };
        let classes = ClassTable::new(classes).expect("valid");
        let mut shared = Coefficients::default();
        shared.derive(&parameters, &classes, 0.0, SUBSTEP);
        let mut derived = ViscosityCoefficients::default();
        derived.derive(
            &parameters,
            &classes,
            ClassFilter::ALL,
            &shared,
            &Seepage::default(),
            u32::MAX,
        );
        derived
    }

    #[test]
    fn the_partners_of_a_class_are_those_that_it_exchanges_something_with() {
        let thin = ClassViscosity { approach: 0.0, quadratic: 0.0, linear: 0.0 };
        let thick = ClassViscosity { linear: 12.0, ..thin };
        let of = |viscosity| DensityClass { viscosity: Some(viscosity), ..DensityClass::default() };
        let none = Viscosity {
            approach: 0.0,
            quadratic: 0.0,
            linear: 0.0,
            cross_class: 1.0,
            ..Viscosity::default()
        };
        // Thick liquid has several sweeps with itself and fewer with other classes; thin liquid has none with itself.
        let viscosity = derived(none, vec![of(thin), of(thick), of(thin)]);
        let count = 3;
        let of_pair = |i: usize, j: usize| viscosity.pairs[i * count + j];
        assert!(of_pair(1, 1).sweeps > of_pair(0, 1).sweeps && of_pair(0, 1).sweeps > 1);
        for (i, class) in ClassId::all().take(count).enumerate() {
            for sweep in 0..viscosity.sweeps() {
                let partners = viscosity.partners(class, sweep);
                for (j, other) in ClassId::all().take(count).enumerate() {
                    let either_is_thick = i == 1 || j == 1;
                    let exchanges = either_is_thick && sweep < of_pair(i, j).sweeps;
                    assert_eq!(partners.contains(other), exchanges, "{i} with {j} in {sweep}");
                }
            }
        }
    }

    #[test]
    fn where_viscosity_is_uniform_all_are_partners_in_every_sweep() {
        let linear = Viscosity { linear: 40.0, ..Viscosity::default() };
        let viscosity = derived(linear, vec![DensityClass::default(); 3]);
        assert!(viscosity.uniform.is_some() && viscosity.sweeps() > 1);
        let all: ClassSet = ClassId::all().take(3).collect();
        for sweep in 0..viscosity.sweeps() {
            assert_eq!(viscosity.partners(ClassId(2), sweep), all);
        }
    }
}
