//! Vapour that rains, and where drops find room.

use blob_fluid::air::{AirChannel, AirId, AirSettings, AirSource};
use blob_fluid::{
    CapacityPolicy, Collider, Container, Executor, FluidRegion, FluidThermal, FluidWorld,
    RayonExecutor, SerialExecutor, WallProperties,
};
use glam::Vec2;

use super::{AREA, SPACING, all_water, amount, boils_and_rains, insert, pour, settings, world};
use crate::ticks::{TICK, run_for};

#[test]
fn a_pool_boils_in_a_closed_room_and_rains() {
    let mut world = world(200.0, boils_and_rains());
    let tank = Container::rectangle(Vec2::new(80.0, 120.0), Vec2::new(80.0, 120.0));
    world.insert_container(tank.expect("valid"));
    // A stove in the floor.
    let hot = WallProperties { temperature: Some(400.0), ..WallProperties::default() };
    let stove = Collider::rectangle(Vec2::new(80.0, 4.0), Vec2::new(40.0, 8.0))
        .and_then(|stove| stove.with_wall(hot));
    world.insert_collider(stove.expect("valid"));
    let air_settings = AirSettings { cooling: 0.3, vorticity_confinement: 0.1, ..settings(&world) };
    let air = insert(&mut world, 160.0, 240.0, air_settings);
    pour(&mut world, Vec2::new(0.0, 16.0), 20, 6, 90.0);
    let all = world.particles().len() as f64;
    let (mut evaporated, mut condensed) = (0, 0);
    for tick in 0..60 * 120 {
        world.step(TICK, &SerialExecutor).expect("valid");
        let report = world.air_report(air).expect("there");
        evaporated += report.evaporated;
        condensed += report.condensed;
        if tick % 60 == 0 {
            let now = all_water(&world, air);
            assert!((now - all).abs() < 1e-4 * all, "{now} of {all} after {tick} ticks");
        }
    }
    println!();
    assert_eq!(world.particles().len() as f64, all - f64::from(evaporated) + f64::from(condensed));
    assert!(evaporated > 50 && condensed > 40, "{evaporated} boiled, {condensed} rained");
    assert_eq!(world.quarantined(), 0);
    let high = world.particles().positions().iter().map(|position| position.y).fold(0.0, f32::max);
    let low = world.particles().positions().iter().map(|position| position.y).fold(240.0, f32::min);
    // A particle may touch a wall.
    assert!(low > -1e-4 * SPACING && high < 240.0 + 1e-4 * SPACING, "{low} {high}");
}

/// Cold vapour at one density everywhere, `per_cell` of a cell's area.
fn fog(per_cell: f32, capacity: usize, policy: CapacityPolicy) -> (FluidWorld, AirId) {
    let mut world = world(0.0, boils_and_rains());
    world.insert_container(
        Container::rectangle(Vec2::splat(80.0), Vec2::splat(80.0)).expect("valid"),
    );
    world.insert_collider(Collider::circle(Vec2::splat(80.0), 30.0).expect("valid"));
    let air_settings = AirSettings { condensation_rate: 1e6, ..settings(&world) };
    let air = insert(&mut world, 160.0, 160.0, air_settings);
    world.set_capacity(capacity);
    world.set_capacity_policy(policy);
    // The solids come into the air with the first step.
    world.step(TICK, &SerialExecutor).expect("valid");
    let gas = world.air_mut(air).expect("there");
    let cells = gas.columns() * gas.rows();
    gas.set_channel(AirChannel::Vapour, &vec![per_cell; cells]).expect("valid");
    (world, air)
}

