//! Colliders on a device.

mod drums;
mod leaks;
mod rules;

use blob_fluid::shape::{Polygon, Polyline};
use blob_fluid::{Collider, FluidParameters, FluidShape, FluidWorld, Motion, ParticleSpawn};
use blob_fluid_gpu::{GpuLiquid, Shaders};
use glam::Vec2;

use crate::adapter::{device, on_with, shaders};
use crate::liquids::{run, world};

/// A world with liquid in the shapes of `fill` at their centres.
pub fn filled(fill: &[(FluidShape, Vec2)]) -> FluidWorld {
    let mut world = world(FluidParameters::default());
    for (shape, centre) in fill {
        for position in shape.fill(*centre, 8.3) {
            world.spawn(ParticleSpawn { position, ..Default::default() }).expect("valid");
        }
    }
    world
}

pub fn disc(radius: f32) -> FluidShape {
    FluidShape::Circle { radius }
}

/// Distance by which rounding, and the skin of walls, may put a particle beyond a line.
const ROUNDING: f32 = 1e-3;

/// Number of particles outside of a ring of corners.
pub fn outside(positions: &[Vec2], ring: &[Vec2]) -> usize {
    let shape = FluidShape::Polygon(Polygon::new(ring.iter().copied()).expect("a ring"));
    positions.iter().filter(|position| shape.distance(**position) > ROUNDING).count()
}

/// A closed line along a ring.
pub fn closed(ring: &[Vec2], thickness: f32) -> FluidShape {
    let points = ring.iter().chain(&ring[..1]).copied();
    FluidShape::Polyline(Polyline::new(points, thickness).expect("a line"))
}

pub fn at(shape: FluidShape, centre: Vec2) -> Collider {
    Collider::new(shape, centre, Vec2::X).expect("valid")
}

pub fn still(shape: FluidShape) -> Collider {
    at(shape, Vec2::ZERO)
}

pub fn turning(shape: FluidShape, angular_velocity: f32) -> Collider {
    let motion = Motion { velocity: Vec2::ZERO, angular_velocity };
    still(shape).with_motion(motion).expect("valid")
}

/// The corners of a star, alternately at two distances from the centre.
pub fn star(tips: u32, inner: f32, outer: f32) -> Vec<Vec2> {
    let corner = |index: u32| {
        let angle = std::f32::consts::PI * index as f32 / tips as f32;
        let radius = if index.is_multiple_of(2) { outer } else { inner };
        Vec2::from_angle(angle).perp() * radius
    };
    (0..2 * tips).map(corner).collect()
}

pub fn square(half: f32) -> Vec<Vec2> {
    [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|at| Vec2::from(at) * half).to_vec()
}

/// What is on the device.
pub fn positions(gpu: &GpuLiquid) -> Vec<Vec2> {
    gpu.read_particles().expect("read").iter().map(|particle| particle.position).collect()
}

/// Runs liquid in a ring with these walls. Returns how many particles got out.
pub fn escaped(
    shaders: &Shaders,
    ring: &[Vec2],
    walls: &[Collider],
    fill: &[(FluidShape, Vec2)],
    ticks: u32,
) -> Option<usize> {
    let both = device()?;
    let mut world = filled(fill);
    for wall in walls {
        world.insert_collider(wall.clone());
    }
    let mut gpu = on_with(&both, &world, shaders);
    let all = gpu.len();
    let before = positions(&gpu);
    assert!(all > 100 && outside(&before, ring) == 0);
    run(&mut gpu, world.liquid_mut(), ticks);
    let after = positions(&gpu);
    Some(outside(&after, ring) + all - after.len())
}

/// Liquid in a ring stays there.
pub fn holds(name: &str, ring: &[Vec2], walls: &[Collider], fill: &[(FluidShape, Vec2)]) {
    let Some(escaped) = escaped(&shaders(), ring, walls, fill, 600) else { return };
    println!("{name}: {escaped} out");
    assert_eq!(escaped, 0, "{name}");
}

pub fn in_tips() -> [(FluidShape, Vec2); 2] {
    [(disc(65.0), Vec2::ZERO), (disc(20.0), Vec2::new(0.0, 130.0))]
}

pub fn stirrers() -> [(&'static str, FluidShape); 4] {
    let cross = Polyline::new(
        [(-100.0, 0.0), (100.0, 0.0), (0.0, 0.0), (0.0, 100.0), (0.0, -100.0)].map(Vec2::from),
        0.0,
    );
    [
        ("blade", FluidShape::Rectangle { half_size: Vec2::new(100.0, 1.0) }),
        ("cross", FluidShape::Polyline(cross.expect("valid"))),
        ("shuriken", FluidShape::Polygon(Polygon::new(star(4, 15.0, 100.0)).expect("valid"))),
        ("bar", FluidShape::Capsule { half_length: 90.0, radius: 4.0 }),
    ]
}

pub fn below_stirrers() -> (FluidShape, Vec2) {
    (FluidShape::Rectangle { half_size: Vec2::new(110.0, 40.0) }, Vec2::new(0.0, -70.0))
}
