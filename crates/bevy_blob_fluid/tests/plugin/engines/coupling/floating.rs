//! What the scenes need of an engine.

use std::f32::consts::TAU;
use std::time::Duration;

use bevy::app::{PluginGroupBuilder, TaskPoolThreadAssignmentPolicy};
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_blob_fluid::blob_fluid::Body;
use bevy_blob_fluid::engines::PhysicsEngine;

use crate::app::*;

/// Length of a tick, in seconds.
pub const TICK: f32 = 1.0 / 64.0;

/// How a body moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Static,
    Kinematic,
    Dynamic,
}

/// A part of a body that nonsense may be written to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Part {
    /// Both coordinates of its position.
    Position,
    /// Both coordinates of its velocity.
    Velocity,
    /// Its angular velocity.
    Spin,
    /// Its mass.
    Mass,
}

/// What the scenes need of an engine.
pub trait TestEngine {
    /// The engine, as the coupling knows it.
    type Physics: PhysicsEngine;

    /// All that it keeps from step to step, for undo in the same app.
    type Memory;

    /// Its bodies: their poses, velocities and sleep.
    type Bodies;

    /// Its collider.
    type Collider: Component + Clone;

    /// Lets a collider be felt only.
    type Sensor: Component + Default;

    /// Switches a collider off.
    type ColliderDisabled: Component + Default;

    /// Switches a body off.
    type BodyDisabled: Component + Default;

    /// Name of the module of its tests.
    const NAME: &str;

    /// Adds the engine to an app, with a gravity, for worlds of 100 units in a metre.
    fn add_to(app: &mut App, gravity: Vec2);

    /// A rectangle of this size.
    fn rectangle(size: Vec2) -> Self::Collider;

    /// A disc.
    fn circle(radius: f32) -> Self::Collider;

    /// Spawns a body with one collider of this density.
    fn spawn(
        world: &mut World,
        kind: Kind,
        collider: Self::Collider,
        density: f32,
        at: Transform,
    ) -> Entity;

    /// Velocity and angular velocity of a body.
    fn motion(world: &World, body: Entity) -> (Vec2, f32);

    /// Changes the velocity of a body.
    fn set_velocity(world: &mut World, body: Entity, velocity: Vec2);

    /// Mass and moment of inertia of a body.
    fn mass(world: &mut World, body: Entity) -> (f32, f32);

    /// Whether a body sleeps.
    fn asleep(world: &mut World, body: Entity) -> bool;

    /// Locks its motion along x or y, or its rotation.
    fn lock(world: &mut World, body: Entity, axes: [bool; 3]);

    /// Lets the engine sweep a fast body.
    fn sweep(world: &mut World, body: Entity);

    /// Puts a body on an axle where it is, with a motor that brakes it by this torque per angular
    /// velocity.
    fn brake(world: &mut World, body: Entity, damping: f32);

    /// Bolts a body to another, at a place on the other.
    fn bolt(world: &mut World, body: Entity, to: Entity, at: Vec2);

    /// Sets a part of a body to a number, for its component of the engine.
    fn set(world: &mut World, body: Entity, part: Part, number: f32);

    /// All that it keeps from step to step, as `docs/engines.md` copies it.
    fn memory(world: &mut World) -> Self::Memory;

    /// Puts this memory back.
    fn put_memory_back(world: &mut World, memory: &Self::Memory);

    /// The state of these bodies, as `docs/engines.md` saves it.
    fn state_of(world: &mut World, bodies: &[Entity]) -> Self::Bodies;

    /// Puts this state into these bodies. The engine finds their contacts anew.
    fn put_back(world: &mut World, bodies: &[Entity], state: &Self::Bodies);

    /// Sets the density of a collider.
    fn set_density(world: &mut World, collider: Entity, density: f32);

    /// Sets the layers that a collider collides with.
    fn set_layers(world: &mut World, collider: Entity, layers: u32);

    /// Whether the engine itself goes on with nonsense in this part of a body.
    fn survives(part: Part) -> bool;

