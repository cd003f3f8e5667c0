//! What games do to bodies while they float.

use std::process::Command;
use std::time::Duration;

use bevy::ecs::system::RunSystemOnce;
use bevy::time::TimeUpdateStrategy;
use bevy_blob_fluid::FluidSnapshot;

use crate::app::*;
use crate::engines::coupling::floating::{
    Kind, Part, THREADS, TICK, TestEngine, app, floating_box, position_of, run, spawn_coupled, tank,
};

/// The greatest speed of a particle.
fn fastest(app: &App) -> f32 {
    app.velocities().iter().map(|velocity| velocity.length()).fold(0.0, f32::max)
}

/// A stream pushes bodies along free axes only.
pub fn locked<E: TestEngine>() {
    for axes in [[true, false, false], [false, true, false], [false, false, true]] {
        let mut app = app::<E>(FluidSettings::new(8.0, Vec2::ZERO));
        let shape = E::rectangle(Vec2::new(40.0, 60.0));
        let at = xy(100.0, 30.0);
        let body = spawn_coupled::<E>(&mut app, Kind::Dynamic, shape, 0.5, at);
        E::lock(app.world_mut(), body, axes);
        let drop = FluidBlob::from(Circle::new(40.0)).with_velocity(Vec2::new(200.0, 100.0));
        app.spawn((drop, xy(20.0, -20.0)));
        run(&mut app, 2.0);
        let (velocity, spin) = E::motion(app.world(), body);
        let way = position_of(&app, body) - at.translation.truncate();
        println!("{axes:?}: way {way}, {velocity}, {spin}");
        let moved = [way.x.abs() > 10.0, way.y.abs() > 1.0, spin.abs() > 0.02];
        for ((axis, moved), locked) in ["x", "y", "rotation"].into_iter().zip(moved).zip(axes) {
            assert_eq!(moved, !locked, "{axis}: {way} {velocity} {spin}");
        }
        let angle = app.component::<Transform>(body).rotation.z;
        assert!(!axes[0] || way.x == 0.0 && velocity.x == 0.0, "{way} {velocity}");
        assert!(!axes[1] || way.y == 0.0 && velocity.y == 0.0, "{way} {velocity}");
        assert!(!axes[2] || angle == 0.0 && spin == 0.0, "{angle} {spin}");
    }
}

/// Bodies and colliders that are switched off let liquid through, and float again when they are on.
pub fn switched<E: TestEngine>() {
    let mut app = tank::<E>(300.0, FluidClass::MEDIUM);
    let [body, collider] = [-70.0, 70.0].map(|x| floating_box::<E>(&mut app, x));
    run(&mut app, 3.0);
    let before = [body, collider].map(|body| position_of(&app, body));
    app.insert(body, E::BodyDisabled::default());
    app.insert(collider, E::ColliderDisabled::default());
    run(&mut app, 0.1);
    assert_eq!(app.fluid().host_bodies().len(), 0);
    assert!(position_of(&app, body).distance(before[0]) < 0.5, "it stands still");
    run(&mut app, 1.0);
    let within = |at: &&Vec2| (**at - before[0]).abs().cmplt(Vec2::new(20.0, 12.0)).all();
    let inside = app.positions().iter().filter(within).count();
    assert!(inside > 0, "liquid flows where it was");
    app.remove::<E::BodyDisabled>(body);
    app.remove::<E::ColliderDisabled>(collider);
    // Without its collider, it fell.
    app.transform(collider).translation = before[1].extend(0.0);
    E::set_velocity(app.world_mut(), collider, Vec2::ZERO);
    run(&mut app, 5.0);
    assert_eq!(app.fluid().host_bodies().len(), 2);
    for (body, before) in [body, collider].into_iter().zip(before) {
        let now = position_of(&app, body);
        println!("{before} {now}");
        assert!((now.y - before.y).abs() < 8.0, "{before} {now}");
    }
    assert!(fastest(&app) < 300.0, "{}", fastest(&app));
}

