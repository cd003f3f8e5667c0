//! The equation of state: pressure as a function of density.

use crate::liquid::state::Liquid;
use crate::parallel::instructions::{fast_max, fast_min, positive};
use crate::settings::class::DensityClass;
use crate::settings::parameters::FluidParameters;

/// `(c dt/h)^2`, where `c` is the speed of sound in liquid whose pressures are at their limit.
pub(crate) const STIFFNESS: f32 = 0.25;

/// Largest tension, relative to the largest pressure.
pub(crate) const MAX_TENSION_RATIO: f32 = 0.25;

/// Coefficients of a class that determine its pressure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EquationOfState {
    /// `k`, in world units/s².
    pub stiffness: f32,
    /// `k_near`, in world units/s².
    pub near_stiffness: f32,
    /// `rho0`.
    pub rest_density: f32,
    /// `rho_eq`.
    pub equilibrium_density: f32,
    /// The packing density at the equilibrium density.
    pub equilibrium_packing: f32,
}

impl EquationOfState {
    /// Derives the coefficients of a class.
    pub(crate) fn of(parameters: &FluidParameters, class: &DensityClass) -> Self {
        let stiffness = parameters.stiffness * parameters.reference_acceleration;
        let near_stiffness = stiffness * parameters.near_stiffness_ratio;
        let equilibrium_density = parameters.equilibrium_density() * class.relative_rest_density;
        let share = parameters.near_share;
        Self {
            stiffness: stiffness * class.stiffness,
            near_stiffness: near_stiffness * class.near_stiffness,
            rest_density: parameters.rest_density_of(class),
            equilibrium_density,
            equilibrium_packing: (1.0 - share) * equilibrium_density
                + share * near_density_at_rest(equilibrium_density),
        }
    }
}

impl EquationOfState {
    /// Bulk modulus divided by mass density, of liquid at rest with the pair forces of the paper, in (world
    /// units/s)². It is the derivative of `1/4 sum r (P q + P_near q^2)` with respect to the logarithm of the
    /// density. The sum is an integral over the plane.
    pub(crate) fn squared_sound_speed(&self, radius: f32, spacing: f32) -> f32 {
        let scale = std::f32::consts::PI * radius * (radius / spacing) * (radius / spacing);
        let near_term = near_density_at_rest(self.equilibrium_density);
        let (pressure_term, near_term) =
            (self.stiffness * self.equilibrium_density, self.near_stiffness * near_term);
        scale * (pressure_term / 24.0 + near_term / 60.0)
    }
}

/// The near density of a liquid at rest with this density. The ratio of the integrals of `q^3` and `q^2` over the plane
/// is 0.6. A lattice has 0.3 less, because the sums exclude the particle itself.
pub(crate) fn near_density_at_rest(density: f32) -> f32 {
    positive(0.6 * density - 0.3)
}

/// Change of the relative density within a substep from which on no resistance is kept. Otherwise the resistance to an
/// impact would push the liquid apart afterwards.
pub(crate) const MAX_MEMORY_DENSITY_CHANGE: f32 = 0.3;

/// Limits on the resistance to compression in a substep.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Resistance {
    /// `h/dt^2`: largest product of a pressure and the density.
    pub limit: f32,
    /// Resistance to compression: at most `(1 - 0.43 s) h/dt^2`, where `s` is the share of the near density. The
    /// bound is the stability limit, which is lower for a steeper kernel. The paper's form has a stiffness of 0.
    pub stiffness: f32,
    /// `s`.
    pub near_share: f32,
    /// `w`: the fraction of its resistance that a particle keeps from substep to substep. 0 in the paper's form.
    pub memory_fraction: f32,
    /// `stiffness` of a particle that keeps no resistance ([`with_memory_loss`](Self::with_memory_loss)).
    pub stiffness_without_memory: f32,
    /// `(1 - w) h/dt^2`, where `dt` is the clock's `resisting_substep`; at most `limit`. A grain of powder keeps no
    /// resistance, so each substep provides all of it.
    pub granular_limit: f32,
    pub cohesion: Cohesion,
}

/// Dependence of the attraction in a liquid on its density.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cohesion {
    /// Relative density at which the attraction begins.
    pub onset: f32,
    /// Growth of the attraction above the onset, per unit of relative density.
    pub slope: f32,
    /// Smallest fraction of the attraction, at any density: 1 if the onset is 0.
    pub min_share: f32,
}

