//! Chooses the particles and bodies that sleep and those that are awake in a tick. Not in the paper.
//!
//! Liquid at rest costs almost nothing until something touches it. A particle is settled if it has
//! stayed near its place for the time that [`FluidSleeping`](crate::FluidSleeping) sets. A settled
//! particle sleeps if nothing moves within about an interaction radius of it. A sleeping particle
//! has zero velocity and keeps its position.
//!
//! Sleeping liquid wakes around particles that appear, die, change their class or are given a
//! velocity. It also wakes around containers and colliders that move or change, and where forces
//! act.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use bytemuck::{Pod, Zeroable};
use glam::Vec2;

use crate::boundary::collider_record::{ColliderBoxes, ColliderRecord};
use crate::boundary::solids::Solids;
use crate::liquid::state::{STILL, Sleep};
use crate::parallel::executor::{CHUNK, LONG_CHUNK};
use crate::parallel::instructions::floor;
use crate::particles::arrays::{Activity, DISTURBED, idle};
use crate::solver::double_density::segregation::SLEEP_DISORDER_LIMIT;
use crate::{Collider, Executor, FluidBounds, FluidParameters, Liquid, Particles};

/// Speed, in V0, above which a settled particle must have been pushed by the host.
const PUSH_SPEED: f32 = 0.05;

/// Speed, in V0, above which a single particle counts as moving, not as settling.
const MOVING_SPEED: f32 = 0.1;

/// Speed, in V0, above which a group of particles counts as moving. Slower groups are settling.
const DRIFT_SPEED: f32 = 0.02;

/// Relative change of a particle's weight by heat from which the particle must settle again.
const WEIGHT_DRIFT: f32 = 1e-3;

/// Decides which particles take part in a tick of `time` seconds. Returns `false` if none does.
pub(crate) fn update_activity(
    liquid: &mut Liquid,
    tiles: &mut Tiles,
    time: f32,
    executor: &dyn Executor,
) -> bool {
    let sleeping = liquid.parameters.sleeping;
    if !sleeping.is_on() {
        if liquid.sleep.asleep > 0 {
            liquid.sleep.asleep = 0;
            liquid.particles.activity.fill(Activity::Awake);
        }
        wake_all_bodies(&mut liquid.boundary);
        liquid.sleep.disturbances.clear();
        liquid.sleep.regions.clear();
        return true;
    }
    let settling_time = sleeping.after * liquid.parameters.time_unit();
    if all_asleep_and_undisturbed(liquid, time) {
        liquid.sleep.asleep = liquid.particles.len();
        // Colliders that do not touch the liquid continue to move.
        liquid.boundary.advance(time, time / liquid.parameters.time_unit());
        return false;
    }
    liquid.sleep.heat_rests = true;
    add_solid_disturbances(liquid, settling_time, time);
    let radius = liquid.parameters.interaction_radius();
    wake_disturbed_bodies(&mut liquid.boundary, &liquid.sleep, radius);
    let positions = &liquid.particles.position;
    tiles.chunks.resize(positions.len().div_ceil(CHUNK), FluidBounds::NONE);
    executor.for_each_chunk(&mut tiles.chunks[..], 1, |index, bounds| {
        let end = positions.len().min((index + 1) * CHUNK);
        bounds[0] = FluidBounds::of(&positions[index * CHUNK..end]);
    });
    wake_disturbed(liquid, tiles, executor);
    let rest_time = &liquid.particles.rest_time;
    let any_settled = executor.any_chunk(0..rest_time.len(), LONG_CHUNK, |_, indices| {
        rest_time[indices].iter().any(|rest_time| *rest_time >= settling_time)
    });
    if any_settled || any_body_rests(&liquid.boundary, settling_time) {
        choose_activity(liquid, tiles, settling_time, time, executor);
    } else {
        liquid.sleep.asleep = 0;
        liquid.particles.activity.fill(Activity::Awake);
    }
    let Particles { rest_time, activity, .. } = &mut liquid.particles;
    executor.for_each_chunk(&mut rest_time[..], LONG_CHUNK, |index, rest_time| {
        let start = index * LONG_CHUNK;
        // A disturbed particle is awake.
        if idle(&activity[start..start + rest_time.len()]) {
            return;
        }
        for rest_time in rest_time {
            *rest_time = rest_time.max(0.0);
        }
    });
    true
}

/// The union of all boxes.
fn union(boxes: &[FluidBounds]) -> FluidBounds {
    boxes.iter().copied().fold(FluidBounds::NONE, FluidBounds::union)
}

