//! What the projection reaches, in all kinds of scenes.

use blob_fluid::air::{AirProjection, AirSettings, AirSide, AirSides, AirSource, AirWorkspace};
use blob_fluid::shape::{FluidShape, Polyline};
use blob_fluid::{Collider, Container, FluidBounds, FluidRegion, SerialExecutor};
use glam::Vec2;

use crate::ticks::TICK;
use crate::{burst, gravity, noise, room, run};

fn posts() -> Vec<Collider> {
    let line =
        Polyline::new(vec![Vec2::new(3.0, 50.0), Vec2::new(40.0, 35.3)], 0.0).expect("valid");
    vec![
        Collider::circle(Vec2::new(20.3, 20.1), 6.2).expect("valid"),
        Collider::new(
            FluidShape::Rectangle { half_size: Vec2::new(9.0, 0.3) },
            Vec2::new(44.0, 30.0),
            Vec2::from_angle(0.4),
        )
        .expect("valid"),
        Collider::new(FluidShape::Polyline(line), Vec2::ZERO, Vec2::X).expect("valid"),
    ]
}

#[test]
fn every_scene_reaches_the_residual() {
    let inflow = AirSide::Inflow { velocity: Vec2::new(20.0, 3.0), smoke: 1.0, heat: 0.5 };
    let periodic_x =
        AirSides { left: AirSide::Periodic, right: AirSide::Periodic, ..AirSides::default() };
    let scenes = [
        AirSides::default(),
        AirSides::all(AirSide::Open),
        AirSides::all(AirSide::Periodic),
        periodic_x,
        AirSides { left: inflow, right: AirSide::Open, ..AirSides::default() },
        AirSides { left: inflow, ..AirSides::default() },
    ];
    for (columns, rows) in [(64, 64), (63, 58), (50, 7), (5, 64), (1, 9)] {
        for sides in &scenes {
            for solids in [Vec::new(), posts()] {
                let mut air = room(columns, rows, gravity(), *sides);
                air.set_solids([], &solids);
                let wind =
                    noise((columns + 1) * rows, 3).iter().map(|v| v * 30.0).collect::<Vec<f32>>();
                air.set_velocities(&wind, &noise(columns * (rows + 1), 4)).expect("valid");
                air.set_sources(vec![burst(Vec2::new(30.0, 30.0), 6.0)]).expect("valid");
                let AirProjection::Multigrid { residual, .. } = air.settings().projection else {
                    panic!("the default")
                };
                let mut work = AirWorkspace::default();
                for step in 0..3 {
                    let report = air.step(TICK, &mut work, &SerialExecutor).expect("valid");
                    let scene = format!("{columns} x {rows}, {sides:?}, step {step}: {report:?}");
                    assert!(report.residual <= residual, "{scene}");
                    assert!(report.max_speed.is_finite(), "{scene}");
                }
            }
        }
    }
}

#[test]
fn what_cannot_leave_is_reported() {
    let inflow = AirSide::Inflow { velocity: Vec2::new(2.0, 0.0), smoke: 0.0, heat: 0.0 };
    let mut blocked =
        room(32, 16, AirSettings::default(), AirSides { left: inflow, ..AirSides::default() });
    // 16 faces of inflow at speed 2 into 512 cells.
    let mean = 2.0 * 16.0 / 512.0;
    let report = run(&mut blocked, 2);
    assert!((report.blocked_inflow - mean).abs() < 1e-3 * mean);
    let inside = FluidBounds { low: Vec2::ZERO, high: Vec2::new(32.0, 16.0) };
    assert!(report.blocked_at.is_some_and(|place| inside.contains(place)), "{report:?}");
    let sides = AirSides { left: inflow, right: AirSide::Open, ..AirSides::default() };
    let report = run(&mut room(32, 16, AirSettings::default(), sides), 2);
    assert_eq!((report.blocked_inflow, report.blocked_at), (0.0, None));
}

#[test]
fn gauss_seidel_finds_the_same_flow() {
    let velocities = |projection| {
        let settings = AirSettings { projection, ..gravity() };
        let mut air =
            room(32, 32, settings, AirSides { top: AirSide::Open, ..AirSides::default() });
        air.set_solids([], &[Collider::circle(Vec2::new(16.0, 18.0), 4.0).expect("valid")]);
        air.set_sources(vec![burst(Vec2::new(15.0, 8.0), 4.0)]).expect("valid");
        run(&mut air, 20);
        air.velocities_y().to_vec()
    };
    let exact = velocities(AirProjection::Multigrid { residual: 1e-6, max_cycles: 100 });
    let swept = velocities(AirProjection::GaussSeidel { iterations: 400, over_relaxation: 1.8 });
    let largest = exact.iter().fold(0.0, |most: f32, v| most.max(v.abs()));
    for (exact, swept) in exact.iter().zip(&swept) {
        assert!((exact - swept).abs() < 1e-2 * largest, "{exact} {swept}");
    }
}

