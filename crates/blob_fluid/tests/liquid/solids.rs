//! Containers and colliders: how they hold, slow, push and carry liquid.

use std::collections::BTreeSet;

use blob_fluid::measure::measure;
use blob_fluid::shape::{Polygon, Polyline, scatter};
use blob_fluid::*;
use glam::Vec2;

use crate::pools::{
    add_collider, add_container, add_tank, assert_finite, awake, body, cells, change_parameters,
    configured, count_where, in_tank, moving, pour, rms_speed, spawn, spawn_all, step_with,
    weightless, world_of_solver, world_with,
};
use crate::ticks::{TICK, run, run_for};

fn fill(world: &mut FluidWorld, shape: FluidShape, centre: Vec2) {
    pour(world, shape.fill(centre, 1.03 * world.parameters().particle_spacing));
}

/// A tank that is two thirds full.
fn tank() -> FluidWorld {
    let mut world = in_tank(Vec2::ZERO, Vec2::new(200.0, 150.0));
    let shape = FluidShape::Rectangle { half_size: Vec2::new(190.0, 90.0) };
    fill(&mut world, shape, Vec2::new(0.0, -50.0));
    world
}

fn insert_all(world: &mut FluidWorld, colliders: impl IntoIterator<Item = Collider>) {
    for collider in colliders {
        world.insert_collider(collider);
    }
}

fn mean(vectors: &[Vec2]) -> Vec2 {
    vectors.iter().sum::<Vec2>() / vectors.len() as f32
}

#[test]
fn stickiness_holds_a_film_under_a_ceiling_and_wetting_delays_its_fall() {
    let hanging = |wetting, stickiness, ticks| {
        let mut world = FluidWorld::default();
        let wall = WallProperties { wetting, stickiness, ..Default::default() };
        let ceiling = Collider::rectangle(Vec2::new(0.0, 100.0), Vec2::new(300.0, 20.0));
        add_collider(&mut world, ceiling.and_then(|c| c.with_wall(wall)));
        let film = FluidShape::Rectangle { half_size: Vec2::new(100.0, 4.0) };
        fill(&mut world, film, Vec2::new(0.0, 74.0));
        run(&mut world, ticks);
        count_where(&world, |position| position.y > 50.0) as f64 / world.particles().len() as f64
    };
    // A free fall from the ceiling takes half a second.
    let (soon, late) = (40, 180);
    assert_eq!(hanging(0.0, 0.0, soon), 0.0);
    let wet = hanging(1.0, 0.0, soon);
    assert!(wet > 0.0, "a wet ceiling keeps drops for a while");
    assert_eq!(hanging(1.0, 0.0, late), 0.0, "but not for ever");
    assert_eq!(hanging(0.0, 4.0, late), 1.0);
    assert_eq!(hanging(1.0, 4.0, late), 1.0);
}

#[test]
fn a_carried_tank_carries_its_liquid() {
    for friction in [None, Some(0.0), Some(1.0)] {
        let mut world = tank();
        run(&mut world, 60);
        let count = world.particles().len();
        let velocity = Vec2::new(90.0, 40.0);
        let wall = WallProperties { friction, ..Default::default() };
        let (tank, container) = world.containers().next().expect("one");
        let gripping = container.clone().with_wall(wall).expect("valid");
        assert!(world.set_container(tank, gripping));
        // The speed increases gently, within a second.
        for tick in 1..=60 {
            let velocity = velocity * (tick as f32 / 60.0);
            let motion = Motion { velocity, ..Motion::STILL };
            assert_eq!(world.set_container_motion(tank, motion), Ok(true));
            run(&mut world, 1);
        }
        run(&mut world, 300);
        // The liquid goes along, and continues to rock where there is no friction.
        let ticks = 300;
        let (mut speed, mut centre) = (Vec2::ZERO, Vec2::ZERO);
        for _ in 0..ticks {
            run(&mut world, 1);
            let in_tank = world.container(tank).expect("there").centre();
            speed += mean(world.particles().velocities()) / ticks as f32;
            centre += (mean(world.particles().positions()) - in_tank) / ticks as f32;
        }
        let report = measure(&world);
        assert_eq!((report.particles, report.escaped), (count, 0));
        assert!((speed - velocity).length() < 20.0, "{speed} with {friction:?}");
        let tank = world.container(tank).expect("there").centre();
        assert!(centre.x.abs() < 15.0 && (centre.y + 60.0).abs() < 15.0, "{centre}");
        let way = velocity * (10.0 + 30.5 / 60.0);
        assert!((tank - way).length() < 0.1);
    }
}

