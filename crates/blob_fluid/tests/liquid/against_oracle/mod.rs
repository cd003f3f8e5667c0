//! Compares the fast passes with the oracle after every pass.

mod coincident;
mod many_ticks;
mod rich;

use blob_fluid::shape::{fermat_spiral, scatter};
use blob_fluid::{
    ClassId, ClassTable, ClassicSettings, Container, DensityClass, FluidParameters, FluidPass,
    FluidShape, FluidSolver, FluidWorld, Force, GhostWalls, ParticleSpawn, SerialExecutor,
    Substeps, Viscosity,
};
use glam::{DVec2, Vec2};

use crate::oracle;
use crate::oracle::{Oracle, Particle};
use crate::ticks::TICK;

/// A world with particles of mixed classes in a disc, which move in all directions.
fn cloud(parameters: FluidParameters, containers: Vec<Container>, radius: f32) -> FluidWorld {
    let mut world = FluidWorld::new(parameters).expect("valid");
    for container in containers {
        world.insert_container(container);
    }
    let spacing = parameters.particle_spacing;
    let count = (3.0 * radius * radius / (spacing * spacing)) as usize;
    for (index, point) in fermat_spiral(Vec2::ZERO, radius, count).into_iter().enumerate() {
        let spawn = ParticleSpawn {
            position: point + scatter(index as u32) * (0.3 * spacing),
            velocity: scatter(!(index as u32)) * (3.8 * parameters.speed_unit()),
            class: ClassId((index % 3) as u8),
            ..Default::default()
        };
        world.spawn(spawn).expect("valid");
    }
    world
}

/// Runs the oracle's pass, which eases nothing in, on the state before the pass, and compares the result with the state
/// after it.
fn compare(world: &FluidWorld, mut slow: Oracle, name: &str, run: impl FnOnce(&mut Oracle)) {
    let arrays = world.particles();
    assert_eq!(arrays.len(), slow.particles.len());
    // A pass that needs neighbours may have sorted the arrays first.
    slow.sort(arrays.ids());
    // The ids of a coincident pair give it a direction, which the oracle does not know.
    let coincides = |particle: &Particle| slow.particles.iter().any(|p| slow.coincide(particle, p));
    let coincident: Vec<bool> = slow.particles.iter().map(coincides).collect();
    let reach = if name == "relax_density" { slow.radius() } else { 0.0 };
    let homeless = |particle: &Particle| slow.home_is_undecided(particle, reach);
    let homeless: Vec<bool> = slow.particles.iter().map(homeless).collect();
    run(&mut slow);
    let (mut compared, mut decided, mut compared_in_several) = (0, 0, 0);
    let in_several: Vec<bool> =
        slow.particles.iter().map(|particle| slow.holders(particle) > 1).collect();
    for (((expected, coincident), homeless), in_several) in
        slow.particles.iter().zip(coincident).zip(homeless).zip(&in_several)
    {
        decided += usize::from(!homeless);
        if expected.errors.undecided || homeless || coincident && name == "relax_density" {
            continue;
        }
        compared += 1;
        compared_in_several += usize::from(*in_several);
        let index = arrays.index_of(expected.id).expect("alive");
        let check = |what: &str, fast: Vec2, slow: DVec2, bound: f64| {
            let error = (fast.as_dvec2() - slow).length();
            assert!(
                error <= bound,
                "{name}: {what} of {:?}: {fast} against {slow}, off by {error:e}, where rounding \
                 explains {bound:e}",
                expected.id
            );
        };
        let errors = &expected.errors;
        check("position", arrays.positions()[index], expected.position, errors.position);
        let before = arrays.previous_positions()[index];
        check("previous position", before, expected.previous_position, 0.0);
        check(
            "displacement",
            arrays.displacements()[index],
            expected.displacement,
            errors.displacement,
        );
        check("velocity", arrays.velocities()[index], expected.velocity, errors.velocity);
        let kept_pressure = arrays.kept_pressures().get(index).copied().unwrap_or_default();
        for (what, fast, slow, bound) in [
            ("temperature", arrays.temperatures()[index], expected.temperature, errors.temperature),
            ("exposure", arrays.exposures()[index], expected.exposure, errors.exposure),
            ("kept pressure", kept_pressure, expected.pressure, errors.pressure),
        ] {
            let error = (f64::from(fast) - slow).abs();
            assert!(
                error <= bound,
                "{name}: {what} of {:?}: {fast} against {slow}, off by {error:e}, where rounding \
                 explains {bound:e}",
                expected.id
            );
        }
        assert_eq!(arrays.classes()[index].index(), expected.class, "{name}: {:?}", expected.id);
    }
    assert!(10 * compared > 9 * decided, "{name}: only {compared} compared");
    let in_several = in_several.into_iter().filter(|several| *several).count();
    assert!(
        2 * compared_in_several >= in_several,
        "{name}: only {compared_in_several} of {in_several} in several containers compared"
    );
}

