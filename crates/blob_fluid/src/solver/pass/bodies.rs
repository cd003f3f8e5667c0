//! Bodies: colliders that the liquid, gravity and contacts move (Clavet et al. 2005, Algorithm 6).

use glam::{DVec2, Vec2};

use crate::boundary::body::HostBodyRecord;
use crate::boundary::collider_record::ColliderRecord;
use crate::boundary::container::container_of;
use crate::boundary::near::WallCandidates;
use crate::boundary::slots::Slots;
use crate::boundary::solids::{FreeDiscs, Loads, Solids};
use crate::parallel::executor::{CHUNK, GROUP, PerChunk, parts};
use crate::particles::arrays::{Activity, takes_part};
use crate::solver::coefficients::Coefficients;
use crate::solver::pass::contacts::{
    Contacts, cache_impulses, find_contacts, solve_contacts, warm_start,
};
use crate::solver::pass::containment::{MovedParticle, for_each_moved, impact_friction};
use crate::{Executor, FluidBounds, HostBody, HostBodyId, Motion, Particles};

/// The coefficients of a substep that bodies need.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyCoefficients {
    pub time_step: f32,
    pub gravity: Vec2,
    pub particle_spacing: f32,
    /// See [`Coefficients::max_velocity_change`].
    pub max_velocity_change: f32,
    /// See [`Coefficients::max_body_speed`].
    pub max_body_speed: f32,
}

impl From<&Coefficients> for BodyCoefficients {
    fn from(coefficients: &Coefficients) -> Self {
        let &Coefficients {
            time_step,
            gravity,
            particle_spacing,
            max_velocity_change,
            max_body_speed,
            ..
        } = coefficients;
        Self { time_step, gravity, particle_spacing, max_velocity_change, max_body_speed }
    }
}

/// Applies the impulse and the angular impulse of the liquid in this substep to bodies and host
/// bodies: `V += J/M + dt g` and `w += T/I`. Then solves the contacts of the bodies. The bodies
/// move in the next [`FluidPass::AdvancePositions`](crate::FluidPass::AdvancePositions).
///
/// `apply_added_mass` passes a part of the change on to the liquid: see [`AddedMass`].
pub(crate) fn move_bodies(
    solids: &mut Solids,
    contacts: &mut Contacts,
    coefficients: BodyCoefficients,
    apply_added_mass: impl FnOnce(&mut Solids),
) {
    if !solids.any_bears_load() {
        return;
    }
    let BodyCoefficients { time_step, gravity, particle_spacing: spacing, max_body_speed, .. } =
        coefficients;
    let Solids { colliders, host_bodies, .. } = &mut *solids;
    for collider in colliders.iter_mut().filter(|collider| !collider.is_sleeping()) {
        let load = collider.end_substep();
        if let Some(attachment) = &collider.options.attachment
            && let Some(carrier) = host_bodies.index_of(attachment.body)
        {
            host_bodies[carrier].add(collider.centre(), load);
        }
        let Some(body) = collider.options.body else { continue };
        let decay = 1.0 / (1.0 + body.drag * time_step);
        let radius = collider.bounding_radius();
        let motion = collider.motion_mut();
        let gravity_change =
            if body.pinned { Vec2::ZERO } else { gravity * body.gravity_scale * time_step };
        let old_motion = *motion;
        let load = if max_body_speed < f32::INFINITY {
            let inverse_mass = Vec2::splat(body.inverse_mass());
            load.limited(old_motion, inverse_mass, body.inverse_inertia(), radius, max_body_speed)
        } else {
            load
        };
        motion.velocity += load.impulse * body.inverse_mass() + gravity_change;
        motion.velocity *= decay;
        motion.angular_velocity += load.angular_impulse * body.inverse_inertia();
        motion.angular_velocity *= decay;
        limit_motion_change(motion, old_motion, coefficients.max_velocity_change, radius);
        if motion.validate().is_err() {
            *motion = Motion::STILL;
        }
    }
    if max_body_speed < f32::INFINITY {
        for index in 0..host_bodies.len() {
            let radius = bounding_radius_of(index, host_bodies, colliders);
            host_bodies[index].limit_load(radius, max_body_speed);
        }
    }
    for body in host_bodies.iter_mut() {
        body.end_substep(time_step, coefficients.max_velocity_change);
    }
    find_contacts(solids, spacing, time_step, contacts);
    warm_start(&mut contacts.list, solids);
    apply_added_mass(solids);
    solve_contacts(&mut contacts.list, &mut solids.colliders, spacing, time_step);
    cache_impulses(&contacts.list, &mut solids.cached_contacts);
    reset_invalid_motions(solids);
}

