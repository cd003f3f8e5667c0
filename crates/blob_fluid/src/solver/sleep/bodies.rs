//! Chooses the bodies that sleep. Not in the paper.
//!
//! A body rests if it has stayed at its place for as long as liquid must to settle. It sleeps if no
//! liquid near it moves and no body that it may touch is awake. Liquid that sleeps exerts no load,
//! so that all liquid near a body that is awake is awake as well.

use crate::boundary::collider::Collider;
use crate::boundary::collider_boxes::ColliderBoxes;
use crate::boundary::collider_record::ColliderRecord;
use crate::boundary::solids::Solids;
use crate::geometry::bounds::FluidBounds;
use crate::geometry::pose::Pose;
use crate::liquid::sleep::Sleep;
use crate::liquid::state::Liquid;
use crate::settings::parameters::FluidParameters;
use crate::solver::sleep::tiles::{MOVES, Tiles, UNSETTLED_SHARE};

/// Speed, in V0, above which a body that the liquid moves is not at rest, unless it has stayed at its
/// place for a while. It rises or sinks until what it displaces has spread, so that liquid must be
/// awake not only beside it.
const AFLOAT: f32 = 0.01;

/// Speed, in V0, above which a body never is at rest. Slower than that, a body that leans on another
/// one may tremble at its place.
const TREMBLING: f32 = 0.05;

/// Largest distance of a resting body from its rest pose, as a fraction of the distance for
/// particles. A boat that rises slowly is not at rest.
const REST_DRIFT: f32 = 0.2;

/// Largest gap, in particle spacings, between the boxes around two bodies that may touch.
const TOUCHING: f32 = 0.5;

/// Whether a body sleeps at all when it rests.
fn may_sleep(collider: &Collider) -> bool {
    collider.is_body() && !collider.is_attached() && !collider.options.reports_load
}

/// Speed of the fastest point of a solid, or somewhat more.
fn largest_speed(collider: &Collider) -> f32 {
    let turning = collider.motion.angular_velocity.abs();
    let swing = if turning > 0.0 { turning * collider.farthest() } else { 0.0 };
    collider.motion.velocity.length() + swing
}

/// Whether the liquid or a host moves a solid faster than a body at rest.
pub(crate) fn is_afloat(
    collider: &Collider,
    parameters: &FluidParameters,
    settling_time: f32,
) -> bool {
    if !(collider.is_body() || collider.is_attached()) {
        return false;
    }
    let stays = may_sleep(collider) && collider.rest.time >= 0.5 * settling_time;
    let slow = if stays { TREMBLING } else { AFLOAT };
    largest_speed(collider) > slow * parameters.speed_unit()
}

/// Wakes all bodies.
pub(crate) fn wake_all_bodies(solids: &mut Solids) {
    for index in solids.boxes.movers() {
        solids.colliders[index].wake();
    }
}

/// Wakes the bodies where something happens that wakes particles. They have to rest anew.
pub(crate) fn wake_disturbed_bodies(solids: &mut Solids, sleep: &Sleep, radius: f32) {
    if sleep.everywhere {
        wake_all_bodies(solids);
        return;
    }
    let Solids { boxes, colliders, .. } = solids;
    for bounds in sleep.disturbances.iter().chain(&sleep.regions) {
        boxes.visit_movers(bounds.inflated(radius), |index| colliders[index as usize].wake());
    }
}

/// Whether any body rests.
pub(crate) fn any_body_rests(solids: &Solids, settling_time: f32) -> bool {
    let mut movers = solids.boxes.movers().map(|index| &solids.colliders[index]);
    movers.any(|collider| collider.is_body() && collider.rest.time >= settling_time)
}

