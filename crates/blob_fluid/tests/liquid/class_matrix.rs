//! Behaviour of classes alone and in pairs: heat, reactions, cohesion, viscosity, and change of
//! class.

use blob_fluid::measure::{Report, layer_order, measure};
use blob_fluid::shape::scatter;
use blob_fluid::*;
use glam::Vec2;

use crate::pools::{
    add_container, add_tank, at, cells, change_parameters, moving, pour_class, spawn, spawn_all,
};
use crate::ticks::{self, TICK, run_by, same_on_threads};

fn run(world: &mut FluidWorld, ticks: u32) -> Report {
    ticks::run(world, ticks);
    measure(world)
}

fn class(name: &str) -> DensityClass {
    DensityClass { name: name.into(), ..Default::default() }
}

fn world_of(classes: Vec<DensityClass>, pairs: Vec<ClassPair>) -> FluidWorld {
    let mut world = FluidWorld::default();
    world.set_classes(ClassTable::with_pairs(classes, pairs).expect("valid")).expect("empty");
    add_tank(&mut world, Vec2::ZERO, Vec2::new(150.0, 150.0));
    world
}

fn weightless(world: &mut FluidWorld) {
    change_parameters(world, |parameters| parameters.gravity = Vec2::ZERO);
}

/// Positions of particles at rest in a disc.
fn disc(radius: f32) -> impl Iterator<Item = Vec2> {
    FluidShape::Circle { radius }.fill(Vec2::ZERO, 8.2)
}

/// Fills a disc with particles of so many classes in turn.
fn fill_disc(world: &mut FluidWorld, radius: f32, classes: usize) {
    for (index, position) in disc(radius).enumerate() {
        pour_class(world, ClassId((index % classes) as u8), [position]);
    }
}

/// Fills a rectangle between two heights with particles of a class.
fn layer(world: &mut FluidWorld, class: u8, low: f32, high: f32) {
    let shape = FluidShape::Rectangle { half_size: Vec2::new(145.0, 0.5 * (high - low)) };
    let spacing = 1.03 * world.parameters().particle_spacing;
    pour_class(world, ClassId(class), shape.fill(Vec2::new(0.0, 0.5 * (low + high)), spacing));
}

fn counts(world: &FluidWorld) -> Vec<usize> {
    let mut counts = vec![0; world.classes().len()];
    for class in world.particles().classes() {
        counts[class.index()] += 1;
    }
    counts
}

/// The sum of masses times temperatures.
fn heat(world: &FluidWorld) -> f64 {
    let particles = world.particles();
    let all = particles.temperatures().iter().zip(particles.classes());
    all.map(|(t, class)| f64::from(*t) * f64::from(world.classes()[*class].mass)).sum()
}

#[test]
fn however_light_one_of_a_pair_is_no_heat_is_lost() {
    let conductive = |name: &str, mass, degrees| DensityClass {
        mass,
        thermal: FluidThermal {
            conductivity: 1000.0,
            temperature: Some(degrees),
            ..Default::default()
        },
        ..class(name)
    };
    let classes = vec![conductive("heavy", 100.0, 500.0), conductive("light", 1.0, -100.0)];
    let mut world = world_of(classes, vec![]);
    let spacing = world.parameters().particle_spacing;
    for (number, cell) in cells(20, 20).enumerate() {
        pour_class(&mut world, ClassId((number % 2) as u8), [(cell - 10.0) * spacing]);
    }
    let before = heat(&world);
    for _ in 0..20 {
        world.run_pass(FluidPass::ExchangeHeat, &SerialExecutor);
        let off = (heat(&world) / before - 1.0).abs();
        assert!(off < 1e-5, "{off} of the heat");
    }
    let coldest = world.particles().temperatures().iter().fold(f32::MAX, |low, t| low.min(*t));
    assert!(coldest > 300.0, "{coldest}");
}

#[test]
fn heat_spreads_and_none_is_lost() {
    let conductive = |name: &str, mass| DensityClass {
        mass,
        thermal: FluidThermal { conductivity: 2.0, ..Default::default() },
        ..class(name)
    };
    let mut world = world_of(vec![conductive("hot", 2.0), conductive("cold", 1.0)], vec![]);
    weightless(&mut world);
    layer(&mut world, 0, -100.0, 0.0);
    layer(&mut world, 1, 3.0, 100.0);
    let classes = world.particles().classes().to_vec();
    for (temperature, class) in world.particles_mut().temperatures_mut().iter_mut().zip(classes) {
        *temperature = if class.0 == 0 { 500.0 } else { -100.0 };
    }
    let before = heat(&world);
    let mut spread = f64::MAX;
    for _ in 0..10 {
        let report = run(&mut world, 120);
        let difference = report.classes[0].mean_temperature - report.classes[1].mean_temperature;
        // The test runs until only rounding errors are left.
        assert!(difference < spread.max(1e-3) && difference > -1e-3, "{difference} after {spread}");
        spread = difference;
        let off = (heat(&world) / before - 1.0).abs();
        assert!(off < 1e-4, "{off} of the heat");
        let range = world.particles().temperatures();
        assert!(range.iter().all(|t| (-100.01..=500.01).contains(t)), "hotter than it was");
    }
    assert!(spread < 300.0, "{spread}");
}

