//! Bodies of engines as host bodies of the simulation.

use std::any::type_name;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::Arc;

use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleConfigs, ScheduleLabel};
use bevy::ecs::system::{ScheduleSystem, StaticSystemParam, SystemParam, SystemParamItem};
use bevy::prelude::*;
use blob_fluid::{
    Attachment, Body, Collider, ColliderOptions, FluidBounds, FluidParameters, FluidWorld,
    HostBody, HostBodyId, Load, Motion, OutOfRange, Pose,
};

use crate::engines::bodies::{
    EngineBodies, EngineBody, EnginePush, FluidCoupled, KnownCollider, Piece, ShapeError,
};
use crate::schedule::{
    FluidEntitySystems, FluidSchedule, FluidSenseSystems, FluidSystems, FluidTickSystems, Ranks,
};
use crate::simulation::{Fluid, FluidSimulation, KeepsPace, RestartApp};
use crate::solids::{
    EntityPart, FluidColliders, FluidLoad, ForeignColliders, LONGEST_WAY, LoadedHosts, move_solids,
    read_bodies, sync_colliders,
};

/// Speed of the liquid around a body above which the body does not sleep, in
/// [speed units](FluidParameters::speed_unit).
const MOVING: f32 = 0.1;

/// Largest distance of a resting body from its rest position, as a fraction of the largest distance of
/// resting particles. Engines let slow bodies sleep, but a slowly rising boat is not at rest.
const REST: f32 = 0.2;

/// The dynamic bodies of all engines that are coupled to the liquid.
#[derive(Resource, Clone, Debug, Default)]
pub(crate) struct FluidHosts {
    pub hosts: BTreeMap<Entity, Host>,
    /// Handles of bodies that are gone or asleep, but may still carry colliders in the simulation.
    pub gone: Vec<HostBodyId>,
}

/// A dynamic body of an engine.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Host {
    /// The name of its engine, as last collected. Snapshots contain it for the pending impulses.
    pub engine: Cow<'static, str>,
    /// Its body in the simulation; `None` while it sleeps.
    #[cfg_attr(feature = "snapshot", serde(skip))]
    pub id: Option<HostBodyId>,
    /// Its pose in the engine: centre of mass and rotation.
    pub target: Pose,
    /// Whether the target is newer than the last tick.
    pub target_is_new: bool,
    /// Masses of the liquid per mass of the engine.
    pub liquid_masses: f32,
    /// Velocities in the engine at the last collection.
    motion: Motion,
    /// Its largest speed and angular speed in the engine at the last two collections.
    pub fastest: (f32, f32),
    /// Change of its velocities since the last tick, except by the liquid.
    pub change: Motion,
    /// The same change for the previous tick.
    pub change_before: Motion,
    /// Change of its velocities by the impulses pushed since the last collection.
    given: Motion,
    inverse_mass: Vec2,
    inverse_inertia: f32,
    /// Impulse and angular impulse of the liquid since the last push, in masses of the engine.
    pub pending: (Vec2, f32),
    /// Time of the ticks since the last push, in seconds.
    pub time_since_push: f32,
    wakes: bool,
    /// Its rest pose. `rest_time` is the time at that pose, in seconds.
    rest: Pose,
    pub rest_time: f32,
    /// Its areas, and the parts and the particle spacing that they were computed from.
    #[cfg_attr(feature = "snapshot", serde(skip))]
    areas: Option<(Vec<Part>, f32, Areas)>,
}

/// Longest time for which impulses are kept for the engine, in seconds.
const LONGEST_WAIT: f32 = 0.25;

impl FluidHosts {
    /// The impulses for the bodies of an engine.
    pub(super) fn pushes(&self, engine: &'static str) -> impl Iterator<Item = EnginePush> {
        let hosts = self.hosts.iter().filter(move |(_, host)| host.engine == engine);
        hosts.filter_map(|(body, host)| {
            let (impulse, angular_impulse) = host.pending;
            let any = host.wakes || impulse != Vec2::ZERO || angular_impulse != 0.0;
            any.then_some(EnginePush { body: *body, impulse, angular_impulse, wakes: host.wakes })
        })
    }

    /// Records that the bodies of an engine have received their impulses.
    pub(super) fn pushed(&mut self, engine: &'static str) {
        for host in self.hosts.values_mut().filter(|host| host.engine == engine) {
            let (impulse, angular_impulse) = std::mem::take(&mut host.pending);
            host.time_since_push = 0.0;
            host.given.velocity += impulse * host.inverse_mass;
            host.given.angular_velocity += angular_impulse * host.inverse_inertia;
        }
    }