/// Solves contacts with solids that the host has changed since the last substep, before the first advance of
/// a tick. So a lift that starts suddenly carries the bodies on it. `time_step` is in seconds.
pub(crate) fn solve_changed_contacts(
    solids: &mut Solids,
    contacts: &mut Contacts,
    spacing: f32,
    time_step: f32,
) {
    if !std::mem::take(&mut solids.contacts_outdated) || !solids.any_bears_load() {
        return;
    }
    find_contacts(solids, spacing, time_step, contacts);
    contacts.list.iter_mut().for_each(|contact| contact.compute_effective_mass(&solids.colliders));
    solve_contacts(&mut contacts.list, &mut solids.colliders, spacing, time_step);
    reset_invalid_motions(solids);
}

/// Stops bodies whose motions are not finite or too fast.
fn reset_invalid_motions(solids: &mut Solids) {
    for collider in solids.colliders.iter_mut() {
        if collider.motion.validate().is_err() || collider.shift.validate().is_err() {
            *collider.motion_mut() = Motion::STILL;
            *collider.shift_mut() = Motion::STILL;
        }
    }
}

/// Upper bound of the distance from a host body's centre of mass to the edges of its colliders.
fn bounding_radius_of(
    index: usize,
    host_bodies: &Slots<HostBodyId, HostBodyRecord>,
    colliders: &[ColliderRecord],
) -> f32 {
    let centre = host_bodies[index].body.pose.translation;
    let is_on_body = |collider: &&ColliderRecord| {
        let attachment = collider.options.attachment.as_ref();
        attachment.and_then(|attachment| host_bodies.index_of(attachment.body)) == Some(index)
    };
    let radius_of =
        |collider: &ColliderRecord| collider.centre().distance(centre) + collider.bounding_radius();
    // A half plane is unbounded.
    colliders.iter().filter(is_on_body).map(radius_of).fold(0.0, f32::max).min(1e18)
}

/// Limits the change of a body's motion by liquid and gravity in a substep. Neither the body nor
/// its edge at the distance `radius` gets faster than `max_speed`, which is the limit for
/// particles. A body that was already faster does not get faster.
fn limit_motion_change(motion: &mut Motion, old_motion: Motion, max_speed: f32, radius: f32) {
    let limit = max_speed.max(old_motion.velocity.length());
    if motion.velocity.length() > limit {
        // The velocity of a very light body may be infinite.
        let finite = motion.velocity.clamp(Vec2::splat(-1e18), Vec2::splat(1e18));
        motion.velocity = finite.clamp_length_max(limit);
    }
    let limit = (max_speed / radius).max(old_motion.angular_velocity.abs());
    motion.angular_velocity = motion.angular_velocity.clamp(-limit, limit);
}

/// The bodies that the liquid may move in a substep.
#[derive(Clone, Debug, Default)]
pub(crate) struct BodyTable {
    /// All host bodies, then the colliders that are awake bodies.
    pub bodies: Vec<RecordedBody>,
    /// The colliders of all bodies, sorted by index, each with the index of its body.
    pub colliders: Vec<(usize, usize)>,
}

/// A body or host body at the beginning of a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordedBody {
    /// Index of the collider; `None` for a host body.
    pub collider: Option<usize>,
    centre: Vec2,
    pub inverse_mass: Vec2,
    inverse_inertia: f32,
    motion: Motion,
}

