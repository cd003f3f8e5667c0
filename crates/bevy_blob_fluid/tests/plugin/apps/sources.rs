//! Emitters and drains as entities, in a headless app.

use std::time::Duration;

use bevy::time::TimeUpdateStrategy;

use crate::app::*;
use crate::warnings::{keep_warnings, take_warnings, take_warnings_about};

fn totals(app: &App, entity: Entity) -> FluidEmitterTotals {
    *app.component(entity)
}

#[test]
fn a_jet_leaves_along_the_entitys_y_axis_with_its_class_lifetime_and_tag() {
    let mut app = weightless();
    let lifetime = FluidLifetime::new(0.5).fading(0.25);
    let jet = FluidEmitter::jet(40.0, 300.0).with_lifetime(lifetime).with_tag(ParticleTag(3));
    let turned = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
    let transform = xy(50.0, 20.0).with_rotation(turned);
    let entity = app.spawn((jet, FluidClass::LIGHT, transform));
    app.updates(20);
    let particles = app.fluid().particles();
    assert!(particles.len() > 40);
    assert!(particles.classes().iter().all(|class| *class == ClassId::LIGHT));
    assert!(particles.positions().iter().all(|at| at.x < 50.0 && (at.y - 20.0).abs() < 30.0));
    assert!(particles.ids().iter().all(|id| particles.tag(*id) == Some(ParticleTag(3))));
    assert_eq!(totals(&app, entity).emitted, particles.len() as u64);
    app.updates(64);
    let (alive, emitted) = (app.particles() as u64, totals(&app, entity).emitted);
    assert!(alive < emitted && alive.abs_diff(emitted * 32 / 84) < 15, "{alive} of {emitted}");
    let particles = app.fluid().particles();
    let faded =
        (0..particles.len()).filter(|transform| particles.opacity(*transform) < 1.0).count();
    assert!(faded.abs_diff(particles.len() / 2) < 15, "{faded} of {}", particles.len());
}

#[test]
fn a_nozzle_follows_its_entity_and_its_parent() {
    let mut app = weightless();
    let parent = app.spawn(xy(0.0, 0.0));
    app.spawn((FluidEmitter::jet(8.0, 400.0).with_rate(10.0), xy(0.0, 100.0), ChildOf(parent)));
    app.updates(2);
    for number in 1..=30 {
        app.transform(parent).translation.x = 3.0 * number as f32;
        app.update();
    }
    // What came out last takes the parent's velocity along: 3 units a tick.
    let fastest = app.velocities().iter().map(|velocity| velocity.x).fold(0.0, f32::max);
    assert!((fastest - 192.0).abs() < 10.0, "{fastest}");
    let lowest = app.positions().iter().map(|at| at.y).fold(f32::MAX, f32::min);
    assert!((95.0..145.0).contains(&lowest), "{lowest}");
    // A jump is no motion.
    app.fluid_mut().clear();
    app.transform(parent).translation.x = 5000.0;
    app.updates(30);
    let (points, velocities) = (app.positions(), app.velocities());
    assert!(points.iter().filter(|at| at.x > 4900.0).count() > 2);
    assert!(points.iter().all(|at| at.x > 4900.0 || at.x < 200.0), "{points:?}");
    assert!(velocities.iter().all(|velocity| velocity.x.abs() < 300.0), "{velocities:?}");
}

#[test]
fn several_ticks_a_frame_let_out_as_much_as_one_each() {
    let mut emitted = [0; 2];
    for (index, ticks) in [1, 4].into_iter().enumerate() {
        let tick = Duration::from_millis(10);
        let mut app = app_of(BlobFluidPlugins::new(Update));
        app.insert_resource(TimeUpdateStrategy::ManualDuration(tick * ticks))
            .insert_resource(FluidSettings::new(8.0, Vec2::ZERO))
            .finish_plugins();
        app.clock().set_tick(FluidTick::Every(tick));
        app.update();
        let entity = app.spawn(FluidEmitter::jet(40.0, 300.0));
        for number in 0..(40 / ticks) {
            app.transform(entity).translation.x = (number * ticks) as f32 * 2.0;
            app.update();
        }
        emitted[index] = totals(&app, entity).emitted;
        assert_eq!(totals(&app, entity).held_back, 0);
        // The nozzle moves as fast in every tick: it would be 800 units/s, now and then, were it
        // not for the others.
        let fastest = app.velocities().iter().map(|velocity| velocity.x).fold(0.0, f32::max);
        assert!((150.0..300.0).contains(&fastest), "{ticks} ticks a frame: {fastest}");
    }
    assert_eq!(emitted[0], emitted[1]);
}