    /// Resets all state, for a liquid that starts over.
    pub(super) fn start_over(world: &mut World) {
        world.insert_resource(Self::default());
        world.insert_resource(ForeignColliders::default());
        world.insert_resource(KeepsPace::default());
    }
}

impl Host {
    fn new(engine: &'static str, body: &EngineBody) -> Self {
        Self {
            engine: Cow::Borrowed(engine),
            id: None,
            target: body.pose,
            target_is_new: true,
            liquid_masses: 1.0,
            motion: body.motion,
            fastest: (body.motion.velocity.length(), body.motion.angular_velocity.abs()),
            change: Motion::STILL,
            change_before: Motion::STILL,
            given: Motion::STILL,
            inverse_mass: body.inverse_mass,
            inverse_inertia: body.inverse_inertia,
            pending: (Vec2::ZERO, 0.0),
            time_since_push: 0.0,
            wakes: false,
            rest: body.pose,
            rest_time: 0.0,
            areas: None,
        }
    }

    /// Updates the state from the engine's body.
    fn update(&mut self, body: &EngineBody) {
        self.target = body.pose;
        self.target_is_new = true;
        let given = std::mem::take(&mut self.given);
        let before = std::mem::replace(&mut self.motion, body.motion);
        let speeds = |motion: Motion| (motion.velocity.length(), motion.angular_velocity.abs());
        let (was, is) = (speeds(before), speeds(body.motion));
        self.fastest = (was.0.max(is.0), was.1.max(is.1));
        self.change.velocity += body.motion.velocity - before.velocity - given.velocity;
        self.change.angular_velocity +=
            body.motion.angular_velocity - before.angular_velocity - given.angular_velocity;
        (self.inverse_mass, self.inverse_inertia) = (body.inverse_mass, body.inverse_inertia);
        if body.asleep {
            (self.pending, self.time_since_push, self.change) =
                ((Vec2::ZERO, 0.0), 0.0, Motion::STILL);
        }
    }

    /// Whether it has recently moved by more than liquid at rest moves a body.
    fn moves(&mut self, parameters: &FluidParameters) -> bool {
        let FluidParameters { sleeping, particle_spacing, .. } = parameters;
        let (target, rest) = (self.target, self.rest);
        let gyration = if self.inverse_inertia > 0.0 {
            (self.inverse_mass.max_element() / self.inverse_inertia).sqrt()
        } else {
            0.0
        };
        let way = target.translation.distance(rest.translation)
            + gyration * target.rotation.distance(rest.rotation);
        if way > REST * sleeping.drift * particle_spacing {
            (self.rest, self.rest_time) = (self.target, 0.0);
        }
        self.rest_time < sleeping.after * parameters.time_unit()
    }

    /// Updates the ratio of masses for a body with these parts.
    fn weigh(&mut self, body: &EngineBody, coupled: &FluidCoupled, parts: Vec<Part>, spacing: f32) {
        let same = |(old, at, _): &(Vec<Part>, f32, Areas)| {
            let is_same = |(a, b): (&Part, &Part)| Arc::ptr_eq(&a.0, &b.0) && a.1 == b.1;
            *at == spacing && old.len() == parts.len() && old.iter().zip(&parts).all(is_same)
        };
        if !self.areas.as_ref().is_some_and(same) {
            let areas = areas(&parts, spacing);
            self.areas = Some((parts, spacing, areas));
        }
        let Some((_, _, Areas { summed, displaced })) = self.areas else { return };
        let particles = displaced / (spacing * spacing);
        let ratio = match coupled.density {
            Some(density) => density * particles / body.mass,
            None if summed > 0.0 => particles / (summed * coupled.liquid_density),
            None => 1.0 / (spacing * spacing * coupled.liquid_density),
        };
        // With an invalid density the last valid ratio stays in use.
        if ratio.is_finite() && ratio > 0.0 {
            self.liquid_masses = ratio;
        }
    }

    /// The host body at the engine's pose.
    fn host_body(&self) -> HostBody {
        HostBody {
            motion: self.motion,
            inverse_mass: self.inverse_mass / self.liquid_masses,
            inverse_inertia: self.inverse_inertia / self.liquid_masses,
            ..HostBody::at(self.target)
        }
    }
}

