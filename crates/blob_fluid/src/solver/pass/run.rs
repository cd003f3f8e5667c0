//! Runs one pass of a substep.

use crate::liquid::state::Liquid;
use crate::solver::columns::Columns;
use crate::solver::method::{Method, Substep};
use crate::solver::neighbours::hash::hash_positions;
use crate::solver::pass::added_mass::AddedMass;
use crate::solver::pass::bodies::move_bodies;
use crate::solver::pass::contacts::Contacts;
use crate::solver::pass::damping::apply_damping;
use crate::solver::pass::forces::apply_forces;
use crate::solver::pass::gravity::apply_gravity;
use crate::solver::pass::heat::exchange_heat;
use crate::solver::pass::paint::{PaintBuffers, mix_paint};
use crate::solver::pass::quarantine::{Checked, quarantine};
use crate::solver::pass::reactions::{ReactionOutcome, react};
use crate::solver::pass::table::FluidPass;
use crate::solver::pass::velocity::update_velocities;
use crate::solver::pass::wall_friction::apply_wall_friction;

/// Buffers of the passes that all solvers share.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedBuffers {
    /// As they are at the beginning of a tick.
    pub columns: Columns,
    temperatures: Vec<f32>,
    paints: PaintBuffers,
    outcomes: Vec<ReactionOutcome>,
    contacts: Contacts,
    added_mass: AddedMass,
}

/// Runs one pass of a substep. Those that `method` runs are the solver's own, and all solvers share
/// the others.
pub(crate) fn run_pass<M: Method>(
    pass: FluidPass,
    method: &mut M,
    buffers: &mut SharedBuffers,
    substep: Substep,
) {
    let (c, executor) = (substep.coefficients, substep.executor);
    let (liquid, neighbours) = (&mut *substep.liquid, &mut *substep.neighbours);
    let Liquid { particles, boundary, loads, forces, sleep, parameters, .. } = &mut *liquid;
    match pass {
        FluidPass::ApplyGravity => apply_gravity(particles, c, executor),
        FluidPass::ApplyForces => {
            apply_forces(particles, forces, c, executor);
            if !forces.fields.is_empty() {
                // The host's code may have made any number of it, and the next passes read neighbours.
                quarantine(liquid, Checked::Awake, c.time_step, executor);
            }
        }
        FluidPass::ApplyDamping => {
            apply_damping(particles, boundary, loads, &buffers.columns, c, executor);
        }
        FluidPass::ApplyWallFriction => {
            apply_wall_friction(particles, boundary, loads, &neighbours.free, c, executor);
        }
        FluidPass::ApplyViscosity => method.apply_viscosity(substep),
        FluidPass::ExchangeHeat => {
            exchange_heat(liquid, neighbours, &mut buffers.temperatures, c, executor);
        }
        FluidPass::React => {
            if react(liquid, neighbours, &mut buffers.outcomes, c, executor) {
                neighbours.free.forget();
            }
        }
        FluidPass::AdvancePositions => method.advance_positions(substep),
        FluidPass::ContainPrediction => method.contain_prediction(substep),
        FluidPass::Quarantine => quarantine(liquid, Checked::Awake, c.time_step, executor),
        FluidPass::HashPositions => {
            let asleep = parameters.sleeping.is_on().then_some(sleep.asleep);
            hash_positions(particles, neighbours, c.interaction_radius, asleep, executor);
        }
        FluidPass::MixPaint => mix_paint(liquid, neighbours, &mut buffers.paints, c, executor),
        FluidPass::ApplySprings => method.apply_springs(substep),
        FluidPass::RelaxDensity => method.relax_density(substep),
        FluidPass::Contain => method.contain(substep),
        FluidPass::UpdateVelocities => update_velocities(particles, sleep, c.time_step, executor),
        FluidPass::MoveBodies => {
            let SharedBuffers { contacts, added_mass, .. } = buffers;
            added_mass.begin(boundary);
            move_bodies(boundary, contacts, c.into(), |boundary| {
                added_mass.share(particles, boundary, M::ATTACHED_MASS, c, executor);
            });
        }
    }
}