    /// A collider by each way that there is to make one.
    fn shapes() -> Vec<(&'static str, Self::Collider)>;

    /// A collider of a shape that parry does not know: 60 by 20, with corners rounded by another 10.
    fn own_shape(has_support_map: bool) -> Self::Collider;

    /// Distance from a point to a collider, 0 inside, as the engine computes it.
    fn distance(collider: &Self::Collider, point: Vec2) -> f32;
}

/// Corners of a pentagon, of a concave outline, and of a row of hills.
pub fn corners() -> (Vec<Vec2>, Vec<Vec2>, Vec<f32>) {
    let pentagon = [(30.0, 0.0), (10.0, 28.0), (-25.0, 17.0), (-25.0, -17.0), (10.0, -28.0)];
    let concave = [(40.0, 30.0), (0.0, 5.0), (-40.0, 30.0), (-40.0, -30.0), (40.0, -30.0)];
    let hills = vec![0.1, 0.5, 0.2, 0.9, 0.4];
    (pentagon.map(Vec2::from).to_vec(), concave.map(Vec2::from).to_vec(), hills)
}

// Bodies float as deep as they should.

const HULL: Vec2 = Vec2::new(120.0, 60.0);
/// The tank is ten times as wide as a hull.
const WIDTH: f32 = 1200.0;

/// The height that particles far from the hull would fill at rest density.
fn level(app: &App, x: std::ops::Range<f32>) -> f32 {
    let spacing = app.fluid().parameters().particle_spacing;
    let far = |at: &&Vec2| x.contains(&at.x.abs());
    let count = app.positions().iter().filter(far).count();
    -150.0 + count as f32 * spacing * spacing / (2.0 * (x.end - x.start))
}

/// How much deeper than by Archimedes' principle a hull floats, over its height; the gap of half a
/// particle spacing counts as part of it, as in the validation.
fn draught<E: TestEngine>(density: f32, spawn: fn(&mut App, f32, Transform) -> Entity) -> f32 {
    let mut app = tank::<E>(WIDTH, FluidClass::MEDIUM);
    run(&mut app, 2.0);
    let deep = density * (HULL.y + app.fluid().parameters().particle_spacing);
    let at = xy(0.0, -20.0 - deep + 0.5 * HULL.y);
    let hull = spawn(&mut app, density, at);
    // Liquid that is thrown onto the hull would weigh.
    clear(&mut app, at.translation.truncate(), HULL);
    run(&mut app, 15.0);
    let (mut sunk, mut lowest, mut highest) = (0.0, f32::MAX, f32::MIN);
    for _ in 0..128 {
        app.update();
        let height = position_of(&app, hull).y;
        sunk += (level(&app, 240.0..540.0) - height) / 128.0;
        (lowest, highest) = (height.min(lowest), height.max(highest));
    }
    let spacing = app.fluid().parameters().particle_spacing;
    let height = HULL.y + spacing;
    let error = (sunk + 0.5 * height - density * height) / HULL.y;
    println!("{density}: {error:+.4} of its height, swings by {:.3}", highest - lowest);
    assert!(highest - lowest < 0.02 * HULL.y, "{density} swings by {}", highest - lowest);
    error
}

/// Removes the liquid in a rectangle.
fn clear(app: &mut App, centre: Vec2, size: Vec2) {
    let mut fluid = app.fluid_mut();
    let reach = 0.5 * size + 0.4 * fluid.parameters().particle_spacing;
    fluid.despawn_where(|at, _| (at - centre).abs().cmplt(reach).all());
}

/// Bodies of five densities float as deep as bodies of the liquid, whose depth the validation measures.
pub fn draughts<E: TestEngine>() {
    for density in [0.1, 0.3, 0.5, 0.7, 0.9] {
        let of_engine = draught::<E>(density, |app, density, at| {
            spawn_coupled::<E>(app, Kind::Dynamic, E::rectangle(HULL), density, at)
        });
        let of_liquid = draught::<E>(density, |app, density, at| {
            let shape = FluidCollider::from(Rectangle::from_size(HULL));
            app.spawn((shape, FluidBuoyant::of_density(density), at))
        });
        let apart = of_engine - of_liquid;
        assert!(apart.abs() < 0.01, "{density}: {of_engine}, and {of_liquid} without the engine");
    }
}

/// A stone sinks to the floor, and a body between two classes lies at their interface.
pub fn sinks_and_layers<E: TestEngine>() {
    let mut app = tank::<E>(500.0, FluidClass::HEAVY);
    app.spawn((FluidBlob::from(Rectangle::new(490.0, 100.0)), FluidClass::MEDIUM, xy(0.0, 35.0)));
    run(&mut app, 2.0);
    let heavy = app.fluid().classes()[ClassId::HEAVY].mass;
    let medium = app.fluid().classes()[ClassId::MEDIUM].mass;
    let [stone, between] =
        [(2.0 * heavy, -150.0), (0.5 * (heavy + medium), 60.0)].map(|(density, x)| {
            let at = xy(x, -10.0);
            let size = Vec2::new(60.0, 40.0);
            spawn_coupled::<E>(&mut app, Kind::Dynamic, E::rectangle(size), density, at)
        });
    run(&mut app, 15.0);
    let particles = app.fluid().particles();
    let heavy = particles.classes().iter().filter(|class| **class == ClassId::HEAVY).count();
    let spacing = app.fluid().parameters().particle_spacing;
    let interface = -150.0 + heavy as f32 * spacing * spacing / 500.0;
    let (low, middle) = (position_of(&app, stone).y, position_of(&app, between).y);
    println!("stone at {low}, the other at {middle}, interface at {interface}");
    assert!((low + 130.0).abs() < spacing, "{low}");
    assert!((middle - interface).abs() < 20.0, "{middle} of {interface}");
}

/// A pile of crates under water comes to rest.
pub fn pile<E: TestEngine>() {
    let mut app = tank::<E>(400.0, FluidClass::MEDIUM);
    run(&mut app, 1.0);
    clear(&mut app, Vec2::new(0.0, -105.0), Vec2::new(30.0, 90.0));
    let crates = [-135.0, -105.0, -75.0].map(|y| {
        let at = xy(0.0, y);
        spawn_coupled::<E>(&mut app, Kind::Dynamic, E::rectangle(Vec2::splat(30.0)), 2.0, at)
    });
    run(&mut app, 10.0);
    let before = crates.map(|body| position_of(&app, body));
    run(&mut app, 5.0);
    for (body, before) in crates.iter().zip(before) {
        let after = position_of(&app, *body);
        assert!(after.distance(before) < 0.5, "{before} {after} in {} ticks", 5.0 / TICK);
        assert!(after.x.abs() < 20.0, "it fell: {after}");
    }
}

// An open boat, empty and full of water.

/// Outer size of the boat.
const SIZE: Vec2 = Vec2::new(200.0, 80.0);
/// Thickness of its floor and its walls.
const THICK: f32 = 16.0;

/// A boat of a floor and two walls.
fn spawn<E: TestEngine>(app: &mut App, density: f32, y: f32) -> Entity {
    let floor = E::rectangle(Vec2::new(SIZE.x, THICK));
    let at = xy(0.0, y);
    let boat = E::spawn(app.world_mut(), Kind::Dynamic, floor, density, at);
    for side in [-0.5, 0.5] {
        let wall = E::rectangle(Vec2::new(THICK, SIZE.y - THICK));
        let wall = app.spawn((ChildOf(boat), wall, xy(side * (SIZE.x - THICK), 0.5 * SIZE.y)));
        E::set_density(app.world_mut(), wall, density);
    }
    app.insert(boat, FluidCoupled::default());
    boat
}

/// Level of the liquid between two distances from the middle, by the number of particles above a
/// floor.
fn hull_level(app: &App, x: std::ops::Range<f32>, floor: f32) -> f32 {
    let spacing = app.fluid().parameters().particle_spacing;
    let within = |at: &&Vec2| x.contains(&at.x.abs()) && at.y > floor;
    let count = app.positions().iter().filter(within).count();
    floor + count as f32 * spacing * spacing / (2.0 * (x.end - x.start))
}

/// A flooded boat floats as deep as the weight of its walls and of the water on board says.
pub fn flooded<E: TestEngine>() {
    let density = 0.75;
    let mut app = tank::<E>(600.0, FluidClass::MEDIUM);
    run(&mut app, 2.0);
    let boat = spawn::<E>(&mut app, density, -80.0);
    run(&mut app, 25.0);
    let spacing = app.fluid().parameters().particle_spacing;
    let gap = Body::GAP * spacing;
    let at = position_of(&app, boat).y;
    let (bottom, half) = (at - 0.5 * THICK - gap, 0.5 * SIZE.x + gap);
    let aboard = |at: &&Vec2| at.x.abs() < half && at.y > bottom;
    let water = app.positions().iter().filter(aboard).count() as f32;
    let water = water * spacing * spacing;
    // A gap around the boat counts as part of it.
    let thick = THICK + 2.0 * gap;
    let hull = thick * (SIZE.x + 2.0 * gap + 2.0 * (SIZE.y - THICK));
    let outside = hull_level(&app, 150.0..290.0, -150.0);
    let expected = (density * hull + water) / (2.0 * half);
    let empty = density * hull / (2.0 * half);
    let draught = outside - bottom;
    println!("{draught} deep, {expected} by its {water} of water and {hull}, {empty} if empty");
    let inside = hull_level(&app, 0.0..0.5 * SIZE.x - THICK - 4.0, at + 0.5 * THICK + gap);
    println!("inside {inside} outside {outside}");
    assert!(draught > 1.5 * empty, "it is full of water");
    assert!((draught - expected).abs() < 0.02 * SIZE.y, "{draught} of {expected}");
}

/// A crate on a dry floor floats when the room floods.
pub fn lifted<E: TestEngine>() {
    let mut app = app::<E>(FluidSettings::default());
    for (size, x, y) in [
        (Vec2::new(280.0, 40.0), 0.0, -170.0),
        (Vec2::new(40.0, 600.0), -140.0, 0.0),
        (Vec2::new(40.0, 600.0), 140.0, 0.0),
    ] {
        let at = xy(x, y);
        spawn_coupled::<E>(&mut app, Kind::Static, E::rectangle(size), 1.0, at);
    }
    let shape = E::rectangle(Vec2::new(50.0, 40.0));
    let lies = spawn_coupled::<E>(&mut app, Kind::Dynamic, shape, 0.4, xy(-20.0, -129.5));
    run(&mut app, 2.0);
    app.spawn((FluidBlob::from(Rectangle::new(230.0, 100.0)), xy(0.0, 0.0)));
    run(&mut app, 15.0);
    let rise = position_of(&app, lies).y + 130.0;
    println!("{rise}");
    assert!(rise > 40.0, "{rise}");
}

// Moving walls stay tight.

/// A cup of a kinematic body keeps its water while it is shaken by five spacings in a step, and a
/// wall that is thinner than a particle stays tight.
pub fn shaken<E: TestEngine>() {
    let mut app = app::<E>(default());
    let cup = spawn_coupled::<E>(
        &mut app,
        Kind::Kinematic,
        E::rectangle(Vec2::new(140.0, 2.0)),
        1.0,
        xy(0.0, -60.0),
    );
    for (x, y, size) in [
        (-69.0, 70.0, Vec2::new(2.0, 140.0)),
        (69.0, 70.0, Vec2::new(2.0, 140.0)),
        (0.0, 139.0, Vec2::new(140.0, 2.0)),
    ] {
        app.spawn((ChildOf(cup), E::rectangle(size), xy(x, y)));
    }
    app.spawn((FluidBlob::from(Rectangle::new(120.0, 90.0)), xy(0.0, -5.0)));
    run(&mut app, 1.0);
    let before = app.particles();
    assert!(before > 100, "{before}");
    let speed = 5.0 * app.fluid().parameters().particle_spacing / TICK;
    for step in 0..192 {
        let way = [Vec2::X, Vec2::NEG_X, Vec2::Y, Vec2::NEG_Y][step % 8 / 2];
        E::set_velocity(app.world_mut(), cup, way * speed);
        app.update();
    }
    E::set_velocity(app.world_mut(), cup, Vec2::ZERO);
    run(&mut app, 0.5);
    let at = position_of(&app, cup);
    let inside = |position: &&Vec2| {
        let within = **position - at;
        within.x.abs() < 70.0 && within.y > -1.5 && within.y < 140.5
    };
    let kept = app.positions().iter().filter(inside).count();
    println!("{kept} of {before} are in the cup at {at}");
    assert_eq!(kept, before);
}

// Apps with an engine, and the tank that most scenes take place in.

/// The environment variable with the number of threads of a child.
pub const THREADS: &str = "COUPLING_THREADS";

/// The pools that a child has, with so many compute threads beside the main one.
fn pools() -> Option<TaskPoolPlugin> {
    let threads: usize = std::env::var(THREADS).ok()?.parse().ok()?;
    let only = |threads| TaskPoolThreadAssignmentPolicy {
        min_threads: threads,
        max_threads: threads,
        percent: 1.0,
        on_thread_spawn: None,
        on_thread_destroy: None,
    };
    let task_pool_options = TaskPoolOptions {
        min_total_threads: threads + 2,
        max_total_threads: threads + 2,
        io: only(1),
        async_compute: only(1),
        compute: only(threads),
    };
    Some(TaskPoolPlugin { task_pool_options })
}

/// An app with an engine and no gravity of its own beyond the liquid's.
pub fn app<E: TestEngine>(settings: FluidSettings) -> App {
    app_with::<E>(settings, BlobFluidPlugins::default().build())
}

/// An app with other plugins of the liquid.
pub fn app_with<E: TestEngine>(settings: FluidSettings, plugins: PluginGroupBuilder) -> App {
    let mut app = App::new();
    let pools = pools().unwrap_or_default();
    app.add_plugins((MinimalPlugins.set(pools), AssetPlugin::default(), TransformPlugin));
    E::add_to(&mut app, settings.parameters.gravity);
    app.add_plugins(plugins).insert_resource(settings);
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f32(TICK)));
    app.finish_plugins();
    app
}

