//! What the scenes need of an engine.

use bevy::prelude::*;
use bevy_blob_fluid::engines::PhysicsEngine;

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