/// Whether all particles are settled, all bodies sleep, and nothing wakes any of them within the next
/// `time` seconds.
fn all_asleep_and_undisturbed(liquid: &Liquid, time: f32) -> bool {
    let Liquid { boundary: solids, sleep, .. } = liquid;
    if !sleep.all_settled || sleep.is_disturbed() {
        return false;
    }
    let stays_active = solids.containers.iter().any(|container| container.moves())
        || solids.any_needs_load()
        || liquid.classes.react_on_contact()
        || (liquid.classes.exchange_heat() && !sleep.heat_rests)
        || liquid.particles.paints.goes_on();
    let touches_liquid = |collider: &Collider| {
        let swept =
            collider.predicted_swept_bounds(time).inflated(liquid.parameters.interaction_radius());
        collider.options.inside_out || liquid.any_in(swept) || any_body_in(liquid, swept)
    };
    !stays_active
        && !solids.moving_colliders().any(touches_liquid)
        && !liquid.forces.waking_bounds().any(|bounds| liquid.any_in(bounds))
}

fn add_solid_disturbances(liquid: &mut Liquid, settling_time: f32, time: f32) {
    let Liquid { boundary: solids, sleep, forces, parameters, .. } = liquid;
    let moving = solids.containers.iter().filter(|container| container.moves());
    match &*solids.containers {
        // All particles belong to the only container, wherever they are.
        [only] => sleep.everywhere |= only.moves(),
        _ => sleep.regions.extend(moving.map(|container| container.predicted_swept_bounds(time))),
    }
    let radius = parameters.interaction_radius();
    sleep.disturbances.extend(solids.colliders.iter().filter_map(|collider| {
        if is_afloat(collider, parameters, settling_time) {
            return Some(
                collider
                    .predicted_swept_bounds(time)
                    .inflated(collider.bounding_radius() + 2.0 * radius),
            );
        }
        // Liquid near a body that hardly moves is awake but may settle, so that both can sleep.
        // Sleeping liquid exerts no load, so liquid near other load-bearing colliders stays awake.
        solids.prevents_settling(collider).then(|| collider.predicted_swept_bounds(time))
    }));
    sleep.disturbances.extend(forces.waking_bounds());
}

/// Sets the rest time of disturbed particles to [`DISTURBED`].
fn wake_disturbed(liquid: &mut Liquid, tiles: &mut Tiles, executor: &dyn Executor) {
    let Liquid { particles, sleep, parameters, .. } = liquid;
    if !sleep.is_disturbed() {
        return;
    }
    let everywhere = std::mem::take(&mut sleep.everywhere);
    let touched = std::mem::take(&mut sleep.touched);
    let radius = parameters.interaction_radius();
    let pushed_speed = PUSH_SPEED * parameters.speed_unit();
    tiles.clear(radius, particles.len(), union(&tiles.chunks));
    for bounds in sleep.disturbances.drain(..) {
        tiles.mark(FluidBounds { low: bounds.low - radius, high: bounds.high + radius }, 1);
    }
    // Particles that touch a wall from the other side wake with the particles that the wall holds.
    sleep.regions.iter_mut().for_each(|region| *region = region.inflated(radius));
    let (regions, tiles) = (&sleep.regions, &*tiles);
    let (positions, activity) = (&particles.position, &particles.activity);
    let (previous, velocities) = (&particles.previous_position, &particles.velocity);
    let temperatures = &particles.temperature;
    executor.for_each_chunk(&mut particles.rest_time[..], CHUNK, |index, rest_time| {
        let start = index * CHUNK;
        let bounds = tiles.chunks[index];
        let in_region = regions.iter().any(|region| region.intersects(bounds));
        if !(everywhere || touched || in_region || tiles.any_marked(bounds)) {
            return;
        }
        for (offset, rest_time) in rest_time.iter_mut().enumerate() {
            let particle = start + offset;
            let position = positions[particle];
            // A sleeping particle has no velocity; a settled particle that is awake has almost
            // none.
            let pushed = if activity[particle] < Activity::Awake {
                velocities[particle] != Vec2::ZERO
                    || position != previous[particle]
                    || !temperatures[particle].is_finite()
            } else {
                let squared_speed = velocities[particle].length_squared();
                squared_speed > pushed_speed * pushed_speed || squared_speed.is_nan()
            };
            let is_in_region =
                || in_region && regions.iter().any(|region| region.contains(position));
            if everywhere || touched && pushed || tiles.mark_at(position) != 0 || is_in_region() {
                *rest_time = DISTURBED;
            }
        }
    });
    sleep.regions.clear();
}

