//! The equation of state: how pressure follows from density.

use crate::liquid::state::Liquid;
use crate::parallel::lanes::{fast_max, fast_min, positive};
use crate::settings::class::DensityClass;
use crate::settings::parameters::FluidParameters;

/// `(c dt/h)^2`, where `c` is the speed at which liquid whose pressures are at their limit passes
/// them on.
pub(crate) const STIFFNESS: f32 = 0.25;

/// Largest tension, in units of the largest pressure.
pub(crate) const TENSION: f32 = 0.25;

/// The coefficients of a class that its pressure depends on.
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
    /// The coefficients of a class.
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
    /// Pressure over compression and density of liquid at rest whose pairs press as in the paper, with this
    /// interaction radius and particle spacing, in (world units/s)²: the change of
    /// `1/4 sum r (P q + P_near q^2)` with the density, where the sum is an integral over the plane.
    pub(crate) fn bulk(&self, radius: f32, spacing: f32) -> f32 {
        let scale = std::f32::consts::PI * radius * (radius / spacing) * (radius / spacing);
        let near = near_density_at_rest(self.equilibrium_density);
        let (far, near) = (self.stiffness * self.equilibrium_density, self.near_stiffness * near);
        scale * (far / 24.0 + near / 60.0)
    }
}

/// The near density of a liquid at rest that has this density. The integrals of `q^3` and `q^2`
/// over a plane are as 0.6 to 1; 0.3 is what a lattice has less, because the sums exclude the
/// particle itself.
pub(crate) fn near_density_at_rest(density: f32) -> f32 {
    positive(0.6 * density - 0.3)
}

/// Change of the relative density within a substep at which nothing of the resistance is kept. A liquid
/// that is hit would otherwise be pushed apart by what resisted the blow.
pub(crate) const FADED: f32 = 0.3;

/// How strongly a substep may resist compression.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Resistance {
    /// `h/dt^2`: largest product of a pressure and the density.
    pub limit: f32,
    /// `(1 - 0.43 s) h/dt^2`, where `s` is the share of the near density. This is the stability
    /// bound: a steeper kernel reaches it sooner. 0 in the paper's form.
    pub stiff: f32,
    /// `s`.
    pub near_share: f32,
    /// `w`: the part of its resistance that a particle keeps from substep to substep. 0 in the paper's
    /// form.
    pub kept: f32,
    /// `h/dt^2` of the longest substep whose resistance is still in force. Powder keeps nothing of its
    /// resistance, and has all of it anew.
    pub granular_limit: f32,
    pub cohesion: Cohesion,
}

/// How the attraction of liquid depends on its density.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cohesion {
    /// Relative density at which it begins.
    pub onset: f32,
    /// How fast it grows from there to its full strength.
    pub slope: f32,
    /// The share of it that there is at any density: 1 if it begins at 0.
    pub least: f32,
}

impl Cohesion {
    /// It has its full strength at three times the density at which it begins.
    fn of(parameters: &FluidParameters) -> Self {
        let onset = parameters.cohesion_onset;
        if onset <= 0.0 {
            return Self { onset, slope: 0.0, least: 1.0 };
        }
        Self { onset, slope: (0.5 / onset).min(f32::MAX), least: 0.0 }
    }

    /// The share of the attraction that there is at a relative density.
    #[inline(always)]
    fn share(self, relative_density: f32) -> f32 {
        let grown = positive(relative_density - self.onset) * self.slope;
        fast_max(fast_min(grown, 1.0), self.least)
    }
}

impl Resistance {
    /// The paper's resistance, in substeps of `time_step` seconds.
    pub(crate) fn soft(parameters: &FluidParameters, time_step: f32) -> Self {
        let limit = parameters.interaction_radius() / (time_step * time_step);
        let cohesion = Cohesion::of(parameters);
        let near_share = parameters.near_share;
        Self { limit, stiff: 0.0, near_share, kept: 0.0, granular_limit: limit, cohesion }
    }

    /// The largest resistance at which substeps of `time_step` seconds are stable, or a lower one that
    /// is still in force.
    pub(crate) fn stiff(liquid: &Liquid, time_step: f32) -> Self {
        let Liquid { parameters, clock, .. } = liquid;
        let soft = Self::soft(parameters, time_step);
        let kept = clock.kept;
        // Of what resists a lasting load, `1 - w` is found anew in each substep.
        let whole = Self::soft(parameters, clock.resisting_substep).limit;
        let stiff = (1.0 - 0.43 * soft.near_share) * ((1.0 - kept) * whole).min(soft.limit);
        // Powder keeps nothing: the part that liquid keeps makes it no stiffer.
        let granular_limit = ((1.0 - kept) * whole).min(soft.limit);
        Self { stiff, kept, granular_limit, ..soft }
    }

    /// What a particle keeps of its resistance `before`, after its relative density changed by that
    /// much.
    #[inline(always)]
    pub(crate) fn kept_of(self, before: f32, change: f32) -> f32 {
        self.kept * positive(1.0 - change.abs() * (1.0 / FADED)) * before
    }
}

/// How much less powder resists compression than liquid, so that shear is stable beside it.
pub(crate) const GRANULAR_STIFFNESS: f32 = 0.8;