impl BodyTable {
    /// Records the bodies and their motions, before loads, gravity and contacts change the motions.
    pub(crate) fn record(&mut self, solids: &Solids) {
        let Self { bodies, colliders } = self;
        bodies.clear();
        colliders.clear();
        if !solids.any_bears_load() {
            return;
        }
        bodies.extend(solids.host_bodies.iter().map(|carried| {
            let HostBody { pose, motion, inverse_mass, inverse_inertia, .. } = carried.body;
            let centre = pose.translation;
            RecordedBody { collider: None, centre, inverse_mass, inverse_inertia, motion }
        }));
        for index in solids.boxes.movers() {
            let record = &solids.colliders[index];
            if let Some(attachment) = &record.options.attachment
                && let Some(host) = solids.host_bodies.index_of(attachment.body)
            {
                colliders.push((index, host));
            } else if let Some(body) = record.options.body.filter(|_| !record.is_sleeping()) {
                colliders.push((index, bodies.len()));
                bodies.push(RecordedBody {
                    collider: Some(index),
                    centre: record.centre(),
                    inverse_mass: Vec2::splat(body.inverse_mass()),
                    inverse_inertia: body.inverse_inertia(),
                    motion: record.motion,
                });
            }
        }
    }

    /// The index of the body to which a collider belongs.
    pub(crate) fn body_of(&self, collider: usize) -> Option<usize> {
        let entry = self.colliders.binary_search_by_key(&collider, |(index, _)| *index).ok()?;
        Some(self.colliders[entry].1)
    }
}

// The added mass of bodies: particles near a body are accelerated together with it.
//
// The impulses of the liquid in a substep do not depend on the response of the body. A body that is
// lighter than the liquid that it displaces accelerates too much, and the next substep accelerates
// it back even more. In reality, a body accelerates the liquid around it as well. Here, a part of
// the mass of each particle near the body is attached to it for the substep. Body and particles
// exchange momentum, so the total momentum is conserved. At rest, where load, weight and contacts
// cancel, they exchange nothing.

/// The particles near bodies in a substep, and the buffers to find them.
#[derive(Clone, Debug, Default)]
pub(crate) struct AddedMass {
    /// For each body of the table.
    attached: Vec<AttachedMass>,
    /// For each chunk of particles, the particles near bodies.
    nearby_particles: Vec<Vec<NearbyParticle>>,
}

/// A particle within the interaction radius of a body's collider.
#[derive(Clone, Copy, Debug)]
struct NearbyParticle {
    particle: usize,
    collider: usize,
    body: usize,
    /// The mass that would be attached to a massless body, in units of `fraction` of
    /// [`AddedMass::distribute`].
    mass: f32,
}

/// The moments of the masses that are attached to a body.
#[derive(Clone, Copy, Debug, Default)]
struct AttachedMass {
    /// Moments of the attached masses: the sums of `m`, `m r` and `m r²`, where `r` is the offset
    /// from the centre.
    mass: f64,
    first_moment: DVec2,
    second_moment: f64,
    /// Factor on the attached masses.
    scale: f32,
    /// The change of the body's motion in this substep, together with the attached masses.
    motion_change: Motion,
}

impl AttachedMass {
    fn add(&mut self, offset: Vec2, mass: f32) {
        let (offset, mass) = (offset.as_dvec2(), f64::from(mass));
        self.mass += mass;
        self.first_moment += mass * offset;
        self.second_moment += mass * offset.length_squared();
    }

    /// Scales the attached masses, so that together with the mass of the body they are at least `fraction` times
    /// their unscaled sum. For a fixed centre, this holds for moments of inertia. A heavier body needs none.
    fn limit(&mut self, body: &RecordedBody, fraction: f32) {
        let fraction = f64::from(fraction);
        let inverse_mass = f64::from(body.inverse_mass.max_element());
        // Its own mass relative to the smallest stable mass; infinite if it cannot move.
        let relative_mass = if inverse_mass > 0.0 {
            1.0 / (inverse_mass * fraction * self.mass)
        } else {
            1.0 / (f64::from(body.inverse_inertia) * fraction * self.second_moment)
        };
        let scale = fraction * (1.0 - relative_mass).max(0.0);
        self.scale = scale as f32;
        self.mass *= scale;
        self.first_moment *= scale;
        self.second_moment *= scale;
    }