/// A body that falls into a pond is despawned, and another is moved away and back: nothing stays
/// behind, and no liquid is thrown.
pub fn gone<E: TestEngine>() {
    let mut app = tank::<E>(400.0, FluidClass::MEDIUM);
    run(&mut app, 1.0);
    let [first, second] = [-100.0, 100.0].map(|x| floating_box::<E>(&mut app, x));
    E::set_velocity(app.world_mut(), first, Vec2::new(0.0, -300.0));
    run(&mut app, 0.2);
    app.despawn(first);
    run(&mut app, 3.0);
    assert_eq!(app.fluid().host_bodies().len(), 1);
    assert_eq!(app.fluid().colliders().len(), 4, "three walls and the other");
    let before = position_of(&app, second);
    let particles = app.particles();
    for to in [Vec2::new(-900.0, 700.0), Vec2::new(-50.0, before.y)] {
        app.transform(second).translation = to.extend(0.0);
        E::set_velocity(app.world_mut(), second, Vec2::ZERO);
        for _ in 0..12 {
            app.update();
            assert!(fastest(&app) < 400.0, "{}", fastest(&app));
        }
    }
    run(&mut app, 5.0);
    let now = position_of(&app, second);
    println!("{before} {now}, fastest {}", fastest(&app));
    assert!((now.y - before.y).abs() < 6.0, "{before} {now}");
    assert_eq!(app.particles(), particles);
    assert_eq!(app.fluid().quarantined(), 0);
}

/// A small body that goes ten of its sizes in a step, swept by the engine, stops at a thin wall behind
/// the pond, and no liquid passes the wall.
pub fn bullet<E: TestEngine>() {
    let mut app = tank::<E>(400.0, FluidClass::MEDIUM);
    spawn_coupled::<E>(
        &mut app,
        Kind::Static,
        E::rectangle(Vec2::new(2.0, 400.0)),
        1.0,
        xy(150.0, 0.0),
    );
    run(&mut app, 2.0);
    let beyond = |app: &App| app.positions().iter().filter(|at| at.x > 151.0).count();
    let before = beyond(&app);
    let bullet = E::circle(4.0);
    let at = xy(-100.0, 60.0);
    let bullet = spawn_coupled::<E>(&mut app, Kind::Dynamic, bullet, 8.0, at);
    E::sweep(app.world_mut(), bullet);
    E::set_velocity(app.world_mut(), bullet, Vec2::new(80.0 / TICK, -25.0 / TICK));
    let mut farthest = f32::MIN;
    for _ in 0..192 {
        app.update();
        farthest = farthest.max(position_of(&app, bullet).x);
        assert!(app.positions().iter().all(|at| at.is_finite()));
    }
    println!("{farthest}, {} were beyond the wall, and {} are", before, beyond(&app));
    assert!(farthest < 151.0, "{farthest}");
    assert_eq!(beyond(&app), before, "no particle passes the wall");
    assert_eq!(app.fluid().quarantined(), 0);
}

/// A floating body that is moved sideways under water is not thrown, and throws no liquid, however
/// far it is moved.
pub fn moved<E: TestEngine>() {
    for way in [40.0, 80.0, 160.0, 230.0, 300.0] {
        let mut app = tank::<E>(500.0, FluidClass::MEDIUM);
        let body = floating_box::<E>(&mut app, -120.0);
        run(&mut app, 3.0);
        app.transform(body).translation.x += way;
        let (mut body_speed, mut liquid_speed) = (0.0_f32, 0.0_f32);
        for _ in 0..64 {
            app.update();
            body_speed = body_speed.max(E::motion(app.world(), body).0.length());
            liquid_speed = liquid_speed.max(fastest(&app));
        }
        println!("{way}: body {body_speed}, liquid {liquid_speed}");
        assert!(body_speed < 100.0 && liquid_speed < 150.0, "{way}: {body_speed} {liquid_speed}");
    }
}

