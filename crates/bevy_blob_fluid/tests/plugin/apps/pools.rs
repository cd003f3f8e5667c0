//! Lakes of columns as entities.

use bevy::ecs::system::RunSystemOnce;
use bevy_blob_fluid::blob_fluid::Pool;

use crate::app::*;
use crate::warnings::{keep_warnings, take_warnings};

fn pools(app: &App) -> Vec<&Pool> {
    app.fluid().pools().map(|(_, pool)| pool).collect()
}

#[test]
fn a_pool_comes_moves_and_goes_with_its_entity() {
    let mut app = headless(FluidSettings::default());
    let spacing = app.fluid().parameters().particle_spacing;
    let lake = app.spawn((FluidPool::new(400.0, 100.0), FluidClass::HEAVY, xy(50.0, 30.0)));
    app.update();
    let pool = pools(&app)[0];
    assert_eq!(pool.columns(), (400.0 / spacing).round() as usize);
    assert_eq!(pool.settings().class, ClassId::HEAVY);
    assert!((pool.level(0) - 30.0).abs() < 1e-3 && (pool.bed(0) + 70.0).abs() < 1e-3);
    assert!((pool.origin().x + 150.0).abs() < 1e-3, "{}", pool.origin());
    // It moves with its water, and gets other settings.
    let id = app.component::<FluidPoolState>(lake).id().expect("in the simulation");
    assert_eq!(app.fluid_mut().pool_mut(id).expect("there").take(3, 2), 2);
    let amount = pools(&app)[0].parts();
    app.transform(lake).translation.y = 80.0;
    app.component_mut::<FluidPool>(lake).settings.drag = 3.0;
    app.update();
    let pool = pools(&app)[0];
    assert_eq!((pool.parts(), pool.settings().drag), (amount, 3.0));
    assert!((pool.bed(0) + 20.0).abs() < 1e-3);
    assert_eq!(app.component::<FluidPoolState>(lake).id(), Some(id));
    // Another bed is a new pool. The ground falls to the left.
    let corners = [(-200.0, -300.0), (0.0, -100.0), (200.0, -50.0)].map(Vec2::from);
    app.component_mut::<FluidPool>(lake).bed = corners.to_vec();
    app.transform(lake).scale = Vec3::new(-2.0, 1.0, 1.0);
    app.update();
    assert_eq!(pools(&app).len(), 1);
    let pool = pools(&app)[0];
    let bed_at = |x: f32| pool.bed(pool.column_at(50.0 + x).expect("within"));
    for (x, expected) in [(-390.0, 28.75), (2.0, -21.0), (390.0, -215.0)] {
        assert!((bed_at(x) - expected).abs() < 5.0, "{x}: {} for {expected}", bed_at(x));
    }
    app.remove::<FluidPool>(lake);
    app.update();
    assert!(pools(&app).is_empty() && app.world().get::<FluidPoolState>(lake).is_none());
    app.insert(lake, FluidPool::default());
    app.update();
    assert_eq!(pools(&app).len(), 1);
    app.despawn(lake);
    app.update();
    assert!(pools(&app).is_empty());
}

#[test]
fn impossible_pools_are_left_out_by_name_and_field() {
    keep_warnings();
    let mut app = headless(FluidSettings::default());
    let pool = FluidPool::default;
    let turned = Transform::from_rotation(Quat::from_rotation_z(0.3));
    let with = PoolSettings::default;
    for (name, pool, transform, named) in [
        ("pond 1", FluidPool::over([Vec2::ZERO], 1.0), default(), "bed"),
        ("pond 2", FluidPool::over([Vec2::X, Vec2::ZERO], 1.0), default(), "bed"),
        ("pond 3", FluidPool::new(f32::NAN, 100.0), default(), "bed"),
        ("pond 4", FluidPool::new(400.0, 1e9), default(), "bed"),
        ("pond 5", FluidPool::new(1e7, 100.0), default(), "1 to 65536"),
        ("pond 6", FluidPool { level: f32::NAN, ..pool() }, default(), "level"),
        ("pond 7", pool().with_settings(PoolSettings { drag: -1.0, ..with() }), default(), "drag"),
        (
            "pond 8",
            pool().with_settings(PoolSettings { column_width: 0, ..with() }),
            default(),
            "column_width",
        ),
        ("pond 9", pool(), turned, "turned"),
        ("pond 10", pool(), xy(f32::NAN, 0.0), "not finite"),
    ] {
        app.spawn((Name::new(name), pool, transform));
        app.updates(2);
        let warnings = take_warnings(name);
        assert!(warnings.len() == 1 && warnings[0].contains(named), "{name}: {warnings:?}");
    }
    app.spawn((Name::new("pond 11"), pool(), FluidClass::new(200)));
    app.update();
    assert!(take_warnings("pond 11")[0].contains("class 200"));
    assert!(pools(&app).is_empty());
    // A change is refused, and the last valid state stays.
    let lake = app.spawn((Name::new("pond 12"), pool()));
    app.update();
    let before = pools(&app)[0].clone();
    app.component_mut::<FluidPool>(lake).settings.friction = f32::INFINITY;
    app.component_mut::<FluidPool>(lake).bed.clear();
    app.update();
    assert!(take_warnings("pond 12")[0].contains("bed"));
    assert_eq!(pools(&app)[0].settings(), before.settings());
}

#[test]
fn boats_float_drops_fall_in_and_queries_find_the_water() {
    let mut app = headless(FluidSettings::default());
    app.spawn(FluidPool::new(2000.0, 120.0));
    let boat = FluidCollider::from(Rectangle::new(80.0, 30.0));
    let boat = app.spawn((boat, FluidBuoyant::of_density(0.5), xy(0.0, 20.0)));
    app.spawn((FluidBlob::from(Circle::new(20.0)), FluidClass::MEDIUM, xy(300.0, 60.0)));
    let parts = |app: &App| {
        let pooled: i64 = pools(app).iter().map(|pool| pool.parts()).sum();
        pooled + Pool::PARTS * app.particles() as i64
    };
    app.update();
    let before = parts(&app);
    assert!(app.particles() > 10);
    app.updates(600);
    assert_eq!((app.particles(), parts(&app)), (0, before));
    let floats = app.component::<GlobalTransform>(boat).translation();
    assert!(floats.y.abs() < 6.0, "half of it is immersed: {floats}");
    let ask = |query: FluidQuery| {
        let deep = Vec2::new(-500.0, -50.0);
        (query.depth_at(deep), query.is_in_liquid(deep, ClassFilter::ALL))
    };
    let (depth, is_wet) = app.world_mut().run_system_once(ask).expect("it runs");
    assert!((depth - 50.0).abs() < 3.0 && is_wet, "{depth}");
}

#[test]
fn a_restarted_app_fills_its_pools_again() {
    let mut app = headless(FluidSettings::default());
    let lake = app.spawn(FluidPool::new(800.0, 100.0));
    app.update();
    let before = pools(&app)[0].state_hash();
    let id = app.component::<FluidPoolState>(lake).id().expect("there");
    app.fluid_mut().pool_mut(id).expect("there").add(10, 300);
    app.updates(30);
    app.world_mut().commands().queue(FluidSimulation::restart);
    app.updates(2);
    assert_eq!(pools(&app)[0].state_hash(), before);
}