#[test]
fn a_paused_fluid_lets_nothing_out() {
    let mut app = weightless();
    app.clock().pause();
    let entity = app.spawn(FluidEmitter::jet(40.0, 300.0));
    let drain = app.spawn(FluidDrain::from(Circle::new(500.0)));
    app.updates(10);
    assert_eq!((app.particles(), totals(&app, entity)), (0, FluidEmitterTotals::default()));
    app.despawn(drain);
    app.clock().step_once();
    app.updates(10);
    assert_eq!(app.particles(), 5, "one tick's worth");
}

#[test]
fn emitters_without_a_place_or_with_nonsense_wait() {
    let mut app = weightless();
    let jet = || FluidEmitter::jet(40.0, 300.0);
    let broken = [Vec3::new(0.0, 1.0, 1.0), Vec3::ZERO, Vec3::new(f32::NAN, 1.0, 1.0)];
    let entities = broken.map(|scale| app.spawn((jet(), Transform::from_scale(scale))));
    let nonsense = app.spawn(FluidEmitter::jet(f32::NAN, 300.0));
    let hollow = app.spawn(FluidEmitter::rain(Plane2d::new(Vec2::Y), 10.0));
    app.updates(5);
    assert_eq!(app.particles(), 0);
    for (number, entity) in entities.into_iter().enumerate() {
        *app.transform(entity) = xy(200.0 * number as f32, 0.0);
    }
    app.updates(5);
    for entity in entities {
        assert_eq!(totals(&app, entity).emitted, 15);
    }
    assert_eq!(totals(&app, nonsense), totals(&app, hollow));

    // The last valid settings stay in force.
    let good = entities[0];
    app.component_mut::<FluidEmitter>(good).inherit_velocity = 7.0;
    app.updates(5);
    assert!(totals(&app, good).emitted > 20);
    // A wider scale is a wider nozzle.
    app.transform(entities[1]).scale = Vec3::splat(3.0);
    app.fluid_mut().clear();
    app.updates(4);
    let wide = app.positions().iter().filter(|at| (at.x - 200.0).abs() > 40.0);
    assert!(wide.count() >= 4);
}

#[test]
fn components_come_and_go_at_any_time_and_leave_nothing_behind() {
    let mut app = weightless();
    let entity = app.spawn(FluidEmitter::jet(40.0, 300.0).with_limit(20));
    app.updates(30);
    assert_eq!(
        totals(&app, entity),
        FluidEmitterTotals { emitted: 20, finished: true, ..default() }
    );
    // Changed, it goes on; inserted anew, it starts over.
    app.component_mut::<FluidEmitter>(entity).limit = Some(25);
    app.updates(10);
    assert_eq!((totals(&app, entity).emitted, app.particles()), (25, 25));
    app.world_mut()
        .entity_mut(entity)
        .remove::<FluidEmitter>()
        .insert(FluidEmitter::jet(40.0, 300.0).with_burst(7));
    app.updates(3);
    assert_eq!((totals(&app, entity).emitted, app.particles()), (7, 32));
    app.remove::<FluidEmitter>(entity);
    app.updates(3);
    assert_eq!((app.world().get::<FluidEmitterTotals>(entity), app.particles()), (None, 32));

    let mut commands = app.world_mut().commands();
    let short = commands.spawn(FluidEmitter::jet(40.0, 300.0)).id();
    commands.entity(short).remove::<FluidEmitter>().insert(FluidDrain::from(Circle::new(4000.0)));
    commands.spawn(FluidEmitter::jet(40.0, 300.0)).despawn();
    app.update();
    assert_eq!(app.particles(), 0, "all drained");
    let drained = app.component::<FluidDrainTotals>(short);
    assert_eq!((drained.total, &drained.by_class[..]), (32, &[0, 32][..]));
    app.despawn(short);
    app.updates(2);
}

