//! How long particles live: lifetimes, full worlds, kill bounds and tags.

use blob_fluid::*;
use glam::Vec2;

use super::{SPACING, STILL, TICK, run, step, weightless};
use crate::pools::{add_tank, at, moving, pour, spawn, spawn_all, world_with};

#[test]
fn particles_live_as_long_as_they_are_to_and_fade() {
    let mut world = weightless();
    let lifetime = Some(FluidLifetime::new(0.5).fading(0.25));
    let mortal = spawn(&mut world, ParticleSpawn { lifetime, ..at(Vec2::ZERO) });
    let immortal = spawn(&mut world, at(Vec2::X * 100.0));
    for number in 0..32 {
        let particles = world.particles();
        let age = number as f32 * TICK;
        assert_eq!(particles.age(mortal), Some(age));
        assert_eq!(particles.remaining_lifetime(mortal), Some(0.5 - age));
        let opacity = particles.opacity(particles.index_of(mortal).expect("alive"));
        assert!((opacity - ((0.5 - age) / 0.25).min(1.0)).abs() < 1e-6, "{opacity}");
        assert_eq!(step(&mut world).expired, 0);
    }
    let report = step(&mut world);
    assert_eq!(report.expired, 1);
    assert_eq!((world.particles().age(mortal), world.particles().lifetime_count()), (None, 0));
    assert_eq!(world.particles().opacity(0), 1.0);
    assert_eq!(world.particles().remaining_lifetime(immortal), Some(f32::INFINITY));
    let refused = Some(FluidLifetime::new(1.0).fading(-1.0));
    let error = world.spawn(ParticleSpawn { lifetime: refused, ..at(Vec2::ZERO) });
    assert!(matches!(error, Err(SpawnError::Lifetime(out)) if out.field == "fade"));
}

#[test]
fn each_dies_in_its_own_tick() {
    let mut world = weightless();
    let spawn = |world: &mut FluidWorld, ticks: u32| {
        let lifetime = Some(FluidLifetime::new(ticks as f32 * TICK));
        let point = Vec2::new(100.0 * ticks as f32, 0.0);
        spawn(world, ParticleSpawn { lifetime, ..at(point) })
    };
    for ticks in [4, 1, 9, 4, 6] {
        spawn(&mut world, ticks);
    }
    let expired: Vec<usize> = (0..12)
        .map(|tick| {
            if tick == 3 {
                spawn(&mut world, 2);
            }
            step(&mut world).expired
        })
        .collect();
    assert_eq!(expired, [0, 1, 0, 0, 2, 1, 1, 0, 0, 1, 0, 0]);
    assert_eq!((world.particles().len(), world.particles().lifetime_count()), (0, 0));
}

#[test]
fn particles_die_while_all_sleep_and_what_lay_on_them_moves() {
    let mut world = world_with(FluidParameters::new(SPACING, Vec2::new(0.0, -600.0)));
    add_tank(&mut world, Vec2::ZERO, Vec2::new(60.0, 80.0));
    let lower = FluidShape::Rectangle { half_size: Vec2::new(58.0, 15.0) };
    let lifetime = Some(FluidLifetime::new(60.0));
    let places = lower.fill(Vec2::new(0.0, -64.0), SPACING);
    spawn_all(&mut world, places.map(|place| ParticleSpawn { lifetime, ..at(place) }));
    let mortal = world.particles().lifetime_count();
    pour(&mut world, lower.fill(Vec2::new(0.0, -30.0), SPACING));
    let mut slept = false;
    while world.time() < 60.0 {
        let report = step(&mut world);
        assert_eq!(report.expired, 0);
        slept = report.substeps == 0;
    }
    assert!(slept, "or the test tests nothing");
    let height = |world: &FluidWorld| {
        let indices = world.particles().positions();
        indices.iter().map(|index| index.y).sum::<f32>() / indices.len() as f32
    };
    let report = step(&mut world);
    assert!(report.expired == mortal && report.substeps > 0, "{report:?}");
    let before = height(&world);
    run(&mut world, 64);
    assert!(height(&world) < before - 10.0);
}

