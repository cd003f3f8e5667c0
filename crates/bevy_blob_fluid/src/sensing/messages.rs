//! Messages of sensors, blobs and splashes: each is written once for [`MessageReader`]s and
//! triggered once for observers.

use bevy::prelude::*;
use blob_fluid::{BlobId, ParticleId, Splash};

/// Particles entered a [`FluidSensor`](crate::FluidSensor) in a tick.
#[derive(Message, EntityEvent, Reflect, Clone, Debug, PartialEq, Eq)]
#[reflect(Clone, Debug, PartialEq)]
pub struct FluidEntered {
    /// The sensor.
    pub entity: Entity,
    /// Number of particles that entered; at least one.
    pub count: usize,
    /// Their handles, in ascending order. None while the liquid is on the graphics card.
    pub particles: Vec<ParticleId>,
}

/// Particles that were inside a [`FluidSensor`](crate::FluidSensor) no longer count: they left,
/// died, or turned into a class that it does not count.
#[derive(Message, EntityEvent, Reflect, Clone, Debug, PartialEq, Eq)]
#[reflect(Clone, Debug, PartialEq)]
pub struct FluidLeft {
    /// The sensor.
    pub entity: Entity,
    /// Number of these particles; at least one.
    pub count: usize,
    /// Their handles, in ascending order. None while the liquid is on the graphics card.
    pub particles: Vec<ParticleId>,
}

/// A [`FluidSensor`](crate::FluidSensor) became full.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands) {
///     commands
///         .spawn(FluidSensor::from(Rectangle::new(60.0, 40.0)))
///         .observe(|filled: On<FluidFilled>| info!("{} is full", filled.entity));
/// }
/// ```
#[derive(Message, EntityEvent, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Clone, Debug, PartialEq)]
pub struct FluidFilled {
    /// The sensor.
    pub entity: Entity,
    /// Its fill level, 0 to 1.
    pub fill: f32,
}

/// A [`FluidSensor`](crate::FluidSensor) that had been full became empty.
#[derive(Message, EntityEvent, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Clone, Debug, PartialEq)]
pub struct FluidDrained {
    /// The sensor.
    pub entity: Entity,
    /// Its fill level, 0 to 1.
    pub fill: f32,
}

/// Fast liquid hit liquid or a solid. It is written by the
/// [`FluidSplashPlugin`](crate::FluidSplashPlugin).
#[derive(Message, Event, Reflect, Clone, Copy, Debug, PartialEq, Deref)]
#[reflect(Clone, Debug, PartialEq)]
pub struct FluidSplash(pub Splash);

/// A blob of liquid became part of another. It is written by the
/// [`FluidBlobsPlugin`](crate::FluidBlobsPlugin).
#[derive(Message, Event, Reflect, Clone, Copy, Debug, PartialEq, Eq)]
#[reflect(Clone, Debug, PartialEq)]
pub struct FluidBlobsMerged {
    /// The blob that it belongs to now.
    pub into: BlobId,
    /// The blob that no longer exists.
    pub from: BlobId,
}

/// A blob of liquid split off from another. It is written by the
/// [`FluidBlobsPlugin`](crate::FluidBlobsPlugin).
#[derive(Message, Event, Reflect, Clone, Copy, Debug, PartialEq, Eq)]
#[reflect(Clone, Debug, PartialEq)]
pub struct FluidBlobSplit {
    /// The blob that it belonged to, which may have merged into another one in the same tick.
    pub from: BlobId,
    /// The new blob.
    pub into: BlobId,
}
