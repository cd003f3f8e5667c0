//! Reports of a device, and what follows from them.

use std::collections::HashSet;

use blob_fluid::{
    ClassFilter, ClassId, FluidBounds, FluidParameters, FluidRegion, FluidShape, FluidWorld,
    ParticleSpawn, Sensor, SerialExecutor, Substeps,
};
use blob_fluid_gpu::{
    GpuDrain, GpuError, GpuLiquid, GpuParticle, GpuReport, GpuSensor, GpuSensorId, Shaders,
};
use glam::{DVec2, Vec2};

use crate::adapter::{device, on, on_with, shaders};
use crate::forces::shapes;
use crate::liquids::{
    TICK, assert_found, block, core_of, particles_of, run, tank, ten_rows, weightless_cloud, world,
};

#[test]
fn a_report_counts_and_measures_all_particles() {
    let Some(both) = device() else { return };
    let mut world = world(FluidParameters::default());
    tank(&mut world, 120.0, 4000.0);
    // More than a work group has, far up in a high tank.
    let spacing = world.parameters().particle_spacing;
    let low = Vec2::new(10.0, 3000.0) * spacing;
    block(&mut world, low, (100, 30), ClassId::LIGHT);
    block(&mut world, low + Vec2::Y * (30.0 * spacing), (100, 15), ClassId::HEAVY);
    let mut liquid = on(&both, &world);
    assert_eq!(liquid.report().expect("works"), None);
    run(&mut liquid, world.liquid_mut(), 5);
    let report = liquid.wait_for_report().expect("works").expect("there").clone();
    let particles = liquid.read_particles().expect("read");
    let [mut light, mut heavy] = [0, 0];
    let mut mean = DVec2::ZERO;
    for particle in &particles {
        light += u32::from(particle.class == ClassId::LIGHT);
        heavy += u32::from(particle.class == ClassId::HEAVY);
        mean += particle.position.as_dvec2() / particles.len() as f64;
    }
    assert_eq!((report.tick, report.in_play()), (5, 4500));
    assert_eq!(report.classes[ClassId::LIGHT.index()], light);
    assert_eq!(report.classes[ClassId::HEAVY.index()], heavy);
    assert_eq!(report.classes.len(), 3);
    let bounds = FluidBounds::of(&particles.iter().map(|p| p.position).collect::<Vec<_>>());
    assert_eq!(report.bounds, bounds);

    let offsets = || particles.iter().map(|particle| particle.position.as_dvec2() - mean);
    let share = 1.0 / particles.len() as f64;
    let squares = offsets().map(|offset| offset * offset * share).sum::<DVec2>();
    let product = offsets().map(|offset| offset.x * offset.y * share).sum::<f64>();
    // Every particle is merged 8 times in its thread, 8 times in its group and twice at the end, in 4
    // operations each; offsets round as the positions do.
    let rounding = 72.0 * f64::from(f32::EPSILON);
    let offset = mean.length() * f64::from(f32::EPSILON);
    let deviation = squares.max_element().sqrt();
    let bound = squares.max_element() * rounding + 4.0 * deviation * offset;
    let wrong = (report.squares.as_dvec2() - squares).abs().max_element();
    println!("squares {squares}, wrong by {wrong:e}, bound {bound:e}");
    assert!(wrong < bound);
    assert!((f64::from(report.product) - product).abs() < bound);
    assert!((report.centre.as_dvec2() - mean).length() < 18.0 * offset);
}

#[test]
fn reports_come_back_while_nobody_waits() {
    let Some(both) = device() else { return };
    let (mut world, mut liquid) = ten_rows(&both);
    let mut latest = 0;
    for tick in 1..=60 {
        liquid.step(world.liquid_mut(), TICK).expect("valid");
        std::thread::sleep(std::time::Duration::from_millis(5));
        if let Some(report) = liquid.report().expect("works") {
            assert!(report.tick >= latest && report.tick <= tick);
            assert_eq!(report.in_play(), 300);
            latest = report.tick;
        }
    }
    assert!(latest > 50, "the newest report is of tick {latest}");
}

