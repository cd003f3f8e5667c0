//! The same ticks give the same bits.

use std::collections::BTreeSet;
use std::path::Path;

use blob_fluid::scene::Scene;
use blob_fluid::shape::{fermat_spiral, scatter};
use blob_fluid::*;
use glam::Vec2;

use crate::pools::{
    add_container, add_tank_from_origin, cells, change_parameters, fastest, in_tank, moving, pour,
    pour_mixed, spawn, spawn_all, step_with, ticks_until_asleep, top_speed, world_with,
};
use crate::ticks::{TICK, run, run_by, same_on_threads};

fn scene() -> Scene {
    let text = include_str!("../../../../assets/scenes/stratification.scene.ron");
    Scene::from_ron(text).expect("a valid scene")
}

fn hash_by(executor: &dyn Executor, ticks: u32) -> u64 {
    let scene = scene();
    let mut world = scene.build().expect("a valid scene");
    for _ in 0..ticks {
        world.step(scene.time_step(), executor).expect("valid");
    }
    world.state_hash()
}

// Row 29 of docs/reliability.md.
#[test]
fn any_number_of_threads_gives_the_same_bits() {
    // On a failure, a pass reads what another chunk writes, or sums in another order.
    same_on_threads([1, 2, 4, 16], |executor| hash_by(executor, 600));
}

/// Runs the tasks from last to first, as a pool of threads might do in the worst case.
struct Backwards;

impl Executor for Backwards {
    fn for_each_task(&self, tasks: usize, work: &(dyn Fn(usize) + Sync)) {
        (0..tasks).rev().for_each(work);
    }
}

/// Several thousand particles of all kinds of matter, which meet, react, come and go.
fn kinds_of_matter() -> Scene {
    let text = r#"(
        materials: ["glass", "honey", "jelly", "lava", "mud", "sand", "slime", "steam", "stone", "water"],
        containers: [(shape: Rectangle(half_size: (300, 200)), centre: (0, 200))],
        blocks: [
            (fill: Filled(shape: Rectangle(half_size: (140, 40))), centre: (-155, 45), class: "water"),
            (fill: Filled(shape: Rectangle(half_size: (60, 40))), centre: (-60, 130), class: "slime"),
            (fill: Filled(shape: Rectangle(half_size: (50, 40))), centre: (-180, 130), class: "mud"),
            (fill: Filled(shape: Rectangle(half_size: (60, 40))), centre: (60, 130), class: "honey"),
            (fill: Filled(shape: Rectangle(half_size: (140, 40))), centre: (150, 45), class: "sand"),
            (fill: Filled(shape: Rectangle(half_size: (50, 40))), centre: (180, 130), class: "jelly"),
        ],
    )"#;
    let mut scene = Scene::from_ron(text).expect("a valid scene");
    let folder = Path::new("../../assets/scenes/any.scene.ron");
    scene.read_materials(folder).expect("valid materials");
    scene
}

#[test]
fn all_kinds_of_matter_have_the_same_bits_by_any_executor() {
    let scene = kinds_of_matter();
    let run = |executor: &dyn Executor| {
        let mut world = scene.build().expect("a valid scene");
        let poured = ["lava", "slime"].map(|name| world.classes().find(name).expect("a class"));
        for tick in 0..150 {
            // In every third tick a row of lava and one of slime fall in, and one particle goes in each.
            let rows = poured.into_iter().zip([-100.0, 100.0]);
            for (class, x) in rows.filter(|_| tick % 3 == 0) {
                let row = (0..5_u8).map(|place| Vec2::new(x + 8.0 * f32::from(place), 380.0));
                let falling = |at| ParticleSpawn { class, ..moving(at, Vec2::new(0.0, -160.0)) };
                spawn_all(&mut world, row.map(falling));
            }
            let gone = world.particles().ids()[tick * 7];
            world.despawn(gone);
            world.step(scene.time_step(), executor).expect("valid");
        }
        world
    };
    let result = |executor: &dyn Executor| {
        let world = run(executor);
        let stones = world.classes().find("stone").expect("it is in the scene");
        assert!(world.particles().classes().contains(&stones), "lava has met water");
        assert!(world.springs().len() > 5000, "{} springs", world.springs().len());
        (world.deep_hash(), world.springs().to_vec())
    };
    assert_eq!(same_on_threads([2, 16], result), result(&Backwards));
}

