//! The classic solver: it moves pairs of particles in place, one after the other.
//!
//! The paper (Clavet, Beaudoin and Poulin 2005) and the prototypes of this solver do the same. The code is
//! scalar and runs on one thread. It visits particles and their neighbours in the order of the arrays,
//! which is the order of the grid's cells. So the order does not depend on the number of threads.
//!
//! With the prototypes' settings (the scene `legacy`), it compresses the liquid and keeps it in motion like
//! them. After 60 s, it has the layer order .969 and a mean speed of 14.8 px/s. The prototype has .969 at
//! 14.7 px/s if it moves pairs in place, and .957 at 15.2 px/s if it reads frozen positions. The bouncing
//! walls cause most of this motion: without restitution the result is .939 at 8.4 px/s.

use glam::Vec2;

use crate::particles::arrays::Activity;
use crate::solver::coefficients::Coefficients;
use crate::solver::equation_of_state::{
    EquationOfState, Resistance, STIFFNESS, StatePressures, pressures,
};
use crate::solver::ignores as setting;
use crate::solver::ignores::IgnoredRule;
use crate::solver::method::{Method, Substep};
use crate::solver::neighbours::blocks::{Block, separation_axis};
use crate::solver::neighbours::hash::{Neighbours, refresh};
use crate::solver::pass::bodies::Reflection;
use crate::solver::substeps::SubstepDemand;
use crate::{ClassTable, Executor, FluidParameters, Liquid};

// Settings and passes of the solver `classic`.

impl Method for Classic {
    const IGNORED_SETTINGS: &'static [IgnoredRule] = &[
        setting::CLASS_ELASTICITY,
        setting::CLASS_POWDER,
        setting::CLASS_VISCOSITY,
        setting::CLASS_SURFACE_TENSION,
        setting::PAIR_VISCOSITY,
        setting::PAIR_COHESION,
        setting::PAIR_SEGREGATION,
        setting::SEGREGATION,
        setting::NEAR_SHARE,
        setting::PRESSURE_MEMORY,
        setting::GHOST_WALLS,
        setting::WETTING,
    ];

    fn own_settings_differ(one: &FluidParameters, other: &FluidParameters) -> bool {
        one.classic != other.classic
    }

    /// The solver is unstable with fewer substeps than the wanted number.
    fn demand(_liquid: &Liquid, _time_step: f32) -> SubstepDemand {
        SubstepDemand { min_stable: u32::MAX, ..SubstepDemand::from_depth(STIFFNESS) }
    }

    fn unsticking(parameters: &FluidParameters) -> f32 {
        parameters.classic.unsticking
    }

    fn derive(&mut self, liquid: &Liquid, shared: &Coefficients) {
        self.derive_coefficients(&liquid.parameters, &liquid.classes, shared);
    }

    fn viscosity_sweeps(&self) -> (u32, u32) {
        (u32::from(self.is_viscous()), 0)
    }

    fn apply_viscosity(&mut self, substep: Substep) {
        let Substep { liquid, neighbours, coefficients, executor } = substep;
        apply_viscosity(liquid, neighbours, self, coefficients, executor);
    }

    fn relax_density(&mut self, substep: Substep) {
        let Substep { liquid, neighbours, coefficients, executor } = substep;
        relax_density(liquid, neighbours, self, coefficients, executor);
    }

    fn contain(&mut self, substep: Substep) {
        substep.reflect_at_walls(self.reflection);
    }
}

// Double density relaxation (Clavet et al. 2005, Algorithm 2) in the paper's order.

/// Moves the particles one after the other, in the order of the arrays. Each particle `i` reads the
/// positions that the preceding particles have changed:
///
/// 1. `rho = sum q^2` and `rho_near = sum q^3`
/// 2. `P = k (rho - rho0)` and `P_near = k_near rho_near`, each at most `(h/dt^2)/rho`
/// 3. every neighbour `j`, in the order of the arrays, moves by `D m_i/(m_i + m_j)`, with
///    `D = dt^2 (P q + P_near q^2) r_hat`, and particle `i` moves by the sum of `-D m_j/(m_i + m_j)`
///
/// Sleeping particles do not move. No particle is accelerated to more than `4 h` per substep.
///
/// Neighbours are the particles that were closer than `h` when the particles were hashed, before the first of
/// them moved.
pub(crate) fn relax_density(
    liquid: &mut Liquid,
    neighbours: &mut Neighbours,
    work: &mut Classic,
    coefficients: &Coefficients,
    executor: &dyn Executor,
) {
    refresh(liquid, neighbours, coefficients, executor);
    let particles = &mut liquid.particles;
    let Classic {
        classes, resistance, neighbours: neighbours_of_particle, sorted_positions, ..
    } = work;
    sorted_positions.clone_from(&particles.position);
    let radius = coefficients.interaction_radius;
    let squared_step = coefficients.time_step * coefficients.time_step;
    let mut blocks = neighbours.grid.blocks(0..particles.len());
    while let Some(block) = blocks.next() {
        for i in block.particles.clone() {
            if particles.activity[i] < Activity::Pressing {
                continue;
            }
            find_neighbours(neighbours_of_particle, sorted_positions, block, i, radius);
            let class = particles.class[i].index();
            let class_coefficients = &classes[class];

            let (mut density, mut near_density) = (0.0, 0.0);
            for j in &*neighbours_of_particle {
                let distance = particles.position[i].distance(particles.position[*j]);
                let q = (1.0 - distance * coefficients.inverse_radius).max(0.0);
                density += q * q;
                near_density += q * q * q;
            }
            particles.relative_density[i] = density / class_coefficients.equilibrium_density;
            let StatePressures { pressure, near_pressure, .. } =
                pressures(class_coefficients, *resistance, 0.0, density, near_density);

            let mut displacement = Vec2::ZERO;
            for j in &*neighbours_of_particle {
                let offset = particles.position[*j] - particles.position[i];
                let distance = offset.length();
                let q = (1.0 - distance * coefficients.inverse_radius).max(0.0);
                let direction = if distance < coefficients.coincidence_distance {
                    separation_axis(particles.id[i], particles.id[*j])
                } else {
                    offset / distance
                };
                let size = squared_step * (pressure * q + near_pressure * q * q);
                let (share, other_share) = coefficients.shares(class, particles.class[*j].index());
                if particles.activity[*j] > Activity::Asleep {
                    particles.displace(*j, direction * (size * other_share));
                }
                displacement -= direction * (size * share);
            }
            particles.displace(i, displacement);
        }
    }
    let (max_displacement, time_step) = (coefficients.max_displacement, coefficients.time_step);
    particles.limit_displacements(sorted_positions, max_displacement, time_step);
    particles.mark_moved();
}

