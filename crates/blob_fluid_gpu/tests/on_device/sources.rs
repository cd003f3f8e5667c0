//! Particles come and go.

use blob_fluid::{
    ClassFilter, ClassId, ClassTable, DensityClass, Drain, FluidLifetime, FluidParameters,
    FluidRegion, FluidShape, FluidWorld, ParticleSpawn,
};
use blob_fluid_gpu::{GpuDrain, GpuError, GpuParticle, GpuReport, Shaders};
use glam::Vec2;
use wgpu::{Device, Queue};

use crate::adapter::{device, on, on_with, shaders};
use crate::liquids::{TICK, assert_found, run, tank, world};

#[test]
fn appended_particles_get_consecutive_ids() {
    let Some(both) = device() else { return };
    let mut world = world(FluidParameters::default());
    tank(&mut world, 20.0, 20.0);
    let mut liquid = on(&both, &world);
    let particle = |index: u32| GpuParticle {
        id: 77,
        position: Vec2::new(20.0 + 3.0 * (index % 50) as f32, 20.0 + 3.0 * (index / 50) as f32),
        ..GpuParticle::default()
    };
    let particles: Vec<_> = (0..100).map(particle).collect();
    assert_eq!(liquid.append(&particles[..10]).expect("added"), 0..10);
    liquid.insert(&[GpuParticle { id: 20, ..particles[10] }]).expect("added");
    let stranger = GpuParticle { class: ClassId(9), ..particles[0] };
    assert!(matches!(liquid.append(&[stranger]), Err(GpuError::UnknownClass { .. })));
    assert_eq!(liquid.append(&particles[11..]).expect("added"), 21..110);
    assert!(matches!(
        liquid.insert(&[GpuParticle { id: 50, ..particles[0] }]),
        Err(GpuError::IdInUse(50))
    ));
    liquid.step(world.liquid_mut(), TICK).expect("valid");
    let ids = liquid.read_particles().expect("read").into_iter().map(|particle| particle.id);
    assert!(ids.eq((0..10).chain(20..110)));

    let last = GpuParticle { id: u32::MAX - 1, ..particles[0] };
    liquid.insert(&[last]).expect("added");
    assert!(matches!(liquid.append(&particles[..1]), Err(GpuError::NoMoreIds)));
    assert_eq!(liquid.len(), 101);
}

#[test]
fn a_million_particles_are_appended_at_once() {
    let Some(both) = device() else { return };
    let world = world(FluidParameters::default());
    let mut liquid = on(&both, &world);
    liquid.append(&vec![GpuParticle::default(); 10]).expect("added");
    let million = vec![GpuParticle::default(); 1_000_000];
    let begin = std::time::Instant::now();
    assert_eq!(liquid.append(&million).expect("added"), 10..1_000_010);
    let seconds = begin.elapsed().as_secs_f32();
    println!("a million particles appended in {seconds} s");
    assert_eq!(liquid.len(), 1_000_010);
}

#[test]
fn what_is_spawned_in_the_core_moves_to_the_device() {
    let Some(both) = device() else { return };
    let mut world = world(FluidParameters::default());
    tank(&mut world, 20.0, 20.0);
    let mut liquid = on(&both, &world);
    // A class more than there were.
    let mut classes: Vec<_> = world.classes().iter().cloned().collect();
    classes.push(DensityClass { name: "fourth".into(), ..DensityClass::default() });
    world.set_classes(ClassTable::new(classes).expect("valid")).expect("unused");
    for (tick, lifetime) in [None, Some(0.4), Some(0.4)].into_iter().enumerate() {
        let spawn = ParticleSpawn {
            position: Vec2::new(50.0 + 20.0 * tick as f32, 50.0),
            velocity: Vec2::new(0.0, 300.0),
            class: ClassId(3),
            lifetime: lifetime.map(FluidLifetime::new),
            ..Default::default()
        };
        world.spawn(spawn).expect("valid");
        let ids = liquid.take_from(world.liquid_mut()).expect("moved");
        assert_eq!(ids, tick as u32..tick as u32 + 1);
        assert_eq!(world.particles().len(), 0);
        let last = liquid.read_particles().expect("read").pop().expect("there");
        assert_eq!((last.position, last.velocity), (spawn.position, spawn.velocity));
        assert_eq!((last.class, last.lifetime.is_some()), (ClassId(3), lifetime.is_some()));
        liquid.step(world.liquid_mut(), TICK).expect("valid");
    }
    assert!(liquid.take_from(world.liquid_mut()).expect("nothing to do").is_empty());
    run(&mut liquid, world.liquid_mut(), 30);
    let report = liquid.wait_for_report().expect("works").expect("there");
    assert_eq!((report.classes[3], report.expired), (1, 2));
}

