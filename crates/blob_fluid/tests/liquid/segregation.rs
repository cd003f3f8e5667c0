//! Segregation: neighbours of different weight are sorted, and nothing else changes.

use blob_fluid::measure::{layer_order, measure};
use blob_fluid::*;
use glam::{DVec2, Vec2};

use crate::pools::{add_tank, at, cells, change_parameters, pour_class, spawn};
use crate::ticks::{TICK, run};

fn class(name: &str, mass: f32) -> DensityClass {
    DensityClass { name: name.into(), mass, ..DensityClass::default() }
}

/// A square of particles whose classes alternate, in a box.
fn mixed(
    parameters: FluidParameters,
    classes: Vec<DensityClass>,
    pairs: Vec<ClassPair>,
) -> FluidWorld {
    let mut world = FluidWorld::new(parameters).expect("valid");
    let count = classes.len();
    world.set_classes(ClassTable::with_pairs(classes, pairs).expect("valid")).expect("unused");
    add_tank(&mut world, Vec2::ZERO, Vec2::splat(150.0));
    let spacing = 1.03 * parameters.particle_spacing;
    for (number, cell) in cells(20, 20).enumerate() {
        let class = ClassId((number * 7 / 3 % count) as u8);
        let position = (cell - 10.0) * spacing + 0.1 * Vec2::from_angle(number as f32);
        pour_class(&mut world, class, [position]);
    }
    world
}

fn with(segregation: f32) -> FluidParameters {
    FluidParameters { segregation, ..FluidParameters::default() }
}

fn momentum(world: &FluidWorld) -> DVec2 {
    let particles = world.particles();
    let of = |(velocity, class): (&Vec2, &ClassId)| {
        velocity.as_dvec2() * f64::from(world.classes()[*class].mass)
    };
    particles.velocities().iter().zip(particles.classes()).map(of).sum()
}

fn hash_after(mut world: FluidWorld, ticks: u32) -> u64 {
    run(&mut world, ticks);
    world.state_hash()
}

fn heavy_and_light() -> Vec<DensityClass> {
    vec![class("heavy", 1.5), class("light", 0.8)]
}

fn of_similar_weight() -> Vec<DensityClass> {
    vec![class("heavy", 1.12), class("medium", 1.0), class("light", 0.9)]
}

#[test]
fn it_moves_momentum_only_between_neighbours() {
    for classes in [heavy_and_light, of_similar_weight] {
        // A drop of twenty times twenty particles does not reach the walls in a tick.
        let step = |segregation| {
            let parameters = FluidParameters { settling: Settling::OFF, ..with(segregation) };
            let mut world = mixed(parameters, classes(), vec![]);
            world.step(TICK, &SerialExecutor).expect("valid");
            world
        };
        let (plain, sorted) = (step(0.0), step(6.0));
        let velocities = |world: &FluidWorld| {
            let particles = world.particles();
            let mut all: Vec<_> = particles.ids().iter().zip(particles.velocities()).collect();
            all.sort_by_key(|(id, _)| **id);
            all.into_iter().map(|(_, velocity)| velocity.as_dvec2()).collect::<Vec<_>>()
        };
        let changes =
            velocities(&sorted).into_iter().zip(velocities(&plain)).map(|(a, b)| (a - b).length());
        let exchanged: f64 = changes.sum();
        let off = (momentum(&sorted) - momentum(&plain)).length();
        assert!(exchanged > 100.0, "the force acts: {exchanged}");
        assert!(off < 1e-6 * exchanged, "{off} of {exchanged}");
    }
}

#[test]
fn what_does_not_differ_in_weight_is_left_alone() {
    let same = |classes: fn() -> Vec<DensityClass>, pairs: fn() -> Vec<ClassPair>, gravity| {
        let hash = |segregation| {
            let parameters = FluidParameters { gravity, ..with(segregation) };
            hash_after(mixed(parameters, classes(), pairs()), 20)
        };
        hash(6.0) == hash(0.0)
    };
    let down = FluidParameters::default().gravity;
    assert!(!same(heavy_and_light, Vec::new, down), "the control is sorted");
    assert!(same(|| vec![class("only", 1.5)], Vec::new, down), "a single class");
    assert!(same(|| vec![class("a", 1.2), class("b", 1.2)], Vec::new, down), "the same weight");
    assert!(same(heavy_and_light, Vec::new, Vec2::ZERO), "nothing has weight");
    assert!(same(heavy_and_light, || vec![pair_of(0.4, None)], down), "liquids that mix");
    assert!(same(heavy_and_light, || vec![pair_of(0.0, Some(0.0))], down), "a pair's own factor");
    let jelly = || {
        let elasticity = Some(FluidElasticity::default());
        vec![DensityClass { elasticity, ..class("heavy", 1.5) }, class("light", 0.8)]
    };
    assert!(same(jelly, Vec::new, down), "an elastic body");
    let hash_with = |segregation| {
        hash_after(mixed(with(segregation), heavy_and_light(), vec![pair_of(0.4, Some(3.0))]), 20)
    };
    assert_eq!(hash_with(0.0), hash_with(6.0), "a pair's own factor goes before the liquid's");
    let common = hash_after(mixed(with(3.0), heavy_and_light(), vec![]), 20);
    let paired = hash_after(mixed(with(0.0), heavy_and_light(), vec![pair_of(0.0, Some(3.0))]), 20);
    assert_eq!(common, paired, "the factor means the same for a pair as for the liquid");
}

