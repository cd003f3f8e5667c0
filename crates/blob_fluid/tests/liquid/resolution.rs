//! `Scene::with_particles` changes the resolution: the liquid, the bodies and the air stay the same.

use blob_fluid::scene::{Scene, SceneError};
use blob_fluid::shape::{fermat_spiral, scatter};
use blob_fluid::*;
use glam::Vec2;

use crate::scenes::load;

fn read(text: &str) -> Scene {
    Scene::from_ron(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The scene with so many times its particles.
fn finer(scene: &Scene, times: f64) -> Scene {
    let count = scene.build().expect("valid").particles().len() as f64;
    scene.clone().with_particles((times * count) as usize).expect("within all ranges")
}

/// The world of a scene after some seconds.
fn after(scene: &Scene, seconds: f64) -> FluidWorld {
    let mut world = scene.start(&SerialExecutor).expect("valid");
    while world.time() < seconds - 1e-6 {
        world.step(scene.time_step(), &SerialExecutor).expect("valid");
    }
    world
}

/// Checks that a measure of a scene is the same with other numbers of particles.
fn assert_same(
    (text, seconds): (&str, f64),
    finenesses: &[f64],
    tolerance: f32,
    measure: impl Fn(&FluidWorld) -> f32,
) {
    let scene = read(text);
    let expected = measure(&after(&scene, seconds));
    for times in finenesses {
        let measured = measure(&after(&finer(&scene, *times), seconds));
        let off = (measured - expected).abs();
        assert!(off <= tolerance, "{times} x: {measured} instead of {expected}\n{text}");
    }
}

/// A scene of one class in a basin 300 wide, with a block in it.
fn basin(class: &str, block: &str) -> String {
    format!(
        "(containers: [(shape: Rectangle(half_size: (150, 100)), centre: (0, 100))],
        classes: [(name: \"a\", {class})], parameters: (ambient_temperature: 0),
        blocks: [{block}])"
    )
}

/// The left half of a basin, and the right half with another `of_right`.
fn halves(of_left: &str, of_right: &str) -> String {
    let half = |x: f32, of: &str| {
        format!("(fill: Filled(shape: Rectangle(half_size: (74, 40))), centre: ({x}, 41), {of})")
    };
    half(-75.0, of_left) + ", " + &half(75.0, of_right)
}

fn mean(values: impl Iterator<Item = f32>) -> f32 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / count
}

#[test]
fn bodies_float_as_deep_in_finer_and_coarser_liquid() {
    let text =
        "(parameters: (particle_spacing: 6, sleeping: (drift: 0)), classes: [(name: \"water\")],
        containers: [(shape: Rectangle(half_size: (150, 120)), centre: (0, 120))],
        colliders: [(shape: Rectangle(half_size: (40, 30)), centre: (0, 120),
            options: (body: Some((mass: 68, moment_of_inertia: 57000))))],
        blocks: [(fill: Filled(shape: Rectangle(half_size: (148, 50))), centre: (0, 52))])";
    // Its draught over its height, both with the gap that counts as displaced.
    assert_same((text, 8.0), &[0.5, 2.0], 0.03, |world| {
        let spacing = world.parameters().particle_spacing;
        let (_, body) = world.colliders().next().expect("a crate");
        // The level away from the crate: the mean of the highest particles of columns.
        let columns = [-130.0, -110.0, -90.0, 80.0, 100.0, 120.0];
        let level = mean(columns.into_iter().map(|x: f32| {
            let inside =
                world.particles().positions().iter().filter(|at| (x..x + 20.0).contains(&at.x));
            inside.map(|at| at.y).fold(0.0, f32::max)
        }));
        let gap = Body::GAP * spacing;
        (level + 0.5 * spacing - (body.centre().y - 30.0) + gap) / (60.0 + 2.0 * gap)
    });
}

#[test]
fn bodies_keep_their_density() {
    for shape in [
        FluidShape::Circle { radius: 12.0 },
        FluidShape::Rectangle { half_size: Vec2::new(60.0, 3.0) },
    ] {
        let mut scene = load("dam_break");
        let mut collider = read("(colliders: [(shape: Circle(radius: 1))])").colliders.remove(0);
        let of_density = |scene: &Scene| {
            Body::of_density(0.4, &shape, scene.parameters.particle_spacing).expect("valid")
        };
        collider.shape = shape.clone();
        collider.options.body = Some(of_density(&scene));
        scene.colliders = vec![collider];
        for times in [0.25, 3.0, 16.0] {
            let other = finer(&scene, times);
            let (body, expected) =
                (other.colliders[0].options.body.expect("a body"), of_density(&other));
            assert!((body.mass / expected.mass - 1.0).abs() < 1e-5, "{times}: {body:?}");
            let inertia = body.moment_of_inertia / expected.moment_of_inertia;
            assert!((inertia - 1.0).abs() < 1e-5, "{times}: {body:?}");
        }
    }
    // A line has no area, and keeps its mass in world units.
    let scene = read(
        "(colliders: [(shape: Polyline((points: [(-9, 0), (9, 0)])),
            options: (body: Some((mass: 5, moment_of_inertia: 100))))],
        blocks: [(fill: Lattice(columns: 10, rows: 10))])",
    );
    let body = finer(&scene, 4.0).colliders[0].options.body.expect("a body");
    assert!((body.mass - 20.0).abs() < 1e-4 && (body.moment_of_inertia - 400.0).abs() < 1e-2);
}

