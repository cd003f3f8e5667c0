//! The coupling with bevy_rapier2d.

use crate::engines::coupling::floating::{Kind, Part, TICK, TestEngine, corners};
use bevy::prelude::*;
use bevy_rapier2d::parry;
use bevy_rapier2d::prelude::*;
use bevy_rapier2d::rapier::dynamics::{CCDSolver, IntegrationParameters, IslandManager};
use bevy_rapier2d::rapier::geometry::{DefaultBroadPhase, NarrowPhase};

#[path = "own_shape.rs"]
#[allow(clippy::duplicate_mod, reason = "each engine has its own version of parry")]
mod own_shape;

struct Rapier;

/// All that rapier keeps from step to step.
struct Memory {
    bodies: RapierRigidBodySet,
    colliders: RapierContextColliders,
    joints: RapierContextJoints,
    islands: IslandManager,
    broad_phase: DefaultBroadPhase,
    narrow_phase: NarrowPhase,
    ccd_solver: CCDSolver,
    components: Vec<(Entity, Transform, Velocity)>,
}

/// The engine's world, which bevy_rapier2d holds as components of an entity.
type RapierWorld<'a> = (
    &'a mut RapierRigidBodySet,
    &'a mut RapierContextColliders,
    &'a mut RapierContextJoints,
    &'a mut RapierContextSimulation,
);

impl TestEngine for Rapier {
    type Physics = bevy_blob_fluid::engines::Rapier;
    type Memory = Memory;
    type Bodies = Vec<(Transform, Velocity, bool)>;
    type Collider = Collider;
    type Sensor = Sensor;
    type ColliderDisabled = ColliderDisabled;
    type BodyDisabled = RigidBodyDisabled;

    const NAME: &str = "rapier";

    fn add_to(app: &mut App, gravity: Vec2) {
        let length_unit = 100.0;
        let start = RapierContextInitialization::InitializeDefaultRapierContext {
            integration_parameters: IntegrationParameters { length_unit, ..default() },
            rapier_configuration: RapierConfiguration {
                gravity,
                ..RapierConfiguration::new(length_unit)
            },
        };
        app.insert_resource(TimestepMode::Fixed { dt: TICK, substeps: 1 }).add_plugins(
            RapierPhysicsPlugin::<NoUserData>::default()
                .with_custom_initialization(start)
                .in_fixed_schedule(),
        );
    }

    fn rectangle(size: Vec2) -> Collider {
        Collider::cuboid(0.5 * size.x, 0.5 * size.y)
    }

    fn circle(radius: f32) -> Collider {
        Collider::ball(radius)
    }

    fn spawn(
        world: &mut World,
        kind: Kind,
        collider: Collider,
        density: f32,
        at: Transform,
    ) -> Entity {
        let kind = match kind {
            Kind::Static => RigidBody::Fixed,
            Kind::Kinematic => RigidBody::KinematicVelocityBased,
            Kind::Dynamic => RigidBody::Dynamic,
        };
        let density = ColliderMassProperties::Density(density);
        world.spawn((kind, collider, density, Velocity::default(), at)).id()
    }

    fn motion(world: &World, body: Entity) -> (Vec2, f32) {
        let velocity = world.get::<Velocity>(body).expect("a body has one");
        (velocity.linear, velocity.angular)
    }

    fn mass(world: &mut World, body: Entity) -> (f32, f32) {
        rigid_body(world, body, |rigid| {
            let properties = rigid.mass_properties().local_mprops;
            (rigid.mass(), 1.0 / properties.inv_principal_inertia)
        })
    }

    fn set_velocity(world: &mut World, body: Entity, velocity: Vec2) {
        world.get_mut::<Velocity>(body).expect("a body has one").linear = velocity;
    }

    fn asleep(world: &mut World, body: Entity) -> bool {
        rigid_body(world, body, |rigid| rigid.is_sleeping())
    }

    fn lock(world: &mut World, body: Entity, [x, y, rotation]: [bool; 3]) {
        let mut locked = LockedAxes::empty();
        locked.set(LockedAxes::TRANSLATION_LOCKED_X, x);
        locked.set(LockedAxes::TRANSLATION_LOCKED_Y, y);
        locked.set(LockedAxes::ROTATION_LOCKED, rotation);
        world.entity_mut(body).insert(locked);
    }

    fn sweep(world: &mut World, body: Entity) {
        world.entity_mut(body).insert(Ccd::enabled());
    }

