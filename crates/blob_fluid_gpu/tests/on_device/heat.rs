//! Heat and reactions agree with the core's.

use blob_fluid::shape::scatter;
use blob_fluid::{
    ClassId, ClassPair, ClassTable, DensityClass, FluidParameters, FluidPass, FluidReaction,
    FluidThermal, FluidTransition, FluidWorld, Force, SerialExecutor, Substeps, WallProperties,
};
use blob_fluid_gpu::{GpuLiquid, GpuParticle, GpuPass, Shaders};
use glam::Vec2;

use crate::adapter::{device, on, on_with, shaders};
use crate::forces::forces;
use crate::liquids::{TICK, any_random, assert_found, block, run, tank, world};

/// Hottest temperature of the random liquids, in degrees.
const HOTTEST: f32 = 1000.0;

/// Gives the three classes of a liquid all that heat does, walls temperatures, and particles temperatures and
/// exposures.
pub fn heated(mut world: FluidWorld) -> FluidWorld {
    let becomes =
        |temperature, becomes: &str| Some(FluidTransition { temperature, becomes: becomes.into() });
    let thermals = [
        FluidThermal {
            conductivity: 3.0,
            cooling: 0.5,
            expansion: 5e-3,
            below: becomes(400.0, "class 1"),
            ..Default::default()
        },
        FluidThermal {
            conductivity: 0.8,
            expansion: -1e-3,
            above: becomes(700.0, "class 2"),
            below: becomes(50.0, "class 0"),
            ..Default::default()
        },
        FluidThermal { conductivity: 20.0, cooling: 2.0, ..Default::default() },
    ];
    let with = |(class, thermal): (&DensityClass, _)| DensityClass { thermal, ..class.clone() };
    let classes = world.classes().iter().zip(thermals).map(with).collect();
    let reaction = |rate, becomes: [Option<&str>; 2], temperature| {
        let becomes = becomes.map(|name| name.map(str::to_owned));
        Some(FluidReaction { rate, becomes, temperature })
    };
    let mut pairs = world.classes().pairs().to_vec();
    pairs.retain(|pair| pair.classes.iter().any(|name| name == "class 2"));
    pairs.push(ClassPair {
        reaction: reaction(1.3, [Some("class 2"), None], None),
        ..ClassPair::new("class 0", "class 1")
    });
    pairs.push(ClassPair {
        reaction: reaction(3.3, [Some("class 1"), Some("class 0")], Some(321.0)),
        ..ClassPair::new("class 0", "class 2")
    });
    world.set_classes(ClassTable::with_pairs(classes, pairs).expect("valid")).expect("as many");
    let hot = |wall, number: u32| WallProperties {
        temperature: (!number.is_multiple_of(4)).then_some(200.0 * number as f32),
        ..wall
    };
    let containers: Vec<_> =
        world.containers().map(|(id, container)| (id, container.clone())).collect();
    for (id, container) in containers {
        let wall = hot(container.wall(), 3);
        world.set_container(id, container.with_wall(wall).expect("valid"));
    }
    let colliders: Vec<_> = world.colliders().map(|(id, solid)| (id, solid.clone())).collect();
    for ((id, collider), number) in colliders.into_iter().zip(0..) {
        let wall = hot(collider.wall(), number);
        world.set_collider(id, collider.with_wall(wall).expect("valid"));
    }
    let temperatures = world.particles_mut().temperatures_mut();
    for (temperature, number) in temperatures.iter_mut().zip(0..) {
        *temperature = 0.5 * HOTTEST * (1.0 + scatter(number).x);
    }
    world
}

/// The core's particles by id.
fn core_particles(world: &FluidWorld) -> Vec<GpuParticle> {
    let arrays = world.particles();
    let particle = |index: usize| GpuParticle {
        id: arrays.ids()[index].slot(),
        class: arrays.classes()[index],
        position: arrays.positions()[index],
        velocity: arrays.velocities()[index],
        temperature: Some(arrays.temperatures()[index]),
        exposure: arrays.exposures()[index],
        ..GpuParticle::default()
    };
    let mut particles: Vec<_> = (0..arrays.len()).map(particle).collect();
    particles.sort_unstable_by_key(|particle| particle.id);
    particles
}