/// Marks the tiles in which something moves, chooses the bodies that sleep, and sets each particle's
/// activity by its tile's mark.
fn choose_activity(
    liquid: &mut Liquid,
    tiles: &mut Tiles,
    settling_time: f32,
    time: f32,
    executor: &dyn Executor,
) {
    let Liquid { particles, boundary, sleep, parameters, clock, .. } = liquid;
    tiles.clear(parameters.interaction_radius(), particles.len(), union(&tiles.chunks));
    let moving_speed = MOVING_SPEED * parameters.speed_unit();
    let drift_speed = DRIFT_SPEED * parameters.speed_unit();
    let chunks = particles.rest_time.chunks(CHUNK).zip(particles.activity.chunks(CHUNK));
    for (index, (rest_time, activity)) in chunks.enumerate() {
        // All particles of a tile sleep together. Particles that slept and are still settled need
        // not be counted.
        let slept = activity.iter().fold(true, |all, activity| all & (*activity < Activity::Awake));
        if slept
            && rest_time.iter().fold(true, |all, rest_time| all & (*rest_time >= settling_time))
        {
            continue;
        }
        for (offset, rest_time) in rest_time.iter().enumerate() {
            let particle = index * CHUNK + offset;
            let (position, velocity) = (particles.position[particle], particles.velocity[particle]);
            let squared_speed = velocity.length_squared();
            let displacement = position - particles.previous_position[particle];
            let has_stayed = displacement.length_squared()
                <= (drift_speed * clock.substep) * (drift_speed * clock.substep);
            let unrest = ParticleUnrest {
                restless: *rest_time < settling_time || squared_speed > drift_speed * drift_speed,
                is_moving: *rest_time < 0.0 || squared_speed > moving_speed * moving_speed,
                is_stuck: *rest_time >= settling_time && has_stayed,
            };
            tiles.count(position, unrest);
            if unrest.is_moving {
                let travel = velocity * time;
                let predicted_position =
                    if travel.is_finite() { position + travel } else { position };
                let path = FluidBounds {
                    low: position.min(predicted_position),
                    high: position.max(predicted_position),
                };
                tiles.mark(path, MOVING_MARK);
            }
        }
    }
    choose_bodies(boundary, parameters, tiles, settling_time, time);
    tiles.mark_unsettled(UNSETTLED_DIVISOR, MOVING_MARK);
    tiles.spread(u32::from(MOVING_MARK) - 1);
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
        let chunks = LONG_CHUNK / CHUNK;
        let chunks = tiles.chunks.iter().skip(index * chunks).take(chunks);
        if idle(activity) && !chunks.into_iter().any(|bounds| tiles.any_marked(*bounds)) {
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
        // Passes skip only whole chunks in which no particle takes part. Sleeping particles in
        // other chunks are predicted as well, and then moved back.
        if activity.iter().any(|activity| *activity != Activity::Asleep) {
            for activity in activity {
                *activity = (*activity).max(Activity::Predicted);
            }
        }
        awake.fetch_add(awake_here, Relaxed);
    });
    sleep.asleep = particles.len() - awake.load(Relaxed);
}

/// Runs at the end of a tick: updates how long each particle and each body has stayed near its place.
pub(crate) fn update_rest_times(liquid: &mut Liquid, time: f32, executor: &dyn Executor) {
    let Liquid { parameters, classes: table, particles, boundary, sleep, .. } = liquid;
    if !parameters.sleeping.is_on() {
        return;
    }
    let drift = parameters.sleeping.drift * parameters.particle_spacing;
    let settling_time = parameters.sleeping.after * parameters.time_unit();
    let expands = table.iter().any(|class| class.thermal.expansion != 0.0);
    let weight_changed =
        |class, degrees: f32| (table[class].thermal.expansion * degrees).abs() > WEIGHT_DRIFT;
    let (positions, classes) = (&particles.position, &particles.class);
    let temperatures = &particles.temperature;
    let activity = &particles.activity;
    let all_settled = AtomicBool::new(true);
    let changed = (
        &mut particles.rest_time[..],
        &mut particles.rest_position[..],
        &mut particles.rest_temperature[..],
    );
    executor.for_each_chunk(changed, LONG_CHUNK, |index, rests| {
        let (rest_time, rest_positions, rest_temperatures) = rests;
        let start = index * LONG_CHUNK;
        let mut settled = true;
        if !expands
            && idle(&activity[start..start + rest_time.len()])
            && rest_time.iter().fold(true, |all, rest_time| all & (*rest_time >= settling_time))
        {
            return;
        }
        let rests = rest_time.iter_mut().zip(rest_positions).zip(rest_temperatures);
        for (offset, ((rest_time, rest_position), rest_temperature)) in rests.enumerate() {
            let position = positions[start + offset];
            let temperature = temperatures[start + offset];
            let has_left = (position - *rest_position).length_squared() > drift * drift;
            if has_left
                || expands
                    && weight_changed(classes[start + offset], temperature - *rest_temperature)
            {
                *rest_position = position;
                *rest_temperature = temperature;
                *rest_time = rest_time.min(0.0);
            } else if *rest_time >= 0.0 {
                *rest_time = (*rest_time + time).min(settling_time);
            }
            settled &= *rest_time >= settling_time;
        }
        if !settled {
            all_settled.store(false, Relaxed);
        }
    });
    let all_rest = update_body_rest_times(boundary, parameters, settling_time, time);
    sleep.all_settled = all_settled.load(Relaxed) && all_rest;
    if sleep.all_settled {
        put_all_bodies_to_sleep(boundary);
        sleep.asleep = particles.len();
        particles.activity.fill(Activity::Asleep);
        particles.velocity.fill(Vec2::ZERO);
        particles.previous_position.copy_from_slice(&particles.position);
    }
}

