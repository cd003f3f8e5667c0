//! Tanks: what drains into them and what is emitted from them.

use blob_fluid::{
    CapacityPolicy, ClassId, Drain, Emitter, EmitterSettings, FluidLifetime, FluidWorld,
    ParticleSpawn, SpawnError, Tank,
};
use glam::Vec2;

use super::rectangle;
use crate::ticks::{TICK, run};

/// A pose that pours downwards.
const DOWN: (Vec2, Vec2) = (Vec2::new(0.0, 100.0), Vec2::NEG_X);

/// Particles of two classes in a row.
fn row() -> FluidWorld {
    let mut world = FluidWorld::default();
    for number in 0..30 {
        let class = if number % 3 == 0 { ClassId::LIGHT } else { ClassId::HEAVY };
        let position = Vec2::new(8.0 * number as f32, 0.0);
        let temperature = Some(number as f32);
        world
            .spawn(ParticleSpawn { position, class, temperature, ..Default::default() })
            .expect("valid");
    }
    world
}

fn emit(world: &mut FluidWorld, tap: &mut Emitter, tank: &mut Tank) -> blob_fluid::EmitReport {
    tap.emit_from(world.liquid_mut(), tank, DOWN, DOWN, TICK).expect("valid")
}

#[test]
fn a_drain_fills_a_tank_and_stops_when_it_is_full() {
    let mut world = row();
    let mut tank = Tank::with_capacity(20);
    let mut hole = Drain::new(rectangle((0.0, 0.0), (500.0, 9.0))).with_rate(600.0).expect("valid");
    for drained in [10, 10, 0] {
        let count = hole.drain_into(world.liquid_mut(), &mut tank, TICK).expect("valid");
        assert_eq!(count, drained);
    }
    assert_eq!((world.particles().len(), tank.total(), tank.room()), (10, 20, 0));
    // The nearest 20: numbers 0 to 19, of which 7 are multiples of 3 with a mean of 9.
    assert_eq!((tank.amount(ClassId::LIGHT), tank.amount(ClassId::HEAVY)), (7, 13));
    assert_eq!(tank.temperature(ClassId::LIGHT), Some(9.0));
    assert_eq!(hole.drained()[ClassId::LIGHT.index()], 7);
    // What it did not drain while the tank was full does not come later.
    tank.clear();
    assert_eq!(hole.drain_into(world.liquid_mut(), &mut tank, TICK), Ok(10));
}

#[test]
fn an_emitter_empties_a_tank_as_if_it_were_stirred() {
    let mut world = FluidWorld::default();
    let mut tank = Tank::new();
    tank.add(ClassId::LIGHT, 300, 20.0).expect("valid");
    tank.add(ClassId::HEAVY, 600, 50.0).expect("valid");
    let mut tap = Emitter::new(EmitterSettings::jet(80.0, 300.0)).expect("valid");
    let mut shares = Vec::new();
    while !tank.is_empty() {
        emit(&mut world, &mut tap, &mut tank);
        run(&mut world, 1);
        assert_eq!(world.particles().len() as u64 + tank.total(), 900);
        let light =
            world.particles().classes().iter().filter(|class| **class == ClassId::LIGHT).count();
        shares.push(light as f32 / world.particles().len().max(1) as f32);
    }
    // The standard deviation of a share among half of 900 is .02.
    let half_way = shares[shares.len() / 2];
    assert!((half_way - 1.0 / 3.0).abs() < 0.07, "{half_way}");
    for (class, temperature) in
        world.particles().classes().iter().zip(world.particles().temperatures())
    {
        let expected = if *class == ClassId::LIGHT { 20.0 } else { 50.0 };
        assert!((temperature - expected).abs() < 1e-3, "{temperature}");
    }
    // It goes on when more comes.
    assert_eq!(emit(&mut world, &mut tap, &mut tank).emitted, 0);
    tank.add(ClassId::MEDIUM, 5, 0.0).expect("valid");
    let mut emitted = 0;
    for _ in 0..20 {
        emitted += emit(&mut world, &mut tap, &mut tank).emitted;
        run(&mut world, 1);
    }
    assert_eq!((emitted, tank.total()), (5, 0));
}

