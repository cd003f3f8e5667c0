//! Films on walls: a wet wall keeps a film that drains, a dry wall stays dry, and no corner holds
//! drops for ever.

use blob_fluid::shape::{FluidShape, Polygon};
use blob_fluid::{
    ClassId, Container, FluidWorld, Motion, ParticleSpawn, SerialExecutor, WallProperties,
};
use glam::Vec2;

use crate::ticks::{TICK, run_for};

/// Shapes whose walls slant, overhang and meet at right and acute angles.
fn shapes() -> [(&'static str, FluidShape); 4] {
    let polygon = |points: &[[f32; 2]]| {
        FluidShape::Polygon(Polygon::new(points.iter().copied().map(Vec2::from)).expect("valid"))
    };
    [
        ("bowl", FluidShape::Circle { radius: 200.0 }),
        ("box", FluidShape::Rectangle { half_size: Vec2::splat(200.0) }),
        ("tent", polygon(&[[-250.0, -150.0], [250.0, -150.0], [0.0, 400.0]])),
        (
            "beak",
            polygon(&[
                [-150.0, -200.0],
                [150.0, -200.0],
                [150.0, 150.0],
                [400.0, 260.0],
                [-150.0, 220.0],
            ]),
        ),
    ]
}

/// A container that was shaken until liquid hung everywhere, and that then stands still.
#[expect(clippy::disallowed_methods, reason = "rounding decides nothing here")]
fn shaken(shape: &FluidShape, wetting: f32) -> FluidWorld {
    let mut world = FluidWorld::default();
    let wall = WallProperties { wetting, ..WallProperties::default() };
    let still = Container::new(shape.clone(), Vec2::ZERO, Vec2::X)
        .and_then(|container| container.with_wall(wall))
        .expect("valid");
    let id = world.insert_container(still.clone());
    let spacing = 1.03 * world.parameters().particle_spacing;
    let cells = (0..900).map(|number| Vec2::new((number % 24) as f32, (number / 24) as f32));
    let free = cells.map(|cell| (cell - Vec2::new(11.5, 17.0)) * spacing);
    for (number, position) in free.filter(|point| shape.contains(*point)).take(700).enumerate() {
        let class = ClassId((number % 3) as u8);
        world.spawn(ParticleSpawn { position, class, ..Default::default() }).expect("valid");
    }
    let mut centre = Vec2::ZERO;
    for tick in 0..180 {
        let time = tick as f32 * TICK;
        let velocity = Vec2::new(600.0 * (9.0 * time).sin(), 500.0 * (13.0 * time).cos());
        let here = still.clone().with_pose(centre, Vec2::X).expect("valid");
        let moving = here.with_motion(Motion { velocity, ..Motion::STILL }).expect("valid");
        world.set_container(id, moving);
        world.step(TICK, &SerialExecutor).expect("valid");
        centre += velocity * TICK;
    }
    world.set_container(id, still.with_pose(centre, Vec2::X).expect("valid"));
    world
}

/// Number of particles that are higher above the liquid than a wave at rest could be.
fn hanging(world: &FluidWorld) -> usize {
    let mut heights: Vec<f32> =
        world.particles().positions().iter().map(|position| position.y).collect();
    heights.sort_by(f32::total_cmp);
    let surface = heights[heights.len() * 9 / 10];
    let reach = 1.5 * world.parameters().interaction_radius();
    heights.iter().filter(|height| **height > surface + reach).count()
}

#[test]
fn a_wet_wall_keeps_a_film_that_drains() {
    for (name, shape) in shapes() {
        let mut world = shaken(&shape, 1.0);
        run_for(&mut world, 4.0);
        let film = hanging(&world);
        run_for(&mut world, 50.0);
        assert_eq!(hanging(&world), 0, "{name}: {film} after 4 s");
    }
}

#[test]
fn a_dry_wall_is_dry() {
    for (name, shape) in shapes() {
        let mut world = shaken(&shape, 0.0);
        run_for(&mut world, 16.0);
        assert_eq!(hanging(&world), 0, "{name}");
    }
}