#[test]
fn substeps_follow_from_where_the_liquid_is_on_the_device() {
    let Some(both) = device() else { return };
    let substeps = Substeps::Automatic { compression: 0.02, max: 20 };
    let (down, aslant) = (Vec2::new(0.0, -400.0), Vec2::new(-300.0, -300.0));
    // The last are two towers far apart.
    for (gravity, blocks) in
        [(down, vec![(0.0, 40)]), (aslant, vec![(0.0, 40)]), (down, vec![(0.0, 12), (28.0, 12)])]
    {
        let mut full = world(FluidParameters { substeps, gravity, ..FluidParameters::default() });
        tank(&mut full, 40.0, 200.0);
        let mut settings = full.clone();
        for (x, columns) in blocks {
            let low = Vec2::new(x * full.parameters().particle_spacing, 0.0);
            block(&mut full, low, (columns, 180), ClassId::MEDIUM);
        }
        let mut liquid = on(&both, &settings);
        liquid.append(&particles_of(&full)).expect("added");
        let mut taken = Vec::new();
        let mut wanted = Vec::new();
        for _ in 0..6 {
            taken.push(liquid.step(settings.liquid_mut(), TICK).expect("valid"));
            liquid.wait_for_report().expect("works");
            wanted.push(full.step(TICK, &SerialExecutor).expect("valid").substeps);
        }
        println!("gravity {gravity}: core {wanted:?}, device {taken:?}");
        assert_eq!(settings.particles().len(), 0);
        assert!(wanted[0] > 2, "deep");
        assert_eq!(taken, wanted);
    }
}

#[test]
fn deep_liquid_begins_as_the_cores() {
    let Some(both) = device() else { return };
    let mut full = world(FluidParameters::default());
    tank(&mut full, 8.0, 600.0);
    let mut settings = full.clone();
    block(&mut full, Vec2::ZERO, (8, 500), ClassId::MEDIUM);
    let mut liquid = on(&both, &settings);
    liquid.append(&particles_of(&full)).expect("added");
    let rms = |speeds: &mut dyn Iterator<Item = Vec2>| {
        let (sum, count) = speeds
            .fold((0.0, 0.0), |(sum, count), speed| (sum + speed.length_squared(), count + 1.0));
        (sum / count as f32).sqrt()
    };
    let mut fastest = 0.0_f32;
    for tick in 0..8 {
        let wanted = full.step(TICK, &SerialExecutor).expect("valid").substeps;
        assert!(wanted >= 4, "deep");
        assert_eq!(liquid.step(settings.liquid_mut(), TICK).expect("valid"), wanted);
        let core = rms(&mut full.particles().velocities().iter().copied());
        let particles = liquid.read_particles().expect("read");
        let ours = rms(&mut particles.iter().map(|particle| particle.velocity));
        assert!((ours / core - 1.0).abs() < 0.01, "tick {tick}: {ours}, and {core} in the core");
        fastest = fastest.max(ours);
    }
    println!("at most {fastest} units/s");
}

#[test]
fn what_leaves_the_kill_bounds_is_removed_and_its_place_reused() {
    let Some(both) = device() else { return };
    let mut settings = world(FluidParameters::default());
    let bounds = FluidBounds { low: Vec2::new(-200.0, -100.0), high: Vec2::new(200.0, 500.0) };
    settings.set_kill_bounds(Some(bounds)).expect("valid");
    let mut core = settings.clone();
    let mut liquid = on(&both, &settings);
    let mut places = 0;
    for tick in 0..200 {
        // A jet that falls out of the world, with a bad particle now and then.
        let spawn = |index: usize| Vec2::new(index as f32 * 18.0 - 50.0, 0.0);
        let mut drops: Vec<_> = (0..6)
            .map(|index| GpuParticle {
                position: spawn(index),
                velocity: Vec2::new(0.0, -1200.0),
                ..GpuParticle::default()
            })
            .collect();
        if tick % 10 == 0 {
            drops[0].velocity.x = f32::NAN;
        }
        for drop in drops.iter().filter(|drop| drop.velocity.is_finite()) {
            let (position, velocity) = (drop.position, drop.velocity);
            let spawn = ParticleSpawn { position, velocity, ..Default::default() };
            core.spawn(spawn).expect("valid");
        }
        liquid.append(&drops).expect("added");
        liquid.step(settings.liquid_mut(), TICK).expect("valid");
        core.step(TICK, &SerialExecutor).expect("valid");
        liquid.wait_for_report().expect("works");
        places = places.max(liquid.len());
    }
    let report = liquid.wait_for_report().expect("works").expect("there");
    let (left, in_play) = (core.out_of_bounds(), report.in_play());
    println!("core: {left} out, device {report:?}, at most {places} places");
    assert_eq!(report.quarantined, 20);
    assert_eq!(report.in_play() as u32 + report.out_of_bounds, 1180);
    assert!(report.out_of_bounds.abs_diff(left as u32) <= 6);
    assert_eq!(liquid.read_particles().expect("read").len(), in_play);
    assert!(places < 100, "{places} places for {in_play} particles in play");
}

