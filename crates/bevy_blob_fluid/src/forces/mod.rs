//! What pushes, turns, slows, heats and paints the liquid, as entities.

mod brush;
mod field;
mod force;
mod impulse;

pub use brush::FluidBrush;
pub use field::FluidField;
pub use force::FluidForce;
pub use impulse::FluidImpulse;

pub(crate) use brush::paint_with_brushes;

crate::concern::concern! {
    /// Forces, impulses, brushes and force fields of the game's own.
    FluidForcesPlugin: brush, field, force, impulse
}