/// Spawns a body with a collider of this density that meets the liquid.
pub fn spawn_coupled<E: TestEngine>(
    app: &mut App,
    kind: Kind,
    collider: E::Collider,
    density: f32,
    at: Transform,
) -> Entity {
    let body = E::spawn(app.world_mut(), kind, collider, density, at);
    app.insert(body, FluidCoupled::default());
    body
}

/// A tank of the engine's static walls, its floor at -150, with liquid that is about 130 deep.
pub fn tank<E: TestEngine>(width: f32, class: FluidClass) -> App {
    let mut app = app::<E>(default());
    let (wide, high) = (Vec2::new(width + 80.0, 40.0), Vec2::new(40.0, 400.0));
    let side = 0.5 * width + 20.0;
    for (size, x, y) in [(wide, 0.0, -170.0), (high, -side, 0.0), (high, side, 0.0)] {
        let at = xy(x, y);
        spawn_coupled::<E>(&mut app, Kind::Static, E::rectangle(size), 1.0, at);
    }
    app.spawn((FluidBlob::from(Rectangle::new(width - 10.0, 130.0)), class, xy(0.0, -84.0)));
    app
}

/// A box of 60 by 40 and a density of 0.5 on a tank's liquid.
pub fn floating_box<E: TestEngine>(app: &mut App, x: f32) -> Entity {
    let shape = E::rectangle(Vec2::new(60.0, 40.0));
    let at = xy(x, -10.0);
    spawn_coupled::<E>(app, Kind::Dynamic, shape, 0.5, at)
}

