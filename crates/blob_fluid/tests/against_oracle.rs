//! The fast passes against the oracle, after every pass.

mod oracle;

use blob_fluid::shape::{fermat_spiral, scatter};
use blob_fluid::{
    ClassId, Container, ContainerShape, FluidParameters, FluidWorld, Force, MassSplit,
    ParticleSpawn, Relaxation, SerialExecutor, Substeps, Viscosity, Wall, pass,
};
use glam::{DVec2, Vec2};
use oracle::Oracle;

/// Largest difference after one pass over values of the size `scale`, given that about `terms`
/// numbers were added in 32 bits: each addition is wrong by half a unit in the last place at most.
fn rounding(scale: f64, terms: f64) -> f64 {
    scale * terms * f64::from(f32::EPSILON)
}

/// A world of mixed classes in a disc of that radius, moving in all directions.
fn cloud(parameters: FluidParameters, containers: Vec<Container>, radius: f32) -> FluidWorld {
    let mut world = FluidWorld::new(parameters).expect("valid");
    world.set_containers(containers);
    let spacing = parameters.particle_spacing;
    let count = (3.0 * radius * radius / (spacing * spacing)) as usize;
    for (index, place) in fermat_spiral(Vec2::ZERO, radius, count).into_iter().enumerate() {
        let spawn = ParticleSpawn {
            position: place + scatter(index as u32) * (0.3 * spacing),
            velocity: scatter(!(index as u32)) * 150.0,
            class: ClassId((index % 3) as u8),
        };
        world.spawn(spawn).expect("valid");
    }
    world
}

/// Runs the oracle's pass on the state before, and compares with the state after.
fn compare(world: &FluidWorld, mut before: Oracle, name: &str, run: impl FnOnce(&mut Oracle)) {
    // Coincident pairs are given a direction by their ids, which the oracle does not know.
    let apart = before.radius() * 2e-4;
    let alone = |here: &oracle::Particle, all: &[oracle::Particle]| {
        all.iter()
            .all(|other| other.id == here.id || other.position.distance(here.position) > apart)
    };
    let defined: Vec<bool> = before.particles.iter().map(|p| alone(p, &before.particles)).collect();
    assert!(defined.iter().filter(|defined| !**defined).count() * 50 < defined.len());
    run(&mut before);
    let arrays = world.particles();
    assert_eq!(arrays.len(), before.particles.len());
    // Positions are at most a few hundred units and speeds a thousand; sums have up to about a
    // hundred neighbours, and a rounded pressure moves a particle by up to a radius times as much.
    // What a pass has no business with must stay what it was.
    let (position_bound, velocity_bound) = match name {
        "hash_positions" => (0.0, 0.0),
        "apply_gravity" | "apply_forces" | "apply_damping" => (0.0, rounding(1000.0, 4.0)),
        "apply_viscosity" => (0.0, rounding(1000.0, 100.0)),
        "update_velocities" => (0.0, rounding(2000.0, 4.0)),
        "advance_positions" | "contain" => (rounding(500.0, 4.0), 0.0),
        "relax_density" => (rounding(500.0, 4.0) + rounding(30.0, 30.0), 0.0),
        _ => unreachable!("no such pass"),
    };
    let compared = before.particles.iter().zip(defined).filter(|(_, defined)| *defined);
    for (expected, _) in compared {
        let place = arrays.place(expected.id).expect("alive");
        let check = |what: &str, fast: Vec2, slow: DVec2, bound: f64| {
            let error = (fast.as_dvec2() - slow).length();
            assert!(error <= bound, "{name}: {what} of {:?}: {fast} against {slow}", expected.id);
        };
        check("position", arrays.positions()[place], expected.position, position_bound);
        check("displacement", arrays.displacements()[place], expected.displacement, position_bound);
        check("velocity", arrays.velocities()[place], expected.velocity, velocity_bound);
    }
}