#[test]
fn the_order_of_the_tasks_makes_no_difference() {
    assert_eq!(
        hash_by(&Backwards, 120),
        hash_by(&SerialExecutor, 120),
        "a task reads what another has written: passes must read frozen data only"
    );
}

#[test]
fn so_many_particles_that_sorting_is_divided_give_the_same_bits() {
    let spacing = FluidParameters::default().particle_spacing;
    let mut start = in_tank(Vec2::ZERO, Vec2::new(110.0, 60.0) * spacing);
    for index in 0..20_000 {
        // The particles are in random order, so that every chunk has particles for every bucket.
        let number = index * 7919 % 20_000;
        let point = Vec2::new((number % 200) as f32, (number / 200) as f32) - Vec2::new(99.5, 49.5);
        let position = point * spacing;
        let class = ClassId((index % 3) as u8);
        start.spawn(ParticleSpawn { position, class, ..Default::default() }).expect("valid");
    }
    let hash = |executor: &dyn Executor| {
        let mut world = start.clone();
        run_by(executor, &mut world, 4);
        world.state_hash()
    };
    assert_eq!(same_on_threads([2, 3, 16], hash), hash(&Backwards));
}

#[test]
fn the_hash_sees_every_particle_and_every_number() {
    let spawns: Vec<ParticleSpawn> = (0..50)
        .map(|index| ParticleSpawn {
            position: Vec2::new(index as f32, -3.0),
            velocity: Vec2::new(1.0, index as f32),
            class: ClassId((index % 3) as u8),
            ..ParticleSpawn::default()
        })
        .collect();
    let hash = |spawns: &[ParticleSpawn]| {
        let mut world = FluidWorld::default();
        for spawn in spawns {
            world.spawn(*spawn).expect("valid");
        }
        world.state_hash()
    };
    let original = hash(&spawns);
    assert_eq!(original, hash(&spawns));
    let next = |value: &mut f32| *value = f32::from_bits(value.to_bits() ^ 1);
    for index in [0, 17, 49] {
        let changes: [&dyn Fn(&mut ParticleSpawn); 5] = [
            &|spawn| next(&mut spawn.position.x),
            &|spawn| next(&mut spawn.position.y),
            &|spawn| next(&mut spawn.velocity.x),
            &|spawn| next(&mut spawn.velocity.y),
            &|spawn| spawn.class = ClassId((spawn.class.0 + 1) % 3),
        ];
        for change in changes {
            let mut changed = spawns.clone();
            change(&mut changed[index]);
            assert_ne!(hash(&changed), original, "{:?}", changed[index]);
        }
    }
}

/// The state of the main scene after 300 ticks, on every machine and at every optimisation level.
const GOLDEN: u64 = 0x03d3_960d_e951_b6aa;

// Row 29 of docs/reliability.md.
#[test]
fn every_machine_gives_the_same_bits() {
    let hash = hash_by(&SerialExecutor, 300);
    assert_eq!(
        hash, GOLDEN,
        "the simulation changed: {hash:#018x}. If that was the intention and the lab still meets its \
         bars, put the new number here; if not, look for a function or an order of sums that \
         differs between platforms"
    );
}

#[test]
fn passes_called_by_hand_give_the_bits_of_the_step() {
    let mut scene = scene();
    scene.parameters.substeps = Substeps::Fixed(2);
    let mut stepped = scene.build().expect("a valid scene");
    let mut by_hand = stepped.clone();
    for tick in 0..30 {
        let report = stepped.step(scene.time_step(), &SerialExecutor).expect("valid");
        assert!(report.substeps > 1, "the order of substeps is part of what is tested");
        tick_by_hand(&mut by_hand, scene.time_step());
        assert_eq!(by_hand.state_hash(), stepped.state_hash(), "tick {tick}: another order");
    }
    assert_eq!(by_hand.time(), stepped.time());
}

#[test]
fn a_tick_of_two_substeps_is_two_ticks_of_one() {
    // This is exact only where halving the time step is exact: at a power of two.
    let tick = 1.0 / 64.0;
    let world = |substeps| {
        let mut world = world_with(FluidParameters { substeps, ..FluidParameters::default() });
        add_container(&mut world, Container::circle(Vec2::ZERO, 100.0));
        pour_mixed(&mut world, fermat_spiral(Vec2::ZERO, 90.0, 400));
        world
    };
    let (mut whole, mut halves) = (world(Substeps::Fixed(2)), world(Substeps::Fixed(1)));
    for _ in 0..60 {
        whole.step(tick, &SerialExecutor).expect("valid");
        for _ in 0..2 {
            halves.step(0.5 * tick, &SerialExecutor).expect("valid");
        }
    }
    // Both sort once between substeps: before the viscosity, or at the end of a tick.
    assert_eq!(whole.state_hash(), halves.state_hash());
}

