//! Pipes: their joints hold what is in them.

use blob_fluid::{
    FluidParameters, FluidRegion, FluidShape, FluidWorld, Pipe, Pump, PumpSettings, Valve,
};
use glam::Vec2;

use super::{UPRIGHT, fill, wall};
use crate::ticks::{TICK, run};

/// Number of particles that are not in a pipe.
fn outside(world: &FluidWorld, pipe: &Pipe) -> usize {
    let distance = |point: Vec2, pair: &[Vec2]| {
        let way = pair[1] - pair[0];
        let along = (point - pair[0]).dot(way) / way.length_squared();
        point.distance(pair[0] + way * along.clamp(0.0, 1.0))
    };
    let positions = world.particles().positions().iter();
    // In the corner of a bend a place may be farther from the line.
    let reach = 0.5 * pipe.width() * 2.0_f32.sqrt();
    let is_out = |point: &&Vec2| {
        pipe.shape().contains(**point)
            || pipe.points().windows(2).all(|pair| distance(**point, pair) > reach)
    };
    positions.filter(is_out).count()
}

#[test]
fn joints_at_any_angle_hold_under_pressure() {
    let step = Vec2::new(0.866_025_4, 0.5);
    let mut direction = Vec2::Y;
    // A pipe that comes down and goes on at 0 to 150 degrees to that, to either side.
    for angle in 0..=5 {
        for side in [1.0, -1.0] {
            let on = -Vec2::new(side * direction.x, direction.y);
            let points = [Vec2::new(0.0, 500.0), Vec2::ZERO, 300.0 * on];
            let pipe = Pipe::new(points, 40.0, 4.0).expect("valid");
            // Four times the gravity.
            let parameters = FluidParameters::default();
            let gravity = 4.0 * parameters.gravity;
            let mut world =
                FluidWorld::new(FluidParameters { gravity, ..parameters }).expect("valid");
            wall(&mut world, pipe.shape(), UPRIGHT);
            let closed = Valve::across(&pipe, 12.0).shape().expect("valid");
            for distance in [20.0, 780.0] {
                wall(&mut world, closed.clone(), pipe.place_at(distance));
            }
            for distance in [150.0, 300.0, 650.0] {
                let (centre, rotation) = pipe.place_at(distance);
                let part = FluidShape::Rectangle { half_size: Vec2::new(20.0, 120.0) };
                let region = FluidRegion::new(part, centre, rotation).expect("valid");
                fill(&mut world, region);
            }
            let all = world.particles().len();
            assert_eq!(outside(&world, &pipe), 0, "{angle} before");
            // A pump presses more into it than there is room for.
            let inlet = FluidRegion::circle(Vec2::new(0.0, 400.0), 60.0).expect("valid");
            let outlet = FluidRegion::circle(200.0 * on, 20.0).expect("valid");
            let mut pump = Pump::new(PumpSettings::new(400.0), inlet, outlet).expect("valid");
            for _ in 0..400 {
                pump.pump(world.liquid_mut(), TICK).expect("valid");
                run(&mut world, 1);
            }
            assert_eq!(outside(&world, &pipe), 0, "{angle} {side}");
            assert_eq!(world.particles().len(), all, "{angle} {side}");
        }
        direction = step.rotate(direction);
    }
}