/// The largest difference of two numbers for each particle, relative to what rounding explains; infinite for one
/// that is none.
fn worst(
    ours: &[GpuParticle],
    core: &[GpuParticle],
    ratio: impl Fn(&GpuParticle, &GpuParticle) -> f32,
) -> f32 {
    assert_eq!(ours.len(), core.len());
    let both = ours.iter().zip(core);
    both.fold(0.0, |worst, (ours, core)| {
        assert_eq!(ours.id, core.id);
        let ratio = ratio(ours, core);
        f32::max(worst, if ratio.is_nan() { f32::INFINITY } else { ratio })
    })
}

/// What a substep does on both sides, where the core exchanges heat at the predicted positions too: the worst
/// differences of the velocities that gravity gives, of the temperatures after the heat of forces and after the exchange, of
/// exposures, and the number of particles of another class.
fn worst_of_a_substep(world: &mut FluidWorld, shaders: &Shaders) -> Option<[f32; 5]> {
    let both = device()?;
    let mut gpu = on_with(&both, world, shaders);
    let tick = gpu.begin_tick(&mut world.liquid().clone(), TICK).expect("valid");
    world.begin_tick(TICK, &SerialExecutor).expect("valid");
    let exchanges = |pass: &&FluidPass| matches!(pass, FluidPass::ExchangeHeat | FluidPass::React);
    for pass in FluidPass::ALL.iter().filter(|pass| !exchanges(pass)) {
        world.run_pass(*pass, &SerialExecutor);
        if *pass == FluidPass::HashPositions {
            break;
        }
    }
    for pass in GpuPass::ALL.iter().take_while(|pass| **pass <= GpuPass::Predict) {
        gpu.run_pass(*pass).expect("works");
    }
    let (ours, core) = (gpu.read_particles().expect("read"), core_particles(world));
    let heat: f32 = world.forces().iter().map(|force| force.heat.abs() * TICK).sum();
    let hottest = HOTTEST + heat;
    // As in the tests of forces and of the prediction.
    let fell = worst(&ours, &core, |ours, core| {
        let forced = world.forces().iter().map(|force| force.acceleration.length() + 4e3);
        let bound = 24.0 * core.velocity.length() + 50.0 * TICK * forced.sum::<f32>();
        (ours.velocity - core.velocity).length() / (f32::EPSILON * bound)
    });
    // A depth rounds as positions do, relative to at least 20.
    let forced = f32::EPSILON * (4.0 * hottest + (24.0 + 12.0 * 10.0) * heat);
    let warmed = worst(&ours, &core, |ours, core| apart(ours, core) / forced);
    let off = ours.iter().zip(&core).map(|(ours, core)| ours.position.distance(core.position));
    let off = off.fold(0.0, f32::max) / tick.coefficients.interaction_radius;

    let exchanging = FluidPass::ALL.iter().filter(exchanges);
    exchanging.for_each(|pass| world.run_pass(*pass, &SerialExecutor));
    let between = |pass: &&GpuPass| **pass > GpuPass::Predict && **pass < GpuPass::FindPressures;
    for pass in GpuPass::ALL.iter().filter(between) {
        gpu.run_pass(*pass).expect("works");
    }
    let (ours, core) = (gpu.read_sorted_particles().expect("read"), core_particles(world));
    // Some hundred operations with at most forty neighbours, whose weights are at most 2 in sum, and eight walls, where
    // all positions are off by so much, in interaction radii.
    let exchanged = 2.0 * forced + hottest * (64.0 * f32::EPSILON + 32.0 * off);
    let conducted = worst(&ours, &core, |ours, core| apart(ours, core) / exchanged);
    let exposed = 64.0 * f32::EPSILON + 32.0 * off;
    let exposed = worst(&ours, &core, |ours, core| (ours.exposure - core.exposure).abs() / exposed);
    let others = ours.iter().zip(&core).filter(|(ours, core)| ours.class != core.class).count();
    Some([fell, warmed, conducted, exposed, others as f32])
}

fn apart(ours: &GpuParticle, core: &GpuParticle) -> f32 {
    let (Some(ours), Some(core)) = (ours.temperature, core.temperature) else {
        return f32::INFINITY;
    };
    (ours - core).abs()
}