fn tick_by_hand(world: &mut FluidWorld, time_step: f32) {
    let report = world.begin_tick(time_step, &SerialExecutor).expect("valid");
    for _ in 0..report.substeps {
        for pass in FluidPass::ALL {
            world.run_pass(pass, &SerialExecutor);
        }
    }
    world.end_tick(report, &SerialExecutor);
}

// A liquid is its state: what a solver derives from it can be thrown away, and a solver can be changed.

/// A scene that moves, one with springs, one with heat and reactions, one that falls asleep.
const SCENES: [(&str, &str); 4] = [
    ("stratification", include_str!("../../../../assets/scenes/stratification.scene.ron")),
    ("jelly", include_str!("../../../../assets/scenes/jelly.scene.ron")),
    ("free_blob", include_str!("../../../../assets/scenes/free_blob.scene.ron")),
    ("dam_break", include_str!("../../../../assets/scenes/dam_break.scene.ron")),
];

fn world_of(text: &str, solver: FluidSolver) -> (FluidWorld, f32) {
    let scene = Scene::from_ron(text).expect("a valid scene");
    let mut world = scene.start(&SerialExecutor).expect("a valid scene");
    change_parameters(&mut world, |parameters| parameters.solver = solver);
    (world, scene.time_step())
}

#[test]
fn the_workspace_can_be_thrown_away_between_any_two_ticks() {
    for solver in FluidSolver::ALL {
        for (name, text) in SCENES {
            let (mut kept, tick) = world_of(text, solver);
            let mut thrown_away = kept.clone();
            for number in 0..40 {
                let report = kept.step(tick, &SerialExecutor).expect("valid");
                thrown_away = FluidWorld::from(thrown_away.liquid().clone());
                let other = thrown_away.step(tick, &SerialExecutor).expect("valid");
                assert_eq!(other, report, "{name}, {solver:?}, tick {number}");
                assert_eq!(
                    thrown_away.state_hash(),
                    kept.state_hash(),
                    "{name}, {solver:?}, tick {number}: a workspace held what belongs to the liquid"
                );
                assert_eq!(thrown_away.springs(), kept.springs(), "{name}, {solver:?}");
            }
        }
    }
}

#[test]
fn a_liquid_that_sleeps_does_so_without_a_workspace() {
    let mut text = String::from("(duration: 60, parameters: (sleeping: (after: 0.1, drift: 1)), ");
    text += "containers: [(shape: Rectangle(half_size: (60, 60)))], ";
    text += "blocks: [(fill: Filled(shape: Rectangle(half_size: (58, 30))), centre: (0, -28))])";
    let (mut kept, tick) = world_of(&text, FluidSolver::DoubleDensity);
    let mut thrown_away = kept.clone();
    let mut slept = 0;
    for number in 0..900 {
        if number == 700 {
            for world in [&mut kept, &mut thrown_away] {
                let id = world.particles().ids()[0];
                assert!(world.despawn(id));
            }
        }
        let report = kept.step(tick, &SerialExecutor).expect("valid");
        thrown_away = FluidWorld::from(thrown_away.liquid().clone());
        assert_eq!(thrown_away.step(tick, &SerialExecutor).expect("valid"), report, "{number}");
        assert_eq!(thrown_away.state_hash(), kept.state_hash(), "tick {number}");
        slept += u32::from(report.substeps == 0);
    }
    assert!(slept > 100, "only {slept} ticks asleep");
}

#[test]
fn a_snapshot_goes_on_as_the_liquid_did() {
    let (mut world, tick) = world_of(SCENES[1].1, FluidSolver::DoubleDensity);
    for _ in 0..20 {
        world.step(tick, &SerialExecutor).expect("valid");
    }
    let snapshot = world.liquid().clone();
    let mut hashes = Vec::new();
    for _ in 0..20 {
        world.step(tick, &SerialExecutor).expect("valid");
        hashes.push(world.state_hash());
    }
    // Back to it, in a world that has gone on meanwhile.
    *world.liquid_mut() = snapshot;
    for hash in hashes {
        world.step(tick, &SerialExecutor).expect("valid");
        assert_eq!(world.state_hash(), hash);
    }
}