/// Runs an app for some seconds.
pub fn run(app: &mut App, seconds: f32) {
    app.updates((seconds / TICK) as u32);
}

/// Position of an entity.
pub fn position_of(app: &App, entity: Entity) -> Vec2 {
    app.component::<Transform>(entity).translation.truncate()
}

// Many bodies in much liquid stay quiet.

/// Greatest root mean square of speeds in a quiet scene, in world units/s. Particles are 8 units apart.
const QUIET: f32 = 1.0;

/// How fast a crowd is, in world units/s, and how much of it sleeps.
#[derive(Clone, Copy, Debug, Default)]
struct Unrest {
    /// Root mean square of the speeds of bodies and of particles.
    rms: (f32, f32),
    /// Greatest speed of a body.
    fastest: f32,
    bodies_asleep: usize,
    particles_asleep: usize,
}

fn unrest<E: TestEngine>(app: &mut App, bodies: &[Entity]) -> Unrest {
    let speeds: Vec<f32> =
        bodies.iter().map(|body| E::motion(app.world(), *body).0.length()).collect();
    let rms = |squares: f32, count: usize| (squares / count as f32).sqrt();
    let body_rms = rms(speeds.iter().map(|speed| speed * speed).sum(), speeds.len());
    let velocities = app.velocities();
    let particle_rms =
        rms(velocities.iter().map(|velocity| velocity.length_squared()).sum(), velocities.len());
    let particles_asleep = app.fluid().asleep();
    Unrest {
        rms: (body_rms, particle_rms),
        fastest: speeds.into_iter().fold(0.0, f32::max),
        bodies_asleep: bodies.iter().filter(|body| E::asleep(app.world_mut(), **body)).count(),
        particles_asleep,
    }
}