#[test]
fn a_drain_takes_its_classes_at_its_rate_where_it_is() {
    let mut app = weightless();
    let blob = FluidBlob::from(Circle::new(60.0));
    for (x, class) in [(0.0, FluidClass::HEAVY), (300.0, FluidClass::LIGHT)] {
        app.spawn((blob.clone(), class, xy(x, 0.0)));
    }
    let light = ClassFilter::from(ClassId::LIGHT);
    let drain = FluidDrain::from(Rectangle::new(10.0, 10.0)).taking(light).with_rate(64.0);
    let entity = app.spawn((drain, Transform::from_scale(Vec3::new(60.0, 8.0, 1.0))));
    app.update();
    let before = app.particles();
    app.updates(32);
    assert!(app.particles().abs_diff(before - 32) <= 1, "{before} {}", app.particles());
    let totals = app.component::<FluidDrainTotals>(entity);
    assert_eq!(totals.by_class[..2], [0, 0]);
    // What is refused changes nothing.
    app.component_mut::<FluidDrain>(entity).rate = Some(f32::NAN);
    let before = app.particles();
    app.updates(16);
    assert!(app.particles().abs_diff(before - 16) <= 1, "{before} {}", app.particles());
    app.component_mut::<FluidDrain>(entity).rate = None;
    app.update();
    let particles = app.fluid().particles();
    let left = particles.classes().iter().zip(particles.positions());
    let inside = |at: &Vec2| at.x.abs() < 299.0 && at.y.abs() < 39.0;
    assert!(left.clone().all(|(class, at)| *class == ClassId::HEAVY || !inside(at)));
    assert!(left.filter(|(_, at)| inside(at)).count() > 50);
}

#[test]
fn a_mix_and_rain_in_a_shape() {
    let mut app = weightless();
    let rain = FluidEmitter::rain(Rectangle::new(400.0, 40.0), 256.0)
        .with_mix([(ClassId::HEAVY, 1.0), (ClassId::LIGHT, 3.0)]);
    app.spawn((rain, xy(0.0, 500.0)));
    app.updates(16);
    let particles = app.fluid().particles();
    assert_eq!(particles.len(), 64);
    let heavy = particles.classes().iter().filter(|class| **class == ClassId::HEAVY).count();
    assert_eq!(heavy, 16);
    assert!(
        particles.positions().iter().all(|at| at.x.abs() < 210.0 && (at.y - 500.0).abs() < 30.0)
    );
}

// Row 19 of docs/reliability.md.
#[test]
fn a_full_world_refuses_or_recycles_and_kill_bounds_count() {
    let mut app = weightless();
    app.settings().capacity = 50;
    let entity = app.spawn(FluidEmitter::jet(40.0, 300.0));
    app.updates(40);
    assert_eq!((app.particles(), totals(&app, entity).emitted), (50, 50));
    assert!(totals(&app, entity).refused > 0);
    app.settings().when_full = CapacityPolicy::RecycleOldest;
    app.updates(40);
    assert_eq!(app.particles(), 50);
    let recycled = app.resource::<FluidStatistics>().recycled;
    assert!(recycled > 20 && totals(&app, entity).emitted == 50 + recycled);

    let mut settings = app.settings();
    settings.kill_bounds = Some(FluidBounds { low: Vec2::splat(-40.0), high: Vec2::splat(40.0) });
    app.updates(2);
    let removed = app.resource::<FluidStatistics>().out_of_bounds;
    assert!(removed > 5, "{removed}");
    assert!(app.positions().iter().all(|at| at.y <= 40.0));
}

#[test]
fn the_order_of_archetypes_does_not_matter() {
    let run = |swap: bool| {
        let mut app = weightless();
        let first = app.world_mut().spawn_empty().id();
        let second = app.world_mut().spawn_empty().id();
        let jet = |x: f32| (FluidEmitter::jet(40.0, 300.0), xy(x, 0.0));
        // Of two that overlap one lets out what the other then has no place for.
        app.insert(first, jet(0.0));
        app.insert(second, jet(15.0));
        app.insert(if swap { first } else { second }, Name::new("another archetype"));
        app.updates(30);
        let held_back = [first, second].map(|entity| totals(&app, entity).held_back);
        assert!(held_back[0].max(held_back[1]) > 0);
        (held_back, app.fluid().state_hash())
    };
    assert_eq!(run(false), run(true));
}

