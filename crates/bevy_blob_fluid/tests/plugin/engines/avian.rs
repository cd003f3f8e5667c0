//! The coupling with avian2d.

use crate::engines::coupling::floating::{Kind, Part, TICK, TestEngine, corners};
use std::f32::consts::TAU;

use avian2d::collider_tree::ColliderTrees;
use avian2d::collision::collider::{EllipseColliderShape, EnlargedAabb, IntoCollider};
use avian2d::dynamics::solver::constraint_graph::ConstraintGraph;
use avian2d::dynamics::solver::islands::{BodyIslandNode, PhysicsIslands};
use avian2d::parry;
use avian2d::prelude::*;
use bevy::prelude::*;

#[path = "own_shape.rs"]
#[allow(clippy::duplicate_mod, reason = "each engine has its own version of parry")]
mod own_shape;

pub struct Avian;

/// All that avian keeps from step to step.
pub struct Memory {
    contacts: ContactGraph,
    constraints: ConstraintGraph,
    islands: PhysicsIslands,
    trees: ColliderTrees,
    bodies: Vec<(Entity, BodyState)>,
    moving: Vec<(Entity, SleepTimer, BodyIslandNode)>,
    colliders: Vec<(Entity, ColliderAabb, EnlargedAabb)>,
}

/// The state of a body, and whether it sleeps.
type BodyState = (Transform, Position, Rotation, LinearVelocity, AngularVelocity, bool);

impl TestEngine for Avian {
    type Physics = bevy_blob_fluid::engines::Avian;
    type Memory = Memory;
    type Bodies = Vec<BodyState>;
    type Collider = Collider;
    type Sensor = Sensor;
    type ColliderDisabled = ColliderDisabled;
    type BodyDisabled = RigidBodyDisabled;

    const NAME: &str = "avian";

    fn add_to(app: &mut App, gravity: Vec2) {
        app.add_plugins(PhysicsPlugins::default().with_length_unit(100.0));
        app.insert_resource(Gravity(gravity));
    }

    fn rectangle(size: Vec2) -> Collider {
        Collider::rectangle(size.x, size.y)
    }

    fn circle(radius: f32) -> Collider {
        Collider::circle(radius)
    }

    fn spawn(
        world: &mut World,
        kind: Kind,
        collider: Collider,
        density: f32,
        at: Transform,
    ) -> Entity {
        let kind = match kind {
            Kind::Static => RigidBody::Static,
            Kind::Kinematic => RigidBody::Kinematic,
            Kind::Dynamic => RigidBody::Dynamic,
        };
        world.spawn((kind, collider, ColliderDensity(density), at)).id()
    }

    fn motion(world: &World, body: Entity) -> (Vec2, f32) {
        let velocity = world.get::<LinearVelocity>(body).expect("a body has one").0;
        (velocity, world.get::<AngularVelocity>(body).expect("a body has one").0)
    }

    fn mass(world: &mut World, body: Entity) -> (f32, f32) {
        let mass = world.get::<ComputedMass>(body).expect("a body has one").value();
        (mass, world.get::<ComputedAngularInertia>(body).expect("a body has one").value())
    }

    fn set_velocity(world: &mut World, body: Entity, velocity: Vec2) {
        world.get_mut::<LinearVelocity>(body).expect("a body has one").0 = velocity;
    }

    fn asleep(world: &mut World, body: Entity) -> bool {
        world.entity(body).contains::<Sleeping>()
    }

    fn lock(world: &mut World, body: Entity, [x, y, rotation]: [bool; 3]) {
        let locked = LockedAxes::new();
        let locked = if x { locked.lock_translation_x() } else { locked };
        let locked = if y { locked.lock_translation_y() } else { locked };
        let locked = if rotation { locked.lock_rotation() } else { locked };
        world.entity_mut(body).insert(locked);
    }

    fn sweep(world: &mut World, body: Entity) {
        world.entity_mut(body).insert(SweptCcd::default());
    }