#[test]
fn a_heated_layer_rises() {
    let water = DensityClass {
        thermal: FluidThermal { conductivity: 0.005, expansion: 0.004, ..Default::default() },
        ..class("water")
    };
    let mut world = world_of(vec![water], vec![]);
    layer(&mut world, 0, -145.0, 60.0);
    run(&mut world, 120);
    let low: Vec<_> = {
        let particles = world.particles();
        let all = particles.ids().iter().zip(particles.positions());
        all.filter(|(_, position)| position.y < -110.0).map(|(id, _)| *id).collect()
    };
    let height = |world: &FluidWorld| {
        let particles = world.particles();
        let index = |id| particles.positions()[particles.index_of(id).expect("alive")].y;
        low.iter().map(|id| index(*id)).sum::<f32>() / low.len() as f32
    };
    let mut cold = world.clone();
    let indices: Vec<usize> =
        low.iter().map(|id| world.particles().index_of(*id).expect("alive")).collect();
    for index in indices {
        world.particles_mut().temperatures_mut()[index] = 220.0;
    }
    run(&mut world, 900);
    run(&mut cold, 900);
    assert!(height(&world) > height(&cold) + 60.0, "{} and {}", height(&world), height(&cold));
}

#[test]
fn warm_walls_and_forces_give_heat_and_surroundings_take_it() {
    let water = DensityClass {
        thermal: FluidThermal { conductivity: 1.0, cooling: 0.05, ..Default::default() },
        ..class("water")
    };
    let mut world = world_of(vec![water], vec![]);
    layer(&mut world, 0, -145.0, 0.0);
    let stove = WallProperties { temperature: Some(200.0), ..Default::default() };
    let (id, pot) = world.containers().next().map(|(id, pot)| (id, pot.clone())).expect("one");
    world.set_container(id, pot.clone().with_wall(stove).expect("valid"));
    let boiling = run(&mut world, 600).classes[0].mean_temperature;
    assert!(boiling > 60.0, "{boiling}");
    world.set_container(id, pot);
    let cooled = run(&mut world, 600).classes[0].mean_temperature;
    assert!((20.0..boiling - 30.0).contains(&cooled), "{cooled}");
    let flame = Force::heat(FluidRegion::circle(Vec2::ZERO, 80.0).expect("valid"), 500.0);
    world.set_forces(&[flame]).expect("valid");
    let heated = run(&mut world, 60).classes[0].mean_temperature;
    assert!(heated > cooled + 5.0, "{heated} after {cooled}");
}

