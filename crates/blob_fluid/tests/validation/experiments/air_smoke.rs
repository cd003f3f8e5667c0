use blob_fluid::air::{
    Air, AirChannel, AirSettings, AirSide, AirSides, AirSource, AirWorkspace, Wind,
};
use blob_fluid::shape::{FluidShape, Polyline};
use blob_fluid::{Collider, FluidBounds, FluidRegion, SerialExecutor};
use glam::Vec2;

use super::TICK;
use crate::page::Finding;
use crate::plot::{line, plot};

const ROOM: FluidBounds = FluidBounds { low: Vec2::ZERO, high: Vec2::splat(64.0) };

fn room(settings: AirSettings, sides: AirSides) -> Air {
    Air::new(ROOM, 1.0, settings, sides).expect("valid")
}

fn run_for(air: &mut Air, seconds: f64, mut watch: impl FnMut(&Air)) {
    let mut work = AirWorkspace::default();
    while air.time() < seconds - 1e-6 {
        air.step(TICK, &mut work, &SerialExecutor).expect("valid");
        watch(air);
    }
}

fn burst(centre: Vec2, radius: f32) -> AirSource {
    let region = FluidRegion::circle(centre, radius).expect("valid");
    AirSource { smoke: 1.0, heat: 1.0, burst: true, ..AirSource::new(region) }
}

/// A wall without thickness.
fn thin(points: Vec<Vec2>) -> Collider {
    let line = Polyline::new(points, 0.0).expect("valid");
    Collider::new(FluidShape::Polyline(line), Vec2::ZERO, Vec2::X).expect("valid")
}

pub fn run() -> Finding {
    let gravity = AirSettings::new(Vec2::new(0.0, -100.0));
    let mut stirred = room(gravity, AirSides::default());
    stirred.set_solids([], &[Collider::circle(Vec2::new(40.0, 30.0), 8.0).expect("valid")]);
    let fan = FluidRegion::circle(Vec2::new(15.0, 40.0), 6.0).expect("valid");
    let wind = Wind { velocity: Vec2::new(40.0, 20.0), strength: Some(5.0) };
    let fan = AirSource { wind: Some(wind), ..AirSource::new(fan) };
    let sources = vec![burst(Vec2::new(20.0, 15.0), 8.0), fan];
    stirred.set_sources(sources).expect("valid");
    let mut amounts = Vec::new();
    run_for(&mut stirred, 60.0, |air| amounts.push((air.time(), air.amount(AirChannel::Smoke))));
    let first = amounts[0].1;
    let amounts: Vec<(f64, f64)> = amounts.iter().map(|(time, sum)| (*time, sum / first)).collect();
    let lost = amounts.iter().map(|(_, sum)| (sum - 1.0).abs()).fold(0.0, f64::max);

    // A slanted and an upright wall without thickness close off the right half.
    let mut divided = room(gravity, AirSides::default());
    let points = vec![Vec2::new(24.3, -5.0), Vec2::new(40.6, 33.2), Vec2::new(40.6, 70.0)];
    divided.set_solids([], &[thin(points)]);
    divided.set_sources(vec![burst(Vec2::new(14.0, 12.0), 7.0)]).expect("valid");
    run_for(&mut divided, 20.0, |_| {});
    let right =
        FluidRegion::rectangle(Vec2::new(54.0, 32.0), Vec2::new(10.0, 32.0)).expect("valid");
    let leaked = divided.amount_in(AirChannel::Smoke, &right);

    // Air blown along a ramp of half planes keeps its speed beside the ramp.
    let slope = Vec2::new(2.0, 1.0).normalize();
    let ramp = FluidShape::HalfPlane { normal: slope.perp() };
    let ramp = |side: f32| {
        let centre = Vec2::splat(32.0) - side * 12.0 * slope.perp();
        // The other one is turned by half a turn.
        let rotation = if side > 0.0 { Vec2::X } else { -Vec2::X };
        Collider::new(ramp.clone(), centre, rotation).expect("valid")
    };
    let sides = AirSides {
        left: AirSide::Open,
        right: AirSide::Open,
        bottom: AirSide::Open,
        top: AirSide::Open,
    };
    let mut slanted = room(AirSettings::default(), sides);
    slanted.set_solids([], &[ramp(1.0), ramp(-1.0)]);
    let (columns, rows) = (slanted.columns(), slanted.rows());
    let x = vec![slope.x; (columns + 1) * rows];
    let y = vec![slope.y; columns * (rows + 1)];
    slanted.set_velocities(&x, &y).expect("valid");
    run_for(&mut slanted, 5.0, |_| {});
    let along = |distance: f32| {
        // The mean over ten places along the wall.
        let foot = Vec2::splat(32.0) - 12.0 * slope.perp() + distance * slope.perp();
        let places = (-5..5).map(|step| foot + 1.37 * step as f32 * slope);
        let speeds = places.map(|place| slanted.velocity_at(place).expect("inside").dot(slope));
        f64::from(speeds.sum::<f32>() / 10.0)
    };
    let (beside, middle) = (along(1.0), along(12.0));
    Finding {
        experiment: "air: smoke and walls",
        description: "Smoke in a closed room with a hot start, a fan and a pillar, for 60 s; smoke on one side of walls \
                      without thickness, slanted and upright, for 20 s; and air that flows along a slanted channel \
                      without friction for 5 s, a cell from the wall and in the middle.",
        measured: vec![
            ("largest change of the amount of smoke", lost),
            ("smoke behind thin walls", leaked),
            ("speed beside a slanted wall over that in the middle", beside / middle),
        ],
        plots: vec![plot(
            "Amount of smoke in a closed room",
            "s",
            "amount, relative to that at the start",
            vec![line("simulated", amounts)],
        )],
    }
}
