//! Where entities are in the plane, and which shapes they have there.

mod outline;
mod placement;
mod scaled;

pub use outline::FluidOutline;
pub(crate) use outline::{from_outline, shape_or_warn};
pub(crate) use placement::{Placement, PlacementError};
pub(crate) use scaled::Scaled;
