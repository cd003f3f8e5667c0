//! Classes that sort themselves into layers.

use blob_fluid::measure::{layer_order, measure};
use blob_fluid::shape::{Polygon, fermat_spiral, scatter};
use blob_fluid::*;
use glam::Vec2;

use super::{run_as_it_is, run_until, scene};
use crate::page::Finding;
use crate::plot::{Series, line, plot};

pub fn layers() -> Finding {
    let weak = [1.15, 1.0, 0.87];
    let round = || Container::circle(Vec2::ZERO, 400.0).expect("valid");
    let spiral = || fermat_spiral(Vec2::ZERO, 360.0, 3000);
    let sorted = world(FluidParameters::default(), &weak, round(), in_turn(spiral(), 3));
    let (_, weak_orders) = watch("masses 1.15 : 1 : 0.87", sorted);
    let plain = FluidParameters { segregation: 0.0, ..FluidParameters::default() };
    let (_, plain_orders) =
        watch("the same without segregation", world(plain, &weak, round(), in_turn(spiral(), 3)));
    let (close, close_orders) = watch("masses 1.12 : 1 : 0.9 in a box", close_masses());
    let (five, five_orders) = watch("five masses in a box", five_classes());
    let (poured, poured_orders) = watch("poured in the wrong order", poured());
    let (hopper, hopper_orders) = watch("five masses in a hopper, tilted", hopper());
    let (tilted, tilted_orders) = watch("gravity tilted by 30°", tilted());
    let at = |series: &Series, time: f64| {
        series.points.iter().find(|(t, _)| (t - time).abs() < 0.01).expect("measured then").1
    };
    Finding {
        experiment: "layers",
        description: "More cases run with the default settings. Liquids of nearly the same weight are in a round \
                      container and in a box. Five liquids of masses 1.6, 1.3, 1, 0.8 and 0.62 are in a box, and \
                      in a hopper with tilted gravity. The three default liquids are poured in the wrong order. A \
                      box has tilted gravity.",
        measured: vec![
            ("weak contrast: layer order at 20 s", at(&weak_orders, 20.0)),
            ("weak contrast: layer order at 60 s", at(&weak_orders, 60.0)),
            ("close masses in a box: misplaced at 60 s", measure(&close).misplaced),
            ("close masses in a box: rms speed at 60 s, px/s", measure(&close).rms_speed),
            ("five classes: layer order at 30 s", at(&five_orders, 30.0)),
            ("five classes: misplaced at 60 s", measure(&five).misplaced),
            ("five classes in a tilted hopper: misplaced at 60 s", measure(&hopper).misplaced),
            ("poured in the wrong order: layer order at 60 s", layer_order(&poured)),
            ("poured in the wrong order: misplaced at 60 s", measure(&poured).misplaced),
            ("tilted gravity: layer order at 60 s", layer_order(&tilted)),
            ("tilted gravity: misplaced at 60 s", measure(&tilted).misplaced),
        ],
        plots: vec![plot(
            "Layers",
            "s",
            "layer order",
            vec![
                weak_orders,
                plain_orders,
                close_orders,
                five_orders,
                hopper_orders,
                poured_orders,
                tilted_orders,
            ],
        )],
    }
}

/// A world with classes of these masses.
fn world(
    parameters: FluidParameters,
    masses: &[f32],
    container: Container,
    particles: impl Iterator<Item = (Vec2, usize)>,
) -> FluidWorld {
    let class = |(index, mass): (usize, &f32)| DensityClass {
        name: index.to_string(),
        mass: *mass,
        ..DensityClass::default()
    };
    let mut world = FluidWorld::new(parameters).expect("valid");
    let classes = masses.iter().enumerate().map(class).collect();
    world.set_classes(ClassTable::new(classes).expect("valid")).expect("no particles yet");
    world.insert_container(container);
    for (position, class) in particles {
        let class = ClassId(class as u8);
        world.spawn(ParticleSpawn { position, class, ..Default::default() }).expect("valid");
    }
    world
}

/// The points, with all classes in turn.
fn in_turn(points: Vec<Vec2>, classes: usize) -> impl Iterator<Item = (Vec2, usize)> {
    points.into_iter().enumerate().map(move |(index, point)| (point, index % classes))
}

/// The points of a lattice, from the bottom to the top.
fn lattice(centre: Vec2, columns: usize, rows: usize) -> impl Iterator<Item = Vec2> {
    let spacing = 1.03 * FluidParameters::default().particle_spacing;
    let middle = 0.5 * Vec2::new(columns as f32 - 1.0, rows as f32 - 1.0);
    (0..columns * rows).map(move |index| {
        let cell = Vec2::new((index % columns) as f32, (index / columns) as f32);
        // Rows that lie exactly above each other would never leave their unstable balance.
        let nudge = 0.02 * Vec2::from_angle(index as f32);
        centre + spacing * (cell - middle + nudge)
    })
}

