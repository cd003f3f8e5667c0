use blob_fluid::measure::measure;
use blob_fluid::shape::{fermat_spiral, scatter};
use blob_fluid::{
    ClassId, FluidParameters, FluidSolver, FluidWorld, ParticleSpawn, Settling, Substeps,
};
use glam::{DVec2, Vec2};

use super::run_until;
use crate::page::Finding;

pub fn run() -> Finding {
    Finding {
        experiment: "momentum",
        description: "A thousand particles of three masses turn, drift and collide without gravity. Measured: the change \
                      of the sum of `m v`, relative to the sum of `m |v|`. The same particles fall freely, \
                      without drag: the change beyond that of particles without neighbours.",
        measured: vec![
            ("relative error after 10 s", error_around(Vec2::splat(300.0), FluidSolver::default())),
            (
                "relative error after 10 s, 10,000 units from the origin",
                error_around(Vec2::splat(1e4), FluidSolver::default()),
            ),
            ("relative error after 2 s of free fall while the masses are sorted", error_in_fall()),
        ],
        plots: vec![],
    }
}

/// The error of the sum of `m v` after 10 s, relative to the sum of `m |v|`.
pub fn error_around(centre: Vec2, solver: FluidSolver) -> f64 {
    let parameters = FluidParameters { solver, ..FluidParameters::new(7.9, Vec2::ZERO) };
    let mut world = drop_around(centre, 1.0, parameters);
    let before = measure(&world);
    run_until(&mut world, 10.0, |_| {});
    let after = measure(&world);
    let change = DVec2::from(after.momentum) - DVec2::from(before.momentum);
    change.length() / before.momentum_scale
}

/// Change of a falling drop's momentum beyond that of the same particles without neighbours,
/// whose additions of gravity are rounded as well.
fn error_in_fall() -> f64 {
    let (settling, substeps) = (Settling::OFF, Substeps::Fixed(2));
    let parameters = FluidParameters { settling, substeps, ..FluidParameters::default() };
    let [(gained, scale), (alone, _)] = [1.0, 100.0].map(|spread| {
        let mut world = drop_around(Vec2::ZERO, spread, parameters);
        let before = DVec2::from(measure(&world).momentum);
        run_until(&mut world, 2.0, |_| {});
        let after = measure(&world);
        (DVec2::from(after.momentum) - before, after.momentum_scale)
    });
    (gained - alone).length() / scale
}

/// A drop of a thousand particles of three masses, turning, drifting and jostling. Their distances
/// are multiplied by `spread`.
fn drop_around(centre: Vec2, spread: f32, parameters: FluidParameters) -> FluidWorld {
    let mut world = FluidWorld::new(parameters).expect("valid");
    for (index, position) in fermat_spiral(centre, 150.0, 1000).into_iter().enumerate() {
        let turning = (position - centre).perp() * 0.5;
        let velocity = turning + scatter(index as u32) * 20.0 + Vec2::new(30.0, -10.0);
        let position = centre + spread * (position - centre);
        let class = ClassId((index % 3) as u8);
        world
            .spawn(ParticleSpawn { position, velocity, class, ..Default::default() })
            .expect("valid");
    }
    world
}
