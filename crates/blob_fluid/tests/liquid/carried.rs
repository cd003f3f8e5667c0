//! Liquid on solids that move, and beside other liquid.

use blob_fluid::shape::{Polygon, Polyline};
use blob_fluid::*;
use glam::Vec2;

use crate::pools::{
    add_collider, add_container, add_tank, at, awake, cells, configured, moving, pour, spacing,
    spawn, spawn_all, weightless, world_of_solver, world_with,
};
use crate::ticks::{TICK, run, run_for};

const HALF: f32 = 25.0;
const ROWS: usize = 12;

/// A vessel: a container, or a cup of lines.
enum Vessel {
    Container(ContainerId),
    Cup(ColliderId),
}

impl Vessel {
    fn set_velocity(&self, world: &mut FluidWorld, velocity: Vec2) {
        let motion = Motion { velocity, ..Motion::STILL };
        match self {
            Self::Container(id) => world.set_container_motion(*id, motion),
            Self::Cup(id) => world.set_collider_motion(*id, motion),
        }
        .expect("valid");
    }

    fn centre(&self, world: &FluidWorld) -> f32 {
        match self {
            Self::Container(id) => world.container(*id).expect("there").centre().x,
            Self::Cup(id) => world.collider(*id).expect("there").centre().x,
        }
    }
}

fn vessel(cup: bool) -> (FluidWorld, Vessel) {
    let mut world = world_with(awake());
    let (half, height) = (HALF * spacing(), 40.0 * spacing());
    let vessel = if cup {
        let corners = [(-half, height), (-half, 0.0), (half, 0.0), (half, height)].map(Vec2::from);
        let line = Polyline::new(corners, 2.0).expect("valid");
        let cup = Collider::new(FluidShape::Polyline(line), Vec2::ZERO, Vec2::X);
        Vessel::Cup(add_collider(&mut world, cup))
    } else {
        let half_size = Vec2::new(half, 0.5 * height);
        let tank = Container::rectangle(Vec2::Y * half_size.y, half_size);
        Vessel::Container(add_container(&mut world, tank))
    };
    let low = Vec2::new(-HALF + 0.5, 0.5);
    let cells = cells(2 * HALF as usize - 1, ROWS);
    pour(&mut world, cells.map(|cell| (low + cell) * spacing()));
    run_for(&mut world, 3.0);
    (world, vessel)
}

/// Slope of a straight line through the highest particles of columns two spacings wide.
fn slope(world: &FluidWorld, vessel: &Vessel) -> f32 {
    let (width, columns) = (2.0 * spacing(), HALF as usize - 4);
    let low = vessel.centre(world) - 0.5 * width * columns as f32;
    let mut tops = vec![0.0_f32; columns];
    for at in world.particles().positions() {
        let column = ((at.x - low) / width).floor();
        if (0.0..columns as f32).contains(&column) {
            let top = &mut tops[column as usize];
            *top = top.max(at.y);
        }
    }
    let middle = 0.5 * (columns - 1) as f32;
    let offset = |column: usize| (column as f32 - middle) * width;
    let rises: f32 = tops.iter().enumerate().map(|(column, top)| offset(column) * top).sum();
    rises / (0..columns).map(|column| offset(column) * offset(column)).sum::<f32>()
}

fn mean_slope(world: &mut FluidWorld, vessel: &Vessel, mut velocity: impl FnMut() -> Vec2) -> f32 {
    let ticks = 600;
    let slopes = (0..ticks).map(|_| {
        vessel.set_velocity(world, velocity());
        run(world, 1);
        slope(world, vessel)
    });
    slopes.sum::<f32>() / ticks as f32
}

#[test]
fn the_surface_in_a_vessel_that_moves_steadily_is_level() {
    for (cup, speed) in [(false, 10.0), (false, 300.0), (true, 20.0), (true, 300.0)] {
        let (mut world, vessel) = vessel(cup);
        for tick in 0..600 {
            vessel.set_velocity(&mut world, Vec2::X * speed * (tick as f32 / 600.0));
            run(&mut world, 1);
        }
        run_for(&mut world, 20.0);
        let slope = mean_slope(&mut world, &vessel, || Vec2::X * speed);
        assert!(slope.abs() < 0.003, "{slope} at {speed}, {cup}");
    }
}

