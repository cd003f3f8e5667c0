//! Sensors measure what the core's do.

use std::collections::HashSet;

use blob_fluid::{
    ClassFilter, ClassId, FluidParameters, FluidRegion, FluidShape, FluidWorld, Sensor,
};
use blob_fluid_gpu::{
    GpuDrain, GpuError, GpuLiquid, GpuParticle, GpuReport, GpuSensor, GpuSensorId, Shaders,
};
use glam::Vec2;

use crate::adapter::{device, on, on_with, shaders};
use crate::forces::shapes;
use crate::liquids::{TICK, assert_found, core_of, particles_of, weightless_cloud};

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