/// A light body that is thrown into a tank is slowed by the liquid: nothing gets faster than it came,
/// but by its fall.
pub fn thrown<E: TestEngine>() {
    for speed in [500.0, 1000.0, 2000.0] {
        let mut app = tank::<E>(500.0, FluidClass::MEDIUM);
        run(&mut app, 1.0);
        let body = floating_box::<E>(&mut app, -120.0);
        app.transform(body).translation.y = 60.0;
        let velocity = Vec2::new(0.3, -1.0) * speed;
        E::set_velocity(app.world_mut(), body, velocity);
        let (mut body_speed, mut liquid_speed) = (0.0_f32, 0.0_f32);
        for _ in 0..64 {
            app.update();
            body_speed = body_speed.max(E::motion(app.world(), body).0.length());
            liquid_speed = liquid_speed.max(fastest(&app));
        }
        let most = velocity.length() + 100.0;
        println!("{most}: body {body_speed}, liquid {liquid_speed}");
        assert!(body_speed < most && liquid_speed < most, "{most}: {body_speed} {liquid_speed}");
    }
}

/// Bodies whose colliders weigh nothing do no harm to the liquid, and nothing happens to their
/// numbers.
pub fn massless<E: TestEngine>() {
    let mut app = tank::<E>(300.0, FluidClass::MEDIUM);
    run(&mut app, 0.5);
    let shape = E::rectangle(Vec2::new(60.0, 40.0));
    let at = xy(0.0, 0.0);
    let body = spawn_coupled::<E>(&mut app, Kind::Dynamic, shape, 0.0, at);
    for coupled in [FluidCoupled::default(), FluidCoupled::of_density(0.5)] {
        app.insert(body, coupled);
        for _ in 0..128 {
            app.update();
            assert!(position_of(&app, body).is_finite());
            assert!(app.positions().iter().all(|at| at.is_finite()));
        }
        println!("{} {:?}", position_of(&app, body), E::mass(app.world_mut(), body));
    }
    E::set_density(app.world_mut(), body, 0.5);
    app.insert(body, (FluidCoupled::default(), at));
    E::set_velocity(app.world_mut(), body, Vec2::NEG_Y);
    run(&mut app, 5.0);
    let now = position_of(&app, body);
    println!("{now}, fastest {}", fastest(&app));
    assert!((now.y + 29.0).abs() < 10.0, "it floats with a mass: {now}");
    assert_eq!(app.fluid().quarantined(), 0);
}

/// A body whose parent is twice as large floats like one of its size.
pub fn scaled<E: TestEngine>() {
    let mut app = tank::<E>(500.0, FluidClass::MEDIUM);
    let plain = floating_box::<E>(&mut app, -120.0);
    let parent = app.spawn(xy(100.0, -50.0).with_scale(Vec3::splat(2.0)));
    let shape = E::rectangle(Vec2::new(30.0, 20.0));
    let at = xy(0.0, 20.0);
    let child = E::spawn(app.world_mut(), Kind::Dynamic, shape, 0.5, at);
    app.insert(child, (FluidCoupled::default(), ChildOf(parent)));
    run(&mut app, 8.0);
    let at = |body: Entity| app.component::<GlobalTransform>(body).translation().truncate();
    let [plain, child] = [plain, child].map(at);
    println!("{plain} {child}");
    assert!((plain.y - child.y).abs() < 2.0, "{plain} {child}");
    assert_eq!(app.colliders(), 5);
}

/// In long frames an engine leaves out no steps. Neither does the liquid while something floats in it:
/// boats would sink.
pub fn long_frames<E: TestEngine>() {
    let mut app = tank::<E>(400.0, FluidClass::MEDIUM);
    let body = floating_box::<E>(&mut app, 0.0);
    run(&mut app, 12.0);
    let rest = position_of(&app, body);
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_millis(250)));
    let (mut farthest, mut splash) = (0.0_f32, 0.0_f32);
    for _ in 0..40 {
        app.update();
        farthest = farthest.max((position_of(&app, body) - rest).y.abs());
        splash = splash.max(fastest(&app));
    }
    println!("up to {farthest} away, liquid at up to {splash}");
    assert!(farthest < 1.0 && splash < 10.0, "{farthest} {splash}");
    let dropped = |app: &App| app.resource::<FluidStatistics>().ticks_dropped;
    assert_eq!(dropped(&app), 0);
    // Without it, it slows down as it always does.
    app.despawn(body);
    app.updates(2);
    assert!(dropped(&app) >= 8, "{}", dropped(&app));
}

// Numbers that are none, in a body that floats. `any_engine.rs` tests what the coupling does with each.

