//! The experiments, one in each file, and their common functions.

mod air;
mod convergence;
pub mod dam_break;
mod floating;
mod free_flight;
pub mod honey;
pub mod hydrostatic;
pub mod impact;
mod independence;
mod invariances;
mod jelly_and_putty;
mod layers;
pub mod momentum;
pub mod powder;
mod rayleigh_taylor;
mod scenes;
pub mod standing_wave;
mod stratification;
mod symmetry;
pub mod weightless_blob;

use blob_fluid::{FluidParameters, FluidSleeping, FluidWorld, SerialExecutor};

use crate::page::Finding;
pub use scenes::{TICK, scene};

/// All experiments, in the order of the page.
pub const EXPERIMENTS: &[(&str, fn() -> Finding)] = &[
    ("free flight", free_flight::run),
    ("momentum", momentum::run),
    ("hydrostatic column", hydrostatic::run),
    ("dam break", dam_break::run),
    ("standing wave", standing_wave::run),
    ("Rayleigh-Taylor instability", rayleigh_taylor::run),
    ("stratification", stratification::run),
    ("layers", layers::run),
    ("weightless blob", weightless_blob::run),
    ("impact", impact::run),
    ("jelly and putty", jelly_and_putty::run),
    ("honey", honey::run),
    ("powder", powder::run),
    ("powder that collapses", powder::collapse),
    ("powder in water", powder::sunk_in_water),
    ("powder on a board", powder::on_board),
    ("floating bodies", floating::run),
    ("symmetry", symmetry::run),
    ("convergence", convergence::run),
    ("independence", independence::run),
    ("invariances", invariances::run),
    ("air: Taylor-Green vortices", air::taylor_green),
    ("air: lid-driven cavity", air::driven_cavity),
    ("air: wake of a cylinder", air::wake_of_cylinder),
    ("air: smoke and walls", air::smoke_and_walls),
];

/// Runs ticks until this time, in seconds, has been simulated, and calls `watch` after each. No
/// particle sleeps, so that results at rest come from the simulation and not from sleep.
pub fn run_until(world: &mut FluidWorld, seconds: f64, watch: impl FnMut(&FluidWorld)) {
    let awake = FluidParameters { sleeping: FluidSleeping::OFF, ..*world.parameters() };
    world.set_parameters(awake).expect("valid");
    run_as_it_is(world, seconds, watch);
}

/// As [`run_until`], for a world that may sleep.
fn run_as_it_is(world: &mut FluidWorld, seconds: f64, mut watch: impl FnMut(&FluidWorld)) {
    while world.time() < seconds - 1e-6 {
        world.step(TICK, &SerialExecutor).expect("a valid step");
        watch(world);
    }
}
