//! The core's experiments, stepped by a device. What a scene settles before it begins, the core settles.

#[allow(unfulfilled_lint_expectations, reason = "the core's crate disallows more")]
#[path = "../../../../blob_fluid/tests/validation/experiments/compared.rs"]
pub mod compared;

use blob_fluid::measure::{layer_order, measure};
use blob_fluid::{FluidWorld, ParticleTag, SavedParticle, SavedParticles, SerialExecutor};
use blob_fluid_gpu::GpuParticle;

use crate::adapter::{device, on};
use crate::page::Finding;
pub use compared::{TICK, scene};

/// Runs ticks on a device until this time, in seconds, has been simulated, copies its particles back after each,
/// and calls `watch`.
pub fn run_until(world: &mut FluidWorld, seconds: f64, mut watch: impl FnMut(&FluidWorld)) {
    let both = device().expect("a device");
    let mut liquid = on(&both, world);
    liquid.set_exact(true);
    while world.time() < seconds - 1e-6 {
        liquid.step(world.liquid_mut(), TICK).expect("a valid step");
        bring_back(world, &liquid.read_particles().expect("read"));
        watch(world);
    }
}

/// Replaces the particles of a world.
fn bring_back(world: &mut FluidWorld, particles: &[GpuParticle]) {
    let temperature = world.parameters().ambient_temperature;
    let saved = |particle: &GpuParticle| SavedParticle {
        position: particle.position,
        velocity: particle.velocity,
        class: particle.class.0,
        temperature,
        exposure: 0.0,
        relative_density: particle.relative_density,
        pressure: particle.kept_pressure,
        grain: None,
        paint: None,
        age: 0.0,
        lifetime: None,
        tag: ParticleTag::default(),
        new: true,
    };
    let saved = SavedParticles {
        classes: world.classes().iter().map(|class| class.name.clone()).collect(),
        particles: particles.iter().map(saved).collect(),
        ..SavedParticles::default()
    };
    world.despawn_where(|_, _| true);
    world.restore_particles(&saved).expect("valid");
}

/// The main job, without what needs sleep.
pub fn stratification() -> Finding {
    let mut world = scene("stratification").start(&SerialExecutor).expect("valid");
    let mut orders = Vec::new();
    let mut drift = 0.0_f64;
    run_until(&mut world, 60.0, |world| {
        if world.ticks() % 300 == 0 {
            orders.push((world.time(), layer_order(world)));
        }
        if world.time() >= 29.99 && world.ticks() % 30 == 0 {
            drift = drift.max(measure(world).centre_of_mass[0].abs());
        }
    });
    let at =
        |time: f64| orders.iter().find(|(t, _)| (t - time).abs() < 0.01).expect("measured then").1;
    let end = measure(&world);
    Finding {
        experiment: "stratification",
        description: "Three liquids in a round container sort themselves.",
        measured: vec![
            ("layer order at 5 s", at(5.0)),
            ("layer order at 10 s", at(10.0)),
            ("layer order at 20 s", at(20.0)),
            ("layer order at 60 s", at(60.0)),
            ("misplaced at 60 s", end.misplaced),
            ("interface thickness at 60 s, h", end.interface_thickness),
            ("rms speed at 60 s, px/s", end.rms_speed),
            ("largest sideways drift of the centre from 30 s on, px", drift),
            ("particles lost", (3000 - end.particles + end.escaped) as f64),
        ],
        plots: vec![],
    }
}