/// The liquids of the comparison: free, in containers, among colliders; some are heated by forces too.
fn liquid(seed: u32) -> FluidWorld {
    let mut world = any_random(seed);
    let one = FluidParameters { substeps: Substeps::Fixed(1), ..*world.parameters() };
    world.set_parameters(one).expect("valid");
    let mut world = heated(world);
    if seed % 4 == 1 {
        let warm = |force| Force { heat: 5000.0, ..force };
        world.set_forces(&forces().into_iter().map(warm).collect::<Vec<_>>()).expect("valid");
    }
    // So that there are exposures.
    for _ in 0..3 {
        world.step(TICK, &SerialExecutor).expect("valid");
    }
    world
}

const SEEDS: [u32; 12] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];

#[test]
fn heat_and_reactions_agree_with_the_core() {
    for seed in SEEDS {
        let mut world = liquid(seed);
        let before = world.particles().classes().to_vec();
        let Some(worst) = worst_of_a_substep(&mut world, &shaders()) else { return };
        let changed = before.iter().zip(world.particles().classes());
        let changed = changed.filter(|(before, after)| before != after).count();
        println!("seed {seed}: {worst:?} of what rounding explains; {changed} change");
        assert!(worst[..4].iter().all(|worst| *worst <= 1.0), "seed {seed}: {worst:?}");
        assert_eq!(worst[4], 0.0, "seed {seed}");
    }
}

#[test]
#[ignore = "long: .ci/run"]
fn a_fault_in_heat_is_found() {
    let faults = [
        ("gravity", "gravity_impulse * bitcast", "gravity_impulse * 0.999 * bitcast"),
        ("warm", "temperature - thermal.ambient", "temperature"),
        ("warm", "-2.0, 2.0)", "-3.0, 3.0)"),
        ("forces", "return heat * force_strength", "return 1.01 * heat * force_strength"),
        ("order", "sorted_extras[start + rank] = extras[i]", "sorted_extras[i] = extras[i]"),
        ("exchange_heat", "q <= 0.0", "q <= 0.2"),
        ("exchange_heat", "-pair_at(kind, kind).conductivity", "pair_at(kind, kind).conductivity"),
        ("exchange_heat", "pair_at(kind, sorted[j].kind & CLASS)", "pair_at(kind, kind)"),
        ("exchange_heat", "max(weights, 1.0)", "max(weights, 2.0)"),
        ("exchange_heat", "WALL_CONTACTS: f32 = 6.0", "WALL_CONTACTS: f32 = 5.9"),
        ("exchange_heat", "if SOLIDS && wall.body != NONE", "if false"),
        ("exchange_heat", "(1.0 + thermal.cooling)", "(1.0 + 1.1 * thermal.cooling)"),
        ("react", "own.x > thermal.above", "own.x > 0.8 * thermal.above"),
        ("react", "own.x < thermal.below", "own.x < 0.9 * thermal.below"),
        ("thermal", "(bits >> 8u)", "(bits >> 7u)"),
        ("react", "min(contact.closeness, 1.0)", "contact.closeness"),
        ("react", "distance < nearest", "distance > nearest"),
        ("react", "own.x = contact.reaction.temperature", "own.x *= 1.0"),
        ("thermal", "own * params.classes + other", "other * params.classes + own"),
    ];
    assert_found(&faults, |shaders| {
        for seed in SEEDS {
            let worst = worst_of_a_substep(&mut liquid(seed), shaders)?;
            if worst[..4].iter().any(|worst| *worst > 1.0) || worst[4] > 0.0 {
                return Some((true, format!("{worst:?} with seed {seed}")));
            }
        }
        Some((false, "nothing".into()))
    });
}

