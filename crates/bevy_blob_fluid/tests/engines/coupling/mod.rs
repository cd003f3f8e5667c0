//! Scenes that hold for every physics engine.

pub mod colliders;
pub mod crowd;
pub mod cup;
pub mod floating;
pub mod hull;
pub mod joints;
pub mod ledger;
pub mod mishaps;
pub mod nonsense;
pub mod sleeping;
pub mod threads;

use bevy::app::PluginGroupBuilder;
use bevy::asset::AssetPlugin;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_blob_fluid::engines::PhysicsEngine;
use bevy_blob_fluid::prelude::*;

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

    /// Its collider.
    type Collider: Component + Clone;

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

    /// Lets a collider be felt only.
    fn make_sensor(world: &mut World, collider: Entity);

    /// Switches a collider off.
    fn disable_collider(world: &mut World, collider: Entity);

    /// Switches a collider on again.
    fn enable_collider(world: &mut World, collider: Entity);

    /// Switches a body off.
    fn disable_body(world: &mut World, body: Entity);

    /// Switches a body on again.
    fn enable_body(world: &mut World, body: Entity);

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

    /// Sets the density of a collider.
    fn set_density(world: &mut World, collider: Entity, density: f32);

    /// Sets the layers that a collider collides with.
    fn set_layers(world: &mut World, collider: Entity, layers: u32);

    /// Adds a collider to a body, as its child.
    fn attach(world: &mut World, body: Entity, collider: Self::Collider, at: Transform) -> Entity;

    /// Whether the engine itself goes on with nonsense in this part of a body.
    fn survives(part: Part) -> bool;

    /// A collider of each kind.
    fn shapes() -> Vec<(&'static str, Self::Collider)>;

    /// Distance from a point to a collider, 0 inside, as the engine computes it.
    fn distance(collider: &Self::Collider, point: Vec2) -> f32;
}

/// An app with an engine and no gravity of its own beyond the liquid's.
pub fn app<E: TestEngine>(settings: FluidSettings) -> App {
    app_with::<E>(settings, BlobFluidPlugins::default().build())
}

/// An app with other plugins of the liquid.
pub fn app_with<E: TestEngine>(settings: FluidSettings, plugins: PluginGroupBuilder) -> App {
    let mut app = App::new();
    let pools = threads::pools().unwrap_or_default();
    app.add_plugins((MinimalPlugins.set(pools), AssetPlugin::default(), TransformPlugin));
    E::add_to(&mut app, settings.parameters.gravity);
    app.add_plugins(plugins).insert_resource(settings);
    let tick = std::time::Duration::from_secs_f32(TICK);
    app.insert_resource(TimeUpdateStrategy::ManualDuration(tick));
    app.finish();
    app.cleanup();
    app
}

/// A tank of the engine's static walls, its floor at -150, with liquid that is about 130 deep.
pub fn tank<E: TestEngine>(width: f32, class: FluidClass) -> App {
    let mut app = app::<E>(FluidSettings::default());
    let world = app.world_mut();
    let (wide, high) = (Vec2::new(width + 80.0, 40.0), Vec2::new(40.0, 400.0));
    let side = 0.5 * width + 20.0;
    for (size, x, y) in [(wide, 0.0, -170.0), (high, -side, 0.0), (high, side, 0.0)] {
        let wall =
            E::spawn(world, Kind::Static, E::rectangle(size), 1.0, Transform::from_xyz(x, y, 0.0));
        world.entity_mut(wall).insert(FluidCoupled::default());
    }
    world.spawn((
        FluidBlob::from(Rectangle::new(width - 10.0, 130.0)),
        class,
        Transform::from_xyz(0.0, -84.0, 0.0),
    ));
    app
}

/// A box of 60 by 40 and a density of 0.5 on a tank's liquid.
pub fn floating_box<E: TestEngine>(app: &mut App, x: f32) -> Entity {
    let shape = E::rectangle(Vec2::new(60.0, 40.0));
    let at = Transform::from_xyz(x, -10.0, 0.0);
    let body = E::spawn(app.world_mut(), Kind::Dynamic, shape, 0.5, at);
    app.world_mut().entity_mut(body).insert(FluidCoupled::default());
    body
}

/// Runs an app for some seconds.
pub fn run(app: &mut App, seconds: f32) {
    for _ in 0..(seconds / TICK) as u32 {
        app.update();
    }
}

/// Position of an entity.
pub fn position_of(app: &App, entity: Entity) -> Vec2 {
    app.world().get::<Transform>(entity).expect("it has one").translation.truncate()
}

/// The liquid.
pub fn fluid(app: &App) -> &FluidSimulation {
    app.world().resource::<FluidSimulation>()
}

/// Corners of a pentagon, of a concave outline, and of a row of hills.
pub fn corners() -> (Vec<Vec2>, Vec<Vec2>, Vec<f32>) {
    let pentagon = [(30.0, 0.0), (10.0, 28.0), (-25.0, 17.0), (-25.0, -17.0), (10.0, -28.0)];
    let concave = [(40.0, 30.0), (0.0, 5.0), (-40.0, 30.0), (-40.0, -30.0), (40.0, -30.0)];
    let hills = vec![0.1, 0.5, 0.2, 0.9, 0.4];
    (pentagon.map(Vec2::from).to_vec(), concave.map(Vec2::from).to_vec(), hills)
}
