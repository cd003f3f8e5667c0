//! Bodies move their entities: motions, loads and transforms after a tick.

use bevy::ecs::entity::EntityHashMap;
use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::math::{Affine2, Affine3A, Mat2};
use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;
use blob_fluid::Motion;

use super::buoyant::{BodyState, FluidBuoyant, FluidMotion};
use super::targets::Target;
use crate::schedule::{FluidSchedule, FluidSenseSystems, FluidSystems};
use crate::simulation::{Fluid, FluidSimulation, interpolation, is_fixed};
use crate::solids::collider::{FluidCollider, FluidColliders, FluidLoad, LoadedHosts};

/// Adds the types and systems below.
pub(super) fn add_bodies(app: &mut App, schedule: InternedScheduleLabel) {
    let in_fixed_schedule = is_fixed(schedule);
    let between_ticks = move |time: Res<Time<Fluid>>, fixed: Res<Time<Fixed>>| {
        interpolation(&time, &fixed, in_fixed_schedule)
    };
    let sense = (forget_loads, read_bodies).chain().in_set(FluidSenseSystems::Bodies);
    app.add_systems(FluidSchedule, sense).add_systems(
        PostUpdate,
        between_ticks
            .pipe(place_bodies)
            .after(FluidSystems::Tick)
            .before(TransformSystems::Propagate),
    );
}

/// Resets the loads of entities that have neither a collider nor a body of an engine.
fn forget_loads(
    mut loads: Query<(Entity, &mut FluidLoad)>,
    colliders: Res<FluidColliders>,
    hosts: Res<LoadedHosts>,
) {
    for (entity, mut load) in &mut loads {
        if colliders.0.of(entity).is_none() && !hosts.0.contains(&entity) {
            load.set_if_neq(FluidLoad::default());
        }
    }
}

/// Copies the motions and loads of colliders to their entities after a tick.
pub(crate) fn read_bodies(
    mut known: ResMut<FluidColliders>,
    fluid: Res<FluidSimulation>,
    time: Res<Time>,
    mut bodies: Query<(&mut FluidMotion, &mut BodyState, &Transform), With<FluidBuoyant>>,
    mut loads: Query<&mut FluidLoad>,
) {
    let rate = 1.0 / time.delta_secs().min(fluid.parameters().max_time_step);
    let changed = known.bypass_change_detection();
    for Target { rank, id, solid: target, .. } in changed.0.iter_mut() {
        let Some(collider) = fluid.collider(*id) else { continue };
        if collider.is_attached() {
            // Its load is part of the load on its body.
            continue;
        }
        if let Ok(mut load) = loads.get_mut(rank.entity)
            && let Some(on_collider) = fluid.load_on(*id)
        {
            let force = on_collider.impulse * rate;
            load.set_if_neq(FluidLoad { force, torque: on_collider.angular_impulse * rate });
        }
        if !collider.is_body() {
            continue;
        }
        let standing = target.clone().with_pose(collider.pose());
        if let Ok(moved) = standing.and_then(|standing| standing.with_motion(collider.motion())) {
            *target = moved;
        }
        if let Ok((mut motion, mut state, transform)) = bodies.get_mut(rank.entity) {
            let Motion { velocity, angular_velocity } = collider.motion();
            motion.set_if_neq(FluidMotion { velocity, angular_velocity });
            state.motion = *motion;
            let pose = collider.pose();
            let jumped = state.was_moved(transform) || state.was_flipped(transform);
            state.previous_pose = if jumped { pose } else { state.pose };
            state.pose = pose;
            state.keeps_motion = false;
            state.written = Some(*transform);
        }
    }
}

/// Interpolates the transforms of bodies between their poses before and after the last tick:
/// `fraction` 0 is before, 1 is after.
fn place_bodies(
    In(fraction): In<f32>,
    mut bodies: ParamSet<(
        (TransformHelper, Query<(Entity, &ChildOf), PlacedBody>),
        Query<(Entity, &mut Transform, &mut BodyState), PlacedBody>,
    )>,
    mut parents: Local<EntityHashMap<Affine2>>,
) {
    parents.clear();
    let (transforms, children) = bodies.p0();
    parents.extend(children.iter().filter_map(|(entity, child_of)| {
        let parent = transforms.compute_global_transform(child_of.parent()).ok()?;
        let Affine3A { matrix3, translation } = parent.affine();
        let axes = Mat2::from_cols(matrix3.x_axis.truncate(), matrix3.y_axis.truncate());
        Some((entity, Affine2::from_mat2_translation(axes, translation.truncate())))
    }));
    for (entity, mut transform, mut state) in &mut bodies.p1() {
        if state.was_moved(&transform) || state.was_flipped(&transform) {
            // Not simulated yet, or just moved by the game.
            continue;
        }
        let BodyState { previous_pose: from, pose: to, .. } = *state;
        let position = from.translation.lerp(to.translation, fraction);
        let rotation = from.rotation.lerp(to.rotation, fraction);
        let parent = parents.get(&entity).copied().unwrap_or_default();
        let inverse = parent.inverse();
        // The axis that defines its rotation, as in `Placement`.
        let mirrored = parent.matrix2.determinant() * transform.scale.x * transform.scale.y < 0.0;
        let own_x = if mirrored {
            -inverse.transform_vector2(rotation.perp() * transform.scale.y.signum()).perp()
        } else {
            inverse.transform_vector2(rotation * transform.scale.x.signum())
        };
        let local = inverse.transform_point2(position);
        if !local.is_finite() || !own_x.is_finite() || own_x == Vec2::ZERO {
            // Its parent has no valid placement in the plane.
            continue;
        }
        let turned = Quat::from_rotation_z(own_x.to_angle());
        let translation = local.extend(transform.translation.z);
        let between = Transform { translation, rotation: turned, ..*transform };
        transform.set_if_neq(between);
        state.written = Some(*transform);
    }
}

/// Moves the entities of bodies to their poses after the last tick.
#[cfg(feature = "ggrs")]
pub(crate) fn place_at_last_tick(world: &mut World) {
    // It fails only if the world lacks a parameter, but queries are never missing.
    _ = world.run_system_cached_with(place_bodies, 1.0);
}

/// Filter: entities with a body.
type PlacedBody = (With<FluidBuoyant>, With<FluidCollider>);
