//! The calls of a host.

use arbitrary::Arbitrary;

use crate::number::{Number, Vector};

/// A call that changes a world from outside. Numbers of particles and solids are counted around.
#[derive(Clone, Copy, Debug, Arbitrary)]
pub enum Operation {
    Step(Number),
    Ticks(u8),
    Spawn {
        position: Vector,
        velocity: Vector,
        class: u8,
        temperature: Option<Number>,
        lifetime: Option<Number>,
    },
    Pour {
        position: Vector,
        half_size: Vector,
        class: u8,
    },
    Despawn(u16),
    DespawnAgain,
    DespawnWhere {
        beyond: Number,
    },
    DespawnTagged(u8),
    Clear,
    Relocate {
        particle: u16,
        position: Vector,
        velocity: Vector,
    },
    Displace {
        particle: u16,
        way: Vector,
    },
    Velocity {
        particle: u16,
        velocity: Vector,
    },
    Temperature {
        particle: u16,
        temperature: Number,
    },
    ChangeVelocities(Vector),
    Tag {
        particle: u16,
        tag: u8,
    },
    Class {
        particle: u16,
        class: u8,
    },
    ClassTagged {
        tag: u8,
        class: u8,
    },
    Paint {
        particle: u16,
        color: [Number; 3],
    },
    Capacity(u8),
    Recycle(bool),
    KillBounds(Option<(Vector, Vector)>),
    SpringCapacity(u16),
    Parameter {
        which: u8,
        value: Number,
    },
    Gravity(Vector),
    Solver(u8),
    Effort {
        substeps: u8,
        sweeps: u8,
    },
    ClassSetting {
        class: u8,
        which: u8,
        value: Number,
    },
    EaseIn,
    EndEasing,
    ResetClock,
    Forces {
        kind: u8,
        centre: Vector,
        radius: Number,
        strength: Number,
    },
    Impulse {
        centre: Vector,
        radius: Number,
        strength: Number,
    },
    InsertCollider(Shape),
    SetCollider {
        collider: u8,
        shape: Shape,
    },
    MoveCollider {
        collider: u8,
        centre: Vector,
        angle: Number,
    },
    ColliderMotion {
        collider: u8,
        velocity: Vector,
        angular: Number,
    },
    RemoveCollider(u8),
    ClearColliders,
    InsertContainer(Shape),
    MoveContainer {
        container: u8,
        centre: Vector,
        angle: Number,
    },
    ContainerMotion {
        container: u8,
        velocity: Vector,
        angular: Number,
    },
    RemoveContainer(u8),
    InsertHost {
        centre: Vector,
        inverse_mass: Vector,
    },
    HostMotion {
        velocity: Vector,
        angular: Number,
    },
    RemoveHost,
    Emit {
        at: Vector,
        width: Number,
        speed: Number,
        time: Number,
    },
    Drain {
        at: Vector,
        radius: Number,
        rate: Option<Number>,
        time: Number,
    },
    InsertAir {
        low: Vector,
        high: Vector,
        cell: Number,
        heat: Number,
    },
    RemoveAir,
    TakeChunk {
        at: Vector,
        half_size: Vector,
    },
    PutChunk,
    Keep,
    RollBack,
    Export,
    Import,
}

/// A solid with what it may have.
#[derive(Clone, Copy, Debug, Arbitrary)]
pub struct Shape {
    pub kind: u8,
    pub centre: Vector,
    pub size: Vector,
    pub angle: Number,
    pub mass: Option<Number>,
    pub friction: Option<Number>,
    pub stickiness: Number,
    pub flags: u8,
}
