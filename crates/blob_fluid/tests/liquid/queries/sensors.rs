//! Sensors: what lies in a region, who came and left, and how much flows.

use blob_fluid::shape::FluidShape;
use blob_fluid::{
    ClassFilter, ClassId, FillLevels, FluidRegion, FluidWorld, LevelCrossing, ParticleSpawn, Sensor,
};
use glam::Vec2;

use super::{ALL, add, spray};
use crate::pools::spacing;
use crate::ticks::TICK;

#[test]
fn sensors_count_what_lies_in_a_turned_region() {
    let world = spray();
    let particles = world.particles();
    let shape = FluidShape::Rectangle { half_size: Vec2::new(150.0, 40.0) };
    let region =
        FluidRegion::new(shape, Vec2::new(60.0, -30.0), Vec2::new(0.6, 0.8)).expect("valid");
    let light = ClassFilter::from(ClassId::LIGHT);
    for (classes, share) in [(ALL, 3), (light, 1)] {
        let mut sensor = Sensor::new(region.clone(), classes);
        let reading = sensor.measure(&world, TICK).clone();
        let inside = |index: &usize| {
            let offset = particles.positions()[*index] - Vec2::new(60.0, -30.0);
            let local =
                Vec2::new(offset.dot(Vec2::new(0.6, 0.8)), offset.dot(Vec2::new(-0.8, 0.6)));
            local.x.abs() <= 150.0 && local.y.abs() <= 40.0
        };
        let counted =
            |index: &usize| inside(index) && classes.contains(particles.classes()[*index]);
        let count = (0..particles.len()).filter(counted).count();
        assert!(count > 20 * share && reading.count == count, "{count}");
        assert_eq!(reading.classes.iter().sum::<usize>(), count);
        assert_eq!(reading.classes[1] > 0, share == 3);
        let fill = count as f32 * spacing() * spacing() / 24_000.0;
        assert!((reading.fill - fill.min(1.0)).abs() < 1e-5);
        assert_eq!((reading.entered, reading.left), (count, 0));
        assert_eq!((reading.inflow, reading.outflow), (0.0, 0.0), "the first does not count");
    }
}

#[test]
fn sensors_know_who_came_and_who_left() {
    let mut world = FluidWorld::default();
    let [a, b, c] = [0.0, 5.0, 10.0].map(|x| add(&mut world, Vec2::new(x, 0.0), ClassId::HEAVY));
    let mut sensor = Sensor::new(FluidRegion::circle(Vec2::ZERO, 20.0).expect("valid"), ALL);
    sensor.set_smoothing(0.0).expect("valid");
    sensor.measure(&world, 0.5);
    assert_eq!(
        (sensor.inside(), sensor.entered(), sensor.left()),
        (&[a, b, c][..], &[a, b, c][..], &[][..])
    );
    // A particle dies, and a new one gets its slot. The new one is a different particle.
    world.despawn(b);
    let d = add(&mut world, Vec2::new(5.0, 0.0), ClassId::HEAVY);
    assert_eq!(d.slot(), b.slot());
    let reading = sensor.measure(&world, 0.5).clone();
    assert_eq!((sensor.entered(), sensor.left()), (&[d][..], &[b][..]));
    assert_eq!((reading.inflow, reading.outflow), (2.0, 2.0));
    // One particle changes its class, and the region moves away from the others.
    sensor.set_classes(ClassId::HEAVY.into());
    world.set_class(a, ClassId::LIGHT).expect("valid");
    sensor.measure(&world, 0.5);
    assert_eq!((sensor.entered(), sensor.left()), (&[][..], &[a][..]));
    sensor.set_region(FluidRegion::circle(Vec2::new(500.0, 0.0), 20.0).expect("valid"));
    let reading = sensor.measure(&world, 0.5);
    assert_eq!((reading.left, reading.count, reading.outflow), (2, 0, 4.0));
    assert!(sensor.set_smoothing(f32::NAN).is_err() && sensor.set_smoothing(-1.0).is_err());
}

#[test]
fn flows_settle_at_what_flows() {
    let mut world = FluidWorld::default();
    let mut sensor = Sensor::new(FluidRegion::circle(Vec2::ZERO, 50.0).expect("valid"), ALL);
    let mut ids = Vec::new();
    for tick in 0..120 {
        if tick % 2 == 0 {
            ids.push(add(&mut world, Vec2::new(0.0, (tick % 40) as f32), ClassId::HEAVY));
        }
        if tick % 2 == 0 && tick > 20 {
            world.despawn(ids.remove(0));
        }
        sensor.measure(&world, TICK);
    }
    let reading = sensor.reading();
    assert!((reading.inflow - 30.0).abs() < 3.0, "{reading:?}");
    assert!((reading.outflow - 30.0).abs() < 3.0, "{reading:?}");
}

#[test]
fn a_level_between_both_thresholds_changes_nothing() {
    let mut world = FluidWorld::default();
    let half_size = Vec2::splat(5.0 * spacing());
    let mut sensor =
        Sensor::new(FluidRegion::rectangle(Vec2::ZERO, half_size).expect("valid"), ALL);
    sensor.set_levels(FillLevels { full_at: 0.5, empty_below: 0.3 }).expect("valid");
    let mut ids = Vec::new();
    let mut crossings = Vec::new();
    // The counts out of 100: 49, 50, then 30, 50, 29, and alternating values around 29.
    for wanted in [49, 50, 49, 50, 30, 50, 29, 30, 29, 49, 50] {
        while ids.len() < wanted {
            ids.push(add(&mut world, Vec2::new(ids.len() as f32 * 0.1, 0.0), ClassId::HEAVY));
        }
        while ids.len() > wanted {
            world.despawn(ids.pop().expect("some"));
        }
        let reading = sensor.measure(&world, TICK);
        assert!((reading.fill - wanted as f32 / 100.0).abs() < 1e-5);
        crossings.extend(reading.crossing.map(|crossing| (wanted, crossing)));
    }
    use LevelCrossing::{Drained, Filled};
    assert_eq!(crossings, [(50, Filled), (29, Drained), (50, Filled)]);
    for (full_at, empty_below) in [(f32::NAN, 0.1), (0.5, 0.6), (1.1, 0.1), (0.5, 0.0)] {
        assert!(sensor.set_levels(FillLevels { full_at, empty_below }).is_err());
    }
    assert_eq!(sensor.levels().full_at, 0.5);
}

#[test]
fn a_sensor_outlives_a_measurement_after_hardly_any_time() {
    let mut world = FluidWorld::default();
    let region = FluidRegion::circle(Vec2::ZERO, 20.0).expect("valid");
    let mut sensor = Sensor::new(region, ClassFilter::ALL);
    sensor.measure(&world, 1e-40);
    world.spawn(ParticleSpawn::default()).expect("valid");
    sensor.measure(&world, 1e-40);
    assert_eq!(sensor.measure(&world, 1.0 / 60.0).inflow, 0.0);
}