#[test]
fn a_vessel_that_moves_over_a_puddle_carries_its_liquid() {
    let (mut world, vessel) = vessel(true);
    let road = FluidShape::HalfPlane { normal: Vec2::Y };
    add_collider(&mut world, Collider::new(road, Vec2::NEG_Y * 3.5 * spacing(), Vec2::X));
    let low = Vec2::new(-40.0, -3.0) * spacing();
    pour(&mut world, cells(320, 2).map(|cell| low + cell * spacing()));
    let speed = 100.0;
    for tick in 0..600 {
        vessel.set_velocity(&mut world, Vec2::X * speed * (tick as f32 / 600.0));
        run(&mut world, 1);
    }
    run_for(&mut world, 6.0);
    let slope = mean_slope(&mut world, &vessel, || Vec2::X * speed);
    assert!(slope.abs() < 0.003, "{slope}");
}

/// Centre of mass and front, relative to the vessel, of a dam that has broken in a vessel of three slabs with this
/// speed.
fn broken_dam(solver: FluidSolver, speed: f32) -> [f32; 3] {
    let mut world = world_of_solver(solver);
    let motion = Motion { velocity: Vec2::new(speed, 0.0), ..Motion::STILL };
    let centres = [(-1.0, 19.0), (HALF, -1.0), (2.0 * HALF + 1.0, 19.0)].map(Vec2::from);
    let halves = [(1.0, 20.0), (HALF, 1.0), (1.0, 20.0)].map(Vec2::from);
    let slabs: Vec<ColliderId> = (centres.into_iter().zip(halves))
        .map(|(centre, half)| Collider::rectangle(centre * spacing(), half * spacing()))
        .map(|slab| add_collider(&mut world, slab.and_then(|slab| slab.with_motion(motion))))
        .collect();
    pour(&mut world, cells(15, 20).map(|cell| (cell + 0.5) * spacing()));
    world.particles_mut().velocities_mut().fill(motion.velocity);
    run_for(&mut world, 0.5);
    let floor = world.collider(slabs[1]).expect("there").centre();
    let places = || world.particles().positions().iter().map(|place| (*place - floor) / spacing());
    let mean = places().sum::<Vec2>() / places().count() as f32;
    let mut across: Vec<f32> = places().map(|place| place.x).collect();
    across.sort_by(f32::total_cmp);
    let front = &across[across.len() * 19 / 20..];
    [mean.x, mean.y, front.iter().sum::<f32>() / front.len() as f32]
}

#[test]
fn a_dam_breaks_alike_at_any_speed_of_the_vessel() {
    for solver in FluidSolver::ALL {
        let still = broken_dam(solver, 0.0);
        for speed in [300.0, -75.0] {
            let moving = broken_dam(solver, speed);
            println!("{}: {still:?} and at {speed} {moving:?}", solver.name());
            let apart = still.iter().zip(moving).map(|(still, moving)| (moving - still).abs());
            assert!(apart.fold(0.0, f32::max) < 0.1, "{solver:?}: {still:?} {moving:?}");
        }
    }
}

#[test]
fn the_surface_in_a_vessel_that_is_accelerated_tilts_as_it_should() {
    for (cup, acceleration) in [(false, 40.0), (true, 40.0)] {
        let (mut world, vessel) = vessel(cup);
        let mut speed = 0.0;
        let mut accelerate = || {
            speed += acceleration / 60.0;
            Vec2::X * speed
        };
        for _ in 0..3 {
            mean_slope(&mut world, &vessel, &mut accelerate);
        }
        let slope = mean_slope(&mut world, &vessel, &mut accelerate);
        let expected = -acceleration / world.parameters().gravity.length();
        assert!((slope / expected - 1.0).abs() < 0.05, "{slope} of {expected}, {cup}");
    }
}

#[test]
fn a_belt_carries_liquid_as_fast_as_it_is() {
    let mut world = world_with(awake());
    let shape = FluidShape::Rectangle { half_size: Vec2::new(4000.0, 20.0) };
    let motion = Motion { velocity: Vec2::X * 5.0, ..Motion::STILL };
    let belt = Collider::new(shape, Vec2::Y * -20.0, Vec2::X);
    add_collider(&mut world, belt.and_then(|belt| belt.with_motion(motion)));
    pour(&mut world, cells(40, 3).map(|cell| cell * spacing()));
    run_for(&mut world, 20.0);
    let before: f32 = world.particles().positions().iter().map(|at| at.x).sum();
    run_for(&mut world, 5.0);
    let after: f32 = world.particles().positions().iter().map(|at| at.x).sum();
    let speed = (after - before) / (5.0 * world.particles().len() as f32);
    assert!((speed / 5.0 - 1.0).abs() < 0.02, "{speed}");
}

