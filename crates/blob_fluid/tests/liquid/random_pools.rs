//! Pools with random settings do not boil with what their particles keep of pressure where they do not without.
//!
//! `BLOB_FLUID_RANDOM_POOLS` sets how many pools are tried.

use blob_fluid::ranges::Settings;
use blob_fluid::{
    ClassId, ClassTable, Container, DensityClass, FluidParameters, FluidWorld, ParticleSpawn,
    SerialExecutor, Substeps, WallProperties,
};
use glam::Vec2;

use crate::random_scenes::Random;

/// Number of pools by default.
const POOLS: u64 = 8;
/// Particles in a row.
const COLUMNS: usize = 14;
/// Seconds that a pool has to come to rest in, and seconds for which its speed is measured after them.
const SECONDS: (f32, f32) = (30.0, 2.0);
/// Speed from which on a pool boils, in V0. Below it, half of the pools with extreme settings simmer, with memory or without.
const BOIL: f32 = 0.15;

#[derive(Debug)]
struct Pool {
    parameters: FluidParameters,
    rows: usize,
    masses: [f32; 2],
    friction: f32,
    tick: f32,
}

fn draw(seed: u64) -> Pool {
    let mut random = Random::new(seed, "pool");
    let mut parameters = FluidParameters {
        radius_ratio: random.between(FluidParameters::row("radius_ratio").limits.least, 5.0),
        near_share: random.between(0.0, 1.0),
        near_stiffness_ratio: random.between(0.0, 8.0),
        stiffness: random.magnitude(0.01, 30.0),
        ..FluidParameters::default()
    };
    if random.chance(0.2) {
        parameters.substeps = Substeps::Fixed(1 + random.below(3) as u32);
    }
    Pool {
        parameters,
        rows: 6 + random.below(44),
        masses: [1.0, if random.chance(0.5) { 1.0 } else { random.magnitude(0.1, 10.0) }],
        friction: random.between(0.0, 1.0),
        tick: 1.0 / random.between(30.0, 144.0),
    }
}

/// Root of the mean square of the speeds in the last seconds, in V0.
fn speed(pool: &Pool, memory: f32) -> f32 {
    let parameters = FluidParameters { pressure_memory: memory, ..pool.parameters };
    let mut world = FluidWorld::new(parameters).expect("valid");
    let class = |mass| DensityClass { mass, ..Default::default() };
    let classes = pool.masses.into_iter().map(class).collect();
    world.set_classes(ClassTable::new(classes).expect("valid")).expect("valid");
    let spacing = parameters.particle_spacing;
    let half_size = 0.5 * spacing * Vec2::new(COLUMNS as f32, 2.0 * pool.rows as f32);
    let wall = WallProperties { friction: Some(pool.friction), ..Default::default() };
    let container = Container::rectangle(half_size, half_size).expect("valid");
    world.insert_container(container.with_wall(wall).expect("valid"));
    for row in 0..pool.rows {
        for column in 0..COLUMNS {
            let position = spacing * (Vec2::new(column as f32, row as f32) + 0.5);
            // Two layers, the heavier one below.
            let is_below = row < pool.rows / 2;
            let class = ClassId(u8::from(is_below != (pool.masses[0] > pool.masses[1])));
            world.spawn(ParticleSpawn { position, class, ..Default::default() }).expect("room");
        }
    }
    let (settle, measure) = SECONDS;
    let (mut squares, mut count) = (0.0_f64, 0_u32);
    for tick in 0..((settle + measure) / pool.tick) as u32 {
        world.step(pool.tick, &SerialExecutor).expect("valid");
        if tick as f32 * pool.tick >= settle {
            squares += world
                .particles()
                .velocities()
                .iter()
                .map(|velocity| f64::from(velocity.length_squared()))
                .sum::<f64>();
            count += world.particles().len() as u32;
        }
    }
    let unit = (parameters.reference_acceleration * spacing).sqrt();
    (squares / f64::from(count)).sqrt() as f32 / unit
}

#[test]
fn no_pool_boils_that_does_not_boil_without_memory() {
    let pools = std::env::var("BLOB_FLUID_RANDOM_POOLS")
        .map_or(POOLS, |count| count.parse().expect("a number"));
    // Pools that boil with memory only, of one liquid and of two; and those that boil without it only.
    let mut only_kept = [Vec::new(), Vec::new()];
    let mut only_plain = [0_usize, 0];
    for seed in 0..pools {
        let pool = draw(seed);
        let kinds = usize::from(pool.masses[0] != pool.masses[1]);
        let [kept, plain] =
            [pool.parameters.pressure_memory, 0.0].map(|memory| speed(&pool, memory));
        if plain < BOIL && kept >= BOIL.max(1.5 * plain) {
            println!("seed {seed}: {kept:.4} and {plain:.4} V0: {pool:?}");
            only_kept[kinds].push(seed);
        } else if kept < BOIL && plain >= BOIL.max(1.5 * kept) {
            only_plain[kinds] += 1;
        }
    }
    println!("of {pools} pools {only_kept:?} boil with it only, {only_plain:?} without it only");
    let [one_liquid, two_liquids] = only_kept;
    assert!(one_liquid.is_empty(), "{one_liquid:?}");
    // Whether the last drops still sort themselves is chance: neither has more of that, within two standard deviations.
    let chance = 2.0 * ((two_liquids.len() + only_plain[1]) as f64).sqrt();
    assert!(two_liquids.len() as f64 <= only_plain[1] as f64 + chance, "{two_liquids:?}");
}
