//! Liquid on solids that move, and beside other liquid.

use blob_fluid::{
    ClassId, Collider, ColliderId, ColliderOptions, ContainerId, FluidParameters, FluidShape,
    FluidSleeping, FluidSolver, FluidWorld, Motion, shape::Polyline,
};
use glam::Vec2;

use crate::pools::{add_tank, cells, pour, pour_class, spacing};
use crate::ticks::{run, run_for};

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
    let parameters = FluidParameters { sleeping: FluidSleeping::OFF, ..FluidParameters::default() };
    let mut world = FluidWorld::new(parameters).expect("valid");
    let (half, height) = (HALF * spacing(), 40.0 * spacing());
    let vessel = if cup {
        let corners = [(-half, height), (-half, 0.0), (half, 0.0), (half, height)].map(Vec2::from);
        let line = Polyline::new(corners, 2.0).expect("valid");
        let cup = Collider::new(FluidShape::Polyline(line), Vec2::ZERO, Vec2::X).expect("valid");
        Vessel::Cup(world.insert_collider(cup))
    } else {
        add_tank(&mut world, Vec2::Y * 0.5 * height, Vec2::new(half, 0.5 * height));
        Vessel::Container(world.containers().next().expect("one").0)
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

/// Centre of mass and front, relative to the vessel, of a dam that has broken in a vessel of three slabs with this
/// speed.
fn broken_dam(solver: FluidSolver, speed: f32) -> [f32; 3] {
    let parameters = FluidParameters { solver, ..FluidParameters::default() };
    let mut world = FluidWorld::new(parameters).expect("valid");
    let motion = Motion { velocity: Vec2::new(speed, 0.0), ..Motion::STILL };
    let centres = [(-1.0, 19.0), (HALF, -1.0), (2.0 * HALF + 1.0, 19.0)].map(Vec2::from);
    let halves = [(1.0, 20.0), (HALF, 1.0), (1.0, 20.0)].map(Vec2::from);
    let slabs: Vec<ColliderId> = (centres.into_iter().zip(halves))
        .map(|(centre, half)| Collider::rectangle(centre * spacing(), half * spacing()))
        .map(|slab| slab.and_then(|slab| slab.with_motion(motion)).expect("valid"))
        .map(|slab| world.insert_collider(slab))
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
    let mut world = FluidWorld::new(FluidParameters {
        sleeping: FluidSleeping::OFF,
        ..FluidParameters::default()
    })
    .expect("valid");
    let shape = FluidShape::Rectangle { half_size: Vec2::new(4000.0, 20.0) };
    let motion = Motion { velocity: Vec2::X * 5.0, ..Motion::STILL };
    let belt = Collider::new(shape, Vec2::Y * -20.0, Vec2::X)
        .and_then(|belt| belt.with_motion(motion))
        .expect("valid");
    world.insert_collider(belt);
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
        let mut world = FluidWorld::new(FluidParameters {
            sleeping: FluidSleeping::OFF,
            ..FluidParameters::default()
        })
        .expect("valid");
        let options = ColliderOptions { reports_load: true, ..Default::default() };
        let floor = FluidShape::HalfPlane { normal: Vec2::Y };
        let shapes = [floor, FluidShape::HalfPlane { normal: Vec2::X }];
        let [floor, ..] = shapes.map(|shape| {
            let wall = Collider::new(shape, Vec2::ZERO, Vec2::X).expect("valid");
            world.insert_collider(wall.with_options(options).expect("valid"))
        });
        let side = Collider::new(
            FluidShape::HalfPlane { normal: Vec2::NEG_X },
            Vec2::X * 20.0 * spacing(),
            Vec2::X,
        );
        let side = side.and_then(|side| side.with_options(options)).expect("valid");
        world.insert_collider(side);
        pour(&mut world, cells(20, 15).map(|cell| cell * spacing()));
        let tick = 1.0 / rate as f32;
        let mut step = |ticks: u32| {
            let mut load = 0.0;
            for _ in 0..ticks {
                world.step(tick, &blob_fluid::SerialExecutor).expect("valid");
                let all: Vec<ColliderId> = world.colliders().map(|(id, _)| id).collect();
                load -= all
                    .iter()
                    .filter_map(|id| world.load_on(*id))
                    .map(|l| l.impulse.y)
                    .sum::<f32>();
            }
            load / (ticks as f32 * tick)
        };
        let _ = floor;
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
    let parameters = FluidParameters { sleeping: FluidSleeping::OFF, ..FluidParameters::default() };
    let mut world = FluidWorld::new(parameters).expect("valid");
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
    let substeps = world.step(1.0 / 60.0, &blob_fluid::SerialExecutor).expect("valid").substeps;
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
    for cell in cells(6, 400) {
        let position = (cell + Vec2::Y * 10.0) * spacing();
        let fallen = (410.0 - cell.y) * spacing();
        let velocity = Vec2::NEG_Y * (2.0 * gravity * fallen).sqrt();
        let spawn = blob_fluid::ParticleSpawn { position, velocity, ..Default::default() };
        world.spawn(spawn).expect("room");
    }
    pour_class(&mut world, ClassId::default(), cells(300, 8).map(|cell| cell * spacing()));
    let report = world.step(1.0 / 60.0, &blob_fluid::SerialExecutor).expect("valid");
    assert_eq!(report.substeps, 1);
    // Every solver takes its substeps from the same depth.
    assert!(FluidSolver::ALL.len() > 1);
}
