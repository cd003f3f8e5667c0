//! Sleeping: liquid at rest costs next to nothing until something touches it. Not in the paper.
//!
//! A particle has settled once it has not drifted from its place for as long as
//! [`Sleeping`](crate::Sleeping) says. Settled liquid more than an interaction radius away from all
//! that moves sleeps: it has no velocity and stays where it is. Particles that appear, die, become
//! another class's or are given a velocity wake what lies around them, as do containers and
//! colliders that move or are changed, and forces where they act.

mod tiles;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use glam::Vec2;

use crate::bounds::Bounds;
use crate::collider::Collider;
use crate::executor::Executor;
use crate::pass::{CHUNK, LONG_CHUNK};
use crate::solid::{Solid, SolidKind};
use crate::world::FluidWorld;
use tiles::Tiles;

/// How much of the step a particle goes through in a tick.
///
/// Around liquid that moves lie rings of liquid at rest, each as wide as a tile: the first is treated
/// as if it moved, so that it may begin to; the second only gives pressures to the first, and the
/// third positions to the second. Both return to where they were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Activity {
    /// It costs nothing but its place in the sort.
    Asleep,
    /// It is where it would be without its neighbours.
    Predicted,
    /// So it is, and has a density.
    Pressing,
    /// It moves.
    #[default]
    Awake,
}

/// Whether none of some particles takes part.
#[inline]
pub(crate) fn idle(activity: &[Activity]) -> bool {
    activity.iter().all(|activity| *activity == Activity::Asleep)
}

/// Memory of a world whose liquid may sleep.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sleep {
    /// Where something happened that wakes whatever lies there.
    pub disturbances: Vec<Bounds>,
    /// Boxes in which all particles wake, and none outside of them. They may be as large as
    /// containers: marks on tiles that far apart may also wake what the next container holds.
    pub regions: Vec<Bounds>,
    /// Something happened that wakes all.
    pub everywhere: bool,
    /// The host may have changed particles since the last tick.
    pub touched: bool,
    /// Whether all particles had settled when the last tick ended.
    pub all_settled: bool,
    /// How many particles did not move in the last tick.
    pub asleep: usize,
    tiles: Tiles,
}

impl Sleep {
    /// Wakes what lies around a point.
    pub(crate) fn disturb(&mut self, point: Vec2) {
        self.disturb_around(Bounds { low: point, high: point });
    }

    /// Wakes what lies around a box.
    pub(crate) fn disturb_around(&mut self, bounds: Bounds) {
        self.everywhere |= !push(&mut self.disturbances, bounds);
    }

    /// Wakes what lies in a box, however large it is.
    pub(crate) fn disturb_all_in(&mut self, bounds: Bounds) {
        self.everywhere |= !push(&mut self.regions, bounds);
    }

    /// Whether anything happened since the last tick that wakes something.
    fn is_disturbed(&self) -> bool {
        let local = !self.disturbances.is_empty() || !self.regions.is_empty();
        local || self.everywhere || self.touched
    }
}

/// Adds a box unless there are too many.
fn push(boxes: &mut Vec<Bounds>, bounds: Bounds) -> bool {
    let has_room = boxes.len() < MOST_DISTURBANCES;
    if has_room {
        boxes.push(bounds);
    }
    has_room
}

/// So much happens at once only where a scene begins or ends.
const MOST_DISTURBANCES: usize = 4096;

/// Mark of a tile in which something moves; those around it have as much less as they are away.
const MOVES: u8 = 4;

/// Speed, in V0, at which what lies awake but settled must have been pushed by the host.
const PUSHED: f32 = 0.05;

/// Speed, in V0, above which a particle among settled ones is more than one that finds its place.
const ON_ITS_WAY: f32 = 0.1;

/// Speed, in V0, above which particles that move together are more than ones that find their
/// places.
const CARRIED_ALONG: f32 = 0.02;

/// One particle in so many may find its place without waking the others.
const RESTLESS_SHARE: u32 = 4;

/// For how long a particle has been quiet to which something has just happened: until the next
/// tick begins.
pub(crate) const ROUSED: f32 = -1.0;

/// Decides which particles take part in a tick of `time` seconds, or says that none does.
pub(crate) fn wake<E: Executor>(world: &mut FluidWorld, time: f32, executor: &E) -> bool {
    let sleeping = world.parameters().sleeping;
    if !sleeping.is_on() {
        if world.sleep.asleep > 0 {
            world.sleep.asleep = 0;
            world.particles.activity.fill(Activity::Awake);
        }
        world.sleep.disturbances.clear();
        world.sleep.regions.clear();
        return true;
    }
    let settling_time = sleeping.after * world.parameters().time_unit();
    if sleeps_undisturbed(world, time) {
        world.sleep.asleep = world.particles.len();
        // Colliders that meet no liquid move on all the same.
        world.solids.advance(time, time / world.parameters().time_unit());
        return false;
    }
    disturb_where_solids_move(world, time);
    rouse(world, executor);
    let any_settled = AtomicBool::new(false);
    let quiet = &world.particles.quiet;
    executor.for_each_chunk(0..quiet.len(), LONG_CHUNK, |_, places| {
        if quiet[places].iter().any(|quiet| *quiet >= settling_time) {
            any_settled.store(true, Relaxed);
        }
    });
    if any_settled.load(Relaxed) {
        choose(world, settling_time, time, executor);
    } else {
        world.sleep.asleep = 0;
        world.particles.activity.fill(Activity::Awake);
    }
    let quiet = &mut world.particles.quiet[..];
    executor.for_each_chunk(quiet, LONG_CHUNK, |_, quiet| {
        for quiet in quiet {
            *quiet = quiet.max(0.0);
        }
    });
    true
}