#[test]
fn a_drum_that_grips_takes_the_liquid_round_and_one_that_slips_does_not() {
    let spin = |friction| {
        let mut world = world_with(weightless());
        // The liquid is viscous enough for its middle to follow within seconds.
        change_parameters(&mut world, |parameters| parameters.viscosity.linear = 2.0);
        let wall = WallProperties { friction: Some(friction), ..Default::default() };
        let motion = Motion { angular_velocity: 1.5, ..Motion::STILL };
        let drum = Container::circle(Vec2::ZERO, 120.0);
        let drum = drum.and_then(|d| d.with_wall(wall)).and_then(|d| d.with_motion(motion));
        add_container(&mut world, drum);
        fill(&mut world, FluidShape::Circle { radius: 118.0 }, Vec2::ZERO);
        run(&mut world, 1200);
        assert_eq!(measure(&world).escaped, 0);
        let particles = world.particles();
        let turning = particles.positions().iter().zip(particles.velocities());
        let (turning, inertia) = turning.fold((0.0, 0.0), |(turning, inertia), (x, v)| {
            (turning + x.perp_dot(*v), inertia + x.length_squared())
        });
        turning / inertia
    };
    let (gripped, slipped) = (spin(1.0), spin(0.0));
    assert!((gripped - 1.5).abs() < 0.1, "{gripped}");
    assert!(slipped.abs() < 0.02, "{slipped}");
}

// Row 16 of docs/reliability.md.
#[test]
fn nothing_passes_a_stirrer_however_fast() {
    // In the last case the tip moves by more than an interaction radius per substep.
    for angular_velocity in [1.0, 8.0, -60.0] {
        let mut world = tank();
        let shape = FluidShape::Rectangle { half_size: Vec2::new(90.0, 2.0) };
        let stirrer = Collider::new(shape, Vec2::new(0.0, -30.0), Vec2::X);
        let motion = Motion { angular_velocity, ..Motion::STILL };
        add_collider(&mut world, stirrer.and_then(|stirrer| stirrer.with_motion(motion)));
        let count = world.particles().len();
        for _ in 0..300 {
            world.step(TICK, &SerialExecutor).expect("valid");
            let report = measure(&world);
            assert_eq!((report.particles, report.escaped), (count, 0), "{angular_velocity}");
        }
    }
}

// Row 16 of docs/reliability.md.
#[test]
fn a_plate_faster_than_a_radius_per_step_sweeps_everything_before_it() {
    let mut world = in_tank(Vec2::ZERO, Vec2::new(2000.0, 50.0));
    let pool = FluidShape::Rectangle { half_size: Vec2::new(80.0, 30.0) };
    fill(&mut world, pool, Vec2::ZERO);
    let count = world.particles().len();
    let motion = Motion { velocity: Vec2::new(6000.0, 0.0), ..Motion::STILL };
    let plate = Collider::rectangle(Vec2::new(-200.0, 0.0), Vec2::new(1.5, 60.0));
    let plate = add_collider(&mut world, plate.and_then(|plate| plate.with_motion(motion)));
    let radius = world.parameters().interaction_radius();
    for _ in 0..12 {
        world.step(TICK, &SerialExecutor).expect("valid");
        assert!(6000.0 * TICK / world.substeps() as f32 > radius, "not fast enough to show");
    }
    let face = world.collider(plate).expect("there").centre().x + 1.5;
    assert!(face > 900.0);
    let behind = count_where(&world, |position| position.x < face - 0.5);
    assert_eq!((behind, world.particles().len()), (0, count));
}

#[test]
fn liquid_that_a_collider_lands_on_comes_out_gently() {
    let mut world = tank();
    run(&mut world, 300);
    add_collider(&mut world, Collider::circle(Vec2::new(20.0, -70.0), 50.0));
    let mut fastest = 0.0_f64;
    for _ in 0..90 {
        world.step(TICK, &SerialExecutor).expect("valid");
        fastest = fastest.max(measure(&world).max_speed);
    }
    assert_eq!(measure(&world).escaped, 0, "all of it is out, and none out of the tank");
    // Every particle must be slower than a drop that falls from the tank's ceiling.
    let fall = (2.0 * world.parameters().gravity.length() * 300.0).sqrt();
    assert!(fastest < f64::from(fall), "{fastest} against {fall}");
    run(&mut world, 1800);
    let report = measure(&world);
    assert!(report.rms_speed < 5.0 && report.density_ratio.max < 1.2, "{report}");
}