#[test]
fn pressure_has_physical_units() {
    // Hot air below a lid is held by the pressure: its height times density times acceleration.
    let settings = AirSettings { density: 1.3, ..gravity() };
    let mut air = room(16, 16, settings, AirSides { bottom: AirSide::Open, ..AirSides::default() });
    let everything = FluidRegion::rectangle(Vec2::splat(8.0), Vec2::splat(8.0)).expect("valid");
    let source = AirSource { heat: 1.0, burst: true, ..AirSource::new(everything) };
    air.set_sources(vec![source]).expect("valid");
    run(&mut air, 1);
    let expected = 1.3 * 60.0 * 15.5;
    let top = air.pressure_at(Vec2::new(8.0, 15.5)).expect("inside");
    assert!((top - expected).abs() < 1e-4 * expected, "{top} {expected}");
}

#[test]
fn volume_that_comes_in_goes_out_through_the_opening() {
    let sides = AirSides { top: AirSide::Open, ..AirSides::default() };
    let mut air = room(24, 24, AirSettings::default(), sides);
    let region = FluidRegion::rectangle(Vec2::new(12.0, 6.0), Vec2::splat(2.0)).expect("valid");
    let source = AirSource { expansion: 3.0, ..AirSource::new(region) };
    air.set_sources(vec![source]).expect("valid");
    run(&mut air, 5);
    let out: f32 = air.velocities_y()[24 * 24..].iter().sum();
    // 16 cells, each 3 times its volume in a second.
    assert!((out - 48.0).abs() < 0.05, "{out}");
}

#[test]
fn a_solid_that_moves_pushes_the_air() {
    let sides = AirSides { left: AirSide::Open, right: AirSide::Open, ..AirSides::default() };
    let mut air = room(40, 20, AirSettings::default(), sides);
    let motion = blob_fluid::Motion { velocity: Vec2::new(6.0, 0.0), ..Default::default() };
    let mut work = AirWorkspace::default();
    for step in 0..60 {
        // A piston that fills the channel.
        let centre = Vec2::new(10.0 + 6.0 * TICK * step as f32, 10.0);
        let piston = Collider::rectangle(centre, Vec2::new(3.0, 20.0)).expect("valid");
        air.set_solids([], &[piston.with_motion(motion).expect("valid")]);
        air.step(TICK, &mut work, &SerialExecutor).expect("valid");
    }
    for place in [Vec2::new(3.0, 8.0), Vec2::new(30.0, 12.0)] {
        let velocity = air.velocity_at(place).expect("inside");
        assert!(velocity.distance(Vec2::new(6.0, 0.0)) < 0.05, "{velocity} at {place}");
    }
}

#[test]
fn containers_hold_the_air() {
    let mut air = room(48, 48, gravity(), AirSides::default());
    air.set_solids(&[Container::circle(Vec2::splat(24.0), 15.0).expect("valid")], []);
    air.set_sources(vec![burst(Vec2::new(24.0, 16.0), 4.0)]).expect("valid");
    run(&mut air, 120);
    let outside = |index: usize| air.cell_centre(index).distance(Vec2::splat(24.0)) > 17.0;
    let smoke = air.channel(blob_fluid::air::AirChannel::Smoke);
    assert!((0..48 * 48).filter(|index| outside(*index)).all(|index| smoke[index] == 0.0));
    assert!(air.amount(blob_fluid::air::AirChannel::Smoke) > 40.0);
}

#[test]
fn a_burst_adds_as_much_volume_in_ticks_of_any_length() {
    let projection = AirProjection::Multigrid { residual: 1e-5, max_cycles: 100 };
    let settings = AirSettings { projection, ..AirSettings::default() };
    for time_step in [1.0 / 30.0, 1.0 / 60.0, 1.0 / 240.0] {
        let sides = AirSides { top: AirSide::Open, ..AirSides::default() };
        let mut air = room(24, 24, settings, sides);
        let region = FluidRegion::rectangle(Vec2::new(12.0, 6.0), Vec2::splat(2.0)).expect("valid");
        let puff = AirSource { expansion: 0.5, burst: true, ..AirSource::new(region) };
        air.set_sources(vec![puff]).expect("valid");
        let (mut work, mut volume) = (AirWorkspace::default(), 0.0);
        for _ in 0..3 {
            air.step(time_step, &mut work, &SerialExecutor).expect("valid");
            volume += time_step * air.velocities_y()[24 * 24..].iter().sum::<f32>();
        }
        // 16 cells, each by half of its volume.
        assert!((volume - 8.0).abs() < 0.05, "{volume} in steps of {time_step}");
    }
}