#[test]
fn honey_flows_as_far() {
    let text = "(classes: [(name: \"honey\", viscosity: (linear: 17, approach: 0, quadratic: 0))],
        parameters: (particle_spacing: 5.5),
        containers: [(shape: Rectangle(half_size: (300, 150)), centre: (300, 150),
            wall: (friction: Some(1)))],
        blocks: [(fill: Filled(shape: Rectangle(half_size: (70, 70))), centre: (70, 70))])";
    let front = |world: &FluidWorld| {
        let positions = world.particles().positions().iter();
        let farthest = positions.map(|position| position.x).fold(0.0, f32::max);
        farthest + 0.5 * world.parameters().particle_spacing
    };
    assert_same((text, 3.0), &[0.5, 2.0], 0.05 * 250.0, front);
}

#[test]
fn jelly_sags_as_much() {
    let block = "(fill: Filled(shape: Rectangle(half_size: (60, 60))), centre: (0, 62))";
    let jelly = basin("mass: 1.1, viscosity: (linear: 1), elasticity: (stiffness: 40)", block);
    let height = |world: &FluidWorld| mean(world.particles().positions().iter().map(|at| at.y));
    assert_same((&jelly, 5.0), &[4.0], 0.02 * 60.0, height);
}

#[test]
fn damp_sand_stands_as_high() {
    // A column of grains more or less changes the height of a single heap by 5 %.
    let mean_height = |times: f64| {
        mean([34, 38, 42, 46].into_iter().map(|half_width| {
            let block = format!(
                "(fill: Filled(shape: Rectangle(half_size: ({half_width}, 80))), centre: (0, 82))"
            );
            let sand = basin("powder: (friction_angle: 30, cohesion: 0.3)", &block);
            let world = after(&finer(&read(&sand), times), 3.0);
            mean(world.particles().positions().iter().map(|at| at.y))
        }))
    };
    let expected = mean_height(1.0);
    for times in [0.5, 2.0] {
        let height = mean_height(times);
        assert!(
            (height / expected - 1.0).abs() < 0.08,
            "{times} x: {height} instead of {expected}"
        );
    }
}

#[test]
fn heat_and_paint_spread_as_fast() {
    let right = |world: &FluidWorld, value: &dyn Fn(usize) -> f32| {
        let positions = world.particles().positions();
        mean((0..positions.len()).filter(|index| positions[*index].x > 0.0).map(value))
    };
    let hot = halves("temperature: Some(100)", "");
    let conducting = basin("thermal: (conductivity: 0.1)", &hot);
    assert_same((&conducting, 8.0), &[0.25, 4.0], 1.5, |world| {
        right(world, &|index| world.particles().temperatures()[index])
    });
    let cooling = basin("thermal: (cooling: 0.05)", &hot);
    assert_same((&cooling, 4.0), &[0.25, 4.0], 1.0, |world| {
        mean(world.particles().temperatures().iter().copied())
    });
    let painted = halves("paint: Some((1, 1, 1))", "");
    let paint = basin("paint: (color: (0, 0, 0), diffusion: 0.05)", &painted);
    assert_same((&paint, 8.0), &[0.25, 4.0], 0.02, |world| {
        right(world, &|index| world.particles().paint(index).expect("painted")[1])
    });
}