// Row 17 of docs/reliability.md.
#[test]
fn nothing_leaks_where_walls_are_thin_or_meet_at_a_point() {
    // Under a falling block: a wedge of two planks that are thinner than a particle, and a lattice
    // of posts.
    for solver in FluidSolver::ALL {
        let mut world = world_of_solver(solver);
        add_tank(&mut world, Vec2::ZERO, Vec2::new(170.0, 400.0));
        let shape = FluidShape::Rectangle { half_size: Vec2::new(150.0, 0.8) };
        let planks = [-1.0, 1.0].map(|side| {
            let turn = Vec2::new(0.6, side * 0.8);
            Collider::new(shape.clone(), Vec2::new(side * 88.0, 20.0), turn).expect("valid")
        });
        insert_all(&mut world, planks);
        let block = FluidShape::Rectangle { half_size: Vec2::new(60.0, 60.0) };
        fill(&mut world, block, Vec2::new(0.0, 200.0));
        run(&mut world, 900);
        let below = |world: &FluidWorld| count_where(world, |position| position.y < -110.0);
        assert_eq!(below(&world), 0, "{solver:?}");
        assert_eq!(measure(&world).escaped, 0, "{solver:?}");
        // Without the planks all the liquid would be there.
        world.clear_colliders();
        run(&mut world, 300);
        assert!(below(&world) * 10 > world.particles().len() * 9);
    }
}

#[test]
fn posts_in_the_way_split_a_stream_and_hold_nothing_when_dry() {
    let dry = WallProperties { wetting: 0.0, ..Default::default() };
    let mut world = in_tank(Vec2::ZERO, Vec2::new(200.0, 300.0));
    let post = |number: u32| {
        let cell = Vec2::new((number % 5) as f32 - 2.0, (number / 5) as f32 - 1.0);
        let point = cell * 60.0 + 10.0 * scatter(number);
        Collider::circle(point, 9.0).and_then(|post| post.with_wall(dry)).expect("valid")
    };
    insert_all(&mut world, (0..15).map(post));
    fill(&mut world, FluidShape::Circle { radius: 70.0 }, Vec2::new(0.0, 200.0));
    run(&mut world, 900);
    let report = measure(&world);
    assert_eq!(report.escaped, 0);
    assert_eq!(count_where(&world, |position| position.y > -150.0), 0, "left on the posts");
}

#[test]
fn what_stops_others_changes_nothing_however_much_of_it_there_is() {
    let poured = |strangers: u32| {
        let mut world = tank();
        let post = Collider::circle(Vec2::new(30.0, -40.0), 25.0).expect("valid");
        let classes = ClassFilter::NONE.with(ClassId::LIGHT);
        let others = ColliderOptions { classes, ..Default::default() };
        let stranger = |index| {
            configured(Collider::circle(scatter(index) * 60.0, 2.0).expect("valid"), others)
        };
        insert_all(&mut world, (0..strangers).map(stranger).chain([post]));
        run(&mut world, 60);
        let positions = world.particles().positions().to_vec();
        assert!(positions.iter().all(|position| position.distance(Vec2::new(30.0, -40.0)) > 24.0));
        positions
    };
    let alone = poured(0);
    // A few colliders, more than the list for a chunk holds, and more than the list for a group
    // holds.
    for strangers in [5, 100, 1000] {
        assert!(poured(strangers) == alone, "{strangers}");
    }
}

/// Position of liquid at rest on some colliders: its lowest, leftmost and highest coordinates, each
/// a mean over twenty particles, and its centre. It starts in a block that is moved to the side by
/// `nudge`.
fn rests_at(colliders: Vec<Collider>, container: Container, nudge: f32) -> [f32; 4] {
    // The depth is near the limit between one and two automatic substeps, where the past decides.
    let mut world = FluidWorld::default();
    change_parameters(&mut world, |parameters| parameters.substeps = Substeps::Fixed(2));
    world.insert_container(container);
    insert_all(&mut world, colliders);
    let block = FluidShape::Rectangle { half_size: Vec2::new(92.0, 60.0) };
    fill(&mut world, block, Vec2::new(nudge, 66.0));
    run(&mut world, 600);
    let positions = world.particles().positions();
    let mean_of_first = |key: fn(&Vec2) -> f32| {
        let mut keys: Vec<f32> = positions.iter().map(key).collect();
        keys.sort_by(f32::total_cmp);
        keys[..20].iter().sum::<f32>() / 20.0
    };
    [
        mean_of_first(|position| position.y),
        mean_of_first(|position| position.x),
        -mean_of_first(|position| -position.y),
        mean(positions).y,
    ]
}