#[test]
fn liquid_at_rest_weighs_as_much_as_its_mass() {
    for rate in [20, 60, 240] {
        let mut world = world_with(awake());
        let options = ColliderOptions { reports_load: true, ..Default::default() };
        let right = Vec2::X * 20.0 * spacing();
        for (normal, centre) in [(Vec2::Y, Vec2::ZERO), (Vec2::X, Vec2::ZERO), (Vec2::NEG_X, right)]
        {
            let wall = Collider::new(FluidShape::HalfPlane { normal }, centre, Vec2::X);
            add_collider(&mut world, wall.and_then(|wall| wall.with_options(options)));
        }
        pour(&mut world, cells(20, 15).map(|cell| cell * spacing()));
        let tick = 1.0 / rate as f32;
        let mut step = |ticks: u32| {
            let mut load = 0.0;
            for _ in 0..ticks {
                world.step(tick, &SerialExecutor).expect("valid");
                let loads = world.colliders().filter_map(|(id, _)| world.load_on(id));
                load -= loads.map(|load| load.impulse.y).sum::<f32>();
            }
            load / (ticks as f32 * tick)
        };
        step(15 * rate);
        let load = step(2 * rate);
        let weight = 300.0 * 200.0;
        assert!((load / weight - 1.0).abs() < 0.003, "{} at {rate}", load / weight);
    }
}

/// Substeps of a world, and the density at the bottom over that at the top of the tower at the origin.
fn tower(apart: Option<f32>, beside: (usize, usize)) -> (u32, f32) {
    const COLUMNS: usize = 10;
    const TALL: usize = 150;
    let mut world = world_with(awake());
    let mut stand = |x: f32, columns: usize, rows: usize| {
        let half_size = 0.5 * Vec2::new(columns as f32, 1.3 * rows as f32) * spacing();
        add_tank(&mut world, Vec2::new(x, half_size.y), half_size);
        let low = Vec2::new(x - half_size.x, 0.0);
        pour(&mut world, cells(columns, rows).map(|cell| low + cell * spacing()));
    };
    stand(0.0, COLUMNS, TALL);
    if let Some(apart) = apart {
        stand(apart, beside.0, beside.1);
    }
    run_for(&mut world, 10.0);
    let substeps = world.step(1.0 / 60.0, &SerialExecutor).expect("valid").substeps;
    let here = |at: &&Vec2| at.x.abs() < COLUMNS as f32 * spacing();
    let own: Vec<f32> = world.particles().positions().iter().filter(here).map(|at| at.y).collect();
    let top = own.iter().copied().fold(0.0, f32::max) + 0.5 * spacing();
    let slab = 16.0 * spacing();
    let count = |low: f32| own.iter().filter(|y| (low..low + slab).contains(y)).count() as f32;
    (substeps, count(2.0 * spacing()) / count(top - 3.0 * spacing() - slab))
}

#[test]
fn what_stands_far_away_makes_no_tower_shallow() {
    let (alone, density_alone) = tower(None, (0, 0));
    for (apart, beside) in [(200.0, (10, 150)), (6000.0, (10, 150)), (3000.0, (300, 10))] {
        let (substeps, density) = tower(Some(apart), beside);
        assert_eq!(substeps, alone, "{apart} {beside:?}");
        assert!(density < density_alone + 0.01, "{density} of {density_alone} {apart} {beside:?}");
    }
}

#[test]
fn a_stream_that_falls_is_not_deep() {
    let mut world = FluidWorld::default();
    let gravity = world.parameters().gravity.length();
    let falling = |cell: Vec2| {
        let fallen = (410.0 - cell.y) * spacing();
        let velocity = Vec2::NEG_Y * (2.0 * gravity * fallen).sqrt();
        moving((cell + Vec2::Y * 10.0) * spacing(), velocity)
    };
    spawn_all(&mut world, cells(6, 400).map(falling));
    pour(&mut world, cells(300, 8).map(|cell| cell * spacing()));
    let report = world.step(1.0 / 60.0, &SerialExecutor).expect("valid");
    assert_eq!(report.substeps, 1);
    // Every solver takes its substeps from the same depth.
    assert!(FluidSolver::ALL.len() > 1);
}

// Colliders that touch, overlap or nearly touch act as one: what slides over their seams is not
// braked, and nothing falls into them.

/// Lower end of a floor.
const START: f32 = -200.0;

/// A world without drags that pulls along `down`.
fn world(solver: FluidSolver, down: Vec2) -> FluidWorld {
    let (gravity, settling) = (down * 200.0, Settling::OFF);
    world_with(FluidParameters { solver, gravity, settling, ..awake() })
}