/// A pool of water, with lava above it.
fn lava_on_water() -> FluidWorld {
    let class = |name: &str, temperature, above, below| DensityClass {
        name: name.into(),
        thermal: FluidThermal {
            temperature: Some(temperature),
            conductivity: 0.5,
            above,
            below,
            ..FluidThermal::default()
        },
        ..DensityClass::default()
    };
    let to =
        |temperature, name: &str| Some(FluidTransition { temperature, becomes: name.to_owned() });
    let classes = vec![
        DensityClass { mass: 1.5, ..class("lava", 1100.0, None, to(700.0, "stone")) },
        class("water", 20.0, to(600.0, "steam"), None),
        DensityClass { mass: 2.0, ..class("stone", 600.0, to(800.0, "lava"), None) },
        DensityClass { mass: 0.3, ..class("steam", 620.0, None, to(500.0, "water")) },
    ];
    let mut world = world(FluidParameters::default());
    world.set_classes(ClassTable::new(classes).expect("valid")).expect("none in use");
    tank(&mut world, 30.0, 40.0);
    let spacing = world.parameters().particle_spacing;
    block(&mut world, Vec2::ZERO, (30, 12), ClassId(1));
    block(&mut world, Vec2::new(0.0, 12.5 * spacing), (30, 4), ClassId(0));
    world
}

fn counts(classes: impl Iterator<Item = ClassId>) -> [f32; 4] {
    let mut counts = [0.0; 4];
    classes.for_each(|class| counts[class.index()] += 1.0);
    counts
}

/// `sum m T`, where no particle changes its mass.
fn heat(particles: impl Iterator<Item = f32>) -> f64 {
    particles.map(f64::from).sum()
}

#[test]
fn lava_freezes_on_water_as_the_cores() {
    let Some(both) = device() else { return };
    let mut world = lava_on_water();
    let mut gpu = on(&both, &world);
    let mut settings = world.liquid().clone();
    for _ in 0..120 {
        world.step(TICK, &SerialExecutor).expect("valid");
        gpu.step(&mut settings, TICK).expect("valid");
    }
    let ours = gpu.read_particles().expect("read");
    let count = ours.len() as f32;
    let ours_of_class = counts(ours.iter().map(|particle| particle.class));
    let core = counts(world.particles().classes().iter().copied());
    println!("lava, water, stone, steam: {ours_of_class:?}, the core's {core:?}");
    let reported = gpu.wait_for_report().expect("works").expect("there").classes.clone();
    assert_eq!(reported, ours_of_class.map(|count| count as u32));
    // Both are turbulent.
    for (ours, core) in ours_of_class.iter().zip(core) {
        assert!((ours - core).abs() < 0.05 * count, "{ours} and {core}");
    }
    let mean = |temperatures: f64| temperatures / f64::from(count);
    let ours = mean(heat(ours.iter().map(|particle| particle.temperature.expect("has heat"))));
    let core = mean(heat(world.particles().temperatures().iter().copied()));
    println!("mean temperature {ours}, the core's {core}");
    assert!((ours - core).abs() < 20.0, "{ours} and {core}");
}

/// Equal masses exchange heat, and lose none.
#[test]
fn heat_is_conserved() {
    let Some(both) = device() else { return };
    let mut world = world(FluidParameters::default());
    let water = DensityClass {
        thermal: FluidThermal { conductivity: 2.0, ..FluidThermal::default() },
        ..DensityClass::default()
    };
    world.set_classes(ClassTable::new(vec![water]).expect("valid")).expect("none in use");
    tank(&mut world, 30.0, 30.0);
    block(&mut world, Vec2::ZERO, (30, 20), ClassId(0));
    for (temperature, number) in world.particles_mut().temperatures_mut().iter_mut().zip(0..) {
        *temperature = if number % 30 < 15 { 0.0 } else { 200.0 };
    }
    let mut gpu = on(&both, &world);
    let temperatures = |gpu: &GpuLiquid| -> Vec<f32> {
        let particles = gpu.read_particles().expect("read");
        particles.iter().map(|particle| particle.temperature.expect("has heat")).collect()
    };
    let before = heat(temperatures(&gpu).into_iter());
    run(&mut gpu, world.liquid_mut(), 300);
    let after = temperatures(&gpu);
    let off = (heat(after.iter().copied()) / before - 1.0).abs();
    println!("{off} of the heat is lost");
    assert!(off < 1e-5, "{off}");
    assert!(after.iter().all(|temperature| (0.0..=200.0).contains(temperature)));
    let between = after.iter().filter(|temperature| (20.0..180.0).contains(*temperature)).count();
    assert!(between > 100, "{between}");
}

