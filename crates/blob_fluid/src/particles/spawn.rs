//! The values of a new particle, and the errors of spawning it.

use glam::Vec2;
use thiserror::Error;

use crate::particles::life::{FluidLifetime, ParticleTag};
use crate::settings::class::ClassId;
use crate::settings::range::OutOfRange;

/// The values of a new particle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct ParticleSpawn {
    /// Position, in world units; finite.
    pub position: Vec2,
    /// Velocity, in world units/s; finite.
    pub velocity: Vec2,
    /// Its class, an index into the world's class table. Default medium of the three default
    /// classes; with classes of your own, state it.
    pub class: ClassId,
    /// Temperature, in degrees; finite. `None` (default) for the temperature of its class.
    pub temperature: Option<f32>,
    /// Red, green and blue of its paint, linear, 0 to 1. `None` (default) for the colour of its class.
    /// It has no effect in a class that takes no [paint](crate::FluidPaint).
    pub paint: Option<[f32; 3]>,
    /// Its lifetime; `None` (default) for a particle that lives for ever.
    pub lifetime: Option<FluidLifetime>,
    /// The tag of the group that it belongs to. Default none.
    pub tag: ParticleTag,
}

/// Why a particle was not spawned.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum SpawnError {
    /// A number is NaN, infinite or beyond the world's reach.
    #[error("particle {field} is {value}, and must be finite and within ±{limit} world units")]
    OutOfRange {
        /// The invalid field.
        field: &'static str,
        /// Its value.
        value: f32,
        /// Largest valid magnitude, in world units.
        limit: f32,
    },
    /// The class table has no such class.
    #[error("class {class} does not exist: the table holds {classes}")]
    UnknownClass {
        /// Index of the requested class.
        class: u8,
        /// Number of classes in the table.
        classes: usize,
    },
    /// The lifetime is invalid.
    #[error(transparent)]
    Lifetime(#[from] OutOfRange),
    /// A number of its paint is not within 0 to 1.
    #[error(transparent)]
    Paint(OutOfRange),
    /// The world already holds as many particles as its capacity.
    #[error("the world is full: its capacity is {capacity} particles")]
    Full {
        /// The world's capacity.
        capacity: usize,
    },
}