// Chooses the bodies that sleep. Not in the paper.
//
// A body rests if it has stayed at its place for the settling time of the liquid. It sleeps if no
// liquid near it moves and no body that it may touch is awake. Sleeping liquid exerts no load, so
// all liquid near an awake body is awake as well.

/// Speed, in V0, above which a body is not at rest, unless it has stayed at its place for a while.
/// Such a body rises or sinks until the displaced liquid has spread, so liquid in a larger region
/// must be awake.
const AFLOAT_SPEED: f32 = 0.01;

/// Speed, in V0, above which a body is never at rest. Below it, a body that leans on another one
/// may tremble at its place.
const TREMBLING_SPEED: f32 = 0.05;

/// Largest distance of a resting body from its rest pose, as a fraction of the distance for
/// particles. A boat that rises slowly is not at rest.
const REST_DRIFT_FRACTION: f32 = 0.2;

/// Largest gap, in particle spacings, between the boxes around two bodies that may touch.
const CONTACT_GAP: f32 = 0.5;

/// Whether a body can sleep when it rests.
fn may_sleep(collider: &Collider) -> bool {
    collider.is_body() && !collider.is_attached() && !collider.options.reports_load
}

/// Upper bound of the speed of a solid's points.
fn max_speed(collider: &Collider) -> f32 {
    let angular_speed = collider.motion.angular_velocity.abs();
    let rotation_speed =
        if angular_speed > 0.0 { angular_speed * collider.bounding_radius() } else { 0.0 };
    collider.motion.velocity.length() + rotation_speed
}

/// Whether a body or an attached collider moves faster than a body at rest.
fn is_afloat(collider: &Collider, parameters: &FluidParameters, settling_time: f32) -> bool {
    if !(collider.is_body() || collider.is_attached()) {
        return false;
    }
    let has_stayed = may_sleep(collider) && collider.rest.time >= 0.5 * settling_time;
    let speed_limit = if has_stayed { TREMBLING_SPEED } else { AFLOAT_SPEED };
    max_speed(collider) > speed_limit * parameters.speed_unit()
}

/// Wakes all bodies.
pub(crate) fn wake_all_bodies(solids: &mut Solids) {
    let Solids { boxes, colliders, contacts_outdated, .. } = solids;
    for index in boxes.movers() {
        *contacts_outdated |= colliders[index].is_sleeping();
        colliders[index].wake();
    }
}

/// Wakes the bodies near events that wake particles, and restarts their rest times.
fn wake_disturbed_bodies(solids: &mut Solids, sleep: &Sleep, radius: f32) {
    if sleep.everywhere {
        wake_all_bodies(solids);
        return;
    }
    let Solids { boxes, colliders, contacts_outdated, .. } = solids;
    for bounds in sleep.disturbances.iter().chain(&sleep.regions) {
        boxes.visit_movers(bounds.inflated(radius), |index| {
            let collider = &mut colliders[index as usize];
            *contacts_outdated |= collider.is_sleeping();
            collider.wake();
        });
    }
}

/// Whether any body rests.
fn any_body_rests(solids: &Solids, settling_time: f32) -> bool {
    let mut movers = solids.boxes.movers().map(|index| &solids.colliders[index]);
    movers.any(|collider| collider.is_body() && collider.rest.time >= settling_time)
}