/// Nonsense in a part of a floating body reaches neither the liquid nor another body.
fn spoiled<E: TestEngine>(part: Part, number: f32) {
    let mut app = tank::<E>(300.0, FluidClass::MEDIUM);
    let body = floating_box::<E>(&mut app, -70.0);
    run(&mut app, 1.0);
    E::set(app.world_mut(), body, part, number);
    for _ in 0..64 {
        app.update();
        let particles = app.fluid().particles();
        assert!(particles.positions().iter().all(|at| at.is_finite()), "{part:?} {number}");
        assert!(particles.velocities().iter().all(|at| at.is_finite()), "{part:?} {number}");
    }
    app.despawn(body);
    let other = floating_box::<E>(&mut app, 70.0);
    // It rocks for some seconds.
    run(&mut app, 10.0);
    let at = position_of(&app, other);
    println!("{part:?} {number}: {at}");
    assert!((at.y + 29.0).abs() < 10.0, "{part:?} {number}: it floats at {at}");
    assert_eq!(app.fluid().quarantined(), 0);
}

/// Numbers that are none.
pub fn numbers<E: TestEngine>() {
    let parts = [Part::Position, Part::Velocity, Part::Spin, Part::Mass];
    for part in parts.into_iter().filter(|part| E::survives(*part)) {
        for number in [f32::NAN, f32::INFINITY] {
            spoiled::<E>(part, number);
        }
    }
}

// One call sets the clocks of the liquid and of an engine.

/// An app in which a body and a drop of liquid fall.
fn falling<E: TestEngine>() -> (App, Entity) {
    // Without drag both gain what gravity gives.
    let mut settings = FluidSettings::default();
    (settings.parameters.settling.drag, settings.parameters.settling.calm_drag) = (0.0, 0.0);
    let mut app = app::<E>(settings);
    let body = E::circle(10.0);
    let body = spawn_coupled::<E>(&mut app, Kind::Dynamic, body, 1.0, xy(500.0, 0.0));
    // The engine knows its bodies after an update.
    run(&mut app, 0.1);
    app.add_particle(default());
    (app, body)
}

fn set(app: &mut App, change: impl Fn(&mut FluidClocks) + Send + Sync + 'static) {
    let change = move |mut clocks: FluidClocks| change(&mut clocks);
    app.world_mut().run_system_once(change).expect("all clocks are there");
}

/// Velocities downwards of the body and of the drop.
fn speeds<E: TestEngine>(app: &App, body: Entity) -> [f32; 2] {
    [-E::motion(app.world(), body).0.y, -app.velocities()[0].y]
}

/// Paused, neither moves; both go on from where they were.
pub fn paused<E: TestEngine>() {
    let (mut app, body) = falling::<E>();
    run(&mut app, 0.2);
    set(&mut app, |clocks| clocks.pause());
    // What the engine did last is seen in the next update.
    app.update();
    let state = |app: &App| (position_of(app, body), app.positions()[0], speeds::<E>(app, body));
    let before = state(&app);
    run(&mut app, 0.5);
    assert_eq!(state(&app), before);
    set(&mut app, |clocks| {
        assert!(clocks.is_paused());
        clocks.unpause();
    });
    run(&mut app, 0.5);
    let [of_body, of_drop] = speeds::<E>(&app, body);
    let [body_then, drop_then] = before.2;
    for gained in [of_body - body_then, of_drop - drop_then] {
        // Gravity is 200 per second squared.
        assert!((gained - 100.0).abs() < 8.0, "{gained}");
    }
}

/// At a quarter of the speed both gain a quarter of the velocity, and at full speed again all of it.
pub fn slowed<E: TestEngine>() {
    let (mut app, body) = falling::<E>();
    for speed in [1.0, 0.25, 0.5, 1.0, 0.0, 1.0] {
        set(&mut app, move |clocks| clocks.set_relative_speed(speed));
        let before = speeds::<E>(&app, body);
        run(&mut app, 0.5);
        let after = speeds::<E>(&app, body);
        for (after, before) in after.into_iter().zip(before) {
            let (gained, expected) = (after - before, 100.0 * speed as f32);
            assert!((gained - expected).abs() < 8.0, "{speed}: {gained} of {expected}");
        }
    }
}