/// A tank of so many columns and rows of particles, where half of the bodies float and the others
/// lie on the floor, is quiet after `calm` seconds, and stays so for `watched` seconds.
fn crowd<E: TestEngine>(columns: u32, rows: u32, count: usize, calm: f32, watched: f32) {
    let mut app = app::<E>(default());
    let spacing = app.fluid().parameters().particle_spacing;
    let size = Vec2::new(columns as f32, rows as f32) * spacing;
    let side = 0.5 * size.x + 20.0;
    let (wide, high) = (Vec2::new(size.x + 80.0, 40.0), Vec2::new(40.0, 2.0 * size.y + 200.0));
    for (size, x, y) in
        [(wide, 0.0, -20.0), (high, -side, 0.5 * high.y), (high, side, 0.5 * high.y)]
    {
        let at = xy(x, y);
        spawn_coupled::<E>(&mut app, Kind::Static, E::rectangle(size), 1.0, at);
    }
    app.spawn((
        FluidBlob::from(Rectangle::new(size.x - spacing, size.y - spacing)),
        FluidClass::MEDIUM,
        xy(0.0, 0.5 * size.y),
    ));
    run(&mut app, 1.0);
    let floating = count / 2;
    let across = |index: usize, of: usize| size.x * ((index as f32 + 0.5) / of as f32 - 0.5);
    let bodies: Vec<Entity> = (0..count)
        .map(|index| {
            let (at, density) = if index < floating {
                (Vec2::new(across(index, floating), size.y), 0.5)
            } else {
                (Vec2::new(across(index - floating, count - floating), 14.0), 2.0)
            };
            let (shape, reach) = if index % 2 == 0 {
                (E::rectangle(Vec2::new(28.0, 20.0)), Vec2::new(14.0, 10.0))
            } else {
                (E::circle(12.0), Vec2::splat(12.0))
            };
            let reach = reach + 0.4 * spacing;
            app.fluid_mut().despawn_where(|place, _| (place - at).abs().cmplt(reach).all());
            let at = Transform::from_translation(at.extend(0.0));
            spawn_coupled::<E>(&mut app, Kind::Dynamic, shape, density, at)
        })
        .collect();
    run(&mut app, calm);
    let particles = app.particles();
    let mut worst = Unrest::default();
    for tick in 0..(watched / TICK) as u32 {
        app.update();
        let now = unrest::<E>(&mut app, &bodies);
        if tick % 320 == 0 {
            println!("after {:.0} s: {now:?}", calm + tick as f32 * TICK);
        }
        worst = Unrest {
            rms: (worst.rms.0.max(now.rms.0), worst.rms.1.max(now.rms.1)),
            fastest: worst.fastest.max(now.fastest),
            ..now
        };
    }
    println!("{particles} particles and {count} bodies, worst: {worst:?}");
    let Unrest { bodies_asleep, particles_asleep, .. } = worst;
    println!("{bodies_asleep} and {particles_asleep} sleep");
    let inside = |at: Vec2| at.x.abs() < 0.5 * size.x && at.y > 0.0 && at.y < 2.0 * size.y;
    assert_eq!(app.particles(), particles, "none is lost");
    let outside = app.positions().iter().filter(|at| !inside(**at)).count();
    assert_eq!(outside, 0, "none is outside");
    let outside: Vec<Vec2> =
        bodies.iter().map(|body| position_of(&app, *body)).filter(|at| !inside(*at)).collect();
    assert!(outside.is_empty(), "{outside:?}");
    assert!(worst.rms.0 < QUIET && worst.rms.1 < QUIET, "{worst:?}");
}

