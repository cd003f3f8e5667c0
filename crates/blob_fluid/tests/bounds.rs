//! Settings at the ends of their ranges, and products of them, leave the liquid whole.

use blob_fluid::{
    ClassId, ClassTable, DensityClass, FluidParameters, FluidWorld, ParticleSpawn, SerialExecutor,
    Viscosity,
};
use glam::Vec2;

const TICK: f32 = 1.0 / 60.0;

/// A square of liquid without gravity, whose particles move to and fro and take the classes in
/// turn; `closer` is how many times closer they are than at rest.
fn shaken(parameters: FluidParameters, classes: ClassTable, closer: f32) -> FluidWorld {
    let count = classes.len();
    let parameters = FluidParameters { gravity: Vec2::ZERO, ..parameters };
    let mut world = FluidWorld::new(parameters).expect("valid");
    world.set_classes(classes).expect("valid");
    for index in 0..196_usize {
        let place = Vec2::new((index % 14) as f32, (index / 14) as f32);
        let position = place * (parameters.particle_spacing / closer);
        let to_and_fro = Vec2::new((index * 7 % 5) as f32 - 2.0, (index * 3 % 7) as f32 - 3.0);
        let class = ClassId((index * 5 % count) as u8);
        let spawn = ParticleSpawn { position, class, velocity: to_and_fro, ..Default::default() };
        world.spawn(spawn).expect("valid");
    }
    world
}

fn masses(masses: &[f32]) -> ClassTable {
    let class =
        |mass: &f32| DensityClass { mass: *mass, name: mass.to_string(), ..Default::default() };
    ClassTable::new(masses.iter().map(class).collect()).expect("valid")
}

/// Energy of motion and momentum, both with the classes' masses.
fn motion(world: &FluidWorld) -> (f32, Vec2) {
    let particles = world.particles();
    let each = particles
        .velocities()
        .iter()
        .zip(particles.classes())
        .map(|(velocity, class)| (world.classes()[*class].mass, *velocity));
    each.fold((0.0, Vec2::ZERO), |(energy, momentum), (mass, velocity)| {
        (energy + 0.5 * mass * velocity.length_squared(), momentum + mass * velocity)
    })
}

#[test]
fn viscosity_only_ever_takes_energy() {
    let thick = Viscosity { approach: 0.5, linear: 20.0, ..Viscosity::default() };
    let all = [
        ("between classes", Viscosity { cross_class: 10.0, ..thick }),
        ("without a limit", Viscosity { limit: 1.0, cross_class: 1.0, ..thick }),
        (
            "all at the ends of their ranges",
            Viscosity { approach: 1e3, quadratic: 1e3, linear: 1e3, limit: 1.0, cross_class: 10.0 },
        ),
    ];
    for (name, viscosity) in all {
        for classes in [&[1.0, 1.0][..], &[1.0, 1e3], &[1e-3, 1.0, 1e3]] {
            for closer in [1.0, 4.0] {
                // Nothing but viscosity moves the particles.
                let parameters =
                    FluidParameters { viscosity, stiffness: 0.0, ..FluidParameters::default() };
                let mut world = shaken(parameters, masses(classes), closer);
                let (begin, momentum) = motion(&world);
                for _ in 0..3 {
                    for _ in 0..world.begin_tick(TICK, &SerialExecutor).expect("valid").substeps {
                        world.run_pass(blob_fluid::Pass::ApplyViscosity, &SerialExecutor);
                    }
                    let (energy, _) = motion(&world);
                    assert!(energy <= begin, "{name}, {classes:?}, {closer}: {energy} of {begin}");
                }
                let (_, after) = motion(&world);
                let scale = (2.0 * begin * classes.iter().sum::<f32>() * 196.0).sqrt();
                assert!((after - momentum).length() <= 1e-5 * scale, "{name}, {classes:?}");
            }
        }
    }
}
