//! Double density relaxation (Clavet et al. 2005, Algorithm 2), as a symmetric gather.
//!
//! The paper moves pairs one after the other. Here every particle sums its own displacement from
//! positions and pressures that were frozen before the pass. So the order of the pairs does not
//! matter, and a pair's two displacements still come from equal and opposite forces.

use crate::liquid::state::Liquid;
use crate::parallel::chunks::CHUNK;
use crate::parallel::executor::Executor;
use crate::particles::view::Computed;
use crate::solver::coefficients::Coefficients;
use crate::solver::double_density::crowding::Crowding;
use crate::solver::double_density::displacements::{Inputs, Outputs, find_displacements};
use crate::solver::double_density::frozen::Frozen;
use crate::solver::double_density::ghost_walls::press_on_colliders;
use crate::solver::double_density::grain_forces::{Pushed, push_grains};
use crate::solver::double_density::grain_pores::{self, find_pores};
use crate::solver::double_density::grain_stress::{Before, find_stresses};
use crate::solver::double_density::grain_walls::rub_walls;
use crate::solver::double_density::pressures::{Known, find_pressures};
use crate::solver::double_density::segregation::find_weights;
use crate::solver::double_density::sweep::Sweep;
use crate::solver::double_density::workspace::DoubleDensity;
use crate::solver::neighbours::hash::Neighbours;
use crate::solver::neighbours::refresh::refresh;

/// Moves every particle by the sum of:
///
/// - pressure: `-1/2 (dt^2/m_i) sum_j [(m_i P_i + m_j P_j) q + (m_i Pn_i + m_j Pn_j) q^2] r_hat`
/// - segregation of classes (not in the paper): `(dt^2/m_i) sum_j kappa (w_i - w_j) s q g/15`,
///   where `w` is what gravity weighs, and `s` is 1.5 where the heavier of the two is straight
///   above the lighter, 1 beside it and 0.5 straight below. A weak contrast gets more where the two
///   stand still: twice the smaller mass less four times the contrast, in place of `w_i - w_j`, times
///   2 above, 1 beside and 0 below
/// - attraction between classes (not in the paper): `1/2 (dt^2/m_i) sum_j A_ij q (1 - q) r_hat`
/// - walls: a displacement away from them, which the missing liquid behind them would cause
/// - viscosity: `dt` times the velocity that the last sweep exchanges (see
///   [`FluidPass::ApplyViscosity`](crate::FluidPass::ApplyViscosity)). Where particles are crowded, it is a
///   sweep of its own
/// - stress of powder (not in the paper): what its grains remember of how they were sheared, limited by
///   Coulomb's law ([`FluidPowder`](crate::FluidPowder)), and friction of grains on walls
///
/// No particle is accelerated to more than `4 h` per substep.
///
/// See [`FluidParameters`](crate::FluidParameters) for the formula of the pressures. Where
/// particles were added, removed or moved since
/// [`FluidPass::HashPositions`](crate::FluidPass::HashPositions), they are hashed again.
pub(crate) fn relax_density(
    liquid: &mut Liquid,
    neighbours: &mut Neighbours,
    work: &mut DoubleDensity,
    coefficients: &Coefficients,
    executor: &dyn Executor,
) {
    refresh(liquid, neighbours, coefficients, executor);
    let Liquid { particles, boundary, loads, .. } = liquid;
    let DoubleDensity {
        pressure,
        viscosity,
        weights,
        pressures,
        ways,
        stresses,
        pushes,
        wet,
        near,
        rows,
        displacement_rows,
        crowding,
        displacements,
        ..
    } = work;
    let count = particles.len();
    // Kept also while it does not count, so that nothing is missing when it counts again.
    particles.pressure.resize(count, 0.0);
    particles.remember_grains(pressure.any_grains());
    let (view, computed) = particles.view_and_computed();
    let Computed { relative_density, rest_time, pressure: resistance, grains } = computed;
    let Neighbours { grid, free, presence, .. } = neighbours;
    let presence = presence.find(view.class, coefficients.classes.len());
    if presence.any_mixed() && pressure.segregation.acts() {
        find_weights(weights, view, coefficients, executor);
    }
    let frozen =
        Frozen { particles: view, solids: boundary, coefficients, pressure, presence, weights };
    let known = Known { relative_density: &mut *relative_density, resistance };
    find_pressures(frozen, grid, known, pressures, near, free, executor);
    if grains.is_empty() {
        stresses.clear();
    } else {
        let inputs = grain_pores::Inputs { frozen, pressures, neighbours: near };
        find_pores(inputs, grains, relative_density, wet, executor);
        let before = Before { grains, wet };
        let found = (ways, &mut *stresses);
        find_stresses(frozen, before, relative_density, near, found, executor);
    }
    let crowded = viscosity.is_viscous() && Crowding::is_likely(view, relative_density, viscosity);
    let together = (!crowded).then_some(&*viscosity);
    let inputs = Inputs { frozen, viscosity: together, pressures, stresses, neighbours: near };
    let outputs = Outputs { displacements, pushes, rest_time };
    find_displacements(inputs, outputs, (rows, displacement_rows), executor);
    if crowded {
        let sweep = Sweep { particles: view, grid, presence, viscosity, coefficients, number: 0 };
        sweep.find_crowding(crowding, rows, executor);
        sweep.exchange(displacements, rows, crowding, coefficients.time_step, executor);
    }
    loads.begin_pass(count.div_ceil(CHUNK));
    if !grains.is_empty() {
        let pushed = Pushed { pushes, stresses, wet, pressures, neighbours: near };
        push_grains(frozen, pushed, grains, displacements, executor);
        rub_walls(&frozen, pressures, near, wet, displacements, loads, executor);
    }
    if boundary.any_bears_load() {
        press_on_colliders(&frozen, pressures, near, loads, executor);
        loads.end_pass(boundary);
    }
    let (most, time_step) = (coefficients.most_displacement, coefficients.time_step);
    particles.displace_all(displacements, most, time_step, executor);
    particles.mark_moved();
}
