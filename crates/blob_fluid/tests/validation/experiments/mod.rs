//! The experiments, and their common functions.

mod air;
pub mod compared;
mod floating;
pub mod honey_and_jelly;
mod independence;
mod invariances;
mod layers;
pub mod powder;

use blob_fluid::{FluidParameters, FluidSleeping, FluidWorld, SerialExecutor};

use crate::page::Finding;
pub use compared::{TICK, scene};

/// All experiments, in the order of the page.
pub const EXPERIMENTS: &[(&str, fn() -> Finding)] = &[
    ("free flight", independence::free_flight),
    ("momentum", compared::momentum),
    ("hydrostatic column", compared::hydrostatic_column),
    ("dam break", compared::dam_break),
    ("standing wave", compared::standing_wave),
    ("Rayleigh-Taylor instability", compared::rayleigh_taylor),
    ("stratification", layers::stratification),
    ("layers", layers::layers),
    ("weightless blob", compared::weightless_blob),
    ("impact", compared::impact),
    ("jelly and putty", honey_and_jelly::jelly_and_putty),
    ("honey", honey_and_jelly::honey),
    ("powder", powder::run),
    ("powder that collapses", powder::collapse),
    ("powder in water", powder::sunk_in_water),
    ("powder on a board", powder::on_board),
    ("floating bodies", floating::run),
    ("symmetry", independence::symmetry),
    ("convergence", independence::convergence),
    ("independence", independence::independence),
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