#[test]
fn a_basin_of_tiles_holds_liquid_as_one_of_slabs_does() {
    let far = || Container::rectangle(Vec2::ZERO, Vec2::splat(1000.0)).expect("valid");
    let block = |low: Vec2, high: Vec2| {
        Collider::rectangle(0.5 * (low + high), 0.5 * (high - low)).expect("valid")
    };
    // A floor at 0 and walls at 100 to either side, 32 thick.
    let slabs = vec![
        block(Vec2::new(-132.0, -32.0), Vec2::new(132.0, 0.0)),
        block(Vec2::new(-132.0, 0.0), Vec2::new(-100.0, 200.0)),
        block(Vec2::new(100.0, 0.0), Vec2::new(132.0, 200.0)),
    ];
    // Where it rests depends a little on how it fell.
    let by_slabs = [0.0, 0.25, 0.5, 0.75].map(|nudge| rests_at(slabs.clone(), far(), nudge));
    for size in [32.0, 16.0, 8.0] {
        let tile = |x: f32, y: f32| {
            let low = Vec2::new(x, y);
            block(low, low + size)
        };
        let tiled = |slab: &Collider| {
            let local = slab.shape().bounds();
            let (low, high) = (slab.centre() + local.low, slab.centre() + local.high);
            let steps = |low: f32, high: f32| {
                let count = ((high - low) / size).round() as u32;
                (0..count).map(move |step| low + step as f32 * size)
            };
            let columns = steps(low.x, high.x);
            let rows = move || steps(low.y, high.y);
            columns.flat_map(move |x| rows().map(move |y| tile(x, y))).collect::<Vec<_>>()
        };
        let by_tiles = rests_at(slabs.iter().flat_map(tiled).collect(), far(), 0.0);
        for (index, tiles) in by_tiles.into_iter().enumerate() {
            let slabs = || by_slabs.iter().map(|all| all[index]);
            let (least, most) =
                (slabs().fold(f32::MAX, f32::min), slabs().fold(f32::MIN, f32::max));
            let near = least - 0.05..most + 0.05;
            assert!(near.contains(&tiles), "{size}: {by_tiles:?} {by_slabs:?}");
        }
    }
}

#[test]
fn what_stands_behind_a_plate_does_not_count_beside_it() {
    let plate =
        || Collider::rectangle(Vec2::new(0.0, -2.0), Vec2::new(1000.0, 2.0)).expect("valid");
    let tank = |bottom: f32| {
        let (low, high) = (Vec2::new(-100.0, bottom), Vec2::new(100.0, 400.0));
        Container::rectangle(0.5 * (low + high), 0.5 * (high - low)).expect("valid")
    };
    let far = rests_at(vec![plate()], tank(-200.0), 0.0);
    // Where the plate is flush with the wall, the wall stops some particles before the plate does,
    // and they pack differently.
    for (bottom, most) in [(-4.0, 0.01), (-10.0, 0.01), (0.0, 1.0)] {
        let near = rests_at(vec![plate()], tank(bottom), 0.0);
        for (near, far) in near.into_iter().zip(far) {
            assert!((near - far).abs() < most, "{bottom}: {near:?} {far:?}");
        }
    }
}

/// A closed box, 160 wide and high, of tiles or lines that are 16 long, with gaps between them.
fn insert_box_of_tiles(world: &mut FluidWorld, gap: f32, lines: bool) {
    for side in [Vec2::X, Vec2::Y, Vec2::NEG_X, Vec2::NEG_Y] {
        for number in -6..6 {
            let along = side.perp() * (16.0 * number as f32 + 8.0);
            let half = 8.0 - 0.5 * gap;
            let tile = if lines {
                let ends = [side.perp() * half, -side.perp() * half];
                let line = FluidShape::Polyline(Polyline::new(ends, 0.0).expect("valid"));
                Collider::new(line, side * 80.0 + along, Vec2::X)
            } else {
                Collider::rectangle(side * 88.0 + along, Vec2::splat(half))
            };
            add_collider(world, tile);
        }
    }
}

#[test]
fn nothing_escapes_from_a_closed_box_of_tiles_with_narrow_gaps() {
    for (gap, lines, solver) in [
        (0.01, false, FluidSolver::DoubleDensity),
        (0.1, false, FluidSolver::DoubleDensity),
        (0.1, false, FluidSolver::Sph),
        (0.3, false, FluidSolver::DoubleDensity),
        (0.1, true, FluidSolver::DoubleDensity),
        (0.3, true, FluidSolver::Classic),
    ] {
        let mut world = world_of_solver(solver);
        insert_box_of_tiles(&mut world, gap, lines);
        for speed in [200.0, 1000.0, 2000.0] {
            world.clear();
            // It flies apart from the middle.
            let places = (0..300).map(|number| 65.0 * scatter(number).clamp_length_max(1.0));
            let fly_apart = |place: Vec2| moving(place, speed * place.normalize_or(Vec2::X));
            spawn_all(&mut world, places.map(fly_apart));
            run(&mut world, 60);
            let escaped = count_where(&world, |at| at.abs().max_element() > 80.5);
            assert_eq!(escaped, 0, "gaps of {gap}, {solver:?} at {speed}, lines: {lines}");
        }
    }
}