fn slippery(collider: Collider) -> Collider {
    let wall = WallProperties { friction: Some(0.0), ..WallProperties::default() };
    collider.with_wall(wall).expect("valid")
}

fn polygon(corners: impl IntoIterator<Item = Vec2>) -> FluidShape {
    FluidShape::Polygon(Polygon::new(corners).expect("a ring"))
}

fn step(world: &mut FluidWorld, seconds: f32, rate: f32) {
    for _ in 0..(seconds * rate) as u32 {
        world.step(1.0 / rate, &SerialExecutor).expect("valid");
    }
}

#[derive(Clone, Copy)]
enum TileKind {
    Rectangle,
    Polygon,
    Line { thickness: f32 },
}

/// Tiles of a floor along `along`, whose surface goes through the origin.
struct Tiles {
    name: &'static str,
    pitch: f32,
    /// Width of a gap, negative if they overlap.
    gap: f32,
    kind: TileKind,
    /// Whether the last one comes first in the world.
    reversed: bool,
}

impl Tiles {
    fn all() -> [Self; 7] {
        let kind = TileKind::Rectangle;
        let tiles = |name, pitch, gap| Self { name, pitch, gap, kind, reversed: false };
        [
            tiles("touching", 16.0, 0.0),
            tiles("wide", 64.0, 0.0),
            tiles("overlapping", 16.0, -0.01),
            tiles("with fine gaps", 16.0, 0.01),
            Self { reversed: true, ..tiles("with gaps", 16.0, 0.1) },
            Self { kind: TileKind::Polygon, ..tiles("polygons", 16.0, 0.0) },
            Self { kind: TileKind::Polygon, reversed: true, ..tiles("polygons apart", 16.0, 0.1) },
        ]
    }

    fn lines() -> [Self; 3] {
        let lines = |name, gap, thickness| Self {
            name,
            pitch: 16.0,
            gap,
            kind: TileKind::Line { thickness },
            reversed: false,
        };
        [
            lines("lines", 0.0, 0.0),
            Self { reversed: true, ..lines("lines apart", 0.1, 0.0) },
            lines("thick lines apart", 0.1, 0.2),
        ]
    }

