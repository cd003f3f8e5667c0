//! What happens between bodies of engines and the liquid in a tick.

use bevy::prelude::*;
use blob_fluid::{FluidWorld, HostBody, Load, Motion};

use super::sync::{FluidHosts, Host, LONGEST_WAIT};
use crate::simulation::{Fluid, FluidSimulation};
use crate::solids::{FluidColliders, FluidLoad, LONGEST_WAY, LoadedHosts};

/// How much more than gravity and liquid together may change a body's velocity in a tick, as a
/// multiple. More is an impact, which is over.
const LARGEST_CHANGE: f32 = 2.0;

/// How much faster than in its engine a body goes to where its engine has it, as a multiple, because
/// the liquid held it back before.
const CATCHING_UP: f32 = 2.0;

/// Largest turn, in radians, by which a body jumps that its engine does not turn as fast.
const LARGEST_TURN: f32 = 0.5;

/// Sets the motions of bodies, so that they arrive where their engine has them at the end of the
/// last tick, if the liquid pushes them as it did before.
pub(super) fn move_hosts(
    mut hosts: ResMut<FluidHosts>,
    colliders: Res<FluidColliders>,
    fluid_time: Res<Time<Fluid>>,
    mut fluid: ResMut<FluidSimulation>,
) {
    let tick = fluid_time.delta_secs().min(fluid.parameters().max_time_step);
    if tick <= 0.0 {
        return;
    }
    let ticks = fluid_time.context().ticks_ahead().max(1) as f32;
    for host in hosts.hosts.values_mut().filter(|host| host.target_is_new) {
        host.target_is_new = false;
        set_out(host, tick * ticks, ticks, &colliders, fluid.world_mut());
    }
}

/// Sets the motion of a body for the next `time` seconds, which are so many `ticks`. It jumps if it
/// is so far away that its engine's velocity does not explain it: a game has moved it, and has not
/// thrown it at the liquid.
fn set_out(
    host: &mut Host,
    time: f32,
    ticks: f32,
    colliders: &FluidColliders,
    fluid: &mut FluidWorld,
) {
    let now = std::mem::replace(&mut host.change, Motion::STILL);
    let before = std::mem::replace(&mut host.change_before, now);
    // Contacts that tremble change sides from step to step: the mean does not feed them.
    let change = Motion {
        velocity: 0.5 * (now.velocity + before.velocity),
        angular_velocity: 0.5 * (now.angular_velocity + before.angular_velocity),
    };
    let Some((id, body)) = host.id.and_then(|id| Some((id, *fluid.host_body(id)?))) else {
        return;
    };
    let (centre, rotation) = host.target;
    let motion = body.motion_to(centre, rotation, time);
    let radius = fluid.parameters().interaction_radius();
    let (speed, spin) = host.fastest;
    let jumps = motion.velocity.length() * time > LONGEST_WAY * radius * ticks
        || motion.velocity.length() > CATCHING_UP * speed + radius / time
        || motion.angular_velocity.abs() > CATCHING_UP * spin + LARGEST_TURN / time
        || body.rotation.dot(rotation) < -0.99;
    let load = fluid.host_body_load(id).unwrap_or_default();
    let gravity = fluid.parameters().gravity.length() * time;
    let liquid = (load.impulse * body.inverse_mass).length();
    let most = LARGEST_CHANGE * (gravity + liquid);
    let spins = LARGEST_CHANGE * (load.angular_impulse * body.inverse_inertia).abs();
    let body = if jumps {
        HostBody {
            centre,
            rotation,
            motion: Motion::STILL,
            acceleration: Vec2::ZERO,
            angular_acceleration: 0.0,
            ..body
        }
    } else {
        HostBody {
            motion,
            acceleration: change.velocity.clamp_length_max(most) / time,
            angular_acceleration: change.angular_velocity.clamp(-spins, spins) / time,
            ..body
        }
    };
    // A body that is not valid any more keeps its last motion.
    _ = fluid.set_host_body(id, body);
    if jumps {
        for (collider, target) in colliders.attached_to(id) {
            fluid.set_collider(collider, target.clone());
        }
    }
}

/// Notes which entities bear the loads of bodies.
pub(super) fn note_hosts(hosts: Res<FluidHosts>, mut loaded: ResMut<LoadedHosts>) {
    loaded.0.clear();
    loaded.0.extend(hosts.hosts.keys().copied());
}

/// Adds the loads of a tick to what the engines' bodies are to get.
pub(super) fn gather_loads(
    mut hosts: ResMut<FluidHosts>,
    fluid: Res<FluidSimulation>,
    time: Res<Time>,
    mut loads: Query<&mut FluidLoad>,
) {
    let tick = time.delta_secs().min(fluid.parameters().max_time_step);
    for (entity, host) in &mut hosts.hosts {
        let Some(Load { impulse, angular_impulse }) =
            host.id.and_then(|id| fluid.host_body_load(id))
        else {
            continue;
        };
        if let Ok(mut load) = loads.get_mut(*entity) {
            let (force, torque) = (impulse / tick, angular_impulse / tick);
            load.set_if_neq(FluidLoad { force, torque });
        }
        host.time_since_push += tick;
        host.rest_time += tick;
        if host.time_since_push > LONGEST_WAIT {
            // The engine stands still: its bodies must not shoot off when it goes on.
            host.pending = (Vec2::ZERO, 0.0);
            continue;
        }
        host.pending.0 += impulse / host.liquid_masses;
        host.pending.1 += angular_impulse / host.liquid_masses;
    }
}
