//! Settings and passes of the solver `double_density`. It ignores no setting.

use crate::liquid::state::Liquid;
use crate::parallel::executor::{CHUNK, Executor};
use crate::particles::arrays::Computed;
use crate::settings::class::ClassFilter;
use crate::settings::parameters::FluidParameters;
use crate::solver::coefficients::Coefficients;
use crate::solver::double_density::DoubleDensity;
use crate::solver::double_density::coefficients::{Frozen, STABLE_SPRING};
use crate::solver::double_density::crowding::Crowding;
use crate::solver::double_density::displacements::{
    DisplacementInputs, DisplacementOutputs, Sweep, compute_displacements,
};
use crate::solver::double_density::grain_pores::{
    DragInputs, PoreInputs, apply_darcy_drag, compute_pores,
};
use crate::solver::double_density::grains::{
    PushInputs, StressInputs, compute_stresses, push_grains,
};
use crate::solver::double_density::pressures::{PressureMemory, compute_pressures};
use crate::solver::double_density::seepage::substeps_for_seepage;
use crate::solver::double_density::segregation::compute_weights;
use crate::solver::double_density::springs::apply_springs;
use crate::solver::double_density::viscosity::apply_viscosity;
use crate::solver::double_density::walls::{apply_collider_loads, apply_grain_wall_friction};
use crate::solver::equation_of_state::{
    GRANULAR_STIFFNESS, Resistance, STIFFNESS, stable_memory_fraction,
};
use crate::solver::ignores::IgnoredRule;
use crate::solver::method::{Method, Substep};
use crate::solver::neighbours::hash::{Neighbours, refresh};
use crate::solver::pair_forces::coefficients::sufficient_substep;
use crate::solver::substeps::SubstepDemand;

/// Number of substeps that keeps the stiffest springs stable.
fn substeps_for_springs(liquid: &Liquid, present: ClassFilter, time_step: f32) -> f32 {
    let elastic = liquid.classes.members(present).filter_map(|class| class.elasticity);
    let max_stiffness = elastic.map(|elasticity| elasticity.stiffness).fold(0.0, f32::max);
    time_step / liquid.parameters.time_unit() * (max_stiffness / STABLE_SPRING).sqrt()
}

/// Number of substeps that thick liquid needs to flow correctly. In one long substep, honey spreads farther than the
/// law of its spreading predicts.
fn substeps_for_viscosity(liquid: &Liquid, present: ClassFilter, time_step: f32) -> f32 {
    let of_classes = liquid.classes.members(present).filter_map(|class| class.viscosity);
    let max_viscosity = of_classes.map(|viscosity| viscosity.linear);
    let max_viscosity = max_viscosity.fold(liquid.parameters.viscosity.linear, f32::max);
    (max_viscosity * time_step / liquid.parameters.time_unit() / MAX_VISCOUS_EXCHANGE).min(2.0)
}

/// Linear viscosity times `dt/T0` above which a tick takes two substeps.
const MAX_VISCOUS_EXCHANGE: f32 = 0.7;

impl DoubleDensity {
    /// The number of substeps for a liquid with particles of the `present` classes. `max_memory_fraction` limits the
    /// fraction of the resistance that particles keep.
    pub(super) fn demand_within(
        liquid: &Liquid,
        present: ClassFilter,
        time_step: f32,
        max_memory_fraction: f32,
    ) -> SubstepDemand {
        let Liquid { parameters, classes, clock, .. } = liquid;
        let stable = stable_memory_fraction(parameters, classes.members(present));
        let stable = stable.min(max_memory_fraction);
        // Kept resistance also bears a lasting load.
        let memory_fraction =
            clock.eased_memory_fraction(stable, time_step, parameters.time_unit());
        // Powder keeps no resistance.
        let granular = classes.members(present).any(|class| class.powder.is_some());
        let without_memory = if granular { GRANULAR_STIFFNESS } else { 1.0 };
        let resisting = |memory_fraction: f32| {
            if granular { without_memory } else { 1.0 / (1.0 - memory_fraction) }
        };
        let for_springs = substeps_for_springs(liquid, present, time_step);
        let min_stable = for_springs.ceil().max(1.0) as u32;
        let for_seepage = substeps_for_seepage(parameters, classes.members(present), time_step);
        let other_substeps = for_springs.max(substeps_for_viscosity(liquid, present, time_step));
        let other_substeps = other_substeps.max(for_seepage);
        // Softer grains make sand run faster and heaps flatter. With this limit, both do not depend on the tick rate.
        // Heaps in a liquid need the largest resistance that the substeps allow.
        let dry = classes.members(present).all(|class| class.powder.is_some());
        let sufficient_length =
            if dry { sufficient_substep(parameters) * (1.0 - memory_fraction).sqrt() } else { 0.0 };
        SubstepDemand {
            stiffness: STIFFNESS * resisting(memory_fraction),
            stiffness_with_full_memory: STIFFNESS * resisting(stable),
            stiffness_beside_yielding: STIFFNESS * without_memory,
            memory_fraction,
            other_substeps,
            min_stable,
            sufficient_length,
            is_calibrated: !granular,
        }
    }