    fn brake(world: &mut World, body: Entity, damping: f32) {
        let at = *world.get::<Transform>(body).expect("it has one");
        let bearing = world.spawn((RigidBody::Static, at)).id();
        // avian 0.7 applies it in each of 6 substeps as if that were a second long.
        let damping = damping * TICK / 6.0;
        let brake = AngularMotor::new(MotorModel::ForceBased { stiffness: 0.0, damping });
        world.spawn(RevoluteJoint::new(bearing, body).with_motor(brake));
    }

    fn bolt(world: &mut World, body: Entity, to: Entity, at: Vec2) {
        world.spawn(FixedJoint::new(to, body).with_local_anchor1(at));
    }

    fn set(world: &mut World, body: Entity, part: Part, number: f32) {
        let mut body = world.entity_mut(body);
        match part {
            Part::Position => _ = body.insert(Position(Vec2::splat(number))),
            Part::Velocity => _ = body.insert(LinearVelocity(Vec2::splat(number))),
            Part::Spin => _ = body.insert(AngularVelocity(number)),
            Part::Mass => _ = body.insert(Mass(number)),
        }
    }

    fn memory(world: &mut World) -> Memory {
        let mut bodies = world.query_filtered::<Entity, With<RigidBody>>();
        let bodies: Vec<Entity> = bodies.iter(world).collect();
        let states = Self::state_of(world, &bodies);
        let mut moving = world.query::<(Entity, &SleepTimer, &BodyIslandNode)>();
        let mut colliders = world.query::<(Entity, &ColliderAabb, &EnlargedAabb)>();
        let moving = moving.iter(world).map(|(body, timer, node)| (body, *timer, node.clone()));
        let colliders = colliders.iter(world).map(|(at, tight, wide)| (at, *tight, *wide));
        Memory {
            bodies: bodies.into_iter().zip(states).collect(),
            moving: moving.collect(),
            colliders: colliders.collect(),
            contacts: world.resource::<ContactGraph>().clone(),
            constraints: world.resource::<ConstraintGraph>().clone(),
            islands: world.resource::<PhysicsIslands>().clone(),
            trees: world.resource::<ColliderTrees>().clone(),
        }
    }

    fn put_memory_back(world: &mut World, memory: &Memory) {
        for (body, (at, position, rotation, linear, angular, sleeps)) in &memory.bodies {
            let mut body = world.entity_mut(*body);
            if !sleeps {
                body.remove::<Sleeping>();
            } else if !body.contains::<Sleeping>() {
                body.insert(Sleeping);
            }
            body.insert(*at);
            // A sleeping body wakes if these components change.
            *body.get_mut::<Position>().expect("it has one").bypass_change_detection() = *position;
            *body.get_mut::<Rotation>().expect("it has one").bypass_change_detection() = *rotation;
            *body.get_mut::<LinearVelocity>().expect("it has one").bypass_change_detection() =
                *linear;
            *body.get_mut::<AngularVelocity>().expect("it has one").bypass_change_detection() =
                *angular;
        }
        for (body, timer, node) in &memory.moving {
            let mut body = world.entity_mut(*body);
            *body.get_mut::<SleepTimer>().expect("it has one").bypass_change_detection() = *timer;
            *body.get_mut::<BodyIslandNode>().expect("it has one") = node.clone();
        }
        for (collider, tight, wide) in &memory.colliders {
            let mut collider = world.entity_mut(*collider);
            *collider.get_mut::<ColliderAabb>().expect("it has one") = *tight;
            *collider.get_mut::<EnlargedAabb>().expect("it has one") = *wide;
        }
        world.insert_resource(memory.contacts.clone());
        world.insert_resource(memory.constraints.clone());
        world.insert_resource(memory.islands.clone());
        world.insert_resource(memory.trees.clone());
    }