#[test]
fn particles_die_at_the_end_of_their_lifetime() {
    let Some(both) = device() else { return };
    let mut world = world(FluidParameters::default());
    tank(&mut world, 30.0, 30.0);
    let mut liquid = on(&both, &world);
    let particle = |(index, lifetime)| GpuParticle {
        position: Vec2::new(40.0 + 25.0 * index as f32, 40.0),
        lifetime,
        ..GpuParticle::default()
    };
    let lifetimes = [None, Some(0.1), Some(0.5), Some(5000.0), Some(0.0)];
    let particles: Vec<_> = lifetimes.into_iter().enumerate().map(particle).collect();
    liquid.append(&particles).expect("added");
    let mut deaths = Vec::new();
    for _ in 0..40 {
        liquid.step(world.liquid_mut(), TICK).expect("valid");
        deaths.push(liquid.wait_for_report().expect("works").expect("there").expired);
    }
    let ticks = |count: u32| deaths.iter().filter(|deaths| **deaths < count).count();
    // 0.1 s are six ticks, of which the last may be a part of a second too short.
    assert_eq!(ticks(1), 0);
    assert!((5..=6).contains(&ticks(2)), "{deaths:?}");
    assert!((29..=30).contains(&ticks(3)), "{deaths:?}");
    assert_eq!(deaths[39], 3);
    let left = liquid.read_particles().expect("read");
    assert_eq!(left.iter().map(|particle| particle.id).collect::<Vec<_>>(), [0, 3]);
    assert_eq!(left[0].lifetime, None);
    let left = left[1].lifetime.expect("mortal");
    assert!((left - 4000.0 + 40.0 * TICK).abs() < 0.01, "{left:?}");
}

#[test]
fn the_grid_follows_a_liquid_without_a_container() {
    let Some(both) = device() else { return };
    let mut settings = world(FluidParameters {
        gravity: Vec2::new(100.0, -400.0),
        substeps: Substeps::Fixed(1),
        ..FluidParameters::default()
    });
    let mut core = settings.clone();
    block(&mut core, Vec2::new(-500.0, 300.0), (50, 60), ClassId::MEDIUM);
    let mut liquid = on(&both, &settings);
    liquid.append(&particles_of(&core)).expect("added");
    let mut times = Vec::new();
    for _ in 0..180 {
        let passes = liquid.step_timed(settings.liquid_mut(), TICK).expect("valid");
        times.push(passes.iter().map(|pass| pass.milliseconds).sum::<f64>());
        liquid.wait_for_report().expect("works");
        core.step(TICK, &SerialExecutor).expect("valid");
    }
    let report = liquid.wait_for_report().expect("works").expect("there").clone();
    let positions = core.particles().positions();
    let mean = positions.iter().sum::<Vec2>() / positions.len() as f32;
    println!("centre {} (core {mean}), bounds {:?}", report.centre, report.bounds);
    assert!((report.centre - mean).length() < 1.0, "{} and {mean}", report.centre);
    assert!(mean.y < -1000.0, "far from where it began: {mean}");
    // All of it in one row of cells would take 25 times as long.
    let least = |times: &[f64]| times.iter().copied().fold(f64::INFINITY, f64::min);
    let (first, last) = (least(&times[5..30]), least(&times[150..]));
    println!("{first} ms a tick in the beginning, {last} ms in the end");
    assert!(last < 4.0 * first, "{first} ms, then {last} ms");
}