/// Updates the host bodies from the collected bodies, and lists the colliders of all engines.
fn sync_hosts(
    ranks: Ranks,
    mut engines: ResMut<EngineBodies>,
    mut hosts: ResMut<FluidHosts>,
    mut colliders: ResMut<ForeignColliders>,
    mut fluid: ResMut<FluidSimulation>,
) {
    let ForeignColliders(targets) = &mut *colliders;
    targets.clear();
    if engines.colliders.is_empty() && hosts.hosts.is_empty() {
        engines.clear();
        return;
    }
    engines.sort(&ranks);
    let spacing = fluid.parameters().particle_spacing;
    let any_awake = fluid.asleep() < fluid.particles().len();
    let mut carried: Vec<(Entity, &KnownCollider)> =
        engines.colliders.iter().filter_map(|collider| Some((collider.body?, collider))).collect();
    // The sort is stable: the colliders of a body keep their order.
    carried.sort_by_key(|(body, _)| *body);
    let colliders_of = |body: Entity| {
        let first = carried.partition_point(|(carrier, _)| *carrier < body);
        let from_first = carried[first..].iter();
        from_first.take_while(move |(carrier, _)| *carrier == body).map(|(_, collider)| *collider)
    };
    let FluidHosts { hosts, gone } = &mut *hosts;
    hosts.retain(|entity, host| {
        let is_dynamic = engines.find(*entity).is_some_and(|body| body.is_dynamic);
        let stays = is_dynamic && colliders_of(*entity).next().is_some();
        if !stays {
            gone.extend(host.id);
        }
        stays
    });
    for (engine, body) in engines.bodies.iter().filter(|(_, body)| body.is_dynamic) {
        let colliders: Vec<&KnownCollider> = colliders_of(body.entity).collect();
        let Some(first) = colliders.first() else { continue };
        if body_error(body).is_err() {
            // Its colliders keep their last poses, with a warning.
            gone.extend(hosts.remove(&body.entity).and_then(|host| host.id));
            continue;
        }
        let host = hosts.entry(body.entity).or_insert_with(|| Host::new(engine, body));
        host.engine = Cow::Borrowed(engine);
        host.update(body);
        let parts = colliders
            .iter()
            .filter_map(|collider| Some((collider.pieces.as_ref().ok()?.clone(), collider.pose)));
        host.weigh(body, &first.coupled, parts.collect(), spacing);
        let moves = host.moves(fluid.parameters());
        // Without liquid around a body, its engine alone decides about sleep.
        let around = if any_awake { speed_around(&colliders, body, &fluid) } else { None };
        let fast = MOVING * fluid.parameters().speed_unit();
        host.wakes = around.is_some_and(|speed| speed > fast || moves && !body.asleep);
        if body.asleep {
            gone.extend(host.id.take());
        } else {
            keep_body(host, fluid.world_mut());
        }
    }
    for known in &engines.colliders {
        let body = known.body.and_then(|body| engines.find(body));
        if known.body.is_some() && body.is_none() {
            // Its body is disabled.
            continue;
        }
        let carrier = known.body.and_then(|body| hosts.get(&body)).and_then(|host| host.id);
        let pieces = match &known.pieces {
            Ok(pieces) => pieces,
            Err(error) => {
                targets.push((
                    known.entity,
                    EntityPart { number: 1, ..EntityPart::WHOLE },
                    Err(error.to_string()),
                ));
                continue;
            }
        };
        let valid = body.map_or(Ok(()), body_error);
        let error = valid.and_then(|()| known.coupled.validate()).err();
        for (number, piece) in (1..).zip(&**pieces) {
            let collider = match error {
                Some(error) => Err(error.to_string()),
                None => collider(known, piece, body, carrier).map_err(|error| error.to_string()),
            };
            targets.push((known.entity, EntityPart { number, pose: piece.pose }, collider));
        }
    }
    engines.clear();
}

/// Keeps the fluid at the pace of the engines while there are bodies.
fn keep_pace(hosts: Res<FluidHosts>, mut pace: ResMut<KeepsPace>) {
    pace.0 = !hosts.hosts.is_empty();
}

/// Removes the host bodies that carry no colliders after the synchronisation.
fn remove_gone_hosts(mut hosts: ResMut<FluidHosts>, mut fluid: ResMut<FluidSimulation>) {
    // Slots are reused in the order of their removal, which must be deterministic.
    hosts.gone.sort_unstable();
    for id in hosts.gone.drain(..) {
        fluid.world_mut().remove_host_body(id);
    }
}

