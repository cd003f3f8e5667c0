//! Bad input is refused with a typed error, and large numbers stay finite.

use blob_fluid::air::{
    Air, AirChannel, AirError, AirProjection, AirSettings, AirSide, AirSides, AirSource,
    AirWorkspace, Wind,
};
use blob_fluid::{Collider, FluidBounds, FluidRegion, SerialExecutor};
use glam::Vec2;

use crate::ticks::TICK;
use crate::{burst, gravity, noise, room};

fn new(high: Vec2, cell: f32) -> Result<Air, AirError> {
    let bounds = FluidBounds { low: Vec2::ZERO, high };
    Air::new(bounds, cell, AirSettings::default(), AirSides::default())
}

#[test]
fn impossible_grids_are_refused() {
    let square = Vec2::splat(100.0);
    for cell in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e-30] {
        assert!(matches!(new(square, cell), Err(AirError::OutOfRange(_))), "{cell}");
    }
    for (high, cell) in
        [(Vec2::new(1e6, 1e6), 1.0), (square, 1e-5), (Vec2::ZERO, 1.0), (-square, 1.0)]
    {
        assert!(matches!(new(high, cell), Err(AirError::Cells { .. })), "{high} {cell}");
    }
    for high in [Vec2::NAN, Vec2::INFINITY] {
        assert!(matches!(new(high, 1.0), Err(AirError::OutOfRange(_))), "{high}");
    }
    let air = new(Vec2::new(10.2, 0.3), 1.0).expect("valid");
    assert_eq!((air.columns(), air.rows()), (11, 1));
}

// Row 3 of docs/reliability.md.
#[test]
fn settings_sides_and_sources_are_checked() {
    let mut air = room(8, 8, gravity(), AirSides::default());
    let before = air.state_hash();
    let bad = [
        AirSettings { density: 0.0, ..gravity() },
        AirSettings { viscosity: -1.0, ..gravity() },
        AirSettings { gravity: Vec2::NAN, ..gravity() },
        AirSettings { cooling: f32::INFINITY, ..gravity() },
        AirSettings {
            projection: AirProjection::Multigrid { residual: 0.0, max_cycles: 9 },
            ..gravity()
        },
        AirSettings {
            projection: AirProjection::GaussSeidel { iterations: 0, over_relaxation: 1.0 },
            ..gravity()
        },
        AirSettings {
            projection: AirProjection::GaussSeidel { iterations: 9, over_relaxation: 2.0 },
            ..gravity()
        },
    ];
    for settings in bad {
        assert!(matches!(air.set_settings(settings), Err(AirError::OutOfRange(_))), "{settings:?}");
    }
    let inflow = AirSide::Inflow { velocity: Vec2::new(f32::NAN, 0.0), smoke: 0.0, heat: 0.0 };
    assert!(air.set_sides(AirSides { left: inflow, ..AirSides::default() }).is_err());
    let periodic = AirSides { left: AirSide::Periodic, ..AirSides::default() };
    assert_eq!(air.set_sides(periodic), Err(AirError::Periodic("left and right")));
    let region = FluidRegion::circle(Vec2::splat(4.0), 2.0).expect("valid");
    let source = AirSource::new(region);
    let wind = |velocity, strength| Some(Wind { velocity, strength });
    for bad in [
        AirSource { smoke: f32::NAN, ..source.clone() },
        AirSource { heat: f32::INFINITY, ..source.clone() },
        AirSource { colour: Some([0.0, f32::NAN, 0.0]), ..source.clone() },
        AirSource { wind: wind(Vec2::splat(1e30), None), ..source.clone() },
        AirSource { wind: wind(Vec2::X, Some(-1.0)), ..source.clone() },
    ] {
        assert!(matches!(air.set_sources(vec![bad]), Err(AirError::OutOfRange(_))));
    }
    assert!(matches!(
        air.set_channel(AirChannel::Smoke, &[f32::NAN; 64]),
        Err(AirError::OutOfRange(_))
    ));
    let length = AirError::Length { found: 3, expected: 64 };
    assert_eq!(air.set_channel(AirChannel::Smoke, &[0.0; 3]), Err(length));
    assert!(air.set_velocities(&[f32::INFINITY; 72], &[0.0; 72]).is_err());
    assert_eq!(air.state_hash(), before);
}