#[test]
fn nothing_falls_between_tiles_nor_between_them_and_walls() {
    // A tank with steps of tiles of several sizes at the bottom, tilted to both sides. It is
    // upright or rotated, and near or far from the origin.
    for (size, turn, away) in [
        (100.0, Vec2::X, 0.0),
        (47.0, Vec2::X, 0.0),
        (20.0, Vec2::X, 3000.0),
        (10.0, Vec2::X, 0.0),
        (7.3, Vec2::X, 0.0),
        (53.5, Vec2::new(0.8, 0.6), 0.0),
        (40.5, Vec2::new(0.8, 0.6), 3000.0),
        (10.0, Vec2::new(-0.6, 0.8), 0.0),
        (6.0, Vec2::new(0.28, 0.96), 0.0),
    ] {
        let to_world = |local: Vec2| turn.rotate(local) + Vec2::new(away, -0.7 * away);
        let to_local = |world: Vec2| {
            let from_centre = world - Vec2::new(away, -0.7 * away);
            Vec2::new(turn.x, -turn.y).rotate(from_centre)
        };
        let block = |low: Vec2, high: Vec2| {
            let shape = FluidShape::Rectangle { half_size: 0.5 * (high - low) };
            Collider::new(shape, to_world(0.5 * (low + high)), turn).expect("valid")
        };
        let mut world = FluidWorld::default();
        let tank = FluidShape::Rectangle { half_size: Vec2::new(100.0, 150.0) };
        add_container(&mut world, Container::new(tank, to_world(Vec2::ZERO), turn));
        let corner = Vec2::new(-100.0, -100.0 - size);
        let tile = |column: u32, row: u32| {
            let low = corner + Vec2::new(column as f32, row as f32) * size;
            block(low, low + size)
        };
        let columns = (200.0 / size) as u32;
        let steps = |column: u32| if size < 50.0 { 1 + column / 2 % 3 } else { 1 };
        let column_tiles = |column| (0..steps(column)).map(move |row| tile(column, row));
        // The gap on the right is filled up to the wall.
        let right = -100.0 + columns as f32 * size;
        let rest = || block(Vec2::new(right, corner.y), Vec2::new(100.0, -100.0));
        let rest = (right < 99.9).then(rest);
        let solid: Vec<Collider> = (0..columns).flat_map(column_tiles).chain(rest).collect();
        insert_all(&mut world, solid.clone());
        let liquid = FluidShape::Rectangle { half_size: Vec2::new(90.0, 40.0) };
        pour(&mut world, liquid.fill(Vec2::new(0.0, 20.0), 8.24).map(to_world));
        for second in 0..8 {
            let sideways = if second % 2 == 0 { 300.0 } else { -300.0 };
            let gravity = turn.rotate(Vec2::new(sideways, -400.0));
            change_parameters(&mut world, |parameters| parameters.gravity = gravity);
            run(&mut world, 60);
            for position in world.particles().positions() {
                let local = to_local(*position);
                assert!(local.y > -100.1, "{size}, {turn}, {away}: {local} in second {second}");
                let inside = |tile: &Collider| tile.distance(*position) < -0.1;
                assert!(!solid.iter().any(inside), "{size}, {turn}, {away}: {local}");
            }
        }
    }
}

#[test]
fn of_two_containers_that_overlap_the_first_keeps_what_enters_it() {
    let mut world = world_with(weightless());
    for centre in [-40.0, 40.0] {
        add_tank(&mut world, Vec2::new(centre, 0.0), Vec2::new(60.0, 50.0));
    }
    spawn(&mut world, moving(Vec2::new(80.0, 0.0), Vec2::new(-200.0, 0.0)));
    run(&mut world, 60);
    let crossed = world.particles().positions()[0].x;
    assert!(crossed < -60.0, "{crossed}");
    world.particles_mut().velocities_mut()[0] = Vec2::new(200.0, 0.0);
    run(&mut world, 60);
    let stopped = world.particles().positions()[0].x;
    assert!((10.0..=20.5).contains(&stopped), "the first ends at 20: {stopped}");
}

// Containers and colliders are inserted, changed, moved and removed one by one, without any effect
// on others.

fn post(x: f32) -> Collider {
    Collider::circle(Vec2::new(x, 0.0), 15.0).expect("valid")
}

fn wide_tank() -> Container {
    Container::rectangle(Vec2::ZERO, Vec2::new(200.0, 100.0)).expect("valid")
}

fn feeling(collider: Collider) -> Collider {
    configured(collider, ColliderOptions { reports_load: true, ..Default::default() })
}

/// A tank with liquid that has come to rest, and three posts in it.
fn filled() -> FluidWorld {
    let mut world = FluidWorld::default();
    world.insert_container(wide_tank());
    let pool = FluidShape::Rectangle { half_size: Vec2::new(190.0, 60.0) };
    pour(&mut world, pool.fill(Vec2::new(0.0, -38.0), 8.0));
    run(&mut world, 120);
    world
}

