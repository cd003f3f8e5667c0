//! The equation of state: how pressure follows from density.

use crate::parallel::lanes::{fast_max, fast_min, positive};
use crate::settings::class::DensityClass;
use crate::settings::parameters::FluidParameters;

/// Largest tension, in units of the largest pressure.
const TENSION: f32 = 0.25;

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
}

impl EquationOfState {
    /// The coefficients of a class.
    pub(crate) fn of(parameters: &FluidParameters, class: &DensityClass) -> Self {
        let stiffness = parameters.stiffness * parameters.reference_acceleration;
        let near_stiffness = stiffness * parameters.near_stiffness_ratio;
        Self {
            stiffness: stiffness * class.stiffness,
            near_stiffness: near_stiffness * class.near_stiffness,
            rest_density: parameters.rest_density_of(class),
            equilibrium_density: parameters.equilibrium_density() * class.relative_rest_density,
        }
    }
}

/// Pressure and near pressure of a particle:
/// `P = k (rho - rho0) + stiff max(0, rho - rho_eq)/rho^2` and `P_near = k_near rho_near`.
///
/// Each is at most `limit/rho`. Only particles that are packed dozens of times too densely reach
/// this limit. It bounds the speed at which such a clump comes apart. The tension, a negative
/// pressure, is at most `limit/4`, and `limit/(4 rho)` above a density of 1. `limit` is `h/dt^2`. `stiff`
/// is the same number in the capped form, and 0 in the paper's form.
///
/// Takes `(k, k_near)` and `(rho0, rho_eq)` of the particle's class.
#[inline(always)]
pub(crate) fn pressures(
    (limit, stiff): (f32, f32),
    density: f32,
    near_density: f32,
    (stiffness, near_stiffness): (f32, f32),
    (rest_density, equilibrium_density): (f32, f32),
) -> (f32, f32) {
    let excess = positive(density - equilibrium_density);
    let floor = if density > 1e-3 { density } else { 1e-3 };
    let bound = limit / floor;
    let pressure = stiffness * (density - rest_density) + stiff * excess / (floor * floor);
    let tension = -TENSION * if density > 1.0 { bound } else { limit };
    (fast_max(fast_min(pressure, bound), tension), fast_min(near_stiffness * near_density, bound))
}