/// Chooses which bodies sleep, from the moving and unsettled particles in the tiles around them,
/// and marks the tiles around awake bodies.
fn choose_bodies(
    solids: &mut Solids,
    parameters: &FluidParameters,
    tiles: &mut Tiles,
    settling_time: f32,
    time: f32,
) {
    let radius = parameters.interaction_radius();
    let Solids { boxes, colliders, contacts_outdated, .. } = &mut *solids;
    let mut awake = std::mem::take(&mut tiles.awake_bodies);
    awake.clear();
    for index in boxes.movers() {
        let collider = &mut colliders[index];
        if !collider.is_body() {
            continue;
        }
        // As in a tile, a few particles near a body may be restless: a drop that slides down its side.
        let bounds = collider.pose.bounds(&collider.shape).inflated(radius);
        let rests = may_sleep(collider) && collider.rest.time >= settling_time;
        let asleep = rests && !tiles.is_unsettled(bounds, UNSETTLED_DIVISOR);
        *contacts_outdated |= collider.is_sleeping() && !asleep;
        collider.rest_mut().asleep = asleep;
        if !asleep {
            awake.push(index);
        }
    }
    let awake_before = awake.len();
    wake_touching(boxes, colliders, &mut awake, CONTACT_GAP * parameters.particle_spacing);
    *contacts_outdated |= awake.len() > awake_before;
    for index in &awake {
        tiles.mark(colliders[*index].predicted_swept_bounds(time).inflated(radius), MOVING_MARK);
    }
    tiles.awake_bodies = awake;
    put_to_sleep(solids);
}

/// Wakes all bodies that an awake body may touch, directly or through others, and adds them to the list.
fn wake_touching(
    boxes: &ColliderBoxes,
    colliders: &mut [ColliderRecord],
    awake: &mut Vec<usize>,
    gap: f32,
) {
    let ignores_contacts =
        |collider: &Collider| collider.options.body.is_none_or(|body| body.ignore_contacts);
    let mut next = 0;
    while let Some(index) = awake.get(next).copied() {
        next += 1;
        if ignores_contacts(&colliders[index]) {
            continue;
        }
        boxes.visit_movers(boxes[index].inflated(gap), |other| {
            let touched = &mut colliders[other as usize];
            if touched.is_sleeping() && !ignores_contacts(touched) {
                touched.rest_mut().asleep = false;
                awake.push(other as usize);
            }
        });
    }
}

/// Stops the bodies that were chosen to sleep.
fn put_to_sleep(solids: &mut Solids) {
    let movers = solids.boxes.movers().len();
    for rank in 0..movers {
        let index = solids.boxes.mover(rank);
        let collider = &solids.colliders[index];
        if collider.is_sleeping() && collider.will_change_pose() {
            solids.put_to_sleep(index);
        }
    }
}

/// Runs at the end of a tick of `time` seconds: updates how long each body has been at rest. Returns
/// whether all bodies rest.
fn update_body_rest_times(
    solids: &mut Solids,
    parameters: &FluidParameters,
    settling_time: f32,
    time: f32,
) -> bool {
    let drift = REST_DRIFT_FRACTION * parameters.sleeping.drift * parameters.particle_spacing;
    let mut all_rest = true;
    for index in solids.boxes.movers() {
        let collider = &mut solids.colliders[index];
        if !collider.is_awake_body() {
            continue;
        }
        let rest = collider.rest.pose;
        let rotation = rest.rotation.distance(collider.pose.rotation);
        let edge_distance =
            if rotation > 0.0 { rotation * collider.bounding_radius() } else { 0.0 };
        let has_stayed =
            rest.translation.distance(collider.pose.translation) + edge_distance <= drift;
        if has_stayed && max_speed(collider) <= TREMBLING_SPEED * parameters.speed_unit() {
            let rest = collider.rest_mut();
            rest.time = (rest.time + time).min(settling_time);
        } else {
            collider.wake();
        }
        all_rest &= may_sleep(collider) && collider.rest.time >= settling_time;
    }
    all_rest
}

/// Puts all bodies to sleep.
fn put_all_bodies_to_sleep(solids: &mut Solids) {
    for index in solids.boxes.movers() {
        let collider = &mut solids.colliders[index];
        collider.rest_mut().asleep = collider.is_body();
    }
    put_to_sleep(solids);
}

/// Whether the box of any body intersects a box.
fn any_body_in(liquid: &Liquid, bounds: FluidBounds) -> bool {
    let solids = &liquid.boundary;
    let mut any = false;
    solids.boxes.visit_movers(bounds, |index| any |= solids.colliders[index as usize].is_body());
    any
}

// Sleeping liquid on a device: the criteria for it, and the events that wake it.

/// Criteria for sleeping liquid on a device, in the layout in which the device reads them.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct DeviceSleeping {
    /// Speed up to which a particle is at rest, in world units/s; 0 if nothing sleeps.
    pub still_speed: f32,
    /// Speed, in world units/s, above which a single particle keeps the liquid around it awake.
    pub moving_speed: f32,
    /// Time, in seconds, for which liquid must have stayed at its place before it sleeps.
    pub settling_time: f32,
    /// Largest distance, in world units, that a particle may move within `settling_time` before it sleeps.
    pub drift: f32,
    /// Largest sum of `q cos/2` with which a particle may sleep. The sum is over its neighbours on the wrong
    /// side: heavier ones above it, and lighter ones below it.
    pub unsorted: f32,
    /// Change of a particle's weight by heat, as a fraction of the weight, that wakes liquid.
    pub weight_drift: f32,
    /// Largest ignored change of a temperature in a substep, in degrees or as a fraction of the temperature.
    pub still_temperature: f32,
}

