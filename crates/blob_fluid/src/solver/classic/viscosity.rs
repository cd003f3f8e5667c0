//! Viscosity (Clavet et al. 2005, Algorithm 5), pair after pair, in place.

use crate::liquid::state::Liquid;
use crate::parallel::executor::Executor;
use crate::particles::activity::Activity;
use crate::solver::classic::workspace::Classic;
use crate::solver::coefficients::Coefficients;
use crate::solver::neighbours::hash::Neighbours;
use crate::solver::neighbours::refresh::refresh;

/// For every pair that approaches with a speed `u`, from the velocities that the pairs before it left:
/// `v_i -= I m_j/(m_i + m_j) r_hat` and `v_j += I m_i/(m_i + m_j) r_hat`, with
/// `I = q u (dt (sigma + beta u) + dt linear)`.
pub(crate) fn apply_viscosity<E: Executor>(
    liquid: &mut Liquid,
    neighbours: &mut Neighbours,
    work: &mut Classic,
    coefficients: &Coefficients,
    executor: &E,
) {
    if !work.is_viscous() {
        return;
    }
    refresh(liquid, neighbours, coefficients, executor);
    let particles = &mut liquid.particles;
    let count = coefficients.classes.len();
    let mut blocks = neighbours.grid.blocks(0..particles.len());
    while let Some(block) = blocks.following() {
        for i in block.particles.clone() {
            if particles.activity[i] == Activity::Asleep {
                continue;
            }
            for j in block.spans().flatten().filter(|j| *j > i) {
                let offset = particles.position[j] - particles.position[i];
                let distance = offset.length();
                let q = 1.0 - distance * coefficients.inverse_radius;
                if q <= 0.0 || distance < coefficients.coincidence {
                    continue;
                }
                let direction = offset / distance;
                let approach = (particles.velocity[i] - particles.velocity[j]).dot(direction);
                let mut rate = work.linear;
                if approach > 0.0 {
                    rate += (work.approach + work.quadratic * approach).min(work.viscosity_limit);
                }
                let (a, b) = (particles.class[i].index(), particles.class[j].index());
                let factor = if a == b { 1.0 } else { work.cross_class };
                let impulse = direction * (q * approach * rate * factor);
                particles.velocity[i] -= impulse * coefficients.mass_shares[a * count + b];
                particles.velocity[j] += impulse * coefficients.mass_shares[b * count + a];
            }
        }
    }
}