    fn brake(world: &mut World, body: Entity, damping: f32) {
        let at = *world.get::<Transform>(body).expect("it has one");
        let bearing = world.spawn((RigidBody::Fixed, at)).id();
        let joint = RevoluteJointBuilder::new()
            .motor_model(MotorModel::ForceBased)
            .motor_velocity(0.0, damping);
        world.entity_mut(body).insert(ImpulseJoint::new(bearing, joint));
    }

    fn bolt(world: &mut World, body: Entity, to: Entity, at: Vec2) {
        let joint = FixedJointBuilder::new().local_anchor1(at);
        world.entity_mut(body).insert(ImpulseJoint::new(to, joint));
    }

    fn set(world: &mut World, body: Entity, part: Part, number: f32) {
        let mut body = world.entity_mut(body);
        match part {
            Part::Position => {
                let at = Vec2::splat(number).extend(0.0);
                body.get_mut::<Transform>().expect("it has one").translation = at;
            }
            Part::Velocity => {
                let mut velocity = body.get_mut::<Velocity>().expect("it has one");
                velocity.linear = Vec2::splat(number);
            }
            Part::Spin => body.get_mut::<Velocity>().expect("it has one").angular = number,
            Part::Mass => _ = body.insert(ColliderMassProperties::Mass(number)),
        }
    }

    fn memory(world: &mut World) -> Memory {
        let mut components = world.query::<(Entity, &Transform, &Velocity)>();
        let components = components.iter(world).map(|(body, at, velocity)| (body, *at, *velocity));
        let components = components.collect();
        let mut worlds = world.query::<RapierWorld>();
        let (bodies, colliders, joints, simulation) = worlds.single_mut(world).expect("one world");
        Memory {
            bodies: bodies.clone(),
            colliders: colliders.clone(),
            joints: joints.clone(),
            islands: simulation.islands.clone(),
            broad_phase: simulation.broad_phase.clone(),
            narrow_phase: simulation.narrow_phase.clone(),
            ccd_solver: simulation.ccd_solver.clone(),
            components,
        }
    }

    fn put_memory_back(world: &mut World, memory: &Memory) {
        for (body, at, velocity) in &memory.components {
            world.entity_mut(*body).insert((*at, *velocity));
        }
        let mut worlds = world.query::<RapierWorld>();
        let (mut bodies, mut colliders, mut joints, mut simulation) =
            worlds.single_mut(world).expect("one world");
        *bodies = memory.bodies.clone();
        *colliders = memory.colliders.clone();
        *joints = memory.joints.clone();
        simulation.islands = memory.islands.clone();
        simulation.broad_phase = memory.broad_phase.clone();
        simulation.narrow_phase = memory.narrow_phase.clone();
        simulation.ccd_solver = memory.ccd_solver.clone();
    }

    fn state_of(world: &mut World, bodies: &[Entity]) -> Self::Bodies {
        let state = |body: &Entity| {
            let sleeps = rigid_body(world, *body, |rigid| rigid.is_sleeping());
            let body = world.entity(*body);
            let (at, velocity) = (body.get::<Transform>(), body.get::<Velocity>());
            (*at.expect("it has one"), *velocity.expect("it has one"), sleeps)
        };
        bodies.iter().map(state).collect()
    }

    fn put_back(world: &mut World, bodies: &[Entity], state: &Self::Bodies) {
        for (body, (at, velocity, sleeps)) in bodies.iter().zip(state) {
            let mut body = world.entity_mut(*body);
            let sleeping = Sleeping { sleeping: *sleeps, ..default() };
            // The engine remembers contacts from step to step, and begins anew with a new collider.
            if let Some(collider) = body.take::<Collider>() {
                body.insert((collider, *at, *velocity, sleeping));
            }
        }
    }

    fn set_density(world: &mut World, collider: Entity, density: f32) {
        world.entity_mut(collider).insert(ColliderMassProperties::Density(density));
    }

    fn set_layers(world: &mut World, collider: Entity, layers: u32) {
        let groups = CollisionGroups::new(Group::GROUP_1, Group::from_bits_retain(layers));
        world.entity_mut(collider).insert(groups);
    }

    fn survives(_: Part) -> bool {
        true
    }