fn pair_of(cohesion: f32, segregation: Option<f32>) -> ClassPair {
    ClassPair { cohesion, segregation, ..ClassPair::new("heavy", "light") }
}

#[test]
fn weight_is_what_gravity_weighs() {
    let order = |one: DensityClass, other: DensityClass| {
        let sorted = |segregation| {
            let mut world = mixed(with(segregation), vec![one.clone(), other.clone()], vec![]);
            run(&mut world, 240);
            let particles = world.particles();
            let mean = |class: u8| {
                let all = particles.positions().iter().zip(particles.classes());
                let heights: Vec<_> =
                    all.filter(|(_, id)| id.0 == class).map(|(p, _)| p.y).collect();
                heights.iter().sum::<f32>() / heights.len() as f32
            };
            mean(1) - mean(0)
        };
        (sorted(0.0), sorted(6.0))
    };
    let scaled = |name: &str, gravity_scale| DensityClass { gravity_scale, ..class(name, 1.0) };
    let warm = |name: &str, degrees| {
        let thermal =
            FluidThermal { temperature: Some(degrees), expansion: 0.01, ..FluidThermal::default() };
        DensityClass { thermal, ..class(name, 1.0) }
    };
    let cases = [
        ("mass", order(class("a", 1.15), class("b", 1.0))),
        ("gravity scale", order(scaled("a", 1.15), scaled("b", 1.0))),
        ("heat", order(warm("a", 20.0), warm("b", 35.0))),
    ];
    for (name, (plain, sorted)) in cases {
        assert!(sorted > plain + 10.0, "{name}: {sorted} px apart, and {plain} without");
    }
}

#[test]
fn nothing_sleeps_before_it_is_sorted() {
    // Of the similar ones a single pair, two of 400, may have changed places across a boundary.
    for (classes, misplaced) in [(heavy_and_light(), 0.002), (of_similar_weight(), 0.006)] {
        let mut world = mixed(FluidParameters::default(), classes, vec![]);
        let mut asleep_at = None;
        for tick in 0..60 * 60 {
            world.step(TICK, &SerialExecutor).expect("valid");
            if world.asleep() == world.particles().len() {
                asleep_at = Some(tick);
                break;
            }
        }
        assert!(asleep_at.is_some(), "the layers come to rest");
        assert!(layer_order(&world) > 0.9995, "{}", layer_order(&world));
        assert!(measure(&world).misplaced < misplaced, "{}", measure(&world).misplaced);
    }
}

#[test]
fn a_trapped_drop_keeps_its_neighbours_awake() {
    // Without segregation a heavy particle stays for ever where it is trapped.
    let classes = heavy_and_light();
    let mut world = mixed(with(0.0), classes, vec![]);
    world.despawn_where(|_, class| class == ClassId(0));
    run(&mut world, 60 * 20);
    assert_eq!(world.asleep(), world.particles().len(), "light liquid rests");
    let middle = world.particles().ids()[world.particles().len() / 2];
    let position = world.particles().positions()[world.particles().len() / 2];
    world.despawn(middle);
    let heavy = spawn(&mut world, ParticleSpawn { class: ClassId(0), ..at(position) });
    change_parameters(&mut world, |parameters| parameters.segregation = 0.5);
    run(&mut world, 60 * 20);
    let index = world.particles().index_of(heavy).expect("alive");
    let height = world.particles().positions()[index].y;
    let lowest =
        world.particles().positions().iter().map(|position| position.y).fold(f32::MAX, f32::min);
    let sunk = height < lowest + 2.0 * world.parameters().particle_spacing;
    assert!(sunk || world.asleep() < world.particles().len(), "it sleeps at {height}, trapped");
}
