//! Colliders that touch, overlap or nearly touch act as one: what slides over their seams is not
//! braked, and nothing falls into them.

use blob_fluid::shape::Polygon;
use blob_fluid::{
    ClassFilter, ClassId, Collider, ColliderOptions, FluidParameters, FluidShape, FluidSleeping,
    FluidSolver, FluidWorld, Motion, ParticleSpawn, SerialExecutor, Settling, WallProperties,
};
use glam::Vec2;

/// Lower end of a floor.
const START: f32 = -200.0;

/// A world without drags that pulls along `down`.
fn world(solver: FluidSolver, down: Vec2) -> FluidWorld {
    let parameters = FluidParameters {
        solver,
        gravity: down * 200.0,
        settling: Settling::OFF,
        sleeping: FluidSleeping::OFF,
        ..FluidParameters::default()
    };
    FluidWorld::new(parameters).expect("valid")
}

fn slippery(collider: Collider) -> Collider {
    collider
        .with_wall(WallProperties { friction: Some(0.0), ..WallProperties::default() })
        .expect("valid")
}

fn polygon(corners: impl IntoIterator<Item = Vec2>) -> FluidShape {
    FluidShape::Polygon(Polygon::new(corners).expect("a ring"))
}

fn spawn(world: &mut FluidWorld, position: Vec2, velocity: Vec2) {
    world.spawn(ParticleSpawn { position, velocity, ..Default::default() }).expect("valid");
}

fn step(world: &mut FluidWorld, seconds: f32, rate: f32) {
    for _ in 0..(seconds * rate) as u32 {
        world.step(1.0 / rate, &SerialExecutor).expect("valid");
    }
}

/// Tiles of a floor along `along`, whose surface goes through the origin.
struct Tiles {
    name: &'static str,
    pitch: f32,
    /// Width of a gap, negative if they overlap.
    gap: f32,
    polygons: bool,
    /// Whether the last one comes first in the world.
    reversed: bool,
}

impl Tiles {
    fn all() -> [Self; 7] {
        let tiles = |name, pitch, gap| Self { name, pitch, gap, polygons: false, reversed: false };
        [
            tiles("touching", 16.0, 0.0),
            tiles("wide", 64.0, 0.0),
            tiles("overlapping", 16.0, -0.01),
            tiles("with fine gaps", 16.0, 0.01),
            Self { reversed: true, ..tiles("with gaps", 16.0, 0.1) },
            Self { polygons: true, ..tiles("polygons", 16.0, 0.0) },
            Self { polygons: true, reversed: true, ..tiles("polygons apart", 16.0, 0.1) },
        ]
    }

    fn insert(&self, world: &mut FluidWorld, along: Vec2, length: f32) {
        let half = Vec2::new(0.5 * (self.pitch - self.gap), 10.0);
        let shape = if self.polygons {
            let signs = [Vec2::new(-1.0, -1.0), Vec2::new(1.0, -1.0), Vec2::ONE];
            polygon(signs.into_iter().chain([Vec2::new(-1.0, 1.0)]).map(|sign| sign * half))
        } else {
            FluidShape::Rectangle { half_size: half }
        };
        let count = (length / self.pitch) as u32;
        for number in 0..count {
            let number = if self.reversed { count - 1 - number } else { number };
            let way = START + self.pitch * number as f32;
            let centre = along * way - along.perp() * half.y;
            let tile = Collider::new(shape.clone(), centre, along).expect("valid");
            world.insert_collider(slippery(tile));
        }
    }
}

/// A film of `rows` that has slid over a floor for two seconds: its mean speed along the floor as a
/// part of its first speed, and how deep the lowest particle lies.
fn slid(
    tiles: &Tiles,
    solver: FluidSolver,
    along: Vec2,
    film: (u32, f32),
    rate: f32,
) -> (f32, f32) {
    let (rows, speed) = film;
    let up = along.perp();
    let mut world = world(solver, -up);
    tiles.insert(&mut world, along, 4.0 * speed + 400.0);
    let spacing = world.parameters().particle_spacing;
    for row in 0..rows {
        for column in 0..12 {
            let place = Vec2::new(column as f32 + 0.3 * row as f32, row as f32 + 0.6) * spacing;
            spawn(&mut world, along * place.x + up * place.y, along * speed);
        }
    }
    step(&mut world, 2.0, rate);
    let particles = world.particles();
    let sum: f32 = particles.velocities().iter().map(|velocity| velocity.dot(along)).sum();
    let depths = particles.positions().iter().map(|position| -position.dot(up));
    (sum / (speed * particles.len() as f32), depths.fold(0.0, f32::max))
}

#[test]
fn a_film_slides_over_seams_as_over_a_slab() {
    let solvers = [FluidSolver::default(), FluidSolver::SharedPressure];
    for tiles in Tiles::all() {
        for solver in solvers {
            for (film, rate) in [((2, 250.0), 60.0), ((6, 250.0), 120.0), ((2, 1000.0), 60.0)] {
                let (kept, depth) = slid(&tiles, solver, Vec2::X, film, rate);
                assert!((kept - 1.0).abs() < 0.01, "{}, {film:?}: {kept}", tiles.name);
                assert!(depth < 0.1, "{}, {film:?}: {depth} deep", tiles.name);
            }
        }
    }
}

