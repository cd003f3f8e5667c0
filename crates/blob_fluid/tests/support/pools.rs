//! Liquid at rest, to begin with, and what is asked of it in many tests.

use blob_fluid::{
    Body, ClassId, Collider, ColliderOptions, Container, FluidParameters, FluidShape, FluidWorld,
    ParticleSpawn,
};
use glam::Vec2;

/// The particle spacing of worlds with the default settings, in world units.
pub fn spacing() -> f32 {
    FluidParameters::default().particle_spacing
}

/// Adds a rectangular container.
pub fn add_tank(world: &mut FluidWorld, centre: Vec2, half_size: Vec2) {
    world.insert_container(Container::rectangle(centre, half_size).expect("valid"));
}

/// Adds a rectangular container with its lower left corner at the origin.
pub fn add_tank_from_origin(world: &mut FluidWorld, half_size: Vec2) {
    add_tank(world, half_size, half_size);
}

/// A world with the default settings and a rectangular container.
pub fn in_tank(centre: Vec2, half_size: Vec2) -> FluidWorld {
    let mut world = FluidWorld::default();
    add_tank(&mut world, centre, half_size);
    world
}

/// Adds particles of a class, at rest.
pub fn pour_class(
    world: &mut FluidWorld,
    class: ClassId,
    positions: impl IntoIterator<Item = Vec2>,
) {
    for position in positions {
        world.spawn(ParticleSpawn { position, class, ..Default::default() }).expect("valid");
    }
}

/// Adds particles of the medium class, at rest.
pub fn pour(world: &mut FluidWorld, positions: impl IntoIterator<Item = Vec2>) {
    pour_class(world, ClassId::default(), positions);
}

/// Centres of square cells of side 1, row by row from the origin upwards.
pub fn cells(columns: usize, rows: usize) -> impl Iterator<Item = Vec2> {
    let corner = move |index| Vec2::new((index % columns) as f32, (index / columns) as f32);
    (0..columns * rows).map(move |index| corner(index) + 0.5)
}

/// A body of a density relative to the medium class.
pub fn body(shape: FluidShape, centre: Vec2, density: f32) -> Collider {
    let body = Body::of_density(density, &shape, spacing()).expect("valid");
    let options = ColliderOptions { body: Some(body), ..Default::default() };
    Collider::new(shape, centre, Vec2::X)
        .and_then(|collider| collider.with_options(options))
        .expect("valid")
}

/// Speed of the fastest particle for which `counts` returns `true`.
pub fn fastest(world: &FluidWorld, counts: impl Fn(Vec2) -> bool) -> f32 {
    let particles = world.particles();
    let all = particles.positions().iter().zip(particles.velocities());
    all.filter(|(at, _)| counts(**at)).map(|(_, v)| v.length()).fold(0.0, f32::max)
}

/// No number of any particle may be NaN or infinite.
pub fn assert_finite(world: &FluidWorld) {
    let particles = world.particles();
    let vectors = particles.positions().iter().chain(particles.velocities());
    assert!(vectors.clone().all(|vector| vector.is_finite()));
}