/// Runs two ticks of two substeps pass by pass, together with the oracle.
fn check_every_pass(mut world: FluidWorld) {
    let parameters = FluidParameters { substeps: Substeps::Fixed(2), ..*world.parameters() };
    world.set_parameters(parameters).expect("valid");
    for _ in 0..2 {
        let report = world.begin_tick(TICK, &SerialExecutor).expect("a valid step");
        let executor = SerialExecutor;
        for _ in 0..report.substeps {
            let dt = f64::from(report.time_step / report.substeps as f32);
            macro_rules! pass {
                ($($(#[$doc:meta])* $pass:ident, $name:ident, $label:literal, $formula:literal, $source:literal;)*) => {
                    $(
                        let before = Oracle::of(&world, dt);
                        world.run_pass(FluidPass::$pass, &executor);
                        compare(&world, before, stringify!($name), |oracle| oracle.$name());
                    )*
                };
            }
            blob_fluid::for_each_pass!(pass);
        }
        world.end_tick(report, &SerialExecutor);
    }
}

fn circle(radius: f32) -> Vec<Container> {
    vec![Container::circle(Vec2::ZERO, radius).expect("valid")]
}

fn rectangle(centre: Vec2, half_size: Vec2, turn: Vec2) -> Container {
    Container::new(FluidShape::Rectangle { half_size }, centre, turn).expect("valid")
}

/// The settings of this solver's ancestors.
fn ancestral() -> FluidParameters {
    FluidParameters {
        rest_density: Some(10.0),
        stiffness: 0.072,
        solver: FluidSolver::Classic,
        classic: ClassicSettings { restitution: 0.8, dead_zone: 0.06, unsticking: 0.7 },
        viscosity: Viscosity { cross_class: 1.0, ..Viscosity::default() },
        ..FluidParameters::default()
    }
}

/// Classes with different factors on gravity.
fn ancestral_classes() -> ClassTable {
    let scaled = |(class, scale): (&DensityClass, f32)| DensityClass {
        gravity_scale: scale,
        relative_rest_density: scale,
        ..class.clone()
    };
    let defaults = ClassTable::default();
    ClassTable::new(defaults.iter().zip([1.2, 1.0, 0.75]).map(scaled).collect()).expect("valid")
}

#[test]
fn free_liquid() {
    check_every_pass(cloud(FluidParameters::default(), vec![], 90.0));
}

#[test]
fn free_liquid_without_gravity() {
    let parameters = FluidParameters { gravity: Vec2::ZERO, ..FluidParameters::default() };
    check_every_pass(cloud(parameters, vec![], 90.0));
}

#[test]
fn in_a_round_container_that_it_touches() {
    check_every_pass(cloud(FluidParameters::default(), circle(80.0), 88.0));
}

#[test]
fn in_a_round_container_off_centre() {
    let container = Container::circle(Vec2::new(300.0, -200.0), 90.0).expect("valid");
    let mut world = FluidWorld::default();
    world.insert_container(container.clone());
    for (index, point) in fermat_spiral(container.centre(), 96.0, 400).into_iter().enumerate() {
        let class = ClassId((index % 3) as u8);
        let velocity = scatter(index as u32) * 150.0;
        world
            .spawn(ParticleSpawn { position: point, velocity, class, ..Default::default() })
            .expect("valid");
    }
    check_every_pass(world);
}

#[test]
fn in_a_rectangle_with_corners() {
    let container = rectangle(Vec2::new(-3.0, 2.0), Vec2::new(60.0, 70.0), Vec2::X);
    check_every_pass(cloud(FluidParameters::default(), vec![container.clone()], 88.0));
}

#[test]
fn in_a_turned_rectangle_with_corners() {
    let container = rectangle(Vec2::new(2.0, -1.0), Vec2::new(70.0, 55.0), Vec2::new(0.8, 0.6));
    check_every_pass(cloud(FluidParameters::default(), vec![container.clone()], 88.0));
}

#[test]
fn in_a_channel_whose_walls_are_both_near() {
    let container = rectangle(Vec2::ZERO, Vec2::new(90.0, 11.0), Vec2::new(0.6, -0.8));
    let mut world = FluidWorld::default();
    world.insert_container(container.clone());
    for index in 0..150 {
        let along = (index as f32 - 75.0) * 1.3;
        let point = container.rotation() * along + scatter(index) * 12.0;
        let class = ClassId((index % 3) as u8);
        let velocity = scatter(!index) * 100.0;
        world
            .spawn(ParticleSpawn { position: point, velocity, class, ..Default::default() })
            .expect("valid");
    }
    check_every_pass(world);
}

#[test]
fn with_memory_of_pressure() {
    let parameters = FluidParameters { pressure_memory: 0.5, ..FluidParameters::default() };
    check_every_pass(cloud(parameters, vec![], 90.0));
    check_every_pass(cloud(parameters, circle(80.0), 88.0));
    // As much as is stable with few neighbours and a stiff liquid.
    let parameters = FluidParameters { radius_ratio: 2.7, stiffness: 4.0, ..parameters };
    check_every_pass(cloud(parameters, circle(80.0), 84.0));
}

#[test]
fn with_drops_that_stay_apart() {
    let parameters = FluidParameters { cohesion_onset: 0.2, ..FluidParameters::default() };
    check_every_pass(cloud(parameters, vec![], 90.0));
    check_every_pass(cloud(parameters, circle(80.0), 88.0));
}

#[test]
fn in_two_containers() {
    let both = [-50.0, 50.0].map(|x| Container::circle(Vec2::new(x, 0.0), 45.0).expect("valid"));
    check_every_pass(cloud(FluidParameters::default(), both.to_vec(), 90.0));
}

#[test]
#[ignore = "long: .ci/run"]
fn in_containers_that_overlap() {
    let first = Container::circle(Vec2::new(-90.0, 0.0), 150.0).expect("valid");
    let second = rectangle(Vec2::new(90.0, 0.0), Vec2::new(135.0, 150.0), Vec2::new(0.96, 0.28));
    check_every_pass(cloud(FluidParameters::default(), vec![first, second], 264.0));
}

#[test]
fn a_second_container_far_away_makes_no_difference() {
    let mut alone = cloud(FluidParameters::default(), circle(80.0), 79.0);
    let mut beside = alone.clone();
    beside.insert_container(Container::circle(Vec2::new(1000.0, 0.0), 80.0).expect("valid"));
    for _ in 0..60 {
        alone.step(TICK, &SerialExecutor).expect("valid");
        beside.step(TICK, &SerialExecutor).expect("valid");
    }
    assert_eq!(alone.state_hash(), beside.state_hash());
}

#[test]
fn under_forces_and_thick() {
    let viscosity =
        Viscosity { approach: 0.5, quadratic: 1.0, linear: 2.0, limit: 0.1, cross_class: 0.7 };
    let parameters = FluidParameters { viscosity, ..FluidParameters::default() };
    let mut world = cloud(parameters, circle(100.0), 90.0);
    let force = |centre, acceleration| Force {
        drag: 3.0,
        ..Force::attract(centre, 60.0, acceleration).expect("valid")
    };
    let forces = [force(Vec2::new(20.0, 0.0), 900.0), force(Vec2::new(-40.0, 9.0), -700.0)];
    world.set_forces(&forces).expect("valid");
    check_every_pass(world);
}

#[test]
fn in_the_form_of_its_ancestors() {
    let mut world = cloud(ancestral(), circle(95.0), 96.0);
    world.set_classes(ancestral_classes()).expect("as many");
    world.end_easing();
    check_every_pass(world);
    let container = rectangle(Vec2::new(2.0, -1.0), Vec2::new(75.0, 60.0), Vec2::new(0.8, 0.6));
    let mut world = cloud(ancestral(), vec![container.clone()], 88.0);
    world.set_classes(ancestral_classes()).expect("as many");
    world.end_easing();
    check_every_pass(world);
}

#[test]
fn with_other_ghost_walls_and_gravity_of_classes() {
    let ghost_walls = GhostWalls { density: 0.6, unsticking: 0.3 };
    let parameters = FluidParameters { ghost_walls, ..FluidParameters::default() };
    let mut world = cloud(parameters, circle(80.0), 84.0);
    world.set_classes(ancestral_classes()).expect("as many");
    world.end_easing();
    check_every_pass(world);
}

#[test]
fn in_other_units_and_with_other_settings() {
    let mut parameters = FluidParameters::new(0.08, Vec2::new(3.0, -9.0));
    parameters.radius_ratio = 3.1;
    parameters.near_stiffness_ratio = 4.0;
    parameters.equilibrium_ratio = 0.7;
    parameters.near_share = 0.25;
    parameters.stiffness = 0.5;
    parameters.settling.drag = 0.3;
    parameters.settling.calm_speed = 4.0;
    let container = rectangle(Vec2::new(0.03, 0.0), Vec2::new(0.7, 0.6), Vec2::new(0.28, 0.96));
    check_every_pass(cloud(parameters, vec![container.clone()], 0.9));
}

#[test]
fn the_oracles_walls_are_the_integral_of_the_kernel() {
    // The sum runs over strips along the wall, unlike the closed form.
    for step in 0..10 {
        let u = f64::from(step) / 10.0;
        let strips = 1000;
        let mut sums = [0.0; 4];
        for i in 0..strips {
            let x = u + (1.0 - u) * (f64::from(i) + 0.5) / f64::from(strips);
            let half = (1.0 - x * x).sqrt();
            for j in 0..strips {
                let y = half * (f64::from(j) + 0.5) / f64::from(strips);
                let r = x.hypot(y);
                let area = 2.0 * half * (1.0 - u) / f64::from(strips * strips);
                let q = 1.0 - r;
                for (sum, value) in
                    sums.iter_mut().zip([q * q, q * q * q, q * x / r, q * q * x / r])
                {
                    *sum += value * area;
                }
            }
        }
        let exact = oracle::ghost(u);
        let closed = [exact.density, exact.near_density, exact.push, exact.near_push];
        for (closed, sum) in closed.into_iter().zip(sums) {
            assert!((closed - sum).abs() < 1e-6, "u = {u}: {closed} against {sum}");
        }
    }
}