// Row 20 of docs/reliability.md.
#[test]
fn a_full_world_recycles_the_oldest() {
    let mut world = weightless();
    let places = (0..50).map(|number| Vec2::X * (20.0 * number as f32));
    let mut ids: Vec<ParticleId> = places.map(|place| spawn(&mut world, at(place))).collect();
    world.set_capacity(60);
    world.set_capacity_policy(CapacityPolicy::RecycleOldest);
    // Some particles die in between, and their slots are used again.
    for number in [3, 7, 8, 20] {
        world.despawn(ids[number]);
    }
    ids.retain(|id| world.particles().index_of(*id).is_some());
    for number in 0..5000 {
        let spawn = at(Vec2::new(20.0 * (number % 70) as f32, 30.0 + (number / 70) as f32));
        ids.push(world.spawn(spawn).expect("room is made"));
        if number % 500 == 0 {
            step(&mut world);
        }
        let alive = ids.len().min(60);
        let (dead, living) = ids.split_at(ids.len() - alive);
        assert_eq!(world.particles().len(), alive);
        let is_alive = |id: &ParticleId| world.particles().index_of(*id).is_some();
        assert!(living.iter().all(is_alive) && !dead.iter().rev().take(5).any(is_alive));
    }
    assert_eq!(world.recycled(), 46 + 5000 - 60);
    world.set_capacity_policy(CapacityPolicy::Refuse);
    assert_eq!(world.spawn(at(Vec2::ZERO)), Err(SpawnError::Full { capacity: 60 }));
    world.set_capacity_policy(CapacityPolicy::RecycleOldest);
    world.spawn(at(Vec2::ZERO)).expect("room is made");
    assert_eq!(world.particles().index_of(ids[ids.len() - 60]), None);
    world.set_capacity(0);
    assert_eq!(world.spawn(at(Vec2::ZERO)), Err(SpawnError::Full { capacity: 0 }));
    assert_eq!(world.particles().len(), 60);
}

// Row 18 of docs/reliability.md.
#[test]
fn what_leaves_the_kill_bounds_is_removed_and_counted() {
    let mut world = weightless();
    let bounds = FluidBounds { low: Vec2::splat(-100.0), high: Vec2::splat(100.0) };
    let drops = [(-101.0, 0.0), (-99.0, 0.0), (0.0, 0.0), (60.0, 640.0), (98.0, 96.0)];
    for (number, (x, speed)) in drops.into_iter().enumerate() {
        let point = Vec2::new(x, 40.0 * number as f32 - 80.0);
        spawn(&mut world, moving(point, Vec2::X * speed));
    }
    for bad in [(Vec2::ONE, Vec2::ZERO), (Vec2::NAN, Vec2::ONE), (Vec2::ZERO, Vec2::NAN)] {
        assert!(world.set_kill_bounds(Some(FluidBounds { low: bad.0, high: bad.1 })).is_err());
    }
    assert_eq!(world.kill_bounds(), None);
    world.set_kill_bounds(Some(bounds)).expect("valid");
    assert_eq!(step(&mut world).out_of_bounds, 1);
    run(&mut world, 80);
    assert_eq!((world.out_of_bounds(), world.particles().len()), (3, 2));
    world.set_kill_bounds(None).expect("valid");
    run(&mut world, 200);
    assert_eq!((world.out_of_bounds(), world.particles().len()), (3, 2));
    // New bounds are tested even where no particle moves any more.
    let mut world = weightless();
    spawn(&mut world, at(Vec2::splat(50.0)));
    while step(&mut world).substeps > 0 {}
    let small = FluidBounds { low: Vec2::ZERO, high: Vec2::ONE };
    world.set_kill_bounds(Some(small)).expect("valid");
    assert_eq!(step(&mut world).out_of_bounds, 1);
}