/// One would pass it on to all.
#[test]
fn temperatures_that_are_none_warm_nobody() {
    let Some(both) = device() else { return };
    let mut world = world(FluidParameters::default());
    let water = DensityClass {
        thermal: FluidThermal {
            temperature: Some(20.0),
            conductivity: 2.0,
            ..FluidThermal::default()
        },
        ..DensityClass::default()
    };
    world.set_classes(ClassTable::new(vec![water]).expect("valid")).expect("none in use");
    tank(&mut world, 20.0, 20.0);
    block(&mut world, Vec2::ZERO, (20, 10), ClassId(0));
    let mut gpu = on(&both, &world);
    let position = 50.0 * Vec2::ONE;
    let bad = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY].map(|temperature| GpuParticle {
        class: ClassId(0),
        position,
        temperature: Some(temperature),
        ..GpuParticle::default()
    });
    gpu.append(&bad).expect("added");
    run(&mut gpu, world.liquid_mut(), 5);
    assert_eq!(gpu.wait_for_report().expect("works").expect("there").quarantined, 3);
    let particles = gpu.read_particles().expect("read");
    assert_eq!(particles.len(), 200);
    let near =
        |particle: &GpuParticle| particle.temperature.is_some_and(|t| (t - 20.0).abs() < 0.1);
    assert!(particles.iter().all(near));
}

#[test]
fn temperatures_move_with_particles_through_larger_buffers() {
    let Some(both) = device() else { return };
    let mut world = world(FluidParameters::default());
    tank(&mut world, 60.0, 60.0);
    block(&mut world, Vec2::ZERO, (40, 10), ClassId(0));
    let mut gpu = on(&both, &world);
    world.clear();
    gpu.step(world.liquid_mut(), TICK).expect("valid");
    assert!(!gpu.has_heat());
    assert!(gpu.read_particles().expect("read").iter().all(|all| all.temperature.is_none()));
    // Then there is heat, and those that were there have the temperature of their class.
    let of_class = |class: &DensityClass| DensityClass {
        thermal: FluidThermal {
            temperature: Some(70.0),
            expansion: 1e-4,
            ..FluidThermal::default()
        },
        ..class.clone()
    };
    let classes = world.classes().iter().map(of_class).collect();
    world.set_classes(ClassTable::new(classes).expect("valid")).expect("none in use");
    gpu.step(world.liquid_mut(), TICK).expect("valid");
    assert!(gpu.has_heat());
    let spacing = world.parameters().particle_spacing;
    let low = Vec2::new(0.5, 30.0) * spacing;
    let added = |number: u32| GpuParticle {
        position: low + Vec2::new((number % 50) as f32, (number / 50) as f32) * spacing,
        temperature: number.is_multiple_of(2).then_some(number as f32),
        ..GpuParticle::default()
    };
    let added: Vec<_> = (0..1000).map(added).collect();
    let capacity = gpu.capacity();
    let ids = gpu.append(&added).expect("room");
    assert!(gpu.capacity() > capacity, "the buffers have grown");
    gpu.step(world.liquid_mut(), TICK).expect("valid");
    for particle in gpu.read_particles().expect("read") {
        let number = particle.id.checked_sub(ids.start);
        let own = number.and_then(|number| added[number as usize].temperature);
        assert_eq!(particle.temperature, Some(own.unwrap_or(70.0)), "{particle:?}");
    }
    // An impulse heats once.
    gpu.apply_impulse(&Force { heat: 5.0, ..Force::default() }).expect("valid");
    for particle in gpu.read_particles().expect("read").iter().take(400) {
        assert_eq!(particle.temperature, Some(75.0), "{particle:?}");
    }
    // So it does what was just added, with the temperature of its class or its own.
    let more = [None, Some(20.0)].map(|temperature| GpuParticle {
        position: low + 20.0 * Vec2::Y * spacing,
        temperature,
        ..GpuParticle::default()
    });
    let ids = gpu.append(&more).expect("room");
    for heat in [5.0, 2.0] {
        gpu.apply_impulse(&Force { heat, ..Force::default() }).expect("valid");
    }
    gpu.step(world.liquid_mut(), TICK).expect("valid");
    let particles = gpu.read_particles().expect("read");
    let warmed = particles.iter().filter(|particle| ids.contains(&particle.id));
    let warmed: Vec<_> = warmed.map(|particle| particle.temperature).collect();
    assert_eq!(warmed, [Some(77.0), Some(27.0)]);
}
