//! Coupling to bevy_rapier2d.

use bevy::app::FixedMain;
use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleConfigs, ScheduleLabel};
use bevy::ecs::system::{ScheduleSystem, SystemParam, SystemParamItem};
use bevy::prelude::*;
use bevy_rapier2d::parry;
use bevy_rapier2d::prelude::*;
use bevy_rapier2d::rapier::dynamics::RigidBody as RapierBody;
use bevy_rapier2d::rapier::geometry::Collider as RapierCollider;
use blob_fluid::{Motion, Pose};

use super::sync::{FluidEnginePlugin, PhysicsEngine};
use crate::engines::bodies::{EngineBodies, EngineBody, EngineCollider, EnginePush, FluidCoupled};
use crate::schedule::{FluidOrder, FluidSystems};

#[path = "parry_shapes.rs"]
#[allow(clippy::duplicate_mod, reason = "each engine has its own version of parry")]
mod shapes;

/// The engine bevy_rapier2d, for [`FluidEnginePlugin`].
///
/// Impulses of the liquid change velocities before rapier's next step. Impulses alone do not wake
/// bodies. The plugin finds rapier's schedule when the app starts.
#[derive(Clone, Copy, Debug)]
pub struct Rapier;

/// Couples the liquid to bevy_rapier2d, as part of [`BlobFluidPlugins`](crate::BlobFluidPlugins).
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
/// use bevy_rapier2d::prelude::*;
///
/// fn launch(mut commands: Commands) {
///     commands.spawn((
///         RigidBody::Dynamic,
///         Collider::cuboid(40.0, 20.0),
///         ColliderMassProperties::Density(0.5),
///         FluidCoupled::default(),
///         Transform::from_xyz(0.0, 100.0, 0.0),
///     ));
/// }
/// # App::new().add_systems(Startup, launch);
/// ```
pub type FluidRapierPlugin = FluidEnginePlugin<Rapier>;

impl PhysicsEngine for Rapier {
    type Read = (
        Query<'static, 'static, (&'static RapierRigidBodySet, &'static RapierContextColliders)>,
        Query<'static, 'static, &'static FluidCoupled>,
    );
    type Write =
        Query<'static, 'static, (&'static mut RapierRigidBodySet, &'static RapierConfiguration)>;

    fn name() -> &'static str {
        "bevy_rapier2d"
    }

    fn build(app: &mut App) {
        app.init_resource::<RapierSpeed>();
        // This fails if a collider exists already. Existing colliders are then ordered by their ids.
        _ = app.try_register_required_components::<Collider, FluidOrder>();
    }

    fn collect(param: SystemParamItem<Self::Read>, into: &mut EngineBodies) {
        let (worlds, coupled) = param;
        if coupled.is_empty() {
            return;
        }
        for (bodies, colliders) in &worlds {
            for (handle, body) in bodies.bodies.iter().filter(|(_, body)| body.is_enabled()) {
                if let Some(entity) = bodies.rigid_body_entity(handle) {
                    into.body(read(entity, body));
                }
            }
            for (handle, collider) in colliders.colliders.iter() {
                let Some(entity) = colliders.collider_entity(handle) else { continue };
                let parent = collider.parent();
                let body = parent.and_then(|parent| bodies.rigid_body_entity(parent));
                let coupling_of_body = || body.and_then(|body| coupled.get(body).ok());
                let Some(coupled) = coupled.get(entity).ok().or_else(coupling_of_body) else {
                    continue;
                };
                if !collider.is_enabled() || collider.is_sensor() {
                    continue;
                }
                let on = parent.and_then(|parent| bodies.bodies.get(parent));
                collect_collider(entity, body, collider, on, coupled, into);
            }
        }
    }

    fn push(mut worlds: SystemParamItem<Self::Write>, pushes: &[EnginePush]) -> bool {
        let mut any = false;
        for (mut bodies, configuration) in &mut worlds {
            if !configuration.physics_pipeline_active {
                continue;
            }
            any = true;
            for EnginePush { body, impulse, angular_impulse, wakes } in pushes {
                let Some(handle) = bodies.entity2body().get(body).copied() else { continue };
                let Some(body) = bodies.bodies.get_mut(handle) else { continue };
                if *wakes {
                    body.wake_up(true);
                }
                if !body.is_sleeping() {
                    body.apply_impulse(*impulse, false);
                    body.apply_torque_impulse(*angular_impulse, false);
                }
            }
        }
        any
    }

    fn schedule(
        app: &mut App,
        fluid: InternedScheduleLabel,
        push: ScheduleConfigs<ScheduleSystem>,
    ) {
        let engine_schedule = schedule_of_engine(app);
        app.configure_sets(fluid, FluidSystems::SyncSettings.after(PhysicsSet::Writeback));
        app.add_systems(
            engine_schedule,
            push.after(PhysicsSet::SyncBackend).before(PhysicsSet::StepSimulation),
        );
    }
}