#[test]
fn a_floor_rubs_and_layers_react_as_fast() {
    let sliding = "(containers: [(shape: Rectangle(half_size: (600, 100)), centre: (0, 100))],
        classes: [(name: \"a\")], parameters: (settling: (drag: 0, calm_drag: 0)),
        blocks: [(fill: Filled(shape: Rectangle(half_size: (100, 24))), centre: (-400, 25),
            velocity: (100, 0))])";
    assert_same((sliding, 2.0), &[4.0], 8.0, |world| {
        mean(world.particles().velocities().iter().map(|velocity| velocity.x))
    });
    let reacting = "(containers: [(shape: Rectangle(half_size: (80, 100)), centre: (0, 100))],
        classes: [(name: \"a\", mass: 2), (name: \"b\")],
        pairs: [(classes: (\"a\", \"b\"), reaction: Some((rate: 0.05, becomes: (Some(\"b\"), None))))],
        blocks: [(fill: Filled(shape: Rectangle(half_size: (78, 40))), centre: (0, 41), class: \"a\"),
            (fill: Filled(shape: Rectangle(half_size: (78, 20))), centre: (0, 103), class: \"b\")])";
    assert_same((reacting, 5.0), &[4.0], 0.05, |world| {
        mean(world.particles().classes().iter().map(|class| f32::from(class.0)))
    });
}

#[test]
fn materials_become_classes_that_mean_the_same() {
    let scene = load("materials");
    let other = finer(&scene, 4.0);
    assert!(other.materials.is_empty() && other.material_contents.is_empty());
    let (here, there) = (scene.build().expect("valid"), other.build().expect("valid"));
    assert!(there.particles().len() > 3 * here.particles().len());
    let classes = here.classes().iter().zip(there.classes().iter());
    for (class, other) in classes {
        assert_eq!(class.name, other.name);
        if let (Some(before), Some(now)) = (class.viscosity, other.viscosity) {
            // A viscosity of the same liquid, in d²/T0.
            assert!((now.linear / before.linear / 8.0_f32.sqrt() - 1.0).abs() < 1e-5);
            assert_eq!(now.quadratic, before.quadratic);
        }
    }
    assert_eq!(here.classes().pairs().len(), there.classes().pairs().len());
}

#[test]
fn a_number_that_must_leave_its_range_is_an_error_with_its_name() {
    let refined = |text: &str| {
        let scene = read(&format!("({text}, blocks: [(fill: Lattice(columns: 10, rows: 10))])"));
        scene.with_particles(1600).map_err(|error| error.to_string())
    };
    for (text, field) in [
        ("parameters: (viscosity: (linear: 400))", "viscosity.linear"),
        ("classes: [(name: \"a\", viscosity: (linear: 400))]", "viscosity.linear"),
        ("classes: [(name: \"a\", powder: (cohesion: 5))]", "powder.cohesion"),
        ("containers: [(shape: Circle(radius: 900), wall: (stickiness: 600))]", "stickiness"),
        (
            "colliders: [(shape: Circle(radius: 9), centre: (500, 0), wall: (stickiness: 600))]",
            "stickiness",
        ),
    ] {
        let error = refined(text).expect_err(text);
        assert!(error.contains(field), "{text}: {error}");
    }
    // The largest rate means at once, with any spacing.
    let pair =
        "classes: [(name: \"a\"), (name: \"b\")], pairs: [(classes: (\"a\", \"b\"), reaction:
        Some((rate: 1000000, becomes: (Some(\"b\"), None))))]";
    let reaction = refined(pair).expect("valid").pairs[0].reaction.clone();
    assert_eq!(reaction.expect("a reaction").rate, 1e6);
    let error = load("wind_tunnel").with_particles(100).expect_err("no liquid to refine");
    assert!(matches!(error, SceneError::OutOfRange(_)), "{error}");
}

// The liquid is the same in any units, to the bit if these are powers of two.

/// Units in which the same liquid is described.
#[derive(Clone, Copy, Debug)]
struct Units {
    /// Number of these world units in one world unit of the reference.
    length: f32,
    /// Magnitude of gravity, in these world units.
    gravity: f32,
    ticks_per_second: f32,
}

const PIXELS: Units = Units { length: 1.0, gravity: 200.0, ticks_per_second: 60.0 };

impl Units {
    /// `T0 = sqrt(d/a0)` relative to that of the pixels.
    fn time(self) -> f32 {
        (self.length * PIXELS.gravity / self.gravity).sqrt()
    }

    fn parameters(self) -> FluidParameters {
        FluidParameters::new(self.length * 12.5, Vec2::new(0.0, -self.gravity))
    }

    /// A thousand and two hundred mixed particles in a round container, which move at random.
    fn world(self) -> FluidWorld {
        let mut world = FluidWorld::new(self.parameters()).expect("valid");
        let container = Container::circle(Vec2::ZERO, self.length * 400.0).expect("valid");
        world.insert_container(container);
        for (index, point) in fermat_spiral(Vec2::ZERO, 360.0, 1200).into_iter().enumerate() {
            let velocity = scatter(index as u32) * (10.0 * self.length / self.time());
            let class = ClassId((index % 3) as u8);
            let spawn = ParticleSpawn {
                position: point * self.length,
                velocity,
                class,
                ..Default::default()
            };
            world.spawn(spawn).expect("valid");
        }
        world
    }
}

/// Scaling by powers of two is exact in floating point, so no bit may differ. The test finds
/// numbers that have a unit but do not scale with it.
#[test]
fn units_that_are_powers_of_two_give_the_same_bits() {
    let ticks_per_second = 64.0;
    let reference = Units { ticks_per_second, ..PIXELS };
    for units in [
        // These units have the same times.
        Units { length: 4.0, gravity: 4.0 * PIXELS.gravity, ticks_per_second },
        Units { length: 0.03125, gravity: 0.03125 * PIXELS.gravity, ticks_per_second },
        // With four times the gravity everything is twice as fast.
        Units { length: 1.0, gravity: 4.0 * PIXELS.gravity, ticks_per_second: 128.0 },
        // With a quarter of the gravity everything is half as fast.
        Units { length: 1.0, gravity: 0.25 * PIXELS.gravity, ticks_per_second: 32.0 },
        Units { length: 4.0, gravity: PIXELS.gravity, ticks_per_second: 32.0 },
    ] {
        let (mut here, mut there) = (reference.world(), units.world());
        let speed = units.length / units.time();
        for tick in 0..120 {
            // A container that jumps tests all parts of the solver.
            if tick == 60 {
                for (world, length) in [(&mut here, 1.0), (&mut there, units.length)] {
                    let centre = Vec2::new(length * 150.0, 0.0);
                    let (id, _) = world.containers().next().expect("one");
                    assert_eq!(world.move_container(id, centre, Vec2::X), Ok(true));
                }
            }
            let taken = here.step(1.0 / ticks_per_second, &SerialExecutor).expect("valid");
            let report = there.step(1.0 / units.ticks_per_second, &SerialExecutor).expect("valid");
            assert_eq!(report.substeps, taken.substeps, "{units:?}, tick {tick}");
            let (here, there) = (here.particles(), there.particles());
            let scaled = |vectors: &[Vec2], factor: f32| -> Vec<Vec2> {
                vectors.iter().map(|vector| *vector * factor).collect()
            };
            let positions = scaled(here.positions(), units.length);
            let differs = positions.iter().zip(there.positions()).position(|(a, b)| a != b);
            assert_eq!(differs, None, "a position in {units:?}, tick {tick}");
            let velocities = scaled(here.velocities(), speed);
            let differs = velocities.iter().zip(there.velocities()).position(|(a, b)| a != b);
            assert_eq!(differs, None, "a velocity in {units:?}, tick {tick}");
        }
    }
}