/// Whether a report is right of particles that rest, of which some are drained, killed, expired and bad.
fn a_report_is_right(shaders: &Shaders) -> Option<bool> {
    let both = device()?;
    let mut world = world(FluidParameters { gravity: Vec2::ZERO, ..FluidParameters::default() });
    let kept = FluidBounds { low: Vec2::new(-1e4, -4e3), high: Vec2::new(1e4, 1e4) };
    world.set_kill_bounds(Some(kept)).expect("valid");
    let mut liquid = on_with(&both, &world, shaders);
    let region = FluidRegion::circle(Vec2::splat(1000.0), 300.0).expect("valid");
    // Too far from each other to meet.
    let particle = |index: u32| GpuParticle {
        position: Vec2::new((index % 60) as f32, (index / 60) as f32 * 1.3) * 70.0 - 1e3,
        class: ClassId((index % 7 % 3) as u8),
        lifetime: index.is_multiple_of(11).then_some(0.001),
        ..GpuParticle::default()
    };
    let mut particles: Vec<_> = (0..2500).map(particle).collect();
    particles.push(GpuParticle { position: Vec2::new(0.0, -5e3), ..GpuParticle::default() });
    particles.push(GpuParticle { position: Vec2::new(0.0, f32::NAN), ..GpuParticle::default() });
    liquid.append(&particles).expect("added");
    let (classes, most) = (ClassFilter::ALL.without(ClassId(1)), 6);
    liquid.drain(GpuDrain { region: region.clone(), classes, most, channel: 9 }).expect("valid");
    liquid.step(world.liquid_mut(), TICK).expect("valid");
    let report = liquid.wait_for_report().expect("works").expect("there");

    let distance = |particle: &&GpuParticle| particle.position.distance(region.centre());
    let drains = |particle: &&GpuParticle| {
        region.contains(particle.position) && classes.contains(particle.class)
    };
    let mut nearest: Vec<_> = particles.iter().filter(drains).collect();
    nearest.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
    nearest.truncate(most as usize);
    let left: Vec<_> = particles
        .iter()
        .filter(|particle| particle.lifetime.is_none() && kept.contains(particle.position))
        .filter(|particle| !nearest.iter().any(|other| std::ptr::eq(*other, *particle)))
        .collect();
    let mortal = particles.iter().filter(|particle| particle.lifetime.is_some());
    let expired = mortal.filter(|particle| !nearest.contains(particle)).count();
    let of = |class| left.iter().filter(|particle| particle.class == ClassId(class)).count() as u32;
    let drained = |class| nearest.iter().filter(|near| near.class == ClassId(class)).count() as u32;
    let share = 1.0 / left.len() as f64;
    let mean = left.iter().map(|particle| particle.position.as_dvec2() * share).sum::<DVec2>();
    let offsets = left.iter().map(|particle| particle.position.as_dvec2() - mean);
    let product = offsets.clone().map(|offset| offset.x * offset.y * share).sum::<f64>();
    let squares = offsets.map(|offset| offset * offset * share).sum::<DVec2>();
    // The rounding of `a_report_counts_and_measures_all_particles`.
    let rounding = 72.0 * f64::from(f32::EPSILON);
    let near = |ours: f64, right: f64| (ours - right).abs() < rounding * squares.max_element();
    let positions: Vec<_> = left.iter().map(|particle| particle.position).collect();
    Some(
        report.classes == [of(0), of(1), of(2)]
            && (report.quarantined, report.out_of_bounds) == (1, 1)
            && (report.expired, report.drained) == (expired as u32, most)
            && [0, 1, 2].map(|class| report.drained_of(9, ClassId(class)))
                == [drained(0), drained(1), drained(2)]
            && report.bounds == FluidBounds::of(&positions)
            && near(report.squares.x.into(), squares.x)
            && near(report.squares.y.into(), squares.y)
            && near(report.product.into(), product),
    )
}