// Bodies and liquid fall asleep together, and wake together.

/// Longest time until a pond and its boat sleep, in seconds.
const LONGEST: u32 = 60;

fn boat<E: TestEngine>(app: &mut App) -> Entity {
    let at = xy(0.0, -10.0);
    let shape = E::rectangle(Vec2::new(80.0, 40.0));
    spawn_coupled::<E>(app, Kind::Dynamic, shape, 0.5, at)
}

/// How many particles are awake, and whether the boat is.
fn awake<E: TestEngine>(app: &mut App, boat: Entity) -> (usize, bool) {
    let particles = app.particles() - app.fluid().asleep();
    (particles, !E::asleep(app.world_mut(), boat))
}

/// Runs until both sleep, and says after how many seconds.
fn fall_asleep<E: TestEngine>(app: &mut App, boat: Entity) -> u32 {
    for second in 1..=LONGEST {
        run(app, 1.0);
        if awake::<E>(app, boat) == (0, false) {
            return second;
        }
    }
    panic!("after {LONGEST} s, {:?} are awake", awake::<E>(app, boat));
}

/// A pond with a boat goes to sleep, and nothing wakes either for a minute; a wave wakes both.
pub fn wave<E: TestEngine>() {
    let mut app = tank::<E>(400.0, FluidClass::MEDIUM);
    let boat = boat::<E>(&mut app);
    println!("asleep after {} s", fall_asleep::<E>(&mut app, boat));
    let resting = position_of(&app, boat);
    for tick in 0..60 * 64 {
        app.update();
        assert_eq!(awake::<E>(&mut app, boat), (0, false), "something woke after {tick} ticks");
    }
    assert_eq!(position_of(&app, boat), resting);
    let mut simulation = app.fluid_mut();
    let left = FluidBounds { low: Vec2::new(-200.0, -150.0), high: Vec2::new(-80.0, 50.0) };
    simulation.change_velocities_in(left, |particle| *particle.velocity += Vec2::new(300.0, 150.0));
    run(&mut app, 0.7);
    assert!(!E::asleep(app.world_mut(), boat), "the wave wakes it");
    run(&mut app, 0.5);
    assert!(position_of(&app, boat).distance(resting) > 0.5, "the wave moves it");
}

/// Liquid that is poured beside a sleeping boat wakes both, and both sleep again.
pub fn poured<E: TestEngine>() {
    let mut app = tank::<E>(400.0, FluidClass::MEDIUM);
    let boat = boat::<E>(&mut app);
    fall_asleep::<E>(&mut app, boat);
    let resting = position_of(&app, boat);
    app.spawn((FluidBlob::from(Circle::new(40.0)), xy(-120.0, 60.0)));
    let poured = app.particles();
    let mut woke = (0, false);
    for _ in 0..128 {
        app.update();
        let (particles, boat) = awake::<E>(&mut app, boat);
        woke = (particles.max(woke.0), boat || woke.1);
    }
    let poured = app.particles() - poured;
    println!("{poured} poured, {woke:?} woke");
    assert!(woke.0 > 3 * poured && woke.1, "{woke:?} woke");
    let again = fall_asleep::<E>(&mut app, boat);
    let risen = position_of(&app, boat).y - resting.y;
    println!("asleep again after {again} s, {risen} higher");
    let higher = poured as f32 * app.fluid().parameters().particle_spacing.powi(2) / 400.0;
    assert!((risen - higher).abs() < 2.0, "{risen} of {higher}");
}

// Threads change nothing. Bevy's pools are made once per process, so that each number of threads gets
// a process of its own.