/// The part of its resistance that a particle keeps from substep to substep: as much as the settings
/// say, and less where that is not stable.
///
/// What is kept lags behind the compression, and feeds waves of sound. From measurements of pools fifty
/// deep: with the default settings 0.55 is still quiet and 0.6 boils. With fewer than about thirty
/// neighbours, from a radius ratio of 2.8 down, the edge comes nearer, and at 2.4 nothing may be kept.
/// So it does with a stiffness above 1, which pulls more strongly than the weight of a particle: 0.45 is
/// quiet up to 10, and nothing at 30. Near share, viscosity, drag, ghost walls and gravity do not move it.
///
/// Nothing is kept beside solids that yield to the liquid (`beside_yielding`): the lag of the pressure adds energy
/// to a floating body that heaves, and holds up a heavy one on the particles below it. Of 96 hulls in pools 8 to 32 deep, in 1 to 3
/// substeps, 67 heave by themselves with 0.5, 18 with 0.4 and 6 with 0.35; with 0.3 a sunken crate still lies half
/// a particle too high, and a hull that an engine moves does not come to rest.
pub(crate) fn stable_kept<'a>(
    parameters: &FluidParameters,
    present: impl Iterator<Item = &'a DensityClass>,
    beside_yielding: bool,
) -> f32 {
    if beside_yielding {
        return 0.0;
    }
    let stiffest = present.map(|class| class.stiffness).fold(0.0, f32::max);
    let by_neighbours = 1.25 * (parameters.radius_ratio - 2.4);
    let by_stiffness = 0.55 - 0.05 * stiffest * parameters.stiffness;
    let stable = parameters.pressure_memory.min(by_neighbours).min(by_stiffness);
    positive(stable)
}

/// Pressures of a particle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StatePressures {
    /// `P`.
    pub far: f32,
    /// `P_near`.
    pub near: f32,
    /// `C`.
    pub resisting: f32,
}

/// Pressure and near pressure of a particle:
/// `P = k (rho - rho0) a + (1 - s) C` and `P_near = k_near rho_near + 3/2 s C`.
///
/// `C = max(0, kept + stiff (c - c_eq)/c^2)` resists compression, where `kept` is what is left of the
/// resistance before ([`Resistance::kept_of`]). `c = (1 - s) rho + s rho_near` is the packing density;
/// the factor `3/2` makes both forces follow from the same energy.
///
/// `a` is 1, or where the soft pressure attracts, less below a density
/// ([`FluidParameters::cohesion_onset`]).
///
/// Each pressure is at most `limit/rho`. Only particles that are packed dozens of times too densely
/// reach this limit. It bounds the speed at which such a clump comes apart. The tension, a negative
/// pressure, is at most `limit/4`, and `limit/(4 rho)` above a density of 1.
#[inline(always)]
pub(crate) fn pressures(
    state: &EquationOfState,
    resistance: Resistance,
    kept: f32,
    density: f32,
    near_density: f32,
) -> StatePressures {
    let EquationOfState { stiffness, near_stiffness, rest_density, .. } = *state;
    let EquationOfState { equilibrium_density, equilibrium_packing, .. } = *state;
    let Resistance { limit, stiff, near_share, cohesion, .. } = resistance;
    let at_least_little = |density: f32| if density > 1e-3 { density } else { 1e-3 };
    let bound = limit / at_least_little(density);
    let packing = (1.0 - near_share) * density + near_share * near_density;
    let excess = packing - equilibrium_packing;
    let packing = at_least_little(packing);
    let resisting = positive(kept + stiff * excess / (packing * packing));
    let soft = stiffness * (density - rest_density);
    let soft = if soft < 0.0 { soft * cohesion.share(density / equilibrium_density) } else { soft };
    let pressure = soft + (1.0 - near_share) * resisting;
    let near_pressure = near_stiffness * near_density + 1.5 * near_share * resisting;
    let tension = -TENSION * if density > 1.0 { bound } else { limit };
    StatePressures {
        far: fast_max(fast_min(pressure, bound), tension),
        near: fast_min(near_pressure, bound),
        resisting,
    }
}

/// The pressures of a grain of powder: as [`pressures`], but it keeps nothing of its resistance, and its
/// pairs do not attract each other: `P >= -0.4 k_near rho_near + (1 - s) C`.
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
    let at_least_little = |density: f32| if density > 1e-3 { density } else { 1e-3 };
    let bound = limit / at_least_little(density);
    let packing = (1.0 - near_share) * density + near_share * near_density;
    let excess = packing - equilibrium_packing;
    let packing = at_least_little(packing);
    let stiff = GRANULAR_STIFFNESS * (1.0 - 0.43 * near_share) * granular_limit;
    let resisting = positive(stiff * excess / (packing * packing));
    let near_soft = near_stiffness * near_density;
    let soft = fast_max(stiffness * (density - rest_density), -0.4 * near_soft);
    StatePressures {
        far: fast_min(soft + (1.0 - near_share) * resisting, bound),
        near: fast_min(near_soft + 1.5 * near_share * resisting, bound),
        resisting: 0.0,
    }
}