/// Checks the numbers of a body.
fn body_error(body: &EngineBody) -> Result<(), OutOfRange> {
    let at = HostBody::at(body.pose);
    if !body.is_dynamic {
        return at.validate();
    }
    let EngineBody { motion, inverse_mass, inverse_inertia, .. } = *body;
    HostBody { motion, inverse_mass, inverse_inertia, ..at }.validate()
}

/// Inserts the body of a host, or updates all but its pose and motion.
fn keep_body(host: &mut Host, fluid: &mut FluidWorld) {
    let body = host.host_body();
    match host.id.and_then(|id| Some((id, *fluid.host_body(id)?))) {
        Some((id, known)) => {
            let HostBody { inverse_mass, inverse_inertia, .. } = body;
            // With an invalid mass the last valid one stays in use.
            _ = fluid.set_host_body(id, HostBody { inverse_mass, inverse_inertia, ..known });
        }
        None => host.id = fluid.insert_host_body(body).ok(),
    }
}

/// The largest speed of the liquid near the pieces of a body; `None` without liquid near them.
fn speed_around(
    colliders: &[&KnownCollider],
    body: &EngineBody,
    fluid: &FluidSimulation,
) -> Option<f32> {
    let radius = fluid.parameters().interaction_radius();
    let parts =
        colliders.iter().filter_map(|collider| Some((collider, collider.pieces.as_ref().ok()?)));
    let speeds = parts.flat_map(|(collider, pieces)| {
        pieces.iter().filter_map(move |piece| {
            let placed = piece.clone().placed(collider.pose).placed(body.pose);
            fluid.rms_speed_in(placed.bounds().inflated(radius))
        })
    });
    speeds.reduce(f32::max)
}

/// A piece of an engine's collider as a collider of the simulation.
fn collider(
    known: &KnownCollider,
    piece: &Piece,
    body: Option<&EngineBody>,
    carrier: Option<HostBodyId>,
) -> Result<Collider, ShapeError> {
    let on_body = known.pose * piece.pose;
    let attachment = carrier.map(|body| Attachment { body, pose: on_body });
    let Pose { translation, rotation } = body.map_or(Pose::IDENTITY, |body| body.pose) * on_body;
    let FluidCoupled { wall, classes, layers, .. } = known.coupled;
    let layers = layers.unwrap_or(known.layers);
    let options = ColliderOptions { classes, layers, attachment, ..default() };
    let collider = Collider::new(piece.shape.clone(), translation, rotation)?;
    Ok(collider.with_options(options)?.with_wall(wall)?)
}

// Bodies of engines within a tick: their motions and loads.

/// Limit of the change of a body's velocity that continues in the next tick, as a multiple of the changes by gravity
/// and liquid together. A larger change is an impact, and does not continue.
const LARGEST_CHANGE: f32 = 2.0;

/// Largest speed at which a body moves to its pose in the engine, as a multiple of its speed there.
/// It is above 1 because the liquid may have held the body back.
const CATCHING_UP: f32 = 2.0;

/// Largest turn without a jump, in radians, beyond the turn that the angular velocity in the engine
/// explains.
const LARGEST_TURN: f32 = 0.5;

