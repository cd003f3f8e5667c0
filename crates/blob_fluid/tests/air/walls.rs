//! Nothing passes walls, however thin, and amounts are kept.

use std::f32::consts::TAU;

use blob_fluid::air::*;
use blob_fluid::shape::{Polyline, scatter};
use blob_fluid::{Collider, FluidRegion, FluidShape, Motion, SerialExecutor};
use glam::Vec2;

use crate::ticks::TICK;
use crate::{burst, gravity, noise, room, run};

fn line(points: Vec<Vec2>, thickness: f32) -> Collider {
    let line = Polyline::new(points, thickness).expect("valid");
    Collider::new(FluidShape::Polyline(line), Vec2::ZERO, Vec2::X).expect("valid")
}

#[test]
fn no_smoke_passes_a_thin_wall() {
    for thickness in [0.0, 0.1, 0.6, 1.0, 1.7] {
        for (low, high) in [(20.0, 20.0), (20.5, 20.5), (20.3, 20.3), (14.2, 26.9), (31.0, 10.0)] {
            let mut air = room(40, 32, gravity(), AirSides::default());
            let points = vec![Vec2::new(low, -3.0), Vec2::new(high, 35.0)];
            air.set_solids([], &[line(points, thickness)]);
            let fan = FluidRegion::circle(Vec2::new(8.0, 16.0), 4.0).expect("valid");
            let wind = Some(Wind { velocity: Vec2::new(50.0, 10.0), strength: None });
            let fan = AirSource { wind, ..AirSource::new(fan) };
            air.set_sources(vec![burst(Vec2::new(6.0, 8.0), 4.0), fan]).expect("valid");
            run(&mut air, 200);
            let amount = air.amount(AirChannel::Smoke);
            let smoke = air.channel(AirChannel::Smoke);
            for (index, smoke) in smoke.iter().enumerate() {
                let centre = air.cell_centre(index);
                let wall = low + (high - low) * (centre.y + 3.0) / 38.0;
                // The cell of the wall itself belongs to either side.
                if centre.x > wall + 1.5 + thickness {
                    assert_eq!(*smoke, 0.0, "{thickness} {low} {high} at {centre}");
                }
            }
            assert!(amount > 30.0, "{thickness} {low} {high}: {amount}");
        }
    }
}

#[test]
fn thin_walls_lie_between_the_cells_that_they_separate() {
    let mut air = room(40, 32, gravity(), AirSides::default());
    let (low, high) = (Vec2::new(14.2, -3.0), Vec2::new(26.9, 35.0));
    air.set_solids([], &[line(vec![low, high], 0.2)]);
    let across = (high - low).normalize().perp();
    let walls: Vec<_> = air.thin_walls().collect();
    for wall in &walls {
        let [first, second] = wall.cells.map(|cell| air.cell_centre(cell));
        assert!((first.distance(second) - 1.0).abs() < 1e-5, "{first} {second}");
        assert!(first.x > second.x || first.y > second.y, "{first} {second}");
        assert!((wall.place - low).dot(across).abs() < 1e-3, "{} is not on the line", wall.place);
        assert!(wall.normal.dot(across).abs() > 0.999, "{}", wall.normal);
        assert!((second - wall.place).dot(wall.normal) > 0.0, "{} {}", wall.place, wall.normal);
        assert!((first - wall.place).dot(wall.normal) < 0.0, "{} {}", wall.place, wall.normal);
    }
    // One in each row between neighbours in it, and more between rows.
    let level = walls.iter().filter(|wall| wall.cells[0] == wall.cells[1] + 1).count();
    assert!((31..=33).contains(&level) && walls.len() > level + 8, "{level} of {}", walls.len());
}

#[test]
fn smoke_in_a_closed_room_is_kept() {
    let mut air = room(48, 48, gravity(), AirSides::default());
    air.set_solids([], &[Collider::circle(Vec2::new(30.0, 26.0), 7.0).expect("valid")]);
    air.set_sources(vec![burst(Vec2::new(15.0, 10.0), 6.0)]).expect("valid");
    run(&mut air, 1);
    let first = air.amount(AirChannel::Smoke);
    run(&mut air, 300);
    let last = air.amount(AirChannel::Smoke);
    assert!((last - first).abs() < 1e-3 * first, "{first} {last}");
    assert!(air.channel(AirChannel::Smoke).iter().all(|smoke| (0.0..=1.0 + 1e-5).contains(smoke)));
}