/// Twenty bodies in 3,000 particles.
pub fn small<E: TestEngine>() {
    crowd::<E>(100, 30, 20, 15.0, 15.0);
}

/// Two hundred bodies in 30,000 particles.
pub fn large<E: TestEngine>() {
    crowd::<E>(600, 50, 200, 30.0, 60.0);
}

// Bodies on joints.

/// Length of a paddle.
const PADDLE: f32 = 90.0;

/// Mean angular velocity of a body in so many seconds, and mean torque of the liquid on it in the
/// engine's masses.
fn turned<E: TestEngine>(app: &mut App, body: Entity, seconds: f32) -> (f32, f32) {
    let (mass, _) = E::mass(app.world_mut(), body);
    let ticks = (seconds / TICK) as u32;
    let (mut spin, mut torque) = (0.0, 0.0);
    for _ in 0..ticks {
        app.update();
        spin += E::motion(app.world(), body).1 / ticks as f32;
        let Some((_, host)) = app.fluid().host_bodies().next() else { continue };
        let liquid_masses = 1.0 / (host.inverse_mass.y * mass);
        let load = app.component::<FluidLoad>(body).torque;
        torque += load / liquid_masses / ticks as f32;
    }
    (spin, torque)
}

/// Torque of the brake, per angular velocity.
const BRAKE: f32 = 2e4;

