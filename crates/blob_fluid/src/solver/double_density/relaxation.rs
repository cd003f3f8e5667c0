//! Double density relaxation (Clavet et al. 2005, Algorithm 2), as a symmetric gather.
//!
//! The paper moves pairs one after the other; here every particle sums its own displacement from
//! positions and pressures frozen before the pass. That needs no order, and a pair's two
//! displacements stay equal and opposite in force.

use crate::liquid::state::Liquid;
use crate::parallel::executor::Executor;
use crate::solver::coefficients::Coefficients;
use crate::solver::double_density::displacements::{Found, find_displacements};
use crate::solver::double_density::frozen::Frozen;
use crate::solver::double_density::ghost_walls::press_on_colliders;
use crate::solver::double_density::pressures::find_pressures;
use crate::solver::double_density::workspace::DoubleDensity;
use crate::solver::neighbours::hash::Neighbours;
use crate::solver::neighbours::refresh::refresh;

/// Moves every particle by
/// `-1/2 (dt^2/m_i) sum_j [(m_i P_i + m_j P_j) q + (m_i Pn_i + m_j Pn_j) q^2] r_hat`, towards what
/// its class is attracted to by `1/2 (dt^2/m_i) sum_j A_ij q (1 - q) r_hat` (not in the paper), away
/// from walls by what the liquid behind them would add, and by `dt` times what viscosity exchanges
/// in the last of its sweeps (see [`apply_viscosity`](crate::pass::apply_viscosity)).
///
/// See [`FluidParameters`](crate::FluidParameters) for the pressures' form. Where particles were
/// added, removed or moved since [`hash_positions`](crate::pass::hash_positions), they are hashed
/// again.
pub(crate) fn relax_density<E: Executor>(
    liquid: &mut Liquid,
    neighbours: &mut Neighbours,
    work: &mut DoubleDensity,
    coefficients: &Coefficients,
    executor: &E,
) {
    refresh(liquid, neighbours, coefficients, executor);
    let Liquid { particles, boundary, loads, .. } = liquid;
    let DoubleDensity { pressure, viscosity, pressures, near, rows, displacements, .. } = work;
    let (view, relative_density) = particles.view_and_relative_density();
    let frozen = Frozen { particles: view, solids: boundary, coefficients, pressure };
    find_pressures(frozen, &neighbours.grid, relative_density, pressures, near, executor);
    let found = Found { frozen, viscosity, pressures, neighbours: near };
    find_displacements(found, displacements, rows, executor);
    if boundary.any_bears_load() {
        press_on_colliders(&frozen, pressures, near, loads, executor);
    }
    particles.displace_all(displacements, executor);
    particles.has_moved();
}