    /// Derives the coefficients of substeps for a liquid with particles of the `present` classes, with at most
    /// `max_sweeps` sweeps of viscosity.
    pub(super) fn derive_with_sweeps(
        &mut self,
        liquid: &Liquid,
        present: ClassFilter,
        shared: &Coefficients,
        max_sweeps: u32,
    ) {
        let Liquid { parameters, classes, .. } = liquid;
        let resistance = Resistance::for_substep(liquid, shared.time_step);
        self.pressure.derive(parameters, classes, present, resistance, shared);
        let seepage = &self.pressure.seepage;
        self.viscosity.derive(parameters, classes, present, shared, seepage, max_sweeps);
    }
}

impl Method for DoubleDensity {
    const IGNORED_SETTINGS: &'static [IgnoredRule] = &[];

    fn demand(liquid: &Liquid, time_step: f32) -> SubstepDemand {
        Self::demand_within(liquid, liquid.particles.present_classes(), time_step, f32::MAX)
    }

    fn unsticking(parameters: &FluidParameters) -> f32 {
        parameters.ghost_walls.unsticking
    }

    fn resistance(liquid: &Liquid, time_step: f32) -> Resistance {
        Resistance::for_substep(liquid, time_step)
    }

    fn derive(&mut self, liquid: &Liquid, shared: &Coefficients) {
        let present = liquid.particles.present_classes();
        self.derive_with_sweeps(liquid, present, shared, liquid.effort.viscosity_sweeps);
    }

    fn viscosity_sweeps(&self) -> (u32, u32) {
        let viscosity = &self.viscosity;
        let sweeps = if viscosity.is_viscous() { viscosity.sweeps() } else { 0 };
        (sweeps, viscosity.sweeps_given_up())
    }

    fn apply_viscosity(&mut self, substep: Substep) {
        let Substep { liquid, neighbours, coefficients, executor } = substep;
        apply_viscosity(liquid, neighbours, self, coefficients, executor);
    }

    fn contain_prediction(&mut self, substep: Substep) {
        substep.contain_particles();
    }

    fn apply_springs(&mut self, substep: Substep) {
        let Substep { liquid, neighbours, coefficients, executor } = substep;
        apply_springs(liquid, neighbours, self, coefficients, executor);
    }

    fn relax_density(&mut self, substep: Substep) {
        let Substep { liquid, neighbours, coefficients, executor } = substep;
        relax_density(liquid, neighbours, self, coefficients, executor);
    }
}

// Double density relaxation (Clavet et al. 2005, Algorithm 2), as a symmetric gather.
//
// The paper moves pairs one after the other. Here every particle sums its own displacement from positions and pressures
// that were frozen before the pass. So the order of the pairs does not matter, and the two displacements of a pair
// still come from equal and opposite forces.