// What passes of a host's own find: pairs of neighbours, and velocities that wake only a region.

fn cloud() -> FluidWorld {
    let mut world = FluidWorld::default();
    let places = (0..).zip(fermat_spiral(Vec2::ZERO, 90.0, 500));
    pour(&mut world, places.map(|(index, centre)| centre + scatter(index) * 4.0));
    world
}

/// Every pair, found by trying all.
fn by_brute_force(world: &FluidWorld) -> BTreeSet<(usize, usize)> {
    let positions = world.particles().positions();
    let radius = world.parameters().interaction_radius();
    let near = |a: usize, b: usize| positions[a].distance_squared(positions[b]) < radius * radius;
    let pairs = (0..positions.len()).flat_map(|a| (a + 1..positions.len()).map(move |b| (a, b)));
    pairs.filter(|(a, b)| near(*a, *b)).collect()
}

#[test]
fn every_pair_is_visited_once() {
    let mut world = cloud();
    let radius = world.parameters().interaction_radius();
    let mut found = Vec::new();
    world.pairs(&SerialExecutor).for_each(|pair| found.push(pair));
    let set: BTreeSet<_> = found.iter().map(|pair| (pair.a, pair.b)).collect();
    assert_eq!(set.len(), found.len());
    assert_eq!(set, by_brute_force(&world));
    let positions = world.particles().positions();
    for Pair { a, b, offset, distance, weight } in found {
        assert_eq!(offset, positions[b] - positions[a]);
        assert!((distance - offset.length()).abs() <= f32::EPSILON * distance);
        assert!((weight - (1.0 - distance / radius)).abs() < 1e-6);
    }
}

#[test]
fn sorting_between_ticks_takes_densities_along() {
    for sleeping in [FluidSleeping::OFF, FluidSleeping::default()] {
        let mut world = cloud();
        let parameters = FluidParameters { sleeping, pressure_memory: 0.0, ..Default::default() };
        world.set_parameters(parameters).expect("valid");
        run(&mut world, 3);
        // The last ones take the places of those that go, far from their cells.
        world.despawn_where(|position, _| position.x < 0.0);
        let densities = |world: &FluidWorld| -> Vec<f32> {
            let all = world.particles();
            all.indices_by_slot().map(|index| all.relative_densities()[index]).collect()
        };
        let before = densities(&world);
        world.pairs(&SerialExecutor);
        assert_eq!(densities(&world), before);
    }
}

#[test]
fn the_pairs_of_one_particle_are_those_that_it_is_in() {
    let mut world = cloud();
    let pairs = world.pairs(&SerialExecutor);
    for index in [0, 17, 250, 499] {
        let mut others = BTreeSet::new();
        pairs.for_each_of(index, |pair| {
            assert_eq!(pair.a, index);
            assert!(others.insert(pair.b));
        });
        let mut expected = BTreeSet::new();
        pairs.for_each(|pair| {
            if pair.a == index || pair.b == index {
                expected.insert(pair.a + pair.b - index);
            }
        });
        assert_eq!(others, expected);
    }
}

#[test]
fn pairs_are_those_of_the_present_positions_between_any_two_passes() {
    let mut world = cloud();
    step_with(&mut world, |world, pass| {
        let mut found = BTreeSet::new();
        world.pairs(&SerialExecutor).for_each(|pair| {
            found.insert((pair.a, pair.b));
        });
        assert_eq!(found, by_brute_force(world), "before pass {pass}");
    });
}

/// A wide shallow pool, asleep.
fn asleep() -> FluidWorld {
    let settling = Settling { drag: 2.0, ..Settling::default() };
    let still = FluidParameters { settling, ..FluidParameters::default() };
    let mut world = world_with(still);
    let spacing = still.particle_spacing;
    add_tank_from_origin(&mut world, Vec2::new(80.0, 20.0) * spacing);
    pour(&mut world, cells(160, 8).map(|cell| cell * spacing));
    ticks_until_asleep(&mut world, 3000);
    world
}

/// The left end of the pool.
fn left(world: &FluidWorld) -> FluidBounds {
    let spacing = world.parameters().particle_spacing;
    FluidBounds { low: Vec2::ZERO, high: Vec2::new(10.0, 20.0) * spacing }
}