impl Cohesion {
    /// The attraction is in full force from three times the onset on.
    fn of(parameters: &FluidParameters) -> Self {
        let onset = parameters.cohesion_onset;
        if onset <= 0.0 {
            return Self { onset, slope: 0.0, min_share: 1.0 };
        }
        Self { onset, slope: (0.5 / onset).min(f32::MAX), min_share: 0.0 }
    }

    /// Fraction of the attraction at a relative density.
    #[inline(always)]
    fn share_at(self, relative_density: f32) -> f32 {
        let grown = positive(relative_density - self.onset) * self.slope;
        fast_max(fast_min(grown, 1.0), self.min_share)
    }
}

impl Resistance {
    /// The resistance of the paper, in substeps of `time_step` seconds.
    pub(crate) fn of_paper(parameters: &FluidParameters, time_step: f32) -> Self {
        let limit = parameters.interaction_radius() / (time_step * time_step);
        let cohesion = Cohesion::of(parameters);
        let near_share = parameters.near_share;
        Self {
            limit,
            stiffness: 0.0,
            near_share,
            memory_fraction: 0.0,
            stiffness_without_memory: 0.0,
            granular_limit: limit,
            cohesion,
        }
    }

    /// The largest resistance at which substeps of `time_step` seconds are stable, or the lower one that is still in
    /// force.
    pub(crate) fn for_substep(liquid: &Liquid, time_step: f32) -> Self {
        let Liquid { parameters, clock, .. } = liquid;
        let of_paper = Self::of_paper(parameters, time_step);
        let memory_fraction = clock.memory_fraction;
        // Under a lasting load, each substep adds the fraction `1 - w` of the resistance; the rest is kept.
        let full_limit = Self::of_paper(parameters, clock.resisting_substep).limit;
        let stiffness = |limit: f32| (1.0 - 0.43 * of_paper.near_share) * limit.min(of_paper.limit);
        let stiffness_without_memory = stiffness(full_limit);
        let stiffness = stiffness((1.0 - memory_fraction) * full_limit);
        // Without memory, a grain does not gain the factor `1/(1 - w)`.
        let granular_limit = ((1.0 - memory_fraction) * full_limit).min(of_paper.limit);
        Self { stiffness, memory_fraction, stiffness_without_memory, granular_limit, ..of_paper }
    }

    /// The resistance of a particle that loses this share of its kept resistance, because it touches a solid that yields
    /// to the liquid. The lag of a kept resistance adds energy to a floating body that heaves, and supports a heavy body
    /// on the particles below it.
    #[inline(always)]
    pub(crate) fn with_memory_loss(self, loss: f32) -> Self {
        let added = self.stiffness_without_memory - self.stiffness;
        Self {
            stiffness: self.stiffness + loss * added,
            memory_fraction: self.memory_fraction * (1.0 - loss),
            ..self
        }
    }

    /// The part of the resistance `previous` that a particle keeps after a `change` of its relative
    /// density.
    #[inline(always)]
    pub(crate) fn decayed_resistance(self, previous: f32, change: f32) -> f32 {
        self.memory_fraction
            * positive(1.0 - change.abs() * (1.0 / MAX_MEMORY_DENSITY_CHANGE))
            * previous
    }
}

/// Resistance of powder to compression, relative to that of liquid. The lower value keeps shear stable.
pub(crate) const GRANULAR_STIFFNESS: f32 = 0.8;

/// The fraction of its resistance that a particle keeps from substep to substep: the value of the settings, or a
/// smaller one that is stable.
///
/// Kept resistance lags behind the compression and amplifies sound waves. Measured in pools of fifty rows: with the
/// default settings, 0.55 is quiet and 0.6 boils. With fewer than about thirty neighbours, which is a radius ratio
/// of 2.8 or less, the limit is lower. It reaches 0 at 2.4. The limit is also lower with a stiffness above 1,
/// because the attraction is then larger than the weight of a particle. Up to a stiffness of 10, 0.45 is quiet; at
/// 30, no value is. Near share, viscosity, drag, ghost walls and gravity do not change the limit.
pub(crate) fn stable_memory_fraction<'a>(
    parameters: &FluidParameters,
    present: impl Iterator<Item = &'a DensityClass>,
) -> f32 {
    let max_stiffness = present.map(|class| class.stiffness).fold(0.0, f32::max);
    let by_neighbours = 1.25 * (parameters.radius_ratio - 2.4);
    let by_stiffness = 0.55 - 0.05 * max_stiffness * parameters.stiffness;
    let stable = parameters.pressure_memory.min(by_neighbours).min(by_stiffness);
    positive(stable)
}