/// The regions in which liquid on a device wakes in a tick, because something has changed or moves there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceWake {
    /// Whether all liquid wakes.
    pub everywhere: bool,
    /// Boxes in which liquid wakes, in world units. The boxes include a margin of one interaction
    /// radius.
    pub boxes: Vec<FluidBounds>,
    /// Whether classes react on contact. Sleeping particles react as well.
    pub reacts: bool,
    /// Whether classes exchange heat. Sleeping particles exchange heat as well.
    pub exchanges_heat: bool,
}

impl DeviceSleeping {
    pub(crate) fn of(parameters: &FluidParameters) -> Self {
        let sleeping = &parameters.sleeping;
        if !sleeping.is_on() {
            return Self::default();
        }
        let settling_time = sleeping.after * parameters.time_unit();
        let drift = sleeping.drift * parameters.particle_spacing;
        let still_speed = DRIFT_SPEED * parameters.speed_unit();
        let moving_speed = MOVING_SPEED * parameters.speed_unit();
        Self {
            still_speed,
            moving_speed,
            settling_time,
            drift,
            unsorted: SLEEP_DISORDER_LIMIT,
            weight_drift: WEIGHT_DRIFT,
            still_temperature: STILL,
        }
    }
}

impl Liquid {
    /// Takes the events that wake the liquid in a tick of `time` seconds, and wakes all bodies.
    /// Each event since the last tick counts once.
    pub(crate) fn take_device_wake(&mut self, time: f32) -> DeviceWake {
        let settling_time = self.parameters.sleeping.after * self.parameters.time_unit();
        // Bodies do not sleep while the liquid is on a device.
        wake_all_bodies(&mut self.boundary);
        add_solid_disturbances(self, settling_time, time);
        let Self { boundary, parameters, sleep, .. } = self;
        // Bodies that hardly move wake liquid too, because sleeping liquid does not carry them.
        let slow = boundary.colliders.iter().filter(|collider| {
            let is_already_listed = boundary.prevents_settling(collider)
                || is_afloat(collider, parameters, settling_time);
            collider.bears_load_now() && !is_already_listed
        });
        sleep.disturbances.extend(slow.map(|collider| collider.predicted_swept_bounds(time)));
        let radius = self.parameters.interaction_radius();
        let sleep = &mut self.sleep;
        // The host may have changed particles of the CPU, not of the device.
        sleep.touched = false;
        let everywhere = std::mem::take(&mut sleep.everywhere);
        let boxes = sleep.disturbances.drain(..).chain(sleep.regions.drain(..));
        let boxes = boxes.map(|bounds| bounds.inflated(radius)).collect();
        let reacts = self.classes.react_on_contact();
        DeviceWake { everywhere, boxes, reacts, exchanges_heat: self.classes.exchange_heat() }
    }
}

// A coarse grid of square tiles, which shows where something moves.

/// Mark of a tile in which something moves. Marks decrease by 1 per tile of distance.
const MOVING_MARK: u8 = 4;

/// A tile is unsettled if at least one in this many of its particles is restless.
const UNSETTLED_DIVISOR: u32 = 4;

/// Square tiles of the plane. Each tile has a mark, which says whether something moves near it. The
/// table has a limited size and wraps around like a torus: in a very large world, tiles far apart
/// share an entry. A shared entry may wake more liquid than necessary.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tiles {
    marks: Vec<u8>,
    scratch: Vec<u8>,
    counts: Vec<TileCount>,
    /// A box around each chunk of particles.
    pub chunks: Vec<FluidBounds>,
    /// Indices of the bodies that are awake in this tick.
    pub awake_bodies: Vec<usize>,
    /// Tiles in a row; a power of two.
    columns: usize,
    /// Rows of tiles; a power of two.
    rows: usize,
    inverse_size: f32,
    /// Corners of the box in which tiles can be marked: the box around the particles, with a
    /// margin.
    low: Vec2,
    high: Vec2,
}

/// Counts of the particles in a tile.
#[derive(Clone, Copy, Debug, Default)]
struct TileCount {
    all: u32,
    restless: u32,
    /// The restless particles that are not stuck.
    free_restless: u32,
    /// The moving particles that are not stuck.
    moving: u32,
}