    /// The change of the body's motion together with the attached masses, where `new_motion` is its motion
    /// without them. This solves `dV = dV_0 - M^-1 A dV` for both axes and the angle, where `A` is
    /// the mass matrix of the attached masses.
    fn coupled_change(&self, body: &RecordedBody, new_motion: Motion) -> Motion {
        let inverse_mass = body.inverse_mass.as_dvec2();
        let inverse_inertia = f64::from(body.inverse_inertia);
        let uncoupled = (new_motion.velocity - body.motion.velocity).as_dvec2();
        let uncoupled_angular =
            f64::from(new_motion.angular_velocity - body.motion.angular_velocity);
        let share = 1.0 / (1.0 + inverse_mass * self.mass);
        let levers = self.first_moment.perp();
        let straight = uncoupled * share;
        let coupling = levers * inverse_mass * share;
        let stiffness = 1.0 + inverse_inertia * (self.second_moment - levers.dot(coupling));
        let angular = (uncoupled_angular - inverse_inertia * levers.dot(straight)) / stiffness;
        Motion {
            velocity: (straight - coupling * angular).as_vec2(),
            angular_velocity: angular as f32,
        }
    }
}

impl AddedMass {
    /// Makes particles near bodies share the change of motion that loads, gravity and contacts
    /// cause: `v_k += w_k/m_k (dV + dw x r_k)` and `(M + sum w_k) dV = M dV_0`, with the
    /// corresponding moments. `w_k` is the attached mass, and `dV_0` the change without it.
    ///
    /// The attached mass of a particle at the wall is `fraction` times its mass. It decreases to 0
    /// at the interaction radius, and with the mass of the body. A body that is heavy enough to be
    /// stable has no attached mass.
    pub(crate) fn distribute(
        &mut self,
        table: &BodyTable,
        particles: &mut Particles,
        solids: &mut Solids,
        fraction: f32,
        coefficients: &Coefficients,
        executor: &dyn Executor,
    ) {
        let BodyTable { bodies, colliders } = table;
        if colliders.is_empty() {
            return;
        }
        self.find_nearby_particles(colliders, particles, solids, coefficients, executor);
        let Self { attached, nearby_particles } = self;
        attached.clear();
        attached.resize(bodies.len(), AttachedMass::default());
        for nearby in nearby_particles.iter().flatten() {
            let offset = particles.position[nearby.particle] - bodies[nearby.body].centre;
            attached[nearby.body].add(offset, nearby.mass);
        }
        for (index, (body, attached)) in bodies.iter().zip(&mut *attached).enumerate() {
            if attached.mass == 0.0 {
                continue;
            }
            let motion = match body.collider {
                Some(collider) => solids.colliders[collider].motion_mut(),
                None => &mut solids.host_bodies[index].body.motion,
            };
            if motion.validate().is_err() {
                // `reset_invalid_motions` stops the body afterwards.
                continue;
            }
            attached.limit(body, fraction);
            if attached.scale == 0.0 {
                continue;
            }
            attached.motion_change = attached.coupled_change(body, *motion);
            motion.velocity = body.motion.velocity + attached.motion_change.velocity;
            motion.angular_velocity =
                body.motion.angular_velocity + attached.motion_change.angular_velocity;
        }
        for nearby in nearby_particles.iter().flatten() {
            let (body, attached) = (&bodies[nearby.body], &attached[nearby.body]);
            if attached.scale == 0.0 {
                continue;
            }
            let (particle, point) = (nearby.particle, particles.position[nearby.particle]);
            let impulse =
                attached.motion_change.at(point - body.centre) * (attached.scale * nearby.mass);
            let class = particles.class[particle].index();
            particles.velocity[particle] += impulse * coefficients.classes[class].inverse_mass;
            let host = body.collider.is_none().then_some(nearby.body);
            solids.add_reaction(nearby.collider, host, point, -impulse);
        }
    }