/// Pressures of a particle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StatePressures {
    /// `P`.
    pub pressure: f32,
    /// `P_near`.
    pub near_pressure: f32,
    /// `C`.
    pub resistance: f32,
}

/// Computes pressure and near pressure of a particle: `P = k (rho - rho0) a + (1 - s) C` and
/// `P_near = k_near rho_near + 3/2 s C`.
///
/// `C = max(0, kept + stiff (c - c_eq)/c^2)` resists compression, where `kept` is the kept part of the previous
/// resistance ([`Resistance::decayed_resistance`]). `c = (1 - s) rho + s rho_near` is the packing density. With
/// the factor `3/2`, both forces derive from the same energy.
///
/// `a` is 1. Where the first term attracts, `a` is less than 1 at low densities ([`FluidParameters::cohesion_onset`]).
///
/// Each pressure is at most `limit/rho`. Only particles that are packed dozens of times too densely reach this limit.
/// It bounds the speed at which such a clump expands. The tension, a negative pressure, is at most `limit/4`, and
/// `limit/(4 rho)` above a density of 1.
#[inline(always)]
pub(crate) fn pressures(
    state: &EquationOfState,
    resistance: Resistance,
    kept_resistance: f32,
    density: f32,
    near_density: f32,
) -> StatePressures {
    let EquationOfState { stiffness, near_stiffness, rest_density, .. } = *state;
    let EquationOfState { equilibrium_density, equilibrium_packing, .. } = *state;
    let Resistance { limit, stiffness: compression_stiffness, near_share, cohesion, .. } =
        resistance;
    let clamp_small = |density: f32| if density > 1e-3 { density } else { 1e-3 };
    let bound = limit / clamp_small(density);
    let packing = (1.0 - near_share) * density + near_share * near_density;
    let excess = packing - equilibrium_packing;
    let packing = clamp_small(packing);
    let resistance_to_compression =
        positive(kept_resistance + compression_stiffness * excess / (packing * packing));
    let soft = stiffness * (density - rest_density);
    let soft =
        if soft < 0.0 { soft * cohesion.share_at(density / equilibrium_density) } else { soft };
    let pressure = soft + (1.0 - near_share) * resistance_to_compression;
    let near_pressure =
        near_stiffness * near_density + 1.5 * near_share * resistance_to_compression;
    let tension = -MAX_TENSION_RATIO * if density > 1.0 { bound } else { limit };
    StatePressures {
        pressure: fast_max(fast_min(pressure, bound), tension),
        near_pressure: fast_min(near_pressure, bound),
        resistance: resistance_to_compression,
    }
}

/// Computes the pressures of a grain of powder: as [`pressures`], but without kept resistance and without attraction
/// between pairs: `P >= -0.4 k_near rho_near + (1 - s) C`.
#[inline(always)]
pub(crate) fn granular_pressures(
    state: &EquationOfState,
    resistance: Resistance,
    density: f32,
    near_density: f32,
) -> StatePressures {
    let EquationOfState { stiffness, near_stiffness, rest_density, .. } = *state;
    let equilibrium_packing = state.equilibrium_packing;
    let Resistance { limit, near_share, granular_limit, .. } = resistance;
    let clamp_small = |density: f32| if density > 1e-3 { density } else { 1e-3 };
    let bound = limit / clamp_small(density);
    let packing = (1.0 - near_share) * density + near_share * near_density;
    let excess = packing - equilibrium_packing;
    let packing = clamp_small(packing);
    let compression_stiffness = GRANULAR_STIFFNESS * (1.0 - 0.43 * near_share) * granular_limit;
    let resistance_to_compression = positive(compression_stiffness * excess / (packing * packing));
    let near_soft = near_stiffness * near_density;
    let soft = fast_max(stiffness * (density - rest_density), -0.4 * near_soft);
    StatePressures {
        pressure: fast_min(soft + (1.0 - near_share) * resistance_to_compression, bound),
        near_pressure: fast_min(near_soft + 1.5 * near_share * resistance_to_compression, bound),
        resistance: 0.0,
    }
}
