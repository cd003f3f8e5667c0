//! A tap that pours beside the middle of a small basin hollows it, and what closes the cavity.

use blob_fluid::{ClassFilter, Emitter, EmitterSettings, FluidParameters, FluidWorld, Pose};
use glam::Vec2;

use crate::pools::add_tank;
use crate::ticks::{TICK, run_for, step};

const SPACING: f32 = 8.0;
const GRAVITY: f32 = 200.0;
const FLOOR: f32 = -100.0;

/// A basin and a tap.
#[derive(Clone, Copy)]
struct Tap {
    /// Half of the basin's width.
    half_width: f32,
    /// Where the tap is, from the middle, relative to `half_width`.
    aside: f32,
    height: f32,
    drag: f32,
}

impl Tap {
    /// Opens the tap for some seconds.
    fn pour(self, seconds: f32) -> FluidWorld {
        let mut parameters = FluidParameters::new(SPACING, Vec2::new(0.0, -GRAVITY));
        parameters.settling.drag = self.drag;
        let mut world = FluidWorld::new(parameters).expect("valid");
        let half_size = Vec2::new(self.half_width, 200.0);
        let centre = Vec2::new(0.0, FLOOR + half_size.y);
        add_tank(&mut world, centre, half_size);
        let mut emitter = Emitter::new(EmitterSettings::jet(34.0, 220.0)).expect("valid");
        let downwards = Vec2::NEG_X;
        let pose = Pose::new(Vec2::new(self.aside * self.half_width, self.height), downwards);
        for _ in 0..(seconds / TICK).round() as u32 {
            emitter.emit(world.liquid_mut(), pose, pose, TICK).expect("valid");
            step(&mut world);
        }
        world
    }
}

/// Centre and diameter of the largest empty disc below the surface.
fn cavity(world: &FluidWorld, half_width: f32) -> (Vec2, f32) {
    let mut heights: Vec<f32> =
        world.particles().positions().iter().map(|position| position.y).collect();
    heights.sort_unstable_by(f32::total_cmp);
    let surface = heights[heights.len() * 95 / 100];
    let (mut centre, mut widest) = (Vec2::ZERO, 0.0);
    let step = 0.5 * SPACING;
    for row in 0..((surface - FLOOR - 10.0) / step) as u32 {
        for column in 0..(2.0 * half_width / step) as u32 {
            let point = Vec2::new(column as f32 * step - half_width, FLOOR + row as f32 * step);
            let walls = (half_width - point.x.abs()).min(point.y - FLOOR);
            let nearest = world.nearest(point, walls, ClassFilter::ALL);
            let radius = nearest.map_or(walls, |(_, distance)| distance);
            if 2.0 * radius > widest {
                (centre, widest) = (point, 2.0 * radius);
            }
        }
    }
    (centre, widest)
}

/// Wider than any gap between particles.
const CAVITY: f32 = 3.0 * SPACING;

/// Basins in which the tap leaves a cavity, and for how long it pours.
const BASINS: [(Tap, f32); 4] = {
    let tap = Tap { half_width: 125.0, aside: 0.8, height: 20.0, drag: 0.02 };
    [
        (tap, 3.0),
        (Tap { height: 100.0, ..tap }, 3.0),
        (Tap { half_width: 100.0, height: 200.0, ..tap }, 3.0),
        (Tap { height: 60.0, ..tap }, 3.0),
    ]
};

#[test]
fn a_tap_aside_leaves_a_cavity_that_the_whirl_holds_open() {
    for (tap, seconds) in BASINS {
        let mut world = tap.pour(seconds);
        let (centre, width) = cavity(&world, tap.half_width);
        assert!(width > 0.5 * tap.half_width, "{width} of {}", 2.0 * tap.half_width);
        let particles = world.particles();
        let rim = particles.positions().iter().zip(particles.velocities()).filter_map(
            |(position, velocity)| {
                let from = *position - centre;
                let is_near = from.length() < 0.5 * width + 1.5 * SPACING;
                is_near.then(|| from.perp_dot(*velocity) / from.length())
            },
        );
        let (sum, count) = rim.fold((0.0, 0.0), |(sum, count), speed| (sum + speed, count + 1.0));
        let whirl: f32 = sum / count;
        // Centrifugal acceleration against gravity.
        let held = whirl * whirl / (0.5 * width) / GRAVITY;
        assert!(held > 0.8, "{held}");
        run_for(&mut world, 3.0);
        assert!(cavity(&world, tap.half_width).1 > CAVITY);
    }
}

#[test]
fn drag_closes_the_cavity() {
    for (tap, seconds) in BASINS {
        let mut world = Tap { drag: 0.1, ..tap }.pour(seconds);
        run_for(&mut world, 3.0);
        let width = cavity(&world, tap.half_width).1;
        assert!(width < CAVITY, "{width}");
    }
}

#[test]
fn a_tap_over_the_middle_leaves_no_cavity() {
    for (tap, seconds) in BASINS {
        let mut world = Tap { aside: 0.0, ..tap }.pour(seconds);
        run_for(&mut world, 2.0);
        let width = cavity(&world, tap.half_width).1;
        assert!(width < CAVITY, "{width}");
    }
}