#[test]
fn handles_of_colliders_stay_valid_until_removed_and_are_never_anothers() {
    let mut world = FluidWorld::default();
    let [first, second, third] = [0.0, 50.0, 100.0].map(|x| world.insert_collider(post(x)));
    let mut all = BTreeSet::from([first, second, third]);
    assert_eq!(world.remove_collider(second).map(|collider| collider.centre().x), Some(50.0));
    for x in 0..20 {
        let id = world.insert_collider(post(x as f32));
        assert!(all.insert(id), "{id:?} was another's");
        assert_eq!(world.collider(id).map(|collider| collider.centre().x), Some(x as f32));
        if x % 2 == 0 {
            assert!(world.remove_collider(id).is_some());
        }
    }
    // The order of insertion.
    let points: Vec<f32> = world.colliders().map(|(_, collider)| collider.centre().x).collect();
    let odd = (0..20).filter(|x| x % 2 == 1).map(|x| x as f32);
    assert_eq!(points, [0.0, 100.0].into_iter().chain(odd).collect::<Vec<_>>());
    assert_eq!(world.colliders().len(), points.len());
    assert!(world.colliders().all(|(id, collider)| world.collider(id) == Some(collider)));
    assert_eq!(world.colliders().next_back().map(|(_, collider)| collider.centre().x), Some(19.0));
    world.clear_colliders();
    let new = world.insert_collider(post(7.0));
    for id in all {
        assert!(id != new && world.collider(id).is_none() && world.remove_collider(id).is_none());
        assert!(!world.set_collider(id, post(1.0)));
        assert_eq!(world.move_collider(id, Vec2::ONE, Vec2::X), Ok(false));
        assert_eq!(world.set_collider_motion(id, Motion::STILL), Ok(false));
        assert_eq!((world.load_on(id), world.collider_fade_in(id)), (None, None));
    }
    assert_eq!(world.collider(new), Some(&post(7.0)), "untouched by all that");
}

#[test]
fn colliders_removed_at_once_leave_what_is_left_if_they_are_removed_one_by_one() {
    let world = || {
        let mut world = FluidWorld::default();
        let spacing = world.parameters().particle_spacing;
        add_tank(&mut world, Vec2::ZERO, Vec2::splat(20.0 * spacing));
        let mut ids = Vec::new();
        for number in 0..40_u8 {
            let place = Vec2::new(f32::from(number % 8), f32::from(number / 8)) - 3.5;
            let collider = Collider::circle(place * 4.0 * spacing, spacing);
            let velocity = Vec2::X * f32::from(number % 3) * 20.0;
            let motion = Motion { velocity, ..Motion::STILL };
            ids.push(add_collider(&mut world, collider.and_then(|it| it.with_motion(motion))));
        }
        let places = cells(30, 10).map(|cell| (cell + Vec2::new(-15.5, 5.5)) * spacing);
        pour(&mut world, places);
        (world, ids)
    };
    let [(mut one_by_one, ids), (mut at_once, _)] = [world(), world()];
    run_for(&mut one_by_one, 0.2);
    run_for(&mut at_once, 0.2);
    let gone: Vec<_> = ids.iter().copied().filter(|id| id.slot() % 3 != 1).collect();
    // Twice, and among handles that are not valid any more.
    assert_eq!(at_once.remove_colliders(&[&gone[..], &gone[..3]].concat()), gone.len());
    assert_eq!(at_once.remove_colliders(&gone), 0);
    gone.iter().for_each(|id| assert!(one_by_one.remove_collider(*id).is_some()));
    for id in ids {
        let [here, there] = [&one_by_one, &at_once].map(|world| world.collider(id));
        assert_eq!(here, there);
    }
    run_for(&mut one_by_one, 1.0);
    run_for(&mut at_once, 1.0);
    assert_eq!(one_by_one.state_hash(), at_once.state_hash());
}

#[test]
fn handles_of_containers_do_so_as_well() {
    let mut world = filled();
    let (first, _) = world.containers().next().expect("one");
    let second = world.insert_container(wide_tank());
    let held = world.particles().len();
    assert_eq!(world.despawn_in_container(second), 0, "what is in both belongs to the first");
    assert_eq!(world.remove_container(first), Some(wide_tank()));
    assert_eq!((world.despawn_in_container(first), world.particles().len()), (0, held));
    let third = world.insert_container(wide_tank());
    assert!(third != first && world.containers().map(|(id, _)| id).eq([second, third]));
    assert!(!world.set_container(first, wide_tank()) && world.remove_container(first).is_none());
    assert_eq!(world.move_container(first, Vec2::ONE, Vec2::X), Ok(false));
    assert_eq!(world.set_container_motion(first, Motion::STILL), Ok(false));
    assert_eq!(world.despawn_in_container(second), held);
    world.clear_containers();
    assert!(world.container(second).is_none() && world.container(third).is_none());
}