// Viscosity (Clavet et al. 2005, Algorithm 5): the velocities of the pairs change in place, one pair after
// the other.

/// Visits every pair `i < j` in the order of the arrays. Each pair reads the velocities that the preceding
/// pairs have changed. With the approach speed `u` of the pair, `v_i -= I m_j/(m_i + m_j) r_hat` and
/// `v_j += I m_i/(m_i + m_j) r_hat`, where `I = q u (dt (sigma + beta u) + dt linear)`. The part in
/// brackets applies only if `u > 0`.
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
    let mut neighbours_of_i = std::mem::take(&mut work.neighbours);
    let mut blocks = neighbours.grid.blocks(0..particles.len());
    while let Some(block) = blocks.next() {
        for i in block.particles.clone() {
            if particles.activity[i] == Activity::Asleep {
                continue;
            }
            find_neighbours(&mut neighbours_of_i, &particles.position, block, i, radius);
            for j in neighbours_of_i.iter().copied().filter(|j| *j > i) {
                let offset = particles.position[j] - particles.position[i];
                let distance = offset.length();
                let is_coincident = distance < coefficients.coincidence_distance;
                if is_coincident || particles.activity[j] == Activity::Asleep {
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
    work.neighbours = neighbours_of_i;
}

// The neighbours of one particle.

/// Fills `neighbours` with the indices of all particles closer than the interaction radius to
/// particle `i` of a block, in array order. `positions` are the positions that the grid was sorted
/// by.
pub(super) fn find_neighbours(
    neighbours: &mut Vec<usize>,
    positions: &[Vec2],
    block: &Block,
    i: usize,
    interaction_radius: f32,
) {
    let squared_radius = interaction_radius * interaction_radius;
    let is_neighbour =
        |j: &usize| *j != i && positions[i].distance_squared(positions[*j]) < squared_radius;
    neighbours.clear();
    neighbours.extend(block.spans().flatten().filter(is_neighbour));
    // The spans of a folded grid are not in order.
    neighbours.sort_unstable();
}

// The workspace of the classic solver.

/// Coefficients and buffers of the classic solver. No content outlives a tick.
#[derive(Clone, Debug, Default)]
pub(crate) struct Classic {
    pub classes: Vec<EquationOfState>,
    pub resistance: Resistance,
    /// `dt sigma`.
    pub approach: f32,
    /// `dt beta`.
    pub quadratic: f32,
    /// `dt` times the linear part.
    pub linear: f32,
    /// Largest `dt (sigma + beta u)`.
    pub viscosity_limit: f32,
    /// Factor on the viscosity between different classes.
    pub cross_class: f32,
    pub reflection: Reflection,
    /// Indices of the neighbours of one particle.
    pub neighbours: Vec<usize>,
    /// Positions that the grid was sorted by.
    pub sorted_positions: Vec<Vec2>,
}

impl Classic {
    /// Derives the coefficients of substeps from valid settings.
    pub(crate) fn derive_coefficients(
        &mut self,
        parameters: &FluidParameters,
        classes: &ClassTable,
        shared: &Coefficients,
    ) {
        self.classes.clear();
        self.classes.extend(classes.iter().map(|class| EquationOfState::of(parameters, class)));
        self.resistance = Resistance::of_paper(parameters, shared.time_step);
        let viscosity = &parameters.viscosity;
        self.approach = viscosity.approach * shared.per_time_unit;
        self.quadratic = viscosity.quadratic * shared.time_step / parameters.particle_spacing;
        self.linear = (viscosity.linear * shared.per_time_unit).min(viscosity.limit);
        self.viscosity_limit = viscosity.limit;
        self.cross_class = viscosity.cross_class;
        self.reflection = Reflection {
            restitution: parameters.classic.restitution,
            dead_zone: parameters.classic.dead_zone * parameters.particle_spacing,
        };
    }

    /// Fraction of its approach speed that a pair loses in a substep, without the factor `q`.
    pub(crate) fn viscosity_rate(&self, approach: f32, same_class: bool) -> f32 {
        let mut rate = self.linear;
        if approach > 0.0 {
            rate += (self.approach + self.quadratic * approach).min(self.viscosity_limit);
        }
        // A larger exchange would separate the pair faster than it approached.
        (if same_class { rate } else { rate * self.cross_class }).min(1.0)
    }

    /// Whether any viscosity is above 0.
    pub(crate) fn is_viscous(&self) -> bool {
        self.approach + self.quadratic + self.linear > 0.0
    }
}