/// The state of a particle that its tile counts.
#[derive(Clone, Copy, Debug)]
struct ParticleUnrest {
    /// Whether it has not settled, or is faster than a particle at rest.
    restless: bool,
    /// Whether something has disturbed it, or it is fast enough to count as moving on its own.
    is_moving: bool,
    /// Whether it does not move in spite of its velocity, because it is wedged between walls.
    is_stuck: bool,
}

/// Number of entries that may always be used. They cost almost nothing, even for few particles.
const MIN_ENTRY_LIMIT: usize = 1 << 14;

/// Smallest number of columns and of rows.
const MIN_SIDE: usize = 16;

/// Margin around the particles, in tiles, in which tiles can be marked.
const MARGIN: f32 = 4.0;

impl Tiles {
    /// Removes all marks, and sets the size of the tiles and of the table for `particles` particles
    /// within `bounds`. Each tile there has its own entry, unless there are many more tiles than
    /// particles.
    pub(crate) fn clear(&mut self, size: f32, particles: usize, bounds: FluidBounds) {
        self.inverse_size = 1.0 / size;
        FluidBounds { low: self.low, high: self.high } = bounds.inflated(MARGIN * size);
        let side = ((particles as f32).sqrt() as usize).next_power_of_two();
        let max_entries = (side * side).max(MIN_ENTRY_LIMIT);
        let extent = (self.high - self.low) * self.inverse_size;
        let count = |tiles: f32| {
            (tiles.min(MIN_ENTRY_LIMIT as f32) as usize).max(MIN_SIDE).next_power_of_two()
        };
        (self.columns, self.rows) = (count(extent.x), count(extent.y));
        while self.columns * self.rows > max_entries {
            let larger = if self.columns > self.rows { &mut self.columns } else { &mut self.rows };
            *larger /= 2;
        }
        let entries = self.columns * self.rows;
        self.marks.clear();
        self.marks.resize(entries, 0);
        self.counts.clear();
        self.counts.resize(entries, TileCount::default());
    }

    /// Counts a particle in its tile.
    fn count(&mut self, point: Vec2, unrest: ParticleUnrest) {
        let entry = self.entry(self.tile(point));
        let ParticleUnrest { restless, is_moving, is_stuck } = unrest;
        let tile_count = &mut self.counts[entry];
        tile_count.all += 1;
        tile_count.restless += u32::from(restless);
        tile_count.free_restless += u32::from(restless && !is_stuck);
        tile_count.moving += u32::from(is_moving && !is_stuck);
    }

    /// Marks the tiles in which at least one particle in `divisor` is restless.
    fn mark_unsettled(&mut self, divisor: u32, mark: u8) {
        for (tile_mark, tile_count) in self.marks.iter_mut().zip(&self.counts) {
            if tile_count.restless > 0 && tile_count.restless * divisor >= tile_count.all {
                *tile_mark = mark;
            }
        }
    }

    /// Whether in the tiles that a box touches any particle moves, or at least one in `divisor` is
    /// restless. Particles that are stuck do not count.
    fn is_unsettled(&self, bounds: FluidBounds, divisor: u32) -> bool {
        let (mut all, mut free_restless) = (0, 0);
        for entry in self.entries_in(bounds) {
            let tile_count = self.counts[entry];
            if tile_count.moving > 0 {
                return true;
            }
            all += tile_count.all;
            free_restless += tile_count.free_restless;
        }
        free_restless > 0 && free_restless * divisor >= all
    }

    fn tile(&self, point: Vec2) -> (i64, i64) {
        let scaled = point * self.inverse_size;
        (i64::from(floor(scaled.x)), i64::from(floor(scaled.y)))
    }

    fn entry(&self, tile: (i64, i64)) -> usize {
        entry(self.columns, self.rows, tile.0, tile.1)
    }

    /// The mark of the tile that contains a point.
    fn mark_at(&self, point: Vec2) -> u8 {
        self.marks[self.entry(self.tile(point))]
    }

    /// Whether a box touches any marked tile.
    fn any_marked(&self, bounds: FluidBounds) -> bool {
        let (low, high) = (self.tile(bounds.low), self.tile(bounds.high));
        if high.0 - low.0 >= self.columns as i64 || high.1 - low.1 >= self.rows as i64 {
            return true;
        }
        (low.1..=high.1).any(|y| (low.0..=high.0).any(|x| self.marks[self.entry((x, y))] != 0))
    }

    /// The entries of the tiles that a box touches, limited to tiles near the particles.
    fn entries_in(&self, bounds: FluidBounds) -> impl Iterator<Item = usize> + use<> {
        let Self { columns, rows, .. } = *self;
        let intersects = bounds.intersects(FluidBounds { low: self.low, high: self.high });
        let low = self.tile(bounds.low.max(self.low));
        let high = self.tile(bounds.high.min(self.high));
        // Limits the range to one turn around the torus.
        let last_x = high.0.min(low.0.saturating_add(columns as i64 - 1));
        let last_y = high.1.min(low.1.saturating_add(rows as i64 - 1));
        let entry = move |x, y| entry(columns, rows, x, y);
        let row = move |y| (low.0..=last_x).map(move |x| entry(x, y));
        (low.1..=last_y).filter(move |_| intersects).flat_map(row)
    }

