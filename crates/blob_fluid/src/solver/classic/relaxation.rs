//! Double density relaxation (Clavet et al. 2005, Algorithm 2) in the paper's order.

use glam::Vec2;

use crate::liquid::state::Liquid;
use crate::parallel::executor::Executor;
use crate::particles::activity::Activity;
use crate::solver::classic::neighbours::find_neighbours;
use crate::solver::classic::workspace::Classic;
use crate::solver::coefficients::Coefficients;
use crate::solver::equation_of_state::{StatePressures, pressures};
use crate::solver::neighbours::hash::Neighbours;
use crate::solver::neighbours::refresh::refresh;
use crate::solver::neighbours::separation::separation_axis;

/// Moves the particles one after the other, in the order of the arrays, which is the order of the
/// grid's cells. Each particle `i` reads the positions that the particles before it left:
///
/// 1. `rho = sum q^2` and `rho_near = sum q^3`
/// 2. `P = k (rho - rho0)` and `P_near = k_near rho_near`, each at most `(h/dt^2)/rho`
/// 3. every neighbour `j`, in the order of the arrays, moves by `D m_i/(m_i + m_j)`, with
///    `D = dt^2 (P q + P_near q^2) r_hat`, and particle `i` moves by the sum of
///    `-D m_j/(m_i + m_j)`
///
/// No particle is accelerated to more than `4 h` per substep.
///
/// Neighbours are the particles that were closer than `h` when the particles were hashed, before
/// the first of them moved.
pub(crate) fn relax_density(
    liquid: &mut Liquid,
    neighbours: &mut Neighbours,
    work: &mut Classic,
    coefficients: &Coefficients,
    executor: &dyn Executor,
) {
    refresh(liquid, neighbours, coefficients, executor);
    let particles = &mut liquid.particles;
    let Classic { classes, resistance, near, hashed, .. } = work;
    hashed.clone_from(&particles.position);
    let radius = coefficients.interaction_radius;
    let squared_step = coefficients.time_step * coefficients.time_step;
    let mut blocks = neighbours.grid.blocks(0..particles.len());
    while let Some(block) = blocks.next() {
        for i in block.particles.clone() {
            if particles.activity[i] < Activity::Pressing {
                continue;
            }
            find_neighbours(near, hashed, block, i, radius);
            let class = particles.class[i].index();
            let class_coefficients = &classes[class];

            let (mut density, mut near_density) = (0.0, 0.0);
            for j in &*near {
                let distance = particles.position[i].distance(particles.position[*j]);
                let q = (1.0 - distance * coefficients.inverse_radius).max(0.0);
                density += q * q;
                near_density += q * q * q;
            }
            particles.relative_density[i] = density / class_coefficients.equilibrium_density;
            let StatePressures { far: pressure, near: near_pressure, .. } = pressures(
                *resistance,
                0.0,
                (density, near_density),
                (class_coefficients.stiffness, class_coefficients.near_stiffness),
                (
                    class_coefficients.rest_density,
                    class_coefficients.equilibrium_density,
                    class_coefficients.equilibrium_packing,
                ),
            );

            let mut moved = Vec2::ZERO;
            for j in &*near {
                let offset = particles.position[*j] - particles.position[i];
                let distance = offset.length();
                let q = (1.0 - distance * coefficients.inverse_radius).max(0.0);
                let direction = if distance < coefficients.coincidence {
                    separation_axis(particles.id[i], particles.id[*j])
                } else {
                    offset / distance
                };
                let size = squared_step * (pressure * q + near_pressure * q * q);
                let (share, other_share) = coefficients.shares(class, particles.class[*j].index());
                if particles.activity[*j] > Activity::Asleep {
                    particles.displace(*j, direction * (size * other_share));
                }
                moved -= direction * (size * share);
            }
            particles.displace(i, moved);
        }
    }
    let (most, time_step) = (coefficients.most_displacement, coefficients.time_step);
    particles.limit_displacements(hashed, most, time_step);
    particles.mark_moved();
}