#[test]
fn smoke_leaves_through_an_opening_and_comes_in_with_the_wind() {
    let inflow = AirSide::Inflow { velocity: Vec2::new(10.0, 0.0), smoke: 0.5, heat: 0.0 };
    let sides = AirSides { left: inflow, right: AirSide::Open, ..AirSides::default() };
    let mut air = room(40, 10, gravity(), sides);
    run(&mut air, 120);
    // The front has come 20 cells far.
    let amount = air.amount(AirChannel::Smoke);
    assert!((amount - 0.5 * 20.0 * 10.0).abs() < 1.0, "{amount}");
    run(&mut air, 400);
    assert!((air.amount(AirChannel::Smoke) - 0.5 * 400.0).abs() < 1.0);
    let clean = AirSide::Inflow { velocity: Vec2::new(10.0, 0.0), smoke: 0.0, heat: 0.0 };
    air.set_sides(AirSides { left: clean, ..sides }).expect("valid");
    run(&mut air, 600);
    assert!(air.amount(AirChannel::Smoke) < 0.5, "{}", air.amount(AirChannel::Smoke));
}

#[test]
fn solid_everywhere_is_still() {
    let mut air = room(16, 16, gravity(), AirSides::all(AirSide::Open));
    air.set_solids([], &[Collider::circle(Vec2::splat(8.0), 40.0).expect("valid")]);
    air.set_sources(vec![burst(Vec2::splat(8.0), 4.0)]).expect("valid");
    let report = run(&mut air, 10);
    assert_eq!(report.max_speed, 0.0);
    assert_eq!(air.amount(AirChannel::Smoke), 0.0);
    air.set_solids([], []);
    air.set_sources(vec![burst(Vec2::splat(8.0), 4.0)]).expect("valid");
    assert!(run(&mut air, 10).max_speed > 0.0);
}

// Openings let air out and in, and give it no energy.