/// The classes of the particles of a blob and of an emitter without a class.
fn classes_without_one(classes: Option<FluidClasses>) -> Vec<u8> {
    let mut app = weightless();
    if let Some(classes) = classes {
        app.insert_resource(classes);
    }
    app.spawn(FluidBlob::from(Circle::new(30.0)));
    app.spawn((FluidEmitter::jet(40.0, 300.0), xy(200.0, 0.0)));
    app.updates(20);
    assert!(app.particles() > 60, "{}", app.particles());
    let mut classes: Vec<u8> =
        app.fluid().particles().classes().iter().map(|class| class.0).collect();
    classes.dedup();
    classes.sort_unstable();
    classes.dedup();
    classes
}

#[test]
fn liquid_without_a_class_is_medium_or_of_the_first_class_of_ones_own() {
    let named = |names: &[&str]| {
        let class = |name: &&str| DensityClass { name: (*name).into(), ..default() };
        Some(FluidClasses::from(names.iter().map(class).collect::<Vec<_>>()))
    };
    assert_eq!(classes_without_one(None), [ClassId::MEDIUM.0]);
    assert_eq!(classes_without_one(named(&["water"])), [0]);
    assert_eq!(classes_without_one(named(&["water", "oil"])), [0]);
    // As a material adds its class behind the default ones.
    assert_eq!(classes_without_one(named(&["heavy", "medium", "light", "honey"])), [1]);
}

#[test]
fn a_drain_stops_and_starts() {
    let mut app = weightless();
    app.spawn(FluidBlob::from(Circle::new(60.0)));
    let drain = app.spawn(FluidDrain::from(Circle::new(500.0)).with_rate(640.0).stopped());
    app.updates(5);
    let all = app.particles();
    assert!(all > 100, "{all}");
    app.component_mut::<FluidDrain>(drain).running = true;
    app.updates(5);
    assert_eq!(app.particles(), all - 50);
    app.component_mut::<FluidDrain>(drain).running = false;
    app.updates(5);
    assert_eq!(app.particles(), all - 50);
}

// Tanks, pumps, pipes and valves as entities, in a headless app.

fn contents(app: &App, tank: Entity) -> &FluidTankContents {
    app.component(tank)
}

/// A closed circuit: a pump lifts liquid from a pool into a pipe with a valve, from which it falls on a
/// drain into a tank that feeds an emitter over the pool.
fn circuit(others: usize) -> App {
    let mut app = headless(default());
    let world = app.world_mut();
    world.spawn_batch(vec![Name::new("other"); others]).for_each(drop);
    world.spawn(FluidContainer::from(Rectangle::new(320.0, 320.0)));
    world.spawn((FluidBlob::from(Rectangle::new(320.0, 50.0)), xy(0.0, -135.0)));
    let hose = FluidPipe::new([(-60.0, 100.0), (40.0, 100.0), (40.0, 20.0)].map(Vec2::from), 40.0);
    let (valve, place) = hose.valve_at(120.0);
    world.spawn((Name::new("hose"), hose)).with_child((
        Name::new("valve"),
        valve.opened(0.5),
        place,
    ));
    let pump = FluidPump::new(
        Rectangle::new(80.0, 30.0),
        Rectangle::new(40.0, 36.0),
        Vec2::new(60.0, 250.0),
    );
    let pump = pump.with_rate(60.0).with_max_head(500.0).with_velocity(Vec2::new(30.0, 0.0));
    world.spawn((Name::new("pump"), pump, xy(-100.0, -150.0)));
    let tank =
        world.spawn((Name::new("tank"), FluidTank::with_capacity(100).holding(ClassId::LIGHT, 40)));
    let link = FluidTankLink(tank.id());
    world.spawn((
        FluidDrain::from(Rectangle::new(120.0, 40.0)).with_rate(45.0),
        link,
        xy(40.0, -20.0),
    ));
    let down = Quat::from_rotation_z(std::f32::consts::PI);
    world.spawn((FluidEmitter::pour(30.0, 40.0), link, xy(-120.0, 0.0).with_rotation(down)));
    app
}