// Rows 4 and 5 of docs/reliability.md.
#[test]
fn time_steps_are_checked_and_no_time_changes_nothing() {
    let mut air = room(16, 16, gravity(), AirSides::default());
    air.set_sources(vec![burst(Vec2::splat(8.0), 3.0)]).expect("valid");
    let mut work = AirWorkspace::default();
    air.step(TICK, &mut work, &SerialExecutor).expect("valid");
    let before = air.state_hash();
    air.step(0.0, &mut work, &SerialExecutor).expect("valid");
    for bad in [-1.0, f32::NAN, f32::INFINITY] {
        let refused = air.step(bad, &mut work, &SerialExecutor);
        assert!(matches!(refused, Err(AirError::TimeStep(_))), "{bad}");
    }
    assert_eq!(air.state_hash(), before);
}

#[test]
fn extremes_stay_finite() {
    let extremes = [
        (AirSettings { viscosity: 1e12, ..gravity() }, 1.0, TICK),
        (AirSettings { gravity: Vec2::new(1e6, -1e6), ..gravity() }, 1e12, TICK),
        (AirSettings { vorticity_confinement: 100.0, ..gravity() }, 1e3, 1.0),
        (gravity(), 1e12, 1e9),
        (gravity(), 1e12, 1e-30),
        (AirSettings { density: 1e-6, ..gravity() }, 1e-12, 3e38),
        (AirSettings { density: 1e6, ..gravity() }, 1e12, f32::MIN_POSITIVE),
    ];
    for (settings, speed, time_step) in extremes {
        for sides in
            [AirSides::default(), AirSides::all(AirSide::Open), AirSides::all(AirSide::Periodic)]
        {
            let mut air = room(24, 20, settings, sides);
            air.set_solids([], &[Collider::circle(Vec2::new(12.0, 9.0), 3.0).expect("valid")]);
            let x: Vec<f32> = noise(25 * 20, 1).iter().map(|v| v * speed).collect();
            let y: Vec<f32> = noise(24 * 21, 2).iter().map(|v| v * speed).collect();
            air.set_velocities(&x, &y).expect("valid");
            let source = AirSource { heat: 1e6, smoke: 1e6, ..burst(Vec2::splat(8.0), 3.0) };
            air.set_sources(vec![AirSource { burst: false, ..source }]).expect("valid");
            let mut work = AirWorkspace::default();
            for _ in 0..4 {
                let report = air.step(time_step, &mut work, &SerialExecutor).expect("valid");
                assert!(
                    report.max_speed.is_finite(),
                    "{settings:?} {speed} {time_step}: {report:?}"
                );
            }
            let lists = [air.velocities_x(), air.velocities_y(), air.pressures()];
            let channels = AirChannel::ALL.map(|channel| air.channel(channel));
            for value in lists.into_iter().chain(channels).flatten() {
                assert!(value.is_finite(), "{settings:?} {speed} {time_step}");
            }
        }
    }
}

#[test]
fn sources_outside_do_nothing() {
    let mut air = room(16, 16, gravity(), AirSides::default());
    let outside = burst(Vec2::new(40.0, 8.0), 3.0);
    let wind = Some(Wind { velocity: Vec2::X, strength: None });
    let windy = AirSource { wind, burst: false, ..outside.clone() };
    air.set_sources(vec![outside, windy]).expect("valid");
    air.step(TICK, &mut AirWorkspace::default(), &SerialExecutor).expect("valid");
    assert_eq!(air.amount(AirChannel::Smoke), 0.0);
    assert_eq!(air.sources().len(), 1, "a burst is over after a step");
}
