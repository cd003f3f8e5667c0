//! Classes that differ in everything, walls that grip, glow and move, and colliders.

use blob_fluid::shape::scatter;
use blob_fluid::{
    ClassId, ClassPair, ClassTable, ClassViscosity, Collider, Container, DensityClass,
    FluidParameters, FluidReaction, FluidShape, FluidSolver, FluidThermal, FluidTransition,
    FluidWorld, Force, GhostWalls, Motion, ParticleSpawn, SerialExecutor, SharedPressureSettings,
    SphSettings, Viscosity, WallProperties,
};
use glam::Vec2;

use super::{ancestral, ancestral_classes, check_every_pass, circle, cloud, rectangle};
use crate::ticks::TICK;

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
        {
            let parameters = FluidParameters::default();
            let mut world = cloud(parameters, circle(80.0), 84.0);
            world.set_classes(a_rich_table(linear)).expect("as many");
            world.end_easing();
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
        let mut world = cloud(FluidParameters::default(), vec![container.clone()], 88.0);
        world.set_classes(a_rich_table(1.0)).expect("as many");
        world.end_easing();
        check_every_pass(world);
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
    let mut world = cloud(FluidParameters::default(), circle(80.0), 79.0);
    world.set_classes(ClassTable::new(classes.to_vec()).expect("valid")).expect("as many");
    world.end_easing();
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
    for index in 0..500 {
        let position = scatter(index) * 11.0;
        let class = ClassId((index % 3) as u8);
        world.spawn(ParticleSpawn { position, class, ..Default::default() }).expect("valid");
    }
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
            world.insert_collider(block.expect("valid"));
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
        let post = Collider::circle(Vec2::new(20.0, -10.0), 15.0).expect("valid");
        let motion = Motion { velocity: Vec2::new(60.0, 10.0), ..Motion::STILL };
        with_post.insert_collider(post.with_motion(motion).expect("valid"));
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
        let mut rare = cloud(other, circle(80.0), 88.0);
        rare.set_classes(ancestral_classes()).expect("as many");
        rare.end_easing();
        check_every_pass(rare);
    }
}
