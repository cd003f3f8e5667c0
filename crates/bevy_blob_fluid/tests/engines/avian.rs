//! The coupling with avian2d.

use crate::coupling::{Kind, Part, TICK, TestEngine, corners};
use avian2d::parry::{self, shape::TypedShape};
use avian2d::prelude::*;
use bevy::prelude::*;

struct Avian;

impl TestEngine for Avian {
    type Physics = bevy_blob_fluid::engines::Avian;
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

    fn make_sensor(world: &mut World, collider: Entity) {
        world.entity_mut(collider).insert(Sensor);
    }

    fn disable_collider(world: &mut World, collider: Entity) {
        world.entity_mut(collider).insert(ColliderDisabled);
    }

    fn enable_collider(world: &mut World, collider: Entity) {
        world.entity_mut(collider).remove::<ColliderDisabled>();
    }

    fn disable_body(world: &mut World, body: Entity) {
        world.entity_mut(body).insert(RigidBodyDisabled);
    }

    fn enable_body(world: &mut World, body: Entity) {
        world.entity_mut(body).remove::<RigidBodyDisabled>();
    }

    fn lock(world: &mut World, body: Entity, [x, y, rotation]: [bool; 3]) {
        let own = LockedAxes::new();
        let own = if x { own.lock_translation_x() } else { own };
        let own = if y { own.lock_translation_y() } else { own };
        let own = if rotation { own.lock_rotation() } else { own };
        world.entity_mut(body).insert(own);
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

    fn set_density(world: &mut World, collider: Entity, density: f32) {
        world.entity_mut(collider).insert(ColliderDensity(density));
    }

    fn set_layers(world: &mut World, collider: Entity, layers: u32) {
        let layers = CollisionLayers::new(LayerMask::DEFAULT, LayerMask(layers));
        world.entity_mut(collider).insert(layers);
    }

    fn attach(world: &mut World, body: Entity, collider: Collider, at: Transform) -> Entity {
        world.spawn((collider, at, ChildOf(body))).id()
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
    crate::coupling::floating::draughts::<Avian>();
}

#[test]
fn shapes_have_the_distances_of_the_engine() {
    crate::coupling::colliders::shapes::<Avian>();
}

#[test]
fn what_is_no_solid_collider_is_not_there() {
    crate::coupling::colliders::absent::<Avian>();
}

#[test]
fn bodies_children_and_scales_are_where_they_should_be() {
    crate::coupling::colliders::placed::<Avian>();
}

#[test]
fn classes_pass_what_layers_leave_out() {
    crate::coupling::colliders::layers::<Avian>();
}

#[test]
fn nonsense_is_refused() {
    crate::coupling::colliders::nonsense::<Avian>();
}

#[test]
fn a_shaken_cup_keeps_its_water() {
    crate::coupling::cup::shaken::<Avian>();
}

#[test]
fn a_stone_sinks_and_a_body_lies_between_two_liquids() {
    crate::coupling::floating::sinks_and_layers::<Avian>();
}

#[test]
fn a_pile_of_crates_rests_under_water() {
    crate::coupling::floating::pile::<Avian>();
}

#[test]
fn a_splash_balances() {
    crate::coupling::ledger::splashes::<Avian>();
}

#[test]
fn a_minute_of_floating_balances() {
    crate::coupling::ledger::minute::<Avian>();
}

#[test]
fn a_pond_with_a_boat_sleeps_until_a_wave_wakes_both() {
    crate::coupling::sleeping::wave::<Avian>();
}

#[test]
fn what_is_poured_wakes_a_pond_and_its_boat_and_both_sleep_again() {
    crate::coupling::sleeping::poured::<Avian>();
}

#[test]
fn a_stream_turns_a_braked_wheel_at_a_steady_rate() {
    crate::coupling::joints::mill::<Avian>();
}

#[test]
fn a_flooded_boat_floats_by_its_walls() {
    crate::coupling::hull::flooded::<Avian>();
}

#[test]
fn a_crowd_of_bodies_stays_quiet() {
    crate::coupling::crowd::small::<Avian>();
}

#[test]
fn two_hundred_bodies_stay_quiet_for_a_minute() {
    crate::coupling::crowd::large::<Avian>();
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    crate::coupling::threads::same_bits::<Avian>(
        "avian::any_number_of_threads_gives_the_same_bits",
    );
}

#[test]
fn locked_axes_stay_locked() {
    crate::coupling::mishaps::locked::<Avian>();
}

#[test]
fn what_is_switched_off_and_on_floats_again() {
    crate::coupling::mishaps::switched::<Avian>();
}

#[test]
fn a_body_that_is_despawned_or_moved_leaves_calm_liquid() {
    crate::coupling::mishaps::gone::<Avian>();
}

#[test]
fn a_swept_bullet_does_not_pass_a_wall_and_throws_no_liquid() {
    crate::coupling::mishaps::bullet::<Avian>();
}

#[test]
fn bodies_without_mass_do_no_harm() {
    crate::coupling::mishaps::massless::<Avian>();
}

#[test]
fn a_body_with_a_scaled_parent_floats_as_large_as_it_is() {
    crate::coupling::mishaps::scaled::<Avian>();
}

#[test]
fn numbers_that_are_none_do_not_reach_the_liquid() {
    crate::coupling::nonsense::numbers::<Avian>();
}

#[test]
fn a_light_paddle_on_a_joint_lets_nothing_through() {
    crate::coupling::joints::bolted::<Avian>();
}

#[test]
fn a_body_that_a_game_moves_throws_no_liquid_and_is_not_thrown() {
    crate::coupling::mishaps::moved::<Avian>();
}

#[test]
fn a_fast_body_is_slowed_and_never_thrown_back_faster() {
    crate::coupling::mishaps::thrown::<Avian>();
}

#[test]
fn what_floats_goes_on_floating_in_long_frames() {
    crate::coupling::mishaps::long_frames::<Avian>();
}
