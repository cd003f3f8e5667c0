//! The same ticks give the same bits.

use std::path::Path;

use blob_fluid::scene::Scene;
use blob_fluid::{
    ClassId, Container, Executor, FluidParameters, FluidPass, FluidWorld, ParticleSpawn,
    RayonExecutor, SerialExecutor, Substeps,
};
use glam::Vec2;

use crate::pools::in_tank;

fn scene() -> Scene {
    let text = include_str!("../../../../assets/scenes/stratification.scene.ron");
    Scene::from_ron(text).expect("a valid scene")
}

fn hash_with(threads: usize, ticks: u32) -> u64 {
    if threads == 0 {
        hash_by(&SerialExecutor, ticks)
    } else {
        hash_by(&RayonExecutor::new(threads).expect("threads"), ticks)
    }
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
    let serial = hash_with(0, 600);
    for threads in [1, 2, 4, 16] {
        assert_eq!(
            hash_with(threads, 600),
            serial,
            "{threads} threads: a pass reads what another chunk writes, or sums in another order"
        );
    }
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
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/scenes/any.scene.ron");
    scene.read_materials(&folder).expect("valid materials");
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
                for place in 0..5_u8 {
                    let position = Vec2::new(x + 8.0 * f32::from(place), 380.0);
                    let velocity = Vec2::new(0.0, -160.0);
                    let poured = ParticleSpawn { position, velocity, class, ..Default::default() };
                    world.spawn(poured).expect("valid");
                }
            }
            let gone = world.particles().ids()[tick * 7];
            world.despawn(gone);
            world.step(scene.time_step(), executor).expect("valid");
        }
        world
    };
    let serial = run(&SerialExecutor);
    let stones = serial.classes().find("stone").expect("it is in the scene");
    assert!(serial.particles().classes().contains(&stones), "lava has met water");
    assert!(serial.springs().len() > 5000, "{} springs", serial.springs().len());
    let threads = [2, 16].map(|threads| RayonExecutor::new(threads).expect("threads"));
    let others = threads.iter().map(|threads| threads as &dyn Executor);
    for other in others.chain([&Backwards as &dyn Executor]) {
        let other = run(other);
        assert_eq!(other.springs(), serial.springs());
        assert_eq!(other.deep_hash(), serial.deep_hash());
    }
}

#[test]
fn the_order_of_the_tasks_makes_no_difference() {
    assert_eq!(
        hash_by(&Backwards, 120),
        hash_with(0, 120),
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
    fn after(world: &FluidWorld, executor: &dyn Executor) -> u64 {
        let mut world = world.clone();
        for _ in 0..4 {
            world.step(1.0 / 60.0, executor).expect("valid");
        }
        world.state_hash()
    }
    let serial = after(&start, &SerialExecutor);
    assert_eq!(after(&start, &Backwards), serial);
    for threads in [2, 3, 16] {
        let threads = RayonExecutor::new(threads).expect("threads");
        assert_eq!(after(&start, &threads), serial);
    }
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
const GOLDEN: u64 = 0xe5a5_a83c_cbfe_9458;

// Row 29 of docs/reliability.md.
#[test]
fn every_machine_gives_the_same_bits() {
    let hash = hash_with(0, 300);
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
        let parameters = FluidParameters { substeps, ..FluidParameters::default() };
        let mut world = FluidWorld::new(parameters).expect("valid");
        world.insert_container(Container::circle(Vec2::ZERO, 100.0).expect("valid"));
        for (index, position) in
            blob_fluid::shape::fermat_spiral(Vec2::ZERO, 90.0, 400).into_iter().enumerate()
        {
            let class = ClassId((index % 3) as u8);
            world.spawn(ParticleSpawn { position, class, ..Default::default() }).expect("valid");
        }
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