/// Sets the motions of bodies, so that they reach their poses in the engine at the end of the last
/// tick. This assumes that the load of the liquid stays the same.
fn move_hosts(
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

/// Sets the motion of a body for the next `time` seconds, which are `ticks` ticks. The body jumps if
/// its velocity in the engine does not explain the distance to its target: then the game has moved it.
fn set_out(
    host: &mut Host,
    time: f32,
    ticks: f32,
    colliders: &FluidColliders,
    fluid: &mut FluidWorld,
) {
    let now = std::mem::replace(&mut host.change, Motion::STILL);
    let before = std::mem::replace(&mut host.change_before, now);
    // Jittering contacts change their sign from step to step. The mean does not amplify them.
    let change = Motion {
        velocity: 0.5 * (now.velocity + before.velocity),
        angular_velocity: 0.5 * (now.angular_velocity + before.angular_velocity),
    };
    let Some((id, body)) = host.id.and_then(|id| Some((id, *fluid.host_body(id)?))) else {
        return;
    };
    let motion = body.motion_to(host.target, time);
    let radius = fluid.parameters().interaction_radius();
    let (speed, spin) = host.fastest;
    let jumps = motion.velocity.length() * time > LONGEST_WAY * radius * ticks
        || motion.velocity.length() > CATCHING_UP * speed + radius / time
        || motion.angular_velocity.abs() > CATCHING_UP * spin + LARGEST_TURN / time
        || body.pose.rotation.dot(host.target.rotation) < -0.99;
    let load = fluid.host_body_load(id).unwrap_or_default();
    let gravity = fluid.parameters().gravity.length() * time;
    let liquid = (load.impulse * body.inverse_mass).length();
    let most = LARGEST_CHANGE * (gravity + liquid);
    let spins = LARGEST_CHANGE * (load.angular_impulse * body.inverse_inertia).abs();
    let body = if jumps {
        HostBody {
            pose: host.target,
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
    // An invalid body keeps its last motion.
    _ = fluid.set_host_body(id, body);
    if jumps {
        for (collider, target) in colliders.attached_to(id) {
            fluid.set_collider(collider, target.clone());
        }
    }
}

/// Lists the entities whose loads come from bodies.
fn note_hosts(hosts: Res<FluidHosts>, mut loaded: ResMut<LoadedHosts>) {
    loaded.0.clear();
    loaded.0.extend(hosts.hosts.keys().copied());
}

/// Adds the loads of a tick to the pending impulses of the engines' bodies.
fn gather_loads(
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
            // The engine is paused: accumulated impulses would accelerate its bodies abruptly when it resumes.
            host.pending = (Vec2::ZERO, 0.0);
            continue;
        }
        host.pending.0 += impulse / host.liquid_masses;
        host.pending.1 += angular_impulse / host.liquid_masses;
    }
}

// The area of the liquid that a body displaces.

/// Number of sample points along each axis.
const SAMPLES: u32 = 80;

/// Areas of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Areas {
    /// Sum of the areas of its pieces, as engines compute masses from densities.
    pub summed: f32,
    /// Area of the liquid that it displaces when fully immersed, including the [gap](Body::GAP).
    pub displaced: f32,
}

/// A collider's pieces and its pose on its body.
pub(super) type Part = (Arc<[Piece]>, Pose);

/// The areas of a body's parts for a particle spacing in world units.
pub(super) fn areas(parts: &[Part], particle_spacing: f32) -> Areas {
    let placed = |(pieces, pose): &Part| -> Vec<Piece> {
        pieces.iter().cloned().map(|piece| piece.placed(*pose)).collect()
    };
    let mut pieces: Vec<Piece> = parts.iter().flat_map(placed).collect();
    pieces.retain(|piece| piece.bounds().half_size().is_finite());
    let summed: f32 = pieces.iter().map(|piece| piece.shape.area()).sum();
    let gap = Body::GAP * particle_spacing;
    let around =
        pieces.iter().map(Piece::bounds).fold(FluidBounds::NONE, FluidBounds::union).inflated(gap);
    let step = (around.high - around.low) / SAMPLES as f32;
    let mut count = 0_u32;
    if step.is_finite() && step.min_element() > 0.0 {
        for index in 0..SAMPLES * SAMPLES {
            let cell = Vec2::new((index % SAMPLES) as f32, (index / SAMPLES) as f32) + 0.5;
            let point = around.low + step * cell;
            let covered = |piece: &Piece| piece.distance(point) <= gap;
            count += u32::from(pieces.iter().any(covered));
        }
    }
    Areas { summed, displaced: count as f32 * step.x * step.y }
}

// The interface of a physics engine, and the plugin that calls it.

/// A physics engine, whose bodies and the liquid push each other.
///
/// Implement this trait for a type of your own, and add [`FluidEnginePlugin`] with that type.
pub trait PhysicsEngine: Send + Sync + 'static {
    /// Parameter of [`collect`](Self::collect): the state that `collect` reads.
    type Read: SystemParam + 'static;

    /// Parameter of [`push`](Self::push): the state that `push` changes.
    type Write: SystemParam + 'static;

    /// Unique name of the engine in the app; by default the name of the type. Snapshots contain the name, so that
    /// pending impulses find their engine after a restore.
    fn name() -> &'static str {
        type_name::<Self>()
    }

    /// Makes [`FluidOrder`](crate::FluidOrder) a required component of the engine's colliders when the plugin is added.
    /// Colliders without a `FluidOrder` come last, in the order of their ids.
    fn build(app: &mut App) {
        let _ = app;
    }

    /// Lists all bodies with coupled colliders, and these colliders, before the fluid's ticks in every run of the
    /// fluid's schedule.
    fn collect(engine: SystemParamItem<Self::Read>, bodies: &mut EngineBodies);

    /// Applies impulses to the engine's bodies. Returns `false` if the engine makes no step now: then the impulses are
    /// kept until the next call, for at most 0.25 s.
    fn push(engine: SystemParamItem<Self::Write>, pushes: &[EnginePush]) -> bool;

    /// Adds the system that calls [`push`](Self::push) to the app, so that it runs once before each step of the engine.
    /// `fluid` is the schedule in which the liquid is simulated. If the engine runs in the same schedule, this function
    /// also orders [`FluidSystems::SyncSettings`] after the engine.
    fn schedule(app: &mut App, fluid: InternedScheduleLabel, push: ScheduleConfigs<ScheduleSystem>);
}

