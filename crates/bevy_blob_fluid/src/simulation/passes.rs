//! One thin system per pass, each in the set named after it.

use bevy::platform::time::Instant;
use bevy::prelude::*;
use blob_fluid::pass;

use super::executor::ComputeExecutor;
use super::pass_times::{FluidPassTimes, TimedFluid};
use super::resources::{FluidGovernor, FluidSimulation, FluidStatistics};
use crate::schedule::{FluidSchedule, FluidStepSystems, FluidSubstepSchedule, FluidTickSystems};

/// Adds the passes to [`FluidSubstepSchedule`] and what runs them to [`FluidSchedule`].
pub(crate) fn add_to(app: &mut App) {
    app.add_systems(FluidSchedule, run_substeps.in_set(FluidTickSystems::Substeps)).add_systems(
        FluidSubstepSchedule,
        (
            apply_gravity.in_set(FluidStepSystems::ApplyGravity),
            apply_forces.in_set(FluidStepSystems::ApplyForces),
            apply_damping.in_set(FluidStepSystems::ApplyDamping),
            grip_surfaces.in_set(FluidStepSystems::GripSurfaces),
            apply_viscosity.in_set(FluidStepSystems::ApplyViscosity),
            exchange_heat.in_set(FluidStepSystems::ExchangeHeat),
            react.in_set(FluidStepSystems::React),
            advance_positions.in_set(FluidStepSystems::AdvancePositions),
            hash_positions.in_set(FluidStepSystems::HashPositions),
            apply_springs.in_set(FluidStepSystems::ApplySprings),
            relax_density.in_set(FluidStepSystems::RelaxDensity),
            contain.in_set(FluidStepSystems::Contain),
            update_velocities.in_set(FluidStepSystems::UpdateVelocities),
            move_bodies.in_set(FluidStepSystems::MoveBodies),
        ),
    );
}

/// Runs [`FluidSubstepSchedule`] as often as the tick needs, or as its budget allows.
fn run_substeps(world: &mut World) {
    let time_step = world.resource::<Time>().delta_secs();
    let effort = world.resource::<FluidGovernor>().0.map(|governor| governor.effort());
    world.resource_mut::<FluidPassTimes>().clear();
    let begin = Instant::now();
    let mut fluid = world.resource_mut::<FluidSimulation>();
    fluid.set_effort(effort.unwrap_or_default());
    let report = match fluid.begin_tick(time_step, &ComputeExecutor) {
        Ok(report) => report,
        Err(error) => {
            warn_once!("the fluid stands still: {error}");
            return;
        }
    };
    for _ in 0..report.substeps {
        world.run_schedule(FluidSubstepSchedule);
    }
    let mut fluid = world.resource_mut::<FluidSimulation>();
    let report = fluid.end_tick(report, &ComputeExecutor);
    let (out_of_bounds, recycled) = (fluid.out_of_bounds(), fluid.recycled());
    let taken = begin.elapsed();
    if let Some(governor) = &mut world.resource_mut::<FluidGovernor>().0 {
        governor.observe(&report, taken.as_secs_f64());
    }
    let mut statistics = world.resource_mut::<FluidStatistics>();
    statistics.passes_milliseconds = 1e3 * taken.as_secs_f32();
    statistics.substeps = report.substeps;
    statistics.given_up = report.given_up;
    statistics.asleep = report.asleep;
    statistics.out_of_bounds = out_of_bounds;
    statistics.recycled = recycled;
}

fn apply_gravity(mut fluid: TimedFluid) {
    fluid.run(FluidStepSystems::ApplyGravity, pass::apply_gravity);
}

fn apply_forces(mut fluid: TimedFluid) {
    fluid.run(FluidStepSystems::ApplyForces, pass::apply_forces);
}

fn apply_damping(mut fluid: TimedFluid) {
    fluid.run(FluidStepSystems::ApplyDamping, pass::apply_damping);
}

fn grip_surfaces(mut fluid: TimedFluid) {
    fluid.run(FluidStepSystems::GripSurfaces, pass::grip_surfaces);
}

fn apply_viscosity(mut fluid: TimedFluid) {
    fluid.run(FluidStepSystems::ApplyViscosity, pass::apply_viscosity);
}

fn exchange_heat(mut fluid: TimedFluid) {
    fluid.run(FluidStepSystems::ExchangeHeat, pass::exchange_heat);
}

fn react(mut fluid: TimedFluid) {
    fluid.run(FluidStepSystems::React, pass::react);
}

fn advance_positions(mut fluid: TimedFluid) {
    fluid.run(FluidStepSystems::AdvancePositions, pass::advance_positions);
}

fn hash_positions(mut fluid: TimedFluid) {
    fluid.run(FluidStepSystems::HashPositions, pass::hash_positions);
}

fn apply_springs(mut fluid: TimedFluid) {
    fluid.run(FluidStepSystems::ApplySprings, pass::apply_springs);
}

fn relax_density(mut fluid: TimedFluid) {
    fluid.run(FluidStepSystems::RelaxDensity, pass::relax_density);
}

fn contain(mut fluid: TimedFluid) {
    fluid.run(FluidStepSystems::Contain, pass::contain);
}

fn update_velocities(mut fluid: TimedFluid) {
    fluid.run(FluidStepSystems::UpdateVelocities, pass::update_velocities);
}

fn move_bodies(mut fluid: TimedFluid) {
    fluid.run(FluidStepSystems::MoveBodies, pass::move_bodies);
}
