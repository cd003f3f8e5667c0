//! The forces between pairs, and what they do in a substep.

use crate::liquid::state::Liquid;
use crate::parallel::executor::Executor;
use crate::particles::view::Computed;
use crate::solver::coefficients::Coefficients;
use crate::solver::neighbours::hash::Neighbours;
use crate::solver::neighbours::refresh::refresh;
use crate::solver::pair_forces::densities::find_pressures;
use crate::solver::pair_forces::displacements::find_displacements;
use crate::solver::pair_forces::frozen::Frozen;
use crate::solver::pair_forces::kernels::Kernels;
use crate::solver::pair_forces::walls::press_on_colliders;
use crate::solver::pair_forces::workspace::PairForces;

/// Moves every particle by what pressure, viscosity and walls give to it in one substep, at its
/// present position:
///
/// - pressure: `-(dt^2/m_i) sum_j [(P_i + P_j)/2 W'(r) + (N_i + N_j)/2 W_near'(r)]/(delta_i
///   delta_j) r_hat`
/// - viscosity: `(dt^2/m_i) mu sum_j ((v_j - v_i).r_hat) r_hat V(r)/(delta_i delta_j)`, which leaves liquid
///   that turns as a whole alone; beyond what is stable of it, `(v_j - v_i)` takes the place of its
///   part along `r_hat`
/// - walls: what liquid at rest beyond them would do with the particle's own pressure
///
/// The forces of a pair are equal and opposite. No particle is accelerated to more than `4 h` per
/// substep.
pub(crate) fn apply_forces_of_pairs<K: Kernels>(
    liquid: &mut Liquid,
    neighbours: &mut Neighbours,
    work: &mut PairForces<K>,
    coefficients: &Coefficients,
    executor: &dyn Executor,
) {
    refresh(liquid, neighbours, coefficients, executor);
    let Liquid { particles, boundary, loads, .. } = liquid;
    let PairForces { pairs, pressures, walls, displacements, .. } = work;
    let (view, Computed { relative_density, .. }) = particles.view_and_computed();
    let frozen = Frozen { particles: view, solids: boundary, coefficients, pairs };
    let grid = &neighbours.grid;
    find_pressures::<K>(frozen, grid, relative_density, pressures, walls, executor);
    find_displacements::<K>(frozen, grid, pressures, walls, displacements, executor);
    if boundary.any_bears_load() {
        press_on_colliders(frozen, walls, loads, |wall| wall.given(&frozen), executor);
        loads.end_pass(boundary);
    }
    let (most, time_step) = (coefficients.most_displacement, coefficients.time_step);
    particles.displace_all(displacements, most, time_step, executor);
    particles.mark_moved();
}
