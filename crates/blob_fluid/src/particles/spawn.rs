//! What a new particle is.

use glam::Vec2;
use thiserror::Error;

use crate::particles::life::{Lifetime, ParticleTag};
use crate::settings::class::ClassId;
use crate::settings::range::OutOfRange;

/// A new particle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct ParticleSpawn {
    /// Where, in world units; finite.
    pub position: Vec2,
    /// How fast, in world units/s; finite.
    pub velocity: Vec2,
    /// Which class of the world's table.
    pub class: ClassId,
    /// Temperature, finite; `None` for that of its class.
    pub temperature: Option<f32>,
    /// How long it lives; `None` for ever.
    pub lifetime: Option<Lifetime>,
    /// What group it belongs to.
    pub tag: ParticleTag,
}

/// Why a particle was not spawned.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum SpawnError {
    /// A coordinate is NaN, infinite or farther than the world reaches.
    #[error("particle {field} is {value}, and must be finite and within ±{limit} world units")]
    OutOfRange {
        /// The field at fault.
        field: &'static str,
        /// What it held.
        value: f32,
        /// Largest magnitude allowed.
        limit: f32,
    },
    /// The class table has no such class.
    #[error("class {class} does not exist: the table holds {classes}")]
    UnknownClass {
        /// The class asked for.
        class: u8,
        /// How many there are.
        classes: usize,
    },
    /// A lifetime that is none.
    #[error(transparent)]
    Lifetime(#[from] OutOfRange),
    /// As many particles are alive as the world may hold.
    #[error("the world is full: its capacity is {capacity} particles")]
    Full {
        /// The limit.
        capacity: usize,
    },
}
