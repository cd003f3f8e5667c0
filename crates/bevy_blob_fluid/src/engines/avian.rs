//! Coupling to avian2d.

use std::any::Any;

use avian2d::collision::collider::{EllipseColliderShape, RegularPolygonColliderShape};
use avian2d::parry;
use avian2d::prelude::*;
use bevy::ecs::query::QueryData;
use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleConfigs};
use bevy::ecs::system::{ScheduleSystem, SystemParamItem};
use bevy::prelude::*;
use blob_fluid::{Motion, Pose};

use super::sync::{FluidEnginePlugin, PhysicsEngine};
use crate::engines::bodies::{
    EngineBodies, EngineBody, EngineCollider, EnginePush, FluidCoupled, Piece, ShapeError,
};
use crate::schedule::{FluidOrder, FluidSystems};

#[path = "parry_shapes.rs"]
#[allow(clippy::duplicate_mod, reason = "each engine has its own version of parry")]
mod shapes;

/// The engine avian2d, for [`FluidEnginePlugin`].
///
/// Impulses of the liquid become forces during avian's next step. These forces alone do not wake
/// bodies.
#[derive(Clone, Copy, Debug)]
pub struct Avian;

/// Couples the liquid to avian2d, as part of [`BlobFluidPlugins`](crate::BlobFluidPlugins).
///
/// ```
/// use avian2d::prelude::*;
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn launch(mut commands: Commands) {
///     commands.spawn((
///         RigidBody::Dynamic,
///         Collider::rectangle(80.0, 40.0),
///         ColliderDensity(0.5),
///         FluidCoupled::default(),
///         Transform::from_xyz(0.0, 100.0, 0.0),
///     ));
/// }
/// # App::new().add_systems(Startup, launch);
/// ```
pub type FluidAvianPlugin = FluidEnginePlugin<Avian>;

/// Parts of a collider.
#[derive(QueryData)]
pub struct ColliderParts {
    entity: Entity,
    collider: &'static Collider,
    position: &'static Position,
    rotation: &'static Rotation,
    of: Option<&'static ColliderOf>,
    on_body: Option<&'static ColliderTransform>,
    layers: Option<&'static CollisionLayers>,
    coupled: Option<&'static FluidCoupled>,
}

/// Parts of a body.
#[derive(QueryData)]
pub struct BodyParts {
    entity: Entity,
    kind: &'static RigidBody,
    position: &'static Position,
    rotation: &'static Rotation,
    velocity: &'static LinearVelocity,
    angular_velocity: &'static AngularVelocity,
    mass: &'static ComputedMass,
    inertia: &'static ComputedAngularInertia,
    centre_of_mass: &'static ComputedCenterOfMass,
    locked: Option<&'static LockedAxes>,
    coupled: Option<&'static FluidCoupled>,
    asleep: Has<Sleeping>,
}

/// Converts Bevy's primitives that parry does not have.
fn own_shape(shape: &dyn parry::shape::Shape) -> Option<Result<Piece, ShapeError>> {
    let shape: &dyn Any = shape;
    if let Some(EllipseColliderShape(ellipse)) = shape.downcast_ref() {
        return Some(Piece::ellipse(ellipse.half_size));
    }
    let RegularPolygonColliderShape(polygon) = shape.downcast_ref()?;
    Some(Piece::regular_polygon(polygon.circumradius(), polygon.sides))
}

type SolidColliders = (Without<Sensor>, Without<ColliderDisabled>);

impl PhysicsEngine for Avian {
    type Read = (
        Query<'static, 'static, ColliderParts, SolidColliders>,
        Query<'static, 'static, BodyParts, Without<RigidBodyDisabled>>,
        Query<'static, 'static, (), With<RigidBody>>,
    );
    type Write = (Query<'static, 'static, Forces>, Res<'static, Time>, Commands<'static, 'static>);

    fn name() -> &'static str {
        "avian2d"
    }

    fn build(app: &mut App) {
        // This fails if a collider exists already. Existing colliders are then ordered by their ids.
        _ = app.try_register_required_components::<Collider, FluidOrder>();
    }

    fn collect(param: SystemParamItem<Self::Read>, into: &mut EngineBodies) {
        let (colliders, bodies, any_bodies) = param;
        for body in &bodies {
            into.body(body.read());
        }
        for parts in &colliders {
            let body = parts.of.map(|of| of.body).filter(|body| any_bodies.contains(*body));
            let body_parts = body.and_then(|body| bodies.get(body).ok());
            let body_coupled = body_parts.as_ref().and_then(|body| body.coupled);
            let Some(coupled) = parts.coupled.or(body_coupled) else { continue };
            let pose = match (&body_parts, parts.on_body) {
                (Some(body), Some(on_body)) => {
                    let translation = on_body.translation - body.centre_of_mass.0;
                    Pose::new(translation, cos_sin(on_body.rotation))
                }
                (Some(body), None) => Pose::from_translation(-body.centre_of_mass.0),
                (None, _) => Pose::new(parts.position.0, cos_sin(*parts.rotation)),
            };
            let layers = parts.layers.copied().unwrap_or_default().filters.0;
            let entity = parts.entity;
            let collider = EngineCollider { entity, body, pose, layers, coupled };
            let shape = parts.collider.shape_scaled();
            into.collider(collider, shape, shapes::is_same, |shape| {
                shapes::pieces(shape, own_shape)
            });
        }
    }

    fn push(param: SystemParamItem<Self::Write>, pushes: &[EnginePush]) -> bool {
        let (mut bodies, time, mut commands) = param;
        let step = time.delta_secs();
        if step <= 0.0 {
            return false;
        }
        for EnginePush { body, impulse, angular_impulse, wakes } in pushes {
            let Ok(mut forces) = bodies.get_mut(*body) else { continue };
            let (force, torque) = (*impulse / step, *angular_impulse / step);
            if *wakes {
                forces.apply_force(force);
                forces.apply_torque(torque);
                commands.entity(*body).try_remove::<Sleeping>();
            } else {
                let mut forces = forces.non_waking();
                forces.apply_force(force);
                forces.apply_torque(torque);
            }
        }
        true
    }

    fn schedule(
        app: &mut App,
        fluid: InternedScheduleLabel,
        push: ScheduleConfigs<ScheduleSystem>,
    ) {
        app.configure_sets(fluid, FluidSystems::SyncSettings.after(PhysicsSystems::Last));
        app.add_systems(PhysicsSchedule, push.before(PhysicsStepSystems::First));
    }
}

impl BodyPartsItem<'_, '_> {
    fn read(&self) -> EngineBody {
        let rotation = cos_sin(*self.rotation);
        let position = self.position.0 + rotation.rotate(self.centre_of_mass.0);
        let locked = self.locked.copied().unwrap_or_default();
        let free = |is_locked: bool, inverse: f32| if is_locked { 0.0 } else { inverse };
        let mass = self.mass.inverse();
        let inverse_mass = Vec2::new(
            free(locked.is_translation_x_locked(), mass),
            free(locked.is_translation_y_locked(), mass),
        );
        let inverse_inertia = free(locked.is_rotation_locked(), self.inertia.inverse());
        EngineBody {
            entity: self.entity,
            pose: Pose::new(position, rotation),
            motion: Motion { velocity: self.velocity.0, angular_velocity: self.angular_velocity.0 },
            is_dynamic: self.kind.is_dynamic(),
            asleep: self.asleep,
            mass: self.mass.value(),
            inverse_mass,
            inverse_inertia,
        }
    }
}

/// Cosine and sine of a rotation.
fn cos_sin(rotation: impl Into<Rotation>) -> Vec2 {
    let rotation = rotation.into();
    Vec2::new(rotation.cos, rotation.sin)
}