#[test]
fn drops_keep_their_distance_and_stay_out_of_solids() {
    let (mut world, air) = fog(0.2, 100_000, CapacityPolicy::Refuse);
    let all = all_water(&world, air);
    world.step_air(TICK, &SerialExecutor);
    let drops = world.particles().len();
    assert!(drops > 20, "{drops}");
    assert!((all_water(&world, air) - all).abs() < 1e-3, "{all} {}", all_water(&world, air));
    let positions = world.particles().positions();
    for (index, position) in positions.iter().enumerate() {
        assert!(position.distance(Vec2::splat(80.0)) > 30.0, "{position} is in the collider");
        for other in &positions[..index] {
            assert!(position.distance(*other) >= SPACING, "{position} and {other}");
        }
    }
    run_for(&mut world, 10.0);
    let left = all_water(&world, air) - world.particles().len() as f64;
    assert!(left.abs() < 1.0, "{left} of {all} has not rained");
    let fastest = world.particles().velocities().iter().map(|v| v.length()).fold(0.0, f32::max);
    let unit = world.parameters().particle_spacing / world.parameters().time_unit();
    assert!(fastest < 3.0 * unit, "{fastest} in V0 of {unit}");
}

#[test]
fn a_full_world_keeps_its_vapour() {
    for policy in [CapacityPolicy::Refuse, CapacityPolicy::RecycleOldest] {
        let (mut world, air) = fog(0.2, 12, policy);
        let all = all_water(&world, air);
        run_for(&mut world, 1.0);
        assert_eq!((world.particles().len(), world.recycled()), (12, 0));
        assert!((all_water(&world, air) - all).abs() < 1e-3 * all);
        assert!(amount(&world, air, AirChannel::Vapour) > 0.3 * all * AREA);
    }
}

#[test]
fn vapour_without_room_for_drops_is_kept() {
    // So much that it does not fit the room as liquid.
    let (mut world, air) = fog(3.0, 100_000, CapacityPolicy::Refuse);
    let all = all_water(&world, air);
    run_for(&mut world, 4.0);
    assert!((all_water(&world, air) - all).abs() < 2e-3 * all, "{} {all}", all_water(&world, air));
    assert!(world.particles().len() > 150 && world.quarantined() == 0);
}

fn stormy(executor: &dyn Executor) -> (u64, u64) {
    let water = FluidThermal { air_conductivity: 2.0, ..boils_and_rains() };
    let mut world = world(200.0, water);
    world.insert_container(Container::circle(Vec2::splat(120.0), 120.0).expect("valid"));
    world.insert_collider(Collider::circle(Vec2::new(110.0, 110.0), 20.0).expect("valid"));
    let air_settings = AirSettings { cooling: 1.0, condensation_rate: 5.0, ..settings(&world) };
    let air = insert(&mut world, 240.0, 240.0, air_settings);
    pour(&mut world, Vec2::new(60.0, 40.0), 15, 8, 98.0);
    let stove = FluidRegion::circle(Vec2::new(120.0, 100.0), 40.0).expect("valid");
    let stove = AirSource { heat: 4.0, vapour: 0.5, ..AirSource::new(stove) };
    world.air_mut(air).expect("there").set_sources(vec![stove]).expect("valid");
    let mut counts = (0, 0);
    for _ in 0..180 {
        world.step(TICK, executor).expect("valid");
        let report = world.air_report(air).expect("there");
        counts = (counts.0 + report.evaporated, counts.1 + report.condensed);
    }
    assert!(counts.0 > 10 && counts.1 > 10, "{counts:?}");
    (world.state_hash(), world.air(air).expect("there").state_hash())
}

#[test]
fn threads_change_no_bit() {
    let alone = stormy(&SerialExecutor);
    for threads in [1, 4] {
        assert_eq!(stormy(&RayonExecutor::new(threads).expect("threads")), alone);
    }
}

#[test]
fn a_snapshot_continues_with_the_same_rain() {
    let (mut world, air) = fog(0.05, 1000, CapacityPolicy::Refuse);
    let slow = AirSettings { condensation_rate: 0.5, ..settings(&world) };
    world.air_mut(air).expect("there").set_settings(slow).expect("valid");
    run_for(&mut world, 0.5);
    assert!(world.air(air).expect("there").condensate() != 0.0);
    let mut copy = world.clone();
    for world in [&mut world, &mut copy] {
        run_for(world, 1.0);
    }
    let hashes =
        [&world, &copy].map(|world| (world.state_hash(), world.air(air).unwrap().state_hash()));
    assert_eq!(hashes[0], hashes[1]);
    world.air_mut(air).expect("there").clear();
    assert_eq!(world.air(air).expect("there").condensate(), 0.0);
}
