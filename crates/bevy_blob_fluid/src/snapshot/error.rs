//! What may go wrong with a snapshot, and what is missing after one was restored.

use std::fmt;

use bevy::prelude::*;
use blob_fluid::SnapshotError;
use thiserror::Error;

/// Why a snapshot was not taken, read or restored. Nothing has been changed then.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum FluidSnapshotError {
    /// The world has no [`FluidSimulation`](crate::FluidSimulation): the plugin is missing.
    #[error("the world has no liquid")]
    NoLiquid,
    /// The bytes are no such snapshot, or a tick has begun and not ended.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
}

impl FluidSnapshotError {
    /// What the bytes say is wrong.
    pub(super) fn invalid(what: impl fmt::Display) -> Self {
        Self::Snapshot(SnapshotError::Invalid(what.to_string()))
    }
}

/// What happened when a [`FluidSnapshot`](crate::FluidSnapshot) was restored.
#[must_use = "entities may be missing"]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FluidRestored {
    /// Entities of the snapshot that are gone, or have lost a component. Their solids, airs and bodies go
    /// with the next tick, as if they had been despawned now.
    pub missing: Vec<FluidMissing>,
}

impl FluidRestored {
    /// Whether nothing is missing: the world goes on with the same bits.
    pub fn is_complete(&self) -> bool {
        self.missing.is_empty()
    }
}

/// An entity of a snapshot that is gone, or has lost a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FluidMissing {
    /// The entity, as it was when the snapshot was taken.
    pub entity: Entity,
    /// Its [`Name`], if it had one.
    pub name: Option<String>,
    /// The [key](crate::FluidOrder::key) of its order.
    pub key: i64,
    /// The component that it has lost, such as `FluidEmitter`; `None` if it is gone.
    pub component: Option<&'static str>,
}

impl fmt::Display for FluidMissing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { entity, name, key, component } = self;
        match name {
            Some(name) => write!(f, "`{name}` ({entity})")?,
            None => write!(f, "{entity}, of key {key},")?,
        }
        match component {
            Some(component) => write!(f, " has no {component}"),
            None => f.write_str(" is gone"),
        }
    }
}
