//! Pools at rest, measurements of them that many tests share, and the surface as it is drawn.

use std::f32::consts::FRAC_PI_4;

use blob_fluid::{
    Body, ClassId, Collider, ColliderOptions, Container, FluidParameters, FluidShape, FluidWorld,
    ParticleSpawn,
};
use glam::Vec2;

use crate::ticks::step;

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

/// Changes the settings of a world.
pub fn change_parameters(world: &mut FluidWorld, change: impl FnOnce(&mut FluidParameters)) {
    let mut parameters = *world.parameters();
    change(&mut parameters);
    world.set_parameters(parameters).expect("valid");
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

/// Runs until all sleeps, at most so many ticks, and returns the number of ticks.
pub fn ticks_until_asleep(world: &mut FluidWorld, most: u32) -> u32 {
    let ticks = (1..=most).find(|_| step(world).substeps == 0);
    let bodies = || world.colliders().map(|(_, collider)| collider.is_sleeping());
    ticks.unwrap_or_else(|| {
        let (asleep, all) = (world.asleep(), world.particles().len());
        panic!("{asleep} of {all} and bodies {:?} sleep", bodies().collect::<Vec<_>>())
    })
}

// The surface of a liquid as it is drawn.

/// With the defaults of the plugin's `FluidSurface`, the surface is where the sum of the weights
/// `(1 - (r/R)^2)^3` falls below this fraction of its value inside the liquid. `R` is in spacings.
const THRESHOLD: f32 = 0.34;
const SMOOTHING: f32 = 2.2;

/// Height of the drawn surface, averaged over these places, from above a height that no liquid
/// reaches.
pub fn drawn_surface(world: &FluidWorld, top: f32, places: impl Iterator<Item = f32>) -> f32 {
    let spacing = world.parameters().particle_spacing;
    let radius = SMOOTHING * spacing;
    // Particles at rest lie in a hexagonal lattice.
    let weight = 0.75_f32.sqrt() / (FRAC_PI_4 * SMOOTHING * SMOOTHING);
    let (mut sum, mut count) = (0.0, 0.0);
    for x in places {
        let is_near = |at: &&Vec2| (at.x - x).abs() < radius;
        let near: Vec<Vec2> =
            world.particles().positions().iter().filter(is_near).copied().collect();
        let field = |y: f32| -> f32 {
            let part = |at: &Vec2| {
                let part = 1.0 - at.distance_squared(Vec2::new(x, y)) / (radius * radius);
                part.max(0.0)
            };
            near.iter().map(|at| weight * part(at) * part(at) * part(at)).sum()
        };
        let heights = (0..).map(|step| top - 0.02 * spacing * step as f32);
        sum += heights.take_while(|y| field(*y) < THRESHOLD).last().expect("above the liquid");
        count += 1.0;
    }
    sum / count
}
