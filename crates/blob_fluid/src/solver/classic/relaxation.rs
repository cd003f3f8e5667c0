//! Double density relaxation (Clavet et al. 2005, Algorithm 2) in the paper's order.

use glam::Vec2;

use crate::liquid::state::Liquid;
use crate::parallel::executor::Executor;
use crate::particles::activity::Activity;
use crate::solver::classic::workspace::Classic;
use crate::solver::coefficients::Coefficients;
use crate::solver::equation_of_state::pressures;
use crate::solver::neighbours::hash::Neighbours;
use crate::solver::neighbours::refresh::refresh;
use crate::solver::neighbours::separation::separation_axis;

/// For every particle in turn, from the positions that the particles before it left:
///
/// 1. `rho = sum q^2` and `rho_near = sum q^3`
/// 2. `P = k (rho - rho0)` and `P_near = k_near rho_near`, each at most what the substep bears
/// 3. every neighbour moves by `D m_i/(m_i + m_j)`, with `D = dt^2 (P q + P_near q^2) r_hat`, and the
///    particle by the sum of `-D m_j/(m_i + m_j)`
pub(crate) fn relax_density<E: Executor>(
    liquid: &mut Liquid,
    neighbours: &mut Neighbours,
    work: &mut Classic,
    coefficients: &Coefficients,
    executor: &E,
) {
    refresh(liquid, neighbours, coefficients, executor);
    let particles = &mut liquid.particles;
    let squared_step = coefficients.time_step * coefficients.time_step;
    let radius = coefficients.interaction_radius;
    let count = coefficients.classes.len();
    let mut blocks = neighbours.grid.blocks(0..particles.len());
    while let Some(block) = blocks.following() {
        for i in block.particles.clone() {
            if particles.activity[i] < Activity::Pressing {
                continue;
            }
            let own = &work.classes[particles.class[i].index()];
            let (mut density, mut near_density) = (0.0, 0.0);
            work.near.clear();
            for j in block.spans().flatten().filter(|j| *j != i) {
                let squared = particles.position[j].distance_squared(particles.position[i]);
                if squared < radius * radius {
                    let q = 1.0 - squared.sqrt() * coefficients.inverse_radius;
                    density += q * q;
                    near_density += q * q * q;
                    work.near.push(j as u32);
                }
            }
            particles.relative_density[i] = density / own.equilibrium_density;
            let (pressure, near_pressure) = pressures(
                (work.pressure_limit, 0.0),
                density,
                near_density,
                (own.stiffness, own.near_stiffness),
                (own.rest_density, own.equilibrium_density),
            );
            let mut moved = Vec2::ZERO;
            for j in work.near.iter().map(|j| *j as usize) {
                let offset = particles.position[j] - particles.position[i];
                let distance = offset.length();
                let q = (1.0 - distance * coefficients.inverse_radius).max(0.0);
                let direction = if distance < coefficients.coincidence {
                    separation_axis(particles.id[i], particles.id[j])
                } else {
                    offset / distance
                };
                let displacement =
                    direction * (squared_step * (pressure * q + near_pressure * q * q));
                let (a, b) = (particles.class[i].index(), particles.class[j].index());
                particles.displace(j, displacement * coefficients.mass_shares[b * count + a]);
                moved -= displacement * coefficients.mass_shares[a * count + b];
            }
            particles.displace(i, moved);
        }
    }
    particles.has_moved();
}