    fn shapes() -> Vec<(&'static str, Collider)> {
        let (pentagon, concave, hills) = corners();
        let [a, b, c] = [pentagon[0], pentagon[2], pentagon[3]];
        let ring = (0..5).map(|index| [index, (index + 1) % 5]).collect::<Vec<_>>();
        let fan = vec![[0, 1, 4], [1, 2, 3], [1, 3, 4]];
        let cells = [IVec2::ZERO, IVec2::X, IVec2::ONE, IVec2::new(3, 3)];
        let voxel = Vec2::new(12.0, 8.0);
        let flags = TriMeshFlags::MERGE_DUPLICATE_VERTICES;
        let fill = FillMode::FloodFill { detect_cavities: false, detect_self_intersections: false };
        let parameters = VHACDParameters::default();
        let mut all = vec![
            ("ball", Collider::ball(20.0)),
            ("cuboid", Collider::cuboid(30.0, 10.0)),
            ("capsule", Collider::capsule(a, b, 7.0)),
            ("segment", Collider::segment(a, b)),
            ("triangle", Collider::triangle(a, b, c)),
            ("convex polygon", Collider::convex_hull(&pentagon).expect("convex")),
            ("round cuboid", Collider::round_cuboid(30.0, 10.0, 3.0)),
            ("round triangle", Collider::round_triangle(a, b, c, 2.0)),
            ("round convex polygon", Collider::round_convex_hull(&pentagon, 2.0).expect("convex")),
            ("half space", Collider::halfspace(Vec2::new(0.6, 0.8)).expect("a normal")),
            ("polyline", Collider::polyline(concave.clone(), Some(ring.clone()))),
            ("triangle mesh", Collider::trimesh(concave.clone(), fan.clone()).expect("a mesh")),
            ("height field", Collider::heightfield(hills, Vec2::new(100.0, 30.0))),
            ("convex decomposition", Collider::convex_decomposition(&concave, &ring)),
            (
                "compound",
                Collider::compound(vec![
                    (Vec2::new(20.0, 0.0), 0.5, Collider::cuboid(15.0, 5.0)),
                    (Vec2::new(-20.0, 0.0), 0.0, Collider::ball(12.0)),
                ]),
            ),
            ("voxels", Collider::voxels(voxel, &cells)),
            ("voxels of points", Collider::voxels_from_points(voxel, &pentagon)),
            ("voxelized mesh", Collider::voxelized_mesh(&concave, &ring, 6.0, fill)),
            ("capsule along x", Collider::capsule_x(15.0, 7.0)),
            ("capsule along y", Collider::capsule_y(15.0, 7.0)),
            ("open polyline", Collider::polyline(concave.clone(), None)),
            ("convex polyline", Collider::convex_polyline(pentagon.clone()).expect("convex")),
            (
                "round convex polyline",
                Collider::round_convex_polyline(pentagon, 2.0).expect("convex"),
            ),
            (
                "triangle mesh with flags",
                Collider::trimesh_with_flags(concave.clone(), fan, flags).expect("a mesh"),
            ),
            (
                "round convex decomposition",
                Collider::round_convex_decomposition(&concave, &ring, 2.0),
            ),
            (
                "convex decomposition with parameters",
                Collider::convex_decomposition_with_params(&concave, &ring, &parameters),
            ),
            (
                "round convex decomposition with parameters",
                Collider::round_convex_decomposition_with_params(&concave, &ring, &parameters, 2.0),
            ),
            ("own shape with a support map", Self::own_shape(true)),
        ];
        let parts = Collider::voxelized_convex_decomposition(&concave, &ring);
        all.extend(parts.into_iter().map(|part| ("voxelized part", part)));
        let parts =
            Collider::voxelized_convex_decomposition_with_params(&concave, &ring, &parameters);
        all.extend(parts.into_iter().map(|part| ("voxelized part with parameters", part)));
        all
    }

    fn own_shape(has_support_map: bool) -> Collider {
        Collider::from(own_shape::own_shape(has_support_map))
    }

    fn distance(collider: &Collider, point: Vec2) -> f32 {
        own_shape::exact_distance(&*collider.raw, point)
    }
}

/// Something of rapier's own body.
fn rigid_body<T>(
    world: &mut World,
    body: Entity,
    read: impl FnOnce(&bevy_rapier2d::rapier::dynamics::RigidBody) -> T,
) -> T {
    let mut sets = world.query::<&RapierRigidBodySet>();
    let set = sets.single(world).expect("one world");
    let handle = set.entity2body()[&body];
    read(&set.bodies[handle])
}

crate::engines::coupling::test_engine!(Rapier);