    fn insert(&self, world: &mut FluidWorld, along: Vec2, length: f32) {
        let half = Vec2::new(0.5 * (self.pitch - self.gap), 10.0);
        let shape = match self.kind {
            TileKind::Polygon => {
                let signs = [Vec2::new(-1.0, -1.0), Vec2::new(1.0, -1.0), Vec2::ONE];
                polygon(signs.into_iter().chain([Vec2::new(-1.0, 1.0)]).map(|sign| sign * half))
            }
            TileKind::Rectangle => FluidShape::Rectangle { half_size: half },
            TileKind::Line { thickness } => {
                let height = half.y - 0.5 * thickness;
                let ends = [Vec2::new(-half.x, height), Vec2::new(half.x, height)];
                FluidShape::Polyline(Polyline::new(ends, thickness).expect("valid"))
            }
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
            spawn(&mut world, moving(along * place.x + up * place.y, along * speed));
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
    let solvers =
        [FluidSolver::default(), FluidSolver::SharedPressure, FluidSolver::Incompressible];
    for tiles in Tiles::all().into_iter().chain(Tiles::lines()) {
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
    spawn(&mut world, moving(Vec2::new(8.0, 3.0), Vec2::new(200.0, 0.0)));
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
            spawn(&mut world, moving(Vec2::new(-150.0, 4.0), Vec2::new(200.0, 0.0)));
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
    world.insert_collider(configured(tile(-100.0, 0.0), options));
    spawn(&mut world, moving(Vec2::new(-60.0, 0.01), Vec2::new(150.0, 0.0)));
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
        let low = Vec2::new(-80.0, 0.0) + Vec2::new(-0.5, 0.1) * spacing;
        pour(&mut world, cells(20, 3).map(|cell| low + cell * spacing));
        let lid = Collider::rectangle(Vec2::new(0.0, 50.0), Vec2::new(60.0, 5.0));
        let motion = Motion { velocity: Vec2::new(0.0, -30.0), ..Motion::STILL };
        let lid = add_collider(&mut world, lid.and_then(|lid| lid.with_motion(motion)));
        step(&mut world, 1.5, 60.0);
        assert!(world.collider(lid).expect("there").distance(Vec2::ZERO) < 0.1, "it is down");
        let over_floor = |position: &&Vec2| position.x.abs() < 140.0;
        let positions = world.particles().positions().iter().filter(over_floor);
        let deepest = positions.map(|position| position.y).fold(0.0, f32::min);
        assert!(deepest > -0.4, "{}: {deepest}", tiles.name);
    }
}

// Friction of walls on what hits them, lies on them and slides along them.

#[test]
fn what_slides_is_held_as_much_as_friction_says() {
    // One particle on a slope, for a second.
    let slid = |friction| {
        let settling = Settling::OFF;
        let mut world = world_with(FluidParameters { settling, ..FluidParameters::default() });
        let shape = FluidShape::Rectangle { half_size: Vec2::new(100.0, 5.0) };
        let slope = Collider::new(shape, Vec2::ZERO, Vec2::new(0.8, -0.6)).expect("valid");
        let wall = WallProperties { friction, ..Default::default() };
        world.insert_collider(slope.clone().with_wall(wall).expect("valid"));
        let start = Vec2::new(0.6, 0.8) * 5.0;
        spawn(&mut world, at(start));
        run(&mut world, 60);
        let end = world.particles().positions()[0];
        assert!(slope.distance(end).abs() < 0.01, "{end} left the slope");
        (end - start).length()
    };
    // Without friction the distance is exactly g sin(slope) t (t + dt)/2, up to rounding.
    let free = 200.0 * 0.6 * 0.5 * (1.0 + TICK);
    assert!((slid(Some(0.0)) - free).abs() < 0.05, "{}", slid(Some(0.0)));
    assert!((slid(None) - free).abs() < 0.05, "settling is off");
    let rates = [0.1, 0.3, 0.6, 0.9].map(|friction| slid(Some(friction)));
    assert!(rates.windows(2).all(|pair| pair[1] < 0.9 * pair[0]), "{rates:?}");
    assert!(rates[0] < 0.97 * free);
    assert!(slid(Some(1.0)) < 1e-3, "{}", slid(Some(1.0)));
}

#[test]
fn a_glancing_blow_loses_what_friction_takes() {
    // Algorithm 6: the whole normal part of the impulse, and the fraction mu of the tangential
    // part.
    for friction in [0.0, 0.25, 1.0] {
        // Only the floor acts on the particle.
        let ghost_walls = GhostWalls { density: 0.0, unsticking: 0.0 };
        let mut world = world_with(FluidParameters { ghost_walls, ..weightless() });
        let wall = WallProperties { friction: Some(friction), ..Default::default() };
        let floor = Collider::rectangle(Vec2::new(0.0, -50.0), Vec2::new(100.0, 10.0));
        add_collider(&mut world, floor.and_then(|f| f.with_wall(wall)));
        let mut expected = Vec2::new(300.0, -3000.0);
        spawn(&mut world, moving(Vec2::ZERO, expected));
        // A fifth of the first substep's displacement would have been beyond the floor, and all of
        // the second substep's.
        for part in [0.2, 1.0] {
            world.step(TICK, &SerialExecutor).expect("valid");
            assert_eq!(world.substeps(), 1);
            expected *= Vec2::new(1.0 - friction * part, 1.0 - part);
            // If it touches the floor from the beginning of a substep, friction acts as well.
            if part == 1.0 {
                let drag = friction * TICK / world.parameters().time_unit();
                expected.x *= (1.0 - friction) / (1.0 - friction + drag);
            }
            let after = world.particles().velocities()[0];
            assert!((after - expected).length() < 0.05, "{after} with {friction}");
        }
    }
}

#[test]
fn what_lies_on_a_floor_is_slowed_alike_in_any_number_of_substeps() {
    let slid = |friction, substeps| {
        let mut world = world_with(FluidParameters {
            settling: Settling::OFF,
            ghost_walls: GhostWalls { density: 0.0, unsticking: 0.0 },
            substeps: Substeps::Fixed(substeps),
            ..awake()
        });
        let wall = WallProperties { friction: Some(friction), ..Default::default() };
        let tank = Container::rectangle(Vec2::new(0.0, 50.0), Vec2::new(200.0, 50.0));
        add_container(&mut world, tank.and_then(|tank| tank.with_wall(wall)));
        spawn(&mut world, moving(Vec2::new(-190.0, 0.0), Vec2::new(200.0, 0.0)));
        run(&mut world, 120);
        world.particles().positions()[0].x + 190.0
    };
    for friction in [0.1, 0.3, 0.6] {
        let once = slid(friction, 1);
        for substeps in [2, 4, 8] {
            let ratio = slid(friction, substeps) / once;
            assert!((ratio - 1.0).abs() < 0.08, "{friction} in {substeps}: {ratio}");
        }
    }
}