    fn state_of(world: &mut World, bodies: &[Entity]) -> Vec<BodyState> {
        let mut states = world.query::<(
            &Transform,
            &Position,
            &Rotation,
            &LinearVelocity,
            &AngularVelocity,
            Has<Sleeping>,
        )>();
        let state = |body: &Entity| {
            let (at, position, rotation, linear, angular, sleeps) =
                states.get(world, *body).expect("a body");
            (*at, *position, *rotation, *linear, *angular, sleeps)
        };
        bodies.iter().map(state).collect()
    }

    fn put_back(world: &mut World, bodies: &[Entity], state: &Vec<BodyState>) {
        for (body, (at, position, rotation, linear, angular, sleeps)) in bodies.iter().zip(state) {
            let mut body = world.entity_mut(*body);
            // The engine remembers contacts from step to step, and begins anew with a new collider.
            if let Some(collider) = body.take::<Collider>() {
                body.insert((collider, *at, *position, *rotation, *linear, *angular));
            }
            if *sleeps {
                body.insert(Sleeping);
            } else {
                body.remove::<Sleeping>();
            }
        }
    }

    fn set_density(world: &mut World, collider: Entity, density: f32) {
        world.entity_mut(collider).insert(ColliderDensity(density));
    }

    fn set_layers(world: &mut World, collider: Entity, layers: u32) {
        let layers = CollisionLayers::new(LayerMask::DEFAULT, LayerMask(layers));
        world.entity_mut(collider).insert(layers);
    }

    fn survives(part: Part) -> bool {
        // In debug builds avian panics at others.
        part == Part::Mass
    }