/// The entity of a name.
fn named(app: &mut App, name: &str) -> Entity {
    let world = app.world_mut();
    let mut names = world.query::<(Entity, &Name)>();
    let found = names.iter(world).find(|(_, known)| known.as_str() == name);
    found.expect("there").0
}

#[test]
fn a_circuit_of_entities_loses_nothing() {
    let mut app = circuit(0);
    app.update();
    let [tank, pump] = ["tank", "pump"].map(|name| named(&mut app, name));
    let all = app.particles() as u64 + contents(&app, tank).total();
    assert_eq!(contents(&app, tank).temperature(ClassId::LIGHT), Some(20.0));
    for _ in 0..1500 {
        app.update();
        assert_eq!(app.particles() as u64 + contents(&app, tank).total(), all);
    }
    let totals: &FluidPumpTotals = app.component(pump);
    // From anywhere in the inlet to anywhere in the outlet.
    let (lift, within) = (250.0, 0.5 * (30.0 + 36.0));
    assert!(totals.moved > 300 && (totals.lift - lift).abs() < within, "{totals:?}");
    let world = app.world_mut();
    let drained = world.query::<&FluidDrainTotals>().single(world).expect("one").total;
    let emitted = world.query::<&FluidEmitterTotals>().single(world).expect("one").emitted;
    assert!(drained > 100 && emitted > 140, "{drained} {emitted}");
    // What flows through the valve and the pipe does not come out beside it.
    let light = app.fluid().particles().classes().contains(&ClassId::LIGHT);
    assert!(light, "the tank's own came out");
}

#[test]
fn a_valve_is_worked_by_its_opening() {
    let mut app = headless(default());
    app.spawn(FluidContainer::from(Rectangle::new(200.0, 600.0)));
    let pipe = FluidPipe::new([Vec2::new(0.0, 280.0), Vec2::new(0.0, -100.0)], 60.0);
    let (valve, place) = pipe.valve_at(200.0);
    let tube = app.spawn((pipe, xy(30.0, 0.0)));
    let gate = app.spawn((valve, place, ChildOf(tube)));
    app.spawn((FluidBlob::from(Rectangle::new(60.0, 180.0)), xy(30.0, 180.0)));
    let through = |app: &App| app.positions().iter().filter(|at| at.y < 74.0).count();
    app.updates(300);
    assert!(app.particles() > 100 && through(&app) == 0, "{}", through(&app));
    app.world_mut().get_mut::<FluidValve>(gate).expect("a valve").opening = 0.6;
    app.updates(40);
    let passed = through(&app);
    assert!(passed > 5, "{passed}");
    // It comes out of the lower end, and nowhere else.
    assert!(app.positions().iter().all(|at| at.y < -90.0 || (at.x - 30.0).abs() < 31.0));
    app.world_mut().get_mut::<FluidValve>(gate).expect("a valve").opening = 0.0;
    app.updates(60);
    let passed = through(&app);
    app.updates(300);
    assert_eq!(through(&app), passed);
}

#[test]
fn a_link_that_leads_nowhere_is_warned_about_and_nothing_flows() {
    keep_warnings();
    let mut app = weightless();
    let nothing = app.spawn(Name::new("no tank"));
    let link = FluidTankLink(nothing);
    let tap = app.spawn((Name::new("unlinked tap"), FluidEmitter::jet(40.0, 200.0), link));
    app.spawn((Name::new("unlinked hole"), FluidDrain::from(Circle::new(50.0)), link));
    spawn_blob(&mut app);
    app.updates(20);
    let blob = app.particles();
    for name in ["unlinked tap", "unlinked hole"] {
        let warnings = take_warnings(name);
        assert!(warnings.len() == 1 && warnings[0].contains("not a FluidTank"), "{warnings:?}");
    }
    // Mended, it drains; and a tap with a class takes only that.
    app.insert(nothing, FluidTank::default().holding(ClassId::LIGHT, 9));
    app.insert(tap, (FluidClass::MEDIUM, xy(500.0, 0.0)));
    app.updates(20);
    assert_eq!(contents(&app, nothing).amount(ClassId::HEAVY), blob as u64);
    assert_eq!((contents(&app, nothing).amount(ClassId::LIGHT), app.particles()), (9, 0));
    // It is worked by the game as well, and its capacity may change.
    app.insert(tap, FluidClass::LIGHT);
    app.world_mut().get_mut::<FluidTank>(nothing).expect("a tank").capacity = Some(3);
    app.world_mut().get_mut::<FluidTankContents>(nothing).expect("one").take(ClassId::HEAVY, 1);
    app.updates(20);
    assert_eq!((app.particles(), contents(&app, nothing).room()), (9, 0));
}

