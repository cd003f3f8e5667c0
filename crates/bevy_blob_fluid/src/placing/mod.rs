//! Where entities are in the plane, and which shapes they have there.

mod outline;
mod placement;

pub use outline::FluidOutline;
pub(crate) use outline::shape_or_warn;
pub(crate) use placement::{Placement, PlacementError};