#[test]
#[ignore = "long: .ci/run"]
fn a_fault_in_a_report_or_a_drain_is_found() {
    let Some(right) = a_report_is_right(&shaders()) else { return };
    assert!(right);
    let faults = [
        ("spread", "d * d * weight", "d * d"),
        ("spread", "d.x * d.y * weight", "d.x * d.x * weight"),
        ("spread", "a.mean + d * part", "a.mean + d * 0.5"),
        ("spread", "max(a.high, b.high)", "max(a.high, b.low)"),
        ("summarise", "k < 8u", "k < 4u"),
        ("summarise", "kind & CLASS", "kind & 1u"),
        ("summarise", "position <= params.kill_high", "position >= params.kill_high"),
        ("summarise", "dies != 0u && ", ""),
        ("conclude", "+ 2047u) / 2048u", ") / 2048u"),
        ("remove_drained", "compared(one, 8u) <= 0", "compared(one, 8u) < 0"),
        ("remove_drained", "24u - 8u * (digit % 4u)", "8u * (digit % 4u)"),
        ("remove_drained", "< remaining", "<= remaining"),
        ("find_drained", "!has_class(REGION, kind & CLASS) || ", ""),
        ("find_drained", "p - numbers(1u).xy", "p"),
    ];
    assert_found(&faults, |shaders| {
        let right = a_report_is_right(shaders).expect("a device");
        Some((!right, format!("right: {right}")))
    });
}

// Sensors measure what the core's do.

/// More particles than a work group has.
fn flying_cloud() -> FluidWorld {
    weightless_cloud(250.0, 7)
}

/// A sensor of each kind of shape, for other classes each, which turn and move with `tick`.
fn sensors(tick: u32) -> Vec<GpuSensor> {
    let angle = 0.4 + 0.7 * tick as f32;
    let centre = Vec2::new(20.0 - 9.0 * tick as f32, 15.0 * tick as f32 - 40.0);
    let sensor = |(index, shape)| GpuSensor {
        region: FluidRegion::new(shape, centre, Vec2::from_angle(angle)).expect("valid"),
        classes: [
            ClassFilter::ALL,
            ClassFilter::ALL.without(ClassId::HEAVY),
            ClassFilter::from(ClassId::LIGHT),
        ][index % 3],
    };
    shapes().into_iter().enumerate().map(sensor).collect()
}

/// The ids of the particles that a sensor counts. None may lie where rounding decides.
fn inside(sensor: &GpuSensor, particles: &[GpuParticle]) -> HashSet<u32> {
    let counted = particles.iter().filter(|particle| sensor.classes.contains(particle.class));
    let counted = counted.filter(|particle| {
        let distance = sensor.region.distance(particle.position);
        assert!(distance.abs() > 1e-3, "a particle lies on an edge: take another seed");
        distance < 0.0
    });
    counted.map(|particle| particle.id).collect()
}

/// What a report says of a sensor that differs from what the core's sensor measures of the same particles.
fn differences(
    report: &GpuReport,
    (id, sensor, came): (GpuSensorId, &GpuSensor, u32),
    core: &FluidWorld,
) -> Vec<String> {
    let Some(ours) = report.sensed(id) else { return vec!["not measured".into()] };
    let mut measuring = Sensor::new(sensor.region.clone(), sensor.classes);
    let cores = measuring.measure(core, TICK);
    let counts: Vec<_> = ours.classes.iter().map(|count| *count as usize).collect();
    let mut found = Vec::new();
    if counts != cores.classes {
        found.push(format!("counts {counts:?}, not {:?}", cores.classes));
    }
    if (ours.entered, ours.left()) != (came, came.wrapping_sub(cores.count as u32)) {
        found.push(format!("{} entered, not {came}", ours.entered));
    }
    // Half a step, and the roundings of a factor, a quotient and two conversions.
    let step = core.parameters().speed_unit() / 4096.0;
    let fastest = core.particles().velocities().iter().map(|velocity| velocity.length());
    let bound = 0.5 * step + 4.0 * f32::EPSILON * fastest.fold(0.0, f32::max);
    let apart = (ours.velocity - cores.velocity).abs().max_element();
    if apart.is_nan() || apart > bound {
        found.push(format!("velocity {}, not {}", ours.velocity, cores.velocity));
    }
    found
}

