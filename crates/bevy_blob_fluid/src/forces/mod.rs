//! What pushes, turns, slows and heats the liquid, as entities.

mod field;
mod force;
mod impulse;

pub use field::FluidField;
pub use force::FluidForce;
pub use impulse::FluidImpulse;

pub(crate) use impulse::apply_impulses;

crate::concern::concern! {
    /// Forces, impulses and force fields of the game's own.
    FluidForcesPlugin: field, force, impulse
}