#[test]
fn velocities_that_stay_the_same_wake_nothing() {
    let mut world = asleep();
    let bounds = left(&world);
    let mut seen = 0;
    let changed = world.change_velocities_in(bounds, |particle| {
        seen += 1;
        *particle.velocity *= 2.0;
    });
    assert!(seen > 50, "{seen}");
    assert_eq!(changed, 0, "what sleeps has no velocity");
    assert_eq!(world.step(TICK, &SerialExecutor).expect("valid").substeps, 0);
}

#[test]
fn a_push_between_ticks_wakes_only_its_region() {
    let mut world = asleep();
    let bounds = left(&world);
    let pushed = world.change_velocities_in(bounds, |particle| particle.velocity.y += 40.0);
    assert!(pushed > 50);
    let report = world.step(TICK, &SerialExecutor).expect("valid");
    assert!(report.substeps > 0);
    assert!(2 * report.asleep > world.particles().len(), "{} sleep", report.asleep);
    assert!(top_speed(&world) > 20.0, "{}", top_speed(&world));
}

#[test]
fn a_push_between_passes_wakes_only_its_region() {
    let mut world = asleep();
    // Something at the right end keeps the substeps running.
    let spacing = world.parameters().particle_spacing;
    spawn(&mut world, moving(Vec2::new(150.0, 12.0) * spacing, Vec2::new(0.0, -50.0)));
    let bounds = left(&world);
    let report = step_with(&mut world, |world, pass| {
        if FluidPass::ALL.get(pass) == Some(&FluidPass::ApplyForces) {
            let pushed = world.change_velocities_in(bounds, |particle| particle.velocity.y += 40.0);
            assert!(pushed > 50);
        }
    });
    assert!(report.substeps > 0);
    assert!(2 * report.asleep > world.particles().len(), "{} sleep", report.asleep);
    let fastest = fastest(&world, |at| bounds.contains(at));
    assert!(fastest > 20.0, "{fastest}: what was pushed lost its velocity");
    // The next tick goes on with both, and the middle sleeps.
    let report = world.step(TICK, &SerialExecutor).expect("valid");
    assert!(3 * report.asleep > world.particles().len(), "{} sleep", report.asleep);
}

/// Runs ticks in which a host gets all particles in front of every pass, and returns how many sleep
/// in the end.
fn run_with_access(world: &mut FluidWorld, ticks: u32, host: impl Fn(&mut FluidWorld)) -> usize {
    let mut asleep = 0;
    for _ in 0..ticks {
        let report = world.begin_tick(TICK, &SerialExecutor).expect("valid");
        for _ in 0..report.substeps {
            for pass in FluidPass::ALL {
                host(world);
                world.run_pass(pass, &SerialExecutor);
            }
            host(world);
        }
        asleep = world.end_tick(report, &SerialExecutor).asleep;
    }
    asleep
}

#[test]
fn access_that_changes_nothing_wakes_nothing() {
    let mut world = asleep();
    let bounds = left(&world);
    world.change_velocities_in(bounds, |particle| particle.velocity.y += 40.0);
    let mut untouched = world.clone();
    let nothing = |world: &mut FluidWorld| _ = world.particles_mut().velocities_mut().len();
    let some = run_with_access(&mut world, 3, nothing);
    assert!(some > 0, "most of the pool slept on");
    assert_eq!(some, run_with_access(&mut untouched, 3, |_| ()));
    let end = run_with_access(&mut world, 3600, nothing);
    assert_eq!(end, world.particles().len(), "it fell asleep again");
    run_with_access(&mut untouched, 3600, |_| ());
    assert_eq!(world.state_hash(), untouched.state_hash());
}

#[test]
fn changes_in_a_tick_wake_all() {
    let pushes: [fn(&mut FluidWorld); 3] = [
        |world| world.particles_mut().velocities_mut()[0].y += 5.0,
        |world| world.particles_mut().displace(0, Vec2::Y),
        |world| world.particles_mut().split().temperatures[0] += 1.0,
    ];
    for (number, push) in pushes.into_iter().enumerate() {
        let mut world = asleep();
        let bounds = left(&world);
        world.change_velocities_in(bounds, |particle| particle.velocity.y += 40.0);
        assert_eq!(run_with_access(&mut world, 1, push), 0, "change {number}");
    }
}
