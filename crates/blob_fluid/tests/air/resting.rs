//! Air at rest sleeps, and solids that move are found anew only where they are.

use blob_fluid::air::{
    Air, AirChannel, AirSettings, AirSide, AirSides, AirSource, AirWorkspace, Wind,
};
use blob_fluid::shape::{FluidShape, Polyline, scatter};
use blob_fluid::{Collider, FluidRegion, Motion, SerialExecutor};
use glam::Vec2;

use crate::ticks::TICK;
use crate::{burst, gravity, noise, room, run};

fn is_still(air: &Air) -> bool {
    air.velocities_x().iter().chain(air.velocities_y()).all(|speed| *speed == 0.0)
}

fn open_top() -> AirSides {
    AirSides { top: AirSide::Open, ..AirSides::default() }
}

#[test]
fn air_that_nothing_moves_stays_as_it_is() {
    let mut air = room(20, 20, gravity(), open_top());
    let smoke = noise(400, 3).iter().map(|value| value.abs()).collect::<Vec<_>>();
    air.set_channel(AirChannel::Smoke, &smoke).expect("valid");
    let before = air.clone();
    let report = run(&mut air, 50);
    assert_eq!((report.iterations, report.max_speed), (0, 0.0));
    assert_eq!(air.channel(AirChannel::Smoke), before.channel(AirChannel::Smoke));
    assert!((air.time() - 50.0 * f64::from(TICK)).abs() < 1e-6, "its time goes on");
}

#[test]
fn air_that_settles_comes_to_rest_and_wakes() {
    let settings = AirSettings { cooling: 1.0, smoke_dissipation: 1.0, ..gravity() };
    let mut restless = room(30, 40, settings, open_top());
    let settling = AirSettings { settling: 1.0, ..settings };
    let mut air = room(30, 40, settling, open_top());
    for air in [&mut restless, &mut air] {
        air.set_sources(vec![burst(Vec2::new(14.0, 8.0), 4.0)]).expect("valid");
        run(air, 60);
    }
    assert_eq!(air.state_hash(), restless.state_hash(), "what is seen does not settle");
    run(&mut restless, 60 * 24);
    run(&mut air, 60 * 24);
    assert!(!is_still(&restless) && is_still(&air));
    assert_eq!(air.amount(AirChannel::Heat), 0.0);
    // Everything that drives air wakes it.
    let place = FluidRegion::circle(Vec2::new(15.0, 20.0), 3.0).expect("valid");
    let wind = Some(Wind { velocity: Vec2::X, strength: None });
    type Wake<'a> = &'a dyn Fn(&mut Air);
    let wakes: [Wake<'_>; 6] = [
        &|air| {
            let source = AirSource { heat: 1.0, ..AirSource::new(place.clone()) };
            air.insert_source(source).map(|_| ()).expect("valid");
        },
        &|air| {
            let source = AirSource { wind, ..AirSource::new(place.clone()) };
            air.insert_source(source).map(|_| ()).expect("valid");
        },
        &|air| {
            air.fill_channel(AirChannel::Heat, &place, 1.0).map(|_| ()).expect("valid");
        },
        &|air| {
            let inflow = AirSide::Inflow { velocity: Vec2::X, smoke: 0.0, heat: 0.0 };
            air.set_sides(AirSides { left: inflow, ..open_top() }).expect("valid");
        },
        &|air| {
            let mut fan = Collider::circle(Vec2::new(15.0, 20.0), 3.0).expect("valid");
            fan = fan.with_motion(Motion { velocity: Vec2::Y, ..Motion::STILL }).expect("valid");
            air.set_solids([], &[fan]);
        },
        &|air| {
            let (x, y) = (air.velocities_x().len(), air.velocities_y().len());
            let fast = |seed, count| noise(count, seed).iter().map(|speed| 9.0 * speed).collect();
            let (x, y): (Vec<f32>, Vec<f32>) = (fast(1, x), fast(2, y));
            air.set_velocities(&x, &y).expect("valid");
        },
    ];
    for (number, wake) in wakes.into_iter().enumerate() {
        let mut air = air.clone();
        wake(&mut air);
        run(&mut air, 2);
        assert!(!is_still(&air), "{number}");
    }
}

#[test]
fn settling_air_that_blows_goes_on() {
    let inflow = AirSide::Inflow { velocity: Vec2::new(5.0, 0.0), smoke: 0.0, heat: 0.0 };
    let sides = AirSides { left: inflow, right: AirSide::Open, ..AirSides::default() };
    let flow = |settling: f32| {
        let mut air = room(20, 12, AirSettings { settling, ..gravity() }, sides);
        run(&mut air, 120);
        air.state_hash()
    };
    assert_eq!(flow(0.0), flow(5.0));
}

/// What air with solids becomes in a step, from velocities that look random.
fn stepped(mut air: Air) -> u64 {
    let (x, y) = (air.velocities_x().len(), air.velocities_y().len());
    air.set_velocities(&noise(x, 1), &noise(y, 2)).expect("valid");
    air.step(TICK, &mut AirWorkspace::default(), &SerialExecutor).expect("valid");
    air.state_hash()
}

#[test]
fn solids_that_moved_are_as_those_that_were_always_there() {
    for sides in [open_top(), AirSides::all(AirSide::Periodic)] {
        let new = || room(36, 30, gravity(), sides);
        let mut air = new();
        for step in 0..60_u16 {
            let way = f32::from(step);
            let mut solids = vec![
                Collider::rectangle(Vec2::new(18.0, 2.0), Vec2::new(12.0, 2.6)).expect("valid"),
                Collider::rectangle(Vec2::new(9.3, 14.0), Vec2::new(1.3, 9.0)).expect("valid"),
                // One creeps along, one turns, one jumps, and a thin one comes and goes.
                Collider::rectangle(Vec2::new(12.0 + 0.21 * way, 9.0), Vec2::new(2.2, 1.7))
                    .expect("valid"),
                Collider::circle(Vec2::splat(15.0) + 12.0 * scatter(u32::from(step / 7)), 2.0)
                    .expect("valid"),
            ];
            if step % 20 > 9 {
                let line = Polyline::new([Vec2::new(-6.0, -1.0), Vec2::new(6.0, 1.0)], 0.2);
                let shape = FluidShape::Polyline(line.expect("valid"));
                let centre = Vec2::new(25.0, 20.0 - 0.1 * way);
                solids.push(Collider::new(shape, centre, Vec2::X).expect("valid"));
            }
            let velocity = Vec2::new(if step < 40 { 12.6 } else { 0.0 }, 0.0);
            let creeps = solids[2].clone().with_motion(Motion { velocity, ..Motion::STILL });
            solids[2] = creeps.expect("valid");
            air.set_solids([], &solids);
            let mut fresh = new();
            fresh.set_solids([], &solids);
            assert_eq!(air.air_shares(), fresh.air_shares(), "{step}");
            assert_eq!(stepped(air.clone()), stepped(fresh), "{step}");
        }
    }
}