/// The hash of the liquid, and the bits of all bodies.
fn bits<E: TestEngine>() -> String {
    let mut app = tank::<E>(1200.0, FluidClass::MEDIUM);
    let bodies: Vec<Entity> = (0..12)
        .map(|index| {
            let at = xy(90.0 * index as f32 - 495.0, 40.0)
                .with_rotation(Quat::from_rotation_z(0.4 * index as f32));
            let density = 0.3 + 0.1 * index as f32;
            let shape = E::rectangle(Vec2::new(50.0, 30.0));
            spawn_coupled::<E>(&mut app, Kind::Dynamic, shape, density, at)
        })
        .collect();
    run(&mut app, 5.0);
    let numbers = |body: &Entity| {
        let (at, (velocity, spin)) = (position_of(&app, *body), E::motion(app.world(), *body));
        let rotation = app.component::<Transform>(*body).rotation;
        [at.x, at.y, rotation.z, velocity.x, velocity.y, spin].map(f32::to_bits)
    };
    let bodies: Vec<_> = bodies.iter().map(numbers).collect();
    let moved = bodies.iter().any(|numbers| numbers[3] != 0);
    assert!(moved && app.particles() > 2100, "many chunks, and all moves");
    format!("{:016x} {bodies:08x?}", app.fluid().state_hash())
}

/// The bits with 1, 2 and 4 compute threads are the same: the test calls itself.
pub fn any_number_gives_the_same_bits<E: TestEngine>() {
    if std::env::var(THREADS).is_ok() {
        println!("\nbits {}", bits::<E>());
        let threads = bevy::tasks::ComputeTaskPool::get().thread_num();
        println!("threads {threads}");
        return;
    }
    let name = format!("engines::{}::any_number_of_threads_gives_the_same_bits", E::NAME);
    let program = std::env::current_exe().expect("it runs");
    let outputs = [1, 2, 4].map(|threads| {
        let mut child = Command::new(&program);
        child.args(["--exact", &name, "--nocapture"]).env(THREADS, threads.to_string());
        let output = child.output().expect("it starts");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{text}");
        assert!(text.contains(&format!("threads {threads}\n")), "{text}");
        let bits = text.lines().find(|line| line.starts_with("bits "));
        bits.unwrap_or_else(|| panic!("no bits in {text}")).to_owned()
    });
    println!("{}", outputs[0]);
    assert_eq!(outputs[0], outputs[1], "2 threads");
    assert_eq!(outputs[0], outputs[2], "4 threads");
}

// Snapshots of liquid with bodies of an engine.

/// A pond with a body that moves, two that lie on each other on its floor, and one that sleeps on a shelf above it.
fn pond<E: TestEngine>() -> (App, [Entity; 4]) {
    let mut app = tank::<E>(400.0, FluidClass::MEDIUM);
    let shelf = E::rectangle(Vec2::new(60.0, 10.0));
    spawn_coupled::<E>(&mut app, Kind::Static, shelf, 1.0, xy(140.0, 200.0));
    let moving = floating_box::<E>(&mut app, -100.0);
    let stone = E::rectangle(Vec2::new(60.0, 30.0));
    let [lower, upper, asleep] = [xy(50.0, -134.0), xy(56.0, -103.0), xy(140.0, 220.0)]
        .map(|at| spawn_coupled::<E>(&mut app, Kind::Dynamic, stone.clone(), 3.0, at));
    run(&mut app, 2.0);
    E::set_velocity(app.world_mut(), moving, Vec2::new(60.0, -200.0));
    run(&mut app, 0.2);
    (app, [moving, lower, upper, asleep])
}

/// All that the engine says of bodies, and the liquid.
fn state<E: TestEngine>(app: &mut App, bodies: &[Entity]) -> String {
    let hash = app.fluid().deep_hash();
    let mut state = format!("{hash:?}");
    for body in bodies {
        let (at, motion) = (*app.component::<Transform>(*body), E::motion(app.world(), *body));
        let asleep = E::asleep(app.world_mut(), *body);
        state += &format!("\n{at:?} {motion:?} {asleep}");
    }
    state
}