#[test]
fn nonsense_is_refused_and_changes_nothing() {
    let mut world = filled();
    let id = world.insert_collider(post(0.0));
    let (jar, _) = world.containers().next().expect("one");
    let wild = Motion { velocity: Vec2::NAN, ..Motion::STILL };
    assert_eq!(world.move_collider(id, Vec2::NAN, Vec2::X).expect_err("refused").field, "centre");
    assert_eq!(world.move_collider(id, Vec2::ONE, Vec2::ZERO).expect_err("bad").field, "rotation");
    assert_eq!(world.set_collider_motion(id, wild).expect_err("refused").field, "velocity");
    assert_eq!(world.move_container(jar, Vec2::NAN, Vec2::X).expect_err("refused").field, "centre");
    assert_eq!(world.set_container_motion(jar, wild).expect_err("refused").field, "velocity");
    assert_eq!(world.collider(id), Some(&post(0.0)));
    assert_eq!(world.container(jar), Some(&wide_tank()));
}

#[test]
fn what_fades_in_goes_on_whatever_happens_to_others() {
    let mut world = filled();
    let before = world.insert_collider(post(-100.0));
    let fading = world.insert_collider(post(0.0));
    assert_eq!(world.collider_fade_in(fading), Some(0.0), "it stands in liquid");
    let (mut last, mut ticks) = (0.0, 0);
    let mut others = Vec::new();
    while last < 1.0 {
        run(&mut world, 1);
        let now = world.collider_fade_in(fading).expect("there");
        assert!(now > last, "{now} after {last}");
        others.push(world.insert_collider(post(120.0)));
        match ticks {
            0 => assert!(world.remove_collider(before).is_some()),
            1 => assert!(world.remove_collider(others[0]).is_some()),
            2 => assert_eq!(world.move_collider(others[1], Vec2::splat(50.0), Vec2::X), Ok(true)),
            // A collider that keeps its pose and its shape does not jump.
            3 => assert!(world.set_collider(fading, feeling(post(0.0)))),
            4 => assert_eq!(world.set_collider_motion(fading, Motion::STILL), Ok(true)),
            _ => {}
        }
        assert_eq!(world.collider_fade_in(fading), Some(now));
        (last, ticks) = (now, ticks + 1);
    }
    assert!(ticks > 4, "too quick to show anything");
    assert_eq!(world.move_collider(fading, Vec2::new(30.0, 0.0), Vec2::X), Ok(true));
    assert_eq!(world.collider_fade_in(fading), Some(0.0), "it jumped");
    assert_eq!(world.move_collider(fading, Vec2::new(0.0, 500.0), Vec2::X), Ok(true));
    assert_eq!(world.collider_fade_in(fading), Some(1.0), "where no liquid is");
}

#[test]
fn loads_stay_with_their_colliders() {
    let mut world = filled();
    let ids = [-100.0, 0.0, 100.0].map(|x| world.insert_collider(feeling(post(x))));
    run(&mut world, 60);
    let loads = ids.map(|id| world.load_on(id).expect("there"));
    assert!(loads.iter().all(|load| load.impulse.y > 0.0), "{loads:?}");
    let new = world.insert_collider(feeling(post(150.0)));
    assert_eq!(world.load_on(new), Some(Load::default()), "before its first tick");
    world.remove_collider(ids[0]);
    assert_eq!(ids.map(|id| world.load_on(id)), [None, Some(loads[1]), Some(loads[2])]);
    world.remove_collider(ids[2]);
    assert_eq!(world.load_on(ids[1]), Some(loads[1]));
    run(&mut world, 1);
    assert!(world.load_on(new).expect("there").impulse != Vec2::ZERO);
}

// Row 24 of docs/reliability.md.
#[test]
fn all_may_be_removed_between_any_two_passes() {
    let mut full = filled();
    full.insert_collider(feeling(post(-100.0)));
    let stirring = Motion { velocity: Vec2::new(20.0, 0.0), angular_velocity: 3.0 };
    full.insert_collider(feeling(post(0.0)).with_motion(stirring).expect("valid"));
    full.insert_collider(body(post(100.0).shape().clone(), post(100.0).centre(), 0.5));
    run(&mut full, 5);
    for before in 0..FluidPass::ALL.len() {
        for inserts in [false, true] {
            let mut world = full.clone();
            step_with(&mut world, |world, pass| {
                if pass == before {
                    world.clear_containers();
                    let ids: Vec<_> = world.colliders().map(|(id, _)| id).collect();
                    assert!(ids.into_iter().all(|id| world.remove_collider(id).is_some()));
                } else if pass == before + 1 && inserts {
                    world.insert_container(wide_tank());
                    world.insert_collider(feeling(post(20.0)));
                }
            });
            run(&mut world, 2);
            assert_eq!(world.colliders().len(), usize::from(inserts));
            assert_eq!(world.particles().len(), full.particles().len(), "before pass {before}");
            assert_finite(&world);
        }
    }
}

