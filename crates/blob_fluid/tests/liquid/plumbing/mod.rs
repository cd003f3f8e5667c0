//! Tanks, pumps, pipes and valves.

mod circuit;
mod pipes;
mod pumps;
mod tanks;
mod valves;
mod vessels;

use blob_fluid::{Blob, ClassId, Collider, ColliderId, FluidRegion, FluidShape, FluidWorld, Pipe};
use glam::Vec2;

use crate::pools::in_tank;

/// A world with a box, by its half size.
fn boxed(half_size: Vec2) -> FluidWorld {
    in_tank(Vec2::ZERO, half_size)
}

/// A rectangular region.
fn rectangle(centre: (f32, f32), half_size: (f32, f32)) -> FluidRegion {
    FluidRegion::rectangle(centre.into(), half_size.into()).expect("valid")
}

/// Fills what is free of a region with medium liquid, and returns the number of particles.
fn fill(world: &mut FluidWorld, region: FluidRegion) -> usize {
    Blob::new(region, ClassId::MEDIUM).fill(world.liquid_mut()).expect("valid").spawned
}

fn pipe(points: &[(f32, f32)], width: f32, thickness: f32) -> Pipe {
    Pipe::new(points.iter().copied().map(Vec2::from), width, thickness).expect("valid")
}

/// Adds a shape that stands still.
fn wall(world: &mut FluidWorld, shape: FluidShape, (centre, rotation): (Vec2, Vec2)) -> ColliderId {
    world.insert_collider(Collider::new(shape, centre, rotation).expect("valid"))
}

const UPRIGHT: (Vec2, Vec2) = (Vec2::ZERO, Vec2::X);

/// Height of the surface at a horizontal position.
fn level(world: &FluidWorld, across: f32) -> f32 {
    world.surface_height(across).expect("liquid")
}