/// The liquid and the bodies go on with the same bits from bytes, in the same app and in another one.
pub fn from_bytes<E: TestEngine>() {
    let (mut once, bodies) = pond::<E>();
    let [moving, lower, upper, asleep] = bodies;
    assert!(E::motion(once.world(), moving).0.length() > 20.0, "it moves");
    let [lower, upper] = [lower, upper].map(|body| position_of(&once, body));
    assert!((upper.y - lower.y - 30.0).abs() < 1.0, "they lie on each other: {lower} {upper}");
    assert!(E::asleep(once.world_mut(), asleep), "it sleeps");
    let bytes = FluidSnapshot::save(once.world_mut()).expect("between two ticks");

    let (mut same, bodies_of_same) = pond::<E>();
    let restored = FluidSnapshot::load(same.world_mut(), &bytes).expect("a snapshot");
    assert!(restored.is_complete(), "{:?}", restored.missing);
    let saved_again = FluidSnapshot::save(same.world_mut()).expect("between two ticks");
    assert!(saved_again == bytes, "the bytes differ");

    for ticks in [1, 1, 90] {
        once.updates(ticks);
        same.updates(ticks);
        let expected = state::<E>(&mut once, &bodies);
        assert_eq!(state::<E>(&mut same, &bodies_of_same), expected, "after {ticks} more ticks");
    }
}

/// Undoes a wrong move: bodies and liquid continue with the same bits as without the move.
pub fn undone<E: TestEngine>() {
    let (mut once, bodies) = pond::<E>();
    let (mut undone, bodies_of_undone) = pond::<E>();
    let liquid = FluidSnapshot::take(undone.world_mut()).expect("between two ticks");
    let memory = E::memory(undone.world_mut());
    for body in bodies_of_undone {
        E::set_velocity(undone.world_mut(), body, Vec2::new(-150.0, 300.0));
    }
    run(&mut undone, 1.0);
    E::put_memory_back(undone.world_mut(), &memory);
    let restored = liquid.restore(undone.world_mut()).expect("there is a liquid");
    assert!(restored.is_complete(), "{:?}", restored.missing);
    for ticks in [1, 1, 90] {
        once.updates(ticks);
        undone.updates(ticks);
        let expected = state::<E>(&mut once, &bodies);
        assert_eq!(
            state::<E>(&mut undone, &bodies_of_undone),
            expected,
            "after {ticks} more ticks"
        );
    }
}

/// Loads a saved game into another run, in which the engine finds contacts anew.
pub fn restarted<E: TestEngine>() {
    let (mut once, bodies) = pond::<E>();
    let liquid = FluidSnapshot::save(once.world_mut()).expect("between two ticks");
    let saved = E::state_of(once.world_mut(), &bodies);
    let (mut other, bodies_of_other) = pond::<E>();
    run(&mut other, 1.0);
    E::put_back(other.world_mut(), &bodies_of_other, &saved);
    let restored = FluidSnapshot::load(other.world_mut(), &liquid).expect("a snapshot");
    assert!(restored.is_complete(), "{:?}", restored.missing);
    for ticks in [1, 9, 54] {
        once.updates(ticks);
        other.updates(ticks);
        let pairs = bodies.iter().zip(&bodies_of_other);
        let apart =
            pairs.map(|(one, same)| position_of(&once, *one).distance(position_of(&other, *same)));
        let apart: Vec<f32> = apart.collect();
        println!("{}: {ticks} ticks later {apart:?} world units apart", E::NAME);
        assert!(apart.iter().all(|distance| *distance < 0.02), "{apart:?}");
    }
}

/// A body that was despawned before a snapshot was restored does not stay in a world that is made of that world's bytes.
pub fn gone_in_another_app<E: TestEngine>() {
    let mut app = app::<E>(FluidSettings::new(8.0, Vec2::ZERO));
    app.spawn((FluidBlob::from(Circle::new(40.0)), xy(0.0, 0.0)));
    let body = floating_box::<E>(&mut app, 0.0);
    run(&mut app, 0.1);
    assert_eq!(app.fluid().host_bodies().len(), 1);
    let kept = FluidSnapshot::take(app.world_mut()).expect("between two ticks");
    app.despawn(body);
    let restored = kept.restore(app.world_mut()).expect("there is a liquid");
    assert_eq!(restored.missing.len(), 1);
    let bytes = FluidSnapshot::save(app.world_mut()).expect("between two ticks");
    let mut other = tank::<E>(400.0, FluidClass::MEDIUM);
    FluidSnapshot::load(other.world_mut(), &bytes).expect("a snapshot").missing.clear();
    assert_eq!(other.fluid().host_bodies().len(), 1);
    run(&mut other, 0.1);
    assert_eq!(other.fluid().host_bodies().len(), 0);
}
