//! Openings let air out and in, and give it no energy.

use std::f32::consts::TAU;

use blob_fluid::air::{Air, AirAdvection, AirSettings, AirSide, AirSides, AirSource, AirWorkspace};
use blob_fluid::{Collider, FluidRegion, Motion, SerialExecutor};
use glam::Vec2;

use crate::ticks::TICK;
use crate::{gravity, room, run};

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
