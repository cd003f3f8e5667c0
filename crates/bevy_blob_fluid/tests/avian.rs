//! The coupling with avian2d.

mod coupling;

use avian2d::parry::{self, shape::TypedShape};
use avian2d::prelude::*;
use bevy::prelude::*;
use coupling::{Kind, TestEngine, corners};

struct Avian;

impl TestEngine for Avian {
    type Collider = Collider;

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

    fn velocity(world: &World, body: Entity) -> Vec2 {
        world.get::<LinearVelocity>(body).expect("a body has one").0
    }

    fn set_velocity(world: &mut World, body: Entity, velocity: Vec2) {
        world.get_mut::<LinearVelocity>(body).expect("a body has one").0 = velocity;
    }

    fn asleep(world: &mut World, body: Entity) -> bool {
        world.entity(body).contains::<Sleeping>()
    }

    fn make_sensor(world: &mut World, collider: Entity) {
        world.entity_mut(collider).insert(Sensor);
    }

    fn disable_collider(world: &mut World, collider: Entity) {
        world.entity_mut(collider).insert(ColliderDisabled);
    }

    fn disable_body(world: &mut World, body: Entity) {
        world.entity_mut(body).insert(RigidBodyDisabled);
    }

    fn set_layers(world: &mut World, collider: Entity, layers: u32) {
        let layers = CollisionLayers::new(LayerMask::DEFAULT, LayerMask(layers));
        world.entity_mut(collider).insert(layers);
    }

    fn attach(world: &mut World, body: Entity, collider: Collider, at: Transform) -> Entity {
        world.spawn((collider, at, ChildOf(body))).id()
    }

    fn shapes() -> Vec<(&'static str, Collider)> {
        let (pentagon, concave, hills) = corners();
        let [a, b, c] = [pentagon[0], pentagon[2], pentagon[3]];
        let ring = (0..5).map(|index| [index, (index + 1) % 5]).collect::<Vec<_>>();
        let fan = vec![[0, 1, 4], [1, 2, 3], [1, 3, 4]];
        let cells = [IVec2::ZERO, IVec2::X, IVec2::ONE, IVec2::new(3, 3)];
        vec![
            ("ball", Collider::circle(20.0)),
            ("cuboid", Collider::rectangle(60.0, 20.0)),
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
            ("triangle mesh", Collider::trimesh(concave.clone(), fan)),
            ("height field", Collider::heightfield(hills, Vec2::new(100.0, 30.0))),
            ("convex decomposition", Collider::convex_decomposition(concave, ring)),
            (
                "compound",
                Collider::compound(vec![
                    (Vec2::new(20.0, 0.0), 0.5, Collider::rectangle(30.0, 10.0)),
                    (Vec2::new(-20.0, 0.0), 0.0, Collider::circle(12.0)),
                ]),
            ),
            ("voxels", Collider::voxels(Vec2::new(12.0, 8.0), &cells)),
        ]
    }

    fn distance(collider: &Collider, point: Vec2) -> f32 {
        // Parry finds distances to round shapes by iteration, to about 0.1: those to the shape that
        // was made round are exact.
        let shape = collider.shape_scaled();
        let (inner, radius): (&dyn parry::shape::Shape, f32) = match shape.as_typed_shape() {
            TypedShape::RoundCuboid(own) => (&own.inner_shape, own.border_radius),
            TypedShape::RoundTriangle(own) => (&own.inner_shape, own.border_radius),
            TypedShape::RoundConvexPolygon(own) => (&own.inner_shape, own.border_radius),
            _ => (&**shape, 0.0),
        };
        (inner.distance_to_local_point(point, true) - radius).max(0.0)
    }
}

#[test]
fn bodies_float_as_deep_as_their_densities_say() {
    coupling::floating::draughts::<Avian>();
}

#[test]
fn shapes_have_the_distances_of_the_engine() {
    coupling::colliders::shapes::<Avian>();
}

#[test]
fn what_is_no_solid_collider_is_not_there() {
    coupling::colliders::absent::<Avian>();
}

#[test]
fn bodies_children_and_scales_are_where_they_should_be() {
    coupling::colliders::placed::<Avian>();
}

#[test]
fn classes_pass_what_layers_leave_out() {
    coupling::colliders::layers::<Avian>();
}

#[test]
fn nonsense_is_refused() {
    coupling::colliders::nonsense::<Avian>();
}

#[test]
fn what_a_body_gains_the_liquid_loses() {
    coupling::exchange::balance::<Avian>();
}

#[test]
fn a_pond_with_a_boat_sleeps_until_a_wave_wakes_both() {
    coupling::exchange::sleep::<Avian>();
}

#[test]
fn a_shaken_cup_keeps_its_water() {
    coupling::exchange::cup::<Avian>();
}

#[test]
fn a_stone_sinks_and_a_body_lies_between_two_liquids() {
    coupling::floating::sinks_and_layers::<Avian>();
}

#[test]
fn a_pile_of_crates_rests_under_water() {
    coupling::floating::pile::<Avian>();
}
