use blob_fluid::measure::{layer_order, measure};
use blob_fluid::shape::{fermat_spiral, scatter};
use blob_fluid::{
    ClassId, ClassTable, Container, DensityClass, FluidShape, FluidSleeping, FluidWorld,
    ParticleSpawn, SerialExecutor,
};
use glam::Vec2;

use super::{run_as_it_is, run_until, scene};
use crate::page::Finding;
use crate::plot::{line, plot};

pub fn run() -> Finding {
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
        description: "The main job: 3,000 particles of three masses, mixed in a spiral in a round container, sort \
                      themselves. Layer order is the mean over pairs of classes of the probability that a particle of the \
                      heavier lies below one of the lighter: 0.5 mixed, 1 sorted.",
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
    watch(world, |_| {})
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
    watch(world, |world| world.set_classes(ClassTable::default()).expect("as many"))
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
fn watch(mut world: FluidWorld, seen: impl Fn(&mut FluidWorld)) -> (f64, Vec<(f64, f64)>) {
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