fn energy(air: &Air) -> f64 {
    let faces = air.velocities_x().iter().chain(air.velocities_y());
    faces.map(|speed| f64::from(*speed).powi(2)).sum()
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the last bits of the start do not matter")]
fn eddies_that_meet_an_opening_gain_nothing() {
    const N: usize = 48;
    for advection in [AirAdvection::MacCormack, AirAdvection::SemiLagrangian] {
        let settings = AirSettings { advection, ..AirSettings::default() };
        let mut air = room(N, N, settings, AirSides::all(AirSide::Open));
        // Eddies of 8 cells, whose air goes 2 cells in a step.
        let speed = 2.0 / TICK;
        let wave = |cells: usize, offset: f32| (TAU / 16.0 * (cells as f32 + offset)).sin();
        let shifted = |cells: usize, offset: f32| wave(cells, offset + 4.0);
        let x = (0..(N + 1) * N)
            .map(|face| speed * wave(face % (N + 1), 0.0) * shifted(face / (N + 1), 0.5));
        let y = (0..N * (N + 1)).map(|face| -speed * shifted(face % N, 0.5) * wave(face / N, 0.0));
        let (x, y): (Vec<f32>, Vec<f32>) = (x.collect(), y.collect());
        air.set_velocities(&x, &y).expect("valid");
        let start = energy(&air);
        let mut most = 0.0_f64;
        for _ in 0..400 {
            run(&mut air, 1);
            most = most.max(energy(&air) / start);
        }
        assert!(most <= 1.0, "{advection:?}: {most} times the energy");
        let end = energy(&air) / start;
        assert!(end < 0.1, "{advection:?}: what leaves takes its energy along, and left {end}");
    }
}

#[test]
fn a_plume_through_an_opening_is_no_faster_than_its_rise_explains() {
    const N: usize = 64;
    let settings = AirSettings { cooling: 1.0, ..gravity() };
    let mut air =
        room(N, N, settings, AirSides { bottom: AirSide::CLOSED, ..AirSides::all(AirSide::Open) });
    let region = FluidRegion::circle(Vec2::new(30.0, 6.0), 4.0).expect("valid");
    // Where it stays, the air becomes as hot as gains and losses balance.
    let heat = 30.0;
    air.set_sources(vec![AirSource { heat, ..AirSource::new(region) }]).expect("valid");
    // From rest over the whole height, with the acceleration of the hottest air.
    let hottest = heat / settings.cooling;
    let fastest = (2.0 * -settings.gravity.y * settings.buoyancy * hottest * N as f32).sqrt();
    for second in 0..20 {
        let report = run(&mut air, 60);
        assert!(report.max_speed < fastest, "{second} s: {report:?}, at most {fastest}");
    }
}

/// A crate comes down to a floor and goes up again. The grid keeps no gap that is narrower than a
/// cell. While one opens or closes, cells of it may have an open face between them and none to the
/// outside, and the crate presses on them; but only while its edge passes a row of nodes.
#[test]
fn a_narrow_gap_is_closed_off_for_a_step_at_most() {
    let sides = AirSides { bottom: AirSide::CLOSED, ..AirSides::all(AirSide::Open) };
    let mut air = room(60, 40, gravity(), sides);
    let floor = Collider::rectangle(Vec2::new(30.0, 1.0), Vec2::new(30.0, 1.5)).expect("valid");
    let mut work = AirWorkspace::default();
    let (mut blocked, mut in_a_row, mut longest) = (0, 0, 0);
    for step in 0..4000 {
        // 0.9 up and down at 6 per second, with other places in every turn.
        let velocity = if step / 9 % 2 == 0 { -6.0 } else { 6.0 };
        let along = (step % 9) as f32 * TICK * velocity - velocity.min(0.0) * 9.0 * TICK;
        let drift = 0.001 * (step / 18) as f32;
        let centre = Vec2::new(28.3 + drift, 4.0 + drift + along);
        let motion = Motion { velocity: Vec2::new(0.0, velocity), ..Motion::STILL };
        let floating = Collider::rectangle(centre, Vec2::new(2.0, 1.5));
        let floating = floating.and_then(|floating| floating.with_motion(motion)).expect("valid");
        air.set_solids([], [&floor, &floating]);
        let report = air.step(TICK, &mut work, &SerialExecutor).expect("valid");
        in_a_row = if report.blocked_at.is_some() { in_a_row + 1 } else { 0 };
        longest = longest.max(in_a_row);
        if let Some(place) = report.blocked_at {
            blocked += 1;
            let low = centre - Vec2::new(2.0, 1.5);
            assert!((low.y - place.y).abs() < 2.0 && (place.x - centre.x).abs() < 4.0, "{place}");
        }
    }
    println!("closed off in {blocked} of 4000 steps");
    assert!(blocked > 0, "the gap passes rows of nodes");
    assert_eq!(longest, 1, "it lasts");
}

// Air at rest sleeps, and solids that move are found anew only where they are.

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
            // Another one leaves the air, faster and faster.
            let leaves = Vec2::new(29.0 + 0.4 * way, 6.0 - 0.015 * way * way);
            solids.push(Collider::circle(leaves, 2.5).expect("valid"));
            let last = solids.len() - 1;
            for (index, velocity) in [
                (2, Vec2::new(if step < 40 { 12.6 } else { 0.0 }, 0.0)),
                (last, Vec2::new(24.0, -1.8 * way)),
            ] {
                let moves = solids[index].clone().with_motion(Motion { velocity, ..Motion::STILL });
                solids[index] = moves.expect("valid");
            }
            air.set_solids([], &solids);
            let mut fresh = new();
            fresh.set_solids([], &solids);
            assert_eq!(air.air_shares(), fresh.air_shares(), "{step}");
            assert_eq!(stepped(air.clone()), stepped(fresh), "{step}");
        }
    }
}
