//! Nothing passes walls, however thin, and amounts are kept.

use blob_fluid::air::{AirChannel, AirSide, AirSides, AirSource, Wind};
use blob_fluid::shape::{FluidShape, Polyline};
use blob_fluid::{Collider, FluidRegion};
use glam::Vec2;

use crate::{burst, gravity, room, run};

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