    /// Marks the tiles that a box touches, limited to tiles near the particles.
    pub(crate) fn mark(&mut self, bounds: FluidBounds, mark: u8) {
        for entry in self.entries_in(bounds) {
            self.marks[entry] = mark;
        }
    }

    /// Spreads every mark to all neighbouring tiles, `rounds` times. A mark loses 1 in each round.
    pub(crate) fn spread(&mut self, rounds: u32) {
        let Self { columns, rows, .. } = *self;
        let row_maximum = |row: &[u8], into: &mut [u8]| {
            for ((into, before), after) in into[1..].iter_mut().zip(row).zip(&row[2..]) {
                *into = (*before).max(*after);
            }
            into[0] = row[columns - 1].max(row[1]);
            into[columns - 1] = row[columns - 2].max(row[0]);
            for (into, middle) in into.iter_mut().zip(row) {
                *into = (*into).max(*middle);
            }
        };
        for _ in 0..rounds {
            self.scratch.resize(self.marks.len(), 0);
            for (row, into) in self.marks.chunks(columns).zip(self.scratch.chunks_mut(columns)) {
                row_maximum(row, into);
            }
            for y in 0..rows {
                let row = |y: usize| &self.scratch[(y % rows) * columns..][..columns];
                let (below, middle, above) = (row(y + rows - 1), row(y), row(y + 1));
                let marks = &mut self.marks[y * columns..][..columns];
                for (x, mark) in marks.iter_mut().enumerate() {
                    let highest = below[x].max(middle[x]).max(above[x]);
                    *mark = (*mark).max(highest.saturating_sub(1));
                }
            }
        }
    }
}

/// The entry of a tile in a table of this size.
fn entry(columns: usize, rows: usize, x: i64, y: i64) -> usize {
    (y as usize & (rows - 1)) * columns + (x as usize & (columns - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_spread_in_rings_and_wrap_around() {
        let mut tiles = Tiles::default();
        let point = Vec2::new(5.0, -5.0);
        tiles.clear(10.0, 1, FluidBounds::at(point));
        tiles.mark(FluidBounds::at(point), 4);
        tiles.spread(3);
        for (x, y) in (-7..=8).flat_map(|x| (-7..=8).map(move |y| (x, y))) {
            let away = i32::abs(x).max(i32::abs(y)) as u8;
            let position = point + 10.0 * Vec2::new(x as f32, y as f32);
            let expected = 4_u8.saturating_sub(away);
            assert_eq!(tiles.mark_at(position), expected, "{x} {y}");
            assert_eq!(tiles.mark_at(position + 160.0), expected, "a torus of 16 tiles");
            assert_eq!(tiles.any_marked(FluidBounds::at(position)), expected > 0);
        }
    }

    #[test]
    fn a_box_beyond_all_bounds_marks_each_tile_once() {
        let mut tiles = Tiles::default();
        let all = FluidBounds { low: Vec2::splat(-1e30), high: Vec2::splat(1e30) };
        tiles.clear(1.0, 100, all);
        tiles.mark(all, 1);
        assert!(tiles.marks.iter().all(|mark| *mark == 1));
        tiles.clear(1.0, 100, all);
        assert!(tiles.any_marked(all), "the box may be larger than the table");
    }

    #[test]
    fn far_apart_in_a_long_world_is_not_the_same_tile() {
        let point = |x: f32| FluidBounds { low: Vec2::new(x, 3.0), high: Vec2::new(x, 3.0) };
        let mut tiles = Tiles::default();
        tiles.clear(20.0, 1000, point(-5000.0).union(point(5000.0)));
        tiles.mark(point(-5000.0), 4);
        tiles.spread(3);
        let marked = (0..500).filter(|step| tiles.any_marked(point(20.0 * *step as f32 - 5000.0)));
        assert_eq!(marked.collect::<Vec<_>>(), [0, 1, 2, 3]);
        // A tile beyond all particles does not share an entry with them either.
        tiles.clear(20.0, 1000, point(0.0));
        tiles.mark(point(20.0 * 16.0), 4);
        assert!(!tiles.any_marked(point(0.0)));
        // There are many more tiles than particles, so entries are shared.
        tiles.clear(20.0, 1000, point(-5e6).union(point(5e6)));
        assert_eq!(tiles.marks.len(), MIN_ENTRY_LIMIT);
    }
}
