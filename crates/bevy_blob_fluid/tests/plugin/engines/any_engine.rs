//! The coupling with an engine of a game's own, which may say anything.

use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleConfigs};
use bevy::ecs::system::{ScheduleSystem, SystemParamItem};
use bevy::time::TimeUpdateStrategy;
use bevy_blob_fluid::blob_fluid::{Motion, Pose};
use bevy_blob_fluid::engines::{
    EngineBodies, EngineBody, EngineCollider, EnginePush, FluidEnginePlugin, PhysicsEngine, Piece,
};

use crate::app::*;
use crate::warnings::{keep_warnings, take_warnings};

const TICK: f32 = 1.0 / 64.0;

/// An engine of one body: what it says of it, and what it got for it.
#[derive(Resource)]
struct OneBody {
    said: EngineBody,
    coupled: FluidCoupled,
    shape: FluidShape,
    pushes: Vec<EnginePush>,
}

struct Engine;

impl PhysicsEngine for Engine {
    type Read = Res<'static, OneBody>;
    type Write = ResMut<'static, OneBody>;

    fn collect(one: SystemParamItem<Self::Read>, into: &mut EngineBodies) {
        into.body(one.said);
        let collider = EngineCollider {
            entity: one.said.entity,
            body: Some(one.said.entity),
            pose: Pose::IDENTITY,
            layers: u32::MAX,
            coupled: &one.coupled,
        };
        into.collider(collider, &one.shape, PartialEq::eq, |shape| {
            Ok(vec![Piece::new(shape.clone())])
        });
    }

    fn push(mut one: SystemParamItem<Self::Write>, pushes: &[EnginePush]) -> bool {
        one.pushes.extend(pushes);
        true
    }

    fn schedule(
        app: &mut App,
        _fluid: InternedScheduleLabel,
        push: ScheduleConfigs<ScheduleSystem>,
    ) {
        app.add_systems(FixedUpdate, push);
    }
}

const NAME: &str = "the body";

/// A body of a density of 0.5 that the engine holds in a pool.
fn pool() -> App {
    let engine = FluidEnginePlugin::<Engine>::default();
    let mut app = app_of((AssetPlugin::default(), BlobFluidPlugins::default(), engine));
    let entity = app.spawn((Name::new(NAME), Transform::default()));
    let said = EngineBody {
        entity,
        pose: Pose::from_translation(Vec2::new(0.0, -20.0)),
        motion: Motion::STILL,
        is_dynamic: true,
        asleep: false,
        mass: 1200.0,
        inverse_mass: Vec2::splat(1.0 / 1200.0),
        inverse_inertia: 1.0 / 520_000.0,
    };
    app.insert_resource(OneBody {
        said,
        coupled: FluidCoupled::default(),
        shape: FluidShape::Rectangle { half_size: Vec2::new(30.0, 20.0) },
        pushes: Vec::new(),
    });
    app.spawn(FluidContainer::from(Rectangle::new(300.0, 200.0)));
    app.spawn((FluidBlob::from(Rectangle::new(290.0, 95.0)), xy(0.0, -50.0)));
    let tick = std::time::Duration::from_secs_f32(TICK);
    app.insert_resource(TimeUpdateStrategy::ManualDuration(tick));
    app.finish_plugins();
    app
}

fn run(app: &mut App, ticks: u32) {
    for _ in 0..ticks {
        app.update();
        let fluid = app.fluid();
        assert!(fluid.particles().positions().iter().all(|part| part.is_finite()));
        assert!(fluid.particles().velocities().iter().all(|part| part.is_finite()));
        assert_eq!(fluid.quarantined(), 0);
        for (_, collider) in fluid.colliders() {
            assert!(collider.centre().is_finite() && collider.centre().length() < 100.0);
        }
    }
}

/// What the liquid pushed the body up by in so many ticks, per tick.
fn lift(app: &mut App, ticks: u32) -> f32 {
    app.resource_mut::<OneBody>().pushes.clear();
    run(app, ticks);
    let pushes = &app.resource::<OneBody>().pushes;
    assert!(pushes.iter().all(|push| push.impulse.is_finite() && push.angular_impulse.is_finite()));
    pushes.iter().map(|push| push.impulse.y).sum::<f32>() / ticks as f32
}

#[test]
fn nonsense_of_an_engine_is_refused_with_one_warning_until_it_is_mended() {
    keep_warnings();
    let mut app = pool();
    run(&mut app, 128);
    let expected = lift(&mut app, 64);
    assert!(expected > 1000.0, "it is afloat: {expected}");
    assert_eq!(take_warnings(NAME), [""; 0]);
    let valid = app.resource::<OneBody>().said;
    let nonsense: [(&str, fn(&mut OneBody, f32)); 10] = [
        ("translation", |body, number| body.said.pose.translation.x = number),
        ("rotation", |body, number| body.said.pose.rotation.y = number),
        ("velocity", |body, number| body.said.motion.velocity.y = number),
        ("angular velocity", |body, number| body.said.motion.angular_velocity = number),
        ("inverse mass", |body, number| body.said.inverse_mass.x = number),
        ("inverse inertia", |body, number| body.said.inverse_inertia = number),
        ("density", |body, number| body.coupled.density = Some(number)),
        ("liquid density", |body, number| body.coupled.liquid_density = number),
        ("friction", |body, number| body.coupled.wall.friction = Some(number)),
        ("shape", |body, number| body.shape = FluidShape::Circle { radius: number }),
    ];
    let valid_shape = app.resource::<OneBody>().shape.clone();
    for (what, spoil) in nonsense {
        for number in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            spoil(&mut app.resource_mut::<OneBody>(), number);
            run(&mut app, 16);
            let warnings = take_warnings(NAME);
            println!("{what} {number}: {warnings:?}");
            assert_eq!(warnings.len(), 1, "{what} {number}: {warnings:?}");
            let mut body = app.resource_mut::<OneBody>();
            (body.said, body.coupled, body.shape) = (valid, default(), valid_shape.clone());
            run(&mut app, 1);
        }
        run(&mut app, 128);
        let mended = lift(&mut app, 64);
        assert!((mended / expected - 1.0).abs() < 0.1, "{what}: {mended} of {expected}");
        assert_eq!(take_warnings(NAME), [""; 0], "{what}");
    }
}