/// Takes one tick of two substeps pass by pass, beside the oracle.
fn check_every_pass(mut world: FluidWorld) {
    let mut parameters = *world.parameters();
    parameters.substeps = Substeps::Fixed(2);
    world.set_parameters(parameters).expect("valid");
    let report = world.begin_tick(1.0 / 60.0).expect("a valid step");
    let executor = SerialExecutor;
    for _ in 0..report.substeps {
        let dt = f64::from(report.time_step / report.substeps as f32);
        macro_rules! pass {
            ($name:ident $(, $executor:expr)?) => {
                let before = Oracle::of(&world, dt);
                pass::$name(&mut world $(, $executor)?);
                compare(&world, before, stringify!($name), |oracle| oracle.$name());
            };
        }
        pass!(apply_gravity);
        pass!(apply_forces);
        pass!(apply_damping);
        pass!(apply_viscosity, &executor);
        pass!(advance_positions);
        let before = Oracle::of(&world, dt);
        pass::hash_positions(&mut world);
        compare(&world, before, "hash_positions", |_| {});
        pass!(relax_density, &executor);
        pass!(contain);
        pass!(update_velocities);
    }
    world.end_tick(report);
}

fn circle(radius: f32) -> Vec<Container> {
    vec![Container::circle(Vec2::ZERO, radius).expect("valid")]
}

#[test]
fn free_liquid() {
    check_every_pass(cloud(FluidParameters::default(), vec![], 90.0));
    let floating = FluidParameters::new(7.9, Vec2::ZERO);
    check_every_pass(cloud(floating, vec![], 90.0));
}

#[test]
fn in_a_round_container_that_it_touches() {
    check_every_pass(cloud(FluidParameters::default(), circle(95.0), 96.0));
}

#[test]
fn in_a_turned_rectangle_with_corners() {
    let shape = ContainerShape::Rectangle { half_size: Vec2::new(70.0, 55.0) };
    let turn = Vec2::new(0.8, 0.6);
    let container = Container::new(shape, Vec2::new(2.0, -1.0), turn).expect("valid");
    check_every_pass(cloud(FluidParameters::default(), vec![container], 88.0));
}

#[test]
fn in_two_containers() {
    let both = [-50.0, 50.0].map(|x| Container::circle(Vec2::new(x, 0.0), 45.0).expect("valid"));
    check_every_pass(cloud(FluidParameters::default(), both.to_vec(), 90.0));
}

#[test]
fn under_forces_and_thick() {
    let viscosity =
        Viscosity { approach: 0.5, quadratic: 1.0, linear: 2.0, limit: 0.1, cross_class: 0.7 };
    let parameters = FluidParameters { viscosity, ..FluidParameters::default() };
    let mut world = cloud(parameters, circle(100.0), 90.0);
    let force = |position, acceleration| Force { position, radius: 60.0, acceleration, drag: 3.0 };
    let forces = [force(Vec2::new(20.0, 0.0), 900.0), force(Vec2::new(-40.0, 9.0), -700.0)];
    world.set_forces(&forces).expect("valid");
    check_every_pass(world);
}

#[test]
fn in_the_form_of_its_ancestors() {
    let parameters = FluidParameters {
        rest_density: Some(10.0),
        stiffness: 0.072,
        relaxation: Relaxation::Classic,
        mass_split: MassSplit::InverseMass,
        wall: Wall::Reflect { restitution: 0.8, dead_zone: 0.06, unsticking: 0.7 },
        ..FluidParameters::default()
    };
    check_every_pass(cloud(parameters, circle(95.0), 96.0));
}

#[test]
fn packed_beyond_the_pressures_bound() {
    let parameters = FluidParameters::default();
    let mut world = FluidWorld::new(parameters).expect("valid");
    for index in 0..400 {
        let position = scatter(index) * 6.0;
        world.spawn(ParticleSpawn { position, ..Default::default() }).expect("valid");
    }
    let report = world.begin_tick(1.0 / 60.0).expect("valid");
    let dt = f64::from(report.time_step / report.substeps as f32);
    pass::advance_positions(&mut world);
    pass::hash_positions(&mut world);
    let mut oracle = Oracle::of(&world, dt);
    pass::relax_density(&mut world, &SerialExecutor);
    oracle.relax_density();
    for expected in &oracle.particles {
        let place = world.particles().place(expected.id).expect("alive");
        let fast = world.particles().displacements()[place].as_dvec2();
        let error = (fast - expected.displacement).length();
        // Four hundred terms that nearly cancel, each as large as the bound allows.
        assert!(error <= rounding(30.0, 800.0), "{fast} against {}", expected.displacement);
    }
}