/// A square lattice of particles of all classes, many of them equally far from its centre.
fn lattice() -> FluidWorld {
    let mut world = world(FluidParameters { gravity: Vec2::ZERO, ..FluidParameters::default() });
    let class = |index: i32| ClassId((index.rem_euclid(3)) as u8);
    for index in 0..61 * 61 {
        // In an order that has nothing to do with the distance.
        let index = index * 1723 % (61 * 61);
        let (x, y) = (index % 61 - 30, index / 61 - 30);
        let position = Vec2::new(x as f32, y as f32) * 20.0;
        world
            .spawn(ParticleSpawn { position, class: class(x * y), ..Default::default() })
            .expect("valid");
    }
    world
}

/// Some drains, on both sides. The ids that are left and, for each drain, how many it has removed of each
/// class, of the core and of the device; and the report.
#[expect(clippy::type_complexity)]
fn drained(
    drains: &[(FluidRegion, ClassFilter, u32)],
) -> Option<([(Vec<u32>, Vec<[u32; 3]>); 2], GpuReport)> {
    let both = device()?;
    let mut core = lattice();
    let mut settings = core.clone();
    let mut liquid = on(&both, &core);
    let mut by_core = Vec::new();
    for (channel, (region, classes, most)) in drains.iter().enumerate() {
        let mut drain = Drain::new(region.clone()).with_classes(*classes);
        // What drains in a tick.
        let rate = (*most < u32::MAX).then_some(*most as f32 / TICK * 1.0001);
        drain.set_rate(rate).expect("valid");
        drain.drain(core.liquid_mut(), TICK).expect("valid");
        let count = |class: usize| drain.drained().get(class).map_or(0, |count| *count as u32);
        by_core.push([0, 1, 2].map(count));
        let (region, classes, most) = (region.clone(), *classes, *most);
        liquid.drain(GpuDrain { region, classes, most, channel: channel as u8 }).expect("valid");
    }
    liquid.step(settings.liquid_mut(), TICK).expect("valid");
    let report = liquid.wait_for_report().expect("works").expect("there").clone();
    let mut left: Vec<u32> = core.particles().ids().iter().map(|id| id.slot()).collect();
    left.sort_unstable();
    let ours = liquid.read_particles().expect("read").into_iter().map(|particle| particle.id);
    let count = |channel: usize, class: u8| report.drained_of(channel as u8, ClassId(class));
    let by_ours = (0..drains.len()).map(|channel| [0, 1, 2].map(|class| count(channel, class)));
    Some(([(left, by_core), (ours.collect(), by_ours.collect())], report))
}

#[test]
fn drains_remove_the_particles_that_the_cores_do() {
    let disc = FluidRegion::circle(Vec2::new(40.0, -60.0), 330.0).expect("valid");
    // No particle lies on its edge, where rounding decides.
    let bar = FluidRegion::new(
        FluidShape::Capsule { half_length: 200.0, radius: 91.0 },
        Vec2::new(10.0, 0.0),
        Vec2::new(0.8, 0.6),
    );
    let bar = bar.expect("valid");
    let light = ClassFilter::from(ClassId::LIGHT);
    for most in [0, 1, 7, 100, 333, u32::MAX] {
        let drains = [
            (disc.clone(), ClassFilter::ALL, most),
            (bar.clone(), light, 50),
            (disc.clone(), ClassFilter::ALL.without(ClassId::LIGHT), 40),
        ];
        let Some(([core, ours], report)) = drained(&drains) else { return };
        println!("most {most}: {} left, drained {:?}", core.0.len(), core.1);
        assert_eq!(core, ours, "most {most}");
        assert_eq!(report.drained as usize, 61 * 61 - core.0.len());
        assert_eq!(report.in_play(), core.0.len());
        let first: u32 = core.1[0].iter().sum();
        assert!(first == most || most == u32::MAX && first > 700, "{first}");
    }
}

#[test]
fn drained_places_are_reused() {
    let Some(both) = device() else { return };
    let mut world = world(FluidParameters::default());
    tank(&mut world, 20.0, 20.0);
    let mut liquid = on(&both, &world);
    let region = FluidRegion::rectangle(Vec2::splat(150.0), Vec2::splat(100.0)).expect("valid");
    let (classes, most) = (ClassFilter::ALL, u32::MAX);
    let mut places = 0;
    for tick in 0..50_u32 {
        let position = |index: u32| Vec2::new(100.0 + 15.0 * (index % 6) as f32, 100.0);
        let particles: Vec<_> = (0..12)
            .map(|index| GpuParticle { position: position(index + tick), ..Default::default() })
            .collect();
        liquid.append(&particles).expect("added");
        let drain = GpuDrain { region: region.clone(), classes, most, channel: 63 };
        liquid.drain(drain).expect("valid");
        liquid.step(world.liquid_mut(), TICK).expect("valid");
        liquid.wait_for_report().expect("works");
        places = places.max(liquid.len());
    }
    let report = liquid.wait_for_report().expect("works").expect("there");
    assert_eq!((report.in_play(), report.drained), (0, 600));
    assert_eq!(report.drained_of(63, ClassId(0)) + report.drained_of(63, ClassId(1)), 600);
    assert!(places <= 48, "{places}");
    let wrong = GpuDrain { region, classes, most, channel: 64 };
    assert!(matches!(liquid.drain(wrong), Err(GpuError::UnknownChannel(64))));
}