/// The speed of rapier, and whether it runs.
#[derive(SystemParam)]
pub(super) struct RapierClock<'w, 's> {
    worlds: Query<'w, 's, &'static mut RapierConfiguration>,
    mode: Option<ResMut<'w, TimestepMode>>,
    speed: Option<ResMut<'w, RapierSpeed>>,
}

/// The step or time scale of the last changed [`TimestepMode`]: at full speed, and as it was set.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub(super) struct RapierSpeed {
    full: f32,
    set: Option<f32>,
}

impl RapierClock<'_, '_> {
    pub(super) fn set_paused(&mut self, paused: bool) {
        for mut world in &mut self.worlds {
            if world.physics_pipeline_active == paused {
                world.physics_pipeline_active = !paused;
            }
        }
    }

    pub(super) fn set_relative_speed(&mut self, speed: f32) {
        let (Some(mode), Some(known)) = (&mut self.mode, &mut self.speed) else { return };
        let now = match **mode {
            TimestepMode::Fixed { dt, .. } => dt,
            TimestepMode::Variable { time_scale, .. }
            | TimestepMode::Interpolated { time_scale, .. } => time_scale,
        };
        let full = if known.set == Some(now) { known.full } else { now };
        let wanted = full * speed;
        if wanted == now {
            return;
        }
        **known = RapierSpeed { full, set: Some(wanted) };
        match &mut **mode {
            TimestepMode::Fixed { dt, .. } => *dt = wanted,
            TimestepMode::Variable { time_scale, .. }
            | TimestepMode::Interpolated { time_scale, .. } => *time_scale = wanted,
        }
    }
}

/// The schedule that rapier runs in.
fn schedule_of_engine(app: &App) -> InternedScheduleLabel {
    let likely = [
        FixedUpdate.intern(),
        FixedPostUpdate.intern(),
        FixedMain.intern(),
        Update.intern(),
        PostUpdate.intern(),
    ];
    let schedules = app.world().resource::<Schedules>();
    let others = schedules.iter().map(|(_, schedule)| schedule.label());
    let runs = |label: &InternedScheduleLabel| {
        let schedule = schedules.get(*label);
        schedule.is_some_and(|schedule| {
            schedule.graph().system_sets.contains(PhysicsSet::StepSimulation)
        })
    };
    let found = likely.into_iter().chain(others).find(runs);
    found.unwrap_or_else(|| PostUpdate.intern())
}

fn read(entity: Entity, body: &RapierBody) -> EngineBody {
    let properties = body.mass_properties();
    let inverse_inertia =
        if body.is_rotation_locked() { 0.0 } else { properties.local_mprops.inv_principal_inertia };
    EngineBody {
        entity,
        pose: Pose { translation: body.center_of_mass(), ..shapes::pose_of(body.position()) },
        motion: Motion { velocity: body.linvel(), angular_velocity: body.angvel() },
        is_dynamic: body.is_dynamic(),
        asleep: body.is_sleeping(),
        mass: body.mass(),
        inverse_mass: properties.effective_inv_mass,
        inverse_inertia,
    }
}

fn collect_collider(
    entity: Entity,
    body: Option<Entity>,
    attached: &RapierCollider,
    on: Option<&RapierBody>,
    coupled: &FluidCoupled,
    into: &mut EngineBodies,
) {
    let pose = match (on, attached.position_wrt_parent()) {
        (Some(on), Some(place)) => {
            let Pose { translation, rotation } = shapes::pose_of(place);
            Pose::new(translation - on.local_center_of_mass(), rotation)
        }
        _ => shapes::pose_of(attached.position()),
    };
    let layers = attached.collision_groups().filter.bits();
    let collider = EngineCollider { entity, body, pose, layers, coupled };
    let shape = attached.shared_shape();
    into.collider(collider, shape, shapes::is_same, |shape| shapes::pieces(shape, |_| None));
}