#[test]
fn what_a_tank_holds_at_first_is_as_warm_as_new_liquid() {
    let mut hot = DensityClass { name: "lava".into(), ..default() };
    hot.thermal.temperature = Some(900.0);
    let classes = FluidClasses::from(vec![DensityClass::default(), hot]);
    let mut app = app_of(BlobFluidPlugins::default());
    let mut settings = FluidSettings::default();
    settings.parameters.ambient_temperature = 5.0;
    app.insert_resource(settings).insert_resource(classes);
    let full = FluidTank::default().holding(ClassId(0), 3).holding(ClassId(1), 7);
    app.add_systems(Startup, move |mut commands: Commands| {
        commands.spawn((Name::new("tank"), full.clone()));
    });
    app.start();
    let tank = named(&mut app, "tank");
    let warmth = |app: &App| [0, 1].map(|class| contents(app, tank).temperature(ClassId(class)));
    assert_eq!(warmth(&app), [Some(5.0), Some(900.0)]);
    app.world_mut().commands().queue(FluidSimulation::restart);
    app.updates(2);
    assert_eq!(warmth(&app), [Some(5.0), Some(900.0)]);
}

#[test]
fn nonsense_is_refused_and_what_was_valid_stays() {
    keep_warnings();
    let mut app = headless(default());
    let pipe = || FluidPipe::new([Vec2::ZERO, Vec2::new(200.0, 0.0)], 40.0);
    let tube = app.spawn((Name::new("odd pipe"), pipe()));
    let gate = app.spawn((Name::new("odd valve"), FluidValve::new(40.0, 10.0)));
    let circle = Circle::new(20.0);
    let pump = FluidPump::new(circle, circle, Vec2::new(0.0, 100.0));
    let mover = app.spawn((Name::new("odd pump"), pump.clone()));
    app.updates(2);
    let shapes =
        |app: &App| [tube, gate].map(|entity| app.component::<FluidCollider>(entity).shape.clone());
    let valid = shapes(&app);
    assert_eq!(app.colliders(), 2);
    let refuse = |app: &mut App, name: &str, error: &str| {
        app.updates(3);
        let warnings = take_warnings(name);
        assert!(warnings.len() == 1 && warnings[0].contains(error), "{name}: {warnings:?}");
        assert_eq!(shapes(app), valid);
    };
    app.insert(tube, FluidPipe { width: 20.0, ..pipe() });
    refuse(&mut app, "odd pipe", "pipe: width is 20, and must be at least 3 particle spacings");
    app.insert(tube, pipe());
    app.updates(2);
    app.insert(tube, FluidPipe { points: vec![Vec2::NAN; 2], ..pipe() });
    refuse(&mut app, "odd pipe", "pipe: points is NaN");
    app.insert(gate, FluidValve::new(40.0, 10.0).opened(f32::NAN));
    refuse(&mut app, "odd valve", "valve: opening is NaN, and must be between 0 and 1");
    app.insert(mover, pump.clone().with_rate(-3.0));
    refuse(&mut app, "odd pump", "pump: rate is -3, and must be between 0 and 1000000");
    app.insert(mover, pump.clone());
    app.updates(2);
    app.insert(mover, FluidPump { max_head: Some(f32::NAN), ..pump.clone() });
    refuse(&mut app, "odd pump", "pump: max_head is NaN");
    app.insert(mover, pump.clone());
    app.updates(2);
    app.insert(mover, FluidPump { inlet: FluidShape::HalfPlane { normal: Vec2::Y }, ..pump });
    refuse(&mut app, "odd pump", "pump: inlet is inf, and must be no half plane");
}

#[cfg(feature = "snapshot")]
mod snapshots {
    use bevy_blob_fluid::FluidSnapshot;

    use super::*;