/// A few ticks in which sensors move, appear and go, and particles are drained and appended: what differs from
/// the core in each.
fn wrong_in_some_ticks(shaders: &Shaders) -> Option<Vec<String>> {
    let both = device()?;
    let mut world = flying_cloud();
    let mut liquid = on_with(&both, &world, shaders);
    let mut known: Vec<(GpuSensorId, HashSet<u32>, u32)> = Vec::new();
    let mut wrong = Vec::new();
    let mut counted = 0;
    for tick in 0..7_u32 {
        let watching = sensors(tick);
        if tick == 5 {
            // Another sensor takes its place.
            let (id, ..) = known.remove(0);
            assert!(liquid.remove_sensor(id).is_some());
            assert!(!liquid.set_sensor(id, watching[0].clone()));
            known.insert(0, (liquid.insert_sensor(watching[0].clone()), HashSet::new(), 0));
        }
        for (index, sensor) in watching.iter().enumerate() {
            match known.get(index) {
                Some((id, ..)) => assert!(liquid.set_sensor(*id, sensor.clone())),
                // Some come later, and take more room.
                None if index < 3 || tick > 1 => {
                    known.push((liquid.insert_sensor(sensor.clone()), HashSet::new(), 0));
                }
                None => {}
            }
        }
        if tick == 2 {
            let region = FluidRegion::circle(Vec2::ZERO, 60.0).expect("valid");
            let (classes, most) = (ClassFilter::ALL, u32::MAX);
            liquid.drain(GpuDrain { region, classes, most, channel: 0 }).expect("valid");
        }
        if tick == 3 {
            // Ids that take more room.
            liquid.append(&particles_of(&flying_cloud())).expect("added");
        }
        liquid.step(world.liquid_mut(), TICK).expect("valid");
        let report = liquid.wait_for_report().expect("works").expect("there").clone();
        let particles = liquid.read_particles().expect("read");
        let core = core_of(&particles, FluidParameters::default());
        for ((id, before, came), sensor) in known.iter_mut().zip(&watching) {
            let now = inside(sensor, &particles);
            *came += now.difference(before).count() as u32;
            counted += now.len();
            *before = now;
            for found in differences(&report, (*id, sensor, *came), &core) {
                wrong.push(format!("tick {tick}, {:?}: {found}", sensor.region.shape()));
            }
        }
    }
    assert!(counted > 10_000, "{counted} particles counted");
    Some(wrong)
}