#[test]
fn tags_act_on_groups() {
    let mut world = weightless();
    let (red, blue) = (ParticleTag(1), ParticleTag(2));
    let ids: Vec<ParticleId> = (0..30)
        .map(|number| {
            let tag = [ParticleTag::NONE, red, blue][number % 3];
            let index = Vec2::X * (100.0 * number as f32);
            world.spawn(ParticleSpawn { tag, ..at(index) }).expect("valid")
        })
        .collect();
    while step(&mut world).substeps > 0 {}
    assert_eq!(world.tagged(red).count(), 10);
    assert_eq!(world.add_velocity_tagged(red, Vec2::Y * 64.0), Ok(10));
    assert!(world.add_velocity_tagged(red, Vec2::NAN).is_err());
    assert!(step(&mut world).substeps > 0, "pushed liquid wakes");
    for (number, id) in ids.iter().enumerate() {
        let index = world.particles().index_of(*id).expect("alive");
        let moved = world.particles().positions()[index].y;
        assert_eq!((moved - 1.0).abs() < 0.1, number % 3 == 1, "{number}: {moved}");
    }
    assert_eq!(world.set_class_tagged(blue, ClassId::HEAVY), Ok(10));
    assert_eq!(world.set_class_tagged(blue, ClassId::HEAVY), Ok(0));
    assert!(world.set_class_tagged(blue, ClassId(99)).is_err());
    assert!(world.set_tag(ids[0], blue));
    assert_eq!(world.despawn_tagged(blue), 11);
    assert!(!world.set_tag(ids[2], red) && world.particles().tag(ids[2]).is_none());
    assert_eq!((world.tagged(blue).count(), world.tagged(ParticleTag::NONE).count()), (0, 9));
    // A slot that is used again does not keep the old tag.
    let fresh = world.spawn(at(Vec2::splat(-50.0))).expect("valid");
    assert_eq!(world.particles().tag(fresh), Some(ParticleTag::NONE));
    assert!(world.particles().classes().iter().all(|class| *class == ClassId::default()));
}

#[test]
fn a_million_particles_come_and_go() {
    let mut world = weightless();
    world.set_capacity(4000);
    world.set_capacity_policy(CapacityPolicy::RecycleOldest);
    let tag = ParticleTag(5);
    let jet = |seconds| {
        let lifetime = Some(FluidLifetime::new(seconds));
        EmitterSettings { lifetime, tag, ..EmitterSettings::jet(60.0 * SPACING, 4000.0) }
    };
    let mut emitter = Emitter::new(jet(1.0)).expect("valid");
    let far = FluidRegion::rectangle(Vec2::new(0.0, 400.0), Vec2::new(200.0, 60.0)).expect("valid");
    let mut drain = Drain::new(far).with_rate(6000.0).expect("valid");
    let (mut drained, mut despawned, mut expired) = (0, 0, 0);
    let mut dead: Vec<ParticleId> = Vec::new();
    let mut warm = None;
    let mut tick = 0;
    while emitter.emitted() < 1_000_000 {
        if emitter.emitted() > 500_000 {
            emitter.set_settings(jet(0.1)).expect("valid");
        }
        let counted = allocation_counter::measure(|| {
            emitter.emit(world.liquid_mut(), STILL, STILL, TICK).expect("valid");
            drained += drain.drain(world.liquid_mut(), TICK).expect("valid");
            if tick % 64 == 63 {
                despawned += world.despawn_tagged(tag);
            }
            expired += step(&mut world).expired;
        });
        tick += 1;
        let highest = world.particles().ids().iter().map(|id| id.slot()).max().unwrap_or(0);
        assert!(highest < 4000, "slots are used again");
        if tick > 200 {
            let balance = *warm.get_or_insert(0) + counted.bytes_current;
            warm = Some(balance);
        }
        dead.extend(world.particles().ids().iter().take(3));
        let gone = emitter.emitted() as usize - world.particles().len();
        let counts = [drained, despawned, expired, world.recycled() as usize];
        assert_eq!(counts.iter().sum::<usize>(), gone, "{counts:?}");
    }
    let counts = [drained, despawned, expired, world.recycled() as usize];
    assert!(counts.iter().all(|count| *count > 1000), "all ways to die: {counts:?}");
    world.despawn_tagged(tag);
    assert!(world.particles().is_empty());
    dead.sort_unstable();
    dead.dedup();
    assert!(dead.len() > 1000 && dead.iter().all(|id| world.particles().index_of(*id).is_none()));
    let grown = warm.expect("ran long enough");
    assert!(grown < 200_000, "{grown} bytes more than after 200 ticks");
}