    fn shapes() -> Vec<(&'static str, Collider)> {
        let (pentagon, concave, hills) = corners();
        let [a, b, c] = [pentagon[0], pentagon[2], pentagon[3]];
        let ring = (0..5).map(|index| [index, (index + 1) % 5]).collect::<Vec<_>>();
        let fan = vec![[0, 1, 4], [1, 2, 3], [1, 3, 4]];
        let cells = [IVec2::ZERO, IVec2::X, IVec2::ONE, IVec2::new(3, 3)];
        let voxel = Vec2::new(12.0, 8.0);
        let flags = TrimeshFlags::MERGE_DUPLICATE_VERTICES;
        let fill = FillMode::FloodFill { detect_cavities: false, detect_self_intersections: false };
        let parameters = VhacdParameters::default();
        let mut all = vec![
            ("ball", Collider::circle(20.0)),
            ("cuboid", Collider::rectangle(60.0, 20.0)),
            ("ellipse", Collider::ellipse(30.0, 20.0)),
            ("regular polygon", Collider::regular_polygon(25.0, 5)),
            ("capsule", Collider::capsule_endpoints(7.0, a, b)),
            ("segment", Collider::segment(a, b)),
            ("triangle", Collider::triangle(a, b, c)),
            ("convex polygon", Collider::convex_hull(pentagon.clone()).expect("convex")),
            ("round cuboid", Collider::round_rectangle(60.0, 20.0, 3.0)),
            (
                "round triangle",
                Collider::from(parry::shape::SharedShape::round_triangle(a, b, c, 2.0)),
            ),
            (
                "round convex polygon",
                Collider::from(
                    parry::shape::SharedShape::round_convex_hull(&pentagon, 2.0).expect("convex"),
                ),
            ),
            ("half space", Collider::half_space(Vec2::new(0.6, 0.8))),
            ("polyline", Collider::polyline(concave.clone(), Some(ring.clone()))),
            ("triangle mesh", Collider::trimesh(concave.clone(), fan.clone())),
            ("height field", Collider::heightfield(hills, Vec2::new(100.0, 30.0))),
            ("convex decomposition", Collider::convex_decomposition(concave.clone(), ring.clone())),
            (
                "compound",
                Collider::compound(vec![
                    (Vec2::new(20.0, 0.0), 0.5, Collider::rectangle(30.0, 10.0)),
                    (Vec2::new(-20.0, 0.0), 0.0, Collider::circle(12.0)),
                ]),
            ),
            ("voxels", Collider::voxels(voxel, &cells)),
            ("voxels of points", Collider::voxels_from_points(voxel, &pentagon)),
            ("voxelized polyline", Collider::voxelized_polyline(&concave, &ring, 6.0, fill)),
            ("capsule along y", Collider::capsule(7.0, 30.0)),
            ("triangle in any order", Collider::triangle_unchecked(a, c, b)),
            ("open polyline", Collider::polyline(concave.clone(), None)),
            ("convex polyline", Collider::convex_polyline(pentagon.clone()).expect("convex")),
            (
                "checked triangle mesh",
                Collider::try_trimesh(concave.clone(), fan.clone()).expect("a mesh"),
            ),
            (
                "triangle mesh with flags",
                Collider::trimesh_with_config(concave.clone(), fan.clone(), flags),
            ),
            (
                "checked triangle mesh with flags",
                Collider::try_trimesh_with_config(concave.clone(), fan, flags).expect("a mesh"),
            ),
            (
                "convex decomposition with parameters",
                Collider::convex_decomposition_with_config(
                    concave.clone(),
                    ring.clone(),
                    &parameters,
                ),
            ),
            (
                "a constructor",
                Collider::try_from_constructor(ColliderConstructor::Capsule {
                    radius: 7.0,
                    height: 30.0,
                })
                .expect("valid"),
            ),
            ("Circle", Circle::new(20.0).collider()),
            ("Ellipse", Ellipse::new(30.0, 20.0).collider()),
            ("Plane2d", Plane2d::new(Vec2::new(0.6, 0.8)).collider()),
            (
                "Line2d",
                Line2d { direction: Dir2::new(Vec2::new(0.6, 0.8)).expect("one") }.collider(),
            ),
            ("Segment2d", Segment2d::new(a, b).collider()),
            ("Triangle2d", Triangle2d::new(a, b, c).collider()),
            ("Rectangle", Rectangle::new(60.0, 20.0).collider()),
            ("ConvexPolygon", ConvexPolygon::new(pentagon).expect("convex").collider()),
            ("RegularPolygon", RegularPolygon::new(25.0, 5).collider()),
            ("Capsule2d", Capsule2d::new(7.0, 30.0).collider()),
            ("own shape with a support map", Self::own_shape(true)),
        ];
        let parts = Collider::voxelized_convex_decomposition(&concave, &ring);
        all.extend(parts.into_iter().map(|part| ("voxelized part", part)));
        let parts =
            Collider::voxelized_convex_decomposition_with_config(&concave, &ring, &parameters);
        all.extend(parts.into_iter().map(|part| ("voxelized part with parameters", part)));
        all
    }

    fn own_shape(has_support_map: bool) -> Collider {
        Collider::from(own_shape::own_shape(has_support_map))
    }

    fn distance(collider: &Collider, point: Vec2) -> f32 {
        // Parry finds distances to ellipses by iteration, to about 0.1.
        let shape = collider.shape_scaled();
        if let Some(EllipseColliderShape(ellipse)) = shape.as_shape() {
            return distance_to_ellipse(ellipse.half_size, point);
        }
        own_shape::exact_distance(&**shape, point)
    }
}

/// The distance to an ellipse, by that to 4,096 chords of it.
fn distance_to_ellipse(half_size: Vec2, point: Vec2) -> f32 {
    if (point / half_size).length() <= 1.0 {
        return 0.0;
    }
    let on = |index: u32| half_size * Vec2::from_angle(index as f32 * (TAU / 4096.0));
    let chords = (0..4096).map(|index| Segment2d::new(on(index), on(index + 1)));
    chords.map(|chord| chord.closest_point(point).distance(point)).fold(f32::INFINITY, f32::min)
}

crate::engines::coupling::test_engine!(Avian);