#[test]
fn one_by_one_or_anew_makes_no_difference_to_the_bits() {
    // A row of posts: some are removed, one moves, and one rotates.
    let turning = Motion { angular_velocity: 3.0, ..Motion::STILL };
    let mut one_by_one = filled();
    let ids: Vec<_> = (0..12).map(|x| one_by_one.insert_collider(post(30.0 * x as f32))).collect();
    for id in [ids[7], ids[0], ids[4]] {
        one_by_one.remove_collider(id);
    }
    one_by_one.move_collider(ids[3], Vec2::new(-90.0, -50.0), Vec2::X).expect("valid");
    one_by_one.set_collider_motion(ids[5], turning).expect("valid");
    let mut anew = filled();
    for (_, collider) in one_by_one.colliders() {
        anew.insert_collider(collider.clone());
    }
    run(&mut one_by_one, 60);
    run(&mut anew, 60);
    assert_eq!(one_by_one.state_hash(), anew.state_hash());
}

// Liquid comes to rest in corners of at most a right angle, whether the walls are one shape or several.

const HALF: f32 = 60.0;

/// Corners of a regular polygon with `count` corners, the distance of whose sides from the middle is `HALF`.
fn regular(count: u32) -> Vec<Vec2> {
    let radius = HALF / Vec2::from_angle(std::f32::consts::PI / count as f32).x;
    let angle = |number: u32| (number as f32 + 0.5) * std::f32::consts::TAU / count as f32;
    (0..count).map(|number| Vec2::from_angle(angle(number)) * radius).collect()
}

fn ring(count: u32) -> FluidShape {
    let mut corners = regular(count);
    corners.push(corners[0]);
    FluidShape::Polyline(Polyline::new(corners, 2.0).expect("valid"))
}

fn disc(count: u32) -> FluidShape {
    FluidShape::Polygon(Polygon::new(regular(count)).expect("valid"))
}

/// A cup with thick walls.
fn cup() -> FluidShape {
    let (outer, inner) = (HALF + 20.0, HALF);
    let corners = [
        (-outer, -outer),
        (outer, -outer),
        (outer, outer),
        (inner, outer),
        (inner, -inner),
        (-inner, -inner),
        (-inner, outer),
        (-outer, outer),
    ];
    FluidShape::Polygon(Polygon::new(corners.map(Vec2::from)).expect("valid"))
}

/// Root of the mean squared speed in a vessel, turned by an angle, that liquid fills up to a height, after 10 s.
fn unrest(vessel: FluidShape, inside: FluidShape, angle: f32, height: f32) -> f32 {
    let mut world = world_with(awake());
    let turned = Vec2::from_angle(angle);
    let options = ColliderOptions { inside_out: vessel == inside, ..ColliderOptions::default() };
    let vessel = Collider::new(vessel, Vec2::ZERO, turned);
    add_collider(&mut world, vessel.and_then(|vessel| vessel.with_options(options)));
    let inside = FluidRegion::new(inside, Vec2::ZERO, turned).expect("valid");
    Blob::new(inside, ClassId::MEDIUM).fill(world.liquid_mut()).expect("valid");
    world.despawn_where(|position, _| position.y > height);
    run(&mut world, 600);
    assert!(world.particles().len() > 100);
    rms_speed(&world)
}

#[test]
fn liquid_rests_in_the_corners_of_one_shape() {
    let square = || FluidShape::Rectangle { half_size: Vec2::splat(HALF) };
    let cases = [
        ("ring of lines", ring(4), disc(4), 0.0),
        ("tilted ring", ring(4), disc(4), 0.3),
        ("inside of a rectangle", square(), square(), 0.0),
        ("inside of a tilted rectangle", square(), square(), 0.3),
        ("inside of a triangle", disc(3), disc(3), 0.2),
        ("cup", cup(), square(), 0.0),
    ];
    let cases = cases.map(|(name, vessel, inside, angle)| (name, vessel, inside, angle, 0.5));
    let full = ("full ring of lines", ring(4), disc(4), 0.0, 1.0);
    for (name, vessel, inside, angle, height) in cases.into_iter().chain([full]) {
        let found = unrest(vessel, inside, angle, height * HALF);
        println!("{name}: {found}");
        assert!(found < 1.0, "{name}: {found} units/s");
    }
}
