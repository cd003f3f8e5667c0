//! What pushes, turns, slows and heats the liquid, as entities.

mod field;
mod force;

pub use field::FluidField;
pub(crate) use field::sync_fields;
pub use force::{FluidForce, FluidImpulse};
pub(crate) use force::{apply_impulses, sync_forces};
