//! Compares the fast passes with the oracle after every pass.

use std::collections::HashMap;

use blob_fluid::shape::{fermat_spiral, scatter};
use blob_fluid::*;
use glam::{DVec2, Vec2};

use crate::oracle;
use crate::oracle::{Oracle, Particle};
use crate::pools::{
    add_collider, add_container, change_parameters, moving, pour_class, pour_mixed, spawn,
    weightless, world_with,
};
use crate::ticks::{TICK, run};

/// A world with particles of mixed classes in a disc, which move in all directions.
fn cloud(parameters: FluidParameters, containers: Vec<Container>, radius: f32) -> FluidWorld {
    let mut world = world_with(parameters);
    for container in containers {
        world.insert_container(container);
    }
    let spacing = parameters.particle_spacing;
    let count = (3.0 * radius * radius / (spacing * spacing)) as usize;
    for (index, point) in fermat_spiral(Vec2::ZERO, radius, count).into_iter().enumerate() {
        let position = point + scatter(index as u32) * (0.3 * spacing);
        let velocity = scatter(!(index as u32)) * (3.8 * parameters.speed_unit());
        let class = ClassId((index % 3) as u8);
        spawn(&mut world, ParticleSpawn { class, ..moving(position, velocity) });
    }
    world
}

/// The world with other classes, as many, which do not spread its liquid.
fn of_classes(mut world: FluidWorld, classes: ClassTable) -> FluidWorld {
    world.set_classes(classes).expect("as many");
    world.end_easing();
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
    let is_damping = name == "apply_damping";
    let homeless = |particle: &Particle| {
        slow.home_is_undecided(particle, reach) || is_damping && slow.bed_is_undecided(particle)
    };
    let homeless: Vec<bool> = slow.particles.iter().map(homeless).collect();
    run(&mut slow);
    let (mut compared, mut decided, mut compared_in_several) = (0, 0, 0);
    let in_several: Vec<bool> =
        slow.particles.iter().map(|particle| slow.holders(particle) > 1).collect();
    for (number, expected) in slow.particles.iter().enumerate() {
        let (coincident, homeless) = (coincident[number], homeless[number]);
        decided += usize::from(!homeless);
        if expected.errors.undecided || homeless || coincident && name == "relax_density" {
            continue;
        }
        compared += 1;
        compared_in_several += usize::from(in_several[number]);
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
        let displacement = arrays.displacements()[index];
        check("displacement", displacement, expected.displacement, errors.displacement);
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
    assert!(decided > 0 || is_damping, "{name}: nothing is decided");
    assert!(10 * compared >= 9 * decided, "{name}: only {compared} compared");
    let all = in_several.into_iter().filter(|several| *several).count();
    let enough = 2 * compared_in_several >= all || is_damping;
    assert!(enough, "{name}: only {compared_in_several} of {all} in several containers compared");
}

/// Runs two ticks of two substeps pass by pass, together with the oracle.
fn check_every_pass(mut world: FluidWorld) {
    change_parameters(&mut world, |parameters| parameters.substeps = Substeps::Fixed(2));
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
            for_each_pass!(pass);
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
fn clouds_in_containers_and_without_with_many_settings() {
    let plain = FluidParameters::default();
    let memory = FluidParameters { pressure_memory: 0.5, ..plain };
    // As much memory as is stable with few neighbours and a stiff liquid.
    let stiff = FluidParameters { radius_ratio: 2.7, stiffness: 4.0, ..memory };
    let drops = FluidParameters { cohesion_onset: 0.2, ..plain };
    let mut other = FluidParameters::new(0.08, Vec2::new(3.0, -9.0));
    other.radius_ratio = 3.1;
    other.near_stiffness_ratio = 4.0;
    other.equilibrium_ratio = 0.7;
    other.near_share = 0.25;
    other.stiffness = 0.5;
    other.settling.drag = 0.3;
    other.settling.calm_speed = 4.0;
    let upright = rectangle(Vec2::new(-3.0, 2.0), Vec2::new(60.0, 70.0), Vec2::X);
    let turned = rectangle(Vec2::new(2.0, -1.0), Vec2::new(70.0, 55.0), Vec2::new(0.8, 0.6));
    let small = rectangle(Vec2::new(0.03, 0.0), Vec2::new(0.7, 0.6), Vec2::new(0.28, 0.96));
    let two = [-50.0, 50.0].map(|x| Container::circle(Vec2::new(x, 0.0), 45.0).expect("valid"));
    for (name, parameters, containers, radius) in [
        ("free", plain, vec![], 90.0),
        ("free without gravity", weightless(), vec![], 90.0),
        ("in a round container that it touches", plain, circle(80.0), 88.0),
        ("in a rectangle with corners", plain, vec![upright], 88.0),
        ("in a turned rectangle with corners", plain, vec![turned], 88.0),
        ("in two containers", plain, two.to_vec(), 90.0),
        ("free, with memory of pressure", memory, vec![], 90.0),
        ("with memory of pressure", memory, circle(80.0), 88.0),
        ("with memory of pressure, stiff", stiff, circle(80.0), 84.0),
        ("free, with drops that stay apart", drops, vec![], 90.0),
        ("with drops that stay apart", drops, circle(80.0), 88.0),
        ("in other units and with other settings", other, vec![small], 0.9),
    ] {
        println!("{name}");
        check_every_pass(cloud(parameters, containers, radius));
    }
}

#[test]
fn in_a_round_container_off_centre() {
    let centre = Vec2::new(300.0, -200.0);
    let mut world = FluidWorld::default();
    add_container(&mut world, Container::circle(centre, 90.0));
    for (index, position) in fermat_spiral(centre, 96.0, 400).into_iter().enumerate() {
        let class = ClassId((index % 3) as u8);
        let velocity = scatter(index as u32) * 150.0;
        spawn(&mut world, ParticleSpawn { class, ..moving(position, velocity) });
    }
    check_every_pass(world);
}

#[test]
fn in_a_channel_whose_walls_are_both_near() {
    let container = rectangle(Vec2::ZERO, Vec2::new(90.0, 11.0), Vec2::new(0.6, -0.8));
    let mut world = FluidWorld::default();
    world.insert_container(container.clone());
    for index in 0..150 {
        let along = (index as f32 - 75.0) * 1.3;
        let position = container.rotation() * along + scatter(index) * 12.0;
        let class = ClassId((index % 3) as u8);
        let velocity = scatter(!index) * 100.0;
        spawn(&mut world, ParticleSpawn { class, ..moving(position, velocity) });
    }
    check_every_pass(world);
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
    add_container(&mut beside, Container::circle(Vec2::new(1000.0, 0.0), 80.0));
    run(&mut alone, 60);
    run(&mut beside, 60);
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
    let turned = rectangle(Vec2::new(2.0, -1.0), Vec2::new(75.0, 60.0), Vec2::new(0.8, 0.6));
    for (containers, radius) in [(circle(95.0), 96.0), (vec![turned], 88.0)] {
        check_every_pass(of_classes(cloud(ancestral(), containers, radius), ancestral_classes()));
    }
}

#[test]
fn with_other_ghost_walls_and_gravity_of_classes() {
    let ghost_walls = GhostWalls { density: 0.6, unsticking: 0.3 };
    let parameters = FluidParameters { ghost_walls, ..FluidParameters::default() };
    check_every_pass(of_classes(cloud(parameters, circle(80.0), 84.0), ancestral_classes()));
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

// Classes that differ in everything, walls that grip, glow and move, and colliders.

/// Three classes that differ in every field, with pairs that interact in every way.
fn a_rich_table(linear: f32) -> ClassTable {
    let class = |name: &str| DensityClass { name: name.into(), ..DensityClass::default() };
    let lava = DensityClass {
        mass: 2.0,
        stiffness: 0.8,
        near_stiffness: 1.4,
        viscosity: Some(ClassViscosity { approach: 0.3, quadratic: 0.5, linear }),
        surface_tension: 0.7,
        thermal: FluidThermal {
            conductivity: 0.6,
            cooling: 0.1,
            expansion: 1e-4,
            below: Some(FluidTransition { temperature: 750.0, becomes: "stone".into() }),
            ..FluidThermal::default()
        },
        ..class("lava")
    };
    let water = DensityClass {
        surface_tension: -0.4,
        thermal: FluidThermal {
            conductivity: 5.0,
            expansion: 2e-3,
            above: Some(FluidTransition { temperature: 330.0, becomes: "steam".into() }),
            ..FluidThermal::default()
        },
        ..class("water")
    };
    let steam = DensityClass {
        mass: 0.4,
        relative_rest_density: 0.9,
        gravity_scale: -0.5,
        viscosity: Some(ClassViscosity { linear: 0.0, ..ClassViscosity::default() }),
        thermal: FluidThermal { conductivity: 0.2, cooling: 2.0, ..FluidThermal::default() },
        ..class("steam")
    };
    let quench = FluidReaction {
        rate: 3.0,
        becomes: [Some("stone".into()), Some("steam".into())],
        temperature: Some(300.0),
    };
    let stain =
        FluidReaction { rate: 2.0, becomes: [None, Some("water".into())], temperature: None };
    let pairs = vec![
        ClassPair {
            viscosity: Some(ClassViscosity { approach: 0.1, quadratic: 0.9, linear: 0.4 }),
            cohesion: -0.6,
            reaction: Some(quench),
            ..ClassPair::new("lava", "water")
        },
        ClassPair {
            cohesion: 0.9,
            segregation: Some(2.0),
            reaction: Some(stain),
            ..ClassPair::new("water", "steam")
        },
    ];
    ClassTable::with_pairs(vec![lava, water, steam, class("stone")], pairs).expect("valid")
}

/// Gives the particles of [`a_rich_table`]'s classes temperatures around those at which they
/// change.
fn warm(world: &mut FluidWorld) {
    let class_temperatures = [800.0, 300.0, 120.0];
    let temperatures: Vec<f32> = (0_u32..)
        .zip(world.particles().classes())
        .map(|(index, class)| class_temperatures[class.index()] + 120.0 * scatter(index).x)
        .collect();
    world.particles_mut().temperatures_mut().copy_from_slice(&temperatures);
}

#[test]
fn classes_that_differ_in_everything() {
    for linear in [0.5, 4.0, 500.0] {
        let world = cloud(FluidParameters::default(), circle(80.0), 84.0);
        let mut world = of_classes(world, a_rich_table(linear));
        warm(&mut world);
        let warm = Force::attract(Vec2::ZERO, 50.0, 30.0).expect("valid");
        let kettle = Force { heat: 4000.0, ..warm };
        world.set_forces(std::slice::from_ref(&kettle)).expect("valid");
        let classes: Vec<_> = world.particles().classes().to_vec();
        check_every_pass(world.clone());
        world.step(TICK, &SerialExecutor).expect("valid");
        let count = |classes: &[ClassId]| {
            let of = |class: u8| classes.iter().filter(|id| id.0 == class).count();
            [0, 1, 2, 3].map(of)
        };
        // Both heat and contact must have changed particles.
        let after = count(world.particles().classes());
        assert!(count(&classes)[3] == 0 && after[3] > 20 && after[2] > 20, "{after:?}");
    }
}

#[test]
fn walls_that_grip_and_glow() {
    for friction in [Some(0.0), Some(0.3), Some(1.0), None] {
        let wall = WallProperties {
            friction,
            stickiness: 6.0,
            stick_distance: 2.5,
            wetting: 0.3,
            temperature: Some(700.0),
        };
        let container = rectangle(Vec2::new(2.0, -1.0), Vec2::new(70.0, 55.0), Vec2::new(0.8, 0.6));
        let container = container.with_wall(wall).expect("valid");
        let world = cloud(FluidParameters::default(), vec![container.clone()], 88.0);
        check_every_pass(of_classes(world, a_rich_table(1.0)));
        let container = circle(80.0).remove(0).with_wall(wall).expect("valid");
        check_every_pass(cloud(FluidParameters::default(), vec![container.clone()], 88.0));
        check_every_pass(cloud(ancestral(), vec![container.clone()], 88.0));
    }
}

#[test]
fn weak_contrasts_that_pass_slowly() {
    // The last differs from the second by less than a fiftieth of what counts.
    let classes = [("heavy", 1.12), ("medium", 1.0), ("light", 0.98)]
        .map(|(name, mass)| DensityClass { name: name.into(), mass, ..DensityClass::default() });
    let world = cloud(FluidParameters::default(), circle(80.0), 79.0);
    let mut world = of_classes(world, ClassTable::new(classes.to_vec()).expect("valid"));
    // From pairs that stand still to pairs that pass each other by themselves.
    for velocity in world.particles_mut().velocities_mut() {
        *velocity *= 0.1;
    }
    check_every_pass(world);
}

#[test]
fn walls_that_move() {
    let motion = Motion { velocity: Vec2::new(140.0, -60.0), angular_velocity: 1.7 };
    for friction in [None, Some(0.4), Some(1.0)] {
        let wall = WallProperties { friction, ..WallProperties::default() };
        let moving = |container: Container| {
            container.with_wall(wall).and_then(|c| c.with_motion(motion)).expect("valid")
        };
        let turned = rectangle(Vec2::new(2.0, -1.0), Vec2::new(70.0, 55.0), Vec2::new(0.8, 0.6));
        for container in [circle(80.0).remove(0), turned] {
            for parameters in [FluidParameters::default(), ancestral()] {
                check_every_pass(cloud(parameters, vec![moving(container.clone())], 88.0));
            }
        }
    }
}

#[test]
fn around_colliders() {
    let wall = WallProperties { friction: Some(0.5), stickiness: 3.0, ..WallProperties::default() };
    for (wall, motion) in [
        (WallProperties::default(), Motion::STILL),
        (wall, Motion { velocity: Vec2::new(-700.0, 300.0), angular_velocity: -2.3 }),
    ] {
        let post = Collider::circle(Vec2::new(-30.0, 5.0), 18.0);
        let shape = FluidShape::Rectangle { half_size: Vec2::new(24.0, 3.0) };
        let plank = Collider::new(shape, Vec2::new(25.0, -12.0), Vec2::new(0.6, 0.8));
        let colliders = [post, plank].map(|collider| {
            let gripping = collider.and_then(|collider| collider.with_wall(wall));
            gripping.and_then(|gripping| gripping.with_motion(motion)).expect("valid")
        });
        for parameters in [FluidParameters::default(), ancestral()] {
            let mut world = cloud(parameters, circle(80.0), 84.0);
            for collider in &colliders {
                world.insert_collider(collider.clone());
            }
            check_every_pass(world);
        }
    }
}

#[test]
fn packed_hot_and_stuck() {
    // The particles are so dense that the limit of conduction acts, and the walls so sticky that
    // the limit of stickiness acts.
    let glue = WallProperties { stickiness: 1000.0, ..WallProperties::default() };
    let pot = circle(16.0).remove(0).with_wall(glue).expect("valid");
    let mut world = FluidWorld::default();
    world.insert_container(pot);
    world.set_classes(a_rich_table(4.0)).expect("no particles yet");
    pour_mixed(&mut world, (0..500).map(|index| scatter(index) * 11.0));
    warm(&mut world);
    check_every_pass(world);
}

/// Two boxes side by side, whose tops and bottoms share the liquid behind them. Neither hides the other from any
/// particle: the gap between them is wider than a seam, and each is wider than the interaction radius.
#[test]
fn over_two_boxes_that_share_the_liquid_behind_them() {
    for solver in [FluidSolver::DoubleDensity, FluidSolver::Sph, FluidSolver::SharedPressure] {
        let parameters = FluidParameters { solver, radius_ratio: 2.5, ..Default::default() };
        let mut world = cloud(parameters, vec![], 80.0);
        for x in [-13.0, 13.0] {
            let block = Collider::rectangle(Vec2::new(x, 0.0), Vec2::new(12.0, 20.0));
            add_collider(&mut world, block);
        }
        let solids: Vec<Collider> =
            world.colliders().map(|(_, collider)| collider.clone()).collect();
        let in_the_way = |at: &Vec2| {
            let between = at.abs().cmple(Vec2::new(2.0, 20.0)).all();
            between || solids.iter().any(|solid| solid.distance(*at) < 1.0)
        };
        let particles = world.particles();
        let all = particles.ids().iter().zip(particles.positions());
        let hidden: Vec<_> = all.filter(|(_, at)| in_the_way(at)).map(|(id, _)| *id).collect();
        hidden.into_iter().for_each(|id| assert!(world.despawn(id)));
        check_every_pass(world);
    }
}

/// Worlds for the solvers with forces between pairs: free, in containers, beside a collider, with
/// other settings.
#[test]
fn solvers_with_forces_between_pairs() {
    for solver in [FluidSolver::Sph, FluidSolver::SharedPressure] {
        let plain = FluidParameters { solver, ..FluidParameters::default() };
        check_every_pass(cloud(plain, vec![], 90.0));
        check_every_pass(cloud(plain, circle(80.0), 88.0));
        let turned = rectangle(Vec2::new(2.0, -1.0), Vec2::new(70.0, 55.0), Vec2::new(0.8, 0.6));
        check_every_pass(cloud(plain, vec![turned], 88.0));
        let mut with_post = cloud(plain, circle(95.0), 88.0);
        let post = Collider::circle(Vec2::new(20.0, -10.0), 15.0);
        let motion = Motion { velocity: Vec2::new(60.0, 10.0), ..Motion::STILL };
        add_collider(&mut with_post, post.and_then(|post| post.with_motion(motion)));
        check_every_pass(with_post);
        let other = FluidParameters {
            radius_ratio: 3.0,
            viscosity: Viscosity { linear: 3.0, cross_class: 0.5, ..Viscosity::default() },
            ghost_walls: GhostWalls { density: 0.7, ..GhostWalls::default() },
            sph: SphSettings { stiffness: 0.4, restitution: 0.8 },
            shared_pressure: SharedPressureSettings {
                stiffness: 0.5,
                near_stiffness_ratio: 0.1,
                cohesion: 0.1,
            },
            ..plain
        };
        check_every_pass(of_classes(cloud(other, circle(80.0), 88.0), ancestral_classes()));
    }
}

// Particles at the same place, or far too close to each other.

/// A cloud without walls. Every tenth particle has a twin at the same position, and another tenth
/// has one at a distance of a thousandth of a radius.
fn cloud_with_twins() -> FluidWorld {
    let mut world = cloud(FluidParameters::default(), vec![], 80.0);
    let originals: Vec<(Vec2, ClassId)> = {
        let particles = world.particles();
        particles.positions().iter().copied().zip(particles.classes().iter().copied()).collect()
    };
    let nearby = 1e-3 * world.parameters().interaction_radius();
    for (index, (position, class)) in originals.into_iter().enumerate() {
        let shift = match index % 20 {
            0 => Vec2::ZERO,
            10 => scatter(index as u32).normalize() * nearby,
            _ => continue,
        };
        let class = ClassId((class.0 + (index % 40 / 20) as u8) % 3);
        pour_class(&mut world, class, [position + shift]);
    }
    world
}

/// A step without velocities, because velocities would separate the twins before the relaxation.
fn relax_twins(world: &mut FluidWorld) -> (Oracle, Oracle) {
    world.particles_mut().velocities_mut().fill(Vec2::ZERO);
    let report = world.begin_tick(TICK, &SerialExecutor).expect("valid");
    let dt = f64::from(report.time_step / report.substeps as f32);
    world.run_pass(FluidPass::AdvancePositions, &SerialExecutor);
    world.run_pass(FluidPass::HashPositions, &SerialExecutor);
    let before = Oracle::of(world, dt);
    let mut expected = before.clone();
    expected.relax_density();
    world.run_pass(FluidPass::RelaxDensity, &SerialExecutor);
    (before, expected)
}

#[test]
fn what_overlaps_or_coincides_leaves_its_neighbours_alone() {
    let mut world = cloud_with_twins();
    let (before, _) = relax_twins(&mut world);
    compare(&world, before, "relax_density", Oracle::relax_density);
}

#[test]
fn coincident_particles_part_by_their_repulsion_and_keep_their_momentum() {
    let mut world = cloud_with_twins();
    let (before, expected) = relax_twins(&mut world);
    let mut pairs = 0;
    let mut directions = Vec::new();
    for i in 0..before.particles.len() {
        for j in 0..i {
            let (a, b) = (&expected.particles[i], &expected.particles[j]);
            if !before.coincide(&before.particles[i], &before.particles[j]) {
                continue;
            }
            pairs += 1;
            // The part that the oracle leaves out because it gives the pair no direction.
            let extra = |particle: &Particle| {
                let index = world.particles().index_of(particle.id).expect("alive");
                world.particles().displacements()[index].as_dvec2() - particle.displacement
            };
            let (extra_a, extra_b) = (extra(a), extra(b));
            for (i, j, extra) in [(i, j, extra_a), (j, i, extra_b)] {
                let (strength, error) = before.separation(i, j);
                let bound = error + expected.particles[i].errors.displacement;
                let off = (extra.length() - strength.abs()).abs();
                assert!(off <= bound, "{extra} where {strength} was expected, {bound:e}");
            }
            let (mass_a, mass_b) = (before.mass(a.class), before.mass(b.class));
            let momentum = mass_a * extra_a + mass_b * extra_b;
            let bound = mass_a * a.errors.displacement + mass_b * b.errors.displacement;
            assert!(momentum.length() <= 2.0 * bound, "{momentum}, {bound:e}");
            directions.push(extra_a.normalize());
        }
    }
    assert!(pairs >= 15, "{pairs}");
    // The directions differ, because with a single one a heap would become a line.
    let mean = directions.iter().sum::<DVec2>() / pairs as f64;
    assert!(mean.length() < 0.7, "{mean}");
}

#[test]
fn packed_beyond_the_pressures_bound() {
    let mut world = FluidWorld::default();
    pour_mixed(&mut world, (0..400).map(|index| scatter(index) * 6.0));
    check_every_pass(world);
}

// Ticks in a row, of the liquid and of the oracle, each on its own.

/// The distance between two states of the same liquid: the largest difference of positions.
fn apart(a: &Oracle, b: &HashMap<ParticleId, DVec2>) -> f64 {
    a.particles.iter().map(|p| p.position.distance(b[&p.id])).fold(0.0, f64::max)
}

fn positions_of(oracle: &Oracle) -> HashMap<ParticleId, DVec2> {
    oracle.particles.iter().map(|p| (p.id, p.position)).collect()
}

/// Runs several ticks of a world and of an oracle, each from its own state.
///
/// Neighbouring trajectories diverge exponentially in the end, so no fixed bound is right. The
/// oracle itself is the measure: a copy whose state is rounded to 32 bits after every substep, and
/// whose walls are off by as much as their fit may be, drifts away from the exact one. The fast
/// world also rounds inside the passes, of which three change a position or velocity and two sum
/// over some forty neighbours: a few roundings where the copy makes one, so four times its drift is
/// the bound. Passes that move one pair after the other round after every pair, and so does the
/// copy. Both oracles visit the pairs in the order of the fast world.
fn check_ticks_in_a_row(mut world: FluidWorld, ticks: usize) {
    change_parameters(&mut world, |parameters| parameters.substeps = Substeps::Fixed(2));
    let report = world.clone().begin_tick(TICK, &SerialExecutor).expect("valid");
    let mut exact = Oracle::of(&world, f64::from(report.time_step / report.substeps as f32));
    let mut shadow = exact.clone().with_errors();
    let mut floor = 0.0_f64;
    for tick in 1..=ticks {
        let report = world.begin_tick(TICK, &SerialExecutor).expect("valid");
        for _ in 0..report.substeps {
            for pass in FluidPass::ALL {
                world.run_pass(pass, &SerialExecutor);
                for slow in [&mut exact, &mut shadow] {
                    slow.sort(world.particles().ids());
                    slow.run(pass);
                }
            }
            shadow.round();
        }
        world.end_tick(report, &SerialExecutor);
        let fast = positions_of(&Oracle::of(&world, 1.0));
        floor = floor.max(apart(&exact, &positions_of(&shadow)));
        let error = apart(&exact, &fast);
        assert!(error <= 4.0 * floor, "after {tick} ticks: {error:e} apart, the shadow {floor:e}");
        // The test ends before the motion is chaotic: a larger bound would be meaningless.
        assert!(floor < 0.01 * exact.radius(), "chaos after {tick} ticks: {floor:e}");
    }
}

#[test]
fn ticks_in_a_row_free() {
    check_ticks_in_a_row(cloud(FluidParameters::default(), vec![], 60.0), 30);
}

#[test]
fn ticks_in_a_row_in_a_container() {
    check_ticks_in_a_row(cloud(FluidParameters::default(), circle(62.0), 60.0), 7);
}

#[test]
fn ticks_in_a_row_in_the_form_of_its_ancestors() {
    let world = of_classes(cloud(ancestral(), circle(62.0), 60.0), ancestral_classes());
    check_ticks_in_a_row(world, 30);
}