#[test]
fn sensors_of_every_shape_measure_what_the_cores_do() {
    let Some(wrong) = wrong_in_some_ticks(&shaders()) else { return };
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
#[ignore = "long: .ci/run"]
fn a_fault_in_sensors_is_found() {
    let faults = [
        ("sense", "has_class(at + REGION, class_index) && ", ""),
        ("sense", "1u + sensor * SENSOR", "1u"),
        ("sense", "(own.kind & OUT_OF_PLAY) == 0u && ", ""),
        ("sense", "select(0u, 0xffffffffu, steps < 0)", "0u"),
        ("sense", "before + low < low", "false"),
        ("sense", "round(velocity)", "floor(velocity + 1.0)"),
        ("sense", "atomicOr(&inside[word], bit)", "atomicOr(&inside[word], 0u)"),
        ("sense", "atomicAnd(&inside[word], ~bit)", "atomicAnd(&inside[word], 0xffffffffu)"),
        ("sense", "own.id / 32u", "own.id / 64u"),
        ("sense", "own.id % 32u", "own.id % 16u"),
        ("sense", "sensor * regions[0].y + ", ""),
        ("sense", "atomicExchange(&of_class[local], 0u)", "atomicLoad(&of_class[local])"),
        ("sense", "add_steps(sensor, 2u", "add_steps(sensor, 0u"),
        ("region", "pose.w, pose.z", "pose.z, pose.w"),
        ("region", "any(p < around.xy)", "any(p < around.xy + 20.0)"),
        ("region", "length(p) - size.x", "length(p) - 0.98 * size.x"),
        ("region", "return dot(p, size.xy)", "return dot(p, size.yx)"),
        ("region", "(edge.z - edge.x) * along", "(edge.z + edge.x) * along"),
        ("region", "mix(low, high, part.y)", "low"),
    ];
    assert_found(&faults, |shaders| {
        let wrong = wrong_in_some_ticks(shaders)?;
        Some((!wrong.is_empty(), format!("{} differences", wrong.len())))
    });
}

/// A sensor of all that is above a line far below.
fn everywhere() -> GpuSensor {
    let shape = FluidShape::HalfPlane { normal: Vec2::NEG_Y };
    let region = FluidRegion::new(shape, Vec2::new(0.0, -50_000.0), Vec2::X).expect("valid");
    GpuSensor { region, classes: ClassFilter::ALL }
}

#[test]
fn sums_of_velocities_are_the_same_in_any_order_and_exceed_32_bits() {
    let Some(both) = device() else { return };
    let mut readings = Vec::new();
    for backwards in [false, true] {
        let mut world = flying_cloud();
        let unit = world.parameters().speed_unit();
        let wind = Vec2::new(-900.0, 700.0) * unit;
        let mut particles = particles_of(&world);
        for (particle, id) in particles.iter_mut().zip(0..) {
            particle.id = id;
            particle.velocity += wind;
        }
        assert!(particles.len() as f32 * 700.0 * 4096.0 > 4.0e9);
        if backwards {
            particles.reverse();
        }
        world.clear();
        let mut liquid = on(&both, &world);
        liquid.insert(&particles).expect("added");
        let id = liquid.insert_sensor(everywhere());
        liquid.step(world.liquid_mut(), TICK).expect("valid");
        let report = liquid.wait_for_report().expect("works").expect("there").clone();
        let read = liquid.read_particles().expect("read");
        let core = core_of(&read, FluidParameters::default());
        let came = particles.len() as u32;
        let wrong = differences(&report, (id, &everywhere(), came), &core);
        assert!(wrong.is_empty(), "{wrong:?}");
        readings.push(report.sensed(id).expect("measured").clone());
    }
    assert_eq!(readings[0], readings[1]);
}

#[test]
fn without_sensors_there_is_no_memory_and_too_large_ones_are_an_error() {
    let Some(both) = device() else { return };
    let mut world = flying_cloud();
    let mut liquid = on(&both, &world);
    // The bytes of a liquid after a tick.
    fn ticked(liquid: &mut GpuLiquid, world: &mut FluidWorld) -> u64 {
        liquid.step(world.liquid_mut(), TICK).expect("valid");
        liquid.wait_for_report().expect("works");
        liquid.device_bytes()
    }
    let mut others_world = flying_cloud();
    let mut other = on(&both, &others_world);
    let ids: Vec<_> = (0..3).map(|_| liquid.insert_sensor(everywhere())).collect();
    let [with, without] = [ticked(&mut liquid, &mut world), ticked(&mut other, &mut others_world)];
    println!("{} bytes for three sensors of {} ids", with - without, liquid.len());
    assert!(with - without >= 3 * (liquid.len() as u64 / 8 + 1024));
    for id in &ids {
        assert_eq!(liquid.remove_sensor(*id), Some(everywhere()));
        assert_eq!(liquid.remove_sensor(*id), None);
    }
    assert_eq!(ticked(&mut liquid, &mut world), ticked(&mut other, &mut others_world));
    let report = liquid.wait_for_report().expect("works").expect("there");
    assert_eq!(report.sensed(ids[0]), None);

    let last = GpuParticle { id: u32::MAX - 1, ..GpuParticle::default() };
    liquid.insert(&[last]).expect("added");
    let id = liquid.insert_sensor(everywhere());
    let error = liquid.step(world.liquid_mut(), TICK).expect_err("a bit for each of 2^32 ids");
    assert!(matches!(error, GpuError::SensorsTooLarge(1)), "{error}");
    liquid.remove_sensor(id);
    liquid.step(world.liquid_mut(), TICK).expect("valid");
}
