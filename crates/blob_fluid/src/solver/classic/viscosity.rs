//! Viscosity (Clavet et al. 2005, Algorithm 5): the pairs change one after the other, in place.

use crate::liquid::state::Liquid;
use crate::parallel::executor::Executor;
use crate::particles::activity::Activity;
use crate::solver::classic::neighbours::find_neighbours;
use crate::solver::classic::workspace::Classic;
use crate::solver::coefficients::Coefficients;
use crate::solver::neighbours::hash::Neighbours;
use crate::solver::neighbours::refresh::refresh;

/// Visits every pair `i < j` in the order of the arrays, which is the order of the grid's cells.
/// Each pair reads the velocities that the pairs before it left. With `u` the speed at which the
/// two particles approach, `v_i -= I m_j/(m_i + m_j) r_hat` and `v_j += I m_i/(m_i + m_j) r_hat`,
/// where `I = q u (dt (sigma + beta u) + dt linear)`. The part in brackets counts only if `u > 0`.
pub(crate) fn apply_viscosity(
    liquid: &mut Liquid,
    neighbours: &mut Neighbours,
    work: &mut Classic,
    coefficients: &Coefficients,
    executor: &dyn Executor,
) {
    if !work.is_viscous() {
        return;
    }
    refresh(liquid, neighbours, coefficients, executor);
    let particles = &mut liquid.particles;
    let radius = coefficients.interaction_radius;
    let mut near = std::mem::take(&mut work.near);
    let mut blocks = neighbours.grid.blocks(0..particles.len());
    while let Some(block) = blocks.next() {
        for i in block.particles.clone() {
            if particles.activity[i] == Activity::Asleep {
                continue;
            }
            find_neighbours(&mut near, &particles.position, block, i, radius);
            for j in near.iter().copied().filter(|j| *j > i) {
                let offset = particles.position[j] - particles.position[i];
                let distance = offset.length();
                let coincide = distance < coefficients.coincidence;
                if coincide || particles.activity[j] == Activity::Asleep {
                    continue;
                }
                let q = 1.0 - distance * coefficients.inverse_radius;
                let direction = offset / distance;
                let approach = (particles.velocity[i] - particles.velocity[j]).dot(direction);
                let (class, other) = (particles.class[i].index(), particles.class[j].index());
                let rate = work.viscosity_rate(approach, class == other);
                let impulse = direction * (q * approach * rate);
                let (share, other_share) = coefficients.shares(class, other);
                particles.velocity[i] -= impulse * share;
                particles.velocity[j] += impulse * other_share;
            }
        }
    }
    work.near = near;
}
