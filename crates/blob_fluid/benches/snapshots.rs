//! Time to keep a pool in memory and to restore it, to write and to read it as bytes, and of eight ticks
//! after a restore; how many bytes a particle takes; and what it costs to record a tick.

mod pool;

use std::hint::black_box;
use std::time::{Duration, Instant};

use blob_fluid::{Collider, FluidRecorder, FluidWorld, KeptState, ParticleSpawn, SerialExecutor};
use glam::Vec2;

use pool::{FRAME, SIZES, settled_pool};

/// Ticks that rollback of a game on the net computes again at most.
const TICKS: u32 = 8;

/// The least time of several runs: others only make it longer.
fn least(mut run: impl FnMut()) -> Duration {
    let rounds = if cfg!(debug_assertions) { 1 } else { 40 };
    let time = |_| {
        let begin = Instant::now();
        run();
        begin.elapsed()
    };
    (0..rounds).map(time).min().unwrap_or_default()
}

/// A change of the world before each tick.
type Change = fn(&mut FluidWorld, u32);

const CHANGES: [(&str, Change); 4] = [
    ("nothing changes", |_, _| ()),
    ("a collider moves", |world, tick| {
        let (id, _) = world.colliders().next().expect("there");
        let centre = Vec2::new(0.1 * tick as f32, 4000.0);
        world.move_collider(id, centre, Vec2::X).expect("valid");
    }),
    ("a tap and a drain", |world, tick| {
        for x in 0..3 {
            let position = Vec2::new(9.0 * x as f32, 2000.0 + 20.0 * tick as f32);
            world.spawn(ParticleSpawn { position, ..Default::default() }).expect("room");
        }
        world.despawn(world.particles().ids()[500]);
    }),
    ("all velocities change", |world, _| {
        world.particles_mut().velocities_mut().iter_mut().for_each(|velocity| velocity.x += 0.1);
    }),
];

/// Prints the time before and after each recorded tick, and its bytes.
fn record(pool: &FluidWorld) {
    for (name, change) in CHANGES {
        let mut world = pool.clone();
        world.insert_collider(Collider::circle(Vec2::new(0.0, 4000.0), 20.0).expect("valid"));
        world.step(FRAME, &SerialExecutor).expect("valid");
        let mut recorder = FluidRecorder::new(&world).expect("between ticks");
        let length = |recorder: &FluidRecorder| recorder.recording().to_bytes().len();
        let begin = length(&recorder);
        let ticks = if cfg!(debug_assertions) { 1 } else { 40 };
        let mut times = [Duration::MAX; 3];
        for tick in 0..ticks {
            change(&mut world, tick);
            let begin = Instant::now();
            recorder.before_tick(&world, FRAME).expect("between ticks");
            let before = begin.elapsed();
            world.step(FRAME, &SerialExecutor).expect("valid");
            let stepped = begin.elapsed();
            recorder.after_tick(&world).expect("between ticks");
            let after = begin.elapsed();
            let new = [before, stepped - before, after - stepped];
            times = std::array::from_fn(|part| times[part].min(new[part]));
        }
        let [before, tick, after] = times;
        let bytes = (length(&recorder) - begin) / ticks as usize;
        println!(
            "    recorded, {name}: {before:.0?} before and {after:.0?} after a tick of {tick:.0?}; \
             {bytes} bytes a tick"
        );
    }
}

fn main() {
    let (few, many) = if cfg!(debug_assertions) { (0, 1) } else { (1, SIZES.len()) };
    for size in &SIZES[few..many] {
        let mut world = settled_pool(*size);
        let mut kept = KeptState::default();
        let memory =
            allocation_counter::measure(|| world.keep_in(&mut kept).expect("between ticks"));
        let keep = least(|| world.keep_in(&mut kept).expect("between ticks"));
        let restore = least(|| world.restore_from(black_box(&kept)));
        let bytes = world.to_bytes().expect("between ticks");
        let write = least(|| drop(black_box(world.to_bytes())));
        let read = least(|| drop(black_box(FluidWorld::from_bytes(&bytes))));
        let hash = least(|| _ = black_box(world.deep_hash()));
        let again = least(|| {
            world.restore_from(&kept);
            for _ in 0..TICKS {
                world.step(FRAME, &SerialExecutor).expect("valid");
            }
        });
        let each = |bytes: f64| bytes / world.particles().len() as f64;
        println!(
            "pool of {size}: keep {keep:.0?}, restore {restore:.0?}, {TICKS} ticks again {again:.2?}; \
             write {write:.0?}, read {read:.0?}, deep hash {hash:.0?}; {:.1} bytes a particle in memory, \
             {:.1} in a file",
            each(memory.bytes_current as f64),
            each(bytes.len() as f64),
        );
        record(&world);
    }
}