#[test]
fn a_film_slides_along_walls_and_slopes_of_tiles() {
    for along in [Vec2::Y, Vec2::NEG_Y, Vec2::new(0.8, 0.6)] {
        for tiles in Tiles::all() {
            let (kept, depth) = slid(&tiles, FluidSolver::default(), along, (2, 250.0), 60.0);
            assert!((kept - 1.0).abs() < 0.01, "{} along {along}: {kept}", tiles.name);
            assert!(depth < 0.1, "{} along {along}: {depth} deep", tiles.name);
        }
    }
}

/// Velocity of a particle that has slid over a height field for a while, which is one polygon or one
/// for each of its pieces.
fn over_hills(rate: f32, pieces: bool) -> Vec2 {
    const PIECE: f32 = 16.0;
    let mut world = world(FluidSolver::default(), Vec2::NEG_Y);
    let heights = [0.0, 0.0, -2.0, -6.0, -8.0, -8.0, -6.0, -3.0, -1.0];
    let top = |number: usize| Vec2::new(PIECE * number as f32, heights[number % heights.len()]);
    let bottom = |number: usize| Vec2::new(PIECE * number as f32, -40.0);
    let mut insert = |corners: Vec<Vec2>| {
        let ground = Collider::new(polygon(corners), Vec2::ZERO, Vec2::X).expect("valid");
        world.insert_collider(slippery(ground));
    };
    let count = 60;
    if pieces {
        for number in (0..count).rev() {
            insert(vec![bottom(number), bottom(number + 1), top(number + 1), top(number)]);
        }
    } else {
        insert([bottom(0), bottom(count)].into_iter().chain((0..=count).rev().map(top)).collect());
    }
    spawn(&mut world, Vec2::new(8.0, 3.0), Vec2::new(200.0, 0.0));
    step(&mut world, 2.5, rate);
    world.particles().velocities()[0]
}

#[test]
fn pieces_of_a_height_field_act_as_one() {
    for rate in [30.0, 60.0, 240.0] {
        let (whole, pieces) = (over_hills(rate, false), over_hills(rate, true));
        assert!(whole.length() > 50.0, "{whole}");
        let apart = whole.distance(pieces);
        assert!(apart < 0.02 * whole.length(), "{rate}: {whole} and {pieces}");
    }
}

#[test]
fn a_lone_particle_keeps_its_speed_on_tiles() {
    for rate in [60.0, 240.0] {
        for tiles in Tiles::all() {
            let mut world = world(FluidSolver::default(), Vec2::NEG_Y);
            tiles.insert(&mut world, Vec2::X, 1500.0);
            spawn(&mut world, Vec2::new(-150.0, 4.0), Vec2::new(200.0, 0.0));
            step(&mut world, 4.0, rate);
            let speed = world.particles().velocities()[0].x;
            assert!((speed - 200.0).abs() < 0.2, "{}: {speed}", tiles.name);
        }
    }
}

/// Where a particle is after a second that slides over a floor to a block whose top lies `higher`. The
/// floor has the given options.
fn at_a_step(higher: f32, options: ColliderOptions) -> Vec2 {
    let mut world = world(FluidSolver::default(), Vec2::ZERO);
    let tile = |x: f32, top: f32| {
        let centre = Vec2::new(x, top - 10.0);
        slippery(Collider::rectangle(centre, Vec2::new(100.0, 10.0)).expect("valid"))
    };
    world.insert_collider(tile(100.0, higher));
    world.insert_collider(tile(-100.0, 0.0).with_options(options).expect("valid"));
    spawn(&mut world, Vec2::new(-60.0, 0.01), Vec2::new(150.0, 0.0));
    step(&mut world, 1.0, 60.0);
    world.particles().positions()[0]
}

#[test]
fn only_a_face_within_a_seam_lets_pass() {
    let solid = ColliderOptions::default();
    assert!(at_a_step(0.005, solid).x > 80.0, "a step within the seam");
    assert!(at_a_step(2.0, solid).x < 0.1, "a high step");
    // A floor for others does not continue the block.
    let others = ClassFilter::ALL.without(ClassId::MEDIUM);
    let passing = ColliderOptions { classes: others, ..solid };
    assert!(at_a_step(0.1, passing).x < 0.1, "no floor");
    let membrane = ColliderOptions { one_way: true, ..solid };
    assert!(at_a_step(0.1, membrane).x < 0.1, "a membrane");
}

#[test]
fn a_lid_that_presses_liquid_onto_tiles_squeezes_none_through() {
    for tiles in Tiles::all() {
        let mut world = world(FluidSolver::default(), Vec2::NEG_Y);
        tiles.insert(&mut world, Vec2::X, 400.0);
        let spacing = world.parameters().particle_spacing;
        for number in 0..60 {
            let place = Vec2::new((number % 20) as f32, (number / 20) as f32 + 0.6);
            spawn(&mut world, place * spacing - Vec2::new(80.0, 0.0), Vec2::ZERO);
        }
        let lid = Collider::rectangle(Vec2::new(0.0, 50.0), Vec2::new(60.0, 5.0)).expect("valid");
        let motion = Motion { velocity: Vec2::new(0.0, -30.0), ..Motion::STILL };
        let lid = world.insert_collider(lid.with_motion(motion).expect("valid"));
        step(&mut world, 1.5, 60.0);
        assert!(world.collider(lid).expect("there").distance(Vec2::ZERO) < 0.1, "it is down");
        let over_floor = |position: &&Vec2| position.x.abs() < 140.0;
        let positions = world.particles().positions().iter().filter(over_floor);
        let deepest = positions.map(|position| position.y).fold(0.0, f32::min);
        assert!(deepest > -0.4, "{}: {deepest}", tiles.name);
    }
}