/// Chooses which bodies sleep, by the particles that move or have not settled in the tiles around
/// them, and marks the tiles around the others.
pub(crate) fn choose_bodies(
    solids: &mut Solids,
    parameters: &FluidParameters,
    tiles: &mut Tiles,
    settling_time: f32,
    time: f32,
) {
    let radius = parameters.interaction_radius();
    let Solids { boxes, colliders, .. } = &mut *solids;
    let mut awake = std::mem::take(&mut tiles.awake_bodies);
    awake.clear();
    for index in boxes.movers() {
        let collider = &mut colliders[index];
        if !collider.is_body() {
            continue;
        }
        // Near a body as in a tile, a few particles may move: a drop that slides down its side.
        let around = collider.pose.bounds(&collider.shape).inflated(radius);
        let rests = may_sleep(collider) && collider.rest.time >= settling_time;
        let asleep = rests && !tiles.is_unsettled(around, UNSETTLED_SHARE);
        collider.rest_mut().asleep = asleep;
        if !asleep {
            awake.push(index);
        }
    }
    wake_touching(boxes, colliders, &mut awake, TOUCHING * parameters.particle_spacing);
    for index in &awake {
        tiles.mark(colliders[*index].swept_ahead(time).inflated(radius), MOVES);
    }
    tiles.awake_bodies = awake;
    put_to_sleep(solids);
}

/// Wakes the bodies that may touch one that is awake, and so on, and adds them to the list.
fn wake_touching(
    boxes: &ColliderBoxes,
    colliders: &mut [ColliderRecord],
    awake: &mut Vec<usize>,
    gap: f32,
) {
    let ignores =
        |collider: &Collider| collider.options.body.is_none_or(|body| body.ignore_contacts);
    let mut next = 0;
    while let Some(index) = awake.get(next).copied() {
        next += 1;
        if ignores(&colliders[index]) {
            continue;
        }
        boxes.visit_movers(boxes[index].inflated(gap), |other| {
            let touched = &mut colliders[other as usize];
            if touched.is_sleeping() && !ignores(touched) {
                touched.rest_mut().asleep = false;
                awake.push(other as usize);
            }
        });
    }
}

/// Stops the bodies that are to sleep.
fn put_to_sleep(solids: &mut Solids) {
    let movers = solids.boxes.movers().len();
    for rank in 0..movers {
        let index = solids.boxes.mover(rank);
        let collider = &solids.colliders[index];
        if collider.is_sleeping() && collider.is_under_way() {
            solids.put_to_sleep(index);
        }
    }
}

/// Runs at the end of a tick of `time` seconds: updates how long each body has been at rest. Returns
/// whether all bodies rest.
pub(crate) fn settle_bodies(
    solids: &mut Solids,
    parameters: &FluidParameters,
    settling_time: f32,
    time: f32,
) -> bool {
    let drift = REST_DRIFT * parameters.sleeping.drift * parameters.particle_spacing;
    let mut all_rest = true;
    for index in solids.boxes.movers() {
        let collider = &mut solids.colliders[index];
        if !collider.is_awake_body() {
            continue;
        }
        let Pose { centre, rotation } = collider.rest.pose;
        let turn = rotation.distance(collider.pose.rotation);
        let swing = if turn > 0.0 { turn * collider.farthest() } else { 0.0 };
        let stays = centre.distance(collider.pose.centre) + swing <= drift;
        if stays && largest_speed(collider) <= TREMBLING * parameters.speed_unit() {
            let rest = collider.rest_mut();
            rest.time = (rest.time + time).min(settling_time);
        } else {
            collider.wake();
        }
        all_rest &= may_sleep(collider) && collider.rest.time >= settling_time;
    }
    all_rest
}

/// Lets all bodies sleep.
pub(crate) fn put_all_bodies_to_sleep(solids: &mut Solids) {
    for index in solids.boxes.movers() {
        let collider = &mut solids.colliders[index];
        collider.rest_mut().asleep = collider.is_body();
    }
    put_to_sleep(solids);
}

/// Whether a body meets a box.
pub(crate) fn any_body_in(liquid: &Liquid, bounds: FluidBounds) -> bool {
    let solids = &liquid.boundary;
    let mut any = false;
    solids.boxes.visit_movers(bounds, |index| any |= solids.colliders[index as usize].is_body());
    any
}
