//! Bodies in liquid on the graphics card.

use avian2d::prelude::{Collider, ColliderDensity, Gravity, PhysicsPlugins, RigidBody};

use crate::app::*;
use crate::pictures::*;

/// A pool with a body of the plugin, one of an engine, and a block under water that has a load. The load of a thin one
/// would be a small difference of two large forces.
fn pool_with_bodies(backend: FluidBackend) -> Option<(App, [Entity; 3])> {
    let mut bodies = None;
    let settings = FluidSettings { backend, ..default() };
    let gravity = settings.parameters.gravity;
    let app = offscreen(settings, FluidDots::default(), |app| {
        app.add_plugins(PhysicsPlugins::default().with_length_unit(100.0));
        app.insert_resource(Gravity(gravity));
        app.spawn(FluidContainer::from(Rectangle::new(240.0, 160.0)));
        app.spawn((FluidBlob::from(Rectangle::new(236.0, 80.0)), xy(0.0, -40.0)));
        let size = Vec2::new(50.0, 24.0);
        let own = (
            FluidCollider::from(Rectangle::from_size(size)),
            FluidBuoyant::of_density(0.4),
            xy(-60.0, 24.0),
        );
        let engines = (
            RigidBody::Dynamic,
            Collider::rectangle(size.x, size.y),
            ColliderDensity(0.4),
            FluidCoupled::default(),
            xy(60.0, 24.0),
        );
        let shelf =
            (FluidCollider::from(Rectangle::new(60.0, 24.0)), FluidLoad::default(), xy(0.0, -54.0));
        bodies = Some([app.spawn(own), app.spawn(engines), app.spawn(shelf)]);
    })?;
    Some((app, bodies.expect("spawned")))
}

#[test]
fn bodies_float_and_loads_are_measured_on_the_card() {
    let heights_and_load = |backend| {
        let (mut app, [own, engines, shelf]) = pool_with_bodies(backend)?;
        app.updates(400);
        let ticks = 100;
        let mut force = Vec2::ZERO;
        for _ in 0..ticks {
            app.update();
            force += app.world().get::<FluidLoad>(shelf).expect("there").force / ticks as f32;
        }
        let height =
            |entity: Entity| app.world().get::<Transform>(entity).expect("there").translation.y;
        Some(([own, engines].map(height), force))
    };
    let (Some((here, load_here)), Some((there, load_there))) =
        (heights_and_load(FluidBackend::Cpu), heights_and_load(FluidBackend::Gpu))
    else {
        return;
    };
    println!("heights {here:?} and {there:?}, forces {load_here} and {load_there}");
    for (here, there) in here.into_iter().zip(there) {
        assert!((here - there).abs() < 3.0 && (-30.0..15.0).contains(&there), "{here}, {there}");
    }
    // Liquid presses on a shelf from below as well.
    assert!(load_here.y > 0.0 && (load_there.y / load_here.y - 1.0).abs() < 0.1);
}