/// A stream turns a wheel, which a motor brakes, at a steady rate, and the brake takes the torque that
/// the stream gives. Without the stream the wheel stops.
pub fn mill<E: TestEngine>() {
    let mut app = app::<E>(default());
    // avian's motors take moments of inertia above 8e6 for infinite.
    let (density, liquid) = (0.001, FluidCoupled::default().with_liquid_density(0.001));
    let hub = E::circle(15.0);
    let wheel = E::spawn(app.world_mut(), Kind::Dynamic, hub, density, Transform::default());
    for index in 0..8 {
        let way = Vec2::from_angle(TAU * index as f32 / 8.0);
        let at = Transform::from_translation((way * 0.5 * PADDLE).extend(0.0))
            .with_rotation(Quat::from_rotation_z(way.to_angle()));
        let paddle = E::rectangle(Vec2::new(PADDLE, 8.0));
        let paddle = app.spawn((ChildOf(wheel), paddle, at));
        E::set_density(app.world_mut(), paddle, density);
    }
    app.insert(wheel, (liquid, FluidLoad::default()));
    E::brake(app.world_mut(), wheel, BRAKE);
    let down = Quat::from_rotation_z(std::f32::consts::PI);
    let spring = (FluidEmitter::jet(40.0, 150.0), xy(60.0, 150.0).with_rotation(down));
    let spring = app.spawn(spring);
    app.spawn((FluidDrain::from(Rectangle::new(3000.0, 60.0)), xy(0.0, -300.0)));
    run(&mut app, 10.0);
    let windows = [(); 3].map(|()| turned::<E>(&mut app, wheel, 10.0));
    println!("spin and torque: {windows:?}");
    let (rate, _) = windows[0];
    // The stream falls on the right of the axle.
    assert!(rate < -0.2, "{windows:?}");
    for (spin, torque) in windows {
        assert!((spin / rate - 1.0).abs() < 0.03, "{windows:?}");
        assert!((torque / (BRAKE * spin) - 1.0).abs() < 0.05, "{windows:?}");
    }
    app.despawn(spring);
    run(&mut app, 10.0);
    let (idle, _) = turned::<E>(&mut app, wheel, 5.0);
    // avian's motor lets go of wheels that are slower than a few hundredths of a radian per second.
    assert!(idle.abs() < 0.1 * rate.abs(), "{idle} of {rate}");
}

/// A drop hits a paddle that is bolted to a post. The lighter the paddle is, the further it gives way
/// within a tick; nothing goes through it.
pub fn bolted<E: TestEngine>() {
    for (density, most) in [(0.05, f32::INFINITY), (0.2, 1.0), (1.0, 0.2)] {
        let mut app = app::<E>(default());
        let (post, at) = (xy(100.0, 0.0), xy(80.0, 0.0));
        let post = E::spawn(app.world_mut(), Kind::Static, E::circle(10.0), 1.0, post);
        let shape = E::rectangle(Vec2::new(10.0, 100.0));
        let paddle = spawn_coupled::<E>(&mut app, Kind::Dynamic, shape, density, at);
        run(&mut app, 0.05);
        E::bolt(app.world_mut(), paddle, post, Vec2::new(-20.0, 0.0));
        let drop =
            FluidBlob::from(Rectangle::new(100.0, 60.0)).with_velocity(Vec2::new(300.0, 0.0));
        app.spawn(drop);
        let mut gave_way = 0.0_f32;
        for _ in 0..32 {
            app.update();
            for (_, host) in app.fluid().host_bodies() {
                gave_way = gave_way.max((host.pose.translation.x - at.translation.x).abs());
            }
            let behind = |at: &&Vec2| at.x > 86.0 && at.y.abs() < 45.0;
            let through = app.positions().iter().filter(behind).count();
            assert_eq!(through, 0, "{density}");
        }
        println!("{density}: gave way by {gave_way}");
        assert!(gave_way < most, "{density}: {gave_way}");
        assert!((position_of(&app, paddle).x - at.translation.x).abs() < 1.0);
    }
}