/// What is wrong with what recycling leaves of a liquid that gets particles in every tick.
fn wrong_of_recycling(both: &(Device, Queue), shaders: &Shaders) -> Vec<String> {
    let mut world = world(FluidParameters::default());
    tank(&mut world, 60.0, 60.0);
    let mut liquid = on_with(both, &world, shaders);
    let spacing = world.parameters().particle_spacing;
    let particles = |tick: u32| -> Vec<GpuParticle> {
        // Ids have nothing to do with places.
        let particle = |number: u32| {
            let place = (number * 37 + tick * 11) % 400;
            let position = Vec2::new((place % 20) as f32, (place / 20) as f32) * 2.5 * spacing;
            GpuParticle { position: position + spacing, ..GpuParticle::default() }
        };
        (0..300).map(particle).collect()
    };
    let mut wrong = Vec::new();
    let mut expected: Vec<u32> = Vec::new();
    let mut recycled = 0;
    for (tick, count) in (0..).zip([0, 1, 299, 600, 0, 15, 16, 17, 450, 301, u32::MAX]) {
        let ids = liquid.append(&particles(tick)).expect("added");
        expected.extend(ids);
        // In two calls.
        liquid.recycle_oldest(count / 2);
        liquid.recycle_oldest(count - count / 2);
        let most = (count as usize).min(expected.len());
        expected.drain(..most);
        recycled += most as u32;
        liquid.step(world.liquid_mut(), TICK).expect("valid");
        let ours: Vec<u32> =
            liquid.read_particles().expect("read").iter().map(|particle| particle.id).collect();
        if ours != expected {
            wrong.push(format!(
                "{count} recycled: {} are left, not {}",
                ours.len(),
                expected.len()
            ));
        }
        let report = liquid.wait_for_report().expect("works").expect("there");
        if (report.recycled, report.drained) != (recycled, 0) {
            wrong.push(format!("{} recycled and {} drained", report.recycled, report.drained));
        }
    }
    wrong
}

#[test]
fn the_oldest_are_recycled() {
    let Some(both) = device() else { return };
    assert_eq!(wrong_of_recycling(&both, &shaders()), Vec::<String>::new());
}

#[test]
#[ignore = "long: .ci/run"]
fn a_fault_in_recycling_is_found() {
    let Some(both) = device() else { return };
    let faults = [
        ("recycle", "<= last_range", "< last_range"),
        (
            "recycle",
            "atomicLoad(&ages[range]) < missing",
            "atomicLoad(&ages[range]) + 9u < missing",
        ),
        ("recycle", "(group.x + group.y * groups.x) * 256u", "group.x * 255u"),
        ("recycle", "= vec2u(0u, i)", "= vec2u(i, i)"),
        ("remove_drained", "let recycles = regions[REGION + 2u].z != 0u;", "let recycles = false;"),
    ];
    assert_found(&faults, |shaders| {
        let wrong = wrong_of_recycling(&both, shaders);
        Some((!wrong.is_empty(), format!("{wrong:?}")))
    });
}

/// The oldest of a core liquid get the lowest ids, whatever their slots.
#[test]
fn ids_have_the_order_of_ages() {
    let Some(both) = device() else { return };
    let mut world = world(FluidParameters::default());
    tank(&mut world, 20.0, 20.0);
    let mut liquid = on(&both, &world);
    let mut spawn = |x: f32| {
        let position = Vec2::new(x, 50.0);
        world.spawn(ParticleSpawn { position, ..Default::default() }).expect("valid")
    };
    let [first, _] = [20.0, 40.0].map(&mut spawn);
    world.despawn(first);
    let place = |x: f32| ParticleSpawn { position: Vec2::new(x, 50.0), ..Default::default() };
    // It takes the slot of the first.
    let reused = world.spawn(place(60.0)).expect("valid");
    assert_eq!(reused.slot(), first.slot());
    liquid.take_from(world.liquid_mut()).expect("moved");
    let particles = liquid.read_particles().expect("read");
    let places: Vec<_> = particles.iter().map(|particle| particle.position.x).collect();
    assert_eq!(places, [40.0, 60.0]);
}