/// Whether all particles have settled and nothing wakes any within the next `time` seconds.
fn sleeps_undisturbed(world: &FluidWorld, time: f32) -> bool {
    let FluidWorld { solids, sleep, coefficients, .. } = world;
    if !sleep.all_settled || sleep.is_disturbed() {
        return false;
    }
    let goes_on = solids.containers.iter().any(|own| own.moves())
        || solids.any_feels()
        || coefficients.exchanges_heat()
        || coefficients.reacts();
    let meets_liquid = |collider: &Collider| {
        let swept = swept_in(collider, time).grown(coefficients.interaction_radius);
        collider.kind.inside_out || world.any_in(swept)
    };
    !goes_on
        && !solids.moving_colliders().any(meets_liquid)
        && !world.forces.restless().any(|bounds| world.any_in(bounds))
}

fn disturb_where_solids_move(world: &mut FluidWorld, time: f32) {
    let FluidWorld { solids, sleep, forces, .. } = world;
    let moving = solids.containers.iter().filter(|own| own.moves());
    match &*solids.containers {
        // All belongs to it, wherever it is.
        [only] => sleep.everywhere |= only.moves(),
        _ => sleep.regions.extend(moving.map(|container| swept_in(container, time))),
    }
    // Liquid asleep would bear on nothing.
    let moving = solids.colliders.iter().filter(|own| own.moves() || own.feels());
    sleep.disturbances.extend(moving.map(|collider| swept_in(collider, time)));
    sleep.disturbances.extend(forces.restless());
}

/// A box around all that a solid sweeps over in so much time.
fn swept_in<Kind: SolidKind>(solid: &Solid<Kind>, time: f32) -> Bounds {
    let mut ahead = solid.clone();
    ahead.advance(time);
    ahead.swept()
}

/// Lets the particles where something happened count as if they had just moved.
fn rouse<E: Executor>(world: &mut FluidWorld, executor: &E) {
    let FluidWorld { particles, sleep, coefficients, .. } = world;
    if !sleep.is_disturbed() {
        return;
    }
    let everywhere = std::mem::take(&mut sleep.everywhere);
    let touched = std::mem::take(&mut sleep.touched);
    let radius = coefficients.interaction_radius;
    let pushed_speed = PUSHED * coefficients.speed_unit;
    sleep.tiles.clear(radius, particles.len(), Bounds::of(&particles.position));
    for bounds in sleep.disturbances.drain(..) {
        sleep.tiles.mark(Bounds { low: bounds.low - radius, high: bounds.high + radius }, 1);
    }
    // What touches the walls from the other side wakes with what they hold.
    sleep.regions.iter_mut().for_each(|region| *region = region.grown(radius));
    let (regions, tiles) = (&sleep.regions, &sleep.tiles);
    let (positions, activity) = (&particles.position, &particles.activity);
    let (previous, velocities) = (&particles.previous_position, &particles.velocity);
    executor.for_each_chunk(&mut particles.quiet[..], CHUNK, |index, quiet| {
        let start = index * CHUNK;
        let bounds = Bounds::of(&positions[start..start + quiet.len()]);
        let in_region = regions.iter().any(|region| region.meets(bounds));
        if !(everywhere || touched || in_region || tiles.any_marked(bounds)) {
            return;
        }
        for (offset, quiet) in quiet.iter_mut().enumerate() {
            let place = start + offset;
            let position = positions[place];
            // What sleeps has no velocity; what lies awake has hardly any.
            let pushed = if activity[place] < Activity::Awake {
                velocities[place] != Vec2::ZERO || position != previous[place]
            } else {
                let squared_speed = velocities[place].length_squared();
                squared_speed > pushed_speed * pushed_speed || squared_speed.is_nan()
            };
            let held = || in_region && regions.iter().any(|region| region.contains(position));
            if everywhere || touched && pushed || tiles.mark_at(position) != 0 || held() {
                *quiet = ROUSED;
            }
        }
    });
    sleep.regions.clear();
}