fn close_masses() -> FluidWorld {
    let tank = Container::rectangle(Vec2::ZERO, Vec2::new(300.0, 400.0)).expect("valid");
    let points = lattice(Vec2::new(0.0, -150.0), 66, 50).collect();
    world(FluidParameters::default(), &[1.12, 1.0, 0.9], tank, in_turn(points, 3))
}

const FIVE_MASSES: [f32; 5] = [1.6, 1.3, 1.0, 0.8, 0.62];

fn five_classes() -> FluidWorld {
    let tank = Container::rectangle(Vec2::ZERO, Vec2::splat(400.0)).expect("valid");
    let points = lattice(Vec2::new(0.0, -180.0), 80, 50).collect();
    world(FluidParameters::default(), &FIVE_MASSES, tank, in_turn(points, 5))
}

/// The same liquids in a hopper, wide above and narrow below, with tilted gravity.
fn hopper() -> FluidWorld {
    let right = [(60.0, -330.0), (330.0, 60.0), (330.0, 330.0)].map(|(x, y)| Vec2::new(x, y));
    let left = right.iter().rev().map(|corner| Vec2::new(-corner.x, corner.y));
    let corners = right.into_iter().chain(left);
    let shape = FluidShape::Polygon(Polygon::new(corners).expect("valid"));
    let inside = |point: &Vec2| shape.distance(*point) < -6.0;
    let mut points: Vec<_> = lattice(Vec2::ZERO, 90, 90).filter(inside).collect();
    let parameters = tilted_gravity();
    let depth = |point: &Vec2| point.dot(parameters.gravity);
    points.sort_by(|a, b| depth(b).total_cmp(&depth(a)));
    points.truncate(3500);
    let hopper = Container::new(shape, Vec2::ZERO, Vec2::X).expect("valid");
    world(parameters, &FIVE_MASSES, hopper, in_turn(points, 5))
}

/// The default classes, the lightest at the bottom.
fn poured() -> FluidWorld {
    let tank = Container::rectangle(Vec2::ZERO, Vec2::new(330.0, 500.0)).expect("valid");
    let points = lattice(Vec2::new(0.0, -200.0), 50, 60).enumerate();
    let from_above = points.map(|(index, point)| (point, 2 - index / 1000));
    world(FluidParameters::default(), &[1.5, 1.0, 0.6], tank, from_above)
}

fn tilted_gravity() -> FluidParameters {
    let usual = FluidParameters::default();
    let gravity = Vec2::from_angle(std::f32::consts::FRAC_PI_6).rotate(usual.gravity);
    FluidParameters { gravity, ..usual }
}

fn tilted() -> FluidWorld {
    let tank = Container::rectangle(Vec2::ZERO, Vec2::splat(330.0)).expect("valid");
    let points = fermat_spiral(Vec2::ZERO, 320.0, 3000);
    world(tilted_gravity(), &[1.5, 1.0, 0.6], tank, in_turn(points, 3))
}

/// The world after 60 s, and the layer order over time.
fn watch(name: &'static str, mut world: FluidWorld) -> (FluidWorld, Series) {
    let mut orders = vec![(0.0, layer_order(&world))];
    run_until(&mut world, 60.0, |world| {
        if world.ticks() % 60 == 0 {
            orders.push((world.time(), layer_order(world)));
        }
    });
    (world, line(name, orders))
}

// Stratification.