    /// Finds the particles near bodies.
    fn find_nearby_particles(
        &mut self,
        colliders: &[(usize, usize)],
        particles: &Particles,
        solids: &Solids,
        coefficients: &Coefficients,
        executor: &dyn Executor,
    ) {
        let nearby_particles = &mut self.nearby_particles;
        let reach = coefficients.interaction_radius;
        let count = particles.len();
        nearby_particles.resize_with(count.div_ceil(CHUNK), Vec::new);
        let chunks = PerChunk::new(nearby_particles, count, CHUNK);
        executor.for_each_chunk((0..count, chunks), CHUNK, |_, (indices, nearby_particles)| {
            let nearby_particles = nearby_particles.item();
            nearby_particles.clear();
            let activity = &particles.activity[indices.clone()];
            if !takes_part(activity, Activity::Awake) {
                return;
            }
            let bounds_of = |part| FluidBounds::of(&particles.position[part]);
            let reach_bounds = |collider: usize| solids.boxes[collider].inflated(reach);
            let chunk_bounds = bounds_of(indices.clone());
            let mut near_chunk = colliders
                .iter()
                .filter(|(collider, _)| reach_bounds(*collider).intersects(chunk_bounds))
                .peekable();
            if near_chunk.peek().is_none() {
                return;
            }
            let mut group_bounds = [FluidBounds::NONE; CHUNK / GROUP];
            for (bounds, group) in group_bounds.iter_mut().zip(parts(indices.clone(), GROUP)) {
                *bounds = bounds_of(group);
            }
            for (collider, body) in near_chunk {
                let (record, reach_bounds) =
                    (&solids.colliders[*collider], reach_bounds(*collider));
                let groups = parts(indices.clone(), GROUP).zip(group_bounds);
                let near = groups.filter(|(_, bounds)| reach_bounds.intersects(*bounds));
                for index in near.flat_map(|(group, _)| group) {
                    let point = particles.position[index];
                    if !reach_bounds.contains(point)
                        || particles.activity[index] < Activity::Awake
                        || !record.stops(particles.class[index])
                    {
                        continue;
                    }
                    let Some(wall) = record.query_wall(point, reach, solids.jump_depth).wall()
                    else {
                        continue;
                    };
                    let closeness = 1.0 - wall.distance.max(0.0) * coefficients.inverse_radius;
                    let class = particles.class[index].index();
                    let mass = closeness * coefficients.classes[class].mass;
                    nearby_particles.push(NearbyParticle {
                        particle: index,
                        collider: *collider,
                        body: *body,
                        mass,
                    });
                }
            }
        });
    }
}

// Walls that reflect particles, for the solvers that use them.

/// How the walls of convex containers reflect particles.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reflection {
    /// Fraction of the normal speed that a particle keeps.
    pub restitution: f32,
    /// Distance beyond a wall, in world units, up to which a particle is not moved.
    pub dead_zone: f32,
}

/// Moves particles that are beyond a wall by more than the dead zone back inside, and reflects
/// their normal velocity.
pub(crate) fn reflect_particles(
    particles: &mut Particles,
    boundary: &mut Solids,
    loads: &mut Loads,
    free_discs: &FreeDiscs,
    reflection: Reflection,
    coefficients: &Coefficients,
    executor: &dyn Executor,
) {
    let reflect = |solids: &Solids, _: &WallCandidates, particle: MovedParticle| {
        let MovedParticle {
            coefficients, velocity, previous_position, position, displacement, ..
        } = particle;
        let Some(container) = container_of(&solids.containers, previous_position) else {
            return;
        };
        let time_step = coefficients.time_step;
        let inset = 0.4 * reflection.dead_zone;
        container.for_each_wall_near(*position, 0.0, |wall| {
            if wall.distance >= -reflection.dead_zone {
                return;
            }
            let travel = (velocity - wall.velocity) * time_step + *displacement;
            let normal_travel = travel.dot(wall.normal);
            let tangential = travel - wall.normal * normal_travel;
            *position += wall.normal * (inset - wall.distance);
            let unsticking = coefficients.unsticking_speed * time_step;
            let reflected_travel = (-normal_travel).max(0.0) * (1.0 + reflection.restitution);
            *displacement += wall.normal * (reflected_travel + unsticking);
            let impact_speed = (-normal_travel).max(0.0) / (coefficients.speed_unit * time_step);
            let friction = wall.properties.friction.unwrap_or(0.0);
            *displacement -= tangential * impact_friction(friction, impact_speed);
        });
    };
    for_each_moved(particles, boundary, loads, free_discs, true, coefficients, executor, reflect);
}