    fn saved(app: &mut App) -> Vec<u8> {
        FluidSnapshot::save(app.world_mut()).expect("between two ticks")
    }

    #[test]
    fn a_circuit_goes_on_with_the_same_bits_here_and_in_another_app() {
        let mut app = circuit(0);
        app.updates(400);
        let bytes = saved(&mut app);
        let kept = FluidSnapshot::take(app.world_mut()).expect("between two ticks");
        app.updates(120);
        let (later, hash) = (saved(&mut app), app.fluid().deep_hash());
        let tank = named(&mut app, "tank");
        let held = contents(&app, tank).clone();
        app.updates(33);
        assert!(kept.restore(app.world_mut()).expect("a snapshot").is_complete());
        assert!(saved(&mut app) == bytes);
        app.updates(120);
        assert!(saved(&mut app) == later);

        let mut other = circuit(7);
        other.updates(50);
        let read = FluidSnapshot::from_bytes(&bytes).expect("valid");
        assert!(read.restore_by_order(other.world_mut()).expect("a snapshot").is_complete());
        other.updates(120);
        assert_eq!(other.fluid().deep_hash(), hash);
        let tank = named(&mut other, "tank");
        assert_eq!(*contents(&other, tank), held);
        // Of a tank that is gone the report says so.
        other.despawn(tank);
        let restored = read.restore_by_order(other.world_mut()).expect("a snapshot");
        assert_eq!(restored.missing.len(), 1, "{:?}", restored.missing);
    }

    #[test]
    fn a_restart_fills_tanks_as_at_first() {
        let mut app = circuit(0);
        app.updates(2);
        let once = app.fluid().deep_hash();
        app.updates(200);
        app.world_mut().commands().queue(FluidSimulation::restart);
        app.updates(2);
        let tank = named(&mut app, "tank");
        assert_eq!(contents(&app, tank).total(), 40);
        assert_eq!(app.fluid().deep_hash().all(), once.all());
    }
}

// Blobs become particles.

#[test]
fn a_blob_becomes_particles_of_its_class_and_falls() {
    let mut app = headless(default());
    let blob = spawn_blob(&mut app);
    app.update();
    let count = app.particles();
    assert!(count > 50);
    assert_eq!(
        app.world().get::<FluidBlobFilled>(blob).map(|filled| filled.particles),
        Some(count)
    );
    assert!(app.fluid().particles().classes().iter().all(|class| *class == ClassId::HEAVY));
    app.updates(20);
    assert_eq!(app.particles(), count, "a blob fills once");
    let fall: f32 = app.velocities().iter().map(|velocity| velocity.y).sum();
    let expected = -200.0 * 21.0 / 64.0 * count as f32;
    assert!((fall / expected - 1.0).abs() < 0.05, "nearly free fall: {fall} against {expected}");
}

#[test]
fn a_full_world_cuts_blobs_short() {
    for (capacity, expected) in [(0, 0), (1, 1), (10, 10)] {
        let mut app = headless(default());
        app.settings().capacity = capacity;
        spawn_blob(&mut app);
        app.update();
        assert_eq!(app.particles(), expected);
    }
    let mut app = headless(default());
    app.settings().capacity = usize::MAX;
    spawn_blob(&mut app);
    app.update();
    assert!(app.particles() > 50);
}

#[test]
fn a_blob_is_clipped_to_what_is_free() {
    let mut app = headless(default());
    spawn_container(&mut app, 0.0);
    let larger = FluidBlob::from(Circle::new(200.0));
    let first = app.spawn(larger.clone());
    app.update();
    let filled = |app: &App, blob: Entity| *app.component::<FluidBlobFilled>(blob);
    let first_filled = filled(&app, first);
    assert!(first_filled.particles > 0 && first_filled.left_out_by_walls > first_filled.particles);
    let held = app.positions().iter().all(|at| at.length() < 100.0);
    assert!(held, "none is outside of the container");
    // No place is left.
    let second = app.spawn(FluidBlob::from(Circle::new(60.0)));
    app.update();
    let second_filled = filled(&app, second);
    assert!(second_filled.left_out_by_liquid > 10 * second_filled.particles, "{second_filled:?}");
    let whole = app.spawn(larger.unclipped());
    app.update();
    let whole_filled = filled(&app, whole);
    assert_eq!(whole_filled.particles, first_filled.particles + first_filled.left_out_by_walls);
    assert_eq!((whole_filled.left_out_by_walls, whole_filled.left_out_by_liquid), (0, 0));
}

