use blob_fluid::{FluidParameters, FluidWorld, ParticleSpawn, SerialExecutor, Settling};
use glam::{DVec2, Vec2};

use super::TICK;
use crate::page::Finding;

/// Number of ticks, of one substep each.
const TICKS: u32 = 300;

pub fn run() -> Finding {
    let settling = Settling::OFF;
    let parameters = FluidParameters { settling, ..FluidParameters::default() };
    let mut world = FluidWorld::new(parameters).expect("valid");
    let velocity = Vec2::new(60.0, 490.0);
    world.spawn(ParticleSpawn { velocity, ..Default::default() }).expect("valid");
    let (dt, gravity) = (f64::from(TICK), parameters.gravity.as_dvec2());
    // Every tick adds to the velocity and to the position, and each sum and each product rounds by
    // at most half an epsilon. An error of the velocity changes the position in all later ticks.
    let half = 0.5 * f64::from(f32::EPSILON);
    let (mut bound, mut velocity_bound, mut worst) = (0.0, 0.0, 0.0_f64);
    for tick in 1..=TICKS {
        world.step(TICK, &SerialExecutor).expect("valid");
        assert_eq!(world.substeps(), 1);
        let n = f64::from(tick);
        // Semi-implicit Euler is ahead of the parabola by g dt t/2.
        let speed = velocity.as_dvec2() + gravity * (n * dt);
        let point: DVec2 =
            velocity.as_dvec2() * (n * dt) + gravity * (0.5 * dt * dt * n * (n + 1.0));
        // At the end of a substep the displacement over the time step is added again; it is 0 here.
        velocity_bound += half * (2.0 * gravity.length() * dt + speed.length());
        bound += dt * velocity_bound + half * (2.0 * speed.length() * dt + point.length());
        let error = (world.particles().positions()[0].as_dvec2() - point).length();
        worst = worst.max(error / bound);
    }
    Finding {
        experiment: "free flight",
        description: "One particle is thrown, without drag. Its orbit is that of semi-implicit Euler, known exactly: \
                      `x0 + v0 t + g t (t + dt)/2`.",
        measured: vec![("distance from the exact orbit, in rounding errors", worst)],
        plots: vec![],
    }
}