#[test]
fn a_mix_waits_for_the_class_whose_turn_it_is() {
    let mut world = FluidWorld::default();
    let mut tank = Tank::new();
    tank.add(ClassId::LIGHT, 10, 20.0).expect("valid");
    tank.add(ClassId::HEAVY, 100, 20.0).expect("valid");
    let mix = vec![(ClassId::LIGHT, 1.0), (ClassId::HEAVY, 1.0)];
    let settings =
        EmitterSettings { mix, temperature: Some(90.0), ..EmitterSettings::jet(40.0, 200.0) };
    let mut tap = Emitter::new(settings).expect("valid");
    for _ in 0..120 {
        emit(&mut world, &mut tap, &mut tank);
        run(&mut world, 1);
    }
    assert_eq!((tank.amount(ClassId::LIGHT), tank.amount(ClassId::HEAVY)), (0, 90));
    assert!(world.particles().temperatures().iter().all(|temperature| *temperature == 90.0));
}

#[test]
fn what_the_world_refuses_stays_in_the_tank() {
    let mut world = FluidWorld::default();
    world.set_capacity(3);
    let mut tank = Tank::new();
    tank.add(ClassId::MEDIUM, 50, 20.0).expect("valid");
    let mut tap = Emitter::new(EmitterSettings::jet(80.0, 300.0)).expect("valid");
    let mut refused = 0;
    for _ in 0..10 {
        let report = emit(&mut world, &mut tap, &mut tank);
        refused += report.refused;
        assert_eq!(world.particles().len() as u64 + tank.total(), 50);
    }
    assert!(refused > 0 && tank.total() == 47);
    let mut strange = Tank::new();
    strange.add(ClassId(99), 5, 20.0).expect("valid");
    world.set_capacity(100);
    let mut again = Emitter::new(EmitterSettings::jet(80.0, 300.0)).expect("valid");
    let error = (0..10).find_map(|_| emit(&mut world, &mut again, &mut strange).error);
    assert_eq!(error, Some(SpawnError::UnknownClass { class: 99, classes: 3 }));
    assert_eq!(strange.total(), 5);
}

#[test]
fn what_dies_or_is_recycled_does_not_return() {
    let mut world = FluidWorld::default();
    world.set_capacity(5);
    world.set_capacity_policy(CapacityPolicy::RecycleOldest);
    let mut tank = Tank::new();
    tank.add(ClassId::MEDIUM, 40, 20.0).expect("valid");
    let mut tap = Emitter::new(EmitterSettings {
        lifetime: Some(FluidLifetime::new(1.0)),
        ..EmitterSettings::jet(80.0, 300.0)
    })
    .expect("valid");
    let mut emitted = 0;
    for _ in 0..20 {
        emitted += emit(&mut world, &mut tap, &mut tank).emitted as u64;
        run(&mut world, 1);
    }
    assert_eq!((emitted, tank.total()), (40, 0));
    assert_eq!(world.recycled(), 35);
}

#[test]
fn nonsense_is_refused() {
    let mut tank = Tank::new();
    assert!(tank.add(ClassId::MEDIUM, 3, f32::INFINITY).is_err());
    let mut world = row();
    let mut hole = Drain::new(rectangle((0.0, 0.0), (500.0, 9.0)));
    assert!(hole.drain_into(world.liquid_mut(), &mut tank, f32::NAN).is_err());
    let mut tap = Emitter::new(EmitterSettings::jet(80.0, 300.0)).expect("valid");
    tank.add(ClassId::MEDIUM, 3, 0.0).expect("valid");
    let nowhere = (Vec2::NAN, Vec2::X);
    assert!(tap.emit_from(world.liquid_mut(), &mut tank, nowhere, DOWN, TICK).is_err());
    assert_eq!((world.particles().len(), tank.total()), (30, 3));
    // A particle whose temperature is no number is left to the quarantine.
    world.particles_mut().temperatures_mut()[7] = f32::NAN;
    assert_eq!(hole.drain_into(world.liquid_mut(), &mut tank, TICK), Ok(29));
    assert_eq!((world.particles().len(), tank.total()), (1, 32));
}