/// Moves every particle by the sum of:
///
/// - pressure: `-1/2 (dt^2/m_i) sum_j [(m_i P_i + m_j P_j) q + (m_i Pn_i + m_j Pn_j) q^2] r_hat`
/// - segregation of classes (not in the paper): `(dt^2/m_i) sum_j kappa (w_i - w_j) s q g/15`. `w` is the
///   gravitational mass. `s` is 1.5 if the heavier particle is straight above the lighter one, 1 beside it and 0.5
///   straight below. For a weak contrast `c = |w_i - w_j|`, a second term acts where the two are at rest relative to
///   each other. In place of `w_i - w_j`, it has `2 min(m_i, m_j) - 4 c` with the same sign, and `s` is 2 above, 1
///   beside and 0 below
/// - attraction within and between classes (not in the paper): `1/2 (dt^2/m_i) sum_j A_ij q (1 - q) r_hat`
/// - walls: the push of the missing liquid behind them
/// - viscosity: `dt` times the velocity that the last sweep exchanges (see
///   [`FluidPass::ApplyViscosity`](crate::FluidPass::ApplyViscosity)). Where particles are crowded, this is a separate
///   sweep
/// - stress of [powder](crate::FluidPowder) (not in the paper): the stored shear stress of its grains,
///   limited by Coulomb's law, and friction of grains on walls
/// - drag between powder and the liquid that seeps through it (not in the paper), by Darcy's law. The two share their
///   space: between them only the pressure of the liquid acts, multiplied by 0.6
///
/// No particle is accelerated to more than `4 h` per substep.
///
/// See [`FluidParameters`](crate::FluidParameters) for the formula of the pressures. If particles were added, removed
/// or moved since [`FluidPass::HashPositions`](crate::FluidPass::HashPositions), they are hashed again.
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
        grain_displacements,
        stresses,
        pushes,
        pore_sources,
        pore_states,
        drag_sums,
        seepage_rows,
        total_displacements,
        neighbours: chunk_neighbours,
        crowded_neighbours,
        viscosity_rows,
        displacement_rows,
        crowding,
        displacements,
        ..
    } = work;
    let count = particles.len();
    // Also allocated while no resistance is kept, so that no value is missing when it is kept again.
    particles.pressure.resize(count, 0.0);
    let present = particles.present_classes();
    let granular = pressure.any_grains(present);
    particles.remember_grains(granular);
    let (view, computed) = particles.view_and_computed();
    let Computed { relative_density, rest_time, pressure: resistance, grains } = computed;
    let Neighbours { grid, free_discs, class_presence, .. } = neighbours;
    let class_presence = class_presence.compute(view.class, coefficients.classes.len());
    if class_presence.has_several() && pressure.segregation.is_active() {
        compute_weights(weights, view, coefficients, executor);
    }
    let frozen = Frozen {
        particles: view,
        solids: boundary,
        coefficients,
        pressure,
        granular,
        presence: class_presence,
        weights,
    };
    let memory = PressureMemory { relative_density: &mut *relative_density, resistance };
    compute_pressures(
        frozen,
        grid,
        memory,
        pressures,
        drag_sums,
        seepage_rows,
        chunk_neighbours,
        free_discs,
        executor,
    );
    if grains.is_empty() {
        stresses.clear();
    } else {
        let any_liquid = pressure.any_fills_pores(present);
        let inputs = PoreInputs { frozen, pressures, neighbours: chunk_neighbours, any_liquid };
        compute_pores(
            inputs,
            grains,
            relative_density,
            seepage_rows,
            pore_sources,
            pore_states,
            executor,
        );
        let stress_inputs = StressInputs { grains, pore_states };
        compute_stresses(
            frozen,
            stress_inputs,
            relative_density,
            chunk_neighbours,
            grain_displacements,
            stresses,
            executor,
        );
    }
    let crowded =
        viscosity.is_viscous() && Crowding::may_be_needed(view, relative_density, viscosity);
    let combined_viscosity = (!crowded).then_some(&*viscosity);
    let inputs = DisplacementInputs {
        frozen,
        viscosity: combined_viscosity,
        pressures,
        stresses,
        neighbours: chunk_neighbours,
    };
    let outputs = DisplacementOutputs { displacements, pushes, rest_time };
    compute_displacements(inputs, outputs, viscosity_rows, displacement_rows, executor);
    if crowded {
        let sweep = Sweep {
            particles: view,
            grid,
            presence: class_presence,
            viscosity,
            coefficients,
            number: 0,
        };
        sweep.compute_crowding(crowding, viscosity_rows, crowded_neighbours, executor);
        let time_step = coefficients.time_step;
        sweep.exchange(
            displacements,
            viscosity_rows,
            crowded_neighbours,
            crowding,
            time_step,
            executor,
        );
    }
    loads.begin_pass(count.div_ceil(CHUNK));
    if !grains.is_empty() {
        let push_inputs =
            PushInputs { pushes, stresses, pore_states, pressures, neighbours: chunk_neighbours };
        push_grains(frozen, push_inputs, grains, displacements, executor);
        apply_grain_wall_friction(
            &frozen,
            pressures,
            chunk_neighbours,
            pore_states,
            displacements,
            loads,
            executor,
        );
    }
    if pressure.seepage.is_active() {
        let inputs = DragInputs { frozen, drag_sums, neighbours: chunk_neighbours };
        apply_darcy_drag(inputs, seepage_rows, total_displacements, displacements, executor);
    }
    if boundary.any_bears_load() {
        apply_collider_loads(&frozen, pressures, pushes, chunk_neighbours, loads, executor);
        loads.end_pass(boundary);
    }
    let (max_displacement, time_step) = (coefficients.max_displacement, coefficients.time_step);
    particles.displace_all(displacements, max_displacement, time_step, executor);
    particles.mark_moved();
}
