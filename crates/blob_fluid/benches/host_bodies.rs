//! What a hundred floating bodies of a physics engine add to a frame of 30,000 particles, beside as
//! many colliders that stand still at the same places, and beside the pool alone:
//! `cargo bench -p blob_fluid --bench host_bodies`.

use std::time::{Duration, Instant};

use blob_fluid::{
    Attachment, Collider, ColliderOptions, FluidShape, FluidSleeping, FluidWorld, HostBody,
    HostBodyId, Motion, Pose, SerialExecutor,
};
use glam::Vec2;

mod pool;

use pool::{FRAME, settled_pool};

const BODIES: usize = 100;

/// The body of the host's own physics: a box in free fall but for the liquid.
struct Floating {
    id: HostBodyId,
    pose: Pose,
    motion: Motion,
}

/// Half size of a box, in particle spacings.
const HALF: Vec2 = Vec2::new(1.75, 1.25);

/// Inserts boxes of half the liquid's density side by side at the surface; with `hosts`, host bodies
/// that carry them.
fn insert(world: &mut FluidWorld, hosts: bool) -> Vec<Floating> {
    let spacing = world.parameters().particle_spacing;
    let half_size = HALF * spacing;
    let positions = world.particles().positions();
    let most = |axis: fn(&Vec2) -> f32| positions.iter().map(axis).fold(0.0, f32::max);
    let (width, top) = (most(|position| position.x), most(|position| position.y));
    let mass = 0.5 * 4.0 * HALF.x * HALF.y;
    let inertia = mass * half_size.length_squared() / 3.0;
    let at = |index: usize| Vec2::new(width * (index as f32 + 0.5) / BODIES as f32, top);
    let centres: Vec<Vec2> = (0..BODIES).map(at).collect();
    let reach = half_size + 0.4 * spacing;
    let covered = |position: Vec2, centre: &Vec2| (position - *centre).abs().cmplt(reach).all();
    world.despawn_where(|position, _| centres.iter().any(|centre| covered(position, centre)));
    let mut floating = Vec::new();
    for centre in centres {
        let mut options = ColliderOptions::default();
        if hosts {
            let body = HostBody {
                inverse_mass: Vec2::splat(1.0 / mass),
                inverse_inertia: 1.0 / inertia,
                ..HostBody::at(Pose::from_translation(centre))
            };
            let id = world.insert_host_body(body).expect("valid");
            let attachment = Attachment { body: id, pose: Pose::IDENTITY };
            options.attachment = Some(attachment);
            floating.push(Floating {
                id,
                pose: Pose::from_translation(centre),
                motion: Motion::STILL,
            });
        }
        let collider = Collider::new(FluidShape::Rectangle { half_size }, centre, Vec2::X);
        let collider = collider.and_then(|collider| collider.with_options(options)).expect("valid");
        world.insert_collider(collider);
    }
    floating
}

/// A frame, as the coupling with an engine makes it.
fn frame(world: &mut FluidWorld, bodies: &mut [Floating]) {
    let gravity = world.parameters().gravity;
    for host in &mut *bodies {
        let Some(body) = world.host_body(host.id).copied() else { continue };
        let load = world.host_body_load(host.id).unwrap_or_default();
        host.motion.velocity += load.impulse * body.inverse_mass + gravity * FRAME;
        host.motion.angular_velocity += load.angular_impulse * body.inverse_inertia;
        host.pose.translation += host.motion.velocity * FRAME;
        host.pose.rotation =
            Vec2::from_angle(host.motion.angular_velocity * FRAME).rotate(host.pose.rotation);
        let motion = body.motion_to(host.pose, FRAME);
        world
            .set_host_body(host.id, HostBody { motion, acceleration: gravity, ..body })
            .expect("valid");
    }
    world.step(FRAME, &SerialExecutor).expect("valid");
}

fn main() {
    let only_try = std::env::args().any(|argument| argument == "--test");
    let (particles, calm, rounds) = if only_try { (3_000, 3, 3) } else { (30_000, 240, 200) };
    let plain = settled_pool(particles);
    let mut worlds = [plain.clone(), plain.clone(), plain.clone()];
    let mut bodies = [Vec::new(), insert(&mut worlds[1], false), insert(&mut worlds[2], true)];
    // The liquid settles around the bodies; that of the pool alone no longer stands in rows either.
    insert(&mut worlds[0], false);
    for _ in 0..calm {
        frame(&mut worlds[0], &mut []);
    }
    worlds[0].clear_colliders();
    for (world, bodies) in worlds.iter_mut().zip(&mut bodies) {
        for _ in 0..calm {
            frame(world, bodies);
        }
    }
    // The cases take turns, because the speed of the machine may change.
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..rounds {
        for ((world, bodies), times) in worlds.iter_mut().zip(&mut bodies).zip(&mut times) {
            let begin = Instant::now();
            frame(world, bodies);
            times.push(begin.elapsed());
        }
    }
    let [alone, still, floating] = times.map(least);
    let ratio = |duration: Duration| duration.as_secs_f64() / alone.as_secs_f64();
    println!("pool alone {alone:.2?} a frame");
    println!("{BODIES} colliders that stand still {still:.2?}, {:.3} times as long", ratio(still));
    println!("{BODIES} floating bodies {floating:.2?}, {:.3} times as long", ratio(floating));
    asleep(plain, rounds);
}

/// Times the frames of a sleeping pool with and without the colliders of sleeping bodies.
fn asleep(mut pool: FluidWorld, rounds: usize) {
    let parameters = *pool.parameters();
    let sleeping = FluidSleeping::default();
    pool.set_parameters(blob_fluid::FluidParameters { sleeping, ..parameters }).expect("valid");
    let mut with_bodies = pool.clone();
    insert(&mut with_bodies, false);
    let mut worlds = [pool, with_bodies];
    for world in &mut worlds {
        for _ in 0..3_000 {
            if world.asleep() == world.particles().len() {
                break;
            }
            frame(world, &mut []);
        }
        println!("{} of {} asleep", world.asleep(), world.particles().len());
    }
    let mut times = [const { Vec::new() }; 2];
    for _ in 0..rounds {
        for (world, times) in worlds.iter_mut().zip(&mut times) {
            let begin = Instant::now();
            frame(world, &mut []);
            times.push(begin.elapsed());
        }
    }
    let [alone, bodies] = times.map(least);
    println!("asleep: {alone:.2?} alone, {bodies:.2?} with {BODIES} sleeping bodies");
}

/// The smallest of many times, because other programs may slow the machine down.
fn least(times: Vec<Duration>) -> Duration {
    times.into_iter().min().unwrap_or_default()
}