/// Marks the tiles in which something moves, and lets every particle know how far from one it is.
fn choose<E: Executor>(world: &mut FluidWorld, settling_time: f32, time: f32, executor: &E) {
    let FluidWorld { particles, sleep, coefficients, .. } = world;
    let tiles = &mut sleep.tiles;
    let bounds = Bounds::of(&particles.position);
    tiles.clear(coefficients.interaction_radius, particles.len(), bounds);
    let fast = ON_ITS_WAY * coefficients.speed_unit;
    let slow = CARRIED_ALONG * coefficients.speed_unit;
    let chunks = particles.quiet.chunks(CHUNK).zip(particles.activity.chunks(CHUNK));
    for (index, (quiet, activity)) in chunks.enumerate() {
        // In a tile either all slept or none: those that did, and go on, need not be counted.
        let slept = activity.iter().fold(true, |all, own| all & (*own < Activity::Awake));
        if slept && quiet.iter().fold(true, |all, quiet| all & (*quiet >= settling_time)) {
            continue;
        }
        for (offset, quiet) in quiet.iter().enumerate() {
            let place = index * CHUNK + offset;
            let (position, velocity) = (particles.position[place], particles.velocity[place]);
            let squared_speed = velocity.length_squared();
            tiles.count(position, *quiet < settling_time || squared_speed > slow * slow);
            if *quiet < 0.0 || squared_speed > fast * fast {
                let travel = velocity * time;
                let there = if travel.is_finite() { position + travel } else { position };
                let way = Bounds { low: position.min(there), high: position.max(there) };
                tiles.mark(way, MOVES);
            }
        }
    }
    tiles.mark_restless(RESTLESS_SHARE, MOVES);
    tiles.spread(u32::from(MOVES) - 1);
    let tiles = &*tiles;
    let positions = &particles.position;
    let awake = AtomicUsize::new(0);
    let changed = (
        &mut particles.activity[..],
        &mut particles.velocity[..],
        &mut particles.previous_position[..],
    );
    executor.for_each_chunk(changed, LONG_CHUNK, |index, (activity, velocities, previous)| {
        let positions = &positions[index * LONG_CHUNK..][..activity.len()];
        let mut awake_here = 0;
        let all_asleep = idle(activity) && !tiles.any_marked(Bounds::of(positions));
        if all_asleep {
            return;
        }
        for (offset, activity) in activity.iter_mut().enumerate() {
            *activity = match tiles.mark_at(positions[offset]) {
                0 => Activity::Asleep,
                1 => Activity::Predicted,
                2 => Activity::Pressing,
                _ => Activity::Awake,
            };
            if *activity == Activity::Awake {
                awake_here += 1;
            } else {
                velocities[offset] = Vec2::ZERO;
                previous[offset] = positions[offset];
            }
        }
        // Passes skip whole chunks in which nothing takes part, and no single particles: what lies
        // between such as do is predicted with them, and brought back.
        if activity.iter().any(|activity| *activity != Activity::Asleep) {
            for activity in activity {
                *activity = (*activity).max(Activity::Predicted);
            }
        }
        awake.fetch_add(awake_here, Relaxed);
    });
    sleep.asleep = particles.len() - awake.load(Relaxed);
}

/// At the end of a tick: for how long particles have been at their places.
pub(crate) fn settle<E: Executor>(world: &mut FluidWorld, time: f32, executor: &E) {
    let parameters = *world.parameters();
    if !parameters.sleeping.is_on() {
        return;
    }
    let drift = parameters.sleeping.drift * parameters.particle_spacing;
    let settling_time = parameters.sleeping.after * parameters.time_unit();
    let coefficients = &world.coefficients;
    // Liquid that rises or sinks as it warms or cools has no rest.
    let restless = |class: usize| {
        coefficients.classes[class].expansion != 0.0 && coefficients.exchanges_heat()
    };
    let particles = &mut world.particles;
    let (positions, classes) = (&particles.position, &particles.class);
    let all_settled = AtomicBool::new(true);
    let changed = (&mut particles.quiet[..], &mut particles.resting_place[..]);
    executor.for_each_chunk(changed, LONG_CHUNK, |index, (quiet, resting_places)| {
        let start = index * LONG_CHUNK;
        let mut settled = true;
        for (offset, (quiet, resting_place)) in quiet.iter_mut().zip(resting_places).enumerate() {
            let position = positions[start + offset];
            let left = (position - *resting_place).length_squared() > drift * drift;
            if left || restless(classes[start + offset].index()) {
                *resting_place = position;
                *quiet = quiet.min(0.0);
            } else if *quiet >= 0.0 {
                *quiet = (*quiet + time).min(settling_time);
            }
            settled &= *quiet >= settling_time;
        }
        if !settled {
            all_settled.store(false, Relaxed);
        }
    });
    world.sleep.all_settled = all_settled.load(Relaxed);
    if world.sleep.all_settled {
        world.sleep.asleep = particles.len();
        particles.activity.fill(Activity::Asleep);
        particles.velocity.fill(Vec2::ZERO);
        particles.previous_position.copy_from_slice(&particles.position);
    }
}