#[test]
fn what_is_heated_turns_and_turns_back_when_it_cools() {
    let water = DensityClass {
        thermal: FluidThermal {
            above: Some(FluidTransition { temperature: 100.0, becomes: "steam".into() }),
            ..Default::default()
        },
        ..class("water")
    };
    let steam = DensityClass {
        mass: 0.5,
        thermal: FluidThermal {
            cooling: 1.0,
            below: Some(FluidTransition { temperature: 90.0, becomes: "water".into() }),
            ..Default::default()
        },
        ..class("steam")
    };
    let mut world = world_of(vec![water, steam], vec![]);
    layer(&mut world, 0, -145.0, -100.0);
    let all = world.particles().len();
    world.particles_mut().temperatures_mut()[..10].fill(110.0);
    run(&mut world, 1);
    assert_eq!(counts(&world), [all - 10, 10]);
    run(&mut world, 120);
    assert_eq!(counts(&world), [all, 0]);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a reference, not a state")]
fn without_air_as_much_boils_as_the_heat_suffices_for_and_the_rest_gets_no_hotter() {
    let (latent_heat, rate) = (500.0, 0.05);
    let water = DensityClass {
        thermal: FluidThermal {
            temperature: Some(100.0),
            // The surroundings are a stove.
            cooling: rate,
            above: Some(FluidTransition { temperature: 100.0, becomes: "steam".into() }),
            latent_heat,
            ..Default::default()
        },
        ..class("water")
    };
    let steam = DensityClass { mass: 0.8, ..class("steam") };
    let mut world = world_of(vec![water, steam], vec![]);
    change_parameters(&mut world, |parameters| parameters.ambient_temperature = 600.0);
    layer(&mut world, 0, -145.0, 0.0);
    let all = world.particles().len();
    // What each particle of water gets of the 500 degrees that the stove is hotter, over the heat that boiling takes.
    let ticks = 120;
    let time = ticks as f32 * TICK / world.parameters().time_unit();
    let boiled = 1.0 - (-500.0 * rate * time / latent_heat).exp();
    run(&mut world, ticks);
    let [water, steam] = counts(&world)[..] else { panic!("two classes") };
    assert_eq!(water + steam, all);
    let expected = all as f32 * boiled;
    let deviation = (expected * (1.0 - boiled)).sqrt();
    println!("{steam} of {all} boiled, and {expected} should");
    assert!((steam as f32 - expected).abs() < 4.0 * deviation, "{steam}, not {expected}");
    let mut temperatures = world.particles().temperatures().iter();
    assert!(temperatures.all(|temperature| *temperature == 100.0));
}

fn quench(rate: f32) -> FluidWorld {
    let reaction = FluidReaction {
        rate,
        becomes: [Some("stone".into()), Some("steam".into())],
        temperature: Some(90.0),
    };
    let pair = ClassPair { reaction: Some(reaction), ..ClassPair::new("lava", "water") };
    let classes = ["lava", "water", "stone", "steam"].map(class);
    let mut world = world_of(classes.into(), vec![pair]);
    layer(&mut world, 1, -145.0, -50.0);
    layer(&mut world, 0, -44.0, 20.0);
    world
}

#[test]
fn lava_and_water_turn_to_stone_and_steam_where_they_touch() {
    let mut world = quench(2.0);
    let before = counts(&world);
    // No particle reacts before it has been in contact for 1/rate: half a T0.
    let time_unit = world.parameters().time_unit();
    run(&mut world, (0.45 * time_unit / TICK) as u32);
    assert_eq!(counts(&world), before);
    assert!(world.particles().exposures().iter().any(|exposure| *exposure > 0.2));
    run(&mut world, 30);
    let after = counts(&world);
    assert!(after[2] > 20 && after[3] > 20, "{after:?}");
    // Each particle has become one other particle.
    assert_eq!((after[0] + after[2], after[1] + after[3]), (before[0], before[1]));
    let particles = world.particles();
    for (class, temperature) in particles.classes().iter().zip(particles.temperatures()) {
        assert_eq!(*temperature, if class.0 < 2 { 20.0 } else { 90.0 });
    }
    // A lower rate gives fewer reactions.
    let mut slow = quench(0.2);
    run(&mut slow, 40);
    let stone = counts(&slow)[2];
    assert!(stone < after[2], "{stone}");
}

#[test]
fn reactions_are_the_same_on_any_number_of_threads() {
    same_on_threads([1, 2, 4], |executor| {
        let mut world = quench(3.0);
        run_by(executor, &mut world, 120);
        (world.state_hash(), counts(&world))
    });
}

#[test]
fn reactions_that_go_round_go_round() {
    // Scissors cut paper, paper wraps stone, stone blunts scissors.
    let names = ["stone", "paper", "scissors"];
    let pairs = (0..3).map(|loser: usize| {
        let winner = names[(loser + 1) % 3];
        let becomes = [Some(winner.to_owned()), None];
        let reaction = FluidReaction { rate: 4.0, becomes, temperature: None };
        ClassPair { reaction: Some(reaction), ..ClassPair::new(names[loser], winner) }
    });
    let mut world = world_of(names.map(class).into(), pairs.collect());
    fill_disc(&mut world, 120.0, 3);
    let all = world.particles().len();
    let mut seen = std::collections::HashSet::new();
    for _ in 0..60 {
        run(&mut world, 5);
        let counts = counts(&world);
        assert_eq!(counts.iter().sum::<usize>(), all);
        seen.insert(counts);
    }
    assert!(seen.len() > 30, "it never stands still: {seen:?}");
}

/// Mean fraction of a particle's neighbours with the same class: for two classes that start mixed,
/// and for two discs that start side by side.
fn purities(cohesion: f32) -> [f64; 2] {
    let pair = ClassPair { cohesion, ..ClassPair::new("a", "b") };
    let mut mixed = world_of(vec![class("a"), class("b")], vec![pair]);
    weightless(&mut mixed);
    mixed.clear_containers();
    let mut apart = mixed.clone();
    let in_turn = |(index, position): (usize, Vec2)| {
        let velocity = 20.0 * scatter(index as u32);
        ParticleSpawn { class: ClassId((index % 2) as u8), ..moving(position, velocity) }
    };
    spawn_all(&mut mixed, disc(100.0).enumerate().map(in_turn));
    for (class, x) in [(0, -55.0), (1, 55.0)] {
        pour_class(&mut apart, ClassId(class), disc(58.0).map(|at| at + Vec2::new(x, 0.0)));
    }
    [run(&mut mixed, 900).purity, run(&mut apart, 900).purity]
}

#[test]
fn cohesion_decides_whether_two_mix_or_part() {
    let [parting, indifferent, mixing] = [-0.5, 0.0, 0.5].map(purities);
    // Classes without cohesion keep their arrangement, classes that repel each other separate, and
    // classes that attract each other mix.
    assert!(indifferent[0] < 0.55 && indifferent[1] > 0.8, "{indifferent:?}");
    assert!(parting[0] > 0.75 && parting[1] > indifferent[1] + 0.02, "{parting:?}");
    assert!(mixing[0] < 0.55 && mixing[1] < 0.6, "{mixing:?}");
}

#[test]
fn surface_tension_draws_beads() {
    // A bar becomes round faster with more cohesion.
    let roundness = |surface_tension| {
        let bead = DensityClass { surface_tension, ..class("bead") };
        let mut world = world_of(vec![bead], vec![]);
        weightless(&mut world);
        let bar = FluidShape::Rectangle { half_size: Vec2::new(120.0, 25.0) };
        pour_class(&mut world, ClassId(0), bar.fill(Vec2::ZERO, 8.1));
        run(&mut world, 150).roundness
    };
    let rounded = [-0.5, 0.0, 0.5, 1.0].map(roundness);
    assert!(rounded.windows(2).all(|pair| pair[0] + 0.02 < pair[1]), "{rounded:?}");
}

#[test]
fn thick_liquid_flows_slowly_beside_thin_liquid_that_does_not() {
    let viscosity = Some(ClassViscosity { linear: 15.0, ..Default::default() });
    let honey = DensityClass { viscosity, ..class("honey") };
    let mut world = world_of(vec![class("water"), honey], vec![]);
    world.clear_containers();
    for x in [-500.0, 500.0] {
        add_tank(&mut world, Vec2::new(x, 0.0), Vec2::new(400.0, 100.0));
    }
    for (class, x) in [(0, -850.0), (1, 150.0)] {
        let column = FluidShape::Rectangle { half_size: Vec2::new(40.0, 90.0) };
        pour_class(&mut world, ClassId(class), column.fill(Vec2::new(x, 0.0), 8.1));
    }
    run(&mut world, 90);
    let reach = |class: u8, wall: f32| {
        let particles = world.particles();
        let all = particles.positions().iter().zip(particles.classes());
        all.filter(|(_, id)| id.0 == class).map(|(p, _)| p.x - wall).fold(0.0, f32::max)
    };
    let (water, honey) = (reach(0, -900.0), reach(1, 100.0));
    // Liquid beyond the column's own width counts as spread.
    assert!(honey - 90.0 < 0.6 * (water - 90.0), "{honey} and {water}");
}

#[test]
fn classes_change_at_run_time_and_layers_follow() {
    let mut world = FluidWorld::default();
    add_container(&mut world, Container::circle(Vec2::ZERO, 150.0));
    for (index, position) in disc(140.0).enumerate() {
        pour_class(&mut world, ClassId((index % 2) as u8 * 2), [position]);
    }
    run(&mut world, 900);
    assert!(layer_order(&world) > 0.95);
    // The upper particles are heavy now, and the lower ones light.
    let below: Vec<_> = {
        let particles = world.particles();
        let all = particles.ids().iter().zip(particles.classes());
        all.filter(|(_, class)| **class == ClassId::HEAVY).map(|(id, _)| *id).collect()
    };
    let changed = world.set_class_where(ClassId::HEAVY, |_, class| class == ClassId::LIGHT);
    assert_eq!(changed.expect("known"), world.particles().len() - below.len());
    for id in below {
        assert!(world.set_class(id, ClassId::LIGHT).expect("known"));
    }
    assert!(layer_order(&world) < 0.05);
    let report = run(&mut world, 1500);
    assert!(report.layer_order > 0.9, "{}", report.layer_order);
    assert!(world.set_class_where(ClassId(3), |_, _| true).is_err());
}

#[test]
fn a_pool_whose_class_is_changed_does_not_burst() {
    // A material that is edited while the game runs changes its class in this way.
    let viscosity = Some(ClassViscosity { linear: 12.0, ..Default::default() });
    let elasticity = Some(Default::default());
    for edited in [
        DensityClass { viscosity, ..class("water") },
        DensityClass { mass: 1.8, ..class("water") },
        DensityClass { surface_tension: 1.0, ..class("water") },
        DensityClass { elasticity, ..class("water") },
        DensityClass { stiffness: 1.5, near_stiffness: 1.5, ..class("water") },
    ] {
        let mut world = world_of(vec![class("water")], vec![]);
        layer(&mut world, 0, -145.0, 60.0);
        run(&mut world, 600);
        let table = ClassTable::new(vec![edited.clone()]).expect("valid");
        world.set_classes(table).expect("as many");
        let mut fastest = 0.0_f64;
        for _ in 0..60 {
            fastest = fastest.max(run(&mut world, 1).max_speed);
        }
        let speed_unit = f64::from(world.parameters().speed_unit());
        assert!(fastest < speed_unit, "{fastest} of {edited:?}");
    }
}

/// Five classes that do what classes can do, at `first` and the indices after it in a table that has so
/// many others before them.
fn classes_from(first: u8) -> FluidWorld {
    let mut classes: Vec<_> = (0..first).map(|index| class(&format!("unused {index}"))).collect();
    let warm = FluidThermal { conductivity: 0.3, expansion: 1e-3, ..FluidThermal::default() };
    let thick = ClassViscosity { approach: 1.0, quadratic: 0.2, linear: 12.0 };
    let elastic = FluidElasticity { plasticity: 2.0, ..FluidElasticity::default() };
    let paint = Some(FluidPaint { diffusion: 0.3, ..FluidPaint::default() });
    classes.extend([
        DensityClass { mass: 1.3, viscosity: Some(thick), thermal: warm.clone(), ..class("honey") },
        DensityClass { elasticity: Some(elastic), thermal: warm.clone(), ..class("dough") },
        DensityClass { mass: 0.8, paint, thermal: warm.clone(), ..class("water") },
        DensityClass { powder: Some(FluidPowder::default()), mass: 1.6, ..class("sand") },
        DensityClass { mass: 0.9, thermal: warm, ..class("stone") },
    ]);
    let becomes = [None, Some("stone".into())];
    let reaction = FluidReaction { rate: 0.5, becomes, temperature: None };
    let pairs = vec![
        ClassPair { reaction: Some(reaction), ..ClassPair::new("honey", "water") },
        ClassPair { cohesion: 0.3, ..ClassPair::new("water", "stone") },
    ];
    let mut world = world_of(classes, pairs);
    for (index, position) in disc(130.0).enumerate() {
        // In patches, so that some blocks have one class and others several.
        let class = ClassId(first + ((index / 40) % 4) as u8);
        let temperature = Some(20.0 + (index % 50) as f32);
        let paint = Some([1.0, 0.5, 0.01 * (index % 80) as f32]);
        spawn(&mut world, ParticleSpawn { class, temperature, paint, ..at(position) });
    }
    world
}

#[test]
fn it_makes_no_difference_at_which_index_a_class_stands() {
    let run = |first: u8| {
        let mut world = classes_from(first);
        ticks::run(&mut world, 120);
        world
    };
    let low = run(0);
    assert!(low.particles().classes().contains(&ClassId(4)), "honey makes stone of water");
    assert!(low.springs().len() > 1000, "{} springs", low.springs().len());
    // Sets of classes have a bit for each of the first 64.
    for first in [60, 61, 63, 64, 200] {
        let high = run(first);
        let (low, at) = (&low, |class: &ClassId| ClassId(class.0 - first));
        let (lows, highs) = (low.particles(), high.particles());
        assert!(highs.classes().iter().map(at).eq(lows.classes().iter().copied()), "{first}");
        assert_eq!(highs.positions(), lows.positions(), "{first}");
        assert_eq!(highs.temperatures(), lows.temperatures(), "{first}");
        assert_eq!(highs.paint_amounts(), lows.paint_amounts(), "{first}");
        assert_eq!(high.springs(), low.springs(), "{first}");
    }
}

#[test]
fn two_hundred_and_fifty_six_classes_work() {
    let classes: Vec<_> = (0..256).map(|index| class(&index.to_string())).collect();
    let pairs = (0..255).map(|index| ClassPair {
        cohesion: 0.1,
        viscosity: Some(ClassViscosity::default()),
        ..ClassPair::new(&index.to_string(), &(index + 1).to_string())
    });
    let mut world = world_of(classes, pairs.collect());
    fill_disc(&mut world, 120.0, 256);
    let report = run(&mut world, 30);
    assert_eq!((report.escaped, report.quarantined), (0, 0));
}