/// Couples the liquid to a physics engine.
pub struct FluidEnginePlugin<E: PhysicsEngine> {
    schedule: InternedScheduleLabel,
    engine: PhantomData<E>,
}

impl<E: PhysicsEngine> FluidEnginePlugin<E> {
    /// A plugin for a liquid that is simulated in the given schedule.
    pub fn new(schedule: impl ScheduleLabel) -> Self {
        Self { schedule: schedule.intern(), engine: PhantomData }
    }
}

impl<E: PhysicsEngine> Default for FluidEnginePlugin<E> {
    fn default() -> Self {
        Self::new(FixedPostUpdate)
    }
}

impl<E: PhysicsEngine> Plugin for FluidEnginePlugin<E> {
    fn build(&self, app: &mut App) {
        if !app.is_plugin_added::<HostsPlugin>() {
            app.add_plugins(HostsPlugin { schedule: self.schedule });
        }
        E::build(app);
        app.add_systems(
            self.schedule,
            collect::<E>
                .in_set(FluidSystems::SyncEntities)
                .in_set(CollectSystems)
                .ambiguous_with(CollectSystems)
                .before(FluidEntitySystems::Engines),
        );
    }

    /// Runs in `finish`, after all plugins are added.
    fn finish(&self, app: &mut App) {
        E::schedule(app, self.schedule, push::<E>.into_configs());
    }
}

/// The systems that list the bodies and colliders of engines. Their order does not matter, because the lists are
/// sorted.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct CollectSystems;

/// The common part of all engines: their bodies become host bodies of the simulation.
struct HostsPlugin {
    schedule: InternedScheduleLabel,
}

impl Plugin for HostsPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<EngineBodies>()
            .init_resource::<FluidHosts>()
            .register_type::<FluidCoupled>()
            .add_systems(
                self.schedule,
                (
                    (sync_hosts, keep_pace).chain().in_set(FluidEntitySystems::Engines),
                    remove_gone_hosts.in_set(FluidEntitySystems::Colliders).after(sync_colliders),
                ),
            )
            .add_systems(
                FluidSchedule,
                (
                    (note_hosts, move_hosts)
                        .chain()
                        .in_set(FluidTickSystems::Move)
                        .after(move_solids),
                    gather_loads.in_set(FluidSenseSystems::Bodies).after(read_bodies),
                ),
            )
            .on_restart(FluidHosts::start_over);
    }
}

fn collect<E: PhysicsEngine>(engine: StaticSystemParam<E::Read>, mut bodies: ResMut<EngineBodies>) {
    bodies.begin(E::name());
    E::collect(engine.into_inner(), &mut bodies);
}

fn push<E: PhysicsEngine>(
    engine: StaticSystemParam<E::Write>,
    mut hosts: ResMut<FluidHosts>,
    mut pushes: Local<Vec<EnginePush>>,
) {
    pushes.clear();
    pushes.extend(hosts.pushes(E::name()));
    if !pushes.is_empty() && E::push(engine.into_inner(), &pushes) {
        hosts.pushed(E::name());
    }
}

#[cfg(test)]
mod tests {
    use blob_fluid::FluidShape;

    use super::*;

    #[test]
    fn overlapping_parts_displace_their_liquid_once() {
        let square = |x: f32| {
            let shape = FluidShape::Rectangle { half_size: Vec2::splat(20.0) };
            (Arc::from([Piece::new(shape)]), Pose::from_translation(Vec2::new(x, 0.0)))
        };
        let Areas { summed, displaced } = areas(&[square(-10.0), square(10.0)], 8.0);
        assert_eq!(summed, 3200.0);
        // 60 by 40 with a gap, and round corners.
        let gap = Body::GAP * 8.0;
        let expected = 2400.0 + 200.0 * gap + std::f32::consts::PI * gap * gap;
        assert!((displaced / expected - 1.0).abs() < 0.01, "{displaced} of {expected}");
    }
}