#[test]
fn a_huge_blob_is_cut_short_without_being_laid_out() {
    let mut app = headless(default());
    app.settings().capacity = 100;
    app.spawn(FluidBlob::from(Rectangle::new(1e6, 1e6)));
    app.update();
    assert_eq!(app.particles(), 100);
}

#[test]
fn forces_heat_and_blobs_come_warm() {
    let mut app = headless(default());
    app.spawn((FluidBlob::from(Circle::new(20.0)).with_temperature(60.0), FluidClass::HEAVY));
    app.spawn(FluidForce::heat(100.0, 640.0));
    app.update();
    let temperatures = app.fluid().particles().temperatures();
    // Ten degrees a tick in the middle, next to nothing less so close to it.
    assert!(temperatures.iter().all(|t| (69.0..=70.0).contains(t)), "{temperatures:?}");
}

#[test]
fn a_carried_cup_is_filled_up_to_a_level_with_a_mix() {
    keep_warnings();
    let mut app = headless(default());
    let points = [(-70.0, 120.0), (-50.0, 0.0), (50.0, 0.0), (70.0, 120.0)].map(Vec2::from);
    let cup = app.spawn((FluidCollider::from(Polyline2d::new(points)), xy(100.0, 50.0)));
    let mix = [(ClassId::HEAVY, 1.0), (ClassId::LIGHT, 1.0)];
    let wine = app.spawn((FluidBlob::up_to(60.0).with_mix(mix), xy(0.0, 20.0), ChildOf(cup)));
    let spilt = (FluidBlob::up_to(110.0), Name::new("a cup that is too full"), xy(100.0, 70.0));
    let spilt = app.spawn(spilt);
    app.update();
    let filled = app.component::<FluidBlobFilled>(wine).particles;
    assert_eq!((filled, app.component::<FluidBlobFilled>(spilt).particles), (app.particles(), 0));
    let warnings = take_warnings("a cup that is too full");
    assert!(warnings.len() == 1 && warnings[0].contains("open below the level"), "{warnings:?}");
    let heavy = app.fluid().particles().classes().iter().filter(|class| **class == ClassId::HEAVY);
    assert!((heavy.count() as f32 / filled as f32 - 0.5).abs() < 0.02);
    // New liquid is less dense than at rest, and stands up to four spacings above the level.
    let highest = 130.0 + 4.0 * app.settings().parameters.particle_spacing;
    let inside = |at: &Vec2| (50.0..highest).contains(&at.y) && (at.x - 100.0).abs() < 70.0;
    assert!(app.positions().iter().all(inside) && filled > 60, "{filled}");
}

#[test]
fn an_invalid_blob_is_warned_about_once() {
    keep_warnings();
    let mut app = headless(default());
    let [level, mix] = ["blob up to no height", "blob of a negative share"];
    app.spawn((FluidBlob::up_to(f32::NAN), Name::new(level)));
    let circle = FluidBlob::from(Circle::new(30.0));
    app.spawn((circle.with_mix([(ClassId::LIGHT, -1.0)]), Name::new(mix)));
    app.updates(20);
    for name in [level, mix] {
        let warnings = take_warnings(name);
        assert!(warnings.len() == 1 && warnings[0].contains("is left out"), "{warnings:?}");
    }
    assert_eq!(app.particles(), 0);
}

#[test]
fn particles_that_wait_in_a_crowd_are_counted_and_warned_about_once() {
    keep_warnings();
    let mut app = headless(default());
    let count = 2000;
    for _ in 0..count {
        app.fluid_mut().spawn(ParticleSpawn::default()).expect("valid");
    }
    app.update();
    let waiting = app.world().resource::<FluidStatistics>().waiting;
    assert!(waiting > 0 && waiting < count, "{waiting} wait");
    app.updates(3);
    let warnings = take_warnings_about("touch no others");
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].starts_with(&format!("{waiting} fluid particles")), "{warnings:?}");
    assert_eq!(app.particles(), count, "none is lost");
}
