//! Tanks, pumps, pipes and valves as entities, in a headless app.

use crate::app::*;
use crate::warnings::{keep_warnings, take_warnings};

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
        assert!(warnings.len() == 1 && warnings[0].contains("no FluidTank"), "{warnings:?}");
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