pub fn stratification() -> Finding {
    let mut world = scene("stratification").start(&SerialExecutor).expect("valid");
    let mut orders = vec![(0.0, layer_order(&world))];
    let mut drift = 0.0_f64;
    run_until(&mut world, 60.0, |world| {
        if world.ticks() % 30 == 0 {
            orders.push((world.time(), layer_order(world)));
        }
        if world.time() >= 29.99 && world.ticks() % 30 == 0 {
            drift = drift.max(measure(world).centre_of_mass[0].abs());
        }
    });
    let at =
        |time: f64| orders.iter().find(|(t, _)| (t - time).abs() < 0.01).expect("measured then").1;
    let end = measure(&world);
    let lost = 3000 - end.particles + end.escaped;

    let (shuffled, shuffled_orders) = shuffled_start();
    let (inverted, inverted_orders) = gravity_divided_by_mass();
    let sleepy = may_sleep();
    Finding {
        experiment: "stratification",
        description: "In the main experiment, 3,000 particles of three masses, mixed in a spiral in a round \
                      container, sort themselves. For a pair of classes, layer order is the probability that a \
                      particle of the heavier class is below one of the lighter class. The table lists the mean \
                      over all pairs: 0.5 if mixed, 1 if sorted.",
        measured: vec![
            ("layer order at 5 s", at(5.0)),
            ("layer order at 10 s", at(10.0)),
            ("layer order at 20 s", at(20.0)),
            ("layer order at 60 s", at(60.0)),
            ("layer order at 60 s from a shuffled start", shuffled),
            ("misplaced at 60 s", end.misplaced),
            ("interface thickness at 60 s, h", end.interface_thickness),
            ("rms speed at 60 s, px/s", end.rms_speed),
            ("farthest that a layer is off at the wall at 60 s, spacings", off_at_wall(&world)),
            ("largest sideways drift of the centre from 30 s on, px", drift),
            ("particles lost", lost as f64),
            ("layer order at 60 s, gravity divided by mass", inverted),
            ("layer order at 60 s where liquid may sleep", layer_order(&sleepy)),
            ("part of it asleep at 60 s", sleepy.asleep() as f64 / sleepy.particles().len() as f64),
        ],
        plots: vec![plot(
            "Layer order",
            "s",
            "layer order",
            vec![
                line("spiral start", orders.clone()),
                line("shuffled start", shuffled_orders),
                line("gravity divided by mass", inverted_orders),
            ],
        )],
    }
}

/// How far a layer's boundary at the wall is from where it would be level, in particle spacings.
fn off_at_wall(world: &FluidWorld) -> f64 {
    let particles = world.particles();
    let all = || particles.positions().iter().zip(particles.classes());
    let mut heights: Vec<f32> = particles.positions().iter().map(|position| position.y).collect();
    heights.sort_by(f32::total_cmp);
    let (_, container) = world.containers().next().expect("one container");
    let FluidShape::Circle { radius } = container.shape() else { panic!("a round one") };
    let spacing = world.parameters().particle_spacing;
    let touches = |position: Vec2| position.length() > radius - 0.75 * spacing;
    let off = (0..2).flat_map(|heavier| {
        let below = all().filter(|(_, class)| class.0 <= heavier).count();
        let level = 0.5 * (heights[below - 1] + heights[below]);
        all().filter(move |(position, _)| touches(**position)).map(move |(position, class)| {
            let above = position.y - level;
            if class.0 <= heavier { above } else { -above }
        })
    });
    f64::from(off.fold(0.0, f32::max) / spacing)
}

/// The same particles, with their classes shuffled.
fn shuffled_start() -> (f64, Vec<(f64, f64)>) {
    let points = fermat_spiral(Vec2::ZERO, 360.0, 3000);
    let mut pack: Vec<usize> = (0..points.len()).collect();
    pack.sort_by(|a, b| scatter(*a as u32).x.total_cmp(&scatter(*b as u32).x));
    let mut world = FluidWorld::default();
    world.insert_container(Container::circle(Vec2::ZERO, 400.0).expect("valid"));
    for (point, card) in points.into_iter().zip(pack) {
        let class = ClassId((card / 1000) as u8);
        world.spawn(ParticleSpawn { position: point, class, ..Default::default() }).expect("valid");
    }
    watch_order(world, |_| {})
}

/// The error of a known implementation: all masses are equal, and gravity is divided by the mass
/// that each class should have.
fn gravity_divided_by_mass() -> (f64, Vec<(f64, f64)>) {
    let mut scene = scene("stratification");
    let inverted = |class: &DensityClass| DensityClass {
        mass: 1.0,
        gravity_scale: 1.0 / class.mass,
        relative_rest_density: 1.0,
        ..class.clone()
    };
    scene.classes = ClassTable::default().iter().map(inverted).collect();
    let world = scene.start(&SerialExecutor).expect("valid");
    // The order is computed with the masses that these classes should have.
    watch_order(world, |world| world.set_classes(ClassTable::default()).expect("as many"))
}

/// The scene with its own settings, with which liquid at rest sleeps.
fn may_sleep() -> FluidWorld {
    let mut scene = scene("stratification");
    scene.parameters.sleeping = FluidSleeping::default();
    let mut world = scene.start(&SerialExecutor).expect("valid");
    run_as_it_is(&mut world, 60.0, |_| {});
    world
}

/// Layer order after 60 s and at earlier times, of a copy of the world that `seen` has changed.
fn watch_order(mut world: FluidWorld, seen: impl Fn(&mut FluidWorld)) -> (f64, Vec<(f64, f64)>) {
    let mut orders = Vec::new();
    run_until(&mut world, 60.0, |world| {
        if world.ticks() % 60 == 0 {
            let mut copy = world.clone();
            seen(&mut copy);
            orders.push((world.time(), layer_order(&copy)));
        }
    });
    (orders.last().map_or(f64::NAN, |last| last.1), orders)
}
